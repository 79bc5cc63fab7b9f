"""Pepper: the published numbers that strut can compute again, in the order of the paper."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import msgspec
import numpy as np

from strut.arrays import Array
from strut.emotion import Emotion
from strut.engines.frame_kinematics import FrameKinematics, frame_poses
from strut.expression.blend import style_for
from strut.expression.body_swing import posture_over_time, side_bands_hz
from strut.gaits.hand_task.hand_path import HandPath
from strut.gaits.hand_task.hand_tracking import TrackedTask
from strut.gaits.hand_task.named_tasks import hand_task
from strut.gaits.hand_task.task_limits import settled
from strut.gaits.hand_task.tracking_problem import TrackingProblem, tracked
from strut.kinematics.task_priority import DAMPED_BELOW, Law, Level, resolve
from strut.models.catalogue import load_robot
from strut.models.dh_chains import row_transform
from strut.reproduction.comparison import Comparison, Parts, Sheet
from strut.reproduction.studies_pepper import choices, correlations_of_ratings, ratings
from strut.robot import Robot
from strut.schemas.body import ChainBody
from strut.study.stimuli.session_stimuli import session_stimuli
from strut.style import Style

_LEVEL = {"L": -0.75, "H": 0.75}  # of pleasure, arousal and dominance in a corner of the study
_FEED_RATE_HZ = 4.45  # at which the robot took joint angles
_STYLE = Style(jerkiness=0.125, activity=0.875, gaze=0.875)
_USER_M = np.array([3.0, 0.0, 1.2])  # position of the person in world
_UNBOUNDED = 1e9  # joint velocity without a limit


def parts() -> Parts:
    """Return the functions that compute Pepper's rows; answers of single participants were not published."""
    robot = load_robot("pepper")
    computed = {
        "body": _body,
        "features": _features,
        "errata of the body": _body_errata,
        "priorities": _priorities,
    }
    study = {"choices": choices, "ratings": ratings, "correlations": correlations_of_ratings}
    return {**{name: partial(compute, robot) for name, compute in computed.items()}, **study}


def _body(robot: Robot) -> list[Comparison]:
    """Compare the numbers of joints and the wrist in three postures."""
    sheet = Sheet("body", robot.published)
    joints = len(robot.joint_names)
    sheet.compare("coordinates", "count", "coordinates", robot.base_size + joints, kind="constant")
    sheet.compare("joints of the body", "count", "body_joints", joints, kind="constant")
    for posture in ("zero", "still", "active"):
        sheet.compare(
            f"right wrist position, {posture}", "wrist", posture, _wrist(robot, "right", _posture(robot, posture))
        )
    shown = Sheet("study", sheet.published)
    shown.compare("motions shown", "count", "motions", len(session_stimuli(robot, 1)))
    return sheet.rows + shown.rows


def _features(robot: Robot) -> list[Comparison]:
    """Compare the features of two corners, and the effect of jerkiness on the swing."""
    sheet = Sheet("features", robot.published)
    for corner in ("LLL", "HHH"):
        pleasure, arousal, dominance = (_LEVEL[letter] for letter in corner)
        style = style_for(robot, Emotion(pleasure, arousal, dominance))
        ours = [style.jerkiness, style.activity, style.gaze]
        sheet.compare(f"jerkiness, activity, gaze of {corner}", "features", corner, ours)
    bands = np.array(side_bands_hz(robot, Style(jerkiness=1.0)))
    for name in ("activity", "lower_side_band", "upper_side_band"):
        band = float(bands[np.argmin(np.abs(bands - sheet.published["spectrum"][name]))])
        sheet.compare(name.replace("_", " "), "spectrum", name, band)
    folded = abs(band - round(band / _FEED_RATE_HZ) * _FEED_RATE_HZ)
    sheet.compare("upper side band as sampled by the robot", "alias", "upper_side_band", folded, kind="formula")
    for name, jerkiness in (("J0", 0.0), ("J0125", 0.125), ("J0875", 0.875), ("J1", 1.0)):
        speed = _peak_speed(robot, jerkiness)
        sheet.compare(f"peak speed, jerkiness {jerkiness:g}", "peak_speed", name, speed)
    return sheet.rows


def _body_errata(robot: Robot) -> list[Comparison]:
    """Return the effect of the errata in the tables of the body."""
    sides = ("right", "left")
    wrists = [_printed_wrist(robot, f"{side}_arm")[1] * 1e3 for side in sides]
    ours = [_wrist(robot, side, _posture(robot, "zero"))[1] * 1e3 for side in sides]
    sheet = Sheet("errata")
    sheet.correct(
        "P5",
        "y of the wrists in the zero posture, right and left",
        wrists,
        ours,
        "mm",
        "elbow offset of 15 mm outwards",
    )
    active = _posture(robot, "active")
    swings = robot.expression.swings
    swing = np.concatenate([np.zeros(robot.base_size), [swings[joint].swing_rad for joint in robot.joint_names]])
    printed_swing = swing.copy()
    printed_swing[robot.base_size + robot.joint_names.index("RShoulderRoll")] *= -1.0
    printed_m, ours_m = ([_wrist(robot, side, active + by)[2] for side in sides] for by in (printed_swing, swing))
    mirrored = "swing of the right shoulder is mirrored"
    sheet.correct("P10", "height of the raised wrists, right and left", printed_m, ours_m, "m", mirrored)
    return sheet.rows


def _printed_wrist(robot: Robot, arm: str) -> list[float]:
    """Return the wrist position in the zero posture by the printed table of the body [m]."""
    assert isinstance(robot.tables.robot, ChainBody)
    chains = {chain.name: chain.rows for chain in robot.tables.robot.chain}
    offset = {"ShoulderRoll": 0.0, "ElbowYaw": 0.001}
    transform = np.eye(4)
    for row in (*chains["trunk"], *chains[arm]):
        printed = offset.get((row.joint or "").removeprefix(arm[0].upper()))
        transform = transform @ row_transform(row if printed is None else msgspec.structs.replace(row, a_m=printed))
    position: list[float] = transform[:3, 3].tolist()
    return position


def _wrist(robot: Robot, side: str, qpos: Array) -> list[float]:
    """Return the position of a wrist [m]. Shape (nq,) in."""
    position: list[float] = frame_poses(robot, f"{side}_wrist", qpos[None])[0][0].tolist()
    return position


def _posture(robot: Robot, name: str) -> Array:
    """Return a posture of `expression.toml`, or the zero posture. Shape (nq,)."""
    qpos = np.zeros(robot.base_size + len(robot.joint_names))
    if name != "zero":
        swings = robot.expression.swings
        qpos[robot.base_size :] = [getattr(swings[joint], f"{name}_rad") for joint in robot.joint_names]
    return qpos


def _peak_speed(robot: Robot, jerkiness: float) -> float:
    """Return the peak speed of a joint that swings by 1 rad."""
    time_s = np.arange(0.0, 60.0, 1e-3)
    column = robot.joint_names.index("LShoulderRoll")
    style = Style(activity=1.0, jerkiness=jerkiness)
    angle = posture_over_time(robot, style, time_s, clamped=False)[:, column]
    swing_rad = robot.expression.swings["LShoulderRoll"].swing_rad
    return float(np.abs(np.gradient(angle, time_s)).max() / swing_rad)


def _priorities(robot: Robot) -> list[Comparison]:
    """Compare redundancy, task disturbance and gaze of both control laws."""
    sheet = Sheet("priorities", robot.published)
    path = hand_task(robot, "wave", duration_s=10.0)
    calm = _played(robot, path, None, "corrected")
    paper = _played(robot, path, _STYLE, "paper")
    ours = _played(robot, path, _STYLE, "corrected")
    printed, better = (_gaze_errors(played) for played in (paper, ours))
    printed_median = _head_velocity_error(robot, "paper")
    median = _head_velocity_error(robot, "corrected")
    apart_mm = float(np.abs(ours.hand_error_m - calm.hand_error_m).max()) * 1e3
    freed = replace(path, platform=None)
    free = tracked(TrackingProblem(robot, freed, _STYLE, _USER_M, "corrected", np.linspace(0.0, 0.1, 11), 1))
    gaze = "mean and largest gaze error while waving"
    instead = "each level compensates for the levels above"
    sheet.compare("redundant degrees of freedom, platform locked", "freedom", "locked", ours.redundancy)
    sheet.compare("redundant degrees of freedom, platform free", "freedom", "free", free.redundancy)
    sheet.compare(f"published law: {gaze}", "gaze", "paper_law", printed)
    sheet.correct("P15", gaze, printed, better, "rad", instead)
    sheet.correct("P15", "median relative error of the head velocity", printed_median, median, "", "random postures")
    sheet.add("largest displacement of the wrist by the expression", apart_mm, "mm", "midpoint steps of 10 ms")
    return sheet.rows


def _gaze_errors(played: TrackedTask) -> list[float]:
    """Return the mean and the largest gaze error after 3 s."""
    assert played.gaze_error_rad is not None
    late = played.gaze_error_rad[settled(played.time_s)]
    return [float(late.mean()), float(late.max())]


def _played(robot: Robot, path: HandPath, style: Style | None, law: Law) -> TrackedTask:
    return tracked(TrackingProblem(robot, path, style, _USER_M, law, np.linspace(0.0, 10.0, 1001), 1))


def _head_velocity_error(robot: Robot, law: Law) -> float:
    """Return the median relative error of the head velocity for random postures and targets, platform locked."""
    rng = np.random.default_rng(2)
    kinematics = FrameKinematics(robot, ("right_wrist", "eyes"))
    bound: Array = np.full(15, _UNBOUNDED)
    errors = []
    for joints in rng.uniform(robot.joint_lower_rad, robot.joint_upper_rad, (300, 15)):
        kinematics.move(np.concatenate([np.zeros(3), joints]))
        hand, head = (frame.jacobian[:, 3:] for frame in kinematics.frames)
        wanted = 0.3 * rng.normal(size=3)
        levels = [Level(hand, 0.3 * rng.normal(size=6)), Level(head[3:], wanted), Level(None, np.zeros(15))]
        if np.linalg.svd(hand)[1][-1] > DAMPED_BELOW:
            got = head[3:] @ resolve(levels, -bound, bound, law=law).velocity
            errors.append(np.linalg.norm(got - wanted) / np.linalg.norm(wanted))
    return float(np.median(errors))
