"""What an installed strut has with it: every file of data is matched by a pattern of pyproject.toml."""

import os
import site
import subprocess
import sys
import tomllib
import venv
from fnmatch import fnmatch
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_every_file_of_data_is_installed():
    packages = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["setuptools"]["package-data"]
    listed = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode:
        pytest.skip("this is no clone of the repository")
    everywhere = packages.pop("*")
    patterns = [f"src/{name.replace('.', '/')}/{glob}" for name, globs in packages.items() for glob in globs]
    for name in listed.stdout.splitlines():
        fits = [one for one in patterns if fnmatch(name, one) and name.count("/") == one.count("/")]
        fits += [glob for glob in everywhere if fnmatch(Path(name).name, glob)]
        assert name.endswith(".py") or fits, f"{name} fits no package-data, so an installed strut lacks it"


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """Return the commands of a new environment with strut from a wheel, and this one's dependencies."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if files.returncode:
        pytest.skip("this is no clone of the repository")
    for name in files.stdout.splitlines():
        if name.startswith("src/") or name in ("pyproject.toml", "README.md", "LICENSE"):
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            (source / name).write_bytes((ROOT / name).read_bytes())
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    built = subprocess.run(
        [*pip, "wheel", "--no-deps", "--wheel-dir", folder, source], capture_output=True, text=True, check=False
    )
    if "No matching distribution found for setuptools" in built.stderr:
        pytest.skip("the package index cannot be reached, so that no wheel can be built")
    assert built.returncode == 0, built.stderr
    (wheel,) = folder.glob("strut-*.whl")
    environment = folder / "environment"
    venv.create(environment)
    commands = environment / ("Scripts" if os.name == "nt" else "bin")
    python = commands / Path(sys.executable).name
    into = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    )
    subprocess.run([*pip, "--python", python, "install", "--no-deps", wheel], check=True)
    (Path(into.stdout.strip()) / "dependencies.pth").write_text("\n".join(site.getsitepackages()))
    return commands


def run_installed(commands, *arguments, cwd):
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [commands / "strut", *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize(
    "arguments",
    [
        ("robots",),
        ("walk", "mrpete", "--emotion", "sad", "--cycles", "2", "--out", "sad.npz"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_wheel_brings_all_that_the_commands_need(installed, tmp_path, arguments):
    done = run_installed(installed, *arguments, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert str(ROOT) not in done.stderr
