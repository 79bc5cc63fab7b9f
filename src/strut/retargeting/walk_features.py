"""Walk features: what shows the feeling of a walk, measured alike on a person and on a robot."""

from __future__ import annotations

from dataclasses import asdict, dataclass

import numpy as np

from strut.arrays import Array
from strut.maths.sampling import low_pass
from strut.retargeting.body_movement import SIDES, BodyMovement, facing_rad

BOB_HZ = 0.4  # the height of the pelvis above this frequency is bob
HAND_HZ = 6.0  # cut-off frequency of the hands
MIDDLE = (5.0, 95.0)  # percentiles whose distance is a range
LOST = 0.5  # a feature is lost if less than half of it, or more than twice of it, is left
LOST_DEG = 10.0  # of a posture: if it is so far off


@dataclass(frozen=True, slots=True)
class WalkFeatures:
    """Features of a walk, lengths in leg lengths. Pitch is positive forwards; None without such a part.

    Args:
        speed_legs_s: Speed of the pelvis.
        trunk_pitch_deg: Mean.
        head_pitch_deg: Mean.
        arm_swing_deg: Range of the upper arms forwards and backwards, mean of both sides.
        bob_legs: Range of the height of the pelvis.
        hand_jerk_legs_s3: Root mean square of the third derivative of the positions of the wrists, below 6 Hz.
    """

    speed_legs_s: float
    trunk_pitch_deg: float | None
    head_pitch_deg: float | None
    arm_swing_deg: float | None
    bob_legs: float
    hand_jerk_legs_s3: float | None

    def as_dict(self) -> dict[str, float | None]:
        """Return the features by name."""
        return asdict(self)


def walk_features(movement: BodyMovement, rows: slice) -> WalkFeatures:
    """Return the features of some samples of a walk."""
    rate_hz = 1.0 / movement.step_s
    leg_m = movement.leg_m
    yaw = facing_rad(movement.rotation["pelvis"])
    pelvis_m = movement.pelvis_m
    path_m = low_pass(pelvis_m[:, :2], 1.0, rate_hz)[rows]
    duration_s = float(movement.time_s[rows][-1] - movement.time_s[rows][0])
    height_m = pelvis_m[:, 2] - low_pass(pelvis_m[:, 2], BOB_HZ, rate_hz)
    swing = jerk = None
    if "wrist_left" in movement.point_m:
        swing = float(np.mean([_range(_swing_deg(movement, side, yaw)[rows]) for side in SIDES]))
        wrists = np.stack([movement.point_m[f"wrist_{side}"] for side in SIDES], axis=1)
        third = np.diff(low_pass(wrists, min(HAND_HZ, 0.4 * rate_hz), rate_hz), n=3, axis=0)[rows] * rate_hz**3
        jerk = float(np.sqrt((third**2).sum(axis=2).mean())) / leg_m
    return WalkFeatures(
        speed_legs_s=float(np.linalg.norm(np.diff(path_m, axis=0), axis=1).sum()) / duration_s / leg_m,
        trunk_pitch_deg=_pitch_deg(movement, "trunk", yaw, rows),
        head_pitch_deg=_pitch_deg(movement, "head", yaw, rows),
        arm_swing_deg=swing,
        bob_legs=_range(height_m[rows]) / leg_m,
        hand_jerk_legs_s3=jerk,
    )


def lost_features(before: WalkFeatures, after: WalkFeatures) -> tuple[str, ...]:
    """Return which features of a walk are lost in another, as sentences."""
    lost = []
    for name, was in before.as_dict().items():
        label, _, unit = name.replace("_legs", " legs").replace("_deg", " degrees").partition(" ")
        label = label.replace("_", " ")
        unit = unit.replace("_", "/")
        now = after.as_dict()[name]
        if was is None:
            continue
        if now is None:
            lost.append(f"{label}: the robot has no such part")
        elif name.endswith("pitch_deg"):
            if abs(now - was) > LOST_DEG:
                lost.append(f"{label}: {now:.0f} {unit} in place of {was:.0f}")
        elif not LOST * was <= now <= was / LOST:
            lost.append(f"{label}: {now:.2g} {unit} in place of {was:.2g}")
    return tuple(lost)


def _range(values: Array) -> float:
    low, high = np.percentile(values, MIDDLE)
    return float(high - low)


def _ahead(yaw: Array) -> Array:
    """Return the unit vector of a heading. Shape (T,) in, (T, 3) out."""
    return np.stack([np.cos(yaw), np.sin(yaw), np.zeros_like(yaw)], axis=1)


def _swing_deg(movement: BodyMovement, side: str, yaw: Array) -> Array:
    """Return how far an upper arm points forwards. Shape (T,)."""
    along = movement.point_m[f"elbow_{side}"] - movement.point_m[f"shoulder_{side}"]
    return np.asarray(np.degrees(np.arctan2(np.vecdot(along, _ahead(yaw)), -along[:, 2])))


def _pitch_deg(movement: BodyMovement, part: str, yaw: Array, rows: slice) -> float | None:
    """Return the mean forward pitch of a part; None without it."""
    if part not in movement.rotation:
        return None
    up = movement.rotation[part][:, :, 2]
    return float(np.degrees(np.arctan2(np.vecdot(up, _ahead(yaw)), up[:, 2]))[rows].mean())
