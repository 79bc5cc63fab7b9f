"""Trials: drafts of a request at one intensity after the other, each measured and judged by every limit."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from strut.draft import Detail, Generator, Limit, OnProgress, Progress
from strut.errors import OutOfRangeError, StoppedError
from strut.expression.blend import style_for
from strut.generators.crawl_drafts import CrawlDrafts
from strut.generators.hand_drafts import hand_drafts
from strut.generators.step_drafts import StepDrafts, checked_footsteps
from strut.pipeline.pace import USED, fastest
from strut.request import Crawl, HandTask, HumanGait, Request, Steps
from strut.robot import Array, Robot
from strut.style import Style
from strut.verify.gate import COARSE, Attempt, Kept, strongest, strongest_proved
from strut.verify.limits import judged, limits_for
from strut.verify.measure import measure
from strut.verify.relaxation import deepened

SEARCH, WHOLE, FINAL = Detail("search"), Detail("whole"), Detail("final")
RUNG = 0.25  # a human's walk takes a minute, so that only quarters of the asked intensity are tried
_SLOWER, _MOST_SLOWER = 1.03, 10
_SEARCH_USE = 0.98  # share of speed and torque limits while searching steps: coarse samples miss the tips of peaks
_MOST_RELAXING = 12


@dataclass(frozen=True, slots=True, eq=False)
class Trials:
    """What drafts and judges for one request.

    Args:
        request: What is asked.
        robot: Who moves.
        generator: What drafts.
        limits: What judges, beside the robot's own.
        on_progress: Told every attempt; returning True stops.
    """

    request: Request
    robot: Robot
    generator: Generator
    limits: tuple[Limit, ...] = ()
    on_progress: OnProgress | None = None

    def style(self, intensity: float) -> Style:
        """Return what the feeling does to the robot at an intensity."""
        if self.request.emotion is None:
            return Style()
        return style_for(self.robot, self.request.emotion, intensity)

    def attempt(self, intensity: float, detail: Detail, *, use: float = 1.0) -> Attempt:
        """Draft at an intensity, and judge: the first draft that passes, or the last.

        Args:
            intensity: Of the feeling.
            detail: How carefully.
            use: Share of the speed and torque limits that may be used.
        """
        spared = self.robot
        if use != 1.0:
            speed, torque = use * spared.joint_speed_limit_rad_s, use * spared.torque_limit_nm
            spared = replace(spared, joint_speed_limit_rad_s=speed, torque_limit_nm=torque)
        limits = (*limits_for(spared, margin_m=self.request.least_margin_m), *self.limits)
        found = None
        for draft in self.generator.drafts(self.style(intensity), detail):
            measured = measure(draft)
            found = Attempt(intensity, measured, judged(measured, limits))
            if found.passes:
                break
        assert found is not None, "a generator yields at least one draft"
        return found

    def told(self, attempt: Attempt) -> Attempt:
        """Tell whoever watches of an attempt, and return it; raises StoppedError if they have had enough."""
        if self.on_progress and self.on_progress(Progress(attempt.intensity, attempt.passes)):
            raise StoppedError("Stopped before a motion was found; nothing is kept.")
        return attempt

    def strongest(self) -> Kept:
        """Return the strongest attempt that passes."""
        asked, task = self.request.asked, self.request.task
        if isinstance(task, Crawl):
            kept = strongest_proved(asked, self._search, self._prove)
            return self._relaxed(kept) if self.request.retreat == "local" else kept
        if isinstance(task, Steps):
            return self._strongest_fastest() if task.pace == "fastest" else self._strongest_steps()
        if isinstance(task, HumanGait):
            coarse = asked if self.request.strict else RUNG * asked
            return strongest(asked, self._final, coarse=coarse, close=coarse)
        kept = strongest(asked, self._final)
        return self._relaxed(kept) if self.request.retreat == "local" else kept

    def _search(self, intensity: float) -> Attempt:
        return self.told(self.attempt(intensity, SEARCH))

    def _final(self, intensity: float) -> Attempt:
        return self.told(self.attempt(intensity, FINAL))

    def _prove(self, searched: Attempt) -> Attempt:
        return self.told(self.attempt(searched.intensity, replace(FINAL, variant=searched.draft.variant)))

    # retreat only while a limit is near

    def _relaxed(self, kept: Kept) -> Kept:
        """Return a motion that relaxes where it must and so shows more on average than `kept`; else `kept` itself."""
        if kept.attempt is None or not kept.stopped_by:
            return kept
        intensity = self.request.asked
        while intensity > kept.attempt.intensity:
            attempt, share = self._relaxing(intensity)
            if attempt.passes and intensity * attempt.draft.kept > kept.attempt.intensity:
                full = self.attempt(intensity, Detail("final", share, attempt.draft.variant))
                self.told(full)
                if full.passes:
                    return Kept(replace(full, draft=replace(full.draft, reasons=attempt.draft.reasons)), ())
            else:
                self.told(replace(attempt, shortfalls=attempt.shortfalls or kept.stopped_by))
            intensity -= COARSE
        return kept

    def _relaxing(self, intensity: float) -> tuple[Attempt, Array | None]:
        """Return a coarse attempt that relaxes wherever it would otherwise break a limit, with its share (T,)."""
        first = attempt = self.attempt(intensity, WHOLE)
        share = None
        for _ in range(_MOST_RELAXING):
            if attempt.passes:
                break
            time_s = attempt.draft.time_s
            broken = np.any([shortfall.broken for shortfall in attempt.shortfalls], axis=0)
            share = deepened(np.ones_like(time_s) if share is None else share, broken, time_s)
            attempt = self.attempt(intensity, replace(WHOLE, share=share))
        reasons = tuple(shortfall.sentence for shortfall in first.shortfalls)
        return replace(attempt, draft=replace(attempt.draft, reasons=reasons)), share

    # steps, at a given or at the fastest pace

    def _strongest_steps(self) -> Kept:
        """Return the strongest walk of steps that passes: searched on its first steps, then proved in full."""
        full = self._final(self.request.asked)  # most walks pass as asked, so the proof comes first
        if full.passes:
            return Kept(full, ())
        neutral = self._prove(self._search_steps(0.0))  # only the whole walk may say that not even neutral works
        if not neutral.passes:  # then no intensity helps
            return Kept(None, neutral.shortfalls)
        return strongest_proved(self.request.asked, self._search_steps, self._prove)

    def _strongest_fastest(self) -> Kept:
        """Return the strongest walk of steps that passes at the fastest pace of its intensity."""
        paces: dict[float, float | None] = {}

        def at(slower: float | None) -> Trials:
            assert isinstance(self.generator, StepDrafts)
            return replace(self, generator=replace(self.generator, slower=slower))

        def search(intensity: float) -> Attempt:
            pace = fastest(lambda slower: at(slower).attempt(intensity, SEARCH, use=USED).passes)
            paces[intensity] = pace
            return self.told(at(pace).attempt(intensity, SEARCH, use=_SEARCH_USE))

        def prove(searched: Attempt) -> Attempt:
            intensity, pace = searched.intensity, paces[searched.intensity]
            full = at(pace).attempt(intensity, FINAL)
            for _ in range(_MOST_SLOWER):  # the whole walk may need more than its first steps
                if full.passes or pace is None:
                    break
                pace *= _SLOWER
                full = at(pace).attempt(intensity, FINAL)
            return self.told(full)

        neutral = search(0.0)
        neutral = prove(neutral) if neutral.passes else neutral
        if not neutral.passes:
            return Kept(None, neutral.shortfalls)
        return strongest_proved(self.request.asked, search, prove)

    def _search_steps(self, intensity: float) -> Attempt:
        return self.told(self.attempt(intensity, SEARCH, use=_SEARCH_USE))


def generator_for(request: Request, robot: Robot, on_progress: OnProgress | None = None) -> Generator:
    """Return what drafts the task of a request."""
    task = request.task
    if isinstance(task, Crawl):
        return CrawlDrafts(robot, task, request.least_margin_m, request.rate_hz)
    if isinstance(task, Steps):
        return StepDrafts(robot, checked_footsteps(robot, task), request.rate_hz)
    if isinstance(task, HandTask):
        return hand_drafts(robot, task, rate_hz=request.rate_hz, expressive=request.emotion is not None)
    if isinstance(task, HumanGait):
        from strut.generators.human_drafts import HumanDrafts  # noqa: PLC0415 -- loads CasADi, which no robot needs

        return HumanDrafts(robot, task, request.rate_hz, on_progress)
    raise OutOfRangeError(f"No generator of strut does '{task.name}'; pass your own to `strut.run`.")
