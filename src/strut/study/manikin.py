"""Manikin: a self-assessment figure drawn as vectors, for any point of a scale."""

from __future__ import annotations

from math import cos, pi, sin

_BODY = (
    '<path d="M29 58 L19 60 L15 88 L24 89 L28 72"/><path d="M71 58 L81 60 L85 88 L76 89 L72 72"/>'  # arms
    '<path d="M29 90 L29 118 L46 118 L48 98 L52 98 L54 118 L71 118 L71 90"/>'  # legs
    '<path d="M28 58 Q50 51 72 58 L72 96 L28 96 Z"/><rect x="24" y="4" width="52" height="48" rx="15"/>'  # trunk, head
)


def manikin_svg(scale: str, value: float) -> str:
    """Return a picture for a value in [-1, 1] of pleasure, arousal or dominance; hidden from screen readers.

    As on the published sheets, pleasure bends the mouth, arousal grows a burst in the chest and opens the eyes, and
    dominance makes the figure fill its frame.
    """
    if scale == "pleasure":
        figure = f"{_BODY}{_eyes(4.0)}{_brows(value)}{_mouth(value)}"
    elif scale == "arousal":
        figure = f"{_BODY}{_eyes(3.0 * (value + 1.0))}{_mouth(0.0)}{_burst(value)}"
    else:
        size = 0.68 + 0.32 * value
        move = f"translate({50 * (1 - size):.1f} {118 * (1 - size):.1f}) scale({size:.3f})"
        frame = '<rect class="frame" x="13" y="1" width="74" height="118" rx="6"/>'
        figure = f'{frame}<g transform="{move}">{_BODY}{_eyes(4.0)}{_mouth(0.1)}</g>'
    return f'<svg class="manikin" viewBox="11 0 78 120" aria-hidden="true" focusable="false">{figure}</svg>'


def _eyes(height: float) -> str:
    if height < 0.8:  # asleep
        return "".join(f'<path class="line" d="M{x - 5} 24 Q{x} 28 {x + 5} 24"/>' for x in (40, 60))
    return "".join(f'<ellipse class="ink" cx="{x}" cy="24" rx="3.6" ry="{height:.2f}"/>' for x in (40, 60))


def _brows(value: float) -> str:
    """Return brows whose inner ends rise with sorrow, and which arch with joy."""
    sorrow, joy = max(-value, 0.0), max(value, 0.0)
    outer, middle, inner = 15.0 + 2.0 * sorrow - joy, 14.5 - 5.0 * joy, 14.5 - 3.5 * sorrow - joy
    left, right = (
        f"M{50 + 17 * side} {outer:.1f} Q{50 + 11 * side} {middle:.1f} {50 + 5 * side} {inner:.1f}" for side in (-1, 1)
    )
    return f'<path class="line" d="{left} {right}"/>'


def _mouth(value: float) -> str:
    return f'<path class="line" d="M36 {39 - 4 * value:.1f} Q50 {39 + 12 * value:.1f} 64 {39 - 4 * value:.1f}"/>'


def _burst(value: float) -> str:
    """Return a star whose size and number of rays grow from a dot to an explosion."""
    share = (value + 1.0) / 2.0
    outer, inner, rays = 2.5 + 25.0 * share, 2.0 + 9.0 * share, 8 + round(6 * share)
    corners = [
        (radius * sin(pi * k / rays), radius * cos(pi * k / rays))
        for k in range(2 * rays)
        for radius in ((outer if k % 2 == 0 else inner),)
    ]
    points = " ".join(f"{50 + x:.1f},{77 - y:.1f}" for x, y in corners)
    return f'<polygon class="ink" points="{points}"/>'
