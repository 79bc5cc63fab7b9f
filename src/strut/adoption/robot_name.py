"""Robot name: what an adopted robot is called, which is its folder's name and what every verb takes."""

from __future__ import annotations

import unicodedata
from itertools import groupby
from pathlib import Path

from strut.errors import NotAdoptedError
from strut.models.catalogue import HOME, names_in

LONGEST = 80  # letters
MOST_BYTES = 240  # of a name: file systems take 255, and files beside a motion have endings; some letters are four
_TOO_GENERAL = ("robot", "model", "scene", "urdf", "mjcf", "xml", "xmls", "robots", "scene_flat")


def robot_name_of(file: Path, asked: str | None) -> str:
    """Return what to call a robot: as asked, else as its file, or its folder where files have no name of their own."""
    chosen = _own_name(file) if asked is None else _checked(asked)
    if chosen in names_in(HOME):
        raise NotAdoptedError(f"'{chosen}' is one of strut's own robots; choose another with --name.")
    return chosen


def _own_name(file: Path) -> str:
    parts = [file.stem, *reversed(file.parts[:-1])]
    return plain_name(next((part for part in parts if part.lower() not in _TOO_GENERAL), file.stem)) or "robot"


def _checked(asked: str) -> str:
    """Return a name that was asked for, composed; raises NotAdoptedError if it cannot be one."""
    chosen = unicodedata.normalize("NFC", asked)
    if not chosen or chosen != _cut(chosen) or not all(map(_may_stand, chosen)):
        words = f"use up to {LONGEST} letters, digits and underscores, of {MOST_BYTES} bytes at most"
        raise NotAdoptedError(f"'{asked}' is no name for a robot; {words}.")
    return chosen


def plain_name(text: str) -> str:
    """Return the letters of any script and the digits of a text, small and composed (NFC), with _ for all else.

    Example:
        >>> plain_name("Größe-2")
        'größe_2'
    """
    letters = unicodedata.normalize("NFC", text.lower())
    runs = groupby(letters, _may_stand)
    return _cut("".join("".join(run) if stands else "_" for stands, run in runs).strip("_"))


def _cut(name: str) -> str:
    """Return as many of a name's letters as the name of a folder holds."""
    return name[:LONGEST].encode("utf-8")[:MOST_BYTES].decode("utf-8", "ignore")


def _may_stand(letter: str) -> bool:
    """Return whether a letter may stand in a name: of a script, with the marks that belong to letters, or a digit."""
    return letter.isalnum() or letter == "_" or unicodedata.category(letter).startswith("M")
