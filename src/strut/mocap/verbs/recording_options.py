"""Options and progress that `strut fit` and `strut capture` share."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from strut.cli.options import person_height_m
from strut.cli.screen import progress
from strut.formats.reader import endings_read
from strut.formats.recording_file import read_recording
from strut.mocap.marker_fit.body_priors import human_geometry
from strut.mocap.marker_fit.subject_model import SubjectModel, read_subject
from strut.mocap.markers.marker_set import MarkerSet, read_marker_set
from strut.recording import Recording

_WITHOUT_UNIT = endings_read(Recording, {"unit_m"})
RecordingPath = Annotated[Path, typer.Argument(help=f"Recording: {', '.join(endings_read(Recording))} file.")]
Height = Annotated[
    float | None,
    typer.Option(
        parser=person_height_m, metavar="LENGTH", help="Body height, 1.86 or 186cm; that of the file if left out."
    ),
]
Mass = Annotated[float | None, typer.Option(help="Body mass [kg]; that of the file if left out.")]
Sex = Annotated[str, typer.Option(help="Table of segment masses: male or female.")]
Folder = Annotated[Path, typer.Option(help="Folder to write to; it is made if it does not exist.")]
Standing = Annotated[
    Path | None, typer.Option(help="Standing trial of the same person; used to estimate the body, too.")
]
SubjectPath = Annotated[Path | None, typer.Option(help="Subject file of an earlier fit; then nothing is estimated.")]
Markers = Annotated[Path | None, typer.Option(help="TOML file that maps marker names to landmarks.")]
Unit = Annotated[
    float | None,
    typer.Option(help=f"Unit of length in metres, for files that do not name it ({', '.join(_WITHOUT_UNIT)})."),
]

# Options for the estimation of a body, which a subject file replaces.
WITHOUT_SUBJECT = {"standing": ("subject",), "sex": ("subject",)}


def read_inputs(
    recording: Path, standing: Path | None, subject: Path | None, markers: Path | None, unit_m: float | None
) -> tuple[Recording, Recording | None, SubjectModel | None, MarkerSet | None]:
    """Return the contents of the files."""
    if unit_m is not None:
        endings = {recording.suffix.lower(), (standing or recording).suffix.lower()}
        if not endings & set(_WITHOUT_UNIT):
            known = ", ".join(_WITHOUT_UNIT)
            raise typer.BadParameter(f"--unit is for {known} files; {recording} names its own unit of length.")
    return (
        read_recording(recording, unit_m=unit_m),
        None if standing is None else read_recording(standing, unit_m=unit_m),
        None if subject is None else read_subject(subject, human_geometry()),
        None if markers is None else read_marker_set(markers),
    )


@contextmanager
def report_shares(title: str) -> Iterator[Callable[[str, float], None]]:
    """Print on stderr what is being done and the share that is done."""
    with progress(title) as waiting:
        yield lambda what, share: waiting(what, share, 1.0)
