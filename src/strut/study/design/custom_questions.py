"""Custom questions: a study's own questions before and after the motions."""

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
LONGEST_TEXT = 1000  # letters
COLUMN = "own_"  # begins the name of each column in the table of answers


class CustomQuestion(Struct, frozen=True, forbid_unknown_fields=True):
    """One question for a text, a choice, a number or a point on a scale; its texts are given by language.

    `low` and `high` are the limits of a number, `ends` the labels of the ends of a scale. A choice is stored as the
    option in the study's first language.

    Args:
        name: Column of the answers, after `own_`.
        when: Before or after all motions.
        kind: What is answered.
        text: The question, by language.
        options: Options of a choice, by language.
        low: Smallest number.
        high: Largest number.
        points: Number of points of a scale.
        ends: Labels of both ends of a scale, by language.
        required: Whether it must be answered.
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
    def spoken_name(self) -> str:
        """Its name in messages about a refused answer."""
        return self.name.replace("_", " ")


def check_questions(file: TomlFile, questions: Sequence[CustomQuestion], languages: Sequence[str]) -> None:
    """Refuse questions that lack a language of the study or fields of their kind."""
    for index, question in enumerate(questions):
        place = ("question", index)
        if question.name in [other.name for other in questions[:index]]:
            raise file.field_error((*place, "name"), f"is '{question.name}' like that of another question.")
        check_languages(file, (*place, "text"), question.text, languages)
        for field, kind in (("options", "choice"), ("ends", "scale")):
            _check_texts_of_kind(file, (*place, field), question, kind, languages)
        low = question.low
        high = question.high
        if low is not None and high is not None and low >= high:
            raise file.field_error((*place, "high"), f"is {high:g}, which is not above low ({low:g}).")


def _check_texts_of_kind(
    file: TomlFile, path: FieldPath, question: CustomQuestion, kind: str, languages: Sequence[str]
) -> None:
    """Refuse texts that a kind of question needs and lacks, or that belong to another kind."""
    texts = getattr(question, str(path[-1]))
    if question.kind == kind:
        check_languages(file, path, texts, languages)
    elif texts:
        raise file.field_error(path, f'does not go with kind = "{question.kind}".')
    if len(set(map(len, texts.values()))) > 1:
        raise file.field_error(path, "has more entries in one language than in another.")


def check_custom_replies(questions: Sequence[CustomQuestion], moment: str, form: Mapping[str, str]) -> dict[str, Any]:
    """Return the answers to the questions of a moment, None for one left open; raise BadReplyError for a wrong one."""
    due = [question for question in questions if question.when == moment]
    return {question.name: _check_reply(question, form.get(question.column, "").strip()) for question in due}


def _check_reply(question: CustomQuestion, given: str) -> Any:
    if given:
        return _READERS[question.kind](question, given)
    if question.required:
        raise BadReplyError(f"{question.spoken_name} has no answer.")
    return None


def _read_text(_question: CustomQuestion, given: str) -> str:
    return given[:LONGEST_TEXT]


def _read_choice(question: CustomQuestion, given: str) -> str:
    options = next(iter(question.options.values()))
    return options[_read_index(question, given, len(options)) - 1]


def _read_point(question: CustomQuestion, given: str) -> int:
    return _read_index(question, given, question.points)


def _read_index(question: CustomQuestion, given: str, count: int) -> int:
    if given not in map(str, range(1, count + 1)):
        raise BadReplyError(f"{question.spoken_name} must be one of {count}.")
    return int(given)


def _read_number(question: CustomQuestion, given: str) -> float:
    try:
        value = float(given.replace(",", "."))
    except ValueError as error:
        raise BadReplyError(f"{question.spoken_name} must be a number.") from error
    low = -math.inf if question.low is None else question.low
    high = math.inf if question.high is None else question.high
    if not (math.isfinite(value) and low <= value <= high):
        raise BadReplyError(f"{question.spoken_name} must lie between {low:g} and {high:g}.")
    return value


_READERS: dict[str, Callable[[CustomQuestion, str], Any]] = {
    "text": _read_text,
    "choice": _read_choice,
    "number": _read_number,
    "scale": _read_point,
}
