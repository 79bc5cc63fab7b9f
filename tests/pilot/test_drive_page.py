"""The page from which a person drives, in a real browser against the real server."""

import json
import re
import threading
import time
import urllib.error
import urllib.request

import numpy as np
import pytest

import strut
from strut.pilot.live.drive_page import DrivePage
from strut.pilot.live.live_pilot import LivePilot
from tests.stories import paw, slow_nod

LONGEST_S = 90.0  # that a busy machine may take for a few seconds of walking


def perform(name):
    """Return a short story; it is made in another process."""
    if name == "paw":
        return strut.animation.preview_animation("mrpete", paw())
    return strut.animation.preview_animation("cassie", slow_nod())


class Heard(DrivePage):
    """A page that knows when it is asked."""

    def handle(self, path, body):
        answer = super().handle(path, body)
        self.ears.set()
        return answer


@pytest.fixture(scope="module")
def driven():
    """Yield a page whose clock runs in a thread, 0.3 s whenever somebody asks: nobody seems silent."""
    Heard.ears = threading.Event()
    over = threading.Event()
    page = Heard(LivePilot(strut.load_robot("cassie")), stories=("nod", "paw"), perform=perform, port=0)

    def run():
        while not over.is_set():
            if Heard.ears.wait(0.1):
                Heard.ears.clear()
                for _ in range(3):
                    page.step(0.1)

    with page:
        thread = threading.Thread(target=run)
        thread.start()
        yield page
        over.set()
        thread.join()


def ask(page, path, body=b"null", headers=None):
    url = path if path.startswith("http") else page.url + path.removeprefix("/")
    request = urllib.request.Request(url, body, headers=headers or {})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read())


def test_only_the_page_itself_is_answered_and_nonsense_is_refused(driven):
    with urllib.request.urlopen(driven.url, timeout=30) as answer:
        text = answer.read().decode()
    assert "Drive cassie" in text
    assert 'data-story="nod"' in text
    for path, body, headers, code in (
        ("/steer", b"{}", {"Origin": "http://elsewhere.example"}, 403),
        ("/steer", b"{}", {"Origin": "null"}, 403),  # of a page in a sandbox or from a file
        ("/steer", b"{}", {"Origin": "http://127.0.0.1:1"}, 403),  # of another program on this machine
        ("/steer", b"{}", {"Host": "elsewhere.example"}, 403),  # a name that points to this machine
        (driven.url.replace(driven.access.token, "guess") + "steer", b"{}", None, 403),
        (re.match(r"http://[^/]+/", driven.url)[0], None, None, 403),
        ("/steer", b"{}", {"Content-Length": "-1"}, 413),
        ("/steer", b"noise", None, 400),
        ("/steer", b'{"forward": "fast"}', None, 400),
        ("/fly", b"null", None, 400),
        ("/steer", b" " * 5000, None, 413),
    ):
        with pytest.raises(urllib.error.HTTPError) as caught:
            ask(driven, path, body, headers)
        caught.value.close()
        assert caught.value.code == code
    with urllib.request.urlopen(re.search(r'iframe src="([^"]+)"', text)[1], timeout=30) as answer:
        assert answer.status == 200  # the scene


def test_a_page_of_another_origin_can_neither_steer_nor_read(driven, browser, other_origin):
    page = browser.new_page()
    page.goto(other_origin)
    outcome = page.evaluate(
        """async ([url, bare]) => {
            const said = {};
            const post = {method: "POST", mode: "no-cors", body: '{"forward": 1, "walking": true}'};
            for (const target of [url + "steer", bare + "steer"]) await fetch(target, post).catch(() => 0);
            said.read = await fetch(url).then((answer) => answer.text()).catch(() => "refused");
            return said;
        }""",
        [driven.url, re.match(r"http://[^/]+/", driven.url)[0]],
    )
    page.close()
    assert outcome == {"read": "refused"}
    for _ in range(3):
        state = ask(driven, "/reset")
        assert state["mode"] == "standing"


def until(page, what, wanted):
    """Ask again and again, as the page does, until the answer is as wanted; seldom while another process works."""
    end = time.monotonic() + LONGEST_S
    while time.monotonic() < end:
        state = ask(page, *what)
        if wanted(state):
            return state
        time.sleep(0.3 if state["making"] else 0.05)
    raise AssertionError(state)


def test_animations_are_made_and_played_and_impossible_ones_refused(driven):
    middle = ("/steer", b"{}")
    ask(driven, "/play", b'"sing"')
    until(driven, middle, lambda state: state["message"] == "There is no story 'sing'.")
    ask(driven, "/play", b'"nod"')
    until(driven, middle, lambda state: state["doing"] == "nod" and state["phase"] == "play")
    ask(driven, "/play", b'"paw"')
    until(driven, middle, lambda state: "are not those of cassie" in state["message"])


def opened(driven, browser, script=""):
    """Return the page in a browser, without the scene, which takes more time than all the rest without graphics."""
    page = browser.new_page(viewport={"width": 480, "height": 320})
    page.add_init_script(script)
    page.route("**/*", lambda route: route.continue_() if driven.url in route.request.url else route.abort())
    page.goto(driven.url)
    return page


def test_a_gamepad_is_a_stick(driven, browser):
    page = opened(driven, browser, "window.pad = null; navigator.getGamepads = () => [null, window.pad];")
    for axes, pressed, asked in (
        ([0.0, 0.0, 0.0, 0.0], None, {"forward": 0, "left": 0, "turn": 0, "walking": False}),
        ([0.1, -0.1, 0.11], None, {"forward": 0, "left": 0, "turn": 0}),  # a stick never rests exactly in the middle
        ([-0.5, -1.0, 0.25], None, {"forward": 1.0, "left": 0.5, "turn": -0.25}),
        ([0.0, 1.5], None, {"forward": -1.0, "turn": 0}),
        ([0.0], 3, {"forward": 0, "walking": False}),  # no stick at all
        ([0.0, 0.0], 3, {"walking": True}),
        ([0.0, 0.0], 0, {"walking": False}),
    ):
        pad = {"connected": True, "axes": axes, "buttons": [{"pressed": number == pressed} for number in range(4)]}
        said = page.evaluate("pad => { window.pad = pad; return command(); }", pad)
        assert {name: said[name] for name in asked} == asked
    page.evaluate("window.pad = {...window.pad, axes: [0, -1], connected: false}")
    assert page.evaluate("command().forward") == 0
    page.evaluate("window.pad.connected = true")
    page.wait_for_function("document.getElementById('figures').textContent.includes('driven by you')", timeout=3e4)
    page.close()


def test_keys_drive_the_robot_and_a_fall_offers_a_reset(driven, browser):
    wait = {"timeout": 1e3 * LONGEST_S}
    page = opened(driven, browser)
    page.wait_for_function("document.body.dataset.mode === 'standing'", **wait)
    page.keyboard.down("w")
    page.wait_for_function("Number(document.body.dataset.forward) > 0.2", **wait)
    assert page.inner_text("#mode") == "walks"
    assert "driven by you" in page.inner_text("#figures")
    page.evaluate("setHeight(0.70)")  # as the slider does
    page.wait_for_function("document.getElementById('message').textContent.includes('walking height is 0.7 m')", **wait)
    page.keyboard.up("w")
    page.keyboard.press("Space")
    page.wait_for_function("document.body.dataset.mode === 'standing'", **wait)
    assert driven.pilot.qpos[0] > 0.1  # it has come forward
    assert page.locator("#fallen").is_hidden()
    driven.pilot.plant.push(np.array([0.0, 500.0, 0.0]))
    page.locator("#fallen").wait_for(state="visible", **wait)
    assert "cassie has fallen" in page.inner_text("#fallen")
    page.click("#again")
    page.wait_for_function("document.body.dataset.fell === 'false'", **wait)
    box = page.locator("#stick").bounding_box()
    middle = box["x"] + box["width"] / 2.0, box["y"] + box["height"] / 2.0
    page.mouse.move(*middle)
    page.mouse.down()
    page.mouse.move(middle[0], middle[1] + 60.0)
    page.wait_for_function("Number(document.body.dataset.forward) < -0.1", **wait)  # down is backwards
    page.mouse.up()
    page.close()
