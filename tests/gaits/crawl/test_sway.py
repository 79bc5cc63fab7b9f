"""Sway on a robot that is one mass on a cart: its dynamics are known exactly."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from strut.balance.support import support_margin
from strut.balance.sway import GRAVITY_M_S2, BodyResponse
from strut.gaits.crawl.crawl_drafts import sway_shift
from strut.gaits.crawl.crawl_plan import CrawlPlan, crawl_gait, crawl_plan
from strut.gaits.crawl.key_pose import key_pose
from strut.style import Style

HEIGHT_M = 0.3


def second_derivative(curve, step_s):
    padded = np.concatenate([curve[:1], curve, curve[-1:]])
    return (padded[2:] - 2.0 * padded[1:-1] + padded[:-2]) / step_s**2


@pytest.fixture(scope="module")
def plan(mrpete):
    return crawl_plan(crawl_gait(mrpete), key_pose(mrpete, Style()), Style(), cycles=3, rate_hz=50.0)


def cart_table(plan, *, follow):
    """Return what a mass does that follows a share of the body's shift: c - (h/g) c'' is its centre of pressure."""

    def respond(shift):
        com = np.stack([plan.body_x_m, np.zeros_like(plan.body_x_m)], axis=1) + follow * shift
        cop = com - HEIGHT_M / GRAVITY_M_S2 * second_derivative(com, float(plan.time_s[1]))
        return BodyResponse(cop, np.concatenate([com, np.full((len(com), 1), HEIGHT_M)], axis=1))

    return respond


@pytest.mark.parametrize("follow", [1.0, 0.6])
@pytest.mark.parametrize("x_cost", [1.0, np.inf])
@pytest.mark.parametrize("buffer_m", [0.005, 0.015, 0.03])
def test_pressure_of_a_cart_table_comes_the_buffer_inside_its_feet(plan, buffer_m, x_cost, follow):
    respond = cart_table(plan, follow=follow)
    shift = sway_shift(respond, plan, buffer_m=buffer_m, x_cost=x_cost)
    before = support_margin(plan.contact, plan.foot_in_world, respond(np.zeros_like(shift)).cop_in_world)
    after = support_margin(plan.contact, plan.foot_in_world, respond(shift).cop_in_world)
    assert before.min() < 0.0  # the crawl alone would fall
    assert after.min() > buffer_m - 1.1e-3  # the path is met to a millimetre
    assert_allclose(shift[[0, -1]], np.zeros((2, 2)), atol=1e-14)


@pytest.mark.parametrize("buffer_m", [0.015, 0.08])  # the second leaves little room, so that x too would help
def test_published_sway_moves_sideways_only(plan, buffer_m):
    shift = sway_shift(cart_table(plan, follow=0.8), plan, buffer_m=buffer_m, x_cost=np.inf)
    assert_array_equal(shift[:, 0], np.zeros(len(shift)))
    assert np.abs(shift[:, 1]).max() > 0.02


def test_body_sways_left_while_right_legs_swing_and_right_while_left_legs_swing(plan, mrpete):
    """One sway per cycle; three feet on the left carry when a right foot is up."""
    shift = sway_shift(cart_table(plan, follow=0.8), plan, buffer_m=0.03, x_cost=np.inf)
    for foot, name in enumerate(mrpete.foot_names):
        up = ~plan.contact[:, foot] & (plan.time_s > 4.6) & (plan.time_s < 8.6)
        middle = np.flatnonzero(up)[len(np.flatnonzero(up)) // 2]
        assert np.sign(shift[middle, 1]) == (1.0 if name.startswith("R") else -1.0)


def test_sway_in_both_directions_is_shorter_than_sideways_alone(plan):
    both = sway_shift(cart_table(plan, follow=0.8), plan, buffer_m=0.03, x_cost=1.0)
    sideways = sway_shift(cart_table(plan, follow=0.8), plan, buffer_m=0.03, x_cost=np.inf)
    assert np.linalg.norm(both, axis=1).max() < np.linalg.norm(sideways, axis=1).max()


def test_body_is_already_moving_when_the_swing_leg_changes(plan):
    """The bounded solution looks ahead: at the first lift-off the shift is well under way, not just beginning."""
    shift = sway_shift(cart_table(plan, follow=0.8), plan, buffer_m=0.015, x_cost=np.inf)
    lift_off = int(np.flatnonzero(~plan.contact.all(axis=1))[0])
    assert shift[lift_off, 1] > 0.3 * shift[: lift_off + 50, 1].max()


def test_a_robot_that_stands_on_all_feet_does_not_sway():
    time_s = np.arange(50) / 50.0
    feet = np.broadcast_to([[0.2, 0.2, 0], [-0.2, 0.2, 0], [0.2, -0.2, 0], [-0.2, -0.2, 0]], (50, 4, 3))
    still = BodyResponse(np.zeros((50, 2)), np.full((50, 3), 0.3))
    one = np.ones(50)
    plan = CrawlPlan(time_s, one, 0.0 * one, feet, np.ones((50, 4)), np.ones((50, 4), dtype=bool), one)
    shift = sway_shift(lambda _shift: still, plan, buffer_m=0.02, x_cost=1.0)
    assert_allclose(shift, np.zeros((50, 2)), atol=0)
