"""Gait expression: what carries feeling in a walk, as the thesis and the literature on emotional gait measure it.

Speed, step and arm swing, slumped trunk and bent head tell sad from happy and angry walks (Michalak and others, 2009;
Roether and others, 2009; Gross and others, 2012; Barliya and others, 2013); pelvis height, trunk and neck flexion,
shoulder and elbow ranges are the marks that the thesis found. Walks may turn: everything is measured along the
walker's own way.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.engines.rigid_body import body_poses
from strut.errors import BadMotionError
from strut.human.analysis.leg_figures import elevation_angles
from strut.human.anatomy import (
    ELBOW,
    FEET,
    HANDS,
    HEAD,
    KNEE,
    LUMBAR,
    PELVIS,
    RIGHT,
    SHOULDER,
    SHOULDER_ABDUCTION,
    SIDES,
    UPPER_TRUNK,
    points_of_side,
    sided,
    stretched_leg_m,
)
from strut.maths.sampling import low_passed
from strut.motion import Motion
from strut.robot import Robot

SLOW_HZ = 0.5  # below this a walker's way is no sway of the body
SEGMENTS = (PELVIS, UPPER_TRUNK, HEAD, *HANDS, *FEET)
TOLD_BY = {  # joints that markers must tell; without them the model only supposes what they do
    **dict.fromkeys(("trunk_pitch_deg", "trunk_sway_mm", "head_bounce_mm"), LUMBAR),
    **dict.fromkeys(("head_pitch_deg", "neck_flexion_deg"), HEAD),
    **dict.fromkeys(("arm_swing_deg", "shoulder_abduction_deg", "hand_jerk_m_s3"), SHOULDER),
    **dict.fromkeys(("elbow_flexion_deg", "elbow_range_deg"), ELBOW),
}


@dataclass(frozen=True, slots=True)
class GaitExpression:
    """What carries feeling in one walk. Angles lean forwards where they are positive.

    What no marker of a recording tells is not a number (NaN): the model's arms would swing as it supposes.

    Args:
        speed_m_s: Of the pelvis over the ground.
        step_length_m: From one foot's landing to the other's.
        step_duration_s: The same in time.
        step_width_m: Across the way.
        double_support: Share of time with both feet on the ground.
        pelvis_height: Mean height of the pelvis over the length of the stretched leg.
        pelvis_pitch_deg: Mean.
        trunk_pitch_deg: Mean of the upper trunk against the vertical.
        head_pitch_deg: Mean of the head against the vertical.
        neck_flexion_deg: Mean of the head against the trunk.
        arm_swing_deg: Range of the upper arms, mean of both sides.
        shoulder_abduction_deg: Range of the right shoulder.
        elbow_flexion_deg: Mean of both.
        elbow_range_deg: Mean of both.
        knee_range_deg: Mean of both.
        head_bounce_mm: Up and down in one step.
        trunk_sway_mm: Of the upper trunk across the way, in one stride.
        hand_jerk_m_s3: Root mean square of the third derivative of the hands' places, below 6 Hz.
        elevation_third_share: How little planar thigh, shank and foot move together; mean of both legs.
    """

    speed_m_s: float
    step_length_m: float
    step_duration_s: float
    step_width_m: float
    double_support: float
    pelvis_height: float
    pelvis_pitch_deg: float
    trunk_pitch_deg: float
    head_pitch_deg: float
    neck_flexion_deg: float
    arm_swing_deg: float
    shoulder_abduction_deg: float
    elbow_flexion_deg: float
    elbow_range_deg: float
    knee_range_deg: float
    head_bounce_mm: float
    trunk_sway_mm: float
    hand_jerk_m_s3: float
    elevation_third_share: float

    def as_dict(self) -> dict[str, float]:
        """Return the features by name."""
        return asdict(self)


GAIT_FEATURES = tuple(one.name for one in fields(GaitExpression))


def gait_expression(robot: Robot, motion: Motion) -> GaitExpression:
    """Return the expressive features of a human walk; raises BadMotionError if it has not two steps.

    Example:
        >>> strut.gait_expression(strut.robot_of(walk), walk).arm_swing_deg  # doctest: +SKIP
    """
    landings = _landings(motion)
    if len(landings) < 3:
        raise BadMotionError(f"{len(landings)} landings are seen; features of expression need two steps or more.")
    walk = _Walk.of(robot, motion)
    inside = np.arange(landings[0][0], landings[-1][0] + 1)
    strides = [(one, after) for (one, foot), (after, same) in zip(landings, landings[2:], strict=False) if foot == same]
    feet = [np.asarray(motion.contact[:, points_of_side(motion.foot_names, side)].any(axis=1)) for side in SIDES]
    lengths, widths, times = _steps(walk, landings)
    features = GaitExpression(
        speed_m_s=float(np.median(walk.speed_m_s[inside])),
        step_length_m=float(np.median(lengths)),
        step_duration_s=float(np.median(times)),
        step_width_m=float(np.median(widths)),
        double_support=float(np.mean((feet[0] & feet[1])[inside])),
        **_posture(robot, motion, walk, inside),
        **_ranges(robot, motion, strides),
        head_bounce_mm=1e3 * _median_range(walk.place[HEAD][:, 2], [(a, b) for (a, _), (b, _) in pairwise(landings)]),
        trunk_sway_mm=1e3 * _median_range(walk.across_m, strides),
        hand_jerk_m_s3=_jerk(walk, motion.time_s, inside),
        elevation_third_share=_third_share(robot, motion, walk, strides),
    )
    return replace(features, **dict.fromkeys(untold(motion, TOLD_BY), math.nan))


def untold(motion: Motion, told_by: Mapping[str, str]) -> list[str]:
    """Return the features of a recorded walk that no marker tells, of those that joints tell."""
    observed: dict[str, bool] = motion.meta.get("observed") or {}
    found = []
    for feature, joint in told_by.items():
        part = joint.partition("_")[0]
        seen = [there for name, there in observed.items() if name.startswith(part)]
        if seen and not any(seen):
            found.append(feature)
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Walk:
    """Places and forward tilts of segments, the walker's way (T, 2), and the trunk's distance from it (T,)."""

    place: dict[str, Array]
    turn: dict[str, Array]
    way: Array
    across_m: Array
    speed_m_s: Array
    time_s: Array

    @classmethod
    def of(cls, robot: Robot, motion: Motion) -> _Walk:
        place, turn = body_poses(robot.model, list(SEGMENTS), motion.qpos)
        belt = np.asarray(motion.meta.get("belt_m_s") or [0.0, 0.0, 0.0])[:2]
        over_ground = place[:, 0, :2] - np.outer(motion.time_s, belt)
        rate_hz = 1.0 / float(np.mean(np.diff(motion.time_s)))
        slow = _low(over_ground, rate_hz, SLOW_HZ)
        velocity = np.gradient(slow, motion.time_s, axis=0)
        speed = np.linalg.norm(velocity, axis=1)
        way = velocity / np.maximum(speed, 1e-6)[:, None]
        trunk = place[:, 1, :2] - np.outer(motion.time_s, belt) - slow
        across = trunk[:, 1] * way[:, 0] - trunk[:, 0] * way[:, 1]
        named = {name: place[:, index] for index, name in enumerate(SEGMENTS)}
        return cls(named, dict(zip(SEGMENTS, np.moveaxis(turn, 1, 0), strict=True)), way, across, speed, motion.time_s)

    def pitch_deg(self, segment: str) -> Array:
        """Return how far a segment leans forwards along the way. Shape (T,)."""
        up = self.turn[segment][:, :, 2]
        return np.asarray(np.degrees(np.arctan2(np.einsum("ti,ti->t", up[:, :2], self.way), up[:, 2])))


def _low(values: Array, rate_hz: float, cutoff_hz: float) -> Array:
    padding = min(len(values) - 1, round(1.5 * rate_hz))
    return low_passed(values, cutoff_hz, rate_hz, padding=padding)


def _landings(motion: Motion) -> list[tuple[int, int]]:
    """Return sample and foot (0 right, 1 left) of each landing, in order of time; feet alternate."""
    found = []
    for foot, side in enumerate(SIDES):
        down = np.asarray(motion.contact[:, points_of_side(motion.foot_names, side)].any(axis=1))
        found += [(int(k) + 1, foot) for k in np.flatnonzero(~down[:-1] & down[1:])]
    found.sort()
    return [one for index, one in enumerate(found) if index == 0 or one[1] != found[index - 1][1]]


def _steps(walk: _Walk, landings: list[tuple[int, int]]) -> tuple[list[float], list[float], list[float]]:
    """Return lengths along the way, widths across it and times of steps."""
    lengths = []
    widths = []
    times = []
    for (before, foot), (now, other) in pairwise(landings):
        apart = walk.place[FEET[other]][now, :2] - walk.place[FEET[foot]][now, :2]
        way = walk.way[now]
        lengths.append(float(apart @ way))
        widths.append(float(abs(apart[1] * way[0] - apart[0] * way[1])))
        times.append(float(walk.time_s[now] - walk.time_s[before]))
    return lengths, widths, times


def _posture(robot: Robot, motion: Motion, walk: _Walk, inside: npt.NDArray[np.intp]) -> dict[str, float]:
    leg_m = stretched_leg_m(robot.subject.lengths_m, RIGHT)
    pitch = {name: walk.pitch_deg(name)[inside].mean() for name in (PELVIS, UPPER_TRUNK, HEAD)}
    return {
        "pelvis_height": float(walk.place[PELVIS][inside, 2].mean() / leg_m),
        "pelvis_pitch_deg": float(pitch[PELVIS]),
        "trunk_pitch_deg": float(pitch[UPPER_TRUNK]),
        "head_pitch_deg": float(pitch[HEAD]),
        "neck_flexion_deg": float(pitch[HEAD] - pitch[UPPER_TRUNK]),
        "elbow_flexion_deg": -float(np.degrees(_both(robot, motion, ELBOW)[:, inside].mean())),
    }


def _ranges(robot: Robot, motion: Motion, strides: list[tuple[int, int]]) -> dict[str, float]:
    def widest(joint: str) -> float:
        return float(np.degrees(np.mean([_median_range(one, strides) for one in _both(robot, motion, joint)])))

    return {
        "arm_swing_deg": widest(SHOULDER),
        "shoulder_abduction_deg": float(
            np.degrees(_median_range(_both(robot, motion, SHOULDER_ABDUCTION)[0], strides))
        ),
        "elbow_range_deg": widest(ELBOW),
        "knee_range_deg": widest(KNEE),
    }


def _both(robot: Robot, motion: Motion, joint: str) -> Array:
    """Return the angles of a joint on both sides. Shape (2, T)."""
    columns = [robot.joint_names.index(sided(joint, side)) for side in SIDES]
    return np.asarray(motion.joint_angles_rad[:, columns].T)


def _median_range(values: Array, pieces: list[tuple[int, int]]) -> float:
    """Return how far values usually go from smallest to largest in a piece."""
    return float(np.median([np.ptp(values[first : last + 1]) for first, last in pieces]))


def _jerk(walk: _Walk, time_s: Array, inside: npt.NDArray[np.intp]) -> float:
    rate_hz = 1.0 / float(np.mean(np.diff(time_s)))
    hands = np.concatenate([walk.place[name] for name in HANDS], axis=1)
    jerk = np.diff(_low(hands, rate_hz, min(6.0, 0.4 * rate_hz)), n=3, axis=0) * rate_hz**3
    own = jerk[inside[inside < len(jerk)]]
    return float(np.sqrt(np.mean(np.sum(own.reshape(-1, 2, 3) ** 2, axis=2))))


def _third_share(robot: Robot, motion: Motion, walk: _Walk, strides: list[tuple[int, int]]) -> float:
    """Return how little planar thigh, shank and foot move together, each stride in its own sagittal plane."""
    shares = []
    for first, last in strides:
        ahead = walk.way[first : last + 1].mean(axis=0)
        qpos = _turned(motion.qpos[first : last + 1], -float(np.arctan2(ahead[1], ahead[0])))
        for side in SIDES:
            values = np.linalg.eigvalsh(np.cov(elevation_angles(robot, qpos, side), rowvar=False))
            shares.append(values[0] / values.sum())
    return float(np.median(shares))


def _turned(qpos: Array, angle_rad: float) -> Array:
    """Return a floating body turned about the vertical. Shape (T, nq)."""
    turn = Rotation.from_euler("z", angle_rad)
    result = qpos.copy()
    result[:, :3] = turn.apply(result[:, :3])
    result[:, 3:7] = (turn * Rotation.from_quat(result[:, 3:7], scalar_first=True)).as_quat(scalar_first=True)
    return result
