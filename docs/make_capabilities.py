"""Generate the page of what five published systems describe, from `docs/capabilities.toml`.

mkdocs runs this as a hook. `python docs/make_capabilities.py FOLDER` writes the same page into a folder.
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Literal, get_args

import msgspec

FILE = Path(__file__).parent / "capabilities.toml"
PAGE = "results/capabilities.md"
State = Literal["works", "partly", "missing", "hardware"]
STATES: tuple[State, ...] = get_args(State)


class Capability(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that a document describes.

    Args:
        id: Letter of the document and number.
        what: What it is.
        place: Place in the document.
        shows: Commands (`strut walk ...`), Python names (`strut.style_for`) and benchmarks that show it.
        state: `hardware` if the machine itself is needed.
        reason: What is missing; empty if it works.
    """

    id: str
    what: str
    place: str
    shows: tuple[str, ...]
    state: State
    reason: str = ""


class Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A published system."""

    name: str
    title: str
    item: tuple[Capability, ...]


class Capabilities(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All documents."""

    document: tuple[Document, ...]


def documents() -> tuple[Document, ...]:
    """Return the documents and their items."""
    return msgspec.convert(tomllib.loads(FILE.read_text("utf-8")), Capabilities).document


def pages() -> dict[str, str]:
    """Return the page by its path below `docs/`."""
    listed = documents()
    words = (
        "What five published systems describe and wish for, the command or the Python name that shows it, and what is "
        "missing. `strut reproduce` compares the numbers."
    )
    lines = ["# Published systems, item by item", "", words, ""]
    lines += [f"| document | items | {' | '.join(STATES)} |", f"|---|---|{'---|' * len(STATES)}"]
    lines += [_counts(document.title, document.item) for document in listed]
    lines += [_counts("all", [item for document in listed for item in document.item]), ""]
    for document in listed:
        lines += [f"## {document.title}", "", "| id | what | place | shown by | state | what is missing |"]
        lines += ["|---|---|---|---|---|---|", *(_row(item) for item in document.item), ""]
    return {PAGE: "\n".join(lines)}


def _counts(title: str, items: Iterable[Capability]) -> str:
    counts = Counter(item.state for item in items)
    return f"| {title} | {counts.total()} | {' | '.join(str(counts[state]) for state in STATES)} |"


def _row(item: Capability) -> str:
    shows = "<br>".join(f"`{one}`" for one in item.shows)
    return f"| {item.id} | {item.what} | {item.place} | {shows} | {item.state} | {item.reason} |"


# mkdocs


def on_files(files: Any, config: Any) -> Any:
    """Add the page to the site."""
    from mkdocs.structure.files import File  # noqa: PLC0415 -- only mkdocs calls this

    for path, content in pages().items():
        files.append(File.generated(config, path, content=content))
    return files


if __name__ == "__main__":
    for name, text in pages().items():
        path = Path(sys.argv[1]) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
