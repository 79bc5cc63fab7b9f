"""Drive limits: torque, speed and range of every joint: from the file if plausible, else assumed with a note."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import mujoco
import numpy as np

from strut.adoption.anatomy import Anatomy
from strut.adoption.description import RobotDescription
from strut.adoption.foot_finder import leg_length_m
from strut.adoption.note import Note, list_names
from strut.adoption.plain_model import hinge_names
from strut.arrays import Array
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.plumbing.number_text import format_count
from strut.robot import BASE

_MAX_TORQUE = 15.0  # times the torque that is needed: a larger limit is no real one
_ASSUMED_TORQUE = 3.0  # times the torque that is needed
_MIN_TORQUE_NM = 0.05
_LEG_SPEED_RAD_S = 15.0  # assumed for joints of legs
_OTHER_SPEED_RAD_S = 6.0  # assumed for all others
_MAX_SPEED_RAD_S = 60.0  # a larger limit is no real one
_MIN_LEG_SPEED = 0.3  # times sqrt(g / h): with a slower joint a leg cannot step, however slowly the robot walks
_BENT_KNEE_ARM = 0.1  # of the leg's length: lever arm of the weight at a bent knee
_SAG_RAD = 0.06  # by which a servo yields under the largest standing torque
_DAMPING_RATIO = 0.7
_SETTLE_S = 0.02  # damping over stiffness of a leg that holds a whole body upright
_UPRIGHT = 8.0  # times weight times height of the centre of mass: hip, knee and ankle yield in series
_MIN_INERTIA_KG_M2 = 1e-5  # of a joint without any
_SWING = 2.3  # largest acceleration of a swinging arm, times g / h: 0.6 rad to each side at 1.3 times the usual tempo


@dataclass(frozen=True, slots=True)
class DriveLimit:
    """The limits and the position servo of a joint.

    Args:
        joint: Its name.
        range_rad: Lower and upper limit of the angle.
        speed_rad_s: Speed limit.
        torque_nm: Torque limit.
        stiffness_nm_rad: Stiffness of the servo.
        damping_nm_s_rad: Damping of the servo.
        assumed: Limits that are not from the file: `speed`, `torque`.
    """

    joint: str
    range_rad: tuple[float, float]
    speed_rad_s: float
    torque_nm: float
    stiffness_nm_rad: float
    damping_nm_s_rad: float
    assumed: tuple[str, ...] = ()


def find_drive_limits(
    anatomy: Anatomy, description: RobotDescription, joints: Sequence[int]
) -> tuple[tuple[DriveLimit, ...], tuple[Note, ...]]:
    """Return limits and servos of joints, with notes about what was assumed."""
    leg_joints = set(chain.from_iterable(leg.joints for leg in anatomy.legs))
    standing_torque = np.abs(standing_torques_nm(anatomy))
    leg_torque = max(standing_torque[list(leg_joints)].max(), _bent_knee_torque_nm(anatomy))
    file_torques = _motor_torques_nm(description.model) | description.effort_nm
    upright_stiffness = _upright_stiffness_nm_rad(anatomy)
    min_leg_speed = _MIN_LEG_SPEED * float(np.sqrt(GRAVITY_M_S2 / anatomy.tree.com(anatomy.standing)[2]))
    assumptions = _Assumptions()
    limits = []
    for joint in joints:
        name = anatomy.tree.joint_name(joint)
        is_in_leg = joint in leg_joints
        if is_in_leg:
            holding = float(leg_torque)
            needed = holding
        else:
            holding = float(max(standing_torque[joint], _holding_torque_nm(anatomy, joint)))
            needed = holding + _swinging_torque_nm(anatomy, joint)
        torque = assumptions.torque_nm(
            name,
            in_file=_limit_in_file(name, file_torques),
            standing=float(standing_torque[joint]),
            needed=needed,
            max_needed=max(leg_torque, needed),
        )
        speed = assumptions.speed_rad_s(
            name,
            in_file=_limit_in_file(name, description.speed_rad_s),
            minimum=min_leg_speed if is_in_leg else 0.0,
            usual=_LEG_SPEED_RAD_S if is_in_leg else _OTHER_SPEED_RAD_S,
        )
        if not anatomy.tree.model.jnt_limited[joint]:
            assumptions.no_range.append(name)
        lower, upper = anatomy.tree.bounds([joint])
        stiffness, damping = _servo(anatomy, joint, holding, upright_stiffness if is_in_leg else 0.0)
        range_rad = (float(lower[0]), float(upper[0]))
        limits.append(DriveLimit(name, range_rad, speed, torque, stiffness, damping, assumptions.of_joint(name)))
    return tuple(limits), tuple(assumptions.notes())


@dataclass(slots=True)
class _Assumptions:
    """Names of joints for which a limit is assumed, by the reason."""

    no_torque: list[str] = field(default_factory=list)
    too_strong: list[str] = field(default_factory=list)
    too_weak: list[str] = field(default_factory=list)
    no_speed: list[str] = field(default_factory=list)
    too_slow: list[str] = field(default_factory=list)
    no_range: list[str] = field(default_factory=list)

    def torque_nm(self, name: str, *, in_file: float, standing: float, needed: float, max_needed: float) -> float:
        """Return the torque limit of a joint: that of the file if it is plausible, else a multiple of what is needed.

        A limit too small to stand with is not plausible: it is that of a motor before its gear, or none at all.
        """
        if standing < in_file <= _MAX_TORQUE * max_needed:
            return in_file
        if in_file <= 0.0:
            self.no_torque.append(name)
        elif in_file > standing:
            self.too_strong.append(name)
        else:
            self.too_weak.append(name)
        return _ASSUMED_TORQUE * needed

    def speed_rad_s(self, name: str, *, in_file: float, minimum: float, usual: float) -> float:
        """Return the speed limit of a joint: that of the file if it is plausible, else the usual one."""
        if minimum < in_file <= _MAX_SPEED_RAD_S:
            return in_file
        if 0.0 < in_file <= minimum:
            self.too_slow.append(name)
        else:
            self.no_speed.append(name)
        return usual

    def of_joint(self, name: str) -> tuple[str, ...]:
        """Return which limits of a joint are assumed."""
        speed = ("speed",) if name in self.no_speed + self.too_slow else ()
        torque = ("torque",) if name in self.no_torque + self.too_strong + self.too_weak else ()
        return (*speed, *torque)

    def notes(self) -> list[Note]:
        """Return a note for each reason."""
        multiple = f"{_ASSUMED_TORQUE:g} times"
        needed = "what standing, or holding and swinging an arm, needs"
        reasons = (
            (self.no_torque, f"[has|have] no torque limit: {multiple} {needed} is assumed"),
            (
                self.too_strong,
                f"[has a torque limit|have torque limits] above {_MAX_TORQUE:g} times {needed}: {multiple} is assumed",
            ),
            (
                self.too_weak,
                f"[has a torque limit|have torque limits] too small to stand with: {multiple} {needed} is assumed",
            ),
            (
                self.no_speed,
                f"[has|have] no speed limit: {_LEG_SPEED_RAD_S:g} rad/s in legs, else {_OTHER_SPEED_RAD_S:g}, assumed",
            ),
            (self.too_slow, f"[is|are] too slow in the file for any step: {_LEG_SPEED_RAD_S:g} rad/s is assumed"),
            (self.no_range, "[has|have] no range: half a turn either way is assumed"),
        )
        return [
            Note.assumption(format_count(len(names), f"[joint|joints] ({list_names(names, 3)}) {text}."))
            for names, text in reasons
            if names
        ]


def _limit_in_file(name: str, limits: Mapping[str, float]) -> float:
    """Return the limit of a joint in the file, 0 if it has none; a hinge of a ball joint has that of the joint."""
    return limits.get(name) or limits.get(name.rpartition("_")[0], 0.0)


def _motor_torques_nm(model: mujoco.MjModel) -> dict[str, float]:
    """Return the torque limits of an MJCF by joint: those of its motors and those of the joints themselves."""
    torques: dict[str, float] = {}
    for joint in range(model.njnt):
        if model.jnt_actfrclimited[joint]:
            limit = float(np.abs(model.jnt_actfrcrange[joint]).max())
            torques |= dict.fromkeys(hinge_names(model, joint), limit)
    for motor in range(model.nu):
        if int(model.actuator_trntype[motor]) != int(mujoco.mjtTrn.mjTRN_JOINT):
            continue
        is_torque_motor = int(model.actuator_biastype[motor]) == int(mujoco.mjtBias.mjBIAS_NONE)
        if model.actuator_forcelimited[motor]:
            force = float(np.abs(model.actuator_forcerange[motor]).max())
        elif is_torque_motor and model.actuator_ctrllimited[motor]:
            force = float(np.abs(model.actuator_ctrlrange[motor]).max() * abs(model.actuator_gainprm[motor, 0]))
        else:
            continue
        torque = force * float(np.abs(model.actuator_gear[motor, :3]).max())
        for name in hinge_names(model, int(model.actuator_trnid[motor, 0])):
            torques[name] = min(torque, torques.get(name, np.inf))
    return torques


def standing_torques_nm(anatomy: Anatomy) -> Array:
    """Return the torques of all joints in the standing posture, with the weight shared by the feet. Shape (njnt,)."""
    tree = anatomy.tree
    model = tree.model
    data = tree.pose(anatomy.standing)
    mujoco.mj_forward(model, data)
    contacts = []
    for foot in anatomy.feet:
        rotation = data.xmat[foot.link].reshape(3, 3)
        contacts += [(foot.link, point) for point in data.xpos[foot.link] + foot.points @ rotation.T]
    torques = holding_torques_nm(model, data, contacts)
    by_joint = np.zeros(model.njnt)
    for joint in range(1, model.njnt):
        by_joint[joint] = torques[model.jnt_dofadr[joint]]
    return by_joint


def holding_torques_nm(model: mujoco.MjModel, data: mujoco.MjData, contacts: Sequence[tuple[int, Array]]) -> Array:
    """Return the generalised forces that hold a posture at rest, with the weight shared by contact points.

    The first six are those that the contacts cannot provide.

    Args:
        model: A model with a floating base.
        data: The posture, after `mj_forward`.
        contacts: Bodies, each with a point in world (3,).

    Returns:
        Shape (nv,).
    """
    jacobians = np.zeros((len(contacts), 3, model.nv))
    for jacobian, (body, point) in zip(jacobians, contacts, strict=True):
        mujoco.mj_jac(model, data, jacobian, None, point, body)
    stacked = jacobians.reshape(-1, model.nv)
    force = np.linalg.lstsq(stacked[:, :BASE].T, data.qfrc_bias[:BASE], rcond=None)[0]
    return np.asarray(data.qfrc_bias - stacked.T @ force)


def _bent_knee_torque_nm(anatomy: Anatomy) -> float:
    """Return the torque of the weight at a bent knee: every legged robot needs it, however straight it stands now."""
    anatomy.tree.pose(anatomy.standing)
    length_m = float(np.mean([leg_length_m(anatomy.tree, leg) for leg in anatomy.legs]))
    return _BENT_KNEE_ARM * length_m * GRAVITY_M_S2 * anatomy.mass_kg


def _holding_torque_nm(anatomy: Anatomy, joint: int) -> float:
    """Return the torque of a joint that holds what it moves out horizontally."""
    model = anatomy.tree.model
    data = anatomy.tree.data
    body = int(model.jnt_bodyid[joint])
    mass_kg = float(model.body_subtreemass[body])
    arm_m = float(np.linalg.norm(data.subtree_com[body] - data.xanchor[joint]))
    return max(mass_kg * GRAVITY_M_S2 * arm_m, _MIN_TORQUE_NM)


def _swinging_torque_nm(anatomy: Anatomy, joint: int) -> float:
    """Return the torque with which a joint swings what it moves in the rhythm of a quick walk."""
    inertia = float(anatomy.tree.inertia_diagonal()[int(anatomy.tree.model.jnt_dofadr[joint])])
    com_height_m = float(anatomy.tree.pose(anatomy.standing).subtree_com[1, 2])
    return inertia * _SWING * GRAVITY_M_S2 / com_height_m


def _upright_stiffness_nm_rad(anatomy: Anatomy) -> float:
    """Return the smallest joint stiffness with which the legs of a biped hold an inverted pendulum upright."""
    if len(anatomy.legs) > 2:
        return 0.0
    com_height_m = float(anatomy.tree.pose(anatomy.standing).subtree_com[1, 2])
    return _UPRIGHT * anatomy.mass_kg * GRAVITY_M_S2 * com_height_m / len(anatomy.legs)


def _servo(anatomy: Anatomy, joint: int, torque_nm: float, min_stiffness: float) -> tuple[float, float]:
    """Return stiffness and damping of a position servo that yields a little under a torque."""
    model = anatomy.tree.model
    stiffness = max(torque_nm / _SAG_RAD, min_stiffness)
    inertia = max(float(anatomy.tree.inertia_diagonal()[int(model.jnt_dofadr[joint])]), _MIN_INERTIA_KG_M2)
    damping = 2.0 * _DAMPING_RATIO * float(np.sqrt(stiffness * inertia))
    return stiffness, max(damping, _SETTLE_S * min_stiffness)
