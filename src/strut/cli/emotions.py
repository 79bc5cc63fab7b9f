"""`strut emotions`: the named emotions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from strut.cli.options import Json
from strut.cli.screen import print_json, print_next, print_table
from strut.emotion import emotions as named_emotions
from strut.models.catalogue import HOME, load_robot, names_in


def emotions(json: Json = False) -> None:
    """List the named emotions and the robots with published poses. Example: strut emotions --json."""
    table = named_emotions()
    anchors = {name: tuple(load_robot(name).expression.anchor) for name in names_in(HOME)}
    published = {emotion: [robot for robot, known in anchors.items() if emotion in known] for emotion in table}
    if json:
        print_json([{"name": name, **entry, "published_for": published[name]} for name, entry in table.items()])
        return
    columns = ["name", "pleasure", "arousal", "dominance", "confirmed", "also called", "published pose"]
    print_table("emotions", columns, [_row(name, entry, published[name]) for name, entry in table.items()])
    print_next("strut walk mrpete --emotion sad")


def _row(name: str, entry: Mapping[str, Any], robots: Sequence[str]) -> list[str]:
    return [
        name,
        *(f"{value:+.2f}" for value in entry["pad"]),
        "yes" if entry["confirmed"] else "look it up before citing",
        ", ".join(entry["also_called"]),
        ", ".join(robots) or ("every robot" if name == "neutral" else "blended"),
    ]
