"""What an installed strut has with it: every file of data is matched by a pattern of pyproject.toml."""

import subprocess
import tomllib
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
