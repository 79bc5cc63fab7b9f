"""Manikin: a self-assessment figure drawn as vectors, for any point of a scale."""

from __future__ import annotations

from math import cos, pi, sin

_HEAD = '<circle cx="50" cy="30" r="20"/>'
_BODY = '<path d="M20 112 L28 60 Q50 50 72 60 L80 112 Z"/>'


def manikin_svg(scale: str, value: float) -> str:
    """Return a picture for a value in [-1, 1] of pleasure, arousal or dominance; hidden from screen readers.

    Pleasure bends the mouth, arousal grows a burst in the chest and opens the eyes, dominance makes the figure big.
    """
    if scale == "pleasure":
        figure = f"{_BODY}{_HEAD}{_eyes(3.0)}{_mouth(value)}"
    elif scale == "arousal":
        figure = f"{_BODY}{_HEAD}{_eyes(1.0 + 2.5 * (value + 1.0))}{_mouth(0.0)}{_burst(value)}"
    else:
        size = 0.68 + 0.32 * value
        move = f"translate({50 * (1 - size):.1f} {112 * (1 - size):.1f}) scale({size:.3f})"
        figure = f'<g transform="{move}">{_BODY}{_HEAD}{_eyes(3.0)}{_mouth(0.15)}</g>'
    return f'<svg class="manikin" viewBox="0 0 100 116" aria-hidden="true" focusable="false">{figure}</svg>'


def _eyes(open_: float) -> str:
    return "".join(f'<ellipse class="ink" cx="{x}" cy="26" rx="3" ry="{open_:.2f}"/>' for x in (42, 58))


def _mouth(value: float) -> str:
    return f'<path class="line" d="M40 {39 - 2 * value:.1f} Q50 {39 + 9 * value:.1f} 60 {39 - 2 * value:.1f}"/>'


def _burst(value: float) -> str:
    """Return a star whose size and number of rays grow from a dot to an explosion."""
    share = (value + 1.0) / 2.0
    outer, inner, rays = 3.0 + 22.0 * share, 2.0 + 8.0 * share, 8 + round(6 * share)
    corners = [
        (radius * sin(pi * k / rays), radius * cos(pi * k / rays))
        for k in range(2 * rays)
        for radius in ((outer if k % 2 == 0 else inner),)
    ]
    points = " ".join(f"{50 + x:.1f},{84 - y:.1f}" for x, y in corners)
    return f'<polygon class="ink" points="{points}"/>'
