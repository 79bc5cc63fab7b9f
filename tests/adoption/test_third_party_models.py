"""Third-party robot models: each kind of file that once stopped or misled the import."""

from xml.etree import ElementTree as ET

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.adoption.adopt import inspect_robot
from strut.adoption.collada_axes import should_rotate_meshes
from strut.adoption.folder_check import check_folder
from strut.adoption.note import sentences_of
from strut.adoption.standing_posture import search_standing_posture
from strut.errors import NotAdoptedError
from strut.models.mesh_files import read_mesh
from strut.plumbing.number_text import format_count
from tests.adoption.broken_robots import element_called, on_wheels
from tests.adoption.small_robots import biped, import_robot, quadruped, write_xml


def joint_of(root, name):
    return element_called(root, "joint", name)


def link_of(root, name):
    return element_called(root, "link", name)


def add_link(root, name, parent, kind="fixed", xyz="0 0 0", axis="0 0 1"):
    link = ET.SubElement(root, "link", name=name)
    inertial = ET.SubElement(link, "inertial")
    ET.SubElement(inertial, "mass", value="0.05")
    ET.SubElement(inertial, "inertia", dict.fromkeys(("ixx", "iyy", "izz"), "1e-4"))
    ET.SubElement(ET.SubElement(ET.SubElement(link, "collision"), "geometry"), "sphere", radius="0.02")
    joint = ET.SubElement(root, "joint", name=f"{name}_joint", type=kind)
    ET.SubElement(joint, "parent", link=parent)
    ET.SubElement(joint, "child", link=name)
    ET.SubElement(joint, "origin", xyz=xyz)
    ET.SubElement(joint, "axis", xyz=axis)
    ET.SubElement(joint, "limit", lower="-0.5", upper="0.5", effort="2", velocity="5")


def limbs_of(robot):
    return {limb.name: limb.joints for limb in robot.limbs}


def has_note(notes, severity, text):
    return any(text in sentence for sentence in sentences_of(notes, severity))


# --- legs ---------------------------------------------------------------------------------------------------------


def test_wheels_at_the_ends_of_four_legs_are_braked(tmp_path):
    root = quadruped()
    on_wheels(root)
    robot, notes = import_robot(root, tmp_path)
    assert not [name for name in robot.joint_names if name.endswith("_spin")]
    assert [len(foot.points) for foot in robot.feet] == [1, 1, 1, 1]
    assert has_note(notes, "assumed", "braked")
    assert check_folder(tmp_path / "robot").is_sound


def test_hips_with_one_motor_are_held_in_place(tmp_path):
    root = biped()
    ET.SubElement(joint_of(root, "right_hip_yaw"), "mimic", joint="left_hip_yaw")
    robot, notes = import_robot(root, tmp_path, "two.urdf")
    assert {len(leg.joints) for leg in robot.legs} == {5}
    assert has_note(notes, "assumed", "held in place: right_hip_yaw, left_hip_yaw: one motor")


def test_a_biped_with_four_joints_a_leg_stands_on_its_soles(tmp_path):
    root = biped()
    for side in ("left", "right"):
        joint_of(root, f"{side}_hip_yaw").set("type", "fixed")
        joint_of(root, f"{side}_ankle_roll").set("type", "fixed")
    robot, _ = import_robot(root, tmp_path, "two.urdf")
    points = np.array([point.position_m for point in robot.feet[0].points])
    np.testing.assert_allclose(np.ptp(points, axis=0)[:2], [0.22, 0.09], atol=2e-3)  # the box of the foot


# --- limits -------------------------------------------------------------------------------------------------------


def test_torque_limits_too_small_to_stand_with_are_replaced(tmp_path):
    root = quadruped()
    for motor in root.iter("motor"):
        if motor.get("joint").endswith("_knee"):
            motor.set("ctrlrange", "-0.05 0.05")  # before a gear that the file does not have
    robot, notes = import_robot(root, tmp_path)
    knees = [k for k, name in enumerate(robot.joint_names) if name.endswith("_knee")]
    assert robot.torque_limit_nm[knees].min() > 1.0
    assert has_note(notes, "assumed", "too small to stand with")
    assert check_folder(tmp_path / "robot").is_sound


def test_speed_limits_too_small_for_a_step_are_replaced(tmp_path):
    root = biped()
    joint_of(root, "left_knee").find("limit").set("velocity", "0.5")
    joint_of(root, "neck").find("limit").set("velocity", "0.5")  # a slow head may be meant
    robot, notes = import_robot(root, tmp_path, "two.urdf")
    speed = dict(zip(robot.joint_names, robot.joint_speed_limit_rad_s, strict=True))
    assert (speed["left_knee"], speed["neck"]) == (15.0, 0.5)
    assert has_note(notes, "assumed", "1 joint (left_knee) is too slow")


# --- upper body ---------------------------------------------------------------------------------------------------


def test_raised_arms_with_hanging_forearms_are_lowered_and_their_swing_joint_is_measured_again(tmp_path):
    root = biped()
    for side, turn in (("left", 1.5708), ("right", -1.5708)):
        joint_of(root, f"{side}_shoulder_roll").find("origin").set("rpy", f"{turn} 0 0")
        joint_of(root, f"{side}_elbow").find("origin").set("rpy", f"{-turn} 0 0")
        joint_of(root, f"{side}_shoulder_pitch").find("axis").set("xyz", "0 0 1")  # swings nothing that hangs
    robot, notes = import_robot(root, tmp_path, "two.urdf")
    angle = dict(zip(robot.joint_names, robot.standing_qpos[7:], strict=True))
    assert has_note(notes, "assumed", "left_arm, right_arm held out")
    assert angle["left_shoulder_roll"] < -0.6  # farther down, the forearm would be in the trunk
    assert angle["right_shoulder_roll"] > 0.6
    assert not has_note(notes, "found", "shoulder_pitch turns to")


def test_antennas_belong_to_the_head(tmp_path):
    root = biped()
    joint_of(root, "waist").set("type", "fixed")
    for side in ("left", "right"):
        joint_of(root, f"{side}_shoulder_pitch").set("type", "fixed")
        for name in ("shoulder_roll", "elbow", "wrist"):
            joint_of(root, f"{side}_{name}").set("type", "fixed")
    joint_of(root, "neck").find("child").set("link", "neck_link")
    add_link(root, "neck_link", "torso")
    root.remove(joint_of(root, "neck_link_joint"))
    add_link(root, "spare", "neck_link")
    spare = joint_of(root, "spare_joint")
    spare.set("type", "revolute")
    spare.find("child").set("link", "head")
    spare.find("origin").set("xyz", "0 0 0.06")
    root.remove(link_of(root, "spare"))
    add_link(root, "left_antenna", "head", "revolute", "0 0.08 0.2", "0 1 0")
    add_link(root, "right_antenna", "head", "revolute", "0 -0.08 0.2", "0 1 0")
    robot, _ = import_robot(root, tmp_path, "two.urdf")
    assert limbs_of(robot)["head"] == ("neck", "spare_joint")
    assert "trunk" not in limbs_of(robot)


def test_a_camera_on_a_hand_is_not_a_head(tmp_path):
    root = biped()
    add_link(root, "left_camera", "left_hand")
    robot, _ = import_robot(root, tmp_path, "two.urdf")
    assert limbs_of(robot)["head"] == ("neck",)
    assert len(limbs_of(robot)["left_arm"]) == 4


# --- files --------------------------------------------------------------------------------------------------------


def test_links_that_float_inside_a_robot_are_fixed(tmp_path):
    root = biped()
    add_link(root, "cap", "head", "floating", "0 0 0.1")
    robot, notes = import_robot(root, tmp_path, "two.urdf")
    assert "cap_joint" not in robot.joint_names
    assert has_note(notes, "fault", "1 link floats inside the robot (cap_joint)")


def test_a_shape_with_two_colours_keeps_the_first(tmp_path):
    root = biped()
    for name in ("grey", "black"):
        ET.SubElement(link_of(root, "head").find("visual"), "material", name=name)
    import_robot(root, tmp_path, "two.urdf")


def test_unknown_settings_of_a_simulation_are_left_out(tmp_path):
    root = quadruped()
    ET.SubElement(ET.SubElement(root, "option"), "flag", sensornoise="enable")
    robot, notes = import_robot(root, tmp_path)
    assert len(robot.joint_names) == 12
    assert has_note(notes, "fault", "'sensornoise'")


def test_an_unknown_attribute_of_the_robot_is_refused(tmp_path):
    root = quadruped()
    element_called(root, "joint", "FL_knee").set("colour", "red")
    ET.SubElement(root, "option", timestep="0.001")
    with pytest.raises(NotAdoptedError, match="colour"):
        import_robot(root, tmp_path)


def test_a_git_lfs_pointer_is_refused_with_the_remedy(tmp_path):
    (tmp_path / "torso.stl").write_bytes(b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5084\n")
    root = biped()
    geometry = link_of(root, "torso").find("collision/geometry")
    geometry.remove(geometry[0])
    ET.SubElement(geometry, "mesh", filename="torso.stl")
    with pytest.raises(NotAdoptedError, match="run `git lfs pull`"):
        import_robot(root, tmp_path, "two.urdf")


SLAB = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><up_axis>Y_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><newparam sid="s"><surface type="2D"><init_from>gone</init_from>
</surface></newparam><newparam sid="t"><sampler2D><source>s</source></sampler2D></newparam><technique sid="c"><lambert>
<diffuse><texture texture="t" texcoord="u"/></diffuse></lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="p"><float_array id="a" count="12">
0 0.3 0 0.1 0.3 0 0 0.5 0 0 0.3 0.1
</float_array><technique_common><accessor source="#a" count="4" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices><triangles count="4" material="m">
<input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles></mesh>
</geometry></library_geometries>
<library_visual_scenes><visual_scene id="w"><node id="n"><instance_geometry url="#g"><bind_material><technique_common>
<instance_material symbol="m" target="#m"/></technique_common></bind_material></instance_geometry></node></visual_scene>
</library_visual_scenes><scene><instance_visual_scene url="#w"/></scene></COLLADA>"""


@pytest.fixture
def slab(tmp_path):
    (tmp_path / "slab.dae").write_text(SLAB, "utf-8")
    return tmp_path / "slab.dae"


def test_a_mesh_is_read_without_its_missing_texture(slab):
    assert len(read_mesh(slab).faces) == 4


@pytest.mark.parametrize(("unit", "scale", "factor"), [("0.001", "1000", 1.0), ("0.01", "1", 0.01), ("1", "2", 2.0)])
def test_the_unit_of_a_mesh_and_the_scale_beside_it_are_multiplied(slab, unit, scale, factor):  # as RViz and Gazebo do
    pytest.importorskip("collada")
    slab.write_text(SLAB.replace("<asset>", f'<asset><unit meter="{unit}"/>').replace("Y_UP", "Z_UP"), "utf-8")
    root = biped()
    geometry = link_of(root, "torso").find("visual/geometry")
    geometry.remove(geometry[0])
    ET.SubElement(geometry, "mesh", filename="slab.dae", scale=" ".join(3 * [scale]))
    model = inspect_robot(write_xml(root, slab.parent / "two.urdf"), "two").plain.model
    corners = model.mesh_vert.astype(float)
    longest_m = np.linalg.norm(corners[:, None] - corners[None], axis=2).max()
    np.testing.assert_allclose(longest_m, factor * np.hypot(0.1, 0.2), rtol=1e-4)


@pytest.mark.parametrize(("centre", "rotate"), [("0.03 0.37 0.03", False), ("0.03 -0.03 0.37", True)])
def test_meshes_with_y_up_are_rotated_if_that_moves_them_to_their_centres_of_mass(slab, centre, rotate):
    link = f"""<robot><link name="thigh"><inertial><origin xyz="{centre}"/></inertial>
    <visual><geometry><mesh filename="slab.dae"/></geometry></visual></link></robot>"""
    assert should_rotate_meshes(ET.fromstring(link), slab.parent / "robot.urdf") is rotate


def test_hulls_of_collision_meshes_are_closed_and_face_outwards(slab, tmp_path):
    """By the divergence theorem, the volume of a closed surface is positive if its normals point out of it."""
    pytest.importorskip("collada")
    root = biped()
    for shape in ("visual", "collision"):
        geometry = link_of(root, "torso").find(f"{shape}/geometry")
        geometry.remove(geometry[0])
        ET.SubElement(geometry, "mesh", filename="slab.dae")
    model = inspect_robot(write_xml(root, slab.parent / "two.urdf"), "two").plain
    files = {name: content for name, content in model.meshes.items() if name.endswith(".stl")}
    assert files
    for content in files.values():
        record = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
        triangles = np.frombuffer(content, record, offset=84)
        corners = triangles["corners"].astype(float)
        middle = corners.mean(axis=(0, 1))
        first, second, third = np.swapaxes(corners - middle, 0, 1)
        assert np.einsum("ni,ni->n", np.cross(first, second), third).sum() > 0.0
        faces = np.cross(second - first, third - first)
        np.testing.assert_allclose(triangles["normal"], faces / np.linalg.norm(faces, axis=1, keepdims=True), atol=1e-5)


@pytest.mark.parametrize(("turned", "stands", "rotate"), [(0.0, 1.0, False), (1.0, 0.0, True), (0.5, -0.5, True)])
@pytest.mark.parametrize(("xyz", "rpy"), [((0.0, 0.0, 0.0), (0.0, 0.0, 0.0)), ((0.3, -0.2, 0.1), (0.4, -0.7, 1.1))])
def test_meshes_are_judged_where_their_visuals_stand(slab, xyz, rpy, turned, stands, rotate):
    """A centre of mass in the middle of the mesh as it stands, as it would with z up, or opposite to the first."""
    middle = np.array(read_mesh(slab).bounds).mean(axis=0)
    own = turned * np.array([middle[0], -middle[2], middle[1]]) + stands * middle
    centre = xyz + Rotation.from_euler("xyz", rpy).apply(own)
    place, turn, mass = (" ".join(map(str, values)) for values in (xyz, rpy, centre))
    link = f"""<robot><link name="thigh"><inertial><origin xyz="{mass}"/></inertial>
    <visual><origin xyz="{place}" rpy="{turn}"/><geometry><mesh filename="slab.dae"/></geometry></visual>
    </link></robot>"""
    assert should_rotate_meshes(ET.fromstring(link), slab.parent / "robot.urdf") is rotate


def test_feet_are_checked_by_collision_shapes_and_not_by_visual_ones(tmp_path):
    root = biped()
    for side in ("left", "right"):
        link_of(root, f"{side}_foot").find("visual/origin").set(
            "xyz", "0.03 0 -0.08"
        )  # 30 mm below the collision shape
    import_robot(root, tmp_path, "two.urdf")
    assert check_folder(tmp_path / "robot").is_sound


def test_an_empty_link_in_front_of_a_foot_gets_no_shape(tmp_path):
    root = biped()
    for side in ("left", "right"):
        add_link(root, f"{side}_sole", f"{side}_foot", xyz="0 0 0.06")
        link_of(root, f"{side}_sole").extend(link_of(root, f"{side}_foot").findall("collision"))
        for tag in ("visual", "collision"):
            link_of(root, f"{side}_foot").remove(link_of(root, f"{side}_foot").find(tag))
    robot, _ = import_robot(root, tmp_path, "two.urdf")
    assert robot.model.body("left_foot").geomnum[0] == 0


def test_a_base_with_its_origin_on_the_floor_gets_one_between_its_hips(tmp_path):
    root = quadruped()
    world = root.find("worldbody")
    trunk = element_called(root, "body", "trunk")
    world.remove(trunk)
    base = ET.SubElement(world, "body", name="base")
    trunk.remove(trunk.find("freejoint"))
    ET.SubElement(base, "freejoint")
    ET.SubElement(base, "geom", type="sphere", pos="0 0 0.4", size="0.01", mass="0.01")
    base.append(trunk)
    robot, _ = import_robot(root, tmp_path)
    assert robot.standing_qpos[2] == pytest.approx(0.35, abs=0.1)
    assert check_folder(tmp_path / "robot").is_sound


def test_joints_with_hardly_any_range_are_rigid(tmp_path):
    root = biped()
    for side in ("left", "right"):
        joint_of(root, f"{side}_wrist").find("limit").attrib.update(lower="-0.001", upper="0.001")
    robot, notes = import_robot(root, tmp_path, "two.urdf")
    assert not {"left_wrist", "right_wrist"} & set(robot.joint_names)
    assert has_note(notes, "assumed", "2 joints (left_wrist, right_wrist) have a range below")


def test_a_joint_with_a_small_range_away_from_its_angle_in_the_file_stays_in_that_range(tmp_path):
    root = biped()
    for side in ("left", "right"):
        joint_of(root, f"{side}_wrist").find("limit").attrib.update(lower="0.5", upper="0.51")
    robot, _ = import_robot(root, tmp_path, "two.urdf")
    wrists = [robot.joint_names.index(f"{side}_wrist") for side in ("left", "right")]
    standing = robot.standing_qpos[7:][wrists]
    assert ((standing >= 0.5) & (standing <= 0.51)).all()


def test_sentences_have_singular_and_plural_forms():
    words = "[joint|joints] (knee) [has|have] no range"
    assert format_count(1, words) == "1 joint (knee) has no range"
    assert format_count(2, words) == "2 joints (knee) have no range"


def test_an_arm_on_the_back_of_a_quadruped_is_not_lowered(tmp_path):
    root = quadruped()
    parent = element_called(root, "body", "trunk")
    motors = root.find("actuator")
    for name, place in (("upper", "0.2 0 0.06"), ("fore", "0.2 0 0")):
        parent = ET.SubElement(parent, "body", name=f"arm_{name}", pos=place)
        ET.SubElement(parent, "joint", name=f"arm_{name}", axis="0 1 0", range="-2.5 2.5")
        ET.SubElement(parent, "geom", type="capsule", fromto="0.03 0 0 0.17 0 0", size="0.02", mass="0.2")
        ET.SubElement(motors, "motor", joint=f"arm_{name}", ctrlrange="-20 20")
    robot, _ = import_robot(root, tmp_path)
    arm = [robot.joint_names.index(f"arm_{name}") for name in ("upper", "fore")]
    np.testing.assert_allclose(robot.standing_qpos[7:][arm], 0.0, atol=1e-9)


def test_feet_of_a_standing_posture_point_forward(tmp_path):
    """With hips that yaw all the way round, a foot with its heel ahead would be as level and as near."""
    root = biped()
    for side in ("left", "right"):
        joint_of(root, f"{side}_hip_yaw").find("limit").attrib.update(lower="-3.2", upper="3.2")
    anatomy = inspect_robot(write_xml(root, tmp_path / "two.urdf"), "two").anatomy
    tree = anatomy.tree
    straight = tree.zero_posture
    posture = search_standing_posture(tree, anatomy.legs, anatomy.feet, straight)
    data = tree.pose(straight)
    before = [data.xmat[foot.link].reshape(3, 3).copy() for foot in anatomy.feet]
    data = tree.pose(posture)
    for foot, rotation in zip(anatomy.feet, before, strict=True):
        assert (data.xmat[foot.link].reshape(3, 3) @ rotation.T)[0, 0] > 0.95  # cosine between both directions
