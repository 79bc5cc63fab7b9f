"""The generated reference: every verb, name and key has a page, and the JSON Schemas accept the robots' own files."""

import importlib.util
import json
import re
import tomllib
from pathlib import Path

import jsonschema
import msgspec
import pytest

import strut
from strut.registry import VERBS, names
from strut.schemas.expression import ExpressionTable
from strut.schemas.imported import ImportedBody
from strut.style import STYLE_PARAMETERS

ROOT = Path(__file__).parents[1]
ROBOTS = ROOT / "src" / "strut" / "robots"
SCHEMAS = ROOT / "docs" / "schemas"


@pytest.fixture(scope="module")
def reference():
    specification = importlib.util.spec_from_file_location("make_reference", ROOT / "docs" / "make_reference.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(reference):
    return reference.pages()


def test_every_verb_has_a_page_on_which_every_option_has_a_meaning(pages):
    for verb in VERBS:
        page = pages[f"reference/commands/{verb}.md"]
        rows = re.findall(r"^\| `(.*?)` \| (.*) \|$", page, re.MULTILINE)
        assert rows, verb
        assert all(meaning for _, meaning in rows), [name for name, meaning in rows if not meaning]


def test_every_format_has_a_row_that_says_what_it_keeps(pages):
    written, read = pages["reference/formats.md"].split("## Read")
    for name in names("strut.writers"):
        (row,) = re.findall(rf"^\| `{name}` \| .*$", written, re.MULTILINE)
        assert ":" in row.split("|")[-2]
    for name in names("strut.readers"):
        (row,) = re.findall(rf"^\| `{name}` \| .*$", read, re.MULTILINE)
        assert ":" in row.split("|")[-2]
    rows = {
        line.split("`")[1]: [cell.strip() for cell in line.split("|")]
        for line in written.splitlines()
        if "`" in line[:4]
    }
    assert rows["json"][3:9] == ["yes"] * 6
    assert rows["csv"][3:9] == ["yes", "yes", "yes", "yes", "", ""]
    assert rows["c3d"][3:9] == [""] * 6
    assert rows["unitree"][3:10] == ["yes", "", "", "", "", "", "the rate, names of joints"]


def test_every_name_of_import_strut_is_on_its_page(pages):
    page = pages["reference/python/strut.md"]
    listed = set(re.findall(r"^::: [\w.]+\.(\w+)$", page, re.MULTILINE))
    modules = {name for name in strut.__all__ if f"strut.{name}" == getattr(getattr(strut, name), "__name__", None)}
    assert set(strut.__all__) - modules <= listed


def test_every_key_of_an_adopted_robot_and_of_every_small_table_has_a_meaning(pages):
    kinds = {
        "ImportedBody": "robot",
        "OwnJoint": "robot",
        "LinkFoot": "robot",
        "LinkLimb": "robot",
        "LinkShape": "robot",
    }
    for page in ("collision", "eyes", "chains", "marker_set", "story", "subject"):
        kinds |= dict.fromkeys(re.findall(r"^## (\w+)$", pages[f"reference/files/{page}.md"], re.MULTILINE), page)
    for kind, page in kinds.items():
        section = pages[f"reference/files/{page}.md"].split(f"## {kind}\n")[1].split("\n## ")[0]
        rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("| `")]
        assert rows, kind
        assert [row[0] for row in rows if not row[-1].strip()] == [], kind


def test_the_page_of_style_parameters_says_which_robot_has_a_part_for_each(pages):
    lines = pages["reference/style_parameters.md"].splitlines()
    rows = {line.split("`")[1]: line.strip("|").split("|") for line in lines if line.startswith("| `")}
    assert set(rows) == set(STYLE_PARAMETERS)
    robots = [
        cell.strip() for cell in next(line for line in lines if line.startswith("| parameter")).strip("|").split("|")
    ]
    head_of_alice = rows["head_pitch_rad"][robots.index("alice")].strip()
    assert head_of_alice == "animated"  # the published robot has no joint in its neck
    assert rows["lift"][robots.index("mrpete")].strip() == "published"


def test_the_schemas_that_editors_find_are_those_of_the_code(reference):
    stored = {path.name: json.loads(path.read_text("utf-8")) for path in SCHEMAS.glob("*.schema.json")}
    made = {f"{name}.schema.json": json.loads(text) for name, text in reference.schema_files()}
    assert stored == made, "write them again: python docs/make_reference.py"


def schema_of(name: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8")))


@pytest.mark.parametrize("path", sorted(ROBOTS.glob("*/*.toml")), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_editors_accept_the_files_of_our_robots_and_mark_a_wrong_key(path):
    if not (SCHEMAS / f"{path.stem}.schema.json").exists():
        pytest.skip(f"{path.name} is a table of free form")
    schema = schema_of(path.stem)
    table = tomllib.loads(path.read_text("utf-8"))
    assert [error.message for error in schema.iter_errors(table)] == []
    assert list(schema.iter_errors({**table, "no_such_key": 1}))


@pytest.mark.parametrize("design", ["forced-choice", "sam", "continuous", "pairwise"])
def test_editors_accept_a_new_design_and_mark_a_wrong_key(design, happy_walk, neutral_walk, tmp_path):
    motions = [tmp_path / "happy.npz", tmp_path / "neutral.npz"]
    for motion, path in zip((happy_walk, neutral_walk), motions, strict=True):
        strut.save_motion(motion, path)
    strut.study.new_study(tmp_path / "study", design, motions, quality="happy" if design == "pairwise" else "")
    table = tomllib.loads((tmp_path / "study" / "design.toml").read_text("utf-8"))
    schema = schema_of("design")
    assert [error.message for error in schema.iter_errors(table)] == []
    assert list(schema.iter_errors({**table, "no_such_key": 1}))


def test_the_examples_on_the_pages_are_tables_that_are_read():
    robot = tomllib.loads(example("how_to/correct_a_robot.md", "robot.toml"))
    assert msgspec.convert(robot, ImportedBody).limb["FL"].feet == ("FL",)
    expression = tomllib.loads(example("how_to/teach_an_emotion.md", "expression.toml"))
    table = msgspec.convert(expression, ExpressionTable)
    assert table.mapping("body_height").min == 0.6
    assert table.mapping("head_pitch_rad") is None
    markers = tomllib.loads(example("how_to/map_markers.md", "names.toml"))
    assert [error.message for error in schema_of("marker_set").iter_errors(markers)] == []


def example(page: str, title: str) -> str:
    text = (ROOT / "docs" / page).read_text("utf-8")
    return text.split(f'```toml title="{title}"\n')[1].split("```")[0]
