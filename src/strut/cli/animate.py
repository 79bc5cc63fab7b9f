"""`strut animate`: a drawn story becomes a motion that the robot can perform."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from strut.audit import DEFAULT_MARGIN_M
from strut.cli.options import Force, Json, Out, Strict, length_m
from strut.cli.screen import print_lines, print_planned, told_on_screen
from strut.io.animation_file import load_animation
from strut.io.motion_file import save_motion
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.pipeline.animate import animate as make_feasible


def animate(
    file: Annotated[Path, typer.Argument(help="Animation file (TOML); docs/animation.md describes it.")],
    robot: Annotated[str | None, typer.Option(help="Who performs it; whom the file names if left out.")] = None,
    margin: Annotated[str, typer.Option(help="Smallest balance margin.")] = f"{DEFAULT_MARGIN_M * 1e3:g}mm",
    rate: Annotated[float, typer.Option(help="Samples per second.")] = 100.0,
    strict: Strict = False,
    out: Out = Path("animation.npz"),
    force: Force = False,
    json: Json = False,
) -> None:
    """Make a drawn story a motion that stands. Example: strut animate hop.toml --robot cassie --out hop.npz."""
    animation = load_animation(file)
    who = robot or animation.robot
    if who is None:
        raise typer.BadParameter(f"{file} names no robot; say who performs it with --robot.")
    body = load_robot(who)
    with told_on_screen(f"{who} learns {animation.title}", out, force=force, json=json) as tell:
        motion = make_feasible(
            body, animation, margin_m=length_m(margin), rate_hz=rate, strict=strict, on_progress=tell
        )
    save_story(motion, out, force=force, json=json)


def print_story(report: dict[str, Any]) -> None:
    """Tell people how far a motion is from its drawing, and where it takes longer."""
    away = report["away_mm"]
    print_lines(
        f"drawn {report['drawn_s']:.2f} s, performed {report['duration_s']:.2f} s; the base is {away['rms']:.1f} mm "
        f"(root mean square) and at most {away['largest']:.1f} mm away from the drawing",
        *(f"  {sentence}" for sentence in report["slower"]),
    )


def save_story(motion: Motion, out: Path, *, force: bool, json: bool) -> None:
    """Write a story and tell people what it keeps and costs."""
    save_motion(motion, out, force=force)
    print_story(motion.meta["animation"])
    print_planned(motion, out, json=json)
