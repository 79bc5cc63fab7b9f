"""Would a toe joint change what recordings show: contacts at push-off, ground forces, ankle torques?

    python benchmarks/bench_toe_joint.py

The toes are computed: what lies before the ball of a fitted foot, with 0.2 % of the body mass, flat on the ground
from heel off to toe off and straight again 0.1 s later. Rows tell how high ball and rigid toe tip are when toes leave,
and by how much the inertia of bending toes changes the vertical force and the torque of an ankle. Needs the recordings
in ../shared/data.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.signal import butter, filtfilt

from bench_ground_forces import HELD_OUT, TUNED, capture_trial
from record import benchmark_parser, record, recordings
from strut.arrays import Array
from strut.engines.rigid_body import body_poses
from strut.maths.rotation import qpos_from_angles
from strut.mocap.forces.dynamic_smoothing import GRAVITY_M_S2
from strut.mocap.forces.footprints import Footprint
from strut.recording import SIDES, Side
from strut.robot import Robot

TOES_OF_MASS = 0.002
STRAIGHT_S = 0.1  # after toe off
LOW_PASS_HZ = 10.0  # of the computed movement of the toes


def bend_rad(prints: list[Footprint], time_s: Array, pitch_rad: Array) -> Array:
    """Return by how much toes bend up against the foot: as much as its heel is up, while it stands. Shape (T,)."""
    heel_up = np.maximum(pitch_rad, 0.0)
    bend = np.zeros(len(time_s))
    for one in prints:
        since_s = time_s - one.stop_s
        last = float(np.interp(one.stop_s, time_s, heel_up))
        bend = np.where(one.is_standing(time_s), heel_up, bend)
        after = (since_s > 0.0) & (since_s < STRAIGHT_S)
        bend = np.where(after, last * (1.0 - since_s / STRAIGHT_S), bend)
    return bend


def row(half: str, name: str) -> dict[str, object]:
    """Return what a toe joint would change in a trial."""
    walk = capture_trial(recordings() / f"{name}.c3d")
    robot = walk.robot
    forces = walk.forces
    qpos = qpos_from_angles(forces.movement.q)
    place, turn = body_poses(robot.model, [f"Foot{side}" for side in SIDES], qpos)
    heights = []
    up_n = []
    torque_nm = []
    for foot, side in enumerate(SIDES):
        ball, forwards, toe_m = _toes(robot, side, place[:, foot], turn[:, foot])
        prints = [one for one in forces.footprints if one.side == side]
        bend = bend_rad(prints, forces.time_s, -np.arcsin(np.clip(forwards[:, 2], -1.0, 1.0)))
        upwards = turn[:, foot, :, 2]
        bent = np.cos(bend)[:, None] * forwards + np.sin(bend)[:, None] * upwards
        moved = _acceleration(0.5 * toe_m * (bent - forwards), forces.time_s)
        push_n = TOES_OF_MASS * robot.mass_kg * moved
        away = ball - place[:, foot]
        up_n.append(push_n[:, 2])
        torque_nm.append(away[:, 2] * push_n[:, 0] - away[:, 0] * push_n[:, 2])
        heights += [_at_toe_off(one, forces.time_s, ball, ball + toe_m * forwards) for one in prints if one.is_complete]
    weight_n = robot.mass_kg * GRAVITY_M_S2
    inside = forces.between_events
    ankle = forces.torque_nm[:, robot.joint_names.index("AnkleRight_RY")]
    ball_mm, tip_mm = np.median(heights, axis=0) if heights else (np.nan, np.nan)
    return {
        "half": half,
        "trial": name,
        "ball_at_toe_off_mm": round(float(ball_mm)),
        "rigid_tip_at_toe_off_mm": round(float(tip_mm)),
        "force_up_rms_percent_weight": round(100.0 * _rms(np.sum(up_n, axis=0)[inside]) / weight_n, 3),
        "force_up_most_percent_weight": round(100.0 * float(np.abs(np.sum(up_n, axis=0)[inside]).max()) / weight_n, 3),
        "ankle_rms_percent_range": round(100.0 * _rms(torque_nm[0][inside]) / float(np.ptp(ankle[inside])), 3),
    }


def _toes(robot: Robot, side: Side, place: Array, turn: Array) -> tuple[Array, Array, float]:
    """Return the ball of a foot (T, 3), its direction forwards (T, 3), and how long the toes are."""
    lengths = robot.subject.lengths_m
    ahead = lengths[f"Foot{side}ForefootX"]
    height = lengths[f"Foot{side}Height"]
    toe_m = lengths[f"Foot{side}Length"] - lengths[f"Foot{side}PosteriorPoint"] - ahead
    return place + turn @ np.array([ahead, 0.0, -height]), turn[:, :, 0], toe_m


def _acceleration(path: Array, time_s: Array) -> Array:
    """Return second derivatives of a smooth path. Shape (T, 3)."""
    low = filtfilt(*butter(2, LOW_PASS_HZ * 2.0 * float(np.diff(time_s).mean())), path, axis=0)
    return np.asarray(np.gradient(np.gradient(low, time_s, axis=0), time_s, axis=0))


def _at_toe_off(one: Footprint, time_s: Array, ball: Array, tip: Array) -> tuple[float, float]:
    """Return the heights of ball and tip when toes leave [mm]."""
    ball_m, tip_m = (float(np.interp(one.stop_s, time_s, path[:, 2])) for path in (ball, tip))
    return 1e3 * ball_m, 1e3 * tip_m


def _rms(values: Array) -> float:
    return float(np.sqrt(np.mean(values**2)))


def main(arguments: Sequence[str] | None = None) -> None:
    """Compare every trial; quick: the first one."""
    quick = benchmark_parser(__doc__).parse_args(arguments).quick
    trials = [(half, name) for half, names in (("tuned", TUNED), ("held out", HELD_OUT)) for name in names]
    rows = [row(*trial) for trial in (trials[:1] if quick else trials)]
    record("toe_joint", rows, packages=["numpy", "scipy", "mujoco"], quick=quick)


if __name__ == "__main__":
    main()
