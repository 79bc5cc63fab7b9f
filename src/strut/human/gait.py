"""Gait: a solved step of a human with its verification, and the motion made of many such steps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from importlib.metadata import version
from typing import Any

import msgspec
import numpy as np

from strut.arrays import Array
from strut.engines.contact_slip import slip_and_height
from strut.engines.rigid_body import GRAVITY_M_S2, point_positions
from strut.human.analysis.naturalness import Naturalness
from strut.human.analysis.reference_bands import BandScore, band_scores
from strut.human.analysis.walk_figures import walk_figures
from strut.human.anatomy import HEEL, RIGHT, sided
from strut.human.problem.gait_options import GaitOptions
from strut.human.transitions.walk_pieces import WalkPiece
from strut.human.walking_direction import WalkingDirection
from strut.kinematics.contact_set import contact_points
from strut.maths.sampling import landing_samples
from strut.motion import Motion
from strut.ocp.collocation import Solution
from strut.ocp.soundness import Soundness, verify_trajectory
from strut.ocp.trajectory import Trajectory
from strut.receipt import Receipt, Verdict
from strut.robot import Robot

RATE_HZ = 100.0
SCORE_RATE_HZ = 200.0  # fine enough for the peaks of push-off, which lasts a twentieth of a second


@dataclass(frozen=True, slots=True, eq=False)
class Gait:
    """One solved step.

    Args:
        robot: The human model.
        solution: Of the optimal control problem, one step along the x axis.
        soundness: Result of the independent verification.
        attempts: One sentence for each solve; the last one succeeded.
        asked: The request, for JSON.
        naturalness: Visible features beside those of people; None if not measured.
        direction: Line along which the motion walks; the x axis if None.
        options: Of the synthesis; None for other gaits.
    """

    robot: Robot
    solution: Solution
    soundness: Soundness
    attempts: tuple[str, ...]
    asked: dict[str, Any]
    naturalness: Naturalness | None = None
    direction: WalkingDirection | None = None
    options: GaitOptions | None = None

    @property
    def trajectory(self) -> Trajectory:
        """The step at its nodes."""
        return self.solution.trajectory

    @property
    def speed_m_s(self) -> float:
        """Average speed of the pelvis."""
        return float(self.step_length_m / self.trajectory.time_s[-1])

    @property
    def step_length_m(self) -> float:
        """Travel of the pelvis in a step."""
        return float(self.trajectory.q[-1, 0] - self.trajectory.q[0, 0])

    def cost_of_transport(self) -> float:
        """Return the absolute mechanical work of all joints over weight and distance."""
        return work_j(self.trajectory) / (self.robot.mass_kg * GRAVITY_M_S2 * self.step_length_m)

    def receipt(self, **emotion: Any) -> Receipt:
        """Return the receipt; `emotion` may have emotion, pad, intensity_asked and intensity_kept."""
        path = self.trajectory
        robot = self.robot
        reasons = [*self.soundness.faults(), *self.soundness.broken_limits()]
        verdict: Verdict = "refused" if reasons else "ok"
        expression = {"emotion": None, "pad": None, "intensity_asked": None, "intensity_kept": None} | emotion
        return Receipt(
            robot=robot.name,
            **expression,
            verdict=verdict,
            reasons=tuple(reasons),
            duration_s=float(path.time_s[-1]),
            distance_m=self.step_length_m,
            speed_m_s=self.speed_m_s,
            balance_margin_mm=None,  # does not apply: the walk is verified by its ground reaction forces
            joint_limit_margin_rad=self.soundness.joint_limit_margin_rad,
            joint_speed_use=self.soundness.joint_speed_use,
            torque_use=float(np.max(np.abs(path.u) / robot.torque_limit_nm)),
            foot_slip_mm=1e3 * self.soundness.contact_drift_m,
            penetration_mm=1e3 * self.soundness.penetration_m,
            task_error_mm=None,
            cost_of_transport=self.cost_of_transport(),
            solve_s=self.solution.solve_s + self.solution.setup_s,
            naturalness=self.naturalness.as_dict() if self.naturalness else None,
            soundness=self.soundness.as_dict(),
        )

    def motion(self, *, steps: int = 2, rate_hz: float = RATE_HZ, **emotion: Any) -> Motion:
        """Return many steps as a motion: the step, its mirror image, the step again, and so on."""
        path = self.trajectory
        receipt = self.receipt(**emotion)
        count = max(2, round(path.time_s[-1] * rate_hz))
        time_s = np.arange(steps * count) * path.time_s[-1] / count
        pair = [WalkPiece(path, mirrored=mirrored).sampled(self.robot, time_s[:count]) for mirrored in (False, True)]
        parts = [pair[number % 2] for number in range(steps)]
        qpos, u, force, contact = (np.concatenate(part) for part in zip(*parts, strict=True))
        qpos[:, 0] += self.step_length_m * np.repeat(np.arange(steps), count)
        distance_m = float(np.linalg.norm(qpos[-1, :2] - qpos[0, :2]))
        receipt = replace(receipt, duration_s=float(time_s[-1]), distance_m=distance_m)
        motion = self.as_motion(receipt, time_s, (qpos, u, force, contact))
        return motion if self.direction is None else self.direction.restored(motion)

    def as_motion(self, receipt: Receipt, time_s: Array, samples: tuple[Array, ...]) -> Motion:
        """Return configurations, torques, forces and contacts as a motion of this gait."""
        path = self.trajectory
        qpos, u, force, contact = samples
        is_contact = contact.astype(bool)
        points = [contact_points(self.robot)[name] for name in self.robot.foot_names]
        slip_m, _ = slip_and_height(self.robot, points, time_s, qpos, is_contact)
        return Motion(
            robot=self.robot.name,
            time_s=time_s,
            qpos=qpos,
            joint_names=self.robot.joint_names,
            contact=is_contact,
            foot_names=self.robot.foot_names,
            torque_nm=u,
            ground_force_n=force,
            cop_in_world=centre_of_pressure(self.robot, qpos, force),
            receipt=replace(receipt, foot_slip_mm=1e3 * float(slip_m.max())),
            meta={
                "robot_fingerprint": self.robot.fingerprint,
                "subject": msgspec.to_builtins(self.robot.subject),
                "asked": self.asked,
                "attempts": list(self.attempts),
                "costs": self.solution.costs,
                "parameters": path.parameter,
                "phase_names": [phase.name for phase in path.problem.phases],
                "phase_durations_s": path.duration_s.tolist(),
                "strut": version("strut"),
            },
        )

    def band_scores(self) -> dict[str, BandScore]:
        """Return the gait features of a cycle beside their normative bands; empty at speeds without bands."""
        strides = self.motion(steps=4, rate_hz=SCORE_RATE_HZ)
        if self.direction is not None:
            strides = self.direction.aligned_with_x(strides)
        heel = strides.contact[:, strides.foot_names.index(sided(HEEL, RIGHT))]
        start, stop = landing_samples(heel)[:2]
        samples = ("qpos", "contact", "torque_nm", "ground_force_n", "cop_in_world")
        cut = {name: getattr(strides, name)[start : stop + 1] for name in samples}
        cycle = replace(strides, time_s=strides.time_s[start : stop + 1] - strides.time_s[start], **cut)
        return band_scores(self.robot, self.speed_m_s, walk_figures(self.robot, cycle))


def work_j(path: Trajectory) -> float:
    """Return the absolute mechanical work of all joints along a trajectory; negative work counts as positive."""
    power = np.abs(path.u * path.v[:, list(path.problem.actuated)]).sum(axis=1)
    phases = (path.nodes_of(phase) for phase in range(len(path.problem.phases)))
    return sum(float(np.trapezoid(power[nodes], path.time_s[nodes])) for nodes in phases)


def unfinished(robot: Robot, best: Solution) -> Gait:
    """Return the best iterate of a stopped solver as a gait; its soundness says what it lacks."""
    soundness = replace(verify_trajectory(robot, best, playback=False), finished=False)
    return Gait(robot, best, soundness, (f"stopped after {best.iterations} iterations, cost {best.cost:.4f}",), {})


def centre_of_pressure(robot: Robot, qpos: Array, force_n: Array) -> Array:
    """Return the centre of pressure on the ground. Shapes (T, nq) and (T, n_feet, 3) in, (T, 2) out."""
    points = [contact_points(robot)[name] for name in robot.foot_names]
    positions = point_positions(robot.model, [(point.body, point.position_m) for point in points], qpos)
    load = force_n[..., 2]  # a contact sphere touches the ground below its centre
    return np.asarray(np.einsum("tf,tfc->tc", load, positions[..., :2]) / load.sum(axis=1, keepdims=True))
