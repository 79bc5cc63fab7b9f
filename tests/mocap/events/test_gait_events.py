"""Heel strikes and toe offs from markers alone come when feet land and leave, as clocks and plates tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from strut.formats.recording_file import read_recording
from strut.mocap.events.gait_events import contact_states, find_gait_events
from strut.mocap.gait_trial import flat_feet, prepare_trial, replace_by_plate_events
from strut.recording import GaitEvent
from tests.mocap.conftest import CMU_UNIT_M, stepper_recording

TUNED = ("qcmas_walk", "sydney_walk03", "c3d_samples/gait-pig", "c3d_samples/newwalk")
HELD_OUT = (
    *("sydney_walk04", "sydney_walk05", "c3d_samples/plate_type1", "c3d_samples/plate_type2"),
    *("c3d_samples/plate_type3", "c3d_samples/pc_real"),
)


def of(events, kind, side):
    return [event.time_s for event in events if (event.kind, event.side) == (kind, side)]


@pytest.mark.parametrize("belt", [False, True], ids=["on a floor", "on a treadmill"])
@pytest.mark.parametrize("rate_hz", [50.0, 100.0, 250.0])
def test_a_stepper_by_the_clock_is_caught_in_every_step(belt, rate_hz):
    recording, truth = stepper_recording(belt=belt, rate_hz=rate_hz)
    events = prepare_trial(recording).events
    for side, name in (("R", "Right"), ("L", "Left")):
        strikes, leaves = truth[side]
        inside = strikes[(strikes > 0.3) & (strikes < recording.duration_s - 0.2)]
        found = of(events, "heel_strike", name)
        assert len([time_s for time_s in found if 0.2 < time_s < recording.duration_s - 0.2]) >= len(inside) > 2
        for strike in inside:
            assert min(abs(time_s - strike) for time_s in found) < 0.04
        for leave in leaves[(leaves > 0.3) & (leaves < recording.duration_s - 0.3)]:
            assert min(abs(time_s - leave) for time_s in of(events, "toe_off", name)) < 0.05


def test_events_of_a_foot_come_in_the_order_of_a_stance():
    events = prepare_trial(stepper_recording()[0]).events
    order = ("heel_strike", "foot_flat", "heel_off", "toe_off")
    for side in ("Right", "Left"):
        kinds = [event.kind for event in events if event.side == side]
        first = kinds.index("heel_strike")
        assert all(kind == order[index % 4] for index, kind in enumerate(kinds[first : first + 8]))


def test_a_standing_body_has_no_events(data):
    trial = prepare_trial(read_recording(data / "sydney_static.c3d"))
    assert trial.events == ()
    assert flat_feet(trial).all()


@pytest.mark.parametrize(("names", "least"), [(TUNED, 17), (HELD_OUT, 15)], ids=["tuned on", "held out"])
def test_events_are_within_20_ms_of_plates_and_19_of_20_within_40(data, names, least):
    errors = []
    for name in names:
        trial = prepare_trial(read_recording(data / f"{name}.c3d"))
        for felt in trial.plate_events:
            found = of(trial.events, felt.kind, felt.side)
            errors.append(min(abs(time_s - felt.time_s) for time_s in found))
    assert len(errors) >= least
    assert np.median(errors) < 0.020
    assert np.percentile(errors, 95) <= 0.040


def test_feet_without_markers_on_toes_or_heels_have_events_too(data):
    for left_out in (("TOE", "MT5"), ("HEE",)):
        errors = []
        for name in ("sydney_walk04", "sydney_walk05", "qcmas_walk"):
            whole = read_recording(data / f"{name}.c3d")
            kept = [label for label in whole.marker_names if label[1:] not in left_out]
            part = replace(whole, marker_names=tuple(kept), markers_m=whole.markers(kept), residual_m=None)
            trial = prepare_trial(part)
            felt = prepare_trial(whole).plate_events
            for event in felt:
                errors.append(min(abs(t - event.time_s) for t in of(trial.events, event.kind, event.side)))
        assert np.median(errors) < 0.025
        assert np.percentile(errors, 95) < 0.060


def test_too_few_frames_for_a_filter_say_why_there_are_no_events():
    recording, _ = stepper_recording()
    trial = prepare_trial(replace(recording, markers_m=recording.markers_m[:12]))
    assert trial.events == ()
    assert trial.recording.notes[-1].startswith("Gait events were not searched for: stepper: ")


def test_the_authors_walk_has_the_published_speed_and_steps(data):
    """Behaviour 22: 1.10 m/s, steps of 0.65 s from toe off to toe off."""
    trial = prepare_trial(read_recording(data / "felis_subject3_neutral.c3d"))
    assert trial.paths.speed_m_s == pytest.approx(1.10, abs=0.03)
    leaves = sorted([*of(trial.events, "toe_off", "Right"), *of(trial.events, "toe_off", "Left")])
    assert np.diff(leaves) == pytest.approx(0.65, abs=0.04)


def test_cmu_walks_step_steadily(data):
    for name, least in (("35_01", 1), ("104_02", 3), ("91_29", 8)):
        trial = prepare_trial(read_recording(data / "cmu_bvh" / f"{name}.bvh", unit_m=CMU_UNIT_M))
        strides = np.diff(of(trial.events, "heel_strike", "Left"))
        assert len(strides) >= least
        assert 0.9 < np.median(strides) < 1.5


def test_contacts_follow_from_events_and_from_what_must_have_been_before():
    events = [
        GaitEvent("toe_off", "Right", 0.2),
        GaitEvent("heel_strike", "Right", 0.6),
        GaitEvent("foot_flat", "Right", 0.7),
        GaitEvent("heel_off", "Right", 1.0),
        GaitEvent("toe_off", "Right", 1.2),
    ]
    time_s = np.arange(0.0, 1.5, 0.1) + 0.05
    contacts = contact_states(events, time_s)
    heel = contacts["Right", "heel"]
    ball = contacts["Right", "forefoot"]
    assert [bool(one) for one in ball] == [t < 0.2 or 0.7 <= t < 1.2 for t in time_s]
    assert [bool(one) for one in heel[2:]] == [0.6 <= t < 1.0 for t in time_s[2:]]
    assert not contacts["Left", "heel"].any()


def test_forces_of_a_plate_replace_those_from_markers():
    marked = (GaitEvent("heel_strike", "Left", 1.0), GaitEvent("toe_off", "Left", 1.6))
    felt = (GaitEvent("heel_strike", "Left", 1.02), GaitEvent("heel_strike", "Right", 1.0))
    assert replace_by_plate_events(marked, felt) == (felt[0], marked[1])


def test_no_events_without_a_walk():
    recording, _ = stepper_recording()
    standing = type(recording)("s", 100.0, recording.marker_names, np.repeat(recording.markers_m[:1], 300, axis=0))
    assert find_gait_events(prepare_trial(standing).paths) == ()
