"""Firm floor: MuJoCo's soft contacts made stiff enough that feet of light legs do not sink under a heavy body.

MuJoCo scales the stiffness of a contact by the inverse inertia that it feels at the foot (Todorov, 2014), so that a
heavy body on feet that move easily, without rotors, would stand centimetres deep in the floor and slide there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mujoco import MjModel

from strut.models.model_builder import FLOOR
from strut.robot import Foot

MOST_SUNK_M = 0.005  # of a foot under its share of the weight: where one sinks deeper, the floor gets firmer
SUNK_M = 0.002  # then
FEWEST_STEPS = 2.5  # of the simulation in the time constant of a contact: shorter ones are not solved any more


def firm_up(model: MjModel, feet: Sequence[Foot]) -> None:
    """Shorten the time constant of the floor's contacts until feet that share the weight sink by little."""
    floor = model.geom(FLOOR).id
    weight_n = float(-model.body_mass.sum() * model.opt.gravity[2])
    sunk_m = max((_sunk_m(model, foot, weight_n / len(feet)) for foot in feet), default=0.0)
    if sunk_m > MOST_SUNK_M:
        firm_s = float(model.geom_solref[floor, 0]) * math.sqrt(SUNK_M / sunk_m)
        model.geom_solref[floor, 0] = max(firm_s, FEWEST_STEPS * model.opt.timestep)


def _sunk_m(model: MjModel, foot: Foot, load_n: float) -> float:
    """Return how deep a foot that stands on all of its points sinks: regularisation times force over stiffness."""
    floor = model.geom(FLOOR).id
    time_s, damping = model.geom_solref[floor]
    most = model.geom_solimp[floor, 1]
    felt = model.body_invweight0[model.body(foot.points[0].body).id, 0]
    return float((1.0 - most) / most * felt * load_n / len(foot.points) * (most * time_s * damping) ** 2)
