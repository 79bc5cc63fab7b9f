"""How far are ground forces from markers alone from those of force plates, and do the bands hold?

Seconds are processor time from file to forces, with a second or third fit where height and mass are guessed.

With recordings of your own (`bench_ground_forces.py walk.c3d …`) their table is printed, and not kept.

Sizes of errors and floors of the bands are chosen on half of the trials. Needs the recordings in ../shared/data.
Where a file does not tell height and mass, the height that fits the legs and the mass that makes the measured vertical
force fit the baseline are taken; such trials say nothing about the mean vertical force.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from record import record
from strut.capture.body_priors import human_geometry, length_prior
from strut.capture.fit import MarkerFit, fit
from strut.capture.force_agreement import ForceAgreement, beside_aligned_plates, beside_plates
from strut.capture.ground_forces import GroundForces, ground_forces
from strut.capture.moment_comparison import MomentAgreement, compare_ankles
from strut.capture.plate_comparison import AXES, Agreement
from strut.capture.recording_file import read_recording
from strut.capture.subject_model import SubjectModel, robot_of_subject
from strut.robot import Robot

DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
TUNED = ("qcmas_walk", "sydney_walk03", "c3d_samples/newwalk", "c3d_samples/gait-pig")
HELD_OUT = (
    "sydney_walk04",
    "sydney_walk05",
    "c3d_samples/plate_type3",
    "c3d_samples/plate_type1",
    "c3d_samples/plate_type2",
    "c3d_samples/pc_real",
)
USUAL_HEIGHT_M, USUAL_MASS_KG = 1.75, 70.0
LAST = ("median_mm", "seconds", "late_ms", "ahead_mm")  # columns of few rows
AIMS: tuple[
    tuple[str, str, str | None, str, float], ...
] = (  # title, what, axis, column, at most (correlation: at least)
    ("total up", "total", "up", "rms_percent_weight", 6.0),
    ("correlation", "total", "up", "correlation", 0.95),
    ("total forwards", "total", "forwards", "rms_percent_weight", 4.0),
    ("right up", "right", "up", "rms_percent_weight", 8.0),
    ("left up", "left", "up", "rms_percent_weight", 8.0),
    ("pressure [mm]", "centre of pressure", None, "median_mm", 25.0),
    ("right ankle", "right ankle", "torque", "rms_percent_range", 15.0),
    ("left ankle", "left ankle", "torque", "rms_percent_range", 15.0),
)


def solved(name: str) -> tuple[MarkerFit, Robot, GroundForces]:
    """Return fit, person and forces of a trial."""
    path = DATA / name  # one outside of the data has a whole path
    recording = read_recording(path if path.suffix else path.with_suffix(".c3d"))
    height, mass = recording.height_m or USUAL_HEIGHT_M, recording.mass_kg or USUAL_MASS_KG
    found = fit(recording, height_m=height, mass_kg=mass, walking=True)
    robot = robot_of_subject(found.subject)
    if recording.height_m is None:
        height = leg_height_m(found.subject)
        found = fit(recording, height_m=height, mass_kg=mass, walking=True)
        robot = robot_of_subject(found.subject)
    if recording.mass_kg is None:
        rough = ground_forces(found, robot, draws=0)
        if rough.plates is not None:
            known = np.isfinite(rough.plates.total[:, 2])
            mass *= float(rough.plates.total[known, 2].sum() / rough.baseline_n[known, 2].sum()) if known.any() else 1.0
            found = fit(recording, height_m=height, mass_kg=mass, walking=True)
            robot = robot_of_subject(found.subject)
    return found, robot, ground_forces(found, robot)


def leg_height_m(person: SubjectModel) -> float:
    """Return the body height whose usual thighs and shanks are as long as somebody's."""
    names = [f"{part}{side}Length" for part in ("Thigh", "Shank") for side in ("Right", "Left")]
    usual, _ = length_prior(human_geometry(), 1.0)
    shares = dict(zip(human_geometry().length_names, usual, strict=True))
    return float(np.clip(sum(person.lengths_m[name] for name in names) / sum(shares[name] for name in names), 1.2, 2.1))


def rows_of(half: str, name: str) -> list[dict[str, object]]:
    """Return one row for each compared force of a trial, and one for the centre of pressure and the time it took."""
    started = time.process_time()
    found, robot, forces = solved(name)
    seconds = round(time.process_time() - started, 1)
    first = {"half": half, "trial": name}
    if forces.plates is None:
        return [first | _row(None) | {"what": "no foot stands whole on a plate", "seconds": seconds}]
    rows = [first | row for row in _compared(beside_plates(forces, robot.mass_kg), "")]
    rows[-1]["seconds"] = seconds
    alignment = forces.alignment
    if alignment is not None and alignment.notes:
        told = {"late_ms": round(1e3 * alignment.late_s), "ahead_mm": round(1e3 * alignment.forwards_m)}
        aligned = _compared(beside_aligned_plates(forces, robot.mass_kg), "aligned ")
        rows += [first | row | told for row in aligned]
    return [*rows, *(first | _moment_row(one) for one in compare_ankles(found, robot, forces))]


def _compared(found: ForceAgreement | None, prefix: str) -> list[dict[str, object]]:
    """Return a row for each compared force, ours and the plain estimate's, and one for the centre of pressure."""
    assert found is not None
    median_mm = None if found.pressure_mm is None else round(found.pressure_mm, 1)
    rows = [*map(_row, found.rows), _row(None) | {"what": "centre of pressure", "median_mm": median_mm}]
    return [row | {"what": f"{prefix}{row['what']}"} for row in rows]


def _moment_row(one: MomentAgreement) -> dict[str, object]:
    """Return a row for an ankle beside the laboratory's own inverse dynamics."""
    return _row(None) | {
        "what": one.joint,
        "axis": "torque",
        "rms_percent_range": round(100.0 * one.rms_range, 1),
        "correlation": round(one.correlation, 3),
        "frames": one.frames,
    }


def _row(one: Agreement | None) -> dict[str, object]:
    if one is None:
        names = ("what", "axis", "rms_percent_weight", "rms_percent_range", "correlation", "covered_percent", "frames")
        return dict.fromkeys((*names, *LAST))
    return {
        "what": one.what,
        "axis": one.axis,
        "rms_percent_weight": round(100.0 * one.rms_weight, 2),
        "rms_percent_range": round(100.0 * one.rms_range, 1),
        "correlation": None if one.correlation is None else round(one.correlation, 3),
        "covered_percent": None if one.covered is None else round(100.0 * one.covered, 1),
        "frames": one.frames,
    } | dict.fromkeys(LAST)


def aims_table(rows: Sequence[dict[str, object]]) -> str:
    """Return every aim by trial as a Markdown table; what misses is bold, aligned plates have their own lines."""
    lines = ["| trial | " + " | ".join(title for title, *_ in AIMS) + " |", "|---" * (len(AIMS) + 1) + "|"]
    for name in dict.fromkeys(str(row["trial"]) for row in rows):
        for prefix, words in (("", ""), ("aligned ", ", aligned")):
            own = {(row["what"], row["axis"]): row for row in rows if row["trial"] == name}
            if (f"{prefix}centre of pressure", None) not in own:
                continue
            half = next(row["half"] for row in rows if row["trial"] == name)
            cells = [_cell(own, prefix, *aim[1:]) for aim in AIMS]
            lines.append(f"| {name.rpartition('/')[2]}{words} ({half}) | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _cell(
    own: dict[tuple[object, object], dict[str, object]], prefix: str, what: str, axis: str | None, key: str, aim: float
) -> str:
    value = own.get((f"{prefix}{what}", axis), {}).get(key)
    if not isinstance(value, int | float):
        return ""
    plain = (
        own.get((f"{prefix}baseline", axis), {}).get(key) if what == "total" and key == "rms_percent_weight" else None
    )
    missed = value < aim if key == "correlation" else value > aim
    missed = missed or (isinstance(plain, float) and value > plain)
    words = f"{value:.2f}" if key == "correlation" else f"{value:.1f}"
    return (f"**{words}**" if missed else words) + (f" ({plain:.1f})" if isinstance(plain, float) else "")


def coverage_lines(rows: Sequence[dict[str, object]]) -> str:
    """Return how many of the samples of each half are in their bands, total and single feet by axis."""
    lines = []
    for half in ("tuned", "held out"):
        for words, whats in (("total", ("total",)), ("feet", ("right", "left"))):
            shares = []
            for axis in AXES:
                own = [row for row in rows if (row["half"], row["axis"]) == (half, axis) and row["what"] in whats]
                frames = sum(int(str(row["frames"])) for row in own)
                shares.append(sum(float(str(row["covered_percent"])) * int(str(row["frames"])) for row in own) / frames)
            lines.append(f"{half}, {words}: " + ", ".join(f"{share:.0f} %" for share in shares))
    return "\n".join(lines)


def main() -> None:
    if sys.argv[1:]:
        print(aims_table([row for path in sys.argv[1:] for row in rows_of("other", str(Path(path).resolve()))]))
        return
    if not DATA.is_dir():
        sys.exit("The recordings are not here: ../shared/data is absent.")
    rows = [
        row
        for half, names in (("tuned", TUNED), ("held out", HELD_OUT))
        for name in names
        for row in rows_of(half, name)
    ]
    record("ground_forces", rows, packages=["numpy", "scipy", "mujoco"])
    print(aims_table(rows), f"Samples in 90 % bands ({', '.join(AXES)}):", coverage_lines(rows), sep="\n\n")


if __name__ == "__main__":
    main()
