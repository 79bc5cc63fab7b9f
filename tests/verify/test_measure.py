"""The audit against statics, kinematics and energy that are computed here by other means."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy.spatial.transform import Rotation

from strut import Place, check, load_robot, perform, simulate, walk
from strut.draft import Draft
from strut.emotion import named_emotion
from strut.engines.inverse_dynamics import inverse_dynamics
from strut.engines.rigid_body import foot_positions
from strut.errors import BadMotionError
from strut.kinematics.leg7r import leg_forward
from strut.kinematics.mounted_leg import mounted_legs
from strut.maths.easing import smooth_step
from strut.verify.check import draft_of
from strut.verify.limits import UpperBound, limits_for, violations_of
from strut.verify.measure import audit, measure
from strut.verify.receipt_builder import cost_of_transport, planned_receipt, receipt_for
from tests.thesis import dh_chain

GRAVITY_M_S2 = 9.81
RATE_HZ = 100.0


def standing(qpos, samples=20):
    return np.arange(samples) / RATE_HZ, np.tile(qpos, (samples, 1)), np.ones((samples, 4), dtype=bool)


@pytest.fixture(scope="module")
def stand(mrpete, happy_walk):
    """Mr. Pete standing still in neutral on all feet."""
    return audit(mrpete, *standing(happy_walk.qpos[0]))


def leg_potential(robot, mounted, joints, up_in_body):
    """Return the potential energy of one leg's rods, from its Denavit-Hartenberg rows and the masses in its table."""
    frames = [np.eye(4), *dh_chain(joints, mounted.leg.thigh_m, mounted.leg.shin_m)]
    energy = 0.0
    for index, link in enumerate(robot.tables.robot.limb["leg"].links):
        turned = Rotation.from_rotvec([0.0, 0.0, joints[index]]).apply(np.array(link.rod.to_m) / 2.0)
        place = frames[index][:3, :3] @ turned + frames[index][:3, 3]
        energy += link.mass_kg * GRAVITY_M_S2 * up_in_body @ (mounted.hip_to_body @ place + mounted.hip_in_body)
    return energy


def static_torques(robot, qpos, forces):
    """Return dV/dq - J'f for every joint by central differences of closed-form legs. Shape (28,)."""
    body = Rotation.from_quat(qpos[3:7], scalar_first=True).as_matrix()
    torque = np.zeros(28)
    step = 1e-6
    for index, mounted in enumerate(mounted_legs(robot)):
        joints = qpos[7 + 7 * index : 14 + 7 * index]
        ankle, foot_to_hip, _ = leg_forward(mounted.leg, joints)
        centre = ankle - foot_to_hip @ mounted.ankle_in_foot
        down_in_hip = mounted.hip_to_body.T @ body.T @ [0.0, 0.0, -robot.feet[index].radius_m]
        touch_in_foot = foot_to_hip.T @ (centre + down_in_hip - ankle)  # the point of the foot that touches the ground
        force_in_hip = mounted.hip_to_body.T @ body.T @ forces[index]

        def work(angles, mounted=mounted, touch=touch_in_foot, force=force_in_hip):
            at, turn, _ = leg_forward(mounted.leg, angles)
            return leg_potential(robot, mounted, angles, body.T @ [0.0, 0.0, 1.0]) - force @ (at + turn @ touch)

        for joint in range(7):
            change = step * np.eye(7)[joint]
            torque[7 * index + joint] = (work(joints + change) - work(joints - change)) / (2.0 * step)
    return torque


def test_torques_of_a_standing_robot_are_those_of_statics(mrpete, stand):
    torque = static_torques(mrpete, stand.qpos[5], stand.ground_force_n[5])
    assert_allclose(stand.torque_nm[5], torque, atol=1e-6)
    assert np.abs(torque).max() > 1.0


def test_torques_on_three_feet_in_a_happy_pose_are_those_of_statics(mrpete, happy_walk):
    sample = int(np.flatnonzero(happy_walk.contact.sum(axis=1) == 3)[150])
    time_s, qpos, _ = standing(happy_walk.qpos[sample])
    measured = audit(mrpete, time_s, qpos, np.tile(happy_walk.contact[sample], (20, 1)))
    torque = static_torques(mrpete, qpos[3], measured.ground_force_n[3])
    assert_allclose(measured.torque_nm[3], torque, atol=1e-6)


def test_a_standing_robot_carries_its_weight_over_its_centre_of_mass(mrpete, stand):
    weight_n = 7.0 * GRAVITY_M_S2
    assert_allclose(stand.ground_force_n.sum(axis=1), np.tile([0.0, 0.0, weight_n], (20, 1)), atol=1e-9)
    feet = foot_positions(mrpete, stand.qpos)
    share = stand.ground_force_n[..., 2] / weight_n
    assert_allclose(np.einsum("tn,tni->ti", share, feet[..., :2]), stand.cop_in_world, atol=1e-9)
    assert_allclose(stand.joint_speed_rad_s, np.zeros((20, 28)), atol=0)
    assert_allclose(stand.slip_m, np.zeros((20, 4)), atol=0)
    assert stand.penetration_m < 1e-9
    assert stand.distance_m == 0.0


def test_knee_torque_is_near_the_published_estimate(mrpete, neutral_walk):
    """A third of the weight on a foot asks 4.3 N m of a neutral front knee; how feet share shifts it a little."""
    knees = [mrpete.joint_names.index(f"{leg}_knee") for leg in mrpete.foot_names]
    largest = np.abs(neutral_walk.torque_nm[:, knees]).max()
    assert 3.0 < largest < 7.0


def test_a_robot_that_is_pushed_along_slips_as_far(mrpete, happy_walk):
    time_s, qpos, contact = standing(happy_walk.qpos[0], 50)
    qpos = qpos.copy()
    qpos[:, 0] += 0.03 * smooth_step(np.linspace(0.0, 1.0, 50))
    qpos[:, 1] += 0.04 * smooth_step(np.linspace(0.0, 1.0, 50))
    measured = audit(mrpete, time_s, qpos, contact)
    assert_allclose(measured.slip_m[-1], np.full(4, 0.05), atol=1e-12)
    assert measured.distance_m == pytest.approx(0.05)
    contact[:, 0] = False  # which the ground does not notice
    assert_allclose(audit(mrpete, time_s, qpos, contact).slip_m[-1], np.full(4, 0.05), atol=1e-12)


def test_slip_counts_from_the_last_landing_and_not_from_the_last_flag(mrpete, happy_walk):
    time_s, qpos, contact = standing(happy_walk.qpos[0], 40)
    qpos = qpos.copy()
    qpos[:, 0] += np.linspace(0.0, 0.039, 40)
    contact[10:20, 0] = False
    assert_allclose(audit(mrpete, time_s, qpos, contact).slip_m[:, 0], np.linspace(0.0, 0.039, 40), atol=1e-12)
    qpos[10:20, 2] += 0.02
    slip = audit(mrpete, time_s, qpos, contact).slip_m
    assert_allclose(slip[9], 0.009, atol=1e-12)
    assert_array_equal(slip[10:21], np.zeros((11, 4)))
    assert_allclose(slip[39], 0.019, atol=1e-12)


def test_a_sunken_robot_penetrates_by_as_much(mrpete, happy_walk):
    time_s, qpos, contact = standing(happy_walk.qpos[0] - np.concatenate([[0, 0, 0.003], np.zeros(32)]))
    assert audit(mrpete, time_s, qpos, contact).penetration_m == pytest.approx(0.003, abs=1e-9)


def test_joint_room_and_speed_are_plain_differences(mrpete, happy_walk):
    measured = audit(mrpete, happy_walk.time_s, happy_walk.qpos, happy_walk.contact)
    angles = happy_walk.joint_angles_rad
    room = np.minimum(angles - mrpete.joint_lower_rad, mrpete.joint_upper_rad - angles)
    assert_allclose(measured.joint_limit_margin_rad, room, atol=0)
    speed = np.gradient(angles, happy_walk.time_s, axis=0)
    assert_allclose(measured.joint_speed_rad_s[1:-1], speed[1:-1], atol=1e-9)


def test_work_of_the_joints_over_a_whole_walk_is_nothing(mrpete):
    """It starts and ends standing at one height and its feet do not slip: what motors give, motors take back."""
    motion = walk("mrpete", "angry", cycles=2)
    measured = audit(mrpete, motion.time_s, motion.qpos, motion.contact)
    power_w = (measured.torque_nm * measured.joint_speed_rad_s).sum(axis=1)
    net_j = np.trapezoid(power_w, motion.time_s)
    work_j = np.trapezoid(np.abs(measured.torque_nm * measured.joint_speed_rad_s).sum(axis=1), motion.time_s)
    assert abs(net_j) < 0.01 * work_j
    cost = work_j / (7.0 * GRAVITY_M_S2 * measured.distance_m)
    assert cost_of_transport(mrpete, measured) == pytest.approx(cost, rel=1e-12)


def test_energy_that_joints_give_is_the_energy_that_the_robot_has(mrpete):
    """Half way up a rise of the body, the work done so far is weight times height plus motion."""
    motion = walk("mrpete", "happy", cycles=2)
    measured = audit(mrpete, motion.time_s, motion.qpos, motion.contact)
    power_w = (measured.torque_nm * measured.joint_speed_rad_s).sum(axis=1)
    work_j = np.concatenate([[0.0], np.cumsum((power_w[1:] + power_w[:-1]) / 2.0)]) / RATE_HZ
    height_m = inverse_dynamics(mrpete, motion.time_s, motion.qpos).com_in_world[:, 2]
    potential_j = 7.0 * GRAVITY_M_S2 * (height_m - height_m[0])
    assert np.ptp(potential_j) > 1.0
    assert_allclose(work_j, potential_j, atol=0.06 * np.ptp(potential_j))  # the rest is motion, which is slow


# limits in words


def broken(mrpete, measured, **limits):
    draft = Draft(mrpete, measured.time_s, measured.qpos, measured.contact, None, needs=measured)
    return {s.limit: s for s in violations_of(draft, limits_for(mrpete, **({"margin_m": 0.0} | limits)))}


def test_a_standing_robot_breaks_nothing(mrpete, stand):
    assert broken(mrpete, stand) == {}


def test_each_limit_is_named_with_joint_value_and_time(mrpete, stand):
    room = stand.joint_limit_margin_rad.copy()
    speed = stand.joint_speed_rad_s.copy()
    torque = stand.torque_nm.copy()
    room[7, 3] = -0.25
    speed[8, 4] = -4.7 * 1.5
    torque[9, 5] = 8.4 * 1.2
    found = broken(mrpete, replace(stand, joint_limit_margin_rad=room, joint_speed_rad_s=speed, torque_nm=torque))
    assert str(found["joint limit"].reason) == "joint limit: LF_knee is 0.25 rad beyond its range at 0.07 s"
    assert str(found["joint speed"].reason) == "joint speed: LF_shin_spin reaches 150 % of its speed limit at 0.08 s"
    assert str(found["torque"].reason) == "torque: LF_ankle_pitch reaches 120 % of its torque limit at 0.09 s"
    assert_array_equal(np.flatnonzero(found["torque"].broken), [9])


def test_clearance_and_margin_are_named_in_millimetres(mrpete, stand):
    clearance = stand.clearance_m.copy()
    margin = stand.margin_m.copy()
    clearance[3, stand.part_names.index("RH_knee")] = 0.0021
    margin[4] = 0.0123
    found = broken(mrpete, replace(stand, clearance_m=clearance, margin_m=margin), margin_m=0.02)
    assert str(found["ground clearance"].reason) == (
        "ground clearance: RH_knee falls 2.9 mm short of the 5 mm it must clear the ground by at 0.03 s"
    )
    assert str(found["balance margin"].reason) == (
        "balance margin: the centre of pressure falls 7.7 mm short of the 20 mm it must be inside the feet at 0.04 s"
    )


@pytest.mark.parametrize(("margin_m", "lacking_mm"), [(0.0, 12.3), (0.01, 22.3)])
def test_a_centre_of_pressure_outside_the_feet_falls_that_much_shorter(mrpete, stand, margin_m, lacking_mm):
    margin = np.full_like(stand.margin_m, -0.0123)
    found = broken(mrpete, replace(stand, margin_m=margin), margin_m=margin_m)
    assert f"falls {lacking_mm} mm short of the {margin_m * 1e3:.0f} mm" in str(found["balance margin"].reason)


def test_feet_must_lift_and_the_floor_must_hold_them(mrpete, stand):
    contact = stand.contact.copy()
    height = stand.foot_height_m.copy()
    contact[3:16, 1] = False
    height[3:16, 1] = 0.004
    found = broken(mrpete, replace(stand, contact=contact, foot_height_m=height))
    assert str(found["swing height"].reason).startswith(
        "swing height: LH falls 1.0 mm short of the 5 mm it must lift at "
    )
    force = stand.ground_force_n.copy()
    force[4, 2, 0] = 0.6 * force[4, 2, 2]
    found = broken(mrpete, replace(stand, ground_force_n=force))
    assert str(found["friction"].reason) == "friction: RF needs a friction of 0.60 at 0.04 s"


# receipts


def test_receipt_holds_the_extremes_of_the_audit(mrpete, happy_walk):
    measured = audit(mrpete, happy_walk.time_s, happy_walk.qpos, happy_walk.contact)
    draft = Draft(mrpete, measured.time_s, measured.qpos, measured.contact, None, needs=measured)
    receipt = receipt_for(draft, emotion=None, asked=None, kept=None, verdict="ok", reasons=())
    assert receipt.balance_margin_mm == pytest.approx(1e3 * measured.margin_m.min())
    assert receipt.joint_limit_margin_rad == measured.joint_limit_margin_rad.min()
    assert receipt.joint_speed_use == pytest.approx(np.abs(measured.joint_speed_rad_s).max() / 4.7)
    assert receipt.torque_use == pytest.approx(np.abs(measured.torque_nm).max() / 8.4)
    assert receipt.speed_m_s == pytest.approx(receipt.distance_m / happy_walk.duration_s)
    assert (receipt.emotion, receipt.pad, receipt.intensity_asked) == (None, None, None)


@pytest.mark.parametrize(("asked", "shown"), [(0.05, 0.5), (1.0, 0.025), (0.0, None)])
def test_the_expressed_share_is_reported_at_any_requested_intensity(mrpete, stand, asked, shown):
    words = {"tempo": 1.0, "sway": 0.0}
    draft = Draft(mrpete, stand.time_s, stand.qpos, stand.contact, None, expressed=words, needs=stand)
    receipt = planned_receipt(
        draft, emotion=named_emotion("happy"), asked=asked, intensity=min(asked, 0.05), binding_limits=()
    )
    assert receipt.expressed_share == (None if shown is None else pytest.approx(shown))


def test_a_limit_of_landings_has_a_name_and_one_word_for_each_column(heiman):
    limits = [one for one in limits_for(heiman, margin_m=0.0) if isinstance(one, UpperBound)]
    assert {one.name for one in limits} >= {"foot contact", "foot slip", "friction", "landing", "equation of motion"}
    assert all(one.subjects is None or not isinstance(one.subjects, str) for one in limits)
    assert next(one.subjects for one in limits if one.name == "foot slip") == heiman.foot_names


def test_penetration_of_a_recorded_run_is_reported_in_millimetres():
    limits = [
        one for one in limits_for(load_robot("cassie"), margin_m=0.0, limit_set="plant") if isinstance(one, UpperBound)
    ]
    clearance = next(one for one in limits if one.name == "ground clearance")
    depth_mm = clearance.value(SimpleNamespace(clearance_m=np.array([[0.002, -0.003]])))
    assert_allclose(depth_mm, [[-2.0, 3.0]])
    assert clearance.max == 0.0


def test_standing_has_no_cost_of_transport(mrpete, stand):
    assert cost_of_transport(mrpete, stand) is None


def test_check_believes_nothing_that_a_file_says(happy_walk):
    honest = check(happy_walk)
    assert honest.verdict == "ok"
    assert check(replace(happy_walk, torque_nm=None, balance_margin_m=None)) == honest
    lying = check(replace(happy_walk, balance_margin_m=np.full(len(happy_walk.time_s), 9.0)))
    assert lying.verdict == "refused"
    assert lying.balance_margin_mm == honest.balance_margin_mm


@pytest.mark.parametrize("robot", ["mrpete", "alice", "pepper"])
def test_torques_and_forces_that_are_not_those_of_the_movement_are_called_so(robot, happy_walk):
    """On every robot: without such columns all is well, with noise or zeros in them it is not."""
    plans = {
        "mrpete": lambda: happy_walk,
        "alice": lambda: walk("alice", goal=Place(0.08, 0.0)),
        "pepper": lambda: perform("pepper", "wave", "happy", duration_s=2.0, rate_hz=50.0),
    }
    motion = plans[robot]()
    assert check(motion).verdict == "ok"
    assert check(replace(motion, torque_nm=None, ground_force_n=None)).verdict == "ok"
    noise = np.random.default_rng(0).normal(scale=np.abs(motion.torque_nm).mean(), size=motion.torque_nm.shape)
    for torque_nm in (noise, 0.0 * noise, 1.1 * motion.torque_nm, motion.torque_nm + 0.2 * noise):
        refused = check(replace(motion, torque_nm=torque_nm))
        assert [str(reason).split(" are ")[0] for reason in refused.reasons] == ["file: torques in the file"]
    if motion.ground_force_n is not None:
        refused = check(replace(motion, ground_force_n=1.1 * motion.ground_force_n))
        assert [str(reason) for reason in refused.reasons] == [
            "file: ground forces in the file are 10 % of the weight off what the movement needs"
        ]


def test_another_way_to_share_the_load_is_no_lie(happy_walk, mrpete):
    """Feet that push against each other change torques and move nothing."""
    dynamics = inverse_dynamics(mrpete, happy_walk.time_s, happy_walk.qpos)
    squeeze = np.zeros((len(happy_walk.time_s), 4, 3))
    four = happy_walk.contact.all(axis=1)
    apart = dynamics.point_in_world[:, 0] - dynamics.point_in_world[:, 3]
    squeeze[four, 0] = 20.0 * apart[four]
    squeeze[four, 3] = -20.0 * apart[four]
    torque_nm = happy_walk.torque_nm - np.einsum("tnij,tni->tj", dynamics.contact_jacobian, squeeze)
    assert np.abs(torque_nm - happy_walk.torque_nm).max() > 0.5
    assert check(replace(happy_walk, torque_nm=torque_nm)).verdict == "ok"


@pytest.mark.parametrize("tilt_deg", [8.0, 15.0])
def test_a_sole_that_stands_on_its_edge_is_refused(tilt_deg):
    motion = walk("alice", goal=Place(0.08, 0.0))
    qpos = motion.qpos.copy()
    part = slice(len(qpos) // 3, len(qpos) // 2)
    qpos[part, 7 + motion.joint_names.index("R_ankle_roll")] += np.radians(tilt_deg)
    refused = check(replace(motion, qpos=qpos, torque_nm=None, ground_force_n=None))
    assert any(str(reason).startswith("foot contact: R is ") for reason in refused.reasons)


def test_check_refuses_a_motion_that_breaks_a_limit(happy_walk):
    refused = check(happy_walk, margin_m=0.05)
    assert refused.verdict == "refused"
    assert str(refused.reasons[0]).startswith("balance margin: ")


@pytest.mark.parametrize(
    "move",
    [
        lambda m: {"qpos": m.qpos - np.eye(35)[2] * 0.02},
        lambda m: {"qpos": m.qpos + np.eye(35)[2] * 0.05},
        lambda m: {"qpos": m.qpos + np.eye(35)[1] * 0.02 * np.sin(m.time_s / 3.0)[:, None]},
        lambda m: {"contact": np.ones_like(m.contact)},
    ],
    ids=["sunk 20 mm", "floating 50 mm", "sliding 19 mm", "feet in the air said to carry"],
)
def test_check_refuses_feet_that_sink_float_slide_or_carry_in_the_air(neutral_walk, move):
    assert check(neutral_walk).verdict == "ok"
    assert check(replace(neutral_walk, **move(neutral_walk))).verdict == "refused"


@pytest.mark.parametrize("options", [None, {"margin_m": None}, {}, "xy"])
def test_check_copes_with_options_that_say_nothing_of_a_margin(neutral_walk, options):
    """Files come from anywhere; what the description lacks counts as unknown."""
    assert check(replace(neutral_walk, meta={**neutral_walk.meta, "options": options})).verdict == "ok"


def test_check_takes_the_margin_that_the_motion_was_planned_with(happy_walk):
    demanding = replace(happy_walk, meta={**happy_walk.meta, "options": {"margin_m": 0.05}})
    assert check(demanding).verdict == "refused"
    assert check(demanding, margin_m=0.0).verdict == "ok"


def test_check_refuses_uneven_samples(happy_walk):
    time_s = happy_walk.time_s.copy()
    time_s[10:] += 0.005
    with pytest.raises(BadMotionError) as caught:
        check(replace(happy_walk, time_s=time_s))
    assert str(caught.value) == "The samples of the motion are not evenly spaced in time; resample it first."


def test_torques_that_a_physics_engine_gave_agree_with_the_movement_that_came_of_them():
    """Another way to the same numbers: servos in simulation, and inverse dynamics of what they did."""
    happened = simulate(perform("pepper", "wave", "happy", duration_s=2.0, rate_hz=50.0)).motion
    found = measure(draft_of(happened, load_robot("pepper"))).measured
    assert 0.0 < found.torque_disagreement < 0.04
    assert check(happened).verdict == "ok"
