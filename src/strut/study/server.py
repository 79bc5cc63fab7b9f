"""Server: the survey on the web. It stores every answer before it shows the next trial, and knows nobody by name."""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import secrets
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from strut.address import listening_socket
from strut.errors import (
    BadReplyError,
    ClosedStudyError,
    OutOfTurnError,
    StudyError,
    TooLargeError,
    UnknownParticipantError,
)
from strut.study import survey_pages as pages
from strut.study.answer_table import export_csv, export_json, export_recruited
from strut.study.database import Participant, deletion_code
from strut.study.design import FILE_NAME, read_design
from strut.study.guard import Guard, Limits, RateLimit, small_form
from strut.study.study_folder import OpenedStudy, open_study
from strut.study.taking_part import check_public
from strut.study.trial_plan import trial_plan
from strut.study.words import SurveyWords

Form = Annotated[dict[str, str], Depends(small_form)]
_COOKIE = "strut_researcher"
_FOREVER = {"cache-control": "public, max-age=31536000, immutable"}
_STATUS = {
    UnknownParticipantError: 404,
    TooLargeError: 413,
    BadReplyError: 422,
    OutOfTurnError: 409,
    ClosedStudyError: 403,
    StudyError: 503,
}
_EXPORTS = {
    "answers.csv": (export_csv, "text/csv; charset=utf-8"),
    "answers.json": (export_json, "application/json"),
    "recruited.csv": (export_recruited, "text/csv; charset=utf-8"),
}
_LOG = logging.getLogger("strut.study")


class Survey:
    """What the routes share: the study, its stimuli under names that tell nothing, and who is let in."""

    def __init__(self, opened: OpenedStudy, limits: Limits) -> None:
        self.design, self.database, self.token = opened.design, opened.database, opened.token
        self.starts, self.logins = (
            RateLimit(burst=most, per_minute=most) for most in (limits.starts_per_minute, limits.logins_per_minute)
        )
        self.payloads: dict[str, bytes] = {}
        self.stimulus_url: dict[str, str] = {}
        for stimulus in opened.stimuli:
            payload = json.dumps(stimulus.payload(self.design.display), separators=(",", ":")).encode()
            digest = hashlib.sha256(payload).hexdigest()[:24]
            self.payloads[digest] = payload
            self.stimulus_url[stimulus.name] = f"/stimulus/{digest}.json"
        self.session = hmac.new(self.token.encode(), b"researcher session", hashlib.sha256).hexdigest()

    def words(self, request: Request) -> SurveyWords:
        """Return the words of the language asked for, or of the first one of the browser that the study has."""
        browser = request.headers.get("accept-language", "").split(",")
        wanted = [request.query_params.get("lang", ""), *(part.split(";")[0].strip()[:2] for part in browser)]
        return self.design.words(next((code for code in wanted if code in self.design.languages), ""))

    def trial(self, request: Request, who: Participant, token: str, message: str = "", status: int = 200) -> Response:
        """Return the page of the trial that waits for an answer, or the thanks."""
        if who.current is None:
            return HTMLResponse(pages.finished_page(self.design, who, token), status)
        if pages.begins_block(who, who.current) and "on" not in request.query_params and status == 200:
            return HTMLResponse(pages.break_page(self.design, who, who.current, action=f"/p/{token}"))
        page = pages.trial_page(
            self.design,
            who,
            who.current,
            stimulus_url=self.stimulus_url[who.current.stimulus],
            action=f"/p/{token}",
            link=f"{request.base_url}p/{token}",
            message=message,
        )
        return HTMLResponse(page, status)

    def is_researcher(self, request: Request) -> bool:
        """Whether a request carries the researcher's cookie or token."""
        cookie = request.cookies.get(_COOKIE, "")
        bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
        return _same(cookie, self.session) or _same(bearer, self.token)

    def refuse(self, request: Request, error: Exception) -> Response:
        """Turn what went wrong into a page that says so; nothing is stored then."""
        words, title = self.words(request), None
        if isinstance(error, HTTPException):
            status, title = error.status_code, "404" if error.status_code == 404 else None
        else:
            status = next((status for kind, status in _STATUS.items() if isinstance(error, kind)), 500)
        if status >= 500:  # the reason is for the log alone
            _LOG.error("%s %s: %s", request.method, request.url.path.split("/p/")[0] or "/p", error)
            text = words.say("fault")
        elif isinstance(error, ClosedStudyError):
            text = words.say(error.reason)
        else:
            text = words.say("unknown_link") if status == 404 else words.say("wrong", reason=str(error))
        return HTMLResponse(pages.message_page(words, title or words.say("title"), text), status)


def _same(told: str, secret: str) -> bool:
    """Whether two texts are one, found in a time that tells nothing about them."""
    return hmac.compare_digest(told.encode(), secret.encode())


def _address(request: Request) -> str:
    return request.client.host if request.client else "unknown"


def study_app(opened: OpenedStudy, limits: Limits | None = None) -> FastAPI:
    """Return the application that serves a study; `limits` is how many requests one address may send."""
    limits = limits or Limits()
    survey = Survey(opened, limits)

    @asynccontextmanager
    async def checkpointed(_app: FastAPI) -> AsyncIterator[None]:
        yield
        opened.database.close()  # here, because a server that is told to end does not come back to its caller

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=checkpointed)
    app.add_middleware(Guard, limits=limits)
    _add_participant_routes(app, survey)
    _add_showing_routes(app, survey)
    _add_researcher_routes(app, survey)
    _add_files(app, survey)
    for refused in (StudyError, 404, 405, Exception):
        app.add_exception_handler(refused, survey.refuse)
    return app


def _add_participant_routes(app: FastAPI, survey: Survey) -> None:
    design, database = survey.design, survey.database

    @app.get("/")
    def welcome(request: Request) -> Response:
        recruited = design.recruiting.identities(request.query_params)
        page = pages.welcome_page(design, survey.words(request), secrets.token_urlsafe(24), recruited=recruited)
        return HTMLResponse(page)

    @app.post("/start")
    def start(request: Request, form: Form) -> Response:
        words, recruited = design.words(form.get("language", "")), design.recruiting.identities(form)
        ticket = form.get("ticket", "")
        if not pages.is_token(ticket):
            raise BadReplyError("the form did not come from this study.")
        if form.get("agree") != "1":
            page = pages.welcome_page(design, words, ticket, words.say("must_agree"), recruited=recruited)
            return HTMLResponse(page, 422)
        try:
            age, gender = pages.checked_person(design, form)
        except BadReplyError as error:
            message = words.say("wrong", reason=str(error))
            page = pages.welcome_page(design, words, ticket, message, agreed=True, recruited=recruited)
            return HTMLResponse(page, 422)
        if not survey.starts.allows(_address(request)):
            return HTMLResponse(pages.message_page(words, words.say("title"), words.say("busy")), 429)
        person = {"language": words.code, "age": age, "gender": gender, "recruited": recruited}
        database.start(ticket, partial(trial_plan, design), recruiting=design.recruiting, **person)  # type: ignore[arg-type]
        return RedirectResponse(f"/p/{ticket}", 303)

    @app.post("/p/{token}")
    def answer(request: Request, token: str, form: Form) -> Response:
        number = form.get("trial", "")
        if not (number.isascii() and number.isdigit() and len(number) < 6):
            raise BadReplyError("the trial has no number.")
        who = database.participant(token)
        if who.current is not None and int(number) == who.current.number:
            try:
                reply, (response_ms, plays, detail) = pages.checked_reply(design, form), pages.checked_timing(form)
            except BadReplyError as error:
                message = design.words(who.language).say("wrong", reason=str(error))
                return survey.trial(request, who, token, message, 422)
            measured = {"response_ms": response_ms, "plays": plays, "detail": detail}
            stored = database.answer(who, int(number), reply, **measured)  # type: ignore[arg-type]
        else:  # an earlier trial was answered and stays as it is; a later one raises
            stored = database.answer(who, int(number), {}, response_ms=None, plays=None)
        return RedirectResponse(f"/p/{token}" if stored else f"/p/{token}?already", 303)


def _add_showing_routes(app: FastAPI, survey: Survey) -> None:
    """Add the page of a trial, what it reports of its showing, and the way out of the study."""
    design, database = survey.design, survey.database

    @app.get("/p/{token}")
    def trial(request: Request, token: str) -> Response:
        who = database.participant(token)
        message = design.words(who.language).say("already") if "already" in request.query_params else ""
        return survey.trial(request, who, token, message)

    @app.post("/p/{token}/showing")
    def showing(token: str, form: Form) -> Response:
        who, state, tab = database.participant(token), form.get("state", ""), form.get("tab", "")
        if who.current is None or form.get("trial") != str(who.current.number):
            raise OutOfTurnError("This is not the trial that waits for an answer.")
        if state not in ("begun", "ended") or not 1 <= len(tab) <= 60:
            raise BadReplyError("a showing has begun or ended.")
        ended, again = state == "ended", design.display.replay
        may = database.show(who, who.current.number, tab, ended=ended, again=again)
        return JSONResponse({"ok": may}, 200 if may else 409)

    @app.get("/p/{token}/withdraw")
    def ask_withdraw(token: str) -> Response:
        return HTMLResponse(pages.withdraw_page(design, database.participant(token), token))

    @app.post("/p/{token}/withdraw")
    def withdraw(token: str) -> Response:
        words = design.words(database.participant(token).language)
        database.forget(deletion_code(token))
        return HTMLResponse(pages.message_page(words, words.say("withdraw_title"), words.say("withdrawn")))


def _add_researcher_routes(app: FastAPI, survey: Survey) -> None:
    design = survey.design

    @app.get("/researcher")
    def researcher(request: Request) -> Response:
        if not survey.is_researcher(request):
            return HTMLResponse(pages.login_page(design))
        return HTMLResponse(pages.researcher_page(design, survey.database.counts()))

    @app.post("/researcher")
    def login(request: Request, form: Form) -> Response:
        if not survey.logins.allows(_address(request)):
            return HTMLResponse(pages.login_page(design, "Too many attempts; wait a minute."), 429)
        if not _same(form.get("token", ""), survey.token):
            return HTMLResponse(pages.login_page(design, "That is not the token."), 403)
        reply = RedirectResponse("/researcher", 303)
        secure = request.url.scheme == "https"
        reply.set_cookie(_COOKIE, survey.session, path="/researcher", httponly=True, samesite="strict", secure=secure)
        return reply

    @app.post("/researcher/close")
    def close() -> Response:
        reply = RedirectResponse("/researcher", 303)
        reply.delete_cookie(_COOKIE, path="/researcher")
        return reply

    @app.get("/researcher/{name}")
    def export(request: Request, name: str) -> Response:
        if not survey.is_researcher(request):
            return HTMLResponse(pages.login_page(design), 403)
        if name == "counts.json":
            return JSONResponse(survey.database.counts())
        if name not in _EXPORTS:
            raise HTTPException(404)
        written, kind = _EXPORTS[name]
        saved = {"content-disposition": f'attachment; filename="{design.name}_{name}"'}
        exact = request.query_params.get("times") == "exact"
        return Response(written(design, survey.database.rows(), exact_times=exact), 200, saved, kind)


def _add_files(app: FastAPI, survey: Survey) -> None:
    @app.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in pages.STATIC:
            raise HTTPException(404)
        return Response(pages.static_file(name), 200, {"cache-control": "public, max-age=300"}, pages.STATIC[name])

    @app.get("/stimulus/{digest}.json")
    def stimulus(digest: str) -> Response:
        if digest not in survey.payloads:
            raise HTTPException(404)
        return Response(survey.payloads[digest], 200, _FOREVER, "application/json")

    @app.get("/health")
    def health() -> Response:
        survey.database.counts()
        return JSONResponse({"ok": True})


def serve_study(
    folder: Path | str,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    database: str | None = None,
    requests_per_minute: int = 6000,
    public: bool = False,
    trust_proxy: bool = False,
    on_ready: Callable[[str], None] = lambda _address: None,
) -> None:
    """Serve a study until Ctrl-C; every answer is stored before the next trial is shown.

    Args:
        folder: Of the study.
        host: Address to listen on; 0.0.0.0 for everybody.
        port: 0 for any free one.
        database: `postgresql://USER@HOST/NAME` instead of a file in the folder.
        requests_per_minute: Most requests of one address.
        public: Whether people from outside take part: the design must then say who is responsible.
        trust_proxy: Whether a web server in front says from where requests come (X-Forwarded-For, X-Forwarded-Proto).
        on_ready: Is told the address that participants open.

    Example:
        >>> strut.serve_study("mystudy", on_ready=print)  # doctest: +SKIP
    """
    if public:
        check_public(read_design(folder).ethics, str(Path(folder) / FILE_NAME))
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    opened = open_study(Path(folder), database)
    limits = Limits(requests_per_minute=requests_per_minute, starts_per_minute=max(120, requests_per_minute // 50))
    config = uvicorn.Config(
        study_app(opened, limits),
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=75,  # people watch and think: a connection closed meanwhile may meet their next answer
        timeout_graceful_shutdown=3,
        proxy_headers=trust_proxy,
        forwarded_allow_ips="*" if trust_proxy else None,
    )
    with closing(opened.database), listening_socket(host, port) as listening:
        on_ready(f"http://{host}:{listening.getsockname()[1]}")
        uvicorn.Server(config).run(sockets=[listening])
