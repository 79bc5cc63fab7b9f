"""Fallbacks of a gait: upright, then lower, then with shorter steps; whose joints are too fast only goes lower."""

from types import SimpleNamespace

import numpy as np
import pytest

from strut.gaits.pattern.gait_fallbacks import (
    FALLBACKS,
    LOWER,
    QUICKER,
    CoarseCheck,
    fastest_joint,
    first_feasible,
    resume_from,
)


def chosen(look, start=0):
    tried = []

    def tell(fallback):
        tried.append(fallback)
        return look(fallback)

    return first_feasible(tell, start), tried


def test_the_first_feasible_one_is_taken_and_no_other_looked_at():
    assert chosen(lambda fallback: CoarseCheck(0.1 if fallback >= 2 else 2.9 - fallback, 0.5)) == (2, [0, 1, 2])


def test_who_misses_by_far_is_looked_at_two_heights_lower():
    assert chosen(lambda fallback: CoarseCheck(0.1 if fallback >= 4 else 9.0 - fallback, 0.5)) == (4, [0, 2, 4])


def test_shorter_steps_are_tried_where_lower_bodies_miss_by_more():
    def look(fallback):
        lower, quicker = FALLBACKS[fallback]
        return CoarseCheck(0.5 if quicker < 1.0 else 2.0 / lower**4, 0.5)

    fallback, tried = chosen(look)
    assert FALLBACKS[fallback] == (LOWER[0], QUICKER[1])
    assert len(tried) < len(LOWER)


def test_joints_that_are_too_fast_lower_the_body_and_do_not_shorten_steps():
    fallback, tried = chosen(lambda fallback: CoarseCheck(0.1, 1.4 * FALLBACKS[fallback][0] ** 2))
    assert FALLBACKS[fallback][1] == QUICKER[0]
    assert fallback == max(tried) < len(LOWER)


@pytest.mark.parametrize("start", [0, 3, 9])
def test_where_nothing_reaches_the_least_miss_is_taken(start):
    misses = {fallback: 40.0 * quicker**2 - fallback / 10.0 for fallback, (_, quicker) in enumerate(FALLBACKS)}
    assert chosen(lambda fallback: CoarseCheck(misses[fallback], 0.5), start)[0] == len(FALLBACKS) - 1


def test_even_shorter_steps_are_not_looked_at_where_shorter_ones_do_not_help():
    _, tried = chosen(lambda fallback: CoarseCheck(9.0 / FALLBACKS[fallback][0] ** 4, 0.5))
    assert {FALLBACKS[fallback][1] for fallback in tried} == set(QUICKER[:2])


def test_a_lower_body_that_misses_by_very_much_more_ends_the_looks_at_once():
    _, tried = chosen(lambda fallback: CoarseCheck(3.5 if fallback % len(LOWER) < 2 else 12.0, 0.5))
    assert [fallback for fallback in tried if fallback < len(LOWER)] == [0, 2]


def test_a_similar_gait_is_looked_at_from_a_little_higher_on_with_steps_as_short_as_neutral_needs():
    shorter = 2 * len(LOWER)
    assert [resume_from(fallback) for fallback in (0, 5, len(LOWER) + 3)] == [0, 3, 0]
    assert [resume_from(fallback, shorter + 2) for fallback in (0, 5, shorter + 4)] == [shorter, shorter, shorter + 2]


def test_the_fastest_joint_is_told_with_its_share_and_its_instant():
    robot = SimpleNamespace(joint_names=("hip", "knee", "ankle"), joint_speed_limit_rad_s=np.array([2.0, 4.0, 1.0]))
    qpos = np.zeros((4, 7 + 3))
    qpos[:, 7:] = [[0.0, 0.0, 0.0], [0.0, 0.0, 0.01], [0.1, 0.0, 0.02], [0.1, -0.6, 0.03]]
    assert fastest_joint(robot, 3.0 + 0.1 * np.arange(4), qpos) == "knee reaches 150% of its speed limit at 3.20 s"
