import signal
import socket
import time
import urllib.request
from types import SimpleNamespace

import numpy as np
import pytest
from playwright.sync_api import Browser

from strut.errors import CannotListenError
from strut.motion import Motion
from strut.robot import Robot
from strut.viewer import viewer as viewer_module
from strut.viewer.footage import SideBySide
from strut.viewer.viewer import Viewer, show
from tests.viewer.browser import Tab, share_changed


def test_a_viewer_serves_steps_pauses_and_stops(
    robot: Robot, stool: Robot, calm: Motion, bare: Motion, capsys: pytest.CaptureFixture[str]
) -> None:
    with Viewer(SideBySide([calm, bare], [robot, stool]), port=0) as viewer:
        with urllib.request.urlopen(viewer.url) as answer:
            assert answer.status == 200
        viewer.step(0.5)
        assert viewer.time_s == pytest.approx(0.5)
        viewer.speed = 2.0
        viewer.step(0.5)
        assert viewer.time_s == pytest.approx(1.5)
        viewer.play(False)
        viewer.step(1.0)
        assert viewer.time_s == pytest.approx(1.5)
        viewer.go_to(1e9)
        assert viewer.time_s == pytest.approx(calm.duration_s)
        viewer.play(True)
        shown_s = [viewer.time_s]
        for _ in range(90):
            viewer.step(0.01)
            shown_s.append(viewer.time_s)
        assert np.abs(np.diff(shown_s)).max() < 0.05 * calm.duration_s  # after the end it is rewound, without a jump
        assert min(shown_s) < 0.1 < shown_s[-1]  # and starts again
        url = viewer.url
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(url)
    assert capsys.readouterr() == ("", "")


def test_a_taken_port_is_named_and_another_advised(stool: Robot, bare: Motion) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        with pytest.raises(CannotListenError) as caught:
            Viewer(SideBySide([bare], [stool]), port=port)
    assert str(caught.value) == (
        f"Cannot listen on 127.0.0.1:{port} (address already in use); "
        "stop the program that listens there, or choose another port."
    )


def test_a_port_that_cannot_be_is_refused(stool: Robot, bare: Motion) -> None:
    with pytest.raises(CannotListenError, match="ports go from 0 to 65535"):
        Viewer(SideBySide([bare], [stool]), port=70000)


def test_serving_goes_on_until_ctrl_c(monkeypatch: pytest.MonkeyPatch, stool: Robot, bare: Motion) -> None:
    naps = iter(range(3))

    def nap(_seconds: float) -> None:
        if next(naps, None) is None:
            signal.raise_signal(signal.SIGINT)

    clock = SimpleNamespace(sleep=nap, perf_counter=time.perf_counter)  # other threads keep their own sleep
    monkeypatch.setattr(viewer_module, "time", clock)
    urls: list[str] = []
    show(bare, stool, port=0, on_ready=urls.append)
    assert urls[0].startswith("http://127.0.0.1:")


def test_a_browser_shows_the_robot_and_its_steps(browser: Browser, stool: Robot, bare: Motion) -> None:
    with Viewer(SideBySide([bare], [stool]), port=0) as viewer:
        tab = Tab(browser, width_px=1000, height_px=400)
        tab.page.goto(viewer.url)
        for _ in range(150):
            tab.page.wait_for_timeout(200)
            picture = np.asarray(tab.picture(), dtype=int)[:, :650]  # the panel is on the right
            blue = picture[..., 2] - picture[..., :2].max(axis=-1) > 60  # the seat
            if blue.mean() > 0.02:
                break
        assert blue.mean() > 0.02
        before = tab.picture()
        viewer.go_to(0.25)
        for _ in range(60):
            tab.page.wait_for_timeout(200)
            if (changed := share_changed(before, tab.picture())) > 0.002:
                break
        assert changed > 0.002
        tab.page.context.close()
