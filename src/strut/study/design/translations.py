"""Translations: everything participants read, by language, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from strut.errors import DesignError, UnknownNameError
from strut.schemas.toml_file import TomlFile
from strut.study.statistics.answers import DO_NOT_KNOW


@dataclass(frozen=True, slots=True)
class Translation:
    """The words of one language, those of a study in the place of ours."""

    code: str
    table: Mapping[str, Any]
    own: Mapping[str, Any] = field(default_factory=dict)

    @property
    def direction(self) -> str:
        """Which way the language is written: 'ltr' or 'rtl'."""
        return str(self.table.get("direction", "ltr"))

    def say(self, name: str, **values: object) -> str:
        """Return the text called `name`, with values in the place of braces."""
        text = str(self.own.get(name, self.table[name]))
        for key, value in values.items():
            text = text.replace(f"{{{key}}}", str(value))
        return text

    def emotion(self, name: str) -> str:
        """Return the word for an emotion, or for not knowing it; its name where nobody translated it."""
        if name == DO_NOT_KNOW:
            return self.say("do_not_know")
        return str(self.own.get("emotion", {}).get(name, self.table.get("emotion", {}).get(name, name)))


@cache
def language_codes(folder: Path | None = None) -> tuple[str, ...]:
    """Return the languages that come with strut, and those of a study's own folder `languages`."""
    entries = [*files("strut.study").joinpath("languages").iterdir(), *(_own(folder).glob("*.toml") if folder else ())]
    return tuple(sorted({entry.name.removesuffix(".toml") for entry in entries if entry.name.endswith(".toml")}))


@cache
def language_table(code: str, folder: Path | None = None) -> Mapping[str, Any]:
    """Return the words of a language as they stand in its file; a study's own file goes before ours.

    A file that lacks words is refused with all of them.
    """
    if code not in language_codes(folder):
        raise UnknownNameError("language", code, language_codes(folder), "the folder strut/study/languages")
    own = _own(folder) / f"{code}.toml" if folder else None
    if own is None or not own.is_file():
        return tomllib.loads(files("strut.study").joinpath("languages", f"{code}.toml").read_text("utf-8"))
    table = TomlFile(own.read_text("utf-8-sig"), str(own), DesignError).parse()
    missing = missing_words(table)
    if missing:
        reason = f"lacks {len(missing)} of {len(_keys(language_table('en')))} texts: {', '.join(missing)}."
        raise DesignError(str(own), "", reason)
    return table


def missing_words(table: Mapping[str, Any]) -> list[str]:
    """Return the texts that English has and a table lacks, such as `scale.arousal.low`; emotions keep their names."""
    there = set(_keys(table))
    return [key for key in _keys(language_table("en")) if key not in there and not key.startswith("emotion.")]


def _keys(table: Mapping[str, Any], prefix: str = "") -> list[str]:
    found = []
    for key, value in table.items():
        found += _keys(value, f"{prefix}{key}.") if isinstance(value, dict) else [f"{prefix}{key}"]
    return found


def _own(folder: Path) -> Path:
    return folder / "languages"
