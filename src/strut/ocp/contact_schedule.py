"""Contact schedule: the contact set of every time span of a recording, checked against it; and its JSON file."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np

from strut.engines.contact_slip import contact_slip
from strut.errors import FileError, OutOfRangeError
from strut.kinematics.contact_set import contact_points, contact_set
from strut.maths.sampling import runs
from strut.motion import Motion
from strut.plumbing.regular_file import check_regular
from strut.robot import Robot

SHORTEST_S = 0.015  # of a phase; no benchmark
FORMAT = 'phases are a list such as [{"set": NAME, "start_s": 0.0, "stop_s": 0.3}, ...].'
FAR_M = 0.03  # a point in contact is nearer to the ground, even if the body fits badly; no benchmark
# A point that is this low and this slow for this long is in contact; no benchmark.
RESTS_M = 0.002
RESTS_M_S = 0.05
RESTS_S = 0.08


@dataclass(frozen=True, slots=True)
class PhaseTime:
    """A contact set from one time to another, in the time of the motion."""

    contact: str
    start_s: float
    stop_s: float


def check_phases(
    robot: Robot, motion: Motion, phases: tuple[PhaseTime, ...], *, given: bool = True
) -> tuple[PhaseTime, ...]:
    """Return the phases if they are in order, without gaps, inside the motion, and fit its feet.

    Args:
        robot: Of the motion.
        motion: The recording.
        phases: To be checked.
        given: Whether the user gave them; then they are also checked against the feet. Detected times are refined
            later.
    """
    _check_sets(robot, phases)
    _check_times(motion, phases)
    if given:
        _check_feet(robot, motion, phases)
    return phases


def _check_sets(robot: Robot, phases: tuple[PhaseTime, ...]) -> None:
    if not phases:
        raise OutOfRangeError("There are no phases; give at least one contact set with its times.")
    known = tuple(robot.contacts.set)
    for phase in phases:
        if phase.contact not in known:
            raise OutOfRangeError(f"There is no contact set '{phase.contact}'; there are {', '.join(known)}.")
        if not phase.stop_s - phase.start_s >= SHORTEST_S:
            raise OutOfRangeError(
                f"Phase {phase.contact} lasts {phase.stop_s - phase.start_s:g} s; "
                f"phases are in order and at least {SHORTEST_S * 1e3:g} ms long."
            )


def _check_times(motion: Motion, phases: tuple[PhaseTime, ...]) -> None:
    for one, other in pairwise(phases):
        if abs(one.stop_s - other.start_s) > 1e-9:
            word = "overlap" if other.start_s < one.stop_s else "leave a gap"
            raise OutOfRangeError(
                f"Phases {one.contact} and {other.contact} {word}: "
                f"one ends at {one.stop_s:g} s, the next begins at {other.start_s:g} s."
            )
    first = float(motion.time_s[0])
    last = float(motion.time_s[-1])
    if phases[0].start_s < first - 1e-9 or phases[-1].stop_s > last + 1e-9:
        raise OutOfRangeError(
            f"The phases run from {phases[0].start_s:g} to {phases[-1].stop_s:g} s, "
            f"but the motion from {first:g} to {last:g} s."
        )


def _check_feet(robot: Robot, motion: Motion, phases: tuple[PhaseTime, ...]) -> None:
    """Raise OutOfRangeError if a point in contact is off the ground, or a point at rest is not in the contact set."""
    for phase in phases:
        inside = (motion.time_s >= phase.start_s - 1e-9) & (motion.time_s <= phase.stop_s + 1e-9)
        qpos = motion.qpos[inside]
        time_s = motion.time_s[inside]
        in_contact = {point.name for point in contact_set(robot, phase.contact).points}
        if len(qpos) < 2:
            continue
        points = contact_points(robot)
        slid, heights = contact_slip(robot, list(points.values()), qpos)
        for index, name in sorted(enumerate(points), key=lambda entry: entry[1] not in in_contact):
            moved = slid[:, index]
            height = heights[:, index]
            if name in in_contact:
                worst = int(np.argmax(np.abs(height)))
                if abs(height[worst]) > FAR_M:
                    side = "above" if height[worst] > 0.0 else "below"
                    raise OutOfRangeError(
                        f"Phase {phase.contact} says that {name} touches the ground, but at {time_s[worst]:.3f} s "
                        f"it is {abs(height[worst]) * 1e3:.0f} mm {side} it; check the phases."
                    )
                continue
            speed = np.linalg.norm(np.gradient(moved, time_s, axis=0), axis=1)
            for rest in runs((np.abs(height) < RESTS_M) & (speed < RESTS_M_S)):
                if time_s[rest][-1] - time_s[rest][0] > RESTS_S:
                    raise OutOfRangeError(
                        f"Phase {phase.contact} does not name {name}, which rests on the ground from "
                        f"{time_s[rest][0]:.3f} to {time_s[rest][-1]:.3f} s; check the phases."
                    )


class _Entry(msgspec.Struct, rename={"contact": "set"}):
    """A phase in the file."""

    contact: str
    start_s: float
    stop_s: float


def read_phases(path: Path) -> tuple[PhaseTime, ...]:
    """Return phases from a JSON file: a list of {"set": name, "start_s": time, "stop_s": time}."""
    try:
        check_regular(path)
        entries = msgspec.json.decode(path.read_bytes(), type=list[_Entry])
    except FileNotFoundError as error:
        raise FileError(path, "there is no such file.") from error
    except IsADirectoryError as error:
        raise FileError(path, "is a folder; give a JSON file of phases.") from error
    except OSError as error:
        raise FileError(path, f"cannot be read: {error.strerror}.") from error
    except msgspec.ValidationError as error:
        raise FileError(path, f"{error}; {FORMAT}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise FileError(path, f"is not JSON; {FORMAT}") from error
    return tuple(PhaseTime(entry.contact, entry.start_s, entry.stop_s) for entry in entries)
