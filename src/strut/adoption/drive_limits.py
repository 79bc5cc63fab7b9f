"""Drive limits: how fast and how strongly joints turn: what the file says, what that is worth, and what is assumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain

import mujoco
import numpy as np

from strut.adoption.body_plan import BodyPlan
from strut.adoption.described_model import DescribedModel
from strut.adoption.foot_finder import leg_length_m
from strut.adoption.note import Note, list_names
from strut.adoption.plain_model import hinges_of
from strut.arrays import Array
from strut.plumbing.number_text import format_count
from strut.robot import BASE

_UNREAL = 15.0  # times the largest standing torque: no real limit
_ASSUMED_TORQUE = 3.0  # times the largest standing torque
_LEG_SPEED_RAD_S = 15.0
_OTHER_SPEED_RAD_S = 6.0
_FASTEST_RAD_S = 60.0  # faster is no real limit
_SLOWEST = 0.3  # sqrt(g / h) rad/s: with a slower joint no leg steps, however slowly it walks
_SAG_RAD = 0.06  # by which a servo gives way under the largest standing torque
_DAMPING_RATIO = 0.7
_SETTLE_S = 0.02  # of damping over stiffness where a leg holds a whole body upright
_UPRIGHT = 8.0  # times the weight at the height of the centre of mass: hip, knee and ankle give way one after another
_LEAST_TORQUE_NM = 0.05
_SWING = 2.3  # largest acceleration of an arm in g / h: 0.6 rad to each side, 1.3 times as often as the pattern has it


@dataclass(frozen=True, slots=True)
class DriveLimit:
    """A joint's limits and servo.

    Args:
        joint: Its name.
        range_rad: Least and largest angle.
        speed_rad_s: Largest speed.
        torque_nm: Largest torque.
        stiffness_nm_rad: Of its position servo.
        damping_nm_s_rad: Likewise.
        assumed: Which of its limits no file tells.
    """

    joint: str
    range_rad: tuple[float, float]
    speed_rad_s: float
    torque_nm: float
    stiffness_nm_rad: float
    damping_nm_s_rad: float
    assumed: tuple[str, ...] = ()


def drive_limits(
    anatomy: BodyPlan, described: DescribedModel, joints: Sequence[int]
) -> tuple[tuple[DriveLimit, ...], tuple[Note, ...]]:
    """Return limits and servos of joints, with notes about what was assumed."""
    in_legs = set(chain.from_iterable(leg.joints for leg in anatomy.legs))
    standing = np.abs(standing_torques_nm(anatomy))
    peak = max(standing[list(in_legs)].max(), _bent_knee_torque_nm(anatomy))
    efforts = _motor_torques_nm(described.model) | described.effort_nm
    limits = []
    told = _Told()
    upright = _upright_stiffness(anatomy)
    rhythm = _SLOWEST * float(np.sqrt(9.81 / anatomy.tree.com(anatomy.standing)[2]))
    for joint in joints:
        worst = peak if joint in in_legs else max(standing[joint], _holding_torque_nm(anatomy, joint))
        name = anatomy.tree.joint_name(joint)
        needed = float(worst) if joint in in_legs else float(worst) + _swinging_torque_nm(anatomy, joint)
        torque = told.torque_nm(name, _of_source(name, efforts), float(standing[joint]), needed, max(peak, needed))
        usual, slowest = (_LEG_SPEED_RAD_S, rhythm) if joint in in_legs else (_OTHER_SPEED_RAD_S, 0.0)
        speed = told.speed_rad_s(name, _of_source(name, described.speed_rad_s), slowest, usual)
        if not anatomy.tree.model.jnt_limited[joint]:
            told.no_range.append(name)
        low, high = anatomy.tree.bounds([joint])
        least = upright if joint in in_legs else 0.0
        stiffness, damping = _servo(anatomy, joint, float(worst), least)
        ends = (float(low[0]), float(high[0]))
        limits.append(DriveLimit(name, ends, speed, torque, stiffness, damping, told.of(name)))
    return tuple(limits), tuple(told.notes())


@dataclass(slots=True)
class _Told:
    """Joints of which something was assumed."""

    no_torque: list[str] = field(default_factory=list)
    unreal: list[str] = field(default_factory=list)
    too_weak: list[str] = field(default_factory=list)
    no_speed: list[str] = field(default_factory=list)
    too_slow: list[str] = field(default_factory=list)
    no_range: list[str] = field(default_factory=list)

    def torque_nm(self, name: str, written: float, standing: float, worst: float, largest: float) -> float:
        """Return the torque limit of a joint: as written if it is one, else a multiple of the worst it has to hold.

        One with which it could not even stand is none: motors are described before their gears, or not at all.
        """
        if standing < written <= _UNREAL * largest:
            return written
        none = self.no_torque if written <= 0.0 else self.unreal if written > standing else self.too_weak
        none.append(name)
        return _ASSUMED_TORQUE * worst

    def speed_rad_s(self, name: str, written: float, slowest: float, usual: float) -> float:
        """Return the speed limit of a joint: as written if it is one, else what is usual."""
        if slowest < written <= _FASTEST_RAD_S:
            return written
        (self.too_slow if 0.0 < written <= slowest else self.no_speed).append(name)
        return usual

    def of(self, name: str) -> tuple[str, ...]:
        """Return which limits of a joint were assumed."""
        assumed_of = {"speed": self.no_speed + self.too_slow, "torque": self.no_torque + self.unreal + self.too_weak}
        return tuple(limit for limit, names in assumed_of.items() if name in names)

    def notes(self) -> list[Note]:
        """Return what was assumed as sentences."""
        times = f"{_ASSUMED_TORQUE:g} times"
        needs = "what standing, or holding and swinging an arm, needs"
        told = (
            (self.no_torque, f"[has|have] no torque limit: {times} {needs} is assumed"),
            (
                self.unreal,
                f"[has a torque limit|have torque limits] above {_UNREAL:g} times {needs}: {times} is assumed",
            ),
            (
                self.too_weak,
                f"[has a torque limit|have torque limits] too small to stand with: {times} {needs} is assumed",
            ),
            (
                self.no_speed,
                f"[has|have] no speed limit: {_LEG_SPEED_RAD_S:g} rad/s in legs, else {_OTHER_SPEED_RAD_S:g}, assumed",
            ),
            (self.too_slow, f"[is|are] too slow in the file for any step: {_LEG_SPEED_RAD_S:g} rad/s is assumed"),
            (self.no_range, "[has|have] no range: half a turn either way is assumed"),
        )
        return [
            Note.assumption(format_count(len(names), f"[joint|joints] ({list_names(names, 3)}) {words}."))
            for names, words in told
            if names
        ]


def _bent_knee_torque_nm(anatomy: BodyPlan) -> float:
    """Return a torque that any legged robot needs: its weight at a tenth of its leg, however straight it stands now."""
    anatomy.tree.pose(anatomy.standing)
    length = float(np.mean([leg_length_m(anatomy.tree, leg) for leg in anatomy.legs]))
    return 0.1 * length * 9.81 * anatomy.mass_kg


def _of_source(name: str, known: Mapping[str, float]) -> float:
    """Return what the file says of a joint, 0 if nothing; a hinge of a ball joint has what that joint has."""
    return known.get(name) or known.get(name.rpartition("_")[0], 0.0)


def _motor_torques_nm(model: mujoco.MjModel) -> dict[str, float]:
    """Return the largest torque of the motors of an MJCF by joint, and of joints that bound what motors may do."""
    torques: dict[str, float] = {}
    for joint in range(model.njnt):
        if model.jnt_actfrclimited[joint]:
            torques |= dict.fromkeys(hinges_of(model, joint), float(np.abs(model.jnt_actfrcrange[joint]).max()))
    for motor in range(model.nu):
        if int(model.actuator_trntype[motor]) != int(mujoco.mjtTrn.mjTRN_JOINT):
            continue
        if model.actuator_forcelimited[motor]:
            force = float(np.abs(model.actuator_forcerange[motor]).max())
        elif (
            int(model.actuator_biastype[motor]) == int(mujoco.mjtBias.mjBIAS_NONE) and model.actuator_ctrllimited[motor]
        ):
            force = float(np.abs(model.actuator_ctrlrange[motor]).max() * abs(model.actuator_gainprm[motor, 0]))
        else:
            continue
        torque = force * float(np.abs(model.actuator_gear[motor, :3]).max())
        for name in hinges_of(model, int(model.actuator_trnid[motor, 0])):
            torques[name] = min(torque, torques.get(name, np.inf))
    return torques


def standing_torques_nm(anatomy: BodyPlan) -> Array:
    """Return what every joint holds when the robot stands, its weight shared by its feet. Shape (njnt,)."""
    tree = anatomy.tree
    model = anatomy.tree.model
    data = tree.pose(anatomy.standing)
    mujoco.mj_forward(model, data)
    turns = data.xmat.reshape(-1, 3, 3)
    places = [(foot.link, data.xpos[foot.link] + foot.points @ turns[foot.link].T) for foot in anatomy.feet]
    torques = holding_torques_nm(model, data, [(link, place) for link, own in places for place in own])
    held = np.zeros(model.njnt)
    for joint in range(1, model.njnt):
        held[joint] = torques[model.jnt_dofadr[joint]]
    return held


def holding_torques_nm(model: mujoco.MjModel, data: mujoco.MjData, points: Sequence[tuple[int, Array]]) -> Array:
    """Return what holds a posture at rest whose weight points share, by velocity; that of the base is what they lack.

    Args:
        model: Whose base floats.
        data: Its posture, by `mj_forward`.
        points: Bodies, and places on them in world (3,).

    Returns:
        Shape (nv,).
    """
    jacobians = np.zeros((len(points), 3, model.nv))
    for jacobian, (body, place) in zip(jacobians, points, strict=True):
        mujoco.mj_jac(model, data, jacobian, None, place, body)
    stacked = jacobians.reshape(-1, model.nv)
    force = np.linalg.lstsq(stacked[:, :BASE].T, data.qfrc_bias[:BASE], rcond=None)[0]
    return np.asarray(data.qfrc_bias - stacked.T @ force)


def _holding_torque_nm(anatomy: BodyPlan, joint: int) -> float:
    """Return what a joint must hold at most against the weight of what it moves, held out level."""
    model = anatomy.tree.model
    data = anatomy.tree.data
    body = int(model.jnt_bodyid[joint])
    mass = float(model.body_subtreemass[body])
    arm = float(np.linalg.norm(data.subtree_com[body] - data.xanchor[joint]))
    return max(mass * 9.81 * arm, _LEAST_TORQUE_NM)


def _swinging_torque_nm(anatomy: BodyPlan, joint: int) -> float:
    """Return what a joint needs to swing what it moves in the rhythm of a quick walk."""
    inertia = float(anatomy.tree.inertia_diagonal()[int(anatomy.tree.model.jnt_dofadr[joint])])
    height_m = float(anatomy.tree.pose(anatomy.standing).subtree_com[1, 2])
    return inertia * _SWING * 9.81 / height_m


def _upright_stiffness(anatomy: BodyPlan) -> float:
    """Return the least stiffness of a biped's legs: as springs in a row they must hold an inverted pendulum upright."""
    if len(anatomy.legs) > 2:
        return 0.0
    height_m = float(anatomy.tree.pose(anatomy.standing).subtree_com[1, 2])
    return _UPRIGHT * anatomy.mass_kg * 9.81 * height_m / len(anatomy.legs)


def _servo(anatomy: BodyPlan, joint: int, torque_nm: float, least_nm_rad: float) -> tuple[float, float]:
    """Return stiffness and damping of a position servo that gives way a little under the largest standing torque."""
    model = anatomy.tree.model
    stiffness = max(torque_nm / _SAG_RAD, least_nm_rad)
    inertia = max(float(anatomy.tree.inertia_diagonal()[int(model.jnt_dofadr[joint])]), 1e-5)
    damping = 2.0 * _DAMPING_RATIO * float(np.sqrt(stiffness * inertia))
    return stiffness, max(damping, _SETTLE_S * least_nm_rad)
