"""Wish: what is asked of a gait before anybody has looked for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import astuple, dataclass, replace
from typing import Any

from strut.human.gait_options import Manner
from strut.human.gait_problem import Criteria, check_pace, gait_problem
from strut.human.posture_targets import Bearing, usual_bearing
from strut.optimal.problem import Problem
from strut.robot import Robot


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of a gait: who walks, what is cheap, in which manner, how fast and how far; None leaves it free."""

    human: Robot
    weights: Criteria
    manner: Manner
    speed_m_s: float | None = None
    step_m: float | None = None

    def __post_init__(self) -> None:
        check_pace(self.human, self.speed_m_s, self.step_m)

    @property
    def pace_m_s(self) -> float:
        """The speed, or where a free one is guessed to be."""
        return self.speed_m_s if self.speed_m_s is not None else self.human.table("gait")["speed_m_s"]["usual"]

    def problem(self, mesh: Sequence[int]) -> Problem:
        """Return the problem on a mesh."""
        return gait_problem(
            self.human,
            self.weights,
            speed_m_s=self.speed_m_s,
            step_m=self.step_m,
            intervals=mesh,
            manner=self.manner,
        )

    def halfway(self) -> Wish:
        """Return a wish half way to the usual speed and bearing: easier, and a good start for this one."""
        usual, asked = usual_bearing(self.human), self.manner.bearing or usual_bearing(self.human)
        bearing = Bearing(*(0.5 * (one + other) for one, other in zip(astuple(usual), astuple(asked), strict=True)))
        middle = 0.5 * (self.pace_m_s + self.human.table("gait")["speed_m_s"]["usual"])
        return replace(self, speed_m_s=middle, step_m=None, manner=replace(self.manner, bearing=bearing))

    def as_dict(self) -> dict[str, Any]:
        """Return what was asked as JSON would hold it."""
        weights = self.weights
        return {
            "weights": [weights.effort, weights.momentum, weights.head, weights.time],
            "speed_m_s": self.speed_m_s,
            "step_m": self.step_m,
            **self.manner.as_dict(),
        }
