"""Design file: a study as one readable TOML file, checked before anybody sees it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, cast, get_args

from strut.errors import DesignError
from strut.study.answers import DO_NOT_KNOW, IMPROVEMENT_ITEMS, PAD_SCALES
from strut.study.design import Ask, Control, Design, Display, Kind, Lights, Order, Question, Session, StimulusEntry
from strut.study.toml_fields import Fields, parsed_toml
from strut.study.words import language_codes, language_table

FILE_NAME = "design.toml"
_NAME = re.compile(r"^[A-Za-z0-9_-]{1,60}$")
_LARGEST_FILE_BYTES = 1_000_000
_MOST_TRIALS = 2000


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
    top = parsed_toml(text, source)
    study = top.inner("study")
    question = cast(Question, study.text("question", one_of=get_args(Question)))
    stimuli = _stimuli(top)
    design = Design(
        name=_name(study, "name"),
        question=question,
        stimuli=stimuli,
        languages=study.texts("languages", ["en"], fewest=1, one_of=language_codes()),
        seed=study.whole("seed", 0, low=0, high=2**31),
        session=_session(top.inner("session"), len(stimuli)),
        display=_display(top.inner("display")),
        ask=_ask(top.inner("ask"), question, stimuli),
        **_people(top.inner("people")),
        text=_texts(top.inner("text")),
        folder=folder,
    )
    study.end()
    top.end()
    if design.trials > _MOST_TRIALS:
        raise DesignError(source, "session", f"asks for {design.trials} trials of one person; at most {_MOST_TRIALS}.")
    return design


def _name(fields: Fields, key: str) -> str:
    name = fields.text(key)
    if not _NAME.match(name):
        raise fields.wrong(key, f"is '{name}'; use up to 60 letters, digits, - and _.")
    return name


def _stimuli(top: Fields) -> tuple[StimulusEntry, ...]:
    found: list[StimulusEntry] = []
    for fields in top.tables("stimulus"):
        entry = StimulusEntry(
            name=_name(fields, "name"),
            file=fields.text("file"),
            intended=fields.text("intended", longest=60),
            control=cast(Control, fields.text("control", "none", one_of=get_args(Control))),
        )
        fields.end()
        if entry.name in [other.name for other in found]:
            raise fields.wrong("name", f"is '{entry.name}' like that of another stimulus.")
        if Path(entry.file).is_absolute() or ".." in Path(entry.file).parts:
            raise fields.wrong("file", f"is '{entry.file}'; motions lie inside the study's folder.")
        found.append(entry)
    if len(found) < 2:
        raise top.wrong("stimulus", f"a study needs at least two stimuli, each under [[stimulus]]; found {len(found)}.")
    return tuple(found)


def _session(fields: Fields, stimuli: int) -> Session:
    session = Session(
        blocks=fields.whole("blocks", 1, low=1, high=100),
        repeats=fields.whole("repeats", 1, low=1, high=100),
        order=cast(Order, fields.text("order", "random", one_of=get_args(Order))),
        practice=fields.whole("practice", 0, low=0, high=50),
        per_participant=fields.whole("per_participant", 0, low=0, high=stimuli),
    )
    fields.end()
    if session.per_participant == 1:
        raise fields.wrong("per_participant", "is 1; the tests compare within people, who must see two or more.")
    return session


def _display(fields: Fields) -> Display:
    display = Display(
        kind=cast(Kind, fields.text("kind", "points", one_of=get_args(Kind))),
        lights=cast(Lights, fields.text("lights", "joints", one_of=get_args(Lights))),
        azimuth_deg=fields.number("azimuth_deg", 45.0, low=-360.0, high=360.0),
        elevation_deg=fields.number("elevation_deg", 10.0, low=-10.0, high=90.0),
        camera=cast(Any, fields.text("camera", "fixed", one_of=("fixed", "follow"))),
        seconds=fields.number("seconds", 5.0, low=0.0, high=120.0),
        replay=fields.flag("replay", True),
        whole=fields.flag("whole", False),
    )
    fields.end()
    if display.lights == "markers" and display.kind != "points":
        raise fields.wrong("lights", f'is "markers", which goes with kind = "points", not "{display.kind}".')
    return display


def _ask(fields: Fields, question: Question, stimuli: tuple[StimulusEntry, ...]) -> Ask:
    do_not_know = fields.flag("do_not_know", True) if question in ("forced-choice", "slider") else False
    intended = tuple(dict.fromkeys(entry.intended for entry in stimuli))
    if question == "forced-choice":
        ask = Ask(
            options=fields.texts("options", intended, fewest=2),
            shuffle=fields.flag("shuffle", False),
            do_not_know=do_not_know,
        )
        missing = [name for name in intended if name not in ask.options]
        if missing:
            raise fields.wrong("options", f"lacks '{missing[0]}', which a stimulus is intended to show.")
        if DO_NOT_KNOW in ask.options:
            raise fields.wrong("options", f"holds '{DO_NOT_KNOW}'; write do_not_know = true instead.")
    elif question == "slider":
        ends = fields.texts("ends", ("anger", "neutral", "joy"), fewest=3)
        if len(ends) != 3:
            raise fields.wrong("ends", f"needs three words (low, middle, high), it has {len(ends)}.")
        ask = Ask(ends=ends, do_not_know=do_not_know)
    elif question == "sam":
        points = fields.whole("points", 9, low=5, high=9)
        if points % 2 == 0:
            raise fields.wrong("points", f"is {points}; a scale with a middle has 5, 7 or 9 points.")
        ask = Ask(scales=fields.texts("scales", PAD_SCALES, fewest=1, one_of=PAD_SCALES), points=points)
    else:
        ask = Ask(items=fields.texts("items", IMPROVEMENT_ITEMS, fewest=1, one_of=IMPROVEMENT_ITEMS))
    fields.end()
    return ask


def _people(fields: Fields) -> dict[str, bool]:
    asked = {"ask_age": fields.flag("age", True), "ask_gender": fields.flag("gender", True)}
    fields.end()
    return asked


def _texts(fields: Fields) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for code in language_codes():
        own = fields.inner(code)
        known = [key for key, value in language_table(code).items() if isinstance(value, str)]
        found[code] = {key: own.text(key) for key in known if key in own.values}
        own.known = [*known, "emotion"]
        emotions = own.inner("emotion")
        found[code]["emotion"] = {name: emotions.text(name, longest=100) for name in list(emotions.values)}
        own.end()
    fields.end()
    return found
