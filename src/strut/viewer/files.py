"""Files: motions written as pages, pictures and films, as many of them as are asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Unpack

from strut.errors import OutOfRangeError
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.plumbing.atomic_files import check_writable, write_atomically
from strut.robot import Robot
from strut.viewer.animation import Film, FilmOptions, OnFrame, check_frame_rate, film_of, gif_bytes, mp4_bytes
from strut.viewer.footage import Look, SideBySide
from strut.viewer.picture import png_bytes
from strut.viewer.pose_strip import POSES, STRIP_PX, pose_strip_bytes
from strut.viewer.render import Pixels
from strut.viewer.report import MOST_SHOWN_S, report_bytes
from strut.viewer.width import PICTURE, check_width

FILMS: dict[str, Callable[[Film, Iterable[Pixels]], bytes]] = {".gif": gif_bytes, ".mp4": mp4_bytes}


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
    width_px: int | None = None,
    frames_per_s: float | None = None,
    force: bool = False,
    on_frame: OnFrame | None = None,
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
        poses: How many poses of a cycle the picture shows in a row; if None, 8 of human walks and stories, else one.
        duration_s: How long animation and video are, and at most the page.
        width_px: How wide picture, animation and video are; of one robot 840 and 720, of several more, if None.
        frames_per_s: Of animation and video; 25 with a human walk, a story or a show and 20 without, if None.
        force: Replace existing files.
        on_frame: Called after each frame of a film with how many are done and how many there are.

    Returns:
        The files written.

    Example:
        >>> strut.save_shown(strut.load_motion("happy.npz"), png="happy.png", html="happy.html")
    """
    in_a_row = _poses_in_a_row(poses, at_s)
    together = [motions] if isinstance(motions, Motion) else list(motions)
    shown = SideBySide(together, [robot_of(motion) for motion in together], look, names)
    check_width(width_px, len(together))
    check_frame_rate(frames_per_s, gif=gif is not None)
    files = _writable({".html": html, ".png": png, ".gif": gif, ".mp4": mp4}, force=force)
    if not files:
        raise OutOfRangeError("There is nothing to write; say html=, png=, gif= or mp4=, each with a file.")
    if html is not None:
        page = report_bytes(shown, most_shown_s=MOST_SHOWN_S if duration_s is None else duration_s)
        write_atomically(files[".html"], page, force=force)
    if png is not None:
        write_atomically(files[".png"], _picture(shown, in_a_row, at_s, width_px), force=force)
    how: FilmOptions = {"duration_s": duration_s, "width_px": width_px, "frames_per_s": frames_per_s}
    for ending, film in _films(shown, files, how, on_frame).items():
        write_atomically(files[ending], film, force=force)
    return list(files.values())


def _writable(asked: Mapping[str, Path | str | None], *, force: bool) -> dict[str, Path]:
    """Return the files that are asked for, by ending, all of which can be written."""
    files = {ending: Path(path) for ending, path in asked.items() if path is not None}
    for ending, path in files.items():
        check_writable(path, force=force, ending=ending)
    return files


def _picture(shown: SideBySide, in_a_row: int | None, at_s: float | None, width_px: int | None) -> bytes:
    """Return one moment, or poses in a row: of people and of stories if nobody says."""
    poses = in_a_row or (POSES if shown.are_people or shown.tells_story else 1)
    if poses == 1:
        return png_bytes(shown, at_s=at_s, panel_px=PICTURE.panel_px(len(shown.motions), width_px))
    return pose_strip_bytes(shown, poses=poses, width_px=width_px or STRIP_PX)


def _films(
    shown: SideBySide, files: Mapping[str, Path], how: FilmOptions, on_frame: OnFrame | None
) -> dict[str, bytes]:
    """Return a film in all formats that are asked for, drawn once; nothing is drawn for none."""
    endings = [ending for ending in FILMS if ending in files]
    if not endings:
        return {}
    film = film_of(shown, **how)
    pictures: Iterable[Pixels] = film.pictures(on_frame)
    pictures = pictures if len(endings) == 1 else [*pictures]
    return {ending: FILMS[ending](film, pictures) for ending in endings}


def _poses_in_a_row(poses: int | None, at_s: float | None) -> int | None:
    """Return how many poses a picture shows: None where the robots decide."""
    if poses is None:
        return None if at_s is None else 1
    if at_s is not None:
        raise OutOfRangeError("Give one moment to show or how many poses in a row, not both.")
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
    """Write a picture of motions side by side, to one scale; `look`, `names` and `force` as in `save_shown`.

    It shows a moment `at_s` since the start or, if None, each motion's fullest mid-swing near its middle; `panel_px` is
    the width of each robot's picture: 420, of two robots 630 and of one 840 if None.

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

    A human walk that repeats is shown for one cycle, from the right heel's landing; others are shown whole.

    Example:
        >>> motion = strut.load_motion("gait.npz")
        >>> strut.save_pose_strip([motion], [strut.robot_of(motion)], "gait.png")
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
    most_shown_s: float = MOST_SHOWN_S,
    frames_per_s: float | None = None,
    look: Look = "solid",
    names: Sequence[str] | None = None,
    force: bool = False,
) -> None:
    """Write a page about motions: a picture, the moving scene, receipts and plots; other arguments as in `save_png`.

    The scene shows the first `most_shown_s` seconds, the plots everything; if `frames_per_s` is None, there are fewer
    frames per second for longer motions.

    Example:
        >>> motion = strut.load_motion("happy.npz")
        >>> strut.save_html([motion], [strut.robot_of(motion)], "happy.html")
    """
    shown = SideBySide(motions, robots, look, names)
    page = report_bytes(shown, most_shown_s=most_shown_s, frames_per_s=frames_per_s)
    write_atomically(Path(path), page, force=force)
