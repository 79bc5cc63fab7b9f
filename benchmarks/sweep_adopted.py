"""Do imported robots walk with an emotion, with other friction and masses than planned?

Each robot's folder in a folder walks with five emotions: 20 cycles on four legs, 10 on two. Each walk is simulated with
the controller that its receipt names and no other, in eight conditions: friction 0.6 and 0.9 with masses x 0.9 and
x 1.1, in which the plan was proved, and four between them drawn at random, which the plan never saw.

A row per simulation is appended to a CSV; rows that are there are not made again, so an interrupted sweep goes on where
it ended. A body length is the distance between the middles of the front and of the hind hips, or the standing height of
a biped; the speed is that of the middle half of the walk. All times are of the processor. Rows hold the features of the
walk that people see, so `--report` names the emotions of a robot, as its limits left them, that people would confuse.

    python benchmarks/sweep_adopted.py robots/ rows.csv --only go1,g1 --emotions neutral,sad
    python benchmarks/sweep_adopted.py robots/ rows.csv --report
    python benchmarks/sweep_adopted.py robots/ rows.csv --report --table docs/adopted_robots.md
"""

from __future__ import annotations

import argparse
import csv
import time
import tomllib
import zlib
from collections.abc import Sequence
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
DRAWN = 4  # conditions between those, per walk
COLUMNS = (
    *("robot", "legs", "joints", "emotion", "friction", "mass_scale", "drawn", "verdict", "kept", "controller"),
    *("judged_by", "falls_in_gate", "plan_s", "body_length_m", "speed_m_s", "body_lengths_s", "fell", "stumbles"),
    *("distance_share", "slip_mm", "simulation_s", "reason", "features"),
)
Row = dict[str, Any]


def conditions_of(robot: str, emotion: str) -> list[tuple[float, float, bool]]:
    """Return friction, mass scale and whether they are drawn at random, for one walk; the same in each sweep."""
    proved = [(friction, mass_scale, False) for friction, mass_scale in product(FRICTIONS, MASSES)]
    rng = np.random.default_rng(zlib.crc32(f"{robot} {emotion}".encode()))
    drawn = rng.uniform((FRICTIONS[0], MASSES[0]), (FRICTIONS[1], MASSES[1]), (DRAWN, 2)).round(3).tolist()
    return [*proved, *((friction, mass_scale, True) for friction, mass_scale in drawn)]


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


def rows_of(folder: Path, emotion: str, conditions: list[tuple[float, float, bool]]) -> list[Row]:
    """Return a row for each of the conditions."""
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
        return [row | condition_cells(*one) for one in conditions]
    receipt = motion.receipt
    speed_m_s = steady_speed_m_s(motion)
    assert receipt is not None
    assert receipt.robustness is not None
    row |= {
        "verdict": receipt.verdict,
        "kept": round(receipt.intensity_kept, 3),
        "controller": receipt.controller,
        "judged_by": receipt.robustness["judged_by"],
        "falls_in_gate": receipt.robustness["falls"],
        "plan_s": round(time.process_time() - started, 2),
        "speed_m_s": round(speed_m_s, 3),
        "body_lengths_s": round(speed_m_s / length_m, 3),
        "reason": "; ".join(map(str, receipt.reasons))[:200],
        "features": " ".join(
            f"{name}={value:.5g}" for name, value in strut.perception.expressive_features(motion, robot).items()
        ),
    }
    return [row | condition_cells(*one) | play_walk(motion, robot, *one[:2]) for one in conditions]


def condition_cells(friction: float, mass_scale: float, is_drawn: bool) -> Row:
    return {"friction": friction, "mass_scale": mass_scale, "drawn": is_drawn}


def play_walk(motion: strut.Motion, robot: strut.Robot, friction: float, mass_scale: float) -> Row:
    """Return the outcome of a walk under the controller of its receipt."""
    started = time.process_time()
    outcome = strut.simulate(motion, robot, friction=friction, mass_scale=mass_scale).outcome
    assert motion.receipt is not None
    assert outcome.controller == motion.receipt.controller
    return {
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


def sweep(folders: list[Path], path: Path, emotions: list[str]) -> None:
    """Append the rows that are not there yet."""
    done = {(row["robot"], row["emotion"], float(row["friction"]), float(row["mass_scale"])) for row in read(path)}
    for folder, emotion in product(folders, emotions):
        missing = [one for one in conditions_of(folder.name, emotion) if (folder.name, emotion, *one[:2]) not in done]
        if not missing:
            continue
        rows = rows_of(folder, emotion, missing)
        is_new = not path.exists()
        with path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, COLUMNS)
            if is_new:
                writer.writeheader()
            writer.writerows(rows)
        named = ("robot", "emotion", "verdict", "kept", "controller", "judged_by", "falls_in_gate", "plan_s")
        print(*(rows[0].get(name, "") for name in named), end=" ")
        print([(row.get("fell"), row.get("distance_share"), row.get("slip_mm")) for row in rows], flush=True)


def report(rows: list[Row]) -> None:
    """Print the outcomes of the walks, by number of legs."""
    for legs in ("4", "2"):
        chosen = [row for row in rows if row["legs"] == legs]
        walked = [row for row in chosen if row["verdict"] in ("ok", "weakened")]
        if not walked:
            continue
        falls = [row for row in walked if row["fell"] == "True"]
        drawn = [row for row in walked if row["drawn"] == "True"]
        upright = [row for row in walked if row["fell"] != "True"]
        share = sorted(float(row["distance_share"]) for row in upright)
        slip = sorted(float(row["slip_mm"]) for row in upright)
        plans = {(row["robot"], row["emotion"]): row for row in chosen}.values()
        neutral = [row for row in plans if row["emotion"] == "neutral" and row["body_lengths_s"]]
        print(f"{legs} legs: {len({row['robot'] for row in chosen})} robots, {len(plans)} walks planned,")
        print(f"  {sum(row['verdict'] not in ('ok', 'weakened') for row in plans)} refused;")
        print(f"  {len(walked)} simulations, {len(falls)} falls ({100.0 * len(falls) / len(walked):.1f} %),")
        print(f"  {len(drawn)} of them in conditions drawn, {sum(row in falls for row in drawn)} falls;")
        for row in falls:
            cells = ("robot", "emotion", "controller", "friction", "mass_scale", "falls_in_gate")
            print("   ", *(row[name] for name in cells))
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
        controllers = [row["controller"] for row in plans if row["controller"]]
        print("  controllers:", {name: controllers.count(name) for name in dict.fromkeys(controllers)})
        without = [f"{row['robot']} {row['emotion']}" for row in plans if row["falls_in_gate"] not in ("", "0")]
        print("  without a margin:", ", ".join(without) or "none")


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
    speed = of["neutral"]["body_lengths_s"]
    kept = ["refused" if not of[name]["kept"] else f"{float(of[name]['kept']):.2f}" for name in EMOTIONS if name in of]
    controllers = [of[name]["controller"] for name in EMOTIONS if name in of and of[name]["controller"]]
    simulated = [row for row in rows if row["fell"]]
    upright = [row for row in simulated if row["fell"] == "False"]
    distance = sorted(float(row["distance_share"]) for row in upright)
    near = [
        f"{one}, {other} {far:.2f}" for far, one, other in pairs_by_distance(rows) if far < discrimination_threshold()
    ]
    cells = [
        *(robot, rows[0]["joints"], f"{float(speed):.2f}" if speed else "", *kept),
        ", ".join(f"{name} {controllers.count(name)}" for name in dict.fromkeys(controllers)),
        f"{len(simulated) - len(upright)} of {len(simulated)}",
        f"{distance[0]:.2f} to {distance[-1]:.2f}" if upright else "",
        f"{max(float(row['slip_mm']) for row in upright):.1f}" if upright else "",
        "; ".join(near) or "none",
    ]
    return f"| {' | '.join(map(str, cells))} |"


def write_table(rows: list[Row], path: Path) -> None:
    """Write the page with a line for each robot of which every emotion was walked."""
    whole = {name: own for name, own in by_robot(rows).items() if {row["emotion"] for row in own} == set(EMOTIONS)}
    head = ("robot", "joints", "body lengths/s", *EMOTIONS)
    head = (*head, "controllers", "falls", "distance", "slip [mm]", "would be confused")
    lines = [table_line(robot, own) for robot, own in whole.items()]
    simulations = sum(bool(row["fell"]) for own in whole.values() for row in own)
    words = f"""# Third-party robots, and how they walk

Written by `benchmarks/sweep_adopted.py` from the {simulations} simulations of {len(whole)} robots in
`benchmarks/results/adopted_walks.csv`. Only rows that the present planner wrote are here; robots of earlier sweeps are
left out until they are walked again.

- Each emotion walks 20 cycles on four legs, 10 on two, in eight conditions: friction 0.6 and 0.9 with masses x 0.9 and
  x 1.1, in which the plan was proved, and four between them, drawn at random, which it never saw.
- Each walk is simulated with the controller that its receipt names and no other; the column counts them over the
  emotions. Falls are those of all eight conditions.
- A body length is the distance between front and hind hips, or the height of a biped; the speed is that of neutral.
- Under each emotion stands what limits left of it: 1.00 is all, 0.00 a neutral walk.
- Distance is over what was planned; slip is that of the worst stance in any of the conditions.
- People would confuse emotions nearer than {discrimination_threshold():.2f} levels
  ([expression](explanations/expression.md)).

"""
    path.write_text(f"{words}| {' | '.join(head)} |\n|{'---|' * len(head)}\n" + "\n".join(lines) + "\n", "utf-8")


def main(arguments: Sequence[str] | None = None) -> None:
    """Walk the robots of a folder, and report on all rows."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("robots", type=Path)
    parser.add_argument("rows", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--emotions", default=",".join(EMOTIONS))
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--table", type=Path)
    chosen = parser.parse_args(arguments)
    names = [name for name in chosen.only.split(",") if name]
    folders = sorted(folder.parent for folder in chosen.robots.glob("*/robot.toml"))
    if names:
        folders = [chosen.robots / name for name in names]
    if not chosen.report:
        sweep(folders, chosen.rows, chosen.emotions.split(","))
    wanted = {folder.name for folder in folders}
    rows = [row for row in read(chosen.rows) if row["robot"] in wanted or not wanted]
    report(rows)
    report_confused(rows)
    if chosen.table is not None:
        write_table(rows, chosen.table)


if __name__ == "__main__":
    main()
