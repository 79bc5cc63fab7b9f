"""Standing: how a robot stands before and after a walk, from the posture its folder names."""

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

FREE_TO_SINK = 0.04  # of its height: who cannot sink by this without losing the ground stands on straight legs
STRAIGHT_RAD = 0.45  # of a joint: whose knees turn by more than this to sink by so little has them straight
BENT = 0.97  # of the height of straight legs, at which they are bent enough to step
NUDGE_RAD = 0.6  # of a joint, towards the middle of its range: straight legs do not know which way to bend
SINGLE_ITERATIONS = 40
RAISED = 0.05  # of its height, that the other foot of who stands on one leg is up
ANKLE = 2
WEAK = 0.4  # last joints of a leg, and the share of their torque that may hold the weight alone
LEVEL = 0.7  # of a joint's axis that must lie flat for it to be an ankle's
AT_MOST_ASIDE = 0.5  # of half a sole: how far from its middle the ground is to push
LARGEST_ERROR_M = 1e-3


@lru_cache(maxsize=8)
def foot_stance(robot: Robot) -> tuple[FootStance, Array]:
    """Return a robot's stance, and its coordinates with the middle of its feet at the origin. Shape (nq,).

    Legs that stand straight are bent a little. Raises BadTableError for a robot that has neither two nor four feet.
    """
    if len(robot.feet) not in (2, 4):
        raise BadTableError(f"{robot.name} has {len(robot.feet)} feet; gaits are known for two and for four.")
    qpos = _bent(robot, np.array(robot.standing_qpos))
    now = task_jacobians(robot, qpos[None])
    feet = now.foot_in_world[0]
    feet[:, 2] = [foot.radius_m for foot in robot.feet]  # a posture may leave one a little above the ground
    middle = np.array([*feet[:, :2].mean(axis=0), 0.0])
    qpos[:3] -= middle
    height_m = float(now.com_in_world[0, 2])
    qpos.flags.writeable = False
    places = _places(robot, feet - middle)
    length_m = _length_m(robot, qpos)
    push_m = _push_m(robot, now)
    return FootStance(places, feet - middle, height_m, length_m, push_m), qpos


def on_one_leg(robot: Robot, foot: int) -> Array:
    """Return a biped's coordinates with all of its weight over one sole and the other foot a little up. Shape (nq,)."""
    stance, qpos = foot_stance(robot)
    feet = np.array(stance.foot_m)
    feet[1 - foot, 2] += RAISED * stance.height_m
    over = feet[foot, :2] + (0.0 if stance.push_m is None else stance.push_m[foot])
    now = task_jacobians(robot, qpos[None])
    targets = BodyTargets(
        foot_in_world=feet[None],
        foot_rotation=now.foot_rotation,
        foot_hold=np.ones((1, len(feet))),
        com_in_world=np.array([[*over, BENT * stance.height_m]]),
        base_rotation=now.base_rotation,
        joint_rad=qpos[None, FLOATING:],
    )
    found = solve_whole_body(robot, targets, qpos[None], length_m=stance.height_m, iterations=SINGLE_ITERATIONS)
    return np.asarray(found.qpos[0])


def _push_m(robot: Robot, standing: TaskJacobians) -> Array:
    """Return where the ground shall push soles, so that weak ankles can hold the whole weight there. Shape (n, 2).

    A joint holds the weight times the height that its turn gives to where the ground pushes.
    """
    push = np.zeros((len(robot.feet), 2))
    for leg in robot.legs:
        index = robot.foot_names.index(leg.feet[0])
        room_m = AT_MOST_ASIDE * np.ptp(np.array(robot.feet[index].outline_m), axis=0) / 2.0
        for joint in (robot.joint_names.index(name) for name in leg.joints[-ANKLE:]):
            _, _, rise, about_x, about_y, _ = standing.foot[0, index, :, BASE + joint]
            able = WEAK * robot.torque_limit_nm[joint] / (robot.mass_kg * GRAVITY_M_S2)
            along, lever = (0, -about_y) if abs(about_y) > abs(about_x) else (1, about_x)
            if abs(lever) > LEVEL:
                push[index, along] = (np.clip(rise, -able, able) - rise) / lever
        push[index] = np.clip(push[index], -room_m, room_m)
    return push


def _length_m(robot: Robot, qpos: Array) -> float:
    """Return the distance between the middles of the front and of the hind hips; 0 for a biped."""
    hips = joint_anchors(robot, qpos)[[robot.joint_names.index(leg.joints[0]) for leg in robot.legs], 0]
    behind = np.sort(hips)[: len(hips) // 2]
    return 2.0 * float(hips.mean() - behind.mean()) if len(hips) > 2 else 0.0


def _bent(robot: Robot, qpos: Array) -> Array:
    """Return a posture from which the body can sink: the given one, or that with legs bent where they are straight."""
    sunk = _sunk(robot, qpos, qpos, 1.0 - FREE_TO_SINK)
    turned_rad = float(np.abs(sunk.qpos[0, FLOATING:] - qpos[FLOATING:]).max())
    if _error_m(sunk) < LARGEST_ERROR_M and turned_rad < STRAIGHT_RAD:
        return qpos
    found = [_sunk(robot, qpos, start, BENT) for start in _nudged(robot, qpos)]
    best = min(found, key=_error_m)
    return best.qpos[0] if _error_m(best) < LARGEST_ERROR_M else qpos


def _error_m(found: WholeBodySolution) -> float:
    return float(found.foot_error_m.max() + found.com_error_m.max())


def _sunk(robot: Robot, qpos: Array, start: Array, share: float) -> WholeBodySolution:
    """Return the posture with the same feet and attitude whose centre of mass has a share of its height."""
    now = task_jacobians(robot, qpos[None])
    targets = BodyTargets(
        foot_in_world=now.foot_in_world,
        foot_rotation=now.foot_rotation,
        foot_hold=np.ones(now.foot_in_world.shape[:2]),
        com_in_world=now.com_in_world * np.array([1.0, 1.0, share]),
        base_rotation=now.base_rotation,
        joint_rad=start[None, FLOATING:],
    )
    length_m = float(now.com_in_world[0, 2])
    return solve_whole_body(robot, targets, start[None], length_m=length_m, iterations=SINGLE_ITERATIONS)


def _nudged(robot: Robot, qpos: Array) -> list[Array]:
    """Return postures in which one joint of every leg, the same one from the hip on, is bent into its range."""
    middle = (robot.joint_lower_rad + robot.joint_upper_rad) / 2.0
    starts = []
    for place in range(max(len(leg.joints) for leg in robot.legs)):
        start = qpos.copy()
        for leg in robot.legs:
            joint = robot.joint_names.index(leg.joints[min(place, len(leg.joints) - 1)])
            start[FLOATING + joint] += np.sign(middle[joint] - qpos[FLOATING + joint]) * NUDGE_RAD
        starts.append(start)
    return starts


def _places(robot: Robot, foot_m: Array) -> tuple[str, ...]:
    """Return the places of feet from where they stand; raises BadTableError if two share one."""
    sides = np.where(foot_m[:, 1] > 0.0, "left", "right")
    if len(foot_m) == 4:
        ends = np.where(foot_m[:, 0] > 0.0, "front ", "hind ")
        sides = np.char.add(ends, sides)
    places = tuple(str(side) for side in sides)
    if len(set(places)) != len(places):
        raise BadTableError(f"{robot.name} does not stand with one foot at each corner: {', '.join(places)}.")
    return places
