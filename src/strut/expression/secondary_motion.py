"""Secondary motion: bounce, nods, recoil, anticipation and breath that a style adds to a body's poses and steps.

The principles are those of drawn animation (Thomas and Johnston, 1981; Lasseter, 1987): a body draws back before it
starts (anticipation), rises and sinks in every step, head and trunk swing on when it stops (follow-through), one
side differs from the other, and who stands still breathes. Everything is dimensionless: heights are shares of the
height of the centre of mass h, times are in sqrt(h / g), so that bodies of all sizes live alike. Everything starts and
ends at rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.linalg import solve_banded

from strut.arrays import Array
from strut.maths.easing import smooth_step
from strut.robot import Robot
from strut.style import Style

SECONDARY_WORDS = ("bounce", "nod_rad", "recoil", "anticipation", "asymmetry", "breath", "breath_pace")
BOUNCE = 0.008  # of h: half of what a body rises and sinks in a step at bounce 1; people do about three times that
NOD_LAG = 0.15  # of a step: a head follows the body that carries it
DIP = 0.05
DRAW_BACK_RAD = 0.16  # what a body sinks, of h, and leans back at full anticipation
RECOIL_RAD = 0.22  # first swing at full recoil
WHOLE_BODY = 0.3  # of that where neither head nor trunk swings, but the whole body
RECOIL_PERIOD = 4.0
RECOIL_DAMPING = 0.3  # of that swing, in sqrt(h / g), and its damping ratio: two swings are seen
TILT_RAD = 0.12  # roll of the body at full asymmetry
BREATH_PERIOD = 12.5  # in sqrt(h / g): four seconds for a person
BREATH_RISE = 0.012
BREATH_RAD = 0.035  # of h, and pitch of the trunk, half of it each way, at full depth
GLANCE_RAD = 0.7
GLANCE_PERIOD = 16.0
GLANCE_HOLD = 1.5  # a fully averted gaze; in sqrt(h / g); how long it stays
WALKING_BREATH = 0.3  # share of its depth that is left while the body walks


@dataclass(frozen=True, slots=True, eq=False)
class SecondaryMotion:
    """What is added to a body's posture. All shapes (T,).

    Args:
        rise: Of its centre of mass, as a share of h.
        pitch_rad: Of the whole body; positive lowers its front.
        roll_rad: Of the whole body; positive lowers its right side.
        nod_rad: Of what carries the face: head, else trunk, else it is in `pitch_rad` already.
        glance_rad: Of the head to the left: who averts the gaze looks about.
    """

    rise: Array
    pitch_rad: Array
    roll_rad: Array
    nod_rad: Array
    glance_rad: Array

    def joint_offsets(self, robot: Robot) -> Array:
        """Return what pitch, nods and glances do to trunk and head. Shape (T, n_joints)."""
        table = robot.expression
        moved = (table.breathing_joints, table.nodding_joints, table.glancing_joints)
        bends, nods, turns = (np.array([joints.get(name, 0.0) for name in robot.joint_names]) for joints in moved)
        kept = np.outer(self.pitch_rad, bends - nods)  # who bends keeps looking ahead
        return np.asarray(kept + np.outer(self.nod_rad, nods) + np.outer(self.glance_rad, turns))


@dataclass(frozen=True, slots=True, eq=False)
class Rhythm:
    """When a body steps. All shapes (T,), evenly spaced in time.

    Args:
        time_s: Samples.
        beat: Steps done.
        walking: How much it walks: 0 standing, 1 at its speed.
        shown: How much of its style it shows; 0 at both ends.
        unit_s: sqrt(h / g) of the body.
    """

    time_s: Array
    beat: Array
    walking: Array
    shown: Array
    unit_s: float


def secondary_motion(robot: Robot, style: Style, rhythm: Rhythm) -> SecondaryMotion:
    """Return what a style adds to the posture of a body; nothing for words that the body has no part for."""
    much = _word_values(robot, style)
    stepping = rhythm.walking * _uneven(much, rhythm.beat)
    bounce = -BOUNCE * much["bounce"] * stepping * np.cos(2.0 * np.pi * rhythm.beat)
    face = bool(robot.expression.nodding_joints)
    recoil = much["recoil"] * RECOIL_RAD * (1.0 if face else WHOLE_BODY)
    nod = stepping * _nod(much, rhythm.beat) + recoil * _swing_on(rhythm)
    shallow = 1.0 - (1.0 - WALKING_BREATH) * rhythm.walking
    breath = shallow * _breath(much, rhythm.time_s, rhythm.unit_s)
    draw_back = much["anticipation"] * _draw_back(rhythm)
    pitch = -DRAW_BACK_RAD * draw_back - BREATH_RAD * breath
    return SecondaryMotion(
        rise=rhythm.shown * (bounce + BREATH_RISE * breath - DIP * draw_back),
        pitch_rad=rhythm.shown * (pitch if face else pitch + nod),
        roll_rad=rhythm.shown * much["asymmetry"] * TILT_RAD,
        nod_rad=rhythm.shown * nod if face else np.zeros_like(nod),
        glance_rad=rhythm.shown * _glance(robot, style, rhythm),
    )


def secondary_motion_in_place(robot: Robot, style: Style, time_s: Array, beat: Array, unit_s: float) -> SecondaryMotion:
    """Return what a style adds to a body that does not walk: breath, and nods to the beat of its gestures. (T,)."""
    much = _word_values(robot, style)
    breath = _breath(much, time_s, unit_s)
    nod = style.activity * _uneven(much, beat) * _nod(much, beat)
    return SecondaryMotion(
        BREATH_RISE * breath, -BREATH_RAD * breath, np.zeros_like(breath), nod, np.zeros_like(breath)
    )


def held_by_words(robot: Robot, style: Style) -> Array:
    """Return by how much the words of a style move joints from where they are in neutral. Shape (n_joints,)."""
    moved = robot.expression.moved_angles(style)
    return np.array([moved.get(name, 0.0) for name in robot.joint_names])


def _word_values(robot: Robot, style: Style) -> dict[str, float]:
    """Return the words of the layer, 0 where the body has no part for one."""
    return {
        word: getattr(style, word) if robot.expression.mapping(word) is not None else 0.0 for word in SECONDARY_WORDS
    }


def _uneven(much: Mapping[str, float], beat: Array) -> Array:
    """Return how large bounce and nod of each step are: with asymmetry those of every other one are. Shape (T,)."""
    return np.asarray(1.0 + much["asymmetry"] * np.cos(np.pi * beat))


def _nod(much: Mapping[str, float], beat: Array) -> Array:
    return np.asarray(much["nod_rad"] * np.cos(2.0 * np.pi * (beat - NOD_LAG)))


def _breath(much: Mapping[str, float], time_s: Array, unit_s: float) -> Array:
    """Return the depth of the breath, from -1 to 1. Shape (T,)."""
    phase = 2.0 * np.pi * much["breath_pace"] * (time_s - time_s[0]) / (BREATH_PERIOD * unit_s)
    return np.asarray(much["breath"] * np.sin(phase))


def _glance(robot: Robot, style: Style, rhythm: Rhythm) -> Array:
    """Return how a head looks to one side and the other, the farther the more the gaze is averted. Shape (T,)."""
    neutral = robot.expression.neutral_value("gaze")
    looking = neutral or 1.0  # who averts it without a feeling cannot avert it more
    averted = max(0.0, neutral - style.gaze) / looking if robot.expression.glancing_joints else 0.0
    phase = 2.0 * np.pi * (rhythm.time_s - rhythm.time_s[0]) / (GLANCE_PERIOD * rhythm.unit_s)
    # two tones that never meet again; the bend of tanh makes it stay at a side and then go over
    return np.asarray(GLANCE_RAD * averted * np.tanh(GLANCE_HOLD * (np.sin(phase) + 0.6 * np.sin(1.62 * phase))))


def _draw_back(rhythm: Rhythm) -> Array:
    """Return 1 at the height of drawing back, before the start and at the stop, and 0 elsewhere. Shape (T,)."""
    return _pulse(rhythm.walking) + _pulse(rhythm.walking[::-1])[::-1]


def _pulse(walking: Array) -> Array:
    """Return a pulse where a body sets off: it rises before the first step and is gone at half its speed. (T,)."""
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


def _swing_on(rhythm: Rhythm) -> Array:
    """Return how a sprung mass swings when the body that carries it starts (back) and stops (forth): about 1. (T,)."""
    step_s = float(rhythm.time_s[1] - rhythm.time_s[0])
    omega = 2.0 * np.pi / (RECOIL_PERIOD * rhythm.unit_s)
    push = -np.gradient(rhythm.walking, step_s) / omega
    # x'' + 2 d w x' + w² x = w² push, by the bilinear transform: a recursion over three samples, solved as a band
    k = 2.0 / (omega * step_s)
    damping = RECOIL_DAMPING
    poles = np.array([k * k + 2.0 * damping * k + 1.0, 2.0 - 2.0 * k * k, k * k - 2.0 * damping * k + 1.0])
    band = np.broadcast_to(poles[:, None], (3, len(push)))
    return np.asarray(solve_banded((2, 0), band, np.convolve(push, [1.0, 2.0, 1.0])[: len(push)]))
