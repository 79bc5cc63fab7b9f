"""Feasible animations: behaviours 8 to 11 of the reference, and the same generator for Alice and Mr. Pete."""

from itertools import pairwise

import numpy as np
import pytest

from strut.animation.animate import animate, preview_animation
from strut.animation.animation_drafts import make_feasible
from strut.animation.animation_frames import sample_keyframes
from strut.animation.animation_ik import planted_stance, retime_frames, sample_times, solve_frames, stance_feet
from strut.animation.request import Animate
from strut.emotion import Emotion
from strut.engines.inverse_dynamics import inverse_dynamics
from strut.errors import OutOfRangeError, RefusedError
from strut.models.catalogue import load_robot
from strut.pipeline.run import run
from strut.request import Request
from strut.schemas.keyframes import Animation, AnimationKey, FootPose
from strut.verify.check import check
from strut.verify.limits import friction_needed
from strut.verify.measure import audit
from tests.stories import alice_sways, dance, human_bows, paw, slow_nod, sway


@pytest.fixture(scope="module")
def cassie():
    return load_robot("cassie")


def needs_at(robot, animation, stretch):
    """Return what a drawing needs when all of it is shown slower."""
    stance = planted_stance(robot, animation)
    frames = sample_keyframes(animation, robot.foot_names, robot.joint_names)
    times = stretch * frames.time_s
    fine = retime_frames(frames, times, sample_times(float(times[-1]), 100.0))
    qpos, _ = stance.solve(fine)
    return audit(robot, fine.time_s, qpos, stance_feet(fine))


def infeasible(robot, needs):
    """Return the share of samples that no friction, pressure or motor can carry."""
    slips = (friction_needed(needs) > robot.friction).any(axis=1)
    weak = (np.abs(needs.torque_nm) > robot.torque_limit_nm).any(axis=1)
    return float(np.mean((needs.margin_m < 0.0) | slips | weak))


def test_a_sway_of_10_cm_in_half_a_second_is_infeasible_until_it_is_slowed_down_twice(cassie):  # behaviour 8
    shares = [infeasible(cassie, needs_at(cassie, sway(), stretch)) for stretch in (1.0, 1.5, 2.0, 3.0)]
    assert shares[0] > shares[1] > 0.0
    assert shares[2:] == [0.0, 0.0]


def test_a_turn_of_40_degrees_in_the_time_of_half_is_feasible(cassie):  # behaviour 8
    turn = Animation(
        "turn",
        "neutral",
        (
            AnimationKey(0.0, (0.0, 0.0, -0.1), (0.0, 0.0, -20.0)),
            AnimationKey(0.8, (0.0, 0.0, -0.1), (0.0, 0.0, 20.0)),
        ),
    )
    needs = needs_at(cassie, turn, 0.5)
    assert (needs.margin_m > 0.0).all()
    assert (np.abs(needs.torque_nm) < cassie.torque_limit_nm).all()


def test_what_is_feasible_comes_back_as_it_was_drawn(cassie):  # behaviour 10
    report = animate(cassie, slow_nod()).meta["animation"]
    assert report["away_mm"]["largest"] < 1.0
    assert report["slower"] == []
    assert all(part["stretch"] < 1.01 for part in report["intervals"])


@pytest.fixture(scope="module")
def danced(cassie):
    return animate(cassie, dance(beats=4))


def test_a_dance_that_is_too_fast_is_made_feasible_and_says_how(cassie, danced):  # behaviour 9
    raw = check(preview_animation(cassie, dance(beats=4)), cassie)
    assert raw.verdict == "refused"
    again = check(danced, cassie)
    assert again.verdict == "ok"
    assert again.balance_margin_mm > 9.0
    assert again.torque_use < 1.0
    assert again.foot_slip_mm < 5.0
    report = danced.meta["animation"]
    assert report["slower"]
    assert all("takes" in sentence and "because " in sentence for sentence in report["slower"])
    assert 0.0 < report["away_mm"]["rms"] <= report["away_mm"]["largest"] < 80.0


def test_every_frame_is_covered_once_with_a_time_scale_from_1_to_4(danced):  # behaviour 9
    report = danced.meta["animation"]
    parts = report["intervals"]
    assert all(1.0 - 1e-6 <= part["stretch"] <= 4.0 + 1e-6 for part in parts)
    assert parts[0]["drawn_s"][0] == 0.0
    assert parts[-1]["drawn_s"][1] == pytest.approx(report["drawn_s"])
    for before, after in pairwise(parts):
        assert before["drawn_s"][1] == after["drawn_s"][0]
        assert before["performed_s"][1] == after["performed_s"][0]
    assert danced.duration_s == pytest.approx(report["duration_s"], abs=0.011)


def test_the_base_moves_smoothly_through_keyframes_and_ends_at_rest(danced):  # behaviour 9
    speed = np.diff(danced.qpos[:, :3], axis=0) * 100.0
    assert np.abs(np.diff(speed, axis=0)).max() < 0.25  # m/s from one sample to the next: no jump at any join
    assert np.abs(speed[[0, -1]]).max() < 0.02


def test_dynamics_are_those_of_the_whole_body(cassie, danced):  # behaviour 9
    """The ground's force is the change of momentum: an independent look through the centre of mass."""
    found = inverse_dynamics(cassie, danced.time_s, danced.qpos)
    acceleration = np.gradient(np.gradient(found.com_in_world, 0.01, axis=0), 0.01, axis=0)
    force = cassie.mass_kg * (acceleration + np.array([0.0, 0.0, 9.81]))
    off = np.linalg.norm(danced.ground_force_n.sum(axis=1) - force, axis=1)[3:-3]
    assert np.median(off) < 0.02 * cassie.mass_kg * 9.81


def test_a_long_dance_is_solved_at_once(cassie):
    """Of 165 frames; bench_feasible_story.py solves the 373 that needed splitting as one problem of all joints."""
    animation = dance(beats=13)
    stance = planted_stance(cassie, animation)
    frames = sample_keyframes(animation, cassie.foot_names, cassie.joint_names)
    story = make_feasible(stance, frames, solve_frames(stance, frames), margin_m=0.01, rate_hz=50.0, method="mass")
    assert len(story.frame_time_s) >= 165
    assert story.solved


@pytest.mark.parametrize(("name", "animation"), [("alice", alice_sways()), ("heiman", human_bows())])
def test_other_bodies_pass_through_the_same_generator(name, animation):
    motion = animate(name, animation, method="body", rate_hz=50.0)
    assert motion.meta["animation"]["method"] == "body"
    assert check(motion).verdict == "ok"
    assert motion.contact.all()


def test_a_lifted_paw_is_carried_by_the_others():
    motion = animate("mrpete", paw(), method="mass")
    assert check(motion).verdict == "ok"
    assert not motion.contact.all()


def test_a_lifted_foot_carries_nothing_and_leaves_no_room_for_a_biped(cassie):
    frames = (AnimationKey(0.0), AnimationKey(0.5, feet={"left_sole": FootPose((0.0, 0.0, 0.05))}), AnimationKey(1.0))
    with pytest.raises(OutOfRangeError, match="keep more feet down"):
        animate(cassie, Animation("hop", "happy", frames))


def test_a_walk_is_not_animated_standing(cassie):
    frames = (AnimationKey(0.0, mode="walk", speed_m_s=(0.3, 0.0)), AnimationKey(2.0))
    request = Request(
        robot="cassie", task=Animate(animation=Animation("go", "happy", frames)), emotion=Emotion(0.0, 0.0)
    )
    with pytest.raises(OutOfRangeError, match="The story walks"):
        run(request, robot=cassie)


def test_strict_refuses_what_must_be_slowed_down_much(cassie):
    with pytest.raises(RefusedError, match="times as long"):
        animate(cassie, dance(beats=3, beat_s=0.16), strict=True)


@pytest.mark.parametrize("seed", [1, 11])
def test_wild_drawings_are_performed_at_full_strength(cassie, seed):
    """Poses drawn at random, a few straight lines among the curves, far too fast: time and path alone cure them.

    In none do the legs meet, which only a smaller movement cures.
    """
    rng = np.random.default_rng(seed)
    time_s = 0.0
    frames = [AnimationKey(0.0)]
    for _ in range(6):
        time_s += float(rng.uniform(0.16, 0.7))
        base = tuple(rng.uniform([-0.05, -0.08, -0.12], [0.05, 0.08, 0.05]).tolist())
        turn = tuple(rng.uniform([-8.0, -12.0, -12.0], [8.0, 18.0, 12.0]).tolist())
        how = "linear" if rng.random() < 0.15 else "bezier"
        frames.append(AnimationKey(round(time_s, 2), base, turn, interpolation=how))
    animation = Animation("wild", "happy", (*frames, AnimationKey(round(time_s + 0.5, 2))))
    assert check(preview_animation(cassie, animation), cassie).verdict == "refused"
    motion = animate(cassie, animation)
    assert check(motion, cassie).verdict == "ok"
    assert motion.meta["animation"]["strength"] == 1.0
