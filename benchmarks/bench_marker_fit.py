"""How many frames a second does the marker fit solve for 34 joints and 35 markers on one core, and how well?

    OMP_NUM_THREADS=1 python benchmarks/bench_marker_fit.py [--peers PEERS_PYTHON]

With a Python that has OpenSim (`make bench-peers` makes one), its inverse-kinematics tool fits the same markers of the
same body in the same run.
Synthetic markers: a walker of sines with 35 markers and 3 mm of noise. Real ones need ../shared/data. Run it with
OMP_NUM_THREADS=1. The published solver goes frame after frame, ours solves all frames at once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import process_time

os.environ.setdefault("OMP_NUM_THREADS", "1")

import numpy as np

from record import RECORDINGS, benchmark_parser, median_seconds, record

sys.path.insert(0, str(Path(__file__).parent.parent))  # the published subject is that of the tests

from tests.mocap.published_subject import subject_model_of

from strut.arrays import Array
from strut.formats.recording_file import read_recording
from strut.formats.trc import encode_trc
from strut.mocap.marker_fit.body_geometry import body_points, lengths_array, place_points, pose_body
from strut.mocap.marker_fit.body_priors import human_geometry, pose_prior
from strut.mocap.marker_fit.fit import fit
from strut.mocap.marker_fit.pose_solver import PoseProblem, solve_poses
from strut.mocap.marker_fit.published_fit import published_fit
from strut.models.subject import subject
from strut.recording import Recording

REAL = (
    *(("felis_subject3_neutral", 1.86, 75.0), ("qcmas_walk", None, None)),
    *((f"sydney_walk0{k}", None, None) for k in (3, 4, 5)),
)
FRAMES = 1000
RATE_HZ = 100.0
NOISE_M = 0.003
EXTRA = (("Pelvis", (0.0, 0.15, 0.05)), ("UpperTrunk", (-0.1, 0.08, 0.2)), ("HandLeft", (0.0, 0.0, -0.05)))


def walker() -> Array:
    """Return coordinates of a body whose joints swing like sines. Shape (T, 34)."""
    body = human_geometry()
    phase = 2.0 * np.pi * np.arange(FRAMES) / RATE_HZ / 1.1
    q = 0.2 * np.sin(phase[:, None] + np.arange(body.n_dof)) + pose_prior(body).mean
    q[:, :3] = np.column_stack(
        [1.2 * np.arange(FRAMES) / RATE_HZ, 0.03 * np.sin(phase), 0.95 + 0.02 * np.cos(2 * phase)]
    )
    return q


def make_problem() -> PoseProblem:
    robot = subject()
    body = human_geometry()
    worn = [(segment, at) for segment, own in robot.markers.segment.items() for at in own.values()]
    points = body_points(body, [*worn, *EXTRA])
    lengths = lengths_array(body, robot.subject.lengths_m)
    places = place_points(pose_body(body, walker(), lengths), points)
    places = places + np.random.default_rng(0).normal(scale=NOISE_M, size=places.shape)
    return PoseProblem(body, lengths, points, places, np.ones(len(worn) + len(EXTRA)), pose_prior(body))


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit made and real markers; quick: a tenth of the made ones."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--peers", metavar="PYTHON", help="a Python that has OpenSim")
    options = parser.parse_args(arguments)
    problem = make_problem()
    if options.quick:
        problem = problem.select_frames(slice(0, FRAMES // 10))
    frames = len(problem.markers_m)
    seconds = median_seconds(lambda: solve_poses(problem, RATE_HZ), repeats=1 if options.quick else 3)
    found = solve_poses(problem, RATE_HZ)
    few = problem.select_frames(slice(0, 100))
    slow = median_seconds(lambda: published_fit(few, pose_prior(problem.body).mean), repeats=1)
    rows = [
        _row("35 made markers, batched", problem.markers_m.shape, frames / seconds, found.error_m),
        _row("35 made markers, published", few.markers_m.shape, 100 / slow, published_fit(few).error_m),
    ]
    if options.quick:
        record("marker_fit", rows, packages=["numpy"], quick=True)
        return
    if options.peers is not None:
        rows += beside_opensim(problem, options.peers)
    for name, height_m, mass_kg in REAL if RECORDINGS.is_dir() else ():
        recording = read_recording(RECORDINGS / f"{name}.c3d")
        real = fit(recording, height_m=height_m, mass_kg=mass_kg)
        rows.append(_row(f"{name}, automatic", real.error_m.shape, real.frames_per_s, real.error_m))
        if name.startswith("felis"):
            given = fit(recording, subject=subject_model_of(subject()))
            rows.append(_row(f"{name}, published", given.error_m.shape, given.frames_per_s, given.error_m))
    record("marker_fit", rows, packages=["numpy"])


def beside_opensim(problem: PoseProblem, python: str) -> list[dict[str, object]]:
    """Return rows of OpenSim's tool on the same markers, and of ours by the same clock: processor time."""
    names = [f"M{index}" for index in range(problem.markers_m.shape[1])]
    with tempfile.TemporaryDirectory() as folder:
        trc = Path(folder) / "made.trc"
        asked = Path(folder) / "problem.json"
        trc.write_bytes(encode_trc(Recording("made", RATE_HZ, tuple(names), problem.markers_m)))
        asked.write_text(json.dumps(plain_values(problem, names, str(trc))), "utf-8")
        script = Path(__file__).with_name("peer_opensim_ik.py")
        done = subprocess.run([python, str(script), str(asked)], capture_output=True, text=True, check=True, cwd=folder)
    theirs = json.loads(done.stdout.strip().splitlines()[-1])
    started = process_time()
    found = solve_poses(problem, RATE_HZ)
    ours = process_time() - started
    error = np.full((FRAMES, len(names)), theirs["mean_error_m"])
    seconds = theirs["cpu_s"] - theirs["set_up_cpu_s"]
    shape = problem.markers_m.shape
    return [
        _row("the same, OpenSim's tool without its set-up (errors: root mean square)", shape, FRAMES / seconds, error),
        _row(f"the same, ours: {seconds / ours:.1f} times as quick", shape, FRAMES / ours, found.error_m),
    ]


def plain_values(problem: PoseProblem, names: list[str], trc: str) -> dict[str, object]:
    """Return body and markers as plain values."""
    body = problem.body
    segments = [
        {
            "name": name,
            "parent": "" if body.parents[index] < 0 else body.segments[body.parents[index]],
            "offset_m": (body.origins[index] @ problem.lengths_m).tolist(),
            "axes": list(body.axes[index]),
            "dofs": list(body.dof_names[body.first_dof[index] : body.first_dof[index] + len(body.axes[index])]),
            "slides": list(body.dof_names[:3]) if body.parents[index] < 0 else [],
        }
        for index, name in enumerate(body.segments)
    ]
    worn = zip(names, problem.points.segment.tolist(), problem.points.local_m.tolist(), strict=True)
    markers = [{"name": name, "segment": body.segments[segment], "at_m": at} for name, segment, at in worn]
    duration_s = (FRAMES - 1) / RATE_HZ
    return {"segments": segments, "markers": markers, "trc": trc, "frames": FRAMES, "duration_s": duration_s}


def _row(case: str, shape: tuple[int, ...], rate: float, error_m: Array) -> dict[str, object]:
    return {
        "case": case,
        "frames": shape[0],
        "markers": shape[1],
        "frames_per_s": round(rate),
        "mean_error_mm": round(float(np.nanmean(error_m)) * 1e3, 2),
        "worst_marker_mean_mm": round(float(np.nanmax(np.nanmean(error_m, axis=0))) * 1e3, 2),
        "worst_error_mm": round(float(np.nanmax(error_m)) * 1e3, 1),
    }


if __name__ == "__main__":
    main()
