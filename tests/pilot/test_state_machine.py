"""The state machine: no jump at any switch, stand to walk through height, lean and lift, a radio that takes over."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from strut.errors import OutOfRangeError
from strut.models.catalogue import load_robot
from strut.pilot.controllers.reference import (
    PlayRequest,
    StandReference,
    StandRequest,
    WalkReference,
    WalkRequest,
    check_request,
)
from strut.pilot.controllers.state_machine import (
    STATE_MACHINE_HZ,
    Situation,
    StateMachine,
    advance,
    approach,
    walk_towards,
)
from strut.pilot.plant.torque_model import control_table

TICK_S = 1.0 / STATE_MACHINE_HZ
STEP_TICKS = 70  # of a step of 0.35 s
TABLE = control_table(load_robot("cassie"))
LIMITS = TABLE.transition
START = StandReference((0.0, 0.0, 0.9))


def nod(duration_s=2.0):
    time_s = np.linspace(0.0, duration_s, 21)
    share = np.sin(np.pi * time_s / duration_s) ** 2
    zero = np.zeros_like(time_s)
    place = np.stack([zero, 0.02 * share, 0.85 - 0.05 * share], axis=1)
    return PlayRequest(time_s, place, np.stack([zero, 0.2 * share, zero], axis=1), "nod")


class Puppet:
    """A robot that does at once what the state machine says; it keeps every reference."""

    def __init__(self, *queue):
        self.state = StateMachine(START, START.place_m[2], queue)
        self.seen = Situation()
        self.radio = None
        self.history = [self.state]

    def run(self, duration_s=60.0, *, until=None):
        for _ in range(round(duration_s / TICK_S)):
            self.state = advance(self.state, self.seen, LIMITS, self.radio)
            self.history.append(self.state)
            self._walk()
            if self.state.idle or (until is not None and until(self.state)):
                break
        return self

    def _walk(self):
        now = self.state.reference
        if isinstance(now, StandReference):
            self.seen = replace(self.seen, com_m=now.place_m[:2], com_m_s=now.place_m_s[:2])
            return
        ticks = len(self.history)
        forward = now.forward_m_s
        left = now.left_m_s
        self.seen = replace(
            self.seen,
            steps=self.seen.steps + (ticks % STEP_TICKS == 0),
            mean_speed_m_s=(forward, left),
            travelled_m=self.seen.travelled_m + np.hypot(forward, left) * TICK_S,
            com_m=(0.01, 0.02),
            com_m_s=(0.05, -0.2),
            capture_m=0.02,
        )

    @property
    def phases(self):
        found = []
        for state in self.history:
            entry = (state.mode, state.phase)
            if not found or found[-1] != entry:
                found.append(entry)
        return found


def largest_jumps(history):
    """Return the largest change per second of standing place and turn, and of walking speed and height."""
    jumps = dict.fromkeys(("place", "turn", "speed", "height"), 0.0)
    for before, after in pairwise(history):
        a = before.reference
        b = after.reference
        if isinstance(a, StandReference) and isinstance(b, StandReference):
            changes = {"place": np.subtract(b.place_m, a.place_m), "turn": np.subtract(b.turn_rad, a.turn_rad)}
        elif isinstance(a, WalkReference) and isinstance(b, WalkReference):
            speeds = np.subtract((b.forward_m_s, b.left_m_s), (a.forward_m_s, a.left_m_s))
            changes = {"speed": speeds, "height": b.height_m - a.height_m}
        else:
            height = (b.place_m[2], a.height_m) if isinstance(b, StandReference) else (b.height_m, a.place_m[2])
            changes = {"height": height[0] - height[1]}
        for name, change in changes.items():
            jumps[name] = max(jumps[name], float(np.abs(change).max()) / TICK_S)
    return jumps


def test_requests_are_done_in_order_and_then_it_stands():
    puppet = Puppet(StandRequest(0.5), nod(), WalkRequest(0.4, distance_m=1.0), StandRequest(0.5, 0.8)).run()
    assert puppet.state.idle
    done = [state.current for state in puppet.history if state.current is not None]
    assert [type(request) for request in dict.fromkeys(done)] == [StandRequest, PlayRequest, WalkRequest, StandRequest]
    assert puppet.state.reference == StandReference((0.0, 0.0, 0.8))


def test_a_walk_begins_through_height_lean_and_lift_only():
    puppet = Puppet(WalkRequest(0.4, height_m=0.8, duration_s=3.0)).run()
    assert puppet.phases[1:4] == [("standing", "rise"), ("standing", "lean"), ("walking", "walk")]
    last = [state for state in puppet.history if state.phase == "lean"][-1].reference
    assert last.place_m[1] == pytest.approx(LIMITS.lean_m, abs=1e-3)
    assert last.place_m[2] == 0.8


def test_a_walk_ends_slowly_at_the_end_of_a_step_only():
    puppet = Puppet(WalkRequest(0.8, duration_s=4.0)).run()
    at = next(k for k, state in enumerate(puppet.history) if state.phase == "settle")
    before = puppet.history[at - 1]
    assert before.mode == "walking"
    assert before.reference.forward_m_s == 0.0
    assert at % STEP_TICKS == 0
    assert puppet.history[at].reference.place_m[:2] == (0.01, 0.02)  # where the mass is, and as fast
    assert puppet.history[at].reference.place_m_s[:2] == (0.05, -0.2)


def test_a_walk_does_not_end_while_the_soles_could_not_stop_it():
    puppet = Puppet(WalkRequest(0.3, duration_s=2.0)).run(until=lambda state: state.phase == "brake")
    for _ in range(2000):
        steps = puppet.seen.steps + (len(puppet.history) % STEP_TICKS == 0)
        puppet.seen = replace(puppet.seen, steps=steps, mean_speed_m_s=(0.0, 0.0), capture_m=-0.1)
        puppet.state = advance(puppet.state, puppet.seen, LIMITS)
        puppet.history.append(puppet.state)
    assert puppet.state.phase == "brake"


def test_a_distance_is_walked_with_its_braking():
    puppet = Puppet(WalkRequest(0.5, distance_m=2.0)).run()
    missing = 0.5 * LIMITS.stop_lag_s  # the puppet, unlike a robot, follows its command at once
    assert puppet.seen.travelled_m == pytest.approx(2.0 - missing, abs=0.02)


def test_one_walk_passes_into_the_next_without_standing():
    puppet = Puppet(WalkRequest(0.5, duration_s=3.0), WalkRequest(-0.2, 0.1, 0.0, 0.8, duration_s=3.0)).run()
    walking = [mode for mode, _ in puppet.phases]
    assert walking.count("walking") == walking.index("standing", 3) - walking.index("walking")
    assert largest_jumps(puppet.history)["speed"] <= LIMITS.walking_acceleration_m_s2 + 1e-9


@settings(max_examples=40)
@given(
    st.lists(st.sampled_from(["stand", "low", "nod", "walk", "back"]), min_size=1, max_size=4),
    st.integers(min_value=0, max_value=3000),
    st.sampled_from([None, "stand", "low", "walk", "nod"]),
    st.integers(min_value=1, max_value=1500),
)
def test_no_reference_jumps_whatever_is_asked_and_whenever_a_radio_takes_over(names, start, radio, ticks):
    requests = {
        "stand": StandRequest(0.2),
        "low": StandRequest(0.3, 0.75, 0.01, 0.03, (0.05, -0.1, 0.2)),
        "nod": nod(),
        "walk": WalkRequest(0.6, 0.1, 0.2, 0.8, duration_s=2.0),
        "back": WalkRequest(-0.3, height_m=0.95, distance_m=0.5),
    }
    puppet = Puppet(*(requests[name] for name in names)).run(start * TICK_S)
    puppet.radio = requests.get(radio)
    puppet.run(ticks * TICK_S)
    puppet.radio = None
    puppet.run()
    assert puppet.state.idle
    jumps = largest_jumps(puppet.history)
    assert jumps["place"] <= 0.45  # the settling centre of mass starts as fast as it was
    assert jumps["turn"] <= LIMITS.speed_rad_s + 1e-9
    assert jumps["speed"] <= LIMITS.walking_acceleration_m_s2 + 1e-9
    assert jumps["height"] <= LIMITS.speed_m_s + 1e-9


def test_the_radio_takes_over_at_once_and_the_queue_goes_on_after_it():
    puppet = Puppet(nod(4.0), StandRequest(0.2, 0.8)).run(1.0)
    assert puppet.state.phase == "play"
    puppet.radio = StandRequest(0.0, 0.95)
    puppet.run(TICK_S)
    assert puppet.state.source == "radio"
    puppet.run(5.0)
    assert puppet.state.reference == StandReference((0.0, 0.0, 0.95))
    puppet.radio = None
    puppet.run()
    assert puppet.state.idle
    assert puppet.state.reference.place_m[2] == 0.8


def test_a_walk_changes_its_height_within_speed_and_acceleration_and_reaches_both():
    """A change of 0.3 m is long enough for the full speed, and takes half of the shortest time to reach it."""
    goal = WalkReference(0.0, 0.0, 0.0, 0.6)
    heights = [WalkReference(0.0, 0.0, 0.0, 0.9)]
    while heights[-1] != goal:
        heights.append(walk_towards(heights[-1], goal, LIMITS))
        assert len(heights) < 60 * STATE_MACHINE_HZ
    speed = np.diff([reference.height_m for reference in heights]) / TICK_S
    acceleration_m_s2 = LIMITS.speed_m_s / (LIMITS.shortest_s / 2.0)
    assert -speed.min() == pytest.approx(LIMITS.speed_m_s, rel=1e-3)
    assert np.abs(np.diff(speed) / TICK_S).max() <= 1.01 * acceleration_m_s2
    usual = LIMITS.shortest_s / 2.0 + 0.3 / LIMITS.speed_m_s  # to speed, on, and to rest
    assert len(heights) * TICK_S == pytest.approx(usual, rel=0.05)


def test_a_stick_that_moves_at_every_tick_walks_and_stops():
    puppet = Puppet()
    for k in range(1200):
        puppet.radio = WalkRequest(min(0.0005 * k, 0.5), duration_s=1.0)
        puppet.run(TICK_S)
    assert puppet.state.mode == "walking"
    assert puppet.state.reference.forward_m_s == pytest.approx(0.5, abs=0.05)
    for _ in range(2000):
        puppet.radio = StandRequest()
        puppet.run(TICK_S)
    assert (puppet.state.mode, puppet.state.phase) == ("standing", "hold")


def test_an_approach_arrives_at_rest_without_overshoot():
    place = 0.0
    speed = -0.05
    places = []
    for _ in range(2000):
        place, speed = approach(place, speed, 0.2, 0.1, 0.4)
        places.append(place)
    assert (place, speed) == (0.2, 0.0)
    assert max(places) <= 0.2 + 1e-9
    assert np.abs(np.diff(places)).max() <= 0.1 * TICK_S + 1e-12


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [
        (WalkRequest(1.5, duration_s=1.0), "The speed forward is 1.5 m/s; it must be from -0.5 to 0.8 m/s."),
        (
            WalkRequest(0.1, height_m=0.5, duration_s=1.0),
            "The walking height is 0.5 m; it must be from 0.75 to 0.95 m.",
        ),
        (WalkRequest(0.1), "A walk needs a distance or a duration, and not both."),
        (WalkRequest(distance_m=1.0), "A walk over a distance needs a speed; give one, or a duration."),
        (WalkRequest(0.4, distance_m=0.0), "The distance to walk is 0 m; it must be above 0 and at most 1000 m."),
        (WalkRequest(0.4, duration_s=0.0), "The time to walk is 0 s; it must be above 0 and at most 3600 s."),
        (StandRequest(1.0, 1.5), "The standing height is 1.5 m; it must be from 0.68 to 0.97 m."),
        (StandRequest(float("nan")), "The time to hold is nan s; it must be from 0 to 3600 s."),
    ],
)
def test_what_it_cannot_do_is_refused_in_one_sentence(request_, sentence):
    with pytest.raises(OutOfRangeError) as refused:
        check_request(request_, TABLE.command, START.place_m[2])
    assert str(refused.value) == sentence


def test_a_movement_whose_times_go_back_is_refused():
    with pytest.raises(OutOfRangeError, match="do not increase from 0"):
        PlayRequest([0.0, 0.2, 0.1], np.zeros((3, 3)), np.zeros((3, 3)))
