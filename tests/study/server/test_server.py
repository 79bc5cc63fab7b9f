"""The server without a browser: every rule of the survey, and refusals that store nothing."""

from __future__ import annotations

import csv
import io
import json
import re
import sqlite3
from dataclasses import replace

import httpx2
import pytest
from starlette.testclient import TestClient

from strut.cli.main import main
from strut.study.design.recruitment import Recruiting
from strut.study.server.database import deletion_code
from strut.study.server.middleware import LARGEST_BODY_BYTES, Limits
from strut.study.server.server import study_app
from strut.study.statistics.answer_table import answers_of, export_rows
from strut.study.statistics.answers import parse_answers
from strut.study.statistics.labels import code_sheet
from strut.study.study_folder import open_study
from tests.study.design_parts import ETHICS

TICKET = "k" * 32


@pytest.fixture
def opened(opened_of):
    return opened_of("forced-choice")


def client_of(opened, **limits):
    app = study_app(opened, Limits(**limits))
    return TestClient(app, raise_server_exceptions=False)


@pytest.fixture
def client(opened):
    return client_of(opened)


def start(client, ticket=TICKET, **values):
    form = {"ticket": ticket, "language": "en", "agree": "1", **values}
    return client.post("/start", data=form, follow_redirects=False)


def send(client, trial, answer="sad", ticket=TICKET, **values):
    form = {"trial": str(trial), "answer": answer, **values}
    return client.post(f"/p/{ticket}", data=form, follow_redirects=False)


def see(client, trial, ticket=TICKET, tab="one", states=("begun", "ended")):
    forms = [{"trial": str(trial), "tab": tab, "state": state} for state in states]
    return [client.post(f"/p/{ticket}/showing", data=form).status_code for form in forms]


def test_a_participant_goes_from_consent_to_thanks(client, opened):
    page = client.get("/").text
    ticket = re.search(r'name="ticket" value="([^"]+)"', page)[1]
    assert start(client, ticket, age="30", gender="other").headers["location"] == f"/p/{ticket}"
    for number in range(1, 12):
        assert ("You have finished part 1 of 2" in client.get(f"/p/{ticket}").text) == (number == 7)
        assert f"Movement {number} of 11" in client.get(f"/p/{ticket}?on=1").text
        assert send(client, number, ticket=ticket, response_ms="1200", plays="2").status_code == 303
    assert "Thank you!" in client.get(f"/p/{ticket}").text
    rows = opened.database.rows()
    assert [row["trial"] for row in rows] == list(range(1, 12))
    assert {(row["age"], row["gender"]) for row in rows} == {(30, "other")}


def test_no_participant_starts_without_consent(client, opened):
    reply = client.post("/start", data={"ticket": TICKET, "language": "de"})
    assert reply.status_code == 422
    assert "kreuzen Sie das Feld an" in reply.text
    assert opened.database.counts()["started"] == 0


def test_an_old_trial_sent_again_changes_nothing_and_says_so(client, opened):
    start(client)
    send(client, 1, "sad")
    again = send(client, 1, "happy")
    assert again.headers["location"] == f"/p/{TICKET}?already"
    assert "cannot be changed" in client.get(again.headers["location"]).text
    assert [row["reply"]["perceived"] for row in opened.database.rows()] == ["sad"]


@pytest.mark.parametrize(
    ("form", "status"),
    [
        ({"trial": "1"}, 422),
        ({"trial": "1", "answer": "hungry"}, 422),
        ({"trial": "1", "answer": "sad", "response_ms": "-5"}, 422),
        ({"trial": "1", "answer": "sad", "response_ms": "1e99"}, 422),
        ({"trial": "1", "answer": "sad", "plays": "9999999999"}, 422),
        ({"trial": "7", "answer": "sad"}, 409),
        ({"trial": "99", "answer": "sad"}, 409),
        ({"trial": "-1", "answer": "sad"}, 422),
        ({"trial": "one", "answer": "sad"}, 422),
        ({"answer": "sad"}, 422),
    ],
)
def test_an_answer_that_was_not_asked_for_is_refused_and_not_stored(client, opened, form, status):
    start(client)
    reply = client.post(f"/p/{TICKET}", data=form, follow_redirects=False)
    assert reply.status_code == status
    assert "Traceback" not in reply.text
    assert opened.database.rows() == []


def test_oversized_and_foreign_payloads_are_refused(client, opened):
    start(client)
    assert send(client, 1, "x" * (LARGEST_BODY_BYTES + 1)).status_code == 413
    assert client.post(f"/p/{TICKET}", json={"trial": 1, "answer": "sad"}).status_code == 422
    assert client.post(f"/p/{TICKET}", content=b"\xff\xfe", headers={
        "content-type": "application/x-www-form-urlencoded"}).status_code == 422  # fmt: skip
    many = {f"f{k}": "1" for k in range(200)}
    assert client.post(f"/p/{TICKET}", data=many).status_code == 422
    assert opened.database.rows() == []


@pytest.mark.parametrize("values", [{"age": "200"}, {"age": "young"}, {"gender": "<script>"}])
def test_nonsense_about_a_person_is_refused(client, opened, values):
    reply = start(client, **values)
    assert reply.status_code == 422
    assert 'name="agree" value="1" required checked' in reply.text  # the form comes again, to be corrected
    assert opened.database.counts()["started"] == 0
    assert client.delete("/").status_code == 405


def test_an_unknown_link_is_a_friendly_404(client):
    reply = client.get("/p/" + "z" * 32)
    assert reply.status_code == 404
    assert "cannot find a session for this link" in reply.text
    assert client.get("/no/such/page").status_code == 404
    assert client.get("/static/..%2fserver.py").status_code == 404
    assert client.get("/static/base.html").status_code == 404


def test_every_reply_carries_the_security_headers(client):
    for path in ("/", "/static/study.css", "/nothing", "/researcher"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        own_forms_keep_their_origin = path == "/researcher"  # no secret stands in its address
        assert headers["referrer-policy"] == ("same-origin" if own_forms_keep_their_origin else "no-referrer")
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
    assert client.get("/").headers["cache-control"] == "no-store"
    assert "server" not in client.get("/").headers


def test_pages_hold_no_address_of_another_host_and_no_intended_emotion(client, opened):
    start(client)
    page = client.get(f"/p/{TICKET}").text
    assert not re.findall(r"(?:https?:)?//(?!testserver)[a-z0-9.-]+", page)
    url = re.search(r'data-stimulus="([^"]+)"', page)[1]
    for entry in opened.design.stimuli:
        assert entry.name not in url
    assert client.get(url).json()["frames"] == 151
    assert "set-cookie" not in client.get(f"/p/{TICKET}").headers


def test_the_language_follows_the_browser_and_the_link(client):
    assert '<html lang="de" dir="ltr">' in client.get("/", headers={"accept-language": "de-AT,de;q=0.9"}).text
    assert '<html lang="en" dir="ltr">' in client.get("/", headers={"accept-language": "fr"}).text
    assert '<html lang="de" dir="ltr">' in client.get("/?lang=de", headers={"accept-language": "en"}).text


def test_the_researchers_page_opens_with_the_token_only(client, opened):
    start(client)
    send(client, 1)
    assert "Token from the file" in client.get("/researcher").text
    for path in ("counts.json", "answers.csv", "answers.json"):
        assert client.get(f"/researcher/{path}").status_code == 403
    assert client.post("/researcher", data={"token": "guess"}).status_code == 403
    assert client.post("/researcher", data={"token": opened.token}, follow_redirects=False).status_code == 303
    assert client.get("/researcher/counts.json").json()["answers"] == 1
    client.post("/researcher/close")
    assert client.get("/researcher/counts.json").status_code == 403
    bearer = {"authorization": f"Bearer {opened.token}"}
    assert client.get("/researcher/counts.json", headers=bearer).json()["started"] == 1


def test_guessing_the_token_is_slowed_down(opened):
    client = client_of(opened, logins_per_minute=3)
    replies = [client.post("/researcher", data={"token": f"guess{k}"}).status_code for k in range(5)]
    assert replies == [403, 403, 403, 429, 429]


def test_a_flood_of_requests_and_of_sessions_is_slowed_down(opened):
    client = client_of(opened, requests_per_minute=20)
    assert [client.get("/").status_code for _ in range(12)].count(429) == 2
    client = client_of(opened, starts_per_minute=2)
    assert [start(client, f"{k:032d}").status_code for k in range(4)] == [303, 303, 429, 429]
    assert opened.database.counts()["started"] == 2


def test_the_export_is_what_the_statistics_read(client, opened):
    start(client)
    for number in range(1, 12):
        see(client, number)
        send(client, number, "do not know" if number == 3 else "sad")
    bearer = {"authorization": f"Bearer {opened.token}"}
    text = client.get("/researcher/answers.csv", headers=bearer).text
    answers = parse_answers(text, "export")
    assert len(answers) == 10
    assert answers.practice == 1
    assert (answers.table["perceived"] == "do not know").sum() == 1
    table = json.loads(client.get("/researcher/answers.json", headers=bearer).text)
    assert table[0]["trial_type"] == "strut-forced-choice"
    assert {row["trial_index"] for row in table} == set(range(1, 12))


@pytest.mark.parametrize(
    ("question", "form", "stored"),
    [
        ("slider", {"rating": "-40", "touched": "1"}, {"rating": -0.4}),
        ("slider", {"rating": "0", "touched": "0", "undecided": "1"}, {"rating": None}),
        (
            "sam",
            {"pleasure": "1", "arousal": "5", "dominance": "9"},
            {"pleasure": -1.0, "arousal": 0.0, "dominance": 1.0},
        ),
    ],
)
def test_each_question_stores_what_it_asks(opened_of, question, form, stored):
    opened = opened_of(question)
    client = client_of(opened)
    start(client)
    assert client.post(f"/p/{TICKET}", data={"trial": "1"}, follow_redirects=False).status_code == 422
    client.post(f"/p/{TICKET}", data={"trial": "1", **form}, follow_redirects=False)
    assert opened.database.rows()[0]["reply"] == stored


def test_words_of_participants_are_no_formulas_in_a_spreadsheet(opened_of):
    opened = opened_of("free-label")
    client = client_of(opened)
    start(client)
    labels = ['=HYPERLINK("http://elsewhere.example")', "@sum(a1)", "-1+1", "+happy", "sad"]
    for trial, label in enumerate(labels, start=1):
        assert send(client, trial, label=label).status_code == 303
    text = client.get("/researcher/answers.csv", headers={"authorization": f"Bearer {opened.token}"}).text
    rows = [*csv.DictReader(io.StringIO(text))]
    assert [row["label"] for row in rows] == [*(f"'{label}" for label in labels[:4]), "sad"]
    read = parse_answers(text.replace("not shown to its end", ""), "answers.csv")
    assert [*read.table["label"]] == labels[-len(read) :]
    assert len(read) >= 4  # the others are practice
    sheet = code_sheet(read)
    assert code_sheet(read, sheet) == sheet  # written again, nothing gets a second apostrophe
    assert "\n'@sum(a1)," in sheet


def test_the_improvement_form_asks_all_nine_items(opened_of):
    opened = opened_of("improvement")
    client = client_of(opened)
    start(client)
    form = dict.fromkeys(opened.design.ask.items, "2")
    assert client.post(f"/p/{TICKET}", data={"trial": "1", **form, "speed": "3"}).status_code == 422
    client.post(f"/p/{TICKET}", data={"trial": "1", **form, "speed": "-2"})
    assert opened.database.rows()[0]["reply"] == {**dict.fromkeys(form, 2), "speed": -2}


def test_a_neutral_movement_is_not_to_become_more_so(opened_of):
    opened = opened_of("improvement", 'order = "random" => order = "fixed"')
    client = client_of(opened)
    form = dict.fromkeys(opened.design.ask.items, "0")
    start(client)
    for trial, entry in enumerate(opened.design.stimuli, start=1):
        page = client.get(f"/p/{TICKET}").text
        neutral = entry.intended == "neutral"
        assert ("meant to show no feeling" in page) == neutral
        assert ("What should change to make it look more" in page) != neutral
        client.post(f"/p/{TICKET}", data={"trial": str(trial), **form})


def test_shuffled_options_are_read_in_the_participants_own_order(opened_of):
    opened = opened_of("forced-choice", "shuffle = false => shuffle = true")
    client = client_of(opened)
    start(client)
    own = list(opened.design.ask.option_order(opened.design.seed, opened.database.participant(TICKET).identity))
    assert own != list(opened.design.ask.answer_options)
    for trial in (1, 2):
        assert re.findall(r'name="answer" value="([^"]+)"', client.get(f"/p/{TICKET}").text) == own
        send(client, trial)


def test_a_study_with_answers_cannot_be_preregistered(client, opened, capsys):
    folder = opened.design.folder
    command = ["study", "preregister", str(folder), "--people", "4", "--out", str(folder / "draft.md")]
    start(client)
    assert main(command) == 0  # somebody has begun, but there is no answer yet
    send(client, 1)
    capsys.readouterr()
    assert main([*command, "--force"]) == 2
    said = capsys.readouterr().err
    assert "answers.sqlite has 1 answer of people already" in said
    assert "Traceback" not in said


def test_forgetting_asks_first_and_reports_to_programs(study_of, capsys, monkeypatch):
    folder = study_of("forced-choice")
    opened = open_study(folder)
    client = client_of(opened)
    start(client)
    send(client, 1)
    code = deletion_code(TICKET)
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))
    assert main(["study", "forget", str(folder), code]) != 0
    assert len(opened.database.rows()) == 1
    capsys.readouterr()
    assert main(["study", "forget", str(folder), code, "--yes", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"code": code, "deleted": 1}
    assert opened.database.rows() == []
    opened.database.close()


def test_a_lost_database_is_a_refusal_and_not_a_crash(client, opened, monkeypatch, caplog):
    from strut.errors import StudyError  # noqa: PLC0415

    start(client)

    def lost(*_arguments, **_options):
        raise StudyError("The database is gone: password 123.")

    monkeypatch.setattr(type(opened.database), "answer", lost)
    reply = send(client, 1)
    assert reply.status_code == 503
    assert "password" not in reply.text
    assert "Your earlier answers are safe" in reply.text
    assert "password 123" in caplog.text  # for the operator


def test_an_error_of_the_server_is_logged_and_excused(client, opened, monkeypatch, caplog):
    def broken(*_arguments, **_options):
        raise RuntimeError("a mistake")

    monkeypatch.setattr(type(opened.database), "participant", broken)
    reply = client.get(f"/p/{TICKET}")
    assert reply.status_code == 500
    assert "Something went wrong on our side" in reply.text
    assert "a mistake" in caplog.text
    assert TICKET not in caplog.text  # the link is a secret


def test_serving_nonsense_is_one_sentence_and_exit_two(study_of, tmp_path, capsys):
    folder = study_of("sam")
    assert main(["study", "serve", str(tmp_path / "nothing")]) == 2
    assert "there is no such file; make a study" in capsys.readouterr().err
    assert main(["study", "serve", str(folder), "--database", "postgresql://a@127.0.0.1:1/b"]) == 2
    assert "cannot be used" in capsys.readouterr().err
    (folder / "researcher_token").write_text("short")
    assert main(["study", "serve", str(folder)]) == 2
    assert "can be guessed" in capsys.readouterr().err


def test_a_taken_port_is_one_sentence_and_exit_two(study_of, capsys):
    import socket  # noqa: PLC0415

    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["study", "serve", str(study_of("sam")), "--port", str(taken.getsockname()[1])]) == 2
    assert "choose another port" in capsys.readouterr().err


def test_answers_to_nothing_and_impossible_ones_are_kept_marked_and_excluded(client, opened):
    start(client)
    send(client, 1)  # practice
    for number, (shown, response_ms) in enumerate([(True, 5600), (False, 5600), (True, 90), (True, 7000)], start=2):
        if shown:
            see(client, number)
        send(client, number, response_ms=str(response_ms), plays="1", screen="1200x900", refresh_hz="60")
    rows = export_rows(opened.design, opened.database.rows())
    assert [row["excluded"] for row in rows[1:]] == ["", "not shown to its end", "too fast", ""]
    assert (rows[1]["screen"], rows[1]["refresh_hz"], rows[1]["still"]) == ("1200x900", 60, 0)
    answers = answers_of(opened.design, opened.database.rows())
    assert len(answers) == 2
    assert answers.remarks == ("2 answers were excluded from all tests: 1 not shown to its end, 1 too fast.",)


def test_what_is_seen_once_is_seen_in_one_tab(opened_of):
    opened = opened_of("forced-choice", "replay = true => replay = false")
    client = client_of(opened)
    start(client)
    assert see(client, 1, tab="a", states=["begun"]) == [200]
    assert see(client, 1, tab="b", states=["begun"]) == [409]
    assert see(client, 1, tab="a", states=["begun", "ended", "begun"]) == [200, 200, 409]  # a reload before the end may
    assert see(client, 2, tab="a", states=["begun"]) == [409]  # not yet


def test_any_participant_can_withdraw_and_is_gone(client, opened):
    start(client)
    see(client, 1)
    send(client, 1)
    assert f"/p/{TICKET}/withdraw" in client.get(f"/p/{TICKET}").text
    assert "answers so far: 1" in client.get(f"/p/{TICKET}/withdraw").text
    assert "has been deleted" in client.post(f"/p/{TICKET}/withdraw").text
    assert opened.database.rows() == []
    assert client.get(f"/p/{TICKET}").status_code == 404


def test_the_code_for_deletion_is_in_no_export_and_times_are_coarse(client, opened):
    start(client)
    for number in range(1, 12):
        send(client, number)
    shown = re.search(r"deletion code is ([0-9a-f]{12})", client.get(f"/p/{TICKET}").text)[1]
    assert shown == deletion_code(TICKET)
    bearer = {"authorization": f"Bearer {opened.token}"}
    text = client.get("/researcher/answers.csv", headers=bearer).text
    assert shown not in text
    assert re.search(r",\d{4}-\d\d-\d\d\n", text)
    exact = client.get("/researcher/answers.csv?times=exact", headers=bearer).text
    assert re.search(r",\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ\n", exact)
    assert opened.database.forget(shown) == 11


def with_ethics(opened_of):
    return opened_of("forced-choice", more=f"{ETHICS}minimum_age = 18\n")


def test_people_read_who_is_responsible_and_are_old_enough(opened_of):
    opened = with_ethics(opened_of)
    client = client_of(opened)
    page = client.get("/").text
    for words in ("A. Author", "2026-17", "https://example.org/sheet.pdf", "at least 18 years old"):
        assert words in page
    assert start(client).status_code == 422  # the age must be given
    young = start(client, age="17")
    assert young.status_code == 403
    assert "Nothing was stored" in young.text
    assert opened.database.counts()["started"] == 0
    assert start(client, age="18").status_code == 303


def test_a_public_study_says_who_is_responsible(study_of, capsys):
    assert main(["study", "serve", str(study_of("sam")), "--public"]) == 2
    assert "lacks [ethics], which --public needs: investigator" in capsys.readouterr().err


def test_people_come_from_a_platform_once_and_go_back(opened_of):
    opened = opened_of("forced-choice")
    code = {"platform": "prolific", "completion_code": "C0FFEE", "completion_url": "https://example.org/back?cc=1"}
    opened = replace(opened, design=replace(opened.design, recruiting=Recruiting(**code, quota=2)))
    client = client_of(opened)
    ids = {"PROLIFIC_PID": "5f1", "STUDY_ID": "s1", "SESSION_ID": "x"}
    assert 'name="PROLIFIC_PID" value="5f1"' in client.get("/", params=ids).text
    assert "<script>" not in client.get("/", params={"PROLIFIC_PID": "<script>"}).text
    assert start(client, **ids).status_code == 303
    again = start(client, ticket="a" * 32, **ids)
    assert again.status_code == 403
    assert "already taken part in this study" in again.text
    assert start(client, ticket="b" * 32, PROLIFIC_PID="other").status_code == 303
    assert "Enough people" in start(client, ticket="c" * 32, PROLIFIC_PID="third").text
    for number in range(1, 12):
        send(client, number)
    page = client.get(f"/p/{TICKET}").text
    assert "C0FFEE" in page
    assert "https://example.org/back?cc=1" in page
    bearer = {"authorization": f"Bearer {opened.token}"}
    assert "5f1" not in client.get("/researcher/answers.csv", headers=bearer).text
    assert ",5f1,s1,x" in client.get("/researcher/recruited.csv", headers=bearer).text


def test_behind_a_proxy_links_and_limits_follow_the_visitor(study_of, served):
    server = served(study_of("forced-choice"), "--trust-proxy", "127.0.0.0/8", "--requests-per-minute", "60")
    told = {"x-forwarded-for": "203.0.113.7", "x-forwarded-proto": "https", "host": "study.example.org"}
    with httpx2.Client(base_url=server.url) as client:
        codes = [client.get("/", headers=told).status_code for _ in range(35)]
        assert 429 in codes
        other = told | {"x-forwarded-for": "203.0.113.8"}
        assert client.get("/", headers=other).status_code == 200
        form = {"ticket": TICKET, "language": "en", "agree": "1"}
        client.post("/start", data=form, headers=other)
        assert f"https://study.example.org/p/{TICKET}" in client.get(f"/p/{TICKET}", headers=other).text


def test_only_a_named_proxy_is_believed(study_of, served):
    server = served(study_of("forced-choice"), "--trust-proxy", "10.0.0.0/8", "--requests-per-minute", "60")
    with httpx2.Client(base_url=server.url) as client:
        visitors = [{"x-forwarded-for": f"203.0.113.{k}", "x-forwarded-proto": "https"} for k in range(35)]
        assert 429 in [client.get("/", headers=told).status_code for told in visitors]  # they are one and the same


@pytest.mark.parametrize(
    ("proxy", "reason"),
    [("*", "neither an address nor a network"), ("nginx", "neither an"), ("0.0.0.0/0", "whole internet")],
)
def test_a_proxy_has_a_number(study_of, capsys, proxy, reason):
    assert main(["study", "serve", str(study_of("forced-choice")), "--trust-proxy", proxy]) == 2
    assert reason in capsys.readouterr().err


def test_pages_of_other_sites_cannot_use_the_researchers_page(opened):
    elsewhere = {"origin": "https://elsewhere.example"}
    own = {"origin": "http://testserver"}
    bearer = {"authorization": f"Bearer {opened.token}"}
    with TestClient(study_app(opened), follow_redirects=False) as client:
        for headers, status in ((elsewhere, 403), ({"origin": "null"}, 403), (own, 303), ({}, 303)):
            assert client.post("/researcher", data={"token": opened.token}, headers=headers).status_code == status
            assert client.post("/researcher/close", headers=headers).status_code == status
        assert client.get("/researcher/answers.csv", headers=bearer | elsewhere).status_code == 403
        assert client.get("/researcher/answers.csv", headers=bearer).status_code == 200


def test_a_study_on_this_machine_shows_its_answers_under_this_machines_name_alone(opened):
    bearer = {"authorization": f"Bearer {opened.token}"}
    with TestClient(study_app(opened, is_local=True), follow_redirects=False) as client:
        for host, status in (("127.0.0.1:8000", 200), ("localhost", 200), ("elsewhere.example:8000", 403)):
            assert client.get("/researcher/answers.csv", headers=bearer | {"host": host}).status_code == status
            assert client.get("/researcher", headers={"host": host}).status_code == status
        participant = client.get("/", headers={"host": "elsewhere.example:8000"})
        assert participant.status_code == 200  # this page holds no secret


def test_a_server_that_is_ended_leaves_one_whole_file(study_of, served, tmp_path, capsys):
    folder = study_of("forced-choice")
    server = served(folder)
    with httpx2.Client(base_url=server.url) as client:
        client.post("/start", data={"ticket": TICKET, "language": "en", "agree": "1"})
        client.post(f"/p/{TICKET}", data={"trial": "1", "answer": "sad"})
    copy = tmp_path / "copy.sqlite"
    assert main(["study", "backup", str(folder), str(copy), "--json"]) == 0  # while it runs
    assert json.loads(capsys.readouterr().out)["answers"] == 1
    server.process.terminate()
    server.process.wait(timeout=20)
    assert not list(folder.glob("answers.sqlite-*"))  # nothing is left beside it
    with sqlite3.connect(folder / "answers.sqlite") as whole:
        assert whole.execute("select count(*) from strut_answer").fetchone() == (1,)
    opened = open_study(folder, f"sqlite:///{copy}")
    assert [row["reply"] for row in opened.database.rows()] == [{"perceived": "sad"}]
    opened.database.close()
    assert main(["study", "backup", str(folder), str(copy)]) == 2
