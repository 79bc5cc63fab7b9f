"""No motion that cannot happen is ok; benchmarks/bench_impossible.py tries more makers, robots and seeds."""

from dataclasses import replace

import numpy as np
import pytest
from benchmarks import impossible_motions
from benchmarks.impossible_motions import MAKERS, cases, statue

from strut import Place, check, load_robot, perform, walk
from strut.errors import StrutError

ROBOTS = ("mrpete", "alice", "pepper")
CASES = [(maker.__name__, robot) for maker, robot in cases(ROBOTS)]


@pytest.fixture(scope="module")
def honest():
    """Return an honest motion of each robot, with the robot."""
    motions = (
        walk("mrpete", "neutral", cycles=2, rate_hz=50.0),
        walk("alice", "happy", goal=Place(0.1, 0.03, 0.3)),
        perform("pepper", "wave", "happy", duration_s=3.0),
    )
    return {motion.robot: (motion, load_robot(motion.robot)) for motion in motions}


@pytest.mark.parametrize("robot", ROBOTS)
def test_the_honest_motions_are_ok_and_so_are_their_statues(honest, robot):
    motion, body = honest[robot]
    assert check(motion, body).verdict == "ok"
    assert check(statue(motion), body).verdict == "ok"


@pytest.mark.parametrize(("maker", "robot"), CASES)
def test_a_motion_that_cannot_happen_is_not_ok(honest, maker, robot):
    make = getattr(impossible_motions, maker)
    motion = make(*honest[robot], np.random.default_rng(1))
    try:
        verdict = check(motion).verdict
    except StrutError:
        return  # a file that cannot be judged is not ok
    assert verdict not in {"ok", "weakened"}


def test_every_maker_is_tried_with_one_robot_at_least():
    assert all(MAKERS.values())
    assert len({maker for maker, _ in cases(ROBOTS)}) >= 50


def test_honest_forces_stay_ok_when_feet_share_them_otherwise(honest):
    motion, robot = honest["mrpete"]
    standing = motion.contact.all(axis=1)
    squeeze_n = np.zeros_like(motion.ground_force_n)
    squeeze_n[standing, 0, 1] = 1.0  # two feet press against each other with 1.5 % of the weight, well within friction
    squeeze_n[standing, 1, 1] = -1.0
    assert check(replace(motion, ground_force_n=motion.ground_force_n + squeeze_n), robot).verdict == "ok"
