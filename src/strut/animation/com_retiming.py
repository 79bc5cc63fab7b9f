"""Centre-of-mass retiming: an animation made feasible by its timing and centre of mass; attitude and joints stay.

Plan and body alternate until they agree on d, the offset of the body's zero-moment point from the pendulum's:

    plan     centre of mass and timing that keep z_pendulum + d inside the support polygon (`ocp.balanced_path`)
    body     inverse kinematics along the planned centre of mass
    measure  d_measured = z_body - z_pendulum, by inverse dynamics
    update   d += 0.6 (d_measured - d), because the body overreacts to a plan

Intervals in which joint speed, torque or friction are too large take longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from strut.animation.animation_frames import FRAMES_PER_S, AnimationFrames
from strut.animation.animation_ik import PlantedStance, interpolate_frames, retime_frames, sample_times, stance_feet
from strut.animation.feasible_animation import FeasibleAnimation
from strut.arrays import Array, Index
from strut.balance.centre_of_pressure import cop_of_wrench
from strut.balance.ground_force import share_ground_force
from strut.balance.polygon import convex_hull
from strut.engines.inverse_dynamics import InverseDynamics, inverse_dynamics, velocities
from strut.errors import OutOfRangeError
from strut.maths.sampling import interpolate_columns
from strut.ocp.balanced_path import (
    LONGEST_STRETCH,
    BalancedPath,
    BalancedPathProgram,
    PathProblem,
    blending,
    pendulum_zmp,
)
from strut.robot import BASE, Robot

MAX_ROUNDS = 15
AGREED_M = 0.003  # disagreement on d at which the iteration has converged
NEARLY_AGREED_M = 0.005  # at a larger disagreement, forces and torques mean nothing
RELAXATION = 0.6  # step of the update of d
SPARE_MARGIN_M = 0.008  # added to the balance margin, for the motion between two frames
SPARE_FRICTION = 0.7  # share of the friction that the centre of mass may use
MAX_USE = 0.95  # of the limits of joint speed, torque and friction
MAX_SLOWDOWN = 1.25  # of an interval in one round
USEFUL_REDUCTION = 0.98  # a slowdown must reduce the use at least to this share, or the interval is not slowed again
MIN_BLEND = 0.2  # an interval is responsible for a sample if its share of the time scale there is larger
LOADED_SHARE = 0.02  # a foot with a smaller share of the load needs no friction
DENSE_HZ = 100.0  # rate at which the body is measured


@dataclass(slots=True, eq=False)
class IntervalStretches:
    """Why intervals between keyframes take longer.

    Args:
        min: Minimum stretch of each interval. Shape (n_keys - 1,).
        text: What would happen at the authored speed, by interval.
        worst: Largest use so far, by limit and interval.
    """

    min: Array
    text: dict[int, str] = field(default_factory=dict)
    worst: dict[tuple[str, int], float] = field(default_factory=dict)


def retime_com(
    stance: PlantedStance, frames: AnimationFrames, frame_qpos: Array, *, margin_m: float, rate_hz: float
) -> FeasibleAnimation:
    """Return the feasible motion nearest to an animation, found by its timing and centre of mass alone.

    Args:
        stance: The robot in its planted stance.
        frames: N frames.
        frame_qpos: Their configurations. Shape (N, nq).
        margin_m: Balance margin to keep.
        rate_hz: Samples per second of the result.
    """
    robot = stance.robot
    authored = inverse_dynamics(robot, frames.time_s, frame_qpos)
    com_m = np.asarray(authored.com_in_world)
    problem = PathProblem(
        com_m,
        frames.key,
        1.0 / FRAMES_PER_S,
        support_edges(robot, frames, authored.point_in_world, margin_m + SPARE_MARGIN_M),
        SPARE_FRICTION * robot.friction / np.sqrt(2.0),
    )
    program = BalancedPathProgram(problem)
    zmp_offset_m = np.zeros((len(com_m), 2))
    stretches = IntervalStretches(np.ones(len(frames.key) - 1))
    path = program.solve(problem.as_drawn, zmp_offset_m, stretches.min)
    qpos = frame_qpos
    for rounds in range(1, MAX_ROUNDS + 1):
        dense, dense_qpos = solve_body(stance, frames, path, DENSE_HZ, qpos)
        dynamics = inverse_dynamics(robot, dense.time_s, dense_qpos)
        measured_m = measure_zmp_offset(path, com_m[:, 2], dense.time_s, dynamics)
        disagreement_m = float(np.abs(measured_m - zmp_offset_m).max())
        was_stretched = False
        if disagreement_m < NEARLY_AGREED_M:
            uses = limit_uses(stance, dense, dense_qpos, dynamics)
            was_stretched = stretch_overloaded_intervals(path, frames.key, dense.time_s, uses, stretches)
        has_converged = disagreement_m < AGREED_M and not was_stretched
        if has_converged or rounds == MAX_ROUNDS:
            break
        zmp_offset_m = zmp_offset_m + RELAXATION * (measured_m - zmp_offset_m)
        path = program.solve(path, zmp_offset_m, stretches.min)
        _, qpos = solve_body(stance, frames, path, None, qpos)
    _, qpos = solve_body(stance, frames, path, None, qpos)
    samples, sample_qpos = solve_body(stance, frames, path, rate_hz, qpos)
    return FeasibleAnimation(
        samples.time_s,
        sample_qpos,
        stance_feet(samples),
        samples.eyes,
        frame_time_s=path.time_s,
        frame_qpos=qpos,
        stretch=path.stretch,
        why=stretches.text,
        solved=path.solved,
        rounds=rounds,
    )


def solve_body(
    stance: PlantedStance, frames: AnimationFrames, path: BalancedPath, rate_hz: float | None, guess_qpos: Array
) -> tuple[AnimationFrames, Array]:
    """Return frames and configurations along a planned centre of mass.

    Args:
        stance: The robot in its planted stance.
        frames: N authored frames.
        path: Centre of mass and times of the frames.
        rate_hz: Samples per second; None for the frames themselves.
        guess_qpos: Initial guess at the frames. Shape (N, nq).
    """
    times = path.time_s if rate_hz is None else sample_times(float(path.time_s[-1]), rate_hz)
    frame_time_s = path.time_s * (times[-1] / path.time_s[-1])  # so that the last sample is the end
    retimed = retime_frames(frames, frame_time_s, times)
    com_m = interpolate_frames(frame_time_s, path.com_m, times)
    guess = interpolate_frames(frame_time_s, guess_qpos, times)
    qpos, _ = stance.solve(retimed, com_m=com_m, guess_qpos=guess)
    return retimed, qpos


def measure_zmp_offset(path: BalancedPath, com_height_m: Array, time_s: Array, dynamics: InverseDynamics) -> Array:
    """Return the offset of the body's zero-moment point from the pendulum's, at the frames.

    Args:
        path: Centre of mass and times of N frames.
        com_height_m: Height of the centre of mass. Shape (N,).
        time_s: Samples of the body. Shape (T,).
        dynamics: Inverse dynamics of the body at the samples.

    Returns:
        Shape (N, 2).
    """
    zmp_m = cop_of_wrench(dynamics.ground_force_n, dynamics.ground_moment_nm)
    zmp_m[[0, -1]] = zmp_m[[1, -2]]  # at both ends, finite differences contain only half of the acceleration
    com_m = np.column_stack([path.com_m, com_height_m])
    return np.asarray(interpolate_columns(path.time_s, time_s, zmp_m) - pendulum_zmp(com_m, np.diff(path.time_s)))


def support_edges(robot: Robot, frames: AnimationFrames, points_m: Array, margin_m: float) -> list[tuple[Array, Array]]:
    """Return the edges of the support polygon of each frame, moved inwards by a margin.

    A foot supports a frame if it is on the ground there and in both adjacent frames. `points_m` are the contact points
    in world. Shape (N, n_points, 3).
    """
    foot_of_point = np.array(robot.point_feet)
    in_stance: npt.NDArray[np.bool_] = stance_feet(frames)
    in_stance[1:-1] &= in_stance[:-2] & in_stance[2:]
    edges: list[tuple[Array, Array]] = []
    last_key = b""
    for frame, feet in enumerate(in_stance):
        supports = points_m[frame, feet[foot_of_point], :2]
        key = supports.round(5).tobytes()
        if key == last_key and edges:
            edges.append(edges[-1])
            continue
        last_key = key
        polygon = convex_hull(supports)
        inset = None if polygon is None else polygon.inset(margin_m)
        if inset is None:
            raise OutOfRangeError(
                f"At {frames.time_s[frame]:.2f} s the support polygon of the feet on the ground is too small for a "
                f"balance margin of {margin_m * 1e3:.0f} mm; keep more feet down."
            )
        edges.append(inset.edges)
    return edges


def stretch_overloaded_intervals(
    path: BalancedPath, key: Index, time_s: Array, uses: Iterable[tuple[str, Array]], stretches: IntervalStretches
) -> bool:
    """Raise the minimum stretch of intervals in which a limit is exceeded; return whether any was raised.

    Args:
        path: Times of the frames and present stretches.
        key: Keyframes. Shape (n_keys,).
        time_s: Samples. Shape (T,).
        uses: Names of limits, and their use at each sample, 1 is the limit. Shape (T,).
        stretches: Changed in place.
    """
    frame = np.searchsorted(path.time_s, time_s, side="right") - 1
    share = blending(key)[np.clip(frame, 0, len(path.time_s) - 2)]
    was_raised = False
    for limit, use in uses:
        for interval in np.flatnonzero((share[use > MAX_USE] > MIN_BLEND).any(axis=0)).tolist():
            worst = float(np.where(share[:, interval] > MIN_BLEND, use, 0.0).max())
            if worst > USEFUL_REDUCTION * stretches.worst.get((limit, interval), np.inf):
                continue  # slowing down does not help
            slowdown = min(MAX_SLOWDOWN, np.sqrt(worst / MAX_USE) + 0.02)  # forces fall with the square of the stretch
            stretch = min(LONGEST_STRETCH, path.stretch[interval] * slowdown)
            if stretch > stretches.min[interval] + 1e-6:
                stretches.min[interval] = stretch
                stretches.worst[limit, interval] = worst
                stretches.text[interval] = f"{limit} would reach {worst:.0%} of the limit"
                was_raised = True
    return was_raised


def limit_uses(
    stance: PlantedStance, frames: AnimationFrames, qpos: Array, dynamics: InverseDynamics
) -> Iterator[tuple[str, Array]]:
    """Yield the use of joint speed, torque and friction at each sample, 1 is the limit. Shape (T,)."""
    robot = stance.robot
    speed, _ = velocities(robot, frames.time_s, qpos)
    yield "a joint's speed", (np.abs(speed[:, BASE:]) / robot.joint_speed_limit_rad_s).max(axis=1)
    ground = share_ground_force(robot, dynamics, stance_feet(frames))
    limit = robot.torque_limit_nm
    coupled = stance.coupled
    motor_use = np.abs(coupled.motor_torque_nm(ground.torque_nm)) / limit[coupled.free]
    yield "a torque", np.maximum((np.abs(ground.torque_nm) / limit).max(axis=1), motor_use.max(axis=1))
    load = ground.force_n[..., 2]
    sideways = np.linalg.norm(ground.force_n[..., :2], axis=-1)
    is_loaded = load > LOADED_SHARE * np.abs(load.sum(axis=1, keepdims=True))
    needed = np.where(is_loaded, sideways / np.where(is_loaded, load, 1.0), 0.0)
    yield "friction", needed.max(axis=1) / robot.friction
