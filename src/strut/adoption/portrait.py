"""Portrait: a robot as it stands, with what was found written on it: feet, limbs, front. As PNG, and as a page."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from strut.adoption.note import Note
from strut.arrays import Array
from strut.engines.rigid_body import foot_contact_points, foot_positions, poses
from strut.motion import Motion
from strut.plumbing.number_text import format_count
from strut.robot import Robot
from strut.viewer.camera import Camera, fitted_camera
from strut.viewer.floor import grid_step_m
from strut.viewer.footage import Footage, footage
from strut.viewer.page import Picture, page
from strut.viewer.render import draw_frame

_SIZE_PX = (1000, 720)
_DOTS = 100
_INK = "#1a1c20"
_FRONT = "#b3261e"
_TITLE_PX = 44
_EDGE_PX = 14
_ASIDE_PX = 26
_GAP_PX = 8  # from words to the edge, to the robot, and to the next words
_HEADINGS = {"fault": "What is wrong in the file", "assumed": "What was assumed", "found": "What was found"}


def portrait_png(robot: Robot) -> bytes:
    """Return a picture of a robot as it stands, with its feet, limbs and front named.

    Names stand left and right of the robot, one under the other, with a line to what they mean.

    Example:
        >>> Path("go2.png").write_bytes(strut.portrait_png(strut.load_robot("go2")))
    """
    figure = Figure(figsize=(_SIZE_PX[0] / _DOTS, _SIZE_PX[1] / _DOTS), dpi=_DOTS)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0, _SIZE_PX[0]), ylim=(_SIZE_PX[1], 0))
    axes.axis("off")
    labels = _labels(robot)
    names = [axes.text(0, 0, words, fontsize=13, color=_INK, va="center") for words, _ in labels]
    extents = [name.get_window_extent(canvas.get_renderer()) for name in names]  # type: ignore[no-untyped-call]
    widths = np.array([extent.width for extent in extents])
    film = footage(_standing(robot), robot, np.array([0]))
    arrow = _front_arrow(robot)
    camera = _camera(film, arrow, float(widths.max(initial=0.0)) + 2 * _EDGE_PX)
    corners = film.corners_in_world()[0]
    size_m = float(np.linalg.norm(np.ptp(corners, axis=0)))
    axes.imshow(draw_frame(film, 0, camera, size_m=size_m, grid_m=grid_step_m(size_m)), aspect="auto")
    anchors = camera.project(np.array([place for _, place in labels]).reshape(-1, 3))[0]
    columns = camera.project(corners)[0][:, 0]
    places = label_places(
        anchors, widths, extents[0].height + _GAP_PX if extents else 0.0, (columns.min(), columns.max())
    )
    for name, anchor, place, width in zip(names, anchors, places, widths, strict=True):
        name.set_position((float(place[0]), float(place[1])))
        end = place[0] + (width + 4.0 if place[0] < anchor[0] else -4.0)
        for color, wide in (("white", 2.6), (_INK, 1.0)):  # on dark bodies and on bright ones
            axes.plot([end, anchor[0]], [place[1], anchor[1]], color=color, linewidth=wide, solid_capstyle="round")
        axes.plot(*anchor, "o", color=_INK, markeredgecolor="white", markersize=5)
    tail, tip = camera.project(np.stack(arrow))[0]
    axes.annotate("", tip, tail, arrowprops={"arrowstyle": "-|>", "color": _FRONT, "linewidth": 2.5})
    axes.text(tip[0] + 6, tip[1] + 6, "front", color=_FRONT, fontsize=13, weight="bold", va="top")
    axes.text(_EDGE_PX, 24, robot.title, fontsize=14, color=_INK, va="center")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_DOTS)
    return buffer.getvalue()


def _camera(film: Footage, arrow: tuple[Array, Array], margin_px: float) -> Camera:
    """Return the camera that sees robot and arrow between two margins and under the title."""
    width_px, height_px = _SIZE_PX
    room_px = (width_px - 2 * round(margin_px), height_px - _TITLE_PX)
    camera = fitted_camera(np.concatenate([film.corners_in_world()[0], np.stack(arrow)]), room_px)
    return replace(camera, middle_px=camera.middle_px + np.array([round(margin_px), _TITLE_PX]), size_px=_SIZE_PX)


def label_places(anchors_px: Array, widths_px: Array, line_px: float, body_px: tuple[float, float]) -> Array:
    """Return where words begin, and the middle of their height, so that none overlaps another or the body.

    Args:
        anchors_px: Columns and rows of what they mean; who is left of the middle is named on the left. Shape (n, 2).
        widths_px: How wide the words are. Shape (n,).
        line_px: How far lines must be apart.
        body_px: The columns between which the robot is.

    Returns:
        Columns and rows. Shape (n, 2).
    """
    width_px, height_px = _SIZE_PX
    places = np.empty((len(anchors_px), 2))
    left = anchors_px[:, 0] < sum(body_px) / 2
    aside = np.where(left, body_px[0] - _ASIDE_PX - widths_px, body_px[1] + _ASIDE_PX)
    places[:, 0] = np.clip(aside, _EDGE_PX, width_px - _EDGE_PX - widths_px)
    for side in (left, ~left):
        order = np.flatnonzero(side)[np.argsort(anchors_px[side, 1], kind="stable")]
        steps = line_px * np.arange(len(order))
        free = np.maximum.accumulate(anchors_px[order, 1] - line_px - steps)  # above what they mean, in its order
        places[order, 1] = np.clip(free, _TITLE_PX + line_px / 2, height_px - _EDGE_PX - line_px * len(order)) + steps
    return places


def portrait_page(robot: Robot, notes: Sequence[Note]) -> bytes:
    """Return a page with the portrait, everything that was told, and the joints with their limits.

    Example:
        >>> adopted = strut.adopt("unitree_go2/go2.xml")
        >>> Path("go2.html").write_bytes(strut.portrait_page(adopted.robot, adopted.notes))
    """
    picture = Picture(
        portrait_png(robot), f"{robot.title} as it stands, with its feet, limbs and front named", _caption(robot)
    )
    told = [
        (heading, [note.sentence for note in notes if note.severity == severity])
        for severity, heading in _HEADINGS.items()
    ]
    rows = [
        (name, f"{np.degrees(low):.0f}° to {np.degrees(high):.0f}°", f"{speed:.1f} rad/s", f"{torque:.1f} N m")
        for name, low, high, speed, torque in zip(
            robot.joint_names,
            robot.joint_lower_rad,
            robot.joint_upper_rad,
            robot.joint_speed_limit_rad_s,
            robot.torque_limit_nm,
            strict=True,
        )
    ]
    return page("adopted.html", title=robot.title, picture=picture, told=[part for part in told if part[1]], rows=rows)


def _caption(robot: Robot) -> str:
    return (
        f"{robot.mass_kg:.1f} kg, {len(robot.joint_names)} joints, feet {', '.join(robot.foot_names)}. "
        "On the ground, green: what its feet enclose; blue: its centre of mass."
    )


def _standing(robot: Robot) -> Motion:
    """Return a motion in which a robot does nothing but stand."""
    qpos = np.tile(robot.standing_qpos, (2, 1))
    contact = np.ones((2, len(robot.feet)), dtype=np.bool_)
    return Motion(robot.name, np.array([0.0, 0.01]), qpos, robot.joint_names, contact, robot.foot_names)


def _labels(robot: Robot) -> list[tuple[str, Array]]:
    """Return words and the place in world that they belong to."""
    qpos = robot.standing_qpos[None]
    kinds = {1: "ball", 2: "line"}
    labels = [
        (f"foot {foot.name} ({kinds.get(len(foot.points), 'sole')})", place)
        for foot, place in zip(robot.feet, foot_positions(robot, qpos)[0], strict=True)
    ]
    for limb in robot.limbs:
        if limb.kind != "leg":
            body = int(robot.model.body(limb.bodies[-1]).id)
            words = f"{limb.name} ({format_count(len(limb.joints), '[joint|joints]')})"
            labels.append((words, poses(robot.model, "body", [body], qpos)[0][0, 0]))
    return labels


def _front_arrow(robot: Robot) -> tuple[Array, Array]:
    """Return where the arrow to the front starts and ends in world: on the floor, before the feet."""
    feet = foot_positions(robot, robot.standing_qpos[None])[0]
    points = foot_contact_points(robot, robot.standing_qpos[None])[0]
    size = float(max(np.ptp(feet[:, 0]), np.ptp(feet[:, 1]), 0.5 * robot.standing_qpos[2]))
    start = np.array([points[..., 0].max() + 0.12 * size, feet[:, 1].mean(), 0.0])
    return start, start + np.array([0.3 * size, 0.0, 0.0])
