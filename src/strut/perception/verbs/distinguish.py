"""`strut distinguish`: how different a robot's emotions look, and which pairs people would confuse."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.cli.completion import complete_emotions, complete_robot
from strut.cli.options import Expression, Force, Json, chosen_layer, split_names
from strut.cli.screen import print_json, print_lines, print_next, print_table, progress
from strut.models.catalogue import load_robot
from strut.perception.distinguish import DEFAULT_EMOTIONS, Discriminability
from strut.perception.distinguish import distinguish as measure
from strut.perception.emotion_distance import evaluate_threshold, held_out_pairs
from strut.plumbing.atomic_files import check_all_writable, write_atomically


def distinguish(
    robot: Annotated[
        str, typer.Argument(help="Robot whose emotions to compare; see `strut robots`.", autocompletion=complete_robot)
    ],
    emotions: Annotated[
        str, typer.Option(help="Names of emotions, separated by commas.", autocompletion=complete_emotions)
    ] = ",".join(DEFAULT_EMOTIONS),
    expression: Expression = None,
    task: Annotated[
        str | None, typer.Option(help="Task of a robot that does not walk.  [default: its first task]")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Page to write: the map and all numbers.")] = None,
    png: Annotated[Path | None, typer.Option(help="Map to write.")] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Measure how different a robot's emotions look. Example: strut distinguish mrpete --png map.png."""
    check_all_writable({".html": html, ".png": png}, force=force)
    layer = chosen_layer(expression)
    names = split_names(emotions)
    with progress(f"plans {robot}") as waiting:

        def report_motion(name: str) -> None:
            waiting(f"plans {robot}, {name}", names.index(name), len(names))

        result = measure(robot, names, expression=layer, task=task, on_motion=report_motion)
    _write_maps(result, html, png, force=force)
    if json:
        print_json(result.as_dict())
    else:
        columns = ["emotion", "emotion", "levels", "distinguished", "largest difference"]
        title = f"{result.robot}, {result.expression}: distance in levels ({result.threshold:.2f} needed)"
        print_table(title, columns, result.rows())
    test = evaluate_threshold(held_out_pairs(), result.threshold)
    print_lines(
        *result.sentences(),
        f"The threshold is correct for {test.correct} of {test.pairs} published pairs that were not used to choose it "
        "(docs/explanations/expression.md).",
    )
    if png is not None or html is not None:
        print_lines(result.map_sentence(), *(f"wrote {path}" for path in (png, html) if path is not None))
    _print_next(result, robot, emotions, has_page=html is not None)


def _write_maps(result: Discriminability, html: Path | None, png: Path | None, *, force: bool) -> None:
    if html is None and png is None:
        return
    from strut.perception.emotion_map import emotion_map_png, emotion_page  # noqa: PLC0415 -- loads matplotlib

    if png is not None:
        write_atomically(png, emotion_map_png(result), force=force)
    if html is not None:
        write_atomically(html, emotion_page(result), force=force)


def _print_next(result: Discriminability, robot: str, emotions: str, *, has_page: bool) -> None:
    """Suggest the page with the map, or a motion of the closest pair if that page was written."""
    if not has_page:
        print_next("strut distinguish", robot, "--emotions", emotions, "--html", f"{result.robot}_map.html")
        return
    tasks = tuple(load_robot(robot).tables.tasks or ())
    verb = ("strut perform", robot, tasks[0]) if tasks else ("strut walk", robot)
    first = result.pairs[0][0]
    print_next(*verb, "--emotion", first, "--out", f"{result.robot}_{first}.npz")
