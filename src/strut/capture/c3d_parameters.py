"""C3D parameters: header and parameter section of a C3D file as plain values, in any of its three byte orders.

Format: C3D User Guide, Motion Lab Systems. Every count and offset is checked against the bytes that are there, so that
a damaged or hostile file ends in a sentence. (ezc3d, the C++ library, is the oracle of the tests and not used here:
flipped bytes make it end the whole process, it reads what was cut off as if it were there, and knows no MIPS files.)
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

BLOCK = 512
C3D_KEY = 0x50
INTEL, DEC, MIPS = 84, 85, 86
_TYPES = {-1: ("char", 1), 1: ("byte", 1), 2: ("int", 2), 4: ("float", 4)}

Raw = npt.NDArray[Any]
Value = tuple[str, ...] | Raw


class C3dDamageError(ValueError):
    """What is wrong with the bytes, in words that fit after the file's name."""


@dataclass(frozen=True, slots=True)
class C3dHeader:
    """The first block of a C3D file."""

    processor: int
    parameter_start: int  # byte
    data_start: int  # byte
    points: int
    analog_per_frame: int
    samples_per_frame: int
    first_frame: int
    last_frame: int
    scale: float
    rate_hz: float


Parameters = Mapping[str, Mapping[str, Value]]  # group, parameter; names in capitals


def numbers(content: bytes, kind: str, processor: int, count: int, offset: int) -> Raw:
    """Return numbers as a processor writes them: kind `int` (16 bits), `uint` or `float`. Shape (count,)."""
    order = ">" if processor == MIPS else "<"
    if kind != "float":
        return np.frombuffer(content, f"{order}{'u' if kind == 'uint' else 'i'}2", count, offset)
    if processor != DEC:
        return np.frombuffer(content, f"{order}f4", count, offset)
    words = np.frombuffer(content, "<u2", 2 * count, offset).reshape(-1, 2)
    joined = (words[:, 0].astype("<u4") << 16) | words[:, 1]  # a VAX float has its high word first, and twice its bias
    return np.where(joined == 0, np.float32(0.0), joined.view("<f4") / np.float32(4.0))


def read_header(content: bytes) -> C3dHeader:
    """Return the first block; raises C3dDamageError."""
    if len(content) < BLOCK or content[1] != C3D_KEY:
        raise C3dDamageError("is not a C3D file: it does not begin with a C3D header.")
    start = (content[0] - 1) * BLOCK
    if content[0] < 1 or start + 4 > len(content):
        raise C3dDamageError("is a damaged C3D file: its parameter section would begin behind its end.")
    processor = content[start + 3]
    if processor not in (INTEL, DEC, MIPS):
        raise C3dDamageError(f"is a damaged C3D file: there is no processor type {processor}.")
    words = numbers(content, "uint", processor, 10, 0)
    floats = [float(numbers(content, "float", processor, 1, at)[0]) for at in (12, 20)]
    if not all(math.isfinite(value) for value in floats):
        raise C3dDamageError("is a damaged C3D file: scale or frame rate of its header is not a number.")
    return C3dHeader(
        processor=processor,
        parameter_start=start,
        data_start=(int(words[8]) - 1) * BLOCK,
        points=int(words[1]),
        analog_per_frame=int(words[2]),
        samples_per_frame=int(words[9]),
        first_frame=int(words[3]),
        last_frame=int(words[4]),
        scale=floats[0],
        rate_hz=floats[1],
    )


def read_parameters(content: bytes, header: C3dHeader) -> tuple[Parameters, tuple[str, ...]]:
    """Return all parameters by group and a sentence if the section breaks off; raises C3dDamageError."""
    names: dict[int, str] = {}
    entries: list[tuple[int, str, Value]] = []
    notes: tuple[str, ...] = ()
    for group, name, value in _entries(content, header):
        if not (name.isascii() and name.isprintable()):
            notes = ("Its parameter section is damaged; what stands behind the damage was not read.",)
            break
        if value is None:
            names[group] = name
        else:
            entries.append((group, name, value))
    found: dict[str, dict[str, Value]] = {name: {} for name in names.values()}
    for group, name, value in entries:
        found.setdefault(names.get(group, f"GROUP {group}"), {})[name] = value
    if "POINT" not in found or (header.points and "LABELS" not in found["POINT"]):
        raise C3dDamageError("is a damaged C3D file: its parameter section breaks off before the names of the points.")
    return found, notes


def _entries(content: bytes, header: C3dHeader) -> Iterator[tuple[int, str, Value | None]]:
    """Yield number of the group, name and value of each entry; the value of a group itself is None."""
    blocks = content[header.parameter_start + 2]
    stop = header.parameter_start + blocks * BLOCK if blocks else max(header.data_start, header.parameter_start + BLOCK)
    section = content[header.parameter_start : stop]
    at = 4
    while at + 4 <= len(section):
        length, group = abs(_signed(section[at])), _signed(section[at + 1])
        if length == 0 or group == 0:
            return
        name = text(section[at + 2 : at + 2 + length]).upper()
        pointer = at + 2 + length
        if pointer + 2 > len(section):
            raise C3dDamageError("is a damaged C3D file: its parameter section is cut off.")
        step = int(numbers(section, "uint", header.processor, 1, pointer)[0])
        yield abs(group), name, None if group < 0 else _value(section, pointer + 2, name, header.processor)
        if step == 0 or pointer + step >= len(section):  # the last entry; some programs leave the end mark away
            return
        if step < 2:
            raise C3dDamageError(f"is a damaged C3D file: its parameter section breaks off at {_entry(name)}.")
        at = pointer + step


def _entry(name: str) -> str:
    return f"the parameter {name}" if name.isascii() and name.isprintable() else "an entry of its parameter section"


def _value(section: bytes, at: int, name: str, processor: int) -> Value:
    if at + 2 > len(section) or _signed(section[at]) not in _TYPES:
        raise C3dDamageError(f"is a damaged C3D file: {_entry(name)} has no known type.")
    kind, width = _TYPES[_signed(section[at])]
    rank = section[at + 1]
    shape = tuple(section[at + 2 : at + 2 + rank])
    count = math.prod(shape)
    start = at + 2 + rank
    if rank > 7 or start + count * width > len(section):
        raise C3dDamageError(f"is a damaged C3D file: {_entry(name)} is longer than its section.")
    if kind == "char":
        return _texts(section[start : start + count], shape)
    if kind == "byte":
        return np.frombuffer(section, "u1", count, start).reshape(shape, order="F")
    return numbers(section, kind, processor, count, start).reshape(shape, order="F")


def _texts(raw: bytes, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Return one text per row; the first dimension is their length."""
    length = shape[0] if shape else 1
    if length == 0:
        return ()
    return tuple(text(raw[at : at + length]) for at in range(0, len(raw), length))


def text(raw: bytes) -> str:
    """Return a text without the spaces and zeros that fill it up."""
    try:
        return raw.decode("utf-8").strip(" \0\t\r\n")
    except UnicodeDecodeError:
        return raw.decode("latin-1").strip(" \0\t\r\n")


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def numbers_of(parameters: Parameters, group: str, name: str) -> Raw:
    """Return a parameter of numbers; empty if it is not there."""
    value = parameters.get(group, {}).get(name)
    return np.empty(0) if value is None or isinstance(value, tuple) else value


def number_of(parameters: Parameters, group: str, name: str, default: float) -> float:
    """Return the first number of a parameter, or a default."""
    values = numbers_of(parameters, group, name)
    return float(values.flat[0]) if values.size else default


def texts_of(parameters: Parameters, group: str, name: str) -> tuple[str, ...]:
    """Return a parameter of texts, with those that go on as NAME2, NAME3, ...; empty if it is not there."""
    found: tuple[str, ...] = ()
    for key in (name, *(f"{name}{number}" for number in range(2, 100))):
        value = parameters.get(group, {}).get(key)
        if not isinstance(value, tuple):
            break
        found += value
    return found
