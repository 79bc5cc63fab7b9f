"""Task priority: higher levels are untouchable, bounds are never crossed, and nothing better was possible."""

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from strut.engines.frame_kinematics import FrameKinematics
from strut.kinematics.task_priority import DAMPED_BELOW, Level, resolve, velocity_bounds
from strut.models.catalogue import load_robot

WIDE = 1e9


@pytest.fixture(scope="module")
def pepper():
    return load_robot("pepper")


@pytest.fixture(scope="module")
def kinematics(pepper):
    return FrameKinematics(pepper, ("right_wrist", "eyes"))


def postures(pepper, count, seed):
    rng = np.random.default_rng(seed)
    joints = rng.uniform(pepper.joint_lower_rad, pepper.joint_upper_rad, (count, 15))
    return np.concatenate([rng.normal(size=(count, 3)), joints], axis=1), rng


def jacobians(kinematics, qpos, columns):
    kinematics.move(qpos)
    hand, head = kinematics.frames
    return hand.jacobian[:, columns].copy(), head.jacobian[3:, columns].copy()


def unbounded(levels, law="corrected"):
    n = len(levels[-1].velocity)
    return resolve(levels, np.full(n, -WIDE), np.full(n, WIDE), law=law)


LOCKED = slice(3, 18)
FREE = slice(0, 18)


@pytest.mark.parametrize("columns", [LOCKED, FREE])
@pytest.mark.parametrize("law", ["corrected", "paper"])
def test_lower_levels_do_not_disturb_higher_ones(pepper, kinematics, columns, law):
    qpos, rng = postures(pepper, 100, 1)
    for sample in qpos:
        hand, head = jacobians(kinematics, sample, columns)
        n = hand.shape[1]
        tasks = [
            Level(hand, 0.3 * rng.normal(size=6)),
            Level(head, 0.3 * rng.normal(size=3)),
            Level(None, rng.normal(size=n)),
        ]
        if np.linalg.svd(hand)[1][-1] < 0.01:
            continue
        calm = Level(None, np.zeros(n))
        alone = unbounded([tasks[0], calm], law).velocity
        two = unbounded([*tasks[:2], calm], law).velocity
        three = unbounded(tasks, law).velocity
        assert np.abs(hand @ (two - alone)).max() < 1e-10
        assert np.abs(hand @ (three - alone)).max() < 1e-10
        assert np.abs(head @ (three - two)).max() < 1e-10


def head_errors(pepper, kinematics, columns, law, *, hand_moves=True):
    qpos, rng = postures(pepper, 200, 2)
    errors = []
    for sample in qpos:
        hand, head = jacobians(kinematics, sample, columns)
        wanted = [0.3 * rng.normal(size=size) for size in (6, 3)]
        basis = np.linalg.svd(hand)[2][6:].T
        if np.linalg.svd(hand)[1][-1] < DAMPED_BELOW or np.linalg.svd(head @ basis)[1][-1] < DAMPED_BELOW:
            continue
        levels = [Level(hand, wanted[0] * hand_moves), Level(head, wanted[1]), Level(None, np.zeros(hand.shape[1]))]
        got = head @ unbounded(levels, law).velocity
        errors.append(np.linalg.norm(got - wanted[1]) / np.linalg.norm(wanted[1]))
    assert len(errors) > 100
    return np.array(errors)


def test_corrected_law_tracks_the_head(pepper, kinematics):
    assert head_errors(pepper, kinematics, LOCKED, "corrected").max() < 1e-8
    assert head_errors(pepper, kinematics, FREE, "corrected").max() < 1e-8


def test_paper_law_does_not_track_the_head(
    pepper, kinematics
):  # 285 and 152 % in the reference, 60 % with a still hand
    assert np.median(head_errors(pepper, kinematics, LOCKED, "paper")) > 1.5
    assert np.median(head_errors(pepper, kinematics, FREE, "paper")) > 0.8
    still = head_errors(pepper, kinematics, LOCKED, "paper", hand_moves=False)
    assert 0.3 < np.median(still) < 0.9


@pytest.mark.parametrize(("columns", "left"), [(LOCKED, 6), (FREE, 9)])
def test_freedom_left_is_six_dimensions_or_nine_with_the_platform(pepper, kinematics, columns, left):
    qpos, rng = postures(pepper, 20, 3)
    for sample in qpos:
        hand, head = jacobians(kinematics, sample, columns)
        n = hand.shape[1]
        resolved = unbounded([Level(hand, np.zeros(6)), Level(head, np.zeros(3)), Level(None, rng.normal(size=n))])
        assert resolved.free == (n - 6, left, 0)


def test_left_arm_is_free_and_the_rest_keeps_one_dimension(pepper, kinematics):
    hand, head = jacobians(kinematics, postures(pepper, 1, 4)[0][0], LOCKED)
    tasks = [Level(hand, np.zeros(6)), Level(head, np.zeros(3))]
    projector = np.stack([unbounded([*tasks, Level(None, column)]).velocity for column in np.eye(15)], axis=1)
    np.testing.assert_allclose(projector[10:, 10:], np.eye(5), atol=1e-12)
    np.testing.assert_allclose(projector[10:, :10], 0.0, atol=1e-12)
    assert np.linalg.matrix_rank(projector[:10, :10], tol=1e-9) == 1


def test_any_number_of_levels_is_the_textbook_recursion():
    rng = np.random.default_rng(6)
    sizes = (2, 1, 3, 2, 1)
    n = 12
    levels = [Level(rng.normal(size=(size, n)), rng.normal(size=size)) for size in sizes]
    velocity = np.zeros(n)
    projector = np.eye(n)
    for level in levels:
        inverse = np.linalg.pinv(level.jacobian @ projector)
        velocity = velocity + inverse @ (level.velocity - level.jacobian @ velocity)
        projector = projector - inverse @ level.jacobian @ projector
    ours = resolve(levels, np.full(n, -WIDE), np.full(n, WIDE))
    np.testing.assert_allclose(ours.velocity, velocity, atol=1e-9)
    assert ours.free == (10, 9, 6, 4, 3)


def test_paper_law_is_the_published_formula(pepper, kinematics):
    hand, head = jacobians(kinematics, postures(pepper, 1, 7)[0][0], LOCKED)
    rng = np.random.default_rng(7)
    e_t = rng.normal(size=6)
    e_h = rng.normal(size=3)
    e_m = rng.normal(size=15)
    inverse = np.linalg.pinv(hand)
    first = np.eye(15) - inverse @ hand
    second = first - np.linalg.pinv(head @ first) @ head @ first
    expected = inverse @ e_t + first @ np.linalg.pinv(head) @ e_h + second @ e_m
    ours = unbounded([Level(hand, e_t), Level(head, e_h), Level(None, e_m)], "paper").velocity
    np.testing.assert_allclose(ours, expected, atol=1e-9)


@pytest.mark.parametrize("small", [0.5 * DAMPED_BELOW, 1e-3, 1e-5, 1e-8, 0.0])
def test_near_a_singularity_speeds_stay_bounded_and_nothing_leaks(small):
    rng = np.random.default_rng(8)
    left = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    right = np.linalg.qr(rng.normal(size=(7, 7)))[0][:3]
    jacobian = left @ np.diag([1.0, 0.5, small]) @ right
    first = Level(jacobian, rng.normal(size=3))
    last = rng.normal(size=7)
    alone = unbounded([first, Level(None, np.zeros(7))]).velocity
    both = unbounded([first, Level(None, last)]).velocity
    assert np.linalg.norm(alone) < 1.2 / DAMPED_BELOW * np.linalg.norm(first.velocity)
    assert np.linalg.norm(jacobian @ (both - alone)) <= max(small, 1e-12) * np.linalg.norm(last)


def test_damping_sets_in_without_a_jump():
    rng = np.random.default_rng(9)
    right = np.linalg.qr(rng.normal(size=(7, 7)))[0][:3]
    wanted = rng.normal(size=3)
    before, after = (
        unbounded([Level(np.diag([1.0, 0.5, size]) @ right, wanted), Level(None, np.zeros(7))]).velocity
        for size in (DAMPED_BELOW * (1.0 - 1e-9), DAMPED_BELOW * (1.0 + 1e-9))
    )
    np.testing.assert_allclose(before, after, atol=1e-5)


def random_problem(seed):
    rng = np.random.default_rng(seed)
    n = 10
    sizes = (3, 2, 2)
    levels = [Level(rng.normal(size=(size, n)), 2.0 * rng.normal(size=size)) for size in sizes]
    levels.append(Level(None, 2.0 * rng.normal(size=n)))
    lower = -rng.uniform(0.0, 0.6, n)
    upper = rng.uniform(0.0, 0.6, n)
    lower[rng.integers(n)] = 0.0  # a joint that already stands at its end
    return levels, lower, upper


@pytest.mark.parametrize("seed", range(60))
def test_with_bounds_every_level_is_as_good_as_the_levels_above_allow(seed):
    """An independent bounded least-squares solver, with higher levels weighted a million times, does no better."""
    levels, lower, upper = random_problem(seed)
    ours = resolve(levels, lower, upper).velocity
    assert (ours >= lower).all()
    assert (ours <= upper).all()
    rows = np.empty((0, len(lower)))
    goals = np.empty(0)
    for level in levels:
        matrix = np.eye(len(lower)) if level.jacobian is None else level.jacobian
        best = lsq_linear(
            np.vstack([1e4 * rows, matrix]),
            np.concatenate([1e4 * goals, level.velocity]),
            bounds=(lower - 1e-12, upper + 1e-12),
            tol=1e-13,
        ).x
        theirs, own = (np.linalg.norm(matrix @ v - level.velocity) for v in (best, ours))
        assert own <= theirs + 1e-3
        rows = np.vstack([rows, matrix])
        goals = np.concatenate([goals, matrix @ ours])


@pytest.mark.parametrize("seed", range(40))
def test_a_guess_of_the_active_bounds_saves_time_and_changes_nothing(seed):
    levels, lower, upper = random_problem(seed)
    if seed % 2:  # half of the problems have tasks that fit into the bounds
        levels = [Level(level.jacobian, 0.1 * level.velocity) for level in levels[:3]] + levels[3:]
    alone = resolve(levels, lower, upper)
    rng = np.random.default_rng(seed)
    guesses = [alone.held, {int(rng.integers(10)): True, int(rng.integers(10)): False}, dict.fromkeys(range(10), True)]
    for guess in guesses:
        again = resolve(levels, lower, upper, held=guess)
        np.testing.assert_allclose(again.velocity, alone.velocity, atol=1e-8)
    assert all(
        (alone.velocity == upper)[joint] if high else (alone.velocity == lower)[joint]
        for joint, high in alone.held.items()
    )


@pytest.mark.parametrize("law", ["corrected", "paper"])
@pytest.mark.parametrize("seed", range(20))
def test_bounds_hit_by_a_lower_level_change_nothing_above(seed, law):
    levels, lower, upper = random_problem(seed)
    for count in (1, 2, 3):
        above = resolve(levels[:count], lower, upper, law=law)
        below = resolve(levels[: count + 1], lower, upper, law=law)
        for level in levels[:count]:
            np.testing.assert_allclose(level.jacobian @ above.velocity, level.jacobian @ below.velocity, atol=1e-9)


def test_saturation_is_used_up_before_the_task_suffers():
    """One joint at its end: the others take over and the task is still met exactly."""
    jacobian = np.array([[1.0, 1.0, 1.0]])
    lower = np.full(3, -1.0)
    upper = np.array([0.1, 1.0, 1.0])
    velocity = resolve([Level(jacobian, np.array([1.5]))], lower, upper).velocity
    assert velocity.sum() == pytest.approx(1.5, abs=1e-12)
    assert velocity[0] == 0.1


def test_bounds_keep_joints_in_range_and_slow_them_down_at_the_ends():
    angles = np.array([0.0, 0.99, 1.0, 1.1])
    ends = np.ones(4)
    lower, upper = velocity_bounds(angles, -ends, ends, np.full(4, 5.0), step_s=0.01, approach_per_s=20.0)
    np.testing.assert_allclose(upper, [5.0, 0.2, 0.0, 0.0], atol=1e-12)
    assert (angles[:3] + 0.01 * upper[:3] <= 1.0).all()
    assert (lower[:3] == -5.0).all()


def test_both_bounds_follow_range_speed_and_the_faster_of_step_and_approach():
    angles = np.array([0.9, -0.9, -1.2, 0.2])
    lower = -np.ones(4)
    upper = np.ones(4)
    speed = np.full(4, 3.0)
    least, most = velocity_bounds(angles, lower, upper, speed, step_s=0.1, approach_per_s=4.0)
    np.testing.assert_allclose(least, [-3.0, -0.4, 0.0, -3.0], atol=1e-12)  # 4 per second is slower than a step's 10
    np.testing.assert_allclose(most, [0.4, 3.0, 3.0, 3.0], atol=1e-12)
    least, most = velocity_bounds(angles, lower, upper, speed, step_s=0.5, approach_per_s=4.0)
    np.testing.assert_allclose(least, [-3.0, -0.2, 0.0, -2.4], atol=1e-12)  # a step of half a second: 2 per second
    np.testing.assert_allclose(most, [0.2, 3.0, 3.0, 1.6], atol=1e-12)
    np.testing.assert_allclose(angles[[0, 1, 3]] + 0.5 * most[[0, 1, 3]] <= 1.0 + 1e-12, True)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_a_level_with_bounds_of_its_own_keeps_them_unless_a_higher_one_needs_more(sign):
    """The first level needs 0.5 of joint 0; the second wants 0.9 of both and may take 0.3: only joint 1 is cut."""
    far = np.full(2, 1.0)
    own = np.full(2, 0.3)
    levels = [Level(np.array([[1.0, 0.0]]), np.array([sign * 0.5])), Level(None, sign * np.full(2, 0.9), (-own, own))]
    velocity = resolve(levels, -far, far).velocity
    np.testing.assert_allclose(velocity, sign * np.array([0.5, 0.3]), atol=1e-9)
    tight = np.array([1.0, 0.2])  # the robot's own bounds stay the last word
    velocity = resolve(levels, -tight, tight).velocity
    np.testing.assert_allclose(velocity, sign * np.array([0.5, 0.2]), atol=1e-9)


def test_a_joint_pressed_against_its_end_may_leave_it_again():
    """The first level pushes joint 0 against its bound, the second wants it back without a change of the first."""
    levels = [Level(np.array([[1.0, 0.5]]), np.array([0.15])), Level(None, np.array([-0.2, 0.0]))]
    velocity = resolve(levels, np.array([-1.0, -1.0]), np.array([0.1, 1.0])).velocity
    assert velocity[0] + 0.5 * velocity[1] == pytest.approx(0.15, abs=1e-12)
    direct = np.array([-0.2, 0.0]) + np.array([1.0, 0.5]) * (0.15 + 0.2) / 1.25
    np.testing.assert_allclose(velocity, direct, atol=1e-12)


@pytest.mark.parametrize("law", ["corrected", "paper"])
def test_the_active_bounds_are_returned(law):
    """Joint 0 wants more than its upper bound, joint 1 less than its lower one, joint 2 something between."""
    wanted = np.array([2.0, -2.0, 0.1])
    bound = np.ones(3)
    resolved = resolve([Level(np.eye(3), wanted)], -bound, bound, law=law)
    np.testing.assert_allclose(resolved.velocity, [1.0, -1.0, 0.1], atol=1e-12)
    assert resolved.held == {0: True, 1: False}  # whether it is the upper one
