"""Walking by the gait library: the regulator's signs, and a walk that holds."""

import numpy as np
import pytest

from strut.models.catalogue import load_robot
from strut.pilot.controllers.actuated_model import actuated_model
from strut.pilot.controllers.controller_dynamics import FOOT_ROWS
from strut.pilot.controllers.library_walking_controller import LANDING_RATE, LibraryWalkingController, regulator_gains
from strut.pilot.controllers.reference import StandRequest, WalkReference, WalkRequest
from strut.pilot.controllers.state_estimator import StateEstimator
from strut.pilot.gait_library.gait_library_file import load_gait_library
from strut.pilot.piloted_drafts import draft_of_run
from strut.pilot.piloted_simulation import Clock, simulate_requests
from strut.pilot.plant.torque_model import control_table, torque_model
from strut.simulation.attitude import attitude_matrix
from strut.verify.measure import measure


@pytest.fixture(scope="module")
def library():
    return load_gait_library(load_robot("cassie"))


@pytest.fixture
def walker(library):
    """A walker whose body moves exactly as the gait of its command does at mid-step."""
    cassie = load_robot("cassie")
    body = actuated_model(torque_model(cassie, friction=0.6, step_s=1e-3), control_table(cassie))
    made = LibraryWalkingController(StateEstimator(body, 1e-3), 1e-3, library)
    made._correction = [0.0, 0.0]
    made.step_time_s = 0.17
    made.stance = 0
    made._from = (np.zeros(5), np.zeros(5))
    return made


COMMAND = WalkReference(0.3, 0.0, 0.0, 0.86)


def looked_up(walker, library, *, faster=(0.0, 0.0)):
    """Return the curves of the swing leg for a body that is faster than its gait."""
    gait = library.lookup(COMMAND.forward_m_s, COMMAND.left_m_s, COMMAND.height_m)
    walker.step_s = gait.step_s
    share = walker.step_time_s / gait.step_s
    place = gait.at(0, share)[0]
    speed = gait.at(0, share, 1)[0]
    dynamics = walker._estimator.dynamics
    dynamics.line[0] = (1.0, 0.0, 0.0)
    dynamics.pivot[0] = (-place[0] - 0.02, -place[1], -place[2])
    walker._estimator.velocity[:2] = speed[:2] + np.array(faster)
    walker._look_up(COMMAND)
    return walker._curves, gait


def test_no_error_needs_no_correction(walker, library):
    curves, gait = looked_up(walker, library)
    np.testing.assert_allclose(walker.observed_m_s, (0.3, 0.0), atol=1e-9)
    np.testing.assert_allclose(curves, gait.motors[0, 5:], atol=1e-9)


def test_a_body_that_is_too_fast_places_its_foot_farther_ahead(walker, library):
    curves, gait = looked_up(walker, library, faster=(0.2, 0.0))
    assert walker.observed_m_s[0] > 0.3
    pitch_at_landing = curves[2, -1] - gait.motors[0, 7, -1]
    assert pitch_at_landing > 0.05  # forward, more than the faster gait itself
    curves, gait = looked_up(walker, library, faster=(0.0, 0.1))
    assert curves[0, -1] > gait.motors[0, 5, -1]  # to the left


def test_the_sole_stays_level_whatever_the_regulator_does(walker, library):
    curves, _ = looked_up(walker, library, faster=(0.2, 0.0))
    own = library.lookup(*walker.observed_m_s, COMMAND.height_m).motors[0, 5:]
    assert abs(curves[2] - own[2]).min() > 0.05
    np.testing.assert_allclose(curves[2] + curves[4], own[2] + own[4], atol=1e-12)  # pitch and foot turn against it


def test_a_body_that_is_too_low_is_lifted_by_its_stance_leg(walker, library):
    looked_up(walker, library)
    walker._estimator.height_m = COMMAND.height_m - 0.02
    walker._base_rows(COMMAND)
    kp, _ = walker._gains.height
    assert walker._right[FOOT_ROWS, 0] == pytest.approx(0.02 * kp)  # acceleration upwards, on a foot at rest


def test_what_the_base_is_tilted_is_taken_out_of_the_leg(walker, library):
    _, gait = looked_up(walker, library)
    pitch, roll = gait.at(0, walker._share)[0][3:5]
    places = []
    for tilt in ((pitch, roll), (pitch + 0.05, roll + 0.03)):
        walker._estimator.dynamics.base_rotation[:] = attitude_matrix(tilt[1], tilt[0], 0.0)
        places.append(walker._gait_state()[0])
    np.testing.assert_allclose(places[1] - places[0], (-0.03, 0.0, 0.05, 0.0, 0.0), atol=1e-3)


def test_the_leg_follows_its_gait_and_lands_with_half_its_speed(walker, library):
    walker.step_time_s = 0.0
    _, gait = looked_up(walker, library)
    assert_follows(walker, gait, share=0.0, rate=1.0)
    walker.step_time_s = gait.step_s * (1.0 - 1e-9)
    assert_follows(walker, gait, share=1.0, rate=LANDING_RATE)


def assert_follows(walker, gait, share, rate):
    """Assert that joints other than those that take out tilt are where the gait has them, and as fast as a share."""
    place, speed, _ = walker._gait_state()
    kept = [1, 3, 4]
    np.testing.assert_allclose(place[kept], gait.at(0, share)[1][5:][kept], atol=1e-6)
    np.testing.assert_allclose(speed, rate * gait.at(0, share, 1)[1][5:], atol=1e-6)


def test_gains_are_linear_between_heights():
    table = control_table(load_robot("cassie")).walking.regulator
    low, high = (np.array(regulator_gains(table, height)) for height in table.height_m[:2])
    middle = np.array(regulator_gains(table, np.mean(table.height_m[:2])))
    np.testing.assert_allclose(middle, (low + high) / 2.0)
    assert (middle < 0.0).all()


def test_a_walk_by_the_library_holds_its_speed_and_stops(library):
    clock = Clock(control_hz=1000.0, settle_s=0.4, rest_s=0.2, longest_s=14.0)
    run = simulate_requests(
        [WalkRequest(0.3, height_m=0.86, duration_s=4.0), StandRequest(0.1)], clock=clock, library=library
    )
    assert run.outcome.finished
    assert run.outcome.torque_use < 0.95
    time_s = run.motion.time_s
    x = run.motion.qpos[:, 0]
    first, last = np.searchsorted(time_s, (3.0, 4.4))  # four steps
    assert (x[last] - x[first]) / (time_s[last] - time_s[first]) == pytest.approx(0.3, abs=0.06)


def test_forces_of_a_walk_by_the_library_explain_how_it_moves(library):
    """Its landings are hard and short: forces at single instants had been 2.8 % of the weight off."""
    clock = Clock(control_hz=1000.0, settle_s=0.4, rest_s=0.1, longest_s=3.0)
    run = simulate_requests([WalkRequest(0.5, height_m=0.9, duration_s=4.0)], clock=clock, library=library)
    plant = measure(draft_of_run(load_robot("cassie"), run)).measured.parts["plant"]
    assert plant.force_off < 0.006
