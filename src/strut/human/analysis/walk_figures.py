"""Walk figures: the peaks, ranges and shares of one gait cycle that gait laboratories report, by name.

Angles have the signs of laboratories: flexion of hip, knee and elbow and dorsiflexion of the ankle are positive;
torques and powers follow them. Posture and steps are in world axes. Figures that need torques, forces or a stance phase
are left out if the walk has none.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from strut.arrays import Array
from strut.engines.body_wrench import centre_of_mass_path
from strut.engines.contact_slip import contact_slip
from strut.engines.rigid_body import GRAVITY_M_S2, body_poses, point_positions
from strut.human.anatomy import (
    ANKLE,
    ELBOW,
    HEAD,
    HEEL,
    HIP,
    HIP_ABDUCTION,
    KNEE,
    LITTLE_TOE,
    PELVIS,
    RIGHT,
    SHOULDER,
    SIDES,
    TOES,
    UPPER_TRUNK,
    points_of_side,
    sided,
)
from strut.kinematics.contact_set import contact_points
from strut.motion import Motion
from strut.robot import Robot

LOADING = 0.3  # share of the cycle in which the leg takes the load
LANDED = 0.03  # share after heel strike that torques and powers leave out: a jump of velocity has no power
HUMP_SHARE = 0.4  # share of stance at either end that is searched for a peak of the vertical force
TOE_CLEARANCE_SHARE = (0.3, 0.9)  # shares of the swing between which the toes clear the ground
HEEL_CLEARANCE_SHARE = (0.3, 0.8)  # the same of the heel, which comes down to land
SIGN = {HIP: -1.0, HIP_ABDUCTION: -1.0, KNEE: 1.0, ANKLE: -1.0, ELBOW: -1.0, SHOULDER: -1.0}  # of the right side


@dataclass(frozen=True, slots=True, eq=False)
class _Leg:
    """The right leg over a cycle from its heel strike.

    Args:
        robot: A human model.
        motion: The cycle.
        share: Share of the cycle that has passed. Shape (T,).
        in_stance: Whether the foot is on the ground. Shape (T,).
    """

    robot: Robot
    motion: Motion
    share: Array
    in_stance: npt.NDArray[np.bool_]

    def angle(self, coordinate: str) -> Array:
        """Return an angle of the right side in degrees. Shape (T,)."""
        return np.degrees(SIGN[coordinate] * self.motion.joint_angles_rad[:, self._column(coordinate)])

    def torque(self, coordinate: str) -> Array:
        """Return a torque over the body mass [N m/kg]. Shape (T,)."""
        assert self.motion.torque_nm is not None
        return SIGN[coordinate] * self.motion.torque_nm[:, self._column(coordinate)] / self.robot.mass_kg

    def power(self, coordinate: str) -> Array:
        """Return a power over the body mass [W/kg]. Shape (T,)."""
        power_w = joint_power(self.motion)
        assert power_w is not None
        return np.asarray(power_w[:, self._column(coordinate)] / self.robot.mass_kg)

    def _column(self, coordinate: str) -> int:
        return self.robot.joint_names.index(sided(coordinate, RIGHT))


def walk_figures(robot: Robot, cycle: Motion) -> dict[str, float]:
    """Return the figures of a cycle along x from one right heel strike to the next; names end in the unit."""
    in_contact = np.asarray(cycle.contact[:, points_of_side(cycle.foot_names, RIGHT)].any(axis=1))
    lifted = int(np.argmin(in_contact)) or len(in_contact)
    leg = _Leg(robot, cycle, cycle.time_s / cycle.duration_s, np.arange(len(in_contact)) < lifted)
    figures = _steps(leg) | _angles(leg) | _posture_figures(robot, cycle) | _clearance(leg)
    if cycle.torque_nm is not None:
        figures |= _torques(leg)
    if cycle.ground_force_n is not None:
        figures |= _forces(leg)
    return {name: float(value) for name, value in figures.items()}


def joint_power(motion: Motion) -> Array | None:
    """Return torque times speed of every joint [W]; None if torques are unknown. Shape (T, n_joints).

    Speeds are differences of angles, so the jump at a heel strike is spread over the two samples around it.
    """
    if motion.torque_nm is None:
        return None
    return np.asarray(motion.torque_nm * np.gradient(motion.joint_angles_rad, motion.time_s, axis=0))


def foot_force(robot: Robot, motion: Motion) -> Array | None:
    """Return the ground reaction force on the right foot over body weight; None if unknown. Shape (T, 3)."""
    if motion.ground_force_n is None:
        return None
    own = points_of_side(motion.foot_names, RIGHT)
    return np.asarray(motion.ground_force_n[:, own].sum(axis=1) / (robot.mass_kg * GRAVITY_M_S2))


def force_humps(force: Array, in_stance: npt.NDArray[np.bool_]) -> tuple[float, float, float] | None:
    """Return first peak, valley and second peak of the vertical force in a cycle from heel strike. Shape (T,) each.

    The peaks are the maxima of the first and the last 40 % of stance, the valley is the minimum between them. None if
    the stance has less than four samples.
    """
    in_swing = np.flatnonzero(~in_stance)
    stance = force[: in_swing[0]] if len(in_swing) else force
    if len(stance) < 4:
        return None
    early = int(HUMP_SHARE * len(stance)) + 1
    first = int(np.argmax(stance[:early]))
    second = len(stance) - early + int(np.argmax(stance[-early:]))
    return float(stance[first]), float(stance[first : second + 1].min()), float(stance[second])


def world_pitch(robot: Robot, qpos: Array, segment: str) -> Array:
    """Return the forward pitch of a segment against the vertical, in the x-z plane [rad]. Shape (T,)."""
    rotation = body_poses(robot.model, [segment], qpos)[1][:, 0]
    return np.arctan2(rotation[:, 0, 2], rotation[:, 2, 2])


def pelvis_angles(robot: Robot, qpos: Array) -> tuple[Array, Array, Array]:
    """Return tilt, obliquity and rotation of the pelvis in world [rad]. Shapes (T,)."""
    rotation = body_poses(robot.model, [PELVIS], qpos)[1][:, 0]
    tilt = np.arctan2(rotation[:, 0, 2], rotation[:, 2, 2])
    obliquity = np.arcsin(rotation[:, 2, 1].clip(-1.0, 1.0))
    return tilt, obliquity, np.arctan2(rotation[:, 1, 0], rotation[:, 0, 0])


def _steps(leg: _Leg) -> dict[str, float]:
    robot = leg.robot
    cycle = leg.motion
    feet = [np.asarray(cycle.contact[:-1, points_of_side(cycle.foot_names, side)].any(axis=1)) for side in SIDES]
    heels = _places(robot, cycle, [sided(HEEL, side) for side in SIDES])
    mass = centre_of_mass_path(robot.model, cycle.qpos)
    flat = [cycle.contact[:, cycle.foot_names.index(sided(TOES, side))] for side in SIDES]
    travelled = mass[-1, 0] - mass[0, 0]
    return {
        "step_length_m": travelled / 2.0,
        "cadence_per_min": 120.0 / cycle.duration_s,
        "stance_share": leg.in_stance[:-1].mean(),
        "double_support_share": (feet[0] & feet[1]).mean(),
        "com_rise_m": np.ptp(mass[:, 2]),
        "com_sway_m": np.ptp(mass[:, 1]),
    } | _step_width(heels, flat)


def _step_width(heels: Array, flat: Sequence[npt.NDArray[np.bool_]]) -> dict[str, float]:
    """Return the lateral distance of the heels while the toes are on the ground; empty if those of a foot never are.

    Args:
        heels: Positions of both heels. Shape (T, 2, 3).
        flat: Whether the toes of each foot are on the ground. Shape (T,) each.
    """
    if not all(in_contact.any() for in_contact in flat):
        return {}
    right, left = (heels[in_contact, number, 1].mean() for number, in_contact in enumerate(flat))
    return {"step_width_m": abs(left - right)}


def _angles(leg: _Leg) -> dict[str, float]:
    knee = leg.angle(KNEE)
    ankle = leg.angle(ANKLE)
    hip = leg.angle(HIP)
    loading = leg.share <= LOADING
    swing = ~leg.in_stance
    peak = int(np.argmax(np.where(loading, knee, -np.inf)))
    late_stance = leg.in_stance & (np.arange(len(knee)) >= peak)
    pushing = leg.share > LOADING
    return {
        "hip_range_deg": np.ptp(hip),
        "hip_adduction_range_deg": np.ptp(leg.angle(HIP_ABDUCTION)),
        "knee_strike_deg": knee[0],
        "knee_loading_deg": knee[peak],
        **({"knee_stance_extension_deg": knee[late_stance].min()} if late_stance.any() else {}),
        "knee_swing_deg": knee[pushing].max(),
        "ankle_strike_deg": ankle[0],
        "ankle_loading_deg": ankle[loading].min(),
        "ankle_dorsiflexion_deg": ankle[leg.in_stance].max(),
        "ankle_plantarflexion_deg": ankle[pushing].min(),
        "ankle_swing_deg": ankle[swing].max() if swing.any() else ankle.max(),
        "elbow_mean_deg": leg.angle(ELBOW).mean(),
        "shoulder_range_deg": np.ptp(leg.angle(SHOULDER)),
    }


def _posture_figures(robot: Robot, cycle: Motion) -> dict[str, float]:
    """Return angles of pelvis, trunk and head in the world."""
    tilt, oblique, rotation = pelvis_angles(robot, cycle.qpos)
    return {
        "pelvis_tilt_range_deg": np.degrees(np.ptp(tilt)),
        "pelvis_obliquity_range_deg": np.degrees(np.ptp(oblique)),
        "pelvis_rotation_range_deg": np.degrees(np.ptp(rotation)),
        "trunk_pitch_deg": np.degrees(world_pitch(robot, cycle.qpos, UPPER_TRUNK).mean()),
        "head_pitch_deg": np.degrees(world_pitch(robot, cycle.qpos, HEAD).mean()),
    }


def _clearance(leg: _Leg) -> dict[str, float]:
    """Return the clearance of toes and heel of the right foot in mid-swing."""
    swing = np.flatnonzero(~leg.in_stance)
    if not len(swing):
        return {}
    share = (leg.share - leg.share[swing[0]]) / (1.0 - leg.share[swing[0]])
    toes, heel = foot_clearances(leg.robot, RIGHT, leg.motion.qpos, share)
    return {"toe_clearance_m": toes, "heel_clearance_m": heel}


def foot_clearances(robot: Robot, side: str, qpos: Array, share: Array) -> tuple[float, float]:
    """Return the minimum heights of toes and heel of a swinging foot; `share` of the swing has passed. Shape (T,)."""
    points = contact_points(robot)
    clearances = []
    for parts, (start, stop) in (((TOES, LITTLE_TOE), TOE_CLEARANCE_SHARE), ((HEEL,), HEEL_CLEARANCE_SHARE)):
        inside = qpos[(share >= start) & (share <= stop)]
        heights = contact_slip(robot, [points[sided(part, side)] for part in parts], inside)[1]
        clearances.append(float(heights.min()))
    return clearances[0], clearances[1]


def _torques(leg: _Leg) -> dict[str, float]:
    landed = leg.share >= LANDED
    loading = leg.share <= LOADING
    late = leg.share > LOADING
    early = landed & loading
    push_off = late & leg.in_stance
    swing = ~leg.in_stance & (leg.share < 1.0 - LANDED)
    toe_off = late & (leg.share < 1.0 - LOADING)
    stance = landed & leg.in_stance
    hip, knee, ankle = (leg.power(coordinate) for coordinate in (HIP, KNEE, ANKLE))
    return {
        "hip_extension_nm_kg": -leg.torque(HIP)[early].min(),
        "hip_flexion_nm_kg": leg.torque(HIP)[toe_off].max(),
        **({"hip_abduction_nm_kg": leg.torque(HIP_ABDUCTION)[stance].max()} if stance.any() else {}),
        "knee_extension_nm_kg": -leg.torque(KNEE)[early].min(),
        "ankle_plantarflexion_nm_kg": -leg.torque(ANKLE)[leg.in_stance].min(),
        "hip_pull_w_kg": hip[toe_off].max(),
        "knee_push_absorption_w_kg": -knee[toe_off].min(),
        "knee_swing_absorption_w_kg": -knee[swing].min(initial=0.0),
        **({"ankle_absorption_w_kg": -ankle[stance].min()} if stance.any() else {}),
        **({"ankle_push_w_kg": ankle[push_off].max()} if push_off.any() else {}),
    }


def _forces(leg: _Leg) -> dict[str, float]:
    force = foot_force(leg.robot, leg.motion)
    humps = None if force is None else force_humps(force[:, 2], leg.in_stance)
    if force is None or humps is None:
        return {}
    first, valley, second = humps
    return {
        "force_first_hump_bw": first,
        "force_valley_bw": valley,
        "force_second_hump_bw": second,
        "force_braking_bw": -force[:, 0].min(),
        "force_propulsion_bw": force[:, 0].max(),
    }


def _places(robot: Robot, cycle: Motion, names: list[str]) -> Array:
    """Return positions of contact points. Shape (T, n, 3)."""
    points = [contact_points(robot)[name] for name in names]
    return point_positions(robot.model, [(point.body, point.position_m) for point in points], cycle.qpos)
