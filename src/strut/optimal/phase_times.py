"""Phase times: which contact set holds when in a recorded movement, checked against it; and the file that says so."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from strut.engines.touching import touching_path
from strut.errors import FileError, OutOfRangeError
from strut.motion import Motion
from strut.robot import Robot
from strut.robots.contact_set import contact_set

SHORTEST_S = 0.015
FORMAT = 'phases are a list such as [{"set": "RightFlat", "start_s": 0.0, "stop_s": 0.3}, ...].'
FAR_M = 0.05  # a foot that touches is nearer to the ground than this, whatever the fit of the body


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
    known = tuple(robot.table("contact")["set"])
    for phase in phases:
        if phase.contact not in known:
            raise OutOfRangeError(f"There is no contact set '{phase.contact}'; there are {', '.join(known)}.")
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
    except FileNotFoundError as error:
        raise FileError(path, "there is no such file.") from error
    except IsADirectoryError as error:
        raise FileError(path, "is a folder; give a JSON file of phases.") from error
    except OSError as error:
        raise FileError(path, f"cannot be read ({error.strerror}).") from error
    except ValueError as error:  # neither UTF-8 nor JSON
        raise FileError(path, f"is not JSON; {FORMAT}") from error
    if not isinstance(entries, list):
        raise FileError(path, f"is not a list; {FORMAT}")
    return tuple(_phase(path, number, entry) for number, entry in enumerate(entries, start=1))


def _phase(path: Path, number: int, entry: Any) -> PhaseTime:
    if not isinstance(entry, dict):
        raise FileError(path, f"phase {number} is not an object; {FORMAT}")
    for key in ("set", "start_s", "stop_s"):
        if key not in entry:
            raise FileError(path, f"phase {number} lacks {key}; {FORMAT}")
    times = entry["start_s"], entry["stop_s"]
    if any(isinstance(time, bool) or not isinstance(time, int | float) for time in times):
        raise FileError(path, f"start_s and stop_s of phase {number} are not both numbers of seconds.")
    return PhaseTime(str(entry["set"]), float(times[0]), float(times[1]))
