"""Reconstruction: forces of a movement from its angles alone, judged by a gait whose forces are known."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut import load_robot, walk
from strut.engines.nonlinear_program import SolverOptions
from strut.engines.tree import angles_from_qpos
from strut.errors import BadMotionError, OutOfRangeError, StrutError, UnknownNameError
from strut.optimal.phase_times import PhaseTime, checked_phases, detected_phases, detection_error_s, read_phases
from strut.optimal.reconstruct import UNSURE, Recording, catmull_rom, reconstruct, recorded_problem
from strut.optimal.solve import Transcribed


def true_phases(gait):
    borders = np.concatenate([[0.0], np.cumsum(gait.trajectory.duration_s)])
    names = [phase.name for phase in gait.trajectory.problem.phases]
    return [PhaseTime(name, start, stop) for name, (start, stop) in zip(names, pairwise(borders), strict=True)]


@pytest.mark.parametrize("rate_hz", [100.0, 500.0])
def test_own_gait_gives_back_its_torques_and_ground_forces(gait, heiman, rate_hz):
    known = gait.trajectory
    found = reconstruct(gait.motion(steps=2, rate_hz=rate_hz), heiman, phases=true_phases(gait))
    assert found.soundness.complaints() == []
    inside = np.where(np.isin(np.arange(len(known.time_s)), [known.nodes_of(p)[0] for p in range(4)]), 1e-7, -1e-7)
    inside[0] = 0.0
    q, u, rows = found.trajectory.at(known.time_s + inside)
    assert np.abs(q - known.q).max() < 0.005  # rad and m
    assert np.sqrt(np.mean((u - known.u) ** 2)) < 0.02 * np.abs(known.u).max()
    for axis, letter in enumerate("XYZ"):
        for side in ("Right", "Left", ""):
            theirs = rows_of(known, side, letter)
            ours = rows_of(found.trajectory, side, letter)
            miss = rows[:, ours].sum(axis=1) - known.force_n[:, theirs].sum(axis=1)
            assert np.sqrt(np.mean(miss**2)) < 0.01 * 75.0 * 9.81, (axis, side)


def rows_of(path, side, letter):
    return [i for i, name in enumerate(path.problem.contact.row_names) if side in name and name.endswith(letter)]


def test_times_of_phases_are_found_from_samples_that_miss_them(gait, heiman):
    motion = gait.motion(steps=2)  # at 100 Hz the contacts change up to 5 ms from where they really do
    times = detected_phases(heiman, motion)[:4]
    recording = Recording(motion.time_s, angles_from_qpos(motion.qpos), times, detection_error_s(motion))
    problem, guess = recorded_problem(heiman, recording, "samples", UNSURE)
    path = Transcribed(problem).solve(guess, options=SolverOptions(warm=True)).trajectory
    assert_allclose(path.duration_s[:2], gait.trajectory.duration_s[:2], atol=0.002)  # what follows is cut short


def test_the_published_formulation_is_one_step_that_weighs_torques(gait, heiman):
    motion = gait.motion(steps=2)
    with pytest.raises(OutOfRangeError, match="one step of four phases; this motion has 8"):
        reconstruct(motion, heiman, formulation="published")
    recording = Recording(motion.time_s, angles_from_qpos(motion.qpos), tuple(true_phases(gait)), 0.0)
    problem, _ = recorded_problem(heiman, recording, "published")
    assert [cost.name for cost in problem.costs] == ["recording", "effort"]
    assert problem.costs[1].weight == 0.01 * problem.costs[0].weight
    assert "HeelRight Z" in problem.phases[0].unloaded  # the heel is unloaded when it leaves (behaviour 36)
    assert set(problem.phases[3].unloaded) == {f"{point}Right {axis}" for point, axis in TOES}


TOES = [("Hallux", "X"), ("Hallux", "Y"), ("Hallux", "Z"), ("Meta5", "X"), ("Meta5", "Z")]


def test_catmull_rom_slopes_are_those_of_the_chords():
    time = np.array([0.0, 1.0, 3.0, 4.0])
    curve = catmull_rom(time, (time**2)[:, None])
    assert_allclose(curve(time)[:, 0], time**2)
    assert_allclose(curve(np.array([1.0, 3.0]), 1)[:, 0], [3.0, 5.0])  # (9 - 0) / 3 and (16 - 1) / 3


def test_phases_are_seen_from_heights_and_speeds_without_contact_columns(gait, heiman):
    motion = gait.motion(steps=2)
    bare = replace(motion, contact=np.zeros((len(motion.time_s), 0), bool), foot_names=(), ground_force_n=None)
    seen = detected_phases(heiman, bare)
    assert [phase.contact for phase in seen] == [phase.contact for phase in detected_phases(heiman, motion)]
    for found, true in zip(seen, true_phases(gait), strict=False):
        assert found.stop_s == pytest.approx(true.stop_s, abs=0.03)


def test_phases_that_miss_contact_are_refused(gait, heiman):
    with pytest.raises(OutOfRangeError, match=r"says that \w+Left touches the ground, but at .* mm above it"):
        checked_phases(heiman, gait.motion(steps=1), (PhaseTime("LeftFlat", 0.05, 0.25),))


def test_phases_are_read_from_the_contacts_of_a_motion(gait, heiman):
    motion = gait.motion(steps=2)
    phases = detected_phases(heiman, motion)
    assert [phase.contact for phase in phases] == [
        *("RightFlat", "RightForefoot", "RightForefootLeftHeel", "RightForefootLeftFlat"),
        *("LeftFlat", "LeftForefoot", "LeftForefootRightHeel", "LeftForefootRightFlat"),
    ]
    for found, true in zip(phases, true_phases(gait), strict=False):
        assert found.stop_s == pytest.approx(true.stop_s, abs=0.0101)
    assert checked_phases(heiman, motion, phases) == phases


@pytest.mark.parametrize(
    ("phases", "words"),
    [
        ([("RightFlat", 0.0, 0.3), ("RightForefoot", 0.2, 0.4)], "overlap"),
        ([("RightFlat", 0.0, 0.3), ("RightForefoot", 0.35, 0.4)], "leave a gap"),
        ([("RightFlat", 0.3, 0.1)], "in order"),
        ([("RightFlat", 0.0, 99.0)], "but the motion from"),
        ([], "no phases"),
    ],
)
def test_phases_that_do_not_fit_are_refused(gait, heiman, phases, words):
    with pytest.raises(OutOfRangeError, match=words):
        checked_phases(heiman, gait.motion(steps=1), tuple(PhaseTime(*phase) for phase in phases))


def test_unknown_contact_sets_and_broken_files_are_refused(gait, heiman, tmp_path):
    with pytest.raises(UnknownNameError, match="RightFlat"):
        checked_phases(heiman, gait.motion(steps=1), (PhaseTime("RightFlatt", 0.0, 0.2),))
    good = tmp_path / "phases.json"
    good.write_text(json.dumps([{"set": "RightFlat", "start_s": 0.0, "stop_s": 0.2}]), "utf-8")
    assert read_phases(good) == (PhaseTime("RightFlat", 0.0, 0.2),)
    (tmp_path / "bad.json").write_text('[{"set": "RightFlat"}]', "utf-8")
    with pytest.raises(StrutError, match="is not a list of phases"):
        read_phases(tmp_path / "bad.json")
    with pytest.raises(OutOfRangeError, match="no such file"):
        read_phases(tmp_path / "none.json")


def test_instants_that_touch_in_an_unknown_way_are_named(gait, heiman):
    motion = gait.motion(steps=1)
    contact = motion.contact.copy()
    contact[5] = False
    with pytest.raises(BadMotionError, match="nothing touches the ground"):
        detected_phases(heiman, replace(motion, contact=contact))


def test_motions_of_other_robots_are_refused():
    crawl = walk("mrpete", "neutral", cycles=3, rate_hz=50.0)
    with pytest.raises(BadMotionError, match="only human models"):
        reconstruct(crawl, load_robot("mrpete"))
