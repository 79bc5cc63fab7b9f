"""From a recording, a height and a mass to a person and joint angles; on real people and on one we made."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from strut.engines.rigid_body import body_poses, foot_contact_points
from strut.errors import BadRecordingError, MappingFileError, MarkerSetError, OutOfRangeError
from strut.formats.recording_file import read_recording
from strut.maths.rotation import angles_from_qpos
from strut.mocap.marker_fit.body_priors import human_geometry
from strut.mocap.marker_fit.fit import fit
from strut.mocap.marker_fit.subject_model import read_subject, robot_of_subject, subject_text
from strut.models.subject import person_of, subject
from tests.mocap.conftest import CMU_UNIT_M, stepper_recording, walker_recording
from tests.mocap.published_subject import subject_model_of


@pytest.fixture(scope="module")
def author(data):
    return read_recording(data / "felis_subject3_neutral.c3d")


@pytest.fixture(scope="module")
def fitted(author):
    return fit(author, height_m=1.86, mass_kg=75.0)


def test_published_lengths_leave_at_most_6_mm(author):
    found = fit(author, subject=subject_model_of(subject()))
    assert found.mean_error_m <= 0.0060
    assert len(found.marker_names) == 32


def test_an_automatic_subject_leaves_at_most_5_mm(fitted):
    assert fitted.mean_error_m <= 0.0050
    assert fitted.worst_error_m < 0.04
    assert max(fitted.marker_means_m.values()) < 0.012
    assert all(fitted.observed.values())


def test_automatic_lengths_of_the_author_are_near_those_he_measured(fitted):
    """He placed joints by eye; what markers tell well must agree within three centimetres."""
    published = subject().subject.lengths_m
    for name in ("ThighRightLength", "ShankRightLength", "HipRightWidth", "LowerArmLeftLength", "UpperArmRightLength"):
        assert fitted.subject.lengths_m[name] == pytest.approx(published[name], abs=0.03)
    assert 0.06 < fitted.subject.lengths_m["FootRightHeight"] < 0.08  # E36: the printed 0.087 is about 2 cm too much
    assert 0.0 < fitted.subject.length["ThighRightLength"].sd_m < 0.015


def test_soles_stand_on_the_floor(fitted):
    robot = robot_of_subject(fitted.subject)
    motion = fitted.motion
    points = foot_contact_points(robot, motion.qpos)[..., 2]
    for foot in (slice(0, 3), slice(3, 6)):
        whole = motion.contact[:, foot].all(axis=1)
        assert whole.sum() > 20
        assert abs(np.median(points[whole, foot])) < 0.006
        assert np.percentile(np.abs(points[whole, foot]), 90) < 0.03


def test_the_motion_carries_the_person_it_was_made_with(fitted):
    robot = person_of(fitted.motion)
    assert robot.subject.lengths_m == pytest.approx(fitted.subject.lengths_m)
    assert fitted.motion.meta["fingerprint"] == robot.fingerprint
    assert len(fitted.motion.meta["events"]) >= 8


def test_joint_centres_are_where_plug_in_gait_has_them(data):
    """Another implementation, with its own regressions: hips, knees and ankles within 4 cm of each other."""
    found = fit(read_recording(data / "qcmas_static.c3d"))
    robot = robot_of_subject(found.subject)
    names = ("ThighRight", "ThighLeft", "ShankRight", "ShankLeft", "FootRight", "FootLeft")
    ours, _ = body_poses(robot.model, names, found.motion.qpos[:1])
    raw = read_recording(data / "qcmas_static.c3d")
    labels = [found.trial.labels[name] for name in found.trial.recording.marker_names]
    turn = np.linalg.lstsq(raw.markers(labels)[0], found.trial.recording.markers_m[0], rcond=None)[0]
    theirs = raw.markers(["RFEP", "LFEP", "RFEO", "LFEO", "RTIO", "LTIO"])[0] @ turn - [0.0, 0.0, found.subject.floor_m]
    assert np.linalg.norm(ours[0] - theirs, axis=1).max() < 0.04


@pytest.mark.parametrize("name", ["sydney_walk03", "sydney_walk04", "sydney_walk05", "qcmas_walk"])
def test_lower_bodies_with_and_without_a_trunk_fit_too(data, name):
    found = fit(read_recording(data / f"{name}.c3d"), walking=True)
    assert found.mean_error_m < 0.0045
    silent = {joint.rpartition("_")[0] for joint, there in found.observed.items() if not there}
    arms = {"ShoulderRight", "ElbowRight", "ShoulderLeft", "ElbowLeft", "Head"}
    assert silent == (arms if name == "qcmas_walk" else arms | {"Lumbar"})
    q = angles_from_qpos(found.motion.qpos)
    names = list(human_geometry().dof_names)
    arm = q[:, names.index("ShoulderRight_RY")]
    leg = q[:, names.index("HipLeft_RY")]
    assert np.corrcoef(arm, leg)[0, 1] > 0.9  # arms without markers swing with the opposite legs


def test_one_person_has_one_size_in_every_trial(data):
    trials = [fit(read_recording(data / f"sydney_walk0{number}.c3d")).subject.lengths_m for number in (3, 4, 5)]
    for name in ("ThighRightLength", "ShankLeftLength", "HipRightWidth", "FootRightHeight"):
        assert np.ptp([lengths[name] for lengths in trials]) < 0.012


def test_a_standing_trial_helps(data):
    walk, standing = (read_recording(data / f"qcmas_{name}.c3d") for name in ("walk", "static"))
    alone = fit(walk)
    helped = fit(walk, standing=standing)
    assert helped.mean_error_m < 0.004
    assert helped.subject.length["ShankRightLength"].sd_m < alone.subject.length["ShankRightLength"].sd_m
    assert {"LMKNE", "RMMAL"} <= set(helped.subject.marker)  # only the standing trial has them


def test_a_standing_trial_of_another_person_is_refused(data):
    walk, standing = (read_recording(data / f"{name}.c3d") for name in ("qcmas_walk", "sydney_static"))
    with pytest.raises(BadRecordingError, match=r"of a person of 1\.634 m, qcmas_walk of one of 1\.86 m"):
        fit(walk, standing=standing)


@pytest.mark.parametrize(
    ("name", "marker_set", "height_m", "mass_kg"),
    [("pc_real", "clusters of three", None, None), ("plate_type2", "Helen Hayes in letters", 1.60, 60.0)],
)
def test_other_marker_sets_are_recognised_and_fit(data, name, marker_set, height_m, mass_kg):
    recording = read_recording(data / "c3d_samples" / f"{name}.c3d")
    found = fit(recording, height_m=height_m, mass_kg=mass_kg, walking=True)
    assert found.trial.marker_set == marker_set
    assert found.mean_error_m < 0.004
    assert sum(event.kind == "heel_strike" for event in found.trial.events) >= 2


def test_skeletons_of_bvh_files_fit(data):
    found = fit(read_recording(data / "cmu_bvh" / "35_01.bvh", unit_m=CMU_UNIT_M), height_m=1.75, mass_kg=70.0)
    assert found.mean_error_m < 0.004


def test_the_proportions_of_a_synthetic_walk_are_recovered():
    """Lengths that the prior does not know are recovered from noisy markers, and the uncertainty is honest."""
    changed = {"ThighRightLength": 0.41, "ThighLeftLength": 0.41, "ShankRightLength": 0.49, "ShankLeftLength": 0.49}
    robot = subject(1.86, 72.0, lengths_m={**subject().subject.lengths_m, **changed})
    recording, q = walker_recording(robot, noise_m=0.002)
    found = fit(recording, height_m=1.86, mass_kg=72.0)
    for name, value in robot.subject.lengths_m.items():
        if name.startswith(("Thigh", "Shank")) and name.endswith("Length"):
            entry = found.subject.length[name]
            assert abs(entry.m - value) < max(3.0 * entry.sd_m, 0.01)
            assert abs(entry.m - value) < 0.02
    assert found.mean_error_m < 0.004
    knee = list(human_geometry().dof_names).index("KneeRight_RY")
    angles = angles_from_qpos(found.motion.qpos)
    assert np.std(angles[:, knee] - q[:, knee]) < 0.02


def test_a_subject_file_comes_back_and_can_be_changed_by_hand(fitted, author, tmp_path):
    path = tmp_path / "subject.toml"
    path.write_text(subject_text(fitted.subject), "utf-8")
    again = read_subject(path, human_geometry())
    assert again.lengths_m == pytest.approx(fitted.subject.lengths_m, abs=1e-5)
    assert fit(author, subject=again).mean_error_m == pytest.approx(fitted.mean_error_m, abs=2e-5)
    path.write_text(path.read_text("utf-8").replace('segment = "Pelvis"', 'segment = "Tail"', 1), "utf-8")
    with pytest.raises(MappingFileError, match=r"subject.toml, line \d+, marker\.LASI: is on a segment Tail"):
        read_subject(path, human_geometry())
    path.write_text("name = 3", "utf-8")
    with pytest.raises(MappingFileError, match="name"):
        read_subject(path, human_geometry())


def test_legs_covary_in_a_plane(fitted):
    """Behaviour 23: elevation angles of thigh, shank and foot lie near a plane; the third share is about 1 %."""
    robot = robot_of_subject(fitted.subject)
    place, turn = body_poses(robot.model, ("ThighRight", "ShankRight", "FootRight"), fitted.motion.qpos)
    down = [place[:, 1] - place[:, 0], place[:, 2] - place[:, 1]]
    angles = [np.arctan2(d[:, 0], -d[:, 2]) for d in down] + [np.arctan2(turn[:, 2, 2, 0], turn[:, 2, 0, 0])]
    strikes = [e.time_s for e in fitted.trial.events if (e.kind, e.side) == ("toe_off", "Right")]
    leaves = sorted(strikes)
    first = round(leaves[0] * 100)
    stride = np.stack(angles)[:, first : first + 130]
    shares = np.linalg.eigvalsh(np.cov(stride))
    assert shares[0] / shares.sum() < 0.02


def test_a_height_that_the_legs_do_not_have_is_reported(author, fitted):
    small = fit(author, height_m=1.40, mass_kg=75.0)
    assert any("of a person of about 1.85 m, not of 1.40 m" in note for note in small.notes)
    assert not any("of a person of about" in note for note in fitted.notes)


def test_progress_is_reported(author):
    told = []
    fit(author, height_m=1.86, mass_kg=75.0, on_progress=lambda what, share: told.append((what, share)))
    assert {what for what, _ in told} == {"estimate subject", "fit markers"}
    assert told[-1] == ("fit markers", 1.0)


def test_bad_input_ends_in_one_sentence():
    walker, _ = walker_recording()
    with pytest.raises(OutOfRangeError, match=r"does not contain the person's height; give it \(--height 1.75\)"):
        fit(walker)
    with pytest.raises(OutOfRangeError, match=r"A body height of 18\.6 m is outside the range of adults, 1\.2"):
        fit(walker, height_m=18.6, mass_kg=75.0)
    with pytest.raises(OutOfRangeError, match=r"A body mass of 7\.5 kg is outside"):
        fit(walker, height_m=1.86, mass_kg=7.5)
    still = replace(walker, markers_m=np.repeat(walker.markers_m[:1], 100, axis=0))
    with pytest.raises(
        BadRecordingError, match=r"the person does not walk \(a standing trial\?\); give a walking trial"
    ):
        fit(still, height_m=1.86, mass_kg=75.0, walking=True)
    with pytest.raises(MarkerSetError, match="only 0 of its markers are in the subject's file"):
        fit(walker, subject=_bare(subject_model_of(subject())))


def _bare(model):
    return type(model)(name="bare", height_m=1.8, mass_kg=70.0, length=model.length, marker={})


def test_walking_is_recognised_on_a_belt():
    recording, _ = stepper_recording(belt=True)
    found = fit(recording, height_m=1.75, mass_kg=70.0, walking=True)
    assert found.motion.meta["belt_m_s"][0] == pytest.approx(-1.2, abs=0.02)
