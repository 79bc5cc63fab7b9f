"""Recording plots: marker errors, ground forces with bands, torques, centre of pressure and EMG of a recorded walk."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from strut.capture.captured_walk import CapturedWalk
from strut.capture.forces.dynamic_smoothing import continuous_angles
from strut.capture.forces.load_sharing import wrench_cop
from strut.capture.forces.moment_comparison import laboratory_moment
from strut.capture.marker_fit.body_priors import human_geometry
from strut.capture.marker_fit.fit import MarkerFit
from strut.engines.rigid_body import GRAVITY_M_S2
from strut.models.laboratory_names import joint_words
from strut.recording import SIDES
from strut.viewer.plots import INK, LOOK, PALE

OURS = "#3568b8"
PLATE = "#1a1c20"
PLAIN = "#c46a12"
LEG_JOINTS = ("Hip", "Knee", "Ankle")
LABORATORY_SIGN = {"Hip": 1.0, "Knee": -1.0, "Ankle": 1.0}  # laboratories count extension of the knee positive
MUSCLES = (  # how a channel may be called, the joint that the muscle moves, and in which sense of our torque
    (("SOL", "GASTROC", "GAST", "PERON"), "Ankle", 1.0),
    (("TIBIALISANT", "TIB ANT", "TA"), "Ankle", -1.0),
    (("VASTUS", "VMED", "VLAT", "RECT"), "Knee", -1.0),
    (("SEMITEND", "BICEPSFEM", "MED HAM", "LAT HAM", "HAM"), "Knee", 1.0),
    (("GLUTEUSMAX", "GLUT"), "Hip", 1.0),
    (("TENSOR",), "Hip", -1.0),
)


def marker_error_plot(found: MarkerFit) -> Figure:
    """Return the mean distance of each marker, the worst first, and that of all markers over time."""
    means = dict(sorted(found.marker_means_m.items(), key=lambda pair: -pair[1]))

    def draw(axes: Sequence[Any]) -> None:
        spread = [np.nanstd(found.error_m[:, found.marker_names.index(name)]) for name in means]
        axes[0].bar(range(len(means)), 1e3 * np.array([*means.values()]), yerr=1e3 * np.array(spread), color=OURS)
        axes[0].set_xticks(range(len(means)), list(means), rotation=90, fontsize=7)
        axes[0].set_title("distance of each marker, mean and deviation [mm]", loc="left", fontsize=9.0)
        axes[1].plot(found.motion.time_s, 1e3 * np.nanmean(found.error_m, axis=1), color=OURS, linewidth=1.2)
        axes[1].set_title("mean of all markers [mm]", loc="left", fontsize=9.0)
        axes[1].set(xlabel="time [s]", ylim=(0.0, None))

    return _panels(1, 2, draw)


def total_force_plot(walk: CapturedWalk) -> Figure:
    """Return the ground's force on the body per weight: ours with its band, plates, and the centre-of-mass estimate."""
    forces = walk.forces
    weight_n = walk.robot.mass_kg * GRAVITY_M_S2

    def draw(axes: Sequence[Any]) -> None:
        for axis, (place, title) in enumerate(zip(axes, ("forwards", "to the left", "upwards"), strict=True)):
            _banded(place, walk, forces.wrench[:, axis] / weight_n, forces.bands.total_n[:, axis] / weight_n)
            place.plot(walk.motion.time_s, forces.baseline_n[:, axis] / weight_n, color=PLAIN, linewidth=0.9, alpha=0.8)
            if forces.plates is not None:
                place.plot(walk.motion.time_s, forces.plates.total[:, axis] / weight_n, color=PLATE, linewidth=1.4)
            place.set_title(f"{title} [body weights]", loc="left", fontsize=9.0)
            _stances(place, walk, None)

    return _panels(1, 3, draw)


def foot_force_plot(walk: CapturedWalk) -> Figure:
    """Return the force on each foot per weight, with bands and plates."""
    forces = walk.forces
    weight_n = walk.robot.mass_kg * GRAVITY_M_S2

    def draw(axes: Sequence[Any]) -> None:
        for index, place in enumerate(axes):
            foot, axis = divmod(index, 3)
            own = forces.loads.force_n[:, foot, axis]
            band = forces.bands.foot_n[:, foot, axis]
            _banded(place, walk, own / weight_n, band / weight_n)
            if forces.plates is not None:
                measured = forces.plates.wrench[:, foot, axis] / weight_n
                place.plot(walk.motion.time_s, measured, color=PLATE, linewidth=1.4)
            _stances(place, walk, SIDES[foot])
            title = f"{SIDES[foot].lower()} foot, {('forwards', 'to the left', 'upwards')[axis]} [body weights]"
            place.set_title(title, loc="left", fontsize=9.0)

    return _panels(2, 3, draw)


def leg_torque_plot(walk: CapturedWalk) -> Figure:
    """Return sagittal torques of both legs per body mass over time, with bands."""
    names = list(walk.robot.joint_names)
    mass_kg = walk.robot.mass_kg

    def draw(axes: Sequence[Any]) -> None:
        for index, place in enumerate(axes):
            side, joint = divmod(index, 3)
            column = names.index(f"{LEG_JOINTS[joint]}{SIDES[side]}_RY")
            torque = walk.forces.torque_nm[:, column]
            band = walk.forces.bands.torque_nm[:, column]
            _banded(place, walk, torque / mass_kg, band / mass_kg)
            _stances(place, walk, SIDES[side])
            theirs = laboratory_moment(walk.fit, walk.forces, SIDES[side], LEG_JOINTS[joint])
            signed = LABORATORY_SIGN[LEG_JOINTS[joint]] * theirs
            place.plot(walk.motion.time_s, signed, color=PLATE, linewidth=1.2)
            title = f"{SIDES[side].lower()} {LEG_JOINTS[joint].lower()} [N m/kg]"
            place.set_title(title, loc="left", fontsize=9.0)

    return _panels(2, 3, draw)


def angle_time_plot(walk: CapturedWalk) -> Figure:
    """Return the angles of legs, pelvis and trunk over time, as fitted (pale) and as the forces belong to."""
    names = ["Pelvis_RY", "Lumbar_RY", "Head_RY"]
    names += [f"{joint}{side}_RY" for side in SIDES for joint in LEG_JOINTS]
    columns = [human_geometry().dof_names.index(name) for name in names]
    fitted, smooth = (np.degrees(q[:, columns]) for q in (continuous_angles(walk.fit), walk.forces.movement.q))

    def draw(axes: Sequence[Any]) -> None:
        for index, (place, name) in enumerate(zip(axes, names, strict=True)):
            place.plot(walk.motion.time_s, fitted[:, index], color=PALE, linewidth=2.4, alpha=0.5)
            place.plot(walk.motion.time_s, smooth[:, index], color=OURS, linewidth=1.3)
            _stances(place, walk, next((side for side in SIDES if side in name), None))
            told = "" if walk.fit.observed[name] else ", no marker tells it"
            place.set_title(f"{joint_words(name)} [deg]{told}", loc="left", fontsize=9.0)
            place.set_xlabel("time [s]", color=INK)

    return _panels(3, 3, draw)


def footprint_cop_plot(walk: CapturedWalk) -> Figure:
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
                cop = np.where(loaded[:, None], wrench_cop(forces.plates.wrench[:, foot]), np.nan)
                axes[0].plot(*cop.T, color=PLATE, linewidth=1.3)
        axes[0].set_aspect("equal")
        axes[0].set(xlabel="forwards [m]", ylabel="to the left [m]")

    return _panels(1, 1, draw)


def emg_plot(walk: CapturedWalk) -> Figure | None:
    """Return envelopes of muscles over their peaks, with the torque of the joint that they move; None without EMG."""
    if walk.emg is None or not walk.emg.names:
        return None
    emg = walk.emg
    values = walk.emg.normalised()

    def draw(axes: Sequence[Any]) -> None:
        for place in axes[len(emg.names) :]:
            place.set_axis_off()
        for place, name, own in zip(axes, emg.names, values.T, strict=False):
            place.fill_between(emg.time_s, own, color=OURS, alpha=0.35, linewidth=0.0)
            place.set_title(name, loc="left", fontsize=8.0)
            place.set(ylim=(0.0, 1.05), yticks=(0.0, 1.0))
            _torque_of_muscle(place, walk, name)

    return _panels(-(-len(emg.names) // 4), 4, draw)


def _torque_of_muscle(axes: Any, walk: CapturedWalk, name: str) -> None:
    """Draw the torque in whose sense a muscle of the leg works over its peak; nothing for other muscles."""
    side = "Left" if name.upper().startswith(("L ", "L_", "LEFT")) else "Right"
    known = name.upper().removeprefix("L ").removeprefix("R ")
    moved = next(((joint, sign) for words, joint, sign in MUSCLES if known.startswith(words)), None)
    if moved is None:
        return
    joint, sign = moved
    torque = sign * walk.forces.torque_nm[:, walk.robot.joint_names.index(f"{joint}{side}_RY")]
    usual = np.percentile(torque[walk.forces.between_events], 99.0)
    axes.plot(walk.motion.time_s, np.clip(torque / max(usual, 1e-9), 0.0, None), color=PLAIN, linewidth=1.0)
    _stances(axes, walk, side)


def _stances(axes: Any, walk: CapturedWalk, side: str | None) -> None:
    """Draw stances of a foot as grey ground, or of both as lines at landings and toe offs."""
    end_s = float(walk.motion.time_s[-1])
    for one in walk.forces.footprints:
        if side is None and one.seen:
            axes.axvline(one.start_s, color=PALE, linewidth=0.6)
            axes.axvline(one.stop_s, color=PALE, linewidth=0.6, linestyle=":")
        elif one.side == side:
            axes.axvspan(max(one.start_s, 0.0), min(one.stop_s, end_s), color=PALE, alpha=0.12, linewidth=0.0)
    axes.set_xlim(0.0, end_s)


def _banded(axes: Any, walk: CapturedWalk, values: Any, band: Any) -> None:
    time_s = walk.motion.time_s
    axes.fill_between(time_s, values - band, values + band, color=OURS, alpha=0.18, linewidth=0.0)
    axes.plot(time_s, values, color=OURS, linewidth=1.4)
    axes.axhline(0.0, color=PALE, linewidth=0.6)
    axes.set_xlabel("time [s]", color=INK)


def _panels(rows: int, columns: int, draw: Callable[[Sequence[Any]], None]) -> Figure:
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(9.6, 0.6 + (2.0 if columns < 4 else 1.4) * rows), layout="constrained")
        draw([figure.add_subplot(rows, columns, number + 1) for number in range(rows * columns)])
    return figure
