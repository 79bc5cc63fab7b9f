"""Commands of the live pilot: what a stick commands and what is displayed, over a simulation that only records."""

from types import SimpleNamespace

import numpy as np
import pytest

from strut.models.catalogue import load_robot
from strut.pilot.controllers.reference import PlayRequest, StandRequest, WalkRequest
from strut.pilot.live import live_pilot
from strut.pilot.live.live_pilot import DEAD_ZONE, FOREVER_S, SILENCE_S, LivePilot, Stick
from strut.pilot.plant.torque_model import control_table
from strut.simulation.run_outcome import TOUCHED_N

CASSIE = load_robot("cassie")
COMMAND = control_table(CASSIE).command
TICK_S = 0.01
LOWEST, HIGHEST = COMMAND.walking_height_m
NOD = PlayRequest([0.0, 1.0], [(0.0, 0.0, 0.9)] * 2, np.zeros((2, 3)), "nod")


class RecordingLoop:
    """A simulation without physics: it keeps commands and counts ticks."""

    def __init__(self):
        self.commands = []
        self.ticks = 0
        self.tick_times_s = [1.0]
        self.touched_n = 0.0
        self.state_machine = SimpleNamespace(mode="standing", phase="hold", source="animation", current=None)
        walking = SimpleNamespace(mean_speed_m_s=(0.3, -0.1))
        self.pilot = SimpleNamespace(
            tick_s=TICK_S, radio=None, state_machine=self.state_machine, walking=walking, command=self.command
        )
        self.plant = SimpleNamespace(
            qpos=np.array([1.0, 2.0, 0.87]),
            model=SimpleNamespace(qpos0=np.array([0.0, 0.0, 0.9])),
            foot_forces=lambda: (None, self.touched_n),
        )
        self.record = SimpleNamespace(fell=False)

    def command(self, request):
        self.commands.append(request)
        self.pilot.radio = request

    def tick(self):
        self.ticks += 1


@pytest.fixture
def loop(monkeypatch):
    recording = RecordingLoop()
    monkeypatch.setattr(live_pilot, "piloted_loop", lambda *_: recording)
    return recording


@pytest.fixture
def pilot(loop):
    """Return a pilot of a robot that stands 0.9 m high and has no command."""
    return LivePilot(CASSIE)


@pytest.mark.parametrize("axis", ["forward", "left", "turn"])
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_stick_near_its_middle_commands_a_stand_and_a_deflected_one_a_walk(pilot, loop, axis, sign):
    pilot.steer(Stick(**{axis: 0.99 * sign * DEAD_ZONE}))
    assert isinstance(loop.commands[-1], StandRequest)
    pilot.steer(Stick(**{axis: 1.01 * sign * DEAD_ZONE}))
    assert isinstance(loop.commands[-1], WalkRequest)
    pilot.steer(Stick(walking=True))
    assert isinstance(loop.commands[-1], WalkRequest)


@pytest.mark.parametrize("share", [0.5, 1.0, 3.0, -0.5, -2.0, 0.99 * DEAD_ZONE, -0.99 * DEAD_ZONE])
def test_a_deflection_is_a_share_of_the_speed_range_on_its_side(pilot, loop, share):
    pilot.steer(Stick(forward=share, walking=True))
    lowest, highest = COMMAND.forward_m_s
    expected = (
        0.0 if abs(share) < DEAD_ZONE else min(share, 1.0) * highest if share > 0.0 else max(share, -1.0) * -lowest
    )
    assert loop.commands[-1].forward_m_s == pytest.approx(expected)


def test_a_deflected_stick_is_a_walk_without_end_at_the_last_height(pilot, loop):
    pilot.steer(Stick(forward=0.5, left=-0.25, turn=1.0))
    walk = loop.commands[-1]
    assert walk.forward_m_s == pytest.approx(0.5 * COMMAND.forward_m_s[1])
    assert walk.left_m_s == pytest.approx(0.25 * COMMAND.sideways_m_s[0])
    assert walk.turn_rad_s == pytest.approx(COMMAND.turn_rad_s[1])
    assert (walk.height_m, walk.duration_s, walk.distance_m) == (0.9, FOREVER_S, None)
    pilot.steer(Stick(height_m=0.8))
    assert loop.commands[-1] == StandRequest(FOREVER_S, 0.8)
    pilot.steer(Stick(forward=0.5))
    assert loop.commands[-1].height_m == 0.8


def test_an_unmoved_stick_is_no_new_command_but_keeps_the_robot_walking(pilot, loop):
    pilot.steer(Stick())
    assert loop.commands == []
    for _ in range(3):
        pilot.steer(Stick(forward=0.5))
        pilot.advance(0.7 * SILENCE_S)
    assert len(loop.commands) == 1


@pytest.mark.parametrize(("height_m", "possible_m"), [(LOWEST - 0.04, LOWEST), (HIGHEST + 0.04, HIGHEST)])
def test_a_walk_at_an_impossible_height_is_refused_and_the_nearest_height_taken(pilot, loop, height_m, possible_m):
    pilot.steer(Stick(forward=0.5, height_m=height_m))
    assert loop.commands[-1].height_m == 0.9  # the last height is possible
    assert "walking height" in pilot.refused
    loop.plant.model.qpos0[2] = height_m
    pilot.reset()
    pilot.steer(Stick(forward=0.5))
    assert loop.commands[-1].height_m == possible_m
    assert "walking height" in pilot.refused
    pilot.steer(Stick())
    assert pilot.refused == ""
    assert loop.commands[-1] == StandRequest(FOREVER_S, possible_m)


def test_a_deflection_that_is_not_a_number_changes_nothing(pilot, loop):
    pilot.steer(Stick(forward=float("nan")))
    assert pilot.refused != ""
    pilot.steer(Stick())
    assert loop.commands == []


def test_time_advances_in_whole_ticks_until_the_robot_falls(pilot, loop):
    pilot.advance(0.25)
    assert (loop.ticks, pilot.time_s, loop.tick_times_s) == (25, pytest.approx(0.25), [])
    loop.touched_n = 0.99 * TOUCHED_N
    pilot.advance(0.1)
    assert not pilot.state().fell
    loop.touched_n = 1.01 * TOUCHED_N
    pilot.advance(0.1)
    assert pilot.state().fell
    pilot.advance(0.1)
    assert loop.ticks == 45


@pytest.mark.parametrize(("excess_s", "stops"), [(-0.015, False), (0.025, True)])
def test_a_robot_without_commands_stops_walking_after_a_second(pilot, loop, excess_s, stops):
    pilot.advance(0.3)
    pilot.steer(Stick(forward=0.5, height_m=0.85))
    pilot.advance(SILENCE_S + excess_s)
    assert isinstance(loop.commands[-1], StandRequest) is stops
    if stops:
        assert loop.commands[-1] == StandRequest(FOREVER_S, 0.85)
        assert len(loop.commands) == 2
        pilot.steer(Stick(forward=0.5, height_m=0.85))
        assert isinstance(loop.commands[-1], WalkRequest)  # the same deflection is a new command


def test_a_standing_robot_without_commands_gets_no_second_stand(pilot, loop):
    pilot.steer(Stick(height_m=0.85))
    pilot.advance(2.0 * SILENCE_S)
    assert len(loop.commands) == 1


def test_the_eyes_of_a_movement_are_displayed_from_its_start(pilot, loop):
    eyes = {"eyes": [[0.0, "happy"]]}
    pilot.steer(Stick(forward=0.5, height_m=0.8))
    pilot.play(NOD, eyes)
    assert loop.commands[-1] is NOD
    pilot.steer(Stick(height_m=0.8))
    assert loop.commands[-1] is NOD  # a centred stick does not interrupt it
    pilot.advance(0.2)
    assert pilot.eyes() == ({}, 0.0)  # the robot moves to the first posture
    loop.state_machine.phase = "play"
    pilot.advance(0.1)
    assert pilot.eyes() == (eyes, 0.0)
    pilot.advance(0.3)
    assert pilot.eyes() == (eyes, pytest.approx(0.3))
    loop.record.fell = True
    assert pilot.eyes() == ({"eyes": [[0.0, "wide"]]}, 1.0)


def test_a_movement_without_eyes_displays_none(pilot, loop):
    pilot.play(NOD)
    loop.state_machine.phase = "play"
    pilot.advance(0.1)
    assert pilot.eyes()[0] == {}


def test_a_release_ends_the_command_and_centres_the_stick(pilot, loop):
    pilot.steer(Stick(turn=1.0, height_m=0.8))
    pilot.release()
    assert loop.commands[-1] is None
    pilot.steer(Stick(height_m=0.8))
    assert loop.commands[-1] is None
    pilot.steer(Stick(turn=1.0, height_m=0.8))
    assert isinstance(loop.commands[-1], WalkRequest)


def test_speeds_are_displayed_while_walking_and_names_while_playing(pilot, loop):
    still = pilot.state()
    assert (still.forward_m_s, still.left_m_s, still.height_m, still.doing) == (0.0, 0.0, 0.87, "")
    loop.state_machine.mode = "walking"
    loop.state_machine.phase = "walk"
    loop.state_machine.current = WalkRequest(0.3)
    walking = pilot.state()
    assert (walking.forward_m_s, walking.left_m_s, walking.doing) == (0.3, -0.1, "")
    for phase, doing in (("approach", "nod"), ("play", "nod"), ("hold", "")):
        loop.state_machine.mode = "standing"
        loop.state_machine.phase = phase
        loop.state_machine.current = NOD
        assert pilot.state().doing == doing
    loop.state_machine.phase = "play"
    loop.state_machine.current = StandRequest()
    assert pilot.state().doing == ""
