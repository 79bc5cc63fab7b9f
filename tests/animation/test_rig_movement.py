"""GLB and BVH of a rig: out, in again as coordinates and as keyframes, and what is refused."""

import json

import numpy as np
import pygltflib
import pytest
import trimesh

import strut
from strut.cli.main import main
from strut.errors import MotionFileError, RigFileError
from strut.formats.reader import read_file
from strut.models.rig import build_rig
from strut.models.solids import solids
from strut.motion import Motion
from tests.stories import alice_sways, dance, paw, slow_nod


@pytest.fixture(scope="module")
def cassie():
    return strut.load_robot("cassie")


@pytest.fixture(scope="module")
def drawing(cassie):
    return strut.animation.preview_animation(
        cassie, strut.load_animation(strut.animation.story_path("cassie", "happy"))
    )


@pytest.fixture(scope="module")
def files(tmp_path_factory, drawing):
    folder = tmp_path_factory.mktemp("rig")
    for ending in ("glb", "bvh"):
        strut.export(drawing, folder / f"happy.{ending}")
    return folder


@pytest.mark.parametrize(("ending", "mm", "deg"), [("glb", 2e-4, 1e-4), ("bvh", 1e-3, 1e-5)])
def test_coordinates_come_back_from_a_file(files, cassie, drawing, ending, mm, deg):
    motion = read_file(Motion, files / f"happy.{ending}", robot=cassie)
    expected = drawing.qpos[::4][: len(motion.qpos)]
    assert np.abs(motion.qpos[:, :3] - expected[:, :3]).max() * 1e3 < mm
    assert np.degrees(np.abs(motion.qpos[:, 7:] - expected[:, 7:]).max()) < deg
    assert [eyes for _, eyes in motion.meta["eyes"]] == [eyes for _, eyes in drawing.meta["eyes"]]
    assert motion.meta["notes"] == (["The file has z up."] if ending == "bvh" else [])


def test_eyes_change_in_the_frame_in_which_they_were_drawn(files, cassie, drawing):
    motion = read_file(Motion, files / "happy.glb", robot=cassie)  # whose times have single precision
    for (at_s, eyes), (drawn_s, drawn_eyes) in zip(motion.meta["eyes"], drawing.meta["eyes"], strict=True):
        assert (round(at_s * 25.0), eyes) == (round(drawn_s * 25.0), drawn_eyes)


@pytest.mark.parametrize(("who", "story"), [("alice", alice_sways()), ("mrpete", paw()), ("cassie", dance())])
def test_any_robots_drawing_becomes_keyframes_again(tmp_path, who, story):
    robot = strut.load_robot(who)
    drawing = strut.animation.preview_animation(robot, story)
    strut.export(drawing, tmp_path / "story.glb")
    traced = strut.animation.import_animation(tmp_path / "story.glb", robot, emotion="happy")
    assert traced.away_m < 0.002
    assert np.degrees(traced.away_rad) < 0.5
    assert traced.animation.emotion == "happy"
    again = strut.animation.preview_animation(robot, traced.animation)
    shared = slice(0, min(len(again.qpos), len(drawing.qpos)))
    moved = [motion.qpos[shared, :3] - motion.qpos[0, :3] for motion in (again, drawing)]  # a story begins on its feet
    assert np.abs(moved[0] - moved[1]).max() < 0.003
    assert (again.contact[shared] == drawing.contact[shared]).mean() > 0.97


def test_a_glb_shows_the_robots_body_to_other_programs(files, cassie):
    scene = trimesh.load(files / "happy.glb")
    shown = sum(solid.color[3] >= 0.05 for solid in solids(cassie))
    assert len(scene.geometry) == shown
    low, high = scene.bounds
    assert high[1] - low[1] == pytest.approx(1.05, abs=0.1)  # y is up in glTF
    assert abs(low[1]) < 0.01


def test_files_of_another_robot_are_refused_by_bone(files):
    for ending in ("glb", "bvh"):
        with pytest.raises(RigFileError, match=r"is a rig of another robot: it has no bone"):
            strut.animation.import_animation(files / f"happy.{ending}", strut.load_robot("alice"))


def test_a_rig_of_another_size_is_refused_with_the_distance(tmp_path, files, cassie):
    text = (files / "happy.bvh").read_text()
    head, _, table = text.partition("MOTION")
    larger = "\n".join(
        line
        if "OFFSET" not in line
        else line.split("OFFSET")[0]
        + "OFFSET "
        + " ".join(f"{100.0 * float(word):.6f}" for word in line.split("OFFSET")[1].split())
        for line in head.splitlines()
    )
    (tmp_path / "cm.bvh").write_text(f"{larger}\nMOTION{table}")
    with pytest.raises(RigFileError, match=r"100 times as large; export the rig in metres"):
        strut.animation.import_animation(tmp_path / "cm.bvh", cassie)
    file = pygltflib.GLTF2.load_from_bytes((files / "happy.glb").read_bytes())
    knee = next(node for node in file.nodes if node.name == "left_knee")
    knee.translation = [value + 0.03 for value in knee.translation]
    (tmp_path / "bent.glb").write_bytes(b"".join(file.save_to_bytes()))
    with pytest.raises(RigFileError, match=r"the bone left_knee is 52 mm away from where cassie has it"):
        strut.animation.import_animation(tmp_path / "bent.glb", cassie)


def test_a_bone_that_turns_as_no_joint_can_is_named_with_its_frame(tmp_path, files, cassie):
    file = pygltflib.GLTF2.load_from_bytes((files / "happy.glb").read_bytes())
    number = next(k for k, node in enumerate(file.nodes) if node.name == "right_foot")
    animation = file.animations[0]
    animation.channels = [c for c in animation.channels if (c.target.node, c.target.path) != (number, "rotation")]
    file.nodes[number].rotation = [0.0, 0.0, np.sin(0.2), np.cos(0.2)]
    (tmp_path / "aside.glb").write_bytes(b"".join(file.save_to_bytes()))
    with pytest.raises(RigFileError, match=r"in frame \d+ the bone right_foot is turned \d+ degrees about"):
        strut.animation.import_animation(tmp_path / "aside.glb", cassie)


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("a.glb", b"noise", "is not a GLB file"),
        ("a.glb", b"glTF" + bytes(40), "is damaged and cannot be read as GLB"),
        ("a.bvh", b"noise", "is not a BVH file"),
        ("a.bvh", b"HIERARCHY\nROOT a\n{\nOFFSET 0 0\n", "damaged BVH file"),
    ],
)
def test_damaged_files_are_refused_in_one_sentence(tmp_path, capsys, name, content, words):
    (tmp_path / name).write_bytes(content)
    out = tmp_path / "out.npz"
    assert main(["animate", str(tmp_path / name), "--robot", "cassie", "--out", str(out)]) == 2
    assert words in capsys.readouterr().err
    assert not out.exists()


def test_a_cut_glb_and_one_without_animation_are_refused(tmp_path, files, cassie):
    content = (files / "happy.glb").read_bytes()
    (tmp_path / "cut.glb").write_bytes(content[: len(content) // 2])
    with pytest.raises(RigFileError, match="damaged"):
        strut.animation.import_animation(tmp_path / "cut.glb", cassie)
    file = pygltflib.GLTF2.load_from_bytes(content)
    file.animations = []
    (tmp_path / "still.glb").write_bytes(b"".join(file.save_to_bytes()))
    with pytest.raises(RigFileError, match=r"must hold one animation of the rig, and holds 0 \(none\)"):
        strut.animation.import_animation(tmp_path / "still.glb", cassie)
    with pytest.raises(MotionFileError, match=r"is none of the kinds that are read \(.*\.bvh, \.glb\)"):
        strut.animation.import_animation(tmp_path / "story.fbx", cassie)


def test_the_verbs_write_rigs_and_read_movements(tmp_path, capsys):
    strut.export(strut.animation.preview_animation("cassie", slow_nod()), tmp_path / "nod.glb")
    out = tmp_path / "nod.npz"
    arguments = ["animate", str(tmp_path / "nod.glb"), "--robot", "cassie", "--emotion", "sad", "--out", str(out)]
    assert main(arguments) == 0
    assert "keyframes for 51 frames" in capsys.readouterr().err
    assert strut.load_motion(out).receipt.emotion == "sad"
    assert main(["animate", str(tmp_path / "nod.glb"), "--out", str(out), "--force"]) == 2
    assert "choose the robot of the rig with --robot" in capsys.readouterr().err
    rig = tmp_path / "rig.json"
    assert main(["export", "cassie", "--to", "rig", "--out", str(rig), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bones"] == 15
    told = json.loads(rig.read_text())
    assert [bone["name"] for bone in told["bones"]] == list(build_rig(strut.load_robot("cassie")).names)
    assert main(["export", "mrpete", "--to", "rig", "--out", str(tmp_path / "pete.json")]) == 2
    assert "give a posture_deg in which all feet stand" in capsys.readouterr().err
