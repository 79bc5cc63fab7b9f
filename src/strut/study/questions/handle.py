"""Handle: what the slider and the rating over time share: three words, and a handle that moves between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Self

from msgspec import Meta

from strut.errors import BadReplyError
from strut.study.design.response_models import ScaleRatings
from strut.study.design.text_fields import NonBlankText, check_texts
from strut.study.questions.question import AskContext
from strut.study.questions.rating import RatingQuestion
from strut.study.statistics.cells import CellReader, read_rating


class HandleQuestion(RatingQuestion, frozen=True, forbid_unknown_fields=True):
    """A position between three words (low, middle, high).

    Args:
        ends: Three words: at the low end, in the middle, at the high end.
    """

    answer_cells: ClassVar[Mapping[str, CellReader]] = {"rating": read_rating}
    response_model: ClassVar[type | None] = ScaleRatings

    ends: Annotated[tuple[NonBlankText, ...], Meta(min_length=3)] = ("anger", "neutral", "joy")

    def checked(self, context: AskContext) -> Self:
        """Return the question; raise DesignError unless `ends` are three different words."""
        if len(self.ends) != 3:
            reason = f"needs three words (low, middle, high), it has {len(self.ends)}."
            raise context.file.field_error(("ask", "ends"), reason)
        check_texts(context.file, ("ask", "ends"), self.ends)
        return self


def check_touched(form: Mapping[str, str]) -> None:
    """Raise BadReplyError if the handle was not moved: it stands in the middle at first, which is no answer."""
    if form.get("touched") != "1":
        raise BadReplyError("the handle was not moved.")
