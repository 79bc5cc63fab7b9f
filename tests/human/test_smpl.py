"""Poses of SMPL as joint angles of the human model; the oracle is the kinematics of SMPL, written here by hand."""

from contextlib import suppress

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import strut
from strut.engines.rigid_body import body_poses
from strut.errors import MotionFileError
from tests.formats.test_round_trips import damaged

PARENTS = (-1, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 9, 9, 12, 13, 14, 16, 17, 18, 19)
LIMBS = {  # body of the human model: joint of SMPL that turns it, and its direction at rest in each
    "ThighLeft": (1, [0, -1, 0], [0, 0, -1]),
    "ShankRight": (5, [0, -1, 0], [0, 0, -1]),
    "FootLeft": (7, [0, 0, 1], [1, 0, 0]),
    "UpperArmLeft": (16, [1, 0, 0], [0, 0, -1]),
    "UpperArmRight": (17, [-1, 0, 0], [0, 0, -1]),
    "LowerArmLeft": (18, [1, 0, 0], [0, 0, -1]),
    "LowerArmRight": (19, [-1, 0, 0], [0, 0, -1]),
    "UpperTrunk": (9, [0, 1, 0], [0, 0, 1]),
    "Head": (15, [0, 0, 1], [1, 0, 0]),
}


def person(seconds=0.5, up="z"):
    """Return poses of a person who moves every joint, with hinges that turn as hinges; 120 frames a second."""
    rng = np.random.default_rng(11)
    time_s = np.arange(int(120 * seconds)) / 120.0
    wave = np.sin(3.0 * time_s[:, None, None] + rng.uniform(0.0, 3.0, (1, 22, 3)))
    poses = 0.35 * wave
    for knee in (4, 5):
        poses[:, knee] = np.array([1.0, 0.0, 0.0]) * (0.6 + 0.3 * wave[:, knee, :1])
    for elbow, sign in ((18, -1.0), (19, 1.0)):
        poses[:, elbow] = np.array([0.0, sign, 0.0]) * (0.8 + 0.3 * wave[:, elbow, :1])
    upright = Rotation.from_euler("x", 90.0 if up == "z" else 0.0, degrees=True)
    poses[:, 0] = (upright * Rotation.from_rotvec(poses[:, 0])).as_rotvec()
    trans = upright.apply(np.column_stack([0.2 * time_s, 1.0 + 0.0 * time_s, 1.1 * time_s]))
    return {
        "poses": poses.reshape(len(time_s), -1),
        "trans": trans,
        "betas": np.zeros(16),
        "gender": np.array("female"),
    }


def direction_of(poses, joint, rest):
    """Return where a limb of SMPL points, frame by frame. Shape (T, 3)."""
    turn = Rotation.identity(len(poses))
    chain = []
    while joint >= 0:
        chain.append(joint)
        joint = PARENTS[joint]
    for one in reversed(chain):
        turn = turn * Rotation.from_rotvec(poses.reshape(len(poses), -1, 3)[:, one])
    return turn.apply(rest)


@pytest.mark.parametrize("up", ["z", "y"])
def test_limbs_point_where_those_of_smpl_do(up, heiman, tmp_path):
    table = person(up=up)
    np.savez(tmp_path / "walk.npz", **table, mocap_framerate=np.array(120.0))
    motion = strut.load_motion(tmp_path / "walk.npz", robot="heiman")
    assert motion.meta["notes"][0].startswith(f"The file has {up} up.")
    assert "turns of 0 degrees or less" in motion.meta["notes"][1]
    to_z_up = Rotation.from_euler("x", 90.0 if up == "y" else 0.0, degrees=True)
    _, turn = body_poses(heiman.model, list(LIMBS), motion.qpos)
    for column, (name, (joint, in_smpl, here)) in enumerate(LIMBS.items()):
        wanted = to_z_up.apply(direction_of(table["poses"], joint, in_smpl))
        np.testing.assert_allclose(turn[:, column] @ np.array(here, float), wanted, atol=1e-6, err_msg=name)
    np.testing.assert_allclose(
        np.diff(motion.qpos[:, :2], axis=0), np.diff(to_z_up.apply(table["trans"]), axis=0)[:, :2]
    )
    assert motion.time_s[1] == pytest.approx(1.0 / 120.0)


def test_what_is_missing_is_asked_for(tmp_path):
    np.savez(tmp_path / "walk.npz", **person())
    with pytest.raises(MotionFileError, match="does not say its rate; add --read rate_hz=120"):
        strut.load_motion(tmp_path / "walk.npz", robot="heiman")
    assert len(strut.load_motion(tmp_path / "walk.npz", robot="heiman", rate_hz=60).time_s) == 60
    with pytest.raises(MotionFileError, match="is of a person; alice has no HipLeft_RY"):
        strut.load_motion(tmp_path / "walk.npz", robot="alice", rate_hz=60)
    np.savez(tmp_path / "short.npz", poses=np.zeros((9, 24)), trans=np.zeros((9, 3)))
    with pytest.raises(MotionFileError, match="poses of 24 numbers a frame; a body has 66"):
        strut.load_motion(tmp_path / "short.npz", robot="heiman", rate_hz=60)
    np.savez(tmp_path / "objects.npz", poses=np.array([object()]), trans=np.zeros((9, 3)))
    with pytest.raises(MotionFileError, match="never loaded"):
        strut.load_motion(tmp_path / "objects.npz", robot="heiman", rate_hz=60)


def test_damaged_poses_are_refused_in_a_sentence(tmp_path):
    rng = np.random.default_rng(2)
    np.savez(tmp_path / "walk.npz", **person(0.1), mocap_framerate=np.array(120.0))
    whole = (tmp_path / "walk.npz").read_bytes()
    for _ in range(60):
        (tmp_path / "walk.npz").write_bytes(damaged(whole, rng))
        with suppress(MotionFileError):
            strut.load_motion(tmp_path / "walk.npz", robot="heiman")
