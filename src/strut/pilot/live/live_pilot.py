"""Live pilot: a simulated biped that a person drives, instant by instant. Whoever owns the clock calls `advance`.

A person asks by stick, as shares of what the robot can do, or for a stand, a height or a movement. What it cannot do is
refused in a sentence and the last command stays. When nobody has asked anything for a moment, it brakes and stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.errors import StrutError
from strut.pilot.controllers.reference import PlayRequest, ShowRequest, StandRequest, WalkRequest, check_request
from strut.pilot.piloted_simulation import Clock, PilotedLoop, World, piloted_loop
from strut.pilot.plant.torque_model import control_table
from strut.pilot.plant.torque_plant import TorquePlant
from strut.robot import Robot
from strut.schemas.control import CommandRange
from strut.schemas.fields import Range
from strut.simulation.playback import TOUCHED_N

CONTROL_HZ = 1000.0
SILENCE_S = 1.0  # of simulated time without a word from the person, after which the robot stops
DEAD_ZONE = 0.08  # of a stick: nearer to the middle is the middle
FOREVER_S = 3600.0


@dataclass(frozen=True, slots=True)
class Stick:
    """What a person does with a stick: shares of the largest speeds, each from -1 to 1, and a height.

    Args:
        forward: Speed forward.
        left: Speed sideways.
        turn: Turning rate to the left.
        height_m: Of the base; None leaves it.
        walking: Whether it walks on the spot while the stick is in the middle; else it stands there.
    """

    forward: float = 0.0
    left: float = 0.0
    turn: float = 0.0
    height_m: float | None = None
    walking: bool = False


@dataclass(frozen=True, slots=True)
class LiveState:
    """What a person sees of the robot now.

    Args:
        time_s: Since the start or the last reset.
        mode: Standing or walking.
        phase: What it is doing there: hold, walk, brake and so on.
        source: Who commands: animation or radio.
        forward_m_s: Mean speed forward over the last steps; 0 while it stands.
        left_m_s: Likewise to the left.
        height_m: Of the base.
        doing: Name of the movement that it plays, else empty.
        refused: The last thing that was refused, in a sentence, else empty.
        fell: Whether it lies on the floor.
    """

    time_s: float
    mode: str
    phase: str
    source: str
    forward_m_s: float
    left_m_s: float
    height_m: float
    doing: str
    refused: str
    fell: bool


@dataclass(slots=True, eq=False)
class LivePilot:
    """A simulated robot and its pilot; `steer`, `play`, `release` and `reset` are a person's, `advance` the clock's."""

    robot: Robot
    world: World = field(default_factory=World)
    refused: str = ""
    _loop: PilotedLoop = field(init=False)
    _height_m: float = field(init=False, default=0.0)
    _stick: Stick = field(init=False, default_factory=Stick)
    _heard_s: float = field(init=False, default=0.0)
    _eyes: tuple[float, Mapping[str, Any]] = field(init=False, default=(0.0, {}))

    def __post_init__(self) -> None:
        self.reset()

    @property
    def plant(self) -> TorquePlant:
        """The simulation, in which a test may push."""
        return self._loop.plant

    @property
    def qpos(self) -> Array:
        """Coordinates now. Shape (nq,)."""
        return np.array(self._loop.plant.qpos)

    @property
    def command(self) -> CommandRange:
        """What may be asked."""
        return control_table(self.robot).command

    @property
    def time_s(self) -> float:
        """Since the start or the last reset."""
        return self._loop.ticks * self._loop.pilot.tick_s

    def reset(self) -> None:
        """Stand up again at the origin, with nothing asked."""
        self._loop = piloted_loop(self.robot, self.world, Clock(control_hz=CONTROL_HZ))
        self._height_m = float(self._loop.plant.model.qpos0[2])
        self._stick = Stick()
        self._heard_s = 0.0
        self.refused = ""
        self._eyes = (0.0, {})

    def steer(self, stick: Stick) -> None:
        """Take over, or go on, with a stick; a command that is out of range is refused and the last one stays."""
        self._heard_s = self.time_s
        if stick == self._stick:
            return  # also a movement goes on, and so does the queue, until somebody touches the stick
        height_m = self._height_m if stick.height_m is None else stick.height_m
        if self._asked(self._request(stick, height_m)):
            self._stick = stick
            self._height_m = height_m
            return
        refused = self.refused  # the height; the rest of what the stick says holds, at the nearest height it can have
        height_m = self._possible_height_m(stick)
        if self._asked(self._request(stick, height_m)):
            self._stick = stick
            self._height_m = height_m
            self.refused = refused

    def play(self, movement: PlayRequest, eyes: Mapping[str, Any] | None = None) -> None:
        """Play a movement, after it has come to a stand; `eyes` is the `meta` that holds its expressions."""
        self._heard_s = self.time_s
        if self._asked(movement):
            self._eyes = (-1.0, eyes or {})
            self._let_go()

    def release(self) -> None:
        """Give the robot back to its queue: with nothing in it, it stands."""
        self._loop.pilot.command(None)
        self._let_go()

    def advance(self, duration_s: float) -> None:
        """Let time pass; a robot that fell stays where it lies."""
        for _ in range(round(duration_s / self._loop.pilot.tick_s)):
            if self._loop.record.fell:
                return
            if self.time_s - self._heard_s > SILENCE_S and isinstance(self._command, WalkRequest):
                self._asked(StandRequest(FOREVER_S, self._possible_height_m(Stick())))
                self._let_go()  # a stick that is heard again counts as moved
            self._loop.tick()
        self._loop.taken_s.clear()
        if self._loop.plant.foot_forces()[1] > TOUCHED_N:
            self._loop.record.fell = True
        if self._loop.pilot.state_machine.phase == "play" and self._eyes[0] < 0.0:
            self._eyes = (self.time_s, self._eyes[1])

    def state(self) -> LiveState:
        """Return what a person sees."""
        state_machine = self._loop.pilot.state_machine
        walking = state_machine.mode == "walking"
        forward, left = self._loop.pilot.walking.mean_speed_m_s if walking else (0.0, 0.0)
        playing = isinstance(state_machine.current, PlayRequest) and state_machine.phase in ("approach", "play")
        return LiveState(
            time_s=self.time_s,
            mode=state_machine.mode,
            phase=state_machine.phase,
            source=state_machine.source,
            forward_m_s=float(forward),
            left_m_s=float(left),
            height_m=float(self._loop.plant.qpos[2]),
            doing=state_machine.current.name if playing and isinstance(state_machine.current, PlayRequest) else "",
            refused=self.refused,
            fell=self._loop.record.fell,
        )

    def eyes(self) -> tuple[Mapping[str, Any], float]:
        """Return the expressions of what it plays, as `meta` holds them, and for how long it has played."""
        if self._loop.record.fell:
            return {"eyes": [[0.0, "wide"]]}, 1.0
        if self._loop.pilot.state_machine.phase == "play":
            return self._eyes[1], self.time_s - self._eyes[0]
        return {}, 0.0

    def _let_go(self) -> None:
        """Take the stick as in the middle: only moving it is a new command."""
        self._stick = Stick(height_m=self._stick.height_m)

    @property
    def _command(self) -> ShowRequest | None:
        return self._loop.pilot.radio

    def _possible_height_m(self, stick: Stick) -> float:
        """Return the height nearest to the last one at which what a stick asks for is possible."""
        bounds = self.command.standing_height_m if _stands(stick) else self.command.walking_height_m
        return min(max(self._height_m, bounds[0]), bounds[1])

    def _asked(self, request: ShowRequest) -> bool:
        """Command a request unless it is refused; returns whether it was taken."""
        try:
            check_request(request, self.command)
        except StrutError as error:
            self.refused = str(error)
            return False
        self.refused = ""
        self._loop.pilot.command(request)
        return True

    def _request(self, stick: Stick, height_m: float) -> ShowRequest:
        if _stands(stick):
            return StandRequest(FOREVER_S, height_m)
        command = self.command
        return WalkRequest(
            forward_m_s=_share(stick.forward, command.forward_m_s),
            left_m_s=_share(stick.left, command.sideways_m_s),
            turn_rad_s=_share(stick.turn, command.turn_rad_s),
            height_m=height_m,
            duration_s=FOREVER_S,
        )


def _stands(stick: Stick) -> bool:
    """Return whether a stick asks for a stand: it is in the middle, and nobody asks to walk on the spot."""
    return max(abs(stick.forward), abs(stick.left), abs(stick.turn)) < DEAD_ZONE and not stick.walking


def _share(share: float, bounds: Range) -> float:
    """Return a speed from a share of its range, 0 in the dead zone."""
    lowest, highest = bounds
    if abs(share) < DEAD_ZONE:
        return 0.0
    return min(max(share, -1.0), 1.0) * (highest if share > 0.0 else -lowest)
