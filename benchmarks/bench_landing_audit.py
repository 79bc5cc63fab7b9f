"""How far inside the limits of `strut check` are sound human walks, and how far beyond are altered ones?

    python benchmarks/bench_landing_audit.py

Walks are synthesized first: four emotions, and the gait of minimal time at 1.3 m/s with criteria alone. One row per
walk and alteration: the unexplained force, the distance of the centre of pressure outside the contacts, the residual of
landings, the error of the torques in the file, the broken limits (none if the verdict is ok), and the processor time.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

from collections.abc import Iterator, Sequence  # noqa: E402
from concurrent.futures import ProcessPoolExecutor  # noqa: E402
from dataclasses import replace  # noqa: E402
from time import process_time  # noqa: E402

import numpy as np  # noqa: E402

import strut  # noqa: E402
from record import Row, benchmark_parser, record  # noqa: E402
from strut.human.problem.gait_options import PLAIN, named_gait_options  # noqa: E402
from strut.human.synthesis.synthesize import synthesize  # noqa: E402
from strut.models.catalogue import load_robot  # noqa: E402
from strut.motion import Motion  # noqa: E402
from strut.verify.check import draft_of  # noqa: E402
from strut.verify.limits import limits_for, violations_of  # noqa: E402
from strut.verify.measure import measure  # noqa: E402

WORKERS = 2
LEAST_TIME = "least time"
WALKS = ("neutral", "happy", "angry", "sad", LEAST_TIME)
NOISE_RAD = 1e-4


def make_walks(name: str) -> Motion:
    human = load_robot("heiman")
    if name != LEAST_TIME:
        return strut.walk(human, name, cycles=2)
    return synthesize(human, objective="time", options=named_gait_options(human, [PLAIN])).motion(steps=4)


def alter(motion: Motion) -> Iterator[tuple[str, Motion]]:
    """Yield a motion as it is, and altered so that it is impossible."""
    qpos = motion.qpos
    joints = slice(motion.qpos.shape[1] - len(motion.joint_names), None)
    yield "as it is", motion
    yield "10 % faster", replace(motion, time_s=motion.time_s / 1.1)
    yield "20 % slower", replace(motion, time_s=motion.time_s * 1.2)
    noisy = qpos.copy()
    noisy[:, joints] += NOISE_RAD * np.random.default_rng(1).normal(size=noisy[:, joints].shape)
    yield "noise of 0.1 mrad", replace(motion, qpos=noisy)
    bent = qpos.copy()
    bent[:, joints][:, motion.joint_names.index("KneeRight_RY")] += np.radians(5.0)
    yield "a knee bent by 5°", replace(motion, qpos=bent)
    backwards = {name: getattr(motion, name)[::-1] for name in ("qpos", "contact", "torque_nm", "ground_force_n")}
    yield "backwards", replace(motion, **backwards)


def rows_of(name: str) -> list[Row]:
    """Return the rows of one walk, as it is and altered."""
    robot = load_robot("heiman")
    rows = list[Row]()
    for word, motion in alter(make_walks(name)):
        began = process_time()
        draft = measure(draft_of(motion, robot))
        found = draft.measured
        landings = draft.measured.landings
        assert landings is not None
        cpu_s = process_time() - began
        limits = dict.fromkeys(violation.limit for violation in violations_of(draft, limits_for(robot, margin_m=0.0)))
        off = found.torque_disagreement
        rows.append(
            {
                "walk": name,
                "tampering": word,
                "unexplained_n": round(float(landings.unexplained_n.max()), 2),
                "outside_mm": round(-1e3 * float(found.margin_m.min()), 1),
                "landing_n": round(float(landings.landing_unexplained_n.max()), 1),
                "torques_off_percent": "" if off is None else round(100.0 * off, 1),
                "broken": "; ".join(limits),
                "cpu_s": round(cpu_s, 2),
                "lasts_s": round(float(motion.time_s[-1]), 2),
            }
        )
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Audit every walk; quick: the neutral one."""
    quick = benchmark_parser(__doc__).parse_args(arguments).quick
    if quick:
        record("landing_audit", rows_of("neutral"), packages=(), quick=True)
        return
    with ProcessPoolExecutor(WORKERS) as pool:
        rows = [row for part in pool.map(rows_of, WALKS) for row in part]
    record("landing_audit", rows, packages=("strut", "mujoco", "numpy"))


if __name__ == "__main__":
    main()
