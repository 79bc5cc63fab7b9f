"""Swing foot trajectory: cubics in time from lift-off to landing."""

from __future__ import annotations

Motion1D = tuple[float, float, float]  # place, speed, acceleration


def cubic(start: float, start_speed: float, end: float, end_speed: float, duration_s: float, time_s: float) -> Motion1D:
    """Return position, speed and acceleration of the cubic between two positions and speeds; at rest after its end."""
    u = time_s / duration_s
    if u >= 1.0:
        return end, 0.0, 0.0
    v0 = start_speed * duration_s
    v1 = end_speed * duration_s
    rise = end - start
    second = 3.0 * rise - 2.0 * v0 - v1
    third = v0 + v1 - 2.0 * rise
    place = start + u * (v0 + u * (second + u * third))
    speed = (v0 + u * (2.0 * second + 3.0 * u * third)) / duration_s
    return place, speed, (2.0 * second + 6.0 * u * third) / duration_s**2


def swing_height(
    start_m: float, clearance_m: float, end_m: float, end_speed_m_s: float, step_s: float, time_s: float
) -> Motion1D:
    """Return the height of a foot that is highest at mid-step, lands with a speed and keeps it until contact."""
    half = step_s / 2.0
    if time_s < half:
        return cubic(start_m, 0.0, clearance_m, 0.0, half, time_s)
    if time_s < step_s:
        return cubic(clearance_m, 0.0, end_m, end_speed_m_s, half, time_s - half)
    return end_m + end_speed_m_s * (time_s - step_s), end_speed_m_s, 0.0
