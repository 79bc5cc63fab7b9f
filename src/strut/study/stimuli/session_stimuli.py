"""Session stimuli: the motions that a published study showed people, in an order that a seed decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from strut.emotion import Emotion
from strut.errors import FileError
from strut.formats.motion_file import save_motion
from strut.models.catalogue import as_robot
from strut.pipeline.run import run
from strut.plumbing.atomic_files import check_may_be_folder, check_replaceable, write_atomically
from strut.plumbing.csv_text import csv_of_rows
from strut.registry import find
from strut.request import Request
from strut.robot import Robot
from strut.study.statistics.answers import PAD_SCALES

SESSION_FILE = "session.csv"
_TASK = "hand_task"  # the robots whose study.toml this reads perform tasks with a hand


@dataclass(frozen=True, slots=True)
class SessionStimulus:
    """One motion of a session: its position, its role, its name and its emotion."""

    number: int
    role: str
    name: str
    emotion: Emotion

    @property
    def file_name(self) -> str:
        """Name of its motion file."""
        return f"{self.number:02d}_{self.role}_{self.name}.npz"


def session_stimuli(robot: Robot, seed: int) -> tuple[SessionStimulus, ...]:
    """Return the session of the robot's `study.toml`: neutral, practice, all corners, and some of its emotions.

    Practice motions are random, corners come in random order and emotions are drawn at random, as in the study.
    """
    table = robot.study
    rng = np.random.default_rng(seed)
    levels = {"L": table.levels.low, "H": table.levels.high}
    corners = ["".join(letters) for letters in product("LH", repeat=3)]
    session: list[tuple[str, str, Sequence[float]]] = [("neutral", "neutral", (0.0, 0.0, 0.0))]
    for count in range(table.practice_motions):
        pad = np.round(rng.uniform(levels["L"], levels["H"], 3), 3).tolist()
        session.append(("practice", f"random{count + 1}", pad))
    for corner in (corners[index] for index in rng.permutation(len(corners))):
        session.append(("corner", corner, [levels[letter] for letter in corner]))
    names = sorted(table.emotion)
    for index in rng.permutation(len(names))[: table.emotion_motions]:
        session.append(("emotion", names[index], table.emotion[names[index]].pad))
    return tuple(
        SessionStimulus(number, role, name, Emotion(pad[0], pad[1], pad[2], name if role == "emotion" else None))
        for number, (role, name, pad) in enumerate(session, start=1)
    )


def session_table(rows: Sequence[Mapping[str, Any]], seed: int) -> str:
    """Return a session as CSV with one row per motion."""
    columns = ["number", "file", "role", "name", *PAD_SCALES, "verdict", "kept", "reasons", "seed"]
    complete = [
        {**row, **dict(zip(PAD_SCALES, row["pad"], strict=True)), "reasons": "; ".join(row["reasons"]), "seed": seed}
        for row in rows
    ]
    return csv_of_rows(columns, [{name: row.get(name, "") for name in columns} for row in complete])


def stimuli(
    robot: Robot | str,
    folder: Path | str,
    *,
    seed: int = 1,
    rate_hz: float = 100.0,
    force: bool = False,
    on_motion: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[dict[str, Any]]:
    """Make all motions of a robot's published study; write them, and a table of them, into a folder.

    Args:
        robot: The robot of the study.
        folder: Made if it does not exist.
        seed: Decides practice motions, order and the named emotions.
        rate_hz: Samples per second.
        force: Whether existing files may be replaced.
        on_motion: Called with the number of motions that are done and the number of all.

    Example:
        >>> len(strut.stimuli("pepper", "stimuli", seed=1))  # doctest: +SKIP
        13
    """
    body = as_robot(robot)
    folder = Path(folder)
    session = session_stimuli(body, seed)
    study = body.study
    hand_task = find("strut.tasks", _TASK).request
    task = hand_task(task=study.task, duration_s=study.duration_s, user_m=tuple(map(float, study.user_m)))
    requests = [Request(robot=body.name, task=task, emotion=one.emotion, rate_hz=rate_hz) for one in session]
    check_may_be_folder(folder)
    if not folder.absolute().parent.is_dir():
        raise FileError(folder, f"cannot be written: there is no folder {folder.parent}.")
    check_replaceable(folder, (*(stimulus.file_name for stimulus in session), SESSION_FILE), force=force)
    folder.mkdir(exist_ok=True)
    rows: list[dict[str, Any]] = []
    for stimulus, request in zip(session, requests, strict=True):
        motion = run(request, robot=body)
        assert motion.receipt is not None
        label = {"number": stimulus.number, "role": stimulus.role, "name": stimulus.name}
        labelled = replace(motion, meta={**motion.meta, "seed": seed, "stimulus": label})
        save_motion(labelled, folder / stimulus.file_name, force=force)
        rows.append(
            {
                "file": stimulus.file_name,
                **label,
                "pad": list(stimulus.emotion.pad),
                "verdict": motion.receipt.verdict,
                "kept": motion.receipt.intensity_kept,
                "reasons": [str(reason) for reason in motion.receipt.reasons],
            }
        )
        on_motion(len(rows), len(session))
    write_atomically(folder / SESSION_FILE, session_table(rows, seed).encode(), force=force)
    return rows
