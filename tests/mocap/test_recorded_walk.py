"""Recorded walks: `check` agrees with `capture`, and files whose forces do not fit the movement are refused."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import strut
from strut.cli.main import main
from strut.errors import BadMotionError
from strut.formats.motion_file import load_motion, save_motion
from strut.formats.recording_file import read_recording
from strut.mocap.marker_fit.fit import fit
from strut.models.segment_robot import mobility_rad
from strut.verify import recorded_walk
from strut.verify.check import check
from strut.verify.recorded_walk import RecordedSoundness, refusal_reasons, was_recorded
from tests.mocap.conftest import walker_recording

OTHER_FOOT = [3, 4, 5, 0, 1, 2]


@pytest.fixture(scope="module")
def author(captured_author):
    return captured_author.motion


def raised(motion, height_m):
    qpos = motion.qpos.copy()
    qpos[:, 2] += height_m
    return replace(motion, qpos=qpos)


def test_check_and_capture_agree(author, tmp_path):
    save_motion(author, tmp_path / "walk.npz")
    measured = check(load_motion(tmp_path / "walk.npz"))
    assert (measured.verdict, measured.reasons) == ("ok", ())
    assert measured.soundness == author.receipt.soundness
    assert measured.soundness["unexplained_weight"] < 0.01
    assert measured.soundness["torque_disagreement"] < 0.02


@pytest.mark.parametrize(
    ("words", "tampered"),
    [
        ("of the weight unexplained", lambda one: replace(one, ground_force_n=1.05 * one.ground_force_n)),
        ("of the weight unexplained", lambda one: replace(one, ground_force_n=np.roll(one.ground_force_n, 4, axis=0))),
        ("torques are 10 %", lambda one: replace(one, torque_nm=1.1 * one.torque_nm)),
        ("of moment is unexplained", lambda one: replace(one, ground_force_n=one.ground_force_n[:, OTHER_FOOT])),
        ("torques are", lambda one: replace(one, time_s=one.time_s / 1.1)),
        ("above the ground", lambda one: raised(one, 0.08)),
        ("in the ground", lambda one: raised(one, -0.05)),
        ("of the weight unexplained", lambda one: replace(one, ground_force_n=0.0 * one.ground_force_n)),
        ("would have to pull", lambda one: replace(one, ground_force_n=one.ground_force_n - [0.0, 0.0, 40.0])),
        ("no whole step", lambda one: replace(one, contact=np.ones_like(one.contact))),
    ],
)
def test_tampered_recordings_are_refused_with_the_reason(author, words, tampered):
    found = check(tampered(author))
    assert found.verdict == "refused"
    assert any(words in str(reason) for reason in found.reasons), found.reasons


def test_figures_without_a_sample_are_unjudged(author, monkeypatch):
    for name in ("BEFORE_LANDING_S", "AFTER_LANDING_S"):
        monkeypatch.setattr(recorded_walk, name, 2.0)  # as if steps were so quick that a landing is always near
    measured = check(author).soundness
    assert measured["unexplained_weight"] is None
    assert measured["torque_disagreement"] is None
    assert measured["unjudged"] == recorded_walk.NO_CALM


def test_a_walk_whose_contacts_change_only_at_its_start_is_refused(author):
    contact = np.ones_like(author.contact)
    contact[0, 0] = False
    with pytest.raises(BadMotionError, match="record at least a whole step"):
        check(replace(author, contact=contact))


def test_the_error_of_markers_may_be_a_whole_number(author):
    measured = check(replace(author, meta={**author.meta, "marker_error_mean_mm": 30}))
    assert "markers are 30 mm off on average" in [reason.text for reason in measured.reasons]


@pytest.fixture(scope="module")
def fitted(data):
    """Return a recorded walk without forces, of a published subject."""
    return fit(read_recording(data / "felis_subject3_neutral.c3d"), height_m=1.86, mass_kg=75.0)


def without_forces(motion):
    return replace(motion, ground_force_n=None, torque_nm=None, cop_in_world=None)


def test_the_forces_of_a_fit_are_not_judged_and_its_verdict_says_so(fitted):
    measured = check(fitted.motion)
    assert (measured.verdict, measured.reasons) == ("forces not judged", ())
    assert measured.soundness["unexplained_weight"] is None
    assert "the file has none" in measured.soundness["unjudged"]
    assert measured.soundness["marker_error_mean_mm"] == pytest.approx(1e3 * fitted.mean_error_m)


def test_check_exits_without_error_and_names_what_a_fit_lacks(fitted, tmp_path, capsys):
    save_motion(fitted.motion, tmp_path / "walk.npz")
    assert main(["check", str(tmp_path / "walk.npz")]) == 0
    said = capsys.readouterr().err
    assert "forces not judged: heiman keeps every limit of its movement alone" in said
    assert "Not judged: forces and torques" in said
    assert main(["check", str(tmp_path / "walk.npz"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["verdict"] == "forces not judged"


def with_random_joints(motion):
    rng = np.random.default_rng(4)
    qpos = motion.qpos.copy()
    qpos[:, 7:] = rng.uniform(-1.0, 1.0, qpos[:, 7:].shape)
    return replace(motion, qpos=qpos)


def with_joint(motion, name, by_rad):
    qpos = motion.qpos.copy()
    qpos[:, 7 + motion.joint_names.index(name)] += by_rad
    return replace(motion, qpos=qpos)


def hovering(motion):
    """Return a walk in whose middle both feet are off the ground for a third of a second."""
    contact = motion.contact.copy()
    middle = len(contact) // 2
    contact[middle - 15 : middle + 15] = False
    return replace(motion, contact=contact)


@pytest.mark.parametrize(
    ("words", "tampered"),
    [
        ("faster than the 6 Hz at which people move", with_random_joints),
        ("of the speed of people", lambda one: with_joint(one, "ElbowLeft_RY", -0.7 * np.sin(30.0 * one.time_s))),
        ("no force of the ground", lambda one: replace(one, time_s=one.time_s / 3.0)),
        ("standing feet are 0.02", lambda one: raised(one, 0.03)),
        ("standing feet are 0.03", lambda one: raised(one, -0.03)),
        ("ElbowLeft_RY is", lambda one: with_joint(one, "ElbowLeft_RY", 0.9)),  # bent backwards
        ("KneeRight_RY is", lambda one: with_joint(one, "KneeRight_RY", -0.9)),
        ("while no foot stands", hovering),
        ("in the file is 0.1", lambda one: replace(one, cop_in_world=one.qpos[:, :2] + 0.1)),
        ("torques are", lambda one: replace(one, torque_nm=np.zeros_like(one.joint_angles_rad))),
    ],
)
def test_what_a_recording_without_forces_shows_is_judged(author, words, tampered):
    walk = without_forces(author)
    assert check(walk).verdict == "forces not judged"
    found = check(tampered(walk))
    assert found.verdict == "refused"
    assert any(words in str(reason) for reason in found.reasons), found.reasons


def test_a_foot_that_slides_while_its_contacts_flicker_is_refused(author):
    """The feet slide under a body at rest; every stance is cut by off-phases of one sample."""
    count = 200
    contact = np.ones((count, 6), dtype=bool)
    contact[10:40, :3] = contact[160:190, 3:] = False
    contact[50:150:5] = False
    qpos = np.tile(author.qpos[0], (count, 1))
    qpos[:, 0] += 0.3 * np.linspace(0.0, 1.0, count)
    glide = replace(without_forces(author), time_s=0.01 * np.arange(count), qpos=qpos, contact=contact)
    assert check(glide).foot_slip_mm > 60.0


def test_the_balance_margin_of_a_recording_is_that_of_its_movement(author):
    margin_m = np.full(len(author.time_s), 0.05)
    found = check(replace(author, balance_margin_m=margin_m))
    assert any("the balance margin in the file" in reason.text for reason in found.reasons)


@pytest.mark.parametrize("robot", ["mrpete", "alice"])
def test_a_robot_that_says_it_was_recorded_keeps_its_own_limits(robot):
    motion = strut.walk(robot, None, **({"cycles": 2} if robot == "mrpete" else {"goal": strut.Place(0.1, 0.0)}))
    recorded = replace(motion, meta=motion.meta | {"observed": {}, "source": "walk.c3d"})
    assert check(recorded).verdict == "ok"
    fast = replace(recorded, time_s=motion.time_s / 5.0, torque_nm=None, ground_force_n=None)
    names = {reason.limit for reason in check(fast).reasons}
    assert {"joint speed", "torque", "balance margin"} & names


def test_joints_of_people_are_wider_than_those_of_planned_walks():
    """Ranges of the American Academy of Orthopaedic Surgeons (1965), in degrees, mirrored on the right."""
    robot = strut.load_robot("heiman")
    lower, upper = np.degrees(mobility_rad(robot))
    by_name = {name: (low, high) for name, low, high in zip(robot.joint_names, lower, upper, strict=True)}
    assert by_name["HipLeft_RY"] == pytest.approx((-120.0, 30.0), abs=0.5)
    assert by_name["HipLeft_RX"] == pytest.approx((-30.0, 45.0), abs=0.5)
    assert by_name["HipRight_RX"] == pytest.approx((-45.0, 30.0), abs=0.5)
    assert by_name["KneeRight_RY"] == pytest.approx((-10.0, 135.0), abs=0.5)


def test_feet_that_swing_like_sines_are_refused():
    """A walker of sines, whose feet slide over the ground and float: no walk."""
    recording, _ = walker_recording(frames=150)
    found = fit(recording, height_m=1.86, mass_kg=75.0)
    assert check(found.motion).verdict == "refused"


GOOD = RecordedSoundness(0.0, 0.0, 0.0, 0.0, 0.1, 0.5, 0.0, 0.0, 2, 5.0, None)


def refusals(penetration_mm=0.0, slip_mm=0.0, **changes):
    return refusal_reasons(replace(GOOD, **changes), penetration_mm=penetration_mm, slip_mm=slip_mm)


@pytest.mark.parametrize(("field", "most", "words"), [
    ("unexplained_weight", recorded_walk.MAX_UNEXPLAINED, "forces in the file leave"),
    ("landing_weight", recorded_walk.MAX_AT_LANDINGS, "forces at landings leave"),
    ("unexplained_moment_weight_m", recorded_walk.MAX_UNEXPLAINED_M, "of moment is unexplained"),
    ("landing_moment_weight_m", recorded_walk.MAX_AT_LANDINGS_M, "unexplained at landings"),
    ("friction_use", 1.0, "friction: a foot needs"),
    ("torque_disagreement", recorded_walk.MAX_TORQUE_ERROR, "file: torques are"),
    ("highest_mm", 1e3 * recorded_walk.MAX_SOLE_HEIGHT_M, "above the ground"),
    ("marker_error_mean_mm", recorded_walk.MAX_MARKER_ERROR_MM, "markers are"),
])  # fmt: skip
def test_a_recorded_walk_is_refused_beyond_each_limit(field, most, words):
    assert refusals() == []
    assert refusals(**{field: 0.999 * most}) == []
    (reason,) = refusals(**{field: 1.001 * most})
    assert words in str(reason)
    if field != "highest_mm":
        assert refusals(**{field: None}) == []


@pytest.mark.parametrize("given", [0.99, 1.0, 1.022, 1.09, 1 / 1.09])
def test_a_body_mass_that_agrees_with_the_force_plates_is_accepted(given):
    assert refusals(plate_share=1.0 / given) == []


@pytest.mark.parametrize(("given", "percent"), [(1.31, "76 %"), (1.2, "83 %"), (1.11, "90 %"), (1 / 1.11, "111 %")])
def test_a_body_mass_that_contradicts_the_force_plates_is_refused(given, percent):
    """With a mass 31 % too large, plates measure 76 % of the required force."""
    (reason,) = refusals(plate_share=1.0 / given)
    assert reason.text == f"plates feel {percent} of the vertical force that this mass needs for the movement"


def test_penetration_slip_pulling_forces_and_missing_steps_are_refused():
    deep = 1e3 * recorded_walk.MAX_PENETRATION_M
    slide = 1e3 * recorded_walk.MAX_SLIP_M
    assert refusals(penetration_mm=0.999 * deep, slip_mm=0.999 * slide) == []
    assert "in the ground" in refusals(penetration_mm=1.001 * deep, slip_mm=0.0)[0].text
    assert "slides" in refusals(penetration_mm=0.0, slip_mm=1.001 * slide)[0].text
    assert refusals(least_vertical_weight=0.0) == []
    assert "pull" in refusals(least_vertical_weight=-1e-6)[0].text
    assert refusals(steps=1) == []
    assert "no whole step" in refusals(steps=0)[0].text


def test_a_recorded_motion_has_observed_markers_and_a_source(author):
    assert was_recorded(author)
    assert was_recorded(replace(author, meta={"observed": {}, "source": "a.c3d"}))
    for meta in ({}, {"observed": {}}, {"observed": 3, "source": "a.c3d"}):
        assert not was_recorded(replace(author, meta=meta))
