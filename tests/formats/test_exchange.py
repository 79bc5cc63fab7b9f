"""Exchange: each format holds the same numbers, names what it omits, and has files of its own ending."""

import csv
import json
from dataclasses import replace

import numpy as np
import pytest

import strut
from strut.cli.main import main
from strut.engines.rigid_body import body_poses, foot_contact_points
from strut.errors import FileError, MotionFileError, OutOfRangeError, UnknownNameError
from strut.formats.exchange import export
from strut.formats.mot import encode_ground_forces, parse_mot
from strut.formats.motion_file import load_motion, save_motion
from strut.formats.recording_file import read_recording
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.recording import SIDES


def test_a_table_has_a_column_for_every_number(happy_walk, tmp_path):
    written = export(happy_walk, tmp_path / "walk.csv")
    assert written.omitted == ("receipt", "notes")
    rows = list(csv.DictReader((tmp_path / "walk.csv").read_text("utf-8").splitlines()))
    assert len(rows) == written.samples == len(happy_walk.time_s)
    foot = happy_walk.foot_names.index("RF")
    forces = [[float(row[f"RF_f{axis}_n"]) for axis in "xyz"] for row in rows]
    np.testing.assert_array_equal(forces, happy_walk.ground_force_n[:, foot])
    np.testing.assert_array_equal([int(row["RF_contact"]) for row in rows], happy_walk.contact[:, foot])
    knee = happy_walk.joint_names.index("LF_knee")
    np.testing.assert_array_equal([float(row["LF_knee_nm"]) for row in rows], happy_walk.torque_nm[:, knee])
    base = [[float(row[f"base_q{axis}"]) for axis in "wxyz"] for row in rows]
    np.testing.assert_array_equal(base, happy_walk.qpos[:, 3:7])
    np.testing.assert_array_equal([float(row["cop_y_m"]) for row in rows], happy_walk.cop_in_world[:, 1])


@pytest.mark.parametrize("ending", ["c3d", "trc"])
def test_bodies_of_any_robot_come_back_from_a_laboratorys_file(happy_walk, tmp_path, ending):
    written = export(happy_walk, tmp_path / f"walk.{ending}")
    assert written.omitted[0] == "joint angles"
    robot = robot_of(happy_walk)
    names = [robot.model.body(index).name for index in range(1, robot.model.nbody)]
    places, _ = body_poses(robot.model, names, happy_walk.qpos)
    again = read_recording(written.path)
    np.testing.assert_allclose(again.markers(names), places, atol=1e-6)
    assert again.rate_hz == pytest.approx((len(happy_walk.time_s) - 1) / happy_walk.duration_s, rel=1e-6)


def test_another_library_reads_the_c3d_of_a_robot(happy_walk, tmp_path):
    ezc3d = pytest.importorskip("ezc3d", reason="the oracle is a development dependency")
    written = export(happy_walk, tmp_path / "walk.c3d")
    theirs = ezc3d.c3d(str(written.path))
    ours = read_recording(written.path)
    names = theirs["parameters"]["POINT"]["LABELS"]["value"]
    points_mm = np.moveaxis(theirs["data"]["points"][:3], 0, 2)
    np.testing.assert_allclose(np.moveaxis(points_mm, 0, 1) / 1e3, ours.markers(names), atol=1e-6)


def test_joint_angles_come_back_from_a_table_of_opensim(happy_walk, tmp_path):
    written = export(happy_walk, tmp_path / "walk.mot")
    assert written.omitted == ("contacts", "joint torques", "receipt", "notes")
    table = parse_mot(written.path.read_text("utf-8"))
    knee = happy_walk.joint_names.index("LF_knee") - len(happy_walk.joint_names)
    np.testing.assert_allclose(np.radians(table.column("LF_knee")), happy_walk.qpos[:, knee], atol=1e-8)


def test_ground_forces_stand_beside_the_angles_as_external_loads(happy_walk, tmp_path):
    """Force, pressure and free moment of each foot add up to the wrench of the forces; y is up there."""
    (beside,) = export(happy_walk, tmp_path / "walk.mot").beside
    assert beside == tmp_path / "walk_forces.mot"
    table = parse_mot(beside.read_text("utf-8"))
    prefixes = [name.removesuffix("force_vx") for name in table.names if name.endswith("force_vx")]
    assert len(prefixes) == len(happy_walk.foot_names)
    force, place, twist = (
        [table.vectors(f"{one}{kind}") for one in prefixes] for kind in ("force_v", "force_p", "torque_")
    )
    turn = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # z up again
    np.testing.assert_allclose(sum(force) @ turn.T, happy_walk.ground_force_n.sum(axis=1), atol=1e-6)
    moment = sum(np.cross(*both) for both in zip(place, force, strict=True)) + sum(twist)
    ground = foot_contact_points(robot_of(happy_walk), happy_walk.qpos) * [1.0, 1.0, 0.0]
    needed = np.cross(ground, happy_walk.ground_force_n).sum(axis=1)
    np.testing.assert_allclose(
        moment @ turn.T, needed, atol=0.05 * np.abs(needed).max()
    )  # feet of less than 1 N count nothing
    assert np.abs(needed).max() > 1.0
    (tmp_path / "walk.mot").unlink()
    with pytest.raises(FileError, match=r"walk_forces\.mot"):  # neither is written if one is there
        export(happy_walk, tmp_path / "walk.mot")
    assert not (tmp_path / "walk.mot").exists()
    assert export(replace(happy_walk, ground_force_n=None), tmp_path / "plain.mot").beside == ()


def test_forces_of_a_person_have_the_columns_that_a_capture_writes(heiman, tmp_path):
    """A capture writes them for the right and the left foot; so does an export, whatever the bodies are called."""
    count = 8
    feet = heiman.foot_names
    motion = Motion(
        robot="heiman",
        time_s=0.01 * np.arange(count),
        qpos=np.tile(heiman.standing_qpos, (count, 1)),
        joint_names=heiman.joint_names,
        contact=np.ones((count, len(feet)), dtype=bool),
        foot_names=feet,
        ground_force_n=np.tile([0.0, 0.0, 120.0], (count, len(feet), 1)),
    )
    (beside,) = export(motion, tmp_path / "stand.mot").beside
    still = np.zeros((count, 2, 3))
    captured = encode_ground_forces(motion.time_s, SIDES, still, still[..., :2], still[..., 0])
    assert parse_mot(beside.read_text("utf-8")).names == parse_mot(captured.decode()).names


def test_json_has_everything_and_null_for_what_is_not_known(happy_walk, tmp_path):
    assert export(replace(happy_walk, torque_nm=None), tmp_path / "walk.json").omitted == ()
    table = json.loads((tmp_path / "walk.json").read_text("utf-8"))
    assert table["torque_nm"] is None
    assert table["receipt"]["robot"] == "mrpete"
    np.testing.assert_array_equal(table["ground_force_n"], happy_walk.ground_force_n)


@pytest.mark.parametrize(("to", "name", "ending"), [("json", "e.csv", ".json"), ("csv", "e.json", ".csv")])
def test_a_format_is_not_written_under_the_name_of_another(happy_walk, tmp_path, capsys, to, name, ending):
    with pytest.raises(FileError, match=f"should end in {ending}"):
        export(happy_walk, tmp_path / name, to=to)
    save_motion(happy_walk, tmp_path / "walk.npz")
    assert main(["export", str(tmp_path / "walk.npz"), "--to", to, "--out", str(tmp_path / name)]) == 2
    assert f"{name}: should end in {ending}, because that is what is written; rename it." in capsys.readouterr().err
    assert not (tmp_path / name).exists()


def test_the_ending_alone_says_the_format(happy_walk, tmp_path):
    save_motion(happy_walk, tmp_path / "walk.npz")
    assert main(["export", str(tmp_path / "walk.npz"), "--out", str(tmp_path / "e.json")]) == 0
    assert json.loads((tmp_path / "e.json").read_text("utf-8"))["robot"] == "mrpete"
    with pytest.raises(UnknownNameError, match=r"no format 'fbx' \(there are csv, json"):
        export(happy_walk, tmp_path / "e.fbx")


def test_a_users_own_writer_goes_through_the_same_door(happy_walk, tmp_path):
    class Heights:
        ending = ".txt"

        def encode(self, motion):
            return "\n".join(f"{z:.4f}" for z in motion.qpos[:, 2]).encode()

        def omitted(self, _motion):
            return ["all but the height"]

    assert export(happy_walk, tmp_path / "heights.txt", to=Heights()).omitted == ("all but the height",)
    np.testing.assert_allclose(np.loadtxt(tmp_path / "heights.txt"), happy_walk.qpos[:, 2], atol=1e-4)


def test_force_writes_through_a_link_and_leaves_it_a_link(happy_walk, tmp_path):
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "walk.npz"
    link = tmp_path / "link.npz"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with pytest.raises(FileError, match="is there already"):
        save_motion(happy_walk, link)
    save_motion(happy_walk, link, force=True)
    assert link.is_symlink()
    assert load_motion(target).robot == "mrpete"
    assert [path.name for path in target.parent.iterdir()] == ["walk.npz"]


def test_a_link_to_a_missing_folder_is_refused(happy_walk, tmp_path):
    link = tmp_path / "link.npz"
    link.symlink_to(tmp_path / "gone" / "walk.npz")
    with pytest.raises(FileError, match=r"there is no folder .*gone"):
        save_motion(happy_walk, link, force=True)


class EveryTenth:
    """Writes the height of the base ten times a second."""

    ending = ".tenths"
    rate_hz = 10.0

    def encode(self, motion):
        return "\n".join(f"{height_m:.6f}" for height_m in motion.qpos[:, 2]).encode()

    def omitted(self, _motion):
        return []


def test_a_format_with_a_fixed_rate_is_written_at_this_rate(happy_walk, tmp_path):
    written = export(happy_walk, tmp_path / "walk.tenths", to=EveryTenth())
    rows = (tmp_path / "walk.tenths").read_text("utf-8").split()
    assert written.samples == len(rows) == int(happy_walk.duration_s * 10.0) + 1
    with pytest.raises(OutOfRangeError, match=r"50 samples per second, but \.tenths files have 10"):
        export(happy_walk, tmp_path / "again.tenths", to=EveryTenth(), rate_hz=50.0)
    assert not (tmp_path / "again.tenths").exists()


def test_an_option_that_motion_files_do_not_have_is_refused(happy_walk, tmp_path):
    save_motion(happy_walk, tmp_path / "walk.npz")
    with pytest.raises(MotionFileError, match="is read without unit_m; its options are: robot"):
        strut.load_motion(tmp_path / "walk.npz", unit_m=1.0)
