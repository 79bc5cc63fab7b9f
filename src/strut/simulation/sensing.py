"""Sensing: a simulated state estimator, with noise on velocities and a delay."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np

from strut.arrays import Array
from strut.errors import OutOfRangeError
from strut.robot import BASE

MAX_SENSING = 1.0  # [m/s, rad/s, s]; far beyond noise and delay with which any robot balances


@dataclass(frozen=True, slots=True)
class Sensing:
    """Noise and delay of a state estimator.

    Args:
        velocity_noise_m_s: Standard deviation of the base's linear velocity.
        turn_noise_rad_s: Standard deviation of its angular velocity.
        delay_s: Age of the state.
        seed: Seed of the noise.
    """

    velocity_noise_m_s: float = 0.0
    turn_noise_rad_s: float = 0.0
    delay_s: float = 0.0
    seed: int = 0

    def __post_init__(self) -> None:
        for name in ("velocity_noise_m_s", "turn_noise_rad_s", "delay_s"):
            if not 0.0 <= getattr(self, name) <= MAX_SENSING:  # also catches NaN
                raise OutOfRangeError(f"{name} is {getattr(self, name):g}; choose 0 to {MAX_SENSING:g}.")

    @property
    def is_perfect(self) -> bool:
        """Whether the state has neither noise nor delay."""
        return self == Sensing(seed=self.seed)


class Estimator:
    """State estimator of a controller, called tick by tick in order."""

    def __init__(self, sensing: Sensing | None) -> None:
        self._sensing = Sensing() if sensing is None else sensing
        self._noise = np.random.default_rng(self._sensing.seed)
        self._past = deque[tuple[float, Array, Array]]()
        turn = self._sensing.turn_noise_rad_s
        speed = self._sensing.velocity_noise_m_s
        self._spread = np.array([speed] * 3 + [turn] * 3)

    def estimate(self, time_s: float, qpos: Array, qvel: Array) -> tuple[Array, Array]:
        """Return the estimated coordinates and velocities. Shapes (nq,), (nv,) in and out."""
        past = self._past
        oldest_s = time_s - self._sensing.delay_s
        past.append((time_s, qpos.copy(), qvel.copy()))
        while len(past) > 1 and past[1][0] <= oldest_s + 1e-9:
            past.popleft()
        _, seen_qpos, seen_qvel = past[0]
        if self._spread.any():
            seen_qvel = seen_qvel.copy()
            seen_qvel[:BASE] += self._noise.normal(size=BASE) * self._spread
        return seen_qpos, seen_qvel
