"""`strut perform ROBOT SEQUENCE`: stories and walks one after the other, under the robot's own controllers."""

from __future__ import annotations

import typer

from strut.animation.animation_file import load_animation
from strut.animation.stories import story_names, story_path
from strut.cli.hooks import Performance
from strut.cli.paired_options import check_only
from strut.cli.screen import print_lines, print_planned, report_on_screen
from strut.formats.motion_file import save_motion
from strut.plumbing.atomic_files import check_writable
from strut.robot import Robot

OPTIONS = ("robot", "task", "out", "force", "json", "rate")


def perform_commands(context: typer.Context, robot: Robot, commands: str) -> None:
    """Perform a sequence of stories and walks, or a story that walks."""
    from strut.pilot.piloted_sequence import perform_sequence  # noqa: PLC0415 -- only a piloted robot needs it

    check_only(context, OPTIONS, f"is for tasks of a hand; the story {commands} has its own.")
    out = context.params["out"]
    force = context.params["force"]
    is_walking_story = commands in story_names(robot.name, walking=True)
    sequence = load_animation(story_path(robot.name, commands)) if is_walking_story else commands
    check_writable(out, force=force, ending=".npz")  # a simulation takes as long as the sequence, or longer
    with report_on_screen(f"{robot.name} performs {commands}", out, force=force):
        motion = perform_sequence(robot, sequence, rate_hz=context.params["rate"])
    save_motion(motion, out, force=force)
    print_lines(*(f"{begun['at_s']:6.2f} s  {begun['part']}: {begun['phase']}" for begun in motion.meta["sequence"]))
    print_planned(motion, out, json=context.params["json"])


SEQUENCE = Performance(
    fits=lambda robot, _commands: robot.tables.control is not None,
    perform=perform_commands,
    names=lambda robot: story_names(robot.name, walking=True),
)
