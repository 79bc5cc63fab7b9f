"""Starts from steps that are at hand, in numbers: without dimensions, on other bodies, or out of a motion."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.interpolate import CubicHermiteSpline

from strut.errors import BadMotionError
from strut.human.problem.criteria import NATURAL, named_criteria
from strut.human.problem.gait_options import HUMAN, named_gait_options
from strut.human.problem.gait_problem import gait_problem
from strut.human.synthesis.warm_library import (
    FEATURE_SCALE,
    LENGTHS,
    SAME_STEP,
    STYLE_PARAMETERS,
    WarmLibrary,
    blend_shares,
    features,
)
from strut.human.synthesis.warm_start import warm_step
from strut.kinematics.contact_set import contact_set
from strut.maths.rotation import qpos_from_angles
from strut.models.subject import subject
from strut.motion import Motion
from strut.ocp.problem import Parameter
from strut.style import Style
from tests.human.transitions.test_transition_parts import COARSE


@pytest.fixture(scope="module")
def pushed(drawn_step):
    """A step with torques, forces and impulses that are told apart."""
    rng = np.random.default_rng(1)
    rows = [len(phase.contact.rows) for phase in drawn_step.problem.phases]
    return replace(
        drawn_step,
        u=rng.normal(size=drawn_step.u.shape),
        force_n=drawn_step.force_n + rng.normal(size=drawn_step.force_n.shape),
        impulse_n_s={2: rng.normal(size=rows[2]), 3: rng.normal(size=rows[3])},
    )


@pytest.fixture(scope="module")
def small():
    return subject(1.55, 52.0)


def asked(robot, speed_m_s=1.3):
    return features(robot, speed_m_s, robot.expression.neutral_style())


def problem_of(robot):
    options = named_gait_options(robot, [HUMAN])
    return gait_problem(robot, named_criteria(robot, NATURAL), speed_m_s=1.3, intervals=COARSE, options=options)


def library_of(robot, *paths):
    return WarmLibrary.of([(robot, path, asked(robot)) for path in paths], COARSE)


def test_a_step_that_is_kept_comes_back_with_its_torques_forces_impulses_and_length(heiman, pushed):
    back = library_of(heiman, pushed).initial_guess(heiman, pushed.problem, asked(heiman))
    for name in ("time_s", "q", "u", "force_n", "duration_s"):
        assert_allclose(getattr(back, name), getattr(pushed, name), rtol=1e-9, atol=1e-9, err_msg=name)
    assert list(back.impulse_n_s) == [2, 3]
    for phase, impulse in pushed.impulse_n_s.items():
        assert_allclose(back.impulse_n_s[phase], impulse)
    assert back.parameter == pytest.approx({"step_length_m": pushed.parameter["step_length_m"], "speed_m_s": 1.3})
    assert_allclose(back.v[0], pushed.v[0], atol=1e-9)  # slopes at ends of phases are the step's own


def test_what_is_kept_has_no_dimensions(heiman, pushed):
    """Lengths over the legs, forces over the weight, times over that in which the legs would fall their own length."""
    kept = library_of(heiman, pushed)
    legs_m = 0.9938
    weight_n = heiman.mass_kg * 9.81
    fall_s = np.sqrt(legs_m / 9.81)
    assert_allclose(kept.intervals, COARSE)
    assert_allclose(kept.duration[0], pushed.duration_s / fall_s)
    assert_allclose(kept.q[0, :, :3], pushed.q[:, :3] / legs_m, atol=1e-12)
    assert_allclose(kept.q[0, :, 3:], pushed.q[:, 3:], atol=1e-12)
    assert_allclose(kept.slope[0, :5, 6:], pushed.v[:5, 6:] * pushed.duration_s[0], atol=1e-12)  # by share of the phase
    assert_allclose(kept.slope[0, -3:, :3], pushed.v[-3:, :3] * pushed.duration_s[3] / legs_m, atol=1e-12)
    assert_allclose(kept.torque[0], pushed.u / (weight_n * legs_m))
    assert_allclose(kept.force[0], pushed.force_n / weight_n)
    impulses = np.concatenate([pushed.impulse_n_s[2], pushed.impulse_n_s[3]])
    assert_allclose(kept.impulse[0], impulses / (weight_n * fall_s))
    assert LENGTHS == ("step_length_m", "lowest_com_m")
    assert kept.length[0, 0] == pytest.approx(pushed.parameter["step_length_m"] / legs_m)
    assert np.isnan(kept.length[0, 1])


def test_a_smaller_body_starts_with_smaller_torques_impulses_and_steps_in_shorter_times(heiman, small, pushed):
    library = library_of(heiman, pushed)
    theirs = library.initial_guess(small, problem_of(small), asked(heiman))
    length = small.subject.standing_pelvis_height_m / heiman.subject.standing_pelvis_height_m
    mass = small.mass_kg / heiman.mass_kg
    assert_allclose(theirs.u, mass * length * pushed.u, rtol=1e-9)
    assert_allclose(theirs.impulse_n_s[2], mass * np.sqrt(length) * pushed.impulse_n_s[2], rtol=1e-9)
    assert_allclose(theirs.duration_s, np.sqrt(length) * pushed.duration_s)
    assert theirs.parameter["step_length_m"] == pytest.approx(length * pushed.parameter["step_length_m"])
    assert_allclose(theirs.v[0, :3], np.sqrt(length) * pushed.v[0, :3], rtol=1e-9, atol=1e-12)
    assert_allclose(theirs.v[0, 6:], pushed.v[0, 6:] / np.sqrt(length), rtol=1e-9, atol=1e-12)
    again = WarmLibrary.of([(small, theirs, asked(small))], COARSE)
    for name in ("duration", "q", "torque", "force", "impulse", "length"):
        assert_allclose(getattr(again, name), getattr(library, name), rtol=1e-9, atol=1e-9, err_msg=name)


def test_lengths_of_a_blend_are_those_of_the_steps_that_have_them(heiman, pushed):
    parameters = (
        *pushed.problem.parameters,
        Parameter("lowest_com_m", 0.7, 1.3, 1.04),
        Parameter("rest", 0.0, 1.0, 0.3),
    )
    bouncing = replace(pushed, parameter={"step_length_m": 0.8, "speed_m_s": 1.3, "lowest_com_m": 0.96})
    library = library_of(heiman, pushed, bouncing)
    library = replace(library, features=np.stack([library.features[0], library.features[0] + 4.0 * FEATURE_SCALE]))
    problem = replace(pushed.problem, parameters=parameters)
    wanted = library.features.mean(axis=0)
    assert_allclose(library.shares(wanted), [0.5, 0.5], atol=1e-6)
    found = library.initial_guess(heiman, problem, wanted).parameter
    assert found["step_length_m"] == pytest.approx((0.8 + pushed.parameter["step_length_m"]) / 2.0)
    assert found["lowest_com_m"] == pytest.approx(0.96)
    assert (found["speed_m_s"], found["rest"]) == (1.3, 0.3)
    assert (
        library.initial_guess(heiman, problem, library.features[0]).parameter["lowest_com_m"] == 1.04
    )  # nobody has one


def test_blends_are_nearly_what_is_asked_or_do_not_reach_it(heiman, pushed):
    library = library_of(heiman, pushed)
    here = library.features[0]
    for number, nearly in enumerate(FEATURE_SCALE):
        for share, reaches in ((0.98, True), (-0.98, True), (1.02, False)):
            assert library.reaches(here + share * nearly * np.eye(len(FEATURE_SCALE))[number]) is reaches
        assert library.holds(here + 0.98 * SAME_STEP * nearly * np.eye(len(FEATURE_SCALE))[number])
        assert not library.holds(here + 1.02 * SAME_STEP * nearly * np.eye(len(FEATURE_SCALE))[number])
    assert SAME_STEP == 0.05
    assert not library.reaches(
        here + 0.8 * FEATURE_SCALE[0] * np.eye(9)[0] + 0.8 * FEATURE_SCALE[1] * np.eye(9)[1]
    )  # together


def test_steps_differ_in_the_shares_of_their_phases_by_less_than_a_bound_to_be_blended(heiman, pushed):
    library = library_of(heiman, pushed, pushed)
    library = replace(library, features=np.stack([library.features[0], library.features[0] + 4.0 * FEATURE_SCALE]))
    wanted = library.features[0] + FEATURE_SCALE
    for off, shares in ((0.079, [0.75, 0.25]), (0.081, [1.0, 0.0])):
        kinds = np.array([[0.3, 0.3, 0.2, 0.2], [0.3 + off, 0.3 - off, 0.2, 0.2]]) * [[2.0], [3.0]]
        assert_allclose(replace(library, duration=kinds).shares(wanted), shares, atol=1e-6)


@pytest.mark.parametrize(("far", "exact"), [(50.0, True), (51.0, False)])
def test_far_steps_are_blended_in_as_long_as_they_spare_more_of_a_miss_than_their_squared_distance_costs(far, exact):
    """Beside a step that is 0.4 off, one at a distance d spares d + 0.4 and costs (d² - 0.4²) / 50: equal at 50.4."""
    known = np.zeros((3, len(FEATURE_SCALE)))
    known[:, 0] = np.array([-far, 0.4, far]) * FEATURE_SCALE[0]
    share = 0.4 / (far + 0.4) if exact else 0.0
    assert_allclose(blend_shares(known, np.zeros(len(FEATURE_SCALE))), [share, 1.0 - share, 0.0], atol=1e-6)


def test_a_library_is_written_in_short_and_read_back(heiman, pushed, tmp_path):
    library = library_of(heiman, pushed)
    library.save(tmp_path / "steps.npz")
    with np.load(tmp_path / "steps.npz") as stored:
        kinds = {name: stored[name].dtype for name in stored.files}
        assert {name for name, kind in kinds.items() if kind == np.float16} == {"torque", "force", "impulse"}
        assert set(kinds.values()) == {np.dtype(np.float16), np.dtype(np.float32)}
        assert_allclose(stored["q"], library.q, atol=1e-6)
        assert_allclose(stored["torque"], library.torque, atol=1e-3)
        assert set(stored.files) == set(WarmLibrary.__slots__)


@pytest.fixture(scope="module")
def walked(heiman, drawn_step, mirror):
    """A step of 100 samples a second as a motion, one second late and two metres ahead, after its mirror image."""
    names = heiman.foot_names
    borders = np.append(0.0, np.cumsum(drawn_step.duration_s))
    count = round(100.0 * borders[-1])
    time_s = np.arange(2 * count + 1) * borders[-1] / count
    inside = np.minimum(np.concatenate([time_s[:count], time_s[: count + 1]]), borders[-1] - 1e-9)
    q = drawn_step.at(inside)[0]
    q[:count] = mirror.image(q[:count])
    contact = np.zeros((len(time_s), len(names)), dtype=bool)
    for number, phase in enumerate(drawn_step.problem.phases):
        now = (inside >= borders[number] - 1e-9) & (inside < borders[number + 1] + 1e-9)
        for point in contact_set(heiman, phase.contact.name).points:
            other = point.name.replace("Right", "*").replace("Left", "Right").replace("*", "Left")
            contact[:count, names.index(other)] |= now[:count]
            contact[count:, names.index(point.name)] |= now[count:]
    step_m = drawn_step.parameter["step_length_m"]
    q[:, 0] += 2.0
    q[count:, 0] += step_m
    torque = np.outer(time_s, np.arange(28.0))
    force = np.outer(1.0 + time_s, np.arange(18.0)).reshape(-1, 6, 3)
    return Motion(
        "heiman", 1.0 + time_s, qpos_from_angles(q), heiman.joint_names, contact, names, torque_nm=torque,
        ground_force_n=force,
    )  # fmt: skip


def test_a_motion_becomes_a_step_from_its_own_toe_off_wherever_and_whenever_it_walks(heiman, drawn_step, walked):
    start = warm_step(heiman, drawn_step.problem, walked)
    assert_allclose(start.duration_s, drawn_step.duration_s, atol=0.03)
    assert start.q[0, 0] == pytest.approx(0.0, abs=1e-9)
    step_m = drawn_step.parameter["step_length_m"]
    assert start.parameter["step_length_m"] == pytest.approx(step_m, rel=0.06)
    assert start.parameter["speed_m_s"] == pytest.approx(1.3, rel=0.01)
    assert start.parameter["step_length_m"] == pytest.approx(start.parameter["speed_m_s"] * start.duration_s.sum())
    assert_allclose(start.v[:, 0], 1.3, atol=0.02)
    assert_allclose(start.q[:, 6:], drawn_step.q[:, 6:], atol=0.2)


def test_torques_and_forces_of_a_start_are_the_motions_at_its_nodes_and_of_what_touches_alone(
    heiman, drawn_step, walked
):
    start = warm_step(heiman, drawn_step.problem, walked)
    middle_s = walked.time_s[-1] - start.time_s[-1] - 1.0  # where the step begins, by the motion's own end
    assert_allclose(start.u[:, 1], middle_s + start.time_s, atol=0.03)
    assert_allclose(start.u, np.outer(start.u[:, 1], np.arange(28.0)))
    rows = start.problem.contact.rows
    names = heiman.foot_names
    for index, row in enumerate(rows):
        in_contact = np.array([row in phase.contact.rows for phase in start.problem.phases])[start.phase_of]
        size = 3.0 * names.index(row.point.name) + row.axis
        assert_allclose(start.force_n[in_contact, index], size * (1.0 + start.u[in_contact, 1]), rtol=1e-9)
        assert not start.force_n[~in_contact, index].any()


def test_a_start_whose_phases_have_few_samples_is_drawn_through_all_of_them(heiman, drawn_step, walked):
    every = slice(None, None, 3)
    thin = replace(
        walked, time_s=walked.time_s[every], qpos=walked.qpos[every], contact=walked.contact[every],
        torque_nm=None, ground_force_n=None,
    )  # fmt: skip
    start = warm_step(heiman, drawn_step.problem, thin)
    assert_allclose(start.v[:, 0], 1.3, atol=0.1)
    assert start.u.shape == (16, 28)


def test_a_motion_of_another_body_is_no_start(heiman, drawn_step, walked):
    other = SimpleNamespace(joint_names=("knee",), robot="cassie")
    with pytest.raises(BadMotionError, match="A motion of cassie is no start for heiman"):
        warm_step(heiman, drawn_step.problem, other)


def test_meshes_with_other_numbers_of_phases_are_not_taken_for_each_other(heiman, pushed):
    with pytest.raises(ValueError, match="zip"):
        library_of(heiman, pushed).initial_guess(
            heiman, pushed.problem.on_phases(pushed.problem.phases[:3]), asked(heiman)
        )


def test_a_blend_on_a_finer_mesh_follows_the_cubics_of_its_steps_and_torques_are_straight_between_nodes(heiman, pushed):
    options = named_gait_options(heiman, [HUMAN])
    criteria = named_criteria(heiman, NATURAL)
    fine = gait_problem(heiman, criteria, speed_m_s=1.3, intervals=[2 * n for n in COARSE], options=options)
    blend = library_of(heiman, pushed).initial_guess(heiman, fine, asked(heiman))
    first = 0
    for phase, count in enumerate(COARSE):
        own = pushed.nodes_of(phase)
        nodes = slice(first, first + 2 * count + 1)
        time_s = np.linspace(0.0, pushed.duration_s[phase], count + 1)
        curve = CubicHermiteSpline(time_s, pushed.q[own], pushed.v[own], axis=0)
        assert_allclose(blend.q[nodes], curve(np.linspace(0.0, time_s[-1], 2 * count + 1)), atol=1e-9)
        assert_allclose(blend.u[nodes][::2], pushed.u[own], atol=1e-9)
        middle = 0.5 * (pushed.u[own][1:] + pushed.u[own][:-1])
        assert_allclose(blend.u[nodes][1::2], middle, atol=1e-9)
        first += 2 * count + 1


def test_features_of_a_request_are_dimensionless_speed_leg_length_and_parameters_of_the_style(heiman):
    length_m = heiman.subject.standing_pelvis_height_m
    style = Style(tempo=1.1, trunk_pitch_rad=0.1, head_pitch_rad=0.2, elbow_rad=0.3, shoulder_rad=0.4, arm_swing=0.5)
    found = features(heiman, 1.3, style)
    assert_allclose(found[:2], [1.3 / np.sqrt(9.81 * length_m), length_m])
    assert found[2:].tolist() == [getattr(style, name) for name in STYLE_PARAMETERS]
    assert len(set(found[2:].tolist())) > 2


def test_a_blend_takes_the_steps_around_and_its_shares_add_up_to_one():
    known = np.zeros((3, len(FEATURE_SCALE)))
    known[:, 0] = np.array([0.0, 10.0, 40.0]) * FEATURE_SCALE[0]
    share = blend_shares(known, 0.25 * known[1])
    assert share.sum() == pytest.approx(1.0)
    assert_allclose(share, [0.75, 0.25, 0.0], atol=1e-6)
