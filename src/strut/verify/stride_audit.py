"""Stride audit: what a walk with landings needs from its body, measured from its samples and contacts alone.

A walk that rolls over its feet and lands with impacts cannot be judged as one that is always balanced: velocities jump,
heels roll, the body falls from step to step. Here no derivative looks across a landing, rolling is no slip, and the
question is whether pushes of the ground at the points that touch explain the movement of the whole body.

How close samples can show it was measured (`benchmarks/bench_stride_audit.py`) on gaits of 0.5 to 2.1 m/s at 100
samples a second: forces that nothing explains stay below 0.4 N, in steps of 0.3 s below 3 N; pressure is inside what
touches to 0.8 mm. Played a tenth too fast, the same gaits miss 8 N and 16 mm. Curves are poorest in single
samples at the ends of a piece, so a median over a twentieth of a second is judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy.ndimage import median_filter
from scipy.spatial.transform import Rotation

from strut.balance.pressure import pressure_of_wrench
from strut.balance.support import runs, support_margin
from strut.engines.inverse_dynamics import ContactDemand, contact_demand
from strut.engines.kinematic_tree import angles_from_qpos, qpos_from_angles
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.errors import BadMotionError
from strut.kinematics.contact_slip import contact_slip
from strut.models.contact_set import ContactPoint, contact_points
from strut.motion import Motion, frozen_mask
from strut.robot import Array, Robot
from strut.verify.audit import FOOT_OFF_GROUND_M, Audit, Shortfall, worst
from strut.verify.ground_reading import BASE, LEVER_M, GroundReading, read_ground
from strut.verify.landing_pieces import FEWEST, Piece, landing_pieces

MOST_SLIDE_M = 0.003  # of what touches, rolling not counted
LEAST_ROOM_RAD = -0.002  # angles may leave their range by this much between the nodes of a mesh
MOST_UNEXPLAINED = 0.0075  # of the weight, in the median of `STEADY_S`
MOST_UNEXPLAINED_LANDING = 0.1  # of the weight, over the sample in which something lands
MOST_OUTSIDE_M = 0.005  # that the centre of pressure is outside what touches
MOST_LANDING_TORQUE = 2.0  # of the limit, over the sample in which something lands: impacts jolt
MOST_DISAGREEMENT = 0.04  # of forces and torques that the file holds, root mean square
STEADY_S = 0.05
LEAST_KNOWN = 0.9  # share of samples whose derivatives are known
GRIPPING = 5.0  # a friction with which anything holds, to tell slipping from falling
_ENDS = 2  # samples at both ends of a piece that say little about torques


@dataclass(frozen=True, slots=True, eq=False)
class StrideAudit:
    """What a walk with landings needs.

    Args:
        needs: As of any other motion, sample by sample; the margin is that inside what touches.
        unexplained_n: What no push of the ground explains, in the median. Shape (T,).
        gripped_n: The same on a ground on which nothing slips. Shape (T,).
        landing_s: When something lands. Shape (n,).
        landing_unexplained_n: What no push explains over the sample of a landing. Shape (n,).
        landing_torque_nm: Joint torques over the sample of a landing. Shape (n, n_joints).
        force_disagreement: How far the file's ground forces are from the movement, of the weight, root mean square.
        torque_disagreement: How far its torques are, of the torques. Both None if it has none. Without forces in the
            file torques are judged while one foot alone touches: how two share a load, a movement does not tell.
        unjudged: What could not be judged, in words.
    """

    needs: Audit
    unexplained_n: Array
    gripped_n: Array
    landing_s: Array
    landing_unexplained_n: Array
    landing_torque_nm: Array
    force_disagreement: float | None
    torque_disagreement: float | None
    unjudged: tuple[str, ...]

    def as_dict(self) -> dict[str, float | str | None]:
        """Return what a receipt says of it besides the needs."""
        return {
            "unexplained_n": float(self.unexplained_n.max()),
            "force_disagreement": self.force_disagreement,
            "torque_disagreement": self.torque_disagreement,
            "unjudged": "; ".join(self.unjudged) or None,
        }


def has_strides(robot: Robot) -> bool:
    """Return whether a robot walks with landings: its table of contacts says which points touch and which roll."""
    return "contact" in robot.tables


def stride_audit(robot: Robot, motion: Motion) -> StrideAudit:
    """Measure a walk with landings; raises BadMotionError if its samples are too few to do so."""
    time_s, qpos, contact = motion.time_s, motion.qpos, motion.contact
    points = [contact_points(robot)[name] for name in robot.foot_names]
    pieces = landing_pieces(time_s, qpos, contact)
    qvel, qacc, known = _derivatives(pieces, time_s, qpos.shape[1] - 1)
    demand = contact_demand(robot.mjcf, points, qpos, qvel, qacc)
    reading = read_ground(robot, demand, contact, friction=robot.friction)
    gripped = read_ground(robot, demand, contact, friction=GRIPPING)
    landings = np.array([one.stop for one, other in pairwise(pieces) if one.stop == other.first], dtype=np.intp)
    jolt = _over_landings(robot, points, motion, qvel, landings)
    steady, (force, torque) = _steady(time_s), _disagreement(robot, motion, demand, reading, pieces)
    return StrideAudit(
        needs=_needs(robot, motion, points, demand, reading, pieces, qvel, known),
        unexplained_n=_median(np.where(known, _size(reading.rest), 0.0), steady),
        gripped_n=_median(np.where(known, _size(gripped.rest), 0.0), steady),
        landing_s=time_s[landings],
        landing_unexplained_n=_size(jolt.rest),
        landing_torque_nm=jolt.torque_nm,
        force_disagreement=force,
        torque_disagreement=torque,
        unjudged=_unjudged(motion, known, landings, torque),
    )


def stride_shortfalls(robot: Robot, measured: StrideAudit, *, margin_m: float) -> list[Shortfall]:
    """Return the limits that a walk breaks, each with its worst sample in words.

    Args:
        robot: Whose limits.
        measured: What the walk needs.
        margin_m: Smallest allowed distance of the centre of pressure inside what touches.
    """
    needs, mm, weight_n = measured.needs, 1e3, robot.mass_kg * GRAVITY_M_S2
    feet, joints, body = robot.foot_names, robot.joint_names, ("the body",)
    touching_m = np.where(needs.contact, np.abs(needs.foot_height_m), -needs.foot_height_m)
    speed_use = np.abs(needs.joint_speed_rad_s) / robot.joint_speed_limit_rad_s
    torque_use = np.abs(needs.torque_nm) / robot.torque_limit_nm
    slips = measured.gripped_n < measured.unexplained_n / 2.0
    slipping_n, falling_n = (np.where(which, measured.unexplained_n, 0.0) for which in (slips, ~slips))
    outside_m = np.where(np.isfinite(needs.margin_m), margin_m - needs.margin_m, 0.0)  # in flight there is none
    nothing = "is moved by {:.0f} N that no push of the ground explains"
    short = f"is {{:.1f}} mm short of the {margin_m * mm:.0f} mm it must be inside what touches"
    inside = short if margin_m > 0.0 else "is {:.1f} mm outside what touches"
    limits: list[tuple[str, tuple[str, ...], Array, float, str]] = [
        ("foot contact", feet, touching_m * mm, FOOT_OFF_GROUND_M * mm, "is {:.1f} mm off the ground's surface"),
        ("foot slip", feet, needs.slip_m * mm, MOST_SLIDE_M * mm, "slides {:.1f} mm, rolling not counted,"),
        ("joint limit", joints, -needs.joint_room_rad, -LEAST_ROOM_RAD, "is {:.3f} rad beyond its range"),
        ("joint speed", joints, speed_use, 1.0, "reaches {:.0%} of its speed limit"),
        ("torque", joints, torque_use, 1.0, "reaches {:.0%} of its torque limit"),
        ("equation of motion", body, falling_n[:, None], MOST_UNEXPLAINED * weight_n, nothing),
        ("friction", body, slipping_n[:, None], MOST_UNEXPLAINED * weight_n, f"{nothing} without more friction,"),
        ("balance margin", ("the centre of pressure",), outside_m[:, None] * mm, MOST_OUTSIDE_M * mm, inside),
    ]
    found = [worst(*limit, needs.time_s) for limit in limits]
    jolts = np.abs(measured.landing_torque_nm) / robot.torque_limit_nm
    found += [
        worst(
            *("landing", body, measured.landing_unexplained_n[:, None], MOST_UNEXPLAINED_LANDING * weight_n, nothing),
            measured.landing_s,
        ),
        worst(
            *("landing", joints, jolts, MOST_LANDING_TORQUE, "is jolted by {:.0%} of its torque limit"),
            measured.landing_s,
        ),
    ]
    return [*(shortfall for shortfall in found if shortfall is not None), *_claims(measured)]


def _claims(measured: StrideAudit) -> list[Shortfall]:
    """Return that the file's forces or torques are not those of its movement, if so."""
    everywhere = frozen_mask(np.ones(len(measured.needs.time_s)))
    claims = (
        (measured.force_disagreement, "ground forces in the file are {:.0%} of the weight off what the movement needs"),
        (measured.torque_disagreement, "torques in the file are {:.0%} off what the movement needs"),
    )
    return [
        Shortfall("file", everywhere, f"file: {words.format(off)}")
        for off, words in claims
        if off is not None and off > MOST_DISAGREEMENT
    ]


def _derivatives(pieces: list[Piece], time_s: Array, nv: int) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
    """Return velocities and accelerations piece by piece (T, nv), 0 where unknown, and where they are known (T,)."""
    qvel, qacc, known = np.zeros((len(time_s), nv)), np.zeros((len(time_s), nv)), np.zeros(len(time_s), dtype=bool)
    for piece in pieces:
        inside = time_s[piece.rows]
        qvel[piece.rows], qacc[piece.rows], known[piece.rows] = piece.velocity(inside), piece.acceleration(inside), True
    if known.mean() < LEAST_KNOWN:
        raise BadMotionError(
            f"Of {1.0 - known.mean():.0%} of the samples no velocity can be told: fewer than {FEWEST} lie between one "
            "landing and the next. Sample the walk more often, or correct its contacts."
        )
    return qvel, qacc, known


def _needs(
    robot: Robot,
    motion: Motion,
    points: list[ContactPoint],
    demand: ContactDemand,
    reading: GroundReading,
    pieces: list[Piece],
    qvel: Array,
    known: npt.NDArray[np.bool_],
) -> Audit:
    qpos, contact, angles = motion.qpos, motion.contact, motion.joint_angles_rad
    turned = Rotation.from_quat(qpos[:, 3:7], scalar_first=True).apply(demand.force[:, 3:BASE])
    cop = pressure_of_wrench(demand.force[:, :3], turned + np.cross(qpos[:, :3], demand.force[:, :3]))
    margin = np.concatenate(
        [
            support_margin(contact[k : k + 1], demand.place_in_world[k : k + 1], cop[k : k + 1])
            for k in range(len(qpos))  # a heel that rolls takes the polygon with it
        ]
    )
    heights = [contact_slip(robot, point, qpos)[1] for point in points]
    steady = _steady(motion.time_s)
    return Audit(
        time_s=motion.time_s,
        qpos=qpos,
        contact=contact,
        cop_in_world=cop,
        margin_m=_median(np.where(known, margin, np.inf), steady),
        joint_room_rad=np.minimum(angles - robot.joint_lower_rad, robot.joint_upper_rad - angles),
        joint_speed_rad_s=_joint_speeds(motion, pieces, qvel[:, BASE:]),
        torque_nm=_median(np.where(known[:, None], reading.torque_nm, 0.0), steady),
        drive_use=np.empty((len(qpos), 0)),
        ground_force_n=reading.force_n,
        part_names=(),
        clearance_m=np.empty((len(qpos), 0)),
        foot_height_m=np.stack(heights, axis=1),
        slip_m=_slide(robot, points, qpos, contact),
    )


def _joint_speeds(motion: Motion, pieces: list[Piece], speed_rad_s: Array) -> Array:
    """Return the joint speeds, at both ends of a piece those of the nearest interval: curves swing there. (T, n)."""
    speeds, between = speed_rad_s.copy(), np.diff(motion.joint_angles_rad, axis=0) / np.diff(motion.time_s)[:, None]
    for piece in pieces:
        speeds[piece.first], speeds[piece.stop - 1] = between[piece.first], between[piece.stop - 2]
    return speeds


def _slide(robot: Robot, points: list[ContactPoint], qpos: Array, contact: npt.NDArray[np.bool_]) -> Array:
    """Return how far each point has slid since it landed, rolling not counted. Shape (T, n)."""
    slid = np.zeros(contact.shape)
    for index, point in enumerate(points):
        for stance in runs(contact[:, index]):
            moved, _ = contact_slip(robot, point, qpos[stance])
            slid[stance, index] = np.linalg.norm(moved[:, :2], axis=1)
    return slid


def _over_landings(
    robot: Robot, points: list[ContactPoint], motion: Motion, qvel: Array, landings: npt.NDArray[np.intp]
) -> GroundReading:
    """Return how the ground explains what changes between the samples before and after each landing."""
    before, lapse_s = landings - 1, np.diff(motion.time_s)[landings - 1, None]
    angles = np.unwrap(angles_from_qpos(motion.qpos), axis=0)
    middle = qpos_from_angles((angles[before] + angles[landings]) / 2.0)
    change, mean = (qvel[landings] - qvel[before]) / lapse_s, (qvel[landings] + qvel[before]) / 2.0
    demand = contact_demand(robot.mjcf, points, middle, mean, change)
    return read_ground(robot, demand, motion.contact[before] | motion.contact[landings], friction=robot.friction)


def _disagreement(
    robot: Robot, motion: Motion, demand: ContactDemand, reading: GroundReading, pieces: list[Piece]
) -> tuple[float | None, float | None]:
    """Return how far the file's forces are from the movement, of the weight, and its torques, of the torques."""
    inside, claimed = np.zeros(len(motion.time_s), dtype=bool), motion.ground_force_n
    for piece in pieces:
        inside[piece.first + _ENDS : piece.stop - _ENDS] = True
    if claimed is None:
        inside &= ~_on_two_feet(robot, motion.contact)
    pushes = reading.force_n if claimed is None else claimed
    missing = (demand.force - np.einsum("tpcv,tpc->tv", demand.jacobian, pushes))[inside]
    force = None
    if claimed is not None:
        force = _mean_size(np.linalg.norm(missing[:, :3], axis=1)) / (robot.mass_kg * GRAVITY_M_S2)
    if motion.torque_nm is None or not inside.any():
        return force, None
    driven = [index for index, name in enumerate(motion.joint_names) if name not in _sprung(robot, motion)]
    off = missing[:, BASE:] - motion.torque_nm[inside]
    return force, _mean_size(off[:, driven]) / _mean_size(missing[:, BASE:])


def _on_two_feet(robot: Robot, contact: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return where points of more than one body touch. Shape (T, n) in, (T,) out."""
    bodies = np.array([contact_points(robot)[name].body for name in robot.foot_names])
    return np.asarray(sum(contact[:, bodies == body].any(axis=1).astype(int) for body in set(bodies)) > 1)


def _unjudged(
    motion: Motion, known: npt.NDArray[np.bool_], judged: npt.NDArray[np.intp], torque: float | None
) -> tuple[str, ...]:
    """Return in words what could not be judged; `judged` are the landings that were."""
    words = []
    if not known.all():
        count = int((motion.contact[1:] & ~motion.contact[:-1]).any(axis=1).sum()) - len(judged)
        landings = "1 landing" if count == 1 else f"{count} landings"
        why = f"where fewer than {FEWEST} samples lie between landings"
        words.append(f"{1.0 - known.mean():.1%} of the samples and {landings}, {why}")
    if motion.torque_nm is not None and torque is None:
        words.append("the torques in the file, which has no ground forces and never stands on one foot")
    return tuple(words)


def _sprung(robot: Robot, motion: Motion) -> tuple[str, ...]:
    """Return the joints that, by the file's own word, have springs, which do what its torques leave out."""
    asked = motion.meta.get("asked")
    if not (isinstance(asked, dict) and asked.get("springs") is True):
        return ()
    sprung = robot.table("gait")["springs"]["joints"]
    return tuple(name for name in motion.joint_names if name.replace("Right", "").replace("Left", "") in sprung)


def _mean_size(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def _size(rest: Array) -> Array:
    """Return one number for a force and a moment [N]. Shape (T, 6) in, (T,) out."""
    return np.asarray(np.linalg.norm(rest / np.repeat([1.0, LEVER_M], 3), axis=1))


def _steady(time_s: Array) -> int:
    """Return an odd number of samples that last `STEADY_S`, at least three."""
    return max(3, 2 * round(STEADY_S / float(time_s[1] - time_s[0]) / 2.0 - 0.5) + 1)


def _median(values: Array, samples: int) -> Array:
    """Return the running median over samples, column by column. Shape (T, ...) in and out."""
    return np.asarray(median_filter(values, size=(samples, *(1 for _ in values.shape[1:])), mode="mirror"))
