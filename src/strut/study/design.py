"""Design: what a study shows, what it asks, in which order, and in which words."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct, to_builtins

from strut.study.answers import DO_NOT_KNOW, IMPROVEMENT_ITEMS, PAD_SCALES
from strut.study.words import SurveyWords, language_table

Question = Literal["forced-choice", "slider", "sam", "improvement"]
Order = Literal["random", "latin-square", "fixed"]
Control = Literal["none", "speed-matched", "posture-matched"]
Kind = Literal["points", "sticks", "solid"]
Lights = Literal["joints", "markers"]
Text = Annotated[str, Meta(pattern=r"\S", max_length=20_000)]  # not blank
EntryName = Annotated[str, Meta(pattern="^[A-Za-z0-9_-]{1,60}$", description="use up to 60 letters, digits, - and _.")]
_Count = Annotated[int, Meta(ge=1, le=100)]
SECONDS_PER_ANSWER = {"forced-choice": 5.0, "slider": 5.0, "sam": 9.0, "improvement": 30.0}


class StimulusEntry(Struct, frozen=True, forbid_unknown_fields=True):
    """One motion to show, and the emotion it is meant to show; `control` takes away one difference to neutral."""

    name: EntryName
    file: Text
    intended: Annotated[str, Meta(pattern=r"\S", max_length=60)]
    control: Control = "none"


class Session(Struct, frozen=True, forbid_unknown_fields=True):
    """What one participant goes through.

    Args:
        blocks: How many blocks.
        repeats: How often each stimulus is shown in a block.
        order: `random`, a balanced `latin-square` over participants, or `fixed` as in the file.
        practice: Trials before the first block that do not count.
        per_participant: How many of the stimuli one participant sees, those seen least so far; 0 is all.
    """

    blocks: _Count = 1
    repeats: _Count = 1
    order: Order = "random"
    practice: Annotated[int, Meta(ge=0, le=50)] = 0
    per_participant: Annotated[int, Meta(ge=0)] = 0


class Display(Struct, frozen=True, forbid_unknown_fields=True):
    """How a motion is shown: same view, same length and same scale for all stimuli of a study.

    Args:
        kind: Point lights, stick figure or solid body.
        lights: Where point lights sit: at the joint centres, or where the robot's marker set has them.
        azimuth_deg: From where the camera looks: 0 from ahead, 45 from ahead and the right, 90 from the right.
        elevation_deg: From how high.
        camera: `fixed` in the world as published, or `follow` the body.
        seconds: Length of a stimulus; 0 is as long as the shortest motion lasts.
        replay: Whether people may look again.
        whole: Whether an answer waits until the motion has been seen to its end.
    """

    kind: Kind = "points"
    lights: Lights = "joints"
    azimuth_deg: Annotated[float, Meta(ge=-360.0, le=360.0)] = 45.0
    elevation_deg: Annotated[float, Meta(ge=-10.0, le=90.0)] = 10.0
    camera: Literal["fixed", "follow"] = "fixed"
    seconds: Annotated[float, Meta(ge=0.0, le=120.0)] = 5.0
    replay: bool = True
    whole: bool = False


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
    text: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    folder: Path = field(default_factory=Path, compare=False)

    def words(self, language: str) -> SurveyWords:
        """Return what participants read in a language; the first one of the study for a language it does not have."""
        code = language if language in self.languages else self.languages[0]
        return SurveyWords(code, language_table(code), self.text.get(code, {}))

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
        each = (self.display.seconds or 5.0) + SECONDS_PER_ANSWER[self.question]
        return max(1, round(self.trials * each / 60.0))

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change with everything that changes what answers mean."""
        told = {entry.name for entry in fields(self)} - {"folder", "text", "languages"}
        table = to_builtins({name: getattr(self, name) for name in told})
        return hashlib.sha256(json.dumps(table, sort_keys=True).encode()).hexdigest()[:16]
