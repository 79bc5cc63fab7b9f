"""A one-legged hopper finds its cheapest hop: your own body, phases, costs and constraints, solved and proved.

    python examples/08_hopper.py

A planar torso on a thigh and a shank stands on a point foot, then flies. Both durations are free, the hop repeats 0.3 m
further on, and effort per hop is minimised. Two seconds; docs/how_to/solve_your_own_problem.md explains each line.
"""

import numpy as np

import strut

HOPPER = """<mujoco model="hopper"><worldbody><body name="torso" pos="0 0 1">
 <joint name="x" type="slide" axis="1 0 0"/><joint name="z" type="slide" axis="0 0 1" ref="1"/>
 <joint name="pitch" axis="0 1 0"/><inertial pos="0 0 .1" mass="10" diaginertia=".2 .2 .2"/>
 <body name="thigh"><joint name="hip" axis="0 1 0"/><inertial pos="0 0 -.2" mass="1" diaginertia=".02 .02 .002"/>
 <body name="shank" pos="0 0 -.4"><joint name="knee" axis="0 1 0"/>
 <inertial pos="0 0 -.2" mass=".5" diaginertia=".01 .01 .001"/></body></body></body></worldbody></mujoco>"""
HOP_M = 0.3
FOOT = strut.robot.ContactPoint("foot", "shank", (0.0, 0.0, -0.4))


def hopping() -> strut.ocp.OptimalControlProblem:
    """Return the problem: flight, then stance on the foot, and again."""
    tree = strut.ocp.read_tree(HOPPER)
    air = strut.kinematics.ContactSet("air", ())
    ground = strut.kinematics.ContactSet(
        "ground", (strut.kinematics.ContactRow(FOOT, 0), strut.kinematics.ContactRow(FOOT, 2))
    )  # held along x and z
    above = strut.ocp.Constraint("foot above the ground", lambda node: node.height(FOOT), 0.0, np.inf, "inner")
    phases = (
        strut.ocp.ContactPhase("flight", air, 15, (0.1, 0.5), constraints=(above,)),
        strut.ocp.ContactPhase("stance", ground, 20, (0.1, 0.6), "impact", ("foot",), unloaded=ground.row_names),
    )
    q = np.array([(-1.0, 2.0), (0.3, 1.5), (-0.6, 0.6), (-1.5, 0.2), (0.1, 2.4)]).T
    return strut.ocp.OptimalControlProblem(
        tree=tree,
        actuated=(3, 4),
        scales=strut.ocp.Scales(np.full(5, 3.0), np.full(5, 30.0), np.full(2, 50.0), force_n=200.0, impulse_n_s=10.0),
        force_scale=np.array([100.0, 100.0, 30.0, 30.0, 30.0]),
        phases=phases,
        bounds=strut.ocp.Bounds(
            q, np.array([[-15.0], [15.0]]) * np.ones(5), np.array([[-200.0], [200.0]]) * np.ones(2)
        ),
        costs=(
            strut.ocp.LagrangeCost("effort", 1e-3, lambda node: strut.ocp.square(node.u)),
            strut.ocp.RateCost("smooth torque", 1e-6, lambda node: node.u),
        ),
        boundary_constraints=(
            *strut.ocp.periodic(tree, actuated_from=3, velocity_scale=np.full(5, 3.0), torque_scale=np.full(2, 50.0)),
            strut.ocp.BoundaryConstraint("one hop", lambda ends: ends.last.q[0] - ends.first.q[0] - HOP_M),
            strut.ocp.BoundaryConstraint("where it starts", lambda ends: ends.first.q[0]),
        ),
        friction=0.8,
    )


def main() -> strut.ocp.Solution:
    """Solve the problem, refine it until its torques alone reproduce it, and play them back in MuJoCo."""
    problem = hopping()
    bent = [0.0, 0.75, 0.0, -0.5, 1.0]
    guess = strut.ocp.guess_between(problem, [bent, [0.15, 0.78, 0.0, -0.4, 0.8], [HOP_M, *bent[1:]]])
    program = strut.ocp.DirectCollocation(problem)
    solution = program.solve(guess)
    refined = strut.ocp.refine_by_shooting(program, solution)
    flight_s, stance_s = refined.trajectory.duration_s
    print(f"stands {stance_s:.3f} s, flies {flight_s:.3f} s; {solution.iterations} iterations, cost {refined.cost:.3f}")
    print(f"its torques alone lead {strut.ocp.playback_error(HOPPER, refined.trajectory):.1e} rad away from it")
    return refined


if __name__ == "__main__":
    main()
