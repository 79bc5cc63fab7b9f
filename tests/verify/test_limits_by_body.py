"""Limits that only some bodies have: wheels, landings, springs, guessed motors, and lines to stand on."""

from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.audit import FOOT_OFF_GROUND_M, MAX_ROLLING_SLIP_M, MIN_JOINT_LIMIT_MARGIN_RAD, SelfDistance
from strut.models.catalogue import load_robot
from strut.pilot.plant.plant_limits import PlantAudit
from strut.schemas.collision import CollisionTable
from strut.schemas.fields import Floor
from strut.schemas.imported import ImportedBody, OwnJoint
from strut.verify.limits import SelfCollision, joint_limits, lift_m, limits_for, violations_of
from tests.verify.hand_made import PETE, draft_of, needs_of, with_value

PEPPER, HEIMAN, CASSIE = (load_robot(name) for name in ("pepper", "heiman", "cassie"))
SOUND = {"plant": PlantAudit(force_off=0.0, cop_off_m=0.0, torque_off=0.0, tilt_rad=0.0)}


def broken(robot, margin_asked_m=0.0, *, limit_set=None, **changes):
    needs = needs_of(robot, **changes)
    found = violations_of(draft_of(needs, robot), limits_for(robot, margin_m=margin_asked_m, limit_set=limit_set))
    return {short.limit: short for short in found}


def landed(margin_asked_m=0.0, **changes):
    """Return what a person who lands softly breaks."""
    landings = SimpleNamespace(
        unexplained_n=np.zeros(2),
        gripped_n=np.zeros(2),
        landing_unexplained_n=np.zeros(2),
        landing_torque_nm=np.zeros((2, len(HEIMAN.joint_names))),
    )
    return broken(HEIMAN, margin_asked_m, landings=landings, **changes)


def piloted(**changes):
    """Return what a recorded run breaks whose columns explain each other."""
    return broken(CASSIE, limit_set="plant", parts=SOUND, **changes)


@pytest.mark.parametrize(("use", "wrong"), [(0.999, False), (1.001, True), (1.2, True)])
def test_a_platform_drives_within_its_limits(use, wrong):
    found = broken(PEPPER, drive_use=with_value((2, 4), 1, 2, use))
    assert ("platform" in found) is wrong
    if use == 1.2:
        assert str(found["platform"].reason).endswith("reaches 120 % of its limit at 1.25 s")


@pytest.mark.parametrize("judge", [landed, piloted])
def test_angles_may_leave_their_range_a_little_between_the_nodes_of_a_mesh(judge):
    joints = len((HEIMAN if judge is landed else CASSIE).joint_names)
    for share, wrong in ((0.999, set()), (1.001, {"joint limit"})):
        room = with_value((2, joints), 1, 3, share * MIN_JOINT_LIMIT_MARGIN_RAD, 0.5)
        assert set(judge(joint_limit_margin_rad=room)) == wrong


def test_a_crawl_must_not_leave_its_range_at_all():
    joints = len(PETE.joint_names)
    assert set(broken(PETE, joint_limit_margin_rad=with_value((2, joints), 1, 3, -1e-6, 0.5))) == {"joint limit"}


@pytest.mark.parametrize(
    ("field", "most_m", "limit"),
    [("foot_height_m", FOOT_OFF_GROUND_M, "foot contact"), ("slip_m", MAX_ROLLING_SLIP_M, "foot slip")],
)
def test_feet_that_roll_stay_on_the_ground_and_do_not_slide(field, most_m, limit):
    for share, wrong in ((0.999, set()), (1.001, {limit})):
        assert set(landed(**{field: with_value((2, 6), 0, 4, share * most_m)})) == wrong


def test_a_requested_margin_is_reported_with_the_shortfall():
    inside = np.array([np.inf, 0.005])
    assert landed(margin_m=inside) == {}
    assert "is 15.0 mm short of the 20 mm it must be inside the support polygon" in said(landed(0.02, margin_m=inside))
    assert "is 7.0 mm outside the support polygon" in said(landed(margin_m=np.array([0.1, -0.007])))


def said(found):
    return str(found["balance margin"].reason)


def test_feet_of_a_plant_that_carry_little_need_no_friction():
    friction = next(one for one in limits_for(CASSIE, margin_m=0.0, limit_set="plant") if one.name == "friction")
    force_n = np.tile([3.0, 4.0, 100.0], (2, 2, 1))
    force_n[0, 1, 2] = 10.0
    assert_allclose(friction.value(needs_of(CASSIE, ground_force_n=force_n)), [[0.05, 0.0], [0.05, 0.05]])


def test_limits_that_a_file_does_not_have_are_called_assumed():
    own = {"knee": OwnJoint(assumed=("torque",)), "hip": OwnJoint(torque_nm=3.0)}
    imported = ImportedBody(title="A stranger", contact=Floor(friction=0.6), urdf="a.urdf", joint=own)
    robot = SimpleNamespace(tables=SimpleNamespace(robot=imported), joint_names=("knee", "hip"))
    _, speed, torque = joint_limits(robot, "", 0.0)
    assert torque.kinds == ["assumed torque limit", "torque limit"]
    assert speed.kinds == ["speed limit", "speed limit"]
    assert set(joint_limits(PETE, "", 0.0)[2].kinds) == {"torque limit"}


def test_a_swing_is_as_high_as_its_highest_sample_and_lasts_from_its_first_to_its_last():
    contact = np.array([[True], [False], [False], [False], [True]])
    height_m = np.array([[0.0], [0.01], [0.04], [0.02], [0.0]])
    for step_s, seen in ((0.051, True), (0.049, False)):  # two steps beside the shortest swing of 0.1 s
        lift = lift_m(SimpleNamespace(time_s=step_s * np.arange(5), contact=contact, foot_height_m=height_m))
        assert lift[[0, 4], 0].tolist() == [np.inf, np.inf]
        assert lift[1:4, 0].tolist() == ([0.04] * 3 if seen else [np.inf] * 3)


@pytest.mark.parametrize(
    ("least_m", "spare_m", "words"),
    [
        (0.005, 0.0005, "5.5 mm apart"),
        (0.0, 0.0, "0 mm apart"),
        (-0.002, 0.0005, "1.5 mm inside each other"),
    ],
)
def test_the_required_distance_of_bodies_is_reported_with_the_spare_margin(least_m, spare_m, words):
    robot = SimpleNamespace(collision=CollisionTable(min_distance_m=least_m))
    found = SelfDistance(least_m - 0.001, 0, ("arm", "leg"), np.array([False, False]))
    short = SelfCollision(spare_m=spare_m).violation(draft_of(needs_of(self_distance=found), robot))
    assert str(short.reason).endswith(f"nearer than {words}")
    assert short.broken.tolist() == [True, False]
    far = SelfDistance(least_m + spare_m + 1e-5, 0, ("arm", "leg"), np.array([False, False]))
    assert SelfCollision(spare_m=spare_m).violation(draft_of(needs_of(self_distance=far), robot)) is None
