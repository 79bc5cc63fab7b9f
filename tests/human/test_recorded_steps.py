"""Steps of a walk, whichever foot stands and wherever it goes."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import BadMotionError
from strut.human.explained_walk import _recorded
from strut.human.recorded_steps import recorded_steps
from strut.human.walking_direction import WalkingDirection
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
    qpos, time_s = np.concatenate([there.qpos, onward]), 0.01 * np.arange(2 * len(there.time_s))
    found = recorded_steps(heiman, replace(there, time_s=time_s, qpos=qpos, cop_in_world=None, **both))
    assert 8 <= len(found.q) <= 12
    assert_allclose(found.q[:, :, 3:], np.broadcast_to(steps.q[:1, :, 3:], found.q[:, :, 3:].shape), atol=0.02)
    assert found.speed_m_s == pytest.approx(steps.speed_m_s, rel=1e-3)


def test_a_joint_that_no_marker_tells_on_one_side_counts_on_neither(heiman):
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
        _recorded([walk], None)
