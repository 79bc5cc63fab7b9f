"""Would the tests notice? Small faults are put into a copy of the tree, and the tests of the matching folder must fail.

    python benchmarks/mutation.py               # 150 faults over all core folders; goes on where it stopped
    python benchmarks/mutation.py --only kinematics balance --faults 20 --seed 1

A fault is one changed constant, sign, comparison, boolean or call argument. Which ones are put in, a seed decides; they
are spread evenly over the folders. Each is tested with `pytest -x` on the tests of its folder and a time limit, without
those marked slow; a fault that survives names a test to write. Rows `folder, file, line, kind, before, after, outcome,
seconds` are appended to benchmarks/results/mutation.csv; a fault that stands there for the same text is not run again.
"""

from __future__ import annotations

import argparse
import ast
import csv
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

ROOT = Path(__file__).parent.parent
RESULTS = Path(__file__).parent / "results" / "mutation.csv"
FOLDERS = ("generators", "verify", "kinematics", "balance", "simulation", "engines", "expression", "optimal", "human")
HEAVY = {"synthesize.py", "reconstruct.py", "multi_start.py"}  # their tests solve for minutes
COMPARISONS = {ast.Lt: ast.GtE, ast.LtE: ast.Gt, ast.Gt: ast.LtE, ast.GtE: ast.Lt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq}
SIGNS = {ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult}


@dataclass(frozen=True)
class Fault:
    """One change: where it stands, and the source of the expression before and after."""

    folder: str
    file: str
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
        return (self.folder, self.file, self.kind, self.before, self.after)


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
    elif isinstance(node, ast.Call) and len(node.args) >= 2 and not any(isinstance(a, ast.Starred) for a in node.args):
        first, second, *others = node.args
        yield "argument", ast.Call(node.func, [second, first, *others], node.keywords)


def faults_in(path: Path, folder: str) -> Iterator[Fault]:
    """Yield every fault of a module: inside functions, outside annotations, messages and assertions."""
    text = path.read_text("utf-8")
    tree = ast.parse(text)
    left_out = {id(inner) for node in ast.walk(tree) for part in _left_out(node) for inner in ast.walk(part)}
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        for node in (inner for statement in function.body for inner in ast.walk(statement)):
            if id(node) not in left_out and isinstance(node, ast.expr):
                for kind, other in changed(node):
                    before, after = ast.get_source_segment(text, node) or "", f"({ast.unparse(other)})"
                    place = (node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0)
                    yield Fault(folder, path.name, *place, kind, before, after)


def _left_out(node: ast.AST) -> list[ast.AST]:
    """Return the parts of a node in which a fault says nothing: annotations, decorators, messages, assertions."""
    if isinstance(node, ast.Raise | ast.Assert | ast.JoinedStr):
        return [node]
    if isinstance(node, ast.AnnAssign):
        return [node.annotation]
    if isinstance(node, ast.FunctionDef):
        return [*node.decorator_list, *([node.returns] if node.returns else [])]
    return []


def chosen(folders: list[str], count: int, seed: int) -> list[Fault]:
    """Return faults spread evenly over folders, in a lot that the seed decides."""
    rng, found = random.Random(seed), []
    for place, folder in enumerate(folders):
        modules = [path for path in sorted((ROOT / "src/strut" / folder).glob("*.py")) if path.name not in HEAVY]
        all_faults = list({fault.key: fault for path in modules for fault in faults_in(path, folder)}.values())
        share = count // len(folders) + (place < count % len(folders))
        found += rng.sample(all_faults, min(share, len(all_faults)))
    return found


def with_fault(text: str, fault: Fault) -> str:
    """Return a module's text with the fault in it."""
    lines = text.encode().splitlines(keepends=True)
    start = sum(len(line) for line in lines[: fault.line - 1]) + fault.column
    end = sum(len(line) for line in lines[: fault.end_line - 1]) + fault.end_column
    raw = text.encode()
    return (raw[:start] + fault.after.encode() + raw[end:]).decode()


def outcome(tree: Path, fault: Fault, limit_s: float) -> str:
    """Return `killed`, `survived` or `too slow` (which counts as killed: the tests would not end)."""
    path = tree / "src/strut" / fault.folder / fault.file
    text = path.read_text("utf-8")
    path.write_text(with_fault(text, fault), "utf-8")
    try:
        return "survived" if tests_pass(tree, fault.folder, limit_s) else "killed"
    except subprocess.TimeoutExpired:
        return "too slow"
    finally:
        path.write_text(text, "utf-8")


def tests_pass(tree: Path, folder: str, limit_s: float) -> bool:
    """Return whether the tests of a folder pass, those marked slow left out."""
    own = {"PYTHONPATH": str(tree / "src"), "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "-m", "not slow"]
    run = subprocess.run(
        [*command, f"tests/{folder}"],
        cwd=tree,
        env={**os.environ, **own},
        timeout=limit_s,
        capture_output=True,
        text=True,
        check=False,
    )
    return run.returncode == 0


def known(folders: list[str]) -> dict[tuple[str, ...], str]:
    """Return the faults that were run before and what came out."""
    if not RESULTS.is_file():
        return {}
    with RESULTS.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["folder"] in folders]
    return {tuple(row[name] for name in ("folder", "file", "kind", "before", "after")): row["outcome"] for row in rows}


def append(fault: Fault, result: str, seconds: float) -> None:
    """Write what came out of one fault at once, so that a run can be stopped and taken up again."""
    RESULTS.parent.mkdir(exist_ok=True)
    names = [*(field.name for field in fields(Fault)), "outcome", "seconds"]
    fresh = not RESULTS.is_file()
    with RESULTS.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        if fresh:
            writer.writeheader()
        writer.writerow({**asdict(fault), "outcome": result, "seconds": f"{seconds:.0f}"})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", default=list(FOLDERS), choices=FOLDERS)
    parser.add_argument("--faults", type=int, default=150)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for the tests of one fault")
    parser.add_argument("--again", action="store_true", help="run faults again that survived before")
    options = parser.parse_args()
    before = known(options.only)
    todo = chosen(options.only, options.faults, options.seed)
    results = []
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder)
        for name in ("src", "tests", "pyproject.toml", "examples", "docs", "README.md"):
            source = ROOT / name
            (shutil.copytree if source.is_dir() else shutil.copy)(source, tree / name)
        for broken in (name for name in options.only if not tests_pass(tree, name, 10.0 * options.limit)):
            raise SystemExit(f"the tests of {broken} fail without any fault; mend them first")
        for number, fault in enumerate(todo, start=1):
            result, started = before.get(fault.key), time.perf_counter()
            if result is None or (options.again and result == "survived"):
                result = outcome(tree, fault, options.limit)
                append(fault, result, time.perf_counter() - started)
            results.append(result)
            print(f"{number}/{len(todo)} {result:8s} {fault.folder}/{fault.file}:{fault.line} {fault.kind}: "
                  f"{fault.before[:60]!r} -> {fault.after[:60]!r}", flush=True)  # fmt: skip
    survived = results.count("survived")
    print(f"{len(results) - survived} of {len(results)} faults noticed ({1.0 - survived / max(1, len(results)):.0%})")


if __name__ == "__main__":
    main()
