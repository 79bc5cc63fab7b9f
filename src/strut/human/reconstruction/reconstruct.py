"""Reconstruct: joint torques and ground reaction forces of a recorded motion, consistent with the dynamics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from time import process_time

import numpy as np

from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import BadMotionError, OutOfRangeError
from strut.human.anatomy import walking_cycle
from strut.human.gait import Gait, unfinished
from strut.human.reconstruction.recorded_problem import Formulation, RecordedAngles, recorded_problem
from strut.human.table import human_gait
from strut.human.walking_direction import WalkingDirection, direction_of_facing
from strut.maths.rotation import angles_from_qpos
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.ocp.collocation import DirectCollocation, Solution
from strut.ocp.contact_detection import check_samples, detect_phases, detection_error_s, noise_of
from strut.ocp.contact_schedule import PhaseTime, check_phases
from strut.ocp.interior_point import NEAR_BARRIER, OnIteration, SolverOptions
from strut.ocp.shooting_refinement import refine_by_shooting
from strut.ocp.soundness import Soundness, verify_trajectory
from strut.ocp.torque_playback import playback_error
from strut.ocp.trajectory import Trajectory
from strut.robot import Robot

MAX_ROUNDS = 4  # solves, each with the phase times of the one before
SETTLED_S = 0.006  # half a mesh interval: if phase times move by more, the samples are assigned to intervals again
ALONG_X_RAD = 0.2  # contact rows are along x and y, which suits a foot turned by less
CLEAN_RAD = np.radians(0.005)  # a smaller noise estimate may be fast movement
SLACK_SHARE: dict[Formulation, float] = {"samples": 1.0, "published": 0.0}  # the thesis fixes the recorded phases
ALLOWED_PULL = 0.002  # of body weight, between nodes: recorded forces change faster than the mesh resolves
SMOOTH_AT_A_DEGREE = 4e4  # the best factors were about 1e3 at 0.1 and 1e4 at 0.5 degrees of noise, at 100 Hz


def reconstruct(
    motion: Motion,
    robot: Robot | None = None,
    *,
    phases: Sequence[PhaseTime] | None = None,
    formulation: Formulation = "samples",
    smooth: float | None = None,
    max_seconds: float = 300.0,
    on_iteration: OnIteration | None = None,
) -> Gait:
    """Return the motion nearest to a recording that obeys the equations of motion, with its torques and forces.

    Works for any number of steps. `samples` compares every sample with the motion at the time of the sample, with a
    tiny weight on torques; `published` is the formulation of the thesis: one step, the recording interpolated at the
    nodes by Catmull-Rom splines, and a larger weight on torques. The result is refined until an exact integrator
    reproduces it, and its torques are played back from the start of every step, because an open-loop body falls
    within a few steps.

    Args:
        motion: Joint angles and the path of the pelvis; contacts may be missing or false throughout.
        robot: The human model; read from the motion if None.
        phases: Contact sets with their times; if None they are detected, and the solver refines their times.
        formulation: Of the cost function.
        smooth: Factor on the cost of torque changes; by the noise of the recording if None.
        max_seconds: Of processor time; give up after it.
        on_iteration: Called with every iteration; may return True to stop.

    Example:
        >>> strut.reconstruct(strut.load_motion("gait.npz")).motion(steps=1).torque_nm.shape
    """
    human = robot_of(motion, robot, needs_feet=False)
    if human.tables.contact is None or human.tables.gait is None:
        raise BadMotionError(f"{human.name} has no contact and gait tables; only human models can be reconstructed.")
    if smooth is not None and not 0.0 <= smooth < np.inf:
        raise OutOfRangeError(f"smooth is {smooth:g}; it is a factor of at least 0.")
    found = _phases(human, motion, phases, formulation)
    direction = _direction(motion)
    straight = motion if direction is None else direction.aligned_with_x(motion)
    slack_s = detection_error_s(motion) if phases is None else 0.0
    slack_s *= SLACK_SHARE[formulation]
    recording = RecordedAngles(motion.time_s, angles_from_qpos(straight.qpos), found, slack_s)
    smooth = usual_smoothness(motion) if smooth is None else smooth
    search = _Search(human, formulation, smooth, process_time() + max_seconds, on_iteration)
    program, on_mesh = search.solve(recording)
    refined = refine_by_shooting(program, on_mesh)
    allowed_n = ALLOWED_PULL * human.mass_kg * GRAVITY_M_S2
    soundness = replace(verified_by_step(human, refined), allowed_pull_n=allowed_n, finished=search.settled)
    asked = {
        "phases": [[phase.contact, phase.start_s, phase.stop_s] for phase in found],
        "formulation": formulation,
        "smooth": smooth,
    }
    return Gait(human, refined, soundness, tuple(search.attempts), asked, direction=direction)


def _phases(
    human: Robot, motion: Motion, given: Sequence[PhaseTime] | None, formulation: Formulation
) -> tuple[PhaseTime, ...]:
    """Return the given or detected phases, checked."""
    check_samples(motion)
    seen = detect_phases(human, motion, walking_cycle(human)) if given is None else tuple(given)
    if given is None and formulation == "published":
        seen = _first_step(human, seen)
    found = check_phases(human, motion, seen, given=given is not None)
    if formulation == "published" and len(found) != len(human_gait(human).phase):
        raise OutOfRangeError(
            f"The published formulation is one step of four phases; this motion has {len(found)}. "
            "Give the four phases, or leave the formulation out."
        )
    return found


def _first_step(human: Robot, seen: tuple[PhaseTime, ...]) -> tuple[PhaseTime, ...]:
    """Return the phases of the first whole step as the thesis defines it; all phases if there is none."""
    order = [phase.set for phase in human_gait(human).phase]
    starts = range(len(seen) - len(order) + 1)
    names = [phase.contact for phase in seen]
    return next((seen[at : at + len(order)] for at in starts if names[at : at + len(order)] == order), seen)


def usual_smoothness(motion: Motion) -> float:
    """Return the factor on the cost of torque changes for the noise of a recording; 1 without noise.

    It uses the median noise of the joints; a higher sampling rate counts as less noise.
    """
    noise_rad = float(np.median(noise_of(motion.joint_angles_rad)))
    if noise_rad < CLEAN_RAD:
        return 1.0
    sample_s = float(np.median(np.diff(motion.time_s)))
    return float(SMOOTH_AT_A_DEGREE * (np.degrees(noise_rad) * np.sqrt(sample_s / 0.01)) ** 1.5)


def stopped_at(human: Robot, motion: Motion, best: Solution) -> Gait:
    """Return the best iterate of a reconstruction that was stopped."""
    return replace(unfinished(human, best), direction=_direction(motion))


def _direction(motion: Motion) -> WalkingDirection | None:
    """Return the direction that the walker faces; None if it is near the x axis, along which contact rows are."""
    direction = direction_of_facing(motion)
    return direction if abs(direction.direction_rad) > ALONG_X_RAD else None


def verified_by_step(human: Robot, solution: Solution) -> Soundness:
    """Return the verification of a solution whose torques are played back from the start of every step."""
    path = solution.trajectory
    order = walking_cycle(human).order
    openings = {order[0], order[len(order) // 2]}
    names = [phase.name for phase in path.problem.phases]
    starts = sorted({0, *(number for number, name in enumerate(names) if name in openings)})
    steps = [path.part(start, stop) for start, stop in zip(starts, [*starts[1:], len(names)], strict=True)]
    worst = max(playback_error(human.model, step) for step in steps)
    return replace(verify_trajectory(human, solution, playback=False), playback_error_rad=worst)


@dataclass(slots=True)
class _Search:
    """Solves the recorded problem again until the phase times have settled.

    Args:
        human: The model.
        formulation: Of the cost function.
        smooth: Factor on the cost of torque changes.
        deadline_s: Of processor time.
        on_iteration: Called with every iteration.
        attempts: One sentence for each solve.
        settled: Whether the phase times settled.
    """

    human: Robot
    formulation: Formulation
    smooth: float
    deadline_s: float
    on_iteration: OnIteration | None
    attempts: list[str] = field(default_factory=list)
    settled: bool = True

    def solve(self, recording: RecordedAngles) -> tuple[DirectCollocation, Solution]:
        """Return the program and its solution."""
        start: Trajectory | None = None
        for _ in range(MAX_ROUNDS):
            problem, guess = recorded_problem(self.human, recording, self.formulation, self.smooth)
            program = DirectCollocation(problem)
            options = SolverOptions(
                max_seconds=max(1.0, self.deadline_s - process_time()), initial_barrier=NEAR_BARRIER
            )
            solution = program.solve(
                start.on_mesh(problem) if start else guess, options=options, on_iteration=self.on_iteration
            )
            start = solution.trajectory
            before = recording
            recording = before.retimed(start.duration_s)
            moved_s = max(
                abs(now.stop_s - was.stop_s) for now, was in zip(recording.phases, before.phases, strict=True)
            )
            self.attempts.append(f"{solution.iterations} iterations, phases moved by up to {moved_s * 1e3:.1f} ms")
            if moved_s < SETTLED_S:
                return program, solution
        self.settled = False
        self.attempts.append(f"phase times still moved after {MAX_ROUNDS} solves; give the phases")
        return program, solution
