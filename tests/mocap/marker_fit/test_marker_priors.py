"""Priors of a subject's parameters: the hips by the published regression, from the width and depth of the pelvis."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.mocap.marker_fit.body_priors import human_geometry
from strut.mocap.marker_fit.marker_priors import HIP_SD_M, PELVIC_TILT_RAD, parameter_prior
from strut.mocap.markers.marker_set import Landmark
from strut.recording import Recording

SPINES = ("LASI", "RASI", "LPSI", "RPSI")


def prior_of(width_m, depth_m):
    """Return the prior for four markers on a pelvis that stands still."""
    half = width_m / 2.0
    places = np.array([[0.0, half, 0.95], [0.0, -half, 0.95], [-depth_m, 0.04, 0.97], [-depth_m, -0.04, 0.97]])
    recording = Recording("pelvis", 100.0, SPINES, np.tile(places, (5, 1, 1)))
    at = [(0.04, 0.06, 0.04), (0.04, -0.06, 0.04), (-0.06, 0.02, 0.05), (-0.06, -0.02, 0.05)]
    landmarks = {name: Landmark("Pelvis", place, np.full(3, 0.03)) for name, place in zip(SPINES, at, strict=True)}
    return parameter_prior(human_geometry(), 1.8, landmarks, recording)[0], np.array(at) * 1.8


def test_hips_are_where_harrington_found_them():
    """Harrington et al. (2007): behind, below and beside the middle of the front spines, along the pelvis."""
    width_m = 0.24
    depth_m = np.hypot(0.15, 0.02)  # the hind spines are 2 cm higher
    prior, usual_m = prior_of(width_m, 0.15)
    names = human_geometry().length_names
    half_m = 0.33 * width_m + 0.0073
    for side in ("Left", "Right"):
        assert prior.lengths_m[names.index(f"Hip{side}Width")] == pytest.approx(half_m)
    behind_m = 0.24 * depth_m + 0.0099
    below_m = 0.30 * width_m + 0.0109
    tilt = np.array(
        [[np.cos(PELVIC_TILT_RAD), np.sin(PELVIC_TILT_RAD)], [-np.sin(PELVIC_TILT_RAD), np.cos(PELVIC_TILT_RAD)]]
    )
    assert_allclose(prior.local_m[:2].mean(axis=0)[[0, 2]], tilt @ [behind_m, below_m], atol=1e-12)
    moved = prior.local_m - usual_m
    assert_allclose(moved, np.tile(moved[0], (4, 1)), atol=1e-12)  # all markers of the pelvis move together
    assert not moved[:, 1].any()
    assert (prior.local_sd_m <= HIP_SD_M + 0.01 + 1e-12).all()


def test_a_pelvis_of_an_odd_size_keeps_the_usual_hips():
    prior, usual_m = prior_of(0.9, 0.15)
    assert_allclose(prior.local_m, usual_m)
