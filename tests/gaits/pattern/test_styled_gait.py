"""Styled gait: pace, path, posture, arm swing, initial guess and coarse check of a gait in a style."""

from dataclasses import replace
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.engines.task_jacobians import task_jacobians
from strut.errors import OutOfRangeError
from strut.expression.secondary_motion import joint_offsets_of_style
from strut.gaits.pattern.gait_fallbacks import BODY_HEIGHTS, FALLBACKS, STEP_SCALES
from strut.gaits.pattern.gait_pattern import time_unit_s
from strut.gaits.pattern.gait_track import track
from strut.gaits.pattern.request import PatternGait
from strut.gaits.pattern.styled_gait import MAX_CYCLES, MAX_STANCE_ERROR_M, MAX_SWING_ERROR, StyledGait
from strut.gaits.pattern.table import PatternTable
from strut.kinematics.whole_body import LIMIT_MARGIN_RAD
from strut.place import Place
from strut.style import Style
from tests.adoption.small_robots import biped, import_robot

STYLE = Style(
    tempo=1.2, stride=0.8, lift=1.3, stance_width=1.1, body_height=0.97, body_pitch_rad=0.05, arm_swing=0.7,
    trunk_pitch_rad=0.1, head_pitch_rad=-0.2, bounce=1.5, nod_rad=0.05, asymmetry=0.2, breath=0.5,
)  # fmt: skip


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    return import_robot(biped(), tmp_path_factory.mktemp("biped"), "biped.urdf")[0].expressing("animated")


def gait_of(robot, style=STYLE, **task):
    return StyledGait.upright(robot, PatternGait(**task), style)


def unit_s(gait):
    return time_unit_s(gait.stance.height_m, 9.81)


def test_the_robots_own_factors_scale_the_pattern(robot):
    table = robot.gait_as(PatternTable)
    quick_table = msgspec.structs.replace(table, period=0.5 * table.period, lift=2.0 * table.lift)
    quick = gait_of(replace(robot, tables=replace(robot.tables, gait=quick_table)), Style())
    usual = gait_of(robot, Style())
    assert quick.pattern.period == pytest.approx(0.5 * usual.pattern.period)
    assert quick.pattern.lift == pytest.approx(2.0 * usual.pattern.lift)
    assert quick.pattern.stride == pytest.approx(usual.pattern.stride)


@pytest.mark.parametrize(
    ("share", "pace"), [(None, 1.0), (1.0, 1.0), (0.5, 0.5**0.5), (-0.36, 0.6), (0.1, 0.5), (3.0, 1.0)]
)
def test_a_commanded_slow_walk_takes_half_of_it_from_its_pace(robot, share, pace):
    usual = gait_of(robot, Style())
    speed_m_s = None if share is None else share * usual.stride_m / usual.period_s
    commanded = gait_of(robot, Style(), speed_m_s=speed_m_s)
    assert commanded.pattern.period * pace == pytest.approx(usual.pattern.period)
    quick = gait_of(robot, Style(tempo=1.3), speed_m_s=speed_m_s)
    assert quick.period_s == pytest.approx(commanded.period_s / 1.3, rel=1e-6)


def test_a_commanded_velocity_is_the_travel_per_cycle(robot):
    gait = gait_of(robot, speed_m_s=0.3, sideways_m_s=0.1, turn_rad_s=-0.2, cycles=7)
    (piece,) = gait.pieces()
    scaled_s = 1.2 * 0.8 * gait.period_s  # tempo and stride of the style
    assert_allclose(piece.per_cycle, [0.3 * scaled_s, 0.1 * scaled_s, -0.2 * gait.period_s])
    assert piece.cycles == 7
    backwards = replace(gait, style=replace(STYLE, direction=-1))
    assert_allclose(backwards.pieces()[0].per_cycle[0], -0.3 * scaled_s)
    (usual,) = gait_of(robot, cycles=3).pieces()
    assert_allclose(usual.per_cycle, [gait_of(robot).stride_m, 0.0, 0.0])


def test_stride_and_period_are_those_of_the_pattern_in_the_style(robot):
    neutral = gait_of(robot, Style())
    assert neutral.stride_m == pytest.approx(neutral.pattern.stride * neutral.stance.height_m)
    assert neutral.period_s == pytest.approx(neutral.pattern.period * unit_s(neutral))
    styled = gait_of(robot)
    assert styled.stride_m == pytest.approx(0.8 * styled.pattern.stride * neutral.stance.height_m)


@pytest.mark.parametrize("speed_m_s", [None, 1e-4])
def test_the_way_to_a_goal_ends_there_in_cycles_within_reach(robot, speed_m_s):
    gait = gait_of(robot, goals=(Place(0.3, 0.1, 0.4),), speed_m_s=speed_m_s)
    pieces = gait.pieces()
    end = track(np.array(float(sum(piece.cycles for piece in pieces))), pieces)
    assert_allclose(end, [0.3, 0.1, 0.4], atol=1e-6)
    max_forwards_m = gait.stride_m if speed_m_s is None else 0.05 * gait.stride_m
    max_travel = [max_forwards_m, 0.4 * gait.stride_m, 0.5 * 0.8]
    for piece in pieces:
        assert (np.abs(piece.per_cycle) <= np.array(max_travel) + 1e-9).all()


def test_a_way_of_more_than_two_hundred_cycles_is_refused(robot):
    stride_m = gait_of(robot).stride_m
    longest_m = stride_m * (MAX_CYCLES - 1)  # the two ramps count as one cycle
    pieces = gait_of(robot, goals=(Place(longest_m, 0.0),)).pieces()
    assert sum(piece.cycles for piece in pieces) == 200
    with pytest.raises(OutOfRangeError, match="201 gait cycles"):
        gait_of(robot, goals=(Place(longest_m + 0.5 * stride_m, 0.0),)).pieces()


def test_a_short_plan_is_of_the_hardest_piece(robot):
    goals = (Place(1.5, 0.0), Place(1.5, 0.0, 0.2))  # a walk, then a small turn
    gait = gait_of(robot, Style(), goals=goals)
    plan = gait.plan(25.0, cycles=3)
    assert plan.phase[-1] == 3.0
    assert plan.track[-1, 0] == pytest.approx(2.0 * gait.pieces()[0].per_cycle[0])
    assert plan.track[-1, 2] == 0.0
    assert gait_of(robot, cycles=2).plan(25.0, cycles=3).phase[-1] == 2.0


def test_the_plan_has_the_width_the_lift_and_the_rests_of_the_style(robot):
    gait = gait_of(robot, replace(STYLE, jerkiness=0.9), cycles=4)
    plan = gait.plan(40.0, cycles=None)
    assert_allclose(np.diff(plan.time_s), 1.0 / 40.0)
    width_m = np.ptp(plan.foot_in_world[0, :, 1])
    assert width_m == pytest.approx(1.1 * robot.gait_as(PatternTable).width * np.ptp(gait.stance.foot_m[:, 1]))
    lift_m = plan.foot_in_world[..., 2].max() - gait.stance.foot_m[:, 2].max()
    assert lift_m == pytest.approx(gait.pattern.lift * 1.3 * gait.stance.height_m, rel=0.02)
    rest_s = (3.0 + 6.0) * unit_s(gait)  # half a breath longer than without one
    assert plan.time_s[-1] == pytest.approx(2.0 * rest_s + 4.0 * gait.period_s, abs=0.03)
    assert plan.expressed_share[0] == plan.expressed_share[-1] == 0.0
    assert plan.expressed_share[plan.time_s > 3.0 * unit_s(gait)][0] > 0.99
    without_breath = gait_of(robot, replace(STYLE, breath=0.0), cycles=4).plan(40.0, cycles=None)
    assert without_breath.time_s[-1] == pytest.approx(2.0 * 3.0 * unit_s(gait) + 4.0 * gait.period_s, abs=0.03)


def test_height_and_attitude_follow_the_style(robot):
    gait = gait_of(robot, turn_rad_s=0.3, speed_m_s=0.2, cycles=3).at_fallback(4)
    plan = gait.plan(25.0, cycles=3)
    posture = gait.body_posture(plan)
    secondary = gait.secondary_motion(plan)
    share = plan.expressed_share
    height_m = gait.stance.height_m * (1.0 + share * (BODY_HEIGHTS[4] * 0.97 - 1.0) + secondary.rise)
    assert_allclose(posture.height_m, height_m, atol=1e-12)
    assert robot.expression.joints("trunk_pitch_rad")  # joints bend the trunk, so the base keeps its own pitch
    angles = (plan.track[:, 2], share * 0.05 + secondary.pitch_rad, secondary.roll_rad)
    assert np.ptp(angles[0]) > 0.1
    yaw, pitch, roll = (
        Rotation.from_rotvec(np.outer(angle, axis)) for angle, axis in zip(angles, np.eye(3)[::-1], strict=True)
    )
    assert_allclose(posture.base_rotation, (yaw * pitch * roll).as_matrix(), atol=1e-12)
    offset_rad = share[:, None] * (joint_offsets_of_style(robot, STYLE) + gait.arm_swing(plan))
    offset_rad += replace(secondary, pitch_rad=np.zeros(len(share))).joint_offsets(robot)
    assert_allclose(posture.joint_rad, gait.joints_in_range(offset_rad, share), atol=1e-12)


def test_the_body_bounces_once_a_step_and_is_highest_in_mid_step(robot):
    gait = gait_of(robot, replace(STYLE, breath=0.0, anticipation=0.0), cycles=3)
    plan = gait.plan(25.0, cycles=3)
    rise = gait.secondary_motion(plan).rise
    assert rise[0] == rise[-1] == 0.0
    steps = 2.0 * plan.phase
    assert rise[np.argmin(np.abs(steps - 2.5))] > rise[np.argmin(np.abs(steps - 2.0))]


def test_arms_swing_with_the_legs_on_the_other_side(robot):
    gait = gait_of(robot, turn_rad_s=0.4, speed_m_s=0.3, cycles=3)
    plan = gait.plan(25.0, cycles=3)
    swing_rad = gait.arm_swing(plan)
    joints = robot.expression.joints("arm_swing")
    assert len(joints) == 2
    yaw = plan.track[:, 2]
    for joint, factor in joints.items():
        leg = next(k for k, place in enumerate(gait.stance.places) if place.endswith("left") != ("left" in joint))
        from_body_m = plan.foot_in_world[:, leg, :2] - plan.track[:, :2]
        ahead_m = from_body_m[:, 0] * np.cos(yaw) + from_body_m[:, 1] * np.sin(yaw)
        expected_rad = factor * 0.7 * ahead_m / gait.stance.height_m
        assert_allclose(swing_rad[:, robot.joint_names.index(joint)], expected_rad, atol=1e-12)
    assert np.count_nonzero(np.ptp(swing_rad, axis=0)) == 2


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_swing_that_would_leave_a_joints_range_is_moved_inwards_as_a_whole(robot, sign):
    gait = gait_of(robot, Style())
    share = np.sin(np.linspace(0.0, np.pi, 41)) ** 2
    lower = robot.joint_lower_rad + LIMIT_MARGIN_RAD
    upper = robot.joint_upper_rad - LIMIT_MARGIN_RAD
    neck = robot.joint_names.index("neck")
    stop = (upper if sign > 0.0 else lower)[neck]
    standing = gait.standing_qpos[7 + neck]
    offset_rad = np.zeros((len(share), len(robot.joint_names)))
    offset_rad[:, neck] = share * (stop - standing + sign * 0.1)  # at its peak a tenth of a radian beyond
    joint_rad = gait.joints_in_range(offset_rad, share)
    assert_allclose(joint_rad[:, neck], standing + share * (stop - standing), atol=1e-9)
    assert ((joint_rad >= lower) & (joint_rad <= upper)).all()
    others = np.arange(len(robot.joint_names)) != neck
    assert_allclose(joint_rad[:, others], np.tile(np.clip(gait.standing_qpos[7:], lower, upper)[others], (41, 1)))


def test_the_initial_guess_moves_the_standing_body_along_its_track(robot):
    gait = gait_of(robot, turn_rad_s=0.3, speed_m_s=0.2, cycles=3)
    plan = gait.plan(25.0, cycles=3)
    posture = gait.body_posture(plan)
    guess_qpos = gait.initial_guess(plan, posture)
    now = task_jacobians(robot, guess_qpos)
    x_m, y_m, _ = task_jacobians(robot, gait.standing_qpos[None]).com_in_world[0]
    cosine = np.cos(plan.track[:, 2])
    sine = np.sin(plan.track[:, 2])
    com_m = plan.track[:, :2] + np.column_stack([cosine * x_m - sine * y_m, sine * x_m + cosine * y_m])
    assert_allclose(now.com_in_world, np.column_stack([com_m, posture.height_m]), atol=1e-9)
    assert_allclose(now.base_rotation, posture.base_rotation, atol=1e-9)
    assert_allclose(guess_qpos[:, 7:], np.tile(gait.standing_qpos[7:], (len(guess_qpos), 1)))
    assert (np.sum(guess_qpos[1:, 3:7] * guess_qpos[:-1, 3:7], axis=1) > 0.99).all()


@pytest.mark.parametrize("fallback", [4, 9, 22])
def test_a_fallback_lowers_the_body_and_shortens_steps_at_the_same_speed(robot, fallback):
    gait = gait_of(robot)
    lower = gait.at_fallback(fallback)
    assert (lower.body_height, lower.stride_m / gait.stride_m) == pytest.approx(FALLBACKS[fallback])
    assert lower.stride_m / lower.period_s == pytest.approx(gait.stride_m / gait.period_s)
    assert FALLBACKS[0] == (BODY_HEIGHTS[0], STEP_SCALES[0]) == (1.0, 1.0)


@pytest.mark.parametrize("is_stance", [True, False])
@pytest.mark.parametrize("share", [0.9, 1.1])
def test_feet_may_miss_less_on_the_ground_than_in_the_air(robot, is_stance, share):
    gait = gait_of(robot, cycles=2)
    plan = gait.plan(25.0, cycles=2)
    sample = int(np.flatnonzero(plan.schedule.contact[:, 0] == is_stance)[0])
    tolerance_m = MAX_STANCE_ERROR_M if is_stance else MAX_SWING_ERROR * gait.stance.height_m
    foot_error_m = np.zeros(plan.schedule.contact.shape)
    foot_error_m[sample, 0] = share * tolerance_m
    solution = SimpleNamespace(foot_error_m=foot_error_m, com_error_m=np.zeros(len(foot_error_m)))
    assert gait.foot_misses(plan, solution)[sample, 0] == pytest.approx(share)
    assert gait.worst_miss(plan, solution) == pytest.approx(share)
    far = replace_com_error(solution, 0.003 * gait.stance.height_m)
    assert gait.worst_miss(plan, far) == pytest.approx(1.5)  # 2 per mille of its height are allowed


def replace_com_error(solution, error_m):
    return SimpleNamespace(foot_error_m=solution.foot_error_m, com_error_m=np.full(len(solution.foot_error_m), error_m))


def test_a_check_finds_feet_out_of_reach_and_fast_joints(robot):
    easy = gait_of(robot, Style(), cycles=2).at_fallback(4).check()
    assert easy.miss < 1.0
    assert easy.gait is not None
    far = gait_of(robot, Style(stride=3.0), cycles=2).at_fallback(4).check()
    assert far.miss > 1.0
    slow = replace(robot, joint_speed_limit_rad_s=0.5 * robot.joint_speed_limit_rad_s)
    assert gait_of(slow, Style(), cycles=2).at_fallback(4).check().speed == pytest.approx(2.0 * easy.speed)
    assert " of its speed limit at " in easy.fastest_joint


def test_a_gait_solved_from_a_check_is_the_one_solved_from_standing(robot):
    """Both end with their zero-moment point on the plan; the difference is below a millimetre and a milliradian."""
    gait = gait_of(robot, Style()).at_fallback(4)
    guess = gait.check().gait
    (_, from_standing), (_, from_check) = (gait.solve(50.0, cycles=3, guess=start) for start in (None, guess))
    assert_allclose(from_check.qpos, from_standing.qpos, atol=1e-3)
