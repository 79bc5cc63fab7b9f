"""Gait solver: whole-body inverse kinematics of a gait plan that keeps the zero-moment point where the plan has it.

The centre of mass moves like an inverted pendulum. A pendulum has no swinging legs, no arms and no rolling feet, so the
zero-moment point of the whole body differs from the planned one. Each round measures the error by inverse dynamics,
moves the centre of mass by the pendulum's response to it, and solves the inverse kinematics again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
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

ROUNDS = 3  # each leaves about a tenth of the error of the zero-moment point
MAX_ZMP_ERROR = 0.1  # of the height of the centre of mass; larger errors are jolts, which no pendulum can follow
SWING_HOLD = 3e-4  # weight of a flat foot in mid-swing, 1 in stance: with an ankle at its stop, the toe may hang
SWING_HOLD_EXPONENT = 2  # lower would still hold the foot early in the swing, and an ankle at its stop jolts the body
SMOOTHING_TIME = 0.03  # standard deviation in sqrt(h / g): the time in which a joint comes to its stop
SOLES_SMOOTHING_TIME = 0.05  # the same for robots with soles, whose ankles come to their stops
FIRST_ITERATIONS = 20  # of the inverse kinematics from the initial guess
NEXT_ITERATIONS = 12  # of the inverse kinematics of each further round
RESAMPLED_ITERATIONS = 3  # fewer would leave a motion that is mistaken for an error of the zero-moment point
ROUND_CONVERGED = 1e-5  # m and rad, where another round follows


@dataclass(frozen=True, slots=True, eq=False)
class BodyPosture:
    """Targets of the body along a plan, beside those of the feet.

    Args:
        height_m: Height of the centre of mass. Shape (T,).
        base_rotation: Base to world. Shape (T, 3, 3).
        joint_rad: Preferred joint angles. Shape (T, n_joints).
    """

    height_m: Array
    base_rotation: Array
    joint_rad: Array


@dataclass(frozen=True, slots=True, eq=False)
class SolvedGait:
    """A solved gait.

    Args:
        time_s: Shape (T,).
        solution: Configurations and what they miss of their targets, T samples.
        com_m: Target of the centre of mass on the ground plane. Shape (T, 2).
    """

    time_s: Array
    solution: WholeBodySolution
    com_m: Array

    def at(self, time_s: Array) -> tuple[Array, Array]:
        """Return configurations (n, nq) and the path of the centre of mass (n, 2) at other times. Shape (n,)."""
        inside_s = np.minimum(time_s, self.time_s[-1])
        qpos = np.asarray(CubicSpline(self.time_s, self.solution.qpos, bc_type="clamped")(inside_s))
        qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
        com_m = np.asarray(CubicSpline(self.time_s, self.com_m, bc_type="clamped")(inside_s))
        return qpos, com_m


@dataclass(frozen=True, slots=True)
class SolverEffort:
    """How far the inverse kinematics goes; the defaults are those of a final gait.

    Args:
        rounds: Corrections of the zero-moment point.
        converged: Step below which a sample has converged [m, rad].
        progress: Share of its cost that a sample must lose in a step to go on.
        first_iterations: Of the inverse kinematics from the initial guess.
        next_iterations: Of the inverse kinematics of each further round.
    """

    rounds: int = ROUNDS
    converged: float = CONVERGED
    progress: float = 0.0
    first_iterations: int = FIRST_ITERATIONS
    next_iterations: int = NEXT_ITERATIONS


def solve_gait(
    robot: Robot,
    plan: GaitPlan,
    posture: BodyPosture,
    guess_qpos: Array,
    *,
    length_m: float,
    com_m: Array | None = None,
    effort: SolverEffort | None = None,
    is_hopeless: Callable[[WholeBodySolution], bool] | None = None,
) -> SolvedGait:
    """Return the configurations of a plan.

    Args:
        robot: A floating robot.
        plan: Feet and zero-moment point.
        posture: The rest of the body.
        guess_qpos: Initial guess. Shape (T, nq).
        length_m: Length that position errors are compared with, that of a leg.
        com_m: Path of the centre of mass in an earlier, similar solution; the pendulum's if None. Shape (T, 2).
        effort: How far to go; that of a final gait if None.
        is_hopeless: Whether a solution is so far off that further rounds are in vain; none is if None.
    """
    effort = effort or SolverEffort()

    def solve(targets: BodyTargets, start_qpos: Array, iterations: int, converged: float) -> Array:
        qpos = whole_body_qpos(
            robot,
            targets,
            start_qpos,
            length_m=length_m,
            iterations=iterations,
            converged=converged,
            progress=effort.progress,
        )
        return _smooth(robot, plan, targets, qpos)

    if com_m is None:
        rolling_m = np.zeros_like(plan.foot_in_world)
        com_m = _pendulum(plan, posture, _zmp_target(plan, rolling_m))
    else:
        rolling_m = _offset_from_footprints(robot, plan, guess_qpos)
    targets = _body_targets(plan, posture, com_m, rolling_m)
    round_converged = max(effort.converged, ROUND_CONVERGED)  # the last round removes what is left
    first_converged = round_converged if effort.rounds else effort.converged
    qpos = solve(targets, guess_qpos, effort.first_iterations, first_converged)
    for number in range(1, effort.rounds + 1):
        if is_hopeless is not None and is_hopeless(evaluate_solution(robot, targets, qpos)):
            break
        com_m = com_m + _com_correction(robot, plan, posture, rolling_m, qpos)
        rolling_m = _offset_from_footprints(robot, plan, qpos)
        targets = _body_targets(plan, posture, com_m, rolling_m)
        converged = effort.converged if number == effort.rounds else round_converged
        qpos = solve(targets, qpos, effort.next_iterations, converged)
    return SolvedGait(plan.time_s, evaluate_solution(robot, targets, qpos), com_m)


def resample_gait(
    robot: Robot, gait: SolvedGait, plan: GaitPlan, posture: BodyPosture, *, length_m: float
) -> WholeBodySolution:
    """Return a solved gait at the samples of a finer plan, with one more correction of its zero-moment point.

    Args:
        robot: A floating robot.
        gait: The solution of a coarser plan of the same walk.
        plan: The finer plan.
        posture: The rest of the body along the finer plan.
        length_m: Length that position errors are compared with, that of a leg.
    """
    qpos, com_m = gait.at(plan.time_s)
    rolling_m = _offset_from_footprints(robot, plan, qpos)
    targets = _body_targets(plan, posture, com_m, rolling_m)
    first = whole_body_qpos(robot, targets, qpos, length_m=length_m, iterations=RESAMPLED_ITERATIONS)
    com_m += _com_correction(robot, plan, posture, rolling_m, _smooth(robot, plan, targets, first))
    targets = _body_targets(plan, posture, com_m, _offset_from_footprints(robot, plan, first))
    solved = whole_body_qpos(robot, targets, first, length_m=length_m, iterations=NEXT_ITERATIONS)
    return evaluate_solution(robot, targets, _smooth(robot, plan, targets, solved))


def _smooth(robot: Robot, plan: GaitPlan, targets: BodyTargets, qpos: Array) -> Array:
    """Return a gait without kinks, which arise where joints come to their stops and would jolt the whole body.

    Feet on the ground stay there within 0.3 mm, or 1 mm where joints come to their stops; feet in the air leave their
    paths by up to a hundredth of the body's height where they turn quickly. Shape (T, nq).
    """
    smoothing_time = SOLES_SMOOTHING_TIME if robot.foot_turns.any() else SMOOTHING_TIME
    spread_s = smoothing_time * np.sqrt(float(targets.com_in_world[:, 2].mean()) / GRAVITY_M_S2)
    smooth = gaussian_filter1d(qpos, spread_s / float(plan.time_s[1] - plan.time_s[0]), axis=0, mode="nearest")
    smooth[:, 3:7] /= np.linalg.norm(smooth[:, 3:7], axis=1, keepdims=True)
    return np.asarray(smooth)


def _zmp_target(plan: GaitPlan, rolling_m: Array) -> Array:
    """Return where the zero-moment point should be, with feet that have rolled. Shapes (T, n, 3) in, (T, 2) out."""
    return planned_zmp(replace(plan, cop_in_world=plan.cop_in_world + rolling_m[..., :2]))


def _com_correction(robot: Robot, plan: GaitPlan, posture: BodyPosture, rolling_m: Array, qpos: Array) -> Array:
    """Return how far the centre of mass must move to correct the zero-moment point of a motion. Shape (T, 2)."""
    reaction = ground_reaction(robot, plan.time_s, qpos)
    zmp_error_m = _zmp_target(plan, rolling_m) - cop_of_wrench(reaction.force_n, reaction.moment_nm)
    max_error_m = MAX_ZMP_ERROR * float(posture.height_m.mean())
    return _pendulum(plan, posture, np.clip(zmp_error_m, -max_error_m, max_error_m))


def _pendulum(plan: GaitPlan, posture: BodyPosture, zmp_m: Array) -> Array:
    step_s = float(plan.time_s[1] - plan.time_s[0])
    return pendulum_com(zmp_m, posture.height_m, step_s=step_s, gravity_m_s2=GRAVITY_M_S2)


def _body_targets(plan: GaitPlan, posture: BodyPosture, com_m: Array, rolling_m: Array) -> BodyTargets:
    foot_rotation = Rotation.from_euler("Z", plan.foot_yaw_rad.reshape(-1, 1)).as_matrix()
    swing_share = plan.schedule.swing_share
    in_air = 4.0 * swing_share * (1.0 - swing_share)  # 1 in mid-swing, 0 at lift-off and touch-down
    return BodyTargets(
        foot_in_world=plan.foot_in_world + rolling_m,
        foot_rotation=foot_rotation.reshape(*plan.foot_yaw_rad.shape, 3, 3),
        foot_hold=np.asarray(SWING_HOLD ** (1.0 - (1.0 - in_air) ** SWING_HOLD_EXPONENT)),
        com_in_world=np.column_stack([com_m, posture.height_m]),
        base_rotation=posture.base_rotation,
        joint_rad=posture.joint_rad,
    )


def _offset_from_footprints(robot: Robot, plan: GaitPlan, qpos: Array) -> Array:
    """Return how far spherical feet that roll without slipping are from their footprints. Shape (T, n, 3)."""
    displacement_m = np.zeros_like(plan.foot_in_world)
    balls = [k for k, foot in enumerate(robot.feet) if foot.radius_m > 0.0 and len(foot.points) == 1]
    if balls:
        travel_m = rolling_displacement(robot, [robot.feet[ball].points[0] for ball in balls], qpos)
        for column, ball in enumerate(balls):
            displacement_m[:, ball] = _relative_to_mid_stance(travel_m[:, column], plan.schedule.contact[:, ball])
    displacement_m[..., 2] = 0.0
    return displacement_m


def _relative_to_mid_stance(travel_m: Array, is_stance: npt.NDArray[np.bool_]) -> Array:
    """Return the travel of a rolling foot relative to the middle of each stance; in a swing, interpolated smoothly.

    In the first and the last stance the robot stands still at the far end, so travel is relative to that. Shape (T, 3).
    """
    stances = list(runs(is_stance))
    relative_m = np.zeros_like(travel_m)
    for number, rows in enumerate(stances):
        if number == 0:
            origin = rows.start
        elif number == len(stances) - 1:
            origin = rows.stop - 1
        else:
            origin = (rows.start + rows.stop) // 2
        relative_m[rows] = travel_m[rows] - travel_m[origin]
    for before, after in pairwise(stances):
        share = (np.arange(before.stop, after.start) - before.stop + 1) / (after.start - before.stop + 1)
        progress = smooth_step(share)[:, None]
        relative_m[before.stop : after.start] = (1.0 - progress) * relative_m[before.stop - 1] + progress * relative_m[
            after.start
        ]
    return relative_m
