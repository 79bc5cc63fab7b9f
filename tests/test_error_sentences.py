"""Mistakes that had passed silently, or ended in an error from inside: each is one sentence."""

import pytest

import strut
from strut.errors import UnknownNameError
from strut.human.verbs.conditions import trial_of


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (strut.save_views, "nothing to write; give html=, png=, gif=, mp4="),
        (lambda walk: strut.save_views(walk, png="a.png", look="x"), "The look is 'x'; choose solid or stick."),
        (lambda walk: strut.save_views([walk] * 2, png="a.png", names=["one"]), "2 motions came with 1 names"),
        (lambda walk: strut.save_motion(walk, "walk.txt"), "walk.txt: should end in .npz"),
        (lambda walk: strut.save_motion(walk, ".npz"), ".npz: has no name before .npz; give it one."),
        (lambda _: strut.analyze({}), "There is no motion to measure; give at least one."),
        (lambda _: strut.pilot.World(seed=-1), "The seed of a world is -1; it must be 0 or more."),
        (lambda _: strut.mocap.read_marker_set("nowhere.toml"), "nowhere.toml: there is no such file."),
        (lambda _: trial_of("=walk.npz"), "'=walk.npz' lacks a condition or a file"),
        (lambda _: trial_of("sad="), "'sad=' lacks a condition or a file"),
    ],
)
def test_impossible_calls_raise_an_error_with_the_reason(neutral_walk, call, words):
    with pytest.raises(strut.StrutError) as told:
        call(neutral_walk)
    assert words in str(told.value)


def test_names_are_found_whatever_their_case():
    assert "nearest: go1" in str(UnknownNameError("robot", "GO1", ("alice", "go1"), "`strut robots`"))


def test_no_emotion_walks_like_neutral(neutral_walk):
    walk = strut.walk("mrpete", None, cycles=2, rate_hz=50.0, expression="published")
    assert (walk.qpos == neutral_walk.qpos).all()
    assert walk.receipt.emotion is None
