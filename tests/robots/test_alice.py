"""Alice's body: the model that MuJoCo simulates is the published chain, and Pinocchio reads it the same way."""

import tempfile
from dataclasses import replace
from pathlib import Path

import msgspec
import mujoco
import numpy as np
import pytest

from strut.balance.centre_of_pressure import cop_of_wrench
from strut.engines.inverse_dynamics import ground_reaction, inverse_dynamics
from strut.engines.rigid_body import foot_contact_points, foot_positions
from strut.gaits.footsteps.biped_posture import solve_postures
from strut.gaits.footsteps.body_path import lean_of, solve_step_plan
from strut.gaits.footsteps.footsteps import StepLimits, footsteps_to, standing
from strut.gaits.footsteps.leg_angles import leg_angles, posture_qpos
from strut.gaits.footsteps.phases import PhaseTimes, step_plan
from strut.models.limb_robot import limb_robot
from strut.place import Place
from strut.schemas.body import LimbBody
from tests.alice import ALICE, LEGS, random_targets, targets_cm
from tests.mjcf_text import text_of


def test_lengths_and_masses_are_the_published_ones():
    np.testing.assert_allclose(LEGS.link_m * 100.0, [9.57, 9.67, 6.09, 8.98, 6.09, 9.67, 9.57], atol=1e-12)
    assert ALICE.mass_kg == pytest.approx(4.35184, abs=1e-9)
    assert ALICE.joint_names[12:] == ("trunk_pitch", "head_yaw", "head_pitch")
    assert ALICE.foot_names == ("R", "L")


def test_model_puts_the_shoes_where_the_equations_do():
    targets = random_targets(100, np.random.default_rng(0))
    qpos = posture_qpos(LEGS, solve_postures(LEGS, targets).joint_in_world, targets)
    np.testing.assert_allclose(foot_positions(ALICE, qpos), targets.ankle_in_world, atol=1e-12)


def test_soles_are_level_and_turned_as_wanted():
    targets = random_targets(50, np.random.default_rng(1))
    qpos = posture_qpos(LEGS, solve_postures(LEGS, targets).joint_in_world, targets)
    corners = foot_contact_points(ALICE, qpos).reshape(50, 2, 4, 3)
    np.testing.assert_allclose(corners[..., 2], np.repeat(targets.ankle_in_world[:, :, 2:], 4, axis=2), atol=1e-12)
    along = corners[:, :, 0] - corners[:, :, 1]  # from the outer heel to the outer toe
    heading = np.arctan2(along[..., 1], along[..., 0])
    np.testing.assert_allclose(heading, targets.foot_heading_rad, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(along, axis=-1), np.full((50, 2), 0.12), atol=1e-12)


def test_model_has_the_centre_of_mass_of_the_nine_masses():
    targets = random_targets(20, np.random.default_rng(2))
    found = solve_postures(LEGS, targets)
    qpos = posture_qpos(LEGS, found.joint_in_world, targets)
    model_com = inverse_dynamics(ALICE, np.arange(20) * 100.0, qpos).com_in_world
    masses = LEGS.masses_in_world(found.joint_in_world, targets.foot_heading_rad, targets.body_heading_rad)
    nine = np.einsum("k,nki->ni", LEGS.mass_kg, masses) / LEGS.mass_kg.sum()
    np.testing.assert_allclose(model_com, nine, atol=1e-12)
    np.testing.assert_allclose(model_com[:, :2], targets.com_in_world, atol=1e-12)


def test_pinocchio_agrees_on_shoes_and_centre_of_mass():
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) has no wheel for this system")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "alice.xml"
        path.write_text(text_of(ALICE.model), encoding="utf-8")
        model = pin.buildModelFromMJCF(str(path))
    data = model.createData()
    targets = random_targets(20, np.random.default_rng(3))
    qpos = posture_qpos(LEGS, solve_postures(LEGS, targets).joint_in_world, targets)
    frames = [model.getFrameId("R_shoe", pin.FrameType.BODY), model.getFrameId("L_shoe", pin.FrameType.BODY)]
    for k, q in enumerate(np.concatenate([qpos[:, :3], qpos[:, 4:7], qpos[:, 3:4], qpos[:, 7:]], axis=1)):
        pin.framesForwardKinematics(model, data, q)
        shoes = [data.oMf[frame].translation for frame in frames]
        np.testing.assert_allclose(shoes, targets.ankle_in_world[k], atol=1e-12)
        np.testing.assert_allclose(pin.centerOfMass(model, data, q)[:2], targets.com_in_world[k], atol=1e-12)


def test_standing_angles_are_the_models_joint_angles():
    targets = targets_cm()
    found = solve_postures(LEGS, targets)
    theta = leg_angles(found.joint_in_world)[0]
    qpos = posture_qpos(LEGS, found.joint_in_world, targets)[0]
    by_name = dict(zip(ALICE.joint_names, np.degrees(qpos[7:]), strict=True))
    assert by_name["R_knee"] == pytest.approx(68.0811, abs=1e-3)
    assert by_name["L_hip_pitch"] == pytest.approx(37.5357, abs=1e-3)
    np.testing.assert_allclose(qpos[7:], [*theta[5::-1], *theta[6:], 0.0, 0.0, 0.0], atol=0.0)


def test_upper_body_with_its_joints_at_zero_is_the_one_mass_that_is_published():
    table = ALICE.body_as(LimbBody)
    rigid = msgspec.structs.replace(table, body=msgspec.structs.replace(table.body, part=()))
    whole = limb_robot("rigid", rigid, replace(ALICE.tables, robot=rigid)).model
    inertia = []
    for model in (whole, ALICE.model):
        data = mujoco.MjData(model)
        mass = np.zeros((model.nv, model.nv))
        mujoco.mj_forward(model, data)
        mujoco.mj_fullM(model, data, mass)
        inertia.append(mass[:18, :18])
    np.testing.assert_allclose(inertia[1], inertia[0], atol=1e-12)


def test_bent_trunk_and_turned_head_keep_the_zero_moment_point_where_it_was_planned():
    limits = StepLimits(0.04, 0.025, 0.35, LEGS.separation_m)
    steps = footsteps_to(Place(0.0, 0.0), [Place(0.12, 0.03, 0.5)], limits)
    times = PhaseTimes(0.4, 0.6, 0.8)
    plan = step_plan(steps, standing(Place(0.0, 0.0), LEGS.separation_m), times, step_height_m=0.015, rate_hz=50.0)
    swing = np.sin(2.0 * np.pi * plan.time_s)[:, None] * np.sin(np.pi * plan.time_s / plan.time_s[-1])[:, None] ** 2
    upper = np.array([0.25, 0.3, 0.4]) + swing * np.array([0.06, 0.2, 0.1])
    body = solve_step_plan(LEGS, plan, 0.21, lean=lean_of(ALICE, upper))
    reaction = ground_reaction(ALICE, plan.time_s, body.qpos)
    away = cop_of_wrench(reaction.force_n, reaction.moment_nm) - plan.zmp_in_world
    assert np.abs(away[2:-2]).max() < 0.004
    com = inverse_dynamics(ALICE, plan.time_s, body.qpos).com_in_world
    np.testing.assert_allclose(com[:, :2], body.targets.com_in_world, atol=1e-9)
    upright = inverse_dynamics(ALICE, plan.time_s, np.column_stack([body.qpos[:, :19], 0.0 * upper])).com_in_world
    assert np.abs(upright - com)[:, 0].max() > 0.005


def test_contact_jacobians_are_the_derivative_of_the_contact_points():
    targets = random_targets(1, np.random.default_rng(5))
    qpos = posture_qpos(LEGS, solve_postures(LEGS, targets).joint_in_world, targets)
    still = np.concatenate([qpos, qpos])
    analytic = inverse_dynamics(ALICE, np.array([0.0, 1.0]), still).contact_jacobian[0]
    for joint in range(12):
        ahead = qpos.copy()
        behind = qpos.copy()
        ahead[0, 7 + joint] += 1e-6
        behind[0, 7 + joint] -= 1e-6
        numeric = (foot_contact_points(ALICE, ahead) - foot_contact_points(ALICE, behind))[0] / 2e-6
        np.testing.assert_allclose(analytic[..., joint], numeric, atol=1e-9)
