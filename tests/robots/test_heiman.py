"""HeiMan as numbers: published lengths, masses and points, and the same body in MuJoCo and Pinocchio."""

import msgspec
import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.errors import OutOfRangeError, StrutError, UnknownNameError
from strut.models.catalogue import robots
from strut.models.subject import person_of, subject
from strut.motion import Motion
from tests.mjcf_text import text_of
from tests.ocp.pinocchio_tree import pin, pinocchio_model, to_pinocchio


def standing(robot):
    model = robot.model
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    return model, data


def test_heiman_is_in_the_catalogue_with_28_joints_on_a_floating_pelvis(heiman):
    model = heiman.model
    assert "heiman" in robots()
    assert (model.nq, model.nv, len(heiman.joint_names)) == (35, 34, 28)
    assert heiman.joint_names[:8] == (
        *("HipRight_RY", "HipRight_RX", "HipRight_RZ", "KneeRight_RY"),
        *("AnkleRight_RY", "AnkleRight_RX", "AnkleRight_RZ", "HipLeft_RY"),
    )
    assert tuple(model.joint(index).name for index in range(1, model.njnt)) == heiman.joint_names


def test_segment_masses_add_up_to_the_body_mass(heiman):
    assert sum(
        heiman.tables.robot.mass_share[name] * (2 if "Side" in name else 1) for name in heiman.tables.robot.mass_share
    ) == pytest.approx(1.0, abs=1e-12)
    assert heiman.mass_kg == pytest.approx(75.0, abs=1e-9)
    assert heiman.model.body_mass.sum() == pytest.approx(75.0, abs=1e-9)


@pytest.mark.parametrize(
    ("name", "pelvis_m", "top_m", "com_height_m"),
    [("Subject3", 0.9938, 1.8146, 1.0480), ("Subject1", 0.9820, 1.8028, 1.0432)],
)  # Table 6.1 as stacked lengths
def test_measured_subjects_stand_as_high_as_their_lengths_say(name, pelvis_m, top_m, com_height_m):
    robot = subject(named=name)
    _, data = standing(robot)
    assert data.qpos[2] == pytest.approx(pelvis_m, abs=1e-9)
    head = data.body("Head").xpos[2] + robot.subject.lengths_m["HeadLength"]
    assert head == pytest.approx(top_m, abs=1e-9)
    assert data.subtree_com[1][2] == pytest.approx(com_height_m, abs=5e-5)


def test_the_centre_of_mass_of_the_measured_subject_is_where_it_was_published(heiman):
    _, data = standing(heiman)
    assert_allclose(data.subtree_com[1], [0.001251, 0.0, 1.047991], atol=5e-7)


def test_shares_of_the_height_add_up_to_slightly_more_than_the_height():
    robot = subject(1.80, 80.0)
    _, data = standing(robot)
    top = data.body("Head").xpos[2] + robot.subject.lengths_m["HeadLength"]
    assert top / 1.80 == pytest.approx(1.0283, abs=1e-9)


def test_standing_soles_lie_on_the_floor(heiman):
    _, data = standing(heiman)
    for foot in heiman.feet:
        assert data.site(foot.frame).xpos[2] - foot.radius_m == pytest.approx(0.0, abs=1e-12)
    for point in heiman.contacts.point.values():
        body = data.body(point.segment)
        place = body.xpos + body.xmat.reshape(3, 3) @ point.position_m
        assert place[2] - point.radius_m == pytest.approx(0.0, abs=1e-12)


def test_every_segment_obeys_the_triangle_inequality_of_inertias(heiman):
    model = heiman.model
    for inertia in model.body_inertia[model.body_mass > 0.0]:
        small, middle, large = np.sort(inertia)
        assert small + middle >= large
    printed = np.sort(np.array([1.615, 0.551, 0.587]) ** 2)  # the misprint of the pelvis does not
    assert printed[0] + printed[1] < printed[2]


def test_limits_of_the_right_side_mirror_those_of_the_left(heiman):
    limit = dict(zip(heiman.joint_names, zip(heiman.joint_lower_rad, heiman.joint_upper_rad, strict=True), strict=True))
    assert limit["HipRight_RX"] == (-limit["HipLeft_RX"][1], -limit["HipLeft_RX"][0])
    assert limit["KneeRight_RY"] == limit["KneeLeft_RY"] == (-0.01, 1.67)


def test_pinocchio_reads_the_same_body(heiman):
    model = heiman.model
    oracle = pinocchio_model(text_of(heiman.model))
    data = mujoco.MjData(model)
    other = oracle.createData()
    rng = np.random.default_rng(3)
    for _ in range(10):
        data.qpos[:3] = rng.normal(size=3)
        data.qpos[7:] = rng.uniform(-1.0, 1.0, 28)
        quaternion = rng.normal(size=4)
        data.qpos[3:7] = quaternion / np.linalg.norm(quaternion)
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        pin.framesForwardKinematics(oracle, other, to_pinocchio(data.qpos))
        pin.centerOfMass(oracle, other, to_pinocchio(data.qpos))
        assert_allclose(other.com[0], data.subtree_com[1], atol=1e-9)
        for body in range(1, model.nbody):
            place = other.oMf[oracle.getFrameId(model.body(body).name, pin.FrameType.BODY)]
            assert_allclose(data.xpos[body], place.translation, atol=1e-9)


def test_overridden_lengths_and_masses_reach_the_body():
    longer = subject(1.80, 80.0, lengths_m={"ThighSideLength": 0.5, "HeadLength": 0.25}, masses_kg={"Head": 6.0})
    _, data = standing(longer)
    hip = data.body("ThighRight").xpos
    knee = data.body("ShankRight").xpos
    assert np.linalg.norm(hip - knee) == pytest.approx(0.5, abs=1e-12)
    assert longer.mass_kg == pytest.approx(80.0 * (1.0 - 0.0694) + 6.0)


@pytest.mark.parametrize(("height_m", "mass_kg"), [(0.4, 70.0), (2.9, 70.0), (1.8, 5.0), (1.8, float("nan"))])
def test_bodies_outside_the_range_of_adults_are_refused_in_words(height_m, mass_kg):
    with pytest.raises(OutOfRangeError, match="outside the range of adults"):
        subject(height_m, mass_kg)


def test_an_unknown_length_or_subject_is_named_with_its_neighbours():
    with pytest.raises(UnknownNameError, match="ThighRightLength"):
        subject(1.8, 70.0, lengths_m={"ThighRightLenght": 0.4})
    with pytest.raises(UnknownNameError, match="Subject3"):
        subject(named="Subject33")


def test_a_woman_has_the_published_shares_and_fills_her_height():  # de Leva (1996), Table 4: women of 1.735 m, 61.9 kg
    woman = subject(1.735, 61.9, sex="female")
    man = subject(1.735, 61.9)
    lengths = woman.subject.lengths_m
    masses = woman.subject.masses_kg
    assert woman.mass_kg == pytest.approx(61.9, abs=1e-9)
    assert lengths["ThighLeftLength"] == pytest.approx(0.3685, abs=1e-4)
    assert lengths["ShankRightLength"] == pytest.approx(0.4386, abs=1e-4)
    assert masses["ThighRight"] / 61.9 == pytest.approx(0.1478, abs=2e-5)
    assert set(lengths) == set(man.subject.lengths_m)
    stack = ("FootRightHeight", "ShankRightLength", "ThighRightLength", "PelvisHeight", "MiddleTrunkHeight")
    upper = ("SuprasternaleHeight", "NeckLength", "HeadLength")
    assert sum(lengths[name] for name in (*stack, *upper)) == pytest.approx(1.735, rel=0.01)


def test_a_motion_keeps_the_proportions_of_its_subject():
    woman = subject(1.65, 60.0, sex="female")
    motion = Motion(
        robot="heiman",
        time_s=np.arange(2) * 0.01,
        qpos=np.tile(np.eye(35)[3], (2, 1)),
        joint_names=woman.joint_names,
        contact=np.ones((2, 6), dtype=bool),
        foot_names=woman.foot_names,
        meta={"subject": msgspec.to_builtins(woman.subject)},
    )
    again = person_of(motion)
    assert again.mass_kg == pytest.approx(60.0)
    assert again.fingerprint == woman.fingerprint != subject(1.65, 60.0).fingerprint


@pytest.mark.parametrize(
    ("asked", "words"),
    [({"sex": "femal"}, "femal"), ({"sex": "female", "named": "Subject1"}, "needs a height and a mass")],
)
def test_unknown_or_missing_numbers_of_women_are_one_sentence(asked, words):
    with pytest.raises(StrutError, match=words):
        subject(**asked)
