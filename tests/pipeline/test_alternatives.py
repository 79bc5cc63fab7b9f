"""What would work instead: found on the way from what is usual to what was asked, in thousandths, and never beyond."""

import pytest

from strut.pipeline.alternatives import _nearest


@pytest.mark.parametrize(("usual", "asked", "limit"), [(0.08, 0.5, 203.0), (0.2, 0.06, 120.0), (0.08, 0.0815, 80.0)])
@pytest.mark.parametrize("close", [1.0, 20.0])
def test_the_nearest_that_works_lies_between_usual_and_asked(usual, asked, limit, close):
    tried = []

    def passes(thousandths):
        tried.append(thousandths)
        return thousandths <= limit if asked > usual else thousandths >= limit

    found = 1e3 * _nearest(passes, usual, asked, close)
    assert tried[0] == pytest.approx(1e3 * usual)
    low, high = sorted((1e3 * usual, 1e3 * asked))
    assert all(low - 1e-9 <= value <= high + 1e-9 for value in tried)
    assert abs(found - limit) <= close
    assert passes(found)


def test_nothing_is_proposed_where_not_even_the_usual_works():
    assert _nearest(lambda _thousandths: False, 0.08, 0.5, 1.0) is None
