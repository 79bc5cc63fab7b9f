"""`strut animate`: a drawn story becomes a motion that the robot can perform."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

import typer

from strut.animation.animate import animate as make_feasible
from strut.animation.animation_file import import_animation, load_animation
from strut.animation.request import AnimationMethod
from strut.audit import DEFAULT_MARGIN_M
from strut.cli.completion import complete_emotion, complete_robot
from strut.cli.options import Force, Json, Out, Strict, length_m
from strut.cli.screen import print_lines, print_planned, report_on_screen
from strut.formats.motion_file import save_motion
from strut.formats.reader import find_readers
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.plumbing.number_text import format_count
from strut.schemas.keyframes import Animation


def animate(
    file: Annotated[
        Path, typer.Argument(help="Animation (TOML), or GLB or BVH of a rig; docs/how_to/animate_a_story.md.")
    ],
    robot: Annotated[
        str | None, typer.Option(help="Robot that performs it.  [default: the file's]", autocompletion=complete_robot)
    ] = None,
    emotion: Annotated[
        str | None,
        typer.Option(help="Emotion of a GLB or BVH file.  [default: neutral]", autocompletion=complete_emotion),
    ] = None,
    margin: Annotated[str, typer.Option(help="Smallest balance margin.")] = f"{DEFAULT_MARGIN_M * 1e3:g}mm",
    rate: Annotated[float, typer.Option(help="Samples per second.")] = 100.0,
    method: Annotated[
        AnimationMethod,
        typer.Option(help="Move only the centre of mass (mass), all joints at once (body), or in windows (pieces)."),
    ] = "mass",
    strict: Strict = False,
    out: Out = Path("animation.npz"),
    force: Force = False,
    json: Json = False,
) -> None:
    """Turn a keyframe animation into a feasible motion. Example: strut animate hop.toml --robot cassie --out h.npz."""
    animation = _load(file, robot, emotion)
    name = robot or animation.robot
    if name is None:
        raise typer.BadParameter(f"{file} names no robot; choose one with --robot.")
    body = load_robot(name)
    if animation.robot not in (None, name, body.name):
        raise typer.BadParameter(f"{file} is made for {animation.robot}, not for {name}; leave --robot out.")
    with report_on_screen(f"{name} learns {animation.title}", out, force=force) as report:
        motion = make_feasible(
            body,
            animation,
            margin_m=length_m(margin),
            rate_hz=rate,
            strict=strict,
            method=method,
            on_progress=report,
        )
    save_animation(motion, out, force=force, json=json)


def _load(file: Path, robot: str | None, emotion: str | None) -> Animation:
    """Return the keyframe animation of a file; for the motion of a rig, print how well keyframes fit it."""
    if not any(find_readers(Motion, file.suffix, {"robot"})):
        if emotion is not None:
            raise typer.BadParameter("--emotion is for GLB and BVH; a TOML file names its own.")
        return load_animation(file)
    if robot is None:
        raise typer.BadParameter(f"{file} names no robot; choose the robot of the rig with --robot.")
    imported = import_animation(file, robot, emotion=emotion or "neutral")
    frames = format_count(imported.frames, "[frame|frames]")
    print_lines(
        f"{len(imported.animation.keyframe)} keyframes for {frames}, at most {imported.away_m * 1e3:.1f} mm and "
        f"{math.degrees(imported.away_rad):.1f} degrees away from them"
    )
    return imported.animation


def print_animation_report(report: dict[str, Any]) -> None:
    """Print the distance of a motion from its animation, and where it takes longer."""
    away = report["away_mm"]
    print_lines(
        *([report["not_by"]] if report["not_by"] else []),
        f"authored {report['drawn_s']:.2f} s, performed {report['duration_s']:.2f} s; the base is {away['rms']:.1f} mm "
        f"(root mean square) and at most {away['largest']:.1f} mm away from the animation",
        *(f"  {sentence}" for sentence in report["slower"]),
    )


def save_animation(motion: Motion, out: Path, *, force: bool, json: bool) -> None:
    """Write the motion of an animation and print its report and receipt."""
    save_motion(motion, out, force=force)
    if "animation" in motion.meta:  # an animation that walks has only a receipt
        print_animation_report(motion.meta["animation"])
    print_planned(motion, out, json=json)
