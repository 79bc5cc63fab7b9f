"""Names of imported robots, where robots are found, and files that are not robots."""

import unicodedata
from pathlib import Path

import numpy as np
import pytest
import trimesh

from strut.adoption.adopt import adopt
from strut.adoption.description import read_description
from strut.adoption.description_size import MAX_BODIES
from strut.adoption.package_robots import find_description
from strut.adoption.robot_name import choose_robot_name, normalize_name
from strut.errors import FileError, NotAdoptedError
from strut.models.catalogue import load_robot, robot_home, robots
from strut.models.mesh_files import forget_meshes, read_mesh
from tests.adoption.small_robots import quadruped, write_xml


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
    assert normalize_name(text) == name


@pytest.mark.parametrize("name", ["", "a/b", "a b", "../a", "a\n", "x" * 81, "𠀋" * 61, "mrpete"])
def test_an_invalid_name_is_refused(name):
    with pytest.raises(NotAdoptedError, match=r"is not a name|own robots"):
        choose_robot_name(Path("go2.xml"), name)


def test_a_robot_is_found_by_composed_and_decomposed_names(tmp_path, monkeypatch):
    monkeypatch.setenv("STRUT_ROBOTS", str(tmp_path / "home"))
    adopted = adopt(write_xml(quadruped(), tmp_path / f"{unicodedata.normalize('NFD', 'größe')}.xml"))
    assert (adopted.name, robots()[-1]) == ("größe", "größe")
    assert load_robot(unicodedata.normalize("NFD", "größe")).name == "größe"


@pytest.mark.parametrize("kind", ["device", "file"])
def test_a_robot_home_that_is_not_a_folder_is_refused(kind, tmp_path, monkeypatch):
    place = Path("/dev/null") if kind == "device" else tmp_path / "file"
    place.touch()
    monkeypatch.setenv("STRUT_ROBOTS", str(place))
    with pytest.raises(FileError, match="is not a folder"):
        robot_home()


def test_a_device_is_refused():
    with pytest.raises(NotAdoptedError, match="not a regular file"):
        read_description(Path("/dev/null"))


@pytest.mark.parametrize(("tag", "head"), [("body", "<mujoco><worldbody>"), ("link", "<robot name='crowd'>")])
def test_a_file_with_too_many_bodies_is_not_read_to_its_end(tag, head, tmp_path):
    file = tmp_path / "crowd.xml"
    file.write_text(head + f"<{tag} name='one'/>" * (MAX_BODIES + 1) + "<never closed")
    with pytest.raises(NotAdoptedError, match=f"more than {MAX_BODIES} bodies"):
        read_description(file)


GRID = '<replicate count="300" offset="1 0 0"><replicate count="300" offset="0 1 0">{}</replicate></replicate>'
TOO_LARGE = {
    "replicated bodies": (GRID.format("<body><geom size='1'/></body>"), "more than 1000 bodies"),
    "replicated geoms": (GRID.format("<geom size='1'/>"), "more than 10000 elements"),
    "cloth": ("<body><flexcomp name='cloth' type='grid' count='500 500 1' spacing='1 1 1'/></body>", "10000 elements"),
}
BAD_SETTINGS = {
    "height field": (
        "<asset><hfield name='hills' nrow='100000' ncol='100000' size='1 1 1 1'/></asset>",
        "height field hills has 10000000000 points",
    ),
    "user numbers": ("<size nuser_body='2000000000'/>", "nuser_body of 2000000000 needs more memory"),
}


@pytest.mark.parametrize("kind", TOO_LARGE)
def test_what_stands_for_more_than_a_robot_is_refused_before_it_is_made(kind, tmp_path):
    inside, words = TOO_LARGE[kind]
    file = tmp_path / "large.xml"
    file.write_text(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")
    with pytest.raises(NotAdoptedError, match=words):
        read_description(file)
    (tmp_path / "outer.xml").write_text('<mujoco><include file="large.xml"/></mujoco>')
    with pytest.raises(NotAdoptedError, match=words):
        read_description(tmp_path / "outer.xml")


@pytest.mark.parametrize("kind", BAD_SETTINGS)
def test_settings_that_need_absurd_memory_are_refused(kind, tmp_path):
    setting, words = BAD_SETTINGS[kind]
    file = tmp_path / "large.xml"
    file.write_text(f"<mujoco>{setting}<worldbody><body><geom size='1'/></body></worldbody></mujoco>")
    with pytest.raises(NotAdoptedError, match=words):
        read_description(file)


def test_a_few_copies_and_a_small_height_field_are_read(tmp_path):
    file = tmp_path / "small.xml"
    file.write_text(
        "<mujoco><asset><hfield name='hills' nrow='20' ncol='20' size='1 1 1 1'/></asset><worldbody>"
        "<replicate count='5' offset='1 0 0'><body><geom size='1'/></body></replicate></worldbody></mujoco>"
    )
    assert read_description(file).model.nbody == 6


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
def test_several_files_of_a_folder_are_listed(package, name):
    with pytest.raises(NotAdoptedError, match="give one of them: zwo_full, zwo_half"):
        find_description(name)


def test_files_with_the_same_name_are_listed_by_path(package):
    with pytest.raises(NotAdoptedError, match=r"one_zz_description/twin_zz\.urdf, .*two_zz_description/twin_zz\.urdf"):
        find_description("twin_zz")


def test_a_folder_is_refused_with_its_descriptions_listed(package):
    with pytest.raises(NotAdoptedError, match=r"it is a folder; give its MJCF or URDF file \(zwo_full\.urdf, zwo_half"):
        find_description(package / "zwo_data" / "robots")


def test_stages_are_reported(tmp_path):
    stages = []
    adopt(write_xml(quadruped(), tmp_path / "four.xml"), out=tmp_path / "robot", on_stage=stages.append)
    assert [stage.split()[0] for stage in stages] == ["reads", "finds", "finds", "fits", "writes"]


def test_a_mesh_is_read_once_and_copied(tmp_path, monkeypatch):
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
def test_no_mesh_stays_in_memory_after_reading_or_refusing_a_file(kind, tmp_path, monkeypatch):
    read = []
    load = trimesh.load_scene
    monkeypatch.setattr(trimesh, "load_scene", lambda *args, **words: read.append(1) or load(*args, **words))
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
            read_description(tmp_path / "robot.xml")
    else:
        assert read_description(tmp_path / "robot.xml").model.nmesh == 1
    before = len(read)
    read_mesh(tmp_path / "box.ply")
    assert len(read) == before + 1
