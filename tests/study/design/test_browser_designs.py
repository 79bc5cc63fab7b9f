"""In a real browser: every design by touch and by keyboard, pairs by mouse; axe finds nothing."""

from __future__ import annotations

import re

import pytest

from strut.study.design.exclusion import exclusion_mark
from strut.study.questions.improvement import IMPROVEMENT_ITEMS
from tests.study.browsing import (
    PHONE,
    SHORT,
    TRIALS,
    answer_by_pointer,
    answer_check,
    begin,
    violations,
    wait_for_a_picture,
    watch,
)


def expect_answers(server, question, count):
    rows = server.opened.database.rows()
    assert [row["trial"] for row in rows] == list(range(1, count + 1))
    for row in rows:
        if "check" in row["reply"]:
            assert row["reply"]["check"] == row["reply"]["asked"]
            continue
        expect_reply(row, question)
        assert (row["plays"], row["showings"]) == (1, 1)
        assert row["response_ms"] >= (0 if question == "continuous" else 300)  # the motion was seen to its end
        assert exclusion_mark(row, answers_during_motion=question == "continuous") == ""
        assert re.fullmatch(r"\d+x\d+", row["detail"]["screen"])


def expect_reply(row, question):
    if question == "slider":
        assert row["reply"]["rating"] == pytest.approx(0.6, abs=0.05)
    elif question == "continuous":
        trace = [int(value) for value in row["reply"]["trace"].split(" ")]
        assert len(trace) == 21  # 2 s, ten times a second
        assert trace[0] == 0
        assert trace[-1] == 20  # a tenth of the scale
    elif question == "improvement":
        assert set(row["reply"].values()) == {2}
    else:
        stored = {
            "forced-choice": {"perceived": "sad"},
            "sam": {"pleasure": -0.75, "arousal": 1.0, "dominance": 0.0},
            "free-label": {"label": "quite sad"},
            "pairwise": {"chosen": row["other"], "confidence": 5},
        }
        assert row["reply"] == stored[question]


def expect_figure_in_view(page):
    """Scroll to the end of a long form: the figure must stay in the upper half of the screen."""
    page.evaluate("window.scrollTo(0, document.getElementById('next').offsetTop)")
    assert page.evaluate("window.scrollY") > 100
    box = page.locator("canvas").bounding_box()
    assert box["y"] >= 0.0
    assert box["y"] + box["height"] < 0.5 * page.viewport_size["height"]


@pytest.mark.parametrize("running", TRIALS, indirect=True)
def test_a_participant_completes_each_design_on_a_phone_and_axe_finds_nothing(running, visit, axe):
    question = running.opened.design.question
    page = visit(**PHONE)

    def press(target):
        target.tap()

    begin(page, running, press)
    for number in range(1, TRIALS[question] + 1):
        page.get_by_text(f"Movement {number} of {TRIALS[question]}", exact=True).wait_for()
        assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "scrolls sideways"
        sizes = page.evaluate(
            "[...document.querySelectorAll('label, button, input[type=range]')].filter(e => e.checkVisibility())"
            ".map(e => e.getBoundingClientRect()).map(b => [b.width, b.height])"
        )
        assert all(width >= 24 and height >= 24 for width, height in sizes)  # WCAG 2.2, target size
        if number == 1 or page.locator("#check").count():
            assert violations(page, axe) == []
        if number == 1 and question in ("sam", "improvement"):
            expect_figure_in_view(page)
        if not answer_check(page, press):
            answer_by_pointer(page, question, press)
    page.get_by_role("heading", name="Thank you!").wait_for()
    expect_answers(running, question, TRIALS[question])
    asked = [url for url in page.requested if not url.startswith("data:")]
    assert {re.match(r"https?://[^/]+", url)[0] for url in asked} == {running.url}
    assert page.failed == []


def test_two_motions_are_compared_with_a_mouse_also_where_people_read_from_right_to_left(on_the_web, visit, axe):
    server = on_the_web("pairwise", f'{SHORT["pairwise"]}\nlanguages = ["en", "de"] => languages = ["fa"]')
    words = server.opened.design.words("fa")
    page = visit()

    def press(target):
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    begin(page, server, press)
    assert page.locator("html").get_attribute("dir") == "rtl"
    left, right = (page.get_by_role("radio", name=words.say(f"pair_{side}")) for side in ("left", "right"))
    for first, second in ((left, right), (page.locator("#stage"), page.locator("#stage-other"))):
        assert first.bounding_box()["x"] < second.bounding_box()["x"]  # left stays left
    assert violations(page, axe) == []
    press(right)
    press(page.get_by_role("radio", name=words.say("confidence_high")))
    press(page.get_by_role("button", name=words.say("next")))
    page.get_by_role("heading", name=words.say("finished_title")).wait_for()
    expect_answers(server, "pairwise", 1)
    assert page.failed == []


def tab_to(page, condition):
    """Press Tab until the focused element meets a condition on its tag, type, name and id."""
    for _ in range(60):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "(e => ({tag: e.tagName, type: e.type, name: e.name, id: e.id}))(document.activeElement)"
        )
        if condition(focused):
            return
    raise AssertionError("the keyboard does not get there")


def pick(page, steps_of_name, key="ArrowRight"):
    """Choose, of groups of radio buttons, the first and then so many further."""
    for name, steps in steps_of_name.items():
        tab_to(page, lambda e, name=name: e["name"] == name)
        page.keyboard.press("Space")
        for _ in range(steps):
            page.keyboard.press(key)


def answer_by_keyboard(page, design):
    steps = {
        "forced-choice": {"answer": 4},  # angry, fearful, happy, neutral, sad
        "pairwise": {"answer": 1, "confidence": 4},
        "sam": {"pleasure": 1, "arousal": 8, "dominance": 4},
        "improvement": dict.fromkeys(IMPROVEMENT_ITEMS, 4),
    }
    pick(page, steps.get(design.question, {}))
    if design.question == "free-label":
        tab_to(page, lambda e: e["name"] == "label")
        page.keyboard.type("quite sad")
    if design.question == "slider":
        tab_to(page, lambda e: e["type"] == "range")
        for _ in range(3):
            page.keyboard.press("PageUp")  # a tenth of the scale each
    tab_to(page, lambda e: e["id"] == "next")
    page.keyboard.press("Enter")


@pytest.mark.parametrize("running", TRIALS, indirect=True)
def test_a_participant_completes_each_design_by_keyboard_alone(running, visit):
    design = running.opened.design
    page = visit()
    page.goto(running.url)
    tab_to(page, lambda e: e["name"] == "agree")
    page.keyboard.press("Space")
    tab_to(page, lambda e: e["tag"] == "BUTTON")
    page.keyboard.press("Enter")
    for number in range(1, TRIALS[design.question] + 1):
        page.get_by_text(f"Movement {number} of {TRIALS[design.question]}", exact=True).wait_for()
        if not answer_check(page, lambda target: target.press("Space")):
            watch(page, lambda target: page.keyboard.press("Enter"))  # the button has the focus
            answer_by_keyboard(page, design)
    page.get_by_role("heading", name="Thank you!").wait_for()
    expect_answers(running, design.question, TRIALS[design.question])


def test_a_rating_over_time_keeps_its_instants_when_the_browser_is_busy(on_the_web, visit):
    server = on_the_web("continuous", SHORT["continuous"])
    page = visit()
    page.goto(server.url)
    page.get_by_role("checkbox").click()
    page.locator("form[action='/start']").get_by_role("button").click()
    page.locator("#begin").click()
    wait_for_a_picture(page)
    page.evaluate(
        """() => {
            const slider = document.querySelector("input[data-rate]"), until = window.stage.started + 1000;
            while (performance.now() < until);  // no picture is drawn meanwhile
            slider.value = "20";
            slider.dispatchEvent(new Event("input", { bubbles: true }));
        }"""
    )
    page.wait_for_selector("#stage[data-state=ended]")
    trace = [int(value) for value in page.locator("input[name=trace]").input_value().split(" ")]
    assert len(trace) == 21
    assert trace[:10] == [0] * 10  # the handle moved after 1 s
    assert trace[-1] == 20
