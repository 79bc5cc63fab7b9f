"""Stimuli: matched in length, view and scale; controls take away one difference; nothing gives the emotion away."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image

from strut.cli.main import main
from strut.engines.rigid_body import foot_positions
from strut.engines.skeleton import skeleton, skeleton_points
from strut.errors import StudyError
from strut.library.motion_file import load_motion
from strut.robots.catalogue import load_robot
from strut.study.controls import mean_speed_m_s, posture_matched, speed_matched
from strut.study.design import Display
from strut.study.design_file import read_design
from strut.study.film import pictures
from strut.study.stimulus import ASPECT, fingerprint, load_stimuli, view_axes


@pytest.fixture(scope="module")
def motions(five_motions):
    return {path.stem: load_motion(path) for path in five_motions}


def test_joints_in_one_place_are_one_light_and_feet_are_lights_too():
    robot = load_robot("mrpete")
    found = skeleton(robot)
    assert len(found.names) == 1 + 4 * 4  # the body; hip, knee, ankle and foot of each leg
    assert len(found.bones) == len(found.names) - 1  # a tree
    assert {f"{leg}_foot" for leg in ("LF", "LH", "RF", "RH")} <= set(found.names)


def test_bones_keep_their_length_while_the_body_moves(motions):
    robot, motion = load_robot("mrpete"), motions["happy"]
    points, bones = skeleton_points(robot, motion.qpos[::20]), np.array(skeleton(robot).bones)
    lengths = np.linalg.norm(points[:, bones[:, 0]] - points[:, bones[:, 1]], axis=-1)
    np.testing.assert_allclose(lengths, np.broadcast_to(lengths[0], lengths.shape), atol=1e-9)
    knee_to_ankle = lengths[0, [tuple(bone) for bone in bones].index((2, 3))]
    assert knee_to_ankle == pytest.approx(0.23, abs=1e-9)  # the shank of Mr. Pete


def test_all_stimuli_have_one_length_and_fit_one_stage(study_of):
    design = read_design(study_of("forced-choice"))
    stimuli = load_stimuli(design)
    assert {len(stimulus.points) for stimulus in stimuli} == {151}
    assert stimuli[0].duration_s == pytest.approx(5.0)
    extent = np.concatenate([stimulus.points.reshape(-1, 2) for stimulus in stimuli])
    assert np.abs(extent[:, 0]).max() <= ASPECT
    assert np.abs(extent[:, 1]).max() <= 1.0
    assert max(np.abs(extent[:, 0]).max() / ASPECT, np.abs(extent[:, 1]).max()) > 0.9  # and fill it


def test_all_stimuli_have_one_scale(study_of, motions):
    design = read_design(study_of("forced-choice"))
    stimuli = {stimulus.name: stimulus for stimulus in load_stimuli(design)}
    axes, robot = view_axes(design.display), load_robot("mrpete")
    scales = []
    for name, motion in motions.items():
        middle = len(motion.qpos) // 2
        seen = (skeleton_points(robot, motion.qpos) @ axes.T)[..., :2]
        scales.append(stimuli[name].points.std(axis=1).mean() / seen[middle - 100 : middle + 100].std(axis=1).mean())
    np.testing.assert_allclose(scales, scales[0], rtol=0.05)


def test_a_foot_on_the_ground_stays_where_it_is_in_the_fixed_view(study_of, motions):
    design = read_design(study_of("forced-choice"))
    stimulus = next(s for s in load_stimuli(design) if s.name == "neutral")
    motion, foot = motions["neutral"], skeleton(load_robot("mrpete")).names.index("LF_foot")
    start = motion.time_s[0] + (motion.duration_s - 5.0) / 2.0
    samples = np.searchsorted(motion.time_s, start + np.arange(151) / 30.0)
    down = motion.contact[samples.clip(max=len(motion.contact) - 1), motion.foot_names.index("LF")]
    steps = np.linalg.norm(np.diff(stimulus.points[:, foot], axis=0), axis=1)
    both = down[1:] & down[:-1]
    assert steps[both].max() < 0.01 < steps[~both].max()


def test_the_camera_at_45_degrees_sees_the_walker_come_and_pass():
    right, down, away = view_axes(Display(azimuth_deg=45.0, elevation_deg=0.0))
    ahead = np.array([1.0, 0.0, 0.0])
    assert (right @ ahead, away @ ahead) == (pytest.approx(np.sqrt(0.5)), pytest.approx(-np.sqrt(0.5)))
    np.testing.assert_allclose(down, [0.0, 0.0, -1.0], atol=1e-12)
    side = view_axes(Display(azimuth_deg=90.0, elevation_deg=0.0))
    np.testing.assert_allclose(side[0], [1.0, 0.0, 0.0], atol=1e-12)  # seen from its right it walks to the right


def test_a_following_camera_keeps_the_body_in_the_middle(study_of):
    design = read_design(study_of("forced-choice", 'camera = "fixed" => camera = "follow"'))
    assert all(np.ptp(stimulus.points[:, 0, 0]) < 1e-9 for stimulus in load_stimuli(design))


def test_nothing_that_is_sent_tells_the_emotion(study_of):
    written = read_design(study_of("sam"))
    for kind in ("points", "sticks", "solid"):
        design = replace(written, display=Display(kind=kind))
        for stimulus in load_stimuli(design):
            sent = json.dumps(stimulus.payload(design.display))
            assert stimulus.name not in sent
            assert stimulus.intended not in sent


def test_speed_matched_controls_travel_as_fast_as_neutral_with_the_same_postures(motions):
    control = speed_matched(motions["sad"], motions["neutral"])
    assert mean_speed_m_s(motions["sad"]) < 0.9 * mean_speed_m_s(motions["neutral"])
    assert mean_speed_m_s(control) == pytest.approx(mean_speed_m_s(motions["neutral"]))
    np.testing.assert_array_equal(control.qpos, motions["sad"].qpos)


def test_posture_matched_controls_keep_the_swing_and_lose_the_carriage(motions):
    robot = load_robot("mrpete")
    control = posture_matched(motions["happy"], motions["neutral"], robot)
    neutral, happy = motions["neutral"].joint_angles_rad, motions["happy"].joint_angles_rad
    np.testing.assert_allclose(control.joint_angles_rad.mean(axis=0), neutral.mean(axis=0), atol=1e-12)
    np.testing.assert_allclose(np.diff(control.joint_angles_rad, axis=0), np.diff(happy, axis=0), atol=1e-12)
    lowest = [foot_positions(robot, motion.qpos)[..., 2].min() for motion in (control, motions["neutral"])]
    assert lowest[0] == pytest.approx(lowest[1])


def test_a_control_needs_a_neutral_motion(study_of):
    folder = study_of("sam", 'intended = "neutral" => intended = "calm"')
    text = (folder / "design.toml").read_text().replace('control = "none"', 'control = "speed-matched"', 1)
    (folder / "design.toml").write_text(text)
    with pytest.raises(StudyError, match="needs a neutral motion of mrpete"):
        load_stimuli(read_design(folder))


def test_a_missing_or_short_motion_is_refused_by_name(study_of):
    folder = study_of("sam", "seconds = 5 => seconds = 100")
    with pytest.raises(StudyError, match=r"lasts \d+\.\d s, less than the 100 s of the display"):
        load_stimuli(read_design(folder))
    (folder / "motions" / "sad.npz").unlink()
    with pytest.raises(StudyError, match=r"Stimulus sad: .*there is no such file"):
        load_stimuli(read_design(folder))


def test_the_fingerprint_changes_when_a_motion_is_swapped(study_of):
    folder = study_of("sam")
    design = read_design(folder)
    before = fingerprint(design, load_stimuli(design))
    assert fingerprint(design, load_stimuli(design)) == before
    (folder / "motions" / "sad.npz").write_bytes((folder / "motions" / "happy.npz").read_bytes())
    assert fingerprint(design, load_stimuli(design)) != before


@pytest.mark.parametrize("kind", ["points", "sticks", "solid"])
def test_a_film_shows_what_the_survey_shows(study_of, kind):
    design = read_design(study_of("forced-choice", f'kind = "points" => kind = "{kind}"'))
    stimulus = load_stimuli(design)[0]
    frame = np.asarray(next(pictures(stimulus, design.display, 240)))
    assert frame.shape == (240, 320, 3)
    bright = np.argwhere(frame.max(axis=2) > 150)
    assert 100 < len(bright) < 0.5 * frame.shape[0] * frame.shape[1]
    low, high = (np.percentile(stimulus.points[0], share, axis=0) * 120 + [160, 120] for share in (0, 100))
    reach = 14 if kind == "solid" else 4  # parts are thicker than their middle lines
    assert (bright[:, ::-1].min(axis=0) >= low - reach).all()
    assert (bright[:, ::-1].max(axis=0) <= high + reach).all()


def test_films_are_written_as_gif_and_as_video_where_ffmpeg_is(study_of, tmp_path, capsys):
    folder = study_of("forced-choice", "seconds = 5 => seconds = 0.4")
    assert main(["study", "film", str(folder), "--out", str(tmp_path / "films")]) == 0
    with Image.open(tmp_path / "films" / "sad.gif") as film:
        assert film.n_frames * film.info["duration"] == pytest.approx(400, abs=100)
    code = main(["study", "film", str(folder), "--out", str(tmp_path / "films"), "--format", "mp4"])
    if shutil.which("ffmpeg"):
        assert (tmp_path / "films" / "sad.mp4").read_bytes()[4:8] == b"ftyp"
    else:
        assert code == 2
        assert "needs ffmpeg, which is not installed" in capsys.readouterr().err
    assert main(["study", "film", str(folder), "--format", "avi"]) == 2
