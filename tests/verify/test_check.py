"""What `check` takes from a file, what it refuses, and the figures of receipts that only some bodies have."""

from dataclasses import replace
from functools import cache
from importlib.metadata import EntryPoint
from types import SimpleNamespace

import numpy as np
import pytest

import strut
from strut import check, registry
from strut.errors import OutOfRangeError
from strut.gaits.hand_task.task_limits import TaskAudit
from strut.motion import Motion
from strut.robot import Robot
from strut.schemas.expression import ExpressionTable
from strut.verify.check import planned_margin_m
from strut.verify.receipt_builder import receipt_for
from tests.verify.hand_made import PETE, needs_of

SAMPLES = 5
ASIDE_M = np.array([0.0, 0.02])


def standing(**changes):
    qpos = np.tile(PETE.standing_qpos, (SAMPLES, 1))
    contact = np.ones((SAMPLES, 4), dtype=bool)
    plain = Motion("mrpete", 0.02 * np.arange(SAMPLES), qpos, PETE.joint_names, contact, PETE.foot_names)
    return replace(plain, **changes)


@pytest.mark.parametrize("margin_m", [-1e-6, np.nan, np.inf])
def test_invalid_margins_are_refused(margin_m):
    with pytest.raises(OutOfRangeError, match="it must be a number of at least 0"):
        check(standing(), margin_m=margin_m)


def test_a_margin_of_zero_is_valid():
    assert check(standing(), margin_m=0.0).robot == "mrpete"


@pytest.mark.parametrize(
    ("said", "margin_m"),
    [(0.02, 0.02), (1, 1.0), (-0.5, 0.0), (True, 0.0), (np.nan, 0.0), (np.inf, 0.0), ("0.02", 0.0), (None, 0.0)],
)
def test_the_margin_of_a_file_is_used_if_it_is_valid(said, margin_m):
    assert planned_margin_m(standing(meta={"options": {"margin_m": said}})) == margin_m


@pytest.mark.parametrize(
    ("meta", "layer"),
    [
        ({"request": {"expression": "animated"}}, "animated"),
        ({"request": {"expression": "published"}}, "published"),
        ({"request": {}}, "published"),
        ({"request": "animated"}, "published"),
        ({}, "published"),
    ],
)
def test_a_motion_is_judged_with_the_layer_that_it_was_planned_with(monkeypatch, meta, layer):
    layers = []
    original = Robot.expressing
    monkeypatch.setattr(Robot, "expressing", lambda robot, name: layers.append(name) or original(robot, name))
    check(standing(meta=meta))
    assert PETE.expression.animated
    assert layers == [layer]
    bare = replace(PETE, tables=replace(PETE.tables, expression=ExpressionTable()))
    check(standing(meta=meta), bare)
    assert layers == [layer, "published"]  # it has no animated layer


def test_the_claimed_emotion_is_reported_and_nothing_else_of_the_receipt(happy_walk):
    bare = check(replace(happy_walk, receipt=None))
    assert (bare.emotion, bare.pad, bare.intensity_asked, bare.intensity_kept) == (None, None, None, None)
    claims = {"intensity_asked": 0.8, "intensity_kept": 0.6, "expressed_share": 0.5}
    receipt = replace(happy_walk.receipt, torque_use=9.0, verdict="refused", **claims)
    checked = check(replace(happy_walk, receipt=receipt))
    assert (checked.emotion, checked.pad) == (happy_walk.receipt.emotion, happy_walk.receipt.pad)
    assert (checked.intensity_asked, checked.expressed_share) == (0.8, 0.5)
    assert checked.intensity_kept == pytest.approx(0.8, abs=0.01)  # as measured: more than the file claims
    assert (checked.torque_use, checked.verdict) == (bare.torque_use, bare.verdict)
    assert check(replace(happy_walk, receipt=replace(receipt, pad=None))).emotion is None


class CarriesAtMost:
    """A limit of a third-party package: its parcel service takes no robot that is heavier."""

    name = "parcel"

    def violation(self, draft):
        if draft.robot.mass_kg <= 1.0:
            return None
        return strut.draft.Violation(
            self.name, np.ones(len(draft.time_s), dtype=bool), "the robot is heavier than 1 kg"
        )


def parcel_limits(_robot):
    return (CarriesAtMost(),)


def test_an_installed_package_adds_a_limit_for_every_robot(monkeypatch):
    entry = EntryPoint("parcel", f"{__name__}:parcel_limits", "strut.limits")
    monkeypatch.setattr(registry, "installed", lambda group: (entry,) if group == "strut.limits" else ())
    assert "parcel: the robot is heavier than 1 kg" in [str(reason) for reason in check(standing()).reasons]
    monkeypatch.undo()
    assert "parcel" not in [reason.limit for reason in check(standing()).reasons]


# receipts


def receipt(robot, needs, qpos):
    draft = SimpleNamespace(robot=robot, measured=needs, qpos=qpos, not_expressed=(), figures={})
    return receipt_for(draft, emotion=None, asked=None, kept=None, verdict="ok", reasons=())


def landings_of(**changes):
    return SimpleNamespace(**{"unexplained_n": np.array([1.0, 4.0, 2.0]), "unjudged": ()} | changes)


def test_a_walk_with_landings_has_no_margin_but_a_soundness():
    qpos = np.tile(PETE.standing_qpos, (2, 1))
    plain = {"distance_m": 0.0, "penetration_m": 0.0}
    judged = receipt(PETE, needs_of(**plain), qpos)
    assert (judged.balance_margin_mm, judged.soundness) == (pytest.approx(50.0), None)
    found = receipt(PETE, needs_of(**plain, landings=landings_of(), force_disagreement=0.1), qpos)
    assert found.balance_margin_mm is None
    assert found.soundness == {
        "unexplained_n": 4.0,
        "force_disagreement": 0.1,
        "torque_disagreement": None,
        "unjudged": None,
    }
    unjudged = receipt(PETE, needs_of(**plain, landings=landings_of(unjudged=("one", "two"))), qpos)
    assert unjudged.soundness["unjudged"] == "one; two"


def test_the_receipt_reports_the_hand_in_millimetres_and_the_head_once_settled():
    time_s = np.array([0.0, 1.2, 3.3])  # a third of it is time to settle
    task = TaskAudit(time_s, np.array([0.001, 0.002, 0.0]), np.zeros(3), np.array([0.9, 0.8, 0.1]), 4)
    assert task.receipt_figures() == {"task_error_mm": 2.0, "gaze_error_rad": 0.8, "redundancy": 4}


@pytest.fixture(scope="module")
def walked_by():
    """Return short neutral walks by robot."""
    return cache(
        lambda robot: strut.walk(
            robot, None, **({"goal": strut.Place(0.1, 0.0)} if robot == "alice" else {"cycles": 2})
        )
    )


@pytest.mark.parametrize("robot", ["mrpete", "alice"])
def test_the_centre_of_pressure_of_a_file_must_be_that_of_its_movement(walked_by, robot):
    walk = walked_by(robot)
    assert check(walk).verdict == "ok"
    assert check(replace(walk, cop_in_world=walk.cop_in_world + np.array([0.003, 0.0]))).verdict == "ok"
    found = check(replace(walk, cop_in_world=walk.cop_in_world + ASIDE_M))
    assert [str(reason) for reason in found.reasons] == [
        "file: the centre of pressure in the file is 0.020 m off what the movement needs"
    ]


@pytest.mark.parametrize("robot", ["mrpete", "alice"])
@pytest.mark.parametrize(("edit", "off"), [(lambda one: one + 0.03, "0.030"), (lambda one: one + np.inf, "1.000")])
def test_the_balance_margin_of_a_file_must_be_that_of_its_movement(walked_by, robot, edit, off):
    walk = walked_by(robot)
    found = check(replace(walk, balance_margin_m=edit(walk.balance_margin_m)))
    assert found.verdict == "refused"
    assert [str(reason) for reason in found.reasons] == [
        f"file: the balance margin in the file is {off} m off what the movement has"
    ]


def test_the_centre_of_pressure_of_a_human_walk_must_be_that_of_its_movement(gait):
    walk = gait.motion(steps=2)
    assert check(walk).verdict == "ok"
    found = check(replace(walk, cop_in_world=walk.cop_in_world + ASIDE_M))
    assert ["is 0.020 m off" in reason.text for reason in found.reasons] == [True]
