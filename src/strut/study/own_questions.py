"""Own questions: what a study asks people before and after the motions, in its own words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from strut.errors import BadReplyError
from strut.study.asking import Text
from strut.toml_file import FieldPath, TomlFile

Moment = Literal["before", "after"]
MOMENTS: tuple[Moment, ...] = ("before", "after")
LONGEST_TEXT = 1000
COLUMN = "own_"  # before the name of each in the table of answers


class OwnQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """One question: a text, a choice, a number or a place on a scale of points; words by language.

    Of a number `low` and `high` are the least and the most, of a scale `ends` what its ends mean. What is stored of a
    choice is the option as the study's first language has it.
    """

    name: Annotated[str, Meta(pattern="^[a-z][a-z0-9_]{0,39}$", description="use small letters, digits and _.")]
    when: Moment
    kind: Literal["text", "choice", "number", "scale"]
    text: dict[str, Text]
    options: dict[str, Annotated[tuple[Text, ...], Meta(min_length=2)]] = {}
    low: float | None = None
    high: float | None = None
    points: Annotated[int, Meta(ge=3, le=11)] = 5
    ends: dict[str, tuple[Text, Text]] = {}
    required: bool = False

    @property
    def column(self) -> str:
        """Its column in the table of answers."""
        return f"{COLUMN}{self.name}"

    @property
    def told(self) -> str:
        """Its name as people read it where an answer is refused."""
        return self.name.replace("_", " ")


def check_questions(file: TomlFile, questions: Sequence[OwnQuestion], languages: Sequence[str]) -> None:
    """Refuse questions that lack words in a language of the study, or fields of their kind."""
    for index, own in enumerate(questions):
        place = ("question", index)
        if own.name in [other.name for other in questions[:index]]:
            raise file.wrong((*place, "name"), f"is '{own.name}' like that of another question.")
        check_languages(file, (*place, "text"), own.text, languages)
        for field, kind in (("options", "choice"), ("ends", "scale")):
            _check_words(file, (*place, field), own, kind, languages)
        _check_numbers(file, place, own)


def check_languages(file: TomlFile, path: FieldPath, words: Mapping[str, Any], languages: Sequence[str]) -> None:
    """Refuse words that are not there in every language of the study."""
    missing = [code for code in languages if code not in words]
    if missing:
        raise file.wrong(path, f"lacks the language '{missing[0]}': write {path[-1]}.{missing[0]}.")


def _check_words(file: TomlFile, path: FieldPath, own: OwnQuestion, kind: str, languages: Sequence[str]) -> None:
    """Refuse words of one kind of question that are missing, or that stand at a question of another kind."""
    words = getattr(own, str(path[-1]))
    if own.kind == kind:
        check_languages(file, path, words, languages)
    elif words:
        raise file.wrong(path, f'does not go with kind = "{own.kind}".')
    if len(set(map(len, words.values()))) > 1:
        raise file.wrong(path, "has more entries in one language than in another.")


def _check_numbers(file: TomlFile, place: FieldPath, own: OwnQuestion) -> None:
    if own.low is not None and own.high is not None and own.low >= own.high:
        raise file.wrong((*place, "high"), f"is {own.high:g}, which is not above low ({own.low:g}).")


def checked_own(questions: Sequence[OwnQuestion], moment: str, form: Mapping[str, str]) -> dict[str, Any]:
    """Return what was answered to the questions of a moment, None where one was left open; nonsense is refused."""
    return {own.name: _checked(own, form.get(own.column, "").strip()) for own in questions if own.when == moment}


def _checked(own: OwnQuestion, given: str) -> Any:
    if given:
        return _READERS[own.kind](own, given)
    if own.required:
        raise BadReplyError(f"{own.told} has no answer.")
    return None


def _text(_own: OwnQuestion, given: str) -> str:
    return given[:LONGEST_TEXT]


def _choice(own: OwnQuestion, given: str) -> str:
    options = next(iter(own.options.values()))
    return options[_place(own, given, len(options)) - 1]


def _point(own: OwnQuestion, given: str) -> int:
    return _place(own, given, own.points)


def _place(own: OwnQuestion, given: str, count: int) -> int:
    if given not in map(str, range(1, count + 1)):
        raise BadReplyError(f"{own.told} must be one of {count}.")
    return int(given)


def _number(own: OwnQuestion, given: str) -> float:
    try:
        value = float(given.replace(",", "."))
    except ValueError as error:
        raise BadReplyError(f"{own.told} must be a number.") from error
    low, high = (-math.inf if own.low is None else own.low), (math.inf if own.high is None else own.high)
    if not (math.isfinite(value) and low <= value <= high):
        raise BadReplyError(f"{own.told} must lie between {low:g} and {high:g}.")
    return value


_READERS: dict[str, Callable[[OwnQuestion, str], Any]] = {
    "text": _text,
    "choice": _choice,
    "number": _number,
    "scale": _point,
}
