"""Walk: any number of steps, out of a stand and into one, straight on or turning: solved pieces that join exactly."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import OutOfRangeError
from strut.human.anatomy import RIGHT, SHANKS
from strut.human.gait import RATE_HZ, Gait, work_j
from strut.human.gait_options import HUMAN, GaitOptions, named_gait_options
from strut.human.standing import heading_of_foot, standing
from strut.human.transition_problem import Transition
from strut.human.turning_problem import Turning, turned_configuration
from strut.human.walk_pieces import Piece, mirror_image, samples, worst_seam
from strut.motion import Motion
from strut.optimal.collocation import DirectCollocation
from strut.optimal.interior_point import NEAR, OnIteration, SolverOptions
from strut.optimal.joined_ends import State
from strut.optimal.multi_start import told_as
from strut.optimal.problem import OptimalControlProblem
from strut.optimal.shooting_refinement import FINER, refined_by_shooting
from strut.optimal.soundness import Soundness, require_sound, verify_trajectory, worst_of
from strut.optimal.trajectory import Trajectory
from strut.rotation import headings_of

MOST_TURN_RAD = np.radians(45.0)  # in a stride: legs that stand turn no further under a pelvis
START_STEPS, STOP_STEPS = 1, 2  # of the walk's steps, those that start it and those that stop it
PART_S = 0.7  # longest part of a movement whose torques are played alone: errors grow a million times in a step
MOST_SECONDS = 600.0
ADVICE = "Choose a slower walk, or a smaller turn."


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """Pieces of a walk in their order, and what an independent look at all of them found.

    Args:
        gait: The step whose speed, criteria and feeling the walk has.
        pieces: Stands, start, steps and stop.
        soundness: The worst of all pieces.
        solve_s: How long all solves took together.
        figures: Number of steps, turn and radius, duration of start and stop, and how well pieces join.
    """

    gait: Gait
    pieces: tuple[Piece, ...]
    soundness: Soundness
    solve_s: float
    figures: dict[str, float | None]

    def motion(self, *, rate_hz: float = RATE_HZ, **feeling: Any) -> Motion:
        """Return the walk as a motion; `feeling` may name emotion, pad, intensity_asked, intensity_kept."""
        gait = replace(self.gait, soundness=self.soundness)
        time_s, qpos, u, force, contact = samples(gait.robot, self.pieces, rate_hz)
        way_m = float(np.linalg.norm(np.diff(qpos[:, :2], axis=0), axis=1).sum())
        paths, heading = [piece.path for piece in self.pieces], np.unwrap(headings_of(qpos[:, 3:7]))
        receipt = replace(
            gait.receipt(**feeling),
            duration_s=float(time_s[-1]),
            distance_m=float(np.linalg.norm(qpos[-1, :2] - qpos[0, :2])),
            speed_m_s=way_m / float(time_s[-1]),
            walking_speed_m_s=gait.speed_m_s,
            turned_rad=float(heading[-1] - heading[0]) if self.figures["radius_m"] else None,
            torque_use=float(max(np.max(np.abs(path.u) / gait.robot.torque_limit_nm) for path in paths)),
            cost_of_transport=sum(work_j(path) for path in paths) / (gait.robot.mass_kg * GRAVITY_M_S2 * way_m),
            solve_s=self.solve_s,
            naturalness=None if self.figures["turn_per_stride_rad"] else gait.receipt().naturalness,
            walk=self.figures,
        )
        return gait.sampled(receipt, time_s, (qpos, u, force, contact))


def compose_walk(
    gait: Gait,
    *,
    steps: int = 6,
    from_stand: bool = False,
    to_stand: bool = False,
    turn_rad: float = 0.0,
    options: GaitOptions | None = None,
    on_iteration: OnIteration | None = None,
) -> Walk:
    """Return a walk of a gait's steps, out of a stand and into one, straight on or turning.

    Args:
        gait: A solved step.
        steps: In all; the first comes out of the stand, the last two lead into it.
        from_stand: Whether it begins in a stand.
        to_stand: Whether it ends in one.
        turn_rad: About the vertical in a stride of two steps, positive to the left.
        options: Of the gait; the usual ones if None.
        on_iteration: Called with every iteration; may return True to stop.

    Example:
        >>> gait = strut.synthesize(strut.load_robot("heiman"), speed_m_s=1.3)
        >>> walk = strut.compose_walk(gait, steps=6, from_stand=True, to_stand=True)  # a minute
        >>> strut.save_motion(walk.motion(), "walk.npz")
    """
    check_walk(steps, from_stand=from_stand, to_stand=to_stand, turn_rad=turn_rad)
    maker = _Maker(gait, options or named_gait_options(gait.robot, [HUMAN]), float(turn_rad), on_iteration)
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
        self.gait, self.robot, self.turn_rad, self.on_iteration = gait, gait.robot, turn_rad, on_iteration
        self.options = replace(options, capsules=options.capsules or turn_rad != 0.0)
        self.mesh = tuple(phase.intervals // FINER for phase in gait.trajectory.problem.phases)
        self.solve_s, self.found = gait.solution.setup_s + gait.solution.solve_s, [gait.soundness]

    def walk(self, steps: int, *, from_stand: bool, to_stand: bool) -> Walk:
        """Return the walk."""
        pair, path = self._steps(), self.gait.trajectory
        toe_in = heading_of_foot(self.robot, path.q[0], RIGHT)
        first, stopping, pieces = START_STEPS * from_stand, steps - STOP_STEPS * to_stand, list[Piece]()
        stand = standing(self.robot, path.problem, toe_in).trajectory  # a second of work, needed or not
        if from_stand:
            pieces += [Piece(stand), Piece(self._start(pair[0].path, stand, toe_in))]
        pieces += [pair[number % 2] for number in range(first, stopping)]
        if to_stand:
            pieces += [self._stop(pair[stopping % 2], stand, toe_in), Piece(stand)]
        soundness, seam = worst_of(self.found), worst_seam(self.robot, pieces)
        stride_m = 2.0 * pair[0].path.parameter["step_length_m"]
        figures = {
            "steps": steps,
            "turn_per_stride_rad": self.turn_rad,
            "radius_m": stride_m / abs(self.turn_rad) if self.turn_rad else None,
            "start_s": pieces[1].duration_s if from_stand else None,
            "stop_s": pieces[-2].duration_s if to_stand else None,
            **{f"seam_{name}": value for name, value in asdict(seam).items()},
        }
        return Walk(self.gait, tuple(pieces), soundness, self.solve_s, figures)

    def _steps(self) -> tuple[Piece, Piece]:
        """Return the step of the left leg and that of the right one, which is held as its mirror image."""
        path = self.gait.trajectory
        if not self.turn_rad:
            return Piece(path), Piece(path, mirrored=True)
        turning = Turning(
            self.robot, self.options, path, self.turn_rad, self.mesh, natural=bool(self.gait.asked.get("natural"))
        )
        problem = turning.problem()
        stride = self._solved("a turning stride", problem, turning.guess(problem), warm=NEAR)
        count = len(self.mesh)
        first, second = replace(stride.part(0, count), problem=path.problem), stride.part(count, 2 * count)
        return Piece(first), Piece(mirror_image(self.robot, second, path.problem), mirrored=True)

    def _start(self, step: Trajectory, stand: Trajectory, toe_in_rad: float) -> Trajectory:
        heading = heading_of_foot(self.robot, step.q[-1], RIGHT) - toe_in_rad  # the foot that stays where it stands
        problem, guess = self._transition(step, stand, heading).start()
        return self._solved("a start", problem, guess)

    def _stop(self, step: Piece, stand: Trajectory, toe_in_rad: float) -> Piece:
        turn = -self.turn_rad if step.mirrored else self.turn_rad
        heading = heading_of_foot(self.robot, step.path.q[0], RIGHT) - toe_in_rad + 0.25 * turn  # half a step further
        problem, guess = self._transition(step.path, stand, heading).stop()
        return Piece(self._solved("a stop", problem, guess), mirrored=step.mirrored)

    def _transition(self, step: Trajectory, stand: Trajectory, heading_rad: float) -> Transition:
        """Return what leads from a stand that faces a direction into a step, and from it to the stand."""
        facing = State(turned_configuration(stand.q[:1], np.array([heading_rad]))[0], 0.0 * stand.v[0], stand.u[0])
        return Transition(self.robot, self.options, step, facing, self.mesh)

    def _solved(self, what: str, problem: OptimalControlProblem, guess: Trajectory, warm: float = 0.0) -> Trajectory:
        """Return a solved and sound movement; raises with what is wrong if there is none."""
        program = DirectCollocation(problem)
        options = SolverOptions(most_seconds=MOST_SECONDS, warm=warm, adaptive=not warm)
        on_mesh = program.solve(guess, options=options, on_iteration=told_as(self.on_iteration, what))
        exact = refined_by_shooting(program, on_mesh)
        apart = SHANKS if self.options.capsules else None
        found = verify_trajectory(self.robot, exact, capsules=apart, part_s=PART_S)
        require_sound(found, limits=True, advice=ADVICE)
        self.solve_s += exact.setup_s + exact.solve_s
        self.found.append(found)
        return exact.trajectory
