"""Analyses of human motion against geometry and published numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import BadMotionError
from strut.human.analysis.gait_comparison import dissimilarity
from strut.human.analysis.leg_figures import covariance_plane, elevation_angles
from strut.kinematics.mirror import Mirror, mirror_of
from strut.maths.rotation import qpos_from_angles
from strut.models.catalogue import load_robot


def posture(**angles):
    names = ("TX", "TY", "TZ", "RY", "RX", "RZ")
    q = np.zeros((1, 34))
    q[0, 2] = 0.9938
    for name, value in angles.items():
        q[0, names.index(name) if name in names else 6 + load_robot("heiman").joint_names.index(name)] = value
    return qpos_from_angles(q)


def test_a_standing_leg_has_no_elevation_and_a_flat_foot_is_level(heiman):
    assert_allclose(elevation_angles(heiman, posture(), "Right"), 0.0, atol=1e-12)


def test_flexing_the_hip_lifts_the_thigh_ahead_and_bending_the_knee_the_shank_behind(heiman):
    angles = elevation_angles(heiman, posture(HipLeft_RY=-0.4, KneeLeft_RY=0.7), "Left")
    assert_allclose(angles, [[0.4, -0.3, -0.3]], atol=1e-12)
    assert_allclose(elevation_angles(heiman, posture(AnkleRight_RY=-0.2), "Right")[0, 2], 0.2, atol=1e-12)


def test_points_of_a_plane_have_no_third_share():
    rng = np.random.default_rng(2)
    flat = rng.normal(size=(50, 2)) @ np.array([[1.0, 0.5, 0.2], [0.0, 1.0, -0.7]])
    shares = covariance_plane(flat).shares
    assert shares[2] == pytest.approx(0.0, abs=1e-12)
    assert shares.sum() == pytest.approx(1.0)
    with pytest.raises(BadMotionError, match="too few"):
        covariance_plane(flat[:3])


def test_dissimilarity_is_zero_to_itself_symmetric_and_only_time_for_equal_postures():
    time = np.linspace(0.0, 0.66, 40)
    q = np.sin(np.outer(time, np.arange(1, 35)))
    assert dissimilarity(time, q, time, q).total == pytest.approx(0.0, abs=1e-15)
    slower = dissimilarity(time, q, time * 1.1, q)
    assert slower.posture == pytest.approx(0.0, abs=1e-6)
    assert slower.time == pytest.approx(0.066**2)
    assert slower.total_half_time == pytest.approx(slower.posture + 0.066**2 / 2.0)  # E27: the equation as printed
    other = q + 0.1
    assert dissimilarity(time, q, time, other).total == pytest.approx(dissimilarity(time, other, time, q).total)
    assert dissimilarity(time, q, time, other).posture == pytest.approx(0.1**2 / 2.0)


@pytest.mark.parametrize(  # Table 6.5 with the durations of Table 6.6: the printed half was not applied
    ("duration_s", "published"), [(0.484, 0.0309), (0.389, 0.0732), (0.265, 0.1562), (0.200, 0.2116), (0.504, 0.0244)]
)
def test_published_time_terms_take_the_whole_square(duration_s, published):
    q = np.zeros((5, 34))
    found = dissimilarity(np.linspace(0.0, 0.66, 5), q, np.linspace(0.0, duration_s, 5), q)
    assert found.time == pytest.approx(published, abs=3e-4)  # durations are printed with three digits


def test_the_mirror_is_its_own_inverse_and_has_the_published_pairs(heiman):
    names = [f"Pelvis_{axis}" for axis in ("TX", "TY", "TZ", "RY", "RX", "RZ")] + list(heiman.joint_names)
    mirror = mirror_of(heiman, names)
    values = np.random.default_rng(3).normal(size=34)
    assert_allclose(mirror.image(mirror.image(values)), values)
    assert sum(other == index for index, other in enumerate(mirror.partner)) == 12
    swapped = mirror.image(np.eye(34)[names.index("HipRight_RX")])
    assert swapped[names.index("HipLeft_RX")] == -1.0
    with pytest.raises(Exception, match="not its own inverse"):
        Mirror((1, 0), (1.0, -1.0))
