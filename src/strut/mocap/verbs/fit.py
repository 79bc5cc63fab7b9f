"""`strut fit`: a recording of a person → subject file, joint angles, report."""

from __future__ import annotations

from pathlib import Path

import typer

from strut.cli.options import Force, Json
from strut.cli.paired_options import check_apart
from strut.cli.screen import print_json, print_lines, print_next
from strut.mocap.captured_walk import fit_figures
from strut.mocap.marker_fit.fit import fit as fit_markers
from strut.mocap.verbs.recording_options import (
    WITHOUT_SUBJECT,
    Folder,
    Height,
    Markers,
    Mass,
    RecordingPath,
    Sex,
    Standing,
    SubjectPath,
    Unit,
    read_inputs,
    report_shares,
)
from strut.plumbing.number_text import format_count


def fit(
    context: typer.Context,
    recording: RecordingPath,
    height: Height = None,
    mass: Mass = None,
    out: Folder = Path("fitted"),
    standing: Standing = None,
    subject: SubjectPath = None,
    markers: Markers = None,
    unit: Unit = None,
    sex: Sex = "male",
    force: Force = False,
    json: Json = False,
) -> None:
    """Fit a person's model to recorded markers. Example: strut fit walk.c3d --height 1.86 --mass 75 --out subject."""
    from strut.mocap.recording_report import FIT_FILES, check_result_folder, save_fit  # noqa: PLC0415  (plots are slow to import)

    check_apart(context, WITHOUT_SUBJECT)
    recorded, standing_trial, person, marker_set = read_inputs(recording, standing, subject, markers, unit)
    check_result_folder(out, FIT_FILES, force=force)
    with report_shares("read") as on_progress:
        marker_fit = fit_markers(
            recorded,
            height_m=height,
            mass_kg=mass,
            subject=person,
            standing=standing_trial,
            marker_set=marker_set,
            sex=sex,
            walking=True,
            on_progress=on_progress,
        )
    save_fit(marker_fit, out, force=force)
    figures = fit_figures(marker_fit)
    if json:
        print_json({**figures, "notes": list(marker_fit.notes)})
    print_lines(*(f"  {note}" for note in marker_fit.notes))
    print_lines(
        f"mean marker error {figures['marker_error_mean_mm']:.1f} mm, "
        f"largest {figures['marker_error_worst_mm']:.0f} mm; {format_count(figures['steps'], '[step|steps]')}",
        f"wrote {', '.join(str(out / name) for name in FIT_FILES)}",
    )
    print_next("strut capture", recording, "--subject", out / "subject.toml", "--out", f"{out}_forces")
