"""Would the tests notice? Small faults are put into a copy of the tree, and the tests of the matching folder must fail.

    python benchmarks/mutation.py               # 150 faults over all core folders; goes on where it stopped
    python benchmarks/mutation.py --only kinematics balance --again    # those that survived, after tests were written
    python benchmarks/mutation.py --report      # tidies the results and prints the share that is noticed

A fault is one changed constant, sign, comparison, boolean or call argument. A seed decides which ones are put in: the
first of a lot drawn per folder, so that the choice stays when other lines change. The tests of a folder run once
without a fault, and it is noted which test runs which lines (line_record.py). A fault is then shown to the tests of
its folder, those that run its line first and the quick ones before the dear ones, with `-x`, without those marked slow
(but for SLOW_TOO), up to `--budget` seconds of tests; it is noticed when one fails, or when they take more than four
times as long as without it. A fault in a line that no test of the folder runs is missed without being tried.
mutation_equivalent.toml lists the faults that change nothing, each with the reason; another is taken for each. Rows
stand in results/mutation.csv, one per fault; a fault that stands there is not run again.
"""

from __future__ import annotations

import argparse
import ast
import csv
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results" / "mutation.csv"
EQUIVALENT = Path(__file__).parent / "mutation_equivalent.toml"
CACHE = Path(tempfile.gettempdir()) / "strut_mutation"
FOLDERS = (
    *("generators", "verify", "kinematics", "balance", "simulation"),
    *("engines", "expression", "optimal", "human", "pipeline"),
)
HEAVY = {"synthesize.py", "reconstruct.py", "multi_start.py", "reconstruction.py"}  # their tests are marked slow
SLOW_TOO = {"verify", "human"}  # slow tests there only look at a synthesized gait, which is kept from the first run
# their first two arguments swapped are no fault: clip takes the larger of them, then the smaller of that and the third
COMMUTATIVE = {"max", "min", "maximum", "minimum", "fmax", "fmin", "hypot", "clip"}
KEY = ("folder", "file", "function", "kind", "before", "after")
Lines = dict[str, dict[str, Any]]
COMPARISONS = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}


@dataclass(frozen=True)
class Fault:
    """One change: where it stands, and the source of the expression before and after."""

    folder: str
    file: str
    function: str
    line: int
    column: int
    end_line: int
    end_column: int
    kind: str
    before: str
    after: str

    @property
    def key(self) -> tuple[str, ...]:
        """What makes two faults the same in different runs."""
        return tuple(getattr(self, name) for name in KEY)


def changed(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """Yield the faults that can be put in the place of a node, each with its kind."""
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
    elif isinstance(node, ast.Call) and len(node.args) >= 2 and _ordered(node):
        first, second, *others = node.args
        yield "argument", ast.Call(node.func, [second, first, *others], node.keywords)


def _ordered(call: ast.Call) -> bool:
    """Return whether the order of the first two arguments says something."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    alike = ast.dump(call.args[0]) == ast.dump(call.args[1])
    return name not in COMMUTATIVE and not alike and not any(isinstance(one, ast.Starred) for one in call.args)


def faults_in(path: Path, folder: str) -> Iterator[Fault]:
    """Yield every fault of a module: inside functions, outside annotations, messages and assertions."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    left_out = {id(inner) for node in ast.walk(tree) for part in _left_out(node) for inner in ast.walk(part)}
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        for node in (inner for statement in function.body for inner in ast.walk(statement)):
            if id(node) not in left_out and isinstance(node, ast.expr):
                for kind, other in changed(node):
                    before = ast.get_source_segment(text, node) or ""
                    after = f"({ast.unparse(other)})"
                    place = (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
                    yield Fault(folder, path.name, function.name, *place, kind, before, after)


def _left_out(node: ast.AST) -> list[ast.AST]:
    """Return the parts of a node in which a fault says nothing: annotations, decorators, messages, assertions."""
    if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr):
        return [node]
    if isinstance(node, ast.AnnAssign):
        return [node.annotation]
    if isinstance(node, ast.FunctionDef):
        return [*node.decorator_list, *([node.returns] if node.returns else [])]
    return []


def chosen(folder: str, count: int, seed: int, left_out: set[tuple[str, ...]]) -> list[Fault]:
    """Return faults of a folder in a lot that the seed decides, those left out replaced by the next."""
    modules = [path for path in sorted((ROOT / "src/strut" / folder).glob("*.py")) if path.name not in HEAVY]
    faults = {fault.key: fault for path in modules for fault in faults_in(path, folder) if fault.key not in left_out}
    return sorted(faults.values(), key=lambda fault: _lot(fault, seed))[:count]


def _lot(fault: Fault, seed: int) -> str:
    return hashlib.sha256(repr((seed, fault.key)).encode()).hexdigest()


def with_fault(text: str, fault: Fault) -> str:
    """Return a module's text with the fault in it."""
    lines = text.encode().splitlines(keepends=True)
    start = sum(len(line) for line in lines[: fault.line - 1]) + fault.column
    end = sum(len(line) for line in lines[: fault.end_line - 1]) + fault.end_column
    raw = text.encode()
    return (raw[:start] + fault.after.encode() + raw[end:]).decode()


def tests_that_run(tree: Path, folder: str, only: list[str]) -> Lines:
    """Return the tests of a folder, each with its seconds and the lines of the folder's modules that it runs.

    Kept by file of tests: only files that are new or changed run again, and all of them when a module changes.
    """
    place = tree / "tests" / folder
    kept = {path.name: _record_of(path, tree, folder) for path in sorted(place.glob("test_*.py"))}
    kept = {name: record for name, record in kept.items() if not only or name in only}
    if missing := [name for name, record in kept.items() if not record.is_file()]:
        CACHE.mkdir(exist_ok=True)
        part = CACHE / f"{folder}.part"
        own = {"LINES_TO": str(part), "LINES_OF": str(tree / "src/strut" / folder)}
        run = run_tests(tree, folder, own, None, missing)
        if run.returncode not in (0, NO_TESTS):
            raise SystemExit(f"the tests of {folder} fail without any fault; mend them first\n{run.stdout[-3000:]}")
        found: Lines = json.loads(part.read_text("utf-8"))
        for name in missing:
            here = {test: told for test, told in found.items() if test.split("::")[0].endswith(f"/{name}")}
            kept[name].write_text(json.dumps(here), "utf-8")
    return {test: told for record in kept.values() for test, told in json.loads(record.read_text("utf-8")).items()}


def _record_of(path: Path, tree: Path, folder: str) -> Path:
    """Return where the record of a file of tests is kept."""
    shared = [other for other in sorted(path.parent.glob("*.py")) if not other.name.startswith("test_")]
    texts = [path, *shared, *sorted((tree / "src/strut" / folder).rglob("*.py"))]
    digest = hashlib.sha256(b"".join(text.read_bytes() for text in texts)).hexdigest()
    return CACHE / f"{folder}_{'all' if folder in SLOW_TOO else 'quick'}_{path.stem}_{digest[:16]}.json"


def picked(tests: Lines, fault: Fault, budget_s: float) -> tuple[list[str], float]:
    """Return the tests to show a fault to, in order, and their seconds; none when no test runs its lines."""
    its_lines = set(range(fault.line, fault.end_line + 1))

    def order(test: str) -> tuple[bool, bool, float]:
        return (test not in running, test.split("::", maxsplit=1)[0] not in files, tests[test]["seconds"])

    running = {test for test, told in tests.items() if its_lines & set(told["lines"].get(fault.file, ()))}
    files = {test.split("::")[0] for test in running}
    names = []
    seconds = 0.0
    for test in sorted(tests, key=order) if running else ():
        if seconds + tests[test]["seconds"] <= budget_s or not names:
            names.append(test)
            seconds += tests[test]["seconds"]
    return names, seconds


def outcome(tree: Path, fault: Fault, tests: Lines, budget_s: float, only: list[str]) -> tuple[str, str]:
    """Return `killed`, `too slow` (the tests would not end, so it is noticed), `survived` or `not run`; and by what."""
    names, seconds = picked(tests, fault, budget_s)
    if not names:
        return "not run", "no test of the folder runs this line"
    path = tree / "src/strut" / fault.folder / fault.file
    order = tree / "order.json"
    text = path.read_text("utf-8")
    order.write_text(json.dumps(names), "utf-8")
    path.write_text(with_fault(text, fault), "utf-8")
    try:
        run = run_tests(tree, fault.folder, {"TESTS_FROM": str(order)}, 60.0 + 4.0 * seconds, only)
    except subprocess.TimeoutExpired:
        return "too slow", f"more than {60.0 + 4.0 * seconds:.0f} s"
    finally:
        path.write_text(text, "utf-8")
    if run.returncode == 0:
        return "survived", f"{len(names)} of {len(tests)} tests"
    told = [line for line in run.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return "killed", told[0].split(" - ")[0].split("::")[-1] if told else "import"


def run_tests(
    tree: Path, folder: str, own: dict[str, str], limit_s: float | None, only: list[str]
) -> subprocess.CompletedProcess[str]:
    """Run the tests of a folder or only some of its files, those marked slow left out."""
    paths = os.pathsep.join([str(tree / "src"), str(Path(__file__).parent)])
    quiet = {"PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    quiet["STRUT_TESTS_KEEP"] = str(CACHE)
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-p", "line_record"]
    command += [] if folder in SLOW_TOO else ["-m", "not slow"]
    return subprocess.run(
        [*command, *(f"tests/{folder}/{name}" for name in only or [""])],
        cwd=tree,
        env={**os.environ, **quiet, **own},
        timeout=limit_s,
        capture_output=True,
        text=True,
        check=False,
    )


def known() -> dict[tuple[str, ...], dict[str, str]]:
    """Return the rows of faults that were run before, the last one of each fault."""
    if not RESULTS.is_file():
        return {}
    with RESULTS.open(encoding="utf-8", newline="") as file:
        return {tuple(row[name] for name in KEY): row for row in csv.DictReader(file)}


def append(row: dict[str, Any]) -> None:
    """Write what came out of one fault at once, so that a run can be stopped and taken up again."""
    RESULTS.parent.mkdir(exist_ok=True)
    fresh = not RESULTS.is_file()
    with RESULTS.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        if fresh:
            writer.writeheader()
        writer.writerow(row)


def told_equivalent() -> dict[tuple[str, ...], str]:
    """Return the faults that change nothing, each with the reason."""
    table = tomllib.loads(EQUIVALENT.read_text("utf-8")) if EQUIVALENT.is_file() else {}
    return {tuple(row[name] for name in KEY): row["reason"] for row in table.get("fault", ())}


COLUMNS = [*(field.name for field in fields(Fault)), "outcome", "by", "seconds"]
MISSED = ("survived", "not run")
NO_TESTS = 5  # what pytest returns when all tests of its files are marked slow


def run_folder(tree: Path, faults: list[Fault], options: argparse.Namespace) -> None:
    """Run the faults of one folder that were not run before, and those that were missed if asked to."""
    before = known()
    again = {fault.key for fault in faults if options.again and before.get(fault.key, {}).get("outcome") in MISSED}
    todo = [fault for fault in faults if fault.key not in before or fault.key in again]
    only = [name for name in options.tests if (tree / "tests" / faults[0].folder / name).is_file()]
    if options.tests and not only:
        return
    tests = tests_that_run(tree, faults[0].folder, only) if todo else {}
    for number, fault in enumerate(todo, start=1):
        started = time.perf_counter()
        result, by = outcome(tree, fault, tests, options.budget, only)
        append({**asdict(fault), "outcome": result, "by": by, "seconds": f"{time.perf_counter() - started:.0f}"})
        print(f"{number}/{len(todo)} {result:8s} {fault.folder}/{fault.file}:{fault.line} {fault.kind}: "
              f"{fault.before[:70]!r} -> {fault.after[:70]!r} ({by})", flush=True)  # fmt: skip


def report(faults: list[Fault], equivalent: dict[tuple[str, ...], str]) -> None:
    """Write the last row of each fault and those left out, and print what share of the faults was noticed."""
    before = known()
    rows = [before[fault.key] for fault in faults if fault.key in before]
    left_out = [
        row | {"outcome": "equivalent", "by": equivalent[key]} for key, row in before.items() if key in equivalent
    ]
    with RESULTS.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows([*rows, *left_out])
    for folder in dict.fromkeys(fault.folder for fault in faults):
        print(folder, _share([row for row in rows if row["folder"] == folder]))
    print("all", _share(rows), f"of {len(faults)} faults; {len(left_out)} that change nothing were left out")


def _share(rows: list[dict[str, str]]) -> str:
    noticed = sum(row["outcome"] not in MISSED for row in rows)
    return f"{noticed} of {len(rows)} noticed ({noticed / max(1, len(rows)):.1%})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=list(FOLDERS), choices=FOLDERS)
    parser.add_argument("--faults", type=int, default=150, help="over all folders, whichever of them run now")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--budget", type=float, default=40.0, help="seconds of tests that a fault is shown to")
    parser.add_argument("--tests", nargs="+", default=[], help="show faults to these files of tests alone")
    parser.add_argument("--again", action="store_true", help="run faults again that were missed before")
    parser.add_argument("--report", action="store_true", help="run nothing: tidy the results and print the shares")
    options = parser.parse_args()
    equivalent = told_equivalent()
    share = {
        name: options.faults // len(FOLDERS) + (n < options.faults % len(FOLDERS)) for n, name in enumerate(FOLDERS)
    }
    faults = {name: chosen(name, share[name], options.seed, set(equivalent)) for name in FOLDERS}
    if not options.report:
        with tempfile.TemporaryDirectory() as folder:
            tree = Path(folder)
            for name in ("src", "tests", "pyproject.toml", "examples", "docs", "README.md"):
                source = ROOT / name
                (shutil.copytree if source.is_dir() else shutil.copy)(source, tree / name)
            for name in options.only:
                run_folder(tree, faults[name], options)
    if options.report or options.only == list(FOLDERS):
        report([fault for name in FOLDERS for fault in faults[name]], equivalent)


if __name__ == "__main__":
    main()
