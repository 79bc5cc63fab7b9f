"""Pilot: measurements → torques. The state machine chooses what to follow, the controller in charge follows it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from strut.arrays import Array
from strut.pilot.controllers.actuated_model import ActuatedModel
from strut.pilot.controllers.foot_placement import LOWEST_COM_M, capture_point, pendulum_rate
from strut.pilot.controllers.library_walking_controller import LibraryWalking
from strut.pilot.controllers.reference import ShowRequest, StandReference, check_request
from strut.pilot.controllers.standing_controller import StandingController
from strut.pilot.controllers.state_estimator import Measurement, Observer
from strut.pilot.controllers.state_machine import FIRST_STANCE, STATE_MACHINE_HZ, Situation, StateMachine, advance
from strut.pilot.controllers.walking_controller import WalkingController
from strut.pilot.gait_library.gait_library import GaitLibrary
from strut.simulation.attitude import Triple, angle_between, heading


class Pilot:
    """Drives a biped through a queue of requests, or by radio: states change at 200 Hz, torques at every tick.

    Args:
        body: Who is driven.
        rate_hz: Ticks per second, a multiple of 200.
        height_m: Of the base at the start, standing.
        library: Gaits that the walking controller follows; None for foot placement by the pendulum alone.
    """

    def __init__(
        self, body: ActuatedModel, *, rate_hz: float, height_m: float, library: GaitLibrary | None = None
    ) -> None:
        self.tick_s = 1.0 / rate_hz
        self._ticks_each = round(rate_hz / STATE_MACHINE_HZ)
        self._body = body
        self._limits = body.table.transition
        self.observer = Observer(body, self.tick_s)
        self.standing = StandingController(self.observer)
        self.walking = (
            WalkingController(self.observer, self.tick_s)
            if library is None
            else LibraryWalking(self.observer, self.tick_s, library)
        )
        self.state_machine = StateMachine(StandReference((0.0, 0.0, height_m)))
        self.radio: ShowRequest | None = None
        self._ticks = 0
        self._walked_m = 0.0
        self._last_m = (0.0, 0.0)

    def enqueue(self, requests: Sequence[ShowRequest]) -> None:
        """Put requests at the end of the queue; raises OutOfRangeError for what the robot cannot do."""
        for request in requests:
            check_request(request, self._body.table.command)
        self.state_machine = replace(self.state_machine, queue=(*self.state_machine.queue, *requests))

    def command(self, radio: ShowRequest | None) -> None:
        """Let a person take over, or give back if None; raises OutOfRangeError for what the robot cannot do."""
        if radio is not None:
            check_request(radio, self._body.table.command)
        self.radio = radio

    def torque(self, measured: Measurement) -> Array:
        """Return the torques of the motors. Shape (n_motors,)."""
        walking = self.state_machine.mode == "walking"
        self.observer.update(measured, 1 - self.walking.stance if walking else None)
        if self._ticks % self._ticks_each == 0:
            self.state_machine = advance(self.state_machine, self._situation(), self._limits, self.radio)
            if self.state_machine.mode == "walking" and not walking:
                self.walking.start(FIRST_STANCE)
        since_s = (self._ticks % self._ticks_each) * self.tick_s
        self._ticks += 1
        reference = self.state_machine.reference
        if isinstance(reference, StandReference):
            return self.standing.torque(_later(reference, since_s))
        return self.walking.torque(reference)

    def _situation(self) -> Situation:
        observer = self.observer
        walking = self.walking
        x, y = observer.travelled_m.tolist()
        if self.state_machine.mode == "walking":
            self._walked_m += self._along(x - self._last_m[0], y - self._last_m[1])
        self._last_m = (x, y)
        along, left, v_along, v_left = self.standing.com_place()
        line = observer.dynamics.line[0] + observer.dynamics.line[1]
        yaw = angle_between(heading(float(line[0]), float(line[1])), walking.heading_rad)
        dynamics = observer.dynamics
        rate = pendulum_rate(max(float(dynamics.com[2]) + observer.height_m, LOWEST_COM_M))
        return Situation(
            steps=walking.steps,
            mean_speed_m_s=walking.mean_speed_m_s,
            travelled_m=self._walked_m,
            com_m=(along, left),
            com_m_s=(v_along, v_left),
            capture_m=capture_point(along, v_along, rate),
            turn_rad=(0.0, 0.0, yaw),
        )

    def _along(self, dx: float, dy: float) -> float:
        """Return a path as progress in the direction of the present command; nothing while it is zero."""
        reference = self.state_machine.reference
        assert not isinstance(reference, StandReference)
        c = math.cos(self.walking.heading_rad)
        s = math.sin(self.walking.heading_rad)
        forward = c * dx + s * dy
        left = c * dy - s * dx
        speed = math.hypot(reference.forward_m_s, reference.left_m_s)
        return (forward * reference.forward_m_s + left * reference.left_m_s) / speed if speed > 0.0 else 0.0


def _later(reference: StandReference, time_s: float) -> StandReference:
    """Return a reference that moves on between two ticks of the state machine."""
    if time_s == 0.0:
        return reference
    place = _moved(reference.place_m, reference.place_m_s, time_s)
    turn = _moved(reference.turn_rad, reference.turn_rad_s, time_s)
    return replace(reference, place_m=place, turn_rad=turn)


def _moved(place: Triple, rate: Triple, time_s: float) -> Triple:
    return place[0] + rate[0] * time_s, place[1] + rate[1] * time_s, place[2] + rate[2] * time_s
