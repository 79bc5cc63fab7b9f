"""`strut analyze`: gait parameters of human motions, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from strut.analysis.gait_parameters import GaitParameters, gait_parameters
from strut.cli.screen import print_json, print_table
from strut.library.motion_file import load_motion
from strut.robots.catalogue import robot_of


def analyze(
    motions: Annotated[list[Path], typer.Argument(help="Motion files of human models.")],
    json: Annotated[bool, typer.Option("--json", help="Print the figures as JSON to stdout.")] = False,
) -> None:
    """Measure steps, speed, torques and forces of motions. Example: strut analyze gait.npz."""
    found = {}
    for path in motions:
        motion = load_motion(path)
        found[str(path)] = gait_parameters(robot_of(motion), motion)
    if json:
        print_json({name: parameters.as_dict() for name, parameters in found.items()})
        return
    columns = [_column(parameters) for parameters in found.values()]
    rows = [[word, *(column[word] for column in columns)] for word in columns[0]]
    print_table("gait parameters", ["", *found], rows)


def _column(parameters: GaitParameters) -> dict[str, str]:
    torque = max(parameters.largest_torque_nm_kg.items(), key=lambda entry: entry[1], default=None)
    force, shares = parameters.largest_vertical_force, parameters.elevation_shares
    return {
        "step length [m]": _mean(parameters.step_length_m),
        "step duration [s]": _mean(parameters.step_duration_s),
        "speed [m/s]": f"{parameters.speed_m_s:.2f}",
        "steps per minute": "unknown" if parameters.cadence_per_min is None else f"{parameters.cadence_per_min:.0f}",
        "both feet on the ground": f"{parameters.double_support:.0%}",
        "right knee [deg]": " to ".join(f"{np.degrees(angle):.0f}" for angle in parameters.knee_range_rad),
        "largest torque": "unknown" if torque is None else f"{torque[1]:.2f} N m/kg ({torque[0]})",
        "largest vertical force": "unknown" if force is None else f"{force:.2f} body weights",
        "variance off the plane": "none" if shares is None else f"{shares[2]:.1%}",
    }


def _mean(values: tuple[float, ...]) -> str:
    return f"{np.mean(values):.3f}" if values else "unknown"
