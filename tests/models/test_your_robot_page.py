"""docs/your_robot.md tells every key of robot.toml and collision.toml, no other, and its example is read."""

import re
from pathlib import Path

import msgspec
import pytest

from strut.errors import BadFieldError
from strut.schemas.collision import CollisionTable
from strut.schemas.imported import ImportedBody
from strut.schemas.toml_file import TomlFile

PAGE = (Path(__file__).parents[2] / "docs" / "your_robot.md").read_text("utf-8")


def keys(kind, before=""):
    """Return the keys of a table as the page writes them: joint.NAME.range_rad."""
    if isinstance(kind, msgspec.inspect.UnionType):
        kind = next(one for one in kind.types if not isinstance(one, msgspec.inspect.NoneType))
    if isinstance(kind, msgspec.inspect.DictType):
        return keys(kind.value_type, f"{before}.NAME")
    if isinstance(kind, msgspec.inspect.VarTupleType) and isinstance(kind.item_type, msgspec.inspect.StructType):
        return keys(kind.item_type, before)
    if isinstance(kind, msgspec.inspect.StructType):
        return {key for field in kind.fields for key in keys(field.type, f"{before}.{field.name}")}
    return {before.removeprefix(".")}


@pytest.mark.parametrize(("heading", "table"), [("robot.toml", ImportedBody), ("collision.toml", CollisionTable)])
def test_every_key_is_explained_and_no_other(heading, table):
    section = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    cells = re.findall(r"^\| (`[^|]*) \|", section, re.M)
    assert {key for cell in cells for key in re.findall(r"`([^`]*)`", cell)} == keys(msgspec.inspect.type_info(table))


def test_the_example_is_a_robot():
    example = re.findall(r"```toml\n(.*?)```", PAGE, re.S)[0]
    robot = TomlFile(example, "robot.toml", BadFieldError).decode(ImportedBody)
    assert robot.floats
    assert robot.limb["FL"].feet == ("FL",)
