"""A plant audit: a body that really stood explains itself, and columns that were changed are off by as much."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.control.reference import StandRequest
from strut.models.catalogue import load_robot
from strut.simulation.piloted import Clock, simulate_requests
from strut.simulation.piloted_drafts import draft_of_run
from strut.verify.measure import measure
from strut.verify.plant_audit import was_piloted


@pytest.fixture(scope="module")
def stood():
    """What came of half a second on two feet."""
    cassie = load_robot("cassie")
    clock = Clock(control_hz=1000.0, settle_s=0.5, rest_s=0.1)
    return draft_of_run(cassie, simulate_requests([StandRequest(0.6)], cassie, clock=clock))


def plant(draft):
    return measure(draft).needs.plant


def test_a_recorded_stand_explains_itself_and_changed_forces_are_off_by_as_much(stood):
    assert was_piloted(stood)
    honest = plant(stood)
    assert honest.force_off < 0.01
    assert honest.torque_off < 0.05
    louder = plant(replace(stood, ground_force_n=1.1 * stood.ground_force_n))
    assert louder.force_off == pytest.approx(0.1, abs=0.01)


def test_tilt_is_how_far_the_base_leans_at_most_whichever_way_it_faces(stood):
    assert plant(stood).tilt_rad < 0.05
    qpos = stood.qpos.copy()
    qpos[20, 3:7] = Rotation.from_euler("ZY", [2.0, 0.7]).as_quat(scalar_first=True)
    qpos[40, 3:7] = Rotation.from_euler("X", -0.3).as_quat(scalar_first=True)
    assert plant(replace(stood, qpos=qpos)).tilt_rad == pytest.approx(0.7)
    qpos[30, 3:7] = (0.0, 1.0, 0.0, 0.0)
    assert plant(replace(stood, qpos=qpos)).tilt_rad == pytest.approx(np.pi)
