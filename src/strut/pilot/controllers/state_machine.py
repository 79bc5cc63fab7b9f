"""Finite-state machine: {standing, walking} x {animation, radio}, as a pure function from one state to the next.

Elemental transitions: stand to walk (walking height, lean over the left foot, lift the right one), walk to stand
(brake, change at the end of a step, centre of mass to the middle), and any movement to any other (from the present
reference, never faster than the limits of transitions). A radio command takes over at any instant; when it ends, the
queue goes on with its next request.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from strut.pilot.controllers.reference import (
    ZERO,
    LocomotionMode,
    PlayedMovement,
    PlayRequest,
    Reference,
    ShowRequest,
    Source,
    StandReference,
    StandRequest,
    WalkReference,
    WalkRequest,
)
from strut.pilot.controllers.swing_foot import cubic
from strut.schemas.control import TransitionTable
from strut.simulation.attitude import Triple

MachinePhase = Literal["hold", "approach", "play", "rise", "lean", "walk", "brake", "settle"]
STATE_MACHINE_HZ = 200.0
FIRST_STANCE = 0  # the left foot: the right one is lifted first
STILL = 1e-6  # of a reference that has arrived
STEPS_TO_STOP = 2
MANNER_PER_S = 0.2  # by which pitch [rad] and lift of a walk change


@dataclass(frozen=True, slots=True)
class Situation:
    """What the state machine sees of the robot at a tick.

    Args:
        steps: Steps that have ended since the walk began.
        mean_speed_m_s: Forward and left, over the last two steps.
        travelled_m: Path since the start, by dead reckoning.
        com_m: Centre of mass forward and left of the middle of the soles.
        com_m_s: Its velocity.
        capture_m: Capture point forward of the middle of the soles.
        turn_rad: Roll, pitch, and yaw from the feet, that the base shall have.
    """

    steps: int = 0
    mean_speed_m_s: tuple[float, float] = (0.0, 0.0)
    travelled_m: float = 0.0
    com_m: tuple[float, float] = (0.0, 0.0)
    com_m_s: tuple[float, float] = (0.0, 0.0)
    capture_m: float = 0.0
    turn_rad: Triple = ZERO


@dataclass(frozen=True, slots=True, eq=False)
class StateMachine:
    """The state: who commands, what is being done, what the controllers shall follow now, and what is still to come."""

    reference: Reference
    queue: tuple[ShowRequest, ...] = ()
    current: ShowRequest | None = None
    source: Source = "animation"
    phase: MachinePhase = "hold"
    since_s: float = 0.0
    movement: PlayedMovement | None = None
    start: StandReference | None = None
    start_travelled_m: float = 0.0
    slow_steps: int = 0
    last_steps: int = 0

    @property
    def mode(self) -> LocomotionMode:
        """Which controller is in charge."""
        return "standing" if isinstance(self.reference, StandReference) else "walking"

    @property
    def idle(self) -> bool:
        """Whether it stands and nothing is left to do."""
        return self.phase == "hold" and self.current is None and not self.queue and self.source == "animation"


def advance(
    state: StateMachine, seen: Situation, limits: TransitionTable, radio: ShowRequest | None = None
) -> StateMachine:
    """Return the state one tick (5 ms) later; `radio` is what a person commands now, None if nobody does."""
    state = replace(_commanded(state, radio), since_s=state.since_s + 1.0 / STATE_MACHINE_HZ)
    if isinstance(state.reference, WalkReference):
        return _walk_on(state, state.reference, seen, limits)
    return _stand_on(state, state.reference, seen, limits)


def _commanded(state: StateMachine, radio: ShowRequest | None) -> StateMachine:
    """Return who commands now; a new command ends what was being done, wherever it is."""
    if radio is None:
        if state.source == "animation":
            return state
        given_back: MachinePhase = state.phase if state.mode == "walking" or state.phase == "settle" else "approach"
        return replace(state, source="animation", current=None, movement=None, phase=given_back)
    if state.source == "radio" and radio is state.current:
        return state
    kept = ("brake", "settle", "rise", "lean") if isinstance(radio, WalkRequest) else ("brake", "settle")
    phase: MachinePhase = state.phase if state.phase in kept else "approach"
    if state.mode == "walking" and isinstance(radio, WalkRequest):
        phase = "walk"
    return replace(state, source="radio", current=radio, phase=phase, movement=None)


def _next_request(state: StateMachine, seen: Situation) -> StateMachine:
    """Return the state with the first request of the queue taken up, or holding if there is none."""
    if not state.queue:
        return replace(state, current=None, phase="hold", since_s=0.0)
    current, *rest = state.queue
    return replace(
        state, current=current, queue=tuple(rest), phase="approach", since_s=0.0, start_travelled_m=seen.travelled_m
    )


def _stand_on(state: StateMachine, now: StandReference, seen: Situation, limits: TransitionTable) -> StateMachine:
    if state.phase == "settle":
        return _settle(state, limits)
    if state.phase == "play":
        return _play_on(state, seen)
    if state.current is None:
        state = _next_request(state, seen)
    match state.current:
        case WalkRequest() as walk:
            return _towards_walk(state, now, walk, seen, limits)
        case PlayRequest() as play if state.phase != "hold":  # a radio's movement that has ended
            return _towards_play(state, now, play, limits)
        case StandRequest() as stand:
            return _towards_stand(state, now, stand, seen, limits)
    return replace(state, reference=stand_towards(now, _at_rest(now), limits))


def _towards_stand(
    state: StateMachine, now: StandReference, request: StandRequest, seen: Situation, limits: TransitionTable
) -> StateMachine:
    reached = stand_towards(now, request.goal, limits)
    arrived = reached == request.goal
    if arrived and state.phase != "hold":
        return replace(state, reference=reached, phase="hold", since_s=0.0)
    if arrived and state.since_s >= request.hold_s and state.source == "animation":
        return replace(_next_request(state, seen), reference=reached)
    return replace(state, reference=reached)


def _towards_play(
    state: StateMachine, now: StandReference, request: PlayRequest, limits: TransitionTable
) -> StateMachine:
    movement = state.movement or PlayedMovement(request)
    first = _at_rest(movement.at(0.0))
    reached = stand_towards(now, first, limits)
    phase: MachinePhase = "play" if reached == first else "approach"
    since_s = 0.0 if phase == "play" else state.since_s
    return replace(state, reference=reached, movement=movement, phase=phase, since_s=since_s)


def _play_on(state: StateMachine, seen: Situation) -> StateMachine:
    assert state.movement is not None
    assert isinstance(state.current, PlayRequest)
    duration_s = state.current.duration_s
    state = replace(state, reference=state.movement.at(state.since_s))
    if state.since_s < duration_s:
        return state
    state = replace(state, movement=None)
    if state.source == "animation":
        return _next_request(state, seen)
    return replace(state, phase="hold", current=state.current, since_s=0.0)


def _towards_walk(
    state: StateMachine, now: StandReference, request: WalkRequest, seen: Situation, limits: TransitionTable
) -> StateMachine:
    """Go through walking height and lean; then the walk begins, in place."""
    if state.phase != "lean":
        upright = StandReference((0.0, 0.0, request.height_m))
        reached = stand_towards(now, upright, limits)
        if reached != upright:
            return replace(state, reference=reached, phase="rise")
        return replace(state, reference=reached, phase="lean", since_s=0.0)
    left, speed, _ = cubic(0.0, 0.0, limits.lean_m, 0.0, limits.lean_s, state.since_s)
    if state.since_s < limits.lean_s:
        height = now.place_m[2]
        return replace(state, reference=StandReference((0.0, left, height), place_m_s=(0.0, speed, 0.0)))
    begun = WalkReference(0.0, 0.0, 0.0, now.place_m[2])
    travelled = seen.travelled_m
    return replace(
        state,
        reference=begun,
        phase="walk",
        since_s=0.0,
        start_travelled_m=travelled,
        last_steps=seen.steps,
        slow_steps=0,
    )


def _settle(state: StateMachine, limits: TransitionTable) -> StateMachine:
    """Bring the centre of mass from where and how fast it was when the walk ended to the middle of the soles."""
    assert state.start is not None
    start = state.start
    share = limits.settle_s
    time_s = state.since_s
    place, rate = zip(
        *(
            cubic(x, v, end, 0.0, share, time_s)[:2]
            for x, v, end in zip(start.place_m, start.place_m_s, (0.0, 0.0, start.place_m[2]), strict=True)
        ),
        strict=True,
    )
    turn, turn_rate = zip(*(cubic(x, 0.0, 0.0, 0.0, share, time_s)[:2] for x in start.turn_rad), strict=True)
    settled = replace(state, reference=StandReference(place, turn, place_m_s=rate, turn_rad_s=turn_rate))
    return settled if time_s < share else replace(settled, phase="approach", start=None)


def _walk_on(state: StateMachine, now: WalkReference, seen: Situation, limits: TransitionTable) -> StateMachine:
    if state.phase != "brake":
        if isinstance(state.current, WalkRequest) and not (
            state.source == "animation" and _walked(state, now, seen, limits)
        ):
            return replace(state, phase="walk", reference=walk_towards(now, state.current.goal, limits))
        if state.source == "animation" and (isinstance(state.current, WalkRequest) or state.current is None):
            state = _next_request(state, seen)
            if isinstance(state.current, WalkRequest):
                return replace(state, phase="walk", reference=walk_towards(now, state.current.goal, limits))
        state = replace(state, phase="brake", slow_steps=0, last_steps=seen.steps)
    return _brake(state, now, seen, limits)


def _brake(state: StateMachine, now: WalkReference, seen: Situation, limits: TransitionTable) -> StateMachine:
    """Slow down; stand from the end of a step on, when two have ended slowly and the soles can stop what is left."""
    if isinstance(state.current, WalkRequest):  # a new walk was asked for meanwhile
        return replace(state, phase="walk")
    reached = walk_towards(now, WalkReference(0.0, 0.0, 0.0, now.height_m), limits)
    state = replace(state, reference=reached)
    if seen.steps == state.last_steps:
        return state
    still = max(abs(reached.forward_m_s), abs(reached.left_m_s), abs(reached.pitch_rad)) < STILL
    slow = still and math.hypot(*seen.mean_speed_m_s) < limits.stop_speed_m_s
    slow_steps = state.slow_steps + 1 if slow else 0
    state = replace(state, last_steps=seen.steps, slow_steps=slow_steps)
    if slow_steps < STEPS_TO_STOP or abs(seen.capture_m) > limits.stop_capture_m:
        return state
    start = StandReference((*seen.com_m, reached.height_m), seen.turn_rad, (*seen.com_m_s, 0.0))
    return replace(state, reference=start, start=start, phase="settle", since_s=0.0)


def _walked(state: StateMachine, now: WalkReference, seen: Situation, limits: TransitionTable) -> bool:
    """Return whether a walk has gone its distance, braking included where it ends, or its time."""
    walk = state.current
    assert isinstance(walk, WalkRequest)
    if walk.duration_s is not None:
        return state.since_s >= walk.duration_s
    assert walk.distance_m is not None
    speed = math.hypot(now.forward_m_s, now.left_m_s)
    braking = speed * limits.stop_lag_s + speed**2 / (2.0 * limits.walking_acceleration_m_s2)
    ends = not (state.queue and isinstance(state.queue[0], WalkRequest))
    return seen.travelled_m - state.start_travelled_m + (braking if ends else 0.0) >= walk.distance_m


def stand_towards(now: StandReference, goal: StandReference, limits: TransitionTable) -> StandReference:
    """Return the reference one tick on its way to a pose at rest, within the speed and acceleration of transitions."""
    pull_s = limits.shortest_s / 2.0
    place = [
        approach(x, v, end, limits.speed_m_s, limits.speed_m_s / pull_s)
        for x, v, end in zip(now.place_m, now.place_m_s, goal.place_m, strict=True)
    ]
    turn = [
        approach(x, v, end, limits.speed_rad_s, limits.speed_rad_s / pull_s)
        for x, v, end in zip(now.turn_rad, now.turn_rad_s, goal.turn_rad, strict=True)
    ]
    (x, vx), (y, vy), (z, vz) = place
    (r, vr), (p, vp), (w, vw) = turn
    return StandReference((x, y, z), (r, p, w), (vx, vy, vz), (vr, vp, vw))


def walk_towards(now: WalkReference, goal: WalkReference, limits: TransitionTable) -> WalkReference:
    """Return the gait one tick on its way to another."""
    step = limits.walking_acceleration_m_s2 / STATE_MACHINE_HZ
    speeds = zip((now.forward_m_s, now.left_m_s), (goal.forward_m_s, goal.left_m_s), strict=True)
    forward, left = (x + min(max(end - x, -step), step) for x, end in speeds)
    step = limits.turn_acceleration_rad_s2 / STATE_MACHINE_HZ
    turn = now.turn_rad_s + min(max(goal.turn_rad_s - now.turn_rad_s, -step), step)
    pull_s = limits.shortest_s / 2.0
    height, rate = approach(now.height_m, now.height_m_s, goal.height_m, limits.speed_m_s, limits.speed_m_s / pull_s)
    pitch, lift = (
        x + min(max(end - x, -MANNER_PER_S / STATE_MACHINE_HZ), MANNER_PER_S / STATE_MACHINE_HZ)
        for x, end in ((now.pitch_rad, goal.pitch_rad), (now.lift, goal.lift))
    )
    return WalkReference(forward, left, turn, height, rate, pitch, lift)


def approach(place: float, speed: float, goal: float, top_speed: float, acceleration: float) -> tuple[float, float]:
    """Return place and speed one tick on, on the fastest way to rest at a goal within a speed and an acceleration."""
    tick_s = 1.0 / STATE_MACHINE_HZ
    away = goal - place
    most = acceleration * tick_s
    if abs(away) <= most * tick_s and abs(speed) <= most:
        return goal, 0.0
    # the speed from which one can still stop in time, counted in whole ticks
    stopping = acceleration * tick_s * (math.sqrt(0.25 + 2.0 * abs(away) / (most * tick_s)) - 0.5)
    wanted = math.copysign(min(top_speed, stopping), away)
    speed += min(max(wanted - speed, -most), most)
    return place + speed * tick_s, speed


def _at_rest(now: StandReference) -> StandReference:
    """Return the pose of a reference, at rest."""
    return StandReference(now.place_m, now.turn_rad)
