"""docs/expression.md: every word and every field of the tables stands on the page for authors of robots."""

from pathlib import Path

import msgspec
import pytest

from strut.models.catalogue import load_robot
from strut.schemas import expression
from strut.schemas.toml_file import TomlFile
from strut.style import STYLE_PARAMETERS

PAGE = (Path(__file__).parents[2] / "docs" / "expression.md").read_text("utf-8")
TABLES = [kind for kind in vars(expression).values() if isinstance(kind, type) and issubclass(kind, msgspec.Struct)]
CELLS = [row.strip("|").split("|") for row in PAGE.splitlines() if row.startswith("| `")]
ROWS = {cells[0].strip("` "): cells for cells in CELLS}


@pytest.mark.parametrize("word", [*STYLE_PARAMETERS, "direction", "postures"])
def test_the_page_says_which_robot_has_a_part_for_a_word(word):
    cells = [cell.strip() for cell in ROWS[word]]
    assert cells[4] in STYLE_PARAMETERS[word].meaning if word in STYLE_PARAMETERS else cells[4]
    for name, said in zip(("alice", "heiman", "mrpete", "pepper"), cells[5:], strict=True):
        table = load_robot(name).expression
        assert bool(said) == (table.with_animated().mapping(word) is not None)
        assert (said == "animated") == (bool(said) and table.mapping(word) is None)


@pytest.mark.parametrize("field", sorted({field for table in TABLES for field in table.__struct_fields__}))
def test_every_field_is_on_the_page(field):
    assert field in PAGE


def test_the_example_is_a_table():
    text = PAGE.split("```toml\n")[1].split("```")[0]
    table = TomlFile(text, "the page", AssertionError).decode(expression.ExpressionTable)
    assert table.mapping("body_height") == expression.ParameterMapping(min=0.6)
    assert table.mapping("head_pitch_rad") is None
