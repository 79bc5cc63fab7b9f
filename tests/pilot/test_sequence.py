"""Sequences: text becomes requests in order, walks express the emotion before them, and the outcome is judged."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from strut.animation.animate import animate
from strut.animation.animation_file import load_animation
from strut.animation.stories import story_path
from strut.draft import Violation
from strut.emotion import named_emotion
from strut.errors import BadTableError, OutOfRangeError, RefusedError, UnknownNameError
from strut.formats.motion_file import load_motion, save_motion
from strut.models.catalogue import load_robot
from strut.pilot.controllers.reference import PlayRequest, StandRequest, WalkRequest
from strut.pilot.piloted_sequence import perform_sequence, sequence_eyes, sequence_receipt
from strut.pilot.piloted_simulation import BegunPhase
from strut.pilot.sequence import SequencePart, animation_sequence, parse_sequence
from strut.pipeline.walk import walk
from strut.receipt import LimitName, Reason, ReasonKind
from strut.schemas.keyframes import AnimationKey
from strut.verify.check import check, draft_of
from strut.verify.measure import measure

SLOWER = Reason(ReasonKind.SLOWED, LimitName.COMMAND, "slower")


@pytest.fixture(scope="module")
def cassie():
    return load_robot("cassie")


@pytest.fixture(scope="module")
def short_walk(tmp_path_factory):
    """A short sequence, read from its file."""
    path = tmp_path_factory.mktemp("sequence") / "sequence.npz"
    save_motion(perform_sequence("cassie", "walk 0.5 m, stand 0.3 s"), path)
    return load_motion(path)


def test_text_becomes_requests_in_order(cassie):
    parts = parse_sequence(cassie, "walk 2 m, Walk left 0.5 m, walk backwards 3 s at 0.2 m/s, wait 1.5 s")
    forward, left, back, stand = (part.request for part in parts)
    assert isinstance(forward, WalkRequest)
    assert (forward.distance_m, forward.forward_m_s, forward.height_m) == (2.0, 0.4, pytest.approx(0.87))
    assert (left.left_m_s, left.forward_m_s) == (pytest.approx(0.15), 0.0)
    assert (back.forward_m_s, back.duration_s, back.distance_m) == (-0.2, 3.0, None)
    assert stand == StandRequest(1.5)
    assert [(part.reasons, part.emotion) for part in parts[:3]] == [((), "neutral")] * 3


def test_a_walk_says_direction_length_and_speed(cassie):
    usual = cassie.gait
    (plain,) = parse_sequence(cassie, "walk 2 m")
    assert (plain.request.forward_m_s, plain.request.left_m_s) == (usual.speed_m_s, 0.0)
    (right,) = parse_sequence(cassie, "walk right 0.5 m")
    assert (right.request.forward_m_s, right.request.left_m_s) == (0.0, -usual.sideways_m_s)
    (slow,) = parse_sequence(cassie, "walk left 1 m at 0.1")
    assert slow.request.left_m_s == pytest.approx(0.1)
    (stand,) = parse_sequence(cassie, "stand 2 s")
    assert stand.request.goal(0.9).place_m[2] == 0.9
    assert stand.request.hold_s == 2.0


@pytest.mark.parametrize("text", ["walk {} m at 0.4 m/s", "walk backwards {} m at 0.4 m/s"])
def test_a_walk_takes_at_most_five_minutes(cassie, text):
    (part,) = parse_sequence(cassie, text.format(119))
    assert part.request.distance_m == 119.0
    with pytest.raises(OutOfRangeError, match="would take 302 s; a walk of a sequence takes at most 300 s"):
        parse_sequence(cassie, text.format(121))
    with pytest.raises(OutOfRangeError, match="would take 310 s"):
        parse_sequence(cassie, "walk left 46.5 m at 0.15 m/s")
    with pytest.raises(OutOfRangeError, match="'walk 301 s' would take 301 s"):
        parse_sequence(cassie, "walk 301 s")
    assert parse_sequence(cassie, "walk 300 s")[0].request.duration_s == 300.0


def test_a_walk_expresses_the_emotion_of_the_animation_before_it(cassie):
    parts = parse_sequence(cassie, "sad, walk 1 m")
    assert parts[1].eyes == ((0.0, "sad"),)
    assert [part.emotion for part in parts] == ["sad", "sad"]
    animation, slow = (part.request for part in parts)
    assert isinstance(animation, PlayRequest)
    assert slow.forward_m_s == pytest.approx(0.4 * 0.55)
    assert slow.height_m < 0.87
    assert slow.pitch_rad == pytest.approx(0.14)


def test_an_emotion_walks_no_faster_than_the_robot_can_and_says_so(cassie):
    _, left, back = parse_sequence(cassie, "angry, walk left 0.5 m, walk backwards 1 m")
    assert (left.request.forward_m_s, left.request.left_m_s) == (0.0, 0.2)
    assert (back.request.forward_m_s, back.request.left_m_s) == (-0.5, 0.0)
    for part in (left, back):
        assert "as fast as cassie can walk that way" in str(part.reasons[0])


@pytest.mark.parametrize("text", ["dance 3 m", "walk", "happy sad", "", "walk 2 m,", "curius"])
def test_an_unknown_part_is_refused_with_the_command_that_lists_the_known_ones(cassie, text):
    with pytest.raises(UnknownNameError, match=r"`strut robots cassie`"):
        parse_sequence(cassie, text)


@pytest.mark.parametrize(
    ("text", "kind"),
    [("dance wildly", "part of a sequence"), ("stand 1 s,dance", "part of a sequence"), ("dance", "story")],
)
def test_only_a_single_unknown_word_is_called_a_story(cassie, text, kind):
    with pytest.raises(UnknownNameError, match=f"no {kind} 'dance"):
        parse_sequence(cassie, text)


@pytest.mark.parametrize("animation", ["curiosity", "happy"])
def test_the_whole_text_is_parsed_before_an_animation_is_made_feasible(cassie, animation):
    with pytest.raises(UnknownNameError, match="dance wildly"):
        parse_sequence(cassie, f"{animation}, dance wildly")


def test_a_walk_that_is_too_fast_and_a_robot_without_controllers_are_refused(cassie):
    with pytest.raises(OutOfRangeError, match=r"The speed forward is 3 m/s; it must be from -0\.5 to 0\.8 m/s"):
        perform_sequence(cassie, "walk 1 m at 3 m/s")
    with pytest.raises(OutOfRangeError, match=r"'walk 2 m at 9 m/s' when happy: The speed forward is 11\.7 m/s"):
        parse_sequence(cassie, "happy, walk 2 m at 9 m/s")
    with pytest.raises(UnknownNameError, match="libary"):
        perform_sequence(cassie, "walk 1 m", walker="libary")
    with pytest.raises(BadTableError, match="alice has no controllers of its own"):
        parse_sequence(load_robot("alice"), "walk 1 m")


def test_a_walking_animation_keeps_speed_and_height_of_its_walks(cassie):
    parts = animation_sequence(cassie, load_animation(story_path("cassie", "curiosity")))
    kinds = [type(part.request).__name__ for part in parts]
    assert kinds == ["PlayRequest", "WalkRequest", "WalkRequest", "WalkRequest", "PlayRequest"]
    heights = [part.request.height_m for part in parts if isinstance(part.request, WalkRequest)]
    np.testing.assert_allclose(heights, [0.88, 0.82, 0.76])  # lower and lower
    assert parts[1].eyes == ((0.0, "wide"),)


def test_a_walk_of_an_animation_lasts_to_the_next_keyframe_and_has_its_height(cassie):
    animation = load_animation(story_path("cassie", "happy"))
    keyframes = (
        AnimationKey(0.0, mode="walk", speed_m_s=(0.3, -0.1), eyes="wide", base_m=(0.0, 0.0, 0.5)),
        AnimationKey(2.5, mode="walk", speed_m_s=(0.3, 0.0), base_m=(0.1, 0.2, -0.05)),
        AnimationKey(3.0),
    )
    first, second = animation_sequence(cassie, msgspec.structs.replace(animation, keyframe=keyframes))
    walk = first.request
    assert (walk.forward_m_s, walk.left_m_s, walk.duration_s) == (0.3, -0.1, 2.5)
    assert walk.height_m == pytest.approx(cassie.standing_qpos[2] - 0.05)
    assert (first.name, first.eyes, first.emotion) == ("walk at 0.3 m/s", ((0.0, "wide"),), "happy")
    assert second.request.duration_s == 0.5


def test_a_standing_part_is_made_feasible_from_its_own_start(cassie):
    """The part between two walks is the same motion as the animation of its keyframes alone."""
    animation = load_animation(story_path("cassie", "sad"))
    walk = {"mode": "walk", "speed_m_s": (0.3, 0.0)}
    keyframes = (
        AnimationKey(0.0, **walk),
        AnimationKey(2.0),
        AnimationKey(2.6, turn_deg=(0.0, 5.0, 0.0), eyes="sad", **walk),
        AnimationKey(3.0),
    )
    _, stand, _ = animation_sequence(cassie, msgspec.structs.replace(animation, keyframe=keyframes))
    alone = (AnimationKey(0.0), AnimationKey(0.6, turn_deg=(0.0, 5.0, 0.0), eyes="sad"))
    motion = animate(cassie, msgspec.structs.replace(animation, keyframe=alone))
    np.testing.assert_allclose(stand.request.time_s, motion.time_s, atol=1e-12)
    np.testing.assert_allclose(stand.request.place_m[:, 2], motion.qpos[:, 2], atol=1e-9)
    assert (stand.emotion, stand.eyes[-1][1], stand.reasons) == ("sad", "sad", ())


def test_a_sequence_is_ok_and_check_agrees(short_walk):
    assert short_walk.receipt.verdict == "ok"
    assert short_walk.receipt.controller == "pilot"
    assert short_walk.receipt.distance_m == pytest.approx(0.5, abs=0.1)
    again = check(short_walk)
    assert (again.verdict, again.reasons) == ("ok", ())
    assert again.torque_use == pytest.approx(short_walk.receipt.torque_use)


def test_a_file_says_which_part_did_what_when(short_walk):
    meta = short_walk.meta
    assert meta["title"] == "walk 0.5 m, stand 0.3 s"
    assert (meta["emotion"], meta["pad"], meta["emotions"]) == (None, None, [])
    phases = [(part["part"], part["phase"]) for part in meta["sequence"]]
    assert phases.index(("walk 0.5 m", "walk")) < phases.index(("stand 0.3 s", "brake"))
    times_s = [part["at_s"] for part in meta["sequence"]]
    assert times_s == sorted(times_s)
    assert meta["eyes"] == [[0.0, "neutral"]]


def test_a_sequence_is_simulated_with_the_chosen_rate_floor_noise_and_walker(cassie):
    motion = perform_sequence(cassie, "stand 0.1 s, stand 0.2 s", rate_hz=200.0, friction=0.3, seed=5, walker="library")
    assert motion.time_s[1] == pytest.approx(0.005)
    assert (motion.meta["simulated"]["friction"], motion.meta["simulated"]["seed"]) == (0.3, 5)
    assert motion.meta["piloted"]["walker"] == "library"
    assert [request["hold_s"] for request in motion.meta["piloted"]["requests"]] == [0.1, 0.2]
    assert motion.receipt.solve_s > 0.0


def test_a_sequence_that_slips_on_ice_is_refused(cassie):
    with pytest.raises(RefusedError):
        perform_sequence(cassie, "walk 0.6 m", friction=0.03)


def test_a_sequence_too_short_to_judge_is_refused(cassie):
    with pytest.raises(OutOfRangeError, match=r"The sequence has \d+ samples, too few to judge it"):
        perform_sequence(cassie, "stand 0.1 s", rate_hz=20.0)


def test_a_strict_sequence_does_not_walk_slower_than_its_emotion(cassie, monkeypatch):
    slower = replace(parse_sequence(cassie, "stand 0.3 s")[0], reasons=(SLOWER,))
    monkeypatch.setattr("strut.pilot.piloted_sequence.parse_sequence", lambda _robot, _text: (slower,))
    assert perform_sequence(cassie, "stand 0.3 s").receipt.verdict == "weakened"
    with pytest.raises(RefusedError, match="slower"):
        perform_sequence(cassie, "stand 0.3 s", strict=True)


def test_a_receipt_is_refused_for_violations_and_weakened_by_its_parts(cassie, short_walk):
    draft = measure(draft_of(short_walk, cassie))
    parts = (SequencePart("a", StandRequest(), reasons=(SLOWER,)), SequencePart("b", StandRequest()))
    happy = named_emotion("happy")
    kept = sequence_receipt(draft, (), parts[1:], None)
    assert (kept.verdict, kept.reasons, kept.emotion, kept.intensity_asked) == ("ok", (), None, None)
    weakened = sequence_receipt(draft, (), parts, happy)
    assert (weakened.verdict, weakened.reasons) == ("weakened", (SLOWER,))
    assert (weakened.emotion, weakened.pad) == ("happy", happy.pad)
    assert (weakened.intensity_asked, weakened.intensity_kept) == (1.0, 1.0)
    torque = Violation(LimitName.TORQUE, np.array([True]), "9 N m")
    refused = sequence_receipt(draft, (torque,), parts, None)
    assert (refused.verdict, refused.reasons) == ("refused", (torque.reason, SLOWER))


def test_eyes_start_with_the_movement_of_their_part_and_end_with_it():
    parts = (
        SequencePart("a", StandRequest(), ((0.0, "happy"), (2.0, "sad"), (9.0, "angry"))),
        SequencePart("b", StandRequest(), ((0.0, "sad"), (1.0, "happy"))),
        SequencePart("c", StandRequest()),
        SequencePart("d", StandRequest(), ((0.5, "sad"),)),
    )
    begun = [
        BegunPhase(0, "rise", 0.0),
        BegunPhase(0, "play", 1.0),
        BegunPhase(1, "walk", 5.0),
        BegunPhase(2, "hold", 7.0),
        BegunPhase(3, "play", 8.0),
    ]
    expected = [[0.0, "neutral"], [1.0, "happy"], [3.0, "sad"], [6.0, "happy"], [8.5, "sad"]]
    assert sequence_eyes(begun, parts) == expected


def test_a_file_that_was_tampered_with_is_refused(short_walk):
    qpos = short_walk.qpos
    force = short_walk.ground_force_n
    torque = short_walk.torque_nm
    scaled = [np.array(qpos) for _ in range(4)]
    scaled[0][:, 0] *= 2.0  # farther than the feet carried it
    scaled[1][:, 1] *= 1.5
    scaled[2][:, 2] -= 0.03
    scaled[3][:, 11] = 0.0  # a leaf spring that does not bend
    tampered = {
        "foot slip": replace(short_walk, qpos=scaled[0]),
        "file": replace(short_walk, qpos=scaled[1]),
        "foot contact": replace(short_walk, qpos=scaled[2]),
        "torques, springs": replace(short_walk, qpos=scaled[3]),
        "of the weight off": replace(short_walk, ground_force_n=1.1 * force),
        "beside where the movement needs it": replace(short_walk, ground_force_n=force[:, ::-1]),
        "turns the joints": replace(short_walk, torque_nm=0.8 * torque),
        "torques in the file": replace(
            short_walk, meta={name: value for name, value in short_walk.meta.items() if name != "piloted"}
        ),
    }
    for words, motion in tampered.items():
        found = check(motion)
        assert found.verdict == "refused", words
        assert any(words in str(reason) for reason in found.reasons), (words, found.reasons)


def test_an_emotion_changes_speed_and_height_of_a_walk():
    sad, happy = (walk("cassie", emotion, speed_m_s=0.4, distance_m=0.6) for emotion in ("sad", "happy"))
    for motion in (sad, happy):
        assert motion.receipt.verdict == "ok"
    assert sad.receipt.duration_s > happy.receipt.duration_s
    assert np.median(sad.qpos[:, 2]) < np.median(happy.qpos[:, 2]) - 0.05
    assert sad.receipt.walking_speed_asked_m_s == 0.4
    assert sad.receipt.walking_speed_m_s == pytest.approx(0.55 * 0.4, abs=0.03)  # without start and stop
    assert sad.receipt.speed_m_s < 0.6 * sad.receipt.walking_speed_m_s


def test_a_walk_beyond_the_range_is_refused_in_neutral_and_weakened_with_an_emotion():
    with pytest.raises(OutOfRangeError, match=r"The speed forward is 1\.5 m/s"):
        walk("cassie", speed_m_s=1.5)
