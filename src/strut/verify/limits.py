"""Limits: what a body must keep. Each limit is a small object that returns where a draft breaks it, and how far.

A motion is judged by one set of limits, by its robot's self-distance, and by the limits of the registry group
`strut.limits`, where features and third-party packages add theirs for every robot. Its audit names the set: `standing`
and `landing` are here, others come from features through the registry group `strut.limit_sets`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from strut.arrays import Array, Mask, frozen_mask
from strut.audit import (
    FOOT_OFF_GROUND_M,
    MAX_ROLLING_SLIP_M,
    MAX_SLIP_M,
    MIN_JOINT_LIMIT_MARGIN_RAD,
    STANDS_STILL_M,
    Audit,
    LandingAudit,
    SelfDistance,
    SelfOverlap,
)
from strut.balance.wheels import DRIVE_LIMITS
from strut.draft import Draft, Limit, Violation
from strut.engines.contact_slip import ON_GROUND_M
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.maths.sampling import runs
from strut.plumbing.number_text import Share, format_gap, join_words
from strut.receipt import LimitName
from strut.registry import find, names
from strut.robot import Robot
from strut.schemas.imported import ImportedBody
from strut.verify.claimed_forces import ClaimedForces
from strut.verify.landing_audit import lands_with_impacts

MIN_SWING_S = 0.1  # a foot that carries nothing for less than this has only been unloaded
MIN_CLEARANCE_M = 0.005  # a knee nearer to the floor touches it when the servos sag
MAX_UNEXPLAINED = 0.0075  # of the weight, in the median over `landing_audit.STEADY_S`
MAX_UNEXPLAINED_LANDING = 0.1  # of the weight, over the sample in which a foot lands
MAX_BESIDE_LINE = 0.06  # of the base height: distance of the centre of pressure from the line between two point feet
MAX_OUTSIDE_M = 0.005  # that the centre of pressure is outside the support polygon
MAX_LANDING_TORQUE = 2.0  # of the limit, over the sample in which a foot lands: an impact is a short peak
MAX_DISAGREEMENT = 0.04  # of forces and torques that come with a motion, root mean square
MAX_COP_DISAGREEMENT_M = 0.005  # of centre of pressure and margin that come with it; 3 mm in solved human walks
LOADED_SHARE = 0.02  # of the ground force: if a foot carries less, its slip moves nothing
SPARE_DISTANCE_M = 2e-4  # between bodies, while searching: a few cycles miss the nearest instant
MM = 1e3


@dataclass(frozen=True, slots=True)
class UpperBound:
    """A value of the audit that must not exceed a bound.

    Args:
        name: What is limited.
        subjects: What breaks it, by column; None for the parts of the audit that could touch the ground.
        value: The value. Shape (T, n), or (T, 0) where it does not apply.
        max: Its bound.
        text: What is wrong, with a place for the worst value, and one for the kind of bound if there are kinds.
        kinds: That kind, by column.
    """

    name: str
    subjects: Sequence[str] | None
    value: Callable[[Audit], Array]
    max: float
    text: str
    kinds: Sequence[str] = ()

    def violation(self, draft: Draft) -> Violation | None:
        """Return where the value exceeds its bound, with the worst sample; None if it never does."""
        audit = draft.measured
        value = self.value(audit)
        if value.size == 0 or value.max() <= self.max:  # False for NaN, which counts as broken
            return None
        sample, column = (int(index) for index in np.unravel_index(int(np.argmax(value)), value.shape))
        subject = (audit.part_names if self.subjects is None else self.subjects)[column]
        text = self.text.format(Share(value[sample, column]), *self.kinds[column : column + 1])
        broken = frozen_mask((value > self.max).any(axis=1))
        return Violation(self.name, broken, f"{subject} {text} at {audit.time_s[sample]:.2f} s")


@dataclass(frozen=True, slots=True)
class NoFlight:
    """Some foot is flagged as on the ground at every sample: in flight there is no margin."""

    name: str = LimitName.BALANCE_MARGIN

    def violation(self, draft: Draft) -> Violation | None:
        """Return when no foot is on the ground, if ever; a robot without feet does not stand on them."""
        flying = frozen_mask(~draft.contact.any(axis=1))
        if not flying.any() or draft.contact.shape[1] == 0:
            return None
        first = int(np.argmax(flying))
        is_low = (draft.measured.foot_height_m[first] <= ON_GROUND_M).any()
        text = "no contact flag is set" if is_low else "no foot is on the ground"
        return Violation(self.name, flying, f"{text} at {draft.time_s[first]:.2f} s")


@dataclass(frozen=True, slots=True)
class FlaggedStance:
    """A foot that stands still on the ground, where those that are flagged do not carry the body, is flagged, too."""

    name: str = LimitName.FOOT_CONTACT

    def violation(self, draft: Draft) -> Violation | None:
        """Return which feet stand and carry while their flags say that they are in the air, and when."""
        audit = draft.measured
        outside_m = MAX_BESIDE_LINE * float(audit.qpos[:, 2].mean()) if audit.on_lines else MAX_OUTSIDE_M
        must_carry = (audit.margin_m < -outside_m)[:, None] & _stands_unflagged(audit)
        broken = frozen_mask(must_carry.any(axis=1))
        if not broken.any():
            return None
        first = int(np.argmax(broken))
        feet = [name for name, stands in zip(draft.robot.foot_names, must_carry[first], strict=True) if stands]
        verbs = "stands still" if len(feet) == 1 else "stand still"
        text = f"{join_words(feet)} {verbs} on the ground at {draft.time_s[first]:.2f} s, flagged as in the air"
        return Violation(self.name, broken, text)


@dataclass(frozen=True, slots=True)
class OwnColumns:
    """Forces, torques, centre of pressure or balance margin that come with a motion are those of its movement.

    Args:
        value: How far they are off; None without such columns.
        text: What is wrong, with a place for that value.
        name: What is limited.
        max: Largest allowed value.
    """

    value: Callable[[Audit], float | None]
    text: str
    name: str = LimitName.FILE
    max: float = MAX_DISAGREEMENT

    def violation(self, draft: Draft) -> Violation | None:
        """Return that the columns are off, at every sample; None if they agree with the movement."""
        value = self.value(draft.measured)
        if value is None or value <= self.max:
            return None
        return Violation(self.name, frozen_mask(np.ones(len(draft.time_s))), self.text.format(Share(value)))


@dataclass(frozen=True, slots=True)
class SelfCollision:
    """The surfaces of any two bodies keep the robot's least distance, plus `spare_m`.

    Where they overlap by design, they become at most a little deeper than in the standing posture.
    """

    name: str = LimitName.SELF_COLLISION
    spare_m: float = 0.0

    def violation(self, draft: Draft) -> Violation | None:
        """Return where bodies are too near, with the nearest two and when; None if they never are."""
        distance = draft.measured.self_distance
        if distance is None:
            return None
        return self._nearness(draft, distance) or self._deepening(draft, distance.overlap)

    def _nearness(self, draft: Draft, distance: SelfDistance) -> Violation | None:
        min_m = draft.robot.collision.min_distance_m + self.spare_m
        if not (distance.near.any() or distance.smallest_m < min_m):
            return None
        nearest = distance.near | (np.arange(len(distance.near)) == distance.sample)
        at_s = draft.time_s[distance.sample]
        first, second = distance.bodies
        text = f"{first} and {second} are {format_gap(distance.smallest_m)} at {at_s:.2f} s, nearer than"
        return Violation(self.name, nearest, f"{text} {format_gap(min_m, '.3g')}")

    def _deepening(self, draft: Draft, overlap: SelfOverlap | None) -> Violation | None:
        max_deeper_m = draft.robot.collision.max_deepening_m
        if overlap is None or not (overlap.deep.any() or overlap.deeper_m > max_deeper_m - self.spare_m):
            return None
        deep = overlap.deep | (np.arange(len(overlap.deep)) == overlap.sample)
        deep_mm = MM * (overlap.standing_m + overlap.deeper_m)
        allowed_mm = MM * (overlap.standing_m + max_deeper_m - self.spare_m)
        at_s = draft.time_s[overlap.sample]
        first, second = overlap.bodies
        return Violation(
            self.name,
            deep,
            f"{first} and {second} are {deep_mm:.1f} mm inside each other at {at_s:.2f} s, deeper than "
            f"{allowed_mm:.3g} mm; as it stands they are {MM * overlap.standing_m:.1f} mm",
        )


def limits_for(robot: Robot, *, margin_m: float, use: float = 1.0, limit_set: str | None = None) -> tuple[Limit, ...]:
    """Return every limit that a motion of a robot is judged by.

    Args:
        robot: The robot.
        margin_m: Smallest allowed balance margin.
        use: Share of the speed and torque limits that may be used; below 1, bodies keep a little more distance.
        limit_set: Name of the set in the registry; None for `landing` or `standing`, as the robot walks.
    """
    if limit_set is None:
        limit_set = "landing" if lands_with_impacts(robot) else "standing"
    robot = replace(
        robot,
        joint_speed_limit_rad_s=use * robot.joint_speed_limit_rad_s,
        torque_limit_nm=use * robot.torque_limit_nm,
    )
    return (
        *find("strut.limit_sets", limit_set)(robot, margin_m),
        SelfCollision(spare_m=SPARE_DISTANCE_M if use < 1.0 else 0.0),
        *chain.from_iterable(find("strut.limits", name)(robot) for name in names("strut.limits")),
    )


def violations_of(draft: Draft, limits: Iterable[Limit]) -> tuple[Violation, ...]:
    """Return everything that a measured draft breaks: what its generator knows and what the limits find."""
    if not len(draft.qpos):
        return draft.violations
    found = (limit.violation(draft) for limit in limits)
    return (*draft.violations, *(violation for violation in found if violation is not None))


def standing_limits(robot: Robot, margin_m: float) -> tuple[Limit, ...]:
    """Return the limits of a motion that is balanced at every sample."""
    feet = robot.foot_names
    cop = ("the centre of pressure",)
    short_of = f"falls {{:.1f}} mm short of the {MIN_CLEARANCE_M * MM:.0f} mm it must"
    joint_limit, joint_speed, torque = joint_limits(robot, "is {:.2f} rad beyond its range", 0.0)

    def lacking_lift_mm(audit: Audit) -> Array:
        return MM * (MIN_CLEARANCE_M - lift_m(audit))

    def lacking_clearance_mm(audit: Audit) -> Array:
        return np.asarray(MM * (MIN_CLEARANCE_M - audit.clearance_m))

    def lacking_margin_mm(audit: Audit) -> Array:
        if audit.on_lines:  # a line has no inside: see `beside_line_mm`
            return np.zeros((len(audit.margin_m), 1))
        lacking_m = margin_m - audit.margin_m
        return MM * np.where(np.isposinf(lacking_m), 0.0, lacking_m)[:, None]  # in flight: see `NoFlight`

    def beside_line_mm(audit: Audit) -> Array:
        if not audit.on_lines:
            return np.zeros((len(audit.margin_m), 1))
        beyond_m = -audit.margin_m - MAX_BESIDE_LINE * float(audit.qpos[:, 2].mean())
        return MM * np.where(np.isposinf(beyond_m), 0.0, beyond_m)[:, None]

    return (
        UpperBound(
            LimitName.FOOT_CONTACT,
            feet,
            off_ground_mm,
            FOOT_OFF_GROUND_M * MM,
            "is {:.1f} mm from the ground it should stand on",
        ),
        FlaggedStance(),
        UpperBound(LimitName.FOOT_SLIP, feet, lambda audit: MM * audit.slip_m, MAX_SLIP_M * MM, "slides {:.1f} mm"),
        UpperBound(LimitName.SWING_HEIGHT, feet, lacking_lift_mm, 0.0, f"{short_of} lift"),
        joint_limit,
        UpperBound(LimitName.GROUND_CLEARANCE, None, lacking_clearance_mm, 0.0, f"{short_of} clear the ground by"),
        joint_speed,
        torque,
        UpperBound(LimitName.PLATFORM, DRIVE_LIMITS, lambda audit: audit.drive_use, 1.0, "reaches {:.0%} of its limit"),
        UpperBound(LimitName.FRICTION, feet, friction_needed, robot.friction, "needs a friction of {:.2f}"),
        UpperBound(
            LimitName.BALANCE_MARGIN,
            cop,
            lacking_margin_mm,
            0.0,
            f"falls {{:.1f}} mm short of the {margin_m * MM:.0f} mm it must be inside the {robot.carriers}",
        ),
        UpperBound(
            LimitName.BALANCE_MARGIN,
            cop,
            beside_line_mm,
            0.0,
            "is {:.1f} mm too far beside the line between the feet",
        ),
        NoFlight(),
    )


def landing_limits(robot: Robot, margin_m: float) -> tuple[Limit, ...]:
    """Return the limits of a walk that rolls over its feet and lands with impacts."""
    feet = robot.foot_names
    body = ("the body",)
    weight_n = robot.mass_kg * GRAVITY_M_S2
    unexplained = "is moved by {:.0f} N that no force of the ground explains"
    short_of = f"is {{:.1f}} mm short of the {margin_m * MM:.0f} mm it must be inside the support polygon"
    outside = short_of if margin_m > 0.0 else "is {:.1f} mm outside the support polygon"

    def outside_mm(audit: Audit) -> Array:  # in flight there is no margin
        return MM * np.where(np.isfinite(audit.margin_m), margin_m - audit.margin_m, 0.0)[:, None]

    def landing_torque(audit: Audit) -> Array:
        return np.asarray(np.abs(_landings(audit).landing_torque_nm) / robot.torque_limit_nm)

    return (
        UpperBound(
            LimitName.FOOT_CONTACT,
            feet,
            off_ground_mm,
            FOOT_OFF_GROUND_M * MM,
            "is {:.1f} mm off the ground's surface",
        ),
        FlaggedStance(),
        UpperBound(
            LimitName.FOOT_SLIP,
            feet,
            lambda audit: MM * audit.slip_m,
            MAX_ROLLING_SLIP_M * MM,
            "slides {:.1f} mm, rolling not counted,",
        ),
        *joint_limits(robot, "is {:.3f} rad beyond its range", -MIN_JOINT_LIMIT_MARGIN_RAD),
        UpperBound(
            LimitName.EQUATION_OF_MOTION,
            body,
            lambda audit: _unexplained_n(audit, slips=False),
            MAX_UNEXPLAINED * weight_n,
            unexplained,
        ),
        UpperBound(
            LimitName.FRICTION,
            body,
            lambda audit: _unexplained_n(audit, slips=True),
            MAX_UNEXPLAINED * weight_n,
            f"{unexplained} without more friction,",
        ),
        UpperBound(LimitName.BALANCE_MARGIN, ("the centre of pressure",), outside_mm, MAX_OUTSIDE_M * MM, outside),
        UpperBound(
            LimitName.LANDING,
            body,
            lambda audit: _landings(audit).landing_unexplained_n[:, None],
            MAX_UNEXPLAINED_LANDING * weight_n,
            unexplained,
        ),
        UpperBound(
            LimitName.LANDING,
            robot.joint_names,
            landing_torque,
            MAX_LANDING_TORQUE,
            "is jolted by {:.0%} of its torque limit",
        ),
    )


def file_limits(_robot: Robot) -> tuple[Limit, ...]:
    """Return that the columns that come with a motion must be those of its movement."""
    return (
        OwnColumns(
            lambda audit: audit.force_disagreement,
            "ground forces in the file are {:.0%} of the weight off what the movement needs",
        ),
        OwnColumns(
            lambda audit: audit.torque_disagreement, "torques in the file are {:.0%} off what the movement needs"
        ),
        OwnColumns(
            lambda audit: audit.cop_disagreement_m,
            "the centre of pressure in the file is {:.3f} m off what the movement needs",
            max=MAX_COP_DISAGREEMENT_M,
        ),
        OwnColumns(
            lambda audit: audit.margin_disagreement_m,
            "the balance margin in the file is {:.3f} m off what the movement has",
            max=MAX_COP_DISAGREEMENT_M,
        ),
        ClaimedForces(),
    )


def joint_limits(robot: Robot, text: str, max_beyond_rad: float) -> tuple[UpperBound, UpperBound, UpperBound]:
    """Return the limits of joint angles, speeds and torques.

    Args:
        robot: The robot.
        text: What is wrong with an angle, with a place for how far it is beyond its range.
        max_beyond_rad: How far it may be.
    """
    joints = robot.joint_names

    def speed_use(audit: Audit) -> Array:
        return np.asarray(np.abs(audit.joint_speed_rad_s) / robot.joint_speed_limit_rad_s)

    def torque_use(audit: Audit) -> Array:
        return np.asarray(np.abs(audit.torque_nm) / robot.torque_limit_nm)

    def kinds(limit: str) -> list[str]:
        return [f"assumed {limit} limit" if _is_assumed(robot, joint, limit) else f"{limit} limit" for joint in joints]

    return (
        UpperBound(LimitName.JOINT_LIMIT, joints, lambda audit: -audit.joint_limit_margin_rad, max_beyond_rad, text),
        UpperBound(LimitName.JOINT_SPEED, joints, speed_use, 1.0, "reaches {:.0%} of its {}", kinds("speed")),
        UpperBound(LimitName.TORQUE, joints, torque_use, 1.0, "reaches {:.0%} of its {}", kinds("torque")),
    )


def _is_assumed(robot: Robot, joint: str, limit: str) -> bool:
    """Return whether the robot's file has no such limit, so that adoption assumed one."""
    body = robot.tables.robot
    return isinstance(body, ImportedBody) and limit in (body.own_joint(joint).assumed or ())


def off_ground_mm(audit: Audit) -> Array:
    """Return how far the worst point of a stance foot is off the ground, and how deep others are in it. (T, n_feet)."""
    stance = np.maximum(np.abs(audit.foot_height_m), np.abs(audit.foot_top_m))
    return MM * np.where(audit.contact, stance, -audit.foot_height_m)


def _stands_unflagged(audit: Audit) -> Mask:
    """Return where a foot that is flagged as in the air rests on the ground for `MIN_SWING_S`. Shape (T, n_feet)."""
    stands = ~audit.contact & (audit.foot_height_m <= ON_GROUND_M)
    for foot in range(stands.shape[1]):
        for rest in runs(stands[:, foot].copy()):
            lasts = audit.time_s[rest][-1] - audit.time_s[rest][0] >= MIN_SWING_S
            stands[rest, foot] = lasts and np.ptp(audit.slip_m[rest, foot]) <= STANDS_STILL_M
    return stands


def lift_m(audit: Audit) -> Array:
    """Return the greatest height that a foot reaches in its swing; infinite on the ground. Shape (T, n_feet)."""
    lift = np.full(audit.contact.shape, np.inf)
    for foot, stance in enumerate(audit.contact.T):
        for swing in runs(~stance):
            if audit.time_s[swing][-1] - audit.time_s[swing][0] > MIN_SWING_S:
                lift[swing, foot] = audit.foot_height_m[swing, foot].max()
    return lift


def friction_needed(audit: Audit) -> Array:
    """Return the friction that each loaded foot needs. Shape (T, n_feet)."""
    load_n = audit.ground_force_n[..., 2]
    loaded = load_n > LOADED_SHARE * np.abs(load_n.sum(axis=1, keepdims=True))
    sideways_n = np.linalg.norm(audit.ground_force_n[..., :2], axis=-1)
    return np.where(loaded, sideways_n / np.where(loaded, load_n, 1.0), 0.0)


def _landings(audit: Audit) -> LandingAudit:
    assert audit.landings is not None, "only walks with landings are judged by these limits"
    return audit.landings


def _unexplained_n(audit: Audit, *, slips: bool) -> Array:
    """Return the unexplained force where more friction would help (`slips`), or where it would not. Shape (T, 1)."""
    landings = _landings(audit)
    is_slipping = landings.gripped_n < landings.unexplained_n / 2.0
    return np.where(is_slipping == slips, landings.unexplained_n, 0.0)[:, None]
