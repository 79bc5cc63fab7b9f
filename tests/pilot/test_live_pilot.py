"""A person drives Cassie: sticks become walks, what cannot be is refused, silence stops, a fall is told."""

import numpy as np
import pytest

import strut
from strut.errors import BadTableError
from strut.pilot.animation_request import play_request
from strut.pilot.live.live_pilot import SILENCE_S, LivePilot, Stick
from tests.stories import slow_nod


@pytest.fixture(scope="module")
def cassie():
    return strut.load_robot("cassie")


def go(pilot, stick, duration_s, step_s=0.1):
    """Hold a stick for a while, as a page does that asks again and again."""
    for _ in range(round(duration_s / step_s)):
        pilot.steer(stick)
        pilot.advance(step_s)
    return pilot.state()


def test_a_stick_walks_turns_and_stands_and_heights_out_of_range_are_refused(cassie):
    pilot = LivePilot(cassie)
    assert pilot.state().source == "animation"
    go(pilot, Stick(), 0.2)
    assert pilot.state().source == "animation"  # nobody has touched the stick
    walking = go(pilot, Stick(forward=0.5), 4.0)
    assert (walking.mode, walking.source, walking.refused) == ("walking", "radio", "")
    assert walking.forward_m_s == pytest.approx(0.4, abs=0.06)  # half of 0.8
    low = go(pilot, Stick(forward=0.5, height_m=0.70), 0.3)
    assert low.refused == "The walking height is 0.7 m; it must be from 0.75 to 0.95 m."
    assert low.mode == "walking"
    before = heading(pilot)
    go(pilot, Stick(forward=0.3, turn=1.0), 2.2)
    assert heading(pilot) - before > 0.5
    pilot.advance(SILENCE_S + 0.1)  # the page was closed
    assert pilot.state().phase == "brake"
    pilot.advance(3.4)
    stands = pilot.state()
    assert (stands.mode, stands.fell) == ("standing", False)
    assert go(pilot, Stick(forward=0.3, turn=1.0), 2.0).mode == "walking"  # the same stick, heard again


@pytest.mark.parametrize("height_m", [None, 0.70])
def test_a_robot_that_stands_too_low_to_walk_walks_at_the_lowest_height(cassie, height_m):
    pilot = LivePilot(cassie)
    pilot.steer(Stick(height_m=0.70))
    assert pilot.refused == ""
    walking = go(pilot, Stick(forward=0.5, height_m=height_m), 2.5)
    assert walking.refused == "The walking height is 0.7 m; it must be from 0.75 to 0.95 m."
    assert (walking.mode, walking.fell) == ("walking", False)
    assert walking.height_m > 0.72


def heading(pilot):
    w, x, y, z = pilot.qpos[3:7]
    return float(np.arctan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)))


def test_a_movement_plays_with_its_eyes_until_the_stick_moves(cassie):
    motion = strut.animation.preview_animation(cassie, slow_nod())
    pilot = LivePilot(cassie)
    meta = {"eyes": [[0.0, "happy"]]}
    pilot.play(play_request(motion, cassie), meta)
    state = go(pilot, Stick(), 1.0)  # a page goes on telling that the stick is in the middle
    assert (state.doing, state.phase) == ("nod", "play")
    assert pilot.eyes()[0] == meta
    assert go(pilot, Stick(forward=-0.5), 0.3).doing == ""
    pilot.release()
    pilot.advance(0.1)
    assert pilot.state().source == "animation"


def test_a_fall_is_reported_and_a_reset_stands_the_robot_up(cassie):
    pilot = LivePilot(cassie)
    pilot.plant.push(np.array([0.0, 400.0, 0.0]))
    state = go(pilot, Stick(), 1.2)
    assert state.fell
    assert pilot.eyes()[0] == {"eyes": [[0.0, "wide"]]}
    lies = pilot.qpos
    pilot.advance(0.5)
    np.testing.assert_array_equal(pilot.qpos, lies)
    pilot.reset()
    assert (pilot.state().fell, pilot.time_s) == (False, 0.0)
    assert not go(pilot, Stick(), 0.5).fell


def test_a_robot_without_torque_controllers_cannot_be_driven():
    with pytest.raises(BadTableError, match="alice has no control"):
        LivePilot(strut.load_robot("alice"))
