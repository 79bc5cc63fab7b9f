"""The add-on in a real, headless Blender, against strut's own kinematics: millimetres and degrees."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import strut
from strut.animation.animation_frames import sample_keyframes
from strut.animation.animation_ik import planted_stance, solve_frames
from strut.animation.rig_file import rest_qpos
from strut.engines.rigid_body import foot_contact_points
from strut.formats.reader import read_file
from strut.models.rig import build_rig
from strut.motion import Motion
from tests.stories import paw

SCRIPT = Path(__file__).parent / "in_blender.py"
ADDON = Path(__file__).parents[2] / "blender" / "strut_rig.py"
EACH = 5


def blender_command():
    """Return how the installed Blender runs a script."""
    blender = shutil.which("blender")
    if blender is None:
        pytest.skip("there is no blender; apt-get install blender python3-numpy")
    return [blender, "--background", "--factory-startup", "--python-exit-code", "3", "--python", SCRIPT]


def module_command():
    """Return how Blender as a Python module runs a script; it may live in another environment than strut."""
    python = os.environ.get("STRUT_BPY_PYTHON") or (sys.executable if importlib.util.find_spec("bpy") else None)
    if python is None:
        pytest.skip("there is no bpy: `pip install bpy` somewhere, and set STRUT_BPY_PYTHON to that Python")
    return [python, SCRIPT]


PAW = """title = "paw"
robot = "mrpete"
emotion = "happy"

[[keyframe]]
time_s = 0.0

[[keyframe]]
time_s = 0.52
base_m = [0.02, 0.03, 0.01]
turn_deg = [5.0, -4.0, 6.0]
interpolation = "linear"

[[keyframe]]
time_s = 0.8
base_m = [0.02, 0.03, 0.01]
feet.LF.shift_m = [0.03, 0.0, 0.05]
feet.LF.direction_deg = 4.0
leave = 0.5

[[keyframe]]
time_s = 1.2
"""


@pytest.fixture(scope="module", params=[blender_command, module_command], ids=["blender", "bpy"])
def folder(request, tmp_path_factory):
    """Return a folder in which a Blender has worked: rigs, a story and motions in, what it showed and wrote out."""
    headless = request.param()
    place = tmp_path_factory.mktemp("blender")
    story = strut.load_animation(strut.animation.story_path("cassie", "curious"))
    shutil.copy(strut.animation.story_path("cassie", "curious"), place / "story.toml")
    solved = strut.animation.preview_animation("cassie", story)
    strut.save_motion(solved, place / "solved.npz")
    strut.export(solved, place / "solved.csv")
    whole = (place / "solved.npz").read_bytes()
    (place / "cut.npz").write_bytes(whole[: len(whole) // 2])
    (place / "empty.npz").write_bytes(b"")
    strut.save_motion(replace(solved, meta={**solved.meta, "eyes": [[0.0, "winking"]]}), place / "winking.npz")
    (place / "winking.toml").write_text('[[keyframe]]\ntime_s = 0.0\neyes = "winking"\n[[keyframe]]\ntime_s = 1.0\n')
    lifted = strut.animation.preview_animation("mrpete", paw())
    strut.save_motion(lifted, place / "paw.npz")
    strut.animation.export_rig(strut.load_robot("cassie"), place / "cassie.json")
    strut.animation.export_rig(strut.load_robot("pepper"), place / "pepper.json")
    strut.animation.export_rig(lifted, place / "mrpete.json")
    for name in ("paw.toml", "noise.json", "noise.npz"):
        (place / name).write_text(PAW if name == "paw.toml" else "noise")
    command = [*headless, "--", place, ADDON]
    home = {"BLENDER_USER_CONFIG": str(place / "config"), "BLENDER_USER_SCRIPTS": str(place / "scripts")}
    run = subprocess.run(command, env=os.environ | home, capture_output=True, text=True, timeout=300, check=False)
    if "No module named 'numpy'" in run.stdout + run.stderr:
        pytest.skip("this blender has no numpy, which Blender's own builds have; apt-get install python3-numpy")
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    return place


@pytest.fixture(scope="module")
def seen(folder):
    return json.loads((folder / "seen.json").read_text())


def coordinates(robot, shown, qpos=None):
    """Return a robot's coordinates from the bones that Blender showed."""
    rig = build_rig(robot, rest_qpos(robot, {}) if qpos is None else qpos)
    frames = np.array([[frame[name] for name in rig.names] for frame in shown])
    return rig.coordinates(frames[..., :3, 3], frames[..., :3, :3])


def away(one, other):
    """Return the largest difference of bases in mm and of joints in degrees."""
    return np.abs(one[:, :3] - other[:, :3]).max() * 1e3, np.degrees(np.abs(one[:, 7:] - other[:, 7:]).max())


@pytest.fixture(scope="module")
def cassie():
    return strut.load_robot("cassie")


@pytest.fixture(scope="module")
def drawing(cassie):
    animation = strut.load_animation(strut.animation.story_path("cassie", "curious"))
    frames = sample_keyframes(animation, cassie.foot_names, cassie.joint_names)
    return solve_frames(planted_stance(cassie, animation), frames)


def test_blender_shows_the_curves_and_the_legs_that_strut_draws(cassie, seen, drawing):
    shown = coordinates(cassie, seen["story"])
    base_mm, joints_deg = away(shown, drawing[::EACH])
    assert base_mm < 0.01
    assert joints_deg < 0.1


def test_springs_and_level_feet_hold_while_blender_plays(cassie, seen):
    shown = coordinates(cassie, seen["story"])
    names = cassie.joint_names
    for side in ("left", "right"):
        knee, shin, ankle = (shown[:, 7 + names.index(f"{side}_{part}")] for part in ("knee", "shin", "ankle"))
        np.testing.assert_allclose(np.degrees(knee + ankle), 13.0, atol=1e-3)
        np.testing.assert_allclose(shin, 0.0, atol=1e-5)
    points = foot_contact_points(cassie, shown)
    assert np.abs(points[..., 2]).max() < 1e-4  # toes and heels on the floor


def test_an_animation_is_exported_as_it_was_opened(folder):
    before = strut.load_animation(folder / "story.toml")
    after = strut.load_animation(folder / "again.toml")
    assert (after.title, after.emotion, after.robot) == (before.title, before.emotion, before.robot)
    assert len(after.keyframe) == len(before.keyframe)
    for old, new in zip(before.keyframe, after.keyframe, strict=True):
        assert (new.eyes, new.interpolation) == (old.eyes, old.interpolation)
        np.testing.assert_allclose(new.base_m, old.base_m, atol=1e-5)
        np.testing.assert_allclose(new.turn_deg, old.turn_deg, atol=1e-4)
        np.testing.assert_allclose([new.time_s, new.leave, new.arrive], [old.time_s, old.leave, old.arrive], atol=1e-3)


@pytest.mark.parametrize("ending", ["glb", "bvh"])
def test_movements_that_blender_exports_are_read_back(folder, cassie, seen, drawing, ending):
    motion = read_file(Motion, folder / f"again.{ending}", robot=cassie)
    assert len(motion.qpos) == seen["last"] + 1
    base_mm, joints_deg = away(motion.qpos, drawing)
    assert base_mm < 0.02
    assert joints_deg < 0.1
    if ending == "glb":
        story = strut.load_animation(folder / "story.toml")
        drawn_eyes = sample_keyframes(story, cassie.foot_names, cassie.joint_names).eyes
        changes = [k for k in range(len(drawn_eyes)) if k == 0 or drawn_eyes[k] != drawn_eyes[k - 1]]
        assert motion.meta["eyes"] == [[pytest.approx(k / 25.0), drawn_eyes[k]] for k in changes]
    traced = strut.animation.import_animation(folder / f"again.{ending}", cassie)
    assert traced.away_m < 0.002
    assert np.degrees(traced.away_rad) < 0.5
    assert len(traced.animation.keyframe) < traced.frames / 3


def test_a_solved_motion_is_an_action_beside_the_rig(folder, cassie, seen):
    motion = strut.load_motion(folder / "solved.npz")
    base_mm, joints_deg = away(coordinates(cassie, seen["solved"]), motion.qpos[:: 4 * EACH])
    assert base_mm < 0.01
    assert joints_deg < 0.01
    assert seen["action"] == "solved"
    assert seen["aside"][1] < -0.5
    base_mm, joints_deg = away(coordinates(cassie, seen["by_table"]), motion.qpos[[-1]])
    assert base_mm < 0.01


def test_drivers_work_after_a_file_is_opened(cassie, seen):
    again = away(coordinates(cassie, seen["reopened"]), coordinates(cassie, seen["story"][1:2]))
    assert max(again) < 1e-3


def test_an_unreachable_pose_stops_at_the_limits_and_is_refused(cassie, seen):
    shown = coordinates(cassie, seen["unreachable"])[0, 7:]
    assert (shown > cassie.joint_lower_rad - 1e-5).all()
    assert (shown < cassie.joint_upper_rad + 1e-5).all()
    assert "Frame 20: left_sole misses its target by" in seen["said"]["unreachable"]


def test_errors_are_one_sentence(seen):
    said = seen["said"]
    assert "an animation needs two or more" in said["one keyframe"]
    assert "noise.json is not a rig" in said["no rig"]
    assert "is a motion of mrpete, and this is the rig of cassie" in said["other robot"]
    assert "noise.npz is not a motion of strut" in said["damaged"]
    assert "cut.npz is not a motion of strut" in said["cut"]
    assert "empty.npz is not a motion of strut" in said["empty"]
    for name in ("winking", "winking story"):
        assert "The eyes of cassie have no expression 'winking'; choose neutral, " in said[name]
    for words in said.values():
        assert "Traceback" not in words
    assert seen["eyes"] == pytest.approx(0.03)  # angry is number 3


def test_joints_without_legs_stop_at_their_limits_and_keep_their_axis(seen):
    pepper = strut.load_robot("pepper")
    rig = build_rig(pepper)
    frame = np.array([[seen["pepper"][0][name] for name in rig.names]])
    joint = pepper.joint_names.index("LElbowRoll")
    assert rig.coordinates(frame[..., :3, 3], frame[..., :3, :3])[0, rig.base_size + joint] == pytest.approx(
        pepper.joint_upper_rad[joint], abs=1e-4
    )
    np.testing.assert_allclose(rig.joint_rotations(frame[..., :3, :3])[..., 1:], 0.0, atol=1e-5)


def test_a_quadruped_lifts_a_paw_in_blender_as_in_strut(folder, seen):
    robot = strut.load_robot("mrpete")
    animation = strut.load_animation(folder / "paw_again.toml")
    assert animation.keyframe[2].feet["LF"].shift_m == pytest.approx((0.03, 0.0, 0.05), abs=1e-5)
    assert animation.keyframe[2].feet["LF"].direction_deg == pytest.approx(4.0, abs=1e-3)
    assert [frame.interpolation for frame in animation.keyframe] == ["bezier", "linear", "bezier", "bezier"]
    assert animation.keyframe[2].leave == pytest.approx(0.5, abs=1e-3)
    stance = planted_stance(robot, animation)
    frames = sample_keyframes(animation, robot.foot_names, robot.joint_names)
    shown = coordinates(robot, seen["mrpete"], stance.qpos)
    points = foot_contact_points(robot, shown)
    expected = foot_contact_points(robot, solve_frames(stance, frames)[::EACH])
    assert np.abs(points - expected).max() < 1e-4
