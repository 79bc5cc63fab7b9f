"""Piloted simulation: requests → the motion of a torque-controlled biped, with springs, sensor noise and delay.

The controllers read only noisy sensors; the outcome is measured in the simulation.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field, replace
from time import perf_counter, process_time
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.audit import MIN_JOINT_LIMIT_MARGIN_RAD
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import OutOfRangeError
from strut.models.catalogue import as_robot, first_robot_with
from strut.motion import Motion
from strut.pilot.controllers.actuated_model import actuated_model
from strut.pilot.controllers.pilot import Pilot
from strut.pilot.controllers.reference import PilotRequest
from strut.pilot.controllers.state_estimator import Measurement
from strut.pilot.gait_library.gait_library import GaitLibrary
from strut.pilot.piloted_record import PilotedRecord
from strut.pilot.plant.plant_limits import MAX_SLIP_M
from strut.pilot.plant.torque_model import contact_load_n, control_table, slip_load_n, torque_model
from strut.pilot.plant.torque_plant import USUAL_NOISE, SensorNoise, Sensors, TorquePlant
from strut.pilot.request_json import encode_requests
from strut.plumbing.argument_types import coerce_fields
from strut.plumbing.number_text import format_percent
from strut.receipt import LimitName, Reason, ReasonKind, Receipt
from strut.robot import Robot

MAX_STEP_S = 0.001  # of the simulation: contacts and springs are stiff


@dataclass(frozen=True, slots=True)
class Push:
    """A constant force on the base for a time, in world axes."""

    start_s: float
    force_n: tuple[float, float, float]
    duration_s: float = 0.1

    def __post_init__(self) -> None:
        coerce_fields(self)
        if not np.isfinite([self.start_s, *self.force_n, self.duration_s]).all():
            raise OutOfRangeError("A push has a number that is not finite; give seconds and newtons.")


@dataclass(frozen=True, slots=True)
class World:
    """Floor, sensors and disturbances of a simulation.

    Args:
        friction: Friction coefficient of the floor; the robot's own if None.
        noise: Noise of the sensors.
        delay_s: Delay from a measurement to its torque, rounded to whole ticks.
        pushes: Forces on the base.
        seed: Seed of the noise.
    """

    friction: float | None = None
    noise: SensorNoise = USUAL_NOISE
    delay_s: float = 0.0
    pushes: tuple[Push, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        coerce_fields(self)
        for name, value in (("friction", self.friction), ("delay", self.delay_s), ("seed", self.seed)):
            if value is not None and not (math.isfinite(value) and value >= 0.0):
                raise OutOfRangeError(f"The {name} of a world is {value:g}; it must be 0 or more.")


@dataclass(frozen=True, slots=True)
class PilotedOutcome:
    """Measured outcome of a simulated sequence.

    Args:
        fell: Whether the base tipped or sank, or any body but a foot touched the floor.
        finished: Whether every request was completed.
        upright_s: Time until the end or the fall.
        distance_m: Distance between start and end.
        torque_use: Largest torque relative to the motor's limit.
        foot_slip_mm: Largest slide of a loaded foot within one stance.
        cost_of_transport: Mechanical work over weight times path; None for paths up to 0.1 m.
        tick_ms: Median computing time of a tick: estimate, state machine and torques.
        real_time_factor: Simulated time over processor time.
        timeline: Time, mode and phase, whenever mode or phase changed.
    """

    fell: bool
    finished: bool
    upright_s: float
    distance_m: float
    torque_use: float
    foot_slip_mm: float
    cost_of_transport: float | None
    tick_ms: float
    real_time_factor: float
    timeline: tuple[tuple[float, str, str], ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON would hold it."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class BegunPhase:
    """Start of a phase of a request: index of the request, phase, and time."""

    number: int
    phase: str
    at_s: float


@dataclass(frozen=True, slots=True, eq=False)
class PilotedRun:
    """A simulated sequence: its outcome, its motion, and the phases of its requests."""

    outcome: PilotedOutcome
    motion: Motion
    begun: tuple[BegunPhase, ...] = ()


@dataclass(frozen=True, slots=True)
class Clock:
    """Rates and durations of a simulation.

    Args:
        control_hz: Ticks of the controllers per second, a multiple of 200.
        record_hz: Samples of the recorded motion per second.
        settle_s: Duration of the stand before the first sample, until the springs carry the weight.
        rest_s: Duration of the stand after the last request.
        longest_s: Time limit; a longer sequence is stopped.
    """

    control_hz: float = 2000.0
    record_hz: float = 100.0
    settle_s: float = 1.0
    rest_s: float = 0.5
    longest_s: float = 600.0

    def __post_init__(self) -> None:
        coerce_fields(self)
        for name, rate in (("control", self.control_hz), ("record", self.record_hz)):
            if not (20.0 <= rate <= 10000.0):
                raise OutOfRangeError(f"The {name} rate is {rate:g} Hz; it must be from 20 to 10000 Hz.")
        if self.control_hz % 200.0 or self.control_hz % self.record_hz:
            raise OutOfRangeError(
                f"{self.record_hz:g} samples a second do not divide {self.control_hz:g} ticks, which 200 must divide; "
                "choose 20, 25, 50, 100 or 200 samples."
            )


def simulate_requests(
    requests: Iterable[PilotRequest],
    robot: Robot | str | None = None,
    *,
    world: World | None = None,
    clock: Clock | None = None,
    radio: Callable[[float], PilotRequest | None] | None = None,
    library: GaitLibrary | None = None,
    on_sample: Callable[[float], None] | None = None,
) -> PilotedRun:
    """Simulate a biped that performs one request after the other in MuJoCo.

    The receipt says ok if the robot stayed upright to the end of the last request, within the limits of its joints and
    motors, and its feet did not slide. `strut.check` also judges contact and friction at every sample.

    Args:
        requests: StandRequest, WalkRequest and PlayRequest, in order.
        robot: The robot or its name; the built-in biped with controllers if None.
        world: Floor, sensors and pushes.
        clock: Rates and durations.
        radio: Returns a person's command at a time, or None; a command takes over from the requests at once.
        library: Gaits that the walking controller follows; None for foot placement by the pendulum alone.
        on_sample: Called with the simulated time at every recorded sample.

    Example:
        >>> strut.pilot.simulate_requests([strut.pilot.WalkRequest(forward_m_s=0.5, distance_m=2.0)]).outcome.fell
        False
    """
    requests = _check_requests(requests, has_radio=radio is not None)
    robot = as_robot(robot or first_robot_with("control.toml"))
    world = world or World()
    clock = clock or Clock()
    loop = piloted_loop(robot, world, clock, library)
    pilot = loop.pilot
    plant = loop.plant
    record = loop.record
    tick_s = loop.pilot.tick_s
    pilot.enqueue(requests)
    started = process_time()
    ticks_per_sample = round(clock.control_hz / clock.record_hz)
    while True:
        if loop.ticks % ticks_per_sample == 0:
            record.sample(loop.ticks * tick_s, pilot.state_machine.mode, pilot.state_machine.phase)
            loop.record_phase(requests)
            if on_sample is not None:
                on_sample(record.time_s[-1])
            if loop.has_ended(clock):
                break
        if radio is not None:
            pilot.command(radio(loop.ticks * tick_s))
        _push(plant, world.pushes, loop.ticks * tick_s)
        loop.tick()
        record.record_tick_forces()
        if record.fell:
            break
    run = measure_run(robot, loop, process_time() - started, world)
    piloted = {
        "finished": run.outcome.finished,
        "walker": "pendulum" if library is None else "library",
        "control_hz": clock.control_hz,
        "requests": encode_requests(requests),
    }
    return replace(run, motion=replace(run.motion, meta=dict(run.motion.meta) | {"piloted": piloted}))


def _check_requests(requests: Iterable[PilotRequest], *, has_radio: bool) -> tuple[PilotRequest, ...]:
    """Return the requests as a tuple; raise OutOfRangeError for other objects, and for no requests without a radio."""
    checked = tuple(requests) if isinstance(requests, Iterable) else (requests,)
    wrong = [request for request in checked if not isinstance(request, PilotRequest)]
    if wrong or not (checked or has_radio):
        cause = f"{wrong[0]!r} is no request" if wrong else "Nothing is requested"
        raise OutOfRangeError(f"{cause}; give a list of StandRequest, WalkRequest and PlayRequest.")
    return checked


def piloted_loop(robot: Robot, world: World, clock: Clock, library: GaitLibrary | None = None) -> PilotedLoop:
    """Return a pilot and its plant, standing, with springs that carry the weight."""
    tick_s = 1.0 / clock.control_hz
    steps = math.ceil(tick_s / MAX_STEP_S)
    friction = robot.friction if world.friction is None else world.friction
    table = control_table(robot)
    model = torque_model(robot, friction=friction, step_s=tick_s / steps)
    plant = TorquePlant(model, table.base, (table.foot[0].body, table.foot[1].body))
    plant.reset(model.qpos0)
    body = actuated_model(model, table)
    pilot = Pilot(body, rate_hz=clock.control_hz, height_m=float(model.qpos0[2]), library=library)
    sensors = Sensors(plant, world.noise, np.random.default_rng(world.seed))
    record = PilotedRecord(plant, body.torque_limit_nm)
    delayed = deque([np.zeros(body.motor_count)] * round(world.delay_s / tick_s))
    loop = PilotedLoop(pilot, plant, sensors, record, steps, delayed)
    loop.settle(clock.settle_s)
    return loop


@dataclass(slots=True, eq=False)
class PilotedLoop:
    """A pilot and its plant, tick by tick.

    Args:
        pilot: Estimator, state machine and controllers.
        plant: The simulated robot.
        sensors: Sensors of the plant.
        record: Samples of the plant.
        steps: Simulation steps per tick.
        delayed: Torques that have not acted yet, oldest first.
        begun: Phases of the requests so far.
        ticks: Number of ticks since the first sample.
        idle_ticks: Number of ticks since the last request was completed.
        tick_times_s: Computing times of the ticks.
    """

    pilot: Pilot
    plant: TorquePlant
    sensors: Sensors
    record: PilotedRecord
    steps: int
    delayed: deque[Array]
    begun: list[BegunPhase] = field(default_factory=list)
    ticks: int = 0
    idle_ticks: int = 0
    tick_times_s: list[float] = field(default_factory=list)

    def tick(self) -> None:
        """Read the sensors, compute torques, and apply those that are due."""
        measured = Measurement(*self.sensors.read())
        started = perf_counter()
        torque = self.pilot.torque(measured)
        self.tick_times_s.append(perf_counter() - started)
        self.delayed.append(torque)
        torque = self.delayed.popleft()
        self.record.tick(torque, self.pilot.tick_s)
        self.plant.step(torque, self.steps)
        self.ticks += 1
        is_idle = self.pilot.state_machine.idle and self.pilot.radio is None
        self.idle_ticks = self.idle_ticks + 1 if is_idle else 0

    def settle(self, duration_s: float) -> None:
        """Stand for a time, and reset the clocks and the counted work."""
        while self.ticks * self.pilot.tick_s < duration_s:
            self.tick()
        self.ticks = 0
        self.idle_ticks = 0
        self.tick_times_s.clear()
        self.record.reset_work()

    def record_phase(self, requests: Sequence[PilotRequest]) -> None:
        """Record the present request and its phase if either is new."""
        current = self.pilot.state_machine.current
        phase = self.pilot.state_machine.phase
        number = next((number for number, request in enumerate(requests) if request is current), None)
        last = self.begun[-1] if self.begun else None
        if number is not None and (last is None or (last.number, last.phase) != (number, phase)):
            self.begun.append(BegunPhase(number, phase, round(self.record.time_s[-1], 3)))

    def has_ended(self, clock: Clock) -> bool:
        """Return whether the robot fell, has rested after the last request, or the time is up."""
        has_rested = self.idle_ticks * self.pilot.tick_s >= clock.rest_s
        return self.record.fell or has_rested or self.record.time_s[-1] >= clock.longest_s


def _push(plant: TorquePlant, pushes: Sequence[Push], now_s: float) -> None:
    if pushes:
        acting = [push.force_n for push in pushes if push.start_s <= now_s < push.start_s + push.duration_s]
        plant.push(np.sum(acting, axis=0) if acting else np.zeros(3))


def measure_run(robot: Robot, loop: PilotedLoop, processor_s: float, world: World) -> PilotedRun:
    """Return outcome and motion of a loop that has ended."""
    record = loop.record
    pilot = loop.pilot
    time_s = np.array(record.time_s)
    qpos = np.array(record.qpos)
    load_n = np.array(record.force_n)[:, :, 2]
    upright_s = float(time_s[-1])
    distance_m = float(np.linalg.norm(qpos[-1, :2] - qpos[0, :2]))
    weight_n = robot.mass_kg * GRAVITY_M_S2
    friction = robot.friction if world.friction is None else world.friction
    outcome = PilotedOutcome(
        fell=record.fell,
        finished=pilot.state_machine.idle and not record.fell,
        upright_s=upright_s,
        distance_m=distance_m,
        torque_use=record.torque_use,
        foot_slip_mm=record.slip_m(robot, slip_load_n(robot)) * 1e3,
        cost_of_transport=record.work_j / (weight_n * record.path_m()) if record.path_m() > 0.1 else None,
        tick_ms=float(np.median(loop.tick_times_s)) * 1e3,
        real_time_factor=upright_s / processor_s,
        timeline=tuple(record.timeline),
    )
    motion = Motion(
        robot=robot.name,
        time_s=time_s,
        qpos=qpos,
        joint_names=robot.joint_names,
        contact=load_n > contact_load_n(robot),
        foot_names=robot.foot_names,
        torque_nm=np.array(record.torque_nm),
        ground_force_n=record.mean_force_n(),
        receipt=_receipt(robot, outcome, qpos, time_s),
        meta={
            "robot_fingerprint": robot.fingerprint,
            "simulated": {"friction": friction, "seed": world.seed, "delay_s": world.delay_s},
            "outcome": outcome.as_dict(),
        },
    )
    return PilotedRun(outcome, motion, tuple(loop.begun))


def _receipt(robot: Robot, outcome: PilotedOutcome, qpos: Array, time_s: Array) -> Receipt:
    """Return the receipt of a run; balance margin and self-collision are not measured and stay None."""
    joints = qpos[:, robot.base_size :]
    room = np.minimum(joints - robot.joint_lower_rad, robot.joint_upper_rad - joints)
    speed_use = np.abs(np.gradient(joints, time_s, axis=0)) / robot.joint_speed_limit_rad_s
    reasons = _reasons(robot, outcome, room, speed_use)
    return Receipt(
        robot=robot.name,
        emotion=None,
        pad=None,
        intensity_asked=None,
        intensity_kept=None,
        verdict="refused" if reasons else "ok",
        reasons=reasons,
        duration_s=outcome.upright_s,
        distance_m=outcome.distance_m,
        speed_m_s=outcome.distance_m / outcome.upright_s,
        balance_margin_mm=None,
        joint_limit_margin_rad=float(room.min()),
        joint_speed_use=float(speed_use.max()),
        torque_use=outcome.torque_use,
        foot_slip_mm=outcome.foot_slip_mm,
        penetration_mm=None,
        task_error_mm=None,
        cost_of_transport=outcome.cost_of_transport,
        solve_s=None,
    )


def _reasons(robot: Robot, outcome: PilotedOutcome, room_rad: Array, speed_use: Array) -> tuple[Reason, ...]:
    """Return why a run is refused: the robot fell, was stopped, or broke a limit of the receipt."""
    tightest = robot.joint_names[int(room_rad.min(axis=0).argmin())]
    fastest = robot.joint_names[int(speed_use.max(axis=0).argmax())]
    tests: tuple[tuple[bool, LimitName, str], ...] = (
        (outcome.fell, LimitName.SIMULATION, "the robot fell"),
        (
            not outcome.fell and not outcome.finished,
            LimitName.SIMULATION,
            "the run was stopped before the last request",
        ),
        (
            bool(room_rad.min() < MIN_JOINT_LIMIT_MARGIN_RAD),
            LimitName.JOINT_LIMIT,
            f"{tightest} is {-room_rad.min():.3f} rad beyond its range",
        ),
        (
            bool(speed_use.max() > 1.0),
            LimitName.JOINT_SPEED,
            f"{fastest} reaches {format_percent(speed_use.max())} of its speed limit",
        ),
        (
            outcome.torque_use > 1.0,
            LimitName.TORQUE,
            f"a motor reaches {format_percent(outcome.torque_use)} of its torque limit",
        ),
        (
            outcome.foot_slip_mm > MAX_SLIP_M * 1e3,
            LimitName.FOOT_SLIP,
            f"a foot slides {outcome.foot_slip_mm:.1f} mm in a stance",
        ),
    )
    return tuple(Reason(ReasonKind.LIMIT, limit, text) for is_broken, limit, text in tests if is_broken)
