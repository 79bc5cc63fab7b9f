"""Walks of Mr. Pete and Alice that keep their balance margin are known to stay upright by servos; others are not."""

import pytest

import strut
from strut.simulation.controller_choice import MARGIN
from strut.simulation.servo_bound import servo_bound
from tests.simulation.exact_runs import PETE


def test_a_crawl_that_keeps_its_margin_names_servos_and_stays_upright_by_them(neutral_walk):
    receipt = neutral_walk.receipt
    assert receipt.balance_margin_mm >= 10.0
    assert (receipt.controller, receipt.robustness["judged_by"]) == ("servos", "balance margin")
    for conditions in MARGIN:
        outcome = strut.simulate(neutral_walk, friction=conditions.friction, mass_scale=conditions.mass_scale).outcome
        assert (outcome.controller, outcome.fell, outcome.stumbles) == ("servos", False, 0)


@pytest.mark.parametrize("margin_mm", [None, 9.99, -5.0])
def test_a_walk_with_a_smaller_margin_claims_nothing(margin_mm):
    assert servo_bound(PETE, 10.0)["controller"] == "servos"
    assert servo_bound(PETE, margin_mm) == {}


def test_a_robot_without_a_measured_margin_claims_nothing():
    assert servo_bound(strut.load_robot("pepper"), 50.0) == {}
    assert servo_bound(strut.load_robot("cassie"), 50.0) == {}


def test_a_walk_that_is_asked_to_keep_less_names_no_controller():
    receipt = strut.walk("mrpete", "neutral", cycles=2, margin_m=0.0, rate_hz=50.0).receipt
    assert receipt.balance_margin_mm < 10.0
    assert (receipt.controller, receipt.robustness) == (None, None)
