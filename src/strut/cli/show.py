"""`strut show`: motions in the browser or as a page, picture or film."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from strut.cli.options import Force, Json, OpenBrowser
from strut.cli.paired_options import check_apart, check_partners
from strut.cli.screen import open_in_browser, print_json, print_lines, print_next, progress
from strut.formats.motion_file import load_motion
from strut.motion import Motion
from strut.viewer.footage import Look

Seconds = Annotated[
    float | None,
    typer.Option(
        help="How long the film (a human walk: whole strides; a story: at most 60; else 8) or page (at most 90) is."
    ),
]
Width = Annotated[
    int | None,
    typer.Option(
        help="How many pixels wide picture and film are.  [default: of one robot 840 and 720, of several more]"
    ),
]
Fps = Annotated[
    float | None,
    typer.Option(help="Pictures a second of the film, 1 to 60 (gif: 50).  [default: 20; people and stories 25]"),
]
Camera = Annotated[
    str | None,
    typer.Option(
        help="side, front or three-quarter; follow or fixed; or two such as side,fixed.  [default: by the motion]"
    ),
]
Size = Annotated[str | None, typer.Option(help="Width and height of picture and film, such as 1920x1080.")]
FILMS = ("gif", "mp4", "webm", "mov", "frames")
FILES = ("html", "png", *FILMS)
PARTNERS = {
    "poses": ("png",),
    "at": ("png",),
    "seconds": ("html", *FILMS),
    "width": ("png", *FILMS),
    "size": ("png", *FILMS),
    "camera": ("png", *FILMS),
    "fps": FILMS,
    "plain": ("png", *FILMS),
    "transparent": ("png", "webm", "mov", "frames"),
    "json": FILES,
}  # options of files; in the live viewer the user chooses
MOST_LINES = 8  # of files; more are named together
LARGE_GIF_BYTES = 5_000_000  # pages and chats begin to refuse pictures


def show(
    context: typer.Context,
    files: Annotated[list[Path], typer.Argument(help="Motion files, shown side by side.")],
    html: Annotated[Path | None, typer.Option(help="Write one self-contained page instead.")] = None,
    png: Annotated[Path | None, typer.Option(help="Write a picture instead.")] = None,
    gif: Annotated[Path | None, typer.Option(help="Write a short animation instead.")] = None,
    mp4: Annotated[Path | None, typer.Option(help="Write a short video instead.")] = None,
    webm: Annotated[Path | None, typer.Option(help="Write a video for pages, which can be transparent.")] = None,
    mov: Annotated[
        Path | None, typer.Option(help="Write ProRes 4444 for film editors, which can be transparent.")
    ] = None,
    frames: Annotated[Path | None, typer.Option(help="Folder to write the pictures of a film to.")] = None,
    stick: Annotated[
        bool, typer.Option("--stick", help="Stick figures: joints and soles, which do not hide the ground.")
    ] = False,
    at: Annotated[
        float | None,
        typer.Option(help="Which second the picture shows; about the middle if left out."),
    ] = None,
    poses: Annotated[
        int | None,
        typer.Option(help="Poses of a cycle or story in a row.  [default: 8 of human walks and stories, else 1]"),
    ] = None,
    seconds: Seconds = None,
    width: Width = None,
    fps: Fps = None,
    camera: Camera = None,
    size: Size = None,
    plain: Annotated[
        bool, typer.Option("--plain", help="No titles, verdicts, legend and marks on the ground.")
    ] = False,
    transparent: Annotated[
        bool, typer.Option("--transparent", help="Plain, and no floor and backdrop; shadows stay.")
    ] = False,
    host: Annotated[str, typer.Option(help="Address of the live viewer.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port of the live viewer.")] = 8080,
    open_browser: OpenBrowser = True,
    force: Force = False,
    json: Json = False,
) -> None:
    """Show motions in the browser, or write a page, a picture or a film. Example: strut show happy.npz sad.npz."""
    check_partners(context, PARTNERS)
    check_apart(context, {"host": FILES, "port": FILES, "width": ("size",)})
    look: Look = "stick" if stick else "solid"
    motions = [load_motion(file) for file in files]
    names = [file.name for file in files]
    if not any((html, png, gif, mp4, webm, mov, frames)):
        from strut.viewer.viewer import show as show_live  # noqa: PLC0415  (viser takes a second to load)

        show_live(
            motions, host=host, port=port, look=look, names=names, on_ready=partial(_greet, open_browser=open_browser)
        )
        return
    from strut.viewer.files import save_views  # noqa: PLC0415  (and so does matplotlib)

    with progress("draws") as waiting:

        def report(done: int, total: int) -> None:
            waiting(f"draws picture {done} of {total}", done, total)

        written = save_views(
            motions,
            html=html,
            png=png,
            gif=gif,
            mp4=mp4,
            webm=webm,
            mov=mov,
            frames=frames,
            names=names,
            look=look,
            at_s=at,
            poses=poses,
            duration_s=seconds,
            width_px=width,
            frames_per_s=fps,
            plain=plain,
            camera=camera,
            transparent=transparent,
            size_px=None if size is None else parse_size(size),
            force=force,
            on_frame=report,
        )
    _print_written(written, json=json)
    _print_next(files[0], motions[0])


def parse_size(text: str) -> tuple[int, int]:
    """Return a width and a height that were typed as 1920x1080; raises BadParameter."""
    match = re.fullmatch(r"(\d+)x(\d+)", text.strip().lower())
    if match is None:
        raise typer.BadParameter(f"--size is '{text}'; write width x height in pixels, such as 1920x1080.")
    return int(match[1]), int(match[2])


def _print_written(written: Sequence[Path], *, json: bool) -> None:
    """Print which files were written, and how large they are."""
    sizes = {path: path.stat().st_size for path in written}
    if len(written) > MOST_LINES:
        total_kb = sum(sizes.values()) / 1e3
        print_lines(f"wrote {len(written)} files, {written[0]} to {written[-1]} ({total_kb:.0f} kB)")
    else:
        print_lines(*(f"wrote {path} ({size / 1e3:.0f} kB)" for path, size in sizes.items()))
    if any(path.suffix.lower() == ".gif" and size > LARGE_GIF_BYTES for path, size in sizes.items()):
        print_lines("this GIF is large; --fps 10, --width 400 or fewer --seconds make it smaller, --mp4 much smaller")
    if json:
        print_json([{"file": str(path), "bytes": size} for path, size in sizes.items()])


def _print_next(file: Path, motion: Motion) -> None:
    """Propose to check a plan, and to export what was simulated."""
    print_next(f"strut {'export' if 'simulated' in motion.meta else 'check'}", file)


def _greet(url: str, *, open_browser: bool) -> None:
    print_lines(f"showing on {url}; Ctrl-C ends it")
    if open_browser:
        open_in_browser(url)
