"""What the pages tell people to type works: every Python block and every `strut` command in README and docs.

Commands that solve for a human walk are left out, since each takes most of a minute: tests/cli and tests/optimal do it.
So is Python that does (`pycon` blocks); benchmarks/bench_human_transitions.py solves starts, stops and turns.
"""

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
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


def scripts() -> list[list[str]]:
    """The commands of every fenced block, in order, without those that stand alone or in a block before."""
    seen = set(commands())
    blocks = [block for page in PAGES for block in re.findall(r"```bash\n(.*?)```", page.read_text(), re.S)]
    found = [re.findall(r"^strut .*?(?=\s+#|$)", block, re.M) for block in blocks]
    fresh = [[command for command in block if not (command in seen or seen.add(command))] for block in found]
    return [block for block in fresh if block]


def why_not(arguments: list[str]) -> str:
    """Why a command is not run here; empty if it is."""
    verb, first, second = (*arguments, "", "")[:3]
    shown = {"--html", "--png", "--gif", "--mp4"} & set(arguments)
    reasons = (
        (verb in {"synthesize", "reconstruct"} or (verb, first) == ("walk", "heiman"), "it solves for a human walk"),
        (
            verb in {"fit", "capture"},
            "it needs a laboratory's recording; tests/cli/test_recorded_verbs.py runs it",
        ),
        (
            verb == "analyze" and "=" in first,
            "it compares walks of people; tests/cli/test_recorded_verbs.py runs it",
        ),
        (verb == "stimuli", "it makes twelve motions; tests/cli/test_perform_command.py does with fewer samples"),
        (verb == "reproduce", "tests/reproduction computes its rows and runs the verb"),
        (
            verb == "library" and first in {"build", "gaits", "try", "map"},
            "it takes minutes, or needs what does; tests/cli/test_show_verbs.py runs it on a small library",
        ),
        (
            (verb, first) == ("perform", "cassie") and ("walk" in second or second == "curiosity"),
            "tests/pipeline/test_show_queue.py and tests/simulation perform such shows",
        ),
        (verb == "drive" or (verb == "show" and not shown), "the page runs until Ctrl-C; tests/show tests it"),
        (
            any(word.startswith("examples/") for word in arguments),
            "it needs a robot's files that are installed apart; tests/robots reads such files",
        ),
    )
    return next((words for applies, words in reasons if applies), "")


@pytest.fixture(autouse=True)
def _few_samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Films and pages of one picture a second, and motions of 25 samples a second unless the page names a rate."""
    for task in ("crawl.request.Crawl", "pattern.request.PatternGait", "hand_task.request.HandTask"):
        monkeypatch.setattr(f"strut.gaits.{task}.usual_rate_hz", 25.0)
    for pace in ("animation.SMOOTH_HZ", "animation.DEFAULT_HZ", "report.MAX_HZ"):
        monkeypatch.setattr(f"strut.viewer.{pace}", 1.0)


@pytest.fixture(scope="module")
def walks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("walks")
    for name in ("happy", "sad"):
        strut.save_motion(strut.walk("mrpete", name, cycles=2, rate_hz=25.0), folder / f"{name}.npz")
    strut.save_motion(strut.perform("pepper", "wave", "happy", duration_s=2.0, rate_hz=25.0), folder / "wave.npz")
    return folder


@pytest.fixture
def folder_with_walks(walks: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return Path(shutil.copytree(walks, tmp_path, dirs_exist_ok=True))


@pytest.mark.parametrize(("page", "block"), python_blocks())
def test_python_on_the_pages_runs(page: str, block: str, folder_with_walks: Path) -> None:
    exec(compile(block, page, "exec"), {})


@pytest.mark.parametrize("command", commands())
def test_commands_on_the_pages_run(command: str, folder_with_walks: Path) -> None:
    arguments = shlex.split(command)[1:]
    if reason := why_not(arguments):
        pytest.skip(reason)
    if "--out" in arguments:
        arguments.append("--force")
    assert main(arguments) == 0


@pytest.mark.parametrize("script", scripts(), ids=lambda script: "; ".join(script)[:60])
def test_blocks_of_commands_run(
    script: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    """In order, in one folder; a walk that stands ready takes the place of one that would have to be solved."""
    runs = {command: why_not(shlex.split(command)[1:]) for command in script}
    if all(runs.values()):
        pytest.skip("; ".join(sorted(set(runs.values()))) or "all of it stands alone elsewhere")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("STRUT_ROBOTS", str(tmp_path / "robots"))
    if any("gait.npz" in command for command in script):
        strut.save_motion(request.getfixturevalue("gait").motion(steps=4), "gait.npz")
    for command, reason in runs.items():
        assert reason or main(shlex.split(command)[1:]) == 0, command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_and_pictures_on_the_pages_are_there(page: Path) -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", page.read_text()):
        is_generated = target.startswith("reference/")  # the build of the site proves that these exist
        assert is_generated or (page.parent / target).exists(), target


def test_the_documentation_site_builds_without_a_warning(tmp_path: Path) -> None:
    """With every page in it and the API from the docstrings; a page that nobody finds is a warning, too."""
    pytest.importorskip("mkdocs", reason="needs the extra `docs`")
    pytest.importorskip("mkdocstrings_handlers.python", reason="needs the extra `docs`")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    assert "strongest" in (tmp_path / "architecture" / "index.html").read_text("utf-8")
    python_page = (tmp_path / "reference" / "python" / "strut" / "index.html").read_text("utf-8")
    assert "strut.pipeline.walk" in python_page
    assert "--emotion" in (tmp_path / "reference" / "commands" / "walk" / "index.html").read_text("utf-8")


def test_the_picture_of_the_house_shows_every_room() -> None:
    picture = (ROOT / "docs" / "images" / "architecture.svg").read_text("utf-8")
    plan = tomllib.loads((ROOT / "docs" / "house.toml").read_text("utf-8"))
    missing = [room for room in (*plan["core"], *plan["features"]) if f">{room.replace('.', '/')}<" not in picture]
    assert not missing, f"draw it again with docs/make_architecture.py: {missing}"
