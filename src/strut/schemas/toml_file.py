"""TOML file: a text as a typed structure; what is wrong is said with its line, its field and what belongs there.

Example::

    class Gait(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
        cycles: Annotated[int, msgspec.Meta(ge=1, le=50)] = 3

    TomlFile(path.read_text("utf-8"), str(path), BadTableError).decode(Gait)
    # gait.toml, line 4, cycles: must be a whole number from 1 to 50, not 'three'.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from typing import Any, TypeVar

import msgspec
from msgspec import inspect

from strut.errors import StrutError

T = TypeVar("T")
FieldPath = tuple[str | int, ...]  # of a field: keys, and indices of lists of tables, such as ("stimulus", 1, "name")
_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*((?:\"[^\"]+\"|[A-Za-z0-9_.-]+)+)\s*=")
_PART = re.compile(r"\"([^\"]+)\"|([^.\"\s]+)")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
_FIELD = re.compile(r"Object (missing required|contains unknown) field `([^`]*)`")


class WrongFieldError(ValueError):
    """Raised about a field of a structure, by its `__post_init__` or by who builds something from it."""

    def __init__(self, path: FieldPath, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason


def line_of(text: str, path: FieldPath) -> int | None:
    """Return the line (from 1) of a field, or of the closest table around it; None if neither is written."""
    lines: dict[FieldPath, int] = {}
    for place, number in _places(text):
        lines.setdefault(place, number)
    return next((lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines), None)


def _places(text: str) -> Iterator[tuple[FieldPath, int]]:
    """Yield every table and key that is written in a TOML text, with its line."""
    here: FieldPath = ()
    tables: dict[FieldPath, int] = {}  # how many of each [[table]] there are so far
    for number, line in enumerate(text.splitlines(), start=1):
        if header := _HEADER.match(line):
            here = ()
            for name in _names(header[2]):
                last = tables.get(here)
                here = (*here, name) if last is None else (*here, last - 1, name)
            yield here, number
            if header[1] == "[[":
                tables[here] = tables.get(here, 0) + 1
            if here in tables:
                here = (*here, tables[here] - 1)
                yield here, number
        elif key := _KEY.match(line):
            yield (*here, *_names(key[1])), number


def _names(dotted: str) -> list[str]:
    return [quoted or bare for quoted, bare in _PART.findall(dotted)]


@lru_cache(maxsize=64)  # the tables of a few robots: each is looked at for its kind, its numbers and its fields
def _parsed(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A TOML text.

    Args:
        text: All of it.
        source: What errors call it.
        error: Makes the error of source, field, reason and line.
    """

    text: str
    source: str
    error: Callable[[str, str, str, int | None], StrutError]

    def wrong(self, path: FieldPath, reason: str) -> StrutError:
        """Return the error that names line and field."""
        field = ".".join(part for part in path if isinstance(part, str))
        return self.error(self.source, field, reason, line_of(self.text, path))

    def parse(self) -> dict[str, Any]:
        """Return the whole text as plain tables."""
        try:
            return deepcopy(_parsed(self.text))  # whoever asks may change theirs
        except tomllib.TOMLDecodeError as error:
            place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
            reason = str(error).split(" (at ", maxsplit=1)[0]
            where, line = (f" at column {place[2]}", int(place[1])) if place else (" at its end", _last_line(self.text))
            raise self.error(self.source, "", f"is not TOML{where}: {reason}.", line) from error

    def decode(self, kind: type[T]) -> T:
        """Return the whole text as a `msgspec.Struct`; the first field that does not fit is refused."""
        values = self.parse()
        try:
            return msgspec.convert(values, kind)
        except msgspec.ValidationError as error:
            own = error.__cause__
            if isinstance(own, WrongFieldError):
                raise self.wrong((*_path(values, kind, str(error)), *own.path), own.reason) from error
            raise self.wrong(*_refusal(values, kind, str(error))) from error


def _last_line(text: str) -> int:
    """Return the number of the last line that says something; errors at the end of a text belong to it."""
    return len(text.rstrip().splitlines())


def _refusal(values: Any, kind: type, message: str) -> tuple[FieldPath, str]:
    """Return the path of the field that msgspec refused and what belongs there."""
    path = _path(values, kind, message)
    wanted = inspect.type_info(kind)
    value = values
    for part in path:
        wanted = _inside(wanted, part)
        value = value[part]
    if found := _FIELD.match(message):
        return (*path, found[2]), _unknown(wanted, found[2]) if "unknown" in found[1] else "is missing."
    if path and isinstance(path[-1], int) and not isinstance(value, Mapping):  # an entry of a list: the list is named
        return path[:-1], f"holds {value!r}{_not_among(wanted, value)}"
    return path, _wanted(wanted, value, message)


def _path(values: Any, kind: type, message: str) -> FieldPath:
    """Return the path that a message of msgspec names; where it writes `[...]` for a key, the key is looked up."""
    place = re.search(r" - at `\$(.*)`$", message)
    path: FieldPath = ()
    for name, index in _STEP.findall(place[1] if place else ""):
        path = (*path, name or (int(index) if index.isdigit() else _culprit(values, kind, path, message)))
    return path


def _culprit(values: Any, kind: type, path: FieldPath, message: str) -> str:
    """Return the key of the mapping at `path` whose value alone brings the same message."""

    def alone(table: Any, rest: FieldPath, key: str) -> Any:
        if not rest:
            return {key: table[key]}
        if isinstance(table, list):
            return [alone(one, rest[1:], key) if place == rest[0] else one for place, one in enumerate(table)]
        return {**table, rest[0]: alone(table[rest[0]], rest[1:], key)}

    mapping = values
    for part in path:
        mapping = mapping[part]
    for key in mapping:
        try:
            msgspec.convert(alone(values, path, key), kind)
        except msgspec.ValidationError as error:
            if str(error) == message:
                return str(key)
    return str(next(iter(mapping)))


def _inside(wanted: inspect.Type, part: str | int) -> inspect.Type:
    """Return the type of an entry of a structure, a mapping or a list."""
    bare = _bare(wanted)
    if isinstance(bare, inspect.StructType):
        return next(field.type for field in bare.fields if field.encode_name == part)
    if isinstance(bare, inspect.DictType):
        return bare.value_type
    if isinstance(bare, inspect.ListType | inspect.VarTupleType):
        return bare.item_type
    if isinstance(bare, inspect.TupleType) and isinstance(part, int):
        return bare.item_types[part]
    return inspect.AnyType()


def _bare(wanted: inspect.Type) -> inspect.Type:
    """Return a type without its description and without None."""
    if isinstance(wanted, inspect.Metadata):
        return _bare(wanted.type)
    if isinstance(wanted, inspect.UnionType):
        kinds = [kind for kind in wanted.types if not isinstance(kind, inspect.NoneType)]
        return _bare(kinds[0]) if len(kinds) == 1 else wanted
    return wanted


def _wanted(wanted: inspect.Type, value: Any, message: str) -> str:
    """Say what belongs in a field."""
    bare = _bare(wanted)
    if isinstance(bare, inspect.LiteralType) and isinstance(value, str):
        return f"is '{value}'{_not_among(bare, value)}"
    if isinstance(bare, inspect.StrType) and isinstance(value, str):
        return _text_wanted(bare, wanted, value)
    if isinstance(bare, inspect.ListType | inspect.VarTupleType | inspect.TupleType):
        return _list_wanted(bare, value)
    kinds = {
        inspect.StrType: "a text in quotes",
        inspect.LiteralType: "a text in quotes",
        inspect.BoolType: "true or false",
        inspect.IntType: "a whole number",
        inspect.FloatType: "a number",
        inspect.StructType: "a table",
        inspect.DictType: "a table",
    }
    if (words := kinds.get(type(bare))) is None:
        return f"does not fit: {message.split(' - at ', maxsplit=1)[0]}."
    return f"must be {words}{_range(bare)}, not {value!r}."


def _range(bare: inspect.Type) -> str:
    if not isinstance(bare, inspect.IntType | inspect.FloatType):
        return ""
    low = bare.ge
    high = bare.le
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    bounds = ((bare.gt, "above"), (low, "of at least"), (bare.lt, "below"), (high, "of at most"))
    said = [f"{words} {bound:g}" for bound, words in bounds if bound is not None]
    return f" {' and '.join(said)}" if said else ""


def _text_wanted(bare: inspect.StrType, wanted: inspect.Type, value: str) -> str:
    if bare.max_length is not None and len(value) > bare.max_length:
        return f"is longer than {bare.max_length} characters."
    described = wanted.extra_json_schema if isinstance(wanted, inspect.Metadata) else None
    if described and "description" in described:
        return f"is '{value}'; {described['description']}"
    return f"must be a text in quotes, not {value!r}."


def _list_wanted(bare: inspect.ListType | inspect.VarTupleType | inspect.TupleType, value: Any) -> str:
    if isinstance(bare, inspect.TupleType):
        return f"must be a list of {len(bare.item_types)}, not {value!r}."
    if isinstance(value, list) and len(value) < (bare.min_length or 0):
        return f"needs at least {bare.min_length}, it has {len(value)}."
    if isinstance(_bare(bare.item_type), inspect.StructType):
        return "must be a list of tables, each under a header of its own in double brackets."
    return f"must be a list, not {value!r}."


def _not_among(wanted: inspect.Type, value: Any) -> str:
    bare = _bare(wanted)
    if not isinstance(bare, inspect.LiteralType):
        return f"; {_wanted(wanted, value, '').replace('must be', 'each must be')}"
    return f", which is none of {', '.join(map(str, bare.values))}{nearest(value, bare.values)}"


def nearest(value: Any, known: Sequence[Any]) -> str:
    """Return the end of a sentence about a wrong name: the one that was meant, perhaps."""
    near = get_close_matches(str(value), [str(one) for one in known], n=1)
    return f"; did you mean '{near[0]}'?" if near else "."


def _unknown(wanted: inspect.Type, key: str) -> str:
    bare = _bare(wanted)
    return no_such_field(
        key, [field.encode_name for field in bare.fields] if isinstance(bare, inspect.StructType) else []
    )


def no_such_field(key: str, known: Sequence[str]) -> str:
    """Say that a name is none of the known ones."""
    hint = nearest(key, known)
    return "there is no such field here" + (hint if hint != "." else f"; known are {', '.join(known)}.")
