"""Gait drafts: any legged body walks in a style, by a gait pattern and whole-body inverse kinematics."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar, Self

import numpy as np
from msgspec import to_builtins
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.draft import Detail, Draft, Generator, OnProgress, Search, Violation, not_made
from strut.engines.rigid_body import GRAVITY_M_S2, joint_anchors
from strut.engines.task_jacobians import task_jacobians
from strut.errors import OutOfRangeError
from strut.expression.expressed_share import expressed_shares, not_expressed
from strut.expression.secondary_motion import SECONDARY_WORDS, Rhythm, SecondaryMotion, held_by_words, secondary_motion
from strut.gaits.pattern.gait_body import ROUNDS, BodyPosture, resampled_gait, solved_gait
from strut.gaits.pattern.gait_fallbacks import (
    FALLBACKS,
    FASTER_LOWER,
    JOLTED,
    LOWER,
    RULED_OUT,
    SLOWED,
    CoarseCheck,
    fastest_joint,
    first_feasible,
    resume_from,
    speed_use,
)
from strut.gaits.pattern.gait_figures import gait_figures
from strut.gaits.pattern.gait_pattern import GaitPattern, brisk, pattern_named, slowed, time_unit_s
from strut.gaits.pattern.gait_plan import SETTLE, FootStance, GaitPlan, gait_plan, shown
from strut.gaits.pattern.gait_track import Reach, TrackPiece, envelope, pieces_to
from strut.gaits.pattern.request import PatternGait
from strut.gaits.pattern.single_support import hardest_on_one_leg
from strut.gaits.pattern.standing import foot_stance
from strut.gaits.pattern.table import PatternTable
from strut.kinematics.whole_body import LIMIT_MARGIN_RAD, WholeBodySolution
from strut.place import Place
from strut.receipt import LimitName, Reason, ReasonKind
from strut.request import Request
from strut.robot import Robot
from strut.style import STYLE_PARAMETERS, Style

READS = (
    *("tempo", "direction", "stride", "lift", "stance_width", "body_height", "body_pitch_rad"),
    *("trunk_pitch_rad", "head_pitch_rad", "shoulder_rad", "elbow_rad", "arm_swing", "jerkiness"),
    *SECONDARY_WORDS,
)
SOLVED_RATE_HZ = 50.0  # pendulum and inverse kinematics are solved at this rate, then once more at the user's
SEARCH_USE = 0.97  # of the speed and torque limits, while searching: a few cycles do not have the fastest instant
SEARCH_CYCLES = 3  # that tell whether a walk keeps its limits
LOOK_RATE_HZ = 25.0
LOOK_CONVERGED = 1e-4
LOOK_PROGRESS = 0.02  # of a look; in metres and radians, and of the cost
LOOK_ITERATIONS = (12, 8)  # who takes longer to come to rest is out of reach
LOOK_SPEED = 0.9  # of their limits, that joints may reach in a look: it does not see the fastest instant
TOO_FAST = 1.04  # of what a look allows joints: beyond, it tells rightly whether they are slower in a lower body
LARGEST_FOOT_ERROR_M = 1e-3  # of a foot on the ground
LARGEST_SWING_ERROR = 0.015  # of its height, of a foot in the air: where it turns quickly, its path is rounded off
LARGEST_MISS_RATIO = 6.0  # to what may be missed: beyond, no answer to the zero-moment point brings it into reach
REST = 6.0  # of a body that breathes, before the first and after the last step, in sqrt(h / g): half a breath
UNEVEN = 0.8  # how unevenly time runs within a step at a jerkiness of 1
FLAT = np.array([1.0, 1.0, 0.0])
SIDEWAYS = 0.4
TURN_RAD = 0.5  # of a stride, and in a cycle, on the way to a goal
SMALLEST_STRIDE = 0.05  # of its own: slower, a robot would never get to a goal
SLOWEST_PACE = 0.5  # of its own, however slow the walk
TWO_POINTS = "it stands on two balls, and two points cannot hold a body that does not keep stepping"
MOST_CYCLES = 200  # on the way to a goal
SPARE = 0.015  # of its height that a body must be able to rise: knees that are almost straight turn ever faster
LARGEST_COM_ERROR = 0.002  # of its height: a mass that is held back by a joint at its stop jolts


@dataclass(frozen=True, slots=True, eq=False)
class GaitDrafts(Generator):
    """Drafts gaits of robots with two or four feet; where feet are out of reach, bodies sink and steps get shorter.

    Args:
        robot: Who walks.
        task: What is asked.
        rate_hz: Samples per second.
        looks: What was looked at, by style and variant.
    """

    search: ClassVar[Search] = Search(coarsely=True, use=SEARCH_USE, rungs=8, by_parameters=True)

    robot: Robot
    task: PatternGait
    rate_hz: float
    looks: dict[tuple[Style, int], CoarseCheck] = field(default_factory=dict)

    @classmethod
    def of_request(cls, robot: Robot, request: Request, on_progress: OnProgress | None = None) -> Self:  # noqa: ARG003
        """Return what drafts the task of a request."""
        task = request.task
        assert isinstance(task, PatternGait)
        return cls(robot, task, request.rate_hz)

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:
        """Yield the gait in the first variant that reaches: upright first, then lower, then with shorter steps.

        Who does not walk so even in neutral tries shorter ones. A `whole` gait, which nobody judges, is drafted in
        the variant that is asked for.
        """
        body = self._body(style)
        best = detail.fallback
        if detail.level == "whole":
            yield self._draft(body.with_fallback(*FALLBACKS[best]), detail, best)
            return
        if stands_on_two_points(self.robot):
            yield not_made(self.robot, style, LimitName.BALANCE_MARGIN, TWO_POINTS)
            return
        best = resume_from(best, detail.neutral_fallback) if detail.level == "search" else best
        while best < len(FALLBACKS):
            best = first_feasible(partial(self._look, body), best)
            yield from self._ever_lower(body, detail, best)
            if self._hurries or style != self.robot.expression.neutral_style():  # less is better than shorter steps
                return
            best += len(LOWER) - best % len(LOWER)

    def _ever_lower(self, body: _GaitBody, detail: Detail, fallback: int) -> Iterator[Draft]:
        """Yield the gait in a variant, and in lower ones as long as its joints are too fast and that makes them slower.

        What a look rules out is only told where that is enough. A whole gait is tried a little lower before less of it.
        """
        look = self._look(body, fallback)
        last = fallback - fallback % len(LOWER) + len(LOWER)
        if detail.verdict_only and look.speed > RULED_OUT:
            yield not_made(self.robot, body.style, LimitName.JOINT_SPEED, look.fastest)
            return
        yield from self._slower_and_slower(body, detail, fallback, last)
        if detail.level == "final" and fallback + 1 < last:
            yield self._draft(body.with_fallback(*FALLBACKS[fallback + 1]), detail, fallback + 1)

    def _slower_and_slower(self, body: _GaitBody, detail: Detail, fallback: int, last: int) -> Iterator[Draft]:
        """Yield the gait in a variant, and in lower ones while that makes joints that are too fast slower."""
        fastest = np.inf
        while fallback < last:
            lowered = body.with_fallback(*FALLBACKS[fallback])
            seen = self.looks.get((body.style, fallback))
            draft = self._draft(lowered, detail, fallback, seen)
            yield draft
            speed = speed_use(self.robot, draft.time_s, draft.qpos)
            lower = fallback + FASTER_LOWER
            if not 1.0 < speed < min(SLOWED * fastest, JOLTED) or lower >= last:
                return
            below = self._look(body, lower)
            if below.miss > LARGEST_MISS_RATIO or below.speed > self._look(body, fallback).speed > TOO_FAST:
                return
            fallback = lower
            fastest = speed

    def _look(self, body: _GaitBody, fallback: int) -> CoarseCheck:
        """Return a look at a body in a variant; none is taken twice."""
        seen = self.looks.get((body.style, fallback))
        return self.looks.setdefault((body.style, fallback), seen or body.with_fallback(*FALLBACKS[fallback]).look())

    @property
    def usual_options(self) -> Mapping[str, float]:
        """The speed of the robot's own pattern, straight ahead."""
        body = self._body(Style())
        return {"speed_m_s": body.stride_m / body.period_s, "turn_rad_s": 0.0, "sideways_m_s": 0.0}

    @property
    def slow_because(self) -> str:
        """Which limit the pattern's own speed would break, if the robot's gait.toml says so and no speed was chosen."""
        return self.robot.gait_as(PatternTable).slow_because if self.task.speed_m_s is None else ""

    def explain_failure(self, broken: Sequence[str]) -> tuple[Reason, ...]:
        """Return that the motors do not even let the robot stand on one leg, if they do not."""
        text = hardest_on_one_leg(self.robot).sentence if LimitName.TORQUE in broken else ""
        return (Reason(ReasonKind.LIMIT, LimitName.TORQUE, text),) if text else ()

    @property
    def _hurries(self) -> bool:
        return abs(self.task.speed_m_s or 0.0) > self.usual_options["speed_m_s"]

    def _body(self, style: Style) -> _GaitBody:
        stance, qpos = foot_stance(self.robot)
        name = self.task.pattern or self.robot.gait_as(PatternTable).gait
        own = self.robot.gait_as(PatternTable)
        body = {"height_m": stance.height_m, "length_m": stance.length_m, "gravity_m_s2": GRAVITY_M_S2}
        pattern = brisk(pattern_named(name, len(stance.places)), **body)
        scaled = {part: getattr(pattern, part) * getattr(own, part) for part in ("period", "stride", "lift")}
        own_pattern = replace(pattern, **scaled)
        calmer = self._calmer(own_pattern, stance)
        pattern = slowed(replace(own_pattern, period=own_pattern.period / calmer), calmer * style.tempo)
        return _GaitBody(self.robot, self.task, pattern, stance, qpos, style)

    def _calmer(self, pattern: GaitPattern, stance: FootStance) -> float:
        """Return the factor on the pace of a walk commanded to be slow: half of it is pace, half step length."""
        own_m_s = pattern.stride * stance.height_m / (pattern.period * time_unit_s(stance.height_m, GRAVITY_M_S2))
        asked_m_s = own_m_s if self.task.speed_m_s is None else abs(self.task.speed_m_s)
        return float(np.sqrt(np.clip(asked_m_s / own_m_s, SLOWEST_PACE**2, 1.0)))

    def _draft(self, body: _GaitBody, detail: Detail, fallback: int, look: CoarseCheck | None = None) -> Draft:
        if detail.level == "search":
            plan, solved = body.solved(SOLVED_RATE_HZ, cycles=SEARCH_CYCLES, look=look)
        else:
            plan, solved = body.solved(self.rate_hz if detail.level == "final" else SOLVED_RATE_HZ, cycles=None)
        return Draft(
            robot=self.robot,
            time_s=plan.time_s,
            qpos=solved.qpos,
            contact=plan.schedule.contact,
            style=body.style,
            share_over_time=plan.shown,
            expressed=expressed_shares(self.robot, body.style, body.style, reads=READS),
            not_expressed=not_expressed(self.robot, body.style, reads=READS),
            violations=tuple(_reach_shortfall(body, plan, solved)),
            fallback=fallback,
            figures=gait_figures(self.robot, self.task, plan, solved.qpos),
            meta={"options": to_builtins(self.task)},
        )


@dataclass(frozen=True, slots=True, eq=False)
class _GaitBody:
    """A robot in a style, ready to be planned for any number of cycles at any rate."""

    robot: Robot
    task: PatternGait
    pattern: GaitPattern
    stance: FootStance
    standing_qpos: Array
    style: Style
    lower: float = 1.0

    def with_fallback(self, lower: float, quicker: float) -> _GaitBody:
        """Return the body lowered, with shorter steps at the same speed."""
        period = quicker * self.pattern.period
        stride = quicker * self.pattern.stride
        return replace(self, lower=lower, pattern=replace(self.pattern, period=period, stride=stride))

    def look(self) -> CoarseCheck:
        """Return a coarse look at the first cycles; a body that reaches must do so a little higher, too."""
        plan = self.plan(LOOK_RATE_HZ, cycles=SEARCH_CYCLES)
        height_m = self.stance.height_m
        solve = partial(
            solved_gait,
            self.robot,
            plan,
            length_m=height_m,
            converged=LOOK_CONVERGED,
            progress=LOOK_PROGRESS,
            iterations=LOOK_ITERATIONS,
        )
        posture = self.body_posture(plan)
        start = self.start(plan, posture)
        gait = solve(posture, start, rounds=1, ends=lambda now: self._miss(plan, now) > LARGEST_MISS_RATIO)
        found = gait.solved
        miss = self._miss(plan, found)
        speed = speed_use(self.robot, plan.time_s, found.qpos) / LOOK_SPEED
        if miss < 1.0:
            rise_m = SPARE * height_m * plan.shown
            lifted = found.qpos.copy()
            lifted[:, 2] += rise_m  # feet are pulled back to the ground quickly; a body rises over them in small steps
            risen = replace(posture, height_m=posture.height_m + rise_m)
            miss = max(miss, self._miss(plan, solve(risen, lifted, rounds=0).solved))
        return CoarseCheck(miss, speed, plan.time_s, gait, fastest_joint(self.robot, plan.time_s, found.qpos))

    def _miss(self, plan: GaitPlan, found: WholeBodySolution) -> float:
        """Return the larger of what feet and mass miss, as shares of what they may."""
        away = found.com_error_m.max() / (LARGEST_COM_ERROR * self.stance.height_m)
        return float(max(self.feet_miss(plan, found).max(), away))

    def feet_miss(self, plan: GaitPlan, found: WholeBodySolution) -> Array:
        """Return what feet miss as shares of what they may, which is less on the ground. Shape (T, n)."""
        in_air_m = LARGEST_SWING_ERROR * self.stance.height_m
        return np.asarray(found.foot_error_m / np.where(plan.schedule.contact, LARGEST_FOOT_ERROR_M, in_air_m))

    def solved(
        self, rate_hz: float, *, cycles: int | None, look: CoarseCheck | None = None
    ) -> tuple[GaitPlan, WholeBodySolution]:
        """Return a plan and its coordinates, from where a look at as many cycles ended if there was one."""
        coarse = self.plan(min(rate_hz, SOLVED_RATE_HZ), cycles=cycles)
        length_m = self.stance.height_m
        posture = self.body_posture(coarse)
        solve = partial(solved_gait, self.robot, coarse, posture, length_m=length_m)
        if look is None or look.found is None or look.time_s is None:
            found = solve(self.start(coarse, posture))
        else:
            qpos, com_m = look.found.at(look.time_s, coarse.time_s)
            found = solve(qpos, com_m=com_m, rounds=ROUNDS - 1)
        if rate_hz <= SOLVED_RATE_HZ:
            return coarse, found.solved
        plan = self.plan(rate_hz, cycles=cycles)
        return plan, resampled_gait(self.robot, coarse, found, plan, self.body_posture(plan), length_m=length_m)

    def plan(self, rate_hz: float, *, cycles: int | None) -> GaitPlan:
        """Return footprints and pressure in the style; those of so many cycles alone if that tells enough."""
        style = self.style
        height_m = self.stance.height_m
        width = style.stance_width * self.robot.gait_as(PatternTable).width
        wide = replace(self.stance, foot_m=self.stance.foot_m * np.array([1.0, width, 1.0]))
        pieces = self.pieces()
        unit_s = time_unit_s(height_m, GRAVITY_M_S2)
        rests = cycles is None and style.breath > 0.0 and self.robot.expression.mapping("breath") is not None
        plan = gait_plan(
            self.pattern,
            wide,
            period_s=self.period_s,
            pieces=pieces if cycles is None else _first_cycles(pieces, cycles),
            lift_m=self.pattern.lift * style.lift * height_m,
            settle_s=(SETTLE + (REST if rests else 0.0)) * unit_s,
            rate_hz=rate_hz,
            uneven=UNEVEN * (style.jerkiness - STYLE_PARAMETERS["jerkiness"].neutral),
        )
        return replace(plan, shown=shown(plan.time_s, SETTLE * unit_s))

    @property
    def period_s(self) -> float:
        """Duration of a cycle in the style."""
        return self.pattern.period * time_unit_s(self.stance.height_m, GRAVITY_M_S2) / self.style.tempo

    @property
    def stride_m(self) -> float:
        """Travel in a cycle of the robot's own gait in the style."""
        return self.pattern.stride * self.stance.height_m * self.style.stride

    def pieces(self) -> tuple[TrackPiece, ...]:
        """Return where the body goes in the style: to the goal, or as commanded."""
        task = self.task
        style = self.style
        stride_m = self.stride_m
        if task.speed_m_s is not None:
            stride_m = task.speed_m_s * style.tempo * style.stride * self.period_s
        if task.goals:
            reach = Reach(
                max(abs(stride_m), SMALLEST_STRIDE * self.stride_m), SIDEWAYS * self.stride_m, TURN_RAD * style.stride
            )
            return _checked(pieces_to(Place(0.0, 0.0), task.goals, reach))
        sideways_m = task.sideways_m_s * style.tempo * style.stride * self.period_s
        return (TrackPiece((style.direction * stride_m, sideways_m, task.turn_rad_s * self.period_s), task.cycles),)

    def body_posture(self, plan: GaitPlan) -> BodyPosture:
        """Return height, attitude and posture of the body along a plan."""
        style = self.style
        part = plan.shown
        secondary = self._secondary_motion(plan)
        height_m = self.stance.height_m * (1.0 + part * (self.lower * style.body_height - 1.0) + secondary.rise)
        pitch_rad = part * self._pitch_rad() + secondary.pitch_rad
        angles = np.column_stack([plan.track[:, 2], pitch_rad, secondary.roll_rad])
        turn = Rotation.from_euler("ZYX", angles).as_matrix()
        held = held_by_words(self.robot, style)
        level = replace(secondary, pitch_rad=np.zeros_like(part))  # the base pitches
        moved = part[:, None] * (held + self._arms(plan)) + level.joint_offsets(self.robot)
        return BodyPosture(height_m, turn, self._in_range(moved, part))

    def _secondary_motion(self, plan: GaitPlan) -> SecondaryMotion:
        """Return what the style adds to the posture: it starts and stops with the steps."""
        beats = len(set(self.pattern.swing_start.values()))
        whole = (TrackPiece((0.0, 0.0, 0.0), round(plan.phase[-1])),)
        unit_s = time_unit_s(self.stance.height_m, GRAVITY_M_S2)
        rhythm = Rhythm(plan.time_s, beats * plan.phase, envelope(plan.phase, whole), plan.shown, unit_s)
        return secondary_motion(self.robot, self.style, rhythm)

    def _in_range(self, moved_rad: Array, shown: Array) -> Array:
        """Return the posture of joints that move from where they stand, inside their ranges. Shape (T, n_joints).

        A swing that would leave a range is moved inwards as a whole: cut off, it would jolt the joint at its stop.
        """
        lower = self.robot.joint_lower_rad + LIMIT_MARGIN_RAD
        upper = self.robot.joint_upper_rad - LIMIT_MARGIN_RAD
        standing = np.clip(self.standing_qpos[7:], lower, upper)
        most = (standing + moved_rad).max(axis=0)
        least = (standing + moved_rad).min(axis=0)
        inwards = np.minimum(upper - most, 0.0) + np.maximum(lower - least, 0.0)
        return np.asarray(np.clip(standing + moved_rad + shown[:, None] * inwards, lower, upper))

    def _pitch_rad(self) -> float:
        """Return the pitch of the whole body: its own, and the trunk's where no joint bends it."""
        table = self.robot.expression
        leans = table.mapping("trunk_pitch_rad") is not None and not table.joints("trunk_pitch_rad")
        return self.style.body_pitch_rad + (self.style.trunk_pitch_rad if leans else 0.0)

    def _arms(self, plan: GaitPlan) -> Array:
        """Return the swing of the arms, each with the leg on the other side. Shape (T, n_joints)."""
        swing = np.zeros((len(plan.time_s), len(self.robot.joint_names)))
        names = self.robot.joint_names
        sides = joint_anchors(self.robot, self.standing_qpos)[:, 1]
        for joint, factor in self.robot.expression.joints("arm_swing").items():
            side = sides[names.index(joint)]
            other = [k for k, place in enumerate(self.stance.places) if place.endswith("left") != (side > 0.0)]
            ahead = np.mean([_ahead(plan, k) for k in other], axis=0) / self.stance.height_m
            swing[:, names.index(joint)] = factor * self.style.arm_swing * ahead
        return swing

    def start(self, plan: GaitPlan, posture: BodyPosture) -> Array:
        """Return the standing robot carried along the track in the attitude and height that it shall have. (T, nq).

        Only the legs are left to solve: turning a body over its feet takes many small steps.
        """
        standing = self.standing_qpos
        upright = Rotation.from_quat(self.standing_qpos[3:7], scalar_first=True)
        com = task_jacobians(self.robot, standing[None]).com_in_world[0]
        turn = Rotation.from_matrix(posture.base_rotation)
        over = Rotation.from_euler("Z", plan.track[:, 2:]).apply(np.array([com[0], com[1], 0.0])) + plan.track * FLAT
        from_com = turn.apply(upright.inv().apply(standing[:3] - com))
        place = over + from_com + posture.height_m[:, None] * np.array([0.0, 0.0, 1.0])
        attitude = turn.as_quat(scalar_first=True)
        attitude[1:] *= np.cumprod(np.sign(np.sum(attitude[1:] * attitude[:-1], axis=1)))[:, None]
        return np.concatenate([place, attitude, np.tile(standing[7:], (len(place), 1))], axis=1)


def _checked(pieces: tuple[TrackPiece, ...]) -> tuple[TrackPiece, ...]:
    """Return the pieces; raises OutOfRangeError if they take longer than anybody would watch."""
    cycles = sum(piece.cycles for piece in pieces)
    if cycles > MOST_CYCLES:
        raise OutOfRangeError(f"The way to the goal takes {cycles} gait cycles; choose a goal within {MOST_CYCLES}.")
    return pieces


def _first_cycles(pieces: tuple[TrackPiece, ...], cycles: int) -> tuple[TrackPiece, ...]:
    """Return the piece that asks most, cut short."""
    hardest = max(pieces, key=lambda piece: sum(abs(part) for part in piece.per_cycle))
    return (replace(hardest, cycles=min(hardest.cycles, cycles)),)


def _ahead(plan: GaitPlan, foot: int) -> Array:
    """Return how far a foot is ahead of the body, along its heading. Shape (T,)."""
    away = plan.foot_in_world[:, foot, :2] - plan.track[:, :2]
    yaw = plan.track[:, 2]
    return np.asarray(np.cos(yaw) * away[:, 0] + np.sin(yaw) * away[:, 1])


def stands_on_two_points(robot: Robot) -> bool:
    """Return whether a body has nothing but two points to stand on."""
    return len(robot.feet) == 2 and all(len(foot.points) == 1 for foot in robot.feet)


def _reach_shortfall(body: _GaitBody, plan: GaitPlan, solved: WholeBodySolution) -> list[Violation]:
    """Return the foot that is farthest out of reach, if any is."""
    miss = body.feet_miss(plan, solved)
    short = miss > 1.0
    if not short.any():
        return []
    sample, foot = np.unravel_index(int(np.argmax(miss)), short.shape)
    far_mm = solved.foot_error_m[sample, foot] * 1e3
    text = f"{body.robot.feet[foot].name} is {far_mm:.0f} mm from its place at {plan.time_s[sample]:.2f} s"
    return [Violation(LimitName.REACH, np.asarray(short.any(axis=1)), text)]
