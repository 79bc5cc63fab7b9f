"""Paired options: options that need another one, or exclude it, are refused instead of ignored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import typer

from strut.plumbing.number_text import join_words


def was_typed(context: typer.Context, name: str) -> bool:
    """Return whether an option was typed; its value alone does not say so, because a default may be typed, too."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def spelled(context: typer.Context, name: str) -> str:
    """Return an option as it is typed: `--for` of a parameter called `finding`."""
    return next(str(option.opts[0]) for option in context.command.params if option.name == name)


def check_partners(context: typer.Context, partners: Mapping[str, Sequence[str]]) -> None:
    """Raise if an option was typed without any of those that it needs."""
    for name, others in partners.items():
        if was_typed(context, name) and not any(was_typed(context, other) for other in others):
            needed = join_words([spelled(context, other) for other in others], last="or")
            raise typer.BadParameter(f"{spelled(context, name)} needs {needed}; add it, or leave the option out.")


def check_apart(context: typer.Context, apart: Mapping[str, Sequence[str]]) -> None:
    """Raise if an option was typed beside one that excludes it."""
    for name, others in apart.items():
        beside = next((other for other in others if was_typed(context, other)), None)
        if beside is not None and was_typed(context, name):
            raise typer.BadParameter(
                f"{spelled(context, name)} does not apply with {spelled(context, beside)}; leave one of them out."
            )


def check_only(context: typer.Context, fitting: Sequence[str], reason: str) -> None:
    """Raise if an option was typed that is not among those that apply, with the reason."""
    for name in context.params:
        if was_typed(context, name) and name not in fitting:
            raise typer.BadParameter(f"{spelled(context, name)} {reason}")
