"""A cycle is found in a whole walk, in a step that must be mirrored, and nowhere in a body that stands."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.human.analysis.gait_comparison import gait_comparison, step_criteria
from strut.human.analysis.gait_cycle import gait_cycle, mirror_image, published_step
from strut.human.table import human_gait
from strut.maths.rotation import angles_from_qpos
from tests.walker import STEP, walked


@pytest.fixture(scope="module")
def walk(heiman):
    """One step, and four."""
    return walked(heiman, 1), walked(heiman, 4)


def test_one_step_and_its_mirror_image_are_the_cycle_of_the_whole_walk(heiman, walk):
    step, whole = (gait_cycle(heiman, motion) for motion in walk)
    assert step.closing == "mirrored"
    assert whole.closing == "open"
    assert len(step.motion.time_s) == len(whole.motion.time_s) == 2 * STEP + 1
    assert_allclose(step.motion.qpos, whole.motion.qpos, atol=1e-9)
    assert_allclose(step.motion.torque_nm, whole.motion.torque_nm)
    assert_allclose(step.motion.ground_force_n, whole.motion.ground_force_n, atol=1e-6)
    assert step.motion.qpos[-1, 0] - step.motion.qpos[0, 0] == pytest.approx(1.4)


def test_the_mirror_image_of_the_mirror_image_is_the_motion(heiman, walk):
    twice = mirror_image(heiman, mirror_image(heiman, walk[1]))
    assert_allclose(angles_from_qpos(twice.qpos), angles_from_qpos(walk[1].qpos), atol=1e-9)
    assert_allclose(twice.ground_force_n, walk[1].ground_force_n)


def test_the_published_step_runs_from_left_to_right_toe_off(heiman, walk):
    step = published_step(heiman, walk[0])
    assert len(step.motion.time_s) == STEP + 1
    left, right = (step.motion.foot_names.index(f"Hallux{side}") for side in ("Left", "Right"))
    assert not step.motion.contact[0, left]
    assert step.motion.contact[0, right]
    assert not step.motion.contact[-1, right]


def test_a_body_that_stands_has_no_cycle(heiman, walk):
    still = replace(walk[0], qpos=np.repeat(walk[0].qpos[:1], STEP, axis=0), contact=np.ones((STEP, 6), dtype=bool))
    assert gait_cycle(heiman, still) is None
    assert gait_comparison({"still": (heiman, still)}).names == ()


def test_twice_the_torque_is_four_times_the_effort(heiman, walk):
    step = published_step(heiman, walk[0]).motion
    once, twice = (step_criteria(heiman, replace(step, torque_nm=share * step.torque_nm)) for share in (1.0, 2.0))
    assert twice.effort == pytest.approx(4.0 * once.effort)
    assert twice.momentum == once.momentum > 0.0
    assert once.time == pytest.approx(step.duration_s)
    assert step_criteria(heiman, replace(step, torque_nm=None)) is None


def test_a_comparison_knows_every_pair_once_in_both_forms(heiman, walk):
    slower = replace(walk[0], time_s=walk[0].time_s * 1.5)
    table = gait_comparison({"fast": (heiman, walk[0]), "slow": (heiman, slower)}).as_dict()
    (pair,) = table["dissimilarity"]
    assert pair["posture"] == pytest.approx(0.0, abs=1e-9)
    assert pair["total"] == pytest.approx(0.25**2, rel=1e-6)
    assert pair["total_half_time"] == pytest.approx(0.25**2 / 2.0, rel=1e-6)
    judged = table["criteria"]["fast"]
    gamma = human_gait(heiman).objective["multi"].gamma
    basic = [judged[word] for word in ("effort", "momentum", "head", "time")]
    assert judged["objective multi"] == pytest.approx(np.dot(gamma, basic))
