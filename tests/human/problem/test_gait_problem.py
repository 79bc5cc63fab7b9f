"""The problem of a step in numbers: its times, ranges, sizes and ends, by the published tables and by hand."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import OutOfRangeError
from strut.human.problem.bounce import usual_rise_m
from strut.human.problem.criteria import NATURAL, Criteria, named_criteria
from strut.human.problem.gait_options import GaitOptions, named_gait_options
from strut.human.problem.gait_problem import check_pace, gait_problem, usual_torques
from strut.human.table import human_gait
from strut.models.subject import subject
from strut.style import Style

PUBLISHED_S = [(0.05, 0.30), (0.10, 0.25), (0.05, 0.12), (0.05, 0.15)]  # of the phases, as the gait table has them
NATURAL_S = [(0.05, 0.45), (0.10, 0.22), (0.055, 0.15), (0.06, 0.25)]


def numbers(expression):
    return np.array(expression).astype(float).ravel()


def durations(heiman, criteria, speed_m_s, tempo=None):
    options = GaitOptions(style=None if tempo is None else Style(tempo=tempo))
    return [phase.duration_s for phase in gait_problem(heiman, criteria, speed_m_s=speed_m_s, options=options).phases]


def stretched(table_s, shortest, longest):
    return [(low * shortest, high * longest) for low, high in table_s]


def test_phases_of_slow_steps_may_last_longer_and_those_of_fast_ones_shorter(heiman):
    """At half the usual speed, 0.65 m/s, times may be the square root of two longer."""
    published = named_criteria(heiman, "multi")
    natural = named_criteria(heiman, NATURAL)
    root = np.sqrt(2.0)
    for speed in (None, 1.3):
        assert_allclose(durations(heiman, published, speed), PUBLISHED_S)
        assert_allclose(durations(heiman, natural, speed), NATURAL_S)
    assert_allclose(durations(heiman, published, 0.65), stretched(PUBLISHED_S, 1.0, root))
    assert_allclose(durations(heiman, natural, 0.65), stretched(NATURAL_S, root, root))
    assert_allclose(durations(heiman, published, 2.0), PUBLISHED_S)
    assert_allclose(durations(heiman, natural, 2.0), stretched(NATURAL_S, 0.65, 1.0))


def test_hasty_feelings_may_take_short_phases_at_slow_speeds_and_calm_ones_change_nothing(heiman):
    natural = named_criteria(heiman, NATURAL)
    root = np.sqrt(2.0)
    assert_allclose(durations(heiman, natural, 0.65, tempo=1.2), stretched(NATURAL_S, root / 1.2, root))
    assert_allclose(durations(heiman, natural, 0.65, tempo=2.0), stretched(NATURAL_S, 1.0, root))
    assert_allclose(durations(heiman, natural, 0.65, tempo=0.8), stretched(NATURAL_S, root, root))
    assert_allclose(durations(heiman, natural, 2.0, tempo=1.2), stretched(NATURAL_S, 0.65, 1.0))


def test_phases_are_those_of_the_table_on_its_mesh_or_another(heiman, natural_problem):
    usual = gait_problem(heiman, Criteria(), speed_m_s=1.3).phases
    assert [phase.intervals for phase in usual] == [12, 10, 5, 5]
    assert [phase.intervals for phase in natural_problem.phases] == [4, 4, 2, 2]
    assert [phase.arrival for phase in usual] == ["continuous", "continuous", "impact", "impact"]
    assert [phase.landing for phase in usual] == [(), (), ("HeelLeft",), ("HalluxLeft", "Meta5Left")]
    assert [len(phase.unloaded) for phase in usual] == [1, 0, 0, 5]
    assert [phase.contact.name for phase in usual] == [phase.name for phase in usual]


def test_a_bounce_is_asked_of_the_first_and_the_last_phase_at_the_speed_of_the_walk(heiman):
    options = GaitOptions(style=Style(bounce=1.5))
    problem = gait_problem(heiman, Criteria(), speed_m_s=1.1, options=options)
    asked = [[one for one in phase.constraints if "centre of mass" in one.name] for phase in problem.phases]
    assert [len(one) for one in asked] == [1, 0, 0, 1]
    assert asked[0][0].lower == pytest.approx(1.5 * usual_rise_m(heiman, 1.1))
    assert [one.name for one in problem.parameters] == ["step_length_m", "speed_m_s", "lowest_com_m"]


def test_coordinates_stay_in_the_published_ranges_and_start_at_the_origin_with_arms_against_legs(heiman):
    problem = gait_problem(heiman, Criteria(), speed_m_s=1.3)
    at = problem.tree.velocity_names.index
    bounds = problem.bounds
    for name, low_high in (("KneeLeft_RY", (-0.01, 1.47)), ("Pelvis_TZ", (0.87, 0.98)), ("Pelvis_RZ", (-0.32, 0.27))):
        assert_allclose(bounds.q[:, at(name)], low_high)
    for name, low_high in (
        *(("Pelvis_TX", (0.0, 0.0)), ("Pelvis_TY", (0.0, 0.0)), ("Pelvis_TZ", (-np.inf, np.inf))),
        *(("Pelvis_RZ", (0.02, 0.27)), ("ShoulderRight_RY", (0.03, 0.89)), ("ShoulderLeft_RY", (-0.51, 0.03))),
        ("Head_RZ", (-np.inf, np.inf)),
    ):
        assert_allclose(bounds.first_q[:, at(name)], low_high)
    natural = gait_problem(heiman, named_criteria(heiman, NATURAL), speed_m_s=1.3).bounds
    assert_allclose(natural.q[:, at("Pelvis_RZ")], (-0.22, 0.22))
    assert_allclose(natural.q[:, at("KneeLeft_RY")], (-0.01, 1.47))


def test_speeds_are_bounded_a_little_below_the_published_bound_and_torques_as_published(heiman):
    bounds = gait_problem(heiman, Criteria(), speed_m_s=1.3).bounds
    assert_allclose(bounds.v, np.outer([-1.0, 1.0], np.full(34, 0.98 * 15.0)))
    at = heiman.joint_names.index
    assert_allclose(bounds.u[:, at("KneeRight_RY")], (-200.0, 100.0))
    assert_allclose(bounds.u[:, at("AnkleRight_RY")], (-100.0, 300.0))


def test_the_pelvis_of_a_short_person_is_as_much_lower_as_its_legs_are_shorter():
    short = subject(1.55, 52.0)
    size = short.subject.standing_pelvis_height_m / 0.9938
    q = gait_problem(short, Criteria(), speed_m_s=1.3).bounds.q
    assert size < 0.9
    assert_allclose(q[:, 2], size * np.array([0.87, 0.98]))
    assert_allclose(q[:, 1], (-0.1, 0.1))


def test_torques_are_counted_over_the_published_averages_of_normal_walking(heiman):
    usual = dict(zip(heiman.joint_names, usual_torques(heiman), strict=True))
    for name, torque_nm in (("HipRight_RY", 15.5), ("KneeLeft_RY", 14.4), ("AnkleLeft_RY", 39.4), ("Head_RZ", 0.1)):
        assert usual[name] == torque_nm


def test_sizes_of_variables_are_those_that_the_weights_of_criteria_were_chosen_with(heiman, natural_problem):
    """Frozen: the table's weights of accelerations and landings are over 50 rad/s² and 10 N s."""
    scales = natural_problem.scales
    usual = usual_torques(heiman)
    assert_allclose(scales.velocity, np.full(34, 5.0))
    assert_allclose(scales.acceleration, np.full(34, 50.0))
    assert_allclose(scales.torque, usual)
    assert (scales.force_n, scales.impulse_n_s) == (300.0, 10.0)
    assert natural_problem.actuated == tuple(range(6, 34))
    rows = natural_problem.force_scale
    assert_allclose(rows[:6], 50.0)
    assert_allclose(rows[6:], np.where(usual < 1.0, 1.0, usual))
    assert natural_problem.friction == heiman.friction
    quick = [natural_problem.tree.velocity_names[index] for index in natural_problem.bounded_between_nodes]
    assert quick == ["AnkleRight_RY", "AnkleLeft_RY", "KneeRight_RY", "KneeLeft_RY"]


def ends_of(problem, first, last, durations_s, parameter):
    total_s = float(np.sum(durations_s))
    nodes = (SimpleNamespace(q=q, v=v, u=u, parameter=parameter) for q, v, u in (first, last))
    ends = SimpleNamespace(**dict(zip(("first", "last"), nodes, strict=True)), durations_s=durations_s, total_s=total_s)
    return {one.name: numbers(one.rows(ends)) for one in problem.boundary_constraints}


def test_a_step_ends_as_its_own_mirror_image_a_step_ahead(natural_problem, mirror):
    rng = np.random.default_rng(0)
    q = rng.normal(size=34)
    v = rng.normal(size=34)
    u = rng.normal(size=28)
    image = mirror.image(np.concatenate([np.zeros(6), u]))[6:]
    ahead = mirror.image(q) + 0.7 * np.eye(34)[0]
    parameter = {"step_length_m": 0.7, "speed_m_s": 1.25}
    lasting = np.array([0.25, 0.15, 0.07, 0.09])
    found = ends_of(natural_problem, (q, v, u), (ahead, mirror.image(v), image), lasting, parameter)
    for name in ("periodic coordinate", "periodic velocity", "periodic torque", "step length"):
        assert_allclose(found[name], 0.0, atol=1e-12, err_msg=name)
    assert_allclose(found["share of double support"], [0.16 - 0.35 * 0.56])
    slower = ends_of(
        natural_problem, (q, 2.0 * v, u), (ahead, mirror.image(v), image), lasting, {**parameter, "speed_m_s": 1.0}
    )
    assert_allclose(slower["step length"], [0.0, 0.7 - 0.56], atol=1e-12)
    assert_allclose(slower["periodic velocity"], v / 5.0)
    longer = ends_of(natural_problem, (q, v, u), (ahead + 0.1 * np.eye(34)[0], v, u), lasting, parameter)
    assert_allclose(longer["step length"], [0.1, 0.0], atol=1e-12)
    support = natural_problem.boundary_constraints[-1]
    assert (support.lower, support.upper) == (-np.inf, 0.0)


def test_criteria_are_the_published_ones_or_the_natural_ones_and_time_counts_by_its_weight(heiman):
    published = gait_problem(heiman, replace(Criteria(), time=2.5), speed_m_s=1.3)
    natural = gait_problem(heiman, named_criteria(heiman, NATURAL), speed_m_s=1.3)
    assert "landing" in {cost.name for cost in natural.costs}
    assert "landing" not in {cost.name for cost in published.costs}
    (time,) = (cost for cost in published.costs if cost.name == "time")
    assert (time.weight, time.value(SimpleNamespace(total_s=0.6))) == (2.5, 0.6)


def test_posture_is_tighter_by_natural_criteria_and_only_hasty_feelings_price_the_duration(heiman):
    options = named_gait_options(heiman, ["posture"])
    q = np.zeros(34)
    q[4] = 0.05  # the pelvis rolls
    posture = []
    for criteria in (named_criteria(heiman, "multi"), named_criteria(heiman, NATURAL)):
        problem = gait_problem(heiman, criteria, speed_m_s=1.3, options=options)
        (cost,) = (cost for cost in problem.costs if cost.name == "posture")
        upright = SimpleNamespace(rotation=lambda segment: np.eye(3))
        values = [cost.value(SimpleNamespace(q=at, positions=upright)) for at in (np.zeros(34), q)]
        posture.append(values[1] - values[0])
        assert "step" not in {cost.name for cost in problem.costs}
    assert posture == pytest.approx([(0.05 / 0.06) ** 2, (0.05 / 0.025) ** 2])
    hasty = replace(options, style=replace(options.style, tempo=1.25))
    assert "step" in {cost.name for cost in gait_problem(heiman, Criteria(), speed_m_s=1.3, options=hasty).costs}


def test_what_is_not_weighed_has_no_variables_of_its_own(heiman):
    for weights, names in (((1.0, 1.0), ["momentum", "head"]), ((0.0, 2.0), ["head"]), ((2.0, 0.0), ["momentum"])):
        lifts = gait_problem(heiman, Criteria(momentum=weights[0], head=weights[1]), speed_m_s=1.3).lifted_variables
        assert [(lift.name, lift.size, lift.scale) for lift in lifts] == [(name, 3, 1.0) for name in names]
    moving = SimpleNamespace(angular_momentum=lambda: "momentum", angular_velocity_in_body=lambda body: body)
    lifts = gait_problem(heiman, Criteria(), speed_m_s=1.3).lifted_variables
    assert [lift.of(SimpleNamespace(velocities=moving)) for lift in lifts] == ["momentum", "Head"]


def test_speeds_and_steps_at_the_ends_of_their_ranges_are_walked_and_others_refused(heiman):
    for speed_m_s, step_m in ((0.4, None), (2.5, None), (None, 0.1), (None, 1.1), (0.4, 1.1)):
        check_pace(heiman, speed_m_s, step_m)
    for speed_m_s in (0.399, 2.501, np.nan):
        with pytest.raises(OutOfRangeError, match=r"speed of .* is impossible; choose 0\.4 to 2\.5 m/s"):
            check_pace(heiman, speed_m_s, None)
    for step_m in (0.099, 1.101, np.nan):
        with pytest.raises(OutOfRangeError, match=r"A step of .* is impossible; choose 0\.1 to 1\.1 m"):
            check_pace(heiman, None, step_m)


def test_a_step_too_long_for_its_speed_is_refused_with_those_that_are_not(heiman):
    """Phases last 0.25 to 0.82 s together at 1.3 m/s, so that 0.325 to 1.066 m can be walked."""
    with pytest.raises(OutOfRangeError, match=r"would last 0\.23 s, .* choose 0\.33 to 1\.07 m"):
        gait_problem(heiman, Criteria(), speed_m_s=1.3, step_m=0.3)
    step, speed = gait_problem(heiman, Criteria(), speed_m_s=1.3, step_m=0.7).parameters
    assert (step.lower, step.upper, speed.lower, speed.upper) == (0.7, 0.7, 1.3, 1.3)


def test_a_given_step_or_speed_is_fixed_and_must_fit_the_durations_of_the_phases(heiman):
    table = human_gait(heiman)
    steps_m = table.limits.step_length_m
    speeds = table.speed_m_s
    criteria = named_criteria(heiman, NATURAL)

    def parameters(speed_m_s, step_m=None):
        return gait_problem(heiman, criteria, speed_m_s=speed_m_s, step_m=step_m).parameters[:2]

    step, speed = parameters(None)
    assert (step.lower, step.upper, step.guess) == (steps_m[0], steps_m[1], pytest.approx(0.5 * speeds.usual))
    assert (speed.lower, speed.upper, speed.guess) == (speeds.min, speeds.max, speeds.usual)
    step, speed = parameters(1.2, 0.66)
    assert (step.lower, step.upper, step.guess) == (0.66, 0.66, 0.66)
    assert (speed.lower, speed.upper, speed.guess) == (1.2, 1.2, 1.2)
    phases = gait_problem(heiman, criteria, speed_m_s=1.3).phases
    shortest_m = max(steps_m[0], 1.3 * sum(phase.duration_s[0] for phase in phases))
    longest_m = min(steps_m[1], 1.3 * sum(phase.duration_s[1] for phase in phases))
    for step_m in (shortest_m + 1e-6, longest_m - 1e-6):
        parameters(1.3, step_m)
    with pytest.raises(OutOfRangeError, match=f"together; choose {shortest_m:.2f} to {longest_m:.2f} m"):
        parameters(1.3, shortest_m - 1e-3)
