"""How deep feet stand in the floor: MuJoCo's own answer beside ours, and a floor that gets firmer for light feet."""

import mujoco
import numpy as np
import pytest

from strut.models.firm_floor import MOST_SUNK_M, SUNK_M, _sunk_m, firm_up
from strut.robot import ball_foot


def standing(foot_kg, body_kg=40.0):
    """Return the model of a body on one foot below a stiff slide, and that foot."""
    xml = f"""<mujoco><option timestep="0.0005" integrator="implicitfast" cone="elliptic"/><worldbody>
    <geom name="floor" type="plane" size="0 0 0.05" priority="1"/>
    <body name="body" pos="0 0 0.5"><joint type="slide" axis="0 0 1"/>
    <geom size="0.1" mass="{body_kg}" contype="0" conaffinity="0"/>
    <body name="foot" pos="0 0 -0.47"><joint name="leg" type="slide" axis="0 0 1" damping="1000"/>
    <geom size="0.03" mass="{foot_kg}"/></body></body></worldbody>
    <actuator><position joint="leg" kp="50000"/></actuator></mujoco>"""
    return mujoco.MjModel.from_xml_string(xml), [ball_foot("foot", "foot", "foot", (0.0, 0.0, 0.0), 0.03)]


def sinks_m(model):
    """Return how deep the ball is in the floor when all has come to rest."""
    data = mujoco.MjData(model)
    for _ in range(4000):
        mujoco.mj_step(model, data)
    return 0.03 - float(data.body("foot").xpos[2])


@pytest.mark.parametrize("foot_kg", [0.5, 1.5])
def test_feet_sink_as_deep_as_is_told(foot_kg):
    model, feet = standing(foot_kg)
    told_m = _sunk_m(model, feet[0], float(model.body_mass.sum()) * 9.81)
    assert told_m == pytest.approx(sinks_m(model), rel=0.1)


def test_the_floor_gets_firmer_under_a_foot_that_sinks_and_only_there():
    light, feet = standing(0.5)
    assert sinks_m(light) > MOST_SUNK_M
    firm_up(light, feet)
    assert sinks_m(light) == pytest.approx(SUNK_M, rel=0.1)
    heavy, feet = standing(20.0)
    before = np.array(heavy.geom_solref)
    firm_up(heavy, feet)
    np.testing.assert_array_equal(heavy.geom_solref, before)


def test_a_contact_is_never_quicker_than_the_simulation_can_follow():
    model, feet = standing(0.001)
    firm_up(model, feet)
    assert model.geom_solref[model.geom("floor").id, 0] == pytest.approx(0.00125)
