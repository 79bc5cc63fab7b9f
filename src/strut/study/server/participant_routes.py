"""Participant routes: from consent over questions and trials to the thanks, and the way out."""

from __future__ import annotations

import secrets
from functools import partial
from typing import Annotated

from fastapi import Depends, FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from strut.errors import BadReplyError, OutOfTurnError
from strut.study.design.custom_questions import MOMENTS, checked_custom
from strut.study.design.trial_plan import session_plan
from strut.study.server import survey_pages as pages
from strut.study.server.database import deletion_code
from strut.study.server.middleware import small_form
from strut.study.server.reply import checked_person, checked_reply, checked_timing, is_token
from strut.study.server.survey import Survey, address_of

Form = Annotated[dict[str, str], Depends(small_form)]


def add_start_routes(app: FastAPI, survey: Survey) -> None:
    """Add the first page and the start."""
    design = survey.design
    database = survey.database

    @app.get("/")
    def welcome(request: Request) -> Response:
        recruited = design.recruiting.identities(request.query_params)
        page = pages.welcome_page(design, survey.words(request), secrets.token_urlsafe(24), recruited=recruited)
        return HTMLResponse(page)

    @app.post("/start")
    def start(request: Request, form: Form) -> Response:
        words = design.words(form.get("language", ""))
        recruited = design.recruiting.identities(form)
        ticket = form.get("ticket", "")
        if not is_token(ticket):
            raise BadReplyError("the form did not come from this study.")
        if form.get("agree") != "1":
            page = pages.welcome_page(design, words, ticket, words.say("must_agree"), recruited=recruited)
            return HTMLResponse(page, 422)
        try:
            age, gender = checked_person(design, form)
        except BadReplyError as error:
            message = words.say("wrong", reason=str(error))
            page = pages.welcome_page(design, words, ticket, message, agreed=True, recruited=recruited)
            return HTMLResponse(page, 422)
        if not survey.starts.allows(address_of(request)):
            return HTMLResponse(pages.message_page(words, words.say("title"), words.say("busy")), 429)
        person = {"language": words.code, "age": age, "gender": gender, "recruited": recruited}
        database.start(ticket, partial(session_plan, design), recruiting=design.recruiting, **person)  # type: ignore[arg-type]
        return RedirectResponse(f"/p/{ticket}", 303)


def add_answer_routes(app: FastAPI, survey: Survey) -> None:
    """Add answers to trials and to the study's own questions."""
    design = survey.design
    database = survey.database

    @app.post("/p/{token}")
    def answer(request: Request, token: str, form: Form) -> Response:
        number = form.get("trial", "")
        if not (number.isascii() and number.isdigit() and len(number) < 6):
            raise BadReplyError("the trial has no number.")
        who = database.participant(token)
        shows = design.session.feedback
        trial = who.current
        if trial is not None and int(number) == trial.number:
            try:
                reply = checked_reply(design, form, trial)
                response_ms, plays, detail = checked_timing(form)
            except BadReplyError as error:
                message = design.words(who.language).say("wrong", reason=str(error))
                return HTMLResponse(survey.trial(request, who, trial, token, message), 422)
            measured = {"response_ms": response_ms, "plays": plays, "detail": detail | pages.view_detail(design, who)}
            stored = database.answer(who, int(number), reply, **measured)  # type: ignore[arg-type]
        else:  # an earlier trial was answered and stays as it is; a later one raises
            stored = database.answer(who, int(number), {}, response_ms=None, plays=None)
            trial = None
        told = "?feedback" if trial and trial.practice and shows else ""
        return RedirectResponse(f"/p/{token}{told}" if stored else f"/p/{token}?already", 303)

    @app.post("/p/{token}/questions")
    def answer_own(token: str, form: Form) -> Response:
        who = database.participant(token)
        moment = form.get("moment", "")
        if moment not in MOMENTS or (moment == "after" and who.current is not None):
            raise OutOfTurnError("These questions do not wait for an answer.")
        if moment not in who.moments:
            try:
                reply = checked_custom(design.questions, moment, form)
            except BadReplyError as error:
                message = design.words(who.language).say("wrong", reason=str(error))
                told = {"message": message, "given": form}
                return HTMLResponse(pages.questions_page(design, who, moment, action=f"/p/{token}", **told), 422)  # type: ignore[arg-type]
            database.answer_own(who, moment, reply)
        return RedirectResponse(f"/p/{token}", 303)


def add_showing_routes(app: FastAPI, survey: Survey) -> None:
    """Add the page of a trial, what it reports of its showing, and the way out of the study."""
    design = survey.design
    database = survey.database

    @app.get("/p/{token}")
    def trial(request: Request, token: str) -> Response:
        return survey.next_page(request, database.participant(token), token)

    @app.post("/p/{token}/showing")
    def showing(token: str, form: Form) -> Response:
        who = database.participant(token)
        state = form.get("state", "")
        tab = form.get("tab", "")
        if who.current is None or form.get("trial") != str(who.current.number):
            raise OutOfTurnError("This is not the trial that waits for an answer.")
        if state not in ("begun", "ended") or not 1 <= len(tab) <= 60:
            raise BadReplyError("a showing has begun or ended.")
        ended = state == "ended"
        again = design.display.replay
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
