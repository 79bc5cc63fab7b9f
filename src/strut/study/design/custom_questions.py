"""Custom questions: what a study asks people before and after the motions, in its own words."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from strut.errors import BadReplyError
from strut.schemas.toml_file import FieldPath, TomlFile
from strut.study.design.text_fields import NonBlankText, check_languages

Moment = Literal["before", "after"]
MOMENTS: tuple[Moment, ...] = ("before", "after")
LONGEST_TEXT = 1000
COLUMN = "own_"  # before the name of each in the table of answers


class CustomQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """One question: a text, a choice, a number or a place on a scale of points; words by language.

    Of a number `low` and `high` are the least and the most, of a scale `ends` what its ends mean. What is stored of a
    choice is the option as the study's first language has it.
    """

    name: Annotated[str, Meta(pattern="^[a-z][a-z0-9_]{0,39}$", description="use small letters, digits and _.")]
    when: Moment
    kind: Literal["text", "choice", "number", "scale"]
    text: dict[str, NonBlankText]
    options: dict[str, Annotated[tuple[NonBlankText, ...], Meta(min_length=2)]] = {}
    low: float | None = None
    high: float | None = None
    points: Annotated[int, Meta(ge=3, le=11)] = 5
    ends: dict[str, tuple[NonBlankText, NonBlankText]] = {}
    required: bool = False

    @property
    def column(self) -> str:
        """Its column in the table of answers."""
        return f"{COLUMN}{self.name}"

    @property
    def told(self) -> str:
        """Its name as people read it where an answer is refused."""
        return self.name.replace("_", " ")


def check_questions(file: TomlFile, questions: Sequence[CustomQuestion], languages: Sequence[str]) -> None:
    """Refuse questions that lack words in a language of the study, or fields of their kind."""
    for index, question in enumerate(questions):
        place = ("question", index)
        if question.name in [other.name for other in questions[:index]]:
            raise file.field_error((*place, "name"), f"is '{question.name}' like that of another question.")
        check_languages(file, (*place, "text"), question.text, languages)
        for field, kind in (("options", "choice"), ("ends", "scale")):
            _check_words(file, (*place, field), question, kind, languages)
        _check_numbers(file, place, question)


def _check_words(
    file: TomlFile, path: FieldPath, question: CustomQuestion, kind: str, languages: Sequence[str]
) -> None:
    """Refuse words of one kind of question that are missing, or that stand at a question of another kind."""
    words = getattr(question, str(path[-1]))
    if question.kind == kind:
        check_languages(file, path, words, languages)
    elif words:
        raise file.field_error(path, f'does not go with kind = "{question.kind}".')
    if len(set(map(len, words.values()))) > 1:
        raise file.field_error(path, "has more entries in one language than in another.")


def _check_numbers(file: TomlFile, place: FieldPath, question: CustomQuestion) -> None:
    if question.low is not None and question.high is not None and question.low >= question.high:
        raise file.field_error((*place, "high"), f"is {question.high:g}, which is not above low ({question.low:g}).")


def check_custom_replies(questions: Sequence[CustomQuestion], moment: str, form: Mapping[str, str]) -> dict[str, Any]:
    """Return what was answered to the questions of a moment, None where one was left open; nonsense is refused."""
    asked = [question for question in questions if question.when == moment]
    return {question.name: _checked(question, form.get(question.column, "").strip()) for question in asked}


def _checked(question: CustomQuestion, given: str) -> Any:
    if given:
        return _READERS[question.kind](question, given)
    if question.required:
        raise BadReplyError(f"{question.told} has no answer.")
    return None


def _text(_question: CustomQuestion, given: str) -> str:
    return given[:LONGEST_TEXT]


def _choice(question: CustomQuestion, given: str) -> str:
    options = next(iter(question.options.values()))
    return options[_place(question, given, len(options)) - 1]


def _point(question: CustomQuestion, given: str) -> int:
    return _place(question, given, question.points)


def _place(question: CustomQuestion, given: str, count: int) -> int:
    if given not in map(str, range(1, count + 1)):
        raise BadReplyError(f"{question.told} must be one of {count}.")
    return int(given)


def _number(question: CustomQuestion, given: str) -> float:
    try:
        value = float(given.replace(",", "."))
    except ValueError as error:
        raise BadReplyError(f"{question.told} must be a number.") from error
    low = -math.inf if question.low is None else question.low
    high = math.inf if question.high is None else question.high
    if not (math.isfinite(value) and low <= value <= high):
        raise BadReplyError(f"{question.told} must lie between {low:g} and {high:g}.")
    return value


_READERS: dict[str, Callable[[CustomQuestion, str], Any]] = {
    "text": _text,
    "choice": _choice,
    "number": _number,
    "scale": _point,
}
