"""Gait fallbacks: lower bodies, then shorter steps, where feet are out of reach or joints are too fast."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from strut.arrays import Array
from strut.gaits.pattern.gait_body import SolvedGait
from strut.robot import FLOATING, Robot

LOWER = (1.0, 0.985, 0.97, 0.955, 0.94, 0.92, 0.90, 0.87, 0.84)  # heights of the body until all feet are in reach
FASTER_LOWER = 2  # heights that are passed over where all feet are in reach and joints are too fast
QUICKER = (1.0, 0.8, 0.65)  # then shorter steps at the same speed: ankles at their stops need them
FALLBACKS = tuple((lower, quicker) for quicker in QUICKER for lower in LOWER)
SLOWED = 0.98  # of the speed of a higher body, that a lower one must be slower than to be worth another
JOLTED = 1.25  # times its limit: a joint that is faster than this comes to a stop somewhere, and lower does not help
FAR = 3.0  # times what may be missed: who misses by more is looked at two heights lower
SHORTER = 0.8  # of what longer steps miss, that shorter ones must miss less than to be worth even shorter ones
RULED_OUT = 1.15  # times what a look allows joints: at instants between its own they are faster still
WORSE = 1.3
MUCH_WORSE = 2.5  # factors on the least miss of higher bodies by which a lower one is worse


@dataclass(frozen=True, slots=True)
class CoarseCheck:
    """A coarse look at a gait: by how much feet or mass miss their places, and how fast joints are; 1 is allowed.

    Args:
        miss: Of feet or mass.
        speed: Of joints.
        time_s: Instants of what was solved for it; None if nobody needs it. Shape (T,).
        found: What was solved.
        fastest: Which joint is fastest when, in words.
    """

    miss: float
    speed: float
    time_s: Array | None = field(default=None, compare=False)
    found: SolvedGait | None = field(default=None, compare=False)
    fastest: str = ""

    @property
    def worst(self) -> float:
        """The larger of the two."""
        return max(self.miss, self.speed)


def first_feasible(look: Callable[[int], CoarseCheck], start: int) -> int:
    """Return the first feasible fallback from one on: feet reach, joints are not too fast; else that of the least miss.

    Shorter steps are not tried where only joints are too fast: they take as many more. Nor are ever shorter ones where
    the first did not help.
    """
    looks = dict[int, CoarseCheck]()
    least = np.inf
    for first in range(start - start % len(LOWER), len(FALLBACKS), len(LOWER)):
        here = _looks_down(look, range(max(first, start), first + len(LOWER)))
        looks = looks | here
        before = least
        least = min(found.miss for found in here.values())
        if least < 1.0 or least > SHORTER * before:
            break
    return min(looks, key=lambda fallback: (looks[fallback].miss >= 1.0, max(looks[fallback].worst, 1.0), fallback))


def resume_from(fallback: int, least: int = 0) -> int:
    """Return the fallback from which on a similar gait is looked at, a little higher than the one that it needed.

    Upright where shorter steps than neutral's were needed; steps are as short as those of the one that neutral needs.
    """
    first = least - least % len(LOWER)
    return max(first, fallback - FASTER_LOWER) if fallback < first + len(LOWER) else first


def _looks_down(look: Callable[[int], CoarseCheck], variants: range) -> dict[int, CoarseCheck]:
    """Return looks at ever lower bodies, until one does or two miss by more: knees were not what held them back."""
    looks = dict[int, CoarseCheck]()
    least = np.inf
    fallback = variants.start
    worse = 0
    while fallback < variants.stop and least >= 1.0 and worse < 2:
        looks[fallback] = found = look(fallback)
        worse = worse + (2 if found.worst > MUCH_WORSE * least else 1) if found.worst > WORSE * least else 0
        least = min(least, found.worst)
        fallback = fallback + (1 if 1.0 <= found.miss < FAR else FASTER_LOWER)
    return looks


def speed_use(robot: Robot, time_s: Array, qpos: Array) -> float:
    """Return the speed of the fastest joint as a share of its limit. Shapes (T,), (T, nq)."""
    return float(_speed_uses(robot, time_s, qpos).max())


def fastest_joint(robot: Robot, time_s: Array, qpos: Array) -> str:
    """Return which joint is how fast when, in words. Shapes (T,), (T, nq)."""
    uses = _speed_uses(robot, time_s, qpos)
    sample, joint = np.unravel_index(int(np.argmax(uses)), uses.shape)
    share = uses[sample, joint]
    name = robot.joint_names[joint]
    return f"{name} reaches {share:.0%} of its speed limit at {time_s[sample]:.2f} s"


def _speed_uses(robot: Robot, time_s: Array, qpos: Array) -> Array:
    """Return the speeds of joints as shares of their limits. Shapes (T,), (T, nq) in, (T - 1, n_joints) out."""
    speed = np.abs(np.diff(qpos[:, FLOATING:], axis=0)) / (time_s[1] - time_s[0])
    return np.asarray(speed / robot.joint_speed_limit_rad_s)
