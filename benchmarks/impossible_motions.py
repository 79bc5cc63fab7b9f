"""Motions that cannot happen, made from honest ones with a seed: none of them may be ok.

Each maker takes an honest motion, its robot and a generator of random numbers, and returns a file that claims what no
body can do, or whose columns are not those of its movement. `cases` pairs makers with the robots that they apply to;
tests/verify/test_impossible_motions.py and bench_impossible.py check that none is ok.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import combinations, pairwise

import mujoco
import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from strut import Motion, Robot

Array = npt.NDArray[np.float64]
Rng = np.random.Generator
Maker = Callable[[Motion, Robot, Rng], Motion]
RATE_HZ = 100.0
STATUE_S = 3.0
DEEP_M = 0.01
DRAWS = 500  # of postures until parts are that deep inside each other
RECORDED = {"observed": {"marker_error_mean_mm": 5.0}, "source": "person.c3d", "marker_error_mean_mm": 5.0}


def _bare(motion: Motion, **changes: object) -> Motion:
    """Return a motion with changes and without columns and claims that belonged to the old one."""
    columns = dict.fromkeys(("torque_nm", "ground_force_n", "cop_in_world", "balance_margin_m", "receipt"))
    return replace(motion, **{**columns, **changes})


def _ramp(samples: int) -> Array:
    """Return a smooth rise from 0 to 1, at rest at both ends. Shape (samples,)."""
    share = np.linspace(0.0, 1.0, samples)
    return share**3 * (10.0 - 15.0 * share + 6.0 * share**2)


def statue(motion: Motion, seconds: float = STATUE_S) -> Motion:
    """Return a motion that stays as the honest one begins, with every foot on the ground; it is possible."""
    samples = int(RATE_HZ * seconds) + 1
    return _bare(
        motion,
        time_s=np.arange(samples) / RATE_HZ,
        qpos=np.tile(motion.qpos[0], (samples, 1)),
        contact=np.ones((samples, motion.contact.shape[1]), dtype=bool),
        meta={},
    )


def _moved(motion: Motion, path_m: Array) -> Motion:
    """Return a motion whose base is displaced. Shape (T, 3)."""
    qpos = motion.qpos.copy()
    qpos[:, : path_m.shape[1]] += path_m
    return replace(motion, qpos=qpos)


def _with_joints(motion: Motion, angles: Array, *, bare: bool = True) -> Motion:
    qpos = motion.qpos.copy()
    qpos[:, qpos.shape[1] - angles.shape[1] :] = angles
    return _bare(motion, qpos=qpos) if bare else replace(motion, qpos=qpos)


def _turned(motion: Motion, angle_rad: Array, centre: Array) -> Array:
    """Return configurations turned about a vertical axis through a place on the ground."""
    qpos = motion.qpos.copy()
    for k, angle in enumerate(angle_rad):
        turn = Rotation.from_euler("z", angle)
        about = np.array([*centre, 0.0])
        qpos[k, :3] = about + turn.apply(qpos[k, :3] - about)
        own = Rotation.from_quat(qpos[k, 3:7], scalar_first=True)
        qpos[k, 3:7] = (turn * own).as_quat(scalar_first=True)
    return qpos


# Statues and what slides


def gliding_statue(motion: Motion, _robot: Robot, rng: Rng) -> Motion:
    still = statue(motion)
    path = np.outer(_ramp(len(still.time_s)), [rng.uniform(0.3, 1.0), rng.uniform(-0.2, 0.2), 0.0])
    return _moved(still, path)


def gliding_statue_with_flickering_flags(motion: Motion, robot: Robot, rng: Rng) -> Motion:
    still = gliding_statue(motion, robot, rng)
    return replace(still, contact=_flickering(still, robot))


def _flickering(motion: Motion, robot: Robot) -> npt.NDArray[np.bool_]:
    """Return flags that change at every sample: one diagonal pair of feet, then the other; or one foot, then both."""
    contact = np.zeros_like(motion.contact)
    feet = contact.shape[1]
    if feet == 2:
        contact[:, 0] = True
        contact[::2, 1] = True
        return contact
    place = foot_places(robot, motion.qpos[0])
    diagonal = {0, int(np.argmax(np.linalg.norm(place - place[0], axis=1)))}
    for foot in range(feet):
        contact[int(foot in diagonal) :: 2, foot] = True
    return contact


def foot_places(robot: Robot, qpos: Array) -> Array:
    """Return where the feet are on the ground. Shape (nq,) in, (n_feet, 2) out."""
    data = mujoco.MjData(robot.model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(robot.model, data)
    return np.array([data.site(foot.frame).xpos[:2] for foot in robot.feet])


def gliding_statue_with_short_steps(motion: Motion, robot: Robot, rng: Rng) -> Motion:
    """Every foot in turn is said to swing for 60 ms."""
    still = gliding_statue(motion, robot, rng)
    contact = np.ones_like(still.contact)
    swing = 6
    for start in range(0, len(contact) - swing, swing):
        contact[start : start + swing, (start // swing) % contact.shape[1]] = False
    return replace(still, contact=contact)


def gliding_statue_with_one_foot_on_paper(motion: Motion, robot: Robot, rng: Rng) -> Motion:
    """All feet but one are said to swing, although all are on the ground."""
    still = gliding_statue(motion, robot, rng)
    contact = np.zeros_like(still.contact)
    contact[:, int(rng.integers(contact.shape[1]))] = True
    return replace(still, contact=contact)


def statue_on_a_slow_belt(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    still = statue(motion, 6.0)
    return _moved(still, np.outer(_ramp(len(still.time_s)), [0.03, 0.0, 0.0]))


def trembling_statue(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    still = statue(motion)
    sway = 0.008 * np.sin(2.0 * np.pi * still.time_s) * np.sin(np.pi * still.time_s / STATUE_S)
    return _moved(still, np.outer(sway, [0.0, 1.0, 0.0]))


def pivot_under_load(motion: Motion, _robot: Robot, rng: Rng) -> Motion:
    still = statue(motion)
    angle = np.radians(rng.uniform(15.0, 40.0)) * _ramp(len(still.time_s))
    return replace(still, qpos=_turned(still, angle, still.qpos[0, :2]))


def pivot_with_flickering_flags(motion: Motion, robot: Robot, rng: Rng) -> Motion:
    pivot = pivot_under_load(motion, robot, rng)
    return replace(pivot, contact=_flickering(pivot, robot))


def pivot_on_one_foot(motion: Motion, robot: Robot, rng: Rng) -> Motion:
    """A robot on one sole turns about the middle of that sole, whose corners slide."""
    changes = np.flatnonzero(np.diff(motion.contact.sum(axis=1)))
    swings = [(one, other) for one, other in pairwise(changes) if motion.contact[one + 1].sum() == 1]
    first, last = swings[len(swings) // 2]
    k = (first + last) // 2  # where the other foot is about highest
    foot = int(np.argmax(motion.contact[k]))
    still = statue(motion)
    still = replace(still, qpos=np.tile(motion.qpos[k], (len(still.time_s), 1)))
    angle = np.radians(rng.uniform(15.0, 40.0)) * _ramp(len(still.time_s))
    contact = np.tile(motion.contact[k], (len(still.time_s), 1))
    qpos = _turned(still, angle, foot_places(robot, motion.qpos[k])[foot])
    return replace(still, qpos=qpos, contact=contact)


def glide_above_the_ground(motion: Motion, robot: Robot, rng: Rng) -> Motion:
    """One millimetre above it, with flags that change at every sample."""
    still = gliding_statue_with_flickering_flags(motion, robot, rng)
    return _moved(still, np.tile([0.0, 0.0, 0.001], (len(still.time_s), 1)))


def moon_walk(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    """The legs walk ahead, the body goes back."""
    qpos = motion.qpos.copy()
    qpos[:, 0] = 2.0 * qpos[0, 0] - qpos[:, 0]
    return _bare(motion, qpos=qpos)


def walk_on_the_spot(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    qpos = motion.qpos.copy()
    qpos[:, :2] = qpos[0, :2]
    return _bare(motion, qpos=qpos)


def walk_with_long_strides(motion: Motion, _robot: Robot, rng: Rng) -> Motion:
    qpos = motion.qpos.copy()
    qpos[:, :2] = qpos[0, :2] + rng.uniform(1.3, 2.0) * (qpos[:, :2] - qpos[0, :2])
    return _bare(motion, qpos=qpos)


def walk_that_curves_by_itself(motion: Motion, _robot: Robot, rng: Rng) -> Motion:
    angle = np.radians(rng.uniform(10.0, 30.0)) * _ramp(len(motion.time_s))
    return _bare(motion, qpos=_turned(motion, angle, motion.qpos[0, :2]))


# What is not on the ground


def floating(motion: Motion, _robot: Robot, rng: Rng) -> Motion:
    return _moved(_bare(motion), np.tile([0.0, 0.0, rng.uniform(0.01, 0.05)], (len(motion.time_s), 1)))


def floating_statue_without_flags(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    still = statue(motion)
    up = _moved(still, np.tile([0.0, 0.0, 0.03], (len(still.time_s), 1)))
    return replace(up, contact=np.zeros_like(up.contact))


def sunk(motion: Motion, _robot: Robot, rng: Rng) -> Motion:
    return _moved(_bare(motion), np.tile([0.0, 0.0, -rng.uniform(0.006, 0.03)], (len(motion.time_s), 1)))


def hovering_statue(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    """Glides two millimetres above the ground, with flags that say that it stands."""
    still = statue(motion)
    path = np.outer(_ramp(len(still.time_s)), [0.5, 0.0, 0.0])
    path[:, 2] = 0.002
    return _moved(still, path)


def bouncing_statue(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    still = statue(motion)
    return _moved(still, np.outer(0.04 * np.sin(np.pi * still.time_s / STATUE_S * 4.0) ** 2, [0.0, 0.0, 1.0]))


# What is not this body's


def mirrored_joints(motion: Motion, robot: Robot, _rng: Rng) -> Motion:
    """The joints of one side move as those of the other, the base and the flags do not."""
    legs = [leg.joints for leg in robot.legs]
    columns = list(range(len(robot.joint_names)))
    for one, other in zip(legs[::2], legs[1::2], strict=False):
        for first, second in zip(one, other, strict=False):
            i, j = robot.joint_names.index(first), robot.joint_names.index(second)
            columns[i], columns[j] = j, i
    return _with_joints(motion, motion.joint_angles_rad[:, columns])


def swapped_legs(motion: Motion, robot: Robot, _rng: Rng) -> Motion:
    """The first leg moves as the last, and the last as the first; the torques of the file stay."""
    first, last = robot.legs[0].joints, robot.legs[-1].joints
    angles = motion.joint_angles_rad.copy()
    for one, other in zip(first, last, strict=False):
        i, j = robot.joint_names.index(one), robot.joint_names.index(other)
        angles[:, [i, j]] = angles[:, [j, i]]
    return _with_joints(motion, angles, bare=False)


def swapped_joints(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    """The two joints that move most are exchanged."""
    angles = motion.joint_angles_rad.copy()
    i, j = np.argsort(np.ptp(angles, axis=0))[-2:]
    angles[:, [i, j]] = angles[:, [j, i]]
    return _with_joints(motion, angles)


def negated_joint(motion: Motion, robot: Robot, _rng: Rng) -> Motion:
    angles = motion.joint_angles_rad.copy()
    legs = {name for leg in robot.legs for name in leg.joints}
    moves = np.ptp(angles, axis=0) * [name in legs for name in robot.joint_names]
    worst = int(np.argmax(moves))
    angles[:, worst] = 2.0 * angles[0, worst] - angles[:, worst]
    return _with_joints(motion, angles)


def stiff_leg(motion: Motion, robot: Robot, _rng: Rng) -> Motion:
    """One leg stays as it begins."""
    angles = motion.joint_angles_rad.copy()
    for name in robot.legs[-1].joints:
        angles[:, robot.joint_names.index(name)] = angles[0, robot.joint_names.index(name)]
    return _with_joints(motion, angles)


def degrees_for_radians(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    return _with_joints(motion, np.degrees(motion.joint_angles_rad))


def wrong_quaternion_order(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    qpos = motion.qpos.copy()
    qpos[:, 3:7] = qpos[:, [4, 5, 6, 3]]
    return _bare(motion, qpos=qpos)


def random_joints(motion: Motion, robot: Robot, rng: Rng) -> Motion:
    """Every joint swings smoothly within its range, each at its own pace."""
    share = 0.5 + 0.45 * np.sin(np.outer(motion.time_s, rng.uniform(1.0, 4.0, len(robot.joint_names))))
    angles = robot.joint_lower_rad + share * (robot.joint_upper_rad - robot.joint_lower_rad)
    return _with_joints(motion, angles)


# What is too fast, or torn


def three_times_as_fast(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    return _bare(motion, time_s=motion.time_s[0] + (motion.time_s - motion.time_s[0]) / 3.0)


def three_times_as_slow(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    """Only of gaits that fall from step to step: a balanced walk may be slow."""
    count = 3 * (len(motion.time_s) - 1) + 1
    at = np.linspace(0.0, len(motion.time_s) - 1.0, count)
    low = np.minimum(at.astype(int), len(motion.time_s) - 2)
    share = (at - low)[:, None]
    qpos = (1.0 - share) * motion.qpos[low] + share * motion.qpos[low + 1]
    qpos[:, 3:7] /= np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
    step_s = motion.time_s[1] - motion.time_s[0]
    return _bare(motion, time_s=step_s * np.arange(count), qpos=qpos, contact=motion.contact[np.round(at).astype(int)])


def teleport(motion: Motion, _robot: Robot, rng: Rng) -> Motion:
    path = np.zeros((len(motion.time_s), 2))
    path[len(path) // 2 :] = rng.uniform(0.05, 0.3), rng.uniform(-0.1, 0.1)
    return _moved(_bare(motion), path)


def teleport_in_a_swing(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    """The base jumps aside for one sample and returns."""
    path = np.zeros((len(motion.time_s), 2))
    path[len(path) // 3] = 0.02, 0.02
    return _moved(_bare(motion), path)


def cut_in_the_middle(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    """A tenth of the samples is missing and the rest is joined."""
    count = len(motion.time_s)
    kept = np.r_[0 : int(0.45 * count), int(0.55 * count) : count]
    return _bare(motion, time_s=motion.time_s[: len(kept)], qpos=motion.qpos[kept], contact=motion.contact[kept])


def noise(motion: Motion, _robot: Robot, rng: Rng) -> Motion:
    angles = motion.joint_angles_rad
    return _with_joints(motion, angles + rng.normal(0.0, 0.02, angles.shape))


# Columns that are not those of the movement


def half_the_torques(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    return replace(motion, torque_nm=0.5 * motion.torque_nm)


def torques_of_another_joint(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    return replace(motion, torque_nm=np.roll(motion.torque_nm, 1, axis=1))


def no_torques_for_a_while(motion: Motion, _robot: Robot, rng: Rng) -> Motion:
    """A fifth of a second without torques."""
    torque = motion.torque_nm.copy()
    step_s = motion.time_s[1] - motion.time_s[0]
    first = int(rng.integers(len(torque) // 4, len(torque) // 2))
    torque[first : first + max(2, round(0.2 / step_s))] = 0.0
    return replace(motion, torque_nm=torque)


def half_the_weight(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    return replace(motion, ground_force_n=0.5 * motion.ground_force_n)


def forces_of_another_foot(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    """The sum is right, but each foot has the force of its neighbour."""
    return replace(motion, ground_force_n=np.roll(motion.ground_force_n, 1, axis=1))


def forces_on_one_foot(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    """The sum is right, but the first foot on the ground takes it all."""
    force = np.zeros_like(motion.ground_force_n)
    first = np.argmax(motion.contact, axis=1)
    force[np.arange(len(force)), first] = motion.ground_force_n.sum(axis=1)
    return replace(motion, ground_force_n=force)


def feet_that_pull(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    """The sum is right: one foot pulls up what another pushes more."""
    force = motion.ground_force_n.copy()
    standing = motion.contact.sum(axis=1) >= 2
    for k in np.flatnonzero(standing):
        one, other = np.flatnonzero(motion.contact[k])[:2]
        extra = 1.5 * abs(force[k, :, 2]).sum()
        force[k, one, 2] += extra
        force[k, other, 2] -= extra
    return replace(motion, ground_force_n=force)


def forces_that_squeeze(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    """The sum is right, but two feet push against each other beyond friction."""
    force = motion.ground_force_n.copy()
    for k in np.flatnonzero(motion.contact.sum(axis=1) >= 2):
        one, other = np.flatnonzero(motion.contact[k])[:2]
        extra = 1.5 * abs(force[k, :, 2]).sum()
        force[k, one, 1] += extra
        force[k, other, 1] -= extra
    return replace(motion, ground_force_n=force)


def pressure_elsewhere(motion: Motion, _robot: Robot, rng: Rng) -> Motion:
    return replace(motion, cop_in_world=motion.cop_in_world + rng.uniform(0.02, 0.06, 2))


def pressure_elsewhere_for_a_while(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    """The centre of pressure is 40 mm aside for a fifth of a second of a file that is five times as long."""
    count = len(motion.time_s)
    step_s = motion.time_s[1] - motion.time_s[0]
    rest = np.full(4 * count, count - 1)
    rows = np.concatenate([np.arange(count), rest])
    long = replace(
        motion,
        time_s=motion.time_s[0] + step_s * np.arange(len(rows)),
        receipt=None,
        **{
            name: None if (values := getattr(motion, name)) is None else values[rows]
            for name in ("qpos", "contact", "torque_nm", "ground_force_n", "cop_in_world", "balance_margin_m")
        },
    )
    cop_m = long.cop_in_world.copy()
    first = count // 2
    cop_m[first : first + round(0.2 / step_s)] += 0.04
    return replace(long, cop_in_world=cop_m)


def pressure_under_the_middle(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    """The centre of pressure is said to be under the base throughout."""
    return replace(motion, cop_in_world=motion.qpos[:, :2])


def better_margins(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    return replace(motion, balance_margin_m=motion.balance_margin_m + 0.05)


# Flags that are not those of the movement


def flags_all_up(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    return _bare(motion, contact=np.zeros_like(motion.contact))


def flags_all_down(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    return _bare(motion, contact=np.ones_like(motion.contact))


def flags_inverted(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    return _bare(motion, contact=~motion.contact)


def flags_of_another_foot(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    return _bare(motion, contact=np.roll(motion.contact, 1, axis=1))


def flags_late(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    step_s = motion.time_s[1] - motion.time_s[0]
    return _bare(motion, contact=np.roll(motion.contact, round(0.3 / step_s), axis=0))


def flags_flicker(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    contact = motion.contact.copy()
    contact[::2] ^= True
    return _bare(motion, contact=contact)


# Claims


def glide_with_an_honest_receipt(motion: Motion, robot: Robot, rng: Rng) -> Motion:
    glide = gliding_statue(motion, robot, rng)
    return replace(glide, receipt=motion.receipt, meta=motion.meta)


def recorded_glide(motion: Motion, robot: Robot, rng: Rng) -> Motion:
    glide = gliding_statue_with_flickering_flags(motion, robot, rng)
    return replace(glide, meta=RECORDED)


def recorded_float(motion: Motion, _robot: Robot, _rng: Rng) -> Motion:
    up = _moved(_bare(motion), np.tile([0.0, 0.0, 0.03], (len(motion.time_s), 1)))
    return replace(up, meta={**motion.meta, **RECORDED})


def recorded_random_joints(motion: Motion, robot: Robot, rng: Rng) -> Motion:
    return replace(random_joints(motion, robot, rng), meta={**motion.meta, **RECORDED})


def recorded_three_times_as_fast(motion: Motion, robot: Robot, rng: Rng) -> Motion:
    return replace(three_times_as_fast(motion, robot, rng), meta={**motion.meta, **RECORDED})


def simulated_glide(motion: Motion, robot: Robot, rng: Rng) -> Motion:
    """A glide that is said to have been recorded in a simulation."""
    glide = gliding_statue(motion, robot, rng)
    return replace(glide, meta={"simulated": True, "piloted": {"requests": []}, "options": {"margin_m": 0.0}})


# Bodies in bodies


def arm_through_trunk(motion: Motion, robot: Robot, _rng: Rng) -> Motion:
    """The upper arm closes onto the trunk and the forearm turns inwards."""
    still = statue(motion)
    angles = still.joint_angles_rad.copy()
    rise = _ramp(len(angles))
    for name, goal in (("RShoulderRoll", robot_end(robot, "RShoulderRoll", upper=True)), ("RElbowRoll", 1.5)):
        column = robot.joint_names.index(name)
        angles[:, column] += rise * (goal - angles[:, column])
    column = robot.joint_names.index("RElbowYaw")
    angles[:, column] += rise * (0.0 - angles[:, column])
    return _with_joints(still, angles)


def robot_end(robot: Robot, joint: str, *, upper: bool) -> float:
    """Return an end of the range of a joint."""
    ends = robot.joint_upper_rad if upper else robot.joint_lower_rad
    return float(ends[robot.joint_names.index(joint)])


def limb_through_the_body(motion: Motion, robot: Robot, rng: Rng) -> Motion:
    """The joints above the legs move within their ranges to a posture in which parts are inside each other."""
    legs = {name for leg in robot.legs for name in leg.joints}
    return _bent_into_itself(motion, robot, [name for name in robot.joint_names if name not in legs], rng)


def legs_through_each_other(motion: Motion, robot: Robot, rng: Rng) -> Motion:
    """The legs move within their ranges to such a posture."""
    return _bent_into_itself(motion, robot, [name for leg in robot.legs for name in leg.joints], rng)


def _bent_into_itself(motion: Motion, robot: Robot, joints: list[str], rng: Rng) -> Motion:
    """Return a slow movement to the first random posture in which parts are at least `DEEP_M` inside each other."""
    still = statue(motion)
    columns = np.array([robot.joint_names.index(name) for name in joints])
    reach = (robot.joint_upper_rad - robot.joint_lower_rad)[columns]
    clear = [pair for pair, distance_m in _distances(robot, robot.standing_qpos).items() if distance_m > 0.0]
    for _ in range(DRAWS):
        posture = motion.qpos[0].copy()
        lower = robot.joint_lower_rad[columns]
        posture[robot.base_size + columns] = lower + rng.uniform(0.02, 0.98, len(columns)) * reach
        distances = _distances(robot, posture)
        if min(distances[pair] for pair in clear) < -DEEP_M:
            way = np.outer(_ramp(len(still.time_s)), posture - motion.qpos[0])
            return replace(still, qpos=still.qpos + way)
    raise ValueError(f"{robot.name} does not reach into itself with {', '.join(joints)} in {DRAWS} postures")


def _distances(robot: Robot, qpos: Array) -> dict[tuple[int, int], float]:
    """Return the distances of geoms that collide and whose bodies are more than two joints apart."""
    model = robot.model
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)
    solid = [geom for geom in range(model.ngeom) if model.geom_contype[geom] and model.geom_bodyid[geom]]
    parent = model.body_parentid
    near = {(body, other) for body in range(model.nbody) for other in (body, parent[body], parent[parent[body]])}
    bodies = model.geom_bodyid
    return {
        (one, other): float(mujoco.mj_geomDistance(model, data, one, other, 0.2, None))
        for one, other in combinations(solid, 2)
        if (bodies[one], bodies[other]) not in near and (bodies[other], bodies[one]) not in near
    }


LEGGED = ("mrpete", "alice", "solo12")
BALANCED = ("mrpete", "alice")
HUMAN = ("heiman",)
PILOTED = ("cassie",)
MAKERS: dict[Maker, tuple[str, ...]] = {
    gliding_statue: LEGGED,
    gliding_statue_with_flickering_flags: LEGGED,
    gliding_statue_with_short_steps: LEGGED,
    gliding_statue_with_one_foot_on_paper: BALANCED,
    statue_on_a_slow_belt: BALANCED,
    trembling_statue: BALANCED,
    pivot_under_load: LEGGED,
    pivot_with_flickering_flags: LEGGED,
    pivot_on_one_foot: ("alice",),
    glide_above_the_ground: LEGGED,
    moon_walk: ("mrpete", "solo12", "heiman", "cassie"),
    walk_on_the_spot: (*LEGGED, *HUMAN, *PILOTED),
    walk_with_long_strides: LEGGED,
    walk_that_curves_by_itself: LEGGED,
    floating: (*LEGGED, *HUMAN, *PILOTED),
    floating_statue_without_flags: BALANCED,
    sunk: (*LEGGED, *HUMAN),
    hovering_statue: BALANCED,
    bouncing_statue: BALANCED,
    mirrored_joints: LEGGED,
    swapped_legs: LEGGED,
    swapped_joints: (*LEGGED, "pepper"),
    negated_joint: ("alice", "solo12"),
    stiff_leg: LEGGED,
    degrees_for_radians: ("mrpete", "pepper"),
    wrong_quaternion_order: LEGGED,
    random_joints: ("mrpete", "pepper"),
    three_times_as_fast: ("solo12", "heiman", "cassie"),
    three_times_as_slow: HUMAN,
    teleport: (*LEGGED, "pepper"),
    teleport_in_a_swing: LEGGED,
    cut_in_the_middle: ("mrpete", "heiman"),
    noise: (*LEGGED, "pepper"),
    half_the_torques: (*LEGGED, "pepper", *HUMAN, *PILOTED),
    torques_of_another_joint: ("mrpete", "pepper"),
    no_torques_for_a_while: (*BALANCED, "pepper"),
    half_the_weight: (*LEGGED, *HUMAN, *PILOTED),
    forces_of_another_foot: (*LEGGED, *HUMAN),
    forces_on_one_foot: ("mrpete", "solo12"),
    feet_that_pull: (*LEGGED, *HUMAN),
    forces_that_squeeze: LEGGED,
    pressure_elsewhere: BALANCED,
    pressure_elsewhere_for_a_while: BALANCED,
    pressure_under_the_middle: ("alice",),
    better_margins: BALANCED,
    flags_all_up: (*LEGGED, *HUMAN),
    flags_all_down: (*LEGGED, *HUMAN),
    flags_inverted: LEGGED,
    flags_of_another_foot: (*BALANCED, *HUMAN),
    flags_late: BALANCED,
    flags_flicker: (*LEGGED, *HUMAN),
    glide_with_an_honest_receipt: LEGGED,
    recorded_glide: (*LEGGED, *HUMAN),
    recorded_float: (*BALANCED, *HUMAN),
    recorded_random_joints: ("mrpete", "pepper", *HUMAN),
    recorded_three_times_as_fast: ("solo12", *HUMAN),
    simulated_glide: (*BALANCED, *PILOTED),
    arm_through_trunk: ("pepper",),
    limb_through_the_body: ("pepper",),
    legs_through_each_other: ("mrpete",),
}


@dataclass(frozen=True, slots=True)
class Impossible:
    """A motion that cannot happen, with the robot that it is of and the name of its maker."""

    name: str
    motion: Motion


def cases(robots: tuple[str, ...]) -> list[tuple[Maker, str]]:
    """Return every maker with each of some robots that it applies to."""
    return [(maker, robot) for maker, own in MAKERS.items() for robot in own if robot in robots]


def impossible_motions(honest: dict[str, tuple[Motion, Robot]], *, seed: int = 0) -> Iterator[Impossible]:
    """Yield every impossible motion that can be made from one honest motion of each robot."""
    for number, (maker, robot) in enumerate(cases(tuple(honest))):
        rng = np.random.default_rng([seed, number])
        yield Impossible(f"{maker.__name__} {robot}", maker(*honest[robot], rng))
