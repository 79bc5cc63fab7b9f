"""The house rules: who may import whom, how long things are, and what everything is called."""

import ast
import importlib
import pkgutil
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import strut

HOME = Path(strut.__file__).parent
NOUNS = (
    "errors",
    "toml_file",
    "cancellation",
    "tables",
    "rotation",
    "emotion",
    "style",
    "robot",
    "motion",
    "recording",
    "receipt",
    "bisection",
    "audit",
    "draft",
    "request",
    "place",
    "easing",
    "address",
)
STAGES = (
    *(
        "models",
        "robots",
        "engines",
        "expression",
        "kinematics",
        "balance",
        "optimal",
        "human",
        "generators",
        "verify",
        "io",
        "pipeline",
    ),
    *("control", "simulation", "capture", "analysis", "study", "show", "reproduction", "cli"),
)
ENGINES = {"mujoco", "casadi", "ezc3d", "viser", "dask"}
MODULES = sorted(HOME.rglob("*.py"))
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "misc"}


def name_of(path):
    return str(path.relative_to(HOME))


def tier(module):
    """Return how far down the list a module of strut stands; the nouns share the top."""
    part = module.split(".")[1]
    if part == "__main__":
        return len(STAGES) + 1
    return 0 if part in NOUNS else 1 + STAGES.index(part)


def imports_of(path):
    """Yield the modules that a file imports when it runs; imports for type checkers alone are left out."""
    tree = ast.parse(path.read_text("utf-8"))
    for_checkers = {
        node
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for node in ast.walk(block)
    }
    for node in ast.walk(tree):
        if node in for_checkers:
            continue
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{name_of(path)} imports relatively; write the whole name"
            yield node.module


def module_name(path):
    parts = path.relative_to(HOME.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_imports_only_point_up_the_list(path):
    importer = module_name(path)
    if importer == "strut":
        return  # the front door shows what users type, from everywhere
    wrong = [
        imported for imported in imports_of(path) if imported.startswith("strut.") and tier(imported) > tier(importer)
    ]
    assert not wrong, f"{importer} imports {', '.join(wrong)}, which stands below it in the house"
    assert "strut" not in imports_of(path), f"{importer} imports the front door; name the room"


def test_no_module_imports_itself_in_a_circle():
    graph = {module_name(path): {m for m in imports_of(path) if m.startswith("strut.")} for path in MODULES}
    graph.pop("strut")
    list(TopologicalSorter(graph).static_order())  # raises CycleError with the circle in it


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_engines_live_in_their_own_folder(path):
    foreign = {imported.split(".")[0] for imported in imports_of(path)} & ENGINES
    allowed = {"engines": ENGINES, "models": {"mujoco"}}.get(path.parent.name, set())
    assert foreign <= allowed, f"{name_of(path)} imports {', '.join(foreign)}; only engines/ may"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_modules_and_functions_are_short(path):
    """Under 400 lines a module, under 50 the body of a function; signature and docstring are its description."""
    text = path.read_text("utf-8")
    assert text.count("\n") < 400
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = node.body[0]
            has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            lines = node.end_lineno - (first.end_lineno if has_docstring else first.lineno - 1)
            assert lines < 50, f"{name_of(path)}: {node.name} has {lines} lines; a noun is hiding inside"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_module_says_first_what_it_is(path):
    docstring = ast.get_docstring(ast.parse(path.read_text("utf-8")))
    assert docstring, f"{name_of(path)} does not say what it is"
    first = docstring.splitlines()[0]
    assert first.endswith((".", ":")), f"{name_of(path)}: the first line is not one sentence"
    assert path.read_text("utf-8").startswith('"""')


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_names_name_the_thing(path):
    parts = path.relative_to(HOME).with_suffix("").parts
    assert not set(parts) & FORBIDDEN_NAMES
    assert parts[0] in (*NOUNS, *STAGES, "__init__", "__main__"), f"{parts[0]} is not in the plan of the house"


def test_every_public_name_can_be_imported():
    assert len(set(strut.__all__)) == len(strut.__all__)
    for name in strut.__all__:
        assert hasattr(strut, name)


def test_rooms_are_not_empty():
    for folder in {path.parent for path in MODULES} - {HOME, HOME / "robots"}:
        assert [path for path in folder.glob("*.py") if path.name != "__init__.py"], f"{folder} holds nothing"
        assert (folder / "__init__.py").exists()


def test_every_module_can_be_imported_alone():
    for module in pkgutil.walk_packages([str(HOME)], "strut."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)


def test_the_library_never_prints():
    for path in MODULES:
        if path.parent.name != "cli":
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                is_print = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
                assert not is_print, f"{name_of(path)} prints"
