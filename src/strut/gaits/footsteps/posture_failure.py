"""Posture failure: why no posture meets a target, classified by the change that would make one possible."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from strut.arrays import Array
from strut.errors import UnreachablePostureError
from strut.gaits.footsteps.biped_model import BipedModel
from strut.gaits.footsteps.biped_posture import Postures, PostureTargets, solve_postures
from strut.place import LEFT, RIGHT

LEG_TOO_SHORT = "leg too short"
BODY_TOO_LOW = "body too low"
COM_OUT_OF_REACH = "centre of mass out of reach"
_SHARES = np.linspace(0.0, 1.0, 101)


def required_postures(legs: BipedModel, targets: PostureTargets, start: Array | None = None) -> Postures:
    """Return the postures of all targets; raises UnreachablePostureError for the first that has none."""
    postures = solve_postures(legs, targets, start)
    if not postures.found.all():
        raise why_unreachable(legs, targets, int(np.argmin(postures.found)))
    return postures


def why_unreachable(legs: BipedModel, targets: PostureTargets, sample: int) -> UnreachablePostureError:
    """Return why a target has no posture.

    If the same feet and height are feasible with the centre of mass midway between the feet, the centre of mass is out
    of reach; if not, a leg is too short for the height, or cannot fold so far.
    """
    target = targets.rows(slice(sample, sample + 1))
    middle = target.ankle_in_world[:, :, :2].mean(axis=1)
    from_middle = target.com_in_world - middle
    tried = target.rows(np.zeros(len(_SHARES), dtype=np.intp))
    tried = replace(tried, com_in_world=middle + _SHARES[:, None] * from_middle)
    found = solve_postures(legs, tried).found
    if found[0]:
        reached = float(_SHARES[int(np.argmin(found)) - 1] if not found.all() else 1.0)
        wanted_mm = float(np.linalg.norm(from_middle)) * 1e3
        detail = (
            f"it would have to be {wanted_mm:.0f} mm from between the feet, it gets {reached * wanted_mm:.0f} mm there"
        )
        return UnreachablePostureError(sample, COM_OUT_OF_REACH, detail)
    return _bad_leg(legs, target, sample)


def _bad_leg(legs: BipedModel, target: PostureTargets, sample: int) -> UnreachablePostureError:
    """Return the leg that cannot reach from its hip to its ankle, with the hips midway between the feet."""
    ankles = target.ankle_in_world[0]
    height_m = float(target.height_m[0])
    heading = float(target.body_heading_rad[0])
    lateral = np.array([-np.sin(heading), np.cos(heading), 0.0])
    middle = np.array([*ankles[:, :2].mean(axis=0), height_m])
    hips = {RIGHT: middle - legs.separation_m / 2.0 * lateral, LEFT: middle + legs.separation_m / 2.0 * lateral}
    span = {foot: float(np.linalg.norm(hip - ankles[foot])) for foot, hip in hips.items()}
    worst = max(span, key=lambda foot: span[foot])
    name = "right" if worst == RIGHT else "left"
    if span[worst] > 0.5 * legs.longest_leg_m:
        detail = (
            f"the {name} leg would have to span {span[worst] * 1e3:.0f} mm, it has {legs.longest_leg_m * 1e3:.0f} mm"
        )
        return UnreachablePostureError(sample, LEG_TOO_SHORT, detail)
    detail = f"the hips would be {height_m * 1e3:.0f} mm over the ground, so low the legs do not fold"
    return UnreachablePostureError(sample, BODY_TOO_LOW, detail)
