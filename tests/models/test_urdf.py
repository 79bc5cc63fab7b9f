"""Robots that others describe: read as Pinocchio reads them, and performing with chains named in a data file."""

import os
import sys
from pathlib import Path

import mujoco
import numpy as np
import pytest

import strut
from strut.cli.main import main
from strut.emotion import Emotion
from strut.engines.frame_kinematics import frame_poses
from strut.errors import BadTableError
from strut.models.catalogue import load_robot, robot_of
from strut.models.mesh_files import mesh_path

TALOS = Path(__file__).parents[2] / "examples" / "talos"
SMALL = """<robot name="small">
  <link name="base"><inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1"/></inertial></link>
  <link name="upper"><inertial><origin xyz="0 0 0.2" rpy="0.3 0.1 -0.2"/><mass value="1"/>
    <inertia ixx="0.02" iyy="0.03" izz="0.04" ixy="0.001"/></inertial></link>
  <link name="flange"/>
  <link name="lower"><inertial><origin xyz="0.1 0 0"/><mass value="0.5"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01"/></inertial></link>
  <joint name="shoulder" type="revolute"><origin xyz="0 0.1 0.3" rpy="0.2 -0.4 1.0"/>
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-2" upper="2" velocity="0" effort="20"/></joint>
  <joint name="mount" type="fixed"><origin xyz="0 0 0.4" rpy="0 0.5 0"/>
    <parent link="upper"/><child link="flange"/></joint>
  <joint name="elbow" type="{kind}"><origin xyz="0 0 0.05"/><parent link="flange"/><child link="lower"/>
    <axis xyz="0 0.6 0.8"/><limit lower="-1" upper="1" velocity="3" effort="5"/></joint>
</robot>"""
TABLE = """title = "small"
urdf = "small.urdf"
height_m = 0.0
fixed = []
limit = {{ speed_rad_s = 2.0, torque_nm = 10.0 }}
servo = {{ sag_rad = 0.02, settle_s = 0.04, armature_s2 = 0.0 }}
contact = {{ friction = 0.5 }}
frame = {{ tip = {{ link = "{link}", offset_m = [0.1, 0.2, 0.3] }} }}
"""


def small_robot(tmp_path, *, kind="revolute", link="lower"):
    (tmp_path / "small.urdf").write_text(SMALL.replace("{kind}", kind), encoding="utf-8")
    (tmp_path / "robot.toml").write_text(TABLE.format(link=link), encoding="utf-8")
    return load_robot(str(tmp_path))


def assert_same_body(robot, urdf_path, height_m, rng):
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip install pin) has no wheel for this system")
    whole = pin.buildModelFromUrdf(str(urdf_path))
    locked = [index for index, name in enumerate(whole.names) if index and name not in robot.joint_names]
    model = pin.buildReducedModel(whole, locked, np.zeros(whole.nq))
    data = model.createData()
    lift = np.array([0.0, 0.0, height_m])
    order = [list(robot.joint_names).index(name) for name in list(model.names)[1:]]
    mine = robot.model
    state = mujoco.MjData(mine)
    for joints in rng.uniform(robot.joint_lower_rad, robot.joint_upper_rad, (10, len(robot.joint_names))):
        state.qpos[:] = joints
        mujoco.mj_forward(mine, state)
        pin.forwardKinematics(model, data, joints[order])
        for joint, name in enumerate(list(model.names)[1:], start=1):
            body = state.body(int(mine.joint(name).bodyid[0]))
            np.testing.assert_allclose(body.xpos, data.oMi[joint].translation + lift, atol=1e-9)
            np.testing.assert_allclose(body.xmat.reshape(3, 3), data.oMi[joint].rotation, atol=1e-9)
        gravity = pin.computeGeneralizedGravity(model, data, joints[order])
        np.testing.assert_allclose(state.qfrc_bias[order], gravity, atol=1e-8)


def test_a_description_is_read_as_pinocchio_reads_it(tmp_path):
    robot = small_robot(tmp_path)
    assert robot.joint_names == ("shoulder", "elbow")
    assert robot.base_size == 0
    assert robot.joint_speed_limit_rad_s.tolist() == [2.0, 3.0]  # 0 in the file means that nobody wrote it down
    assert robot.mass_kg == 3.5
    assert_same_body(robot, tmp_path / "small.urdf", 0.0, np.random.default_rng(1))


def test_frames_have_the_axes_of_the_robot_at_zero(tmp_path):
    robot = small_robot(tmp_path)
    _, rotation = frame_poses(robot, "tip", np.zeros((1, 2)))
    np.testing.assert_allclose(rotation[0], np.eye(3), atol=1e-12)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"kind": "prismatic"}, "fixed: the joint elbow is prismatic"),
        ({"kind": "floating"}, "fixed: the joint elbow is floating"),
        ({"link": "hand"}, "frame.tip.link: there is no 'hand' in the model"),
    ],
)
def test_what_cannot_be_read_is_said(tmp_path, options, sentence):
    with pytest.raises(BadTableError, match=sentence):
        small_robot(tmp_path, **options)


SLAB = """<COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit name="millimeter" meter="0.001"/></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0  100 0 0  0 200 0  0 0 300</float_array><technique_common>
<accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="4"><input semantic="VERTEX" source="#v" offset="0"/><p>0 2 1 0 1 3 0 3 2 1 2 3</p></triangles>
</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node>
<instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 5084\n"


def shaped(tmp_path, shape):
    """Return the small robot with a shape of its base, whose meshes are in the folder `shapes`."""
    (tmp_path / "shapes").mkdir()
    (tmp_path / "shapes" / "slab.dae").write_text(SLAB, "utf-8")
    (tmp_path / "shapes" / "absent.stl").write_bytes(POINTER)
    text = SMALL.replace('<link name="base">', f'<link name="base">{shape}').replace("{kind}", "revolute")
    (tmp_path / "small.urdf").write_text(text, encoding="utf-8")
    (tmp_path / "robot.toml").write_text(TABLE.format(link="lower"), encoding="utf-8")
    return load_robot(str(tmp_path))


def test_meshes_are_found_by_their_package_and_read_in_their_unit(tmp_path):
    pytest.importorskip("collada")
    shape = '<visual><geometry><mesh filename="model://small/shapes/slab.dae"/></geometry></visual>'
    robot = shaped(tmp_path, shape)
    np.testing.assert_allclose(np.ptp(robot.model.mesh_vert, axis=0).max(), 0.3, atol=0.06)


def test_a_scale_beside_a_mesh_multiplies_its_unit(tmp_path):  # as RViz and Gazebo do
    pytest.importorskip("collada")
    shape = '<visual><geometry><mesh filename="shapes/slab.dae" scale="2 2 2"/></geometry></visual>'
    robot = shaped(tmp_path, shape)
    np.testing.assert_allclose(_longest_edge_m(robot.model), 2.0 * np.hypot(0.2, 0.3), rtol=1e-5)


def _longest_edge_m(model):
    corners = model.mesh_vert.astype(float)
    return np.linalg.norm(corners[:, None] - corners[None], axis=2).max()


BARE = "<COLLADA version='1.4.1'><asset/></COLLADA>"


@pytest.mark.parametrize(("text", "why"), [("<COLLADA><asset>", "it is not XML"), (BARE, "it is damaged")])
def test_a_broken_collada_file_is_refused_with_file_link_and_what_to_do(tmp_path, text, why, capsys):
    (tmp_path / "broken.dae").write_text(text, "utf-8")
    with pytest.raises(BadTableError) as refused:
        shaped(tmp_path, '<collision><geometry><mesh filename="broken.dae"/></geometry></collision>')
    said = str(refused.value)
    assert "small.urdf: the mesh broken.dae of the link base cannot be read" in said
    assert f"({why}" in said
    assert said.endswith("); replace the file.")
    assert main(["adopt", "--check", str(tmp_path)]) == 2
    assert "replace the file." in capsys.readouterr().err


@pytest.mark.parametrize(
    ("inertial", "sentence"),
    [
        (
            '<mass value="1"/><inertia ixx="nan" iyy="1" izz="1"/>',
            "the inertia ixx of the link base is 'nan', which is no",
        ),
        (
            '<mass value="1"/><inertia ixx="1" iyy="1" izz="inf"/>',
            "the inertia izz of the link base is 'inf', which is no",
        ),
        (
            '<mass value="nan"/><inertia ixx="1" iyy="1" izz="1"/>',
            "the mass of the link base is 'nan', which is not a finite",
        ),
        (
            '<mass value="1"/><inertia ixx="1" iyy="-1" izz="1"/>',
            "iyy of the link base is '-1', which must not be negative",
        ),
    ],
)
def test_an_inertia_that_is_no_number_is_refused_with_file_link_and_what_to_do(tmp_path, inertial, sentence, capsys):
    with pytest.raises(BadTableError, match=sentence) as refused:
        shaped(tmp_path, f"<inertial>{inertial}</inertial>")
    assert str(refused.value).endswith("; correct it.")
    assert main(["adopt", "--check", str(tmp_path)]) == 2
    assert "mjMINVAL" not in capsys.readouterr().err


def test_a_mesh_of_that_name_elsewhere_is_not_taken(tmp_path):
    shape = '<collision><geometry><mesh filename="slab.dae"/></geometry></collision>'  # it is in the folder shapes
    with pytest.raises(BadTableError, match=r"slab\.dae of the link base cannot be read \(the file does not exist"):
        shaped(tmp_path, shape)


def test_a_pointer_in_the_place_of_a_mesh_is_not_drawn_and_never_touches(tmp_path):
    shape = '<{0}><geometry><mesh filename="shapes/absent.stl"/></geometry></{0}>'
    with pytest.raises(BadTableError, match=r"absent\.stl of the link base cannot be read \(it is a pointer"):
        shaped(tmp_path, shape.format("collision"))
    (tmp_path / "seen").mkdir()
    assert shaped(tmp_path / "seen", shape.format("visual")).model.nmesh == 0


def test_a_missing_description_is_said(tmp_path):
    (tmp_path / "robot.toml").write_text(TABLE.format(link="lower"), encoding="utf-8")
    with pytest.raises(BadTableError, match=r"small\.urdf does not exist"):
        load_robot(str(tmp_path))


@pytest.fixture(scope="module")
def talos():
    homes = [Path(entry) / "cmeel.prefix" / "share" / "example-robot-data" for entry in sys.path]
    home = next((home for home in homes if home.is_dir()), None)
    if home is None:
        pytest.skip("example-robot-data (pip install example-robot-data) is not installed")
    os.environ["EXAMPLE_ROBOT_DATA"] = str(home)
    return load_robot(str(TALOS)), home / "robots" / "talos_data" / "robots" / "talos_reduced.urdf"


def test_a_foreign_humanoid_is_read_as_pinocchio_reads_it(talos):
    robot, path = talos
    assert len(robot.joint_names) == 18
    assert_same_body(robot, path, 1.08, np.random.default_rng(2))


WAVE = {"duration_s": 2.5, "rate_hz": 50.0}


@pytest.fixture(scope="module")
def calm(talos):
    return strut.perform(talos[0], "wave", None, **WAVE)


@pytest.mark.parametrize("pad", [(0.75, 0.75, 0.75), (-0.75, 0.75, -0.75), (-0.40, -0.20, -0.50)])
def test_a_foreign_humanoid_waves_with_feeling(talos, calm, pad):
    robot, _ = talos
    motion = strut.perform(robot, "wave", Emotion(*pad), **WAVE)
    assert motion.receipt.task_error_mm < 1.0
    apart = frame_poses(robot, "right_hand", motion.qpos)[0] - frame_poses(robot, "right_hand", calm.qpos)[0]
    assert np.linalg.norm(apart, axis=1).max() < 1e-3
    assert motion.receipt.redundancy == 9
    assert motion.receipt.joint_limit_margin_rad >= 0.0
    assert np.abs(motion.qpos - calm.qpos).max() > 0.2  # and it shows
    assert strut.simulate(motion, robot).outcome.hand_error_mm < 5.0


def test_a_motion_finds_the_folder_of_its_robot(talos, tmp_path):
    from strut.cli.main import main  # noqa: PLC0415

    out = tmp_path / "wave.npz"
    assert (
        main(["perform", str(TALOS), "wave", "--emotion", "sad", "--duration", "2", "--rate", "50", "--out", str(out)])
        == 0
    )
    assert Path(robot_of(strut.load_motion(out)).name).resolve() == TALOS
    assert main(["check", str(out)]) == 0


def test_a_file_of_a_name_is_looked_for_beside_a_description_but_not_among_other_robots(tmp_path):
    for folder in ("mine/urdf", "mine/meshes", "other/urdf", "other/meshes", "lone"):
        (tmp_path / folder).mkdir(parents=True)
    for file in (
        "mine/urdf/a.urdf",
        "mine/meshes/foot.stl",
        "other/urdf/b.urdf",
        "other/meshes/hand.stl",
        "lone/c.urdf",
    ):
        (tmp_path / file).touch()
    described = tmp_path / "mine" / "urdf" / "a.urdf"
    assert mesh_path("foot.stl", described).parent.name == "meshes"
    for name, description in (("hand.stl", described), ("hand.stl", tmp_path / "lone" / "c.urdf")):
        with pytest.raises(FileNotFoundError):
            mesh_path(name, description)
    with pytest.raises(FileNotFoundError):
        mesh_path("foot.stl", described, anywhere=False)
