"""Warm library: solved steps over speed, size and style, blended into an initial guess for a similar request.

Steps are stored dimensionless (Hof 1996): lengths over leg length l, forces over weight, times over sqrt(l / g).
Derivatives are by the share of a phase. The blend follows the cubic splines of the mesh, so that the collocation
equations hold; the equations of motion are left to the solver. Steps whose phases take other shares of the step, such
as slow steps with late heel rise, are local optima of another kind and are not blended.
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

FILE = "warm_gaits.npz"  # written by `benchmarks/make_warm_library.py`
STYLE_PARAMETERS = ("tempo", "trunk_pitch_rad", "head_pitch_rad", "arm_swing", "elbow_rad", "shoulder_rad", "bounce")
# Scale of each feature: dimensionless speed, leg length [m], then the style parameters above.
FEATURE_SCALE = np.array([0.05, 0.2, 0.1, 0.1, 0.1, 0.2, 0.2, 0.1, 0.2])
LOCALITY = 0.02  # preference of near steps over an exact blend of far ones
SAME_KIND = 0.08  # steps are blended if the shares of their phases differ by less
SAME_STEP = 0.05  # distance in scaled features below which a step is the requested one
PLACES = 3  # coordinates of the pelvis that are lengths
LENGTHS = ("step_length_m", "lowest_com_m")  # parameters stored over leg length; others keep the guess of the problem


@dataclass(frozen=True, slots=True, eq=False)
class WarmLibrary:
    """Dimensionless solved steps, all on one mesh.

    Args:
        intervals: Mesh intervals of each phase. Shape (phases,).
        features: Of the request of each step, see `features`. Shape (n, f).
        duration: Of the phases. Shape (n, phases).
        q: Coordinates at the nodes. Shape (n, nodes, nq).
        slope: Their derivatives by the share of the phase. Shape (n, nodes, nq).
        torque: Shape (n, nodes, n_u).
        force: Of all contact rows. Shape (n, nodes, n_rows).
        impulse: Of all impacts, one after the other. Shape (n, n_impulses).
        length: Parameters that are lengths; NaN if a step has none. Shape (n, len(LENGTHS)).
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

    def initial_guess(self, robot: Robot, problem: OptimalControlProblem, wanted: Array) -> Trajectory:
        """Return a blend of the steps with features near the wanted ones (f,), on the mesh of a problem."""
        share = self.shares(wanted)
        size = _Size.of(robot)
        q, slope, torque, force, duration, impulse = (
            np.tensordot(share, values, axes=1)
            for values in (self.q, self.slope, self.torque, self.force, self.duration, self.impulse)
        )
        own = [int(count) for count in self.intervals]
        meshes = [phase.intervals for phase in problem.phases]
        place, rate = (np.concatenate(part) for part in zip(*_curves(q, slope, own, meshes), strict=True))
        duration_s = size.time_s * duration
        phase_s = size.time_s * duration[problem.phase_of][:, None]
        time_s = problem.node_times(duration_s)
        path = size.lengths(place), *mesh_splines(problem, time_s, size.lengths(place), size.lengths(rate) / phase_s)
        parameter = self._parameters(problem, share, size)
        return replace(
            trajectory_through(problem, lambda _, order: path[order], duration_s, parameter),
            u=size.force_n * size.length_m * _resample(torque, own, meshes),
            force_n=size.force_n * _resample(force, own, meshes),
            impulse_n_s=_split_impulses(problem, size.force_n * size.time_s * impulse),
        )

    def shares(self, wanted: Array) -> Array:
        """Return the share of each step in the blend; only steps of one kind have a share. Shape (n,)."""
        share = blend_shares(self.features, wanted)
        pattern = self.duration / self.duration.sum(axis=1, keepdims=True)
        alike = np.abs(pattern - pattern[np.argmax(share)]).max(axis=1) < SAME_KIND
        share = np.zeros(len(share))
        share[alike] = blend_shares(self.features[alike], wanted)
        return share

    def reaches(self, wanted: Array) -> bool:
        """Return whether a blend of the steps has nearly the wanted features."""
        return bool(self._distance(self.shares(wanted) @ self.features, wanted) < 1.0)

    def holds(self, wanted: Array) -> bool:
        """Return whether one of the steps has the wanted features."""
        return bool(self._distance(self.features, wanted).min() < SAME_STEP)

    @staticmethod
    def _distance(features: Array, wanted: Array) -> Array:
        """Return the distance from the wanted features, each over its scale. Shape (...,)."""
        return np.asarray(np.linalg.norm((features - wanted) / FEATURE_SCALE, axis=-1))

    def _parameters(self, problem: OptimalControlProblem, share: Array, size: _Size) -> dict[str, float]:
        """Return lengths of the blend, and the guesses of all other parameters."""
        known = share @ np.isfinite(self.length)
        length_m = size.length_m * (share @ np.nan_to_num(self.length)) / np.maximum(known, 1e-9)
        blended = {name: float(value) for name, value, of in zip(LENGTHS, length_m, known, strict=True) if of > 0.0}
        return {one.name: blended.get(one.name, one.guess) for one in problem.parameters}

    @classmethod
    def of(cls, steps: Sequence[tuple[Robot, Trajectory, Array]], intervals: Sequence[int]) -> Self:
        """Return a library of solved steps: robot, trajectory and features of the request, on one mesh."""
        entries = [_dimensionless(robot, path, intervals) | {"features": wanted} for robot, path, wanted in steps]
        stacked = {name: np.stack([entry[name] for entry in entries]) for name in entries[0]}
        return cls(intervals=np.array(intervals, dtype=float), **stacked)

    def save(self, path: Path) -> None:
        """Write the library; coordinates in single precision, torques, forces and impulses in half."""
        coarse = {name: getattr(self, name).astype(np.float16) for name in ("torque", "force", "impulse")}
        exact = {one.name: getattr(self, one.name).astype(np.float32) for one in fields(self) if one.name not in coarse}
        np.savez_compressed(path, **coarse | exact)


def features(robot: Robot, speed_m_s: float, style: Style) -> Array:
    """Return the features of a request: dimensionless speed, leg length [m], parameters of the style. Shape (f,)."""
    parameters = [getattr(style, name) for name in STYLE_PARAMETERS]
    return np.array([dimensionless_speed(robot, speed_m_s), robot.subject.standing_pelvis_height_m, *parameters])


@cache
def warm_library() -> WarmLibrary:
    """Return the library that comes with strut."""
    with as_file(files("strut.human.synthesis").joinpath(FILE)) as path, np.load(path, allow_pickle=False) as stored:
        return WarmLibrary(**{name: stored[name].astype(float) for name in stored.files})


def blend_shares(known: Array, wanted: Array) -> Array:
    """Return the share of each known step in a blend: not negative, with sum 1. Shapes (n, f) and (f,) in, (n,) out.

    A linear program: minimise the absolute deviations of the blended features, over their scales, plus LOCALITY times
    the squared distances of the steps. Its solutions are blends of few, near steps.
    """
    away = ((known - wanted) / FEATURE_SCALE).T
    slack = np.eye(known.shape[1])
    price = np.concatenate([LOCALITY * (away**2).sum(axis=0), np.ones(2 * len(slack))])
    sum_of_shares = np.concatenate([np.ones(len(known)), np.zeros(2 * len(slack))])
    rows = np.vstack([np.hstack([away, slack, -slack]), sum_of_shares])
    program = linprog(price, A_eq=rows, b_eq=np.append(np.zeros(len(slack)), 1.0))
    return np.asarray(program.x[: len(known)])


@dataclass(frozen=True, slots=True)
class _Size:
    """Units of a subject: leg length l, sqrt(l / g), weight."""

    length_m: float
    time_s: float
    force_n: float

    @classmethod
    def of(cls, robot: Robot) -> Self:
        length_m = robot.subject.standing_pelvis_height_m
        return cls(length_m, float(np.sqrt(length_m / GRAVITY_M_S2)), robot.mass_kg * GRAVITY_M_S2)

    def lengths(self, coordinates: Array) -> Array:
        """Return coordinates with dimensions: the position of the pelvis in lengths, all others are angles."""
        return coordinates * np.where(np.arange(coordinates.shape[1]) < PLACES, self.length_m, 1.0)


def _dimensionless(robot: Robot, path: Trajectory, intervals: Sequence[int]) -> dict[str, Array]:
    size = _Size.of(robot)
    own = [len(path.nodes_of(phase)) - 1 for phase in range(len(intervals))]
    unit = size.lengths(np.ones((1, path.q.shape[1])))
    curves = _curves(path.q / unit, path.v * path.duration_s[path.phase_of][:, None] / unit, own, intervals)
    q, slope = (np.concatenate(part) for part in zip(*curves, strict=True))
    return {
        "duration": path.duration_s / size.time_s,
        "q": q,
        "slope": slope,
        "torque": _resample(path.u, own, intervals) / (size.force_n * size.length_m),
        "force": _resample(path.force_n, own, intervals) / size.force_n,
        "impulse": np.concatenate(list(path.impulse_n_s.values())) / (size.force_n * size.time_s),
        "length": np.array([path.parameter.get(name, np.nan) for name in LENGTHS]) / size.length_m,
    }


def _curves(q: Array, slope: Array, own: Sequence[int], wanted: Sequence[int]) -> Iterator[tuple[Array, ...]]:
    """Yield coordinates and slopes at the nodes of another mesh, phase by phase, by cubic Hermite splines."""
    for nodes, here, there in _phase_by_phase(own, wanted):
        curve = CubicHermiteSpline(here, q[nodes], slope[nodes], axis=0)
        yield tuple(np.asarray(curve(there, order)) for order in range(2))


def _resample(values: Array, own: Sequence[int], wanted: Sequence[int]) -> Array:
    """Return values at the nodes of another mesh by linear interpolation. Shape (nodes, n) in and out."""
    parts = [interp1d(here, values[nodes], axis=0)(there) for nodes, here, there in _phase_by_phase(own, wanted)]
    return np.concatenate(parts)


def _phase_by_phase(own: Sequence[int], wanted: Sequence[int]) -> Iterator[tuple[slice, Array, Array]]:
    """Yield of each phase: its nodes, their shares of the phase, and the shares of the nodes of the wanted mesh."""
    first = 0
    for count, other in zip(own, wanted, strict=True):
        yield slice(first, first + count + 1), np.linspace(0.0, 1.0, count + 1), np.linspace(0.0, 1.0, other + 1)
        first += count + 1


def _split_impulses(problem: OptimalControlProblem, impulses: Array) -> dict[int, Array]:
    """Return the impulses by the number of the phase that begins with their impact."""
    counts = {n: len(phase.contact.rows) for n, phase in enumerate(problem.phases) if phase.arrival == "impact"}
    pieces = np.split(impulses, np.cumsum(list(counts.values()))[:-1])
    return dict(zip(counts, pieces, strict=True))
