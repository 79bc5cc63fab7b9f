"""Mr. Pete's published numbers, computed again: what agrees, what differs and why, and what the misprints cost."""

import re
from importlib.resources import files
from pathlib import Path

import numpy as np
import pytest

from strut.balance.support import support_margin
from strut.errors import UnknownNameError
from strut.models.catalogue import load_robot
from strut.pipeline.walk import walk
from strut.reproduction.mrpete_gait import EMOTIONS, published_crawl, steady_cycle
from strut.reproduction.systems import reproduce

PAGE = Path(__file__).parents[2] / "docs" / "explanations" / "errata.md"


@pytest.fixture(scope="module")
def rows():
    """All of it, with short walks of few samples a second: no published number is looked for in them."""
    few = {"cycles": 4, "rate_hz": 20.0}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("strut.reproduction.mrpete.walk", lambda *who, **how: walk(*who, **how | few))
        return reproduce("mrpete")


@pytest.fixture(scope="module")
def robot():
    return load_robot("mrpete")


def found(rows, part):
    return [row for row in rows if part in row.quantity]


def test_rows_called_the_same_agree_within_their_tolerance(rows):
    same = [row for row in rows if row.verdict == "same"]
    assert len(same) >= 40
    assert {row.kind for row in same} == {"computed"}
    for row in same:
        np.testing.assert_allclose(row.ours, row.published, rtol=0.0, atol=row.tolerance, err_msg=row.quantity)
        assert row.where


def test_tolerances_are_no_looser_than_the_published_digits(rows):
    for row in rows:
        if row.verdict == "same":
            assert row.tolerance <= 0.1 or row.quantity.startswith("lateral shift"), row.quantity


def test_only_the_late_minima_differ_and_every_one_says_why(rows):
    differing = [row for row in rows if row.verdict == "differs"]
    assert {row.quantity.split(", ")[1] for row in differing} <= {"angry", "fearful"}
    assert {row.group for row in differing} == {"static balance"}
    assert all(row.note for row in differing)


@pytest.mark.parametrize(("emotion", "published_mm"), [("angry", -11.4), ("fearful", -18.0)])
def test_published_margins_return_with_200_samples_that_miss_the_last_instant(robot, emotion, published_mm):
    cycle = steady_cycle(robot, published_crawl(robot), emotion, samples=200)
    plan = cycle.plan
    # a foot swings in [start, start + 1/4) of the cycle: the instant of lift-off counts, that of touch-down does not
    down = plan.contact & np.concatenate([plan.contact[1:], plan.contact[-1:]])
    if emotion == "fearful":  # runs backwards
        down = plan.contact & np.concatenate([plan.contact[:1], plan.contact[:-1]])
    margin = support_margin(down, plan.foot_in_world, cycle.static_cop())[cycle.rows]
    assert margin.min() * 1e3 == pytest.approx(published_mm, abs=0.05)


def test_misprints_cost_much_and_ours_nothing(rows):
    errata = [row for row in rows if row.verdict == "erratum"]
    assert {row.erratum for row in errata} == {"E1", "E2", "E3", "E6b", "E7", "E9"}
    for row in errata:
        assert row.published[0] > 1.0, row.quantity
        assert row.ours[0] < 1e-6, row.quantity


def test_every_erratum_stands_in_the_documentation(rows):
    described = set(re.findall(r"^\| (E\d+b?) \|", PAGE.read_text("utf-8"), flags=re.MULTILINE))
    assert {row.erratum for row in rows if row.erratum} <= described


def test_no_swing_order_beats_the_printed_one(rows):
    (row,) = found(rows, "swing orders with a larger smallest or mean margin")
    assert row.ours == (0.0,)
    assert len(found(rows, "smallest and mean static margin, order")) == 6


def test_swing_orders_that_mirror_each_other_balance_alike(rows):  # swapping left and right
    margin = {
        row.quantity.split("order ")[1]: row.ours for row in found(rows, "smallest and mean static margin, order")
    }
    assert margin["RH RF LF LH"] == pytest.approx(margin["RH LH LF RF"], abs=1e-9)
    assert margin["RH LH RF LF"] == pytest.approx(margin["RH LF RF LH"], abs=1e-9)


def test_walking_needs_more_than_the_weak_servos_and_less_than_ours(rows, robot):
    weak_nm = robot.published["knee_torque"]["weak_servo"]
    (walking,) = found(rows, "largest knee torque of the neutral walk")
    (standing,) = found(rows, "standing on four feet, neutral")
    assert weak_nm < walking.ours[0] < robot.torque_limit_nm.max()
    gripping, on_ice = standing.ours
    assert gripping < on_ice  # friction lets the feet help the knees


def test_kept_intensities_are_shares_of_what_was_asked_and_xy_keeps_no_less(rows):
    kept = {row.quantity: row.ours[0] for row in rows if row.group == "intensity"}
    for emotion in EMOTIONS[1:]:
        sideways, free = (kept[f"kept of intensity 1, {emotion}, sway in {balance}"] for balance in ("y", "xy"))
        assert 0.0 < sideways <= free <= 1.0


def test_quantities_are_unique_within_their_erratum(rows):
    names = [(row.group, row.erratum, row.quantity) for row in rows]
    assert len(set(names)) == len(names)


def test_published_numbers_say_where_they_stand():
    text = files("strut").joinpath("robots/mrpete/published.toml").read_text("utf-8")
    sections = re.split(r"^\[+\w+\]+.*$", text, flags=re.MULTILINE)[1:]
    assert sections
    assert all("where = " in section for section in sections)


def test_unknown_systems_are_named_with_the_known_ones():
    with pytest.raises(UnknownNameError, match=r"no system 'mrpeet' \(nearest: mrpete"):
        reproduce("mrpeet")


def test_progress_counts_the_parts(monkeypatch):
    monkeypatch.setattr("strut.reproduction.mrpete.parts", lambda: {"nothing": list, "more": list})
    told = []
    assert reproduce("mrpete", lambda *what: told.append(what)) == ()
    assert told == [("nothing", 0, 2), ("more", 1, 2)]


def test_published_shift_of_angry_returns_with_the_same_coarse_samples(robot):  # given in whole mm, rounded up
    cycle = steady_cycle(robot, published_crawl(robot), "angry", samples=200)
    shift_mm = [cycle.lateral_shift_m(margin_m) * 1e3 for margin_m in (0.0, 0.015)]
    assert np.ceil(shift_mm).tolist() == [28.0, 65.0]
