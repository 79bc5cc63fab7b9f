"""Ends that are joined to other movements, in numbers: what is asked of them and what has been asked before."""

from types import SimpleNamespace

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.ocp import continuity_constraints
from strut.ocp.continuity_constraints import (
    BoundaryState,
    initial_state_constraints,
    state_at,
    terminal_state_constraints,
    turned_periodicity_constraints,
)

RNG = np.random.default_rng(0)
SCALES = SimpleNamespace(velocity=np.array([2.0, 4.0, 5.0]), torque=np.array([10.0, 20.0]))
STATE = BoundaryState(RNG.normal(size=3), RNG.normal(size=3), RNG.normal(size=2))

MORE = ([0.1, 0.2, 0.3], [0.4, 0.5, 0.6], [0.7, 0.8])


def node(q, v, u):
    return SimpleNamespace(q=q, v=v, u=u)


def other_end():
    return node(*(np.add(own, more) for own, more in zip((STATE.q, STATE.v, STATE.u), MORE, strict=True)))


def test_the_state_at_a_node_is_that_of_the_path():
    path = SimpleNamespace(q=np.arange(6).reshape(3, 2), v=10 + np.arange(6).reshape(3, 2), u=np.arange(3)[:, None])
    state = state_at(path, -1)
    assert_allclose(state.q, [4, 5])
    assert_allclose(state.v, [14, 15])
    assert_allclose(state.u, [2])


def test_a_beginning_is_met_in_all_of_its_numbers():
    problem = SimpleNamespace(tree=SimpleNamespace(nq=3, nv=3), scales=SCALES)
    place, speed, push = initial_state_constraints(problem, STATE)
    ends = SimpleNamespace(first=other_end(), last=None)
    assert_allclose(place.rows(ends), [0.1, 0.2, 0.3])
    assert_allclose(speed.rows(ends), [0.2, 0.125, 0.12])
    assert_allclose(push.rows(ends), [0.07, 0.04])
    assert "first" in place.name


def test_an_end_may_be_anywhere_on_the_ground_but_not_in_another_posture(monkeypatch):
    terms = SimpleNamespace(mass=np.eye(4), jacobian=np.array([[1.0, 0.0, 0.0, 0.5], [0.0, 0.0, 1.0, 0.2]]))
    monkeypatch.setattr(
        continuity_constraints, "ContactDynamics", lambda tree, contact: SimpleNamespace(terms=lambda q, v: terms)
    )
    contact = SimpleNamespace(rows=(SimpleNamespace(axis=0), SimpleNamespace(axis=2)), row_names=["a_x", "a_z"])
    problem = SimpleNamespace(
        phases=[SimpleNamespace(contact=contact, unloaded=())],
        tree=SimpleNamespace(nq=4, nv=4),
        actuated=(2, 3),
        scales=SimpleNamespace(velocity=np.ones(4), torque=np.ones(2)),
    )
    state = BoundaryState(np.zeros(4), np.zeros(4), np.zeros(2))
    place, _, _ = terminal_state_constraints(problem, state)

    def missed(*q):
        return np.abs(place.rows(SimpleNamespace(last=node(np.array(q), state.v, state.u))))

    assert_allclose(missed(7.0, -3.0, 0.0, 0.0), 0.0, atol=1e-12)
    assert_allclose(missed(0.0, 0.0, -0.2, 1.0), np.hypot(0.2, 1.0), atol=1e-12)


@pytest.mark.parametrize("unloaded", [(), ("a_z",)])
def test_an_end_asks_nothing_again_that_contact_has_settled(monkeypatch, unloaded):
    """Rows x and z of a point; along them place, speed and load are known, and across them everything is asked."""
    mass = np.diag([2.0, 3.0, 4.0])
    jacobian = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.2]])
    terms = SimpleNamespace(mass=mass, jacobian=jacobian)
    monkeypatch.setattr(
        continuity_constraints, "ContactDynamics", lambda tree, contact: SimpleNamespace(terms=lambda q, v: terms)
    )
    monkeypatch.setattr(continuity_constraints, "ANYWHERE", (0,))  # a ground of one dimension
    rows = (SimpleNamespace(axis=0), SimpleNamespace(axis=2))
    contact = SimpleNamespace(rows=rows, row_names=["a_x", "a_z"])
    phases = [None, SimpleNamespace(contact=contact, unloaded=unloaded)]
    problem = SimpleNamespace(phases=phases, tree=SimpleNamespace(nq=3, nv=3), actuated=(1, 2), scales=SCALES)
    place, speed, push = terminal_state_constraints(problem, STATE)
    end = SimpleNamespace(first=None, last=other_end())
    away = np.array([0.1, 0.2, 0.3])
    rate = np.array([0.2, 0.125, 0.12])
    torque = np.array([0.07, 0.04])
    across = np.array([0.0, -0.2, 1.0]) / np.hypot(0.2, 1.0)  # neither the free one nor the height
    assert_allclose(np.abs(place.rows(end)), [abs(across @ away)], atol=1e-12)
    still = np.cross(*jacobian)
    assert_allclose(np.abs(speed.rows(end)), [abs(still @ rate) / np.linalg.norm(still)], atol=1e-12)
    by_row = jacobian @ np.linalg.inv(mass) @ jacobian.T
    by_torque = jacobian @ np.linalg.inv(mass)[:, 1:]
    load = np.linalg.solve(by_row, by_torque)
    found = push.rows(end)
    if unloaded:
        free = np.array([-load[1, 1], load[1, 0]]) / np.linalg.norm(load[1])
        assert_allclose(np.abs(found), [abs(free @ torque)], atol=1e-12)
    else:
        assert_allclose(found, torque)


class Frames:
    """Where the base is turned and how it turns, in numbers."""

    def __init__(self, turn, spin):
        self._turn = turn
        self._spin = spin

    def rotation(self, base):
        assert base == "pelvis"
        return ca.DM(self._turn)

    def angular_velocity_in_body(self, base):
        assert base == "pelvis"
        return ca.DM(self._spin)


def ends_of(turn_rad, more):
    """Return a movement that repeats after a turn, with something added to each of its numbers at the end."""
    rng = np.random.default_rng(1)
    q = rng.normal(size=8)
    v = rng.normal(size=8)
    u = rng.normal(size=2)
    start = Rotation.from_rotvec(rng.normal(size=3))
    spin = rng.normal(size=3)
    turn = Rotation.from_rotvec([0.0, 0.0, turn_rad])
    tilt = Rotation.from_rotvec(more["tilt"])
    last_q = q.copy()
    last_v = v.copy()
    last_q[:2] += [5.0, -3.0]  # elsewhere on the ground
    last_q[2] += more["height"]
    last_q[6:] += more["joints"]
    last_v[:3] = turn.apply(v[:3]) + more["speed"]
    last_v[6:] += more["rates"]
    first = SimpleNamespace(
        q=ca.DM(q), v=ca.DM(v), u=ca.DM(u), positions=Frames(start.as_matrix(), 0), velocities=Frames(0, spin)
    )
    last = SimpleNamespace(
        q=ca.DM(last_q), v=ca.DM(last_v), u=ca.DM(u + more["torques"]),
        positions=Frames((turn * start * tilt).as_matrix(), 0), velocities=Frames(0, spin + more["spin"]),
    )  # fmt: skip
    return SimpleNamespace(first=first, last=last)


def test_a_movement_repeats_after_a_turn_up_to_exactly_what_differs():
    scales = SimpleNamespace(velocity=np.arange(1.0, 9.0), torque=np.array([10.0, 20.0]))
    place, speed, torques = turned_periodicity_constraints(SimpleNamespace(scales=scales), "pelvis", 0.7)
    none = {"tilt": np.zeros(3), "height": 0.0, "joints": 0.0, "speed": 0.0, "rates": 0.0, "torques": 0.0, "spin": 0.0}
    same = ends_of(0.7, none)
    for rows in (place, speed, torques):
        assert_allclose(np.array(rows.rows(same)).ravel(), 0.0, atol=1e-12)
    more = {
        "tilt": np.array([0.01, -0.02, 0.03]), "height": 0.1, "joints": np.array([0.2, 0.3]),
        "speed": np.array([0.1, 0.2, 0.3]), "rates": np.array([0.7, 0.8]), "torques": np.array([1.0, 2.0]),
        "spin": np.array([0.4, 0.5, 0.6]),
    }  # fmt: skip
    away = ends_of(0.7, more)
    assert_allclose(np.array(place.rows(away)).ravel(), [0.1, 0.02, -0.04, 0.06, 0.2, 0.3], atol=1e-4)
    rates = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8])
    assert_allclose(np.array(speed.rows(away)).ravel(), rates / scales.velocity, atol=1e-12)
    assert_allclose(np.array(torques.rows(away)).ravel(), [0.1, 0.1], atol=1e-12)
