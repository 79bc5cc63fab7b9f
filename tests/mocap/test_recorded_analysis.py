"""What `analyze` says of recorded walks: beside published curves, by counting, and on a treadmill as on a floor."""

from __future__ import annotations

import csv
import io
from dataclasses import replace

import numpy as np
import pytest

from strut.formats.recording_file import read_recording
from strut.human.analysis.condition_comparison import compare_conditions
from strut.human.analysis.gait_analysis import analyze
from strut.mocap.captured_walk import capture
from strut.mocap.forces.ground_forces import END_S, TORQUE_FLOOR
from strut.mocap.recording_report import forces_csv
from strut.recording import SIDES

# Whittle (2007) and Perry & Burnfield (2010) count the hip from the plane of the pelvic spines, which leans forwards by
# 11.5 degrees on a standing person (Schwartz et al., 2008); strut counts it from the standing pelvis.
PELVIC_TILT_DEG = 11.5


@pytest.fixture(scope="module", params=["captured_qcmas", "captured_sydney"])
def walk(request):
    return request.getfixturevalue(request.param)


@pytest.fixture(scope="module")
def cycle(walk):
    rows = list(csv.DictReader(io.StringIO(analyze(walk.motion).cycles_csv())))
    return {name: np.array([float(row[name]) for row in rows]) for name in rows[0] if name != "walk"}


@pytest.mark.parametrize("side", SIDES)
def test_angles_of_both_sides_are_those_of_published_curves(cycle, side):
    hip, knee, ankle = (cycle[f"{side.lower()}_{joint}_flexion_deg"] for joint in ("hip", "knee", "ankle"))
    percent = cycle["percent"]
    assert hip[0] + PELVIC_TILT_DEG == pytest.approx(30.0, abs=7.0)
    assert hip.min() + PELVIC_TILT_DEG == pytest.approx(-10.0, abs=7.0)
    assert 45.0 < percent[hip.argmin()] < 60.0
    assert ankle[0] == pytest.approx(0.0, abs=8.0)
    assert ankle[percent < 55.0].max() == pytest.approx(12.0, abs=6.0)  # before push-off
    assert -25.0 < ankle.min() < -10.0
    assert 60.0 <= percent[ankle.argmin()] <= 72.0  # toe off
    assert knee[percent > 55.0].max() == pytest.approx(60.0, abs=8.0)


@pytest.mark.parametrize("side", SIDES)
def test_torques_have_the_signs_of_the_angles(cycle, side):
    """Winter (1991): push-off is a plantarflexion of 1.4 to 1.9 N m/kg, and the hip extends after heel strike."""
    ankle = cycle[f"{side.lower()}_ankle_flexion_nm_kg"]
    assert -2.1 < ankle.min() < -1.2
    assert 40.0 < cycle["percent"][ankle.argmin()] < 60.0
    assert cycle[f"{side.lower()}_hip_flexion_nm_kg"][3:15].mean() < 0.0


def test_steps_are_as_long_alone_as_among_conditions_and_as_speed_times_duration(walk):
    found = analyze({"walk": walk.motion})
    alone = found.parameters["walk"]
    among = compare_conditions(found, {"walk": "neutral"}).summary["neutral"]
    assert among["step_length_m"].mean == pytest.approx(np.mean(alone.step_length_m), rel=0.01)
    assert among["step_duration_s"].mean == pytest.approx(np.mean(alone.step_duration_s))
    assert np.mean(alone.step_length_m) == pytest.approx(alone.speed_m_s * np.mean(alone.step_duration_s), rel=0.02)


def on_belt(motion, belt_m_s):
    """Return a walk as a laboratory sees it that moves along with it; nothing in the file says so."""
    carried = np.outer(motion.time_s - motion.time_s[0], belt_m_s)
    qpos = motion.qpos.copy()
    qpos[:, :2] += carried
    meta = {name: value for name, value in motion.meta.items() if name != "belt_m_s"}
    return replace(motion, qpos=qpos, cop_in_world=motion.cop_in_world + carried, meta=meta)


def test_on_a_treadmill_everything_is_relative_to_the_belt(walk):
    """Galilei: the same walk has the same speed, steps, effort and curves."""
    motion = walk.motion
    travelled = (motion.qpos[-1, :2] - motion.qpos[0, :2]) / motion.duration_s
    floor = analyze({"walk": motion})
    belt = analyze({"walk": on_belt(motion, -0.97 * travelled)})
    here = floor.parameters["walk"]
    there = belt.parameters["walk"]
    assert here.belt_speed_m_s == 0.0
    assert there.belt_speed_m_s == pytest.approx(0.97 * here.speed_m_s, rel=0.03)
    assert there.speed_m_s == pytest.approx(here.speed_m_s, rel=0.03)
    np.testing.assert_allclose(there.step_length_m, here.step_length_m, rtol=0.02)
    efforts = [found.comparison.criteria["walk"].effort for found in (floor, belt) if found.comparison.names]
    assert len(efforts) in (0, 2)
    assert efforts == pytest.approx([efforts[0]] * len(efforts) if efforts else [], rel=0.03)
    conditions = [compare_conditions(found, {"walk": "sad"}).summary["sad"] for found in (floor, belt)]
    for feature in ("speed_m_s", "step_length_m", "arm_swing_deg", "pelvis_pitch_deg"):
        first, second = (own[feature].mean for own in conditions)
        assert second == (None if first is None else pytest.approx(first, rel=0.03, abs=0.2)), feature


def test_samples_near_the_ends_of_a_recording_are_not_reported(walk):
    forces = walk.forces
    reported_s = forces.time_s[forces.reported]
    assert reported_s[0] >= forces.time_s[0] + END_S
    assert reported_s[-1] <= forces.time_s[-1] - END_S
    rows = list(csv.DictReader(io.StringIO(forces_csv(walk))))
    assert (float(rows[0]["time_s"]), float(rows[-1]["time_s"])) == pytest.approx((reported_s[0], reported_s[-1]))
    motion = walk.motion
    wild = motion.torque_nm.copy()
    wild[[0, -1]] = 1e4
    usual = analyze({"walk": motion}).parameters["walk"]
    assert analyze({"walk": replace(motion, torque_nm=wild)}).parameters["walk"] == usual
    assert max(usual.largest_torque_nm_kg.values()) < 2.3  # Winter (1991): no joint needs more in level walking


def test_reported_torques_do_not_depend_on_where_a_recording_begins_and_ends(data, captured_sydney):
    """An eighth of a second is cut off at both ends, where filters and differences see no more markers then."""
    recording = read_recording(data / "sydney_walk04.c3d")
    cut = slice(12, len(recording.markers_m) - 12)
    short = replace(recording, markers_m=recording.markers_m[cut], residual_m=None, plates=(), moments_nm_kg={})
    found = capture(short, subject=captured_sydney.fit.subject)
    shift_s = 12 / recording.rate_hz
    rows = np.flatnonzero(found.forces.reported)
    there = np.rint((found.forces.time_s[rows] + shift_s) * recording.rate_hz).astype(int)
    both = captured_sydney.forces.reported[there]
    off = np.abs(found.forces.torque_nm[rows] - captured_sydney.forces.torque_nm[there])[both]
    assert both.sum() > 100
    assert off.max() < TORQUE_FLOOR * captured_sydney.robot.mass_kg * 9.81
