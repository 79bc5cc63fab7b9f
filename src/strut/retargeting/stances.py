"""Stances: when the feet of a recorded person stand, and what a robot cannot do after it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy.ndimage import minimum_filter1d

from strut.arrays import Array, Mask
from strut.errors import RefusedError
from strut.maths.sampling import runs
from strut.receipt import LimitName, Reason, ReasonKind
from strut.retargeting.body_movement import SIDES, BodyMovement

# Found on CMU walks (91_29, 91_13, 91_14, 91_33, 104_28); benchmarks/bench_retarget.py runs others, too.
MIN_SPEED_M_S = 0.25  # a slower ankle or ball stands
SPEED_SHARE = 0.45  # of the walking speed; likewise, the larger bound counts
NEAR_FLOOR_M = 0.06  # above the 5th percentile of its height: a lower one stands
FLOOR_PERCENTILE = 5.0
FLOOR_S = 1.0  # the floor is where a foot is lowest within this time,
MAX_RISE_M = 0.08  # and at most so far above that percentile: floors of recordings are not flat
WALKING_PERCENTILE = 75.0  # of the speeds of the pelvis: a clip may stand for half its time
MIN_GAP_S = 0.08  # shorter gaps in a stance are noise
MIN_STANCE_S = 0.12  # shorter stances are noise
HEEL_UP_M = 0.05  # from here on a stance ends,
OTHER_STOOD_S = 0.1  # once the other foot has stood so long
MAX_FLIGHT_SHARE = 0.05  # of the samples: with more, no foot is on the ground for long, which is no walk
MIN_BOTH_S = 0.06  # both feet stand so long at least when the weight goes from one to the other
MIN_STEPS = 2
MOSTLY = 0.7  # of the samples without a foot on the ground: so often a foot stands still, though high


def with_stances(movement: BodyMovement) -> BodyMovement:
    """Return a movement with the stances of its feet, from its first to its last sample with both on the ground.

    Raises:
        RefusedError: If no foot is on the ground for long, as in a run, a skip or hops, or if it has no two steps.
    """
    contact = detect_stances(movement) if movement.contact is None else movement.contact.copy()
    in_air: Mask = np.asarray(~contact.any(axis=1))
    flight = float(in_air.mean())
    if flight > MAX_FLIGHT_SHARE and _is_slow(movement)[in_air].any(axis=1).mean() > MOSTLY:
        text = f"feet stand above the floor in {100.0 * flight:.0f} % of the samples: steps, or uneven ground"
        raise _refused(text, "Give a walk on a floor, or the part of the clip that is one (--between).")
    if flight > MAX_FLIGHT_SHARE:
        text = (
            f"no foot is on the ground in {100.0 * flight:.0f} % of the samples: a run, a skip or hops. A robot would "
            "have to jump, with legs that throw its body up and catch it"
        )
        raise _refused(
            text, "Give a walk, or the part of the clip in which one foot stands at every moment (--between)."
        )
    step_s = movement.step_s
    contact = _without_flight(contact)
    contact = _with_handover(contact, round(MIN_BOTH_S / step_s))
    both = np.flatnonzero(contact.all(axis=1))
    if not len(both):
        raise _refused("its feet never stand both", "Give a clip in which the person stands or walks.")
    rows = slice(int(both[0]), int(both[-1]) + 1)
    steps = sum(1 for foot in contact[rows].T for _ in runs(~foot))
    if steps < MIN_STEPS:
        text = f"it has {steps} step{'' if steps == 1 else 's'} between two moments with both feet on the ground"
        raise _refused(text, f"Give a clip with {MIN_STEPS} steps or more.")
    return replace(
        movement,
        time_s=movement.time_s[rows] - movement.time_s[rows.start],
        point_m={name: value[rows] for name, value in movement.point_m.items()},
        rotation={name: value[rows] for name, value in movement.rotation.items()},
        contact=contact[rows],
    )


def _refused(text: str, advice: str) -> RefusedError:
    return RefusedError((Reason(ReasonKind.LIMIT, LimitName.FOOT_CONTACT, text),), advice)


def walking_speed(movement: BodyMovement) -> float:
    """Return the speed of the pelvis over the ground while it walks [m/s]."""
    travel_m = np.linalg.norm(np.diff(movement.pelvis_m[:, :2], axis=0), axis=1)
    return float(np.percentile(travel_m, WALKING_PERCENTILE)) / movement.step_s


def _is_slow(movement: BodyMovement) -> Mask:
    """Return whether the ankle or the ball of the left and the right foot is slow. Shape (T, 2)."""
    return np.stack([_slow(movement, f"ankle_{side}") | _slow(movement, f"toe_{side}") for side in SIDES], axis=1)


def _slow(movement: BodyMovement, name: str) -> Mask:
    """Return whether a point is as slow as one of a standing foot. Shape (T,)."""
    speed_m_s = np.linalg.norm(np.gradient(movement.point_m[name], movement.step_s, axis=0), axis=1)
    return np.asarray(speed_m_s < max(MIN_SPEED_M_S, SPEED_SHARE * walking_speed(movement)))


def _is_low(movement: BodyMovement, name: str) -> Mask:
    """Return whether a point is as near to its floor as one of a standing foot. Shape (T,)."""
    height_m = movement.point_m[name][:, 2]
    lowest_m = float(np.percentile(height_m, FLOOR_PERCENTILE))
    around = minimum_filter1d(height_m, 2 * round(0.5 * FLOOR_S / movement.step_s) + 1, mode="nearest")
    return np.asarray(height_m < np.clip(around, lowest_m, lowest_m + MAX_RISE_M) + NEAR_FLOOR_M)


def detect_stances(movement: BodyMovement) -> Mask:
    """Return whether the left and the right foot stand: its ankle or its ball is slow and low. Shape (T, 2)."""
    step_s = movement.step_s
    contact = np.zeros((len(movement.time_s), 2), dtype=bool)
    for foot, side in enumerate(SIDES):
        for part in ("ankle", "toe"):
            contact[:, foot] |= _slow(movement, f"{part}_{side}") & _is_low(movement, f"{part}_{side}")
        contact[:, foot] = _without_flicker(contact[:, foot], step_s)
    for foot, side in enumerate(SIDES):
        heel_m = movement.point_m[f"ankle_{side}"][:, 2]
        for stance in runs(contact[:, foot]):
            risen = heel_m[stance] > np.median(heel_m[stance]) + HEEL_UP_M
            other = _stood_for(contact[stance, 1 - foot]) * step_s > OTHER_STOOD_S
            ends = np.flatnonzero(risen & other)
            late = ends[ends > 0.5 * len(risen)]
            if len(late):
                contact[stance.start + late[0] : stance.stop, foot] = False
    return contact


def _stood_for(stands: Mask) -> Array:
    """Return for how many samples a foot has stood at each one. Shape (T,)."""
    count = np.arange(len(stands))
    last_in_air = np.maximum.accumulate(np.where(stands, -1, count))
    return np.asarray(count - last_in_air, dtype=float)


def _without_flicker(stands: Mask, step_s: float) -> Mask:
    """Return a stance without gaps and stances too short to be real. Shape (T,)."""
    stands = stands.copy()
    for gap in runs(~stands):
        if gap.start > 0 and gap.stop < len(stands) and (gap.stop - gap.start) * step_s < MIN_GAP_S:
            stands[gap] = True
    for stance in runs(stands):
        if (stance.stop - stance.start) * step_s < MIN_STANCE_S:
            stands[stance] = False
    return stands


def _without_flight(contact: Mask) -> Mask:
    """Return stances that last until the next foot stands. Shape (T, 2)."""
    contact = contact.copy()
    for flight in runs(np.asarray(~contact.any(axis=1))):
        if flight.start > 0:
            contact[flight] = contact[flight.start - 1]
    return contact


def _with_handover(contact: Mask, samples: int) -> Mask:
    """Return stances that overlap by some samples where the weight goes from one foot to the other. Shape (T, 2)."""
    contact = contact.copy()
    for foot in range(2):
        for stance in runs(contact[:, foot].copy()):
            other = contact[: stance.stop, 1 - foot]
            landed = stance.stop - int(_stood_for(other)[-1])
            if stance.stop < len(contact) and contact[stance.stop, 1 - foot]:
                contact[stance.stop : min(max(landed + samples, stance.stop), len(contact)), foot] = True
    return contact
