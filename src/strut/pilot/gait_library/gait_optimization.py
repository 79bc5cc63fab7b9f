"""Periodic gaits by optimal control: two steps of a biped on line feet that repeat, at a mean speed and height.

Whole-body dynamics with locked springs. Each step has one flat stance foot with a passive ankle and ends with an
inelastic impact of the other foot (L. Li and others, 2020, after A. Hereid and A. Ames's hybrid collocation). Speed,
height and step time enter only as bounds, so one nonlinear program serves a whole library.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.errors import BadTableError
from strut.kinematics.contact_set import ContactRow, ContactSet
from strut.ocp.collocation import DirectCollocation, Solution
from strut.ocp.coupled_tree import coupled_tree
from strut.ocp.friction_cones import cone_rows
from strut.ocp.interior_point import NEAR_BARRIER, InteriorPoint, SolverOptions
from strut.ocp.kinematic_tree import KinematicTree
from strut.ocp.node_symbols import NodeSymbols, Scales
from strut.ocp.problem import (
    BoundaryConstraint,
    BoundarySymbols,
    Bounds,
    Constraint,
    ContactPhase,
    Cost,
    MayerCost,
    MeanCost,
    OptimalControlProblem,
    Parameter,
)
from strut.ocp.sparse_nlp import column, square
from strut.ocp.symbolic_dynamics import Expression, SymbolicDynamics
from strut.ocp.trajectory import Trajectory, trajectory_through, variables_of
from strut.pilot.gait_library.gait_library import GaitParameter, PeriodicGait, bezier_fit
from strut.pilot.plant.torque_model import control_table, motor_gears
from strut.robot import BASE, Foot, Robot
from strut.schemas.gait_library import GaitLibraryTable

ANYWHERE = np.array([[-np.inf], [np.inf]])
IMPULSE_N_S = 10.0  # scale of an impulse: makes the solver's parameters about 1
MAX_IMPULSE = 20.0  # in that scale
FIRST_IMPULSE = "impulse of the first landing, row "
MOTOR_TORQUE_NM = 3.0  # motor torque, before the gear, of cost 1
UPRIGHT_RAD = 0.1  # attitude of cost 1
LEVEL_M = 0.03  # deviation from the height of cost 1
ACCELERATION_WEIGHT = 0.01  # of accelerations in their scale, 30 rad/s2
SPEED_SHARE = 0.95  # of the joint speed limits: between nodes, and after the fit of curves, joints are slightly faster
JOINT_MARGIN_RAD = 0.03  # from the joint limits, for the same reason
SAMPLES_PER_INTERVAL = 10  # for the fit of curves
PARAMETERS = ("forward", "left", "height")


def gait_library_table(robot: Robot) -> GaitLibraryTable:
    """Return gait_library.toml of a robot's folder; raises BadTableError without one that fits control.toml."""
    table = robot.tables.gait_library
    if table is None:
        raise BadTableError(f"{robot.name} has no gait_library.toml in its folder, so it cannot have a gait library.")
    motors = len(control_table(robot).motors)
    if 2 * len(table.motor_mirror) != motors:
        raise BadTableError(
            f"gait_library.toml of {robot.name} has {len(table.motor_mirror)} signs in motor_mirror; "
            f"a leg has {motors // 2} motors in control.toml."
        )
    return table


def line_contact_rows(foot: Foot) -> ContactSet:
    """Return the contact constraints of a flat line foot along x: its toe in all axes, its heel sideways and up."""
    toe, heel = foot.points
    rows = (*(ContactRow(toe, axis) for axis in range(3)), ContactRow(heel, 1), ContactRow(heel, 2))
    return ContactSet(foot.name, rows)


@dataclass(frozen=True, slots=True, eq=False)
class GaitSolution:
    """Result of the solver.

    Args:
        gait: The gait; None if the solver failed.
        variables: Best iterate, an initial guess for neighbours. Shape (n,).
        trajectory: The same at the nodes.
        status: Status of the solver; if it failed, with the worst constraint and the limit that blocks it.
        iterations: Iterations of the solver.
        solve_s: Processor time.
    """

    gait: PeriodicGait | None
    variables: Array
    trajectory: Trajectory
    status: str
    iterations: int
    solve_s: float


class GaitProgram:
    """One nonlinear program for all gaits of a robot; gaits differ only in its bounds."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.table = gait_library_table(robot)
        self.tree = coupled_tree(robot)
        self.contact = tuple(line_contact_rows(foot) for foot in robot.feet)
        self.problem = _problem(self)
        self.collocation = DirectCollocation(self.problem)

    @property
    def motors(self) -> list[int]:
        """Indices of the joints with motors."""
        return [self.robot.joint_names.index(name) for name in self.tree.velocity_names[BASE:]]

    def initial_guess(self, parameter: GaitParameter) -> Array:
        """Return the variables of a standing posture that glides at the mean speed. Shape (n,)."""
        forward, left, height = parameter
        shortest, longest = self.table.step_range_s(height)
        step_s = min(max(self.table.usual_step_s, shortest), longest)
        posture = np.concatenate(
            [np.zeros(BASE), self.robot.standing_qpos[-len(self.robot.joint_names) :][self.motors]]
        )
        rate = np.zeros(self.tree.nv)
        posture[2] = height
        rate[:2] = (forward, left)

        def curve(time_s: Array, order: int) -> Array:
            moved = posture + time_s[:, None] * rate
            return (moved, np.tile(rate, (len(time_s), 1)), np.zeros_like(moved))[order]

        self._bind(parameter)
        return variables_of(self.collocation.layout, trajectory_through(self.problem, curve, [step_s, step_s]))

    def solve(self, parameter: GaitParameter, start: Array, *, warm: bool, seconds: float = 60.0) -> GaitSolution:
        """Solve from an initial guess; `warm` if that is the solution of a neighbour. Shape (n,) in."""
        self._bind(parameter)
        layout = self.collocation.layout
        options = SolverOptions(
            tolerance=1e-3,
            row_tolerance=1e-6,
            max_iterations=200,
            max_seconds=seconds,
            initial_barrier=NEAR_BARRIER if warm else 0.0,
        )
        solver = InteriorPoint(self.collocation.assembly, layout.lower, layout.upper, options)
        outcome = solver.solve(start)
        solution = self.collocation.solution(outcome, solver)
        gait = _fit_curves(self, parameter, solution.trajectory) if solution.converged else None
        status = solution.status if gait is not None else self._failure(solution)
        return GaitSolution(gait, outcome.x, solution.trajectory, status, outcome.iterations, outcome.solve_s)

    def _failure(self, solution: Solution) -> str:
        """Return the status of a failed solution with its worst constraint and the limit that blocks it."""
        limit = self.collocation.blocking_limit(solution.variables)
        blocked = f", up against the limit of {limit}" if limit else ""
        return f"{solution.status}; worst is {solution.worst}{blocked}"

    def _bind(self, parameter: GaitParameter) -> None:
        """Set the bounds of speed, height and step time."""
        layout = self.collocation.layout
        _, _, height = parameter
        for index, value in zip(layout.parameter, parameter, strict=False):
            layout.lower[index] = layout.upper[index] = value
        up = layout.q[:, 2]
        band = self.table.height_band_m
        layout.lower[up] = height - band
        layout.upper[up] = height + band
        layout.lower[layout.duration], layout.upper[layout.duration] = self.table.step_range_s(height)


def _problem(program: GaitProgram) -> OptimalControlProblem:
    robot = program.robot
    tree = program.tree
    table = program.table
    motors = program.motors
    limit = robot.torque_limit_nm[motors]
    speed = robot.joint_speed_limit_rad_s[motors]
    free = np.full(2, 5.0)
    turn = np.full(3, table.attitude_rad)
    lower = np.concatenate([-free, [0.0], -turn, robot.joint_lower_rad[motors] + JOINT_MARGIN_RAD])
    upper = np.concatenate([free, [10.0], turn, robot.joint_upper_rad[motors] - JOINT_MARGIN_RAD])
    first = np.repeat(ANYWHERE, tree.nv, axis=1)
    first[:, 0] = 0.0
    fast = np.concatenate([np.full(BASE, 5.0), SPEED_SHARE * speed])
    weight_n = robot.mass_kg * float(np.linalg.norm(tree.gravity_m_s2))
    impulses = [
        Parameter(f"{FIRST_IMPULSE}{number}", 0.0 if row.axis == 2 else -MAX_IMPULSE, MAX_IMPULSE, 0.0)
        for number, row in enumerate(program.contact[0].rows)
    ]
    return OptimalControlProblem(
        tree=tree,
        actuated=tuple(range(BASE, tree.nv)),
        scales=Scales(
            np.full(tree.nv, 3.0), np.full(tree.nv, 30.0), np.full(len(motors), 50.0), 0.6 * weight_n, IMPULSE_N_S
        ),
        force_scale=np.concatenate([np.full(BASE, 50.0), np.full(len(motors), 20.0)]),
        phases=tuple(_step(program, stance, limit) for stance in range(len(robot.feet))),
        bounds=Bounds(np.array([lower, upper]), np.array([-fast, fast]), np.array([-limit, limit]), first),
        costs=_costs(program),
        boundary_constraints=_ends(program),
        parameters=(*(Parameter(word, 0.0, 0.0, 0.0) for word in PARAMETERS), *impulses),
        friction=robot.friction,
        passive=_gear_friction(program),
    )


def _gear_friction(program: GaitProgram) -> Any:
    """Return the viscous friction of motors and gears."""
    damping = motor_gears(program.robot).damping_nm_s_rad
    braking = np.concatenate([np.zeros(BASE), damping])
    return lambda node: -braking * node.v


def _step(program: GaitProgram, stance: int, limit_nm: Array) -> ContactPhase:
    """Return the phase of a step on one stance foot with a passive ankle."""
    robot = program.robot
    table = program.table
    tree = program.tree
    standing = robot.feet[stance]
    swinging = robot.feet[1 - stance]
    torque = np.array([-limit_nm, limit_nm])
    torque[:, (stance + 1) * len(limit_nm) // 2 - 1] = 0.0

    def width(node: NodeSymbols) -> Expression:
        return column(node.place(robot.feet[0].points[0])[1] - node.place(robot.feet[1].points[0])[1])

    def along(node: NodeSymbols) -> Expression:
        toe, heel = (node.place(point) for point in standing.points)
        return column(toe[1] - heel[1])

    def stride(node: NodeSymbols) -> Expression:
        ahead = node.place(standing.points[0])[0] - node.place(swinging.points[0])[0]
        return column(ahead - node.parameter["forward"] * node.duration_s)

    def clearance(node: NodeSymbols) -> Expression:
        return column(*(node.height(point) for point in swinging.points))

    min_m, max_m = table.clearance_m
    anywhere = np.repeat(ANYWHERE, tree.nv, axis=1)
    return ContactPhase(
        name=standing.name,
        contact=program.contact[stance],
        intervals=table.intervals,
        duration_s=(min(table.shortest_step_s), table.longest_step_s),
        arrival="impact" if stance else "rest",
        landing=tuple(point.name for point in standing.points),
        torque_jumps=True,
        bounds=Bounds(anywhere, anywhere, torque),
        constraints=(
            Constraint("step width", width, *table.step_width_m, nodes="first", unit="m"),
            Constraint("foot straight ahead", along, nodes="first", unit="m"),
            Constraint("steps of equal length", stride, nodes="first", unit="m"),
            Constraint("clearance at mid-step", clearance, min_m, max_m, nodes="middle", unit="m"),
            Constraint("swing foot above the ground", clearance, 0.0, max_m, nodes="inner", unit="m"),
        ),
    )


def _costs(program: GaitProgram) -> tuple[Cost, ...]:
    table = program.table
    gear = motor_gears(program.robot).ratio

    def upright(node: NodeSymbols) -> Expression:
        return square(node.q[3:BASE]) / UPRIGHT_RAD**2 + ((node.q[2] - node.parameter["height"]) / LEVEL_M) ** 2

    def pace(ends: BoundarySymbols) -> Expression:
        return (ends.total_s / 2.0 - table.usual_step_s) ** 2

    def track(ends: BoundarySymbols) -> Expression:
        left, right = (ends.first.place(foot.points[0])[1] for foot in program.robot.feet)
        return (left - right - table.usual_width_m - ends.first.parameter["left"] * ends.total_s / 2.0) ** 2

    return (
        MeanCost("effort", 1.0, lambda node: square(node.u / (gear * MOTOR_TORQUE_NM))),
        MeanCost("upright", table.upright_weight, upright),
        MayerCost("pace", table.pace_weight, pace),
        MayerCost("track", table.track_weight, track),
        MeanCost("acceleration", ACCELERATION_WEIGHT, lambda node: square(node.a / node.scales.acceleration)),
    )


def _ends(program: GaitProgram) -> tuple[BoundaryConstraint, ...]:
    """Return the periodicity constraints: the base advances at the mean speed, and the first foot lands at the end."""
    tree = program.tree
    contact = program.contact[0]
    friction = program.robot.friction

    def advance(ends: BoundarySymbols) -> Expression:
        speed = ends.first.parameter
        advance_m = ends.last.q[:2] - ends.first.q[:2]
        forward_m = speed["forward"] * ends.total_s
        left_m = speed["left"] * ends.total_s
        return column(advance_m[0] - forward_m, advance_m[1] - left_m, ends.durations_s[0] - ends.durations_s[1])

    def impulse(ends: BoundarySymbols) -> list[Expression]:
        return [ends.first.parameter[f"{FIRST_IMPULSE}{row}"] for row in range(len(contact.rows))]

    def landing(ends: BoundarySymbols) -> Expression:
        return _landing(tree, contact, ends, IMPULSE_N_S * column(*impulse(ends))) / IMPULSE_N_S

    def cone(ends: BoundarySymbols) -> Expression:
        return cone_rows(dict(zip(contact.rows, impulse(ends), strict=True)), friction)

    names = tree.velocity_names
    units = tree.velocity_units
    return (
        BoundaryConstraint("mean speed", advance, ("forward", "left", "the two step times"), row_units=("m", "m", "s")),
        BoundaryConstraint(
            "periodic coordinate", lambda ends: ends.last.q[2:] - ends.first.q[2:], names[2:], row_units=units[2:]
        ),
        BoundaryConstraint("first landing", landing, names, row_sizes=IMPULSE_N_S),
        BoundaryConstraint("friction of the first landing", cone, upper=np.inf, row_sizes=IMPULSE_N_S),
    )


def _landing(tree: KinematicTree, contact: ContactSet, ends: BoundarySymbols, impulse: Expression) -> Expression:
    """Return the residual of the impact equation H Δv = Gᵀ Λ between the end and the start. Shape (nv,)."""
    change = ends.first.v - ends.last.v
    weightless = replace(tree, gravity_m_s2=0.0 * tree.gravity_m_s2)
    moving = SymbolicDynamics(weightless, ends.first.q, 0.0 * change, change)
    return moving.inverse_dynamics(moving.row_loads(contact, impulse))


def _fit_curves(program: GaitProgram, parameter: GaitParameter, trajectory: Trajectory) -> PeriodicGait:
    """Return a trajectory as Bézier curves, the base relative to the stance sole at the start of each step."""
    base = []
    motors = []
    for stance in range(len(program.contact)):
        time_s, q, _, _, _ = trajectory.between(stance, SAMPLES_PER_INTERVAL)
        share = (time_s - time_s[0]) / (time_s[-1] - time_s[0])
        sole = _sole(program, stance, q[0])
        moved = q[:, :BASE] - np.concatenate([sole, np.zeros(BASE - len(sole))])
        base.append(bezier_fit(share, moved))
        motors.append(bezier_fit(share, q[:, BASE:]))
    return PeriodicGait(parameter, float(trajectory.duration_s[0]), np.array(base), np.array(motors))


def _sole(program: GaitProgram, stance: int, q: Array) -> Array:
    """Return the middle of a sole in world. Shape (nq,) in, (3,) out."""
    body = SymbolicDynamics(program.tree, q)
    places = [np.array(body.contact_position(point)).ravel() for point in program.robot.feet[stance].points]
    return np.asarray(np.mean(places, axis=0, dtype=float))
