"""The plan of the house: which room may import which, and what everything is called."""

import ast
import gc
import importlib
import pkgutil
import re
import tomllib
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import strut
from tests.conftest import FIRST as SLOWEST_FILES

HOME = Path(strut.__file__).parent
PLAN = tomllib.loads((HOME.parents[1] / "docs" / "house.toml").read_text("utf-8"))
CORE = PLAN["core"]
FEATURES = PLAN["features"]
APART = PLAN["apart"]
MODULES = sorted(HOME.rglob("*.py"))
DOORS = {"cli", "verbs"}  # rooms of the command line: they print, and are called like what they call
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "misc"}


@pytest.fixture(scope="module", autouse=True)
def _trees_are_no_garbage():
    """Look for garbage only when the trees of all modules are gone: looking among them takes longer than parsing."""
    gc.disable()
    yield
    for kept in (tree_of, nodes_of):
        kept.cache_clear()
    gc.enable()


def name_of(path):
    return str(path.relative_to(HOME))


@cache
def text_of(path):
    return path.read_text("utf-8")


@cache
def tree_of(path):
    return ast.parse(text_of(path))


@cache
def nodes_of(path):
    """Return the statements and calls of a file, in which all is that is looked for."""
    return [node for node in ast.walk(tree_of(path)) if isinstance(node, (ast.stmt, ast.Call))]


def functions_of(path):
    return [node for node in nodes_of(path) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]


def room_of(module):
    """Return the room of a module below strut: a core room, a feature, or `nouns`; gaits are one feature each."""
    parts = module.split(".")[1:] or ["strut"]
    if parts[0] in APART:
        return ".".join(parts[:2])
    return parts[0] if parts[0] in (*CORE, *FEATURES) else "nouns"


def may_import(importer, imported):
    """Return whether the plan allows one room to import another."""
    if importer == imported:
        return True
    if importer == "nouns":
        return imported in PLAN["below_nouns"]
    if imported == "nouns":
        return True
    if importer in CORE:
        return imported in CORE and CORE.index(imported) < CORE.index(importer)
    return imported in CORE or imported in PLAN["shared"] or importer in PLAN["readers"]


@cache
def imports_of(path):
    """Return the modules that a file imports when it runs; imports for type checkers alone are left out."""
    found = []
    for_checkers = {
        node
        for block in nodes_of(path)
        if isinstance(block, ast.If) and isinstance(block.test, ast.Name) and block.test.id == "TYPE_CHECKING"
        for node in ast.walk(block)
    }
    for node in nodes_of(path):
        if node in for_checkers:
            continue
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)} imports relatively; write the whole name"
            found.append(node.module)
    return found


def module_name(path):
    parts = path.relative_to(HOME.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def test_the_core_names_no_feature_and_features_do_not_import_each_other():
    edges = set()
    for path in MODULES:
        importer = module_name(path)
        if importer in ("strut", "strut.__main__"):
            continue  # the doors
        assert "strut" not in imports_of(path), f"{importer} imports the front door; name the room"
        for imported in imports_of(path):
            if imported.startswith("strut."):
                edges.add((room_of(importer), room_of(imported)))
    forbidden = {edge for edge in edges if not may_import(*edge)}
    exceptions = {(importer, imported) for importer, imported, _ in PLAN["exceptions"]}
    assert not forbidden - exceptions, "move what both need into the core, or register it"
    assert not exceptions - forbidden, "these exceptions are no longer needed"


def test_the_page_on_architecture_lists_every_room():
    page = (HOME.parents[1] / "docs" / "architecture.md").read_text("utf-8")
    rooms = re.findall(r"^\| `([\w/]+)/` \|", page, re.MULTILINE)
    assert [room.replace("/", ".") for room in rooms] == [*CORE, *FEATURES]


def test_no_module_imports_itself_in_a_circle():
    graph = {module_name(path): {m for m in imports_of(path) if m.startswith("strut.")} for path in MODULES}
    graph.pop("strut")
    list(TopologicalSorter(graph).static_order())  # raises CycleError with the circle in it


def test_engines_live_in_their_own_folder():
    for path in MODULES:
        for engine in {imported.split(".")[0] for imported in imports_of(path)} & set(PLAN["engines"]):
            rooms = PLAN["engines"][engine]
            assert room_of(module_name(path)) in rooms, f"{name_of(path)} imports {engine}; only {rooms} may"


def defined_in(block):
    """Yield the functions, classes and type aliases of a block of a module; branches of an `if` belong to it.

    Type aliases are what is assigned to a name in CamelCase: constants are written in capitals.
    """
    for node in block:
        if isinstance(node, ast.If):
            yield from defined_in([*node.body, *node.orelse])
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [target.id for target in targets if isinstance(target, ast.Name)]
            yield from (name for name in names if name[0].isupper() and not name.isupper())


def test_no_public_name_is_defined_twice():
    """Verbs of the command line and the `parts` of reproduced systems are doors that share a name on purpose."""
    homes = defaultdict(set)
    for path in MODULES:
        if path.parent.name not in DOORS:
            for name in defined_in(tree_of(path).body):
                if not name.startswith("_"):
                    homes[name].add(name_of(path))
    twice = {name for name, files in homes.items() if len(files) > 1} - {"parts"}
    assert not twice, {name: homes[name] for name in twice}


def test_every_module_says_first_what_it_is():
    for path in MODULES:
        docstring = ast.get_docstring(tree_of(path))
        assert docstring, f"{name_of(path)} does not say what it is"
        first = docstring.splitlines()[0]
        assert first.endswith((".", ":")), f"{name_of(path)}: the first line is not one sentence"
        assert text_of(path).startswith('"""'), name_of(path)


def test_names_name_the_thing():
    for path in MODULES:
        parts = path.relative_to(HOME).with_suffix("").parts
        assert not set(parts) & FORBIDDEN_NAMES, name_of(path)
        is_noun = room_of(module_name(path)) == "nouns"
        assert not is_noun or len(parts) == 1 or parts == ("gaits", "__init__"), f"{parts[0]} is not in the plan"


def test_every_public_name_can_be_imported():
    assert len(set(strut.__all__)) == len(strut.__all__)
    for name in strut.__all__:
        assert hasattr(strut, name)


def test_rooms_are_not_empty():
    for folder in {path.parent for path in MODULES} - {HOME, HOME / "robots", HOME / "gaits"}:
        assert [path for path in folder.glob("*.py") if path.name != "__init__.py"], f"{folder} holds nothing"
        assert (folder / "__init__.py").exists()


def test_every_module_can_be_imported_alone():
    for module in pkgutil.walk_packages([str(HOME)], "strut."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def test_the_library_never_prints():
    for path in MODULES:
        if path.parent.name not in DOORS:
            for node in nodes_of(path):
                is_print = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
                assert not is_print, f"{name_of(path)} prints"


def test_test_files_that_start_first_exist():
    existing = {file.name for file in Path(__file__).parent.rglob("test_*.py")}
    assert set(SLOWEST_FILES) <= existing
