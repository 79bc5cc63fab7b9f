"""Answers: what people said, one row per trial, in the long format that every statistics package reads.

Columns: `participant`, `block`, `trial`, `intended`, then `perceived` (a choice) or ratings (`pleasure`, `arousal`,
`dominance`, `rating`, or the items of the improvement form). `stimulus`, `control`, `options`, `practice`, `simulated`
and `factor_...` columns are read where they are there; every other column is left alone.
"""

from __future__ import annotations

import csv
import io
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from strut.errors import AnswersError
from strut.robot import Array, frozen_array

if TYPE_CHECKING:
    import pandas as pd

IntArray = npt.NDArray[np.int64]
DO_NOT_KNOW = "do not know"
NO_CONTROL = "none"
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
_YES = ("1", "true", "True")
_LARGEST_FILE_BYTES = 200_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """N answers.

    Args:
        participant: Who answered. Length N.
        block: In which block. Shape (N,).
        trial: Which trial of that participant. Shape (N,).
        intended: The emotion that was to be seen. Length N.
        perceived: The emotion that was seen, where the study asked for a choice. Length N or empty.
        stimulus: Which stimulus was shown; the intended emotion where nothing finer is known. Length N.
        control: Which difference to neutral the stimulus lacked; "none" for motions as they were. Length N.
        ratings: By scale, NaN where somebody could not decide. Shape (N,) each.
        factors: What the stimuli differed in, by name. Shape (N,) each.
        options: How many answers people could choose from, where the table says it.
        practice: How many practice answers were left out.
        simulated: Whether a response model and not people answered.
    """

    participant: tuple[str, ...]
    block: IntArray
    trial: IntArray
    intended: tuple[str, ...]
    perceived: tuple[str, ...] = ()
    stimulus: tuple[str, ...] = ()
    control: tuple[str, ...] = ()
    ratings: Mapping[str, Array] = field(default_factory=dict)
    factors: Mapping[str, Array] = field(default_factory=dict)
    options: int | None = None
    practice: int = 0
    simulated: bool = False

    def __post_init__(self) -> None:
        count = len(self.participant)
        object.__setattr__(self, "stimulus", self.stimulus or self.intended)
        object.__setattr__(self, "control", self.control or (NO_CONTROL,) * count)
        for name in ("block", "trial", "intended", "stimulus", "control"):
            if len(getattr(self, name)) != count:
                raise AnswersError("answers", f"{name} has {len(getattr(self, name))} entries for {count} answers.")
        if self.perceived and len(self.perceived) != count:
            raise AnswersError("answers", f"perceived has {len(self.perceived)} entries for {count} answers.")
        for group in ("ratings", "factors"):
            columns = {name: frozen_array(values) for name, values in getattr(self, group).items()}
            object.__setattr__(self, group, columns)

    @property
    def originals(self) -> Answers:
        """The answers to motions as they were, controls left out."""
        keep = [index for index, kind in enumerate(self.control) if kind == NO_CONTROL]
        if len(keep) == len(self.control):
            return self
        names = ("participant", "intended", "perceived", "stimulus", "control")
        words: dict[str, Any] = {
            name: tuple(getattr(self, name)[k] for k in keep) if getattr(self, name) else () for name in names
        }
        return replace(
            self,
            **words,
            block=self.block[keep],
            trial=self.trial[keep],
            ratings={name: values[keep] for name, values in self.ratings.items()},
            factors={name: values[keep] for name, values in self.factors.items()},
        )

    @property
    def participants(self) -> tuple[str, ...]:
        """Everybody who answered, in order of appearance."""
        return tuple(dict.fromkeys(self.participant))

    @property
    def emotions(self) -> tuple[str, ...]:
        """The intended emotions, neutral first, the others in order of their names."""
        return tuple(sorted(set(self.intended), key=lambda name: (name != "neutral", name)))

    @property
    def correct(self) -> npt.NDArray[np.bool_]:
        """Where the intended emotion was seen. Shape (N,)."""
        return np.array([seen == meant for seen, meant in zip(self.perceived, self.intended, strict=True)], dtype=bool)

    def frame(self) -> pd.DataFrame:
        """Return the answers as a data frame, `correct` added where there are choices."""
        import pandas as pd  # noqa: PLC0415  (half a second that other verbs need not pay)

        columns = {
            "participant": list(self.participant),
            "block": self.block,
            "trial": self.trial,
            "intended": list(self.intended),
            "stimulus": list(self.stimulus),
            **self.ratings,
            **{f"{_FACTOR}{name}": values for name, values in self.factors.items()},
        }
        if self.perceived:
            columns |= {"perceived": list(self.perceived), "correct": self.correct.astype(float)}
        return pd.DataFrame(columns)


def read_answers(path: Path | str) -> Answers:
    """Read a table of answers; what is wrong with it is raised as an AnswersError with the line.

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
    return parse_answers(text, str(path))


def parse_answers(text: str, source: str) -> Answers:
    """Return the answers of a CSV text; `source` names it in errors."""
    cells = _read_cells(text, source)
    cells.check_unique()
    answers = Answers(
        participant=cells.words("participant"),
        block=cells.whole_numbers("block") if "block" in cells.header else np.ones_like(cells.lines),
        trial=cells.whole_numbers("trial"),
        intended=cells.words("intended"),
        perceived=cells.words("perceived") if cells.has_choices() else (),
        stimulus=cells.words_or_none("stimulus"),
        control=cells.words_or_none("control"),
        ratings=cells.ratings(),
        factors={name.removeprefix(_FACTOR): cells.numbers(name) for name in cells.header if name.startswith(_FACTOR)},
        options=cells.options() if "options" in cells.header else None,
        practice=cells.practice,
        simulated=cells.simulated(),
    )
    _check_sense(answers, source)
    return answers


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of a table of answers, practice left out, and the line of each row."""

    source: str
    header: Sequence[str]
    rows: Sequence[dict[str, str]]
    lines: Sequence[int]
    practice: int

    def column(self, name: str) -> Iterator[tuple[str, int]]:
        """Yield the cells of a column, without space around them, and their lines."""
        for row, line in zip(self.rows, self.lines, strict=True):
            yield row[name].strip(), line

    def words(self, name: str) -> tuple[str, ...]:
        for word, line in self.column(name):
            if not word:
                raise AnswersError(self.source, f"{name} is empty.", line)
        return tuple(word for word, _ in self.column(name))

    def words_or_none(self, name: str) -> tuple[str, ...]:
        return self.words(name) if name in self.header else ()

    def whole_numbers(self, name: str) -> IntArray:
        values = []
        for text, line in self.column(name):
            try:
                values.append(int(text))
            except ValueError as error:
                raise AnswersError(self.source, f"{name} is '{text}', not a whole number.", line) from error
        return np.array(values, dtype=np.int64)

    def numbers(self, name: str, bound: float = math.inf) -> Array:
        values = []
        for cell, line in self.column(name):
            text = "" if cell.casefold() in ("nan", "na") else cell
            try:
                value = float(text) if text else math.nan
            except ValueError as error:
                raise AnswersError(self.source, f"{name} is '{text}', not a number.", line) from error
            if text and not (math.isfinite(value) and abs(value) <= bound):
                reason = f"{name} is {text}; ratings lie between {-bound:g} and {bound:g}."
                raise AnswersError(self.source, reason, line)
            values.append(value)
        return np.array(values)

    def has_choices(self) -> bool:
        """Whether there are choices: an export of a rating study carries the column, but empty."""
        rated = bool(set(SCALES) & set(self.header))
        return "perceived" in self.header and not (rated and not any(row["perceived"] for row in self.rows))

    def ratings(self) -> dict[str, Array]:
        scales = [name for name in SCALES if name in self.header]
        return {name: self.numbers(name, 2.0 if name in IMPROVEMENT_ITEMS else 1.0) for name in scales}

    def options(self) -> int:
        counts = self.whole_numbers("options")
        low, high = int(counts.min()), int(counts.max())
        if low != high or low < 2:
            raise AnswersError(self.source, f"options goes from {low} to {high}; all rows need one number from 2.")
        return low

    def simulated(self) -> bool:
        marks = {row.get("simulated", "") in _YES for row in self.rows}
        if len(marks) > 1:
            reason = "mixes simulated answers with those of people; separate them by `simulated`."
            raise AnswersError(self.source, reason)
        return marks == {True}

    def check_unique(self) -> None:
        seen: dict[tuple[str, str, str], int] = {}
        for row, line in zip(self.rows, self.lines, strict=True):
            who, block, trial = key = (
                row["participant"].strip(),
                row.get("block", "1").strip(),
                row["trial"].strip(),
            )
            if key in seen:
                reason = f"participant {who}, block {block}, trial {trial} is on line {seen[key]} already."
                raise AnswersError(self.source, reason, line)
            seen[key] = line


def _read_cells(text: str, source: str) -> _Cells:
    reader = csv.DictReader(io.StringIO(text), restval="")
    header = [name.strip() for name in reader.fieldnames or ()]
    reader.fieldnames = header
    _check_header(header, source)
    rows, lines, practice = [], [], 0
    try:
        for row in reader:
            if None in row:
                raise AnswersError(source, f"has more cells than the {len(header)} columns.", reader.line_num)
            if row.get("practice", "") in _YES:
                practice += 1
            else:
                rows.append(row)
                lines.append(reader.line_num)
    except csv.Error as error:
        raise AnswersError(source, f"is not CSV: {error}.", reader.line_num) from error
    if not rows:
        raise AnswersError(source, "holds no answers besides practice." if practice else "holds no answers.")
    return _Cells(source, header, rows, lines, practice)


def _check_header(header: Sequence[str], source: str) -> None:
    if len(header) == 1 and ";" in header[0]:
        raise AnswersError(source, "has its cells apart by semicolons; save it with commas.", 1)
    missing = [name for name in ("participant", "trial", "intended") if name not in header]
    if missing:
        found = ", ".join(header) or "nothing"
        raise AnswersError(source, f"lacks the column {' and '.join(missing)}; its first line has {found}.", 1)
    if not {"perceived", *SCALES} & set(header):
        raise AnswersError(source, "has neither `perceived` nor a rating such as `pleasure` or `rating`.", 1)
    twice, count = Counter(header).most_common(1)[0]
    if count > 1:
        raise AnswersError(source, f"has the column {twice} twice.", 1)


def _check_sense(answers: Answers, source: str) -> None:
    """Raise if nothing was answered, or if emotions and answers differ only in capitals, so that nothing is a hit."""
    if not answers.perceived and all(np.isnan(own).all() for own in answers.ratings.values()):
        raise AnswersError(source, "holds no rating: every cell is empty.")
    shown, named = set(answers.intended), set(answers.perceived)
    alike = sorted(name for name in named if name.casefold() in {other.casefold() for other in shown})
    if alike and not shown & named:
        reason = f"no answer names an emotion that was shown; '{alike[0]}' differs in capitals only."
        raise AnswersError(source, reason)
