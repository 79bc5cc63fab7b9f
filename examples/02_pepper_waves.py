"""Pepper waves at you, happy and sad: the same hand, another body. Perform, simulate, draw.

python examples/02_pepper_waves.py FOLDER
"""

import sys
from pathlib import Path

import strut


def main(folder: Path) -> None:
    """Write two motions and a picture into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    robot = strut.load_robot("pepper")
    motions = []
    for emotion in ("happy", "sad"):
        motion = strut.perform(robot, "wave", emotion, user_m=(3.0, 0.0, 1.2), duration_s=5.0)
        strut.save_motion(motion, folder / f"{emotion}.npz", force=True)
        motions.append(motion)
        receipt = motion.receipt
        outcome = strut.simulate(motion).outcome
        print(f"{emotion}: hand {receipt.task_error_mm:.3f} mm off its task, in physics {outcome.hand_error_mm:.2f} mm")
    strut.save_png(motions, [robot, robot], folder / "pepper.png", force=True)
    print(f"wrote {folder / 'pepper.png'}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
