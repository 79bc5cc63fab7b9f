"""Request record: what controllers were asked for, as the `meta` of a motion holds it, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import msgspec
import numpy as np

from strut.errors import BadMotionError, OutOfRangeError
from strut.pilot.controllers.reference import PlayRequest, ShowRequest, StandRequest, WalkRequest

KINDS: dict[str, type[Any]] = {"stand": StandRequest, "walk": WalkRequest, "play": PlayRequest}
_COLUMNS = ("time_s", "place_m", "turn_rad")
_DIGITS = 9  # of seconds, metres and radians: far below what anybody could see, in half the space


def written_requests(requests: Iterable[ShowRequest]) -> list[dict[str, Any]]:
    """Return requests as JSON holds them."""
    return [_written(one) for one in requests]


def read_requests(table: object) -> tuple[ShowRequest, ...]:
    """Return the requests that JSON holds; raises BadMotionError for what is none."""
    if not isinstance(table, list) or not table:
        raise BadMotionError("The motion does not hold what its controllers were asked for.")
    return tuple(_read(number, one) for number, one in enumerate(table, 1))


def _written(request: ShowRequest) -> dict[str, Any]:
    kind = next(name for name, one in KINDS.items() if isinstance(request, one))
    if not isinstance(request, PlayRequest):
        return {"type": kind, **asdict(request)}
    columns = {name: np.round(getattr(request, name), _DIGITS).tolist() for name in _COLUMNS}
    return {"type": kind, **columns, "name": request.name}


def _read(number: int, table: object) -> ShowRequest:
    try:
        kind, values = _parted(table)
        request: ShowRequest = PlayRequest(**values) if kind is PlayRequest else msgspec.convert(values, kind)
    except (TypeError, ValueError, KeyError, msgspec.ValidationError, OutOfRangeError) as error:
        raise BadMotionError(f"Request {number} of the motion cannot be read: {error}") from error
    return request


def _parted(table: object) -> tuple[type[Any], dict[str, Any]]:
    """Return which kind of request a table is, and its values."""
    if not isinstance(table, Mapping) or table.get("type") not in KINDS:
        raise ValueError(f"its type is none of {', '.join(KINDS)}.")
    values = {name: value for name, value in table.items() if name != "type"}
    arrays = {name: np.array(values[name], dtype=float) for name in _COLUMNS if table["type"] == "play"}
    return KINDS[table["type"]], values | arrays
