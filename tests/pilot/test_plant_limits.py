"""Limits of recorded runs of a torque-driven plant: the largest figures that pass and the smallest that do not."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from strut.models.catalogue import load_robot
from strut.pilot.plant import plant_limits
from strut.pilot.plant.torque_model import contact_load_n
from strut.verify.limits import limits_for, violations_of

CASSIE = load_robot("cassie")
SOUND_PLANT = plant_limits.PlantAudit(force_off=0.0, cop_off_m=0.0, torque_off=0.0, tilt_rad=0.0)


def broken_limits(**changes):
    """Return the names of the limits that a recorded run breaks; it is sound but for the changes."""
    joints = len(CASSIE.joint_names)
    feet = len(CASSIE.feet)
    plain = {
        "time_s": np.array([0.0, 0.5]), "contact": np.ones((2, feet), dtype=bool), "foot_height_m": np.zeros((2, feet)),
        "foot_top_m": np.zeros((2, feet)), "slip_m": np.zeros((2, feet)),
        "joint_limit_margin_rad": np.full((2, joints), 0.1), "clearance_m": np.full((2, 1), 0.1),
        "part_names": ("pelvis",),
        "joint_speed_rad_s": np.zeros((2, joints)),
        "torque_nm": np.zeros((2, joints)), "ground_force_n": np.tile([0.0, 0.0, 100.0], (2, feet, 1)),
        "parts": {"plant": SOUND_PLANT}, "force_disagreement": None, "torque_disagreement": None,
        "cop_disagreement_m": None, "margin_disagreement_m": None,
        "self_distance": None, "qpos": np.zeros((2, 3)),
    }  # fmt: skip
    audit = SimpleNamespace(**plain | changes)
    draft = SimpleNamespace(
        ground_force_n=None,
        robot=CASSIE,
        time_s=audit.time_s,
        contact=audit.contact,
        qpos=audit.qpos,
        measured=audit,
        violations=(),
    )
    return {violation.limit for violation in violations_of(draft, limits_for(CASSIE, margin_m=0.0, limit_set="plant"))}


@pytest.mark.parametrize(("field", "most", "limit"), [
    ("tilt_rad", plant_limits.MAX_TILT_RAD, "fall"), ("force_off", 0.025, "file"),
    ("cop_off_m", 0.008, "file"), ("torque_off", 0.07, "file"),
])  # fmt: skip
def test_a_recorded_run_is_refused_beyond_each_limit_of_its_plant(field, most, limit):
    assert broken_limits() == set()
    assert broken_limits(parts={"plant": replace(SOUND_PLANT, **{field: 0.999 * most})}) == set()
    assert broken_limits(parts={"plant": replace(SOUND_PLANT, **{field: 1.001 * most})}) == {limit}


def test_feet_of_a_plant_stay_within_friction_slip_and_contact_limits():
    friction = CASSIE.friction
    for share, wrong in ((0.999, set()), (1.002, {"friction"})):
        force = np.tile([0.0, 0.0, 100.0], (2, 2, 1))
        force[0, 1, 0] = share * 1.0005 * friction * 100.0
        assert broken_limits(ground_force_n=force) == wrong
    light = np.tile([0.0, 0.0, 100.0], (2, 2, 1))
    light[0, 1] = [50.0, 0.0, 0.99 * contact_load_n(CASSIE)]
    assert broken_limits(ground_force_n=light) == set()
    light[0, 1, 2] = 1.01 * contact_load_n(CASSIE)
    assert broken_limits(ground_force_n=light) == {"friction"}
    for field, most, limit in (
        ("slip_m", plant_limits.MAX_SLIP_M, "foot slip"),
        ("foot_height_m", plant_limits.MAX_OFF_LANDING_M, "foot contact"),
    ):
        for share, wrong in ((0.999, set()), (1.001, {limit})):
            table = np.zeros((2, 2))
            table[1, 0] = share * most
            assert broken_limits(**{field: table}) == wrong
    assert broken_limits(clearance_m=np.full((2, 1), -1e-6)) == {"ground clearance"}
    assert broken_limits(clearance_m=np.zeros((2, 1))) == set()
