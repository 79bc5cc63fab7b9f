import pytest

from strut.plumbing.number_text import (
    Share,
    format_amount,
    format_count,
    format_percent,
    format_speed,
    join_words,
    plural_form,
)


def test_shares_are_formatted_with_a_space_and_rounded_like_intensities():
    assert [format_percent(share) for share in (0.0, 0.75, 0.925, 1.2)] == ["0 %", "75 %", "93 %", "120 %"]
    assert format_percent(0.1234, 1) == "12.3 %"
    assert [format_percent(share) for share in (-0.001, -0.02)] == ["0 %", "-2 %"]


def test_shares_are_formatted_alike_in_sentences():
    assert f"at {Share(0.75):.0%} of {Share(0.5):.2f}" == "at 75 % of 0.50"


def test_one_item_is_counted_in_the_singular():
    assert [format_count(count, "[joint|joints]") for count in (1, 2)] == ["1 joint", "2 joints"]
    assert [plural_form(count, "arm[|s] [was|were] let down") for count in (1, 2)] == [
        *("arm was let down", "arms were let down")
    ]


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [(0.3, "mm/s", "0.3 m/s"), (0.02, "mm/s", "20 mm/s"), (0.08, "mm", "80 mm"), (0.5, "°/s", "28.6°/s")],
)
def test_amounts_are_formatted_in_the_unit_of_the_answers(value, unit, words):
    assert format_amount(value, unit) == words


def test_speeds_of_walks_are_in_metres_and_those_of_crawls_in_millimetres_per_second():
    assert [format_speed(speed) for speed in (0.31, -0.2, 0.012)] == ["0.31 m/s", "-0.20 m/s", "12 mm/s"]


def test_words_are_listed_as_in_a_sentence():
    assert join_words(["a"]) == "a"
    assert join_words(["a", "b", "c"]) == "a, b and c"
