"""TOML file: a text as a typed structure; errors name the line, the field and what belongs there.

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
FieldPath = tuple[str | int, ...]  # keys, and indices in lists of tables: ("stimulus", 1, "name")
_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"^\s*((?:\"[^\"]+\"|[A-Za-z0-9_.-]+)+)\s*=")
_PART = re.compile(r"\"([^\"]+)\"|([^.\"\s]+)")
_STEP = re.compile(r"\.([^.\[]+)|\[(\d+|\.\.\.)\]")
_FIELD = re.compile(r"Object (missing required|contains unknown) field `([^`]*)`")


class WrongFieldError(ValueError):
    """A field of a structure is wrong; raised by its `__post_init__` or by code that builds something from it."""

    def __init__(self, path: FieldPath, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason


def line_of(text: str, path: FieldPath) -> int | None:
    """Return the line (from 1) of a field, or of the closest table around it; None if the text has neither."""
    lines: dict[FieldPath, int] = {}
    for field, number in _fields_with_lines(text):
        lines.setdefault(field, number)
    return next((lines[path[:end]] for end in range(len(path), 0, -1) if path[:end] in lines), None)


def _fields_with_lines(text: str) -> Iterator[tuple[FieldPath, int]]:
    """Yield every table and key in a TOML text, with its line."""
    here: FieldPath = ()
    tables: dict[FieldPath, int] = {}  # number of each [[table]] so far
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


@lru_cache(maxsize=64)  # files of a few robots: each is read for its kind, its numbers and its fields
def _parse(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


@dataclass(frozen=True, slots=True)
class TomlFile:
    """A TOML text.

    Args:
        text: All of it.
        source: Its name in errors.
        error: Class of errors, made of source, field, reason and line.
    """

    text: str
    source: str
    error: Callable[[str, str, str, int | None], StrutError]

    def field_error(self, path: FieldPath, reason: str) -> StrutError:
        """Return an error that names line and field."""
        field = ".".join(part for part in path if isinstance(part, str))
        return self.error(self.source, field, reason, line_of(self.text, path))

    def parse(self) -> dict[str, Any]:
        """Return the whole text as plain tables."""
        try:
            return deepcopy(_parse(self.text))  # the caller may change its copy
        except RecursionError as error:
            raise self.error(self.source, "", "has lists or tables that are nested too deeply.", None) from error
        except tomllib.TOMLDecodeError as error:
            reason = str(error).split(" (at ", maxsplit=1)[0]
            if position := re.search(r"\(at line (\d+), column (\d+)\)", str(error)):
                where = f"column {position[2]}"
                line = int(position[1])
            else:
                where = "its end"
                line = len(self.text.rstrip().splitlines())
            raise self.error(self.source, "", f"is not TOML at {where}: {reason}.", line) from error

    def decode(self, kind: type[T]) -> T:
        """Return the whole text as a `msgspec.Struct`; raises about the first field that does not fit."""
        values = self.parse()
        try:
            return msgspec.convert(values, kind)
        except msgspec.ValidationError as error:
            cause = error.__cause__
            if isinstance(cause, WrongFieldError):
                raise self.field_error((*_path(values, kind, str(error)), *cause.path), cause.reason) from error
            raise self.field_error(*_explain(values, kind, str(error))) from error


def _explain(values: Any, kind: type, message: str) -> tuple[FieldPath, str]:
    """Return the path of the field that msgspec refused, and what belongs there."""
    path = _path(values, kind, message)
    expected = inspect.type_info(kind)
    value = values
    for part in path:
        expected = _type_inside(expected, part)
        value = value[part]
    if match := _FIELD.match(message):
        if "missing" in match[1]:
            return (*path, match[2]), "is missing."
        table = _without_none(expected)
        known = [field.encode_name for field in table.fields] if isinstance(table, inspect.StructType) else []
        return (*path, match[2]), unknown_field_reason(match[2], known)
    if path and isinstance(path[-1], int) and not isinstance(value, Mapping):  # an entry of a list: the list is named
        return path[:-1], f"holds {value!r}{_choices(expected, value)}"
    return path, _expectation(expected, value, message)


def _path(values: Any, kind: type, message: str) -> FieldPath:
    """Return the path that a message of msgspec names; where it writes `[...]` for a key, the key is looked up."""
    position = re.search(r" - at `\$(.*)`$", message)
    path: FieldPath = ()
    for name, index in _STEP.findall(position[1] if position else ""):
        path = (*path, name or (int(index) if index.isdigit() else _refused_key(values, kind, path, message)))
    return path


def _refused_key(values: Any, kind: type, path: FieldPath, message: str) -> str:
    """Return the key of the mapping at `path` whose value alone is refused with the same message."""

    def with_key_alone(table: Any, rest: FieldPath, key: str) -> Any:
        if not rest:
            return {key: table[key]}
        if isinstance(table, list):
            return [
                with_key_alone(entry, rest[1:], key) if index == rest[0] else entry for index, entry in enumerate(table)
            ]
        return {**table, rest[0]: with_key_alone(table[rest[0]], rest[1:], key)}

    mapping = values
    for part in path:
        mapping = mapping[part]
    for key in mapping:
        try:
            msgspec.convert(with_key_alone(values, path, key), kind)
        except msgspec.ValidationError as error:
            if str(error) == message:
                return str(key)
    return str(next(iter(mapping)))


def _type_inside(expected: inspect.Type, part: str | int) -> inspect.Type:
    """Return the type of an entry of a structure, a mapping or a list."""
    bare = _without_none(expected)
    if isinstance(bare, inspect.StructType):
        return next(field.type for field in bare.fields if field.encode_name == part)
    if isinstance(bare, inspect.DictType):
        return bare.value_type
    if isinstance(bare, inspect.ListType | inspect.VarTupleType):
        return bare.item_type
    if isinstance(bare, inspect.TupleType) and isinstance(part, int):
        return bare.item_types[part]
    return inspect.AnyType()


def _without_none(expected: inspect.Type) -> inspect.Type:
    """Return a type without its description and without None."""
    if isinstance(expected, inspect.Metadata):
        return _without_none(expected.type)
    if isinstance(expected, inspect.UnionType):
        kinds = [kind for kind in expected.types if not isinstance(kind, inspect.NoneType)]
        return _without_none(kinds[0]) if len(kinds) == 1 else expected
    return expected


def _expectation(expected: inspect.Type, value: Any, message: str) -> str:
    """Return the end of a sentence that says what belongs in a field."""
    bare = _without_none(expected)
    if isinstance(bare, inspect.LiteralType) and isinstance(value, str):
        return f"is '{value}'{_choices(bare, value)}"
    if isinstance(bare, inspect.StrType) and isinstance(value, str):
        return _text_expectation(bare, expected, value)
    if isinstance(bare, inspect.ListType | inspect.VarTupleType | inspect.TupleType):
        return _list_expectation(bare, value)
    kinds = {
        inspect.StrType: "a text in quotes",
        inspect.LiteralType: "a text in quotes",
        inspect.BoolType: "true or false",
        inspect.IntType: "a whole number",
        inspect.FloatType: "a number",
        inspect.StructType: "a table",
        inspect.DictType: "a table",
    }
    if type(bare) not in kinds:
        return f"does not fit: {message.split(' - at ', maxsplit=1)[0]}."
    return f"must be {kinds[type(bare)]}{_range(bare)}, not {value!r}."


def _range(bare: inspect.Type) -> str:
    if not isinstance(bare, inspect.IntType | inspect.FloatType):
        return ""
    if bare.ge is not None and bare.le is not None:
        return f" from {bare.ge:g} to {bare.le:g}"
    bounds = (("above", bare.gt), ("of at least", bare.ge), ("below", bare.lt), ("of at most", bare.le))
    parts = [f"{relation} {bound:g}" for relation, bound in bounds if bound is not None]
    return f" {' and '.join(parts)}" if parts else ""


def _text_expectation(bare: inspect.StrType, expected: inspect.Type, value: str) -> str:
    if bare.max_length is not None and len(value) > bare.max_length:
        return f"is longer than {bare.max_length} characters."
    described = expected.extra_json_schema if isinstance(expected, inspect.Metadata) else None
    if described and "description" in described:
        return f"is '{value}'; {described['description']}"
    return f"must be a text in quotes, not {value!r}."


def _list_expectation(bare: inspect.ListType | inspect.VarTupleType | inspect.TupleType, value: Any) -> str:
    if isinstance(bare, inspect.TupleType):
        return f"must be a list of {len(bare.item_types)}, not {value!r}."
    if isinstance(value, list) and len(value) < (bare.min_length or 0):
        return f"needs at least {bare.min_length}, it has {len(value)}."
    if isinstance(_without_none(bare.item_type), inspect.StructType):
        return "must be a list of tables, each under a header of its own in double brackets."
    return f"must be a list, not {value!r}."


def _choices(expected: inspect.Type, value: Any) -> str:
    bare = _without_none(expected)
    if not isinstance(bare, inspect.LiteralType):
        return f"; {_expectation(expected, value, '').replace('must be', 'each must be')}"
    return f", which is none of {', '.join(map(str, bare.values))}{suggestion(value, bare.values)}"


def suggestion(value: Any, known: Sequence[Any]) -> str:
    """Return the end of a sentence about a wrong name: the known one that is most like it, if any is."""
    near = get_close_matches(str(value), [str(name) for name in known], n=1)
    return f"; did you mean '{near[0]}'?" if near else "."


def unknown_field_reason(key: str, known: Sequence[str]) -> str:
    """Return why a name is refused that is none of the known ones."""
    hint = suggestion(key, known)
    return "there is no such field here" + (hint if hint != "." else f"; known are {', '.join(known)}.")
