"""TOML fields: a table whose entries are taken one by one, each checked, each error with its line and field."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any

from strut.errors import DesignError

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"^\s*(\"[^\"]+\"|[A-Za-z0-9_-]+)\s*=")


def line_of(text: str, table: str, index: int, key: str) -> int | None:
    """Return the line of a key in a table, or of the table's header if the key is not there; None if neither is.

    Args:
        text: The whole file.
        table: Its name, such as `session`; empty for the top of the file.
        index: Which of several `[[table]]`.
        key: The key.
    """
    here, seen, header_line = "", -1, None
    for number, line in enumerate(text.splitlines(), start=1):
        header = _HEADER.match(line)
        if header:
            here = header[2].replace('"', "")
            if here == ".".join(part for part in (table, key) if part):
                return number
            if here == table:
                seen += 1
                if seen == index or header[1] == "[":
                    header_line = number
            continue
        found = _KEY.match(line)
        inside = here == table and (seen == index or not table)
        if found and inside and found[1].strip('"') == key:
            return number
    return header_line


class Fields:
    """A table of a TOML file. Take what you know with `text`, `whole` and so on, then refuse the rest with `end`."""

    def __init__(self, values: Any, source: str, text: str, table: str = "", index: int = 0) -> None:
        self.source, self.text_of_file, self.table, self.index = source, text, table, index
        if not isinstance(values, dict):
            raise DesignError(source, table, "must be a table, written [" + table + "].", line_of(text, "", 0, table))
        self.values, self.known = values, list[str]()

    def wrong(self, key: str, reason: str) -> DesignError:
        """Return the error that names line and field."""
        path = ".".join(part for part in (self.table, key) if part)
        return DesignError(self.source, path, reason, line_of(self.text_of_file, self.table, self.index, key))

    def text(self, key: str, default: str | None = None, *, one_of: Sequence[str] = (), longest: int = 20_000) -> str:
        """Take a text."""
        value = self._taken(key, default)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(key, f"must be a text in quotes, not {value!r}.")
        if len(value) > longest:
            raise self.wrong(key, f"is longer than {longest} characters.")
        if one_of and value not in one_of:
            near = get_close_matches(value, one_of, n=1)
            hint = f"; did you mean '{near[0]}'?" if near else "."
            raise self.wrong(key, f"is '{value}', which is none of {', '.join(one_of)}{hint}")
        return value

    def whole(self, key: str, default: int, *, low: int, high: int) -> int:
        """Take a whole number."""
        value = self._taken(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self.wrong(key, f"must be a whole number from {low} to {high}, not {value!r}.")
        return value

    def number(self, key: str, default: float, *, low: float, high: float) -> float:
        """Take a number."""
        value = self._taken(key, default)
        if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
            raise self.wrong(key, f"must be a number from {low:g} to {high:g}, not {value!r}.")
        return float(value)

    def flag(self, key: str, default: bool) -> bool:
        """Take true or false."""
        value = self._taken(key, default)
        if not isinstance(value, bool):
            raise self.wrong(key, f"must be true or false, not {value!r}.")
        return value

    def texts(self, key: str, default: Sequence[str], *, fewest: int, one_of: Sequence[str] = ()) -> tuple[str, ...]:
        """Take a list of different texts."""
        value = self._taken(key, list(default))
        if not isinstance(value, list) or any(not isinstance(one, str) or not one.strip() for one in value):
            raise self.wrong(key, 'must be a list of texts such as ["happy", "sad"].')
        for one in value:
            if one_of and one not in one_of:
                raise self.wrong(key, f"holds '{one}', which is none of {', '.join(one_of)}.")
            if value.count(one) > 1:
                raise self.wrong(key, f"holds '{one}' twice.")
        if len(value) < fewest:
            raise self.wrong(key, f"needs at least {fewest}, it has {len(value)}.")
        return tuple(value)

    def tables(self, key: str) -> list[Fields]:
        """Take a list of tables, written [[key]]."""
        value = self._taken(key, [])
        if not isinstance(value, list) or any(not isinstance(one, dict) for one in value):
            raise self.wrong(key, f"must be a list of tables, each under [[{key}]].")
        return [Fields(one, self.source, self.text_of_file, key, index) for index, one in enumerate(value)]

    def inner(self, key: str) -> Fields:
        """Take a table; an empty one if it is not there."""
        return Fields(self._taken(key, {}), self.source, self.text_of_file, ".".join(filter(None, (self.table, key))))

    def end(self) -> None:
        """Refuse what nobody took."""
        for key in self.values:
            if key not in self.known:
                near = get_close_matches(key, self.known, n=1)
                hint = f"did you mean '{near[0]}'?" if near else f"known are {', '.join(self.known)}."
                raise self.wrong(key, f"there is no such field here; {hint}")

    def _taken(self, key: str, default: Any) -> Any:
        self.known.append(key)
        if key in self.values:
            return self.values[key]
        if default is None:
            raise self.wrong(key, "is missing.")
        return default


def parsed_toml(text: str, source: str) -> Fields:
    """Return the top table of a TOML text."""
    try:
        return Fields(tomllib.loads(text), source, text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"\(at line (\d+), column (\d+)\)", str(error))
        reason = str(error).split(" (at ", maxsplit=1)[0]
        column = f" at column {place[2]}" if place else ""
        raise DesignError(source, "", f"is not TOML{column}: {reason}.", int(place[1]) if place else None) from error
