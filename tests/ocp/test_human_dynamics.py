"""The human's dynamics: against textbook recursions and published values, in flight, in the mirror, joint by joint."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.kinematics.contact_set import ContactSet
from strut.kinematics.mirror import mirror_of
from strut.maths.rotation import qpos_from_angles, qvel_from_angles
from strut.ocp.contact_dynamics import ContactDynamics
from strut.ocp.kinematic_tree import read_tree
from strut.ocp.symbolic_dynamics import SymbolicDynamics
from tests.ocp.human_states import generic, integrated, neutral
from tests.ocp.spatial import SpatialTree, inertia, transform

FLIGHT = ContactSet("flight", ())


@pytest.fixture(scope="module")
def tree(heiman):
    return read_tree(heiman.model, angle_base=True)


@pytest.fixture(scope="module")
def flight(tree):
    return ContactDynamics(tree, FLIGHT)


def numbers(expression):
    return np.asarray(ca.DM(expression).full().squeeze())


def moving(tree, q, v, a=None):
    return SymbolicDynamics(tree, ca.DM(q), ca.DM(v), None if a is None else ca.DM(a))


def body_axes(angles):
    return Rotation.from_euler("YXZ", angles)


def test_transforms_map_inertias_and_their_energy_is_ours(tree):  # behaviour 1
    rng = np.random.default_rng(1)
    turn = Rotation.random(rng=rng).as_matrix()
    place = rng.normal(size=3)
    com = rng.normal(size=3)
    about = np.diag([0.3, 0.4, 0.5])
    there = np.linalg.inv(transform(turn, place))  # from the second frame back to the first
    mapped = there.T @ inertia(3.0, com, about) @ there
    assert_allclose(mapped, inertia(3.0, turn @ (com - place), turn @ about @ turn.T), atol=1e-12)
    q, v, _ = generic()
    energy = numbers(moving(tree, q, v).kinetic_energy())
    assert energy == pytest.approx(SpatialTree(tree, q).kinetic_energy(v), rel=1e-12)
    assert energy == pytest.approx(2.12294326, abs=1e-8)


def test_rates_of_the_base_angles_are_its_angular_velocity(tree):  # behaviour 2
    rng = np.random.default_rng(2)
    for _ in range(5):
        q = rng.uniform(-0.7, 0.7, 34)
        v = rng.normal(size=34)
        axes = body_axes(q[3:6])

        def rate(step, q=q, v=v):
            behind, ahead = (body_axes(q[3:6] + sign * step * v[3:6]) for sign in (-1.0, 1.0))
            return (behind.inv() * ahead).as_rotvec() / (2.0 * step)

        omega = qvel_from_angles(q, v)[3:6]
        assert_allclose(omega, (4.0 * rate(1e-3) - rate(2e-3)) / 3.0, atol=1e-8)
        found = moving(tree, q, v, np.zeros(34))
        assert_allclose(axes.inv().apply(numbers(found.angular_velocity("Pelvis"))), omega, atol=1e-12)
        _, x, z = q[3:6]
        by_y, by_x, by_z = v[3:6]
        bias = [  # cJ of the reference, corrected for the order y, x, z (E08)
            np.cos(z) * np.cos(x) * by_z * by_y - np.sin(z) * np.sin(x) * by_x * by_y - np.sin(z) * by_z * by_x,
            -np.sin(z) * np.cos(x) * by_z * by_y - np.cos(z) * np.sin(x) * by_x * by_y - np.cos(z) * by_z * by_x,
            -np.cos(x) * by_x * by_y,
        ]
        alpha = axes.inv().apply(numbers(found.angular_acceleration("Pelvis")))
        assert_allclose(alpha, bias, atol=1e-12)
        ahead, behind = (qvel_from_angles(q + sign * 1e-5 * v, v)[3:6] for sign in (1.0, -1.0))
        assert_allclose(alpha, (ahead - behind) / 2e-5, atol=1e-8)


def test_the_first_angle_alone_turns_about_y():  # behaviour 2
    q = np.zeros(34)
    q[3] = 0.4
    assert_allclose(qpos_from_angles(q)[3:7], [np.cos(0.2), 0.0, np.sin(0.2), 0.0], atol=1e-15)
    assert_allclose(qvel_from_angles(q, np.eye(34)[3])[3:6], [0.0, 1.0, 0.0], atol=1e-15)


def test_three_textbook_recursions_agree_with_ours(tree, flight):  # behaviour 3
    q, v, force = generic()
    a, _ = flight.accelerate(q, v, force)
    mass, bias, _, _ = flight.terms(q, v)
    textbook = SpatialTree(tree, q)
    assert np.abs(mass @ a + bias - force).max() < 1e-9
    assert np.abs(mass @ textbook.forward(v, force) + bias - force).max() < 1e-9
    assert_allclose(textbook.mass_matrix(), mass, atol=1e-9)
    assert_allclose(textbook.inverse(v, np.zeros(34)), bias, atol=1e-9)
    assert_allclose(a[:6], [-1.39335793, -0.29650811, -10.01660492, 4.72115787, -5.41032393, 55.67060771], atol=1e-7)


def test_forgetting_the_turning_axes_or_gravity_costs_the_published_amounts(tree, flight):  # behaviour 4
    q, v, force = generic()
    a = 0.3 * np.sin(2.0 * np.arange(1, 35))
    ours = numbers(moving(tree, q, v, a).inverse_dynamics())
    textbook = SpatialTree(tree, q)
    assert np.abs(ours - textbook.inverse(v, a)).max() < 1e-9
    assert np.abs(ours - textbook.inverse(v, a, without_cross=True)).max() == pytest.approx(2.8014, abs=5e-5)
    falls, _ = flight.accelerate(q, v, force)
    floats, _ = ContactDynamics(replace(tree, gravity_m_s2=np.zeros(3)), FLIGHT).accelerate(q, v, force)
    lost = np.zeros(34)
    lost[2] = 9.81
    assert_allclose(floats - falls, lost, atol=1e-9)
    assert_allclose(textbook.forward(v, force, falling=False) - falls, lost, atol=1e-9)


def test_free_flight_keeps_energy_and_angular_momentum_on_a_parabola(tree, flight):  # behaviour 5
    q, v, _ = generic()
    first = moving(tree, q, v)
    last = moving(tree, *integrated(flight, q, v, 1e-3, 200))
    assert numbers(last.kinetic_energy() + last.potential_energy()) == pytest.approx(
        numbers(first.kinetic_energy() + first.potential_energy()), abs=1e-10
    )
    assert_allclose(numbers(last.angular_momentum()), numbers(first.angular_momentum()), atol=1e-12)
    speed = numbers(first.linear_momentum()) / tree.mass_kg
    fallen = numbers(first.centre_of_mass()) + 0.2 * speed + 0.5 * 0.2**2 * tree.gravity_m_s2
    assert_allclose(numbers(last.centre_of_mass()), fallen, atol=1e-10)


def test_mass_matrix_is_positive_definite_in_random_postures(flight):  # behaviour 13
    postures = np.random.default_rng(7).uniform(-1.0, 1.0, (2000, 34))
    smallest = np.linalg.eigvalsh([flight.terms(q, np.zeros(34))[0] for q in postures])[:, 0].min()
    assert smallest == pytest.approx(3.6e-4, rel=0.1)


def test_inertia_of_the_neutral_posture_has_the_published_span(flight):
    values = np.linalg.eigvalsh(flight.terms(neutral(), np.zeros(34))[0])
    assert values[0] == pytest.approx(0.001996, abs=5e-7)
    assert values[-1] == pytest.approx(77.358, abs=5e-4)


def test_the_mirror_image_of_a_body_moves_as_the_mirror_image(heiman, tree, flight):  # behaviour 16
    mirror = mirror_of(heiman, tree.velocity_names)
    q, v, force = generic()
    here = moving(tree, q, v)
    there = moving(tree, mirror.image(q), mirror.image(v))
    for part in ("Foot", "Hand"):
        for side, other in (("Right", "Left"), ("Left", "Right")):
            image = numbers(here.position(f"{part}{side}")) * [1.0, -1.0, 1.0]
            assert_allclose(numbers(there.position(f"{part}{other}")), image, atol=1e-14)
    a, _ = flight.accelerate(q, v, force)
    mirrored, _ = flight.accelerate(mirror.image(q), mirror.image(v), mirror.image(force))
    assert_allclose(mirrored, mirror.image(a), atol=1e-10)


@pytest.mark.parametrize("side", ["Right", "Left"])
@pytest.mark.parametrize(
    ("joint", "torque_nm", "above", "point", "moves"),
    [("Knee", 10.0, "Thigh", (0.0, 0.0, 0.0), (-1, 0, 0)), ("Ankle", -10.0, "Shank", (0.18, 0.0, -0.087), (0, 0, 1))],
)
def test_positive_knee_torques_flex_and_negative_ankle_torques_lift_the_toes(
    tree, flight, side, joint, torque_nm, above, point, moves
):  # behaviour 18
    q = neutral()
    rest = np.zeros(34)
    torque = torque_nm * np.eye(34)[tree.velocity_names.index(f"{joint}{side}_RY")]
    gained = flight.accelerate(q, rest, torque)[0] - flight.accelerate(q, rest, rest)[0]
    assert gained @ torque > 0.0
    change = moving(tree, q, rest, gained)
    away = numbers(change.acceleration(f"Foot{side}", point)) - numbers(change.acceleration(f"{above}{side}"))
    assert away @ moves > 10.0
