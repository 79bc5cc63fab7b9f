"""Contacts are measured, not believed: bodies that glide, pivot or stand against their flags are refused, and named.

The oracle is MuJoCo: `mj_forward` says where the points of the feet are, and a simulation what the body would do.
"""

from dataclasses import replace
from functools import cache

import mujoco
import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy.spatial.transform import Rotation

from strut import check, load_robot, simulate, walk
from strut.audit import FOOT_OFF_GROUND_M, MAX_SLIP_M
from strut.engines.contact_slip import MIN_STEP_M, MIN_STEP_S, ON_GROUND_M
from strut.maths.easing import smooth_step
from strut.motion import Motion
from strut.place import Place
from strut.verify.measure import audit

RATE_HZ = 100.0
ALICE = load_robot("alice")
PETE = load_robot("mrpete")
WAY_M = 4.0


@cache
def alice_walk():
    return walk("alice", "neutral", goal=Place(0.1, 0.0, 0.0))


def single_support():
    """Return the configuration of Alice in the middle of a step, and the index of the foot that stands."""
    motion = alice_walk()
    highest_m = points_in_world(ALICE, motion.qpos)[..., 2].max(axis=1)
    sample = int(np.argmax(highest_m))
    return motion.qpos[sample], int(np.argmax(motion.contact[sample]))


def points_in_world(robot, qpos):
    """Return the lowest points of the balls or corners of all feet, by `mj_forward`. Shape (T, n_points, 3)."""
    data = mujoco.MjData(robot.model)
    points = [point for foot in robot.feet for point in foot.points]
    found = []
    for sample in qpos:
        data.qpos[:] = sample
        mujoco.mj_forward(robot.model, data)
        bodies = [data.body(point.body) for point in points]
        found.append(
            [
                body.xpos + body.xmat.reshape(3, 3) @ np.array(point.position_m) - [0.0, 0.0, point.radius_m]
                for point, body in zip(points, bodies, strict=True)
            ]
        )
    return np.array(found)


def of_foot(robot, foot):
    """Return which points are of a foot."""
    return [number for number, owner in enumerate(robot.point_feet) if owner == foot]


def motion_of(robot, qpos, contact):
    time_s = np.arange(len(qpos)) / RATE_HZ
    meta = {"robot_fingerprint": robot.fingerprint}
    return Motion(robot.name, time_s, qpos, robot.joint_names, contact, robot.foot_names, meta=meta)


def gliding(qpos, samples=1000):
    """Return a frozen body that glides ahead, and its flags, all set."""
    glide = np.tile(qpos, (samples, 1))
    glide[:, 0] += WAY_M * smooth_step(np.linspace(0.0, 1.0, samples))
    return glide, np.ones((samples, 4), dtype=bool)


def turned_about(qpos, centre_m, angle_rad):
    """Return a frozen body that turns about a vertical axis. Shapes (nq,), (2,), (T,) in, (T, nq) out."""
    turned = np.tile(qpos, (len(angle_rad), 1))
    yaw = Rotation.from_euler("z", angle_rad[:, None])
    turned[:, :2] = centre_m + yaw.apply([*(qpos[:2] - centre_m), 0.0])[:, :2]
    turned[:, 3:7] = (yaw * Rotation.from_quat(qpos[3:7], scalar_first=True)).as_quat(scalar_first=True)
    return turned


def pivoting(degrees, samples=300):
    """Return Alice on one foot, frozen, who turns about the middle of its sole, her flags, and that foot."""
    qpos, foot = single_support()
    centre_m = points_in_world(ALICE, qpos[None])[0, of_foot(ALICE, foot), :2].mean(axis=0)
    contact = np.zeros((samples, 2), dtype=bool)
    contact[:, foot] = True
    angle_rad = np.radians(degrees) * smooth_step(np.linspace(0.0, 1.0, samples))
    return turned_about(qpos, centre_m, angle_rad), contact, foot


def reasons(motion, robot):
    receipt = check(motion, robot)
    assert receipt.verdict == "refused"
    return [str(reason) for reason in receipt.reasons]


def alternating(contact, period):
    """Return flags of which one diagonal pair after the other is off, for some samples each."""
    flags = contact.copy()
    first = np.arange(len(flags)) // period % 2 == 0
    flags[np.ix_(first, [0, 3])] = False
    flags[np.ix_(~first, [1, 2])] = False
    return flags


@pytest.mark.parametrize("period", [1, 7, 50])
@pytest.mark.parametrize("height_m", [0.0, 0.9 * FOOT_OFF_GROUND_M])
def test_a_statue_that_glides_slides_whatever_its_flags_say(neutral_walk, period, height_m):
    qpos, contact = gliding(neutral_walk.qpos[0])
    qpos[:, 2] += height_m
    moved_m = np.linalg.norm(
        (points_in_world(PETE, qpos[[0, -1]])[1] - points_in_world(PETE, qpos[:1])[0])[:, :2], axis=1
    )
    assert_allclose(moved_m, WAY_M)
    receipt = check(motion_of(PETE, qpos, alternating(contact, period)), PETE)
    assert receipt.verdict == "refused"
    assert receipt.foot_slip_mm == pytest.approx(1e3 * WAY_M, rel=0.01)
    assert any("foot slip" in str(reason) for reason in receipt.reasons)


def test_a_statue_whose_flags_are_all_off_slides_all_the_same(neutral_walk):
    qpos, contact = gliding(neutral_walk.qpos[0])
    said = reasons(motion_of(PETE, qpos, ~contact), PETE)
    assert any(text.startswith("foot slip") and "slides 4000.0 mm" in text for text in said)
    assert not any("no foot is on the ground" in text for text in said)


def test_a_statue_does_not_glide_in_physics(neutral_walk):
    """Its servos hold still, and nothing else moves it."""
    qpos, contact = gliding(neutral_walk.qpos[0], samples=200)
    outcome = simulate(motion_of(PETE, qpos, alternating(contact, 1)), PETE).outcome
    assert outcome.commanded_distance_m == pytest.approx(WAY_M)
    assert abs(outcome.distance_m) < 0.01


@pytest.mark.parametrize("tremor_m", [0.0012, 0.9 * MIN_STEP_M])
def test_feet_that_tremble_do_not_step(neutral_walk, tremor_m):
    """They leave the ground now and then, but never as high as a step."""
    qpos, contact = gliding(neutral_walk.qpos[0])
    qpos[:, 2] += tremor_m * (np.arange(len(qpos)) // 10 % 2)
    found = audit(PETE, np.arange(len(qpos)) / RATE_HZ, qpos, alternating(contact, 10))
    assert found.slip_m.max() > 0.9 * WAY_M


@pytest.mark.parametrize(("off_s", "steps"), [(MIN_STEP_S - 0.01, False), (MIN_STEP_S, True)])
@pytest.mark.parametrize(("rise_m", "is_high"), [(0.99 * MIN_STEP_M, False), (1.01 * MIN_STEP_M, True)])
def test_a_stance_ends_with_a_step_that_is_as_long_and_as_high_as_feet_need(
    neutral_walk, off_s, steps, rise_m, is_high
):
    qpos = np.tile(neutral_walk.qpos[0], (40, 1))
    in_air = slice(20, 20 + round(off_s * RATE_HZ))
    qpos[in_air, 2] += rise_m
    qpos[20:, 0] += 0.1
    found = audit(PETE, np.arange(40) / RATE_HZ, qpos, np.ones((40, 4), dtype=bool))
    assert_allclose(found.slip_m[-1], 0.0 if steps and is_high else 0.1, atol=1e-12)


@pytest.mark.parametrize("degrees", [20.0, 40.0])
def test_a_sole_that_pivots_under_load_slides_as_far_as_its_corners(degrees):
    qpos, contact, foot = pivoting(degrees)
    corners = points_in_world(ALICE, qpos)[:, of_foot(ALICE, foot)]
    assert np.abs(corners[..., 2]).max() < 1e-3
    moved_mm = 1e3 * np.linalg.norm((corners - corners[0])[..., :2], axis=-1).max()
    assert moved_mm > 20.0
    motion = motion_of(ALICE, qpos, contact)
    assert check(motion, ALICE).foot_slip_mm == pytest.approx(moved_mm, abs=0.01)
    assert reasons(motion, ALICE) == [f"foot slip: {ALICE.foot_names[foot]} slides {moved_mm:.1f} mm at 2.99 s"]


def test_alice_does_not_turn_in_physics_while_her_joints_hold_still():
    qpos, contact, _ = pivoting(40.0)
    outcome = simulate(motion_of(ALICE, qpos, contact), ALICE).outcome
    assert outcome.fell or outcome.heading_drift_rad < np.radians(-35.0)


def test_a_ball_may_spin_on_the_spot(neutral_walk):
    """Mr. Pete turns about one of his feet: it spins, and the others slide around it."""
    qpos = neutral_walk.qpos[0]
    feet_m = points_in_world(PETE, qpos[None])[0, :, :2]
    turned = turned_about(qpos, feet_m[1], np.radians(20.0) * np.linspace(0.0, 1.0, 50))
    slip_m = audit(PETE, np.arange(50) / RATE_HZ, turned, np.ones((50, 4), dtype=bool)).slip_m[-1]
    chord_m = 2.0 * np.sin(np.radians(10.0)) * np.linalg.norm(feet_m - feet_m[1], axis=1)
    assert_allclose(slip_m, chord_m, atol=1e-6)
    assert slip_m[1] < 1e-9


def test_a_sole_may_roll_over_its_front_edge():
    """Its toes stay; its heel rises, and what moves in the air does not slide."""
    qpos, foot = single_support()
    corners = points_in_world(ALICE, qpos[None])[0, of_foot(ALICE, foot)]
    toes = corners[corners[:, 0] > corners[:, 0].mean()].mean(axis=0)
    pitch_rad = np.radians(25.0) * smooth_step(np.linspace(0.0, 1.0, 100))
    tilt = Rotation.from_euler("y", pitch_rad[:, None])
    rolled = np.tile(qpos, (100, 1))
    rolled[:, :3] = toes + tilt.apply(qpos[:3] - toes)
    rolled[:, 3:7] = (tilt * Rotation.from_quat(qpos[3:7], scalar_first=True)).as_quat(scalar_first=True)
    moved_m = np.linalg.norm((points_in_world(ALICE, rolled) - points_in_world(ALICE, qpos[None]))[..., :2], axis=-1)
    assert moved_m[:, of_foot(ALICE, foot)].max() > MAX_SLIP_M
    found = audit(ALICE, np.arange(100) / RATE_HZ, rolled, np.zeros((100, 2), dtype=bool))
    assert found.slip_m[:, foot].max() < 1e-4


@pytest.mark.parametrize("name", ["mrpete", "alice"])
def test_a_moon_walk_is_refused_for_feet_in_the_air_and_for_feet_that_stand(neutral_walk, name):
    """Flags of swing and stance are swapped."""
    motion, robot = (neutral_walk, PETE) if name == "mrpete" else (alice_walk(), ALICE)
    assert check(motion, robot).verdict == "ok"
    said = reasons(replace(motion, contact=~motion.contact), robot)
    assert any(text.startswith("foot contact") and "from the ground it should stand on" in text for text in said)
    assert any(text.startswith("foot contact") and "flagged as in the air" in text for text in said)
    heights_m = points_in_world(robot, motion.qpos[:1])[0, :, 2]
    assert (np.abs(heights_m) < ON_GROUND_M).all()  # so all feet stand at first, as the sentence says
    feet = ", ".join(robot.foot_names[:-1]) + f" and {robot.foot_names[-1]}"
    assert any(f"{feet} stand still on the ground at 0.00 s" in text for text in said)


def test_a_foot_that_must_carry_is_named_and_one_that_need_not_is_not(neutral_walk):
    samples = 100
    qpos = np.tile(neutral_walk.qpos[0], (samples, 1))
    contact = np.ones((samples, 4), dtype=bool)
    contact[30:, [0, 1]] = False  # both left feet
    (text,) = [text for text in reasons(motion_of(PETE, qpos, contact), PETE) if "flagged" in text]
    left = [PETE.foot_names[0], PETE.foot_names[1]]
    assert text == f"foot contact: {left[0]} and {left[1]} stand still on the ground at 0.30 s, flagged as in the air"
    for rest in (slice(30, 36), slice(0, 0)):  # too short a rest to be a stance; and none at all
        brief = np.ones((samples, 4), dtype=bool)
        brief[rest, [[0], [1]]] = False
        receipt = check(motion_of(PETE, qpos, brief), PETE)
        assert not any("flagged" in str(reason) for reason in receipt.reasons)
