"""Live pilot: a simulated biped that a person drives in real time. The caller advances the simulation by `advance`.

A stick commands shares of the robot's speed range; a person can also command a stand, a height or a movement. A command
outside the robot's range is refused with a reason, and the last command stays. Without commands for a second, the robot
brakes and stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.errors import StrutError
from strut.pilot.controllers.reference import PilotRequest, PlayRequest, StandRequest, WalkRequest, check_request
from strut.pilot.piloted_simulation import Clock, PilotedLoop, World, piloted_loop
from strut.pilot.plant.torque_model import control_table
from strut.pilot.plant.torque_plant import TorquePlant
from strut.robot import Robot
from strut.schemas.control import CommandRange
from strut.schemas.fields import Range
from strut.simulation.run_outcome import TOUCHED_N

CONTROL_HZ = 1000.0
SILENCE_S = 1.0  # simulated time without a command after which the robot stops
DEAD_ZONE = 0.08  # deflection of a stick that counts as its middle
FOREVER_S = 3600.0  # duration of a command that ends with the next one


@dataclass(frozen=True, slots=True)
class Stick:
    """Deflections of a stick as shares of the largest speeds, each from -1 to 1, and a height.

    Args:
        forward: Share of the forward speed.
        left: Share of the lateral speed.
        turn: Share of the turning rate to the left.
        height_m: Height of the base; None keeps it.
        walking: Whether the robot walks in place while the stick is in the middle; otherwise it stands.
    """

    forward: float = 0.0
    left: float = 0.0
    turn: float = 0.0
    height_m: float | None = None
    walking: bool = False


@dataclass(frozen=True, slots=True)
class LiveState:
    """The robot's state for display.

    Args:
        time_s: Time since the start or the last reset.
        mode: Standing or walking.
        phase: Phase of the state machine: hold, walk, brake and so on.
        source: Source of commands: animation or radio.
        forward_m_s: Mean forward speed over the last two steps; 0 while standing.
        left_m_s: Mean lateral speed over the last two steps; 0 while standing.
        height_m: Height of the base.
        doing: Name of the movement that it plays; empty without one.
        refused: Why the last command was refused, in a sentence; empty if it was accepted.
        fell: Whether it has fallen.
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
    """A simulated robot under live commands: `steer`, `play`, `release`, `reset`; `advance` simulates a time span."""

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
        """The simulated plant."""
        return self._loop.plant

    @property
    def qpos(self) -> Array:
        """Present configuration. Shape (nq,)."""
        return np.array(self._loop.plant.qpos)

    @property
    def command(self) -> CommandRange:
        """Range of commands."""
        return control_table(self.robot).command

    @property
    def time_s(self) -> float:
        """Time since the start or the last reset."""
        return self._loop.ticks * self._loop.pilot.tick_s

    def reset(self) -> None:
        """Stand at the origin again, without any command."""
        self._loop = piloted_loop(self.robot, self.world, Clock(control_hz=CONTROL_HZ))
        self._height_m = float(self._loop.plant.model.qpos0[2])
        self._stick = Stick()
        self._heard_s = 0.0
        self.refused = ""
        self._eyes = (0.0, {})

    def steer(self, stick: Stick) -> None:
        """Command by stick; a command out of range is refused and the last one stays."""
        self._heard_s = self.time_s
        if stick == self._stick:
            return  # an unmoved stick interrupts neither a movement nor the queue
        height_m = self._height_m if stick.height_m is None else stick.height_m
        if self._send(self._request(stick, height_m)):
            self._stick = stick
            self._height_m = height_m
            return
        refused = self.refused  # for its height: the speeds are taken at the nearest possible height
        height_m = self._possible_height_m(stick)
        if self._send(self._request(stick, height_m)):
            self._stick = stick
            self._height_m = height_m
            self.refused = refused

    def play(self, movement: PlayRequest, eyes: Mapping[str, Any] | None = None) -> None:
        """Play a movement as soon as the robot stands; `eyes` is the `meta` with the expressions of its eyes."""
        self._heard_s = self.time_s
        if self._send(movement):
            self._eyes = (-1.0, eyes or {})
            self._center_stick()

    def release(self) -> None:
        """End the live command; the robot continues its queue, or stands if that is empty."""
        self._loop.pilot.command(None)
        self._center_stick()

    def advance(self, duration_s: float) -> None:
        """Simulate a time span; a robot that has fallen does not move."""
        for _ in range(round(duration_s / self._loop.pilot.tick_s)):
            if self._loop.record.fell:
                return
            if self.time_s - self._heard_s > SILENCE_S and isinstance(self._loop.pilot.radio, WalkRequest):
                self._send(StandRequest(FOREVER_S, self._possible_height_m(Stick())))
                self._center_stick()  # so that the same stick counts as moved
            self._loop.tick()
        self._loop.tick_times_s.clear()
        if self._loop.plant.foot_forces()[1] > TOUCHED_N:
            self._loop.record.fell = True
        if self._loop.pilot.state_machine.phase == "play" and self._eyes[0] < 0.0:
            self._eyes = (self.time_s, self._eyes[1])

    def state(self) -> LiveState:
        """Return the present state for display."""
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
        """Return the `meta` with the eyes of the movement that it plays, and for how long it has played."""
        if self._loop.record.fell:
            return {"eyes": [[0.0, "wide"]]}, 1.0
        if self._loop.pilot.state_machine.phase == "play":
            return self._eyes[1], self.time_s - self._eyes[0]
        return {}, 0.0

    def _center_stick(self) -> None:
        """Take the stick as centred: only its next deflection is a new command."""
        self._stick = Stick(height_m=self._stick.height_m)

    def _possible_height_m(self, stick: Stick) -> float:
        """Return the height nearest to the last one at which the robot can stand or walk as the stick commands."""
        bounds = self.command.standing_height_m if _is_stand(stick) else self.command.walking_height_m
        return min(max(self._height_m, bounds[0]), bounds[1])

    def _send(self, request: PilotRequest) -> bool:
        """Send a request to the pilot and return True, or note why it is refused and return False."""
        try:
            check_request(request, self.command, float(self.robot.standing_qpos[2]))
        except StrutError as error:
            self.refused = str(error)
            return False
        self.refused = ""
        self._loop.pilot.command(request)
        return True

    def _request(self, stick: Stick, height_m: float) -> PilotRequest:
        if _is_stand(stick):
            return StandRequest(FOREVER_S, height_m)
        command = self.command
        return WalkRequest(
            forward_m_s=_speed_of_share(stick.forward, command.forward_m_s),
            left_m_s=_speed_of_share(stick.left, command.sideways_m_s),
            turn_rad_s=_speed_of_share(stick.turn, command.turn_rad_s),
            height_m=height_m,
            duration_s=FOREVER_S,
        )


def _is_stand(stick: Stick) -> bool:
    """Return whether a stick commands a stand: it is in the middle, and walking in place is off."""
    return max(abs(stick.forward), abs(stick.left), abs(stick.turn)) < DEAD_ZONE and not stick.walking


def _speed_of_share(share: float, bounds: Range) -> float:
    """Return the speed for a share of its range; 0 in the dead zone."""
    lowest, highest = bounds
    if abs(share) < DEAD_ZONE:
        return 0.0
    return min(max(share, -1.0), 1.0) * (highest if share > 0.0 else -lowest)
