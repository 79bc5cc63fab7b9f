"""A periodic gait keeps the robot's dynamics, measured by another engine than the one that found it."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from strut.engines.rigid_body import foot_contact_points
from strut.errors import BadTableError
from strut.maths.rotation import qpos_from_angles
from strut.models.catalogue import load_robot
from strut.models.coupled_joints import coupled_joints
from strut.ocp.coupled_tree import coupled_tree
from strut.ocp.trajectory import trajectory_of, variables_of
from strut.pilot.controllers.actuated_model import actuated_model
from strut.pilot.gait_library.gait_audit import audit_gait, gait_violation
from strut.pilot.gait_library.gait_optimization import (
    FIRST_IMPULSE,
    IMPULSE_N_S,
    LEVEL_M,
    MOTOR_TORQUE_NM,
    UPRIGHT_RAD,
    GaitProgram,
    gait_library_table,
)
from strut.pilot.plant.torque_model import control_table, motor_gears, torque_model


@pytest.fixture(scope="module")
def cassie():
    return load_robot("cassie")


@pytest.fixture(scope="module")
def program(cassie):
    return GaitProgram(cassie)


@pytest.fixture(scope="module")
def found(program):
    return program.solve((0.4, 0.06, 0.86), program.initial_guess((0.4, 0.06, 0.86)), warm=False)


def test_dynamics_with_springs_at_rest_are_those_of_the_controllers(cassie):
    model = torque_model(cassie, friction=0.6, step_s=1e-3)
    body = actuated_model(model, control_table(cassie))
    rng = np.random.default_rng(1)
    motors = model.qpos0[body.motor_dof + 1] + 0.1 * rng.normal(size=10)
    acceleration = rng.normal(size=16)
    qpos = np.array(model.qpos0)
    qpos[3:7] = (1.0, 0.0, 0.0, 0.0)
    qpos[7:] = body.joints_at_rest(motors)
    theirs = body.dynamics()
    theirs.set_configuration(qpos)
    theirs.set_velocity(np.zeros(model.nv))
    swap = [0, 1, 2, 4, 3, 5, *range(6, 16)]  # the base turns about y, x, z there, about x, y, z here
    q = np.concatenate([np.zeros(6), motors])
    ours = inverse_dynamics(coupled_tree(cassie), q, acceleration[swap])
    np.testing.assert_allclose(ours[swap], theirs.mass @ acceleration + theirs.bias, atol=1e-10)


def test_a_joint_that_follows_two_others_is_refused(cassie, monkeypatch):
    coupled = coupled_joints(cassie)
    follow = coupled.follow.copy()
    row = int(np.setdiff1d(np.arange(len(follow)), coupled.free)[0])
    follow[row, :2] = 0.5, 0.1
    monkeypatch.setattr("strut.ocp.coupled_tree.coupled_joints", lambda _robot: replace(coupled, follow=follow))
    with pytest.raises(BadTableError, match=f"{cassie.joint_names[row]} follows more than one joint"):
        coupled_tree(cassie)


def inverse_dynamics(tree, q, a):
    import casadi as ca  # noqa: PLC0415

    from strut.ocp.symbolic_dynamics import SymbolicDynamics  # noqa: PLC0415

    return np.array(
        ca.evalf(SymbolicDynamics(tree, ca.DM(q), ca.DM.zeros(tree.nv), ca.DM(a)).inverse_dynamics())
    ).ravel()


SPEED = (0.4, 0.06)


@pytest.fixture
def gliding(program):
    """A stand that glides along with the speed, at its height, in the usual time: the nodes of a cold start."""
    return trajectory_of(program.collocation.layout, program.initial_guess((*SPEED, 0.86)))


def costs_of(program, path):
    return program.collocation.costs(variables_of(program.collocation.layout, path))


def rows_of(program, path, name):
    """Return the rows of a name, in their own units."""
    rows, _ = program.collocation.assembly.linear(variables_of(program.collocation.layout, path))
    return rows[program.collocation.rows_of(name)]


def test_an_upright_stand_at_its_height_and_step_time_has_no_such_cost(program, gliding):
    costs = costs_of(program, gliding)
    weight = program.table.upright_weight
    assert costs["upright"] == pytest.approx(0.0, abs=1e-12)
    assert costs["pace"] == pytest.approx(0.0, abs=1e-12)
    leaning = gliding.q + np.eye(program.tree.nv)[2] * LEVEL_M + np.eye(program.tree.nv)[3] * UPRIGHT_RAD
    assert costs_of(program, replace(gliding, q=leaning))["upright"] == pytest.approx(2.0 * weight)
    shorter = replace(gliding, duration_s=gliding.duration_s - 0.02)
    assert costs_of(program, shorter)["pace"] == pytest.approx(program.table.pace_weight * 0.02**2)


def test_effort_is_torque_before_the_gear(cassie, program, gliding):
    torque_nm = np.zeros_like(gliding.u)
    torque_nm[:, 0] = 0.5 * motor_gears(cassie).ratio[0] * MOTOR_TORQUE_NM
    assert costs_of(program, replace(gliding, u=torque_nm))["effort"] == pytest.approx(0.25)


def test_an_acceleration_of_thirty_radians_costs_a_hundredth(program, gliding):
    hasty = np.zeros_like(gliding.a)
    hasty[:, 7] = 15.0
    assert costs_of(program, replace(gliding, a=hasty))["acceleration"] == pytest.approx(0.25 * 0.01)


def test_feet_stand_apart_by_the_usual_width_and_half_of_what_is_gone_aside(cassie, program, gliding):
    angles = np.concatenate([gliding.q[0, :6], coupled_joints(cassie).all_rad(gliding.q[:1, 6:])[0]])
    toes = foot_contact_points(cassie, qpos_from_angles(angles[None]))[0]
    owner = np.array(cassie.point_feet)
    apart_m = toes[owner == 0][0, 1] - toes[owner == 1][0, 1]
    missed_m = apart_m - program.table.usual_width_m - SPEED[1] * gliding.duration_s.sum() / 2.0
    assert costs_of(program, gliding)["track"] == pytest.approx(program.table.track_weight * missed_m**2, rel=1e-6)


def test_a_walk_that_ends_aside_of_its_speed_misses_it_to_the_left_and_not_forwards(program, gliding):
    assert np.abs(rows_of(program, gliding, "mean speed")).max() < 1e-9
    aside = gliding.q.copy()
    aside[-1, 1] += 0.01
    np.testing.assert_allclose(rows_of(program, replace(gliding, q=aside), "mean speed"), [0.0, 0.01, 0.0], atol=1e-9)


def test_a_landing_takes_the_momentum_that_the_ground_gives_back(cassie, program, gliding):
    """A body that sinks at the end and does not at the beginning was pushed upwards by its mass times that speed."""
    falling = gliding.v.copy()
    falling[-1, 2] -= 0.2
    upwards = [number for number, row in enumerate(program.contact[0].rows) if row.axis == 2]
    share = cassie.mass_kg * 0.2 / len(upwards) / IMPULSE_N_S
    pushed = gliding.parameter | {f"{FIRST_IMPULSE}{number}": share for number in upwards}
    for parameter, missing in ((gliding.parameter, cassie.mass_kg * 0.2 / IMPULSE_N_S), (pushed, 0.0)):
        rows = rows_of(program, replace(gliding, v=falling, parameter=parameter), "first landing")
        assert rows[2] == pytest.approx(missing, abs=1e-6)


def test_what_a_landing_misses_is_twice_as_much_of_twice_the_change_of_speed(program, gliding):
    """Impulses are short: nothing turns while they act."""
    change = 0.3 * np.random.default_rng(2).normal(size=program.tree.nv)
    missed = []
    for factor in (1.0, 2.0):
        moving = gliding.v.copy()
        moving[-1] = gliding.v[0] - factor * change
        missed.append(rows_of(program, replace(gliding, v=moving), "first landing"))
    np.testing.assert_allclose(missed[1], 2.0 * missed[0], atol=1e-9)
    assert np.abs(missed[0]).max() > 0.1


def test_gears_brake_and_the_ground_does_not_pull_at_a_landing(cassie, program):
    speed = np.linspace(-2.0, 3.0, program.tree.nv)
    braked = program.problem.passive(SimpleNamespace(v=speed))
    np.testing.assert_allclose(braked[:6], 0.0)
    np.testing.assert_allclose(braked[6:], -motor_gears(cassie).damping_nm_s_rad * speed[6:])
    impulses = [one for one in program.problem.parameters if one.name.startswith(FIRST_IMPULSE)]
    assert len(impulses) == len(program.contact[0].rows) == 5
    for one, row in zip(impulses, program.contact[0].rows, strict=True):
        assert one.lower == (0.0 if row.axis == 2 else -one.upper)
    assert [phase.arrival for phase in program.problem.phases] == ["rest", "impact"]


def test_a_landing_that_pushes_sideways_more_than_friction_allows_is_outside_its_cone(cassie, program, gliding):
    rows = program.contact[0].rows
    for share, inside in ((0.3, True), (1.5, False)):
        impulse = {number: 2.0 if row.axis == 2 else 0.0 for number, row in enumerate(rows)}
        ahead = next(number for number, row in enumerate(rows) if row.axis == 0)
        impulse[ahead] = share * cassie.friction * sum(impulse.values())
        told = gliding.parameter | {f"{FIRST_IMPULSE}{number}": value for number, value in impulse.items()}
        left = rows_of(program, replace(gliding, parameter=told), "friction of the first landing")
        assert bool((left >= -1e-9).all()) is inside


def test_feet_of_a_stand_are_side_by_side_and_miss_the_length_of_a_step(cassie, program, gliding):
    """A stand that glides keeps its width and its heading; its feet are not ahead of each other as a step asks."""
    angles = np.concatenate([gliding.q[0, :6], coupled_joints(cassie).all_rad(gliding.q[:1, 6:])[0]])
    points = foot_contact_points(cassie, qpos_from_angles(angles[None]))[0]
    owner = np.array(cassie.point_feet)
    left = points[owner == 0]
    right = points[owner == 1]
    np.testing.assert_allclose(rows_of(program, gliding, "step width"), left[0, 1] - right[0, 1], atol=1e-6)
    aside = [left[0, 1] - left[1, 1], right[0, 1] - right[1, 1]]
    np.testing.assert_allclose(rows_of(program, gliding, "foot straight ahead"), aside, atol=1e-6)
    ahead_m = left[0, 0] - right[0, 0]
    short = [sign * ahead_m - SPEED[0] * gliding.duration_s[0] for sign in (1.0, -1.0)]
    np.testing.assert_allclose(rows_of(program, gliding, "steps of equal length"), short, atol=1e-6)
    heights = rows_of(program, gliding, "clearance at mid-step")
    np.testing.assert_allclose(heights, [*right[:, 2], *left[:, 2]], atol=1e-6)


def test_a_gait_stays_within_what_joints_can_do_and_its_standing_ankle_is_free(cassie, program):
    bounds = program.problem.bounds
    motors = program.motors
    joints = slice(6, None)
    assert (bounds.q[0, joints] > cassie.joint_lower_rad[motors]).all()
    assert (bounds.q[1, joints] < cassie.joint_upper_rad[motors]).all()
    np.testing.assert_allclose(bounds.q[:, 3:6], [[-program.table.attitude_rad] * 3, [program.table.attitude_rad] * 3])
    np.testing.assert_allclose(bounds.v[1, joints] / cassie.joint_speed_limit_rad_s[motors], 0.95)
    np.testing.assert_allclose(bounds.u, [-cassie.torque_limit_nm[motors], cassie.torque_limit_nm[motors]])
    names = [cassie.joint_names[motor] for motor in motors]
    for stance, side in enumerate(("left", "right")):
        (free,) = np.flatnonzero(program.problem.phases[stance].bounds.u[1] == 0.0)
        assert names[free].startswith(side)
        assert "foot" in names[free] or "toe" in names[free] or "ankle" in names[free]


def test_the_height_of_a_gait_is_kept_within_its_band_and_its_speed_exactly(program):
    program.initial_guess((0.4, 0.06, 0.86))
    layout = program.collocation.layout
    band = program.table.height_band_m
    np.testing.assert_allclose(layout.lower[layout.q[:, 2]], 0.86 - band)
    np.testing.assert_allclose(layout.upper[layout.q[:, 2]], 0.86 + band)
    np.testing.assert_allclose(layout.lower[layout.parameter[:3]], (0.4, 0.06, 0.86))
    np.testing.assert_allclose(layout.upper[layout.parameter[:3]], (0.4, 0.06, 0.86))
    np.testing.assert_allclose(layout.lower[layout.duration], program.table.step_range_s(0.86)[0])


def test_a_coded_gait_begins_each_step_from_the_sole_that_stands(cassie, found):
    for stance in (0, 1):
        base, _ = found.gait.at(stance, 0.0)
        node = found.trajectory.between(stance, 1)[1][0]
        angles = np.concatenate([node[:6], coupled_joints(cassie).all_rad(node[None, 6:])[0]])
        points = foot_contact_points(cassie, qpos_from_angles(angles[None]))[0]
        sole = points[np.array(cassie.point_feet) == stance].mean(axis=0)
        np.testing.assert_allclose(base[:3], node[:3] - sole, atol=1e-6)
        np.testing.assert_allclose(base[3:], node[3:6], atol=1e-9)


def test_a_gait_walks_on_its_soles_by_the_dynamics_of_another_engine(cassie, found):
    assert found.gait is not None, found.status
    measured = audit_gait(cassie, found.gait)
    assert measured.off_line_mm < 10.0  # of the zero-moment point from the sole that stands
    assert measured.slip_mm < 4.0
    assert measured.clearance_mm > 115.0
    table = gait_library_table(cassie)
    assert gait_violation(measured, found.gait.step_s, table.step_range_s(0.86), table) == ""


def test_a_gait_goes_as_fast_as_it_says(found):
    nodes = found.trajectory
    gone = nodes.q[-1, :2] - nodes.q[0, :2]
    np.testing.assert_allclose(gone / nodes.duration_s.sum(), (0.4, 0.06), atol=1e-6)
    np.testing.assert_allclose(nodes.q[-1, 2:], nodes.q[0, 2:], atol=1e-5)


def test_a_neighbour_is_found_sooner_from_a_gait_than_from_a_stand(program, found):
    near = program.solve((0.6, 0.06, 0.86), found.variables, warm=True)
    assert near.gait is not None
    assert near.iterations <= found.iterations


def test_what_no_leg_can_do_is_explained(program, found):
    fast = program.solve((4.0, 0.0, 0.86), found.variables, warm=True, seconds=0.1)
    assert fast.gait is None
    assert "worst is" in fast.status


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"base": (0, 2, 0.06)}, "mm off its height"),
        ({"motors": (0, 3, 0.2)}, "a stance sole moves"),
    ],
)
def test_a_gait_that_was_tampered_with_is_refused(cassie, found, change, words):
    from dataclasses import replace  # noqa: PLC0415

    ((name, (stance, row, by)),) = change.items()
    curves = np.array(getattr(found.gait, name))
    curves[stance, row] += by
    table = gait_library_table(cassie)
    broken = audit_gait(cassie, replace(found.gait, **{name: curves}))
    assert words in gait_violation(broken, found.gait.step_s, table.step_range_s(0.86), table)


def test_the_equations_of_a_found_gait_hold_to_a_millionth(program, monkeypatch):
    """A solver that may stop at the tolerance of its cost leaves them a ten-thousandth open."""
    kind = type(program.collocation)
    solutions = []
    original = kind.solution
    monkeypatch.setattr(kind, "solution", lambda *given: solutions.append(original(*given)) or solutions[-1])
    program.solve((0.4, 0.06, 0.86), program.initial_guess((0.4, 0.06, 0.86)), warm=False)
    assert solutions[0].violation < 1e-6
