"""Cassie's body: our own description beside the public one, the closed-form leg, and what the ground can carry.

Figures are those of public descriptions and of scripts that read them; angles here in degrees, as people read them.
"""

import shutil
import sys
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.errors import BadFieldError, BadTableError, OutOfReachError
from strut.kinematics.two_bar_leg import two_bar_leg
from strut.models import catalogue
from strut.models.catalogue import load_robot
from strut.pilot.controllers.actuated_model import actuated_model
from strut.pilot.controllers.controller_dynamics import WholeBody
from strut.pilot.plant.torque_model import control_table, torque_model
from strut.reproduction.cassie import planted_stands
from strut.simulation.contact_forces import ForceDistribution

SIDES = ("left", "right")
JOINTS = ("abduction", "yaw", "pitch", "knee", "shin", "ankle", "foot")
LINKS = {  # of the public description → ours
    "hip-roll": "hip_roll",
    "hip-yaw": "hip_yaw",
    "hip-pitch": "thigh",
    "knee": "knee",
    "shin": "shin",
    "tarsus": "tarsus",
    "foot": "foot",
}
PUBLIC_ZERO_DEG = {"knee": -45.0, "ankle": 58.0}  # our angles when the public description is at zero


@pytest.fixture(scope="module")
def cassie():
    return load_robot("cassie")


@pytest.fixture(scope="module")
def model(cassie):
    return torque_model(cassie, friction=0.6, step_s=0.0005)


@pytest.fixture(scope="module")
def body(cassie, model):
    return actuated_model(model, control_table(cassie))


@pytest.fixture(scope="module")
def leg(model):
    down_forward = {name: complex(*model.body(f"left_{name}").pos[:2]) for name in ("knee", "shin", "tarsus", "foot")}
    return two_bar_leg(
        down_forward["knee"], down_forward["shin"] + down_forward["tarsus"], down_forward["foot"], np.radians(13.0)
    )


@pytest.fixture(scope="module")
def public():
    """Mass, centre, inertia and pose of each link of the public description, when its joints are at zero."""
    homes = [Path(entry) / "cmeel.prefix" / "share" / "example-robot-data" / "robots" for entry in sys.path]
    path = next((home / "cassie_description/robots/cassie_v2.sdf" for home in homes if home.is_dir()), None)
    if path is None:
        pytest.skip("example-robot-data (pip install example-robot-data) is not installed")
    links = {}
    for link in ElementTree.parse(path).getroot().iter("link"):
        pose = _numbers(link.find("pose").text)
        inertial = link.find("inertial")
        tensor = {entry.tag: float(entry.text) for entry in inertial.find("inertia")}
        turn = Rotation.from_euler("xyz", pose[3:]).as_matrix()
        x, y, z, xy, xz, yz = (tensor[key] for key in ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"))
        links[link.get("name")] = {
            "mass": float(inertial.find("mass").text),
            "place": pose[:3],
            "com": pose[:3] + turn @ _numbers(inertial.find("pose").text)[:3],
            "inertia": turn @ np.array([[x, xy, xz], [xy, y, yz], [xz, yz, z]]) @ turn.T,
        }
    return links


def _numbers(text):
    return np.array([float(word) for word in text.split()])


def posed(model, **angles_deg):
    """Return the simulation's data with both legs at angles; the springs at rest unless they are given."""
    data = mujoco.MjData(model)
    for side in SIDES:
        for joint in JOINTS:
            data.joint(f"{side}_{joint}").qpos = np.radians(angles_deg.get(joint, 0.0))
        if "ankle" not in angles_deg:
            data.joint(f"{side}_ankle").qpos = np.radians(13.0 - angles_deg["knee"])
    mujoco.mj_forward(model, data)
    return data


def test_it_has_twenty_degrees_of_freedom_ten_motors_and_their_limits(cassie, model):
    assert (model.nv, model.nu) == (20, 10)
    assert cassie.mass_kg == pytest.approx(32.94, abs=1e-6)
    assert model.body_mass.sum() == pytest.approx(32.94, abs=1e-6)
    limits = [112.5, 112.5, 195.2, 195.2, 45.0]
    np.testing.assert_allclose(model.actuator_gear[:, 0] * model.actuator_ctrlrange[:, 1], limits * 2)
    motors = [name for name in cassie.joint_names if not name.endswith(("shin", "ankle"))]
    np.testing.assert_allclose([cassie.torque_limit_nm[cassie.joint_names.index(name)] for name in motors], limits * 2)


def test_joints_are_where_the_public_description_has_them(model, public):
    data = posed(model, **PUBLIC_ZERO_DEG)
    base = data.body("pelvis").xpos - public["pelvis"]["place"]
    for side in SIDES:
        for theirs, ours in LINKS.items():
            place = data.body(f"{side}_{ours}").xpos - base
            np.testing.assert_allclose(place, public[f"{side}-{theirs}"]["place"], atol=2e-4, err_msg=ours)


def test_mass_centre_and_inertia_agree_with_the_public_description(model, public):
    data = posed(model, **PUBLIC_ZERO_DEG)
    origin = public["pelvis"]["place"]
    mass = sum(link["mass"] for link in public.values())
    com = sum(link["mass"] * link["com"] for link in public.values()) / mass - origin
    inertia = np.zeros((3, 3))
    for link in public.values():
        away = link["com"] - origin
        inertia += link["inertia"] + link["mass"] * (away @ away * np.eye(3) - np.outer(away, away))
    full = np.zeros((model.nv, model.nv))
    mujoco.mj_fullM(model, data, full)
    assert mass == pytest.approx(model.body_mass.sum(), abs=1e-6)
    np.testing.assert_allclose(data.subtree_com[1] - data.body("pelvis").xpos, com, atol=1e-3)  # rods are shared out
    np.testing.assert_allclose(full[3:6, 3:6], inertia, atol=0.01 * np.diag(inertia).max())


def test_the_right_leg_is_the_mirror_image_of_the_left(model):
    data = posed(model, pitch=40.0, knee=-100.0, foot=-100.0)
    for name in LINKS.values():
        left = data.body(f"left_{name}").xipos
        right = data.body(f"right_{name}").xipos
        np.testing.assert_allclose(left * (1.0, -1.0, 1.0), right, atol=1e-9)


def test_the_rod_keeps_knee_plus_ankle_at_thirteen_degrees(model):
    for knee in np.arange(-157.0, -36.9, 5.0):
        for off in (-0.01, 0.01):  # a hundredth of a degree away the rod is too long here and too short there
            data = posed(model, knee=knee, ankle=13.0 - knee + off)
            assert np.sign(data.ten_length[0] - model.tendon_lengthspring[0, 0]) == np.sign(off), knee


@pytest.mark.parametrize(
    ("knee", "length", "pitch"),
    [
        (-157.0, 0.22476, -64.481),
        (-120.0, 0.53082, -50.562),
        (-80.0, 0.80016, -31.948),
        (-37.0, 0.98165, -11.251),
    ],
)
def test_the_leg_in_closed_form_has_the_known_lengths_and_pitches(leg, knee, length, pitch):
    assert leg.length_m(np.radians(knee)) == pytest.approx(length, abs=1e-5)
    assert np.degrees(leg.pitch_rad(0.0, np.radians(knee))) == pytest.approx(pitch, abs=1e-3)


def test_the_closed_form_is_where_the_model_has_the_foot(model, leg):
    for hip, knee in ((30.0, -80.0), (52.0, -123.0), (-20.0, -60.0)):
        data = posed(model, pitch=hip, knee=knee)
        span = data.body("left_foot").xpos - data.body("left_thigh").xpos
        length = leg.length_m(np.radians(knee))
        pitch = leg.pitch_rad(np.radians(hip), np.radians(knee))
        np.testing.assert_allclose([span[0], -span[2]], length * np.array([np.sin(pitch), np.cos(pitch)]), atol=1e-6)


def test_leg_angles_come_back_from_length_and_pitch(leg):
    hip, knee = np.meshgrid(np.radians([-30.0, 0.0, 50.0]), np.radians([-157.0, -100.0, -37.0]))
    back = leg.angles_rad(leg.length_m(knee), leg.pitch_rad(hip, knee))
    np.testing.assert_allclose(back, (hip, knee), atol=1e-9)


def test_a_leg_that_is_too_long_is_refused(leg):
    with pytest.raises(OutOfReachError, match=r"span 1100\.0 mm"):
        leg.angles_rad(1.1, 0.0)


@pytest.mark.parametrize(("height", "knee"), [(0.65, -123.59), (0.80, -103.31), (0.90, -88.02), (1.00, -70.10)])
def test_every_height_has_its_knee_and_a_flat_foot(cassie, model, leg, height, knee):
    hip, bent = leg.angles_rad(height - 0.147, 0.0)
    assert np.degrees(bent) == pytest.approx(knee, abs=0.02)
    data = posed(model, pitch=np.degrees(hip), knee=np.degrees(bent), foot=-63.0 - np.degrees(hip))
    line_up = data.geom("left_foot_touch").xmat.reshape(3, 3)[2, 2]
    assert abs(line_up) * 0.16 < 1e-4  # toe and heel are level
    stand = planted_stands(cassie, np.array([(0.0, 0.0, height)])).qpos[0]
    np.testing.assert_allclose(stand[7:][2:4], (hip, bent), atol=2e-4)


def test_feet_miss_their_places_where_a_joint_is_at_its_stop(cassie):
    turned = Rotation.from_euler("z", [[0.3], [0.6]]).as_matrix()
    stands = planted_stands(cassie, np.tile((0.0, 0.0, 0.8), (2, 1)), turned)
    assert stands.foot_error[0].max() < 1e-4
    assert stands.foot_error[1].max() > 0.01


def carried(body, qpos, accelerations=None, *, feet=(0, 1)):
    """Return the wrench that feet miss [N, N m] and the motors' torques, at a posture with given accelerations."""
    dynamics: WholeBody = body.dynamics()
    dynamics.set_configuration(qpos)
    dynamics.set_velocity(np.zeros(body.model.nv))
    moved = np.zeros(16)
    if accelerations is not None:
        moved[:6] = accelerations
        moved[6:] = np.linalg.solve(dynamics.foot_rows[:, 6:], -dynamics.foot_rows[:, :6] @ moved[:6])
    needed = dynamics.mass @ moved + dynamics.bias
    ends = np.array([body.feet[foot].ends_m for foot in feet])
    line = dynamics.line[list(feet)]
    pivot = dynamics.pivot[list(feet)]
    places = (pivot[:, None] + ends[:, :, None] * line[:, None]).reshape(-1, 3)
    share = ForceDistribution(len(places), friction=0.6, moment_weight=10.0, regularisation=1e-4, min_force_n=0.0)
    forces = share.share(places, needed[:3], needed[3:6])
    missing = np.abs([*(needed[:3] - forces.sum(axis=0)), *(needed[3:6] - np.cross(places, forces).sum(axis=0))]).max()
    wrench = np.zeros(10)
    for index, foot in enumerate(feet):
        at = forces[2 * index : 2 * index + 2]
        wrench[5 * foot : 5 * foot + 3] = at.sum(axis=0)
        wrench[5 * foot + 3 : 5 * foot + 5] = (
            -ends[index] @ (at @ dynamics.normal[foot]),
            ends[index] @ (at @ dynamics.side[foot]),
        )
    return missing, needed[6:] - wrench @ dynamics.foot_rows[:, 6:]


@pytest.mark.parametrize(("height", "knee_nm"), [(0.65, 65.3), (0.80, 57.9), (0.90, 51.2), (1.00, 42.1)])
def test_a_quiet_stand_needs_the_known_torques(cassie, body, height, knee_nm):
    missing, torque = carried(body, planted_stands(cassie, np.array([(0.0, 0.0, height)])).qpos[0])
    assert missing < 1e-3
    for leg in (torque[:5], torque[5:]):
        assert leg[3] == pytest.approx(knee_nm, rel=0.05)
        assert leg[2] == pytest.approx(-5.5, abs=1.0)
        assert leg[4] == pytest.approx(-4.9, abs=1.0)
    assert (np.abs(torque) / body.torque_limit_nm).max() < 0.35


def test_one_foot_carries_only_with_the_mass_over_its_line(cassie, body):
    beside, _ = carried(body, planted_stands(cassie, np.array([(0.0, 0.0, 0.8)])).qpos[0], feet=(1,))
    assert beside > 30.0
    places = np.linspace(-0.19, -0.13, 61)
    stands = planted_stands(cassie, np.array([(0.0, y, 0.8) for y in places])).qpos
    over = [carried(body, qpos, feet=(1,))[0] for qpos in stands]
    assert min(over) < 0.5  # without ankle roll, a millimetre beside is some newton metres too much
    assert np.ptp(places[np.array(over) < 1.0]) < 0.01


def nodes_out_of_reach(cassie, body, scale, *, axis, size, duration):
    """Return at how many of 29 inner nodes of a minimum-jerk movement no contact force or torque is enough."""
    u = np.linspace(0.0, 1.0, 31)[1:-1]
    place = size * u**3 * (10.0 + u * (6.0 * u - 15.0))
    bend = size * (60.0 * u - 180.0 * u**2 + 120.0 * u**3) / (scale * duration) ** 2
    values = np.zeros((len(u), 6))
    accelerations = np.zeros((len(u), 6))
    values[:, axis] = place - size / 2.0
    accelerations[:, axis] = bend
    turned = Rotation.from_euler("xyz", values[:, 3:]).as_matrix()
    stands = planted_stands(cassie, values[:, :3] + (0.0, 0.0, 0.8), turned).qpos
    count = 0
    for qpos, moved in zip(stands, accelerations, strict=True):
        missing, torque = carried(body, qpos, moved)
        count += missing > 1.0 or (np.abs(torque) > body.torque_limit_nm).any()
    return count


def test_a_quick_sidestep_of_the_base_needs_twice_the_time_and_a_turn_does_not(cassie, body):
    sideways = {"axis": 1, "size": 0.10, "duration": 0.5}
    turn = {"axis": 5, "size": np.radians(40.0), "duration": 0.8}
    assert nodes_out_of_reach(cassie, body, 1.0, **sideways) > 6
    assert nodes_out_of_reach(cassie, body, 2.0, **sideways) == 0
    assert nodes_out_of_reach(cassie, body, 0.5, **turn) == 0


def test_a_robot_without_a_control_table_is_refused():
    with pytest.raises(BadTableError, match=r"alice has no control\.toml"):
        control_table(load_robot("alice"))


def test_a_mistyped_gain_is_refused_with_its_line(tmp_path, cassie):
    folder = shutil.copytree(catalogue.HOME / "cassie", tmp_path / "cassie")
    text = (folder / "control.toml").read_text("utf-8")
    (folder / "control.toml").write_text(text.replace("step_s = 0.35", 'step_s = "fast"'), "utf-8")
    with pytest.raises(BadFieldError, match=r"control\.toml, line \d+, walking\.step_s"):
        load_robot(str(folder))
    (folder / "control.toml").write_text(text.replace('"left_yaw",', '"left_twist",'), "utf-8")
    robot = load_robot(str(folder.rename(tmp_path / "other")))
    with pytest.raises(BadTableError, match="no joint left_twist"):
        actuated_model(torque_model(robot, friction=0.6, step_s=0.001), control_table(robot))
    assert cassie.tables.control.walking.step_s == 0.35
