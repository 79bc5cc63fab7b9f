"""How does a person start, stop and turn, is every piece sound, and how long does a user wait for it?

    python benchmarks/bench_human_transitions.py [--speed SPEED] [--turns TURN ...]

A walk out of a stand and into one at a speed in m/s, one walk for each turn in degrees per stride, and one with stands
that turns as the first of them does, but to the other side. Of a start: how far the centre of pressure goes back and
towards the leg that swings first before the heel of that leg rises, which people's does first (Breniere & Do 1986), and
how fast the centre of mass is when the first heel lands, over the walk's mean speed. Times are without the gait itself.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import sys  # noqa: E402
from collections.abc import Sequence  # noqa: E402
from time import perf_counter, process_time  # noqa: E402

import numpy as np  # noqa: E402

from record import Row, benchmark_parser, record  # noqa: E402
from strut.engines.body_wrench import centre_of_mass_path  # noqa: E402
from strut.errors import StrutError  # noqa: E402
from strut.human.gait import Gait, centre_of_pressure  # noqa: E402
from strut.human.synthesis.synthesize import synthesize  # noqa: E402
from strut.human.transitions.composed_walk import ComposedWalk, compose_walk  # noqa: E402
from strut.human.transitions.walk_pieces import WalkPiece  # noqa: E402

RATE_HZ = 200.0
FIGURES = ("start_s", "stop_s", "radius_m", "seam_position", "seam_velocity", "seam_torque_nm")
FIRST = ("pressure_back_mm", "pressure_to_swing_mm", "landing_speed_share")
EMPTY: Row = dict.fromkeys(("verdict", *FIGURES, "slip_mm", "torque_use", "playback_rad", *FIRST), "")


def anticipation(gait: Gait, start: WalkPiece) -> Row:
    """Return how the centre of pressure goes before the first heel rises, and the speed after the first step."""
    robot = gait.robot
    path = start.path
    qpos, _, force, _ = start.sampled(robot, np.arange(0.0, path.time_s[-1], 1.0 / RATE_HZ))
    pressure = centre_of_pressure(robot, qpos, force)[: int(path.duration_s[0] * RATE_HZ)]
    mass = centre_of_mass_path(robot.model, qpos)
    landing = int(path.duration_s[:-2].sum() * RATE_HZ)
    return {
        "pressure_back_mm": round(1e3 * float(pressure[0, 0] - pressure[:, 0].min()), 1),
        "pressure_to_swing_mm": round(1e3 * float(pressure[:, 1].max() - pressure[0, 1]), 1),
        "landing_speed_share": round(float(mass[landing, 0] - mass[landing - 1, 0]) * RATE_HZ / gait.speed_m_s, 3),
    }


def row_of(gait: Gait, turn_deg: float, *, stands: bool) -> Row:
    """Return the row of a walk: five steps out of a stand and into one, or four that turn."""
    began_s = perf_counter()
    began_cpu_s = process_time()
    asked: Row = {"speed_m_s": gait.asked["speed_m_s"], "turn_deg": turn_deg, "stands": stands}
    walk: ComposedWalk | None = None
    try:
        walk = compose_walk(
            gait, steps=5 if stands else 4, from_stand=stands, to_stand=stands, turn_rad=float(np.radians(turn_deg))
        )
    except StrutError as failure:
        print(failure, file=sys.stderr)
    spent = {"wall_s": round(perf_counter() - began_s, 1), "cpu_s": round(process_time() - began_cpu_s, 1)}
    if walk is None:
        return asked | EMPTY | {"verdict": "none"} | spent
    receipt = walk.motion().receipt
    assert receipt is not None
    figures = {name: walk.figures[name] for name in FIGURES}
    proof = {"slip_mm": receipt.foot_slip_mm, "torque_use": receipt.torque_use}
    played = {"playback_rad": walk.soundness.playback_error_rad}
    first = anticipation(gait, walk.pieces[1]) if stands else {}
    return asked | EMPTY | {"verdict": receipt.verdict} | figures | proof | played | first | spent


def main(arguments: Sequence[str] | None = None) -> None:
    """Compose the walks and record each; quick: the first turn alone."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--speed", type=float, default=1.3, help="m/s")
    parser.add_argument("--turns", type=float, nargs="*", default=[20.0, 45.0], help="degrees per stride")
    options = parser.parse_args(arguments)
    turns_deg = options.turns
    gait = synthesize(speed_m_s=options.speed)
    walks = [(0.0, True), *((turn, False) for turn in turns_deg), *((-turn, True) for turn in turns_deg[:1])]
    for turn_deg, stands in walks[1:2] if options.quick else walks:
        row = row_of(gait, turn_deg, stands=stands)
        record("human_transitions", [row], packages=["strut", "casadi", "numpy"], quick=options.quick)


if __name__ == "__main__":
    main()
