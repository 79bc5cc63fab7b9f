"""Stimuli: the motions that a published study showed people, in an order that a seed decides."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strut.emotion import Emotion
from strut.motion import Motion
from strut.pipeline.perform import perform
from strut.robot import Robot

SESSION_FILE = "session.csv"


@dataclass(frozen=True, slots=True)
class Stimulus:
    """One motion of a study: its place in the session, what it is for, its name and the feeling it shows."""

    number: int
    role: str
    name: str
    emotion: Emotion

    @property
    def file_name(self) -> str:
        """Name of its motion file."""
        return f"{self.number:02d}_{self.role}_{self.name}.npz"


def stimuli(robot: Robot, seed: int) -> tuple[Stimulus, ...]:
    """Return the session of the robot's `study.toml`: neutral, practice, all corners, and some of its emotions.

    Practice is random, corners come in random order and emotions are drawn at random, as in the study.
    """
    table, rng = robot.table("study"), np.random.default_rng(seed)
    low, high = table["levels"]["low"], table["levels"]["high"]
    corners = [(p, a, d) for p in (low, high) for a in (low, high) for d in (low, high)]
    shown: list[tuple[str, str, list[float]]] = [("neutral", "neutral", [0.0, 0.0, 0.0])]
    for count in range(table["practice_motions"]):
        shown.append(("practice", f"random{count + 1}", np.round(rng.uniform(low, high, 3), 3).tolist()))
    for index in rng.permutation(len(corners)):
        name = "".join("H" if level == high else "L" for level in corners[index])
        shown.append(("corner", name, list(corners[index])))
    names = sorted(table["emotion"])
    for index in rng.permutation(len(names))[: table["emotion_motions"]]:
        shown.append(("emotion", names[index], table["emotion"][names[index]]["pad"]))
    return tuple(
        Stimulus(number, role, name, Emotion(pad[0], pad[1], pad[2], name if role == "emotion" else None))
        for number, (role, name, pad) in enumerate(shown, start=1)
    )


def performed(robot: Robot, seed: int, *, rate_hz: float = 100.0) -> Iterator[tuple[Stimulus, Motion]]:
    """Yield the motions of a session as they get ready; each says in `meta` what it is for."""
    table = robot.table("study")
    for stimulus in stimuli(robot, seed):
        motion = perform(
            robot,
            table["task"],
            stimulus.emotion,
            duration_s=table["duration_s"],
            user_m=table["user_m"],
            rate_hz=rate_hz,
        )
        label = {"number": stimulus.number, "role": stimulus.role, "name": stimulus.name}
        yield stimulus, replace(motion, meta={**motion.meta, "seed": seed, "stimulus": label})


def session_row(stimulus: Stimulus, motion: Motion) -> dict[str, Any]:
    """Return what a researcher must know of a motion: its place, what it shows and how much of that was kept."""
    assert motion.receipt is not None
    return {
        "file": stimulus.file_name,
        "number": stimulus.number,
        "role": stimulus.role,
        "name": stimulus.name,
        "pad": list(stimulus.emotion.pad),
        "verdict": motion.receipt.verdict,
        "kept": motion.receipt.intensity_kept,
        "reasons": list(motion.receipt.reasons),
    }


def session_table(rows: Sequence[Mapping[str, Any]], seed: int) -> str:
    """Return a session as text of a table with one row per motion."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(
        [*("number", "file", "role", "name", "pleasure", "arousal", "dominance"), "verdict", "kept", "reasons", "seed"]
    )
    for row in rows:
        known = (row[name] for name in ("number", "file", "role", "name"))
        writer.writerow([*known, *row["pad"], row["verdict"], row["kept"], "; ".join(row["reasons"]), seed])
    return text.getvalue()
