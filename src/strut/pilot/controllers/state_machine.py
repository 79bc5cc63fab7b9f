"""Finite-state machine: {standing, walking} x {animation, radio}, as a pure function from one state to the next.

Transitions: from standing to walking (rise to walking height, lean over the left foot, lift the right one), from
walking to standing (brake, switch controllers at the end of a step, move the centre of mass to the middle), and between
any two movements (from the present reference, within the speed limits of transitions). A radio command takes over at
any instant; when it ends, the next request of the queue follows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Literal

from strut.pilot.controllers.reference import (
    ZERO,
    BaseTrajectory,
    LocomotionMode,
    PilotRequest,
    PlayRequest,
    Reference,
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
STILL = 1e-6  # below this speed [m/s] or pitch [rad], a reference is at rest
STEPS_TO_STOP = 2  # slow steps before standing: the mean speed covers two steps
STYLE_RATE_PER_S = 0.2  # rate at which pitch [rad] and lift of a walk change


@dataclass(frozen=True, slots=True)
class Situation:
    """The robot's state as the state machine needs it, at one tick.

    Args:
        steps: Completed steps since the walk began.
        mean_speed_m_s: Mean speed forward and left over the last two steps.
        travelled_m: Distance walked since the start, by dead reckoning.
        com_m: Centre of mass forward and left of the middle of the soles.
        com_m_s: Its velocity.
        capture_m: Capture point forward of the middle of the soles.
        turn_rad: Desired roll and pitch of the base, and yaw relative to the feet.
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
    """The state: the controllers' reference, the present request with its phase and source, and pending requests.

    `standing_height_m` is the height of the base for requests without one.
    """

    reference: Reference
    standing_height_m: float
    queue: tuple[PilotRequest, ...] = ()
    current: PilotRequest | None = None
    source: Source = "animation"
    phase: MachinePhase = "hold"
    since_s: float = 0.0
    movement: BaseTrajectory | None = None
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
        """Whether the robot stands and no request is left."""
        return self.phase == "hold" and self.current is None and not self.queue and self.source == "animation"


def advance(
    state: StateMachine, situation: Situation, limits: TransitionTable, radio: PilotRequest | None = None
) -> StateMachine:
    """Return the state one tick (5 ms) later; `radio` is the present command of a person, None without one."""
    state = replace(_take_command(state, radio), since_s=state.since_s + 1.0 / STATE_MACHINE_HZ)
    if isinstance(state.reference, WalkReference):
        return _continue_walk(state, state.reference, situation, limits)
    return _continue_stand(state, state.reference, situation, limits)


def _take_command(state: StateMachine, radio: PilotRequest | None) -> StateMachine:
    """Return the state with the present source of commands; a new radio command interrupts the present request."""
    if radio is None:
        if state.source == "animation":
            return state
        keeps_phase = state.mode == "walking" or state.phase == "settle"
        released: MachinePhase = state.phase if keeps_phase else "approach"
        return replace(state, source="animation", current=None, movement=None, phase=released)
    if state.source == "radio" and radio is state.current:
        return state
    uninterrupted = ("brake", "settle", "rise", "lean") if isinstance(radio, WalkRequest) else ("brake", "settle")
    phase: MachinePhase = state.phase if state.phase in uninterrupted else "approach"
    if state.mode == "walking" and isinstance(radio, WalkRequest):
        phase = "walk"
    return replace(state, source="radio", current=radio, phase=phase, movement=None)


def _next_request(state: StateMachine, situation: Situation) -> StateMachine:
    """Return the state with the first request of the queue as its present one; without any, the robot holds still."""
    if not state.queue:
        return replace(state, current=None, phase="hold", since_s=0.0)
    current, *rest = state.queue
    return replace(
        state,
        current=current,
        queue=tuple(rest),
        phase="approach",
        since_s=0.0,
        start_travelled_m=situation.travelled_m,
    )


def _continue_stand(
    state: StateMachine, now: StandReference, situation: Situation, limits: TransitionTable
) -> StateMachine:
    if state.phase == "settle":
        return _settle(state, limits)
    if state.phase == "play":
        return _continue_play(state, situation)
    if state.current is None:
        state = _next_request(state, situation)
    match state.current:
        case WalkRequest() as walk:
            return _towards_walk(state, now, walk, situation, limits)
        case PlayRequest() as play if state.phase != "hold":  # in hold, a movement commanded by radio has ended
            return _towards_play(state, now, play, limits)
        case StandRequest() as stand:
            return _towards_stand(state, now, stand, situation, limits)
    return replace(state, reference=stand_towards(now, _at_rest(now), limits))


def _towards_stand(
    state: StateMachine, now: StandReference, request: StandRequest, situation: Situation, limits: TransitionTable
) -> StateMachine:
    goal = request.goal(state.standing_height_m)
    reached = stand_towards(now, goal, limits)
    arrived = reached == goal
    if arrived and state.phase != "hold":
        return replace(state, reference=reached, phase="hold", since_s=0.0)
    if arrived and state.since_s >= request.hold_s and state.source == "animation":
        return replace(_next_request(state, situation), reference=reached)
    return replace(state, reference=reached)


def _towards_play(
    state: StateMachine, now: StandReference, request: PlayRequest, limits: TransitionTable
) -> StateMachine:
    movement = state.movement or BaseTrajectory(request)
    first = _at_rest(movement.at(0.0))
    reached = stand_towards(now, first, limits)
    phase: MachinePhase = "play" if reached == first else "approach"
    since_s = 0.0 if phase == "play" else state.since_s
    return replace(state, reference=reached, movement=movement, phase=phase, since_s=since_s)


def _continue_play(state: StateMachine, situation: Situation) -> StateMachine:
    assert state.movement is not None
    assert isinstance(state.current, PlayRequest)
    duration_s = state.current.duration_s
    state = replace(state, reference=state.movement.at(state.since_s))
    if state.since_s < duration_s:
        return state
    state = replace(state, movement=None)
    if state.source == "animation":
        return _next_request(state, situation)
    return replace(state, phase="hold", current=state.current, since_s=0.0)


def _towards_walk(
    state: StateMachine, now: StandReference, request: WalkRequest, situation: Situation, limits: TransitionTable
) -> StateMachine:
    """Rise to walking height and lean over the stance foot; then begin the walk in place."""
    if state.phase != "lean":
        upright = StandReference((0.0, 0.0, request.goal(state.standing_height_m).height_m))
        reached = stand_towards(now, upright, limits)
        if reached != upright:
            return replace(state, reference=reached, phase="rise")
        return replace(state, reference=reached, phase="lean", since_s=0.0)
    left, speed, _ = cubic(0.0, 0.0, limits.lean_m, 0.0, limits.lean_s, state.since_s)
    if state.since_s < limits.lean_s:
        height = now.place_m[2]
        return replace(state, reference=StandReference((0.0, left, height), place_m_s=(0.0, speed, 0.0)))
    return replace(
        state,
        reference=WalkReference(0.0, 0.0, 0.0, now.place_m[2]),
        phase="walk",
        since_s=0.0,
        start_travelled_m=situation.travelled_m,
        last_steps=situation.steps,
        slow_steps=0,
    )


def _settle(state: StateMachine, limits: TransitionTable) -> StateMachine:
    """Move the centre of mass from its state at the end of the walk to rest over the middle of the soles."""
    assert state.start is not None
    start = state.start
    settle_s = limits.settle_s
    time_s = state.since_s
    place, rate = zip(
        *(
            cubic(x, v, end, 0.0, settle_s, time_s)[:2]
            for x, v, end in zip(start.place_m, start.place_m_s, (0.0, 0.0, start.place_m[2]), strict=True)
        ),
        strict=True,
    )
    turn, turn_rate = zip(*(cubic(x, 0.0, 0.0, 0.0, settle_s, time_s)[:2] for x in start.turn_rad), strict=True)
    state = replace(state, reference=StandReference(place, turn, place_m_s=rate, turn_rad_s=turn_rate))
    return state if time_s < settle_s else replace(state, phase="approach", start=None)


def _continue_walk(
    state: StateMachine, now: WalkReference, situation: Situation, limits: TransitionTable
) -> StateMachine:
    if state.phase != "brake":
        if isinstance(state.current, WalkRequest) and not (
            state.source == "animation" and _has_walked(state, now, situation, limits)
        ):
            return _walk_on(state, now, state.current, limits)
        if state.source == "animation" and (isinstance(state.current, WalkRequest) or state.current is None):
            state = _next_request(state, situation)
            if isinstance(state.current, WalkRequest):
                return _walk_on(state, now, state.current, limits)
        state = replace(state, phase="brake", slow_steps=0, last_steps=situation.steps)
    return _brake(state, now, situation, limits)


def _walk_on(state: StateMachine, now: WalkReference, request: WalkRequest, limits: TransitionTable) -> StateMachine:
    reached = walk_towards(now, request.goal(state.standing_height_m), limits)
    return replace(state, phase="walk", reference=reached)


def _brake(state: StateMachine, now: WalkReference, situation: Situation, limits: TransitionTable) -> StateMachine:
    """Slow down; stand at the end of a step, once two steps were slow and the capture point is close to the soles."""
    if isinstance(state.current, WalkRequest):  # a new walk was requested meanwhile
        return replace(state, phase="walk")
    reached = walk_towards(now, WalkReference(0.0, 0.0, 0.0, now.height_m), limits)
    state = replace(state, reference=reached)
    if situation.steps == state.last_steps:
        return state
    still = max(abs(reached.forward_m_s), abs(reached.left_m_s), abs(reached.pitch_rad)) < STILL
    slow = still and math.hypot(*situation.mean_speed_m_s) < limits.stop_speed_m_s
    slow_steps = state.slow_steps + 1 if slow else 0
    state = replace(state, last_steps=situation.steps, slow_steps=slow_steps)
    if slow_steps < STEPS_TO_STOP or abs(situation.capture_m) > limits.stop_capture_m:
        return state
    start = StandReference((*situation.com_m, reached.height_m), situation.turn_rad, (*situation.com_m_s, 0.0))
    return replace(state, reference=start, start=start, phase="settle", since_s=0.0)


def _has_walked(state: StateMachine, now: WalkReference, situation: Situation, limits: TransitionTable) -> bool:
    """Return whether a walk has covered its duration, or its distance up to the braking distance before a stop."""
    walk = state.current
    assert isinstance(walk, WalkRequest)
    if walk.duration_s is not None:
        return state.since_s >= walk.duration_s
    assert walk.distance_m is not None
    speed = math.hypot(now.forward_m_s, now.left_m_s)
    braking = speed * limits.stop_lag_s + speed**2 / (2.0 * limits.walking_acceleration_m_s2)
    ends = not (state.queue and isinstance(state.queue[0], WalkRequest))
    return situation.travelled_m - state.start_travelled_m + (braking if ends else 0.0) >= walk.distance_m


def stand_towards(now: StandReference, goal: StandReference, limits: TransitionTable) -> StandReference:
    """Return the reference one tick closer to a pose at rest, within the limits of transitions."""
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
    """Return the gait reference one tick closer to another, within the limits of transitions."""
    step = limits.walking_acceleration_m_s2 / STATE_MACHINE_HZ
    speeds = zip((now.forward_m_s, now.left_m_s), (goal.forward_m_s, goal.left_m_s), strict=True)
    forward, left = (x + min(max(end - x, -step), step) for x, end in speeds)
    step = limits.turn_acceleration_rad_s2 / STATE_MACHINE_HZ
    turn = now.turn_rad_s + min(max(goal.turn_rad_s - now.turn_rad_s, -step), step)
    pull_s = limits.shortest_s / 2.0
    height, rate = approach(now.height_m, now.height_m_s, goal.height_m, limits.speed_m_s, limits.speed_m_s / pull_s)
    pitch, lift = (
        x + min(max(end - x, -STYLE_RATE_PER_S / STATE_MACHINE_HZ), STYLE_RATE_PER_S / STATE_MACHINE_HZ)
        for x, end in ((now.pitch_rad, goal.pitch_rad), (now.lift, goal.lift))
    )
    return WalkReference(forward, left, turn, height, rate, pitch, lift)


def approach(place: float, speed: float, goal: float, top_speed: float, acceleration: float) -> tuple[float, float]:
    """Return position and speed after one tick of the fastest way to rest at a goal, within speed and acceleration."""
    tick_s = 1.0 / STATE_MACHINE_HZ
    away = goal - place
    max_change = acceleration * tick_s  # of the speed, in one tick
    if abs(away) <= max_change * tick_s and abs(speed) <= max_change:
        return goal, 0.0
    # the largest speed from which it can stop at the goal in whole ticks
    stopping = acceleration * tick_s * (math.sqrt(0.25 + 2.0 * abs(away) / (max_change * tick_s)) - 0.5)
    desired_speed = math.copysign(min(top_speed, stopping), away)
    speed += min(max(desired_speed - speed, -max_change), max_change)
    return place + speed * tick_s, speed


def _at_rest(now: StandReference) -> StandReference:
    """Return the pose of a reference, at rest."""
    return StandReference(now.place_m, now.turn_rad)
