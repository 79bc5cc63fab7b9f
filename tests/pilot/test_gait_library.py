"""A gait library reproduces its grid exactly, is continuous between, clamps outside, and knows its mirror image."""

from dataclasses import replace

import msgspec
import mujoco
import numpy as np
import pytest

from strut.errors import BadTableError, OutOfRangeError
from strut.models.catalogue import HOME, load_robot
from strut.pilot.gait_library.gait_library import GaitLibrary, PeriodicGait, bezier_basis, bezier_fit
from strut.pilot.gait_library.gait_library_build import gait_grid
from strut.pilot.gait_library.gait_library_file import load_gait_library
from strut.schemas.gait_library import GaitGrid, GridAxis

CASSIE = load_robot("cassie")
MIRROR = CASSIE.tables.gait_library.motor_mirror


@pytest.fixture(scope="module")
def library():
    return load_gait_library(load_robot("cassie"))


def test_a_curve_passes_its_ends_and_its_derivative_is_that_of_finite_differences():
    rng = np.random.default_rng(0)
    coefficients = rng.normal(size=8)
    share = np.array([0.2, 0.7])
    step = 1e-6
    np.testing.assert_allclose(bezier_basis(7, np.array([0.0, 1.0])) @ coefficients, coefficients[[0, -1]], atol=1e-12)
    for order in (0, 1):
        ahead, behind = (bezier_basis(7, share + way * step, order) @ coefficients for way in (1.0, -1.0))
        slope = bezier_basis(7, share, order + 1) @ coefficients
        np.testing.assert_allclose((ahead - behind) / (2.0 * step), slope, rtol=1e-6)


def test_a_polynomial_comes_back_from_its_samples():
    share = np.linspace(0.0, 1.0, 50)
    values = np.column_stack([share**3 - share, 2.0 - share**7])
    np.testing.assert_allclose(bezier_basis(7, share) @ bezier_fit(share, values).T, values, atol=1e-10)


def test_the_grid_comes_back_exactly(library):
    for index in ((0, 0, 0), (2, 3, 1), (4, 4, 4)):
        gait = library.gait(*index)
        found = library.lookup(*gait.parameter)
        assert found.step_s == gait.step_s
        np.testing.assert_array_equal(found.motors, gait.motors)
        np.testing.assert_array_equal(found.base, gait.base)


def test_between_gaits_it_is_continuous_and_half_way_is_the_mean(library):
    one = library.gait(2, 2, 2)
    other = library.gait(3, 2, 2)
    middle = library.lookup(*np.mean([one.parameter, other.parameter], axis=0))
    np.testing.assert_allclose(middle.motors, (one.motors + other.motors) / 2.0, atol=1e-12)
    forward, left, height = other.parameter
    for tiny in (-1e-9, 1e-9):
        near = library.lookup(forward + tiny, left + tiny, height + tiny)
        np.testing.assert_allclose(near.motors, other.motors, atol=1e-7)


def test_outside_the_grid_it_is_the_border(library):
    beyond = library.lookup(9.0, -9.0, 9.0)
    np.testing.assert_array_equal(beyond.motors, library.gait(4, 0, 4).motors)
    assert beyond.parameter == (1.0, -0.3, 1.0)


def test_a_border_is_continued_as_far_as_asked_and_no_farther(library):
    border, inside = (library.lookup(speed, 0.0, 0.825) for speed in (1.0, 0.8))
    beyond = library.lookup(1.2, 0.0, 0.825, beyond=0.5)
    np.testing.assert_allclose(beyond.motors, 2.0 * border.motors - inside.motors, atol=1e-12)
    assert beyond.parameter[0] == pytest.approx(1.2)
    assert library.lookup(-9.0, 0.0, 0.825, beyond=0.5).parameter[0] == pytest.approx(-1.25)


def test_every_gait_repeats_and_goes_with_its_speed(library):
    for _, gait in library:
        for stance in (0, 1):
            base, motors = gait.at(stance, 0.0)
            end, ended = gait.at(1 - stance, 1.0)
            np.testing.assert_allclose(motors, ended, atol=1e-6)
            np.testing.assert_allclose(base[2:], end[2:], atol=1e-6)
        speeds = [gait.at(stance, np.linspace(0.0, 1.0, 201), 1)[0][:, :2].mean(axis=0) for stance in (0, 1)]
        np.testing.assert_allclose(np.mean(speeds, axis=0), gait.parameter[:2], atol=5e-3)
        assert abs(gait.at(0, np.linspace(0.0, 1.0, 50))[0][:, 2] - gait.parameter[2]).max() < 0.036
    assert library.gait(2, 2, 4).step_s == pytest.approx(0.4, abs=1e-6)  # at 1.0 m, where nothing else is allowed


def test_a_mirror_image_of_a_mirror_image_is_the_gait(library):
    gait = library.gait(3, 4, 2)
    back = gait.mirror(MIRROR).mirror(MIRROR)
    np.testing.assert_array_equal(back.motors, gait.motors)
    assert gait.mirror(MIRROR).parameter == (0.5, -0.3, gait.parameter[2])
    left = gait.at(0, 0.3)
    right = gait.mirror(MIRROR).at(1, 0.3)
    assert left[0][1] == -right[0][1]  # the base is on the other side of the other foot
    assert left[1][3] == right[1][8]  # and the left knee is the right one


@pytest.mark.parametrize("motor", range(5))
def test_the_signs_of_the_motors_mirror_the_feet_of_the_model(motor):
    """Turn one motor of the left leg, and its mirror image on the right: MuJoCo moves the feet to mirrored places."""
    motors = CASSIE.tables.control.motors
    body = mujoco.MjModel.from_xml_path(str(HOME / "cassie" / "cassie.xml"))
    toes = []
    for side, sign in ((0, 1), (1, MIRROR[motor])):
        data = mujoco.MjData(body)
        data.qpos[:] = body.qpos0
        data.joint(motors[5 * side + motor]).qpos += 0.1 * sign
        mujoco.mj_forward(body, data)
        foot = CASSIE.tables.control.foot[side]
        place = data.body(foot.body)
        toes.append(place.xpos + place.xmat.reshape(3, 3) @ foot.toe_m)
    np.testing.assert_allclose(toes[0], toes[1] * [1.0, -1.0, 1.0], atol=1e-6)


def test_signs_that_do_not_fit_the_motors_are_refused():
    table = msgspec.structs.replace(CASSIE.tables.gait_library, motor_mirror=(1, 1))
    robot = replace(CASSIE, tables=replace(CASSIE.tables, gait_library=table))
    with pytest.raises(BadTableError, match="has 2 signs in motor_mirror; a leg has 5 motors"):
        gait_grid(robot)


def test_a_missing_gait_is_reported_with_its_speed():
    axis = GridAxis(-1.0, 1.0, 2)
    grid = GaitGrid(axis, GridAxis(-0.3, 0.3, 1), GridAxis(0.8, 0.9, 1))
    gait = PeriodicGait((-1.0, 0.0, 0.85), 0.35, np.zeros((2, 6, 8)), np.zeros((2, 10, 8)))
    library = GaitLibrary("cassie", "", grid, {(0, 0, 0): gait})
    assert library.lookup(-1.0, 0.0, 0.85).step_s == 0.35
    with pytest.raises(
        OutOfRangeError, match=r"cassie has no gait at 0\.5 and 0 m/s, 0\.85 m high; `strut library map"
    ):
        library.lookup(0.5, 0.0, 0.85)
