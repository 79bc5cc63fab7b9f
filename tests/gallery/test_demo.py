"""The demo: motions and a page that a browser shows offline, with films that play and receipts that open."""

import shlex

import pytest

import strut
from strut.cli.main import main
from strut.errors import UnknownNameError
from tests.study.browsing import violations


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Return the page and the motions of two bodies in two emotions."""
    steps = []
    folder = tmp_path_factory.mktemp("demo") / "demo"
    page, motions = strut.demo(
        folder, robots=["pepper", "cassie"], emotions=["neutral", "sad"], on_step=lambda *step: steps.append(step)
    )
    return page, motions, steps


def test_every_motion_is_a_file_that_passes_check(made):
    _, motions, _ = made
    assert {(one.robot, one.emotion) for one in motions} == {
        (robot, emotion) for robot in ("pepper", "cassie") for emotion in ("neutral", "sad")
    }
    for one in motions:
        assert strut.check(strut.load_motion(one.file)).verdict == "ok"


def test_progress_counts_every_motion_and_film(made):
    _, _, steps = made
    assert [done for _, done, _ in steps] == list(range(1, 7))
    assert {total for _, _, total in steps} == {6}


def test_the_page_plays_its_films_and_opens_a_receipt_by_mouse_and_keyboard(made, browser):
    page = browser.new_page(viewport={"width": 1200, "height": 900})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    page.goto(made[0].as_uri())
    page.wait_for_function("[...document.querySelectorAll('video')].every((film) => film.readyState >= 2)")
    films = page.locator("video")
    assert films.count() == 4
    for film in films.all():  # a browser starts a film when it comes into view
        film.scroll_into_view_if_needed()
        film.evaluate("(film) => new Promise((seen) => film.addEventListener('timeupdate', seen, { once: true }))")
    page.get_by_role("button", name="Pepper, sad").click()
    receipt = page.get_by_role("dialog")
    assert "pepper expresses sad" in receipt.inner_text()
    page.wait_for_function("document.querySelector('dialog[open] img').naturalWidth > 400")  # once it is decoded
    page.keyboard.press("Escape")
    assert receipt.count() == 0
    page.get_by_role("button", name="Cassie, neutral").focus()
    page.keyboard.press("Enter")
    assert "Tightest moment" in page.get_by_role("dialog").inner_text()
    assert errors == []
    page.close()


def test_the_page_fits_a_phone_and_rests_for_people_who_want_no_motion(made, browser):
    page = browser.new_page(viewport={"width": 375, "height": 700}, reduced_motion="reduce")
    page.goto(made[0].as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= 375
    assert page.evaluate("[...document.querySelectorAll('video')].every((film) => film.paused)")
    page.close()


@pytest.mark.parametrize(("scheme", "width"), [("light", 1200), ("dark", 1200), ("light", 375)])
def test_people_with_disabilities_can_use_the_page(made, browser, axe, scheme, width):
    page = browser.new_page(viewport={"width": width, "height": 800}, color_scheme=scheme, reduced_motion="reduce")
    page.goto(made[0].as_uri())
    assert violations(page, axe) == []
    page.get_by_role("button", name="Pepper, sad").click()
    assert violations(page, axe) == []
    page.get_by_role("button", name="Close").click()
    page.close()


def test_the_heading_counts_what_is_there(made):
    assert "<h1>Two bodies, two emotions</h1>" in made[0].read_text("utf-8")


def test_the_commands_of_the_page_have_only_options_that_exist(made, capsys):
    lines = made[0].read_text("utf-8").replace('<pre tabindex="0">', "\n").replace("</pre>", "\n").splitlines()
    commands = [shlex.split(line)[1:] for line in lines if line.startswith("strut ")]
    assert len(commands) >= 5
    for verb, *rest in commands:
        words = [verb, rest[0]] if verb == "study" else [verb]
        assert main([*words, "--help"]) == 0
        text = capsys.readouterr().out
        assert all(option in text for option in rest if option.startswith("--")), (words, rest)


def test_nothing_is_planned_where_a_file_is_in_the_way(tmp_path):
    (tmp_path / "index.html").write_text("mine")
    with pytest.raises(strut.StrutError, match="is there already"):
        strut.demo(tmp_path, robots=["pepper"], emotions=["sad"])
    assert (tmp_path / "index.html").read_text() == "mine"


def test_unknown_bodies_and_emotions_are_named(tmp_path):
    with pytest.raises(UnknownNameError, match="pepper"):
        strut.demo(tmp_path, robots=["peper"])
    with pytest.raises(UnknownNameError, match="happy"):
        strut.demo(tmp_path, robots=["pepper"], emotions=["hapy"])
