"""Design: what a study shows, what it asks, in which order and words; one readable TOML file, checked before use."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import comb
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

from msgspec import Meta, Struct, defstruct, to_builtins
from msgspec.structs import asdict

from strut.errors import DesignError
from strut.plumbing.regular_file import check_regular
from strut.schemas.toml_file import FieldPath, TomlFile, suggestion
from strut.study.design.custom_questions import CustomQuestion, check_questions
from strut.study.design.groups import Group, check_groups
from strut.study.design.light_controls import LIGHT_CONTROLS
from strut.study.design.recruitment import Ethics, Recruiting
from strut.study.design.text_fields import NonBlankText, check_texts
from strut.study.design.translations import Translation, language_codes, language_table
from strut.study.questions.question import AskContext, Question, question_types

Order = Literal["random", "latin-square", "fixed"]
ControlKind = Literal["none", "speed-matched", "posture-matched", "inverted", "scrambled", "masked"]
DisplayKind = Literal["points", "sticks", "solid"]
Lights = Literal["joints", "markers"]
EntryName = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,60}$", description="use up to 60 letters, digits, - and _.")]
_Count = Annotated[int, Meta(ge=1, le=100)]
FILE_NAME = "design.toml"
_MAX_FILE_BYTES = 1_000_000
_MAX_TRIALS = 2000
_LONGEST_MOTION_S = 120.0  # the longest that a display may show

# The fingerprint of a design must not change with a new version of strut, or a study that runs could not go on.
# So it leaves out fields that came later while they have their default, and holds these fields of [ask] for every
# question.
_LATER_FIELDS: dict[str, Any] = {
    "quality": "",
    "rate_hz": 10.0,
    "confidence": False,
    "feedback": False,
    "attention_checks": 0,
    "attention_allowed": 0,
    "azimuth_spread_deg": 0.0,
    "questions": [],
    "groups": [],
    "practice": (),
}
_FIRST_ASK_FIELDS: dict[str, Any] = {
    "options": [],
    "shuffle": False,
    "do_not_know": True,
    "ends": ["anger", "neutral", "joy"],
    "scales": ["pleasure", "arousal", "dominance"],
    "points": 9,
    "items": [
        "speed",
        "step_height",
        "step_length",
        "front_knee_position",
        "rear_knee_position",
        "front_feet_position",
        "rear_feet_position",
        "body_height",
        "body_orientation",
    ],
}
_AskTable = TypeVar("_AskTable")
_TextTable = TypeVar("_TextTable")


class StimulusEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One motion to show, and the emotion it is meant to express; `control` removes one difference from neutral.

    Args:
        name: Name in the answers.
        file: Motion file, from the folder of the study.
        intended: The emotion that it is meant to express.
        control: The difference from neutral that is removed, or the change of its point lights.
    """

    name: EntryName
    file: NonBlankText
    intended: Annotated[str, Meta(pattern=r"\S", max_length=60)]
    control: ControlKind = "none"


class Session(Struct, frozen=True, forbid_unknown_fields=True):
    """What one participant goes through; practice trials do not count, 0 stimuli per participant are all.

    With `feedback` people read after each practice trial what was intended. Attention checks are pages between trials
    that ask for a certain number; participants who fail more than `attention_allowed` of them are excluded.

    Args:
        blocks: How often the set of stimuli comes.
        repeats: How often each stimulus comes in a block.
        order: Of the trials.
        practice: Trials first that do not count.
        per_participant: Stimuli that one person sees; 0 is all.
        feedback: Whether practice shows what was intended.
        attention_checks: Pages that ask for a certain number.
        attention_allowed: How many of them may be failed.
    """

    blocks: _Count = 1
    repeats: _Count = 1
    order: Order = "random"
    practice: Annotated[int, Meta(ge=0, le=50)] = 0
    per_participant: Annotated[int, Meta(ge=0)] = 0
    feedback: bool = False
    attention_checks: Annotated[int, Meta(ge=0, le=20)] = 0
    attention_allowed: Annotated[int, Meta(ge=0, le=20)] = 0


class Display(Struct, frozen=True, forbid_unknown_fields=True):
    """How a motion is shown: the same view, length and scale for all stimuli of a study.

    Azimuth 0 looks from ahead, 90 from the right; 0 seconds are as long as the shortest motion. A blank screen
    (`interval_ms`) and a fixation cross (`fixation_ms`) come before a motion. With `loop` a gait cycle repeats without
    a seam for as long as wanted. With `azimuth_spread_deg` each trial is seen from a random side, at most so far from
    the azimuth; 180 is from anywhere.

    Args:
        elevation_deg: Height of the camera over the horizon.
    """

    kind: DisplayKind = "points"
    lights: Lights = "joints"
    azimuth_deg: Annotated[float, Meta(ge=-360.0, le=360.0)] = 45.0
    azimuth_spread_deg: Annotated[float, Meta(ge=0.0, le=180.0)] = 0.0
    elevation_deg: Annotated[float, Meta(ge=-10.0, le=90.0)] = 10.0
    camera: Literal["fixed", "follow"] = "fixed"
    seconds: Annotated[float, Meta(ge=0.0, le=_LONGEST_MOTION_S)] = 5.0
    replay: bool = True
    fixation_ms: Annotated[int, Meta(ge=0, le=5000)] = 500
    interval_ms: Annotated[int, Meta(ge=0, le=10_000)] = 1000
    loop: bool = False


@dataclass(frozen=True, slots=True)
class Design:
    """A whole study; `ask` is its question, `folder` is where its file stands and its motions are looked for.

    `practice` are stimuli for practice alone; if there are some, practice trials show each of them once.
    """

    name: str
    ask: Question
    stimuli: tuple[StimulusEntry, ...]
    languages: tuple[str, ...] = ("en",)
    seed: int = 0
    session: Session = field(default_factory=Session)
    display: Display = field(default_factory=Display)
    ask_age: bool = True
    ask_gender: bool = True
    practice: tuple[StimulusEntry, ...] = ()
    groups: tuple[Group, ...] = ()
    questions: tuple[CustomQuestion, ...] = ()
    ethics: Ethics | None = None
    recruiting: Recruiting = field(default_factory=Recruiting)
    text: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    folder: Path = field(default_factory=Path, compare=False)

    @property
    def question(self) -> str:
        """The name of the type of question."""
        return self.ask.name

    def words(self, language: str) -> Translation:
        """Return what participants read in a language; in the study's first language if it does not have this one."""
        code = language if language in self.languages else self.languages[0]
        return Translation(code, language_table(code, self.folder), self.text.get(code, {}))

    def stimulus(self, name: str) -> StimulusEntry:
        """Return the stimulus called `name`, of practice or not."""
        return next(entry for entry in self.shown if entry.name == name)

    @property
    def shown(self) -> tuple[StimulusEntry, ...]:
        """All stimuli, those for practice last."""
        return (*self.stimuli, *self.practice)

    @property
    def intended(self) -> tuple[str, ...]:
        """The emotions that stimuli are meant to express, each once."""
        return tuple(dict.fromkeys(entry.intended for entry in self.shown))

    def group(self, name: str) -> Group | None:
        """Return the group called `name`; None if there is none."""
        return next((group for group in self.groups if group.name == name), None)

    def seen_by(self, group: str) -> tuple[StimulusEntry, ...]:
        """Return the stimuli of a group: all unless it names some."""
        own = self.group(group)
        if own is None or not own.stimuli:
            return self.stimuli
        return tuple(entry for entry in self.stimuli if entry.name in own.stimuli)

    @property
    def trials(self) -> int:
        """How many trials one participant goes through at most, practice included."""
        return max([self.trials_of(group.name) for group in self.groups], default=self.trials_of(""))

    def trials_of(self, group: str) -> int:
        """Return how many trials a participant of a group goes through."""
        seen = len(self.seen_by(group))
        session = self.session
        trials = self._trials_per_round(min(session.per_participant or seen, seen)) * session.repeats * session.blocks
        return self.practice_trials + trials + session.attention_checks

    @property
    def practice_trials(self) -> int:
        """How many trials come first and do not count."""
        return self._trials_per_round(len(self.practice)) if self.practice else self.session.practice

    def _trials_per_round(self, stimuli: int) -> int:
        """Return how many trials show each stimulus once, or each pair of stimuli once."""
        return comb(stimuli, 2) if self.ask.shows_pairs else stimuli

    @property
    def minutes(self) -> int:
        """How long a session takes, roughly."""
        trial_s = (self.display.seconds or 5.0) + self.ask.seconds_per_answer
        return max(1, round(self.trials * trial_s / 60.0))

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change with everything that changes what answers mean."""
        table: dict[str, Any] = to_builtins(
            {
                "name": self.name,
                "question": self.question,
                "stimuli": self.stimuli,
                "seed": self.seed,
                "session": self.session,
                "display": self.display,
                "ask": self.ask,
                "ask_age": self.ask_age,
                "ask_gender": self.ask_gender,
                "practice": self.practice,
            }
        )
        table["questions"] = [[own.name, own.when, own.kind, own.points, list(own.options)] for own in self.questions]
        table["groups"] = [[group.name, list(group.stimuli)] for group in self.groups]
        table["ask"] = _FIRST_ASK_FIELDS | table["ask"]
        for part in ("ask", "session", "display"):
            table[part] = _without_later_defaults(table[part])
        table = _without_later_defaults(table)
        return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()[:16]


def _without_later_defaults(table: dict[str, Any]) -> dict[str, Any]:
    """Return fields without those of a later version that have their default."""
    return {name: value for name, value in table.items() if name not in _LATER_FIELDS or value != _LATER_FIELDS[name]}


class _People(Struct, frozen=True, forbid_unknown_fields=True):
    """What participants are asked about themselves; they may leave it open.

    Args:
        age: Whether they are asked for their age.
        gender: Whether they are asked for their gender.
    """

    age: bool = True
    gender: bool = True


class _Study(Struct, frozen=True, forbid_unknown_fields=True):
    """What a study is called, asks and speaks.

    Args:
        name: Its name.
        question: Type of the question.
        languages: Languages of the pages; that of the browser is chosen.
        seed: Of the order of trials.
    """

    name: EntryName
    question: str
    languages: Annotated[tuple[NonBlankText, ...], Meta(min_length=1)] = ("en",)
    seed: Annotated[int, Meta(ge=0, le=2**31)] = 0


class _DesignTable(Struct, Generic[_AskTable, _TextTable], frozen=True, forbid_unknown_fields=True):
    """A study.

    Args:
        study: Name, question, languages and seed.
        ask: Fields of the question.
        text: Texts that replace ours, by language.
        stimulus: The motions.
        session: What one participant goes through.
        display: How a motion is shown.
        people: What participants are asked about themselves.
        ethics: Who is responsible; needed by `strut study serve --public`.
        recruiting: The platform that participants come from.
        practice: Motions for practice alone.
        group: Groups of participants.
        question: Questions of your own, before or after all motions.
    """

    study: _Study
    ask: _AskTable | None = None
    text: _TextTable | None = None
    stimulus: tuple[StimulusEntry, ...] = ()
    session: Session = Session()
    display: Display = Display()
    people: _People = _People()
    ethics: Ethics | None = None
    recruiting: Recruiting = Recruiting()
    practice: tuple[StimulusEntry, ...] = ()
    group: tuple[Group, ...] = ()
    question: tuple[CustomQuestion, ...] = ()


def read_design(folder: Path | str) -> Design:
    """Read the design of a study from its folder; raise DesignError with line and field if something is wrong."""
    folder = Path(folder)
    path = folder / FILE_NAME
    try:
        check_regular(path)
        if path.stat().st_size > _MAX_FILE_BYTES:
            raise DesignError(str(path), "", "is larger than 1 MB, which no design is.")
        text = path.read_text("utf-8-sig")
    except (FileNotFoundError, NotADirectoryError) as error:
        raise DesignError(str(path), "", "there is no such file; make a study with `strut study new`.") from error
    except OSError as error:
        raise DesignError(str(path), "", f"cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise DesignError(str(path), "", "is not text in UTF-8.") from error
    return parse_design(text, str(path), folder)


def parse_design(text: str, source: str, folder: Path) -> Design:
    """Return the design of a TOML text; `source` names it in errors."""
    file = TomlFile(text, source, DesignError)
    question = _question_of(file)
    generic: Any = _DesignTable
    codes = language_codes(folder)
    table = file.decode(generic[question, _text_table(codes)])
    _check_stimuli(file, table.stimulus, table.session.per_participant, table.display.kind)
    _check_practice(file, table, question)
    if table.session.feedback and not (table.practice or table.session.practice):
        raise file.field_error(("session", "feedback"), "is true, but there are no practice trials.")
    check_texts(file, ("study", "languages"), table.study.languages, one_of=codes)
    check_groups(file, table.group, [entry.name for entry in table.stimulus], table.study.languages)
    check_questions(file, table.question, table.study.languages)
    for code in table.study.languages:
        language_table(code, folder)  # raises DesignError if a file of the study's own lacks texts
    if table.display.lights == "markers" and table.display.kind != "points":
        reason = f'is "markers", which goes with kind = "points", not "{table.display.kind}".'
        raise file.field_error(("display", "lights"), reason)
    intended = tuple(dict.fromkeys(entry.intended for entry in table.stimulus))
    ask: Question = table.ask or question()
    design = Design(
        name=table.study.name,
        ask=ask.checked(AskContext(file, intended, table.display.seconds or _LONGEST_MOTION_S)),
        stimuli=table.stimulus,
        languages=table.study.languages,
        seed=table.study.seed,
        session=table.session,
        display=table.display,
        ask_age=table.people.age,
        ask_gender=table.people.gender,
        practice=table.practice,
        groups=table.group,
        questions=table.question,
        ethics=table.ethics,
        recruiting=table.recruiting,
        text=_own_texts(table.text, codes),
        folder=folder,
    )
    if design.trials > _MAX_TRIALS:
        raise DesignError(source, "session", f"asks for {design.trials} trials of one person; at most {_MAX_TRIALS}.")
    return design


def _question_of(file: TomlFile) -> type[Question]:
    """Return the type of question that a design names; a missing or wrong type is refused with the rest of the file."""
    study = file.parse().get("study")
    name = study.get("question") if isinstance(study, dict) else None
    known = question_types()
    if isinstance(name, str) and name not in known:
        reason = f"is '{name}', which is none of {', '.join(known)}{suggestion(name, list(known))}"
        raise file.field_error(("study", "question"), reason)
    return known[name] if isinstance(name, str) else next(iter(known.values()))


def _check_stimuli(file: TomlFile, stimuli: Sequence[StimulusEntry], per_participant: int, kind: DisplayKind) -> None:
    for index, entry in enumerate(stimuli):
        if entry.name in [other.name for other in stimuli[:index]]:
            raise file.field_error(("stimulus", index, "name"), f"is '{entry.name}' like that of another stimulus.")
        _check_inside(file, ("stimulus", index, "file"), entry.file)
        if entry.control in LIGHT_CONTROLS and kind != "points":
            reason = f'is "{entry.control}", which goes with display.kind = "points", not "{kind}".'
            raise file.field_error(("stimulus", index, "control"), reason)
    if len(stimuli) < 2:
        reason = f"a study needs at least two stimuli, each under [[stimulus]]; found {len(stimuli)}."
        raise file.field_error(("stimulus",), reason)
    path = ("session", "per_participant")
    if per_participant > len(stimuli):
        raise file.field_error(path, f"must be a whole number from 0 to {len(stimuli)}, not {per_participant}.")
    if per_participant == 1:
        raise file.field_error(path, "is 1; the tests compare within people, who must see two or more.")


def _check_practice(file: TomlFile, table: Any, question: type[Question]) -> None:
    """Refuse a practice stimulus with the name of another one, or a single one if two are compared."""
    names = [entry.name for entry in (*table.stimulus, *table.practice)]
    for index, entry in enumerate(table.practice):
        if names.count(entry.name) > 1:
            raise file.field_error(("practice", index, "name"), f"is '{entry.name}' like that of another stimulus.")
        _check_inside(file, ("practice", index, "file"), entry.file)
    if question.shows_pairs and len(table.practice) == 1:
        raise file.field_error(("practice",), "there is one, but two are compared; add another or leave it out.")


def _check_inside(file: TomlFile, path: FieldPath, name: str) -> None:
    """Refuse a path that leaves the study's folder."""
    if Path(name).is_absolute() or ".." in Path(name).parts:
        raise file.field_error(path, f"is '{name}'; motions lie inside the study's folder.")


@cache
def design_tables() -> dict[str, Any]:
    """Return the typed table of design.toml by type of question, for documentation and editors."""
    generic: Any = _DesignTable
    texts = _text_table(language_codes())
    return {name: generic[question, texts] for name, question in question_types().items()}


def _text_table(codes: tuple[str, ...]) -> type[Struct]:
    """Return the structure of [text]: for every language, the texts that a study may replace."""
    emotion: tuple[str, Any, Any] = ("emotion", dict[str, Annotated[str, Meta(pattern=r"\S", max_length=100)]], {})
    languages = []
    known = [(key, NonBlankText | None, None) for key, value in language_table("en").items() if isinstance(value, str)]
    for code in codes:
        languages.append((code, defstruct(code, [*known, emotion], forbid_unknown_fields=True) | None, None))
    return defstruct("text", languages, forbid_unknown_fields=True)


def _own_texts(table: Struct | None, codes: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """Return the texts that a study replaces, by language."""
    replaced: dict[str, dict[str, Any]] = {}
    for code in codes:
        own = getattr(table, code, None)
        texts = asdict(own) if own else {"emotion": {}}
        replaced[code] = {key: text for key, text in texts.items() if text is not None}
    return replaced
