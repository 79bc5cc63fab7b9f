"""The MJCF text: inertias of boxes, rods and balls from the book, and mounts that are rotations."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.models.limb_robot import mount_rotation


@pytest.fixture(scope="module")
def model(mrpete):
    return mrpete.model


def inertia(model, body):
    """Return a body's inertia about its own centre, sorted."""
    return np.sort(model.body_inertia[model.body(body).id])


def test_body_is_a_solid_box(model):
    a = 0.35
    b = 0.25
    c = 0.08
    expected = 3.0 / 12.0 * np.array([b * b + c * c, a * a + c * c, a * a + b * b])
    assert_allclose(inertia(model, "body"), np.sort(expected), rtol=1e-9)


@pytest.mark.parametrize(
    ("link", "mass_kg", "length_m", "radius_m"),
    [("hip_spin", 0.49, 0.22, 0.02), ("shin_spin", 0.34, 0.24, 0.016), ("ankle_spin", 0.15, 0.04, 0.01)],
)
@pytest.mark.parametrize("leg", ["LF", "LH", "RF", "RH"])
def test_links_are_solid_cylinders_with_their_mass_in_the_middle(model, leg, link, mass_kg, length_m, radius_m):
    body = model.body(f"{leg}_{link}")
    along = mass_kg * radius_m**2 / 2
    across = mass_kg * (3 * radius_m**2 + length_m**2) / 12
    assert body.mass[0] == mass_kg
    assert_allclose(inertia(model, body.name), np.sort([along, across, across]), rtol=1e-9)
    assert_allclose(np.abs(body.ipos), [0.0, 0.0, length_m / 2], atol=1e-12)


def test_joint_crosses_are_solid_balls(model):
    assert_allclose(inertia(model, "LF_knee"), np.full(3, 0.4 * 0.005 * 0.024**2), rtol=1e-9)


def test_servos_are_those_of_the_table(mrpete, model):
    assert model.nu == 28
    assert tuple(model.actuator(i).name for i in range(28)) == mrpete.joint_names
    assert_allclose(model.actuator_forcerange, np.tile([-8.4, 8.4], (28, 1)))
    assert_allclose(model.actuator_gainprm[:, 0], np.full(28, 300.0))
    assert_allclose(model.actuator_biasprm[:, :3], np.tile([0.0, -300.0, -3.0], (28, 1)))
    assert_allclose(model.jnt_range[1:], np.stack([mrpete.joint_lower_rad, mrpete.joint_upper_rad], axis=1))


def test_only_the_floor_and_what_may_touch_it_collide(mrpete, model):
    floor = model.geom("floor")
    assert (floor.contype[0], floor.conaffinity[0]) == (0, 1)
    assert (model.geom_conaffinity[1:] == 0).all()  # legs pass through each other: the audit does not look there
    assert floor.friction[0] == mrpete.friction
    for foot in mrpete.feet:
        assert model.geom(foot.frame).size[0] == foot.radius_m
        assert_allclose(model.geom(foot.frame).pos, model.site(foot.frame).pos)


def test_mounts_are_rotations_and_mirror_images(mrpete):
    mounts = {mount.name: mount for mount in mrpete.tables.robot.mount}
    for mount in mounts.values():
        rotation = mount_rotation(mount.x_axis, mount.z_axis)
        assert_allclose(rotation @ rotation.T, np.eye(3), atol=1e-12)
        assert np.linalg.det(rotation) == pytest.approx(1.0)
        assert abs(np.rad2deg(np.arcsin(rotation[2, 2]))) == pytest.approx(45.0)  # printed
    for left, right in (("LF", "RF"), ("LH", "RH")):
        assert_allclose(np.array(mounts[left].position_m) * [1, -1, 1], mounts[right].position_m)
        assert_allclose(np.array(mounts[left].z_axis) * [1, -1, 1], mounts[right].z_axis)


def test_upright_the_body_is_half_a_metre_high(mrpete):
    """Printed: 500 mm from the ground with straight legs; hip at mid-height, thigh, shin, ankle to sole."""
    limb = mrpete.tables.robot.limb["leg"]
    assert sum(link.offset_m[2] for link in limb.links) - limb.foot.position_m[2] == pytest.approx(0.5)
