"""Composed walk: any number of steps, out of a stand and into one, straight on or turning; its pieces join exactly."""

from __future__ import annotations

from collections.abc import Mapping
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
from strut.human.transitions.walk_pieces import WalkPiece, mirrored_step, samples, worst_seam
from strut.maths.rotation import headings_of
from strut.motion import Motion
from strut.ocp.collocation import DirectCollocation, Solution
from strut.ocp.continuity_constraints import BoundaryState
from strut.ocp.interior_point import NEAR, OnIteration, SolverOptions
from strut.ocp.multi_start import told_as
from strut.ocp.problem import OptimalControlProblem
from strut.ocp.shooting_refinement import FINER, refined_by_shooting
from strut.ocp.soundness import Soundness, require_sound, verify_trajectory, worst_of
from strut.ocp.trajectory import Trajectory

MOST_TURN_RAD = np.radians(45.0)  # in a stride: legs that stand turn no further under a pelvis
START_STEPS = 1
STOP_STEPS = 2  # of the walk's steps, those that start it and those that stop it
PART_S = 0.7  # longest part of a movement whose torques are played alone: errors grow a million times in a step
MOST_SECONDS = 600.0
OF_THE_STEP = ("costs", "parameters", "phase_names", "phase_durations_s")  # in `meta`: of the straight step alone
ADVICE = "Choose a slower walk, or a smaller turn."


@dataclass(frozen=True, slots=True, eq=False)
class ComposedWalk:
    """Pieces of a walk in their order, and what an independent look at all of them found.

    Args:
        gait: The step whose speed, criteria and feeling the walk has.
        pieces: Stands, start, steps and stop.
        soundness: The worst of all pieces.
        solve_s: How long all solves took together.
        figures: Number of steps, turn and radius, duration of start and stop, and how well pieces join.
    """

    gait: Gait
    pieces: tuple[WalkPiece, ...]
    soundness: Soundness
    solve_s: float
    figures: dict[str, float | None]

    def motion(self, *, rate_hz: float = RATE_HZ, **feeling: Any) -> Motion:
        """Return the walk as a motion; `feeling` may name emotion, pad, intensity_asked, intensity_kept."""
        gait = replace(self.gait, soundness=self.soundness)
        time_s, qpos, u, force, contact = samples(gait.robot, self.pieces, rate_hz)
        heading = np.unwrap(headings_of(qpos[:, 3:7]))
        receipt = replace(
            gait.receipt(**feeling),
            **self._way(),
            duration_s=float(time_s[-1]),
            walking_speed_m_s=gait.speed_m_s,
            turned_rad=float(heading[-1] - heading[0]) if self.figures["radius_m"] else None,
            solve_s=self.solve_s,
            naturalness=None if self.figures["turn_per_stride_rad"] else gait.receipt().naturalness,
            walk=self.figures,
        )
        motion = gait.sampled(receipt, time_s, (qpos, u, force, contact))
        return replace(motion, meta=_with_straight_step(motion.meta))

    def _way(self) -> dict[str, Any]:
        """Return how far it leads along its pieces, how fast, and what that takes."""
        robot = self.gait.robot
        pieces = self.pieces
        way_m = sum(piece.way_m for piece in pieces)
        u = np.concatenate([piece.path.u for piece in pieces])
        return {
            "distance_m": way_m,
            "speed_m_s": way_m / sum(piece.duration_s for piece in pieces),
            "torque_use": float(np.max(np.abs(u) / robot.torque_limit_nm)),
            "cost_of_transport": sum(work_j(piece.path) for piece in pieces) / (robot.mass_kg * GRAVITY_M_S2 * way_m),
        }


def _with_straight_step(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Return a gait's `meta` with what is of its straight step alone in a table of its own."""
    straight = {name: meta[name] for name in OF_THE_STEP}
    return {**{name: meta[name] for name in meta if name not in straight}, "straight_step": straight}


def compose_walk(
    gait: Gait,
    *,
    steps: int = 6,
    from_stand: bool = False,
    to_stand: bool = False,
    turn_rad: float = 0.0,
    on_iteration: OnIteration | None = None,
) -> ComposedWalk:
    """Return a walk of a gait's steps, out of a stand and into one, straight on or turning.

    Args:
        gait: A step that `synthesize` found.
        steps: In all; the first comes out of the stand, the last two lead into it.
        from_stand: Whether it begins in a stand.
        to_stand: Whether it ends in one.
        turn_rad: About the vertical in a stride of two steps, positive to the left.
        on_iteration: Called with every iteration; may return True to stop.

    Example:
        >>> gait = strut.synthesize(strut.load_robot("heiman"), speed_m_s=1.3)
        >>> walk = strut.compose_walk(gait, steps=6, from_stand=True, to_stand=True)  # a minute
        >>> strut.save_motion(walk.motion(), "walk.npz")
    """
    check_walk(steps, from_stand=from_stand, to_stand=to_stand, turn_rad=turn_rad)
    if gait.options is None:
        raise OutOfRangeError("Only gaits that `strut.synthesize` has found can start, turn and stop; this one is not.")
    maker = _Maker(gait, gait.options, float(turn_rad), on_iteration)
    return maker.walk(steps, from_stand=from_stand, to_stand=to_stand)


def check_walk(steps: int, *, from_stand: bool, to_stand: bool, turn_rad: float) -> None:
    """Raise OutOfRangeError if nobody turns like that, or if there are too few steps to start and stop."""
    fewest = max(1, START_STEPS * from_stand + STOP_STEPS * to_stand)
    if steps < fewest:
        raise OutOfRangeError(
            f"A walk of {steps} steps is too short to start and stop; choose at least {fewest} steps."
        )
    if not abs(turn_rad) <= MOST_TURN_RAD:  # also catches NaN
        raise OutOfRangeError(
            f"Nobody turns by {np.degrees(turn_rad):g}° in a stride; choose at most {np.degrees(MOST_TURN_RAD):g}°."
        )


class _Maker:
    """Solves the pieces of a walk, each once."""

    def __init__(self, gait: Gait, options: GaitOptions, turn_rad: float, on_iteration: OnIteration | None) -> None:
        self.gait = gait
        self.robot = gait.robot
        self.turn_rad = turn_rad
        self.on_iteration = on_iteration
        self.options = replace(options, capsules=options.capsules or turn_rad != 0.0)
        self.mesh = tuple(phase.intervals // FINER for phase in gait.trajectory.problem.phases)
        self.natural = bool(gait.asked.get("natural"))
        self.toe_in_rad = heading_of_foot(self.robot, gait.trajectory.q[0], RIGHT)
        self.solve_s = gait.solution.setup_s + gait.solution.solve_s
        self.found = [] if turn_rad else [gait.soundness]  # who turns takes no straight step

    def walk(self, steps: int, *, from_stand: bool, to_stand: bool) -> ComposedWalk:
        """Return the walk."""
        pair = self._steps()
        pieces = list[WalkPiece]()
        first = START_STEPS * from_stand
        stopping = steps - STOP_STEPS * to_stand
        if from_stand:
            pieces += [WalkPiece(self._stand), WalkPiece(self._start(pair[0].path))]
        pieces += [pair[number % 2] for number in range(first, stopping)]
        if to_stand:
            pieces += [self._stop(pair[stopping % 2]), WalkPiece(self._stand)]
        soundness = replace(worst_of(self.found), mesh_change=self.gait.soundness.mesh_change)
        seam = worst_seam(self.robot, pieces)
        if seam.complaints():
            raise RefusedError(seam.complaints(), ADVICE)
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

    def _steps(self) -> tuple[WalkPiece, WalkPiece]:
        """Return the step of the left leg and that of the right one, which is held as its mirror image."""
        path = self.gait.trajectory
        if not self.turn_rad:
            return WalkPiece(path), WalkPiece(path, mirrored=True)
        turning = Turning(self.robot, self.options, path, self.turn_rad, self.mesh, self.natural)
        problem = turning.problem()
        stride = self._solved("a turning stride", problem, turning.guess(problem), warm=NEAR)
        count = len(self.mesh)
        first = replace(stride.part(0, count), problem=path.problem)
        second = stride.part(count, 2 * count)
        return WalkPiece(first), WalkPiece(mirrored_step(self.robot, second, path.problem), mirrored=True)

    @cached_property
    def _stand(self) -> Trajectory:
        found = stand_at_rest(self.robot, self.gait.trajectory.problem, self.toe_in_rad)
        return self._verified(found)

    def _start(self, step: Trajectory) -> Trajectory:
        heading = heading_of_foot(self.robot, step.q[-1], RIGHT) - self.toe_in_rad  # the foot that stays where it is
        problem, guess = self._transition(step, heading).start()
        return self._solved("a start", problem, guess)

    def _stop(self, step: WalkPiece) -> WalkPiece:
        further = 0.25 * (-self.turn_rad if step.mirrored else self.turn_rad)  # by half a step
        heading = heading_of_foot(self.robot, step.path.q[0], RIGHT) - self.toe_in_rad + further
        problem, guess = self._transition(step.path, heading).stop()
        return WalkPiece(self._solved("a stop", problem, guess), mirrored=step.mirrored)

    def _transition(self, step: Trajectory, heading_rad: float) -> Transition:
        """Return what leads from a stand that faces a direction into a step, and from it to the stand."""
        stand = self._stand
        facing = BoundaryState(
            turned_configuration(stand.q[:1], np.array([heading_rad]))[0], 0.0 * stand.v[0], stand.u[0]
        )
        return Transition(self.robot, self.options, step, facing, self.mesh, self.natural)

    def _solved(self, what: str, problem: OptimalControlProblem, guess: Trajectory, warm: float = 0.0) -> Trajectory:
        """Return a solved and sound movement."""
        program = DirectCollocation(problem)
        options = SolverOptions(most_seconds=MOST_SECONDS, warm=warm, adaptive=not warm)
        on_mesh = program.solve(guess, options=options, on_iteration=told_as(self.on_iteration, what))
        return self._verified(refined_by_shooting(program, on_mesh))

    def _verified(self, exact: Solution) -> Trajectory:
        """Return a movement that is sound, and count its time; raises with what is wrong if it is not."""
        apart = SHANKS if self.options.capsules else None
        found = verify_trajectory(self.robot, exact, capsules=apart, part_s=PART_S)
        require_sound(found, advice=ADVICE)
        self.solve_s += exact.setup_s + exact.solve_s
        self.found.append(found)
        return exact.trajectory
