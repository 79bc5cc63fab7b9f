"""The penetration of feet in the floor beside MuJoCo's own, and the stiffer floor under light feet."""

import mujoco
import numpy as np
import pytest

from strut.models.firm_floor import MAX_DEPTH_M, STIFFENED_DEPTH_M, penetration_m, stiffen_floor
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


def simulated_depth_m(model):
    """Return the depth of the ball in the floor at rest."""
    data = mujoco.MjData(model)
    for _ in range(4000):
        mujoco.mj_step(model, data)
    return 0.03 - float(data.body("foot").xpos[2])


@pytest.mark.parametrize("foot_kg", [0.5, 1.5])
def test_the_predicted_penetration_is_that_of_the_simulation(foot_kg):
    model, feet = standing(foot_kg)
    predicted_m = penetration_m(model, feet[0], float(model.body_mass.sum()) * 9.81)
    assert predicted_m == pytest.approx(simulated_depth_m(model), rel=0.1)


def test_the_floor_is_stiffened_only_under_a_foot_that_sinks():
    light, feet = standing(0.5)
    assert simulated_depth_m(light) > MAX_DEPTH_M
    stiffen_floor(light, feet)
    assert simulated_depth_m(light) == pytest.approx(STIFFENED_DEPTH_M, rel=0.1)
    heavy, feet = standing(20.0)
    before = np.array(heavy.geom_solref)
    stiffen_floor(heavy, feet)
    np.testing.assert_array_equal(heavy.geom_solref, before)


def test_a_contact_is_never_quicker_than_the_simulation_can_follow():
    model, feet = standing(0.001)
    stiffen_floor(model, feet)
    assert model.geom_solref[model.geom("floor").id, 0] == pytest.approx(0.00125)
