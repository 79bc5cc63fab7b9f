"""Gait PDF: the gait report as sheets of A4 paper, for a patient's file."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Iterable, Sequence

import matplotlib as mpl
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.transforms import Bbox

from strut.viewer.plots import INK, LOOK, PALE
from strut.viewer.report_table import ReportTable

A4_IN = (11.69, 8.27)  # on its side
MARGIN_IN = 0.6
HEAD_IN = 0.55  # above and below a figure, for its heading and caption
ROW_IN = 0.2  # of a table
LETTERS = 150  # in a line of text


def encode_gait_pdf(
    title: str,
    paragraphs: Sequence[str],
    tables: Iterable[ReportTable],
    curves: Iterable[tuple[str, Sequence[tuple[Figure, str]]]],
) -> bytes:
    """Return a PDF with sheets of tables and then a sheet for each figure.

    Args:
        title: On the first sheet.
        paragraphs: Under it.
        tables: In order.
        curves: Headings with their figures and captions.
    """
    document = io.BytesIO()
    with mpl.rc_context(LOOK | {"pdf.fonttype": 42}), PdfPages(document, metadata={"Title": title}) as pages:
        for sheet in _table_sheets(title, paragraphs, tables):
            pages.savefig(sheet)
        for heading, figures in curves:
            for figure, caption in figures:
                pages.savefig(figure, bbox_inches=_on_paper(figure, heading, caption))
    return document.getvalue()


class _Sheets:
    """Sheets that are written from the top; a line that does not fit begins the next one."""

    def __init__(self) -> None:
        self.figures: list[Figure] = []
        self.free_in = 0.0  # height that is left on the last one

    def reserve(self, height_in: float) -> float:
        """Return the height at which something may begin, as a share of the sheet, and take its room."""
        if self.free_in < height_in:
            self.figures.append(Figure(figsize=A4_IN))
            self.free_in = A4_IN[1] - 2.0 * MARGIN_IN
        top = (self.free_in + MARGIN_IN) / A4_IN[1]
        self.free_in -= height_in
        return top

    def write(self, text: str, size: float, *, spared_in: float = 0.0) -> None:
        """Write a paragraph; it begins on a sheet that has `spared_in` left below it."""
        for number, words in enumerate(textwrap.wrap(text, LETTERS)):
            height_in = 1.6 * size / 72.0
            if number == 0 and self.free_in < height_in + spared_in:
                self.free_in = 0.0
            top = self.reserve(height_in)
            self.figures[-1].text(MARGIN_IN / A4_IN[0], top, words, fontsize=size, color=INK, va="top")

    def write_row(self, cells: Sequence[str], *, is_header: bool) -> None:
        """Write a row of a table, with a rule under it."""
        top = self.reserve(ROW_IN)
        left = MARGIN_IN / A4_IN[0]
        first = 0.36 * (1.0 - 2.0 * left)
        each = (1.0 - 2.0 * left - first) / max(1, len(cells) - 1)
        weight = "bold" if is_header else "normal"
        for column, cell in enumerate(cells):
            place = left if column == 0 else left + first + (column - 1) * each
            self.figures[-1].text(place, top, cell, fontsize=8.5, color=INK, weight=weight, va="top")
        rule = top - 0.82 * ROW_IN / A4_IN[1]
        self.figures[-1].add_artist(Line2D([left, 1.0 - left], [rule, rule], color=PALE, linewidth=0.25))


def _table_sheets(title: str, paragraphs: Sequence[str], tables: Iterable[ReportTable]) -> list[Figure]:
    """Return sheets with the title, its paragraphs and the tables; a long table goes on under its header again."""
    sheets = _Sheets()
    sheets.write(title, 16.0)
    for text in paragraphs:
        sheets.write(text, 9.0)
    for table in tables:
        sheets.free_in -= 0.15
        sheets.write(table.heading, 12.0, spared_in=5.0 * ROW_IN)
        sheets.write(table.words, 8.0)
        sheets.free_in -= 0.05
        sheets.write_row(table.header, is_header=True)
        for row in table.rows:
            if sheets.free_in < ROW_IN:
                sheets.write_row(table.header, is_header=True)
            sheets.write_row(row, is_header=False)
    return sheets.figures


def _on_paper(figure: Figure, heading: str, caption: str) -> Bbox:
    """Write heading and caption around a figure; return the sheet around it in inches, in the proportions of A4."""
    width_in, height_in = figure.get_size_inches()
    sheet_in = max(width_in + 2.0 * MARGIN_IN, (height_in + 2.0 * (MARGIN_IN + HEAD_IN)) * A4_IN[0] / A4_IN[1])
    tall_in = sheet_in * A4_IN[1] / A4_IN[0]
    left_in = (width_in - sheet_in) / 2.0
    top_in = height_in + MARGIN_IN + HEAD_IN
    start = (left_in + MARGIN_IN) / width_in
    size = sheet_in / A4_IN[0]
    figure.text(start, 1.0 + HEAD_IN / height_in, heading, fontsize=13.0 * size, color=INK, va="top")
    words = "\n".join(textwrap.wrap(caption, LETTERS))
    figure.text(start, -0.2 / height_in, words, fontsize=8.5 * size, color=INK, va="top")
    return Bbox([[left_in, top_in - tall_in], [left_in + sheet_in, top_in]])
