"""The catalogue of robots: every folder under `robots` that holds a `robot.toml`, or any such folder by path."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from copy import deepcopy
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from strut.errors import BadMotionError, UnknownNameError
from strut.models.axis_robot import axis_robot
from strut.models.dh_chains import chain_tree
from strut.models.limb_robot import limb_robot
from strut.models.part_tree import tree_robot
from strut.models.subject import person_of, subject_robot
from strut.models.table_files import read_contact, read_tables
from strut.models.urdf import urdf_tree
from strut.motion import Motion
from strut.robot import Robot

HOME = Path(__file__).parent.parent / "robots"


def robot_names() -> tuple[str, ...]:
    """Return the names of the robots that come with strut."""
    return tuple(sorted(path.parent.name for path in HOME.glob("*/robot.toml")))


def load_robot(name: str) -> Robot:
    """Return a robot by name (see `robot_names`) or by the path of a folder that holds its `robot.toml`."""
    folder = HOME / name if name in robot_names() else Path(name)
    if not (folder / "robot.toml").is_file():
        raise UnknownNameError("robot", name, robot_names(), "`strut robots`")
    robot = _read_robot(folder.resolve())
    return replace(robot, tables=deepcopy(robot.tables))  # so that nobody changes the robot of the next caller


def robot_of(motion: Motion, robot: Robot | None = None, *, needs_feet: bool = True) -> Robot:
    """Return the robot of a motion, or `robot` if it is given; raises if the motion does not fit its body.

    With `needs_feet` False a motion may have no contact columns, as recordings have none.
    """
    if robot is None:
        robot = person_of(motion) if "subject" in motion.meta else load_robot(motion.robot)
        _check_made_for(motion, robot)
    if needs_feet and robot.foot_names and not motion.foot_names:
        raise BadMotionError("The motion has no contact columns, so nobody knows which feet touch.")
    feet = (robot.foot_names,) if needs_feet else (robot.foot_names, ())
    if motion.joint_names != robot.joint_names or motion.foot_names not in feet:
        raise BadMotionError(
            f"The motion's joints or feet are not those of {robot.name}; was it made for another robot?"
        )
    if motion.qpos.shape[1] != robot.base_size + len(robot.joint_names):
        raise BadMotionError(
            f"The motion's qpos has {motion.qpos.shape[1]} columns, which is not what {robot.name} has."
        )
    if robot.floats and np.ptp([1.0, *np.linalg.norm(motion.qpos[:, 3:7], axis=1)]) > 1e-6:
        raise BadMotionError("The quaternion of the base is not of length 1 in every sample.")
    return robot


def _check_made_for(motion: Motion, robot: Robot) -> None:
    """Raise BadMotionError if a motion says that it was made for another version of the robot's body."""
    made_for = motion.meta.get("robot_fingerprint", robot.fingerprint)
    if made_for != robot.fingerprint:
        versions = f"{made_for}, here {robot.fingerprint}"
        raise BadMotionError(f"The motion was made for another version of {robot.name} ({versions}); plan it again.")


@cache
def _read_robot(folder: Path) -> Robot:
    typed = read_tables(folder)
    read_contact(folder)
    tables = {path.stem: tomllib.loads(path.read_text("utf-8")) for path in sorted(folder.glob("*.toml"))}
    robot = _build(folder, tables)
    return robot if robot.typed.robot is not None else replace(robot, typed=typed)


def _build(folder: Path, tables: Mapping[str, Mapping[str, Any]]) -> Robot:
    name, body = folder.name if folder.parent == HOME else str(folder), tables["robot"]
    if "segment" in body:
        return subject_robot(name, folder, tables)
    if body.get("form") == "axes":
        return axis_robot(name, tables)
    if "urdf" in body:
        return tree_robot(name, body["title"], urdf_tree(body, folder), tables)
    if "chain" in body:
        return tree_robot(name, body["title"], chain_tree(body), tables)
    return limb_robot(name, tables)
