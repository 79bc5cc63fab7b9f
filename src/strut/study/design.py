"""Design: what a study shows, what it asks, in which order and words; one readable TOML file, checked before use."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar

from msgspec import Meta, Struct, defstruct, to_builtins
from msgspec.structs import asdict

from strut.errors import DesignError
from strut.study.answers import DO_NOT_KNOW, IMPROVEMENT_ITEMS, PAD_SCALES, ImprovementItem, PadScale
from strut.study.light_controls import LIGHT_CONTROLS
from strut.study.taking_part import Ethics, Recruiting
from strut.study.words import SurveyWords, language_codes, language_table
from strut.toml_file import FieldPath, TomlFile

Question = Literal["forced-choice", "slider", "sam", "improvement"]
Order = Literal["random", "latin-square", "fixed"]
Control = Literal["none", "speed-matched", "posture-matched", "inverted", "scrambled", "masked"]
Kind = Literal["points", "sticks", "solid"]
Lights = Literal["joints", "markers"]
Text = Annotated[str, Meta(pattern=r"\S", max_length=20_000)]  # not blank
EntryName = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,60}$", description="use up to 60 letters, digits, - and _.")]
_Count = Annotated[int, Meta(ge=1, le=100)]
FILE_NAME = "design.toml"
_LARGEST_FILE_BYTES = 1_000_000
_MOST_TRIALS = 2000
_AskTable = TypeVar("_AskTable")
_TextTable = TypeVar("_TextTable")
_SECONDS_PER_ANSWER = {"forced-choice": 5.0, "slider": 5.0, "sam": 9.0, "improvement": 30.0}


class StimulusEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One motion to show, and the emotion it is meant to show; `control` takes away one difference to neutral."""

    name: EntryName
    file: Text
    intended: Annotated[str, Meta(pattern=r"\S", max_length=60)]
    control: Control = "none"


class Session(Struct, frozen=True, forbid_unknown_fields=True):
    """What one participant goes through; practice trials do not count, 0 stimuli per participant are all."""

    blocks: _Count = 1
    repeats: _Count = 1
    order: Order = "random"
    practice: Annotated[int, Meta(ge=0, le=50)] = 0
    per_participant: Annotated[int, Meta(ge=0)] = 0


class Display(Struct, frozen=True, forbid_unknown_fields=True):
    """How a motion is shown: same view, same length and same scale for all stimuli of a study.

    Azimuth 0 looks from ahead, 90 from the right; 0 seconds are as long as the shortest motion lasts. Before a motion
    comes a cross to look at (`fixation_ms`), before that, from trial to trial, nothing (`interval_ms`). With `loop` a
    gait cycle repeats without a seam for as long as wanted.
    """

    kind: Kind = "points"
    lights: Lights = "joints"
    azimuth_deg: Annotated[float, Meta(ge=-360.0, le=360.0)] = 45.0
    elevation_deg: Annotated[float, Meta(ge=-10.0, le=90.0)] = 10.0
    camera: Literal["fixed", "follow"] = "fixed"
    seconds: Annotated[float, Meta(ge=0.0, le=120.0)] = 5.0
    replay: bool = True
    fixation_ms: Annotated[int, Meta(ge=0, le=5000)] = 500
    interval_ms: Annotated[int, Meta(ge=0, le=10_000)] = 1000
    loop: bool = False


@dataclass(frozen=True, slots=True)
class Ask:
    """The question: options of a choice (shuffled for each person or not), ends of a slider, scales or items."""

    options: tuple[str, ...] = ()
    shuffle: bool = False
    do_not_know: bool = True
    ends: tuple[str, str, str] = ("anger", "neutral", "joy")
    scales: tuple[str, ...] = PAD_SCALES
    points: int = 9
    items: tuple[str, ...] = IMPROVEMENT_ITEMS


@dataclass(frozen=True, slots=True)
class Design:
    """A whole study; `folder` is where its file stands and its motions are looked for."""

    name: str
    question: Question
    stimuli: tuple[StimulusEntry, ...]
    languages: tuple[str, ...] = ("en",)
    seed: int = 0
    session: Session = field(default_factory=Session)
    display: Display = field(default_factory=Display)
    ask: Ask = field(default_factory=Ask)
    ask_age: bool = True
    ask_gender: bool = True
    ethics: Ethics | None = None
    recruiting: Recruiting = field(default_factory=Recruiting)
    text: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    folder: Path = field(default_factory=Path, compare=False)

    def words(self, language: str) -> SurveyWords:
        """Return what participants read in a language; the first one of the study for a language it does not have."""
        code = language if language in self.languages else self.languages[0]
        return SurveyWords(code, language_table(code, self.folder), self.text.get(code, {}))

    def stimulus(self, name: str) -> StimulusEntry:
        """Return the stimulus called `name`."""
        return next(entry for entry in self.stimuli if entry.name == name)

    @property
    def answer_options(self) -> tuple[str, ...]:
        """What people can answer to a forced choice, "do not know" last."""
        return (*self.ask.options, DO_NOT_KNOW) if self.ask.do_not_know else self.ask.options

    @property
    def trials(self) -> int:
        """How many trials one participant goes through, practice among them."""
        shown = self.session.per_participant or len(self.stimuli)
        return self.session.practice + shown * self.session.repeats * self.session.blocks

    @property
    def minutes(self) -> int:
        """How long that takes, roughly."""
        each = (self.display.seconds or 5.0) + _SECONDS_PER_ANSWER[self.question]
        return max(1, round(self.trials * each / 60.0))

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change with everything that changes what answers mean."""
        told = {entry.name for entry in fields(self)} - {"folder", "text", "languages", "ethics", "recruiting"}
        table = to_builtins({name: getattr(self, name) for name in told})
        return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()[:16]


class _ForcedChoice(Struct, frozen=True, forbid_unknown_fields=True):
    options: Annotated[tuple[Text, ...], Meta(min_length=2)] | None = None
    shuffle: bool = False
    do_not_know: bool = True


class _Slider(Struct, frozen=True, forbid_unknown_fields=True):
    ends: Annotated[tuple[Text, ...], Meta(min_length=3)] = ("anger", "neutral", "joy")
    do_not_know: bool = True


class _Manikins(Struct, frozen=True, forbid_unknown_fields=True):
    scales: Annotated[tuple[PadScale, ...], Meta(min_length=1)] = PAD_SCALES
    points: Annotated[int, Meta(ge=5, le=9)] = 9


class _Improvement(Struct, frozen=True, forbid_unknown_fields=True):
    items: Annotated[tuple[ImprovementItem, ...], Meta(min_length=1)] = IMPROVEMENT_ITEMS


class _People(Struct, frozen=True, forbid_unknown_fields=True):
    age: bool = True
    gender: bool = True


class _Study(Struct, frozen=True, forbid_unknown_fields=True):
    name: EntryName
    question: Question
    languages: Annotated[tuple[Text, ...], Meta(min_length=1)] = ("en",)
    seed: Annotated[int, Meta(ge=0, le=2**31)] = 0


class _DesignTable(Struct, Generic[_AskTable, _TextTable], frozen=True, forbid_unknown_fields=True):
    study: _Study
    ask: _AskTable | None = None
    text: _TextTable | None = None
    stimulus: tuple[StimulusEntry, ...] = ()
    session: Session = Session()
    display: Display = Display()
    people: _People = _People()
    ethics: Ethics | None = None
    recruiting: Recruiting = Recruiting()


_ASK_TABLES = {"forced-choice": _ForcedChoice, "slider": _Slider, "sam": _Manikins, "improvement": _Improvement}


def read_design(folder: Path | str) -> Design:
    """Read the design of a study from its folder; what is wrong raises DesignError with line and field."""
    folder = Path(folder)
    path = folder / FILE_NAME
    try:
        if path.stat().st_size > _LARGEST_FILE_BYTES:
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
    study = file.parse().get("study")
    asked = study.get("question") if isinstance(study, dict) else None
    generic: Any = _DesignTable
    codes = language_codes(folder)
    table = file.decode(generic[_ASK_TABLES.get(str(asked), _ForcedChoice), _text_table(codes)])
    _check_stimuli(file, table.stimulus, table.session.per_participant, table.display.kind)
    _check_texts(file, ("study", "languages"), table.study.languages, one_of=codes)
    for code in table.study.languages:
        language_table(code, folder)  # a file of the study's own that lacks words is refused
    if table.display.lights == "markers" and table.display.kind != "points":
        reason = f'is "markers", which goes with kind = "points", not "{table.display.kind}".'
        raise file.wrong(("display", "lights"), reason)
    design = Design(
        name=table.study.name,
        question=table.study.question,
        stimuli=table.stimulus,
        languages=table.study.languages,
        seed=table.study.seed,
        session=table.session,
        display=table.display,
        ask=_ask(file, table.ask or _ASK_TABLES[table.study.question](), table.stimulus),
        ask_age=table.people.age,
        ask_gender=table.people.gender,
        ethics=table.ethics,
        recruiting=table.recruiting,
        text=_own_texts(table.text, codes),
        folder=folder,
    )
    if design.trials > _MOST_TRIALS:
        raise DesignError(source, "session", f"asks for {design.trials} trials of one person; at most {_MOST_TRIALS}.")
    return design


def _check_stimuli(file: TomlFile, stimuli: Sequence[StimulusEntry], per_participant: int, kind: Kind) -> None:
    for index, entry in enumerate(stimuli):
        if entry.name in [other.name for other in stimuli[:index]]:
            raise file.wrong(("stimulus", index, "name"), f"is '{entry.name}' like that of another stimulus.")
        if Path(entry.file).is_absolute() or ".." in Path(entry.file).parts:
            reason = f"is '{entry.file}'; motions lie inside the study's folder."
            raise file.wrong(("stimulus", index, "file"), reason)
        if entry.control in LIGHT_CONTROLS and kind != "points":
            reason = f'is "{entry.control}", which goes with display.kind = "points", not "{kind}".'
            raise file.wrong(("stimulus", index, "control"), reason)
    if len(stimuli) < 2:
        reason = f"a study needs at least two stimuli, each under [[stimulus]]; found {len(stimuli)}."
        raise file.wrong(("stimulus",), reason)
    field = ("session", "per_participant")
    if per_participant > len(stimuli):
        raise file.wrong(field, f"must be a whole number from 0 to {len(stimuli)}, not {per_participant}.")
    if per_participant == 1:
        raise file.wrong(field, "is 1; the tests compare within people, who must see two or more.")


def _check_texts(file: TomlFile, path: FieldPath, texts: Sequence[str], one_of: Sequence[str] = ()) -> None:
    for text in texts:
        if one_of and text not in one_of:
            raise file.wrong(path, f"holds '{text}', which is none of {', '.join(one_of)}.")
        if texts.count(text) > 1:
            raise file.wrong(path, f"holds '{text}' twice.")


def _ask(file: TomlFile, table: Struct, stimuli: Sequence[StimulusEntry]) -> Ask:
    asked = asdict(table)
    if isinstance(table, _ForcedChoice):
        asked["options"] = _options(file, table, tuple(dict.fromkeys(entry.intended for entry in stimuli)))
    if isinstance(table, _Slider) and len(table.ends) != 3:
        raise file.wrong(("ask", "ends"), f"needs three words (low, middle, high), it has {len(table.ends)}.")
    if isinstance(table, _Manikins) and table.points % 2 == 0:
        reason = f"is {table.points}; a scale with a middle has 5, 7 or 9 points."
        raise file.wrong(("ask", "points"), reason)
    for name in asked.keys() & {"options", "ends", "scales", "items"}:
        _check_texts(file, ("ask", name), asked[name])
    return Ask(**asked)


def _options(file: TomlFile, table: _ForcedChoice, intended: tuple[str, ...]) -> tuple[str, ...]:
    """Return the options of a choice: as written, or what the stimuli are intended to show."""
    options, path = table.options or intended, ("ask", "options")
    missing = [name for name in intended if name not in options]
    if missing:
        raise file.wrong(path, f"lacks '{missing[0]}', which a stimulus is intended to show.")
    if DO_NOT_KNOW in options:
        raise file.wrong(path, f"holds '{DO_NOT_KNOW}'; write do_not_know = true instead.")
    if len(options) < 2:
        raise file.wrong(path, f"needs at least 2, it has {len(options)}.")
    return options


@cache
def _text_table(codes: tuple[str, ...]) -> type[Struct]:
    """Return the structure of [text]: for every language, whichever of its texts a study replaces."""
    emotion: tuple[str, Any, Any] = ("emotion", dict[str, Annotated[str, Meta(pattern=r"\S", max_length=100)]], {})
    languages = []
    known = [(key, Text | None, None) for key, value in language_table("en").items() if isinstance(value, str)]
    for code in codes:
        languages.append((code, defstruct(code, [*known, emotion], forbid_unknown_fields=True) | None, None))
    return defstruct("text", languages, forbid_unknown_fields=True)


def _own_texts(table: Struct | None, codes: tuple[str, ...]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for code in codes:
        own = getattr(table, code, None)
        texts = asdict(own) if own else {"emotion": {}}
        found[code] = {key: text for key, text in texts.items() if text is not None}
    return found
