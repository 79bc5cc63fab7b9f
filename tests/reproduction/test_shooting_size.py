"""Sizes of the published problems, Table 6.2, from the numbers of intervals alone."""

import pytest

from strut.errors import OutOfRangeError
from strut.reproduction.human import reconstruction_size, synthesis_size

TABLE_6_2 = {
    "AngerExpressive2": ((6, 12, 1, 3, 1, 1), (3072, 2376, 6258)),
    "AngerExpressive3": ((8, 10, 1, 3, 1, 1), (3072, 2376, 6254)),
    "AngerExpressive4": ((8, 12, 1, 3, 1, 1), (3320, 2568, 6760)),
    "AngerSuppressive1": ((7, 11, 1, 4, 1, 4), (3568, 2760, 7271)),
    "AngerSuppressive2": ((9, 8, 1, 3, 1, 3), (3196, 2472, 6507)),
    "AngerSuppressive3": ((6, 10, 1, 4, 1, 3), (3196, 2472, 6513)),
    "Neutral1": ((6, 13, 1, 3, 1, 5), (3692, 2856, 7527)),
    "Neutral2": ((6, 12, 1, 3, 1, 3), (3320, 2568, 6766)),
    "Neutral3": ((7, 10, 1, 5, 1, 2), (3320, 2568, 6763)),
    "JoySelfsufficient1": ((9, 10, 1, 3, 1, 5), (3692, 2856, 7521)),
    "JoySelfsufficient2": ((5, 13, 1, 4, 1, 4), (3568, 2760, 7275)),
    "JoySelfsufficient3": ((6, 12, 1, 4, 1, 5), (3692, 2856, 7527)),
    "JoyExpressive1": ((7, 13, 1, 4, 1, 2), (3568, 2760, 7269)),
    "JoyExpressive2": ((5, 13, 1, 3, 1, 2), (3196, 2472, 6514)),
    "JoyExpressive3": ((6, 12, 1, 3, 1, 2), (3196, 2472, 6512)),
}


@pytest.mark.parametrize("trial", TABLE_6_2)
def test_published_reconstruction_sizes_follow_from_the_intervals(trial):
    intervals, published = TABLE_6_2[trial]
    size = reconstruction_size(intervals)
    assert (size.unknowns, size.equalities, size.inequalities) == published


def test_published_synthesis_sizes_follow_from_the_intervals():
    free = synthesis_size((10, 2, 1, 2, 1, 2))
    fixed = synthesis_size((10, 2, 1, 2, 1, 2), fixed_speed=True)
    assert (free.unknowns, free.equalities, free.inequalities) == (2381, 1887, 4885)
    assert (fixed.unknowns, fixed.equalities, fixed.inequalities) == (2380, 1887, 4883)


def test_stages_that_do_not_fit_are_refused():
    with pytest.raises(OutOfRangeError, match="six stages"):
        reconstruction_size((6, 12, 2, 3, 1, 1))
