"""`strut check` of a folder or of several files: a summary for people, results for programs, and a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from strut.cli.screen import print_json, print_lines, print_next, progress
from strut.diagnosis.clip_result import REFUSED, UNREADABLE, ClipResult, check_clip, clip_key
from strut.diagnosis.clip_run import check_clips, clips_in
from strut.diagnosis.clips_page import badness, clips_page, value_text, verdict_counts
from strut.plumbing.atomic_files import write_atomically
from strut.plumbing.number_text import format_count

SHOWN_CLIPS = 6  # of the worst ones; with the other lines at most 20
SHOWN_UNREADABLE = 2


def check_many(
    places: Sequence[Path],
    options: Mapping[str, Any],
    *,
    margin_m: float | None,
    workers: int | None,
    scheduler: str | None,
    out: Path | None,
    html: Path | None,
    json: bool,
) -> bool:
    """Check clips, print a summary, and return whether all of them keep their limits."""
    files = clips_in(places)
    results_path = out or _results_path(places)
    total = len(files)
    computed = 0
    with progress(f"checks {format_count(total, '[clip|clips]')}") as waiting:

        def report(done: int, of: int, result: ClipResult) -> None:
            nonlocal computed
            computed = done
            waiting(f"checked {done} of {of}, last {Path(result.file).name}: {result.verdict}", done, of)

        results = check_clips(
            files, options, results_path, margin_m=margin_m, workers=workers, scheduler=scheduler, on_clip=report
        )
        if html is not None:
            waiting(f"draws {html}")
            write_atomically(html, clips_page(results, options), force=True)
    if json:
        print_json([result.as_dict() for result in results])
    kept = f", {total - computed} of them before" if computed < total else ""
    print_lines(f"checked {format_count(total, '[clip|clips]')}{kept}: {verdict_counts(results)}", *_summary(results))
    print_lines(f"wrote {results_path}{'' if html is None else f' and {html}'}")
    worst = max(results, key=badness)
    if worst.breaks:
        named = ["--robot", str(options["robot"])] if "robot" in options else []
        print_next("strut check", worst.file, *named, "--html", f"{Path(worst.file).stem}.html")
    return all(result.verdict not in (REFUSED, UNREADABLE) for result in results)


def _results_path(places: Sequence[Path]) -> Path:
    """Return the usual results file: beside a folder, or in the working directory for several files."""
    if len(places) == 1:
        folder = places[0].resolve()
        return places[0].parent / f"{folder.name}.check.jsonl" if places[0].name else Path(f"{folder.name}.check.jsonl")
    return Path("clips.check.jsonl")


def _summary(results: Sequence[ClipResult]) -> list[str]:
    """Return how many clips break each limit, and the worst clips."""
    lines = []
    for quantity in dict.fromkeys(row.quantity for result in results for row in result.breaks):
        rows = [(row, result) for result in results for row in result.breaks if row.quantity == quantity]
        row, result = max(rows, key=lambda one: one[0].worst)
        lines.append(
            f"  {quantity}: {format_count(len(rows), '[clip|clips]')}, at worst {value_text(row)} "
            f"({Path(result.file).name}, {row.subject} at {row.at_s:.2f} s)"
        )
    unreadable = [one.reasons[0] for one in results if one.verdict == UNREADABLE]
    lines += [f"  {reason}" for reason in unreadable[:SHOWN_UNREADABLE]]
    if len(unreadable) > SHOWN_UNREADABLE:
        lines.append(f"  and {len(unreadable) - SHOWN_UNREADABLE} more that cannot be read; the results name them")
    worst = sorted((one for one in results if one.breaks), key=badness, reverse=True)[:SHOWN_CLIPS]
    if worst:
        lines.append("worst clips:")
    lines += [f"  {one.file}: {', '.join(row.quantity for row in one.breaks)}" for one in worst]
    return lines


def write_page(file: Path, options: Mapping[str, Any], *, margin_m: float | None, html: Path) -> None:
    """Write the page of one clip."""
    key = clip_key(file, options, margin_m, "")
    result = ClipResult.from_dict(check_clip(str(file), key, options, margin_m))
    write_atomically(html, clips_page([result], options), force=True)
