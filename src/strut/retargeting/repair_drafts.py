"""Repair drafts: a movement of any standing body, from a file, made one that the body can really do.

Frames, 25 a second, are tracked by the whole body (`optimal.windowed_tracking`) with one time scale per second of
movement. Which feet carry is what the movement says; one that says nothing is looked at: what is low and slow carries.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from strut.animation.animation_drafts import AS_DRAWN, animation_report
from strut.animation.animation_ik import sample_times
from strut.animation.drawing import FRAMES_PER_S
from strut.animation.feasible_animation import FeasibleAnimation
from strut.animation.whole_body_tracking import SPARE_M
from strut.arrays import Array
from strut.draft import Detail, Draft, Generator, Search, not_made
from strut.errors import OutOfRangeError
from strut.maths.sampling import columns_at
from strut.motion import Motion
from strut.ocp.reduced_model import ReducedModel
from strut.ocp.support_constraints import ReferenceMotion
from strut.ocp.windowed_tracking import track_motion
from strut.receipt import LimitName, Reason, ReasonKind
from strut.robot import Robot
from strut.style import Style

KEY_FRAMES = 25  # between two keyframes
SPARES_M = (0.0, 0.006, 0.014)  # beyond what is asked, for what lies between two frames
LOW_M = 0.005
SLOW_M_S = 0.05  # what is lower and slower than this carries
LONGEST_S = 60.0


def can_be_repaired(robot: Robot) -> bool:
    """Return whether motions of a robot can be repaired: it stands on feet."""
    return robot.floats and bool(robot.feet)


@dataclass(frozen=True, slots=True, eq=False)
class RepairDrafts(Generator):
    """Drafts of one movement, with more and more margin.

    Args:
        robot: Who moves.
        motion: What it did.
        margin_m: Balance margin that shall be kept.
        rate_hz: Samples per second.
    """

    search: ClassVar[Search] = Search(rungs=1)

    robot: Robot
    motion: Motion
    margin_m: float
    rate_hz: float

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:  # noqa: ARG002 -- a movement has its own style
        """Yield the movement as near to the given one as it can be."""
        if not can_be_repaired(self.robot):
            raise OutOfRangeError(f"{self.robot.name} does not stand on feet, so that its motions cannot be repaired.")
        if not 2.0 / FRAMES_PER_S <= self.motion.duration_s <= LONGEST_S:
            raise OutOfRangeError(
                f"The motion lasts {self.motion.duration_s:g} s; from 0.08 to {LONGEST_S:g} s can be repaired."
            )
        body = ReducedModel(self.robot)
        drawn_s = np.arange(int(self.motion.duration_s * FRAMES_PER_S + 1e-6) + 1) / FRAMES_PER_S
        q = columns_at(drawn_s, self.motion.time_s - self.motion.time_s[0], body.coordinates(self.motion.qpos))
        contact = _contact(self.motion, body, q, drawn_s)
        key = np.unique([*range(0, len(q) - KEY_FRAMES // 2, KEY_FRAMES), len(q) - 1])
        for fallback, more_m in enumerate(SPARES_M):
            given = ReferenceMotion(body, 1.0 / FRAMES_PER_S, q, contact, key, self.margin_m + SPARE_M + more_m)
            yield self._draft(given, drawn_s, style, fallback)

    def _draft(self, given: ReferenceMotion, drawn_s: Array, style: Style, fallback: int) -> Draft:
        near = track_motion(given)
        if not near.solved:
            text = "no movement of the whole body near to this one keeps balance, friction and limits"
            return not_made(self.robot, style, LimitName.BALANCE_MARGIN, text)
        shown_s = near.frame_time_s
        body = given.body
        times = sample_times(float(shown_s[-1]), self.rate_hz)
        scale = float(shown_s[-1] / times[-1])  # so that the last sample is the end
        frame = np.clip(np.searchsorted(shown_s, times * scale + 1e-9, side="right") - 1, 0, len(shown_s) - 2)
        feasible = FeasibleAnimation(
            times,
            body.qpos(near.at(times * scale)[0]),
            given.contact[frame] & given.contact[frame + 1],
            (),
            frame_time_s=shown_s,
            frame_qpos=body.qpos(near.at_frames()),
            stretch=near.stretch,
            why={interval: near.reason(interval) for interval in range(len(near.stretch))},
            solved=True,
            rounds=1,
        )
        report = {"method": "body", "not_by": "", **animation_report(drawn_s, given.key, body.qpos(given.q), feasible)}
        slow = report["duration_s"] > AS_DRAWN * report["drawn_s"]
        reasons = tuple(Reason(ReasonKind.SLOWED, None, text) for text in report["slower"]) if slow else ()
        meta = {"repair": report}
        return Draft(
            self.robot, times, feasible.qpos, feasible.contact, style, reasons=reasons, fallback=fallback, meta=meta
        )


def _contact(motion: Motion, body: ReducedModel, q: Array, time_s: Array) -> npt.NDArray[np.bool_]:
    """Return which feet carry at the frames. Shape (N, n_feet)."""
    if motion.contact.any():
        nearest = np.searchsorted(motion.time_s - motion.time_s[0], time_s - 1e-9)
        return np.asarray(motion.contact[np.minimum(nearest, len(motion.contact) - 1)])
    points = [point for foot in body.robot.feet for point in foot.points]
    place = body.places(points, q)
    speed = np.linalg.norm(np.gradient(place, 1.0 / FRAMES_PER_S, axis=0), axis=2)
    carries = (place[..., 2] - place[..., 2].min() < LOW_M) & (speed < SLOW_M_S)
    owner = np.array(body.robot.point_feet)
    return np.stack([carries[:, owner == foot].all(axis=1) for foot in range(len(body.robot.feet))], axis=1)
