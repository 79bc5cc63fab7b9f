"""Answers: what people answered, one row per trial, in the long format that every statistics package reads.

Columns: `participant`, `block`, `trial`, `intended`, then `perceived` (a choice), ratings (`pleasure`, `arousal`,
`dominance`, `rating`, or the items of the improvement form), `chosen` (one of `stimulus` and `other`), `label` (words
of people's own) or the columns of a package's question. `stimulus`, `control`, `trace` with `trace_hz` (a rating over
time), `confidence`, `group`, `attention`, `options`, `do_not_know`, `practice`, `simulated`, `excluded` and
`factor_...` columns are optional; every other column is ignored.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from strut.arrays import Mask
from strut.errors import AnswersError, OutOfRangeError
from strut.plumbing.csv_text import original_cell
from strut.plumbing.regular_file import check_regular
from strut.study.design.exclusion import attention_words, excluded_words
from strut.study.questions.question import question_types
from strut.study.statistics.cells import read_number, read_whole_number, read_word

if TYPE_CHECKING:
    import pandas as pd

IntArray = npt.NDArray[np.int64]
DO_NOT_KNOW = "do not know"
NO_CONTROL = "none"
HIT_RATE = "hit rate"
PadScale = Literal["pleasure", "arousal", "dominance"]
PAD_SCALES: tuple[PadScale, ...] = get_args(PadScale)
_FACTOR = "factor_"
_YES = ("1", "true", "True")
_MAX_FILE_BYTES = 200_000_000
_UNIT_SCALE = (-1.0, 1.0)


def answer_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Return those columns of a table that hold what people answered, of all types of question."""
    columns = list(names)
    found = (name for question in question_types().values() for name in question.answer_cells_in(columns))
    return tuple(dict.fromkeys(found))


def rating_columns(names: Iterable[str]) -> tuple[str, ...]:
    """Return those columns of a table that hold ratings, of all types of question."""
    columns = list(names)
    ratings = [question for question in question_types().values() if question.are_ratings]
    return tuple(dict.fromkeys(name for question in ratings for name in question.answer_cells_in(columns)))


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What people answered.

    Args:
        table: One row per answer, with the columns named above: ratings are NaN where a participant could not decide,
            `stimulus` is the intended emotion if nothing finer is known, `control` the difference from neutral that a
            stimulus lacked, "none" for original motions.
        options: How many answers people could choose from, if the table has it.
        practice: How many practice answers were left out.
        simulated: Whether a response model answered, not people.
        do_not_know: Whether "do not know" was among the options, if the table has it.
        remarks: What was done to the table while it was read, in sentences.
    """

    table: pd.DataFrame
    options: int | None = None
    practice: int = 0
    simulated: bool = False
    do_not_know: bool | None = None
    remarks: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        usual = {"block": 1, "stimulus": self.table["intended"], "control": NO_CONTROL}
        missing = {name: value for name, value in usual.items() if name not in self.table}
        object.__setattr__(self, "table", self.table.assign(**missing).reset_index(drop=True))

    def __len__(self) -> int:
        return len(self.table)

    @property
    def originals(self) -> Answers:
        """The answers to original motions, without controls."""
        return replace(self, table=self.table[self.table["control"] == NO_CONTROL])

    @property
    def participants(self) -> tuple[str, ...]:
        """All participants, in order of appearance."""
        return tuple(self.table["participant"].unique())

    @property
    def emotions(self) -> tuple[str, ...]:
        """The intended emotions, neutral first, the others in alphabetical order."""
        return tuple(sorted(self.table["intended"].unique(), key=lambda name: (name != "neutral", name)))

    @property
    def are_choices(self) -> bool:
        """Whether the study asked for a choice of emotions."""
        return "perceived" in self.table

    @property
    def are_pairs(self) -> bool:
        """Whether the study compared two motions at a time."""
        return "chosen" in self.table

    @property
    def correct(self) -> Mask:
        """Which answers are hits: they name the intended emotion. Shape (N,)."""
        return np.asarray(self.table["perceived"] == self.table["intended"], dtype=bool)

    @property
    def ratings(self) -> pd.DataFrame:
        """The ratings, one column per scale."""
        return self.table[list(rating_columns(self.table))]

    @property
    def measures(self) -> tuple[pd.DataFrame, list[str]]:
        """The table with all measures, ratings and then hits of choices, and the names of their columns."""
        if not self.are_choices:
            return self.table, list(self.ratings)
        return self.table.assign(**{HIT_RATE: self.correct.astype(float)}), [*self.ratings, HIT_RATE]

    @property
    def factors(self) -> pd.DataFrame:
        """What the stimuli differed in, one column per factor."""
        columns = [name for name in self.table if name.startswith(_FACTOR)]
        return self.table[columns].rename(columns=lambda name: name.removeprefix(_FACTOR))


def read_answers(path: Path | str, *, scale: tuple[float, float] | None = None) -> Answers:
    """Read a table of answers; raise AnswersError with the line if something in it is wrong.

    Args:
        path: CSV in UTF-8, one row per answer.
        scale: Lowest and highest value of raw ratings, such as (1, 9), which are then rescaled to -1 to 1.

    Example:
        >>> strut.study.study_statistics(strut.study.read_answers("answers.csv")).participants
    """
    path = Path(path)
    try:
        check_regular(path)
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise AnswersError(str(path), f"is larger than {_MAX_FILE_BYTES // 1_000_000} MB; split it.")
        text = path.read_text("utf-8-sig")
    except FileNotFoundError as error:
        raise AnswersError(str(path), "there is no such file.") from error
    except OSError as error:
        raise AnswersError(str(path), f"cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise AnswersError(str(path), "is not text in UTF-8; save it as CSV in UTF-8.") from error
    return parse_answers(text, str(path), scale=scale)


def parse_answers(text: str, source: str, *, scale: tuple[float, float] | None = None) -> Answers:
    """Return the answers of a CSV text; `source` names it in errors, `scale` is that of raw ratings."""
    import pandas as pd  # noqa: PLC0415  (half a second that other verbs need not pay)

    if scale and not -math.inf < scale[0] < scale[1] < math.inf:
        raise OutOfRangeError(f"The scale is {scale[0]:g} to {scale[1]:g}; give the lowest rating first, as in 1 9.")
    cells, practice, excluded = _read_cells(text, source)
    _check_unique(cells, source)
    readers = _readers(list(cells), scale or _UNIT_SCALE)
    holds_ratings = bool(rating_columns(cells))
    if holds_ratings and "perceived" in cells and not cells["perceived"].any():
        del readers["perceived"]  # an export of a rating study carries the column, but empty
    columns = {name: _read_column(cells[name], read, source) for name, read in readers.items() if name in cells}
    table = pd.DataFrame(columns, index=cells.index)
    for question in question_types().values():
        question.check_table(table, source)
    table, joined = _join_spellings(table)
    rescaled = (f"Raw ratings from {scale[0]:g} to {scale[1]:g} were rescaled to -1 to 1.",) if scale else ()
    simulated = _flags(cells, "simulated")
    if simulated.nunique() > 1:
        raise AnswersError(source, "mixes simulated answers with those of people; separate them by `simulated`.")
    answers = Answers(
        table,
        options=_options(cells, source),
        practice=practice,
        simulated=bool(simulated.iloc[0]),
        do_not_know=bool(_flags(cells, "do_not_know").any()) if "do_not_know" in cells else None,
        remarks=(*excluded, *joined, *rescaled),
    )
    if not answers.are_choices and len(answers.ratings.columns) and answers.ratings.isna().all(axis=None):
        raise AnswersError(source, "holds no rating: every cell is empty.")
    return answers


def _flags(cells: pd.DataFrame, name: str) -> pd.Series:
    """Return in which rows a column says yes; in none if there is no such column."""
    return (cells[name] if name in cells else cells["participant"].map(lambda _participant: "")).isin(_YES)


def _readers(names: Collection[str], scale: tuple[float, float]) -> dict[str, Callable[[str], Any]]:
    """Return a function for each column that the table may have, which reads one of its cells."""
    readers: dict[str, Callable[[str], Any]] = {"participant": read_word, "block": read_whole_number}
    readers |= {"trial": read_whole_number}
    readers |= dict.fromkeys(("intended", "perceived", "stimulus", "control", "group"), read_word)
    for question in question_types().values():
        cells = {**question.answer_cells_in(names), **question.context_cells}
        readers |= {name: partial(_read_scaled, read, scale) for name, read in cells.items()}
    readers |= {"confidence": lambda cell: read_number(cell, (0.0, 100.0))}
    return readers | dict.fromkeys((name for name in names if name.startswith(_FACTOR)), read_number)


def _read_scaled(read: Callable[[str, tuple[float, float]], object], scale: tuple[float, float], cell: str) -> object:
    return read(cell, scale)


def _read_cells(text: str, source: str) -> tuple[pd.DataFrame, int, tuple[str, ...]]:
    """Return the cells as text with lines as index, the count of practice answers, and sentences about exclusions."""
    import pandas as pd  # noqa: PLC0415

    reader = csv.reader(io.StringIO(text))
    header = [name.strip() for name in next(reader, ())]
    _check_header(header, source)
    rows: dict[int, list[str]] = {}
    try:
        for row in filter(None, reader):
            if len(row) > len(header):
                raise AnswersError(source, f"has more cells than the {len(header)} columns.", reader.line_num)
            rows[reader.line_num] = [original_cell(cell.strip()).strip() for cell in row] + [""] * (
                len(header) - len(row)
            )
    except csv.Error as error:
        raise AnswersError(source, f"is not CSV: {error}.", reader.line_num) from error
    cells = pd.DataFrame.from_dict(rows, orient="index", columns=header, dtype=object)
    practice = _flags(cells, "practice")
    attention, excluded = (cells.get(name, pd.Series("", cells.index)) for name in ("attention", "excluded"))
    marks = excluded[~practice]
    counted = cells[~practice & (excluded == "") & (attention == "")]
    remarks = (
        *attention_words(list(cells["participant"]), list(attention), list(excluded)),
        *excluded_words(marks),
    )
    if not len(counted):
        besides = "practice" if not (marks != "").any() else "practice and those marked as excluded"
        raise AnswersError(source, f"holds no answers besides {besides}." if rows else "holds no answers.")
    return counted, int(practice.sum()), remarks


def _check_header(header: Sequence[str], source: str) -> None:
    missing = [name for name in ("participant", "trial", "intended") if name not in header]
    twice = [name for name, count in Counter(header).items() if count > 1]
    found = ", ".join(header) or "nothing"
    faults = {
        "has semicolons between its cells; save it with commas.": ";" in found and len(header) == 1,
        f"lacks the column {' and '.join(missing)}; its first line has {found}.": bool(missing),
        "has neither `perceived`, `chosen` nor `label` nor a rating such as `pleasure` or `rating`.": not (
            answer_columns(header)
        ),
        f"has the column {' and '.join(twice)} twice.": bool(twice),
    }
    for reason, is_wrong in faults.items():
        if is_wrong:
            raise AnswersError(source, reason, 1)


def _check_unique(cells: pd.DataFrame, source: str) -> None:
    """Refuse two answers of one participant to one trial."""
    keys = cells.assign(block=cells.get("block", "1"))[["participant", "block", "trial"]]
    again = keys.duplicated()
    if again.any():
        line = again.idxmax()
        participant, block, trial = keys.loc[line]
        first = (keys == keys.loc[line]).all(axis=1).idxmax()
        reason = f"participant {participant}, block {block}, trial {trial} is on line {first} already."
        raise AnswersError(source, reason, line)


def _read_column(cells: pd.Series, read: Callable[[str], Any], source: str) -> list[Any]:
    """Return the values of a column; a ValueError of `read` says what a cell is instead."""
    values = []
    for line, cell in cells.items():
        try:
            values.append(read(cell))
        except ValueError as error:
            raise AnswersError(source, f"{cells.name} is {error}", line) from error
    return values


def _options(cells: pd.DataFrame, source: str) -> int | None:
    """Return how many answers were offered; None if the table does not have it."""
    if "options" not in cells:
        return None
    counts: list[int] = _read_column(cells["options"], read_whole_number, source)
    low = min(counts)
    high = max(counts)
    if low != high or low < 2:
        raise AnswersError(source, f"options goes from {low} to {high}; all rows need one number from 2.")
    return low


def _join_spellings(table: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Join words that differ in capitals only into the first spelling; return the table and a remark."""
    columns = [name for name in ("intended", "perceived") if name in table]
    words = list(dict.fromkeys(word for name in columns for word in table[name]))
    first: dict[str, str] = {}
    spelling = {word: first.setdefault(word.casefold(), word) for word in words}
    joined = [f"'{word}' with '{kept}'" for word, kept in spelling.items() if word != kept]
    if not joined:
        return table, ()
    remark = f"Words that differ in capitals only were joined: {', '.join(joined)}."
    return table.assign(**{name: table[name].map(spelling) for name in columns}), (remark,)
