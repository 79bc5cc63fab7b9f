"""Robot: checked on entry, frozen, and known by its fingerprint."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import BadTableError
from strut.models.catalogue import load_robot


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
        ({"joint_lower_rad": np.full(28, 9.0)}, "mrpete: a joint's lower limit is not below its upper limit."),
        ({"joint_names": ("a",) * 28}, "mrpete: two joints have the same name."),
    ],
)
def test_tables_that_make_no_robot_are_refused(mrpete, change, sentence):
    with pytest.raises(BadTableError) as caught:
        replace(mrpete, **change)
    assert str(caught.value) == sentence


def test_a_stage_that_the_robot_has_no_table_for_is_named(mrpete):
    with pytest.raises(BadTableError) as caught:
        mrpete.table("arms")
    assert str(caught.value) == "mrpete has no arms.toml in its folder, so it cannot do this."


def test_fingerprint_changes_with_the_body_and_only_with_it(mrpete):
    assert len(mrpete.fingerprint) == 16
    assert replace(mrpete, title="other").fingerprint == mrpete.fingerprint
    assert replace(mrpete, mjcf=mrpete.mjcf.replace("0.23", "0.24")).fingerprint != mrpete.fingerprint


def test_neutral_is_near_the_middle_of_every_joint(mrpete):
    """A servo's horn is mounted so that standing is mid-range; limits are symmetric between left and right."""
    middle = (mrpete.joint_lower_rad + mrpete.joint_upper_rad) / 2.0
    half = (mrpete.joint_upper_rad - mrpete.joint_lower_rad) / 2.0
    for left, right in ((slice(0, 7), slice(14, 21)), (slice(7, 14), slice(21, 28))):
        assert_allclose(middle[right], middle[left] * [-1, 1, -1, 1, -1, 1, -1], atol=1e-12)
        assert_allclose(half[right], half[left], atol=1e-12)
    assert np.rad2deg(half[3]) == pytest.approx(160.0)  # the knee


def test_the_fingerprint_is_that_of_the_body_not_of_its_looks():
    heiman = load_robot("heiman")
    colour, shape = 'rgba="0.36 0.57 0.72 1.0"', '<geom type="capsule"'
    assert colour in heiman.mjcf
    painted = replace(heiman, mjcf=heiman.mjcf.replace(colour, 'rgba="1 0 0 1"'))
    first = heiman.mjcf.index(shape)
    bare = replace(heiman, mjcf=heiman.mjcf[:first] + heiman.mjcf[heiman.mjcf.index("/>", first) + 2 :])
    assert heiman.fingerprint == painted.fingerprint == bare.fingerprint
    mass = 'mass="' + heiman.mjcf.split('mass="')[2].split('"')[0] + '"'
    assert replace(heiman, mjcf=heiman.mjcf.replace(mass, 'mass="9.9"')).fingerprint != heiman.fingerprint
    heel = heiman.mjcf.replace('name="HeelLeft" pos', 'name="HeelLeft" condim="3" pos')
    assert heel != heiman.mjcf
    assert replace(heiman, mjcf=heel).fingerprint != heiman.fingerprint
