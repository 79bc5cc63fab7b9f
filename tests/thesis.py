"""The thesis of Mr. Pete, transcribed formula by formula, with its misprints as options.

Hainsworth (2017), sections 2 to 4. Written without looking at the speed of anything, so that it can serve as an oracle
for the code that is fast: one leg at a time, plain matrices, angles as the formulas have them.
"""

from __future__ import annotations

import math
import tomllib
from pathlib import Path

import numpy as np

NUMBERS = tomllib.loads((Path(__file__).parent / "data" / "mrpete.toml").read_text("utf-8"))
EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")
SWING_START = {"RH": 0.0, "RF": 0.25, "LH": 0.5, "LF": 0.75}  # printed order, duty factor 3/4
ALPHA = np.array([1, 1, -1, 1, -1, 1, 0]) * math.pi / 2


def dh_chain(joints, d3, d5):
    """Return the transforms 0T1 ... 0T7 of standard Denavit-Hartenberg rows."""
    chain = np.eye(4)
    transforms = []
    for theta, alpha, d in zip(joints, ALPHA, (0, 0, d3, 0, d5, 0, 0), strict=True):
        ct = math.cos(theta)
        st = math.sin(theta)
        ca = math.cos(alpha)
        sa = math.sin(alpha)
        row = np.array([[ct, -st * ca, st * sa, 0], [st, ct * ca, -ct * sa, 0], [0, sa, ca, d], [0, 0, 0, 1]])
        chain = chain @ row
        transforms.append(chain)
    return transforms


def rodrigues(vector, axis, angle):
    """Return a vector turned by an angle about a unit axis: the finite rotation formula."""
    along = axis * (axis @ vector) * (1 - math.cos(angle))
    return along + vector * math.cos(angle) + np.cross(axis, vector) * math.sin(angle)


def inverse_turn(before, after, axis, *, denominator=True):
    """Return the angle of a finite rotation; appendix A forgets the denominator of the sine (E3)."""
    cosine = (before @ after - (before @ axis) ** 2) / (before @ before - (before @ axis) ** 2)
    sine = np.cross(axis, before) @ after
    if denominator:
        sine /= np.linalg.norm(np.cross(axis, before)) ** 2
    return math.atan2(sine, cosine)


def printed_theta4(r, d3, d5):
    """Return theta 4 as printed (E1): root over the numerator alone, wrong denominator, no factor 2."""
    return math.atan(math.sqrt((d3 + d5) ** 2 - r**2) / (r**2 - (d3 + d5) ** 2))


def right_theta4(r, d3, d5):
    """Return theta 4 for a positive knee sign."""
    return 2 * math.atan(math.sqrt(((d3 + d5) ** 2 - r**2) / (r**2 - (d3 - d5) ** 2)))


def leg_joints(
    ankle, rotation, knee_rad, sign, d3, d5, *, theta4=right_theta4, elbow_axis=False, denominator=True, thresholds=None
):
    """Return the seven joints of section 2; the keyword options switch the printed mistakes on.

    thresholds: the listing's (hip, knee, ankle) singularity thresholds in rad; None guards nothing.
    """
    hip_near, knee_near, ankle_near = thresholds or (0.0, 0.0, 0.0)
    r = np.linalg.norm(ankle)
    t4 = sign * theta4(r, d3, d5)
    t1 = math.atan2(ankle[1], ankle[0])
    t2 = math.atan2(ankle[2], math.hypot(ankle[0], ankle[1])) - math.atan2(d5 * math.sin(t4), d3 + d5 * math.cos(t4))
    t2 += math.pi / 2
    knee = d3 * np.array([math.cos(t1) * math.sin(t2), math.sin(t1) * math.sin(t2), -math.cos(t2)])
    knee = rodrigues(knee, knee / d3 if elbow_axis else np.asarray(ankle) / r, knee_rad)
    t1 = math.atan2(knee[1], knee[0])
    t2 = math.atan2(math.hypot(knee[0], knee[1]), -knee[2])
    if min(t2, math.pi - t2) < hip_near:
        t1 = 0.0
    before = dh_chain([t1, t2, 0.0, t4, 0, 0, 0], d3, d5)
    if abs(t4) < knee_near:
        t3 = 0.0
    else:
        t3 = inverse_turn(before[-1][:3, 3] - knee, ankle - knee, knee / np.linalg.norm(knee), denominator=denominator)
    w = dh_chain([t1, t2, t3, t4, 0, 0, 0], d3, d5)[3][:3, :3].T @ rotation
    t5 = math.atan2(w[1, 2], w[0, 2])
    t6 = math.atan2(w[0, 2] * math.cos(t5) + w[1, 2] * math.sin(t5), w[2, 2])
    t7 = math.atan2(-w[0, 0] * math.sin(t5) + w[1, 0] * math.cos(t5), -w[0, 1] * math.sin(t5) + w[1, 1] * math.cos(t5))
    if abs(t6) < ankle_near:
        t5 = math.atan2(w[1, 0], w[0, 0])
        t7 = 0.0
    return np.array([t1, t2, t3, t4, t5, t6, t7])


def stroke(phase, leg, *, length, height, swing_start=SWING_START):
    """Return how far along the ground and how high a foot is from its place in the pose. Shape (T,) each."""
    since = (np.asarray(phase) - swing_start[leg]) % 1.0
    swinging = since < 0.25
    a = np.where(swinging, since / 0.25, (since - 0.25) / 0.75)
    return length * np.where(swinging, a - 0.5, 0.5 - a), np.where(swinging, height * np.sin(np.pi * a), 0.0)


def down(phase, leg, swing_start=SWING_START):
    """Return whether a foot is on the ground. Shape (T,)."""
    return (np.asarray(phase) - swing_start[leg]) % 1.0 >= 0.25
