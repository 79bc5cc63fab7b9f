"""Trials: drafts of a request at one intensity after the other, each measured and judged by every limit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pkgutil import resolve_name

from strut.draft import Attempt, Detail, Generator, Limit, OnProgress, PacedGenerator, Progress, Search
from strut.errors import OutOfRangeError, StoppedError
from strut.expression.blend import style_for
from strut.maths.bisection import bisect
from strut.registry import find
from strut.request import OwnTask, Request, TaskKind
from strut.robot import Robot
from strut.simulation.upright import proved_upright
from strut.style import Style
from strut.verify.judge import judge

SEARCH = Detail("search")
FINAL = Detail("final")
_SLOWER = 1.03
_MOST_SLOWER = 10
USED = 0.9  # share of speed and torque limits that planning for speed may use; servos need the rest to follow
_QUICKEST = 0.05
_SLOWEST = 20.0
_STEP = 1.5
_CLOSE = 1.02


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """What drafts and judges for one request.

    Args:
        request: What is asked.
        robot: Who moves.
        generator: What drafts.
        limits: What judges, beside the robot's own.
        on_progress: Told every attempt; returning True stops.
        shares: The words that are weakened, each with its share of the intensity that is tried, where the others stay
            as asked; all words alike if none are named.
        paces: The fastest pace that was found, by style, as a factor on the generator's own times; None for none.
        searched: Attempts that were made, by style.
        proved: Attempts that were made in full, by style.
    """

    request: Request
    robot: Robot
    generator: Generator
    limits: tuple[Limit, ...] = ()
    on_progress: OnProgress | None = None
    shares: Mapping[str, float] = field(default_factory=dict)
    paces: dict[Style, float | None] = field(default_factory=dict)
    searched: dict[Style, Attempt] = field(default_factory=dict)
    proved: dict[Style, Attempt] = field(default_factory=dict)

    def instead(self, request: Request, generator: Generator) -> Trials:
        """Return trials of another request, which know nothing of what was tried for this one."""
        return replace(self, request=request, generator=generator, paces={}, searched={}, proved={})

    def attempt(
        self,
        intensity: float,
        detail: Detail,
        *,
        use: float = 1.0,
        quiet: bool = False,
        known: dict[Style, Attempt] | None = None,
    ) -> Attempt:
        """Draft at an intensity, and judge: the first draft that passes, or the last.

        Args:
            intensity: Of the feeling.
            detail: How carefully.
            use: Share of the speed and torque limits that may be used.
            quiet: Whether nobody is told.
            known: Attempts, by style, of which one with the same style is taken instead; this one is added.
        """
        request = self.request
        in_simulation = self._is_simulated(detail)
        found = None
        style = self.style(intensity)
        neutral = style == self.style(0.0)
        known = {} if known is None else known
        if style in known:
            return replace(known[style], intensity=intensity, neutral=neutral)
        for draft in self.generator.drafts(style, detail):
            measured, broken = judge(draft, margin_m=request.least_margin_m, use=use, more=self.limits)
            found = Attempt(intensity, measured, broken, neutral=neutral)
            if found.passes and in_simulation:
                proved = proved_upright(found.draft, may_slide=neutral)
                found = replace(found, draft=proved, violations=proved.violations)
            if found.passes or found.is_hopeless(broken, detail):
                break
        assert found is not None, "a generator yields at least one draft"
        known[style] = found
        if self.on_progress is not None and not quiet:
            self.tell(intensity, passed=found.passes)
        return found

    def _is_simulated(self, detail: Detail) -> bool:
        """Return whether a draft that keeps every limit must also stay upright."""
        return detail.level == "final" and self.request.task.simulated

    def style(self, intensity: float) -> Style:
        """Return what the feeling does to the robot at an intensity."""
        emotion = self.request.emotion if self.request.task.styled else None
        if emotion is None:
            return Style()
        if not self.shares:
            return style_for(self.robot, emotion, intensity)
        styles = {share: style_for(self.robot, emotion, share * intensity) for share in set(self.shares.values())}
        return replace(self.asked_style, **{word: getattr(styles[much], word) for word, much in self.shares.items()})

    @property
    def asked_style(self) -> Style:
        """What the feeling does to the robot as strongly as it was asked for."""
        return replace(self, shares={}).style(self.request.asked)

    def tell(self, intensity: float, *, passed: bool, instead: str = "") -> None:
        """Tell whoever watches of an attempt; raises StoppedError if they have had enough."""
        if self.on_progress is not None and self.on_progress(Progress(intensity, passed, instead=instead)):
            raise StoppedError("Stopped before a motion was found; nothing is kept.")

    @property
    def how(self) -> Search:
        """How the generator wants to be searched."""
        found: Search = getattr(self.generator, "search", Search())
        return found

    @property
    def fastest(self) -> bool:
        """Whether the pace is searched, too."""
        return getattr(self.request.task, "pace", None) == "fastest"

    def search(self, intensity: float) -> Attempt:
        """Return an attempt that costs as little as the generator can make it, at the fastest pace if that is asked."""
        how = self.how
        if not self.fastest:
            detail = self._search_detail() if how.coarsely else FINAL
            return self.attempt(intensity, detail, use=how.use, known=self.searched)
        style = self.style(intensity)
        if style not in self.paces:
            self.paces[style] = fastest(
                lambda slower: self._at_pace(slower).attempt(intensity, SEARCH, use=USED, quiet=True).passes
            )
        return self._at_pace(self.paces[style]).attempt(intensity, SEARCH, use=how.use)

    def _search_detail(self) -> Detail:
        """Return how to draft in a search: from about the way on in which all that is asked was drafted, if it was."""
        asked = self.searched.get(self.asked_style) if self.how.by_words else None
        if asked is None:
            return SEARCH
        neutral = self.searched.get(replace(self, shares={}).style(0.0))
        least = neutral.draft.variant if neutral is not None and neutral.passes else 0
        return replace(SEARCH, variant=asked.draft.variant, least=least, verdict_only=True)

    def prove(self, searched: Attempt) -> Attempt:
        """Return the same attempt in full; at the fastest pace a little slower, where the whole needs more."""
        intensity = searched.intensity
        pace = self.paces.get(self.style(searched.intensity))
        detail = replace(FINAL, variant=searched.draft.variant)
        if not self.fastest:
            return self.attempt(intensity, detail, known=self.proved)
        if pace is None:
            return searched
        for more in range(_MOST_SLOWER + 1):
            full = self._at_pace(pace * _SLOWER**more).attempt(intensity, detail, quiet=True)
            if full.passes:
                break
        self.tell(intensity, passed=full.passes)
        return full

    def _at_pace(self, slower: float | None) -> Trials:
        assert isinstance(self.generator, PacedGenerator), "only a generator with a pace is searched for the fastest"
        return replace(self, generator=self.generator.at_pace(slower))


def fastest(passes: Callable[[float], bool]) -> float | None:
    """Return the smallest factor on the robot's own phase times that passes, within two percent; None where none does.

    Slower walks press more evenly, so a pace that passes is taken to pass when slowed.
    """
    good = 1.0
    if passes(good):
        while passes(good / _STEP):
            good /= _STEP
            if good < _QUICKEST:
                return good
        return bisect(passes, good, good / _STEP, close=_CLOSE, scale="geometric")[0]
    while not passes(good * _STEP):
        good *= _STEP
        if good > _SLOWEST:
            return None
    return bisect(passes, good * _STEP, good, close=_CLOSE, scale="geometric")[0]


def generator_for(request: Request, robot: Robot, on_progress: OnProgress | None = None) -> Generator:
    """Return what drafts the task of a request."""
    task = request.task
    if isinstance(task, OwnTask):
        raise OutOfRangeError(f"No generator of strut does '{task.name}'; pass your own to `strut.run`.")
    kind: TaskKind = find("strut.tasks", str(task.__struct_config__.tag))
    generator: Generator = resolve_name(kind.generator)(robot, request, on_progress)
    return generator
