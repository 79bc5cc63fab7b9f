"""Drafts proved upright: which controller with which margin, or what goes wrong, by outcomes of our own."""

from types import SimpleNamespace

import numpy as np
import pytest

from strut.draft import Draft
from strut.simulation import upright
from strut.simulation.controller_choice import MARGIN, ControllerTrial
from strut.simulation.early_end import MUCH_SHORT, MUCH_SLIP_MM
from strut.simulation.outcome import Outcome
from strut.simulation.upright import verify_upright
from tests.alice import ALICE

PLAIN = {
    "fell": False, "upright_s": 0.03, "distance_m": 2.0, "commanded_distance_m": 2.0, "heading_drift_rad": 0.0,
    "foot_slip_mm": 0.0, "tracking_error_rad": 0.0, "torque_use": 0.5, "cost_of_transport": None,
}  # fmt: skip


@pytest.fixture
def proved(monkeypatch):
    def prove(*, may_slide=False, falls=(), **changes):
        falls_s = {MARGIN[index]: 0.02 + 0.01 * index for index in falls}
        trial = ControllerTrial("balance", Outcome(**PLAIN | changes, controller="balance"), falls_s)

        def choose(robot, motion, *, may_slide):
            assert motion.robot == robot.name == "alice"
            return trial

        monkeypatch.setattr(upright, "choose_controller", choose)
        time_s = 5.0 + 0.01 * np.arange(6)
        measured = SimpleNamespace(torque_nm=np.zeros((6, len(ALICE.joint_names))))
        qpos = np.tile(ALICE.standing_qpos, (6, 1))
        contact = np.ones((6, 2), dtype=bool)
        draft = Draft(ALICE, time_s, qpos, contact, None, needs=measured, figures={"a": 1.0})
        return verify_upright(draft, may_slide=may_slide)

    return prove


def test_a_walk_that_stays_upright_names_its_controller_and_what_was_played(proved):
    draft = proved()
    assert draft.figures["a"] == 1.0
    assert draft.figures["controller"] == "balance"
    assert draft.figures["robustness"] == {
        "judged_by": "simulation", "conditions": 5, "falls": 0, "min_friction": 0.6, "max_friction": 0.9,
        "min_mass_scale": 0.9, "max_mass_scale": 1.1,
    }  # fmt: skip
    assert (draft.violations, draft.reasons) == ((), ())


def test_a_walk_that_falls_breaks_the_samples_after_its_fall(proved):
    (short,) = proved(fell=True, may_slide=True).violations
    assert str(short.reason) == "simulation: falls at 5.03 s"
    assert short.broken.tolist() == [False] * 3 + [True] * 3


def test_an_emotion_with_which_a_robot_falls_in_other_conditions_is_a_violation_that_names_them(proved):
    draft = proved(falls=(1, 3))
    (broken,) = draft.violations
    assert str(broken.reason) == f"simulation: falls at {MARGIN[1]} or {MARGIN[3]}"
    assert broken.broken.tolist() == [False] * 3 + [True] * 3
    assert "controller" not in draft.figures


def test_a_neutral_walk_without_a_margin_passes_and_says_where_it_falls(proved):
    draft = proved(may_slide=True, falls=(0, 3))
    assert draft.violations == ()
    assert [str(reason) for reason in draft.reasons] == [f"no margin: falls at {MARGIN[0]} or {MARGIN[3]}"]
    assert draft.figures["robustness"]["falls"] == 2


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"foot_slip_mm": MUCH_SLIP_MM + 1.0}, f"slides {MUCH_SLIP_MM + 1.0:.0f} mm by 5.03 s"),
        ({"distance_m": 2.0 * (1.0 - MUCH_SHORT) - 0.01}, "walks"),
        ({"distance_m": 2.0 * (1.0 + MUCH_SHORT) + 0.01}, "walks"),
        ({"distance_m": 0.29, "commanded_distance_m": 0.4}, "walks 0.29 m of 0.40"),
        ({"foot_slip_mm": MUCH_SLIP_MM}, None),
        ({"foot_slip_mm": None}, None),
        ({"distance_m": 2.0 * (1.0 - MUCH_SHORT) + 0.01}, None),
        ({"distance_m": 0.31, "commanded_distance_m": 0.4}, None),
    ],
)
def test_a_walk_that_slides_or_ends_elsewhere_is_a_violation_unless_it_may(proved, changes, sentence):
    found = proved(**changes)
    assert proved(**changes, may_slide=True).figures["controller"] == "balance"
    if sentence is None:
        assert found.violations == ()
    else:
        assert sentence in str(found.violations[0].reason)


def test_an_outcome_leaves_out_what_does_not_apply():
    table = Outcome(**PLAIN).as_dict()
    assert "hand_error_mm" not in table
    assert "unfelt" not in table
    assert table["cost_of_transport"] is None
    busy = Outcome(**PLAIN, hand_error_mm=3.0, unfelt="nothing").as_dict()
    assert (busy["hand_error_mm"], busy["unfelt"]) == (3.0, "nothing")
