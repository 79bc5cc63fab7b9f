"""What the pages tell people to type works: every Python block and every `strut` command in README and docs."""

import re
import shlex
from pathlib import Path

import pytest

import strut
from strut.cli.main import main

ROOT = Path(__file__).parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def python_blocks() -> list[tuple[str, str]]:
    blocks = (
        (page.name, block) for page in PAGES for block in re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
    )
    return list(blocks)


def commands() -> list[str]:
    """Every command in an indented block or between backticks that names a verb and a file or robot."""
    text = "\n".join(page.read_text() for page in PAGES)
    found = re.findall(r"^    (strut .*)$", text, re.M) + re.findall(r"`(strut (?:\w+ )[^`]*)`", text)
    whole = [command for command in found if not re.search(r"[A-Z]{4,}|…|\[", command)]
    return sorted(set(whole))


@pytest.fixture
def folder_with_walks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("happy", "sad"):
        strut.save_motion(strut.walk("mrpete", name, cycles=2), f"{name}.npz")
    strut.save_motion(strut.perform("pepper", "wave", "happy", duration_s=2.0), "wave.npz")
    return tmp_path


@pytest.mark.parametrize(("page", "block"), python_blocks())
def test_python_on_the_pages_runs(page: str, block: str, folder_with_walks: Path) -> None:
    exec(compile(block, page, "exec"), {})


@pytest.mark.parametrize("command", commands())
def test_commands_on_the_pages_run(command: str, folder_with_walks: Path) -> None:
    arguments = shlex.split(command)[1:]
    if arguments[0] == "show" and not {"--html", "--png", "--gif"} & set(arguments):
        pytest.skip("the live viewer runs until Ctrl-C; tests/show tests it")
    if "--out" in arguments:
        arguments.append("--force")
    assert main(arguments) == 0


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_on_the_pages_are_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        assert (page.parent / target).exists(), target
