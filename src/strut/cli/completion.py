"""Completion: what a shell proposes for a half-typed command; `strut --install-completion` sets it up."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from strut.registry import VERBS, find, names


class Verbs(TyperGroup):
    """All verbs as one command; a verb is imported when its own options are asked for."""

    only_summaries = False

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ARG002
        """Return the names of all verbs."""
        return list(names("strut.verbs"))

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ARG002
        """Return a verb; None if there is none of this name."""
        if self.only_summaries:
            return TyperCommand(cmd_name, help=VERBS[cmd_name].summary if cmd_name in VERBS else None)
        if cmd_name not in names("strut.verbs"):
            return None
        return typer.main.get_command(app_of(cmd_name))

    def shell_complete(self, ctx: Any, incomplete: str) -> Any:
        """Return the verbs that begin so; their summaries are enough."""
        self.only_summaries = True
        return super().shell_complete(ctx, incomplete)


def complete() -> int:
    """Answer the shell, or install or print its script, as the arguments and the environment ask."""
    app = typer.Typer(cls=Verbs, add_completion=True, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.callback()(lambda: None)
    app(prog_name="strut")
    return 0


def app_of(verb: str) -> typer.Typer:
    """Import a verb and return it as an application; raises UnknownNameError."""
    found = find("strut.verbs", verb)
    if isinstance(found, typer.Typer):
        return found
    app = typer.Typer(add_completion=False, pretty_exceptions_enable=False, rich_markup_mode=None)
    app.command()(found)
    return app


def complete_robot(incomplete: str) -> list[str]:
    """Return the robots whose name begins so."""
    from strut.models.catalogue import robots  # noqa: PLC0415  (loads tables that only completion needs here)

    return [name for name in robots() if name.startswith(incomplete)]


def complete_emotion(incomplete: str) -> list[str]:
    """Return the emotions whose name begins so."""
    from strut.emotion import emotions  # noqa: PLC0415  (likewise)

    return [name for name in emotions() if name.startswith(incomplete)]


def complete_emotions(incomplete: str) -> list[str]:
    """Return what a list that is separated by commas may become: its last name completed."""
    before, comma, last = incomplete.rpartition(",")
    return [f"{before}{comma}{name}" for name in complete_emotion(last)]
