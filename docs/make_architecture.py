"""Draw docs/images/architecture.svg from the imports of src/strut: python docs/make_architecture.py.

Stages stand in the order of the house; a line goes from each stage to every stage that it imports, as thick as the
imports are many. Nouns, and the foundations that every stage may use, are drawn as one bar each and have no lines.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from graphlib import TopologicalSorter
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

ROOT = Path(__file__).resolve().parent.parent
HOME = ROOT / "src" / "strut"
PICTURE = ROOT / "docs" / "images" / "architecture.svg"
FOUNDATIONS = ("robots", "models", "engines")
READERS = ("reproduction", "cli")
WIDEST_ROW = 4
ROW_HEIGHT = 1.2
WORDS = {
    "expression": "Emotion to Style",
    "kinematics": "leg solvers, task priority",
    "balance": "zero-moment point, support",
    "optimal": "optimal control, any model",
    "human": "gait problem, subject",
    "generators": "Style and task to Draft",
    "verify": "limits, audit, receipt",
    "capture": "laboratory files, subject",
    "control": "state to torques",
    "adoption": "others' models to folders",
    "io": "motion files",
    "pipeline": "request to Motion",
    "simulation": "what really happens",
    "analysis": "gait parameters",
    "study": "survey and statistics",
    "show": "viewer, pages, films",
    "reproduction": "published numbers",
    "cli": "one file per verb",
}


def stages() -> list[str]:
    """Return the folders with modules in them, but for tables, which are nouns, and the foundations."""
    found = sorted(path.parent.name for path in HOME.glob("*/__init__.py"))
    return [stage for stage in found if stage not in (*FOUNDATIONS, "tables")]


def import_counts() -> Counter[tuple[str, str]]:
    """Return how many imports go from each stage to each other one."""
    known = stages()
    counts: Counter[tuple[str, str]] = Counter()
    for path in sorted(HOME.rglob("*.py")):
        own = path.relative_to(HOME).parts[0]
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("strut."):
                other = node.module.split(".")[1]
                if own in known and other in known and own != other:
                    counts[own, other] += 1
    return counts


def rows() -> list[list[str]]:
    """Return the stages, each below all that it imports; those that read from every stage stand last."""
    edges = set(import_counts())
    imported = {stage: {other for own, other in edges if own == stage} for stage in stages() if stage not in READERS}
    found: list[list[str]] = []
    for stage in TopologicalSorter(imported).static_order():
        level = max((level + 1 for level, row in enumerate(found) if imported[stage] & set(row)), default=0)
        while level < len(found) and len(found[level]) == WIDEST_ROW:
            level += 1
        found += [[] for _ in range(level + 1 - len(found))]
        found[level].append(stage)
    return [*found, list(READERS)]


def places() -> dict[str, tuple[float, float]]:
    """Return where the middle of each stage is drawn."""
    found = {}
    for level, row in enumerate(rows()):
        for column, stage in enumerate(row):
            found[stage] = (10.0 * (column + 0.5) / len(row), 7.2 - ROW_HEIGHT * level)
    return found


def drawn() -> Figure:
    """Return the picture."""
    lowest = min(y for _, y in places().values()) - 0.8
    figure = Figure(figsize=(10.0, 9.5 - lowest))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set(xlim=(0.0, 10.0), ylim=(lowest, 9.5))
    axes.axis("off")
    nouns = sorted(path.stem for path in HOME.glob("*.py") if not path.stem.startswith("__"))
    half = len(nouns) // 2
    words = f"nouns: {', '.join(nouns[:half])},\n{', '.join(nouns[half:])}"
    for height, text, color in (
        (9.0, words, "#e8eef7"),
        (8.2, f"{' · '.join(FOUNDATIONS)}: data, models, thin adapters", "#eef3e6"),
    ):
        axes.add_patch(
            FancyBboxPatch((0.25, height - 0.3), 9.5, 0.6, boxstyle="round,pad=0.05", fc=color, ec="#8a97a8")
        )
        axes.text(5.0, height, text, ha="center", va="center", fontsize=8.5)
    where, boxes = places(), {}
    for stage, (x, y) in where.items():
        boxes[stage] = FancyBboxPatch(
            (x - 0.95, y - 0.28), 1.9, 0.56, boxstyle="round,pad=0.04", fc="white", ec="#1f5fbf"
        )
        axes.add_patch(boxes[stage])
        axes.text(x, y + 0.09, f"{stage}/", ha="center", va="center", fontsize=10.5, weight="bold", color="#1d2430")
        axes.text(x, y - 0.14, WORDS[stage], ha="center", va="center", fontsize=7.5, color="#5b6676")
    for (own, other), count in sorted(import_counts().items()):
        if own not in READERS:
            ends = {"patchA": boxes[own], "patchB": boxes[other], "shrinkA": 1.0, "shrinkB": 1.0}
            look = {"arrowstyle": "-|>", "mutation_scale": 9.0, "color": "#7d8794", "alpha": 0.75, "zorder": 0}
            bent = "arc3,rad=0.08"
            line = FancyArrowPatch(where[own], where[other], connectionstyle=bent, lw=0.5 + 0.1 * count, **ends, **look)
            axes.add_patch(line)
    axes.text(
        5.0,
        lowest + 0.18,
        "cli/ and reproduction/ read from every stage; arrows point to what is imported",
        ha="center",
        fontsize=8.0,
        color="#5b6676",
    )
    return figure


if __name__ == "__main__":
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "strut", "font.family": "sans-serif"}):
        drawn().savefig(PICTURE, metadata={"Date": None})
    sys.stdout.write(f"wrote {PICTURE.relative_to(ROOT)}\n")
