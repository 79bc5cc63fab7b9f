"""Walk pieces: solved movements joined end to end, each turned and moved to where the one before it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.human.anatomy import other_side
from strut.kinematics.mirror import mirror_of, mirrored_feet
from strut.maths.rotation import qpos_from_angles, qvel_from_angles
from strut.ocp.problem import OptimalControlProblem
from strut.ocp.trajectory import Trajectory
from strut.receipt import Reason, ReasonKind
from strut.robot import Robot

MIRROR_SIGN = np.array([1.0, -1.0, 1.0])  # of positions and forces mirrored at the x-z plane
MAX_POSITION_GAP = 1e-6  # largest gap between joined pieces, m or rad
MAX_VELOCITY_GAP = 1e-4  # the same of velocities, m/s or rad/s


@dataclass(frozen=True, slots=True, eq=False)
class WalkPiece:
    """A solved movement, or its mirror image."""

    path: Trajectory
    mirrored: bool = False

    @property
    def duration_s(self) -> float:
        """Duration."""
        return float(self.path.time_s[-1])

    @property
    def distance_m(self) -> float:
        """Distance over the ground from the first position of the pelvis to the last."""
        return float(np.linalg.norm(self.path.q[-1, :2] - self.path.q[0, :2]))

    def state(self, robot: Robot, node: int) -> tuple[Array, Array, Array]:
        """Return configuration (nq + 1,), velocity (nv,), with the angular one in base axes, and torques (n_u,)."""
        q = self.path.q[node]
        v = self.path.v[node]
        u = self.path.u[node]
        if self.mirrored:
            mirror = mirror_of(robot, self.path.problem.tree.velocity_names)
            q = mirror.image(q)
            v = mirror.image(v)
            u = mirror_of(robot, robot.joint_names).image(u)
        return qpos_from_angles(q), qvel_from_angles(q, v), u

    def sampled(self, robot: Robot, time_s: Array) -> tuple[Array, Array, Array, Array]:
        """Return configurations (T, nq + 1), torques (T, n_u), forces (T, n_feet, 3) and contact (T, n_feet)."""
        q, u, force, contact = self.path.sampled(time_s, robot.foot_names)
        if self.mirrored:
            feet = mirrored_feet(robot.foot_names)
            q = mirror_of(robot, self.path.problem.tree.velocity_names).image(q)
            u = mirror_of(robot, robot.joint_names).image(u)
            force = force[:, feet] * MIRROR_SIGN
            contact = contact[:, feet]
        return qpos_from_angles(q), u, force, contact


@dataclass(frozen=True, slots=True)
class Placement:
    """Placement of a piece in the world: a turn about the vertical, then a translation over the ground (2,)."""

    turn_rad: float
    move_m: Array

    def apply(self, qpos: Array) -> Array:
        """Return configurations in the world. Shape (..., nq + 1) in and out."""
        placed = qpos.copy()
        turn = Rotation.from_euler("z", self.turn_rad)
        turned = turn * Rotation.from_quat(qpos[..., 3:7].reshape(-1, 4), scalar_first=True)
        placed[..., 3:7] = turned.as_quat(canonical=True, scalar_first=True).reshape(qpos[..., 3:7].shape)
        placed[..., :2] = qpos[..., :2] @ self.ground.T + self.move_m
        return placed

    @property
    def ground(self) -> Array:
        """Rotation matrix of the ground plane. Shape (2, 2)."""
        return np.asarray(Rotation.from_euler("z", self.turn_rad).as_matrix()[:2, :2])

    def rotate_forces(self, force_n: Array) -> Array:
        """Return forces in the world. Shape (..., 3) in and out."""
        return np.concatenate([force_n[..., :2] @ self.ground.T, force_n[..., 2:]], axis=-1)


@dataclass(frozen=True, slots=True)
class Seam:
    """Gap between two joined pieces: position [m, rad], velocity [m/s, rad/s] and torque."""

    position: float
    velocity: float
    torque_nm: float

    def faults(self) -> list[Reason]:
        """Return the gaps that are too large; empty if the pieces join."""
        reasons = []
        if not self.position <= MAX_POSITION_GAP:  # also catches NaN
            reasons.append(f"pieces of the walk are {self.position:.1e} m or rad apart where they join")
        if not self.velocity <= MAX_VELOCITY_GAP:
            reasons.append(f"pieces of the walk differ by {self.velocity:.1e} m/s or rad/s where they join")
        return [Reason(ReasonKind.LIMIT, None, text) for text in reasons]


def placements(robot: Robot, pieces: Sequence[WalkPiece]) -> list[Placement]:
    """Return the placements of all pieces; the first stays where it was solved."""
    placed = [Placement(0.0, np.zeros(2))]
    for before, after in pairwise(pieces):
        end = placed[-1].apply(before.state(robot, -1)[0])
        start = after.state(robot, 0)[0]
        matrix = _rotation_between(start, end).as_matrix()
        turn = Placement(float(np.arctan2(matrix[1, 0], matrix[0, 0])), np.zeros(2))
        placed.append(Placement(turn.turn_rad, end[:2] - turn.apply(start)[:2]))
    return placed


def worst_seam(robot: Robot, pieces: Sequence[WalkPiece]) -> Seam:
    """Return the largest gaps of all joints between pieces."""
    placed = zip(pieces, placements(robot, pieces), strict=True)
    gaps = [[0.0, 0.0, 0.0]]
    for (before, before_placement), (after, after_placement) in pairwise(placed):
        qpos_end, v_end, u_end = before.state(robot, -1)
        qpos_start, v_start, u_start = after.state(robot, 0)
        qpos_end = before_placement.apply(qpos_end)
        qpos_start = after_placement.apply(qpos_start)
        linear = before_placement.rotate_forces(v_end[:3]) - after_placement.rotate_forces(v_start[:3])
        rotation = _rotation_between(qpos_start, qpos_end).as_rotvec()
        position = np.concatenate([qpos_end[:3] - qpos_start[:3], rotation, qpos_end[7:] - qpos_start[7:]])
        velocity = np.concatenate([linear, v_end[3:] - v_start[3:]])
        gaps.append([float(np.abs(gap).max()) for gap in (position, velocity, u_end - u_start)])
    return Seam(*np.max(gaps, axis=0).tolist())


def _rotation_between(qpos: Array, other: Array) -> Rotation:
    """Return the rotation of the base in world from one configuration to the other. Shapes (nq + 1,)."""
    before, after = (Rotation.from_quat(one[3:7], scalar_first=True) for one in (qpos, other))
    return after * before.inv()


def sample_walk(robot: Robot, pieces: Sequence[WalkPiece], rate_hz: float) -> tuple[Array, Array, Array, Array, Array]:
    """Return evenly spaced time (T,), configurations (T, nq + 1), torques, forces and contacts of the whole walk."""
    starts_s = np.concatenate([[0.0], np.cumsum([piece.duration_s for piece in pieces])])
    time_s = np.arange(int(starts_s[-1] * rate_hz) + 1) / rate_hz
    number = np.clip(np.searchsorted(starts_s, time_s, side="right") - 1, 0, len(pieces) - 1)
    parts = []
    for index, (piece, placement) in enumerate(zip(pieces, placements(robot, pieces), strict=True)):
        piece_s = np.minimum(time_s[number == index] - starts_s[index], piece.duration_s)
        qpos, u, force, contact = piece.sampled(robot, piece_s)
        parts.append((placement.apply(qpos), u, placement.rotate_forces(force), contact))
    qpos, u, force, contact = (np.concatenate(part) for part in zip(*parts, strict=True))
    flipped = np.sum(qpos[1:, 3:7] * qpos[:-1, 3:7], axis=1) < 0.0  # -q is the same rotation as q
    qpos[1:, 3:7] *= np.where(np.cumsum(flipped) % 2, -1.0, 1.0)[:, None]
    return time_s, qpos, u, force, contact


def mirrored_step(robot: Robot, path: Trajectory, problem: OptimalControlProblem) -> Trajectory:
    """Return the mirror image of a step as a trajectory of another problem, which has the mirrored contact rows."""
    mirror = mirror_of(robot, path.problem.tree.velocity_names)
    rows = list(problem.contact.row_names)
    force = np.zeros((len(path.q), len(rows)))
    for index, row in enumerate(path.problem.contact.rows):
        force[:, rows.index(other_side(row.name))] = MIRROR_SIGN[row.axis] * path.force_n[:, index]
    return replace(
        path,
        problem=problem,
        q=mirror.image(path.q),
        v=mirror.image(path.v),
        a=mirror.image(path.a),
        u=mirror_of(robot, robot.joint_names).image(path.u),
        force_n=force,
        impulse_n_s={},
    )
