"""Which foot a plate carries: known forces are put on plates that are made here, and must come back foot by foot."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from strut.mocap.forces.footprints import Footprint
from strut.mocap.forces.plate_assignment import plate_forces
from strut.mocap.forces.plate_plausibility import plausible_plates
from strut.recording import ForcePlate, Recording

RATE_HZ = 100.0
WEIGHT_N = 700.0
STRIDE_S = 1.1
STANCE_S = 0.7
BELT_M_S = np.array([-1.2, 0.0])
TIME_S = np.arange(round(4.0 * RATE_HZ)) / RATE_HZ
FOOT_M = 0.26


def stances(*, belt_m_s=BELT_M_S, left_y_m=0.1, right_y_m=-0.1):
    """Return footprints of steps by the clock: on a belt each lands at the same place, over ground a stride ahead."""
    found = []
    for side, shift_s, y_m in (("Right", 0.0, right_y_m), ("Left", 0.5 * STRIDE_S, left_y_m)):
        for start_s in np.arange(-1, 4) * STRIDE_S + shift_s:
            ahead_m = 0.0 if belt_m_s.any() else 1.2 * start_s
            made = Footprint(side, start_s, start_s + STANCE_S, np.zeros(2), np.array([1.0, 0.0]), FOOT_M, belt_m_s)
            found.append(replace(made, heel_m=np.array([0.2 + ahead_m, y_m]) + belt_m_s * (made.flat_s - start_s)))
    return tuple(sorted(found, key=lambda footprint: footprint.start_s))


def known_load(footprint):
    """Return vertical force, forward force and centre of pressure on one foot, by hand. Shapes (T,), (T,), (T, 2)."""
    share = (TIME_S - footprint.start_s) / STANCE_S
    up_n = np.where((share > 0.0) & (share < 1.0), WEIGHT_N * np.sin(np.pi * np.clip(share, 0.0, 1.0)) ** 0.5, 0.0)
    forwards_n = -0.15 * up_n * np.cos(np.pi * np.clip(share, 0.0, 1.0))
    along_m = (0.1 + 0.7 * np.clip(share, 0.0, 1.0)) * FOOT_M
    heel_m = footprint.heel_m + np.outer(TIME_S - footprint.flat_s, footprint.belt_m_s)
    return up_n, forwards_n, heel_m + np.column_stack([along_m, np.zeros_like(along_m)])


def measured_by(plates_m, footprints):
    """Return force plates, given as (x, x, y, y), that carry the parts of the feet over them, and the truth by foot.

    A foot over two plates loads each of them with a part of its force, at points whose mean is its pressure.
    """
    force = np.zeros((len(plates_m), len(TIME_S), 3))
    moment = np.zeros_like(force)  # about the origin
    truth = np.zeros((len(TIME_S), 2, 3))
    for footprint in footprints:
        up_n, forwards_n, cop_m = known_load(footprint)
        load = np.column_stack([forwards_n, np.zeros_like(up_n), up_n])
        truth[:, ("Right", "Left").index(footprint.side)] += load
        low_m, high_m = (
            np.clip(cop_m[:, 1:] + edge_m, *np.array([plate[2:] for plate in plates_m]).T) for edge_m in (-0.045, 0.045)
        )
        ahead = [(cop_m[:, 0] > low_x) & (cop_m[:, 0] < high_x) for low_x, high_x, *_ in plates_m]
        share = (high_m - low_m) * np.column_stack(ahead)  # (T, plates); a gap between plates carries nothing
        share /= np.maximum(share.sum(axis=1, keepdims=True), 1e-9)
        for index in range(len(plates_m)):
            part = share[:, index, None] * load
            place = np.column_stack([cop_m[:, 0], 0.5 * (low_m + high_m)[:, index], np.zeros(len(TIME_S))])
            force[index] += part
            moment[index] += np.cross(place, part)
    plates = []
    for index, (low_x, high_x, low_y, high_y) in enumerate(plates_m):
        corners = np.array(
            [[high_x, high_y, 0], [high_x, low_y, 0], [low_x, low_y, 0], [low_x, high_y, 0]], dtype=float
        )
        about_centre = moment[index] - np.cross(corners.mean(axis=0), force[index])
        plates.append(
            ForcePlate(
                f"plate {index}", RATE_HZ, force[index], about_centre, np.full((len(TIME_S), 3), np.nan), corners
            )
        )
    return tuple(plates), truth


def assigned(plates, footprints):
    recording = Recording("made", RATE_HZ, ("LASI",), np.zeros((len(TIME_S), 1, 3)), plates=plates)
    return plate_forces(SimpleNamespace(recording=recording), footprints)


def known_share(found, truth):
    """Return the share of the loaded frames of each foot whose force is known; what is known must be true."""
    shares = []
    for foot in range(2):
        known = np.isfinite(found.wrench[:, foot, 2])
        np.testing.assert_allclose(found.wrench[known, foot, :3], truth[known, foot], atol=1.0)
        loaded = truth[:, foot, 2] > 100.0
        shares.append(float(known[loaded].mean()))
    total = np.isfinite(found.total[:, 2])
    np.testing.assert_allclose(found.total[total, :3], truth[total].sum(axis=1), atol=1.0)
    return shares, float(total.mean())


BELTS = ((-1.0, 1.0, 0.0025, 0.5), (-1.0, 1.0, -0.5, -0.0025))  # left and right, 5 mm apart


def test_feet_on_their_own_belts_keep_their_forces():
    footprints = stances()
    plates, truth = measured_by(BELTS, footprints)
    shares, total = known_share(assigned(plates, footprints), truth)
    assert min(shares) > 0.99
    assert total > 0.95


@pytest.mark.parametrize("left_y_m", [0.03, 0.01, -0.02])
def test_a_foot_that_crosses_keeps_its_whole_force_while_the_other_belt_is_free(left_y_m):
    """Half of its force is on the wrong belt, and in double support the load of that belt is that of two feet."""
    footprints = stances(left_y_m=left_y_m, right_y_m=-0.15)
    plates, truth = measured_by(BELTS, footprints)
    found = assigned(plates, footprints)
    shares, total = known_share(found, truth)
    assert np.isfinite(found.wrench[truth[:, 1, 2] > 690.0, 1, 2]).all()  # the right foot is in mid-swing
    assert min(shares) > 0.3
    both = (truth[..., 2] > 200.0).all(axis=1)
    assert not np.isfinite(found.wrench[both, 0, 2]).any()
    assert np.isfinite(found.total[both, 2]).all()
    assert total > 0.9


def test_one_plate_under_both_feet_tells_only_their_total():
    footprints = stances()
    plates, truth = measured_by(((-1.0, 1.0, -0.5, 0.5),), footprints)
    found = assigned(plates, footprints)
    _, total = known_share(found, truth)
    both = (truth[..., 2] > 200.0).all(axis=1)
    assert not np.isfinite(found.wrench[both, :, 2]).any()
    assert np.isfinite(found.total[both, 2]).all()
    assert total > 0.9


def test_over_ground_two_steps_on_one_plate_are_not_told_apart_while_both_feet_are_on_it():
    footprints = stances(belt_m_s=np.zeros(2))
    plates, truth = measured_by(((0.9, 1.9, -0.3, 0.3), (1.9, 3.5, -0.3, 0.3)), footprints)
    found = assigned(plates, footprints)
    known_share(found, truth)
    assert np.isfinite(found.total[:, 2]).sum() > 50


def test_a_load_beside_the_feet_is_not_used_and_reported():
    """The file says that plates are 0.15 m farther to the left than they are."""
    footprints = stances()
    plates, _ = measured_by(BELTS, footprints)
    moved = tuple(replace(plate, corners_m=plate.corners_m + np.array([0.0, 0.15, 0.0])) for plate in plates)
    found = assigned(moved, footprints)
    assert not (np.nan_to_num(found.wrench[..., 2]) > 100.0).any()
    assert any("beside the feet" in doubt for doubt in found.doubts)


def test_a_plate_that_jumps_is_not_followed_there():
    """A channel fails for 60 ms: 2.1 body weights, then 0.3, while the body moves on as before."""
    footprints = stances()
    plates, truth = measured_by(BELTS, footprints)
    found = assigned(plates, footprints)
    required = truth.sum(axis=1)
    usable = np.ones(len(TIME_S), dtype=bool)
    assert plausible_plates(found, footprints, required, WEIGHT_N, usable) is found
    broken = found.wrench.copy()
    rows = np.flatnonzero((truth[:, 0, 2] > 600.0) & (truth[:, 1, 2] == 0.0))[:12]
    broken[rows[:6], 0, 2] = 2.1 * WEIGHT_N
    broken[rows[6:], 0, 2] = 0.3 * WEIGHT_N
    kept = plausible_plates(replace(found, wrench=broken, together=None), footprints, required, WEIGHT_N, usable)
    assert np.isnan(kept.total[rows, 2]).all()
    assert np.isfinite(kept.total[:, 2]).sum() > 0.7 * np.isfinite(found.total[:, 2]).sum()
    assert any("body weights more or less" in doubt for doubt in kept.doubts)
