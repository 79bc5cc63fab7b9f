"""Contact rows that depend on each other are refused before anything is solved."""

from dataclasses import replace

import numpy as np
import pytest

from strut.errors import BadTableError
from strut.kinematics.contact_set import ContactRow, ContactSet, point_contact
from strut.ocp.collocation import DirectCollocation
from strut.ocp.kinematic_tree import read_tree
from strut.ocp.node_symbols import Scales
from strut.ocp.problem import Bounds, ContactPhase, MeanCost, OptimalControlProblem
from strut.ocp.sparse_nlp import square
from strut.robot import ContactPoint
from tests.ocp.test_collocation import still, wide

PLANK = """<mujoco model="plank"><compiler angle="radian"/><worldbody><body name="plank">
 <joint name="x" type="slide" axis="1 0 0"/><joint name="y" type="slide" axis="0 1 0"/>
 <joint name="z" type="slide" axis="0 0 1"/><joint name="yaw" axis="0 0 1"/><joint name="tip" axis="0 1 0"/>
 <inertial pos="0 0 0.1" mass="2" diaginertia="0.1 0.1 0.1"/></body></worldbody></mujoco>"""


def test_a_line_of_contact_along_x_is_refused_in_words():
    left, right = (ContactPoint(name, "plank", (0.0, y, 0.0)) for name, y in (("left", 0.3), ("right", -0.3)))
    edge = ContactSet("edge", (*point_contact("", left).rows, ContactRow(right, 0)))  # the plank cannot roll
    problem = OptimalControlProblem(
        tree=read_tree(PLANK),
        actuated=(4,),
        scales=Scales(np.ones(5), np.ones(5), np.ones(1), 10.0, 1.0),
        force_scale=np.full(5, 10.0),
        phases=(ContactPhase("stand", edge, 2, (0.1, 0.1)),),
        bounds=Bounds(wide(5), wide(5), wide(1)),
        costs=(MeanCost("calm", 1.0, lambda node: square(node.a)),),
    )
    across = still(problem)
    along = replace(across, q=across.q + np.array([0.0, 0.0, 0.0, np.pi / 2, 0.0]))
    program = DirectCollocation(problem)
    with pytest.raises(BadTableError, match=r"edge: its 4 rows .* constrain only 3 motions.*points along x"):
        program.solve(along)
    assert program.solve(across).converged
