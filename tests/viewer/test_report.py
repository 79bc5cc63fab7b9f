import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from playwright.sync_api import Browser
from scipy.ndimage import binary_dilation, label

from strut.errors import FileError, OutOfRangeError
from strut.motion import Motion
from strut.robot import Robot
from strut.viewer.files import save_html
from strut.viewer.footage import footage
from tests.viewer.browser import Tab, share_changed

INSIDE = "document.querySelector('iframe').contentDocument?.querySelector"
PLAYED_S = f"parseFloat({INSIDE}('input')?.value ?? '0')"
LOADING = ("src", "href", "data", "poster", "action", "srcset", "background")


class Outline(HTMLParser):
    """What a page loads, and what it says to those who do not see it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.images_without_words = 0
        self.tags: list[str] = []
        self.inner = ""
        self.language: str | None = None
        self.said = ""
        self.feed(text)

    def handle_data(self, data: str) -> None:
        self.said += data if len(data) < 2000 else ""  # no style sheet

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.tags.append(tag)
        self.loads += [values[name] or "" for name in LOADING if name in values]
        self.images_without_words += tag == "img" and not values.get("alt")
        self.inner = values.get("srcdoc") or self.inner
        self.language = values.get("lang") if tag == "html" else self.language


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory, robot: Robot, calm: Motion, angry: Motion) -> Path:
    path = tmp_path_factory.mktemp("report") / "three.html"
    save_html([calm, angry, calm], [robot] * 3, path)
    return path


def test_nothing_on_the_page_comes_from_another_host(report: Path) -> None:
    outline = Outline(report.read_text())
    assert outline.inner
    loads = outline.loads + Outline(outline.inner).loads
    assert loads
    assert all(address.startswith("data:") for address in loads)
    assert not re.search(r"(url\(|@import)\s*['\"]?\s*(https?:)?//", report.read_text())
    assert "default-src 'none'" in report.read_text()


def test_the_page_is_small_and_readable_without_eyes(report: Path) -> None:
    outline = Outline(report.read_text())
    assert report.stat().st_size < 12e6
    assert outline.language == "en"
    assert outline.images_without_words == 0
    assert outline.tags.count("h1") == 1
    assert outline.tags.count("article") == 3
    assert outline.tags.count("img") == 3 + 3 * 5


def test_the_page_contains_the_receipts(report: Path, angry: Motion) -> None:
    text = report.read_text()
    assert angry.receipt is not None
    assert f"{angry.receipt.balance_margin_mm:.1f} mm" in text
    assert " of angry" in text


def test_a_page_about_an_unmeasured_motion_of_another_robot_is_written(
    tmp_path: Path, stool: Robot, bare: Motion, capsys: pytest.CaptureFixture[str]
) -> None:
    save_html([bare], [stool], tmp_path / "stool.html")
    text = (tmp_path / "stool.html").read_text()
    assert "A one-legged stool" in text
    assert "Not checked yet" in text
    assert Outline(text).tags.count("img") == 1 + 3
    with pytest.raises(FileError, match="is there already"):
        save_html([bare], [stool], tmp_path / "stool.html")
    assert capsys.readouterr() == ("", "")


def test_a_robot_without_floating_base_and_feet_is_shown_too(tmp_path: Path, arm: Robot, wave: Motion) -> None:
    save_html([wave], [arm], tmp_path / "arm.html")
    assert Outline((tmp_path / "arm.html").read_text()).tags.count("img") == 1 + 1


def test_the_page_says_how_much_of_a_long_motion_moves(tmp_path: Path, robot: Robot, calm: Motion) -> None:
    save_html([calm], [robot], tmp_path / "short.html", max_shown_s=1.0)
    assert f"the first 1 of at most {calm.duration_s:.0f} s" in (tmp_path / "short.html").read_text()


@pytest.fixture(scope="module")
def phone(browser: Browser, report: Path) -> Iterator[Tab]:
    """A phone without network that has opened the page of three robots; browsers take seconds to draw one."""
    tab = Tab(browser, width_px=390, height_px=844)
    tab.page.context.set_offline(True)
    tab.page.goto(report.as_uri())
    assert tab.wait_until(f"{INSIDE}('canvas') !== null", most_s=60.0)
    yield tab
    tab.page.context.close()


def test_on_a_phone_the_page_keeps_its_width_and_every_robot_is_seen(phone: Tab, calm: Motion, robot: Robot) -> None:
    high_px, wide_px, still_px = phone.page.evaluate(
        "[document.querySelector('iframe').clientHeight, document.documentElement.scrollWidth,"
        " Math.max(...[...document.querySelectorAll('.stills img')].map(still => still.getBoundingClientRect().right))]"
    )
    assert high_px > 0.55 * 844  # the bar that plays it is part of it
    assert max(wide_px, still_px) <= 390
    phone.page.evaluate("document.querySelector('iframe').scrollIntoView()")
    assert phone.wait_until(f"{PLAYED_S} > 0", most_s=60.0)
    gold = np.array(footage(calm, robot, np.array([0])).solids[0].color[:3])
    for _ in range(60):  # the first pictures of a busy machine may come before the scene is drawn
        if (bodies := _bodies_like(gold, np.asarray(phone.picture(), dtype=float)[: int(high_px)])) >= 3:
            break
        phone.page.wait_for_timeout(500)
    assert bodies >= 3


def _bodies_like(color: np.ndarray, scene: np.ndarray) -> int:
    """Return how many patches of a colour, whatever its brightness, a picture holds."""
    hue = scene / np.maximum(scene.max(axis=2, keepdims=True), 1.0)
    _, patches = label(binary_dilation(np.linalg.norm(hue - color / color.max(), axis=2) < 0.12, iterations=2))
    return int(patches)


def test_the_robots_move_in_a_browser_without_network(phone: Tab) -> None:
    phone.page.evaluate("document.querySelector('iframe').scrollIntoView()")
    assert phone.wait_until(f"{PLAYED_S} > 0", most_s=90.0)
    window = phone.page.evaluate(
        "(() => { const frame = document.querySelector('iframe').getBoundingClientRect();"
        f" const box = {INSIDE}('canvas').getBoundingClientRect();"
        " return [frame.left + box.left, frame.top + box.top, frame.left + box.right, frame.top + box.bottom]; })()"
    )
    first = phone.picture().crop(window)
    changed = 0.0
    played_s = {phone.page.evaluate(PLAYED_S)}
    for _ in range(60):  # a busy machine draws a picture in a second or two
        phone.page.wait_for_timeout(500)
        changed = max(changed, share_changed(first, phone.picture().crop(window)))
        played_s.add(phone.page.evaluate(PLAYED_S))  # all that were seen: a loop may be at its start again
        if changed > 0.005 and len(played_s) > 1:
            break
    assert changed > 0.005
    assert len(played_s) > 1
    assert phone.errors == []
    assert {address.split(":")[0] for address in phone.requests} <= {"file", "data", "blob"}


def test_words_follow_what_the_motion_is(tmp_path: Path, arm: Robot, wave: Motion, report: Path) -> None:
    save_html([wave], [arm], tmp_path / "arm.html", max_shown_s=0.2)
    text = (tmp_path / "arm.html").read_text()
    assert "half way through" in text
    assert not [word for word in ("step", "foot", "feet", "support polygon") if word in Outline(text).said]
    assert "in mid-step" in report.read_text()


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_a_page_needs_some_time_to_show(tmp_path: Path, stool: Robot, bare: Motion, seconds: float) -> None:
    with pytest.raises(OutOfRangeError, match="duration of a film"):
        save_html([bare], [stool], tmp_path / "none.html", max_shown_s=seconds)


def test_words_of_a_robot_or_a_file_are_text_on_the_page_and_no_markup(
    tmp_path: Path, stool: Robot, bare: Motion
) -> None:
    named = replace(stool, title="<b onclick=alert(1)>Stool</b> & co")
    save_html([bare], [named], tmp_path / "stool.html")
    text = (tmp_path / "stool.html").read_text()
    assert "&lt;b onclick=alert(1)&gt;Stool&lt;/b&gt; &amp; co" in text
    assert "<b onclick" not in text
