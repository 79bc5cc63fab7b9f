"""Reconstruct: torques and ground forces that a recorded movement needs, consistent with the equations of motion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import perf_counter

import numpy as np

from strut.engines.nonlinear_program import OnIteration, SolverOptions
from strut.engines.tree import angles_from_qpos
from strut.errors import BadMotionError, OutOfRangeError
from strut.motion import Motion
from strut.optimal.gait import Gait
from strut.optimal.phase_times import PhaseTime, checked_phases
from strut.optimal.polish import polish
from strut.optimal.recorded_problem import Formulation, Recording, recorded_problem
from strut.optimal.seen_phases import detected_phases, detection_error_s
from strut.optimal.solve import Solution, Transcribed
from strut.optimal.soundness import examine, insist
from strut.optimal.trajectory import Trajectory
from strut.robot import Robot
from strut.robots.catalogue import robot_of

ROUNDS = 4  # of looking for the times of phases
SETTLED_S = 0.004  # a border that moves by less stays in its interval
import os
UNSURE = float(os.environ.get('UNSURE','3'))  # as much smoother where the solver also looks for the times of the phases, or it finds none


def reconstruct(
    motion: Motion,
    robot: Robot | None = None,
    *,
    phases: Sequence[PhaseTime] | None = None,
    formulation: Formulation = "samples",
    smooth: float = 1.0,
    most_seconds: float = 300.0,
    on_iteration: OnIteration | None = None,
) -> Gait:
    human = robot_of(motion, robot, needs_feet=False)
    if "contact" not in human.tables or "gait" not in human.tables:
        raise BadMotionError(f"{human.name} has no contact and gait tables; only human models can be reconstructed.")
    if not np.isfinite(smooth) or smooth < 0.0:
        raise OutOfRangeError(f"smooth is {smooth:g}; it is a factor of at least 0.")
    found = checked_phases(human, motion, tuple(phases) if phases is not None else detected_phases(human, motion))
    if formulation == "published" and len(found) != len(human.table("gait")["phase"]):
        raise OutOfRangeError(
            f"The published formulation is one step of four phases; this motion has {len(found)}. "
            "Give the four phases, or leave the formulation out."
        )
    slack_s = 0.0 if phases is not None else detection_error_s(motion)
    recording = Recording(motion.time_s, angles_from_qpos(motion.qpos), found, slack_s)
    search = _Search(human, formulation, smooth, perf_counter() + most_seconds, on_iteration)
    program, solution = search.solved(recording)
    import time; c=time.process_time()
    polished = polish(program, solution)
    print("polish cpu", time.process_time()-c, "solve", solution.iterations, solution.setup_s, solution.solve_s); c=time.process_time()
    soundness = examine(human, polished)
    print("examine cpu", time.process_time()-c); 
    print(soundness)
    asked = {
        "phases": [[phase.contact, phase.start_s, phase.stop_s] for phase in found],
        "formulation": formulation,
        "smooth": smooth,
    }
    g= Gait(human, polished, soundness, tuple(search.attempts), asked)
    return g, solution


@dataclass(slots=True)
class _Search:
    human: Robot
    formulation: Formulation
    smooth: float
    deadline_s: float
    on_iteration: OnIteration | None
    attempts: list[str] = field(default_factory=list)

    def solved(self, recording: Recording) -> tuple[Transcribed, Solution]:
        smooth = UNSURE * self.smooth if recording.slack_s else self.smooth
        start: Trajectory | None = None
        for number in range(ROUNDS):
            problem, guess = recorded_problem(self.human, recording, self.formulation, smooth)
            program = Transcribed(problem)
            if start is not None:
                guess = start.on_mesh(problem)
            options = SolverOptions(most_seconds=max(1.0, self.deadline_s - perf_counter()), warm=True)
            solution = program.solve(guess, options=options, on_iteration=self.on_iteration)
            self.attempts.append(f"round {number}: {solution.iterations} iterations")
            path = solution.trajectory
            moved = _moved(recording, path)
            was = np.array([phase.stop_s for phase in recording.phases]); now = np.array([phase.stop_s for phase in moved.phases])
            print("round", number, solution.iterations, "moved ms", np.round(1e3*(now-was),1), "setup", solution.setup_s, flush=True)
            if np.abs(now - was).max() < SETTLED_S:
                break
            recording, start = moved, path
        return program, solution


def _moved(recording: Recording, path: Trajectory) -> Recording:
    """Return the recording with the phase times of a trajectory."""
    borders = recording.phases[0].start_s + np.concatenate([[0.0], np.cumsum(path.duration_s)])
    phases = tuple(
        replace(phase, start_s=float(borders[k]), stop_s=float(borders[k + 1])) for k, phase in enumerate(recording.phases)
    )
    return replace(recording, phases=phases)
