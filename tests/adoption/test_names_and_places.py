"""What adopted robots are called, where they are found, and files that are no robots to begin with."""

import tomllib
import unicodedata
from pathlib import Path

import numpy as np
import pytest
import trimesh

from strut.adoption.adopt import adopt
from strut.adoption.described_model import MOST_BODIES, read_described
from strut.adoption.expression_tables import gait_toml
from strut.adoption.package_robots import find_description
from strut.adoption.robot_name import plain_name, robot_name_of
from strut.errors import FileError, NotAdoptedError
from strut.gaits.pattern.table import PatternTable
from strut.models.catalogue import load_robot, robot_home, robot_names
from strut.models.mesh_files import _read_once, forget_meshes, read_mesh
from tests.adoption.small_robots import quadruped, written


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Größe-2", "größe_2"),
        (unicodedata.normalize("NFD", "größe"), "größe"),
        ("犬", "犬"),
        ("हिन्दी", "हिन्दी"),
        ("../a b$c", "a_b_c"),
        ("--", ""),
        ("x" * 300, "x" * 80),
        ("𠀋" * 80, "𠀋" * 60),  # four bytes each, of which the name of a folder holds 255
    ],
)
def test_letters_of_any_script_are_kept(text, name):
    assert plain_name(text) == name


@pytest.mark.parametrize("name", ["", "a/b", "a b", "../a", "a\n", "x" * 81, "𠀋" * 61, "mrpete"])
def test_what_is_no_name_of_a_folder_is_refused(name):
    with pytest.raises(NotAdoptedError, match=r"is no name|own robots"):
        robot_name_of(Path("go2.xml"), name)


def test_a_robot_is_found_by_its_name_however_the_keyboard_composes_it(tmp_path, monkeypatch):
    monkeypatch.setenv("STRUT_ROBOTS", str(tmp_path / "home"))
    adopted = adopt(written(quadruped(), tmp_path / f"{unicodedata.normalize('NFD', 'größe')}.xml"))
    assert (adopted.name, robot_names()[-1]) == ("größe", "größe")
    assert load_robot(unicodedata.normalize("NFD", "größe")).name == "größe"


@pytest.mark.parametrize("kind", ["device", "file"])
def test_a_robot_home_that_is_no_folder_is_told(kind, tmp_path, monkeypatch):
    place = Path("/dev/null") if kind == "device" else tmp_path / "file"
    place.touch()
    monkeypatch.setenv("STRUT_ROBOTS", str(place))
    with pytest.raises(FileError, match="is no folder"):
        robot_home()


def test_a_device_is_no_regular_file():
    with pytest.raises(NotAdoptedError, match="no regular file"):
        read_described(Path("/dev/null"))


@pytest.mark.parametrize(("tag", "head"), [("body", "<mujoco><worldbody>"), ("link", "<robot name='crowd'>")])
def test_a_crowd_is_given_up_before_it_is_read_to_its_end(tag, head, tmp_path):
    file = tmp_path / "crowd.xml"
    file.write_text(head + f"<{tag} name='one'/>" * (MOST_BODIES + 1) + "<never closed")
    with pytest.raises(NotAdoptedError, match=f"more than {MOST_BODIES} bodies"):
        read_described(file)


@pytest.fixture
def package(tmp_path, monkeypatch):
    """An installed package with a folder of two robots, one of one, and a name that two folders have."""
    data = tmp_path / "cmeel.prefix" / "share" / "example-robot-data" / "robots"
    names = ("zwo_data/robots/zwo_full.urdf", "zwo_data/robots/zwo_half.urdf", "solo_zz_description/urdf/only.urdf")
    for name in (*names, "one_zz_description/twin_zz.urdf", "two_zz_description/twin_zz.urdf"):
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).touch()
    monkeypatch.syspath_prepend(tmp_path)
    return data


def test_robots_of_packages_are_found_by_file_and_by_folder(package):
    assert find_description("zwo_full").name == "zwo_full.urdf"
    assert find_description("ZWO_half").name == "zwo_half.urdf"
    assert find_description("solo_zz") == find_description("solo_zz_description")


@pytest.mark.parametrize("name", ["zwo", "zwo_data"])
def test_where_several_files_fit_they_are_listed(package, name):
    with pytest.raises(NotAdoptedError, match="give one of them: zwo_full, zwo_half"):
        find_description(name)


def test_files_of_one_name_are_listed_by_what_tells_them_apart(package):
    with pytest.raises(NotAdoptedError, match=r"one_zz_description/twin_zz\.urdf, .*two_zz_description/twin_zz\.urdf"):
        find_description("twin_zz")


def test_a_folder_is_told_with_the_descriptions_in_it(package):
    with pytest.raises(NotAdoptedError, match=r"it is a folder; give its MJCF or URDF file \(zwo_full\.urdf, zwo_half"):
        find_description(package / "zwo_data" / "robots")


def test_what_is_done_is_told_on_the_way(tmp_path):
    told = []
    adopt(written(quadruped(), tmp_path / "four.xml"), out=tmp_path / "robot", on_stage=told.append)
    assert [words.split()[0] for words in told] == ["reads", "finds", "finds", "tries", "writes"]


def test_a_mesh_is_read_once_and_each_asks_for_a_copy_of_it(tmp_path, monkeypatch):
    file = tmp_path / "box.stl"
    read = []
    trimesh.creation.box((1.0, 2.0, 3.0)).export(file)
    load = trimesh.load_scene
    monkeypatch.setattr(trimesh, "load_scene", lambda *args, **words: read.append(1) or load(*args, **words))
    first = read_mesh(file)
    first.vertices *= 5.0
    assert np.ptp(read_mesh(file).vertices, axis=0) == pytest.approx([1.0, 2.0, 3.0])
    assert len(read) == 1
    forget_meshes()


@pytest.mark.parametrize("kind", ["mjcf", "refused"])
def test_no_mesh_stays_in_memory_when_a_file_was_read_or_refused(kind, tmp_path):
    trimesh.creation.box((1.0, 2.0, 3.0)).export(tmp_path / "box.ply")
    mesh = "<asset><mesh name='box' file='box.ply'/></asset>"
    body = "<body><freejoint/><geom type='mesh' mesh='box'/></body>"
    shapes = [f"<collision><geometry><mesh filename='{name}.ply'/></geometry></collision>" for name in ("box", "none")]
    text = {
        "mjcf": f"<mujoco>{mesh}<worldbody>{body}</worldbody></mujoco>",
        "refused": f"<robot name='r'><link name='a'>{''.join(shapes)}</link></robot>",
    }[kind]
    (tmp_path / "robot.xml").write_text(text)
    if kind == "refused":
        with pytest.raises(NotAdoptedError, match=r"none\.ply"):
            read_described(tmp_path / "robot.xml")
    else:
        assert read_described(tmp_path / "robot.xml").model.nmesh == 1
    assert _read_once.cache_info().currsize == 0


def test_why_a_gait_is_slow_is_written_so_that_it_can_be_read_in_any_script():
    why = 'the joint "𠀋" is weak'
    assert tomllib.loads(gait_toml(PatternTable(gait="biped", slow_because=why)))["slow_because"] == why
