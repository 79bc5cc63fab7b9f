"""Crawler: configurations of a quadruped on its footprints, from crawl plan, pose and sway of the body."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from strut.arrays import Array
from strut.expression.secondary_motion import SecondaryMotion
from strut.gaits.crawl.crawl_plan import CrawlPlan
from strut.gaits.crawl.key_pose import KeyPose, PoseBlend, ground_under
from strut.kinematics.leg_solver import LegSolver, leg_solvers
from strut.maths.rotation import remove_twist, rotation_y
from strut.robot import Robot


@dataclass(frozen=True, slots=True, eq=False)
class CrawlPosture:
    """Configurations (T, nq); length that each leg needs, and its excess over the leg's length [m]. Shape (T, n)."""

    qpos: Array
    span_m: Array
    excess_m: Array


@dataclass(frozen=True, slots=True, eq=False)
class Crawler:
    """A planned crawl of one robot, whose body can be shifted over the feet.

    Args:
        robot: The robot.
        plan: Footprints and body path.
        legs: Solvers of the robot's legs.
        columns: Indices of the legs' joints among those of the robot, leg by leg; all others stay at zero.
        nose_up_rad: Pitch of the body. Shape (T,).
        height_m: Height of the body's origin over the ground. Shape (T,).
        foot_to_body: Orientation of the feet. Shape (T, n, 3, 3).
        knee_rad: Knee angles to hold. Shape (T, n).
    """

    robot: Robot
    plan: CrawlPlan
    legs: tuple[LegSolver, ...]
    columns: tuple[int, ...]
    nose_up_rad: Array
    height_m: Array
    foot_to_body: Array
    knee_rad: Array

    def base_in_world(self, shift_m: Array) -> Array:
        """Return the body's origin, over the centres of the feet. Shape (T, 2) in, (T, 3) out."""
        return np.stack([self.plan.body_x_m + shift_m[:, 0], shift_m[:, 1], self.height_m], axis=1)

    def feet_in_body(self, shift_m: Array) -> Array:
        """Return the centres of the feet in the body. Shape (T, 2) in, (T, n, 3) out."""
        from_base = self.plan.foot_in_world - self.base_in_world(shift_m)[:, None]
        return np.asarray(from_base @ rotation_y(-self.nose_up_rad))

    def posture(self, shift_m: Array) -> CrawlPosture:
        """Return the configurations; a leg that cannot reach its foot stretches towards it. Shape (T, 2)."""
        feet = self.feet_in_body(shift_m)
        turns = self.foot_to_body
        knees = self.knee_rad
        legs = [leg.place_foot(feet[:, k], turns[:, k], knees[:, k]) for k, leg in enumerate(self.legs)]
        angles = np.zeros((len(shift_m), len(self.robot.joint_names)))
        angles[:, self.columns] = np.unwrap(np.concatenate([leg.joints_rad for leg in legs], axis=1), axis=0)
        middle = (self.robot.joint_lower_rad + self.robot.joint_upper_rad) / 2.0
        angles -= np.round((angles[0] - middle) / (2.0 * np.pi)) * 2.0 * np.pi
        half = self.nose_up_rad / 2.0
        quaternion = np.stack([np.cos(half), np.zeros_like(half), -np.sin(half), np.zeros_like(half)], axis=1)
        base = self.base_in_world(shift_m) + np.array([0.0, 0.0, self.robot.feet[0].radius_m])
        return CrawlPosture(
            np.concatenate([base, quaternion, angles], axis=1),
            np.stack([leg.span_m for leg in legs], axis=1),
            np.stack([leg.excess_m for leg in legs], axis=1),
        )


def crawler(
    robot: Robot, pose: KeyPose | PoseBlend, plan: CrawlPlan, secondary: SecondaryMotion | None = None
) -> Crawler:
    """Return the crawl of a robot in a pose, with the height and pitch that secondary motion adds to its body."""
    feet = pose.feet(plan.weight)
    turns = pose.foot_rotations(plan.weight)
    knees = pose.knees(plan.weight)
    ground = ground_under(feet)
    if secondary is not None:
        nose_up_rad = ground.nose_up_rad - secondary.pitch_rad
        height_m = ground.height_m * (1.0 + secondary.rise)
        ground = replace(ground, nose_up_rad=nose_up_rad, height_m=height_m)
    foot_to_body = _feet_tilted_by_plan(pose, plan, ground.nose_up_rad)
    legs = leg_solvers(robot)
    knee_rad = np.stack(
        [leg.body_fixed_knee(feet[:, i], turns[:, i], knees[:, i]) for i, leg in enumerate(legs)], axis=1
    )
    return Crawler(
        robot=robot,
        plan=plan,
        legs=legs,
        columns=tuple(robot.joint_names.index(joint) for leg in robot.legs for joint in leg.joints),
        nose_up_rad=ground.nose_up_rad,
        height_m=ground.height_m,
        foot_to_body=foot_to_body,
        knee_rad=np.unwrap(knee_rad, axis=0),
    )


def _feet_tilted_by_plan(pose: KeyPose | PoseBlend, plan: CrawlPlan, nose_up_rad: Array) -> Array:
    """Return the feet's orientation in the body: that of the pose, relative to a body that may express less of it.

    The spin of a ball about its own axis is invisible and costs speed, so that part of the published turn is omitted.
    """
    per_leg = []
    for leg in range(plan.foot_weight.shape[1]):
        weight = plan.foot_weight[:, leg]
        own_pitch = ground_under(pose.feet(weight)).nose_up_rad
        per_leg.append(rotation_y(nose_up_rad - own_pitch) @ remove_twist(pose.foot_rotations(weight)[:, leg]))
    return np.stack(per_leg, axis=1)
