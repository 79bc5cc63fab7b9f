"""Make legged robots and human models move with a feeling, and prove that the motion is sound."""

from strut.acting.step_walk import walk_to
from strut.acting.walk import walk
from strut.emotion import Emotion, named_emotion
from strut.errors import StrutError
from strut.library.motion_file import load_motion, save_motion
from strut.motion import Motion
from strut.planning.place import Place
from strut.proof.check import check
from strut.receipt import Receipt
from strut.robot import Robot
from strut.robots.catalogue import load_robot, robot_names
from strut.simulation.goal_walk import simulate_to_goal
from strut.simulation.playback import simulate
from strut.style import Style

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
    "robot_names",
    "save_motion",
    "simulate",
    "simulate_to_goal",
    "walk",
    "walk_to",
]
