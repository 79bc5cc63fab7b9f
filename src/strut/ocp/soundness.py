"""Soundness: check a solved movement between its nodes by means independent of the solver.

The trajectory is evaluated as curves between the nodes; MuJoCo computes the positions of the feet, the momentum of the
body, and the motion that results from the torques alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from operator import attrgetter
from typing import Any

import numpy as np

from strut.audit import FOOT_OFF_GROUND_M, MAX_ROLLING_SLIP_M, MIN_JOINT_LIMIT_MARGIN_RAD
from strut.engines.contact_slip import contact_slip
from strut.engines.rigid_body import linear_momentum
from strut.engines.self_distance import capsule_distance
from strut.errors import RefusedError
from strut.kinematics.contact_set import contact_points
from strut.maths.rotation import qpos_from_angles, qvel_from_angles
from strut.ocp.collocation import Solution
from strut.ocp.contact_dynamics import ContactDynamics
from strut.ocp.shooting_refinement import IMPACT_S
from strut.ocp.torque_playback import playback_error
from strut.ocp.trajectory import Trajectory
from strut.plumbing.number_text import format_percent
from strut.receipt import LimitName, Reason, ReasonKind
from strut.robot import Robot

# Limits chosen by eye, without a benchmark.
MAX_MOMENTUM_ERROR_N_S = 0.2
MAX_RESIDUAL = 1e-6  # of scaled rows
MAX_MESH_CHANGE = 0.03  # relative change of cost on a finer mesh
MAX_PLAYBACK_RAD = np.radians(1.0)  # of any angle at any node
MAX_OVERLAP_M = 1e-4  # of two capsules that must stay apart
ADVICE = "Solve it on a finer mesh, or relax the requirements."
PER_INTERVAL = 10  # samples of the curves between two nodes


@dataclass(frozen=True, slots=True)
class Soundness:
    """Figures of an independent check of a trajectory; None for what was not checked.

    Args:
        residual: Largest violation of a scaled equation at a node.
        contact_drift_m: Largest motion of a contact point along an active row.
        drifting: The point with that motion, and the phase.
        penetration_m: Largest depth of a contact point below the ground, in stance or swing.
        momentum_error_n_s: Largest difference between the momentum and the impulse of all forces.
        least_normal_force_n: Smallest vertical force on a contact point; negative if the ground pulls.
        least_normal_impulse_n_s: Smallest vertical impulse on a contact point at an impact.
        least_unloading_n_s: The same plus the load before the impact times `IMPACT_S`; this one is judged.
        impact_energy_j: Largest change of kinetic energy at an impact; not positive.
        joint_limit_margin_rad: Smallest distance of an angle from its limit, negative beyond it.
        tightest: The joint with that distance.
        joint_speed_use: Largest joint speed over its limit.
        fastest: The joint with that speed.
        capsule_distance_m: Smallest distance of the two `capsules`.
        capsules: Two capsules that must stay apart, if any.
        mesh_change: Relative change of cost on a refined mesh.
        refinement_change: Relative change of cost by shooting refinement.
        playback_error_rad: Largest difference of an angle when another engine and integrator play the torques alone.
        finished: Whether the solver ended by itself.
        allowed_pull_n: Largest force with which the ground may pull between nodes.
    """

    residual: float
    contact_drift_m: float
    drifting: str
    penetration_m: float
    momentum_error_n_s: float
    least_normal_force_n: float
    least_normal_impulse_n_s: float
    least_unloading_n_s: float
    impact_energy_j: float
    joint_limit_margin_rad: float
    tightest: str
    joint_speed_use: float
    fastest: str
    capsule_distance_m: float | None = None
    capsules: tuple[str, str] | None = None
    mesh_change: float | None = None
    refinement_change: float | None = None
    playback_error_rad: float | None = None
    finished: bool = True
    allowed_pull_n: float = 1e-3

    def faults(self) -> list[Reason]:
        """Return why the movement is not sound; empty if it is."""
        played = self.playback_error_rad or 0.0
        change = abs(self.mesh_change or 0.0)
        drift_mm = 1e3 * self.contact_drift_m
        gained = self.momentum_error_n_s
        pull = -min(self.least_normal_force_n, self.least_unloading_n_s)
        overlap_m = -(self.capsule_distance_m or 0.0)
        names = " and ".join(self.capsules or ())
        judged = (
            (not self.finished, "the solver was stopped before it had ended"),
            (self.residual > MAX_RESIDUAL, f"an equation of motion is off by {self.residual:.1e}"),
            (
                self.contact_drift_m > MAX_ROLLING_SLIP_M,
                f"{self.drifting} slides {drift_mm:.1f} mm while it should hold still",
            ),
            (self.penetration_m > FOOT_OFF_GROUND_M, f"a foot is {self.penetration_m * 1e3:.1f} mm in the ground"),
            (gained > MAX_MOMENTUM_ERROR_N_S, f"{gained:.2f} N s of momentum come from nowhere"),
            (pull > self.allowed_pull_n, "the ground pulls on a foot"),
            (self.impact_energy_j > 1e-6, f"an impact gives {self.impact_energy_j:.2g} J"),
            (change > MAX_MESH_CHANGE, f"a finer mesh changes the cost by {format_percent(change, 1)}"),
            (not played <= MAX_PLAYBACK_RAD, f"its torques alone lead {np.degrees(played):.2g} degrees away from it"),
            (overlap_m > MAX_OVERLAP_M, f"{names} overlap by {1e3 * overlap_m:.1f} mm"),
        )
        return [Reason(ReasonKind.LIMIT, None, text) for wrong, text in judged if wrong]

    def broken_limits(self) -> list[Reason]:
        """Return which limits of the body are broken; recorded people sometimes exceed them."""
        broken = []
        if self.joint_limit_margin_rad < MIN_JOINT_LIMIT_MARGIN_RAD:
            text = f"{self.tightest} is {-self.joint_limit_margin_rad:.3f} rad beyond its range"
            broken.append(Reason(ReasonKind.LIMIT, LimitName.JOINT_LIMIT, text))
        if self.joint_speed_use > 1.0:
            text = f"{self.fastest} reaches {format_percent(self.joint_speed_use, 1)} of its speed limit"
            broken.append(Reason(ReasonKind.LIMIT, LimitName.JOINT_SPEED, text))
        return broken

    def as_dict(self) -> dict[str, Any]:
        """Return the figures for JSON; an infinite playback error is None."""
        table = asdict(self) | {"capsules": " and ".join(self.capsules) if self.capsules else None}
        return table | {"playback_error_rad": None} if self.playback_error_rad == np.inf else table


def verify_trajectory(
    robot: Robot,
    solution: Solution,
    *,
    playback: bool = True,
    mesh_change: float | None = None,
    capsules: tuple[str, str] | None = None,
    part_s: float = np.inf,
) -> Soundness:
    """Return the figures of an independent check of a solution.

    Args:
        robot: Of the solution.
        solution: To check.
        playback: Whether to play the torques.
        mesh_change: Relative change of cost on a finer mesh, if one was solved.
        capsules: Two capsules of the robot's `contact` table that must stay apart.
        part_s: A longer movement is played in parts.
    """
    trajectory = solution.trajectory
    drift, drifting, penetration = contact_drift(robot, trajectory)
    normal = [index for index, row in enumerate(trajectory.problem.contact.rows) if row.axis == 2]
    before = solution.cost_before_refinement
    impulse = least_impulses(trajectory)
    parts = [trajectory.between(phase, PER_INTERVAL) for phase in range(len(trajectory.problem.phases))]
    q, v = (np.concatenate([part[index] for part in parts]) for index in (1, 2))
    joints = list(trajectory.problem.actuated)
    room = np.minimum(q[:, joints] - robot.joint_lower_rad, robot.joint_upper_rad - q[:, joints]).min(axis=0)
    speed = (np.abs(v[:, joints]) / robot.joint_speed_limit_rad_s).max(axis=0)
    return Soundness(
        residual=solution.violation,
        contact_drift_m=drift,
        drifting=drifting,
        penetration_m=penetration,
        momentum_error_n_s=momentum_error(robot, trajectory),
        least_normal_force_n=float(trajectory.force_n[:, normal].min()),
        least_normal_impulse_n_s=impulse[0],
        least_unloading_n_s=impulse[1],
        impact_energy_j=impact_energy(trajectory),
        joint_limit_margin_rad=float(room.min()),
        tightest=robot.joint_names[int(np.argmin(room))],
        joint_speed_use=float(speed.max()),
        fastest=robot.joint_names[int(np.argmax(speed))],
        capsule_distance_m=float(capsule_distance(robot, qpos_from_angles(q), *capsules).min()) if capsules else None,
        capsules=capsules,
        mesh_change=mesh_change,
        refinement_change=None if before is None else solution.cost / before - 1.0,
        playback_error_rad=playback_error(robot.model, trajectory, part_s) if playback else None,
    )


def combine_soundness(found: Sequence[Soundness]) -> Soundness:
    """Return the worst of every figure of several movements, for a movement composed of them."""
    pairs = {"contact_drift_m": "drifting", "joint_speed_use": "fastest", "joint_limit_margin_rad": "tightest"}
    least = (
        "joint_limit_margin_rad",
        "least_normal_force_n",
        "least_normal_impulse_n_s",
        "least_unloading_n_s",
        "allowed_pull_n",
    )
    most = ("contact_drift_m", "joint_speed_use", "residual", "penetration_m", "momentum_error_n_s", "impact_energy_j")
    apart = [one for one in found if one.capsule_distance_m is not None]
    worst: dict[str, Any] = {"finished": all(one.finished for one in found)}
    for name in ("playback_error_rad", "mesh_change", "refinement_change"):
        known = [getattr(one, name) for one in found if getattr(one, name) is not None]
        worst[name] = max(known, key=abs, default=None)
    for choose, names in ((min, least), (max, most)):
        for name in names:
            one = choose(found, key=attrgetter(name))
            worst[name] = getattr(one, name)
            worst |= {pairs[name]: getattr(one, pairs[name])} if name in pairs else {}
    return replace(min(apart, key=attrgetter("capsule_distance_m"), default=found[0]), **worst)


def require_sound(found: Soundness, *, advice: str = ADVICE) -> None:
    """Raise RefusedError if a movement is not sound or breaks a limit of the body."""
    faults = [*found.faults(), *found.broken_limits()]
    if faults:
        raise RefusedError(faults, advice)


def contact_drift(robot: Robot, trajectory: Trajectory) -> tuple[float, str, float]:
    """Return the largest drift of an active row [m], its point and phase, and the largest penetration [m]."""
    worst = 0.0
    name = "nothing"
    deepest = 0.0
    for number, phase in enumerate(trajectory.problem.phases):
        _, q, *_ = trajectory.between(number, PER_INTERVAL)
        points = list(contact_points(robot).values())
        moved, height = contact_slip(robot, points, qpos_from_angles(q))
        deepest = max(deepest, -float(height.min()))
        moved[:, :, 2] = height  # heights are absolute: the floor is where it is
        for index, point in enumerate(points):
            axes = list(phase.contact.rows_of(point.name))
            held = np.abs(moved[:, index, axes]).max(initial=0.0)  # what swings holds nothing
            if held > worst:
                worst = float(held)
                name = f"{point.name} in phase {phase.name}"
    return worst, name, deepest


def momentum_error(robot: Robot, trajectory: Trajectory) -> float:
    """Return the largest difference, at the ends of phases, of momentum and the impulse of all forces [N s]."""
    problem = trajectory.problem
    weight = robot.mass_kg * problem.tree.gravity_m_s2
    axes = np.array([row.axis for row in problem.contact.rows])
    given = np.zeros(3)
    worst = 0.0
    qpos = qpos_from_angles(trajectory.q)
    qvel = qvel_from_angles(trajectory.q, trajectory.v)
    momentum = linear_momentum(robot.model, qpos, qvel)
    for number, phase in enumerate(problem.phases):
        nodes = trajectory.nodes_of(number)
        for row, impulse in zip(phase.contact.rows, trajectory.impulse_n_s.get(number, ()), strict=False):
            given[row.axis] += impulse
        force = np.stack([trajectory.force_n[nodes][:, axes == axis].sum(axis=1) for axis in range(3)], axis=1)
        given = given + np.trapezoid(force + weight, trajectory.time_s[nodes], axis=0)
        worst = max(worst, float(np.abs(momentum[nodes[-1]] - momentum[0] - given).max()))
    return worst


def least_impulses(trajectory: Trajectory) -> tuple[float, float]:
    """Return the smallest normal impulse at any impact, and the smallest after adding the unloading [N s].

    Rigid points that are brought to rest at once may get negative impulses from those of others. A real impact has a
    duration, `IMPACT_S`, in which a loaded point loses some of its load instead: that much is added.
    """
    rows = trajectory.problem.contact.rows
    found = [(0.0, 0.0)]
    for number, impulse in trajectory.impulse_n_s.items():
        before = trajectory.force_n[int(trajectory.nodes_of(number)[0]) - 1]
        for row, value in zip(trajectory.problem.phases[number].contact.rows, impulse, strict=True):
            if row.axis == 2:
                found.append((float(value), float(value + IMPACT_S * before[rows.index(row)])))
    strict, eased = zip(*found, strict=True)
    return min(strict), min(eased)


def impact_energy(trajectory: Trajectory) -> float:
    """Return the largest change of kinetic energy at an impact [J]; must not be positive: impacts dissipate."""
    changes = []
    for number in trajectory.impulse_n_s:
        node = int(trajectory.nodes_of(number)[0])
        dynamics = ContactDynamics(trajectory.problem.tree, trajectory.problem.phases[number].contact)
        mass = dynamics.terms(trajectory.q[node], trajectory.v[node]).mass
        after = trajectory.v[node]
        before = trajectory.v[node - 1]
        changes.append(0.5 * float(after @ mass @ after - before @ mass @ before))
    return max(changes, default=0.0)
