"""Recorded walks: `check` says what `capture` says, forces of another movement are found out, people may be soft."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from strut.engines.body_wrench import body_wrench
from strut.errors import BadMotionError
from strut.formats.motion_file import load_motion, save_motion
from strut.formats.recording_file import read_recording
from strut.maths.rotation import qpos_from_angles
from strut.mocap.marker_fit.fit import fit
from strut.motion import Motion
from strut.verify import recorded_walk
from strut.verify.check import check
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
def test_tampered_recordings_are_refused_with_their_own_sentence(author, words, tampered):
    found = check(tampered(author))
    assert found.verdict == "refused"
    assert any(words in str(reason) for reason in found.reasons), found.reasons


def test_what_no_sample_shows_is_unjudged_and_not_perfect(author, monkeypatch):
    for name in ("BEFORE_LANDING_S", "AFTER_LANDING_S"):
        monkeypatch.setattr(recorded_walk, name, 2.0)  # as if steps were so quick that a landing is always near
    measured = check(author).soundness
    assert measured["unexplained_weight"] is None
    assert measured["torque_disagreement"] is None
    assert measured["unjudged"] == recorded_walk.NO_CALM


def test_a_walk_whose_contacts_change_only_at_its_start_is_refused_in_a_sentence(author):
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


@pytest.mark.parametrize(
    ("figure", "limit", "said"),
    [
        ("unexplained_moment_weight_m", recorded_walk.MAX_UNEXPLAINED_M, "of moment is unexplained"),
        ("landing_moment_weight_m", recorded_walk.MAX_AT_LANDINGS_M, "of moment is unexplained at landings"),
    ],
)
def test_moment_that_forces_do_not_explain_is_refused_beyond_its_limit(figure, limit, said):
    figures = dict.fromkeys(recorded_walk.FORCE_FIGURES) | {"least_vertical_weight": 0.0}
    for value, complaints in ((0.99 * limit, 0), (1.01 * limit, 1)):
        found = recorded_walk.RecordedSoundness(
            **figures | {figure: value}, highest_mm=0.0, steps=2, marker_error_mean_mm=None, unjudged=None
        )
        reasons = recorded_walk._reasons(found, 0.0, 0.0)
        assert len(reasons) == complaints
        assert all(str(reason).endswith(said) for reason in reasons)


def test_a_body_that_falls_freely_needs_no_force_and_may_turn_past_a_half_turn(heiman):
    """Its accelerations are those of the curve, although the angle of its heading jumps from π to -π."""
    time_s = np.arange(40) / 100.0
    q = np.zeros((40, heiman.model.nv))
    q[:, 0] = 1.5 * time_s
    q[:, 2] = 2.0 - 0.5 * 9.81 * time_s**2
    q[:, 5] = 3.0 + 0.8 * time_s
    feet = np.zeros((40, len(heiman.foot_names)), dtype=bool)
    motion = Motion("heiman", time_s, qpos_from_angles(q), heiman.joint_names, feet, heiman.foot_names)
    found = recorded_walk._movement_of(motion)
    np.testing.assert_allclose(found.rate[:, [0, 5]], [[1.5, 0.8]] * 40, atol=1e-6)
    force = body_wrench(heiman.model, *found.for_engine())[:, :3] / (heiman.mass_kg * 9.81)
    off_axis = 0.8**2 * 0.1 / 9.81  # what a centre of mass beside the axis of the turn needs at most
    np.testing.assert_allclose(force, 0.0, atol=off_axis)
