"""Standing: configurations of a robot before and after a walk, and on one leg, from the posture in its folder."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import GRAVITY_M_S2, joint_anchors
from strut.engines.task_jacobians import TaskJacobians, task_jacobians
from strut.errors import BadTableError
from strut.gaits.pattern.gait_plan import FootStance
from strut.kinematics.whole_body import BodyTargets, WholeBodySolution, solve_whole_body
from strut.robot import BASE, FLOATING, Robot

FREE_TO_SINK = 0.04  # share of its height by which a robot must be able to sink; if it cannot, its legs are straight
STRAIGHT_RAD = 0.45  # largest turn of a joint in sinking by that share; knees that turn more were straight
BENT = 0.97  # height with bent legs, of that with straight legs: bent enough to step
NUDGE_RAD = 0.6  # of one joint per leg, towards the middle of its range: straight legs have no preferred way to bend
MAX_ERROR_M = 1e-3  # of feet and centre of mass, for a posture that counts as reached
STANDING_ITERATIONS = 40  # of the inverse kinematics of a single posture, which may start far away
RAISED = 0.05  # height of the other foot of a robot on one leg, in that of its centre of mass
ANKLE_JOINTS = 2  # last joints of a leg; they carry what the sole's centre of pressure asks for
WEAK = 0.4  # share of an ankle's torque limit that may hold the weight in standing; the rest is for walking
FLAT_AXIS = 0.7  # horizontal part of an ankle joint's axis: less than that, and it cannot tilt the sole
MAX_OFFSET = 0.5  # of half a sole, from its middle to the preferred centre of pressure; the rest is balance margin


@lru_cache(maxsize=8)
def foot_stance(robot: Robot) -> tuple[FootStance, Array]:
    """Return the feet of a standing robot, and its configuration with their middle at the origin. Shape (nq,).

    Straight legs are bent a little. Raises BadTableError for a robot that has neither two nor four feet.
    """
    if len(robot.feet) not in (2, 4):
        raise BadTableError(f"{robot.name} has {len(robot.feet)} feet; gaits are known for two and for four.")
    qpos = _bend_straight_legs(robot, np.array(robot.standing_qpos))
    now = task_jacobians(robot, qpos[None])
    foot_m = now.foot_in_world[0]
    foot_m[:, 2] = [foot.radius_m for foot in robot.feet]  # the posture may hold one a little above the ground
    middle_m = np.array([*foot_m[:, :2].mean(axis=0), 0.0])
    qpos[:3] -= middle_m
    qpos.flags.writeable = False
    stance = FootStance(
        places=_places(robot, foot_m - middle_m),
        foot_m=foot_m - middle_m,
        height_m=float(now.com_in_world[0, 2]),
        length_m=_length_m(robot, qpos),
        cop_m=_preferred_cop_m(robot, now),
    )
    return stance, qpos


def on_one_leg(robot: Robot, foot: int) -> Array:
    """Return a biped's configuration with all of its weight over one sole and the other foot raised. Shape (nq,)."""
    stance, qpos = foot_stance(robot)
    foot_m = np.array(stance.foot_m)
    foot_m[1 - foot, 2] += RAISED * stance.height_m
    cop_m = foot_m[foot, :2] + (0.0 if stance.cop_m is None else stance.cop_m[foot])
    now = task_jacobians(robot, qpos[None])
    targets = BodyTargets(
        foot_in_world=foot_m[None],
        foot_rotation=now.foot_rotation,
        foot_hold=np.ones((1, len(foot_m))),
        com_in_world=np.array([[*cop_m, BENT * stance.height_m]]),
        base_rotation=now.base_rotation,
        joint_rad=qpos[None, FLOATING:],
    )
    length_m = stance.height_m
    solution = solve_whole_body(robot, targets, qpos[None], length_m=length_m, iterations=STANDING_ITERATIONS)
    return np.asarray(solution.qpos[0])


def _preferred_cop_m(robot: Robot, standing: TaskJacobians) -> Array:
    """Return a centre of pressure for each sole at which weak ankles can hold the whole weight. Shape (n, 2).

    The torque of a joint under the weight is the weight times the height gained per radian that the joint turns, at the
    centre of pressure.
    """
    cop_m = np.zeros((len(robot.feet), 2))
    for leg in robot.legs:
        foot = robot.foot_names.index(leg.feet[0])
        half_sole_m = np.ptp(np.array(robot.feet[foot].outline_m), axis=0) / 2.0
        for name in leg.joints[-ANKLE_JOINTS:]:
            joint = robot.joint_names.index(name)
            _, _, rise, about_x, about_y, _ = standing.foot[0, foot, :, BASE + joint]
            held = WEAK * robot.torque_limit_nm[joint] / (robot.mass_kg * GRAVITY_M_S2)  # m per rad
            is_pitch = abs(about_y) > abs(about_x)
            axis = 0 if is_pitch else 1
            lever = -about_y if is_pitch else about_x
            if abs(lever) > FLAT_AXIS:
                cop_m[foot, axis] = (np.clip(rise, -held, held) - rise) / lever
        cop_m[foot] = np.clip(cop_m[foot], -MAX_OFFSET * half_sole_m, MAX_OFFSET * half_sole_m)
    return cop_m


def _length_m(robot: Robot, qpos: Array) -> float:
    """Return the distance between the middles of the front and of the hind hips; 0 for a biped."""
    hip_joints = [robot.joint_names.index(leg.joints[0]) for leg in robot.legs]
    hip_x_m = joint_anchors(robot, qpos)[hip_joints, 0]
    if len(hip_x_m) <= 2:
        return 0.0
    hind_x_m = np.sort(hip_x_m)[: len(hip_x_m) // 2]
    return 2.0 * float(hip_x_m.mean() - hind_x_m.mean())


def _bend_straight_legs(robot: Robot, qpos: Array) -> Array:
    """Return a configuration from which the body can sink: the given one, or that with its straight legs bent."""
    sunk = _sink(robot, qpos, qpos, 1.0 - FREE_TO_SINK)
    turned_rad = float(np.abs(sunk.qpos[0, FLOATING:] - qpos[FLOATING:]).max())
    if _error_m(sunk) < MAX_ERROR_M and turned_rad < STRAIGHT_RAD:
        return qpos
    candidates = [_sink(robot, qpos, guess_qpos, BENT) for guess_qpos in _nudged_configurations(robot, qpos)]
    best = min(candidates, key=_error_m)
    return best.qpos[0] if _error_m(best) < MAX_ERROR_M else qpos


def _error_m(solution: WholeBodySolution) -> float:
    return float(solution.foot_error_m.max() + solution.com_error_m.max())


def _sink(robot: Robot, qpos: Array, guess_qpos: Array, height: float) -> WholeBodySolution:
    """Return the posture with the same feet and attitude and a factor on the height of the centre of mass."""
    now = task_jacobians(robot, qpos[None])
    targets = BodyTargets(
        foot_in_world=now.foot_in_world,
        foot_rotation=now.foot_rotation,
        foot_hold=np.ones(now.foot_in_world.shape[:2]),
        com_in_world=now.com_in_world * np.array([1.0, 1.0, height]),
        base_rotation=now.base_rotation,
        joint_rad=guess_qpos[None, FLOATING:],
    )
    length_m = float(now.com_in_world[0, 2])
    return solve_whole_body(robot, targets, guess_qpos[None], length_m=length_m, iterations=STANDING_ITERATIONS)


def _nudged_configurations(robot: Robot, qpos: Array) -> list[Array]:
    """Return configurations in which one joint of every leg, the same one from the hip on, is bent into its range."""
    middle_rad = (robot.joint_lower_rad + robot.joint_upper_rad) / 2.0
    configurations = []
    for number in range(max(len(leg.joints) for leg in robot.legs)):
        nudged_qpos = qpos.copy()
        for leg in robot.legs:
            joint = robot.joint_names.index(leg.joints[min(number, len(leg.joints) - 1)])
            nudged_qpos[FLOATING + joint] += np.sign(middle_rad[joint] - qpos[FLOATING + joint]) * NUDGE_RAD
        configurations.append(nudged_qpos)
    return configurations


def _places(robot: Robot, foot_m: Array) -> tuple[str, ...]:
    """Return the places of feet by their positions; raises BadTableError if two feet share one."""
    sides = np.where(foot_m[:, 1] > 0.0, "left", "right")
    if len(foot_m) == 4:
        ends = np.where(foot_m[:, 0] > 0.0, "front ", "hind ")
        sides = np.char.add(ends, sides)
    places = tuple(str(side) for side in sides)
    if len(set(places)) != len(places):
        raise BadTableError(f"{robot.name} does not stand with one foot at each corner: {', '.join(places)}.")
    return places
