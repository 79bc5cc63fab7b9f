"""Options: those that several verbs share, so that they are called, read and explained alike."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.emotion import Emotion, named_emotion

EmotionName = Annotated[str | None, typer.Option(help="A name; see `strut emotions`.  [default: neutral]")]
Pad = Annotated[tuple[float, float, float] | None, typer.Option(help="Pleasure, arousal, dominance instead of a name.")]
Intensity = Annotated[float, typer.Option(help="0 is neutral, 1 as published, at most 1.5.")]
MotionPath = Annotated[Path, typer.Argument(help="Motion file.")]
Out = Annotated[Path, typer.Option(help="Motion file to write.")]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse (exit 3) instead of weakening.")]
Force = Annotated[bool, typer.Option("--force", help="Replace existing files.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON to stdout.")]


def feeling(emotion: str | None, pad: tuple[float, float, float] | None) -> Emotion:
    """Return the emotion that was named or placed; neutral if neither."""
    if emotion is not None and pad is not None:
        raise typer.BadParameter("give --emotion or --pad, not both.")
    return Emotion(*pad) if pad is not None else named_emotion("neutral" if emotion is None else emotion)
