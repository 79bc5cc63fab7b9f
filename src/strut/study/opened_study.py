"""Opened study: a folder with everything that serving, reporting and trying it out need."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from strut.errors import StudyError
from strut.study.database import Database, database_url, open_database
from strut.study.design import Design
from strut.study.design_file import read_design
from strut.study.new_study import TOKEN_FILE
from strut.study.stimulus import Stimulus, load_stimuli, stimuli_fingerprint


@dataclass(frozen=True, slots=True)
class OpenedStudy:
    """A design, its stimuli, its answers, and the token of the researcher's page."""

    design: Design
    stimuli: tuple[Stimulus, ...]
    database: Database
    token: str


def open_study(folder: Path, database: str | None = None) -> OpenedStudy:
    """Open a study; `database` is a URL, the file in the folder if left out."""
    design = read_design(folder)
    stimuli = load_stimuli(design)
    url = database_url(folder, database)
    token_file = folder / TOKEN_FILE
    try:
        token = token_file.read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise StudyError(f"{token_file} cannot be read; put a long random text into it.") from error
    if len(token) < 16:
        raise StudyError(f"{token_file} holds fewer than 16 characters, which can be guessed; make it longer.")
    opened = open_database(url, name=design.name, fingerprint=stimuli_fingerprint(design, stimuli))
    return OpenedStudy(design, stimuli, opened, token)


def forget_participant(folder: Path | str, code: str, *, database: str | None = None) -> int:
    """Delete a participant who asks for it, answers and all; return how many answers that were.

    Example:
        >>> strut.forget_participant("mystudy", "1f0c35a2b7d9")  # doctest: +SKIP
    """
    opened = open_study(Path(folder), database)
    with closing(opened.database):
        return opened.database.forget(code)
