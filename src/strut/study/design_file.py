"""Design file: a study as one readable TOML file, checked before anybody sees it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import Meta, Struct

from strut.errors import DesignError
from strut.study.answers import DO_NOT_KNOW, IMPROVEMENT_ITEMS, PAD_SCALES, ImprovementItem, PadScale
from strut.study.design import Ask, Design, Display, EntryName, Question, Session, StimulusEntry, Text
from strut.study.words import language_codes, language_table
from strut.toml_file import FieldPath, TomlFile

FILE_NAME = "design.toml"
_LARGEST_FILE_BYTES = 1_000_000
_MOST_TRIALS = 2000
_AskTable = TypeVar("_AskTable")
_TextTable = TypeVar("_TextTable")


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


_ASK_TABLES = {"forced-choice": _ForcedChoice, "slider": _Slider, "sam": _Manikins, "improvement": _Improvement}


def read_design(folder: Path | str) -> Design:
    """Read the design of a study from its folder; what is wrong raises DesignError with line and field."""
    folder = Path(folder)
    path = folder / FILE_NAME
    try:
        if path.stat().st_size > _LARGEST_FILE_BYTES:
            raise DesignError(str(path), "", "is larger than 1 MB, which no design is.")
        text = path.read_text("utf-8")
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
    table = file.decode(generic[_ASK_TABLES.get(str(asked), _ForcedChoice), _text_table()])
    _check_stimuli(file, table.stimulus)
    _check_session(file, table.session, len(table.stimulus))
    _check_texts(file, ("study", "languages"), table.study.languages, one_of=language_codes())
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
        text=_own_texts(table.text),
        folder=folder,
    )
    if design.trials > _MOST_TRIALS:
        raise DesignError(source, "session", f"asks for {design.trials} trials of one person; at most {_MOST_TRIALS}.")
    return design


def _check_stimuli(file: TomlFile, stimuli: Sequence[StimulusEntry]) -> None:
    for index, entry in enumerate(stimuli):
        if entry.name in [other.name for other in stimuli[:index]]:
            raise file.wrong(("stimulus", index, "name"), f"is '{entry.name}' like that of another stimulus.")
        if Path(entry.file).is_absolute() or ".." in Path(entry.file).parts:
            reason = f"is '{entry.file}'; motions lie inside the study's folder."
            raise file.wrong(("stimulus", index, "file"), reason)
    if len(stimuli) < 2:
        reason = f"a study needs at least two stimuli, each under [[stimulus]]; found {len(stimuli)}."
        raise file.wrong(("stimulus",), reason)


def _check_session(file: TomlFile, session: Session, stimuli: int) -> None:
    field, seen = ("session", "per_participant"), session.per_participant
    if seen > stimuli:
        raise file.wrong(field, f"must be a whole number from 0 to {stimuli}, not {seen}.")
    if seen == 1:
        raise file.wrong(field, "is 1; the tests compare within people, who must see two or more.")


def _check_texts(file: TomlFile, path: FieldPath, texts: Sequence[str], one_of: Sequence[str] = ()) -> None:
    for text in texts:
        if one_of and text not in one_of:
            raise file.wrong(path, f"holds '{text}', which is none of {', '.join(one_of)}.")
        if texts.count(text) > 1:
            raise file.wrong(path, f"holds '{text}' twice.")


def _ask(file: TomlFile, table: Struct, stimuli: Sequence[StimulusEntry]) -> Ask:
    asked = msgspec.structs.asdict(table)
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
def _text_table() -> type[Struct]:
    """Return the structure of [text]: for every language, whichever of its texts a study replaces."""
    emotion: tuple[str, Any, Any] = ("emotion", dict[str, Annotated[str, Meta(pattern=r"\S", max_length=100)]], {})
    languages = []
    for code in language_codes():
        known = [key for key, value in language_table(code).items() if isinstance(value, str)]
        fields = [*((key, Text | None, None) for key in known), emotion]
        languages.append((code, msgspec.defstruct(code, fields, forbid_unknown_fields=True) | None, None))
    return msgspec.defstruct("text", languages, forbid_unknown_fields=True)


def _own_texts(table: Struct | None) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for code in language_codes():
        own = getattr(table, code, None)
        texts = msgspec.structs.asdict(own) if own else {"emotion": {}}
        found[code] = {key: text for key, text in texts.items() if text is not None}
    return found
