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


COMMANDS = """
from strut.cli.main import main
print(main(["plugins", "--json"]))
print(main(["walk", "nodder", "--cycles", "2", "--out", "nod.npz", "--json"]))
print(main(["export", "nod.npz", "--to", "joints", "--json"]))
print(main(["check", "nod.joints", "--json"]))
print(main(["walk", "nodder", "--tempo", "2"]))
"""


def test_the_command_line_lists_and_uses_all_four(run, tmp_path):
    done = run("-c", COMMANDS)
    documents = []
    codes = []
    rest = done.stdout
    while rest.strip():  # after the JSON document of each command stands its exit code
        if rest.lstrip()[0] in "{[":
            document, end = json.JSONDecoder().raw_decode(rest.lstrip())
            documents.append(document)
            rest = rest.lstrip()[end:]
        code, _, rest = rest.lstrip().partition("\n")
        codes.append(int(code))
    added, walk, _, check = documents
    expected = {("strut.tasks", "nod"), ("strut.limits", "calm_head"), ("strut.robots", "nodder")}
    expected |= {("strut.writers", "joints"), ("strut.readers", "joints")}
    assert expected <= {(plugin["group"], plugin["name"]) for plugin in added}
    assert (walk["robot"], walk["verdict"], walk["duration_s"]) == ("nodder", "ok", 2.0)
    assert (tmp_path / "nod.joints").is_file()
    assert (check["robot"], check["verdict"]) == ("nodder", "ok")
    assert codes == [0, 0, 0, 0, 2]
    assert "--tempo does not apply: nodder stands and nods and takes --cycles" in done.stderr


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
