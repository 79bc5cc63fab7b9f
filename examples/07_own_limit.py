"""Your own limit: Mr. Pete walks angry on a battery that gives so many watts and no more.

python examples/07_own_limit.py

A limit looks at a measured draft and says where it is broken; strut weakens the feeling until it is kept.
"""

import numpy as np

import strut


class Battery:
    """The joints together take no more than the battery gives."""

    name = "battery"

    def __init__(self, most_w: float) -> None:
        self.most_w = most_w

    def violation(self, draft: strut.draft.Draft) -> strut.draft.Violation | None:
        """Return where the draft takes more, if it does."""
        power_w = np.abs(draft.measured.torque_nm * draft.measured.joint_speed_rad_s).sum(axis=1)
        if power_w.max() <= self.most_w:
            return None
        text = f"the joints take {power_w.max():.1f} W of {self.most_w:g} W"
        return strut.draft.Violation(self.name, power_w > self.most_w, text)


def walk(most_w: float, *, cycles: int = 10, rate_hz: float = 100.0) -> strut.Motion:
    """Return an angry walk on a battery, with its receipt."""
    request = strut.Request(
        robot="mrpete", task=strut.gaits.Crawl(cycles=cycles), emotion=strut.named_emotion("angry"), rate_hz=rate_hz
    )
    return strut.run(request, limits=[Battery(most_w)])


if __name__ == "__main__":
    for watts in (100.0, 6.0):
        receipt = walk(watts).receipt
        assert receipt is not None
        reasons = "; ".join(map(str, receipt.reasons))
        print(f"{watts:g} W: {receipt.verdict}, kept {receipt.intensity_kept:.2f}; {reasons}")
