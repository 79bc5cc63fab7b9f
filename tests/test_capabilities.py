"""The list of what the published systems describe is complete, and every command and name on it exists."""

import importlib.util
import shlex
import sys
from importlib import import_module
from pathlib import Path
from pkgutil import resolve_name

import pytest
import typer

from strut.registry import VERBS, find

ROOT = Path(__file__).parents[1]
SPECIFICATION = importlib.util.spec_from_file_location("make_capabilities", ROOT / "docs" / "make_capabilities.py")
PAGE = importlib.util.module_from_spec(SPECIFICATION)
sys.modules[SPECIFICATION.name] = PAGE  # where the types of its tables are looked up
SPECIFICATION.loader.exec_module(PAGE)
DOCUMENTS = PAGE.documents()
ITEMS = [item for document in DOCUMENTS for item in document.item]
SHOWS = sorted({one for item in ITEMS for one in item.shows})
COMMANDS = [one for one in SHOWS if one.startswith("strut ")]
BENCHMARKS = [one for one in SHOWS if one.startswith("benchmarks/")]
NAMES = [one for one in SHOWS if one.startswith("strut.")]


def command_of(verb):
    target = find("strut.verbs", verb)
    if isinstance(target, typer.Typer):
        return typer.main.get_command(target)
    app = typer.Typer(add_completion=False)
    app.command()(target)
    return typer.main.get_command(app)


def parse(text):
    """Parse a command as `strut` does, without running it: unknown options and values of a wrong type raise."""
    _, verb, *words = shlex.split(text)
    assert verb in VERBS, text
    command = command_of(verb)
    if hasattr(command, "commands"):
        name, *words = words
        command = command.commands[name]
    return command.make_context(verb, words)


def test_the_list_has_every_item_once():
    sizes = {"mrpete": 37, "pepper": 36, "alice": 31, "cassie": 40, "human": 45}
    assert {document.name: len(document.item) for document in DOCUMENTS} == sizes
    for document in DOCUMENTS:
        letter = document.item[0].id[0]
        assert [item.id for item in document.item] == [f"{letter}-{n:02}" for n in range(1, sizes[document.name] + 1)]


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.id)
def test_what_works_is_shown_and_what_does_not_has_a_reason(item):
    assert item.what
    assert item.place
    assert (item.reason == "") == (item.state == "works")
    assert bool(item.shows) == (item.state != "missing")


@pytest.mark.parametrize("text", COMMANDS)
def test_commands_of_the_list_parse(text):
    parse(text)


def test_an_option_that_does_not_exist_does_not_parse():
    with pytest.raises(Exception, match="--poses"):
        parse("strut walk mrpete --poses initial")


@pytest.mark.parametrize("name", NAMES)
def test_python_names_of_the_list_exist(name):
    import_module("strut")
    resolve_name(name)


def test_everything_that_shows_an_item_is_a_command_a_name_or_a_benchmark_that_exists():
    assert sorted([*COMMANDS, *NAMES, *BENCHMARKS]) == SHOWS
    assert all((ROOT / benchmark).is_file() for benchmark in BENCHMARKS)


def test_the_page_counts_and_lists_every_item():
    (page,) = PAGE.pages().values()
    for item in ITEMS:
        assert page.count(f"| {item.id} |") == 1
    counts = [sum(item.state == state for item in ITEMS) for state in PAGE.STATES]
    assert f"| all | {len(ITEMS)} | {' | '.join(map(str, counts))} |" in page
