"""The crawl: published foot paths, phases, margins and orders, and feet that never slide."""

from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from strut.balance.polygon import convex_hull
from strut.balance.support import support_margin
from strut.emotion import named_emotion
from strut.expression.blend import style_for
from strut.gaits.crawl.crawl_plan import CrawlPlan, crawl_gait, crawl_plan, distance_in_strides, fade, swing_path
from strut.gaits.crawl.key_pose import ground_under, key_pose
from strut.maths.easing import smooth_step, smooth_step_scalar
from strut.maths.rotation import rotation_y
from strut.style import Style
from tests.thesis import EMOTIONS, NUMBERS, SWING_START, down, stroke

CYCLES = 8
PER_CYCLE = 200
STEADY = slice(3 * PER_CYCLE, 5 * PER_CYCLE)  # poses fade over two cycles at both ends, speed over one


def published_gait(robot):
    """The gait as printed: no handover, even timing; and no standing before and after, so that samples are phases."""
    return replace(crawl_gait(robot), handover=0.0, timing="published", settle_s=0.0)


def chosen_emotion(emotion):
    return named_emotion(emotion)


def steady_walk(robot, emotion, gait=None):
    """Return phases (T,), pose and plan of a walk in the published style, 200 samples per cycle."""
    style = style_for(robot, chosen_emotion(emotion), 1.0)
    pose = key_pose(robot, style)
    gait = gait or published_gait(robot)
    plan = crawl_plan(gait, pose, style, cycles=CYCLES, rate_hz=PER_CYCLE * style.tempo / gait.cycle_s)
    phase = np.round(np.arange(len(plan.time_s)) / PER_CYCLE, 12)
    assert len(phase) == CYCLES * PER_CYCLE + 1
    return (CYCLES - phase if style.direction < 0 else phase), pose, style, plan


def static_margin(plan, contact, *, com_x_m=0.0):
    """Return the margin of a massless-legged robot whose centre of mass is over a point of its body. Shape (T,)."""
    com = np.stack([plan.body_x_m + com_x_m, np.zeros_like(plan.body_x_m)], axis=1)
    return support_margin(contact, plan.foot_in_world, com)


@pytest.mark.parametrize("emotion", EMOTIONS)
def test_steady_feet_seen_from_the_body_follow_the_published_formula(mrpete, emotion):
    phase, pose, _, plan = steady_walk(mrpete, emotion)
    feet = pose.feet(np.array(1.0))
    ground = ground_under(feet)
    base = np.stack([plan.body_x_m, 0 * plan.body_x_m, 0 * plan.body_x_m + ground.height_m], axis=1)
    seen = (plan.foot_in_world - base[:, None]) @ rotation_y(-ground.nose_up_rad)
    along = np.array([np.cos(ground.nose_up_rad), 0.0, -np.sin(ground.nose_up_rad)])
    up = np.array([np.sin(ground.nose_up_rad), 0.0, np.cos(ground.nose_up_rad)])
    for index, leg in enumerate(mrpete.foot_names):
        length_mm, front_mm, hind_mm = NUMBERS["pose"][emotion]["step_mm"]
        x, z = stroke(phase, leg, length=length_mm / 1e3, height=(front_mm if leg[1] == "F" else hind_mm) / 1e3)
        published = feet[index] + x[:, None] * along + z[:, None] * up
        assert_allclose(seen[STEADY, index], published[STEADY], atol=1e-12, rtol=0)
    assert_allclose(plan.weight[STEADY], np.ones(2 * PER_CYCLE), atol=0)
    assert_allclose(plan.foot_weight[STEADY], np.ones((2 * PER_CYCLE, 4)), atol=0)


@pytest.mark.parametrize("emotion", EMOTIONS)
def test_step_length_and_heights_are_those_of_the_tables(mrpete, emotion):
    style = style_for(mrpete, chosen_emotion(emotion), 1.0)
    lift = key_pose(mrpete, style).lift_change_m
    step = [80 * style.stride, 40 * style.lift + lift[0] * 1e3, 40 * style.lift + lift[1] * 1e3]
    assert_allclose(step, NUMBERS["pose"][emotion]["step_mm"], atol=1e-9)


def test_the_printed_order_decides_which_foot_swings_when(mrpete):
    gait = crawl_gait(mrpete)
    assert dict(zip(mrpete.foot_names, gait.swing_start, strict=True)) == SWING_START
    assert (gait.duty_factor, gait.step_length_m, gait.step_height_m) == (0.75, 0.08, 0.04)


@pytest.mark.parametrize("handover", [0.0, 0.1, 0.5])
def test_three_feet_are_down_and_four_only_where_the_swing_leg_changes(mrpete, handover):
    gait = replace(published_gait(mrpete), handover=handover)
    phase, _, _, plan = steady_walk(mrpete, "neutral", gait)
    count = plan.contact.sum(axis=1)
    assert set(np.unique(count)) == {3, 4}
    from_switch = np.abs((phase * 4 + 0.5) % 1.0 - 0.5) / 4  # in cycles
    assert_array_equal((count == 4)[STEADY], (from_switch <= handover / 8 + 1e-9)[STEADY])
    for leg, name in enumerate(mrpete.foot_names):
        inside = (from_switch > handover / 8 + 1e-9) & (phase > 0) & (phase < CYCLES)
        assert_array_equal(plan.contact[inside, leg], down(phase, name)[inside])


def test_stance_is_three_times_slower_than_swing_and_the_body_advances_107_mm_a_cycle(mrpete):
    _, _, _, plan = steady_walk(mrpete, "neutral")
    x = plan.foot_in_world[STEADY, :, 0] - plan.body_x_m[STEADY, None]
    speed = np.diff(x, axis=0) * PER_CYCLE
    contact = plan.contact[STEADY]
    swinging = ~(contact[1:] | contact[:-1])
    standing = contact[1:] & contact[:-1]
    assert_allclose(speed[swinging], np.full(swinging.sum(), 0.08 / 0.25), rtol=1e-9)
    assert_allclose(speed[standing], np.full(standing.sum(), -0.08 / 0.75), rtol=1e-9)
    cycle_m = plan.body_x_m[4 * PER_CYCLE] - plan.body_x_m[3 * PER_CYCLE]
    assert cycle_m * 1e3 == pytest.approx(106.66666666666667, abs=1e-9)


@pytest.mark.parametrize("stride", [0.0, 0.5, 1.0, 1.4])
def test_swing_rises_to_40_mm_whatever_the_stride(mrpete, stride):
    pose = key_pose(mrpete, Style())
    style = Style(stride=stride)
    plan = crawl_plan(published_gait(mrpete), pose, style, cycles=CYCLES, rate_hz=50.0)
    neutral = crawl_plan(published_gait(mrpete), pose, Style(), cycles=CYCLES, rate_hz=50.0)
    assert_allclose(plan.foot_in_world[..., 2].max(axis=0), np.full(4, 0.04), atol=1e-12)
    assert_array_equal(plan.foot_in_world[..., 2], neutral.foot_in_world[..., 2])


@pytest.mark.parametrize("timing", ["smooth", "published"])
@pytest.mark.parametrize("emotion", EMOTIONS)
def test_feet_on_the_ground_never_move_or_tilt(mrpete, emotion, timing):
    _, _, _, plan = steady_walk(mrpete, emotion, replace(crawl_gait(mrpete), timing=timing, settle_s=0.0))
    both = plan.contact[1:] & plan.contact[:-1]
    assert_allclose(np.diff(plan.foot_in_world, axis=0)[both], np.zeros((both.sum(), 3)), atol=1e-15)
    assert_array_equal(np.diff(plan.foot_weight, axis=0)[both], np.zeros(both.sum()))
    assert (plan.foot_in_world[plan.contact][:, 2] == 0.0).all()
    assert (plan.foot_in_world[~plan.contact][:, 2] > 0.0).all()


@pytest.mark.parametrize("cycles", [2, 3, 7])
@pytest.mark.parametrize("emotion", EMOTIONS)
def test_walks_start_and_end_standing_in_neutral(mrpete, emotion, cycles):
    style = style_for(mrpete, chosen_emotion(emotion), 1.0)
    gait = crawl_gait(mrpete)
    plan = crawl_plan(gait, key_pose(mrpete, style), style, cycles=cycles, rate_hz=100.0)
    neutral = ground_under(key_pose(mrpete, Style()).feet(np.array(0.0))).footprint_m
    for sample in (0, -1):
        assert plan.contact[sample].all()
        assert plan.weight[sample] == 0.0
        assert_array_equal(plan.foot_weight[sample], np.zeros(4))
        assert_allclose(plan.foot_in_world[sample, :, :2] - [plan.body_x_m[sample], 0.0], neutral, atol=1e-12)
    assert plan.body_x_m[0] == 0.0
    travelled = style.direction * (cycles - min(1.0, cycles / 2)) * 0.08 * style.stride / 0.75
    assert plan.body_x_m[-1] == pytest.approx(travelled, abs=1e-12)
    assert plan.time_s[-1] == pytest.approx(cycles * 4.0 / style.tempo + 1.2, abs=0.01)


@given(intensity=st.floats(0.0, 1.5), emotion=st.sampled_from(EMOTIONS), cycles=st.integers(2, 4))
@settings(max_examples=15, deadline=None)
def test_body_and_weight_of_any_walk_are_smooth(mrpete, emotion, intensity, cycles):
    """No jump in speed anywhere: second differences stay those of a smooth curve."""
    style = style_for(mrpete, chosen_emotion(emotion), intensity)
    plan = crawl_plan(crawl_gait(mrpete), key_pose(mrpete, style), style, cycles=cycles, rate_hz=100.0)
    for curve, scale in ((plan.body_x_m, 0.15), (plan.weight, 1.0)):
        assert np.abs(np.diff(curve, n=2)).max() * 1e4 < 6.0 * scale * (style.tempo / 4.0) ** 2 * 4.0
    assert np.isfinite(plan.foot_in_world).all()


# static balance of the published gait


@pytest.mark.parametrize("emotion", EMOTIONS)
def test_static_margin_without_sway_is_that_of_the_reference(mrpete, emotion):
    """Centre of mass at the body's origin, massless legs, 200 samples per cycle, as the reference was computed.

    Half a sample nearer to the change of the swing leg the angry margin is 0.6 mm worse, the fearful one 0.4 mm.
    """
    phase, _, _, plan = steady_walk(mrpete, emotion)
    contact = np.stack([down(phase, leg) for leg in mrpete.foot_names], axis=1)
    margin_mm = static_margin(plan, contact)[STEADY].min() * 1e3
    assert margin_mm == pytest.approx(NUMBERS["pose"][emotion]["margin_mm"], abs=0.051)


@pytest.mark.parametrize("emotion", EMOTIONS)
def test_shift_that_restores_a_margin_is_that_of_the_reference(mrpete, emotion):
    phase, _, _, plan = steady_walk(mrpete, emotion)
    contact = np.stack([down(phase, leg) for leg in mrpete.foot_names], axis=1)
    for margin_m, shift_mm in zip((0.0, 0.015), NUMBERS["pose"][emotion]["shift_for_margin_mm"], strict=True):
        largest = 0.0
        for sample in range(STEADY.start, STEADY.stop):
            feet = plan.foot_in_world[sample, contact[sample], :2] - [plan.body_x_m[sample], 0.0]
            room = convex_hull(feet).inset(margin_m)
            nearest = room.nearest_at_same_x(np.zeros((1, 2)))[0]
            assert convex_hull(feet).margin(nearest) >= margin_m - 1e-12
            largest = max(largest, abs(nearest[1]))
        assert largest * 1e3 == pytest.approx(shift_mm, abs=1.05)


def test_walking_backwards_by_reversed_phase_keeps_more_margin_than_by_negated_stride(mrpete):
    phase, pose, _, plan = steady_walk(mrpete, "fearful")
    contact = np.stack([down(phase, leg) for leg in mrpete.foot_names], axis=1)
    reversed_mm = static_margin(plan, contact)[STEADY].min() * 1e3
    prints = ground_under(pose.feet(np.array(1.0))).footprint_m
    negated = np.stack(
        [prints[i, 0] + stroke(phase, leg, length=-0.08, height=0.0)[0] for i, leg in enumerate(mrpete.foot_names)],
        axis=1,
    )
    feet = np.stack([negated, np.broadcast_to(prints[:, 1], negated.shape)], axis=2)
    margins = [convex_hull(feet[k, contact[k]]).margin(np.zeros(2)) for k in range(PER_CYCLE)]
    assert reversed_mm == pytest.approx(-18.0, abs=0.051)
    assert min(margins) * 1e3 == pytest.approx(-35.2, abs=0.051)
    assert plan.body_x_m[-1] < 0.0


def test_printed_swing_order_has_the_best_margin_of_the_six(mrpete):
    """Over the centre of the feet the theory of duty factor 3/4 allows exactly 0."""
    smallest = {}
    mean = {}
    for order in permutations(("RF", "LH", "LF")):
        starts = dict(zip(("RH", *order), (0.0, 0.25, 0.5, 0.75), strict=True))
        gait = replace(published_gait(mrpete), swing_start=tuple(starts[name] for name in mrpete.foot_names))
        phase, _, _, plan = steady_walk(mrpete, "neutral", gait)
        contact = np.stack([down(phase, leg, starts) for leg in mrpete.foot_names], axis=1)
        margin_mm = static_margin(plan, contact, com_x_m=0.01)[STEADY] * 1e3
        smallest[order] = margin_mm.min()
        mean[order] = margin_mm.mean()
    printed = ("RF", "LH", "LF")
    assert smallest[printed] == pytest.approx(0.0, abs=1e-9)
    assert mean[printed] == pytest.approx(11.3, abs=0.05)
    for order in set(smallest) - {printed}:
        assert smallest[order] < -11.0
        assert mean[order] < 0.01


# pieces


def test_fear_walks_forwards_below_two_thirds_and_backwards_above(mrpete):
    fear = chosen_emotion("fearful")
    just_below, at, just_above = (style_for(mrpete, fear, 2 / 3 + off) for off in (-1e-6, 0.0, 1e-6))
    assert (just_below.direction, just_above.direction) == (1, -1)
    assert at.stride < 1e-12
    assert style_for(mrpete, fear, 1.0).tempo * style_for(mrpete, fear, 1.0).stride == pytest.approx(0.5)


@given(u=st.floats(-1.0, 2.0))
def test_smooth_step_rests_at_both_ends(u):
    h = 1e-4
    value = float(smooth_step(np.array(u)))
    assert smooth_step_scalar(u) == pytest.approx(value, abs=1e-15)
    assert 0.0 <= value <= 1.0
    assert value + float(smooth_step(np.array(1.0 - u))) == pytest.approx(1.0, abs=1e-12)
    for end in (0.0, 1.0):
        around = smooth_step(np.array([end - h, end, end + h]))
        assert abs(around[2] - around[0]) < 20 * h**3  # no speed
        assert abs(around[2] - 2 * around[1] + around[0]) < 20 * h**3  # no acceleration


def test_both_timings_run_the_same_path():
    share = np.linspace(0.0, 1.0, 2001)
    for timing in ("smooth", "published"):
        progress, height = swing_path(share, timing)
        assert_allclose(height, np.sin(np.pi * progress), atol=1e-15)
        assert (progress[0], progress[-1], height[0], height[-1]) == (0.0, 1.0, 0.0, 0.0)
        assert (np.diff(progress) >= 0.0).all()


@pytest.mark.parametrize("cycles", [2, 3, 5])
def test_distance_is_the_integral_of_a_speed_that_comes_in_and_goes_out(cycles):
    phase = np.linspace(0.0, cycles, 20001)
    distance = distance_in_strides(phase, cycles)
    speed = np.gradient(distance, phase)
    ramp = min(1.0, cycles / 2)
    expected = np.minimum(smooth_step(phase / ramp), smooth_step((cycles - phase) / ramp))
    assert_allclose(speed, expected, atol=1e-3)
    assert distance[0] == 0.0


def test_fade_is_symmetric_and_reaches_full_weight_when_there_is_time():
    phase = np.linspace(0.0, 6.0, 601)
    weight = fade(phase, 6, 2.0)
    assert_allclose(weight, weight[::-1], atol=1e-12)
    assert_allclose(weight[(phase >= 2) & (phase <= 4)], np.ones(201), atol=1e-12)
    assert fade(np.array([1.0]), 2, 2.0)[0] == 1.0  # two cycles still show the pose in their middle


def test_relaxed_plan_keeps_footprints_and_the_tilt_of_standing_feet(mrpete):
    _, _, _, plan = steady_walk(mrpete, "happy", replace(crawl_gait(mrpete), settle_s=0.0))
    share = 1.0 - 0.4 * np.exp(-(((np.arange(len(plan.time_s)) - 700.0) / 60.0) ** 2))
    relaxed = plan.relaxed(share)
    assert_allclose(relaxed.weight, plan.weight * share, atol=1e-15)
    assert_array_equal(relaxed.foot_in_world, plan.foot_in_world)
    assert_array_equal(relaxed.contact, plan.contact)
    both = plan.contact[1:] & plan.contact[:-1]
    assert_array_equal(np.diff(relaxed.foot_weight, axis=0)[both], np.zeros(both.sum()))
    assert (relaxed.foot_weight <= plan.foot_weight + 1e-15).all()
    assert relaxed.foot_weight.min() >= 0.0
    assert np.abs(np.diff(relaxed.foot_weight, axis=0)).max() < 0.06  # no jump between stances


def test_a_plan_relaxed_by_nothing_is_the_plan(mrpete):
    _, _, _, plan = steady_walk(mrpete, "happy")
    assert_array_equal(plan.relaxed(np.ones_like(plan.time_s)).foot_weight, plan.foot_weight)


@pytest.mark.parametrize("cycles", [2, 3, 10])
def test_the_second_half_of_a_walk_travels_as_the_first_does_backwards(cycles):
    phase = np.linspace(0.0, cycles, 401)
    there = distance_in_strides(phase, cycles)
    whole = cycles - min(1.0, cycles / 2.0)
    assert_allclose(there + there[::-1], whole, atol=1e-12)
    assert_allclose([there[0], there[200], there[-1]], [0.0, whole / 2.0, whole], atol=1e-12)
    speed = np.gradient(there, phase)
    assert_allclose(speed[250:390], fade(phase, cycles, 1.0)[250:390], atol=0.02)


def test_who_takes_on_its_pose_while_it_stands_shows_it_whole_from_the_first_step_to_the_last(mrpete):
    gait = replace(crawl_gait(mrpete), pose_first=True, settle_s=0.8)
    style = Style()
    plan = crawl_plan(gait, key_pose(mrpete, style), style, cycles=2, rate_hz=100.0)
    ends_s = np.minimum(plan.time_s, plan.time_s[-1] - plan.time_s)
    assert_allclose(plan.weight[ends_s >= 0.8 - 1e-9], 1.0, atol=1e-12)
    assert_allclose(plan.weight[[0, -1]], 0.0)
    assert_allclose(plan.weight[[40, -41]], 0.5, atol=1e-9)  # half of it in half of the time


def test_a_foot_keeps_the_smallest_share_of_its_stance_and_takes_on_the_next_while_it_swings():
    share = np.array([0.9, 0.5, 0.1, 0.1, 0.1, 0.8, 0.7])
    contact = np.array([[True, True, False, False, False, True, True]]).T
    ones = np.ones(7)
    plan = CrawlPlan(ones, ones, ones, np.ones((7, 1, 3)), np.ones((7, 1)), contact, ones).relaxed(share)
    quarter = smooth_step(np.array([0.25, 0.5, 0.75]))
    assert_allclose(plan.foot_weight[:, 0], [0.5, 0.5, *(0.5 + 0.2 * quarter), 0.7, 0.7])
    assert_allclose(plan.weight, share)
