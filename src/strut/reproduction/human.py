"""Human: the published numbers of HeiMan and of its five gaits, which are synthesized here.

The sizes of the published multiple-shooting problems are counted: six stages, two of which are impacts without
duration, 34 coordinates, and 28 torques that are linear on each interval.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import partial

import numpy as np

from strut.errors import OutOfRangeError
from strut.human.analysis.gait_comparison import CriteriaValues, criteria_values, dissimilarity
from strut.human.problem.gait_options import GaitOptions
from strut.human.synthesis.synthesize import synthesize
from strut.human.table import human_gait
from strut.mocap.marker_fit.body_priors import STATURE
from strut.models.catalogue import load_robot
from strut.models.subject import subject
from strut.reproduction.comparison import Comparison, ComparisonVerdict, Parts, Sheet
from strut.robot import Robot
from strut.schemas.segments import SegmentBody

PRINTED_MIDDLE_TRUNK = 0.3752
SPEED_M_S = 1.3
CRITERIA = ("effort", "momentum", "head", "time")
STATES = 68
TORQUES = 28
RECONSTRUCTION_POINT_EQUALITIES = 16
SYNTHESIS_POINT_EQUALITIES = 7 + 34 + 34 + 28  # of the phases, and periodicity
SYNTHESIS_UNKNOWNS = 53  # besides states and torques (E30)


def parts() -> Parts:
    """Return the functions that compute HeiMan's rows."""
    robot = load_robot("heiman")
    found = dict[str, CriteriaValues]()
    gaits = {
        f"gait with minimal {objective}": partial(_walked, robot, objective, found)
        for objective in human_gait(robot).objective
    }
    bodies = {"bodies and problem sizes": lambda: bodies_and_sizes(robot)}
    return {**bodies, **gaits, "orderings": lambda: orderings(robot, found)}


def _walked(robot: Robot, objective: str, found: dict[str, CriteriaValues]) -> list[Comparison]:
    """Synthesize the gait of an objective without further options, and store its criteria in `found`."""
    gait = synthesize(robot, objective=objective, speed_m_s=SPEED_M_S, options=GaitOptions())
    values = found[objective] = criteria_values(gait.trajectory)
    sheet = Sheet("gaits", robot.published)
    section = robot.published["criteria"]
    theirs = section[human_gait(robot).objective[objective].published]
    note = f"at {SPEED_M_S} m/s, with friction, signed impulses and exact rolling, which the published gaits lack"
    for criterion, printed, own in zip(CRITERIA, theirs, astuple(values), strict=True):
        entry = section | {"tolerance": half_of_last_digit(printed), criterion: printed}
        sheet.compare(f"{criterion} of the gait with minimal {objective}", entry, criterion, own, note=note)
    return sheet.rows


def half_of_last_digit(printed: float) -> float:
    """Return half a unit of the last of the three digits to which Table 6.6 is printed."""
    return 0.5 * 10.0 ** (math.floor(math.log10(abs(printed))) - 2)


def bodies_and_sizes(robot: Robot) -> list[Comparison]:
    """Compare statures, sizes of the published problems and time terms of the dissimilarity."""
    body = Sheet("body", robot.published)
    for name in ("Subject3", "Subject1"):
        lengths = subject(named=name).subject.lengths_m
        body.compare(
            f"standing height of {name}", "stature", name, sum(lengths[part] for part in STATURE), kind="formula"
        )
    shares = robot.body_as(SegmentBody).length_share
    stacked = sum(shares[part.replace("Right", "Side")] for part in STATURE)
    printed = stacked - shares["MiddleTrunkHeight"] + PRINTED_MIDDLE_TRUNK
    note = "a middle trunk of 0.3752 body heights makes the segments taller than the body"
    body.correct("E01", "height of the default body", printed, stacked, "body heights", note, kind="formula")

    problems = Sheet("problem sizes", body.published)
    for name, intervals in body.published["intervals"].items():
        size = synthesis_size(intervals) if name == "synthesis" else reconstruction_size(intervals)
        problems.compare(name, "sizes", name, astuple(size), kind="formula")
    fixed = synthesis_size(body.published["intervals"]["synthesis"], fixed_speed=True)
    problems.compare("synthesis at fixed speed", "sizes", "synthesis_fixed_speed", astuple(fixed), kind="formula")

    similarity = Sheet("similarity", body.published)
    still = np.zeros((4, 1))
    section = body.published["time_terms"]
    for name, duration in section["duration_s"].items():
        times = (np.linspace(0.0, section["reference_s"], 4), np.linspace(0.0, duration, 4))
        similarity.compare(f"time term of {name}", section, name, dissimilarity(times[0], still, times[1], still).time)
    return [*body.rows, *problems.rows, *similarity.rows]


def orderings(robot: Robot, found: Mapping[str, CriteriaValues]) -> list[Comparison]:
    """Compare whether each gait has the smallest value of its own criterion, among ours and the published ones."""
    objectives = human_gait(robot).objective
    published = robot.published["criteria"]
    printed = {name: CriteriaValues(*published[objectives[name].published]) for name in found}
    rows = []
    for index, criterion in enumerate(CRITERIA):
        ours, theirs = ({name: astuple(values)[index] for name, values in gaits.items()} for gaits in (found, printed))
        best, second = sorted(ours.values())[:2]
        note = f"{best:.3g}, the next best gait has {second:.3g}"
        label = f"the gait with minimal {criterion} has the smallest {criterion} (1: yes)"
        rows.append(
            _judged(label, _smallest(ours) == criterion, _smallest(theirs) == criterion, published["where"], note)
        )
    for name, entry in objectives.items():
        ours, theirs = ({own: of.weighted(entry.gamma) for own, of in gaits.items()} for gaits in (found, printed))
        note = ", ".join(f"{other} {value:.3g}" for other, value in ours.items())
        label = f"the gait of mixture {name} has the smallest value of it (1: yes)"
        where = "weights applied to Table 6.6"
        rows.append(_judged(label, _smallest(ours) == name, _smallest(theirs) == name, where, note))
    own = found["head"].head
    theirs_head = printed["head"].head
    last = Sheet("orderings")
    note = f"{own:.3g} against {theirs_head:.3g}: a gait of least head rotation should beat the published one (E28)"
    at_most = "head rotation is at most the published one (1: yes)"
    last.add(at_most, float(own <= theirs_head), "", note)
    return rows + last.rows


def _smallest(values: Mapping[str, float]) -> str:
    return min(values, key=values.__getitem__)


def _judged(quantity: str, holds: bool, published: bool, where: str, note: str) -> Comparison:
    """Return a row; it is an erratum (E28) if only our gaits keep the ordering."""
    verdict: ComparisonVerdict = "differs" if not holds else "same" if published else "erratum"
    erratum = "E28" if verdict == "erratum" else None
    numbers = (float(published),), (float(holds),)
    return Comparison("orderings", quantity, *numbers, "", verdict, 0.0, erratum=erratum, where=where, note=note)


@dataclass(frozen=True, slots=True)
class ShootingSize:
    """Unknowns, equations and inequalities."""

    unknowns: int
    equalities: int
    inequalities: int


def reconstruction_size(intervals: Sequence[int]) -> ShootingSize:
    """Return the size of a reconstruction from the intervals of its six stages."""
    flat, forefoot, _, heel, _, both = _checked(intervals)
    path = 3 + 3 * (flat - 1) + 4 + 5 * (forefoot - 1) + 6 + 5 * heel + 6 + 6 * both + 4
    return _size(sum(intervals), 0, RECONSTRUCTION_POINT_EQUALITIES, path)


def synthesis_size(intervals: Sequence[int], *, fixed_speed: bool = False) -> ShootingSize:
    """Return the size of a synthesis from the intervals of its six stages."""
    flat, forefoot, _, heel, _, both = _checked(intervals)
    path = 3 + 7 * (flat - 1) + 6 + 7 * (forefoot - 1) + 6 + 6 * heel + 7 + 7 * both + 5
    unknowns = SYNTHESIS_UNKNOWNS - (1 if fixed_speed else 0)
    return _size(sum(intervals), unknowns, SYNTHESIS_POINT_EQUALITIES, path)


def _checked(intervals: Sequence[int]) -> Sequence[int]:
    if len(intervals) != 6 or min(intervals) < 1 or intervals[2] != 1 or intervals[4] != 1:
        raise OutOfRangeError(
            f"Intervals {list(intervals)} do not fit: six stages are needed, each with at least one interval, "
            "and the impacts, third and fifth, with exactly one."
        )
    return intervals


def _size(intervals: int, extra: int, point_equalities: int, path: int) -> ShootingSize:
    unknowns = STATES * (intervals + 1) + 2 * TORQUES * intervals + TORQUES + extra
    equalities = (STATES + TORQUES) * intervals + 2 * TORQUES + point_equalities
    return ShootingSize(unknowns, equalities, 2 * unknowns + path)
