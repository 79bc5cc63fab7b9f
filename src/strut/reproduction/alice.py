"""Alice: every published number of her gait generator that strut can compute again, and how fast ours walks."""

from __future__ import annotations

from strut.pipeline.step_walk import walk_to
from strut.place import Place
from strut.reproduction.alice_balance import balance_rows
from strut.reproduction.alice_errata import errata_rows
from strut.reproduction.alice_postures import body_rows, golden_rows, reach_rows, swing_rows
from strut.reproduction.comparison import Comparison, unpublished
from strut.reproduction.parts import Parts, Progress, rows_of
from strut.robot import Robot


def speed_rows(robot: Robot) -> list[Comparison]:
    """Return how fast a straight walk may go with the published law and with ours, at the margin of the safe speed.

    The paper calls 1 cm/s safe but prints neither step length nor shoes, so the margin that its law keeps at that speed
    with this robot's steps is the one to compare at.
    """
    goal = Place(0.5, 0.0)
    safe_m_s = robot.table("published")["safe_speed"]["speed"] / 100.0
    slow = walk_to(robot, goal, pace=safe_m_s, margin_m=0.0, law="mass")
    assert slow.receipt is not None
    assert slow.receipt.balance_margin_mm is not None
    margin_m = slow.receipt.balance_margin_mm * 1e-3
    rows = [unpublished("speed", "margin of the published law at 1 cm/s, 4 cm steps", margin_m * 1e3, "mm")]
    for law, words in (("mass", "published law"), ("pressure", "planned pressure")):
        for kept_m in (margin_m, 0.010):
            motion = walk_to(robot, goal, pace="fastest", margin_m=kept_m - 1e-6, law=law)  # type: ignore[arg-type]
            speed = motion.meta["gait"]["line_speed_m_s"] * 100.0
            rows.append(unpublished("speed", f"fastest at {kept_m * 1e3:.1f} mm margin, {words}", speed, "cm/s"))
    return rows


_PARTS: Parts = {
    "body": body_rows,
    "golden postures": golden_rows,
    "reach": reach_rows,
    "swing": swing_rows,
    "balance": balance_rows,
    "errata": errata_rows,
    "speed": speed_rows,
}


def reproduce_alice(on_progress: Progress | None = None) -> tuple[Comparison, ...]:
    """Return Alice's published numbers beside ours.

    Args:
        on_progress: Called with what is computed next, how many parts are done, and how many there are.
    """
    return rows_of("alice", _PARTS, on_progress)
