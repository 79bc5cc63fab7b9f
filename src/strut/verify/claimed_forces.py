"""Claimed forces: whether the ground forces in a file are forces that the ground can give to each foot.

They must push, stay within friction, and act on feet that stand. `file_limits` compares their sum with the movement,
but a correct sum can hide a foot that pulls, two feet that push against each other, or a load on the wrong foot. So the
centre of pressure is compared, too: given how the feet share the load, it lies in the weighted Minkowski sum of the
soles, and the movement's own centre of pressure must lie there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from strut.arrays import Array, Mask, frozen_mask
from strut.draft import Draft, Violation
from strut.engines.rigid_body import GRAVITY_M_S2, foot_contact_points
from strut.receipt import LimitName

NEGLIGIBLE_SHARE = 0.02  # of the weight: smaller forces may pull, slide, or act on a foot in the air
MAX_COP_ERROR_M = 0.005  # root mean square; of the centre of pressure from where the claimed loads can have it
MAX_COP_ERROR_WITH_LANDINGS_M = 0.02  # the centre of pressure jumps at landings; 0.006 in sound gaits of people
DIRECTIONS = 32  # in which the sum of soles is compared: a polygon of 32 sides around it is at most 0.5 % larger


@dataclass(frozen=True, slots=True)
class ClaimedForces:
    """The limit that ground forces in a file are forces that the ground can give to each foot."""

    name: str = LimitName.FILE

    def violation(self, draft: Draft) -> Violation | None:
        """Return the first fault of the forces with its samples; None without a fault or without forces."""
        if draft.ground_force_n is None or not draft.robot.feet:
            return None
        return next(self._faults(draft, draft.ground_force_n), None)

    def _faults(self, draft: Draft, force_n: Array) -> Iterator[Violation]:
        robot = draft.robot
        least_n = NEGLIGIBLE_SHARE * robot.mass_kg * GRAVITY_M_S2
        body_of_foot = [foot.points[0].body for foot in robot.feet]  # two feet may be two points of one body
        of_body_n = [
            force_n[:, [own == body for own in body_of_foot]].sum(axis=1) for body in dict.fromkeys(body_of_foot)
        ]
        vertical_n = np.stack([force[:, 2] for force in of_body_n], axis=1)
        tangential_n = np.stack([np.linalg.norm(force[:, :2], axis=1) for force in of_body_n], axis=1)
        size_n = np.linalg.norm(force_n, axis=2)
        for broken, text in (
            (vertical_n < -least_n, "a foot pulls at the ground"),
            (
                tangential_n > robot.friction * vertical_n + least_n,
                "a foot has more force sideways than friction allows",
            ),
            ((size_n > least_n) & ~_touches_nearby(draft.contact), "a foot in the air is loaded"),
        ):
            rows = np.asarray(broken.any(axis=1))
            if rows.any():
                yield self._at(rows, f"{text} at {draft.time_s[int(np.argmax(rows))]:.2f} s")
        error_m = cop_error(draft, force_n)
        max_m = MAX_COP_ERROR_M if draft.measured.limit_set == "standing" else MAX_COP_ERROR_WITH_LANDINGS_M
        if np.sqrt(np.mean(error_m**2)) > max_m:
            worst = int(np.argmax(error_m))
            text = f"loads of the feet put the centre of pressure {1e3 * error_m[worst]:.0f} mm from where it must be"
            yield self._at(np.asarray(error_m > max_m), f"{text} at {draft.time_s[worst]:.2f} s")

    def _at(self, rows: Mask, text: str) -> Violation:
        return Violation(self.name, frozen_mask(rows), f"ground forces in the file: {text}")


def _touches_nearby(contact: Mask) -> Mask:
    """Return which feet are on the ground at a sample or at one beside it. Shape (T, n).

    A force in a file may be the mean over the time around its sample.
    """
    before = np.concatenate([contact[:1], contact[:-1]])
    after = np.concatenate([contact[1:], contact[-1:]])
    return np.asarray(contact | before | after)


def cop_error(draft: Draft, force_n: Array) -> Array:
    """Return how far the centre of pressure of a movement is from where claimed loads can have it [m]. Shape (T,).

    Where the movement's own centre of pressure is outside the support, as it may be in a trot, that much is allowed.

    Args:
        draft: Measured.
        force_n: Claimed force on each foot. Shape (T, n_feet, 3).
    """
    audit = draft.measured
    point_in_world = foot_contact_points(draft.robot, draft.qpos)[..., :2]
    foot_of_point = np.array(draft.robot.point_feet)
    angle = 2.0 * np.pi * np.arange(DIRECTIONS) / DIRECTIONS
    direction = np.stack([np.cos(angle), np.sin(angle)])
    load_n = force_n[..., 2]
    total_n = load_n.sum(axis=1, keepdims=True)
    share = load_n / np.where(total_n > 0.0, total_n, np.inf)
    reach_m = [
        share[:, foot, None] * (point_in_world[:, foot_of_point == foot] @ direction).max(axis=1)
        for foot in range(share.shape[1])
    ]
    outside_m = (audit.cop_in_world @ direction - np.sum(reach_m, axis=0)).max(axis=1)
    allowed_m = np.maximum(np.where(np.isfinite(audit.margin_m), -audit.margin_m, 0.0), 0.0)
    is_carried = (total_n[:, 0] > NEGLIGIBLE_SHARE * draft.robot.mass_kg * GRAVITY_M_S2) & np.isfinite(outside_m)
    return np.where(is_carried, np.maximum(outside_m - allowed_m, 0.0), 0.0)
