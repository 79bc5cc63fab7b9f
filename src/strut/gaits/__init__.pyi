"""The request types of the gaits and hand tasks."""

# Tasks
from .crawl.request import Crawl as Crawl
from .footsteps.request import Steps as Steps
from .pattern.request import PatternGait as PatternGait
from .hand_task.request import HandTask as HandTask

# Goals
from .footsteps.goal_walk import simulate_to_goal as simulate_to_goal

# Types in their signatures
from .hand_task.hand_path import HandPath as HandPath, Poses as Poses
from .footsteps.goal_walk import Arrival as Arrival
