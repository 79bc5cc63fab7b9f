"""Contact detection: the contact schedule of a movement, from its contact columns or from its feet alone.

A first estimate, sample by sample: low and slow points are in contact, and contact sets follow each other as in the
cycle. Then every transition is moved to the time at which the path of a landing or lifting point changes between rest
and a polynomial in time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from strut.arrays import Array, Mask
from strut.engines.contact_slip import contact_slip
from strut.errors import BadMotionError
from strut.kinematics.contact_set import contact_points, contact_set
from strut.maths.rotation import angles_from_qpos, qpos_from_angles
from strut.maths.sampling import low_pass
from strut.motion import Motion
from strut.ocp.contact_schedule import PhaseTime
from strut.robot import Robot

# Chosen by eye unless said otherwise; benchmarks/bench_reconstruction_accuracy.py measures reconstructions with them.
CUTOFF_HZ = 12.0  # low-pass filter for the first estimate
LOW_M = 0.004  # a point in contact is about this near to its lowest height
SLOW_M_S = 0.15  # a point in contact is about this slow
FLOOR_PERCENTILE = 5.0  # of the heights of a point: its floor
SPREAD_PERCENTILE = 15.0  # of the heights of a point
CLEAR = 4.0  # largest evidence of one point for or against contact
WINDOW_S = 0.045  # fitted on both sides of a transition
EARLIER_S = 0.05  # a transition may be this much before the first estimate
LATER_S = 0.03  # a transition may be this much after the first estimate
GRID_S = 0.0005  # between two times that are tried
ROUNDS = 3  # over all transitions
FEWEST = 5  # samples in a window
CERTAIN_M = 0.0001  # added to the noise of a path
SEEN_WITHIN_S = 0.01  # standard deviation of the delay of the first estimate
FEWEST_SAMPLES = 12  # of a movement; with fewer, noise cannot be estimated and splines oscillate
MOST_NOISE_RAD = np.radians(0.3)  # with 0.1 degrees borders are 2 ms off, with 0.5 a phase is seen that is not there
MOST_CUT = 0.5  # at least this share of the samples remains between ends without a known contact set
SCRAP_S = 0.025  # shorter phases at the ends are dropped
LIFTING = (3, 4)  # powers of time after lift-off: forces fade before it, so the path leaves smoothly
LANDING = (1, 2, 3)  # powers of time before touchdown, where the speed jumps
HIDDEN_S = 0.012  # largest remaining error of a transition that was detected
NAMED_S = 0.005  # largest remaining error of a transition that contact columns name


@dataclass(frozen=True, slots=True)
class ContactCycle:
    """Order of the contact sets in a periodic movement, and delays of the first estimate.

    Args:
        order: Names of the contact sets; the first follows the last.
        late_s: By contact point: delay of the first estimate after landing or lift-off.
    """

    order: tuple[str, ...]
    late_s: Mapping[str, float]

    def following(self, name: str) -> str:
        """Return the contact set after another; itself if it is not of the cycle."""
        return self.order[(self.order.index(name) + 1) % len(self.order)] if name in self.order else name


@dataclass(frozen=True, slots=True, eq=False)
class Paths:
    """Slip of contact points, with the height above their own floor as z (T, n_points, 3), and their names."""

    time_s: Array
    place_m: Array
    names: tuple[str, ...]


def check_samples(motion: Motion) -> None:
    """Raise BadMotionError if a motion has too few samples to estimate phases, speeds and noise."""
    if len(motion.time_s) < FEWEST_SAMPLES:
        raise BadMotionError(
            f"{len(motion.time_s)} samples are too few to estimate velocities; give at least {FEWEST_SAMPLES}."
        )


def detect_phases(robot: Robot, motion: Motion, cycle: ContactCycle) -> tuple[PhaseTime, ...]:
    """Return the phases that a motion shows: by its contact columns, or by heights and speeds of its feet.

    Raises if contact columns touch the ground in a way that no contact set of the robot describes, or if there are none
    and the angles are too noisy to see what touches.
    """
    named = has_contacts(motion)
    noise_rad = float(np.median(noise_of(motion.joint_angles_rad)))
    if not named and noise_rad > MOST_NOISE_RAD:
        raise BadMotionError(
            f"The joint angles have {np.degrees(noise_rad):.1f} degrees of noise, too much to see which feet touch; "
            "smooth them, or give the phases."
        )
    if named:
        motion = _described(robot, motion)
    sets, borders = _runs(
        motion.time_s, _named_contacts(robot, motion) if named else _seen_contacts(robot, motion, cycle)
    )
    reach = (_sample_s(motion) / 2.0, _sample_s(motion) / 2.0) if named else (EARLIER_S, LATER_S)
    borders = _refined(robot, feet_paths(robot, motion.time_s, motion.qpos), (sets, borders), reach, cycle.late_s)
    return _whole([PhaseTime(name, start, stop) for name, (start, stop) in zip(sets, pairwise(borders), strict=True)])


def _runs(time_s: Array, names: list[str]) -> tuple[list[str], list[float]]:
    """Return the contact sets in turn, and where they begin and end: half way between samples that differ."""
    changes = [k for k in range(1, len(names)) if names[k] != names[k - 1]]
    inside = [float(time_s[k - 1] + time_s[k]) / 2.0 for k in changes]
    return [names[k] for k in [0, *changes]], [float(time_s[0]), *inside, float(time_s[-1])]


def _whole(phases: list[PhaseTime]) -> tuple[PhaseTime, ...]:
    """Return phases without the scraps at both ends: the shortest join their neighbours, short ones are left out."""
    if len(phases) > 1 and phases[0].stop_s - phases[0].start_s < SCRAP_S:
        start_s = phases[0].start_s if phases[0].stop_s - phases[0].start_s < HIDDEN_S else phases[1].start_s
        phases = [replace(phases[1], start_s=start_s), *phases[2:]]
    if len(phases) > 1 and phases[-1].stop_s - phases[-1].start_s < SCRAP_S:
        stop_s = phases[-1].stop_s if phases[-1].stop_s - phases[-1].start_s < HIDDEN_S else phases[-2].stop_s
        phases = [*phases[:-2], replace(phases[-2], stop_s=stop_s)]
    return tuple(phases)


def has_contacts(motion: Motion) -> bool:
    """Return whether a motion says when its feet touch; columns that never do say nothing."""
    return bool(motion.contact.any())


def detection_error_s(motion: Motion) -> float:
    """Return by how much a detected border may be off."""
    return max(NAMED_S, _sample_s(motion) / 2.0) if has_contacts(motion) else max(HIDDEN_S, _sample_s(motion))


def feet_paths(robot: Robot, time_s: Array, qpos: Array) -> Paths:
    """Return the paths of all contact points."""
    points = contact_points(robot)
    place, height = contact_slip(robot, list(points.values()), qpos)
    floor = np.percentile(height, FLOOR_PERCENTILE, axis=0)  # soles of a fitted body lie a little off the ground
    return Paths(time_s, np.concatenate([place[:, :, :2], (height - floor)[:, :, None]], axis=2), tuple(points))


def _sample_s(motion: Motion) -> float:
    return float(np.max(np.diff(motion.time_s)))


def _described(robot: Robot, motion: Motion) -> Motion:
    """Return a motion without samples at its ends whose contacts no set describes, as where a recording is cut."""
    sets = set(_points_by_set(robot).values())
    in_contact = [frozenset(np.array(motion.foot_names)[row].tolist()) for row in motion.contact]
    known = np.flatnonzero([points in sets for points in in_contact])
    if not len(known) or known[-1] - known[0] < MOST_CUT * len(in_contact):
        return motion
    return motion.samples(slice(int(known[0]), int(known[-1]) + 1))


def _named_contacts(robot: Robot, motion: Motion) -> list[str]:
    sets = {in_contact: name for name, in_contact in _points_by_set(robot).items()}
    names: list[str] = []
    for k, row in enumerate(motion.contact):
        in_contact = frozenset(np.array(motion.foot_names)[row].tolist())
        if in_contact not in sets:
            words = ", ".join(sorted(in_contact)) or "nothing"
            raise BadMotionError(
                f"At {motion.time_s[k]:.3f} s {words} touches the ground, which is no known contact set."
            )
        names.append(sets[in_contact])
    return names


def _seen_contacts(robot: Robot, motion: Motion, cycle: ContactCycle) -> list[str]:
    """Return the contact set of every sample: the most likely sequence of a hidden Markov model (Viterbi).

    Its states are the sets of the cycle; each stays or is followed by the next, which are equally likely.
    """
    rate_hz = 1.0 / float(np.median(np.diff(motion.time_s)))
    padding = min(15, len(motion.time_s) - 1)
    angles = low_pass(angles_from_qpos(motion.qpos), CUTOFF_HZ, rate_hz, padding=padding)
    paths = feet_paths(robot, motion.time_s, qpos_from_angles(angles))
    height = paths.place_m[..., 2]
    speed = np.linalg.norm(np.gradient(paths.place_m, motion.time_s, axis=0), axis=2)
    low = LOW_M + np.percentile(np.abs(height), SPREAD_PERCENTILE, axis=0)
    slow = SLOW_M_S + 2.0 * np.percentile(speed, SPREAD_PERCENTILE, axis=0)
    doubt = np.clip((height / low) ** 2 + (speed / slow) ** 2 - 1.0, -1.0, CLEAR)
    order = cycle.order
    in_contact = _points_by_set(robot)
    sign = np.array([[1.0 if name in in_contact[entry] else -1.0 for name in paths.names] for entry in order])
    cost = doubt @ sign.T
    total = cost[0]
    came = np.zeros(cost.shape, dtype=np.intp)
    for k in range(1, len(cost)):
        stayed = total <= np.roll(total, 1)
        came[k] = np.where(stayed, np.arange(len(order)), np.roll(np.arange(len(order)), 1))
        total = total[came[k]] + cost[k]
    best = [int(np.argmin(total))]
    for k in range(len(cost) - 1, 0, -1):
        best.append(int(came[k, best[-1]]))
    return [order[index] for index in reversed(best)]


def _refined(
    robot: Robot,
    paths: Paths,
    phases: tuple[Sequence[str], Sequence[float]],
    reach: tuple[float, float],
    late_s: Mapping[str, float],
) -> list[float]:
    """Return the transitions of contact sets, each moved to the change in the paths of landing or lifting points."""
    sets, borders = phases
    points = _points_by_set(robot)
    moved = list(borders)
    for k in [number for _ in range(ROUNDS) for number in range(1, len(borders) - 1)]:
        start_s = max(moved[k - 1], moved[k] - WINDOW_S)
        stop_s = min(moved[k + 1], moved[k] + WINDOW_S)
        inside = (paths.time_s >= start_s) & (paths.time_s <= stop_s)
        tries = np.arange(max(start_s, borders[k] - reach[0]), min(stop_s, borders[k] + reach[1]), GRID_S)
        if inside.sum() < FEWEST or not len(tries):
            continue
        before = points[sets[k - 1]]
        after = points[sets[k]]
        misses = np.zeros(len(tries))
        for sign, powers, names in ((-1.0, LANDING, after - before), (1.0, LIFTING, before - after)):
            for name in names:
                misses += _misses(paths, inside, name, tries, sign, powers)
                if reach[0] > max(late_s.values()):
                    misses += ((tries - borders[k] + late_s[name]) / SEEN_WITHIN_S) ** 2
        moved[k] = float(tries[int(np.argmin(misses))])
    return moved


def _misses(paths: Paths, inside: Mask, name: str, tries: Array, sign: float, powers: tuple[int, ...]) -> Array:
    """Return the residual of a point's path over its noise, for a change at each of the times tried. Shape (n,)."""
    point = paths.names.index(name)
    noise_m = noise_of(paths.place_m[:, point])
    time_s = paths.time_s[inside]
    path = paths.place_m[inside, point] / np.hypot(CERTAIN_M, noise_m)
    return np.array([_miss(sign * (time_s - border), path, powers) for border in tries])


def noise_of(samples: Array) -> Array:
    """Return the standard deviation of white noise in evenly spaced samples, column by column. Shape (T, n) in.

    By the median of fourth differences, in which smooth movements vanish and impacts are rare.
    """
    differences = np.diff(samples, 4, axis=0)
    return np.asarray(np.median(np.abs(differences), axis=0) / (0.6745 * np.sqrt(70.0)))


def _miss(lapse_s: Array, path_m: Array, powers: tuple[int, ...]) -> float:
    """Return the residual of paths that rest until 0 and follow a polynomial after it. Shapes (T,) and (T, n)."""
    moves = np.maximum(lapse_s, 0.0) / WINDOW_S
    table = np.column_stack([np.ones(len(moves)), *(moves**power for power in powers)])
    found, *_ = np.linalg.lstsq(table, path_m, rcond=None)
    return float(np.sum((path_m - table @ found) ** 2))


def _points_by_set(robot: Robot) -> dict[str, frozenset[str]]:
    return {name: frozenset(point.name for point in contact_set(robot, name).points) for name in robot.contacts.set}
