"""Markers that carry each other's names over a whole recording are reported, and no others."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import pytest

from strut.formats.recording_file import read_recording
from strut.mocap.captured_walk import capture
from strut.mocap.gait_trial import prepare_trial
from strut.mocap.marker_fit.fit import fit
from tests.mocap.conftest import CMU_UNIT_M, walker_recording

LEG = ("ASI", "PSI", "THI", "KNE", "TIB", "ANK", "HEE", "TOE")


def exchanged(recording, first, second):
    names = {first: second, second: first}
    return replace(recording, marker_names=tuple(names.get(name, name) for name in recording.marker_names))


def reported(recording):
    return [set(fault.markers) for fault in prepare_trial(recording).faults if fault.kind == "exchange"]


@pytest.fixture(scope="module")
def author(data):
    recording = read_recording(data / "felis_subject3_neutral.c3d")
    return replace(recording, analog=None)


def test_every_exchange_of_two_markers_of_the_legs_is_reported():
    """A walker made of sines, with 2 mm of noise; exchanges within a leg, and with the other one."""
    made, _ = walker_recording(noise_m=0.002, frames=120)
    assert reported(made) == []
    right = [f"R{part}" for part in LEG if f"R{part}" in made.marker_names]
    pairs = [*combinations(right, 2), *((name, f"L{name[1:]}") for name in right)]
    missed = [pair for pair in pairs if set(pair) not in reported(exchanged(made, *pair))]
    assert missed == []


@pytest.mark.parametrize(
    "pair", [("RKNE", "RTHI"), ("LKNE", "LTHI"), ("RTIB", "RANK"), ("LTOE", "LHEE"), ("LASI", "RASI"), ("RTHI", "RTIB")]
)
def test_exchanges_in_a_real_recording_are_reported(author, pair):
    assert set(pair) in reported(exchanged(author, *pair))


@pytest.mark.parametrize("frame", [10, 60, 110])
def test_names_that_are_exchanged_on_the_way_are_reported_once(frame):
    made, _ = walker_recording(frames=120)
    pair = [made.marker_names.index(name) for name in ("LKNE", "LTHI")]
    swapped = made.markers_m.copy()
    swapped[frame:, pair] = swapped[frame:, pair[::-1]]
    faults = prepare_trial(replace(made, markers_m=swapped)).faults
    assert [(fault.kind, set(fault.markers), fault.frame) for fault in faults] == [("swap", {"LKNE", "LTHI"}, frame)]


@pytest.mark.parametrize(
    "name", ["qcmas_walk.c3d", "qcmas_static.c3d", "sydney_walk03.c3d", "c3d_samples/newwalk.c3d",
             "c3d_samples/plate_type2.c3d", "c3d_samples/plate_type3.c3d", "c3d_samples/pc_real.c3d",
             "cmu_bvh/69_06.bvh", "cmu_bvh/09_01.bvh", "cmu_bvh/91_13.bvh"]
)  # fmt: skip
def test_correct_names_are_not_reported(data, name):
    """Seven laboratories; a walk that turns round, a run, and one with a bent head."""
    unit = {"unit_m": CMU_UNIT_M} if name.endswith("bvh") else {}
    assert reported(read_recording(data / name, **unit)) == []


def test_a_fit_and_a_capture_name_the_exchanged_markers(author):
    """A fit explains them to 4 mm, with a knee that is up to 23 degrees off."""
    wrong = exchanged(author, "RKNE", "RTHI")
    note = "RKNE and RTHI are where the other one should be"
    assert any(note in one or note.replace("RKNE and RTHI", "RTHI and RKNE") in one for one in fit(
        wrong, height_m=1.86, mass_kg=75.0).notes)  # fmt: skip
    receipt = capture(wrong, height_m=1.86, mass_kg=75.0).motion.receipt
    assert receipt.verdict == "refused"
    assert any("have each other's names" in reason.text for reason in receipt.reasons)
