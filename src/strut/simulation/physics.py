"""Physics: a robot with torque-limited position servos on a floor, stepped in MuJoCo along servo goals."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, fields
from typing import Protocol

import mujoco
import numpy as np

from strut.arrays import Array, Index
from strut.engines.rigid_body import foot_geoms, foot_sites
from strut.models.model_builder import FLOOR
from strut.robot import Robot

ASKED_S = 0.25  # interval between checks whether a run may end early
FEEDBACK_S = 0.004  # period of a controller, whose output is held in between: 250 Hz, as on real robots

mujoco.set_mju_user_warning(lambda _message: None)  # otherwise MuJoCo writes a log file into the working directory


class Feedback(Protocol):
    """A controller that adds torques to those of the servos; joints in `torque_driven` have no servo beside it."""

    torque_driven: Index

    def correction(self, time_s: float, qpos: Array, qvel: Array) -> Array:
        """Return the torques to add at a tick for a state. Shapes (nq,), (nv,) in, (n_joints,) out."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """Recorded simulation, per sample.

    Args:
        time_s: Shape (T,).
        qpos: Coordinates. Shape (T, nq).
        torque_nm: Torques of the servos. Shape (T, n_joints).
        power_w: Mechanical power of all servos, braking counted as positive, averaged over the sample. Shape (T,).
        foot_in_world: Centres of the feet. Shape (T, n_feet, 3).
        foot_load_n: Vertical force on each foot. Shape (T, n_feet).
        other_load_n: Vertical force of the ground on anything that is not a foot. Shape (T,).
    """

    time_s: Array
    qpos: Array
    torque_nm: Array
    power_w: Array
    foot_in_world: Array
    foot_load_n: Array
    other_load_n: Array

    def first(self, samples: int) -> Run:
        """Return the first samples."""
        return Run(*(getattr(self, one.name)[:samples] for one in fields(self)))


def run_servos(
    robot: Robot,
    time_s: Array,
    start_qpos: Array,
    goal_rad: Array,
    feedforward_nm: Array,
    *,
    friction: float,
    mass_scale: float,
    feedback: Feedback | None = None,
    on_sample: Callable[[int, int], None] | None = None,
    ends: Callable[[Run], bool] | None = None,
) -> Run:
    """Step the robot from rest along servo goals.

    A servo's torque is stiffness × (goal - angle) + damping × (goal speed - speed) + feed-forward, up to its limit. All
    masses and inertias are scaled by a factor that the feed-forward does not include. `feedback` adds torques every
    `FEEDBACK_S`, `on_sample` receives the number of samples done and of all, and `ends`, called every `ASKED_S`, may
    end the run early. Shapes: evenly spaced times (T,), start (nq,), goals and torques (T, n_joints).
    """
    driven = None if feedback is None else feedback.torque_driven
    plant = Plant(robot, float(time_s[1] - time_s[0]), friction=friction, mass_scale=mass_scale, torque_driven=driven)
    return plant.play(time_s, plant.control(time_s, goal_rad, feedforward_nm), start_qpos, feedback, on_sample, ends)


class Plant:
    """A robot with its servos on a floor, played in one run or in several consecutive ones."""

    def __init__(
        self, robot: Robot, step_s: float, *, friction: float, mass_scale: float, torque_driven: Index | None = None
    ) -> None:
        model = copy(robot.model)
        model.geom_friction[model.geom(FLOOR).id, 0] = friction
        limits = np.stack([-robot.torque_limit_nm, robot.torque_limit_nm], axis=1)
        model.actuator_forcerange[model.nu - len(limits) :] = limits  # after the drives of a platform
        model.body_mass[:] *= mass_scale
        model.body_inertia[:] *= mass_scale
        self._model = model
        self._data = mujoco.MjData(model)
        self._robot = robot
        mujoco.mj_setConst(model, self._data)
        self._torque_driven = [] if torque_driven is None else (model.nu - len(limits) + torque_driven).tolist()
        model.actuator_gainprm[self._torque_driven, 0] = 1.0  # their control signal is the torque
        model.actuator_biasprm[self._torque_driven] = 0.0
        self._substeps = max(1, round(step_s / model.opt.timestep))
        model.opt.timestep = step_s / self._substeps
        self._held_steps = max(1, round(FEEDBACK_S / model.opt.timestep))
        self._steps_done = 0
        self._correction: Array = np.zeros(model.nu)

    def control(self, time_s: Array, goal_rad: Array, feedforward_nm: Array) -> Array:
        """Return control positions that make the servos damp towards the goal's speed and feed torques forward.

        Shapes (T,), (T, n_joints), (T, n_joints) in, (T, n_joints) out.
        """
        stiffness = self._model.actuator_gainprm[:, 0]
        damping = -self._model.actuator_biasprm[:, 2]
        speed = np.gradient(goal_rad, time_s, axis=0)
        control = np.asarray(goal_rad + (damping * speed + feedforward_nm) / stiffness)
        control[:, self._torque_driven] = 0.0
        return control

    def play(
        self,
        time_s: Array,
        control: Array,
        start_qpos: Array | None = None,
        feedback: Feedback | None = None,
        on_sample: Callable[[int, int], None] | None = None,
        ends: Callable[[Run], bool] | None = None,
    ) -> Run:
        """Play samples and return the state at each, before its step.

        Args:
            time_s: Shape (T,).
            control: Control positions, with one more row than samples if a run follows. Shape (T or T + 1, n_joints).
            start_qpos: Configuration to start from at rest; the end of the last run if None. Shape (nq,).
            feedback: Controller that adds torques every `FEEDBACK_S`.
            on_sample: Receives the number of samples done and of all.
            ends: Whether the run may end, called every `ASKED_S` with the run so far.
        """
        model = self._model
        data = self._data
        if start_qpos is not None:
            data.qpos[:] = start_qpos
            data.ctrl[:] = control[0]
            self._steps_done = 0
            mujoco.mj_forward(model, data)
        sites = foot_sites(self._robot)
        feet = foot_geoms(self._robot)
        samples = len(time_s)
        asked = max(1, round(ASKED_S / (self._substeps * model.opt.timestep)))
        run = _empty_run(model, time_s, len(sites))
        for k in range(samples):
            run.qpos[k] = data.qpos
            run.torque_nm[k] = data.actuator_force
            run.foot_in_world[k] = data.site_xpos[sites]
            _read_loads(model, data, feet, run.foot_load_n[k], run.other_load_n[k : k + 1])
            following = control[min(k + 1, len(control) - 1)]
            run.power_w[k] = self._advance(float(time_s[k]), control[k], following, feedback)
            if on_sample:
                on_sample(k + 1, samples)
            if ends is not None and (k + 1) % asked == 0 and ends(run.first(k + 1)):
                run = run.first(k + 1)
                break
        if start_qpos is not None and samples > 1:
            run.foot_load_n[0] = run.foot_load_n[1]  # the first step loads the feet
        return run

    def _advance(self, time_s: float, control: Array, following: Array, feedback: Feedback | None) -> float:
        """Step over one sample, from one row of control to the next, and return the mean power [W]."""
        model = self._model
        data = self._data
        steps = self._substeps
        ctrl = data.ctrl
        servo_force = data.actuator_force
        joint_speed = data.qvel[model.nv - model.nu :]  # views
        stiffness = model.actuator_gainprm[:, 0]
        step_s = model.opt.timestep
        goal = control + np.arange(steps)[:, None] / steps * (following - control)
        force = np.empty(goal.shape)
        speed = np.empty(goal.shape)
        for step in range(steps):
            ctrl[:] = goal[step]
            if feedback is not None:
                ctrl[:] += self._held_correction(feedback, time_s + step * step_s) / stiffness
            mujoco.mj_step(model, data)
            force[step] = servo_force
            speed[step] = joint_speed
        return float(np.abs(force * speed).sum() / steps)

    def _held_correction(self, feedback: Feedback, now_s: float) -> Array:
        """Return a controller's torques, updated every `FEEDBACK_S` and held in between. Shape (n_joints,)."""
        if self._steps_done % self._held_steps == 0:
            self._correction = feedback.correction(now_s, self._data.qpos, self._data.qvel)
        self._steps_done += 1
        return self._correction

    @property
    def qpos(self) -> Array:
        """Current configuration. Shape (nq,)."""
        return np.array(self._data.qpos)


def _empty_run(model: mujoco.MjModel, time_s: Array, feet: int) -> Run:
    samples = len(time_s)
    return Run(
        time_s=time_s,
        qpos=np.empty((samples, model.nq)),
        torque_nm=np.empty((samples, model.nu)),
        power_w=np.zeros(samples),
        foot_in_world=np.empty((samples, feet, 3)),
        foot_load_n=np.zeros((samples, feet)),
        other_load_n=np.zeros(samples),
    )


def _read_loads(model: mujoco.MjModel, data: mujoco.MjData, feet: dict[int, int], foot: Array, other: Array) -> None:
    """Add the floor's vertical forces to `foot` (n_feet,) and `other` (1,)."""
    wrench = np.zeros(6)
    for index in range(data.ncon):
        contact = data.contact[index]
        mujoco.mj_contactForce(model, data, index, wrench)
        foot_in_contact = next((feet[int(geom)] for geom in contact.geom if int(geom) in feet), None)
        if foot_in_contact is None:
            other[0] += wrench[0]
        else:
            foot[foot_in_contact] += wrench[0]
