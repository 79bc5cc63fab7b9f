"""Check: a receipt of any motion, measured from its samples alone; the claims of its file do not count."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from itertools import compress
from typing import Any

from strut.balance.moving_ends import find_moving_ends
from strut.draft import Draft, Violation
from strut.emotion import Emotion
from strut.errors import OutOfRangeError
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.plumbing.number_text import format_share_of_time
from strut.receipt import Receipt, Verdict
from strut.robot import Robot
from strut.verify.clip_findings import find_clip_faults
from strut.verify.judge import judge
from strut.verify.limit_table import LimitTable, limit_table
from strut.verify.receipt_builder import receipt_for
from strut.verify.recorded_walk import is_person, recorded_receipt, was_recorded
from strut.verify.shown_emotion import ShownEmotion, shown_emotion


def check(motion: Motion, robot: Robot | None = None, *, margin_m: float | None = None) -> Receipt:
    """Measure a motion and return its receipt; the verdict is `refused` if it breaks a limit.

    A motion of a human model that says it was recorded from a person is judged as such: feet may sink and roll, joints
    must move as those of people do, forces must be those of the movement (`recorded_walk`). Without forces the verdict
    of a sound recording is `forces not judged`.

    An emotion that its receipt claims is measured again where its request can be drafted quickly (`shown_emotion`); a
    claim that the motion does not show breaks a limit, and what was not measured is None.

    Args:
        motion: Samples evenly spaced in time. Where its samples move already at the start, or still at the end, it is
            judged there by the samples inside it, and the receipt says so (`moving_ends`); else it rests outside.
        robot: Whose limits; the motion's own robot if None.
        margin_m: Smallest balance margin allowed; the one it was planned with if None, or 0 if that is unknown.

    Example:
        >>> strut.check(strut.load_motion("happy.npz")).torque_use
    """
    return examine(motion, robot, margin_m=margin_m).receipt


@dataclass(frozen=True, slots=True, eq=False)
class Examination:
    """What came of a check.

    Args:
        receipt: The receipt.
        violations: What the motion breaks.
        table: Worst values and values over time; empty for motions that are judged otherwise than at every sample.
        faults: What is wrong with it as a whole, as sentences.
    """

    receipt: Receipt
    violations: tuple[Violation, ...] = ()
    table: LimitTable = field(default_factory=lambda: LimitTable((), {}))
    faults: tuple[str, ...] = ()

    @property
    def timed_receipt(self) -> Receipt:
        """The receipt with the share of the time in which each limit is broken: `slides 44 mm at 1.32 s; 31 % ...`."""
        share = {one.reason: float(one.broken.mean()) for one in self.violations}
        reasons = [
            replace(reason, text=f"{reason.text}; {format_share_of_time(share[reason])}")
            if 0.0 < share.get(reason, 0.0) < 1.0
            else reason
            for reason in self.receipt.reasons
        ]
        return replace(self.receipt, reasons=tuple(reasons))


def examine(motion: Motion, robot: Robot | None = None, *, margin_m: float | None = None) -> Examination:
    """Measure a motion as `check` does, and return all that was found; arguments of `check`."""
    robot = _as_planned(robot_of(motion, robot), motion)
    motion.check_even()
    if margin_m is not None and not (math.isfinite(margin_m) and margin_m >= 0.0):
        raise OutOfRangeError(f"The balance margin is {margin_m:g} m; it must be a number of at least 0.")
    if was_recorded(motion) and is_person(robot):
        return Examination(recorded_receipt(robot, motion))
    least_m = planned_margin_m(motion) if margin_m is None else margin_m
    draft, broken = judge(draft_of(motion, robot), margin_m=least_m)
    reasons = [violation.reason for violation in broken]
    shown = shown_emotion(robot, motion)
    false_claim = None if shown is None or motion.receipt is None else shown.false_claim(motion.receipt)
    if false_claim is not None:
        reasons.append(false_claim)
    verdict: Verdict = "refused" if reasons else "ok"
    receipt = receipt_for(draft, verdict=verdict, reasons=reasons, **_measured_claims(motion.receipt, shown))
    if any(draft.moving_ends) and draft.measured.limit_set == "standing":  # others are not differentiated over ends
        receipt = replace(receipt, moving_ends=" and ".join(compress(("start", "end"), draft.moving_ends)))
    if motion.receipt is not None:
        receipt = replace(receipt, expression=motion.receipt.expression)
    is_clip = draft.measured.limit_set == "standing"
    faults = find_clip_faults(robot, motion) if is_clip else ()
    return Examination(receipt, broken, limit_table(draft, margin_m=least_m), faults)


def _as_planned(robot: Robot, motion: Motion) -> Robot:
    """Return the robot with the layer of expression that a motion was planned with, as far as it says one."""
    request = motion.meta.get("request")
    layer = request.get("expression") if isinstance(request, dict) else None
    return robot.expressing("animated" if layer == "animated" and robot.expression.animated else "published")


def _measured_claims(receipt: Receipt | None, shown: ShownEmotion | None) -> dict[str, Any]:
    """Return the emotion that a motion claims, and its strength as far as it was measured; None where it was not.

    The expressed share counts start and stop and what the body cannot show, so that it is at most what was measured.
    """
    if receipt is None:
        return {"emotion": None, "asked": None, "kept": None}
    emotion = Emotion(*receipt.pad, name=receipt.emotion) if receipt.pad else None
    asked = receipt.intensity_asked
    if shown is None or asked is None:
        return {"emotion": emotion, "asked": asked, "kept": None}
    claimed = receipt.expressed_share
    return {
        "emotion": emotion,
        "asked": asked,
        "kept": shown.share * asked,
        "expressed_share": None if claimed is None else min(claimed, shown.share),
    }


def draft_of(motion: Motion, robot: Robot) -> Draft:
    """Return a motion as a draft, to be judged."""
    return Draft(
        robot=robot,
        time_s=motion.time_s,
        qpos=motion.qpos,
        contact=motion.contact,
        style=None,
        not_expressed=motion.receipt.not_expressed if motion.receipt else (),
        torque_nm=motion.torque_nm,
        ground_force_n=motion.ground_force_n,
        cop_in_world=motion.cop_in_world,
        balance_margin_m=motion.balance_margin_m,
        moving_ends=find_moving_ends(robot, motion.time_s, motion.qpos),
        meta=motion.meta,
    )


def planned_margin_m(motion: Motion) -> float:
    """Return the margin that a motion was planned with; 0 if its file has no valid one."""
    options = motion.meta.get("options")
    margin_m = options.get("margin_m") if isinstance(options, dict) else None
    if not isinstance(margin_m, int | float) or isinstance(margin_m, bool) or not math.isfinite(margin_m):
        return 0.0
    return max(0.0, float(margin_m))
