"""Solo12: a 12-joint quadruped that others describe crawls with every feeling, from a data folder and no Python."""

import os
import shutil
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import strut
from strut.cli.main import main
from strut.errors import BadTableError
from strut.kinematics.leg3r import Leg3R
from strut.kinematics.leg_solver import leg_solvers
from strut.models.catalogue import load_robot

FOLDER = Path(__file__).parents[2] / "examples" / "solo12"


@pytest.fixture(scope="module")
def solo12():
    homes = [Path(entry) / "cmeel.prefix" / "share" / "example-robot-data" for entry in sys.path]
    home = next((home for home in homes if home.is_dir()), None)
    if home is None:
        pytest.skip("example-robot-data (pip install example-robot-data) is not installed")
    os.environ["EXAMPLE_ROBOT_DATA"] = str(home)
    return load_robot(str(FOLDER))


@pytest.fixture(scope="module")
def walks(solo12):
    """Three cycles by feeling, each walked once."""
    return cache(lambda emotion: strut.walk(solo12, emotion, cycles=3, rate_hz=50.0))


def test_the_description_is_read_with_its_limits_meshes_and_legs(solo12):
    assert len(solo12.joint_names) == 12
    assert solo12.mass_kg == pytest.approx(2.5, abs=1e-3)
    assert solo12.foot_names == ("LF", "RF", "LH", "RH")
    assert solo12.legs[0].joints == ("FL_HAA", "FL_HFE", "FL_KFE")
    assert all(isinstance(leg, Leg3R) for leg in leg_solvers(solo12))
    assert solo12.model.nmesh > 5
    assert set(solo12.torque_limit_nm) == {2.7}
    assert solo12.joint_upper_rad[2] == 2.8


@pytest.mark.parametrize("emotion", ["neutral", "happy", "sad", "angry", "fearful"])
def test_an_expressive_crawl_passes_the_audit_and_the_simulation(solo12, walks, emotion):
    motion = walks(emotion)
    receipt = motion.receipt
    assert receipt.intensity_kept == 1.0
    assert receipt.balance_margin_mm >= 10.0
    assert receipt.foot_slip_mm < 1.0
    assert receipt.torque_use < 0.8
    assert np.sign(motion.qpos[-1, 0] - motion.qpos[0, 0]) == (-1.0 if emotion == "fearful" else 1.0)
    outcome = strut.simulate(motion, solo12).outcome
    assert not outcome.fell
    assert outcome.distance_m == pytest.approx(outcome.commanded_distance_m, abs=0.03)


def test_emotions_carry_the_body_differently(walks):
    middle = {name: walks(name).qpos for name in ("happy", "sad")}
    height = {name: qpos[len(qpos) // 2, 2] for name, qpos in middle.items()}
    nose_up = {name: -2.0 * qpos[len(qpos) // 2, 5] for name, qpos in middle.items()}
    assert height["happy"] > height["sad"] + 0.04
    assert nose_up["happy"] > 0.1
    assert nose_up["sad"] < -0.1


def test_a_description_without_feet_gets_one_sentence(solo12, tmp_path, capsys):
    folder = shutil.copytree(FOLDER, tmp_path / "footless")
    table = folder / "robot.toml"
    table.write_text(table.read_text("utf-8").split("[foot]")[0], "utf-8")
    with pytest.raises(BadTableError, match="has no feet"):
        strut.walk(str(folder), "sad")
    assert main(["walk", str(folder), "--emotion", "sad", "--out", str(tmp_path / "no.npz")]) == 2
    assert "has no feet" in capsys.readouterr().err


def test_its_motions_find_it_again_from_where_they_were_made(solo12, tmp_path, monkeypatch):
    shutil.copytree(FOLDER, tmp_path / "dog")
    monkeypatch.chdir(tmp_path)
    assert main(["walk", "dog", "--cycles", "2", "--rate", "25", "--out", "walk.npz"]) == 0
    motion = strut.load_motion("walk.npz")
    assert motion.robot == "dog"
    assert str(tmp_path) not in str(motion.meta)
    assert main(["check", "walk.npz"]) == 0
