"""Perform: the hand does its task whatever the rest feels, and the rest shows it within its limits."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

import strut
from strut.emotion import Emotion
from strut.engines.frame_kinematics import frame_poses
from strut.engines.rigid_body import point_masses
from strut.errors import (
    BadTableError,
    FileError,
    OutOfRangeError,
    RefusedError,
    StrutError,
    UnknownNameError,
    UnreachablePathError,
)
from strut.formats.motion_file import load_motion, save_motion
from strut.gaits.hand_task.hand_path import HandPath
from strut.gaits.hand_task.hand_path_file import load_hand_path
from strut.gaits.hand_task.named_tasks import hand_task
from strut.gaits.hand_task.tracking_problem import TrackingProblem, tracked
from strut.models.catalogue import load_robot
from strut.models.solids import solids
from strut.simulation.playback import simulate
from strut.style import Style
from strut.verify.check import check
from strut.verify.measure import audit

CORNERS = {"".join("LH"[x > 0] for x in pad): pad for pad in product((-0.75, 0.75), repeat=3)}
STUDY = {
    "happiness": (0.40, 0.20, 0.10),
    "sadness": (-0.40, -0.20, -0.50),
    "fear": (-0.64, 0.60, -0.43),
    "calm": (0.30, -0.20, 0.40),
}
FEELINGS = CORNERS | STUDY
USER_M = np.array([3.0, 0.0, 1.2])


@pytest.fixture(scope="module")
def pepper():
    return load_robot("pepper")


@cache
def waving(feeling):
    return strut.perform(
        "pepper", "wave", Emotion(*FEELINGS[feeling]) if feeling else None, duration_s=3.0, rate_hz=50.0
    )


def hand_in_world(robot, motion, frame="right_wrist"):
    return frame_poses(robot, frame, motion.qpos)


@pytest.mark.parametrize("feeling", FEELINGS)
def test_waving_is_not_disturbed_by_any_feeling(pepper, feeling):
    motion = waving(feeling)
    calm = waving(None)
    assert len(motion.time_s) == 151
    apart_m = hand_in_world(pepper, motion)[0] - hand_in_world(pepper, calm)[0]
    assert np.linalg.norm(apart_m, axis=1).max() < 5e-5  # 0.05 mm
    assert motion.receipt.task_error_mm < 0.05
    assert motion.receipt.gaze_error_rad < 0.002
    assert (motion.joint_angles_rad >= pepper.joint_lower_rad).all()
    assert (motion.joint_angles_rad <= pepper.joint_upper_rad).all()
    assert motion.receipt.joint_speed_use < 1.0
    assert motion.receipt.torque_use < 1.0
    assert motion.receipt.redundancy == 6


def test_feelings_look_different():
    happy = waving("happiness").joint_angles_rad
    sad = waving("sadness").joint_angles_rad
    assert np.abs(happy - sad).max() > 0.3


def test_only_looks_that_the_head_cannot_reach_are_weakened():
    assert {name for name in FEELINGS if waving(name).receipt.verdict == "weakened"} == {"LLL", "HLL"}
    receipt = waving("LLL").receipt
    assert 0.8 < receipt.intensity_kept < 1.0
    assert str(receipt.reasons[0]).startswith("gaze: the head reaches its end, so directness is 0.1")


def test_strict_refuses_what_would_be_weakened():
    with pytest.raises(RefusedError, match="Without --strict it would show"):
        strut.perform("pepper", "wave", Emotion(-0.75, -0.75, -0.75), duration_s=2.0, rate_hz=50.0, strict=True)


def test_without_a_feeling_nothing_about_it_is_claimed():
    receipt = waving(None).receipt
    assert (receipt.emotion, receipt.pad, receipt.intensity_kept, receipt.gaze_error_rad) == (None, None, None, None)
    assert receipt.task_error_mm < 0.05
    assert (receipt.foot_slip_mm, receipt.cost_of_transport) == (None, None)


def test_paper_law_misses_the_gaze_as_published_numbers_say(pepper):
    path = hand_task(pepper, "wave", duration_s=10.0)
    part = TrackingProblem(
        pepper, path, Style(jerkiness=0.125, activity=0.875, gaze=0.875), USER_M, "paper", np.linspace(0, 10, 1001), 1
    )
    played = tracked(part)
    assert np.mean(played.gaze_error_rad[300:]) == pytest.approx(0.034, abs=0.008)
    assert np.max(played.gaze_error_rad[300:]) == pytest.approx(0.053, abs=0.008)
    assert played.hand_error_m.max() < 5e-5


def test_without_feed_forward_the_hand_lags_behind_as_the_reference_says(pepper, monkeypatch):  # 23.7 mm at gain 10
    path = hand_task(pepper, "wave", duration_s=6.0)
    monkeypatch.setattr(HandPath, "velocity", lambda _path, time_s: np.zeros((len(time_s), 6)))
    monkeypatch.setattr("strut.gaits.hand_task.hand_tracking.MAX_HAND_ERROR_M", np.inf)
    monkeypatch.setattr("strut.gaits.hand_task.hand_tracking.MAX_HAND_TURN_RAD", np.inf)
    played = tracked(TrackingProblem(pepper, path, None, USER_M, "corrected", np.linspace(0, 6, 601), 1))
    assert 1e3 * played.hand_error_m.max() == pytest.approx(23.7, abs=1.0)


def test_left_arm_follows_the_posture_as_a_first_order_lag(pepper):  # 0.963 and 15.6 degrees at gain 10 and 2.79 rad/s
    path = hand_task(pepper, "still", duration_s=10.0)
    part = TrackingProblem(
        pepper, path, Style(jerkiness=0.0, activity=0.5), USER_M, "corrected", np.linspace(0, 10, 1001), 1
    )
    roll = tracked(part).qpos[:, 3 + pepper.joint_names.index("LShoulderRoll")]
    steady = slice(300, 300 + 450)  # two periods, before the clock slows down again
    clock_s = (np.arange(1001) * 0.01 - 0.5)[steady]  # the clock lost half a second while it was eased in
    basis = np.stack([np.sin(2.79 * clock_s), np.cos(2.79 * clock_s), np.ones_like(clock_s)], axis=1)
    sine, cosine, _ = np.linalg.lstsq(basis, roll[steady], rcond=None)[0]
    assert np.hypot(sine, cosine) / (0.5 * 0.45) == pytest.approx(0.963, abs=0.003)
    assert np.degrees(np.arctan2(-cosine, sine)) == pytest.approx(15.6, abs=0.5)


def test_a_carried_tray_stays_level_and_on_its_path_while_the_platform_drives(pepper):
    for emotion in ("happy", "sad"):
        motion = strut.perform("pepper", "carry", emotion, rate_hz=50.0)
        position, rotation = hand_in_world(pepper, motion)
        wanted = hand_task(pepper, "carry", duration_s=10.0).poses(motion.time_s)
        assert np.linalg.norm(position - wanted.position_m, axis=1).max() < 1e-3
        tray_up = rotation @ (rotation[0].T @ [0.0, 0.0, 1.0])
        assert np.degrees(np.arccos(np.clip(tray_up[:, 2], -1.0, 1.0))).max() < 0.5
        assert motion.receipt.distance_m > 1.0
        assert motion.receipt.gaze_error_rad < 0.002


def test_pointing_ends_with_the_forearm_towards_the_target(pepper):
    target = np.array([2.0, -1.0, 0.8])
    motion = strut.perform("pepper", "point", "proud", target_m=target, duration_s=5.0)
    position, rotation = hand_in_world(pepper, motion)
    towards = target - position[-1]
    assert rotation[-1][:, 0] @ towards / np.linalg.norm(towards) > np.cos(np.radians(0.5))
    assert motion.receipt.redundancy == 7  # the hand may spin


def test_a_still_hand_stays_where_it_is(pepper):
    position, _ = hand_in_world(pepper, strut.perform("pepper", "still", "angry", duration_s=5.0))
    assert np.ptp(position, axis=0).max() < 5e-5


def test_a_free_platform_leaves_nine_dimensions(pepper):
    fearful = Emotion(*CORNERS["LHL"])  # which the head can follow
    motion = strut.perform("pepper", "wave", fearful, platform="free", duration_s=3.0, rate_hz=50.0)
    assert motion.receipt.redundancy == 9
    assert motion.receipt.task_error_mm < 0.05
    assert motion.receipt.gaze_error_rad < 0.002


def test_every_feeling_stays_within_every_limit(pepper):
    rng = np.random.default_rng(3)
    for pad in [(-1.0, 1.0, -1.0), (-1.0, 1.0, 1.0), *rng.uniform(-1.0, 1.0, (2, 3))]:
        motion = strut.perform("pepper", "wave", Emotion(*pad), duration_s=3.0, rate_hz=50.0)
        again = check(motion)
        assert again.verdict == "ok"
        assert again.joint_limit_margin_rad >= 0.0
        assert again.task_error_mm == pytest.approx(motion.receipt.task_error_mm, abs=1e-6)


@pytest.mark.parametrize(
    ("task", "law"), [("wave", "corrected"), ("carry", "corrected"), ("point", "corrected"), ("wave", "paper")]
)
def test_all_that_a_receipt_claims_is_measured_again(task, law):
    motion = strut.perform("pepper", task, "fearful", duration_s=5.0, rate_hz=50.0, law=law)
    claimed = motion.receipt
    again = check(motion)
    assert again.verdict == "ok"
    assert again.gaze_error_rad == pytest.approx(claimed.gaze_error_rad, rel=1e-6, abs=1e-9)
    assert again.task_error_mm == pytest.approx(claimed.task_error_mm, rel=1e-6, abs=1e-9)
    assert again.balance_margin_mm == pytest.approx(claimed.balance_margin_mm, rel=1e-9)
    assert again.redundancy == claimed.redundancy


def changed(motion, joint, by_rad, since_s=0.0):
    robot = load_robot("pepper")
    qpos = motion.qpos.copy()
    late = motion.time_s >= since_s
    qpos[late, 3 + robot.joint_names.index(joint)] += by_rad
    return replace(motion, qpos=qpos)


def test_a_hand_off_its_task_and_a_head_off_its_goal_are_refused(tmp_path, pepper):
    motion = strut.perform("pepper", "wave", "happy", duration_s=4.0, rate_hz=50.0)
    off = check(changed(motion, "RShoulderRoll", -0.3))
    assert off.verdict == "refused"
    assert any(str(reason).startswith("task: the hand is ") for reason in off.reasons)
    assert any("task: the hand is turned 0.3" in str(reason) for reason in off.reasons)
    away = check(changed(motion, "HeadYaw", 0.1))
    assert [str(reason).split(" at ")[0] for reason in away.reasons] == [
        "gaze: the head looks 0.103 rad beside its goal"
    ]
    assert away.gaze_error_rad == pytest.approx(0.1, abs=0.005)
    path = load_hand_path(pepper, csv_path(tmp_path, circle((0.2, -0.2, 0.8), 0.03)), "right")
    drawn = strut.perform(pepper, path, "happy")
    save_motion(drawn, tmp_path / "drawn.npz")
    read = load_motion(tmp_path / "drawn.npz")
    assert check(read).task_error_mm == pytest.approx(drawn.receipt.task_error_mm, rel=1e-6)
    assert check(read).redundancy == 9
    assert check(changed(read, "RElbowRoll", 0.05)).verdict == "refused"


@pytest.mark.parametrize(
    "lie",
    [
        {"duration_s": "abc"},
        {"duration_s": 3.0},
        {"target_m": "there"},
        {"path": [[0.0, 1.0], [1.0]]},
        {"path": [["a", 0.0, 0.0, 0.0]]},
    ],
)
def test_nonsense_about_the_task_is_refused_in_words(lie):
    motion = strut.perform("pepper", "wave", "happy", duration_s=2.0, rate_hz=50.0)
    with pytest.raises(StrutError, match=r"makes no sense|has no target"):
        check(replace(motion, meta={**motion.meta, "task": {**motion.meta["task"], **lie}}))


def test_a_platform_too_fast_for_its_motors_is_refused():
    with pytest.raises(RefusedError, match=r"platform: its speed reaches 2\d\d % of its limit.*--duration"):
        strut.perform("pepper", "carry", duration_s=2.0)
    with pytest.raises(RefusedError, match="platform: its speed"):
        strut.perform("pepper", "carry", "happy", duration_s=1.0, rate_hz=50.0)


def test_the_wheels_carry_what_momentum_says(pepper):
    """The centre of pressure, by momentum from finite differences of all parts, against the audit's."""
    motion = strut.perform("pepper", "carry", "fearful", duration_s=5.0)
    measured = audit(pepper, motion.time_s, motion.qpos, motion.contact)
    model = pepper.model
    masses = point_masses(pepper, motion.qpos)
    step_s = motion.time_s[1]
    acceleration = np.diff(masses.centre_in_world, n=2, axis=0) / step_s**2 + [0.0, 0.0, 9.81]
    force = masses.mass_kg[:, None] * acceleration
    moment = np.cross(masses.centre_in_world[1:-1], force).sum(axis=1)  # but for the parts' own spin
    cop = np.stack([-moment[:, 1], moment[:, 0]], axis=1) / force[..., 2].sum(axis=1, keepdims=True)
    assert np.abs(cop - measured.cop_in_world[1:-1]).max() < 1.5e-3
    assert force[..., 2].sum(axis=1).mean() == pytest.approx(9.81 * float(model.body_mass.sum()), rel=1e-3)
    assert motion.receipt.balance_margin_mm == pytest.approx(1e3 * measured.margin_m.min())
    assert 40.0 < motion.receipt.balance_margin_mm < 92.0  # 92 mm is the circle inside the three wheels


def test_leaning_too_far_over_the_wheels_is_refused(pepper):
    motion = strut.perform("pepper", "still", None, duration_s=2.0, rate_hz=50.0)
    leaning = check(changed(changed(motion, "HipPitch", 1.0), "KneePitch", 0.5))
    assert any("inside the wheels" in reason.text for reason in leaning.reasons)


def test_physics_plays_it_with_torque_limited_servos():
    for feeling in ("LHL", "HHH", "sadness"):
        outcome = simulate(waving(feeling)).outcome
        assert outcome.hand_error_mm < 1.0
        assert outcome.torque_use <= 1.0
        assert outcome.foot_slip_mm is None
    carried = simulate(strut.perform("pepper", "carry", "happy", rate_hz=50.0)).outcome
    assert carried.hand_error_mm < 10.0
    assert carried.distance_m == pytest.approx(carried.commanded_distance_m, abs=0.01)


def test_the_same_input_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        save_motion(strut.perform("pepper", "wave", "happy", duration_s=2.0, rate_hz=50.0), tmp_path / f"{name}.npz")
    assert (tmp_path / "a.npz").read_bytes() == (tmp_path / "b.npz").read_bytes()
    assert load_motion(tmp_path / "a.npz").receipt.redundancy == 6


def test_slow_rates_are_integrated_as_finely(pepper):
    motion = strut.perform("pepper", "wave", Emotion(-0.75, 0.75, 0.75), rate_hz=20.0, duration_s=4.0)
    assert motion.receipt.task_error_mm < 0.05


def csv_path(tmp_path, rows, header="time_s,x_m,y_m,z_m"):
    path = tmp_path / "path.csv"
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


def circle(centre, radius_m, samples=60):
    angle = np.linspace(0.0, 2.0 * np.pi, samples)
    eased = angle - np.sin(angle)
    x, y, z = centre
    return [
        f"{3 * a / angle[-1]},{x},{y + radius_m * np.sin(e)},{z + radius_m * (1 - np.cos(e))}"
        for a, e in zip(angle, eased, strict=True)
    ]


def test_a_path_from_a_table_is_followed(tmp_path, pepper):
    path = load_hand_path(pepper, csv_path(tmp_path, circle((0.2, -0.2, 0.8), 0.03)), "right")
    motion = strut.perform(pepper, path, "happy")
    assert motion.receipt.task_error_mm < 0.1
    assert motion.receipt.redundancy == 9  # three dimensions of position, three of the head
    np.testing.assert_allclose(hand_in_world(pepper, motion)[0][0], [0.2, -0.2, 0.8], atol=1e-4)


def test_a_path_from_a_motion_is_followed(tmp_path, pepper):
    save_motion(waving("happiness"), tmp_path / "wave.npz")
    motion = strut.perform(pepper, load_hand_path(pepper, tmp_path / "wave.npz", "right"), "sad", rate_hz=50.0)
    apart_m = hand_in_world(pepper, motion)[0] - hand_in_world(pepper, waving("happiness"))[0]
    assert np.linalg.norm(apart_m, axis=1).max() < 1e-4


@pytest.mark.parametrize(
    ("rows", "header", "sentence"),
    [
        (["0,1,1,1", "1,1,nan,1", "2,1,1,1", "3,1,1,1"], "time_s,x_m,y_m,z_m", "row 2 has 'nan' in y_m"),
        (["0,1,1,1", "1,1,1,one"], "time_s,x_m,y_m,z_m", "row 2 has 'one' in z_m"),
        (["0,1,1"], "time_s,x_m,y_m,z_m", "row 1 has 3 columns instead of 4"),
        (["0,1,1,1", "1,1,1,1"], "time_s,x_m,y_m,z_m", "has 2 rows; a path needs at least 4"),
        (["0,1,1,1", "2,1,1,1", "1,1,1,1", "3,1,1,1"], "time_s,x_m,y_m,z_m", "time_s does not increase at row 3"),
        (["0,1,1,1"], "t,x,y,z", "needs the columns time_s,x_m,y_m,z_m"),
        (
            ["0,1,1,1,2,0,0,0"] * 1 + [f"{k},1,1,1,1,0,0,0" for k in range(1, 5)],
            "time_s,x_m,y_m,z_m,qw,qx,qy,qz",
            "row 1 is not of unit",
        ),
    ],
)
def test_bad_tables_are_refused_with_the_first_bad_row(tmp_path, pepper, rows, header, sentence):
    with pytest.raises(FileError, match=sentence):
        load_hand_path(pepper, csv_path(tmp_path, rows, header), "right")


def test_a_path_out_of_reach_names_the_first_frame_and_by_how_much(tmp_path, pepper):
    path = load_hand_path(pepper, csv_path(tmp_path, circle((1.5, -0.2, 0.8), 0.03)), "right")
    with pytest.raises(UnreachablePathError, match=r"at frame 0 \(0.00 s\) it is \d+\.\d mm"):
        strut.perform(pepper, path, "happy")
    rows = [f"{t},{0.2 + 0.3 * t},-0.2,0.8" for t in np.linspace(0.0, 4.0, 40)]
    with pytest.raises(UnreachablePathError) as caught:
        strut.perform(pepper, load_hand_path(pepper, csv_path(tmp_path, rows), "right"), "happy")
    assert 50 < caught.value.frame < 400


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        ({"task": "dance"}, UnknownNameError, "no task 'dance'"),
        ({"user_m": (0.0, 0.0, 0.9)}, OutOfRangeError, "is inside pepper or touches it"),
        ({"user_m": (1.0, np.nan, 0.9)}, OutOfRangeError, "three finite numbers"),
        ({"duration_s": 0.0}, OutOfRangeError, "duration is 0 s"),
        ({"duration_s": -1.0}, OutOfRangeError, "duration is -1 s"),
        ({"rate_hz": 0.0}, OutOfRangeError, "rate is 0 samples per second"),
        ({"rate_hz": float("nan")}, OutOfRangeError, "rate is nan"),
        ({"law": "other"}, OutOfRangeError, "law is 'other'"),
        ({"target_m": (1.0, 0.0, 1.0)}, OutOfRangeError, "Task wave has no target"),
        (
            {"task": "point", "target_m": (0.05, -0.2, 0.8)},
            OutOfRangeError,
            "of the elbow; point at something farther off",
        ),
        ({"task": "point", "target_m": (-2.0, 0.0, 1.0)}, StrutError, "choose a target in front of it"),
        ({"task": "point", "target_m": (0.0, -1.0, 1.0)}, StrutError, "choose a target in front of it"),
        ({"margin_m": -1.0}, OutOfRangeError, "balance margin is -1 m"),
    ],
)
def test_what_cannot_be_is_refused(arguments, error, sentence):
    with pytest.raises(error, match=sentence):
        strut.perform(**{"robot": "pepper", "task": "wave", "duration_s": 3.0, "rate_hz": 50.0} | arguments)


def test_a_user_beside_the_robot_costs_directness_and_not_the_task():
    receipt = strut.perform("pepper", "wave", "happy", user_m=(0.0, 3.0, 1.2), duration_s=3.0, rate_hz=50.0).receipt
    assert receipt.verdict == "weakened"
    assert receipt.task_error_mm < 0.05
    assert receipt.gaze_error_rad < 0.002
    assert 0.0 <= receipt.intensity_kept < 1.0


def test_a_user_behind_the_robot_is_refused_with_advice():
    with pytest.raises(RefusedError, match="can look neither at the user"):
        strut.perform("pepper", "wave", Emotion(0.0, -1.0, 0.9), user_m=(-3.0, 0.2, 1.2), duration_s=3.0, rate_hz=20.0)


def test_robots_on_feet_do_not_perform():
    with pytest.raises(BadTableError, match="stands on its feet"):
        strut.perform("mrpete", "wave")


def test_an_unknown_hand_is_refused(tmp_path, pepper):
    with pytest.raises(UnknownNameError, match="no hand 'third'"):
        load_hand_path(pepper, tmp_path / "path.csv", "third")


def test_distances_from_solids_are_those_of_geometry(pepper):
    kinds = {solid.kind: solid for solid in solids(pepper)}
    box = replace(kinds["box"], size_m=np.array([1.0, 2.0, 3.0]))
    assert box.distance_m(np.array([4.0, 2.0, 7.0])) == pytest.approx(5.0)
    capsule = replace(kinds["capsule"], size_m=np.array([0.5, 2.0, 0.0]))
    assert capsule.distance_m(np.array([0.0, 0.0, 3.0])) == pytest.approx(0.5)
    assert capsule.distance_m(np.array([2.0, 0.0, 1.0])) == pytest.approx(1.5)
    assert replace(kinds["sphere"], size_m=np.array([0.5, 0, 0])).distance_m(np.zeros(3)) < 0.0
