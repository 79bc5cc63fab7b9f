"""Make legged robots and human models move with a feeling, and prove that the motion is sound."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from strut.emotion import Emotion, named_emotion
    from strut.errors import StrutError
    from strut.io.motion_file import load_motion, save_motion
    from strut.models.catalogue import load_robot, robot_names
    from strut.motion import Motion
    from strut.pipeline.perform import perform
    from strut.pipeline.walk import walk, walk_to
    from strut.place import Place
    from strut.receipt import Receipt
    from strut.robot import Robot
    from strut.simulation.goal_walk import simulate_to_goal
    from strut.simulation.playback import simulate
    from strut.style import Style
    from strut.verify.check import check

__all__ = [
    "Emotion",
    "Motion",
    "Place",
    "Receipt",
    "Robot",
    "StrutError",
    "Style",
    "check",
    "load_motion",
    "load_robot",
    "named_emotion",
    "perform",
    "robot_names",
    "save_motion",
    "simulate",
    "simulate_to_goal",
    "walk",
    "walk_to",
]

_HOMES = {
    "Emotion": "strut.emotion",
    "Motion": "strut.motion",
    "Place": "strut.place",
    "Receipt": "strut.receipt",
    "Robot": "strut.robot",
    "StrutError": "strut.errors",
    "Style": "strut.style",
    "check": "strut.verify.check",
    "load_motion": "strut.io.motion_file",
    "load_robot": "strut.models.catalogue",
    "named_emotion": "strut.emotion",
    "perform": "strut.pipeline.perform",
    "robot_names": "strut.models.catalogue",
    "save_motion": "strut.io.motion_file",
    "simulate": "strut.simulation.playback",
    "simulate_to_goal": "strut.simulation.goal_walk",
    "walk": "strut.pipeline.walk",
    "walk_to": "strut.pipeline.walk",
}


def __getattr__(name: str) -> Any:
    """Import what is used when it is used: the engines take a second, and `import strut` alone needs none of them."""
    if name not in _HOMES:
        raise AttributeError(f"module 'strut' has no attribute '{name}'")
    return getattr(import_module(_HOMES[name]), name)
