"""Files: motions as pages, pictures and films."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Unpack

from strut.arrays import Pixels
from strut.errors import OutOfRangeError
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.plumbing.atomic_files import check_writable, write_atomically
from strut.robot import Robot
from strut.viewer.animation import Film, FilmOptions, OnFrame, check_frame_rate, film_of, gif_bytes, mp4_bytes
from strut.viewer.footage import Look, SideBySide
from strut.viewer.picture import png_bytes
from strut.viewer.pose_strip import POSES, STRIP_PX, pose_strip_bytes
from strut.viewer.report import MAX_SHOWN_S, report_bytes
from strut.viewer.width import PICTURE, check_width

FILMS: dict[str, Callable[[Film, Iterable[Pixels]], bytes]] = {".gif": gif_bytes, ".mp4": mp4_bytes}


def save_views(
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
    width_px: int | None = None,
    frames_per_s: float | None = None,
    plain: bool = False,
    force: bool = False,
    on_frame: OnFrame | None = None,
) -> list[Path]:
    """Write motions side by side, each as the robot that it names.

    Args:
        motions: The motions.
        html: File of a self-contained page.
        png: File of a picture.
        gif: File of a short endless animation.
        mp4: File of the same as a video.
        names: Names of motions with the same emotion and robot, for instance those of their files.
        look: Bodies, or stick figures.
        at_s: Time of the picture; mid-swing if None.
        poses: Number of poses in a row in the picture; if None, 8 for human walks and keyframe animations, else one.
        duration_s: Length of animation and video, and largest length of the page.
        width_px: Width of picture, animation and video; if None, 840 and 720 for one robot, and more for several.
        frames_per_s: Of animation and video; if None, 25 with a human walk, an animation or a sequence, else 20.
        plain: Whether animation and video have no titles, verdicts and legend.
        force: Whether existing files may be replaced.
        on_frame: Called after each frame of a film with the number of finished frames and of all frames.

    Returns:
        The files written.

    Example:
        >>> strut.save_views(strut.load_motion("happy.npz"), png="happy.png", html="happy.html")
    """
    in_a_row = _poses_in_a_row(poses, at_s)
    together = [motions] if isinstance(motions, Motion) else list(motions)
    shown = SideBySide(together, [robot_of(motion) for motion in together], look, names)
    check_width(width_px, len(together))
    check_frame_rate(frames_per_s, gif=gif is not None)
    paths = {".html": html, ".png": png, ".gif": gif, ".mp4": mp4}
    files = {ending: Path(path) for ending, path in paths.items() if path is not None}
    for ending, path in files.items():
        check_writable(path, force=force, ending=ending)
    if not files:
        raise OutOfRangeError("There is nothing to write; give html=, png=, gif= or mp4= with a file.")
    if html is not None:
        page = report_bytes(shown, max_shown_s=MAX_SHOWN_S if duration_s is None else duration_s)
        write_atomically(files[".html"], page, force=force)
    if png is not None:
        write_atomically(files[".png"], _picture(shown, in_a_row, at_s, width_px), force=force)
    how: FilmOptions = {
        "duration_s": duration_s,
        "width_px": width_px,
        "frames_per_s": frames_per_s,
        "plain": plain,
    }
    for ending, film in _films(shown, files, how, on_frame).items():
        write_atomically(files[ending], film, force=force)
    return list(files.values())


def _picture(shown: SideBySide, in_a_row: int | None, at_s: float | None, width_px: int | None) -> bytes:
    """Return a picture of one moment or of poses in a row, which are the default of people and keyframe animations."""
    poses = in_a_row or (POSES if shown.are_people or shown.tells_story else 1)
    if poses == 1:
        return png_bytes(shown, at_s=at_s, panel_px=PICTURE.panel_px(len(shown.motions), width_px))
    return pose_strip_bytes(shown, poses=poses, width_px=width_px or STRIP_PX)


def _films(
    shown: SideBySide, files: Mapping[str, Path], how: FilmOptions, on_frame: OnFrame | None
) -> dict[str, bytes]:
    """Return a film, rendered once, in the formats of all files; nothing is rendered for none."""
    endings = [ending for ending in FILMS if ending in files]
    if not endings:
        return {}
    film = film_of(shown, **how)
    pictures: Iterable[Pixels] = film.pictures(on_frame)
    pictures = pictures if len(endings) == 1 else [*pictures]
    return {ending: FILMS[ending](film, pictures) for ending in endings}


def _poses_in_a_row(poses: int | None, at_s: float | None) -> int | None:
    """Return the number of poses in a picture, None for the default of the robots; raises OutOfRangeError."""
    if poses is None:
        return None if at_s is None else 1
    if at_s is not None:
        raise OutOfRangeError("Give the time of a picture or a number of poses in a row, not both.")
    if poses < 1:
        raise OutOfRangeError(f"{poses} poses in a row cannot be drawn; choose at least 1.")
    return poses


def save_png(
    motions: Sequence[Motion],
    robots: Sequence[Robot],
    path: Path | str,
    *,
    at_s: float | None = None,
    panel_px: int | None = None,
    look: Look = "solid",
    names: Sequence[str] | None = None,
    force: bool = False,
) -> None:
    """Write a picture of motions side by side, to one scale; `look`, `names` and `force` as in `save_views`.

    It shows the time `at_s` since the start or, if None, the highest mid-swing near the middle of each motion;
    `panel_px` is the width of the picture of each robot: 840 for one robot, 630 for two and otherwise 420 if None.

    Example:
        >>> motion = strut.load_motion("happy.npz")
        >>> strut.save_png([motion], [strut.robot_of(motion)], "happy.png", at_s=2.0)
    """
    picture = png_bytes(SideBySide(motions, robots, look, names), at_s=at_s, panel_px=panel_px)
    write_atomically(Path(path), picture, force=force)


def save_pose_strip(
    motions: Sequence[Motion],
    robots: Sequence[Robot],
    path: Path | str,
    *,
    poses: int = POSES,
    width_px: int = STRIP_PX,
    look: Look = "solid",
    names: Sequence[str] | None = None,
    force: bool = False,
) -> None:
    """Write a row of 2 to 24 poses for each motion, to one scale; other arguments as in `save_png`.

    A cyclic human walk is shown for one cycle, from the landing of the right heel; others are shown whole.

    Example:
        >>> motion = strut.load_motion("gait.npz")
        >>> strut.viewer.save_pose_strip([motion], [strut.robot_of(motion)], "gait.png")
    """
    picture = pose_strip_bytes(SideBySide(motions, robots, look, names), poses=poses, width_px=width_px)
    write_atomically(Path(path), picture, force=force)


def save_gif(
    motions: Sequence[Motion], robots: Sequence[Robot], path: Path | str, **options: Unpack[FilmOptions]
) -> None:
    """Write an endless GIF of motions side by side, to one scale and in real time; see `FilmOptions`.

    A human walk goes on as long as the film if it repeats; others go on from where they end.

    Example:
        >>> motion = strut.load_motion("happy.npz")
        >>> strut.save_gif([motion], [strut.robot_of(motion)], "happy.gif")
    """
    _save_film(gif_bytes, motions, robots, path, options)


def save_mp4(
    motions: Sequence[Motion], robots: Sequence[Robot], path: Path | str, **options: Unpack[FilmOptions]
) -> None:
    """Write an MP4 of motions side by side; arguments as in `save_gif`.

    Example:
        >>> motion = strut.load_motion("happy.npz")
        >>> strut.save_mp4([motion], [strut.robot_of(motion)], "happy.mp4")
    """
    _save_film(mp4_bytes, motions, robots, path, options)


def _save_film(
    encoded: Callable[[Film, Iterable[Pixels]], bytes],
    motions: Sequence[Motion],
    robots: Sequence[Robot],
    path: Path | str,
    options: FilmOptions,
) -> None:
    shown = SideBySide(motions, robots, options.get("look", "solid"), options.get("names"))
    film = film_of(shown, **options)
    content = encoded(film, film.pictures(options.get("on_frame")))
    write_atomically(Path(path), content, force=options.get("force", False))


def save_html(
    motions: Sequence[Motion],
    robots: Sequence[Robot],
    path: Path | str,
    *,
    max_shown_s: float = MAX_SHOWN_S,
    frames_per_s: float | None = None,
    look: Look = "solid",
    names: Sequence[str] | None = None,
    force: bool = False,
) -> None:
    """Write a page about motions: a picture, the moving scene, receipts and plots; other arguments as in `save_png`.

    The scene shows the first `max_shown_s` seconds, the plots everything; if `frames_per_s` is None, there are fewer
    frames per second for longer motions.

    Example:
        >>> motion = strut.load_motion("happy.npz")
        >>> strut.save_html([motion], [strut.robot_of(motion)], "happy.html")
    """
    shown = SideBySide(motions, robots, look, names)
    page = report_bytes(shown, max_shown_s=max_shown_s, frames_per_s=frames_per_s)
    write_atomically(Path(path), page, force=force)
