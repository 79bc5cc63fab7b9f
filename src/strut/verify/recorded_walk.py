"""Recorded walk: the verdict on a movement of a recorded person, from its samples and forces alone.

People are soft: heels sink and rise gradually, shoes deform, and no landing is an impact, so contacts are not rigid. A
foot on the ground must be near the ground. Joints must stay within the ranges and the speed of people. Some force of
the ground under the standing feet must explain the movement, and in flight none may be needed.

The forces in the file must be those that the movement requires, closely while one foot carries and no landing is near
(a smooth movement does not contain the sharp rise of a landing). They must push, stay within friction, and act where a
foot stands. Torques must be those of movement and forces. A file without forces is never `ok`: what its movement alone
shows is judged, and if that is sound the verdict is `forces not judged`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.interpolate import make_interp_spline

from strut.arrays import Array
from strut.balance.centre_of_pressure import cop_of_wrench
from strut.balance.support import support_margin
from strut.engines.body_wrench import Movement, body_wrench, torques_under_wrenches
from strut.engines.inverse_dynamics import contact_demand
from strut.engines.rigid_body import GRAVITY_M_S2, foot_contact_points
from strut.errors import BadMotionError
from strut.kinematics.contact_set import contact_points
from strut.maths.rotation import angles_from_qpos
from strut.maths.sampling import fill_short_gaps, low_pass, runs
from strut.models.segment_robot import mobility_rad
from strut.motion import Motion
from strut.plumbing.number_text import Share, format_percent
from strut.receipt import LimitName, Reason, ReasonKind, Receipt, Verdict
from strut.robot import BASE, Robot
from strut.verify.contact_force_fit import fit_contact_forces

# Limits are chosen so that walks recorded on force plates pass and tampered ones fail; the figures of every walk are in
# benchmarks/results/recorded_verdicts.csv (bench_ground_forces.py); docs/explanations/recordings.md discusses them.
# "Calm" below: one foot carries and no landing is near.
MAX_UNEXPLAINED = 0.02  # force over weight, root mean square, calm; 0.017 at most in recordings
MAX_AT_LANDINGS = 0.20  # force over weight, root mean square, near landings and in double support
MAX_UNEXPLAINED_M = 0.025  # moment over weight, root mean square, calm
MAX_AT_LANDINGS_M = 0.08  # moment over weight near landings: a smooth centre of pressure moves too early and too late
MAX_TORQUE_ERROR = 0.09  # over the torques, root mean square
MAX_PENETRATION_M = 0.04  # of a contact point; skin and shoes are soft
MAX_SOLE_HEIGHT_M = 0.06  # of a foot on the ground; skin and shoes are soft, the soles of models are not
MAX_STANDING_HEIGHT_M = 0.015  # of standing feet from the ground, in the median; 9 mm at most in recordings
MAX_SLIP_M = 0.06  # of a flat foot during a stance
MAX_COP_ERROR_M = 0.025  # of the centre of pressure in the file, root mean square; 0.017 at most in recordings
MAX_BEYOND_RAD = 0.26  # of a joint beyond its range in people, chosen: skin misleads markers (Leardini et al., 2005)
MAX_JITTER_RAD = 0.1  # of a joint, faster than people move, root mean square; 0.06 at most in fits of recordings
# Of the movement alone, without forces. Fits of 12 recordings, played in their own time and three times as fast:
MAX_UNSUPPORTED = 0.2  # of the weight, in the median: 0.09 at most in their own time, 0.38 at least when too fast
MAX_FLIGHT = 0.5  # of the weight, held up by nothing: a body that flies needs 0, one that hovers needs 1
MAX_MASS_ERROR = 0.10  # of the mass according to plates, either way: weighed masses are less than 2.5 % off
MAX_MARKER_ERROR_MM = 20.0  # mean over markers and frames, as the file claims
MIN_LOAD = 0.05  # of the weight, below which friction and centre of pressure are uncertain
BEFORE_LANDING_S = 0.09  # from here on a landing is near: it is sharper than the smooth movement
AFTER_LANDING_S = 0.25  # until here a landing is near
ENDS_S = 0.05  # at both ends of a recording, splines do not determine accelerations
MOVEMENT_HZ = 6.0  # people walk below it (Winter, 2009, Biomechanics and Motor Control of Human Movement)
PADDING = 15  # samples by which a movement is extended at both ends to be filtered
MIN_FLIGHT_S = 0.1  # shorter ones may be errors of events
MIN_STEP_S = 0.1  # a foot that leaves the ground for less has not stepped
NO_FORCES = "forces and torques: the file has none; strut capture finds them"
NO_CALM = "forces in single support: no sample is far from a landing"
FORCE_FIGURES = (
    *("unexplained_weight", "landing_weight", "unexplained_moment_weight_m", "landing_moment_weight_m"),
    *("least_vertical_weight", "friction_use", "torque_disagreement", "cop_disagreement_m"),
    "margin_disagreement_m",
)
NOT_CLAIMED = (  # a recording has no requested emotion, and the strength of a person is unknown
    *("emotion", "pad", "intensity_asked", "intensity_kept", "balance_margin_mm"),
    *("torque_use", "task_error_mm", "cost_of_transport", "solve_s"),
)


@dataclass(frozen=True, slots=True)
class RecordedSoundness:
    """Figures of a recorded walk, measured from its samples; None where the file lacks the data.

    Args:
        unexplained_weight: Required force minus the forces in the file, over the weight, root mean square, calm.
        landing_weight: The same near landings.
        unexplained_moment_weight_m: Required moment minus that of the forces in the file, over the weight, calm.
        landing_moment_weight_m: The same near landings.
        least_vertical_weight: Smallest vertical force on a foot over the weight.
        friction_use: Largest tangential force over the friction limit.
        torque_disagreement: Difference of the torques in the file from those of movement and forces, over the torques.
        highest_mm: Largest height of the lowest point of a foot that should be on the ground.
        steps: From a heel strike to that of the other foot.
        marker_error_mean_mm: As the file claims.
        unjudged: What could not be judged; None if everything was.
        plate_share: Vertical force that plates measured over the required force, as the file claims.
        standing_height_mm: Height of the lowest point of standing feet, in the median.
        unsupported_weight: Force that the movement requires and that no force of the ground under the standing feet
            explains, over the weight, in the median.
        flight_weight: Largest mean of the force over the weight that the movement requires while no foot stands.
        beyond_range_rad: How far the farthest joint is beyond its range in people; negative inside it.
        tightest: The name of that joint.
        speed_use: Speed of the fastest joint over that of people.
        fastest: The name of that joint.
        jitter_rad: Movement of the least steady joint that is faster than people move, root mean square.
        least_steady: The name of that joint.
        cop_disagreement_m: Distance of the centre of pressure in the file from that of the movement, root mean square.
        margin_disagreement_m: The same of the balance margin in the file.
    """

    unexplained_weight: float | None
    landing_weight: float | None
    unexplained_moment_weight_m: float | None
    landing_moment_weight_m: float | None
    least_vertical_weight: float | None
    friction_use: float | None
    torque_disagreement: float | None
    highest_mm: float
    steps: int
    marker_error_mean_mm: float | None
    unjudged: str | None
    plate_share: float | None = None
    standing_height_mm: float = 0.0
    unsupported_weight: float = 0.0
    flight_weight: float = 0.0
    beyond_range_rad: float = 0.0
    tightest: str = ""
    speed_use: float = 0.0
    fastest: str = ""
    jitter_rad: float = 0.0
    least_steady: str = ""
    cop_disagreement_m: float | None = None
    margin_disagreement_m: float | None = None


def was_recorded(motion: Motion) -> bool:
    """Return whether a motion says that it was fitted to markers of a person.

    This decides which limits apply to a person; every motion is judged.
    """
    return isinstance(motion.meta.get("observed"), Mapping) and "source" in motion.meta


def is_person(robot: Robot) -> bool:
    """Return whether a robot is a human body, as people are recorded with."""
    return robot.tables.subject is not None


def recorded_receipt(robot: Robot, motion: Motion) -> Receipt:
    """Return the receipt of a recorded walk.

    It is `refused` if a person cannot move that way, if feet float, or if its forces are not those of its movement, and
    `forces not judged` if it has no forces to judge.

    Raises:
        BadMotionError: If there is nothing to judge between its first and last change of contacts, or if the robot is
            no person.
    """
    if not _is_judged(motion).any():
        raise BadMotionError(
            "The recorded walk has no sample between its first and last change of contacts, so nothing can be judged; "
            "record at least a whole step."
        )
    points = foot_contact_points(robot, motion.qpos)
    soundness = _soundness(robot, motion, points)
    slide_m = _foot_slip_m(robot, motion, points)
    deepest_mm = max(-1e3 * float(points[_is_judged(motion)][..., 2].min()), 0.0)
    reasons = refusal_reasons(soundness, penetration_mm=deepest_mm, slip_mm=1e3 * slide_m)
    travel_m = motion.qpos[-1, :2] - motion.qpos[0, :2] - _belt_m_s(motion) * motion.duration_s
    distance_m = float(np.linalg.norm(travel_m))
    not_claimed: dict[str, Any] = dict.fromkeys(NOT_CLAIMED)
    sound: Verdict = "ok" if soundness.unjudged is None else "forces not judged"
    return Receipt(
        **not_claimed,
        robot=robot.name,
        verdict="refused" if reasons else sound,
        reasons=tuple(reasons),
        duration_s=motion.duration_s,
        distance_m=distance_m,
        speed_m_s=distance_m / motion.duration_s,
        joint_limit_margin_rad=-soundness.beyond_range_rad,
        joint_speed_use=soundness.speed_use,
        foot_slip_mm=1e3 * slide_m,
        penetration_mm=deepest_mm,
        soundness=asdict(soundness),
    )


def _soundness(robot: Robot, motion: Motion, points: Array) -> RecordedSoundness:
    inside = _is_judged(motion)
    standing = _feet_in_contact(robot, motion.contact)
    heights = np.stack([points[:, columns, 2].min(axis=1) for columns in _contact_columns(robot)], axis=1)
    off_ground = np.where(standing & inside[:, None], heights, -np.inf)
    under = heights[standing & inside[:, None]]
    movement = _movement_of(motion)
    forces: dict[str, Any] = _force_figures(robot, motion, points, inside, movement)
    no_calm = NO_CALM if forces["unexplained_weight"] is None else None
    return RecordedSoundness(
        **forces,
        **_movement_figures(robot, motion, inside),
        standing_height_mm=1e3 * float(np.median(under)) if len(under) else 0.0,
        highest_mm=1e3 * float(max(off_ground.max(), 0.0)),
        steps=_count_steps(robot, motion),
        marker_error_mean_mm=_claimed_figure(motion, "marker_error_mean_mm"),
        unjudged=NO_FORCES if motion.ground_force_n is None else no_calm,
        plate_share=_claimed_figure(motion, "plate_share"),
    )


def _claimed_figure(motion: Motion, name: str) -> float | None:
    """Return a figure that the file claims, because the recording itself is not in the file."""
    value = motion.meta.get(name)
    return float(value) if isinstance(value, int | float) and np.isfinite(value) else None


def _movement_figures(robot: Robot, motion: Motion, inside: npt.NDArray[np.bool_]) -> dict[str, Any]:
    """Return what the movement alone requires: ranges and speeds of joints, and a force of the ground."""
    movement = _movement_of(motion, below_hz=MOVEMENT_HZ)
    angles = movement.q[inside, BASE:]
    lower, upper = mobility_rad(robot)
    beyond = np.maximum(lower - angles, angles - upper).max(axis=0) - MAX_BEYOND_RAD
    speed = (np.abs(movement.rate[inside, BASE:]) / robot.joint_speed_limit_rad_s).max(axis=0)
    off = (_movement_of(motion).q - movement.q)[inside, BASE:]
    jitter = np.sqrt(np.mean(off**2, axis=0))
    standing = _feet_in_contact(robot, motion.contact)
    touches = _points_of_standing_feet(robot, motion.contact)
    demand = contact_demand(
        robot.model, [contact_points(robot)[name] for name in robot.foot_names], *movement.for_engine()
    )
    rest = fit_contact_forces(robot, demand, touches, friction=robot.friction).rest[:, :3]
    weight_n = robot.mass_kg * GRAVITY_M_S2
    missing = np.linalg.norm(rest, axis=1) / weight_n
    flights = [
        float(missing[flight].mean())
        for flight in runs(inside & ~standing.any(axis=1))
        if motion.time_s[flight][-1] - motion.time_s[flight][0] >= MIN_FLIGHT_S
    ]
    return {
        "unsupported_weight": float(np.median(missing[inside])),
        "flight_weight": max(flights, default=0.0),
        "beyond_range_rad": float(beyond.max()),
        "tightest": robot.joint_names[int(beyond.argmax())],
        "speed_use": float(speed.max()),
        "fastest": robot.joint_names[int(speed.argmax())],
        "jitter_rad": float(jitter.max()),
        "least_steady": robot.joint_names[int(jitter.argmax())],
    }


def _force_figures(
    robot: Robot, motion: Motion, points: Array, inside: npt.NDArray[np.bool_], movement: Movement
) -> dict[str, Any]:
    """Return the figures of the forces and torques in the file; None where it has none."""
    needed = body_wrench(robot.model, *movement.for_engine())
    one_foot = _feet_in_contact(robot, motion.contact).sum(axis=1) == 1
    calm = inside & one_foot & ~_is_near_landing(robot, motion)
    weight_n = robot.mass_kg * GRAVITY_M_S2
    disagreements = {
        "torque_disagreement": _torque_error(robot, motion, movement, needed, calm),
        **_pressure_errors(robot, motion, points, needed, inside),
    }
    if motion.ground_force_n is None:
        return dict.fromkeys(FORCE_FIGURES) | disagreements
    wrench = np.stack(
        [_foot_wrench(points, motion.ground_force_n, columns) for columns in _contact_columns(robot)], axis=1
    )
    left = (needed - wrench.sum(axis=1)) / weight_n
    total = wrench.sum(axis=1)
    cop = cop_of_wrench(total[:, :3], total[:, 3:], min_load_n=MIN_LOAD * weight_n)
    place = np.column_stack([cop, np.zeros(len(left))])
    moment = left[:, 3:] - np.cross(place, left[:, :3])
    hard = inside & ~calm
    vertical = wrench[inside][..., 2] / weight_n
    level = np.linalg.norm(wrench[inside][..., :2], axis=2) / weight_n
    use = np.where(vertical > MIN_LOAD, level / np.maximum(vertical, MIN_LOAD) / robot.friction, 0.0)
    return {
        "unexplained_weight": _rms(left[calm, :3]),
        "landing_weight": _rms(left[hard, :3]),
        "unexplained_moment_weight_m": _rms(moment[calm, :2]),
        "landing_moment_weight_m": _rms(moment[hard, :2]),
        "least_vertical_weight": float(vertical.min()),
        "friction_use": float(use.max()),
        **disagreements,
    }


def _pressure_errors(
    robot: Robot, motion: Motion, points: Array, wrench: Array, inside: npt.NDArray[np.bool_]
) -> dict[str, float | None]:
    """Return how far centre of pressure and margin in the file are from those of a wrench (T, 6); None without them."""
    errors: dict[str, float | None] = {"cop_disagreement_m": None, "margin_disagreement_m": None}
    cop = cop_of_wrench(wrench[:, :3], wrench[:, 3:], min_load_n=MIN_LOAD * robot.mass_kg * GRAVITY_M_S2)
    if motion.cop_in_world is not None:
        errors["cop_disagreement_m"] = _rms((motion.cop_in_world - cop)[inside])
    if motion.balance_margin_m is not None:
        touches = _points_of_standing_feet(robot, motion.contact)
        margin = [
            support_margin(touches[k : k + 1], points[k : k + 1], cop[k : k + 1])[0] for k in np.flatnonzero(inside)
        ]
        off_m = np.nan_to_num(motion.balance_margin_m[inside] - np.array(margin), nan=0.0, posinf=1.0, neginf=-1.0)
        errors["margin_disagreement_m"] = _rms(off_m[:, None])
    return errors


def _torque_error(
    robot: Robot, motion: Motion, movement: Movement, wrench: Array, calm: npt.NDArray[np.bool_]
) -> float | None:
    """Return the relative error of torques while one foot has the whole wrench; None without torques or calm frames."""
    if motion.torque_nm is None or not calm.any():
        return None
    alone = np.where(_feet_in_contact(robot, motion.contact)[..., None], wrench[:, None], 0.0)
    needed = torques_under_wrenches(robot.model, movement.for_engine(), _foot_bodies(robot), alone)[calm]
    return float(np.linalg.norm(motion.torque_nm[calm] - needed) / max(float(np.linalg.norm(needed)), 1e-9))


def refusal_reasons(soundness: RecordedSoundness, *, penetration_mm: float, slip_mm: float) -> list[Reason]:
    """Return the reasons to refuse a recorded walk: the figures beyond their limits; none if it is sound.

    Args:
        soundness: Its figures; those that are None are not judged.
        penetration_mm: Largest depth of a contact point below the ground.
        slip_mm: Largest distance that a foot moves over the ground during a stance.
    """
    limits = (
        (
            soundness.unexplained_weight,
            MAX_UNEXPLAINED,
            LimitName.EQUATION_OF_MOTION,
            "forces in the file leave {:.1%} of the weight unexplained",
        ),
        (
            soundness.landing_weight,
            MAX_AT_LANDINGS,
            LimitName.EQUATION_OF_MOTION,
            "forces at landings leave {:.0%} of the weight unexplained",
        ),
        (
            soundness.unexplained_moment_weight_m,
            MAX_UNEXPLAINED_M,
            LimitName.EQUATION_OF_MOTION,
            "{:.3f} m times the weight of moment is unexplained",
        ),
        (
            soundness.landing_moment_weight_m,
            MAX_AT_LANDINGS_M,
            LimitName.EQUATION_OF_MOTION,
            "{:.3f} m times the weight of moment is unexplained at landings",
        ),
        (soundness.friction_use, 1.0, LimitName.FRICTION, "a foot needs {:.2f} times what the ground has"),
        (
            soundness.torque_disagreement,
            MAX_TORQUE_ERROR,
            LimitName.FILE,
            "torques are {:.0%} off what movement and forces need",
        ),
        (1e-3 * penetration_mm, MAX_PENETRATION_M, LimitName.FOOT_CONTACT, "a foot is {:.3f} m in the ground"),
        (
            1e-3 * soundness.highest_mm,
            MAX_SOLE_HEIGHT_M,
            LimitName.FOOT_CONTACT,
            "a foot that should stand is {:.3f} m above the ground",
        ),
        (
            1e-3 * abs(soundness.standing_height_mm),
            MAX_STANDING_HEIGHT_M,
            LimitName.FOOT_CONTACT,
            f"standing feet are {{:.3f}} m {'above' if soundness.standing_height_mm > 0.0 else 'in'} the ground",
        ),
        (1e-3 * slip_mm, MAX_SLIP_M, LimitName.FOOT_SLIP, "a foot that stands slides {:.3f} m"),
        (
            soundness.cop_disagreement_m,
            MAX_COP_ERROR_M,
            LimitName.FILE,
            "the centre of pressure in the file is {:.3f} m off what the movement needs",
        ),
        (
            soundness.margin_disagreement_m,
            MAX_COP_ERROR_M,
            LimitName.FILE,
            "the balance margin in the file is {:.3f} m off what the movement has",
        ),
        (
            soundness.unsupported_weight,
            MAX_UNSUPPORTED,
            LimitName.EQUATION_OF_MOTION,
            "no force of the ground under the standing feet explains {:.0%} of the weight",
        ),
        (
            soundness.flight_weight,
            MAX_FLIGHT,
            LimitName.EQUATION_OF_MOTION,
            "{:.0%} of the weight would have to be held up while no foot stands",
        ),
        (
            soundness.beyond_range_rad,
            0.0,
            LimitName.JOINT_LIMIT,
            f"{soundness.tightest} is {{:.2f}} rad beyond what joints of people and errors of markers allow",
        ),
        (
            soundness.speed_use,
            1.0,
            LimitName.JOINT_SPEED,
            f"{soundness.fastest} reaches {{:.0%}} of the speed of people",
        ),
        (
            soundness.jitter_rad,
            MAX_JITTER_RAD,
            LimitName.JOINT_SPEED,
            f"{soundness.least_steady} jitters by {{:.2f}} rad faster than the 6 Hz at which people move",
        ),
        (soundness.marker_error_mean_mm, MAX_MARKER_ERROR_MM, None, "markers are {:.0f} mm off on average"),
    )
    reasons = [
        Reason(ReasonKind.LIMIT, limit, text.format(Share(value)))
        for value, most, limit, text in limits
        if value is not None and not value <= most
    ]
    if soundness.least_vertical_weight is not None and soundness.least_vertical_weight < 0.0:
        reasons.append(Reason(ReasonKind.LIMIT, LimitName.EQUATION_OF_MOTION, "the ground would have to pull"))
    share = soundness.plate_share
    if share is not None and not 1.0 / (1.0 + MAX_MASS_ERROR) <= share <= 1.0 + MAX_MASS_ERROR:
        text = f"plates feel {format_percent(share)} of the vertical force that this mass needs for the movement"
        reasons.append(Reason(ReasonKind.LIMIT, None, text))
    if soundness.steps < 1:
        reasons.append(Reason(ReasonKind.LIMIT, None, "no whole step from heel strike to heel strike is seen"))
    return reasons


def _movement_of(motion: Motion, *, below_hz: float | None = None) -> Movement:
    """Return coordinates, rates and accelerations of splines through the samples, of their movement `below_hz`."""
    q = angles_from_qpos(motion.qpos)
    q[:, 3:BASE] = np.unwrap(q[:, 3:BASE], axis=0)
    if below_hz is not None:
        rate_hz = (len(q) - 1) / motion.duration_s
        q = low_pass(q, below_hz, rate_hz, padding=min(PADDING, len(q) - 1))
    curve = make_interp_spline(motion.time_s, q, k=5, axis=0)
    return Movement(q, curve(motion.time_s, 1), curve(motion.time_s, 2))


def _foot_bodies(robot: Robot) -> list[str]:
    """Return the names of the bodies that stand on the ground, one per foot."""
    return list(dict.fromkeys(contact_points(robot)[name].body for name in robot.foot_names))


def _contact_columns(robot: Robot) -> list[list[int]]:
    """Return the columns of the contact points of each foot."""
    owner = [contact_points(robot)[name].body for name in robot.foot_names]
    return [[index for index, one in enumerate(owner) if one == body] for body in _foot_bodies(robot)]


def _feet_in_contact(robot: Robot, contact: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return whether any point of each foot is on the ground. Shape (T, n_points) in, (T, 2) out."""
    return np.stack([contact[:, columns].any(axis=1) for columns in _contact_columns(robot)], axis=1)


def _points_of_standing_feet(robot: Robot, contact: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the points that may carry: soles are soft, so all points of a foot that stands. Shape (T, n_points)."""
    touches = np.zeros(contact.shape, dtype=bool)
    for columns in _contact_columns(robot):
        touches[:, columns] = contact[:, columns].any(axis=1, keepdims=True)
    return touches


def _foot_wrench(points: Array, force_n: Array, columns: Sequence[int]) -> Array:
    """Return the force on a foot, and its moment about the origin with the points at height 0. Shape (T, 6)."""
    own = force_n[:, columns]
    place = points[:, columns] * [1.0, 1.0, 0.0]
    return np.concatenate([own.sum(axis=1), np.cross(place, own).sum(axis=1)], axis=1)


def _landings(robot: Robot, motion: Motion) -> list[tuple[float, int]]:
    """Return time and foot of each landing, in order of time."""
    down = _feet_in_contact(robot, motion.contact)
    return sorted((float(motion.time_s[k + 1]), int(foot)) for k, foot in np.argwhere(~down[:-1] & down[1:]))


def _count_steps(robot: Robot, motion: Motion) -> int:
    feet = [foot for _, foot in _landings(robot, motion)]
    return sum(one != other for one, other in pairwise(feet))


def _is_near_landing(robot: Robot, motion: Motion) -> npt.NDArray[np.bool_]:
    near = np.zeros(len(motion.time_s), dtype=bool)
    for landing_s, _ in _landings(robot, motion):
        since = motion.time_s - landing_s
        near |= (since > -BEFORE_LANDING_S) & (since < AFTER_LANDING_S)
    return near


def _is_judged(motion: Motion) -> npt.NDArray[np.bool_]:
    """Return the samples from the first change of contacts to the last, without the ends. Shape (T,)."""
    time_s = motion.time_s
    changes = np.flatnonzero((motion.contact[1:] != motion.contact[:-1]).any(axis=1))
    first_s, last_s = (time_s[changes[0]], time_s[changes[-1] + 1]) if len(changes) else (time_s[0], time_s[-1])
    return np.asarray((time_s >= max(first_s, time_s[0] + ENDS_S)) & (time_s <= min(last_s, time_s[-1] - ENDS_S)))


def _belt_m_s(motion: Motion) -> Array:
    belt = np.asarray(motion.meta.get("belt_m_s") or [0.0, 0.0, 0.0], dtype=np.float64)
    return belt[:2]


def _foot_slip_m(robot: Robot, motion: Motion, points: Array) -> float:
    """Return the largest distance that a flat foot moves over the ground during a stance."""
    largest = 0.0
    step_s = motion.duration_s / (len(motion.time_s) - 1)
    for columns in _contact_columns(robot):
        flat = fill_short_gaps(np.asarray(motion.contact[:, columns].all(axis=1)), MIN_STEP_S / step_s)
        middle = points[:, columns, :2].mean(axis=1) - np.outer(motion.time_s, _belt_m_s(motion))
        for stance in runs(flat):
            away = np.linalg.norm(middle[stance] - np.median(middle[stance], axis=0), axis=1)
            largest = max(largest, float(away.max()))
    return largest


def _rms(values: Array) -> float | None:
    """Return the root mean square of the lengths of vectors; None if there are none. Shape (T, n)."""
    return float(np.sqrt(np.mean(np.sum(values**2, axis=-1)))) if len(values) else None
