"""Files: motions as pages, pictures and films."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Unpack

from strut.arrays import Pixels
from strut.errors import OutOfRangeError
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.plumbing.atomic_files import (
    check_may_be_folder,
    check_replaceable,
    check_writable,
    write_atomically,
    write_files,
)
from strut.robot import Robot
from strut.viewer.animation import Film, FilmOptions, OnFrame, check_frame_rate, film_of, gif_of, video_of
from strut.viewer.footage import Look, SideBySide
from strut.viewer.picture import as_png, png_bytes
from strut.viewer.pose_strip import POSES, STRIP_PX, pose_strip_bytes
from strut.viewer.report import MAX_SHOWN_S, report_bytes
from strut.viewer.video import VideoFormat
from strut.viewer.view import View
from strut.viewer.width import PICTURE, check_width

VIDEOS: dict[str, VideoFormat] = {".mp4": "mp4", ".webm": "webm", ".mov": "mov"}
OPAQUE = (".gif", ".mp4", ".html")  # formats without opacity, or with one bit of it


def save_views(
    motions: Motion | Sequence[Motion],
    *,
    html: Path | str | None = None,
    png: Path | str | None = None,
    gif: Path | str | None = None,
    mp4: Path | str | None = None,
    webm: Path | str | None = None,
    mov: Path | str | None = None,
    frames: Path | str | None = None,
    names: Sequence[str] | None = None,
    look: Look = "solid",
    at_s: float | None = None,
    poses: int | None = None,
    duration_s: float | None = None,
    width_px: int | None = None,
    frames_per_s: float | None = None,
    plain: bool = False,
    camera: str | None = None,
    transparent: bool = False,
    size_px: tuple[int, int] | None = None,
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
        webm: The same as WebM, which can be transparent.
        mov: The same as ProRes 4444 for film editors, which can be transparent.
        frames: Folder of the same as pictures 0000.png, 0001.png and so on.
        names: Names of motions with the same emotion and robot, for instance those of their files.
        look: Bodies, or stick figures.
        at_s: Time of the picture; mid-swing if None.
        poses: Number of poses in a row in the picture; if None, 8 for human walks and keyframe animations, else one.
        duration_s: Length of animation and video, and largest length of the page.
        width_px: Width of picture, animation and video; if None, 840 and 720 for one robot, and more for several.
        frames_per_s: Of animation and video; if None, 25 with a human walk, an animation or a sequence, else 20.
        plain: Whether picture, animation and video have no titles, verdicts, legend and marks on the ground.
        camera: Direction of the camera ("side", "front" or "three-quarter"), or what it does ("follow" the robot or
            stay "fixed" with the whole way in view), or both, such as "side,fixed"; if None, chosen by the motion.
        transparent: Whether floor and backdrop are left out, too: of pictures, frames, WebM and ProRes.
        size_px: Width and height of picture, animation and video, instead of `width_px`.
        force: Whether existing files may be replaced.
        on_frame: Called after each frame of a film with the number of finished frames and of all frames.

    Returns:
        The files written.

    Example:
        >>> strut.save_views(strut.load_motion("happy.npz"), png="happy.png", html="happy.html")
    """
    view = View(camera, plain, transparent, size_px)
    in_a_row = _poses_in_a_row(poses, at_s, view)
    together = [motions] if isinstance(motions, Motion) else list(motions)
    shown = SideBySide(together, [robot_of(motion) for motion in together], look, names)
    if size_px is not None and width_px is not None:
        raise OutOfRangeError("Give a width or a size, not both.")
    check_width(width_px, len(together))
    view.check(len(together))
    check_frame_rate(frames_per_s, gif=gif is not None)
    paths = {".html": html, ".png": png, ".gif": gif, ".mp4": mp4, ".webm": webm, ".mov": mov}
    files = {ending: Path(path) for ending, path in paths.items() if path is not None}
    for ending, path in files.items():
        check_writable(path, force=force, ending=ending)
        if transparent and ending in OPAQUE:
            raise OutOfRangeError(f"{path.name} cannot be transparent; choose png=, frames=, webm= or mov=.")
    if frames is not None:
        check_may_be_folder(Path(frames))
    if not files and frames is None:
        raise OutOfRangeError("There is nothing to write; give html=, png=, gif=, mp4=, webm=, mov= or frames=.")
    if html is not None:
        page = report_bytes(shown, max_shown_s=MAX_SHOWN_S if duration_s is None else duration_s)
        write_atomically(files[".html"], page, force=force)
    if png is not None:
        write_atomically(files[".png"], _picture(shown, in_a_row, at_s, width_px, view), force=force)
    films = {ending: path for ending, path in files.items() if ending in (".gif", *VIDEOS)}
    if not films and frames is None:
        return list(files.values())
    film = film_of(
        shown,
        duration_s=duration_s,
        width_px=width_px,
        frames_per_s=frames_per_s,
        plain=plain,
        camera=camera,
        transparent=transparent,
        size_px=size_px,
    )
    numbered = [f"{number:04d}.png" for number in range(film.count)]
    if frames is not None:
        check_replaceable(Path(frames), numbered, force=force)
    pictures: Iterable[Pixels] = film.pictures(on_frame)
    if len(films) + (frames is not None) > 1:
        pictures = [*pictures]  # rendered once for all
    for ending, path in films.items():
        content = gif_of(film, pictures) if ending == ".gif" else video_of(film, pictures, VIDEOS[ending])
        write_atomically(path, content, force=force)
    if frames is None:
        return list(files.values())
    contents = {name: as_png(picture) for name, picture in zip(numbered, pictures, strict=True)}
    write_files(Path(frames), contents, last=numbered[-1], force=force)
    return [*files.values(), *(Path(frames) / name for name in numbered)]


def _picture(shown: SideBySide, in_a_row: int | None, at_s: float | None, width_px: int | None, view: View) -> bytes:
    """Return a picture of one moment or of poses in a row, which are the default of people and keyframe animations."""
    poses = in_a_row or (POSES if shown.are_people or shown.tells_story else 1)
    if poses == 1:
        return png_bytes(shown, at_s=at_s, panel_px=PICTURE.panel_px(len(shown.motions), width_px), view=view)
    return pose_strip_bytes(shown, poses=poses, width_px=width_px or STRIP_PX)


def _poses_in_a_row(poses: int | None, at_s: float | None, view: View) -> int | None:
    """Return the number of poses in a picture, None for the default of the robots; raises OutOfRangeError."""
    of_one_pose = view != View()
    if poses is None:
        return 1 if of_one_pose or at_s is not None else None
    if of_one_pose and poses > 1:
        raise OutOfRangeError("A row of poses has its own camera, size and text; leave out poses, or those options.")
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
    _save_film(gif_of, motions, robots, path, options)


def save_mp4(
    motions: Sequence[Motion], robots: Sequence[Robot], path: Path | str, **options: Unpack[FilmOptions]
) -> None:
    """Write an MP4 of motions side by side; arguments as in `save_gif`.

    Example:
        >>> motion = strut.load_motion("happy.npz")
        >>> strut.save_mp4([motion], [strut.robot_of(motion)], "happy.mp4")
    """
    _save_film(lambda film, pictures: video_of(film, pictures, "mp4"), motions, robots, path, options)


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
