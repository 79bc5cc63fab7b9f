"""Your own generator: Pepper bows, the deeper the less dominant the feeling, the faster the more active.

python examples/06_own_generator.py

A generator drafts, strut judges: what the body cannot do is weakened until every limit holds, and the receipt says why.
"""

from collections.abc import Iterator

import numpy as np

import strut


class Bow(strut.draft.Generator):
    """Bends a robot at its hip and back, once."""

    def __init__(self, robot: strut.Robot) -> None:
        self.robot = robot

    def drafts(self, style: strut.Style, detail: strut.draft.Detail) -> Iterator[strut.draft.Draft]:
        """Yield the bow in a style; while strut searches, fewer samples do."""
        robot = self.robot
        rate_hz = 100.0 if detail.level == "final" else 50.0
        bow_s = 2.0 + 4.0 * (1.0 - style.activity)
        depth_rad = max(0.0, 0.3 + 2.4 * (0.5 - style.gaze))
        time_s = np.arange(0.0, bow_s, 1.0 / rate_hz)
        bend = (1.0 - np.cos(2.0 * np.pi * time_s / bow_s)) / 2.0
        joints = np.tile(np.clip(0.0, robot.joint_lower_rad, robot.joint_upper_rad), (len(time_s), 1))
        joints[:, robot.joint_names.index("HipPitch")] = depth_rad * bend
        yield strut.draft.Draft(
            robot=robot,
            time_s=time_s,
            qpos=np.concatenate([np.zeros((len(time_s), robot.base_size)), joints], axis=1),
            contact=np.zeros((len(time_s), len(robot.feet)), dtype=bool),
            style=style,
            expressed={"gaze": 1.0, "activity": 1.0},
        )


def bow(emotion: str) -> strut.Motion:
    """Return a bow of Pepper with a feeling, with its receipt."""
    request = strut.Request(
        robot="pepper", task=strut.request.OwnTask(name="bow"), emotion=strut.named_emotion(emotion), margin_m=0.03
    )
    return strut.run(request, generator=Bow(strut.load_robot("pepper")))


if __name__ == "__main__":
    for feeling in ("proud", "neutral", "sad", "fearful"):
        receipt = bow(feeling).receipt
        assert receipt is not None
        print(
            f"{feeling:8s} {receipt.verdict}, kept {receipt.intensity_kept:.2f}; {'; '.join(map(str, receipt.reasons))}"
        )
