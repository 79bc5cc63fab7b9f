"""Warm library: solved steps over speed, size and feeling, blended into a start near any request.

Steps are kept without dimensions (Hof 1996): lengths over that of the legs, forces over the weight, times over that in
which the legs would fall their own length. Derivatives are by the share of a phase. A blend is drawn as the cubic
splines of the mesh, which keep its equations; the equations of motion are left to the solver. Steps whose phases take
other shares of them, as those of slow walks do whose heels stay down for longer, are local optima of another kind and
are not blended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Self

import numpy as np
from scipy.interpolate import CubicHermiteSpline, interp1d
from scipy.optimize import linprog

from strut.arrays import Array
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.human.analysis.reference_bands import dimensionless_speed
from strut.ocp.problem import OptimalControlProblem
from strut.ocp.trajectory import Trajectory, mesh_splines, trajectory_through
from strut.robot import Robot
from strut.style import Style

FILE = "warm_gaits.npz"  # `benchmarks/make_warm_library.py` makes it
WORDS = ("tempo", "trunk_pitch_rad", "head_pitch_rad", "arm_swing", "elbow_rad", "shoulder_rad", "bounce")
# By how much steps that are nearly the same differ: in dimensionless speed, length of the legs [m], and those words.
NEARLY = np.array([0.05, 0.2, 0.1, 0.1, 0.1, 0.2, 0.2, 0.1, 0.2])
LOCALITY = 0.02  # how much near steps are preferred to an exact blend of far ones
SAME_KIND = 0.08  # difference of a phase's share of the step up to which steps are blended
HELD = 0.05  # distance, in what is nearly the same, up to which a step is what is asked for
PLACES = 3  # coordinates of the pelvis that are lengths
LENGTHS = ("step_length_m", "low_mass_m")  # parameters over the length of the legs; others keep their own guess


@dataclass(frozen=True, slots=True, eq=False)
class WarmLibrary:
    """Solved steps without dimensions, all on one mesh.

    Args:
        intervals: Of the mesh, phase by phase. Shape (phases,).
        features: What each step was asked for, see `features`. Shape (n, f).
        duration: Of the phases. Shape (n, phases).
        q: Coordinates at the nodes. Shape (n, nodes, nq).
        slope: Their derivatives by the share of the phase. Shape (n, nodes, nq).
        torque: Shape (n, nodes, n_u).
        force: Of all rows of contact. Shape (n, nodes, n_rows).
        impulse: Of all impacts, one after the other. Shape (n, n_impulses).
        length: Parameters that are lengths; NaN where a step has none. Shape (n, len(LENGTHS)).
    """

    intervals: Array
    features: Array
    duration: Array
    q: Array
    slope: Array
    torque: Array
    force: Array
    impulse: Array
    length: Array

    def start(self, robot: Robot, problem: OptimalControlProblem, wanted: Array) -> Trajectory:
        """Return a blend of the steps that were asked for nearly the same, on the mesh of a problem."""
        share = self.shares(wanted)
        size = _Size.of(robot)
        q, slope, torque, force, duration, impulse = (
            np.tensordot(share, values, axes=1)
            for values in (self.q, self.slope, self.torque, self.force, self.duration, self.impulse)
        )
        own = [int(count) for count in self.intervals]
        meshes = [phase.intervals for phase in problem.phases]
        place, rate = (np.concatenate(part) for part in zip(*_curves(q, slope, own, meshes), strict=True))
        lasting_s = size.time_s * duration
        phase_s = size.time_s * duration[problem.phase_of][:, None]
        time_s = problem.node_times(lasting_s)
        path = size.lengths(place), *mesh_splines(problem, time_s, size.lengths(place), size.lengths(rate) / phase_s)
        parameter = self._parameters(problem, share, size)
        return replace(
            trajectory_through(problem, lambda _, order: path[order], lasting_s, parameter),
            u=size.force_n * size.length_m * _lines(torque, own, meshes),
            force_n=size.force_n * _lines(force, own, meshes),
            impulse_n_s=_cut(problem, size.force_n * size.time_s * impulse),
        )

    def shares(self, wanted: Array) -> Array:
        """Return how much of each step a blend takes: of those of one kind alone. Shape (n,)."""
        share = blend_shares(self.features, wanted)
        pattern = self.duration / self.duration.sum(axis=1, keepdims=True)
        alike = np.abs(pattern - pattern[np.argmax(share)]).max(axis=1) < SAME_KIND
        share = np.zeros(len(share))
        share[alike] = blend_shares(self.features[alike], wanted)
        return share

    def reaches(self, wanted: Array) -> bool:
        """Return whether a blend of its steps is nearly what is asked for."""
        return bool(self._miss(self.shares(wanted) @ self.features, wanted) < 1.0)

    def holds(self, wanted: Array) -> bool:
        """Return whether one of its steps is what is asked for."""
        return bool(self._miss(self.features, wanted).min() < HELD)

    @staticmethod
    def _miss(known: Array, wanted: Array) -> Array:
        """Return the distance of features from those asked for, in what is nearly the same. Shape (...,)."""
        return np.asarray(np.linalg.norm((known - wanted) / NEARLY, axis=-1))

    def _parameters(self, problem: OptimalControlProblem, share: Array, size: _Size) -> dict[str, float]:
        """Return lengths of the blend, and the guesses of all other parameters."""
        known = share @ np.isfinite(self.length)
        length_m = size.length_m * (share @ np.nan_to_num(self.length)) / np.maximum(known, 1e-9)
        blended = {name: float(value) for name, value, of in zip(LENGTHS, length_m, known, strict=True) if of > 0.0}
        return {one.name: blended.get(one.name, one.guess) for one in problem.parameters}

    @classmethod
    def of(cls, steps: Sequence[tuple[Robot, Trajectory, Array]], intervals: Sequence[int]) -> Self:
        """Return a library, on one mesh, of solved steps of walkers with what each was asked for."""
        entries = [_without_dimensions(robot, path, intervals) | {"features": asked} for robot, path, asked in steps]
        stacked = {name: np.stack([entry[name] for entry in entries]) for name in entries[0]}
        return cls(intervals=np.array(intervals, dtype=float), **stacked)

    def save(self, path: Path) -> None:
        """Write it; what only starts a solver is rounded to half precision, coordinates to single."""
        coarse = {name: getattr(self, name).astype(np.float16) for name in ("torque", "force", "impulse")}
        exact = {one.name: getattr(self, one.name).astype(np.float32) for one in fields(self) if one.name not in coarse}
        np.savez_compressed(path, **coarse | exact)


def features(robot: Robot, speed_m_s: float, style: Style) -> Array:
    """Return what a step is asked for as numbers: dimensionless speed, length of the legs, words of the style."""
    words = [getattr(style, word) for word in WORDS]
    return np.array([dimensionless_speed(robot, speed_m_s), robot.subject.standing_pelvis_height_m, *words])


@cache
def warm_library() -> WarmLibrary:
    """Return the library that comes with strut."""
    with as_file(files("strut.human.synthesis").joinpath(FILE)) as path, np.load(path, allow_pickle=False) as stored:
        return WarmLibrary(**{name: stored[name].astype(float) for name in stored.files})


def blend_shares(known: Array, wanted: Array) -> Array:
    """Return how much of each step a blend takes: not negative, adding up to 1, near ones first. Shapes (n, f), (f,).

    A linear program: the least absolute miss of every feature, over what is nearly the same, plus what the squared
    distances of its steps cost. Its solutions are blends of few steps.
    """
    away = ((known - wanted) / NEARLY).T
    one = np.eye(known.shape[1])
    price = np.concatenate([LOCALITY * (away**2).sum(axis=0), np.ones(2 * len(one))])
    together = np.concatenate([np.ones(len(known)), np.zeros(2 * len(one))])
    rows = np.vstack([np.hstack([away, one, -one]), together])
    found = linprog(price, A_eq=rows, b_eq=np.append(np.zeros(len(one)), 1.0))
    return np.asarray(found.x[: len(known)])


@dataclass(frozen=True, slots=True)
class _Size:
    """Units of a walker: length of the legs, time in which they fall that far, weight."""

    length_m: float
    time_s: float
    force_n: float

    @classmethod
    def of(cls, robot: Robot) -> Self:
        length_m = robot.subject.standing_pelvis_height_m
        return cls(length_m, float(np.sqrt(length_m / GRAVITY_M_S2)), robot.mass_kg * GRAVITY_M_S2)

    def lengths(self, coordinates: Array) -> Array:
        """Return coordinates with dimensions: places of the pelvis are lengths, all else angles."""
        return coordinates * np.where(np.arange(coordinates.shape[1]) < PLACES, self.length_m, 1.0)


def _without_dimensions(robot: Robot, path: Trajectory, intervals: Sequence[int]) -> dict[str, Array]:
    size = _Size.of(robot)
    own = [len(path.nodes_of(phase)) - 1 for phase in range(len(intervals))]
    unit = size.lengths(np.ones((1, path.q.shape[1])))
    curves = _curves(path.q / unit, path.v * path.duration_s[path.phase_of][:, None] / unit, own, intervals)
    q, slope = (np.concatenate(part) for part in zip(*curves, strict=True))
    return {
        "duration": path.duration_s / size.time_s,
        "q": q,
        "slope": slope,
        "torque": _lines(path.u, own, intervals) / (size.force_n * size.length_m),
        "force": _lines(path.force_n, own, intervals) / size.force_n,
        "impulse": np.concatenate(list(path.impulse_n_s.values())) / (size.force_n * size.time_s),
        "length": np.array([path.parameter.get(name, np.nan) for name in LENGTHS]) / size.length_m,
    }


def _curves(q: Array, slope: Array, own: Sequence[int], wanted: Sequence[int]) -> Iterator[tuple[Array, ...]]:
    """Yield coordinates and slopes at the nodes of another mesh, phase by phase; in between they are cubics."""
    for nodes, here, there in _phase_by_phase(own, wanted):
        curve = CubicHermiteSpline(here, q[nodes], slope[nodes], axis=0)
        yield tuple(np.asarray(curve(there, order)) for order in range(2))


def _lines(values: Array, own: Sequence[int], wanted: Sequence[int]) -> Array:
    """Return values at the nodes of another mesh; between nodes they are straight. Shape (nodes, n) in and out."""
    parts = [interp1d(here, values[nodes], axis=0)(there) for nodes, here, there in _phase_by_phase(own, wanted)]
    return np.concatenate(parts)


def _phase_by_phase(own: Sequence[int], wanted: Sequence[int]) -> Iterator[tuple[slice, Array, Array]]:
    """Yield the nodes of every phase, their shares of it, and the shares of the nodes that are wanted."""
    first = 0
    for count, other in zip(own, wanted, strict=True):
        yield slice(first, first + count + 1), np.linspace(0.0, 1.0, count + 1), np.linspace(0.0, 1.0, other + 1)
        first += count + 1


def _cut(problem: OptimalControlProblem, impulses: Array) -> dict[int, Array]:
    """Return impulses by the number of the phase that begins with an impact."""
    counts = {n: len(phase.contact.rows) for n, phase in enumerate(problem.phases) if phase.arrival == "impact"}
    pieces = np.split(impulses, np.cumsum(list(counts.values()))[:-1])
    return dict(zip(counts, pieces, strict=True))
