"""Robot name: the name of an imported robot, which is also the name of its folder and the argument of every verb."""

from __future__ import annotations

import unicodedata
from itertools import groupby
from pathlib import Path

from strut.errors import NotAdoptedError
from strut.models.catalogue import HOME, names_in

MAX_CHARACTERS = 80
MAX_BYTES = 240  # file systems allow 255, and files named after a robot have endings; some characters have four bytes
_TOO_GENERAL = ("robot", "model", "scene", "urdf", "mjcf", "xml", "xmls", "robots", "scene_flat")


def choose_robot_name(file: Path, requested: str | None) -> str:
    """Return the requested name, else that of the file, or of its folder if the file has a general name.

    Raises NotAdoptedError if the requested name is not valid, or belongs to one of strut's own robots.
    """
    name = _name_of_file(file) if requested is None else _check_name(requested)
    if name in names_in(HOME):
        raise NotAdoptedError(f"'{name}' is one of strut's own robots; choose another with --name.")
    return name


def _name_of_file(file: Path) -> str:
    parts = [file.stem, *reversed(file.parts[:-1])]
    return normalize_name(next((part for part in parts if part.lower() not in _TOO_GENERAL), file.stem)) or "robot"


def _check_name(requested: str) -> str:
    """Return a requested name in composed form (NFC); raises NotAdoptedError if it is not valid."""
    name = unicodedata.normalize("NFC", requested)
    if not name or name != _truncate(name) or not all(_is_allowed(character) for character in name):
        raise NotAdoptedError(
            f"'{requested}' is not a name for a robot; use up to {MAX_CHARACTERS} letters, digits and underscores, of "
            f"{MAX_BYTES} bytes at most."
        )
    return name


def normalize_name(text: str) -> str:
    """Return the letters of any script and the digits of a text in lower case, composed (NFC), and _ for the rest.

    Example:
        >>> normalize_name("Größe-2")
        'größe_2'
    """
    characters = unicodedata.normalize("NFC", text.lower())
    runs = groupby(characters, _is_allowed)
    return _truncate("".join("".join(run) if is_allowed else "_" for is_allowed, run in runs).strip("_"))


def is_named(link: str, name: str) -> bool:
    """Return whether a name of a robot is that of a link, which may have characters that a robot's name has not."""
    return bool(name) and normalize_name(link) == normalize_name(name)


def _truncate(name: str) -> str:
    """Return as many characters of a name as the name of a folder can have."""
    return name[:MAX_CHARACTERS].encode("utf-8")[:MAX_BYTES].decode("utf-8", "ignore")


def _is_allowed(character: str) -> bool:
    """Return whether a name may have a character: a letter of any script with its marks, a digit, an underscore."""
    return character.isalnum() or character == "_" or unicodedata.category(character).startswith("M")
