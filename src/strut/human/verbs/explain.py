"""`strut explain`: the mixture of criteria that a recorded walk minimises, and its uncertainty."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from strut.cli.options import Force, Json
from strut.cli.screen import print_json, print_lines, print_next, print_table, progress, say_stopping
from strut.errors import BadMotionError, StoppedError
from strut.formats.motion_file import load_motion
from strut.formats.reader import endings_read
from strut.human.inverse.inverse_optimal_control import PredictedWalk
from strut.human.inverse.inverse_optimal_control import explain as find
from strut.human.inverse.inverse_optimal_control import predict as foretell
from strut.human.report.explained_text import explained_sentences, explained_tables, predicted_table
from strut.human.verbs.conditions import condition_of, trial_of
from strut.human.verbs.solving import iteration_display
from strut.motion import Motion
from strut.ocp.collocation import NotSolvedError
from strut.ocp.interior_point import OnIteration
from strut.plumbing.atomic_files import check_all_writable, write_atomically
from strut.plumbing.cancellation import stop_on_interrupt
from strut.recording import Recording


def explain(
    motions: Annotated[
        list[str],
        typer.Argument(help="Motion files of walks of one person; `sad=walk.npz` is a trial of the condition sad."),
    ],
    predict: Annotated[Path | None, typer.Option(help="Motion file of another walk of the person, to predict.")] = None,
    png: Annotated[Path | None, typer.Option(help="File to write a picture of the shares to.")] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Find the criteria that a recorded walk minimises. Example: strut explain walk.npz --predict other.npz."""
    check_all_writable({".png": png}, force=force)
    walks = _walks(motions)
    unseen = None if predict is None else _walk(predict)
    predicted: dict[str, PredictedWalk] = {}
    with _solving() as show_iteration:
        found = {
            condition: find(own, on_progress=print_lines, on_iteration=show_iteration)
            for condition, own in walks.items()
        }
        if unseen is not None:
            predicted = {name: foretell(one, unseen, on_iteration=show_iteration) for name, one in found.items()}
    if json:
        conditions = {name: asdict(one) for name, one in found.items()}
        print_json({"conditions": conditions, "predicted": {name: asdict(one) for name, one in predicted.items()}})
    else:
        for table in explained_tables(found):
            print_table(*table)
        for condition, one in predicted.items():
            print_table(*predicted_table(condition, one))
        for condition, walk in found.items():
            print_lines(*explained_sentences(condition, walk))
    if png is None:
        again = [] if predict is None else ["--predict", str(predict)]
        print_next("strut explain", *motions, *again, "--png", "shares.png")
    else:
        from strut.human.report.explained_plot import explained_png  # noqa: PLC0415  (plots are slow to import)

        write_atomically(png, explained_png(found), force=force)
        print_lines(f"wrote {png}")


def _walks(words: list[str]) -> dict[str, list[Motion]]:
    """Return the motions by condition; all are of one if none is named."""
    trials = [trial_of(word) for word in words]
    walks: dict[str, list[Motion]] = {}
    for path, condition in (condition_of(trials) or {path: "walk" for _, path in trials}).items():
        walks.setdefault(condition, []).append(_walk(path))
    return walks


def _walk(path: Path) -> Motion:
    if path.suffix.lower() in endings_read(Recording):
        raise BadMotionError(f"{path} holds markers, not joint angles; fit them first: strut fit {path} --out FOLDER.")
    return load_motion(path)


@contextmanager
def _solving() -> Iterator[OnIteration]:
    """Show what solvers do; Ctrl-C ends the search, of which nothing is kept."""
    with progress("builds the problem") as waiting, stop_on_interrupt(say_stopping) as stop:
        try:
            yield iteration_display(waiting, stop)
        except NotSolvedError as failure:
            if stop.is_set():
                raise StoppedError("Interrupted; weights that are not found yet explain nothing.") from failure
            raise
