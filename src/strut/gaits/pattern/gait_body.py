"""Gait body: whole-body inverse kinematics of a gait plan, with the zero-moment point where the feet can push.

The centre of mass is that of an inverted pendulum. What the pendulum does not know of (swinging legs and arms, balls
that roll) is measured by inverse dynamics, and the pendulum's answer to the miss is added.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.interpolate import CubicSpline
from scipy.ndimage import gaussian_filter1d
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.balance.centre_of_pressure import cop_of_wrench
from strut.balance.pendulum import pendulum_com
from strut.engines.contact_slip import rolling_displacement
from strut.engines.inverse_dynamics import ground_reaction
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.gaits.pattern.gait_plan import GaitPlan, planned_zmp
from strut.kinematics.whole_body import CONVERGED, BodyTargets, WholeBodySolution, evaluate_solution, whole_body_qpos
from strut.maths.easing import smooth_step
from strut.maths.sampling import runs
from strut.robot import Robot

ROUNDS = 3  # each leaves about a tenth of the miss of the round before
LARGEST_MISS = 0.1  # of its height: nobody answers a jolt
SWING_HOLD = 3e-4  # of the weight with which feet on the ground keep flat: an ankle at its stop lets the toe hang
SWING_HOLD_EXPONENT = 2  # how early in a swing: an ankle at its stop whose foot is still held jolts the whole body
SMOOTHING_TIME = 0.03
SOLES_SMOOTHING_TIME = 0.05  # in sqrt(h / g), standard deviation: in which a joint, or an ankle, comes to its stop
ITERATIONS = (20, 12)  # of the first inverse kinematics, and of the next
NEXT_ROUND = 1e-5  # metres and radians, to which coordinates settle where another round follows
RESAMPLED_ITERATIONS = 3  # what is not at rest yet would be taken for a miss


@dataclass(frozen=True, slots=True, eq=False)
class BodyPosture:
    """Height, attitude and joints of a body along a plan.

    Args:
        height_m: Of the centre of mass. Shape (T,).
        base_rotation: Base to world. Shape (T, 3, 3).
        joint_rad: Posture. Shape (T, n_joints).
    """

    height_m: Array
    base_rotation: Array
    joint_rad: Array


@dataclass(frozen=True, slots=True, eq=False)
class SolvedGait:
    """A solved gait and the path of its centre of mass over the ground. Shape (T, 2)."""

    solved: WholeBodySolution
    com_m: Array

    def at(self, time_s: Array, instants_s: Array) -> tuple[Array, Array]:
        """Return coordinates (n, nq) and the path of the mass (n, 2) at other instants than its own. (T,), (n,)."""

        def finer(values: Array) -> Array:
            curve = CubicSpline(time_s, values, bc_type="clamped")
            return np.asarray(curve(np.minimum(instants_s, time_s[-1])))

        qpos = finer(self.solved.qpos)
        qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
        return qpos, finer(self.com_m)


def solved_gait(
    robot: Robot,
    plan: GaitPlan,
    posture: BodyPosture,
    start_qpos: Array,
    *,
    length_m: float,
    com_m: Array | None = None,
    rounds: int = ROUNDS,
    converged: float = CONVERGED,
    progress: float = 0.0,
    iterations: tuple[int, int] = ITERATIONS,
    ends: Callable[[WholeBodySolution], bool] | None = None,
) -> SolvedGait:
    """Return a plan's coordinates.

    Args:
        robot: Who walks.
        plan: Feet and pressure.
        posture: The rest of the body.
        start_qpos: Where to begin. Shape (T, nq).
        length_m: Of a leg.
        com_m: The path of the mass, where an earlier solution with about the same had it; a pendulum's if None. (T, 2).
        rounds: Answers to what the zero-moment point misses.
        converged: As of `whole_body_qpos`.
        progress: Likewise.
        iterations: Of the first inverse kinematics, and of the next.
        ends: Whether a solution needs no further round; none does if None.
    """
    solve = partial(whole_body_qpos, robot, length_m=length_m, converged=converged, progress=progress)
    rolling = np.zeros_like(plan.foot_in_world) if com_m is None else _rolled(robot, plan, start_qpos)
    com = _pendulum(plan, posture, _wanted_zmp(plan, rolling)) if com_m is None else com_m
    targets = _targets(plan, posture, com, rolling)
    near = {"converged": max(converged, NEXT_ROUND)} if rounds else {}  # the last round settles what is left
    qpos = _smoothed(robot, plan, targets, solve(targets, start_qpos, iterations=iterations[0], **near))
    for last in (*(False,) * (rounds - 1), True)[:rounds]:
        if ends is not None and ends(evaluate_solution(robot, targets, qpos)):
            break
        com = com + _answer(robot, plan, posture, rolling, qpos)
        rolling = _rolled(robot, plan, qpos)
        targets = _targets(plan, posture, com, rolling)
        near = {} if last else near
        qpos = _smoothed(robot, plan, targets, solve(targets, qpos, iterations=iterations[1], **near))
    return SolvedGait(evaluate_solution(robot, targets, qpos), com)


def resampled_gait(
    robot: Robot, coarse: GaitPlan, found: SolvedGait, plan: GaitPlan, posture: BodyPosture, *, length_m: float
) -> WholeBodySolution:
    """Return a solved gait at the samples of a finer plan, with one more answer to what its zero-moment point misses.

    Args:
        robot: Who walks.
        coarse: The plan that was solved.
        found: Its solution.
        plan: The same with more samples.
        posture: Of the finer plan.
        length_m: Of a leg.
    """
    qpos, com = found.at(coarse.time_s, plan.time_s)
    rolling = _rolled(robot, plan, qpos)
    targets = _targets(plan, posture, com, rolling)
    first = whole_body_qpos(robot, targets, qpos, length_m=length_m, iterations=RESAMPLED_ITERATIONS)
    com += _answer(robot, plan, posture, rolling, _smoothed(robot, plan, targets, first))
    targets = _targets(plan, posture, com, _rolled(robot, plan, first))
    solved = whole_body_qpos(robot, targets, first, length_m=length_m, iterations=ITERATIONS[1])
    return evaluate_solution(robot, targets, _smoothed(robot, plan, targets, solved))


def _smoothed(robot: Robot, plan: GaitPlan, targets: BodyTargets, qpos: Array) -> Array:
    """Return a gait in which joints that come to their stops do so in a moment: a kink would jolt the whole body.

    Feet on the ground stay there within 0.3 mm, or 1 mm where joints come to their stops; feet in the air leave their
    paths by up to a hundredth of the body's height where they turn quickly. Shape (T, nq).
    """
    share = SOLES_SMOOTHING_TIME if robot.foot_turns.any() else SMOOTHING_TIME
    spread_s = share * np.sqrt(float(targets.com_in_world[:, 2].mean()) / GRAVITY_M_S2)
    smooth = gaussian_filter1d(qpos, spread_s / float(plan.time_s[1] - plan.time_s[0]), axis=0, mode="nearest")
    smooth[:, 3:7] /= np.linalg.norm(smooth[:, 3:7], axis=1, keepdims=True)
    return np.asarray(smooth)


def _wanted_zmp(plan: GaitPlan, rolling_m: Array) -> Array:
    """Return where the ground shall push, balls that have rolled included. Shape (T, 2)."""
    return planned_zmp(replace(plan, push_in_world=plan.push_in_world + rolling_m[..., :2]))


def _answer(robot: Robot, plan: GaitPlan, posture: BodyPosture, rolling_m: Array, qpos: Array) -> Array:
    """Return the shift of the centre of mass by which a pendulum answers what the zero-moment point misses. (T, 2)."""
    reaction = ground_reaction(robot, plan.time_s, qpos)
    miss = _wanted_zmp(plan, rolling_m) - cop_of_wrench(reaction.force_n, reaction.moment_nm)
    most_m = LARGEST_MISS * float(posture.height_m.mean())
    return _pendulum(plan, posture, np.clip(miss, -most_m, most_m))


def _pendulum(plan: GaitPlan, posture: BodyPosture, zmp_m: Array) -> Array:
    step_s = float(plan.time_s[1] - plan.time_s[0])
    return pendulum_com(zmp_m, posture.height_m, step_s=step_s, gravity_m_s2=GRAVITY_M_S2)


def _targets(plan: GaitPlan, posture: BodyPosture, com_m: Array, rolling_m: Array) -> BodyTargets:
    turn = Rotation.from_euler("Z", plan.foot_yaw_rad.reshape(-1, 1)).as_matrix()
    return BodyTargets(
        foot_in_world=plan.foot_in_world + rolling_m,
        foot_rotation=turn.reshape(*plan.foot_yaw_rad.shape, 3, 3),
        foot_hold=_hold(plan),
        com_in_world=np.column_stack([com_m, posture.height_m]),
        base_rotation=posture.base_rotation,
        joint_rad=posture.joint_rad,
    )


def _hold(plan: GaitPlan) -> Array:
    """Return how firmly feet keep flat: in a swing, but for its ends, only as far as nothing is in the way. (T, n)."""
    in_air = 4.0 * plan.schedule.share * (1.0 - plan.schedule.share)
    return np.asarray(SWING_HOLD ** (1.0 - (1.0 - in_air) ** SWING_HOLD_EXPONENT))


def _rolled(robot: Robot, plan: GaitPlan, qpos: Array) -> Array:
    """Return how far balls that roll without slipping are from their footprints. Shape (T, n, 3)."""
    rolled = np.zeros_like(plan.foot_in_world)
    balls = [k for k, foot in enumerate(robot.feet) if foot.radius_m > 0.0 and len(foot.points) == 1]
    if balls:
        travel_m = rolling_displacement(robot, [robot.feet[ball].points[0] for ball in balls], qpos)
        for column, ball in enumerate(balls):
            rolled[:, ball] = _about_middles(travel_m[:, column], plan.schedule.contact[:, ball])
    rolled[..., 2] = 0.0
    return rolled


def _about_middles(travel_m: Array, down: npt.NDArray[np.bool_]) -> Array:
    """Return travel in each stance from its middle; the first and the last, in which it stands, from the far end.

    In a swing it goes over smoothly from that of the stance before to that of the stance after. Shape (T, 3).
    """
    stances = list(runs(down))
    rolled = np.zeros_like(travel_m)
    for number, rows in enumerate(stances):
        middle = rows.start if number == 0 else rows.stop - 1 if number == len(stances) - 1 else _middle(rows)
        rolled[rows] = travel_m[rows] - travel_m[middle]
    for before, after in pairwise(stances):
        share = (np.arange(before.stop, after.start) - before.stop + 1) / (after.start - before.stop + 1)
        progress = smooth_step(share)[:, None]
        rolled[before.stop : after.start] = (1.0 - progress) * rolled[before.stop - 1] + progress * rolled[after.start]
    return rolled


def _middle(rows: slice) -> int:
    return int(rows.start + rows.stop) // 2
