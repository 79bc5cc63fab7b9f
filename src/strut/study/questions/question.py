"""Question: everything that one type of question needs, in one class.

A type of question is a module with one subclass of `Question`, and one line in the group `strut.questions` of the
registry. An instance holds the table `[ask]` of one study. Beside the module stand files of the same name:

- `MODULE.html`: its part of the page of a trial (see `Question.page_values`).
- `MODULE.toml`: its texts, one table per language; a language that is missing reads English. The texts of all types
  share one table with strut's own, so begin each key with the name of the type or with `question_NAME`.
- `MODULE.css`, if needed: styles of its part of the page. The content security policy forbids styles in the page.
- `MODULE.js`, if needed: a script; pages/trial.js describes what it can do.

A package adds a type through an entry point of the same group:

    [project.entry-points."strut.questions"]
    ranking = "strut_ranking.ranking:Ranking"
"""

from __future__ import annotations

import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

from msgspec import Struct

from strut.registry import find, names
from strut.schemas.toml_file import TomlFile
from strut.study.statistics.cells import CellReader

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from strut.study.design.design import Design
    from strut.study.design.response_models import Respond
    from strut.study.design.translations import Translation
    from strut.study.design.trial_plan import Trial
    from strut.study.statistics.answers import Answers

GROUP = "strut.questions"
CONFIDENCE_POINTS = 5
FigureSpec = tuple[Callable[[Any], None], tuple[float, float]]  # draws into matplotlib axes; width and height [in]


@dataclass(frozen=True, slots=True)
class AskContext:
    """What the table `[ask]` is checked against: the file, the emotions shown, and how long each motion lasts."""

    file: TomlFile
    intended: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Finding:
    """What the statistics of one type of question found, ready for the report.

    Args:
        data: The numbers, as JSON holds them.
        tables: Title, column headings and rows of each table.
        figures: Caption and drawing of each figure.
        methods: Sentences for the methods section.
        results: Sentences for the results section.
    """

    data: Mapping[str, Any]
    tables: tuple[tuple[str, list[str], list[list[str]]], ...] = ()
    figures: tuple[tuple[str, FigureSpec], ...] = ()
    methods: str = ""
    results: str = ""


class Question(Struct, frozen=True, forbid_unknown_fields=True):
    """A type of question with the fields of its table `[ask]`; every type has `confidence`.

    Args:
        confidence: Whether participants say after each answer how sure they are, from 1 to 5.

    Class variables:
        name: Its name in the design file and in the registry.
        seconds_per_answer: How long an answer takes [s], to estimate the length of a session.
        answer_cells: Every column that any design of this type can have for what people answered, and how to read its
            cells; `answer_columns` picks those of one design.
        answer_prefixes: Beginnings of further such columns, whose names come from the design, and how to read their
            cells: with `{"trait_": read_rating}`, `trait_calm` is a rating. Types must not share a prefix.
        context_cells: Columns that belong to an answer, such as the sampling rate of a rating.
        are_ratings: Whether the answers are numbers from -1 to 1 with the middle of the scale at 0; the statistics of
            ratings then apply to each column.
        shows_pairs: Whether two motions are shown side by side.
        answers_during_motion: Whether people answer while the motion plays, so that no answer is too fast.
        min_emotions: How many different emotions a study must show.
        response_model: The class in response_models.py whose published data can answer in place of people, or None.
        missing_text: Which text participants read if they have not answered yet.
        asks_for_quality: Whether a new study must say which quality the motions are compared by.
        blocks: What `strut study new` writes into the design file; so is `practice`.
        practice: See `blocks`.
    """

    name: ClassVar[str]
    seconds_per_answer: ClassVar[float] = 5.0
    answer_cells: ClassVar[Mapping[str, CellReader]] = {}
    answer_prefixes: ClassVar[Mapping[str, CellReader]] = {}
    context_cells: ClassVar[Mapping[str, CellReader]] = {}
    are_ratings: ClassVar[bool] = False
    shows_pairs: ClassVar[bool] = False
    answers_during_motion: ClassVar[bool] = False
    min_emotions: ClassVar[int] = 1
    response_model: ClassVar[type | None] = None
    missing_text: ClassVar[str] = "must_answer"
    asks_for_quality: ClassVar[bool] = False
    blocks: ClassVar[int] = 2
    practice: ClassVar[int] = 1

    confidence: bool = False

    # the design file

    def checked(self, context: AskContext) -> Self:
        """Return the question with what the file leaves open filled in; raise DesignError at what is wrong."""
        del context
        return self

    @classmethod
    def toml_fields(cls, intended: Sequence[str]) -> str:
        """Return the lines of `[ask]` in a new design file; the emotions are escaped for TOML."""
        del intended
        return ""

    # the page of a trial and the reply

    def read_reply(self, form: Mapping[str, str], trial: Trial, *, seconds: float) -> dict[str, Any]:
        """Return what is stored of a participant's form, a value for each of `answer_columns`.

        Raise BadReplyError if the form is no answer; the participant then reads its reason.

        Args:
            form: The posted fields.
            trial: What was shown.
            seconds: How long the motion lasts; 0 where it differs between studies.
        """
        raise NotImplementedError

    def page_values(self, seed: int, participant: int) -> dict[str, Any]:
        """Return more values for the page: the order of options, for example.

        The page has `ask` (this question), `words` (the texts: `words.say("KEY")`), `trial`, `design`, and `intended`
        (the emotion shown) without it; give other names to yours.
        """
        del seed, participant
        return {}

    def feedback_text(self, words: Translation, intended: Sequence[str], reply: Mapping[str, Any]) -> str:
        """Return what people read after a practice trial; `intended` are the emotions shown, from left to right."""
        del reply
        return words.say("feedback_meant", emotion=words.emotion(intended[0]))

    @property
    def is_undecided_allowed(self) -> bool:
        """Whether people may answer that they do not know: return False if the page has no such answer.

        A simulated audience then always answers; otherwise each observer has a share of "do not know" (`unknown`).
        """
        return True

    @property
    def answer_options(self) -> tuple[str, ...]:
        """The words that people choose from; empty if the question is no choice of words."""
        return ()

    # the table of answers

    @property
    def answer_columns(self) -> tuple[str, ...]:
        """The columns that hold what people answered to this design; all of `answer_cells` if not overridden."""
        return tuple(self.answer_cells)

    @classmethod
    def answer_cells_in(cls, columns: Iterable[str]) -> dict[str, CellReader]:
        """Return those columns of a table that can hold answers to this type, and how to read their cells."""
        names = list(columns)
        cells = {name: read for name, read in cls.answer_cells.items() if name in names}
        for prefix, read in cls.answer_prefixes.items():
            cells |= {name: read for name in names if name.startswith(prefix)}
        return cells

    @property
    def context_columns(self) -> dict[str, Any]:
        """Columns that belong to the answer, with the value that all rows share or None where each has its own."""
        return {}

    @classmethod
    def check_table(cls, table: pd.DataFrame, source: str) -> None:
        """Raise AnswersError if columns of this question contradict each other; the index holds lines of the file."""
        del table, source

    # statistics and report

    def statistics_options(self, folder: Path) -> dict[str, Any]:
        """Return what `study_statistics` must know beside the answers; `folder` is that of the study."""
        del folder
        return {}

    @classmethod
    def analyse(cls, answers: Answers, rng: np.random.Generator) -> Finding | None:
        """Return what statistics of its own say about answers.

        It runs in addition to strut's own statistics, whenever one of its columns is in the table.
        """
        del answers, rng
        return None

    def findings(self, answers: Answers, rng: np.random.Generator) -> dict[str, bool]:
        """Return which findings are significant, as the report would call them: the power of a study is theirs."""
        del answers, rng
        return {}

    def procedure(self) -> str:
        """Return the question as the methods section describes it, without a full stop."""
        return f"of the type {self.name}"

    def hypotheses(self, emotions: Sequence[str]) -> tuple[str, ...]:
        """Return the hypotheses of a preregistration."""
        del emotions
        return ("[Say what you expect.]", "[Say what else you expect.]")

    def analysis_plan(self) -> tuple[str, ...]:
        """Return the analyses of a preregistration."""
        return ("[Say how the hypotheses are tested.]",)

    def exclusions(self) -> tuple[str, ...]:
        """Return what a preregistration says about answers that are left out."""
        return ()

    # simulated answers

    def answer_words(self, intended: Sequence[str]) -> tuple[str, ...]:
        """Return the words that people choose from, or write if they may write anything.

        Override it if the options are words: each simulated observer has a preference for each of them.
        """
        return tuple(intended)

    def respond(self, design: Design, model: Any) -> Respond:
        """Return a function that answers this question in place of a person, from a `response_model`.

        It takes what is shown, the observer and a random generator, and returns a dict like that of `read_reply`.
        """
        raise NotImplementedError

    def simulation_note(self) -> str:
        """Return what a simulated audience assumes for this question, as a sentence."""
        return ""


def question_type(name: str) -> type[Question]:
    """Return a type of question by its name; raises UnknownNameError with the nearest names."""
    found: type[Question] = find(GROUP, name)
    return found


@cache
def question_types() -> dict[str, type[Question]]:
    """Return all types of question, those of installed packages too."""
    return {name: question_type(name) for name in names(GROUP)}


def file_beside(question: type, suffix: str) -> str:
    """Return the text of the file with another suffix beside the module of a class; empty if there is none."""
    path = Path(str(sys.modules[question.__module__].__file__)).with_suffix(suffix)
    return path.read_text("utf-8") if path.is_file() else ""


@cache
def question_script(question: type[Question]) -> str:
    """Return the script of a question, after those of the types that it extends."""
    return "".join(file_beside(cls, ".js") for cls in _lineage(question))


@cache
def question_style(question: type[Question]) -> str:
    """Return the style sheet of a question, after those of the types that it extends."""
    return "".join(file_beside(cls, ".css") for cls in _lineage(question))


@cache
def question_texts(question: type[Question], language: str) -> Mapping[str, Any]:
    """Return the texts of a question in a language, in English if it is not translated."""
    texts: dict[str, Any] = {}
    for cls in _lineage(question):
        tables = tomllib.loads(file_beside(cls, ".toml"))
        texts |= tables.get(language, tables.get("en", {}))
    return texts


def _lineage(question: type[Question]) -> list[type[Question]]:
    """Return the types that a question extends, the most general first, and itself."""
    return [cls for cls in reversed(question.__mro__) if issubclass(cls, Question) and cls is not Question]
