"""Would the tests notice a small fault? Put faults into a copy of the tree, one at a time, and run the tests.

    python benchmarks/mutation.py                                 # 10 faults in each feature room of ROOMS
    python benchmarks/mutation.py --rooms kinematics --faults 20
    python benchmarks/mutation.py --again                         # only the missed ones, after tests were written
    python benchmarks/mutation.py --report                        # run nothing: tidy the results and print the shares

A fault changes one constant, sign, comparison, boolean or the order of two call arguments. The seed decides which
faults of a room are drawn: each fault has a number computed from the seed and its own text, and the smallest numbers
are taken, so the draw stays the same when other lines change. The results file names the seed of each row.

The tests of a room are those in its folder of `tests/` and those of the command line that run its verbs. They run once
without a fault, and line_record.py notes which test runs which lines. Each fault is then given to the tests that run
its line and to the other tests of their files, which may share a fixture with them: the quick ones first, up to
`--budget` seconds. It is noticed if a test fails or if the tests take more than a minute of processor time beyond four
times their seconds. It is missed without a run if no test runs its line. Recordings in `../shared` are used if they are
there.

mutation_equivalent.toml lists the faults that change nothing, each with its reason; the next fault of the draw takes
its place. results/mutation.csv has one row per fault, with the outcome of its first run beside the last one; a fault
with a row is not run again.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import csv
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from strut.registry import VERBS

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results" / "mutation.csv"
EQUIVALENT = Path(__file__).parent / "mutation_equivalent.toml"
CACHE = Path(tempfile.gettempdir()) / "strut_mutation"
HOUSE = tomllib.loads((ROOT / "docs" / "house.toml").read_text("utf-8"))
ALL_ROOMS = [room for room in [*HOUSE["core"], *HOUSE["features"]] if room != "robots"]  # robots/ has no Python
ROOMS = ["mocap", "study", "viewer", "adoption", "formats", "pilot"]
NOT_COPIED = (".git", ".venv*", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".hypothesis", "__pycache__", "site")
# Their first two arguments may be swapped: clip takes the larger of them, then the smaller of that and the third.
COMMUTATIVE = {"max", "min", "maximum", "minimum", "fmax", "fmin", "hypot", "clip"}
KEY = ("room", "file", "function", "kind", "before", "after")
COMPARISONS = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}
MISSED = ("survived", "not run")
SLOW_CLOCK = 20  # seconds on the clock for each of processor time: other programs may use the machine
NO_TESTS = 5  # what pytest returns if its files have no tests

Key = tuple[str, ...]
Row = dict[str, str]
Tests = dict[str, dict[str, Any]]  # by test: "seconds", and "lines" by module


@dataclass(frozen=True)
class Fault:
    """One change: its place, and the source of the expression before and after."""

    room: str
    file: str
    function: str
    line: int
    column: int
    end_line: int
    end_column: int
    kind: str
    before: str
    after: str
    compiled: bool = field(default=False, compare=False)  # whether the function is compiled to machine code

    @property
    def key(self) -> Key:
        """What makes two faults of different runs the same."""
        return tuple(getattr(self, name) for name in KEY)


COLUMNS = [
    "seed",
    *(one.name for one in fields(Fault) if one.name != "compiled"),
    "first_outcome",
    "outcome",
    "by",
    "seconds",
]


def faulty_versions(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the faulty expressions that can replace a node, each with its kind."""
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        yield "constant", ast.Constant(node.value + 1 if isinstance(node.value, int) else node.value * 1.5 + 0.1)
    elif isinstance(node, ast.Constant) and isinstance(node.value, bool):
        yield "boolean", ast.Constant(not node.value)
    elif isinstance(node, ast.BinOp) and type(node.op) in SIGNS:
        yield "sign", ast.BinOp(node.left, SIGNS[type(node.op)](), node.right)
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "sign", node.operand
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        yield "comparison", ast.Compare(node.left, [COMPARISONS[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    elif isinstance(node, ast.BoolOp):
        other = ast.And() if isinstance(node.op, ast.Or) else ast.Or()
        yield "boolean", ast.BoolOp(other, node.values)
    elif isinstance(node, ast.Call) and len(node.args) >= 2 and depends_on_order(node):
        first, second, *others = node.args
        yield "argument", ast.Call(node.func, [second, first, *others], node.keywords)


def depends_on_order(call: ast.Call) -> bool:
    """Return whether swapping the first two arguments can change the result."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    same = ast.dump(call.args[0]) == ast.dump(call.args[1])
    return name not in COMMUTATIVE and not same and not any(isinstance(one, ast.Starred) for one in call.args)


def excluded_parts(node: ast.AST) -> list[ast.AST]:
    """Return the parts of a node that get no fault: annotations, decorators, messages, assertions such as `strict`."""
    if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr):
        return [node]
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return [node]
    if isinstance(node, ast.AnnAssign):
        return [node.annotation]
    if isinstance(node, ast.FunctionDef):
        return [*node.decorator_list, *([node.returns] if node.returns else [])]
    return []


def faults_in(path: Path, room: str) -> Iterator[Fault]:
    """Yield every fault inside the functions of a module."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    excluded = {id(inner) for node in ast.walk(tree) for part in excluded_parts(node) for inner in ast.walk(part)}
    file = path.relative_to(ROOT / "src/strut" / room).as_posix()
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        is_compiled = any(isinstance(mark, ast.Name) and mark.id == "compiled" for mark in function.decorator_list)
        for node in (inner for statement in function.body for inner in ast.walk(statement)):
            if id(node) in excluded or not isinstance(node, ast.expr):
                continue
            for kind, other in faulty_versions(node):
                before = ast.get_source_segment(text, node) or ""
                place = (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
                after = f"({ast.unparse(other)})"
                yield Fault(room, file, function.name, *place, kind, before, after, compiled=is_compiled)


def draw_faults(room: str, count: int, seed: int, excluded: set[Key]) -> list[Fault]:
    """Return the faults of a room with the smallest numbers, without those of `excluded`."""
    modules = sorted((ROOT / "src/strut" / room).rglob("*.py"))
    faults = {fault.key: fault for path in modules for fault in faults_in(path, room) if fault.key not in excluded}
    return sorted(faults.values(), key=lambda fault: hash_text(repr((seed, fault.key))))[:count]


def hash_text(text: str) -> str:
    """Return a number that depends on the text alone, as hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def insert_fault(text: str, fault: Fault) -> str:
    """Return the text of a module with the fault in it. Columns of `ast` count bytes."""
    content = text.encode()
    lines = content.splitlines(keepends=True)
    start = sum(len(line) for line in lines[: fault.line - 1]) + fault.column
    end = sum(len(line) for line in lines[: fault.end_line - 1]) + fault.end_column
    return (content[:start] + fault.after.encode() + content[end:]).decode()


def copy_tree(folder: Path) -> Path:
    """Return a copy of the repository in a folder, compiled, with the recordings beside it as beside the original."""
    tree = folder / "tree"
    shutil.copytree(ROOT, tree, ignore=shutil.ignore_patterns(*NOT_COPIED))
    compileall.compile_dir(tree / "src", quiet=1)  # once instead of in every process
    recordings = ROOT.parent / "shared"
    if recordings.is_dir():
        (folder / "shared").symlink_to(recordings.resolve())
    return tree


def find_tests(tree: Path, room: str) -> list[str]:
    """Return the test files of a room: its folder, and those of the command line that name one of its verbs."""
    verbs = [name for name, verb in VERBS.items() if verb.target.startswith(f"strut.{room}.")]
    own = sorted((tree / "tests" / room).rglob("test_*.py"))
    of_verbs = [
        path
        for path in sorted((tree / "tests" / "cli").glob("test_*.py"))
        if any(f'"{verb}"' in path.read_text("utf-8") for verb in verbs)
    ]
    return [path.relative_to(tree).as_posix() for path in [*own, *of_verbs]]


def record_tests(tree: Path, room: str, files: list[str]) -> Tests:
    """Return the tests of test files, each with its seconds and the lines that it runs, without those that fail.

    Records are kept by test file. A file runs again if it, a module beside it or a module that it runs has changed.
    """
    sources = hash_modules(tree / "src/strut", room)
    kept = {file: read_record(tree, file, sources) for file in files}
    if missing := [file for file, tests in kept.items() if tests is None]:
        part = CACHE / f"{os.getpid()}.part"
        run = run_tests(tree, missing, {"LINES_TO": str(part), "LINES_OF": str(tree / "src/strut")}, None)
        if run.returncode not in (0, 1, NO_TESTS):
            raise SystemExit(f"the tests of {room} do not run\n{run.stdout[-3000:]}")
        failing = {line.split(" - ")[0].split(" ", 1)[1] for line in find_failures(run.stdout)}
        for name in failing:
            print(f"left out, because it fails without a fault: {name}", flush=True)
        tests: Tests = json.loads(part.read_text("utf-8"))
        part.unlink()
        modules = hash_modules(tree / "src/strut", "")
        for file in missing:
            own = {name: test for name, test in tests.items() if name.split("::")[0] == file and name not in failing}
            kept[file] = own
            record_path(tree, file).write_text(json.dumps({"modules": modules, "tests": own}), "utf-8")
    return {name: test for tests in kept.values() for name, test in (tests or {}).items()}


def find_failures(output: str) -> list[str]:
    """Return the lines of pytest's summary that name a failed test."""
    return [line for line in output.splitlines() if line.startswith(("FAILED tests/", "ERROR tests/"))]


def hash_modules(source: Path, room: str) -> dict[str, str]:
    """Return a hash of every module of a room, or of all rooms, by its path inside the source."""
    modules = sorted((source / room).rglob("*.py"))
    return {path.relative_to(source).as_posix(): hash_text(path.read_text("utf-8")) for path in modules}


def read_record(tree: Path, file: str, sources: dict[str, str]) -> Tests | None:
    """Return the kept record of a test file, or None if it has changed, or a module of the room that its tests run."""
    path = record_path(tree, file)
    if not path.is_file():
        return None
    record = json.loads(path.read_text("utf-8"))
    own = {module for test in record["tests"].values() for module in test["lines"]} & {*record["modules"], *sources}
    rooms = {module.split("/")[0] for module in sources}
    same = all(record["modules"][module] == sources.get(module) for module in own if module.split("/")[0] in rooms)
    return record["tests"] if same else None


def record_path(tree: Path, file: str) -> Path:
    """Return where the record of a test file is kept: a name with a hash of it and of the modules beside it."""
    path = tree / file
    helpers = [other for other in sorted(path.parent.glob("*.py")) if not other.name.startswith("test_")]
    digest = hash_text("".join(text.read_text("utf-8") for text in [path, *helpers]))
    return CACHE / f"{path.parent.name}_{path.stem}_{digest[:16]}.json"


def select_tests(tests: Tests, fault: Fault, budget_s: float) -> tuple[list[str], float]:
    """Return the tests for a fault, in order, and their seconds; none if no test runs its lines."""
    lines = set(range(fault.line, fault.end_line + 1))
    module = f"{fault.room}/{fault.file}"
    running = {name for name, test in tests.items() if lines & set(test["lines"].get(module, ()))}
    if not running and fault.compiled:  # lines of machine code are not recorded
        running = {name for name, test in tests.items() if test["lines"].get(module)}
    files = {name.split("::")[0] for name in running}
    candidates = [name for name in tests if name.split("::")[0] in files]
    selected = []
    seconds = 0.0
    for name in sorted(candidates, key=lambda name: (name not in running, tests[name]["seconds"])):
        if seconds + tests[name]["seconds"] <= budget_s or not selected:
            selected.append(name)
            seconds += tests[name]["seconds"]
    return selected, seconds


def try_fault(tree: Path, fault: Fault, tests: Tests, budget_s: float) -> tuple[str, str]:
    """Return `killed`, `too slow`, `survived` or `not run`, and the test that failed or what was run."""
    names, seconds = select_tests(tests, fault, budget_s)
    if not names:
        return "not run", "no test runs this line"
    path = tree / "src/strut" / fault.room / fault.file
    order = tree / "order.json"
    order.write_text(json.dumps(names), "utf-8")
    files = list(dict.fromkeys(name.split("::")[0] for name in names))
    limit_s = round(60.0 + 4.0 * seconds)
    text = path.read_text("utf-8")
    path.write_text(insert_fault(text, fault), "utf-8")
    own = {"TESTS_FROM": str(order)}
    try:
        with tempfile.TemporaryDirectory() as cache:
            if "@compiled" in text:  # machine code that is kept does not notice what it calls in other modules
                own["NUMBA_CACHE_DIR"] = cache
            run = run_tests(tree, ["-x", *files], own, limit_s)
    except subprocess.TimeoutExpired:
        return "too slow", f"more than {SLOW_CLOCK * limit_s:.0f} s"
    finally:
        path.write_text(text, "utf-8")
    if run.returncode == -signal.SIGXCPU:
        return "too slow", f"more than {limit_s} s of processor time"
    if run.returncode == 0:
        return "survived", f"{len(names)} tests"
    failures = find_failures(run.stdout)
    return "killed", failures[0].split(" - ")[0].split("::")[-1] if failures else "import"


def run_tests(
    tree: Path, arguments: list[str], own: dict[str, str], limit_s: int | None
) -> subprocess.CompletedProcess[str]:
    """Run pytest with arguments and a limit of processor time, which ends it by SIGXCPU.

    If it waits for ever, its processes end after a multiple of the limit, and TimeoutExpired is raised.
    """
    CACHE.mkdir(exist_ok=True)
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([str(tree / "src"), str(tree), str(Path(__file__).parent)]),
        "OMP_NUM_THREADS": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "STRUT_TESTS_KEEP": str(CACHE),
        **({} if limit_s is None else {"PROCESSOR_SECONDS": str(limit_s)}),
        **own,
    }
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "line_record", *arguments]
    with subprocess.Popen(
        command, cwd=tree, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        start_new_session=True,
    ) as process:  # fmt: skip
        try:
            output, _ = process.communicate(timeout=None if limit_s is None else SLOW_CLOCK * limit_s)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise
    return subprocess.CompletedProcess(command, process.returncode, output)


def read_results() -> dict[Key, Row]:
    """Return the last row of each fault that was run before."""
    if not RESULTS.is_file():
        return {}
    with RESULTS.open(encoding="utf-8", newline="") as file:
        return {tuple(row[name] for name in KEY): row for row in csv.DictReader(file)}


def append_result(row: dict[str, Any]) -> None:
    """Write the outcome of one fault at once, so that a run can be stopped and resumed."""
    RESULTS.parent.mkdir(exist_ok=True)
    is_new = not RESULTS.is_file()
    with RESULTS.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)


def read_equivalent() -> dict[Key, str]:
    """Return the faults that change nothing, each with its reason."""
    table = tomllib.loads(EQUIVALENT.read_text("utf-8")) if EQUIVALENT.is_file() else {}
    return {tuple(row[name] for name in KEY): row["reason"] for row in table.get("fault", ())}


def try_room(tree: Path, faults: list[Fault], options: argparse.Namespace) -> None:
    """Run the faults of one room that have no row yet and, with `--again`, those that were missed."""
    rows = read_results()
    missed = {key for key, row in rows.items() if row["outcome"] in MISSED}
    todo = [fault for fault in faults if fault.key not in rows or (options.again and fault.key in missed)]
    room = faults[0].room
    tests = record_tests(tree, room, options.tests or find_tests(tree, room)) if todo else {}
    for number, fault in enumerate(todo, start=1):
        started = time.perf_counter()
        outcome, by = try_fault(tree, fault, tests, options.budget)
        seconds = f"{time.perf_counter() - started:.0f}"
        first = rows[fault.key]["first_outcome"] if fault.key in rows else outcome
        own = {"seed": options.seed, **{name: value for name, value in asdict(fault).items() if name in COLUMNS}}
        append_result({**own, "first_outcome": first, "outcome": outcome, "by": by, "seconds": seconds})
        change = f"{fault.before[:70]!r} -> {fault.after[:70]!r}"
        place = f"{fault.room}/{fault.file}:{fault.line}"
        print(f"{number}/{len(todo)} {outcome:8s} {place} {fault.kind}: {change} ({by})", flush=True)


def report(equivalent: dict[Key, str]) -> None:
    """Write the last row of each fault, and print what share of the faults of each seed and room was noticed."""
    rows = [
        row | {"outcome": "equivalent", "by": equivalent[key]} if key in equivalent else row
        for key, row in read_results().items()
    ]
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    for seed in dict.fromkeys(row["seed"] for row in rows):
        drawn = [row for row in rows if row["seed"] == seed]
        for room in dict.fromkeys(row["room"] for row in drawn):
            print(f"seed {seed}, {room}: {format_share([row for row in drawn if row['room'] == room])}")
        print(f"seed {seed}, all: {format_share(drawn)}")


def format_share(rows: list[Row]) -> str:
    """Return how many of the faults that change something were noticed, in the first run of each and now."""
    real = [row for row in rows if row["outcome"] != "equivalent"]
    first = sum(row["first_outcome"] not in MISSED for row in real)
    noticed = sum(row["outcome"] not in MISSED for row in real)
    share = f"{first} of {len(real)} noticed at first, {noticed} now ({noticed / max(1, len(real)):.0%})"
    return f"{share}; {len(rows) - len(real)} change nothing"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rooms", nargs="+", default=ROOMS, choices=ALL_ROOMS)
    parser.add_argument("--faults", type=int, default=10, help="in each room")
    parser.add_argument("--seed", type=int, default=4711)
    parser.add_argument("--budget", type=float, default=40.0, help="seconds of tests for each fault")
    parser.add_argument("--tests", nargs="+", default=[], help="instead of the room's: tests/cli/test_alice.py")
    parser.add_argument("--again", action="store_true", help="run the faults again that were missed before")
    parser.add_argument("--report", action="store_true", help="run nothing: tidy the results and print the shares")
    options = parser.parse_args()
    equivalent = read_equivalent()
    if not options.report:
        with tempfile.TemporaryDirectory() as folder:
            tree = copy_tree(Path(folder))
            for room in options.rooms:
                try_room(tree, draw_faults(room, options.faults, options.seed, set(equivalent)), options)
    report(equivalent)


if __name__ == "__main__":
    main()
