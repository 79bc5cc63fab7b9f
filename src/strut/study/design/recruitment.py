"""Recruitment: the platform that participants come from, and the statement for an ethics board."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Literal

from msgspec import Meta, Struct

from strut.errors import StudyError

ShortText = Annotated[str, Meta(pattern=r"\S", max_length=500)]
RecruitingPlatform = Literal["none", "prolific", "mturk", "sona", "own"]
_PARAMETERS: dict[str, tuple[str, ...]] = {
    "prolific": ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
    "mturk": ("workerId", "assignmentId", "hitId"),
    "sona": ("survey_code",),
}
_IDENTITY = re.compile(r"^[A-Za-z0-9_.:-]{1,100}$")


class Ethics(Struct, frozen=True, forbid_unknown_fields=True):
    """What an ethics board requires; participants read it before consent. `information` links to the full sheet.

    Args:
        investigator: The responsible person.
        institution: Where that person works.
        contact: How participants reach that person.
        approval: Number of the approval of the ethics board.
        retention: Until when answers are kept.
        information: Address of the full information sheet.
        minimum_age: Asked and enforced; younger visitors leave no trace.
    """

    investigator: ShortText
    institution: ShortText
    contact: ShortText
    approval: ShortText
    retention: ShortText
    information: Annotated[str, Meta(pattern=r"^(https?://|mailto:)\S+$", max_length=500)]
    minimum_age: Annotated[int, Meta(ge=0, le=120)] = 18


class Recruiting(Struct, frozen=True, forbid_unknown_fields=True):
    """The platform that participants come from, and their way back to it.

    `platform` decides the names of the ids in the link; `parameters` are those of another platform, the participant's
    id first. At the end participants get `completion_code` or a link to `completion_url`. `quota` is the largest number
    of participants, 0 for no limit; `once` refuses an id that took part already.

    Args:
        platform: Where participants come from.
        parameters: Names of the ids in the link of another platform, that of the participant first.
        completion_code: Shown at the end.
        completion_url: Linked at the end.
        quota: Largest number of participants; 0 for no limit.
        once: Whether an id that took part is refused.
    """

    platform: RecruitingPlatform = "none"
    parameters: tuple[Annotated[str, Meta(pattern=r"^[A-Za-z0-9_-]{1,40}$")], ...] = ()
    completion_code: Annotated[str, Meta(max_length=100)] = ""
    completion_url: Annotated[str, Meta(pattern=r"^(https?://\S+)?$", max_length=500)] = ""
    quota: Annotated[int, Meta(ge=0)] = 0
    once: bool = True

    @property
    def names(self) -> tuple[str, ...]:
        """The parameters of the link with ids, the participant's id first."""
        return _PARAMETERS.get(self.platform, self.parameters)

    def identities(self, given: Mapping[str, str]) -> dict[str, str]:
        """Return the ids in a link or form; malformed ones are left out."""
        return {name: given[name] for name in self.names if _IDENTITY.match(given.get(name, ""))}


def check_public(ethics: Ethics | None, source: str) -> None:
    """Raise StudyError if a public study has no [ethics]."""
    if ethics is None:
        raise StudyError(
            f"{source} lacks [ethics], which --public needs: investigator, institution, contact, approval, retention, "
            "information and minimum_age; docs/how_to/recruit_online.md shows one."
        )
