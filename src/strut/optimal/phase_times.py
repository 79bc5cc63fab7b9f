"""Phase times: which contact set holds when in a recorded movement; given, or read from the contacts of a motion."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from strut.errors import BadMotionError, OutOfRangeError, StrutError
from strut.motion import Motion
from strut.robot import Robot
from strut.robots.contact_set import contact_set

SHORTEST_S = 0.015


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
    return phases


def read_phases(path: Path) -> tuple[PhaseTime, ...]:
    """Return phases from a JSON file: a list of {"set": name, "start_s": time, "stop_s": time}."""
    try:
        entries = json.loads(path.read_text("utf-8"))
        return tuple(PhaseTime(entry["set"], float(entry["start_s"]), float(entry["stop_s"])) for entry in entries)
    except FileNotFoundError as error:
        raise OutOfRangeError(f"{path}: there is no such file.") from error
    except (ValueError, KeyError, TypeError) as error:
        raise StrutError(f"{path}: is not a list of phases with set, start_s and stop_s ({error}).") from error


def detected_phases(robot: Robot, motion: Motion) -> tuple[PhaseTime, ...]:
    """Return the phases that the contact columns of a motion show, to the nearest half sample.

    Raises if some instants touch the ground in a way that no contact set of the robot describes.
    """
    sets = {_touching(robot, name): name for name in robot.table("contact")["set"]}
    names: list[str] = []
    for k, row in enumerate(motion.contact):
        touching = frozenset(np.array(motion.foot_names)[row].tolist())
        if touching not in sets:
            words = ", ".join(sorted(touching)) or "nothing"
            raise BadMotionError(
                f"At {motion.time_s[k]:.3f} s {words} touches the ground, which is no known contact set."
            )
        names.append(sets[touching])
    changes = [0, *(k for k in range(1, len(names)) if names[k] != names[k - 1]), len(names)]
    borders = [float(motion.time_s[0])]
    borders += [float(motion.time_s[k - 1] + motion.time_s[k]) / 2.0 for k in changes[1:-1]]
    borders.append(float(motion.time_s[-1]))
    return tuple(
        PhaseTime(names[k], start, stop) for k, (start, stop) in zip(changes[:-1], pairwise(borders), strict=True)
    )


def _touching(robot: Robot, name: str) -> frozenset[str]:
    return frozenset(point.name for point in contact_set(robot, name).points)
