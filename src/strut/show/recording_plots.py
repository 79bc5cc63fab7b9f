"""Recording plots: marker errors, ground forces with bands and plates, torques, pressure and EMG of a recorded walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from strut.capture.captured_walk import CapturedWalk
from strut.capture.dynamic_smoothing import GRAVITY_M_S2
from strut.capture.fit import MarkerFit
from strut.capture.footprints import SIDES
from strut.capture.load_sharing import wrench_pressure
from strut.show.plots import INK, LOOK, PALE

OURS, PLATE, PLAIN = "#3568b8", "#1a1c20", "#c46a12"
LEG_JOINTS = ("Hip", "Knee", "Ankle")


def marker_error_plot(found: MarkerFit) -> Figure:
    """Return the mean distance of each marker, the worst first, and that of all markers over time."""
    means = dict(sorted(found.marker_means_m.items(), key=lambda pair: -pair[1]))

    def draw(axes: Sequence[Any]) -> None:
        axes[0].bar(range(len(means)), 1e3 * np.array([*means.values()]), color=OURS)
        axes[0].set_xticks(range(len(means)), list(means), rotation=90, fontsize=7)
        axes[0].set_title("mean distance of each marker [mm]", loc="left", fontsize=9.0)
        axes[1].plot(found.motion.time_s, 1e3 * np.nanmean(found.error_m, axis=1), color=OURS, linewidth=1.2)
        axes[1].set_title("mean of all markers [mm]", loc="left", fontsize=9.0)
        axes[1].set(xlabel="time [s]", ylim=(0.0, None))

    return _panels(1, 2, draw)


def total_force_plot(walk: CapturedWalk) -> Figure:
    """Return the ground's force on the body per weight: ours with its band, plates, and the centre-of-mass estimate."""
    forces, weight_n = walk.forces, walk.robot.mass_kg * GRAVITY_M_S2

    def draw(axes: Sequence[Any]) -> None:
        for axis, (place, title) in enumerate(zip(axes, ("forwards", "to the left", "upwards"), strict=True)):
            _banded(place, walk, forces.wrench[:, axis] / weight_n, forces.bands.total_n[:, axis] / weight_n)
            place.plot(walk.motion.time_s, forces.baseline_n[:, axis] / weight_n, color=PLAIN, linewidth=0.9, alpha=0.8)
            if forces.plates is not None:
                place.plot(walk.motion.time_s, forces.plates.total[:, axis] / weight_n, color=PLATE, linewidth=1.4)
            place.set_title(f"{title} [body weights]", loc="left", fontsize=9.0)

    return _panels(1, 3, draw)


def foot_force_plot(walk: CapturedWalk) -> Figure:
    """Return the force on each foot per weight, with bands and plates."""
    forces, weight_n = walk.forces, walk.robot.mass_kg * GRAVITY_M_S2

    def draw(axes: Sequence[Any]) -> None:
        for index, place in enumerate(axes):
            foot, axis = divmod(index, 3)
            own, band = forces.loads.force_n[:, foot, axis], forces.bands.foot_n[:, foot, axis]
            _banded(place, walk, own / weight_n, band / weight_n)
            if forces.plates is not None:
                measured = forces.plates.wrench[:, foot, axis] / weight_n
                place.plot(walk.motion.time_s, measured, color=PLATE, linewidth=1.4)
            title = f"{SIDES[foot].lower()} foot, {('forwards', 'to the left', 'upwards')[axis]} [body weights]"
            place.set_title(title, loc="left", fontsize=9.0)

    return _panels(2, 3, draw)


def leg_torque_plot(walk: CapturedWalk) -> Figure:
    """Return sagittal torques of both legs per body mass over time, with bands."""
    names, mass_kg = list(walk.robot.joint_names), walk.robot.mass_kg

    def draw(axes: Sequence[Any]) -> None:
        for index, place in enumerate(axes):
            side, joint = divmod(index, 3)
            column = names.index(f"{LEG_JOINTS[joint]}{SIDES[side]}_RY")
            torque, band = walk.forces.torque_nm[:, column], walk.forces.bands.torque_nm[:, column]
            _banded(place, walk, torque / mass_kg, band / mass_kg)
            title = f"{SIDES[side].lower()} {LEG_JOINTS[joint].lower()} [N m/kg]"
            place.set_title(title, loc="left", fontsize=9.0)

    return _panels(2, 3, draw)


def pressure_way_plot(walk: CapturedWalk) -> Figure:
    """Return footprints and the centre of pressure from above, with that of plates."""
    forces = walk.forces

    def draw(axes: Sequence[Any]) -> None:
        for one in forces.footprints:
            ends = one.heel_m + np.array([[0.0], [one.length_m]]) * one.forwards
            axes[0].plot(*ends.T, color=PALE, linewidth=9.0, alpha=0.35, solid_capstyle="round")
        for foot in range(2):
            axes[0].plot(*forces.loads.cop_m[:, foot].T, color=OURS, linewidth=1.3)
            if forces.plates is not None:
                loaded = forces.plates.wrench[:, foot, 2] > 0.05 * walk.robot.mass_kg * GRAVITY_M_S2
                cop = np.where(loaded[:, None], wrench_pressure(forces.plates.wrench[:, foot]), np.nan)
                axes[0].plot(*cop.T, color=PLATE, linewidth=1.3)
        axes[0].set_aspect("equal")
        axes[0].set(xlabel="forwards [m]", ylabel="to the left [m]")

    return _panels(1, 1, draw)


def emg_plot(walk: CapturedWalk) -> Figure | None:
    """Return envelopes of muscles over their peaks; None without EMG."""
    if walk.emg is None or not walk.emg.names:
        return None
    emg, values = walk.emg, walk.emg.normalised()

    def draw(axes: Sequence[Any]) -> None:
        for place, name, own in zip(axes, emg.names, values.T, strict=False):
            place.fill_between(emg.time_s, own, color=OURS, alpha=0.35, linewidth=0.0)
            place.set_title(name, loc="left", fontsize=8.0)
            place.set(ylim=(0.0, 1.05), yticks=(0.0, 1.0))

    return _panels(-(-len(emg.names) // 4), 4, draw)


def _banded(axes: Any, walk: CapturedWalk, values: Any, band: Any) -> None:
    time_s = walk.motion.time_s
    axes.fill_between(time_s, values - band, values + band, color=OURS, alpha=0.18, linewidth=0.0)
    axes.plot(time_s, values, color=OURS, linewidth=1.4)
    axes.axhline(0.0, color=PALE, linewidth=0.6)
    axes.set_xlabel("time [s]", color=INK)


def _panels(rows: int, columns: int, draw: Callable[[Sequence[Any]], None]) -> Figure:
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(9.6, 0.6 + 2.0 * rows), layout="constrained")
        draw([figure.add_subplot(rows, columns, number + 1) for number in range(rows * columns)])
    return figure
