"""Verbs of the human: mistakes become one sentence and exit code 2, before any long computation starts."""

import json
from dataclasses import replace

import numpy as np
import pytest

from strut.cli.main import main
from strut.formats.motion_file import load_motion, save_motion
from strut.human.transitions.composed_walk import compose_walk
from strut.human.verbs.body_options import BODY_MASS_HELP, human_body
from strut.models.catalogue import load_robot
from strut.models.subject import EVEN_SIDES_NOTE
from strut.motion import Motion


@pytest.fixture
def standing(tmp_path):
    """A file in which the human stands on both feet, which no phase of walking does."""
    robot = load_robot("heiman")
    qpos = np.zeros((20, 35))
    qpos[:, 2] = robot.subject.standing_pelvis_height_m
    qpos[:, 3] = 1.0
    motion = Motion(
        robot="heiman",
        time_s=np.arange(20) * 0.01,
        qpos=qpos,
        joint_names=robot.joint_names,
        contact=np.ones((20, 6), dtype=bool),
        foot_names=robot.foot_names,
        meta={"robot_fingerprint": robot.fingerprint},
    )
    save_motion(motion, tmp_path / "standing.npz")
    return tmp_path / "standing.npz"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--objective", "efort"], "no objective 'efort'"),
        (["--speed", "0"], "walking speed of 0 m/s is impossible"),
        (["--speed", "-1"], "walking speed of -1 m/s is impossible"),
        (["--speed", "nan"], "'nan' is not a speed; write for instance 30cm/s or 0.3 (m/s)."),
        (["--weights", "0,0,0,0"], "All weights are 0"),
        (["--speed", "9"], "walking speed of 9 m/s is impossible"),
        (["--weights", "1,2"], "four are needed"),
        (["--weights", "a,b,c,d"], "not a list of numbers"),
        (["--height", "0.5"], "outside the range of adults"),
        (["--mass", "500"], "outside the range of adults"),
        (["--steps", "0"], "steps is 0"),
        (["--step", "2m"], "step of 2 m is impossible"),
        (["--step", "1m", "--speed", "0.6"], "would last 1.67 s"),
        (["--step", "10cm", "--speed", "2.5"], "choose 0.34 to 1.10 m"),
        (["--manner", "human,sprigs"], "no manner 'sprigs' (nearest: springs, arms)"),
        (["--manner", "human,plain"], "plain means no item besides the criteria, so it cannot go with human"),
        (["--clearance", "400mm"], "toe clearance of 400 mm is impossible"),
        (["--clearance", "20"], "'20' without a unit is 20 metres; write 20mm or 20cm"),
        (["--weights", "1,1,-3,0"], "weight of head is -3"),
        (["--weights", "1,nan,3,0"], "weight of momentum is nan"),
        (["--objective", "effort", "--weights", "1,1,3,0"], "give --objective or --weights, not both"),
        (["--step", "70"], "'70' without a unit is 70 metres; write 70mm or 70cm"),
        (["--step", "3"], "step of 3 m is impossible"),
        (["--length", "ThighSideLength"], "write NAME=VALUE"),
        (["--length", "ThihgSideLength=48cm"], "no body length 'Thihg"),
        (["--length", "ThighSideLength=long"], "'long' is not a length"),
        (["--segment-mass", "FootSide=light"], "the mass of FootSide is 'light'"),
        (["--segment-mass", "FootSide=-1"], "it must be a number above 0"),
        (["--length", "ThighSideLength=48"], "'48' without a unit is 48 metres; write 48mm or 48cm"),
        (["--length", "ThighSideLength=4.8"], "of 4.8 m is not that of a person; choose 0.222 to 0.711 m"),
        (["--segment-mass", "FootLeft=200"], "The mass FootLeft of 200 kg is not that of a person; choose 0.5"),
        (["--height", "1.6", "--length", "ShankSideLength=20cm"], "ShankRightLength of 0.2 m is not that of a person"),
        (["--from", "nowhere.npz"], "nowhere.npz"),
        (["--steps", "2", "--from-stand", "--to-stand"], "choose at least 3 steps"),
        (["--turn", "80"], "choose at most 45°"),
    ],
)
def test_impossible_wishes_are_one_sentence(arguments, words, tmp_path, capsys):
    assert main(["synthesize", *arguments, "--out", str(tmp_path / "gait.npz")]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1
    assert not (tmp_path / "gait.npz").exists()


def test_a_walk_starts_from_a_walk_of_a_human_alone(standing, tmp_path, capsys):
    start = ["synthesize", "--speed", "1.2", "--out", str(tmp_path / "gait.npz"), "--from"]
    assert main([*start, str(standing)]) == 2
    assert "no known contact set" in capsys.readouterr().err
    assert main(["walk", "mrpete", "--cycles", "2", "--out", str(tmp_path / "mrpete.npz")]) == 0
    capsys.readouterr()
    assert main([*start, str(tmp_path / "mrpete.npz")]) == 2
    assert "A motion of mrpete is no start for heiman" in capsys.readouterr().err


def test_lengths_and_masses_are_replaced_one_by_one():
    body = human_body(None, None, "male", ["ThighSideLength=48cm", "NeckLength=0.04"], ["FootLeft=1.5kg"])
    table = body.subject
    usual = load_robot("heiman").subject
    assert table.lengths_m["ThighLeftLength"] == table.lengths_m["ThighRightLength"] == 0.48
    assert table.lengths_m["NeckLength"] == 0.04
    assert table.lengths_m["ShankLeftLength"] == usual.lengths_m["ShankLeftLength"]
    assert table.masses_kg["FootLeft"] == 1.5
    assert body.mass_kg == pytest.approx(75.0 + 1.5 - usual.masses_kg["FootLeft"])
    assert human_body(None, None, "male", None, None).fingerprint == load_robot("heiman").fingerprint


def test_a_height_alone_keeps_the_mass_that_the_help_names():
    mass_kg = human_body(1.6, None, "male", None, None).mass_kg
    assert f"{mass_kg:g} at any height" in BODY_MASS_HELP


def test_lengths_as_measured_fit_a_body_of_shares_too():
    measured = load_robot("heiman").subject.lengths_m
    body = human_body(1.86, 75.0, "male", [f"{name}={value}" for name, value in measured.items()], None)
    assert body.subject.lengths_m == pytest.approx(measured)


def test_bodies_of_humans_are_not_for_robots(tmp_path, capsys):
    assert main(["walk", "mrpete", "--height", "1.8", "--out", str(tmp_path / "walk.npz")]) == 2
    assert "--height does not apply" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--margin", "5mm"], ["--goal", "1", "0", "0"], ["--step-length", "50cm"]])
def test_a_walk_that_finds_its_own_steps_takes_no_step_options(option, tmp_path, capsys):
    assert main(["walk", "heiman", *option, "--out", str(tmp_path / "walk.npz")]) == 2
    assert "heiman finds its own steps" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("option", "words"), [(["--cycles", "0"], "cycles is 0"), (["--rate", "5"], "rate is 5 samples per second")]
)
def test_walks_without_sense_are_one_sentence(option, words, tmp_path, capsys):
    assert main(["walk", "heiman", *option, "--out", str(tmp_path / "walk.npz")]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


def test_a_turning_walk_is_reported_by_its_steps_in_degrees(gait, tmp_path, capsys, monkeypatch):
    walk = compose_walk(gait, steps=5)  # a solved turn takes most of a minute; the words are the same
    turned = replace(walk, figures=walk.figures | {"turn_per_stride_rad": np.radians(20.0), "radius_m": 4.2})
    monkeypatch.setattr(
        "strut.human.verbs.synthesize.find_gait", lambda *_, **__: replace(gait, attempts=(EVEN_SIDES_NOTE,))
    )
    monkeypatch.setattr("strut.human.verbs.synthesize.compose_walk", lambda *_, **__: turned)
    assert main(["synthesize", "--speed", "1.3", "--turn", "20", "--out", str(tmp_path / "circle.npz")]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "turns by 20° in a stride, on a circle of 4.20 m" in said
    assert "(5 steps; in all 2.8 s)" in said
    assert "Its sides differ: both got the mean of their sizes" in said


def test_an_existing_file_is_not_replaced_without_force(standing, capsys):
    assert main(["synthesize", "--out", str(standing)]) == 2
    assert "is there already" in capsys.readouterr().err
    assert main(["reconstruct", str(standing), "--out", str(standing)]) == 2


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("verb", [["reconstruct"], ["synthesize", "--from"]])
def test_too_few_samples_are_one_sentence(verb, standing, tmp_path, capsys):
    few = changed(standing, "few.npz", samples=3)
    assert main([*verb, few, "--out", str(tmp_path / "out.npz")]) == 2
    assert capsys.readouterr().err == ("strut: 3 samples are too few to estimate velocities; give at least 12.\n")


def test_standing_on_both_feet_is_no_known_phase(standing, tmp_path, capsys):
    assert main(["reconstruct", str(standing), "--out", str(tmp_path / "out.npz")]) == 2
    assert "no known contact set" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("phases", "words"),
    [
        ('[["RightFlat", 0.0, 0.1]]', "Expected `object`, got `array`"),
        ('[{"set": "RightFlat", "start_s": 0.0, "stop_s": 9.0}]', "but the motion from"),
        (
            '[{"set": "RightFlat", "start_s": 0, "stop_s": 0.1}, {"set": "LeftFlat", "start_s": 0.05, "stop_s": 0.2}]',
            "overlap",
        ),
    ],
)
def test_phases_that_do_not_fit_are_one_sentence(standing, phases, words, tmp_path, capsys):
    times = tmp_path / "phases.json"
    times.write_text(phases, "utf-8")
    options = ["--phases", str(times), "--out", str(tmp_path / "out.npz")]
    assert main(["reconstruct", str(standing), *options]) == 2
    said = capsys.readouterr().err
    assert words in said
    assert said.count("\n") == 1


def test_a_folder_of_phases_was_not_written_to(standing, tmp_path, capsys):
    assert main(["reconstruct", str(standing), "--phases", str(tmp_path), "--out", str(tmp_path / "out.npz")]) == 2
    assert f"{tmp_path}: is a folder; give a JSON file of phases." in capsys.readouterr().err


def test_samples_that_are_no_numbers_are_one_sentence(standing, tmp_path, capsys):
    with np.load(standing, allow_pickle=False) as file:
        parts = dict(file)
    parts["qpos"][3, 9] = np.nan
    np.savez(tmp_path / "broken.npz", **parts)
    assert main(["reconstruct", str(tmp_path / "broken.npz"), "--out", str(tmp_path / "out.npz")]) == 2
    assert "qpos is not finite at sample 3" in capsys.readouterr().err


def test_analyze_prints_gait_parameters_as_json(standing, capsys):
    assert main(["analyze", str(standing), "--json"]) == 0
    table = json.loads(capsys.readouterr().out)["motions"]["standing"]
    assert table["speed_m_s"] == 0.0
    assert table["double_support"] == 1.0
    assert table["legs"]["Left"]["largest_vertical_force_bw"] is None


def test_analyze_refuses_a_trial_of_two_conditions(standing, capsys):
    assert main(["analyze", f"sad={standing}", f"neutral={standing}"]) == 2
    assert f"{standing} is given under two conditions; a trial belongs to one." in capsys.readouterr().err


def test_analyze_says_that_nothing_touches_or_moves(standing, capsys):
    assert main(["analyze", changed(standing, "floating.npz", lift_m=1.0)]) == 0
    said = capsys.readouterr().err
    assert "floating never touches the ground: its feet stay 1 m above it." in said
    assert "floating does not move: no joint turns." in said
    assert main(["analyze", changed(standing, "fitted.npz", lift_m=0.01)]) == 0
    assert "touches" not in capsys.readouterr().err


def changed(file, name, *, lift_m=0.0, lean_rad=0.0, samples=20):
    """The standing human with arms where they belong, lifted or leaning."""
    motion = load_motion(file)
    qpos = np.repeat(motion.qpos[:1], samples, axis=0)
    for side, sign in (("Right", -1.0), ("Left", 1.0)):
        qpos[:, 7 + motion.joint_names.index(f"Shoulder{side}_RX")] = sign * 0.1
    qpos[:, 2] += lift_m
    qpos[:, [7 + motion.joint_names.index(f"Hip{side}_RY") for side in ("Right", "Left")]] = -lean_rad
    other = replace(
        motion,
        time_s=np.arange(samples) * 0.01,
        qpos=qpos,
        contact=np.ones((samples, 6), dtype=bool),
    )
    save_motion(other, file.parent / name)
    return str(file.parent / name)


def test_check_measures_a_human_by_what_touches_and_sends_it_to_analyze(standing, capsys):
    assert main(["check", changed(standing, "ok.npz")]) == 0
    said = capsys.readouterr().err
    assert "ok: heiman" in said
    assert "next: strut analyze" in said
    assert main(["check", changed(standing, "up.npz", lift_m=0.01)]) == 3
    assert "is 10.0 mm off the ground's surface" in capsys.readouterr().err
    assert main(["check", str(standing)]) == 3
    assert "Joint limit: ShoulderRight_RX is 0.030 rad beyond its range" in capsys.readouterr().err


def test_simulate_says_why_a_human_falls(standing, capsys):
    assert main(["simulate", changed(standing, "lean.npz", lean_rad=0.7, samples=200)]) == 4
    said = capsys.readouterr().err
    assert "fell after" in said
    assert "servos that follow angles do not balance a person" in said


def test_robots_lists_the_human(capsys):
    assert main(["robots"]) == 0
    assert "heiman" in capsys.readouterr().out


def test_an_expressive_walk_is_written_with_a_receipt_that_check_confirms(happy_human):
    receipt = json.loads(happy_human.with_suffix(".json").read_text())
    shown = {name: share for name, share in receipt["naturalness"].items() if name.startswith("shown_")}
    weak = [name for name, share in shown.items() if share < 0.85]
    assert receipt["verdict"] == ("weakened" if weak else "ok")
    assert receipt["intensity_asked"] == 0.5
    assert receipt["intensity_kept"] == pytest.approx(0.5 * min([1.0, *(shown[name] for name in weak)]))
    assert {"shown_speed", "shown_trunk_pitch_rad", "shown_elbow_rad", "shown_bounce"} <= shown.keys()
    assert min(shown.values()) > 0.8
    assert receipt["speed_m_s"] == pytest.approx(1.3 * 1.15, abs=1e-6)
    looks = receipt["naturalness"]
    assert np.degrees(looks["trunk_forward_rad"]) == pytest.approx(-8.0, abs=0.8)
    assert looks["arm_against_leg"] < -0.5
    motion = load_motion(happy_human)
    assert motion.receipt.soundness["contact_drift_m"] < 0.003
    assert motion.receipt.soundness["momentum_error_n_s"] < 0.2
