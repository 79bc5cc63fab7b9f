"""Arguments of the wrong type: whoever calls a function of `import strut` reads one sentence, at once."""

import inspect
import pickle
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt
import pytest

import strut
from strut.errors import OutOfRangeError, WrongTypeError
from strut.plumbing.argument_types import UNFIT, coerced, type_words

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
        (lambda: strut.Style(tempo="x"), "strut.Style: tempo is 'x'; it must be of type float."),
        (lambda: strut.Crawl(cycles="x"), "strut.Crawl: cycles is 'x'; it must be of type int."),
        (
            lambda: strut.walk_to("alice", strut.Place(0.1, 0.0), rate_hz="100"),
            "strut.Request: rate_hz is '100'; it must be of type float.",
        ),
        (lambda: strut.walk("mrpete", strict="no"), "strut.walk: strict is 'no'; it must be of type bool."),
        (
            lambda: strut.simulate_requests([strut.WalkRequest("fast", distance_m=1.0)]),
            "strut.WalkRequest: forward_m_s is 'fast'; it must be of type float.",
        ),
    ],
)
def test_a_wrong_type_is_told_in_one_sentence(call, sentence):
    with pytest.raises(WrongTypeError) as told:
        call()
    assert str(told.value) == sentence
    assert isinstance(told.value, strut.StrutError)
    assert isinstance(told.value, TypeError)


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


FREE = {"column", "square", "periodic"}  # of symbols and functions of optimal-control problems


class Useless:
    """What nobody can mean."""


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (3, float),
        (2.5, int),  # the function tells what may be chosen
        ("mrpete", strut.Robot | str),
        (True, bool),
        (Path("a.npz"), Path | str),
        ("a.npz", Path | str),
        ("sad", Literal["sad", "happy"]),
        ((1.0, 2.0), Sequence[float]),
        (np.zeros(3), Sequence[float]),
        (np.zeros(3), npt.NDArray[np.float64]),
        ([1.0], npt.NDArray[np.float64]),
        ([1.0, "a"], list),
        ({"a": 1}, dict),
        ({"a": MOTION}, Mapping[str, strut.Motion]),
        (print, Callable[[str], None]),
        (None, float | None),
    ],
)
def test_what_is_of_its_type_stays_the_same_thing(value, annotation):
    assert coerced(value, annotation) is value


@pytest.mark.parametrize(
    ("value", "annotation", "taken"),
    [
        (np.float32(0.5), float, 0.5),
        (np.array(2.0), float, 2.0),
        (Fraction(1, 2), float, 0.5),
        (Decimal("0.5"), float | None, 0.5),
        (np.int64(3), int, 3),
        (3.0, int, 3),
        (Path("robots/mine"), strut.Robot | str, "robots/mine"),
        (np.array(3), int, 3),
        (np.bool_(True), bool, True),
        (np.int64(1), Literal[1, 2], 1),
        ("a.npz", Path, Path("a.npz")),
        ([np.float32(0.5), 1], Sequence[float], [0.5, 1]),
        ((np.float32(0.5),), tuple[float, ...], (0.5,)),
        ({"a": np.int64(2)}, Mapping[str, int], {"a": 2}),
        ((motion for motion in [MOTION]), Sequence[strut.Motion], [MOTION]),
    ],
)
def test_what_can_be_meant_becomes_what_the_annotation_says(value, annotation, taken):
    found = coerced(value, annotation)
    assert found == taken
    assert type(found) is type(taken)


@pytest.mark.parametrize(
    ("value", "annotation"),
    [
        (np.array([0.5, 0.6]), float),
        ("no", bool),
        (1, bool),
        (5, Callable[[str], None]),
        ("sad", Sequence[str]),  # a name is no sequence of names
        ({"a": MOTION}, Sequence[strut.Motion]),
        (np.zeros(3), Sequence[strut.Place]),
        ([MOTION, "b.npz"], Sequence[strut.Motion]),
    ],
)
def test_what_cannot_be_meant_is_unfit(value, annotation):
    assert coerced(value, annotation) is UNFIT


def test_types_are_told_as_people_write_them():
    assert type_words(Sequence[str] | None) == "Sequence[str]"
    assert type_words(Path | str) == "Path or str"
    assert type_words(strut.Emotion | str) == "Emotion or str (strut.named_emotion(name) makes an Emotion)"


def test_numbers_of_other_packages_walk_as_ours_do():
    ours = strut.walk("mrpete", "sad", cycles=2, intensity=0.5, rate_hz=50.0)
    theirs = strut.walk("mrpete", "sad", cycles=np.int64(2), intensity=np.float32(0.5), rate_hz=Fraction(50))
    np.testing.assert_array_equal(theirs.qpos, ours.qpos)
    assert theirs.receipt.intensity_asked == 0.5


def test_two_threads_that_ask_first_get_the_same_function():
    strut.__dict__.pop("walk", None)
    with ThreadPoolExecutor(4) as pool:
        assert len({id(one) for one in pool.map(lambda _: strut.walk, range(64))}) == 1


def test_functions_can_be_sent_to_other_processes():
    assert pickle.loads(pickle.dumps(strut.walk)) is strut.walk


def test_numbers_that_are_out_of_range_are_told_as_before():
    with pytest.raises(OutOfRangeError, match="rescale it"):
        strut.Emotion(2.0, 0.0)
