"""Stimuli: matched in length, view and scale; controls take away one difference; nothing gives the emotion away."""

from __future__ import annotations

import json
import re
import subprocess
from dataclasses import replace
from importlib.resources import files

import imageio_ffmpeg
import msgspec
import numpy as np
import pytest
from msgspec import structs
from PIL import Image

from strut.cli.main import main
from strut.engines.rigid_body import foot_positions
from strut.errors import DesignError, StudyError
from strut.formats.motion_file import load_motion, save_motion
from strut.models.catalogue import load_robot
from strut.models.skeleton import skeleton, skeleton_points
from strut.models.solid_mesh import solid_mesh
from strut.models.solids import solid_poses, solids
from strut.models.subject import subject
from strut.motion import Motion
from strut.study.design.controls import mean_speed_m_s, posture_matched, speed_matched
from strut.study.design.design import Display, read_design
from strut.study.design.light_controls import light_control
from strut.study.stimuli.film import pictures, save_film
from strut.study.stimuli.seamless_loop import find_cycle
from strut.study.stimuli.stimulus import ASPECT, Stimulus, display_axes, load_stimuli, stimuli_fingerprint
from strut.study.study_folder import new_study


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
    robot = load_robot("mrpete")
    motion = motions["happy"]
    points = skeleton_points(robot, motion.qpos[::20])
    bones = np.array(skeleton(robot).bones)
    lengths = np.linalg.norm(points[:, bones[:, 0]] - points[:, bones[:, 1]], axis=-1)
    np.testing.assert_allclose(lengths, np.broadcast_to(lengths[0], lengths.shape), atol=1e-9)
    knee_to_ankle = lengths[0, [tuple(bone) for bone in bones].index((2, 3))]
    assert knee_to_ankle == pytest.approx(0.24, abs=1e-9)  # the shank of Mr. Pete


def test_all_stimuli_have_one_length_and_fit_one_stage(study_of):
    design = read_design(study_of("forced-choice"))
    stimuli = load_stimuli(design)
    assert {len(stimulus.points) for stimulus in stimuli} == {151}
    assert stimuli[0].payload(design.display)["frames"] == 5 * 30 + 1
    extent = np.concatenate([stimulus.points.reshape(-1, 2) for stimulus in stimuli])
    assert np.abs(extent[:, 0]).max() <= ASPECT
    assert np.abs(extent[:, 1]).max() <= 1.0
    assert max(np.abs(extent[:, 0]).max() / ASPECT, np.abs(extent[:, 1]).max()) > 0.9  # and fill it


def test_all_stimuli_have_one_scale(study_of, motions):
    design = read_design(study_of("forced-choice"))
    stimuli = {stimulus.name: stimulus for stimulus in load_stimuli(design)}
    axes = display_axes(design.display)
    robot = load_robot("mrpete")
    scales = []
    for name, motion in motions.items():
        middle = len(motion.qpos) // 2
        seen = (skeleton_points(robot, motion.qpos) @ axes.T)[..., :2]
        scales.append(stimuli[name].points.std(axis=1).mean() / seen[middle - 100 : middle + 100].std(axis=1).mean())
    np.testing.assert_allclose(scales, scales[0], rtol=0.05)


def test_a_foot_on_the_ground_stays_where_it_is_in_the_fixed_view(study_of, motions):
    design = read_design(study_of("forced-choice"))
    stimulus = next(s for s in load_stimuli(design) if s.name == "neutral")
    motion = motions["neutral"]
    foot = skeleton(load_robot("mrpete")).names.index("LF_foot")
    start = motion.time_s[0] + (motion.duration_s - 5.0) / 2.0
    samples = np.searchsorted(motion.time_s, start + np.arange(151) / 30.0)
    down = motion.contact[samples.clip(max=len(motion.contact) - 1), motion.foot_names.index("LF")]
    steps = np.linalg.norm(np.diff(stimulus.points[:, foot], axis=0), axis=1)
    both = down[1:] & down[:-1]
    assert steps[both].max() < 0.01 < steps[~both].max()


def test_the_camera_at_45_degrees_sees_the_walker_come_and_pass():
    right, down, away = display_axes(Display(azimuth_deg=45.0, elevation_deg=0.0))
    ahead = np.array([1.0, 0.0, 0.0])
    assert (right @ ahead, away @ ahead) == (pytest.approx(np.sqrt(0.5)), pytest.approx(-np.sqrt(0.5)))
    np.testing.assert_allclose(down, [0.0, 0.0, -1.0], atol=1e-12)
    side = display_axes(Display(azimuth_deg=90.0, elevation_deg=0.0))
    np.testing.assert_allclose(side[0], [1.0, 0.0, 0.0], atol=1e-12)  # seen from its right it walks to the right


def test_a_following_camera_keeps_the_body_in_the_middle(study_of):
    design = read_design(study_of("forced-choice", 'camera = "fixed" => camera = "follow"'))
    assert all(np.ptp(stimulus.points[:, 0, 0]) < 1e-9 for stimulus in load_stimuli(design))


def test_nothing_that_is_sent_reveals_the_emotion(study_of):
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
    neutral = motions["neutral"].joint_angles_rad
    happy = motions["happy"].joint_angles_rad
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
    with pytest.raises(StudyError, match=r"lasts \d+\.\d\d s, less than the 100 s of the display"):
        load_stimuli(read_design(folder))
    (folder / "motions" / "sad.npz").unlink()
    with pytest.raises(StudyError, match=r"Stimulus sad: .*there is no such file"):
        load_stimuli(read_design(folder))


def test_the_fingerprint_changes_when_a_motion_is_swapped(study_of):
    folder = study_of("sam")
    design = read_design(folder)
    before = stimuli_fingerprint(design, load_stimuli(design))
    assert stimuli_fingerprint(design, load_stimuli(design)) == before
    (folder / "motions" / "sad.npz").write_bytes((folder / "motions" / "happy.npz").read_bytes())
    assert stimuli_fingerprint(design, load_stimuli(design)) != before


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


def test_a_box_in_a_film_has_the_shades_of_the_survey():
    """The page draws its faces by numbers of its own script."""
    script = (files("strut.study") / "pages" / "stage.js").read_text("utf-8")
    faces = json.loads(re.search(r"const faces = (\[\[.*?\]\]);", script)[1])
    shades = json.loads(re.search(r"const shade = (\[.*?\]);", script)[1])
    display = Display(kind="solid")
    corners = 0.5 * np.array([[x, y, z] for x in (-1.0, 1.0) for y in (-1.0, 1.0) for z in (-1.0, 1.0)])
    seen = corners @ display_axes(display).T
    color = (0.8, 0.6, 0.4)
    shape = {"kind": "box", "first": 0, "count": 8, "radius": 0.0, "color": color}
    stimulus = Stimulus("box", "happy", seen[None, :, :2], seen[None, :, 2], (), (shape,), np.zeros((0, 4)))
    frame = np.asarray(next(pictures(stimulus, display, 240)))
    nearest = sorted(range(6), key=lambda index: seen[faces[index], 2].sum())[:3]
    for index in nearest:
        column, row = (seen[faces[index], :2].mean(axis=0) * 120 + [160, 120]).astype(int)
        assert frame[row, column].tolist() == [round(255 * part * shades[index]) for part in color]
    assert {shades[index] for index in nearest} == {0.72, 0.85, 1.0}


def test_a_gif_lasts_as_long_as_the_stimulus(study_of, tmp_path):
    folder = study_of("forced-choice", "seconds = 5 => seconds = 0.4")
    assert main(["study", "film", str(folder), "--out", str(tmp_path / "films")]) == 0
    key = dict(line.split(",")[:2] for line in (tmp_path / "films" / "key.csv").read_text().splitlines()[1:])
    assert sorted(key.values()) == ["angry", "fearful", "happy", "neutral", "sad"]
    assert {path.name for path in (tmp_path / "films").iterdir()} == {*key, "key.csv"}
    with Image.open(tmp_path / "films" / "film_01.gif") as film:
        assert film.n_frames * film.info["duration"] == pytest.approx(400, abs=100)
    assert main(["study", "film", str(folder), "--format", "avi"]) == 2


def test_the_key_of_other_films_is_kept_unless_it_may_be_replaced(study_of, tmp_path, capsys):
    folder = study_of("forced-choice", "seconds = 5 => seconds = 0.4")
    (tmp_path / "key.csv").write_text("mine")
    assert main(["study", "film", str(folder), "--out", str(tmp_path)]) == 2
    assert "key.csv: is there already" in capsys.readouterr().err
    assert (tmp_path / "key.csv").read_text() == "mine"
    assert not list(tmp_path.glob("film_*"))


@pytest.mark.parametrize(("form", "codec"), [("mp4", "h264"), ("webm", "vp9")])
def test_a_video_holds_every_picture_of_the_stimulus(study_of, tmp_path, ffmpeg, form, codec):
    design = read_design(study_of("forced-choice", "seconds = 5 => seconds = 0.4"))
    stimulus = load_stimuli(design)[0]
    film = tmp_path / f"film.{form}"
    save_film(stimulus, design.display, film, form, height_px=240)
    asked = "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames"
    probe = [ffmpeg / "ffprobe", "-v", "error", "-count_frames", "-show_entries", asked, "-of", "json", film]
    told = subprocess.run(probe, check=True, capture_output=True)
    assert json.loads(told.stdout)["streams"] == [
        {"codec_name": codec, "width": 320, "height": 240, "pix_fmt": "yuv420p"}
        | {"r_frame_rate": "30/1", "nb_read_frames": "13"}
    ]
    raw = [ffmpeg / "ffmpeg", "-v", "error", "-i", film, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"]
    read = subprocess.run(raw, check=True, capture_output=True).stdout
    decoded = np.frombuffer(read, np.uint8).reshape(13, 240, 320, 3).astype(float)
    drawn = np.array([np.asarray(picture, float) for picture in pictures(stimulus, design.display, 240)])
    assert np.abs(decoded - drawn).mean() < 4.0 < np.abs(drawn[1:] - drawn[:-1]).max()  # the same pictures, moving


def test_a_machine_without_ffmpeg_writes_videos_too(study_of, tmp_path, monkeypatch, capsys):
    folder = study_of("forced-choice", "seconds = 5 => seconds = 0.4")
    monkeypatch.setenv("PATH", str(tmp_path))
    film = ["study", "film", str(folder), "--out", str(tmp_path), "--format", "mp4"]
    assert main(film) == 0
    assert (tmp_path / "film_01.mp4").read_bytes()[4:8] == b"ftyp"

    def nothing_bundled() -> str:
        raise RuntimeError("no ffmpeg")

    monkeypatch.setattr(imageio_ffmpeg, "get_ffmpeg_exe", nothing_bundled)
    assert main([*film, "--force"]) == 2
    assert "needs ffmpeg, which is not installed; install it or choose gif" in capsys.readouterr().err


@pytest.fixture(scope="module")
def human_motions(tmp_path_factory):
    """Two people, one shorter, who bend and swing their joints a little, standing."""
    folder = tmp_path_factory.mktemp("people")
    time_s = np.linspace(0.0, 2.0, 101)
    for name, robot in (("neutral", load_robot("heiman")), ("sad", subject(1.6, 60.0))):
        qpos = np.repeat(robot.model.qpos0[None], len(time_s), axis=0)
        qpos[:, 7:] += 0.1 * np.sin(2.0 * np.pi * time_s)[:, None]
        contact = np.ones((len(time_s), len(robot.feet)), bool)
        table = msgspec.to_builtins(robot.subject)
        meta = {"emotion": name, "subject": table}
        motion = Motion("heiman", time_s, qpos, robot.joint_names, contact, robot.foot_names, meta=meta)
        save_motion(motion, folder / f"{name}.npz")
    return sorted(folder.glob("*.npz"))


def test_lights_can_sit_where_the_marker_set_has_them(human_motions, tmp_path):
    new_study(tmp_path / "study", "slider", human_motions, display="points")
    design = read_design(tmp_path / "study")
    joints = load_stimuli(design)
    markers = load_stimuli(replace(design, display=structs.replace(design.display, lights="markers")))
    assert {stimulus.points.shape[1] for stimulus in markers} == {32}
    assert {stimulus.points.shape[1] for stimulus in joints} == {len(skeleton(load_robot("heiman")).names)}
    tall, short = (np.ptp(stimulus.points[0, :, 1]) for stimulus in markers)
    assert short / tall == pytest.approx(1.6 / 1.86, abs=0.05)


def test_a_robot_without_marker_set_is_refused(study_of):
    folder = study_of("sam", 'lights = "joints" => lights = "markers"')
    with pytest.raises(StudyError, match=r'mrpete has no marker set .* write lights = "joints"'):
        load_stimuli(read_design(folder))
    (folder / "design.toml").write_text(
        (folder / "design.toml").read_text().replace('kind = "points"', 'kind = "sticks"')
    )
    with pytest.raises(DesignError, match=r'line \d+, display.lights: is "markers", which goes with'):
        read_design(folder)


def test_a_solid_body_stays_inside_the_picture(study_of):
    design = read_design(study_of("sam", 'kind = "points" => kind = "solid"'))
    for stimulus in load_stimuli(design):
        unit = stimulus.payload(design.display)["unit"]
        for shape in stimulus.shapes:
            own = np.abs(stimulus.points[:, shape["first"] : shape["first"] + shape["count"]]).max(axis=(0, 1))
            assert (own + shape["radius"] / unit <= [ASPECT, 1.0]).all()


def test_a_page_gets_places_in_its_unit_and_depths_in_millimetres(study_of):
    design = read_design(study_of("sam", 'kind = "points" => kind = "solid"'))
    stimulus = load_stimuli(design)[0]
    payload = stimulus.payload(design.display)
    np.testing.assert_allclose(
        np.array(payload["xy"]).reshape(stimulus.points.shape) / payload["unit"],
        stimulus.points,
        atol=0.6 / payload["unit"],
    )
    np.testing.assert_allclose(np.array(payload["depth"]), 1e3 * stimulus.depth.ravel(), atol=0.51)
    assert (payload["frames"], payload["points"]) == stimulus.points.shape[:2]


def test_controls_of_a_body_on_wheels_leave_its_platform_alone():
    robot = load_robot("pepper")
    time_s = np.linspace(0.0, 1.0, 51)
    joints = len(robot.joint_names)
    swing = np.sin(2.0 * np.pi * time_s)[:, None] * np.linspace(0.01, 0.1, joints)
    base = np.stack([0.2 * time_s, 0.1 * time_s, 0.3 * time_s], axis=1)
    made = [
        Motion("pepper", time_s, np.hstack([base, middle + swing]), robot.joint_names, np.ones((51, 0), bool), ())
        for middle in (0.2, 0.0)
    ]
    control = posture_matched(made[0], made[1], robot)
    np.testing.assert_array_equal(control.qpos[:, :3], base)
    np.testing.assert_allclose(control.joint_angles_rad, made[1].joint_angles_rad, atol=1e-12)
    assert mean_speed_m_s(speed_matched(made[0], made[1])) == pytest.approx(np.hypot(0.2, 0.1))


@pytest.fixture
def lights():
    rng = np.random.default_rng(0)
    return np.cumsum(rng.normal(0.0, 0.01, (60, 17, 2)), axis=0) + rng.uniform(-0.4, 0.4, (17, 2))


def test_controls_of_point_lights_keep_the_motion_and_lose_the_body(lights):
    rng = np.random.default_rng(1)
    inverted = light_control(lights, "inverted", rng, aspect=ASPECT)
    np.testing.assert_allclose(inverted, lights * [1.0, -1.0])
    scrambled = light_control(lights, "scrambled", rng, aspect=ASPECT)
    np.testing.assert_allclose(np.diff(scrambled, axis=0), np.diff(lights, axis=0), atol=1e-12)  # each path as before
    assert np.abs(scrambled[0] - lights[0]).max() > 0.1
    assert (scrambled.min(axis=(0, 1)) >= lights.min(axis=(0, 1)) - 1e-9).all()
    masked = light_control(lights, "masked", rng, aspect=ASPECT)
    assert masked.shape == (60, 51, 2)
    assert np.abs(masked).max(axis=(0, 1))[0] <= ASPECT + 1e-9
    there = [np.isclose(masked[0], light).all(axis=1).any() for light in lights[0]]
    assert all(there)  # the body is in it


def test_an_inverted_body_stands_on_an_inverted_floor(study_of):
    upright, inverted = (
        load_stimuli(read_design(folder))[0]
        for folder in (study_of("sam"), study_of("slider", 'control = "none" => control = "inverted"'))
    )
    np.testing.assert_allclose(inverted.points, upright.points * [1.0, -1.0])
    np.testing.assert_allclose(inverted.grid, upright.grid * [1.0, -1.0, 1.0, -1.0])
    assert len(upright.grid) > 2


def test_a_control_of_point_lights_needs_point_lights(study_of):
    folder = study_of("sam", 'kind = "points" => kind = "solid"')
    path = folder / "design.toml"
    path.write_text(path.read_text().replace('control = "none"', 'control = "inverted"', 1))
    with pytest.raises(DesignError, match=r'stimulus.control: is "inverted", which goes with display.kind = "points"'):
        read_design(folder)


def test_a_cycle_repeats_without_a_seam_for_as_long_as_wanted(study_of):
    design = read_design(study_of("forced-choice", "loop = false => loop = true\nseconds = 5 => seconds = 30"))
    for stimulus in load_stimuli(design):
        steps = np.linalg.norm(np.diff(stimulus.points, axis=0), axis=2).max(axis=1)
        assert len(stimulus.points) == 901
        assert steps.max() < 4.0 * np.median(steps) + 0.02  # no jump anywhere


def test_what_never_repeats_cannot_be_looped():
    time_s = np.linspace(0.0, 3.0, 301)
    points = np.stack([time_s**2, 0 * time_s, time_s], axis=1)[:, None]
    with pytest.raises(StudyError, match="Stimulus rise holds no whole cycle"):
        find_cycle("rise", time_s, points, np.zeros((301, 3)))
    swing = np.sin(2 * np.pi * time_s / 0.8)[:, None, None] * np.ones((1, 2, 3))
    cycle = find_cycle("swing", time_s, swing, np.outer(time_s, [0.5, 0.0, 0.0]))
    assert cycle.time_s[-1] - cycle.time_s[0] == pytest.approx(0.8, abs=0.02)
    at = np.linspace(0.0, 20.0, 400)
    posture, way = cycle.at(at)
    assert np.abs(np.diff(posture[:, 0, 0])).max() < 0.45  # 0.39 is the fastest of the sine itself: no jump
    assert np.ptp(posture[:, 0, 0]) == pytest.approx(2.0, abs=0.1)
    np.testing.assert_allclose(way[:, 0] - way[0, 0], 0.5 * at, atol=0.02)


def test_the_points_of_a_solid_body_are_ends_and_corners_of_its_solids(tmp_path):
    """Cassie has cylinders, ellipsoids, capsules and balls: in the picture each reaches as far as the solid does."""
    cassie = load_robot("cassie")
    time_s = np.linspace(0.0, 2.0, 101)
    qpos = np.tile(cassie.standing_qpos, (101, 1))
    qpos[:, 7:] += 0.1 * np.sin(np.pi * time_s)[:, None]
    contact = np.ones((101, 2), dtype=bool)
    files = []
    for name in ("neutral", "happy"):
        files.append(tmp_path / f"{name}.npz")
        meta = {"emotion": name}
        save_motion(
            Motion("cassie", time_s, qpos, cassie.joint_names, contact, cassie.foot_names, meta=meta), files[-1]
        )
    new_study(tmp_path / "study", "forced-choice", files)
    path = tmp_path / "study" / "design.toml"
    path.write_text(path.read_text().replace('kind = "points"', 'kind = "solid"'))
    design = read_design(tmp_path / "study")
    stimulus = load_stimuli(design)[0]
    view = display_axes(design.display)
    parts = solids(cassie)
    seconds = (len(stimulus.points) - 1) / stimulus.payload(design.display)["rate_hz"]
    first = round((2.0 - seconds) / 2.0 / 0.02)  # the middle of the motion is shown
    centre, rotation = solid_poses(cassie, qpos[first : first + 1])
    reaches = []
    for index, (solid, shape) in enumerate(zip(parts, stimulus.shapes, strict=True)):
        assert (shape["radius"] > 0.0) == (solid.kind in ("sphere", "capsule"))
        assert shape["kind"] in ("sphere", "capsule", "hull")
        drawn = stimulus.points[0, shape["first"] : shape["first"] + shape["count"], 0]
        surface = solid_mesh(solid, around=48).vertices @ rotation[0, index].T + centre[0, index]
        across = surface @ view[0]
        radius = shape["radius"] / stimulus.payload(design.display)["unit"]
        reaches.append((drawn.min() - radius, drawn.max() + radius, across.min(), across.max()))
    ours = np.array([reach[:2] for reach in reaches]).ravel()
    true = np.array([reach[2:] for reach in reaches]).ravel()
    slope, shift = np.polyfit(true, ours, 1)  # the picture has its own scale and middle
    assert slope > 0.0
    np.testing.assert_allclose(ours, slope * true + shift, atol=0.012 * np.ptp(ours))
