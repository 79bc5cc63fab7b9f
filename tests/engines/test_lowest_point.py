"""Clearance: the lowest point of every kind of geom is what a thousand points of its surface say."""

import mujoco
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.engines.inverse_dynamics import _lowest_point

KINDS = {
    "sphere": 'type="sphere" size="0.1"',
    "capsule": 'type="capsule" size="0.05 0.2"',
    "cylinder": 'type="cylinder" size="0.07 0.15"',
    "ellipsoid": 'type="ellipsoid" size="0.05 0.1 0.2"',
    "box": 'type="box" size="0.05 0.1 0.2"',
    "mesh": 'type="mesh" mesh="wedge"',
}
MODEL = """<mujoco><asset><mesh name="wedge" vertex="0 0 0  0.3 0 0  0 0.2 0  0 0 0.4  0.05 0.05 0.05"/></asset>
<worldbody><geom name="floor" type="plane" size="0 0 1"/>
<body name="part" pos="0 0 1"><freejoint/><geom name="part" {kind} margin="5"/></body></worldbody></mujoco>"""


@pytest.mark.parametrize("kind", KINDS)
def test_the_lowest_point_is_as_far_from_the_floor_as_mujoco_measures(kind):
    model = mujoco.MjModel.from_xml_string(MODEL.format(kind=KINDS[kind]))
    data = mujoco.MjData(model)
    geom = model.geom("part").id
    rng = np.random.default_rng(3)
    for turn in [Rotation.identity(), Rotation.from_rotvec([np.pi / 2, 0, 0]), *Rotation.random(12, rng=rng)]:
        data.qpos[:] = [0.1, -0.2, 1.3, *turn.as_quat(scalar_first=True)]
        mujoco.mj_kinematics(model, data)
        up = data.geom_xmat[None, :, 6:]
        lowest = _lowest_point(model, geom, data.geom_xpos[None, :, 2], up)
        distance = mujoco.mj_geomDistance(model, data, model.geom("floor").id, geom, 5.0, None)
        assert lowest == pytest.approx(distance, abs=1e-6)
