"""Receipts of drafts made by hand: costs, shares, verdicts and reasons; and what gaits and plants are judged by."""

from dataclasses import replace
from types import SimpleNamespace

import msgspec
import numpy as np
import pytest
from numpy.testing import assert_allclose

from strut.draft import Violation
from strut.emotion import named_emotion
from strut.engines.inverse_dynamics import ContactDemand
from strut.models.catalogue import load_robot
from strut.pilot.gait_library.gait_audit import GaitAudit, audit_gait, distance_to_segment, gait_violation
from strut.pilot.gait_library.gait_library_file import load_gait_library
from strut.pilot.plant.plant_audit import FEWEST_SAMPLES, was_piloted
from strut.receipt import Reason, ReasonKind
from strut.style import Style
from strut.verify.contact_force_fit import fit_contact_forces
from strut.verify.receipt_builder import (
    cost_of_transport,
    mean_share_over_parameters,
    mean_share_over_time,
    planned_receipt,
)

PETE = load_robot("mrpete")
MAIN_CUE_TABLE = msgspec.structs.replace(PETE.expression, main=("arm_swing",))
WITH_A_MAIN_CUE = replace(PETE, tables=replace(PETE.tables, expression=MAIN_CUE_TABLE))
TOO_MUCH = Violation("torque", np.array([True]), "too much")
JOINTS = len(PETE.joint_names)


def needs_of(**changes):
    speed = np.zeros((3, JOINTS))
    torque = np.zeros((3, JOINTS))
    speed[:, 1] = [1.0, -2.0, 1.0]
    torque[:, 1] = [2.0, 1.0, -4.0]
    plain = {
        "time_s": np.array([1.0, 1.5, 2.0]), "distance_m": 0.5, "torque_nm": torque, "joint_speed_rad_s": speed,
        "joint_limit_margin_rad": np.full((3, JOINTS), 0.2), "slip_m": np.array([[0.0] * 4, [0.001] * 4, [0.002] * 4]),
        "penetration_m": 0.0005, "margin_m": np.array([0.05, 0.03, 0.04]), "on_lines": False, "landings": None,
        "self_distance": SimpleNamespace(smallest_m=0.012), "parts": {},
        "qpos": np.array([[0.0, 0.0, 0.2], [0.25, 0.0, 0.2], [0.5, 0.0, 0.2]]),
    }  # fmt: skip
    return SimpleNamespace(**plain | changes)


def draft_of(needs=None, **changes):
    qpos = np.tile(PETE.standing_qpos, (3, 1))
    qpos[:, 0] = [0.0, 0.25, 0.5]
    plain = {
        "robot": PETE, "measured": needs or needs_of(), "qpos": qpos, "kept": 1.0, "reasons": (),
        "share_over_time": None, "expressed": {}, "not_expressed": (), "figures": {},
    }  # fmt: skip
    return SimpleNamespace(**plain | changes)


@pytest.mark.parametrize(
    ("way_m", "has_cost"),
    [([0.0, 0.25, 0.5], True), ([0.0, 0.3, 0.16], True), ([0.0, 0.4, 0.19], False), ([0.0, 0.0, 0.019], False),
     ([0.0, 0.0, 0.021], True)],
)  # fmt: skip
def test_on_the_spot_there_is_no_cost_of_transport(way_m, has_cost):
    """A walk that ends at less than half of the farthest it went, or within a tenth of 0.2 m, leads nowhere."""
    qpos = np.column_stack([way_m, np.zeros(3), np.full(3, 0.2)])
    needs = needs_of(qpos=qpos, distance_m=way_m[-1])
    assert (cost_of_transport(PETE, needs) is not None) == has_cost


@pytest.mark.parametrize(("reached_m_s", "percent"), [(0.2, None), (0.191, None), (0.172, "86 %"), (0.1, "50 %")])
def test_a_speed_that_is_not_reached_is_a_reason_and_no_verdict(reached_m_s, percent):
    """Happy walks 1.25 times as fast as the 0.16 m/s that neutral was asked for."""
    figures = {"walking_speed_m_s": reached_m_s, "walking_speed_asked_m_s": 0.16}
    found = receipt(emotion=None, figures=figures, style=Style(tempo=1.25))
    assert found.verdict == "ok"
    slowed = [reason.text for reason in found.reasons_of(ReasonKind.SLOWED)]
    assert len(slowed) == (percent is not None)
    assert all(f"{percent} of the 0.20 m/s asked" in text for text in slowed)


def test_the_cost_of_transport_is_work_without_braking_over_weight_and_way():
    """Powers of 2, 2 and 4 W over half seconds are 2.5 J."""
    assert cost_of_transport(PETE, needs_of()) == pytest.approx(2.5 / (PETE.mass_kg * 9.81 * 0.5))
    assert cost_of_transport(PETE, needs_of(distance_m=1e-6)) is None
    assert cost_of_transport(load_robot("pepper"), needs_of()) is None


def receipt(emotion="sad", asked=1.0, intensity=1.0, binding_limits=(), **changes):
    point = None if emotion is None else named_emotion(emotion)
    return planned_receipt(
        draft_of(**changes), emotion=point, asked=asked, intensity=intensity, binding_limits=binding_limits
    )


def test_a_receipt_has_the_worst_of_every_figure():
    found = receipt(expressed={"speed": 1.0})
    assert (found.verdict, found.reasons, found.robot) == ("ok", (), "mrpete")
    assert (found.duration_s, found.distance_m, found.speed_m_s) == (1.0, 0.5, 0.5)
    assert found.balance_margin_mm == pytest.approx(30.0)
    assert (found.joint_limit_margin_rad, found.foot_slip_mm, found.penetration_mm) == pytest.approx((0.2, 2.0, 0.5))
    assert found.joint_speed_use == pytest.approx(2.0 / PETE.joint_speed_limit_rad_s[1])
    assert found.torque_use == pytest.approx(4.0 / PETE.torque_limit_nm[1])
    assert found.self_collision_mm == pytest.approx(12.0)
    assert (found.intensity_asked, found.intensity_kept, found.expressed_share) == (1.0, 1.0, 1.0)
    assert found.pad == named_emotion("sad").pad


@pytest.mark.parametrize("needs", [needs_of(on_lines=True), needs_of(margin_m=np.array([0.1, np.inf, 0.1]))])
def test_without_an_inside_there_is_no_margin(needs):
    assert receipt(needs=needs).balance_margin_mm is None
    assert receipt(needs=needs_of(self_distance=None)).self_collision_mm is None


def test_shares_of_time_parameters_and_intensity_multiply():
    expressed = {"speed": 1.0, "postures": 0.5}
    over_time = np.array([1.0, 0.5, 0.9])
    draft = draft_of(expressed=expressed, share_over_time=over_time)
    assert (mean_share_over_time(draft), mean_share_over_parameters(draft)) == pytest.approx((0.8, 0.75))
    assert (mean_share_over_time(draft_of()), mean_share_over_parameters(draft_of())) == (1.0, 1.0)
    found = receipt(asked=0.8, intensity=0.4, expressed=expressed, share_over_time=over_time, kept=0.9)
    assert found.expressed_share == pytest.approx(0.5 * 0.8 * 0.75)
    assert found.intensity_kept == pytest.approx(0.36)
    assert found.verdict == "weakened"
    plain = receipt(emotion=None, expressed=expressed)
    assert plain.expressed_share is None
    assert (plain.intensity_asked, plain.intensity_kept, plain.verdict) == (None, None, "ok")
    assert receipt(asked=0.0, expressed=expressed).expressed_share is None


def test_binding_limits_and_reasons_of_the_draft_weaken():
    slow = Reason(ReasonKind.SLOWED, None, "slow")
    found = receipt(binding_limits=[TOO_MUCH], reasons=(slow,))
    assert (found.verdict, found.reasons) == ("weakened", (TOO_MUCH.reason, slow))


def test_parameters_that_are_weakened_alike_are_named_with_their_share():
    found = receipt(asked=0.8, intensity=0.6, binding_limits=[TOO_MUCH], expressed={"speed": 1.0, "lift": 1.0})
    assert found.reasons == (
        TOO_MUCH.reason,
        Reason(ReasonKind.WEAKENED, None, "speed and lift at 75 %"),
    )
    assert receipt(asked=0.8, intensity=0.8, expressed={"speed": 1.0}).reasons == ()


def reasons_of(**changes):
    return [(reason.kind, reason.text) for reason in receipt(**changes).reasons]


def test_too_little_says_whether_time_or_parameters_are_missing():
    fades = ("not_expressed", "the emotion fades in and out; more cycles express more of it")
    assert reasons_of(expressed={"speed": 1.0}, share_over_time=np.full(3, 0.84)) == [fades]
    assert reasons_of(expressed={"speed": 1.0}, share_over_time=np.full(3, 0.86)) == []
    some = {"speed": 0.84, "elbow_rad": 0.0, "lift": 0.9}
    assert reasons_of(expressed=some) == [("not_expressed", "speed and elbow are missing or weak")]
    assert reasons_of(expressed=some, share_over_time=np.full(3, 0.9))[0] == fades
    main_cue = "a main cue of the emotion, is missing"
    cues = dict.fromkeys(("speed", "lift", "sway", "bounce", "tempo", "stride", "elbow_rad"), 1.0)
    assert main_cue in reasons_of(expressed={"arm_swing": 0.0, **cues}, robot=WITH_A_MAIN_CUE)[0][1]
    assert reasons_of(expressed={"breath": 0.0, **cues}, robot=WITH_A_MAIN_CUE) == []


GOOD = GaitAudit(0.0, 0.0, 60.0, 0.0, 0.0, 0.0, 0.1, 0.5)
LIBRARY = SimpleNamespace(clearance_m=(0.05, 0.1), height_band_m=0.01)


@pytest.mark.parametrize(("field", "kept", "wrong", "words"), [
    ("jump", 0.99e-6, 1.01e-6, "away from its beginning"), ("slip_mm", 5.9, 6.1, "a stance sole moves"),
    ("clearance_mm", 45.1, 44.9, "high at mid-step"), ("lowest_swing_mm", -5.9, -6.1, "mm in the ground"),
    ("off_line_mm", 39.9, 40.1, "off the stance sole"), ("height_off_mm", 10.9, 11.1, "off its height"),
    ("joint_limit_margin_rad", -0.9e-3, -1.1e-3, "beyond its limit"), ("joint_speed_use", 1.009, 1.011, "of its speed"),
])  # fmt: skip
def test_a_coded_gait_keeps_each_bound(field, kept, wrong, words):
    assert gait_violation(replace(GOOD, **{field: kept}), 0.4, (0.3, 0.5), LIBRARY) == ""
    assert words in gait_violation(replace(GOOD, **{field: wrong}), 0.4, (0.3, 0.5), LIBRARY)
    both = gait_violation(replace(GOOD, **{field: wrong}), 0.6, (0.3, 0.5), LIBRARY)
    assert " and a step of 0.600 s is outside 0.300 to 0.500 s." in both
    for step_s, fits in ((0.3, True), (0.5, True), (0.29999, False), (0.50001, False)):
        assert (gait_violation(GOOD, step_s, (0.3, 0.5), LIBRARY) == "") is fits


def test_points_are_off_a_line_by_the_distance_from_its_nearest_point():
    line = np.tile([[1.0, 1.0], [4.0, 5.0]], (4, 1, 1))
    points = np.array([[1.0 + 1.5 - 0.8, 1.0 + 2.0 + 0.6], [1.0 - 0.3, 1.0 - 0.4], [4.6, 5.8], [2.5, 3.0]])
    assert_allclose(distance_to_segment(points, line), [1.0, 0.5, 1.0, 0.0], atol=1e-12)


def test_the_jump_of_a_gait_is_between_the_end_of_a_step_and_the_start_of_the_next():
    """The last control point of a Bézier curve is its value at the end; x and y of the base begin anew in each step."""
    cassie = load_robot("cassie")
    gait = load_gait_library(cassie).lookup(0.4, 0.1, 0.86)
    assert audit_gait(cassie, gait).jump < 1e-9
    for name, row, jump in (("base", 0, 0.0), ("base", 1, 0.0), ("base", 2, 0.1), ("base", 4, 0.1), ("motors", 3, 0.1)):
        curves = np.array(getattr(gait, name))
        curves[1, row, -1] += 0.1
        assert audit_gait(cassie, replace(gait, **{name: curves})).jump == pytest.approx(jump, abs=1e-9)


def test_only_what_has_the_columns_of_a_plant_was_piloted():
    cassie = load_robot("cassie")

    def draft(**changes):
        plain = {
            "torque_nm": 1,
            "ground_force_n": 1,
            "qpos": np.zeros((FEWEST_SAMPLES, 1)),
            "meta": {"piloted": {}},
            "robot": cassie,
        }
        return SimpleNamespace(**plain | changes)

    assert was_piloted(draft())
    for change in (
        {"torque_nm": None}, {"ground_force_n": None}, {"qpos": np.zeros((FEWEST_SAMPLES - 1, 1))},
        {"meta": {}}, {"robot": PETE},
    ):  # fmt: skip
        assert not was_piloted(draft(**change))


def test_forces_in_the_cone_explain_what_they_made_and_pulls_are_left_over():
    rng = np.random.default_rng(0)
    jacobian = rng.normal(size=(2, 3, 3, 6 + JOINTS))
    push = np.array([[0.3, 0.1, 2.0], [0.0, -0.2, 1.0], [0.0, 0.0, 0.0]])
    force = np.einsum("tpcv,pc->tv", jacobian, push)
    demand = ContactDemand(force, np.zeros((2, 3, 3)), jacobian)
    touches = np.array([[True, True, False], [False, False, False]])
    found = fit_contact_forces(PETE, demand, touches, friction=0.5)
    assert_allclose(found.rest[0], 0.0, atol=1e-3)
    assert_allclose(found.rest[1], force[1, :6])
    assert_allclose(found.torque_nm[1], force[1, 6:])
    assert not found.force_n[1].any()
    assert not found.force_n[0, 2].any()
    given = np.einsum("pcv,pc->v", jacobian[0], found.force_n[0])
    assert_allclose(force[0] - given, np.concatenate([found.rest[0], found.torque_nm[0]]), atol=1e-9)
    sideways = np.linalg.norm(found.force_n[0, :, :2], axis=1)
    assert (sideways <= 0.5 * found.force_n[0, :, 2] + 1e-9).all()
    away = fit_contact_forces(PETE, ContactDemand(-force, np.zeros((2, 3, 3)), jacobian), touches, friction=0.5)
    assert np.linalg.norm(away.rest[0]) > 0.1  # the ground does not pull
