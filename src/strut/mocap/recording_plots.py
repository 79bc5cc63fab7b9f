"""Recording plots: marker errors, ground forces with bands, torques, centre of pressure and EMG of a recorded walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from strut.arrays import Array
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.mocap.captured_walk import CapturedWalk
from strut.mocap.forces.dynamic_smoothing import unwrapped_angles
from strut.mocap.forces.load_sharing import cop_of_wrenches
from strut.mocap.forces.moment_comparison import laboratory_moment
from strut.mocap.marker_fit.body_priors import human_geometry
from strut.mocap.marker_fit.fit import MarkerFit
from strut.models.laboratory_names import coordinate_label, laboratory_sign
from strut.recording import SIDES
from strut.viewer.plots import INK, LOOK, PALE

OURS = "#3568b8"
PLATE = "#1a1c20"
PLAIN = "#c46a12"
LEG_JOINTS = ("Hip", "Knee", "Ankle")
LABORATORY_MOMENT_SIGN = -1.0  # Plug-in Gait counts moments of extension and plantarflexion positive
MUSCLES = (  # possible beginnings of a channel's name, joint that the muscle moves, sign of our torque
    (("SOL", "GASTROC", "GAST", "PERON"), "Ankle", 1.0),
    (("TIBIALISANT", "TIB ANT", "TA"), "Ankle", -1.0),
    (("VASTUS", "VMED", "VLAT", "RECT"), "Knee", -1.0),
    (("SEMITEND", "BICEPSFEM", "MED HAM", "LAT HAM", "HAM"), "Knee", 1.0),
    (("GLUTEUSMAX", "GLUT"), "Hip", 1.0),
    (("TENSOR",), "Hip", -1.0),
)


def marker_error_plot(marker_fit: MarkerFit) -> Figure:
    """Return the mean error of each marker, the largest first, and that of all markers over time."""
    means = dict(sorted(marker_fit.marker_means_m.items(), key=lambda pair: -pair[1]))

    def draw(axes: Sequence[Any]) -> None:
        spread = [np.nanstd(marker_fit.error_m[:, marker_fit.marker_names.index(name)]) for name in means]
        axes[0].bar(range(len(means)), 1e3 * np.array([*means.values()]), yerr=1e3 * np.array(spread), color=OURS)
        axes[0].set_xticks(range(len(means)), list(means), rotation=90, fontsize=7)
        axes[0].set_title("error of each marker, mean and standard deviation [mm]", loc="left", fontsize=9.0)
        axes[1].plot(marker_fit.motion.time_s, 1e3 * np.nanmean(marker_fit.error_m, axis=1), color=OURS, linewidth=1.2)
        axes[1].set_title("mean of all markers [mm]", loc="left", fontsize=9.0)
        axes[1].set(xlabel="time [s]", ylim=(0.0, None))

    return _panels(1, 2, draw)


def total_force_plot(walk: CapturedWalk) -> Figure:
    """Return the ground force over body weight: ours with its band, plates, and the centre-of-mass estimate."""
    forces = walk.forces
    weight_n = walk.robot.mass_kg * GRAVITY_M_S2

    def draw(axes: Sequence[Any]) -> None:
        for axis, (panel, title) in enumerate(zip(axes, ("forwards", "to the left", "upwards"), strict=True)):
            _draw_with_band(panel, walk, forces.wrench[:, axis] / weight_n, forces.bands.total_n[:, axis] / weight_n)
            panel.plot(walk.forces.time_s, forces.baseline_n[:, axis] / weight_n, color=PLAIN, linewidth=0.9, alpha=0.8)
            if forces.plates is not None:
                panel.plot(walk.forces.time_s, forces.plates.total[:, axis] / weight_n, color=PLATE, linewidth=1.4)
            panel.set_title(f"{title} [body weights]", loc="left", fontsize=9.0)
            _draw_stances(panel, walk, None)

    return _panels(1, 3, draw)


def foot_force_plot(walk: CapturedWalk) -> Figure:
    """Return the force on each foot over body weight, with bands and plates."""
    forces = walk.forces
    weight_n = walk.robot.mass_kg * GRAVITY_M_S2

    def draw(axes: Sequence[Any]) -> None:
        for index, panel in enumerate(axes):
            foot, axis = divmod(index, 3)
            own = forces.loads.force_n[:, foot, axis]
            band = forces.bands.foot_n[:, foot, axis]
            _draw_with_band(panel, walk, own / weight_n, band / weight_n)
            if forces.plates is not None:
                measured = forces.plates.wrench[:, foot, axis] / weight_n
                panel.plot(walk.forces.time_s, measured, color=PLATE, linewidth=1.4)
            _draw_stances(panel, walk, SIDES[foot])
            title = f"{SIDES[foot].lower()} foot, {('forwards', 'to the left', 'upwards')[axis]} [body weights]"
            panel.set_title(title, loc="left", fontsize=9.0)

    return _panels(2, 3, draw)


def leg_torque_plot(walk: CapturedWalk) -> Figure:
    """Return sagittal torques of both legs per body mass over time, with bands; flexion is positive."""
    names = list(walk.robot.joint_names)
    mass_kg = walk.robot.mass_kg

    def draw(axes: Sequence[Any]) -> None:
        for index, panel in enumerate(axes):
            side, joint = divmod(index, 3)
            coordinate = f"{LEG_JOINTS[joint]}{SIDES[side]}_RY"
            column = names.index(coordinate)
            torque = laboratory_sign(coordinate) * walk.forces.torque_nm[:, column]
            band = walk.forces.bands.torque_nm[:, column]
            _draw_with_band(panel, walk, torque / mass_kg, band / mass_kg)
            _draw_stances(panel, walk, SIDES[side])
            theirs = laboratory_moment(walk.fit, walk.forces, SIDES[side], LEG_JOINTS[joint])
            panel.plot(walk.forces.time_s, LABORATORY_MOMENT_SIGN * theirs, color=PLATE, linewidth=1.2)
            panel.set_title(f"{coordinate_label(coordinate)} [N m/kg]", loc="left", fontsize=9.0)

    return _panels(2, 3, draw)


def angle_time_plot(walk: CapturedWalk) -> Figure:
    """Return the angles of legs, pelvis and trunk over time: fitted (pale), and those that belong to the forces.

    Signs are those of laboratories: flexion and dorsiflexion are positive.
    """
    names = ["Pelvis_RY", "Lumbar_RY", "Head_RY"]
    names += [f"{joint}{side}_RY" for side in SIDES for joint in LEG_JOINTS]
    columns = [human_geometry().dof_names.index(name) for name in names]
    signs = [laboratory_sign(name) for name in names]
    fitted = np.degrees(unwrapped_angles(walk.fit)[:, columns]) * signs
    smooth = np.degrees(walk.forces.movement.q[:, columns]) * signs

    def draw(axes: Sequence[Any]) -> None:
        for index, (panel, name) in enumerate(zip(axes, names, strict=True)):
            panel.plot(walk.forces.time_s, fitted[:, index], color=PALE, linewidth=2.4, alpha=0.5)
            panel.plot(walk.forces.time_s, smooth[:, index], color=OURS, linewidth=1.3)
            _draw_stances(panel, walk, next((side for side in SIDES if side in name), None))
            unobserved = "" if walk.fit.observed[name] else ", no marker determines it"
            panel.set_title(f"{coordinate_label(name)} [deg]{unobserved}", loc="left", fontsize=9.0)
            panel.set_xlabel("time [s]", color=INK)

    return _panels(3, 3, draw)


def footprint_cop_plot(walk: CapturedWalk) -> Figure:
    """Return footprints and the centres of pressure from above, ours and that of plates."""
    forces = walk.forces

    def draw(axes: Sequence[Any]) -> None:
        for footprint in forces.footprints:
            ends = footprint.heel_m + np.array([[0.0], [footprint.length_m]]) * footprint.forward
            axes[0].plot(*ends.T, color=PALE, linewidth=9.0, alpha=0.35, solid_capstyle="round")
        for foot in range(2):
            reported = np.where(forces.reported[:, None], forces.loads.cop_m[:, foot], np.nan)
            axes[0].plot(*reported.T, color=OURS, linewidth=1.3)
            if forces.plates is not None:
                is_loaded = forces.plates.wrench[:, foot, 2] > 0.05 * walk.robot.mass_kg * GRAVITY_M_S2
                cop = np.where(is_loaded[:, None], cop_of_wrenches(forces.plates.wrench[:, foot]), np.nan)
                axes[0].plot(*cop.T, color=PLATE, linewidth=1.3)
        axes[0].set_aspect("equal")
        axes[0].set(xlabel="forwards [m]", ylabel="to the left [m]")

    return _panels(1, 1, draw)


def emg_plot(walk: CapturedWalk) -> Figure | None:
    """Return envelopes of muscles over their peaks, with the torque of the joint they move; None without EMG."""
    if walk.emg is None or not walk.emg.names:
        return None
    emg = walk.emg
    values = walk.emg.normalised()

    def draw(axes: Sequence[Any]) -> None:
        for panel in axes[len(emg.names) :]:
            panel.set_axis_off()
        for panel, name, own in zip(axes, emg.names, values.T, strict=False):
            panel.fill_between(emg.time_s, own, color=OURS, alpha=0.35, linewidth=0.0)
            panel.set_title(name, loc="left", fontsize=8.0)
            panel.set(ylim=(0.0, 1.05), yticks=(0.0, 1.0))
            _draw_torque_of_muscle(panel, walk, name)

    return _panels(-(-len(emg.names) // 4), 4, draw)


def _draw_torque_of_muscle(axes: Any, walk: CapturedWalk, name: str) -> None:
    """Draw the torque in the direction of a leg muscle, over its peak; nothing for other muscles."""
    side = "Left" if name.upper().startswith(("L ", "L_", "LEFT")) else "Right"
    muscle = name.upper().removeprefix("L ").removeprefix("R ")
    matches = [(joint, sign) for beginnings, joint, sign in MUSCLES if muscle.startswith(beginnings)]
    if not matches:
        return
    joint, sign = matches[0]
    torque = sign * walk.forces.torque_nm[:, walk.robot.joint_names.index(f"{joint}{side}_RY")]
    reported = walk.forces.reported
    if reported.any():
        share = np.clip(torque / max(np.percentile(torque[reported], 99.0), 1e-9), 0.0, None)
        axes.plot(walk.forces.time_s, np.where(reported, share, np.nan), color=PLAIN, linewidth=1.0)
    _draw_stances(axes, walk, side)


def _draw_stances(axes: Any, walk: CapturedWalk, side: str | None) -> None:
    """Draw stances of a foot as grey background, or of both feet as lines at heel strikes and toe offs."""
    end_s = float(walk.forces.time_s[-1])
    for footprint in walk.forces.footprints:
        if side is None and footprint.is_complete:
            axes.axvline(footprint.start_s, color=PALE, linewidth=0.6)
            axes.axvline(footprint.stop_s, color=PALE, linewidth=0.6, linestyle=":")
        elif footprint.side == side:
            axes.axvspan(
                max(footprint.start_s, 0.0), min(footprint.stop_s, end_s), color=PALE, alpha=0.12, linewidth=0.0
            )
    axes.set_xlim(0.0, end_s)


def _draw_with_band(axes: Any, walk: CapturedWalk, values: Array, band: Array) -> None:
    """Draw the reported samples of a curve with its band."""
    time_s = walk.forces.time_s
    values = np.where(walk.forces.reported, values, np.nan)
    axes.fill_between(time_s, values - band, values + band, color=OURS, alpha=0.18, linewidth=0.0)
    axes.plot(time_s, values, color=OURS, linewidth=1.4)
    axes.axhline(0.0, color=PALE, linewidth=0.6)
    axes.set_xlabel("time [s]", color=INK)


def _panels(rows: int, columns: int, draw: Callable[[Sequence[Any]], None]) -> Figure:
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(9.6, 0.6 + (2.0 if columns < 4 else 1.4) * rows), layout="constrained")
        draw([figure.add_subplot(rows, columns, number + 1) for number in range(rows * columns)])
    return figure
