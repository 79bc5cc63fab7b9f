"""Human: published numbers of HeiMan and its gaits beside ours; the five gaits are synthesised from cold starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple
from functools import partial

import numpy as np

from strut.analysis.criteria import CriteriaValues, criteria_values
from strut.analysis.similarity import dissimilarity
from strut.optimal.manner import Manner
from strut.optimal.shooting_size import ShootingSize, reconstruction_size, synthesis_size
from strut.optimal.synthesise import synthesise
from strut.reproduction.comparison import Comparison, compared, corrected
from strut.reproduction.parts import Progress, rows_of
from strut.robot import Robot
from strut.robots.catalogue import load_robot
from strut.robots.subject import subject

STACK = ("FootRightHeight", "ShankRightLength", "ThighRightLength", "PelvisHeight", "MiddleTrunkHeight")
UPPER_STACK = ("SuprasternaleHeight", "NeckLength", "HeadLength")
PRINTED_MIDDLE_TRUNK = 0.3752
SPEED_M_S = 1.3
CRITERIA = ("effort", "momentum", "head", "time")


def reproduce_human(on_progress: Progress | None = None) -> tuple[Comparison, ...]:
    """Return HeiMan's published numbers beside ours.

    Args:
        on_progress: Called with what is computed next, how many parts are done, and how many there are.
    """
    robot = load_robot("heiman")
    objectives = list(robot.table("gait")["objective"])
    parts: dict[str, Callable[[Robot], list[Comparison]]] = {
        "bodies and problem sizes": lambda body: [*_stature(body), *_sizes(body), *_time_terms(body)],
    }
    found: dict[str, CriteriaValues] = {}
    for objective in objectives:
        parts[f"gait of least {objective}"] = partial(_walked, objective=objective, found=found)
    parts["orderings"] = lambda body: orderings(body, found)
    return rows_of("heiman", parts, on_progress)


def _walked(robot: Robot, *, objective: str, found: dict[str, CriteriaValues]) -> list[Comparison]:
    """Synthesise the gait of an objective, its criteria alone, and keep their values in `found`."""
    gait = synthesise(robot, objective=objective, speed_m_s=SPEED_M_S, manner=Manner())
    values = found[objective] = criteria_values(gait.trajectory)
    published = robot.table("published")["criteria"]
    theirs = published[robot.table("gait")["objective"][objective]["published"]]
    note = f"at {SPEED_M_S} m/s, with friction, signed impulses and exact rolling, which the published gaits lack"
    return [
        Comparison(
            group="gaits",
            quantity=f"effort, momentum, head and time of the gait of least {objective}",
            published=tuple(theirs),
            ours=astuple(values),
            unit="",
            verdict="differs",
            where=published["where"],
            note=note,
        )
    ]


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


def orderings(robot: Robot, found: Mapping[str, CriteriaValues]) -> list[Comparison]:
    """Return whether each gait is the best in its own criterion, among ours as among the published ones."""
    objectives, published = robot.table("gait")["objective"], robot.table("published")["criteria"]
    rows = []
    for index, word in enumerate(CRITERIA):
        ours = {name: astuple(values)[index] for name, values in found.items()}
        theirs = {name: published[objectives[name]["published"]][index] for name in found}
        best, second = sorted(ours.values())[:2]
        same = min(ours, key=ours.__getitem__) == min(theirs, key=theirs.__getitem__) == word
        note = f"{best:.3g}, the next best gait has {second:.3g}"
        rows.append(_judged(f"the gait of least {word} is best in it (1 is yes)", same, published["where"], note))
    for name, entry in objectives.items():
        weighted = {other: values.weighted(entry["gamma"]) for other, values in found.items()}
        same = min(weighted, key=weighted.__getitem__) == name
        note = ", ".join(f"{other} {value:.3g}" for other, value in weighted.items())
        where = "weights applied to Table 6.6"
        rows.append(_judged(f"the gait of mixture {name} is best in that mixture (1 is yes)", same, where, note))
    own, printed = found["head"].head, published[objectives["head"]["published"]][CRITERIA.index("head")]
    note = f"{own:.3g} against {printed:.3g}: a gait of least head rotation should beat the published one (E28)"
    rows.append(_judged("head rotation is at most the published one (1 is yes)", own <= printed, "Table 6.6", note))
    return rows


def _judged(quantity: str, holds: bool, where: str, note: str) -> Comparison:
    return Comparison(
        group="orderings",
        quantity=quantity,
        published=(1.0,),
        ours=(float(holds),),
        unit="",
        verdict="same" if holds else "differs",
        tolerance=0.0,
        where=where,
        note=note,
    )
