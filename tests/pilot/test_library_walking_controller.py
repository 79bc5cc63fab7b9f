"""Walking by the gait library: where pushed bodies place their feet, and a walk that holds."""

from functools import cache

import numpy as np
import pytest

from strut.engines.rigid_body import foot_contact_points, foot_positions
from strut.models.catalogue import load_robot
from strut.pilot.controllers.library_walking_controller import LibraryWalkingController, regulator_gains
from strut.pilot.controllers.reference import StandRequest, WalkReference, WalkRequest
from strut.pilot.controllers.state_estimator import Measurement, StateEstimator
from strut.pilot.gait_library.gait_library_file import load_gait_library
from strut.pilot.piloted_drafts import draft_of_run
from strut.pilot.piloted_simulation import Clock, Push, World, simulate_requests
from strut.pilot.plant.torque_model import control_table
from strut.verify.measure import measure


@pytest.fixture(scope="module")
def library():
    return load_gait_library(load_robot("cassie"))


PUSH_S = 2.0


def walk_with_push(library, force_n):
    clock = Clock(control_hz=1000.0, settle_s=0.4, rest_s=0.1, longest_s=PUSH_S + 1.2)
    return simulate_requests(
        [WalkRequest(0.3, height_m=0.86, duration_s=4.0)],
        clock=clock,
        library=library,
        world=World(pushes=(Push(PUSH_S, force_n),)),
    )


@pytest.fixture(scope="module")
def walked(library):
    """Return walks under a push of some force, each simulated once."""
    return cache(lambda *force_n: walk_with_push(library, force_n))


@pytest.mark.parametrize(("force_n", "axis"), [((40.0, 0.0, 0.0), 0), ((0.0, 40.0, 0.0), 1)])
def test_a_pushed_body_places_its_feet_farther_along_the_push_and_does_not_fall(walked, force_n, axis):
    pushed = walked(*force_n)
    cassie = load_robot("cassie")
    assert not pushed.outcome.fell
    farthest = []
    for run in (walked(0.0, 0.0, 0.0), pushed):
        feet = foot_positions(cassie, run.motion.qpos[run.motion.time_s > PUSH_S])
        farthest.append(feet[..., axis].max())
    assert farthest[1] > farthest[0] + 0.02


def test_swing_feet_come_down_with_level_soles_whatever_the_regulator_does(walked):
    """The line foot points along its toe: between heel and toe it is level at touch-down, also after a push."""
    cassie = load_robot("cassie")
    for run in (walked(0.0, 0.0, 0.0), walked(40.0, 0.0, 0.0)):
        walking = run.motion.time_s > 1.0
        points = foot_contact_points(cassie, run.motion.qpos[walking])
        contact = run.motion.contact[walking]
        for foot in range(2):
            lands = np.flatnonzero(contact[1:, foot] & ~contact[:-1, foot]) + 1
            toe, heel = points[lands, 2 * foot], points[lands, 2 * foot + 1]
            assert len(lands) >= 2
            assert np.abs(toe[:, 2] - heel[:, 2]).max() < 0.15 * np.linalg.norm(toe - heel, axis=1).max()


def test_gains_are_linear_between_heights():
    table = control_table(load_robot("cassie")).walking.regulator
    low, high = (np.array(regulator_gains(table, height)) for height in table.height_m[:2])
    middle = np.array(regulator_gains(table, np.mean(table.height_m[:2])))
    np.testing.assert_allclose(middle, (low + high) / 2.0)
    assert (middle < 0.0).all()


@pytest.mark.parametrize(("tick_s", "ticks_each"), [(0.001, 5), (0.0005, 10), (0.005, 1), (0.01, 1)])
def test_gaits_are_looked_up_two_hundred_times_a_second(library, body, tick_s, ticks_each):
    estimator = StateEstimator(body, tick_s)
    rest = Measurement(np.eye(4)[0], np.zeros(3), np.array([0.0, 0.0, 9.81]), body.model.qpos0[7:], np.zeros(14))
    estimator.update(rest, 1)
    controller = LibraryWalkingController(estimator, tick_s, library)
    controller.start(0)
    observed = []
    for tick in range(21):
        estimator.velocity[0] = 0.01 * tick  # another speed at each tick
        controller.torque(WalkReference(0.2, 0.0, 0.0, 0.86))
        observed.append(controller.observed_m_s)
    changes = [tick for tick in range(1, 21) if observed[tick] != observed[tick - 1]]
    assert changes == list(range(ticks_each, 21, ticks_each))


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
