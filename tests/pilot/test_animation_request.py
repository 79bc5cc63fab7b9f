"""Stories in simulation, behaviour 15: one standing controller falls with a drawing and stands with what it became.

Springs, torque limits and noisy sensors are on; the floor's friction is 0.6.
"""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.animation.animate import animate, preview_animation
from strut.animation.animation_file import load_animation
from strut.animation.stories import story_path
from strut.errors import OutOfRangeError
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.pilot.animation_request import play_request
from strut.pilot.piloted_simulation import Clock, World, simulate_requests
from strut.verify.check import check
from tests.stories import paw, slow_nod

FAST = Clock(control_hz=1000.0, settle_s=0.4, rest_s=0.2)
FLOOR = World(friction=0.6)
BREAK = ("angry", "fearful", "happy")  # limits, as they are drawn


@pytest.fixture(scope="module")
def cassie():
    return load_robot("cassie")


def story(name):
    return load_animation(story_path("cassie", name))


def performed(cassie, motion):
    return simulate_requests([play_request(motion, cassie)], cassie, world=FLOOR, clock=FAST)


def test_a_story_stands_when_made_feasible(cassie):
    """By the quick method; benchmarks/bench_feasible_story.py has all of them by all methods."""
    motion = animate(cassie, story("fearful"), method="mass")
    assert motion.receipt.verdict == "ok"
    assert check(motion, cassie).verdict == "ok"
    show = performed(cassie, motion)
    assert show.outcome.finished
    assert not show.outcome.fell


@pytest.mark.parametrize("name", BREAK)
def test_three_stories_break_limits_as_they_are_drawn(cassie, name):
    assert check(preview_animation(cassie, story(name)), cassie).verdict == "refused"


def test_the_same_controller_falls_with_a_story_as_it_is_drawn(cassie):
    """What it became stands: see above."""
    assert performed(cassie, preview_animation(cassie, story("fearful"))).outcome.fell


def test_the_pilot_is_asked_for_what_was_drawn(cassie):
    motion = preview_animation(cassie, slow_nod())
    request = play_request(motion, cassie)
    np.testing.assert_allclose(request.place_m[:, 2], motion.qpos[:, 2])
    assert np.degrees(request.turn_rad[:, 1].max()) == pytest.approx(8.0, abs=0.01)
    assert abs(request.place_m[0, :2]).max() < 0.02  # the centre of mass stands over the middle of the soles


def test_a_lifted_foot_is_not_for_the_standing_controller():
    with pytest.raises(OutOfRangeError, match="A foot leaves the floor"):
        play_request(preview_animation("mrpete", paw()))


def swaying(cassie, heading=0.0, away_m=(0.0, 0.0), **meta):
    """Return Cassie with both feet down, bowing and turning a little, wherever it stands."""
    samples = 5
    q = np.tile(cassie.standing_qpos, (samples, 1))
    turned = Rotation.from_euler("z", heading)
    own = Rotation.from_euler("xyz", np.outer(np.arange(samples), [0.01, 0.02, 0.03]))
    q[:, :3] = turned.apply(q[:, :3] + np.outer(np.arange(samples), [0.004, 0.003, -0.01])) + np.array([*away_m, 0.0])
    q[:, 3:7] = (turned * own).as_quat(scalar_first=True)
    feet = np.ones((samples, 2), dtype=bool)
    return Motion("cassie", 7.0 + 0.1 * np.arange(samples), q, cassie.joint_names, feet, cassie.foot_names, meta=meta)


def test_what_the_pilot_is_asked_for_does_not_depend_on_where_it_stands(cassie):
    here = play_request(swaying(cassie), cassie)
    there = play_request(swaying(cassie, 2.2, (0.5, -0.7)), cassie)
    np.testing.assert_allclose(here.time_s, 0.1 * np.arange(5), atol=1e-12)
    np.testing.assert_allclose(there.place_m, here.place_m, atol=1e-9)
    np.testing.assert_allclose(there.turn_rad, here.turn_rad, atol=1e-9)
    np.testing.assert_allclose(here.turn_rad, np.outer(np.arange(5), [0.01, 0.02, 0.03]), atol=1e-9)
    np.testing.assert_allclose(np.diff(here.place_m[:, 2]), -0.01, atol=1e-9)


def test_a_movement_is_named_by_its_title_or_its_emotion(cassie):
    for meta, name in (({"title": "Nod", "emotion": "sad"}, "Nod"), ({"emotion": "sad"}, "sad"), ({}, "animation")):
        assert play_request(swaying(cassie, **meta), cassie).name == name
