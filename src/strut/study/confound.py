"""Confound: what else than the emotion differs between the motions of a study."""

from __future__ import annotations

from collections.abc import Sequence

from strut.motion import Motion


def confounds(motions: Sequence[Motion]) -> list[str]:
    """Return in words what may spoil a comparison: different bodies, and feelings that were kept in part only."""
    robots = sorted({motion.robot for motion in motions})
    found = [f"the motions are of {' and '.join(robots)}: people may tell bodies, not feelings"] if robots[1:] else []
    weakened = weakened_words(motions)
    if weakened:
        found.append(f"weakened so that the body could do them: {weakened}; the report says so")
    return found


def weakened_words(motions: Sequence[Motion]) -> str:
    """Return 'happy 62 %, sad 86 %' for the motions that show less of an emotion than was asked for."""
    return ", ".join(
        f"{motion.meta.get('emotion', 'motion')} {100.0 * motion.receipt.intensity_kept:.0f} %"
        for motion in motions
        if motion.receipt and motion.receipt.verdict == "weakened" and motion.receipt.intensity_kept is not None
    )
