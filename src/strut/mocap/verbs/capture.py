"""`strut capture`: a recorded walk → person, joint angles, ground forces, torques, report."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.cli.main import REFUSED
from strut.cli.options import Force, Json
from strut.cli.paired_options import check_apart
from strut.cli.screen import print_json, print_lines, print_next, print_receipt
from strut.mocap.captured_walk import capture as capture_forces
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


def capture(
    context: typer.Context,
    recording: RecordingPath,
    height: Height = None,
    mass: Mass = None,
    out: Folder = Path("captured"),
    standing: Standing = None,
    subject: SubjectPath = None,
    markers: Markers = None,
    unit: Unit = None,
    sex: Sex = "male",
    use_plates: Annotated[
        bool, typer.Option("--use-plates", help="Follow force plates instead of comparing with them.")
    ] = False,
    force: Force = False,
    json: Json = False,
) -> None:
    """Find forces and torques of a recorded walk. Example: strut capture walk.c3d --height 1.8 --mass 75 --out walk."""
    from strut.mocap.recording_report import CAPTURE_FILES, check_result_folder, save_capture  # noqa: PLC0415  (slow to import)

    check_apart(context, WITHOUT_SUBJECT)
    recorded, standing_trial, person, marker_set = read_inputs(recording, standing, subject, markers, unit)
    check_result_folder(out, CAPTURE_FILES, force=force)
    with report_shares("read") as on_progress:
        walk = capture_forces(
            recorded,
            height_m=height,
            mass_kg=mass,
            subject=person,
            standing=standing_trial,
            marker_set=marker_set,
            sex=sex,
            use_plates=use_plates,
            on_progress=on_progress,
        )
    save_capture(walk, out, force=force)
    receipt = walk.motion.receipt
    assert receipt is not None
    if json:
        print_json(walk.as_dict())
    print_receipt(receipt)
    print_lines(*(f"  {note}" for note in walk.notes), *walk.plate_summaries)
    print_lines(f"wrote {', '.join(str(out / name) for name in CAPTURE_FILES)}")
    print_next("strut analyze", out / "motion.npz")
    if receipt.verdict == "refused":
        raise typer.Exit(REFUSED)
