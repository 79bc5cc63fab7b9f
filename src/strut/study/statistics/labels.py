"""Labels: free answers in words, counted as they are, and as a laboratory codes them.

Nothing here knows the meaning of words. Labels that differ in capitals only are one. Agreement is the share of pairs of
answers to one stimulus that are the same word; it is tested by permuting each participant's own labels (scipy's
permutation test cannot permute within groups). `labels.csv` in the study's folder has one row per label: a code that a
laboratory writes into the column `code` is analysed as the answer, and codes of a second coder in `code_2` give the
agreement between coders.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from statsmodels.stats.inter_rater import cohens_kappa

from strut.arrays import Array
from strut.errors import AnswersError
from strut.plumbing.csv_text import csv_of_rows, original_cell
from strut.study.statistics.answers import DO_NOT_KNOW, Answers, IntArray
from strut.study.statistics.significance import Significance, permutation_p

CODES_FILE = "labels.csv"
PERMUTATIONS = 1999
_COLUMNS = ("label", "count", "code", "code_2")
_MAX_ROWS = 15  # of the table of labels; the file has all of them


@dataclass(frozen=True, slots=True)
class LabelCount:
    """How often a label was given, in total and for each emotion."""

    label: str
    count: int
    by_emotion: dict[str, int]


@dataclass(frozen=True, slots=True)
class Labels:
    """The most frequent labels, the number of different labels, and the agreement on them.

    `agreement` is the share of pairs of answers to one stimulus that are the same word, `by_chance` that of answers in
    random order; both are None if no participant answered twice. `coded` and `uncoded` count answers, `coders_kappa` is
    Cohen's kappa between two coders.
    """

    counts: tuple[LabelCount, ...]
    distinct: int
    do_not_know: int
    agreement: float | None = None
    by_chance: float | None = None
    test: Significance | None = None
    coded: int = 0
    uncoded: int = 0
    coders_kappa: float | None = None


@dataclass(frozen=True, slots=True)
class Codes:
    """The codes that a laboratory gave to labels, and Cohen's kappa if there are two coders."""

    by_label: dict[str, str]
    kappa: float | None = None


def plain_label(text: str) -> str:
    """Return a label as it is counted: without capitals and superfluous blanks."""
    return " ".join(text.casefold().split())


def analyse_labels(answers: Answers, rng: np.random.Generator, codes: Codes | None = None) -> Labels:
    """Return the labels with the test of agreement."""
    table = answers.table.assign(plain=[plain_label(text) for text in answers.table["label"]])
    written = table[table["plain"] != ""]
    counts = pd.crosstab(written["plain"], written["intended"])
    ranked = counts.loc[counts.sum(axis=1).sort_values(ascending=False, kind="stable").index]
    rows = tuple(
        LabelCount(str(name), int(row.sum()), {emotion: int(row.get(emotion, 0)) for emotion in answers.emotions})
        for name, row in ranked.head(_MAX_ROWS).iterrows()
    )
    codes = codes or Codes({})
    coded = int(written["plain"].isin(codes.by_label).sum())
    agreement, by_chance, test = _agreement(written, rng)
    coding = {"coded": coded, "uncoded": len(written) - coded, "coders_kappa": codes.kappa}
    return Labels(rows, len(counts), len(table) - len(written), agreement, by_chance, test, **coding)  # type: ignore[arg-type]


def _agreement(
    written: pd.DataFrame, rng: np.random.Generator
) -> tuple[float | None, float | None, Significance | None]:
    """Return the agreement, the agreement by chance, and the test."""
    participant, stimulus, label = (pd.factorize(written[name])[0] for name in ("participant", "stimulus", "plain"))
    if len(written) == len(np.unique(participant)):
        return None, None, None
    cells = stimulus * (int(label.max()) + 1)
    equal = _equal_pairs(cells + label)
    pairs = max(1.0, _equal_pairs(stimulus))
    by_chance = _permutation_counts(participant, label, lambda labels: _equal_pairs(cells + labels), rng)
    name = "permutation of labels within participants, equal labels"
    note = f"{PERMUTATIONS} permutations"
    test = Significance(name, equal, permutation_p(equal, by_chance), len(written), note=note)
    return equal / pairs, float(by_chance.mean()) / pairs, test


def _equal_pairs(numbers: IntArray) -> float:
    """Return how many pairs of equal numbers there are. Shape (N,)."""
    counts = np.bincount(numbers)
    return float((counts * (counts - 1)).sum() / 2.0)


def _permutation_counts(
    participant: IntArray, label: IntArray, count: Callable[[IntArray], float], rng: np.random.Generator
) -> Array:
    """Return counts of labels permuted within people, for many permutations. Shapes (N,) in, (permutations,) out."""
    counts = np.zeros(PERMUTATIONS)
    shuffled = label.copy()
    by_person = np.argsort(participant, kind="stable")
    for k in range(PERMUTATIONS):
        shuffled[by_person] = label[
            np.lexsort((rng.random(len(participant)), participant))
        ]  # a random order within each person
        counts[k] = count(shuffled)
    return counts


def coded_answers(answers: Answers, codes: Codes) -> Answers | None:
    """Return the answers whose labels have a code, as choices; None if none has."""
    plain = [plain_label(text) for text in answers.table["label"]]
    coded = [codes.by_label.get(label, "") if label else DO_NOT_KNOW for label in plain]
    table = answers.table.assign(perceived=coded)
    table = table[table["perceived"] != ""]
    return replace(answers, table=table) if (table["perceived"] != DO_NOT_KNOW).any() else None


def code_sheet(answers: Answers, before: str = "") -> str:
    """Return the table that a laboratory fills in: one row per label, the most frequent first.

    Codes and other columns of the table `before` are kept; rows of one label become one.
    """
    counts = Counter(filter(None, (plain_label(text) for text in answers.table["label"])))
    reader = csv.DictReader(io.StringIO(before))
    kept = dict[str, dict[str, str]]()
    for row in reader:
        written = {name: original_cell(cell) for name, cell in row.items() if cell}
        kept.setdefault(plain_label(written.get("label", "")), {}).update(written)
    columns = dict.fromkeys([*_COLUMNS, *(reader.fieldnames or ())])
    labels = dict.fromkeys([*(name for name, _ in counts.most_common()), *kept])
    rows = [kept.get(label, {}) | {"label": label, "count": counts[label]} for label in labels]
    return csv_of_rows(list(columns), rows)


def read_codes(path: Path) -> Codes | None:
    """Read the codes of `labels.csv`; None if there is no such file or no code in it yet."""
    if not path.is_file():
        return None
    try:
        table = pd.read_csv(path, dtype=str, keep_default_na=False, encoding="utf-8-sig")
    except ValueError as error:  # of the parser or of the encoding
        raise AnswersError(str(path), f"is no table in UTF-8: {str(error).strip()}.") from error
    if not isinstance(table.index, pd.RangeIndex):
        raise AnswersError(str(path), "has more cells in its rows than columns in its first line.", 1)
    missing = sorted({"label", "code"} - set(table.columns))
    if missing:
        raise AnswersError(str(path), f"lacks the column {' and '.join(missing)}.", 1)
    table = table.map(original_cell)
    table = table.assign(label=table["label"].map(plain_label), code=table["code"].str.strip())
    table = table[table["code"] != ""]
    twice = table["label"][table["label"].duplicated()]
    if len(twice):
        raise AnswersError(str(path), f"codes '{twice.iloc[0]}' twice.", int(twice.index[0]) + 2)
    by_label = dict(zip(table["label"], table["code"], strict=True))
    return Codes(by_label, _kappa(table)) if by_label else None


def _kappa(table: pd.DataFrame) -> float | None:
    """Return Cohen's kappa over the labels that two coders coded; None without a second coder."""
    second = table.get("code_2", pd.Series("", table.index)).str.strip()
    both = table.assign(code_2=second)[second != ""]
    names = sorted({*both["code"], *both["code_2"]})
    if len(names) < 2:
        return None
    counts = pd.crosstab(both["code"], both["code_2"])
    square = counts.reindex(index=names, columns=names, fill_value=0)
    return float(cohens_kappa(square.to_numpy(), return_results=False))
