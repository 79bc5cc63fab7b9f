"""Survey: what the routes of a served study share, and the next page of a participant."""

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
    ForeignPageError,
    OutOfTurnError,
    StudyError,
    TooLargeError,
    UnknownParticipantError,
)
from strut.plumbing.page_access import is_own_host, is_same_origin
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
    ForeignPageError: 403,
    StudyError: 503,
}
_LOG = logging.getLogger("strut.study")


class Survey:
    """The study, its stimuli under names that reveal nothing, and the access of the researcher."""

    def __init__(self, opened: OpenedStudy, limits: Limits, *, is_local: bool = False) -> None:
        self.is_local = is_local
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
        """Return a stimulus as JSON for the page; encoding takes a millisecond, so it is not cached."""
        return msgspec.json.encode(self.stimuli[digest].payload(self.design.display))

    def words(self, request: Request) -> Translation:
        """Return the texts in the requested language, or in the first language of the browser that the study has."""
        browser = request.headers.get("accept-language", "").split(",")
        codes = [request.query_params.get("lang", ""), *(part.split(";")[0].strip()[:2] for part in browser)]
        return self.design.words(next((code for code in codes if code in self.design.languages), ""))

    def next_page(self, request: Request, participant: Participant, token: str) -> Response:
        """Return the next page: questions, feedback, an instruction, a break, a trial or the last page."""
        page = self._questions(participant, token) or self._notice(request, participant, token)
        return HTMLResponse(page or self._trial_or_thanks(request, participant, token))

    def _trial_or_thanks(self, request: Request, participant: Participant, token: str) -> str:
        if participant.current is None:
            return pages.finished_page(self.design, participant, token)
        message = self.design.words(participant.language).say("already") if "already" in request.query_params else ""
        return self.trial(request, participant, participant.current, token, message)

    def _questions(self, participant: Participant, token: str) -> str | None:
        """Return the page of the study's own questions if some are due: before all trials, or after them."""
        asked = (
            {own.when for own in self.design.questions}
            - set(participant.moments)
            - ({"after"} if participant.current else set())
        )
        for moment in sorted(asked, key=MOMENTS.index):
            return pages.questions_page(self.design, participant, moment, action=f"/p/{token}")
        return None

    def _notice(self, request: Request, participant: Participant, token: str) -> str | None:
        """Return feedback, an instruction or a break if one is due; `on` in the address skips it."""
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
        """Return the page of a trial: its motions with the question, or an attention check."""
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

    def check_own_page(self, request: Request) -> None:
        """Raise ForeignPageError if a request for the researcher's page comes from a page of another site.

        A study that is served to this machine alone must be asked by this machine's own name, too: otherwise a site
        whose name points to this machine could read the answers.
        """
        host = request.headers.get("host", "")
        if self.is_local and not is_own_host(host):
            raise ForeignPageError(
                "this study is served to this machine alone; if a reverse proxy stands before it, name the proxy with "
                "--trust-proxy."
            )
        if not is_same_origin(request.headers.get("origin"), host, compare_ports=False):
            raise ForeignPageError("pages of other sites may not use the researcher's page.")

    def is_researcher(self, request: Request) -> bool:
        """Return whether a request has the researcher's cookie or token."""
        cookie = request.cookies.get(COOKIE, "")
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        return same(cookie, self.session) or same(bearer, self.token)

    def refuse(self, request: Request, error: Exception) -> Response:
        """Return the page for an error; nothing is stored."""
        words = self.words(request)
        known = (status for kind, status in _STATUS.items() if isinstance(error, kind))
        status = error.status_code if isinstance(error, HTTPException) else next(known, 500)
        if status >= 500:  # the reason goes to the log only
            _LOG.error("%s %s: %s", request.method, request.url.path.split("/p/")[0] or "/p", error)
            text = words.say("fault")
        elif isinstance(error, ClosedStudyError):
            text = words.say(error.reason)
        else:
            text = words.say("unknown_link") if status == 404 else words.say("wrong", reason=str(error))
        return HTMLResponse(pages.message_page(words, words.say("title"), text), status)


def same(text: str, secret: str) -> bool:
    """Return whether two texts are equal, in constant time."""
    return hmac.compare_digest(text.encode(), secret.encode())


def address_of(request: Request) -> str:
    """Return the network address of a request."""
    return request.client.host if request.client else "unknown"
