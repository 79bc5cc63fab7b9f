"""What a piloted run amounts to: work, path and slip of hand-made samples, and clocks that can be checked."""

from time import process_time

import numpy as np
import pytest

from strut.draft import Detail
from strut.errors import OutOfRangeError
from strut.models.catalogue import load_robot
from strut.pilot.controllers.reference import StandRequest
from strut.pilot.piloted_drafts import PilotedDrafts
from strut.pilot.piloted_simulation import Clock, World, measure_run, piloted_loop, simulate_requests
from strut.pilot.request import PilotedWalk
from strut.style import Style

AT_ONCE = Clock(control_hz=1000.0, settle_s=0.0, rest_s=0.05)
CARRIES_N = 100.0
GRAZES_N = 5.0


@pytest.fixture(scope="module")
def cassie():
    return load_robot("cassie")


@pytest.fixture
def loop(cassie):
    return piloted_loop(cassie, World(), AT_ONCE)


def carried(loop, places_m):
    """Record the standing body at places on its way, one every half second."""
    loop.tick()
    standing = loop.plant.qpos.copy()
    for number, place_m in enumerate(places_m):
        loop.plant.reset(np.concatenate([place_m, standing[2:]]))
        loop.record.sample(0.5 * number, "stand", "hold")


@pytest.mark.parametrize("way_m", [0.08, 0.2, 1.0])
def test_cost_of_transport_is_work_over_weight_and_path_and_absent_on_the_spot(cassie, loop, way_m):
    half = 0.3 * way_m, 0.4 * way_m  # there and back: a path without any distance
    carried(loop, [(0.0, 0.0), half, (0.0, 0.0)])
    loop.record.work_j = 12.0
    outcome = measure_run(cassie, loop, 1.0, World()).outcome
    assert outcome.distance_m == pytest.approx(0.0, abs=1e-9)
    told = None if way_m < 0.1 else pytest.approx(12.0 / (cassie.mass_kg * 9.81 * way_m), rel=1e-6)
    assert outcome.cost_of_transport == told


def test_settling_costs_nothing(loop):
    loop.settle(0.02)
    assert loop.record.work_j == loop.record.torque_use == 0.0
    loop.tick()
    assert loop.record.work_j > 0.0
    assert 0.0 < loop.record.torque_use < 1.0


def test_a_loaded_foot_slips_over_the_ground_and_not_up_or_down_or_while_it_grazes(cassie, loop):
    carried(loop, [(0.0, 0.0), (0.3, 0.0), (0.4, 0.0), (0.403, 0.0), (0.403, 0.004)])
    for number, qpos in enumerate(loop.record.qpos):
        qpos[2] -= 0.005 * number  # springs give way
    loads = np.full((5, 2), CARRIES_N)
    loads[:, 0] = GRAZES_N
    loads[1, 1] = GRAZES_N
    loop.record.force_n = [np.column_stack([np.zeros((2, 2)), load]) for load in loads]
    assert loop.record.slip_m(cassie, 16.0) == pytest.approx(0.005)


def test_the_real_time_factor_is_simulated_time_over_time_of_the_processor(cassie):
    began_s = process_time()
    outcome = simulate_requests([StandRequest(0.1)], cassie, clock=AT_ONCE).outcome
    at_most_s = process_time() - began_s
    assert 0.0 < outcome.upright_s / outcome.real_time_factor <= at_most_s


def test_a_walk_that_falls_is_refused_in_neutral_and_has_no_draft_with_an_emotion(cassie):
    drafts = PilotedDrafts(cassie, PilotedWalk(speed_m_s=0.7), 100.0)
    (draft,) = drafts.drafts(Style(tempo=2.0), Detail("search"))
    assert len(draft.qpos) == 0
    assert str(draft.violations[0].reason).startswith("command: the speed forward is 1.4 m/s; it must be from")
    with pytest.raises(OutOfRangeError, match=r"The speed forward is 3 m/s"):
        next(PilotedDrafts(cassie, PilotedWalk(speed_m_s=3.0), 100.0).drafts(Style(), Detail("search")))
