"""Run the notebooks of examples/ and keep their outputs: `python tests/notebooks.py`."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "examples"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
LONGEST_CELL_S = 300


def run_notebook(path: Path) -> nbformat.NotebookNode:
    """Return a notebook with the outputs that its cells give now; a cell that raises ends the run."""
    notebook = nbformat.read(path, as_version=4)
    with TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook, timeout=LONGEST_CELL_S, kernel_name="python3", resources={"metadata": {"path": folder}}
        )
        client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # the clock of this run
    return notebook


if __name__ == "__main__":
    for name in sys.argv[1:] or NOTEBOOKS:
        nbformat.write(run_notebook(Path(name)), name)
