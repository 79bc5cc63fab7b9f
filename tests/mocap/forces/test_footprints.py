"""Footprints of a walk: a short flight between two feet is an error of their events, and is closed in its middle."""

import numpy as np
import pytest

from strut.maths.rotation import qpos_from_angles
from strut.mocap.forces.footprints import MAX_FLIGHT_S, MIN_DOUBLE_SUPPORT_S, find_footprints
from strut.models.subject import subject
from strut.recording import GaitEvent
from tests.mocap.conftest import walker_angles

TIME_S = np.arange(300) / 100.0


def footprints(events):
    return find_footprints(subject(), TIME_S, qpos_from_angles(walker_angles(frames=300)), events, np.zeros(3))


def walk_with_gap(gap_s):
    """Return the events of a right and a left stance with a time between them in which no foot stands."""
    return (
        GaitEvent("heel_strike", "Right", 0.4),
        GaitEvent("toe_off", "Right", 1.0),
        GaitEvent("heel_strike", "Left", 1.0 + gap_s),
        GaitEvent("toe_off", "Left", 1.7),
    )


@pytest.mark.parametrize("gap_s", [0.0, 0.03, 0.8 * MAX_FLIGHT_S])
def test_a_short_flight_is_closed_from_both_sides(gap_s):
    right, left = (print_ for print_ in footprints(walk_with_gap(gap_s)) if print_.is_complete)
    middle_s = 1.0 + gap_s / 2.0
    assert right.stop_s == pytest.approx(middle_s + MIN_DOUBLE_SUPPORT_S / 2.0)
    assert left.start_s == pytest.approx(middle_s - MIN_DOUBLE_SUPPORT_S / 2.0)


@pytest.mark.parametrize("gap_s", [-0.1, 1.5 * MAX_FLIGHT_S])
def test_a_double_support_and_a_long_flight_stay(gap_s):
    right, left = (print_ for print_ in footprints(walk_with_gap(gap_s)) if print_.is_complete)
    assert (right.stop_s, left.start_s) == (1.0, pytest.approx(1.0 + gap_s))


def test_a_stance_that_begins_before_the_recording_is_as_long_as_the_others():
    events = (GaitEvent("toe_off", "Left", 0.5), *walk_with_gap(-0.1))
    first = footprints(events)[0]
    assert (first.side, first.stop_s, first.is_complete) == ("Left", 0.5, False)
    assert first.start_s == pytest.approx(0.5 - np.median([0.6, 0.8]))
