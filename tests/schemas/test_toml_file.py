"""TOML files are read into their types; errors name line, field and what belongs there."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
import pytest

from strut.errors import FieldError
from strut.schemas.toml_file import TomlFile, line_of

Count = Annotated[int, msgspec.Meta(ge=1, le=50)]


class Foot(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    name: str
    length_m: Annotated[float, msgspec.Meta(gt=0.0)] = 0.1


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    title: Annotated[str, msgspec.Meta(pattern=r"^\w+$", max_length=8, description="use letters.")]
    cycles: Count = 3
    order: Literal["fixed", "random"] = "fixed"
    loop: bool = False
    words: tuple[Literal["tempo", "stride"], ...] = ()
    offset_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    poses: dict[str, dict[str, float]] = {}
    feet: Annotated[tuple[Foot, ...], msgspec.Meta(min_length=1)] = (Foot("only"),)


TEXT = """# a comment
title = "robot"
words = ["tempo"]

[poses.happy]
knee = 0.5
"ankle pitch" = 0.25

[poses.sad]   # with a comment
knee = 1.0

[[feet]]
name = "left"

[[feet]]
name = "right"
length_m = 0.2
"""


def decode(text: str) -> Table:
    return TomlFile(text, "table.toml", FieldError).decode(Table)


def test_a_text_becomes_its_structure():
    table = decode(TEXT)
    assert table.feet == (Foot("left", 0.1), Foot("right", 0.2))
    assert table.poses["happy"] == {"knee": 0.5, "ankle pitch": 0.25}


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("title",), 2),
        (("poses", "happy", "ankle pitch"), 7),
        (("poses", "sad"), 9),
        (("poses", "sad", "hip"), 9),
        (("feet",), 12),
        (("feet", 1, "name"), 16),
        (("feet", 0, "length_m"), 12),
        (("words", 0), 3),
        (("cycles",), None),
    ],
)
def test_the_line_of_a_field_is_found_or_that_of_its_table(path, line):
    assert line_of(TEXT, path) == line


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"robot"', '"a robot"', "line 2, title: is 'a robot'; use letters."),
        ('"robot"', '"a_long_robot"', "line 2, title: is longer than 8 characters."),
        ('"robot"', "3", "line 2, title: must be a text in quotes, not 3."),
        ('"robot"', '"robot"\ncycles = 0', "line 3, cycles: must be a whole number from 1 to 50, not 0."),
        ('"robot"', '"robot"\ncycles = true', "line 3, cycles: must be a whole number from 1 to 50, not True."),
        ('"robot"', '"robot"\nloop = 1', "line 3, loop: must be true or false, not 1."),
        (
            '"robot"',
            '"robot"\norder = "rando"',
            "line 3, order: is 'rando', which is none of fixed, random; did you me",
        ),
        ('"robot"', '"robot"\noffset_m = [1, 2]', "line 3, offset_m: must be a list of 3, not [1, 2]."),
        ('"robot"', '"robot"\noffset_m = [1, 2, "c"]', "line 3, offset_m: holds 'c'; each must be a number, not 'c'."),
        (
            '["tempo"]',
            '["tempi"]',
            "line 3, words: holds 'tempi', which is none of stride, tempo; did you mean 'tempo",
        ),
        ("knee = 1.0", 'knee = "bent"', "line 10, poses.sad.knee: must be a number, not 'bent'."),
        ("0.2\n", "0.0\n", "line 17, feet.length_m: must be a number above 0, not 0.0."),
        ('name = "right"\n', "", "line 15, feet.name: is missing."),
        ("length_m", "lenght_m", "line 17, feet.lenght_m: there is no such field here; did you mean 'length_m'?"),
        ("length_m", "colour", "line 17, feet.colour: there is no such field here; known are name, length_m."),
        ("knee = 1.0", "knee = 1 0", "line 10: is not TOML at column 10: "),
    ],
)
def test_what_is_wrong_is_said_with_line_and_field(old, new, message):
    assert TEXT.count(old) == 1
    with pytest.raises(FieldError) as refusal:
        decode(TEXT.replace(old, new))
    assert str(refusal.value).startswith(f"table.toml, {message}")


def test_what_never_ends_is_said_with_the_last_line():
    with pytest.raises(FieldError, match=r"^table.toml, line 2: is not TOML at its end: "):
        decode('title = "robot"\nfeet = [\n\n')


def test_a_list_that_must_not_be_empty_says_so():
    with pytest.raises(FieldError, match=r"^table.toml, line 2, feet: needs at least 1, it has 0\.$"):
        decode('title = "robot"\nfeet = []\n')


def test_lists_that_are_nested_too_deeply_are_refused():
    with pytest.raises(FieldError, match="has lists or tables that are nested too deeply"):
        decode("title = " + "[" * 100_000 + "]" * 100_000)
