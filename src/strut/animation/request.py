"""Request of a keyframe animation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, get_args

from strut.request import RobotTask, TaskKind
from strut.request_checks import check_word
from strut.schemas.keyframes import Animation

AnimationMethod = Literal["body", "pieces", "mass"]  # all joints at once, window by window, or the centre of mass alone


class Animate(RobotTask, frozen=True, tag="animate", kw_only=True):
    """Perform a drawn story, standing, as near to the drawing as the body can."""

    styled: ClassVar[bool] = False

    animation: Animation
    method: AnimationMethod = "mass"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_word("method", self.method, get_args(AnimationMethod))

    def advice(self, broken: Sequence[str]) -> str:  # noqa: ARG002
        """Return what to do if no form of the story keeps the limits."""
        return "Not even half of the movement at a quarter of the speed keeps its limits; draw it smaller."


KIND = TaskKind(
    request=Animate,
    generator="strut.animation.animation_drafts:AnimationDrafts.of_request",
)
