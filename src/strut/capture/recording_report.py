"""Recording report: files about a recorded walk: person, motion, forces as a table, and one page that opens offline."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from strut.capture.captured_walk import CapturedWalk, fit_figures
from strut.capture.forces.footprints import Footprint
from strut.capture.forces.force_agreement import ForceAgreement
from strut.capture.forces.plate_comparison import AXES, Agreement
from strut.capture.marker_fit.fit import MarkerFit
from strut.capture.marker_fit.subject_model import subject_text
from strut.capture.recording_plots import (
    angle_time_plot,
    emg_plot,
    foot_force_plot,
    footprint_cop_plot,
    leg_torque_plot,
    marker_error_plot,
    total_force_plot,
)
from strut.errors import FileError
from strut.formats.mot import encode_ground_forces
from strut.formats.motion_file import encode_motion
from strut.human.report.gait_text import ReportTable
from strut.plumbing.atomic_files import check_writable, write_atomically, write_folder_atomically
from strut.plumbing.cancellation import asked_to_stop
from strut.plumbing.number_text import format_percent
from strut.recording import SIDES, GaitEvent
from strut.viewer.page import Picture, page, plotted

FIT_FILES = ("subject.toml", "motion.npz", "report.html")
CAPTURE_FILES = (*FIT_FILES, "forces.csv", "forces.mot")
EMG_WORDS = (
    "Rectified, low-passed at 6 Hz without lag, over the peak of each channel. Ochre: the torque in whose sense a "
    "muscle of the leg works, over its peak; channels that name no side are taken for the right."
)
AXIS_WORDS = {"forwards": "forwards", "left": "to the left", "up": "upwards"}
LINES = (
    "Blue: from markers, with 90 % bands; black: force plates; ochre: mass times acceleration of the centre of mass."
)


def check_result_folder(folder: Path, names: Sequence[str], *, force: bool) -> None:
    """Raise FileError if a folder cannot be made or one of the files in it would be replaced unasked."""
    made = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(folder, f"cannot be made: {error.strerror}.") from error
    for name in names:
        check_writable(folder / name, force=force)
    if made:
        folder.rmdir()  # nothing is left behind where what comes next fails


def save_fit(found: MarkerFit, folder: Path, *, force: bool = False) -> None:
    """Write subject file, motion and report of a marker fit into a folder.

    Example:
        >>> strut.save_fit(strut.fit(strut.read_recording("walk.c3d")), Path("subject"))  # doctest: +SKIP
    """
    check_result_folder(folder, FIT_FILES, force=force)
    content = page(
        "gait_report.html",
        title=f"marker fit of {found.trial.recording.name}",
        introduction=_fit_words(found),
        doubts=list(found.notes),
        tables=[_fit_table(found)],
        left_out=[],
        curves=[("Marker errors", [_marker_picture(found)])],
    )
    files = {"subject.toml": subject_text(found.subject).encode(), "motion.npz": encode_motion(found.motion)}
    _write_results(folder, {**files, "report.html": content}, force=force)


def save_capture(walk: CapturedWalk, folder: Path, *, force: bool = False) -> None:
    """Write subject file, motion with forces, table of forces and report of a recorded walk into a folder.

    Example:
        >>> strut.save_capture(strut.capture_walk(strut.read_recording("walk.c3d")), Path("walk"))  # doctest: +SKIP
    """
    check_result_folder(folder, CAPTURE_FILES, force=force)
    loads = walk.forces.loads
    files = {
        "subject.toml": subject_text(walk.fit.subject).encode(),
        "motion.npz": encode_motion(walk.motion),
        "forces.csv": forces_csv(walk).encode(),
        "forces.mot": encode_ground_forces(walk.motion.time_s, SIDES, loads.force_n, loads.cop_m, loads.twist_nm),
        "report.html": _capture_page(walk),
    }
    _write_results(folder, files, force=force)


def _write_results(folder: Path, files: Mapping[str, bytes], *, force: bool) -> None:
    """Write all files or none: a new folder as a whole; in one with other things Ctrl-C waits until all are written."""
    if not folder.exists():
        write_folder_atomically(folder, files, last="report.html", force=force)
        return
    with asked_to_stop() as asked:
        for name, content in files.items():
            write_atomically(folder / name, content, force=force)
    if asked.is_set():
        raise KeyboardInterrupt


def forces_csv(walk: CapturedWalk) -> str:
    """Return forces over time as a table: total, feet, half widths of bands, centre of pressure, baseline, plates."""
    forces = walk.forces
    columns = {"time_s": walk.motion.time_s}
    for axis, name in enumerate(AXES):
        columns[f"total_{name}_n"] = forces.wrench[:, axis]
        columns[f"total_{name}_band_n"] = forces.bands.total_n[:, axis]
        columns[f"baseline_{name}_n"] = forces.baseline_n[:, axis]
    for foot, side in enumerate(SIDES):
        for axis, name in enumerate(AXES):
            columns[f"{side.lower()}_{name}_n"] = forces.loads.force_n[:, foot, axis]
            columns[f"{side.lower()}_{name}_band_n"] = forces.bands.foot_n[:, foot, axis]
            if forces.plates is not None:
                columns[f"{side.lower()}_{name}_plate_n"] = forces.plates.wrench[:, foot, axis]
        for axis, name in enumerate(("x", "y")):
            columns[f"{side.lower()}_cop_{name}_m"] = forces.loads.cop_m[:, foot, axis]
    text = io.StringIO()
    np.savetxt(
        text, np.column_stack([*columns.values()]), delimiter=",", fmt="%.6g", header=",".join(columns), comments=""
    )
    return text.getvalue()


def _capture_page(walk: CapturedWalk) -> bytes:
    receipt = walk.motion.receipt
    assert receipt is not None
    said = [f"Verdict: {receipt.verdict}.", *(f"{text[:1].upper()}{text[1:]}." for text in map(str, receipt.reasons))]
    return page(
        "gait_report.html",
        title=f"recorded walk {walk.fit.trial.recording.name}",
        introduction=" ".join([*said, _fit_words(walk.fit)]),
        doubts=list(walk.notes),
        tables=list(_capture_tables(walk)),
        left_out=[],
        curves=list(_capture_curves(walk)),
    )


def _fit_words(found: MarkerFit) -> str:
    figures = fit_figures(found)
    return (
        f"{figures['height_m']:.2f} m, {figures['mass_kg']:.1f} kg; {len(found.marker_names)} markers in "
        f"{len(found.error_m)} frames, {figures['marker_error_mean_mm']:.1f} mm off on average; "
        f"{figures['steps']} steps."
    )


def _fit_table(found: MarkerFit) -> ReportTable:
    lengths = found.subject.length
    rows = []
    for name in (name for name in lengths if "Left" not in name):
        both = [lengths[name], lengths.get(name.replace("Right", "Left"), lengths[name])]
        rows.append([name.replace("Right", ""), *(f"{1e3 * one.m:.0f} ± {1e3 * one.sd_m:.0f}" for one in both)])
    header = ["", "right or middle [mm]", "left or middle [mm]"]
    return ReportTable("the person", "The person", "", "Lengths of segments with standard deviations", header, rows)


def _capture_tables(walk: CapturedWalk) -> Iterator[ReportTable]:
    if walk.plates is not None:
        yield _agreement_table(walk.plates, "Beside force plates", "Plates were only compared.")
    if walk.aligned is not None:
        words = "As if clock and place of the plates had been set right, see the notes above."
        yield _agreement_table(walk.aligned, "Beside force plates, aligned", words)
    if walk.moments:
        words = "The laboratory's own inverse dynamics, with force plates, where it found a push-off."
        rows = [
            [
                f"{one.joint}",
                f"{one.rms_nm_kg:.2f}",
                f"{100.0 * one.rms_range:.0f}",
                f"{one.correlation:.3f}",
                str(one.frames),
            ]
            for one in walk.moments
        ]
        header = ["", "RMS [N m/kg]", "RMS [% range]", "correlation", "frames"]
        yield ReportTable("ankles", "Ankle torques beside the laboratory's", words, "Torques of stances", header, rows)
    yield _event_table(walk)
    yield _fit_table(walk.fit)


def _event_table(walk: CapturedWalk) -> ReportTable:
    """Return every stance with its events, and how far plates felt landing and toe off from them."""
    rows = [_event_row(one, walk.fit.trial.plate_events) for one in walk.forces.footprints]
    header = [
        "foot",
        "heel strike [s]",
        "toe off [s]",
        "stance [s]",
        "strike after plate [ms]",
        "toe off after plate [ms]",
        "",
    ]
    return ReportTable("events", "Events", "From markers alone.", "Stances in order of time", header, rows)


def _event_row(one: Footprint, felt: Sequence[GaitEvent]) -> list[str]:
    times = ((one.start_s, "heel_strike"), (one.stop_s, "toe_off"))
    off = [
        [1e3 * (time_s - event.time_s) for event in felt if (event.kind, event.side) == (kind, one.side)]
        for time_s, kind in times
    ]
    near = [min(values, key=abs, default=None) for values in off]
    told = [f"{value:+.0f}" if value is not None and abs(value) < 100.0 else "" for value in near]
    guessed = "" if one.seen else "partly seen; guessed what is not"
    seen_s = [one.start_s, one.stop_s, one.stop_s - one.start_s]
    return [one.side.lower(), *(f"{value:.3f}" for value in seen_s), *told, guessed]


def _agreement_table(found: ForceAgreement, heading: str, words: str) -> ReportTable:
    header = ["", "RMS [% weight]", "RMS [% range]", "correlation", "inside the 90 % band", "frames"]
    rows = [_agreement_row(one) for one in found.rows]
    told = f"{words} {_cop_words(found)}".strip()
    return ReportTable(heading.lower(), heading, told, "baseline: the plain estimate", header, rows)


def _cop_words(found: ForceAgreement) -> str:
    known = found.cop_distance_mm
    return "" if known is None else f"Median distance of the centre of pressure in single support: {known:.0f} mm."


def _agreement_row(one: Agreement) -> list[str]:
    return [
        f"{one.what}{' foot' if one.what in ('right', 'left') else ''}, {AXIS_WORDS[one.axis]}",
        f"{100.0 * one.rms_weight:.1f}",
        f"{100.0 * one.rms_range:.1f}",
        "" if one.correlation is None else f"{one.correlation:.3f}",
        "" if one.covered is None else format_percent(one.covered),
        str(one.frames),
    ]


def _capture_curves(walk: CapturedWalk) -> Iterator[tuple[str, list[Picture]]]:
    angles = "Angles as the forces belong to them, and as markers were fitted (pale); grey while the foot stands."
    yield "Joint angles", [plotted(angle_time_plot(walk), angles)]
    yield (
        "Ground forces",
        [
            plotted(total_force_plot(walk), f"Force of the ground on the body. {LINES}"),
            plotted(foot_force_plot(walk), "Force of the ground on each foot; grey while it stands."),
        ],
    )
    way = "Footprints (grey) and centre of pressure from above: blue from markers, black of plates."
    yield "Centre of pressure", [plotted(footprint_cop_plot(walk), way)]
    torques = (
        "Torques about the joints' first axes per body mass, with 90 % bands; signs as of the angles. Black: the "
        "laboratory's own inverse dynamics, where the file has it."
    )
    yield "Joint torques", [plotted(leg_torque_plot(walk), torques)]
    muscles: Figure | None = emg_plot(walk)
    if muscles is not None:
        yield "EMG", [plotted(muscles, EMG_WORDS)]
    yield "Marker errors", [_marker_picture(walk.fit)]


def _marker_picture(found: MarkerFit) -> Picture:
    return plotted(marker_error_plot(found), "Distance of the model's markers from the recorded ones.")
