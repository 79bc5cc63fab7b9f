"""Receipt in words: what people read after a motion was made or checked."""

from __future__ import annotations

from strut.receipt import Receipt


def receipt_lines(receipt: Receipt) -> list[str]:
    """Return the receipt as a few short lines."""
    lines = [_headline(receipt)]
    lines += [f"  because {reason}" for reason in receipt.reasons]
    if receipt.distance_m is not None and receipt.speed_m_s is not None:
        verb = "walks" if receipt.foot_slip_mm is not None else "drives"
        lines.append(
            f"  {verb} {receipt.distance_m:.2f} m in {receipt.duration_s:.1f} s ({receipt.speed_m_s * 1e3:.0f} mm/s)"
        )
    facts = []
    if receipt.balance_margin_mm is not None:
        facts.append(f"centre of pressure {receipt.balance_margin_mm:.1f} mm inside the feet")
    if receipt.torque_use is not None:
        facts.append(f"{receipt.torque_use:.0%} of the weakest motor")
    if receipt.joint_speed_use is not None:
        facts.append(f"{receipt.joint_speed_use:.0%} of the top joint speed")
    if receipt.foot_slip_mm is not None:
        facts.append(f"slips {receipt.foot_slip_mm:.1f} mm")
    if receipt.task_error_mm is not None:
        facts.append(f"misses its task by {receipt.task_error_mm:.2f} mm")
    if receipt.gaze_error_rad is not None:
        facts.append(f"gaze {receipt.gaze_error_rad:.4f} rad off")
    if receipt.cost_of_transport is not None:
        facts.append(f"cost of transport {receipt.cost_of_transport:.2f}")
    return [*lines, "  " + ", ".join(facts)] if facts else lines


def _headline(receipt: Receipt) -> str:
    feeling = receipt.emotion or (
        f"({', '.join(f'{value:g}' for value in receipt.pad)})" if receipt.pad else "no emotion"
    )
    asked, kept = receipt.intensity_asked, receipt.intensity_kept
    dial = f", intensity {kept:.2f} of {asked:.2f} asked" if asked is not None and kept is not None else ""
    return f"{receipt.verdict}: {receipt.robot}, {feeling}{dial}"
