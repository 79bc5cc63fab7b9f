"""Server: the survey on the web. It stores every answer before it shows the next trial, and knows nobody by name."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
import socket
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Annotated

import uvicorn
from fastapi import Depends, FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from strut.address import listening_socket
from strut.errors import BadReplyError, OutOfTurnError, StudyError, TooLargeError, UnknownParticipantError
from strut.study.answer_table import export_csv, export_json
from strut.study.database import Database, Participant
from strut.study.design import Design
from strut.study.guard import Guard, Limits, small_form
from strut.study.opened_study import open_study
from strut.study.rate_limit import RateLimit
from strut.study.reply import checked_person, checked_reply, checked_timing, is_token
from strut.study.stimulus import Stimulus
from strut.study.survey_pages import (
    STATIC,
    finished_page,
    login_page,
    message_page,
    researcher_page,
    static_file,
    trial_page,
    welcome_page,
)
from strut.study.trial_plan import Trial, trial_plan

Form = Annotated[dict[str, str], Depends(small_form)]
_COOKIE = "strut_researcher"
_FOREVER = {"cache-control": "public, max-age=31536000, immutable"}


class Survey:
    """What the routes share: the design, its stimuli under names that tell nothing, and the database."""

    def __init__(self, design: Design, stimuli: tuple[Stimulus, ...], database: Database, token: str) -> None:
        self.design, self.database, self.token = design, database, token
        self.payloads: dict[str, bytes] = {}
        self.stimulus_url: dict[str, str] = {}
        for stimulus in stimuli:
            payload = json.dumps(stimulus.payload(design.display), separators=(",", ":")).encode()
            digest = hashlib.sha256(payload).hexdigest()[:24]
            self.payloads[digest] = payload
            self.stimulus_url[stimulus.name] = f"/stimulus/{digest}.json"
        self.session = hmac.new(token.encode(), b"researcher session", hashlib.sha256).hexdigest()

    def language(self, request: Request) -> str:
        """Return the language asked for, or the first one of the browser that the study has."""
        asked = request.query_params.get("lang", "")
        wanted = [
            asked,
            *(part.split(";")[0].strip()[:2] for part in request.headers.get("accept-language", "").split(",")),
        ]
        return next((code for code in wanted if code in self.design.languages), self.design.languages[0])

    def trial(self, request: Request, who: Participant, token: str, message: str = "", status: int = 200) -> Response:
        """Return the page of the trial that waits for an answer, or the thanks."""
        if who.current is None:
            return HTMLResponse(finished_page(self.design, who), status)
        page = trial_page(
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
        known = hmac.compare_digest(cookie.encode(), self.session.encode())
        return known or hmac.compare_digest(bearer.encode(), self.token.encode())


def study_app(
    design: Design,
    stimuli: tuple[Stimulus, ...],
    database: Database,
    *,
    token: str,
    limits: Limits | None = None,
) -> FastAPI:
    """Return the application that serves a study.

    Args:
        design: What is asked.
        stimuli: What is shown.
        database: Where answers go.
        token: Opens the researcher's page.
        limits: How many requests one address may send.
    """
    limits = limits or Limits()
    survey = Survey(design, stimuli, database, token)
    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    app.add_middleware(Guard, limits=limits)
    _add_participant_routes(app, survey, limits)
    _add_researcher_routes(app, survey, limits)
    _add_files(app, survey)
    _add_refusals(app, survey)
    return app


def _add_participant_routes(app: FastAPI, survey: Survey, limits: Limits) -> None:
    design, starts = survey.design, RateLimit(burst=limits.starts_per_minute, per_minute=limits.starts_per_minute)

    @app.get("/")
    def welcome(request: Request) -> Response:
        return HTMLResponse(welcome_page(design, survey.language(request), secrets.token_urlsafe(24)))

    @app.post("/start")
    def start(request: Request, form: Form) -> Response:
        words = design.words(form.get("language", ""))
        ticket = form.get("ticket", "")
        if not is_token(ticket):
            raise BadReplyError("the form did not come from this study.")
        if form.get("agree") != "1":
            return HTMLResponse(welcome_page(design, words.code, ticket, words.say("must_agree")), 422)
        try:
            age, gender = checked_person(design, form)
        except BadReplyError as error:
            message = words.say("wrong", reason=str(error))
            return HTMLResponse(welcome_page(design, words.code, ticket, message, agreed=True), 422)
        if not starts.allows(request.client.host if request.client else "unknown"):
            return HTMLResponse(message_page(design, words.code, words.say("title"), words.say("busy")), 429)

        def planner(index: int, shown: Mapping[str, int]) -> tuple[Trial, ...]:
            return trial_plan(design, index=index, shown=shown)

        survey.database.start(ticket, planner, language=words.code, age=age, gender=gender)
        return RedirectResponse(f"/p/{ticket}", 303)

    _add_trial_routes(app, survey)


def _add_trial_routes(app: FastAPI, survey: Survey) -> None:
    design = survey.design

    @app.get("/p/{token}")
    def trial(request: Request, token: str) -> Response:
        who = survey.database.participant(token)
        message = design.words(who.language).say("already") if "already" in request.query_params else ""
        return survey.trial(request, who, token, message)

    @app.post("/p/{token}")
    def answer(request: Request, token: str, form: Form) -> Response:
        number = form.get("trial", "")
        if not (number.isascii() and number.isdigit() and len(number) < 6):
            raise BadReplyError("the trial has no number.")
        who = survey.database.participant(token)
        if who.current is not None and int(number) == who.current.number:
            try:
                reply, timing = checked_reply(design, form), checked_timing(form)
            except BadReplyError as error:
                message = design.words(who.language).say("wrong", reason=str(error))
                return survey.trial(request, who, token, message, 422)
            stored = survey.database.answer(who, int(number), reply, response_ms=timing[0], plays=timing[1])
        else:  # an earlier trial was answered and stays as it is; a later one raises
            stored = survey.database.answer(who, int(number), {}, response_ms=None, plays=None)
        return RedirectResponse(f"/p/{token}" if stored else f"/p/{token}?already", 303)


def _add_researcher_routes(app: FastAPI, survey: Survey, limits: Limits) -> None:
    design, logins = survey.design, RateLimit(burst=limits.logins_per_minute, per_minute=limits.logins_per_minute)

    @app.get("/researcher")
    def researcher(request: Request) -> Response:
        if not survey.is_researcher(request):
            return HTMLResponse(login_page(design))
        return HTMLResponse(researcher_page(design, survey.database.counts()))

    @app.post("/researcher")
    def login(request: Request, form: Form) -> Response:
        if not logins.allows(request.client.host if request.client else "unknown"):
            return HTMLResponse(login_page(design, "Too many attempts; wait a minute."), 429)
        if not hmac.compare_digest(form.get("token", "").encode(), survey.token.encode()):
            return HTMLResponse(login_page(design, "That is not the token."), 403)
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
            return HTMLResponse(login_page(design), 403)
        if name == "counts.json":
            return JSONResponse(survey.database.counts())
        if name == "answers.csv":
            saved = {"content-disposition": f'attachment; filename="{design.name}.csv"'}
            return Response(export_csv(design, survey.database.rows()), 200, saved, "text/csv; charset=utf-8")
        if name == "answers.json":
            saved = {"content-disposition": f'attachment; filename="{design.name}.json"'}
            return Response(export_json(design, survey.database.rows()), 200, saved, "application/json")
        return _not_found(survey)


def _add_files(app: FastAPI, survey: Survey) -> None:
    @app.get("/static/{name}")
    def static(name: str) -> Response:
        if name not in STATIC:
            return _not_found(survey)
        return Response(static_file(name), 200, {"cache-control": "public, max-age=300"}, STATIC[name])

    @app.get("/stimulus/{digest}.json")
    def stimulus(digest: str) -> Response:
        if digest not in survey.payloads:
            return _not_found(survey)
        return Response(survey.payloads[digest], 200, _FOREVER, "application/json")

    @app.get("/health")
    def health() -> Response:
        survey.database.counts()
        return JSONResponse({"ok": True})


def _add_refusals(app: FastAPI, survey: Survey) -> None:
    """Turn what goes wrong into a page that says so; nothing is stored then."""
    design = survey.design

    def refuse(request: Request, text: str, status: int) -> Response:
        words = design.words(survey.language(request))
        return HTMLResponse(message_page(design, words.code, words.say("title"), text), status)

    @app.exception_handler(UnknownParticipantError)
    def unknown(request: Request, _error: Exception) -> Response:
        return refuse(request, design.words(survey.language(request)).say("unknown_link"), 404)

    @app.exception_handler(BadReplyError)
    def bad_reply(request: Request, error: Exception) -> Response:
        status = 413 if isinstance(error, TooLargeError) else 422
        return refuse(request, design.words(survey.language(request)).say("wrong", reason=str(error)), status)

    @app.exception_handler(OutOfTurnError)
    def out_of_turn(request: Request, error: Exception) -> Response:
        return refuse(request, design.words(survey.language(request)).say("wrong", reason=str(error)), 409)

    @app.exception_handler(StudyError)
    def unavailable(request: Request, _error: Exception) -> Response:
        text = design.words(survey.language(request)).say("wrong", reason="503")  # the reason is for the log alone
        return refuse(request, text, 503)

    @app.exception_handler(405)
    def not_allowed(request: Request, _error: Exception) -> Response:
        return refuse(request, design.words(survey.language(request)).say("wrong", reason="405"), 405)

    @app.exception_handler(404)
    def not_found(_request: Request, _error: Exception) -> Response:
        return _not_found(survey)


def _not_found(survey: Survey) -> Response:
    words = survey.design.words(survey.design.languages[0])
    return HTMLResponse(message_page(survey.design, words.code, "404", words.say("unknown_link")), 404)


def _serve(app: FastAPI, listening: socket.socket) -> None:
    """Serve until interrupted."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=75,  # people watch and think: a connection closed meanwhile may meet their next answer
        timeout_graceful_shutdown=3,
    )
    uvicorn.Server(config).run(sockets=[listening])


def serve_study(
    folder: Path | str,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    database: str | None = None,
    requests_per_minute: int = 6000,
    on_ready: Callable[[str], None] = lambda _address: None,
) -> None:
    """Serve a study until Ctrl-C; every answer is stored before the next trial is shown.

    Args:
        folder: Of the study.
        host: Address to listen on; 0.0.0.0 for everybody.
        port: 0 for any free one.
        database: `postgresql://USER@HOST/NAME` instead of a file in the folder.
        requests_per_minute: Most requests of one address.
        on_ready: Is told the address that participants open.

    Example:
        >>> strut.serve_study("mystudy", on_ready=print)  # doctest: +SKIP
    """
    opened = open_study(Path(folder), database)
    limits = Limits(requests_per_minute=requests_per_minute, starts_per_minute=max(120, requests_per_minute // 50))
    app = study_app(opened.design, opened.stimuli, opened.database, token=opened.token, limits=limits)
    with closing(opened.database), listening_socket(host, port) as listening:
        on_ready(f"http://{host}:{listening.getsockname()[1]}")
        _serve(app, listening)
