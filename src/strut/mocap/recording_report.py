"""Recording report: files of a recorded walk: person, motion, table of forces, and one page that opens offline."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

from strut.errors import FileError
from strut.formats.mot import encode_ground_forces
from strut.formats.motion_file import encode_motion
from strut.mocap.captured_walk import CapturedWalk, fit_figures
from strut.mocap.forces.footprints import Footprint
from strut.mocap.forces.force_agreement import ForceAgreement
from strut.mocap.forces.moment_comparison import MomentAgreement
from strut.mocap.forces.plate_comparison import AXES, Agreement
from strut.mocap.marker_fit.fit import MarkerFit
from strut.mocap.marker_fit.subject_model import subject_text
from strut.mocap.recording_plots import (
    angle_time_plot,
    emg_plot,
    foot_force_plot,
    footprint_cop_plot,
    leg_torque_plot,
    marker_error_plot,
    total_force_plot,
)
from strut.plumbing.atomic_files import check_writable, write_files
from strut.plumbing.number_text import format_percent
from strut.recording import SIDES, GaitEvent
from strut.viewer.page import Picture, page, plotted
from strut.viewer.report_table import ReportTable

FIT_FILES = ("subject.toml", "motion.npz", "report.html")
SAME_EVENT_MS = 100.0  # an event of a plate farther away is another event
CAPTURE_FILES = (*FIT_FILES, "forces.csv", "forces.mot")
EMG_CAPTION = (
    "Rectified, low-pass filtered at 6 Hz without lag, over the peak of each channel. Ochre: joint torque in the "
    "direction of a leg muscle, over its peak; channels that name no side are shown with the right leg."
)
AXIS_WORDS = {"forwards": "forwards", "left": "to the left", "up": "upwards"}
LINES = (
    "Blue: {}, with 90 % bands; black: force plates; ochre: mass times acceleration of the centre of mass. Samples "
    "before the first event, after the last one and near the ends of the recording are left out."
)


def check_result_folder(folder: Path, names: Sequence[str], *, force: bool) -> None:
    """Raise FileError if a folder cannot be made, or, without `force`, if it has one of the files already."""
    is_new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(folder, f"cannot be made: {error.strerror}.") from error
    for name in names:
        check_writable(folder / name, force=force)
    if is_new:
        folder.rmdir()  # nothing is left behind if the computation fails


def save_fit(marker_fit: MarkerFit, folder: Path, *, force: bool = False) -> None:
    """Write subject file, motion and report of a marker fit into a folder.

    Example:
        >>> strut.mocap.save_fit(strut.fit(strut.read_recording("walk.c3d")), Path("subject"))  # doctest: +SKIP
    """
    check_result_folder(folder, FIT_FILES, force=force)
    content = page(
        "gait_report.html",
        title=f"marker fit of {marker_fit.trial.recording.name}",
        introduction=_fit_summary(marker_fit),
        doubts=list(marker_fit.notes),
        tables=[_fit_table(marker_fit)],
        left_out=[],
        curves=[("Marker errors", [_marker_picture(marker_fit)])],
    )
    files = {"subject.toml": subject_text(marker_fit.subject).encode(), "motion.npz": encode_motion(marker_fit.motion)}
    write_files(folder, {**files, "report.html": content}, last="report.html", force=force)


def save_capture(walk: CapturedWalk, folder: Path, *, force: bool = False) -> None:
    """Write subject file, motion with forces, table of forces and report of a recorded walk into a folder.

    Example:
        >>> walk = strut.capture(strut.read_recording("walk.c3d"))
        >>> strut.mocap.save_capture(walk, Path("walk"))  # doctest: +SKIP
    """
    check_result_folder(folder, CAPTURE_FILES, force=force)
    loads = walk.forces.loads
    reported = walk.forces.reported
    files = {
        "subject.toml": subject_text(walk.fit.subject).encode(),
        "motion.npz": encode_motion(walk.motion),
        "forces.csv": forces_csv(walk).encode(),
        "forces.mot": encode_ground_forces(
            walk.forces.time_s[reported],
            SIDES,
            loads.force_n[reported],
            loads.cop_m[reported],
            loads.twist_nm[reported],
        ),
        "report.html": _capture_page(walk),
    }
    write_files(folder, files, last="report.html", force=force)


def forces_csv(walk: CapturedWalk) -> str:
    """Return the reported forces as a table: total, feet, bands, centre of pressure, baseline, plates."""
    forces = walk.forces
    columns = {"time_s": walk.forces.time_s}
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
    rows = np.column_stack([*columns.values()])[forces.reported]
    np.savetxt(text, rows, delimiter=",", fmt="%.6g", header=",".join(columns), comments="")
    return text.getvalue()


def _capture_page(walk: CapturedWalk) -> bytes:
    receipt = walk.motion.receipt
    assert receipt is not None
    reasons = [f"{text[:1].upper()}{text[1:]}." for text in map(str, receipt.reasons)]
    return page(
        "gait_report.html",
        title=f"recorded walk {walk.fit.trial.recording.name}",
        introduction=" ".join([f"Verdict: {receipt.verdict}.", *reasons, _fit_summary(walk.fit)]),
        doubts=list(walk.notes),
        tables=list(_capture_tables(walk)),
        left_out=[],
        curves=list(_capture_curves(walk)),
    )


def _fit_summary(marker_fit: MarkerFit) -> str:
    figures = fit_figures(marker_fit)
    return (
        f"{figures['height_m']:.2f} m, {figures['mass_kg']:.1f} kg; {len(marker_fit.marker_names)} markers in "
        f"{len(marker_fit.error_m)} frames, mean error {figures['marker_error_mean_mm']:.1f} mm; "
        f"{figures['steps']} steps."
    )


def _fit_table(marker_fit: MarkerFit) -> ReportTable:
    """Return the lengths of the person."""
    lengths = marker_fit.subject.length
    rows = []
    for name in lengths:
        if "Left" in name:
            continue
        right = lengths[name]
        left = lengths.get(name.replace("Right", "Left"), right)
        cells = [f"{1e3 * length.m:.0f} ± {1e3 * length.sd_m:.0f}" for length in (right, left)]
        rows.append([name.replace("Right", ""), *cells])
    header = ["", "right or middle [mm]", "left or middle [mm]"]
    return ReportTable("the person", "The person", "", "Lengths of segments with standard deviations", header, rows)


def _capture_tables(walk: CapturedWalk) -> Iterator[ReportTable]:
    if walk.plates is not None:
        note = "Computed without the plates."
        yield _agreement_table(walk.plates, "Comparison with force plates", note)
    if walk.aligned is not None:
        note = "With the clock and place of the plates corrected, see the notes above."
        yield _agreement_table(walk.aligned, "Comparison with force plates, corrected", note)
    if walk.moments:
        yield _moment_table(walk.moments)
    yield _event_table(walk)
    yield _fit_table(walk.fit)


def _moment_table(moments: Sequence[MomentAgreement]) -> ReportTable:
    note = "The laboratory's own inverse dynamics, with force plates, in stances with a push-off."
    rows = [
        [
            moment.joint,
            f"{moment.rms_nm_kg:.2f}",
            f"{100.0 * moment.rms_range:.0f}",
            f"{moment.correlation:.3f}",
            str(moment.frames),
        ]
        for moment in moments
    ]
    header = ["", "RMS [N m/kg]", "RMS [% range]", "correlation", "frames"]
    return ReportTable("ankles", "Ankle torques against the laboratory's", note, "Torques in stance", header, rows)


def _event_table(walk: CapturedWalk) -> ReportTable:
    """Return the events of every stance, and their differences from those of plates."""
    rows = [_event_row(footprint, walk.fit.trial.plate_events) for footprint in walk.forces.footprints]
    header = [
        "foot",
        "heel strike [s]",
        "toe off [s]",
        "stance [s]",
        "strike after plate [ms]",
        "toe off after plate [ms]",
        "",
    ]
    note = (
        "From plates, where a foot landed on one or left one; the others are from markers."
        if walk.forces.tracked
        else "From markers alone."
    )
    return ReportTable("events", "Events", note, "Stances in order of time", header, rows)


def _event_row(footprint: Footprint, plate_events: Sequence[GaitEvent]) -> list[str]:
    after_plate = []
    for time_s, kind in ((footprint.start_s, "heel_strike"), (footprint.stop_s, "toe_off")):
        delays_ms = [
            1e3 * (time_s - event.time_s)
            for event in plate_events
            if (event.kind, event.side) == (kind, footprint.side)
        ]
        nearest_ms = min(delays_ms, key=abs, default=None)
        is_same_event = nearest_ms is not None and abs(nearest_ms) < SAME_EVENT_MS
        after_plate.append(f"{nearest_ms:+.0f}" if is_same_event else "")
    times_s = [footprint.start_s, footprint.stop_s, footprint.stop_s - footprint.start_s]
    remark = "" if footprint.is_complete else "partly seen; the rest is extrapolated"
    return [footprint.side.lower(), *(f"{value:.3f}" for value in times_s), *after_plate, remark]


def _agreement_table(comparison: ForceAgreement, heading: str, note: str) -> ReportTable:
    header = ["", "RMS [% weight]", "RMS [% range]", "correlation", "inside the 90 % band", "frames"]
    rows = [_agreement_row(row) for row in comparison.rows]
    if comparison.cop_distance_mm is not None:
        distance = f"{comparison.cop_distance_mm:.0f} mm"
        note = f"{note} Median distance of the centre of pressure in single support: {distance}."
    return ReportTable(heading.lower(), heading, note, "baseline: the centre-of-mass estimate", header, rows)


def _agreement_row(row: Agreement) -> list[str]:
    what = f"{row.what} foot" if row.what in ("right", "left") else row.what
    return [
        f"{what}, {AXIS_WORDS[row.axis]}",
        f"{100.0 * row.rms_weight:.1f}",
        f"{100.0 * row.rms_range:.1f}",
        "" if row.correlation is None else f"{row.correlation:.3f}",
        "" if row.covered is None else format_percent(row.covered),
        str(row.frames),
    ]


def _capture_curves(walk: CapturedWalk) -> Iterator[tuple[str, list[Picture]]]:
    angles = (
        "Angles that belong to the forces, and angles of the marker fit (pale); flexion and dorsiflexion are positive; "
        "grey while the foot stands."
    )
    yield "Joint angles", [plotted(angle_time_plot(walk), angles)]
    yield (
        "Ground forces",
        [
            plotted(total_force_plot(walk), f"Force of the ground on the body. {LINES.format(_source(walk))}"),
            plotted(foot_force_plot(walk), "Force of the ground on each foot; grey while the foot stands."),
        ],
    )
    cop = f"Footprints (grey) and centre of pressure from above: blue {_source(walk)}, black from plates."
    yield "Centre of pressure", [plotted(footprint_cop_plot(walk), cop)]
    torques = (
        "Torques about the flexion axes of the joints over body mass, with 90 % bands; flexion is positive. Black: "
        "the laboratory's own inverse dynamics, where the file has it."
    )
    yield "Joint torques", [plotted(leg_torque_plot(walk), torques)]
    muscles: Figure | None = emg_plot(walk)
    if muscles is not None:
        yield "EMG", [plotted(muscles, EMG_CAPTION)]
    yield "Marker errors", [_marker_picture(walk.fit)]


def _source(walk: CapturedWalk) -> str:
    """Return what the forces come from, as a phrase."""
    return "from plates, and from markers where no foot stands on them alone" if walk.forces.tracked else "from markers"


def _marker_picture(marker_fit: MarkerFit) -> Picture:
    return plotted(marker_error_plot(marker_fit), "Distance of the model's markers from the recorded ones.")
