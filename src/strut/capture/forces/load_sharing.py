"""Load sharing: splits the total ground-reaction wrench between the feet → force and centre of pressure of each.

In single support one foot has the whole wrench. In double support the vertical force is split by bounded least squares
over all frames: the leading foot's share stays in [0, 1], near its usual course from 0 at heel strike to 1 at toe off
(a smooth transition, as Ren and others, 2008, assume), smooth, and puts the centre of pressure of both feet where the
wrench has it. Horizontal forces point towards a virtual pivot point above the centre of mass (Maus and others, 2010);
the remainder is split like the vertical force, and each foot is clipped to its friction cone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import lsq_linear

from strut.arrays import Array
from strut.balance.centre_of_pressure import cop_of_wrench
from strut.capture.forces.dynamic_smoothing import CopPrior, SmoothingOptions
from strut.capture.forces.footprints import Footprint
from strut.capture.markers.gaps import runs_of
from strut.recording import SIDES

PIVOT = 1.15  # height of the point to which feet push, over that of the centre of mass
SHARE_SD = 0.15  # of the usual way of the share
COP_SD_M = 0.05  # of the centre of pressure that the wrench gives, along the line between the feet
FILTERED_LEAD = 0.15  # of that line, by which filtered markers have it too far before in the middle of the way
FARTHEST_M = 0.03  # of the centre of pressure under each of two feet from its usual way; the rest stays unexplained
ROUGHNESS_SD = 0.02  # of second differences of the share, at 100 frames in a second
LEAST_LOAD_N = 1.0  # below it a centre of pressure is not that of a foot that stands
# Of the weight on the leading foot, at tenths of a double support; between those of four on plates in the tuning half.
USUAL_SHARE = np.array([0.0, 0.25, 0.33, 0.38, 0.44, 0.52, 0.62, 0.73, 0.83, 0.92, 1.0])


@dataclass(frozen=True, slots=True, eq=False)
class FootLoads:
    """Forces of the ground on the right and the left foot.

    Args:
        force_n: In world. Shape (T, 2, 3).
        cop_m: Centre of pressure, under the foot; NaN where it does not stand. Shape (T, 2, 2).
        twist_nm: Moment about the vertical through it. Shape (T, 2).
        stands: Which foot is on the ground. Shape (T, 2).
    """

    force_n: Array
    cop_m: Array
    twist_nm: Array
    stands: npt.NDArray[np.bool_]

    def wrenches(self) -> Array:
        """Return forces, and moments about the world's origin. Shape (T, 2, 6)."""
        place = np.concatenate([np.nan_to_num(self.cop_m), np.zeros((*self.cop_m.shape[:2], 1))], axis=2)
        moment = np.cross(place, self.force_n)
        moment[..., 2] += self.twist_nm
        return np.concatenate([self.force_n, moment], axis=2)


def wrench_cop(wrench: Array) -> Array:
    """Return the centre of pressure of wrenches about the origin of the ground. Shape (..., 6) in, (..., 2) out."""
    return cop_of_wrench(wrench[..., :3], wrench[..., 3:], least_load_n=LEAST_LOAD_N)


def standing_on(footprints: Sequence[Footprint], time_s: Array) -> npt.NDArray[np.intp]:
    """Return the number of the footprint in which each foot stands; -1 for none. Shape (T, 2)."""
    number = np.full((len(time_s), 2), -1, dtype=np.intp)
    for index, one in enumerate(footprints):
        number[one.stands(time_s), SIDES.index(one.side)] = index
    return number


def cop_prior(footprints: Sequence[Footprint], time_s: Array, options: SmoothingOptions) -> CopPrior:
    """Return where the centre of pressure of both feet together usually is, before any force is known."""
    number = standing_on(footprints, time_s)
    place = np.full((len(time_s), 2), np.nan)
    sd = np.full(len(time_s), options.cop_sd_m)
    for index, one in enumerate(footprints):
        alone = (number == index).any(axis=1) & (number < 0).any(axis=1)
        place[alone] = one.cop_path(time_s[alone])
    for trailing, leading, rows in _double_supports(footprints, time_s):
        now_s = time_s[rows]
        share = _usual_share(trailing, leading, now_s)
        before = trailing.cop_path(now_s)
        after = leading.cop_path(now_s)
        place[rows] = before + share[:, None] * (after - before)
        sd[rows] += (options.shared_cop_sd_m - options.cop_sd_m) * 4.0 * share * (1.0 - share)
    return CopPrior(place, sd)


def share_load(
    footprints: Sequence[Footprint],
    time_s: Array,
    wrench: Array,
    com_m: Array,
    friction: float,
    *,
    cop_lead: float = 0.0,
) -> FootLoads:
    """Return what each foot carries.

    Args:
        footprints: Where and when feet stand.
        time_s: Shape (T,).
        wrench: Of the ground: force, and moment about the origin. Shape (T, 6).
        com_m: Centre of mass. Shape (T, 3).
        friction: Largest tangential over normal force.
        cop_lead: By which share of the way between two feet the wrench's centre of pressure is too far forwards.
    """
    number = standing_on(footprints, time_s)
    part = np.zeros((len(time_s), 2))
    cop = np.full((len(time_s), 2, 2), np.nan)
    wanted = wrench_cop(wrench)
    level = np.zeros((len(time_s), 2, 2))  # horizontal forces
    for index, one in enumerate(footprints):
        foot = SIDES.index(one.side)
        alone = (number[:, foot] == index) & (number[:, 1 - foot] < 0)
        part[alone, foot] = 1.0
        cop[alone, foot] = one.inside(wanted[alone], time_s[alone])
        level[alone, foot] = wrench[alone, :2]
    for trailing, leading, rows in _double_supports(footprints, time_s):
        feet = [SIDES.index(one.side) for one in (trailing, leading)]
        share = _fitted_share(trailing, leading, time_s[rows], wanted[rows], cop_lead)
        part[rows, feet[0]] = 1.0 - share
        part[rows, feet[1]] = share
        places = [one.cop_path(time_s[rows]) for one in (trailing, leading)]
        off = wanted[rows] - (1.0 - share)[:, None] * places[0] - share[:, None] * places[1]
        off = off * np.minimum(1.0, FARTHEST_M / np.maximum(np.linalg.norm(off, axis=1, keepdims=True), 1e-9))
        for foot, one, place in zip(feet, (trailing, leading), places, strict=True):
            cop[rows, foot] = one.inside(place + off, time_s[rows])
        level[rows[:, None], feet] = _pushes(part[rows][:, feet], cop[rows][:, feet], wrench[rows], com_m[rows])
    vertical = part * np.maximum(wrench[:, 2:3], 0.0)
    level = _within_friction(level, vertical, friction)
    force = np.concatenate([level, vertical[..., None]], axis=2)
    loads = FootLoads(force, cop, np.zeros_like(part), number >= 0)
    twist = wrench[:, 5] - loads.wrenches()[:, :, 5].sum(axis=1)
    return FootLoads(force, cop, part * twist[:, None], number >= 0)


def _double_supports(footprints: Sequence[Footprint], time_s: Array) -> list[tuple[Footprint, Footprint, Array]]:
    """Return trailing and leading footprint and the frames of each double support."""
    number = standing_on(footprints, time_s)
    found = []
    for first, last in runs_of(np.asarray((number >= 0).all(axis=1))):
        rows = np.arange(first, last + 1)
        for pair in np.unique(number[rows], axis=0):
            both = sorted((footprints[index] for index in pair), key=lambda one: one.start_s)
            found.append((both[0], both[1], rows[(number[rows] == pair).all(axis=1)]))
    return found


def _passed(trailing: Footprint, leading: Footprint, time_s: Array) -> Array:
    """Return the share of a double support that has passed. Shape (T,)."""
    return np.asarray(np.clip((time_s - leading.start_s) / max(trailing.stop_s - leading.start_s, 1e-3), 0.0, 1.0))


def _usual_share(trailing: Footprint, leading: Footprint, time_s: Array) -> Array:
    """Return how much of the weight the leading foot usually has. Shape (T,)."""
    return np.asarray(
        np.interp(_passed(trailing, leading, time_s), np.linspace(0.0, 1.0, len(USUAL_SHARE)), USUAL_SHARE)
    )


def _fitted_share(trailing: Footprint, leading: Footprint, time_s: Array, wanted: Array, lead: float) -> Array:
    """Return how much of the weight the leading foot has, given the centre of pressure of both. Shape (T,)."""
    count = len(time_s)
    before = trailing.cop_path(time_s)
    after = leading.cop_path(time_s)
    apart = np.linalg.norm(after - before, axis=1)
    along = np.einsum("ti,ti->t", wanted - before, after - before) / np.maximum(apart, 1e-6)
    bend = np.diff(np.eye(count + 2), n=2, axis=0)  # with a frame before, where it is 0, and one after, where it is 1
    frame_s = (time_s[-1] - time_s[0]) / (count - 1) if count > 1 else 0.01
    rough = 1.0 / (ROUGHNESS_SD * (frame_s / 0.01) ** 2)
    matrix = np.vstack([np.eye(count) / SHARE_SD, np.diag(apart) / COP_SD_M, rough * bend[:, 1:-1]])
    usual = _usual_share(trailing, leading, time_s)
    along = along - lead * apart * 4.0 * usual * (1.0 - usual)
    target = np.concatenate([usual / SHARE_SD, along / COP_SD_M, -rough * bend[:, -1]])
    return np.asarray(lsq_linear(matrix, target, bounds=(0.0, 1.0)).x)


def _pushes(part: Array, cop_m: Array, wrench: Array, com_m: Array) -> Array:
    """Return horizontal forces of two feet that add up to those of the wrench. Shape (T, 2, 2)."""
    slope = (com_m[:, None, :2] - cop_m) / (PIVOT * com_m[:, None, 2:])
    own = part[..., None] * np.maximum(wrench[:, None, 2:3], 0.0) * slope
    left = wrench[:, :2] - own.sum(axis=1)
    return np.asarray(own + part[..., None] * left[:, None])


def _within_friction(level: Array, vertical: Array, friction: float) -> Array:
    size = np.linalg.norm(level, axis=2)
    return np.asarray(level * np.minimum(1.0, friction * vertical / np.maximum(size, 1e-9))[..., None])
