"""Fallbacks of a gait: upright, then lower, then with shorter steps; joints that are too fast only lower the body."""

from types import SimpleNamespace

import numpy as np
import pytest

from strut.gaits.pattern.gait_fallbacks import (
    BODY_HEIGHTS,
    FALLBACKS,
    STEP_SCALES,
    CoarseCheck,
    describe_fastest_joint,
    first_feasible,
    resume_from,
    speed_use,
)


def search(check, start=0):
    """Return the first feasible fallback, and those that were checked."""
    checked = []

    def record(fallback):
        checked.append(fallback)
        return check(fallback)

    return first_feasible(record, start), checked


def test_the_first_feasible_fallback_is_returned_and_no_lower_one_checked():
    assert search(lambda fallback: CoarseCheck(0.1 if fallback >= 2 else 2.9 - fallback, 0.5)) == (2, [0, 1, 2])


def test_after_a_far_miss_one_body_height_is_skipped():
    assert search(lambda fallback: CoarseCheck(0.1 if fallback >= 4 else 9.0 - fallback, 0.5)) == (4, [0, 2, 4])


def test_shorter_steps_are_checked_if_lower_bodies_miss_by_more():
    def check(fallback):
        height, step_scale = FALLBACKS[fallback]
        return CoarseCheck(0.5 if step_scale < 1.0 else 2.0 / height**4, 0.5)

    fallback, checked = search(check)
    assert FALLBACKS[fallback] == (BODY_HEIGHTS[0], STEP_SCALES[1])
    assert len(checked) < len(BODY_HEIGHTS)


def test_joints_that_are_too_fast_lower_the_body_and_do_not_shorten_steps():
    fallback, checked = search(lambda fallback: CoarseCheck(0.1, 1.4 * FALLBACKS[fallback][0] ** 2))
    assert FALLBACKS[fallback][1] == STEP_SCALES[0]
    assert fallback == max(checked) < len(BODY_HEIGHTS)


@pytest.mark.parametrize("start", [0, 3, 9])
def test_if_nothing_is_in_reach_the_least_miss_is_returned(start):
    misses = {number: 40.0 * step_scale**2 - number / 10.0 for number, (_, step_scale) in enumerate(FALLBACKS)}
    assert search(lambda fallback: CoarseCheck(misses[fallback], 0.5), start)[0] == len(FALLBACKS) - 1


def test_even_shorter_steps_are_not_checked_if_shorter_ones_do_not_help():
    _, checked = search(lambda fallback: CoarseCheck(9.0 / FALLBACKS[fallback][0] ** 4, 0.5))
    assert {FALLBACKS[fallback][1] for fallback in checked} == set(STEP_SCALES[:2])


def test_a_lower_body_that_misses_by_very_much_more_ends_the_checks_of_lower_ones_at_once():
    _, checked = search(lambda fallback: CoarseCheck(3.5 if fallback % len(BODY_HEIGHTS) < 2 else 12.0, 0.5))
    assert [fallback for fallback in checked if fallback < len(BODY_HEIGHTS)] == [0, 2]


def test_a_similar_gait_starts_a_little_higher_with_steps_as_short_as_neutral_needs():
    heights = len(BODY_HEIGHTS)
    assert [resume_from(fallback) for fallback in (0, 1, 2, 5, 8, heights, heights + 3, 20)] == [0, 0, 0, 3, 6, 0, 0, 0]
    shorter = 2 * heights
    assert [resume_from(fallback, shorter + 2) for fallback in (0, 5, shorter + 4)] == [shorter, shorter, shorter + 2]


def test_the_fastest_joint_is_reported_with_its_share_of_the_limit_and_its_time():
    limits = np.array([2.0, 4.0, 1.0])
    robot = SimpleNamespace(joint_names=("hip", "knee", "ankle"), joint_speed_limit_rad_s=limits)
    qpos = np.zeros((4, 7 + 3))
    qpos[:, 7:] = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.01], [0.1, 0.0, 0.02], [0.1, -0.6, 0.03]]
    time_s = 3.0 + 0.1 * np.arange(4)
    assert describe_fastest_joint(robot, time_s, qpos) == "knee reaches 150% of its speed limit at 3.20 s"
    assert speed_use(robot, time_s, qpos) == pytest.approx(1.5)
