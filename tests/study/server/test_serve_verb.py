"""`strut study serve`: what the researcher reads before the first participant comes."""

import re
import urllib.request

import pytest
import uvicorn

from strut.cli.main import main
from strut.study.server import server


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
    assert made == [{"is_local": is_local}]
