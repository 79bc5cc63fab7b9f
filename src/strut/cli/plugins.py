"""`strut plugins`: what installed packages add to strut."""

from __future__ import annotations

from strut.cli.options import Json
from strut.cli.screen import print_json, print_lines, print_table
from strut.registry import plugins as installed_plugins


def plugins(json: Json = False) -> None:
    """List what installed packages add. Example: strut plugins."""
    added = installed_plugins()
    if json:
        print_json([plugin._asdict() for plugin in added])
    elif not added:
        print_lines("No installed package adds anything; CONTRIBUTING.md shows how to write one.")
    else:
        rows = [
            [
                plugin.group.removeprefix("strut."),
                f"{plugin.name} (hidden: strut has one of this name)" if plugin.is_hidden else plugin.name,
                plugin.package,
                plugin.target,
            ]
            for plugin in added
        ]
        print_table("plugins", ["kind", "name", "package", "target"], rows)
