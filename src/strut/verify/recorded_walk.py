"""Recorded walk: the verdict on a movement that was recorded from a person, from its samples and forces alone.

People are soft: heels sink and rise gradually, shoes give way, and no landing is an impact. So nothing here is rigid:
a foot on the ground is near it, and forces that come with the motion must be those that move its masses, exactly while
one foot carries and no landing is near (a smooth movement does not show the sharp rise of a landing), push and not
pull, within friction, and at places where a foot stands. Torques must be those of movement and forces.
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
from strut.engines.body_wrench import Movement, body_wrench, torques_under_wrenches
from strut.engines.rigid_body import GRAVITY_M_S2, foot_contact_points
from strut.errors import BadMotionError
from strut.kinematics.contact_set import contact_points
from strut.maths.rotation import angles_from_qpos
from strut.maths.sampling import runs
from strut.motion import Motion
from strut.plumbing.number_text import Share, format_percent
from strut.receipt import LimitName, Reason, ReasonKind, Receipt
from strut.robot import BASE, Robot

MOST_UNEXPLAINED = 0.02  # of the weight, root mean square, while one foot carries and no landing is near
MOST_AT_LANDINGS = 0.20  # the same near landings
MOST_UNEXPLAINED_M = 0.025  # moment over the weight, root mean square, while one foot carries and no landing is near
MOST_AT_LANDINGS_M = 0.08  # the same near landings: a smooth centre of pressure moves too early and too late
MOST_TORQUE_OFF = 0.09  # of the torques, root mean square
DEEPEST_M = 0.04
HIGHEST_M = 0.06  # of the sole of a foot on the ground; skin and shoe give way, soles of models do not
MOST_SLIDE_M = 0.06  # of a foot between landing and leaving, rolling from heel to toes not counted
MOST_MASS_OFF = 0.10  # by which plates may deny a mass, either way: weighed ones are less than 2.5 % off
LARGEST_ERROR_MM = 20.0  # of markers on average, by the file's own word
BEFORE_LANDING_S = 0.09
AFTER_LANDING_S = 0.25  # in which landings are sharper than the movement
ENDS_S = 0.05  # at both ends curves say little about accelerations
NO_FORCES = "forces and torques: the file has none; strut capture finds them"
NO_CALM = "forces in single support: no sample is far from a landing"
FORCE_FIGURES = (
    *("unexplained_weight", "landing_weight", "unexplained_moment_weight_m", "landing_moment_weight_m"),
    *("least_vertical_weight", "friction_use", "torque_disagreement"),
)
SMALLEST_LOAD = 0.05  # of the weight, below which friction and centre of pressure mean little
NOT_CLAIMED = (  # of a recording: nobody asked for a feeling, and people know their own limits
    *("emotion", "pad", "intensity_asked", "intensity_kept", "balance_margin_mm", "joint_limit_margin_rad"),
    *("joint_speed_use", "torque_use", "task_error_mm", "cost_of_transport", "solve_s"),
)


@dataclass(frozen=True, slots=True)
class RecordedSoundness:
    """What an independent look at a recorded walk found; None where the motion claims nothing.

    Args:
        unexplained_weight: Force that the motion's own forces do not explain over the weight, root mean square.
        landing_weight: The same near landings.
        unexplained_moment_weight_m: Moment over the weight, while one foot carries and no landing is near.
        landing_moment_weight_m: The same near landings.
        least_vertical_weight: Smallest force of a foot upwards.
        friction_use: Largest share of the friction that a foot uses.
        torque_disagreement: Torques in the file beside those of movement and forces, of the torques.
        highest_mm: How high the sole of a foot is that stands, at its lowest point.
        steps: From heel strike to the other foot's heel strike.
        marker_error_mean_mm: By the file's own word.
        unjudged: What could not be judged, in words; None if everything was.
        plate_share: Vertical force that plates felt over that which the movement needs, by the file's own word.
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


def was_recorded(motion: Motion) -> bool:
    """Return whether a motion says that it was fitted to markers of a person."""
    return isinstance(motion.meta.get("observed"), Mapping) and "source" in motion.meta


def recorded_receipt(robot: Robot, motion: Motion) -> Receipt:
    """Return the receipt of a recorded walk; `refused` if its forces are not those of its movement or feet float.

    Raises:
        BadMotionError: If there is nothing to judge between its first and last change of contacts.
    """
    if not _between_events(motion).any():
        raise BadMotionError(
            "The recorded walk has no sample between its first and last change of contacts, so that nothing can be "
            "judged; record at least a whole step."
        )
    points = foot_contact_points(robot, motion.qpos)
    found = _soundness(robot, motion, points)
    slide_m = _slide_m(robot, motion, points)
    deepest_mm = max(-1e3 * float(points[_between_events(motion)][..., 2].min()), 0.0)
    reasons = _reasons(found, deepest_mm, 1e3 * slide_m)
    way = motion.qpos[-1, :2] - motion.qpos[0, :2] - _belt_m_s(motion) * motion.duration_s
    distance_m = float(np.linalg.norm(way))
    nothing: dict[str, Any] = dict.fromkeys(NOT_CLAIMED)
    return Receipt(
        **nothing,
        robot=robot.name,
        verdict="refused" if reasons else "ok",
        reasons=tuple(reasons),
        duration_s=motion.duration_s,
        distance_m=distance_m,
        speed_m_s=distance_m / motion.duration_s,
        foot_slip_mm=1e3 * slide_m,
        penetration_mm=deepest_mm,
        soundness=asdict(found),
    )


def _soundness(robot: Robot, motion: Motion, points: Array) -> RecordedSoundness:
    inside = _between_events(motion)
    standing = _feet(robot, motion.contact)
    heights = np.stack([points[:, columns, 2].min(axis=1) for columns in _columns(robot)], axis=1)
    off_ground = np.where(standing & inside[:, None], heights, -np.inf)
    forces = _force_figures(robot, motion, points, inside)
    no_calm = NO_CALM if forces["unexplained_weight"] is None else None
    return RecordedSoundness(
        **forces,
        highest_mm=1e3 * float(max(off_ground.max(), 0.0)),
        steps=_steps(robot, motion),
        marker_error_mean_mm=_told(motion, "marker_error_mean_mm"),
        unjudged=NO_FORCES if motion.ground_force_n is None else no_calm,
        plate_share=_told(motion, "plate_share"),
    )


def _told(motion: Motion, name: str) -> float | None:
    """Return a figure that a file tells of itself, as the recording that it comes from is not in it."""
    value = motion.meta.get(name)
    return float(value) if isinstance(value, int | float) and np.isfinite(value) else None


def _force_figures(
    robot: Robot, motion: Motion, points: Array, inside: npt.NDArray[np.bool_]
) -> dict[str, float | None]:
    """Return what forces and torques that come with the motion leave open."""
    if motion.ground_force_n is None:
        return dict.fromkeys(FORCE_FIGURES)
    weight_n = robot.mass_kg * GRAVITY_M_S2
    movement = _movement(motion)
    wrench = np.stack([_foot_wrench(points, motion.ground_force_n, columns) for columns in _columns(robot)], axis=1)
    needed = body_wrench(robot.model, *movement.for_engine())
    left = (needed - wrench.sum(axis=1)) / weight_n
    total = wrench.sum(axis=1)
    cop = cop_of_wrench(total[:, :3], total[:, 3:], least_load_n=SMALLEST_LOAD * weight_n)
    place = np.column_stack([cop, np.zeros(len(left))])
    moment = left[:, 3:] - np.cross(place, left[:, :3])
    one_foot = _feet(robot, motion.contact).sum(axis=1) == 1
    calm = inside & one_foot & ~_near_landings(robot, motion)
    hard = inside & ~calm
    vertical = wrench[inside][..., 2] / weight_n
    level = np.linalg.norm(wrench[inside][..., :2], axis=2) / weight_n
    use = np.where(vertical > SMALLEST_LOAD, level / np.maximum(vertical, SMALLEST_LOAD) / robot.friction, 0.0)
    return {
        "unexplained_weight": _size(left[calm, :3]),
        "landing_weight": _size(left[hard, :3]),
        "unexplained_moment_weight_m": _size(moment[calm, :2]),
        "landing_moment_weight_m": _size(moment[hard, :2]),
        "least_vertical_weight": float(vertical.min()),
        "friction_use": float(use.max()),
        "torque_disagreement": _torque_off(robot, motion, movement, needed, calm),
    }


def _torque_off(
    robot: Robot, motion: Motion, movement: Movement, wrench: Array, calm: npt.NDArray[np.bool_]
) -> float | None:
    """Return how far torques are from those under the wrench, which one foot alone has; None if nothing tells."""
    if motion.torque_nm is None or not calm.any():
        return None
    alone = np.where(_feet(robot, motion.contact)[..., None], wrench[:, None], 0.0)
    needed = torques_under_wrenches(robot.model, movement.for_engine(), _bodies(robot), alone)[calm]
    return float(np.linalg.norm(motion.torque_nm[calm] - needed) / max(float(np.linalg.norm(needed)), 1e-9))


def _reasons(found: RecordedSoundness, deepest_mm: float, slide_mm: float) -> list[Reason]:
    """Return why a recorded walk should not be believed."""
    limits = (
        (
            found.unexplained_weight,
            MOST_UNEXPLAINED,
            LimitName.EQUATION_OF_MOTION,
            "forces in the file leave {:.1%} of the weight unexplained",
        ),
        (
            found.landing_weight,
            MOST_AT_LANDINGS,
            LimitName.EQUATION_OF_MOTION,
            "forces at landings leave {:.0%} of the weight unexplained",
        ),
        (
            found.unexplained_moment_weight_m,
            MOST_UNEXPLAINED_M,
            LimitName.EQUATION_OF_MOTION,
            "{:.3f} m times the weight of moment is unexplained",
        ),
        (
            found.landing_moment_weight_m,
            MOST_AT_LANDINGS_M,
            LimitName.EQUATION_OF_MOTION,
            "{:.3f} m times the weight of moment is unexplained at landings",
        ),
        (found.friction_use, 1.0, LimitName.FRICTION, "a foot needs {:.2f} times what the ground has"),
        (
            found.torque_disagreement,
            MOST_TORQUE_OFF,
            LimitName.FILE,
            "torques are {:.0%} off what movement and forces need",
        ),
        (1e-3 * deepest_mm, DEEPEST_M, LimitName.FOOT_CONTACT, "a foot is {:.3f} m in the ground"),
        (
            1e-3 * found.highest_mm,
            HIGHEST_M,
            LimitName.FOOT_CONTACT,
            "a foot that should stand is {:.3f} m above the ground",
        ),
        (1e-3 * slide_mm, MOST_SLIDE_M, LimitName.FOOT_SLIP, "a foot that stands slides {:.3f} m"),
        (found.marker_error_mean_mm, LARGEST_ERROR_MM, None, "markers are {:.0f} mm off on average"),
    )
    reasons = [
        Reason(ReasonKind.LIMIT, limit, text.format(Share(value)))
        for value, most, limit, text in limits
        if value is not None and not value <= most
    ]
    if found.least_vertical_weight is not None and found.least_vertical_weight < 0.0:
        reasons.append(Reason(ReasonKind.LIMIT, LimitName.EQUATION_OF_MOTION, "the ground would have to pull"))
    share = found.plate_share
    if share is not None and not 1.0 / (1.0 + MOST_MASS_OFF) <= share <= 1.0 + MOST_MASS_OFF:
        text = f"plates feel {format_percent(share)} of the vertical force that this mass needs for the movement"
        reasons.append(Reason(ReasonKind.LIMIT, None, text))
    if found.steps < 1:
        reasons.append(Reason(ReasonKind.LIMIT, None, "no whole step from heel strike to heel strike is seen"))
    return reasons


def _movement(motion: Motion) -> Movement:
    """Return coordinates, rates and accelerations of splines through the samples."""
    q = angles_from_qpos(motion.qpos)
    q[:, 3:BASE] = np.unwrap(q[:, 3:BASE], axis=0)
    curve = make_interp_spline(motion.time_s, q, k=5, axis=0)
    return Movement(q, curve(motion.time_s, 1), curve(motion.time_s, 2))


def _bodies(robot: Robot) -> list[str]:
    """Return the bodies that stand on the ground, one per foot."""
    return list(dict.fromkeys(contact_points(robot)[name].body for name in robot.foot_names))


def _columns(robot: Robot) -> list[list[int]]:
    """Return which contact points belong to each foot."""
    owner = [contact_points(robot)[name].body for name in robot.foot_names]
    return [[index for index, one in enumerate(owner) if one == body] for body in _bodies(robot)]


def _feet(robot: Robot, contact: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which foot is on the ground with any point. Shape (T, n_points) in, (T, 2) out."""
    return np.stack([contact[:, columns].any(axis=1) for columns in _columns(robot)], axis=1)


def _foot_wrench(points: Array, force_n: Array, columns: Sequence[int]) -> Array:
    """Return force of a foot, and moment about the origin with its points on the ground. Shape (T, 6)."""
    own = force_n[:, columns]
    place = points[:, columns] * [1.0, 1.0, 0.0]
    return np.concatenate([own.sum(axis=1), np.cross(place, own).sum(axis=1)], axis=1)


def _landings_s(robot: Robot, motion: Motion) -> list[tuple[float, int]]:
    """Return when each foot lands, in order of time."""
    down = _feet(robot, motion.contact)
    found = [(float(motion.time_s[k + 1]), int(foot)) for k, foot in np.argwhere(~down[:-1] & down[1:])]
    return sorted(found)


def _steps(robot: Robot, motion: Motion) -> int:
    feet = [foot for _, foot in _landings_s(robot, motion)]
    return sum(one != other for one, other in pairwise(feet))


def _near_landings(robot: Robot, motion: Motion) -> npt.NDArray[np.bool_]:
    near = np.zeros(len(motion.time_s), dtype=bool)
    for landing_s, _ in _landings_s(robot, motion):
        since = motion.time_s - landing_s
        near |= (since > -BEFORE_LANDING_S) & (since < AFTER_LANDING_S)
    return near


def _between_events(motion: Motion) -> npt.NDArray[np.bool_]:
    """Return the samples from the first change of contacts to the last, without the ends. Shape (T,)."""
    time_s = motion.time_s
    changes = np.flatnonzero((motion.contact[1:] != motion.contact[:-1]).any(axis=1))
    first_s, last_s = (time_s[changes[0]], time_s[changes[-1] + 1]) if len(changes) else (time_s[0], time_s[-1])
    return np.asarray((time_s >= max(first_s, time_s[0] + ENDS_S)) & (time_s <= min(last_s, time_s[-1] - ENDS_S)))


def _belt_m_s(motion: Motion) -> Array:
    belt = np.asarray(motion.meta.get("belt_m_s") or [0.0, 0.0, 0.0], dtype=np.float64)
    return belt[:2]


def _slide_m(robot: Robot, motion: Motion, points: Array) -> float:
    """Return how far a foot moves over the ground while heel and ball of it stand, at most."""
    largest = 0.0
    for columns in _columns(robot):
        flat = np.asarray(motion.contact[:, columns].all(axis=1))
        middle = points[:, columns, :2].mean(axis=1) - np.outer(motion.time_s, _belt_m_s(motion))
        for stance in runs(flat):
            away = np.linalg.norm(middle[stance] - np.median(middle[stance], axis=0), axis=1)
            largest = max(largest, float(away.max()))
    return largest


def _size(values: Array) -> float | None:
    """Return the root mean square of the lengths of vectors; None if there are none. Shape (T, n)."""
    return float(np.sqrt(np.mean(np.sum(values**2, axis=-1)))) if len(values) else None
