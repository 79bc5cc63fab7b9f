"""Table files: what is missing, misspelt or mistyped in a robot's folder is named with file, line and field."""

import shutil

import pytest

from strut.cli.main import main
from strut.errors import BadFieldError, BadTableError
from strut.models import catalogue
from strut.models.catalogue import HOME, load_robot
from strut.models.table_files import read_body, read_tables

# robot, file, text, what stands in its place, and what the sentence must say after the file's name
FAULTS = [
    ("mrpete", "robot", "torque_limit_nm = 8.4", "", ", line 19, servo.torque_limit_nm: is missing."),
    ("mrpete", "robot", "friction = 0.5 ", 'friction = "rough" ', ", line 30, contact.friction: must be a number"),
    ("mrpete", "robot", "mass_kg = 3.0 ", "mass_kg = -3.0 ", ", line 10, body.mass_kg: must be a number above 0"),
    ("mrpete", "robot", "size_m = [0.35, 0.25, 0.08]", "size_m = [0.35, 0.25]", ", line 9, body.inertia_size_m: "),
    ("mrpete", "robot", "start_height_m", "start_heigth_m", ", line 11, body.start_heigth_m: there is no such field"),
    ("mrpete", "robot", 'title = "Mr. Pete, 28-joint quadruped"', "title = 3", ", line 6, title: must be a text"),
    ("mrpete", "robot", "mass_kg = 3.0 ", "mass_kg = nan ", ", line 10, body.mass_kg: must be a finite number"),
    ("mrpete", "gait", "duty_factor = 0.75", "duty_factor = 1.75", ", line 4, duty_factor: must be a number"),
    ("mrpete", "gait", "duty_factor = 0.75", "duty_factor = 0.4", ", line 4, duty_factor: must be a number"),
    ("mrpete", "gait", 'kind = "crawl"', 'kind = "waltz"', ", line 3, kind: "),
    ("mrpete", "gait", "settle_s = 0.6 ", "settle_s = true ", ", line 11, settle_s: must be a number"),
    ("mrpete", "gait", "RF = 1", "RF = 2", "knee_sign"),
    ("alice", "gait", "swing_s = 1.0 ", "", ", swing_s: is missing."),
    ("alice", "robot", 'name = "R"', "", "mount.name: is missing."),
    ("alice", "robot", 'name = "head"', 'name = "body"', ", line 40, body.part.name: there is a 'body' already."),
    ("alice", "robot", 'name = "head"', 'name = "trunk"', ", line 40, body.part.name: there is a 'trunk' already."),
    ("alice", "robot", '"head_yaw"', '"R_knee"', ", line 43, body.part.joints: there is a 'R_knee' already."),
    ("alice", "robot", "0.14, 0.46]", "0.14, 0.30]", ", line 49, body.part.inertia_size_m: the body without "),
    ("pepper", "chains", 'frame = "eyes"', "frame = 3", ", line 8, head.frame: must be a text in quotes"),
    ("pepper", "chains", "hand_per_s = 10.0", 'hand_per_s = "fast"', ", line 13, gain.hand_per_s: must be a number"),
    ("pepper", "tasks", 'kind = "posture"', 'kind = "wave"', "wave.kind: "),
    ("pepper", "study", "duration_s = 5.0", "", "duration_s: is missing."),
    ("pepper", "robot", "range_rad = [-0.514872, 0.514872]", "range_rad = 0.5", "joint.KneePitch.range_rad: "),
    ("heiman", "contact", 'segment = "FootSide"', "segment = 1", "segment: must be a text in quotes"),
    ("heiman", "gait", "intervals = 12", "intervals = 1.5", "phase.intervals: must be a whole number"),
    ("heiman", "symmetry", "TY = -1", 'TY = "left"', "sign"),
    ("heiman", "markers", "LPSI = [-0.1293, 0.0453, 0.1189]", "LPSI = [0.0]", "segment.Pelvis.LPSI: "),
]


@pytest.mark.parametrize(("robot", "table", "text", "instead", "sentence"), FAULTS)
def test_a_fault_is_named_with_its_file_line_and_field(tmp_path, capsys, robot, table, text, instead, sentence):
    folder = shutil.copytree(catalogue.HOME / robot, tmp_path / "twin")
    path = folder / f"{table}.toml"
    written = path.read_text("utf-8")
    assert text in written
    path.write_text(written.replace(text, instead, 1), "utf-8")
    with pytest.raises(BadFieldError) as caught:
        load_robot(str(folder))
    said = str(caught.value)
    assert said.startswith(f"{path.resolve()}")
    assert sentence in said
    assert ", line " in said or "is missing" in said
    assert "\n" not in said
    assert main(["robots", str(folder)]) == 2


def test_a_folder_that_describes_no_body_is_refused_with_what_describes_one(tmp_path):
    (tmp_path / "robot.toml").write_text('title = "nobody"\n', "utf-8")
    with pytest.raises(BadTableError, match=r"has neither limbs .* nor a model file"):
        load_robot(str(tmp_path))


def test_a_gait_toml_with_the_former_name_of_its_kind_is_still_read(tmp_path):
    shutil.copytree(HOME / "heiman", tmp_path / "heiman")
    file = tmp_path / "heiman" / "gait.toml"
    text = file.read_text("utf-8")
    file.write_text(text.replace('kind = "human_gait"', 'kind = "synthesis"'), "utf-8")
    assert file.read_text("utf-8") != text
    assert read_tables(file.parent).gait == read_tables(HOME / "heiman").gait


def test_former_names_of_keys_are_still_read(tmp_path):
    shutil.copytree(HOME / "alice", tmp_path / "alice")
    for file, names in {
        "expression.toml": {"[parameter": "[word", "[animated.parameter": "[animated.word", "min_speed": "least_speed"},
        "collision.toml": {"min_distance_m": "least_distance_m"},
    }.items():
        path = tmp_path / "alice" / file
        text = path.read_text("utf-8")
        for name, former in names.items():
            assert name in text
            text = text.replace(name, former)
        path.write_text(text.replace("{ min =", "{ least =").replace("max =", "most ="), "utf-8")
    assert read_tables(tmp_path / "alice") == read_tables(HOME / "alice")
    body = read_body(HOME / "heiman")
    former = (
        (HOME / "heiman" / "robot.toml").read_text("utf-8").replace("{ min =", "{ least =").replace("max =", "most =")
    )
    (tmp_path / "robot.toml").write_text(former, "utf-8")
    assert "least" in former
    assert read_body(tmp_path) == body
