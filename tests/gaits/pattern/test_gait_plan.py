"""Gait patterns and plans: contact schedule, footprints and planned zero-moment point."""

import numpy as np
import pytest

from strut.errors import UnknownNameError
from strut.gaits.pattern.gait_pattern import (
    MAX_SPEED_UP,
    PATTERNS,
    contact_schedule,
    find_pattern,
    speed_up,
    time_unit_s,
)
from strut.gaits.pattern.gait_plan import FootStance, gait_plan, planned_zmp
from strut.gaits.pattern.gait_track import Reach, TrackPiece, pieces_to, track
from strut.place import Place

CORNERS = ("front left", "front right", "hind left", "hind right")
FEET_M = np.array([[0.2, 0.15, 0.02], [0.2, -0.15, 0.02], [-0.2, 0.15, 0.02], [-0.2, -0.15, 0.02]])
QUADRUPED = FootStance(CORNERS, FEET_M, 0.3)
BIPED = FootStance(("left", "right"), np.array([[0.0, 0.1, 0.0], [0.0, -0.1, 0.0]]), 0.8)


def planned(gait, stance, *, velocity=(0.3, 0.0, 0.0), cycles=5, uneven=0.0, rate_hz=200.0):
    return gait_plan(
        PATTERNS[gait],
        stance,
        period_s=0.6,
        pieces=(TrackPiece(tuple(0.6 * np.array(velocity)), cycles),),
        lift_m=0.05,
        settle_s=0.5,
        rate_hz=rate_hz,
        uneven=uneven,
    )


GAITS = [("crawl", QUADRUPED), ("walk", QUADRUPED), ("trot", QUADRUPED), ("biped", BIPED)]


@pytest.mark.parametrize(("gait", "stance"), GAITS)
def test_feet_are_on_the_ground_for_the_duty_factor(gait, stance):
    phase = np.linspace(0.0, 20.0, 20001)
    steps = contact_schedule(PATTERNS[gait], stance.places, phase, 20)
    steady = (phase > 1.0) & (phase < 19.0)
    np.testing.assert_allclose(steps.contact[steady].mean(axis=0), PATTERNS[gait].duty_factor, atol=2e-3)


@pytest.mark.parametrize(("gait", "fewest"), [("crawl", 3), ("walk", 2), ("trot", 2)])
def test_quadrupeds_keep_their_number_of_feet_down(gait, fewest):
    assert planned(gait, QUADRUPED).schedule.contact.sum(axis=1).min() == fewest


@pytest.mark.parametrize(("gait", "stance"), GAITS)
def test_a_foot_on_the_ground_does_not_move_and_a_foot_in_the_air_is_lifted(gait, stance):
    plan = planned(gait, stance, velocity=(0.3, 0.05, 0.4))
    is_stance = plan.schedule.contact
    stays = is_stance[1:] & is_stance[:-1]
    assert np.abs(np.diff(plan.foot_in_world, axis=0))[stays].max() < 1e-12
    lift = plan.foot_in_world[..., 2] - stance.foot_m[:, 2]
    assert lift[is_stance].max() < 1e-12
    assert lift.max(axis=0) == pytest.approx(np.full(len(stance.places), 0.05), rel=5e-3)


@pytest.mark.parametrize(("gait", "stance"), GAITS)
def test_the_walk_starts_and_ends_in_the_same_stance(gait, stance):
    plan = planned(gait, stance, velocity=(0.3, 0.05, 0.4))
    for sample in (0, -1):
        x, y, yaw = plan.track[sample]
        turn = np.array([[np.cos(yaw), -np.sin(yaw)], [np.sin(yaw), np.cos(yaw)]])
        np.testing.assert_allclose(plan.foot_in_world[sample, :, :2], stance.foot_m[:, :2] @ turn.T + [x, y], atol=1e-9)


def test_a_steady_walk_has_the_commanded_velocity():
    plan = planned("trot", QUADRUPED, velocity=(0.4, 0.0, 0.0), cycles=8)
    steady = (plan.schedule.phase > 2.0) & (plan.schedule.phase < 6.0)
    speed = np.gradient(plan.track[:, 0], plan.time_s)[steady]
    np.testing.assert_allclose(speed, 0.4, rtol=1e-6)


def test_a_turn_on_the_spot_stays_there():
    plan = planned("trot", QUADRUPED, velocity=(0.0, 0.0, 0.8), cycles=6)
    assert np.abs(plan.track[:, :2]).max() < 1e-9
    assert plan.track[-1, 2] == pytest.approx(0.8 * 0.6 * 5.0, rel=1e-3)  # the two ramps count as one cycle


@pytest.mark.parametrize(("gait", "stance"), GAITS)
def test_the_weight_is_on_all_feet_before_the_first_and_after_the_last_step(gait, stance):
    plan = planned(gait, stance)
    for sample in (0, -1):
        np.testing.assert_allclose(plan.schedule.load[sample], 1.0)
        np.testing.assert_allclose(planned_zmp(plan)[sample], plan.foot_in_world[sample, :, :2].mean(axis=0), atol=1e-9)


@pytest.mark.parametrize(("gait", "stance"), GAITS)
def test_the_planned_zero_moment_point_is_between_the_stance_feet(gait, stance):
    plan = planned(gait, stance)
    for sample in range(0, len(plan.time_s), 7):
        feet = plan.foot_in_world[sample, plan.schedule.contact[sample], :2]
        low = feet.min(axis=0) - 1e-9
        high = feet.max(axis=0) + 1e-9
        assert ((low <= planned_zmp(plan)[sample]) & (planned_zmp(plan)[sample] <= high)).all()


def test_time_that_runs_unevenly_goes_as_far():
    even = planned("trot", QUADRUPED)
    uneven = planned("trot", QUADRUPED, uneven=0.4)
    np.testing.assert_allclose(uneven.track[-1], even.track[-1], atol=1e-9)
    rate = [np.abs(np.diff(plan.foot_in_world[:, 0, 0])).max() for plan in (even, uneven)]
    assert rate[1] > 1.1 * rate[0]


@pytest.mark.parametrize(
    "goal",
    [(1.0, 0.0, 0.0), (0.3, -0.4, 90.0), (-0.5, 0.0, 0.0), (0.0, 0.0, -170.0), (2.0, 1.0, 45.0), (0.0, 0.3, 0.0)],
)
def test_pieces_lead_to_the_goal_within_reach(goal):
    place = Place(goal[0], goal[1], np.radians(goal[2]))
    reach = Reach(0.2, 0.08, 0.5)
    pieces = pieces_to(Place(0.0, 0.0), [place], reach)
    x, y, yaw = track(np.array(float(sum(piece.cycles for piece in pieces))), pieces)
    np.testing.assert_allclose([x, y], goal[:2], atol=1e-9)
    assert np.cos(yaw - place.heading_rad) == pytest.approx(1.0)
    for piece in pieces:
        assert (np.abs(piece.per_cycle) <= np.array([0.2, 0.08, 0.5]) + 1e-9).all()


def test_a_walk_over_a_way_point_passes_it():
    places = [Place(0.5, 0.2, 0.3), Place(0.5, 0.8, 1.5)]
    pieces = pieces_to(Place(0.0, 0.0), places, Reach(0.2, 0.08, 0.5))
    path = track(np.linspace(0.0, sum(piece.cycles for piece in pieces), 5000), pieces)
    assert np.linalg.norm(path[:, :2] - [0.5, 0.2], axis=1).min() < 1e-3
    np.testing.assert_allclose(path[-1], [0.5, 0.8, 1.5], atol=1e-9)


def test_a_biped_cannot_trot():
    with pytest.raises(UnknownNameError, match="gait 'trot'"):
        find_pattern("trot", 2)


@pytest.mark.parametrize(("length_m", "speed"), [(0.3, 1.30), (0.6, 0.85), (0.9, 0.69)])
def test_a_long_body_on_short_legs_trots_at_the_minimum_speed_up_to_a_largest_factor(length_m, speed):
    """In body lengths per second: a short body is faster anyway, a very long one stays slower."""
    found = speed_up(PATTERNS["trot"], height_m=0.3, length_m=length_m, gravity_m_s2=9.81)
    own = PATTERNS["trot"].stride * 0.3 / (PATTERNS["trot"].period * time_unit_s(0.3, 9.81))
    quick_m_s = found.stride * 0.3 / (found.period * time_unit_s(0.3, 9.81))
    assert quick_m_s / length_m == pytest.approx(speed, abs=0.01)
    assert own <= quick_m_s * (1.0 + 1e-9) <= own * MAX_SPEED_UP * (1.0 + 1e-6)
    assert found.stride * found.period == pytest.approx(PATTERNS["trot"].stride * PATTERNS["trot"].period)


def test_only_trots_have_a_minimum_speed():
    assert speed_up(PATTERNS["crawl"], height_m=0.3, length_m=2.0, gravity_m_s2=9.81) == PATTERNS["crawl"]
    assert speed_up(PATTERNS["biped"], height_m=0.8, length_m=0.0, gravity_m_s2=9.81) == PATTERNS["biped"]
