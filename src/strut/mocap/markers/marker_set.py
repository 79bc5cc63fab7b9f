"""Marker set: which marker of a recording is which landmark of the body; built in, or from a mapping file.

In a mapping file, `alias` translates names of a laboratory to landmarks of a built-in set, `marker` adds landmarks::

    based_on = "plug_in_gait"
    [alias]
    "pelvis front left" = "LASI"
    [marker.LCLUSTER1]
    segment = "ThighLeft"
    at = [0.0, 0.05, -0.12]          # share of body height, in the segment's frame
    spread_m = [0.05, 0.05, 0.10]    # standard deviation of that place
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import msgspec

from strut.errors import MappingFileError, MarkerSetError, UnknownNameError
from strut.plumbing.regular_file import check_regular
from strut.recording import Recording
from strut.schemas.fields import Positive, Table, Text, Vector
from strut.schemas.toml_file import TomlFile

FOLDER = Path(__file__).parent / "marker_sets"
SIDE_NAMES = {"L": "Left", "R": "Right"}


class Landmark(Table, frozen=True):
    """Where a marker sits on a body.

    Args:
        segment: Segment that carries the marker.
        at: Mean place in the frame of the segment, as a share of body height.
        spread_m: Standard deviation of the place along each axis.
        aliases: Other names for the marker.
        instead_of: The marker is used only if all of these landmarks are missing.
        weight: In the fit; 1 is usual.
    """

    segment: Text
    at: Vector
    spread_m: tuple[Positive, Positive, Positive]
    aliases: tuple[str, ...] = ()
    instead_of: tuple[str, ...] = ()
    weight: Positive = 1.0


class MarkerSetTable(Table, frozen=True):
    """A marker set or a mapping file.

    Args:
        title: For people.
        based_on: Name of the set that this one changes.
        needs: Groups of landmarks; a fit needs one of each group.
        alias: Landmark of a name in the file.
        marker: Landmarks of your own.
    """

    title: str = ""
    based_on: str | None = None
    needs: tuple[tuple[str, ...], ...] = ()
    alias: Mapping[str, str] = {}
    marker: Mapping[str, Landmark] = {}


@dataclass(frozen=True, slots=True)
class MarkerSet:
    """Landmarks of both sides.

    Args:
        title: For people.
        landmarks: By name.
        needs: Groups of landmarks; a fit needs one of each group.
        names: Landmark of each known marker name, normalised by `_normalise`.
    """

    title: str
    landmarks: Mapping[str, Landmark]
    needs: tuple[tuple[str, ...], ...]
    names: Mapping[str, str]

    def match(self, recording: Recording) -> dict[str, str]:
        """Return the markers of a recording by landmark; the name of a landmark comes before its aliases."""
        landmark_of = {label: self.names.get(_normalise(label), "") for label in recording.marker_names}
        by_alias = {landmark: label for label, landmark in landmark_of.items() if landmark}
        by_own_name = {name: name for name in set(by_alias) & set(recording.marker_names)}
        matched = {**by_alias, **by_own_name}
        return {
            name: label for name, label in matched.items() if not set(self.landmarks[name].instead_of) & set(matched)
        }

    def missing(self, matched: Mapping[str, str]) -> list[str]:
        """Return what a fit still needs: one name, or several of which one is enough."""
        return [" or ".join(group) for group in self.needs if not set(group) & set(matched)]


def marker_set_names() -> tuple[str, ...]:
    """Return the names of the built-in marker sets."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@lru_cache(maxsize=8)
def built_in_marker_set(name: str) -> MarkerSet:
    """Return a built-in marker set; raises UnknownNameError."""
    if name not in marker_set_names():
        raise UnknownNameError("marker set", name, marker_set_names(), "docs/how_to/map_markers.md")
    return read_marker_set(FOLDER / f"{name}.toml")


def read_marker_set(path: Path) -> MarkerSet:
    """Return the marker set of a mapping file; raises MappingFileError with line and field.

    Example:
        >>> markers = strut.mocap.read_marker_set(Path("ours.toml"))
        >>> strut.fit(recording, height_m=1.7, mass_kg=65.0, marker_set=markers)
    """
    file = TomlFile(read_text(path), str(path), MappingFileError)
    table = file.decode(MarkerSetTable)
    base = _base_set(file, table.based_on)
    own = dict(entry for key, landmark in table.marker.items() for entry in _both_sides(key, landmark))
    landmarks = {**base.landmarks, **own}
    for alias, landmark in table.alias.items():
        if landmark not in landmarks:
            known = ", ".join(landmarks)
            raise file.field_error(("alias", alias), f"is '{landmark}', which is no landmark; known are {known}.")
    aliases = {_normalise(alias): landmark for alias, landmark in table.alias.items()}
    names = {**base.names, **_normalised_names(own), **aliases}
    return MarkerSet(table.title or base.title, landmarks, table.needs or base.needs, names)


def _base_set(file: TomlFile, name: str | None) -> MarkerSet:
    """Return the marker set that a mapping file is based on; an empty one if it names none."""
    if name is None:
        return MarkerSet("own markers", {}, (), {})
    if name not in marker_set_names():
        raise file.field_error(("based_on",), f"is '{name}', which is none of {', '.join(marker_set_names())}.")
    return built_in_marker_set(name)


def _normalise(label: str) -> str:
    """Return a name in lower case without separators: `L.ASIS`, `l_asis` and `L ASIS` are the same name."""
    return re.sub(r"[\s_.\-]", "", label).lower()


def _normalised_names(landmarks: Mapping[str, Landmark]) -> dict[str, str]:
    """Return the landmark of every normalised name; the name of a landmark overrides an alias of another one."""
    aliases = {_normalise(alias): name for name, landmark in landmarks.items() for alias in landmark.aliases}
    return {**aliases, **{_normalise(name): name for name in landmarks}}


def read_text(path: Path) -> str:
    """Return the text of a TOML file; raises MappingFileError if it cannot be read."""
    try:
        check_regular(path)
        return path.read_text("utf-8")
    except FileNotFoundError as error:
        raise MappingFileError(str(path), "", "there is no such file.") from error
    except OSError as error:
        raise MappingFileError(str(path), "", f"cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise MappingFileError(str(path), "", f"is not UTF-8 text: {error.reason}.") from error


def match_markers(
    recording: Recording, marker_set: MarkerSet | None = None, unseen: Sequence[str] = ()
) -> tuple[MarkerSet, dict[str, str]]:
    """Return the marker set that fits a recording, and its markers by landmark; raises MarkerSetError.

    Args:
        recording: Its marker names are matched.
        marker_set: Set to use; if None, the built-in set that lacks nothing and knows most of the markers.
        unseen: Markers of the file that are hardly ever seen; named in the error.
    """
    candidates = [marker_set] if marker_set else [built_in_marker_set(name) for name in reversed(marker_set_names())]

    def rank(candidate: MarkerSet) -> tuple[bool, int]:
        matched = candidate.match(recording)
        return not candidate.missing(matched), len(matched)

    best = max(candidates, key=rank)
    matched = best.match(recording)
    if missing := best.missing(matched):
        known = f"found are {', '.join(sorted(matched))}" if matched else "none of its markers has a known name"
        hardly_seen = f" Hardly ever seen, so not used: {', '.join(unseen)}." if unseen else ""
        raise MarkerSetError(
            f"{recording.name}: a fit by the markers of {best.title} still needs {', '.join(missing)}; {known}. "
            f"If they have other names in the file, map them (docs/how_to/map_markers.md).{hardly_seen}"
        )
    return best, matched


def _both_sides(key: str, landmark: Landmark) -> Sequence[tuple[str, Landmark]]:
    """Return an entry, or its left and right copies: `?` is L or R (in segments Left or Right), `^` the word."""
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
