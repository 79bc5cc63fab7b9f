"""Gaits that nobody has solved: of any path, with a soundness that complains of nothing."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np

from strut.human.gait import Gait
from strut.human.problem.gait_options import HUMAN, named_gait_options
from strut.ocp.soundness import Soundness

NOTHING = dict.fromkeys(Soundness.__slots__, 0.0) | {"drifting": "", "tightest": "KneeLeft_RY", "finished": True}
SOUND = replace(
    Soundness(**NOTHING),
    contact_drift_m=0.0005,
    penetration_m=0.00025,
    joint_limit_margin_rad=0.125,
    joint_speed_use=0.5,
)


def gait_of(robot, path):
    """Return a gait whose step is a path; it took 1.75 s."""
    solution = SimpleNamespace(
        trajectory=path, setup_s=0.25, solve_s=1.5, costs={"effort": 1.0}, cost=1.0, iterations=9
    )
    return Gait(robot, solution, SOUND, ("found",), {"natural": True}, options=named_gait_options(robot, [HUMAN]))


def even_step(path, mirror, step_m):
    """Return a path that goes straight from a posture to its mirror image, a step ahead, at one velocity."""
    share = (path.time_s / path.time_s[-1])[:, None]
    first = 0.1 * np.sin(np.arange(34.0))
    first[:2] = 0.0
    last = mirror.image(first) + step_m * np.eye(34)[0]
    rates = np.cos(np.arange(34.0))
    push = mirror.image(np.append(np.zeros(6), np.sin(np.arange(28.0))))
    return replace(
        path,
        q=first + share * (last - first),
        v=np.tile(rates + mirror.image(rates), (len(share), 1)),
        u=np.tile((push + mirror.image(push))[6:], (len(share), 1)),
        parameter={"step_length_m": step_m, "speed_m_s": step_m / path.time_s[-1]},
    )
