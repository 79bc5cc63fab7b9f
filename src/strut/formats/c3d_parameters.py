"""C3D parameters: header and parameter section of a C3D file as plain values, in any of its three byte orders.

Format: C3D User Guide, Motion Lab Systems. Every count and offset is checked against the bytes that are there, so that
a damaged or hostile file ends in a sentence. (ezc3d, the C++ library, is the oracle of the tests and not used here:
flipped bytes make it end the whole process, it reads what was cut off as if it were there, and knows no MIPS files.)
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

BLOCK = 512
DAMAGED = "is a damaged C3D file"
C3D_KEY = 0x50
INTEL = 84
DEC = 85
MIPS = 86
_TYPES = {-1: ("char", 1), 1: ("byte", 1), 2: ("int", 2), 4: ("float", 4)}

Raw = npt.NDArray[Any]
Value = tuple[str, ...] | Raw
_NAME = re.compile(r"[A-Z0-9_]{1,127}")  # what the guide lets programs call a parameter


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


def refuse_c3d_unless(fine: bool, reason: str) -> None:
    """Raise C3dDamageError with a reason unless something is as it should be."""
    if not fine:
        raise C3dDamageError(reason)


def read_header(content: bytes) -> C3dHeader:
    """Return the first block; raises C3dDamageError."""
    is_c3d = len(content) >= BLOCK and content[1] == C3D_KEY
    refuse_c3d_unless(is_c3d, "is not a C3D file: it does not begin with a C3D header.")
    start = (content[0] - 1) * BLOCK
    has_parameters = 0 < start < len(content) - 4
    refuse_c3d_unless(has_parameters, f"{DAMAGED}: its parameter section would begin behind its end.")
    processor = content[start + 3]
    refuse_c3d_unless(processor in (INTEL, DEC, MIPS), f"{DAMAGED}: there is no processor type {processor}.")
    words = numbers(content, "uint", processor, 10, 0)
    scale, rate_hz = (float(numbers(content, "float", processor, 1, at)[0]) for at in (12, 20))
    refuse_c3d_unless(math.isfinite(scale + rate_hz), f"{DAMAGED}: scale or rate of its header is not a number.")
    return C3dHeader(
        processor=processor,
        parameter_start=start,
        data_start=(int(words[8]) - 1) * BLOCK,
        points=int(words[1]),
        analog_per_frame=int(words[2]),
        samples_per_frame=int(words[9]),
        first_frame=int(words[3]),
        last_frame=int(words[4]),
        scale=scale,
        rate_hz=rate_hz,
    )


def read_parameters(content: bytes, header: C3dHeader) -> tuple[Parameters, tuple[str, ...]]:
    """Return all parameters by group and a sentence if the section breaks off; raises C3dDamageError."""
    entries = list[C3dEntry]()
    notes = tuple[str, ...]()
    for entry in _entries(content, header):
        if not entry.readable:
            notes = ("Its parameter section is damaged; what stands behind the damage was not read.",)
            break
        entries.append(entry)
    names = {entry.group: entry.name for entry in entries if entry.value is None}
    found: dict[str, dict[str, Value]] = {name: {} for name in names.values()}
    for entry in entries:
        if entry.value is not None:
            found.setdefault(names.get(entry.group, f"GROUP {entry.group}"), {})[entry.name] = entry.value
    refuse_c3d_unless(bool(entries) or header.points == 0, f"{DAMAGED}: its parameter section is empty.")
    named = header.points == 0 or "LABELS" in found.get("POINT", {})
    refuse_c3d_unless(named, f"{DAMAGED}: its parameter section breaks off before the names of the points.")
    return found, notes


@dataclass(frozen=True, slots=True, eq=False)
class C3dEntry:
    """A group (value None) or a parameter, and the number of its group."""

    group: int
    name: str
    value: Value | None

    @property
    def readable(self) -> bool:
        """Whether its name is one."""
        return self.name.isascii() and self.name.isprintable()


def _section(content: bytes, header: C3dHeader) -> bytes:
    """Return the parameter section: as long as it tells, or up to the data where that is farther."""
    start = header.parameter_start
    told = start + max(content[start + 2], 1) * BLOCK
    return content[start : max(told, header.data_start)]


def _entries(content: bytes, header: C3dHeader) -> Iterator[C3dEntry]:
    """Yield groups and parameters in the order of the file."""
    section = _section(content, header)
    at = 4
    while at + 4 <= len(section) and section[at] and section[at + 1]:
        length = abs(_signed(section[at]))
        group = _signed(section[at + 1])
        name = text(section[at + 2 : at + 2 + length]).upper()
        pointer = at + 2 + length
        refuse_c3d_unless(pointer + 2 <= len(section), f"{DAMAGED}: its parameter section is cut off.")
        step = int(numbers(section, "uint", header.processor, 1, pointer)[0])
        value = None if group < 0 else _value(section, pointer + 2, name, header.processor)
        yield C3dEntry(abs(group), name, value)
        refuse_c3d_unless(step != 1, f"{DAMAGED}: its parameter section breaks off at {_called(name)}.")
        at = pointer + step if step else len(section)  # some programs leave the end mark away


def _called(name: str) -> str:
    """Return what to call an entry: a name that no program writes is bytes of something else."""
    return f"the parameter {name}" if _NAME.fullmatch(name) else "an entry of its parameter section"


def _value(section: bytes, at: int, name: str, processor: int) -> Value:
    typed = at + 2 <= len(section) and _signed(section[at]) in _TYPES
    refuse_c3d_unless(typed, f"{DAMAGED}: {_called(name)} has no known type.")
    kind, width = _TYPES[_signed(section[at])]
    rank = section[at + 1]
    shape = tuple(section[at + 2 : at + 2 + rank])
    start = at + 2 + rank
    count = math.prod(shape)
    fits = rank <= 7 and start + count * width <= len(section)
    refuse_c3d_unless(fits, f"{DAMAGED}: {_called(name)} is longer than its section.")
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
