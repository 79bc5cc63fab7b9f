"""Files: motions written as a page, a picture or a film, as many of them as are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from strut.io.atomic import check_writable
from strut.models.catalogue import robot_of
from strut.motion import Motion
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
    shown = [motions] if isinstance(motions, Motion) else list(motions)
    robots = [robot_of(motion) for motion in shown]
    asked = {".html": html, ".png": png, ".gif": gif, ".mp4": mp4}
    files = {ending: Path(path) for ending, path in asked.items() if path is not None}
    for ending, path in files.items():
        check_writable(path, force=force, ending=ending)
    if html is not None:
        most_s = MOST_SHOWN_S if duration_s is None else duration_s
        save_html(shown, robots, html, look=look, names=names, force=force, most_shown_s=most_s)
    in_a_row = poses or (POSES if at_s is None and are_people(robots) else 1)
    if png is not None and in_a_row == 1:
        save_png(shown, robots, png, at_s=at_s, look=look, names=names, force=force)
    elif png is not None:
        save_pose_strip(shown, robots, png, names=names, poses=in_a_row, look=look, force=force)
    options: FilmOptions = {"look": look, "duration_s": duration_s, "names": names}
    if gif is not None:
        save_gif(shown, robots, gif, force=force, on_frame=on_frame, **options)
    if mp4 is not None:
        save_mp4(shown, robots, mp4, force=force, on_frame=on_frame, **options)
    return list(files.values())
