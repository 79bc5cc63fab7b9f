"""Synthesis request: body, cost weights, options, and speed or step length of a gait to be synthesized."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from strut.human.gait_options import GaitOptions
from strut.human.gait_problem import Criteria, check_pace, gait_problem
from strut.human.posture_targets import halfway
from strut.optimal.problem import OptimalControlProblem
from strut.robot import Robot


@dataclass(frozen=True, slots=True)
class SynthesisRequest:
    """Body, cost weights, options, speed and step length of a gait; None leaves speed or length free."""

    human: Robot
    weights: Criteria
    options: GaitOptions
    speed_m_s: float | None = None
    step_m: float | None = None

    def __post_init__(self) -> None:
        check_pace(self.human, self.speed_m_s, self.step_m)

    @property
    def pace_m_s(self) -> float:
        """The speed, or where a free one is guessed to be."""
        return self.speed_m_s if self.speed_m_s is not None else self.human.human_gait.speed_m_s.usual

    def problem(self, mesh: Sequence[int]) -> OptimalControlProblem:
        """Return the problem on a mesh."""
        return gait_problem(
            self.human,
            self.weights,
            speed_m_s=self.speed_m_s,
            step_m=self.step_m,
            intervals=mesh,
            options=self.options,
        )

    def halfway(self) -> SynthesisRequest:
        """Return a request half way to the usual speed and style: easier, and a good start for this one."""
        neutral = self.human.expression.neutral_style()
        style = halfway(self.options.style or neutral, neutral)
        middle = 0.5 * (self.pace_m_s + self.human.human_gait.speed_m_s.usual)
        return replace(self, speed_m_s=middle, step_m=None, options=replace(self.options, style=style))

    def as_dict(self) -> dict[str, Any]:
        """Return what was asked as JSON would hold it."""
        weights = self.weights
        return {
            "weights": [weights.effort, weights.momentum, weights.head, weights.time],
            "speed_m_s": self.speed_m_s,
            "step_m": self.step_m,
            **self.options.as_dict(),
        }
