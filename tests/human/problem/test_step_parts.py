"""Constraints, costs and guesses of a step in numbers, at hand-made nodes."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.body_wrench import centre_of_mass_path
from strut.engines.rigid_body import body_poses
from strut.errors import OutOfRangeError
from strut.human.anatomy import other_side, sole_length_m, stretched_leg_m, unsided, walking_cycle
from strut.human.problem.criteria import NATURAL, named_criteria
from strut.human.problem.effort_costs import joint_strengths, natural_costs
from strut.human.problem.gait_options import HUMAN, GaitOptions, named_gait_options
from strut.human.problem.gait_problem import gait_problem
from strut.human.problem.swing_clearance import ROUNDING_M, height_constraint, legs_apart, swing_constraints
from strut.human.synthesis import initial_guess
from strut.human.synthesis.initial_guess import USUAL_SPEED_M_S, USUAL_STEP_M, GuessOptions, foot_paths, phase_durations
from strut.human.table import human_gait
from strut.human.transitions.quiet_stand import either_side_bounds, heading_of_foot, stand_at_rest
from strut.kinematics.contact_set import contact_points
from strut.kinematics.mirror import mirror_of
from strut.maths.rotation import qpos_from_angles
from strut.models.subject import subject


@pytest.fixture(scope="module")
def options(heiman):
    return named_gait_options(heiman, [HUMAN])


def numbers(expression):
    return np.array(expression).astype(float).ravel()


def test_each_phase_keeps_what_is_in_the_air_above_the_ground(heiman, options):
    found = [swing_constraints(heiman, number, options, natural=True) for number in range(4)]
    said = [[one.name for one in constraints] for constraints in found]
    assert said[0][1:] == ["height of the left foot", "clearance of the left toes", "clearance of the left heel"]
    assert said[1][1:3] == ["height of the left foot and the right heel", "height of the left toes and the right heel"]
    assert said[2][1:] == ["height of the left toes and the right heel"]
    assert said[3][1:] == ["height of the right heel"]
    toes, heel = found[0][2:4]
    assert (toes.lower, toes.nodes) == (options.clearance_m, "from a third on")
    assert (heel.lower, heel.nodes) == (human_gait(heiman).natural_criteria.heel_clearance_m, "from a third on")
    assert found[1][-1].nodes == "up to two thirds"
    plain = swing_constraints(heiman, 0, options, natural=False)
    assert [one.name for one in plain][1:] == ["height of the left foot", "clearance of the left toes"]
    bare = swing_constraints(heiman, 0, GaitOptions(clearance_m=0.0), natural=True)
    assert len(bare) == 2


def test_heights_are_of_the_points_named_or_of_the_other_leg(heiman):
    points = contact_points(heiman)
    for mirrored, names in ((False, ("HeelLeft", "HalluxLeft")), (True, ("HeelRight", "HalluxRight"))):
        one = height_constraint(
            heiman, "height of the left foot", ("HeelLeft", "HalluxLeft"), 0.02, "all", mirrored=mirrored
        )
        height = {points[name]: k + 0.5 for k, name in enumerate(names)}
        node = SimpleNamespace(height=height.get)
        assert_allclose(numbers(one.rows(node)), [0.5, 1.5])
        assert (one.lower, one.upper, one.scale) == (0.02, np.inf, 0.1)
        assert all(("right" if mirrored else "left") in word for word in one.row_names)


def test_legs_stay_apart_by_their_capsules_or_side_by_side(heiman):
    shank = heiman.subject.lengths_m["ShankLeftLength"]
    beside = legs_apart(heiman, GaitOptions(capsules=False))

    def position(segment, at):
        side = 0.1 if "Left" in segment else -0.06
        return np.array([0.0, side + (0.02 if at[2] == -shank and "Left" in segment else 0.0), 0.0])

    node = SimpleNamespace(positions=SimpleNamespace(position=position))
    assert_allclose(numbers(beside.rows(node)), [0.16, 0.18])
    assert beside.lower == human_gait(heiman).limits.leg_separation_m
    round_ = legs_apart(heiman, GaitOptions(capsules=True))
    assert (round_.lower, round_.upper) == (ROUNDING_M, np.inf)
    capsules = heiman.contacts.capsule

    def standing(segment, at):
        return np.array([0.0, 0.3 if "Left" in segment else 0.0, at[2]])

    gap = numbers(round_.rows(SimpleNamespace(positions=SimpleNamespace(position=standing))))[0]
    radii = capsules["ShankLeft"].radius_m + capsules["ShankRight"].radius_m
    assert gap == pytest.approx(0.3 - radii, abs=0.01)


def test_natural_costs_are_per_metre_and_grow_with_speed(heiman, options):
    criteria = SimpleNamespace(effort=2.0, momentum=3.0, head_rate=4.0, torque_rate=5.0, acceleration=6.0)
    names = {"momentum", "head_rate", "head"}
    criteria = SimpleNamespace(**vars(criteria), **dict.fromkeys(names - set(vars(criteria)), 4.0))
    table = human_gait(heiman).natural_criteria
    strength = joint_strengths(heiman)
    joints = len(heiman.joint_names)
    costs = natural_costs(heiman, criteria, options)
    u = np.zeros(joints)
    v = np.zeros(6 + joints)
    u[3] = 0.5 * strength[3]
    v[6 + 3] = 2.0 * table.fast_rad_s
    node = SimpleNamespace(
        u=u, v=v, a=np.full(6 + joints, 3.0), parameter={"step_length_m": 0.8, "speed_m_s": 1.6},
        scales=SimpleNamespace(acceleration=np.full(6 + joints, 6.0)),
    )  # fmt: skip
    assert costs[0].weight == 2.0
    assert numbers(costs[0].rate(node))[0] == pytest.approx((0.25 + 1.0) / (0.8 * joints))
    rate = next(one for one in costs if one.name == "torque rate")
    assert rate.weight == pytest.approx(options.smooth * 5.0)
    assert numbers(rate.of(node))[3] == pytest.approx(0.5 / np.sqrt(0.8))
    mean = next(one for one in costs if one.name == "acceleration")
    assert numbers(mean.value(node))[0] == pytest.approx(0.25 * (6 + joints) / 1.6)
    assert costs[-1].weight == table.landing
    person = heiman.subject
    size = person.mass_kg * person.height_m / (table.of_mass_kg * table.of_height_m)
    assert_allclose(strength, [size * table.torque_nm[unsided(name)] for name in heiman.joint_names])


def test_bounds_for_both_legs_contain_those_of_each_leg_and_of_its_mirror_image(heiman, natural_problem):
    names = natural_problem.tree.velocity_names
    own = natural_problem.bounds.q
    wide = either_side_bounds(heiman, natural_problem).q
    image = mirror_of(heiman, names).image(own)
    angles = slice(3, None)
    assert_allclose(wide[0, angles], np.minimum(own[0], image.min(axis=0))[angles])
    assert_allclose(wide[1, angles], np.maximum(own[1], image.max(axis=0))[angles])
    right, left = names.index("KneeRight_RY"), names.index("KneeLeft_RY")
    assert wide[0, right] == wide[0, left] == min(own[0, right], own[0, left])
    assert wide[1, right] == wide[1, left] == max(own[1, right], own[1, left])
    assert np.isinf(wide[:, :2]).all()


@pytest.mark.parametrize("side", ["Right", "Left"])
def test_a_foot_heads_where_the_body_is_turned(heiman, side):
    q = np.zeros(heiman.model.nv)
    q[5] = 0.4
    assert heading_of_foot(heiman, q, side) == pytest.approx(0.4, abs=1e-6)


def test_guessed_phases_grow_with_the_root_of_speed_within_their_bounds(heiman):
    usual = np.array([phase.guess_s for phase in human_gait(heiman).phase])
    wide = SimpleNamespace(phases=[SimpleNamespace(duration_s=(0.0, 9.0)) for _ in usual])
    rng = np.random.default_rng(0)
    for speed in (USUAL_SPEED_M_S, 0.5 * USUAL_SPEED_M_S):
        found = phase_durations(heiman, wide, speed, GuessOptions(), rng)
        assert found.sum() == pytest.approx(USUAL_STEP_M * np.sqrt(speed / USUAL_SPEED_M_S) / speed)
        assert_allclose(found / found.sum(), usual / usual.sum())
    noisy = phase_durations(heiman, wide, 1.0, GuessOptions(duration_noise=0.2), np.random.default_rng(4))
    plain = phase_durations(heiman, wide, 1.0, GuessOptions(), rng)
    assert_allclose(noisy / plain, 1.0 + 0.2 * np.random.default_rng(4).uniform(-1.0, 1.0, len(usual)))
    tight = SimpleNamespace(phases=[SimpleNamespace(duration_s=(0.01, 0.02)) for _ in usual])
    assert_allclose(phase_durations(heiman, tight, 1.0, GuessOptions(), rng), 0.02)


def test_guessed_feet_roll_over_their_toes_and_land_a_step_ahead(heiman):
    start = np.array([0.0, 0.2, 0.4, 0.5, 0.6])
    time = np.linspace(0.0, 0.6, 61)
    paths = foot_paths(heiman, time, start, USUAL_STEP_M)
    right = paths["Right"]
    left = paths["Left"]
    points = contact_points(heiman)
    base = points["HalluxRight"].position_m[0] - points["HeelRight"].position_m[0]
    sole = heiman.subject.lengths_m["FootRightHeight"]
    assert_allclose(right[time <= 0.2, 2], 0.0, atol=1e-12)
    assert right[-1, 2] == pytest.approx(initial_guess.TOE_OFF_PITCH_RAD)
    assert right[40, 2] == pytest.approx(0.6 * initial_guess.TOE_OFF_PITCH_RAD)
    front = 0.5 * USUAL_STEP_M + 0.14
    toe = right[:, 0] + base * np.cos(right[:, 2]) - sole * np.sin(right[:, 2])
    assert_allclose(toe, front, atol=1e-9)  # the toes stay
    assert_allclose(right[:, 1], base * np.sin(right[:, 2]) + sole * np.cos(right[:, 2]), atol=1e-9)
    assert_allclose(left[-1], [front + USUAL_STEP_M - base, sole, 0.0], atol=1e-9)
    assert left[0, 2] == pytest.approx(initial_guess.TOE_OFF_PITCH_RAD)
    assert left[40, 2] == pytest.approx(initial_guess.HEEL_STRIKE_PITCH_RAD)
    assert left[40, 1] == pytest.approx(points["HeelRight"].radius_m)
    short = foot_paths(heiman, time, start, 0.5 * USUAL_STEP_M)
    assert short["Right"][-1, 2] == pytest.approx(0.5 * initial_guess.TOE_OFF_PITCH_RAD)


def segment_distance(one, other):
    """The least distance of two segments, by looking everywhere on both."""
    share = np.linspace(0.0, 1.0, 201)
    first = one[0] + share[:, None] * (one[1] - one[0])
    second = other[0] + share[:, None] * (other[1] - other[0])
    return np.linalg.norm(first[:, None] - second[None], axis=-1).min()


def test_shanks_that_cross_are_as_far_apart_as_their_axes_less_both_radii(heiman):
    shank = heiman.subject.lengths_m["ShankLeftLength"]
    ends = {
        "ShankLeft": np.array([[0.1, 0.12, 0.5], [-0.2, 0.02, 0.1]]),
        "ShankRight": np.array([[-0.1, -0.1, 0.5], [0.2, -0.05, 0.1]]),
    }

    def position(segment, at):
        return ends[segment][0 if at[2] == 0.0 else 1]

    apart = legs_apart(heiman, GaitOptions(capsules=True))
    gap = numbers(apart.rows(SimpleNamespace(positions=SimpleNamespace(position=position))))[0]
    true = segment_distance(ends["ShankLeft"], ends["ShankRight"]) - 0.1
    assert shank > 0.4
    assert gap == pytest.approx(true, abs=ROUNDING_M)
    assert (apart.scale, legs_apart(heiman, GaitOptions()).scale) == (0.1, 0.1)
    assert legs_apart(heiman, GaitOptions()).upper == np.inf


def test_a_short_subject_stands_with_its_weight_less_far_ahead_of_its_ankles_and_its_feet_turned_in():
    """Toes in by 0.2 rad: the right foot to the left, the left foot to the right."""
    short = subject(1.55, 52.0)
    options = named_gait_options(short, [HUMAN])
    problem = gait_problem(
        short, named_criteria(short, NATURAL), speed_m_s=1.2, intervals=(4, 4, 2, 2), options=options
    )
    q = stand_at_rest(short, problem, 0.2).trajectory.q[:1]
    qpos = qpos_from_angles(q)
    ankles = body_poses(short.model, ["FootRight", "FootLeft"], qpos)[0][0]
    ahead_m = centre_of_mass_path(short.model, qpos)[0, 0] - ankles[:, 0].mean()
    assert ahead_m == pytest.approx(0.045 * short.subject.standing_pelvis_height_m / 0.9938, abs=1e-6)
    assert heading_of_foot(short, q[0], "Right") == pytest.approx(0.2, abs=1e-6)
    assert heading_of_foot(short, q[0], "Left") == pytest.approx(-0.2, abs=1e-6)


def test_lengths_of_legs_and_feet_are_those_of_their_segments(heiman):
    lengths = heiman.subject.lengths_m
    assert stretched_leg_m(lengths, "Left") == pytest.approx(heiman.subject.standing_pelvis_height_m, abs=0.02)
    points = contact_points(heiman)
    for side in ("Right", "Left"):
        span = points[f"Hallux{side}"].position_m[0] - points[f"Heel{side}"].position_m[0]
        assert sole_length_m(lengths, side) == pytest.approx(span)
    longer = {**lengths, "ThighRightLength": lengths["ThighRightLength"] + 0.1}
    assert stretched_leg_m(longer, "Right") == pytest.approx(stretched_leg_m(lengths, "Right") + 0.1)


def test_a_stride_is_a_step_and_its_mirror_image_and_heels_are_seen_later_than_toes(heiman):
    cycle = walking_cycle(heiman)
    step = ("RightFlat", "RightForefoot", "RightForefootLeftHeel", "RightForefootLeftFlat")
    assert cycle.order[:4] == step
    assert cycle.order[4:] == ("LeftFlat", "LeftForefoot", "LeftForefootRightHeel", "LeftForefootRightFlat")
    late = {name: cycle.late_s[name] for name in ("HeelLeft", "HalluxRight", "Meta5Left")}
    assert late == {"HeelLeft": 0.025, "HalluxRight": 0.004, "Meta5Left": 0.004}
    assert other_side("the left toes and the right heel") == "the right toes and the left heel"


def test_toes_and_changes_of_torque_have_bounds(heiman):
    assert GaitOptions(clearance_m=0.15, smooth=9999.0).clearance_m == 0.15
    assert GaitOptions(clearance_m=0.0).as_dict()["clearance_m"] == 0.0
    for wrong in ({"clearance_m": 0.151}, {"clearance_m": -0.001}, {"smooth": 0.0}, {"smooth": 1e4}):
        with pytest.raises(OutOfRangeError):
            GaitOptions(**wrong)
    assert "style" not in GaitOptions().as_dict()
    with pytest.raises(OutOfRangeError, match="cannot go with plain; choose one"):
        named_gait_options(heiman, ["plain", "plain"])
    with pytest.raises(OutOfRangeError, match="1000 mm is impossible; choose 0 to 150 mm"):
        GaitOptions(clearance_m=1.0)
