"""A plant audit: a body that really stood explains itself, and columns that were changed are off by as much."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.models.catalogue import load_robot
from strut.pilot.controllers.reference import StandRequest
from strut.pilot.piloted_drafts import draft_of_run
from strut.pilot.piloted_simulation import Clock, simulate_requests
from strut.pilot.plant.passive_forces import passive_forces
from strut.pilot.plant.plant_audit import _cop_off, _force_off, _smoothing, _torque_off, was_piloted
from strut.pilot.plant.torque_model import torque_model
from strut.verify.measure import measure


@pytest.fixture(scope="module")
def stood():
    """What came of half a second on two feet."""
    cassie = load_robot("cassie")
    clock = Clock(control_hz=1000.0, settle_s=0.5, rest_s=0.1)
    return draft_of_run(cassie, simulate_requests([StandRequest(0.6)], cassie, clock=clock))


def plant(draft):
    return measure(draft).needs.parts["plant"]


def test_a_recorded_stand_explains_itself_and_changed_forces_are_off_by_as_much(stood):
    assert was_piloted(stood)
    honest = plant(stood)
    assert honest.force_off < 0.01
    assert honest.torque_off < 0.05
    louder = plant(replace(stood, ground_force_n=1.1 * stood.ground_force_n))
    assert louder.force_off == pytest.approx(0.1, abs=0.01)


def test_tilt_is_how_far_the_base_leans_at_most_whichever_way_it_faces(stood):
    assert plant(stood).tilt_rad < 0.05
    qpos = stood.qpos.copy()
    qpos[20, 3:7] = Rotation.from_euler("ZY", [2.0, 0.7]).as_quat(scalar_first=True)
    qpos[40, 3:7] = Rotation.from_euler("X", -0.3).as_quat(scalar_first=True)
    assert plant(replace(stood, qpos=qpos)).tilt_rad == pytest.approx(0.7)
    qpos[30, 3:7] = (0.0, 1.0, 0.0, 0.0)
    assert plant(replace(stood, qpos=qpos)).tilt_rad == pytest.approx(np.pi)


# parts, on columns that are written by hand

CASSIE = load_robot("cassie")
SAMPLES = 60
STEP_S = 0.01
JOINTS = len(CASSIE.joint_names)
AWAY_M = np.array([0.6, -1.1, 0.0])


def on_two_lines(heading=0.0, apart_m=0.3, along_m=0.16):
    """Return where two line feet stand, side by side, and their ends. Shapes (T, 2, 3), (T, 4, 3)."""
    ahead = np.array([np.cos(heading), np.sin(heading), 0.0])
    left = np.array([-np.sin(heading), np.cos(heading), 0.0])
    middle = AWAY_M + np.stack([0.5 * apart_m * left, -0.5 * apart_m * left])
    ends = np.concatenate([[one + 0.5 * along_m * ahead, one - 0.5 * along_m * ahead] for one in middle])
    return np.tile(middle, (SAMPLES, 1, 1)), np.tile(ends, (SAMPLES, 1, 1)), ahead, left


@pytest.mark.parametrize("heading", [0.0, 0.7, 2.5])
def test_pressure_may_be_anywhere_along_the_feet_but_not_across_them(heading):
    middle, ends, ahead, left = on_two_lines(heading)
    load_n = np.tile([[0.0, 0.0, 180.0], [0.0, 0.0, 120.0]], (SAMPLES, 1, 1))  # 30 mm to the left of the middle
    for along_m, across_m in ((0.0, 0.03), (0.05, 0.03), (0.0, 0.018), (0.05, 0.045)):
        place = AWAY_M + along_m * ahead + across_m * left
        total = np.array([0.0, 0.0, 300.0])
        needed = {"ground_force_n": total, "ground_moment_nm": np.cross(place, total)}
        dynamics = SimpleNamespace(
            foot_in_world=middle,
            point_in_world=ends,
            **{name: np.tile(value, (SAMPLES, 1)) for name, value in needed.items()},
        )
        off_m = _cop_off(CASSIE, dynamics, load_n, _smoothing(STEP_S * np.arange(SAMPLES)))
        assert off_m == pytest.approx(abs(across_m - 0.03), abs=1e-9)


def test_forces_are_off_by_their_sum_over_the_weight():
    force_n = np.tile([[3.0, 0.0, 100.0], [0.0, 4.0, 100.0]], (SAMPLES, 1, 1))
    dynamics = SimpleNamespace(ground_force_n=np.tile([0.0, 0.0, 200.0], (SAMPLES, 1)))
    off = _force_off(CASSIE, dynamics, force_n, _smoothing(STEP_S * np.arange(SAMPLES)))
    assert off == pytest.approx(5.0 / (CASSIE.mass_kg * 9.81))


def torque_off(missing_nm, claimed_nm=0.0, load_n=100.0):
    """Return what is left of torques that lack at a joint which half of the left foot's load turns, and at another."""
    turned = 2
    other = 9
    samples = (SAMPLES, JOINTS)
    qpos = np.tile(CASSIE.standing_qpos, (SAMPLES, 1))
    torque_nm = np.full(samples, claimed_nm)
    force_n = np.zeros((SAMPLES, 2, 3))
    force_n[:, 0, 2] = load_n
    jacobian = np.zeros((SAMPLES, 4, 3, JOINTS))
    jacobian[:, 0, 2, turned] = 1.0  # at its first end a push turns the joint, at its second one it does not
    still = np.zeros((SAMPLES, 6 + JOINTS))
    springs = passive_forces(torque_model(CASSIE, friction=0.6, step_s=1e-3), qpos, still)
    needed = torque_nm + springs
    needed[:, turned] += 0.5 * load_n + missing_nm[0]
    needed[:, other] += missing_nm[1]
    dynamics = SimpleNamespace(torque_nm=needed, contact_jacobian=jacobian)
    draft = SimpleNamespace(torque_nm=torque_nm, ground_force_n=force_n, qpos=qpos)
    off = _torque_off(CASSIE, dynamics, draft, still, _smoothing(STEP_S * np.arange(SAMPLES)))
    return off * max(np.sqrt(np.mean(needed**2)), np.sqrt(np.mean(torque_nm**2))) * np.sqrt(JOINTS)


@pytest.mark.parametrize(
    ("missing_nm", "left_nm"),
    [
        ((0.0, 0.0), 0.0),
        ((25.0, 0.0), 0.0),
        ((-49.0, 0.0), 0.0),
        ((80.0, 0.0), 30.0),
        ((-53.0, 0.0), 3.0),
        ((0.0, 7.0), 7.0),
    ],
)
def test_torques_may_lack_what_a_place_on_the_line_of_a_foot_explains_and_no_more(missing_nm, left_nm):
    assert torque_off(missing_nm) == pytest.approx(left_nm, abs=1e-3)
    assert torque_off(missing_nm, claimed_nm=500.0) == pytest.approx(left_nm, abs=1e-3)


def test_a_foot_that_hardly_pushes_explains_nearly_all_that_it_could():
    """Of 0.4 N m by half a newton metre, all but one part in 251: what keeps an unloaded foot from being anywhere."""
    assert torque_off((0.4, 0.0), load_n=1.0) == pytest.approx(0.4 / 251.0, rel=1e-3)


def test_a_record_with_few_samples_is_taken_as_it_is_without_its_ends():
    values = np.array([[9.0], [1.0], [4.0], [2.0], [9.0]])
    assert _smoothing(np.arange(5.0))(values).tolist() == [[1.0], [4.0], [2.0]]


def test_columns_of_a_run_take_the_place_of_what_was_measured(stood):
    found = measure(stood).needs
    np.testing.assert_array_equal(found.torque_nm, stood.torque_nm)
    np.testing.assert_array_equal(found.ground_force_n, stood.ground_force_n)
    assert (found.force_disagreement, found.torque_disagreement) == (None, None)
    assert np.isposinf(found.margin_m).all()
