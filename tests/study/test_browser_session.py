"""In a real browser: no answer is lost, doubled or changed; pages around the trials can be used by everybody."""

from __future__ import annotations

from strut.study.study_folder import open_study
from tests.study.browsing import PHONE, QUICK, SHORT, TWO_STIMULI, answer_by_pointer, begin, expect_trial, violations
from tests.study.design_parts import ETHICS, QUESTION


def test_a_form_is_sent_once_and_only_with_an_answer(running, visit):
    page = visit()
    begin(page, running)
    page.get_by_role("button", name="Next").click()
    page.get_by_role("alert").get_by_text("Please choose an answer first.").wait_for()
    assert running.opened.database.rows() == []
    page.get_by_role("radio", name="sad").click()
    page.locator("#missing").wait_for(state="hidden")  # nothing is missing any more
    page.get_by_role("button", name="Next").dblclick()
    expect_trial(page, 2, 3)
    assert len(running.opened.database.rows()) == 1


def test_another_device_goes_on_and_the_back_button_changes_nothing(running, visit):
    page = visit()
    begin(page, running)
    answer_by_pointer(page, "forced-choice", lambda target: target.click())
    expect_trial(page, 2, 3)
    other = visit(**PHONE)
    other.goto(page.locator("details a").get_attribute("href"))
    expect_trial(other, 2, 3)
    page.go_back()
    page.wait_for_load_state()
    if page.locator("#answer").count():  # whatever page that is, sending it must not touch the first answer
        page.get_by_role("radio", name="happy").click()
        page.get_by_role("button", name="Next").click()
        page.wait_for_load_state()
    rows = running.opened.database.rows()
    assert rows[0]["reply"] == {"perceived": "sad"}
    assert len({row["trial"] for row in rows}) == len(rows)


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


def test_the_researcher_sees_live_counts(running, visit):
    page = visit()
    participant = visit()
    page.goto(f"{running.url}/researcher")
    page.get_by_label("Token from the file researcher_token").fill(running.opened.token)
    page.get_by_role("button", name="Open").click()
    page.locator("[data-count=started]", has_text="0").wait_for()
    begin(participant, running)
    answer_by_pointer(participant, "forced-choice", lambda target: target.click())
    page.locator("[data-count=answers]", has_text="1").wait_for()  # without a reload


def test_between_parts_people_rest_and_can_withdraw(on_the_web, visit):
    server = on_the_web("forced-choice", f"practice = 1 => practice = 0\n{TWO_STIMULI}")
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
    assert server.opened.database.rows() == []


def test_pages_around_the_trials_pass_axe(on_the_web, visit, axe):
    all_kinds = QUESTION.replace('"after"', '"before"').replace("points = 7", "points = 11")
    server = on_the_web(
        "forced-choice", f"{SHORT['forced-choice']}\nfeedback = false => feedback = true", all_kinds + ETHICS
    )
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
    page.get_by_label("Token from the file researcher_token").fill(server.opened.token)
    page.get_by_role("button", name="Open").tap()
    page.locator("[data-count=started]").wait_for()
    assert violations(page, axe) == []
