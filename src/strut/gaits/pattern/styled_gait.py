"""Styled gait: the gait of one robot in one style, planned and solved for any number of cycles at any sampling rate."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.engines.rigid_body import GRAVITY_M_S2, joint_anchors
from strut.engines.task_jacobians import task_jacobians
from strut.errors import OutOfRangeError
from strut.expression.secondary_motion import Rhythm, SecondaryMotion, joint_offsets_of_style, secondary_motion
from strut.gaits.pattern.gait_fallbacks import FALLBACKS, SEARCH, CoarseCheck, describe_fastest_joint, speed_use
from strut.gaits.pattern.gait_pattern import GaitPattern, find_pattern, slow_down, speed_up, time_unit_s
from strut.gaits.pattern.gait_plan import SETTLE, FootStance, GaitPlan, fade_in_and_out, gait_plan
from strut.gaits.pattern.gait_solver import (
    ROUNDS,
    BodyPosture,
    SolvedGait,
    SolverEffort,
    resample_gait,
    solve_gait,
)
from strut.gaits.pattern.gait_track import Reach, TrackPiece, envelope, pieces_to
from strut.gaits.pattern.request import PatternGait
from strut.gaits.pattern.standing import foot_stance
from strut.gaits.pattern.table import PatternTable
from strut.kinematics.whole_body import LIMIT_MARGIN_RAD, WholeBodySolution
from strut.place import Place
from strut.robot import FLOATING, Robot
from strut.style import STYLE_PARAMETERS, Style

SOLVED_RATE_HZ = 50.0  # pendulum and inverse kinematics are solved at this rate, then once more at the user's
MAX_STANCE_ERROR_M = 1e-3  # of a foot on the ground; more would be visible as slip
MAX_SWING_ERROR = 0.015  # of a foot in the air, in h: smoothing rounds off its path where it turns quickly
MAX_COM_ERROR = 0.002  # in h: a centre of mass that a joint at its stop holds back jolts
UNEVEN = 0.8  # how unevenly time runs within a step at a jerkiness of 1; at 1, feet would stop within their swings
REST = 6.0  # more standing before and after the walk of a body that breathes, in sqrt(h / g): half a breath
MIN_PACE = 0.5  # of the pattern's own, however slow the commanded walk is
# On the way to a goal
SIDEWAYS = 0.4  # of a stride, largest travel sideways in a cycle
TURN_RAD = 0.5  # largest turn in a cycle
MIN_STRIDE = 0.05  # of the robot's own stride; slower, it would never arrive
MAX_CYCLES = 200  # several minutes; a farther goal is probably a mistake of units
# Coarse check
CHECK_CYCLES = 3  # one to start, one to walk steadily, one to stop
CHECK_RATE_HZ = 25.0  # half the rate at which drafts are solved
CHECK_EFFORT = SolverEffort(
    rounds=1,
    converged=1e-4,  # m and rad: a tenth of the tolerance of a foot on the ground
    progress=0.02,  # share of its cost; a sample that loses less per step stays where it is
    first_iterations=12,  # a sample that takes longer to converge is out of reach
    next_iterations=8,
)
CHECK_SPEED = 0.9  # of the joint speed limits: samples this coarse miss the instant of the highest speed
CHECK_RISE = 0.015  # in h: a feasible body must be able to rise, because nearly straight knees turn ever faster


@dataclass(frozen=True, slots=True, eq=False)
class Carriage:
    """How a body is carried over its feet.

    Args:
        height_m: Height of the centre of mass. Shape (T,).
        pitch_roll_rad: Pitch and roll of the base. Shape (T, 2).
        joint_rad: Preferred joint angles. Shape (T, n_joints).
    """

    height_m: Array
    pitch_roll_rad: Array
    joint_rad: Array

    def posture(self, plan: GaitPlan) -> BodyPosture:
        """Return the posture of a body that faces along the track of a plan."""
        yaw_pitch_roll = np.column_stack([plan.track[:, 2], self.pitch_roll_rad])
        rotation = Rotation.from_euler("ZYX", yaw_pitch_roll).as_matrix()
        return BodyPosture(height_m=self.height_m, base_rotation=rotation, joint_rad=self.joint_rad)


@dataclass(frozen=True, slots=True, eq=False)
class StyledGait:
    """The gait of a robot in a style at one fallback.

    Args:
        robot: A robot on two or four legs.
        task: The requested walk.
        pattern: The robot's gait pattern at the tempo of the style.
        stance: The feet in standing.
        standing_qpos: Configuration in standing. Shape (nq,).
        style: The style.
        body_height: Factor on the height of the centre of mass.
    """

    robot: Robot
    task: PatternGait
    pattern: GaitPattern
    stance: FootStance
    standing_qpos: Array
    style: Style
    body_height: float = 1.0

    @classmethod
    def upright(cls, robot: Robot, task: PatternGait, style: Style) -> StyledGait:
        """Return the gait at the first fallback: upright, with full steps."""
        stance, qpos = foot_stance(robot)
        table = robot.gait_as(PatternTable)
        pattern = speed_up(
            find_pattern(task.pattern or table.gait, len(stance.places)),
            height_m=stance.height_m,
            length_m=stance.length_m,
            gravity_m_s2=GRAVITY_M_S2,
        )
        pattern = replace(
            pattern,
            period=pattern.period * table.period,
            stride=pattern.stride * table.stride,
            lift=pattern.lift * table.lift,
        )
        pace = 1.0
        if task.speed_m_s is not None:  # a slower walk takes half of that from the pace, half from the step length
            usual_m_s = pattern.stride * stance.height_m / (pattern.period * _time_unit_s(stance))
            pace = float(np.sqrt(np.clip(abs(task.speed_m_s) / usual_m_s, MIN_PACE**2, 1.0)))
        pattern = slow_down(replace(pattern, period=pattern.period / pace), pace * style.tempo)
        return cls(robot, task, pattern, stance, qpos, style)

    def at_fallback(self, fallback: int) -> StyledGait:
        """Return the gait with the body height and the step scale of a fallback; its speed stays."""
        body_height, step_scale = FALLBACKS[fallback]
        period = step_scale * self.pattern.period
        stride = step_scale * self.pattern.stride
        return replace(self, body_height=body_height, pattern=replace(self.pattern, period=period, stride=stride))

    @property
    def time_unit_s(self) -> float:
        """sqrt(h / g) of the body."""
        return _time_unit_s(self.stance)

    @property
    def foot_m(self) -> Array:
        """Frames of the feet in standing at the stance width of the style. Shape (n, 3)."""
        width = self.style.stance_width * self.robot.gait_as(PatternTable).width
        return np.asarray(self.stance.foot_m * np.array([1.0, width, 1.0]))

    @property
    def lift_m(self) -> float:
        """Height of a swing in the style."""
        return self.pattern.lift * self.style.lift * self.stance.height_m

    @property
    def uneven(self) -> float:
        """How unevenly time runs within a step, as `gait_plan` takes it."""
        return UNEVEN * (self.style.jerkiness - STYLE_PARAMETERS["jerkiness"].neutral)

    @property
    def breathes(self) -> bool:
        """Whether the style breathes, so that the body stands for longer at both ends."""
        return self.style.breath > 0.0 and self.robot.expression.mapping("breath") is not None

    @property
    def period_s(self) -> float:
        """Duration of a cycle in the style."""
        return self.pattern.period * _time_unit_s(self.stance) / self.style.tempo

    @property
    def stride_m(self) -> float:
        """Travel in a cycle of the robot's own gait in the style."""
        return self.pattern.stride * self.stance.height_m * self.style.stride

    def plan(self, rate_hz: float, *, cycles: int | None) -> GaitPlan:
        """Return the plan of the whole walk, or of at most so many cycles of its hardest piece."""
        stance = replace(self.stance, foot_m=self.foot_m)
        pieces = self.pieces()
        if cycles is not None:
            hardest = max(pieces, key=lambda piece: sum(abs(travel) for travel in piece.per_cycle))
            pieces = (replace(hardest, cycles=min(hardest.cycles, cycles)),)
        rest = REST if self.breathes and cycles is None else 0.0
        plan = gait_plan(
            self.pattern,
            stance,
            period_s=self.period_s,
            pieces=pieces,
            lift_m=self.lift_m,
            settle_s=(SETTLE + rest) * self.time_unit_s,
            rate_hz=rate_hz,
            uneven=self.uneven,
        )
        return replace(plan, expressed_share=fade_in_and_out(plan.time_s, SETTLE * self.time_unit_s))

    def pieces(self) -> tuple[TrackPiece, ...]:
        """Return the path of the body in the style: to the goal, or at the commanded velocity.

        Raises:
            OutOfRangeError: If the way to the goal takes more than `MAX_CYCLES`.
        """
        task = self.task
        style = self.style
        stride_m = self.stride_m
        if task.speed_m_s is not None:
            stride_m = task.speed_m_s * style.tempo * style.stride * self.period_s
        if not task.goals:
            sideways_m = task.sideways_m_s * style.tempo * style.stride * self.period_s
            turn_rad = task.turn_rad_s * self.period_s
            return (TrackPiece((style.direction * stride_m, sideways_m, turn_rad), task.cycles),)
        reach = Reach(
            forwards_m=max(abs(stride_m), MIN_STRIDE * self.stride_m),
            sideways_m=SIDEWAYS * self.stride_m,
            turn_rad=TURN_RAD * style.stride,
        )
        pieces = pieces_to(Place(0.0, 0.0), task.goals, reach)
        cycles = sum(piece.cycles for piece in pieces)
        if cycles > MAX_CYCLES:
            raise OutOfRangeError(f"The way to the goal takes {cycles} gait cycles; choose a goal within {MAX_CYCLES}.")
        return pieces

    def body_posture(self, plan: GaitPlan) -> BodyPosture:
        """Return height, attitude and preferred joint angles of the body along a plan."""
        return self.carriage(plan).posture(plan)

    def carriage(self, plan: GaitPlan) -> Carriage:
        """Return how the style carries the body along a plan."""
        style = self.style
        share = plan.expressed_share
        secondary = self.secondary_motion(plan)
        steady_height = share * (self.body_height * style.body_height - 1.0)
        table = self.robot.expression
        pitch_rad = style.body_pitch_rad
        if table.mapping("trunk_pitch_rad") is not None and not table.joints("trunk_pitch_rad"):
            pitch_rad += style.trunk_pitch_rad  # no joint bends the trunk, so the whole body does
        without_pitch = replace(secondary, pitch_rad=np.zeros_like(share))  # the base pitches already
        offset_rad = share[:, None] * (joint_offsets_of_style(self.robot, style) + self.arm_swing(plan))
        offset_rad = offset_rad + without_pitch.joint_offsets(self.robot)
        return Carriage(
            height_m=self.stance.height_m * (1.0 + steady_height + secondary.rise),
            pitch_roll_rad=np.column_stack([share * pitch_rad + secondary.pitch_rad, secondary.roll_rad]),
            joint_rad=self.joints_in_range(offset_rad, share),
        )

    def secondary_motion(self, plan: GaitPlan) -> SecondaryMotion:
        """Return the secondary motion of the style in the rhythm of the steps."""
        steps_per_cycle = len(set(self.pattern.swing_start.values()))
        whole_walk = (TrackPiece((0.0, 0.0, 0.0), round(plan.phase[-1])),)
        walking = envelope(plan.phase, whole_walk)
        beat = steps_per_cycle * plan.phase
        rhythm = Rhythm(plan.time_s, beat, walking, plan.expressed_share, _time_unit_s(self.stance))
        return secondary_motion(self.robot, self.style, rhythm)

    def arm_swing(self, plan: GaitPlan) -> Array:
        """Return the swing of the arms, each in phase with the legs on the other side [rad]. Shape (T, n_joints)."""
        names = self.robot.joint_names
        swing_rad = np.zeros((len(plan.time_s), len(names)))
        joint_y_m = joint_anchors(self.robot, self.standing_qpos)[:, 1]
        for joint, factor in self.robot.expression.joints("arm_swing").items():
            is_left_arm = joint_y_m[names.index(joint)] > 0.0
            other_side = [k for k, place in enumerate(self.stance.places) if place.endswith("left") != is_left_arm]
            ahead_m = np.mean([_ahead_of_body(plan, foot) for foot in other_side], axis=0)
            swing_rad[:, names.index(joint)] = factor * self.style.arm_swing * (ahead_m / self.stance.height_m)
        return swing_rad

    def joints_in_range(self, offset_rad: Array, share: Array) -> Array:
        """Return the joint angles of standing plus offsets, inside the joints' ranges. Shape (T, n_joints).

        A swing that would leave its range is moved inwards as a whole: cut off, it would jolt the joint at its stop.

        Args:
            offset_rad: Offsets from standing. Shape (T, n_joints).
            share: How much of that inward shift applies: 0 standing, 1 walking. Shape (T,).
        """
        lower = self.robot.joint_lower_rad + LIMIT_MARGIN_RAD
        upper = self.robot.joint_upper_rad - LIMIT_MARGIN_RAD
        standing = np.clip(self.standing_qpos[FLOATING:], lower, upper)
        highest = (standing + offset_rad).max(axis=0)
        lowest = (standing + offset_rad).min(axis=0)
        inwards = np.minimum(upper - highest, 0.0) + np.maximum(lower - lowest, 0.0)
        return np.asarray(np.clip(standing + offset_rad + share[:, None] * inwards, lower, upper))

    def initial_guess(self, plan: GaitPlan, posture: BodyPosture) -> Array:
        """Return the standing robot, moved along the track in the planned attitude and height. Shape (T, nq).

        This leaves only the legs to the inverse kinematics: turning a body over its feet takes many small steps.
        """
        standing = self.standing_qpos
        standing_rotation = Rotation.from_quat(standing[3:7], scalar_first=True)
        com_m = task_jacobians(self.robot, standing[None]).com_in_world[0]
        rotation = Rotation.from_matrix(posture.base_rotation)
        com_ground_m = Rotation.from_euler("Z", plan.track[:, 2:]).apply(np.array([com_m[0], com_m[1], 0.0]))
        com_ground_m = com_ground_m + plan.track * np.array([1.0, 1.0, 0.0])  # the third column is the yaw
        base_from_com_m = rotation.apply(standing_rotation.inv().apply(standing[:3] - com_m))
        base_m = com_ground_m + base_from_com_m + posture.height_m[:, None] * np.array([0.0, 0.0, 1.0])
        quaternion = rotation.as_quat(scalar_first=True)
        quaternion[1:] *= np.cumprod(np.sign(np.sum(quaternion[1:] * quaternion[:-1], axis=1)))[:, None]
        return np.concatenate([base_m, quaternion, np.tile(standing[FLOATING:], (len(base_m), 1))], axis=1)

    def solve(
        self, rate_hz: float, *, cycles: int | None, guess: SolvedGait | None = None
    ) -> tuple[GaitPlan, WholeBodySolution]:
        """Return a plan and its solution.

        Args:
            rate_hz: Samples per second.
            cycles: As of `plan`.
            guess: The solution of a coarse check of as many cycles, as initial guess; the standing robot if None.
        """
        coarse_plan = self.plan(min(rate_hz, SOLVED_RATE_HZ), cycles=cycles)
        posture = self.body_posture(coarse_plan)
        length_m = self.stance.height_m
        if guess is None:
            qpos = self.initial_guess(coarse_plan, posture)
            gait = solve_gait(self.robot, coarse_plan, posture, qpos, length_m=length_m)
        else:
            qpos, com_m = guess.at(coarse_plan.time_s)
            effort = SolverEffort(rounds=ROUNDS - 1)  # the check was the first round
            gait = solve_gait(self.robot, coarse_plan, posture, qpos, length_m=length_m, com_m=com_m, effort=effort)
        if rate_hz <= SOLVED_RATE_HZ:
            return coarse_plan, gait.solution
        plan = self.plan(rate_hz, cycles=cycles)
        return plan, resample_gait(self.robot, gait, plan, self.body_posture(plan), length_m=length_m)

    def check(self) -> CoarseCheck:
        """Return a coarse check of a few cycles; feet in reach must also be so for a slightly higher body."""
        plan = self.plan(CHECK_RATE_HZ, cycles=CHECK_CYCLES)
        posture = self.body_posture(plan)
        height_m = self.stance.height_m
        gait = solve_gait(
            self.robot,
            plan,
            posture,
            self.initial_guess(plan, posture),
            length_m=height_m,
            effort=CHECK_EFFORT,
            is_hopeless=lambda solution: self.worst_miss(plan, solution) > SEARCH.max_miss,
        )
        qpos = gait.solution.qpos
        miss = self.worst_miss(plan, gait.solution)
        if miss < 1.0:
            rise_m = CHECK_RISE * height_m * plan.expressed_share
            risen_qpos = qpos.copy()
            risen_qpos[:, 2] += rise_m  # pulling feet back to the ground takes fewer steps than raising a body
            risen_posture = replace(posture, height_m=posture.height_m + rise_m)
            effort = replace(CHECK_EFFORT, rounds=0)
            risen = solve_gait(self.robot, plan, risen_posture, risen_qpos, length_m=height_m, effort=effort)
            miss = max(miss, self.worst_miss(plan, risen.solution))
        return CoarseCheck(
            miss=miss,
            speed=speed_use(self.robot, plan.time_s, qpos) / CHECK_SPEED,
            fastest_joint=describe_fastest_joint(self.robot, plan.time_s, qpos),
            gait=gait,
        )

    def foot_misses(self, plan: GaitPlan, solution: WholeBodySolution) -> Array:
        """Return the position errors of the feet over their tolerances. Shape (T, n)."""
        swing_tolerance_m = MAX_SWING_ERROR * self.stance.height_m
        tolerance_m = np.where(plan.schedule.contact, MAX_STANCE_ERROR_M, swing_tolerance_m)
        return np.asarray(solution.foot_error_m / tolerance_m)

    def worst_miss(self, plan: GaitPlan, solution: WholeBodySolution) -> float:
        """Return the largest position error of a foot or of the centre of mass, over its tolerance."""
        com_miss = solution.com_error_m.max() / (MAX_COM_ERROR * self.stance.height_m)
        return float(max(self.foot_misses(plan, solution).max(), com_miss))


def _time_unit_s(stance: FootStance) -> float:
    return time_unit_s(stance.height_m, GRAVITY_M_S2)


def _ahead_of_body(plan: GaitPlan, foot: int) -> Array:
    """Return how far a foot is ahead of the body, along its heading [m]. Shape (T,)."""
    from_body_m = plan.foot_in_world[:, foot, :2] - plan.track[:, :2]
    yaw = plan.track[:, 2]
    return np.asarray(np.cos(yaw) * from_body_m[:, 0] + np.sin(yaw) * from_body_m[:, 1])
