"""`strut study serve`: what the researcher reads before the first participant comes."""

import re
import urllib.request

import httpx2
import pytest
import uvicorn

from strut.cli.main import main
from strut.study.server import server
from tests.study.real_parts import StudyServer


@pytest.fixture
def _stops_at_once(monkeypatch):
    """End the server as Ctrl-C would, as soon as it would wait for participants."""
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)


@pytest.mark.usefixtures("_stops_at_once")
def test_it_prints_both_addresses_the_token_and_the_next_command(study_of, capsys):
    folder = study_of("forced-choice")
    assert main(["study", "serve", str(folder), "--port", "0"]) == 0
    lines = capsys.readouterr().err.splitlines()
    (participants,) = [line for line in lines if line.startswith("participants:")]
    (researchers,) = [line for line in lines if line.startswith("researchers:")]
    address = re.search(r"http://127\.0\.0\.1:\d+", participants)[0]
    assert participants.endswith(f"{address}/")
    assert f"{address}/researcher (token in {folder / 'researcher_token'})" in researchers
    assert (folder / "researcher_token").is_file()
    assert lines[-1] == f"next: strut study report {folder}"
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(address)


@pytest.mark.usefixtures("_stops_at_once")
def test_a_public_study_without_a_responsible_investigator_is_refused(study_of, capsys):
    folder = study_of("forced-choice")
    assert main(["study", "serve", str(folder), "--port", "0", "--public"]) == 2
    assert "ethics" in capsys.readouterr().err


@pytest.mark.usefixtures("_stops_at_once")
@pytest.mark.parametrize(
    ("host", "proxies", "is_local"),
    [("127.0.0.1", (), True), ("127.0.0.1", ("127.0.0.1",), False), ("0.0.0.0", (), False)],
)
def test_a_study_is_local_only_on_this_machine_and_without_a_proxy(study_of, monkeypatch, host, proxies, is_local):
    made = []
    original = server.study_app
    monkeypatch.setattr(
        server, "study_app", lambda *given, **options: made.append(options) or original(*given, **options)
    )
    folder = study_of("forced-choice")
    server.serve_study(folder, host=host, port=0, trusted_proxies=proxies, on_ready=lambda _url: None)
    assert made == [{"is_local": is_local, "is_preview": False}]


def test_a_preview_takes_answers_and_keeps_none(study_of, capsys):
    folder = study_of("sam", "practice = 1 => practice = 0")
    served = StudyServer(folder, "--preview")
    try:
        style = httpx2.get(f"{served.url}/static/study.css").text
        assert "no answer is kept" in style
        ticket = "k" * 32
        begun = httpx2.post(f"{served.url}/start", data={"ticket": ticket, "language": "en", "agree": "1"})
        assert begun.status_code in (200, 303)
        for state in ("begun", "ended"):
            seen = {"trial": "1", "tab": "one", "state": state}
            assert httpx2.post(f"{served.url}/p/{ticket}/showing", data=seen).status_code == 200
        ratings = {"pleasure": "5", "arousal": "5", "dominance": "5"}
        answered = httpx2.post(f"{served.url}/p/{ticket}", data={"trial": "1", **ratings})
        assert answered.status_code == 303
        assert "2 of" in httpx2.get(f"{served.url}/p/{ticket}").text
    finally:
        served.stop()
    assert not list(folder.glob("*.sqlite*"))
    assert main(["study", "report", str(folder)]) == 2
    assert "has no answers yet" in capsys.readouterr().err


def test_a_preview_has_no_database(study_of, capsys):
    assert main(["study", "serve", str(study_of("sam")), "--preview", "--database", "sqlite:///a"]) == 2
    assert "--preview does not apply with --database" in capsys.readouterr().err
