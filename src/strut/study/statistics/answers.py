"""Answers: what people said, one row per trial, in the long format that every statistics package reads.

Columns: `participant`, `block`, `trial`, `intended`, then `perceived` (a choice), ratings (`pleasure`, `arousal`,
`dominance`, `rating`, or the items of the improvement form), `chosen` (one of `stimulus` and `other`) or `label` (words
of people's own). `stimulus`, `control`, `trace` with `trace_hz` (a rating over time), `confidence`, `group`,
`attention`, `options`, `do_not_know`, `practice`, `simulated`, `excluded` and `factor_...` columns are read where they
are there; every other column is left alone.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from strut.errors import AnswersError, OutOfRangeError
from strut.study.design.exclusion import attention_words, excluded_words

if TYPE_CHECKING:
    import pandas as pd

IntArray = npt.NDArray[np.int64]
DO_NOT_KNOW = "do not know"
NO_CONTROL = "none"
HIT_RATE = "hit rate"
PadScale = Literal["pleasure", "arousal", "dominance"]
ImprovementItem = Literal[
    "speed",
    "step_height",
    "step_length",
    "front_knee_position",
    "rear_knee_position",
    "front_feet_position",
    "rear_feet_position",
    "body_height",
    "body_orientation",
]
PAD_SCALES: tuple[PadScale, ...] = get_args(PadScale)
IMPROVEMENT_ITEMS: tuple[ImprovementItem, ...] = get_args(ImprovementItem)
SCALES = (*PAD_SCALES, "rating", *IMPROVEMENT_ITEMS)
_FACTOR = "factor_"
_ANY = (-math.inf, math.inf)
_YES = ("1", "true", "True")
_LARGEST_FILE_BYTES = 200_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What people answered.

    Args:
        table: One row per answer, with the columns named above: ratings are NaN where somebody could not decide,
            `stimulus` is the intended emotion where nothing finer is known, `control` the difference to neutral that a
            stimulus lacked, "none" for motions as they were.
        options: How many answers people could choose from, where the table says it.
        do_not_know: Whether "do not know" was among them, where the table says it.
        practice: How many practice answers were left out.
        simulated: Whether a response model and not people answered.
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
        """The answers to motions as they were, controls left out."""
        return replace(self, table=self.table[self.table["control"] == NO_CONTROL])

    @property
    def participants(self) -> tuple[str, ...]:
        """Everybody who answered, in order of appearance."""
        return tuple(self.table["participant"].unique())

    @property
    def emotions(self) -> tuple[str, ...]:
        """The intended emotions, neutral first, the others in order of their names."""
        return tuple(sorted(self.table["intended"].unique(), key=lambda name: (name != "neutral", name)))

    @property
    def are_choices(self) -> bool:
        """Whether the study asked for a choice."""
        return "perceived" in self.table

    @property
    def are_pairs(self) -> bool:
        """Whether the study compared two motions at a time."""
        return "chosen" in self.table

    @property
    def correct(self) -> npt.NDArray[np.bool_]:
        """Where the intended emotion was seen. Shape (N,)."""
        return np.asarray(self.table["perceived"] == self.table["intended"], dtype=bool)

    @property
    def ratings(self) -> pd.DataFrame:
        """The ratings, one column per scale."""
        return self.table[[name for name in SCALES if name in self.table]]

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
    """Read a table of answers; what is wrong with it is raised as an AnswersError with the line.

    Args:
        path: CSV in UTF-8, one row per answer.
        scale: Lowest and highest value of raw ratings, such as (1, 9), which are then rescaled to -1 to 1.

    Example:
        >>> strut.study_statistics(strut.read_answers("answers.csv")).participants
    """
    path = Path(path)
    try:
        if path.stat().st_size > _LARGEST_FILE_BYTES:
            raise AnswersError(str(path), f"is larger than {_LARGEST_FILE_BYTES // 1_000_000} MB; split it.")
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
    _check_chosen(cells, source)
    readers = _readers(cells, scale or (-1.0, 1.0))
    if _rated_alone(cells):
        del readers["perceived"]  # an export of a rating study carries the column, but empty
    columns = {name: _column(cells[name], read, source) for name, read in readers.items() if name in cells}
    _check_rate(cells, columns, source)
    table, joined = _one_spelling(pd.DataFrame(columns))
    remarks = (*excluded, *joined, *_rescaled_words(scale))
    offered = bool(_flags(cells, "do_not_know").any()) if "do_not_know" in cells else None
    answers = Answers(table, _options(cells, source), practice, _simulated(cells, source), offered, remarks)
    _check_rated(answers, source)
    return answers


def _check_rated(answers: Answers, source: str) -> None:
    if not answers.are_choices and len(answers.ratings.columns) and answers.ratings.isna().all(axis=None):
        raise AnswersError(source, "holds no rating: every cell is empty.")


def _rated_alone(cells: pd.DataFrame) -> bool:
    """Whether a table holds ratings and no choices, although it has the column."""
    return bool(cells.columns.isin(SCALES).any()) and "perceived" in cells and not cells["perceived"].any()


def _rescaled_words(scale: tuple[float, float] | None) -> tuple[str, ...]:
    return (f"Raw ratings from {scale[0]:g} to {scale[1]:g} were rescaled to -1 to 1.",) if scale else ()


def _simulated(cells: pd.DataFrame, source: str) -> bool:
    simulated = _flags(cells, "simulated")
    if simulated.nunique() > 1:
        raise AnswersError(source, "mixes simulated answers with those of people; separate them by `simulated`.")
    return bool(simulated.iloc[0])


def _flags(cells: pd.DataFrame, name: str) -> pd.Series:
    """Return where a column says yes; nowhere if there is none."""
    return (cells[name] if name in cells else cells["participant"].map(lambda _who: "")).isin(_YES)


def _readers(names: Iterable[str], scale: tuple[float, float]) -> dict[str, Callable[[str], Any]]:
    """Return what understands the cells of each column that may be there."""
    readers: dict[str, Callable[[str], Any]] = {"participant": _word, "block": _whole_number, "trial": _whole_number}
    readers |= dict.fromkeys(("intended", "perceived", "stimulus", "control", "group"), _word)
    readers |= dict.fromkeys(("other", "chosen", "intended_other"), _word)
    readers |= {"label": str, "trace": _trace, "trace_hz": lambda cell: _number(cell, (0.0, 1000.0))}
    readers |= {"confidence": lambda cell: _number(cell, (0.0, 100.0))}
    readers |= {name: lambda cell: _rescaled(cell, scale) for name in (*PAD_SCALES, "rating")}
    readers |= {name: lambda cell: _number(cell, (-2.0, 2.0)) for name in IMPROVEMENT_ITEMS}
    return readers | {name: lambda cell: _number(cell, _ANY) for name in names if name.startswith(_FACTOR)}


def _read_cells(text: str, source: str) -> tuple[pd.DataFrame, int, tuple[str, ...]]:
    """Return the cells as text, rows named by their lines, the count of practice, and what was excluded in words."""
    import pandas as pd  # noqa: PLC0415

    reader = csv.reader(io.StringIO(text))
    header = [name.strip() for name in next(reader, ())]
    _check_header(header, source)
    rows: dict[int, list[str]] = {}
    try:
        for row in filter(None, reader):
            if len(row) > len(header):
                raise AnswersError(source, f"has more cells than the {len(header)} columns.", reader.line_num)
            rows[reader.line_num] = [cell.strip() for cell in row] + [""] * (len(header) - len(row))
    except csv.Error as error:
        raise AnswersError(source, f"is not CSV: {error}.", reader.line_num) from error
    cells = pd.DataFrame.from_dict(rows, orient="index", columns=header, dtype=object)
    practice = _flags(cells, "practice")
    attention, why = (cells.get(name, pd.Series("", cells.index)) for name in ("attention", "excluded"))
    marks = why[~practice]
    kept = cells[~practice & (why == "") & (attention == "")]
    told = (*attention_words(list(cells["participant"]), list(attention), list(why)), *excluded_words(marks))
    if not len(kept):
        besides = "practice" if not (marks != "").any() else "practice and those marked as excluded"
        raise AnswersError(source, f"holds no answers besides {besides}." if rows else "holds no answers.")
    return kept, int(practice.sum()), told


def _check_header(header: Sequence[str], source: str) -> None:
    missing = [name for name in ("participant", "trial", "intended") if name not in header]
    twice = [name for name, count in Counter(header).items() if count > 1]
    found = ", ".join(header) or "nothing"
    faults = {
        "has its cells apart by semicolons; save it with commas.": ";" in found and len(header) == 1,
        f"lacks the column {' and '.join(missing)}; its first line has {found}.": bool(missing),
        "has neither `perceived`, `chosen` nor `label` nor a rating such as `pleasure` or `rating`.": not (
            {"perceived", "chosen", "label", *SCALES} & set(header)
        ),
        "has `chosen` but not both `stimulus` and `other`, among which it was.": "chosen" in header
        and not {"stimulus", "other"} <= set(header),
        "has `trace` but not `trace_hz`, the samples of it in a second.": "trace" in header
        and "trace_hz" not in header,
        f"has the column {' and '.join(twice)} twice.": bool(twice),
    }
    for reason, wrong in faults.items():
        if wrong:
            raise AnswersError(source, reason, 1)


def _check_unique(cells: pd.DataFrame, source: str) -> None:
    keys = cells.assign(block=cells.get("block", "1"))[["participant", "block", "trial"]]
    again = keys.duplicated()
    if again.any():
        line = again.idxmax()
        who, block, trial = keys.loc[line]
        first = (keys == keys.loc[line]).all(axis=1).idxmax()
        reason = f"participant {who}, block {block}, trial {trial} is on line {first} already."
        raise AnswersError(source, reason, line)


def _check_chosen(cells: pd.DataFrame, source: str) -> None:
    if "chosen" not in cells:
        return
    wrong = (cells["chosen"] != cells["stimulus"]) & (cells["chosen"] != cells["other"])
    if wrong.any():
        line = wrong.idxmax()
        one = cells.loc[line]
        reason = f"chosen is '{one['chosen']}', which is neither {one['stimulus']} nor {one['other']}."
        raise AnswersError(source, reason, line)


def _check_rate(cells: pd.DataFrame, columns: dict[str, list[Any]], source: str) -> None:
    """Refuse ratings over time without a rate, or with several."""
    if "trace" not in columns:
        return
    rows = zip(cells.index, columns["trace"], columns["trace_hz"], strict=True)
    rates = [(line, rate_hz) for line, trace, rate_hz in rows if trace]
    for line, rate_hz in rates:
        if not rate_hz > 0.0:
            raise AnswersError(source, "trace_hz must say how many samples of `trace` a second has.", line)
        if rate_hz != rates[0][1]:
            reason = f"trace_hz is {rate_hz:g}, on line {rates[0][0]} {rates[0][1]:g}; all rows need one rate."
            raise AnswersError(source, reason, line)


def _column(cells: pd.Series, read: Callable[[str], Any], source: str) -> list[Any]:
    """Return a column's cells as `read` understands them; its ValueError says what a cell is instead."""
    values = []
    for line, cell in cells.items():
        try:
            values.append(read(cell))
        except ValueError as error:
            raise AnswersError(source, f"{cells.name} is {error}", line) from error
    return values


def _word(cell: str) -> str:
    if not cell:
        raise ValueError("empty.")
    return cell


def _whole_number(cell: str) -> int:
    try:
        return int(cell)
    except ValueError as error:
        raise ValueError(f"'{cell}', not a whole number.") from error


def _number(cell: str, bounds: tuple[float, float]) -> float:
    """Return a number within bounds, NaN where nothing was said."""
    if cell.casefold() in ("", "nan", "na"):
        return math.nan
    try:
        value = float(cell)
    except ValueError as error:
        raise ValueError(f"'{cell}', not a number.") from error
    if not (math.isfinite(value) and bounds[0] <= value <= bounds[1]):
        raise ValueError(f"{cell}; ratings lie between {bounds[0]:g} and {bounds[1]:g}.")
    return value


def _trace(cell: str) -> str:
    """Return a rating over time as it is written: whole numbers from -100 to 100 apart by blanks, or nothing."""
    try:
        fits = all(-100 <= int(value) <= 100 for value in cell.split())
    except ValueError:
        fits = False
    if not fits:
        raise ValueError("not a row of whole numbers from -100 to 100, apart by blanks.")
    return cell


def _rescaled(cell: str, scale: tuple[float, float]) -> float:
    """Return a rating on a scale from -1 to 1."""
    low, high = scale
    try:
        return (2.0 * _number(cell, scale) - low - high) / (high - low)
    except ValueError as error:
        hint = " Raw ratings are rescaled with --scale, such as --scale 1 9." if scale == (-1.0, 1.0) else ""
        raise ValueError(f"{error}{hint}") from error


def _options(cells: pd.DataFrame, source: str) -> int | None:
    """Return how many answers were offered, None where the table does not say it."""
    if "options" not in cells:
        return None
    counts: list[int] = _column(cells["options"], _whole_number, source)
    low = min(counts)
    high = max(counts)
    if low != high or low < 2:
        raise AnswersError(source, f"options goes from {low} to {high}; all rows need one number from 2.")
    return low


def _one_spelling(table: pd.DataFrame) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return a table in which words that differ in capitals only are one word, as it stands first, and what was."""
    columns = [name for name in ("intended", "perceived") if name in table]
    words = list(dict.fromkeys(word for name in columns for word in table[name]))
    first: dict[str, str] = {}
    spelled = {word: first.setdefault(word.casefold(), word) for word in words}
    joined = [f"'{word}' with '{kept}'" for word, kept in spelled.items() if word != kept]
    if not joined:
        return table, ()
    remark = f"Words that differ in capitals only were joined: {', '.join(joined)}."
    return table.assign(**{name: table[name].map(spelled) for name in columns}), (remark,)
