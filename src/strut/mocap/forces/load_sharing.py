"""Load sharing: split the total ground-reaction wrench between the feet → force and centre of pressure of each.

In single support one foot has the whole wrench. In double support the vertical force is split by bounded least squares
over all frames: the leading foot's share stays in [0, 1], near its usual course from 0 at heel strike to 1 at toe off
(a smooth transition, as Ren et al., 2008, assume), smooth, and puts the centre of pressure of both feet where the
wrench has it. Horizontal forces point towards a virtual pivot point above the centre of mass (Maus et al., 2010); the
remainder is split like the vertical force, and the force on each foot is clipped to its friction cone.

The numbers were chosen on the tuning half of the plate trials; benchmarks/bench_ground_forces.py measures the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import lsq_linear

from strut.arrays import Array
from strut.balance.centre_of_pressure import cop_of_wrench
from strut.mocap.forces.dynamic_smoothing import CopPrior, SmoothingOptions
from strut.mocap.forces.footprints import Footprint
from strut.mocap.markers.gaps import find_runs
from strut.recording import SIDES

PIVOT_HEIGHT = 1.15  # of the virtual pivot point, over the height of the centre of mass
SHARE_SD = 0.15  # of the leading foot's share around its usual course
COP_SD_M = 0.05  # of the centre of pressure of the wrench, along the line between the feet
ROUGHNESS_SD = 0.02  # of second differences of the share, at 100 frames per second
FILTERED_COP_LEAD = 0.15  # of the distance between the feet: forward bias of filtered markers in mid double support
MAX_COP_OFFSET_M = 0.03  # under each of two feet from its usual path; the rest stays unexplained
MIN_LOAD_N = 1.0  # below it there is no centre of pressure
# Share of the weight on the leading foot at tenths of a double support, between those of four on plates.
USUAL_SHARE = np.array([0.0, 0.25, 0.33, 0.38, 0.44, 0.52, 0.62, 0.73, 0.83, 0.92, 1.0])


@dataclass(frozen=True, slots=True, eq=False)
class FootLoads:
    """Forces of the ground on the right and the left foot.

    Args:
        force_n: In world. Shape (T, 2, 3).
        cop_m: Centre of pressure, under the foot; NaN in swing. Shape (T, 2, 2).
        twist_nm: Moment about the vertical through the centre of pressure. Shape (T, 2).
        in_contact: Which foot is on the ground. Shape (T, 2).
    """

    force_n: Array
    cop_m: Array
    twist_nm: Array
    in_contact: npt.NDArray[np.bool_]

    def wrenches(self) -> Array:
        """Return forces, and moments about the origin of the world. Shape (T, 2, 6)."""
        point = np.concatenate([np.nan_to_num(self.cop_m), np.zeros((*self.cop_m.shape[:2], 1))], axis=2)
        moment = np.cross(point, self.force_n)
        moment[..., 2] += self.twist_nm
        return np.concatenate([self.force_n, moment], axis=2)


def cop_of_wrenches(wrench: Array) -> Array:
    """Return the centre of pressure of wrenches about the origin of the world. Shape (..., 6) in, (..., 2) out."""
    return cop_of_wrench(wrench[..., :3], wrench[..., 3:], min_load_n=MIN_LOAD_N)


def footprint_index(footprints: Sequence[Footprint], time_s: Array) -> npt.NDArray[np.intp]:
    """Return the index of the footprint in which each foot stands; -1 in swing. Shape (T, 2)."""
    number = np.full((len(time_s), 2), -1, dtype=np.intp)
    for index, footprint in enumerate(footprints):
        number[footprint.is_standing(time_s), SIDES.index(footprint.side)] = index
    return number


def cop_prior(footprints: Sequence[Footprint], time_s: Array, options: SmoothingOptions) -> CopPrior:
    """Return the usual centre of pressure of both feet together, before any force is known."""
    number = footprint_index(footprints, time_s)
    cop_m = np.full((len(time_s), 2), np.nan)
    sd_m = np.full(len(time_s), options.cop_sd_m)
    for index, footprint in enumerate(footprints):
        alone = (number == index).any(axis=1) & (number < 0).any(axis=1)
        cop_m[alone] = footprint.usual_cop(time_s[alone])
    for trailing, leading, rows in _double_supports(footprints, time_s):
        share = _usual_share(trailing, leading, time_s[rows])
        before = trailing.usual_cop(time_s[rows])
        after = leading.usual_cop(time_s[rows])
        cop_m[rows] = before + share[:, None] * (after - before)
        sd_m[rows] += (options.shared_cop_sd_m - options.cop_sd_m) * 4.0 * share * (1.0 - share)
    return CopPrior(cop_m, sd_m)


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
        cop_lead: Forward bias of the wrench's centre of pressure in mid double support, over the distance of the feet.
    """
    number = footprint_index(footprints, time_s)
    share = np.zeros((len(time_s), 2))  # of the vertical force
    cop = np.full((len(time_s), 2, 2), np.nan)
    horizontal = np.zeros((len(time_s), 2, 2))  # force
    total_cop = cop_of_wrenches(wrench)
    for index, footprint in enumerate(footprints):
        foot = SIDES.index(footprint.side)
        alone = (number[:, foot] == index) & (number[:, 1 - foot] < 0)
        share[alone, foot] = 1.0
        cop[alone, foot] = footprint.clamp_cop(total_cop[alone], time_s[alone])
        horizontal[alone, foot] = wrench[alone, :2]
    for trailing, leading, rows in _double_supports(footprints, time_s):
        pair = (trailing, leading)
        feet = [SIDES.index(footprint.side) for footprint in pair]
        leading_share = _fit_share(trailing, leading, time_s[rows], total_cop[rows], cop_lead)
        share[rows, feet[0]] = 1.0 - leading_share
        share[rows, feet[1]] = leading_share
        usual = [footprint.usual_cop(time_s[rows]) for footprint in pair]
        usual_total = (1.0 - leading_share)[:, None] * usual[0] + leading_share[:, None] * usual[1]
        offset = total_cop[rows] - usual_total
        distance = np.linalg.norm(offset, axis=1, keepdims=True)
        offset = offset * np.minimum(1.0, MAX_COP_OFFSET_M / np.maximum(distance, 1e-9))
        for foot, footprint, own_cop in zip(feet, pair, usual, strict=True):
            cop[rows, foot] = footprint.clamp_cop(own_cop + offset, time_s[rows])
        horizontal[rows[:, None], feet] = _horizontal_forces(
            share[rows][:, feet], cop[rows][:, feet], wrench[rows], com_m[rows]
        )
    vertical = share * wrench[:, 2:3]
    force = clip_to_friction(np.concatenate([horizontal, vertical[..., None]], axis=2), friction)
    without_twist = FootLoads(force, cop, np.zeros_like(share), number >= 0)
    twist = wrench[:, 5] - without_twist.wrenches()[:, :, 5].sum(axis=1)
    return FootLoads(force, cop, share * twist[:, None], number >= 0)


def _double_supports(footprints: Sequence[Footprint], time_s: Array) -> list[tuple[Footprint, Footprint, Array]]:
    """Return trailing footprint, leading footprint and frames of each double support."""
    number = footprint_index(footprints, time_s)
    supports = []
    for first, last in find_runs(np.asarray((number >= 0).all(axis=1))):
        rows = np.arange(first, last + 1)
        for pair in np.unique(number[rows], axis=0):
            trailing, leading = sorted((footprints[index] for index in pair), key=lambda one: one.start_s)
            supports.append((trailing, leading, rows[(number[rows] == pair).all(axis=1)]))
    return supports


def _usual_share(trailing: Footprint, leading: Footprint, time_s: Array) -> Array:
    """Return the usual share of the weight on the leading foot. Shape (T,)."""
    duration_s = max(trailing.stop_s - leading.start_s, 1e-3)
    passed = np.clip((time_s - leading.start_s) / duration_s, 0.0, 1.0)
    return np.asarray(np.interp(passed, np.linspace(0.0, 1.0, len(USUAL_SHARE)), USUAL_SHARE))


def _fit_share(trailing: Footprint, leading: Footprint, time_s: Array, total_cop: Array, lead: float) -> Array:
    """Return the share of the weight on the leading foot, given the centre of pressure of both. Shape (T,)."""
    count = len(time_s)
    before = trailing.usual_cop(time_s)
    after = leading.usual_cop(time_s)
    distance = np.linalg.norm(after - before, axis=1)
    along = np.einsum("ti,ti->t", total_cop - before, after - before) / np.maximum(distance, 1e-6)
    usual = _usual_share(trailing, leading, time_s)
    along = along - lead * distance * 4.0 * usual * (1.0 - usual)
    bend = np.diff(np.eye(count + 2), n=2, axis=0)  # includes a frame before, share 0, and a frame after, share 1
    frame_s = (time_s[-1] - time_s[0]) / (count - 1) if count > 1 else 0.01
    smoothness = 1.0 / (ROUGHNESS_SD * (frame_s / 0.01) ** 2)
    matrix = np.vstack([np.eye(count) / SHARE_SD, np.diag(distance) / COP_SD_M, smoothness * bend[:, 1:-1]])
    target = np.concatenate([usual / SHARE_SD, along / COP_SD_M, -smoothness * bend[:, -1]])
    return np.asarray(lsq_linear(matrix, target, bounds=(0.0, 1.0)).x)


def _horizontal_forces(share: Array, cop_m: Array, wrench: Array, com_m: Array) -> Array:
    """Return horizontal forces of two feet that add up to those of the wrench. Shape (T, 2, 2)."""
    slope = (com_m[:, None, :2] - cop_m) / (PIVOT_HEIGHT * com_m[:, None, 2:])
    to_pivot = share[..., None] * np.maximum(wrench[:, None, 2:3], 0.0) * slope
    remainder = wrench[:, :2] - to_pivot.sum(axis=1)
    return np.asarray(to_pivot + share[..., None] * remainder[:, None])


def clip_to_friction(force_n: Array, friction: float) -> Array:
    """Return forces of the ground that push, within friction. Shape (..., 3)."""
    vertical = np.maximum(force_n[..., 2:], 0.0)
    size = np.linalg.norm(force_n[..., :2], axis=-1, keepdims=True)
    horizontal = force_n[..., :2] * np.minimum(1.0, friction * vertical / np.maximum(size, 1e-9))
    return np.concatenate([horizontal, vertical], axis=-1)
