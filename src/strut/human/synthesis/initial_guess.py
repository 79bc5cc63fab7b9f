"""Initial guess: a step made of key poses, from which the solver starts without a recording.

The pelvis moves at constant speed, the arms swing as sines, the feet follow key poses, and inverse kinematics brings
the legs to the feet. The equations of motion do not hold; that is left to the solver.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator

from strut.arrays import Array
from strut.human.anatomy import HEEL, LITTLE_TOE, TOES
from strut.human.problem.posture_costs import prescribed_angles
from strut.human.table import human_gait
from strut.kinematics.contact_set import contact_points
from strut.maths.rotation import rotation_y
from strut.ocp.problem import OptimalControlProblem
from strut.ocp.trajectory import Trajectory, trajectory_through
from strut.ocp.tree_functions import PointKinematics
from strut.robot import BASE, Robot
from strut.style import Style

USUAL_SPEED_M_S = 1.3
USUAL_STEP_M = 0.73  # step length of people at the usual speed
TOE_OFF_PITCH_RAD = 0.75  # pitch of the foot at toe off, positive with the toes down
HEEL_STRIKE_PITCH_RAD = -0.30  # pitch of the foot at heel strike
SWING_HEIGHT_M = 0.04  # of the heel in the middle of the swing
TRACK_HALF_WIDTH_M = 0.075  # distance of the feet from the line of progression
SWAY_M = 0.02  # of the pelvis over the standing foot
RISE_M = 0.015  # amplitude of the height of the pelvis
ARM_SWING_RAD = 0.2  # amplitude
PELVIS_TURN_RAD = 0.10  # amplitude, leading hip ahead; without it the solver finds a dearer gait that turns oppositely
PELVIS_HEIGHT_SHARE = 0.931  # of standing with straight legs
POSTURE_PULL_M_RAD = 0.02  # weight of the joint angles in inverse kinematics, where the feet leave the legs free


@dataclass(frozen=True, slots=True)
class GuessOptions:
    """Choices of a guessed step: noise for multiple starts, and the style of trunk, head and arms."""

    angle_noise_rad: float = 0.0
    duration_noise: float = 0.0
    seed: int = 0
    style: Style | None = None


def guessed_step(
    robot: Robot, problem: OptimalControlProblem, speed_m_s: float, guess: GuessOptions | None = None
) -> Trajectory:
    """Return a guessed step on the mesh of a problem."""
    guess = guess or GuessOptions()
    rng = np.random.default_rng(guess.seed)
    duration = phase_durations(robot, problem, speed_m_s, guess, rng)
    start = np.concatenate([[0.0], np.cumsum(duration)])
    step_m = speed_m_s * start[-1]
    nodes = [np.linspace(start[p], start[p + 1], phase.intervals + 1) for p, phase in enumerate(problem.phases)]
    time = np.unique(np.round(np.concatenate(nodes), 12))
    q = _configurations(robot, problem, time, start, step_m, guess)
    q[:, BASE:] += guess.angle_noise_rad * rng.normal(size=q[:, BASE:].shape)
    parameter = {"step_length_m": step_m, "speed_m_s": speed_m_s}
    curve = CubicSpline(time, q, axis=0)
    return trajectory_through(problem, lambda at, order: curve(np.round(at, 12), order), duration, parameter)


def phase_durations(
    robot: Robot, problem: OptimalControlProblem, speed_m_s: float, guess: GuessOptions, rng: np.random.Generator
) -> Array:
    """Return phase durations [s]; the step length grows with the square root of speed, as that of people."""
    usual = np.array([phase.guess_s for phase in human_gait(robot).phase])
    step_m = USUAL_STEP_M * np.sqrt(speed_m_s / USUAL_SPEED_M_S)
    usual *= step_m / speed_m_s / usual.sum()
    usual *= 1.0 + guess.duration_noise * rng.uniform(-1.0, 1.0, len(usual))
    shortest, longest = np.array([phase.duration_s for phase in problem.phases]).T
    return np.asarray(np.clip(usual, shortest, longest))


def _configurations(
    robot: Robot, problem: OptimalControlProblem, time: Array, start: Array, step_m: float, guess: GuessOptions
) -> Array:
    """Return coordinates at the times. `start` has the beginning of each phase and the end. Shape (T, nq)."""
    names = problem.tree.velocity_names
    bounds = problem.bounds.q
    total = start[-1]
    rest = np.clip(np.zeros(len(names)), bounds[0], bounds[1])
    q = np.tile(rest, (len(time), 1))
    phase = np.pi * time / total
    standing = robot.subject.standing_pelvis_height_m
    q[:, 0] = step_m * time / total
    q[:, 1] = -SWAY_M * np.sin(phase)
    q[:, 2] = standing * PELVIS_HEIGHT_SHARE - RISE_M * np.cos(2.0 * phase)
    style = guess.style or robot.expression.neutral_style()
    for name, angle in prescribed_angles(robot, names, style).items():
        q[:, names.index(name)] = np.clip(angle, *bounds[:, names.index(name)])
    q[:, names.index("Pelvis_RZ")] = PELVIS_TURN_RAD * np.cos(phase)
    q[:, names.index("Lumbar_RZ")] = -1.5 * PELVIS_TURN_RAD * np.cos(phase)
    for side, sign in (("Right", 1.0), ("Left", -1.0)):
        q[:, names.index(f"Shoulder{side}_RY")] = sign * ARM_SWING_RAD * np.cos(phase)
        q[:, names.index(f"Shoulder{side}_RX")] = -0.2 * sign
        q[:, names.index(f"Elbow{side}_RY")] = -0.3
    paths = foot_paths(robot, time, start, step_m)
    return _with_legs(robot, problem, q, paths)


def foot_paths(robot: Robot, time: Array, start: Array, step_m: float) -> dict[str, Array]:
    """Return x and z of the heel centre [m] and the pitch [rad] of each foot. Shapes (T, 3)."""
    points = contact_points(robot)
    lengths = robot.subject.lengths_m
    heel = points["HeelRight"]
    toe = points["HalluxRight"]
    radius = heel.radius_m
    base = toe.position_m[0] - heel.position_m[0]
    sole = lengths["FootRightHeight"]

    def about_toes(toe_x: float, pitch: Array) -> Array:
        """Return the heel centre while the foot turns about its toes."""
        x = toe_x - base * np.cos(pitch) + sole * np.sin(pitch)
        return np.stack([x, base * np.sin(pitch) + sole * np.cos(pitch), pitch], axis=-1)

    stretch = min(1.0, step_m / USUAL_STEP_M)  # short steps roll less over heel and toes
    toe_off = stretch * TOE_OFF_PITCH_RAD
    heel_strike = stretch * HEEL_STRIKE_PITCH_RAD
    front = 0.5 * step_m + 0.14  # x of the right toes: the pelvis passes the ankle in the middle of the step
    lift = PchipInterpolator([start[0], start[1], start[2], start[-1]], [0.0, 0.0, 0.6 * toe_off, toe_off])
    right = about_toes(front, lift(time))
    ahead = about_toes(front + step_m, np.zeros(1))[0]  # the left foot when it is flat
    strike = np.array([ahead[0] + radius * heel_strike, radius, heel_strike])
    behind = about_toes(front - step_m, np.array([toe_off]))[0]
    swing = start[2] - start[0]
    keys = np.array(
        [
            behind,
            [0.75 * behind[0] + 0.25 * strike[0], behind[1] + 0.02, toe_off + 0.1],
            [0.40 * behind[0] + 0.60 * strike[0], radius + SWING_HEIGHT_M + 0.03, 0.2],
            strike,
            ahead,
            ahead,
        ]
    )
    key_s = [start[0], start[0] + 0.3 * swing, start[0] + 0.65 * swing, start[2], start[3], start[-1]]
    return {"Right": right, "Left": PchipInterpolator(key_s, keys, axis=0)(time)}


def _with_legs(robot: Robot, problem: OptimalControlProblem, q: Array, paths: dict[str, Array]) -> Array:
    """Return the coordinates with leg angles, inside their bounds, that bring the feet to their paths."""
    points = contact_points(robot)
    names = problem.tree.velocity_names
    with_legs = q.copy()
    for side, sign in (("Right", -1.0), ("Left", 1.0)):
        joints = tuple(f"{joint}{side}" for joint in ("Hip", "Knee", "Ankle"))
        columns = [index for index, name in enumerate(names) if name.startswith(joints)]
        sole = [points[f"{name}{side}"] for name in (HEEL, TOES, LITTLE_TOE)]
        leg = PointKinematics(problem.tree, columns, [(point.body, point.position_m) for point in sole])
        from_heel = np.array([point.position_m for point in sole]) - sole[0].position_m
        bounds = problem.bounds.q[:, columns]
        angles = np.clip([-0.3, 0.0, 0.0, 0.4, 0.0, 0.0, 0.0], bounds[0] + 1e-3, bounds[1] - 1e-3)
        for k, ((x, z, _), turn) in enumerate(zip(paths[side], rotation_y(paths[side][:, 2]), strict=True)):
            target_m = np.array([x, sign * TRACK_HALF_WIDTH_M, z]) + from_heel @ turn.T
            angles = leg.reach(with_legs[k], target_m, angles, bounds, pull_m_rad=POSTURE_PULL_M_RAD)
            with_legs[k, columns] = angles
    return with_legs
