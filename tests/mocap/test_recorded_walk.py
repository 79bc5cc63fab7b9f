"""Recorded walks: `check` agrees with `capture`, and files whose forces do not fit the movement are refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from strut.errors import BadMotionError
from strut.formats.motion_file import load_motion, save_motion
from strut.formats.recording_file import read_recording
from strut.mocap.marker_fit.fit import fit
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


def test_a_fit_without_forces_is_judged_by_its_feet_alone(data):
    found = fit(read_recording(data / "felis_subject3_neutral.c3d"), height_m=1.86, mass_kg=75.0)
    measured = check(found.motion)
    assert measured.verdict == "ok"
    assert measured.soundness["unexplained_weight"] is None
    assert "the file has none" in measured.soundness["unjudged"]
    assert measured.soundness["marker_error_mean_mm"] == pytest.approx(1e3 * found.mean_error_m)


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
