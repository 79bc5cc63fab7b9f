"""Features of expression: what turning, mirroring and speed do to them, and what real emotional walks show."""

from __future__ import annotations

import json
from dataclasses import asdict, replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.cli.main import main
from strut.errors import BadMotionError
from strut.formats.motion_file import save_motion
from strut.formats.recording_file import read_recording
from strut.human.analysis.condition_comparison import compare_conditions
from strut.human.analysis.gait_analysis import analyze, cycle_scores
from strut.human.analysis.gait_expression import FEATURE_JOINTS, GAIT_FEATURES, gait_expression
from strut.human.anatomy import ELBOW, LUMBAR
from strut.human.report.condition_report import FEATURES, features_plot, known_features
from strut.human.report.condition_text import feature_label
from strut.mocap.marker_fit.fit import fit
from strut.models.catalogue import robot_of
from tests.mocap.conftest import CMU_UNIT_M

WALKS = {"normal": "91_29", "sad": "91_13", "depressed": "91_14", "macho": "91_33"}
SECONDS = 7.0
EVERY = 2  # of 120 samples a second


@pytest.fixture(scope="module")
def walks(data):
    found = {}
    for name, trial in WALKS.items():
        recording = read_recording(data / "cmu_bvh" / f"{trial}.bvh", unit_m=CMU_UNIT_M)
        kept = slice(0, round(SECONDS * recording.rate_hz), EVERY)
        short = replace(recording, markers_m=recording.markers_m[kept], rate_hz=recording.rate_hz / EVERY)
        found[name] = fit(short, height_m=1.75, mass_kg=70.0).motion
    return found


def features(motion):
    return gait_expression(robot_of(motion), motion)


def test_the_position_of_a_walk_does_not_matter(walks):
    motion = walks["normal"]
    turn = Rotation.from_euler("z", 1.2)
    qpos = motion.qpos.copy()
    qpos[:, :3] = turn.apply(qpos[:, :3]) + np.array([3.0, -2.0, 0.0])
    qpos[:, 3:7] = (turn * Rotation.from_quat(qpos[:, 3:7], scalar_first=True)).as_quat(scalar_first=True)
    here = asdict(features(motion))
    there = asdict(features(replace(motion, qpos=qpos)))
    assert there == pytest.approx(here, rel=1e-6, abs=1e-6)


def test_a_walk_played_twice_as_fast_is_twice_as_fast(walks):
    one = features(walks["normal"])
    fast = features(replace(walks["normal"], time_s=walks["normal"].time_s / 2.0))
    assert fast.step_duration_s == pytest.approx(one.step_duration_s / 2.0)
    assert fast.speed_m_s == pytest.approx(2.0 * one.speed_m_s, rel=0.15)  # its way is smoothed at another frequency
    assert fast.arm_swing_deg == pytest.approx(one.arm_swing_deg)
    assert fast.hand_jerk_m_s3 > 3.0 * one.hand_jerk_m_s3


def test_sad_and_proud_walks_differ_from_a_normal_one_as_published(walks):
    """Michalak and others (2009): slow, slumped, head down, little arm swing; CMU's macho walk swings and bounces."""
    found = {name: features(motion) for name, motion in walks.items()}
    normal = found["normal"]
    for sad in (found["sad"], found["depressed"]):
        assert sad.speed_m_s < normal.speed_m_s
        assert sad.head_pitch_deg > normal.head_pitch_deg + 10.0
        assert sad.trunk_pitch_deg > normal.trunk_pitch_deg
        assert sad.arm_swing_deg < 0.8 * normal.arm_swing_deg
    assert found["macho"].arm_swing_deg > 1.5 * normal.arm_swing_deg
    assert found["macho"].head_bounce_mm > 1.5 * normal.head_bounce_mm


def test_conditions_are_means_over_trials_beside_neutral(walks):
    condition_of = {name: "sad" if name == "depressed" else name for name in walks}
    found = compare_conditions(analyze(walks), condition_of)
    assert found.neutral == "normal"
    assert found.trials["sad"] == ("sad", "depressed")
    own = [found.features[name].speed_m_s for name in ("sad", "depressed")]
    spread = found.summary["sad"]["speed_m_s"]
    assert (spread.mean, spread.sd) == pytest.approx((np.mean(own), np.std(own, ddof=1)))
    posture, time = found.from_neutral["normal"]
    assert (posture.mean, time.mean) == pytest.approx((0.0, 0.0), abs=1e-9)
    assert found.from_neutral["sad"][0].mean > 0.0
    assert set(found.as_dict()["features"]["macho"]) == set(GAIT_FEATURES)


def test_conditions_on_the_command_line(walks, tmp_path, capsys):
    for name, motion in walks.items():
        save_motion(motion, tmp_path / f"{name}.npz")
    words = [f"normal={tmp_path / 'normal.npz'}", f"sad={tmp_path / 'sad.npz'}", f"sad={tmp_path / 'depressed.npz'}"]
    page = tmp_path / "report.html"
    assert main(["analyze", *words, "--html", str(page), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["conditions"]
    assert found["trials"] == {"normal": ["normal"], "sad": ["sad", "depressed"]}
    text = page.read_text("utf-8")
    assert "Distance from neutral" in text
    assert "sad (2 trials)" in text
    assert main(["analyze", *words, str(tmp_path / "macho.npz")]) == 2
    assert "has no condition while others have one" in capsys.readouterr().err


def test_a_walk_of_one_step_has_no_features(walks):
    motion = walks["normal"]
    cut = replace(motion, time_s=motion.time_s[:30], qpos=motion.qpos[:30], contact=motion.contact[:30], torque_nm=None)
    with pytest.raises(BadMotionError, match="need two steps or more"):
        features(cut)


def test_angles_without_markers_are_not_drawn(walks):
    motion = walks["normal"]
    unseen = {name: not name.startswith(("Elbow", "Lumbar")) for name in robot_of(motion).joint_names}
    found = features(replace(motion, meta={**motion.meta, "observed": unseen}))
    for feature in GAIT_FEATURES:
        assert np.isnan(getattr(found, feature)) == (FEATURE_JOINTS.get(feature) in (ELBOW, LUMBAR)), feature
    told = compare_conditions(
        analyze({"walk": replace(motion, meta={**motion.meta, "observed": unseen})}), {"walk": "sad"}
    )
    assert told.as_dict()["features"]["sad"]["elbow_range_deg"] == {"mean": None, "sd": None, "trials": 0}
    drawn = [axes.get_title(loc="left") for axes in features_plot(told, known_features(told)).axes]
    assert drawn == [feature_label(name) for name in FEATURES if name != "head_bounce_mm"]


def test_joints_without_markers_are_not_scored(gait):
    motion = gait.motion(steps=4)
    recorded = replace(motion, meta={**motion.meta, "observed": {"ElbowLeft_RY": False, "ElbowRight_RY": False}})
    robot = robot_of(motion)
    assert set(cycle_scores(robot, motion)) - set(cycle_scores(robot, recorded)) == {"elbow_mean_deg"}
