"""The optimal-control engine on movements whose optimum is known in closed form."""

import os
import signal
from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import OutOfRangeError
from strut.kinematics.contact_set import ContactSet, point_contact
from strut.ocp.collocation import DirectCollocation, NotSolvedError
from strut.ocp.interior_point import SOLVED_BARRIER, SolverOptions
from strut.ocp.kinematic_tree import read_tree
from strut.ocp.node_symbols import Scales
from strut.ocp.problem import (
    BoundaryConstraint,
    Bounds,
    Constraint,
    ContactPhase,
    LagrangeCost,
    MayerCost,
    MeanCost,
    OptimalControlProblem,
    Parameter,
    RateCost,
    TrackingCost,
)
from strut.ocp.sparse_nlp import column, square
from strut.ocp.trajectory import Trajectory
from strut.robot import ContactPoint

CART = """<mujoco model="cart"><option gravity="0 0 0"/><worldbody><body name="cart">
 <joint name="x" type="slide" axis="1 0 0"/><inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/>
 </body></worldbody></mujoco>"""
BALL = """<mujoco model="ball"><worldbody><body name="ball">
 <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
 <joint name="z" type="slide" axis="0 0 1"/>
 <inertial pos="0 0 0" mass="2" diaginertia="1 1 1"/></body></worldbody></mujoco>"""
FLIGHT = ContactSet("flight", ())


def wide(size):
    return np.array([[-1e3], [1e3]]) * np.ones(size)


def cart_problem(*, costs, duration_s=(1.0, 1.0), intervals=20, most_force_n=1e3, ends=None, **options):
    tree = read_tree(CART)

    def rest_to_rest(ends):
        return column(ends.first.q[0], ends.first.v[0], ends.last.q[0] - 1.0, ends.last.v[0])

    return OptimalControlProblem(
        tree=tree,
        actuated=(0,),
        scales=Scales(np.ones(1), np.ones(1), np.ones(1), 1.0, 1.0),
        force_scale=np.ones(1),
        phases=(ContactPhase("ride", FLIGHT, intervals, duration_s),),
        bounds=Bounds(wide(1), wide(1), np.array([[-most_force_n], [most_force_n]])),
        costs=costs,
        boundary_constraints=(ends or BoundaryConstraint("rest to rest", rest_to_rest),),
        **options,
    )


def still(problem, **changes):
    """A guess that does not move."""
    counts = [phase.intervals + 1 for phase in problem.phases]
    duration = np.array([np.mean(phase.duration_s) for phase in problem.phases])
    nodes = sum(counts)
    start = np.concatenate([[0.0], np.cumsum(duration)])
    nv = problem.tree.nv
    values = {
        "problem": problem,
        "time_s": np.concatenate([np.linspace(start[p], start[p + 1], n) for p, n in enumerate(counts)]),
        "phase_of": np.repeat(np.arange(len(counts)), counts),
        "q": np.zeros((nodes, nv)),
        "v": np.zeros((nodes, nv)),
        "a": np.zeros((nodes, nv)),
        "u": np.zeros((nodes, len(problem.actuated))),
        "force_n": np.zeros((nodes, len(problem.contact.rows))),
        "duration_s": duration,
        "parameter": {},
        "impulse_n_s": {},
    }
    return Trajectory(**values | changes)


def force_squared(node):
    return square(node.u)


def test_least_effort_from_rest_to_rest_is_the_known_parabola():  # u = m d (6 - 12 t) / T², cost 12 m² d² / T³
    problem = cart_problem(costs=(LagrangeCost("effort", 1.0, force_squared),), intervals=40)
    solution = DirectCollocation(problem).solve(still(problem))
    assert solution.cost == pytest.approx(48.0, rel=2e-3)
    path = solution.trajectory
    assert_allclose(path.u[1:-1, 0], 2.0 * (6.0 - 12.0 * path.time_s[1:-1]), atol=0.05)
    assert_allclose(path.q[:, 0], 3.0 * path.time_s**2 - 2.0 * path.time_s**3, atol=1e-3)
    assert solution.violation < 1e-6


def test_least_time_with_bounded_force_is_bang_bang():  # T = 2 sqrt(m d / F)
    problem = cart_problem(
        costs=(MayerCost("time", 1.0, lambda ends: ends.total_s),),
        duration_s=(0.2, 5.0),
        most_force_n=8.0,
        intervals=30,
    )
    solution = DirectCollocation(problem).solve(still(problem))
    assert solution.trajectory.time_s[-1] == pytest.approx(1.0, rel=2e-3)
    assert_allclose(np.abs(np.delete(solution.trajectory.u[:, 0], [14, 15, 16])), 8.0, atol=0.05)


def test_curves_between_nodes_solve_the_equations_of_motion_exactly():
    problem = cart_problem(costs=(LagrangeCost("effort", 1.0, force_squared),), intervals=5)
    path = DirectCollocation(problem).solve(still(problem)).trajectory
    time, q, v, u, _ = path.between(0, 200)
    assert_allclose(np.gradient(q[:, 0], time, edge_order=2), v[:, 0], atol=1e-3)
    assert_allclose(np.gradient(v[:, 0], time, edge_order=2)[5:-5], u[5:-5, 0] / 2.0, atol=0.05)


def test_tracking_follows_a_reachable_reference_exactly():
    time = np.linspace(0.0, 1.0, 21)
    wanted = (time**3 / 3.0)[:, None]
    start = BoundaryConstraint("start", lambda ends: column(ends.first.q[0], ends.first.v[0]))
    problem = cart_problem(costs=(TrackingCost("path", 1.0, lambda m: m.q, wanted),), ends=start)
    solution = DirectCollocation(problem).solve(still(problem))
    assert solution.cost < 1e-8
    assert_allclose(solution.trajectory.q, wanted, atol=1e-4)
    assert_allclose(solution.trajectory.u[:-5, 0], 2.0 * 2.0 * time[:-5], atol=0.05)  # the end is free to wave


def test_a_falling_ball_lands_with_the_impulse_of_its_fall():
    tree = read_tree(BALL)
    point = ContactPoint("sole", "ball", (0.0, 0.0, 0.0))
    ground = point_contact("ground", point)
    fall_s = 0.4
    problem = OptimalControlProblem(
        tree=tree,
        actuated=(),
        scales=Scales(np.ones(3), 10.0 * np.ones(3), np.ones(0), 10.0, 1.0),
        force_scale=np.ones(3),
        phases=(
            ContactPhase("fall", FLIGHT, 4, (0.1, 1.0)),
            ContactPhase("rest", ground, 3, (0.3, 0.3), arrival="impact", landing=("sole",)),
        ),
        bounds=Bounds(wide(3), wide(3), np.zeros((2, 0))),
        costs=(MeanCost("calm", 1e-6, lambda m: square(m.a)),),
        boundary_constraints=(
            BoundaryConstraint(
                "start", lambda ends: column(ends.first.q - np.array([0.3, 0.1, 9.81 * fall_s**2 / 2.0]), ends.first.v)
            ),
        ),
        friction=0.5,
    )
    solution = DirectCollocation(problem).solve(still(problem))
    path = solution.trajectory
    assert path.duration_s[0] == pytest.approx(fall_s, abs=1e-6)
    assert_allclose(path.impulse_n_s[1], [0.0, 0.0, 2.0 * 9.81 * fall_s], atol=1e-5)
    assert_allclose(path.force_n[path.phase_of == 1], [[0.0, 0.0, 2.0 * 9.81]] * 4, atol=1e-5)
    assert_allclose(path.v[path.phase_of == 1], 0.0, atol=1e-6)
    assert_allclose(path.force_n[path.phase_of == 0], 0.0, atol=0.0)


def test_free_parameters_and_path_constraints_shape_the_movement():
    speed_limit = Constraint("speed", lambda m: m.v[0] - m.parameter["limit"], -np.inf, 0.0)
    base = cart_problem(
        costs=(
            LagrangeCost("effort", 1e-3, force_squared),
            MayerCost("limit", 1.0, lambda ends: ends.first.parameter["limit"]),
        ),
        parameters=(Parameter("limit", 0.0, 10.0, 3.0),),
    )
    phase = ContactPhase("ride", FLIGHT, 40, (1.0, 1.0), constraints=(speed_limit,))
    problem = OptimalControlProblem(**{name: getattr(base, name) for name in base.__slots__} | {"phases": (phase,)})
    path = DirectCollocation(problem).solve(still(problem)).trajectory
    assert path.v.max() == pytest.approx(path.parameter["limit"], abs=1e-3)
    assert 1.0 < path.parameter["limit"] < 1.4  # between even speed and the free parabola's 1.5


def test_element_derivatives_equal_those_of_the_assembled_program():
    problem = cart_problem(
        costs=(
            LagrangeCost("effort", 1.0, force_squared),
            RateCost("rate", 0.1, lambda m: m.u),
            MayerCost("time", 1.0, lambda ends: ends.total_s**2),
        ),
        duration_s=(0.5, 2.0),
        intervals=4,
    )
    program = DirectCollocation(problem)
    functions = program.assembly.functions
    rng = np.random.default_rng(1)
    x = rng.normal(size=program.layout.size) + 1.0
    weights = rng.normal(size=program.assembly.row_count)
    p = program.assembly.data
    symbols = ca.MX.sym("x", len(x))
    cost, rows = functions["nlp"](symbols, p)
    lagrangian = 0.7 * cost + ca.dot(weights, rows)
    plain = ca.Function(
        "plain", [symbols], [ca.gradient(cost, symbols), ca.jacobian(rows, symbols), ca.hessian(lagrangian, symbols)[0]]
    )
    gradient, jacobian, hessian = (value.full() for value in plain(x))
    assert_allclose(functions["grad_f"](x, p)[1].full(), gradient, atol=1e-10)
    assert_allclose(functions["jac_g"](x, p)[1].full(), jacobian, atol=1e-10)
    assert_allclose(functions["hess_lag"](x, p, 0.7, weights).full(), np.triu(hessian), atol=1e-9)


def test_an_interrupted_solver_keeps_its_best_iterate():
    problem = cart_problem(
        costs=(MayerCost("time", 1.0, lambda ends: ends.total_s),), duration_s=(0.2, 5.0), most_force_n=8.0
    )
    seen = []

    def watch(iteration):
        seen.append(iteration)
        return iteration.number >= 4

    with pytest.raises(NotSolvedError, match="stopped by the caller") as error:
        DirectCollocation(problem).solve(still(problem), on_iteration=watch)
    assert [iteration.number for iteration in seen] == [0, 1, 2, 3, 4]
    assert error.value.best.violation == pytest.approx(min(iteration.violation for iteration in seen), abs=1e-9)


def test_ctrl_c_stops_the_solver_and_keeps_its_best_iterate():  # CasADi would swallow it
    problem = cart_problem(
        costs=(MayerCost("time", 1.0, lambda ends: ends.total_s),), duration_s=(0.2, 5.0), most_force_n=8.0
    )
    seen = []

    def press(iteration):
        seen.append(iteration)
        if iteration.number == 4:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(NotSolvedError, match="stopped by the caller") as error:
        DirectCollocation(problem).solve(still(problem), on_iteration=press)
    assert len(seen) == 5
    assert error.value.best.violation == pytest.approx(min(iteration.violation for iteration in seen), abs=1e-9)


def test_a_guess_on_another_mesh_is_a_start_as_well():
    effort = (LagrangeCost("effort", 1.0, force_squared),)
    coarse = cart_problem(costs=effort, intervals=7)
    fine = cart_problem(costs=effort, intervals=40)
    guess = DirectCollocation(coarse).solve(still(coarse)).trajectory
    assert DirectCollocation(fine).solve(guess).cost == pytest.approx(48.0, rel=2e-3)


def test_a_guess_with_other_phases_is_refused():
    problem = cart_problem(costs=(LagrangeCost("effort", 1.0, force_squared),))
    two = OptimalControlProblem(
        **{name: getattr(problem, name) for name in problem.__slots__} | {"phases": problem.phases * 2}
    )
    with pytest.raises(OutOfRangeError, match="guess has 2 phases, the movement 1"):
        DirectCollocation(problem).solve(still(two))


def test_a_warm_start_from_the_solution_is_quick():
    problem = cart_problem(
        costs=(MayerCost("time", 1.0, lambda ends: ends.total_s),), duration_s=(0.2, 5.0), most_force_n=8.0
    )
    program = DirectCollocation(problem)
    cold = program.solve(still(problem))
    warm = program.solve(cold.trajectory, options=SolverOptions(initial_barrier=SOLVED_BARRIER))
    assert warm.cost == pytest.approx(cold.cost, abs=1e-4)
    assert warm.iterations < cold.iterations


@pytest.mark.parametrize(("intervals", "duration_s"), [(0, (1.0, 1.0)), (3, (0.5, 0.2)), (3, (0.0, 1.0))])
def test_phases_without_sense_are_refused(intervals, duration_s):
    with pytest.raises(OutOfRangeError, match="Phase ride"):
        cart_problem(costs=(), intervals=intervals, duration_s=duration_s)


def test_references_must_fit_the_nodes_of_what_is_solved_but_not_of_what_is_kept():
    wanted = np.zeros((21, 1))
    problem = cart_problem(costs=(TrackingCost("path", 1.0, lambda m: m.q, wanted),))
    finer = replace(problem, phases=tuple(replace(phase, intervals=80) for phase in problem.phases))
    assert still(finer).q.shape == (81, 1)
    with pytest.raises(OutOfRangeError, match="reference of path has 21 rows; the movement has 81 nodes"):
        DirectCollocation(finer)
