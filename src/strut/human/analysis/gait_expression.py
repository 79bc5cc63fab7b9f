"""Gait expression: features that carry emotion in a walk, as the thesis and the literature measure them.

Speed, step and arm swing, slumped trunk and bent head distinguish sad from happy and angry walks (Michalak and others,
2009; Roether and others, 2009; Gross and others, 2012; Barliya and others, 2013); the thesis adds pelvis height, trunk
and neck flexion, and the ranges of shoulder and elbow. All features are measured along the path of the walker, which
may turn.
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
from strut.human.analysis.over_ground import over_ground
from strut.human.analysis.steps import ToeOff, find_toe_offs
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
from strut.maths.sampling import low_pass
from strut.motion import Motion
from strut.robot import Robot

PATH_HZ = 0.5  # cut-off frequency of the path of the walker: sway of the body is faster
HAND_HZ = 6.0  # cut-off frequency of the hands
SEGMENTS = (PELVIS, UPPER_TRUNK, HEAD, *HANDS, *FEET)
FEATURE_JOINTS = {  # joints that markers must observe; otherwise the feature is an assumption of the model
    **dict.fromkeys(("trunk_pitch_deg", "trunk_sway_mm", "head_bounce_mm"), LUMBAR),
    **dict.fromkeys(("head_pitch_deg", "neck_flexion_deg"), HEAD),
    **dict.fromkeys(("arm_swing_deg", "shoulder_abduction_deg", "hand_jerk_m_s3"), SHOULDER),
    **dict.fromkeys(("elbow_flexion_deg", "elbow_range_deg"), ELBOW),
}


@dataclass(frozen=True, slots=True)
class GaitExpression:
    """Expressive features of one walk. Pitch is positive forwards.

    Features of joints that no marker observes are NaN.

    Args:
        speed_m_s: Of the pelvis over the ground.
        step_length_m: Between where the toes of both feet stand, along the path; mean, as `steps` defines it.
        step_duration_s: From toe off to toe off, mean.
        step_width_m: Between the ankles at foot strike, across the path.
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
        head_bounce_mm: Vertical range of the head in one step.
        trunk_sway_mm: Range of the upper trunk across the path, in one stride.
        hand_jerk_m_s3: Root mean square of the third derivative of the positions of the hands, below 6 Hz.
        elevation_third_share: Share of variance of the elevation angles off their plane; median of both legs.
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
    """Return the expressive features of a human walk; raises BadMotionError if it has less than two steps.

    Of a walk on a treadmill, positions and speed are relative to the belt.

    Example:
        >>> strut.human.gait_expression(strut.robot_of(walk), walk).arm_swing_deg  # doctest: +SKIP
    """
    landings = _landings(motion)
    motion = over_ground(robot, motion)
    leaving = find_toe_offs(robot, motion)
    if len(landings) < 3 or len(leaving) < 2:
        raise BadMotionError(
            f"The walk has {len(landings)} foot strikes and {len(leaving)} toe offs; expressive features need two "
            "steps or more."
        )
    walk = _Walk.of(robot, motion)
    inside = np.arange(landings[0][0], landings[-1][0] + 1)
    steps = [(start, stop) for (start, _), (stop, _) in pairwise(landings)]
    strides = [(one, after) for (one, foot), (after, same) in zip(landings, landings[2:], strict=False) if foot == same]
    feet = [np.asarray(motion.contact[:, points_of_side(motion.foot_names, side)].any(axis=1)) for side in SIDES]
    features = GaitExpression(
        speed_m_s=float(np.median(walk.speed_m_s[inside])),
        step_length_m=_mean_step_length_m(walk, leaving),
        step_duration_s=float(np.diff([motion.time_s[toe_off.sample] for toe_off in leaving]).mean()),
        step_width_m=float(np.median(_step_widths_m(walk, landings))),
        double_support=float(np.mean((feet[0] & feet[1])[inside])),
        **_posture(robot, motion, walk, inside),
        **_ranges(robot, motion, strides),
        head_bounce_mm=1e3 * _median_range(walk.position[HEAD][:, 2], steps),
        trunk_sway_mm=1e3 * _median_range(walk.across_m, strides),
        hand_jerk_m_s3=_jerk(walk, motion.time_s, inside),
        elevation_third_share=_third_share(robot, motion, walk, strides),
    )
    return replace(features, **dict.fromkeys(unobserved_features(motion, FEATURE_JOINTS), math.nan))


def unobserved_features(motion: Motion, joint_of: Mapping[str, str]) -> list[str]:
    """Return the features of a recorded walk whose joint no marker observes.

    Args:
        motion: The walk; `meta` has which coordinates were observed.
        joint_of: The joint of each feature.
    """
    observed: dict[str, bool] = motion.meta.get("observed") or {}
    unobserved = []
    for feature, joint in joint_of.items():
        part = joint.partition("_")[0]
        coordinates = [is_observed for name, is_observed in observed.items() if name.startswith(part)]
        if coordinates and not any(coordinates):
            unobserved.append(feature)
    return unobserved


@dataclass(frozen=True, slots=True, eq=False)
class _Walk:
    """Segments along the path of a walk.

    Args:
        position: Of each segment in world. Shape (T, 3).
        rotation: Of each segment. Shape (T, 3, 3).
        direction: Unit vector of the path. Shape (T, 2).
        across_m: Distance of the trunk from the path, to the left. Shape (T,).
        speed_m_s: Along the path. Shape (T,).
    """

    position: dict[str, Array]
    rotation: dict[str, Array]
    direction: Array
    across_m: Array
    speed_m_s: Array

    @classmethod
    def of(cls, robot: Robot, motion: Motion) -> _Walk:
        position, rotation = body_poses(robot.model, list(SEGMENTS), motion.qpos)
        rate_hz = 1.0 / float(np.mean(np.diff(motion.time_s)))
        path = _low_pass(position[:, 0, :2], rate_hz, PATH_HZ)
        velocity = np.gradient(path, motion.time_s, axis=0)
        speed = np.linalg.norm(velocity, axis=1)
        direction = velocity / np.maximum(speed, 1e-6)[:, None]
        trunk = position[:, 1, :2] - path
        return cls(
            position={name: position[:, index] for index, name in enumerate(SEGMENTS)},
            rotation={name: rotation[:, index] for index, name in enumerate(SEGMENTS)},
            direction=direction,
            across_m=trunk[:, 1] * direction[:, 0] - trunk[:, 0] * direction[:, 1],
            speed_m_s=speed,
        )

    def pitch_deg(self, segment: str) -> Array:
        """Return the forward pitch of a segment along the path. Shape (T,)."""
        up = self.rotation[segment][:, :, 2]
        return np.asarray(np.degrees(np.arctan2(np.einsum("ti,ti->t", up[:, :2], self.direction), up[:, 2])))


def _low_pass(values: Array, rate_hz: float, cutoff_hz: float) -> Array:
    padding = min(len(values) - 1, round(1.5 * rate_hz))
    return low_pass(values, cutoff_hz, rate_hz, padding=padding)


def _landings(motion: Motion) -> list[tuple[int, int]]:
    """Return sample and foot (0 right, 1 left) of each foot strike, in order of time; feet alternate."""
    strikes = []
    for foot, side in enumerate(SIDES):
        in_contact = np.asarray(motion.contact[:, points_of_side(motion.foot_names, side)].any(axis=1))
        strikes += [(int(k) + 1, foot) for k in np.flatnonzero(~in_contact[:-1] & in_contact[1:])]
    strikes.sort()
    return [strike for index, strike in enumerate(strikes) if index == 0 or strike[1] != strikes[index - 1][1]]


def _mean_step_length_m(walk: _Walk, leaving: list[ToeOff]) -> float:
    """Return the mean length of the steps along the path."""
    return float(np.mean([toe_off.leading_m @ walk.direction[toe_off.sample - 1] for toe_off in leaving]))


def _step_widths_m(walk: _Walk, landings: list[tuple[int, int]]) -> list[float]:
    """Return the distances of the ankles across the path when a foot strikes."""
    widths = []
    for (_, foot), (now, other) in pairwise(landings):
        step = walk.position[FEET[other]][now, :2] - walk.position[FEET[foot]][now, :2]
        direction = walk.direction[now]
        widths.append(float(abs(step[1] * direction[0] - step[0] * direction[1])))
    return widths


def _posture(robot: Robot, motion: Motion, walk: _Walk, inside: npt.NDArray[np.intp]) -> dict[str, float]:
    leg_m = stretched_leg_m(robot.subject.lengths_m, RIGHT)
    pitch = {name: walk.pitch_deg(name)[inside].mean() for name in (PELVIS, UPPER_TRUNK, HEAD)}
    return {
        "pelvis_height": float(walk.position[PELVIS][inside, 2].mean() / leg_m),
        "pelvis_pitch_deg": float(pitch[PELVIS]),
        "trunk_pitch_deg": float(pitch[UPPER_TRUNK]),
        "head_pitch_deg": float(pitch[HEAD]),
        "neck_flexion_deg": float(pitch[HEAD] - pitch[UPPER_TRUNK]),
        "elbow_flexion_deg": -float(np.degrees(_both(robot, motion, ELBOW)[:, inside].mean())),
    }


def _ranges(robot: Robot, motion: Motion, strides: list[tuple[int, int]]) -> dict[str, float]:
    def mean_range(joint: str) -> float:
        return float(np.degrees(np.mean([_median_range(one, strides) for one in _both(robot, motion, joint)])))

    return {
        "arm_swing_deg": mean_range(SHOULDER),
        "shoulder_abduction_deg": float(
            np.degrees(_median_range(_both(robot, motion, SHOULDER_ABDUCTION)[0], strides))
        ),
        "elbow_range_deg": mean_range(ELBOW),
        "knee_range_deg": mean_range(KNEE),
    }


def _both(robot: Robot, motion: Motion, joint: str) -> Array:
    """Return the angles of a joint on both sides. Shape (2, T)."""
    columns = [robot.joint_names.index(sided(joint, side)) for side in SIDES]
    return np.asarray(motion.joint_angles_rad[:, columns].T)


def _median_range(values: Array, pieces: list[tuple[int, int]]) -> float:
    """Return the median over pieces of the range of values."""
    return float(np.median([np.ptp(values[first : last + 1]) for first, last in pieces]))


def _jerk(walk: _Walk, time_s: Array, inside: npt.NDArray[np.intp]) -> float:
    rate_hz = 1.0 / float(np.mean(np.diff(time_s)))
    hands = np.concatenate([walk.position[name] for name in HANDS], axis=1)
    jerk = np.diff(_low_pass(hands, rate_hz, min(HAND_HZ, 0.4 * rate_hz)), n=3, axis=0) * rate_hz**3
    jerk = jerk[inside[inside < len(jerk)]]
    return float(np.sqrt(np.mean(np.sum(jerk.reshape(-1, 2, 3) ** 2, axis=2))))


def _third_share(robot: Robot, motion: Motion, walk: _Walk, strides: list[tuple[int, int]]) -> float:
    """Return the share of variance of the elevation angles off their plane, each stride in its sagittal plane."""
    shares = []
    for first, last in strides:
        ahead = walk.direction[first : last + 1].mean(axis=0)
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
