"""Where a walk ended against its goal."""

# Goals
from .goal_ending import GoalEnding as GoalEnding, measure_goal_ending as measure_goal_ending
