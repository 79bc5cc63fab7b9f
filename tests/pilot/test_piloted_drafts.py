"""Piloted drafts: what a feeling makes of a walk, how fast it went, and what becomes of one that does not end."""

from types import SimpleNamespace

import numpy as np
import pytest

from strut.draft import Detail
from strut.errors import OutOfRangeError
from strut.models.catalogue import load_robot
from strut.pilot import piloted_drafts
from strut.pilot.piloted_drafts import PilotedDrafts, _ended, _last_walk_s, walk_in_style
from strut.pilot.request import PilotedWalk
from strut.style import Style

CASSIE = load_robot("cassie")
STYLE = Style(tempo=1.2, stride=0.5, body_height=0.95, body_pitch_rad=0.1, lift=1.3)


def test_a_walk_in_a_style_is_the_robots_own_or_the_asked_one_times_its_words():
    own = CASSIE.gait
    walk = walk_in_style(CASSIE, PilotedWalk(), STYLE)
    assert walk.forward_m_s == pytest.approx(0.6 * own.speed_m_s)
    assert walk.height_m == pytest.approx(0.95 * own.height_m)
    assert (walk.left_m_s, walk.turn_rad_s, walk.distance_m) == (0.0, 0.0, own.distance_m)
    assert (walk.pitch_rad, walk.lift) == (0.1, 1.3)
    task = PilotedWalk(speed_m_s=0.4, sideways_m_s=0.2, turn_rad_s=0.3, body_height_m=0.8, distance_m=2.5)
    back = walk_in_style(CASSIE, task, Style(tempo=1.2, stride=0.5, body_height=0.95, direction=-1))
    assert (back.forward_m_s, back.left_m_s) == pytest.approx((-0.24, 0.12))
    assert (back.turn_rad_s, back.distance_m) == (0.3, 2.5)
    assert back.height_m == pytest.approx(0.76)


def walked(timeline, speed_m_s=0.5, turn_rad_s=0.0):
    time_s = np.arange(0.0, 12.0, 0.02)
    qpos = np.tile(CASSIE.standing_qpos, (len(time_s), 1))
    yaw = turn_rad_s * time_s
    qpos[:, 0] = speed_m_s * time_s
    qpos[:, 3:7] = np.column_stack([np.cos(yaw / 2.0), 0.0 * yaw, 0.0 * yaw, np.sin(yaw / 2.0)])
    return SimpleNamespace(
        time_s=time_s, qpos=qpos, meta={"outcome": {"timeline": timeline}}, figures={"control": "pilot"}
    )


TIMELINE = [
    (0.0, 0, "stand"),
    (0.4, 1, "walk"),
    (3.0, 1, "brake"),
    (3.5, 2, "walk"),
    (9.0, 2, "brake"),
    (10.0, 3, "stand"),
]


def test_the_last_walk_is_told_from_its_start_to_its_braking():
    assert _last_walk_s(walked(TIMELINE)) == (3.5, 9.0)
    assert _last_walk_s(walked(TIMELINE[:1])) == (0.0, 0.0)


def test_speeds_are_those_under_way_and_what_neutral_was_asked():
    drafts = PilotedDrafts(CASSIE, PilotedWalk(speed_m_s=0.3, sideways_m_s=0.4, turn_rad_s=0.2), 100.0)
    speeds = drafts._speeds(walked(TIMELINE, turn_rad_s=0.1))
    assert speeds["walking_speed_m_s"] == pytest.approx(0.5, rel=1e-6)
    assert speeds["walking_speed_asked_m_s"] == pytest.approx(0.5)
    assert speeds["turn_rate_rad_s"] == pytest.approx(0.1, rel=1e-6)
    assert speeds["turn_rate_asked_rad_s"] == 0.2


def test_a_draft_stands_walks_and_stands_and_one_beyond_the_controllers_is_not_made(monkeypatch):
    asked = []

    def drafted(robot, requests, *, rate_hz, library, style):
        asked.append((requests, rate_hz, style))
        return piloted_drafts.not_made(robot, style, "x", "y")

    monkeypatch.setattr(piloted_drafts, "piloted_draft", drafted)
    monkeypatch.setattr(PilotedDrafts, "_speeds", lambda self, draft: {"walking_speed_m_s": 0.25})
    drafts = PilotedDrafts(CASSIE, PilotedWalk(), 80.0)
    (draft,) = drafts.drafts(Style(body_height=0.98), Detail())
    (stand, walk, again), rate_hz, _ = asked[0]
    assert (stand.hold_s, again.hold_s, rate_hz) == (0.4, 0.4, 80.0)
    assert stand.height_m == walk.height_m == pytest.approx(0.98 * CASSIE.gait.height_m)
    assert draft.figures["walking_speed_m_s"] == 0.25
    (refused,) = PilotedDrafts(CASSIE, PilotedWalk(), 80.0).drafts(Style(stride=50.0), Detail())
    assert len(asked) == 1
    sentence = str(refused.violations[0].reason)
    assert sentence.startswith("command: ")
    assert sentence[9].islower()
    assert not sentence.endswith(".")
    with pytest.raises(OutOfRangeError):
        list(PilotedDrafts(CASSIE, PilotedWalk(speed_m_s=50.0), 80.0).drafts(Style(), Detail()))


@pytest.mark.parametrize(
    ("finished", "fell", "sentence"),
    [
        (True, False, None),
        (False, True, "simulation: falls at 0.05 s"),
        (False, False, "simulation: is not done after 0 s"),
    ],
)
def test_a_show_that_falls_or_does_not_end_is_told(finished, fell, sentence):
    outcome = SimpleNamespace(finished=finished, fell=fell, upright_s=0.05)
    run = SimpleNamespace(outcome=outcome, motion=SimpleNamespace(time_s=np.array([0.0, 0.05, 0.1])))
    found = _ended(run)
    assert [str(short.reason) for short in found] == ([] if sentence is None else [sentence])
    if sentence:
        assert found[0].broken.tolist() == [False, True, True]
