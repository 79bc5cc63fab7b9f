"""Cassie: the published numbers of Animated Cassie that strut can compute again, and a walk in simulation."""

from __future__ import annotations

from functools import partial

import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.kinematics.planted_body import PlantedSolution, PlantedTargets, solve_planted
from strut.kinematics.two_bar_leg import TwoBarLeg, two_bar_leg
from strut.models.catalogue import load_robot
from strut.models.coupled_joints import coupled_joints
from strut.pilot.controllers.actuated_model import ActuatedModel, actuated_model
from strut.pilot.controllers.reference import PilotRequest, StandRequest, WalkRequest
from strut.pilot.controllers.state_machine import STATE_MACHINE_HZ
from strut.pilot.gait_library.gait_audit import audit_gait
from strut.pilot.gait_library.gait_library_file import load_gait_library
from strut.pilot.gait_library.gait_optimization import GaitProgram, gait_library_table
from strut.pilot.piloted_simulation import Clock, Push, World, simulate_requests
from strut.pilot.plant.passive_forces import tendon_lengths
from strut.pilot.plant.torque_model import control_table, torque_model
from strut.reproduction.comparison import Comparison, Parts, Sheet
from strut.robot import FLOATING, Robot
from strut.verify.measure import audit

HEIGHTS_M = (0.65, 0.80, 0.90, 1.00)
TARSUS_TO_THIGH_RAD = np.radians(13.0)
FOOT_M = np.array([(-0.029, 0.1305, 0.02), (-0.029, -0.1305, 0.02)])  # middles of the lines, legs vertical
HIP_TO_BASE_M = 0.147  # legs vertical, base level: what the base is higher than the leg is long
PUSH_N = 60.0


def parts() -> Parts:
    """Return the functions that compute Cassie's rows."""
    robot = load_robot("cassie")
    computed = {"body": cassie_body, "leg": cassie_leg, "stand": quiet_stand, "errata": cassie_errata}
    computed |= {"gait library": gait_rows, "walking": walking_rows}
    return {name: partial(compute, robot) for name, compute in computed.items()}


def cassie_body(robot: Robot) -> list[Comparison]:
    """Return degrees of freedom, mass and torque limits."""
    sheet = Sheet("body", robot.published)
    table = control_table(robot)
    body = _body(robot)
    sheet.compare("degrees of freedom", "robot", "degrees_of_freedom", float(robot.model.nv), kind="constant")
    sheet.compare("motors", "robot", "motors", float(len(table.motors)), kind="constant")
    sheet.compare("leaf springs", "robot", "leaf_springs", float(len(table.spring)), kind="constant")
    sheet.compare("mass", "mass", "total", robot.mass_kg, kind="constant")
    sheet.compare(
        "torque limits of a leg's motors", "torque", "limits", body.torque_limit_nm[:5].tolist(), kind="constant"
    )
    sheet.compare("knee + ankle - 13 degrees, springs at rest", "spring_constraint", "deviation", _rod_deviation(body))
    return sheet.rows


def _body(robot: Robot) -> ActuatedModel:
    return actuated_model(torque_model(robot, friction=robot.friction, step_s=1e-3), control_table(robot))


def _rod_deviation(body: ActuatedModel) -> float:
    """Return the largest deviation of the rod at rest from knee + ankle = 13 degrees, over the knee range [deg]."""
    model = body.model
    worst = 0.0
    rest = float(model.tendon_lengthspring[0, 0])
    for knee in np.radians(np.linspace(-157.0, -37.0, 25)):
        angles = [_tendon_excess(body, knee, TARSUS_TO_THIGH_RAD + off, rest) for off in (-0.01, 0.01)]
        slope = (angles[1] - angles[0]) / 0.02
        here = _tendon_excess(body, knee, TARSUS_TO_THIGH_RAD, rest)
        worst = max(worst, abs(float(np.degrees(here / slope))))
    return worst


def _tendon_excess(body: ActuatedModel, knee_rad: float, sum_rad: float, rest_m: float) -> float:
    """Return the extension of the Achilles tendon at a knee angle and a sum of knee and ankle [m]."""
    model = body.model
    qpos = np.array(model.qpos0)
    for name, angle in (("left_knee", knee_rad), ("left_ankle", sum_rad - knee_rad), ("left_shin", 0.0)):
        qpos[model.joint(name).qposadr[0]] = angle
    return float(tendon_lengths(model, qpos)[0]) - rest_m


def _leg(robot: Robot) -> TwoBarLeg:
    model = _body(robot).model
    parts = {name: complex(*model.body(f"left_{name}").pos[:2]) for name in ("knee", "shin", "tarsus", "foot")}
    return two_bar_leg(parts["knee"], parts["shin"] + parts["tarsus"], parts["foot"], TARSUS_TO_THIGH_RAD)


def cassie_leg(robot: Robot) -> list[Comparison]:
    """Return the leg in closed form."""
    sheet = Sheet("leg", robot.published)
    leg = _leg(robot)
    knee = np.radians([-120.0, -80.0])
    both = np.column_stack([leg.length_m(knee), np.degrees(leg.pitch_rad(0.0, knee))])
    sheet.compare(
        "leg length and pitch at knee angles of -120 and -80 degrees",
        "leg",
        "length_and_pitch",
        both.ravel().tolist(),
        kind="formula",
    )
    bent = [float(np.degrees(leg.angles_rad(height - HIP_TO_BASE_M, 0.0)[1])) for height in HEIGHTS_M]
    sheet.compare("knee angle at base heights of 0.65, 0.80, 0.90, 1.00 m", "knee", "angles", bent, kind="formula")
    return sheet.rows


def quiet_stand(robot: Robot) -> list[Comparison]:
    """Return the torque of a knee in quiet stands."""
    sheet = Sheet("stand", robot.published)
    column = list(control_table(robot).motors).index("left_knee")
    stands = planted_stands(robot, np.array([(0.0, 0.0, height) for height in HEIGHTS_M]))
    assert stands.foot_error.max() < 1e-4, "a published stand is out of reach"  # metres and radians
    knee = [float(_standing_torque(robot, qpos)[column]) for qpos in stands.qpos]
    sheet.compare("knee torque at base heights of 0.65, 0.80, 0.90, 1.00 m", "stand", "knee", knee)
    return sheet.rows


def planted_stands(robot: Robot, base_m: Array, base_rotation: Array | None = None) -> PlantedSolution:
    """Return configurations on level feet that point forwards, with springs at rest.

    Args:
        robot: Cassie.
        base_m: Positions of the base in world. Shape (T, 3).
        base_rotation: Base to world; identity if None. Shape (T, 3, 3).
    """
    count = len(base_m)
    targets = PlantedTargets(
        foot_in_world=np.tile(FOOT_M, (count, 1, 1)),
        foot_rotation=np.tile(np.eye(3), (count, len(FOOT_M), 1, 1)),
        base_rotation=np.tile(np.eye(3), (count, 1, 1)) if base_rotation is None else base_rotation,
        place_m=base_m,
        joint_rad=np.tile(robot.standing_qpos[FLOATING:], (count, 1)),
    )
    return solve_planted(robot, coupled_joints(robot), targets, robot.standing_qpos)


def _standing_torque(robot: Robot, qpos: Array) -> Array:
    """Return the motor torques of a configuration at rest on both feet. Shape (nq,) in, (n_motors,) out."""
    time_s = np.linspace(0.0, 0.1, 11)
    needs = audit(robot, time_s, np.tile(qpos, (11, 1)), np.ones((11, len(robot.feet)), dtype=np.bool_))
    return np.asarray(coupled_joints(robot).motor_torque_nm(needs.torque_nm[5]))


def cassie_errata(robot: Robot) -> list[Comparison]:  # noqa: ARG001 -- these errata do not depend on the body
    """Return the effect of the errata."""
    sheet = Sheet("errata")
    sheet.correct(
        "6",
        "nodes of 373 that the printed loop does not optimise, n = 75, delta = 10",
        float(_never_optimised(373, 75, 10)),
        0.0,
        "",
        "the printed loop ends when the next piece would pass the last node; ours ends the last piece there",
        kind="formula",
    )
    sheet.correct(
        "17", "duration of 373 nodes at 25 frames per second", 15.0, 372.0 / 25.0, "s", "372 intervals", kind="formula"
    )
    return sheet.rows


def _never_optimised(nodes: int, size: int, overlap: int) -> int:
    """Return the number of nodes that the printed loop over overlapping pieces of `size` intervals leaves out."""
    first = 1
    last = 1
    while first + size <= nodes:
        last = first + size
        first = last - overlap
    return nodes - last


def gait_rows(robot: Robot) -> list[Comparison]:
    """Compare the grid, the gaits found on it, and a gait that is solved here."""
    sheet = Sheet("gait library", robot.published)
    table = gait_library_table(robot)
    axes = (table.grid.forward_m_s, table.grid.left_m_s, table.grid.height_m)
    sheet.compare("points of the grid", "library", "points", float(np.prod(table.grid.shape)), kind="constant")
    found = float(len(load_gait_library(robot)))
    note = "`strut library build cassie` solves the other points of the grid; its gaits are counted once they are found"
    sheet.compare("gaits found", "library", "gaits", found, note=note)
    sheet.compare(
        "grid spacings", "library", "spacing", [axis.values[1] - axis.values[0] for axis in axes], kind="constant"
    )
    program = GaitProgram(robot)
    still = (0.0, 0.0, axes[2].max)
    solved = program.solve(still, program.initial_guess(still), warm=False)
    assert solved.gait is not None, solved.status
    measured = audit_gait(robot, solved.gait)
    sheet.compare("step time at a base height of 1.0 m", "step_time", "at_highest", solved.gait.step_s)
    sheet.compare("largest deviation of the base height", "height", "off", measured.height_off_mm / 1e3)
    sheet.add("largest distance of the zero-moment point from the stance foot", measured.off_line_mm, "mm")
    return sheet.rows


def walking_rows(robot: Robot) -> list[Comparison]:
    """Compare the rates, and simulate a walk with a push."""
    sheet = Sheet("walking", robot.published)
    sheet.compare(
        "rates of state machine and controllers",
        "rates",
        "automaton_and_controllers",
        [STATE_MACHINE_HZ, Clock().control_hz],
        kind="constant",
    )
    walk: list[PilotRequest] = [WalkRequest(0.4, height_m=0.85, duration_s=4.0), StandRequest(0.5)]
    run = simulate_requests(walk, robot, world=World(pushes=(Push(4.3, (0.0, PUSH_N, 0.0)),)))
    sheet.add("stand, walk at 0.4 m/s, lateral push of 60 N for 0.1 s, stand (1: fell)", float(run.outcome.fell), "")
    sheet.add("largest motor torque over its limit", run.outcome.torque_use, "")
    weight_n = robot.mass_kg * GRAVITY_M_S2
    load = run.motion.ground_force_n
    assert load is not None
    sheet.add("largest foot force over body weight", float(load[:, :, 2].max()) / weight_n, "")
    return sheet.rows
