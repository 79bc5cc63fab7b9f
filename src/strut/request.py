"""Request: what a user asks of a robot: a task, a feeling, and how strictly. JSON can hold it, both ways.

    request -> Style -> draft -> limits -> weakened until it passes -> Motion with Receipt

All numbers that a user may choose are checked here, by `request_checks`, and nowhere else.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, ClassVar, Literal, Self, get_args

import msgspec

from strut.audit import DEFAULT_MARGIN_M
from strut.emotion import Emotion, checked_intensity
from strut.errors import OutOfRangeError
from strut.place import Footstep, Place
from strut.plumbing.argument_types import coerce_fields
from strut.request_checks import (
    WalkingPace,
    check_cycles,
    check_goal,
    check_length,
    check_point,
    check_walking_pace,
    check_word,
)
from strut.schemas.expression import Layer
from strut.schemas.keyframes import Animation

Balance = Literal["y", "xy"]
AnimationMethod = Literal["body", "pieces", "mass"]  # all joints at once, window by window, or the centre of mass alone
PressureLaw = Literal["pressure", "mass"]
PriorityLaw = Literal["corrected", "paper"]
PlatformMode = Literal["led", "free"]
Retreat = Literal["global", "local"]
Walker = Literal["pendulum", "library"]
LONGEST_DURATION_S = 3600.0
FASTEST_M_S = 10.0
FASTEST_TURN_RAD_S = 10.0
FASTEST_TEMPO = 10.0
LOWEST_RATE_HZ = 20.0
HIGHEST_RATE_HZ = 1000.0


class RobotTask(msgspec.Struct, frozen=True, kw_only=True):
    """What every task tells the request that holds it; a task that differs says so in its own class.

    Args:
        gait: Kind of the gait.toml with which `strut.walk` gives a robot this task; none for what is no walk.
        walks: How it walks then, in words.
        usual_rate_hz: Samples per second if none are chosen.
        lowest_rate_hz: With fewer samples nobody can judge it.
        usual_margin_m: Balance margin if none is chosen.
        relaxes: Whether it can retreat only while a limit is near.
        simulated: Whether it is proved in physics before it is called ok.
        styled: Whether a feeling changes how it is done; a drawn story brings its own.
    """

    gait: ClassVar[str] = ""
    walks: ClassVar[str] = ""
    usual_rate_hz: ClassVar[float] = 100.0
    lowest_rate_hz: ClassVar[float] = LOWEST_RATE_HZ
    usual_margin_m: ClassVar[float] = DEFAULT_MARGIN_M
    relaxes: ClassVar[bool] = False
    simulated: ClassVar[bool] = False
    styled: ClassVar[bool] = True

    def __post_init__(self) -> None:
        coerce_fields(self)

    def probe(self, **options: Any) -> Self:
        """Return the task with other options, as short as tells whether the neutral motion keeps its limits."""
        return msgspec.structs.replace(self, **options)

    def advice(self, broken: Sequence[str]) -> str:  # noqa: ARG002
        """Return what to do if not even neutral keeps its limits, given the names of those that it breaks."""
        return f"Not even {'the neutral walk' if self.walks else 'neutral'} keeps its limits."


class Crawl(RobotTask, frozen=True, tag="crawl", kw_only=True):
    """Walk straight ahead, one foot at a time.

    Args:
        cycles: Whole gait cycles.
        step_length_m: Neutral step length; the robot's own if None.
        step_height_m: Neutral step height; the robot's own if None.
        balance: Body sways in `y` alone, as published, or in `xy`.
        tempo: Factor on the pace of the steps.
    """

    gait: ClassVar[str] = "crawl"
    walks: ClassVar[str] = "crawls straight ahead"
    relaxes: ClassVar[bool] = True

    cycles: int = 10
    step_length_m: float | None = None
    step_height_m: float | None = None
    balance: Balance = "xy"
    tempo: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cycles(self.cycles, 2)  # one to take on a pose, one to leave it
        check_length("step length", self.step_length_m)
        check_length("step height", self.step_height_m)
        if self.step_height_m == 0.0:
            raise OutOfRangeError("The step height is 0 m, so the feet would drag; choose at least 10 mm.")
        check_word("balance", self.balance, get_args(Balance))
        if not 0.0 < self.tempo <= FASTEST_TEMPO:  # also catches NaN
            raise OutOfRangeError(f"The tempo is {self.tempo:g}; choose more than 0 and at most {FASTEST_TEMPO:g}.")

    def probe(self, **options: Any) -> Self:
        """Return a crawl that starts, walks and stops: in neutral there is no pose to fade."""
        return msgspec.structs.replace(self, cycles=min(self.cycles, 3), **options)


class Steps(RobotTask, frozen=True, tag="steps", kw_only=True):
    """Walk in steps to a goal, or where a user puts the feet.

    Args:
        goals: Places to pass, in world, the last one to stop at; the robot starts at the origin, facing x.
        footsteps: Where to put the feet, instead of goals.
        step_length_m: Longest step in neutral; the robot's own if None.
        step_height_m: How high feet are lifted in neutral; the robot's own if None.
        body_height_m: How high the hips are carried in neutral; the robot's own if None.
        pace: Speed along a line in neutral [m/s]; the robot's `own`; or the `fastest`, in place of the feeling's tempo.
        law: `pressure` plans the centre of pressure; `mass` the centre of mass, as published.
    """

    gait: ClassVar[str] = "steps"
    walks: ClassVar[str] = "walks in steps to a goal"
    usual_rate_hz: ClassVar[float] = 50.0

    goals: tuple[Place, ...] = ()
    footsteps: tuple[Footstep, ...] = ()
    step_length_m: float | None = None
    step_height_m: float | None = None
    body_height_m: float | None = None
    pace: WalkingPace | float = "own"
    law: PressureLaw = "pressure"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.goals and not self.footsteps:
            raise OutOfRangeError("There is neither a goal nor a list of steps; say where to go.")
        check_walking_pace(self.pace)
        check_word("law", self.law, get_args(PressureLaw))
        for name in ("step_length_m", "step_height_m", "body_height_m"):
            check_length(name[:-2].replace("_", " "), getattr(self, name), above_zero=True)
        if self.step_length_m is not None and self.step_length_m < 0.002:
            raise OutOfRangeError(f"Steps of {self.step_length_m * 1e3:g} mm never arrive; choose at least 2 mm.")
        for place in self.goals:
            check_goal(place)

    def probe(self, **options: Any) -> Self:
        """Return the walk; another step length is tried straight ahead: a goal may be reached in shorter steps."""
        if "step_length_m" in options:
            options |= {"goals": (Place(4.0 * options["step_length_m"], 0.0),), "footsteps": ()}
        return msgspec.structs.replace(self, **options)


class HandTask(RobotTask, frozen=True, tag="hand_task", kw_only=True):
    """Do a task with a hand and show a feeling with whatever it leaves free.

    Args:
        task: A task of the robot by name, or the name of `path`.
        path: Rows of time_s, x_m, y_m, z_m in world and perhaps qw, qx, qy, qz to follow, in the place of a task.
        hand: The hand that follows `path`.
        duration_s: Of a task given by name.
        user_m: Eyes of the person it performs for, in world; the robot's own guess if None.
        target_m: What to point at, for tasks that point.
        law: `corrected` tracks the head, `paper` is the published law, which does not.
        platform: `led` along the task's own path or kept where it is; `free` to help hand and head.
    """

    task: str
    path: tuple[tuple[float, ...], ...] | None = None
    hand: str = "right"
    duration_s: float = 10.0
    user_m: tuple[float, float, float] | None = None
    target_m: tuple[float, float, float] | None = None
    law: PriorityLaw = "corrected"
    platform: PlatformMode = "led"

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value, known in (("law", self.law, PriorityLaw), ("platform", self.platform, PlatformMode)):
            if value not in get_args(known):
                raise OutOfRangeError(f"The {name} is '{value}'; choose {' or '.join(get_args(known))}.")
        if not 0.0 < self.duration_s <= LONGEST_DURATION_S:  # also catches NaN
            raise OutOfRangeError(
                f"The duration is {self.duration_s:g} s; choose more than 0 and at most {LONGEST_DURATION_S:g}."
            )
        check_point("user", self.user_m)
        check_point("target", self.target_m)

    def advice(self, broken: Sequence[str]) -> str:
        """Return what to do if nothing can be performed at all."""
        if self.target_m is not None:
            more = "; choose a target in front of it"
        elif {"platform", "joint speed", "torque"} & set(broken):
            more = "; give it more time with --duration, or move the user in front of the robot"
        else:
            more = ""
        return f"Not even the neutral performance keeps its limits{more}."


class HumanGait(RobotTask, frozen=True, tag="human_gait", kw_only=True):
    """Walk as the solution of an optimal-control problem; `cycles` are whole strides of two steps."""

    gait: ClassVar[str] = "synthesis"
    walks: ClassVar[str] = "finds its own steps"
    lowest_rate_hz: ClassVar[float] = 50.0  # else too few samples lie between two landings
    usual_margin_m: ClassVar[float] = 0.0  # who walks rolls over the edges of the feet

    cycles: int = 10

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cycles(self.cycles, 1)

    def advice(self, broken: Sequence[str]) -> str:  # noqa: ARG002
        """Return what to do if the solver finds no walk."""
        return "Ask for less intensity."


class PatternGait(RobotTask, frozen=True, tag="pattern", kw_only=True):
    """Walk by a gait pattern, on two or four legs: straight, sideways, turning, or to a goal.

    Args:
        pattern: crawl, walk or trot on four legs, biped on two; the robot's own if None.
        cycles: Whole gait cycles; towards a goal, as many as it takes.
        speed_m_s: Forwards in neutral; below 0 backwards; the pattern's own if None.
        sideways_m_s: To the left in neutral.
        turn_rad_s: To the left.
        goals: Where to go instead: places to pass from the origin, facing x, the last one to stop at.
    """

    gait: ClassVar[str] = "pattern"
    walks: ClassVar[str] = "walks by a gait pattern"
    simulated: ClassVar[bool] = True

    pattern: str | None = None
    cycles: int = 10
    speed_m_s: float | None = None
    sideways_m_s: float = 0.0
    turn_rad_s: float = 0.0
    goals: tuple[Place, ...] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        check_cycles(self.cycles, 2)  # one to start, one to stop
        for name, value, most, unit in (
            ("speed", self.speed_m_s, FASTEST_M_S, "m/s"),
            ("sideways speed", self.sideways_m_s, FASTEST_M_S, "m/s"),
            ("turn", math.degrees(self.turn_rad_s), math.degrees(FASTEST_TURN_RAD_S), "degrees per second"),
        ):
            if value is not None and not abs(value) <= most:  # also catches NaN
                raise OutOfRangeError(f"The {name} is {value:g} {unit}; no legged robot does more than {most:.3g}.")
        for place in self.goals:
            check_goal(place)

    def probe(self, **options: Any) -> Self:
        """Return a walk that starts, walks and stops."""
        return msgspec.structs.replace(self, cycles=min(self.cycles, 3), **options)


class PilotedWalk(RobotTask, frozen=True, tag="piloted", kw_only=True):
    """Walk under the robot's own controllers, in simulation; what its control.toml allows is checked there.

    Speeds and height of the base are those in neutral; what is None is the robot's own. The `walker` sets the feet.
    """

    gait: ClassVar[str] = "piloted"
    walks: ClassVar[str] = "walks under its own controllers"

    speed_m_s: float | None = None
    sideways_m_s: float = 0.0
    turn_rad_s: float = 0.0
    body_height_m: float | None = None
    distance_m: float | None = None
    walker: Walker = "pendulum"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_word("walker", self.walker, get_args(Walker))


class Animate(RobotTask, frozen=True, tag="animate", kw_only=True):
    """Perform a drawn story, standing, as near to the drawing as the body can."""

    styled: ClassVar[bool] = False

    animation: Animation
    method: AnimationMethod = "mass"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_word("method", self.method, get_args(AnimationMethod))

    def advice(self, broken: Sequence[str]) -> str:  # noqa: ARG002
        """Return what to do if no form of the story keeps the limits."""
        return "Not even half of the movement at a quarter of the speed keeps its limits; draw it smaller."


class OwnTask(RobotTask, frozen=True, tag="own", kw_only=True):
    """What a user's own generator does, by name, with its options as JSON holds them."""

    relaxes: ClassVar[bool] = True

    name: str
    options: dict[str, Any] = {}


RequestTask = Crawl | Steps | PatternGait | PilotedWalk | HandTask | HumanGait | Animate | OwnTask


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What is asked.

    Args:
        robot: Who moves: a name, or the path of its folder.
        task: What it does.
        emotion: What it feels; None shows nothing on purpose.
        intensity: 0 is neutral, 1 as published, at most 1.5.
        margin_m: Smallest distance of the pressure from the edge of what carries the robot; the task's usual if None.
        rate_hz: Samples per second.
        retreat: What cannot be kept is weakened throughout (`global`) or only while a limit is near (`local`).
        strict: Refuse instead of weakening.
        expression: What is published of the feeling, or with the `animated` layer over it; the robot's usual if None.
    """

    robot: str
    task: RequestTask
    emotion: Emotion | None = None
    intensity: float = 1.0
    margin_m: float | None = None
    rate_hz: float = 100.0
    retreat: Retreat = "global"
    strict: bool = False
    expression: Layer | None = None

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
            raise OutOfRangeError("Only a crawl can relax for a while; leave the local retreat out.")

    @property
    def least_margin_m(self) -> float:
        """The balance margin that a motion must keep."""
        return self.task.usual_margin_m if self.margin_m is None else self.margin_m

    @property
    def asked(self) -> float:
        """The intensity that is asked for: none without a feeling."""
        return 0.0 if self.emotion is None else self.intensity

    def as_dict(self) -> dict[str, Any]:
        """Return the request as JSON would hold it."""
        table: dict[str, Any] = msgspec.to_builtins(self, enc_hook=float)  # NumPy's numbers
        return table

    @classmethod
    def from_dict(cls, table: dict[str, Any]) -> Self:
        """Read what `as_dict` wrote; raises OutOfRangeError that names the field for anything else."""
        try:
            return msgspec.convert(table, cls)
        except msgspec.ValidationError as error:
            raise OutOfRangeError(f"The request is none that strut knows: {error}.") from error
