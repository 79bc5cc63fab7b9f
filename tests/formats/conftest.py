"""A robot that others describe, for files of formats."""

import os
import sys
from pathlib import Path

import pytest

import strut

SOLO12 = str(Path(__file__).parents[2] / "examples" / "solo12")


@pytest.fixture(scope="session")
def solo12():
    """Return a quadruped that others describe; its walk is fast enough that a sliding foot is seen."""
    homes = [Path(entry) / "cmeel.prefix" / "share" / "example-robot-data" for entry in sys.path]
    home = next((home for home in homes if home.is_dir()), None)
    if home is None:
        pytest.skip("example-robot-data (pip install example-robot-data) is not installed")
    os.environ["EXAMPLE_ROBOT_DATA"] = str(home)
    return strut.load_robot(SOLO12)


@pytest.fixture(scope="session")
def trot(solo12, made_once):
    return made_once("trot_of_clips", lambda: strut.walk(SOLO12, cycles=2, rate_hz=100.0))
