"""Draft: a motion before its verdict; the generators that draft, the limits that judge, and the judged candidates."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, Protocol

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.audit import Audit
from strut.errors import OutOfRangeError
from strut.receipt import LimitName, Reason, ReasonKind
from strut.request import RobotTask
from strut.robot import Robot
from strut.score import USUAL_EASE_S, Score
from strut.style import Style

DetailLevel = Literal["search", "whole", "final"]


@dataclass(frozen=True, slots=True, eq=False)
class Violation:
    """A limit that a motion breaks.

    Args:
        limit: Its name, a `LimitName` or that of a third-party limit.
        broken: At which samples. Shape (T,).
        text: By what and how far, as the rest of a sentence: `LF_knee reaches 104 % of its torque limit at 0.52 s`.
    """

    limit: str
    broken: npt.NDArray[np.bool_]
    text: str

    @property
    def reason(self) -> Reason:
        """The violation as a reason of a receipt."""
        return Reason(ReasonKind.LIMIT, self.limit, self.text)


@dataclass(frozen=True, slots=True, eq=False)
class Draft:
    """A sampled movement of one robot in a style, before its verdict.

    Args:
        robot: The robot that moves.
        time_s: Sample times; empty if the movement could not be made at all. Shape (T,).
        qpos: Configurations. Shape (T, nq).
        contact: Which feet are on the ground. Shape (T, n_feet).
        style: The style; None if the movement expresses nothing on purpose.
        share_over_time: Share of the style that is expressed at each sample; None if all of it throughout. Shape (T,).
        expressed: Expressed share of each style parameter that the style changes visibly; 0 if it is missing.
        not_expressed: Style parameters that this body or task cannot express at all, as sentences.
        kept: Share of the style's intensity that is left where the generator itself had to weaken it.
        reasons: Why it did.
        violations: Limits that the generator itself knows to be broken.
        torque_nm: Joint torques, if the generator knows them. Shape (T, n_joints).
        ground_force_n: Force of the ground on each foot, if it knows them. Shape (T, n_feet, 3).
        cop_in_world: Centre of pressure on the ground, if it knows it. Shape (T, 2).
        balance_margin_m: Its distance inside the support polygon, if it knows it. Shape (T,).
        needs: The audit, once the draft is measured.
        fallback: Which fallback of the generator this is, counted from 0: a lower body, shorter steps.
        moving_ends: Whether it moves already at the first sample, and still at the last. A plan rests at both ends; a
            clip of another program may be cut out of a movement.
        meta: What a motion file says of how it was made; JSON can hold it.
        figures: Further entries of the receipt, by its keys.
    """

    robot: Robot
    time_s: Array
    qpos: Array
    contact: npt.NDArray[np.bool_]
    style: Style | None
    share_over_time: Array | None = None
    expressed: Mapping[str, float] = field(default_factory=dict)
    not_expressed: tuple[str, ...] = ()
    kept: float = 1.0
    reasons: tuple[Reason, ...] = ()
    violations: tuple[Violation, ...] = ()
    torque_nm: Array | None = None
    ground_force_n: Array | None = None
    cop_in_world: Array | None = None
    balance_margin_m: Array | None = None
    needs: Audit | None = None
    fallback: int = 0
    moving_ends: tuple[bool, bool] = (False, False)
    meta: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def measured(self) -> Audit:
        """The audit; only of a draft that `verify.measure` has measured."""
        assert self.needs is not None, "this draft was not measured"
        return self.needs


def not_made(robot: Robot, style: Style | None, limit: str, text: str) -> Draft:
    """Return the draft of a movement that could not be made at all, with the violation that says why."""
    feet = np.zeros((0, len(robot.feet)), dtype=np.bool_)
    qpos = np.zeros((0, robot.base_size + len(robot.joint_names)))
    why = Violation(limit, np.ones(1, dtype=np.bool_), text)
    return Draft(robot, np.zeros(0), qpos, feet, style, violations=(why,))


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """A measured draft at one intensity, with the limits that it breaks; it passes if it breaks none.

    Args:
        intensity: Of the emotion.
        draft: The draft, measured.
        violations: What it breaks.
        neutral: Whether it expresses nothing, so that a lower intensity would be the same motion.
    """

    intensity: float
    draft: Draft
    violations: tuple[Violation, ...]
    neutral: bool

    @property
    def passes(self) -> bool:
        """Whether every limit is kept."""
        return not self.violations

    def is_hopeless(self, broken: tuple[Violation, ...], detail: Detail) -> bool:
        """Return whether no further draft at this intensity is worth a try after this one, which does not pass.

        A further draft may mend a single violation, or joints that are too fast. A whole motion that breaks more
        limits, or that keeps them all and yet falls in simulation, needs a lower intensity.

        Args:
            broken: The limits that it broke before it was simulated.
            detail: How carefully it was drafted.
        """
        is_mendable = len(broken) == 1 or any(violation.limit == LimitName.JOINT_SPEED for violation in broken)
        return not self.neutral and detail.level == "final" and not is_mendable


@dataclass(frozen=True, slots=True, eq=False)
class StrongestCandidate:
    """The strongest candidate that passes, or None, and what the next stronger one breaks."""

    candidate: Candidate | None
    binding_limits: tuple[Violation, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Detail:
    """How carefully to draft.

    Args:
        level: `search` may be short and coarse, `whole` coarse, `final` is what the user gets.
        share: Share of the style to express from start to end, evenly spaced; None for all of it. Shape (n,).
        fallback: The fallback of the generator to begin with.
        neutral_fallback: The first fallback in which neutral passes; no earlier one is tried.
        verdict_only: Whether only the verdict is needed, so that a failed coarse check need not be drafted.
    """

    level: DetailLevel = "final"
    share: Array | None = None
    fallback: int = 0
    neutral_fallback: int = 0
    verdict_only: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class KeyStyle:
    """The style of a steady walk that keeps every limit, and what else its generator needs to draft it again.

    Args:
        task: The walk.
        style: The style.
        fallback: The fallback of the generator.
    """

    task: RobotTask
    style: Style
    fallback: int


@dataclass(frozen=True, slots=True, eq=False)
class StyleOverTime:
    """The styles that a walk goes through.

    Args:
        score: When each keyframe takes over from the one before.
        keys: Of each keyframe.
        neutral: The same walks in neutral, of each keyframe; none where nothing is weakened.
        share_time_s: Instants of `share`, a millisecond or so apart. Shape (m,).
        share: Share of the keyframes' styles that is left, the rest is neutral; None for all of it. Shape (m,).
    """

    score: Score
    keys: tuple[KeyStyle, ...]
    neutral: tuple[KeyStyle, ...] = ()
    share_time_s: Array = field(default_factory=lambda: np.zeros(1))
    share: Array | None = None

    @property
    def styles(self) -> tuple[KeyStyle, ...]:
        """All styles: those of the keyframes, then neutral ones."""
        return (*self.keys, *self.neutral)

    def share_at(self, time_s: Array) -> Array:
        """Return the share of the keyframes' styles that is left. Shape (T,) in and out."""
        if self.share is None:
            return np.ones_like(time_s)
        return np.asarray(np.interp(time_s, self.share_time_s, self.share))

    def style_at(self, time_s: Array) -> Array:
        """Return the weight of each of the `styles`; they add up to 1. Shapes (T,) in, (T, n) out."""
        weights = self.score.weights_at(time_s)
        if not self.neutral:
            return weights
        share = self.share_at(time_s)[:, None]
        return np.concatenate([share * weights, (1.0 - share) * weights], axis=1)


@dataclass(frozen=True, slots=True)
class Search:
    """How the strongest intensity is searched.

    Args:
        coarsely: Whether drafts of the level `search` are cheaper; what passes is then proved on a final draft.
        proof_first: Whether to prove first what is asked, and then neutral: most requests pass as asked, and where
            neutral fails, no intensity helps.
        use: Share of the speed and torque limits that a draft may use while searching.
        rungs: Number of even steps of the intensity to try, where a draft takes long; 0 for any intensity.
        by_parameters: Whether only the style parameters that break limits are weakened, group by group
            (`style.PARAMETER_GROUPS`).
    """

    coarsely: bool = False
    proof_first: bool = False
    use: float = 1.0
    rungs: int = 0
    by_parameters: bool = False


class Generator(ABC):
    """Drafts a movement in a style. A subclass writes `drafts`; the other members have defaults.

    Args:
        search: How the strongest intensity is searched.
    """

    search: ClassVar[Search] = Search()

    @abstractmethod
    def drafts(self, style: Style, detail: Detail) -> Iterable[Draft]:
        """Yield drafts in order of preference: the first that keeps every limit is taken."""

    def drafts_over_time(self, styles: StyleOverTime, detail: Detail) -> Iterable[Draft]:  # noqa: ARG002
        """Yield drafts of one walk whose style changes on the way, in order of preference.

        Only tasks that can follow a score need it (`RobotTask.follows_scores`).
        """
        raise OutOfRangeError(f"{type(self).__name__} has no walk whose style changes on the way; leave the score out.")

    @property
    def usual_ease_s(self) -> float:
        """How long a keyframe of a score takes over, if the score does not say."""
        return USUAL_EASE_S

    @property
    def usual_options(self) -> Mapping[str, float]:
        """Values that the robot uses for options of the task that are not chosen, by field of the task."""
        return {}

    @property
    def slow_because(self) -> str:
        """Which limit the gait's usual speed would break, if the robot walks more slowly for that reason."""
        return ""

    def at_pace(self, slower: float | None) -> Generator:  # noqa: ARG002
        """Return a generator with a factor on the robot's own phase times; None leaves them to task and style.

        Only tasks that can ask for the fastest pace need it (`RobotTask.wants_fastest`).
        """
        raise OutOfRangeError(f"{type(self).__name__} has no fastest pace; choose a speed instead.")

    def explain_failure(self, broken: Sequence[str]) -> tuple[Reason, ...]:  # noqa: ARG002
        """Return more general reasons why not even neutral keeps these limits, if there are any."""
        return ()


class Limit(Protocol):
    """Judges a draft that has been measured; what it finds goes into the receipt."""

    @property
    def name(self) -> str:
        """What is limited, in a word or two."""
        ...

    def violation(self, draft: Draft) -> Violation | None:
        """Return where the draft breaks the limit, or None if it keeps it."""
        ...


@dataclass(frozen=True, slots=True)
class Progress:
    """The state of a search: an intensity that was tried, or an iteration of a solver.

    Args:
        intensity: The intensity that was tried; None while a solver works on it.
        passed: Whether it keeps every limit; None while a solver works on it.
        iteration: Of the solver, from 1.
        cost: Value of its objective.
        violation: Its largest constraint violation, scaled.
        solve: Which solve it is, in words, where there are several.
        instead: The value of an option that was tried in the place of the chosen one, in words; empty otherwise.
    """

    intensity: float | None
    passed: bool | None = None
    iteration: int | None = None
    cost: float | None = None
    violation: float | None = None
    solve: str = ""
    instead: str = ""


OnProgress = Callable[[Progress], bool | None]  # returning True stops
