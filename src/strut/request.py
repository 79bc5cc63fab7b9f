"""Request: what a user asks of a robot: a task, an emotion, and how strictly. JSON can hold it, both ways.

    request -> Style -> draft -> limits -> weakened until it passes -> Motion with Receipt

Each feature brings its own tasks and registers them in the group "strut.tasks" as a `TaskKind`. All numbers that a user
may choose are checked by the task or the request that holds them, and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, Literal, Self, get_args

import msgspec

from strut.audit import DEFAULT_MARGIN_M
from strut.emotion import Emotion, checked_intensity
from strut.errors import OutOfRangeError, StrutError, UnknownNameError
from strut.plumbing.argument_types import coerce_fields
from strut.plumbing.number_text import join_words
from strut.registry import find, names
from strut.request_checks import check_length, check_word
from strut.schemas.expression import Layer
from strut.schemas.gait import GaitTable
from strut.score import Score, ScoreKey

Retreat = Literal["global", "local"]
LOWEST_RATE_HZ = 20.0
HIGHEST_RATE_HZ = 1000.0


@dataclass(frozen=True, slots=True)
class Adjustable:
    """A number of a task that may be infeasible; strut then searches the nearest feasible value.

    Args:
        label: Its name for people.
        unit: Its unit in messages, of thousandths of SI units: `mm`, `mm/s` or `°/s`.
        resolution: Distance of two values that are tried, in thousandths of SI units.
        usual_shares: Shares of the usual value that are tried where the usual one itself is infeasible.
    """

    label: str
    unit: str
    resolution: float = 1.0
    usual_shares: tuple[float, ...] = ()


class RobotTask(msgspec.Struct, frozen=True, kw_only=True):
    """What a robot is asked to do. Each kind of task is a subclass, whose tag is its name in files and in the registry.

    Args:
        walks: How the robot walks, as a clause: `crawls straight ahead`; empty for what is no walk.
        usual_rate_hz: Samples per second if none are chosen.
        lowest_rate_hz: Fewest samples per second with which the motion can be judged.
        usual_margin_m: Balance margin if none is chosen.
        relaxes: Whether the emotion may be weakened only while a limit is near.
        simulated: Whether the motion must also stay upright in simulation.
        styled: Whether an emotion changes how it is done; a keyframe animation brings its own style.
        keeps_margin: Whether a user may choose the balance margin.
        adjustable: Numbers that a user may choose and that may be infeasible, by field, in the order in which they are
            tried.
        follows_scores: Whether the emotion may change on the way (`at_keyframe`).
        is_slow: Whether a solver works on it for long, so that the first Ctrl-C stops the solver and keeps its result.
    """

    walks: ClassVar[str] = ""
    usual_rate_hz: ClassVar[float] = 100.0
    lowest_rate_hz: ClassVar[float] = LOWEST_RATE_HZ
    usual_margin_m: ClassVar[float] = DEFAULT_MARGIN_M
    relaxes: ClassVar[bool] = False
    simulated: ClassVar[bool] = False
    styled: ClassVar[bool] = True
    keeps_margin: ClassVar[bool] = True
    adjustable: ClassVar[Mapping[str, Adjustable]] = {}
    follows_scores: ClassVar[bool] = False
    is_slow: ClassVar[bool] = False

    def __post_init__(self) -> None:
        coerce_fields(self)

    @classmethod
    def chosen(cls, **choices: Any) -> Self:
        """Return the task of `strut.walk` with what a user chose, option by option."""
        return cls(**choices)

    @property
    def wants_fastest(self) -> bool:
        """Whether the fastest feasible pace is to be searched."""
        return False

    def chosen_options(self) -> dict[str, float]:
        """Return the adjustable numbers that were chosen."""
        chosen = {name: getattr(self, name) for name in self.adjustable}
        return {name: value for name, value in chosen.items() if isinstance(value, int | float)}

    def at_usual_speed(self, speed_m_s: float) -> Self | None:  # noqa: ARG002
        """Return the task at another speed in the place of the robot's usual one; None if a speed was chosen."""
        return None

    def at_keyframe(self, keyframe: ScoreKey) -> Self:  # noqa: ARG002
        """Return the walk of one keyframe of a score, as short as shows what it keeps; raises for what it cannot do."""
        raise OutOfRangeError(f"{type(self).__name__} does not follow a score; leave the score out.")

    def refusal(self, limit: str, reason: str) -> StrutError | None:  # noqa: ARG002
        """Return a more helpful error for a broken limit of the neutral motion, if there is one."""
        return None

    def probe(self, **options: Any) -> Self:
        """Return the task with other options, as short as shows whether the neutral motion keeps its limits."""
        return msgspec.structs.replace(self, **options)

    def advice(self, broken: Sequence[str]) -> str:  # noqa: ARG002
        """Return what to do if not even neutral keeps its limits, given the names of those that it breaks."""
        return f"Not even {'the neutral walk' if self.walks else 'neutral'} keeps its limits."


@dataclass(frozen=True, slots=True)
class TaskKind:
    """A kind of task, as a feature registers it in the group "strut.tasks" under the tag of its request.

    Args:
        request: The type of the task in a request.
        generator: What drafts it, as `module:name`, imported on first use. It is called with robot, request and
            `on_progress`, and returns a `Generator`.
        table: The type of the gait.toml of robots that walk so, with the same tag; None for what is no walk.
        options: Function of its options of `strut walk`, as `module:name`; see `strut.cli.walk_options`.
    """

    request: type[RobotTask]
    generator: str
    table: type[GaitTable] | None = None
    options: str | None = None


class OwnTask(RobotTask, frozen=True, tag="own", kw_only=True):
    """What a user's own generator does, by name, with its options as JSON holds them."""

    relaxes: ClassVar[bool] = True

    name: str
    options: dict[str, Any] = {}


OWN = TaskKind(request=OwnTask, generator="")


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked.

    Args:
        robot: The robot's name, or the path of its folder.
        task: What it does.
        emotion: What it expresses; None expresses nothing on purpose.
        intensity: 0 is neutral, 1 as published, at most 1.5.
        margin_m: Smallest distance of the centre of pressure from the edge of the support polygon; the task's usual
            if None.
        rate_hz: Samples per second.
        retreat: What cannot be kept is weakened throughout (`global`) or only while a limit is near (`local`).
        strict: Refuse instead of weakening.
        expression: `published`, or with the `animated` layer over it; the robot's usual if None.
        score: The emotions over time, instead of one.
    """

    robot: str
    task: RobotTask
    emotion: Emotion | None = None
    intensity: float = 1.0
    margin_m: float | None = None
    rate_hz: float = 100.0
    retreat: Retreat = "global"
    strict: bool = False
    expression: Layer | None = None
    score: Score | None = None

    def __post_init__(self) -> None:
        coerce_fields(self)
        checked_intensity(self.intensity)
        if self.expression is not None:
            check_word("expression", self.expression, get_args(Layer))
        check_length("balance margin", self.margin_m)
        lowest = self.task.lowest_rate_hz
        if not lowest <= self.rate_hz <= HIGHEST_RATE_HZ:  # also catches NaN
            choose = f"choose {lowest:g} to {HIGHEST_RATE_HZ:g}"
            raise OutOfRangeError(f"The rate is {self.rate_hz:g} samples per second; {choose}.")
        check_word("retreat", self.retreat, get_args(Retreat))
        if self.retreat == "local" and not self.task.relaxes:
            raise OutOfRangeError("This task cannot weaken the emotion for a while only; leave the local retreat out.")
        if self.score is not None:
            self._check_score(self.score)

    def _check_score(self, score: Score) -> None:
        """Raise OutOfRangeError if the task cannot follow a score, or if what is asked beside it contradicts it."""
        if not self.task.follows_scores:
            kinds = [find("strut.tasks", name) for name in names("strut.tasks")]
            follow = join_words([kind.request.walks for kind in kinds if kind.request.follows_scores], last="or")
            does = self.task.walks or "does not walk"
            raise OutOfRangeError(
                f"{self.robot} {does} and follows no score yet; every robot that {follow} follows one."
            )
        if self.emotion is not None:
            raise OutOfRangeError("Emotion and score are both given; a score has emotions of its own, so give one.")
        for keyframe in score.keyframes:
            checked_intensity(self.intensity * keyframe.intensity)
            self.task.at_keyframe(keyframe)

    @property
    def min_margin_m(self) -> float:
        """The balance margin that a motion must keep."""
        return self.task.usual_margin_m if self.margin_m is None else self.margin_m

    @property
    def asked(self) -> float:
        """The intensity that is asked for: 0 without an emotion."""
        return 0.0 if self.emotion is None else self.intensity

    def as_dict(self) -> dict[str, Any]:
        """Return the request as JSON would hold it."""
        table: dict[str, Any] = msgspec.to_builtins(self, enc_hook=float)  # NumPy's numbers
        return table

    @classmethod
    def from_dict(cls, table: dict[str, Any]) -> Self:
        """Read what `as_dict` wrote; raises OutOfRangeError that names the field for anything else."""
        task = table.get("task")
        tag = str(task.get("type")) if isinstance(task, dict) else ""
        try:
            request = msgspec.convert(table, _request_with(find("strut.tasks", tag).request) if tag else cls)
        except (msgspec.ValidationError, UnknownNameError) as error:
            raise OutOfRangeError(f"The request is none that strut knows: {error}.") from error
        return cls(**msgspec.structs.asdict(request))


@cache
def _request_with(task: type[RobotTask]) -> type[Request]:
    """Return the type of a request with one kind of task, so that errors name the field of the task."""
    made: Any = msgspec.defstruct("Request", [("task", task)], bases=(Request,), frozen=True, kw_only=True)
    typed: type[Request] = made
    return typed
