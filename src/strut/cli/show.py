"""`strut show`: look at motions, live or in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.cli.options import Force, Json
from strut.cli.screen import print_json, print_lines, print_next, progress
from strut.io.atomic import check_writable
from strut.io.motion_file import load_motion
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.robot import Robot
from strut.show.footage import Look


def show(
    files: Annotated[list[Path], typer.Argument(help="Motion files, shown side by side.")],
    html: Annotated[Path | None, typer.Option(help="Write one self-contained page instead.")] = None,
    png: Annotated[Path | None, typer.Option(help="Write a picture instead.")] = None,
    gif: Annotated[Path | None, typer.Option(help="Write a short animation instead.")] = None,
    stick: Annotated[
        bool, typer.Option("--stick", help="Stick figures: joints, soles, and free sight of the ground.")
    ] = False,
    at: Annotated[float | None, typer.Option(help="Which second the picture shows; a mid-step if left out.")] = None,
    poses: Annotated[
        int | None,
        typer.Option(help="Poses of a cycle in a row, seen from the side.  [default: 8 for human walks, 1 for others]"),
    ] = None,
    seconds: Annotated[
        float | None,
        typer.Option(
            help="How long the animation (whole strides of one human walk, else at most 8) or the page (at most 90) is."
        ),
    ] = None,
    host: Annotated[str, typer.Option(help="Address of the live viewer.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port of the live viewer.")] = 8080,
    force: Force = False,
    json: Json = False,
) -> None:
    """Look at motions in the browser, or write a page or a picture. Example: strut show happy.npz sad.npz."""
    from strut.show.film import save_gif  # noqa: PLC0415  (matplotlib and viser take a second to load)
    from strut.show.report import MOST_SHOWN_S, save_html  # noqa: PLC0415
    from strut.show.viewer import serve  # noqa: PLC0415

    if poses is not None and at is not None:
        raise typer.BadParameter("give --at for one moment or --poses for a row of them, not both.")
    if poses is not None and poses < 1:
        raise typer.BadParameter(f"--poses is {poses}; choose at least 1.")
    look: Look = "stick" if stick else "solid"
    motions = [load_motion(file) for file in files]
    robots = [robot_of(motion) for motion in motions]
    for path, ending in ((html, ".html"), (png, ".png"), (gif, ".gif")):
        if path is not None:
            check_writable(path, force=force, ending=ending)
    with progress("draws") as bar:
        if html is not None:
            save_html(
                motions, robots, html, look=look, force=force, most_shown_s=MOST_SHOWN_S if seconds is None else seconds
            )
        if png is not None:
            _save_picture(files, motions, robots, png, at_s=at, poses=poses, look=look, force=force)
        if gif is not None:
            save_gif(
                motions,
                robots,
                gif,
                look=look,
                duration_s=seconds,
                force=force,
                on_frame=lambda done, total: bar.update(bar.task_ids[0], completed=done, total=total),
            )
    written = [path for path in (html, png, gif) if path is not None]
    print_lines(*(f"wrote {path} ({path.stat().st_size / 1e3:.0f} kB)" for path in written))
    if json and written:
        print_json([{"file": str(path), "bytes": path.stat().st_size} for path in written])
    if written:
        print_next("strut show", *files)
    else:
        serve(
            motions,
            robots,
            host=host,
            port=port,
            look=look,
            on_ready=lambda url: print_lines(f"showing on {url}; Ctrl-C ends it"),
        )


def _save_picture(
    files: list[Path],
    motions: list[Motion],
    robots: list[Robot],
    path: Path,
    *,
    at_s: float | None,
    poses: int | None,
    look: Look,
    force: bool,
) -> None:
    """Write a row of poses, which is usual for human walks, or one moment."""
    from strut.show.picture import save_png  # noqa: PLC0415
    from strut.show.pose_strip import POSES, are_people, save_pose_strip  # noqa: PLC0415

    in_a_row = poses or (POSES if at_s is None and are_people(robots) else 1)
    if in_a_row == 1:
        save_png(motions, robots, path, at_s=at_s, look=look, force=force)
    else:
        names = [file.name for file in files]
        save_pose_strip(motions, robots, path, names=names, poses=in_a_row, look=look, force=force)
