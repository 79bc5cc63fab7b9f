"""What a person's stick becomes, and what a person sees: a pilot over a loop that only writes down what it is told."""

from types import SimpleNamespace

import numpy as np
import pytest

from strut.models.catalogue import load_robot
from strut.pilot.controllers.reference import PlayRequest, StandRequest, WalkRequest
from strut.pilot.live.live_pilot import DEAD_ZONE, FOREVER_S, SILENCE_S, LivePilot, Stick, _is_stand, _speed_of_share
from strut.pilot.plant.torque_model import control_table
from strut.simulation.playback import TOUCHED_N

CASSIE = load_robot("cassie")
COMMAND = control_table(CASSIE).command
TICK_S = 0.01
LOWEST, HIGHEST = COMMAND.walking_height_m
NOD = PlayRequest([0.0, 1.0], [(0.0, 0.0, 0.9)] * 2, np.zeros((2, 3)), "nod")


class WrittenLoop:
    """A loop without physics: commands are kept, ticks counted."""

    def __init__(self):
        self.commands = []
        self.ticks = 0
        self.tick_times_s = [1.0]
        self.touched_n = 0.0
        state_machine = SimpleNamespace(mode="standing", phase="hold", source="animation", current=None)
        walking = SimpleNamespace(mean_speed_m_s=(0.3, -0.1))
        self.pilot = SimpleNamespace(
            tick_s=TICK_S, radio=None, state_machine=state_machine, walking=walking, command=self.command
        )
        self.plant = SimpleNamespace(qpos=np.array([1.0, 2.0, 0.87]), foot_forces=lambda: (None, self.touched_n))
        self.record = SimpleNamespace(fell=False)

    def command(self, request):
        self.commands.append(request)
        self.pilot.radio = request

    def tick(self):
        self.ticks += 1


@pytest.fixture
def pilot():
    """Return a pilot that stands 0.9 m high and has been asked nothing."""
    found = object.__new__(LivePilot)
    found.robot = CASSIE
    found.refused = ""
    found._loop = WrittenLoop()
    found._height_m = 0.9
    found._stick = Stick()
    found._heard_s = 0.0
    found._eyes = (0.0, {})
    return found


def asked(pilot):
    return pilot._loop.commands[-1]


@pytest.mark.parametrize("axis", ["forward", "left", "turn"])
def test_a_stick_near_its_middle_stands_and_one_that_is_moved_walks(axis):
    for sign in (1.0, -1.0):
        assert _is_stand(Stick(**{axis: 0.99 * sign * DEAD_ZONE}))
        assert not _is_stand(Stick(**{axis: 1.01 * sign * DEAD_ZONE}))
    assert not _is_stand(Stick(walking=True))


@pytest.mark.parametrize(
    ("share", "speed"),
    [
        (0.5, 0.4),
        (1.0, 0.8),
        (3.0, 0.8),
        (-0.5, -0.15),
        (-2.0, -0.3),
        (0.99 * DEAD_ZONE, 0.0),
        (-0.99 * DEAD_ZONE, 0.0),
    ],
)
def test_a_share_is_of_the_range_on_its_own_side(share, speed):
    assert _speed_of_share(share, (-0.3, 0.8)) == pytest.approx(speed)


def test_a_moved_stick_is_a_walk_forever_at_the_last_height(pilot):
    pilot.steer(Stick(forward=0.5, left=-0.25, turn=1.0))
    walk = asked(pilot)
    assert walk.forward_m_s == pytest.approx(0.5 * COMMAND.forward_m_s[1])
    assert walk.left_m_s == pytest.approx(0.25 * COMMAND.sideways_m_s[0])
    assert walk.turn_rad_s == pytest.approx(COMMAND.turn_rad_s[1])
    assert (walk.height_m, walk.duration_s, walk.distance_m) == (0.9, FOREVER_S, None)
    pilot.steer(Stick(height_m=0.8))
    assert asked(pilot) == StandRequest(FOREVER_S, 0.8)
    pilot.steer(Stick(forward=0.5))
    assert asked(pilot).height_m == 0.8


def test_the_same_stick_is_no_new_command_but_is_heard(pilot):
    pilot._loop.ticks = 70
    pilot.steer(Stick())
    assert pilot._loop.commands == []
    assert pilot._heard_s == pytest.approx(0.7)


@pytest.mark.parametrize(("height_m", "possible_m"), [(LOWEST - 0.04, LOWEST), (HIGHEST + 0.04, HIGHEST)])
def test_a_height_that_cannot_be_walked_is_refused_and_the_nearest_taken(pilot, height_m, possible_m):
    pilot._height_m = height_m
    pilot.steer(Stick(forward=0.5))
    assert asked(pilot).height_m == possible_m
    assert "walking height" in pilot.refused
    assert (pilot._height_m, pilot._stick) == (possible_m, Stick(forward=0.5))
    pilot.steer(Stick())
    assert pilot.refused == ""


def test_a_stick_that_asks_for_nonsense_changes_nothing(pilot):
    pilot.steer(Stick(forward=float("nan")))
    assert pilot._loop.commands == []
    assert pilot._stick == Stick()
    assert pilot.refused != ""


def test_time_passes_in_whole_ticks_until_it_falls(pilot):
    pilot.advance(0.25)
    assert (pilot._loop.ticks, pilot.time_s, pilot._loop.tick_times_s) == (25, pytest.approx(0.25), [])
    pilot._loop.touched_n = 0.99 * TOUCHED_N
    pilot.advance(0.1)
    assert not pilot._loop.record.fell
    pilot._loop.touched_n = 1.01 * TOUCHED_N
    pilot.advance(0.1)
    assert pilot._loop.record.fell
    pilot.advance(0.1)
    assert pilot._loop.ticks == 45


@pytest.mark.parametrize(("past_s", "stops"), [(-0.015, False), (0.025, True)])
def test_who_hears_nothing_for_a_while_stops_walking(pilot, past_s, stops):
    pilot.advance(0.3)
    pilot.steer(Stick(forward=0.5, height_m=0.85))
    pilot.advance(SILENCE_S + past_s)
    assert isinstance(asked(pilot), StandRequest) is stops
    if stops:
        assert asked(pilot) == StandRequest(FOREVER_S, 0.85)
        assert pilot._stick == Stick(height_m=0.85)  # the same stick, heard again, is moved
        assert len(pilot._loop.commands) == 2


def test_who_stands_is_not_told_again_to_stand(pilot):
    pilot.steer(Stick(height_m=0.85))
    pilot.advance(2.0 * SILENCE_S)
    assert len(pilot._loop.commands) == 1


def test_a_movement_shows_its_eyes_from_when_it_is_played(pilot):
    eyes = {"eyes": [[0.0, "happy"]]}
    pilot._stick = Stick(forward=0.5, height_m=0.8)
    pilot._loop.ticks = 50
    pilot.play(NOD, eyes)
    assert asked(pilot) is NOD
    assert (pilot._heard_s, pilot._stick) == (pytest.approx(0.5), Stick(height_m=0.8))
    pilot.advance(0.2)
    assert pilot.eyes() == ({}, 0.0)  # it is still on its way there
    pilot._loop.pilot.state_machine.phase = "play"
    pilot.advance(0.1)
    assert pilot.eyes() == (eyes, 0.0)
    pilot.advance(0.3)
    assert pilot.eyes() == (eyes, pytest.approx(0.3))
    pilot._loop.record.fell = True
    assert pilot.eyes() == ({"eyes": [[0.0, "wide"]]}, 1.0)


def test_a_movement_without_eyes_has_none_and_a_release_gives_the_robot_back(pilot):
    pilot.play(NOD)
    assert pilot._eyes == (-1.0, {})
    pilot._stick = Stick(turn=1.0, height_m=0.8)
    pilot.release()
    assert asked(pilot) is None
    assert pilot._stick == Stick(height_m=0.8)


def test_speeds_are_seen_while_it_walks_and_names_while_it_plays(pilot):
    state_machine = pilot._loop.pilot.state_machine
    still = pilot.state()
    assert (still.forward_m_s, still.left_m_s, still.height_m, still.doing) == (0.0, 0.0, 0.87, "")
    state_machine.mode = "walking"
    state_machine.phase = "walk"
    state_machine.current = WalkRequest(0.3)
    walking = pilot.state()
    assert (walking.forward_m_s, walking.left_m_s, walking.doing) == (0.3, -0.1, "")
    for phase, doing in (("approach", "nod"), ("play", "nod"), ("hold", "")):
        state_machine.mode = "standing"
        state_machine.phase = phase
        state_machine.current = NOD
        assert pilot.state().doing == doing
    state_machine.phase = "play"
    state_machine.current = StandRequest()
    assert pilot.state().doing == ""
