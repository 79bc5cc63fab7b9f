"""Secondary motion: bounce, nods, recoil, anticipation, glances and breath that a style adds to poses and steps.

The principles are those of keyframe animation (Thomas and Johnston, 1981; Lasseter, 1987): a body draws back before it
starts (anticipation), rises and sinks in every step, head and trunk swing on when it stops (follow-through), one side
differs from the other, and a standing body breathes. All sizes are dimensionless: heights are shares of the height h of
the centre of mass, times are multiples of sqrt(h / g), so that they suit bodies of any size. The motion starts and ends
at rest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from scipy.linalg import solve_banded

from strut.arrays import Array
from strut.maths.easing import smooth_step
from strut.robot import Robot
from strut.style import Style

SECONDARY_PARAMETERS = ("bounce", "nod_rad", "recoil", "anticipation", "asymmetry", "breath", "breath_pace")
BOUNCE = 0.008  # amplitude of the vertical motion in a step at bounce 1, of h; that of people is about three times this
NOD_LAG = 0.15  # delay of the head behind the body, in steps
DIP = 0.05  # by which a body sinks at full anticipation, of h
DRAW_BACK_RAD = 0.16  # by which it leans back then
RECOIL_RAD = 0.22  # first swing of head or trunk at full recoil
WHOLE_BODY = 0.3  # share of that if the whole body swings, because neither head nor trunk can
RECOIL_PERIOD = 4.0  # of that swing, in sqrt(h / g)
RECOIL_DAMPING = 0.3  # damping ratio of that swing: two swings are visible
TILT_RAD = 0.12  # roll of the body at full asymmetry
BREATH_PERIOD = 12.5  # in sqrt(h / g): four seconds for a person
BREATH_RISE = 0.012  # amplitude of the vertical motion at full depth, of h
BREATH_RAD = 0.035  # amplitude of the pitch of the trunk at full depth
GLANCE_RAD = 0.7  # yaw of the head with a fully averted gaze
GLANCE_PERIOD = 16.0  # in sqrt(h / g)
GLANCE_HOLD = 1.5  # gain before tanh; higher values hold each side for longer
WALKING_BREATH = 0.3  # share of the depth of breath while the body walks


@dataclass(frozen=True, slots=True, eq=False)
class SecondaryMotion:
    """Differences from the posture of a body. All shapes (T,).

    Args:
        rise: Rise of the centre of mass, as a share of h.
        pitch_rad: Pitch of the whole body; positive lowers its front.
        roll_rad: Roll of the whole body; positive lowers its right side.
        nod_rad: Pitch of the head, else of the trunk; without joints for either it is part of `pitch_rad`.
        glance_rad: Yaw of the head to the left, of a body that averts its gaze.
    """

    rise: Array
    pitch_rad: Array
    roll_rad: Array
    nod_rad: Array
    glance_rad: Array

    def joint_offsets(self, robot: Robot) -> Array:
        """Return the differences of joint angles of trunk and head. Shape (T, n_joints)."""
        table = robot.expression
        groups = (table.breathing_joints, table.nodding_joints, table.glancing_joints)
        bends, nods, turns = (np.array([joints.get(name, 0.0) for name in robot.joint_names]) for joints in groups)
        bent = np.outer(self.pitch_rad, bends - nods)  # the head pitches back, so that the face stays level
        return np.asarray(bent + np.outer(self.nod_rad, nods) + np.outer(self.glance_rad, turns))


@dataclass(frozen=True, slots=True, eq=False)
class Rhythm:
    """The steps of a body over time. All shapes (T,), evenly spaced in time.

    Args:
        time_s: Sample times.
        beat: Number of steps so far.
        walking: Share of the walking speed, from 0 in standing to 1.
        shown: Expressed share of the style; 0 at both ends.
        unit_s: sqrt(h / g) of the body.
    """

    time_s: Array
    beat: Array
    walking: Array
    shown: Array
    unit_s: float


def secondary_motion(robot: Robot, style: Style, rhythm: Rhythm) -> SecondaryMotion:
    """Return the secondary motion of a style; parameters without a mapping to the body have no effect."""
    amounts = _amounts(robot, style)
    stepping = rhythm.walking * _uneven(amounts, rhythm.beat)
    bounce = -BOUNCE * amounts["bounce"] * stepping * np.cos(2.0 * np.pi * rhythm.beat)
    has_face = bool(robot.expression.nodding_joints)
    recoil = amounts["recoil"] * RECOIL_RAD * (1.0 if has_face else WHOLE_BODY)
    nod = stepping * _nod(amounts, rhythm.beat) + recoil * _follow_through(rhythm)
    shallow = 1.0 - (1.0 - WALKING_BREATH) * rhythm.walking
    breath = shallow * _breath(amounts, rhythm.time_s, rhythm.unit_s)
    start_and_stop = _pulse(rhythm.walking) + _pulse(rhythm.walking[::-1])[::-1]  # 1 at the largest anticipation
    draw_back = amounts["anticipation"] * start_and_stop
    pitch = -DRAW_BACK_RAD * draw_back - BREATH_RAD * breath
    return SecondaryMotion(
        rise=rhythm.shown * (bounce + BREATH_RISE * breath - DIP * draw_back),
        pitch_rad=rhythm.shown * (pitch if has_face else pitch + nod),
        roll_rad=rhythm.shown * amounts["asymmetry"] * TILT_RAD,
        nod_rad=rhythm.shown * nod if has_face else np.zeros_like(nod),
        glance_rad=rhythm.shown * _glance(robot, style, rhythm),
    )


def secondary_motion_in_place(robot: Robot, style: Style, time_s: Array, beat: Array, unit_s: float) -> SecondaryMotion:
    """Return the secondary motion of a body that does not walk: breath, and nods to the beat of its gestures."""
    amounts = _amounts(robot, style)
    breath = _breath(amounts, time_s, unit_s)
    nod = style.activity * _uneven(amounts, beat) * _nod(amounts, beat)
    return SecondaryMotion(
        BREATH_RISE * breath, -BREATH_RAD * breath, np.zeros_like(breath), nod, np.zeros_like(breath)
    )


def blend_secondary_motions(motions: Sequence[SecondaryMotion], weights: Array) -> SecondaryMotion:
    """Return the weighted sum of secondary motions. Shape of the weights (T, k)."""

    def mean(name: str) -> Array:
        return np.asarray(np.einsum("tk,kt->t", weights, np.stack([getattr(motion, name) for motion in motions])))

    return SecondaryMotion(*(mean(field.name) for field in fields(SecondaryMotion)))


def joint_offsets_of_style(robot: Robot, style: Style) -> Array:
    """Return the constant differences of joint angles from neutral of a style. Shape (n_joints,)."""
    moved = robot.expression.moved_angles(style)
    return np.array([moved.get(name, 0.0) for name in robot.joint_names])


def _amounts(robot: Robot, style: Style) -> dict[str, float]:
    """Return the secondary parameters of a style; 0 for those without a mapping to the body."""
    mapped = [name for name in SECONDARY_PARAMETERS if robot.expression.mapping(name) is not None]
    return dict.fromkeys(SECONDARY_PARAMETERS, 0.0) | {name: getattr(style, name) for name in mapped}


def _uneven(amounts: Mapping[str, float], beat: Array) -> Array:
    """Return the size of bounce and nod of each step; with asymmetry, every other step is larger. Shape (T,)."""
    return np.asarray(1.0 + amounts["asymmetry"] * np.cos(np.pi * beat))


def _nod(amounts: Mapping[str, float], beat: Array) -> Array:
    return np.asarray(amounts["nod_rad"] * np.cos(2.0 * np.pi * (beat - NOD_LAG)))


def _breath(amounts: Mapping[str, float], time_s: Array, unit_s: float) -> Array:
    """Return the depth of the breath, from -1 to 1. Shape (T,)."""
    phase = 2.0 * np.pi * amounts["breath_pace"] * (time_s - time_s[0]) / (BREATH_PERIOD * unit_s)
    return np.asarray(amounts["breath"] * np.sin(phase))


def _glance(robot: Robot, style: Style, rhythm: Rhythm) -> Array:
    """Return the yaw of a head that looks to either side, in proportion to the averted gaze. Shape (T,)."""
    neutral = robot.expression.neutral_value("gaze")
    scale = neutral or 1.0  # with a neutral gaze of 0, it cannot be averted further
    averted = max(0.0, neutral - style.gaze) / scale if robot.expression.glancing_joints else 0.0
    phase = 2.0 * np.pi * (rhythm.time_s - rhythm.time_s[0]) / (GLANCE_PERIOD * rhythm.unit_s)
    # two incommensurable frequencies, so that it does not repeat; tanh holds it at a side before it changes
    return np.asarray(GLANCE_RAD * averted * np.tanh(GLANCE_HOLD * (np.sin(phase) + 0.6 * np.sin(1.62 * phase))))


def _pulse(walking: Array) -> Array:
    """Return a pulse at the start: it rises before the first step and ends at half the walking speed. Shape (T,)."""
    moving = np.flatnonzero(walking > 0.0)
    if not len(moving):
        return np.zeros_like(walking)
    half = np.flatnonzero(walking >= 0.5)
    start = int(moving[0])
    stop = int(half[0]) if len(half) else int(moving[-1])
    lead = max(1, min(start, stop - start))
    samples = np.arange(len(walking))
    return np.asarray(
        smooth_step((samples - start + lead) / lead) * smooth_step((stop - samples) / max(1, stop - start))
    )


def _follow_through(rhythm: Rhythm) -> Array:
    """Return the swing of a sprung mass on a body that starts (back) and stops (forth), about 1. Shape (T,)."""
    step_s = float(rhythm.time_s[1] - rhythm.time_s[0])
    omega = 2.0 * np.pi / (RECOIL_PERIOD * rhythm.unit_s)
    push = -np.gradient(rhythm.walking, step_s) / omega
    # x'' + 2 d w x' + w² x = w² push, by the bilinear transform: a recursion over three samples, solved as a band
    k = 2.0 / (omega * step_s)
    damping = RECOIL_DAMPING
    poles = np.array([k * k + 2.0 * damping * k + 1.0, 2.0 - 2.0 * k * k, k * k - 2.0 * damping * k + 1.0])
    band = np.broadcast_to(poles[:, None], (3, len(push)))
    return np.asarray(solve_banded((2, 0), band, np.convolve(push, [1.0, 2.0, 1.0])[: len(push)]))
