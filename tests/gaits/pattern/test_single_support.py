"""Standing on one leg: what it takes of the motors, against statics by hand."""

from dataclasses import replace

import numpy as np
import pytest

from strut.engines.rigid_body import GRAVITY_M_S2, body_poses, joint_anchors
from strut.gaits.pattern.single_support import hardest_on_one_leg
from strut.gaits.pattern.standing import on_one_leg
from tests.adoption.small_robots import biped, import_robot, quadruped


@pytest.fixture(scope="module")
def robot(tmp_path_factory):
    return import_robot(biped(), tmp_path_factory.mktemp("biped"), "biped.urdf")[0]


def carried_nm(robot, foot, joint):
    """Return the moment of the weight of all that a joint of the standing leg carries, about the joint."""
    qpos = on_one_leg(robot, foot)
    model = robot.model
    mujoco_joint = model.joint(joint).id
    below = {model.jnt_bodyid[mujoco_joint]}
    for body in range(1, model.nbody):
        if model.body_parentid[body] in below:
            below.add(body)
    others = [body for body in range(1, model.nbody) if body not in below]
    names = [model.body(body).name for body in others]
    place, turn = body_poses(model, names, qpos[None])
    com = place[0] + np.einsum("nij,nj->ni", turn[0], model.body_ipos[others])
    anchor = joint_anchors(robot, qpos)[robot.joint_names.index(joint)]
    weight_n = model.body_mass[others] * GRAVITY_M_S2
    return np.cross(com - anchor, np.outer(weight_n, [0.0, 0.0, -1.0])).sum(axis=0)


def test_the_hip_that_carries_the_rest_of_the_body_is_the_hardest_where_it_is_weak(robot):
    hip = next(joint for joint in robot.legs[0].joints if "roll" in joint)
    needed_nm = abs(carried_nm(robot, 0, hip)[0])
    assert needed_nm > 1.0
    limits = np.full(len(robot.joint_names), 1e4)
    limits[robot.joint_names.index(hip)] = needed_nm / 1.5
    hardest = hardest_on_one_leg(replace(robot, torque_limit_nm=limits))
    assert hardest.joint == hip
    assert hardest.use == pytest.approx(1.5, rel=0.03)
    takes, has = hardest.sentence.split(" % of the ")
    assert float(takes.rsplit(" ", 1)[1]) == pytest.approx(150.0, rel=0.03)
    assert has == f"{needed_nm / 1.5:.3g} N m that {hip} has"


def test_four_legs_are_never_all_but_one_in_the_air(tmp_path):
    still = hardest_on_one_leg(import_robot(quadruped(), tmp_path)[0])
    assert (still.use, still.sentence) == (0.0, "")
