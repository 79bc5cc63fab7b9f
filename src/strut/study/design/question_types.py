"""Question types: what a study asks about each motion, and which fields of [ask] go with each type of question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from msgspec.structs import asdict

from strut.schemas.toml_file import FieldPath, TomlFile
from strut.study.statistics.answers import DO_NOT_KNOW, IMPROVEMENT_ITEMS, PAD_SCALES, ImprovementItem, PadScale

Question = Literal["forced-choice", "slider", "sam", "improvement", "pairwise", "continuous", "free-label"]
NonBlankText = Annotated[str, Meta(pattern=r"\S", max_length=20_000)]
CONFIDENCE_POINTS = 5
MOST_SAMPLES = 2400  # of one continuous rating: what a form may hold
SECONDS_PER_ANSWER: dict[Question, float] = {
    "forced-choice": 5.0,
    "slider": 5.0,
    "sam": 9.0,
    "improvement": 30.0,
    "pairwise": 4.0,
    "continuous": 3.0,
    "free-label": 8.0,
}
_ENDS = ("anger", "neutral", "joy")


@dataclass(frozen=True, slots=True)
class Ask:
    """The question: options of a choice (shuffled for each person or not), ends of a slider, scales or items.

    `quality` is what two motions are compared in, `rate_hz` how often a continuous rating is sampled; with
    `confidence` people say after each answer how sure they are.
    """

    options: tuple[str, ...] = ()
    shuffle: bool = False
    do_not_know: bool = True
    ends: tuple[str, str, str] = _ENDS
    scales: tuple[str, ...] = PAD_SCALES
    points: int = 9
    items: tuple[str, ...] = IMPROVEMENT_ITEMS
    quality: str = ""
    rate_hz: float = 10.0
    confidence: bool = False


@dataclass(frozen=True, slots=True)
class AskContext:
    """What [ask] is checked against: the file, the emotions shown, and how long each motion lasts."""

    file: TomlFile
    intended: tuple[str, ...]
    seconds: float

    def check_ends(self, ends: tuple[str, ...]) -> None:
        """Refuse ends of a slider that are not three different words."""
        if len(ends) != 3:
            raise self.file.wrong(("ask", "ends"), f"needs three words (low, middle, high), it has {len(ends)}.")
        check_texts(self.file, ("ask", "ends"), ends)


class AskTable(Struct, frozen=True, forbid_unknown_fields=True):
    """The fields that every question has."""

    confidence: bool = False

    def values(self, context: AskContext) -> dict[str, Any]:
        """Return the fields of `Ask`, checked."""
        del context
        return asdict(self)


class ForcedChoice(AskTable, frozen=True, forbid_unknown_fields=True):
    """A choice among words."""

    options: Annotated[tuple[NonBlankText, ...], Meta(min_length=2)] | None = None
    shuffle: bool = False
    do_not_know: bool = True

    def values(self, context: AskContext) -> dict[str, Any]:
        """Return the options as written, or what the stimuli are intended to show."""
        options = self.options or context.intended
        file = context.file
        path = ("ask", "options")
        missing = set(context.intended) - set(options)
        if missing:
            raise file.wrong(path, f"lacks '{min(missing)}', which a stimulus is intended to show.")
        if DO_NOT_KNOW in options:
            raise file.wrong(path, f"holds '{DO_NOT_KNOW}'; write do_not_know = true instead.")
        if len(options) < 2:
            raise file.wrong(path, f"needs at least 2, it has {len(options)}.")
        check_texts(file, path, options)
        return asdict(self) | {"options": options}


class Slider(AskTable, frozen=True, forbid_unknown_fields=True):
    """A place between two feelings."""

    ends: Annotated[tuple[NonBlankText, ...], Meta(min_length=3)] = _ENDS
    do_not_know: bool = True

    def values(self, context: AskContext) -> dict[str, Any]:
        """Return the fields with three different ends."""
        context.check_ends(self.ends)
        return asdict(self)


class Manikins(AskTable, frozen=True, forbid_unknown_fields=True):
    """Self-assessment manikins."""

    scales: Annotated[tuple[PadScale, ...], Meta(min_length=1)] = PAD_SCALES
    points: Annotated[int, Meta(ge=5, le=9)] = 9

    def values(self, context: AskContext) -> dict[str, Any]:
        """Return the fields of scales with a middle."""
        check_texts(context.file, ("ask", "scales"), self.scales)
        if self.points % 2 == 0:
            reason = f"is {self.points}; a scale with a middle has 5, 7 or 9 points."
            raise context.file.wrong(("ask", "points"), reason)
        return asdict(self)


class Improvement(AskTable, frozen=True, forbid_unknown_fields=True):
    """What should change."""

    items: Annotated[tuple[ImprovementItem, ...], Meta(min_length=1)] = IMPROVEMENT_ITEMS

    def values(self, context: AskContext) -> dict[str, Any]:
        """Return the fields with different items."""
        check_texts(context.file, ("ask", "items"), self.items)
        return asdict(self)


class Pairwise(AskTable, frozen=True, forbid_unknown_fields=True):
    """Which of two motions has more of a quality."""

    quality: Annotated[str, Meta(pattern=r"\S", max_length=60)] | None = None

    def values(self, context: AskContext) -> dict[str, Any]:
        """Return the quality as written, or the first emotion shown that is not neutral."""
        return asdict(self) | {"quality": self.quality or first_feeling(context.intended)}


class Continuous(AskTable, frozen=True, forbid_unknown_fields=True):
    """A place between two feelings, at every instant of the motion."""

    ends: Annotated[tuple[NonBlankText, ...], Meta(min_length=3)] = _ENDS
    rate_hz: Annotated[float, Meta(ge=1.0, le=30.0)] = 10.0

    def values(self, context: AskContext) -> dict[str, Any]:
        """Return the fields; a form holds so many samples and no more."""
        context.check_ends(self.ends)
        most = MOST_SAMPLES / context.seconds
        if self.rate_hz > most:
            reason = f"is {self.rate_hz:g}; motions of {context.seconds:g} s allow {most:.3g}."
            raise context.file.wrong(("ask", "rate_hz"), reason)
        return asdict(self)


class FreeLabel(AskTable, frozen=True, forbid_unknown_fields=True):
    """Words of people's own."""

    do_not_know: bool = True


ASK_TABLES: dict[str, type[AskTable]] = {
    "forced-choice": ForcedChoice,
    "slider": Slider,
    "sam": Manikins,
    "improvement": Improvement,
    "pairwise": Pairwise,
    "continuous": Continuous,
    "free-label": FreeLabel,
}


def first_feeling(intended: Sequence[str]) -> str:
    """Return the first emotion that is not neutral, or the first."""
    return next((name for name in intended if name != "neutral"), intended[0])


def check_texts(file: TomlFile, path: FieldPath, texts: Sequence[str], one_of: Sequence[str] = ()) -> None:
    """Refuse a list that holds a text twice, or one that is not among those that are known."""
    for text in texts:
        if one_of and text not in one_of:
            raise file.wrong(path, f"holds '{text}', which is none of {', '.join(one_of)}.")
        if list(texts).count(text) > 1:
            raise file.wrong(path, f"holds '{text}' twice.")
