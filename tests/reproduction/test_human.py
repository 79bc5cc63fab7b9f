"""Published numbers of the human that need no solver come out as printed; the others are asked for by `reproduce`."""

from strut.reproduction.human import _sizes, _stature, _time_terms
from strut.robots.catalogue import load_robot


def test_sizes_statures_and_time_terms_are_the_published_ones():
    robot = load_robot("heiman")
    rows = [*_stature(robot), *_sizes(robot), *_time_terms(robot)]
    assert len(rows) == 3 + 8 + 5
    assert all(row.verdict in {"same", "erratum"} for row in rows)


def test_the_misprinted_trunk_makes_a_giant():
    erratum = next(row for row in _stature(load_robot("heiman")) if row.erratum == "E01")
    assert erratum.published[0] > 1.27
    assert 1.02 < erratum.ours[0] < 1.03
