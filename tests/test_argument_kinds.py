"""Arguments of the wrong kind: whoever calls a function of `import strut` reads one sentence, at once."""

import inspect
import pickle
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest

import strut
from strut.argument_kinds import fits, kind_words
from strut.errors import OutOfRangeError, WrongKindError

MOTION = strut.Motion("mrpete", [0.0, 0.1], np.zeros((2, 7)), (), np.zeros((2, 0), bool), ())
WALK = strut.WalkRequest(0.4, distance_m=0.5)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: strut.simulate_requests([WALK], world="ice"),
            "strut.simulate_requests: world is 'ice'; it must be of type World (strut.World(friction=0.3, "
            "pushes=(strut.Push(1.0, (0.0, 50.0, 0.0)),)) makes a World).",
        ),
        (
            lambda: strut.check("walk.npz"),
            "strut.check: motion is 'walk.npz'; it must be of type Motion (strut.load_motion(path) makes a Motion).",
        ),
        (lambda: strut.load_motion(None), "strut.load_motion: path is None; it must be of type Path or str."),
        (
            lambda: strut.load_motion(MOTION),
            "strut.load_motion: path is of type Motion; it must be of type Path or str.",
        ),
        (
            lambda: strut.save_motion(MOTION, ["a.npz"]),
            "strut.save_motion: path is of type list; it must be of type Path or str.",
        ),
        (lambda: strut.walk("mrpete", cycles="ten"), "strut.walk: cycles is 'ten'; it must be of type int."),
        (lambda: strut.walk("mrpete", tempo="slow"), "strut.walk: tempo is 'slow'; it must be of type float."),
        (
            lambda: strut.walk("alice", goal=(1.0, 0.0)),
            "strut.walk: goal is of type tuple; it must be of type Place or Sequence[Place] "
            "(strut.Place(x_m, y_m, heading_rad) makes a Place).",
        ),
        (
            lambda: strut.walk(3),
            "strut.walk: robot is 3; it must be of type Robot or str (strut.load_robot(name) makes a Robot).",
        ),
        (
            lambda: strut.analyze({"sad": "sad.npz"}),
            "strut.analyze: motions is of type dict; it must be of type Motion or Mapping[str, Motion] "
            "(strut.load_motion(path) makes a Motion).",
        ),
        (
            lambda: strut.simulate(MOTION, control=3),
            "strut.simulate: control is 3; it must be of type Literal['auto', 'servos', 'balance', 'whole_body'].",
        ),
        (lambda: strut.World(friction="ice"), "strut.World: friction is 'ice'; it must be of type float."),
        (
            lambda: strut.World(pushes=["hard"]),
            "strut.World: pushes is of type list; it must be of type tuple[Push, ...].",
        ),
        (lambda: strut.Emotion(None, 0.0), "strut.Emotion: pleasure is None; it must be of type float."),
        (lambda: strut.Place("far", 0.0), "strut.Place: x_m is 'far'; it must be of type float."),
        (
            lambda: strut.simulate_requests([strut.WalkRequest("fast", distance_m=1.0)]),
            "strut.WalkRequest: forward_m_s is 'fast'; it must be of type float.",
        ),
    ],
)
def test_a_wrong_kind_is_told_in_one_sentence(call, sentence):
    with pytest.raises(WrongKindError) as told:
        call()
    assert str(told.value) == sentence
    assert isinstance(told.value, strut.StrutError)


@pytest.mark.parametrize("name", [name for name in strut.__all__ if inspect.isfunction(getattr(strut, name))])
def test_no_function_takes_just_anything(name):
    """A thing of no use to anybody ends in a sentence, or is left alone: never in an error from inside."""
    function = getattr(strut, name)
    names = [one for one in inspect.signature(function).parameters.values() if one.default is one.empty]
    wanted = [one for one in names if one.kind is one.POSITIONAL_OR_KEYWORD]
    if not wanted or name in FREE:
        pytest.skip("it takes nothing, or whatever a user's own problem holds")
    with pytest.raises(strut.StrutError):
        function(*[Useless() for _ in wanted])


FREE = {"column", "square", "periodic", "playback_error"}  # of symbols and functions of optimal-control problems


class Useless:
    """What nobody can mean."""


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        (np.float32(1.0), float),
        (np.int64(3), int),
        (np.array(2.0), float),
        (3, float),
        (True, bool),
        ("a.npz", Path),
        (Path("a.npz"), Path | str),
        ("sad", Literal["sad", "happy"]),
        ((1.0, 2.0), Sequence[float]),
        (np.zeros(3), Sequence[float]),
        (np.zeros(3), npt.NDArray[np.float64]),
        ([1.0], npt.NDArray[np.float64]),
        ((motion for motion in [MOTION]), Sequence[strut.Motion]),
        ({"a": MOTION}, Mapping[str, strut.Motion]),
        (print, Callable[[str], None]),
        (None, float | None),
    ],
)
def test_what_can_be_meant_fits(value, kind):
    assert fits(value, kind)


def test_a_name_without_a_path_is_no_sequence_of_names():
    assert not fits("sad", Sequence[str])
    assert kind_words(Sequence[str] | None) == "Sequence[str]"
    assert kind_words(Path | str) == "Path or str"


def test_functions_can_be_sent_to_other_processes():
    assert pickle.loads(pickle.dumps(strut.walk)) is strut.walk


def test_numbers_that_are_out_of_range_are_told_as_before():
    with pytest.raises(OutOfRangeError, match="rescale it"):
        strut.Emotion(2.0, 0.0)
