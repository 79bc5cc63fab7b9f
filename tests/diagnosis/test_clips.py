"""Clips of other programs at once: what is wrong with each is found, in parallel, resumable, on one page.

The clips are made here without strut's planners: a walk on a biped by differential inverse kinematics frame by frame
(mink), damaged by NumPy as conversions damage clips.
"""

import json
import multiprocessing
import os
import signal
import subprocess
import sys
from pathlib import Path

import mink
import numpy as np
import pytest

import strut
from strut.cli.main import main
from strut.diagnosis.clip_result import check_clip
from strut.diagnosis.clip_run import check_clips, clips_in
from strut.engines.rigid_body import foot_contact_points
from strut.errors import FileError
from strut.plumbing.task_farm import TaskFarm
from strut.verify.check import examine
from strut.verify.clip_findings import exchange_legs

ROBOT = "alice"
RATE_HZ = 50.0
STEP_S = 0.8
SINK_M = 0.015
KNEES = ("L_knee", "R_knee")
KNEE_RAD = 0.4
OPTIONS = {"robot": ROBOT, "rate_hz": RATE_HZ}


def ik_walk(drag_m=0.0, *, lift_m=0.03, sway_m=0.035, turn_rad=0.0):
    """Return the configurations of four steps in place whose feet mink holds, or drags ahead by `drag_m` in a stance.

    The soles are at height 0. Without lift and sway it is a row of squats.
    """
    robot = strut.load_robot(ROBOT)
    standing = robot.standing_qpos.copy()
    configuration = mink.Configuration(robot.model, q=standing)
    trunk = robot.model.body(1).name
    feet = [mink.FrameTask(foot.frame, "site", position_cost=100.0, orientation_cost=1.0) for foot in robot.feet]
    base = mink.FrameTask(trunk, "body", position_cost=1.0, orientation_cost=1.0)
    posture = mink.PostureTask(robot.model, cost=1e-3)
    posture.set_target(standing)
    home = configuration.get_transform_frame_to_world(trunk, "body")
    sole = [configuration.get_transform_frame_to_world(foot.frame, "site") for foot in robot.feet]
    bent = standing.copy()
    for joint in KNEES:  # from straight knees, which way they bend is undefined
        bent[robot.base_size + robot.joint_names.index(joint)] += KNEE_RAD
    if lift_m:
        configuration.update(bent)
    rows = []
    for time_s in np.arange(int(4 * STEP_S * RATE_HZ)) / RATE_HZ:
        step, share = divmod(time_s / STEP_S, 1.0)
        swinging = int(step) % 2
        for foot, task in enumerate(feet):
            up_m = lift_m * np.sin(np.pi * share) ** 2 if foot == swinging else 0.0
            ahead_m = drag_m * (1.0 - share if foot == swinging else share)
            target = sole[foot].translation() + np.array([ahead_m, 0.0, up_m])
            task.set_target(mink.SE3.from_rotation_and_translation(sole[foot].rotation(), target))
        bend = np.sin(np.pi * share) ** 2
        aside_m = sway_m * bend * np.sign(sole[1 - swinging].translation()[1])
        turn = mink.SO3.from_z_radians(turn_rad * bend * (1.0 - 2.0 * swinging))
        shift = home.translation() + np.array([0.0, aside_m, -SINK_M * (1.0 if lift_m else bend)])
        base.set_target(mink.SE3.from_rotation_and_translation(turn @ home.rotation(), shift))
        for _ in range(6):
            velocity = mink.solve_ik(configuration, [*feet, base, posture], 1.0 / RATE_HZ, "daqp", damping=1e-6)
            configuration.integrate_inplace(velocity, 1.0 / RATE_HZ)
        rows.append(configuration.q.copy())
    qpos = np.array(rows)
    qpos[:, 2] -= foot_contact_points(robot, standing[None])[0, :, 2].min()
    return qpos


def write_clip(path, qpos):
    """Write a table of poses as retargeting tools do: quaternions x y z w, six decimals, no header."""
    np.savetxt(path, np.column_stack([qpos[:, :3], qpos[:, [4, 5, 6, 3]], qpos[:, 7:]]), fmt="%.6f", delimiter=",")


@pytest.fixture(scope="module")
def walks():
    return {"held": ik_walk(), "ice": ik_walk(0.04), "squats": ik_walk(lift_m=0.0, sway_m=0.0)}


@pytest.fixture
def folder(walks, tmp_path):
    """Return a folder of clips, each with one fault; one file is no clip at all."""
    clips = tmp_path / "clips"
    clips.mkdir()
    floating = walks["squats"].copy()
    floating[:, 2] += 0.031
    for name, qpos in {**walks, "floating": floating}.items():
        write_clip(clips / f"{name}.csv", qpos)
    (clips / "notes.csv").write_text("left,right\n1,2\n")
    return clips


def examined(path, **options):
    return examine(strut.load_motion(path, **OPTIONS, **options))


def row_of(found, quantity):
    return next(row for row in found.table.rows if row.quantity == quantity)


def test_a_good_clip_of_six_decimals_passes_its_limits(folder):
    found = examined(folder / "squats.csv")
    assert (found.receipt.verdict, found.receipt.reasons, found.faults) == ("ok", (), ())
    assert all(row.broken_share == 0.0 for row in found.table.rows)


def test_feet_like_on_ice_are_found_with_instant_and_share_of_the_time(folder):
    found = examined(folder / "ice.csv")
    slip = row_of(found, "slip")
    np.testing.assert_allclose(slip.worst, 40.0, atol=2.0)  # as far as they were dragged
    np.testing.assert_allclose(slip.at_s % STEP_S % STEP_S, 0.0, atol=0.05)  # at the end of a stance
    assert 0.5 < slip.broken_share < 1.0
    texts = [str(reason) for reason in found.timed_receipt.reasons]
    assert any("slides 4" in text and "% of the time" in text for text in texts)
    assert row_of(examined(folder / "held.csv"), "slip").worst < 2.0


def test_values_over_time_are_where_the_motion_is(folder):
    over_time = examined(folder / "ice.csv").table.over_time
    slip_mm = np.array(over_time["slip"])
    assert len({len(column) for column in over_time.values()}) == 1
    np.testing.assert_allclose(slip_mm.max(), 40.0, atol=2.0)
    assert slip_mm.min() < 10.0  # just after a landing


def test_a_floating_clip_is_said_with_its_height_and_put_on_its_floor_on_demand(folder):
    found = examined(folder / "floating.csv")
    assert found.receipt.verdict == "refused"
    assert any("float above the floor by 31 mm" in fault and "floor_m=0.031" in fault for fault in found.faults)
    on_floor = examined(folder / "floating.csv", floor_m=0.031)
    assert (on_floor.receipt.verdict, on_floor.faults) == ("ok", ())
    notes = strut.load_motion(folder / "floating.csv", **OPTIONS, floor_m=0.031).meta["notes"]
    assert any("floor of the file is at 0.031 m" in note for note in notes)


def test_exchanged_legs_are_said_and_not_changed(tmp_path):
    walk = ik_walk(turn_rad=0.3)  # only a body that turns or leans moves the feet of exchanged legs
    for name, qpos in (("exchanged", exchange_legs(strut.load_robot(ROBOT), walk)), ("right", walk)):
        write_clip(tmp_path / f"{name}.csv", qpos)
        found = examined(tmp_path / f"{name}.csv")
        is_said = any("Left and right legs seem to be exchanged" in fault for fault in found.faults)
        assert is_said == (name == "exchanged")
        np.testing.assert_allclose(strut.load_motion(tmp_path / f"{name}.csv", **OPTIONS).qpos, qpos, atol=2e-6)


def test_a_folder_is_checked_once_and_a_changed_clip_again(folder, walks, tmp_path):
    done = []
    results = tmp_path / "results.jsonl"

    def run():
        done.clear()
        return check_clips(
            clips_in([folder]), OPTIONS, results, workers=1, on_clip=lambda *args: done.append(Path(args[2].file).name)
        )

    verdicts = {Path(one.file).stem: one.verdict for one in run()}
    bad = {"floating": "refused", "held": "refused", "ice": "refused", "notes": "unreadable"}
    assert verdicts == bad | {"squats": "ok"}
    assert len(done) == 5
    assert [one.verdict for one in run()] == list(verdicts.values())
    assert done == []
    write_clip(folder / "ice.csv", walks["squats"])
    assert [one.verdict for one in run() if one.file.endswith("ice.csv")] == ["ok"]
    assert done == ["ice.csv"]


def test_a_run_that_is_killed_goes_on_without_loss_or_doubles(folder, tmp_path):
    results = tmp_path / "results.jsonl"
    code = (
        "import os, signal\n"
        "from pathlib import Path\n"
        "from strut.diagnosis.clip_run import check_clips, clips_in\n"
        "def kill(done, of, result):\n"
        "    if done == 2:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        f"clips = clips_in([Path({str(folder)!r})])\n"
        f"check_clips(clips, {OPTIONS!r}, Path({str(results)!r}), workers=1, on_clip=kill)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], check=False, env=dict(os.environ))
    assert run.returncode == -signal.SIGKILL
    assert len(results.read_text().splitlines()) == 3  # a head and two clips
    with results.open("a") as file:
        file.write('{"file": "cut o')  # as a kill within a line leaves it
    done = []
    found = check_clips(clips_in([folder]), OPTIONS, results, workers=1, on_clip=lambda *args: done.append(args))
    assert (len(done), len(found)) == (3, 5)
    kept = [json.loads(line)["key"] for line in results.read_text().splitlines()[1:]]
    assert sorted(kept) == sorted({one.key for one in found})


def test_a_killed_process_is_a_sentence_and_loses_nothing(walks, tmp_path):
    for number in range(12):
        write_clip(tmp_path / f"{number}.csv", walks["squats"])
    results = tmp_path / "results.jsonl"

    def kill_workers(*_done):
        for worker in multiprocessing.active_children():
            os.kill(worker.pid, signal.SIGKILL)

    with pytest.raises(FileError, match="not complete: a process was killed"):
        check_clips(clips_in([tmp_path]), OPTIONS, results, workers=2, on_clip=kill_workers)
    assert len(results.read_text().splitlines()) >= 2
    found = check_clips(clips_in([tmp_path]), OPTIONS, results, workers=1)
    assert [one.verdict for one in found] == ["ok"] * 12


def test_processes_and_workers_of_dask_find_what_one_process_finds(folder, tmp_path):
    pytest.importorskip("distributed")
    files = clips_in([folder])[:3]
    alone = check_clips(files, OPTIONS, tmp_path / "alone.jsonl", workers=1)
    assert check_clips(files, OPTIONS, tmp_path / "two.jsonl", workers=2) == alone
    with TaskFarm(workers=1) as farm:
        farmed = check_clips(files, OPTIONS, tmp_path / "farm.jsonl", scheduler=farm.address)
    assert [(one.file, one.verdict, one.rows) for one in farmed] == [(one.file, one.verdict, one.rows) for one in alone]


def test_a_file_of_something_else_is_not_taken_for_results(folder, tmp_path, capsys):
    (tmp_path / "diary.txt").write_text("dear diary\n")
    out = str(tmp_path / "diary.txt")
    assert main(["check", str(folder), "--robot", ROBOT, "--out", out]) == 2
    assert "holds no results of `strut check`" in capsys.readouterr().err
    assert (tmp_path / "diary.txt").read_text() == "dear diary\n"
    assert main(["check", str(folder / "ice.csv"), "--robot", ROBOT, "--workers", "2"]) == 2


def test_the_command_line_sums_up_a_folder_in_twenty_lines_and_writes_a_page(folder, tmp_path, capsys):
    page = tmp_path / "page.html"
    command = ["check", str(folder), "--robot", ROBOT, "--read", f"rate_hz={RATE_HZ:g}", "--workers", "1"]
    assert main([*command, "--html", str(page), "--json"]) == 3
    captured = capsys.readouterr()
    said = [line for line in captured.err.splitlines() if not line.startswith("draws") and line]
    assert len(said) <= 20
    assert "checked 5 clips: 1 ok, 3 refused, 1 unreadable." in captured.err
    assert len(json.loads(captured.out)) == 5
    assert (tmp_path / "clips.check.jsonl").exists()
    text = page.read_text()
    assert text.count("data:image/png") >= 3
    assert "ice.csv" in text
    assert "aria-sort" in text
    assert main(command) == 3
    assert "checked 5 clips, 5 of them before" in capsys.readouterr().err


def test_one_clip_has_its_limits_over_time_as_json_and_a_page(folder, tmp_path, capsys):
    page = tmp_path / "ice.html"
    options = ["--robot", ROBOT, "--read", f"rate_hz={RATE_HZ:g}", "--html", str(page), "--json"]
    assert main(["check", str(folder / "ice.csv"), *options]) == 3
    table = json.loads(capsys.readouterr().out)
    assert {row["quantity"] for row in table["limits"]} >= {"slip", "floating", "torque", "friction", "jerk"}
    assert set(table["over_time"]) >= {"time_s", "slip", "pressure outside"}
    assert any("taken" in note for note in table["notes"])
    assert page.read_text().count("data:image/png") >= 1


def test_an_error_of_one_clip_is_its_row():
    result = check_clip("nowhere.csv", "key", OPTIONS, None)
    assert (result["verdict"], result["rows"]) == ("unreadable", ())
    assert "there is no such file" in result["reasons"][0]


def test_files_that_are_no_clips_are_counted_and_the_first_named(tmp_path, capsys):
    for name in "abcd":
        (tmp_path / f"{name}.csv").write_text("participant,perceived\n1,happy\n")
    assert main(["check", str(tmp_path), "--workers", "1", "--out", str(tmp_path / "found.jsonl")]) != 0
    said = capsys.readouterr().err
    assert "b.csv: does not say everything" in said
    assert "c.csv" not in said
    assert "and 2 more that cannot be read; the results name them" in said
