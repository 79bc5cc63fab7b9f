"""Periodic gait: two steps of a biped on line feet that repeat, at a mean speed and height, by optimal control.

Whole-body dynamics with springs locked; each step stands on one flat foot with a free ankle and ends with an inelastic
landing of the other (as L. Li and others, 2020, after A. Hereid and A. Ames's hybrid collocation). Speed, height and
step time enter as bounds alone, so one program serves a whole library.
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
from strut.pilot.plant.torque_model import motor_gears
from strut.robot import BASE, Foot, Robot
from strut.schemas.gait_library import GaitLibraryTable

ANYWHERE = np.array([[-np.inf], [np.inf]])
IMPULSE_N_S = 10.0  # size of an impulse: parameters are of about 1
LARGEST_IMPULSE = 20.0
FIRST_IMPULSE = "impulse of the first landing, row "
MOTOR_TORQUE_NM = 3.0  # size of a torque before the gear
UPRIGHT_RAD = 0.1
LEVEL_M = 0.03  # attitude and distance from the height that cost as much as that torque
SMOOTH = 0.01  # weight of accelerations, of 30 rad/s2
SPEED_SHARE = 0.95
ROOM_RAD = 0.03  # of what joints can do: curves between nodes, and once coded, do a little more
FINE = 10  # samples in an interval when curves are fitted
WORDS = ("forward", "left", "height")


def gait_library_table(robot: Robot) -> GaitLibraryTable:
    """Return gait_library.toml of a robot's folder; raises BadTableError if it has none."""
    table = robot.tables.gait_library
    if table is None:
        raise BadTableError(f"{robot.name} has no gait_library.toml in its folder, so no gaits can be made for it.")
    return table


def line_contact_rows(foot: Foot) -> ContactSet:
    """Return what a flat line foot along x cannot do: its toe in all axes, its heel aside and up."""
    toe, heel = foot.points
    rows = (*(ContactRow(toe, axis) for axis in range(3)), ContactRow(heel, 1), ContactRow(heel, 2))
    return ContactSet(foot.name, rows)


@dataclass(frozen=True, slots=True, eq=False)
class FoundGait:
    """What a solver says of a gait: the curves, its variables as a start for neighbours, and how it went.

    Args:
        gait: None if none was found.
        variables: The best iterate. Shape (n,).
        trajectory: The same, at the nodes.
        status: In the solver's words; if none was found, what stands in its way.
        iterations: Of the solver.
        solve_s: Processor time.
    """

    gait: PeriodicGait | None
    variables: Array
    trajectory: Trajectory
    status: str
    iterations: int
    solve_s: float


class GaitProgram:
    """All gaits of a robot as one program; only bounds differ from one to the next."""

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.table = gait_library_table(robot)
        self.tree = coupled_tree(robot)
        self.contact = tuple(line_contact_rows(foot) for foot in robot.feet)
        self.problem = _problem(self)
        self._program = DirectCollocation(self.problem)

    @property
    def motors(self) -> list[int]:
        """The joints that have motors, among all."""
        return [self.robot.joint_names.index(name) for name in self.tree.velocity_names[BASE:]]

    def cold_start(self, parameter: GaitParameter) -> Array:
        """Return the variables of a stand that glides along with the speed: a start without a neighbour. Shape (n,)."""
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
        return variables_of(self._program.layout, trajectory_through(self.problem, curve, [step_s, step_s]))

    def solve(self, parameter: GaitParameter, start: Array, *, warm: bool, seconds: float = 60.0) -> FoundGait:
        """Return the gait nearest to a start, or why there is none. Shape (n,) in."""
        self._bind(parameter)
        layout = self._program.layout
        options = SolverOptions(
            tolerance=1e-3,
            row_tolerance=1e-6,
            max_iterations=200,
            max_seconds=seconds,
            initial_barrier=NEAR_BARRIER if warm else 0.0,
        )
        solver = InteriorPoint(self._program.assembly, layout.lower, layout.upper, options)
        outcome = solver.solve(start)
        solution = self._program.solution(outcome, solver)
        gait = _coded(self, parameter, solution.trajectory) if solution.converged else None
        status = solution.status if gait is not None else self._why(solution)
        return FoundGait(gait, outcome.x, solution.trajectory, status, outcome.iterations, outcome.solve_s)

    def _why(self, solution: Solution) -> str:
        limit = self._program.blocking_limit(solution.variables)
        against = f", up against the limit of {limit}" if limit else ""
        return f"{solution.status}; worst is {solution.worst}{against}"

    def _bind(self, parameter: GaitParameter) -> None:
        """Write speed, height and step time into the bounds."""
        layout = self._program.layout
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
    lower = np.concatenate([-free, [0.0], -turn, robot.joint_lower_rad[motors] + ROOM_RAD])
    upper = np.concatenate([free, [10.0], turn, robot.joint_upper_rad[motors] - ROOM_RAD])
    first = np.repeat(ANYWHERE, tree.nv, axis=1)
    first[:, 0] = 0.0
    fast = np.concatenate([np.full(BASE, 5.0), SPEED_SHARE * speed])
    weight_n = robot.mass_kg * float(np.linalg.norm(tree.gravity_m_s2))
    impulses = [
        Parameter(f"{FIRST_IMPULSE}{number}", 0.0 if row.axis == 2 else -LARGEST_IMPULSE, LARGEST_IMPULSE, 0.0)
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
        parameters=(*(Parameter(word, 0.0, 0.0, 0.0) for word in WORDS), *impulses),
        friction=robot.friction,
        passive=_gear_friction(program),
    )


def _gear_friction(program: GaitProgram) -> Any:
    """Return what motors and gears brake by themselves."""
    damping = motor_gears(program.robot).damping_nm_s_rad
    braking = np.concatenate([np.zeros(BASE), damping])
    return lambda node: -braking * node.v


def _step(program: GaitProgram, stance: int, limit_nm: Array) -> ContactPhase:
    """Return the step on one foot, whose ankle is free."""
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

    least, most = table.clearance_m
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
            Constraint("clearance at mid-step", clearance, least, most, nodes="middle", unit="m"),
            Constraint("swinging foot above the ground", clearance, 0.0, most, nodes="inner", unit="m"),
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
        MeanCost("acceleration", SMOOTH, lambda node: square(node.a / node.scales.acceleration)),
    )


def _ends(program: GaitProgram) -> tuple[BoundaryConstraint, ...]:
    """Return what makes the end the beginning: places go on with the speed, and the first foot lands."""
    tree = program.tree
    contact = program.contact[0]
    friction = program.robot.friction

    def advance(ends: BoundarySymbols) -> Expression:
        speed = ends.first.parameter
        gone = ends.last.q[:2] - ends.first.q[:2]
        aside = (speed["forward"] * ends.total_s, speed["left"] * ends.total_s)
        return column(gone[0] - aside[0], gone[1] - aside[1], ends.durations_s[0] - ends.durations_s[1])

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
    """Return what is missing of H Δv = Gᵀ Λ at the landing that makes the end the beginning. Shape (nv,)."""
    change = ends.first.v - ends.last.v
    weightless = replace(tree, gravity_m_s2=0.0 * tree.gravity_m_s2)
    moving = SymbolicDynamics(weightless, ends.first.q, 0.0 * change, change)
    return moving.inverse_dynamics(moving.row_loads(contact, impulse))


def _coded(program: GaitProgram, parameter: GaitParameter, found: Trajectory) -> PeriodicGait:
    """Return a trajectory as Bézier curves, the base from the sole of the standing foot where each step begins."""
    base = []
    motors = []
    for stance in range(len(program.contact)):
        time_s, q, _, _, _ = found.between(stance, FINE)
        share = (time_s - time_s[0]) / (time_s[-1] - time_s[0])
        sole = _sole(program, stance, q[0])
        moved = q[:, :BASE] - np.concatenate([sole, np.zeros(BASE - len(sole))])
        base.append(bezier_fit(share, moved))
        motors.append(bezier_fit(share, q[:, BASE:]))
    return PeriodicGait(parameter, float(found.duration_s[0]), np.array(base), np.array(motors))


def _sole(program: GaitProgram, stance: int, q: Array) -> Array:
    """Return the middle of a sole on the ground, in world. Shape (nq,) in, (3,) out."""
    body = SymbolicDynamics(program.tree, q)
    places = [np.array(body.contact_position(point)).ravel() for point in program.robot.feet[stance].points]
    return np.asarray(np.mean(places, axis=0, dtype=float))
