"""Retarget: a person's or another robot's walk becomes a motion of a robot with other proportions and joints.

The feet are held where they stand, with the robot's own step width; the body sways so that the zero-moment point stays
under the soles. What the robot cannot follow is tried with shorter steps and more slowly, and the receipt says so.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from strut.audit import DEFAULT_MARGIN_M
from strut.draft import Violation
from strut.engines.rigid_body import foot_contact_points, foot_positions
from strut.errors import BadMotionError, OutOfRangeError, RefusedError
from strut.formats.motion_file import load_motion
from strut.models.catalogue import load_robot, robot_of
from strut.motion import Motion
from strut.pipeline.run import motion_of
from strut.receipt import LimitName, Reason, ReasonKind, Verdict
from strut.request import OwnTask, Request
from strut.retargeting.body_movement import BodyMovement
from strut.retargeting.body_parts import BodyParts, Correspondence, find_robot_parts
from strut.retargeting.robot_points import RobotPoints
from strut.retargeting.skeleton_movement import skeleton_movement
from strut.retargeting.stances import with_stances
from strut.retargeting.walk_features import lost_features, walk_features
from strut.retargeting.walk_plan import WalkPlan, plan_walk
from strut.retargeting.whole_body_retarget import hold_feet, keep_balance
from strut.robot import Robot
from strut.simulation.upright import verify_upright
from strut.verify.check import draft_of
from strut.verify.judge import judge
from strut.verify.receipt_builder import receipt_for

# What is tried in turn: factors on the length of the steps and on the duration
ATTEMPTS = ((1.0, 1.0), (0.8, 1.0), (0.6, 1.0), (0.6, 1.25), (0.5, 1.5))
MAX_ADJUSTMENTS = 4  # times that arms are turned outwards or feet are set wider, because parts of the robot overlap
ARMS_OUT_RAD = np.radians(8.0)  # each time, and at first
WIDER_M = 0.03  # each time
SOLE_WIDTHS = 1.5  # the feet stand at least so many widths of a sole apart, from middle to middle
OnAttempt = Callable[[str], None]


@dataclass(frozen=True, slots=True, eq=False)
class Retargeting:
    """A motion to be retargeted.

    Args:
        movement: What the other body does, with its stances.
        target: The robot.
        parts: Which parts correspond.
    """

    movement: BodyMovement
    target: RobotPoints
    parts: Correspondence


def retarget(
    source: Path | str | Motion,
    robot: Robot | str,
    *,
    source_robot: Robot | str | None = None,
    parts: Correspondence | None = None,
    unit_m: float = 1.0,
    between_s: tuple[float, float] | None = None,
    margin_m: float = DEFAULT_MARGIN_M,
    rate_hz: float = 100.0,
    on_attempt: OnAttempt | None = None,
) -> Motion:
    """Return a walk as a motion of another robot, with its receipt.

    How it was changed, the features of the feeling before and after, and which are lost, are in `meta["retarget"]`.

    Args:
        source: A BVH file of a person, or a motion of a robot or of the human model, or its file.
        robot: The robot that is to walk, on two legs with soles.
        source_robot: The robot of the motion; the motion's own if None.
        parts: Which parts correspond; found from the structure of both bodies if None.
        unit_m: Metres in one unit of a BVH file.
        between_s: Start and end of the part of the source to take; all of it if None.
        margin_m: Smallest distance of the centre of pressure from the edge of the support polygon.
        rate_hz: Samples per second of the result.
        on_attempt: Called with a clause about each attempt.

    Raises:
        RefusedError: If the walk has no stances, as a run and hops, or if the robot cannot do it even with the
            shortest steps.

    Example:
        >>> strut.retarget("104_02.bvh", "talos", unit_m=0.056444).receipt.verdict  # doctest: +SKIP
    """
    body = load_robot(robot) if isinstance(robot, str) else robot
    task = prepare(source, body, source_robot=source_robot, parts=parts, unit_m=unit_m, between_s=between_s)
    request = Request(robot=body.name, task=OwnTask(name="retarget"), margin_m=margin_m, rate_hz=rate_hz)
    width_m = usual_width(task.target)
    arms_out_rad = ARMS_OUT_RAD
    adjustments = 0
    first: tuple[Violation, ...] = ()
    violations: tuple[Violation, ...] = ()
    for steps, slower in ATTEMPTS:
        while True:
            if on_attempt is not None:
                on_attempt(f"steps at {100.0 * steps:.0f} %, {slower:g} times as long")
            plan = plan_walk(task.movement, task.target, steps=steps, width_m=width_m, slower=slower, rate_hz=rate_hz)
            held = hold_feet(plan, task.target, arms_out_rad=arms_out_rad)
            qpos = keep_balance(plan, task.target, held, arms_out_rad=arms_out_rad).qpos
            motion = task.target.motion(plan.time_s, qpos, plan.contact)
            draft, violations = judge(draft_of(motion, body), margin_m=margin_m)
            overlap = draft.measured.self_distance
            overlaps = any(violation.limit == LimitName.SELF_COLLISION for violation in violations)
            kinds = set() if overlap is None else {_limb_kind(body, name) for name in overlap.bodies}
            if not overlaps or adjustments == MAX_ADJUSTMENTS or not ("arm" in kinds or kinds == {"leg"}):
                break
            adjustments += 1
            if "arm" in kinds:
                arms_out_rad += ARMS_OUT_RAD
            else:
                width_m += WIDER_M
        if not violations:
            draft = verify_upright(draft, may_slide=False)
            violations = draft.violations
        if not violations:
            break
        first = first or violations
    else:
        text = (
            f"Steps of {100.0 * steps:.0f} % of their length in {slower:g} times the time were the last that were tried"
        )
        raise RefusedError(tuple(violation.reason for violation in violations), f"{text}; give a slower walk.")
    reasons = [violation.reason for violation in first]
    if first:
        how = f"steps have {100.0 * steps:.0f} % of their length"
        how += "" if slower == 1.0 else f" and it takes {slower:g} times as long"
        reasons.append(Reason(ReasonKind.SLOWED, None, f"{how}, because the robot cannot follow the whole walk"))
    draft = replace(
        draft,
        meta={
            "retarget": {
                **_comparison(task, plan, motion),
                "steps": steps,
                "slower": slower,
                "width_m": width_m,
                "arms_out_deg": float(np.degrees(arms_out_rad)),
                "scale": task.target.leg_m / task.movement.leg_m,
            }
        },
    )
    verdict: Verdict = "weakened" if reasons else "ok"
    receipt = receipt_for(
        draft, emotion=None, asked=None, kept=None, verdict=verdict, reasons=[*reasons, *draft.reasons]
    )
    return motion_of(request, draft, receipt)


def prepare(
    source: Path | str | Motion,
    robot: Robot,
    *,
    source_robot: Robot | str | None = None,
    parts: Correspondence | None = None,
    unit_m: float = 1.0,
    between_s: tuple[float, float] | None = None,
) -> Retargeting:
    """Return a movement with its stances, the robot's points and which parts correspond; arguments as of `retarget`."""
    target_parts = find_robot_parts(robot) if parts is None else parts.target
    given = None if parts is None else parts.source
    if isinstance(source, Motion) or Path(source).suffix.lower() != ".bvh":
        movement, source_parts = _robot_movement(source, source_robot, given)
    else:
        movement, source_parts = skeleton_movement(Path(source), unit_m=unit_m, parts=given)
    target = RobotPoints.of(robot, target_parts)
    if any(foot.radius_m or len(foot.points) < 3 for foot in (robot.feet[index] for index in target.feet)):
        raise BadMotionError(f"{robot.name} has no soles; a person's steps need feet that stand flat on the ground.")
    if between_s is not None:
        movement = _between(movement, *between_s)
    both = Correspondence(source=source_parts, target=target_parts)
    return Retargeting(with_stances(movement), target, both)


def _robot_movement(
    source: Path | str | Motion, robot: Robot | str | None, parts: BodyParts | None
) -> tuple[BodyMovement, BodyParts]:
    """Return a robot's motion as a body movement, and its parts."""
    motion = source if isinstance(source, Motion) else load_motion(Path(source))
    body = robot_of(motion, load_robot(robot) if isinstance(robot, str) else robot)
    motion.check_even()
    own = find_robot_parts(body) if parts is None else parts
    return RobotPoints.of(body, own).movement(motion), own


def _between(movement: BodyMovement, start_s: float, stop_s: float) -> BodyMovement:
    """Return the part of a movement between two times."""
    if not 0.0 <= start_s < stop_s:
        raise OutOfRangeError(f"The part from {start_s:g} to {stop_s:g} s is empty; give two times that increase.")
    inside = (movement.time_s >= start_s) & (movement.time_s <= stop_s)
    if inside.sum() < 3:
        raise OutOfRangeError(
            f"The motion lasts {movement.time_s[-1]:g} s; none of it is from {start_s:g} to {stop_s:g} s."
        )
    return replace(
        movement,
        time_s=movement.time_s[inside] - movement.time_s[inside][0],
        point_m={name: value[inside] for name, value in movement.point_m.items()},
        rotation={name: value[inside] for name, value in movement.rotation.items()},
        contact=None if movement.contact is None else movement.contact[inside],
    )


def usual_width(target: RobotPoints) -> float:
    """Return the distance of a robot's feet across its way: as it stands, and more than its soles are wide."""
    robot = target.robot
    left, right = foot_positions(robot, robot.standing_qpos[None])[0][list(target.feet)]
    points = foot_contact_points(robot, robot.standing_qpos[None])[0, :, 1]
    owner = np.array(robot.point_feet)
    wide_m = max(float(np.ptp(points[owner == foot])) for foot in target.feet)
    return max(float(left[1] - right[1]), SOLE_WIDTHS * wide_m)


def _limb_kind(robot: Robot, body: str) -> str:
    """Return the kind of limb that a body belongs to, fingers to arms; `trunk` if to none."""
    model = robot.model
    kinds = {name: limb.kind for limb in robot.limbs for name in limb.bodies}
    while body not in kinds and model.body(body).parentid[0] != 0:
        body = model.body(model.body(body).parentid[0]).name
    return kinds.get(body, "trunk")


def _comparison(task: Retargeting, plan: WalkPlan, motion: Motion) -> dict[str, Any]:
    """Return the features of both bodies while they walk, which are lost, and the names of both."""
    before = walk_features(task.movement, slice(None))
    after = walk_features(task.target.movement(motion), plan.walking)
    return {
        "source": task.movement.name,
        "notes": list(task.movement.notes),
        "before": before.as_dict(),
        "after": after.as_dict(),
        "lost": list(lost_features(before, after)),
    }
