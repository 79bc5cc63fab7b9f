"""Recruitment: where the people of a study come from, and who is responsible for it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from strut.errors import StudyError

Told = Annotated[str, Meta(pattern=r"\S", max_length=500)]
RecruitingPlatform = Literal["none", "prolific", "mturk", "sona", "own"]
_PARAMETERS: dict[str, tuple[str, ...]] = {
    "prolific": ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
    "mturk": ("workerId", "assignmentId", "hitId"),
    "sona": ("survey_code",),
}
_IDENTITY = re.compile(r"^[A-Za-z0-9_.:-]{1,100}$")


class Ethics(Struct, frozen=True, forbid_unknown_fields=True):
    """What an ethics board asks for; people read it before they agree. `information` is a link to the full sheet."""

    investigator: Told
    institution: Told
    contact: Told
    approval: Told
    retention: Told
    information: Annotated[str, Meta(pattern=r"^(https?://|mailto:)\S+$", max_length=500)]
    minimum_age: Annotated[int, Meta(ge=0, le=120)] = 18


class Recruiting(Struct, frozen=True, forbid_unknown_fields=True):
    """Where people come from and how they go back.

    `platform` names the ids in the link that is given to it, `parameters` are those of one of your own, the person's
    first. At the end people get `completion_code`, or a link to `completion_url`. `quota` is how many may take part,
    0 for all; `once` refuses a person who took part already.
    """

    platform: RecruitingPlatform = "none"
    parameters: tuple[Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,40}$")], ...] = ()
    completion_code: Annotated[str, Meta(max_length=100)] = ""
    completion_url: Annotated[str, Meta(pattern=r"^(https?://\S+)?$", max_length=500)] = ""
    quota: Annotated[int, Meta(ge=0)] = 0
    once: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters of the link that hold ids, the person's first."""
        return _PARAMETERS.get(self.platform, self.parameters)

    def identities(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the ids in a link or form; what has not the form of one is left out."""
        return {name: given[name] for name in self.names if _IDENTITY.match(given.get(name, ""))}


def check_public(ethics: Ethics | None, source: str) -> None:
    """Raise StudyError if a study that is open to everybody does not say who is responsible for it."""
    if ethics is None:
        raise StudyError(
            f"{source} lacks [ethics], which --public needs: investigator, institution, contact, approval, retention, "
            "information and minimum_age; docs/study.md shows one."
        )
