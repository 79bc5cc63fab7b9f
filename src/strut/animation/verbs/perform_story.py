"""`strut perform ROBOT STORY`: the keyframe animations that come with a robot."""

from __future__ import annotations

import typer

from strut.animation.animate import animate
from strut.animation.animation_file import load_animation
from strut.animation.stories import story_names, story_path
from strut.animation.verbs.animate import save_animation
from strut.cli.hooks import Performance
from strut.cli.options import length_m
from strut.cli.paired_options import check_only
from strut.cli.screen import report_on_screen
from strut.robot import Robot

OPTIONS = ("robot", "task", "out", "force", "json", "rate", "strict", "margin")


def perform_story(context: typer.Context, robot: Robot, story: str) -> None:
    """Perform a story, which brings its own emotion and its own duration."""
    check_only(context, OPTIONS, f"is for tasks of a hand; the story {story} has its own.")
    animation = load_animation(story_path(robot.name, story))
    chosen = context.params
    with report_on_screen(f"{robot.name} performs {animation.title}", chosen["out"], force=chosen["force"]) as report:
        motion = animate(
            robot,
            animation,
            margin_m=length_m(chosen["margin"]),
            rate_hz=chosen["rate"],
            strict=chosen["strict"],
            on_progress=report,
        )
    save_animation(motion, chosen["out"], force=chosen["force"], json=chosen["json"])


STORY = Performance(
    fits=lambda robot, task: task in story_names(robot.name),
    perform=perform_story,
    names=lambda robot: story_names(robot.name),
)
