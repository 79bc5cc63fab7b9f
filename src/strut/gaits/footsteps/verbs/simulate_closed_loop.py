"""`strut simulate --closed-loop`: the footsteps of a file, planned again after each step."""

from __future__ import annotations

import math

from strut.cli.hooks import OnStep, Simulated, SimulationOptions, Simulator
from strut.gaits.footsteps.goal_walk import simulate_to_goal
from strut.motion import Motion


def simulate(motion: Motion, options: SimulationOptions, on_step: OnStep) -> Simulated:
    """Walk the footsteps of a motion, planned again after each step."""
    arrival = simulate_to_goal(motion, friction=options.friction, mass_scale=options.mass_scale, on_step=on_step)
    degrees = math.degrees(arrival.heading_error_rad)
    lines = [
        f"{'fell' if arrival.fell else 'arrived'} after {arrival.duration_s:.1f} s and {arrival.steps} of the file's "
        "steps, planned anew after each",
        f"  {arrival.goal_error_m * 1e3:.1f} mm and {degrees:.2f} degrees from the goal",
        f"  a foot landed at most {arrival.foot_error_m * 1e3:.1f} mm from where it should",
    ]
    return Simulated(arrival.motion, arrival.fell, arrival.as_dict(), lines)


SIMULATOR = Simulator(
    fits=lambda _motion, options: options.is_closed_loop, check=lambda _context, _motion: None, simulate=simulate
)
