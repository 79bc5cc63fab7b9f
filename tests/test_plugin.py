"""The example package that extends strut, installed: its gait, file format, limit and robot work like our own."""

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "examples" / "plugin"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Return a folder with the package and the metadata that an installer writes from its pyproject.toml."""
    site = tmp_path_factory.mktemp("site")
    project = tomllib.loads((SOURCE / "pyproject.toml").read_text("utf-8"))["project"]
    shutil.copytree(SOURCE / "strut_nod", site / "strut_nod")
    info = site / "strut_nod-0.1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n")
    lines = []
    for group, entries in project["entry-points"].items():
        lines += [f"[{group}]", *(f"{name} = {target}" for name, target in entries.items())]
    (info / "entry_points.txt").write_text("\n".join(lines))
    return site


@pytest.fixture
def run(site, tmp_path):
    """Return what runs Python with the package installed, and the text that it prints."""
    path = os.pathsep.join([str(site), *(entry for entry in sys.path if entry)])

    def run(*arguments, code=0):
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env=os.environ | {"PYTHONPATH": path},
        )
        assert done.returncode == code, done.stderr
        return done

    return run


def test_plugins_lists_what_the_package_adds(run):
    added = {(plugin["group"], plugin["name"]) for plugin in json.loads(run("-m", "strut", "plugins", "--json").stdout)}
    expected = {("strut.tasks", "nod"), ("strut.limits", "calm_head"), ("strut.robots", "nodder")}
    assert expected | {("strut.writers", "joints"), ("strut.readers", "joints")} <= added


def test_the_command_line_uses_all_four(run, tmp_path):
    walk = json.loads(run("-m", "strut", "walk", "nodder", "--cycles", "2", "--out", "nod.npz", "--json").stdout)
    assert (walk["robot"], walk["verdict"], walk["duration_s"]) == ("nodder", "ok", 2.0)
    run("-m", "strut", "export", "nod.npz", "--to", "joints")
    assert (tmp_path / "nod.joints").is_file()
    again = json.loads(run("-m", "strut", "check", "nod.joints", "--json").stdout)
    assert (again["robot"], again["verdict"]) == ("nodder", "ok")
    unfit = run("-m", "strut", "walk", "nodder", "--tempo", "2", code=2).stderr
    assert "--tempo does not apply: nodder stands and nods and takes --cycles" in unfit


QUICK = """
import dataclasses, msgspec, strut
robot = strut.load_robot("nodder")
quick = msgspec.structs.replace(robot.gait, angle_rad=0.8)
robot = dataclasses.replace(robot, tables=dataclasses.replace(robot.tables, gait=quick))
try:
    strut.walk(robot, cycles=2)
except strut.StrutError as error:
    print(error)
motion = strut.walk("nodder", cycles=1)
strut.export(motion, "nod.joints")
print((strut.load_motion("nod.joints").qpos == motion.qpos).all())
print(strut.Request.from_dict(motion.meta["request"]).task)
"""


def test_python_uses_all_four(run):
    refused, same, task = run("-c", QUICK).stdout.splitlines()
    assert refused.startswith("Refused: calm head: the neck turns at 2.5 rad/s, a sharp image allows 2 rad/s")
    assert (same, task) == ("True", "Nod(cycles=1)")
