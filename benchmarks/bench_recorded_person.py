"""How far is a synthesized walk from the recorded person whose body it has?

    python benchmarks/bench_recorded_person.py [RECORDING.c3d] [--height HEIGHT_M --mass MASS_KG]
    python benchmarks/bench_recorded_person.py FITTED.npz      # what `strut fit` made of a recording

The recording gives only the body and the speed. `apart_deg` is the mean absolute difference of sagittal joint angles
over the cycle, of the legs that were seen for a whole one; `shape_deg` the same without the mean of each curve, where
the zeros of markers and model may differ; `offset_deg` that mean, recorded less ours, and `worst_at_percent` where in
the cycle the mean curves are farthest apart.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

from collections.abc import Sequence  # noqa: E402
from pathlib import Path  # noqa: E402

import numpy as np  # noqa: E402

from record import Row, benchmark_parser, record, recordings  # noqa: E402
from strut import fit, load_motion, read_recording  # noqa: E402
from strut.arrays import Array  # noqa: E402
from strut.human import gait_expression  # noqa: E402
from strut.human.analysis.gait_cycle import gait_cycle, mirror_image  # noqa: E402
from strut.human.analysis.walk_figures import SIGN  # noqa: E402
from strut.human.anatomy import ANKLE, HIP, KNEE, RIGHT, sided  # noqa: E402
from strut.human.synthesis.synthesize import synthesize  # noqa: E402
from strut.models.catalogue import robot_of  # noqa: E402
from strut.motion import Motion  # noqa: E402
from strut.robot import Robot  # noqa: E402

JOINTS = (HIP, KNEE, ANKLE)
SHARES = np.linspace(0.0, 1.0, 101)


def fit_walk(recording: Path, height_m: float, mass_kg: float) -> Motion:
    """Return the recorded walk as joint angles of the person's own model."""
    if recording.suffix == ".npz":
        return load_motion(recording)
    return fit(read_recording(recording), height_m=height_m, mass_kg=mass_kg).motion


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare a recorded walk with ours; quick: the same, not recorded."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("recording", type=Path, nargs="?", help="else the neutral walk of ../shared/data")
    parser.add_argument("--height", type=float, default=1.86)
    parser.add_argument("--mass", type=float, default=75.0)
    options = parser.parse_args(arguments)
    recording = options.recording or recordings() / "felis_subject3_neutral.c3d"
    walk = fit_walk(recording, options.height, options.mass)
    person = robot_of(walk)
    speed_m_s = gait_expression(person, walk).speed_m_s
    gait = synthesize(person, speed_m_s=speed_m_s)
    recorded = [curves for side in (walk, mirror_image(person, walk)) for curves in cycles(person, side)]
    ours = cycles(person, gait.motion(steps=4, rate_hz=200.0))[0]
    trial = {"recording": recording.name, "speed_m_s": round(speed_m_s, 3), "cycles": len(recorded)}
    misses = np.array(recorded) - ours
    shapes = misses - misses.mean(axis=2, keepdims=True)
    apart, shape = (np.abs(part).mean(axis=(0, 2)) for part in (misses, shapes))
    offset = misses.mean(axis=(0, 2))
    worst = np.abs(misses.mean(axis=0)).argmax(axis=1)
    rows: list[Row] = [
        trial
        | {"joint": joint, "apart_deg": round(float(apart[k]), 2), "shape_deg": round(float(shape[k]), 2)}
        | {"offset_deg": round(float(offset[k]), 2), "worst_at_percent": int(worst[k])}
        for k, joint in enumerate(JOINTS)
    ]
    means = {"apart_deg": round(float(apart.mean()), 2), "shape_deg": round(float(shape.mean()), 2)}
    rows.append(trial | {"joint": "mean", **means, "offset_deg": "", "worst_at_percent": ""})
    record("recorded_person", rows, packages=["strut", "casadi", "numpy"], quick=options.quick)


def cycles(robot: Robot, motion: Motion) -> list[Array]:
    """Return flexion [deg] of the right leg's joints over its first whole cycle, if there is one. Shape (3, 101)."""
    cycle = gait_cycle(robot, motion)
    if cycle is None:
        return []
    columns = [robot.joint_names.index(sided(joint, RIGHT)) for joint in JOINTS]
    angles = np.degrees(cycle.motion.joint_angles_rad[:, columns] * [SIGN[joint] for joint in JOINTS])
    return [np.array([np.interp(SHARES, cycle.share, column) for column in angles.T])]


if __name__ == "__main__":
    main()
