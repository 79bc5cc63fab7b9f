"""Gait drafts part by part: pace, pieces of the way, posture, looks, and the order in which variants are tried."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut.draft import Detail
from strut.engines.task_jacobians import task_jacobians
from strut.errors import OutOfRangeError
from strut.expression.secondary_motion import held_by_words, secondary_motion
from strut.gaits.pattern import gait_drafts
from strut.gaits.pattern.gait_drafts import GaitDrafts, _checked, _first_cycles, _reach_shortfall
from strut.gaits.pattern.gait_fallbacks import FALLBACKS, LOWER, CoarseCheck, resume_from, speed_use
from strut.gaits.pattern.gait_figures import gait_figures
from strut.gaits.pattern.gait_pattern import time_unit_s
from strut.gaits.pattern.gait_track import TrackPiece
from strut.gaits.pattern.request import PatternGait
from strut.gaits.pattern.table import PatternTable
from strut.place import Place
from strut.style import Style
from tests.adoption.small_robots import biped, import_robot, quadruped

STYLE = Style(
    tempo=1.2, stride=0.8, lift=1.3, stance_width=1.1, body_height=0.97, body_pitch_rad=0.05, arm_swing=0.7,
    trunk_pitch_rad=0.1, head_pitch_rad=-0.2, bounce=1.5, nod_rad=0.05, asymmetry=0.2, breath=0.5,
)  # fmt: skip


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    return import_robot(biped(), tmp_path_factory.mktemp("biped"), "biped.urdf")[0].expressing("animated")


@pytest.fixture(scope="module")
def four(tmp_path_factory):
    return import_robot(quadruped(), tmp_path_factory.mktemp("four"))[0].expressing("animated")


def body_of(robot, style=STYLE, **task):
    return GaitDrafts(robot, PatternGait(**task), 50.0)._body(style)


@pytest.mark.parametrize(
    ("asked", "pace"), [(None, 1.0), (1.0, 1.0), (0.5, 0.5**0.5), (-0.36, 0.6), (0.1, 0.5), (3.0, 1.0)]
)
def test_who_is_commanded_to_be_slow_takes_half_of_it_from_its_pace(robot, asked, pace):
    usual = GaitDrafts(robot, PatternGait(), 50.0).usual_options
    assert (usual["turn_rad_s"], usual["sideways_m_s"]) == (0.0, 0.0)
    speed = None if asked is None else asked * usual["speed_m_s"]
    drafts = GaitDrafts(robot, PatternGait(speed_m_s=speed), 50.0)
    own = body_of(robot, Style()).pattern
    assert drafts._body(Style()).pattern.period * pace == pytest.approx(own.period)
    assert drafts._body(Style(tempo=1.3)).period_s == pytest.approx(drafts._body(Style()).period_s / 1.3, rel=1e-6)
    assert drafts._hurries == (asked is not None and abs(asked) > 1.0)


def test_a_commanded_walk_goes_that_far_in_a_cycle(robot):
    body = body_of(robot, speed_m_s=0.3, sideways_m_s=0.1, turn_rad_s=-0.2, cycles=7)
    (piece,) = body.pieces()
    pace = 1.2 * 0.8 * body.period_s
    assert_allclose(piece.per_cycle, [0.3 * pace, 0.1 * pace, -0.2 * body.period_s])
    assert piece.cycles == 7
    back = replace(body, style=replace(STYLE, direction=-1))
    assert_allclose(back.pieces()[0].per_cycle[0], -0.3 * pace)
    (own,) = body_of(robot, cycles=3).pieces()
    assert_allclose(own.per_cycle, [body_of(robot).stride_m, 0.0, 0.0])
    plain = body_of(robot, Style())
    assert plain.stride_m == pytest.approx(plain.pattern.stride * plain.stance.height_m)
    assert plain.period_s == pytest.approx(plain.pattern.period * time_unit_s(plain.stance.height_m, 9.81))
    assert body_of(robot).stride_m == pytest.approx(0.8 * body_of(robot).pattern.stride * plain.stance.height_m)


def test_the_way_to_a_goal_ends_there_in_steps_of_its_reach(robot, monkeypatch):
    asked = []
    whole = gait_drafts.pieces_to
    monkeypatch.setattr(
        gait_drafts,
        "pieces_to",
        lambda start, goals, reach: asked.append((start, goals, reach)) or whole(start, goals, reach),
    )
    goals = (Place(1.0, 0.5),)
    body = body_of(robot, goals=goals)
    pieces = body.pieces()
    start, to, reach = asked[0]
    assert (start, to) == (Place(0.0, 0.0), goals)
    assert_allclose(
        [reach.forwards_m, reach.sideways_m, reach.turn_rad], [body.stride_m, 0.4 * body.stride_m, 0.5 * 0.8]
    )
    assert sum(piece.cycles for piece in pieces) > 2
    slow = body_of(robot, goals=goals, speed_m_s=1e-4)
    slow.pieces()
    assert asked[1][2].forwards_m == pytest.approx(0.05 * slow.stride_m)


@pytest.mark.parametrize(("cycles", "refused"), [(200, False), (201, True)])
def test_a_way_of_more_than_two_hundred_cycles_is_refused(cycles, refused):
    pieces = (TrackPiece((0.1, 0.0, 0.0), 100), TrackPiece((0.0, 0.0, 0.3), cycles - 100))
    if refused:
        with pytest.raises(OutOfRangeError, match="201 gait cycles"):
            _checked(pieces)
    else:
        assert _checked(pieces) is pieces
    hardest = _first_cycles((TrackPiece((0.1, 0.0, 0.0), 5), TrackPiece((0.0, -0.2, -0.1), 9), pieces[0]), 3)
    assert [(piece.per_cycle, piece.cycles) for piece in hardest] == [((0.0, -0.2, -0.1), 3)]
    assert _first_cycles((TrackPiece((0.1, 0.0, 0.0), 2),), 3)[0].cycles == 2


def test_the_plan_is_wide_high_and_uneven_as_the_style_says_and_rests_who_breathes(robot, monkeypatch):
    asked = []
    whole = gait_drafts.gait_plan

    def plan_of(pattern, stance, **options):
        asked.append((stance, options))
        return whole(pattern, stance, **options)

    monkeypatch.setattr(gait_drafts, "gait_plan", plan_of)
    body = body_of(robot, replace(STYLE, jerkiness=0.9), cycles=4)
    unit_s = time_unit_s(body.stance.height_m, 9.81)
    plan = body.plan(40.0, cycles=None)
    body.plan(25.0, cycles=3)
    (wide, options), (_, short) = asked
    assert_allclose(wide.foot_m, body.stance.foot_m * [1.0, 1.1 * robot.gait_as(PatternTable).width, 1.0])
    assert options["lift_m"] == pytest.approx(body.pattern.lift * 1.3 * body.stance.height_m)
    assert options["uneven"] == pytest.approx(0.8 * 0.4)
    assert (options["rate_hz"], options["period_s"]) == (40.0, body.period_s)
    assert options["settle_s"] == pytest.approx((3.0 + 6.0) * unit_s)
    assert short["settle_s"] == pytest.approx(3.0 * unit_s)
    assert (options["pieces"][0].cycles, short["pieces"][0].cycles) == (4, 3)
    assert plan.shown[0] == plan.shown[-1] == 0.0
    assert plan.shown[plan.time_s > 3.0 * unit_s][0] > 0.99
    calm = body_of(robot, replace(STYLE, breath=0.0), cycles=4)
    calm.plan(25.0, cycles=None)
    assert asked[-1][1]["settle_s"] == pytest.approx(3.0 * unit_s)


def test_height_attitude_and_posture_of_the_carriage(robot):
    body = body_of(robot, turn_rad_s=0.3, speed_m_s=0.2, cycles=3).with_fallback(0.94, 0.8)
    plan = body.plan(25.0, cycles=3)
    posture = body.body_posture(plan)
    secondary = body._secondary_motion(plan)
    height = body.stance.height_m * (1.0 + plan.shown * (0.94 * 0.97 - 1.0) + secondary.rise)
    assert_allclose(posture.height_m, height, atol=1e-12)
    leans = robot.expression.mapping("trunk_pitch_rad") is not None and not robot.expression.joints("trunk_pitch_rad")
    pitch = plan.shown * (0.05 + (0.1 if leans else 0.0)) + secondary.pitch_rad
    yaw = plan.track[:, 2]
    roll = secondary.roll_rad
    assert np.ptp(yaw) > 0.1
    about = [
        Rotation.from_rotvec(np.outer(angle, axis))
        for angle, axis in zip((yaw, pitch, roll), np.eye(3)[::-1], strict=True)
    ]
    turned = about[0] * about[1] * about[2]
    assert_allclose(posture.base_rotation, turned.as_matrix(), atol=1e-12)
    level = replace(secondary, pitch_rad=np.zeros(len(pitch)))
    moved = plan.shown[:, None] * (held_by_words(robot, STYLE) + body._arms(plan)) + level.joint_offsets(robot)
    assert_allclose(posture.joint_rad, body._in_range(moved, plan.shown), atol=1e-12)
    assert len(set(body.pattern.swing_start.values())) == 2
    beats = 2.0 * plan.phase
    bounce = secondary.rise[np.argmin(np.abs(beats - 2.5))], secondary.rise[np.argmin(np.abs(beats - 2.0))]
    assert bounce[0] > bounce[1]  # twice a cycle: high in the middle of a step


def test_a_trunk_without_a_joint_leans_as_a_whole(robot, monkeypatch):
    body = body_of(robot)
    bent = robot.expression.joints("trunk_pitch_rad")
    assert bent
    assert body._pitch_rad() == pytest.approx(0.05)
    stiff = SimpleNamespace(mapping=lambda word: word == "trunk_pitch_rad" or None, joints=lambda word: {})
    none = SimpleNamespace(mapping=lambda word: None, joints=lambda word: {})
    for table, pitch in ((stiff, 0.15), (none, 0.05)):
        other = SimpleNamespace(robot=SimpleNamespace(expression=table), style=STYLE)
        assert type(body)._pitch_rad(other) == pytest.approx(pitch)


def test_arms_swing_with_the_leg_on_the_other_side(robot):
    body = body_of(robot, turn_rad_s=0.4, speed_m_s=0.3, cycles=3)
    plan = body.plan(25.0, cycles=3)
    swing = body._arms(plan)
    joints = robot.expression.joints("arm_swing")
    assert len(joints) == 2
    for joint, factor in joints.items():
        leg = next(k for k, place in enumerate(body.stance.places) if place.endswith("left") != ("left" in joint))
        yaw = plan.track[:, 2]
        away = plan.foot_in_world[:, leg, :2] - plan.track[:, :2]
        ahead = away[:, 0] * np.cos(yaw) + away[:, 1] * np.sin(yaw)
        expected = factor * 0.7 * ahead / body.stance.height_m
        assert_allclose(swing[:, robot.joint_names.index(joint)], expected, atol=1e-12)
    assert np.count_nonzero(np.ptp(swing, axis=0)) == 2


def test_the_start_carries_the_standing_body_along_its_track(robot):
    body = body_of(robot, turn_rad_s=0.3, speed_m_s=0.2, cycles=3)
    plan = body.plan(25.0, cycles=3)
    posture = body.body_posture(plan)
    start = body.start(plan, posture)
    now = task_jacobians(robot, start)
    standing = task_jacobians(robot, body.standing_qpos[None]).com_in_world[0]
    yaw = plan.track[:, 2]
    over = plan.track[:, :2] + np.column_stack(
        [np.cos(yaw) * standing[0] - np.sin(yaw) * standing[1], np.sin(yaw) * standing[0] + np.cos(yaw) * standing[1]]
    )
    assert_allclose(now.com_in_world, np.column_stack([over, posture.height_m]), atol=1e-9)
    assert_allclose(now.base_rotation, posture.base_rotation, atol=1e-9)
    assert_allclose(start[:, 7:], np.tile(body.standing_qpos[7:], (len(start), 1)))
    assert (np.sum(start[1:, 3:7] * start[:-1, 3:7], axis=1) > 0.99).all()


def test_a_lower_way_with_shorter_steps_has_the_same_speed(robot):
    body = body_of(robot)
    lower = body.with_fallback(0.9, 0.65)
    assert lower.lower == 0.9
    assert lower.stride_m == pytest.approx(0.65 * body.stride_m)
    assert lower.stride_m / lower.period_s == pytest.approx(body.stride_m / body.period_s)


@pytest.mark.parametrize(
    ("first", "risen", "miss"), [(0.5, 0.8, 0.8), (0.5, 1.7, 1.7), (0.9, 0.2, 0.9), (1.4, 0.1, 1.4)]
)
def test_a_look_asks_who_reaches_whether_it_does_so_a_little_higher(robot, monkeypatch, first, risen, miss):
    """Misses of the mass, as shares of what it may: 2 per mille of its height."""
    body = body_of(robot)
    calls = []

    def gait(_robot, plan, posture, start, *, length_m, converged, progress, iterations, rounds, ends=None):
        calls.append((posture, rounds, ends, start, (converged, progress, iterations, length_m)))
        share = first if len(calls) == 1 else risen
        still = np.zeros((len(plan.time_s), len(robot.feet)))
        qpos = start.copy()
        qpos[:, 7:] = 0.0
        qpos[10:, 7] = 0.045 * robot.joint_speed_limit_rad_s[0]
        error = SimpleNamespace(
            foot_error_m=still, com_error_m=np.full(len(start), share * 0.002 * body.stance.height_m), qpos=qpos
        )
        return SimpleNamespace(solved=error)

    monkeypatch.setattr(gait_drafts, "solved_gait", gait)
    look = body.look()
    assert look.miss == pytest.approx(miss)
    assert look.speed == pytest.approx(0.045 * 25.0 / 0.9)
    assert len(calls) == (2 if first < 1.0 else 1)
    assert [call[1] for call in calls] == [1, 0][: len(calls)]
    assert all(call[4] == (1e-4, 0.02, (12, 8), body.stance.height_m) for call in calls)
    plan = body.plan(25.0, cycles=3)
    assert_allclose(look.time_s, plan.time_s)
    assert look.found.solved.com_error_m[0] == pytest.approx(first * 0.002 * body.stance.height_m)
    assert look.fastest.startswith(f"{robot.joint_names[0]} reaches ")
    assert look.fastest.endswith(" of its speed limit at 0.36 s")  # before the tenth sample
    if len(calls) == 2:
        rise = calls[1][0].height_m - calls[0][0].height_m
        assert_allclose(rise, 0.015 * body.stance.height_m * plan.shown, atol=1e-12)
        assert_allclose(calls[1][3][:, 2], look.found.solved.qpos[:, 2] + rise, atol=1e-12)
    for share in (5.9, 6.1):  # so far away, another round is in vain
        far = np.full(len(plan.time_s), share * 0.002 * body.stance.height_m)
        errors = SimpleNamespace(foot_error_m=np.zeros((len(far), 2)), com_error_m=far)
        assert calls[0][2](errors) == (share > 6.0)


def test_feet_miss_by_shares_of_a_millimetre_on_the_ground_and_of_their_height_in_the_air(robot):
    body = body_of(robot)
    contact = np.array([[True, False], [True, True]])
    plan = SimpleNamespace(schedule=SimpleNamespace(contact=contact), time_s=np.array([0.0, 0.5]))
    error = np.array([[0.0005, 0.003], [0.002, 0.0001]])
    found = SimpleNamespace(foot_error_m=error, com_error_m=np.zeros(2))
    swing = 0.015 * body.stance.height_m
    assert_allclose(body.feet_miss(plan, found), [[0.5, 0.003 / swing], [2.0, 0.1]])
    (short,) = _reach_shortfall(body, plan, found)
    assert str(short.reason) == f"reach: {robot.feet[0].name} is 2 mm from its place at 0.50 s"
    assert short.broken.tolist() == [False, True]
    assert _reach_shortfall(body, plan, SimpleNamespace(foot_error_m=np.full((2, 2), 0.0009))) == []


def looked_at(monkeypatch, looks, speeds=(0.5,)):
    """Let looks and drafts be ours: what each variant misses and how fast, and how fast its drafted joints are."""
    rate = iter(speeds)
    monkeypatch.setattr(GaitDrafts, "_look", lambda self, body, fallback: looks(fallback))
    monkeypatch.setattr(
        GaitDrafts,
        "_draft",
        lambda self, body, detail, fallback, look=None: SimpleNamespace(time_s=0, qpos=0, fallback=fallback),
    )
    monkeypatch.setattr(gait_drafts, "speed_use", lambda robot, time_s, qpos: next(rate, 0.5))


def test_the_first_way_that_reaches_is_drafted_and_neutral_goes_on_to_shorter_steps(robot, monkeypatch):
    neutral = robot.expression.neutral_style()
    drafts = GaitDrafts(robot, PatternGait(), 50.0)
    looked_at(monkeypatch, lambda fallback: CoarseCheck(0.5 if fallback % 9 >= 2 else 2.0, 0.5))

    def variants(style, *detail, by=drafts, **options):
        return [draft.fallback for draft in by.drafts(style, Detail(*detail, **options))]

    assert variants(neutral, "search") == [2, 9 + 2, 18 + 2]
    assert variants(neutral, "final") == [2, 3, 9 + 2, 9 + 3, 18 + 2, 18 + 3]  # each a little lower before the next
    assert variants(STYLE, "search") == [2]
    assert variants(STYLE, "final") == [2, 3]
    assert variants(STYLE, "final", fallback=4) == [4, 5]
    assert variants(STYLE, "final", fallback=8) == [8]  # the lowest
    assert variants(STYLE, "search", fallback=5) == [3]
    assert variants(STYLE, "search", fallback=5, neutral_fallback=9 + 1) == [9 + 2]  # with steps as short as neutral's
    assert variants(STYLE, "whole", fallback=7) == [7]
    fast = GaitDrafts(robot, PatternGait(speed_m_s=2.0 * drafts.usual_options["speed_m_s"]), 50.0)
    assert variants(neutral, "search", by=fast) == [2]


@pytest.mark.parametrize(
    ("speeds", "variants"),
    [
        ((0.9,), [2]),
        ((1.2, 1.1, 0.9), [2, 4, 6]),
        ((1.2, 1.19), [2, 4]),  # a lower body is hardly slower
        ((1.3,), [2]),  # a joint that jolts
        ((1.2, 1.1, 1.05, 1.02), [2, 4, 6, 8]),
    ],
)
def test_where_joints_are_too_fast_lower_bodies_are_tried_as_long_as_they_are_slower(
    robot, monkeypatch, speeds, variants
):
    drafts = GaitDrafts(robot, PatternGait(), 50.0)
    for level, at_last in (("search", []), ("final", [3])):  # a whole gait a little lower before less of it
        looked_at(monkeypatch, lambda fallback: CoarseCheck(0.5 if fallback % 9 >= 2 else 2.0, 1.01), speeds)
        found_variants = [draft.fallback for draft in drafts._ever_lower(body_of(robot), Detail(level), 2)]
        assert found_variants == variants + at_last


@pytest.mark.parametrize(
    ("here", "lower", "variants"),
    [
        ((0.5, 1.05), (0.5, 1.06), [2]),
        ((0.5, 1.05), (0.5, 1.04), [2, 4]),
        ((0.5, 1.03), (0.5, 1.06), [2, 4]),  # so near to the limit, a look does not tell
        ((0.5, 1.05), (5.9, 1.04), [2, 4]),
        ((0.5, 1.05), (6.1, 1.04), [2]),
    ],
)
def test_where_looks_say_that_lower_is_faster_or_far_out_of_reach_it_is_not_tried(
    robot, monkeypatch, here, lower, variants
):
    looked_at(monkeypatch, lambda fallback: CoarseCheck(*(lower if fallback == 4 else here)), (1.2, 0.9))
    drafts = GaitDrafts(robot, PatternGait(), 50.0)
    assert [draft.fallback for draft in drafts._ever_lower(body_of(robot), Detail("search"), 2)] == variants


def test_no_look_is_taken_twice(robot, monkeypatch):
    body = body_of(robot)
    taken = []
    monkeypatch.setattr(type(body), "look", lambda self: taken.append(self.lower) or CoarseCheck(0.1, 0.2))
    drafts = GaitDrafts(robot, PatternGait(), 50.0)
    assert drafts._look(body, 3) is drafts._look(body, 3)
    assert taken == [LOWER[3]]


def test_who_has_only_two_balls_is_told_so(four):
    two = replace(four, feet=four.feet[:2])
    drafts = SimpleNamespace(robot=two, _body=lambda style: None)
    (draft,) = GaitDrafts.drafts(drafts, STYLE, Detail())
    assert [short.text for short in draft.violations] == [gait_drafts.TWO_POINTS]
    assert gait_drafts.stands_on_two_points(two)
    assert not gait_drafts.stands_on_two_points(four)


def test_two_soles_are_more_than_two_points(robot):
    assert not gait_drafts.stands_on_two_points(robot)


def test_a_draft_has_the_rate_the_cycles_and_the_figures_of_its_plan(robot):
    drafts = GaitDrafts(robot, PatternGait(cycles=2), 100.0)
    body = drafts._body(Style()).with_fallback(*FALLBACKS[4])
    quick = drafts._draft(body, Detail(level="search"), 4)
    final = drafts._draft(body, Detail(), 4)
    assert_allclose(np.diff(quick.time_s), 0.02)
    assert_allclose(np.diff(final.time_s), 0.01)
    assert (quick.fallback, final.fallback) == (4, 4)
    assert final.meta["options"]["cycles"] == 2
    plan = body.plan(100.0, cycles=None)
    assert_allclose(final.time_s, plan.time_s)
    np.testing.assert_array_equal(final.contact, plan.schedule.contact)
    assert_allclose(final.share_over_time, plan.shown)
    feet = task_jacobians(robot, final.qpos).foot_in_world
    down = plan.schedule.contact
    assert np.linalg.norm(feet - plan.foot_in_world, axis=-1)[down].max() < 1e-3
    assert final.figures["walking_speed_m_s"] is None or final.figures["walking_speed_m_s"] > 0.0
    assert final.figures == gait_figures(robot, drafts.task, plan, final.qpos)


def test_figures_tell_the_speed_under_way_and_how_far_the_goal_is(robot):
    time_s = np.arange(0.0, 10.0, 0.05)
    phase = np.clip((time_s - 1.0) / 1.5, 0.0, 5.0)
    qpos = np.tile(robot.standing_qpos, (len(time_s), 1))
    qpos[:, 0] = 0.4 * np.clip(time_s - 1.0, 0.0, 7.5)
    yaw = 0.2 * np.clip(time_s - 1.0, 0.0, 7.5)
    qpos[:, 3:7] = np.column_stack([np.cos(yaw / 2.0), 0.0 * yaw, 0.0 * yaw, np.sin(yaw / 2.0)])
    plan = SimpleNamespace(time_s=time_s, phase=phase)
    figures = gait_figures(robot, PatternGait(speed_m_s=0.3, sideways_m_s=0.4, turn_rad_s=0.25), plan, qpos)
    assert figures["walking_speed_m_s"] == pytest.approx(0.4, rel=1e-6)
    assert figures["walking_speed_asked_m_s"] == pytest.approx(0.5)
    assert figures["turn_rate_rad_s"] == pytest.approx(0.2, rel=1e-6)
    assert figures["turn_rate_asked_rad_s"] == 0.25
    plain = gait_figures(robot, PatternGait(), plan, qpos)
    assert plain["walking_speed_asked_m_s"] is None
    qpos[:, 3:7] = [1.0, 0.0, 0.0, 0.0]
    goal = gait_figures(robot, PatternGait(goals=(Place(9.0, 9.0), Place(2.97, 0.04))), plan, qpos)
    assert goal == {"task_error_mm": pytest.approx(50.0, rel=1e-6)}


def test_the_fastest_joint_is_told_as_a_share_of_its_limit(robot):
    qpos = np.tile(robot.standing_qpos, (3, 1))
    qpos[1:, 9] += 0.1
    qpos[2, 8] -= 0.3
    limits = robot.joint_speed_limit_rad_s
    expected = max(0.1 / 0.2 / limits[2], 0.3 / 0.2 / limits[1])
    assert speed_use(robot, 1.0 + 0.2 * np.arange(3), qpos) == pytest.approx(expected)
    assert [resume_from(fallback) for fallback in (0, 1, 2, 8, 9, 20)] == [0, 0, 0, 6, 0, 0]


def test_secondary_motion_goes_with_the_steps(robot):
    body = body_of(robot, cycles=3)
    plan = body.plan(25.0, cycles=3)
    secondary = body._secondary_motion(plan)
    assert secondary.rise[0] == secondary.rise[-1] == 0.0
    assert_allclose(secondary.rise, secondary_motion(robot, STYLE, gait_drafts.Rhythm(
        plan.time_s, 2.0 * plan.phase, gait_drafts.envelope(plan.phase, (TrackPiece((0.0, 0.0, 0.0), 3),)), plan.shown,
        np.sqrt(body.stance.height_m / 9.81))).rise, atol=1e-12)  # fmt: skip
