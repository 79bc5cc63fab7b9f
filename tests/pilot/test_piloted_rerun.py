"""A motion of a robot's own controllers, asked of them again: the same in the same world, a fall on ice."""

import json
from dataclasses import replace

import numpy as np
import pytest

from strut.cli.main import main
from strut.errors import BadMotionError, StrutError
from strut.formats.motion_file import save_motion
from strut.pilot.controllers.reference import PlayRequest, StandRequest, WalkRequest
from strut.pilot.piloted_rerun import can_be_run_again, is_piloted, simulate_again
from strut.pilot.piloted_simulation import Clock, World, simulate_requests
from strut.pilot.request_json import decode_requests, encode_requests
from strut.pilot.verbs.after_check import next_command

STAND = StandRequest(0.1, height_m=0.88, turn_rad=(0.0, 0.02, 0.0))


@pytest.fixture(scope="module")
def stood():
    """A stand that was made with another seed than the usual, on the floor of the robot's own friction."""
    clock = Clock(control_hz=1000.0, rest_s=0.5)
    return simulate_requests([STAND, StandRequest(0.1)], world=World(seed=3), clock=clock).motion


def saved(motion, file):
    save_motion(motion, file)
    return file


def without_requests(motion):
    return replace(motion, meta=dict(motion.meta) | {"piloted": {"finished": True}})


def test_in_the_same_world_the_same_happens(stood):
    again = simulate_again(stood)
    assert again.outcome.finished
    np.testing.assert_array_equal(again.motion.qpos, stood.qpos)
    assert can_be_run_again(again.motion)


def test_on_ice_it_falls_and_the_command_says_so(stood, tmp_path, capsys):
    walk = {"piloted": {"requests": encode_requests([WalkRequest(0.4, height_m=0.9, distance_m=1.0)])}}
    file = saved(replace(stood, meta=walk | {"simulated": {"seed": 0}}), tmp_path / "walk.npz")
    assert main(["simulate", str(file), "--friction", "0.02"]) == 4
    told = capsys.readouterr().err
    assert "fell after" in told
    assert "under its own controllers" in told


@pytest.mark.parametrize(
    "option", [("--mass-scale", "1.2"), ("--noise", "0.1"), ("--controller", "servos"), ("--closed-loop",)]
)
def test_what_its_world_does_not_have_is_refused(stood, tmp_path, capsys, option):
    file = saved(stood, tmp_path / "stood.npz")
    assert main(["simulate", str(file), *option]) == 2
    assert f"{option[0]} does not apply: cassie runs again under its own controllers" in capsys.readouterr().err


def test_a_file_that_does_not_say_what_was_asked_is_refused_and_check_proposes_to_look_at_it(stood, tmp_path, capsys):
    older = without_requests(stood)
    assert is_piloted(older)
    file = saved(older, tmp_path / "older.npz")
    assert main(["simulate", str(file)]) == 2
    assert "does not hold their requests, so they cannot be simulated again" in capsys.readouterr().err
    assert next_command(file, older, sound=True) == ("strut show", str(file))
    assert next_command(file, stood, sound=True) is None


def test_requests_are_read_as_they_were_written():
    move = PlayRequest(np.array([0.0, 0.1, 0.2]), np.full((3, 3), 0.9), np.zeros((3, 3)), "nod")
    asked = [STAND, WalkRequest(0.3, left_m_s=-0.1, duration_s=2.0, lift=1.1), move]
    *plain, played = decode_requests(json.loads(json.dumps(encode_requests(asked))))
    assert plain == asked[:2]
    assert played.name == "nod"
    np.testing.assert_array_equal(played.place_m, move.place_m)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (None, "does not hold"),
        ([], "does not hold"),
        (["walk"], "Request 1 of the motion cannot be read"),
        ([{"type": "fly"}], "its type is not one of stand, walk, play"),
        ([{"type": "walk", "forward_m_s": "fast"}], "Request 1 of the motion cannot be read"),
        ([{"type": "play", "time_s": [0.0]}], "Request 1 of the motion cannot be read"),
    ],
)
def test_an_invalid_request_is_an_error(table, words):
    with pytest.raises(BadMotionError, match=words):
        decode_requests(table)


def test_a_controller_rate_that_is_not_a_number_is_refused():
    with pytest.raises(StrutError, match="control_hz is 'x'; it must be of type float"):
        Clock(control_hz="x")
