"""Bisection on sets whose edge is known, from below, above, on whole numbers, on a ratio; and without a known end."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from strut.maths.bisection import bisect, exponential_search


@given(edge=st.floats(0.01, 0.99))
def test_the_edge_is_bracketed_closely(edge):
    good, bad = bisect(lambda value: value <= edge, 0.0, 1.0, resolution=0.02)
    assert good <= edge < bad
    assert bad - good <= 0.02


@given(edge=st.floats(0.01, 0.99))
def test_the_way_may_lead_down(edge):
    good, bad = bisect(lambda value: value >= edge, 1.0, 0.0, resolution=0.02)
    assert bad < edge <= good


@given(edge=st.integers(10, 99))
def test_whole_numbers_are_found_exactly(edge):
    tried = []

    def passes(value):
        tried.append(value)
        return value <= edge

    assert bisect(passes, 10, 100, resolution=1.0, scale="whole") == (edge, edge + 1)
    assert all(value == int(value) for value in tried)


@given(edge=st.floats(1.01, 19.9))
def test_a_ratio_is_close_on_a_geometric_scale(edge):
    good, bad = bisect(lambda value: value >= edge, 20.0, 1.0, resolution=1.02, scale="geometric")
    assert bad < edge <= good
    assert good / bad <= 1.02


def test_what_is_close_already_is_not_tried():
    assert bisect(pytest.fail, 0.0, 0.01, resolution=0.02) == (0.0, 0.01)


@given(edge=st.integers(0, 200), most=st.integers(0, 300))
def test_an_exponential_search_finds_the_last_that_passes_and_tries_few(edge, most):
    tried = []

    def passes(number):
        tried.append(number)
        return number <= edge

    assert exponential_search(passes, most) == min(edge, most)
    assert len(tried) <= 12
    assert all(0 < number <= most for number in tried)


@given(fails=st.sets(st.integers(1, 100)), wishes=st.tuples(st.integers(0, 150), st.integers(0, 150)))
def test_a_larger_wish_never_finds_less_even_if_some_fail_below_others_that_pass(fails, wishes):
    def found(most):
        return exponential_search(lambda number: number <= 100 and number not in fails, most)

    assert found(min(wishes)) <= found(max(wishes))
    assert found(128) == found(1000)
