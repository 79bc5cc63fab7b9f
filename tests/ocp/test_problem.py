"""Declarations without sense are refused in a sentence, and movements that cannot be name what stands in their way."""

import re
from dataclasses import replace

import numpy as np
import pytest

from strut.errors import OutOfRangeError, StrutError
from strut.kinematics.contact_set import point_contact
from strut.ocp.collocation import DirectCollocation, NotSolvedError
from strut.ocp.interior_point import SolverOptions
from strut.ocp.kinematic_tree import read_tree
from strut.ocp.node_symbols import Scales
from strut.ocp.problem import (
    Bounds,
    Constraint,
    ContactPhase,
    LagrangeCost,
    MeanCost,
    OptimalControlProblem,
    Parameter,
)
from strut.ocp.sparse_nlp import square
from strut.robot import ContactPoint
from tests.ocp.test_collocation import BALL, FLIGHT, cart_problem, force_squared, still, wide

EFFORT = (LagrangeCost("effort", 1.0, force_squared),)
SOLE = ContactPoint("sole", "ball", (0.0, 0.0, 0.0))
GROUND = point_contact("ground", SOLE)
SWING = """<mujoco model="swing"><worldbody><body name="b"><joint name="j" type="ball"/>
 <inertial pos="0 0 .1" mass="1" diaginertia=".1 .1 .1"/></body></worldbody></mujoco>"""


def ride(*constraints, bounds=None):
    return ContactPhase("ride", FLIGHT, 20, (1.0, 1.0), constraints=constraints, bounds=bounds)


def failure(problem):
    with pytest.raises(NotSolvedError) as error:
        DirectCollocation(problem).solve(still(problem), options=SolverOptions(max_iterations=80))
    assert error.value.best.trajectory.q.shape == (21, 1)
    return error.value


@pytest.mark.parametrize(
    ("change", "limit"),
    [
        ({"bounds": Bounds(wide(1), wide(1), np.array([[-1.0], [1.0]]))}, r"the torque of x in phase ride, node \d+"),
        ({"phases": (ride(Constraint("speed", lambda m: m.v[0], -0.5, 0.5)),)}, r"'speed' in phase ride, node \d+"),
        ({"phases": (ride(Constraint("wall", lambda m: m.q[0], -9.0, 0.5, "last")),)}, "'wall' in phase ride, node 20"),
        (
            {
                "phases": (ride(Constraint("speed", lambda m: m.v[0] - m.parameter["most"], -np.inf, 0.0)),),
                "parameters": (Parameter("most", 0.0, 0.5, 0.3),),
            },
            "the parameter most",
        ),
    ],
)
def test_an_impossible_movement_names_what_is_off_and_the_limit_in_its_way(change, limit):
    found = failure(replace(cart_problem(costs=EFFORT), **change))
    assert found.worst.startswith("'rest to rest' of row 3 at both ends, off by 0.")
    assert str(found).endswith(f"up against the limit of {found.limit}.")
    assert re.fullmatch(limit, found.limit)


def test_a_phase_has_bounds_of_its_own():
    slow = Bounds(wide(1), np.array([[-1.2], [1.2]]), wide(1))
    halves = (ContactPhase("fast", FLIGHT, 20, (0.5, 0.5)), ContactPhase("slow", FLIGHT, 20, (0.5, 0.5), bounds=slow))
    problem = replace(cart_problem(costs=EFFORT), phases=halves)
    path = DirectCollocation(problem).solve(still(problem)).trajectory
    assert path.v[path.phase_of == 1].max() == pytest.approx(1.2, abs=1e-6)  # the free parabola has 1.5 in the middle
    assert path.v[path.phase_of == 0].max() > 1.25


def test_bounds_of_a_phase_hold_between_nodes_of_a_quick_coordinate_too():
    slow = Bounds(wide(1), np.array([[-1.2], [1.2]]), wide(1))
    phases = (
        ContactPhase("start", FLIGHT, 4, (0.3, 0.3)),
        ContactPhase("middle", FLIGHT, 1, (0.4, 0.4), bounds=slow),
        ContactPhase("stop", FLIGHT, 4, (0.3, 0.3)),
    )

    def fastest_in_the_middle(quick):
        problem = replace(cart_problem(costs=EFFORT), phases=phases, bounded_between_nodes=quick)
        path = DirectCollocation(problem).solve(still(problem)).trajectory
        v, v_next = path.v[path.nodes_of(1), 0]
        a, a_next = path.a[path.nodes_of(1), 0]
        return (v + v_next) / 2.0 + 0.4 / 8.0 * (a - a_next)  # accelerations are linear in between

    assert fastest_in_the_middle(()) > 1.3
    assert fastest_in_the_middle((0,)) == pytest.approx(1.2, abs=1e-6)


def pushed(sideways_n, friction):
    return OptimalControlProblem(
        tree=read_tree(BALL),
        actuated=(0, 1),
        scales=Scales(np.ones(3), 10.0 * np.ones(3), np.ones(2), 10.0, 1.0),
        force_scale=np.ones(3),
        phases=(ContactPhase("stand", GROUND, 3, (0.3, 0.3), arrival="rest", landing=("sole",)),),
        bounds=Bounds(wide(3), wide(3), np.array([sideways_n, sideways_n])),
        costs=(MeanCost("calm", 1e-6, lambda m: square(m.a)),),
        friction=friction,
    )


@pytest.mark.parametrize("direction", np.radians([0.0, 22.5, 45.0, 100.0, -140.0]))
def test_friction_holds_what_is_within_the_cone_and_nothing_outside_it(direction):
    weight_n = 2.0 * 9.81
    away = np.array([np.cos(direction), np.sin(direction)])
    within = pushed(0.8 * 0.92 * weight_n * away, 0.8)  # the octagon inside the circle begins at 0.924
    force = DirectCollocation(within).solve(still(within)).trajectory.force_n
    assert np.linalg.norm(force[:, :2], axis=1) == pytest.approx(0.8 * 0.92 * weight_n, rel=1e-6)
    beyond = pushed(0.8 * 1.01 * weight_n * away, 0.8)
    with pytest.raises(NotSolvedError, match="friction"):
        DirectCollocation(beyond).solve(still(beyond))
    free = pushed(0.8 * 1.01 * weight_n * away, None)
    assert DirectCollocation(free).solve(still(free)).converged


def test_a_foot_that_lands_without_a_push_is_not_stopped_by_friction():
    def landing(friction, speed_m_s):
        near = np.array([[-0.02], [0.02]]) + np.array([1.0, 0.0, speed_m_s])
        return OptimalControlProblem(
            tree=read_tree(BALL),
            actuated=(),
            scales=Scales(np.ones(3), 10.0 * np.ones(3), np.ones(0), 10.0, 1.0),
            force_scale=np.ones(3),
            phases=(
                ContactPhase("fall", FLIGHT, 1, (1e-3, 1e-3), bounds=Bounds(wide(3), near, np.zeros((2, 0)))),
                ContactPhase("rest", GROUND, 2, (0.1, 0.1), arrival="impact", landing=("sole",)),
            ),
            bounds=Bounds(wide(3), wide(3), np.zeros((2, 0))),
            costs=(MeanCost("calm", 1e-6, lambda m: square(m.a)),),
            friction=friction,
        )

    for friction, speed_m_s in ((0.5, -3.0), (None, -1.0)):  # 1 m/s sideways: 0.5 × 3 stops it, 0.5 × 1 does not
        DirectCollocation(landing(friction, speed_m_s)).solve(still(landing(friction, speed_m_s)))
    with pytest.raises(NotSolvedError):
        DirectCollocation(landing(0.5, -1.0)).solve(still(landing(0.5, -1.0)))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"phases": ()}, "no phases"),
        ({"bounds": Bounds(np.array([[1.0], [-1.0]]), wide(1), wide(1))}, "Entry 0 of q of the movement .* 1 and -1"),
        ({"bounds": Bounds(wide(2), wide(1), wide(1))}, r"must be \(2, 1\)"),
        ({"phases": (ride(bounds=Bounds(wide(1), wide(1), wide(3))),)}, "bounds of u of phase ride"),
        ({"phases": (replace(ride(), arrival="impact"),)}, "it is the first phase"),
        ({"tree": read_tree(SWING)}, "quaternions"),
        ({"parameters": (Parameter("most", 1.0, 0.0, 0.5),)}, "parameter most has the bounds 1 and 0"),
    ],
)
def test_a_declaration_without_sense_is_refused(change, words):
    with pytest.raises(OutOfRangeError, match=words):
        replace(cart_problem(costs=EFFORT), **change)


@pytest.mark.parametrize("change", [{"landing": ("toe",)}, {"unloaded": ("toe Z",)}])
def test_unknown_points_and_rows_of_a_phase_are_refused(change):
    with pytest.raises(StrutError, match=r"of phase stand 'toe"):
        replace(pushed(np.zeros(2), 0.8), phases=(ContactPhase("stand", GROUND, 3, (0.3, 0.3), **change),))
