"""Motion library: motions of any robot in one SQLite file, each with an ID, found by what they mean."""

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

from strut.emotion import emotion_table
from strut.errors import LibraryError, StrutError, UnknownNameError
from strut.formats.motion_file import decode_motion, encode_motion
from strut.motion import Motion
from strut.plumbing.sqlite_store import StoreKind, open_store

LibraryMode = Literal["stand", "walk"]
APPLICATION_ID = 0x73747275  # "stru": tells a library from any other SQLite file
VERSION = 1
WALKED_M = 0.1  # who goes farther walks
_MODES = {"stand": "stand", "standing": "stand", "walk": "walk", "walking": "walk"}
_LENGTH = re.compile(r"(under|below|at most|over|above|at least)\s+(\d+(?:\.\d+)?)\s*(?:s|sec|seconds)?")
_TITLE = re.compile(r'"([^"]*)"')
_FILLERS = ("", "and", "motion", "motions")
_SIGNS = {"under": "<", "below": "<", "at most": "<=", "over": ">", "above": ">", "at least": ">="}


@dataclass(frozen=True, slots=True)
class LibraryEntry:
    """What a library knows of a motion.

    Args:
        id: Twelve hexadecimal digits of the motion's own bytes: the same motion has the same ID everywhere.
        title: For people.
        robot: Whose.
        emotion: What it shows, `happy, sad` where it shows one after the other; None if nothing on purpose.
        mode: What the body does meanwhile.
        duration_s: How long it lasts.
        verdict: Of its receipt; None if nobody has checked it.
        fingerprint: Of the robot that it was made for.
        added: When it was put in.
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
        """Return it as JSON would hold it."""
        return {one.name: getattr(self, one.name) for one in fields(self)}


_COLUMNS = tuple(one.name for one in fields(LibraryEntry))
_CREATE = """CREATE TABLE motion (id TEXT PRIMARY KEY, title TEXT NOT NULL, robot TEXT NOT NULL, emotion TEXT,
mode TEXT NOT NULL, duration_s REAL NOT NULL, verdict TEXT, fingerprint TEXT, added TEXT NOT NULL,
body BLOB NOT NULL)"""
_SHOWS = "instr(', ' || emotion || ',', ', ' || ? || ',') > 0"
_KIND = StoreKind("library", APPLICATION_ID, VERSION, (_CREATE,), "`strut library add MOTION`")


def library_home() -> Path:
    """Return the user's own library: the environment variable STRUT_LIBRARY, else ~/.strut/motions.db."""
    return Path(os.environ.get("STRUT_LIBRARY") or "~/.strut/motions.db").expanduser()


class MotionLibrary:
    """A library in a file; it is made when the first motion is put in.

    Example:
        >>> library = strut.MotionLibrary("motions.db")
        >>> library.add(strut.load_motion("sad.npz"), title="Nobody came").id
        >>> [entry.title for entry in library.query("sad, standing, under 8 s")]
    """

    def __init__(self, path: Path | str | None = None) -> None:
        self.path = library_home() if path is None else Path(path)

    def add(self, motion: Motion, *, title: str | None = None, mode: LibraryMode | None = None) -> LibraryEntry:
        """Put a motion in and return what is known of it; one that is already there stays as it is.

        Args:
            motion: Of any robot.
            title: For people; the motion's own if None.
            mode: Told from how far it goes if None.
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

        Commas or blanks part the words: an emotion, `standing` or `walking`, a robot's name, `under 6 s` or `over 2 s`;
        what stands in quotes is part of a title.
        """
        with self._open() as store:
            robots = tuple(row[0] for row in store.execute("SELECT DISTINCT robot FROM motion ORDER BY robot"))
            where, values = _meaning(text, robots)
            found = store.execute(
                f"SELECT {', '.join(_COLUMNS)} FROM motion WHERE {where} ORDER BY duration_s, id", values
            )
            return [LibraryEntry(*row) for row in found]

    def entry(self, identity: str) -> LibraryEntry:
        """Return what is known of a motion, by its ID or the beginning of it; raises LibraryError."""
        with self._open() as store:
            found = [
                LibraryEntry(*row)
                for row in store.execute(
                    f"SELECT {', '.join(_COLUMNS)} FROM motion WHERE substr(id, 1, ?) = ?", (len(identity), identity)
                )
            ]
        if len(found) != 1 or not identity:
            how = f"{len(found)} motions whose ID begins with" if found else "no motion with the ID"
            raise LibraryError(self.path, f"has {how} '{identity}'; `strut library query` lists them.")
        return found[0]

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


def _shown_by(motion: Motion) -> str | None:
    """Return the feeling of a motion, or those of a show."""
    emotion = motion.receipt.emotion if motion.receipt else motion.meta.get("emotion")
    return emotion or ", ".join(motion.meta.get("feelings", ())) or None


def _entry(motion: Motion, body: bytes, title: str | None, mode: LibraryMode | None) -> LibraryEntry:
    emotion = _shown_by(motion)
    gone_m = float(abs(motion.qpos[-1, :2] - motion.qpos[0, :2]).max()) if motion.qpos.shape[1] >= 2 else 0.0
    return LibraryEntry(
        id=hashlib.sha256(body).hexdigest()[:12],
        title=title or str(motion.meta.get("title") or emotion or "untitled"),
        robot=motion.robot,
        emotion=emotion,
        mode=mode or ("walk" if gone_m > WALKED_M else "stand"),
        duration_s=motion.duration_s,
        verdict=motion.receipt.verdict if motion.receipt else None,
        fingerprint=motion.meta.get("robot_fingerprint"),
        added=datetime.now(UTC).isoformat(timespec="seconds"),
    )


def _meaning(text: str, robots: tuple[str, ...]) -> tuple[str, list[Any]]:
    """Return a text as a condition of SQL with its values; raises UnknownNameError for a word that means nothing."""
    text = text.lower()
    rows = [("instr(lower(title), ?) > 0", quoted) for quoted in _TITLE.findall(text)]
    rest = _TITLE.sub(" ", text)
    rows += [(f"duration_s {_SIGNS[word]} ?", float(number)) for word, number in _LENGTH.findall(rest)]
    known = _words(robots)
    for word in re.split(r"[,\s]+", _LENGTH.sub(" ", rest)):
        if word in known:
            condition, value = known[word]
            rows.append((condition, value))
        elif word not in _FILLERS:
            names = (*known, "under 6 s", "over 2 s")
            where = "`strut emotions`, beside modes, robots and lengths,"
            raise UnknownNameError("word", word, names, where)
    return " AND ".join(["1", *(row for row, _ in rows)]), [value for _, value in rows]


def _words(robots: tuple[str, ...]) -> dict[str, tuple[str, str]]:
    """Return what words of a query mean: a condition and its value."""
    found = {robot.lower(): ("robot = ?", robot) for robot in robots}
    found |= {word: ("mode = ?", mode) for word, mode in _MODES.items()}
    for name, one in emotion_table().items():
        found |= dict.fromkeys((name, *one["also_called"]), (_SHOWS, name))
    return found
