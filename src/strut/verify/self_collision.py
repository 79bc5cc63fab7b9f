"""Self-collision: no two bodies of a robot come nearer to each other than they may."""

from __future__ import annotations

from dataclasses import dataclass

from strut.audit import SelfDistance
from strut.draft import Draft, Shortfall
from strut.engines.self_distance import self_distance
from strut.robot import Array, Robot


def measured_self_distance(robot: Robot, qpos: Array) -> SelfDistance | None:
    """Return how near a robot's bodies come to each other; None if no two of them can meet. Shape (T, nq)."""
    table = robot.collision
    return self_distance(robot, qpos, near_m=table.least_distance_m, no_surface=table.no_surface)


@dataclass(frozen=True, slots=True)
class SelfCollision:
    """The surfaces of any two bodies keep the robot's least distance."""

    name: str = "self-collision"

    def shortfall(self, draft: Draft) -> Shortfall | None:
        """Return where bodies are too near, with the nearest two and their instant; None if they nowhere are."""
        found, least_mm = draft.measured.self_distance, 1e3 * draft.robot.collision.least_distance_m
        if found is None or not found.near.any():
            return None
        smallest_mm, (one, other) = 1e3 * found.smallest_m, found.bodies
        apart = f"{smallest_mm:.1f} mm apart" if smallest_mm >= 0.0 else f"{-smallest_mm:.1f} mm inside each other"
        allowed = f"{least_mm:.0f} mm apart" if least_mm >= 0.0 else f"{-least_mm:.0f} mm inside each other"
        sentence = (
            f"{self.name}: {one} and {other} are {apart} at {draft.time_s[found.sample]:.2f} s, nearer than {allowed}"
        )
        return Shortfall(self.name, found.near, sentence)
