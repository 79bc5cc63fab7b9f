"""Goal walk: a biped in MuJoCo measures where each foot lands, and replans the next steps.

Motions are planned in a plan frame. When a foot has landed, its measured and its planned pose define where the plan
frame is in the world; the next footsteps keep their places in the world. Only a few steps around the present are
planned, because steps farther away have no effect on it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from strut.balance.ground_force import share_ground_force
from strut.engines.inverse_dynamics import inverse_dynamics
from strut.errors import BadMotionError, UnreachablePostureError
from strut.gaits.footsteps.biped_model import BipedModel, biped_model
from strut.gaits.footsteps.body_path import lean_of, solve_step_plan
from strut.gaits.footsteps.foot_poses import sole_places
from strut.gaits.footsteps.footsteps import StepLimits, closing, footsteps_to, standing
from strut.gaits.footsteps.leg_angles import MODEL_ORDER
from strut.gaits.footsteps.phases import PhaseTimes
from strut.gaits.footsteps.request import PressureLaw
from strut.gaits.footsteps.step_drafts import StepGait
from strut.gaits.footsteps.table import StepsTable
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.place import Footstep, Place, between, wrap_angle
from strut.robot import Robot
from strut.simulation.physics import Plant, Run
from strut.simulation.run_outcome import SUNK, TIPPED_RAD, TOUCHED_N

BEHIND = 3  # past steps in each plan: the motion of the body has forgotten earlier ones
AHEAD = 3  # coming steps in each plan: later ones do not change the present motion
CLOSE_M = 0.005  # distance from the goal at which no further correction is planned
CLOSE_RAD = math.radians(1.0)  # the same for the heading
MAX_WALKS = 4  # corrections of the final place; each starts nearer to the goal
PHASE_TIMES = ("shift_s", "swing_s", "settle_s")
MAX_CORRECTION_M = 0.010  # of one step: small enough that legs which reach the planned step reach this one
MAX_CORRECTION_RAD = math.radians(5.0)  # of one step


@dataclass(frozen=True, slots=True, eq=False)
class Arrival:
    """How a walk to a goal ended.

    Args:
        fell: Whether the body tipped or sank.
        goal_error_m: Distance from the goal.
        heading_error_rad: Difference from the heading of the goal.
        duration_s: Duration of the whole walk.
        steps: Number of steps taken.
        foot_error_m: Largest distance of a landed foot from its footstep.
        motion: The simulated motion.
    """

    fell: bool
    goal_error_m: float
    heading_error_rad: float
    duration_s: float
    steps: int
    foot_error_m: float
    motion: Motion

    def as_dict(self) -> dict[str, Any]:
        """Return the figures as JSON; the keys are part of the interface."""
        names = ("fell", "goal_error_m", "heading_error_rad", "duration_s", "steps", "foot_error_m")
        return {name: getattr(self, name) for name in names}


def simulate_to_goal(
    motion: Motion,
    robot: Robot | None = None,
    *,
    friction: float | None = None,
    mass_scale: float = 1.0,
    on_step: Callable[[int, int], None] | None = None,
) -> Arrival:
    """Simulate a planned walk of steps in MuJoCo, and replan after each step.

    Args:
        motion: From `walk` to a goal; its footsteps, goal, gait and sampling rate are used.
        robot: The robot; that of the motion if None.
        friction: Friction of the floor; the robot's own if None.
        mass_scale: Mass of the simulated robot over that of the planned one.
        on_step: Called with the numbers of completed and of planned steps.

    Example:
        >>> strut.gaits.simulate_to_goal(strut.walk("alice", goal=strut.Place(0.2, 0.0))).goal_error_m
    """
    robot = robot_of(motion, robot)
    try:
        steps = [Footstep(int(foot), Place(x, y, heading)) for foot, x, y, heading in motion.meta["footsteps"]]
        goal = Place(*motion.meta["options"]["goal"])
        gait = _gait(robot, motion)
        law: PressureLaw = motion.meta["gait"]["law"]
    except (KeyError, TypeError, ValueError) as error:
        raise BadMotionError("The motion is no walk of steps to a goal; plan one with `strut walk --goal`.") from error
    step_s = float(motion.time_s[1] - motion.time_s[0])
    plant = Plant(robot, step_s, friction=robot.friction if friction is None else friction, mass_scale=mass_scale)
    walker = _Walker(robot, biped_model(robot), gait, law, plant, step_s, on_step)
    walker.walk_to(goal, steps)
    return walker.arrival(goal, motion)


def _gait(robot: Robot, motion: Motion) -> StepGait:
    gait = motion.meta["gait"]
    table = robot.gait_as(StepsTable)
    separation_m = biped_model(robot).separation_m
    upright = [0.0] * (len(robot.joint_names) - len(MODEL_ORDER))  # older files do not name these angles
    return StepGait(
        StepLimits(gait["step_length_m"], table.side_step_m, table.step_turn_rad, separation_m),
        gait["step_height_m"],
        gait["body_height_m"],
        PhaseTimes(gait["shift_s"], gait["swing_s"], gait["settle_s"]),
        gait["outward_m"],
        tuple(gait.get("upper_rad", upright)),
    )


class _Walker:
    """A simulated robot under way: its planned feet in the plan frame, and the runs so far."""

    def __init__(
        self,
        robot: Robot,
        legs: BipedModel,
        gait: StepGait,
        law: PressureLaw,
        plant: Plant,
        step_s: float,
        on_step: Callable[[int, int], None] | None,
    ) -> None:
        self._robot = robot
        self._legs = legs
        self._plant = plant
        self._step_s = step_s
        # every phase must end on a sample
        whole = {name: max(1, round(getattr(gait.times, name) / step_s)) * step_s for name in PHASE_TIMES}
        self._gait = replace(gait, times=PhaseTimes(**whole))
        self._law = law
        self._lean = lean_of(robot, np.array([gait.upper_rad]))
        self._on_step = on_step or (lambda _done, _planned: None)
        self._feet = list(standing(Place(0.0, 0.0), gait.limits.separation_m))  # in the plan frame
        self._ground = Place(0.0, 0.0)  # the plan frame in the world
        self._started = False
        self._taken = 0
        self._foot_error_m = 0.0
        self._runs: list[Run] = []

    def walk_to(self, goal: Place, steps: list[Footstep]) -> None:
        """Walk the steps, given in the world, and further ones until the goal is close."""
        for _ in range(MAX_WALKS):
            self._walk(steps)
            right, left = sole_places(self._robot, self._plant.qpos)
            here = between(right, left)
            far = here.distance_m(goal) > CLOSE_M or abs(wrap_angle(goal.heading_rad - here.heading_rad)) > CLOSE_RAD
            if not far or self.fallen:
                return
            imagined = between(self._feet[0], self._feet[1])
            self._ground = here.compose(Place(0.0, 0.0).relative_to(imagined))
            wanted = footsteps_to(imagined, [goal.relative_to(self._ground)], self._gait.limits)
            steps = [Footstep(step.foot, self._ground.compose(step.place)) for step in wanted]

    def _walk(self, steps: list[Footstep]) -> None:
        """Walk steps from standing to standing."""
        done: list[Footstep] = []
        past: list[tuple[Place, Place]] = []
        wanted = [self._ground.compose(foot) for foot in self._feet]  # where the feet should be in world
        for number, step in enumerate(steps):
            past.append((self._feet[0], self._feet[1]))
            coming = [Footstep(later.foot, later.place.relative_to(self._ground)) for later in steps[number:][:AHEAD]]
            stance = 1 - step.foot
            planned = step.place.relative_to(wanted[stance])
            coming[0] = Footstep(step.foot, _correct_step(planned, coming[0].place, self._feet[stance]))
            wanted[step.foot] = step.place
            first = max(0, number - BEHIND)
            last = number == len(steps) - 1
            whole = number + AHEAD >= len(steps)
            try:
                self._play(past[first], [*done[first:], *coming], number - first, last=last, whole=whole)
            except UnreachablePostureError:  # too long with its correction: take it as planned, later steps correct it
                coming = [Footstep(step.foot, self._feet[stance].compose(planned))]
                try:
                    self._play(past[first], [*done[first:], *coming], number - first, last=last, whole=last)
                except UnreachablePostureError as error:
                    advice = f"in step {number + 1}; a walk with shorter steps or a lower body leaves room to correct"
                    raise UnreachablePostureError(error.sample, error.kind, f"{error.detail} {advice}.") from error
            done.append(coming[0])
            self._feet[step.foot] = coming[0].place
            self._taken += 1
            self._on_step(number + 1, len(steps))
            if self.fallen:
                return
            real = sole_places(self._robot, self._plant.qpos)[step.foot]
            self._foot_error_m = max(self._foot_error_m, real.distance_m(step.place))
            self._ground = real.compose(Place(0.0, 0.0).relative_to(coming[0].place))
        if not self._started:
            self._play((self._feet[0], self._feet[1]), [], 0, last=True, whole=True)

    def _play(self, feet: tuple[Place, Place], steps: list[Footstep], behind: int, *, last: bool, whole: bool) -> None:
        """Plan steps from standing, and simulate the one after the first `behind`; the last one to the end of the walk.

        Every plan ends with the feet side by side, which the legs reach more easily.
        """
        gait = self._gait
        if not whole:
            steps = [*steps, closing(steps[-1], gait.limits.separation_m)]
        plan = gait.plan(steps, feet, 1.0 / self._step_s)
        lean = self._lean.repeated(len(plan.time_s))
        qpos = solve_step_plan(self._legs, plan, gait.body_height_m, law=self._law, lean=lean).qpos
        dynamics = inverse_dynamics(self._robot, plan.time_s, qpos)
        torque = share_ground_force(self._robot, dynamics, plan.contact).torque_nm
        control = self._plant.control(plan.time_s, qpos[:, self._robot.base_size :], torque)
        ends = [round(phase.stop_s / self._step_s) for phase in plan.phases if phase.kind in ("swing", "foot turn")]
        begin = ends[behind - 1] if behind else 0
        stop = len(plan.time_s) if last else ends[behind]
        start = None if self._started else qpos[0]
        self._started = True
        self._runs.append(self._plant.play(plan.time_s[begin:stop], control[begin : stop + 1], start))

    @property
    def fallen(self) -> bool:
        """Whether the body has tipped over or sunk."""
        qpos = self._plant.qpos
        if not np.isfinite(qpos).all():
            return True
        _, x, y, _ = qpos[3:7]
        tilt_rad = math.acos(max(-1.0, min(1.0, 1.0 - 2.0 * (x * x + y * y))))
        return bool(tilt_rad > TIPPED_RAD or qpos[2] < SUNK * self._gait.body_height_m)

    def arrival(self, goal: Place, motion: Motion) -> Arrival:
        """Return how the walk ended."""
        here = between(*sole_places(self._robot, self._plant.qpos))
        qpos = np.concatenate([run.qpos for run in self._runs])
        load = np.concatenate([run.foot_load_n for run in self._runs])
        happened = Motion(
            robot=motion.robot,
            time_s=np.asarray(np.arange(len(qpos)) * self._step_s, dtype=np.float64),
            qpos=qpos,
            joint_names=motion.joint_names,
            contact=load > TOUCHED_N,
            foot_names=motion.foot_names,
            torque_nm=np.concatenate([run.torque_nm for run in self._runs]),
            meta={**motion.meta, "simulated": {"closed_loop": True}},
        )
        return Arrival(
            fell=self.fallen,
            goal_error_m=here.distance_m(goal),
            heading_error_rad=abs(wrap_angle(here.heading_rad - goal.heading_rad)),
            duration_s=happened.duration_s,
            steps=self._taken,
            foot_error_m=self._foot_error_m,
            motion=happened,
        )


def _correct_step(planned: Place, wanted: Place, stance: Place) -> Place:
    """Return a footstep corrected towards its place in the world, by at most the largest correction.

    Args:
        planned: The planned step, relative to the stance foot.
        wanted: Its place in the world, in the plan frame.
        stance: The stance foot, in the plan frame.
    """
    seen = wanted.relative_to(stance)
    x_m = seen.x_m - planned.x_m
    y_m = seen.y_m - planned.y_m
    share = min(1.0, MAX_CORRECTION_M / max(math.hypot(x_m, y_m), 1e-12))
    turn = wrap_angle(seen.heading_rad - planned.heading_rad)
    turn = max(-MAX_CORRECTION_RAD, min(MAX_CORRECTION_RAD, turn))
    return stance.compose(Place(planned.x_m + share * x_m, planned.y_m + share * y_m, planned.heading_rad + turn))
