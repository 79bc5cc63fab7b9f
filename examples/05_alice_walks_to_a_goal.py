"""Alice walks to a goal with four feelings and arrives in physics; and how much margin a walk keeps at which speed.

python examples/05_alice_walks_to_a_goal.py FOLDER
"""

import math
import sys
from pathlib import Path

from matplotlib.figure import Figure

import strut

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")
GOAL = strut.Place(0.3, 0.1, math.radians(45.0))
SPEEDS_CM_S = (0.5, 0.75, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0, 5.0, 6.0, 7.0, 8.0)
CURVES = (
    ("centre of mass planned, as published: 1 cm steps", "mass", 0.01, "#c46a12", ":"),
    ("2 cm steps", "mass", 0.02, "#c46a12", "--"),
    ("4 cm steps", "mass", 0.04, "#c46a12", "-"),
    ("centre of pressure planned: 4 cm steps", "pressure", 0.04, "#1a8f82", "-"),
)


def main(folder: Path) -> None:
    """Write motions, a picture and the curve into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    robot = strut.load_robot("alice")
    motions = []
    for emotion in EMOTIONS:
        motion = strut.walk(robot, emotion, goal=GOAL)
        arrival = strut.gaits.simulate_to_goal(motion, robot)
        strut.save_motion(motion, folder / f"alice_{emotion}.npz", force=True)
        motions.append(motion)
        print(
            f"{emotion:8s} kept {motion.receipt.intensity_kept:.2f} ({motion.receipt.verdict}), "
            f"{len(motion.meta['footsteps'])} steps in {motion.duration_s:.1f} s, "
            f"margin {motion.receipt.balance_margin_mm:.1f} mm, {'FELL' if arrival.fell else 'arrived'} in simulation, "
            f"{arrival.goal_error_m * 1e3:.1f} mm and {math.degrees(arrival.heading_error_rad):.1f} degrees off"
        )
    strut.save_png(motions, [robot] * len(motions), folder / "alice_walks.png", look="stick", panel_px=320, force=True)
    draw_curve(folder / "alice_margin.svg")
    print(f"\nlook at {folder / 'alice_walks.png'} and {folder / 'alice_margin.svg'}")


def draw_curve(path: Path) -> None:
    """Draw the smallest balance margin of a straight walk against its speed."""
    robot = strut.load_robot("alice")
    figure = Figure(figsize=(7.2, 3.8), layout="constrained")
    axes = figure.subplots()
    for label, law, step_m, color, line in CURVES:
        points = []
        for speed_cm_s in SPEEDS_CM_S:
            try:
                margin_m = strut.reproduction.walking_margin_m(
                    robot, step_m, step_m / (speed_cm_s / 100.0) / 2.0, law=law
                )
            except strut.StrutError:
                break  # the legs cannot follow
            points.append((speed_cm_s, margin_m * 1e3))
            if margin_m < -0.02:
                break
        axes.plot(*zip(*points, strict=True), line, color=color, label=label, marker=".", markersize=4)
    axes.axhline(0.0, color="#b3261e", linewidth=1.0)
    axes.set(xlabel="speed on a straight line [cm/s]", ylabel="smallest margin [mm]")
    axes.set(xlim=(0.0, 8.2), ylim=(-20.0, 40.0))
    axes.legend(frameon=False, fontsize=8, loc="lower right")
    figure.savefig(path, metadata={"Date": None, "Creator": None})


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
