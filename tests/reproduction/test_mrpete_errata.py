"""The printed equations without their misprints are another way to our joints; with them they miss."""

import numpy as np
import pytest

from strut.kinematics.leg7r import Leg, leg_inverse
from strut.reproduction.mrpete_errata import miss, near_singular_targets, printed_inverse, reachable_targets

LEG = Leg("L", 0.22, 0.19, 1, (1.0, 0.0, 0.0))
HIND = Leg("H", 0.23, 0.23, -1, (1.0, 0.0, 0.0))


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize("leg", [LEG, HIND])
def test_corrected_equations_agree_with_ours_joint_by_joint(leg, rng):
    targets = reachable_targets(leg, rng)
    wanted = targets.ankle_in_hip, targets.foot_to_hip, targets.knee_rad
    printed = printed_inverse(leg, *wanted, None)
    ours = leg_inverse(leg, *wanted, reference="published")
    np.testing.assert_allclose(np.exp(1j * printed), np.exp(1j * ours), atol=1e-9)


def test_printed_flexion_misses_by_a_third_of_a_metre(rng):  # E1, with the links of the reference's own trials
    targets = reachable_targets(LEG, rng)
    joints = printed_inverse(LEG, targets.ankle_in_hip, targets.foot_to_hip, targets.knee_rad, "flexion")
    foot_m, _, _ = miss(LEG, targets, joints)
    assert foot_m == pytest.approx(0.33, abs=0.02)


def test_printed_knee_axis_meets_the_foot_but_not_the_knee(rng):  # E2
    targets = reachable_targets(LEG, rng)
    joints = printed_inverse(LEG, targets.ankle_in_hip, targets.foot_to_hip, targets.knee_rad, "knee axis")
    foot_m, foot_rad, knee_m = miss(LEG, targets, joints)
    assert foot_m < 1e-12
    assert foot_rad < 1e-6
    assert knee_m > 0.1


def test_appendix_rotation_misses_by_a_fifth_of_a_metre(rng):  # E3
    targets = reachable_targets(LEG, rng)
    joints = printed_inverse(LEG, targets.ankle_in_hip, targets.foot_to_hip, targets.knee_rad, "turn angle")
    foot_m, _, _ = miss(LEG, targets, joints)
    assert foot_m == pytest.approx(0.21, abs=0.02)


@pytest.mark.parametrize(("joint", "low", "high"), [(1, 1e-6, 0.005), (3, 1e-4, 0.005), (5, 3.1366, 3.141591)])
def test_wide_thresholds_cost_millimetres_where_ours_cost_nothing(joint, low, high, rng):  # E6b
    targets = near_singular_targets(LEG, rng, joint, low, high)
    wanted = targets.ankle_in_hip, targets.foot_to_hip, targets.knee_rad
    foot_m, foot_rad, _ = miss(LEG, targets, printed_inverse(LEG, *wanted, "thresholds"))
    assert max(foot_m * 1e3, foot_rad * 1e3) > 1.0
    foot_m, foot_rad, _ = miss(LEG, targets, leg_inverse(LEG, *wanted, reference="published"))
    assert foot_m < 1e-10
    assert foot_rad < 1e-7
