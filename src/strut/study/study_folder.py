"""Study folder: the design file, copies of the motions, the researcher's token and the answers of a study."""

from __future__ import annotations

import math
import secrets
import shlex
import shutil
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from strut.errors import StudyError
from strut.formats.motion_file import load_motion
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.plumbing.atomic_files import check_writable, write_atomically
from strut.study.design.design import FILE_NAME, Design, DisplayKind, read_design
from strut.study.questions.question import question_type, question_types
from strut.study.server.database import Database, open_database
from strut.study.server.database_connection import database_url
from strut.study.stimuli.stimulus import OnStimulus, Stimulus, load_stimuli, stimuli_fingerprint
from strut.study.templates import filled

TOKEN_FILE = "researcher_token"
SIMULATED_FILE = "simulated.csv"
_MAX_DISPLAY_S = 5.0  # of a new study; the design file can set more
_MIN_DISPLAY_S = 0.1  # to see a motion


@dataclass(frozen=True, slots=True)
class OpenedStudy:
    """A design, its stimuli, its answers, and the token of the researcher's page (empty if the study is only read)."""

    design: Design
    stimuli: tuple[Stimulus, ...]
    database: Database
    token: str


def open_study(
    folder: Path,
    database: str | None = None,
    *,
    make: bool = True,
    on_stimulus: OnStimulus = lambda _done, _total: None,
) -> OpenedStudy:
    """Open a study; `database` is a URL, the file in the folder if left out.

    Unless `make`, a missing file of answers raises StudyError and is not created.
    """
    design = read_design(folder)
    url = database_url(folder, database)
    if not make and url.drivername == "sqlite" and not Path(url.database or "").is_file():
        raise StudyError(f"{design.name} has no answers yet: there is no {url.database}; {_how_to_get_answers(folder)}")
    stimuli = load_stimuli(design, on_stimulus)
    token = _token(folder) if make else ""  # reading a study needs no token
    opened = open_database(url, name=design.name, fingerprint=stimuli_fingerprint(design, stimuli))
    return OpenedStudy(design, stimuli, opened, token)


def _token(folder: Path) -> str:
    """Return the token of the researcher's page."""
    token_file = folder / TOKEN_FILE
    try:
        token = token_file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"{token_file} cannot be read; put a long random text into it.") from error
    if len(token) < 16:
        raise StudyError(f"{token_file} holds fewer than 16 characters, which can be guessed; make it longer.")
    return token


def _how_to_get_answers(folder: Path) -> str:
    simulated = folder / SIMULATED_FILE
    if not simulated.is_file():
        return "`strut study serve` collects them."
    command = shlex.join(["strut", "study", "report", str(folder), "--answers", str(simulated)])
    return f"`strut study serve` collects them, `{command}` reports on the simulated ones."


def forget_participant(folder: Path | str, code: str, *, database: str | None = None) -> int:
    """Delete a participant with all answers; return the number of deleted answers.

    Example:
        >>> strut.study.forget_participant("mystudy", "1f0c35a2b7d9")  # doctest: +SKIP
    """
    opened = open_study(Path(folder), database, make=False)
    with closing(opened.database):
        return opened.database.forget(code)


def back_up_study(folder: Path | str, path: Path | str, *, database: str | None = None) -> int:
    """Copy all answers of a study into a new SQLite file while it runs; return the number of answers.

    Example:
        >>> strut.study.back_up_study("mystudy", "monday.sqlite")  # doctest: +SKIP
    """
    path = Path(path)
    check_writable(path, force=False)
    opened = open_study(Path(folder), database, make=False)
    with closing(opened.database):
        return opened.database.back_up(path)


def new_study(
    folder: Path, question: str, motions: Sequence[Path], *, display: DisplayKind = "solid", quality: str = ""
) -> Path:
    """Make a study that is ready to serve; return its design file.

    Args:
        folder: Must not exist; nothing is overwritten.
        question: Type of question.
        motions: At least two motion files; the intended emotion is read from each.
        display: How the motions are shown.
        quality: What one of two motions has more of; for a question that compares motions, and for no other.

    Example:
        >>> strut.study.new_study(Path("mystudy"), "forced-choice", [Path("happy.npz"), Path("sad.npz")])
    """
    if folder.exists():
        raise StudyError(f"{folder} is there already; choose another name.")
    if len(motions) < 2:
        raise StudyError(f"A study compares motions and needs at least two files after --motions; got {len(motions)}.")
    if question_type(question).asks_for_quality and not quality.strip():
        what = f"A {question} question asks which motion has more of a quality"
        raise StudyError(f"{what}; name it, such as --quality energetic.")
    if quality.strip() and not question_type(question).asks_for_quality:
        raise StudyError(f"A {question} question compares no motions by a quality; leave --quality out.")
    loaded = [load_motion(path) for path in motions]
    for motion in loaded:
        robot_of(motion)
    entries = _entries(motions, loaded)
    min_emotions = question_type(question).min_emotions
    if len({intended for _, _, intended in entries}) < min_emotions:
        emotions = f"a {question} question needs {min_emotions} emotions or more"
        raise StudyError(f"All motions are meant to show {entries[0][2]}; {emotions}.")
    text = design_text(folder.name, question, entries, _seconds(loaded), display=display, quality=quality.strip())
    (folder / "motions").mkdir(parents=True)
    try:
        for path, (_, file, _) in zip(motions, entries, strict=True):
            shutil.copyfile(path, folder / file)
        write_atomically(folder / FILE_NAME, text.encode(), force=False)
        token = folder / TOKEN_FILE
        write_atomically(token, f"{secrets.token_urlsafe(24)}\n".encode(), force=False)
        token.chmod(0o600)
        read_design(folder)  # checks what was just written
    except BaseException:
        shutil.rmtree(folder)
        raise
    return folder / FILE_NAME


def _seconds(motions: Sequence[Motion]) -> float:
    """Return how long stimuli are shown [s]: at most as long as the shortest motion."""
    shortest_s = min(motion.duration_s for motion in motions)
    seconds = min(_MAX_DISPLAY_S, math.floor(100.0 * shortest_s) / 100.0)
    if seconds < _MIN_DISPLAY_S:
        raise StudyError(f"The shortest motion lasts {shortest_s:.3g} s; people need {_MIN_DISPLAY_S:g} s to see it.")
    return seconds


def _entries(paths: Sequence[Path], motions: Sequence[Motion]) -> list[tuple[str, str, str]]:
    """Return name, file and intended emotion of each stimulus; names are unique."""
    entries: list[tuple[str, str, str]] = []
    for path, motion in zip(paths, motions, strict=True):
        name = stem = _plain_name(path.stem, 50) or "motion"
        count = 1
        while name in [entry[0] for entry in entries]:
            count += 1
            name = f"{stem}_{count}"
        entries.append((name, f"motions/{name}.npz", str(motion.meta.get("emotion") or path.stem)))
    return entries


def design_text(
    name: str,
    question: str,
    entries: Sequence[tuple[str, str, str]],
    seconds: float,
    *,
    display: DisplayKind = "solid",
    quality: str = "",
) -> str:
    """Return a design file with every field and its meaning."""
    quoted = [(*names, _escape(emotion)) for *names, emotion in entries]
    intended = list(dict.fromkeys(entry[-1] for entry in quoted))
    return filled(
        "design.toml",
        name=_plain_name(name, 60) or "study",
        question=question_type(question),
        known=question_types(),
        ask_fields=question_type(question).toml_fields(intended),
        seconds=f"{seconds:g}",
        entries=quoted,
        display=display,
        quality=_escape(quality),
    )


def _escape(text: str) -> str:
    """Return a text as it stands between the quotes of a TOML file."""
    return text.replace("\\", "\\\\").replace('"', '\\"')


def _plain_name(text: str, longest: int) -> str:
    """Return a text with _ in place of all characters but letters, digits, - and _."""
    return "".join(letter if letter.isalnum() or letter in "-_" else "_" for letter in text)[:longest]
