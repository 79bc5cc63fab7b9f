"""Do imported robots walk with an emotion, with other friction and masses than planned?

Every robot in a folder x five emotions x friction 0.6 and 0.9 x masses 0.9 and 1.1; four legs walk 20 cycles, two legs
10. A row per simulation is added to a CSV at once; existing rows are not simulated again. A body length is the distance
between the middles of the front and of the hind hips, or the height of a standing biped; speed is that of the middle
half of the walk. Times are processor times. Visible features of each walk are recorded, so that `--report` lists the
emotions of a robot that people would confuse after its limits have weakened them.

    python benchmarks/sweep_adopted.py robots/ rows.csv --only go1,g1 --emotions neutral,sad
    python benchmarks/sweep_adopted.py robots/ rows.csv --report
    python benchmarks/sweep_adopted.py robots/ rows.csv --report --table docs/adopted_robots.md
"""

from __future__ import annotations

import argparse
import csv
import time
import tomllib
from itertools import combinations, product
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import strut
from strut.engines.rigid_body import joint_anchors
from strut.errors import RefusedError, StrutError
from strut.perception.emotion_distance import discrimination_threshold

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")
FRICTIONS = (0.6, 0.9)
MASSES = (0.9, 1.1)
COLUMNS = (
    *("robot", "legs", "joints", "emotion", "friction", "mass_scale", "verdict", "kept", "planned_control", "plan_s"),
    *("body_length_m", "speed_m_s", "body_lengths_s", "control", "fell", "stumbles", "distance_share", "slip_mm"),
    *("simulation_s", "reason", "features"),
)
Row = dict[str, Any]


def body_length_m(folder: Path, robot: strut.Robot) -> float:
    """Return the distance between front and hind hips of a quadruped, the height of a biped."""
    if len(robot.feet) == 2:
        return float(tomllib.loads((folder / "adopted.toml").read_text("utf-8"))["height_m"])
    anchors = joint_anchors(robot, robot.standing_qpos)
    hips = np.sort([anchors[robot.joint_names.index(leg.joints[0])][0] for leg in robot.legs])
    return float(hips[2:].mean() - hips[:2].mean())


def steady_speed_m_s(motion: strut.Motion) -> float:
    """Return the speed over the ground in the middle half of a walk."""
    quarter = len(motion.time_s) // 4
    first = quarter
    last = len(motion.time_s) - 1 - quarter
    way_m = np.linalg.norm(motion.qpos[last, :2] - motion.qpos[first, :2])
    return float(way_m / (motion.time_s[last] - motion.time_s[first]))


def rows_of(folder: Path, emotion: str, worlds: list[tuple[float, float]]) -> list[Row]:
    """Return a row for each world of friction and mass."""
    robot = strut.load_robot(str(folder))
    length_m = body_length_m(folder, robot)
    row: Row = {"robot": folder.name, "legs": len(robot.feet), "joints": len(robot.joint_names), "emotion": emotion}
    row |= {"body_length_m": round(length_m, 3)}
    started = time.process_time()
    try:
        motion = strut.walk(robot, emotion, cycles=20 if len(robot.feet) == 4 else 10)
    except StrutError as error:
        verdict = "refused" if isinstance(error, RefusedError) else "error"
        row |= {"verdict": verdict, "plan_s": round(time.process_time() - started, 2), "reason": str(error)[:200]}
        return [row | {"friction": friction, "mass_scale": mass} for friction, mass in worlds]
    receipt = motion.receipt
    speed_m_s = steady_speed_m_s(motion)
    assert receipt is not None
    row |= {
        "verdict": receipt.verdict,
        "kept": round(receipt.intensity_kept, 3),
        "planned_control": receipt.control,
        "plan_s": round(time.process_time() - started, 2),
        "speed_m_s": round(speed_m_s, 3),
        "body_lengths_s": round(speed_m_s / length_m, 3),
        "reason": "; ".join(map(str, receipt.reasons))[:200],
        "features": " ".join(
            f"{name}={value:.5g}" for name, value in strut.perception.expressive_features(motion, robot).items()
        ),
    }
    return [row | played(motion, robot, friction, mass) for friction, mass in worlds]


def played(motion: strut.Motion, robot: strut.Robot, friction: float, mass_scale: float) -> Row:
    """Return the outcome of a walk in one world."""
    started = time.process_time()
    outcome = strut.simulate(motion, robot, friction=friction, mass_scale=mass_scale).outcome
    return {
        "friction": friction,
        "mass_scale": mass_scale,
        "control": outcome.control,
        "fell": outcome.fell,
        "stumbles": outcome.stumbles,
        "distance_share": round(outcome.distance_m / outcome.commanded_distance_m, 3),
        "slip_mm": round(outcome.foot_slip_mm or 0.0, 1),
        "simulation_s": round(time.process_time() - started, 2),
    }


def read(path: Path) -> list[Row]:
    """Return the existing rows."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def sweep(folders: list[Path], path: Path, emotions: list[str], every: list[tuple[float, float]]) -> None:
    """Add the missing rows."""
    done = {(row["robot"], row["emotion"], float(row["friction"]), float(row["mass_scale"])) for row in read(path)}
    for emotion, folder in product(emotions, folders):
        worlds = [w for w in every if (folder.name, emotion, *w) not in done]
        if not worlds:
            continue
        rows = rows_of(folder, emotion, worlds)
        fresh = not path.exists()
        with path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            if fresh:
                writer.writeheader()
            writer.writerows(rows)
        print(*(rows[0].get(name, "") for name in ("robot", "emotion", "verdict", "kept", "plan_s")), sep=" ", end=" ")
        print(
            [(row.get("control"), row.get("fell"), row.get("distance_share"), row.get("slip_mm")) for row in rows],
            flush=True,
        )


def report(rows: list[Row]) -> None:
    """Print the outcomes of the walks, by number of legs."""
    for legs in ("4", "2"):
        chosen = [row for row in rows if row["legs"] == legs]
        walked = [row for row in chosen if row["verdict"] in ("ok", "weakened")]
        if not walked:
            continue
        falls = sum(row["fell"] == "True" for row in walked)
        upright = [row for row in walked if row["fell"] != "True"]
        share = sorted(float(row["distance_share"]) for row in upright)
        slip = sorted(float(row["slip_mm"]) for row in upright)
        plans = {(row["robot"], row["emotion"]): row for row in chosen}.values()
        neutral = [row for row in plans if row["emotion"] == "neutral" and row["body_lengths_s"]]
        print(f"{legs} legs: {len({row['robot'] for row in chosen})} robots, {len(plans)} walks planned,")
        print(f"  {sum(row['verdict'] not in ('ok', 'weakened') for row in plans)} refused;")
        print(f"  {len(walked)} simulations, {falls} falls ({100.0 * falls / len(walked):.1f} %);")
        inside = sum(0.85 <= value <= 1.15 for value in share)
        print(f"  distance {share[0]:.2f}-{share[-1]:.2f}, median {median(share):.2f},", end=" ")
        print(f"{inside} of {len(share)} within 15 %;")
        print(
            f"  slip median {median(slip):.1f} mm, below 10 mm in {sum(value < 10.0 for value in slip)} of {len(slip)};"
        )
        speeds = sorted(float(row["body_lengths_s"]) for row in neutral)
        if speeds:
            print(f"  neutral {speeds[0]:.2f}-{speeds[-1]:.2f} body lengths/s, median {median(speeds):.2f};")
        times = sorted(float(row["plan_s"]) for row in plans)
        print(f"  planned in {median(times):.1f} s of processor time (median), {times[-1]:.1f} s at most;")
        controls = [row["control"] for row in walked]
        print("  control:", {name: controls.count(name) for name in dict.fromkeys(controls)})


def pairs_by_distance(rows: list[Row]) -> list[tuple[float, str, str]]:
    """Return pairs of emotions of one robot, as weakened by its limits, with their distance, the nearest first."""
    seen = {row["emotion"]: row["features"] for row in rows if row["features"]}
    names = [emotion for emotion in EMOTIONS if emotion in seen]
    if len(names) < 2:  # the others were refused
        return []
    movements = [dict(part.split("=") for part in seen[name].split()) for name in names]
    distance = strut.perception.emotion_distances(
        [{key: float(value) for key, value in one.items()} for one in movements]
    )
    return sorted((distance[i, j], names[i], names[j]) for i, j in combinations(range(len(names)), 2))


def report_confused(rows: list[Row]) -> None:
    """Print the planned emotions of a robot that are closer to each other than people can distinguish."""
    for robot, own in by_robot(rows).items():
        pairs = pairs_by_distance(own)
        near = [f"{one} and {other} {far:.2f}" for far, one, other in pairs if far < discrimination_threshold()]
        nearest = [f"told apart, nearest {one} and {other} {far:.2f}" for far, one, other in pairs[:1]]
        print(f"{robot}:", "; ".join(near or nearest))


def by_robot(rows: list[Row]) -> dict[str, list[Row]]:
    """Return the rows of each robot, quadrupeds first, by name."""
    names = sorted({(-int(row["legs"]), row["robot"]) for row in rows})
    return {name: [row for row in rows if row["robot"] == name] for _, name in names}


def table_line(robot: str, rows: list[Row]) -> str:
    """Return the outcome of one robot's walks, as a line of a table."""
    of = {row["emotion"]: row for row in rows}
    kept = ["refused" if not of[name]["kept"] else f"{float(of[name]['kept']):.2f}" for name in EMOTIONS if name in of]
    upright = [row for row in rows if row["fell"] == "False"]
    distance = sorted(float(row["distance_share"]) for row in upright)
    near = [
        f"{one}, {other} {far:.2f}" for far, one, other in pairs_by_distance(rows) if far < discrimination_threshold()
    ]
    cells = [
        *(robot, rows[0]["joints"], f"{float(of['neutral']['body_lengths_s']):.2f}", *kept),
        f"{len(rows) - len(upright)} of {len(rows)}",
        f"{distance[0]:.2f} to {distance[-1]:.2f}",
        f"{max(float(row['slip_mm']) for row in upright):.1f}",
        "; ".join(near) or "none",
    ]
    return f"| {' | '.join(map(str, cells))} |"


def write_table(rows: list[Row], path: Path) -> None:
    """Write the page with a line for each robot."""
    head = ("robot", "joints", "body lengths/s", *EMOTIONS, "falls", "distance", "slip [mm]", "would be confused")
    lines = [table_line(robot, own) for robot, own in by_robot(rows).items()]
    words = f"""# Robots of others, and how they walk

Written by `benchmarks/sweep_adopted.py` from the {len(rows)} simulations in `benchmarks/results/adopted_walks.csv`.

- Each feeling walks at friction 0.6 and 0.9 with masses x 0.9 and x 1.1, of which the plan knows nothing: four legs 20
  cycles, two legs 10.
- A body length is the distance between front and hind hips, or the height of a biped; the speed is that of neutral.
- Under each feeling stands what limits left of it: 1.00 is all, 0.00 a neutral walk.
- Distance is over what was planned; slip is that of the worst stance.
- People would confuse emotions nearer than {discrimination_threshold():.2f} levels ([expression](expression.md)).

"""
    path.write_text(f"{words}| {' | '.join(head)} |\n|{'---|' * len(head)}\n" + "\n".join(lines) + "\n", "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robots", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--emotions", default=",".join(EMOTIONS))
    parser.add_argument("--worlds", default=",".join(f"{f}:{m}" for f, m in product(FRICTIONS, MASSES)))
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--table", type=Path)
    chosen = parser.parse_args()
    names = [name for name in chosen.only.split(",") if name]
    folders = sorted(folder.parent for folder in chosen.robots.glob("*/robot.toml"))
    folders = [folder for folder in folders if not names or folder.name in names]
    if not chosen.report:
        worlds = [tuple(map(float, world.split(":"))) for world in chosen.worlds.split(",")]
        sweep(folders, chosen.rows, chosen.emotions.split(","), worlds)
    wanted = {folder.name for folder in folders}
    rows = [row for row in read(chosen.rows) if row["robot"] in wanted or not wanted]
    report(rows)
    report_confused(rows)
    if chosen.table is not None:
        write_table(rows, chosen.table)


if __name__ == "__main__":
    main()
