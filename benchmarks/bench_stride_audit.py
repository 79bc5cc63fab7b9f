"""How far from its limits is `strut check` with sound human walks, and how far beyond with those tampered with?

    python benchmarks/bench_stride_audit.py gait.npz happy.npz sad.npz

Prints one row per walk and tampering: what stays unexplained, how far pressure is outside what touches, what landings
leave, how far torques in the file are off, the verdict, and the processor time of the audit.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import process_time

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from strut.library.motion_file import load_motion
from strut.motion import Motion
from strut.proof.stride_audit import stride_audit, stride_shortfalls
from strut.robots.catalogue import robot_of

NOISE_RAD = 1e-4


def tampered(motion: Motion) -> Iterator[tuple[str, Motion]]:
    """Yield a motion as it is, and in ways in which it cannot be."""
    qpos, joints = motion.qpos, slice(motion.qpos.shape[1] - len(motion.joint_names), None)
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


def main() -> None:
    """Print the table."""
    print("walk, tampering, unexplained [N], outside [mm], landing [N], torques off [%], verdict, processor [s]")
    for name in sys.argv[1:]:
        motion = load_motion(Path(name))
        robot = robot_of(motion)
        for word, other in tampered(motion):
            start_s = process_time()
            found = stride_audit(robot, other)
            lasted_s = process_time() - start_s
            said = stride_shortfalls(robot, found, margin_m=0.0)
            limits = "; ".join(dict.fromkeys(shortfall.limit for shortfall in said)) or "ok"
            outside_mm = -1e3 * found.needs.margin_m.min()
            off = 100.0 * (found.torque_disagreement or 0.0)
            print(
                f"{Path(name).stem}, {word}, {found.unexplained_n.max():.2f}, {outside_mm:.1f}, "
                f"{found.landing_unexplained_n.max(initial=0.0):.1f}, {off:.1f}, {limits}, {lasted_s:.2f}"
            )


if __name__ == "__main__":
    main()
