"""The swing of a posture written out, and the lines of its spectrum."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import UnknownNameError
from strut.expression.body_swing import posture_over_time, side_bands_hz
from strut.models.catalogue import load_robot
from strut.schemas.expression import (
    ActivityMapping,
    ExpressionTable,
    JerkinessMapping,
    JointSwing,
    ParameterMapping,
    ParameterMappings,
    ShakeTerm,
)
from strut.style import Style

TERMS = (ShakeTerm(3.0, 0.4, -0.2), ShakeTerm(7.0, -0.1, 0.3))
TIME_S = np.linspace(0.5, 2.5, 21)


def swinging(**parts):
    """Return Pepper with a table of our own: two joints that swing, two tones that shake them."""
    pepper = load_robot("pepper")
    joints = {"HeadPitch": JointSwing(0.1, -0.2, 0.3), "HipRoll": JointSwing(-0.05, 0.1, 0.2)}
    activity = ActivityMapping(frequency_rad_s=2.0, joint=joints)
    table = ExpressionTable(
        parameter=ParameterMappings(activity=activity, jerkiness=JerkinessMapping(terms=TERMS), **parts)
    )
    return replace(pepper, tables=replace(pepper.tables, expression=table))


@pytest.mark.parametrize(("parts", "pace"), [({}, 1.0), ({"tempo": ParameterMapping()}, 1.5)])
def test_the_posture_is_between_still_and_swinging_with_a_shaken_phase(parts, pace):
    """Only a body with a part for tempo swings faster."""
    robot = swinging(**parts)
    found = posture_over_time(robot, Style(activity=0.3, jerkiness=0.6, tempo=1.5), TIME_S, clamped=False)
    shake = sum(
        t.sine_rad * np.sin(t.frequency_rad_s * TIME_S) + t.cosine_rad * np.cos(t.frequency_rad_s * TIME_S)
        for t in TERMS
    )
    swing = np.sin(pace * 2.0 * TIME_S + 0.6 * shake)
    head, hip = (robot.joint_names.index(name) for name in ("HeadPitch", "HipRoll"))
    assert_allclose(found[:, head], 0.7 * 0.1 + 0.3 * (-0.2 + 0.3 * swing), atol=1e-12)
    assert_allclose(found[:, hip], 0.7 * -0.05 + 0.3 * (0.1 + 0.2 * swing), atol=1e-12)


def test_the_spectrum_has_the_swing_and_two_side_bands_each_way_per_tone():
    robot = swinging()
    turn = 2.0 * np.pi
    bands = sorted(abs(2.0 + order * tone) / turn for tone in (3.0, 7.0) for order in (-2, -1, 1, 2))
    assert_allclose(side_bands_hz(robot, Style(activity=0.5, jerkiness=0.1)), [2.0 / turn, *bands])
    for style in (Style(activity=0.0), Style(jerkiness=0.0)):
        assert side_bands_hz(robot, style) == pytest.approx((2.0 / turn,))


def test_a_body_without_swings_stands_still_and_an_unknown_joint_is_named():
    pepper = load_robot("pepper")
    bare = replace(pepper, tables=replace(pepper.tables, expression=ExpressionTable()))
    assert np.ptp(posture_over_time(bare, Style(activity=1.0, jerkiness=1.0), TIME_S), axis=0).max() == 0.0
    assert side_bands_hz(bare, Style()) == (0.0,)
    activity = ActivityMapping(joint={"tail": JointSwing(0.0, 0.0, 0.0)})
    wrong = msgspec.structs.replace(bare.expression, parameter=ParameterMappings(activity=activity))
    with pytest.raises(UnknownNameError, match="tail"):
        posture_over_time(replace(bare, tables=replace(bare.tables, expression=wrong)), Style(), TIME_S)
