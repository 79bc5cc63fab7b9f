"""Portrait: an imported robot in its standing posture with labels for feet, limbs and front, as PNG and as a page."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from strut.adoption.note import Note, Severity, sentences_of
from strut.arrays import Array
from strut.engines.rigid_body import foot_contact_points, foot_positions, poses
from strut.motion import Motion
from strut.plumbing.number_text import format_count
from strut.robot import Robot
from strut.viewer.camera import Camera, fitted_camera
from strut.viewer.floor import floor_area
from strut.viewer.footage import Footage, footage
from strut.viewer.page import Picture, page
from strut.viewer.render import draw_frame

SIZE_PX = (1000, 720)
EDGE_PX = 14  # between a label and the edge of the picture
_DPI = 100
_INK = "#1a1c20"
_FRONT_COLOR = "#b3261e"
_TITLE_PX = 44  # height of the title
_ASIDE_PX = 26  # between a label and the robot
_LINE_GAP_PX = 8  # between two labels
_HEADINGS = {
    Severity.FAULT: "What is wrong in the file",
    Severity.ASSUMED: "What was assumed",
    Severity.FOUND: "What was found",
}
_FOOT_KINDS = {1: "ball", 2: "line"}  # by number of contact points; others are soles


def portrait_png(robot: Robot) -> bytes:
    """Return a picture of a robot in its standing posture with labels for feet, limbs and front.

    Labels are on the left and right of the robot, each with a line to what it names.

    Example:
        >>> Path("go2.png").write_bytes(strut.adoption.portrait_png(strut.load_robot("go2")))
    """
    figure = Figure(figsize=(SIZE_PX[0] / _DPI, SIZE_PX[1] / _DPI), dpi=_DPI)
    canvas = FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0, SIZE_PX[0]), ylim=(SIZE_PX[1], 0))
    axes.axis("off")
    labels = _find_labels(robot)
    texts = [axes.text(0, 0, text, fontsize=13, color=_INK, va="center") for text, _ in labels]
    extents = [text.get_window_extent(canvas.get_renderer()) for text in texts]  # type: ignore[no-untyped-call]
    widths = np.array([extent.width for extent in extents])
    line_px = extents[0].height + _LINE_GAP_PX if extents else 0.0
    film = footage(_standing_motion(robot), robot, np.array([0]))
    arrow = _front_arrow(robot)
    camera = _place_camera(film, arrow, float(widths.max(initial=0.0)) + 2 * EDGE_PX)
    corners = film.corners_in_world()[0]
    size_m = float(np.linalg.norm(np.ptp(corners, axis=0)))
    axes.imshow(draw_frame(film, 0, camera, size_m=size_m, ground=floor_area(corners)), aspect="auto")
    anchors = camera.project(np.array([position for _, position in labels]).reshape(-1, 3))[0]
    columns = camera.project(corners)[0][:, 0]
    positions = place_labels(anchors, widths, line_px, (columns.min(), columns.max()))
    for text, anchor, position, width in zip(texts, anchors, positions, widths, strict=True):
        text.set_position((float(position[0]), float(position[1])))
        line_start = position[0] + (width + 4.0 if position[0] < anchor[0] else -4.0)
        for color, line_width in (("white", 2.6), (_INK, 1.0)):  # visible on dark and on bright bodies
            axes.plot(
                [line_start, anchor[0]],
                [position[1], anchor[1]],
                color=color,
                linewidth=line_width,
                solid_capstyle="round",
            )
        axes.plot(*anchor, "o", color=_INK, markeredgecolor="white", markersize=5)
    tail, tip = camera.project(np.stack(arrow))[0]
    axes.annotate("", tip, tail, arrowprops={"arrowstyle": "-|>", "color": _FRONT_COLOR, "linewidth": 2.5})
    axes.text(tip[0] + 6, tip[1] + 6, "front", color=_FRONT_COLOR, fontsize=13, weight="bold", va="top")
    axes.text(EDGE_PX, 24, robot.title, fontsize=14, color=_INK, va="center")
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_DPI)
    return buffer.getvalue()


def portrait_page(robot: Robot, notes: Sequence[Note]) -> bytes:
    """Return a page with the portrait, the notes of the import, and the joints with their limits.

    Example:
        >>> adopted = strut.adopt("unitree_go2/go2.xml")
        >>> Path("go2.html").write_bytes(strut.adoption.portrait_page(adopted.robot, adopted.notes))
    """
    caption = (
        f"{robot.mass_kg:.1f} kg, {len(robot.joint_names)} joints, feet {', '.join(robot.foot_names)}. "
        "On the ground, green: the support polygon; blue: the centre of mass."
    )
    alt = f"{robot.title} in its standing posture, with labels for feet, limbs and front"
    picture = Picture(portrait_png(robot), alt, caption)
    sections = [(heading, sentences_of(notes, severity)) for severity, heading in _HEADINGS.items()]
    rows = [
        (name, f"{np.degrees(lower):.0f}° to {np.degrees(upper):.0f}°", f"{speed:.1f} rad/s", f"{torque:.1f} N m")
        for name, lower, upper, speed, torque in zip(
            robot.joint_names,
            robot.joint_lower_rad,
            robot.joint_upper_rad,
            robot.joint_speed_limit_rad_s,
            robot.torque_limit_nm,
            strict=True,
        )
    ]
    sections = [(heading, sentences) for heading, sentences in sections if sentences]
    return page("adopted.html", title=robot.title, picture=picture, sections=sections, rows=rows)


def place_labels(anchors_px: Array, widths_px: Array, line_px: float, body_px: tuple[float, float]) -> Array:
    """Return where labels start, and the middle of their height, so that none overlaps another or the body.

    Args:
        anchors_px: Columns and rows of what they name; left of the middle, the label is on the left. Shape (n, 2).
        widths_px: Widths of the labels. Shape (n,).
        line_px: Distance between two lines.
        body_px: First and last column of the robot.

    Returns:
        Columns and rows. Shape (n, 2).
    """
    width_px, height_px = SIZE_PX
    positions = np.empty((len(anchors_px), 2))
    is_left = anchors_px[:, 0] < sum(body_px) / 2
    aside = np.where(is_left, body_px[0] - _ASIDE_PX - widths_px, body_px[1] + _ASIDE_PX)
    positions[:, 0] = np.clip(aside, EDGE_PX, width_px - EDGE_PX - widths_px)
    for side in (is_left, ~is_left):
        order = np.flatnonzero(side)[np.argsort(anchors_px[side, 1], kind="stable")]
        steps = line_px * np.arange(len(order))
        above_anchors = np.maximum.accumulate(anchors_px[order, 1] - line_px - steps)  # in the order of the anchors
        first = _TITLE_PX + line_px / 2
        last = height_px - EDGE_PX - line_px * len(order)
        positions[order, 1] = np.clip(above_anchors, first, last) + steps
    return positions


def _place_camera(film: Footage, arrow: tuple[Array, Array], margin_px: float) -> Camera:
    """Return the camera that shows robot and arrow between two margins and under the title."""
    width_px, height_px = SIZE_PX
    free_px = (width_px - 2 * round(margin_px), height_px - _TITLE_PX)
    camera = fitted_camera(np.concatenate([film.corners_in_world()[0], np.stack(arrow)]), free_px)
    return replace(camera, middle_px=camera.middle_px + np.array([round(margin_px), _TITLE_PX]), size_px=SIZE_PX)


def _standing_motion(robot: Robot) -> Motion:
    """Return a motion of two samples in which a robot stands."""
    qpos = np.tile(robot.standing_qpos, (2, 1))
    contact = np.ones((2, len(robot.feet)), dtype=np.bool_)
    return Motion(robot.name, np.array([0.0, 0.01]), qpos, robot.joint_names, contact, robot.foot_names)


def _find_labels(robot: Robot) -> list[tuple[str, Array]]:
    """Return labels, each with the position in world that it names (3,)."""
    qpos = robot.standing_qpos[None]
    labels = [
        (f"foot {foot.name} ({_FOOT_KINDS.get(len(foot.points), 'sole')})", position)
        for foot, position in zip(robot.feet, foot_positions(robot, qpos)[0], strict=True)
    ]
    for limb in robot.limbs:
        if limb.kind != "leg":
            body = int(robot.model.body(limb.bodies[-1]).id)
            text = f"{limb.name} ({format_count(len(limb.joints), '[joint|joints]')})"
            labels.append((text, poses(robot.model, "body", [body], qpos)[0][0, 0]))
    return labels


def _front_arrow(robot: Robot) -> tuple[Array, Array]:
    """Return start and end of the arrow to the front in world: on the floor, in front of the feet."""
    feet = foot_positions(robot, robot.standing_qpos[None])[0]
    points = foot_contact_points(robot, robot.standing_qpos[None])[0]
    size = float(max(np.ptp(feet[:, 0]), np.ptp(feet[:, 1]), 0.5 * robot.standing_qpos[2]))
    start = np.array([points[..., 0].max() + 0.12 * size, feet[:, 1].mean(), 0.0])
    return start, start + np.array([0.3 * size, 0.0, 0.0])
