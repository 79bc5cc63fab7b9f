"""Robot points: the parts of a robot as points of its bodies, and its motions as body movements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from strut.arrays import Array, Mask
from strut.engines.rigid_body import poses
from strut.errors import BadTableError, UnknownNameError
from strut.motion import Motion
from strut.retargeting.body_movement import SIDES, BodyMovement
from strut.retargeting.body_parts import ARM_PARTS, LEG_PARTS, BodyParts
from strut.robot import Robot

BodyPoint = tuple[str, tuple[float, float, float]]


@dataclass(frozen=True, slots=True, eq=False)
class RobotPoints:
    """The parts of a robot.

    Args:
        robot: The robot.
        place: Body and place on it of each point, as named in `BodyMovement`; `toe_left` is the frame of the foot.
        body: Bodies of pelvis, trunk, head, foot_left and foot_right.
        upright: Rotations of these bodies to world as the robot stands. Shape (3, 3) each.
        feet: Index of the left and of the right foot.
        foot_from_ankle_m: Foot frames from the ankles as the robot stands, facing x. Shape (3,) each.
        leg_m: From hip to sole as the robot stands with straight legs.
        stretched_m: From hip to ankle with straight legs.
    """

    robot: Robot
    place: Mapping[str, BodyPoint]
    body: Mapping[str, str]
    upright: Mapping[str, Array]
    feet: tuple[int, int]
    foot_from_ankle_m: tuple[Array, Array]
    leg_m: float
    stretched_m: float

    @classmethod
    def of(cls, robot: Robot, parts: BodyParts) -> RobotPoints:
        """Return the points of a robot; raises BadTableError for a name that the robot does not have."""
        wanted = [f"{part}_{side}" for part in LEG_PARTS[:3] for side in SIDES]
        if parts.has_arms:
            wanted += [f"{part}_{side}" for part in ARM_PARTS for side in SIDES]
        place = {name: _place(robot, getattr(parts, name)) for name in wanted}
        names = [getattr(parts, f"toe_{side}") for side in SIDES]
        if unknown := [name for name in names if name not in robot.foot_names]:
            raise UnknownNameError("foot", unknown[0], robot.foot_names, f"The robot.toml of {robot.name}")
        left, right = (robot.foot_names.index(name) for name in names)
        for side, foot in zip(SIDES, (left, right), strict=True):
            place[f"toe_{side}"] = _place(robot, robot.feet[foot].frame)
        body = {kind: name for kind in ("pelvis", "trunk", "head") if (name := getattr(parts, kind)) is not None}
        body |= {f"foot_{side}": place[f"toe_{side}"][0] for side in SIDES}
        standing = robot.standing_qpos[None]
        position, _ = _poses(robot, place, standing)
        _, rotation = poses(robot.model, "body", [robot.model.body(name).id for name in body.values()], standing)
        hip, knee, ankle, sole = (position[f"{part}_left"][0] for part in LEG_PARTS)
        stretched_m = float(np.linalg.norm(knee - hip) + np.linalg.norm(ankle - knee))
        return cls(
            robot,
            place,
            body,
            {name: rotation[0, index] for index, name in enumerate(body)},
            (left, right),
            (position["toe_left"][0] - ankle, position["toe_right"][0] - position["ankle_right"][0]),
            stretched_m + float(ankle[2] - sole[2]),
            stretched_m,
        )

    def movement(self, motion: Motion) -> BodyMovement:
        """Return a motion of the robot as a body movement, its ground at height 0."""
        robot = self.robot
        points, _ = _poses(robot, self.place, motion.qpos)
        index = [robot.model.body(name).id for name in self.body.values()]
        _, rotation = poses(robot.model, "body", index, motion.qpos)
        turns = {name: rotation[:, number] @ self.upright[name].T for number, name in enumerate(self.body)}
        contact = self.leg_contact(motion) if motion.contact.any() else None
        return BodyMovement(robot.name, motion.time_s - motion.time_s[0], points, turns, self.leg_m, contact)

    def motion(self, time_s: Array, qpos: Array, contact: Mask) -> Motion:
        """Return a motion of the robot. Shapes (T,), (T, nq) and, of the left and the right foot, (T, 2)."""
        robot = self.robot
        of_feet = np.zeros((len(time_s), len(robot.feet)), dtype=bool)
        of_feet[:, list(self.feet)] = contact
        return Motion(robot.name, time_s, qpos, robot.joint_names, of_feet, robot.foot_names)

    def leg_contact(self, motion: Motion) -> Mask:
        """Return whether any foot of the left and of the right leg is on the ground. Shape (T, 2)."""
        legs = {foot: leg for leg in self.robot.legs for foot in leg.feet}
        own = [legs[self.robot.foot_names[foot]].feet for foot in self.feet]
        return np.stack(
            [motion.contact[:, [name in feet for name in motion.foot_names]].any(axis=1) for feet in own], axis=1
        )


def _place(robot: Robot, name: str) -> BodyPoint:
    """Return the body and the place on it of a joint's anchor, a frame or a body's origin."""
    model = robot.model
    joints = [model.joint(index).name for index in range(model.njnt)]
    sites = [model.site(index).name for index in range(model.nsite)]
    bodies = [model.body(index).name for index in range(model.nbody)]
    if name in joints:
        joint = joints.index(name)
        return bodies[model.jnt_bodyid[joint]], tuple(model.jnt_pos[joint].tolist())
    if name in sites:
        site = sites.index(name)
        return bodies[model.site_bodyid[site]], tuple(model.site_pos[site].tolist())
    if name in bodies:
        return name, tuple(model.body_ipos[bodies.index(name)].tolist())
    raise BadTableError(f"{robot.name} has no joint, frame or body '{name}', which the file of parts names.")


def _poses(robot: Robot, place: Mapping[str, BodyPoint], qpos: Array) -> tuple[dict[str, Array], Array]:
    """Return points in world (T, 3) by name, and the rotations of their bodies (T, n, 3, 3)."""
    index = [robot.model.body(body).id for body, _ in place.values()]
    origin, rotation = poses(robot.model, "body", index, qpos)
    offset = np.einsum("tnij,nj->tni", rotation, np.array([where for _, where in place.values()]))
    return {name: (origin + offset)[:, number] for number, name in enumerate(place)}, rotation
