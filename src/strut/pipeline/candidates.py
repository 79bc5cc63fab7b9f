"""Candidates: drafts of a request at one intensity after the other, each measured and judged by every limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pkgutil import resolve_name

from strut.draft import Candidate, Detail, Draft, Generator, Limit, OnProgress, Progress, Search
from strut.errors import OutOfRangeError, StoppedError
from strut.expression.blend import style_for
from strut.maths.bisection import bisect
from strut.registry import find
from strut.request import OwnTask, Request, TaskKind
from strut.robot import Robot
from strut.simulation.upright import verify_upright
from strut.style import Style
from strut.verify.judge import judge

COARSE = Detail("search")
FINAL = Detail("final")
SLOWDOWN = 1.03  # factor on the times of a pace that the final draft cannot keep
MAX_SLOWDOWNS = 10  # after which the search goes on below
PACE_USE = 0.9  # share of speed and torque limits that the fastest pace may use; servos need the rest to follow
MIN_PACE = 0.05  # factors on the robot's own phase times between which the fastest pace is searched
MAX_PACE = 20.0
PACE_STEP = 1.5  # factor between two paces until one passes and one does not
PACE_RESOLUTION = 1.02


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Makes and judges candidates of one request.

    Args:
        request: What is asked.
        robot: The robot that moves.
        generator: What drafts.
        limits: Limits beside the robot's own.
        on_progress: Called with every candidate; returning True stops.
        shares: Style parameters that are weakened, each with its share of the intensity that is tried; all others stay
            as asked. If empty, all parameters are weakened alike.
        paces: The fastest pace that was found, by style, as a factor on the robot's own phase times; None for none.
        searched: Coarse candidates that were made, by style.
        proved: Final candidates that were made, by style.
        is_own_generator: Whether the caller of `run` passed the generator. strut cannot build it for other options of
            the task, so it drafts requests with another balance margin and no other ones.
    """

    request: Request
    robot: Robot
    generator: Generator
    limits: tuple[Limit, ...] = ()
    on_progress: OnProgress | None = None
    shares: Mapping[str, float] = field(default_factory=dict)
    paces: dict[Style, float | None] = field(default_factory=dict)
    searched: dict[Style, Candidate] = field(default_factory=dict)
    proved: dict[Style, Candidate] = field(default_factory=dict)
    is_own_generator: bool = False

    @property
    def how(self) -> Search:
        """How the generator wants to be searched."""
        return self.generator.search

    @property
    def asked_style(self) -> Style:
        """The style at the intensity that is asked for."""
        return replace(self, shares={}).style(self.request.asked)

    def style(self, intensity: float) -> Style:
        """Return the style of the robot at an intensity."""
        emotion = self.request.emotion if self.request.task.styled else None
        if emotion is None:
            return Style()
        if not self.shares:
            return style_for(self.robot, emotion, intensity)
        styles = {share: style_for(self.robot, emotion, share * intensity) for share in set(self.shares.values())}
        weakened = {name: getattr(styles[share], name) for name, share in self.shares.items()}
        return replace(self.asked_style, **weakened)

    def of_request(self, request: Request, generator: Generator) -> Candidates:
        """Return candidates of another request, without what was found for this one."""
        return replace(self, request=request, generator=generator, paces={}, searched={}, proved={})

    def candidate(
        self,
        intensity: float,
        detail: Detail,
        *,
        use: float = 1.0,
        quiet: bool = False,
        known: dict[Style, Candidate] | None = None,
    ) -> Candidate:
        """Draft at an intensity and judge: the first draft that passes, or the last one.

        Args:
            intensity: Of the emotion.
            detail: How carefully.
            use: Share of the speed and torque limits that may be used.
            quiet: Do not report progress.
            known: Candidates by style; one of the same style is returned instead, and this one is added.
        """
        style = self.style(intensity)
        neutral = style == self.style(0.0)
        known = {} if known is None else known
        if style in known:
            return replace(known[style], intensity=intensity, neutral=neutral)
        candidate = self.first_passing(
            self.generator.drafts(style, detail), intensity, detail, neutral=neutral, use=use
        )
        known[style] = candidate
        if not quiet:
            self.report(intensity, passed=candidate.passes)
        return candidate

    def first_passing(
        self, drafts: Iterable[Draft], intensity: float, detail: Detail, *, neutral: bool, use: float = 1.0
    ) -> Candidate:
        """Judge drafts one after the other: return the first that passes, or the last one.

        Args:
            drafts: At least one.
            intensity: Of the emotion.
            detail: How carefully they are drafted.
            neutral: Whether they express nothing.
            use: Share of the speed and torque limits that may be used.
        """
        request = self.request
        is_simulated = detail.level == "final" and request.task.simulated
        candidate = None
        for draft in drafts:
            measured, violations = judge(draft, margin_m=request.min_margin_m, use=use, more=self.limits)
            candidate = Candidate(intensity, measured, violations, neutral=neutral)
            if candidate.passes and is_simulated:
                played = verify_upright(candidate.draft, may_slide=neutral and not self._could_do_less)
                candidate = replace(candidate, draft=played, violations=played.violations)
            if candidate.passes or candidate.is_hopeless(violations, detail):
                break
        assert candidate is not None, "a generator yields at least one draft"
        return candidate

    @property
    def _could_do_less(self) -> bool:
        """Whether a number was chosen, such as a turn, of which less can be done; a speed may be the usual one."""
        task = self.request.task
        chosen = task.chosen_options()
        return any(value != 0.0 and not task.adjustable[name].usual_shares for name, value in chosen.items())

    def report(self, intensity: float, *, passed: bool, instead: str = "") -> None:
        """Report a candidate; raises StoppedError if the callback returns True."""
        if self.on_progress is not None and self.on_progress(Progress(intensity, passed, instead=instead)):
            raise StoppedError("Stopped before a motion was found; nothing is kept.")

    def search(self, intensity: float) -> Candidate:
        """Return the cheapest candidate that the generator can make, at the fastest pace if that is asked for."""
        how = self.how
        if not self.request.task.wants_fastest:
            detail = self._coarse_detail() if how.coarsely else FINAL
            return self.candidate(intensity, detail, use=how.use, known=self.searched)
        style = self.style(intensity)
        if style not in self.paces:
            self.paces[style] = fastest_pace(
                lambda slower: self._at_pace(slower).candidate(intensity, COARSE, use=PACE_USE, quiet=True).passes
            )
        return self._at_pace(self.paces[style]).candidate(intensity, COARSE, use=how.use)

    def _coarse_detail(self) -> Detail:
        """Return how to draft in a search: from about the fallback on that all that is asked needed, if it is known."""
        asked = self.searched.get(self.asked_style) if self.how.by_parameters else None
        if asked is None:
            return COARSE
        neutral = self.searched.get(replace(self, shares={}).style(0.0))
        neutral_fallback = neutral.draft.fallback if neutral is not None and neutral.passes else 0
        return replace(COARSE, fallback=asked.draft.fallback, neutral_fallback=neutral_fallback, verdict_only=True)

    def prove(self, searched: Candidate) -> Candidate:
        """Return the same candidate as a final draft; at the fastest pace a little slower if it needs that."""
        intensity = searched.intensity
        detail = replace(FINAL, fallback=searched.draft.fallback)
        if not self.request.task.wants_fastest:
            return self.candidate(intensity, detail, known=self.proved)
        pace = self.paces.get(self.style(intensity))
        if pace is None:
            return searched
        for count in range(MAX_SLOWDOWNS + 1):
            full = self._at_pace(pace * SLOWDOWN**count).candidate(intensity, detail, quiet=True)
            if full.passes:
                break
        self.report(intensity, passed=full.passes)
        return full

    def _at_pace(self, slower: float | None) -> Candidates:
        return replace(self, generator=self.generator.at_pace(slower))


def fastest_pace(passes: Callable[[float], bool]) -> float | None:
    """Return the smallest factor on the robot's own phase times that passes, within two percent; None if none does.

    Slower walks load the feet more evenly, so a pace that passes is assumed to pass when slowed.
    """
    pace = 1.0
    if passes(pace):
        while passes(pace / PACE_STEP):
            pace /= PACE_STEP
            if pace < MIN_PACE:
                return pace
        return bisect(passes, pace, pace / PACE_STEP, resolution=PACE_RESOLUTION, scale="geometric")[0]
    while not passes(pace * PACE_STEP):
        pace *= PACE_STEP
        if pace > MAX_PACE:
            return None
    return bisect(passes, pace * PACE_STEP, pace, resolution=PACE_RESOLUTION, scale="geometric")[0]


def generator_for(request: Request, robot: Robot, on_progress: OnProgress | None = None) -> Generator:
    """Return the generator of the task of a request."""
    task = request.task
    if isinstance(task, OwnTask):
        raise OutOfRangeError(f"No generator of strut does '{task.name}'; pass your own to `strut.run`.")
    kind: TaskKind = find("strut.tasks", str(task.__struct_config__.tag))
    generator: Generator = resolve_name(kind.generator)(robot, request, on_progress)
    return generator
