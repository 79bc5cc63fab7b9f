"""`strut show`: look at motions, live or in a file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.cli.screen import people, print_next, progress
from strut.library.motion_file import load_motion
from strut.robots.catalogue import robot_of


def show(
    files: Annotated[list[Path], typer.Argument(help="Motion files, shown side by side.")],
    html: Annotated[Path | None, typer.Option(help="Write one self-contained page instead.")] = None,
    png: Annotated[Path | None, typer.Option(help="Write a picture instead.")] = None,
    gif: Annotated[Path | None, typer.Option(help="Write a short animation instead.")] = None,
    host: Annotated[str, typer.Option(help="Address of the live viewer.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port of the live viewer.")] = 8080,
    force: Annotated[bool, typer.Option("--force", help="Replace existing files.")] = False,
) -> None:
    """Look at motions in the browser, or write a page or a picture. Example: strut show happy.npz sad.npz."""
    from strut.show.picture import save_gif, save_png  # noqa: PLC0415  (matplotlib and viser take a second to load)
    from strut.show.report import save_html  # noqa: PLC0415
    from strut.show.viewer import serve  # noqa: PLC0415

    motions = [load_motion(file) for file in files]
    robots = [robot_of(motion) for motion in motions]
    for path, save in ((html, save_html), (png, save_png), (gif, save_gif)):
        if path is not None:
            with progress(f"draws {path}"):
                save(motions, robots, path, force=force)
            people.print(f"wrote {path} ({path.stat().st_size / 1e6:.1f} MB)", markup=False, soft_wrap=True)
    if html or png or gif:
        print_next(f"strut show {' '.join(str(file) for file in files)}")
        return
    people.print(f"showing on http://{host}:{port}; Ctrl-C ends it", markup=False, soft_wrap=True)
    serve(motions, robots, host=host, port=port)
