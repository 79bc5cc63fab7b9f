"""The plant audit of a simulated stand, of changed columns, and of columns made by hand."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from strut.draft import Draft
from strut.models.catalogue import load_robot
from strut.pilot.controllers.reference import StandRequest
from strut.pilot.piloted_drafts import draft_of_run
from strut.pilot.piloted_simulation import Clock, simulate_requests
from strut.pilot.plant import plant_audit
from strut.pilot.plant.passive_forces import passive_forces
from strut.pilot.plant.plant_audit import was_piloted
from strut.pilot.plant.torque_model import torque_model
from strut.verify.measure import measure


@pytest.fixture(scope="module")
def stood():
    """Return the draft of half a second on two feet."""
    cassie = load_robot("cassie")
    clock = Clock(control_hz=1000.0, settle_s=0.5, rest_s=0.1)
    return draft_of_run(cassie, simulate_requests([StandRequest(0.6)], cassie, clock=clock))


def plant(draft):
    return measure(draft).needs.parts["plant"]


def test_a_recorded_stand_is_consistent_and_changed_forces_are_off_by_their_change(stood):
    assert was_piloted(stood)
    honest = plant(stood)
    assert honest.force_off < 0.01
    assert honest.torque_off < 0.05
    louder = plant(replace(stood, ground_force_n=1.1 * stood.ground_force_n))
    assert louder.force_off == pytest.approx(0.1, abs=0.01)


def test_tilt_is_the_largest_lean_of_the_base_at_any_heading(stood):
    assert plant(stood).tilt_rad < 0.05
    qpos = stood.qpos.copy()
    qpos[20, 3:7] = Rotation.from_euler("ZY", [2.0, 0.7]).as_quat(scalar_first=True)
    qpos[40, 3:7] = Rotation.from_euler("X", -0.3).as_quat(scalar_first=True)
    assert plant(replace(stood, qpos=qpos)).tilt_rad == pytest.approx(0.7)
    qpos[30, 3:7] = (0.0, 1.0, 0.0, 0.0)
    assert plant(replace(stood, qpos=qpos)).tilt_rad == pytest.approx(np.pi)


# columns made by hand, on a movement made by hand

CASSIE = load_robot("cassie")
SAMPLES = 60
STEP_S = 0.01
JOINTS = len(CASSIE.joint_names)
WEIGHT_N = CASSIE.mass_kg * 9.81
AWAY_M = np.array([0.6, -1.1, 0.0])


@pytest.fixture
def audit_of(monkeypatch):
    """Return a function that audits columns of a standing body whose movement needs given forces and torques."""

    def audit(*, torque_nm=None, force_n=None, step_s=STEP_S, torque_nm_needed=None, **needed):
        zero = np.zeros((SAMPLES, 3))
        dynamics = {
            "ground_force_n": np.tile([0.0, 0.0, WEIGHT_N], (SAMPLES, 1)),
            "ground_moment_nm": zero,
            "torque_nm": np.zeros((SAMPLES, JOINTS)) if torque_nm_needed is None else torque_nm_needed,
            "foot_in_world": np.zeros((SAMPLES, 2, 3)),
            "point_in_world": on_two_lines()[1],
            "contact_jacobian": np.zeros((SAMPLES, 4, 3, JOINTS)),
        } | needed
        monkeypatch.setattr(plant_audit, "inverse_dynamics", lambda *_: SimpleNamespace(**dynamics))
        draft = Draft(
            CASSIE,
            step_s * np.arange(SAMPLES),
            np.tile(CASSIE.standing_qpos, (SAMPLES, 1)),
            np.ones((SAMPLES, 2), dtype=bool),
            None,
            torque_nm=np.zeros((SAMPLES, JOINTS)) if torque_nm is None else torque_nm,
            ground_force_n=np.tile([0.0, 0.0, WEIGHT_N / 2.0], (SAMPLES, 2, 1)) if force_n is None else force_n,
            meta={"piloted": {}},
        )
        return plant_audit.plant_audit(draft, measure(replace(draft, meta={})).measured).parts["plant"]

    return audit


def on_two_lines(heading=0.0, apart_m=0.3, along_m=0.16):
    """Return the middles and the ends of two line feet side by side, and their axes. Shapes (T, 2, 3), (T, 4, 3)."""
    ahead = np.array([np.cos(heading), np.sin(heading), 0.0])
    left = np.array([-np.sin(heading), np.cos(heading), 0.0])
    middle = AWAY_M + np.stack([0.5 * apart_m * left, -0.5 * apart_m * left])
    ends = np.concatenate([[foot + 0.5 * along_m * ahead, foot - 0.5 * along_m * ahead] for foot in middle])
    return np.tile(middle, (SAMPLES, 1, 1)), np.tile(ends, (SAMPLES, 1, 1)), ahead, left


@pytest.mark.parametrize("heading", [0.0, 0.7, 2.5])
def test_the_centre_of_pressure_is_free_along_the_feet_but_not_across_them(audit_of, heading):
    middle, ends, ahead, left = on_two_lines(heading)
    force_n = np.tile([[0.0, 0.0, 180.0], [0.0, 0.0, 120.0]], (SAMPLES, 1, 1))  # 30 mm to the left of the middle
    for along_m, across_m in ((0.0, 0.03), (0.05, 0.03), (0.0, 0.018), (0.05, 0.045)):
        place = AWAY_M + along_m * ahead + across_m * left
        total = np.array([0.0, 0.0, 300.0])
        part = audit_of(
            force_n=force_n,
            foot_in_world=middle,
            point_in_world=ends,
            ground_force_n=np.tile(total, (SAMPLES, 1)),
            ground_moment_nm=np.tile(np.cross(place, total), (SAMPLES, 1)),
        )
        assert part.cop_off_m == pytest.approx(abs(across_m - 0.03), abs=1e-9)


def test_the_error_of_forces_is_their_sum_over_the_weight(audit_of):
    force_n = np.tile([[3.0, 0.0, 100.0], [0.0, 4.0, 100.0]], (SAMPLES, 1, 1))
    part = audit_of(force_n=force_n, ground_force_n=np.tile([0.0, 0.0, 200.0], (SAMPLES, 1)))
    assert part.force_off == pytest.approx(5.0 / WEIGHT_N)


@pytest.mark.parametrize(("step_s", "sample", "windows"), [
    (0.01, 14, 0), (0.01, 15, 1), (0.01, 16, 2), (0.01, 30, 10), (0.01, 44, 1), (0.01, 45, 0),
    (1.0, 0, 0), (1.0, 1, 1), (1.0, 58, 1), (1.0, 59, 0),
])  # fmt: skip
def test_forces_are_averaged_over_a_tenth_of_a_second_without_the_ends(audit_of, step_s, sample, windows):
    """A pulse in one sample counts in every window of 0.1 s that contains it, but at least a sample long."""
    width = 10 if step_s == 0.01 else 1
    cut = 15 if step_s == 0.01 else 1
    force_n = np.tile([0.0, 0.0, WEIGHT_N / 2.0], (SAMPLES, 2, 1))
    force_n[sample, 0, 0] += 50.0
    count = SAMPLES - 2 * cut - width + 1
    expected = 50.0 / width * np.sqrt(windows / count) / WEIGHT_N
    assert audit_of(force_n=force_n, step_s=step_s).force_off == pytest.approx(expected, abs=1e-12)


def torque_residual_nm(audit_of, missing_nm, claimed_nm=0.0, load_n=100.0):
    """Return the residual of torques that are wrong at a joint turned by half of the left foot's load, and at another.

    A force at the first end of the foot's line turns the joint; at the second end it does not.
    """
    turned = 2
    other = 9
    torque_nm = np.full((SAMPLES, JOINTS), claimed_nm)
    force_n = np.zeros((SAMPLES, 2, 3))
    force_n[:, 0, 2] = load_n
    jacobian = np.zeros((SAMPLES, 4, 3, JOINTS))
    jacobian[:, 0, 2, turned] = 1.0
    springs = passive_forces(
        torque_model(CASSIE, friction=0.6, step_s=1e-3),
        np.tile(CASSIE.standing_qpos, (SAMPLES, 1)),
        np.zeros((SAMPLES, 6 + JOINTS)),
    )
    needed = torque_nm + springs
    needed[:, turned] += 0.5 * load_n + missing_nm[0]
    needed[:, other] += missing_nm[1]
    off = audit_of(torque_nm=torque_nm, force_n=force_n, contact_jacobian=jacobian, torque_nm_needed=needed)
    return off.torque_off * max(np.sqrt(np.mean(needed**2)), np.sqrt(np.mean(torque_nm**2))) * np.sqrt(JOINTS)


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
def test_torques_may_lack_what_a_force_along_the_foot_explains_and_no_more(audit_of, missing_nm, left_nm):
    assert torque_residual_nm(audit_of, missing_nm) == pytest.approx(left_nm, abs=1e-3)
    assert torque_residual_nm(audit_of, missing_nm, claimed_nm=500.0) == pytest.approx(left_nm, abs=1e-3)


def test_a_foot_with_little_load_explains_nearly_all_that_it_can(audit_of):
    """Of 0.4 N m by half a newton metre, all but one part in 251: the regularization of an unloaded foot."""
    assert torque_residual_nm(audit_of, (0.4, 0.0), load_n=1.0) == pytest.approx(0.4 / 251.0, rel=1e-3)


def test_columns_of_a_run_replace_measured_torques_and_forces(stood):
    found = measure(stood).needs
    np.testing.assert_array_equal(found.torque_nm, stood.torque_nm)
    np.testing.assert_array_equal(found.ground_force_n, stood.ground_force_n)
    assert (found.force_disagreement, found.torque_disagreement) == (None, None)
    assert np.isposinf(found.margin_m).all()
