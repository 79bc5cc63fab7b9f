"""Fallbacks of a gait: lower bodies, then shorter steps, for gaits whose feet are out of reach or joints too fast.

A fallback is an index into `FALLBACKS`: a body height and a step scale. A coarse check of a fallback costs a fraction
of a draft; `first_feasible` checks a few fallbacks and returns the first that is worth drafting.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from strut.arrays import Array
from strut.gaits.pattern.gait_solver import SolvedGait
from strut.robot import FLOATING, Robot

BODY_HEIGHTS = (1.0, 0.985, 0.97, 0.955, 0.94, 0.92, 0.90, 0.87, 0.84)  # shares of the usual height, upright first
STEP_SCALES = (1.0, 0.8, 0.65)  # of length and duration, so at the same speed; ankles at their stops need short steps
FALLBACKS = tuple((height, scale) for scale in STEP_SCALES for height in BODY_HEIGHTS)
HEIGHT_STEP = 2  # fallbacks; one alone lowers the body by 1.5 %, which changes joint speeds too little to be checked


@dataclass(frozen=True, slots=True)
class GaitSearch:
    """Thresholds of the search for a feasible gait; a speed or a miss of 1 is just allowed.

    Found by trial on the robots of benchmarks/bench_adopted_plans.py.
    """

    ruled_out_speed: float = 1.15  # no draft can pass: joints are faster still between the samples of the check
    comparable_speed: float = 1.04  # above it, the check ranks two body heights correctly
    jolt_speed: float = 1.25  # a joint this fast has hit its stop; a lower body does not help
    useful_slowdown: float = 0.98  # a lower body must be 2 % slower to be worth another draft
    max_miss: float = 6.0  # beyond, no correction of the zero-moment point brings the feet into reach
    far_miss: float = 3.0  # beyond, one body height lower is not enough, so skip one
    useful_shortening: float = 0.8  # shorter steps must miss by a fifth less for even shorter ones to be checked
    worse: float = 1.3  # times the best height so far; twice in a row, the knees are not what limits the reach
    much_worse: float = 2.5  # the same, but once is enough


SEARCH = GaitSearch()


@dataclass(frozen=True, slots=True)
class CoarseCheck:
    """Result of a quick solution of a few cycles at one fallback; a miss or a speed of 1 is just allowed.

    Args:
        miss: Largest error of a foot or of the centre of mass, over the tolerance.
        speed: Largest joint speed, over what this coarse sampling allows.
        fastest_joint: The joint with that speed, as the rest of a sentence.
        gait: The solution, which is the initial guess of a draft; None if there is none.
    """

    miss: float
    speed: float
    fastest_joint: str = field(default="", compare=False)
    gait: SolvedGait | None = field(default=None, compare=False)

    @property
    def worst(self) -> float:
        """The larger of miss and speed."""
        return max(self.miss, self.speed)


def first_feasible(check: Callable[[int], CoarseCheck], start: int) -> int:
    """Return the first fallback from `start` on with feet in reach and joints slow enough; else that of least miss.

    Shorter steps are tried only where feet are out of reach: they do not slow down joints, because there are more of
    them.
    """
    heights = len(BODY_HEIGHTS)
    checks: dict[int, CoarseCheck] = {}
    min_miss = np.inf
    for upright in range(start - start % heights, len(FALLBACKS), heights):
        lower_checks = _check_downwards(check, max(upright, start), upright + heights)
        checks |= lower_checks
        previous_miss = min_miss
        min_miss = min(result.miss for result in lower_checks.values())
        if min_miss < 1.0 or min_miss > SEARCH.useful_shortening * previous_miss:
            break

    def preference(fallback: int) -> tuple[bool, float, int]:
        result = checks[fallback]
        return result.miss >= 1.0, max(result.worst, 1.0), fallback

    return min(checks, key=preference)


def _check_downwards(check: Callable[[int], CoarseCheck], fallback: int, end: int) -> dict[int, CoarseCheck]:
    """Return checks of lower and lower bodies, until one is feasible or lower bodies are clearly worse."""
    checks: dict[int, CoarseCheck] = {}
    min_worst = np.inf
    worse_in_a_row = 0
    while fallback < end and min_worst >= 1.0 and worse_in_a_row < 2:
        result = check(fallback)
        checks[fallback] = result
        if result.worst > SEARCH.much_worse * min_worst:
            worse_in_a_row += 2
        elif result.worst > SEARCH.worse * min_worst:
            worse_in_a_row += 1
        else:
            worse_in_a_row = 0
        min_worst = min(min_worst, result.worst)
        is_just_out_of_reach = 1.0 <= result.miss < SEARCH.far_miss
        fallback += 1 if is_just_out_of_reach else HEIGHT_STEP
    return checks


def resume_from(fallback: int, neutral_fallback: int = 0) -> int:
    """Return the fallback at which to start for a style similar to one that needed `fallback`.

    Start a little higher, with steps as short as neutral needs; upright if the similar style needed shorter steps than
    that.
    """
    upright = neutral_fallback - neutral_fallback % len(BODY_HEIGHTS)
    if fallback >= upright + len(BODY_HEIGHTS):
        return upright
    return max(upright, fallback - HEIGHT_STEP)


def speed_use(robot: Robot, time_s: Array, qpos: Array) -> float:
    """Return the speed of the fastest joint as a share of its limit. Shapes (T,), (T, nq)."""
    return float(_speed_uses(robot, time_s, qpos).max())


def describe_fastest_joint(robot: Robot, time_s: Array, qpos: Array) -> str:
    """Return which joint is how fast when, as the rest of a sentence. Shapes (T,), (T, nq)."""
    uses = _speed_uses(robot, time_s, qpos)
    sample, joint = np.unravel_index(int(np.argmax(uses)), uses.shape)
    share = uses[sample, joint]
    name = robot.joint_names[joint]
    return f"{name} reaches {share:.0%} of its speed limit at {time_s[sample]:.2f} s"


def _speed_uses(robot: Robot, time_s: Array, qpos: Array) -> Array:
    """Return the speeds of joints as shares of their limits. Shapes (T,), (T, nq) in, (T - 1, n_joints) out."""
    speed_rad_s = np.abs(np.diff(qpos[:, FLOATING:], axis=0)) / (time_s[1] - time_s[0])
    return np.asarray(speed_rad_s / robot.joint_speed_limit_rad_s)
