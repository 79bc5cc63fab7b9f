"""Plots: balance, joints, contacts and centre of pressure of a motion over time, as figures and as SVG."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from strut.arrays import Array
from strut.balance.polygon import convex_hull
from strut.balance.support import stands_on_lines, support_margin
from strut.engines.rigid_body import foot_contact_points
from strut.maths.sampling import middle_cycle, runs
from strut.models.laboratory_names import coordinate_label
from strut.motion import Motion
from strut.plumbing.number_text import format_percent
from strut.robot import Robot
from strut.verify.check import planned_margin_m
from strut.viewer.footage import centre_of_mass, footage
from strut.viewer.stick_figure import LEFT, RIGHT

INK = "#1a1c20"
PALE = "#8a919c"
BALANCE = "#1a8f82"
SPEED = "#3568b8"
TORQUE = "#c46a12"
LIMIT = "#b3261e"
MASS = "#2166db"
MAX_POINTS = 700  # of a curve; screens show no more
LOOK: dict[Any, Any] = {
    "svg.fonttype": "none",
    "svg.hashsalt": "strut",
    "font.family": "sans-serif",
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.xmargin": 0.01,
    "axes.edgecolor": PALE,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
}


def figure_svg(figure: Figure) -> bytes:
    """Return a figure as SVG, the same bytes for the same figure."""
    buffer = io.BytesIO()
    with mpl.rc_context(LOOK):
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    return buffer.getvalue()


def balance_plot(motion: Motion, robot: Robot) -> Figure | None:
    """Return the balance margin over time, that of the centre of mass, and the required one; None if unknown."""
    if motion.balance_margin_m is None or not np.isfinite(motion.balance_margin_m).any():
        return None
    margin_m = np.where(np.isfinite(motion.balance_margin_m), motion.balance_margin_m, np.nan)
    on_lines = stands_on_lines(robot, motion.contact)
    static_m = _static_margin_m(motion, robot)
    needed_m = None if on_lines else planned_margin_m(motion)  # a line has no inside

    def draw(axes: Axes) -> None:
        axes.plot(*_thin(motion.time_s, static_m * 1e3, np.fmin), color=MASS, alpha=0.55, linewidth=0.9)
        time_s, lowest_m = _thin(motion.time_s, margin_m, np.fmin)
        axes.plot(time_s, lowest_m * 1e3, color=BALANCE, linewidth=1.2)
        worst = int(np.nanargmin(margin_m))
        axes.plot(motion.time_s[worst], margin_m[worst] * 1e3, "o", color=BALANCE, markersize=4)
        late = worst > len(margin_m) // 2
        worst_mm = margin_m[worst] * 1e3
        axes.annotate(
            f"{abs(worst_mm):.1f} mm beside the line" if on_lines else f"smallest {worst_mm:.1f} mm",
            (motion.time_s[worst], worst_mm),
            xytext=(-5 if late else 5, 6),
            textcoords="offset points",
            ha="right" if late else "left",
            bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.0},
        )
        if needed_m is not None:
            axes.axhline(needed_m * 1e3, color=LIMIT, linewidth=1.0, linestyle="--")
            axes.text(
                motion.time_s[-1], needed_m * 1e3, f"{needed_m * 1e3:g} mm needed", color=LIMIT, ha="right", va="top"
            )
        axes.set(
            xlabel="time [s]",
            ylabel="balance margin [mm]",
            ylim=(1e3 * min(0.0, np.nanmin(lowest_m), np.nanmin(static_m)), None),
        )

    return _make_figure(draw)


def joint_use_plot(motion: Motion, robot: Robot) -> Figure:
    """Return the largest speed use and torque use of any joint over time."""
    speed_rad_s = np.gradient(motion.joint_angles_rad, motion.time_s, axis=0)
    uses = [("speed", SPEED, np.abs(speed_rad_s) / robot.joint_speed_limit_rad_s)]
    if motion.torque_nm is not None:
        uses.append(("torque", TORQUE, np.abs(motion.torque_nm) / robot.torque_limit_nm))

    def draw(axes: Axes) -> None:
        for name, color, use in uses:
            time_s, largest = _thin(motion.time_s, use.max(axis=1), np.fmax)
            busiest = robot.joint_names[int(np.argmax(use.max(axis=0)))]
            label = f"{name}: at most {format_percent(use.max())}, {coordinate_label(busiest)}"
            axes.plot(time_s, largest * 100.0, color=color, linewidth=1.1, label=label)
        axes.axhline(100.0, color=LIMIT, linewidth=1.0, linestyle="--")
        axes.set(xlabel="time [s]", ylabel="use of the limit [%]", ylim=(0.0, None))
        axes.legend(frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, borderaxespad=0.2)

    return _make_figure(draw)


def contact_plot(motion: Motion) -> Figure | None:
    """Return the contacts of the feet over time, one bar per stance; None for a robot without feet."""
    if not motion.foot_names:
        return None

    def draw(axes: Axes) -> None:
        for row, down in enumerate(motion.contact.T):
            ends = [(stance.start, min(stance.stop, len(down) - 1)) for stance in runs(down)]
            bars = [(motion.time_s[a], motion.time_s[b] - motion.time_s[a]) for a, b in ends]
            axes.broken_barh(bars, (row - 0.36, 0.72), facecolor=INK)
        axes.set(xlabel="time [s]", yticks=range(len(motion.foot_names)), yticklabels=motion.foot_names)
        axes.set(xlim=(motion.time_s[0], motion.time_s[-1]), ylim=(len(motion.foot_names) - 0.4, -0.6))

    return _make_figure(draw, height_in=0.75 + 0.28 * len(motion.foot_names))


def cop_plot(motion: Motion, robot: Robot) -> Figure | None:
    """Return the centre of pressure and the support polygons of one cycle from above; None if it is unknown."""
    if motion.cop_in_world is None:
        return None
    first, last = middle_cycle(motion.contact) or (0, len(motion.time_s) - 1)
    samples = np.arange(first, last + 1)
    film = footage(motion, robot, samples)
    polygons = {id(polygon): polygon for polygon in film.polygons if polygon is not None}
    cop = motion.cop_in_world[samples]
    com = film.spots.get("centre of mass")

    def draw(axes: Axes) -> None:
        for polygon in polygons.values():
            closed = np.concatenate([polygon.corners, polygon.corners[:1]])
            axes.fill(*closed.T, color=BALANCE, alpha=0.05, linewidth=0.0)
            axes.plot(*closed.T, color=BALANCE, alpha=0.6, linewidth=0.8, label="support polygons")
        thin = max(1, len(cop) // MAX_POINTS)
        if com is not None:
            axes.plot(*com[::thin].T, color=MASS, linewidth=1.1, label="centre of mass")
        axes.plot(*cop[::thin].T, color=LIMIT, linewidth=1.4, label="centre of pressure")
        axes.set(xlabel="forward [m]", ylabel="left [m]", aspect="equal")
        lines, names = axes.get_legend_handles_labels()
        entries = dict(zip(names, lines, strict=True))  # one for all polygons
        axes.legend(entries.values(), entries, frameon=False, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=3)

    return _make_figure(draw, height_in=3.2)


def footprint_plot(motion: Motion, robot: Robot) -> Figure | None:
    """Return the walk from above: footprints, path of the centre of mass, and the goal if any."""
    if not robot.feet:
        return None
    points = foot_contact_points(robot, motion.qpos)[..., :2]
    foot_of_point = np.array(robot.point_feet)
    com = centre_of_mass(robot, motion.qpos)[:: max(1, len(motion.time_s) // MAX_POINTS), :2]

    def draw(axes: Axes) -> None:
        for foot in range(len(robot.feet)):
            left = points[0, foot_of_point == foot, 1].mean() > com[0, 1]
            for stance in runs(motion.contact[:, foot]):
                corners = points[stance.start, foot_of_point == foot]
                hull = convex_hull(corners)
                if hull is None:
                    axes.plot(*corners.T, "o", color=to_hex(LEFT if left else RIGHT), markersize=3, alpha=0.7)
                else:
                    axes.fill(*hull.corners.T, facecolor="none", edgecolor=to_hex(LEFT if left else RIGHT), alpha=0.7)
        axes.plot(*com.T, color=MASS, linewidth=1.1)
        axes.plot(*com[0], "o", color=INK, markersize=4)
        for place in _places(motion):
            axes.plot(*place[:2], "x", color=LIMIT, markersize=7)
            ahead = 0.06 * np.array([np.cos(place[2]), np.sin(place[2])])
            axes.annotate("", place[:2] + ahead, place[:2], arrowprops={"arrowstyle": "->", "color": LIMIT})
        axes.set(xlabel="forward [m]", ylabel="left [m]", aspect="equal")

    return _make_figure(draw, height_in=3.4)


def _places(motion: Motion) -> Array:
    """Return the way-points and the goal of a motion: x, y and heading. Shape (n, 3)."""
    options = motion.meta.get("options", {})
    try:
        return np.array([*options.get("via", []), options["goal"]], dtype=float).reshape(-1, 3)
    except (AttributeError, KeyError, TypeError, ValueError):  # a walk without a goal, or a file of another program
        return np.empty((0, 3))


def _static_margin_m(motion: Motion, robot: Robot) -> Array:
    """Return the distance of the centre of mass inside the support polygon, NaN without contact. Shape (T,)."""
    contact = motion.contact[:, list(robot.point_feet)]
    points = foot_contact_points(robot, motion.qpos)
    margin_m = support_margin(contact, points, centre_of_mass(robot, motion.qpos)[:, :2])
    return np.where(np.isfinite(margin_m), margin_m, np.nan)


def _thin(time_s: Array, values: Array, keep: Callable[[Array, Array], Array]) -> tuple[Array, Array]:
    """Return at most MAX_POINTS points that keep the peaks. Shape (T,) each; `keep` is np.fmin or np.fmax."""
    step = -(-len(values) // MAX_POINTS)
    starts = np.arange(0, len(values), step)
    return time_s[starts], keep.reduceat(values, starts)  # type: ignore[attr-defined]


def _make_figure(draw: Callable[[Axes], None], *, height_in: float = 2.3) -> Figure:
    """Return a figure in our style with one pair of axes."""
    with mpl.rc_context(LOOK):
        figure = Figure(figsize=(6.4, height_in), layout="constrained")
        draw(figure.add_subplot())
        return figure
