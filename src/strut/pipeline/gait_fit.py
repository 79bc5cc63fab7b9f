"""Gait fit: factors on a biped's gait pattern with which its motors, its joints and the floor have some reserve."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import msgspec
import numpy as np

from strut.draft import Detail
from strut.generators.gait_drafts import GaitDrafts
from strut.generators.gait_ways import LOWER
from strut.request import PatternGait
from strut.robot import Robot
from strut.tables.gait import PatternTable
from strut.verify.judge import judge
from strut.verify.limits import friction_needed

MOST_UTILISATION = 0.88  # of torque, speed and friction, that a neutral gait may use: feelings need the rest
MOST_OTHERS = 1  # other limits that are broken: who breaks more is not helped by a factor
CYCLES = 5  # at the full rate: fewer, or coarser ones, miss where a joint comes to its stop
BETTER = 0.02  # of them that a change must spare
# One after the other, each kept if it helps: narrower, shorter and quicker, longer and slower steps, lower feet.
CHANGES: tuple[Mapping[str, float], ...] = (
    {"width": 0.8},
    {"period": 0.8, "stride": 0.8},
    {"period": 1.25, "stride": 1.25},
    {"lift": 0.6},
)
SHORTER = {"stride": 0.5}  # what a walk of a weak robot is tried with at last
SLOWER = ({"period": 1.4, "stride": 0.7},) * 2  # where that uses too much, too: heavy rotors, slow knees
_USED = ("torque", "joint speed", "friction")


class Utilisation(NamedTuple):
    """How hard a neutral gait is: other limits it breaks, how short its steps get, and the largest use of any."""

    others: int
    shortened: int
    use: float


@dataclass(frozen=True, slots=True)
class FittedGait:
    """A gait, and how hard the usual one and it are; None where that was not measured."""

    gait: PatternTable
    before: Utilisation | None = None
    now: Utilisation | None = None


def fitted_gait(robot: Robot) -> FittedGait:
    """Return the gait of a biped with as much reserve as a few changes give it; others keep theirs.

    Its speed stays, unless not even half of it could be walked. Trots of all quadrupeds that were tried have reserve,
    and on four points a narrower stance would tip.
    """
    robot = robot.expressing(robot.chosen_layer(None))
    gait, usual = robot.pattern_gait, _utilisation(robot) if len(robot.feet) == 2 else None
    if usual is None or usual.others > MOST_OTHERS:
        return FittedGait(gait)
    gait, least = _changed(robot, gait, usual, CHANGES)
    if least.use > 1.0 and not _is_walked_slowly(robot, gait):
        gait, least = _changed(robot, gait, least, SLOWER)
    return FittedGait(gait, usual, least)


def _changed(
    robot: Robot, gait: PatternTable, least: Utilisation, changes: Sequence[Mapping[str, float]]
) -> tuple[PatternTable, Utilisation]:
    """Return a gait with those of some changes that spare something, one after the other, and how hard it is."""
    for change in changes:
        if least <= (0, 0, MOST_UTILISATION):
            break
        tried, found = _tried(robot, gait, change)
        if found is not None and found < least._replace(use=least.use - BETTER):
            gait, least = tried, found
    return gait, least


def _tried(robot: Robot, gait: PatternTable, change: Mapping[str, float]) -> tuple[PatternTable, Utilisation | None]:
    factors = {name: getattr(gait, name) * factor for name, factor in change.items()}
    tried = msgspec.structs.replace(gait, **factors)
    return tried, _utilisation(replace(robot, tables=replace(robot.tables, gait=tried)))


def _is_walked_slowly(robot: Robot, gait: PatternTable) -> bool:
    """Return whether a gait keeps the limits at half of its speed by shorter steps."""
    found = _tried(robot, gait, SHORTER)[1]
    return found is not None and found.use <= 1.0


def _utilisation(robot: Robot) -> Utilisation | None:
    """Return how hard a neutral gait is; None where it cannot be made, or feet are out of reach: no factor mends it."""
    drafts = GaitDrafts(robot, PatternGait(cycles=CYCLES), PatternGait.usual_rate_hz)
    draft = next(iter(drafts.drafts(robot.expression.neutral_style(), Detail("final"))))
    if draft.shortfalls or not len(draft.qpos):
        return None
    draft, broken = judge(draft, margin_m=PatternGait.usual_margin_m)
    needs = draft.measured
    uses = (
        np.abs(needs.torque_nm) / robot.torque_limit_nm,
        np.abs(needs.joint_speed_rad_s) / robot.joint_speed_limit_rad_s,
        friction_needed(needs) / robot.friction,
    )
    others = sum(shortfall.limit not in _USED for shortfall in broken)
    return Utilisation(others, draft.variant // len(LOWER), float(max(use.max() for use in uses)))
