"""Windowed tracking: track a reference motion as a whole or window by window, and find the active limits.

Windows overlap by one interval between keyframes (Li, Cummings, Sreenath, 2020, Algorithm 1, with its errata): each
starts at the last but one keyframe of the window before, with exactly its coordinates and velocities, and replaces what
follows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.ocp.collocation import NotSolvedError, Solution
from strut.ocp.interior_point import SolverOptions
from strut.ocp.motion_tracking_ocp import MotionTrackingOCP, State
from strut.ocp.support_constraints import LOAD, OVER, PRESSURE, TWIST, ReferenceMotion
from strut.ocp.trajectory import Trajectory
from strut.robot import BASE

WINDOW_INTERVALS = 4  # between keyframes, in a window
MET = 3e-2  # a row or bound with less scaled margin is active: the solver stops a little before it; no benchmark
LIMITS = {  # names of rows, and what would happen if they were violated
    PRESSURE: "the centre of pressure would leave the feet",
    LOAD: "a foot would carry too little to grip",
    OVER: "the centre of mass would leave what carries it",
    "friction": "friction would not hold the feet",
    TWIST: "friction would not keep the feet from turning",
    "torque": "a motor would be too weak",
    "velocity": "a joint would be too fast",
}
OPTIONS = SolverOptions(row_tolerance=1e-6, max_iterations=80, max_seconds=120.0)


@dataclass(frozen=True, slots=True, eq=False)
class TrackedMotion:
    """A feasible motion near to a reference.

    Args:
        given: The reference motion.
        parts: In order of time; each begins where the one before ends.
        met: Names of the active limits (see `LIMITS`) of each phase of `given`.
        solved: Whether every row holds; if not, the values are those of the best iterate.
        iterations: Of all solves together.
        setup_s: Time to write the programs.
        solve_s: Time to solve them.
    """

    given: ReferenceMotion
    parts: tuple[Trajectory, ...]
    met: tuple[tuple[str, ...], ...]
    solved: bool
    iterations: int
    setup_s: float
    solve_s: float

    @property
    def phase_duration_s(self) -> Array:
        """Shape (n_phases,)."""
        return np.concatenate([part.duration_s for part in self.parts])

    @property
    def frame_time_s(self) -> Array:
        """When each frame is shown. Shape (N,)."""
        borders = np.concatenate([[0.0], np.cumsum(self.phase_duration_s)])
        frames = [first for first, _ in self.given.phases] + [len(self.given.q) - 1]
        return np.asarray(np.interp(np.arange(len(self.given.q)), frames, borders))

    @property
    def stretch(self) -> Array:
        """Duration of each interval between keyframes over its reference duration. Shape (n_keys - 1,)."""
        key = self.given.key
        return np.asarray(np.diff(self.frame_time_s[key]) / (np.diff(key) * self.given.frame_s))

    def at(self, time_s: Array) -> tuple[Array, Array]:
        """Return coordinates (T, nv) and torques (T, n_u) at instants (T,)."""
        starts = np.concatenate([[0.0], np.cumsum([part.duration_s.sum() for part in self.parts])])
        owner = np.clip(np.searchsorted(starts, time_s, side="right") - 1, 0, len(self.parts) - 1)
        found = [part.at(time_s[owner == k] - starts[k])[:2] for k, part in enumerate(self.parts)]
        q, u = (np.concatenate(values) for values in zip(*found, strict=True))
        return q, u

    def at_frames(self) -> Array:
        """Return the coordinates of the frames. Shape (N, nv)."""
        return self.at(self.frame_time_s)[0]

    def reason(self, interval: int) -> str:
        """Return a sentence on why an interval between keyframes takes longer."""
        first, last = self.given.key[interval : interval + 2]
        names = {
            name
            for phase, met in zip(self.given.phases, self.met, strict=True)
            if phase[0] < last and phase[1] > first
            for name in met
        }
        words = [sentence for name, sentence in LIMITS.items() if name in names]
        return f"at the drawn speed {' and '.join(words)}" if words else "at the drawn speed it would stray further"


def track_motion(given: ReferenceMotion, *, window_intervals: int | None = None) -> TrackedMotion:
    """Return the feasible motion nearest to a reference.

    Args:
        given: The reference.
        window_intervals: Intervals between keyframes per window; None to solve the whole at once.
    """
    windows = [(0, len(given.q) - 1)] if window_intervals is None else _windows(given, window_intervals)
    phases = given.phases
    start = None
    parts = list[Trajectory]()
    met = list[tuple[str, ...]]()
    solved = True
    counts = np.zeros(3)
    for number, (first, last) in enumerate(windows):
        window = MotionTrackingOCP(given, first=first, last=last, start=start)
        try:
            found = window.program.solve(window.guess(), options=OPTIONS)
        except NotSolvedError as error:
            if error.best is None or error.stopped:
                raise
            found = error.best
            solved = False
        counts += found.iterations, found.setup_s, found.solve_s
        stop = len(window.phases)
        if number + 1 < len(windows):
            stop = [phase[0] for phase in window.phases].index(windows[number + 1][0])
            node = found.trajectory.nodes_of(stop)[0]
            start = State(found.trajectory.q[node], found.trajectory.v[node])
        parts.append(found.trajectory.part(0, stop))
        met += _met(window, found)[:stop]
    assert len(met) == len(phases)
    return TrackedMotion(given, tuple(parts), tuple(met), solved, int(counts[0]), float(counts[1]), float(counts[2]))


def _windows(given: ReferenceMotion, intervals: int) -> list[tuple[int, int]]:
    """Return first and last frames of windows; each starts at the last but one keyframe of the one before."""
    key = given.key.tolist()
    found = list[tuple[int, int]]()
    first = 0
    while True:
        last = min(first + max(intervals, 2), len(key) - 1)
        found.append((key[first], key[last]))
        if last == len(key) - 1:
            return found
        first = last - 1


def _met(window: MotionTrackingOCP, found: Solution) -> list[tuple[str, ...]]:
    """Return the names of the active limits of a solution, phase by phase."""
    layout = window.program.layout
    x = found.variables
    phases = window.program.problem.phases
    rows = window.program.assembly.linear(x)[0]
    names: list[set[str]] = [set() for _ in phases]
    for number in range(len(window.program.elements)):
        name, places = _full_places(window, number, rows)
        for known, phase in zip(names, phases, strict=True):
            if any(place.startswith(f"in phase {phase.name},") for place in places):
                known.add(name)
    for name, table in (("torque", layout.u), ("velocity", layout.v[:, BASE:])):
        room = np.minimum(x - layout.lower, layout.upper - x)[table].min(axis=1)
        for phase_number in set(layout.phase_of[room < MET].tolist()):
            names[phase_number].add(name)
    return [tuple(sorted(known)) for known in names]


def _full_places(window: MotionTrackingOCP, number: int, rows: Array) -> tuple[str, list[str]]:
    """Return the name of an element that is a limit, and the places where it is active."""
    element = window.program.elements[number]
    assembly = window.program.assembly
    name = element.name.split(" of ")[0] if element.name.startswith((PRESSURE, TWIST)) else element.name
    if name not in LIMITS:
        return name, []
    start, stop = (int(row) for row in assembly.row_start[number : number + 2])
    room = (rows[start:stop] - assembly.lower[start:stop]).reshape(element.lower.shape).min(axis=1)
    return name, [place for free, place in zip(room, element.place_names, strict=True) if free < MET]
