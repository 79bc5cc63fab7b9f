"""How far are gait events from markers from those of force plates?

Thresholds are tuned on half of the trials. Needs the recordings in ../shared/data. Prints the errors of the tuned and
of the held-out half, then what other thresholds would give on the tuned half. With `--folder FOLDER` those of the C3D
files in it, as "other".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from record import RECORDINGS, benchmark_parser, record, recordings
from strut.arrays import Array
from strut.formats.recording_file import read_recording
from strut.mocap.events.gait_events import USUAL_THRESHOLDS, EventThresholds, find_gait_events
from strut.mocap.events.heel_strikes import refine_heel_strikes
from strut.mocap.gait_trial import GaitTrial, prepare_trial

TUNED = ("qcmas_walk", "sydney_walk03", "c3d_samples/gait-pig", "c3d_samples/newwalk")
HELD_OUT = (
    *("sydney_walk04", "sydney_walk05", "c3d_samples/plate_type1", "c3d_samples/plate_type2"),
    *("c3d_samples/plate_type3", "c3d_samples/pc_real"),
)
TRIED = {
    "heel_landed": (0.25, 0.30, 0.36, 0.42, 0.50),
    "ankle_landed": (0.6, 0.68, 0.8),
    "toe_left": (0.7, 0.8, 0.9, 1.0),
}


def errors_ms(trials: list[GaitTrial], thresholds: EventThresholds, kind: str | None = None) -> Array:
    """Return the delays of events after those of plates."""
    late = []
    for trial in trials:
        assert trial.paths is not None
        events = refine_heel_strikes(find_gait_events(trial.paths, thresholds), trial.paths)
        for felt in trial.plate_events:
            if kind in (None, felt.kind):
                same = [event.time_s for event in events if (event.kind, event.side) == (felt.kind, felt.side)]
                late.append(min((time_s - felt.time_s for time_s in same), key=abs, default=np.nan))
    return np.array(late) * 1e3


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare events of markers and plates; quick: of one trial."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--folder", type=Path, help="C3D files of other laboratories")
    options = parser.parse_args(arguments)
    if options.folder is not None:
        files = {"other": sorted(options.folder.glob("*.[cC]3[dD]"))}
    elif options.quick:
        files = {"one trial": [recordings() / "qcmas_walk.c3d"]}
    else:
        recordings()
        files = {"tuned": _paths(TUNED), "held out": _paths(HELD_OUT)}
    halves = {half: [prepare_trial(read_recording(path)) for path in paths] for half, paths in files.items()}
    rows = [
        _row(half, kind, errors_ms(trials, USUAL_THRESHOLDS, kind))
        for half, trials in halves.items()
        for kind in ("heel_strike", "toe_off", None)
    ]
    for name, values in TRIED.items() if "tuned" in halves else ():
        for value in values:
            changed = replace(USUAL_THRESHOLDS, **{name: value})
            rows.append(_row(f"tuned, {name} {value}", None, errors_ms(halves["tuned"], changed)))
    record("gait_events", rows, packages=["numpy", "scipy"], quick=options.quick)


def _paths(names: tuple[str, ...]) -> list[Path]:
    return [RECORDINGS / f"{name}.c3d" for name in names]


def _row(case: str, kind: str | None, late: Array) -> dict[str, object]:
    missed = int(np.isnan(late).sum())
    late = late[np.isfinite(late)]
    size = np.abs(late)
    return {
        "case": f"{case}, {missed} not found" if missed else case,
        "event": kind or "all",
        "events": len(late),
        "median_ms": round(float(np.median(size)), 1),
        "p95_ms": round(float(np.percentile(size, 95)), 1),
        "bias_ms": round(float(np.median(late)), 1),
    }


if __name__ == "__main__":
    main()
