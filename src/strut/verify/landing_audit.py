"""Landing audit: what a walk that lands with impacts needs from its body, from its samples and contacts alone.

Such a walk is not balanced at every sample: velocities jump, heels roll, the body falls from step to step. So no
derivative spans a landing, rolling does not count as slip, and the question is whether ground forces at the points in
contact explain the movement of the whole body.

Measured (`benchmarks/bench_landing_audit.py`) on sound gaits of 0.5 to 2.1 m/s at 100 samples per second, the
unexplained force stays below 0.4 N, in steps of 0.3 s below 3 N, and the centre of pressure is at most 0.8 mm
outside the support polygon. Played 10 % too fast, the same gaits miss 8 N and 16 mm. Splines are least accurate in
the samples at the ends of a piece, so the median over 50 ms is judged.
"""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.ndimage import median_filter
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.audit import Audit, LandingAudit
from strut.balance.centre_of_pressure import cop_of_wrench
from strut.balance.support import support_margin
from strut.draft import Draft
from strut.engines.contact_slip import slip_and_height
from strut.engines.inverse_dynamics import ContactDemand, contact_demand
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.engines.self_distance import self_distance
from strut.errors import BadMotionError
from strut.kinematics.contact_set import contact_points
from strut.maths.rotation import angles_from_qpos, qpos_from_angles
from strut.maths.sampling import landing_samples
from strut.plumbing.number_text import format_percent
from strut.robot import BASE, ContactPoint, Robot
from strut.verify.contact_force_fit import LEVER_M, ContactForceFit, fit_contact_forces
from strut.verify.landing_pieces import FEWEST, Piece, landing_pieces

STEADY_S = 0.05
WINDOW_S = 1.0  # in which columns of a file are compared with its movement
MIN_KNOWN = 0.9  # share of samples whose derivatives are known
GRIPPING = 5.0  # a friction with which nothing slips, to distinguish slipping from falling
_ENDS = 2  # samples at both ends of a piece where torques are inaccurate


def lands_with_impacts(robot: Robot) -> bool:
    """Return whether a robot walks with landings: its table of contacts says which points touch and which roll."""
    return robot.tables.contact is not None


def landing_audit(draft: Draft) -> Audit:
    """Measure a walk with landings; raises BadMotionError if its samples are too few to do so."""
    robot = draft.robot
    time_s = draft.time_s
    qpos = draft.qpos
    contact = draft.contact
    points = [contact_points(robot)[name] for name in robot.foot_names]
    pieces = landing_pieces(time_s, qpos, contact)
    qvel, qacc, known = _derivatives(pieces, time_s, qpos.shape[1] - 1)
    demand = contact_demand(robot.model, points, qpos, qvel, qacc)
    fit = fit_contact_forces(robot, demand, contact, friction=robot.friction)
    gripped = fit_contact_forces(robot, demand, contact, friction=GRIPPING)
    landings = np.array([one.stop for one, other in pairwise(pieces) if one.stop == other.first], dtype=np.intp)
    jolt = _over_landings(draft, points, qvel, landings)
    steady = _steady(time_s)
    force, torque = _disagreement(draft, demand, fit, pieces)
    cop, margin = _cop_and_margin(qpos, contact, demand)
    inner = _inner(pieces, len(time_s))
    angles = qpos[:, robot.base_size :]
    slip_m, sole_m = slip_and_height(robot, points, time_s, qpos, contact)
    found = LandingAudit(
        unexplained_n=_median(np.where(known, _size(fit.rest), 0.0), steady),
        gripped_n=_median(np.where(known, _size(gripped.rest), 0.0), steady),
        landing_unexplained_n=_at(landings, _size(jolt.rest), len(time_s)),
        landing_torque_nm=_at(landings, jolt.torque_nm, len(time_s)),
        unjudged=_unjudged(draft, known, landings, torque),
    )
    return Audit(
        time_s=time_s,
        qpos=qpos,
        contact=contact,
        cop_in_world=cop,
        margin_m=_median(np.where(known, margin, np.inf), steady),
        joint_limit_margin_rad=np.minimum(angles - robot.joint_lower_rad, robot.joint_upper_rad - angles),
        joint_speed_rad_s=_joint_speeds(time_s, angles, pieces, qvel[:, BASE:]),
        torque_nm=_median(np.where(known[:, None], fit.torque_nm, 0.0), steady),
        drive_use=np.empty((len(qpos), 0)),
        ground_force_n=fit.force_n,
        part_names=(),
        clearance_m=np.empty((len(qpos), 0)),
        foot_height_m=sole_m,
        foot_top_m=sole_m,
        slip_m=slip_m,
        landings=found,
        limit_set="landing",
        self_distance=self_distance(robot, qpos),
        force_disagreement=force,
        torque_disagreement=torque,
        cop_disagreement_m=cop_disagreement_m(draft, cop, inner),
        margin_disagreement_m=margin_disagreement_m(draft, margin, inner),
    )


def _at(rows: npt.NDArray[np.intp], values: Array, samples: int) -> Array:
    """Return values at some samples and 0 at the others. Shapes (n,), (n, ...) in, (samples, ...) out."""
    spread = np.zeros((samples, *values.shape[1:]))
    spread[rows] = values
    return spread


def _cop_and_margin(qpos: Array, contact: npt.NDArray[np.bool_], demand: ContactDemand) -> tuple[Array, Array]:
    """Return the centre of pressure (T, 2) and its distance inside the support polygon (T,)."""
    turned = Rotation.from_quat(qpos[:, 3:7], scalar_first=True).apply(demand.force[:, 3:BASE])
    cop = cop_of_wrench(demand.force[:, :3], turned + np.cross(qpos[:, :3], demand.force[:, :3]))
    margin = [
        support_margin(contact[k : k + 1], demand.place_in_world[k : k + 1], cop[k : k + 1])
        for k in range(len(qpos))  # a heel that rolls takes the polygon with it
    ]
    return cop, np.concatenate(margin)


def _derivatives(pieces: list[Piece], time_s: Array, nv: int) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
    """Return velocities and accelerations piece by piece (T, nv), 0 where unknown, and where they are known (T,)."""
    qvel = np.zeros((len(time_s), nv))
    qacc = np.zeros((len(time_s), nv))
    known = np.zeros(len(time_s), dtype=bool)
    for piece in pieces:
        inside = time_s[piece.rows]
        qvel[piece.rows] = piece.velocity(inside)
        qacc[piece.rows] = piece.acceleration(inside)
        known[piece.rows] = True
    if known.mean() < MIN_KNOWN:
        raise BadMotionError(
            f"Of {format_percent(1.0 - known.mean())} of the samples the velocity is unknown: fewer than {FEWEST} lie "
            "between one landing and the next. Sample the walk more often, or correct its contacts."
        )
    return qvel, qacc, known


def _joint_speeds(time_s: Array, angles: Array, pieces: list[Piece], speed_rad_s: Array) -> Array:
    """Return the joint speeds, at both ends of a piece those of the nearest interval: curves swing there. (T, n)."""
    speeds = speed_rad_s.copy()
    between = np.diff(angles, axis=0) / np.diff(time_s)[:, None]
    for piece in pieces:
        speeds[piece.first] = between[piece.first]
        speeds[piece.stop - 1] = between[piece.stop - 2]
    return speeds


def _over_landings(
    draft: Draft, points: list[ContactPoint], qvel: Array, landings: npt.NDArray[np.intp]
) -> ContactForceFit:
    """Return how the ground explains what changes between the samples before and after each landing."""
    robot = draft.robot
    before = landings - 1
    lapse_s = np.diff(draft.time_s)[landings - 1, None]
    angles = np.unwrap(angles_from_qpos(draft.qpos), axis=0)
    middle = qpos_from_angles((angles[before] + angles[landings]) / 2.0)
    change = (qvel[landings] - qvel[before]) / lapse_s
    mean = (qvel[landings] + qvel[before]) / 2.0
    demand = contact_demand(robot.model, points, middle, mean, change)
    touches = draft.contact[before] | draft.contact[landings]
    return fit_contact_forces(robot, demand, touches, friction=robot.friction)


def _disagreement(
    draft: Draft, demand: ContactDemand, fit: ContactForceFit, pieces: list[Piece]
) -> tuple[float | None, float | None]:
    """Return how far the draft's own forces are from the movement, of the weight, and its torques, of the torques.

    Without forces, torques are judged in single support: how two feet share a load does not follow from the movement.
    """
    robot = draft.robot
    claimed = draft.ground_force_n
    inside = _inner(pieces, len(draft.time_s))
    if claimed is None:
        inside &= ~_on_two_feet(robot, draft.contact)
    pushes = fit.force_n if claimed is None else claimed
    missing = (demand.force - np.einsum("tpcv,tpc->tv", demand.jacobian, pushes))[inside]
    force = None
    if claimed is not None:
        force = mean_size(np.linalg.norm(missing[:, :3], axis=1)) / (robot.mass_kg * GRAVITY_M_S2)
    if draft.torque_nm is None or not inside.any():
        return force, None
    driven = [index for index, name in enumerate(robot.joint_names) if name not in _sprung(draft)]
    off = missing[:, BASE:] - draft.torque_nm[inside]
    return force, mean_size(off[:, driven]) / mean_size(missing[:, BASE:])


def cop_disagreement_m(draft: Draft, cop_m: Array, judged: npt.NDArray[np.bool_] | slice = slice(None)) -> float | None:
    """Return how far the draft's own centre of pressure is from its movement's; None without one.

    Args:
        draft: With or without a centre of pressure.
        cop_m: That of its movement. Shape (T, 2).
        judged: The samples that count.
    """
    if draft.cop_in_world is None or not draft.robot.feet or not len(cop_m[judged]):
        return None
    return largest_mean_size(np.linalg.norm((draft.cop_in_world - cop_m)[judged], axis=1), draft.time_s)


def margin_disagreement_m(
    draft: Draft, margin_m: Array, judged: npt.NDArray[np.bool_] | slice = slice(None)
) -> float | None:
    """Return how far the draft's own balance margin is from its movement's; None without one.

    A margin where none is kept, or none where one is, counts as a metre.

    Args:
        draft: With or without a balance margin.
        margin_m: That of its movement; infinite where none is kept. Shape (T,).
        judged: The samples that count.
    """
    own_m = draft.balance_margin_m
    if own_m is None or not draft.robot.feet or not len(margin_m[judged]):
        return None
    is_same = own_m == margin_m  # infinite on both sides, too
    off_m = np.abs(np.subtract(own_m, margin_m, where=~is_same, out=np.zeros(len(margin_m))))
    return largest_mean_size(np.minimum(off_m, 1.0)[judged], draft.time_s)


def _inner(pieces: list[Piece], samples: int) -> npt.NDArray[np.bool_]:
    """Return the samples of pieces without their ends, where torques are inaccurate. Shape (samples,)."""
    inner = np.zeros(samples, dtype=bool)
    for piece in pieces:
        inner[piece.first + _ENDS : piece.stop - _ENDS] = True
    return inner


def _on_two_feet(robot: Robot, contact: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return where points of more than one body touch. Shape (T, n) in, (T,) out."""
    bodies = np.array([contact_points(robot)[name].body for name in robot.foot_names])
    return np.asarray(sum(contact[:, bodies == body].any(axis=1).astype(int) for body in set(bodies)) > 1)


def _unjudged(
    draft: Draft, known: npt.NDArray[np.bool_], judged: npt.NDArray[np.intp], torque: float | None
) -> tuple[str, ...]:
    """Return what could not be judged, as sentences; `judged` are the landings that could."""
    words = []
    if not known.all():
        count = len(landing_samples(draft.contact)) - len(judged)
        missed = "1 landing" if count == 1 else f"{count} landings"
        why = f"where fewer than {FEWEST} samples lie between landings"
        words.append(f"{format_percent(1.0 - known.mean(), 1)} of the samples and {missed}, {why}")
    if draft.torque_nm is not None and torque is None:
        words.append("the torques in the file, which has no ground forces and never stands on one foot")
    return tuple(words)


def _sprung(draft: Draft) -> tuple[str, ...]:
    """Return the joints that the draft says have springs; its torques do not include the springs'."""
    asked = draft.meta.get("asked")
    if not (isinstance(asked, dict) and asked.get("springs") is True):
        return ()
    sprung = draft.robot.gait.sprung_joints
    return tuple(name for name in draft.robot.joint_names if name.replace("Right", "").replace("Left", "") in sprung)


def mean_size(values: Array) -> float:
    """Return the root mean square."""
    return float(np.sqrt(np.mean(values**2)))


def largest_mean_size(values: Array, time_s: Array) -> float:
    """Return the largest root mean square over `WINDOW_S`, so that a long file does not hide a short fault.

    Args:
        values: Samples along the first axis, those of a motion or some of them.
        time_s: Times of the motion, evenly spaced.
    """
    squares = np.mean(values.reshape(len(values), -1) ** 2, axis=1)
    count = min(len(squares), max(1, round(WINDOW_S / float(time_s[1] - time_s[0]))))
    sums = np.concatenate([[0.0], np.cumsum(squares)])
    return float(np.sqrt(max(np.max(sums[count:] - sums[:-count]), 0.0) / count))


def _size(rest: Array) -> Array:
    """Return one number for a force and a moment [N]. Shape (T, 6) in, (T,) out."""
    return np.asarray(np.linalg.norm(rest / np.repeat([1.0, LEVER_M], 3), axis=1))


def _steady(time_s: Array) -> int:
    """Return the largest odd number of samples that last no longer than `STEADY_S`, at least three."""
    half = STEADY_S / float(time_s[1] - time_s[0]) / 2.0
    return max(3, 2 * math.floor(half + 1e-6) + 1)  # times with an offset are rounded


def _median(values: Array, samples: int) -> Array:
    """Return the running median over samples, column by column. Shape (T, ...) in and out."""
    return np.asarray(median_filter(values, size=(samples, *(1 for _ in values.shape[1:])), mode="mirror"))
