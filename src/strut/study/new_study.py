"""New study: a folder with a design file and copies of the motions, ready to be served."""

from __future__ import annotations

import math
import secrets
import shutil
from collections.abc import Sequence
from pathlib import Path

from strut.errors import StudyError
from strut.io.atomic import write_atomically
from strut.io.motion_file import load_motion
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.study.answers import IMPROVEMENT_ITEMS
from strut.study.design import Question
from strut.study.design_file import FILE_NAME, read_design
from strut.study.templates import filled

TOKEN_FILE = "researcher_token"
_LONGEST_S = 5.0
_SHORTEST_S = 0.1


def new_study(folder: Path, question: Question, motions: Sequence[Path]) -> Path:
    """Make a study that runs at once; return its design file.

    Args:
        folder: Must not exist; nothing is overwritten.
        question: Which design.
        motions: At least two motion files; what each is meant to show is read from it.

    Example:
        >>> strut.new_study(Path("mystudy"), "forced-choice", [Path("happy.npz"), Path("sad.npz")])
    """
    if folder.exists():
        raise StudyError(f"{folder} is there already; choose another name.")
    if len(motions) < 2:
        raise StudyError(f"A study compares motions and needs at least two files after --motions; got {len(motions)}.")
    loaded = [(path, load_motion(path)) for path in motions]
    for _, motion in loaded:
        robot_of(motion)
    entries = _entries(loaded)
    if question == "forced-choice" and len({intended for _, _, intended in entries}) < 2:
        raise StudyError(f"All motions are meant to show {entries[0][2]}; a choice needs two emotions or more.")
    text = design_text(folder.name, question, entries, _seconds(loaded))
    (folder / "motions").mkdir(parents=True)
    try:
        for (path, _), (_, file, _) in zip(loaded, entries, strict=True):
            shutil.copyfile(path, folder / file)
        write_atomically(folder / FILE_NAME, text.encode(), force=False)
        token = folder / TOKEN_FILE
        write_atomically(token, f"{secrets.token_urlsafe(24)}\n".encode(), force=False)
        token.chmod(0o600)
        read_design(folder)  # what we write we must be able to read
    except BaseException:
        shutil.rmtree(folder)
        raise
    return folder / FILE_NAME


def _seconds(loaded: Sequence[tuple[Path, Motion]]) -> float:
    """Return how long every stimulus is shown: no motion is shorter."""
    shortest_s = min(motion.duration_s for _, motion in loaded)
    seconds = min(_LONGEST_S, math.floor(100.0 * shortest_s) / 100.0)
    if seconds < _SHORTEST_S:
        raise StudyError(f"The shortest motion lasts {shortest_s:.3g} s; people need {_SHORTEST_S:g} s to see it.")
    return seconds


def _entries(loaded: Sequence[tuple[Path, Motion]]) -> list[tuple[str, str, str]]:
    """Return name, file and intended emotion of each stimulus, names made unique."""
    entries: list[tuple[str, str, str]] = []
    for path, motion in loaded:
        intended = str(motion.meta.get("emotion") or path.stem)
        stem = _plain(path.stem, 50) or "motion"
        name, count = stem, 1
        while name in [entry[0] for entry in entries]:
            count += 1
            name = f"{stem}_{count}"
        entries.append((name, f"motions/{name}.npz", intended))
    return entries


def design_text(name: str, question: Question, entries: Sequence[tuple[str, str, str]], seconds: float) -> str:
    """Return a design file with every field in it and what it means."""
    quoted = [(entry, file, _escaped(emotion)) for entry, file, emotion in entries]
    return filled(
        "design.toml",
        name=_plain(name, 60) or "study",
        question=question,
        seconds=f"{seconds:g}",
        intended=list(dict.fromkeys(emotion for _, _, emotion in quoted)),
        items=IMPROVEMENT_ITEMS,
        entries=quoted,
    )


def _plain(text: str, longest: int) -> str:
    """Return a text of letters, digits, - and _ alone."""
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in text)[:longest]


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"')
