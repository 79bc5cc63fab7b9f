"""Expression file: a robot's expression.toml → its typed table."""

from __future__ import annotations

from pathlib import Path

from strut.errors import BadTableError, FieldError
from strut.tables.expression import ExpressionTable
from strut.toml_file import TomlFile


class BadFieldError(FieldError, BadTableError):
    """A field of a robot's folder does not hold what belongs there."""


def read_expression(path: Path) -> ExpressionTable:
    """Return what feelings do to a body."""
    return TomlFile(path.read_text("utf-8"), str(path), BadFieldError).decode(ExpressionTable)
