"""Resample: a motion at another rate, and the frequencies that a slow rate falsifies."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.spatial.transform import Rotation, RotationSpline, Slerp

from strut.arrays import Array
from strut.errors import OutOfRangeError
from strut.expression.body_swing import side_bands_hz
from strut.maths.rotation import continuous_quaternions
from strut.maths.sampling import interpolate_columns
from strut.motion import Motion
from strut.robot import FLOATING, Robot
from strut.style import Style

MAX_RATE_HZ = 10_000.0  # no servo accepts commands faster
MIN_SPLINE_SAMPLES = 4  # a cubic spline has four coefficients


@dataclass(frozen=True, slots=True)
class Alias:
    """A frequency of the motion above half the rate of the samples, and the frequency that appears instead."""

    frequency_hz: float
    alias_hz: float


def resampled(motion: Motion, rate_hz: float) -> Motion:
    """Return the motion at another rate, by splines; ground forces, margins and the receipt are left out.

    Example:
        >>> strut.formats.resampled(strut.load_motion("happy.npz"), 20.0).receipt is None
        True
    """
    if not 0.0 < rate_hz <= MAX_RATE_HZ:
        raise OutOfRangeError(
            f"The rate is {rate_hz:g} samples per second; choose more than 0 and at most {MAX_RATE_HZ:g}."
        )
    samples = math.floor(motion.duration_s * rate_hz + 1e-9) + 1
    if samples < 2:
        raise OutOfRangeError(
            f"At {rate_hz:g} samples per second {motion.duration_s:g} s of motion have no two samples."
        )
    time_s = motion.time_s[0] + np.arange(samples) / rate_hz
    qpos = resample_qpos(time_s, motion.time_s, motion.qpos, len(motion.joint_names))
    after = np.clip(np.searchsorted(motion.time_s, time_s), 1, len(motion.time_s) - 1)
    nearest = after - (time_s - motion.time_s[after - 1] < motion.time_s[after] - time_s)
    torque = motion.torque_nm
    return replace(
        motion,
        time_s=time_s,
        qpos=qpos,
        contact=motion.contact[nearest],
        torque_nm=None if torque is None else interpolate_columns(time_s, motion.time_s, torque),
        ground_force_n=None,
        cop_in_world=None,
        balance_margin_m=None,
        receipt=None,
    )


def resample_qpos(time_s: Array, known_s: Array, qpos: Array, joints: int) -> Array:
    """Return configurations at other times by cubic splines, whose accelerations are continuous.

    Straight lines would turn every sample into a jerk, and the forces that a check computes into noise.

    Args:
        time_s: Shape (M,), between the first and the last known time.
        known_s: Shape (N,).
        qpos: Shape (N, nq).
        joints: Number of joints, the last columns; with seven before them the base floats.

    Returns:
        Configurations of shape (M, nq).
    """
    if len(known_s) < MIN_SPLINE_SAMPLES:
        resampled_qpos = interpolate_columns(time_s, known_s, qpos)
    else:
        resampled_qpos = np.asarray(CubicSpline(known_s, qpos, axis=0)(time_s))
    if qpos.shape[1] - joints == FLOATING:
        rotation = Rotation.from_quat(qpos[:, 3:FLOATING], scalar_first=True)
        spline = RotationSpline(known_s, rotation) if len(known_s) >= MIN_SPLINE_SAMPLES else Slerp(known_s, rotation)
        resampled_qpos[:, 3:FLOATING] = continuous_quaternions(spline(time_s).as_matrix(), qpos[:1, 3:FLOATING])
    return resampled_qpos


def aliases(robot: Robot, motion: Motion, rate_hz: float) -> tuple[Alias, ...]:
    """Return the frequencies of the motion's style that a rate is too slow for; none if it has no style."""
    style = motion.meta.get("style")
    if not isinstance(style, dict):
        return ()
    too_fast_hz = [band_hz for band_hz in side_bands_hz(robot, Style(**style)) if band_hz > rate_hz / 2.0]
    return tuple(Alias(band_hz, abs(band_hz - round(band_hz / rate_hz) * rate_hz)) for band_hz in too_fast_hz)
