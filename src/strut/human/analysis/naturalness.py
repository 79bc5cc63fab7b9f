"""Naturalness: visible features of a solved step, measured on the curves between the nodes, in world axes.

The ranges of the gait table apply at any speed, the published bands at the speeds that they cover.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, Self

import numpy as np

from strut.arrays import Array
from strut.engines.body_wrench import centre_of_mass_path
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import BadMotionError
from strut.human.analysis.reference_bands import BandScore
from strut.human.analysis.walk_figures import foot_clearances, pelvis_angles, world_pitch
from strut.human.anatomy import (
    ELBOW,
    HEAD,
    HIP,
    LEFT,
    RIGHT,
    SHOULDER,
    SHOULDER_ABDUCTION,
    SIDES,
    UPPER_TRUNK,
    sided,
)
from strut.human.table import human_gait
from strut.kinematics.mirror import mirror_of
from strut.maths.rotation import qpos_from_angles
from strut.ocp.trajectory import Trajectory
from strut.plumbing.number_text import format_percent
from strut.robot import Robot

PER_INTERVAL = 4  # samples of a mesh interval
LONG_AXES = ("HipRight_RZ", "HipLeft_RZ", "AnkleRight_RZ", "AnkleLeft_RZ")
NEAR_SD = 2.0  # a figure within so many standard deviations is usual
FAR_SD = 4.0  # a figure beyond so many is reported as unlike people
OLD_NAMES = {"least_load": "min_load"}  # of older receipts and gait tables


@dataclass(frozen=True, slots=True)
class Naturalness:
    """Visible features of a gait.

    Args:
        mirror_error_rad: Largest difference between the end of the step and the mirror image of its start.
        stance_knee_rad: Largest flexion of the standing knee while its foot is flat.
        swing_knee_rad: Largest flexion of the swinging knee.
        strike_knee_rad: Flexion of the swinging knee at heel strike.
        toe_clearance_m: Minimum height of the swinging toes in mid-swing.
        arm_swing_rad: Range of the shoulder flexion.
        arm_against_leg: Correlation of arm and leg of the same side; -1 is a perfect counter-swing.
        leg_turn_rad: Largest rotation of hips and ankles about the long axis of the leg.
        pelvis_pitch_rad: Range of the pitch of the pelvis in world.
        min_load: Smallest vertical ground reaction force over body weight; 0 in flight.
        trunk_forward_rad: Mean pitch of the trunk against the vertical.
        head_forward_rad: Mean pitch of the head against the trunk.
        heel_clearance_m: Minimum height of the swinging heel before it comes down to land.
        pelvis_roll_rad: Range of the roll of the pelvis in world.
        pelvis_turn_rad: Range of the heading of the pelvis in world.
        elbow_rad: Mean flexion of the elbows.
        shoulder_rad: Mean abduction of the shoulders.
        arms_over_legs: Largest angle between the arms over the largest angle between the thighs.
        step_s: Duration of the step.
        rise_m: Vertical range of the centre of mass.
        bands_judged: Number of figures that have published bands at this speed.
        bands_near: Number of those within two standard deviations of the mean.
        bands_worst_sd: Largest distance from the mean in standard deviations; None without bands.
    """

    mirror_error_rad: float
    stance_knee_rad: float
    swing_knee_rad: float
    strike_knee_rad: float
    toe_clearance_m: float
    arm_swing_rad: float
    arm_against_leg: float
    leg_turn_rad: float
    pelvis_pitch_rad: float
    min_load: float
    trunk_forward_rad: float
    head_forward_rad: float
    heel_clearance_m: float
    pelvis_roll_rad: float
    pelvis_turn_rad: float
    elbow_rad: float
    shoulder_rad: float
    arms_over_legs: float
    step_s: float
    rise_m: float
    bands_judged: int = 0
    bands_near: int = 0
    bands_worst_sd: float | None = None

    def oddities(self, robot: Robot) -> list[str]:
        """Return a sentence for each feature outside the range of people in the gait table."""
        sentences = []
        for name, entry in human_gait(robot).natural.items():
            value = getattr(self, OLD_NAMES.get(name, name))
            lower, upper = entry.range
            if not lower <= value <= upper:
                low, high = (f"{entry.factor * bound:.3g}" for bound in (lower, upper))
                sentences.append(f"{entry.words} is {entry.factor * value:.3g}, people's {low} to {high}")
        return sentences

    def summary(self) -> str:
        """Return the main features as part of a sentence, after the word `It`."""
        angles = {
            "stands on a knee bent by": self.stance_knee_rad,
            "swings a knee bent by": self.swing_knee_rad,
            "swings its arms by": self.arm_swing_rad,
            "leans by": self.trunk_forward_rad,
            "nods by": self.head_forward_rad,
        }
        parts = [f"{verb} {round(float(np.degrees(angle)))}°" for verb, angle in angles.items()]
        parts.append(f"lifts its toes by {1e3 * self.toe_clearance_m:.0f} mm")
        load = f"and never puts less than {format_percent(self.min_load)} of its weight on the ground"
        return f"{', '.join(parts)} {load}"

    def as_dict(self) -> dict[str, float]:
        """Return the features for JSON."""
        return asdict(self)

    @classmethod
    def from_dict(cls, table: Mapping[str, Any]) -> Self:
        """Return the features of a receipt, which may have other keys besides; older files may lack bands.

        Raises:
            BadMotionError: If it lacks other features.
        """
        values = {OLD_NAMES.get(name, name): value for name, value in table.items()}
        missing = [field.name for field in fields(cls) if field.default is MISSING and field.name not in values]
        if missing:
            raise BadMotionError(f"The receipt has no {', '.join(missing)}; make the walk again to have all figures.")
        return cls(**{field.name: values[field.name] for field in fields(cls) if field.name in values})


def odd_scores(scores: Mapping[str, BandScore]) -> list[str]:
    """Return a sentence for each figure that is far outside its band."""
    return [
        f"{score.words} is {score.value:.3g}, people's {score.mean:.3g} ± {score.sd:.2g}"
        for score in scores.values()
        if abs(score.z) > FAR_SD
    ]


def naturalness(robot: Robot, path: Trajectory, scores: Mapping[str, BandScore] | None = None) -> Naturalness:
    """Return the visible features of a step from left toe off to right toe off, and the count of its scores."""
    names = list(path.problem.tree.velocity_names)
    parts = [path.between(phase, PER_INTERVAL) for phase in range(len(path.problem.phases))]
    time_s, q, force = (np.concatenate([part[index] for part in parts]) for index in (0, 1, 4))
    phase = np.repeat(np.arange(len(parts)), [len(part[0]) for part in parts])
    mirror = mirror_of(robot, names)
    stride = np.concatenate([q, mirror.image(q)])
    normal = [index for index, row in enumerate(path.problem.contact.rows) if row.axis == 2]
    tilt, roll, turn = pelvis_angles(robot, qpos_from_angles(stride))
    distance_sd = np.array([abs(score.z) for score in (scores or {}).values()])

    def angle(name: str, table: Array = q) -> Array:
        return np.asarray(table[:, names.index(name)])

    arm = angle(sided(SHOULDER, RIGHT), stride)
    leg = angle(sided(HIP, RIGHT), stride)
    swing_s = time_s[phase <= 1]
    swing_share = (swing_s - swing_s[0]) / (swing_s[-1] - swing_s[0])
    toes_m, heel_m = foot_clearances(robot, LEFT, qpos_from_angles(q[phase <= 1]), swing_share)
    return Naturalness(
        mirror_error_rad=float(np.abs(mirror.image(path.q[-1]) - path.q[0])[3:].max()),
        stance_knee_rad=float(angle("KneeRight_RY")[phase == 0].max()),
        swing_knee_rad=float(angle("KneeLeft_RY")[phase <= 1].max()),
        strike_knee_rad=float(angle("KneeLeft_RY")[phase == 1][-1]),
        toe_clearance_m=toes_m,
        arm_swing_rad=float(np.ptp(arm)),
        arm_against_leg=float(np.corrcoef(arm, leg)[0, 1]),
        leg_turn_rad=float(max(np.abs(angle(name)).max() for name in LONG_AXES)),
        pelvis_pitch_rad=float(np.ptp(tilt)),
        min_load=float(force[:, normal].sum(axis=1).min() / (robot.mass_kg * GRAVITY_M_S2)),
        heel_clearance_m=heel_m,
        pelvis_roll_rad=float(np.ptp(roll)),
        pelvis_turn_rad=float(np.ptp(turn)),
        arms_over_legs=_largest_difference(q, names, SHOULDER) / _largest_difference(q, names, HIP),
        step_s=float(path.time_s[-1]),
        rise_m=float(np.ptp(centre_of_mass_path(robot.model, qpos_from_angles(q))[:, 2])),
        bands_judged=len(distance_sd),
        bands_near=int(np.sum(distance_sd <= NEAR_SD)),
        bands_worst_sd=float(distance_sd.max()) if len(distance_sd) else None,
        **_posture_figures(robot, names, q, time_s),
    )


def _posture_figures(robot: Robot, names: list[str], q: Array, time_s: Array) -> dict[str, float]:
    """Return the mean angles over time of trunk, head and arms; of the arms the mean of both sides."""

    def mean(values: Array) -> float:
        return float(np.trapezoid(values, time_s) / (time_s[-1] - time_s[0]))

    qpos = qpos_from_angles(q)
    signs = {RIGHT: -1.0, LEFT: 1.0}
    trunk, head = (mean(world_pitch(robot, qpos, segment)) for segment in (UPPER_TRUNK, HEAD))
    arms = {
        coordinate: [mean(q[:, names.index(sided(coordinate, side))]) for side in SIDES]
        for coordinate in (ELBOW, SHOULDER_ABDUCTION)
    }
    abduction = [signs[side] * value for side, value in zip(SIDES, arms[SHOULDER_ABDUCTION], strict=True)]
    return {
        "trunk_forward_rad": trunk,
        "head_forward_rad": head - trunk,
        "elbow_rad": -float(np.mean(arms[ELBOW])),
        "shoulder_rad": float(np.mean(abduction)),
    }


def _largest_difference(q: Array, names: list[str], coordinate: str) -> float:
    """Return the largest angle between the two sides."""
    right, left = (q[:, names.index(sided(coordinate, side))] for side in SIDES)
    return float(np.abs(right - left).max())
