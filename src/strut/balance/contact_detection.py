"""Contact detection: which feet stand on the ground, from the movement alone.

A foot stands while its lowest point is near its floor and slow. A first estimate takes wide bounds, which grow with the
robot (Froude scaling), so a robot of 20 cm and one of 1.8 m are judged alike. Then the bounds shrink to the spread of
heights and speeds within the first estimate: in a planned motion feet stand exactly, in a retargeted clip they wander
by centimetres. Each foot has a floor of its own, because a clip may float or sink: that must not hide its steps.
"""

from __future__ import annotations

import numpy as np

from strut.arrays import Array, Mask
from strut.engines.rigid_body import GRAVITY_M_S2, foot_contact_points
from strut.maths.sampling import fill_short_gaps
from strut.robot import Robot

# Of retargeted human walks on a humanoid whose base is 0.75 m high, these find 99 % of the stance samples.
NEAR_FLOOR = 0.04  # of the height of the standing base: a lower point is at the floor
SLOW = 0.11  # of sqrt(g h): a slower point stands
FLOOR_PERCENTILE = 5.0  # of the heights of the lowest point; a few samples below are noise
SPREADS = 4.0  # median absolute deviations from the median: beyond, a sample is no stance
MIN_SPREAD_M = 0.003  # a stance foot of a plan may be so far off the ground
MIN_SPREAD_SPEED = 0.01  # of sqrt(g h): 3 cm/s of a humanoid
MIN_GAP_S = 0.08  # no leg swings faster: shorter gaps in a stance are noise
MIN_STANCE_S = 0.05  # a shorter stance carries nothing
MIN_BASE_HEIGHT_M = 0.02  # no robot on legs is lower


def detect_contacts(robot: Robot, time_s: Array, qpos: Array) -> Mask:
    """Return which feet stand on the ground. Shapes (T,) and (T, nq) in, (T, n_feet) out."""
    if not robot.feet:
        return np.zeros((len(qpos), 0), dtype=bool)
    height_m = base_height(robot)
    natural_speed_m_s = float(np.sqrt(GRAVITY_M_S2 * height_m))
    point_m = foot_contact_points(robot, qpos)
    foot_of_point = np.array(robot.point_feet)
    step_s = float(np.median(np.diff(time_s)))
    contact = np.zeros((len(qpos), len(robot.feet)), dtype=bool)
    for foot in range(len(robot.feet)):
        own_m = point_m[:, foot_of_point == foot]
        point_speed_m_s = np.linalg.norm(np.gradient(own_m, step_s, axis=0), axis=2)  # (T, n_points)
        lowest = np.argmin(own_m[..., 2], axis=1)
        samples = np.arange(len(qpos))
        lowest_m = own_m[samples, lowest, 2]
        speed_m_s = point_speed_m_s[samples, lowest]
        floor_m = np.percentile(lowest_m, FLOOR_PERCENTILE)
        max_height_m = floor_m + NEAR_FLOOR * height_m
        max_speed_m_s = SLOW * natural_speed_m_s
        stands = (lowest_m < max_height_m) & (speed_m_s < max_speed_m_s)
        if stands.any():
            max_height_m = min(max_height_m, _upper_spread(lowest_m[stands], MIN_SPREAD_M))
            max_speed_m_s = min(max_speed_m_s, _upper_spread(speed_m_s[stands], MIN_SPREAD_SPEED * natural_speed_m_s))
            stands = (lowest_m < max_height_m) & (speed_m_s < max_speed_m_s)
        stands = fill_short_gaps(stands, MIN_GAP_S / step_s)
        contact[:, foot] = ~fill_short_gaps(~stands, MIN_STANCE_S / step_s)
    return contact


def _upper_spread(values: Array, min_spread: float) -> float:
    """Return the largest value that belongs to the bulk of values. Shape (n,)."""
    median = float(np.median(values))
    return median + max(SPREADS * float(np.median(np.abs(values - median))), min_spread)


def base_height(robot: Robot) -> float:
    """Return the height of a standing robot's base above its soles [m], by which speeds and lengths are scaled."""
    standing = robot.standing_qpos[None]
    sole_m = foot_contact_points(robot, standing)[0, :, 2].min()
    base_m = standing[0, 2] if robot.floats else 0.0
    return max(float(base_m - sole_m), MIN_BASE_HEIGHT_M)
