"""Repair: turns a motion that breaks limits into the nearest feasible one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import ClassVar

from strut.audit import DEFAULT_MARGIN_M
from strut.draft import Detail, Draft, Generator, OnProgress, Search
from strut.emotion import Emotion
from strut.errors import BadMotionError
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.pipeline.run import run
from strut.request import OwnTask, Request
from strut.retargeting.repair_drafts import RepairDrafts
from strut.robot import Robot
from strut.style import Style
from strut.verify.check import check


@dataclass(slots=True, eq=False)
class FirstFailure(Generator):
    """Drafts of another generator up to the first without a solution: a larger margin would not make it easier.

    Args:
        generator: The other generator.
        unsolved: The draft without a solution, once it is known.
    """

    search: ClassVar[Search] = RepairDrafts.search

    generator: Generator
    unsolved: list[Draft] = field(default_factory=list)

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:
        """Yield drafts; once one has no solution, only that one."""
        if self.unsolved:
            yield self.unsolved[0]
            return
        for draft in self.generator.drafts(style, detail):
            if not len(draft.qpos):
                self.unsolved.append(draft)
                yield draft
                return
            yield draft


def repair(
    motion: Motion,
    robot: Robot | None = None,
    *,
    margin_m: float = DEFAULT_MARGIN_M,
    rate_hz: float = 100.0,
    on_progress: OnProgress | None = None,
) -> Motion:
    """Return the nearest motion on the same feet that keeps balance, friction, torques and speeds, with its receipt.

    Its distance from the given motion, and where and why it takes longer, are in `meta["repair"]`.

    Args:
        motion: Of a robot on feet, at rest at both ends; contacts are detected if it has none.
        robot: The robot; that of the motion if None.
        margin_m: Smallest distance of the centre of pressure from the edge of the support polygon.
        rate_hz: Samples per second of the result.
        on_progress: Called with every candidate; returning True stops the search.

    Raises:
        BadMotionError: If the motion keeps every limit already.
        RefusedError: If no motion near to it keeps the limits.

    Example:
        >>> strut.repair(strut.animation.preview_animation("cassie", animation)).receipt.verdict
    """
    body = robot_of(motion, robot)
    if len(motion.contact) and motion.contact.any() and check(motion, body, margin_m=margin_m).verdict == "ok":
        raise BadMotionError("The motion keeps every limit already: there is nothing to repair.")
    receipt = motion.receipt
    emotion = Emotion(*receipt.pad, name=receipt.emotion) if receipt is not None and receipt.pad else Emotion(0.0, 0.0)
    task = OwnTask(name="repair")
    request = Request(robot=body.name, task=task, emotion=emotion, margin_m=margin_m, rate_hz=rate_hz)
    drafts = FirstFailure(RepairDrafts(body, motion, margin_m, rate_hz))
    return run(request, robot=body, generator=drafts, on_progress=on_progress)
