"""Formulas of gait plans: tracks, contact schedules, footprints and loads, by hand and by integration."""

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from strut.gaits.pattern.gait_pattern import GaitPattern, contact_schedule, mid_stance_phases, slow_down, speed_up
from strut.gaits.pattern.gait_plan import FootStance, fade_in_and_out, gait_plan, planned_zmp
from strut.gaits.pattern.gait_track import Reach, TrackPiece, envelope, pieces_to, track
from strut.maths.easing import smooth_step
from strut.place import Place

PATTERN = GaitPattern({"left": 0.0, "right": 0.5}, 0.6, 4.0, 0.5, 0.1, 0.1)
STANCE = FootStance(
    ("left", "right"),
    np.array([[0.03, 0.1, 0.02], [-0.04, -0.12, 0.01]]),
    0.8,
    cop_m=np.array([[0.01, 0.02], [0.03, -0.01]]),
)
PIECES = (TrackPiece((0.3, 0.05, 0.4), 3), TrackPiece((0.2, 0.0, -0.3), 2))


def test_the_track_is_the_integral_of_its_twists():
    """Euler's rule in small steps along the body's heading, at the speed that the envelope says."""
    phase = np.linspace(0.0, 5.0, 5001)
    found = track(phase, PIECES)
    rate = envelope(phase, PIECES)
    assert_allclose(rate[[0, 500, 1500, 3000, 3500, 5000]], [0.0, 0.5, 1.0, 0.0, 0.5, 0.0], atol=1e-9)
    place = np.zeros(3)
    for k in range(5000):
        piece = PIECES[0] if phase[k] + 5e-4 < 3.0 else PIECES[1]
        middle = 0.5 * (rate[k] + rate[k + 1]) * 1e-3
        step = middle * np.array(piece.per_cycle)
        yaw = place[2] + 0.5 * step[2]
        c = np.cos(yaw)
        s = np.sin(yaw)
        place = place + np.array([c * step[0] - s * step[1], s * step[0] + c * step[1], step[2]])
        if k % 500 == 499:
            assert_allclose(found[k + 1], place, atol=2e-3)
    assert found[-1, 2] == pytest.approx(2.0 * 0.4 - 1.0 * 0.3)  # ramps cost a cycle


@pytest.mark.parametrize(
    "goal",
    [
        Place(0.01, 0.0),
        Place(0.2, 0.05, 0.15),
        Place(0.3, 0.1, 0.05),
        Place(0.4, 0.1, 0.3),
        Place(2.0, -1.0, -2.0),
        Place(-0.3, 0.0, 0.0),
        Place(0.0, 0.0, 1.2),
    ],
)
def test_pieces_lead_to_the_goal_within_reach(goal):
    reach = Reach(0.3, 0.1, 0.5)
    pieces = pieces_to(Place(0.0, 0.0), [goal], reach)
    end = track(np.array([float(sum(piece.cycles for piece in pieces))]), pieces)[0]
    assert_allclose(end[:2], [goal.x_m, goal.y_m], atol=1e-6)
    assert np.cos(end[2] - goal.heading_rad) == pytest.approx(1.0, abs=1e-9)
    for piece in pieces:
        assert abs(piece.per_cycle[0]) <= 0.3 + 1e-9
        assert abs(piece.per_cycle[1]) <= 0.1 + 1e-9
        assert abs(piece.per_cycle[2]) <= 0.5 + 1e-9
    from_there = pieces_to(goal, [goal], reach)
    assert from_there == (TrackPiece((0.0, 0.0, 0.0), 2),)


def test_a_piece_has_as_many_cycles_as_its_farthest_part_needs():
    reach = Reach(0.3, 0.1, 0.5)
    (straight,) = pieces_to(Place(0.0, 0.0), [Place(0.9, 0.0)], reach)
    assert (straight.per_cycle, straight.cycles) == (pytest.approx((0.3, 0.0, 0.0)), 4)
    (longer,) = pieces_to(Place(0.0, 0.0), [Place(0.91, 0.0)], reach)
    assert longer.cycles == 5
    far = pieces_to(Place(0.0, 0.0), [Place(0.0, 3.0)], reach)  # a turn of 4 + 1, a walk of 10 + 1, and a turn back
    assert [piece.cycles for piece in far] == [5, 11, 5]


@pytest.mark.parametrize("turn_rad", [0.0, 0.7])
def test_a_piece_is_the_logarithm_of_its_displacement(turn_rad):
    """The exponential of its twist, by the matrix exponential of SE(2), is the displacement."""
    pieces = pieces_to(Place(0.0, 0.0), [Place(0.3, 0.2, turn_rad)], Reach(9.0, 9.0, 9.0))
    (piece,) = pieces
    x, y, turn = piece.per_cycle
    displacement = expm(np.array([[0.0, -turn, x], [turn, 0.0, y], [0.0, 0.0, 0.0]]))
    assert_allclose(displacement[:2, 2], [0.3, 0.2], atol=1e-12)
    assert np.arctan2(displacement[1, 0], displacement[0, 0]) == pytest.approx(turn_rad)


def test_the_contact_schedule_has_the_number_the_progress_and_the_load_of_each_swing():
    phase = np.array([-0.1, 0.0, 0.2, 0.39, 0.4, 0.45, 0.95, 1.2, 1.7])
    steps = contact_schedule(PATTERN, ("left", "right"), phase, 2)
    assert steps.swing_number[:, 0].tolist() == [-1, 0, 0, 0, 0, 0, 0, 1, 1]
    assert_allclose(steps.swing_share[:, 0], [0.0, 0.0, 0.5, 0.975, 1.0, 1.0, 1.0, 0.5, 1.0])
    half = smooth_step(np.array(0.5))
    assert_allclose(steps.load[:, 0], [1.0, 0.0, 0.0, 0.0, 0.0, half, half, 0.0, 1.0], atol=1e-9)
    assert steps.swing_number[:, 1].tolist() == [-1, -1, -1, -1, -1, -1, 0, 0, 1]
    assert steps.contact[:, 1].tolist() == [True, True, True, True, True, True, True, True, False]
    assert_allclose(mid_stance_phases(PATTERN, "right", 3), [0.0, 1.2, 2.2, 3.0])


def test_a_plan_puts_feet_where_the_body_passes_them_in_the_middle_of_their_stance():
    plan = gait_plan(PATTERN, STANCE, period_s=0.5, pieces=PIECES, lift_m=0.06, settle_s=0.4, rate_hz=100.0, uneven=0.3)
    assert plan.time_s[-1] == pytest.approx(0.8 + 2.5)
    even = np.clip((plan.time_s - 0.4) / 0.5, 0.0, 5.0)
    hurry = 0.3 * np.sin(2.0 * np.pi * 2.0 * even) / (2.0 * np.pi * 2.0)
    assert_allclose(plan.phase, even - hurry, atol=1e-12)
    assert_allclose(plan.track, track(plan.phase, PIECES), atol=1e-12)
    for foot, name in enumerate(STANCE.places):
        middle = track(mid_stance_phases(PATTERN, name, 5), PIECES)
        x, y = STANCE.foot_m[foot, :2]
        heading = Rotation.from_euler("z", middle[:, 2:])
        prints = middle[:, :2] + heading.apply([x, y, 0.0])[:, :2]
        share = plan.schedule.swing_share[:, foot]
        swing = plan.schedule.swing_number[:, foot]
        height = STANCE.foot_m[foot, 2] + 0.06 * 64.0 * (share * (1.0 - share)) ** 3
        assert_allclose(plan.foot_in_world[:, foot, 2], height, atol=1e-12)
        for k in range(0, len(plan.time_s), 17):
            before = max(swing[k], 0)
            after = swing[k] + 1
            progress = smooth_step(share[k : k + 1])[0]
            assert_allclose(
                plan.foot_in_world[k, foot, :2], prints[before] + progress * (prints[after] - prints[before])
            )
            yaw = middle[before, 2] + progress * (middle[after, 2] - middle[before, 2])
            assert plan.foot_yaw_rad[k, foot] == pytest.approx(yaw, abs=1e-12)
            c = np.cos(yaw)
            s = np.sin(yaw)
            x, y = STANCE.cop_m[foot]
            pushed = plan.foot_in_world[k, foot, :2] + [c * x - s * y, s * x + c * y]
            assert_allclose(plan.cop_in_world[k, foot], pushed, atol=1e-12)
    load = plan.schedule.load
    mean = (load[:, :1] * plan.cop_in_world[:, 0] + load[:, 1:] * plan.cop_in_world[:, 1]) / load.sum(axis=1)[:, None]
    assert_allclose(planned_zmp(plan), mean, atol=1e-12)
    ends = np.minimum(plan.time_s, plan.time_s[-1] - plan.time_s)
    assert_allclose(plan.expressed_share, smooth_step(ends / 0.4), atol=1e-12)
    assert_allclose(fade_in_and_out(plan.time_s, 0.2), smooth_step(ends / 0.2), atol=1e-12)


def test_patterns_slow_down_by_longer_stances_and_speed_up_by_pace_and_stride_alike():
    slow = slow_down(PATTERN, 0.75)
    assert (slow.duty_factor, slow.handover) == pytest.approx((0.7, 0.2))
    assert slow_down(PATTERN, 1.5) == PATTERN
    fast = GaitPattern({"left": 0.0}, 0.6, 4.0, 0.5, 0.1, 0.1, min_speed=1.5)
    unit = np.sqrt(0.4 / 9.81)
    own = 0.5 * 0.4 / (4.0 * unit)
    quick = speed_up(fast, height_m=0.4, length_m=0.2, gravity_m_s2=9.81)
    factor = np.sqrt(min(max(1.5 * 0.2 / own, 1.0), 1.6))
    assert factor > 1.0
    assert (quick.period, quick.stride) == pytest.approx((4.0 / factor, 0.5 * factor))
    assert speed_up(fast, height_m=0.4, length_m=9.0, gravity_m_s2=9.81).stride == pytest.approx(0.5 * np.sqrt(1.6))
