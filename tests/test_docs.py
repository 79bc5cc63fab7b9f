"""The pages are true: every block of code runs, commands in sentences exist, links lead somewhere, pages stay short.

The blocks of a page run in order in one folder, as a reader would type them. A comment before a block changes that:

    <!-- ready: happy.npz gait.npz -->    these files stand in the folder already (`READY` below makes them once)
    <!-- not run: it takes minutes; tests/pilot/test_show_queue.py -->    with the test that runs the same

A block with a title is a file of that name.
"""

import functools
import json
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import threading
import tomllib
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import typer
import yaml

import strut
from strut.cli.main import main
from strut.registry import VERBS, find
from tests.study.browsing import violations

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
MOST_WORDS = 3000
BLOCK = re.compile(r"(?:^[ ]*<!-- (.*?) -->\n+)?^([ ]*)```(\w+)([^\n]*)\n(.*?)^\2```$", re.M | re.S)
INDENTED = re.compile(r"^    (strut .*)$", re.M)
GENERATED = ("reference/", "results/", "schemas/")
ONE_OF_EACH_KIND = {  # pages that share no template; the dark colours are the same everywhere
    "light": (
        "",
        "tutorials/animate_your_robot/",
        "explanations/footsteps/",
        "results/pilot/",
        "reference/files/eyes/",
    ),
    "dark": ("how_to/test_in_physics/", "reference/python/strut.library/"),
}
SHELL_WORDS = ("pip", "make", "git", "cd", "npm")  # of lines that no test runs


def page_name(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def blocks(page: Path) -> list[tuple[str, str, str, str]]:
    """Return mark, language, title and text of every block of a page."""
    found = []
    for mark, indent, language, info, text in BLOCK.findall(page.read_text("utf-8")):
        title = re.search(r'title="([^"]+)"', info)
        lines = [line.removeprefix(indent) for line in text.splitlines()]
        found.append((mark, language, title[1] if title else "", "\n".join(lines) + "\n"))
    return found


def shell_lines(text: str) -> list[str]:
    """Return the commands of a block, without comments."""
    lines = text.replace("\\\n", " ").splitlines()
    return [bare for line in lines if (bare := re.sub(r"(^|\s+)# .*", "", line).strip())]


PAGES_WITH_CODE = [page for page in PAGES if blocks(page)]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("ready")


@pytest.fixture
def ready(store, request):
    """Return a function that makes a file or folder once for all pages."""

    def copy(name: str, folder: Path) -> None:
        if not (store / name).exists():
            READY[name](store / name, request, lambda other: copy(other, store))
        source, target = store / name, folder / name
        if source != target:
            (shutil.copytree if source.is_dir() else shutil.copy)(source, target)

    return copy


def _walk_of_mrpete(path, _request, _copy):
    strut.save_motion(strut.walk("mrpete", path.stem, cycles=2, rate_hz=25.0), path)


def _steps_of_a_human(path, request, _copy):
    strut.save_motion(request.getfixturevalue("gait").motion(steps=8), path)


def _recording(path, _request, copy):
    copy("gait.npz")
    strut.export(strut.load_motion(path.with_name("gait.npz")), path)


def _walk_of_go1(path, _request, copy):
    copy("go1")
    strut.save_motion(strut.walk(strut.load_robot(path.with_name("go1")), "sad", cycles=3), path)


def _story_of_cassie(path, *_):
    drawing = strut.load_animation(strut.animation.story_path("cassie", "neutral"))
    strut.save_motion(strut.animate("cassie", drawing), path)


READY = {
    **{f"{emotion}.npz": _walk_of_mrpete for emotion in ("neutral", "happy", "sad", "angry", "fearful")},
    "gait.npz": _steps_of_a_human,
    "walk.c3d": _recording,
    "wave.npz": lambda path, *_: strut.save_motion(strut.perform("pepper", "wave", "happy", duration_s=2.0), path),
    "calm.npz": _story_of_cassie,
    "go1": lambda path, *_: strut.adopt("go1", out=path),
}


@pytest.fixture(autouse=True)
def _few_samples(monkeypatch, tmp_path):
    """Films of one picture a second, motions of 25 samples a second unless a page names a rate, robots in a folder."""
    for task in ("crawl.request.Crawl", "pattern.request.PatternGait", "hand_task.request.HandTask"):
        monkeypatch.setattr(f"strut.gaits.{task}.usual_rate_hz", 25.0)
    for pace in ("animation.SMOOTH_HZ", "animation.DEFAULT_HZ", "report.MAX_HZ"):
        monkeypatch.setattr(f"strut.viewer.{pace}", 1.0)
    monkeypatch.setenv("STRUT_ROBOTS", str(tmp_path))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("page", PAGES_WITH_CODE, ids=page_name)
def test_the_code_on_a_page_runs(page, ready, tmp_path, monkeypatch):
    names = {"__name__": "page"}
    for mark, language, title, text in blocks(page):
        kind, _, words = mark.partition(": ")
        for name in words.split() if kind == "ready" else ():
            ready(name, tmp_path)
        if title:
            (tmp_path / title).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / title).write_text(text, "utf-8")
        if kind == "not run":
            continue
        match language:
            case "bash":
                for command in shell_lines(text):
                    _run(command, monkeypatch)
            case "python" if not title:
                exec(compile(text, page_name(page), "exec"), names)
            case "toml":
                tomllib.loads(text)
            case "json":
                json.loads(text)
            case "yaml":
                yaml.safe_load(text)
            case _:
                assert language in {"python", "csv", "text", "nginx"}, f"nothing checks a block of {language}"


def _run(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    program, *arguments = shlex.split(command)
    if program == "strut":
        arguments = [str(found) for word in arguments for found in (_expanded(word) if "*" in word else [word])]
        assert main(arguments) == 0, command
    elif program == "python" and Path(arguments[0]).is_file():
        monkeypatch.setattr(sys, "argv", arguments)
        runpy.run_path(arguments[0], run_name="__main__")
    else:
        assert program in SHELL_WORDS, f"nothing checks `{command}`"


def _expanded(pattern: str) -> list[str]:
    found = sorted(path.as_posix() for path in Path().glob(pattern))
    assert found, f"no file is {pattern}"
    return found


@pytest.mark.parametrize("page", PAGES_WITH_CODE, ids=page_name)
def test_a_block_that_is_not_run_names_the_test_that_does(page):
    for mark, *_ in blocks(page):
        kind, _, reason = mark.partition(": ")
        assert kind in {"", "ready", "not run"}, mark
        if kind == "not run":
            named = re.findall(r"[\w/]+\.py\b|tests/\w+", reason)
            assert named, f"the mark names no test: {reason}"
            assert all((ROOT / name).exists() for name in named), reason


def commands_in_sentences() -> list[str]:
    """Return every command between backticks that has more than a verb, and those of blocks that are not run."""
    found = set()
    for page in PAGES:
        found |= {
            command for command in re.findall(r"`(strut \w[^`]*)`", page.read_text("utf-8")) if "…" not in command
        }
        for mark, language, _, text in blocks(page):
            if mark.startswith("not run") and language == "bash":
                found |= {line for line in shell_lines(text) if line.startswith("strut ")}
    return sorted(found)


@functools.cache
def command_of(verb: str):
    target = find("strut.verbs", verb)
    if isinstance(target, typer.Typer):
        return typer.main.get_command(target)
    app = typer.Typer(add_completion=False)
    app.command()(target)
    return typer.main.get_command(app)


@pytest.mark.parametrize("command", commands_in_sentences())
def test_a_command_in_a_sentence_exists_with_its_options(command):
    _, *words = shlex.split(command)
    if words[0].startswith("--"):
        return
    verb, *arguments = words
    assert verb in VERBS
    found = command_of(verb)
    while arguments and arguments[0] in getattr(found, "commands", {}):
        found = found.commands[arguments.pop(0)]
    known = {option for parameter in found.params for option in parameter.opts} | {"--help"}
    assert {word.partition("=")[0] for word in arguments if word.startswith("--")} <= known


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_and_pictures_on_a_page_are_there(page):
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8")):
        if target.startswith(("https://", "mailto:")):
            continue
        path = Path(os.path.normpath(page.parent / target))
        is_generated = path.is_relative_to(DOCS) and path.relative_to(DOCS).as_posix().startswith(GENERATED)
        assert is_generated or path.exists(), target  # the build of the site proves that generated pages exist


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_a_page_can_be_read_at_once(page):
    text = page.read_text("utf-8")
    assert len(text.split()) <= MOST_WORDS
    assert len(re.findall(r"^# ", re.sub(BLOCK, "", text), re.M)) == 1, "a page has one title"


def test_the_pages_that_code_and_messages_name_are_there():
    named = {
        (path.relative_to(ROOT).as_posix(), name)
        for folder in ("src", "examples", "benchmarks", "blender", "tests")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in {".py", ".pyi", ".toml"}
        for name in re.findall(r"\bdocs/[\w/]+\.(?:md|svg|png)", path.read_text("utf-8"))
    }
    assert [(where, name) for where, name in sorted(named) if not (ROOT / name).exists()] == []


def test_pictures_of_the_pages_are_small():
    pictures = [path for path in (DOCS / "images").rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in pictures) < 12_000_000
    text = "".join(page.read_text("utf-8") for page in PAGES)
    assert [path.name for path in pictures if path.name not in text] == [], "a picture that no page shows"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return the folder of the built site; a page without an entry in the navigation is a warning, and so an error."""
    pytest.importorskip("mkdocs", reason="needs the extra `docs`")
    pytest.importorskip("mkdocstrings_handlers.python", reason="needs the extra `docs`")
    pytest.importorskip("latex2mathml", reason="needs the extra `docs`")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(folder)]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, env=environment)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


def test_the_site_has_the_reference_of_the_code(site):
    assert "strongest" in (site / "architecture" / "index.html").read_text("utf-8")
    assert "strut.pipeline.walk" in (site / "reference" / "python" / "strut" / "index.html").read_text("utf-8")
    assert "--emotion" in (site / "reference" / "commands" / "walk" / "index.html").read_text("utf-8")


def test_equations_of_the_site_need_no_script(site):
    page = (site / "explanations" / "footsteps" / "index.html").read_text("utf-8")
    assert "<math" in page
    assert "arithmatex" not in page


@pytest.fixture(scope="module")
def address(site):
    class Handler(SimpleHTTPRequestHandler):
        def __init__(self, *arguments):
            super().__init__(*arguments, directory=str(site))

        def log_message(self, *_words):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("colours", ONE_OF_EACH_KIND)
def test_axe_finds_nothing_on_the_pages_of_each_kind(address, browser, axe, colours):
    context = browser.new_context(color_scheme=colours)
    page = context.new_page()
    found = {}
    for path in ONE_OF_EACH_KIND[colours]:
        page.goto(address + path)
        found[path] = violations(page, axe)
    context.close()
    assert not any(found.values()), found


def test_the_picture_of_the_house_shows_every_room():
    picture = (DOCS / "images" / "architecture.svg").read_text("utf-8")
    plan = tomllib.loads((DOCS / "house.toml").read_text("utf-8"))
    missing = [room for room in (*plan["core"], *plan["features"]) if f">{room.replace('.', '/')}<" not in picture]
    assert not missing, f"draw it again with docs/make_architecture.py: {missing}"
