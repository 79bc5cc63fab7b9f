"""Gait fit: factors on a biped's gait pattern with which its motors, its joints and the floor have some reserve."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product, takewhile
from typing import NamedTuple

import msgspec
import numpy as np

from strut.draft import Detail, Draft, Violation
from strut.gaits.pattern.gait_drafts import TWO_POINTS, GaitDrafts, stands_on_two_points
from strut.gaits.pattern.gait_fallbacks import LOWER
from strut.gaits.pattern.request import PatternGait
from strut.gaits.pattern.single_support import DENIED, hardest_on_one_leg
from strut.gaits.pattern.table import PatternTable
from strut.receipt import LimitName
from strut.robot import Robot
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
# Where that uses too much, the same is walked slower: this share of the speed first, then ever more or ever less of it.
HALF = 0.5
FASTER = (0.7, 0.85)
SLOWER = (0.35, 0.25)
AT_LAST = ({"period": 1.4, "stride": 0.7},) * 2  # tried where no share keeps every limit
SLOW_LIFT = 0.6  # of feet that go slowly, if nothing has lowered them yet
SLOW_UTILISATION = 0.92  # that a slower gait may use
# What a share of the speed is taken from, as exponents: from cadence and length of steps alike, or from one of them.
SHAPES: tuple[Mapping[str, float], ...] = ({"period": -0.5, "stride": 0.5}, {"period": -1.0}, {"stride": 1.0})
_USED = (LimitName.TORQUE, LimitName.JOINT_SPEED, LimitName.FRICTION)

OnShare = Callable[[float], None]  # told every share of the usual speed before it is tried


class Utilisation(NamedTuple):
    """How hard a neutral gait is: other limits it breaks, how short its steps get, and the largest use of any."""

    others: int
    shortened: int
    use: float


@dataclass(frozen=True, slots=True)
class FittedGait:
    """A gait, and how well it fits.

    Args:
        gait: The factors.
        now: How hard it is; None where that was not measured.
        before: How hard the usual gait is; likewise.
        share: Of the usual speed that it has.
        denied: Why no walk can be made, in words; nothing where one may be.
    """

    gait: PatternTable
    now: Utilisation | None = None
    before: Utilisation | None = None
    share: float = 1.0
    denied: str = ""

    def after(self, usual: Utilisation | None) -> FittedGait:
        """Return the same with how hard the usual gait is."""
        return replace(self, before=usual)


def fitted_gait(robot: Robot, on_share: OnShare = lambda _: None) -> FittedGait:
    """Return the gait of a biped with as much reserve as a few changes give it; others keep theirs.

    Its speed stays, unless that breaks a limit: then it walks slower, down to a quarter of it. Trots of all quadrupeds
    that were tried have reserve, and on four points a narrower stance would tip.
    """
    robot = robot.expressing(robot.chosen_layer(None))
    denied = _denied(robot)
    if len(robot.feet) != 2 or denied:
        return FittedGait(robot.gait_as(PatternTable), denied=denied)
    quick = _at_own_speed(robot)
    kept = quick.now is not None and quick.now.others <= MOST_OTHERS and quick.now.use <= 1.0
    return quick if kept else _slower(robot, quick, on_share) or quick


def _denied(robot: Robot) -> str:
    """Return why no walk of a robot can be made, in words; nothing where one may be."""
    if stands_on_two_points(robot):
        return TWO_POINTS
    still = hardest_on_one_leg(robot)
    return f"{still.sentence}; correct torque_nm in robot.toml if the file is wrong" if still.use > DENIED else ""


def _at_own_speed(robot: Robot) -> FittedGait:
    """Return the gait at its own speed with the changes that help."""
    gait = robot.gait_as(PatternTable)
    usual = _utilisation(robot)
    if usual is None or usual.others > MOST_OTHERS:
        return FittedGait(gait, usual, usual)
    return FittedGait(*_changed(robot, gait, usual, CHANGES)).after(usual)


def _slower(robot: Robot, quick: FittedGait, on_share: OnShare) -> FittedGait | None:
    """Return a gait at the largest share of its speed that keeps every limit; None if none does.

    It starts from the changes that helped at its own speed, and from its own length and time of steps.
    """
    own = robot.gait_as(PatternTable)
    changed = msgspec.structs.replace(quick.gait, lift=min(quick.gait.lift, SLOW_LIFT * own.lift))
    plain = msgspec.structs.replace(changed, period=own.period, stride=own.stride)
    found = _largest_share(robot, dict.fromkeys((changed, plain)), on_share)
    found = found or _least_hard(robot, quick)
    if found is None:
        return None
    return replace(found, gait=msgspec.structs.replace(found.gait, slow_because=_why_not(robot))).after(quick.before)


def _least_hard(robot: Robot, quick: FittedGait) -> FittedGait | None:
    """Return slow steps that spare something where none keeps every limit: in another way a walk may; None if none."""
    if quick.now is None or quick.now.others > MOST_OTHERS:
        return None
    gait, least = _changed(robot, quick.gait, quick.now, AT_LAST)
    own = robot.gait_as(PatternTable)
    return (
        FittedGait(gait, least, share=gait.stride / gait.period * own.period / own.stride)
        if gait != quick.gait
        else None
    )


def _largest_share(robot: Robot, gaits: Collection[PatternTable], on_share: OnShare) -> FittedGait | None:
    """Return a gait at the largest share of its speed that keeps every limit, searched from half of it on."""

    def at(share: float) -> FittedGait | None:
        on_share(share)
        return _at_share(robot, gaits, share)

    half = at(HALF)
    others = map(at, FASTER if half else SLOWER)
    return [half, *takewhile(bool, others)][-1] if half else next(filter(None, others), None)


def _at_share(robot: Robot, gaits: Collection[PatternTable], share: float) -> FittedGait | None:
    """Return a gait at a share of its speed that keeps every limit, in the first shape that does; None if none does."""
    for gait, shape in product(gaits, SHAPES):
        tried, found = _tried(robot, gait, {name: share**exponent for name, exponent in shape.items()})
        if found is not None and found.others == 0 and found.use <= SLOW_UTILISATION:
            return FittedGait(tried, found, share=share)
    return None


def _changed(
    robot: Robot, gait: PatternTable, least: Utilisation, changes: Sequence[Mapping[str, float]]
) -> tuple[PatternTable, Utilisation]:
    """Return a gait with those of some changes that spare something, one after the other, and how hard it is."""
    for change in changes:
        if least <= (0, 0, MOST_UTILISATION):
            break
        tried, found = _tried(robot, gait, change)
        if found is not None and found < least._replace(use=least.use - BETTER):
            gait = tried
            least = found
    return gait, least


def _tried(robot: Robot, gait: PatternTable, change: Mapping[str, float]) -> tuple[PatternTable, Utilisation | None]:
    factors = {name: getattr(gait, name) * factor for name, factor in change.items()}
    tried = msgspec.structs.replace(gait, **factors)
    return tried, _utilisation(replace(robot, tables=replace(robot.tables, gait=tried)))


def _utilisation(robot: Robot) -> Utilisation | None:
    """Return how hard a neutral gait is; None where it cannot be made, or feet are out of reach."""
    draft, broken = _judged(robot)
    if draft.violations or not len(draft.qpos):
        return None
    needs = draft.measured
    uses = (
        np.abs(needs.torque_nm) / robot.torque_limit_nm,
        np.abs(needs.joint_speed_rad_s) / robot.joint_speed_limit_rad_s,
        friction_needed(needs) / robot.friction,
    )
    others = sum(violation.limit not in _USED for violation in broken)
    return Utilisation(others, draft.fallback // len(LOWER), float(max(use.max() for use in uses)))


def _judged(robot: Robot) -> tuple[Draft, tuple[Violation, ...]]:
    """Return the draft of a neutral gait that is preferred, and what it breaks."""
    drafts = GaitDrafts(robot, PatternGait(cycles=CYCLES), PatternGait.usual_rate_hz)
    draft = next(iter(drafts.drafts(robot.expression.neutral_style(), Detail("final"))))
    return judge(draft, margin_m=PatternGait.usual_margin_m)


def _why_not(robot: Robot) -> str:
    """Return what a neutral gait breaks first, in words; when it does is of no interest."""
    _, broken = _judged(robot)
    return next((str(violation.reason).rsplit(" at ", 1)[0] for violation in broken), "")
