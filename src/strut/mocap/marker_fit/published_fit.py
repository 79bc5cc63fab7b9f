"""Published fit: the inverse kinematics of Felis' thesis, one frame after another, damped by the size of the residual.

M. L. Felis, Modeling Emotional Aspects in Human Locomotion, 2015, section 4.4, as corrected by errata E15 and E16:
(J^T W J + W_d) dq = -J^T W r with W_d = (1/2 r^T W r + 1e-3) 1; stops when |dq| < 1e-8 or after 200 steps.
"""

from __future__ import annotations

import numpy as np

from strut.arrays import Array
from strut.mocap.marker_fit.body_geometry import place_points, point_jacobian, pose_body
from strut.mocap.marker_fit.pose_solver import OnCaptureProgress, PoseFit, PoseProblem, marker_errors, no_progress
from strut.recording import are_seen

DAMPING = 1e-3
MIN_STEP = 1e-8
MAX_STEPS = 200


def published_fit(
    problem: PoseProblem, initial_q: Array | None = None, on_progress: OnCaptureProgress = no_progress
) -> PoseFit:
    """Return the poses of a trial; each frame starts from the solution of the one before. Ignores bounds and prior.

    Args:
        problem: Body, markers and weights.
        initial_q: Initial guess for the first frame; all zero if None. Shape (n_dof,).
        on_progress: Called after each frame.
    """
    frames = len(problem.markers_m)
    q = np.zeros((frames, problem.body.n_dof))
    steps = np.zeros(frames, dtype=int)
    guess = np.zeros(problem.body.n_dof) if initial_q is None else np.asarray(initial_q, dtype=np.float64)
    for frame in range(frames):
        guess, steps[frame] = _solve_frame(problem.select_frames(slice(frame, frame + 1)), guess)
        q[frame] = guess
        on_progress("fit markers", (frame + 1) / frames)
    return PoseFit(q, marker_errors(problem, q), steps)


def _solve_frame(problem: PoseProblem, initial_q: Array) -> tuple[Array, int]:
    """Return the pose of one frame, and the number of Gauss-Newton steps."""
    q = initial_q[None]
    seen = are_seen(problem.markers_m[0])
    weights = np.repeat(problem.weights * seen, 3)
    step = 0
    while step < MAX_STEPS:
        step += 1
        pose = pose_body(problem.body, q, problem.lengths_m)
        positions = place_points(pose, problem.points)
        jacobian = point_jacobian(problem.body, pose, problem.points, positions)[0].reshape(len(weights), -1)
        residual = np.where(seen[:, None], positions[0] - problem.markers_m[0], 0.0).ravel()
        matrix = jacobian.T @ (weights[:, None] * jacobian)
        matrix[np.diag_indices_from(matrix)] += 0.5 * residual @ (weights * residual) + DAMPING
        change = -np.linalg.solve(matrix, jacobian.T @ (weights * residual))
        q = q + change
        if np.linalg.norm(change) < MIN_STEP:
            break
    return q[0], step
