"""Files: motions written as a page, a picture or a film, as many of them as are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from strut.errors import OutOfRangeError
from strut.io.atomic import check_writable
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.robot import Robot
from strut.show.film import FilmOptions, save_gif, save_mp4
from strut.show.footage import Look
from strut.show.picture import save_png
from strut.show.pose_strip import POSES, are_people, save_pose_strip
from strut.show.report import MOST_SHOWN_S, save_html


def save_shown(
    motions: Motion | Sequence[Motion],
    *,
    html: Path | str | None = None,
    png: Path | str | None = None,
    gif: Path | str | None = None,
    mp4: Path | str | None = None,
    names: Sequence[str] | None = None,
    look: Look = "solid",
    at_s: float | None = None,
    poses: int | None = None,
    duration_s: float | None = None,
    force: bool = False,
    on_frame: Callable[[int, int], None] | None = None,
) -> list[Path]:
    """Write motions side by side, each as the robot that it names.

    Args:
        motions: What to show.
        html: One self-contained page, if asked for.
        png: A picture.
        gif: A short endless animation.
        mp4: The same as a video.
        names: What to call motions that feeling and robot do not tell apart: their files, for instance.
        look: Bodies, or stick figures.
        at_s: Which second the picture shows; a telling moment if None.
        poses: How many poses of a cycle the picture shows in a row; if None, 8 of human walks and one of others.
        duration_s: How long animation and video are, and at most the page.
        force: Replace existing files.
        on_frame: Called after each frame of a film with how many are done and how many there are.

    Returns:
        The files written.

    Example:
        >>> strut.save_shown(strut.load_motion("happy.npz"), png="happy.png", html="happy.html")
    """
    in_a_row = _poses_in_a_row(poses, at_s)
    shown = [motions] if isinstance(motions, Motion) else list(motions)
    robots = [robot_of(motion) for motion in shown]
    asked = {".html": html, ".png": png, ".gif": gif, ".mp4": mp4}
    files = {ending: Path(path) for ending, path in asked.items() if path is not None}
    film: FilmOptions = {"look": look, "duration_s": duration_s, "names": names}
    most_s = MOST_SHOWN_S if duration_s is None else duration_s
    for ending, path in files.items():
        check_writable(path, force=force, ending=ending)
    save: dict[str, Callable[[Path], None]] = {
        ".html": lambda path: save_html(shown, robots, path, look=look, names=names, force=force, most_shown_s=most_s),
        ".png": lambda path: _save_picture(shown, robots, path, at_s, in_a_row, look, names, force),
        ".gif": lambda path: save_gif(shown, robots, path, force=force, on_frame=on_frame, **film),
        ".mp4": lambda path: save_mp4(shown, robots, path, force=force, on_frame=on_frame, **film),
    }
    for ending, path in files.items():
        save[ending](path)
    return list(files.values())


def _poses_in_a_row(poses: int | None, at_s: float | None) -> int | None:
    """Return how many poses a picture shows: None where the robots decide."""
    if poses is None:
        return None if at_s is None else 1
    if at_s is not None:
        raise OutOfRangeError("Give one moment to show or how many poses in a row, not both.")
    if poses < 1:
        raise OutOfRangeError(f"{poses} poses in a row cannot be drawn; choose at least 1.")
    return poses


def _save_picture(
    motions: Sequence[Motion],
    robots: Sequence[Robot],
    path: Path,
    at_s: float | None,
    poses: int | None,
    look: Look,
    names: Sequence[str] | None,
    force: bool,
) -> None:
    """Write a row of poses, which is usual for human walks, or one moment."""
    in_a_row = (POSES if are_people(robots) else 1) if poses is None else poses
    if in_a_row == 1:
        save_png(motions, robots, path, at_s=at_s, look=look, names=names, force=force)
    else:
        save_pose_strip(motions, robots, path, names=names, poses=in_a_row, look=look, force=force)
