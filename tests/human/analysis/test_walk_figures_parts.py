"""Figures of a cycle on hand-made curves: each against the sample that has it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from strut.engines.body_wrench import centre_of_mass_path
from strut.engines.contact_slip import contact_slip
from strut.engines.rigid_body import point_positions
from strut.human.analysis.walk_figures import (
    foot_force,
    force_humps,
    joint_power,
    pelvis_angles,
    walk_figures,
    world_pitch,
)
from strut.human.anatomy import RIGHT, points_of_side
from strut.human.walking_direction import direction_of_facing, direction_of_mirror, direction_of_travel
from strut.kinematics.contact_set import contact_points
from strut.maths.rotation import qpos_from_angles
from strut.motion import Motion

SAMPLES = 51
LIFTS = 31  # the right foot leaves the ground at the second


@pytest.fixture(scope="module")
def cycle(heiman):
    """A cycle of 1.25 s in which everything swings at its own pace."""
    names = ["Pelvis_TX", "Pelvis_TY", "Pelvis_TZ", "Pelvis_RY", "Pelvis_RX", "Pelvis_RZ", *heiman.joint_names]
    time_s = np.linspace(0.0, 1.25, SAMPLES)
    own = np.arange(len(names))
    q = 0.3 * np.sin(4.0 * time_s[:, None] * (1.0 + 0.05 * own) + 1.7 * own)
    q[:, :3] = np.column_stack([1.2 * time_s, 0.02 * np.sin(5.0 * time_s), 0.95 + 0.02 * np.cos(10.0 * time_s)])
    contact = np.zeros((SAMPLES, len(heiman.foot_names)), dtype=bool)
    right = points_of_side(heiman.foot_names, RIGHT)
    left = [k for k in range(len(heiman.foot_names)) if k not in right]
    contact[np.ix_(np.arange(LIFTS), right)] = True
    contact[np.ix_(np.arange(20, SAMPLES), left)] = True
    rng = np.random.default_rng(0)
    force = rng.uniform(-100.0, 400.0, (SAMPLES, len(heiman.foot_names), 3))
    torque = rng.normal(size=(SAMPLES, len(heiman.joint_names))) * 30.0
    return Motion(
        "heiman",
        time_s,
        qpos_from_angles(q),
        heiman.joint_names,
        contact,
        heiman.foot_names,
        torque_nm=torque,
        ground_force_n=force,
    )


def column(cycle, name):
    return np.degrees(cycle.joint_angles_rad[:, cycle.joint_names.index(name)])


SHARE = np.linspace(0.0, 1.0, SAMPLES)
DOWN = np.arange(SAMPLES) < LIFTS
LOADING = SHARE <= 0.3


def test_angles_are_read_where_laboratories_read_them(heiman, cycle):
    found = walk_figures(heiman, cycle)
    hip = -column(cycle, "HipRight_RY")
    knee = column(cycle, "KneeRight_RY")
    ankle = -column(cycle, "AnkleRight_RY")
    assert found["hip_range_deg"] == pytest.approx(np.ptp(hip))
    assert found["hip_adduction_range_deg"] == pytest.approx(np.ptp(column(cycle, "HipRight_RX")))
    peak = int(np.argmax(np.where(LOADING, knee, -np.inf)))
    assert (found["knee_strike_deg"], found["knee_loading_deg"]) == pytest.approx((knee[0], knee[peak]))
    assert found["knee_stance_extension_deg"] == pytest.approx(knee[peak:LIFTS].min())
    assert found["knee_swing_deg"] == pytest.approx(knee[~LOADING].max())
    assert found["ankle_strike_deg"] == pytest.approx(ankle[0])
    assert found["ankle_loading_deg"] == pytest.approx(ankle[LOADING].min())
    assert found["ankle_dorsiflexion_deg"] == pytest.approx(ankle[DOWN].max())
    assert found["ankle_plantarflexion_deg"] == pytest.approx(ankle[~LOADING].min())
    assert found["ankle_swing_deg"] == pytest.approx(ankle[~DOWN].max())
    assert found["elbow_mean_deg"] == pytest.approx(-column(cycle, "ElbowRight_RY").mean())
    assert found["shoulder_range_deg"] == pytest.approx(np.ptp(column(cycle, "ShoulderRight_RY")))


def test_steps_and_bearing_are_those_of_the_body_in_world(heiman, cycle):
    found = walk_figures(heiman, cycle)
    mass = centre_of_mass_path(heiman.model, cycle.qpos)
    assert found["step_length_m"] == pytest.approx((mass[-1, 0] - mass[0, 0]) / 2.0)
    assert found["cadence_per_min"] == pytest.approx(96.0)
    assert found["stance_share"] == pytest.approx(31.0 / 50.0)
    assert found["double_support_share"] == pytest.approx(11.0 / 50.0)
    assert (found["com_rise_m"], found["com_sway_m"]) == pytest.approx((np.ptp(mass[:, 2]), np.ptp(mass[:, 1])))
    heels = [contact_points(heiman)[name] for name in ("HeelRight", "HeelLeft")]
    place = point_positions(heiman.model, [(heel.body, heel.position_m) for heel in heels], cycle.qpos)
    width = abs(place[20:, 1, 1].mean() - place[:LIFTS, 0, 1].mean())
    assert found["step_width_m"] == pytest.approx(width)
    tilt, oblique, rotation = (np.degrees(np.ptp(angle)) for angle in pelvis_angles(heiman, cycle.qpos))
    assert found["pelvis_tilt_range_deg"] == pytest.approx(tilt)
    assert found["pelvis_obliquity_range_deg"] == pytest.approx(oblique)
    assert found["pelvis_rotation_range_deg"] == pytest.approx(rotation)
    assert found["trunk_pitch_deg"] == pytest.approx(np.degrees(world_pitch(heiman, cycle.qpos, "UpperTrunk").mean()))
    assert found["head_pitch_deg"] == pytest.approx(np.degrees(world_pitch(heiman, cycle.qpos, "Head").mean()))


def test_clearances_are_those_of_the_right_foot_while_it_swings_past(heiman, cycle):
    found = walk_figures(heiman, cycle)
    points = contact_points(heiman)
    swing = (SHARE - SHARE[LIFTS]) / (1.0 - SHARE[LIFTS])
    toes = contact_slip(heiman, [points["HalluxRight"], points["Meta5Right"]], cycle.qpos)[1]
    heel = contact_slip(heiman, [points["HeelRight"]], cycle.qpos)[1]
    assert found["toe_clearance_m"] == pytest.approx(toes[(swing >= 0.3) & (swing <= 0.9)].min())
    assert found["heel_clearance_m"] == pytest.approx(heel[(swing >= 0.3) & (swing <= 0.8)].min())


def test_torques_and_powers_are_over_the_mass_without_the_landing(heiman, cycle):
    found = walk_figures(heiman, cycle)
    joints = list(cycle.joint_names)
    speed = np.gradient(cycle.joint_angles_rad, cycle.time_s, axis=0)
    torque = cycle.torque_nm / heiman.mass_kg
    power = cycle.torque_nm * speed / heiman.mass_kg
    np.testing.assert_allclose(joint_power(cycle), cycle.torque_nm * speed)
    hip, side, knee, ankle = (
        joints.index(name) for name in ("HipRight_RY", "HipRight_RX", "KneeRight_RY", "AnkleRight_RY")
    )
    landed = SHARE >= 0.03
    around = (SHARE > 0.3) & (SHARE < 0.7)
    early = landed & LOADING
    assert found["hip_extension_nm_kg"] == pytest.approx(torque[early, hip].max())
    assert found["hip_flexion_nm_kg"] == pytest.approx((-torque[around, hip]).max())
    assert found["hip_abduction_nm_kg"] == pytest.approx((-torque[landed & DOWN, side]).max())
    assert found["knee_extension_nm_kg"] == pytest.approx((-torque[early, knee]).max())
    assert found["ankle_plantarflexion_nm_kg"] == pytest.approx(torque[DOWN, ankle].max())
    assert found["hip_pull_w_kg"] == pytest.approx(power[around, hip].max())
    assert found["knee_push_absorption_w_kg"] == pytest.approx(-power[around, knee].min())
    swing = ~DOWN & (SHARE < 0.97)
    assert found["knee_swing_absorption_w_kg"] == pytest.approx(max(0.0, -power[swing, knee].min()))
    assert found["ankle_absorption_w_kg"] == pytest.approx(-power[landed & DOWN, ankle].min())
    assert found["ankle_push_w_kg"] == pytest.approx(power[(SHARE > 0.3) & DOWN, ankle].max())


def test_forces_are_those_of_the_right_foot_over_the_weight(heiman, cycle):
    found = walk_figures(heiman, cycle)
    own = cycle.ground_force_n[:, points_of_side(cycle.foot_names, RIGHT)].sum(axis=1) / (heiman.mass_kg * 9.81)
    np.testing.assert_allclose(foot_force(heiman, cycle), own)
    assert found["force_braking_bw"] == pytest.approx(-own[:, 0].min())
    assert found["force_propulsion_bw"] == pytest.approx(own[:, 0].max())
    humps = force_humps(own[:, 2], DOWN)
    assert (found["force_first_hump_bw"], found["force_valley_bw"], found["force_second_hump_bw"]) == pytest.approx(
        humps
    )


def test_humps_are_in_the_first_and_the_last_two_fifths_of_stance():
    force = np.array([0.0, 1.0, 1.3, 0.9, 0.7, 0.8, 1.1, 1.2, 0.5, 0.1, 9.0, 9.0])
    assert force_humps(force, np.arange(12) < 10) == (1.3, 0.7, 1.2)
    assert force_humps(force[:10], np.ones(10, dtype=bool)) == (1.3, 0.7, 1.2)
    assert force_humps(force[:3], np.ones(3, dtype=bool)) is None
    assert force_humps(np.array([1.0, 2.0, 1.5, 3.0]), np.ones(4, dtype=bool)) == (2.0, 1.5, 3.0)


def motion_along(direction, samples=9, backwards=False):
    time_s = 0.1 * np.arange(samples)
    way = 0.5 * time_s
    qpos = np.zeros((samples, 8))
    qpos[:, 0] = np.cos(direction) * way - np.sin(direction) * 0.3
    qpos[:, 1] = np.sin(direction) * way + np.cos(direction) * 0.3
    facing = direction + (np.pi if backwards else 0.0)
    qpos[:, 3] = np.cos(facing / 2.0)
    qpos[:, 6] = np.sin(facing / 2.0)
    return SimpleNamespace(qpos=qpos)


@pytest.mark.parametrize("direction", [0.4, -2.0])
def test_the_line_of_a_walk_is_where_it_leads_as_the_walker_faces(direction):
    ahead = direction_of_travel(motion_along(direction))
    assert (ahead.direction_rad, ahead.left_m) == pytest.approx((direction, 0.3))
    back = direction_of_travel(motion_along(direction, backwards=True))
    assert np.cos(back.direction_rad - direction) == pytest.approx(-1.0)
    assert back.left_m == pytest.approx(-0.3)
    facing = direction_of_facing(motion_along(direction, backwards=True))
    assert np.cos(facing.direction_rad - direction) == pytest.approx(-1.0)
    short = motion_along(direction, samples=2)
    assert np.cos(direction_of_travel(short).direction_rad - direction) == pytest.approx(1.0)


def test_the_line_of_a_step_is_where_it_goes_on_smoothly_as_its_own_mirror_image():
    """Of a - b cos the mirror image about a goes on smoothly after half a period: position, heading."""
    phase = np.pi * np.arange(50) / 50.0
    qpos = np.zeros((50, 35))
    qpos[:, 0] = phase
    for sway in (-0.2 * np.cos(phase), 0.3 * np.sin(phase + 0.4)):
        for heading in (0.0, 0.1 * np.cos(phase)):
            half = 0.5 * heading * np.ones(50)
            qpos[:, 1] = 0.7 + sway
            qpos[:, 3] = np.cos(half)
            qpos[:, 6] = np.sin(half)
            motion = Motion("heiman", phase, qpos, ("joint",) * 28, np.zeros((50, 0), dtype=bool), ())
            line = direction_of_mirror(motion)
            assert line.direction_rad == pytest.approx(0.0, abs=1e-6)
            assert line.left_m == pytest.approx(0.7, abs=1e-6)


def test_a_foot_that_never_leaves_the_ground_stands_throughout_and_clears_nothing(heiman, cycle):
    found = walk_figures(heiman, replace(cycle, contact=np.ones_like(cycle.contact)))
    assert (found["stance_share"], found["double_support_share"]) == (1.0, 1.0)
    assert "toe_clearance_m" not in found
    ankle = -column(cycle, "AnkleRight_RY")
    assert found["ankle_swing_deg"] == pytest.approx(ankle.max())
    assert found["knee_swing_absorption_w_kg"] == 0.0


def test_a_knee_that_only_drives_while_it_swings_absorbs_nothing(heiman, cycle):
    torque = np.zeros_like(cycle.torque_nm)
    knee = cycle.joint_names.index("KneeRight_RY")
    speed = np.gradient(cycle.joint_angles_rad[:, knee], cycle.time_s)
    torque[:, knee] = 40.0 * np.sign(speed)
    found = walk_figures(heiman, replace(cycle, torque_nm=torque))
    assert found["knee_swing_absorption_w_kg"] == 0.0
    braking = walk_figures(heiman, replace(cycle, torque_nm=-torque))
    swing = ~DOWN & (SHARE < 0.97)
    most = 40.0 * np.abs(speed[swing]).max() / heiman.mass_kg
    assert braking["knee_swing_absorption_w_kg"] == pytest.approx(most)


def test_too_short_a_stance_has_no_humps(heiman, cycle):
    brief = cycle.contact.copy()
    brief[3:, points_of_side(cycle.foot_names, RIGHT)] = False
    found = walk_figures(heiman, replace(cycle, contact=brief))
    assert "force_valley_bw" not in found
    assert "ankle_push_w_kg" not in found  # a foot that leaves before the leg has taken the load does not push off
    assert "knee_stance_extension_deg" in found
    bending = cycle.qpos.copy()
    bending[:, 7 + cycle.joint_names.index("KneeRight_RY")] = np.linspace(0.0, 1.0, SAMPLES)
    late = walk_figures(heiman, replace(cycle, contact=brief, qpos=bending))
    assert "knee_stance_extension_deg" not in late  # it bends most after the foot has left
    assert found["hip_pull_w_kg"] == walk_figures(heiman, cycle)["hip_pull_w_kg"]
    assert joint_power(replace(cycle, torque_nm=None)) is None
    assert foot_force(heiman, replace(cycle, ground_force_n=None, cop_in_world=None)) is None


def test_a_foot_that_only_taps_the_ground_has_no_figures_of_a_stance_behind_its_landing(heiman, cycle):
    tapping = cycle.contact.copy()
    tapping[1:, points_of_side(cycle.foot_names, RIGHT)] = False
    found = walk_figures(heiman, replace(cycle, contact=tapping))
    assert walk_figures(heiman, cycle).keys() - found.keys() >= {"hip_abduction_nm_kg", "ankle_absorption_w_kg"}
    assert found["hip_pull_w_kg"] == walk_figures(heiman, cycle)["hip_pull_w_kg"]
