"""A model of others in MJCF: its joints, meshes and motor limits are kept; floor, servos, feet and limbs are ours."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.frame_kinematics import frame_poses
from strut.engines.self_distance import collision_pairs
from strut.errors import BadFieldError
from strut.models.catalogue import load_robot
from strut.robot import Limb

MODEL = """<mujoco model="hopper"><compiler angle="degree"/>
  <asset><mesh name="wedge" vertex="0 0 0  0.1 0 0  0 0.1 0  0 0 0.1"/></asset>
  <worldbody><light pos="0 0 3"/><geom name="ground" type="plane" size="5 5 0.1"/>
    <body name="trunk" pos="0 0 1"><freejoint/><geom type="mesh" mesh="wedge" mass="2"/>
      <inertial pos="0 0 0" mass="2" diaginertia="0.1 0.1 0.1"/>
      <body name="thigh" pos="0 0 -0.1" euler="0 0 90">
        <joint name="hip" type="{kind}" axis="1 0 0" range="-60 60" armature="0.01"/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" density="1000"/>
        <body name="shin" pos="0 0 -0.2"><joint name="knee" axis="1 0 0"/>
          <inertial pos="0 0 -0.1" mass="0.5" diaginertia="0.01 0.01 0.01"/>
          <geom name="toe" size="0.03" pos="0 0 -0.2"/></body></body></body>
  </worldbody>
  <contact><pair geom1="toe" geom2="ground"/></contact>
  <actuator><motor joint="hip" gear="2" ctrlrange="-10 10"/><position joint="knee" kp="5" forcerange="-7 7"/></actuator>
  <keyframe><key qpos="0 0 1 1 0 0 0 0.1 0.2"/></keyframe>
</mujoco>"""
TABLE = """title = "hopper"
mjcf = "hopper.xml"
contact = { friction = 0.7 }
limit = { speed_rad_s = 8.0, torque_nm = 1.0 }
servo = { sag_rad = 0.02, settle_s = 0.04 }
"""
TOE = "foot = { toe = { link = 'shin', points_m = [[0.0, 0.0, -0.2]], radius_m = 0.03 } }\n"
SOLE = """[posture]
hip = 0.5
knee = -0.5
[foot.toe]
link = "shin"
kind = "sole"
points_m = [[0.1, 0.05, -0.2], [0.1, -0.05, -0.2], [-0.1, 0.0, -0.2]]
"""


def hopper(folder, more=TOE, model=MODEL, **files):
    (folder / "hopper.xml").write_text(model.replace("{kind}", "hinge"), "utf-8")
    (folder / "robot.toml").write_text(TABLE + more, "utf-8")
    for name, text in files.items():
        (folder / f"{name}.toml").write_text(text, "utf-8")
    return load_robot(str(folder))


def test_joints_meshes_and_motor_limits_are_kept(tmp_path):
    robot = hopper(tmp_path)
    assert robot.joint_names == ("hip", "knee")
    assert robot.torque_limit_nm.tolist() == [20.0, 7.0]  # control range times gear, and the range of force
    assert robot.joint_speed_limit_rad_s.tolist() == [8.0, 8.0]
    assert_allclose(robot.joint_lower_rad, [-np.pi / 3.0, -np.pi])  # written in degrees
    assert_allclose(robot.model.dof_armature[6:], [0.01, 0.0])
    assert (robot.base_size, robot.model.nmesh) == (7, 1)
    assert [leg.joints for leg in robot.legs] == [("hip", "knee")]


def test_a_joint_bears_no_more_than_its_own_bound_however_strong_its_motor_is(tmp_path):
    bound = MODEL.replace('armature="0.01"', 'actuatorfrcrange="-12 12"').replace(
        'name="knee"', 'name="knee" actuatorfrcrange="-9 9"'
    )
    assert hopper(tmp_path, model=bound).torque_limit_nm.tolist() == [12.0, 7.0]  # motors of 20 and 7


def test_masses_that_follow_from_shapes_are_kept(tmp_path):
    capsule_kg = 1000.0 * np.pi * (0.02**2 * 0.2 + 4.0 / 3.0 * 0.02**3)
    assert hopper(tmp_path).mass_kg == pytest.approx(2.5 + capsule_kg)


def test_the_floor_is_ours_and_what_is_rigid_with_a_foot_leaves_the_ground_to_it(tmp_path):
    model = hopper(tmp_path).model
    planes = [model.geom(k).name for k in range(model.ngeom) if model.geom_bodyid[k] == 0]
    colliding = {model.body(model.geom_bodyid[k]).name for k in range(model.ngeom) if model.geom_contype[k]}
    assert planes == ["floor"]
    assert colliding == {"trunk", "thigh", "toe"}
    assert (model.nkey, model.nu) == (0, 2)


def test_limits_and_gains_of_joints_are_data(tmp_path):
    own = "[joint.hip]\nrange_rad = [-0.5, 0.7]\ntorque_nm = 5.0\nstiffness_nm_rad = 60.0\narmature_kg_m2 = 0.002\n"
    robot = hopper(tmp_path, TOE + own + "[joint.'*']\nspeed_rad_s = 3.0\ndamping_nm_s_rad = 2.0\n")
    assert (robot.joint_lower_rad[0], robot.joint_upper_rad[0]) == pytest.approx((-0.5, 0.7))
    assert robot.torque_limit_nm.tolist() == [5.0, 7.0]
    assert robot.joint_speed_limit_rad_s.tolist() == [3.0, 3.0]
    assert_allclose(robot.model.actuator_gainprm[:, 0], [60.0, 7.0 / 0.02])
    assert_allclose(robot.model.actuator_biasprm[:, 2], [-2.0, -2.0])
    assert_allclose(robot.model.dof_armature[6:], [0.002, 0.0])


def test_a_robot_stands_on_its_lowest_foot_in_its_posture(tmp_path):
    robot = hopper(tmp_path, SOLE)
    assert_allclose(robot.standing_qpos, [0.0, 0.0, 0.1 + 0.2 * np.cos(0.5) + 0.2, 1.0, 0.0, 0.0, 0.0, 0.5, -0.5])
    place, turn = frame_poses(robot, "toe", robot.standing_qpos[None])
    assert_allclose(place[0, 2], 0.0, atol=1e-12)
    assert_allclose(turn[0], np.eye(3), atol=1e-12)  # a foot has the robot's axes when it stands
    assert_allclose(sorted(robot.feet[0].outline_m), [(-0.1, 0.0), (0.1, -0.05), (0.1, 0.05)])  # about their middle


def test_a_line_with_a_radius_rolls_about_its_edge(tmp_path):
    line = "points_m = [[0.0, 0.04, -0.2], [0.0, -0.04, -0.2]]"
    robot = hopper(tmp_path, f"[foot.toe]\nlink = 'shin'\nkind = 'line'\nradius_m = 0.03\n{line}\n")
    assert robot.feet[0].radius_m == 0.03
    assert_allclose(robot.feet[0].outline_m, [(0.0, 0.04), (0.0, -0.04)], atol=1e-15)
    assert robot.standing_qpos[2] == pytest.approx(0.53)


def test_a_robot_is_bolted_down_or_floats_as_its_table_says(tmp_path):
    assert hopper(tmp_path, "base = 'bolted'\n" + TOE).base_size == 0
    (tmp_path / "other").mkdir()
    assert hopper(tmp_path / "other", "base = 'floating'\n").base_size == 7


TURNED = MODEL.replace('pos="0 0 1">', 'pos="0 0 1" euler="0 0 90">')


def test_a_front_that_the_file_draws_along_y_is_turned_to_x(tmp_path):
    as_drawn = hopper(tmp_path, SOLE).model
    folder = tmp_path / "turned"
    folder.mkdir()
    other = hopper(folder, "forward = [0.0, 1.0, 0.0]\n" + SOLE, TURNED).model
    for field in ("qpos0", "body_ipos", "body_pos", "geom_pos", "site_pos", "body_inertia"):
        assert_allclose(getattr(other, field), getattr(as_drawn, field), atol=1e-9, err_msg=field)


@pytest.mark.parametrize("base", ["floating", "bolted"])
def test_a_root_that_is_turned_in_its_file_is_drawn_so_and_a_floating_base_is_level(tmp_path, base):
    robot = hopper(tmp_path, f"base = '{base}'\nheight_m = 1.0\n" + TOE, TURNED)
    mine = robot.model
    described = mujoco.MjModel.from_xml_string(TURNED.replace("{kind}", "hinge"))
    if robot.floats:
        assert_allclose(mine.qpos0[:7], [0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    here = mujoco.MjData(mine)
    there = mujoco.MjData(described)
    mujoco.mj_forward(mine, here)
    mujoco.mj_forward(described, there)
    for body in ("trunk", "thigh", "shin"):
        assert_allclose(here.body(body).xipos, there.body(body).xipos, atol=1e-9)
    geom = mine.geom_bodyid.tolist().index(mine.body("trunk").id), described.geom_bodyid.tolist().index(1)
    assert_allclose(here.geom_xmat[geom[0]], there.geom_xmat[geom[1]], atol=1e-9)
    joints = slice(6, 8) if robot.floats else slice(0, 2)
    assert_allclose(here.qfrc_bias[joints], there.qfrc_bias[6:8], atol=1e-9)


def test_a_joint_of_a_leg_that_does_not_move_its_foot_is_named_with_its_line(tmp_path):
    other = """<body name="tail"><joint name="wag" axis="0 0 1"/><geom size="0.03"/></body>"""
    model = MODEL.replace('<body name="thigh"', other + '<body name="thigh"')
    leg = "[limb.pogo]\nkind = 'leg'\njoints = ['hip', 'wag']\nfeet = ['toe']\n"
    with pytest.raises(BadFieldError, match=r"robot\.toml, line 9, limb\.pogo\.joints: wag does not move the foot toe"):
        hopper(tmp_path, TOE + leg, model)


def test_a_joint_above_no_foot_of_a_leg_turns_none_of_them(tmp_path):
    other = """<body name="tail"><joint name="wag" axis="1 0 0"/><geom size="0.03"/></body>"""
    robot = hopper(tmp_path, SOLE, MODEL.replace('<body name="thigh"', other + '<body name="thigh"'))
    leg = Limb("leg", "leg", ("hip", "wag"), ("thigh", "tail"), "toe", ("toe",))
    assert replace(robot, limbs=(leg,)).foot_turns.tolist() == [[0.0, 1.0, 1.0]]  # no ankle rolls it


def test_limbs_can_be_named(tmp_path):
    limbs = (
        "[limb.pogo]\nkind = 'leg'\njoints = ['knee']\nfeet = ['toe']\n[limb.waist]\nkind = 'trunk'\njoints = ['hip']\n"
    )
    robot = hopper(tmp_path, TOE + limbs)
    assert robot.limbs == (
        Limb("pogo", "leg", ("knee",), ("shin",), "toe", ("toe",)),
        Limb("waist", "trunk", ("hip",), ("thigh",)),
    )


def test_pairs_that_a_former_folder_excludes_are_read_and_limited(tmp_path):
    former = hopper(tmp_path, collision="excluded = [['shin', 'trunk']]\n")
    (tmp_path / "other").mkdir()
    assert collision_pairs(former).clear == collision_pairs(hopper(tmp_path / "other")).clear


@pytest.mark.parametrize(
    ("more", "model", "sentence"),
    [
        (TOE, MODEL.replace("{kind}", "slide"), "fixed: the joint hip is not a hinge"),
        (TOE, MODEL.replace("</worldbody>", "<body name='box'><geom size='1'/></body></worldbody>"), "mjcf: "),
        (TOE, MODEL.replace('mesh="wedge"', 'mesh="wedgie"'), "line 2, mjcf: "),
        (
            TOE,
            MODEL.replace(
                "<actuator>", "<equality><connect body1='shin' body2='trunk' anchor='0 0 0'/></equality><actuator>"
            ),
            "mjcf: .*closes a kinematic loop",
        ),
        (TOE.replace("shin", "shinn"), MODEL, r"line 6, foot\.toe\.link: .* did you mean 'shin'\?"),
        (TOE.replace("radius_m = 0.03", "radius_m = 0.0"), MODEL, r"foot\.toe\.radius_m: must be above 0 for a ball"),
        (
            SOLE.replace("[-0.1, 0.0, -0.2]", "[-0.1, 0.0, -0.1]"),
            MODEL,
            r"line 12, foot\.toe\.points_m: are not at one height",
        ),
        (SOLE.replace("sole", "line"), MODEL, r"foot\.toe\.points_m: a line does not have 3 of them"),
        (
            SOLE.replace("knee =", "kneee ="),
            MODEL,
            r"line 8, posture\.kneee: there is no 'kneee' in the model; did you mean 'knee'",
        ),
        (
            SOLE.replace("knee = -0.5", "knee = -5.0"),
            MODEL,
            r"posture\.knee: -5 is outside the range of the joint knee, -3\.142 to 3\.142",
        ),
        (TOE + "[joint.ankle]\ntorque_nm = 1.0\n", MODEL, r"line 7, joint\.ankle: there is no 'ankle' in the model"),
        (TOE + "[limb.leg]\nkind = 'leg'\njoints = ['hip']\n", MODEL, r"limb\.leg\.feet: a leg needs a foot"),
        (
            TOE + "[limb.leg]\nkind = 'arm'\njoints = ['hap']\n",
            MODEL,
            r"line 9, limb\.leg\.joints: there is no 'hap' in the model; did",
        ),
        ("forward = [1.0, 1.0, 0.0]\n" + TOE, MODEL, "line 6, forward: "),
        ("urdf = 'hopper.urdf'\n" + TOE, MODEL, "line 6, urdf: a robot has one model"),
    ],
)
def test_what_does_not_fit_the_model_is_named_with_file_line_and_field(tmp_path, more, model, sentence):
    with pytest.raises(BadFieldError, match=rf"robot\.toml, .*{sentence}"):
        hopper(tmp_path, more, model)


def test_a_joint_without_a_limit_anywhere_is_named(tmp_path):
    (tmp_path / "hopper.xml").write_text(MODEL.replace("{kind}", "hinge"), "utf-8")
    (tmp_path / "robot.toml").write_text(TABLE.replace("limit =", "#") + TOE, "utf-8")
    with pytest.raises(BadFieldError, match="limit: the model has no speed_rad_s for the joint hip"):
        load_robot(str(tmp_path))
