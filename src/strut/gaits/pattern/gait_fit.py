"""Gait fit: the gait of an imported robot: factors on a gait pattern that leave motors, joints and floor a reserve."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product, takewhile
from typing import NamedTuple, Protocol

import msgspec
import numpy as np

from strut.draft import Detail, Draft, Violation
from strut.gaits.pattern.gait_drafts import TWO_POINTS, GaitDrafts, stands_on_two_points
from strut.gaits.pattern.gait_fallbacks import BODY_HEIGHTS
from strut.gaits.pattern.request import PatternGait
from strut.gaits.pattern.single_support import MAX_USE_TO_WALK, hardest_on_one_leg
from strut.gaits.pattern.table import PatternTable
from strut.plumbing.number_text import format_percent
from strut.robot import Robot
from strut.verify.judge import judge
from strut.verify.limits import friction_needed

MAX_USE = 0.88  # of torque, speed and friction in a neutral gait: emotions need the rest
MAX_SLOW_USE = 0.92  # the same of a gait slower than usual
MAX_OTHERS = 1  # violations of other limits: factors do not repair more
MIN_GAIN = 0.02  # of the use: a change that gains less is not kept
CYCLES = 5  # at the full rate: fewer cycles or samples miss the instant when a joint reaches its limit
# Tried one after the other and kept if they help: narrower; shorter and quicker; longer and slower; lower steps.
CHANGES: tuple[Mapping[str, float], ...] = (
    {"width": 0.8},
    {"period": 0.8, "stride": 0.8},
    {"period": 1.25, "stride": 1.25},
    {"lift": 0.6},
)
# Shares of the usual speed, tried if the changes are not enough: half of it, then more or less.
HALF = 0.5
FASTER = (0.7, 0.85)
SLOWER = (0.35, 0.25)
SLOW_LIFT = 0.6  # factor on the lift of a slow gait, unless it is lower already
# How a share of the speed is reached, as exponents: by cadence and step length alike, or by one of them.
SLOWDOWNS: tuple[Mapping[str, float], ...] = ({"period": -0.5, "stride": 0.5}, {"period": -1.0}, {"stride": 1.0})
LAST_CHANGES = ({"period": 1.4, "stride": 0.7},) * 2  # tried if no share of the speed keeps every limit
_LIMITS_IN_USE = ("torque", "joint speed", "friction")
_FACTOR_NAMES = {"period": "step time", "stride": "step length", "lift": "lift", "width": "distance between the feet"}

OnShare = Callable[[float], None]  # called with every share of the usual speed before it is tried


class Utilisation(NamedTuple):
    """How hard a neutral gait is; smaller is easier.

    Args:
        others: Number of violations of limits other than torque, joint speed and friction.
        shortened: How much the generator had to shorten the steps.
        use: Largest share of a torque limit, a joint speed limit or the friction.
    """

    others: int
    shortened: int
    use: float


class GaitJudge(Protocol):
    """Judges the neutral gait of a robot."""

    def utilisation(self, robot: Robot) -> Utilisation | None:
        """Return how hard the gait is; None if it cannot be drafted."""
        ...

    def first_violation(self, robot: Robot) -> str:
        """Return the first limit that the gait breaks, as a sentence without its time; nothing if it breaks none."""
        ...


@dataclass(frozen=True, slots=True)
class GaitFit:
    """A gait and how well it fits a robot.

    Args:
        gait: Pattern and factors.
        usual: Pattern and factors before.
        utilisation: How hard the gait is; None if not measured.
        usual_utilisation: How hard the usual gait is; None if it cannot be drafted or was not measured.
        speed_share: Share of the usual speed.
        denied: Why the robot cannot walk at all; empty if it can.
    """

    gait: PatternTable
    usual: PatternTable
    utilisation: Utilisation | None = None
    usual_utilisation: Utilisation | None = None
    speed_share: float = 1.0
    denied: str = ""

    @property
    def toml(self) -> str:
        """The text of gait.toml."""
        return format_gait_toml(self.gait)

    @property
    def findings(self) -> list[str]:
        """A sentence about changed factors, if there are any."""
        if self.gait == self.usual or self.utilisation is None or self.denied:
            return []
        changed = [name for name in _FACTOR_NAMES if getattr(self.gait, name) != getattr(self.usual, name)]
        factors = ", ".join(f"{_FACTOR_NAMES[name]} x {getattr(self.gait, name):.3g}" for name in changed)
        use = f"uses {format_percent(self.utilisation.use)} of a torque limit, a joint speed limit or the friction"
        before = self.usual_utilisation
        if before is None:
            gain = f"is within reach, and {use}"
        elif self.utilisation.use < before.use:
            gain = f"{use} instead of {format_percent(before.use)}"
        else:
            gain = f"breaks fewer other limits or takes longer steps, and {use} instead of {format_percent(before.use)}"
        return [f"its gait was changed so that it {gain}: {factors}."]

    @property
    def assumptions(self) -> list[str]:
        """A sentence about a speed below the usual one, if it is."""
        if self.speed_share == 1.0 or not self.findings:
            return []
        share = format_percent(self.speed_share)
        return [f"it walks at {share} of the usual speed, which would break a limit ({self.gait.slow_because})."]


class PatternGaitMaker:
    """Makes the gait.toml of imported robots that walk by a gait pattern."""

    def usual_toml(self, leg_count: int) -> str:
        """Return the usual gait.toml of a robot with two or four legs."""
        return format_gait_toml(PatternTable(gait="trot" if leg_count == 4 else "biped"))

    def fit(self, robot: Robot, on_share: OnShare) -> GaitFit:
        """Return the gait that fits a robot."""
        return fit_gait(robot, on_share)


MAKER = PatternGaitMaker()


def format_gait_toml(gait: PatternTable) -> str:
    """Return gait.toml: the pattern and the factors on it."""
    others = ": crawl or walk" if gait.gait == "trot" else ""
    return (
        f"# How it walks. `strut walk --gait` chooses another pattern{others}.\n"
        'kind = "pattern"\n'
        f'gait = "{gait.gait}"\n'
        "# Factors on the pattern: duration of a cycle, travel in it, lift of feet, and their distance sideways.\n"
        f"period = {gait.period:.3g}\n"
        f"stride = {gait.stride:.3g}\n"
        f"lift = {gait.lift:.3g}\n"
        f"width = {gait.width:.3g}\n"
        + (f"slow_because = {json.dumps(gait.slow_because, ensure_ascii=False)}\n" if gait.slow_because else "")
    )


class DraftJudge:
    """Judges the preferred draft of the neutral gait."""

    def utilisation(self, robot: Robot) -> Utilisation | None:
        """Return how hard the gait is; None if it cannot be drafted, or if feet are out of reach."""
        draft, violations = self._judge(robot)
        if draft.violations or not len(draft.qpos):
            return None
        audit = draft.measured
        uses = (
            np.abs(audit.torque_nm) / robot.torque_limit_nm,
            np.abs(audit.joint_speed_rad_s) / robot.joint_speed_limit_rad_s,
            friction_needed(audit) / robot.friction,
        )
        others = sum(violation.limit not in _LIMITS_IN_USE for violation in violations)
        return Utilisation(others, draft.fallback // len(BODY_HEIGHTS), float(max(use.max() for use in uses)))

    def first_violation(self, robot: Robot) -> str:
        """Return the first limit that the gait breaks, as a sentence without its time; nothing if it breaks none."""
        _, violations = self._judge(robot)
        return str(violations[0].reason).rsplit(" at ", 1)[0] if violations else ""

    def _judge(self, robot: Robot) -> tuple[Draft, tuple[Violation, ...]]:
        drafts = GaitDrafts(robot, PatternGait(cycles=CYCLES), PatternGait.usual_rate_hz)
        draft = next(iter(drafts.drafts(robot.expression.neutral_style(), Detail("final"))))
        return judge(draft, margin_m=PatternGait.usual_margin_m)


def fit_gait(robot: Robot, on_share: OnShare = lambda _: None, judge: GaitJudge | None = None) -> GaitFit:
    """Return a gait with as much reserve as a few changes give a biped; quadrupeds keep theirs.

    The speed stays unless it breaks a limit: then the robot walks slower, down to a quarter of the usual speed. All
    quadrupeds tried have a reserve, and on four points a narrower stance would tip.
    """
    robot = robot.expressing(robot.chosen_layer(None))
    usual = robot.gait_as(PatternTable)
    denied = _why_denied(robot)
    if len(robot.feet) != 2 or denied:
        return GaitFit(usual, usual, denied=denied)
    search = _FactorSearch(robot, usual, judge or DraftJudge())
    at_usual_speed = search.at_usual_speed()
    utilisation = at_usual_speed.utilisation
    if utilisation is not None and utilisation.others <= MAX_OTHERS and utilisation.use <= 1.0:
        return at_usual_speed
    return search.slower(at_usual_speed, on_share) or at_usual_speed


def _why_denied(robot: Robot) -> str:
    """Return why a robot cannot walk at all; nothing if it may."""
    if stands_on_two_points(robot):
        return TWO_POINTS
    hardest = hardest_on_one_leg(robot)
    if hardest.use <= MAX_USE_TO_WALK:
        return ""
    return f"{hardest.sentence}; correct torque_nm in robot.toml if the file is wrong"


@dataclass(frozen=True, slots=True)
class _FactorSearch:
    """Searches factors on the gait of one robot."""

    robot: Robot
    usual: PatternTable
    judge: GaitJudge

    def at_usual_speed(self) -> GaitFit:
        """Return the gait at the usual speed with the changes that help."""
        utilisation = self._utilisation(self.usual)
        if utilisation is None or utilisation.others > MAX_OTHERS:
            return GaitFit(self.usual, self.usual, utilisation, utilisation)
        gait, best = self._apply_changes(self.usual, utilisation, CHANGES)
        return GaitFit(gait, self.usual, best, utilisation)

    def slower(self, quick: GaitFit, on_share: OnShare) -> GaitFit | None:
        """Return a gait at the largest share of the speed that keeps every limit; None if none does.

        It starts from the changes that helped at the usual speed, with their or the usual length and time of steps.
        """
        lower = msgspec.structs.replace(quick.gait, lift=min(quick.gait.lift, SLOW_LIFT * self.usual.lift))
        usual_steps = msgspec.structs.replace(lower, period=self.usual.period, stride=self.usual.stride)
        fit = self._at_largest_share(dict.fromkeys((lower, usual_steps)), on_share) or self._least_hard(quick)
        if fit is None:
            return None
        gait = msgspec.structs.replace(fit.gait, slow_because=self.judge.first_violation(self.robot))
        return replace(fit, gait=gait, usual_utilisation=quick.usual_utilisation)

    def _at_largest_share(self, gaits: Collection[PatternTable], on_share: OnShare) -> GaitFit | None:
        """Return a gait at the largest share of the speed that keeps every limit, searched from half of it on."""

        def at(share: float) -> GaitFit | None:
            on_share(share)
            for gait, slowdown in product(gaits, SLOWDOWNS):
                slow = _multiply(gait, {name: share**exponent for name, exponent in slowdown.items()})
                utilisation = self._utilisation(slow)
                if utilisation is not None and utilisation.others == 0 and utilisation.use <= MAX_SLOW_USE:
                    return GaitFit(slow, self.usual, utilisation, speed_share=share)
            return None

        half = at(HALF)
        if half is None:
            return next((fit for fit in map(at, SLOWER) if fit is not None), None)
        return [half, *takewhile(lambda fit: fit is not None, map(at, FASTER))][-1]

    def _least_hard(self, quick: GaitFit) -> GaitFit | None:
        """Return slow steps that are less hard though they break limits, which other walks may keep; None if none."""
        if quick.utilisation is None or quick.utilisation.others > MAX_OTHERS:
            return None
        gait, best = self._apply_changes(quick.gait, quick.utilisation, LAST_CHANGES)
        if gait == quick.gait:
            return None
        share = gait.stride / gait.period * self.usual.period / self.usual.stride
        return GaitFit(gait, self.usual, best, speed_share=share)

    def _apply_changes(
        self, gait: PatternTable, best: Utilisation, changes: Sequence[Mapping[str, float]]
    ) -> tuple[PatternTable, Utilisation]:
        """Return a gait with the changes that make it easier, one after the other, and how hard it is."""
        for change in changes:
            if best <= (0, 0, MAX_USE):
                break
            candidate = _multiply(gait, change)
            utilisation = self._utilisation(candidate)
            if utilisation is not None and utilisation < best._replace(use=best.use - MIN_GAIN):
                gait = candidate
                best = utilisation
        return gait, best

    def _utilisation(self, gait: PatternTable) -> Utilisation | None:
        return self.judge.utilisation(replace(self.robot, tables=replace(self.robot.tables, gait=gait)))


def _multiply(gait: PatternTable, factors: Mapping[str, float]) -> PatternTable:
    """Return a gait with some of its factors multiplied."""
    return msgspec.structs.replace(gait, **{name: getattr(gait, name) * factor for name, factor in factors.items()})
