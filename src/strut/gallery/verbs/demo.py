"""`strut demo`: five bodies in five emotions on one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.cli.completion import complete_emotions
from strut.cli.options import Force, Json, OpenBrowser, split_names
from strut.cli.screen import open_in_browser, print_json, print_lines, print_next, progress


def demo(
    out: Annotated[Path, typer.Option(help="Folder of the page and the motions.")] = Path("demo"),
    robots: Annotated[str | None, typer.Option(help="Some of the bodies, such as cassie,pepper.")] = None,
    emotions: Annotated[
        str | None, typer.Option(help="Other emotions, such as calm,curious.", autocompletion=complete_emotions)
    ] = None,
    open_page: OpenBrowser = True,
    force: Force = False,
    json: Json = False,
) -> None:
    """Show five bodies in five emotions on one page. Example: strut demo."""
    from strut.gallery.demo import EMOTIONS  # noqa: PLC0415
    from strut.gallery.demo import demo as make_demo  # noqa: PLC0415  (loads every engine)

    with progress("plans five bodies in five emotions") as waiting:
        page, motions = make_demo(
            out,
            robots=None if robots is None else split_names(robots),
            emotions=EMOTIONS if emotions is None else split_names(emotions),
            force=force,
            on_step=waiting,
        )
    if json:
        print_json(
            {
                "page": str(page),
                "motions": [
                    {
                        "robot": one.robot,
                        "emotion": one.emotion,
                        "file": str(one.file),
                        "verdict": one.motion.receipt.verdict,
                    }
                    for one in motions
                    if one.motion.receipt is not None
                ],
            }
        )
    print_lines(f"wrote {page} ({page.stat().st_size / 1e6:.1f} MB) and {len(motions)} motions beside it")
    is_open = open_page and not json and open_in_browser(page.resolve().as_uri())
    print_lines("opened it in the browser" if is_open else f"open {page.resolve().as_uri()}")
    print_next("strut show", motions[-1].file)
