"""Walking by the gait library: the regulator's signs, and a walk that holds."""

import numpy as np
import pytest

from strut.control.driven_body import driven_body
from strut.control.library_walking import LibraryWalking, regulator_gains
from strut.control.observer import Observer
from strut.control.reference import StandRequest, WalkReference, WalkRequest
from strut.io.gait_library_file import load_gait_library
from strut.models.catalogue import load_robot
from strut.models.torque_model import control_table, torque_model
from strut.simulation.piloted import Clock, simulate_requests


@pytest.fixture(scope="module")
def library():
    return load_gait_library(load_robot("cassie"))


@pytest.fixture
def walker(library):
    """A walker whose body moves exactly as the gait of its command does at mid-step."""
    cassie = load_robot("cassie")
    body = driven_body(torque_model(cassie, friction=0.6, step_s=1e-3), control_table(cassie))
    made = LibraryWalking(Observer(body, 1e-3), 1e-3, library)
    made._correction, made.step_time_s, made.stance = [0.0, 0.0], 0.17, 0
    made._from = (np.zeros(5), np.zeros(5))
    return made


COMMAND = WalkReference(0.3, 0.0, 0.0, 0.86)


def looked_up(walker, library, *, faster=(0.0, 0.0)):
    """Return the curves of the swing leg for a body that is faster than its gait."""
    gait = library.lookup(COMMAND.forward_m_s, COMMAND.left_m_s, COMMAND.height_m)
    walker.step_s = gait.step_s
    share = walker.step_time_s / gait.step_s
    place, speed = gait.at(0, share)[0], gait.at(0, share, 1)[0]
    dynamics = walker._observer.dynamics
    dynamics.line[0] = (1.0, 0.0, 0.0)
    dynamics.pivot[0] = (-place[0] - 0.02, -place[1], -place[2])
    walker._observer.velocity[:2] = speed[:2] + np.array(faster)
    walker._look_up(COMMAND)
    return walker._curves, gait


def test_no_error_needs_no_correction(walker, library):
    curves, gait = looked_up(walker, library)
    np.testing.assert_allclose(walker.observed_m_s, (0.3, 0.0), atol=1e-9)
    np.testing.assert_allclose(curves, gait.motors[0, 5:], atol=1e-9)


def test_who_is_too_fast_sets_the_foot_farther_along(walker, library):
    curves, gait = looked_up(walker, library, faster=(0.2, 0.0))
    assert walker.observed_m_s[0] > 0.3
    pitch_at_landing = curves[2, -1] - gait.motors[0, 7, -1]
    assert pitch_at_landing > 0.05  # forward, more than the faster gait itself
    curves, gait = looked_up(walker, library, faster=(0.0, 0.1))
    assert curves[0, -1] > gait.motors[0, 5, -1]  # to the left


def test_gains_are_linear_between_heights():
    table = control_table(load_robot("cassie")).walking.regulator
    low, high = (np.array(regulator_gains(table, height)) for height in table.height_m[:2])
    middle = np.array(regulator_gains(table, np.mean(table.height_m[:2])))
    np.testing.assert_allclose(middle, (low + high) / 2.0)
    assert (middle < 0.0).all()


def test_a_walk_by_the_library_holds(library):
    clock = Clock(control_hz=1000.0, longest_s=6.0)
    run = simulate_requests(
        [WalkRequest(0.3, height_m=0.86, duration_s=3.0), StandRequest(0.1)], clock=clock, library=library
    )
    assert not run.outcome.fell
    assert run.outcome.distance_m > 0.3
