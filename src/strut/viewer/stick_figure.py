"""Stick figure: a robot as sticks from joint to joint with outlines of soles, which do not hide the ground."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import mujoco
import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.engines.rigid_body import foot_sites, poses
from strut.models.solids import Solid
from strut.robot import Robot
from strut.schemas.fields import Color

LEFT = (0.20, 0.30, 0.50, 1.0)
RIGHT = (0.78, 0.47, 0.16, 1.0)
MIDDLE = (0.36, 0.38, 0.42, 1.0)
STICK_SHARE = 0.008  # radius of a stick over the size of the figure
JOINT = 1.7  # radius of the ball of a joint over that of a stick
OUTLINE = 0.6  # the same of outlines
MIN_LENGTH = 1.0  # of a stick in radii; a shorter one would be hidden in the ball of its joint


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """A part of the figure: shape, the body that carries it, and its pose in the frame of that body."""

    solid: Solid
    body: int
    centre_m: Array
    turn: Array


def sticks(robot: Robot) -> tuple[Solid, ...]:
    """Return the parts of the robot's stick figure, in the order of `stick_poses`."""
    return tuple(piece.solid for piece in _pieces(robot))


def stick_poses(robot: Robot, qpos: Array) -> tuple[Array, Array]:
    """Return the poses of the sticks. Shape (T, nq) in; centres (T, n, 3) and rotations (T, n, 3, 3) out."""
    pieces = _pieces(robot)
    position, body_to_world = poses(robot.model, "body", [piece.body for piece in pieces], qpos)
    centre = np.array([piece.centre_m for piece in pieces])
    turn = np.array([piece.turn for piece in pieces])
    return position + np.einsum("tnij,nj->tni", body_to_world, centre), body_to_world @ turn


@lru_cache(maxsize=16)
def _pieces(robot: Robot) -> tuple[_Piece, ...]:
    model = robot.model
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    places = np.concatenate([data.xpos[1:], data.xipos[1:]])
    radius_m = STICK_SHARE * float(np.linalg.norm(np.ptp(places, axis=0)))
    pieces: list[_Piece] = []
    for body in range(1, model.nbody):
        aside_m = float(data.xipos[body, 1])
        color = MIDDLE if abs(aside_m) < radius_m else LEFT if aside_m > 0.0 else RIGHT
        pieces += _body_pieces(robot, body, radius_m, color)
    return tuple(pieces)


def _body_pieces(robot: Robot, body: int, radius_m: float, color: Color) -> list[_Piece]:
    """Return the figure of one body: a ball, sticks to its children or its end, and its feet."""
    model = robot.model
    pieces = [_ball(body, np.zeros(3), JOINT * radius_m, color)]
    children = [child for child in range(1, model.nbody) if model.body_parentid[child] == body]
    sole_m = _sole(robot, model, body)
    ends_m = [*model.body_pos[children], *(sole_m or model.site_pos[_sites(robot, model, body)])]
    if not ends_m or model.body_parentid[body] == 0:  # the root is more than its children
        ends_m.append(model.body_ipos[body])
        pieces.append(_ball(body, ends_m[-1].copy(), JOINT * radius_m, color))
    far_m = [end_m for end_m in ends_m if np.linalg.norm(end_m) > MIN_LENGTH * radius_m]
    pieces += [_stick(body, np.zeros(3), end_m, radius_m, color) for end_m in far_m]
    return pieces + (_outline(body, sole_m, radius_m, color) or _feet(robot, model, body, radius_m, color))


def _sites(robot: Robot, model: mujoco.MjModel, body: int) -> list[int]:
    return [site for site in foot_sites(robot).tolist() if model.site_bodyid[site] == body]


def _feet(robot: Robot, model: mujoco.MjModel, body: int, radius_m: float, color: Color) -> list[_Piece]:
    """Return the feet of a body: balls, and outlines of soles."""
    pieces = []
    for foot in robot.feet:
        site = model.site(foot.frame).id
        if model.site_bodyid[site] != body:
            continue
        middle_m = np.array(model.site_pos[site])
        turn = np.empty(9)
        mujoco.mju_quat2Mat(turn, model.site_quat[site])
        if len(foot.outline_m) < 3:
            pieces.append(_ball(body, middle_m, max(foot.radius_m, radius_m), color))
            continue
        corners = middle_m + np.array([(x, y, OUTLINE * radius_m) for x, y in foot.outline_m]) @ turn.reshape(3, 3).T
        from_middle = np.array(foot.outline_m) - np.mean(foot.outline_m, axis=0)
        around = corners[np.argsort(np.arctan2(from_middle[:, 1], from_middle[:, 0]))]
        pieces += _outline(body, [*around], radius_m, color)
    return pieces


def _sole(robot: Robot, model: mujoco.MjModel, body: int) -> list[Array]:
    """Return the lowest points of a body's balls if three or more of them form a sole; else nothing."""
    balls = [foot for foot in robot.feet if len(foot.outline_m) < 3]
    own = [foot for foot in balls if model.site_bodyid[model.site(foot.frame).id] == body]
    places = [model.site_pos[model.site(foot.frame).id] - np.array([0.0, 0.0, foot.radius_m]) for foot in own]
    return places if len(places) > 2 else []


def _outline(body: int, corners_m: list[Array], radius_m: float, color: Color) -> list[_Piece]:
    """Return sticks from corner to corner and back to the first."""
    pairs = zip(corners_m, [*corners_m[1:], *corners_m[:1]], strict=True)
    return [_stick(body, start, stop, OUTLINE * radius_m, color) for start, stop in pairs]


def _ball(body: int, centre_m: Array, radius_m: float, color: Color) -> _Piece:
    return _Piece(Solid("sphere", np.array([radius_m, 0.0, 0.0]), color), body, centre_m, np.eye(3))


def _stick(body: int, start_m: Array, stop_m: Array, radius_m: float, color: Color) -> _Piece:
    """Return a stick between two points of a body's frame. Shape (3,) each."""
    along = stop_m - start_m
    length_m = float(np.linalg.norm(along))
    turn = Rotation.align_vectors(along[None] / length_m, np.array([[0.0, 0.0, 1.0]]))[0].as_matrix()
    solid = Solid("capsule", np.array([radius_m, length_m / 2.0, 0.0]), color)
    return _Piece(solid, body, (start_m + stop_m) / 2.0, turn)
