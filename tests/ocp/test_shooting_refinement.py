"""Polish and playback on a small jumper: torques that really make the movement, by another engine and integrator."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix

from strut.errors import RefusedError
from strut.kinematics.contact_set import ContactRow, ContactSet, contact_set
from strut.maths.rotation import qpos_from_angles, qvel_from_angles
from strut.models.catalogue import load_robot
from strut.ocp.collocation import DirectCollocation
from strut.ocp.constrained_least_squares import BoundedRows, constrained_least_squares
from strut.ocp.contact_dynamics import ContactDynamics, ContactTerms
from strut.ocp.kinematic_tree import read_tree
from strut.ocp.mujoco_contact_dynamics import MujocoContactDynamics
from strut.ocp.node_symbols import Scales
from strut.ocp.problem import (
    BoundaryConstraint,
    Bounds,
    ContactPhase,
    LagrangeCost,
    OptimalControlProblem,
    Parameter,
    TrackingCost,
)
from strut.ocp.shooting_refinement import (
    POINTS_PER_INTERVAL,
    MultipleShooting,
    active_rows,
    contact_dynamics,
    refine_by_shooting,
)
from strut.ocp.sparse_nlp import column, square
from strut.ocp.torque_playback import play, playback_error
from strut.ocp.trajectory import Trajectory
from strut.robot import ContactPoint

JUMPER = """<mujoco model="jumper"><worldbody><body name="shank">
 <joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1"/>
 <joint name="tilt" type="hinge" axis="0 1 0"/><inertial pos="0 0 0.25" mass="2" diaginertia="0.05 0.05 0.01"/>
 <body name="trunk" pos="0 0 0.5"><joint name="knee" type="hinge" axis="0 1 0"/>
 <inertial pos="0.02 0 0.2" mass="6" diaginertia="0.2 0.2 0.05"/></body></body></worldbody></mujoco>"""
FOOT = ContactPoint("foot", "shank", (0.0, 0.0, 0.0))
GROUND = ContactSet("ground", (ContactRow(FOOT, 0), ContactRow(FOOT, 2)))


def jump_problem(*, spring=False):
    """Fall for a node, land on the foot, and come to a tilt: unstable, since nothing holds the foot upright."""
    goal = np.array([0.05, -0.1])

    def ends(ends):
        start = ends.first.q - np.array([0.0, 0.03, -0.02, 0.1])
        return column(start, ends.first.v, ends.last.q[2:] - goal, ends.last.v[3])

    def pull(node):
        return column(0.0, 0.0, 0.0, -node.parameter["stiffness"] * node.q[3] - 0.1 * node.v[3])

    return OptimalControlProblem(
        tree=read_tree(JUMPER),
        actuated=(3,),
        scales=Scales(np.full(4, 2.0), np.full(4, 20.0), np.full(1, 20.0), 50.0, 5.0),
        force_scale=np.full(4, 10.0),
        phases=(
            ContactPhase("fall", ContactSet("flight", ()), 3, (0.05, 0.2)),
            ContactPhase("stand", GROUND, 15, (0.3, 0.3), "impact", ("foot",)),
        ),
        bounds=Bounds(np.array([[-3.0], [3.0]]) * np.ones(4), np.array([[-20.0], [20.0]]) * np.ones(4), U_BOUNDS),
        costs=(LagrangeCost("effort", 1e-2, lambda node: square(node.u)),),
        boundary_constraints=(BoundaryConstraint("ends", ends),),
        parameters=(Parameter("stiffness", 2.0, 2.0, 2.0),) if spring else (),
        passive=pull if spring else None,
    )


U_BOUNDS = np.array([[-200.0], [200.0]])


def solved(problem):
    program = DirectCollocation(problem)
    counts = [phase.intervals + 1 for phase in problem.phases]
    nodes = sum(counts)
    length = np.array([0.08, 0.3])
    start = np.concatenate([[0.0], np.cumsum(length)])
    guess = Trajectory(
        problem=problem,
        time_s=np.concatenate([np.linspace(start[k], start[k + 1], count) for k, count in enumerate(counts)]),
        phase_of=np.repeat([0, 1], counts),
        q=np.tile([0.0, 0.0, 0.0, 0.1], (nodes, 1)),
        v=np.zeros((nodes, 4)),
        a=np.zeros((nodes, 4)),
        u=np.zeros((nodes, 1)),
        force_n=np.zeros((nodes, 2)),
        duration_s=length,
        parameter={},
        impulse_n_s={},
    )
    return program, program.solve(guess)


@pytest.fixture(scope="module", params=[False, True], ids=["bare", "sprung"])
def jump(request):
    program, solution = solved(jump_problem(spring=request.param))
    return program, solution, refine_by_shooting(program, solution)


def test_torques_of_the_mesh_run_away_and_refined_ones_do_not(jump):
    _, solution, exact = jump
    assert playback_error(JUMPER, solution.trajectory) > 1e-4
    assert playback_error(JUMPER, exact.trajectory) < 1e-7


def test_refinement_keeps_what_the_problem_asks_and_hardly_moves(jump):
    program, solution, exact = jump
    assert exact.violation < 1e-9
    path = exact.trajectory
    coarse = solution.trajectory
    assert len(path.time_s) == POINTS_PER_INTERVAL * 18 + 2
    assert_allclose(path.q[0], [0.0, 0.03, -0.02, 0.1], atol=1e-9)
    assert_allclose(path.q[-1, 2:], [0.05, -0.1], atol=1e-9)
    assert_allclose(path.duration_s, coarse.duration_s)
    kept = [
        *range(0, 3 * POINTS_PER_INTERVAL + 1, POINTS_PER_INTERVAL),
        *range(3 * POINTS_PER_INTERVAL + 1, len(path.time_s), POINTS_PER_INTERVAL),
    ]
    assert_allclose(path.time_s[kept], coarse.time_s, atol=1e-12)
    assert np.abs(path.q[kept] - coarse.q).max() < 0.05
    assert exact.cost_before_refinement == solution.cost
    assert abs(MultipleShooting(program.layout, path.parameter).gaps(solution.trajectory).value).max() > 1e-5


def test_a_refined_foot_stays_where_it_landed(jump):
    path = jump[2].trajectory
    stand = path.nodes_of(1)
    assert np.abs(path.q[stand, 1]).max() < 1e-9
    assert np.ptp(path.q[stand, 0]) < 1e-9
    assert path.force_n[stand, 1].min() > 0.0
    assert_allclose(path.force_n[path.phase_of == 0], 0.0)


def test_another_torque_leads_elsewhere(jump, monkeypatch):
    path = jump[2].trajectory
    assert playback_error(JUMPER, replace(path, u=path.u + 0.01)) > 1e-4
    played = play(JUMPER, replace(path, u=path.u + 1e4))
    assert np.isnan(played[-1]).all()
    monkeypatch.setattr("strut.ocp.torque_playback.play", lambda *_: played)
    assert playback_error(JUMPER, path) == np.inf


def test_derivatives_of_the_dynamics_equal_finite_differences(jump):
    _, solution, _ = jump
    path = solution.trajectory
    rng = np.random.default_rng(3)
    dynamics = contact_dynamics(path.problem, path.parameter)
    start = np.array([0, 1, 5, 6])
    touches = active_rows(path.problem, path.phase_of[start])
    state = np.hstack([path.q, path.v])[start]
    torque = (path.u[start], path.u[start + 1])
    length = path.time_s[start + 1] - path.time_s[start]
    slope = dynamics.advance(state, torque, length, touches, steps=2, slopes=True)[1]
    way = rng.normal(size=(4, slope.shape[2]))
    ends = [
        dynamics.advance(
            state + h * way[:, :8],
            (torque[0] + h * way[:, 8:9], torque[1] + h * way[:, 9:]),
            length,
            touches,
            steps=2,
            slopes=False,
        )[0]
        for h in (1e-6, -1e-6)
    ]
    assert_allclose((slope @ way[..., None])[..., 0], (ends[0] - ends[1]) / 2e-6, atol=1e-6)


def test_mujoco_agrees_with_the_symbols_on_a_rolling_heel():
    heiman = load_robot("heiman")
    rng = np.random.default_rng(5)
    contact = contact_set(heiman, "RightForefootLeftHeel")
    tree = read_tree(heiman.model, angle_base=True)
    q = 0.2 * rng.normal(size=34)
    v = rng.normal(size=34)
    force = 10.0 * rng.normal(size=34)
    force[:6] = 0.0
    symbols = ContactDynamics(tree, contact)
    qvel = qvel_from_angles(q, v)
    mujoco_terms = ContactTerms(*MujocoContactDynamics(heiman.model, contact).terms(qpos_from_angles(q), qvel))
    a, load = mujoco_terms.accelerate(force)
    known_a, known_load = symbols.accelerate(q, v, force)
    assert_allclose(a[6:], known_a[6:], atol=1e-7)
    assert_allclose(load, known_load, atol=1e-7)
    after, impulse, _ = mujoco_terms.impact(qvel)
    known = symbols.impact(q, v)
    assert_allclose(after[6:], known.velocity[6:], atol=1e-9)
    assert_allclose(impulse, known.impulse_n_s, atol=1e-8)


def test_the_nearest_point_of_a_square_is_its_corner_or_edge():
    weight = np.ones(2)
    none = csr_matrix((0, 2))
    square_ = BoundedRows(csr_matrix(np.eye(2)), np.array([1.0, -1.0]), np.array([3.0, 1.0]))
    line = csr_matrix(np.array([[1.0, 1.0]]))
    for rows, wanted, corner in ((none, [], [1.0, 0.0]), (line, [4.0], [3.0, 1.0]), (line, [2.0], [1.0, 1.0])):
        change, settled = constrained_least_squares(weight, rows, np.array(wanted), square_)
        assert settled
        assert_allclose(change, corner, atol=1e-9)


def test_equations_that_no_bounds_allow_never_settle():
    weight = np.ones(2)
    line = csr_matrix(np.array([[1.0, 1.0]]))
    square_ = BoundedRows(csr_matrix(np.eye(2)), np.zeros(2), np.ones(2))
    _, settled = constrained_least_squares(weight, line, np.array([9.0]), square_)
    assert not settled


@pytest.mark.parametrize("seed", range(5))
def test_an_interior_point_finds_the_same_change_as_guesses_that_settle(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    weight = rng.uniform(0.1, 3.0, 20)
    rows = csr_matrix(rng.normal(size=(4, 20)))
    box = BoundedRows(csr_matrix(rng.normal(size=(30, 20))), -rng.uniform(0.1, 0.4, 30), rng.uniform(0.1, 0.4, 30))
    wanted = rows @ rng.normal(scale=0.1, size=20)
    monkeypatch.setattr("strut.ocp.constrained_least_squares.MAX_ROUNDS", 50)
    guessed, settled = constrained_least_squares(weight, rows, wanted, box)
    monkeypatch.setattr("strut.ocp.constrained_least_squares.MAX_ROUNDS", 1)
    found, sure = constrained_least_squares(weight, rows, wanted, box)
    assert settled
    assert sure
    assert ((box.rows @ guessed < box.lower + 1e-8) | (box.rows @ guessed > box.upper - 1e-8)).any()
    assert_allclose(found, guessed, atol=1e-9)


def test_a_movement_that_follows_numbers_at_its_nodes_can_be_refined():
    problem = jump_problem()
    follow = TrackingCost("still", 1e-6, lambda node: node.q, np.zeros((20, 4)))
    program, solution = solved(replace(problem, costs=(*problem.costs, follow)))
    exact = refine_by_shooting(program, solution)
    assert playback_error(JUMPER, exact.trajectory) < 1e-7
    assert [cost.name for cost in exact.trajectory.problem.costs] == ["effort"]  # the mesh is another now


def test_refinement_that_does_not_get_there_says_how_far_it_got():
    program, solution = solved(jump_problem())
    with pytest.raises(RefusedError, match=r"torques alone miss .* after 1 step"):
        refine_by_shooting(program, solution, max_steps=1)
