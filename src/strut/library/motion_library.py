"""Motion library: motions of any robot in one SQLite file, found by emotion, mode, robot, length and title."""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
from contextlib import AbstractContextManager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

from strut.emotion import emotions
from strut.errors import LibraryError, StrutError, UnknownNameError
from strut.formats.motion_file import decode_motion, encode_motion
from strut.motion import Motion
from strut.plumbing.sqlite_store import StoreKind, open_store

LibraryMode = Literal["stand", "walk"]
APPLICATION_ID = 0x73747275  # "stru": other SQLite files have another number
VERSION = 1
MIN_WALK_M = 0.1  # a motion that moves less stands
_MODES = {"stand": "stand", "standing": "stand", "walk": "walk", "walking": "walk"}
_LENGTH = re.compile(r"(under|below|at most|over|above|at least)\s+(\d+(?:\.\d+)?)\s*(?:s|sec|seconds)?")
_TITLE = re.compile(r'"([^"]*)"')
_FILLERS = ("", "and", "motion", "motions")
_SIGNS = {"under": "<", "below": "<", "at most": "<=", "over": ">", "above": ">", "at least": ">="}


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """The entry of a motion.

    Args:
        id: Twelve hexadecimal digits of the hash of its file: the same motion has the same ID everywhere.
        title: For people.
        robot: Name of its robot.
        emotion: The emotion that it expresses, `happy, sad` for one after the other; None if it expresses none.
        mode: Whether the robot stands or walks.
        duration_s: Of the motion.
        verdict: Of its receipt; None if it is not checked.
        fingerprint: Of the robot that it was made for.
        added: Date and time at which it was added.
    """

    id: str
    title: str
    robot: str
    emotion: str | None
    mode: str
    duration_s: float
    verdict: str | None
    fingerprint: str | None
    added: str

    def as_dict(self) -> dict[str, Any]:
        """Return the values that JSON holds."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


_COLUMNS = tuple(field.name for field in fields(LibraryEntry))
_CREATE = """CREATE TABLE motion (id TEXT PRIMARY KEY, title TEXT NOT NULL, robot TEXT NOT NULL, emotion TEXT,
mode TEXT NOT NULL, duration_s REAL NOT NULL, verdict TEXT, fingerprint TEXT, added TEXT NOT NULL,
body BLOB NOT NULL)"""
_EXPRESSES = "instr(', ' || emotion || ',', ', ' || ? || ',') > 0"
_KIND = StoreKind("library", APPLICATION_ID, VERSION, (_CREATE,), "`strut library add MOTION`")


def library_home() -> Path:
    """Return the user's own library: the environment variable STRUT_LIBRARY, else ~/.strut/motions.db."""
    return Path(os.environ.get("STRUT_LIBRARY") or "~/.strut/motions.db").expanduser()


class MotionLibrary:
    """A library in a file, which is made when the first motion is added.

    Example:
        >>> library = strut.library.MotionLibrary("motions.db")
        >>> library.add(strut.load_motion("sad.npz"), title="Nobody came").id
        >>> [entry.title for entry in library.query("sad, standing, under 8 s")]
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self.path = library_home() if path is None else Path(path)

    def add(self, motion: Motion, *, title: str | None = None, mode: LibraryMode | None = None) -> LibraryEntry:
        """Add a motion and return its entry; a motion that the library has already stays as it is.

        Args:
            motion: Of any robot.
            title: For people; that of the motion if None.
            mode: Follows from the distance if None.
        """
        body = encode_motion(motion)
        entry = _entry(motion, body, title, mode)
        with self._open(make=True) as store:
            row = (*(getattr(entry, name) for name in _COLUMNS), body)
            marks = ", ".join("?" * len(row))
            store.execute(f"INSERT OR IGNORE INTO motion ({', '.join(_COLUMNS)}, body) VALUES ({marks})", row)
            store.commit()
        return self.entry(entry.id)

    def query(self, text: str = "") -> list[LibraryEntry]:
        """Return the motions that a text describes, the shortest first.

        Its words, separated by commas or blanks, are an emotion, `standing` or `walking`, the name of a robot,
        `under 6 s` or `over 2 s`; text in quotes is part of a title.
        """
        with self._open() as store:
            robots = tuple(row[0] for row in store.execute("SELECT DISTINCT robot FROM motion ORDER BY robot"))
            where, values = _sql_condition(text, robots)
            rows = store.execute(
                f"SELECT {', '.join(_COLUMNS)} FROM motion WHERE {where} ORDER BY duration_s, id", values
            )
            return [LibraryEntry(*row) for row in rows]

    def entry(self, identity: str) -> LibraryEntry:
        """Return the entry of a motion, by its ID or the beginning of it; raises LibraryError."""
        with self._open() as store:
            entries = [
                LibraryEntry(*row)
                for row in store.execute(
                    f"SELECT {', '.join(_COLUMNS)} FROM motion WHERE substr(id, 1, ?) = ?", (len(identity), identity)
                )
            ]
        if len(entries) != 1 or not identity:
            how = f"{len(entries)} motions whose ID begins with" if entries else "no motion with the ID"
            raise LibraryError(self.path, f"has {how} '{identity}'; `strut library query` lists them.")
        return entries[0]

    def motion(self, identity: str) -> Motion:
        """Return a motion by its ID or the beginning of it; raises LibraryError."""
        entry = self.entry(identity)
        with self._open() as store:
            (body,) = store.execute("SELECT body FROM motion WHERE id = ?", (entry.id,)).fetchone()
        try:
            return decode_motion(body, self.path)
        except StrutError as error:
            raise LibraryError(self.path, f"motion {entry.id} in it is damaged.") from error

    def _open(self, *, make: bool = False) -> AbstractContextManager[sqlite3.Connection]:
        return open_store(self.path, _KIND, make=make)


def _emotions_of(motion: Motion) -> str | None:
    """Return the emotion of a motion, or those of a sequence of commands."""
    emotion = motion.receipt.emotion if motion.receipt else motion.meta.get("emotion")
    return emotion or ", ".join(motion.meta.get("emotions", motion.meta.get("feelings", ()))) or None


def _entry(motion: Motion, body: bytes, title: str | None, mode: LibraryMode | None) -> LibraryEntry:
    emotion = _emotions_of(motion)
    distance_m = float(abs(motion.qpos[-1, :2] - motion.qpos[0, :2]).max()) if motion.qpos.shape[1] >= 2 else 0.0
    return LibraryEntry(
        id=hashlib.sha256(body).hexdigest()[:12],
        title=title or str(motion.meta.get("title") or emotion or "untitled"),
        robot=motion.robot,
        emotion=emotion,
        mode=mode or ("walk" if distance_m > MIN_WALK_M else "stand"),
        duration_s=motion.duration_s,
        verdict=motion.receipt.verdict if motion.receipt else None,
        fingerprint=motion.meta.get("robot_fingerprint"),
        added=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _sql_condition(text: str, robots: tuple[str, ...]) -> tuple[str, list[Any]]:
    """Return a text as a condition of SQL with its values; raises UnknownNameError for an unknown word."""
    text = text.lower()
    rows = [("instr(lower(title), ?) > 0", quoted) for quoted in _TITLE.findall(text)]
    rest = _TITLE.sub(" ", text)
    rows += [(f"duration_s {_SIGNS[word]} ?", float(number)) for word, number in _LENGTH.findall(rest)]
    known = _word_conditions(robots)
    for word in re.split(r"[,\s]+", _LENGTH.sub(" ", rest)):
        if word in known:
            condition, value = known[word]
            rows.append((condition, value))
        elif word not in _FILLERS:
            names = (*known, "under 6 s", "over 2 s")
            where = "`strut emotions`, beside modes, robots and lengths,"
            raise UnknownNameError("word", word, names, where)
    return " AND ".join(["1", *(row for row, _ in rows)]), [value for _, value in rows]


def _word_conditions(robots: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Return the conditions of the words of a query, with their values."""
    conditions = {robot.lower(): ("robot = ?", robot) for robot in robots}
    conditions |= {word: ("mode = ?", mode) for word, mode in _MODES.items()}
    for name, entry in emotions().items():
        conditions |= dict.fromkeys((name, *entry["also_called"]), (_EXPRESSES, name))
    return conditions
