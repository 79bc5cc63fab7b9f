"""In a real browser: what is shown, when, how often, and the time that an answer takes."""

from __future__ import annotations

from tests.study.browsing import QUICK, answer_by_pointer, begin, expect_trial, watch


def test_the_figure_is_drawn_moves_and_can_be_seen_again(running, visit):
    page = visit(viewport={"width": 1000, "height": 900})
    begin(page, running)
    page.evaluate("stage.draw(0.05)")
    lit = "(() => { const c = document.getElementById('stage'); const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let s = 0, n = 0; for (let i = 0; i < d.length; i += 4) if (d[i] > 200) { n += 1; s += i / 4 * (1 + n % 7); } return [n, s]; })()"  # noqa: E501
    first = page.evaluate(lit)
    share = page.evaluate("document.getElementById('stage').width")
    page.evaluate("stage.draw(0.25)")
    assert first[0] > 17 * 20  # seventeen lights, each some dozens of pixels
    assert first[0] < 0.05 * share * share
    assert page.evaluate(lit) != first
    page.get_by_role("button", name="Play again").click()
    page.wait_for_selector("canvas[data-plays='2']")


def test_the_time_begins_with_the_first_showing_ends_at_the_choice_and_needs_a_clock(running, visit):
    page = visit()
    begin(page, running)
    page.wait_for_timeout(600)
    page.reload()
    page.wait_for_selector("canvas[data-state=ready]")
    page.evaluate("begin.click()")  # a slow machine may show the movement before the mouse has been let go
    page.wait_for_selector("canvas[data-plays='2'][data-state=ended]")
    answer_by_pointer(page, "forced-choice", lambda target: target.click())
    expect_trial(page, 2, 3)
    started = page.evaluate("seen.began")
    page.get_by_role("radio", name="sad").click()
    page.wait_for_timeout(800)
    page.get_by_role("button", name="Next").click()
    expect_trial(page, 3, 3)
    waited = page.evaluate("Date.now()") - started
    page.evaluate("seen.began = Date.now() + 3600 * 1000")  # somebody has set the clock back
    answer_by_pointer(page, "forced-choice", lambda target: target.click())
    page.get_by_role("heading", name="Thank you!").wait_for()
    reloaded, chosen, set_back = running.opened.database.rows()
    assert (reloaded["plays"], reloaded["showings"]) == (2, 2)
    assert reloaded["response_ms"] > 900  # a reload does not set the clock back
    assert 300 <= chosen["response_ms"] <= waited - 800
    assert chosen["detail"]["focus_lost"] == 0
    assert set_back["response_ms"] is None


def test_nothing_is_answered_before_the_end_and_what_is_seen_once_stays_so_in_every_tab(on_the_web, visit):
    server = on_the_web("forced-choice", f"{QUICK}\nreplay = true => replay = false".replace("0.3", "0.8"))
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
    other.get_by_text("You have already seen this movement").wait_for()
    page.reload()
    page.wait_for_selector("canvas[data-state=ended]")  # dark, and stays so
    page.get_by_role("radio", name="sad").click()
    page.get_by_role("button", name="Next").click()
    page.get_by_text("Movement 2 of 11", exact=True).wait_for()
    assert [(row["plays"], row["showings"]) for row in server.opened.database.rows()] == [(1, 1)]


def test_a_movement_that_cannot_be_loaded_is_tried_again(running, visit):
    page = visit()
    broken = [True]
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
    page.get_by_text("Your device is set to show less motion").wait_for()
    page.get_by_role("button", name="Show the movement instead").click()
    page.wait_for_selector("canvas[data-plays='2'][data-state=ended]")
    answer_by_pointer(page, "forced-choice", lambda target: target.click())
    page.get_by_text("Movement 2 of 3", exact=True).wait_for()
    (row,) = running.opened.database.rows()
    assert (row["detail"]["still"], row["plays"]) == (1, 2)


def test_without_javascript_people_read_why(running, visit):
    page = visit(java_script_enabled=False)
    page.goto(running.url)
    page.locator("noscript p").wait_for()
    assert "needs JavaScript, which is switched off" in page.locator("noscript p").inner_text()
