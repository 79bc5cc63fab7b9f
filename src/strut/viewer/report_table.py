"""Report table: a table of a report, for pages and for text."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table with its texts.

    Args:
        title: Names the table in text output.
        heading: Above the table on a page.
        words: Paragraph under the heading; none if empty.
        caption: Of the table on a page.
        header: One text per column.
        rows: One text per cell.
    """

    title: str
    heading: str
    words: str
    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]
