"""Gait plots: angles, torques, forces, elevation angles and centre of pressure of walks over the gait cycle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure

from strut.arrays import Array
from strut.human.analysis.gait_cycle import GaitCycle, coordinate_names
from strut.human.analysis.leg_figures import covariance_plane, elevation_angles
from strut.human.analysis.reference_bands import BandKind, band_curve
from strut.human.analysis.walk_figures import foot_force, joint_power
from strut.human.anatomy import unsided
from strut.maths.rotation import angles_from_qpos
from strut.models.laboratory_names import PANELS
from strut.robot import Robot
from strut.viewer.plots import LOOK, PALE

COLORS = ("#3568b8", "#c46a12", "#1a8f82", "#b3261e", "#7a4fb5", "#5a6472", "#b0892a", "#2b9ec7")
BAND = "#dfe5ea"  # colour of reference bands: mean of healthy people and a standard deviation to either side
DASHES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.5, 1.2)), (0, (6, 1.5, 1.5, 1.5)))


@dataclass(frozen=True, slots=True, eq=False)
class Walk:
    """A walk to plot: its name, its body and one cycle."""

    name: str
    robot: Robot
    cycle: GaitCycle

    @property
    def right_stance(self) -> float:
        """Share of the cycle at which the right toes leave the ground."""
        motion = self.cycle.motion
        stance = motion.contact[:, motion.foot_names.index("HalluxRight")]
        toe_off = np.flatnonzero(stance[:-1] & ~stance[1:])
        return float(self.cycle.share[toe_off[0] + 1]) if len(toe_off) else 1.0


def angle_plot(walks: Sequence[Walk], part: str) -> Figure:
    """Return the joint angles of a part of the body over the cycle."""

    def angles_deg(walk: Walk) -> Array:
        columns = [coordinate_names(walk.robot).index(panel.coordinate) for panel in PANELS[part]]
        return np.degrees(angles_from_qpos(walk.cycle.motion.qpos)[:, columns]) * _signs(part)

    curves = {walk.name: angles_deg(walk) for walk in walks}
    return _grid(walks, curves, _titles(part), "deg", _bands(walks, part, "angle"))


def torque_plot(walks: Sequence[Walk], part: str) -> Figure | None:
    """Return the joint torques of a part of the body per body mass over the cycle; None if no walk has any."""
    known = {
        walk.name: walk.cycle.motion.torque_nm[:, _joints(walk, part)] / walk.robot.mass_kg * _signs(part)
        for walk in walks
        if walk.cycle.motion.torque_nm is not None
    }
    return _grid(walks, known, _titles(part), "N m/kg", _bands(walks, part, "torque")) if known else None


def power_plot(walks: Sequence[Walk], part: str) -> Figure | None:
    """Return the joint powers of a part of the body per body mass over the cycle; None if no walk has torques."""
    known = {
        walk.name: power[:, _joints(walk, part)] / walk.robot.mass_kg
        for walk in walks
        if (power := joint_power(walk.cycle.motion)) is not None
    }
    return _grid(walks, known, _titles(part), "W/kg", _bands(walks, part, "power")) if known else None


def force_plot(walks: Sequence[Walk]) -> Figure | None:
    """Return the ground's force on the right foot per body weight over the cycle; None if no walk has it."""
    forces = {walk.name: foot_force(walk.robot, walk.cycle.motion) for walk in walks}
    known = {name: force for name, force in forces.items() if force is not None}
    return _grid(walks, known, ("forwards", "inwards", "upwards"), "body weights") if known else None


def elevation_plot(walks: Sequence[Walk]) -> Figure:
    """Return the elevation angles of the right thigh, shank and foot over the cycle."""
    angles = {walk.name: np.degrees(elevation_angles(walk.robot, walk.cycle.motion.qpos, "Right")) for walk in walks}
    return _grid(walks, angles, ("thigh", "shank", "foot"), "deg")


def _bands(walks: Sequence[Walk], part: str, kind: BandKind) -> list[Array | None]:
    """Return the reference band of each panel at the speed of the first walk, if any. Shape (3, n) each."""
    walk = walks[0]
    return [band_curve(walk.robot, walk.cycle.speed_m_s, kind, unsided(panel.coordinate)) for panel in PANELS[part]]


def _titles(part: str) -> list[str]:
    return [panel.title for panel in PANELS[part]]


def _signs(part: str) -> list[float]:
    return [panel.sign for panel in PANELS[part]]


def _joints(walk: Walk, part: str) -> list[int]:
    """Return the columns of the joints of a part of the body."""
    return [walk.robot.joint_names.index(panel.coordinate) for panel in PANELS[part]]


def plane_plot(walks: Sequence[Walk]) -> Figure:
    """Return the loops of the elevation angles of thigh, shank and foot, with their planes of best fit."""
    with mpl.rc_context(LOOK):
        columns = min(3, len(walks))
        rows = -(-len(walks) // columns)
        figure = Figure(figsize=(4.2 * columns, 3.9 * rows), layout="constrained")
        for index, walk in enumerate(walks):
            axes = figure.add_subplot(rows, columns, index + 1, projection="3d")
            _draw_loop(axes, walk, COLORS[index % len(COLORS)])
    return figure


def cop_paths_plot(walks: Sequence[Walk]) -> Figure | None:
    """Return the centre of pressure and the pelvis over one cycle from above; None if no walk has it."""
    known = [walk for walk in walks if walk.cycle.motion.cop_in_world is not None]
    if not known:
        return None
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(9.6, 0.3 + 1.75 * len(known)), layout="constrained")
        for index, walk in enumerate(known):
            axes = figure.add_subplot(len(known), 1, index + 1)
            motion = walk.cycle.motion
            assert motion.cop_in_world is not None
            axes.plot(*motion.qpos[:, :2].T, color=PALE, linewidth=1.0, label="pelvis")
            color = COLORS[walks.index(walk) % len(COLORS)]
            axes.plot(*motion.cop_in_world.T, ".-", color=color, linewidth=1.1, markersize=3.0)
            axes.set(xlabel="forwards [m]", ylabel="to the left [m]")
            axes.set_aspect("equal", adjustable="datalim")
            axes.set_title(walk.name, loc="left", fontsize=9.0)
    return figure


def _draw_loop(axes: Any, walk: Walk, color: str) -> None:
    angles = elevation_angles(walk.robot, walk.cycle.motion.qpos, "Right")
    plane = covariance_plane(angles)
    loop = np.degrees(angles)
    reach = np.degrees((angles - plane.centre_rad) @ plane.axes.T)[:, :2]
    corners = [
        np.degrees(plane.centre_rad) + one * plane.axes[0] + other * plane.axes[1]
        for one in (reach[:, 0].min(), reach[:, 0].max())
        for other in (reach[:, 1].min(), reach[:, 1].max())
    ]
    surface = np.array(corners).reshape(2, 2, 3)
    axes.plot_surface(*np.moveaxis(surface, 2, 0), color=color, alpha=0.15, linewidth=0.0)
    axes.plot(*loop.T, color=color, linewidth=1.6)
    axes.set(xlabel="thigh [deg]", ylabel="shank [deg]", zlabel="foot [deg]")
    shares = " + ".join(f"{100.0 * share:.1f}" for share in plane.shares)
    axes.set_title(f"{walk.name}\n{shares} % of the variance", fontsize=9.0)
    axes.view_init(elev=18.0, azim=-60.0)
    axes.set_box_aspect((1.0, 1.0, 0.9), zoom=0.86)


def _grid(
    walks: Sequence[Walk],
    curves: Mapping[str, Array],
    titles: Sequence[str],
    unit: str,
    bands: Sequence[Array | None] = (),
) -> Figure:
    """Return panels, three in a row, with a line for each walk that has curves, and reference bands behind them.

    Curves have shape (T, n) by name of the walk, for n titles; a band is percent, mean and standard deviation.
    """
    with mpl.rc_context(LOOK):
        rows = -(-len(titles) // 3)
        height_in = 0.4 + 2.05 * rows
        figure = Figure(figsize=(9.6, height_in))
        # constrained layout takes longer than drawing, so the margins are set here
        edges = {"bottom": 0.45 / height_in, "top": 1.0 - 0.62 / height_in, "left": 0.05, "right": 0.985}
        figure.subplots_adjust(**edges, wspace=0.2, hspace=0.55)
        lines = [(walk, _line(number)) for number, walk in enumerate(walks) if walk.name in curves]
        for number, title in enumerate(titles):
            axes = figure.add_subplot(rows, 3, number + 1)
            if number < len(bands) and (band := bands[number]) is not None:
                axes.fill_between(band[0], band[1] - band[2], band[1] + band[2], color=BAND, linewidth=0.0)
            for walk, line in lines:
                axes.plot(100.0 * walk.cycle.share, curves[walk.name][:, number], **line, label=walk.name)
            axes.axhline(0.0, color=PALE, linewidth=0.6)
            for walk, line in lines:
                axes.axvline(100.0 * walk.right_stance, alpha=0.6, **line | {"linewidth": 0.7})
            axes.set_title(f"{title} [{unit}]", loc="left", fontsize=9.0)
            axes.set(xlim=(0.0, 100.0), xlabel="% of the cycle")
        names = figure.axes[0].get_legend_handles_labels()
        figure.legend(*names, loc="upper left", bbox_to_anchor=(0.04, 1.0), ncols=4, frameon=False)
    return figure


def _line(index: int) -> dict[str, Any]:
    return {"color": COLORS[index % len(COLORS)], "linestyle": DASHES[index % len(DASHES)], "linewidth": 1.4}


def known_parts(joints: Sequence[str]) -> Iterator[str]:
    """Yield the parts of the body whose coordinates are all joints, and so have torques."""
    for part, panels in PANELS.items():
        if all(panel.coordinate in joints for panel in panels):
            yield part
