"""Phase times: which contact set holds when in a recorded movement; given, or read from the contacts of a motion."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from strut.engines.touching import touching_path
from strut.errors import BadMotionError, OutOfRangeError, StrutError
from strut.motion import Motion
from strut.robot import Array, Robot
from strut.robots.contact_set import ContactSet, contact_points, contact_set

SHORTEST_S = 0.015
FAR_M = 0.05  # a foot that touches is nearer to the ground than this, whatever the fit of the body
LOW_M, SLOW_M_S = 0.006, 0.1  # what touches is this near to the lowest it gets, and this slow
FLOOR_PERCENTILE = 5.0
STEADY_S = 0.025  # shorter phases are flicker
HIDDEN_S = 0.03  # feet that lift off slowly are seen this late


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """A contact set from one time to another, in the time of the motion."""

    contact: str
    start_s: float
    stop_s: float


def checked_phases(robot: Robot, motion: Motion, phases: tuple[PhaseTime, ...]) -> tuple[PhaseTime, ...]:
    """Return the phases if they are in order, without gaps, inside the motion, and always touch the ground."""
    if not phases:
        raise OutOfRangeError("There are no phases; give at least one contact set with its times.")
    for phase in phases:
        contact_set(robot, phase.contact)
        if not phase.stop_s - phase.start_s >= SHORTEST_S:
            raise OutOfRangeError(
                f"Phase {phase.contact} lasts {phase.stop_s - phase.start_s:g} s; "
                f"phases are in order and at least {SHORTEST_S * 1e3:g} ms long."
            )
    for one, other in pairwise(phases):
        if abs(one.stop_s - other.start_s) > 1e-9:
            word = "overlap" if other.start_s < one.stop_s else "leave a gap"
            raise OutOfRangeError(
                f"Phases {one.contact} and {other.contact} {word}: "
                f"one ends at {one.stop_s:g} s, the next begins at {other.start_s:g} s."
            )
    first, last = float(motion.time_s[0]), float(motion.time_s[-1])
    if phases[0].start_s < first - 1e-9 or phases[-1].stop_s > last + 1e-9:
        raise OutOfRangeError(
            f"The phases run from {phases[0].start_s:g} to {phases[-1].stop_s:g} s, "
            f"but the motion from {first:g} to {last:g} s."
        )
    _check_feet(robot, motion, phases)
    return phases


def _check_feet(robot: Robot, motion: Motion, phases: tuple[PhaseTime, ...]) -> None:
    """Raise if a point that shall touch in a phase is far from the ground in the middle of it."""
    for phase in phases:
        middle = int(np.argmin(np.abs(motion.time_s - (phase.start_s + phase.stop_s) / 2.0)))
        for point in contact_set(robot, phase.contact).points:
            _, height = touching_path(robot, point, motion.qpos[middle : middle + 1])
            if abs(height[0]) > FAR_M:
                raise OutOfRangeError(
                    f"Phase {phase.contact} says that {point.name} touches the ground, but at "
                    f"{motion.time_s[middle]:.3f} s it is {height[0] * 1e3:.0f} mm above it; check the phases."
                )


def read_phases(path: Path) -> tuple[PhaseTime, ...]:
    """Return phases from a JSON file: a list of {"set": name, "start_s": time, "stop_s": time}."""
    try:
        entries = json.loads(path.read_text("utf-8"))
        return tuple(PhaseTime(entry["set"], float(entry["start_s"]), float(entry["stop_s"])) for entry in entries)
    except FileNotFoundError as error:
        raise OutOfRangeError(f"{path}: there is no such file.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise StrutError(f"{path}: is not a list of phases with set, start_s and stop_s ({error}).") from error


def next_set(robot: Robot, name: str) -> ContactSet:
    """Return the contact set that follows another in a walk, by the order of the robot's phases and their mirror."""
    order = [entry["set"] for entry in robot.table("gait")["phase"]]
    order += [_other_side(entry) for entry in order]
    if name not in order:
        return contact_set(robot, name)
    return contact_set(robot, order[(order.index(name) + 1) % len(order)])


def _other_side(name: str) -> str:
    return name.replace("Right", "*").replace("Left", "Right").replace("*", "Left")


def detected_phases(robot: Robot, motion: Motion) -> tuple[PhaseTime, ...]:
    """Return the phases that a motion shows: by its contact columns, or by heights and speeds of its feet.

    Borders lie halfway between samples. Raises if some instants touch the ground in a way that no contact set of the
    robot describes.
    """
    names = _named_contacts(robot, motion) if motion.foot_names else _seen_contacts(robot, motion)
    changes = [0, *(k for k in range(1, len(names)) if names[k] != names[k - 1]), len(names)]
    borders = [float(motion.time_s[0])]
    borders += [float(motion.time_s[k - 1] + motion.time_s[k]) / 2.0 for k in changes[1:-1]]
    borders.append(float(motion.time_s[-1]))
    return tuple(
        PhaseTime(names[k], start, stop) for k, (start, stop) in zip(changes[:-1], pairwise(borders), strict=True)
    )


def detection_error_s(motion: Motion) -> float:
    """Return by how much a detected phase may be too long or too short: a sample, or what slow feet hide."""
    sample_s = float(np.max(np.diff(motion.time_s)))
    return sample_s if motion.foot_names else max(HIDDEN_S, sample_s)


def _named_contacts(robot: Robot, motion: Motion) -> list[str]:
    sets = {touching: name for name, touching in _points_by_set(robot).items()}
    names: list[str] = []
    for k, row in enumerate(motion.contact):
        touching = frozenset(np.array(motion.foot_names)[row].tolist())
        if touching not in sets:
            words = ", ".join(sorted(touching)) or "nothing"
            raise BadMotionError(
                f"At {motion.time_s[k]:.3f} s {words} touches the ground, which is no known contact set."
            )
        names.append(sets[touching])
    return names


def _seen_contacts(robot: Robot, motion: Motion) -> list[str]:
    """Return the contact set of every sample by heights and speeds: what is low and slow touches.

    Of the known sets, the one that differs in the fewest points; then phases that are too short to be real give way to
    what was before.
    """
    points = list(contact_points(robot).values())
    height, speed = np.empty((2, len(motion.time_s), len(points)))
    for column, point in enumerate(points):
        matter, height[:, column] = touching_path(robot, point, motion.qpos)
        speed[:, column] = np.linalg.norm(np.gradient(matter, motion.time_s, axis=0), axis=1)
    floor = np.percentile(height, FLOOR_PERCENTILE, axis=0)  # soles of a fitted body lie a little above or below
    touches = (height < floor + LOW_M) & (speed < SLOW_M_S)
    sets = _points_by_set(robot)
    order = np.array([[point.name in touching for point in points] for touching in sets.values()])
    distance = (touches[:, None, :] != order[None]).sum(axis=2)
    names, known = list[str](), list(sets)
    for row in distance:
        best = {known[index] for index in np.flatnonzero(row == row.min())}
        names.append(names[-1] if names and names[-1] in best else known[int(np.argmin(row))])
    return _without_flicker(names, motion.time_s)


def _without_flicker(names: list[str], time_s: Array) -> list[str]:
    """Return names in which every run lasts at least `STEADY_S`; shorter ones take the name of the run before."""
    steady, start = list(names), 0
    for k in range(1, len(names) + 1):
        if k == len(names) or steady[k] != steady[start]:
            if time_s[k - 1] - time_s[start] < STEADY_S and len(set(steady)) > 1:
                steady[start:k] = [steady[start - 1] if start else steady[k]] * (k - start)
            start = k if k == len(names) or steady[k] != steady[k - 1] else start
    return steady


def _points_by_set(robot: Robot) -> dict[str, frozenset[str]]:
    return {
        name: frozenset(point.name for point in contact_set(robot, name).points)
        for name in robot.table("contact")["set"]
    }
