"""Robot: checked on entry, frozen, and known by its fingerprint."""

from copy import copy
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import BadTableError
from strut.gaits.crawl.table import CrawlTable
from strut.gaits.footsteps.table import StepsTable
from strut.models.catalogue import load_robot
from strut.models.fingerprint import fingerprint
from strut.models.limb_robot import limb_robot


def test_mr_pete_has_28_joints_four_feet_and_seven_kilograms(mrpete):
    assert len(mrpete.joint_names) == 28
    assert mrpete.foot_names == ("LF", "LH", "RF", "RH")
    assert mrpete.mass_kg == pytest.approx(7.0)
    assert mrpete.base_size == 7


def test_limits_are_read_only_copies(mrpete):
    with pytest.raises(ValueError, match="read-only"):
        mrpete.torque_limit_nm[0] = 1.0
    lower = np.array(mrpete.joint_lower_rad)
    robot = replace(mrpete, joint_lower_rad=lower)
    lower[0] = -99.0
    assert robot.joint_lower_rad[0] == mrpete.joint_lower_rad[0]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"torque_limit_nm": np.ones(3)}, "mrpete: torque_limit_nm needs one finite number for each of the joints."),
        (
            {"joint_speed_limit_rad_s": np.full(28, np.nan)},
            "mrpete: joint_speed_limit_rad_s needs one finite number for each of the joints.",
        ),
        ({"joint_lower_rad": np.full(28, 9.0)}, "mrpete: the lower limit of a joint is not below its upper limit."),
        ({"joint_names": ("a",) * 28}, "mrpete: two joints have the same name."),
    ],
)
def test_tables_that_make_no_robot_are_refused(mrpete, change, sentence):
    with pytest.raises(BadTableError) as caught:
        replace(mrpete, **change)
    assert str(caught.value) == sentence


@pytest.mark.parametrize("table", ["chains", "tasks", "study", "contacts", "markers", "symmetry", "subject"])
def test_a_table_that_the_folder_does_not_have_is_named(mrpete, table):
    with pytest.raises(BadTableError) as caught:
        getattr(mrpete, table)
    file = "contact" if table == "contacts" else table
    assert str(caught.value) == f"mrpete has no {file}.toml in its folder; this needs one."


def test_a_gait_of_another_kind_is_named(mrpete):
    assert mrpete.gait_as(CrawlTable) is mrpete.gait
    with pytest.raises(BadTableError, match=r"mrpete has no steps gait: its gait\.toml is of the kind 'crawl'"):
        _ = mrpete.gait_as(StepsTable)


def changed(robot, **changes):
    """Return the fingerprint of a robot whose `robot.toml` has other numbers."""
    table = robot.tables.robot
    body = msgspec.structs.replace(table.body, **changes)
    return limb_robot("twin", msgspec.structs.replace(table, body=body), robot.tables).fingerprint


def test_fingerprint_changes_with_the_body_and_only_with_it(mrpete):
    assert len(mrpete.fingerprint) == 16
    assert changed(mrpete) == mrpete.fingerprint
    assert changed(mrpete, mass_kg=3.0 + 1e-6) != mrpete.fingerprint
    assert changed(mrpete, inertia_size_m=(0.35, 0.25, 0.081)) != mrpete.fingerprint


def test_neutral_is_near_the_middle_of_every_joint(mrpete):
    """A servo's horn is mounted so that standing is mid-range; limits are symmetric between left and right."""
    middle = (mrpete.joint_lower_rad + mrpete.joint_upper_rad) / 2.0
    half = (mrpete.joint_upper_rad - mrpete.joint_lower_rad) / 2.0
    for left, right in ((slice(0, 7), slice(14, 21)), (slice(7, 14), slice(21, 28))):
        assert_allclose(middle[right], middle[left] * [-1, 1, -1, 1, -1, 1, -1], atol=1e-12)
        assert_allclose(half[right], half[left], atol=1e-12)
    assert np.rad2deg(half[3]) == pytest.approx(160.0)  # the knee


def test_the_fingerprint_is_that_of_the_body_not_of_its_looks(mrpete):
    box, *marks = mrpete.tables.robot.body.shapes
    red = msgspec.structs.replace(box, color=(1.0, 0.0, 0.0, 1.0))
    assert changed(mrpete, shapes=(red,)) == mrpete.fingerprint
    assert changed(mrpete, shapes=(box, *marks, *marks)) == mrpete.fingerprint
    for array, index in (("jnt_range", 3), ("geom_size", 4), ("body_pos", 5), ("actuator_gainprm", 2), ("site_pos", 0)):
        model = copy(mrpete.model)
        getattr(model, array)[index] *= 1.001
        getattr(model, array)[index] += 1e-4
        assert fingerprint(model) != mrpete.fingerprint, array


def test_a_robot_knows_its_limbs(mrpete):
    assert [(leg.name, leg.kind, len(leg.joints), leg.frame) for leg in mrpete.legs] == [
        (name, "leg", 7, f"{name}_foot") for name in ("LF", "LH", "RF", "RH")
    ]
    pepper = {limb.name: limb for limb in load_robot("pepper").limbs}
    assert pepper["trunk"].joints == ("KneePitch", "HipPitch", "HipRoll")
    assert (pepper["head"].kind, pepper["head"].frame) == ("head", "eyes")
    assert pepper["right"].joints == ("RShoulderPitch", "RShoulderRoll", "RElbowYaw", "RElbowRoll", "RWristYaw")
    human = {limb.name: limb for limb in load_robot("heiman").limbs}
    assert human["FootLeft"].feet == ("HeelLeft", "HalluxLeft", "Meta5Left")
    assert {limb.kind for limb in human.values()} == {"trunk", "leg", "arm", "head"}


def test_a_sole_is_its_corners_and_a_ball_is_one_point(mrpete):
    sole = load_robot("alice").feet[0]
    ball = mrpete.feet[0]
    assert len(sole.points) == 4
    assert sole.radius_m == 0.0
    assert sole.outline_m == ((0.06, 0.035), (-0.06, 0.035), (-0.06, -0.035), (0.06, -0.035))
    assert [point.body for point in ball.points] == ["LF_ankle_spin"]
    assert (ball.radius_m, ball.outline_m) == (0.01, ((0.0, 0.0),))
