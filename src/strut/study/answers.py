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
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from strut.errors import AnswersError
from strut.robot import Array, frozen_array

if TYPE_CHECKING:
    import pandas as pd

IntArray = npt.NDArray[np.int64]
DO_NOT_KNOW = "do not know"
NO_CONTROL = "none"
PAD_SCALES = ("pleasure", "arousal", "dominance")
IMPROVEMENT_ITEMS = (
    "speed",
    "step_height",
    "step_length",
    "front_knee_position",
    "rear_knee_position",
    "front_feet_position",
    "rear_feet_position",
    "body_height",
    "body_orientation",
)
SCALES = (*PAD_SCALES, "rating", *IMPROVEMENT_ITEMS)
_FACTOR = "factor_"
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

        def kept(words: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(words[index] for index in keep) if words else ()

        return replace(
            self,
            participant=kept(self.participant),
            block=self.block[keep],
            trial=self.trial[keep],
            intended=kept(self.intended),
            perceived=kept(self.perceived),
            stimulus=kept(self.stimulus),
            control=kept(self.control),
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
    """Read a table of answers; what is wrong with it is raised as an AnswersError with the line."""
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
    reader = csv.DictReader(io.StringIO(text), restval="")
    header = [name.strip() for name in reader.fieldnames or ()]
    reader.fieldnames = header
    _check_header(header, source)
    rows, lines, practice = [], [], 0
    try:
        for row in reader:
            if None in row:
                raise AnswersError(source, f"has more cells than the {len(header)} columns.", reader.line_num)
            if row.get("practice", "") in ("1", "true", "True"):
                practice += 1
                continue
            rows.append(row)
            lines.append(reader.line_num)
    except csv.Error as error:
        raise AnswersError(source, f"is not CSV: {error}.", reader.line_num) from error
    if not rows:
        raise AnswersError(source, "holds no answers besides practice." if practice else "holds no answers.")
    _check_unique(rows, lines, source)
    scales = [name for name in SCALES if name in header]
    factors = [name for name in header if name.startswith(_FACTOR)]
    bounds = {name: 2.0 if name in IMPROVEMENT_ITEMS else 1.0 for name in scales}
    answers = Answers(
        participant=_words(rows, lines, "participant", source),
        block=_whole_numbers(rows, lines, "block", source) if "block" in header else np.ones(len(rows), np.int64),
        trial=_whole_numbers(rows, lines, "trial", source),
        intended=_words(rows, lines, "intended", source),
        perceived=_words(rows, lines, "perceived", source) if _has_choices(rows, header) else (),
        stimulus=_words(rows, lines, "stimulus", source) if "stimulus" in header else (),
        control=_words(rows, lines, "control", source) if "control" in header else (),
        ratings={name: _numbers(rows, lines, name, source, bound=bound) for name, bound in bounds.items()},
        factors={name.removeprefix(_FACTOR): _numbers(rows, lines, name, source) for name in factors},
        options=_options(rows, lines, source) if "options" in header else None,
        practice=practice,
        simulated=_simulated(rows, source),
    )
    _check_sense(answers, source)
    return answers


def _options(rows: Sequence[dict[str, str]], lines: Sequence[int], source: str) -> int:
    counts = _whole_numbers(rows, lines, "options", source)
    if counts.min() != counts.max() or counts.min() < 2:
        raise AnswersError(
            source, f"options goes from {counts.min()} to {counts.max()}; all rows need one number from 2."
        )
    return int(counts[0])


def _simulated(rows: Sequence[dict[str, str]], source: str) -> bool:
    marks = {row.get("simulated", "") in ("1", "true", "True") for row in rows}
    if len(marks) > 1:
        raise AnswersError(source, "mixes simulated answers with those of people; separate them by `simulated`.")
    return marks == {True}


def _check_sense(answers: Answers, source: str) -> None:
    """Raise if nothing was answered, or if emotions and answers differ only in capitals, so that nothing is a hit."""
    if (
        answers.ratings
        and not answers.perceived
        and not any(np.isfinite(own).any() for own in answers.ratings.values())
    ):
        raise AnswersError(source, "holds no rating: every cell is empty.")
    shown, named = set(answers.intended), set(answers.perceived)
    if named and not shown & named and {name.casefold() for name in shown} & {name.casefold() for name in named}:
        example = next(name for name in sorted(named) if name.casefold() in {other.casefold() for other in shown})
        raise AnswersError(source, f"no answer names an emotion that was shown; '{example}' differs in capitals only.")


def _check_header(header: Sequence[str], source: str) -> None:
    missing = [name for name in ("participant", "trial", "intended") if name not in header]
    if missing:
        found = ", ".join(header) or "nothing"
        if ";" in found and len(header) == 1:
            raise AnswersError(source, "has its cells apart by semicolons; save it with commas.", 1)
        raise AnswersError(source, f"lacks the column {' and '.join(missing)}; its first line has {found}.", 1)
    if "perceived" not in header and not set(SCALES) & set(header):
        raise AnswersError(source, "has neither `perceived` nor a rating such as `pleasure` or `rating`.", 1)
    twice = [name for name, count in Counter(header).items() if count > 1]
    if twice:
        raise AnswersError(source, f"has the column {twice[0]} twice.", 1)


def _check_unique(rows: Sequence[dict[str, str]], lines: Sequence[int], source: str) -> None:
    seen: dict[tuple[str, str, str], int] = {}
    for row, line in zip(rows, lines, strict=True):
        key = (row["participant"].strip(), row.get("block", "1").strip(), row["trial"].strip())
        if key in seen:
            raise AnswersError(
                source, f"participant {key[0]}, block {key[1]}, trial {key[2]} is on line {seen[key]} already.", line
            )
        seen[key] = line


def _has_choices(rows: Sequence[dict[str, str]], header: Sequence[str]) -> bool:
    """Whether the table holds choices: an export of a rating study carries the column, but empty."""
    return "perceived" in header and not (set(SCALES) & set(header) and all(not row["perceived"] for row in rows))


def _words(rows: Sequence[dict[str, str]], lines: Sequence[int], name: str, source: str) -> tuple[str, ...]:
    words = tuple(row[name].strip() for row in rows)
    for word, line in zip(words, lines, strict=True):
        if not word:
            raise AnswersError(source, f"{name} is empty.", line)
    return words


def _whole_numbers(rows: Sequence[dict[str, str]], lines: Sequence[int], name: str, source: str) -> IntArray:
    values = []
    for row, line in zip(rows, lines, strict=True):
        try:
            values.append(int(row[name]))
        except ValueError as error:
            raise AnswersError(source, f"{name} is '{row[name]}', not a whole number.", line) from error
    return np.array(values, dtype=np.int64)


def _numbers(
    rows: Sequence[dict[str, str]], lines: Sequence[int], name: str, source: str, bound: float = math.inf
) -> Array:
    values = []
    for row, line in zip(rows, lines, strict=True):
        text = "" if row[name].strip().casefold() in ("nan", "na") else row[name].strip()
        try:
            value = float(text) if text else math.nan
        except ValueError as error:
            raise AnswersError(source, f"{name} is '{text}', not a number.", line) from error
        if text and not (math.isfinite(value) and abs(value) <= bound):
            raise AnswersError(source, f"{name} is {text}; ratings lie between {-bound:g} and {bound:g}.", line)
        values.append(value)
    return np.array(values)
