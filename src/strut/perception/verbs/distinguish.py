"""`strut distinguish`: how far a robot's feelings are apart, and which two would be confused."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.cli.options import Expression, Force, Json, chosen_layer
from strut.cli.screen import print_json, print_lines, print_next, print_table, progress, telling
from strut.models.catalogue import load_robot
from strut.perception.distinguish import FIVE, Distinguished
from strut.perception.distinguish import distinguish as measure
from strut.perception.emotion_distance import held_out_pairs, separation
from strut.plumbing.atomic_files import check_all_writable, write_atomically


def distinguish(
    robot: Annotated[str, typer.Argument(help="Robot whose feelings to measure; see `strut robots`.")],
    emotions: Annotated[str, typer.Option(help="Feelings by name, with commas.")] = ",".join(FIVE),
    expression: Expression = None,
    task: Annotated[
        str | None, typer.Option(help="What a robot that does not walk does.  [default: its first]")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Page to write: the map and all figures.")] = None,
    png: Annotated[Path | None, typer.Option(help="Map to write.")] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Measure how far a robot's feelings are apart. Example: strut distinguish mrpete --png map.png."""
    check_all_writable({".html": html, ".png": png}, force=force)
    layer = chosen_layer(expression)
    names = [name.strip() for name in emotions.split(",") if name.strip()]
    with progress(f"{robot} moves") as bar:
        found = measure(robot, names, expression=layer, task=task, on_motion=telling(bar, f"{robot} moves"))
    _draw(found, html, png, force=force)
    if json:
        print_json(found.as_dict())
    else:
        _tell(found)
    print_lines(*found.sentences(), _how_sure(found))
    if png is not None or html is not None:
        print_lines(found.map_sentence(), *(f"wrote {path}" for path in (png, html) if path is not None))
    _print_next(found, robot, emotions, mapped=html is not None)


def _print_next(found: Distinguished, robot: str, emotions: str, *, mapped: bool) -> None:
    """Lead on: to the map, and from there to one of the two feelings that are nearest."""
    if not mapped:
        print_next("strut distinguish", robot, "--emotions", emotions, "--html", f"{found.robot}_map.html")
        return
    tasks = tuple(load_robot(robot).tables.tasks or ())
    verb = ("strut perform", robot, tasks[0]) if tasks else ("strut walk", robot)
    print_next(*verb, "--emotion", found.pairs[0][0], "--out", f"{found.robot}_{found.pairs[0][0]}.npz")


def _draw(found: Distinguished, html: Path | None, png: Path | None, *, force: bool) -> None:
    if html is None and png is None:
        return
    from strut.perception.emotion_map import emotion_map_png, emotion_page  # noqa: PLC0415 -- loads matplotlib

    if png is not None:
        write_atomically(png, emotion_map_png(found), force=force)
    if html is not None:
        write_atomically(html, emotion_page(found), force=force)


def _tell(found: Distinguished) -> None:
    rows = [
        [one, other, f"{far:.1f}", found.told(far), found.most_told_by(one, other)] for one, other, far in found.pairs
    ]
    columns = ["feeling", "feeling", "levels", "told apart", "most by"]
    print_table(f"{found.robot}, {found.expression}: levels apart ({found.threshold:.2f} needed)", columns, rows)


def _how_sure(found: Distinguished) -> str:
    seen = separation(held_out_pairs(), found.threshold)
    return (
        f"The threshold lies on the right side of {seen.right} of {seen.pairs} published pairs that it was not "
        "fitted to (docs/expression.md)."
    )
