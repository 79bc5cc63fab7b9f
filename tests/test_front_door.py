"""The front door: `import strut` offers what the command line does, quickly, each function with an example."""

import ast
import importlib
import inspect
import subprocess
import sys
import typing
from pathlib import Path

import numpy as np
import pandas
import pytest

import strut
from strut.registry import VERBS

ROOT = Path(__file__).parent.parent
NAMES = [name for name in strut.__all__ if not inspect.ismodule(getattr(strut, name))]
MODULES = [f"strut.{name}" for name in strut.__all__ if name not in NAMES]
ROOM_OF_VERB = {
    "library": "MotionLibrary",
    "study": "new_study",
}  # verbs with verbs of their own are rooms


def names_of(module):
    own = [name for name, thing in vars(module).items() if getattr(thing, "__module__", "") == module.__name__]
    return [name for name in getattr(module, "__all__", own) if not name.startswith("_")]


def offered():
    """Return every public name with what it stands for."""
    things = {name: getattr(strut, name) for name in NAMES}
    for module in map(importlib.import_module, MODULES):
        things |= {f"{module.__name__}.{name}": getattr(module, name) for name in names_of(module)}
    return things


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_a_function_of_its_name(verb):
    thing = getattr(strut, verb)
    if verb in ROOM_OF_VERB:
        assert inspect.ismodule(thing)
        assert hasattr(thing, ROOM_OF_VERB[verb])
    else:
        assert inspect.isfunction(thing)


def test_strut_itself_offers_about_fifty_names():
    assert len(NAMES) <= 60


@pytest.mark.parametrize("module", ["strut", *MODULES])
def test_every_function_has_an_example_and_every_class_a_docstring(module):
    package = importlib.import_module(module)
    for name in names_of(package):
        thing = getattr(package, name)
        if inspect.isfunction(thing) or inspect.isclass(thing):
            assert inspect.getdoc(thing), f"{module}.{name} has no docstring"
        if hasattr(package, "__path__") and inspect.isfunction(thing) and module != "strut.ocp":
            assert ">>> " in inspect.getdoc(thing), f"{module}.{name} has no example"


def signatures(thing):
    """Yield a function, or a class and its public methods and properties, without the check of argument types."""
    thing = inspect.unwrap(thing)
    yield thing
    for name, member in vars(thing).items() if inspect.isclass(thing) else ():
        function = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
        if inspect.isfunction(function) and not name.startswith("_"):
            yield function


def classes(annotation):
    """Yield the classes of strut in an annotation."""
    if isinstance(annotation, type) and annotation.__module__.startswith("strut."):
        yield annotation
    for part in typing.get_args(annotation):
        yield from (cls for one in (part if isinstance(part, list | tuple) else [part]) for cls in classes(one))


def annotations(thing):
    """Return the public annotations of a function or class; other names that only type checkers import become Any."""
    for_type_checkers = {"np": np, "pd": pandas}
    while True:
        try:
            hints = typing.get_type_hints(thing, localns=for_type_checkers)
        except NameError as error:
            for_type_checkers[error.name] = typing.Any
        else:
            return [hint for name, hint in hints.items() if not name.startswith("_")]


def test_every_type_in_a_public_signature_is_offered():
    things = offered()
    known = {inspect.unwrap(thing) for thing in things.values() if inspect.isclass(inspect.unwrap(thing))}
    missing = set()
    for name, thing in things.items():
        if not (inspect.isfunction(thing) or inspect.isclass(thing)):
            continue
        for signature in signatures(thing):
            for annotation in annotations(signature):
                hidden = [cls for cls in classes(annotation) if cls not in known and not cls.__name__.startswith("_")]
                missing |= {f"{cls.__module__}.{cls.__name__} (in {name})" for cls in hidden}
    assert not missing


def test_no_name_of_a_room_is_hidden_by_a_module_of_the_same_name():
    for name in MODULES:
        package = importlib.import_module(name)
        if hasattr(package, "__path__"):
            folder = Path(package.__path__[0])
            assert not {path.stem for path in folder.iterdir()} & set(names_of(package))


def test_the_import_alone_loads_no_engine_and_no_numpy():
    code = "import sys, strut, strut.ocp, strut.study; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "mujoco", "casadi", "typer"} & set(loaded)


@pytest.mark.parametrize("module", ["strut", "strut.ocp"])
def test_a_name_that_is_not_there_is_an_attribute_error(module):
    with pytest.raises(AttributeError, match=f"module '{module}' has no attribute 'dance'"):
        _ = importlib.import_module(module).dance


def test_names_are_listed_for_completion():
    assert {"walk", "ocp"} <= set(dir(strut))
    assert "Bounds" in dir(strut.ocp)


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.name)
def test_examples_import_public_names_alone(path):
    tree = ast.parse(path.read_text("utf-8"))
    modules = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    modules |= {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert {module for module in modules if module.startswith("strut.")} <= set(MODULES)
