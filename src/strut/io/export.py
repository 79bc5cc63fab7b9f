"""Export: a motion as plain text that other programs read."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from strut.io.atomic import write_atomically
from strut.motion import Motion
from strut.robot import Array

Format = Literal["csv", "json"]
_BASES: dict[int, tuple[str, ...]] = {
    7: ("base_x_m", "base_y_m", "base_z_m", "base_qw", "base_qx", "base_qy", "base_qz"),
    3: ("base_x_m", "base_y_m", "base_yaw_rad"),
    0: (),
}


def export_motion(motion: Motion, path: Path | str, form: Format, *, force: bool = False) -> None:
    """Write a motion as a table (`csv`, one row per sample, units in the header) or as `json` with everything in it."""
    text = _as_csv(motion) if form == "csv" else json.dumps(_as_dict(motion), allow_nan=False)
    write_atomically(Path(path), text.encode(), force=force)


def _as_csv(motion: Motion) -> str:
    columns: list[tuple[str, Any]] = [("time_s", motion.time_s)]
    free = motion.qpos.shape[1] - len(motion.joint_names)
    base = _BASES.get(free, tuple(f"base_{index}" for index in range(free)))
    columns += [(name, motion.qpos[:, index]) for index, name in enumerate(base)]
    columns += [
        (f"{name}_rad", column) for name, column in zip(motion.joint_names, motion.joint_angles_rad.T, strict=True)
    ]
    columns += [
        (f"{name}_contact", column.astype(int))
        for name, column in zip(motion.foot_names, motion.contact.T, strict=True)
    ]
    if motion.torque_nm is not None:
        columns += [(f"{name}_nm", column) for name, column in zip(motion.joint_names, motion.torque_nm.T, strict=True)]
    if motion.ground_force_n is not None:
        for index, foot in enumerate(motion.foot_names):
            columns += [(f"{foot}_f{axis}_n", motion.ground_force_n[:, index, k]) for k, axis in enumerate("xyz")]
    if motion.cop_in_world is not None:
        columns += [(f"cop_{axis}_m", motion.cop_in_world[:, k]) for k, axis in enumerate("xy")]
    if motion.balance_margin_m is not None:
        columns.append(("balance_margin_m", motion.balance_margin_m))
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([name for name, _ in columns])
    writer.writerows(zip(*(np.asarray(column).tolist() for _, column in columns), strict=True))
    return buffer.getvalue()


def _as_dict(motion: Motion) -> dict[str, Any]:
    arrays = ("time_s", "qpos", "contact", "torque_nm", "ground_force_n", "cop_in_world", "balance_margin_m")
    values = {name: getattr(motion, name) for name in arrays}
    return {
        "robot": motion.robot,
        "joint_names": list(motion.joint_names),
        "foot_names": list(motion.foot_names),
        **{name: None if value is None else _finite(value) for name, value in values.items()},
        "receipt": motion.receipt.as_dict() if motion.receipt else None,
        "meta": dict(motion.meta),
    }


def _finite(values: Array | npt.NDArray[np.bool_]) -> Any:
    """Return an array as lists, with null where a margin is minus infinity because no foot carries."""
    known = values.astype(object)
    known[~np.isfinite(values)] = None
    return known.tolist()
