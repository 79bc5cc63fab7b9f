"""Gait evaluation: a gait that the controller walks has nearly the requested speed."""

import numpy as np
import pytest

from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.pilot.gait_library import gait_evaluation


def test_a_walk_that_the_controller_holds_has_nearly_the_speed_that_was_asked(monkeypatch):
    for name, duration_s in (("WALK_S", 1.6), ("STEADY_S", 0.8), ("STOP_S", 1.2)):
        monkeypatch.setattr(gait_evaluation, name, duration_s)
    came = gait_evaluation.evaluate_gait("cassie", (0.3, -0.1, 0.87), None)
    assert came["held"]
    assert not came["stopped"]  # it still walks when time is up
    assert came["upright_s"] == pytest.approx(2.8)
    assert came["speed_off_m_s"] < 0.1


@pytest.mark.parametrize(("error_m_s", "from_s", "to_s"), [(0.0, 5.5, 9.5), (0.1, 5.0, 9.5), (0.1, 5.5, 10.0)])
def test_the_speed_of_a_walk_is_measured_between_its_fourth_and_eighth_second(error_m_s, from_s, to_s):
    """The walk begins at 1.5 s; outside the measured time it is ten times as fast."""
    time_s = np.round(np.arange(0.0, 14.0, 0.01), 2)
    is_steady = (time_s > from_s - 1e-9) & (time_s < to_s - 1e-9)
    x = np.append(0.0, np.cumsum(np.where(is_steady, 0.3, 3.0)[:-1] * 0.01)) + error_m_s * time_s
    cassie = load_robot("cassie")
    qpos = np.tile(cassie.standing_qpos, (len(time_s), 1))
    qpos[:, 0] = x
    contact = np.ones((len(time_s), 2), dtype=bool)
    motion = Motion("cassie", time_s, qpos, cassie.joint_names, contact, cassie.foot_names)
    assert gait_evaluation.speed_error(motion, 1.5, (0.3, 0.0)) == pytest.approx(error_m_s, abs=2e-3)
    assert gait_evaluation.speed_error(motion, 8.0, (0.3, 0.0)) is None
