"""Reconstruction: forces of a movement from its angles alone, judged by a gait whose forces are known."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut import load_robot, walk
from strut.errors import BadMotionError, FileError, OutOfRangeError
from strut.human.anatomy import walking_cycle
from strut.human.reconstruction.reconstruct import reconstruct, stopped_at, usual_smoothness
from strut.human.reconstruction.recorded_problem import INTERVAL_S, RecordedAngles, catmull_rom, recorded_problem
from strut.human.walking_direction import WalkingDirection
from strut.maths.rotation import angles_from_qpos, qpos_from_angles
from strut.ocp.collocation import NotSolvedError
from strut.ocp.contact_detection import detect_phases
from strut.ocp.contact_schedule import PhaseTime, check_phases, read_phases


def true_phases(gait):
    borders = np.concatenate([[0.0], np.cumsum(gait.trajectory.duration_s)])
    names = [phase.name for phase in gait.trajectory.problem.phases]
    return [PhaseTime(name, start, stop) for name, (start, stop) in zip(names, pairwise(borders), strict=True)]


def test_own_gait_gives_back_its_torques_and_ground_forces(gait, heiman, coarse_mesh):
    coarse_mesh(2.0)
    known = gait.trajectory
    found = reconstruct(gait.motion(steps=2, rate_hz=500.0), heiman, phases=true_phases(gait))
    assert found.soundness.faults() == []
    inside = np.where(np.isin(np.arange(len(known.time_s)), [known.nodes_of(p)[0] for p in range(4)]), 1e-7, -1e-7)
    inside[0] = 0.0
    q, u, rows = found.trajectory.at(known.time_s + inside)
    assert np.abs(q - known.q).max() < 0.001  # rad and m
    assert np.sqrt(np.mean((u - known.u) ** 2)) < 0.015 * np.abs(known.u).max()
    for letter, most in {"X": 0.012, "Y": 0.005, "Z": 0.016}.items():
        for side in ("Right", "Left", ""):
            theirs = rows_of(known, side, letter)
            ours = rows_of(found.trajectory, side, letter)
            miss = rows[:, ours].sum(axis=1) - known.force_n[:, theirs].sum(axis=1)
            assert np.sqrt(np.mean(miss**2)) < most * 75.0 * 9.81, (letter, side)


def rows_of(path, side, letter):
    return [i for i, name in enumerate(path.problem.contact.row_names) if side in name and name.endswith(letter)]


def bare(motion, start_s=0.0, stop_s=np.inf):
    """Return a stretch of a motion as a laboratory has it: angles and nothing else."""
    kept = (motion.time_s >= start_s) & (motion.time_s <= stop_s)
    return replace(
        motion,
        time_s=motion.time_s[kept],
        qpos=motion.qpos[kept],
        contact=np.zeros((kept.sum(), 0), bool),
        foot_names=(),
        torque_nm=None,
        ground_force_n=None,
        cop_in_world=None,
    )


def test_one_step_without_contact_columns_gives_back_torques_and_forces(gait, heiman, coarse_mesh):
    coarse_mesh(2.0)
    known = gait.motion(steps=3, rate_hz=100.0)
    start_s = 0.2 * gait.trajectory.time_s[-1]
    step_s = gait.trajectory.time_s[-1]
    found = reconstruct(bare(known, start_s, start_s + step_s))  # from the middle of a step to that of the next
    assert found.soundness.faults() == []
    assert found.soundness.playback_error_rad < np.radians(1.0)
    first_s = found.asked["phases"][0][1]
    kept = (known.time_s >= first_s) & (known.time_s < first_s + found.trajectory.time_s[-1])
    _, u, rows = found.trajectory.at(known.time_s[kept] - first_s)
    assert np.sqrt(np.mean((u - known.torque_nm[kept]) ** 2)) < 0.012 * np.abs(known.torque_nm).max()
    for axis, (letter, most) in enumerate({"X": 0.006, "Y": 0.005, "Z": 0.021}.items()):
        miss = rows[:, rows_of(found.trajectory, "", letter)].sum(axis=1) - known.ground_force_n[kept, :, axis].sum(
            axis=1
        )
        assert np.sqrt(np.mean(miss**2)) < most * 75.0 * 9.81, letter


def test_the_published_formulation_is_one_step_that_weighs_torques(gait, heiman):
    motion = gait.motion(steps=2)
    with pytest.raises(OutOfRangeError, match="one step of four phases; this motion has 3"):
        reconstruct(motion, heiman, formulation="published", phases=true_phases(gait)[:3])
    recording = RecordedAngles(motion.time_s, angles_from_qpos(motion.qpos), tuple(true_phases(gait)), 0.0)
    problem, _ = recorded_problem(heiman, recording, "published")
    assert [cost.name for cost in problem.costs] == ["recording", "effort"]
    assert problem.costs[1].weight == pytest.approx(0.01**2 * problem.costs[0].weight)
    assert "HeelRight Z" in problem.phases[0].unloaded  # the heel is unloaded when it leaves (behaviour 36)
    assert set(problem.phases[3].unloaded) == {f"{point}Right {axis}" for point, axis in TOES}


TOES = [("Hallux", "X"), ("Hallux", "Y"), ("Hallux", "Z"), ("Meta5", "X"), ("Meta5", "Z")]


def test_catmull_rom_slopes_are_those_of_the_chords():
    time = np.array([0.0, 1.0, 3.0, 6.0]) / 2.0
    curve = catmull_rom(time, (time**2)[:, None])
    assert_allclose(curve(time)[:, 0], time**2)
    assert_allclose(curve(time, 1)[:, 0], [0.5, 1.5, 3.5, 4.5])  # of t², a chord's slope is the sum of its ends


@pytest.mark.parametrize("rate_hz", [100.0, 200.0])
def test_noise_asks_for_smoother_torques(gait, rate_hz):
    motion = gait.motion(steps=2, rate_hz=rate_hz)
    assert usual_smoothness(motion) == 1.0
    q = angles_from_qpos(motion.qpos)
    q[:, 6:] += np.radians(0.5) * np.random.default_rng(0).normal(size=q[:, 6:].shape)
    noisy = replace(motion, qpos=qpos_from_angles(q))
    assert usual_smoothness(noisy) == pytest.approx(4e4 * (0.5 * np.sqrt(100.0 / rate_hz)) ** 1.5, rel=0.1)


@pytest.fixture(scope="module", params=[100.0, 200.0])
def four_steps(gait, heiman, request):
    """Four steps at a rate, and their contact sets in order."""
    motion = gait.motion(steps=4, rate_hz=request.param)
    return motion, [phase.contact for phase in detect_phases(heiman, motion, walking_cycle(heiman))]


@pytest.mark.parametrize(("start", "stop"), [(0.0, 1.0), (0.0, 4.0), (0.4, 1.9), (0.7, 2.55)])
def test_phases_are_seen_without_contact_columns(gait, heiman, four_steps, start, stop):
    motion, order = four_steps
    step_s = gait.trajectory.time_s[-1]
    seen = detect_phases(heiman, bare(motion, start * step_s, stop * step_s + 1e-9), walking_cycle(heiman))
    first = order.index(seen[0].contact)
    assert [phase.contact for phase in seen] == order[first : first + len(seen)]
    true = np.concatenate([np.cumsum(gait.trajectory.duration_s) + step * step_s for step in range(4)])
    inside = true[(true > start * step_s + 0.03) & (true < stop * step_s - 0.03)]
    borders = np.array([phase.stop_s for phase in seen])
    assert np.abs(inside[:, None] - borders).min(axis=1).max() < 0.004


def test_columns_that_never_touch_say_nothing(gait, heiman):
    motion = gait.motion(steps=2)
    mute = replace(motion, contact=np.zeros_like(motion.contact))
    assert detect_phases(heiman, mute, walking_cycle(heiman)) == detect_phases(
        heiman, bare(motion), walking_cycle(heiman)
    )


def test_feet_that_noise_hides_are_not_guessed(gait, heiman):
    motion = bare(gait.motion(steps=2))
    noise = np.zeros_like(motion.qpos)
    noise[:, 7:] = np.random.default_rng(0).normal(scale=np.radians(0.5), size=(len(noise), 28))
    with pytest.raises(BadMotionError, match=r"0\.5 degrees of noise, too much to see which feet touch"):
        detect_phases(heiman, replace(motion, qpos=motion.qpos + noise), walking_cycle(heiman))


def test_phases_that_miss_contact_are_refused(gait, heiman):
    with pytest.raises(OutOfRangeError, match=r"says that \w+Left touches the ground, but at .* mm above it"):
        check_phases(heiman, gait.motion(steps=1), (PhaseTime("LeftFlat", 0.05, 0.25),))


@pytest.mark.parametrize(
    ("number", "words"), [(0, "RightFlat says that HeelRight touches"), (1, "RightForefoot does not name HeelLeft")]
)
def test_phases_that_end_too_late_are_refused(gait, heiman, number, words):
    phase = true_phases(gait)[number]
    with pytest.raises(OutOfRangeError, match=words):
        check_phases(heiman, gait.motion(steps=2), (replace(phase, stop_s=phase.stop_s + 0.15),))


@pytest.fixture
def coarse_mesh(monkeypatch):
    """Twice or four times as long intervals: enough where no torque is compared to the last digits."""
    return lambda times: monkeypatch.setitem(INTERVAL_S, "samples", times * INTERVAL_S["samples"])


@pytest.mark.parametrize("direction_rad", [2.6])
def test_a_walk_in_any_direction_is_solved_along_x_and_put_back(gait, direction_rad, coarse_mesh):
    coarse_mesh(4.0)
    turned = WalkingDirection(direction_rad, 0.4).restored(gait.motion(steps=2))
    with pytest.raises(NotSolvedError) as stopped:
        reconstruct(turned, phases=true_phases(gait), on_iteration=lambda iteration: iteration.number == 2)
    path = stopped.value.best.trajectory
    assert np.abs(path.q[:, 5]).max() < 0.3  # the pelvis faces along x
    assert path.q[-1, 0] - path.q[0, 0] == pytest.approx(gait.step_length_m, abs=0.03)
    back = stopped_at(gait.robot, turned, stopped.value.best).motion(steps=1)
    assert_allclose(back.qpos[:, :2], turned.qpos[: len(back.qpos), :2], atol=0.02)


def test_phases_are_read_from_the_contacts_of_a_motion(gait, heiman):
    motion = gait.motion(steps=2)
    phases = detect_phases(heiman, motion, walking_cycle(heiman))
    assert [phase.contact for phase in phases] == [
        *("RightFlat", "RightForefoot", "RightForefootLeftHeel", "RightForefootLeftFlat"),
        *("LeftFlat", "LeftForefoot", "LeftForefootRightHeel", "LeftForefootRightFlat"),
    ]
    for found, true in zip(phases, true_phases(gait), strict=False):
        assert found.stop_s == pytest.approx(true.stop_s, abs=0.0101)
    assert check_phases(heiman, motion, phases) == phases


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
        check_phases(heiman, gait.motion(steps=1), tuple(PhaseTime(*phase) for phase in phases))


def test_unknown_contact_sets_are_refused_with_the_known_ones(gait, heiman):
    with pytest.raises(OutOfRangeError, match="no contact set 'RightFlatt'; there are RightHeel, RightFlat, "):
        check_phases(heiman, gait.motion(steps=1), (PhaseTime("RightFlatt", 0.0, 0.2),))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[{"set": "RightFlat"}]', r"missing required field `start_s` - at `\$\[0\]`; phases are a list such as"),
        ('[{"start_s": 0, "stop_s": 1}]', "missing required field `set`"),
        ('["RightFlat"]', r"Expected `object`, got `str` - at `\$\[0\]`"),
        ('{"set": "RightFlat"}', "Expected `array`, got `object`"),
        ('[{"set": "RightFlat", "start_s": "0", "stop_s": 1}]', r"Expected `float`, got `str` - at `\$\[0\].start_s`"),
        ("RightFlat 0 1", "is not JSON"),
    ],
)
def test_broken_phase_files_are_refused(tmp_path, text, words):
    (tmp_path / "bad.json").write_text(text, "utf-8")
    with pytest.raises(FileError, match=words):
        read_phases(tmp_path / "bad.json")


def test_phase_files_are_read(tmp_path):
    good = tmp_path / "phases.json"
    good.write_text(json.dumps([{"set": "RightFlat", "start_s": 0.0, "stop_s": 0.2}]), "utf-8")
    assert read_phases(good) == (PhaseTime("RightFlat", 0.0, 0.2),)
    with pytest.raises(FileError, match="no such file"):
        read_phases(tmp_path / "none.json")
    with pytest.raises(FileError, match="is a folder"):
        read_phases(tmp_path)


def test_instants_that_touch_in_an_unknown_way_are_named(gait, heiman):
    motion = gait.motion(steps=1)
    contact = motion.contact.copy()
    contact[5] = False
    with pytest.raises(BadMotionError, match="nothing touches the ground"):
        detect_phases(heiman, replace(motion, contact=contact), walking_cycle(heiman))


def test_motions_of_other_robots_are_refused():
    crawl = walk("mrpete", "neutral", cycles=3, rate_hz=50.0)
    with pytest.raises(BadMotionError, match="only human models"):
        reconstruct(crawl, load_robot("mrpete"))
