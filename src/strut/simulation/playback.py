"""Playback: a motion played by torque-limited position servos on a floor, and what came of it."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.audit import STANDS_STILL_M
from strut.balance.ground_force import share_ground_force
from strut.engines.contact_slip import rolling_displacement
from strut.engines.frame_kinematics import frame_poses
from strut.engines.inverse_dynamics import inverse_dynamics
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import OutOfRangeError, UnknownNameError
from strut.maths.rotation import heading_of
from strut.maths.sampling import runs
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.robot import Robot
from strut.simulation.outcome import Outcome
from strut.simulation.physics import ASKED_S, Run, run_servos
from strut.simulation.sensing import Sensing
from strut.simulation.servo_balance import ServoBalance
from strut.simulation.whole_body_control import WholeBodyControl

TIPPED_RAD = math.radians(30.0)  # further from the planned attitude than this is a fall
DOWN_S = 1.5  # who has been down for so long does not get up
SUNK = 0.5  # so is a body below this share of its planned height
TOUCHED_N = 1.0  # a smaller contact force is numerical noise
CARRIES = 0.05  # of the weight: a foot that has less on it brushes the ground, it does not stand
LARGEST_FACTOR = 100.0
MUCH_SLIP_MM = 10.0
MUCH_SHORT = 0.1  # where servos alone do not suffice
STRAIGHT = 0.9  # share of its path that a straight way covers; bodies sway by a few per cent
CLEARLY = 1.25  # times that: nobody who is so far behind on the way is not at its end
Until = Callable[[Robot, Motion, Run], bool]
Control = Literal["auto", "servos", "balance", "whole_body"]
CONTROLLERS = {"servos": None, "balance": ServoBalance, "whole_body": WholeBodyControl}  # the cheapest first


@dataclass(frozen=True, slots=True, eq=False)
class Playback:
    """A simulated motion: the outcome in numbers, and the motion that really happened.

    Args:
        outcome: In numbers.
        motion: What happened.
        ended_early: Whether it was not played to its end.
    """

    outcome: Outcome
    motion: Motion
    ended_early: bool = False


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
        sensing: Noise and delay of the state that a controller sees; none if None. Servos see no such state: the
            outcome says so (`unfelt`), and `servos` with noise or delay are refused.
        on_sample: Called with the samples done and their number.

    Example:
        >>> strut.simulate(strut.load_motion("happy.npz"), friction=0.5).outcome.fell
        False
    """
    robot = robot_of(motion, robot)
    motion.check_even()
    friction = robot.friction if friction is None else friction
    _check(robot, friction, mass_scale, control)
    _check_felt(robot, control, sensing)
    play = partial(_play, robot, motion, friction, mass_scale, sensing=sensing, on_sample=on_sample)
    return _first_that_suffices(play, _to_try(robot, motion, control))


def simulate_as_planned(motion: Motion, robot: Robot, *, may_slide: bool) -> Playback:
    """Play a motion as `simulate` does; where it may not slide, no control with which it does is played to the end."""
    play = partial(_play, robot, motion, robot.friction, 1.0, sensing=None, on_sample=None)
    return _first_that_suffices(play, _to_try(robot, motion, "auto"), may_slide=may_slide)


def _first_that_suffices(play: Callable[..., Playback], controls: Sequence[str], *, may_slide: bool = True) -> Playback:
    """Return what comes of the first control that suffices, or of the first with which the robot stays upright."""
    *cheaper, last = controls
    upright = list[Playback]()
    for name in cheaper:
        played = play(control=name, until=_needs_another)
        if _suffices(played.outcome):
            return played
        upright += [played] * _will_do(played.outcome, may_slide=may_slide)
    best = play(control=last, until=None if may_slide else _slips_much)
    if _suffices(best.outcome):
        return best
    # a slip, or staying behind, ended most of them
    whole = (play(control=one.outcome.control) if one.ended_early else one for one in upright)
    return next((played for played in whole if not played.outcome.fell), best)


def _will_do(outcome: Outcome, *, may_slide: bool) -> bool:
    """Return whether a control that does not suffice is taken where no other does either."""
    return not outcome.fell and (may_slide or not _slid_much(outcome))


def _to_try(robot: Robot, motion: Motion, control: Control) -> list[str]:
    """Return the controllers to try, the cheapest first, without those that the receipt knows not to do."""
    if control != "auto":
        return [control]
    if robot.tables.gait is None or not robot.tables.gait.needs_balance:
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
    if control in ("balance", "whole_body") and not _stands_on_legs(robot):
        raise OutOfRangeError(f"{robot.name} does not stand on legs, so that nothing can be balanced; use servos.")


def _stands_on_legs(robot: Robot) -> bool:
    return bool(robot.floats and robot.legs)


def _unfelt(robot: Robot, control: str, sensing: Sensing | None) -> str | None:
    """Return a sentence if there is noise or delay that a control does not see; None otherwise."""
    if control != "servos" or sensing is None or sensing.is_perfect:
        return None
    advice = "; --control whole_body would feel them" if _stands_on_legs(robot) else ""
    return f"servos follow joint angles alone: noise and delay of an estimator change nothing{advice}"


def _check_felt(robot: Robot, control: Control, sensing: Sensing | None) -> None:
    """Refuse noise and delay for servos that were asked for."""
    unfelt = _unfelt(robot, control, sensing)
    if unfelt is not None:
        raise OutOfRangeError(f"{unfelt[:1].upper()}{unfelt[1:]}.")


def _suffices(outcome: Outcome) -> bool:
    """Return whether servos alone do what was planned: upright, as far, and without much slip."""
    short_m = abs(outcome.distance_m - outcome.commanded_distance_m)
    return not (outcome.fell or _slid_much(outcome)) and short_m <= MUCH_SHORT * outcome.commanded_distance_m


def _slid_much(outcome: Outcome) -> bool:
    return (outcome.foot_slip_mm or 0.0) > MUCH_SLIP_MM


def _play(
    robot: Robot,
    motion: Motion,
    friction: float,
    mass_scale: float,
    *,
    control: str,
    sensing: Sensing | None,
    on_sample: Callable[[int, int], None] | None,
    until: Until | None = None,
) -> Playback:
    """Return what comes of following the motion with a controller, to its end or until something is so."""
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
        ends=partial(_ends, robot, motion, until) if robot.floats else None,
    )
    happened = Motion(
        robot=motion.robot,
        time_s=run.time_s,
        qpos=run.qpos,
        joint_names=motion.joint_names,
        contact=run.foot_load_n > TOUCHED_N,
        foot_names=motion.foot_names,
        torque_nm=run.torque_nm[:, -len(motion.joint_names) :],
        meta={**motion.meta, "simulated": {"friction": friction, "mass_scale": mass_scale}},
    )
    outcome = _outcome(robot, motion, run, mass_scale)
    outcome = replace(outcome, control=control, unfelt=_unfelt(robot, control, sensing))
    return Playback(outcome, happened, ended_early=len(run.time_s) < len(motion.time_s))


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


def _ends(robot: Robot, motion: Motion, until: Until | None, run: Run) -> bool:
    """Return whether a run need not go on."""
    return _stays_down(motion, run) or (until is not None and until(robot, motion, run))


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
    return np.asarray(tipped | sunk | broken | (run.other_load_n > TOUCHED_N))


def _slip_m(robot: Robot, planned_contact: npt.NDArray[np.bool_], run: Run, *, since: int = 0) -> float:
    """Return the largest distance that a foot slid while it carried, within one planned stance, rolling not counted.

    Of the stances that last beyond a sample alone if one is given. Shape (T, n_feet).
    """
    stances = [(foot, stance) for foot, down in enumerate(planned_contact.T) for stance in runs(down)]
    return max((_slid_m(robot, foot, stance, run) for foot, stance in stances if stance.stop > since), default=0.0)


def _slid_m(robot: Robot, foot: int, stance: slice, run: Run) -> float:
    """Return the largest distance that a foot slid while it carried in a stance."""
    loaded = np.flatnonzero(run.foot_load_n[stance, foot] > CARRIES * robot.mass_kg * GRAVITY_M_S2)
    if not len(loaded):
        return 0.0
    carried = slice(stance.start + loaded[0], stance.start + loaded[-1] + 1)
    slid_m = (
        run.foot_in_world[carried, foot]
        - rolling_displacement(robot, robot.feet[foot].points[:1], run.qpos[carried])[:, 0]
    )
    return float(np.linalg.norm((slid_m - slid_m[0])[:, :2], axis=1).max())


def _needs_another(robot: Robot, motion: Motion, run: Run) -> bool:
    """Return whether it is clear before the end that a control does not suffice: feet slip, or the robot is behind."""
    return _is_far_behind(motion, run) or _slips_much(robot, motion, run)


def _is_far_behind(motion: Motion, run: Run) -> bool:
    """Return whether a robot is too far behind the plan.

    Who is clearly farther behind on a straight way than it may be at its end is not waited for. On curves, and on ways
    there and back, the distance to the plan tells nothing of the end.
    """
    way_m = motion.qpos[-1, :2] - motion.qpos[0, :2]
    commanded_m = float(np.linalg.norm(way_m))
    samples = len(run.time_s)
    path_m = float(np.linalg.norm(np.diff(motion.qpos[:, :2], axis=0), axis=1).sum())
    if commanded_m <= STANDS_STILL_M or commanded_m < STRAIGHT * path_m:
        return False
    behind_m = float((motion.qpos[samples - 1, :2] - run.qpos[-1, :2]) @ way_m) / commanded_m
    return behind_m > CLEARLY * MUCH_SHORT * commanded_m


def _slips_much(robot: Robot, motion: Motion, run: Run) -> bool:
    """Return whether a foot that has stood since a run was last asked has slid so far that another control is needed.

    Not of a body that is down just now: whether it gets up must be seen.
    """
    samples = len(run.time_s)
    since = round(ASKED_S / (run.time_s[1] - run.time_s[0]))
    if _fallen(motion, run)[-1]:
        return False
    return _slip_m(robot, motion.contact[:samples], run, since=samples - since - 1) * 1e3 > MUCH_SLIP_MM
