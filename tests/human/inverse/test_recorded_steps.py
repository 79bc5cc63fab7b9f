"""Steps of a walk, whichever foot stands and wherever it goes."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import BadMotionError
from strut.human.anatomy import LEFT, RIGHT
from strut.human.inverse.inverse_optimal_control import steps_of_walks
from strut.human.inverse.recorded_steps import RecordedSteps, recorded_steps, step_times, straight_steps, toe_offs
from strut.human.walking_direction import WalkingDirection
from strut.maths.rotation import angles_from_qpos
from strut.motion import Motion
from tests.walker import STEP, STEP_M, walked


@pytest.fixture(scope="module")
def steps(heiman):
    return recorded_steps(heiman, walked(heiman, 6))


def test_steps_of_both_feet_are_alike_once_mirrored(steps):
    assert len(steps.q) >= 4
    assert_allclose(steps.q[:, :, 3:], np.broadcast_to(steps.q[:1, :, 3:], steps.q[:, :, 3:].shape), atol=0.02)
    assert_allclose(steps.duration_s, STEP * 0.01, atol=1e-9)
    assert steps.speed_m_s == pytest.approx(STEP_M / (STEP * 0.01), rel=1e-3)


def test_where_a_walk_goes_does_not_matter(heiman, steps):
    elsewhere = WalkingDirection(1.1, 2.0).restored(walked(heiman, 6))
    assert_allclose(recorded_steps(heiman, elsewhere).q[:, :, 3:], steps.q[:, :, 3:], atol=1e-6)


def test_a_walk_to_and_fro_is_steps_of_both_ways_without_those_of_the_turn(heiman, steps):
    there = walked(heiman, 8)
    back = WalkingDirection(np.pi, 0.0).restored(there)
    onward = back.qpos + np.array([8 * STEP_M, *np.zeros(back.qpos.shape[1] - 1)])
    both = {name: np.concatenate([getattr(there, name)] * 2) for name in ("contact", "torque_nm", "ground_force_n")}
    qpos = np.concatenate([there.qpos, onward])
    time_s = 0.01 * np.arange(2 * len(there.time_s))
    found = recorded_steps(heiman, replace(there, time_s=time_s, qpos=qpos, cop_in_world=None, **both))
    assert 8 <= len(found.q) <= 12
    assert_allclose(found.q[:, :, 3:], np.broadcast_to(steps.q[:1, :, 3:], found.q[:, :, 3:].shape), atol=0.02)
    assert found.speed_m_s == pytest.approx(steps.speed_m_s, rel=1e-3)


def test_a_joint_without_markers_on_one_side_counts_on_neither(heiman):
    motion = walked(heiman, 4)
    silent = replace(motion, meta=motion.meta | {"observed": {"ElbowLeft_RY": False}})
    found = recorded_steps(heiman, silent)
    unseen = {name for name, seen in zip(found.names, found.observed, strict=True) if not seen}
    assert unseen == {"ElbowLeft_RY", "ElbowRight_RY"}


def test_trials_of_a_person_are_pooled(heiman, steps):
    both = steps.with_steps(recorded_steps(heiman, walked(heiman, 4)))
    assert len(both.q) == len(steps.q) + len(recorded_steps(heiman, walked(heiman, 4)).q)


def test_a_walk_without_a_step_is_refused_in_one_sentence(heiman):
    standing = replace(walked(heiman, 1), contact=np.ones((STEP, len(heiman.foot_names)), dtype=bool))
    with pytest.raises(BadMotionError, match=r"no step from .* that goes straight on; give a longer recording"):
        recorded_steps(heiman, standing)


def test_a_walk_on_a_treadmill_is_not_explained():
    walk = SimpleNamespace(meta={"belt_m_s": [-1.2, 0.0]})
    with pytest.raises(BadMotionError, match="treadmill"):
        steps_of_walks([walk], None)


def test_steps_begin_and_end_at_toe_offs_and_lie_along_x(heiman, steps):
    """Each step of the drawn walk lasts 0.5 s, and its pelvis goes 0.7 m straight on."""
    motion = walked(heiman, 6)
    assert_allclose(steps.length_m, STEP_M, atol=2e-3)
    assert_allclose(steps.q[:, :, 1], np.broadcast_to(steps.q[0, :, 1], steps.q[:, :, 1].shape), atol=2e-3)
    assert_allclose(np.diff(steps.q[0, :, 0]), STEP_M / 50.0, atol=2e-3)
    off = np.flatnonzero(motion.contact[:-1, 4] & ~motion.contact[1:, 4])[0]  # the left big toe lifts off
    own = angles_from_qpos(motion.qpos)
    assert_allclose(steps.q[0, 0, 6:] if len(steps.q) > 1 else 0.0, own[off : off + 2, 6:].mean(axis=0), atol=0.02)


@pytest.mark.parametrize(("further", "kept"), [(0.19, 6), (0.21, 5), (-0.19, 6), (-0.21, 5)])
def test_a_step_that_is_a_fifth_longer_or_shorter_than_the_others_is_left_out(heiman, further, kept):
    motion = walked(heiman, 8)
    offs = [toe_off(motion, name) for name in ("HalluxLeft", "HalluxRight")]
    times = np.sort(np.concatenate(offs))
    assert len(recorded_steps(heiman, motion).q) == len(times) - 1 == 6
    third = (motion.time_s > times[2]) & (motion.time_s <= times[3])
    share = np.where(third, (motion.time_s - times[2]) / (times[3] - times[2]), motion.time_s > times[3])
    qpos = motion.qpos.copy()
    qpos[:, 0] += further * STEP_M * share
    assert len(recorded_steps(heiman, replace(motion, qpos=qpos)).q) == kept


def toe_off(motion, name):
    """When a point leaves the ground: between the last sample that touches and the first that does not."""
    down = motion.contact[:, motion.foot_names.index(name)]
    return motion.time_s[:-1][down[:-1] & ~down[1:]] + 0.005


@pytest.mark.parametrize(("corner_deg", "kept"), [(22.0, 2), (24.0, 0)])
def test_steps_around_a_corner_of_more_than_23_degrees_are_left_out(heiman, corner_deg, kept):
    """Two steps that meet at an angle lead ahead by the cosine of half of it: 98 % at 23 degrees."""
    motion = walked(heiman, 3)
    time_s = motion.time_s
    bend = np.radians(corner_deg)
    way = np.clip(time_s - 0.5, 0.0, None)
    qpos = motion.qpos.copy()
    qpos[:, 0] = np.minimum(time_s, 0.5) + np.cos(bend) * way
    qpos[:, 1] = np.sin(bend) * way
    times = [("Left", 0.1, 0.5), ("Right", 0.5, 0.9)]
    assert len(straight_steps(replace(motion, qpos=qpos), times)) == kept


def test_toe_offs_are_seen_without_contact_columns(heiman, gait):
    motion = gait.motion(steps=3)
    unseen = replace(motion, contact=np.zeros_like(motion.contact), ground_force_n=None, cop_in_world=None)
    known = recorded_steps(heiman, motion)
    seen = recorded_steps(heiman, unseen)
    assert len(seen.q) == len(known.q)
    assert_allclose(seen.duration_s, known.duration_s, atol=0.012)
    assert_allclose(seen.q[:, :, 6:], known.q[:, :, 6:], atol=0.1)


def test_walks_to_be_explained_are_pooled_and_must_be_of_a_human(heiman):
    walks = [walked(heiman, 4), walked(heiman, 5)]
    human, pooled = steps_of_walks(walks, heiman)
    assert human is heiman
    assert len(pooled.q) == sum(len(recorded_steps(heiman, walk).q) for walk in walks)
    assert len(steps_of_walks(walks[0], heiman)[1].q) == len(recorded_steps(heiman, walks[0]).q)
    with pytest.raises(BadMotionError, match="There is no walk to explain"):
        steps_of_walks([], heiman)
    with pytest.raises(BadMotionError, match="no contact and gait tables; only walks of human models"):
        steps_of_walks(walks, replace(heiman, tables=replace(heiman.tables, contact=None)))
    with pytest.raises(BadMotionError, match="no contact and gait tables"):
        steps_of_walks(walks, replace(heiman, tables=replace(heiman.tables, gait=None)))


def standing_walk(heiman, offs, samples_=101, place=None):
    time_s = 1.0 + 0.02 * np.arange(samples_)
    contact = np.ones((samples_, len(heiman.foot_names)), dtype=bool)
    for name, rows in offs.items():
        contact[rows, heiman.foot_names.index(name)] = False
    qpos = np.tile(heiman.standing_qpos, (samples_, 1))
    qpos[:, :2] = np.column_stack([1.2 * (time_s - 1.0), 0.0 * time_s]) if place is None else place(time_s - 1.0)
    return Motion("heiman", time_s, qpos, heiman.joint_names, contact, heiman.foot_names)


def test_steps_go_from_toe_off_to_the_others_toe_off_in_their_time(heiman):
    motion = standing_walk(heiman, {"HalluxLeft": slice(10, 20), "HalluxRight": slice(35, 45)})
    assert toe_offs(heiman, motion, LEFT) == pytest.approx([1.19])
    assert toe_offs(heiman, motion, RIGHT) == pytest.approx([1.69])
    (only,) = step_times(heiman, motion)
    assert only == (LEFT, pytest.approx(1.19), pytest.approx(1.69))
    for gap, counts in ((12, 0), (13, 1), (75, 1), (76, 0)):
        other = standing_walk(heiman, {"HalluxLeft": slice(10, 12), "HalluxRight": slice(10 + gap, 12 + gap)})
        assert len(step_times(heiman, other)) == counts
    twice = standing_walk(heiman, {"HalluxLeft": np.r_[10:20, 40:50]})
    assert step_times(heiman, twice) == []


def test_steps_that_turn_are_left_out_and_others_keep_those_around_them(heiman):
    motion = standing_walk(heiman, {})
    times = [(LEFT if k % 2 == 0 else RIGHT, 1.0 + 0.3 * k, 1.3 + 0.3 * k) for k in range(6)]
    steps = straight_steps(motion, times)
    assert len(steps) == 6
    assert (steps[0].around.time_s[0], steps[2].around.time_s[0]) == pytest.approx((1.0, 1.0))
    assert steps[3].around.time_s[0] == pytest.approx(1.3, abs=0.021)
    assert steps[2].around.time_s[-1] == pytest.approx(2.5, abs=0.021)
    assert steps[3].around.time_s[-1] == pytest.approx(motion.time_s[-1])
    corner = standing_walk(heiman, {}, place=lambda t: np.column_stack([np.minimum(t, 0.9), np.maximum(t - 0.9, 0.0)]))
    assert len(straight_steps(corner, times)) < 6


def test_steps_of_one_person_are_put_together():
    def some(count, seen):
        return RecordedSteps(
            ("a", "b"), np.zeros((count, 51, 2)), np.full(count, 0.5), np.full(count, 0.6), np.array(seen)
        )

    both = some(2, [True, True]).with_steps(some(3, [True, False]))
    assert (len(both.q), both.observed.tolist()) == (5, [True, False])
    assert both.speed_m_s == pytest.approx(1.2)
