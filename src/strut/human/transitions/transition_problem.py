"""Transition problem: gait initiation from a stand in one step, and termination into a stand in one and a half.

A start is the shift of the weight, heel off, and a step that ends in the state in which a step of the walk ends. A stop
is a step that begins in the state in which a step of the walk begins, and then the other foot comes alongside. The
criteria are those of the walk; the bounce of a style does not apply.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.integrate import cumulative_trapezoid
from scipy.interpolate import CubicSpline, interp1d

from strut.human.anatomy import HEEL, LEFT, LITTLE_TOE, TOES, other_side, sided
from strut.human.problem.gait_options import GaitOptions
from strut.human.problem.swing_clearance import height_constraint, legs_apart, swing_constraints
from strut.human.table import PhaseTable, human_gait
from strut.human.transitions.quiet_stand import either_side_bounds, stance
from strut.ocp.continuity_constraints import (
    BoundaryState,
    initial_state_constraints,
    state_at,
    terminal_state_constraints,
)
from strut.ocp.problem import Constraint, ContactPhase, MayerCost, OptimalControlProblem
from strut.ocp.trajectory import Trajectory, trajectory_through
from strut.robot import BASE, Robot

MIN_LOAD_N = 1.0  # of a contact point at the nodes; with 0 the ground pulled by up to 0.2 N between nodes
PELVIS_HEADING = BASE - 1  # index of the coordinate
SAMPLES = 200  # of the initial guess


@dataclass(frozen=True, slots=True, eq=False)
class Transition:
    """A step of a walk and a stand, with the problems that lead from one to the other.

    Args:
        robot: A human model.
        options: Of the walk.
        step: A solved step of the walk, from left toe off to right toe off.
        stand: State at rest.
        mesh: Mesh intervals of the phases of the step.
        natural: Whether the criteria are the natural ones.
    """

    robot: Robot
    options: GaitOptions
    step: Trajectory
    stand: BoundaryState
    mesh: Sequence[int]
    natural: bool = True

    def start(self) -> tuple[OptimalControlProblem, Trajectory]:
        """Return the problem from the stand to the end of the step, and an initial guess."""
        table = human_gait(self.robot).stand
        problem = self._problem((*(self._extra(entry) for entry in table.start), *self._step_phases()))
        ends = (
            *initial_state_constraints(problem, self.stand),
            *terminal_state_constraints(problem, state_at(self.step, -1)),
        )
        before_s = [entry.guess_s for entry in table.start]
        return replace(problem, boundary_constraints=ends), self._guess(
            replace(problem, boundary_constraints=ends), before_s, []
        )

    def stop(self) -> tuple[OptimalControlProblem, Trajectory]:
        """Return the problem from the beginning of the step to the stand, and an initial guess."""
        table = human_gait(self.robot).stand
        problem = self._problem((*self._step_phases(), *(self._extra(entry) for entry in table.stop)))
        ends = (
            *initial_state_constraints(problem, state_at(self.step, 0)),
            *terminal_state_constraints(problem, self.stand),
        )
        after_s = [entry.guess_s for entry in table.stop]
        return replace(problem, boundary_constraints=ends), self._guess(
            replace(problem, boundary_constraints=ends), [], after_s
        )

    def _problem(self, phases: tuple[ContactPhase, ...]) -> OptimalControlProblem:
        """Return the problem of the step with other phases and free ends; its parameters are fixed."""
        step = self.step.problem
        known = self.step.parameter
        wide = either_side_bounds(self.robot, step)
        max_heading = np.abs([*self.step.q[:, PELVIS_HEADING], self.stand.q[PELVIS_HEADING]]).max()  # if it turns
        q = wide.q + max_heading * np.outer([-1.0, 1.0], np.arange(step.tree.nq) == PELVIS_HEADING)
        return replace(
            step,
            phases=phases,
            bounds=replace(wide, q=q),
            costs=tuple(cost for cost in step.costs if not isinstance(cost, MayerCost)),
            parameters=tuple(replace(one, lower=known[one.name], upper=known[one.name]) for one in step.parameters),
        )

    def _step_phases(self) -> list[ContactPhase]:
        """Return the phases of the step with wider bounds on their durations."""
        gait = human_gait(self.robot)
        path = self.step
        shorter, longer = gait.stand.step_time
        return [
            replace(
                phase,
                intervals=self.mesh[number],
                duration_s=(shorter * path.duration_s[number], longer * path.duration_s[number]),
                constraints=swing_constraints(self.robot, number, self.options, natural=self.natural),
                min_load_n=MIN_LOAD_N,
                arrival=gait.phase[number].arrival,
            )
            for number, phase in enumerate(path.problem.phases)
        ]

    def _extra(self, entry: PhaseTable) -> ContactPhase:
        """Return a phase before the first step or after the last."""
        return ContactPhase(
            name=entry.name,
            contact=stance(self.robot, entry.set),
            intervals=entry.intervals,
            duration_s=entry.duration_s,
            arrival=entry.arrival,
            landing=entry.landing,
            unloaded=entry.unloaded,
            constraints=(legs_apart(self.robot, self.options), *self._free_foot(entry.set)),
            min_load_n=MIN_LOAD_N,
        )

    def _free_foot(self, contact_set_name: str) -> tuple[Constraint, ...]:
        """Return the constraints that keep the points of a swinging foot above the ground."""
        step = [phase.set for phase in human_gait(self.robot).phase]
        if other_side(contact_set_name) == step[-1]:
            return (height_constraint(self.robot, "height of the left heel", [sided(HEEL, LEFT)], 0.0, "not first"),)
        if other_side(contact_set_name) != step[0]:
            return ()
        toes = [sided(name, LEFT) for name in (TOES, LITTLE_TOE)]
        heel = sided(HEEL, LEFT)
        clearance_m = self.options.clearance_m
        return (
            height_constraint(self.robot, "height of the left foot", [heel, *toes], 0.0, "inner", mirrored=True),
            height_constraint(self.robot, "clearance of the left foot", toes, clearance_m, "middle", mirrored=True),
        )

    def _guess(self, problem: OptimalControlProblem, before_s: list[float], after_s: list[float]) -> Trajectory:
        """Return a blend of stand and step as the initial guess.

        Args:
            problem: Of the start or stop.
            before_s: Durations of the phases before the step, of a start.
            after_s: Durations of the phases after it, of a stop.
        """
        path = self.step
        stand = self.stand
        unique = np.append(np.diff(path.time_s) > 0.0, True)  # two nodes share the time between two phases
        first_s = sum(before_s)
        time_s = np.linspace(0.0, first_s + path.time_s[-1] + sum(after_s), SAMPLES)
        step_s = np.clip(time_s - first_s, 0.0, path.time_s[-1])
        progress = np.clip(time_s / time_s[-1] * 1.25 - (0.25 if before_s else 0.0), 0.0, 1.0)
        progress = progress**2 * (3.0 - 2.0 * progress)
        share = (progress if before_s else 1.0 - progress)[:, None]  # of the step
        q = stand.q + share * (CubicSpline(path.time_s[unique], path.q[unique], axis=0)(step_s) - stand.q)
        q[:, 0] = cumulative_trapezoid(share[:, 0] ** 0.5 * path.parameter["speed_m_s"], time_s, initial=0.0)
        curve = CubicSpline(time_s, q, axis=0)
        guess = trajectory_through(problem, curve, [*before_s, *path.duration_s, *after_s], path.parameter)
        torque = stand.u + share * (interp1d(path.time_s[unique], path.u[unique], axis=0)(step_s) - stand.u)
        return replace(guess, u=np.asarray(interp1d(time_s, torque, axis=0)(np.minimum(guess.time_s, time_s[-1]))))
