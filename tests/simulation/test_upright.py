"""Drafts proved upright: which control, or what becomes of them, by outcomes of our own."""

from types import SimpleNamespace

import numpy as np
import pytest

from strut.draft import Draft
from strut.simulation import upright
from strut.simulation.outcome import Outcome
from strut.simulation.playback import MUCH_SHORT, MUCH_SLIP_MM
from strut.simulation.upright import verify_upright
from tests.alice import ALICE

PLAIN = {
    "fell": False, "upright_s": 0.03, "distance_m": 2.0, "commanded_distance_m": 2.0, "heading_drift_rad": 0.0,
    "foot_slip_mm": 0.0, "tracking_error_rad": 0.0, "torque_use": 0.5, "cost_of_transport": None, "control": "balance",
}  # fmt: skip


@pytest.fixture
def proved(monkeypatch):
    def prove(*, may_slide=False, **changes):
        outcome = Outcome(**PLAIN | changes)

        def played(motion, robot, *, may_slide):
            assert motion.robot == "alice"
            return SimpleNamespace(outcome=outcome)

        monkeypatch.setattr(upright, "simulate_as_planned", played)
        time_s = 5.0 + 0.01 * np.arange(6)
        measured = SimpleNamespace(torque_nm=np.zeros((6, len(ALICE.joint_names))))
        qpos = np.tile(ALICE.standing_qpos, (6, 1))
        contact = np.ones((6, 2), dtype=bool)
        draft = Draft(ALICE, time_s, qpos, contact, None, needs=measured, figures={"a": 1.0})
        return verify_upright(draft, may_slide=may_slide)

    return prove


def test_who_stays_upright_is_told_by_which_control(proved):
    draft = proved()
    assert draft.figures == {"a": 1.0, "control": "balance"}
    assert draft.violations == ()


def test_who_falls_is_told_when_and_all_samples_after_are_broken(proved):
    (short,) = proved(fell=True, may_slide=True).violations
    assert str(short.reason) == "simulation: falls at 5.03 s"
    assert short.broken.tolist() == [False] * 3 + [True] * 3


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
def test_who_slides_or_ends_elsewhere_is_told_unless_it_may(proved, changes, sentence):
    found = proved(**changes)
    assert proved(**changes, may_slide=True).figures["control"] == "balance"
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
