"""Rig file: bones, shapes, feet and eyes of a robot as JSON, from which the Blender add-on builds a rig.

Lengths in metres, angles in radians; axes are columns of 3 x 3 matrices, written row by row; quaternions do not occur.
The rest pose is how a story begins: standing on all feet, or in the first pose of a motion.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from strut.animation.animation_ik import planted_stance
from strut.arrays import Array
from strut.engines.rigid_body import body_poses
from strut.errors import BadTableError
from strut.models.catalogue import robot_of
from strut.models.rig import Rig, bone_parts, build_rig, foot_bones
from strut.models.solid_mesh import solid_mesh
from strut.models.solids import Solid
from strut.motion import Motion
from strut.plumbing.atomic_files import check_writable, write_atomically
from strut.robot import FLOATING, Robot
from strut.schemas.eyes import LOOKS
from strut.schemas.keyframes import Animation, AnimationKey
from strut.viewer.eyes import eye_solids, face_axes

FORMAT = "strut rig"
VERSION = 1
CORNERS = 16  # of a circle in the meshes of eyes


def export_rig(source: Robot | Motion, path: Path | str, *, force: bool = False) -> Rig:
    """Write the rig of a robot for Blender; of a motion, the rig of its robot in the first pose.

    Example:
        >>> strut.animation.export_rig(strut.load_robot("cassie"), "cassie.json", force=True).names[0]
        'pelvis'
    """
    path = Path(path)
    check_writable(path, force=force, ending=".json")
    robot = robot_of(source) if isinstance(source, Motion) else source
    posture = _posture_deg(source, robot) if isinstance(source, Motion) else {}
    rig = build_rig(robot, rest_qpos(robot, posture))
    content = {**_bones(rig, robot), "shapes": _shapes(rig, robot), "posture_deg": posture}
    write_atomically(path, json.dumps(content | _feet(rig, robot) | _eyes(rig, robot)).encode(), force=force)
    return rig


def rest_qpos(robot: Robot, posture_deg: dict[str, float]) -> Array:
    """Return the configuration before an animation; without feet, that of the robot's folder. Shape (nq,)."""
    if not (robot.floats and robot.feet):
        return robot.standing_qpos
    still = (AnimationKey(0.0), AnimationKey(1.0))
    return planted_stance(robot, Animation("rig", "neutral", still, posture_deg=posture_deg)).qpos


def _posture_deg(motion: Motion, robot: Robot) -> dict[str, float]:
    angles = np.degrees(motion.qpos[0, robot.base_size :])
    return {name: round(float(angle), 4) for name, angle in zip(robot.joint_names, angles, strict=True)}


def _bones(rig: Rig, robot: Robot) -> dict[str, Any]:
    table = robot.tables.control
    springs = {} if table is None else {spring.joint: spring for spring in table.spring}
    bones: list[dict[str, Any]] = []
    for index, name in enumerate(rig.names):
        bone = {
            "name": name,
            "parent": rig.parents[index],
            "start_m": _rounded(rig.start_m[index]),
            "axes": _rounded(rig.rotation[index]),
            "length_m": float(rig.length_m[index]),
        }
        if index:
            joint = index - 1
            bone |= {
                "angle_rad": float(rig.qpos[rig.base_size + joint]),
                "lower_rad": float(robot.joint_lower_rad[joint]),
                "upper_rad": float(robot.joint_upper_rad[joint]),
            }
        if name in springs:
            spring = springs[name]
            bone["spring"] = {"rest_rad": spring.rest_rad, "follows": spring.follows, "ratio": spring.ratio}
        bones.append(bone)
    return {
        "format": FORMAT,
        "version": VERSION,
        "robot": robot.name,
        "fingerprint": robot.fingerprint,
        "base": {0: "fixed", 3: "platform", FLOATING: "floating"}[robot.base_size],
        "bones": bones,
    }


def _shapes(rig: Rig, robot: Robot) -> list[dict[str, Any]]:
    """Return the visible parts of the body, triangles in the axes of their bones."""
    parts = bone_parts(rig, robot)
    return [{"bone": rig.names[part.bone], **_triangles(part.solid, part.offset_m, part.rotation)} for part in parts]


def _triangles(solid: Solid, offset_m: Array, rotation: Array) -> dict[str, Any]:
    mesh = solid_mesh(solid, around=CORNERS)
    return {
        "color": list(solid.color),
        "vertices_m": _rounded(mesh.vertices @ rotation.T + offset_m, 5),
        "faces": mesh.faces.tolist(),
    }


def _feet(rig: Rig, robot: Robot) -> dict[str, Any]:
    """Return the feet of a standing body: their frames in bone axes, and the joints of their legs."""
    if not (robot.floats and robot.feet):
        return {"feet": []}
    legs = {foot: leg for leg in robot.legs for foot in leg.feet}
    feet = []
    for foot, bone, turns in zip(robot.feet, foot_bones(robot), robot.foot_turns, strict=True):
        if foot.name not in legs:
            raise BadTableError(f"{robot.name}: no leg ends in the foot {foot.name}, so that a rig could not place it.")
        place, turn = body_poses(robot.model, [foot.points[0].body], rig.qpos[None])
        in_world = place[0, 0] + turn[0, 0] @ np.array(foot.frame_m)
        to_bone = rig.rotation[bone].T
        feet.append(
            {
                "name": foot.name,
                "bone": rig.names[bone],
                "place_m": _rounded([*in_world[:2], foot.radius_m]),
                "yaw_rad": float(np.arctan2(turn[0, 0, 1, 0], turn[0, 0, 0, 0])),
                "offset_m": _rounded(to_bone @ (in_world - rig.start_m[bone])),
                "axes": _rounded(to_bone @ turn[0, 0]),
                "keeps": turns.tolist(),
                "joints": list(legs[foot.name].joints),
            }
        )
    return {"feet": feet}


def _eyes(rig: Rig, robot: Robot) -> dict[str, Any]:
    """Return the eyes: ball, iris, pupil, glint and lids of each, about its centre in the axes of the face."""
    eyes = robot.tables.eyes
    if eyes is None:
        return {"eyes": None}
    model = robot.model
    body = model.body(eyes.link).id
    while body and not model.body_jntnum[body]:
        body = int(model.body_parentid[body])
    carried = {int(model.jnt_bodyid[model.joint(name).id]): k for k, name in enumerate(rig.names) if k}
    bone = carried.get(body, 0)
    place, turn = body_poses(model, [eyes.link], rig.qpos[None])
    to_bone = rig.rotation[bone].T
    middles = [place[0, 0] + turn[0, 0] @ np.array(middle) for middle in (eyes.left_m, eyes.right_m)]
    parts = eye_solids(eyes)[: len(eye_solids(eyes)) // 2]
    return {
        "eyes": {
            "bone": rig.names[bone],
            "middles_m": [_rounded(to_bone @ (middle - rig.start_m[bone])) for middle in middles],
            "axes": _rounded(to_bone @ turn[0, 0] @ face_axes(eyes)),
            "radius_m": eyes.radius_m,
            "parts": [_triangles(part, np.zeros(3), np.eye(3)) for part in parts],
            "looks_deg": {name: list(look) for name, look in LOOKS.items()},
        }
    }


def _rounded(values: Any, digits: int = 9) -> Any:
    return np.round(np.asarray(values, dtype=np.float64), digits).tolist()
