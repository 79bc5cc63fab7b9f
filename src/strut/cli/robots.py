"""`strut robots`: the robots and their joints."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated

import typer

from strut.cli.hooks import Performance
from strut.cli.options import Json
from strut.cli.screen import print_json, print_lines, print_next, print_table
from strut.errors import StrutError
from strut.models.catalogue import hidden_robots, load_robot, names_in, robot_home
from strut.models.catalogue import robots as robot_names
from strut.registry import find, names
from strut.robot import Robot


def robots(
    name: Annotated[str | None, typer.Argument(help="Show the joints and feet of this one.")] = None,
    json: Json = False,
) -> None:
    """List the robots. Example: strut robots mrpete."""
    if name is not None:
        _show_one(name, load_robot(name), json)
        return
    every = {known: _loaded(known) for known in robot_names()}
    if json:
        print_json([_summary(known, robot) for known, robot in every.items()])
        return
    rows = [[known, *_columns(robot)] for known, robot in every.items()]
    print_table("robots", ["name", "robot", "joints", "feet", "mass"], rows)
    for hidden in hidden_robots():
        print_lines(f"{hidden} is a robot of strut; use yours by its path, {robot_home() / hidden}.")
    _print_next(*_proposed(every))


def _proposed(every: Mapping[str, Robot | str]) -> tuple[str, Robot]:
    """Return the robot to propose: one of the user's, if it can be read and walks."""
    able = {name: robot for name, robot in every.items() if isinstance(robot, Robot) and robot.tables.gait is not None}
    chosen = next((name for name in able if name in names_in(robot_home())), next(iter(able)))
    return chosen, able[chosen]


def _loaded(name: str) -> Robot | str:
    """Return a robot; or the reason why it cannot be read, so that the others are listed."""
    try:
        return load_robot(name)
    except StrutError as error:
        return str(error)


def _columns(robot: Robot | str) -> list[str]:
    if isinstance(robot, str):
        return [f"cannot be read: {robot}", "", "", ""]
    return [robot.title, str(len(robot.joint_names)), str(len(robot.feet)), f"{robot.mass_kg:.1f} kg"]


def _show_one(name: str, robot: Robot, json: bool) -> None:
    columns = (robot.joint_lower_rad, robot.joint_upper_rad, robot.joint_speed_limit_rad_s, robot.torque_limit_nm)
    limits = list(zip(robot.joint_names, *(column.tolist() for column in columns), strict=True))
    if json:
        keys = ("name", "lower_rad", "upper_rad", "speed_rad_s", "torque_nm")
        print_json(_summary(name, robot) | {"joint_limits": [dict(zip(keys, joint, strict=True)) for joint in limits]})
        return
    rows = [
        [joint, f"{math.degrees(low):.0f}° to {math.degrees(high):.0f}°", f"{speed:.1f} rad/s", f"{torque:.1f} N m"]
        for joint, low, high, speed, torque in limits
    ]
    tasks = _tasks(robot)
    does = f"feet {', '.join(robot.foot_names)}" if robot.feet else f"tasks {', '.join(tasks) or 'none'}"
    print_table(f"{robot.title}; {does}", ["joint", "range", "speed", "torque"], rows)
    if stories := _stories(robot):
        print_lines(f"stories for `strut perform`, alone or in a sequence with walk 2 m: {', '.join(stories)}")
    _print_next(name, robot)


def _tasks(robot: Robot) -> tuple[str, ...]:
    return tuple(robot.tables.tasks or ())


def _print_next(name: str, robot: Robot) -> None:
    if tasks := _tasks(robot):
        print_next("strut perform", name, tasks[0], "--emotion", "happy")
    elif robot.tables.gait is not None:
        print_next("strut walk", name, "--emotion", "happy")


def _stories(robot: Robot) -> list[str]:
    performances: list[Performance] = [find("strut.performances", name) for name in names("strut.performances")]
    return [story for performance in performances for story in performance.names(robot)]


def _summary(name: str, robot: Robot | str) -> dict[str, object]:
    if isinstance(robot, str):
        return {"name": name, "error": robot}
    return {
        "name": robot.name,
        "title": robot.title,
        "joints": len(robot.joint_names),
        "feet": list(robot.foot_names),
        "mass_kg": robot.mass_kg,
        "fingerprint": robot.fingerprint,
        "stories": _stories(robot),
    }
