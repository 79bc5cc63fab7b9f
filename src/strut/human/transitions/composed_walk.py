"""Composed walk: any number of steps, from a stand and into a stand, straight or turning; its pieces join exactly."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import OutOfRangeError, RefusedError
from strut.human.anatomy import RIGHT, SHANKS
from strut.human.gait import RATE_HZ, Gait, work_j
from strut.human.problem.gait_options import GaitOptions
from strut.human.transitions.quiet_stand import heading_of_foot, stand_at_rest
from strut.human.transitions.transition_problem import Transition
from strut.human.transitions.turning_problem import Turning, turned_configuration
from strut.human.transitions.walk_pieces import WalkPiece, mirrored_step, sample_walk, worst_seam
from strut.maths.rotation import headings_of
from strut.motion import Motion
from strut.ocp.collocation import DirectCollocation, Solution
from strut.ocp.continuity_constraints import BoundaryState
from strut.ocp.interior_point import NEAR_BARRIER, OnIteration, SolverOptions
from strut.ocp.multi_start import label_iterations
from strut.ocp.problem import OptimalControlProblem
from strut.ocp.shooting_refinement import POINTS_PER_INTERVAL, refine_by_shooting
from strut.ocp.soundness import Soundness, combine_soundness, require_sound, verify_trajectory
from strut.ocp.trajectory import Trajectory

MAX_TURN_RAD = np.radians(45.0)  # per stride: the limit of hip rotation over a standing leg
START_STEPS = 1  # steps of the walk that start it
STOP_STEPS = 2  # steps of the walk that stop it
PART_S = 0.7  # longest part whose torques are played back at once: errors grow a million times in a step
MAX_SECONDS = 600.0  # of processor time, for one piece
OF_THE_STEP = ("costs", "parameters", "phase_names", "phase_durations_s")  # keys of `meta` about the straight step
ADVICE = "Choose a slower walk, or a smaller turn."


@dataclass(frozen=True, slots=True, eq=False)
class ComposedWalk:
    """Pieces of a walk in order, with the result of their verification.

    Args:
        gait: The step that defines speed, criteria and style of the walk.
        pieces: Stands, start, steps and stop.
        soundness: The worst of all pieces.
        solve_s: Time of all solves together.
        figures: Number of steps, turn and radius, duration of start and stop, and the gaps between pieces.
    """

    gait: Gait
    pieces: tuple[WalkPiece, ...]
    soundness: Soundness
    solve_s: float
    figures: dict[str, float | None]

    def motion(self, *, rate_hz: float = RATE_HZ, **emotion: Any) -> Motion:
        """Return the walk as a motion; `emotion` may have emotion, pad, intensity_asked and intensity_kept."""
        gait = replace(self.gait, soundness=self.soundness)
        robot = gait.robot
        time_s, qpos, u, force, contact = sample_walk(robot, self.pieces, rate_hz)
        heading = np.unwrap(headings_of(qpos[:, 3:7]))
        distance_m = sum(piece.distance_m for piece in self.pieces)
        torque_nm = np.concatenate([piece.path.u for piece in self.pieces])
        energy_j = sum(work_j(piece.path) for piece in self.pieces)
        receipt = replace(
            gait.receipt(**emotion),
            distance_m=distance_m,
            speed_m_s=distance_m / sum(piece.duration_s for piece in self.pieces),
            torque_use=float(np.max(np.abs(torque_nm) / robot.torque_limit_nm)),
            cost_of_transport=energy_j / (robot.mass_kg * GRAVITY_M_S2 * distance_m),
            duration_s=float(time_s[-1]),
            walking_speed_m_s=gait.speed_m_s,
            turned_rad=float(heading[-1] - heading[0]) if self.figures["radius_m"] else None,
            solve_s=self.solve_s,
            naturalness=None if self.figures["turn_per_stride_rad"] else gait.receipt().naturalness,
            walk=self.figures,
        )
        motion = gait.as_motion(receipt, time_s, (qpos, u, force, contact))
        straight_step = {name: motion.meta[name] for name in OF_THE_STEP}
        meta = {name: value for name, value in motion.meta.items() if name not in OF_THE_STEP}
        return replace(motion, meta=meta | {"straight_step": straight_step})


def compose_walk(
    gait: Gait,
    *,
    steps: int = 6,
    from_stand: bool = False,
    to_stand: bool = False,
    turn_rad: float = 0.0,
    on_iteration: OnIteration | None = None,
) -> ComposedWalk:
    """Return a walk of many steps of a gait, from a stand and into a stand, straight or turning.

    Args:
        gait: A step made by `synthesize`.
        steps: In all; the first one starts from the stand, the last two stop.
        from_stand: Whether the walk begins in a stand.
        to_stand: Whether it ends in a stand.
        turn_rad: Turn per stride of two steps, positive to the left.
        on_iteration: Called with every iteration; may return True to stop.

    Example:
        >>> gait = strut.synthesize(strut.load_robot("heiman"), speed_m_s=1.3)
        >>> walk = strut.human.compose_walk(gait, steps=6, from_stand=True, to_stand=True)  # a minute
        >>> strut.save_motion(walk.motion(), "walk.npz")
    """
    check_walk(steps, from_stand=from_stand, to_stand=to_stand, turn_rad=turn_rad)
    if gait.options is None:
        raise OutOfRangeError("Only a gait made by `strut.synthesize` can start, turn and stop.")
    composer = WalkComposer(gait, gait.options, float(turn_rad), on_iteration)
    return composer.compose(steps, from_stand=from_stand, to_stand=to_stand)


def check_walk(steps: int, *, from_stand: bool, to_stand: bool, turn_rad: float) -> None:
    """Raise OutOfRangeError if there are too few steps to start and stop, or if the turn is too large."""
    min_steps = max(1, START_STEPS * from_stand + STOP_STEPS * to_stand)
    if steps < min_steps:
        raise OutOfRangeError(
            f"A walk of {steps} steps is too short to start and stop; choose at least {min_steps} steps."
        )
    if not abs(turn_rad) <= MAX_TURN_RAD:  # also catches NaN
        raise OutOfRangeError(
            f"A turn of {np.degrees(turn_rad):g}° per stride is impossible; choose at most "
            f"{np.degrees(MAX_TURN_RAD):g}°."
        )


class WalkComposer:
    """Solves the pieces of a walk, each once, and joins them.

    Args:
        gait: The straight step.
        options: Of that step; a turning walk always keeps the shanks apart as capsules.
        turn_rad: Turn per stride.
        on_iteration: Called with every iteration of every solve.
    """

    def __init__(self, gait: Gait, options: GaitOptions, turn_rad: float, on_iteration: OnIteration | None) -> None:
        self.gait = gait
        self.robot = gait.robot
        self.turn_rad = turn_rad
        self.on_iteration = on_iteration
        self.options = replace(options, capsules=options.capsules or turn_rad != 0.0)
        self.mesh = tuple(phase.intervals // POINTS_PER_INTERVAL for phase in gait.trajectory.problem.phases)
        self.natural = bool(gait.asked.get("natural"))
        self.toe_in_rad = heading_of_foot(self.robot, gait.trajectory.q[0], RIGHT)
        self.solve_s = gait.solution.setup_s + gait.solution.solve_s
        self.soundness = [] if turn_rad else [gait.soundness]  # a turning walk has no straight step

    def compose(self, steps: int, *, from_stand: bool, to_stand: bool) -> ComposedWalk:
        """Return the walk; raises RefusedError if its pieces do not join or are not sound."""
        pair = self.step_pair()
        pieces = list[WalkPiece]()
        first = START_STEPS * from_stand
        stopping = steps - STOP_STEPS * to_stand
        if from_stand:
            pieces += [WalkPiece(self.stand), WalkPiece(self.start(pair[0].path))]
        pieces += [pair[number % 2] for number in range(first, stopping)]
        if to_stand:
            pieces += [self.stop(pair[stopping % 2]), WalkPiece(self.stand)]
        soundness = replace(combine_soundness(self.soundness), mesh_change=self.gait.soundness.mesh_change)
        seam = worst_seam(self.robot, pieces)
        if seam.faults():
            raise RefusedError(seam.faults(), ADVICE)
        stride_m = 2.0 * pair[0].path.parameter["step_length_m"]
        figures = {
            "steps": steps,
            "turn_per_stride_rad": self.turn_rad,
            "radius_m": stride_m / abs(self.turn_rad) if self.turn_rad else None,
            "start_s": pieces[1].duration_s if from_stand else None,
            "stop_s": pieces[-2].duration_s if to_stand else None,
            **{f"seam_{name}": value for name, value in asdict(seam).items()},
        }
        return ComposedWalk(self.gait, tuple(pieces), soundness, self.solve_s, figures)

    def step_pair(self) -> tuple[WalkPiece, WalkPiece]:
        """Return the step of the left leg, and that of the right leg as the mirror image of a left one."""
        path = self.gait.trajectory
        if not self.turn_rad:
            return WalkPiece(path), WalkPiece(path, mirrored=True)
        turning = Turning(self.robot, self.options, path, self.turn_rad, self.mesh, self.natural)
        problem = turning.problem()
        stride = self.solve("a turning stride", problem, turning.guess(problem), warm=NEAR_BARRIER)
        count = len(self.mesh)
        first = replace(stride.part(0, count), problem=path.problem)
        second = stride.part(count, 2 * count)
        return WalkPiece(first), WalkPiece(mirrored_step(self.robot, second, path.problem), mirrored=True)

    @cached_property
    def stand(self) -> Trajectory:
        """The stand before and after the walk."""
        return self.verify(stand_at_rest(self.robot, self.gait.trajectory.problem, self.toe_in_rad))

    def start(self, step: Trajectory) -> Trajectory:
        """Return the movement from the stand to the end of a step; the right foot stays where the stand has it."""
        heading = heading_of_foot(self.robot, step.q[-1], RIGHT) - self.toe_in_rad
        problem, guess = self.transition(step, heading).start()
        return self.solve("a start", problem, guess)

    def stop(self, step: WalkPiece) -> WalkPiece:
        """Return the movement from the beginning of a step to the stand, turned on by half a step."""
        further = 0.25 * (-self.turn_rad if step.mirrored else self.turn_rad)
        heading = heading_of_foot(self.robot, step.path.q[0], RIGHT) - self.toe_in_rad + further
        problem, guess = self.transition(step.path, heading).stop()
        return WalkPiece(self.solve("a stop", problem, guess), mirrored=step.mirrored)

    def transition(self, step: Trajectory, heading_rad: float) -> Transition:
        """Return the transition between a step and the stand turned to a heading."""
        stand = self.stand
        q = turned_configuration(stand.q[:1], np.array([heading_rad]))[0]
        at_rest = BoundaryState(q, 0.0 * stand.v[0], stand.u[0])
        return Transition(self.robot, self.options, step, at_rest, self.mesh, self.natural)

    def solve(self, label: str, problem: OptimalControlProblem, guess: Trajectory, warm: float = 0.0) -> Trajectory:
        """Return the verified solution of a problem."""
        program = DirectCollocation(problem)
        options = SolverOptions(max_seconds=MAX_SECONDS, initial_barrier=warm, adaptive_barrier=not warm)
        on_mesh = program.solve(guess, options=options, on_iteration=label_iterations(self.on_iteration, label))
        return self.verify(refine_by_shooting(program, on_mesh))

    def verify(self, solution: Solution) -> Trajectory:
        """Return the trajectory of a sound solution and add up its time; raises RefusedError."""
        capsules = SHANKS if self.options.capsules else None
        soundness = verify_trajectory(self.robot, solution, capsules=capsules, part_s=PART_S)
        require_sound(soundness, advice=ADVICE)
        self.solve_s += solution.setup_s + solution.solve_s
        self.soundness.append(soundness)
        return solution.trajectory
