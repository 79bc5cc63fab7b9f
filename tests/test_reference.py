"""The generated reference: every verb, name and key has a page, and the JSON Schemas accept the robots' own files."""

import importlib.util
import json
import re
import tomllib
from pathlib import Path

import jsonschema
import pytest

import strut
from strut.registry import VERBS

ROOT = Path(__file__).parents[1]
ROBOTS = ROOT / "src" / "strut" / "robots"


@pytest.fixture(scope="module")
def pages():
    specification = importlib.util.spec_from_file_location("make_reference", ROOT / "docs" / "make_reference.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module.pages()


def test_every_verb_has_a_page_on_which_every_option_has_a_meaning(pages):
    for verb in VERBS:
        page = pages[f"reference/commands/{verb}.md"]
        rows = re.findall(r"^\| `(.*?)` \| (.*) \|$", page, re.MULTILINE)
        assert rows, verb
        assert all(meaning for _, meaning in rows), [name for name, meaning in rows if not meaning]


def test_every_name_of_import_strut_is_on_its_page(pages):
    page = pages["reference/python/strut.md"]
    listed = set(re.findall(r"^::: [\w.]+\.(\w+)$", page, re.MULTILINE))
    modules = {name for name in strut.__all__ if f"strut.{name}" == getattr(getattr(strut, name), "__name__", None)}
    assert set(strut.__all__) - modules <= listed


@pytest.mark.parametrize("path", sorted(ROBOTS.glob("*/*.toml")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_editors_accept_the_files_of_our_robots_and_mark_a_wrong_key(pages, path):
    text = pages.get(f"schemas/{path.stem}.schema.json")
    if text is None:
        pytest.skip(f"{path.name} is a table of free form")
    schema = jsonschema.Draft202012Validator(json.loads(text))
    table = tomllib.loads(path.read_text("utf-8"))
    assert [error.message for error in schema.iter_errors(table)] == []
    assert list(schema.iter_errors({**table, "no_such_key": 1}))
