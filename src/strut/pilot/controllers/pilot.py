"""Pilot: measurements → torques. The state machine sets the reference; the standing or walking controller tracks it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from strut.arrays import Array
from strut.pilot.controllers.actuated_model import ActuatedModel
from strut.pilot.controllers.foot_placement import MIN_COM_HEIGHT_M, capture_point, pendulum_rate
from strut.pilot.controllers.library_walking_controller import LibraryWalkingController
from strut.pilot.controllers.reference import PilotRequest, StandReference, check_request
from strut.pilot.controllers.standing_controller import StandingController
from strut.pilot.controllers.state_estimator import Measurement, StateEstimator
from strut.pilot.controllers.state_machine import FIRST_STANCE, STATE_MACHINE_HZ, Situation, StateMachine, advance
from strut.pilot.controllers.walking_controller import WalkingController
from strut.pilot.gait_library.gait_library import GaitLibrary
from strut.simulation.attitude import Triple, angle_between, heading


class Pilot:
    """Drives a biped through a queue of requests, or by radio.

    The state machine runs at 200 Hz, estimator and controllers at every tick.

    Args:
        body: Actuated model of the robot.
        rate_hz: Ticks per second, a multiple of 200.
        height_m: Height of the base at the start, standing, and of requests without a height.
        library: Gaits that the walking controller follows; None for foot placement by the pendulum alone.
    """

    def __init__(
        self, body: ActuatedModel, *, rate_hz: float, height_m: float, library: GaitLibrary | None = None
    ) -> None:
        self.tick_s = 1.0 / rate_hz
        self._ticks_each = round(rate_hz / STATE_MACHINE_HZ)
        self._body = body
        self._limits = body.table.transition
        self.estimator = StateEstimator(body, self.tick_s)
        self.standing = StandingController(self.estimator)
        self.walking = (
            WalkingController(self.estimator, self.tick_s)
            if library is None
            else LibraryWalkingController(self.estimator, self.tick_s, library)
        )
        self.state_machine = StateMachine(StandReference((0.0, 0.0, height_m)), height_m)
        self.radio: PilotRequest | None = None
        self._ticks = 0
        self._walked_m = 0.0
        self._last_m = (0.0, 0.0)

    def enqueue(self, requests: Sequence[PilotRequest]) -> None:
        """Append requests to the queue; raises OutOfRangeError for a request outside the robot's range."""
        for request in requests:
            check_request(request, self._body.table.command, self.state_machine.standing_height_m)
        self.state_machine = replace(self.state_machine, queue=(*self.state_machine.queue, *requests))

    def command(self, radio: PilotRequest | None) -> None:
        """Set the radio command, None for none; raises OutOfRangeError for a command outside the robot's range."""
        if radio is not None:
            check_request(radio, self._body.table.command, self.state_machine.standing_height_m)
        self.radio = radio

    def torque(self, measured: Measurement) -> Array:
        """Return the torques of the motors. Shape (n_motors,)."""
        walking = self.state_machine.mode == "walking"
        self.estimator.update(measured, 1 - self.walking.stance if walking else None)
        if self._ticks % self._ticks_each == 0:
            self.state_machine = advance(self.state_machine, self._situation(), self._limits, self.radio)
            if self.state_machine.mode == "walking" and not walking:
                self.walking.start(FIRST_STANCE)
        since_s = (self._ticks % self._ticks_each) * self.tick_s
        self._ticks += 1
        reference = self.state_machine.reference
        if isinstance(reference, StandReference):
            return self.standing.torque(_extrapolate(reference, since_s))
        return self.walking.torque(reference)

    def _situation(self) -> Situation:
        estimator = self.estimator
        walking = self.walking
        x, y = estimator.travelled_m.tolist()
        if self.state_machine.mode == "walking":
            self._walked_m += self._progress(x - self._last_m[0], y - self._last_m[1])
        self._last_m = (x, y)
        forward, left, forward_speed, left_speed = self.standing.com_state()
        line = estimator.dynamics.line[0] + estimator.dynamics.line[1]
        yaw = angle_between(heading(float(line[0]), float(line[1])), walking.heading_rad)
        dynamics = estimator.dynamics
        rate = pendulum_rate(max(float(dynamics.com[2]) + estimator.height_m, MIN_COM_HEIGHT_M))
        return Situation(
            steps=walking.steps,
            mean_speed_m_s=walking.mean_speed_m_s,
            travelled_m=self._walked_m,
            com_m=(forward, left),
            com_m_s=(forward_speed, left_speed),
            capture_m=capture_point(forward, forward_speed, rate),
            turn_rad=(0.0, 0.0, yaw),
        )

    def _progress(self, dx: float, dy: float) -> float:
        """Return the component of a displacement along the commanded direction; 0 for a zero command."""
        reference = self.state_machine.reference
        assert not isinstance(reference, StandReference)
        c = math.cos(self.walking.heading_rad)
        s = math.sin(self.walking.heading_rad)
        forward = c * dx + s * dy
        left = c * dy - s * dx
        speed = math.hypot(reference.forward_m_s, reference.left_m_s)
        return (forward * reference.forward_m_s + left * reference.left_m_s) / speed if speed > 0.0 else 0.0


def _extrapolate(reference: StandReference, time_s: float) -> StandReference:
    """Return a reference, moved on by its rates between two ticks of the state machine."""
    if time_s == 0.0:
        return reference
    place = _add_scaled(reference.place_m, reference.place_m_s, time_s)
    turn = _add_scaled(reference.turn_rad, reference.turn_rad_s, time_s)
    return replace(reference, place_m=place, turn_rad=turn)


def _add_scaled(place: Triple, rate: Triple, time_s: float) -> Triple:
    return place[0] + rate[0] * time_s, place[1] + rate[1] * time_s, place[2] + rate[2] * time_s
