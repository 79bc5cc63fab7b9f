"""expression.toml: one schema for every body; what is wrong in one is named with its line and its field."""

from pathlib import Path

import pytest

from strut.errors import BadFieldError
from strut.models.catalogue import HOME, load_robot
from strut.models.table_files import read_table
from strut.schemas.expression import ExpressionTable
from strut.style import STYLE_PARAMETERS, Style

TALOS = Path(__file__).parents[2] / "examples" / "talos"
ROBOTS = ("alice", "heiman", "mrpete", "pepper")

# a whole table, and what the sentence must say after the file's name
FAULTS = [
    ("[anchor.sad]\nsped = 0.4", ", line 2, anchor.sad.sped: there is no such field here; did you mean 'speed'?"),
    ("[anchor.happy]\n[anchor.sad]\nspeed = 'slow'", ", line 3, anchor.sad.speed: must be a number, not 'slow'."),
    ("[anchor.sat]\nspeed = 0.4", ", line 1, anchor.sat: there is no such field here; did you mean 'sad'?"),
    ("[anchor.sad]\nspeed = nan", ", line 2, anchor.sad.speed: must be a finite number"),
    ("[anchor.sad]\nlift = -1.0", ", line 2, anchor.sad.lift: must be a number of at least 0, not -1.0."),
    ("[anchor.sad]\ntrunk_pitch_rad = 16.0", ", line 2, anchor.sad.trunk_pitch_rad: must be a number from -1.57"),
    ("[anchor.sad]\nstep_time = 0.0", ", line 2, anchor.sad.step_time: must be a number above 0, not 0.0."),
    ("[anchor.sad]\npostures = { sad = 1.0 }", ", line 2, anchor.sad.postures.sad: there is no such field here"),
    ("[neutral]\ngaze = 2", ", line 2, neutral.gaze: must be a number from 0 to 1, not 2."),
    ("[neutral]\nspeed = 1.0", ", line 2, neutral.speed: there is no such field here"),
    (
        "[axis]\nactivty = { arousal = 0.5 }",
        ", line 2, axis.activty: there is no such field here; did you mean 'activity'?",
    ),
    ("[axis]\nactivity = { arrousal = 0.5 }", ", line 2, axis.activity.arrousal: there is no such field here"),
    ("[axis]\nactivity = 0.5", ", line 2, axis.activity: must be a table, not 0.5."),
    ("[pace]\ntempo_share = 1.5", ", line 2, pace.tempo_share: must be a number from 0 to 1, not 1.5."),
    ("[parameter]\ntail = {}", ", line 2, parameter.tail: there is no such field here; "),
    ("[parameter]\nlift = 3", ", line 2, parameter.lift: must be a table, not 3."),
    (
        "[parameter.jerkiness]\nterms = [{ sine_rad = 0.2 }]",
        ", line 2, parameter.jerkiness.terms.frequency_rad_s: is missing.",
    ),
    ("[parameter.postures.pose.sad]\nfront = {}", ", line 2, parameter.postures.pose.sad.front.foot_m: is missing."),
    ("main = ['sped']", ", line 1, main: there is no such field here; did you mean 'speed'?"),
    ("[anchor.sad\n", ", line 1: is not TOML at column 12: "),
]


@pytest.mark.parametrize(("text", "sentence"), FAULTS)
def test_a_fault_is_named_with_its_line_and_field(tmp_path, text, sentence):
    (tmp_path / "expression.toml").write_text(text, "utf-8")
    with pytest.raises(BadFieldError) as caught:
        read_table(tmp_path, "expression", ExpressionTable)
    assert str(caught.value).startswith(f"{tmp_path / 'expression.toml'}{sentence}")
    assert "\n" not in str(caught.value)


def test_an_empty_table_is_valid_for_a_body_without_emotions(tmp_path):
    (tmp_path / "expression.toml").write_text("", "utf-8")
    assert read_table(tmp_path, "expression", ExpressionTable) == ExpressionTable()
    assert ExpressionTable().neutral_style() == Style()


@pytest.mark.parametrize("folder", [*(HOME / name for name in ROBOTS), TALOS], ids=lambda folder: folder.name)
def test_every_robot_has_a_mapping_for_most_parameters_that_its_emotions_change(folder):
    table = read_table(folder, "expression", ExpressionTable)
    said = {word for anchor in table.anchor.values() for word in STYLE_PARAMETERS if getattr(anchor, word) is not None}
    said |= set(table.axis) | {"tempo" for anchor in table.anchor.values() if anchor.speed is not None}
    lacking = {word for word in said if table.mapping(word) is None}
    assert lacking == ({"trunk_pitch_rad", "head_pitch_rad"} if folder.name == "alice" else set())


def test_neutral_of_a_body_may_differ_from_the_usual_one():
    table = load_robot("heiman").expression
    assert (table.neutral_value("arm_swing"), table.neutral_value("elbow_rad")) == (0.65, 0.45)
    assert table.neutral_value("lift") == 1.0
    assert table.neutral_style() == Style(arm_swing=0.65, elbow_rad=0.45, shoulder_rad=0.14)


def test_words_hold_joints_by_their_factors():
    held = load_robot("heiman").expression.joint_angles(Style(trunk_pitch_rad=0.2, head_pitch_rad=-0.1, elbow_rad=0.5))
    assert held["Pelvis_RY"] == held["Lumbar_RY"] == pytest.approx(0.1)
    assert held["Head_RY"] == pytest.approx(-0.1)
    assert held["ElbowLeft_RY"] == held["ElbowRight_RY"] == pytest.approx(-0.5)
    assert load_robot("mrpete").expression.joint_angles(Style(trunk_pitch_rad=0.2)) == {}
