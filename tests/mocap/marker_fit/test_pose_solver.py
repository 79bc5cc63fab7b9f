"""Poses are found from markers: exactly without noise, as published on the author's recording, all frames at once."""

from __future__ import annotations

import numpy as np
import pytest

from strut.errors import BadRecordingError
from strut.formats.recording_file import read_recording
from strut.mocap.gait_trial import prepare_trial
from strut.mocap.marker_fit.body_geometry import body_points, lengths_array, place_points, pose_body
from strut.mocap.marker_fit.body_priors import human_geometry, pose_prior
from strut.mocap.marker_fit.pose_solver import PosePrior, PoseProblem, solve_poses
from strut.mocap.marker_fit.published_fit import published_fit
from strut.mocap.marker_fit.unobserved import find_observed
from strut.models.subject import subject
from tests.mocap.conftest import walker_recording

FREE = 1e4


def problem_of(recording, robot=None, prior=None):
    robot = robot or subject()
    body = human_geometry()
    worn = {name: (segment, at) for segment, own in robot.markers.segment.items() for name, at in own.items()}
    names = [name for name in worn if name in recording.marker_names]
    points = body_points(body, [worn[name] for name in names])
    lengths = lengths_array(body, robot.subject.lengths_m)
    return PoseProblem(body, lengths, points, recording.markers(names), np.ones(len(names)), prior or no_prior(body))


def no_prior(body):
    return PosePrior(
        np.zeros(body.n_dof), np.full(body.n_dof, 1e-9), np.full(body.n_dof, -FREE), np.full(body.n_dof, FREE)
    )


def random_poses(count):
    """Return poses inside the printed ranges of the walking model (Table 5.1)."""
    robot = subject()
    body = human_geometry()
    rng = np.random.default_rng(4)
    q = np.zeros((count, body.n_dof))
    q[:, :6] = rng.uniform([-0.1, -0.1, 0.8, -0.2, -0.24, -0.5], [1.1, 0.1, 1.05, 0.2, 0.28, 0.37], (count, 6))
    q[:, 6:] = rng.uniform(robot.joint_lower_rad, robot.joint_upper_rad, (count, 28))
    return q


def markers_at(q):
    problem = problem_of(walker_recording(frames=1)[0])
    places = place_points(pose_body(problem.body, q, problem.lengths_m), problem.points)
    return PoseProblem(problem.body, problem.lengths_m, problem.points, places, problem.weights, problem.prior)


def test_published_steps_recover_random_poses_from_zero():
    """Behaviour 21 of the reference: 24 to 30 steps, joints to 1e-8, 40 of 40 poses; here 15."""
    for q in random_poses(count=15):
        found = published_fit(markers_at(q[None]))
        np.testing.assert_allclose(found.q[0], q, atol=1e-7)
        assert 18 <= found.iterations[0] <= 32


def test_all_frames_at_once_recover_a_walk():
    recording, q = walker_recording()
    found = solve_poses(problem_of(recording, prior=pose_prior(human_geometry())), 100.0)
    np.testing.assert_allclose(found.q, q, atol=5e-3)  # the prior draws by a little
    assert found.error_m.max() < 3e-4


def test_both_solvers_find_the_published_error_on_the_authors_recording(data):
    """Behaviour 19: mean marker error 0.56 cm, worst marker mean 1.21 cm, 25 steps at first, 20 on average after."""
    trial = prepare_trial(read_recording(data / "felis_subject3_neutral.c3d"))
    problem = problem_of(trial.recording)
    quick = solve_poses(problem, 100.0)
    assert quick.error_m.mean() == pytest.approx(0.00562, abs=2e-5)
    assert quick.error_m.mean(axis=0).max() == pytest.approx(0.0121, abs=1e-4)
    published = published_fit(problem.select_frames(slice(0, 40)))
    assert published.iterations[0] == 25
    assert published.iterations[1:].mean() == pytest.approx(20.4, abs=1.0)
    np.testing.assert_allclose(published.error_m, quick.error_m[:40], atol=1e-5)


def test_other_peoples_lengths_fit_worse(data):
    """Behaviour 20: Subject1's lengths leave 1.50 cm, a uniformly scaled model of 1.86 m 2.59 cm."""
    recording = prepare_trial(read_recording(data / "felis_subject3_neutral.c3d")).recording
    problem = problem_of(recording)
    for robot, error_m in ((subject(named="Subject1"), 0.0150), (subject(1.86, 75.0), 0.0259)):
        lengths = lengths_array(problem.body, robot.subject.lengths_m)
        other = PoseProblem(problem.body, lengths, problem.points, problem.markers_m, problem.weights, problem.prior)
        assert solve_poses(other, 100.0).error_m.mean() == pytest.approx(error_m, abs=2e-4)


def test_markers_that_are_not_seen_weigh_nothing():
    recording, q = walker_recording(frames=120)
    problem = problem_of(recording, prior=pose_prior(human_geometry()))
    holed = problem.markers_m.copy()
    rng = np.random.default_rng(2)
    for frame in range(120):
        holed[frame, rng.choice(32, 4, replace=False)] = np.nan
    found = solve_poses(
        PoseProblem(problem.body, problem.lengths_m, problem.points, holed, problem.weights, problem.prior), 100.0
    )
    assert np.median(np.abs(found.q - q)) < 2e-3
    assert np.isnan(found.error_m).sum() == 4 * 120
    assert np.nanmax(found.error_m) < 1e-3


def test_a_weight_draws_the_fit_to_its_marker():
    recording, _ = walker_recording(noise_m=0.01, frames=60)
    problem = problem_of(recording)
    heavy = problem.weights.copy()
    heavy[5] = 100.0
    light = solve_poses(problem, 100.0)
    drawn = solve_poses(
        PoseProblem(problem.body, problem.lengths_m, problem.points, problem.markers_m, heavy, problem.prior), 100.0
    )
    assert drawn.error_m[:, 5].mean() < 0.5 * light.error_m[:, 5].mean()


def test_joints_stay_within_their_ranges():
    recording, q = walker_recording()
    body = human_geometry()
    prior = pose_prior(human_geometry())
    knee = body.dof_names.index("KneeRight_RY")
    upper = prior.upper.copy()
    upper[knee] = 0.6
    assert q[:, knee].max() > 0.9
    found = solve_poses(problem_of(recording, prior=PosePrior(prior.mean, prior.precision, prior.lower, upper)), 100.0)
    assert found.q[:, knee].max() == 0.6
    free = found.q[:, knee] < 0.5
    np.testing.assert_allclose(found.q[free, knee], q[free, knee], atol=2e-3)


def test_coordinates_without_markers_are_reported():
    recording, _ = walker_recording()
    legs = [name for name in recording.marker_names if name[1:] not in ("UPA", "ELB", "WRA", "WRB", "FHD", "BHD")]
    legs = [name for name in legs if name not in ("C7", "T10", "CLAV", "STRN")]
    body = human_geometry()
    part = type(recording)("legs", 100.0, tuple(legs), recording.markers(legs))
    problem = problem_of(part, prior=pose_prior(body))
    found = solve_poses(problem, 100.0)
    observed, spread = find_observed(problem, found.q)
    told = dict(zip(body.dof_names, observed, strict=True))
    assert all(there == name.startswith(("Pelvis", "Hip", "Knee", "Ankle")) for name, there in told.items())
    assert spread[body.dof_names.index("KneeRight_RY")] < 0.05


def test_a_fit_without_a_pelvis_has_no_start():
    recording, _ = walker_recording(frames=20)
    problem = problem_of(recording)
    holed = problem.markers_m.copy()
    holed[:, :4] = np.nan
    with pytest.raises(BadRecordingError, match="In no frame are three markers of the pelvis seen"):
        solve_poses(
            PoseProblem(problem.body, problem.lengths_m, problem.points, holed, problem.weights, problem.prior), 100.0
        )


def test_the_published_fit_reports_each_frame_and_starts_it_from_the_one_before():
    q = np.repeat(random_poses(count=1), 4, axis=0)
    q[:, 0] += np.linspace(0.0, 0.02, 4)
    progress = []
    found = published_fit(markers_at(q), on_progress=lambda stage, share: progress.append((stage, share)))
    assert progress == [("fit markers", pytest.approx(share)) for share in (0.25, 0.5, 0.75, 1.0)]
    np.testing.assert_allclose(found.error_m, 0.0, atol=1e-6)
    assert (found.iterations[1:] < found.iterations[0] / 2).all()
    assert published_fit(markers_at(q), q[0]).iterations[0] < found.iterations[0] / 2
