"""Pepper's body: the corrected published geometry, and Pinocchio's own reading of it."""

import tempfile
from pathlib import Path

import msgspec
import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.draft import Draft
from strut.engines.frame_kinematics import FrameKinematics, frame_poses
from strut.errors import BadTableError
from strut.models.catalogue import load_robot
from strut.models.dh_chains import chain_robot, joints_at_zero, row_transform
from strut.verify.limits import limits_for, violations_of
from strut.verify.measure import audit
from tests.mjcf_text import text_of

# Knee, hip pitch, hip roll, head yaw, head pitch; shoulder pitch, roll, elbow yaw, roll, wrist of the right; left.
STILL = [0.5, 0.5, 0, 0, 0.64, 0.9, -0.3, 0, 1.1, 1.0, 0.9, 0.3, 0, -1.1, -1.0]
ACTIVE = [0, -0.05, 0, 0, -0.3, 1.57, -0.85, 1.5, 0.1, 1.15, 1.57, 0.85, -1.5, -0.1, -1.15]
SWING = [0, 0, 0, 0, 0, 0, -0.45, 0.7, 0.3, -0.2, 0, 0.45, -0.7, -0.3, 0.2]
# Wrists of the corrected rows; the neck as published, 38 mm ahead of where it is.
PUBLISHED_M = {
    "zero": ([0.0] * 15, [0.274, -0.165, 0.912], [0.0, 0.0, 0.995]),
    "still": (STILL, [0.266083, -0.110216, 0.528619], [0.454977, 0.0, 0.783829]),
    "active": (ACTIVE, [-0.046719, -0.407311, 0.70231], [-0.019392, 0.0, 0.994515]),
}
MIRROR = np.array([1, 1, -1, -1, 1, 1, -1, -1, -1, -1, 1, -1, -1, -1, -1])


@pytest.fixture(scope="module")
def pepper():
    return load_robot("pepper")


class Body:
    """MuJoCo's reading of a robot, for looking at single postures."""

    def __init__(self, robot):
        self.model = robot.model
        self.data = mujoco.MjData(self.model)

    def place(self, joints, platform=(0.0, 0.0, 0.0)):
        self.data.qpos[:] = np.concatenate([platform, joints])
        mujoco.mj_forward(self.model, self.data)
        return self

    def point(self, frame):
        return self.data.site(frame).xpos.copy()

    def rotation(self, frame):
        return self.data.site(frame).xmat.reshape(3, 3).copy()


@pytest.fixture(scope="module")
def body(pepper):
    return Body(pepper)


def test_pepper_has_fifteen_joints_and_a_platform(pepper, body):
    assert len(pepper.joint_names) == 15
    assert pepper.base_size == 3
    assert body.model.nv == body.model.nu == 18
    assert pepper.joint_names[:5] == ("KneePitch", "HipPitch", "HipRoll", "HeadYaw", "HeadPitch")
    assert pepper.mass_kg == pytest.approx(28.68, abs=0.01)  # the maker's description


@pytest.mark.parametrize("posture", PUBLISHED_M)
def test_wrists_and_neck_are_where_the_corrected_rows_put_them(body, posture):
    joints, right_m, neck_m = PUBLISHED_M[posture]
    body.place(joints)
    np.testing.assert_allclose(body.point("right_wrist"), right_m, atol=1e-6)
    np.testing.assert_allclose(body.point("left_wrist"), np.multiply(right_m, [1, -1, 1]), atol=1e-6)
    behind = body.rotation("chest") @ np.array([-0.038, 0.0, 0.0])
    np.testing.assert_allclose(body.point("neck"), neck_m + behind, atol=1e-6)


def test_raised_arms_are_as_high_on_both_sides(body):
    for sign, height_m in ((1.0, 0.873), (-1.0, 0.620)):
        body.place(np.add(ACTIVE, sign * np.array(SWING)))
        assert body.point("right_wrist")[2] == pytest.approx(height_m, abs=1e-3)
        assert body.point("left_wrist")[2] == pytest.approx(body.point("right_wrist")[2], abs=1e-12)


def test_arms_mirror_each_other(body, pepper):
    rng = np.random.default_rng(4)
    for joints in rng.uniform(pepper.joint_lower_rad, pepper.joint_upper_rad, (20, 15)):
        right = joints[5:10]
        left = joints[10:15]
        mirrored = MIRROR * np.concatenate([joints[:5], left, right])
        here = body.place(joints).point("right_wrist")
        there = body.place(mirrored).point("left_wrist")
        np.testing.assert_allclose(here * [1, -1, 1], there, atol=1e-12)


def test_positive_trunk_angles_lean_forward(body):
    for joint in (0, 1):
        joints = np.zeros(15)
        joints[joint] = 0.3
        assert body.place(joints).point("neck")[0] > 0.05


def test_gaze_frame_is_the_published_head_frame_turned_forward(body, pepper):
    """The rows end in axes forward, down, left; Rx(90 deg) makes them forward, left, up."""
    chains = {chain.name: chain.rows for chain in pepper.tables.robot.chain}
    joints = dict(zip(pepper.joint_names, np.linspace(-0.4, 0.5, 15), strict=True))
    transform = np.eye(4)
    for row in (*chains["trunk"], *chains["head"]):
        transform = transform @ row_transform(row, joints.get(row.joint, 0.0))
    turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])
    body.place(list(joints.values()))
    np.testing.assert_allclose(transform[:3, :3] @ turn, body.rotation("eyes"), atol=1e-12)
    eyes = transform[:3, 3] + transform[:3, :3] @ turn @ [0.086, 0.0, 0.163]
    np.testing.assert_allclose(body.point("eyes"), eyes, atol=1e-12)


def test_platform_moves_everything_and_turns_about_its_own_middle(body):
    here = body.place(ACTIVE).point("right_wrist")
    there = body.place(ACTIVE, (1.0, 2.0, np.pi / 2)).point("right_wrist")
    np.testing.assert_allclose(there, [1.0 - here[1], 2.0 + here[0], here[2]], atol=1e-12)


@pytest.fixture(scope="module")
def oracle(pepper):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) has no wheel for this system")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "robot.xml"
        path.write_text(text_of(pepper.model), encoding="utf-8")
        model = pin.buildModelFromMJCF(str(path))
    return pin, model, model.createData()


def test_pinocchio_agrees_on_frames_jacobians_and_torques(pepper, body, oracle):
    pin, model, data = oracle
    assert list(model.names)[-15:] == list(pepper.joint_names)
    rng = np.random.default_rng(5)
    joints = rng.uniform(pepper.joint_lower_rad, pepper.joint_upper_rad, (20, 15))
    qpos = np.concatenate([rng.normal(size=(20, 3)), joints], axis=1)
    jacobian = np.zeros((6, 18))
    for sample in qpos:
        body.place(sample[3:], sample[:3])
        pin.computeJointJacobians(model, data, sample)
        pin.updateFramePlacements(model, data)
        for frame in ("right_wrist", "left_wrist", "eyes"):
            index = model.getFrameId(frame)
            np.testing.assert_allclose(data.oMf[index].translation, body.point(frame), atol=1e-9)
            np.testing.assert_allclose(data.oMf[index].rotation, body.rotation(frame), atol=1e-9)
            theirs = pin.getFrameJacobian(model, data, index, pin.LOCAL_WORLD_ALIGNED)
            mujoco.mj_jacSite(body.model, body.data, jacobian[:3], jacobian[3:], body.model.site(frame).id)
            np.testing.assert_allclose(theirs, jacobian, atol=1e-9)
        gravity = pin.rnea(model, data, sample, np.zeros(18), np.zeros(18))
        np.testing.assert_allclose(gravity, body.data.qfrc_bias, atol=1e-9)


@pytest.mark.parametrize("frame", ["right_wrist", "left_wrist", "eyes"])
def test_jacobians_are_the_derivatives_of_the_frames(
    pepper, frame
):  # the last 15 columns are those of a locked platform
    rng = np.random.default_rng(6)
    kinematics = FrameKinematics(pepper, (frame,))
    step = 1e-6
    for joints in rng.uniform(pepper.joint_lower_rad, pepper.joint_upper_rad, (5, 15)):
        qpos = np.concatenate([rng.normal(size=3), joints])
        kinematics.move(qpos)
        jacobian = kinematics.frames[0].jacobian.copy()
        shifted = np.concatenate([qpos + step * np.eye(18), qpos - step * np.eye(18)])
        position, rotation = frame_poses(pepper, frame, shifted)
        np.testing.assert_allclose(jacobian[:3], (position[:18] - position[18:]).T / (2 * step), atol=1e-6)
        turn = Rotation.from_matrix(rotation[:18] @ rotation[18:].transpose(0, 2, 1)).as_rotvec()
        np.testing.assert_allclose(jacobian[3:], turn.T / (2 * step), atol=1e-6)


def test_a_standing_pepper_can_be_audited_without_feet(pepper, oracle):
    pin, model, data = oracle
    time_s = np.linspace(0.0, 1.0, 51)
    standing = np.clip(np.concatenate([[0.0, 0.0, 0.3], np.multiply(ACTIVE, 0.9)]), -9.0, 9.0)
    measured = audit(pepper, time_s, np.tile(standing, (51, 1)), np.zeros((51, 0), dtype=bool))
    still = pin.rnea(model, data, standing, np.zeros(18), np.zeros(18))
    np.testing.assert_allclose(measured.torque_nm[20], still[3:], atol=1e-9)
    assert measured.distance_m == 0.0
    draft = Draft(pepper, measured.time_s, measured.qpos, measured.contact, None, needs=measured)
    assert violations_of(draft, limits_for(pepper, margin_m=0.01)) == ()  # no feet, so no balance margin to miss


def test_a_chain_that_moves_a_shared_joint_is_refused(pepper):
    trunk, head, arm, _ = pepper.tables.robot.chain
    longer = msgspec.structs.replace(head, rows=(trunk.rows[0], *head.rows))
    with pytest.raises(BadTableError, match="HipRoll has two origins"):
        joints_at_zero((trunk, arm, longer))


def test_a_part_of_no_joint_is_refused(pepper):
    parts = {**pepper.tables.robot.part, "Tail": pepper.tables.robot.part["HeadYaw"]}
    with pytest.raises(BadTableError, match="no chain has a joint Tail"):
        chain_robot("pepper", msgspec.structs.replace(pepper.tables.robot, part=parts), pepper.tables)
