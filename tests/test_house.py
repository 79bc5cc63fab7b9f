"""The house rules: who may import whom, how long and how tangled things are, and what everything is called."""

import ast
import gc
import importlib
import pkgutil
import re
from collections import defaultdict
from functools import cache
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import strut

HOME = Path(strut.__file__).parent
NOUNS = (
    *("number_words", "errors", "argument_types", "front_door"),
    *("toml_file", "cancellation", "tables", "rotation", "emotion", "style", "robot", "motion"),
    *("recording", "receipt", "bisection", "audit", "draft", "request", "request_checks", "place", "easing", "address"),
    *("contact_set", "mirror", "sampling", "travel_direction", "drawing", "rig", "gait_library"),
)
STAGES = (
    *("robots", "models", "engines", "expression", "kinematics", "balance", "optimal", "human", "generators", "verify"),
    *("capture", "io", "control", "simulation", "pipeline", "analysis", "study", "show", "adoption"),
    *("reproduction", "cli"),
)
FOUNDATIONS = {"robots", "models", "engines"}  # data, compiled models and thin adapters: every stage computes with them
READERS = {"reproduction", "cli"}  # they compare or print what any stage computes
# Stages meet through nouns and protocols. These pairs are all the exceptions: importer, imported, and why.
ALLOWED_EDGES = {
    ("optimal", "kinematics"): "slip of contact points is measured in one place",
    ("human", "kinematics"): "slip of contact points is measured in one place",
    ("optimal", "balance"): "support polygons are found in one place",
    ("human", "optimal"): "a human gait is an optimal-control problem",
    ("generators", "expression"): "a draft turns the words of a style into joints",
    ("generators", "kinematics"): "a draft is inverse kinematics of planned end effectors",
    ("generators", "balance"): "a draft is planned so that it balances",
    ("generators", "optimal"): "the human's drafts come from the optimal-control problem",
    ("generators", "human"): "the human's drafts come from the optimal-control problem",
    ("verify", "expression"): "a hand task is judged against the gaze and posture asked for",
    ("verify", "kinematics"): "slip and task errors are kinematics",
    ("verify", "balance"): "a limit on balance needs the zero-moment point and the support polygon",
    ("verify", "generators"): "a hand task is judged against the path it was asked to follow",
    ("capture", "balance"): "the centre of pressure of a wrench is written in one place",
    ("capture", "verify"): "a recorded walk and `check` have one verdict",
    ("io", "expression"): "resampling an oscillating posture keeps its oscillation",
    ("io", "generators"): "a file can hold a hand path or a story, and a rig rests as a story begins",
    ("io", "kinematics"): "a rig says about which axes its feet keep level",
    ("io", "capture"): "BVH, C3D, TRC and MOT are read and written in one place",
    ("pipeline", "expression"): "the one pipeline: request to style",
    ("pipeline", "generators"): "the one pipeline: style to draft",
    ("pipeline", "verify"): "the one pipeline: draft to judged motion",
    ("pipeline", "simulation"): "a gait is proved in physics before it is called ok",
    ("pipeline", "io"): "a gait library is written while it is built",
    ("pipeline", "control"): "a show is a queue of requests to the controllers",
    ("simulation", "generators"): "a walk to a goal is planned again from where the robot really is",
    ("simulation", "kinematics"): "a walk to a goal is planned again from where the robot really is",
    ("simulation", "balance"): "who really carries the weight",
    ("simulation", "control"): "what happens depends on who controls",
    ("analysis", "pipeline"): "feelings are told apart as a robot really moves",
    ("analysis", "human"): "gait analysis names the parts of a human model",
    ("analysis", "optimal"): "criteria are evaluated on the solver's own trajectory",
    ("study", "io"): "stimuli are motion files",
    ("study", "human"): "point lights sit where the marker set has them",
    ("study", "pipeline"): "the motions of a published study are performed again",
    ("adoption", "expression"): "an adopted robot gets every word of the animated layer",
    ("adoption", "io"): "folders are written atomically",
    ("adoption", "pipeline"): "a biped gets a gait that leaves its motors some reserve, as the planner judges it",
    ("adoption", "show"): "a portrait shows what was found",
    ("show", "simulation"): "a person drives a simulated robot from a page",
    ("show", "balance"): "support polygons are drawn",
    ("show", "human"): "plots carry the laboratory's names",
    ("show", "verify"): "plots show what check measures",
    ("show", "io"): "films and pages are written atomically, motions are read",
    ("show", "analysis"): "a report plots gait parameters",
    ("show", "capture"): "a report plots what was recorded and computed from it",
}
# Which rooms may import an engine; CasADi is the language of optimal control, and of nothing else.
ENGINES = {
    "mujoco": {"engines", "models", "adoption"},
    "viser": {"engines"},
    "casadi": {"optimal"},
    "dask": {"engines"},
}
MODULES = sorted(HOME.rglob("*.py"))
FORBIDDEN_NAMES = {"utils", "util", "helpers", "helper", "common", "base", "misc"}
# Ratchets: what is still too long, too tangled or named twice. These may only get shorter.
MOST_TANGLED_BLOCKS = 18
LARGEST_MEAN_COMPLEXITY = 3.0
LONG_FUNCTIONS: set[str] = set()
DEFINED_TWICE: set[str] = set()
FILES_TWICE: set[str] = set()


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


def tier(module):
    """Return how far down the list a module of strut stands; the nouns share the top."""
    part = module.split(".")[1]
    if part == "__main__":
        return len(STAGES) + 1
    return 0 if part in NOUNS else 1 + STAGES.index(part)


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


def stage_edges():
    """Yield importing file, its stage and the stage it imports, where the two differ."""
    for path in MODULES:
        own = path.relative_to(HOME).parts[0]
        for imported in imports_of(path):
            other = imported.split(".")[1] if imported.startswith("strut.") else ""
            if own in STAGES and other in STAGES and own != other:
                yield name_of(path), own, other


def test_imports_only_point_up_the_list():
    wrong = []
    for path in MODULES:
        importer = module_name(path)
        if importer == "strut":
            continue  # the front door shows what users type, from everywhere
        assert "strut" not in imports_of(path), f"{importer} imports the front door; name the room"
        ours = [imported for imported in imports_of(path) if imported.startswith("strut.")]
        wrong += [f"{importer} imports {imported}" for imported in ours if tier(imported) > tier(importer)]
    assert not wrong, f"{'; '.join(wrong)}, which stand below in the house"


def test_stages_meet_through_nouns_and_protocols_but_for_the_allowed_edges():
    wrong = [
        f"{file} imports {other}/"
        for file, own, other in stage_edges()
        if other not in FOUNDATIONS and own not in READERS and (own, other) not in ALLOWED_EDGES
    ]
    assert not wrong, f"{'; '.join(wrong)}: move the common noun up, or allow the edge with a reason"


def test_the_page_on_architecture_lists_the_stages_in_the_order_of_the_house():
    page = (HOME.parents[1] / "docs" / "architecture.md").read_text("utf-8")
    assert tuple(re.findall(r"^\| `(\w+)/` \|", page, re.MULTILINE)) == STAGES


def test_no_module_imports_itself_in_a_circle():
    graph = {module_name(path): {m for m in imports_of(path) if m.startswith("strut.")} for path in MODULES}
    graph.pop("strut")
    list(TopologicalSorter(graph).static_order())  # raises CycleError with the circle in it


def test_engines_live_in_their_own_folder():
    for path in MODULES:
        for engine in {imported.split(".")[0] for imported in imports_of(path)} & set(ENGINES):
            rooms = ENGINES[engine]
            assert path.parent.name in rooms, f"{name_of(path)} imports {engine}; only {' and '.join(rooms)} may"


def test_modules_and_functions_are_short():
    """Under 400 lines a module, under 50 the body of a function; signature and docstring are its description."""
    for path in MODULES:
        assert text_of(path).count("\n") < 400, f"{name_of(path)} is too long"
        for node in functions_of(path):
            first = node.body[0]
            has_docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
            lines = node.end_lineno - (first.end_lineno if has_docstring else first.lineno - 1)
            assert lines < 50, f"{name_of(path)}: {node.name} has {lines} lines; a noun is hiding inside"


def test_no_function_is_longer_than_sixty_lines_in_all():
    long = {
        f"{name_of(path)}: {node.name}"
        for path in MODULES
        for node in functions_of(path)
        if node.end_lineno - node.lineno + 1 > 60
    }
    assert long <= LONG_FUNCTIONS, f"{long - LONG_FUNCTIONS}: a noun is hiding inside"


def test_functions_are_not_tangled():
    """Cyclomatic complexity as radon counts it: the mean, and how many blocks lie above 10."""
    visit = pytest.importorskip("radon.complexity").cc_visit_ast
    blocks = {(name_of(path), block.fullname): block.complexity for path in MODULES for block in visit(tree_of(path))}
    tangled = sorted((name for name, value in blocks.items() if value > 10), key=blocks.get, reverse=True)
    assert sum(blocks.values()) / len(blocks) <= LARGEST_MEAN_COMPLEXITY
    assert len(tangled) <= MOST_TANGLED_BLOCKS, f"{len(tangled)} blocks above 10: {tangled}"


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
        if path.parent.name != "cli":
            for name in defined_in(tree_of(path).body):
                if not name.startswith("_"):
                    homes[name].add(name_of(path))
    twice = {name for name, files in homes.items() if len(files) > 1} - {"parts"}
    assert twice <= DEFINED_TWICE, {name: homes[name] for name in twice - DEFINED_TWICE}


def test_a_file_name_says_one_thing():
    """Verbs in cli/ are called like what they call, tables/ like the files they describe."""
    homes = defaultdict(set)
    for path in MODULES:
        if path.parent.name not in ("cli", "tables") and not path.stem.startswith("__"):
            homes[path.stem].add(path.parent.name)
    twice = {name for name, folders in homes.items() if len(folders) > 1}
    assert twice <= FILES_TWICE, {name: homes[name] for name in twice - FILES_TWICE}


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
            for node in nodes_of(path):
                is_print = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
                assert not is_print, f"{name_of(path)} prints"
