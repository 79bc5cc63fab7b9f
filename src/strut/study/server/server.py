"""Server: the survey on the web. It stores every answer before the next trial, and no names."""

from __future__ import annotations

import ipaddress
import logging
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager, closing
from pathlib import Path
from tempfile import TemporaryDirectory

import uvicorn
from fastapi import FastAPI
from sqlalchemy import URL
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from strut.errors import StudyError
from strut.plumbing.address import is_loopback, listening_socket
from strut.study.design.design import FILE_NAME, read_design
from strut.study.design.recruitment import check_public
from strut.study.questions.question import question_script, question_style
from strut.study.server import survey_pages as pages
from strut.study.server.middleware import Limits, SecurityMiddleware
from strut.study.server.participant_routes import Form, add_answer_routes, add_showing_routes, add_start_routes
from strut.study.server.survey import COOKIE, Survey, address_of, same
from strut.study.statistics.answer_table import export_csv, export_json, export_recruited
from strut.study.stimuli.stimulus import OnStimulus
from strut.study.study_folder import OpenedStudy, open_study

# On every page of a preview, in the language of the researcher, who alone sees it.
PREVIEW_BANNER = b"""
body::before {
  content: "Preview: no answer is kept";
  display: block; padding: 0.4rem 1rem; text-align: center; background: #7a3b00; color: #fff;
}
"""
_FOREVER = {"cache-control": "public, max-age=31536000, immutable"}
_EXPORTS = {
    "answers.csv": (export_csv, "text/csv; charset=utf-8"),
    "answers.json": (export_json, "application/json"),
    "recruited.csv": (export_recruited, "text/csv; charset=utf-8"),
}


def study_app(
    opened: OpenedStudy, limits: Limits | None = None, *, is_local: bool = False, is_preview: bool = False
) -> FastAPI:
    """Return the application that serves a study.

    Args:
        opened: The study.
        limits: How many requests one address may send.
        is_local: Whether browsers on this machine alone can reach it, without a proxy.
        is_preview: Whether every page says that its answers are not kept.
    """
    limits = limits or Limits()
    survey = Survey(opened, limits, is_local=is_local)

    @asynccontextmanager
    async def checkpointed(_app: FastAPI) -> AsyncIterator[None]:
        yield
        opened.database.close()  # here, because uvicorn raises SIGTERM again after it stops

    app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None, lifespan=checkpointed)
    app.add_middleware(SecurityMiddleware, limits=limits)
    add_start_routes(app, survey)
    add_answer_routes(app, survey)
    add_showing_routes(app, survey)
    _add_researcher_routes(app, survey)
    _add_files(app, survey, is_preview=is_preview)
    for refused in (StudyError, 404, 405, Exception):
        app.add_exception_handler(refused, survey.refuse)
    return app


def _add_researcher_routes(app: FastAPI, survey: Survey) -> None:
    design = survey.design

    @app.get("/researcher")
    def researcher(request: Request) -> Response:
        survey.check_own_page(request)
        if not survey.is_researcher(request):
            return HTMLResponse(pages.login_page(design))
        return HTMLResponse(pages.researcher_page(design, survey.database.counts()))

    @app.post("/researcher")
    def login(request: Request, form: Form) -> Response:
        survey.check_own_page(request)
        if not survey.logins.allows(address_of(request)):
            return HTMLResponse(pages.login_page(design, "Too many attempts; wait a minute."), 429)
        if not same(form.get("token", ""), survey.token):
            return HTMLResponse(pages.login_page(design, "That is not the token."), 403)
        reply = RedirectResponse("/researcher", 303)
        secure = request.url.scheme == "https"
        reply.set_cookie(COOKIE, survey.session, path="/researcher", httponly=True, samesite="strict", secure=secure)
        return reply

    @app.post("/researcher/close")
    def close(request: Request) -> Response:
        survey.check_own_page(request)
        reply = RedirectResponse("/researcher", 303)
        reply.delete_cookie(COOKIE, path="/researcher")
        return reply

    @app.get("/researcher/{name}")
    def export(request: Request, name: str) -> Response:
        survey.check_own_page(request)
        if not survey.is_researcher(request):
            return HTMLResponse(pages.login_page(design), 403)
        if name == "counts.json":
            return JSONResponse(survey.database.counts())
        if name not in _EXPORTS:
            raise HTTPException(404)
        export_as, kind = _EXPORTS[name]
        headers = {"content-disposition": f'attachment; filename="{design.name}_{name}"'}
        exact = request.query_params.get("times") == "exact"
        return Response(export_as(design, survey.database.rows(), exact_times=exact), 200, headers, kind)


def _add_files(app: FastAPI, survey: Survey, *, is_preview: bool) -> None:
    @app.get("/static/{name}")
    def static(name: str) -> Response:
        brief = {"cache-control": "public, max-age=300"}
        if name == f"question-{survey.design.question}.js":
            return Response(question_script(type(survey.design.ask)), 200, brief, pages.STATIC["trial.js"])
        if name == f"question-{survey.design.question}.css":
            return Response(question_style(type(survey.design.ask)), 200, brief, pages.STATIC["study.css"])
        if name not in pages.STATIC:
            raise HTTPException(404)
        banner = PREVIEW_BANNER if is_preview and name == "study.css" else b""
        return Response(pages.static_file(name) + banner, 200, brief, pages.STATIC[name])

    @app.get("/stimulus/{digest}.json")
    def stimulus(digest: str) -> Response:
        if digest not in survey.stimuli:
            raise HTTPException(404)
        return Response(survey.payload(digest), 200, _FOREVER, "application/json")

    @app.get("/health")
    def health() -> Response:
        survey.database.counts()
        return JSONResponse({"ok": True})


def check_proxies(proxies: Sequence[str]) -> list[str]:
    """Return the addresses and networks of proxies as uvicorn reads them; raise StudyError for anything else."""
    networks = []
    for proxy in proxies:
        try:
            network = ipaddress.ip_network(proxy)
        except ValueError as error:
            raise StudyError(
                f"The proxy '{proxy}' is neither an address nor a network; write 127.0.0.1 or 172.16.0.0/12."
            ) from error
        if network.prefixlen == 0:
            raise StudyError(
                f"The network {proxy} is the whole internet, so anybody could pose as a proxy; name yours."
            )
        networks.append(str(network))
    return networks


def serve_study(
    folder: Path | str,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    database: str | None = None,
    requests_per_minute: int = 6000,
    public: bool = False,
    preview: bool = False,
    trusted_proxies: Sequence[str] = (),
    on_stimulus: OnStimulus = lambda _done, _total: None,
    on_ready: Callable[[str], None] = lambda _address: None,
) -> None:
    """Serve a study until Ctrl-C; every answer is stored before the next trial is shown.

    Args:
        folder: Of the study.
        host: Address to listen on; 0.0.0.0 for all networks.
        port: 0 for any free one.
        database: `postgresql://USER@HOST/NAME` instead of a file in the folder.
        requests_per_minute: Limit for one address.
        public: Whether people from outside take part: the design must then name the responsible investigator.
        preview: Keep no answer: they are stored in a folder of the system until the server ends; every page says so.
        trusted_proxies: Addresses or networks of reverse proxies, such as `127.0.0.1`: only from these the visitor's
            address is read (X-Forwarded-For, X-Forwarded-Proto).
        on_stimulus: Called with the number of steps of reading the stimuli that are done, and of all.
        on_ready: Called with the address that participants open.

    Example:
        >>> strut.study.serve_study("mystudy", on_ready=print)  # doctest: +SKIP
    """
    if public:
        check_public(read_design(folder).ethics, str(Path(folder) / FILE_NAME))
    proxies = check_proxies(trusted_proxies)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s")
    if preview and database is not None:
        raise StudyError("A preview keeps no answers; leave its database out.")
    with ExitStack() as kept:
        if preview:
            scratch = Path(kept.enter_context(TemporaryDirectory(prefix="strut_preview_")))
            database = URL.create("sqlite", database=str(scratch / "answers.sqlite")).render_as_string()
        opened = open_study(Path(folder), database, on_stimulus=on_stimulus)
        if opened.database.read_only:
            opened.database.close()
            raise StudyError(f"The answers in {folder} cannot be written, so no answer would be stored.")
        limits = Limits(requests_per_minute=requests_per_minute, starts_per_minute=max(120, requests_per_minute // 50))
        config = uvicorn.Config(
            study_app(opened, limits, is_local=is_loopback(host) and not proxies, is_preview=preview),
            log_level="warning",
            access_log=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=75,  # people take time: a connection that closes meanwhile can lose their next answer
            timeout_graceful_shutdown=3,
            proxy_headers=bool(proxies),
            forwarded_allow_ips=proxies,
        )
        with closing(opened.database), listening_socket(host, port) as listening:
            on_ready(f"http://{host}:{listening.getsockname()[1]}")
            uvicorn.Server(config).run(sockets=[listening])
