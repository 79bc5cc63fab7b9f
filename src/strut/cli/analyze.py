"""`strut analyze`: human walks in numbers and curves, side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.analysis.gait_analysis import analyze as measure
from strut.cli.options import Force, Json
from strut.cli.screen import print_json, print_lines, print_next, print_table
from strut.io.atomic import check_writable, write_atomically
from strut.io.motion_file import load_motion
from strut.show.gait_wording import contactless_sentence, doubt_sentences, gait_tables, left_out_sentences


def analyze(
    motions: Annotated[list[Path], typer.Argument(help="Motion files of human models.")],
    html: Annotated[Path | None, typer.Option(help="Page with curves over the gait cycle to write.")] = None,
    csv: Annotated[
        Path | None, typer.Option(help="Table to write: angles, torques, powers and forces at 0 to 100 % of the cycle.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Measure and compare human walks. Example: strut analyze neutral.npz sad.npz --html report.html."""
    for path, ending in ((html, ".html"), (csv, ".csv")):
        if path is not None:
            check_writable(path, force=force, ending=ending)
    found = measure({name: load_motion(path) for name, path in _names(motions).items()})
    if csv is not None:
        write_atomically(csv, found.cycles_csv().encode(), force=force)
    if html is not None:
        from strut.show.gait_report import save_gait_report  # noqa: PLC0415  (plots are slow to import)

        save_gait_report(found, html, force=force)
    print_lines(*(f"wrote {path}" for path in (csv, html) if path is not None))
    print_lines(*(contactless_sentence(name) for name, (_, motion) in found.walks.items() if not motion.contact.any()))
    print_lines(*(words for name, walk in found.walks.items() for words in doubt_sentences(name, *walk)))
    if json:
        print_json(found.as_dict())
        return
    for table in gait_tables(found):
        print_table(table.title, table.header, table.rows)
    if len(found.walks) > 1:
        print_lines(*left_out_sentences(found))
    if html is None:
        print_next("strut analyze", *motions, "--html", "report.html")


def _names(paths: list[Path]) -> dict[str, Path]:
    """Return the files by short name; by their whole path if two would be called the same."""
    short = {path.stem: path for path in paths}
    return short if len(short) == len(set(paths)) else {str(path): path for path in paths}
