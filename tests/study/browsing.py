"""Browsing: how tests take part in a served study with a real browser."""

from __future__ import annotations

import re

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
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}


def begin(page, server, press=lambda target: target.click()):
    page.goto(server.url)
    press(page.get_by_role("checkbox"))
    press(page.locator("form[action='/start']").get_by_role("button"))
    page.wait_for_selector("canvas[data-state]")
    watch(page, press)


def wait_for_a_picture(page):
    """Wait until the movement is seen; what the handle does from then on is later than its first value."""
    for _ in range(1000):  # asked from outside: the page forbids the code that wait_for_function would put into it
        if page.evaluate("window.stage?.frames > 0"):
            return
        page.wait_for_timeout(20)
    raise AssertionError("no picture of the movement is drawn")


def watch(page, press=lambda target: target.click()):
    """Begin where a part begins, and see the movement to its end; a handle is moved meanwhile."""
    page.wait_for_selector("#stage[data-state]")
    if page.locator("#stage").get_attribute("data-state") == "ready":
        press(page.locator("#begin"))
    if page.locator("input[data-rate]").count() and page.locator("#stage").get_attribute("data-state") != "ended":
        wait_for_a_picture(page)
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


def violations(page, axe):
    """Return what axe finds against WCAG 2.2 A and AA; our pages let no script of others in, so it is evaluated."""
    page.evaluate(axe)
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}
    found = page.evaluate("rules => axe.run(document, rules)", rules)["violations"]
    return [(rule["id"], [node["html"][:120] for node in rule["nodes"]][:3]) for rule in found]
