"""Draft: a motion that nobody has judged yet, what makes one and judges it (generators, limits), and attempts at it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.audit import Audit
from strut.receipt import LimitName, Reason, ReasonKind
from strut.robot import Robot
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
        robot: Who moves.
        time_s: Sample times. Shape (T,); none where the movement could not be made at all.
        qpos: Coordinates. Shape (T, nq).
        contact: Which feet are down. Shape (T, n_feet).
        style: What it shows; None if it shows nothing on purpose.
        share_over_time: Share of the style that is expressed at each sample; None if all of it throughout. Shape (T,).
        expressed: Expressed share of each style parameter that the style changes visibly; 0 if it is missing.
        not_expressed: Style parameters that this body or task cannot express at all, as sentences.
        kept: Share of the style's intensity that is kept, where the generator had to give some of it up.
        reasons: Why it did.
        shortfalls: What the generator itself knows to be broken.
        torque_nm: Joint torques, where the generator knows them. Shape (T, n_joints).
        ground_force_n: Force of the ground on each foot, where it knows them. Shape (T, n_feet, 3).
        cop_in_world: Centre of pressure on the ground, where it knows it. Shape (T, 2).
        needs: What the movement needs, once it is measured.
        variant: Which of the generator's ways to make it this is, counted from 0.
        meta: What a motion file shall say of how it was made; JSON can hold it.
        figures: What the receipt shall say besides, by its keys: of an arrival, a solver's proof, or a look at it.
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
    needs: Audit | None = None
    variant: int = 0
    meta: Mapping[str, Any] = field(default_factory=dict)
    figures: Mapping[str, Any] = field(default_factory=dict)

    @property
    def measured(self) -> Audit:
        """What the movement needs; only of a draft that `verify.measure` has measured."""
        assert self.needs is not None, "this draft was not measured"
        return self.needs


def not_made(robot: Robot, style: Style | None, limit: str, text: str) -> Draft:
    """Return the draft of a movement that could not be made at all, with the violation that says why."""
    feet = np.zeros((0, len(robot.feet)), dtype=np.bool_)
    qpos = np.zeros((0, robot.base_size + len(robot.joint_names)))
    why = Violation(limit, np.ones(1, dtype=np.bool_), text)
    return Draft(robot, np.zeros(0), qpos, feet, style, violations=(why,))


@dataclass(frozen=True, slots=True, eq=False)
class Attempt:
    """A measured draft at an intensity and the limits it breaks; none means it passes.

    Args:
        intensity: Of the feeling.
        draft: What was measured.
        shortfalls: What it breaks.
        neutral: Whether it shows nothing of a feeling, so that less of it would be the same motion again.
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
        """Return whether no other draft is worth a try after this one, which does not pass.

        Another way may keep a single limit, or joints that are too fast; a whole motion that breaks more, or none and
        yet falls, needs less of a feeling.

        Args:
            broken: The limits that it broke before it was played.
            detail: How carefully it was drafted.
        """
        nearly = len(broken) == 1 or any(violation.limit == LimitName.JOINT_SPEED for violation in broken)
        return not self.neutral and detail.level == "final" and not nearly


@dataclass(frozen=True, slots=True, eq=False)
class StrongestCandidate:
    """The strongest attempt that passes, or none, and what the one just above it breaks."""

    attempt: Attempt | None
    binding_limits: tuple[Violation, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Detail:
    """How carefully to draft.

    Args:
        level: `search` may be short and coarse, `whole` coarse, `final` is what the user gets.
        share: Share of the style to show from start to end, at any even spacing; None for all of it.
        variant: Which of the generator's ways to begin with.
        least: The first of these ways that neutral needs: none before it is tried.
        hopeful: Whether what a coarse look rules out need not be drafted, and all that is wrong with it not be told.
    """

    level: DetailLevel = "final"
    share: Array | None = None
    variant: int = 0
    least: int = 0
    verdict_only: bool = False


class Generator(Protocol):
    """Drafts a movement in a style."""

    def drafts(self, style: Style, detail: Detail) -> Iterable[Draft]:
        """Yield drafts in order of preference: the first that keeps every limit is taken."""
        ...


@dataclass(frozen=True, slots=True)
class Search:
    """How the strongest intensity is searched; a generator that wants another way than this has it as its `search`.

    Args:
        coarsely: Drafts of the level `search` cost less and tell enough; what passes is then proved in full.
        proof_first: Most drafts pass as asked, so this is proved before anything is searched, and then neutral: where
            that fails, no intensity helps.
        use: Share of the speed and torque limits while searching.
        rungs: Where a draft takes long, only so many even parts of what is asked are tried; 0 tries any intensity.
        by_words: Words that break limits are weakened group by group (`style.WORD_GROUPS`), and the others are not.
    """

    coarsely: bool = False
    proof_first: bool = False
    use: float = 1.0
    rungs: int = 0
    by_words: bool = False


@runtime_checkable
class PacedGenerator(Generator, Protocol):
    """Drafts a movement at any pace, so that a task whose `pace` is `fastest` can be searched for it."""

    def at_pace(self, slower: float | None) -> Generator:
        """Return what drafts the same with a factor on the robot's own times; None leaves them to task and style."""
        ...


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
    """Where a search stands: an intensity tried, or an iteration of a solver on the way to one.

    Args:
        intensity: What was tried; None while a solver works on it.
        passed: Whether it keeps every limit; None while it is still being made.
        iteration: Of a solver, from 1.
        cost: There.
        violation: The largest one, scaled.
        solve: Which solve it is, in words, where there are several.
        instead: What was tried in the place of what was asked, in words; nothing where an intensity of it was.
    """

    intensity: float | None
    passed: bool | None = None
    iteration: int | None = None
    cost: float | None = None
    violation: float | None = None
    solve: str = ""
    instead: str = ""


OnProgress = Callable[[Progress], bool | None]  # returning True stops
