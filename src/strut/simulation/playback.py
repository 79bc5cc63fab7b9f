"""Playback: a motion played by torque-limited position servos on a floor, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from strut.audit import STANDS_STILL_M
from strut.balance.ground_force import share_ground_force
from strut.balance.support import runs
from strut.control.sensing import Sensing
from strut.control.servo_balance import ServoBalance
from strut.control.whole_body_control import WholeBodyControl
from strut.engines.contact_slip import rolled_m
from strut.engines.frame_kinematics import frame_poses
from strut.engines.inverse_dynamics import inverse_dynamics
from strut.engines.physics import Run, run_servos
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import OutOfRangeError, UnknownNameError
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.robot import Array, Robot
from strut.rotation import heading_of
from strut.simulation.outcome import Outcome
from strut.tables.gait import PatternTable

TIPPED_RAD = math.radians(30.0)  # further from the planned attitude than this is a fall
DOWN_S = 1.5  # who has been down for so long does not get up
SUNK = 0.5  # so is a body below this share of its planned height
LOADED_N = 1.0
CARRIES = 0.05  # of the weight: a foot that has less on it brushes the ground, it does not stand
LARGEST_FACTOR = 100.0
MUCH_SLIP_MM, MUCH_SHORT = 10.0, 0.1  # where servos alone do not suffice
Control = Literal["auto", "servos", "balance", "whole_body"]
CONTROLLERS = {"servos": None, "balance": ServoBalance, "whole_body": WholeBodyControl}  # the cheapest first


@dataclass(frozen=True, slots=True, eq=False)
class Playback:
    """A simulated motion: the outcome in numbers, and the motion that really happened."""

    outcome: Outcome
    motion: Motion


def simulate(
    motion: Motion,
    robot: Robot | None = None,
    *,
    friction: float | None = None,
    mass_scale: float = 1.0,
    control: Control = "auto",
    sensing: Sensing | None = None,
    on_sample: Callable[[int, int], None] | None = None,
) -> Playback:
    """Play a motion in MuJoCo.

    Args:
        motion: What the servos shall do.
        robot: Who does it; the motion's own robot if None.
        friction: Of the floor; the robot's own if None.
        mass_scale: How much heavier the robot is than its plan believes.
        control: `servos` follow the plan alone; `balance` also moves the pressure under the soles and the places where
            feet are put down by where the body is (`control.servo_balance`); `whole_body` drives the legs by torques
            from a quadratic program (`control.whole_body_control`); `auto` takes, for robots that walk by a gait
            pattern, the first of them with which the robot neither falls, slips nor stays behind.
        sensing: Noise and delay of the state that a controller sees; none if None.
        on_sample: Called with the samples done and their number.

    Example:
        >>> strut.simulate(strut.load_motion("happy.npz"), friction=0.5).outcome.fell
        False
    """
    robot = robot_of(motion, robot)
    motion.check_even()
    friction = robot.friction if friction is None else friction
    _check(robot, friction, mass_scale, control)
    tried: list[Playback] = []
    for name in _to_try(robot, motion, control):
        tried.append(_play(robot, motion, friction, mass_scale, name, sensing, on_sample))
        if _suffices(tried[-1].outcome):
            return tried[-1]
    return next((played for played in tried if not played.outcome.fell), tried[-1])


def _to_try(robot: Robot, motion: Motion, control: Control) -> list[str]:
    """Return the controllers to try, the cheapest first, without those that the receipt knows not to do."""
    if control != "auto":
        return [control]
    if not isinstance(robot.tables.gait, PatternTable):
        return ["servos"]
    names = list(CONTROLLERS)
    needed = motion.receipt.control if motion.receipt is not None else None
    return names[names.index(needed) :] if needed in names else names


def _check(robot: Robot, friction: float, mass_scale: float, control: Control) -> None:
    """Refuse what no world or controller is."""
    for name, value in (("friction", friction), ("mass scale", mass_scale)):
        if not 0.0 < value <= LARGEST_FACTOR:
            raise OutOfRangeError(f"The {name} is {value:g}; it must be above 0 and at most {LARGEST_FACTOR:g}.")
    if control not in get_args(Control):
        raise UnknownNameError("control", control, get_args(Control), "`strut simulate --help`")
    if control in ("balance", "whole_body") and not (robot.floats and robot.legs):
        raise OutOfRangeError(f"{robot.name} does not stand on legs, so that nothing can be balanced; use servos.")


def _suffices(outcome: Outcome) -> bool:
    """Return whether servos alone do what was planned: upright, as far, and without much slip."""
    short_m = abs(outcome.distance_m - outcome.commanded_distance_m)
    slip_mm = outcome.foot_slip_mm or 0.0
    return not outcome.fell and slip_mm <= MUCH_SLIP_MM and short_m <= MUCH_SHORT * outcome.commanded_distance_m


def _play(
    robot: Robot,
    motion: Motion,
    friction: float,
    mass_scale: float,
    control: str,
    sensing: Sensing | None,
    on_sample: Callable[[int, int], None] | None,
) -> Playback:
    """Return what comes of following the motion with a controller."""
    controller = CONTROLLERS[control]
    torque_nm = motion.torque_nm
    if torque_nm is None:
        dynamics = inverse_dynamics(robot, motion.time_s, motion.qpos)
        torque_nm = share_ground_force(robot, dynamics, motion.contact).torque_nm
    goals = motion.joint_angles_rad if robot.floats else motion.qpos  # a platform is driven, too
    unknown = np.zeros((len(torque_nm), goals.shape[1] - torque_nm.shape[1]))
    run = run_servos(
        robot,
        motion.time_s,
        motion.qpos[0],
        goals,
        np.concatenate([unknown, torque_nm], axis=1),
        friction=friction,
        mass_scale=mass_scale,
        feedback=None if controller is None else controller(robot, motion, sensing),
        on_sample=on_sample,
        ends=partial(_stays_down, motion) if robot.floats else None,
    )
    happened = Motion(
        robot=motion.robot,
        time_s=run.time_s,
        qpos=run.qpos,
        joint_names=motion.joint_names,
        contact=run.foot_load_n > LOADED_N,
        foot_names=motion.foot_names,
        torque_nm=run.torque_nm[:, -len(motion.joint_names) :],
        meta={**motion.meta, "simulated": {"friction": friction, "mass_scale": mass_scale}},
    )
    outcome = replace(_outcome(robot, motion, run, mass_scale), control=control)
    return Playback(outcome, happened)


def _outcome(robot: Robot, motion: Motion, run: Run, mass_scale: float) -> Outcome:
    if not robot.floats:
        return _held_outcome(robot, motion, run)
    down = list(runs(_fallen(motion, run)))
    fell = bool(down) and down[-1].stop == len(run.time_s)  # else it got up again
    upright = down[-1].start if fell else len(run.time_s) - 1
    planned = motion.qpos[-1, :2] - motion.qpos[0, :2]
    commanded_m = float(np.linalg.norm(planned))
    direction = planned / commanded_m if commanded_m > STANDS_STILL_M else np.array([1.0, 0.0])
    distance_m = float((run.qpos[upright, :2] - run.qpos[0, :2]) @ direction)
    joint_rad = run.qpos[: upright + 1, robot.base_size :]
    work_j = float(np.sum(run.power_w[:upright]) * (run.time_s[1] - run.time_s[0]))
    weight_n = robot.mass_kg * mass_scale * GRAVITY_M_S2
    return Outcome(
        fell=fell,
        stumbles=len(down) - fell,
        upright_s=float(run.time_s[upright] - run.time_s[0]),
        distance_m=distance_m,
        commanded_distance_m=commanded_m,
        heading_drift_rad=math.remainder(
            heading_of(run.qpos[upright, 3:7]) - heading_of(motion.qpos[upright, 3:7]), math.tau
        ),
        foot_slip_mm=_slip_m(robot, motion.contact[: upright + 1], run) * 1e3,
        tracking_error_rad=float(np.abs(joint_rad - motion.joint_angles_rad[: upright + 1]).max()),
        torque_use=float(np.max(np.abs(run.torque_nm[: upright + 1]) / robot.torque_limit_nm)),
        cost_of_transport=work_j / (weight_n * abs(distance_m)) if abs(distance_m) > STANDS_STILL_M else None,
    )


def _held_outcome(robot: Robot, motion: Motion, run: Run) -> Outcome:
    """Return the outcome of a robot that cannot fall, bolted down or on a platform: what counts is its hand."""
    planned = motion.qpos[-1, :2] - motion.qpos[0, :2] if robot.base_size else np.zeros(2)
    commanded_m = float(np.linalg.norm(planned))
    direction = planned / commanded_m if commanded_m > STANDS_STILL_M else np.array([1.0, 0.0])
    moved = run.qpos[-1, :2] - run.qpos[0, :2] if robot.base_size else np.zeros(2)
    joints = len(robot.joint_names)
    return Outcome(
        fell=False,
        upright_s=float(run.time_s[-1] - run.time_s[0]),
        distance_m=float(moved @ direction),
        commanded_distance_m=commanded_m,
        heading_drift_rad=float(run.qpos[-1, 2] - motion.qpos[-1, 2]) if robot.base_size else 0.0,
        foot_slip_mm=None,
        tracking_error_rad=float(np.abs(run.qpos[:, -joints:] - motion.joint_angles_rad).max()),
        torque_use=float(np.max(np.abs(run.torque_nm[:, -joints:]) / robot.torque_limit_nm)),
        cost_of_transport=None,
        hand_error_mm=_hand_error_m(robot, motion, run.qpos) * 1e3,
    )


def _hand_error_m(robot: Robot, motion: Motion, qpos: Array) -> float:
    """Return how far the hand of the motion's task, or the worst of all hands, gets from where the motion has it."""
    hands = robot.chains.hand
    busy = motion.meta.get("task", {}).get("hand")
    frames = [hands[busy]] if busy in hands else list(hands.values())
    far = [frame_poses(robot, frame, qpos)[0] - frame_poses(robot, frame, motion.qpos)[0] for frame in frames]
    return float(max(np.linalg.norm(one, axis=1).max() for one in far))


def _stays_down(motion: Motion, run: Run) -> bool:
    """Return whether a body was down in all of the last `DOWN_S`."""
    last = run.time_s > run.time_s[-1] - DOWN_S
    return bool(run.time_s[-1] - run.time_s[0] > DOWN_S and _fallen(motion, run)[last].all())


def _fallen(motion: Motion, run: Run) -> npt.NDArray[np.bool_]:
    """Return when the body is tipped over or sunk against the plan, or carried by anything but feet. Shape (T,)."""
    planned = motion.qpos[: len(run.qpos)]
    between = np.abs(np.sum(run.qpos[:, 3:7] * planned[:, 3:7], axis=1)).clip(0.0, 1.0)
    tipped = 2.0 * np.arccos(between) > TIPPED_RAD
    sunk = run.qpos[:, 2] < SUNK * planned[:, 2]
    broken = ~np.isfinite(run.qpos).all(axis=1)
    return np.asarray(tipped | sunk | broken | (run.other_load_n > LOADED_N))


def _slip_m(robot: Robot, planned_contact: npt.NDArray[np.bool_], run: Run) -> float:
    """Return the largest distance that a foot slid while it carried, within one planned stance, rolling not counted."""
    largest, carries_n = 0.0, CARRIES * robot.mass_kg * GRAVITY_M_S2
    for foot, down in enumerate(planned_contact.T):
        slid_m = run.foot_in_world[:, foot] - rolled_m(robot, robot.feet[foot].points[0], run.qpos)
        for stance in runs(down):
            loaded = np.flatnonzero(run.foot_load_n[stance, foot] > carries_n)
            if len(loaded):
                path = slid_m[stance, :2][loaded[0] : loaded[-1] + 1]
                largest = max(largest, float(np.linalg.norm(path - path[0], axis=1).max()))
    return largest
