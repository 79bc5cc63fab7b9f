"""The notebooks of examples/: every cell runs, and the committed outputs show moving pictures without a kernel."""

import io
from base64 import b64decode

import nbformat
import pytest
from PIL import Image

from tests.notebooks import NOTEBOOKS, run_notebook


def pictures_of(notebook, kind):
    """Return the pictures of a kind, such as gif, among the outputs."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [
        Image.open(io.BytesIO(b64decode(output.data[f"image/{kind}"])))
        for output in outputs
        if f"image/{kind}" in output.get("data", {})
    ]


def test_there_is_one_notebook_for_each_kind_of_user():
    assert [path.stem for path in NOTEBOOKS] == ["a_recording", "a_robot", "a_study"]


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_its_first_cell_to_its_last(path):
    notebook = run_notebook(path)
    assert all(film.n_frames > 10 for film in pictures_of(notebook, "gif"))
    assert pictures_of(notebook, "png")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_committed_notebook_moves_on_a_static_page(path):
    notebook = nbformat.read(path, as_version=4)
    counts = [cell.execution_count for cell in notebook.cells if cell.cell_type == "code"]
    assert counts == list(range(1, len(counts) + 1))  # outputs of one run, in order
    assert all(film.n_frames > 10 for film in pictures_of(notebook, "gif"))
    assert pictures_of(notebook, "gif")
    assert path.stat().st_size < 700_000  # small enough for a repository
