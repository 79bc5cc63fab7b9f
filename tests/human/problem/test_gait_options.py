"""What makes a gait human, by name: posture, arms, clearance, capsules, smooth torques; and who judges the result."""

from dataclasses import replace

import casadi as ca
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import OutOfRangeError, UnknownNameError
from strut.human.analysis.naturalness import naturalness
from strut.human.problem.criteria import Criteria
from strut.human.problem.gait_options import ITEMS, GaitOptions, named_gait_options
from strut.human.problem.gait_problem import gait_problem
from strut.human.synthesis.initial_guess import guessed_step


def cost_of(problem, name, q):
    """The cost called `name` at a posture, once for a whole phase."""
    cost = next(cost for cost in problem.costs if cost.name == name)
    node = problem.node()
    return float(ca.Function("cost", [node.q], [cost.weight * cost.value(node)])(q))


def test_every_item_has_a_name_and_human_is_some_of_them(heiman):
    human = named_gait_options(heiman, ["human"])
    everything = named_gait_options(heiman, ITEMS)
    assert human.posture
    assert human.arms
    assert human.clearance_m == pytest.approx(0.015)
    assert everything.capsules
    assert everything.springs
    assert everything.smooth > 1.0
    assert replace(named_gait_options(heiman, ["plain"]), style=None) == GaitOptions()
    with pytest.raises(UnknownNameError, match="no manner 'arm'"):
        named_gait_options(heiman, ["arm"])
    with pytest.raises(OutOfRangeError, match="clearance"):
        GaitOptions(clearance_m=float("nan"))
    for smooth in (-1.0, 2e4):
        with pytest.raises(OutOfRangeError, match="above 0 and below 10000"):
            GaitOptions(smooth=smooth)
    with pytest.raises(OutOfRangeError, match="plain means no item besides the criteria, so it cannot go with human"):
        named_gait_options(heiman, ["human", "plain"])


def test_posture_and_arms_cost_the_same_in_the_mirror(heiman, mirror):
    problem = gait_problem(heiman, Criteria(), speed_m_s=1.3, options=named_gait_options(heiman, ["posture", "arms"]))
    q = np.random.default_rng(7).normal(scale=0.2, size=34)
    for name in ("posture", "arms"):
        assert cost_of(problem, name, q) == pytest.approx(cost_of(problem, name, mirror.image(q)))


def test_arms_that_swing_against_the_legs_are_free_and_arms_that_swing_with_them_are_not(heiman):
    problem = gait_problem(heiman, Criteria(), speed_m_s=1.3, options=named_gait_options(heiman, ["arms"]))
    names = list(problem.tree.velocity_names)
    q = np.zeros(34)
    swing = heiman.expression.neutral_style().arm_swing
    q[names.index("HipRight_RY")] = -0.3
    q[names.index("HipLeft_RY")] = 0.3
    q[names.index("ShoulderRight_RY")] = 0.3 * swing
    q[names.index("ShoulderLeft_RY")] = -0.3 * swing
    assert cost_of(problem, "arms", q) == pytest.approx(0.0, abs=1e-15)
    q[[names.index("ShoulderRight_RY"), names.index("ShoulderLeft_RY")]] *= -1.0
    assert cost_of(problem, "arms", q) > 0.1


def test_capsules_and_clearance_are_constraints_in_the_place_of_the_sideways_distance(heiman):
    words = {}
    for items in (["plain"], ["capsules", "clearance"]):
        problem = gait_problem(heiman, Criteria(), speed_m_s=1.3, options=named_gait_options(heiman, items))
        words[items[0]] = [{constraint.name for constraint in phase.constraints} for phase in problem.phases]
    assert all("distance of the legs" in names for names in words["plain"])
    assert all("distance of the shanks" in names for names in words["capsules"])
    assert not any("distance of the legs" in names for names in words["capsules"])
    assert ["clearance of the left toes" in names for names in words["capsules"]] == [True, True, False, False]


def test_smooth_torques_weigh_changes_more(heiman):
    weights = []
    for items in (["plain"], ["smooth"]):
        problem = gait_problem(heiman, Criteria(), speed_m_s=1.3, options=named_gait_options(heiman, items))
        weights.append(next(cost.weight for cost in problem.costs if cost.name == "torque rate"))
    assert weights[1] == pytest.approx(10.0 * weights[0])


def test_a_stiff_legged_step_without_arms_is_found_odd(heiman):
    problem = gait_problem(heiman, Criteria(), speed_m_s=1.3)
    drawn = guessed_step(heiman, problem, 1.3)
    names = list(problem.tree.velocity_names)
    q = drawn.q.copy()
    for side in ("Right", "Left"):
        q[:, names.index(f"Knee{side}_RY")] = 0.0
        q[:, names.index(f"Shoulder{side}_RY")] = 0.1 * np.sign(q[:, names.index(f"Hip{side}_RY")])
    odd = naturalness(heiman, replace(drawn, q=q, v=0.0 * drawn.v, a=0.0 * drawn.a)).oddities(heiman)
    assert any("swinging knee" in words for words in odd)
    assert any("correlation of arm and leg" in words for words in odd)


def test_the_usual_gait_walks_like_people(gait, heiman):
    looks = gait.naturalness
    assert looks.oddities(heiman) == []
    assert looks.toe_clearance_m > 0.012
    assert looks.arm_swing_rad > 0.2
    assert looks.arm_against_leg < -0.7
    assert looks.heel_clearance_m > 0.005
    assert np.degrees(looks.pelvis_roll_rad) < 14.0
    assert gait.motion().receipt.naturalness == looks.as_dict()
    assert_allclose(looks.trunk_forward_rad, 0.0, atol=0.05)


def rows_of(problem, number, name, q):
    """The rows of a phase's constraint called `name` at a posture, by the names that people read."""
    constraint = next(one for one in problem.phases[number].constraints if one.name == name)
    node = problem.node()
    rows = ca.Function("rows", [node.q], [constraint.rows(node)])(q)
    return dict(zip(constraint.row_names, np.array(rows)[:, 0], strict=True))


def test_heights_of_toes_and_distances_of_legs_have_the_right_names(heiman):
    plain, clear = (
        gait_problem(heiman, Criteria(), speed_m_s=1.3, options=named_gait_options(heiman, items))
        for items in (["plain"], ["clearance"])
    )
    names = list(plain.tree.velocity_names)
    q = np.zeros(34)
    q[2] = heiman.subject.standing_pelvis_height_m
    level = rows_of(clear, 1, "clearance of the left toes", q)
    q[names.index("HipLeft_RX")] = 0.3  # the leg goes to the left, so that the foot tilts onto its inner edge
    tilted = rows_of(clear, 1, "clearance of the left toes", q)
    assert (
        tilted["the left little toe"] - level["the left little toe"]
        > tilted["the left big toe"] - level["the left big toe"] + 0.005
    )
    apart = [rows_of(plain, 1, "distance of the legs", posture) for posture in (np.zeros(34), q)]
    width = apart[0]["the knees"]
    shank = heiman.subject.lengths_m["ShankLeftLength"]
    thigh = heiman.subject.lengths_m["ThighLeftLength"]
    assert width == pytest.approx(apart[0]["the ankles"])
    assert width > 0.1
    assert apart[1]["the knees"] == pytest.approx(width + thigh * np.sin(0.3))
    assert apart[1]["the ankles"] == pytest.approx(width + (thigh + shank) * np.sin(0.3))
    q[names.index("HipRight_RX")] = -0.2  # the other leg goes to the right
    straddled = rows_of(plain, 1, "distance of the legs", q)
    assert straddled["the knees"] == pytest.approx(width + thigh * (np.sin(0.3) + np.sin(0.2)))
    assert straddled["the ankles"] == pytest.approx(width + (thigh + shank) * (np.sin(0.3) + np.sin(0.2)))


def test_a_guessed_step_leans_over_the_standing_foot_and_rises_over_it(heiman):
    problem = gait_problem(heiman, Criteria(), speed_m_s=1.3)
    path = guessed_step(heiman, problem, 1.3)
    assert_allclose(path.q[[0, -1], 1], 0.0, atol=1e-9)  # between the feet while both stand
    middle = np.argmin(np.abs(path.time_s - path.time_s[-1] / 2.0))
    assert path.q[middle, 1] < -0.015  # the right foot stands
    assert path.q[middle, 2] > path.q[0, 2] + 0.02
