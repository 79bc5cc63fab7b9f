import re
import signal
import socket
import time
import urllib.error
import urllib.request
from types import SimpleNamespace

import numpy as np
import pytest
import viser
from playwright.sync_api import Browser
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

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
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/[\w-]{22}/", urls[0])


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


def test_only_the_printed_address_opens_the_scene(stool: Robot, bare: Motion) -> None:
    with Viewer(SideBySide([bare], [stool]), port=0) as viewer:
        place = re.match(r"http://([^/]+)/", viewer.url)
        assert place is not None
        own = place[1]
        port = own.rpartition(":")[2]
        for url, headers in (
            (f"http://{own}/", {}),
            (f"http://{own}/guessed/", {}),
            (viewer.url, {"Host": f"elsewhere.example:{port}"}),
            (viewer.url, {"Origin": "http://elsewhere.example"}),
        ):
            with pytest.raises(urllib.error.HTTPError) as caught:
                urllib.request.urlopen(urllib.request.Request(url, headers=headers))
            caught.value.close()
            assert caught.value.code == 403
        with urllib.request.urlopen(
            urllib.request.Request(viewer.url, headers={"Host": f"localhost:{port}"})
        ) as answer:
            assert answer.status == 200
            assert answer.headers["Referrer-Policy"] == "no-referrer"


def scene_bytes(url: str, *, origin: str | None = None, host: str | None = None) -> int:
    """Return how many bytes of a scene a websocket is sent first."""
    version = Subprotocol(f"viser-v{viser.__version__}")
    headers = {"Host": host} if host else {}
    address = url.replace("http:", "ws:").rstrip("/")
    with connect(
        address, subprotocols=[version], origin=None if origin is None else Origin(origin), additional_headers=headers
    ) as socket:
        return len(socket.recv(timeout=20))


def test_only_the_page_itself_opens_a_websocket(stool: Robot, bare: Motion) -> None:
    with Viewer(SideBySide([bare], [stool]), port=0) as viewer:
        own = viewer.url.rsplit("/", 2)[0]
        assert scene_bytes(viewer.url, origin=own) > 100
        for url, origin in (
            (own, own),
            (f"{own}/guessed/", own),
            (viewer.url, "http://elsewhere.example"),
            (viewer.url, "http://127.0.0.1:1"),
            (viewer.url, "null"),
        ):
            with pytest.raises(InvalidStatus, match="403"):
                scene_bytes(url, origin=origin)


def test_a_page_of_another_origin_cannot_open_the_scene(
    browser: Browser, other_origin: str, stool: Robot, bare: Motion
) -> None:
    with Viewer(SideBySide([bare], [stool]), port=0) as viewer:
        tab = Tab(browser, width_px=200, height_px=200)
        tab.page.goto(other_origin)
        for address in (viewer.url, viewer.url.rsplit("/", 2)[0] + "/"):
            opened = tab.page.evaluate(
                """([url, version]) => new Promise((done) => {
                    const socket = new WebSocket(url.replace("http:", "ws:").replace(/[/]$/, ""), version);
                    socket.onopen = () => done(true);
                    socket.onerror = () => done(false);
                })""",
                [address, f"viser-v{viser.__version__}"],
            )
            assert opened is False
        tab.page.context.close()
