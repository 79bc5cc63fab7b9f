"""Robot track: a robot's movement as a file of another program holds it, and the motion that is read from it.

Such files differ in what they leave open: the order of joints without names, the order of the numbers of a quaternion,
and which feet stand. The movement itself shows what a file does not say: under the right convention the lowest point of
the feet stands still and joints stay in their ranges; under a wrong one that point slides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from strut.arrays import Array, Index
from strut.balance.contact_detection import detect_contacts
from strut.balance.foot_drift import CLEARLY, SCORED_SAMPLES, movement_error, scored_pairs
from strut.errors import OutOfRangeError
from strut.formats.reader import FormatError, require
from strut.formats.resample import resample_qpos
from strut.models.catalogue import as_robot
from strut.models.joint_order import JOINT_ORDERS, JointOrder, joint_order, known_order
from strut.motion import Motion
from strut.plumbing.number_text import format_count
from strut.robot import FLOATING, Robot

QuaternionOrder = Literal["wxyz", "xyzw"]
QUATERNION_ORDERS: tuple[QuaternionOrder, ...] = get_args(QuaternionOrder)
MAX_QUATERNION_ERROR = 0.02  # of its length: files round to a few decimals; beyond, it is no rotation
MIN_NAMED = 0.5  # share of the robot's joints that a file with names must name
MIN_RATE_HZ = 50.0  # below, differences of samples miss the accelerations of a step
MAX_RATE_HZ = 10_000.0  # of any file: no robot is sampled faster
RATE_HZ = 100.0  # of a motion from a file with fewer samples


@dataclass(frozen=True, slots=True, eq=False)
class RobotTrack:
    """Samples of a robot in a file.

    Args:
        time_s: Shape (T,).
        joint_rad: Joint angles. Shape (T, n).
        joint_names: Their names; None if the file has none.
        base_m: Position of the base in world, z up; None if the file has none. Shape (T, 3).
        base_quaternion: Orientation of the base, in the order of `quaternion_order`. Shape (T, 4).
        joint_order: Order of joints without names, as the format defines it; None if it does not.
        quaternion_order: As the format defines it; None if it does not.
        torque_nm: Joint torques in the order of the joints. Shape (T, n).
        notes: What the file does not say and the reader found or assumed, as sentences.
        meta: More of the file, for the meta of the motion.
    """

    time_s: Array
    joint_rad: Array
    joint_names: tuple[str, ...] | None = None
    base_m: Array | None = None
    base_quaternion: Array | None = None
    joint_order: JointOrder | None = None
    quaternion_order: QuaternionOrder | None = None
    torque_nm: Array | None = None
    notes: tuple[str, ...] = ()
    meta: Mapping[str, Any] = field(default_factory=dict)

    def rows(self, samples: Index) -> RobotTrack:
        """Return some samples, without torques. Shape (M,)."""
        return replace(
            self,
            time_s=self.time_s[samples],
            joint_rad=self.joint_rad[samples],
            base_m=None if self.base_m is None else self.base_m[samples],
            base_quaternion=None if self.base_quaternion is None else self.base_quaternion[samples],
            torque_nm=None,
        )


@dataclass(frozen=True, slots=True)
class Convention:
    """How the numbers of a file are read.

    Args:
        joints: Order of joints without names.
        quaternions: Order of the numbers of a quaternion.
    """

    joints: JointOrder
    quaternions: QuaternionOrder


def check_rate_hz(values: npt.NDArray[np.generic]) -> float:
    """Return the frames per second of a file, its `fps`; raises FormatError for anything but a rate of a robot."""
    require(values.size == 1 and values.dtype.kind in "fiu", "has no single number in fps.")
    rate_hz = float(np.asarray(values, dtype=np.float64).reshape(()))
    require(
        0.0 < rate_hz <= MAX_RATE_HZ,
        f"has {rate_hz:g} frames per second; it must be more than 0 and at most {MAX_RATE_HZ:g}.",
    )
    return rate_hz


def motion_of_track(
    track: RobotTrack,
    robot: Robot | str,
    *,
    joints: str | None = None,
    quaternions: str | None = None,
    floor_m: float = 0.0,
) -> Motion:
    """Return the motion of a robot that a file holds; contacts are detected.

    Args:
        track: Samples of the file.
        robot: The robot that moves.
        joints: Order of joints without names, if the caller knows it.
        quaternions: Order of the numbers of quaternions, if the caller knows it.
        floor_m: Height of the floor in the file, which becomes 0.

    Raises:
        FormatError: If the file does not fit the robot, or its convention cannot be found.
    """
    body = as_robot(robot)
    if not body.floats and body.base_size:
        raise OutOfRangeError(f"{body.name} moves on a platform; clips are read for robots on legs or on a fixed base.")
    orders = JOINT_ORDERS if joints is None else (known_order(joints),)
    numbers = QUATERNION_ORDERS if quaternions is None else (_known_quaternions(quaternions),)
    _check_times(track.time_s)
    track, joint_note = _with_named_joints(track, body)
    track, base_note = _with_base(track, body)
    allowed = [Convention(*pair) for pair in product(orders, numbers)]
    convention, convention_note = _find_convention(track, body, allowed)
    qpos = _qpos(track, body, convention)
    floor_note: tuple[str, ...] = ()
    if floor_m:
        require(math.isfinite(floor_m), f"cannot have its floor at {floor_m:g} m; give a finite number of metres.")
        require(body.floats, f"has no floor: {body.name} stands on a fixed base; leave floor_m out.")
        qpos[:, 2] -= floor_m
        floor_note = (f"The floor of the file is at {floor_m:g} m, as given; heights are counted from there.",)
    time_s = track.time_s - track.time_s[0]
    rate_hz = (len(time_s) - 1) / time_s[-1]
    rate_note: tuple[str, ...] = ()
    if rate_hz < MIN_RATE_HZ or not _is_even(time_s):
        known_s = time_s
        time_s = np.arange(int(known_s[-1] * RATE_HZ + 1e-6) + 1) / RATE_HZ
        qpos = resample_qpos(time_s, known_s, qpos, len(body.joint_names))
        rate_note = (f"{rate_hz:.3g} samples per second are resampled to {RATE_HZ:g} by splines.",)
    contact_note = ("The file has no contacts; they are found from heights and speeds of the feet.",)
    sentences = [*track.notes, *joint_note, *base_note, *convention_note, *floor_note, *rate_note]
    if body.feet:
        sentences += contact_note
    torque_nm = None
    if track.torque_nm is not None and not rate_note:
        torque_nm = track.torque_nm[:, np.argsort(joint_order(body, convention.joints))]
    return Motion(
        robot=body.name,
        time_s=time_s,
        qpos=qpos,
        joint_names=body.joint_names,
        contact=detect_contacts(body, time_s, qpos),
        foot_names=body.foot_names,
        torque_nm=torque_nm,
        meta={**track.meta, "robot_fingerprint": body.fingerprint, "notes": sentences},
    )


def omitted_beside_poses(motion: Motion) -> tuple[str, ...]:
    """Return what a motion has and a file of poses of a robot cannot store."""
    has = {
        "contacts": bool(motion.foot_names),
        "joint torques": motion.torque_nm is not None,
        "ground forces": motion.ground_force_n is not None,
        "receipt": motion.receipt is not None,
        "notes": True,
    }
    return tuple(name for name, is_there in has.items() if is_there)


def _known_quaternions(order: str) -> QuaternionOrder:
    for known in QUATERNION_ORDERS:
        if order == known:
            return known
    raise OutOfRangeError(f"The order of quaternions is '{order}'; it is one of {', '.join(QUATERNION_ORDERS)}.")


def _check_times(time_s: Array) -> None:
    require(len(time_s) > 1, "has fewer than two samples.")
    require(bool((np.diff(time_s) > 0.0).all()), "has times that do not increase.")


def _is_even(time_s: Array) -> bool:
    steps = np.diff(time_s)
    return bool(np.ptp(steps) <= 1e-6 * steps.mean() + 8.0 * float(np.spacing(np.abs(time_s).max())))


def _with_named_joints(track: RobotTrack, robot: Robot) -> tuple[RobotTrack, tuple[str, ...]]:
    """Return a track with all joints of a robot in its own order, if the file names them; else check their number."""
    own = robot.joint_names
    if track.joint_names is None:
        given = track.joint_rad.shape[1]
        require(given == len(own), f"has {given} joints without names; {robot.name} has {len(own)}.")
        return track, ()
    named = {name: column for column, name in enumerate(track.joint_names)}
    require(len(named) == len(track.joint_names), "names a joint twice.")
    missing = [name for name in own if name not in named]
    if len(missing) > MIN_NAMED * len(own):
        text = f"names the joints {_listed(track.joint_names)}; {robot.name} has {_listed(own)}."
        raise FormatError(text)
    joint_rad = np.tile(robot.standing_qpos[robot.base_size :], (len(track.time_s), 1))
    torque_nm = None if track.torque_nm is None or missing else np.empty_like(joint_rad)
    for index, name in enumerate(own):
        if name in named:
            joint_rad[:, index] = track.joint_rad[:, named[name]]
            if torque_nm is not None and track.torque_nm is not None:
                torque_nm[:, index] = track.torque_nm[:, named[name]]
    notes = []
    if missing:
        notes.append(f"The file has no angles for {_listed(missing)}; they keep those of the standing robot.")
    if unknown := [name for name in track.joint_names if name not in own]:
        notes.append(f"{robot.name} has no {_listed(unknown)}; their angles are left out.")
    arranged = replace(track, joint_rad=joint_rad, torque_nm=torque_nm, joint_order="depth-first")
    return arranged, tuple(notes)


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:4])
    return shown if len(names) <= 4 else f"{shown} and {format_count(len(names) - 4, '[other|others]')}"


def _with_base(track: RobotTrack, robot: Robot) -> tuple[RobotTrack, tuple[str, ...]]:
    """Return a track with a base of unit quaternions; a floating base that the file does not move stands still."""
    if not robot.floats:
        return replace(track, base_m=None, base_quaternion=None), ()
    samples = len(track.time_s)
    if track.base_m is None or track.base_quaternion is None:
        standing = robot.standing_qpos
        still = replace(
            track,
            base_m=np.tile(standing[:3], (samples, 1)),
            base_quaternion=np.tile(standing[3:FLOATING], (samples, 1)),
            quaternion_order="wxyz",
        )
        return still, ("The file has no base; the base stands still where the standing robot has it.",)
    length = np.linalg.norm(track.base_quaternion, axis=1)
    worst = float(np.abs(length - 1.0).max())
    require(worst <= MAX_QUATERNION_ERROR, f"has quaternions of length {length[np.argmax(np.abs(length - 1.0))]:.3g}.")
    quaternion = track.base_quaternion / length[:, None]
    turned = np.sign(np.cumprod(np.where((quaternion[1:] * quaternion[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)))
    quaternion[1:] *= turned[:, None]  # q and -q are one rotation; without jumps it can be interpolated
    return replace(track, base_quaternion=quaternion), ()


def _find_convention(
    track: RobotTrack, robot: Robot, allowed: Sequence[Convention]
) -> tuple[Convention, tuple[str, ...]]:
    """Return the convention of a file and what had to be found out, as sentences.

    The convention that the format defines is kept unless another one is clearly better: then the file follows that.
    """
    has_names = track.joint_names is not None
    candidates = [
        one
        for one in allowed
        if (one.joints == "depth-first" or not has_names) and (one.quaternions == "wxyz" or track.base_m is not None)
    ]
    by_format = [
        one
        for one in candidates
        if track.joint_order in (None, one.joints) and track.quaternion_order in (None, one.quaternions)
    ] or candidates
    if len(candidates) == 1:
        return candidates[0], ()
    error = {one: _convention_error(track, robot, one) for one in candidates}
    best = min(candidates, key=lambda one: error[one])
    usual = min(by_format, key=lambda one: error[one])
    if error[usual] <= CLEARLY * error[best]:
        others = [one for one in by_format if _differ(track, robot, one, usual)]
        if others and min(error[one] for one in others) < CLEARLY * error[usual]:
            raise FormatError(
                "does not say how it is to be read, and its feet move too little to tell; name the order of joints "
                "(depth-first, breadth-first) and of quaternions (wxyz, xyzw)."
            )
        is_chosen = len(by_format) > 1
        return usual, (f"It is read with {_described(usual)}: feet slide least that way.",) if is_chosen else ()
    return best, (
        f"It is read with {_described(best)}, not {_described(usual)} as such files are: feet slide "
        f"{error[usual] / error[best]:.0f} times less that way.",
    )


def _differ(track: RobotTrack, robot: Robot, one: Convention, other: Convention) -> bool:
    """Return whether two conventions read different movements from a file."""
    some = np.arange(0, len(track.time_s), max(1, len(track.time_s) // SCORED_SAMPLES))
    part = track.rows(some)
    return bool(np.abs(_qpos(part, robot, one) - _qpos(part, robot, other)).max() > 1e-6)


def _described(convention: Convention) -> str:
    return f"{convention.joints} joints and quaternions {convention.quaternions}"


def _convention_error(track: RobotTrack, robot: Robot, convention: Convention) -> float:
    """Return how badly a convention explains a movement."""
    pairs = scored_pairs(len(track.time_s))
    qpos = _qpos(track.rows(pairs.ravel()), robot, convention)
    return movement_error(robot, track.time_s[pairs], qpos.reshape(len(pairs), 2, -1))


def _qpos(track: RobotTrack, robot: Robot, convention: Convention) -> Array:
    """Return the configurations of a track under a convention. Shape (T, nq)."""
    joint_rad = np.empty_like(track.joint_rad)
    joint_rad[:, joint_order(robot, convention.joints)] = track.joint_rad
    if track.base_m is None or track.base_quaternion is None:
        return joint_rad
    quaternion = track.base_quaternion
    if convention.quaternions == "xyzw":
        quaternion = quaternion[:, [3, 0, 1, 2]]
    return np.column_stack([track.base_m, quaternion, joint_rad])
