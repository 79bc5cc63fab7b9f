"""Human: published numbers of HeiMan and its gaits beside ours; the five gaits are synthesised from cold starts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import astuple

import numpy as np

from strut.analysis.criteria import CriteriaValues, criteria_values
from strut.analysis.similarity import dissimilarity
from strut.optimal.shooting_size import ShootingSize, reconstruction_size, synthesis_size
from strut.optimal.synthesise import synthesise
from strut.reproduction.comparison import Comparison, compared, corrected, unpublished
from strut.robot import Robot
from strut.robots.catalogue import load_robot
from strut.robots.subject import subject

STACK = ("FootRightHeight", "ShankRightLength", "ThighRightLength", "PelvisHeight", "MiddleTrunkHeight")
UPPER_STACK = ("SuprasternaleHeight", "NeckLength", "HeadLength")
PRINTED_MIDDLE_TRUNK = 0.3752
SPEED_M_S = 1.3


def reproduce_human(on_progress: Callable[[str, int, int], None] | None = None) -> tuple[Comparison, ...]:
    """Return HeiMan's published numbers beside ours.

    Args:
        on_progress: Called with what is computed next, how many parts are done, and how many there are.
    """
    robot = load_robot("heiman")
    rows = [*_stature(robot), *_sizes(robot), *_time_terms(robot)]
    objectives = list(robot.table("gait")["objective"])
    found: dict[str, CriteriaValues] = {}
    for done, objective in enumerate(objectives):
        if on_progress:
            on_progress(f"gait of least {objective}", done, len(objectives))
        found[objective] = criteria_values(synthesise(robot, objective=objective, speed_m_s=SPEED_M_S).trajectory)
    return (*rows, *_orderings(robot, found))


def _stature(robot: Robot) -> list[Comparison]:
    section, rows = robot.table("published")["stature"], []
    for name in ("Subject3", "Subject1"):
        lengths = subject(named=name).table("subject")["lengths_m"]
        height = sum(lengths[part] for part in (*STACK, *UPPER_STACK))
        rows.append(compared("body", f"standing height of {name}", section, name, height))
    shares = robot.table("robot")["length_share"]
    stacked = sum(shares[part.replace("Right", "Side")] for part in (*STACK, *UPPER_STACK))
    printed = stacked - shares["MiddleTrunkHeight"] + PRINTED_MIDDLE_TRUNK
    note = "a middle trunk of 0.3752 heights makes a person taller than himself"
    rows.append(corrected("E01", "height of the default body", printed, stacked, "body heights", note))
    return rows


def _sizes(robot: Robot) -> list[Comparison]:
    published, rows = robot.table("published"), []
    for name, intervals in published["intervals"].items():
        size = synthesis_size(intervals) if name == "synthesis" else reconstruction_size(intervals)
        rows.append(compared("problem sizes", name, published["sizes"], name, _numbers(size)))
    fixed = synthesis_size(published["intervals"]["synthesis"], fixed_speed=True)
    rows.append(
        compared(
            "problem sizes", "synthesis at fixed speed", published["sizes"], "synthesis_fixed_speed", _numbers(fixed)
        )
    )
    return rows


def _numbers(size: ShootingSize) -> tuple[float, ...]:
    return tuple(float(count) for count in astuple(size))


def _time_terms(robot: Robot) -> list[Comparison]:
    section, rows = robot.table("published")["time_terms"], []
    still = np.zeros((4, 1))
    for name, duration in section["duration_s"].items():
        times = (np.linspace(0.0, section["reference_s"], 4), np.linspace(0.0, duration, 4))
        found = dissimilarity(times[0], still, times[1], still)
        rows.append(compared("similarity", f"time term of {name}", section, name, found.time))
    return rows


def _orderings(robot: Robot, found: dict[str, CriteriaValues]) -> list[Comparison]:
    """Return our criteria of each gait, and whether each gait is the best in its own criterion, as published."""
    objectives, published = robot.table("gait")["objective"], robot.table("published")["criteria"]
    rows = []
    for index, word in enumerate(("effort", "momentum", "head", "time")):
        column = {name: astuple(values)[index] for name, values in found.items()}
        theirs = {name: published[objectives[name]["published"]][index] for name in found}
        same = min(column, key=column.__getitem__) == min(theirs, key=theirs.__getitem__)
        rows.append(
            Comparison(
                group="orderings",
                quantity=f"the gait of least {word} is best in it (1 is yes)",
                published=(1.0,),
                ours=(1.0 if same else 0.0,),
                unit="",
                verdict="same" if same else "differs",
                tolerance=0.0,
                where=published["where"],
            )
        )
    for name, values in found.items():
        note = f"at {SPEED_M_S} m/s, with friction, signed impulses and exact rolling, which the published gaits lack"
        rows.append(unpublished("gaits", f"criteria of the gait of least {name}", astuple(values), "", note))
    return rows
