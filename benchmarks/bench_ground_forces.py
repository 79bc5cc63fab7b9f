"""How far are ground forces from markers alone from those of force plates, and do the bands hold?

    python benchmarks/bench_ground_forces.py [--folder FOLDER]

Seconds are processor time from file to forces, with a second or third fit where height and mass are guessed. Files of
FOLDER, of other laboratories, are compared under "other"; a trial without a step on a plate has its reason. The figures
behind the verdict of each walk are recorded, too.

Sizes of errors and floors of the bands are chosen on half of the trials. Needs the recordings in ../shared/data. If a
file lacks height and mass, the height is the one that fits the legs and the mass the one with which the measured
vertical force equals the mean of ours and the baseline; such trials say nothing about the mean vertical force.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from record import RECORDINGS, benchmark_parser, record, recordings
from strut.errors import StrutError
from strut.formats.recording_file import read_recording
from strut.mocap.captured_walk import CapturedWalk, capture
from strut.mocap.forces.force_agreement import ForceAgreement
from strut.mocap.forces.ground_forces import ground_forces
from strut.mocap.forces.moment_comparison import MomentAgreement
from strut.mocap.forces.plate_comparison import AXES, Agreement
from strut.mocap.marker_fit.body_priors import human_geometry, length_prior
from strut.mocap.marker_fit.fit import fit
from strut.mocap.marker_fit.subject_model import SubjectModel, robot_of_subject
from strut.recording import Recording
from strut.verify.recorded_walk import recorded_receipt

TUNED = ("qcmas_walk", "sydney_walk03", "c3d_samples/newwalk", "c3d_samples/gait-pig")
HELD_OUT = (
    "sydney_walk04",
    "sydney_walk05",
    "c3d_samples/plate_type3",
    "c3d_samples/plate_type1",
    "c3d_samples/plate_type2",
    "c3d_samples/pc_real",
)
USUAL_HEIGHT_M = 1.75
USUAL_MASS_KG = 70.0
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


def capture_trial(path: Path) -> CapturedWalk:
    """Return everything about a trial."""
    recording = read_recording(path)
    height = recording.height_m
    mass = recording.mass_kg
    if height is None:
        rough = fit(recording, height_m=USUAL_HEIGHT_M, mass_kg=mass or USUAL_MASS_KG, walking=True)
        height = leg_height_m(rough.subject)
    return capture(recording, height_m=height, mass_kg=mass or _felt_mass_kg(recording, height))


def _felt_mass_kg(recording: Recording, height_m: float) -> float:
    """Return the mass with which the mean vertical force of plates is that of ours and of the plain estimate."""
    found = fit(recording, height_m=height_m, mass_kg=USUAL_MASS_KG, walking=True)
    rough = ground_forces(found, robot_of_subject(found.subject), samples=0)
    known = np.zeros(0, dtype=int) if rough.plates is None else np.flatnonzero(np.isfinite(rough.plates.total[:, 2]))
    if rough.plates is None or not len(known):
        return USUAL_MASS_KG
    computed = 0.5 * (rough.baseline_n + rough.wrench[:, :3])
    return float(USUAL_MASS_KG * rough.plates.total[known, 2].sum() / computed[known, 2].sum())


def leg_height_m(person: SubjectModel) -> float:
    """Return the body height whose usual thighs and shanks are as long as those of a subject."""
    names = [f"{part}{side}Length" for part in ("Thigh", "Shank") for side in ("Right", "Left")]
    usual, _ = length_prior(human_geometry(), 1.0)
    shares = dict(zip(human_geometry().length_names, usual, strict=True))
    return float(np.clip(sum(person.lengths_m[name] for name in names) / sum(shares[name] for name in names), 1.2, 2.1))


Rows = list[dict[str, object]]


def rows_of(half: str, name: str, path: Path) -> tuple[Rows, Rows]:
    """Return a row for each compared force and the centre of pressure of a trial, and one for its verdict."""
    started = time.process_time()
    first = {"half": half, "trial": name}
    try:
        walk = capture_trial(path)
    except StrutError as error:
        return [first | _row(None) | {"what": f"refused: {error}"}], []
    seconds = {"seconds": round(time.process_time() - started, 1)}
    verdict = [first | verdict_row(walk)]
    if walk.plates is None:
        return [first | _row(None) | {"what": "no whole foot stands on a plate"} | seconds], verdict
    rows = _comparison_rows(walk.plates, "")
    rows[-1] |= seconds
    alignment = walk.forces.alignment
    if alignment is not None and walk.aligned is not None:
        told = {"late_ms": round(1e3 * alignment.delay_s), "ahead_mm": round(1e3 * alignment.forward_offset_m)}
        rows += [row | told for row in _comparison_rows(walk.aligned, "aligned ")]
    return [first | row for row in [*rows, *map(_moment_row, walk.moments)]], verdict


def verdict_row(walk: CapturedWalk) -> dict[str, object]:
    """Return the figures that a verdict is made of, and what the same forces four frames later leave unexplained."""
    receipt = walk.motion.receipt
    motion = walk.motion
    assert receipt is not None
    assert motion.ground_force_n is not None
    late = replace(motion, ground_force_n=np.roll(motion.ground_force_n, 4, axis=0))
    return {
        "verdict": receipt.verdict,
        "reasons": "; ".join(map(str, receipt.reasons)),
        **_soundness(receipt.soundness, ""),
        **_soundness(recorded_receipt(walk.robot, late).soundness, "late_"),
    }


def _soundness(found: Any, prefix: str) -> dict[str, object]:
    """Return forces and torques in percent, and moments in mm of the weight."""
    scale = {"unexplained_weight": 100.0, "landing_weight": 100.0, "torque_disagreement": 100.0}
    scale |= {"unexplained_moment_weight_m": 1e3, "landing_moment_weight_m": 1e3}
    units = {name: "mm" if size == 1e3 else "percent" for name, size in scale.items()}
    return {
        f"{prefix}{name}_{units[name]}": None if found[name] is None else round(size * found[name], 1)
        for name, size in scale.items()
    }


def _comparison_rows(found: ForceAgreement, prefix: str) -> Rows:
    """Return a row for each compared force, ours and the plain estimate's, and one for the centre of pressure."""
    median_mm = None if found.cop_distance_mm is None else round(found.cop_distance_mm, 1)
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
    for half in dict.fromkeys(str(row["half"]) for row in rows):
        for words, whats in (("total", ("total",)), ("feet", ("right", "left"))):
            shares = []
            for axis in AXES:
                own = [row for row in rows if (row["half"], row["axis"]) == (half, axis) and row["what"] in whats]
                frames = sum(int(str(row["frames"])) for row in own)
                shares.append(sum(float(str(row["covered_percent"])) * int(str(row["frames"])) for row in own) / frames)
            lines.append(f"{half}, {words}: " + ", ".join(f"{share:.0f} %" for share in shares))
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare every trial with its plates; quick: one trial."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--folder", type=Path, help="C3D files of other laboratories")
    options = parser.parse_args(arguments)
    if options.folder is not None:
        trials = [("other", path.stem, path) for path in sorted(options.folder.glob("*.[cC]3[dD]"))]
    else:
        recordings()
        halves = {"tuned": TUNED, "held out": HELD_OUT}
        trials = [(half, name, RECORDINGS / f"{name}.c3d") for half, names in halves.items() for name in names]
    if options.quick:
        trials = trials[:1]
    found = [rows_of(*trial) for trial in trials]
    rows, verdicts = ([row for both in found for row in both[index]] for index in (0, 1))
    record("recorded_verdicts", verdicts, packages=["numpy", "scipy", "mujoco"], quick=options.quick)
    record("ground_forces", rows, packages=["numpy", "scipy", "mujoco"], quick=options.quick)
    print(aims_table(rows), f"Samples in 90 % bands ({', '.join(AXES)}):", coverage_lines(rows), sep="\n\n")


if __name__ == "__main__":
    main()
