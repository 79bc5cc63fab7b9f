"""Pepper's body and features: wrists, motion features and spectrum, beside the paper; and what misprints cost."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from strut.emotion import Emotion
from strut.engines.frame_kinematics import frame_poses
from strut.expression.blend import style_for
from strut.expression.posture import posture_over_time, side_bands_hz
from strut.models.dh_chains import row_transform
from strut.pipeline.stimuli import stimuli
from strut.reproduction.comparison import Comparison, compared, corrected
from strut.robot import Array, Robot
from strut.style import Style
from strut.tables.expression import JointSwing

_LEVEL = {"L": -0.75, "H": 0.75}
_FEED_RATE_HZ = 4.45


def body_rows(robot: Robot) -> list[Comparison]:
    """Return counts and the wrist in three postures."""
    published = robot.table("published")
    joints = len(robot.joint_names)
    rows = [
        compared("body", "coordinates", published["count"], "coordinates", robot.base_size + joints),
        compared("body", "joints of the body", published["count"], "body_joints", joints),
    ]
    for posture in ("zero", "still", "active"):
        wrist = frame_poses(robot, "right_wrist", _posture(robot, posture)[None])[0][0]
        rows.append(compared("body", f"right wrist, {posture}", published["wrist"], posture, wrist.tolist()))
    rows.append(compared("study", "motions shown", published["count"], "motions", len(stimuli(robot, 1))))
    return rows


def feature_rows(robot: Robot) -> list[Comparison]:
    """Return the features of two corners, and what jerkiness does to the swing."""
    published, rows = robot.table("published"), []
    for corner in ("LLL", "HHH"):
        pleasure, arousal, dominance = (_LEVEL[letter] for letter in corner)
        style = style_for(robot, Emotion(pleasure, arousal, dominance))
        ours = [style.jerkiness, style.activity, style.gaze]
        rows.append(compared("features", f"jerkiness, activity, gaze of {corner}", published["features"], corner, ours))
    bands = side_bands_hz(robot, Style(jerkiness=1.0))
    for name in ("activity", "lower_side_band", "upper_side_band"):
        band = _nearest(bands, published["spectrum"][name])
        rows.append(compared("features", name.replace("_", " "), published["spectrum"], name, band))
    upper = _nearest(bands, published["spectrum"]["upper_side_band"])
    folded = abs(upper - round(upper / _FEED_RATE_HZ) * _FEED_RATE_HZ)
    quantity = "upper side band as sampled by the robot"
    rows.append(compared("features", quantity, published["alias"], "upper_side_band", folded))
    for name, jerkiness in (("J0", 0.0), ("J0125", 0.125), ("J0875", 0.875), ("J1", 1.0)):
        speed = _peak_speed(robot, jerkiness)
        rows.append(compared("features", f"peak speed, jerkiness {jerkiness:g}", published["peak_speed"], name, speed))
    return rows


def erratum_rows(robot: Robot) -> list[Comparison]:
    """Return what the misprints in the tables of the body cost."""
    chains = {chain["name"]: chain["rows"] for chain in robot.table("robot")["chain"]}
    offset = {"ShoulderRoll": 0.0, "ElbowYaw": 0.001}
    wrists = []
    for side, arm in (("R", "right_arm"), ("L", "left_arm")):
        transform = np.eye(4)
        for row in (*chains["trunk"], *chains[arm]):
            printed = offset.get((row.get("joint") or "").removeprefix(side))
            transform = transform @ row_transform(row if printed is None else {**row, "a_m": printed})
        wrists.append(float(transform[1, 3]) * 1e3)
    ours = [float(frame_poses(robot, f"{s}_wrist", np.zeros((1, 18)))[0][0, 1]) * 1e3 for s in ("right", "left")]
    active, swing = _posture(robot, "active"), _swing(robot)
    printed_swing = swing.copy()
    printed_swing[robot.base_size + robot.joint_names.index("RShoulderRoll")] *= -1.0
    printed_m, ours_m = ([_height(robot, s, active + by) for s in ("right", "left")] for by in (printed_swing, swing))
    outwards, mirrored = "elbow offset of 15 mm outwards", "swing of the right shoulder is mirrored"
    return [
        corrected("P5", "y of the wrists at zero, right and left", wrists, ours, "mm", outwards),
        corrected("P10", "height of raised wrists, right and left", printed_m, ours_m, "m", mirrored),
    ]


def _height(robot: Robot, side: str, qpos: Array) -> float:
    return float(frame_poses(robot, f"{side}_wrist", qpos[None])[0][0, 2])


def _posture(robot: Robot, name: str) -> Array:
    """Return coordinates of a posture of the robot's `expression.toml`, or zero. Shape (nq,)."""
    qpos = np.zeros(robot.base_size + len(robot.joint_names))
    if name != "zero":
        joints = _swings(robot)
        qpos[robot.base_size :] = [getattr(joints[joint], f"{name}_rad") for joint in robot.joint_names]
    return qpos


def _swing(robot: Robot) -> Array:
    """Return the swing as a change of coordinates. Shape (nq,)."""
    joints = _swings(robot)
    return np.concatenate([np.zeros(robot.base_size), [joints[joint].swing_rad for joint in robot.joint_names]])


def _swings(robot: Robot) -> Mapping[str, JointSwing]:
    part = robot.expression.word.activity
    return {} if part is None else part.joint


def _peak_speed(robot: Robot, jerkiness: float) -> float:
    """Return the largest speed of a joint that swings by 1 rad."""
    time_s = np.arange(0.0, 60.0, 1e-3)
    column = robot.joint_names.index("LShoulderRoll")
    style = Style(activity=1.0, jerkiness=jerkiness)
    angle = posture_over_time(robot, style, time_s, clamped=False)[:, column]
    swing_rad = _swings(robot)["LShoulderRoll"].swing_rad
    return float(np.abs(np.gradient(angle, time_s)).max() / swing_rad)


def _nearest(values: tuple[float, ...], wanted: float) -> float:
    return values[int(np.argmin(np.abs(np.array(values) - wanted)))]
