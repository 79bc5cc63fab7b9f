"""Published fit: the thesis' inverse kinematics, frame after frame, damped by the size of the residual.

M. L. Felis, Modeling Emotional Aspects in Human Locomotion, 2015, section 4.4, as corrected by errata E15 and E16:
(J^T W J + W_d) dq = -J^T W r with W_d = (1/2 r^T W r + 1e-3) 1; stops when |dq| < 1e-8 or after 200 steps.
"""

from __future__ import annotations

import numpy as np

from strut.arrays import Array
from strut.capture.marker_fit.body_geometry import place_points, point_jacobian, pose_body
from strut.capture.marker_fit.pose_solver import OnCaptureProgress, PoseFit, PoseProblem, marker_errors, no_progress
from strut.recording import all_seen

DAMPING = 1e-3
SHORTEST_STEP = 1e-8
MOST_STEPS = 200


def published_fit(
    problem: PoseProblem, start: Array | None = None, on_progress: OnCaptureProgress = no_progress
) -> PoseFit:
    """Return the poses of a trial; each frame starts from the one before it. Bounds and prior are not used.

    Args:
        problem: Body, markers and weights.
        start: Of the first frame; all zero if None. Shape (n_dof,).
        on_progress: Told after each frame.
    """
    frames = len(problem.markers_m)
    q = np.zeros((frames, problem.body.n_dof))
    steps = np.zeros(frames, dtype=int)
    now = np.zeros(problem.body.n_dof) if start is None else np.asarray(start, dtype=np.float64)
    for frame in range(frames):
        now, steps[frame] = _solved(problem.some(slice(frame, frame + 1)), now)
        q[frame] = now
        on_progress("fit markers", (frame + 1) / frames)
    return PoseFit(q, marker_errors(problem, q), steps)


def _solved(problem: PoseProblem, start: Array) -> tuple[Array, int]:
    q = start[None]
    seen = all_seen(problem.markers_m[0])
    weights = np.repeat(problem.weights * seen, 3)
    step = 0
    while step < MOST_STEPS:
        step += 1
        pose = pose_body(problem.body, q, problem.lengths_m)
        places = place_points(pose, problem.points)
        rows = point_jacobian(problem.body, pose, problem.points, places)[0].reshape(len(weights), -1)
        residual = np.where(seen[:, None], places[0] - problem.markers_m[0], 0.0).ravel()
        matrix = rows.T @ (weights[:, None] * rows)
        matrix[np.diag_indices_from(matrix)] += 0.5 * residual @ (weights * residual) + DAMPING
        change = -np.linalg.solve(matrix, rows.T @ (weights * residual))
        q = q + change
        if np.linalg.norm(change) < SHORTEST_STEP:
            break
    return q[0], step
