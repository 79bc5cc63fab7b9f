"""In a real browser: every design by touch and by keyboard, pairs by mouse; nothing is lost, doubled or changed."""

from __future__ import annotations

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from strut.study.design import parse_design
from strut.study.exclusion import exclusion_mark
from strut.study.server import study_app
from strut.study.study_folder import open_study
from tests.study.real_parts import ThreadServer
from tests.study.real_parts_summary import PROPERTY

QUICK = "seconds = 5 => seconds = 0.3\nfixation_ms = 500 => fixation_ms = 20\ninterval_ms = 1000 => interval_ms = 20"
TWO_STIMULI = f"per_participant = 0 => per_participant = 2\n{QUICK}"
ONE_BLOCK = f"blocks = 2 => blocks = 1\npractice = 1 => practice = 0\n{TWO_STIMULI}"
SHORT = {
    "forced-choice": f"blocks = 2 => blocks = 1\n{TWO_STIMULI}",
    "slider": ONE_BLOCK,
    "sam": ONE_BLOCK,
    "improvement": TWO_STIMULI,
    "pairwise": f"practice = 1 => practice = 0\nconfidence = false => confidence = true\n{TWO_STIMULI}",
    "continuous": ONE_BLOCK.replace("0.3", "2"),  # long enough to move a handle on a busy machine
    "free-label": f"{ONE_BLOCK}\nattention_checks = 0 => attention_checks = 1",
}
TRIALS = {"forced-choice": 3, "slider": 2, "sam": 2, "improvement": 2, "pairwise": 1, "continuous": 2, "free-label": 3}
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2}


@pytest.fixture
def running(opened_of, request):
    """A study of the design named by the test's `question`, served by a thread."""
    question = getattr(request, "param", "forced-choice")
    opened = opened_of(question, SHORT[question])
    server = ThreadServer(study_app(opened))
    server.opened = opened
    yield server
    server.stop()


@pytest.fixture
def visit(request):
    """Return a function that opens a page and remembers every request and every error of it."""
    request.node.user_properties.append((PROPERTY, "Chromium"))
    browser, contexts = request.getfixturevalue("browser"), []

    def open_page(**options):
        context = browser.new_context(**options)
        context.set_default_timeout(20_000)
        contexts.append(context)
        page = context.new_page()
        page.requested, page.failed = [], []
        page.on("request", lambda request: page.requested.append(request.url))
        page.on("pageerror", lambda error: page.failed.append(str(error)))
        page.on("console", lambda message: page.failed.append(message.text) if message.type == "error" else None)
        return page

    yield open_page
    for context in contexts:
        context.close()


def begin(page, server, press=lambda target: target.click()):
    page.goto(server.url)
    press(page.get_by_role("checkbox", name="I have read this and agree"))
    press(page.get_by_role("button", name="Start"))
    page.wait_for_selector("canvas[data-state]")
    watch(page, press)


def watch(page, press=lambda target: target.click()):
    """Begin where a part begins, and see the movement to its end; a handle is moved meanwhile."""
    page.wait_for_selector("#stage[data-state]")
    if page.locator("#stage").get_attribute("data-state") == "ready":
        press(page.locator("#begin"))
    if page.locator("input[data-rate]").count() and page.locator("#stage").get_attribute("data-state") != "ended":
        page.wait_for_selector("#stage[data-state=playing]")
        page.keyboard.press("PageUp")  # the handle has the focus
    page.wait_for_selector("#stage[data-state=ended]")


def expect_trial(page, number, total):
    page.get_by_text(f"Movement {number} of {total}", exact=True).wait_for()
    watch(page)


def answer_check(page, press):
    """Answer an attention check as it asks, if there is one."""
    if page.locator("#check").count():
        asked = re.search(r"the number (\d)", page.locator("#check").inner_text())[1]
        press(page.locator(f"input[name=check][value='{asked}']"))
        press(page.get_by_role("button", name="Next"))
        return True
    return False


def answer_by_pointer(page, question, press):
    watch(page, press)
    if question == "forced-choice":
        press(page.get_by_role("radio", name="sad"))
    elif question == "pairwise":
        press(page.get_by_role("radio", name="the right one"))
        press(page.get_by_role("radio", name="5 certain"))
    elif question == "free-label":
        page.get_by_role("textbox").fill("quite sad")
    elif question == "slider":
        box = page.get_by_role("slider").bounding_box()
        (page.touchscreen.tap if page.viewport_size["width"] < 500 else page.mouse.click)(
            box["x"] + 0.8 * box["width"], box["y"] + box["height"] / 2
        )
    elif question == "sam":
        for name in ("Pleasure: 2 of 9", "Arousal: 9 of 9, excited", "Dominance: 5 of 9"):
            press(page.get_by_role("radio", name=name, exact=True))
    elif question == "improvement":
        for group in page.locator("#answer fieldset.item").all():
            press(group.get_by_role("radio", name="much more"))
    press(page.get_by_role("button", name="Next"))


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
        assert exclusion_mark(row) == ""
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


@pytest.mark.parametrize("running", TRIALS, indirect=True)
def test_a_participant_completes_each_design_on_a_phone_and_axe_finds_nothing(running, visit, axe):
    question, page = running.opened.design.question, visit(**PHONE)

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
        if not answer_check(page, press):
            answer_by_pointer(page, question, press)
    page.get_by_role("heading", name="Thank you!").wait_for()
    expect_answers(running, question, TRIALS[question])
    asked = [url for url in page.requested if not url.startswith("data:")]
    assert {re.match(r"https?://[^/]+", url)[0] for url in asked} == {running.url}
    assert page.failed == []


@pytest.mark.parametrize("running", ["pairwise"], indirect=True)
def test_two_motions_are_compared_with_a_mouse(running, visit):
    page = visit()

    def press(target):
        target.scroll_into_view_if_needed()
        box = target.bounding_box()
        page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)

    begin(page, running, press)
    answer_by_pointer(page, "pairwise", press)
    page.get_by_role("heading", name="Thank you!").wait_for()
    expect_answers(running, "pairwise", 1)
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
        "improvement": dict.fromkeys(design.ask.items, 4),
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
    design, page = running.opened.design, visit()
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


def test_a_form_without_an_answer_stays_and_says_why(running, visit):
    page = visit()
    begin(page, running)
    page.get_by_role("button", name="Next").click()
    page.get_by_role("alert").get_by_text("Please choose an answer first.").wait_for()
    assert running.opened.database.rows() == []


def test_a_double_click_is_one_answer_and_skips_nothing(running, visit):
    page = visit()
    begin(page, running)
    page.get_by_role("radio", name="sad").click()
    page.get_by_role("button", name="Next").dblclick()
    expect_trial(page, 2, 3)
    assert len(running.opened.database.rows()) == 1


def test_the_back_button_cannot_change_an_answer(running, visit):
    page = visit()
    begin(page, running)
    answer_by_pointer(page, "forced-choice", lambda target: target.click())
    expect_trial(page, 2, 3)
    page.go_back()
    page.wait_for_load_state()
    if page.locator("#answer").count():  # whatever page that is, sending it must not touch the first answer
        page.get_by_role("radio", name="happy").click()
        page.get_by_role("button", name="Next").click()
        page.wait_for_load_state()
    rows = running.opened.database.rows()
    assert rows[0]["reply"] == {"perceived": "sad"}
    assert len({row["trial"] for row in rows}) == len(rows)


def test_the_private_link_resumes_on_another_device(running, visit):
    page = visit()
    begin(page, running)
    answer_by_pointer(page, "forced-choice", lambda target: target.click())
    expect_trial(page, 2, 3)
    link = page.locator("details a").get_attribute("href")
    other = visit(**PHONE)
    other.goto(link)
    expect_trial(other, 2, 3)


def test_a_killed_server_loses_no_answer(study_of, served, visit):
    folder = study_of("forced-choice", f"blocks = 2 => blocks = 1\npractice = 1 => practice = 0\n{QUICK}")
    server = served(folder)
    page = visit()
    begin(page, server)
    for number in (1, 2):
        expect_trial(page, number, 5)
        answer_by_pointer(page, "forced-choice", lambda target: target.click())
    expect_trial(page, 3, 5)
    server.kill()
    page.get_by_role("radio", name="happy").click()
    again = served(folder, port=server.port)
    page.get_by_role("button", name="Next").click()  # the answer given while nobody listened
    expect_trial(page, 4, 5)
    again.kill()
    opened = open_study(folder)
    assert [row["reply"]["perceived"] for row in opened.database.rows()] == ["sad", "sad", "happy"]
    opened.database.close()


def test_the_figure_is_drawn_moves_and_can_be_seen_again(running, visit):
    page = visit(viewport={"width": 1000, "height": 900})
    begin(page, running)
    page.evaluate("stage.draw(0.05)")
    lit = "(() => { const c = document.getElementById('stage'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let s = 0, n = 0; for (let i = 0; i < d.length; i += 4) if (d[i] > 200) { n += 1; s += i / 4 * (1 + n % 7); } return [n, s]; })()"  # noqa: E501
    first, share = page.evaluate(lit), page.evaluate("document.getElementById('stage').width")
    page.evaluate("stage.draw(0.25)")
    assert first[0] > 17 * 20  # seventeen lights, each some dozens of pixels
    assert first[0] < 0.05 * share * share
    assert page.evaluate(lit) != first
    page.get_by_role("button", name="Play again").click()
    page.wait_for_selector("canvas[data-plays='2']")


def test_forty_lights_are_drawn_within_a_frame(running, visit):
    page = visit(viewport={"width": 1000, "height": 900})
    begin(page, running)
    milliseconds = page.evaluate("""() => {
        const frames = 300, points = 40, xy = [];
        for (let k = 0; k < frames * points * 2; k += 1) xy.push(Math.round(3000 * Math.sin(k * 0.37)));
        const stimulus = {kind: "points", rate_hz: 30, unit: 4000, aspect: 4 / 3, frames, points, xy, grid: []};
        const stage = new window.Stage(document.createElement("canvas"), stimulus);
        const started = performance.now();
        for (let k = 0; k < 300; k += 1) stage.draw(k / 30.0);
        return (performance.now() - started) / 300;
    }""")
    assert milliseconds < 1000 / 60 / 2


def test_the_researcher_sees_live_counts(running, visit):
    page, participant = visit(), visit()
    page.goto(f"{running.url}/researcher")
    page.get_by_label("Token from the file researcher_token").fill(running.opened.token)
    page.get_by_role("button", name="Open").click()
    page.locator("[data-count=started]", has_text="0").wait_for()
    begin(participant, running)
    answer_by_pointer(participant, "forced-choice", lambda target: target.click())
    page.locator("[data-count=answers]", has_text="1").wait_for()  # without a reload


def test_a_reload_counts_as_a_showing_and_does_not_set_the_clock_back(running, visit):
    page = visit()
    begin(page, running)
    page.wait_for_timeout(600)
    page.reload()
    page.wait_for_selector("canvas[data-state=ready]")
    page.evaluate("begin.click()")  # a slow machine may show the movement before the mouse has been let go
    page.wait_for_selector("canvas[data-plays='2'][data-state=ended]")
    answer_by_pointer(page, "forced-choice", lambda target: target.click())
    expect_trial(page, 2, 3)
    (row,) = running.opened.database.rows()
    assert (row["plays"], row["showings"]) == (2, 2)
    assert row["response_ms"] > 900


def test_a_clock_that_was_set_back_gives_no_response_time(running, visit):
    page = visit()
    begin(page, running)
    page.evaluate("seen.began = Date.now() + 3600 * 1000")
    answer_by_pointer(page, "forced-choice", lambda target: target.click())
    expect_trial(page, 2, 3)
    assert [row["response_ms"] for row in running.opened.database.rows()] == [None]


@pytest.mark.parametrize("running", ["sam", "improvement"], indirect=True)
def test_on_a_phone_the_figure_stays_in_view_while_answering(running, visit):
    page = visit(**PHONE)
    begin(page, running)
    page.evaluate("window.scrollTo(0, document.getElementById('next').offsetTop)")
    assert page.evaluate("window.scrollY") > 100
    box = page.locator("canvas").bounding_box()
    assert box["y"] >= 0.0
    assert box["y"] + box["height"] < 0.5 * page.viewport_size["height"]


def test_nothing_is_answered_before_the_end_and_what_is_seen_once_stays_so_in_every_tab(opened_of, visit):
    opened = opened_of("forced-choice", f"{QUICK}\nreplay = true => replay = false".replace("0.3", "0.8"))
    server = ThreadServer(study_app(opened))
    try:
        page = visit()
        page.goto(server.url)
        page.get_by_role("checkbox", name="I have read this and agree").click()
        page.get_by_role("button", name="Start").click()
        page.wait_for_selector("canvas[data-state=ready]")
        assert page.get_by_role("radio", name="sad").is_disabled()
        page.evaluate("form.requestSubmit()")
        page.get_by_text("Please watch the movement to its end first.").wait_for()
        page.locator("#begin").click()
        page.wait_for_selector("canvas[data-state=ended]")
        other = page.context.new_page()
        other.goto(page.url)
        other.wait_for_selector("canvas[data-state=ready]")
        other.locator("#begin").click()
        other.get_by_text("This movement was shown already").wait_for()
        page.reload()
        page.wait_for_selector("canvas[data-state=ended]")  # dark, and stays so
        page.get_by_role("radio", name="sad").click()
        page.get_by_role("button", name="Next").click()
        page.get_by_text("Movement 2 of 11", exact=True).wait_for()
        assert [(row["plays"], row["showings"]) for row in opened.database.rows()] == [(1, 1)]
    finally:
        server.stop()


def test_the_time_ends_at_the_choice(running, visit):
    page = visit()
    begin(page, running)
    started = page.evaluate("seen.began")
    page.get_by_role("radio", name="sad").click()
    page.wait_for_timeout(1500)
    page.get_by_role("button", name="Next").click()
    expect_trial(page, 2, 3)
    (row,) = running.opened.database.rows()
    chosen = row["response_ms"]
    assert 300 <= chosen <= page.evaluate("Date.now()") - started - 1400
    assert row["detail"]["focus_lost"] == 0
    page.get_by_role("radio", name="sad").click()
    page.get_by_role("button", name="Next").click()
    expect_trial(page, 3, 3)


def test_a_movement_that_cannot_be_loaded_is_tried_again(running, visit):
    page, broken = visit(), [True]
    page.route("**/stimulus/*", lambda route: route.abort() if broken[0] else route.continue_())
    page.goto(running.url)
    page.get_by_role("checkbox", name="I have read this and agree").click()
    page.get_by_role("button", name="Start").click()
    page.get_by_text("The movement could not be loaded. Your earlier answers are safe.").wait_for()
    broken[0] = False
    page.get_by_role("button", name="Try again").click()
    watch(page)
    answer_by_pointer(page, "forced-choice", lambda target: target.click())
    expect_trial(page, 2, 3)


def test_less_motion_is_five_pictures_that_say_so_and_are_recorded(running, visit):
    page = visit(reduced_motion="reduce")
    begin(page, running)
    page.get_by_text("Your device asks for less motion").wait_for()
    answer_by_pointer(page, "forced-choice", lambda target: target.click())
    expect_trial(page, 2, 3)
    page.get_by_role("button", name="Show the movement instead").click()
    page.wait_for_selector("canvas[data-plays='2']")
    page.wait_for_selector("canvas[data-state=ended]")
    assert [row["detail"]["still"] for row in running.opened.database.rows()] == [1]


def test_without_javascript_people_read_why(running, visit):
    page = visit(java_script_enabled=False)
    page.goto(running.url)
    page.locator("noscript p").wait_for()
    assert "needs JavaScript, which is switched off" in page.locator("noscript p").inner_text()


def test_between_parts_people_rest_and_can_withdraw(opened_of, visit):
    change = f"practice = 1 => practice = 0\n{TWO_STIMULI}"
    opened = opened_of("forced-choice", change)
    server = ThreadServer(study_app(opened))
    try:
        page = visit()
        begin(page, server)
        for number in (1, 2):
            expect_trial(page, number, 4)
            answer_by_pointer(page, "forced-choice", lambda target: target.click())
        page.get_by_role("heading", name="You have finished part 1 of 2").wait_for()
        page.get_by_role("button", name="Go on").click()
        page.wait_for_selector("canvas[data-state=ready]")  # each part begins when people are ready
        page.get_by_role("link", name="Stop and delete all my answers").click()
        page.get_by_role("button", name="Delete everything").click()
        page.get_by_text("has been deleted").wait_for()
        assert opened.database.rows() == []
    finally:
        server.stop()


@pytest.fixture(scope="session")
def axe(tmp_path_factory):
    """The source of axe-core, which finds what people with disabilities cannot use."""
    kept = Path(__file__).parents[2] / ".axe" / "node_modules" / "axe-core" / "axe.min.js"
    if not kept.is_file():
        if shutil.which("npm") is None:
            pytest.skip("npm is not installed (Debian: apt-get install npm)")
        install = ["npm", "install", "--silent", "--no-save", "--prefix", str(kept.parents[2]), "axe-core@4"]
        if subprocess.run(install, check=False, capture_output=True, timeout=120).returncode or not kept.is_file():
            pytest.skip("axe-core cannot be installed by npm (no network?)")
    return kept.read_text("utf-8")


def violations(page, axe):
    """Return what axe finds against WCAG 2.2 A and AA; our pages let no script of others in, so it is evaluated."""
    page.evaluate(axe)
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    found = page.evaluate("rules => axe.run(document, rules)", rules)["violations"]
    return [(rule["id"], [node["html"][:120] for node in rule["nodes"]][:3]) for rule in found]


QUESTIONS = """
[[question]]
name = "dance"
when = "before"
kind = "choice"
text.en = "How often do you dance?"
options.en = ["never", "often"]
required = true

[[question]]
name = "sleep"
when = "before"
kind = "number"
text.en = "Hours of sleep"

[[question]]
name = "clear"
when = "before"
kind = "scale"
text.en = "How clear is it?"
points = 11
ends.en = ["not at all", "fully"]

[[question]]
name = "remark"
when = "before"
kind = "text"
text.en = "Anything else?"

[ethics]
investigator = "A. Author"
institution = "A University"
contact = "author@example.org"
approval = "2026-17"
retention = "ten years"
information = "https://example.org/sheet.pdf"
"""


def test_pages_around_the_trials_pass_axe(opened_of, visit, axe):
    change = f'{SHORT["forced-choice"]}\nfeedback = false => feedback = true\n["en", "de"] => ["en"]'
    opened = opened_of("forced-choice", change)
    text = (opened.design.folder / "design.toml").read_text() + QUESTIONS
    opened = replace(opened, design=parse_design(text, "design.toml", opened.design.folder))
    server = ThreadServer(study_app(opened))
    try:
        page = visit(**PHONE)
        page.goto(server.url)
        assert violations(page, axe) == []  # consent, with who is responsible
        page.get_by_role("checkbox", name="I have read this and agree").tap()
        page.get_by_label("Age in years").fill("30")
        page.get_by_role("button", name="Start").tap()
        page.get_by_role("heading", name="Some questions before we begin").wait_for()
        assert violations(page, axe) == []
        page.get_by_role("radio", name="often").tap()
        page.get_by_role("button", name="Next").tap()
        answer_by_pointer(page, "forced-choice", lambda target: target.tap())
        page.get_by_text("This movement was meant to be").wait_for()
        assert violations(page, axe) == []
        page.get_by_role("link", name="Stop and delete all my answers").tap()
        page.get_by_role("button", name="Delete everything").wait_for()
        assert violations(page, axe) == []
        page.goto(f"{server.url}/researcher")
        assert violations(page, axe) == []
        page.get_by_label("Token from the file researcher_token").fill(opened.token)
        page.get_by_role("button", name="Open").tap()
        page.locator("[data-count=started]").wait_for()
        assert violations(page, axe) == []
    finally:
        server.stop()
