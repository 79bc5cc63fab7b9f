"""Code sheet: the table of labels for a laboratory to code, made from the answers of a study."""

from __future__ import annotations

import csv
import io
from contextlib import closing
from pathlib import Path

from strut.errors import StudyError
from strut.plumbing.atomic_files import write_atomically
from strut.study.design.design import read_design
from strut.study.questions.free_label import FreeLabel
from strut.study.statistics.answer_table import answers_of
from strut.study.statistics.answers import read_answers
from strut.study.statistics.labels import CODES_FILE, code_sheet, read_codes
from strut.study.study_folder import open_study


def save_code_sheet(
    folder: Path | str, *, answers: Path | str | None = None, database: str | None = None
) -> tuple[Path, int, int]:
    """Write `labels.csv` into a study's folder; return its path, the number of labels and the number of coded ones.

    Existing codes and other columns are kept. `report_study` analyses the codes as the answers of participants.

    Args:
        folder: Of the study.
        answers: A table of answers instead of the database.
        database: Where the answers are, if not in the folder.

    Example:
        >>> strut.study.save_code_sheet("mystudy")  # doctest: +SKIP
    """
    folder = Path(folder)
    design = read_design(folder)
    path = folder / CODES_FILE
    if not isinstance(design.ask, FreeLabel):
        raise StudyError(f"{design.name} asks a {design.question} question; only free-label has labels to code.")
    if answers:
        table = read_answers(answers)
    else:
        opened = open_study(folder, database, make=False)
        with closing(opened.database):
            table = answers_of(design, opened.database.rows())
    codes = read_codes(path)
    sheet = code_sheet(table, path.read_text("utf-8-sig") if path.is_file() else "")
    write_atomically(path, sheet.encode(), force=True)
    labels = sum(1 for _ in csv.DictReader(io.StringIO(sheet)))  # a cell may have several lines
    return path, labels, len(codes.by_label) if codes else 0
