"""Every limit on both sides of its bound, on audits of two samples that are made by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from strut.audit import SelfDistance
from strut.gaits.hand_task.task_limits import MAX_GAZE_ERROR_RAD, MAX_HAND_ERROR_M, MAX_HAND_TURN_RAD, TaskAudit
from strut.models.catalogue import load_robot
from strut.verify import limits
from strut.verify.limits import (
    NoFlight,
    OwnColumns,
    SelfCollision,
    UpperBound,
    friction_needed,
    lift_m,
    limits_for,
    violations_of,
)
from tests.verify.hand_made import PETE, draft_of, needs_of, with_value

JOINTS = len(PETE.joint_names)
FEET = len(PETE.feet)


def broken(needs, margin_m=0.02, use=1.0):
    return {
        short.limit: short for short in violations_of(draft_of(needs), limits_for(PETE, margin_m=margin_m, use=use))
    }


def test_a_standing_body_breaks_no_limit():
    assert broken(needs_of()) == {}


CASES = [
    ("foot contact", "foot_height_m", (FEET, 2), limits.FOOT_OFF_GROUND_M, 0.0),
    ("foot contact", "foot_top_m", (FEET, 1), limits.FOOT_OFF_GROUND_M, 0.0),
    ("foot slip", "slip_m", (FEET, 0), limits.MAX_SLIP_M, 0.0),
    ("joint limit", "joint_limit_margin_rad", (JOINTS, 5), 0.0, 0.5),
    ("ground clearance", "clearance_m", (2, 1), limits.MIN_CLEARANCE_M, 0.1),
    ("joint speed", "joint_speed_rad_s", (JOINTS, 3), PETE.joint_speed_limit_rad_s[3], 0.0),
    ("joint speed", "joint_speed_rad_s", (JOINTS, 3), -PETE.joint_speed_limit_rad_s[3], 0.0),
    ("torque", "torque_nm", (JOINTS, 4), PETE.torque_limit_nm[4], 0.0),
    ("torque", "torque_nm", (JOINTS, 4), -PETE.torque_limit_nm[4], 0.0),
]


@pytest.mark.parametrize(("name", "field", "place", "bound", "base"), CASES)
def test_a_figure_breaks_its_limit_beyond_its_bound_and_not_before(name, field, place, bound, base):
    columns, column = place
    for share, wrong in ((-1e-3, False), (1e-3, True)):
        value = bound - 1e-3 * share if base > 0.0 else bound * (1.0 + share)  # of clearance and room less is worse
        found = broken(needs_of(**{field: with_value((2, columns), 1, column, value, base)}))
        assert (name in found) is wrong
        if wrong:
            assert found[name].broken.tolist() == [False, True]
            assert str(found[name].reason).startswith(f"{name}: ")
            assert str(found[name].reason).endswith("at 1.25 s")


def test_feet_in_the_air_may_be_high_but_not_in_the_ground_and_must_be_lifted():
    up = np.ones((2, FEET), dtype=bool)
    up[:, 1] = False
    high = with_value((2, FEET), 0, 1, 0.2)
    high[1, 1] = 0.1
    assert broken(needs_of(contact=up, foot_height_m=high)) == {}
    deep = high.copy()
    deep[1, 1] = -limits.FOOT_OFF_GROUND_M - 1e-5
    assert "foot contact" in broken(needs_of(contact=up, foot_height_m=deep))
    low = with_value((2, FEET), 0, 1, limits.MIN_CLEARANCE_M - 1e-4)
    found = broken(needs_of(contact=up, foot_height_m=low))
    assert set(found) == {"swing height"}
    assert found["swing height"].broken.tolist() == [True, True]
    lift = lift_m(needs_of(contact=up, foot_height_m=low))
    assert lift[:, 1] == pytest.approx(limits.MIN_CLEARANCE_M - 1e-4)
    assert np.isposinf(np.delete(lift, 1, axis=1)).all()
    short = needs_of(contact=up, foot_height_m=low, time_s=np.array([1.0, 0.999 + limits.MIN_SWING_S]))
    assert np.isposinf(lift_m(short)).all()


def test_a_share_of_speed_and_torque_can_be_kept_back():
    speed = with_value((2, JOINTS), 0, 2, 0.95 * PETE.joint_speed_limit_rad_s[2])
    torque = with_value((2, JOINTS), 0, 2, 0.95 * PETE.torque_limit_nm[2])
    needs = needs_of(joint_speed_rad_s=speed, torque_nm=torque)
    assert broken(needs) == {}
    assert set(broken(needs, use=0.9)) == {"joint speed", "torque"}
    assert "106 % of its speed limit" in str(broken(needs, use=0.9)["joint speed"].reason)


def test_loaded_feet_need_the_share_of_their_load_that_pushes_sideways():
    force = np.tile([0.0, 0.0, 20.0], (2, FEET, 1))
    force[1, 2] = [3.0, 4.0, 10.0]
    force[0, 3] = [5.0, 0.0, 0.5]  # barely presses
    friction = friction_needed(needs_of(ground_force_n=force))
    assert friction[1, 2] == pytest.approx(0.5)
    assert friction[0, 3] == 0.0
    rest = friction.copy()
    rest[1, 2] = 0.0
    assert not rest.any()
    sliding = np.tile([0.0, 0.0, 20.0], (2, FEET, 1))
    for share, wrong in ((0.999, False), (1.001, True)):
        sliding[0, 1, 0] = share * PETE.friction * 20.0
        assert ("friction" in broken(needs_of(ground_force_n=sliding))) is wrong
    loads = np.tile([1.0, 0.0, 20.0], (1, FEET, 1))
    total = 20.0 * (FEET - 1)
    for share, counts in ((0.019, False), (0.021, True)):
        loads[0, 0, 2] = share * total / (1.0 - share)
        assert bool(friction_needed(needs_of(ground_force_n=loads))[0, 0] > 0.0) is counts


@pytest.mark.parametrize(("margin", "wrong"), [(0.0201, False), (0.0199, True), (-np.inf, False), (np.nan, True)])
def test_the_balance_margin_is_kept_on_the_ground(margin, wrong):
    assert ("balance margin" in broken(needs_of(margin_m=np.array([0.05, margin])))) is wrong


def test_on_a_line_the_pressure_may_be_a_little_beside_it():
    most = limits.MAX_BESIDE_LINE * 0.3
    for beside, wrong in ((0.999 * most, False), (1.001 * most, True)):
        found = broken(needs_of(on_lines=True, margin_m=np.array([-beside, -0.0])))
        assert ("balance margin" in found) is wrong
    assert broken(needs_of(on_lines=True, margin_m=np.array([-np.inf, 0.0]))) == {}


def test_flight_is_reported_with_its_first_time_for_bodies_with_feet():
    contact = np.ones((2, FEET), dtype=bool)
    contact[1] = False
    for height_m, text in ((0.01, "no foot is on the ground"), (0.0, "no contact flag is set")):
        needs = needs_of(contact=contact, foot_height_m=np.full((2, FEET), height_m))
        short = NoFlight().violation(draft_of(needs))
        assert str(short.reason) == f"balance margin: {text} at 1.25 s"
        assert short.broken.tolist() == [False, True]
    assert NoFlight().violation(draft_of(needs_of())) is None
    assert NoFlight().violation(draft_of(needs_of(contact=np.ones((2, 0), dtype=bool)))) is None


@pytest.mark.parametrize(
    ("off", "wrong"), [(None, False), (limits.MAX_DISAGREEMENT, False), (limits.MAX_DISAGREEMENT + 1e-6, True)]
)
def test_columns_of_a_file_may_differ_a_little(off, wrong):
    for field in ("force_disagreement", "torque_disagreement"):
        found = broken(needs_of(**{field: off}))
        assert ("file" in found) is wrong
        if wrong:
            assert found["file"].broken.all()
    short = OwnColumns(lambda needs: 0.5, "off by {:.0%}", max=0.4).violation(draft_of(needs_of()))
    assert str(short.reason) == "file: off by 50 %"


@pytest.mark.parametrize(
    ("smallest_m", "words"), [(0.0005, "0.5 mm apart"), (-0.002, "2.0 mm inside each other"), (0.0, "0.0 mm apart")]
)
def test_bodies_that_are_too_near_are_reported(smallest_m, words):
    found = SelfDistance(smallest_m, 1, ("arm", "leg"), np.array([False, True]))
    short = SelfCollision().violation(draft_of(needs_of(self_distance=found)))
    assert f"arm and leg are {words} at 1.25 s, nearer than" in str(short.reason)
    assert short.broken.tolist() == [False, True]
    far = SelfDistance(0.5, 1, ("arm", "leg"), np.array([False, False]))
    assert SelfCollision().violation(draft_of(needs_of(self_distance=far))) is None


def task_of(hand_m=0.0, turn_rad=0.0, gaze_rad=0.0, *, counts=True):
    time_s = np.array([0.0, 30.0])
    gaze = None if gaze_rad is None else np.array([9.0, gaze_rad])
    return TaskAudit(time_s, np.array([0.0, hand_m]), np.array([0.0, turn_rad]), gaze, 3, gaze_counts=counts)


@pytest.mark.parametrize(("task", "limit"), [
    (task_of(), None), (task_of(0.999 * MAX_HAND_ERROR_M), None), (task_of(1.001 * MAX_HAND_ERROR_M), "task"),
    (task_of(turn_rad=1.001 * MAX_HAND_TURN_RAD), "task"), (task_of(turn_rad=0.999 * MAX_HAND_TURN_RAD), None),
    (task_of(gaze_rad=1.001 * MAX_GAZE_ERROR_RAD), "gaze"),
    (task_of(gaze_rad=0.999 * MAX_GAZE_ERROR_RAD), None),
    (task_of(gaze_rad=9.0, counts=False), None), (task_of(gaze_rad=None), None),
])  # fmt: skip
def test_hands_and_heads_keep_to_their_goals_once_settled(task, limit):
    found = broken(needs_of(parts={"hand_task": task}))
    assert set(found) == ({limit} if limit else set())


def test_an_upper_bound_reports_the_worst_value_and_counts_nan():
    ceiling = UpperBound("heat", ("a", "b"), lambda needs: needs.heat, 1.0, "has {:.1f} of {}", ("oil", "air"))
    needs = needs_of(heat=np.array([[0.5, 2.0], [3.0, 0.1]]))
    short = ceiling.violation(draft_of(needs))
    assert str(short.reason) == "heat: a has 3.0 of oil at 1.25 s"
    assert short.broken.tolist() == [True, True]
    assert ceiling.violation(draft_of(needs_of(heat=np.ones((2, 2))))) is None
    assert ceiling.violation(draft_of(needs_of(heat=np.zeros((0, 0))))) is None
    assert ceiling.violation(draft_of(needs_of(heat=np.array([[0.5, np.nan], [0.0, 0.1]])))) is not None


def test_nothing_is_judged_of_what_was_not_made():
    empty = SimpleNamespace(qpos=np.zeros((0, 3)), violations=("own",))
    assert violations_of(empty, [None]) == ("own",)
    assert (PETE.carriers, load_robot("pepper").carriers) == ("feet", "wheels")


def landings_of(**changes):
    plain = {
        "unexplained_n": np.zeros(2),
        "gripped_n": np.zeros(2),
        "landing_unexplained_n": np.zeros(1),
        "landing_torque_nm": np.zeros((1, 28)),
    }
    return SimpleNamespace(**plain | changes)


def test_walks_with_landings_are_judged_by_what_no_push_explains():
    heiman = load_robot("heiman")
    joints = len(heiman.joint_names)
    feet = len(heiman.foot_names)
    weight = heiman.mass_kg * 9.81

    def found(landings=None, inside_m=0.1):
        needs = needs_of(
            margin_m=np.array([np.inf, inside_m]),
            contact=np.ones((2, feet), dtype=bool), foot_height_m=np.zeros((2, feet)), foot_top_m=np.zeros((2, feet)),
            slip_m=np.zeros((2, feet)), joint_limit_margin_rad=np.full((2, joints), 0.5),
            joint_speed_rad_s=np.zeros((2, joints)),
            torque_nm=np.zeros((2, joints)), ground_force_n=np.zeros((2, feet, 3)), qpos=np.zeros((2, 7 + joints)),
            landings=landings_of(**{"landing_torque_nm": np.zeros((1, joints))} | (landings or {})),
        )  # fmt: skip
        return {short.limit for short in violations_of(draft_of(needs, heiman), limits_for(heiman, margin_m=0.0))}

    assert found() == set()
    most = limits.MAX_UNEXPLAINED * weight
    jolt = limits.MAX_UNEXPLAINED_LANDING * weight
    for share, wrong in ((0.999, False), (1.001, True)):
        value = np.array([0.0, share * most])
        assert (found(landings={"unexplained_n": value, "gripped_n": 0.51 * value}) == {"equation of motion"}) is wrong
        assert (found(landings={"unexplained_n": value, "gripped_n": 0.49 * value}) == {"friction"}) is wrong
        assert (found(landings={"landing_unexplained_n": np.array([share * jolt])}) == {"landing"}) is wrong
        torque = np.zeros((1, joints))
        torque[0, 4] = -share * limits.MAX_LANDING_TORQUE * heiman.torque_limit_nm[4]
        assert (found(landings={"landing_torque_nm": torque}) == {"landing"}) is wrong
        assert (found(inside_m=-share * limits.MAX_OUTSIDE_M) == {"balance margin"}) is wrong
