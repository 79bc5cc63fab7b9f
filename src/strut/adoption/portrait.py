"""Portrait: a robot as it stands, with what was found written on it: feet, limbs, front. As PNG, and as a page."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from strut.adoption.note import Note
from strut.engines.rigid_body import foot_positions, poses
from strut.motion import Motion
from strut.robot import Array, Robot
from strut.show.camera import AZIMUTH_RAD, Camera
from strut.show.footage import footage
from strut.show.page import Picture, page
from strut.show.picture import followed, shot_of

_WIDTH_PX, _DOTS = 900, 100
_INK, _FRONT = "#1a1c20", "#b3261e"
_HEADINGS = {"fault": "What is wrong in the file", "assumed": "What was assumed", "found": "What was found"}


def portrait_png(robot: Robot) -> bytes:
    """Return a picture of a robot as it stands, with its feet, limbs and front named.

    Example:
        >>> Path("go2.png").write_bytes(strut.portrait_png(strut.load_robot("go2")))
    """
    motion = _standing(robot)
    take = followed(footage(motion, robot, np.array([0])))
    shot = shot_of([take], _WIDTH_PX, AZIMUTH_RAD, height_share=0.8)
    pixels = shot.panels(0)
    height_px, width_px = pixels.shape[:2]
    figure = Figure(figsize=(width_px / _DOTS, height_px / _DOTS), dpi=_DOTS)
    FigureCanvasAgg(figure)
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.imshow(pixels, aspect="auto")
    axes.set_xlim(0, width_px)
    axes.set_ylim(height_px, 0)
    axes.axis("off")
    camera = Camera(
        shot.camera.eye_in_world + take.path_in_world[0],
        *(getattr(shot.camera, part) for part in ("axes", "focal_px", "middle_px", "size_px")),
    )
    for words, place in _labels(robot):
        column, row = camera.project(place[None])[0][0]
        side = 1.0 if column > width_px / 2 else -1.0
        axes.annotate(
            words, (column, row), (column + side * 70, row - 26), fontsize=9, color=_INK,
            ha="left" if side > 0 else "right",
            arrowprops={"arrowstyle": "-", "color": _INK, "linewidth": 0.7},
            bbox={"facecolor": "white", "alpha": 0.8, "lw": 0},
        )  # fmt: skip
    start, end = _front_arrow(robot)
    tail, tip = (camera.project(point[None])[0][0] for point in (start, end))
    axes.annotate("", tip, tail, arrowprops={"arrowstyle": "-|>", "color": _FRONT, "linewidth": 2.5})
    axes.text(tip[0], tip[1], " front", color=_FRONT, fontsize=11, weight="bold")
    axes.text(12, 24, robot.title, fontsize=12, color=_INK)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=_DOTS)
    return buffer.getvalue()


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
        (heading, [note.sentence for note in notes if note.weight == weight]) for weight, heading in _HEADINGS.items()
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
    return f"{robot.mass_kg:.1f} kg, {len(robot.joint_names)} joints, feet {', '.join(robot.foot_names)}."


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
        (f"{foot.name} ({kinds.get(len(foot.points), 'sole')})", place)
        for foot, place in zip(robot.feet, foot_positions(robot, qpos)[0], strict=True)
    ]
    for limb in robot.limbs:
        if limb.kind != "leg":
            body = int(robot.model.body(limb.bodies[-1]).id)
            labels.append(
                (f"{limb.name} ({len(limb.joints)} joints)", poses(robot.model, "body", [body], qpos)[0][0, 0])
            )
    return labels


def _front_arrow(robot: Robot) -> tuple[Array, Array]:
    """Return where the arrow to the front starts and ends in world: on the floor, before the feet."""
    feet = foot_positions(robot, robot.standing_qpos[None])[0]
    size = float(max(np.ptp(feet[:, 0]), np.ptp(feet[:, 1]), 0.1))
    start = np.array([feet[:, 0].max() + 0.15 * size, feet[:, 1].mean(), 0.0])
    return start, start + np.array([0.3 * size, 0.0, 0.0])
