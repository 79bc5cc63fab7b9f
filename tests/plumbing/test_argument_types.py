"""Arguments of `import strut`: a wrong type ends in one sentence at once, and what means the same is converted."""

import inspect
import pickle
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import strut
from strut.errors import OutOfRangeError, WrongTypeError

MOTION = strut.Motion("mrpete", [0.0, 0.1], np.zeros((2, 7)), (), np.zeros((2, 0), bool), ())
WALK = strut.pilot.WalkRequest(0.4, distance_m=0.5)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda: strut.pilot.simulate_requests([WALK], world="ice"),
            "strut.pilot.simulate_requests: world is 'ice'; it must be of type World (strut.pilot.World(friction=0.3, "
            "pushes=(strut.pilot.Push(1.0, (0.0, 50.0, 0.0)),)) makes a World).",
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
        (lambda: strut.walk("mrpete", tempo="slow"), "strut.gaits.Crawl: tempo is 'slow'; it must be of type float."),
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
            lambda: strut.simulate(MOTION, controller=3),
            "strut.simulate: controller is 3; "
            "it must be of type Literal['planned', 'servos', 'balance', 'whole_body'].",
        ),
        (lambda: strut.pilot.World(friction="ice"), "strut.pilot.World: friction is 'ice'; it must be of type float."),
        (
            lambda: strut.pilot.World(pushes=["hard"]),
            "strut.pilot.World: pushes is of type list; it must be of type tuple[Push, ...].",
        ),
        (lambda: strut.Emotion(None, 0.0), "strut.Emotion: pleasure is None; it must be of type float."),
        (lambda: strut.Place("far", 0.0), "strut.Place: x_m is 'far'; it must be of type float."),
        (lambda: strut.Style(tempo="x"), "strut.Style: tempo is 'x'; it must be of type float."),
        (lambda: strut.gaits.Crawl(cycles="x"), "strut.gaits.Crawl: cycles is 'x'; it must be of type int."),
        (
            lambda: strut.walk("alice", goal=strut.Place(0.1, 0.0), rate_hz="100"),
            "strut.walk: rate_hz is '100'; it must be of type float.",
        ),
        (lambda: strut.walk("mrpete", strict="no"), "strut.walk: strict is 'no'; it must be of type bool."),
        (
            lambda: strut.pilot.simulate_requests([strut.pilot.WalkRequest("fast", distance_m=1.0)]),
            "strut.pilot.WalkRequest: forward_m_s is 'fast'; it must be of type float.",
        ),
    ],
)
def test_a_wrong_type_ends_in_one_sentence(call, sentence):
    with pytest.raises(WrongTypeError) as refusal:
        call()
    assert str(refusal.value) == sentence
    assert isinstance(refusal.value, strut.StrutError)
    assert isinstance(refusal.value, TypeError)


@pytest.mark.parametrize("name", [name for name in strut.__all__ if inspect.isfunction(getattr(strut, name))])
def test_no_function_takes_just_anything(name):
    """A useless object ends in a sentence and never in an error from inside."""
    function = getattr(strut, name)
    parameters = inspect.signature(function).parameters.values()
    wanted = [item for item in parameters if item.default is item.empty and item.kind is item.POSITIONAL_OR_KEYWORD]
    if not wanted or name in FREE:
        pytest.skip("it takes no argument, or anything that a problem of the user holds")
    with pytest.raises(strut.StrutError):
        function(*[Useless() for _ in wanted])


FREE = {"column", "square", "periodic"}  # of symbols and functions of optimal-control problems


class Useless:
    """An object that no argument can be."""


@pytest.mark.parametrize(
    "number",
    [np.float32(0.5), np.array(0.5), Fraction(1, 2), Decimal("0.5"), np.float64(0.5)],
    ids=lambda n: type(n).__name__,
)
def test_numbers_of_any_package_become_pythons(number):
    place = strut.Place(number, 0.0)
    assert place.x_m == 0.5
    assert type(place.x_m) is float


@pytest.mark.parametrize("number", [np.int64(3), 3.0, np.array(3), Fraction(3)], ids=lambda n: type(n).__name__)
def test_whole_numbers_of_any_package_become_pythons(number):
    cycles = strut.gaits.Crawl(cycles=number).cycles
    assert cycles == 3
    assert type(cycles) is int


def test_a_fraction_where_a_whole_number_belongs_is_refused_with_the_range():
    with pytest.raises(OutOfRangeError, match=r"2\.5"):
        strut.gaits.Crawl(cycles=2.5)


@pytest.mark.parametrize("value", [np.array([0.5, 0.6]), "0.5", [0.5], 0.5j], ids=lambda v: type(v).__name__)
def test_what_is_no_number_is_refused(value):
    with pytest.raises(WrongTypeError, match="x_m"):
        strut.Place(value, 0.0)


@pytest.mark.parametrize("value", ["no", 1, None])
def test_a_switch_is_true_or_false(value):
    with pytest.raises(WrongTypeError, match="strict"):
        strut.walk("mrpete", strict=value)


def test_a_switch_of_numpy_is_one():
    request = strut.walk("mrpete", cycles=2, rate_hz=50.0, strict=np.bool_(False)).meta["request"]
    assert request["strict"] is False


def test_names_may_be_paths_and_paths_names(tmp_path):
    assert strut.load_robot(Path("mrpete")).name == "mrpete"
    strut.save_motion(MOTION, str(tmp_path / "m.npz"))
    assert strut.load_motion(tmp_path / "m.npz").robot == "mrpete"


PUSHES = [strut.pilot.Push(1.0, (0.0, 50.0, 0.0)), strut.pilot.Push(2.0, (0.0, 50.0, 0.0))]


@pytest.mark.parametrize(
    "pushes", [PUSHES, tuple(PUSHES), iter(PUSHES), np.array(PUSHES)], ids=lambda p: type(p).__name__
)
def test_whatever_can_be_gone_through_is_a_sequence(pushes):
    assert list(strut.pilot.World(pushes=pushes).pushes) == PUSHES


@pytest.mark.parametrize(
    "motions", ["sad.npz", {"sad": MOTION}, [MOTION, "b.npz"], np.zeros(3)], ids=lambda m: type(m).__name__
)
def test_other_things_are_no_sequence_of_motions(motions, tmp_path):
    with pytest.raises(WrongTypeError, match="motions"):
        strut.save_png(motions, ["mrpete"], tmp_path / "a.png")


def test_what_is_called_on_progress_can_be_called():
    with pytest.raises(WrongTypeError, match="on_progress"):
        strut.walk("mrpete", on_progress=5)


def test_numbers_of_other_packages_walk_as_ours_do():
    ours = strut.walk("mrpete", "sad", cycles=2, intensity=0.5, rate_hz=50.0)
    theirs = strut.walk("mrpete", "sad", cycles=np.int64(2), intensity=np.float32(0.5), rate_hz=Fraction(50))
    np.testing.assert_array_equal(theirs.qpos, ours.qpos)
    assert theirs.receipt.intensity_asked == 0.5


def test_threads_that_import_at_once_get_the_same_function():
    strut.__dict__.pop("walk", None)
    with ThreadPoolExecutor(4) as pool:
        assert len({id(walk) for walk in pool.map(lambda _: strut.walk, range(64))}) == 1


def test_functions_can_be_sent_to_other_processes():
    assert pickle.loads(pickle.dumps(strut.walk)) is strut.walk


def test_numbers_that_are_out_of_range_are_refused_as_such():
    with pytest.raises(OutOfRangeError, match="rescale it"):
        strut.Emotion(2.0, 0.0)
