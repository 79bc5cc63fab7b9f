"""Frames of a keyframe animation: curves between keyframes, sampled at 25 Hz, before any check of feasibility."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import PchipInterpolator

from strut.arrays import Array, Index, frozen_array
from strut.maths.sampling import smooth_by_cosine
from strut.schemas.keyframes import Animation, AnimationKey, FootPose

FRAMES_PER_S = 25.0
ROUND_FRAMES = 3  # on each side of a corner
BISECTIONS = 40  # halve the interval below double precision


@dataclass(frozen=True, slots=True, eq=False)
class AnimationFrames:
    """Frames of an animation.

    Args:
        time_s: Shape (N,).
        base_m: Shift of the base. Shape (N, 3).
        turn_rad: Roll, pitch, yaw of the base. Shape (N, 3).
        foot_shift_m: Shift of each foot. Shape (N, n_feet, 3).
        foot_turn_rad: Leg directions. Shape (N, n_feet).
        joint_rad: Changes of joint angles. Shape (N, n_joints).
        key: Indices of the keyframes. Shape (n_keys,).
        corner: Indices of keyframes at which a straight line starts or ends. Shape (n_corners,).
        eyes: Expression in each frame.
    """

    time_s: Array
    base_m: Array
    turn_rad: Array
    foot_shift_m: Array
    foot_turn_rad: Array
    joint_rad: Array
    key: Index
    corner: Index
    eyes: tuple[str, ...]


def sample_keyframes(
    animation: Animation, foot_names: tuple[str, ...], joint_names: tuple[str, ...], *, strength: float = 1.0
) -> AnimationFrames:
    """Return the frames of an animation; keyframes are rounded to the nearest frame.

    Args:
        animation: The keyframe animation.
        foot_names: Names of the robot's feet.
        joint_names: Names of the robot's joints.
        strength: Amplitude about the first keyframe: 1 as authored, 0 for no movement.
    """
    key = _key_frames(animation)
    values = np.array([_numbers(frame, foot_names, joint_names) for frame in animation.keyframe])
    values = values[0] + strength * (values - values[0])
    frames = _between(animation, key, values)
    feet = len(foot_names)
    count = len(frames)
    eyes = [animation.keyframe[int(np.searchsorted(key, n, side="right")) - 1].eyes for n in range(count)]
    return AnimationFrames(
        time_s=frozen_array(np.arange(count) / FRAMES_PER_S),
        base_m=frozen_array(frames[:, :3]),
        turn_rad=frozen_array(np.radians(frames[:, 3:6])),
        foot_shift_m=frozen_array(frames[:, 6 : 6 + 3 * feet].reshape(count, feet, 3)),
        foot_turn_rad=frozen_array(np.radians(frames[:, 6 + 3 * feet : 6 + 4 * feet])),
        joint_rad=frozen_array(np.radians(frames[:, 6 + 4 * feet :])),
        key=key,
        corner=key[_corners(animation)],
        eyes=tuple(eyes),
    )


def _key_frames(animation: Animation) -> Index:
    """Return the frame of each keyframe, strictly increasing. Shape (n_keys,)."""
    key = np.rint([frame.time_s * FRAMES_PER_S for frame in animation.keyframe]).astype(np.intp)
    for number in range(1, len(key)):
        key[number] = max(key[number], key[number - 1] + 1)
    return key


def _corners(animation: Animation) -> list[int]:
    """Return the keyframes at which a straight line starts or ends."""
    straight = [frame.interpolation == "linear" for frame in animation.keyframe[:-1]]
    return [key for key in range(len(animation.keyframe)) if any(straight[max(key - 1, 0) : key + 1])]


def round_corners(drawing: AnimationFrames) -> AnimationFrames:
    """Return the frames with corners rounded over a fifth of a second, because no body changes its speed at once."""
    near = np.abs(np.arange(len(drawing.time_s))[:, None] - drawing.corner).min(axis=1, initial=2 * ROUND_FRAMES)
    share = np.clip(2.0 - near / ROUND_FRAMES, 0.0, 1.0)

    def smooth(values: Array) -> Array:
        kept = share.reshape(-1, *[1] * (values.ndim - 1))
        return frozen_array(values + kept * (smooth_by_cosine(values, ROUND_FRAMES) - values))

    return replace(
        drawing,
        base_m=smooth(drawing.base_m),
        turn_rad=smooth(drawing.turn_rad),
        joint_rad=smooth(drawing.joint_rad),
    )


def _numbers(frame: AnimationKey, foot_names: tuple[str, ...], joint_names: tuple[str, ...]) -> list[float]:
    feet = [frame.feet.get(name, FootPose()) for name in foot_names]
    return [
        *frame.base_m,
        *frame.turn_deg,
        *(value for foot in feet for value in foot.shift_m),
        *(foot.direction_deg for foot in feet),
        *(frame.joints_deg.get(name, 0.0) for name in joint_names),
    ]


def _between(animation: Animation, key: Index, values: Array) -> Array:
    """Return the values of all frames. Shape (n_keys, m) in, (N, m) out.

    Slopes at keyframes are those of a monotone cubic, like clamped handles of an animation program: curves pass their
    keyframes without overshoot. Handle lengths change the timing: with a third on both sides, the curve is that cubic.
    """
    slopes = np.zeros_like(values) if len(key) < 3 else PchipInterpolator(key, values).derivative()(key)
    slopes[0] = slopes[-1] = 0.0  # it starts and ends at rest
    frames = np.empty((key[-1] + 1, values.shape[1]))
    for number, frame in enumerate(animation.keyframe[:-1]):
        first = key[number]
        last = key[number + 1]
        share = np.arange(last - first + 1) / (last - first)
        start = values[number]
        end = values[number + 1]
        if frame.interpolation == "linear":
            frames[first : last + 1] = start + share[:, None] * (end - start)
            continue
        leave = frame.leave
        arrive = animation.keyframe[number + 1].arrive
        place = _along(share, leave, arrive)[:, None]
        handle_out = start + leave * (last - first) * slopes[number]
        handle_in = end - arrive * (last - first) * slopes[number + 1]
        frames[first : last + 1] = _bezier(place, start, handle_out, handle_in, end)
    return frames


def _bezier(u: Array, start: Array | float, out: Array | float, into: Array | float, end: Array | float) -> Array:
    v = 1.0 - u
    return np.asarray(v**3 * start + 3.0 * v**2 * u * out + 3.0 * v * u**2 * into + u**3 * end)


def _along(share: Array, leave: float, arrive: float) -> Array:
    """Return the parameter of a Bézier curve at shares of its time, by bisection; for handles up to 1 it is unique."""
    low = np.zeros_like(share)
    high = np.ones_like(share)
    for _ in range(BISECTIONS):
        middle = (low + high) / 2.0
        early = _bezier(middle, 0.0, leave, 1.0 - arrive, 1.0) < share
        low = np.where(early, middle, low)
        high = np.where(early, high, middle)
    return (low + high) / 2.0
