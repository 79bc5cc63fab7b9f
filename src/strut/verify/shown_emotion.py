"""Shown emotion: how much of a claimed emotion a motion shows, measured from its samples.

The generator of the motion's own request drafts it twice: in neutral and at the intensity that was asked for. Each
feature of the motion lies somewhere between the two drafts: speed, height of the body, lift of the feet, stance width,
pitch, joint angles. What the body cannot show is in neither draft and does not count. The duration of steps does not
count, either: a robot may need shorter ones at the same speed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pkgutil import resolve_name
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.draft import Detail, Draft, Generator
from strut.emotion import Emotion
from strut.engines.rigid_body import foot_positions
from strut.errors import StrutError
from strut.expression.blend import style_for
from strut.maths.sampling import middle_cycle
from strut.maths.travel_direction import base_track
from strut.motion import Motion
from strut.plumbing.number_text import format_percent, join_words
from strut.receipt import LimitName, Reason, ReasonKind, Receipt
from strut.registry import find
from strut.request import OwnTask, Request, TaskKind
from strut.robot import Robot
from strut.style import STYLE_PARAMETERS, Style, parameter_label

HELD = ("trunk_pitch_rad", "head_pitch_rad", "shoulder_rad", "elbow_rad")  # parameters that hold joints at angles
FACTORS = ("speed", "lift", "stance width", "body height")  # features that are compared over the neutral value
ANGLES = ("body pitch", *map(parameter_label, HELD), "posture")
VISIBLE_FACTOR = STYLE_PARAMETERS["tempo"].visible
VISIBLE_RAD = STYLE_PARAMETERS["trunk_pitch_rad"].visible
# How far a claimed share may exceed the measured one. On the 28 walks of four robots on which these were chosen, it did
# by at most 0.01 where nothing was weakened, and by 0.18 where the claim is a mean over weakened parameters as well.
MAX_OVERCLAIM = 0.15
MAX_OVERCLAIM_OF_WEAKENED = 0.35
MAX_CYCLES = 5  # of the drafts: every further cycle repeats the one in the middle
MIN_TRAVEL_M = 0.01  # in a cycle; a body that marches on the spot has no speed to change


@dataclass(frozen=True, slots=True)
class ShownEmotion:
    """The measured shares of an emotion.

    Args:
        shares: By feature that the emotion changes visibly, from 0 (neutral) to 1 (as asked).
    """

    shares: Mapping[str, float]

    @property
    def share(self) -> float:
        """The mean over the features."""
        return float(np.mean(list(self.shares.values())))

    def false_claim(self, receipt: Receipt) -> Reason | None:
        """Return the reason to refuse a receipt that claims more than the motion shows; None if it shows enough."""
        kept = receipt.share_kept or 0.0
        is_weakened = bool(receipt.reasons_of(ReasonKind.WEAKENED))
        claim = max(kept, receipt.expressed_share or 0.0)
        if is_weakened and receipt.expressed_share is not None:
            claim = receipt.expressed_share
        if self.share >= claim - (MAX_OVERCLAIM_OF_WEAKENED if is_weakened else MAX_OVERCLAIM):
            return None
        emotion = receipt.emotion or "its emotion"
        weak = {name: share for name, share in self.shares.items() if share < claim}
        weakest = join_words([f"{name} {format_percent(share)}" for name, share in weak.items()])
        text = f"the file claims {format_percent(claim)} of {emotion}, the motion shows {format_percent(self.share)}"
        return Reason(ReasonKind.LIMIT, LimitName.FILE, f"{text} ({weakest})" if weakest else text)


def shown_emotion(robot: Robot, motion: Motion) -> ShownEmotion | None:
    """Return how much of the emotion in a motion's receipt it shows; None if that cannot be measured.

    It cannot if the file has no request, if drafts of its task are expensive, or if the emotion changes no feature.
    """
    receipt = motion.receipt
    if receipt is None or receipt.pad is None or not receipt.intensity_asked or not robot.feet:
        return None
    generator = _generator(robot, motion)
    if generator is None:
        return None
    emotion = Emotion(*receipt.pad)
    asked = style_for(robot, emotion, receipt.intensity_asked)
    try:
        neutral = _features(robot, _draft(generator, style_for(robot, emotion, 0.0)))
        goal = _features(robot, _draft(generator, asked))
    except StrutError:  # a request whose task does not fit this robot
        return None
    measured = _features(robot, motion)
    if neutral is None or goal is None or measured is None:
        return None
    shares = {}
    for name in (*FACTORS, *ANGLES):
        if name == "posture" and not asked.postures:
            continue  # without a key pose, the angles of legs follow from the other features
        neutral_size = float(np.linalg.norm(neutral[name]))
        if name == "speed" and neutral_size < MIN_TRAVEL_M:
            continue
        change = _difference(name, goal[name], neutral[name])
        size = float(np.linalg.norm(change))
        if size > (VISIBLE_FACTOR * neutral_size if name in FACTORS else VISIBLE_RAD):
            along = float(_difference(name, measured[name], neutral[name]) @ change) / size**2
            shares[name] = float(np.clip(along, 0.0, 1.0))
    return ShownEmotion(shares) if shares else None


def _difference(name: str, value: Array, other: Array) -> Array:
    """Return value minus other, shapes (n,); of angles the shorter way round, as joints that spin may have wound up."""
    change = value - other
    return change if name in FACTORS else np.asarray((change + np.pi) % (2.0 * np.pi) - np.pi)


def _generator(robot: Robot, motion: Motion) -> Generator | None:
    """Return the generator of a motion's request; None without one, or if it takes long to draft."""
    table = motion.meta.get("request")
    if not isinstance(table, dict):
        return None
    try:
        request = Request.from_dict(table)
        task: Any = request.task
        if isinstance(task, OwnTask):
            return None
        if "cycles" in task.__struct_fields__:
            task = msgspec.structs.replace(task, cycles=min(task.cycles, MAX_CYCLES))
        kind: TaskKind = find("strut.tasks", str(task.__struct_config__.tag))
        shortened = msgspec.structs.replace(request, task=task)
        generator: Generator = resolve_name(kind.generator)(robot, shortened, None)
    except StrutError:
        return None
    return generator if generator.search.coarsely else None


def _draft(generator: Generator, style: Style) -> Draft:
    return next(iter(generator.drafts(style, Detail("final"))))


def _features(robot: Robot, motion: Draft | Motion) -> dict[str, Array] | None:
    """Return the features of the cycle in the middle; None without samples. Shapes (n,)."""
    if not len(motion.qpos):
        return None
    rows = _middle(motion.contact)
    qpos = motion.qpos[rows]
    duration_s = float(motion.time_s[rows][-1] - motion.time_s[rows][0])
    track = base_track(qpos)
    yaw = track[:, 2]
    foot_in_world = foot_positions(robot, qpos)
    from_base_m = foot_in_world[..., :2] - qpos[:, None, :2]
    sideways_m = np.cos(yaw)[:, None] * from_base_m[..., 1] - np.sin(yaw)[:, None] * from_base_m[..., 0]
    step_m = np.diff(track[:, :2], axis=0)
    travel_m = float(np.sum(np.cos(yaw[1:]) * step_m[:, 0] + np.sin(yaw[1:]) * step_m[:, 1]))
    ground_m = float(foot_in_world[..., 2].min())
    w, x, y, z = qpos[:, 3:7].T
    joint_rad = qpos[:, robot.base_size :].mean(axis=0)
    held = {
        parameter_label(name): joint_rad[[robot.joint_names.index(joint) for joint in robot.expression.joints(name)]]
        for name in HELD
    }
    pitch = np.arcsin(np.clip(2.0 * (w * y - x * z), -1.0, 1.0))
    return {
        "speed": np.array([travel_m / duration_s]),
        "lift": (foot_in_world[..., 2].max(axis=0) - ground_m).mean(keepdims=True),
        "stance width": np.abs(sideways_m.mean(axis=0)).mean(keepdims=True),
        "body height": qpos[:, 2].mean(keepdims=True) - ground_m,
        "body pitch": pitch.mean(keepdims=True),
        **held,
        "posture": joint_rad,
    }


def _middle(contact: npt.NDArray[np.bool_]) -> slice:
    """Return the gait cycle in the middle, or the middle half of a motion without one."""
    cycle = middle_cycle(contact)
    if cycle is None:
        return slice(len(contact) // 4, len(contact) - len(contact) // 4)
    return slice(cycle[0], cycle[1] + 1)
