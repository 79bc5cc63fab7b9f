"""Alice's body: the model that MuJoCo simulates is the published chain, and Pinocchio reads it the same way."""

import tempfile
from pathlib import Path

import numpy as np
import pytest

from strut.engines.inverse_dynamics import inverse_dynamics
from strut.engines.rigid_body import foot_contact_points, foot_positions
from strut.kinematics.biped_posture import solve_postures
from strut.kinematics.leg_angles import leg_angles, posture_qpos
from tests.alice import ALICE, LEGS, random_targets, targets_cm
from tests.mjcf_text import text_of


def test_lengths_and_masses_are_the_published_ones():
    np.testing.assert_allclose(LEGS.link_m * 100.0, [9.57, 9.67, 6.09, 8.98, 6.09, 9.67, 9.57], atol=1e-12)
    assert ALICE.mass_kg == pytest.approx(4.35184, abs=1e-9)
    assert len(ALICE.joint_names) == 12
    assert ALICE.foot_names == ("R", "L")


def test_model_puts_the_shoes_where_the_equations_do():
    targets = random_targets(100, np.random.default_rng(0))
    qpos = posture_qpos(solve_postures(LEGS, targets).joint_in_world, targets)
    np.testing.assert_allclose(foot_positions(ALICE, qpos), targets.ankle_in_world, atol=1e-12)


def test_soles_are_level_and_turned_as_wanted():
    targets = random_targets(50, np.random.default_rng(1))
    qpos = posture_qpos(solve_postures(LEGS, targets).joint_in_world, targets)
    corners = foot_contact_points(ALICE, qpos).reshape(50, 2, 4, 3)
    np.testing.assert_allclose(corners[..., 2], np.repeat(targets.ankle_in_world[:, :, 2:], 4, axis=2), atol=1e-12)
    along = corners[:, :, 0] - corners[:, :, 1]  # from the outer heel to the outer toe
    heading = np.arctan2(along[..., 1], along[..., 0])
    np.testing.assert_allclose(heading, targets.foot_heading_rad, atol=1e-12)
    np.testing.assert_allclose(np.linalg.norm(along, axis=-1), np.full((50, 2), 0.12), atol=1e-12)


def test_model_has_the_centre_of_mass_of_the_nine_masses():
    targets = random_targets(20, np.random.default_rng(2))
    found = solve_postures(LEGS, targets)
    qpos = posture_qpos(found.joint_in_world, targets)
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
    qpos = posture_qpos(solve_postures(LEGS, targets).joint_in_world, targets)
    frames = [model.getFrameId("R_shoe", pin.FrameType.BODY), model.getFrameId("L_shoe", pin.FrameType.BODY)]
    for k, q in enumerate(np.concatenate([qpos[:, :3], qpos[:, 4:7], qpos[:, 3:4], qpos[:, 7:]], axis=1)):
        pin.framesForwardKinematics(model, data, q)
        shoes = [data.oMf[frame].translation for frame in frames]
        np.testing.assert_allclose(shoes, targets.ankle_in_world[k], atol=1e-12)
        np.testing.assert_allclose(pin.centerOfMass(model, data, q)[:2], targets.com_in_world[k], atol=1e-12)


def test_standing_angles_are_the_models_joint_angles():
    targets = targets_cm()
    found = solve_postures(LEGS, targets)
    theta, qpos = leg_angles(found.joint_in_world)[0], posture_qpos(found.joint_in_world, targets)[0]
    by_name = dict(zip(ALICE.joint_names, np.degrees(qpos[7:]), strict=True))
    assert by_name["R_knee"] == pytest.approx(68.0811, abs=1e-3)
    assert by_name["L_hip_pitch"] == pytest.approx(37.5357, abs=1e-3)
    np.testing.assert_allclose(qpos[7:], [*theta[5::-1], *theta[6:]], atol=0.0)


def test_contact_jacobians_are_the_derivative_of_the_contact_points():
    targets = random_targets(1, np.random.default_rng(5))
    qpos = posture_qpos(solve_postures(LEGS, targets).joint_in_world, targets)
    still = np.concatenate([qpos, qpos])
    analytic = inverse_dynamics(ALICE, np.array([0.0, 1.0]), still).contact_jacobian[0]
    for joint in range(12):
        ahead, behind = qpos.copy(), qpos.copy()
        ahead[0, 7 + joint] += 1e-6
        behind[0, 7 + joint] -= 1e-6
        numeric = (foot_contact_points(ALICE, ahead) - foot_contact_points(ALICE, behind))[0] / 2e-6
        np.testing.assert_allclose(analytic[..., joint], numeric, atol=1e-9)
