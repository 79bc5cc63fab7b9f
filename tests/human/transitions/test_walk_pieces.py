"""Pieces of a walk put end to end, on hand-made paths."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.human.transitions.walk_pieces import (
    MAX_POSITION_GAP,
    MAX_VELOCITY_GAP,
    Placement,
    Seam,
    WalkPiece,
    placements,
    sample_walk,
    worst_seam,
)
from strut.kinematics.mirror import mirror_of, mirrored_feet
from strut.maths.rotation import qpos_from_angles


@pytest.fixture(scope="module")
def names(heiman):
    return ("Pelvis_TX", "Pelvis_TY", "Pelvis_TZ", "Pelvis_RY", "Pelvis_RX", "Pelvis_RZ", *heiman.joint_names)


def piece_of(heiman, names, seed, mirrored=False, duration_s=0.5):
    """Return a piece whose coordinates go straight from one random posture to another."""
    rng = np.random.default_rng(seed)
    q = 0.2 * rng.normal(size=(2, len(names)))
    v = rng.normal(size=(2, len(names)))
    u = rng.normal(size=(2, len(heiman.joint_names)))
    feet = len(heiman.foot_names)
    force = rng.normal(size=(feet, 3))

    def sampled(time_s, foot_names):
        share = (time_s / duration_s)[:, None]
        contact = np.tile(np.arange(feet) % 2 == 0, (len(time_s), 1))
        return q[0] + share * (q[1] - q[0]), u[0] + share * (u[1] - u[0]), np.tile(force, (len(time_s), 1, 1)), contact

    problem = SimpleNamespace(tree=SimpleNamespace(velocity_names=names))
    return WalkPiece(
        SimpleNamespace(problem=problem, q=q, v=v, u=u, time_s=np.array([0.0, duration_s]), sampled=sampled), mirrored
    )


def test_a_piece_knows_its_time_its_way_and_its_mirror_image(heiman, names):
    piece = piece_of(heiman, names, 0)
    assert piece.duration_s == 0.5
    assert piece.distance_m == pytest.approx(np.linalg.norm(piece.path.q[1, :2] - piece.path.q[0, :2]))
    mirrored = WalkPiece(piece.path, mirrored=True)
    whole = mirror_of(heiman, names)
    joints = mirror_of(heiman, heiman.joint_names)
    q, _, u = mirrored.state(heiman, -1)
    assert_allclose(q, qpos_from_angles(whole.image(piece.path.q[-1])))
    assert_allclose(u, joints.image(piece.path.u[-1]))
    time_s = np.array([0.1, 0.4])
    plain = piece.sampled(heiman, time_s)
    image = mirrored.sampled(heiman, time_s)
    feet = mirrored_feet(heiman.foot_names)
    assert_allclose(image[1], joints.image(plain[1]))
    assert_allclose(image[2], plain[2][:, feet] * [1.0, -1.0, 1.0])
    assert image[3].tolist() == plain[3][:, feet].tolist()
    assert_allclose(image[0], qpos_from_angles(whole.image(piece.path.sampled(time_s, None)[0])))


def test_a_placement_turns_and_then_moves():
    put = Placement(0.6, np.array([1.0, -2.0]))
    qpos = np.concatenate([[0.3, 0.4, 0.9], Rotation.from_rotvec([0.1, 0.2, 0.3]).as_quat(scalar_first=True), [0.5]])
    found = put.apply(qpos)
    turn = Rotation.from_rotvec([0.0, 0.0, 0.6])
    assert_allclose(found[:3], np.add(turn.apply([0.3, 0.4, 0.9]), [1.0, -2.0, 0.0]))
    after = Rotation.from_quat(found[3:7], scalar_first=True)
    assert (after * (turn * Rotation.from_rotvec([0.1, 0.2, 0.3])).inv()).magnitude() == pytest.approx(0.0, abs=1e-9)
    assert found[7] == 0.5
    assert_allclose(put.rotate_forces(np.array([[1.0, 2.0, 3.0]])), turn.apply([[1.0, 2.0, 3.0]]))


def test_pieces_begin_where_the_one_before_stops_and_face_the_same_way(heiman, names):
    pieces = [piece_of(heiman, names, seed, mirrored) for seed, mirrored in ((0, False), (1, True), (2, False))]
    put = placements(heiman, pieces)
    assert (put[0].turn_rad, put[0].move_m.tolist()) == (0.0, [0.0, 0.0])
    for k in range(2):
        here = put[k].apply(pieces[k].state(heiman, -1)[0])
        there = put[k + 1].apply(pieces[k + 1].state(heiman, 0)[0])
        assert_allclose(here[:2], there[:2], atol=1e-9)
        turn = (
            Rotation.from_quat(here[3:7], scalar_first=True) * Rotation.from_quat(there[3:7], scalar_first=True).inv()
        )
        matrix = turn.as_matrix()
        assert np.arctan2(matrix[1, 0], matrix[0, 0]) == pytest.approx(0.0, abs=0.2)
    seam = worst_seam(heiman, pieces)
    torque = max(np.abs(pieces[k].state(heiman, -1)[2] - pieces[k + 1].state(heiman, 0)[2]).max() for k in range(2))
    assert seam.torque_nm == pytest.approx(torque)
    assert seam.position > MAX_POSITION_GAP
    same = WalkPiece(
        SimpleNamespace(
            **vars(pieces[0].path)
            | {"q": pieces[0].path.q[[1, 0]], "v": pieces[0].path.v[[1, 0]], "u": pieces[0].path.u[[1, 0]]}
        )
    )
    joined = worst_seam(heiman, [pieces[0], same])
    assert (joined.position, joined.velocity, joined.torque_nm) == pytest.approx((0.0, 0.0, 0.0), abs=1e-9)


def test_seams_complain_beyond_their_bounds():
    assert Seam(MAX_POSITION_GAP, MAX_VELOCITY_GAP, 9.0).faults() == []
    assert "m or rad" in str(Seam(1.01 * MAX_POSITION_GAP, 0.0, 0.0).faults()[0])
    assert "m/s or rad/s" in str(Seam(0.0, 1.01 * MAX_VELOCITY_GAP, 0.0).faults()[0])
    assert len(Seam(np.nan, np.nan, 0.0).faults()) == 2


def test_samples_are_evenly_spaced_and_of_the_piece_they_fall_into(heiman, names):
    pieces = [piece_of(heiman, names, 0, duration_s=0.5), piece_of(heiman, names, 1, duration_s=0.3)]
    time_s, qpos, u, force, contact = sample_walk(heiman, pieces, 20.0)
    assert_allclose(time_s, 0.05 * np.arange(17))
    put = placements(heiman, pieces)
    for k in (0, 9, 10, 16):
        index = 0 if time_s[k] < 0.5 else 1
        own = pieces[index].sampled(heiman, np.array([min(time_s[k] - 0.5 * index, pieces[index].duration_s)]))
        assert_allclose(u[k], own[1][0], atol=1e-9)
        assert_allclose(force[k], put[index].rotate_forces(own[2])[0])
        assert_allclose(qpos[k, :3], put[index].apply(own[0])[0, :3], atol=1e-9)
        assert contact[k].tolist() == own[3][0].tolist()
    assert (np.sum(qpos[1:, 3:7] * qpos[:-1, 3:7], axis=1) > 0.0).all()
