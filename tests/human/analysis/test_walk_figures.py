"""Figures of a walk: bearing in world axes, humps of the force, and what a walk without forces leaves out."""

from dataclasses import replace

import numpy as np
import pytest

from strut.human.analysis.gait_cycle import gait_cycle
from strut.human.analysis.walk_figures import force_humps, pelvis_angles, walk_figures, world_pitch
from strut.human.anatomy import LEFT, RIGHT, points_of_side
from strut.maths.rotation import qpos_from_angles
from strut.motion import Motion


def pitch_of(heiman, **angles_rad):
    names = ["Pelvis_TX", "Pelvis_TY", "Pelvis_TZ", "Pelvis_RY", "Pelvis_RX", "Pelvis_RZ", *heiman.joint_names]
    q = np.zeros((1, len(names)))
    for name, angle in angles_rad.items():
        q[0, names.index(name)] = angle
    return float(world_pitch(heiman, qpos_from_angles(q), "UpperTrunk")[0])


def test_a_lean_is_that_of_the_segment_in_world_and_not_the_sum_of_joint_angles(heiman):
    assert pitch_of(heiman, Pelvis_RY=0.2, Lumbar_RY=0.1) == pytest.approx(0.3, abs=1e-9)
    # A back that bends by 0.3 rad on a pelvis turned by a right angle leans to the side and not forwards.
    assert pitch_of(heiman, Pelvis_RZ=np.pi / 2.0, Lumbar_RY=0.3) == pytest.approx(0.0, abs=1e-9)
    assert pitch_of(heiman, Pelvis_RX=0.4, Pelvis_RZ=0.5, Lumbar_RY=0.3) < 0.3


def test_tilt_obliquity_and_rotation_of_the_pelvis_are_turns_about_its_three_axes(heiman):
    q = np.zeros((3, heiman.model.nv))
    q[0, 3] = 0.1
    q[1, 4] = 0.2
    q[2, 5] = 0.3
    np.testing.assert_allclose(np.transpose(pelvis_angles(heiman, qpos_from_angles(q))), np.diag([0.1, 0.2, 0.3]))


def test_steps_and_forces_of_a_stiff_walker_are_those_counted_by_hand(heiman):
    """It glides 1.5 m in 1.25 s; its right foot is down for 60 % of that, its left one for 70 %, both for 30 %."""
    share = np.linspace(0.0, 1.0, 101)
    q = np.zeros((101, heiman.model.nv))
    q[:, 0] = 1.5 * share
    q[:, 1] = 0.02 * np.sin(2.0 * np.pi * share)
    q[:, 2] = 0.9
    contact = np.zeros((101, 6), dtype=bool)
    force_n = np.zeros((101, 6, 3))
    right, left = (points_of_side(heiman.foot_names, side) for side in (RIGHT, LEFT))
    contact[:, right] = (share < 0.595)[:, None]
    contact[:, left] = ((share < 0.095) | (share > 0.395))[:, None]
    weight_n = heiman.mass_kg * 9.81
    stance = np.clip(share / 0.6, 0.0, 1.0)
    force_n[:, right[0], 2] = weight_n * (np.sin(np.pi * stance) + 0.25 * np.sin(3.0 * np.pi * stance))
    force_n[:, right[1], 0] = -0.2 * weight_n * np.sin(2.0 * np.pi * stance)  # brakes, then pushes
    motion = Motion("heiman", 1.25 * share, qpos_from_angles(q), heiman.joint_names, contact, heiman.foot_names)
    figures = walk_figures(heiman, replace(motion, ground_force_n=force_n))
    assert figures["step_length_m"] == pytest.approx(0.75)
    assert figures["cadence_per_min"] == pytest.approx(96.0)
    assert figures["stance_share"] == pytest.approx(0.6)
    assert figures["double_support_share"] == pytest.approx(0.3)
    assert figures["com_sway_m"] == pytest.approx(0.04)
    assert figures["com_rise_m"] == pytest.approx(0.0, abs=1e-9)
    assert (figures["force_braking_bw"], figures["force_propulsion_bw"]) == pytest.approx((0.2, 0.2), rel=1e-2)
    assert figures["force_valley_bw"] == pytest.approx(0.75, abs=1e-3)
    assert figures["force_first_hump_bw"] == pytest.approx(figures["force_second_hump_bw"], rel=1e-2)
    assert "ankle_push_w_kg" not in figures  # it has no torques


def test_humps_are_those_of_either_end_of_stance_and_the_dip_lies_between_them():
    share = np.linspace(0.0, 1.0, 101)
    force = np.sin(np.pi * share) + 0.25 * np.sin(3.0 * np.pi * share)  # two humps, symmetric
    first, dip, second = force_humps(np.append(force, np.zeros(50)), np.arange(151) < 101)
    assert first == pytest.approx(second, rel=1e-6)
    assert dip == pytest.approx(0.75)
    assert first > dip + 0.1
    assert force_humps(np.ones(3), np.ones(3, dtype=bool)) is None


def test_what_a_walk_does_not_know_is_left_out(gait):
    cycle = gait_cycle(gait.robot, gait.motion(steps=4)).motion
    whole = walk_figures(gait.robot, cycle)
    bare = walk_figures(gait.robot, replace(cycle, torque_nm=None, ground_force_n=None, cop_in_world=None))
    assert {name for name in whole if name.endswith(("nm_kg", "w_kg", "bw"))} == whole.keys() - bare.keys()
    assert all(bare[name] == whole[name] for name in bare)
    assert whole["step_length_m"] == pytest.approx(gait.step_length_m, rel=2e-3)
    assert whole["cadence_per_min"] == pytest.approx(60.0 / gait.trajectory.time_s[-1], rel=2e-3)


def test_feet_whose_toes_never_touch_have_no_step_width(gait):
    cycle = gait_cycle(gait.robot, gait.motion(steps=4)).motion
    on_heels = cycle.contact & ~np.array([name.startswith("Hallux") for name in cycle.foot_names])
    figures = walk_figures(gait.robot, replace(cycle, contact=on_heels))
    assert "step_width_m" in walk_figures(gait.robot, cycle)
    assert "step_width_m" not in figures
    assert all(np.isfinite(list(figures.values())))
