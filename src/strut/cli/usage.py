"""Usage: a mistyped option as one sentence, in the place of the messages of the command-line library."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_MUST_BE = {  # by pydantic's name of the mistake; typer reads options by pydantic
    "float_parsing": "a number",
    "int_parsing": "a whole number",
    "greater_than_equal": "at least {ge}",
    "less_than_equal": "at most {le}",
}


def is_usage_error(error: BaseException) -> bool:
    """Return whether an error is one of the command-line library's own."""
    return hasattr(error, "format_message")


def usage_sentence(error: Any, verb: str | None) -> str:
    """Return what is wrong, and which help page says what is right."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context is not None else f"strut {verb}" if verb else "strut"
    words = error.format_message().removeprefix("Invalid value: ").strip().rstrip(".")
    mistakes = error.__cause__.errors() if hasattr(error.__cause__, "errors") else ()
    if mistakes:
        words = _mistake(error.param, mistakes[0]) or words
    return f"{words}{'' if words.endswith('?') else '.'} See `{command} --help`."


def _mistake(parameter: Any, mistake: Mapping[str, Any]) -> str | None:
    """Return a sentence about a value that an option does not take; None for a kind of mistake without one."""
    option = parameter.opts[0]
    typed = str(mistake["input"])
    wanted = _MUST_BE.get(mistake["type"])
    if parameter.nargs > 1 and typed.startswith("--"):
        return f"{option} needs {parameter.nargs} values, but {typed} comes before they are complete"
    if wanted is None:
        return None
    return f"{option} is '{typed}'; it must be {wanted.format(**mistake.get('ctx', {}))}"
