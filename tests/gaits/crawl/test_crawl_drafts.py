"""Crawl drafts: the user's lengths and pace, rests of a robot that breathes, one draft for each way to sway."""

import re

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.balance.centre_of_pressure import cop_of_wrench
from strut.balance.support import support_margin
from strut.balance.sway import BodyResponse
from strut.draft import Detail
from strut.engines.inverse_dynamics import ground_reaction
from strut.engines.rigid_body import foot_positions
from strut.gaits.crawl.crawl_drafts import (
    CrawlDrafts,
    sway_shift,
)
from strut.gaits.crawl.crawl_plan import crawl_gait, crawl_plan, fade
from strut.gaits.crawl.key_pose import key_pose
from strut.gaits.crawl.request import Crawl
from strut.models.catalogue import load_robot
from strut.style import Style


@pytest.fixture(scope="module")
def lively():
    return load_robot("mrpete").expressing("animated")


def test_the_gait_has_the_users_lengths_and_pace_and_a_robot_that_breathes_rests(mrpete, lively):
    own = crawl_gait(mrpete)
    plain = CrawlDrafts(mrpete, Crawl(), 0.01, 50.0).gait(Style())
    assert plain == own
    asked = CrawlDrafts(mrpete, Crawl(step_length_m=0.05, step_height_m=0.02, tempo=1.6), 0.01, 50.0).gait(Style())
    assert (asked.step_length_m, asked.step_height_m) == (0.05, 0.02)
    assert asked.cycle_s == pytest.approx(own.cycle_s / 1.6)
    rests = CrawlDrafts(lively, Crawl(), 0.01, 50.0).gait(Style())
    height = -key_pose(lively, Style()).foot_in_body[:, 2].mean()
    assert rests.settle_s == pytest.approx(crawl_gait(lively).settle_s + 6.0 * np.sqrt(height / 9.81))
    assert rests.pose_first
    assert not plain.pose_first


@pytest.fixture(scope="module")
def drafts(mrpete):
    return list(CrawlDrafts(mrpete, Crawl(cycles=2, balance="xy"), 0.01, 50.0).drafts(Style(), Detail(level="search")))


def test_there_is_one_draft_for_each_way_to_sway_the_wanted_one_first(mrpete, drafts):
    assert [draft.fallback for draft in drafts] == [0, 1]
    other = CrawlDrafts(mrpete, Crawl(cycles=2, balance="xy"), 0.01, 50.0)
    assert next(iter(other.drafts(Style(), Detail(level="search", fallback=1)))).fallback == 1
    sideways = list(
        CrawlDrafts(mrpete, Crawl(cycles=2, balance="y"), 0.01, 50.0).drafts(Style(), Detail(level="search"))
    )
    assert len(sideways) == 1
    assert_allclose(sideways[0].qpos, drafts[1].qpos, atol=1e-12)


def test_a_draft_stands_on_its_footprints_with_its_pressure_the_margin_inside(mrpete, drafts):
    for draft in drafts:
        assert_allclose(np.diff(draft.time_s), 0.04)
        reaction = ground_reaction(mrpete, draft.time_s, draft.qpos)
        feet = foot_positions(mrpete, draft.qpos)
        margin = support_margin(draft.contact, feet, cop_of_wrench(reaction.force_n, reaction.moment_nm))
        one_up = draft.contact.sum(axis=1) == 3
        assert margin[one_up].min() > 0.008
        assert draft.kept == 1.0
        assert draft.violations == ()
        assert draft.meta["options"]["cycles"] == 2
        assert draft.share_over_time.max() == pytest.approx(1.0)
    plan = crawl_plan(crawl_gait(mrpete), key_pose(mrpete, Style()), Style(), cycles=2, rate_hz=25.0)
    assert_allclose(drafts[1].qpos[:, 0], drafts[1].qpos[0, 0] + plan.body_x_m, atol=1e-9)  # sideways only


def test_the_final_draft_is_sampled_at_the_users_rate_and_sways_as_the_slow_one(mrpete):
    coarse, fine = (
        next(iter(CrawlDrafts(mrpete, Crawl(cycles=2, balance="y"), 0.01, rate).drafts(Style(), Detail())))
        for rate in (50.0, 100.0)
    )
    assert_allclose(np.diff(fine.time_s), 0.01)
    assert_allclose(fine.qpos[::2, 1], coarse.qpos[:, 1], atol=1e-9)


def test_a_search_looks_at_five_cycles_and_shows_the_share_asked_for(mrpete):
    long = CrawlDrafts(mrpete, Crawl(cycles=9, balance="y"), 0.01, 50.0)
    share = np.array([1.0, 0.5, 1.0])
    style = Style(body_height=0.95)
    found = next(iter(long.drafts(style, Detail(level="search", share=share))))
    gait = crawl_gait(mrpete)
    assert found.time_s[-1] == pytest.approx(2.0 * gait.settle_s + 5.0 * gait.cycle_s, abs=0.04)
    assert found.kept == pytest.approx(2.5 / 3.0)
    whole = next(iter(long.drafts(style, Detail(level="search"))))
    kept = np.interp(found.time_s / found.time_s[-1], [0.0, 0.5, 1.0], share)
    assert_allclose(found.share_over_time, kept * whole.share_over_time, atol=1e-9)


def test_the_body_bounces_four_times_a_cycle_and_this_fades_in_over_three_units_of_time(lively):
    calm, bouncing = (
        next(iter(CrawlDrafts(lively, Crawl(cycles=3, balance="y"), 0.01, 50.0).drafts(style, Detail())))
        for style in (Style(bounce=0.0), Style(bounce=2.0))
    )
    pose = key_pose(lively, Style())
    plan = crawl_plan(CrawlDrafts(lively, Crawl(), 0.01, 50.0).gait(Style()), pose, Style(), cycles=3, rate_hz=50.0)
    height_m = -pose.foot_in_body[:, 2].mean()
    ends = np.minimum(plan.time_s, plan.time_s[-1] - plan.time_s) / (3.0 * np.sqrt(height_m / 9.81))
    u = np.clip(ends, 0.0, 1.0)
    shown = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    bounce = -0.008 * 2.0 * fade(plan.phase, 3, 1.0) * np.cos(2.0 * np.pi * 4.0 * plan.phase)
    assert_allclose(bouncing.qpos[:, 2] - calm.qpos[:, 2], height_m * shown * bounce, atol=1e-9)


def test_a_step_that_is_too_long_names_the_leg_and_the_instant_of_the_largest_excess(mrpete):
    draft = next(iter(CrawlDrafts(mrpete, Crawl(step_length_m=0.8, cycles=2), 0.01, 50.0).drafts(Style(), Detail())))
    (violation,) = draft.violations
    found = re.fullmatch(
        r"reach: leg (LF|RF|LH|RH) would have to span (\d+) mm, it spans \d+ to (\d+) mm at ([\d.]+) s",
        str(violation.reason),
    )
    assert found
    assert float(found[2]) > float(found[3])
    assert violation.broken[np.argmin(np.abs(draft.time_s - float(found[4])))]
    assert 0.0 < violation.broken.mean() < 1.0


@pytest.mark.parametrize("follows", [0.5, 0.9])
def test_a_body_whose_mass_follows_a_part_of_its_shift_is_where_it_shall_be_in_two_rounds(mrpete, follows):
    """A mass on a cart over the footprints: how far it follows is seen in the first round, and asked in the second."""
    plan = crawl_plan(crawl_gait(mrpete), key_pose(mrpete, Style()), Style(), cycles=2, rate_hz=25.0)
    asked = []
    step_s = 0.04
    height_m = 0.3

    def respond(shift):
        asked.append(shift)
        com = np.column_stack([plan.body_x_m, np.zeros(len(shift)), np.full(len(shift), height_m)])
        com[:, :2] += follows * shift
        cop = com[:, :2].copy()
        cop[1:-1] -= height_m / 9.81 * np.diff(com[:, :2], 2, axis=0) / step_s**2
        return BodyResponse(cop, com)

    shift = sway_shift(respond, plan, buffer_m=0.012, x_cost=np.inf)
    assert len(asked) == 3
    assert not shift[:, 0].any()
    margin = support_margin(plan.contact, plan.foot_in_world, respond(shift).cop_in_world)
    assert margin[plan.contact.sum(axis=1) == 3].min() > 0.012 - 2e-3  # to which a path need be met
    assert np.abs(respond(0.0 * shift).cop_in_world[:, 1]).max() < 1e-12
