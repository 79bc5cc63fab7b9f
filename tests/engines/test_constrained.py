"""Contact dynamics: three solvers, Newton's law, published forces and impacts, exact rolling."""

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.constrained import ConstrainedDynamics
from strut.engines.contact_rows import row_loads, touching_velocity
from strut.engines.symbolic import Movement
from strut.engines.tree import read_tree
from strut.errors import BadTableError, UnknownNameError
from strut.robots.catalogue import load_robot
from strut.robots.contact_set import ContactSet, contact_points, contact_set, flat_contact, line_contact, point_contact

SETS = {"RightHeel": 3, "RightFlat": 6, "RightForefoot": 5, "RightForefootLeftHeel": 8, "RightForefootLeftFlat": 11}
IMPACT_J = {  # recomputed with Pinocchio from the published tables
    "RightHeel": -0.026890862,
    "RightFlat": -0.592111027,
    "RightForefoot": -0.045077618,
    "RightForefootLeftHeel": -0.070903584,
    "RightForefootLeftFlat": -0.756552745,
}


@pytest.fixture(scope="module")
def heiman():
    return load_robot("heiman")


@pytest.fixture(scope="module")
def tree(heiman):
    return read_tree(heiman.mjcf, angle_base=True)


@pytest.fixture(scope="module")
def dynamics(heiman, tree):
    return {name: ConstrainedDynamics(tree, contact_set(heiman, name)) for name in SETS}


def generic():
    index = np.arange(1, 35)
    q, v = 0.1 * np.sin(index), 0.2 * np.cos(index)
    q[2] = 0.95
    return q, v, np.concatenate([np.zeros(6), 5.0 * np.sin(3.0 * np.arange(1, 29))])


def neutral():
    q = np.zeros(34)
    q[2] = 0.9938
    return q


@pytest.mark.parametrize("name", SETS)
def test_three_solutions_agree_and_newton_holds(name, dynamics, tree):
    q, v, force = generic()
    contact = dynamics[name]
    a, multiplier = contact.accelerate(q, v, force, method="direct")
    for method in ("range", "null"):
        other, forces = contact.accelerate(q, v, force, method=method)
        assert_allclose(other, a, atol=1e-9 * np.abs(a).max())
        assert_allclose(forces, multiplier, atol=1e-9 * np.abs(multiplier).max())
    symbols = [ca.SX.sym(letter, 34) for letter in "qva"]
    rate = ca.Function(
        "p",
        symbols,
        [
            ca.jtimes(Movement(tree, *symbols).linear_momentum(), symbols[1], symbols[2])
            + ca.jtimes(Movement(tree, *symbols).linear_momentum(), symbols[0], symbols[1])
        ],
    )
    sums = [sum(multiplier[i] for i, row in enumerate(contact.contact.rows) if row.axis == axis) for axis in range(3)]
    assert_allclose(sums + 75.0 * tree.gravity_m_s2, rate(q, v, a).full().ravel(), atol=1e-9)


def test_published_forces_of_the_double_support_come_out(dynamics):
    q, v, force = generic()
    contact = dynamics["RightForefootLeftFlat"]
    jacobian = contact.terms(q, v)[2]
    a, multiplier = contact.accelerate(q, v - np.linalg.pinv(jacobian) @ (jacobian @ v), force)
    assert np.linalg.norm(a) == pytest.approx(363.964028, abs=1e-5)
    assert_allclose(
        multiplier,
        [23.04927732, -0.29130179, 64.27084561, -45.38088696, -39.55749373, 4.36754364,
         -2.59964996, 238.06513594, 18.40258114, 104.40016434, -41.39919230],
        atol=1e-6,
    )  # fmt: skip


def test_free_fall_of_the_generic_state_is_the_published_one(tree):
    q, v, force = generic()
    a, _ = ConstrainedDynamics(tree, ContactSet("flight", ())).accelerate(q, v, force)
    assert np.linalg.norm(a) == pytest.approx(3733.673934, abs=1e-4)
    assert_allclose(a[:3], [-1.39335793, -0.29650811, -10.01660492], atol=1e-7)


@pytest.mark.parametrize(("name", "rows"), SETS.items())
def test_sets_have_the_published_rows_and_full_rank(name, rows, dynamics):
    jacobian = dynamics[name].terms(neutral(), np.zeros(34))[2]
    assert jacobian.shape[0] == np.linalg.matrix_rank(jacobian) == rows


@pytest.mark.parametrize(("name", "energy_j"), IMPACT_J.items())
def test_impacts_stop_the_rows_and_take_the_published_energy(name, energy_j, dynamics):
    q, v, _ = generic()
    contact = dynamics[name]
    mass, _, jacobian, _ = contact.terms(q, v)
    hit = contact.impact(q, v)
    assert np.abs(jacobian @ hit.velocity).max() < 1e-12
    assert hit.energy_change_j == pytest.approx(energy_j, abs=1e-8)
    change = hit.velocity - v
    assert hit.energy_change_j == pytest.approx(-0.5 * change @ mass @ change, abs=1e-10)
    assert contact.impact(q, v, restitution=1.0).energy_change_j == pytest.approx(0.0, abs=1e-10)
    for method in ("range", "null"):
        assert_allclose(contact.impact(q, v, method=method).impulse_n_s, hit.impulse_n_s, atol=1e-9)


def test_standing_on_one_flat_foot_would_need_the_ground_to_pull(dynamics):
    contact = dynamics["RightFlat"]
    _, bias, jacobian, _ = contact.terms(neutral(), np.zeros(34))
    forces = np.linalg.solve(jacobian[:, :6].T, bias[:6])  # no torque holds the pelvis itself
    normal = [index for index, row in enumerate(contact.contact.rows) if row.axis == 2]
    assert_allclose(forces[normal], [516.9541, 825.9831, -607.1872], atol=1e-3)
    assert (bias - jacobian.T @ forces)[7] == pytest.approx(-61.2144, abs=1e-3)


def test_a_spinning_heel_rolls_without_slip_where_a_fixed_bottom_point_would_drift(heiman, tree, dynamics):
    contact = dynamics["RightHeel"]
    q, v = neutral(), np.zeros(34)
    q[6:13] = [-0.3, 0.05, 0.1, 0.1, -0.2, 0.05, 0.1]
    v[3:13] = [0.3, 0.8, 1.5, -1.0, 0.4, 1.2, 0.8, 0.9, -0.7, 1.1]
    v = contact.impact(q, v).velocity
    force = np.zeros(34)
    step, moved = 1e-3, (q, v)

    def rate(q, v):
        return v, contact.accelerate(q, v, force)[0]

    for _ in range(100):
        q0, v0 = moved
        k1 = rate(q0, v0)
        k2 = rate(q0 + step / 2 * k1[0], v0 + step / 2 * k1[1])
        k3 = rate(q0 + step / 2 * k2[0], v0 + step / 2 * k2[1])
        k4 = rate(q0 + step * k3[0], v0 + step * k3[1])
        moved = (
            q0 + step / 6 * (k1[0] + 2 * k2[0] + 2 * k3[0] + k4[0]),
            v0 + step / 6 * (k1[1] + 2 * k2[1] + 2 * k3[1] + k4[1]),
        )
    jacobian = contact.terms(*moved)[2]
    assert np.abs(jacobian @ moved[1]).max() < 1e-8
    heel = contact_points(heiman)["HeelRight"]
    symbols = [ca.SX.sym(letter, 34) for letter in "qv"]
    moving = Movement(tree, *symbols)
    omega = ca.Function("w", symbols, [moving.angular_velocity(heel.body)])(*moved).full().ravel()
    omitted = heel.radius_m * omega[2] * omega[:2]  # the term that the body-fixed form adds to the acceleration
    assert np.abs(omitted).max() > 1e-2
    assert np.abs(ca.Function("s", symbols, [touching_velocity(moving, heel)])(*moved).full()).max() < 1e-8


def test_forces_on_rows_do_the_work_of_their_jacobian(heiman, tree, dynamics):
    contact = contact_set(heiman, "RightForefootLeftFlat")
    q, v, a, f = ca.SX.sym("q", 34), ca.SX.sym("v", 34), ca.SX.sym("a", 34), ca.SX.sym("f", 11)
    moving = Movement(tree, q, v, a)
    loaded = moving.inverse_dynamics(row_loads(moving, contact, f)) - moving.inverse_dynamics()
    state_q, state_v, _ = generic()
    forces = np.linspace(-100.0, 200.0, 11)
    jacobian = dynamics["RightForefootLeftFlat"].terms(state_q, state_v)[2]
    mine = ca.Function("l", [q, v, a, f], [loaded])(state_q, state_v, 0.0, forces).full().ravel()
    assert_allclose(mine, -jacobian.T @ forces, atol=1e-9)


def test_balls_lines_and_soles_are_the_sets_of_the_thesis(heiman):
    before, after = contact_set(heiman, "RightForefoot"), contact_set(heiman, "RightForefootLeftHeel")
    assert {row.name for row in after.rows} - {row.name for row in before.rows} == {
        "HeelLeft X",
        "HeelLeft Y",
        "HeelLeft Z",
    }
    points = contact_points(heiman)
    heel, toe, side = (points[f"{name}Right"] for name in ("Heel", "Hallux", "Meta5"))
    assert point_contact("heel", heel).rows == contact_set(heiman, "RightHeel").rows
    assert line_contact("line", toe, side).rows == before.rows
    assert flat_contact("flat", heel, toe, side).rows == contact_set(heiman, "RightFlat").rows


def test_unknown_sets_and_doubled_rows_are_refused(heiman):
    with pytest.raises(UnknownNameError, match="RightFlat"):
        contact_set(heiman, "RightFlatt")
    row = contact_set(heiman, "RightHeel").rows[0]
    with pytest.raises(BadTableError, match="twice"):
        ContactSet("twice", (row, row))
