"""Requests to the controllers as JSON in the `meta` of a motion, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any

import msgspec
import numpy as np

from strut.errors import BadMotionError, OutOfRangeError
from strut.pilot.controllers.reference import PilotRequest, PlayRequest, StandRequest, WalkRequest

KINDS: dict[str, type[Any]] = {"stand": StandRequest, "walk": WalkRequest, "play": PlayRequest}
COLUMNS = ("time_s", "place_m", "turn_rad")
DIGITS = 9  # nanometres and nanoradians, in half the space of full precision


def encode_requests(requests: Iterable[PilotRequest]) -> list[dict[str, Any]]:
    """Return requests as JSON objects."""
    return [_encode_request(request) for request in requests]


def decode_requests(table: object) -> tuple[PilotRequest, ...]:
    """Return the requests of JSON objects; raises BadMotionError for anything else."""
    if not isinstance(table, list) or not table:
        raise BadMotionError("The motion does not hold the requests to its controllers.")
    return tuple(_decode_request(number, request) for number, request in enumerate(table, 1))


def _encode_request(request: PilotRequest) -> dict[str, Any]:
    kind = next(name for name, request_type in KINDS.items() if isinstance(request, request_type))
    if not isinstance(request, PlayRequest):
        return {"type": kind, **asdict(request)}
    columns = {name: np.round(getattr(request, name), DIGITS).tolist() for name in COLUMNS}
    return {"type": kind, **columns, "name": request.name}


def _decode_request(number: int, table: object) -> PilotRequest:
    try:
        if not isinstance(table, Mapping) or table.get("type") not in KINDS:
            raise ValueError(f"its type is not one of {', '.join(KINDS)}.")
        kind = KINDS[table["type"]]
        values = {name: value for name, value in table.items() if name != "type"}
        if kind is PlayRequest:
            values |= {name: np.array(values[name], dtype=float) for name in COLUMNS}
        request: PilotRequest = PlayRequest(**values) if kind is PlayRequest else msgspec.convert(values, kind)
    except (TypeError, ValueError, KeyError, msgspec.ValidationError, OutOfRangeError) as error:
        raise BadMotionError(f"Request {number} of the motion cannot be read: {error}") from error
    return request
