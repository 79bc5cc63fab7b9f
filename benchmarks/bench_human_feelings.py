"""Do emotions of human models express what was asked, how long do they take, and can the five be distinguished?

    python benchmarks/bench_human_feelings.py [BODY ...]
    python benchmarks/bench_human_feelings.py NAME=NEUTRAL.npz,FELT.npz ...

Five walks at full intensity per body, as `strut walk heiman --emotion sad` makes them. `least` is the style parameter
with the smallest expressed share. `wall_s` is elapsed time, `cpu_s` processor time, both without imports. Motions are
kept in `build/feelings`, and a body that is there is not walked again.

Then features of expression from the literature (`strut.human.gait_expression`) classify every walk by the nearest of
the other bodies' mean walks, in deviations over the emotions of a body: with all features, and without those that
follow from speed. A body is never compared with itself.

The second form compares recorded people (fitted by `strut fit`) with these walks: the cosine, in these features,
between a person's change from neutral to an acted emotion and ours.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import sys  # noqa: E402
from collections.abc import Sequence  # noqa: E402
from pathlib import Path  # noqa: E402
from time import perf_counter, process_time  # noqa: E402

import numpy as np  # noqa: E402

from record import Row, benchmark_parser, record  # noqa: E402
from strut import load_motion, load_robot, save_motion, walk  # noqa: E402
from strut.arrays import Array  # noqa: E402
from strut.human import gait_expression  # noqa: E402
from strut.models.catalogue import robot_of  # noqa: E402
from strut.models.subject import subject  # noqa: E402
from strut.motion import Motion  # noqa: E402
from strut.robot import Robot  # noqa: E402

KEPT = Path(__file__).parent.parent / "build" / "feelings"
BODIES = ("usual", "female 1.65 60", "male 1.95 92")
FEELINGS = ("neutral", "happy", "sad", "angry", "fearful")
# Posture, arms and bounce; steps, ranges of legs and jerk grow with speed, whatever the feeling.
SPEED_FREE = (
    *("pelvis_height", "pelvis_pitch_deg", "trunk_pitch_deg", "head_pitch_deg", "neck_flexion_deg"),
    *("shoulder_abduction_deg", "elbow_flexion_deg", "elbow_range_deg", "trunk_sway_mm", "elevation_third_share"),
)
ALL = (
    *SPEED_FREE,
    *("speed_m_s", "step_length_m", "step_duration_s", "step_width_m", "double_support", "arm_swing_deg"),
    *("knee_range_deg", "head_bounce_mm", "hand_jerk_m_s3"),
)


def body(name: str) -> Robot:
    """Return a person: the default one, or `female 1.65 60`."""
    if name == "usual":
        return load_robot("heiman")
    sex, height_m, mass_kg = name.split()
    return subject(float(height_m), float(mass_kg), sex=sex)


def walk_emotion(robot: Robot, who: str, feeling: str) -> tuple[Row, Motion]:
    """Return the row of an emotion, and its walk."""
    began_s = perf_counter()
    began_cpu_s = process_time()
    iterations = []
    motion = walk(robot, feeling, cycles=2, on_progress=iterations.append)
    wall_s = perf_counter() - began_s
    cpu_s = process_time() - began_cpu_s
    receipt = motion.receipt
    looks = motion.receipt.naturalness
    shown = {name.removeprefix("shown_"): share for name, share in looks.items() if name.startswith("shown_")}
    least = min(shown, key=lambda word: shown[word], default="")
    degrees = {
        name.removesuffix("_rad"): round(float(np.degrees(looks[name])), 1)
        for name in ("trunk_forward_rad", "head_forward_rad", "elbow_rad", "shoulder_rad", "arm_swing_rad")
    }
    pelvis = {
        f"pelvis_{name}_deg": round(float(np.degrees(looks[f"pelvis_{name}_rad"])), 1)
        for name in ("roll", "turn", "pitch")
    }
    row = {"body": who, "feeling": feeling, "verdict": receipt.verdict, "speed_m_s": round(receipt.speed_m_s, 3)}
    row |= {"step_m": round(receipt.speed_m_s * looks["step_s"], 3), "step_s": round(looks["step_s"], 3)}
    row |= degrees | pelvis | {"rise_mm": round(1e3 * looks["rise_m"], 1)}
    row |= {"least": least, "least_share": round(shown[least], 3) if least else ""}
    row |= {"iterations": len(iterations), "attempts": "; ".join(motion.meta["attempts"])}
    return row | {"wall_s": round(wall_s, 1), "cpu_s": round(cpu_s, 1)}, motion


def classify_walks(features: dict[str, dict[str, dict[str, float]]], names: tuple[str, ...], kind: str) -> list[Row]:
    """Return the emotion as which each walk is classified, by the means of the other bodies' walks."""
    levels = {who: _levels(walks, names) for who, walks in features.items()}
    rows = []
    for who, own in levels.items():
        others = np.mean([levels[other] for other in levels if other != who], axis=0)
        for number, feeling in enumerate(FEELINGS):
            far = np.linalg.norm(others - own[number], axis=1)
            nearest, second = np.argsort(far)[:2]
            row = {"body": who, "features": kind, "feeling": feeling, "read_as": FEELINGS[nearest]}
            row |= {"right": FEELINGS[nearest] == feeling, "distance": round(float(far[nearest]), 2)}
            rows.append(row | {"next": FEELINGS[second], "next_distance": round(float(far[second]), 2)})
    return rows


def _levels(walks: dict[str, dict[str, float]], names: tuple[str, ...]) -> Array:
    """Return features of the five walks of a body over their deviation, from its own neutral. Shape (5, n)."""
    values = np.array([[walks[feeling][name] for name in names] for feeling in FEELINGS])
    return np.asarray((values - values[0]) / np.maximum(values.std(axis=0), 1e-9))


def nearest_emotions(name: str, neutral: Path, felt: Path) -> list[Row]:
    """Return the emotion nearest to a recorded one, with all features and without those of speed."""
    people = [(robot_of(walk), walk) for walk in map(load_motion, (neutral, felt))]
    own = [[gait_expression(body(who), load_motion(_kept(who, one))) for one in FEELINGS] for who in BODIES]
    rows = []
    for kind, names in (("all", ALL), ("without speed", SPEED_FREE)):
        before, after = ([getattr(gait_expression(*one), word) for word in names] for one in people)
        walks = np.array([[[getattr(found, word) for word in names] for found in felt] for felt in own])
        spread = walks.std(axis=1).mean(axis=0)
        change = (np.array(after) - before) / spread
        ours = (walks - walks[:, :1]).mean(axis=0)[1:] / spread
        alike = ours @ change / (np.linalg.norm(ours, axis=1) * np.linalg.norm(change))
        row = {"recorded": name, "walk": felt.stem, "features": kind, "most_like": FEELINGS[1 + int(np.argmax(alike))]}
        rows.append(row | {one: round(float(value), 2) for one, value in zip(FEELINGS[1:], alike, strict=True)})
    return rows


def _kept(who: str, feeling: str) -> Path:
    return KEPT / f"{who.replace(' ', '_')}_{feeling}.npz"


def main(arguments: Sequence[str] | None = None) -> None:
    """Walk, compare and record; quick: one emotion of the usual body, which is not kept."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("bodies", nargs="*", default=BODIES, help="bodies, or NAME=NEUTRAL.npz,FELT.npz")
    options = parser.parse_args(arguments)
    names = options.bodies
    if options.quick:
        row, _ = walk_emotion(body("usual"), "usual", "sad")
        record("human_feelings", [row], packages=["strut", "casadi", "numpy"], quick=True)
        return
    if "=" in names[0]:
        pairs = [(name, files.split(",")) for name, files in (word.split("=", 1) for word in names)]
        rows = [row for name, (neutral, felt) in pairs for row in nearest_emotions(name, Path(neutral), Path(felt))]
        record("human_feelings_recorded", rows, packages=["strut"])
        return
    KEPT.mkdir(parents=True, exist_ok=True)
    features: dict[str, dict[str, dict[str, float]]] = {}
    for who in names:
        robot = body(who)
        features[who] = {}
        for feeling in FEELINGS:
            path = _kept(who, feeling)
            if not path.exists():
                row, motion = walk_emotion(robot, who, feeling)
                save_motion(motion, path)
                record("human_feelings", [row], packages=["strut", "casadi", "numpy"])
            found = gait_expression(robot, load_motion(path))
            features[who][feeling] = {name: getattr(found, name) for name in ALL}
    if len(names) > 1:
        rows = [*classify_walks(features, ALL, "all"), *classify_walks(features, SPEED_FREE, "without speed")]
        record("human_feelings_told_apart", rows, packages=["strut"])
        for kind in ("all", "without speed"):
            right = [row["right"] for row in rows if row["features"] == kind]
            print(f"{kind}: {sum(right)} of {len(right)} walks are read as meant", file=sys.stderr)


if __name__ == "__main__":
    main()
