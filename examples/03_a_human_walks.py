"""A human walks neutral, happy, sad, angry and fearful: synthesized from nothing, proven, drawn.

python examples/03_a_human_walks.py FOLDER [FEELING ...]

Prints how the walks differ (docs/explanations/human_gait.md). Each walk takes 7 to 13 s of processor time.
"""

import math
import sys
from functools import partial
from pathlib import Path
from time import process_time

import strut

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")
COLUMNS = (
    *("feeling", "verdict, kept", "speed [m/s]", "step [m], [s]", "trunk [°]", "head [°]", "standing knee [°]"),
    *("swinging knee [°]", "arm swing [°]", "cost of transport", "iterations", "processor [s]", "unlike people"),
)


def main(folder: Path, emotions: tuple[str, ...]) -> None:
    """Write motions, a picture and a film into `folder`, and print how the walks differ."""
    folder.mkdir(parents=True, exist_ok=True)
    robot = strut.load_robot("heiman")
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
    motions = []
    for emotion in emotions:
        began = process_time()
        iterations: list[strut.draft.Progress] = []
        motion = strut.walk(robot, emotion, cycles=4, on_progress=partial(keep, iterations))
        strut.save_motion(motion, folder / f"{emotion}.npz", force=True)
        motions.append(motion)
        print(row(robot, motion, len(iterations), process_time() - began), flush=True)
    robots = [robot] * len(motions)
    strut.viewer.save_pose_strip(motions, robots, folder / "humans.png", width_px=1000, force=True)
    strut.save_gif(motions, robots, folder / "humans.gif", duration_s=3.0, force=True)
    print(f"\nlook at   {folder / 'humans.png'} and {folder / 'humans.gif'}")


def keep(seen: list[strut.draft.Progress], step: strut.draft.Progress) -> None:
    """Remember an iteration."""
    seen.append(step)


def row(robot: strut.Robot, motion: strut.Motion, iterations: int, cpu_s: float) -> str:
    """Return one line of the table."""
    receipt = motion.receipt
    step_s = sum(motion.meta["phase_durations_s"])
    looks = receipt.naturalness
    angles = [
        f"{round(math.degrees(looks[name]))}"
        for name in ("trunk_forward_rad", "head_forward_rad", "stance_knee_rad", "swing_knee_rad", "arm_swing_rad")
    ]
    cells = [
        receipt.emotion,
        f"{receipt.verdict}, {receipt.intensity_kept:.2f}",
        f"{receipt.speed_m_s:.2f}",
        f"{receipt.speed_m_s * step_s:.2f}, {step_s:.2f}",
        *angles,
        f"{receipt.cost_of_transport:.2f}",
        f"{iterations}",
        f"{cpu_s:.0f}",
        "; ".join(strut.human.Naturalness.from_dict(looks).oddities(robot)) or "nothing",
    ]
    return f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "humans"), tuple(sys.argv[2:]) or EMOTIONS)
