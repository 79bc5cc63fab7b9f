"""Criteria in numbers: effort counts per metre and actuator, and four weights make a mixture."""

from dataclasses import replace
from types import SimpleNamespace

import casadi as ca
import numpy as np
import pytest

from strut.errors import OutOfRangeError, UnknownNameError
from strut.human.problem.criteria import Criteria, named_criteria, weighted_criteria
from strut.human.problem.effort_costs import natural_costs, published_costs
from strut.human.problem.gait_options import GaitOptions


@pytest.mark.parametrize(("step_m", "share", "effort"), [(1.0, 1.0, 1.0), (0.5, 1.0, 2.0), (0.5, 3.0, 18.0)])
def test_published_effort_is_the_mean_square_of_torques_over_their_scale_per_metre(heiman, step_m, share, effort):
    scale = np.linspace(1.0, 9.0, len(heiman.joint_names))
    node = SimpleNamespace(
        u=ca.DM(share * scale), scales=SimpleNamespace(torque=ca.DM(scale)), parameter={"step_length_m": step_m}
    )
    cost = published_costs(heiman, weighted_criteria(heiman, (1.0, 0.0, 0.0, 0.0)), GaitOptions())[0]
    assert float(cost.rate(node)) == pytest.approx(effort)


def test_a_mixture_has_four_weights(heiman):
    found = weighted_criteria(heiman, (1.0, 2.0, 3.0, 4.0))
    assert (found.effort, found.momentum, found.head, found.time) == (1.0, 2.0, 3.0, 4.0)
    with pytest.raises(OutOfRangeError, match="3 weights were given; four are needed"):
        weighted_criteria(heiman, (1.0, 2.0, 3.0))


@pytest.mark.parametrize(("costs", "per"), [(published_costs, 1.0), (natural_costs, 0.8)])
def test_momentum_and_turning_of_the_head_are_squares_per_step_or_per_metre(heiman, costs, per):
    criteria = replace(weighted_criteria(heiman, (1.0, 2.0, 3.0, 4.0)), acceleration=0.5, torque_rate=0.25)
    node = SimpleNamespace(
        lifted={"momentum": ca.DM([1.0, 2.0, 2.0]), "head": ca.DM([0.0, 3.0, 4.0])},
        parameter={"step_length_m": 0.8, "speed_m_s": 1.25},
        u=ca.DM([6.0]),
        a=ca.DM([1.0, 2.0]),
        scales=SimpleNamespace(torque=ca.DM([2.0]), acceleration=ca.DM([0.5, 0.5])),
    )
    found = {cost.name: cost for cost in costs(heiman, criteria, GaitOptions(smooth=4.0))}
    assert (found["momentum"].weight, found["head"].weight) == (2.0, 3.0)
    assert float(found["momentum"].rate(node)) == pytest.approx(9.0 / per)
    assert float(found["head"].rate(node)) == pytest.approx(25.0 / per)
    assert found["torque rate"].weight == pytest.approx(1.0)
    assert found["acceleration"].weight == 0.5
    assert float(found["acceleration"].value(node)) == pytest.approx(20.0 / (1.25 if costs is natural_costs else 1.0))
    if costs is published_costs:
        assert float(found["torque rate"].of(node)) == pytest.approx(3.0)


def test_weights_are_finite_and_not_negative_and_one_of_them_counts(heiman):
    for name in ("effort", "momentum", "head", "time", "acceleration", "torque_rate"):
        for value in (-0.1, np.inf, np.nan):
            with pytest.raises(OutOfRangeError, match=f"The weight of {name} is"):
                Criteria(**{name: value})
        assert getattr(Criteria(**{name: 0.0}), name) == 0.0
    with pytest.raises(OutOfRangeError, match="All weights are 0"):
        weighted_criteria(heiman, (0.0, 0.0, 0.0, 0.0))
    assert weighted_criteria(heiman, (0.0, 0.0, 0.0, 1.0)).time == 1.0
    found = weighted_criteria(heiman, (1.0, 0.0, 0.0, 0.0))
    assert (found.acceleration, found.torque_rate, found.natural) == (0.01, 1e-4, False)


def test_natural_criteria_are_those_of_the_table(heiman):
    assert named_criteria(heiman, "natural") == Criteria(1.0, 1.0, 3.0, 0.0, 0.085, 1.5e-4, natural=True)
    with pytest.raises(UnknownNameError, match="objective"):
        named_criteria(heiman, "beauty")
