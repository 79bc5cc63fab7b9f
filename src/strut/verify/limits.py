"""Limits: what a body must keep, each a small object that says where a draft breaks it and how badly."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from strut.arrays import Array
from strut.audit import (
    FOOT_OFF_GROUND_M,
    LARGEST_GAZE_ERROR_RAD,
    LARGEST_HAND_ERROR_M,
    LARGEST_HAND_TURN_RAD,
    LEAST_ROOM_RAD,
    MOST_PILOTED_SLIP_M,
    MOST_SLIDE_M,
    MOST_SLIP_M,
    Audit,
    LandingAudit,
    PlantAudit,
    TaskAudit,
    settled,
)
from strut.balance.wheels import DRIVE_LIMITS
from strut.draft import Draft, Limit, Violation
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.maths.sampling import runs
from strut.motion import frozen_mask
from strut.plumbing.number_text import Share
from strut.receipt import LimitName
from strut.robot import Robot
from strut.schemas.imported import ImportedBody
from strut.verify.landing_audit import lands_with_impacts

SHORTEST_SWING_S = 0.1  # a foot that carries nothing for less than this has only been unloaded
LEAST_CLEARANCE_M = 0.005  # a knee that near the floor touches it when the servos sag
MOST_UNEXPLAINED = 0.0075  # of the weight, in the median of `landing_audit.STEADY_S`
MOST_UNEXPLAINED_LANDING = 0.1  # of the weight, over the sample in which something lands
MOST_BESIDE_LINE = 0.06  # of its height: what the centre of pressure of a gait on two balls may be beside their line
MOST_OUTSIDE_M = 0.005  # that the centre of pressure is outside what touches
MOST_LANDING_TORQUE = 2.0  # of the limit, over the sample in which something lands: impacts jolt
MOST_DISAGREEMENT = 0.04  # of forces and torques that come with a motion, root mean square
MOST_OFF_LANDING_M = 0.02  # of a line foot that is being set down: one end touches first
MOST_TILT_RAD = math.radians(40.0)
LOADED_N = 16.0
MM = 1e3
SPARE_M = 2e-4  # between bodies, while searching: a few cycles do not have the nearest instant

AuditValues = Callable[[Audit], Array]


@dataclass(frozen=True, slots=True)
class UpperBound:
    """A figure of the audit that must not exceed a bound.

    Args:
        name: What is limited.
        who: Who breaks it, by column; none for the parts of the audit that could touch the ground.
        value: The figure. Shape (T, n), or (T, 0) where it does not apply.
        most: Its bound.
        words: What is wrong, with a place for the worst value, and for what kind of bound it is.
        kinds: That kind, by column.
    """

    name: str
    who: Sequence[str] | None
    value: AuditValues
    most: float
    words: str
    kinds: Sequence[str] = ()

    def violation(self, draft: Draft) -> Violation | None:
        """Return where the figure exceeds its bound, with the worst of it in words; None if it nowhere does."""
        needs = draft.measured
        value = self.value(needs)
        if value.size == 0 or value.max() <= self.most:  # a NaN is not: it counts as broken
            return None
        sample, column = (int(index) for index in np.unravel_index(int(np.argmax(value)), value.shape))
        who = (needs.part_names if self.who is None else self.who)[column]
        words = self.words.format(Share(value[sample, column]), *self.kinds[column : column + 1])
        text = f"{who} {words} at {needs.time_s[sample]:.2f} s"
        return Violation(self.name, frozen_mask((value > self.most).any(axis=1)), text)


@dataclass(frozen=True, slots=True)
class NoFlight:
    """Some foot is on the ground at every sample: without one there is no margin to speak of."""

    name: str = LimitName.BALANCE_MARGIN

    def violation(self, draft: Draft) -> Violation | None:
        """Return when no foot is on the ground, if ever; a robot without feet does not stand on them."""
        flying = frozen_mask(~draft.contact.any(axis=1))
        if not flying.any() or draft.contact.shape[1] == 0:
            return None
        first_s = draft.time_s[int(np.argmax(flying))]
        return Violation(self.name, flying, f"no foot is on the ground at {first_s:.2f} s")


@dataclass(frozen=True, slots=True)
class OwnColumns:
    """Forces or torques that come with a motion are those of its movement."""

    value: Callable[[Audit], float | None]
    words: str
    name: str = LimitName.FILE
    most: float = MOST_DISAGREEMENT

    def violation(self, draft: Draft) -> Violation | None:
        """Return that they are not, if so."""
        off = self.value(draft.measured)
        if off is None or off <= self.most:
            return None
        everywhere = frozen_mask(np.ones(len(draft.time_s)))
        return Violation(self.name, everywhere, self.words.format(Share(off)))


@dataclass(frozen=True, slots=True)
class SelfCollision:
    """The surfaces of any two bodies keep the robot's least distance, and a little more where that is asked for."""

    name: str = LimitName.SELF_COLLISION
    spare_m: float = 0.0

    def violation(self, draft: Draft) -> Violation | None:
        """Return where bodies are too near, with the nearest two and their instant; None if they nowhere are."""
        found = draft.measured.self_distance
        least_mm = MM * draft.robot.collision.least_distance_m
        if found is None or not (found.near.any() or found.smallest_m < least_mm / MM + self.spare_m):
            return None
        nearest = found.near | (np.arange(len(found.near)) == found.sample)
        smallest_mm = MM * found.smallest_m
        one, other = found.bodies
        apart = f"{smallest_mm:.1f} mm apart" if smallest_mm >= 0.0 else f"{-smallest_mm:.1f} mm inside each other"
        asked_mm = least_mm + MM * self.spare_m
        allowed = f"{asked_mm:.3g} mm apart" if asked_mm >= 0.0 else f"{-asked_mm:.3g} mm inside each other"
        at_s = draft.time_s[found.sample]
        text = f"{one} and {other} are {apart} at {at_s:.2f} s, nearer than {allowed}"
        return Violation(self.name, nearest, text)


def limits_for(robot: Robot, *, margin_m: float, use: float = 1.0, piloted: bool = False) -> tuple[Limit, ...]:
    """Return every limit that a motion of a robot is judged by.

    Args:
        robot: Whose limits.
        margin_m: Smallest allowed balance margin.
        use: Share of the speed and torque limits that may be used; with less than all, bodies keep a little more apart.
        piloted: Whether the motion is a recorded run of a torque-driven plant.
    """
    collision = SelfCollision(spare_m=SPARE_M if use < 1.0 else 0.0)
    speed = use * robot.joint_speed_limit_rad_s
    torque = use * robot.torque_limit_nm
    robot = replace(robot, joint_speed_limit_rad_s=speed, torque_limit_nm=torque)
    if piloted:
        return (*_plant_limits(robot), collision)
    if lands_with_impacts(robot):
        return (*_landing_limits(robot, margin_m), collision, *_OWN_COLUMNS)
    return (*_standing_limits(robot, margin_m), NoFlight(), collision, *_TASK_LIMITS, *_OWN_COLUMNS)


def judged(draft: Draft, limits: Iterable[Limit]) -> tuple[Violation, ...]:
    """Return everything that a measured draft breaks: what its generator knows and what the limits find."""
    if not len(draft.qpos):
        return draft.violations
    found = (limit.violation(draft) for limit in limits)
    return (*draft.violations, *(violation for violation in found if violation is not None))


def _standing_limits(robot: Robot, margin_m: float) -> tuple[UpperBound, ...]:
    feet = robot.foot_names
    cop = ("the centre of pressure",)
    short_of = f"falls {{:.1f}} mm short of the {LEAST_CLEARANCE_M * MM:.0f} mm it must"
    inside = f"falls {{:.1f}} mm short of the {margin_m * MM:.0f} mm it must be inside the {robot.carriers}"
    from_ground = "is {:.1f} mm from the ground it should stand on"
    joint_limit, joint_speed, torque = _joint_limits(robot, "is {:.2f} rad beyond its range", 0.0)

    def unbalanced_mm(needs: Audit) -> Array:
        if needs.on_lines:  # see `beside_mm`
            return np.zeros((len(needs.margin_m), 1))
        short_m = margin_m - needs.margin_m
        return MM * np.where(np.isposinf(short_m), 0.0, short_m)[:, None]  # in flight: see `NoFlight`

    def beside_mm(needs: Audit) -> Array:
        if not needs.on_lines:
            return np.zeros((len(needs.margin_m), 1))
        far_m = -needs.margin_m - MOST_BESIDE_LINE * float(needs.qpos[:, 2].mean())
        return MM * np.where(np.isposinf(far_m), 0.0, far_m)[:, None]

    return (
        UpperBound(LimitName.FOOT_CONTACT, feet, _off_ground_mm, FOOT_OFF_GROUND_M * MM, from_ground),
        UpperBound(LimitName.FOOT_SLIP, feet, _slip_mm, MOST_SLIP_M * MM, "slides {:.1f} mm"),
        UpperBound(
            LimitName.SWING_HEIGHT,
            feet,
            lambda needs: MM * (LEAST_CLEARANCE_M - lift_m(needs)),
            0.0,
            f"{short_of} lift",
        ),
        joint_limit,
        UpperBound(LimitName.GROUND_CLEARANCE, None, _unclear_mm, 0.0, f"{short_of} clear the ground by"),
        joint_speed,
        torque,
        UpperBound(LimitName.PLATFORM, DRIVE_LIMITS, lambda needs: needs.drive_use, 1.0, "reaches {:.0%} of its limit"),
        UpperBound(LimitName.FRICTION, feet, friction_needed, robot.friction, "needs a friction of {:.2f}"),
        UpperBound(LimitName.BALANCE_MARGIN, cop, unbalanced_mm, 0.0, inside),
        UpperBound(
            LimitName.BALANCE_MARGIN, cop, beside_mm, 0.0, "is {:.1f} mm too far beside the line between the feet"
        ),
    )


def _landing_limits(robot: Robot, margin_m: float) -> tuple[UpperBound, ...]:
    feet = robot.foot_names
    body = ("the body",)
    cop = ("the centre of pressure",)
    unexplained_n = MOST_UNEXPLAINED * robot.mass_kg * GRAVITY_M_S2
    jolted_n = MOST_UNEXPLAINED_LANDING * robot.mass_kg * GRAVITY_M_S2
    nothing = "is moved by {:.0f} N that no push of the ground explains"
    slippery = f"{nothing} without more friction,"
    short = f"is {{:.1f}} mm short of the {margin_m * MM:.0f} mm it must be inside what touches"
    inside = short if margin_m > 0.0 else "is {:.1f} mm outside what touches"
    jolted = "is jolted by {:.0%} of its torque limit"

    def outside_mm(needs: Audit) -> Array:  # in flight there is no margin
        return MM * np.where(np.isfinite(needs.margin_m), margin_m - needs.margin_m, 0.0)[:, None]

    def jolt(needs: Audit) -> Array:
        return np.asarray(np.abs(_landings(needs).landing_torque_nm) / robot.torque_limit_nm)

    return (
        UpperBound(
            LimitName.FOOT_CONTACT,
            feet,
            _off_ground_mm,
            FOOT_OFF_GROUND_M * MM,
            "is {:.1f} mm off the ground's surface",
        ),
        UpperBound(LimitName.FOOT_SLIP, feet, _slip_mm, MOST_SLIDE_M * MM, "slides {:.1f} mm, rolling not counted,"),
        *_joint_limits(robot, "is {:.3f} rad beyond its range", -LEAST_ROOM_RAD),
        UpperBound(
            LimitName.EQUATION_OF_MOTION, body, lambda n: _unexplained_n(n, slips=False), unexplained_n, nothing
        ),
        UpperBound(LimitName.FRICTION, body, lambda n: _unexplained_n(n, slips=True), unexplained_n, slippery),
        UpperBound(LimitName.BALANCE_MARGIN, cop, outside_mm, MOST_OUTSIDE_M * MM, inside),
        UpperBound(LimitName.LANDING, body, lambda n: _landings(n).landing_unexplained_n[:, None], jolted_n, nothing),
        UpperBound(LimitName.LANDING, robot.joint_names, jolt, MOST_LANDING_TORQUE, jolted),
    )


def _plant_limits(robot: Robot) -> tuple[Limit, ...]:
    """Return what a recorded run of a torque-driven plant keeps: it may balance by moving, with forces that add up."""
    feet = robot.foot_names
    body = ("the base",)
    _, speed, torque = _joint_limits(robot, "", 0.0)

    def leaning(needs: Audit) -> Array:
        return np.array([[_plant(needs).tilt_rad]])

    def loaded_friction(needs: Audit) -> Array:
        return np.where(needs.ground_force_n[..., 2] > LOADED_N, friction_needed(needs), 0.0)

    return (
        UpperBound(
            LimitName.FOOT_CONTACT,
            feet,
            _off_ground_mm,
            MOST_OFF_LANDING_M * MM,
            "is {:.1f} mm from the ground it stands on",
        ),
        UpperBound(LimitName.FOOT_SLIP, feet, _slip_mm, MOST_PILOTED_SLIP_M * MM, "slides {:.1f} mm in a stance"),
        UpperBound(
            LimitName.JOINT_LIMIT,
            robot.joint_names,
            lambda n: -n.joint_limit_margin_rad,
            -LEAST_ROOM_RAD,
            "is {:.3f} rad beyond its range",
        ),
        UpperBound(LimitName.GROUND_CLEARANCE, None, lambda n: -MM * n.clearance_m, 0.0, "is {:.1f} mm in the ground"),
        speed,
        torque,
        UpperBound(LimitName.FRICTION, feet, loaded_friction, robot.friction * 1.001, "needs a friction of {:.2f}"),
        UpperBound(LimitName.FALL, body, leaning, MOST_TILT_RAD, "tilts by {:.2f} rad"),
        OwnColumns(
            lambda n: _plant(n).force_off,
            "recorded ground forces are {:.1%} of the weight off what moves the body",
            most=0.025,
        ),
        OwnColumns(
            lambda n: MM * _plant(n).cop_off_m,
            "the feet push {:.0f} mm beside where the movement needs it",
            most=8.0,
        ),
        OwnColumns(
            lambda n: _plant(n).torque_off,
            "recorded torques, springs and forces are {:.1%} off what turns the joints",
            most=0.07,
        ),
    )


def _plant(needs: Audit) -> PlantAudit:
    assert needs.plant is not None, "only recorded runs of a plant are judged by it"
    return needs.plant


def _joint_limits(robot: Robot, beyond: str, most_beyond_rad: float) -> tuple[UpperBound, UpperBound, UpperBound]:
    joints = robot.joint_names
    speeds, torques = ([_kind(robot, joint, limit) for joint in joints] for limit in ("speed", "torque"))

    def speed_use(needs: Audit) -> Array:
        return np.asarray(np.abs(needs.joint_speed_rad_s) / robot.joint_speed_limit_rad_s)

    def torque_use(needs: Audit) -> Array:
        return np.asarray(np.abs(needs.torque_nm) / robot.torque_limit_nm)

    return (
        UpperBound(LimitName.JOINT_LIMIT, joints, lambda needs: -needs.joint_limit_margin_rad, most_beyond_rad, beyond),
        UpperBound(LimitName.JOINT_SPEED, joints, speed_use, 1.0, "reaches {:.0%} of its {}", speeds),
        UpperBound(LimitName.TORQUE, joints, torque_use, 1.0, "reaches {:.0%} of its {}", torques),
    )


def _kind(robot: Robot, joint: str, limit: str) -> str:
    """Return what a limit of a joint is called: one that no file tells is said to be assumed."""
    body = robot.tables.robot
    assumed = isinstance(body, ImportedBody) and limit in (body.own_joint(joint).assumed or ())
    return f"assumed {limit} limit" if assumed else f"{limit} limit"


def _slip_mm(needs: Audit) -> Array:
    return MM * needs.slip_m


def _unclear_mm(needs: Audit) -> Array:
    return np.asarray(MM * (LEAST_CLEARANCE_M - needs.clearance_m))


def _off_ground_mm(needs: Audit) -> Array:
    """Return how far the worst point of a foot that is down is from the ground, and how deep others are in it."""
    down = np.maximum(np.abs(needs.foot_height_m), np.abs(needs.foot_top_m))
    return MM * np.where(needs.contact, down, -needs.foot_height_m)


def lift_m(needs: Audit) -> Array:
    """Return the greatest height that a foot reaches in the swing it is in; infinite on the ground. (T, n_feet)."""
    lift = np.full(needs.contact.shape, np.inf)
    for foot, down in enumerate(needs.contact.T):
        for swing in runs(~down):
            if needs.time_s[swing][-1] - needs.time_s[swing][0] > SHORTEST_SWING_S:
                lift[swing, foot] = needs.foot_height_m[swing, foot].max()
    return lift


def friction_needed(needs: Audit) -> Array:
    """Return the friction that each loaded foot needs. Shape (T, n_feet)."""
    load = needs.ground_force_n[..., 2]
    loaded = load > 0.02 * np.abs(load.sum(axis=1, keepdims=True))  # if a foot barely presses, slip moves nothing
    sideways = np.linalg.norm(needs.ground_force_n[..., :2], axis=-1)
    return np.where(loaded, sideways / np.where(loaded, load, 1.0), 0.0)


def _landings(needs: Audit) -> LandingAudit:
    assert needs.landings is not None, "only walks with landings are judged by them"
    return needs.landings


def _unexplained_n(needs: Audit, *, slips: bool) -> Array:
    """Return what no push explains, where more friction would help (`slips`) or where it would not. Shape (T, 1)."""
    found = _landings(needs)
    slipping = found.gripped_n < found.unexplained_n / 2.0
    return np.where(slipping == slips, found.unexplained_n, 0.0)[:, None]


def _task(figure: Callable[[TaskAudit], Array]) -> AuditValues:
    """Return a figure of the hand's task; nothing where it has none. Shape (T,) in, (T, 1 or 0) out."""
    return lambda needs: np.empty((0, 0)) if needs.task is None else figure(needs.task)[:, None]


def _gaze_error_rad(task: TaskAudit) -> Array:
    """Return how far the head is from its goal once it has had time to settle; 0 where that does not count. (T,)."""
    if task.gaze_error_rad is None or not task.gaze_counts:
        return np.zeros(len(task.time_s))
    return np.where(settled(task.time_s), task.gaze_error_rad, 0.0)


_HAND = ("the hand",)
_HEAD = ("the head",)
_TASK_LIMITS = (
    UpperBound(
        LimitName.TASK,
        _HAND,
        _task(lambda t: MM * t.hand_error_m),
        MM * LARGEST_HAND_ERROR_M,
        "is {:.1f} mm off its path",
    ),
    UpperBound(
        LimitName.TASK,
        _HAND,
        _task(lambda t: t.hand_turn_rad),
        LARGEST_HAND_TURN_RAD,
        "is turned {:.3f} rad from its path",
    ),
    UpperBound(
        LimitName.GAZE, _HEAD, _task(_gaze_error_rad), LARGEST_GAZE_ERROR_RAD, "looks {:.3f} rad beside its goal"
    ),
)
_OWN_COLUMNS = (
    OwnColumns(
        lambda needs: needs.force_disagreement,
        "ground forces in the file are {:.0%} of the weight off what the movement needs",
    ),
    OwnColumns(lambda needs: needs.torque_disagreement, "torques in the file are {:.0%} off what the movement needs"),
)
