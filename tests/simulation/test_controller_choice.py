"""The controller of a walk is the cheapest that does it as planned and stays upright in other conditions, too."""

from dataclasses import replace

import numpy as np
import pytest

import strut
from strut.simulation import controller_choice
from strut.simulation.controller_choice import MARGIN, choose_controller
from strut.simulation.early_end import MUCH_SLIP_MM, has_been_down
from strut.simulation.outcome import Outcome
from strut.simulation.playback import Conditions, Playback, simulate
from strut.simulation.run_outcome import TOUCHED_N
from tests.adoption.small_robots import biped, import_robot
from tests.simulation.exact_runs import PETE, STEP_S, followed

GOOD = Outcome(
    fell=False, upright_s=1.0, distance_m=1.0, commanded_distance_m=1.0, heading_drift_rad=0.0, foot_slip_mm=0.0,
    tracking_error_rad=0.0, torque_use=0.0, cost_of_transport=None,
)  # fmt: skip
FELL = replace(GOOD, fell=True, upright_s=0.4)
SLID = replace(GOOD, foot_slip_mm=MUCH_SLIP_MM + 1.0)


@pytest.fixture(scope="module")
def walker(tmp_path_factory):
    return import_robot(biped(), tmp_path_factory.mktemp("biped"), "biped.urdf")[0]


@pytest.fixture(scope="module")
def walk(walker):
    return strut.walk(walker, "neutral", cycles=2, speed_m_s=0.2)


@pytest.fixture
def chosen(walker, monkeypatch):
    """Return the trial of the chosen controller and what was played, given outcomes and falls by controller."""

    def choose(planned, falls, *, may_slide=False):
        motion, run = followed([(0.0, 0.0), (0.1, 0.0), (0.2, 0.0)])
        played = []

        def play(_robot, _motion, conditions, controller, *, end_rule):
            assert conditions == Conditions(walker.friction)
            played.append((controller, "planned"))
            ends = end_rule is not has_been_down and planned[controller] is SLID
            return Playback(replace(planned[controller], controller=controller), motion, ended_early=ends)

        def run_motion(_robot, _motion, conditions, controller, *, end_rule):
            assert end_rule is has_been_down
            index = MARGIN.index(conditions)
            played.append((controller, index))
            load_n = np.zeros(3)
            load_n[1] = 2.0 * TOUCHED_N * (index in falls.get(controller, ()))  # down, and up again
            return replace(run, other_load_n=load_n)

        monkeypatch.setattr(controller_choice, "play_with_controller", play)
        monkeypatch.setattr(controller_choice, "run_motion", run_motion)
        return choose_controller(walker, motion, may_slide=may_slide), played

    return choose


def test_the_cheapest_controller_that_stays_upright_in_all_conditions_is_chosen(chosen):
    as_planned = dict.fromkeys(("servos", "balance", "whole_body"), GOOD)
    trial, played = chosen(as_planned, {})
    assert (trial.controller, trial.has_margin) == ("servos", True)
    assert sorted(map(str, (which for _, which in played))) == ["0", "1", "2", "3", "planned"]
    assert {name for name, _ in played} == {"servos"}
    trial, played = chosen({**as_planned, "balance": FELL}, {"servos": {2}})
    assert (trial.controller, trial.has_margin, trial.falls) == ("whole_body", True, {})
    assert ("balance", 0) not in played  # it fell as planned, so no other conditions are worth a try


def test_without_any_margin_the_controller_that_falls_in_the_fewest_conditions_is_chosen(chosen):
    planned = {"servos": GOOD, "balance": GOOD, "whole_body": FELL}
    trial, _ = chosen(planned, {"servos": {0, 1}, "balance": {3}})
    assert (trial.controller, trial.has_margin) == ("balance", False)
    assert trial.falls == {MARGIN[3]: pytest.approx(STEP_S)}


def test_a_controller_that_slides_is_chosen_only_if_it_may_and_no_other_has_a_margin(chosen):
    planned = {"servos": SLID, "balance": GOOD, "whole_body": FELL}
    trial, _ = chosen(planned, {"balance": {0}}, may_slide=True)
    assert (trial.controller, trial.has_margin) == ("servos", True)
    trial, _ = chosen(planned, {"balance": {0}})
    assert (trial.controller, trial.has_margin) == ("balance", False)
    trial, _ = chosen({**planned, "whole_body": GOOD}, {"balance": {0}}, may_slide=True)
    assert trial.controller == "whole_body"


def test_where_all_fall_as_planned_the_fall_is_that_of_the_last(chosen):
    trial, played = chosen(dict.fromkeys(("servos", "balance", "whole_body"), FELL), {})
    assert (trial.controller, trial.planned.fell, trial.falls) == ("whole_body", True, None)
    assert len(played) == 3


def test_only_a_robot_that_walks_by_a_pattern_gets_more_than_servos(walker):
    assert controller_choice.controllers_of(PETE) == ("servos",)
    assert controller_choice.controllers_of(walker) == ("servos", "balance", "whole_body")


def test_a_biped_is_simulated_by_the_controller_of_its_receipt_and_no_other(walker, walk):
    receipt = walk.receipt
    assert (receipt.verdict, receipt.controller, receipt.robustness["falls"]) == ("ok", "balance", 0)
    for friction, mass_scale in ((0.6, 0.9), (0.9, 1.1), (0.75, 1.03)):
        outcome = simulate(walk, walker, friction=friction, mass_scale=mass_scale).outcome
        assert (outcome.controller, outcome.fell, outcome.stumbles) == ("balance", False, 0)
    by_servos = simulate(walk, walker, controller="servos").outcome
    assert (by_servos.controller, by_servos.fell) == ("servos", True)
    without = simulate(replace(walk, receipt=None), walker).outcome
    assert (without.controller, without.fell) == ("servos", True)


def test_a_trial_falls_where_a_simulation_does(neutral_walk):
    """Motors that are just strong enough for a quadruped on its own floor cannot carry a tenth more everywhere."""
    plan = replace(neutral_walk, receipt=None)
    for share in np.arange(0.35, 1.0, 0.01):
        weak = replace(PETE, torque_limit_nm=share * PETE.torque_limit_nm)
        trial = choose_controller(weak, plan, may_slide=True)
        if trial.falls is not None:
            break
    assert (trial.controller, trial.has_margin) == ("servos", False)
    for conditions in MARGIN:
        outcome = simulate(plan, weak, friction=conditions.friction, mass_scale=conditions.mass_scale).outcome
        assert (outcome.fell or outcome.stumbles > 0) is (conditions in trial.falls)
