"""Marker mapping: which markers of a recording are which landmarks of a body; built in, or told by a mapping file.

A mapping file is TOML: `alias` says what a laboratory calls the landmarks of a built-in set, `marker` adds landmarks::

    based_on = "plug_in_gait"
    [alias]
    "pelvis front left" = "LASI"
    [marker.LCLUSTER1]
    segment = "ThighLeft"
    at = [0.0, 0.05, -0.12]          # share of body height, in the segment's frame
    spread_m = [0.05, 0.05, 0.10]    # how unsure that is
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from strut.errors import MappingFileError, MarkerSetError, UnknownNameError
from strut.recording import Recording
from strut.schemas.fields import Positive, Table, Text, Vector
from strut.schemas.toml_file import TomlFile

FOLDER = Path(__file__).parent / "marker_sets"
SIDE_NAMES = {"L": "Left", "R": "Right"}


class Landmark(Table, frozen=True):
    """A place on a body where a marker sits, and how sure that is; see marker_sets/plug_in_gait.toml."""

    segment: Text
    at: Vector
    spread_m: tuple[Positive, Positive, Positive]
    aliases: tuple[str, ...] = ()
    instead_of: tuple[str, ...] = ()
    weight: Positive = 1.0


class MarkerSetTable(Table, frozen=True):
    """A marker set or a mapping file."""

    title: str = ""
    based_on: str | None = None
    needs: tuple[tuple[str, ...], ...] = ()
    alias: Mapping[str, str] = {}
    marker: Mapping[str, Landmark] = {}


@dataclass(frozen=True, slots=True)
class MarkerSet:
    """Landmarks by name, both sides; what a fit needs; and all names that mean each landmark, as `_key` writes them."""

    title: str
    landmarks: Mapping[str, Landmark]
    needs: tuple[tuple[str, ...], ...]
    names: Mapping[str, str]

    def found(self, recording: Recording) -> dict[str, str]:
        """Return the markers of a recording by landmark; a landmark under its own name comes before its aliases."""
        known = [(self.names.get(_key(label), ""), label) for label in recording.marker_names]
        by_alias = {landmark: label for landmark, label in known if landmark}
        own = {name: name for name in set(by_alias) & set(recording.marker_names)}
        seen = {**by_alias, **own}
        return {name: label for name, label in seen.items() if not set(self.landmarks[name].instead_of) & set(seen)}

    def missing(self, found: Mapping[str, str]) -> list[str]:
        """Return what a fit would still need: one name, or several of which one is enough."""
        return [" or ".join(group) for group in self.needs if not set(group) & set(found)]


def marker_set_names() -> tuple[str, ...]:
    """Return the names of the built-in marker sets."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@lru_cache(maxsize=8)
def built_in_marker_set(name: str) -> MarkerSet:
    """Return a built-in marker set; raises UnknownNameError."""
    if name not in marker_set_names():
        raise UnknownNameError("marker set", name, marker_set_names(), "docs/recordings.md")
    return read_marker_set(FOLDER / f"{name}.toml")


def read_marker_set(path: Path) -> MarkerSet:
    """Return the marker set of a mapping file; raises MappingFileError with line and field.

    Example:
        >>> strut.fit(recording, height_m=1.7, mass_kg=65.0, marker_set=strut.read_marker_set(Path("ours.toml")))
    """
    file = TomlFile(read_text(path), str(path), MappingFileError)
    table = file.decode(MarkerSetTable)
    base = _base(file, table.based_on)
    own = dict(entry for key, landmark in table.marker.items() for entry in _sided(key, landmark))
    landmarks = {**base.landmarks, **own}
    for theirs, ours in table.alias.items():
        if ours not in landmarks:
            raise file.wrong(("alias", theirs), f"is '{ours}', which is no landmark; known are {', '.join(landmarks)}.")
    names = {**base.names, **_names(own), **{_key(theirs): ours for theirs, ours in table.alias.items()}}
    return MarkerSet(table.title or base.title, landmarks, table.needs or base.needs, names)


def _base(file: TomlFile, name: str | None) -> MarkerSet:
    """Return the marker set that a mapping file builds on; an empty one if it names none."""
    if name is None:
        return MarkerSet("own markers", {}, (), {})
    if name not in marker_set_names():
        raise file.wrong(("based_on",), f"is '{name}', which is none of {', '.join(marker_set_names())}.")
    return built_in_marker_set(name)


def _key(label: str) -> str:
    """Return a name in small letters without what separates its parts: `L.ASIS`, `l_asis` and `L ASIS` are one."""
    return re.sub(r"[\s_.\-]", "", label).lower()


def _names(landmarks: Mapping[str, Landmark]) -> dict[str, str]:
    """Return all names as keys, own ones after the aliases of others."""
    aliases = {_key(alias): name for name, landmark in landmarks.items() for alias in landmark.aliases}
    return {**aliases, **{_key(name): name for name in landmarks}}


def read_text(path: Path) -> str:
    """Return the text of a TOML file; raises MappingFileError if it cannot be read."""
    try:
        return path.read_text("utf-8")
    except FileNotFoundError as error:
        raise MappingFileError(str(path), "", "there is no such file.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise MappingFileError(str(path), "", f"cannot be read ({error}).") from error


def match_markers(
    recording: Recording, marker_set: MarkerSet | None = None, unseen: Sequence[str] = ()
) -> tuple[MarkerSet, dict[str, str]]:
    """Return the marker set that fits a recording and its markers by landmark; raises MarkerSetError.

    Args:
        recording: Whose markers.
        marker_set: The one to use; None for the built-in one that knows most of the markers.
        unseen: Markers that the file has and no camera saw, for the sentence.
    """
    known = [built_in_marker_set(name) for name in reversed(marker_set_names())] if marker_set is None else [marker_set]
    best = max(known, key=lambda one: (not one.missing(one.found(recording)), len(one.found(recording))))
    found = best.found(recording)
    if missing := best.missing(found):
        there = f"found are {', '.join(sorted(found))}" if found else "none of its markers has a known name"
        raise MarkerSetError(
            f"{recording.name}: a fit by the markers of {best.title} still needs {', '.join(missing)}; {there}. "
            f"If they are there under other names, map them in a file (docs/recordings.md).{_unseen_words(unseen)}"
        )
    return best, found


def _unseen_words(names: Sequence[str]) -> str:
    return f" Hardly ever seen, so not used: {', '.join(names)}." if names else ""


def _sided(key: str, landmark: Landmark) -> Sequence[tuple[str, Landmark]]:
    """Return an entry, or both sides of it: `?` is L or R (in segments the word), `^` the word in aliases."""
    if "?" not in key:
        return [(key, landmark)]
    return [(key.replace("?", letter), _on_side(landmark, letter, side)) for letter, side in SIDE_NAMES.items()]


def _on_side(landmark: Landmark, letter: str, side: str) -> Landmark:
    x, y, z = landmark.at
    return msgspec.structs.replace(
        landmark,
        segment=landmark.segment.replace("?", side),
        at=(x, y if letter == "L" else -y, z),
        aliases=tuple(name.replace("?", letter).replace("^", side) for name in landmark.aliases),
        instead_of=tuple(name.replace("?", letter) for name in landmark.instead_of),
    )
