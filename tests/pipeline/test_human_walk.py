"""Feelings of a human walk: published speeds and postures at the anchors, continuous between them."""

from dataclasses import fields
from types import SimpleNamespace

import numpy as np
import pytest

from strut.emotion import Emotion, named_emotion
from strut.errors import BadMotionError, OutOfRangeError, UnknownNameError
from strut.expression.blend import style_for
from strut.expression.expressed_share import expressed_shares
from strut.human.analysis.naturalness import Naturalness
from strut.human.problem.bounce import usual_rise_m
from strut.human.problem.criteria import named_criteria
from strut.human.problem.gait_options import GaitOptions
from strut.human.problem.gait_problem import gait_problem
from strut.human.problem.posture_costs import midway_style, prescribed_angles, step_cost, step_time_reduction
from strut.human.synthesis.human_drafts import measured_style
from strut.human.table import human_gait
from strut.pipeline.walk import walk
from strut.style import Style

EMOTIONS = ("happy", "angry", "sad", "fearful")


def shares_of(robot, emotion, intensity, *, speed_m_s, looks):
    asked = style_for(robot, emotion, intensity)
    return expressed_shares(robot, asked, measured_style(robot, asked, speed_m_s=speed_m_s, naturalness=looks))


@pytest.mark.parametrize(  # Hicheur's superposition: percent of neutral speed, degrees of trunk and head, + forwards;
    # fear's lean back is chosen
    ("name", "percent", "trunk_deg", "head_deg"),
    [("sad", 40, 16, 16), ("happy", 130, -16, 0), ("angry", 160, 16, 0), ("fearful", 50, -8, 0)],
)
def test_anchors_have_the_published_speed_and_posture(heiman, name, percent, trunk_deg, head_deg):
    style = style_for(heiman, named_emotion(name))
    assert style.speed == pytest.approx(percent / 100.0)
    assert np.degrees(style.trunk_pitch_rad) == pytest.approx(trunk_deg, abs=0.03)
    assert np.degrees(style.head_pitch_rad) == pytest.approx(head_deg, abs=0.01)


def test_joy_anger_and_fear_make_steps_short_in_time_and_sadness_leaves_them_to_speed(heiman):
    found = {name: step_time_reduction(style_for(heiman, named_emotion(name))) for name in EMOTIONS}
    # Durations of steps in the thesis: 0.66 s neutral, 0.54 s expressive joy, 0.43 s expressive anger.
    published = {"happy": 1.0 - 0.54 / 0.66, "angry": 1.0 - 0.43 / 0.66, "sad": 0.0, "fearful": 0.2}
    assert found == pytest.approx(published, abs=0.01)
    half = style_for(heiman, named_emotion("angry"), 0.5)
    assert step_time_reduction(half) == pytest.approx(0.175)
    cost = step_cost(heiman, half)
    best_s = (1.0 - step_time_reduction(half)) * human_gait(heiman).step.usual_s
    assert cost.weight == pytest.approx(0.175 * human_gait(heiman).step.weight)
    assert cost.value(SimpleNamespace(total_s=best_s)) == pytest.approx(0.0, abs=1e-12)
    assert cost.value(SimpleNamespace(total_s=best_s + 0.05)) == pytest.approx(1.0)
    assert step_cost(heiman, heiman.expression.neutral_style()).weight == 0.0


def test_neutral_is_upright_at_usual_speed_and_half_intensity_is_half_the_change(heiman):
    style = style_for(heiman, Emotion(0.0, 0.0))
    assert style.speed == 1.0
    assert style.trunk_pitch_rad == style.head_pitch_rad == 0.0
    half = style_for(heiman, named_emotion("sad"), 0.5)
    assert half.speed == pytest.approx(0.7)
    assert np.degrees(half.trunk_pitch_rad) == pytest.approx(8.0, abs=0.01)


def test_trunk_head_and_elbows_are_held_by_their_joints(heiman):
    arms = ("ShoulderRight_RX", "ShoulderLeft_RX", "ElbowRight_RY", "ElbowLeft_RY")
    names = ("Pelvis_RY", "Lumbar_RY", "Head_RY", *arms)
    held = prescribed_angles(heiman, names, style_for(heiman, named_emotion("sad")))
    assert held == pytest.approx(dict(zip(names, (0.13965, 0.13965, 0.2793, -0.14, 0.14, -0.20, -0.20), strict=True)))
    with pytest.raises(UnknownNameError, match="There is no coordinate 'Head_RY'"):
        prescribed_angles(heiman, [name for name in names if name != "Head_RY"], Style())


@pytest.mark.parametrize("name", EMOTIONS)
def test_half_way_to_neutral_is_the_style_of_half_the_emotion(heiman, name):
    full, half = (style_for(heiman, named_emotion(name), intensity) for intensity in (1.0, 0.5))
    found = midway_style(full, heiman.expression.neutral_style())
    for word in ("tempo", "trunk_pitch_rad", "head_pitch_rad", "arm_swing", "elbow_rad"):
        assert getattr(found, word) == pytest.approx(getattr(half, word), abs=1e-12)


def test_too_many_cycles_are_refused(heiman):
    with pytest.raises(OutOfRangeError, match="cycles"):
        walk(heiman, "sad", cycles=0)


def looks(style, **changed):
    """What a walk would look like that shows all of a style, but for what is changed."""
    seen = {one.name: 0.0 for one in fields(Naturalness)} | {
        "trunk_forward_rad": style.trunk_pitch_rad,
        "head_forward_rad": style.head_pitch_rad,
        "elbow_rad": style.elbow_rad,
        "shoulder_rad": style.shoulder_rad,
        "arms_over_legs": style.arm_swing,
        "step_s": 0.56 / style.tempo,
        "rise_m": 0.04,
    }
    return Naturalness(**seen | changed)


def test_receipts_of_older_files_are_read_without_bands():
    told = Naturalness(**dict.fromkeys((one.name for one in fields(Naturalness)), 0.5)).as_dict()
    older = {name: value for name, value in told.items() if not name.startswith("bands_")}
    found = Naturalness.from_dict(older | {"shown_tempo": 1.0})
    assert (found.step_s, found.bands_judged, found.bands_worst_sd) == (0.5, 0, None)
    with pytest.raises(BadMotionError, match="The receipt has no step_s, rise_m; make the walk again"):
        Naturalness.from_dict({name: value for name, value in older.items() if name not in ("step_s", "rise_m")})


def test_a_walk_that_does_not_bend_as_asked_says_how_much_it_shows(heiman):
    sad = named_emotion("sad")
    style = style_for(heiman, sad)
    all_of_it = shares_of(heiman, sad, 1.0, speed_m_s=0.52, looks=looks(style))
    words = ("speed", "trunk_pitch_rad", "head_pitch_rad", "arm_swing", "elbow_rad")
    assert all_of_it == pytest.approx(dict.fromkeys(words, 1.0), abs=1e-3)
    little = looks(style, trunk_forward_rad=np.radians(4), head_forward_rad=np.radians(-3), elbow_rad=0.45)
    some = shares_of(heiman, sad, 1.0, speed_m_s=0.91, looks=little)
    found = {"speed": 0.5, "trunk_pitch_rad": 0.25, "head_pitch_rad": 0.0, "arm_swing": 1.0, "elbow_rad": 0.0}
    assert some == pytest.approx(found, abs=1e-3)


def test_fear_that_is_only_slow_is_reported_as_slow(heiman):
    fear = named_emotion("fearful")
    neutral = heiman.expression.neutral_style()
    seen = looks(neutral, step_s=0.67)
    shares = shares_of(heiman, fear, 1.0, speed_m_s=0.65, looks=seen)
    assert shares.pop("speed") == pytest.approx(1.0)
    assert shares == dict.fromkeys(("tempo", "trunk_pitch_rad", "arm_swing", "elbow_rad", "shoulder_rad"), 0.0)


def test_a_bounce_rises_more_than_the_neutral_walk_at_the_same_speed(heiman):
    happy = named_emotion("happy")
    style = style_for(heiman, happy)
    usual_m = usual_rise_m(heiman, 1.69)
    for rise_m, share in ((1.6 * usual_m, 1.0), (1.3 * usual_m, 0.5), (0.7 * usual_m, 0.0)):
        shares = shares_of(heiman, happy, 1.0, speed_m_s=1.69, looks=looks(style, rise_m=rise_m))
        assert shares["bounce"] == pytest.approx(share, abs=1e-6)
    problem = gait_problem(heiman, named_criteria(heiman, "natural"), speed_m_s=1.69, options=GaitOptions(style=style))
    rise = next(one for one in problem.phases[0].constraints if one.name == "rise of the centre of mass")
    assert rise.lower == pytest.approx(1.6 * usual_m)
    assert "lowest_com_m" in [parameter.name for parameter in problem.parameters]


def test_speeds_outside_human_walking_are_capped_and_reported(heiman):
    style = style_for(heiman, named_emotion("sad"), 1.5)
    speed = 1.3 * style.speed
    assert speed < human_gait(heiman).speed_m_s.min
    shares = shares_of(heiman, named_emotion("sad"), 1.5, speed_m_s=0.4, looks=looks(style))
    assert shares["speed"] == pytest.approx((1.3 - 0.4) / (1.3 - speed), abs=1e-6)
    assert shares["speed"] < 0.8


def test_rates_that_no_file_should_have_are_refused(heiman):
    with pytest.raises(OutOfRangeError, match="samples per second"):
        walk(heiman, "sad", cycles=2, rate_hz=float("nan"))
    with pytest.raises(OutOfRangeError, match="choose 50 to 1000"):
        walk(heiman, "sad", cycles=2, rate_hz=25.0)  # nobody could judge what happens between landings
