"""Standing on one flat foot, upright: every equation holds, but the ground would have to pull, and that is refused."""

import numpy as np
import pytest

from strut.kinematics.contact_set import contact_set
from strut.models.catalogue import load_robot
from strut.ocp.collocation import DirectCollocation, Solution
from strut.ocp.contact_dynamics import ContactDynamics
from strut.ocp.kinematic_tree import read_tree
from strut.ocp.node_symbols import Scales
from strut.ocp.problem import Bounds, ContactPhase, MeanCost, OptimalControlProblem
from strut.ocp.soundness import verify_trajectory
from strut.ocp.sparse_nlp import square
from strut.ocp.trajectory import Trajectory, variables_of
from tests.ocp.human_states import neutral


def test_a_ground_that_pulls_is_rejected_by_the_program_and_by_the_look_at_its_result():  # behaviour 17
    robot = load_robot("heiman")
    tree = read_tree(robot.model, angle_base=True)
    sole = contact_set(robot, "RightFlat")
    _, bias, jacobian, _ = ContactDynamics(tree, sole).terms(neutral(), np.zeros(34))
    force = np.linalg.solve(jacobian[:, :6].T, bias[:6])
    wide = np.array([[-1e3], [1e3]])
    problem = OptimalControlProblem(
        tree=tree,
        actuated=tuple(range(6, 34)),
        scales=Scales(np.ones(34), np.ones(34), np.ones(28), 1.0, 1.0),
        force_scale=np.ones(34),
        phases=(ContactPhase("stand", sole, 1, (0.1, 0.1)),),
        bounds=Bounds(wide * np.ones(34), wide * np.ones(34), wide * np.ones(28)),
        costs=(MeanCost("calm", 1.0, lambda node: square(node.a)),),
    )
    rest = np.zeros((2, 34))
    torque = (bias - jacobian.T @ force)[6:]
    standing = Trajectory(
        problem=problem,
        time_s=np.array([0.0, 0.1]),
        phase_of=np.zeros(2, dtype=int),
        q=np.tile(neutral(), (2, 1)),
        v=rest,
        a=rest,
        u=np.tile(torque, (2, 1)),
        force_n=np.tile(force, (2, 1)),
        duration_s=np.array([0.1]),
        parameter={},
        impulse_n_s={},
    )
    program = DirectCollocation(problem)
    x = variables_of(program.layout, standing)
    x[program.layout.force] = force / program.layout.scale[program.layout.force]  # a guess is cut to its bounds
    rows, _ = program.assembly.linear(x)
    assert np.maximum(program.assembly.lower - rows, rows - program.assembly.upper).max() < 1e-9
    assert program.worst(x, rows).startswith("the force on Meta5Right Z in phase stand, node 0, beyond its bound")
    kept = Solution(
        standing, 0.0, {}, 0.0, "", converged=True, status="", iterations=0, setup_s=0.0, solve_s=0.0, variables=x
    )
    found = verify_trajectory(robot, kept, playback=False)
    assert found.least_normal_force_n == pytest.approx(-607.1872, abs=1e-3)
    assert list(map(str, found.faults())) == ["the ground pulls on a foot"]
