"""`strut doctor`: what strut finds on this machine."""

from __future__ import annotations

from dataclasses import asdict

from strut.cli.options import Json
from strut.cli.screen import print_json, print_lines, print_next, print_table
from strut.plumbing.installation import doctor as find_parts


def doctor(json: Json = False) -> None:
    """List what strut finds on this machine, and how to get the rest. Example: strut doctor."""
    parts = find_parts()
    if json:
        print_json([asdict(part) for part in parts])
        return
    rows = [(one.name, one.found or "missing", one.purpose) for one in parts]
    print_table("What strut finds here", ("name", "found", "what it is for"), rows)
    missing = [one for one in parts if one.found is None]
    print_lines(*(f"{one.name} is missing ({one.purpose}): {one.install}" for one in missing))
    print_next("strut demo")
