"""HeiMan's published ranges leave room for symmetric steps, and as much time for a step as was published."""

import numpy as np
import pytest

from strut.human.problem.criteria import Criteria
from strut.human.problem.gait_problem import gait_problem
from strut.human.table import human_gait
from strut.kinematics.mirror import mirror_of
from strut.ocp.kinematic_tree import read_tree


def without_room(robot, ranges):
    """Return the coordinates whose start cannot be the mirror image of their end; x is free to go on."""
    names = read_tree(robot.model, angle_base=True).velocity_names
    start = ranges | human_gait(robot).synthesis_range_at_start
    mirror = mirror_of(robot, names)
    ends = mirror.image(np.array([ranges[name] for name in names]).T)
    lower = ends.min(axis=0)
    upper = ends.max(axis=0)
    return [
        name
        for name, low, high in zip(names, lower, upper, strict=True)
        if name != "Pelvis_TX" and max(low, start[name][0]) > min(high, start[name][1])
    ]


def test_a_head_that_may_only_lean_left_has_no_symmetric_step_and_ours_has_one(heiman):  # behaviour 30, E20
    ranges = human_gait(heiman).synthesis_range
    assert without_room(heiman, ranges) == []
    assert without_room(heiman, ranges | {"Head_RX": [0.02, 0.16]}) == ["Head_RX"]


@pytest.mark.parametrize(("speed_m_s", "longest_s"), [(1.5, 0.76), (2.0, 0.57), (2.5, 0.456)])
def test_the_way_of_the_pelvis_leaves_the_published_time_for_a_step(heiman, speed_m_s, longest_s):  # behaviour 31
    lower, upper = gait_problem(heiman, Criteria(effort=1.0), speed_m_s=speed_m_s).bounds.q[:, 0]
    assert (upper - lower) / speed_m_s == pytest.approx(longest_s, abs=1e-9)
