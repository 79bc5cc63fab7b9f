"""Contact dynamics: three solvers, Newton's law, published forces and impacts, exact rolling."""

from itertools import product

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import BadTableError, UnknownNameError
from strut.kinematics.contact_set import ContactRow, ContactSet, contact_points, contact_set, point_contact
from strut.ocp.contact_dynamics import ContactDynamics, ContactTerms
from strut.ocp.kinematic_tree import read_tree
from strut.ocp.symbolic_dynamics import SymbolicDynamics
from tests.ocp.human_states import generic, integrated, neutral

SETS = {"RightHeel": 3, "RightFlat": 6, "RightForefoot": 5, "RightForefootLeftHeel": 8, "RightForefootLeftFlat": 11}
IMPACT_J = {  # recomputed with Pinocchio from the published tables
    "RightHeel": -0.026890862,
    "RightFlat": -0.592111027,
    "RightForefoot": -0.045077618,
    "RightForefootLeftHeel": -0.070903584,
    "RightForefootLeftFlat": -0.756552745,
}


@pytest.fixture(scope="module")
def tree(heiman):
    return read_tree(heiman.model, angle_base=True)


@pytest.fixture(scope="module")
def dynamics(heiman, tree):
    return {name: ContactDynamics(tree, contact_set(heiman, name)) for name in SETS}


@pytest.mark.parametrize("name", SETS)
def test_the_saddle_point_system_is_solved_and_newton_holds(name, dynamics, tree):
    q, v, force = generic()
    contact = dynamics[name]
    a, multiplier = contact.accelerate(q, v, force)
    mass, bias, jacobian, gamma = contact.terms(q, v)
    saddle = np.block([[mass, -jacobian.T], [jacobian, np.zeros((len(gamma), len(gamma)))]])
    both = np.linalg.solve(saddle, np.concatenate([force - bias, gamma]))
    assert_allclose(np.concatenate([a, multiplier]), both, rtol=0.0, atol=1e-9)
    symbols = [ca.SX.sym(letter, 34) for letter in "qva"]
    rate = ca.Function(
        "p",
        symbols,
        [
            ca.jtimes(SymbolicDynamics(tree, *symbols).linear_momentum(), symbols[1], symbols[2])
            + ca.jtimes(SymbolicDynamics(tree, *symbols).linear_momentum(), symbols[0], symbols[1])
        ],
    )
    sums = [sum(multiplier[i] for i, row in enumerate(contact.contact.rows) if row.axis == axis) for axis in range(3)]
    assert_allclose(sums + 75.0 * tree.gravity_m_s2, rate(q, v, a).full().ravel(), rtol=0.0, atol=1e-10)


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
    a, _ = ContactDynamics(tree, ContactSet("flight", ())).accelerate(q, v, force)
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


def test_standing_on_one_flat_foot_would_need_the_ground_to_pull(dynamics):
    contact = dynamics["RightFlat"]
    _, bias, jacobian, _ = contact.terms(neutral(), np.zeros(34))
    forces = np.linalg.solve(jacobian[:, :6].T, bias[:6])  # no torque holds the pelvis itself
    normal = [index for index, row in enumerate(contact.contact.rows) if row.axis == 2]
    assert_allclose(forces[normal], [516.9541, 825.9831, -607.1872], atol=1e-3)
    assert (bias - jacobian.T @ forces)[7] == pytest.approx(-61.2144, abs=1e-3)


class BodyFixed(ContactDynamics):
    """Holds still the point of the heel that happens to be lowest, as was printed (E22), not the place it touches."""

    def __init__(self, tree, contact):
        super().__init__(tree, contact)
        symbols, (self.heel,) = [ca.SX.sym(letter, 34) for letter in "qv"], contact.points
        self.omega = ca.Function("w", symbols, [SymbolicDynamics(tree, *symbols).angular_velocity(self.heel.body)])

    def terms(self, q, v):
        mass, bias, jacobian, gamma = super().terms(q, v)
        omega = self.omega(q, v).full().ravel()
        return ContactTerms(mass, bias, jacobian, gamma + self.heel.radius_m * omega[2] * omega * [1.0, 1.0, 0.0])


def test_a_spinning_heel_rolls_without_slip_where_a_fixed_bottom_point_drifts(heiman, tree, dynamics):
    contact = dynamics["RightHeel"]
    q = neutral()
    v = np.zeros(34)
    q[6:13] = [-0.3, 0.05, 0.1, 0.1, -0.2, 0.05, 0.1]
    v[3:13] = [0.3, 0.8, 1.5, -1.0, 0.4, 1.2, 0.8, 0.9, -0.7, 1.1]
    v = contact.impact(q, v).velocity
    rolled = integrated(contact, q, v, 1e-3, 100)
    assert np.abs(contact.terms(*rolled)[2] @ rolled[1]).max() < 1e-8
    symbols = [ca.SX.sym(letter, 34) for letter in "qv"]
    moving = SymbolicDynamics(tree, *symbols)
    heel = contact_points(heiman)["HeelRight"]
    energy = ca.Function("e", symbols, [moving.kinetic_energy() + moving.potential_energy()])
    slip = ca.Function("s", symbols, [moving.contact_velocity(heel)])
    assert float(energy(*rolled)) == pytest.approx(float(energy(q, v)), rel=0.0, abs=1e-9)
    assert np.abs(slip(*rolled).full()).max() < 1e-8
    fixed = integrated(BodyFixed(tree, contact.contact), q, v, 1e-3, 100)
    assert np.abs(slip(*fixed).full()).max() > 3e-3


def test_sets_are_as_well_conditioned_as_published(dynamics):
    published = dict(zip(SETS, (1.004, 0.0792, 0.0780, 0.0732, 0.0569), strict=True))
    for name, smallest in published.items():
        jacobian = dynamics[name].terms(neutral(), np.zeros(34))[2]
        assert np.linalg.svd(jacobian, compute_uv=False)[-1] == pytest.approx(
            smallest, abs=5e-4 if name == "RightHeel" else 5e-5
        )


def test_forces_on_rows_do_the_work_of_their_jacobian(heiman, tree, dynamics):
    contact = contact_set(heiman, "RightForefootLeftFlat")
    q = ca.SX.sym("q", 34)
    v = ca.SX.sym("v", 34)
    a = ca.SX.sym("a", 34)
    f = ca.SX.sym("f", 11)
    moving = SymbolicDynamics(tree, q, v, a)
    loaded = moving.inverse_dynamics(moving.row_loads(contact, f)) - moving.inverse_dynamics()
    state_q, state_v, _ = generic()
    forces = np.linspace(-100.0, 200.0, 11)
    jacobian = dynamics["RightForefootLeftFlat"].terms(state_q, state_v)[2]
    mine = ca.Function("l", [q, v, a, f], [loaded])(state_q, state_v, 0.0, forces).full().ravel()
    assert_allclose(mine, -jacobian.T @ forces, atol=1e-9)


def test_balls_lines_and_soles_are_the_sets_of_the_thesis(heiman):
    before = contact_set(heiman, "RightForefoot")
    after = contact_set(heiman, "RightForefootLeftHeel")
    assert {row.name for row in after.rows} - {row.name for row in before.rows} == {
        "HeelLeft X",
        "HeelLeft Y",
        "HeelLeft Z",
    }
    points = contact_points(heiman)
    heel, toe, side = (points[f"{name}Right"] for name in ("Heel", "Hallux", "Meta5"))
    assert point_contact("heel", heel).rows == contact_set(heiman, "RightHeel").rows
    assert (*point_contact("line", toe).rows, ContactRow(side, 0), ContactRow(side, 2)) == before.rows
    flat = ContactRow(toe, 1), ContactRow(toe, 2), ContactRow(side, 2)
    assert (*point_contact("flat", heel).rows, *flat) == contact_set(heiman, "RightFlat").rows


def test_unknown_sets_and_doubled_rows_are_refused(heiman):
    with pytest.raises(UnknownNameError, match="RightFlat"):
        contact_set(heiman, "RightFlatt")
    row = contact_set(heiman, "RightHeel").rows[0]
    with pytest.raises(BadTableError, match="twice"):
        ContactSet("twice", (row, row))


@pytest.mark.parametrize("name", ["RightForefoot", "RightForefootLeftFlat"])
def test_a_foot_across_the_walk_is_refused_instead_of_given_any_forces(name, dynamics):
    q = neutral()
    v = np.zeros(34)
    force = np.zeros(34)
    for yaw in (0.5, 1.2):
        q[5] = yaw
        dynamics[name].accelerate(q, v, force)
    asked = (dynamics[name].impact, lambda q, v: dynamics[name].accelerate(q, v, force))
    for ask, q[5] in product(asked, (np.pi / 2, 1.5)):
        with pytest.raises(BadTableError, match=f"{name}: its .* rows .* constrain only .* points along x"):
            ask(q, v)
