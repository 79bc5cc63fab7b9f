"""Repair drafts: the nearest feasible motion to a given one, for any robot on feet.

Whole-body tracking (`ocp.windowed_tracking`) follows 25 frames per second of the given motion, with one time scale per
second. Contacts are those of the motion; in a motion without contacts, feet that are low and slow are on the ground.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from strut.animation.animation_drafts import WEAKENED_STRETCH, animation_report
from strut.animation.animation_frames import FRAMES_PER_S
from strut.animation.animation_ik import sample_times
from strut.animation.feasible_animation import FeasibleAnimation
from strut.animation.whole_body_tracking import SPARE_M
from strut.arrays import Array
from strut.draft import Detail, Draft, Generator, Search, not_made
from strut.errors import OutOfRangeError
from strut.maths.sampling import interpolate_columns
from strut.motion import Motion
from strut.ocp.reduced_model import ReducedModel
from strut.ocp.support_constraints import ReferenceMotion
from strut.ocp.windowed_tracking import track_motion
from strut.receipt import LimitName, Reason, ReasonKind
from strut.robot import Robot
from strut.style import Style

KEY_FRAMES = 25  # from one keyframe to the next: a second
EXTRA_MARGINS_M = (0.0, 0.006, 0.014)  # added to the balance margin, because it shrinks between two frames
MAX_CONTACT_HEIGHT_M = 0.005  # a contact point lower
MAX_CONTACT_SPEED_M_S = 0.05  # and slower than this is on the ground
MIN_FRAMES = 2
MAX_DURATION_S = 60.0  # of a motion: one solve has all of it


def can_be_repaired(robot: Robot) -> bool:
    """Return whether motions of a robot can be repaired: it has a floating base and feet."""
    return robot.floats and bool(robot.feet)


@dataclass(frozen=True, slots=True, eq=False)
class RepairDrafts(Generator):
    """Drafts of one motion with increasing margins.

    Args:
        robot: The robot.
        motion: The given motion.
        margin_m: Balance margin to keep.
        rate_hz: Samples per second of the drafts.
    """

    search: ClassVar[Search] = Search(rungs=1)

    robot: Robot
    motion: Motion
    margin_m: float
    rate_hz: float

    def drafts(self, style: Style, detail: Detail) -> Iterator[Draft]:  # noqa: ARG002 -- a motion has its own style
        """Yield feasible motions near to the given one."""
        if not can_be_repaired(self.robot):
            raise OutOfRangeError(f"{self.robot.name} does not stand on feet, so its motions cannot be repaired.")
        min_s = MIN_FRAMES / FRAMES_PER_S
        duration_s = self.motion.duration_s
        if not min_s <= duration_s <= MAX_DURATION_S:
            raise OutOfRangeError(
                f"The motion lasts {duration_s:g} s; from {min_s:g} to {MAX_DURATION_S:g} s can be repaired."
            )
        body = ReducedModel(self.robot)
        frame_s = np.arange(int(duration_s * FRAMES_PER_S + 1e-6) + 1) / FRAMES_PER_S
        q = interpolate_columns(frame_s, self.motion.time_s - self.motion.time_s[0], body.coordinates(self.motion.qpos))
        contact = _contact_at_frames(self.motion, body, q, frame_s)
        key = np.unique([*range(0, len(q) - KEY_FRAMES // 2, KEY_FRAMES), len(q) - 1])
        for fallback, extra_m in enumerate(EXTRA_MARGINS_M):
            margin_m = self.margin_m + SPARE_M + extra_m
            reference = ReferenceMotion(body, 1.0 / FRAMES_PER_S, q, contact, key, margin_m)
            yield self._draft(reference, frame_s, style, fallback)

    def _draft(self, reference: ReferenceMotion, given_s: Array, style: Style, fallback: int) -> Draft:
        tracked = track_motion(reference)
        if not tracked.solved:
            text = "no movement of the whole body near to this one keeps balance, friction and limits"
            return not_made(self.robot, style, LimitName.BALANCE_MARGIN, text)
        frame_s = tracked.frame_time_s
        body = reference.body
        times = sample_times(float(frame_s[-1]), self.rate_hz)
        scale = float(frame_s[-1] / times[-1])  # so that the last sample is the end
        frame = np.clip(np.searchsorted(frame_s, times * scale + 1e-9, side="right") - 1, 0, len(frame_s) - 2)
        feasible = FeasibleAnimation(
            times,
            body.qpos(tracked.at(times * scale)[0]),
            reference.contact[frame] & reference.contact[frame + 1],
            (),
            frame_time_s=frame_s,
            frame_qpos=body.qpos(tracked.at_frames()),
            stretch=tracked.stretch,
            why={interval: tracked.reason(interval) for interval in range(len(tracked.stretch))},
            solved=True,
            rounds=1,
        )
        report = {
            "method": "body",
            "not_by": "",
            **animation_report(given_s, reference.key, body.qpos(reference.q), feasible),
        }
        is_slower = report["duration_s"] > WEAKENED_STRETCH * report["drawn_s"]
        reasons = tuple(Reason(ReasonKind.SLOWED, None, text) for text in report["slower"]) if is_slower else ()
        meta = {"repair": report}
        return Draft(
            self.robot, times, feasible.qpos, feasible.contact, style, reasons=reasons, fallback=fallback, meta=meta
        )


def _contact_at_frames(motion: Motion, body: ReducedModel, q: Array, time_s: Array) -> npt.NDArray[np.bool_]:
    """Return which feet are on the ground at the frames: as in the motion, else detected. Shape (N, n_feet)."""
    if motion.contact.any():
        next_sample = np.searchsorted(motion.time_s - motion.time_s[0], time_s - 1e-9)
        return np.asarray(motion.contact[np.minimum(next_sample, len(motion.contact) - 1)])
    points = [point for foot in body.robot.feet for point in foot.points]
    position = body.places(points, q)
    height = position[..., 2] - position[..., 2].min()
    speed = np.linalg.norm(np.gradient(position, 1.0 / FRAMES_PER_S, axis=0), axis=2)
    is_on_ground = (height < MAX_CONTACT_HEIGHT_M) & (speed < MAX_CONTACT_SPEED_M_S)
    foot_of_point = np.array(body.robot.point_feet)
    return np.stack(
        [is_on_ground[:, foot_of_point == foot].all(axis=1) for foot in range(len(body.robot.feet))], axis=1
    )
