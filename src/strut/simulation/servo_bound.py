"""Servo bound: a balance margin with which servos keep a walk upright, so that its plan needs no simulation."""

from __future__ import annotations

from typing import Any

from strut.robot import Robot
from strut.simulation.controller_choice import robustness_entry


def servo_bound(robot: Robot, balance_margin_mm: float | None) -> dict[str, Any]:
    """Return the entries of a receipt for a walk that keeps the margin of the robot's gait.toml; none for any other.

    benchmarks/bench_servo_bound.py simulates random walks that keep it in the conditions of the entry.
    """
    bound_m = None if robot.tables.gait is None else robot.tables.gait.servo_margin_m
    if bound_m is None or balance_margin_mm is None or balance_margin_mm < bound_m * 1e3:
        return {}
    return {"controller": "servos", "robustness": robustness_entry("balance margin", falls=0)}
