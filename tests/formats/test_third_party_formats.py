"""An installed package adds a reader and a writer by entry points, with the examples of CONTRIBUTING.md."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import strut

CONTRIBUTING = Path(__file__).parents[2] / "CONTRIBUTING.md"
METADATA = "Metadata-Version: 2.1\nName: strut-feet\nVersion: 1.0\n"


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A folder with the package of the page, as pip would install it."""
    section = CONTRIBUTING.read_text("utf-8").partition("## Add a file format")[2].partition("\n## ")[0]
    modules = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    (table,) = re.findall(r"```toml\n(.*?)```", section, re.DOTALL)
    folder = tmp_path_factory.mktemp("site")
    (folder / "strut_feet.py").write_text("\n".join(modules))
    info = folder / "strut_feet-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(METADATA)
    entries = re.sub(r'\[project\.entry-points\."(.*?)"\]', r"[\1]", table)
    (info / "entry_points.txt").write_text(re.sub(r'= "(.*?)"', r"= \1", entries))
    return folder


def run(package, folder, code):
    """Return what Python prints with the package installed."""
    source = str(Path(strut.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:0] = [{str(package)!r}, {source!r}]\n{code}"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def test_a_writer_of_an_installed_package_is_found_by_its_name(package, tmp_path, happy_walk):
    strut.save_motion(happy_walk, tmp_path / "walk.npz")
    code = "import strut; print(strut.export(strut.load_motion('walk.npz'), 'walk.heights', to='heights').omitted)"
    assert run(package, tmp_path, code) == "('all but the height of the base',)\n"
    heights = [float(line) for line in (tmp_path / "walk.heights").read_text("utf-8").split()]
    assert heights == pytest.approx(happy_walk.qpos[:, 2], abs=1e-4)


def test_a_reader_of_an_installed_package_is_found_by_the_ending(package, tmp_path):
    (tmp_path / "walk.steps").write_text("STEPS cm 100\n0 0 0\n1 0 0\n")
    (tmp_path / "bad.steps").write_text("STEPS furlong 100\n0 0 0\n")
    code = (
        "import strut; walk = strut.read_recording('walk.steps'); print(walk.markers_m[1, 0, 0], walk.notes)\n"
        "try:\n    strut.read_recording('bad.steps')\nexcept strut.StrutError as error:\n    print(error)"
    )
    assert run(package, tmp_path, code).splitlines() == [
        "0.01 ('Lengths are in cm.',)",
        "bad.steps: has its lengths in 'furlong', which is no known unit.",
    ]
