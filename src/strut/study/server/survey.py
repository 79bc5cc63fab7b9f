"""Survey: what the routes of a served study share, and which page somebody sees next."""

from __future__ import annotations

import hashlib
import hmac
import logging

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from strut.errors import (
    BadReplyError,
    ClosedStudyError,
    OutOfTurnError,
    StudyError,
    TooLargeError,
    UnknownParticipantError,
)
from strut.study.design.custom_questions import MOMENTS
from strut.study.design.translations import Translation
from strut.study.design.trial_plan import Trial, view_of
from strut.study.server import survey_pages as pages
from strut.study.server.database import Participant
from strut.study.server.middleware import Limits, RateLimit
from strut.study.study_folder import OpenedStudy

COOKIE = "strut_researcher"
_STATUS = {
    UnknownParticipantError: 404,
    TooLargeError: 413,
    BadReplyError: 422,
    OutOfTurnError: 409,
    ClosedStudyError: 403,
    StudyError: 503,
}
_LOG = logging.getLogger("strut.study")


class Survey:
    """The study, its stimuli under names that tell nothing, and who is let in."""

    def __init__(self, opened: OpenedStudy, limits: Limits) -> None:
        self.design = opened.design
        self.database = opened.database
        self.token = opened.token
        self.starts, self.logins = (
            RateLimit(burst=most, per_minute=most) for most in (limits.starts_per_minute, limits.logins_per_minute)
        )
        digests = {stimulus.digest(self.design.display): stimulus for stimulus in opened.stimuli}
        self.stimuli = digests
        self.stimulus_url = {(one.name, one.view): f"/stimulus/{digest}.json" for digest, one in digests.items()}
        self.session = hmac.new(self.token.encode(), b"researcher session", hashlib.sha256).hexdigest()

    def payload(self, digest: str) -> bytes:
        """Return what the page draws a stimulus from, as JSON; writing it takes a millisecond, so none is kept."""
        return msgspec.json.encode(self.stimuli[digest].payload(self.design.display))

    def words(self, request: Request) -> Translation:
        """Return the words of the language asked for, or of the first one of the browser that the study has."""
        browser = request.headers.get("accept-language", "").split(",")
        wanted = [request.query_params.get("lang", ""), *(part.split(";")[0].strip()[:2] for part in browser)]
        return self.design.words(next((code for code in wanted if code in self.design.languages), ""))

    def next_page(self, request: Request, participant: Participant, token: str) -> Response:
        """Return what somebody sees next: questions, feedback, an instruction, a break, a trial or the thanks."""
        page = self._questions(participant, token) or self._told(request, participant, token)
        return HTMLResponse(page or self._trial_or_thanks(request, participant, token))

    def _trial_or_thanks(self, request: Request, participant: Participant, token: str) -> str:
        if participant.current is None:
            return pages.finished_page(self.design, participant, token)
        said = self.design.words(participant.language).say("already") if "already" in request.query_params else ""
        return self.trial(request, participant, participant.current, token, said)

    def _questions(self, participant: Participant, token: str) -> str | None:
        """Return the study's own questions that are due: before all trials, or after them."""
        asked = (
            {own.when for own in self.design.questions}
            - set(participant.moments)
            - ({"after"} if participant.current else set())
        )
        for moment in sorted(asked, key=MOMENTS.index):
            return pages.questions_page(self.design, participant, moment, action=f"/p/{token}")
        return None

    def _told(self, request: Request, participant: Participant, token: str) -> str | None:
        """Return a page that only tells something, where one is due; `on` in the address passes it."""
        asked = request.query_params
        action = f"/p/{token}"
        if "feedback" in asked and pages.after_practice(self.design, participant):
            return pages.feedback_page(self.design, participant, self.database.last_reply(participant), action=action)
        if "on" in asked or participant.current is None:
            return None
        return pages.instruction_page(self.design, participant, action=action) or pages.break_page(
            self.design, participant, participant.current, action=action
        )

    def trial(self, request: Request, participant: Participant, trial: Trial, token: str, message: str = "") -> str:
        """Return the page of a trial: motions with their question, or an attention check."""
        if trial.check:
            return pages.check_page(self.design, participant, trial, action=f"/p/{token}", message=message)
        view = view_of(self.design, participant.identity, trial.number)
        return pages.trial_page(
            self.design,
            participant,
            trial,
            stimulus_urls=[self.stimulus_url[name, view] for name in trial.stimuli],
            action=f"/p/{token}",
            link=f"{request.base_url}p/{token}",
            message=message,
        )

    def is_researcher(self, request: Request) -> bool:
        """Whether a request carries the researcher's cookie or token."""
        cookie = request.cookies.get(COOKIE, "")
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        return same(cookie, self.session) or same(bearer, self.token)

    def refuse(self, request: Request, error: Exception) -> Response:
        """Turn what went wrong into a page that says so; nothing is stored then."""
        words = self.words(request)
        known = (status for kind, status in _STATUS.items() if isinstance(error, kind))
        status = error.status_code if isinstance(error, HTTPException) else next(known, 500)
        if status >= 500:  # the reason is for the log alone
            _LOG.error("%s %s: %s", request.method, request.url.path.split("/p/")[0] or "/p", error)
            text = words.say("fault")
        elif isinstance(error, ClosedStudyError):
            text = words.say(error.reason)
        else:
            text = words.say("unknown_link") if status == 404 else words.say("wrong", reason=str(error))
        return HTMLResponse(pages.message_page(words, words.say("title"), text), status)


def same(told: str, secret: str) -> bool:
    """Whether two texts are one, found in a time that tells nothing about them."""
    return hmac.compare_digest(told.encode(), secret.encode())


def address_of(request: Request) -> str:
    """Return from where a request comes."""
    return request.client.host if request.client else "unknown"
