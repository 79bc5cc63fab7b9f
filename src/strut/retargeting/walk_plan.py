"""Walk plan: where and when a robot's feet stand and swing, and where its body is to be, after another body's walk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.ndimage import gaussian_filter1d, maximum_filter1d

from strut.arrays import Array, Mask
from strut.maths.easing import MAX_RAMP_S, eased_time, smooth_step
from strut.maths.rotation import elementary_rotation
from strut.maths.sampling import runs
from strut.retargeting.body_movement import SIDES, BodyMovement, facing_rad
from strut.retargeting.robot_points import RobotPoints

HOLD_S = 0.8  # the robot stands so long before and after the walk
WAY_S = 0.5  # standard deviation of the filter from the path of the pelvis to the way of the walk
PELVIS_S = 0.06  # likewise, of the path of the pelvis itself
STILL_SHARE = 0.1  # of the walking speed: samples of an ankle that is slower determine its footprint
CLEARANCE = 0.053  # of the leg: added height of a foot in the middle of its swing; 40 mm of G1
MIN_PITCH_RAD = -0.35
MAX_PITCH_RAD = 0.45
PITCH_SHARE = 0.5  # of the human's pitch of a foot in the air
ROUND = 0.05  # sine of a pitch from which half the sole is added to the height of a foot
REACH = 0.985  # of the stretched leg
REACH_S = 0.25  # the pelvis is low enough for the farthest reach within this time,
LOWERING_S = 0.12  # smoothed with this standard deviation


@dataclass(frozen=True, slots=True, eq=False)
class WalkPlan:
    """Targets of a robot's body, per sample.

    Args:
        time_s: Evenly spaced. Shape (T,).
        movement: The other body's movement at these times.
        contact: Feet on the ground, left and right. Shape (T, 2).
        foot_m: Frames of the feet. Shape (T, 2, 3).
        foot_rotation: Feet to world, from standing. Shape (T, 2, 3, 3).
        hold: Weight of a foot's target in [0, 1]: 1 in stance, low in the middle of a swing. Shape (T, 2).
        pelvis_m: Middle of the hips before it is lowered to where the legs reach. Shape (T, 3).
        zmp_m: Zero-moment point on the ground: in the middle of the sole that stands. Shape (T, 2).
        walking: The samples between the hold at the start and the one at the end.
    """

    time_s: Array
    movement: BodyMovement
    contact: Mask
    foot_m: Array
    foot_rotation: Array
    hold: Array
    pelvis_m: Array
    zmp_m: Array
    walking: slice


def plan_walk(
    movement: BodyMovement, target: RobotPoints, *, steps: float, width_m: float, slower: float, rate_hz: float
) -> WalkPlan:
    """Return the steps of a robot after a movement with stances.

    Args:
        movement: With contacts, from both feet on the ground to both.
        target: The robot.
        steps: Factor on the length of the steps.
        width_m: Smallest distance of the feet across the way.
        slower: Factor on the duration.
        rate_hz: Samples per second.
    """
    source_s = float(movement.time_s[-1])
    moving_s = slower * source_s + MAX_RAMP_S
    count = round((moving_s + 2.0 * HOLD_S) * rate_hz) + 1
    time_s = np.arange(count) / rate_hz
    on_clock_s = eased_time(np.clip(time_s - HOLD_S, 0.0, moving_s), moving_s) * source_s / (slower * source_s)
    on_clock_s = np.clip(on_clock_s, 0.0, source_s)
    moved = movement.at(on_clock_s)
    assert moved.contact is not None, "stances are found before steps are planned"
    scale = target.leg_m / movement.leg_m
    shrink = np.array([scale * steps, scale * steps, scale])
    way_m, way_rad = _way(movement, shrink)
    prints = [_footprints(movement, target, foot, shrink, way_m, way_rad, width_m) for foot in range(2)]
    foot_m = np.empty((count, 2, 3))
    foot_rotation = np.empty((count, 2, 3, 3))
    hold = np.ones((count, 2))
    for foot in range(2):
        stances, place, yaw = prints[foot]
        start = np.searchsorted(on_clock_s, movement.time_s[[stance.start for stance in stances]] - 1e-9)
        stop = np.searchsorted(on_clock_s, movement.time_s[[stance.stop - 1 for stance in stances]] + 1e-9)
        start[0] = 0
        stop[-1] = count
        path = _FootPath(moved, target, foot, scale, shrink)
        for index in range(len(stances)):
            foot_m[start[index] : stop[index], foot] = [*place[index], 0.0]
            foot_rotation[start[index] : stop[index], foot] = elementary_rotation(2, yaw[index])
            if index + 1 < len(stances):
                swing = slice(int(stop[index]), int(start[index + 1]))
                foot_m[swing, foot], foot_rotation[swing, foot] = path.swing(
                    swing, place[index : index + 2], yaw[index : index + 2]
                )
                u = path.share(swing)
                hold[swing, foot] = 1.0 - smooth_step(np.minimum(u, 1.0 - u) / 0.4)
        moved.contact[:, foot] = True
        for index in range(len(stances) - 1):
            moved.contact[int(stop[index]) : int(start[index + 1]), foot] = False
    pelvis = gaussian_filter1d(moved.pelvis_m * shrink, PELVIS_S * rate_hz, axis=0, mode="nearest")
    walking = slice(round(HOLD_S * rate_hz), count - round(HOLD_S * rate_hz))
    zmp = _zmp_path(moved.contact, foot_m[..., :2], round(HOLD_S * rate_hz))
    return WalkPlan(time_s, moved, moved.contact, foot_m, foot_rotation, hold, pelvis, zmp, walking)


def _way(movement: BodyMovement, shrink: Array) -> tuple[Array, Array]:
    """Return the smoothed way of the pelvis (T, 2) and its direction (T,), which is the heading of the pelvis."""
    width = WAY_S / movement.step_s
    way_m = gaussian_filter1d(movement.pelvis_m[:, :2] * shrink[:2], width, axis=0, mode="nearest")
    return way_m, gaussian_filter1d(facing_rad(movement.rotation["pelvis"]), width, mode="nearest")


def _footprints(
    movement: BodyMovement, target: RobotPoints, foot: int, shrink: Array, way_m: Array, way_rad: Array, width_m: float
) -> tuple[list[slice], Array, Array]:
    """Return the stances of a foot, and where (n, 2) and with which yaw (n,) the robot's foot stands in each.

    A print is where the ankle was slowest, moved outwards until it is half the width beside the way.
    """
    side = SIDES[foot]
    outwards = 1.0 if foot == 0 else -1.0
    assert movement.contact is not None
    stances = [*runs(movement.contact[:, foot])]
    ankle_m = movement.point_m[f"ankle_{side}"] * shrink
    speed_m_s = np.linalg.norm(np.gradient(movement.point_m[f"ankle_{side}"], movement.step_s, axis=0), axis=1)
    travel_m_s = np.linalg.norm(np.gradient(movement.pelvis_m[:, :2], movement.step_s, axis=0), axis=1)
    still_m_s = max(STILL_SHARE * float(np.median(travel_m_s)), 0.02)
    yaws = facing_rad(movement.rotation[f"foot_{side}"])
    place = np.empty((len(stances), 2))
    yaw = np.empty(len(stances))
    for index, stance in enumerate(stances):
        slow = speed_m_s[stance] - speed_m_s[stance].min()
        weight = np.exp(-((slow / still_m_s) ** 2))
        weight /= weight.sum()
        yaw[index] = weight @ yaws[stance]
        turned = elementary_rotation(2, yaw[index]) @ target.foot_from_ankle_m[foot]
        place[index] = weight @ ankle_m[stance, :2] + turned[:2]
        middle = weight @ way_m[stance]
        angle = float(weight @ way_rad[stance])
        across = np.array([-np.sin(angle), np.cos(angle)])
        lacking_m = 0.5 * width_m - outwards * float((place[index] - middle) @ across)
        place[index] += max(lacking_m, 0.0) * outwards * across
    return stances, place, yaw


@dataclass(frozen=True, slots=True, eq=False)
class _FootPath:
    """The path of one foot through the air."""

    moved: BodyMovement
    target: RobotPoints
    foot: int
    scale: float
    shrink: Array

    def share(self, swing: slice) -> Array:
        """Return how much of a swing is over, 0 and 1 one sample outside it. Shape (n,)."""
        count = swing.stop - swing.start
        return np.asarray(np.arange(1, count + 1) / (count + 1))

    def swing(self, swing: slice, place: Array, yaw: Array) -> tuple[Array, Array]:
        """Return frames (n, 3) and rotations (n, 3, 3) of the foot from one print (2,) with its yaw to the next."""
        side = SIDES[self.foot]
        u = self.share(swing)
        quintic = smooth_step(u)[:, None]
        window = (4.0 * u * (1.0 - u)) ** 3
        turn = elementary_rotation(2, yaw[0] + (yaw[1] - yaw[0]) * quintic[:, 0])
        own = self.moved.point_m[f"ankle_{side}"][swing]
        ahead_m = own[:, :2] * self.shrink[:2] + (turn @ self.target.foot_from_ankle_m[self.foot])[:, :2]
        missed = place - ahead_m[[0, -1]]
        human_m = ahead_m + missed[0] * (1.0 - quintic) + missed[1] * quintic
        straight_m = place[0] + (place[1] - place[0]) * quintic
        path_m = straight_m + window[:, None] * (human_m - straight_m)
        risen = [
            self.moved.point_m[f"{part}_{side}"][swing, 2] - self._standing_height(part, side, swing)
            for part in ("ankle", "toe")
        ]
        rotation = self.moved.rotation[f"foot_{side}"][swing]
        human_pitch = -np.arcsin(np.clip(rotation[:, 2, 0], -1.0, 1.0))
        pitch = window * np.clip(PITCH_SHARE * human_pitch, MIN_PITCH_RAD, MAX_PITCH_RAD)
        long_m = float(np.ptp(np.array(self.target.robot.feet[self.target.feet[self.foot]].outline_m)[:, 0]))
        rise_m = self.scale * np.maximum(np.minimum(*risen), 0.0) * window
        rise_m += CLEARANCE * self.target.leg_m * window
        rise_m += 0.5 * long_m * (np.sqrt(np.sin(pitch) ** 2 + ROUND**2) - ROUND)
        foot_m = np.concatenate([path_m, gaussian_filter1d(rise_m, 2.0, mode="constant")[:, None]], axis=1)
        return foot_m, turn @ elementary_rotation(1, pitch)

    def _standing_height(self, part: str, side: str, swing: slice) -> float:
        """Return how high a point of the foot is just before and after a swing."""
        height_m = self.moved.point_m[f"{part}_{side}"][:, 2]
        return float(min(height_m[max(swing.start - 1, 0)], height_m[min(swing.stop, len(height_m) - 1)]))


def _zmp_path(contact: Mask, foot_m: Array, hold: int) -> Array:
    """Return the zero-moment point: in the middle of a sole that stands alone, moving to the next while both do.

    It rests between the feet at both ends. Shapes (T, 2), (T, 2, 2) in, (T, 2) out.
    """
    alone = contact.sum(axis=1) == 1
    zmp_m = np.where(contact[:, :1], foot_m[:, 0], foot_m[:, 1])
    for both in runs(~alone):
        rows = np.arange(both.start, both.stop)
        middle_m = foot_m[rows].mean(axis=1)
        first = zmp_m[both.start - 1] if both.start else middle_m[0]
        last = zmp_m[both.stop] if both.stop < len(contact) else middle_m[-1]
        moving = len(rows)
        start = both.start
        if both.start == 0 or both.stop == len(contact):
            moving = min(moving, hold)
            start = both.stop - moving if both.start == 0 else both.start
        u = (rows - start + 1) / (moving + 1)
        zmp_m[rows] = first + (last - first) * smooth_step(u)[:, None]
    return zmp_m


def lower_pelvis(plan: WalkPlan, target: RobotPoints, pelvis_m: Array, hip_from_pelvis_m: Array) -> Array:
    """Return the pelvis low enough for both legs to reach their feet. Shapes (T, 3), (T, 2, 3) in, (T, 3) out.

    Args:
        plan: The steps.
        target: The robot.
        pelvis_m: Where the middle of the hips is to be.
        hip_from_pelvis_m: Hips from there, in world axes.
    """
    step_s = float(plan.time_s[1] - plan.time_s[0])
    ankle_m = plan.foot_m - np.einsum("tnij,nj->tni", plan.foot_rotation, np.array(target.foot_from_ankle_m))
    apart_m = pelvis_m[:, None] + hip_from_pelvis_m - ankle_m
    reach_m = REACH * target.stretched_m
    level = np.minimum((apart_m[..., :2] ** 2).sum(axis=-1), 0.9 * reach_m**2)
    lowering_m = np.maximum(apart_m[..., 2] - np.sqrt(reach_m**2 - level), 0.0).max(axis=1)
    lowering_m = maximum_filter1d(lowering_m, 2 * round(0.5 * REACH_S / step_s) + 1, mode="nearest")
    lowering_m = gaussian_filter1d(lowering_m, LOWERING_S / step_s, mode="nearest")
    return np.concatenate([pelvis_m[:, :2], (pelvis_m[:, 2] - lowering_m)[:, None]], axis=1)
