"""Motion: a sampled movement of one robot, with contacts, and with forces where they are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from strut.arrays import Array, frozen_array, frozen_mask
from strut.errors import BadMotionError
from strut.receipt import Receipt
from strut.registry import find

MAX_SPACING_S = 0.05  # wider samples hide joint speeds and contacts
MIN_SPACING_S = 1e-4  # with closer samples, differences are mostly rounding errors
MAX_QPOS = 1e6  # metres or radians


@cache  # reading the metadata of a package takes 3 ms
def _version(name: str) -> str:
    return version(name)


def versions_in_use() -> dict[str, str]:
    """Return the versions of strut and of the packages that determine its motions."""
    return {name: _version(name) for name in ("strut", "mujoco", "numpy", "scipy")}


@dataclass(frozen=True, slots=True, eq=False)
class Motion:
    """A sampled movement of one robot.

    Args:
        robot: The robot's name.
        time_s: Sample times, strictly increasing. Shape (T,).
        qpos: Base (position in world [m] and quaternion wxyz; x, y [m] and yaw [rad] of a platform; or none), then
            joint angles [rad]. Shape (T, nq).
        joint_names: Names of the last columns of `qpos`.
        contact: Which feet are on the ground. Shape (T, n_feet).
        foot_names: Names of the columns of `contact`.
        torque_nm: Joint torques, where known. Shape (T, n_joints).
        ground_force_n: Force of the ground on each foot in world, where known. Shape (T, n_feet, 3).
        cop_in_world: Centre of pressure on the ground [m], where known. Shape (T, 2).
        balance_margin_m: Its signed distance inside the support polygon, where known. Shape (T,).
        receipt: Result of its check, if it has been checked.
        meta: Further entries as JSON holds them: emotion, options, versions, fingerprint of the robot.
    """

    robot: str
    time_s: Array
    qpos: Array
    joint_names: tuple[str, ...]
    contact: npt.NDArray[np.bool_]
    foot_names: tuple[str, ...]
    torque_nm: Array | None = None
    ground_force_n: Array | None = None
    cop_in_world: Array | None = None
    balance_margin_m: Array | None = None
    receipt: Receipt | None = None
    meta: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not np.ndim(self.time_s) or np.ndim(self.qpos) != 2 or not isinstance(self.robot, str):
            raise BadMotionError("A motion needs a robot's name, times of shape (T,) and qpos of shape (T, nq).")
        object.__setattr__(self, "joint_names", tuple(self.joint_names))
        object.__setattr__(self, "foot_names", tuple(self.foot_names))
        object.__setattr__(self, "meta", dict(self.meta))
        if not np.isin(self.contact, (False, True)).all():
            raise BadMotionError("contact has values other than 0 and 1; 1 means that a foot is on the ground.")
        object.__setattr__(self, "contact", frozen_mask(self.contact))
        samples = len(self.time_s)
        feet = len(self.foot_names)
        joints = len(self.joint_names)
        expected = {
            "time_s": (samples,),
            "qpos": (samples, np.shape(self.qpos)[-1]),
            "contact": (samples, feet),
            "torque_nm": (samples, joints),
            "ground_force_n": (samples, feet, 3),
            "cop_in_world": (samples, 2),
            "balance_margin_m": (samples,),
        }
        for name, shape in expected.items():
            values = getattr(self, name)
            if values is None:
                continue
            if np.shape(values) != shape:
                raise BadMotionError(f"{name} has shape {np.shape(values)}; this motion needs {shape}.")
            if name != "contact":
                object.__setattr__(self, name, frozen_array(values))
        self._check_samples(samples, joints)

    def _check_samples(self, samples: int, joints: int) -> None:
        if samples < 2:
            raise BadMotionError(f"A motion needs at least two samples; this one has {samples}.")
        if self.qpos.shape[1] < joints:
            raise BadMotionError(f"qpos has {self.qpos.shape[1]} columns, fewer than the {joints} joints named.")
        for name in ("time_s", "qpos", "torque_nm", "ground_force_n", "cop_in_world"):
            values = getattr(self, name)
            if values is not None and not np.isfinite(values).all():
                first = int(np.argwhere(~np.isfinite(values))[0, 0])
                raise BadMotionError(f"{name} is not finite at sample {first}.")
        if np.abs(self.qpos).max() > MAX_QPOS:
            raise BadMotionError(f"qpos reaches {np.abs(self.qpos).max():.3g}; no coordinate of a robot is that large.")
        if self.balance_margin_m is not None and np.isnan(self.balance_margin_m).any():
            raise BadMotionError("balance_margin_m is not a number somewhere.")
        self._check_time()

    def _check_time(self) -> None:
        if (np.diff(self.time_s) <= 0).any():
            first = int(np.argmax(np.diff(self.time_s) <= 0)) + 1
            raise BadMotionError(f"time_s does not increase at sample {first}.")

    def check_even(self) -> None:
        """Raise BadMotionError if the samples are not evenly spaced in time, or too close or too far apart to check."""
        steps = np.diff(self.time_s)
        mean_s = float(steps.mean())
        rounding_s = 8.0 * float(np.spacing(np.abs(self.time_s).max()))  # clocks may count from 1970
        if np.ptp(steps) > 1e-6 * mean_s + rounding_s:
            raise BadMotionError("The samples of the motion are not evenly spaced in time; resample it first.")
        if not MIN_SPACING_S <= mean_s <= MAX_SPACING_S:
            raise BadMotionError(
                f"The samples of the motion are {mean_s:.3g} s apart; a check needs {MIN_SPACING_S:g} to "
                f"{MAX_SPACING_S:g} s."
            )

    def samples(self, rows: slice | npt.NDArray[np.bool_]) -> Motion:
        """Return some of the samples, without torques, forces, margins and receipt: they belong to the whole motion."""
        return replace(
            self,
            time_s=self.time_s[rows],
            qpos=self.qpos[rows],
            contact=self.contact[rows],
            torque_nm=None,
            ground_force_n=None,
            cop_in_world=None,
            balance_margin_m=None,
            receipt=None,
        )

    def save(self, path: Path | str, *, force: bool = False) -> None:
        """Write a motion file (.npz); raises FileError if it exists, unless `force`."""
        find("strut.methods", "Motion.save")(self, path, force=force)

    def show(self) -> None:
        """Show the motion in the browser until Ctrl-C; in a notebook, return at once."""
        find("strut.methods", "Motion.show")(self)

    def _repr_html_(self) -> str:
        """Return the moving motion with its receipt, as the output of a notebook cell."""
        html: str = find("strut.methods", "Motion._repr_html_")(self)
        return html

    def __repr__(self) -> str:
        emotion = self.receipt.emotion if self.receipt else self.meta.get("emotion")
        name = f"{self.robot} {emotion}" if emotion else self.robot
        verdict = self.receipt.verdict if self.receipt else "not checked"
        return f"<Motion {name}: {self.duration_s:.2f} s, {len(self.time_s)} samples, {verdict}>"

    @property
    def duration_s(self) -> float:
        """Time from the first to the last sample."""
        return float(self.time_s[-1] - self.time_s[0])

    @property
    def joint_angles_rad(self) -> Array:
        """The actuated part of `qpos`. Shape (T, n_joints)."""
        return self.qpos[:, self.qpos.shape[1] - len(self.joint_names) :]
