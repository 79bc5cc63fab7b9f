"""Contact slip: height, rolling and sliding of contact points along a trajectory; the definition of slip on rigid feet.

A corner of a sole slides as far as it moves along the ground, so a sole may roll over its edge and must not twist. A
ball may roll, or turn on the spot: the smaller of the two slips counts. Whether a point touches the ground is measured
from its height, or from its load in a simulation: a contact flag neither starts nor ends a stance.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strut.arrays import Array, Mask
from strut.audit import FOOT_OFF_GROUND_M
from strut.engines.rigid_body import body_poses, foot_sites, points_of_feet, poses
from strut.maths.rotation import rolling_path
from strut.maths.sampling import runs
from strut.robot import ContactPoint, Robot

# A point touches the ground where a pad does: 10 mm of rubber (5 MPa) give by 0.5 mm under 0.25 MPa, the pressure under
# a heel. Walks were measured at 0.5, 1, 2 and 3 mm before this was chosen: feet in swing have moved up to 1.3 mm when
# they are that high, and up to 9 mm when they are 3 mm high, which is no sliding.
ON_GROUND_M = 0.0005
MIN_STEP_M = 0.005  # servos sag by as much (`limits.MIN_CLEARANCE_M`), so a foot that rises less may still carry
MIN_STEP_S = 0.04  # up and down by `MIN_STEP_M`, from rest to rest, at 5 g: 4 sqrt(h / a); no servo moves a foot faster


def points_on_ground(height_m: Array, is_flagged: Mask) -> Mask:
    """Return which contact points are on the ground.

    Args:
        height_m: Shape (T, n).
        is_flagged: Which points are flagged as on the ground; these may be off it by the tolerance of a stance foot.
            Shape (T, n).
    """
    return np.asarray(height_m <= np.where(is_flagged, FOOT_OFF_GROUND_M, ON_GROUND_M))


def slip_since_landing(material_m: Array, is_down: Mask, step_s: float, height_m: Array | None = None) -> Array:
    """Return how far each contact point has slid since it landed; 0 in the air. Shape (T, n).

    A stance ends only with a step: the point is off the ground for at least `MIN_STEP_S`, and rises by `MIN_STEP_M`.

    Args:
        material_m: Paths of the material that touches the ground. Shape (T, n, 2).
        is_down: Which points are on the ground. Shape (T, n).
        step_s: Time between samples.
        height_m: Heights of the points; None where `is_down` is measured as a load. Shape (T, n).
    """
    is_stance = is_down.copy()
    for point, down in enumerate(is_down.T):
        for gap in runs(~down):
            is_brief = (gap.stop - gap.start) * step_s < MIN_STEP_S
            is_low = height_m is not None and height_m[gap, point].max() < MIN_STEP_M
            is_stance[gap, point] = (is_brief or is_low) and gap.start > 0
    lands = is_stance.copy()
    lands[1:] &= ~is_stance[:-1]
    landing = np.maximum.accumulate(np.where(lands, np.arange(len(lands))[:, None], 0), axis=0)
    moved_m = material_m - np.take_along_axis(material_m, landing[..., None], axis=0)
    return np.where(is_down, np.linalg.norm(moved_m, axis=-1), 0.0)


def slip_of_feet(
    robot: Robot,
    point_in_world: Array,
    foot_rotation: Array,
    is_down: Mask,
    step_s: float,
    height_m: Array | None = None,
) -> Array:
    """Return how far the worst point of each foot has slid since it landed. Shape (T, n_feet).

    Args:
        robot: The robot.
        point_in_world: Contact points, in the order of `Robot.point_feet`. Shape (T, n_points, 3).
        foot_rotation: Foot frames to world. Shape (T, n_feet, 3, 3).
        is_down: Which points are on the ground. Shape (T, n_points).
        step_s: Time between samples.
        height_m: As in `slip_since_landing`.
    """
    foot_of_point = np.array(robot.point_feet, dtype=int)
    radius_m = np.array([foot.radius_m for foot in robot.feet])
    path_m = point_in_world[..., :2]
    slip_m = slip_since_landing(path_m, is_down, step_s, height_m)  # as a corner of a sole
    if radius_m.any():
        rolled_m = rolling_path(foot_rotation, radius_m)[:, foot_of_point, :2]
        slip_m = np.minimum(slip_m, slip_since_landing(path_m - rolled_m, is_down, step_s, height_m))
    worst_m = [slip_m[:, foot_of_point == foot].max(axis=1) for foot in range(len(robot.feet))]
    return np.stack(worst_m, axis=1) if worst_m else np.empty((len(is_down), 0))


def slip_under_load(robot: Robot, foot_in_world: Array, qpos: Array, is_loaded: Mask, step_s: float) -> Array:
    """Return how far each foot has slid since it was loaded, in a run whose loads are measured. Shape (T, n_feet).

    The lowest point of a loaded foot is on the ground, and so are points that are higher by at most the tolerance of a
    stance foot.

    Args:
        robot: The robot.
        foot_in_world: Centres of the feet. Shape (T, n_feet, 3).
        qpos: Shape (T, nq).
        is_loaded: Which feet carry. Shape (T, n_feet).
        step_s: Time between samples.
    """
    _, foot_rotation = poses(robot.model, "site", foot_sites(robot).tolist(), qpos)
    point_in_world = points_of_feet(robot, foot_in_world, foot_rotation)
    foot_of_point = np.array(robot.point_feet, dtype=int)
    is_down = is_loaded[:, foot_of_point]
    for foot in range(len(robot.feet)):
        height_m = point_in_world[:, foot_of_point == foot, 2]
        is_down[:, foot_of_point == foot] &= height_m <= height_m.min(axis=1, keepdims=True) + FOOT_OFF_GROUND_M
    return slip_of_feet(robot, point_in_world, foot_rotation, is_down, step_s)


def slip_and_height(
    robot: Robot, points: Sequence[ContactPoint], time_s: Array, qpos: Array, is_flagged: Mask
) -> tuple[Array, Array]:
    """Return how far each contact point has slid since it landed, and the heights of the points. Shape (T, n) each.

    Args:
        robot: The robot.
        points: The n contact points; none is part of a sole.
        time_s: Shape (T,).
        qpos: Shape (T, nq).
        is_flagged: Which points are flagged as on the ground. Shape (T, n).
    """
    material_m, height_m = contact_slip(robot, points, qpos)
    is_down = points_on_ground(height_m, is_flagged)
    return slip_since_landing(material_m[..., :2], is_down, float(time_s[1] - time_s[0]), height_m), height_m


def contact_slip(robot: Robot, points: Sequence[ContactPoint], qpos: Array) -> tuple[Array, Array]:
    """Return the sliding of contact points since the first sample (T, n, 3), and their heights (T, n)."""
    position, rotation = body_poses(robot.model, [point.body for point in points], qpos)
    centre = position + np.einsum("tnij,nj->tni", rotation, np.array([point.position_m for point in points]))
    radius_m = np.array([point.radius_m for point in points])
    return centre - centre[0] - rolling_path(rotation, radius_m), centre[:, :, 2] - radius_m


def rolling_displacement(robot: Robot, points: Sequence[ContactPoint], qpos: Array) -> Array:
    """Return the displacement of balls if they rolled without slipping. Shape (T, nq) in, (T, n, 3) out."""
    _, rotation = body_poses(robot.model, [point.body for point in points], qpos)
    return rolling_path(rotation, np.array([point.radius_m for point in points]))
