"""Participant routes: from consent through questions and trials to the end of the study, and withdrawal."""

from __future__ import annotations

import secrets
from functools import partial
from typing import Annotated

from fastapi import Depends, FastAPI
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from strut.errors import BadReplyError, OutOfTurnError
from strut.study.design.custom_questions import MOMENTS, check_custom_replies
from strut.study.design.trial_plan import session_plan
from strut.study.server import survey_pages as pages
from strut.study.server.database import deletion_code
from strut.study.server.middleware import small_form
from strut.study.server.reply import check_person, check_reply, check_timing, is_token
from strut.study.server.survey import Survey, address_of

Form = Annotated[dict[str, str], Depends(small_form)]


def add_start_routes(app: FastAPI, survey: Survey) -> None:
    """Add the first page and the start of a session."""
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
            age, gender = check_person(design, form)
        except BadReplyError as error:
            message = words.say("wrong", reason=str(error))
            page = pages.welcome_page(design, words, ticket, message, agreed=True, recruited=recruited)
            return HTMLResponse(page, 422)
        if not survey.starts.allows(address_of(request)):
            return HTMLResponse(pages.message_page(words, words.say("title"), words.say("busy")), 429)
        database.start(
            ticket,
            partial(session_plan, design),
            language=words.code,
            age=age,
            gender=gender,
            recruited=recruited,
            recruiting=design.recruiting,
        )
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
        participant = database.participant(token)
        trial = participant.current
        if trial is None or int(number) != trial.number:
            # an earlier trial keeps its first answer; for a later one, the database raises OutOfTurnError
            database.answer(participant, int(number), {}, response_ms=None, plays=None)
            return RedirectResponse(f"/p/{token}?already", 303)
        try:
            reply = check_reply(design, form, trial)
            response_ms, plays, detail = check_timing(form)
        except BadReplyError as error:
            message = design.words(participant.language).say("wrong", reason=str(error))
            return HTMLResponse(survey.trial(request, participant, trial, token, message), 422)
        detail |= pages.view_detail(design, participant)
        is_stored = database.answer(
            participant, trial.number, reply, response_ms=response_ms, plays=plays, detail=detail
        )
        if not is_stored:
            return RedirectResponse(f"/p/{token}?already", 303)
        has_feedback = trial.practice and design.session.feedback
        return RedirectResponse(f"/p/{token}?feedback" if has_feedback else f"/p/{token}", 303)

    @app.post("/p/{token}/questions")
    def answer_own(token: str, form: Form) -> Response:
        participant = database.participant(token)
        moment = form.get("moment", "")
        if moment not in MOMENTS or (moment == "after" and participant.current is not None):
            raise OutOfTurnError("These questions do not wait for an answer.")
        if moment not in participant.moments:
            try:
                reply = check_custom_replies(design.questions, moment, form)
            except BadReplyError as error:
                message = design.words(participant.language).say("wrong", reason=str(error))
                action = f"/p/{token}"
                page = pages.questions_page(design, participant, moment, action=action, message=message, given=form)
                return HTMLResponse(page, 422)
            database.answer_own(participant, moment, reply)
        return RedirectResponse(f"/p/{token}", 303)


def add_showing_routes(app: FastAPI, survey: Survey) -> None:
    """Add the page of a trial, its reports of showings, and withdrawal."""
    design = survey.design
    database = survey.database

    @app.get("/p/{token}")
    def trial(request: Request, token: str) -> Response:
        return survey.next_page(request, database.participant(token), token)

    @app.post("/p/{token}/showing")
    def showing(token: str, form: Form) -> Response:
        participant = database.participant(token)
        state = form.get("state", "")
        tab = form.get("tab", "")
        trial = participant.current
        if trial is None or form.get("trial") != str(trial.number):
            raise OutOfTurnError("This is not the trial that waits for an answer.")
        if state not in ("begun", "ended") or not 1 <= len(tab) <= 60:
            raise BadReplyError("a showing has begun or ended.")
        again = design.display.replay
        may_show = database.show(participant, trial.number, tab, ended=state == "ended", again=again)
        return JSONResponse({"ok": may_show}, 200 if may_show else 409)

    @app.get("/p/{token}/withdraw")
    def ask_withdraw(token: str) -> Response:
        return HTMLResponse(pages.withdraw_page(design, database.participant(token), token))

    @app.post("/p/{token}/withdraw")
    def withdraw(token: str) -> Response:
        words = design.words(database.participant(token).language)
        database.forget(deletion_code(token))
        return HTMLResponse(pages.message_page(words, words.say("withdraw_title"), words.say("withdrawn")))
