"""Springs: passive springs and dampers in the legs; the solver chooses stiffness, damping and rest angle."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from strut.human.anatomy import SIDES, sided
from strut.human.table import human_gait
from strut.ocp.node_symbols import NodeSymbols
from strut.ocp.problem import Parameter
from strut.ocp.sparse_nlp import column
from strut.ocp.symbolic_dynamics import Expression
from strut.robot import Robot


def leg_springs(
    robot: Robot, names: Sequence[str]
) -> tuple[tuple[Parameter, ...], Callable[[NodeSymbols], Expression]]:
    """Return the parameters of springs in hips, knees and ankles, and their torques: k (q0 - q) - b v.

    Right and left leg have mirrored springs. The gait table of the robot holds the bounds.
    """
    table = human_gait(robot).springs
    mirror_sign = robot.symmetry.sign
    lower = dict(zip(robot.joint_names, robot.joint_lower_rad.tolist(), strict=True))
    upper = dict(zip(robot.joint_names, robot.joint_upper_rad.tolist(), strict=True))
    stiffness = table.stiffness_nm_rad
    damping = table.damping_nm_s_rad
    parameters: list[Parameter] = []
    for joint in table.joints:
        left = sided(joint, "Left")
        rest = 0.5 * (lower[left] + upper[left])
        parameters += [
            Parameter(f"stiffness {joint}", stiffness[0], stiffness[1], 1.0),
            Parameter(f"damping {joint}", damping[0], damping[1], 0.1),
            Parameter(f"rest {joint}", lower[left], upper[left], rest),
        ]

    def torques(node: NodeSymbols) -> Expression:
        force = [0.0] * len(names)
        for joint in table.joints:
            pull, drag, rest = (node.parameter[f"{word} {joint}"] for word in ("stiffness", "damping", "rest"))
            for side in SIDES:
                index = list(names).index(sided(joint, side))
                sign = mirror_sign[joint.split("_")[1]] if side == "Right" else 1.0
                force[index] = pull * (sign * rest - node.q[index]) - drag * node.v[index]
        return column(*force)

    return tuple(parameters), torques
