"""Published bands of people's walking, and how far our usual gait is from them."""

import numpy as np
import pytest

from strut.human.analysis.gait_analysis import cycle_scores
from strut.human.analysis.naturalness import FAR_SD, NEAR_SD, odd_scores
from strut.human.analysis.reference_bands import (
    BandScore,
    band_curve,
    band_of,
    band_scores,
    dimensionless_speed,
    has_bands,
    reference_bands,
    reference_curves,
)
from strut.models.subject import subject


def test_every_band_says_where_it_is_from():
    table = reference_bands()
    assert len(table.figure) >= 30
    assert all(band.source in table.source for band in table.figure.values())
    assert list(table.speed) == sorted(table.speed)


@pytest.mark.parametrize("speed_m_s", [1.0, 1.3, 1.6])
@pytest.mark.parametrize("height_m", [1.65, 1.74, 1.86])
def test_steps_follow_the_relation_of_grieve_and_gear(height_m, speed_m_s):
    person = subject(height_m, 70.0)
    statures_s = speed_m_s / height_m
    strides_min = 64.8 * statures_s**0.57  # Grieve & Gear (1966), adult men
    assert band_of(person, speed_m_s, "step_length_m")[0] == pytest.approx(30.0 * speed_m_s / strides_min, rel=0.03)
    assert band_of(person, speed_m_s, "cadence_per_min")[0] == pytest.approx(2.0 * strides_min, rel=0.03)


def test_figures_and_curves_agree_on_the_knee_and_the_ankle(heiman):
    _, knee, _ = band_curve(heiman, 1.3, "angle", "Knee_RY")
    assert knee.max() == pytest.approx(band_of(heiman, 1.3, "knee_swing_deg")[0], abs=2.0)
    assert knee[:7].max() == pytest.approx(band_of(heiman, 1.3, "knee_loading_deg")[0], abs=2.0)
    _, ankle, _ = band_curve(heiman, 1.3, "torque", "Ankle_RY")
    assert -ankle.min() == pytest.approx(band_of(heiman, 1.3, "ankle_plantarflexion_nm_kg")[0], rel=0.05)
    _, power, _ = band_curve(heiman, 1.3, "power", "Ankle_RY")
    assert power.max() == pytest.approx(band_of(heiman, 1.3, "ankle_push_w_kg")[0], rel=0.1)


def test_curves_end_as_they_begin():
    for kind in ("angle", "torque", "power"):
        for curve in getattr(reference_curves(), kind).values():
            for mean, sd in zip(curve.mean, curve.sd, strict=True):
                assert len(mean) == len(sd) == 21
                assert abs(mean[0] - mean[-1]) <= max(sd[0], 0.1)


def test_a_figure_at_the_mean_is_0_away_and_one_at_a_standard_deviation_1(heiman):
    mean, sd = band_of(heiman, 1.2, "knee_swing_deg")
    score = band_scores(heiman, 1.2, {"knee_swing_deg": mean + sd, "nobody_measures_this": 1.0})
    assert list(score) == ["knee_swing_deg"]
    assert score["knee_swing_deg"].z == pytest.approx(1.0)
    assert odd_scores(score) == []
    far = band_scores(heiman, 1.2, {"knee_swing_deg": mean - 5.0 * sd})
    assert "knee flexion in swing" in odd_scores(far)[0]


def test_speeds_at_which_nothing_is_published_are_not_judged(heiman):
    assert band_scores(heiman, 0.5, {"knee_swing_deg": 60.0}) == {}
    assert band_curve(heiman, 2.4, "angle", "Knee_RY") is None
    assert band_curve(heiman, 1.3, "angle", "Head_RY") is None


def test_the_usual_gait_is_within_the_bands_of_people(gait):
    scores = gait.band_scores()
    misses = np.abs([score.z for score in scores.values()])
    assert len(misses) >= 30
    assert np.mean(misses <= NEAR_SD) >= 0.9
    assert misses.max() < FAR_SD
    assert gait.naturalness.bands_near == np.sum(misses <= NEAR_SD)
    value = {name: score.value for name, score in scores.items()}
    assert value["step_length_m"] == pytest.approx(scores["step_length_m"].mean, rel=0.06)
    assert 1.0 < value["force_first_hump_bw"] < 1.25
    assert 1.0 < value["force_second_hump_bw"] < 1.25
    assert 0.65 < value["force_valley_bw"] < 0.87
    assert 1.2 < value["ankle_plantarflexion_nm_kg"] < 1.8
    assert value["ankle_push_w_kg"] < 4.5
    assert gait.naturalness.heel_clearance_m > 0.005


def test_a_gait_and_its_motion_have_the_same_scores(gait):
    own = gait.band_scores()
    of_motion = cycle_scores(gait.robot, gait.motion(steps=4, rate_hz=200.0))
    assert own.keys() == of_motion.keys()
    for name, score in own.items():
        assert of_motion[name].z == pytest.approx(score.z, abs=0.15), name


def test_walks_a_little_outside_the_published_speeds_are_judged_by_the_ends_of_the_table(heiman):
    """Dimensionless speeds of the table are 0.30 to 0.57; 0.06 beyond them is judged, no more."""
    unit = np.sqrt(9.81 * heiman.subject.standing_pelvis_height_m)
    assert dimensionless_speed(heiman, 1.3) == pytest.approx(1.3 / unit)
    for pace, judged in ((0.241, True), (0.239, False), (0.629, True), (0.631, False)):
        assert has_bands(heiman, pace * unit) is judged
        assert (band_curve(heiman, pace * unit, "angle", "Knee_RY") is not None) is judged
    slowest, below = (band_of(heiman, pace * unit, "knee_swing_deg") for pace in (0.30, 0.25))
    assert slowest == pytest.approx(below)


def test_bands_between_two_published_speeds_are_between_those(heiman):
    unit = np.sqrt(9.81 * heiman.subject.standing_pelvis_height_m)
    band = reference_bands().figure["knee_swing_deg"]
    curve = reference_curves().angle["Knee_RY"]
    assert band_of(heiman, 0.365 * unit, "knee_swing_deg") == pytest.approx(
        (np.mean(band.mean[:2]), np.mean(band.sd[:2]))
    )
    percent, mean, sd = band_curve(heiman, 0.5 * unit, "angle", "Knee_RY")
    np.testing.assert_allclose(percent, 5.0 * np.arange(21))
    np.testing.assert_allclose(mean, np.mean(curve.mean[1:], axis=0))
    np.testing.assert_allclose(sd, np.mean(curve.sd[1:], axis=0))


def test_a_score_is_how_many_deviations_above_the_mean_as_json_has_it():
    score = BandScore("a knee", 70.0, 60.0, 4.0)
    assert score.z == 2.5
    assert score.as_dict() == {"words": "a knee", "value": 70.0, "mean": 60.0, "sd": 4.0, "z": 2.5}
