"""Firm floor: stiffen MuJoCo's soft contacts until the feet of a heavy body on light legs do not sink.

MuJoCo scales the stiffness of a contact by the effective inverse inertia at the foot (Todorov, 2014). Without rotor
inertia, the feet of light legs would sink centimetres into the floor under a heavy body, and slide there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mujoco import MjModel

from strut.models.model_builder import FLOOR
from strut.robot import Foot

MAX_DEPTH_M = 0.005  # penetration of a foot under its share of the weight above which the floor is stiffened
STIFFENED_DEPTH_M = 0.002  # penetration after that
MIN_TIME_STEPS = 2.5  # simulation steps per time constant of a contact; MuJoCo needs at least 2


def stiffen_floor(model: MjModel, feet: Sequence[Foot]) -> None:
    """Shorten the time constant of floor contacts if feet that share the weight sink too deep."""
    floor = model.geom(FLOOR).id
    weight_n = float(-model.body_mass.sum() * model.opt.gravity[2])
    depth_m = max((penetration_m(model, foot, weight_n / len(feet)) for foot in feet), default=0.0)
    if depth_m > MAX_DEPTH_M:
        time_constant_s = float(model.geom_solref[floor, 0]) * math.sqrt(STIFFENED_DEPTH_M / depth_m)
        model.geom_solref[floor, 0] = max(time_constant_s, MIN_TIME_STEPS * model.opt.timestep)


def penetration_m(model: MjModel, foot: Foot, load_n: float) -> float:
    """Return the penetration of a foot that stands on all of its points: regularisation times force over stiffness."""
    floor = model.geom(FLOOR).id
    time_s, damping = model.geom_solref[floor]
    max_impedance = model.geom_solimp[floor, 1]
    inverse_inertia = model.body_invweight0[model.body(foot.points[0].body).id, 0]
    return float(
        (1.0 - max_impedance)
        / max_impedance
        * inverse_inertia
        * load_n
        / len(foot.points)
        * (max_impedance * time_s * damping) ** 2
    )
