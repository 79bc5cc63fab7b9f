"""Recorded walks part by part: where they are judged, what lands when, and why they are not believed."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.engines.rigid_body import foot_contact_points
from strut.gaits.hand_task.task_audit import _path, _style
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.pilot.plant import plant_limits
from strut.pilot.plant.torque_model import contact_load_n
from strut.verify import recorded_walk
from strut.verify.limits import limits_for, violations_of
from strut.verify.recorded_walk import (
    RecordedSoundness,
    _belt_m_s,
    _claimed_figure,
    _contact_columns,
    _count_steps,
    _feet_in_contact,
    _foot_slip_m,
    _foot_wrench,
    _is_judged,
    _is_near_landing,
    _landings,
    _reasons,
    _rms,
    was_recorded,
)

HEIMAN = load_robot("heiman")
FEET = len(HEIMAN.foot_names)
ENDS_S = recorded_walk.ENDS_S


def motion_of(down, step_s=0.01, start_s=2.0, **changes):
    """Return a motion of a standing body whose right and left feet are down as told. Shape (T, 2)."""
    down = np.asarray(down, dtype=bool)
    contact = np.zeros((len(down), FEET), dtype=bool)
    for foot, columns in enumerate(_contact_columns(HEIMAN)):
        contact[:, columns] = down[:, foot : foot + 1]
    qpos = np.tile(HEIMAN.standing_qpos, (len(down), 1))
    plain = Motion(
        "heiman", start_s + step_s * np.arange(len(down)), qpos, HEIMAN.joint_names, contact, HEIMAN.foot_names
    )
    return replace(plain, **changes)


def stepping(samples=101):
    """Return feet of which the first lands at sample 20 and lifts at 70, and the second lands at 60."""
    down = np.ones((samples, 2), dtype=bool)
    down[:20, 0] = down[70:, 0] = False
    down[30:60, 1] = False
    return down


def test_a_walk_is_judged_from_its_first_change_of_contacts_to_its_last_without_its_ends():
    inside = np.flatnonzero(_is_judged(motion_of(stepping())))
    assert (inside[0], inside[-1]) == (19, 70)
    ends = round(ENDS_S / 0.01)
    still = np.flatnonzero(_is_judged(motion_of(np.ones((101, 2)), start_s=0.0)))
    assert abs(int(still[0]) - ends) <= 1
    assert abs(int(still[-1]) - (100 - ends)) <= 1
    early = stepping()
    early[:, 0] = True
    early[:2, 0] = False
    early[:, 1] = True
    early[99:, 1] = False
    cut = np.flatnonzero(_is_judged(motion_of(early)))
    assert cut[0] >= ends - 1
    assert cut[-1] <= 100 - ends + 1


def test_feet_land_in_order_and_steps_are_from_one_to_the_other():
    motion = motion_of(stepping())
    assert _landings(HEIMAN, motion) == [(pytest.approx(2.2), 0), (pytest.approx(2.6), 1)]
    assert _count_steps(HEIMAN, motion) == 1
    hop = stepping()
    hop[:, 1] = True
    hop[30:40, 0] = False
    assert _count_steps(HEIMAN, motion_of(hop)) == 0
    near = _is_near_landing(HEIMAN, motion)
    since = motion.time_s - 2.2
    expected = (since > -recorded_walk.BEFORE_LANDING_S) & (since < recorded_walk.AFTER_LANDING_S)
    later = motion.time_s - 2.6
    expected |= (later > -recorded_walk.BEFORE_LANDING_S) & (later < recorded_walk.AFTER_LANDING_S)
    assert near.tolist() == expected.tolist()
    assert _feet_in_contact(HEIMAN, motion.contact).tolist() == stepping().tolist()


def test_wrenches_of_feet_are_about_the_origin_with_points_on_the_ground():
    rng = np.random.default_rng(0)
    points = rng.normal(size=(2, FEET, 3))
    force = rng.normal(size=(2, FEET, 3))
    own = _contact_columns(HEIMAN)[1]
    wrench = _foot_wrench(points, force, own)
    flat = points[:, own].copy()
    flat[..., 2] = 0.0
    assert_allclose(wrench[:, :3], force[:, own].sum(axis=1))
    assert_allclose(wrench[:, 3:], np.cross(flat, force[:, own]).sum(axis=1))
    assert _rms(np.array([[3.0, 4.0], [0.0, 0.0]])) == pytest.approx(np.sqrt(12.5))
    assert _rms(np.zeros((0, 2))) is None


def test_a_foot_slides_from_the_middle_of_where_it_stood_and_with_the_belt():
    motion = motion_of(np.ones((5, 2)))
    qpos = motion.qpos.copy()
    qpos[:, 0] += [0.0, 0.0, 0.0, 0.03, 0.0]
    slid = replace(motion, qpos=qpos)
    assert _foot_slip_m(HEIMAN, slid, foot_contact_points(HEIMAN, qpos)) == pytest.approx(0.03)
    belt = replace(motion, meta={"belt_m_s": [-0.5, 0.1, 0.0]})
    assert_allclose(_belt_m_s(belt), [-0.5, 0.1])
    carried = motion.qpos.copy()
    carried[:, :2] += np.outer(motion.time_s, [-0.5, 0.1])
    assert _foot_slip_m(HEIMAN, replace(belt, qpos=carried), foot_contact_points(HEIMAN, carried)) == pytest.approx(
        0.0, abs=1e-9
    )
    assert_allclose(_belt_m_s(motion), [0.0, 0.0])


GOOD = RecordedSoundness(0.0, 0.0, 0.0, 0.0, 0.1, 0.5, 0.0, 0.0, 2, 5.0, None)


@pytest.mark.parametrize(("field", "most", "words"), [
    ("unexplained_weight", recorded_walk.MAX_UNEXPLAINED, "forces in the file leave"),
    ("landing_weight", recorded_walk.MAX_AT_LANDINGS, "forces at landings leave"),
    ("unexplained_moment_weight_m", recorded_walk.MAX_UNEXPLAINED_M, "of moment is unexplained"),
    ("landing_moment_weight_m", recorded_walk.MAX_AT_LANDINGS_M, "unexplained at landings"),
    ("friction_use", 1.0, "friction: a foot needs"),
    ("torque_disagreement", recorded_walk.MAX_TORQUE_ERROR, "file: torques are"),
    ("highest_mm", 1e3 * recorded_walk.MAX_SOLE_HEIGHT_M, "above the ground"),
    ("marker_error_mean_mm", recorded_walk.MAX_MARKER_ERROR_MM, "markers are"),
])  # fmt: skip
def test_a_recorded_walk_is_not_believed_beyond_each_bound(field, most, words):
    assert _reasons(GOOD, 0.0, 0.0) == []
    assert _reasons(replace(GOOD, **{field: 0.999 * most}), 0.0, 0.0) == []
    (said,) = _reasons(replace(GOOD, **{field: 1.001 * most}), 0.0, 0.0)
    assert words in str(said)
    if field != "highest_mm":
        assert _reasons(replace(GOOD, **{field: None}), 0.0, 0.0) == []


@pytest.mark.parametrize("given", [0.99, 1.0, 1.022, 1.09, 1 / 1.09])
def test_a_mass_that_plates_confirm_is_believed(given):
    assert _reasons(replace(GOOD, plate_share=1.0 / given), 0.0, 0.0) == []


@pytest.mark.parametrize(("given", "felt"), [(1.31, "76 %"), (1.2, "83 %"), (1.11, "90 %"), (1 / 1.11, "111 %")])
def test_a_mass_that_plates_deny_is_refused_whether_it_is_too_large_or_too_small(given, felt):
    """A mass 31 % too large is felt as 76 % of its force, which is less than a quarter off."""
    (said,) = _reasons(replace(GOOD, plate_share=1.0 / given), 0.0, 0.0)
    assert said.text == f"plates feel {felt} of the vertical force that this mass needs for the movement"


def test_deep_sliding_pulled_and_stepless_walks_are_not_believed():
    deep = 1e3 * recorded_walk.MAX_PENETRATION_M
    slide = 1e3 * recorded_walk.MAX_SLIP_M
    assert _reasons(GOOD, 0.999 * deep, 0.999 * slide) == []
    assert "in the ground" in _reasons(GOOD, 1.001 * deep, 0.0)[0].text
    assert "slides" in _reasons(GOOD, 0.0, 1.001 * slide)[0].text
    assert _reasons(replace(GOOD, least_vertical_weight=0.0), 0.0, 0.0) == []
    assert "pull" in _reasons(replace(GOOD, least_vertical_weight=-1e-6), 0.0, 0.0)[0].text
    assert _reasons(replace(GOOD, steps=1), 0.0, 0.0) == []
    assert "no whole step" in _reasons(replace(GOOD, steps=0), 0.0, 0.0)[0].text


def test_a_motion_says_that_it_was_recorded_and_how_far_its_markers_are():
    plain = motion_of(np.ones((3, 2)))
    assert not was_recorded(plain)
    assert was_recorded(replace(plain, meta={"observed": {}, "source": "a.c3d"}))
    assert not was_recorded(replace(plain, meta={"observed": {}}))
    assert not was_recorded(replace(plain, meta={"observed": 3, "source": "a.c3d"}))
    for said, error in ((7, 7.0), (2.5, 2.5), ("7", None), (np.nan, None), (None, None)):
        assert _claimed_figure(replace(plain, meta={"marker_error_mean_mm": said}), "marker_error_mean_mm") == error


SOUND_PLANT = plant_limits.PlantAudit(force_off=0.0, cop_off_m=0.0, torque_off=0.0, tilt_rad=0.0)


def plant_needs(**changes):
    cassie = load_robot("cassie")
    joints = len(cassie.joint_names)
    feet = len(cassie.feet)
    plain = {
        "time_s": np.array([0.0, 0.5]), "contact": np.ones((2, feet), dtype=bool), "foot_height_m": np.zeros((2, feet)),
        "foot_top_m": np.zeros((2, feet)), "slip_m": np.zeros((2, feet)),
        "joint_limit_margin_rad": np.full((2, joints), 0.1), "clearance_m": np.full((2, 1), 0.1),
        "part_names": ("pelvis",),
        "joint_speed_rad_s": np.zeros((2, joints)),
        "torque_nm": np.zeros((2, joints)), "ground_force_n": np.tile([0.0, 0.0, 100.0], (2, feet, 1)),
        "parts": {"plant": SOUND_PLANT}, "force_disagreement": None, "torque_disagreement": None,
        "self_distance": None, "qpos": np.zeros((2, 3)),
    }  # fmt: skip
    needs = SimpleNamespace(**plain | changes)
    draft = SimpleNamespace(
        robot=cassie, time_s=needs.time_s, contact=needs.contact, qpos=needs.qpos, measured=needs, violations=()
    )
    return {short.limit for short in violations_of(draft, limits_for(cassie, margin_m=0.0, limit_set="plant"))}


@pytest.mark.parametrize(("field", "most", "limit"), [
    ("tilt_rad", plant_limits.MAX_TILT_RAD, "fall"), ("force_off", 0.025, "file"),
    ("cop_off_m", 0.008, "file"), ("torque_off", 0.07, "file"),
])  # fmt: skip
def test_a_plant_is_judged_by_what_its_columns_explain(field, most, limit):
    assert plant_needs() == set()
    assert plant_needs(parts={"plant": replace(SOUND_PLANT, **{field: 0.999 * most})}) == set()
    assert plant_needs(parts={"plant": replace(SOUND_PLANT, **{field: 1.001 * most})}) == {limit}


def test_feet_of_a_plant_may_slide_and_land_a_little_and_need_no_more_than_the_friction():
    friction = load_robot("cassie").friction
    for share, wrong in ((0.999, set()), (1.002, {"friction"})):
        force = np.tile([0.0, 0.0, 100.0], (2, 2, 1))
        force[0, 1, 0] = share * 1.0005 * friction * 100.0
        assert plant_needs(ground_force_n=force) == wrong
    light = np.tile([0.0, 0.0, 100.0], (2, 2, 1))
    light[0, 1] = [50.0, 0.0, 0.99 * contact_load_n(load_robot("cassie"))]
    assert plant_needs(ground_force_n=light) == set()
    light[0, 1, 2] = 1.01 * contact_load_n(load_robot("cassie"))
    assert plant_needs(ground_force_n=light) == {"friction"}
    for field, most, limit in (
        ("slip_m", plant_limits.MAX_SLIP_M, "foot slip"),
        ("foot_height_m", plant_limits.MAX_OFF_LANDING_M, "foot contact"),
    ):
        for share, wrong in ((0.999, set()), (1.001, {limit})):
            table = np.zeros((2, 2))
            table[1, 0] = share * most
            assert plant_needs(**{field: table}) == wrong
    assert plant_needs(clearance_m=np.full((2, 1), -1e-6)) == {"ground clearance"}
    assert plant_needs(clearance_m=np.zeros((2, 1))) == set()


def test_the_task_of_a_motion_lasts_as_long_as_it_to_a_sample_and_a_half():
    pepper = load_robot("pepper")
    rows = np.column_stack([np.linspace(0.0, 2.0, 5), np.zeros((5, 2)), np.ones(5)])
    task = {"task": "draw", "hand": "right", "path": rows.tolist()}
    for samples, duration_s, fits in ((21, 2.14, True), (21, 2.17, False), (5, 1.5, True), (5, 1.4, False)):
        time_s = 3.0 + np.linspace(0.0, duration_s, samples)
        if fits:
            assert _path(pepper, task, time_s).duration_s == 2.0
        else:
            with pytest.raises(ValueError, match="its task takes 2 s"):
                _path(pepper, task, time_s)
    for wrong in (rows[:, :3], rows[0], np.where(rows == 1.0, np.nan, rows)):
        with pytest.raises(ValueError, match="no table of 4 or 8"):
            _path(pepper, task | {"path": wrong.tolist()}, np.linspace(0.0, 2.0, 5))
    free = _path(pepper, task | {"platform": "free"}, np.linspace(0.0, 2.0, 5))
    assert free.platform is None
    assert _style(None) is None
    assert _style({"gaze": "0.25"}).gaze == 0.25
