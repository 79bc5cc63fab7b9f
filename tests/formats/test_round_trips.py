"""Formats that are written and read: a motion comes back, and damaged files are refused in one sentence."""

import json
from contextlib import suppress

import numpy as np
import pytest

import strut
from strut.errors import MotionFileError
from strut.formats.exchange import export, find_writer
from strut.motion import Motion

KNOWN = {"joints": "depth-first", "quaternions": "xyzw"}  # random motions slide, so no convention is found by feet
OPTIONS = {  # of the readers, beside the robot
    "csv": {},
    "json": {},
    "mot": {},
    "mjlab": {},
    "beyondmimic": {},
    "unitree": {**KNOWN, "rate_hz": 100.0},
    "gmr": KNOWN,
    "mcap": {},
}
EXACT = {"csv", "json", "gmr", "mcap"}  # in double precision


def random_motion(rng, robot, samples=12):
    """Return joints anywhere in their ranges and any position and orientation of the base, 100 samples a second."""
    body = strut.load_robot(robot)
    lower = np.maximum(body.joint_lower_rad, -3.0)
    upper = np.minimum(body.joint_upper_rad, 3.0)
    joints = rng.uniform(lower, upper, (samples, len(lower)))
    base = np.column_stack([rng.uniform(-2.0, 2.0, (samples, 3)), rng.normal(size=(samples, 4))])
    base[:, 3:] /= np.linalg.norm(base[:, 3:], axis=1, keepdims=True)
    qpos = np.column_stack([base[:, : body.base_size], joints])
    contact = rng.random((samples, len(body.foot_names))) < 0.5
    return Motion(body.name, np.arange(samples) / 100.0, qpos, body.joint_names, contact, body.foot_names)


def assert_same_movement(motion, other, atol):
    """Compare times, joints, positions and rotations: q and -q are the same one."""
    np.testing.assert_allclose(other.time_s - other.time_s[0], motion.time_s - motion.time_s[0], atol=1e-7)
    np.testing.assert_allclose(other.joint_angles_rad, motion.joint_angles_rad, atol=atol)
    if motion.qpos.shape[1] - len(motion.joint_names) == 7:
        np.testing.assert_allclose(other.qpos[:, :3], motion.qpos[:, :3], atol=atol)
        same = np.abs((other.qpos[:, 3:7] * motion.qpos[:, 3:7]).sum(axis=1))
        np.testing.assert_allclose(same, 1.0, atol=atol)


@pytest.mark.parametrize("form", OPTIONS)
def test_random_motions_come_back_within_single_precision(form, tmp_path):
    rng = np.random.default_rng(3)
    for trial in range(10):
        motion = random_motion(rng, ("alice", "mrpete")[trial % 2])
        path = tmp_path / f"{trial}{find_writer(form).ending}"
        export(motion, path, to=form)
        again = strut.load_motion(path, robot=motion.robot, **OPTIONS[form])
        assert_same_movement(motion, again, 1e-12 if form in EXACT else 2e-6)


@pytest.mark.parametrize("form", ["csv", "json"])
def test_our_own_tables_give_every_array_back(form, happy_walk, tmp_path):
    again = strut.load_motion(export(happy_walk, tmp_path / f"walk.{form}").path, robot="mrpete")
    for name in ("time_s", "qpos", "contact", "torque_nm", "ground_force_n", "cop_in_world", "balance_margin_m"):
        np.testing.assert_array_equal(getattr(again, name), getattr(happy_walk, name))
    if form == "json":
        assert strut.load_motion(tmp_path / "walk.json").receipt == happy_walk.receipt


def test_a_table_without_contacts_gets_those_of_its_feet(happy_walk, tmp_path):
    text = export(happy_walk, tmp_path / "walk.csv").path.read_text("utf-8")
    header, *rows = text.splitlines()
    kept = [index for index, name in enumerate(header.split(",")) if not name.endswith(("_contact", "_n", "_nm"))]
    lines = [",".join(row.split(",")[index] for index in kept) for row in (header, *rows)]
    (tmp_path / "bare.csv").write_text("\n".join(lines), "utf-8")
    motion = strut.load_motion(tmp_path / "bare.csv", robot="mrpete")
    assert "contacts; they are found" in motion.meta["notes"][0]
    assert (motion.contact == happy_walk.contact).mean() > 0.9


def test_joint_angles_of_opensim_are_found_by_their_paths(happy_walk, tmp_path):
    """OpenSim writes states as paths, with speeds and muscles; radians if the header says so."""
    names = ["time"]
    columns = [happy_walk.time_s]
    for joint, angle_rad in zip(happy_walk.joint_names, happy_walk.joint_angles_rad.T, strict=True):
        names += [f"/jointset/{joint}/{joint}/value", f"/jointset/{joint}/{joint}/speed"]
        columns += [angle_rad, np.gradient(angle_rad, happy_walk.time_s)]
    names.append("/forceset/soleus_r/activation")
    columns.append(np.full(len(happy_walk.time_s), 0.1))
    head = ["inDegrees=no", f"nRows={len(happy_walk.time_s)}", "endheader", "\t".join(names)]
    rows = ["\t".join(map(repr, row)) for row in np.column_stack(columns).tolist()]
    (tmp_path / "states.sto").write_text("\n".join([*head, *rows]), "utf-8")
    motion = strut.load_motion(tmp_path / "states.sto", robot="mrpete")
    np.testing.assert_allclose(motion.joint_angles_rad, happy_walk.joint_angles_rad, atol=1e-12)
    assert any("no base" in note for note in motion.meta["notes"])
    with pytest.raises(MotionFileError, match="names the joints LF_hip_yaw"):
        strut.load_motion(tmp_path / "states.sto", robot="alice")


@pytest.mark.parametrize("form", ["csv", "json", "mot", "mcap"])
def test_damaged_files_are_refused_in_a_sentence(form, tmp_path):
    rng = np.random.default_rng(8)
    path = tmp_path / f"clip{find_writer(form).ending}"
    export(random_motion(rng, "alice"), path, to=form)
    whole = path.read_bytes()
    for _ in range(60):
        path.write_bytes(damaged(whole, rng))
        with suppress(MotionFileError):  # a changed digit may still make a motion
            strut.load_motion(path, robot="alice")


def damaged(whole, rng):
    """Return a file cut short or with some bytes replaced."""
    content = bytearray(whole)
    if rng.random() < 0.4:
        del content[int(rng.integers(len(content))) :]
    for at in rng.integers(max(len(content), 1), size=int(rng.integers(1, 20))):
        if content:
            content[at] = int(rng.integers(256))
    return bytes(content)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("qpos", None, "no numbers in qpos"),
        ("qpos", [[1.0], [1.0, 2.0]], "no numbers in qpos"),
        ("joint_names", "knee", "no list of names in joint_names"),
        ("meta", [1], "no table in meta"),
        ("robot", 3, "needs a robot's name"),
        ("receipt", 3, "receipt is 3"),
        ("time_s", [0.0, 10**400], "no numbers in time_s"),
        ("contact", 7, "damaged|contact"),
    ],
)
def test_what_is_wrong_in_an_object_is_named(key, value, words, tmp_path):
    export(random_motion(np.random.default_rng(1), "alice"), tmp_path / "clip.json")
    table = json.loads((tmp_path / "clip.json").read_text("utf-8"))
    (tmp_path / "clip.json").write_text(json.dumps(table | {key: value}), "utf-8")
    with pytest.raises(MotionFileError, match=words):
        strut.load_motion(tmp_path / "clip.json")


def test_an_object_nested_too_deeply_is_refused(tmp_path):
    (tmp_path / "clip.json").write_text('{"robot": ' + "[" * 100_000, "utf-8")
    with pytest.raises(MotionFileError, match="no JSON"):
        strut.load_motion(tmp_path / "clip.json")
