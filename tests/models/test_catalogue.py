"""The catalogue: robots by name or by folder, with every fault of a folder in words."""

import json
import os
import shutil
import unicodedata
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from strut import robots
from strut.cli.main import main
from strut.errors import BadMotionError, BadTableError, UnknownNameError
from strut.models import catalogue
from strut.models.catalogue import load_robot, robot_of


@pytest.fixture
def copy(tmp_path):
    """A folder of one's own with a copy of Mr. Pete in it."""
    return shutil.copytree(catalogue.HOME / "mrpete", tmp_path / "twin")


def test_mr_pete_is_in_the_catalogue():
    assert "mrpete" in robots()


def test_every_robot_of_the_catalogue_loads_and_compiles():
    for name in robots():
        robot = load_robot(name)
        assert robot.name == name
        assert robot.model.body_mass.sum() == pytest.approx(robot.mass_kg)


def test_an_unknown_robot_names_its_neighbours():
    with pytest.raises(UnknownNameError) as caught:
        load_robot("mrpit")
    assert str(caught.value).startswith("There is no robot 'mrpit' (nearest: mrpete")
    assert str(caught.value).endswith("(STRUT_ROBOTS names another folder), lists them all.")


def test_a_robot_can_live_in_any_folder(copy, mrpete):
    twin = load_robot(str(copy))
    assert twin.name == str(copy)  # so that its motions find it again
    assert twin.joint_names == mrpete.joint_names


def test_a_robot_below_here_is_called_by_its_path_from_here(copy, monkeypatch):
    monkeypatch.chdir(copy.parent)
    assert load_robot(str(copy)).name == "twin"
    assert load_robot("twin").name == "twin"
    assert load_robot("./twin").name == "twin"


@pytest.mark.parametrize("here", ["", "robots", "robots/twin", "robots/deeper/still"])
def test_a_motion_finds_the_robot_of_a_path_from_inside_the_folders_of_that_path(here, tmp_path, monkeypatch):
    shutil.copytree(catalogue.HOME / "mrpete", tmp_path / "robots" / "twin")
    (tmp_path / "robots" / "deeper" / "still").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    named = load_robot("robots/twin")
    assert named.name == "robots/twin"
    monkeypatch.chdir(tmp_path / here)
    found = load_robot(named.name)
    assert found.fingerprint == named.fingerprint
    assert Path(found.name).resolve() == tmp_path / "robots" / "twin"  # and other files of its folder by that name


def test_a_robot_loaded_from_inside_its_folder_has_a_name_that_is_found_elsewhere(copy, tmp_path, monkeypatch):
    monkeypatch.chdir(copy)
    name = load_robot(".").name
    monkeypatch.chdir(tmp_path.parent)
    assert load_robot(name).joint_names


def test_a_robot_in_the_users_home_has_a_name_beside_ours(copy, monkeypatch, capsys):
    monkeypatch.setenv("STRUT_ROBOTS", str(copy.parent))
    assert robots() == ("alice", "cassie", "heiman", "mrpete", "pepper", "twin")
    assert load_robot("twin").name == "twin"  # so its motions store the name, wherever the home is
    assert main(["robots"]) == 0
    assert "twin" in capsys.readouterr().out


def test_a_robot_of_the_user_never_takes_the_name_of_ours(copy, mrpete, monkeypatch, capsys):
    home = copy.rename(copy.parent / "mrpete").parent
    monkeypatch.setenv("STRUT_ROBOTS", str(home))
    assert load_robot("mrpete") is mrpete
    assert load_robot(str(home / "mrpete")) is not mrpete
    assert robots().count("mrpete") == 1
    assert main(["robots"]) == 0
    assert f"mrpete is a robot of strut; use yours by its path, {home}" in capsys.readouterr().err.replace("\n", "")


@pytest.mark.parametrize("kept", ["NFC", "NFD"])
@pytest.mark.parametrize("typed", ["NFC", "NFD"])
def test_a_robot_is_found_however_its_folder_and_the_keyboard_compose_its_name(copy, kept, typed, monkeypatch):
    home = copy.parent
    name = copy.rename(home / unicodedata.normalize(kept, "größe")).name
    words = unicodedata.normalize(typed, "größe")
    assert load_robot(str(home / words)).name == str(home / name)
    monkeypatch.setenv("STRUT_ROBOTS", str(home))
    assert load_robot(words).name == name


def test_a_link_to_nothing_beside_the_tables_is_no_matter(copy, mrpete):
    (copy / "notes.txt").symlink_to(copy / "nowhere.txt")
    assert load_robot(str(copy)).joint_names == mrpete.joint_names


def test_a_robot_is_read_again_once_a_mesh_of_it_is_written_in_place(copy):
    mesh = copy / "meshes" / "parts" / "shin.stl"
    mesh.parent.mkdir(parents=True)
    mesh.write_bytes(b"one")
    robot = load_robot(str(copy))
    assert load_robot(str(copy)) is robot
    mesh.write_bytes(b"two")
    os.utime(mesh, ns=(0, 0))
    assert load_robot(str(copy)) is not robot


def test_a_broken_robot_of_the_user_is_listed_beside_the_others(copy, monkeypatch, capsys):
    (copy / "robot.toml").write_text("title = 3\n", "utf-8")
    monkeypatch.setenv("STRUT_ROBOTS", str(copy.parent))
    assert main(["robots", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["mrpete"]["joints"] == 28
    assert "robot.toml" in rows["twin"]["error"]


def test_a_folder_with_other_numbers_is_another_body_without_any_python(copy, mrpete):
    table = copy / "robot.toml"
    table.write_text(table.read_text("utf-8").replace("mass_kg = 3.0", "mass_kg = 4.5"), "utf-8")
    twin = load_robot(str(copy))
    assert twin.mass_kg == pytest.approx(8.5)
    assert twin.fingerprint != mrpete.fingerprint


def test_a_table_that_is_no_toml_is_named(copy):
    (copy / "gait.toml").write_text("kind = = 3", "utf-8")
    with pytest.raises(BadTableError, match=r"gait\.toml, line 1: is not TOML"):
        load_robot(str(copy))


def test_a_missing_entry_is_named(copy):
    table = copy / "robot.toml"
    table.write_text(table.read_text("utf-8").replace("torque_limit_nm = 8.4", ""), "utf-8")
    with pytest.raises(BadTableError, match=r"robot\.toml, line 19, servo\.torque_limit_nm: is missing\."):
        load_robot(str(copy))


def test_a_motion_finds_its_robot(happy_walk, mrpete):
    assert robot_of(happy_walk).fingerprint == mrpete.fingerprint


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (
            lambda m: {"joint_names": tuple(reversed(m.joint_names))},
            "The joints or feet of the motion are not those of mrpete; it was made for another robot.",
        ),
        (
            lambda m: {"foot_names": tuple(reversed(m.foot_names))},
            "The joints or feet of the motion are not those of mrpete; it was made for another robot.",
        ),
        (
            lambda m: {"qpos": np.concatenate([m.qpos, m.qpos[:, :1]], axis=1)},
            "The qpos of the motion has 36 columns; mrpete has 35.",
        ),
    ],
    ids=["joints", "feet", "columns"],
)
def test_a_motion_of_another_body_is_refused(happy_walk, change, sentence):
    with pytest.raises(BadMotionError) as caught:
        robot_of(replace(happy_walk, **change(happy_walk)))
    assert str(caught.value) == sentence


def test_a_motion_of_another_version_of_the_body_is_refused(happy_walk, mrpete):
    with pytest.raises(
        BadMotionError, match=f"another version of mrpete .0123456789abcdef, here {mrpete.fingerprint}."
    ):
        robot_of(replace(happy_walk, meta={**happy_walk.meta, "robot_fingerprint": "0123456789abcdef"}))
