"""`strut drive`: a person drives a simulated robot from the browser."""

from __future__ import annotations

from functools import partial
from typing import Annotated

import typer

from strut.animation.animate import animate
from strut.animation.animation_file import load_animation
from strut.animation.stories import story_names, story_path
from strut.cli.completion import complete_robot
from strut.cli.options import OpenBrowser
from strut.cli.screen import open_in_browser, print_lines
from strut.errors import OutOfRangeError
from strut.models.catalogue import first_robot_with, load_robot
from strut.motion import Motion
from strut.pilot.live.live_pilot import LivePilot
from strut.pilot.piloted_simulation import World


def drive(
    robot: Annotated[
        str | None,
        typer.Argument(help="Robot with its own controllers.  [default: cassie]", autocompletion=complete_robot),
    ] = None,
    friction: Annotated[float | None, typer.Option(help="Friction of the floor.  [default: the robot's]")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the sensor noise.")] = 0,
    host: Annotated[str, typer.Option(help="Address of the page.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port of the page.")] = 8080,
    open_browser: OpenBrowser = True,
) -> None:
    """Drive a simulated robot from the browser. Example: strut drive cassie."""
    from strut.pilot.live.drive_page import drive as drive_from_page  # noqa: PLC0415  (viser takes a second to load)

    if friction is not None and not 0.0 < friction <= 2.0:
        raise OutOfRangeError(f"The friction is {friction:g}; it must be above 0 and at most 2.")
    robot = robot or first_robot_with("control.toml")
    pilot = LivePilot(load_robot(robot), World(friction=friction, seed=seed))
    perform = partial(_animate_story, robot)
    stories = [name for name in story_names(robot) if not load_animation(story_path(robot, name)).walks]
    greet = partial(_greet, open_browser=open_browser)
    drive_from_page(pilot, stories=stories, perform=perform, host=host, port=port, on_ready=greet)


def _animate_story(robot: str, name: str) -> Motion:
    """Return the feasible motion of a story; a function of the module, so that another process can import it."""
    return animate(robot, load_animation(story_path(robot, name)))


def _greet(url: str, *, open_browser: bool) -> None:
    print_lines(f"drive on {url}; Ctrl-C ends it")
    if open_browser:
        open_in_browser(url)
