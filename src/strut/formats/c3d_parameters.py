"""C3D parameters: header and parameter section of a C3D file as plain values, in any of its three byte orders.

Format: C3D User Guide, Motion Lab Systems. Every count and offset is checked against the bytes that are there, so that
a damaged or hostile file ends in a sentence.

ezc3d, the C++ library, is the oracle of the tests and does not read the files: of 2000 damaged copies of sample files,
37 end the process by a segmentation fault, 120 need more than 2 GB of memory and 3 do not return within 10 s
(benchmarks/peer_ezc3d.py); nor does it read MIPS files.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from strut.formats.reader import require

BLOCK = 512  # bytes
DAMAGED = "is a damaged C3D file"
C3D_KEY = 0x50
INTEL = 84
DEC = 85
MIPS = 86
MAX_DIMENSIONS = 7  # of a parameter, by the guide
_TYPES = {-1: ("char", 1), 1: ("byte", 1), 2: ("int", 2), 4: ("float", 4)}  # by the byte in the file: width in bytes
_NAME = re.compile(r"[A-Z0-9_]{1,127}")  # what the guide lets programs call a parameter

Raw = npt.NDArray[Any]
Value = tuple[str, ...] | Raw
Parameters = Mapping[str, Mapping[str, Value]]  # by group and parameter; names in capitals


@dataclass(frozen=True, slots=True)
class C3dHeader:
    """The first block of a C3D file; starts of sections in bytes."""

    processor: int
    parameter_start: int
    data_start: int
    points: int
    analog_per_frame: int
    samples_per_frame: int
    first_frame: int
    last_frame: int
    scale: float
    rate_hz: float


@dataclass(frozen=True, slots=True, eq=False)
class C3dEntry:
    """A group (value None) or a parameter, with the number of its group."""

    group: int
    name: str
    value: Value | None


def parse_numbers(content: bytes, kind: str, processor: int, count: int, offset: int) -> Raw:
    """Return numbers as a processor writes them: kind `int` (16 bits), `uint` or `float`. Shape (count,)."""
    order = ">" if processor == MIPS else "<"
    if kind != "float":
        return np.frombuffer(content, f"{order}{'u' if kind == 'uint' else 'i'}2", count, offset)
    if processor != DEC:
        return np.frombuffer(content, f"{order}f4", count, offset)
    words = np.frombuffer(content, "<u2", 2 * count, offset).reshape(-1, 2)
    joined = (words[:, 0].astype("<u4") << 16) | words[:, 1]  # a VAX float has its high word first, and twice its bias
    return np.where(joined == 0, np.float32(0.0), joined.view("<f4") / np.float32(4.0))


def parse_text(raw: bytes) -> str:
    """Return a text without the spaces and zeros that pad it."""
    try:
        return raw.decode("utf-8").strip(" \0\t\r\n")
    except UnicodeDecodeError:
        return raw.decode("latin-1").strip(" \0\t\r\n")


def parse_header(content: bytes) -> C3dHeader:
    """Return the first block; raises FormatError."""
    is_c3d = len(content) >= BLOCK and content[1] == C3D_KEY
    require(is_c3d, "is not a C3D file: it does not begin with a C3D header.")
    start = (content[0] - 1) * BLOCK
    has_parameters = 0 < start < len(content) - 4
    require(has_parameters, f"{DAMAGED}: its parameter section would begin behind its end.")
    processor = content[start + 3]
    require(processor in (INTEL, DEC, MIPS), f"{DAMAGED}: there is no processor type {processor}.")
    words = parse_numbers(content, "uint", processor, 10, 0)
    scale, rate_hz = (float(parse_numbers(content, "float", processor, 1, at)[0]) for at in (12, 20))
    require(math.isfinite(scale + rate_hz), f"{DAMAGED}: scale or rate of its header is not a number.")
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


def parse_parameters(content: bytes, header: C3dHeader) -> tuple[Parameters, tuple[str, ...]]:
    """Return all parameters by group, and a note if the section is damaged; raises FormatError."""
    entries = list[C3dEntry]()
    notes: tuple[str, ...] = ()
    for entry in _entries(content, header):
        if not (entry.name.isascii() and entry.name.isprintable()):
            notes = ("Its parameter section is damaged; what stands behind the damage was not read.",)
            break
        entries.append(entry)
    group_names = {entry.group: entry.name for entry in entries if entry.value is None}
    parameters: dict[str, dict[str, Value]] = {name: {} for name in group_names.values()}
    for entry in entries:
        if entry.value is not None:
            group = group_names.get(entry.group, f"GROUP {entry.group}")
            parameters.setdefault(group, {})[entry.name] = entry.value
    require(bool(entries) or header.points == 0, f"{DAMAGED}: its parameter section is empty.")
    has_labels = header.points == 0 or "LABELS" in parameters.get("POINT", {})
    require(has_labels, f"{DAMAGED}: its parameter section breaks off before the names of the points.")
    return parameters, notes


def _entries(content: bytes, header: C3dHeader) -> Iterator[C3dEntry]:
    """Yield groups and parameters in the order of the file."""
    start = header.parameter_start
    declared_end = start + max(content[start + 2], 1) * BLOCK
    section = content[start : max(declared_end, header.data_start)]  # some files declare too few blocks
    at = 4
    while at + 4 <= len(section) and section[at] and section[at + 1]:
        name_length = abs(_signed(section[at]))  # negative if the entry is locked
        group = _signed(section[at + 1])  # negative if the entry is a group
        name = parse_text(section[at + 2 : at + 2 + name_length]).upper()
        pointer = at + 2 + name_length
        require(pointer + 2 <= len(section), f"{DAMAGED}: its parameter section is cut off.")
        step = int(parse_numbers(section, "uint", header.processor, 1, pointer)[0])
        value = None if group < 0 else _parse_value(section, pointer + 2, name, header.processor)
        yield C3dEntry(abs(group), name, value)
        require(step != 1, f"{DAMAGED}: its parameter section breaks off at {_entry_title(name)}.")
        at = pointer + step if step else len(section)  # some programs leave the end mark away


def _entry_title(name: str) -> str:
    """Return what errors call an entry: a name that no program writes is other bytes, which mean nothing to people."""
    return f"the parameter {name}" if _NAME.fullmatch(name) else "an entry of its parameter section"


def _parse_value(section: bytes, at: int, name: str, processor: int) -> Value:
    has_type = at + 2 <= len(section) and _signed(section[at]) in _TYPES
    require(has_type, f"{DAMAGED}: {_entry_title(name)} has no known type.")
    kind, width = _TYPES[_signed(section[at])]
    dimensions = section[at + 1]
    shape = tuple(section[at + 2 : at + 2 + dimensions])
    start = at + 2 + dimensions
    count = math.prod(shape)
    fits = dimensions <= MAX_DIMENSIONS and start + count * width <= len(section)
    require(fits, f"{DAMAGED}: {_entry_title(name)} is longer than its section.")
    if kind == "char":  # the first dimension is the length of the texts
        raw = section[start : start + count]
        length = shape[0] if shape else 1
        return tuple(parse_text(raw[at : at + length]) for at in range(0, len(raw), length)) if length else ()
    if kind == "byte":
        return np.frombuffer(section, "u1", count, start).reshape(shape, order="F")
    return parse_numbers(section, kind, processor, count, start).reshape(shape, order="F")


def _signed(byte: int) -> int:
    return byte - 256 if byte > 127 else byte


def numbers_of(parameters: Parameters, group: str, name: str) -> Raw:
    """Return a parameter of numbers; empty if there is none."""
    value = parameters.get(group, {}).get(name)
    return np.empty(0) if value is None or isinstance(value, tuple) else value


def number_of(parameters: Parameters, group: str, name: str, default: float) -> float:
    """Return the first number of a parameter, or a default."""
    values = numbers_of(parameters, group, name)
    return float(values.flat[0]) if values.size else default


def texts_of(parameters: Parameters, group: str, name: str) -> tuple[str, ...]:
    """Return a parameter of texts together with its continuations NAME2, NAME3, ...; empty if there is none."""
    texts: tuple[str, ...] = ()
    for key in (name, *(f"{name}{number}" for number in range(2, 100))):
        value = parameters.get(group, {}).get(key)
        if not isinstance(value, tuple):
            break
        texts += value
    return texts
