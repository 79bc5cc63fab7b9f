"""Mr. Pete walks neutral, happy, sad, angry and fearful: plan, check, simulate, draw.

python examples/01_five_emotions.py FOLDER
"""

import json
import sys
from pathlib import Path

import strut

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")


def main(folder: Path) -> None:
    """Write five motions, their receipts, a picture and a report into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    robot = strut.load_robot("mrpete")
    print(f"{robot.title}: {len(robot.joint_names)} joints, {robot.mass_kg:.1f} kg\n")
    motions = []
    for emotion in EMOTIONS:
        motion = strut.walk(robot, emotion)
        receipt = strut.check(motion)
        outcome = strut.simulate(motion).outcome
        strut.save_motion(motion, folder / f"{emotion}.npz", force=True)
        pages = {"receipt": motion.receipt.as_dict(), "simulated": outcome.as_dict()}
        (folder / f"{emotion}.json").write_text(json.dumps(pages, indent=2))
        motions.append(motion)
        print(
            f"{emotion:8s} kept {motion.receipt.intensity_kept:.2f} ({motion.receipt.verdict}), "
            f"margin {receipt.balance_margin_mm:.1f} mm, torque {receipt.torque_use:.0%}, "
            f"walked {outcome.distance_m:.2f} of {outcome.commanded_distance_m:.2f} m in simulation, "
            f"{'FELL' if outcome.fell else 'no fall'}, slip {outcome.foot_slip_mm:.1f} mm"
        )
    robots = [robot] * len(motions)
    strut.save_png(motions, robots, folder / "walks.png", force=True)
    strut.save_html(motions, robots, folder / "report.html", force=True)
    print(f"\nlook at   {folder / 'walks.png'}\nopen      {folder / 'report.html'}")
    files = " ".join(str(folder / f"{emotion}.npz") for emotion in EMOTIONS)
    print(f"live view {Path(sys.executable).parent / 'strut'} show {files}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "demo"))
