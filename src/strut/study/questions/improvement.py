"""Improvement: what should change so that a motion expresses its emotion better (Hainsworth, 2017)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, get_args

from msgspec import Meta

from strut.plumbing.number_text import format_count
from strut.study.design.response_models import Respond, Wishes
from strut.study.design.text_fields import check_texts
from strut.study.questions.form_fields import read_number_field
from strut.study.questions.question import AskContext
from strut.study.questions.rating import RatingQuestion
from strut.study.statistics.cells import CellReader, read_number

if TYPE_CHECKING:
    from strut.study.design.design import Design
    from strut.study.design.trial_plan import Trial

ImprovementItem = Literal[
    "speed",
    "step_height",
    "step_length",
    "front_knee_position",
    "rear_knee_position",
    "front_feet_position",
    "rear_feet_position",
    "body_height",
    "body_orientation",
]
IMPROVEMENT_ITEMS: tuple[ImprovementItem, ...] = get_args(ImprovementItem)


def _read_wish(cell: str, _scale: tuple[float, float] = (-1.0, 1.0)) -> float:
    return read_number(cell, (-2.0, 2.0))


class Improvement(RatingQuestion, frozen=True, forbid_unknown_fields=True):
    """Wishes from -2 (much less) to 2 (much more) for several properties of a motion.

    Args:
        items: The properties that are asked.
    """

    name: ClassVar[str] = "improvement"
    seconds_per_answer: ClassVar[float] = 30.0
    answer_cells: ClassVar[Mapping[str, CellReader]] = dict.fromkeys(IMPROVEMENT_ITEMS, _read_wish)
    response_model: ClassVar[type | None] = Wishes
    blocks: ClassVar[int] = 1
    practice: ClassVar[int] = 0

    items: Annotated[tuple[ImprovementItem, ...], Meta(min_length=1)] = IMPROVEMENT_ITEMS

    def checked(self, context: AskContext) -> Self:
        """Return the question; raise DesignError if an item is named twice."""
        check_texts(context.file, ("ask", "items"), self.items)
        return self

    @classmethod
    def toml_fields(cls, intended: Sequence[str]) -> str:
        """Return the lines of `[ask]` in a new design file."""
        del intended
        return "".join(["items = [\n", *(f'    "{item}",\n' for item in IMPROVEMENT_ITEMS), "]\n"])

    @property
    def answer_columns(self) -> tuple[str, ...]:
        """The items."""
        return self.items

    def read_reply(self, form: Mapping[str, str], trial: Trial, *, seconds: float) -> dict[str, Any]:
        """Return the wish for each item, from -2 to 2."""
        del trial, seconds
        return {item: read_number_field(form, item, -2, 2) for item in self.items}

    def procedure(self) -> str:
        """Return the question as the methods section describes it."""
        items = format_count(len(self.items), "[item|items]")
        return f"{items} on what should change, from much less to much more"

    def hypotheses(self, emotions: Sequence[str]) -> tuple[str, ...]:
        """Return the hypotheses of a preregistration."""
        del emotions
        return (
            f"For each of the {len(self.items)} items, the emotion shown changes what people wish to be changed.",
            'For [emotions and items], the mean wish differs from "as it is". [Say which, and in which direction.]',
        )

    def respond(self, design: Design, model: Wishes) -> Respond:
        """Return a function that wishes in place of a person."""
        wish = model.wisher(design)
        return lambda shown, participant, rng: wish(shown[0], participant, rng, self.items)
