"""Translations: everything participants read, by language, as data."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from strut.errors import DesignError, UnknownNameError
from strut.registry import BUILT_IN
from strut.schemas.toml_file import TomlFile
from strut.study.questions.question import GROUP, question_texts, question_types
from strut.study.statistics.answers import DO_NOT_KNOW


@dataclass(frozen=True, slots=True)
class Translation:
    """The texts of one language; those of the study come before ours."""

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
        """Return the word for an emotion or for "do not know"; the name itself if it is not translated."""
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
    """Return the texts of a language, those of all questions included; a study's own file comes before ours.

    A study's own file that lacks texts of ours raises DesignError with all of their names; questions of packages are
    read in English then.
    """
    if code not in language_codes(folder):
        raise UnknownNameError("language", code, language_codes(folder), "the folder strut/study/languages")
    own = _own(folder) / f"{code}.toml" if folder else None
    if own is None or not own.is_file():
        table = tomllib.loads(files("strut.study").joinpath("languages", f"{code}.toml").read_text("utf-8"))
        return _question_texts(code) | table
    table = TomlFile(own.read_text("utf-8-sig"), str(own), DesignError).parse()
    missing = missing_texts(table)
    if missing:
        reason = f"lacks {len(missing)} of {len(_keys(_our_texts()))} texts: {', '.join(missing)}."
        raise DesignError(str(own), "", reason)
    return _question_texts("en") | table


def texts_as_toml(code: str) -> str:
    """Return all texts of a language as TOML: a file to translate, or to take texts for [text.LANGUAGE] from."""
    table = language_table(code)
    lines = [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items() if _is_text(value)]
    for key, value in table.items():
        lines += [] if _is_text(value) else _toml_lines(key, value)
    return "\n".join([*lines, ""])


def _toml_lines(name: str, table: Mapping[str, Any]) -> list[str]:
    """Return a table of texts as lines of TOML; a text in JSON is one in TOML, too."""
    lines = ["", f"[{name}]"] if any(map(_is_text, table.values())) else []
    lines += [f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in table.items() if _is_text(value)]
    for key, value in table.items():
        lines += [] if _is_text(value) else _toml_lines(f"{name}.{key}", value)
    return lines


def _is_text(value: Any) -> bool:
    return not isinstance(value, Mapping)


def missing_texts(table: Mapping[str, Any]) -> list[str]:
    """Return the texts of ours that a table lacks, such as `scale.arousal.low`; emotions need no translation."""
    known = set(_keys(table))
    return [key for key in _keys(_our_texts()) if key not in known and not key.startswith("emotion.")]


def _our_texts() -> dict[str, Any]:
    """Return all English texts that come with strut, without those of packages."""
    table = tomllib.loads(files("strut.study").joinpath("languages", "en.toml").read_text("utf-8"))
    for name, question in question_types().items():
        if name in BUILT_IN[GROUP]:
            table |= question_texts(question, "en")
    return table


def _question_texts(code: str) -> dict[str, Any]:
    """Return the texts of all types of question."""
    texts: dict[str, Any] = {}
    for question in question_types().values():
        texts |= question_texts(question, code)
    return texts


def _keys(table: Mapping[str, Any], prefix: str = "") -> list[str]:
    """Return the dotted names of all texts of a table."""
    keys = []
    for key, value in table.items():
        keys += _keys(value, f"{prefix}{key}.") if isinstance(value, dict) else [f"{prefix}{key}"]
    return keys


def _own(folder: Path) -> Path:
    return folder / "languages"
