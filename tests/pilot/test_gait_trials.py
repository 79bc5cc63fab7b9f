"""Gait trials: what a walking controller holds is walked, and how far its speed is off is told."""

import pytest

from strut.pilot.gait_library import gait_evaluation as gait_trials


def test_a_walk_that_the_controller_holds_has_nearly_the_speed_that_was_asked(monkeypatch):
    for name, duration_s in (("WALK_S", 1.6), ("STEADY_S", 0.8), ("STOP_S", 1.2)):
        monkeypatch.setattr(gait_trials, name, duration_s)
    came = gait_trials.walked("cassie", (0.3, -0.1, 0.87), None)
    assert came["held"]
    assert not came["stopped"]  # it still walks when time is up
    assert came["upright_s"] == pytest.approx(2.8)
    assert came["speed_off_m_s"] < 0.1
