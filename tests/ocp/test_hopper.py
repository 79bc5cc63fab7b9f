"""The example of one's own problem, a hopper, obeys physics that the solver was not asked about."""

import importlib.util
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.rigid_body import GRAVITY_M_S2, compile_model, linear_momentum, point_positions
from strut.ocp.collocation import DirectCollocation
from strut.ocp.kinematic_tree import read_tree
from strut.ocp.problem import ImpactCost
from strut.ocp.soundness import impact_energy
from strut.ocp.torque_playback import playback_error
from strut.ocp.trajectory import guess_between

EXAMPLE = Path(__file__).parents[2] / "examples" / "08_hopper.py"
FLIGHT = 0
STANCE = 1


@pytest.fixture(scope="module")
def example():
    spec = importlib.util.spec_from_file_location("hopper", EXAMPLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def hop(example):
    start_s = process_time()
    found = example.main()
    assert process_time() - start_s < 20.0
    return found.trajectory


def momentum(example, hop, phase):
    nodes = hop.nodes_of(phase)
    return hop.time_s[nodes], linear_momentum(compile_model(example.HOPPER), hop.q[nodes], hop.v[nodes])


def test_flight_is_ballistic(example, hop):
    time_s, found = momentum(example, hop, FLIGHT)
    fall = -read_tree(example.HOPPER).mass_kg * GRAVITY_M_S2 * (time_s - time_s[0])
    assert_allclose(found - found[0], np.column_stack([np.zeros((len(fall), 2)), fall]), atol=1e-8)
    assert time_s[-1] > 0.1


def test_stance_gains_the_momentum_that_the_ground_gives(example, hop):
    time_s, found = momentum(example, hop, STANCE)
    weight = np.array([0.0, -read_tree(example.HOPPER).mass_kg * GRAVITY_M_S2])
    force = hop.force_n[hop.nodes_of(STANCE)] + weight  # rows are x and z
    assert_allclose((found[-1] - found[0])[[0, 2]], np.trapezoid(force, time_s, axis=0), atol=0.02)


def test_the_foot_stands_still_while_it_stands_and_flies_above_the_ground(example, hop):
    foot = point_positions(compile_model(example.HOPPER), [("shank", example.FOOT.position_m)], hop.q)[:, 0]
    stands = foot[hop.nodes_of(STANCE)]
    assert_allclose(stands, np.broadcast_to(stands[0] * [1.0, 0.0, 0.0], stands.shape), atol=1e-5)
    assert foot[hop.nodes_of(FLIGHT), 2].min() > -1e-6
    assert foot[hop.nodes_of(FLIGHT), 2].max() > 1e-4


def test_it_repeats_one_hop_further_on(example, hop):
    step = np.array([example.HOP_M, 0.0, 0.0, 0.0, 0.0])
    assert_allclose(hop.q[-1], hop.q[0] + step, atol=1e-7)
    assert_allclose(hop.v[-1], hop.v[0], atol=1e-6)


def test_the_ground_pushes_within_its_cone_and_takes_energy_at_landing(hop):
    along, up = hop.force_n[hop.nodes_of(STANCE)].T
    assert up.min() > -1e-6
    assert (np.abs(along) <= 0.8 * up + 1e-6).all()
    assert hop.impulse_n_s[STANCE][1] > 0.0
    assert impact_energy(hop) < 0.0


def test_its_torques_alone_reproduce_it_in_another_engine(example, hop):
    assert playback_error(example.HOPPER, hop) < 1e-6


def test_a_trajectory_at_its_nodes_is_its_nodes_and_torques_and_forces_are_straight_between_them(example, hop):
    for phase in (FLIGHT, STANCE):
        nodes = hop.nodes_of(phase)
        inside = nodes[1:-1]
        q, u, force = hop.at(hop.time_s[inside])
        assert_allclose(q, hop.q[inside], atol=1e-12)
        assert_allclose(u, hop.u[inside], atol=1e-12)
        assert_allclose(force, hop.force_n[inside], atol=1e-9)
        later_s = np.diff(hop.time_s[nodes])
        _, u, force = hop.at(hop.time_s[nodes[:-1]] + 0.25 * later_s)
        assert_allclose(u, 0.75 * hop.u[nodes[:-1]] + 0.25 * hop.u[nodes[1:]], atol=1e-9)
        assert_allclose(force, 0.75 * hop.force_n[nodes[:-1]] + 0.25 * hop.force_n[nodes[1:]], atol=1e-6)


def test_contact_of_samples_is_that_of_the_phase_they_fall_into_and_forces_push_only_there(example, hop):
    names = [point.name for point in hop.problem.contact.points]
    time_s = np.linspace(0.0, hop.time_s[-1], 41)[1:-1]
    _, _, force, contact = hop.sampled(time_s, names)
    flying = time_s < hop.duration_s[FLIGHT]
    assert not contact[flying].any()
    assert contact[~flying].all()
    assert_allclose(force[flying], 0.0, atol=1e-9)
    assert force[~flying][:, :, 2].max() > 1.0


def test_a_landing_that_costs_much_is_softer(example, hop):
    dear = replace(example.hopping(), costs=(*example.hopping().costs, ImpactCost("landing", 100.0)))
    bent = [0.0, 0.75, 0.0, -0.5, 1.0]
    guess = guess_between(dear, [bent, [0.15, 0.78, 0.0, -0.4, 0.8], [example.HOP_M, *bent[1:]]])
    soft = DirectCollocation(dear).solve(guess)
    assert soft.trajectory.impulse_n_s[STANCE][1] < 0.8 * hop.impulse_n_s[STANCE][1]
