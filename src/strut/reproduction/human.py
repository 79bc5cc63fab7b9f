"""Human: published numbers of HeiMan and its gaits beside ours; the five gaits are synthesized from cold starts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import astuple
from functools import partial

import numpy as np

from strut.analysis.criteria import CriteriaValues, criteria_values
from strut.analysis.similarity import dissimilarity
from strut.human.gait_options import GaitOptions
from strut.human.shooting_size import ShootingSize, reconstruction_size, synthesis_size
from strut.human.synthesize import synthesize
from strut.models.catalogue import load_robot
from strut.models.subject import subject
from strut.reproduction.comparison import Comparison, Verdict, compared, corrected, unpublished
from strut.reproduction.parts import Progress, rows_of
from strut.robot import Robot

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
    """Synthesize the gait of an objective, its criteria alone, and keep their values in `found`."""
    gait = synthesize(robot, objective=objective, speed_m_s=SPEED_M_S, options=GaitOptions())
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
    printed = {name: CriteriaValues(*published[objectives[name]["published"]]) for name in found}
    rows = []
    for index, word in enumerate(CRITERIA):
        ours, theirs = ({name: astuple(values)[index] for name, values in gaits.items()} for gaits in (found, printed))
        best, second = sorted(ours.values())[:2]
        note = f"{best:.3g}, the next best gait has {second:.3g}"
        words = f"the gait of least {word} is best in it (1 is yes)"
        rows.append(_judged(words, _least(ours) == word, _least(theirs) == word, published["where"], note))
    for name, entry in objectives.items():
        ours, theirs = ({own: of.weighted(entry["gamma"]) for own, of in gaits.items()} for gaits in (found, printed))
        note = ", ".join(f"{other} {value:.3g}" for other, value in ours.items())
        words = f"the gait of mixture {name} is best in that mixture (1 is yes)"
        where = "weights applied to Table 6.6"
        rows.append(_judged(words, _least(ours) == name, _least(theirs) == name, where, note))
    own, theirs_head = found["head"].head, printed["head"].head
    note = f"{own:.3g} against {theirs_head:.3g}: a gait of least head rotation should beat the published one (E28)"
    at_most = "head rotation is at most the published one (1 is yes)"
    return [*rows, unpublished("orderings", at_most, float(own <= theirs_head), "", note)]


def _least(values: Mapping[str, float]) -> str:
    return min(values, key=values.__getitem__)


def _judged(quantity: str, holds: bool, published: bool, where: str, note: str) -> Comparison:
    """Return a row that is an erratum (E28) where only our gaits keep an ordering."""
    verdict: Verdict = "differs" if not holds else "same" if published else "erratum"
    return Comparison(
        group="orderings",
        quantity=quantity,
        published=(float(published),),
        ours=(float(holds),),
        unit="",
        verdict=verdict,
        tolerance=0.0,
        erratum="E28" if verdict == "erratum" else None,
        where=where,
        note=note,
    )
