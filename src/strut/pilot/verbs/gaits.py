"""`strut library build`, `gaits`, `map` and `try`: the periodic gaits of a robot."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, get_args

import typer

from strut.cli.completion import complete_robot
from strut.cli.options import Force, Json
from strut.cli.paired_options import check_apart
from strut.cli.screen import print_json, print_lines, print_next, print_table, progress
from strut.cli.waiting import Waiting
from strut.models.catalogue import load_robot
from strut.pilot.gait_library.gait_library_build import build_gait_library, gait_summary
from strut.pilot.gait_library.gait_library_file import pack_gait_library
from strut.pilot.gait_library.gait_store import GaitRecord, GaitStore, gait_home
from strut.pilot.request import Walker
from strut.plumbing.number_text import format_count

RobotName = Annotated[
    str, typer.Argument(help="Robot with a gait_library.toml, such as cassie.", autocompletion=complete_robot)
]
Workers = Annotated[int | None, typer.Option(min=1, help="Processes on this machine.  [default: one per core]")]
Scheduler = Annotated[str | None, typer.Option(help="Address of a Dask scheduler whose workers are used.")]
GaitFile = Annotated[Path | None, typer.Option(help="Gait library.  [default: ~/.strut/gaits/ROBOT.db]")]


def build(
    context: typer.Context,
    robot: RobotName,
    grid: Annotated[
        str | None,
        typer.Option(help="Numbers of speeds forward, speeds left and heights: 5,5,5.  [default: published]"),
    ] = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    store: GaitFile = None,
    pack: Annotated[Path | None, typer.Option(help="Also write a small .npz file.")] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Find a robot's periodic gaits; run again, it goes on. Example: strut library build cassie --grid 5,5,5."""
    check_apart(context, {"workers": ("scheduler",)})
    counts = _counts(grid)
    with progress(f"{robot} learns to walk") as waiting:
        report = _reporter(waiting)
        built = build_gait_library(robot, store, counts=counts, workers=workers, scheduler=scheduler, on_gait=report)
    _print_summary(built, json=json)
    if pack is not None:
        pack_gait_library(built.library(), pack, force=force)
        print_lines(f"wrote {pack}")
    print_next("strut library map", robot, "--store", built.path, "--out", "gaits.png")


def gaits(robot: RobotName, store: GaitFile = None, json: Json = False) -> None:
    """List the gaits of a library, and why some are missing. Example: strut library gaits cassie."""
    _print_summary(GaitStore(store or gait_home(robot), load_robot(robot)), json=json)


def gait_map(
    robot: RobotName,
    out: Annotated[Path, typer.Option(help="Picture to write (.png or .svg).")] = Path("gaits.png"),
    store: GaitFile = None,
    force: Force = False,
) -> None:
    """Draw where a robot has gaits, and where they were held. Example: strut library map cassie --out gaits.png."""
    from strut.pilot.gait_library.gait_map import save_gait_map  # noqa: PLC0415 -- loads matplotlib

    body = load_robot(robot)
    save_gait_map(body, GaitStore(store or gait_home(robot), body), out, force=force)
    print_lines(f"wrote {out}")


def try_out(
    context: typer.Context,
    robot: RobotName,
    walker: Annotated[str, typer.Option(help="Foot placement by the pendulum or by the library.")] = "pendulum",
    workers: Workers = None,
    scheduler: Scheduler = None,
    store: GaitFile = None,
) -> None:
    """Walk every gait in simulation, and write down which are held. Example: strut library try cassie."""
    from strut.pilot.gait_library.gait_evaluation import evaluate_gaits  # noqa: PLC0415 -- loads the controllers

    check_apart(context, {"workers": ("scheduler",)})
    if walker not in get_args(Walker):
        raise typer.BadParameter(f"--walker is '{walker}'; choose {' or '.join(get_args(Walker))}.")
    chosen: Walker = walker  # type: ignore[assignment]
    body = load_robot(robot)
    source = GaitStore(store or gait_home(robot), body)
    with progress(f"{robot} tries its gaits") as waiting:
        evaluate_gaits(source, body, walker=chosen, workers=workers, scheduler=scheduler, on_gait=_reporter(waiting))
    print_next("strut library map", robot, "--store", source.path, "--out", "gaits.png")


def _reporter(waiting: Waiting) -> Callable[[GaitRecord, int, int], None]:
    """Return a function that shows how many gaits are done."""

    def report(record: GaitRecord, done: int, total: int) -> None:  # noqa: ARG001
        waiting(f"{done} of {format_count(total, '[gait|gaits]')}", done, total)

    return report


def _counts(grid: str | None) -> tuple[int, int, int] | None:
    if grid is None:
        return None
    try:
        forward, left, height = (int(number) for number in grid.split(","))
    except ValueError as error:
        raise typer.BadParameter(f"'{grid}' is no grid; write three whole numbers, for instance 5,5,5.") from error
    return forward, left, height


def _print_summary(store: GaitStore, *, json: bool) -> None:
    summary = gait_summary(store)
    if json:
        print_json(summary.as_dict())
        return
    rows = [(name, f"{median:.3g}", f"{worst:.3g}") for name, (median, worst) in summary.figures.items()]
    print_table(
        f"{summary.found} of {format_count(summary.total, '[gait|gaits]')} in {store.path}",
        ("figure", "median", "worst"),
        rows,
    )
    print_lines(*(f"  {reason}" for reason in summary.reasons))
