"""Words: everything participants read, in one language, as data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any

from strut.errors import UnknownNameError
from strut.study.answers import DO_NOT_KNOW


@dataclass(frozen=True, slots=True)
class SurveyWords:
    """The words of one language, those of a study in the place of ours."""

    code: str
    table: Mapping[str, Any]
    own: Mapping[str, Any] = field(default_factory=dict)

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
        return str(self.own.get("emotion", {}).get(name, self.table["emotion"].get(name, name)))


@cache
def language_codes() -> tuple[str, ...]:
    """Return the languages that come with strut."""
    found = files("strut.study").joinpath("languages").iterdir()
    return tuple(sorted(entry.name.removesuffix(".toml") for entry in found if entry.name.endswith(".toml")))


@cache
def language_table(code: str) -> Mapping[str, Any]:
    """Return the words of a language as they stand in its file."""
    if code not in language_codes():
        raise UnknownNameError("language", code, language_codes(), "the folder strut/study/languages")
    return tomllib.loads(files("strut.study").joinpath("languages", f"{code}.toml").read_text("utf-8"))
