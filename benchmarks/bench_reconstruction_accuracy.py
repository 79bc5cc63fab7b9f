"""How accurate are reconstructed torques and ground forces, over gaits, phase times and noise?

    python benchmarks/bench_reconstruction_accuracy.py [GAIT ...]

Synthesized gaits, all of WORKS unless some are named, 100 samples per second, on two processes. Phase times are the
true ones of one step, or detected from two steps without contact columns, of which the recording begins and ends in the
middle of a step. Noise is white, on every joint angle. `torque_share` is the root mean square of the torque error over
the largest torque, `foot_share` and `total_share` those of the worst axis of the worse foot and of both together over
body weight, all at 500 instants a second; `border_ms` is the worst time of a phase's end; `smooth` is the factor on
smooth torques that the noise needs.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

from collections.abc import Sequence  # noqa: E402
from concurrent.futures import ProcessPoolExecutor  # noqa: E402
from dataclasses import replace  # noqa: E402
from time import process_time  # noqa: E402

import numpy as np  # noqa: E402

from bench_reconstruction import true_phases  # noqa: E402
from record import Row, benchmark_parser, record  # noqa: E402
from strut.arrays import Array  # noqa: E402
from strut.emotion import named_emotion  # noqa: E402
from strut.engines.rigid_body import GRAVITY_M_S2  # noqa: E402
from strut.errors import StrutError  # noqa: E402
from strut.expression.blend import style_for  # noqa: E402
from strut.human.gait import Gait  # noqa: E402
from strut.human.problem.gait_options import HUMAN, named_gait_options  # noqa: E402
from strut.human.reconstruction.reconstruct import reconstruct  # noqa: E402
from strut.human.synthesis.synthesize import synthesize  # noqa: E402
from strut.human.table import human_gait  # noqa: E402
from strut.maths.rotation import angles_from_qpos, qpos_from_angles  # noqa: E402
from strut.models.catalogue import load_robot  # noqa: E402
from strut.models.subject import subject  # noqa: E402
from strut.motion import Motion  # noqa: E402

WORKERS = 2
WORKS = (
    ("1.3 m/s", (0.0, 0.1, 0.5, 1.0)),
    ("0.8 m/s", (0.0,)),
    ("1.6 m/s", (0.0,)),
    ("2.0 m/s", (0.0,)),
    ("happy", (0.0,)),
    ("sad", (0.0,)),
    ("woman", (0.0,)),
)
START = 0.4
STOP = 2.4  # in steps
COMPARED_HZ = 500.0


def gait_called(name: str) -> Gait:
    if name == "woman":
        return synthesize(subject(1.65, 60.0, sex="female"), speed_m_s=1.2)
    human = load_robot("heiman")
    if name.endswith(" m/s"):
        return synthesize(human, speed_m_s=float(name.split(maxsplit=1)[0]))
    style = style_for(human, named_emotion(name))
    speed = style.speed * human_gait(human).speed_m_s.usual
    return synthesize(human, speed_m_s=speed, options=replace(named_gait_options(human, [HUMAN]), style=style))


def with_noise(motion: Motion, degrees: float) -> Motion:
    q = angles_from_qpos(motion.qpos)
    q[:, 6:] += np.radians(degrees) * np.random.default_rng(0).normal(size=q[:, 6:].shape)
    return replace(motion, qpos=qpos_from_angles(q))


def bare(motion: Motion, start_s: float, stop_s: float) -> Motion:
    """Return a stretch of a motion, angles alone."""
    kept = (motion.time_s >= start_s) & (motion.time_s <= stop_s)
    return Motion(
        robot=motion.robot,
        time_s=motion.time_s[kept],
        qpos=motion.qpos[kept],
        joint_names=motion.joint_names,
        contact=np.zeros((int(kept.sum()), 0), dtype=bool),
        foot_names=(),
        meta=motion.meta,
    )


def shares(known: Motion, found: Gait, borders_s: Array) -> tuple[float, float, float, float]:
    """Return errors of torques, of the worse foot and of both feet together as shares, and of the phases' ends [s]."""
    start_s = found.asked["phases"][0][1]
    path = found.trajectory
    lapse = known.time_s - start_s
    inside = (lapse >= 0.0) & (lapse <= path.time_s[-1] - 1e-6)
    ends = start_s + np.cumsum(path.duration_s)[:-1]
    off_s = np.abs(ends[:, None] - borders_s).min(axis=1).max()
    inside &= np.abs(known.time_s[:, None] - borders_s).min(axis=1) > 1e-3  # where forces jump either side is right
    _, torque, rows = path.at(lapse[inside])
    assert known.torque_nm is not None
    assert known.ground_force_n is not None
    miss = torque - known.torque_nm[inside]
    feet = dict[str, float]()
    weight_n = found.robot.mass_kg * GRAVITY_M_S2
    for side in ("", "Right", "Left"):
        theirs = [side in name for name in known.foot_names]
        for axis in range(3):
            ours = [row.axis == axis and side in row.point.name for row in path.problem.contact.rows]
            both = rows[:, ours].sum(axis=1) - known.ground_force_n[inside][:, theirs, axis].sum(axis=1)
            feet[side] = max(feet.get(side, 0.0), float(np.sqrt(np.mean(both**2))) / weight_n)
    return (
        float(np.sqrt(np.mean(miss**2)) / np.abs(known.torque_nm).max()),
        max(feet["Right"], feet["Left"]),
        feet[""],
        float(off_s),
    )


def rows_of(work: tuple[str, tuple[float, ...]]) -> list[Row]:
    name, noises = work
    gait = gait_called(name)
    found_rows = list[Row]()
    step_s = gait.trajectory.time_s[-1]
    known = gait.motion(steps=3, rate_hz=COMPARED_HZ)
    sampled = gait.motion(steps=3)
    borders_s = np.concatenate([np.cumsum(gait.trajectory.duration_s) + step * step_s for step in range(3)])
    for noise in noises:
        noisy = with_noise(sampled, noise)
        for times in ("true", "detected"):
            recorded = noisy if times == "true" else bare(noisy, START * step_s, STOP * step_s)
            began = process_time()
            try:
                found = reconstruct(recorded, phases=true_phases(gait) if times == "true" else None)
                torque, foot, total, off_s = shares(known, found, borders_s)
                figures = [f"{torque:.4f}", f"{foot:.4f}", f"{total:.4f}", f"{off_s * 1e3:.1f}", found.asked["smooth"]]
                said = "; ".join(found.attempts)
            except StrutError as error:
                figures = [""] * 5
                said = str(error)
            row = {"gait": name, "noise_deg": noise, "times": times, "cpu_s": round(process_time() - began, 1)}
            names = ("torque_share", "foot_share", "total_share", "border_ms", "smooth")
            found_rows.append(row | dict(zip(names, figures, strict=True)) | {"said": said})
            print(found_rows[-1], flush=True)
    return found_rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Reconstruct gaits; quick: the first one without noise."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("gaits", nargs="*", help=", ".join(name for name, _ in WORKS))
    options = parser.parse_args(arguments)
    if options.quick:
        rows = rows_of((WORKS[0][0], (0.0,)))
        record("reconstruction_accuracy", rows, packages=("strut", "casadi", "numpy"), quick=True)
        return
    works = [work for work in WORKS if not options.gaits or work[0] in options.gaits]
    with ProcessPoolExecutor(WORKERS) as pool:
        rows = [row for part in pool.map(rows_of, works) for row in part]
    record("reconstruction_accuracy", rows, packages=("strut", "casadi", "numpy"))


if __name__ == "__main__":
    main()
