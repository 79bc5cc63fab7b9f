"""Pepper's published numbers beside ours: what agrees, and which misprints are found."""

import subprocess
import sys
from functools import cache

import pytest

from strut.reproduction.systems import reproduce


@cache
def rows():
    return reproduce("pepper")


def row(quantity):
    (found,) = [one for one in rows() if one.quantity == quantity]
    return found


def test_nothing_differs_that_is_no_known_misprint():
    assert [one.quantity for one in rows() if one.verdict == "differs"] == []
    assert sum(one.verdict == "same" for one in rows()) > 80


def test_every_erratum_that_can_be_computed_is_there():
    assert {one.erratum for one in rows() if one.erratum} == {"P5", "P10", "P15", "P20", "P21", "P22", "P25", "P26"}


def test_calm_is_not_above_chance():
    assert row("calm: p of its hits").ours[0] == pytest.approx(0.164, abs=1e-3)
    assert row("calm: p of its hits").published[0] == pytest.approx(0.06)
    assert row("happiness: p of its hits").ours[0] == pytest.approx(1.2e-5, rel=0.05)


def test_wilson_intervals_are_those_of_the_reference():
    assert row("fear: interval of its hits").ours == pytest.approx((3.7, 37.9), abs=0.05)
    assert row("happiness: interval of its hits").ours == pytest.approx((48.0, 89.1), abs=0.1)


def test_forty_five_intervals_of_table_3_are_compared_and_two_signs_were_misprinted():
    assert sum(one.group == "Table 3" for one in rows()) == 45
    assert sum(one.erratum == "P25" for one in rows()) == 2


def test_the_corrected_law_tracks_the_gaze_and_the_printed_one_does_not():
    gaze = row("mean and largest gaze error while waving")
    assert gaze.published[0] > 0.03
    assert gaze.ours[1] < 0.002
    assert row("median relative error of the head velocity").published[0] > 1.5


def test_no_package_of_plots_is_loaded_for_the_numbers():
    """Pingouin draws, too, and takes longer to load than all that is asked of it."""
    words = "import sys, strut.reproduction.pepper; print({'pingouin', 'matplotlib'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
