"""Four bars in a loop are cranked with the least effort: a closed chain with a spring, solved and made exact.

    python examples/09_closed_chain.py

A crank drives a rocker through a coupler; the rocker hangs on a spring and the crank turns in a viscous bearing. The
loop is an equality of the MJCF text: its forces are unknowns, its closure an equation at every node. One second.
"""

import numpy as np

import strut

FOUR_BARS = """<mujoco model="four bars"><compiler angle="radian"/><worldbody>
 <body name="crank"><joint name="crank" axis="0 1 0" damping="0.2"/>
  <geom type="capsule" fromto="0 0 0 0 0 0.3" size="0.02"/>
  <body name="coupler" pos="0 0 0.3"><joint name="coupler" axis="0 1 0"/>
   <geom type="capsule" fromto="0 0 0 0.6 0 0.1" size="0.02"/></body></body>
 <body name="rocker" pos="0.7 0 0"><joint name="rocker" axis="0 1 0" stiffness="3" springref="0.2"/>
  <geom type="capsule" fromto="0 0 0 -0.1 0 0.4" size="0.02"/></body></worldbody>
 <equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.6 0 0.1"/></equality></mujoco>"""
TURN_RAD = 0.8
LASTS_S = 0.6


def cranking() -> strut.ocp.OptimalControlProblem:
    """Return the problem: the crank turns from rest to rest, and the others follow."""
    starts = strut.ocp.BoundaryConstraint("start", lambda ends: strut.ocp.column(ends.first.q[0], ends.first.v[0]))
    stops = strut.ocp.BoundaryConstraint(
        "stop", lambda ends: strut.ocp.column(ends.last.q[0] - TURN_RAD, ends.last.v[0])
    )
    wide = np.array([[-20.0], [20.0]])
    return strut.ocp.OptimalControlProblem(
        tree=strut.ocp.read_tree(FOUR_BARS),
        actuated=(0,),
        scales=strut.ocp.Scales(np.full(3, 2.0), np.full(3, 10.0), np.full(1, 5.0), force_n=10.0, impulse_n_s=1.0),
        force_scale=np.full(3, 5.0),
        phases=(
            strut.ocp.ContactPhase("turn", strut.kinematics.ContactSet("air", ()), 20, (LASTS_S, LASTS_S), "rest"),
        ),
        bounds=strut.ocp.Bounds(q=wide * np.ones(3), v=wide * np.ones(3), u=wide),
        costs=(strut.ocp.LagrangeCost("effort", 1.0, lambda node: strut.ocp.square(node.u)),),
        boundary_constraints=(starts, stops),
    )


def main() -> strut.ocp.Solution:
    """Solve the problem, and make it exact: an integrator of eighth order reproduces it from its torques."""
    problem = cranking()
    program = strut.ocp.DirectCollocation(problem)
    solution = program.solve(strut.ocp.guess_between(problem, [[0.0, 0.0, 0.0], [TURN_RAD, -TURN_RAD, TURN_RAD]]))
    refined = strut.ocp.refine_by_shooting(program, solution)
    pin_n = np.linalg.norm(refined.trajectory.closure_n, axis=1).max()
    print(
        f"effort {refined.cost:.3f} (N m)² s in {solution.iterations} iterations; the pin carries up to {pin_n:.0f} N"
    )
    return refined


if __name__ == "__main__":
    main()
