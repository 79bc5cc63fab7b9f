"""Playback: a motion played on a floor in MuJoCo by torque-limited servos, with or without a controller."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal, get_args

import numpy as np

from strut.balance.ground_force import share_ground_force
from strut.engines.inverse_dynamics import inverse_dynamics
from strut.errors import OutOfRangeError, UnknownNameError
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.robot import Robot
from strut.simulation.early_end import EndRule, stays_down
from strut.simulation.outcome import Outcome
from strut.simulation.physics import Run, run_servos
from strut.simulation.run_outcome import TOUCHED_N, measure_outcome
from strut.simulation.sensing import Sensing
from strut.simulation.servo_balance import ServoBalance
from strut.simulation.whole_body_control import WholeBodyControl

MAX_FACTOR = 100.0  # of friction and mass; no floor and no load comes near
CONTROLLERS = {"servos": None, "balance": ServoBalance, "whole_body": WholeBodyControl}  # in order of cost
ControllerOption = Literal["planned", "servos", "balance", "whole_body"]


@dataclass(frozen=True, slots=True)
class Conditions:
    """The world that a motion is played in.

    Args:
        friction: Coefficient of the floor.
        mass_scale: Factor on all masses and inertias, which the plan does not know.
    """

    friction: float
    mass_scale: float = 1.0

    def __str__(self) -> str:
        return f"friction {self.friction:g} and mass x {self.mass_scale:g}"


@dataclass(frozen=True, slots=True, eq=False)
class Playback:
    """A played motion.

    Args:
        outcome: What happened in numbers.
        motion: The motion that happened.
        ended_early: Whether it was not played to its last sample.
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
    controller: ControllerOption = "planned",
    sensing: Sensing | None = None,
    on_sample: Callable[[int, int], None] | None = None,
) -> Playback:
    """Play a motion in MuJoCo with one controller.

    Args:
        motion: The plan that the servos follow.
        robot: The robot that moves; the motion's own robot if None.
        friction: Friction of the floor; the robot's own if None.
        mass_scale: Factor on all masses, which the plan does not know.
        controller: `planned` is the controller that the motion's receipt names, or `servos` if it names none. `servos`
            follow the plan alone; `balance` also shifts the centre of pressure under the soles and the landing places
            of the feet (`simulation.servo_balance`); `whole_body` drives the legs by torques from a quadratic program
            (`simulation.whole_body_control`).
        sensing: Noise and delay of the state that a controller sees; none if None. Servos see no such state: the
            outcome says so in `unfelt`, and noise or delay together with `servos` are refused.
        on_sample: Called with the samples done and their number.

    Example:
        >>> strut.simulate(strut.load_motion("happy.npz"), friction=0.5).outcome.fell
        False
    """
    robot = robot_of(motion, robot)
    motion.check_even()
    conditions = Conditions(robot.friction if friction is None else friction, mass_scale)
    _check(robot, conditions, controller)
    if unfelt := _unfelt(robot, controller, sensing):
        raise OutOfRangeError(f"{unfelt[:1].upper()}{unfelt[1:]}.")
    name = planned_controller(motion) if controller == "planned" else controller
    return play_with_controller(robot, motion, conditions, name, sensing=sensing, on_sample=on_sample)


def planned_controller(motion: Motion) -> str:
    """Return the controller that a motion's receipt names; servos if it names none of `CONTROLLERS`."""
    named = None if motion.receipt is None else motion.receipt.controller
    return named if named in CONTROLLERS else "servos"


def _check(robot: Robot, conditions: Conditions, controller: str) -> None:
    """Raise for conditions and controllers that do not exist, and for a balance controller of a robot without legs."""
    for name, value in (("friction", conditions.friction), ("mass scale", conditions.mass_scale)):
        if not 0.0 < value <= MAX_FACTOR:  # also catches NaN
            raise OutOfRangeError(f"The {name} is {value:g}; it must be above 0 and at most {MAX_FACTOR:g}.")
    if controller not in get_args(ControllerOption):
        raise UnknownNameError("controller", controller, get_args(ControllerOption), "`strut simulate --help`")
    if controller in ("balance", "whole_body") and not _stands_on_legs(robot):
        raise OutOfRangeError(f"{robot.name} does not stand on legs, so there is nothing to balance; use servos.")


def _stands_on_legs(robot: Robot) -> bool:
    return bool(robot.floats and robot.legs)


def _unfelt(robot: Robot, controller: str, sensing: Sensing | None) -> str | None:
    """Return a sentence if the controller does not see the noise and delay that were asked for; None otherwise."""
    if controller != "servos" or sensing is None or sensing.is_perfect:
        return None
    advice = "; choose --controller whole_body, which reads them" if _stands_on_legs(robot) else ""
    return f"servos follow joint angles alone: noise and delay of an estimator change nothing{advice}"


def play_with_controller(
    robot: Robot,
    motion: Motion,
    conditions: Conditions,
    controller: str,
    *,
    sensing: Sensing | None = None,
    on_sample: Callable[[int, int], None] | None = None,
    end_rule: EndRule | None = None,
) -> Playback:
    """Play a motion with a controller to its end, until `end_rule` holds, or until the robot stays down."""
    run = run_motion(robot, motion, conditions, controller, sensing=sensing, on_sample=on_sample, end_rule=end_rule)
    happened = Motion(
        robot=motion.robot,
        time_s=run.time_s,
        qpos=run.qpos,
        joint_names=motion.joint_names,
        contact=run.foot_load_n > TOUCHED_N,
        foot_names=motion.foot_names,
        torque_nm=run.torque_nm[:, -len(motion.joint_names) :],
        meta={
            **motion.meta,
            "simulated": {"friction": conditions.friction, "mass_scale": conditions.mass_scale},
        },
    )
    outcome = measure_outcome(robot, motion, run, conditions.mass_scale)
    outcome = replace(outcome, controller=controller, unfelt=_unfelt(robot, controller, sensing))
    return Playback(outcome, happened, ended_early=len(run.time_s) < len(motion.time_s))


def run_motion(
    robot: Robot,
    motion: Motion,
    conditions: Conditions,
    controller: str,
    *,
    sensing: Sensing | None = None,
    on_sample: Callable[[int, int], None] | None = None,
    end_rule: EndRule | None = None,
) -> Run:
    """Return the run of a motion, as `play_with_controller` does, without measuring it."""
    make_feedback = CONTROLLERS[controller]
    torque_nm = motion.torque_nm
    if torque_nm is None:
        dynamics = inverse_dynamics(robot, motion.time_s, motion.qpos)
        torque_nm = share_ground_force(robot, dynamics, motion.contact).torque_nm
    goal_rad = motion.joint_angles_rad if robot.floats else motion.qpos  # the wheels of a platform are driven, too
    wheel_torque_nm = np.zeros((len(torque_nm), goal_rad.shape[1] - torque_nm.shape[1]))  # unknown
    return run_servos(
        robot,
        motion.time_s,
        motion.qpos[0],
        goal_rad,
        np.concatenate([wheel_torque_nm, torque_nm], axis=1),
        friction=conditions.friction,
        mass_scale=conditions.mass_scale,
        feedback=None if make_feedback is None else make_feedback(robot, motion, sensing),
        on_sample=on_sample,
        ends=partial(_ends, robot, motion, end_rule) if robot.floats else None,
    )


def _ends(robot: Robot, motion: Motion, end_rule: EndRule | None, run: Run) -> bool:
    """Return whether a run need not go on."""
    return stays_down(motion, run) or (end_rule is not None and end_rule(robot, motion, run))
