"""`strut library`: store motions and find them again, and build the gaits of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.cli.options import Force, Json
from strut.cli.screen import print_json, print_lines, print_next, print_receipt, print_table, progress
from strut.formats.motion_file import load_motion, save_motion
from strut.library.motion_library import LibraryEntry, LibraryMode, MotionLibrary
from strut.registry import find, names

library = typer.Typer(
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Store motions and find them by emotion, mode and length. Example: strut library add sad.npz.",
)
for _name in names("strut.library_verbs"):
    library.command(_name)(find("strut.library_verbs", _name))
Store = Annotated[Path | None, typer.Option(help="Library file.  [default: ~/.strut/motions.db]")]


@library.command()
def add(
    motions: Annotated[list[Path], typer.Argument(help="Motion files.")],
    title: Annotated[str | None, typer.Option(help="For people; the motion's own if left out.")] = None,
    mode: Annotated[str | None, typer.Option(help="stand or walk; follows from the motion if left out.")] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Add motions. Example: strut library add sad.npz --title "Nobody came"."""
    if mode is not None and mode not in ("stand", "walk"):
        raise typer.BadParameter(f"--mode is '{mode}'; choose stand or walk.")
    chosen: LibraryMode | None = mode  # type: ignore[assignment]
    target = MotionLibrary(store)
    entries = []
    with progress("adds motions") as waiting:
        for number, path in enumerate(motions):
            waiting(f"adds {path}", number, len(motions))
            entries.append(target.add(load_motion(path), title=title, mode=chosen))
    if json:
        print_json([entry.as_dict() for entry in entries])
    print_lines(*(f"{entry.id}: {entry.title}" for entry in entries))
    print_next("strut library show", entries[0].id, *_in(store))


@library.command()
def query(
    words: Annotated[
        list[str] | None, typer.Argument(help="Such as: sad, standing, under 6 s. All of them if left out.")
    ] = None,
    store: Store = None,
    json: Json = False,
) -> None:
    """Find motions by emotion, mode, robot or length. Example: strut library query "sad, standing, under 6 s"."""
    entries = MotionLibrary(store).query(" ".join(words or []))
    if json:
        print_json([entry.as_dict() for entry in entries])
        return
    print_table(
        f"motions: {len(entries)}", ("ID", "title", "robot", "emotion", "mode", "s"), [_row(e) for e in entries]
    )
    if entries:
        print_next("strut library show", entries[0].id, *_in(store))
    else:
        print_lines("No motion in the library matches all words; leave some out.")
        print_next("strut library query", *_in(store))


@library.command()
def show(
    identity: Annotated[str, typer.Argument(metavar="ID", help="Of a motion, or the beginning of it.")],
    out: Annotated[Path | None, typer.Option(help="Motion file to write.")] = None,
    store: Store = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Print the receipt of a motion and write it to a file. Example: strut library show 3f1a --out sad.npz."""
    source = MotionLibrary(store)
    entry = source.entry(identity)
    motion = source.motion(identity)
    if json:
        print_json(entry.as_dict())
    print_lines(f"{entry.id}: {entry.title}; {entry.robot}, {entry.mode}, {entry.duration_s:.1f} s")
    if motion.receipt is not None:
        print_receipt(motion.receipt)
    if out is not None:
        save_motion(motion, out, force=force)
        print_lines(f"wrote {out}")
        print_next("strut show", out)


def _in(store: Path | None) -> tuple[str | Path, ...]:
    """Return the option of the next command for a library that is not the default one."""
    return () if store is None else ("--store", store)


def _row(entry: LibraryEntry) -> tuple[str, ...]:
    return entry.id, entry.title, entry.robot, entry.emotion or "", entry.mode, f"{entry.duration_s:.1f}"
