"""Walk pieces: solved movements put end to end, each turned and moved to where the one before it stopped."""

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

MIRRORED = np.array([1.0, -1.0, 1.0])  # places and forces in the mirror of the x-z plane
MOST_PLACE = 1e-6
MOST_VELOCITY = 1e-4  # by which pieces that join may miss each other: m or rad, and per s


@dataclass(frozen=True, slots=True, eq=False)
class WalkPiece:
    """A solved movement as it was found, or its mirror image."""

    path: Trajectory
    mirrored: bool = False

    @property
    def duration_s(self) -> float:
        """How long it lasts."""
        return float(self.path.time_s[-1])

    @property
    def way_m(self) -> float:
        """How far it leads over the ground, straight from its start to its end."""
        return float(np.linalg.norm(self.path.q[-1, :2] - self.path.q[0, :2]))

    def end(self, robot: Robot, node: int) -> tuple[Array, Array, Array]:
        """Return configuration (nq + 1,), velocity with the base's angular one in its axes (nv,) and torques (n_u,)."""
        q = self.path.q[node]
        v = self.path.v[node]
        u = self.path.u[node]
        if self.mirrored:
            whole = mirror_of(robot, self.path.problem.tree.velocity_names)
            q = whole.image(q)
            v = whole.image(v)
            u = mirror_of(robot, robot.joint_names).image(u)
        return qpos_from_angles(q), qvel_from_angles(q, v), u

    def sampled(self, robot: Robot, time_s: Array) -> tuple[Array, Array, Array, Array]:
        """Return configurations (T, nq + 1), torques (T, n_u), forces (T, n_feet, 3) and contact (T, n_feet)."""
        q, u, force, contact = self.path.sampled(time_s, robot.foot_names)
        if self.mirrored:
            feet = mirrored_feet(robot.foot_names)
            q = mirror_of(robot, self.path.problem.tree.velocity_names).image(q)
            u = mirror_of(robot, robot.joint_names).image(u)
            force = force[:, feet] * MIRRORED
            contact = contact[:, feet]
        return qpos_from_angles(q), u, force, contact


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a piece is put: turned about the vertical, then moved over the ground. Shape (2,)."""

    turn_rad: float
    move_m: Array

    def of(self, qpos: Array) -> Array:
        """Return configurations where they are put. Shape (..., nq + 1) in and out."""
        placed = qpos.copy()
        turn = Rotation.from_euler("z", self.turn_rad)
        ahead = turn * Rotation.from_quat(qpos[..., 3:7].reshape(-1, 4), scalar_first=True)
        placed[..., 3:7] = ahead.as_quat(canonical=True, scalar_first=True).reshape(qpos[..., 3:7].shape)
        placed[..., :2] = qpos[..., :2] @ self.ground.T + self.move_m
        return placed

    @property
    def ground(self) -> Array:
        """The turn on the ground. Shape (2, 2)."""
        return np.asarray(Rotation.from_euler("z", self.turn_rad).as_matrix()[:2, :2])

    def pushes(self, force_n: Array) -> Array:
        """Return forces where they are put. Shape (..., 3) in and out."""
        return np.concatenate([force_n[..., :2] @ self.ground.T, force_n[..., 2:]], axis=-1)


@dataclass(frozen=True, slots=True)
class Seam:
    """How far two pieces miss each other where they join, in world: m and rad, m/s and rad/s, N m."""

    place: float
    velocity: float
    torque_nm: float

    def complaints(self) -> list[Reason]:
        """Return what does not join; empty if all does."""
        judged = (
            (self.place, MOST_PLACE, f"pieces of the walk miss each other by {self.place:.1e} m or rad"),
            (self.velocity, MOST_VELOCITY, f"pieces of the walk miss each other by {self.velocity:.1e} m/s or rad/s"),
        )
        return [
            Reason(ReasonKind.LIMIT, None, text) for miss, most, text in judged if not miss <= most
        ]  # also catches NaN


def placements(robot: Robot, pieces: Sequence[WalkPiece]) -> list[Placement]:
    """Return where all pieces are put; the first is where it was found."""
    put = [Placement(0.0, np.zeros(2))]
    for before, after in pairwise(pieces):
        here = put[-1].of(before.end(robot, -1)[0])
        there = after.end(robot, 0)[0]
        matrix = _turn_between(there, here).as_matrix()
        turned = Placement(float(np.arctan2(matrix[1, 0], matrix[0, 0])), np.zeros(2))
        put.append(Placement(turned.turn_rad, here[:2] - turned.of(there)[:2]))
    return put


def worst_seam(robot: Robot, pieces: Sequence[WalkPiece]) -> Seam:
    """Return the largest misses of all joins."""
    put = placements(robot, pieces)
    found = [[0.0, 0.0, 0.0]]
    for (one, here), (other, there) in pairwise(zip(pieces, put, strict=True)):
        q, v, u = one.end(robot, -1)
        q_then, v_then, u_then = other.end(robot, 0)
        moved = (here.pushes(v[:3]) - there.pushes(v_then[:3]), v[3:] - v_then[3:])
        q = here.of(q)
        q_then = there.of(q_then)
        place = (q[:3] - q_then[:3], _turn_between(q_then, q).as_rotvec(), q[7:] - q_then[7:])
        misses = (np.concatenate(place), np.concatenate(moved), u - u_then)
        found.append([float(np.abs(miss).max()) for miss in misses])
    return Seam(*np.max(found, axis=0).tolist())


def _turn_between(qpos: Array, then: Array) -> Rotation:
    """Return the turn of the base in world from one configuration to another. Shapes (nq + 1,)."""
    before, after = (Rotation.from_quat(one[3:7], scalar_first=True) for one in (qpos, then))
    return after * before.inv()


def samples(robot: Robot, pieces: Sequence[WalkPiece], rate_hz: float) -> tuple[Array, Array, Array, Array, Array]:
    """Return time (T,), configurations (T, nq + 1), torques, forces and contact of the whole walk, evenly in time."""
    starts_s = np.concatenate([[0.0], np.cumsum([piece.duration_s for piece in pieces])])
    time_s = np.arange(int(starts_s[-1] * rate_hz) + 1) / rate_hz
    number = np.clip(np.searchsorted(starts_s, time_s, side="right") - 1, 0, len(pieces) - 1)
    parts = []
    for index, (piece, put) in enumerate(zip(pieces, placements(robot, pieces), strict=True)):
        inside = np.minimum(time_s[number == index] - starts_s[index], piece.duration_s)
        qpos, u, force, contact = piece.sampled(robot, inside)
        parts.append((put.of(qpos), u, put.pushes(force), contact))
    qpos, u, force, contact = (np.concatenate(part) for part in zip(*parts, strict=True))
    flipped = np.sum(qpos[1:, 3:7] * qpos[:-1, 3:7], axis=1) < 0.0  # the same turn with the other sign
    qpos[1:, 3:7] *= np.where(np.cumsum(flipped) % 2, -1.0, 1.0)[:, None]
    return time_s, qpos, u, force, contact


def mirrored_step(robot: Robot, path: Trajectory, problem: OptimalControlProblem) -> Trajectory:
    """Return the mirror image of a step as one of another problem, whose rows touch where the image does."""
    whole = mirror_of(robot, path.problem.tree.velocity_names)
    rows = list(problem.contact.row_names)
    force = np.zeros((len(path.q), len(rows)))
    for index, row in enumerate(path.problem.contact.rows):
        force[:, rows.index(other_side(row.name))] = MIRRORED[row.axis] * path.force_n[:, index]
    return replace(
        path,
        problem=problem,
        q=whole.image(path.q),
        v=whole.image(path.v),
        a=whole.image(path.a),
        u=mirror_of(robot, robot.joint_names).image(path.u),
        force_n=force,
        impulse_n_s={},
    )
