"""Shows: words become requests in order, walks feel as the story before, and mechanics judge what happened."""

from dataclasses import replace

import numpy as np
import pytest

from strut.animation.animation_file import load_animation
from strut.animation.stories import story_path
from strut.emotion import named_emotion
from strut.errors import BadTableError, OutOfRangeError, UnknownNameError
from strut.formats.motion_file import load_motion, save_motion
from strut.models.catalogue import load_robot
from strut.pilot.controllers.reference import PlayRequest, StandRequest, WalkRequest
from strut.pilot.piloted_sequence import _receipt, perform_sequence
from strut.pilot.sequence import queue_of_story, queue_of_words
from strut.pipeline.walk import walk
from strut.verify.check import check, draft_of
from strut.verify.measure import measure


@pytest.fixture(scope="module")
def cassie():
    return load_robot("cassie")


@pytest.fixture(scope="module")
def show(tmp_path_factory):
    """A short show, as its file gives it back."""
    path = tmp_path_factory.mktemp("show") / "show.npz"
    save_motion(perform_sequence("cassie", "walk 0.5 m, stand 0.3 s"), path)
    return load_motion(path)


def test_words_become_requests_in_order(cassie):
    parts = queue_of_words(cassie, "walk 2 m, Walk left 0.5 m, walk backwards 3 s at 0.2 m/s, wait 1.5 s")
    ahead, aside, back, stand = (part.request for part in parts)
    assert isinstance(ahead, WalkRequest)
    assert (ahead.distance_m, ahead.forward_m_s, ahead.height_m) == (2.0, 0.4, pytest.approx(0.87))
    assert (aside.left_m_s, aside.forward_m_s) == (pytest.approx(0.15), 0.0)
    assert (back.forward_m_s, back.duration_s, back.distance_m) == (-0.2, 3.0, None)
    assert stand == StandRequest(1.5, height_m=0.9)


def test_a_walk_has_the_feeling_of_the_story_before_it(cassie):
    parts = queue_of_words(cassie, "sad, walk 1 m")
    assert parts[1].eyes == ((0.0, "sad"),)
    assert [part.feeling for part in parts] == ["sad", "sad"]
    story, slow = (part.request for part in parts)
    assert isinstance(story, PlayRequest)
    assert slow.forward_m_s == pytest.approx(0.4 * 0.55)
    assert slow.height_m < 0.87
    assert slow.pitch_rad == pytest.approx(0.14)


def test_a_mood_walks_no_faster_than_the_robot_can_and_says_so(cassie):
    _, aside, back = queue_of_words(cassie, "angry, walk left 0.5 m, walk backwards 1 m")
    assert (aside.request.forward_m_s, aside.request.left_m_s) == (0.0, 0.2)
    assert (back.request.forward_m_s, back.request.left_m_s) == (-0.5, 0.0)
    for walked in (aside, back):
        assert "as fast as cassie can walk that way" in walked.reasons[0].text


@pytest.mark.parametrize("words", ["dance 3 m", "walk", "happy sad", "", "walk 2 m,", "curius"])
def test_words_that_mean_nothing_are_refused_in_a_sentence(cassie, words):
    with pytest.raises(UnknownNameError, match=r"`strut robots cassie`"):
        queue_of_words(cassie, words)


def test_a_walk_that_is_too_fast_and_a_robot_without_controllers_are_refused(cassie):
    with pytest.raises(OutOfRangeError, match=r"The speed forward is 3 m/s; it must be from -0\.5 to 0\.8 m/s"):
        perform_sequence(cassie, "walk 1 m at 3 m/s")
    with pytest.raises(OutOfRangeError, match=r"'walk 2 m at 9 m/s' when happy: The speed forward is 11\.7 m/s"):
        queue_of_words(cassie, "happy, walk 2 m at 9 m/s")
    with pytest.raises(UnknownNameError, match="libary"):
        perform_sequence(cassie, "walk 1 m", walker="libary")
    with pytest.raises(BadTableError, match="alice has no controllers of its own"):
        queue_of_words(load_robot("alice"), "walk 1 m")


def test_a_story_that_walks_keeps_speed_and_height_of_its_walk(cassie):
    parts = queue_of_story(cassie, load_animation(story_path("cassie", "curiosity")))
    kinds = [type(part.request).__name__ for part in parts]
    assert kinds == ["PlayRequest", "WalkRequest", "WalkRequest", "WalkRequest", "PlayRequest"]
    heights = [part.request.height_m for part in parts if isinstance(part.request, WalkRequest)]
    np.testing.assert_allclose(heights, [0.88, 0.82, 0.76])  # lower and lower
    assert parts[1].eyes == ((0.0, "wide"),)


def test_a_show_is_ok_and_check_agrees(show):
    assert show.receipt.verdict == "ok"
    assert show.receipt.control == "pilot"
    assert show.receipt.distance_m == pytest.approx(0.5, abs=0.1)
    again = check(show)
    assert (again.verdict, again.reasons) == ("ok", ())
    assert again.torque_use == pytest.approx(show.receipt.torque_use)


def test_only_a_story_claims_a_feeling_and_shows_all_of_it(cassie, show):
    draft = measure(draft_of(show, cassie))
    sad = named_emotion("sad")
    told, words = (_receipt(draft, (), (), emotion) for emotion in (sad, None))
    assert (told.emotion, told.pad, told.intensity_asked, told.intensity_kept) == ("sad", sad.pad, 1.0, 1.0)
    assert (words.emotion, words.pad, words.intensity_asked, words.intensity_kept) == (None, None, None, None)


def changed(motion, **columns):
    return replace(motion, **columns)


def test_a_show_that_was_tampered_with_is_refused(show):
    qpos = show.qpos
    force = show.ground_force_n
    torque = show.torque_nm
    scaled = [np.array(qpos) for _ in range(4)]
    scaled[0][:, 0] *= 2.0  # farther than the feet carried it
    scaled[1][:, 1] *= 1.5
    scaled[2][:, 2] -= 0.03
    scaled[3][:, 11] = 0.0  # a leaf spring that does not bend
    tampered = {
        "foot slip": changed(show, qpos=scaled[0]),
        "file": changed(show, qpos=scaled[1]),
        "foot contact": changed(show, qpos=scaled[2]),
        "torques, springs": changed(show, qpos=scaled[3]),
        "of the weight off": changed(show, ground_force_n=1.1 * force),
        "beside where the movement needs it": changed(show, ground_force_n=force[:, ::-1]),
        "turns the joints": changed(show, torque_nm=0.8 * torque),
        "torques in the file": changed(
            show, meta={name: value for name, value in show.meta.items() if name != "piloted"}
        ),
    }
    for words, motion in tampered.items():
        found = check(motion)
        assert found.verdict == "refused", words
        assert any(words in str(reason) for reason in found.reasons), (words, found.reasons)


def test_a_feeling_changes_speed_and_height_of_a_walk():
    sad, happy = (walk("cassie", emotion, speed_m_s=0.4, distance_m=0.6) for emotion in ("sad", "happy"))
    for motion in (sad, happy):
        assert motion.receipt.verdict == "ok"
    assert sad.receipt.duration_s > happy.receipt.duration_s
    assert np.median(sad.qpos[:, 2]) < np.median(happy.qpos[:, 2]) - 0.05
    assert sad.receipt.walking_speed_asked_m_s == 0.4
    assert sad.receipt.walking_speed_m_s == pytest.approx(0.55 * 0.4, abs=0.03)  # without start and stop
    assert sad.receipt.speed_m_s < 0.6 * sad.receipt.walking_speed_m_s


def test_a_walk_beyond_the_range_is_refused_in_neutral_and_weakened_with_a_feeling():
    with pytest.raises(OutOfRangeError, match=r"The speed forward is 1\.5 m/s"):
        walk("cassie", speed_m_s=1.5)
