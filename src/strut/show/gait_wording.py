"""Gait wording: gait parameters, criteria and similarity of walks as rows that people read."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from strut.analysis.gait_comparison import GaitComparison
from strut.analysis.gait_cycle import Closing
from strut.analysis.gait_parameters import GaitParameters
from strut.show.wording import NOT_KNOWN


def parameter_rows(parameters: Sequence[GaitParameters]) -> list[list[str]]:
    """Return a row for each quantity, a column for each walk."""
    columns = [_column(one) for one in parameters]
    return [[word, *(column[word] for column in columns)] for word in columns[0]]


def criteria_rows(comparison: GaitComparison) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of the cross-evaluation: criteria down, walks across, the best of several starred."""
    judged = {name: known for name in comparison.names if (known := comparison.judged(name)) is not None}
    rows = []
    for word in next(iter(judged.values()), {}):
        values = [known[word] for known in judged.values()]
        star = min(values) if len(values) > 1 else None
        rows.append([word, *(f"{value:.4g}" + (" *" if value == star else "") for value in values)])
    return ["", *judged], rows


def dissimilarity_rows(comparison: GaitComparison) -> list[list[str]]:
    """Return how far each walk is from each, in both forms of the measure."""
    return [
        [name, *(f"{d.total:.4f} ({d.total_half_time:.4f})" for d in row)]
        for name, row in zip(comparison.names, comparison.apart, strict=True)
    ]


def closing_sentence(name: str, closing: Closing) -> str:
    """Return how the cycle of a walk was found."""
    how = {
        "open": "lies inside the motion",
        "periodic": "joins the motion's end to its start",
        "mirrored": "joins the motion to its mirror image",
    }
    return f"The cycle of {name} {how[closing]}."


def _column(parameters: GaitParameters) -> dict[str, str]:
    torque = max(parameters.largest_torque_nm_kg.items(), key=lambda entry: entry[1], default=None)
    force, shares = parameters.largest_vertical_force, parameters.elevation_shares
    return {
        "step length [m]": _mean(parameters.step_length_m),
        "step duration [s]": _mean(parameters.step_duration_s),
        "speed [m/s]": f"{parameters.speed_m_s:.2f}",
        "steps per minute": NOT_KNOWN if parameters.cadence_per_min is None else f"{parameters.cadence_per_min:.0f}",
        "both feet on the ground": f"{parameters.double_support:.0%}",
        "right knee [deg]": " to ".join(f"{np.degrees(angle):.0f}" for angle in parameters.knee_range_rad),
        "largest torque": NOT_KNOWN if torque is None else f"{torque[1]:.2f} N m/kg ({torque[0]})",
        "largest vertical force": NOT_KNOWN if force is None else f"{force:.2f} body weights",
        "variance off the plane": NOT_KNOWN if shares is None else f"{shares[2]:.1%}",
    }


def _mean(values: tuple[float, ...]) -> str:
    return f"{np.mean(values):.3f}" if values else NOT_KNOWN
