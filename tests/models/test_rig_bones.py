"""Bones of a small robot: who carries whom, where they begin, about what they turn and how long they are."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import BadTableError
from strut.models.catalogue import load_robot
from strut.models.rig import MIN_BONE_M, base_body, bone_parts, build_rig, foot_bones, solid_bones
from strut.models.solids import solid_poses, visible_geoms
from tests.engines.small_robot import MJCF, ROBOT, forward, postures


def test_bones_hang_on_the_joint_before_them_and_begin_at_its_anchor():
    qpos = postures(1)[0]
    rig = build_rig(ROBOT, qpos)
    data = forward(qpos)
    assert rig.names == ("trunk", "hip", "knee", "twist", "roll")
    assert rig.parents == (-1, 0, 1, 2, 0)
    assert_allclose(rig.start_m[0], data.xpos[1])
    assert_allclose(rig.rotation[0].ravel(), data.xmat[1])
    for bone, name in enumerate(rig.joint_names, start=1):
        assert_allclose(rig.start_m[bone], data.joint(name).xanchor, atol=1e-12)
        assert_allclose(rig.rotation[bone][:, 0], data.joint(name).xaxis, atol=1e-12)
        assert_allclose(rig.rotation[bone].T @ rig.rotation[bone], np.eye(3), atol=1e-12)
        assert np.linalg.det(rig.rotation[bone]) == pytest.approx(1.0)


def test_a_bone_points_to_the_next_joint_or_to_the_middle_of_its_parts():
    rig = build_rig(ROBOT)
    data = forward(ROBOT.model.qpos0)
    ends = {1: data.joint("knee").xanchor, 2: data.joint("twist").xanchor, 4: data.geom("sole").xpos}
    for bone, end in ends.items():
        way = end - rig.start_m[bone]
        along = way - (way @ rig.rotation[bone][:, 0]) * rig.rotation[bone][:, 0]
        if np.linalg.norm(along) > 1e-3:
            assert_allclose(rig.rotation[bone][:, 1], along / np.linalg.norm(along), atol=1e-9)
            assert rig.length_m[bone] == pytest.approx(max(MIN_BONE_M, np.linalg.norm(along)))
    axis = rig.rotation[3][:, 0]  # the ball hangs along the axis of the twist: it has no way to point but its body's
    assert abs(rig.rotation[3][:, 1] @ axis) < 1e-12
    assert rig.length_m[3] == MIN_BONE_M == 0.02
    assert rig.length_m[0] == pytest.approx(0.15 * np.ptp(rig.start_m, axis=0).max())
    assert_allclose(rig.qpos, ROBOT.standing_qpos)


def test_parts_and_feet_are_on_the_bone_of_the_last_joint_above_them():
    names = [ROBOT.model.geom(geom).name for geom in visible_geoms(ROBOT.model)]
    assert dict(zip(names, solid_bones(ROBOT), strict=True)) == {"trunk": 0, "thigh": 1, "ball": 3, "sole": 4}
    assert foot_bones(ROBOT) == (3, 4)
    assert base_body(ROBOT) == 1
    assert base_body(replace(ROBOT, base_size=0)) == 0


def test_parts_in_the_axes_of_their_bones_are_where_the_body_has_them():
    rig = build_rig(ROBOT, postures(1)[0])
    place, turn = solid_poses(ROBOT, rig.qpos[None])
    parts = bone_parts(rig, ROBOT)
    assert [part.bone for part in parts] == list(solid_bones(ROBOT))
    for index, part in enumerate(parts):
        assert_allclose(rig.start_m[part.bone] + rig.rotation[part.bone] @ part.offset_m, place[0, index], atol=1e-12)
        assert_allclose(rig.rotation[part.bone] @ part.rotation, turn[0, index], atol=1e-12)


def test_faint_parts_have_no_bone_and_meshes_are_brought_into_its_axes():
    model = mujoco.MjModel.from_xml_string(
        MJCF.replace('name="ball" type="sphere"', 'name="ball" rgba="1 0 0 0.04" type="sphere"')
    )
    faint = replace(ROBOT, model=model)
    assert [part.bone for part in bone_parts(build_rig(faint), faint)] == [0, 1, 4]
    part = bone_parts(build_rig(ROBOT), ROBOT)[1]

    class Triangle:
        vertices = np.array([[0.1, 0.2, 0.3], [0.0, 0.0, 0.0]])

    expected = [part.rotation @ vertex + part.offset_m for vertex in Triangle.vertices]
    assert_allclose(part.vertices_m(Triangle), expected, atol=1e-12)


def test_a_slide_is_no_bone():
    model = mujoco.MjModel.from_xml_string(MJCF.replace('name="twist" type="hinge"', 'name="twist" type="slide"'))
    with pytest.raises(BadTableError, match="not a hinge"):
        build_rig(replace(ROBOT, model=model))


def test_the_base_of_a_body_that_is_bolted_down_is_the_world_and_of_a_platform_what_drives():
    pepper = load_robot("pepper")
    assert pepper.model.body_parentid[base_body(pepper)] == 0
    assert base_body(pepper) > 0
