"""A motion in a notebook: a page in a cell, and a viewer that plays in the background."""

import html
import re
import sys
import threading
import time
import urllib.request
from types import SimpleNamespace

import pytest

from strut.motion import Motion
from strut.viewer import notebook
from strut.viewer.notebook import motion_html, show_motion
from strut.viewer.viewer import Viewer


@pytest.fixture
def opened(monkeypatch):
    """Return the addresses that are opened in the browser of the user."""
    urls = []
    monkeypatch.setattr(notebook.webbrowser, "open", urls.append)
    return urls


def test_a_cell_holds_the_whole_page_of_a_motion_in_a_frame(calm: Motion) -> None:
    frame = motion_html(calm.samples(slice(0, 40)))
    page = html.unescape(re.fullmatch(r'<iframe srcdoc="([^"]*)" style="[^"]*"></iframe>', frame, re.DOTALL)[1])
    assert page.startswith("<!doctype html>")
    assert "Mr. Pete" in page
    assert "height:640px" in frame


def test_from_a_notebook_a_motion_plays_in_the_background(calm: Motion, opened, monkeypatch, capsys) -> None:
    viewers = []
    ended = threading.Event()

    class KeptViewer(Viewer):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            viewers.append(self)

    def nap(seconds: float) -> None:
        assert 0.0 < seconds < 0.1
        time.sleep(0.01)
        if viewers and viewers[0].time_s > 0.05:  # none yet for a thread that an earlier test has left
            ended.set()
            threading.Event().wait()  # for ever: a daemon's thread does not keep the process alive

    monkeypatch.setattr(notebook, "Viewer", KeptViewer)
    monkeypatch.setattr(notebook, "time", SimpleNamespace(sleep=nap, perf_counter=time.perf_counter))
    monkeypatch.setitem(sys.modules, "ipykernel", SimpleNamespace())
    show_motion(calm)  # returns at once
    try:
        assert opened == [viewers[0].url]
        assert capsys.readouterr().err == f"{opened[0]}\n"
        with urllib.request.urlopen(opened[0]) as answer:
            assert answer.status == 200
        assert ended.wait(20.0)
    finally:
        viewers[0].__exit__()


def test_elsewhere_a_motion_is_shown_until_it_is_interrupted(calm: Motion, opened, monkeypatch) -> None:
    shown = []
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    monkeypatch.setattr(
        notebook, "show", lambda motion, robot, **options: shown.append((motion, robot.name, options["port"]))
    )
    show_motion(calm)
    assert shown == [(calm, "mrpete", 0)]
