"""Features: how jerky, how active and how direct in its gaze a feeling makes a body (Claret et al., 2017).

Displeasure is jerky, arousal is active, dominance looks people in the eye. The map is linear and invertible.
"""

from __future__ import annotations

from strut.emotion import Emotion, checked_intensity
from strut.style import Style


def expressive_style(emotion: Emotion, intensity: float = 1.0) -> Style:
    """Return the style of a feeling; an intensity above 1 stops at the ends of the scale."""
    strength = checked_intensity(intensity)
    pleasure, arousal, dominance = (min(max(strength * axis, -1.0), 1.0) for axis in emotion.pad)
    return Style(
        jerkiness=(1.0 - pleasure) / 2.0,
        activity=(1.0 + arousal) / 2.0,
        gaze=(1.0 + dominance) / 2.0,
    )


def emotion_of(style: Style) -> Emotion:
    """Return the feeling that has this jerkiness, activity and gaze."""
    return Emotion(1.0 - 2.0 * style.jerkiness, 2.0 * style.activity - 1.0, 2.0 * style.gaze - 1.0)
