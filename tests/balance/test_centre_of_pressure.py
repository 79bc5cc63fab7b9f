"""Centre of pressure against statics and against the zero-moment point of point masses."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import strut
from strut.balance.centre_of_pressure import cop_of_wrench, cop_with_swing_leg, swing_leg_cop
from strut.engines.inverse_dynamics import ground_reaction

GRAVITY_M_S2 = 9.81


def test_centre_of_pressure_is_the_load_weighted_mean_of_the_contact_points():
    rng = np.random.default_rng(1)
    for ground_m in (0.0, 0.3, -1.2):
        points = np.concatenate([rng.normal(size=(200, 4, 2)), np.full((200, 4, 1), ground_m)], axis=2)
        force = rng.normal(size=(200, 4, 3))
        force[..., 2] = rng.uniform(1.0, 50.0, (200, 4))
        moment = np.cross(points, force).sum(axis=1)
        cop = cop_of_wrench(force.sum(axis=1), moment, ground_m=ground_m)
        share = force[..., 2:] / force[..., 2:].sum(axis=1, keepdims=True)
        assert_allclose(cop, (share * points[..., :2]).sum(axis=1), atol=1e-12)


def random_legs(rng, count):
    """Masses at rest in the body and masses of a swing leg that accelerate, about the body's origin."""
    body_mass = rng.uniform(0.5, 3.0, (count, 3))
    body = rng.normal(scale=0.2, size=(count, 3, 3))
    leg_mass = rng.uniform(0.05, 0.5, (count, 4))
    leg = rng.normal(scale=0.2, size=(count, 4, 3))
    return body_mass, body, leg_mass, leg, rng.normal(scale=3.0, size=(count, 4, 3))


def pieces(count=500):
    """Return the arguments of the formula, and the zero-moment point of the same masses from first principles."""
    body_mass, body, leg_mass, leg, acceleration = random_legs(np.random.default_rng(2), count)
    mass = np.concatenate([body_mass, leg_mass], axis=1)
    place = np.concatenate([body, leg], axis=1)
    moving = np.concatenate([np.zeros_like(body), acceleration], axis=1)
    height_m = 0.3
    load = mass[..., None] * (moving + np.array([0.0, 0.0, GRAVITY_M_S2]))  # what the ground must deliver to each mass
    from_ground = place + np.array([0.0, 0.0, height_m])
    moment = np.cross(from_ground, load).sum(axis=1)
    total = load.sum(axis=1)
    zmp = np.stack([-moment[:, 1] / total[:, 2], moment[:, 0] / total[:, 2]], axis=1)
    weight_n = mass.sum(axis=1) * GRAVITY_M_S2
    com = (mass[..., None] * place).sum(axis=1) / mass.sum(axis=1, keepdims=True)
    leg_force = (leg_mass[..., None] * acceleration).sum(axis=1)
    leg_moment = (np.cross(leg, leg_mass[..., None] * acceleration)).sum(axis=1)
    return com[:, :2], leg_force, leg_moment, weight_n, height_m, zmp


def test_a_load_below_the_least_counts_as_the_least():
    force = np.array([[0.0, 0.0, 50.0], [0.0, 0.0, 1e-9]])
    moment = np.array([[5.0, -10.0, 0.0], [1.0, 2.0, 0.0]])
    assert_allclose(cop_of_wrench(force, moment, min_load_n=4.0), [[0.2, 0.1], [-2.0 / 4.0, 1.0 / 4.0]])


def test_centre_of_pressure_with_a_swing_leg_is_the_zero_moment_point():
    com, force, moment, weight_n, height_m, zmp = pieces()
    for k in range(len(zmp)):
        cop = cop_with_swing_leg(com[k], force[k], moment[k], weight_n=weight_n[k], height_m=height_m)
        assert_allclose(cop, zmp[k], atol=1e-12)


def test_printed_form_forgets_the_vertical_force_of_the_leg():  # E9
    """Adding the leg's term to the static centre misses by exactly F_z c / (w + F_z)."""
    com, force, moment, weight_n, height_m, zmp = pieces()
    vertical = (weight_n + force[:, 2])[:, None]
    change = np.stack([-moment[:, 1] - height_m * force[:, 0], moment[:, 0] - height_m * force[:, 1]], axis=1)
    printed = com + change / vertical
    assert_allclose(printed - zmp, force[:, 2:] * com / vertical, atol=1e-12)
    assert np.abs(printed - zmp).max() > 2e-3


def test_a_leg_that_only_hangs_does_not_move_the_centre_of_pressure():
    com = np.array([[0.02, -0.01], [0.0, 0.03]])
    still = np.zeros((2, 3))
    assert_allclose(cop_with_swing_leg(com, still, still, weight_n=68.67, height_m=0.3), com, atol=0)


def test_both_forms_agree_on_one_body():
    """The wrench form, fed with the same masses, is the same point."""
    com, force, moment, weight_n, height_m, zmp = pieces(50)
    for k in range(50):
        total = force[k] + [0.0, 0.0, weight_n[k]]
        about_body = moment[k] + np.array([com[k, 1] * weight_n[k], -com[k, 0] * weight_n[k], 0.0])
        cop = cop_of_wrench(total, about_body, ground_m=-height_m)
        assert cop == pytest.approx(zmp[k], abs=1e-12)


@pytest.mark.parametrize("leg_index", range(4))
def test_swing_leg_cop_is_that_of_the_whole_body_while_only_a_leg_moves(neutral_walk, mrpete, leg_index):
    """A standing body lifts one leg: then nothing but that leg has inertia, and its links are thin."""
    robot = mrpete
    time_s = np.arange(100) / 100.0
    qpos = np.tile(neutral_walk.qpos[0], (100, 1))
    knee = robot.base_size + robot.joint_names.index(f"{robot.foot_names[leg_index]}_knee")
    qpos[:, knee] += 0.4 * (1.0 - np.cos(2.0 * np.pi * time_s))
    contact = np.tile(np.arange(4) != leg_index, (100, 1))
    reaction = ground_reaction(robot, time_s, qpos)
    whole = cop_of_wrench(reaction.force_n, reaction.moment_nm)
    leg = swing_leg_cop(robot, time_s, qpos, contact)
    assert np.abs(whole - cop_of_wrench(reaction.force_n * [0, 0, 1], reaction.moment_nm)).max() < 1e-12
    assert np.ptp(whole[:, 1]) > 1e-3  # the leg's inertia matters
    np.testing.assert_allclose(leg, whole, atol=6e-4)  # the links' own spin and the rotors are left out


def test_swing_leg_cop_misses_the_sway_of_the_body():
    robot = strut.load_robot("mrpete")
    walk = strut.walk(robot, "neutral", cycles=2)
    leg = swing_leg_cop(robot, walk.time_s, walk.qpos, walk.contact)
    assert np.linalg.norm(leg - walk.cop_in_world, axis=1).max() > 5e-3
