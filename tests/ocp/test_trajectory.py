"""Trajectories between their nodes: polynomials come back exactly, on other meshes, in parts and at any time."""

import importlib.util
from dataclasses import dataclass, replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.polynomial import Polynomial
from numpy.testing import assert_allclose
from scipy.sparse import csr_matrix

from strut.errors import OutOfRangeError, UnknownNameError
from strut.kinematics.contact_set import ContactRow, ContactSet
from strut.ocp.constrained_least_squares import BoundedRows, constrained_least_squares, least_squares_within
from strut.ocp.contact_detection import noise_of
from strut.ocp.friction_cones import cone_rows
from strut.ocp.problem import Bounds, ContactPhase, Parameter
from strut.ocp.soundness import IMPACT_S, least_impulses
from strut.ocp.trajectory import Trajectory, guess_between, mesh_splines, standing_load, trajectory_through
from strut.robot import ContactPoint

CURVES = [Polynomial([0.1, 0.5, -0.3, 0.2]), Polynomial([-0.2, 0.1, 0.4, -0.1, 0.05, -0.02])]
A, B = (ContactPoint(name, body, (0.0, 0.0, 0.0)) for name, body in (("a", "left"), ("b", "right")))
ROWS = tuple(ContactRow(point, axis) for point in (A, B) for axis in (0, 2))


@dataclass
class Problem:
    """Two phases of three and two intervals on two points."""

    phases: tuple
    contact: ContactSet
    actuated: tuple = (1,)
    parameters: tuple = ()

    @property
    def tree(self):
        return SimpleNamespace(nq=2, nv=2, mass_kg=3.0, gravity_m_s2=np.array([0.0, 0.6, -0.8]))

    @property
    def phase_of(self):
        return np.repeat(np.arange(len(self.phases)), [phase.intervals + 1 for phase in self.phases])

    def node_times(self, duration_s):
        ends = np.concatenate([[0.0], np.cumsum(duration_s)])
        return np.concatenate(
            [np.linspace(ends[k], ends[k + 1], phase.intervals + 1) for k, phase in enumerate(self.phases)]
        )

    def on_phases(self, phases):
        rows = dict.fromkeys(row for phase in phases for row in phase.contact.rows)
        return replace(self, phases=phases, contact=ContactSet("all", tuple(rows)))


def problem_of(intervals=(3, 2), arrival="continuous"):
    first = ContactPhase("one", ContactSet("left", ROWS[:2]), intervals[0], (0.2, 0.4))
    second = ContactPhase("two", ContactSet("both", ROWS), intervals[1], (0.1, 0.3), arrival=arrival)
    return Problem((first, second), ContactSet("all", ROWS))


def path_of(problem=None, duration_s=(0.3, 0.2)):
    problem = problem or problem_of()
    time_s = problem.node_times(duration_s)
    q, v, a = (
        np.stack([curve.deriv(order)(time_s) if order else curve(time_s) for curve in CURVES], axis=1)
        for order in range(3)
    )
    nodes = len(time_s)
    return Trajectory(
        problem=problem, time_s=time_s, phase_of=problem.phase_of, q=q, v=v, a=a, u=(2.0 + 3.0 * time_s)[:, None],
        force_n=np.outer(time_s, [1.0, 2.0, 3.0, 4.0]), duration_s=np.array(duration_s), parameter={"p": 0.5},
        impulse_n_s={1: np.array([1.0, 2.0, 3.0, 4.0])}, closure_n=np.zeros((nodes, 1)),
    )  # fmt: skip


def exact(time_s, order=0):
    return np.stack([curve.deriv(order)(time_s) if order else curve(time_s) for curve in CURVES], axis=1)


def test_between_nodes_the_curves_are_quintics_and_torques_straight():
    path = path_of()
    time_s, q, v, u, force = path.between(1, 4)
    assert_allclose(time_s, np.linspace(0.3, 0.5, 9))
    assert_allclose(q, exact(time_s), atol=1e-12)
    assert_allclose(v, exact(time_s, 1), atol=1e-10)
    assert_allclose(u[:, 0], 2.0 + 3.0 * time_s)
    assert_allclose(force, np.outer(time_s, [1.0, 2.0, 3.0, 4.0]))
    assert path.nodes_of(1).tolist() == [4, 5, 6]


def test_at_any_time_a_border_belongs_to_the_phase_that_begins():
    path = path_of()
    time_s = np.array([0.0, 0.07, 0.299, 0.3, 0.44, 0.5])
    assert path.phase_at(time_s).tolist() == [0, 0, 0, 1, 1, 1]
    q, u, force = path.at(time_s)
    assert_allclose(q, exact(time_s), atol=1e-12)
    assert_allclose(u[:, 0], 2.0 + 3.0 * time_s)
    assert_allclose(force, np.outer(time_s, [1.0, 2.0, 3.0, 4.0]), atol=1e-12)
    _, _, by_point, contact = path.sampled(time_s, ["b", "a"])
    assert_allclose(by_point[:, 1], np.outer(time_s, [1.0, 0.0, 2.0]), atol=1e-12)
    assert_allclose(by_point[:, 0], np.outer(time_s, [3.0, 0.0, 4.0]), atol=1e-12)
    assert contact.tolist() == [[phase == 1, True] for phase in path.phase_at(time_s)]


def test_on_another_mesh_places_stay_and_its_own_splines_move_them():
    path = path_of()
    finer = problem_of((5, 4))
    moved = path.on_mesh(finer)
    assert_allclose(moved.time_s, finer.node_times((0.3, 0.2)))
    assert_allclose(moved.q, exact(moved.time_s), atol=1e-12)
    assert_allclose(moved.v, exact(moved.time_s, 1), atol=1e-3)
    assert_allclose(moved.u[:, 0], 2.0 + 3.0 * moved.time_s)
    assert moved.phase_of.tolist() == finer.phase_of.tolist()


@pytest.mark.parametrize("arrival", ["continuous", "impact"])
def test_splines_keep_given_velocities_at_ends_and_share_them_where_nothing_lands(arrival):
    """A cubic comes back exactly; at a border without a landing both sides have the mean."""
    problem = problem_of((4, 3), arrival)
    time_s = problem.node_times((0.3, 0.2))
    q = CURVES[0](time_s)[:, None]
    v = CURVES[0].deriv()(time_s)[:, None]
    speed, push = mesh_splines(problem, time_s, q, v)
    assert_allclose(speed, v, atol=1e-10)
    assert_allclose(push, CURVES[0].deriv(2)(time_s)[:, None], atol=1e-8)
    jump = v.copy()
    jump[4] += 0.2
    jump[5] -= 0.1
    jump[0] += 0.3
    jump[-1] -= 0.4
    speed, _ = mesh_splines(problem, time_s, q, jump)
    mean = (jump[4] + jump[5]) / 2.0
    assert_allclose([speed[0], speed[-1]], [jump[0], jump[-1]], atol=1e-10)
    ends = (mean, mean) if arrival == "continuous" else (jump[4], jump[5])
    assert_allclose([speed[4], speed[5]], ends, atol=1e-10)


def test_a_part_begins_at_zero_at_rest_with_its_own_rows_and_impulses():
    path = path_of(problem_of(arrival="impact"))
    last = path.part(1, 2)
    assert_allclose(last.time_s, [0.0, 0.1, 0.2])
    assert_allclose(last.q, path.q[4:])
    assert (last.phase_of.tolist(), last.duration_s.tolist(), last.impulse_n_s) == ([0, 0, 0], [0.2], {})
    assert last.problem.phases[0].arrival == "rest"
    assert last.force_n.shape == (3, 4)
    first = path.part(0, 1)
    assert_allclose(first.force_n, path.force_n[:4, :2])
    whole = path.part(0, 2)
    assert_allclose(whole.impulse_n_s[1], [1.0, 2.0, 3.0, 4.0])


def test_a_standing_load_is_the_weight_shared_by_what_touches():
    load = standing_load(problem_of(), problem_of().phase_of)
    assert_allclose(load[:4], np.tile([0.0, 3.0, 0.0, 0.0], (4, 1)))
    assert_allclose(load[4:], np.tile([0.0, 1.5, 0.0, 1.5], (3, 1)))


def test_guesses_go_evenly_from_posture_to_posture_in_the_mean_time(monkeypatch):
    monkeypatch.setattr("strut.ocp.trajectory.tree_forces", lambda tree: SimpleNamespace(row_names=()))
    guess = guess_between(problem_of(), [[0.0, 1.0], [0.3, 1.0], [0.3, 0.0]])
    assert_allclose(guess.duration_s, [0.3, 0.2])
    assert_allclose(guess.q[:4, 0], guess.time_s[:4])
    assert_allclose(guess.q[4:, 1], 1.0 - (guess.time_s[4:] - 0.3) / 0.2, atol=1e-12)
    assert not guess.v.any()
    assert not guess.a.any()
    assert guess.u.shape == (7, 1)
    through = trajectory_through(problem_of(), exact, (0.3, 0.2), {"p": 2.0})
    assert_allclose(through.v, exact(through.time_s, 1))
    assert_allclose(through.a, exact(through.time_s, 2))
    assert through.parameter == {"p": 2.0}


def test_the_least_impulse_is_eased_by_what_was_carried_before():
    path = path_of(problem_of(arrival="impact"))
    before = path.force_n[3]
    hard = replace(path, impulse_n_s={1: np.array([9.0, -0.5, -9.0, 0.2])})
    strict, eased = least_impulses(hard)
    assert strict == pytest.approx(-0.5)
    assert eased == pytest.approx(min(0.0, -0.5 + IMPACT_S * before[1]))
    assert least_impulses(replace(path, impulse_n_s={})) == (0.0, 0.0)


def test_a_cone_is_an_octagon_inside_the_circle():
    def room(x, z, y=0.0):
        force = {ROWS[0]: x, ROWS[1]: z, ContactRow(A, 1): y}
        return float(np.min(np.array(cone_rows(force, 0.5)).astype(float)))

    assert room(0.0, 2.0) == pytest.approx(np.cos(np.pi / 8.0))
    for angle in np.linspace(0.0, 2.0 * np.pi, 17):
        inner = 0.5 * 2.0 * np.cos(np.pi / 8.0)
        assert room(0.999 * inner * np.cos(angle), 2.0, 0.999 * inner * np.sin(angle)) >= 0.0
        assert room(1.001 * np.cos(angle), 2.0, 1.001 * np.sin(angle)) < 0.0
    both = {ContactRow(A, 2): 1.0, ContactRow(B, 2): 1.0, ContactRow(A, 0): 0.3, ContactRow(B, 0): -0.3}
    assert float(np.min(np.array(cone_rows(both, 0.5)).astype(float))) == pytest.approx(np.cos(np.pi / 8.0))


def test_the_least_change_meets_equations_and_holds_only_bounds_that_pull():
    rows = csr_matrix(np.array([[1.0, 1.0, 1.0]]))
    bounded = BoundedRows(csr_matrix(np.eye(3)), np.array([-9.0, -9.0, 0.9]), np.array([0.1, 9.0, 9.0]))
    change, known = constrained_least_squares(np.array([1.0, 2.0, 1.0]), rows, np.array([1.0]), bounded)
    assert known
    assert_allclose(change, [0.08, 0.02, 0.9], atol=1e-9)  # 0.1 left, by 1 / weight² between the first two
    loose = BoundedRows(csr_matrix(np.eye(3)), np.full(3, -9.0), np.full(3, 9.0))
    change, known = constrained_least_squares(np.array([1.0, 2.0, 1.0]), rows, np.array([0.9]), loose)
    assert_allclose(change, [0.4, 0.1, 0.4], atol=1e-9)
    upper = BoundedRows(csr_matrix(np.eye(3)), np.full(3, -9.0), np.array([0.2, 9.0, 0.3]))
    change, known = constrained_least_squares(np.array([1.0, 2.0, 1.0]), rows, np.array([0.9]), upper)
    assert known
    assert_allclose(change, [0.2, 0.4, 0.3], atol=1e-9)
    crossed = BoundedRows(csr_matrix(np.eye(3)), np.full(3, -9.0), np.full(3, 0.1))
    assert not constrained_least_squares(np.ones(3), rows, np.array([1.0]), crossed)[1]
    found = least_squares_within(
        np.array([1.0, 2.0]), csr_matrix([[1.0, 1.0]]).tocsc(), np.array([1.0]), np.array([5.0])
    )
    assert_allclose(found[0], [0.8, 0.2], atol=1e-6)
    assert found[1][0] < 0.0
    assert (
        least_squares_within(
            np.ones(1), csr_matrix([[1.0], [1.0]]).tocsc(), np.array([1.0, -9.0]), np.array([9.0, 0.0])
        )
        is None
    )


def test_noise_is_found_under_a_smooth_movement():
    rng = np.random.default_rng(0)
    time_s = np.linspace(0.0, 1.0, 4000)
    samples = np.column_stack([np.sin(5.0 * time_s), time_s**3]) + rng.normal(size=(4000, 2)) * [0.01, 0.002]
    assert_allclose(noise_of(samples), [0.01, 0.002], rtol=0.1)


@pytest.mark.parametrize(("changes", "words"), [
    ({"duration_s": (0.0, 0.4)}, "two positive times"), ({"duration_s": (0.5, 0.4)}, "two positive times"),
    ({"duration_s": (0.2, np.inf)}, "two positive times"), ({"intervals": 0}, "at least 1"),
])  # fmt: skip
def test_phases_that_make_no_sense_are_refused(changes, words):
    phase = problem_of().phases[0]
    phase.check()
    replace(phase, duration_s=(0.3, 0.3), intervals=1, landing=("a",), unloaded=(ROWS[0].name,)).check()
    with pytest.raises(OutOfRangeError, match=words):
        replace(phase, **changes).check()
    with pytest.raises(UnknownNameError, match="point of phase one"):
        replace(phase, landing=("b",)).check()
    with pytest.raises(UnknownNameError, match="row of phase one"):
        replace(phase, may_pull=("b_z",)).check()


def test_bounds_and_parameters_that_are_crossed_or_misshapen_are_refused():
    two = np.array([[-1.0, -1.0], [1.0, 1.0]])
    fine = Bounds(two, two, two[:, :1])
    fine.check("it", 2, 1)
    with pytest.raises(OutOfRangeError, match=r"bounds of u of it have the shape \(2, 1\); it must be \(2, 2\)"):
        fine.check("it", 2, 2)
    crossed = two.copy()
    crossed[0, 1] = 2.0
    with pytest.raises(OutOfRangeError, match="Entry 1 of v of it is bounded by 2 and 1"):
        Bounds(two, crossed, two[:, :1]).check("it", 2, 1)
    with pytest.raises(OutOfRangeError, match="first_q"):
        Bounds(two, two, two[:, :1], first_q=two[:, :1]).check("it", 2, 1)
    Parameter("p", 1.0, 1.0, 1.0).check()
    with pytest.raises(OutOfRangeError, match="parameter p"):
        Parameter("p", 1.1, 1.0, 1.0).check()


def test_the_example_of_a_hopper_counts_its_nodes_and_their_times():
    place = Path(__file__).parents[2] / "examples" / "08_hopper.py"
    spec = importlib.util.spec_from_file_location("hopper_problem", place)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    problem = module.hopping()
    counts = [phase.intervals + 1 for phase in problem.phases]
    assert len(problem.phase_of) == sum(counts)
    times = problem.node_times([0.4] * len(counts))
    assert_allclose(times[: counts[0]], np.linspace(0.0, 0.4, counts[0]))
    assert times[counts[0]] == pytest.approx(0.4)
    assert times[-1] == pytest.approx(0.4 * len(counts))
