"""Reconstruction: forces of a movement from its angles alone, judged by a gait whose forces are known."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from strut import load_robot, walk
from strut.errors import BadMotionError, OutOfRangeError, StrutError, UnknownNameError
from strut.optimal.phase_times import PhaseTime, checked_phases, detected_phases, read_phases
from strut.optimal.reconstruct import reconstruct


def true_phases(gait):
    borders = np.concatenate([[0.0], np.cumsum(gait.trajectory.duration_s)])
    names = [phase.name for phase in gait.trajectory.problem.phases]
    return [PhaseTime(name, start, stop) for name, (start, stop) in zip(names, pairwise(borders), strict=True)]


def test_own_gait_gives_back_its_torques_and_ground_forces(gait, heiman):
    known = gait.trajectory
    found = reconstruct(gait.motion(steps=2, rate_hz=500.0), heiman, phases=true_phases(gait))
    assert found.soundness.complaints() == []
    inside = np.where(np.isin(np.arange(len(known.time_s)), [known.nodes_of(p)[0] for p in range(4)]), 1e-7, -1e-7)
    inside[0] = 0.0
    q, u, rows = found.trajectory.at(known.time_s + inside)
    assert np.abs(q - known.q).max() < 0.01  # rad and m
    assert np.sqrt(np.mean((u - known.u) ** 2)) < 0.02 * np.abs(known.u).max()
    for axis, letter in enumerate("XYZ"):
        theirs = [i for i, name in enumerate(known.problem.contact.row_names) if name.endswith(letter)]
        ours = [i for i, name in enumerate(found.trajectory.problem.contact.row_names) if name.endswith(letter)]
        miss = rows[:, ours].sum(axis=1) - known.force_n[:, theirs].sum(axis=1)
        assert np.sqrt(np.mean(miss**2)) < 0.04 * 75.0 * 9.81, axis


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
