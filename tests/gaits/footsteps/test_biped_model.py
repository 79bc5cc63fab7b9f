"""The lower body is read from a robot's tables: what the equations call by symbols stands where the body has it."""

from dataclasses import replace

import msgspec
import numpy as np

from strut.gaits.footsteps.biped_model import biped_model
from strut.models.limb_robot import limb_robot
from strut.schemas.body import LimbBody
from tests.alice import ALICE, LEGS


def with_sole(sole_m):
    """Return Alice with the middle of her soles elsewhere in the frame of the foot."""
    body = ALICE.body_as(LimbBody)
    leg = body.limb["leg"]
    foot = msgspec.structs.replace(leg.foot, sole_m=sole_m)
    moved = msgspec.structs.replace(body, limb={"leg": msgspec.structs.replace(leg, foot=foot)})
    return limb_robot(ALICE.name, moved, replace(ALICE.tables, robot=moved))


def test_the_ankle_is_over_and_behind_a_sole_that_lies_below_and_ahead_of_it():
    legs = biped_model(with_sole((0.01, 0.0, -0.02)))
    np.testing.assert_allclose(legs.ankle_from_sole_m, [-0.01, 0.0, 0.02])
    np.testing.assert_allclose(legs.link_m, LEGS.link_m)
