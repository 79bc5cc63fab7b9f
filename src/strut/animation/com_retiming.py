"""Centre-of-mass retiming: an animation made feasible by its timing and centre of mass, attitude and joints as drawn.

The balanced path (`optimal.balanced_path`) plans centre of mass and time with a pendulum plus what the whole body was
measured to add; inverse kinematics gives the body; measuring and planning alternate until they agree. Where speed,
torque or friction are still too much, the interval must take longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from strut.animation.animation_frames import FRAMES_PER_S, AnimationFrames
from strut.animation.animation_ik import PlantedStance, interpolate_frames, retime_frames, sample_times, stance_feet
from strut.animation.feasible_animation import FeasibleAnimation
from strut.arrays import Array
from strut.balance.centre_of_pressure import cop_of_wrench
from strut.balance.ground_force import share_ground_force
from strut.balance.polygon import Polygon, convex_hull
from strut.engines.inverse_dynamics import InverseDynamics, inverse_dynamics, velocities
from strut.errors import OutOfRangeError
from strut.maths.sampling import columns_at
from strut.ocp.balanced_path import (
    LONGEST_STRETCH,
    BalancedPath,
    BalancedPathProgram,
    PathProblem,
    blending,
    pendulum_zmp,
)
from strut.robot import BASE, Robot

ROUNDS = 15
AGREED_M = 0.003  # of the zero-moment point, between plan and body
NEARLY_M = 0.005  # nearer than this, forces and torques mean something
RELAXED = 0.6  # share of what was measured that the next plan takes over: the body answers a plan a little too much
SPARE_M = 0.008  # of the balance margin, for what lies between two frames
SPARE_FRICTION = 0.7  # share of the friction that the centre of mass may use
MOST_USE = 0.95  # of speed, torque and friction
SLOWER = 1.25
HELPED = 0.98  # of a use, that must remain at most after an interval was slowed down, or it is left at that
DENSE_HZ = 100.0


@dataclass(slots=True, eq=False)
class StretchReasons:
    """Why intervals take longer: least stretch (n_keys - 1,), what would happen in words, and how bad it was."""

    least: Array
    words: dict[int, str] = field(default_factory=dict)
    worst: dict[tuple[str, int], float] = field(default_factory=dict)


def retime_com(
    stance: PlantedStance, drawing: AnimationFrames, raw_qpos: Array, *, margin_m: float, rate_hz: float
) -> FeasibleAnimation:
    """Return a movement near to a drawing by moving its centre of mass alone; see `FeasibleAnimation`."""
    robot = stance.robot
    intervals = len(drawing.key) - 1
    maker = _Maker(stance, drawing, raw_qpos, margin_m + SPARE_M)
    reasons = StretchReasons(np.ones(intervals))
    path = maker.program.solve(maker.program.drawn.as_drawn, maker.assumed, reasons.least)
    qpos = raw_qpos
    rounds = 1
    while True:
        dense, dense_qpos = maker.body(path, DENSE_HZ, qpos)
        dynamics = inverse_dynamics(robot, dense.time_s, dense_qpos)
        beyond = maker.beyond(path, dense.time_s, dynamics)
        off_m = float(np.abs(beyond - maker.assumed).max())
        slower = off_m < NEARLY_M and _slow_down(maker, path, dense, dense_qpos, dynamics, reasons)
        if (off_m < AGREED_M and not slower) or rounds == ROUNDS:
            break
        rounds += 1
        path = maker.plan(path, beyond, reasons.least)
        _, qpos = maker.body(path, None, qpos)
    _, qpos = maker.body(path, None, qpos)
    final, final_qpos = maker.body(path, rate_hz, qpos)
    return FeasibleAnimation(
        final.time_s,
        final_qpos,
        stance_feet(final),
        final.eyes,
        frame_time_s=path.time_s,
        frame_qpos=qpos,
        stretch=path.stretch,
        why=reasons.words,
        solved=path.solved,
        rounds=rounds,
    )


@dataclass(slots=True, eq=False)
class _Maker:
    """Plans and bodies of one drawing."""

    stance: PlantedStance
    drawing: AnimationFrames
    raw_qpos: Array
    margin_m: float
    com_m: Array = field(init=False)
    assumed: Array = field(init=False)
    program: BalancedPathProgram = field(init=False)

    def __post_init__(self) -> None:
        robot = self.stance.robot
        still = inverse_dynamics(robot, self.drawing.time_s, self.raw_qpos)
        self.com_m = np.asarray(still.com_in_world)
        self.assumed = np.zeros((len(self.com_m), 2))
        slope = SPARE_FRICTION * robot.friction / np.sqrt(2.0)
        edges = _edges(robot, self.drawing, still.point_in_world, self.margin_m)
        problem = PathProblem(self.com_m, self.drawing.key, 1.0 / FRAMES_PER_S, edges, slope)
        self.program = BalancedPathProgram(problem)

    def body(self, path: BalancedPath, rate_hz: float | None, near: Array) -> tuple[AnimationFrames, Array]:
        """Return a path as frames and coordinates, at a rate or, without one, at its own frames."""
        times = path.time_s if rate_hz is None else sample_times(float(path.time_s[-1]), rate_hz)
        shown_s = path.time_s * (times[-1] / path.time_s[-1])  # so that the last sample is the end
        frames = retime_frames(self.drawing, shown_s, times)
        com = interpolate_frames(shown_s, path.com_m, times)
        start = interpolate_frames(shown_s, near, times)
        qpos, _ = self.stance.solve(frames, com_m=com, near=start)
        return frames, qpos

    def beyond(self, path: BalancedPath, time_s: Array, dynamics: InverseDynamics) -> Array:
        """Return what the whole body adds to the zero-moment point of its pendulum, at the frames. Shape (N, 2)."""
        whole = cop_of_wrench(dynamics.ground_force_n, dynamics.ground_moment_nm)
        whole[[0, -1]] = whole[[1, -2]]  # where a movement begins and ends, differences see only half of it
        at_frames = columns_at(path.time_s, time_s, whole)
        com = np.column_stack([path.com_m, self.com_m[:, 2]])
        return np.asarray(at_frames - pendulum_zmp(com, np.diff(path.time_s)))

    def plan(self, path: BalancedPath, beyond: Array, least: Array) -> BalancedPath:
        """Return the next path."""
        self.assumed = self.assumed + RELAXED * (beyond - self.assumed)
        return self.program.solve(path, self.assumed, least)


def _edges(robot: Robot, drawing: AnimationFrames, points: Array, margin_m: float) -> list[tuple[Array, Array]]:
    """Return the edges, moved inwards, of what the feet span that are down in a frame and in those beside it."""
    owner = np.array(robot.point_feet)
    down = stance_feet(drawing)
    down[1:-1] &= down[:-2] & down[2:]
    found: list[tuple[Array, Array]] = []
    last: tuple[bytes, tuple[Array, Array]] | None = None
    for frame, carrying in enumerate(down):
        standing = points[frame, carrying[owner], :2]
        mark = standing.round(5).tobytes()
        if last is None or last[0] != mark:
            last = (mark, _inset(convex_hull(standing), margin_m, float(drawing.time_s[frame])).edges)
        found.append(last[1])
    return found


def _inset(polygon: Polygon | None, margin_m: float, time_s: float) -> Polygon:
    shrunk = None if polygon is None else polygon.inset(margin_m)
    if shrunk is None:
        raise OutOfRangeError(
            f"At {time_s:.2f} s the feet that are down leave no room to balance with {margin_m * 1e3:.0f} mm to spare; "
            "keep more feet down."
        )
    return shrunk


def _slow_down(
    maker: _Maker,
    path: BalancedPath,
    dense: AnimationFrames,
    qpos: Array,
    dynamics: InverseDynamics,
    reasons: StretchReasons,
) -> bool:
    """Raise the least stretch of intervals in which speed, torque or friction are too much; return whether any was."""
    frame = np.searchsorted(path.time_s, dense.time_s, side="right") - 1
    share = blending(maker.drawing.key)[np.clip(frame, 0, len(path.time_s) - 2)]
    raised = False
    for what, use in _uses(maker.stance, dense, qpos, dynamics):
        for interval in np.flatnonzero((share[use > MOST_USE] > 0.2).any(axis=0)):
            worst = float(np.where(share[:, interval] > 0.2, use, 0.0).max())
            if worst > HELPED * reasons.worst.get((what, int(interval)), np.inf):
                continue  # what slowing down does not cure
            slower = min(LONGEST_STRETCH, path.stretch[interval] * min(SLOWER, np.sqrt(worst / MOST_USE) + 0.02))
            if slower > reasons.least[interval] + 1e-6:
                reasons.least[interval] = slower
                raised = True
                reasons.worst[what, int(interval)] = worst
                reasons.words[int(interval)] = f"{what} would reach {worst:.0%} of the limit"
    return raised


def _uses(
    stance: PlantedStance, dense: AnimationFrames, qpos: Array, dynamics: InverseDynamics
) -> Iterator[tuple[str, Array]]:
    """Yield what is used of speed, torque and friction at each sample, 1 is the limit. Shape (T,)."""
    robot = stance.robot
    speed, _ = velocities(robot, dense.time_s, qpos)
    yield "a joint's speed", (np.abs(speed[:, BASE:]) / robot.joint_speed_limit_rad_s).max(axis=1)
    ground = share_ground_force(robot, dynamics, stance_feet(dense))
    limit = robot.torque_limit_nm
    coupled = stance.coupled
    motors = np.abs(coupled.motor_torque_nm(ground.torque_nm)) / limit[coupled.free]
    yield "a torque", np.maximum((np.abs(ground.torque_nm) / limit).max(axis=1), motors.max(axis=1))
    load = ground.force_n[..., 2]
    sideways = np.linalg.norm(ground.force_n[..., :2], axis=-1)
    loaded = load > 0.02 * np.abs(load.sum(axis=1, keepdims=True))
    yield "friction", np.where(loaded, sideways / np.where(loaded, load, 1.0), 0.0).max(axis=1) / robot.friction
