"""General code names no body part: what is human stands in human/, or in a robot's own tables."""

import ast
import re
from pathlib import Path

import pytest

import strut

HOME = Path(strut.__file__).parent
PARTS = {
    *("head", "neck", "shoulder", "elbow", "hand", "trunk", "lumbar", "pelvis"),
    *("hip", "thigh", "knee", "shank", "ankle", "heel", "toe", "toes", "hallux", "forefoot", "meta5"),
}
SIDES = {"Right", "Left"}


def words_of(text):
    """Yield the words of an identifier or a sentence: snake_case, CamelCase and spaces apart, tags of HTML left out."""
    for chunk in re.findall(r"[A-Za-z0-9]+", re.sub(r"</?[a-z]+>", " ", text)):
        yield from re.findall(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])", chunk)


def test_a_tag_of_a_page_is_no_body_part_and_a_name_in_a_page_is():
    assert list(words_of("<head><b>left_knee</b>")) == ["left", "knee"]
    assert list(words_of("headOf a < head")) == ["head", "Of", "a", "head"]


def docstrings(tree):
    holders = (ast.Module, ast.ClassDef, ast.FunctionDef)
    return {id(node.body[0].value) for node in ast.walk(tree) if isinstance(node, holders) and ast.get_docstring(node)}


def parts_named(path):
    """Return the body parts that identifiers and strings of a module name."""
    tree = ast.parse(path.read_text("utf-8"))
    told = docstrings(tree)
    found = set()
    for node in ast.walk(tree):
        texts = [value for _, value in ast.iter_fields(node) if isinstance(value, str)] if id(node) not in told else []
        for word in (word for text in texts for word in words_of(text)):
            if word.lower() in PARTS or word in SIDES:
                found.add(word)
    return found


def modules_of(*rooms):
    return [path for room in rooms for path in sorted((HOME / room).glob("*.py"))]


@pytest.mark.parametrize("path", modules_of("optimal", "engines", "expression"), ids=lambda path: path.stem)
def test_general_code_names_no_body_part(path):
    found = parts_named(path)
    assert not found, f"{path.relative_to(HOME)} names {', '.join(sorted(found))}; take it from a table or from human/"


@pytest.mark.parametrize("path", modules_of("analysis"), ids=lambda path: path.stem)
def test_analysis_takes_the_names_of_a_model_from_elsewhere(path):
    """What is measured may be called knee or head; how a model's knee is called is not for analysis to say."""
    models = {word for word in parts_named(path) if word[0].isupper() and not word.isupper()} - {"Leg"}
    assert not models, f"{path.relative_to(HOME)} names {', '.join(sorted(models))}; see human/anatomy.py"
