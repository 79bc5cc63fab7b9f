"""Strides: each leg counts its own, and the deviation is that of the strides."""

from dataclasses import replace

import numpy as np
import pytest

from strut.human.analysis.strides import measure_strides
from tests.walker import walked


def test_a_walk_that_slows_down_has_the_strides_that_were_put_into_it(heiman):
    walk = walked(heiman, 10)
    even = measure_strides(heiman, walk)
    stride_s = even.figures["right"]["stride time [s]"]
    assert len(stride_s) > 2
    assert np.ptp(stride_s) == pytest.approx(0.0, abs=1e-9)
    rate = np.linspace(1.0, 1.5, len(walk.time_s))  # time runs slower and slower
    slower = replace(walk, time_s=np.concatenate([[0.0], np.cumsum(np.diff(walk.time_s) * rate[1:])]))
    figures = measure_strides(heiman, slower).figures
    for side in ("left", "right"):
        own = figures[side]
        assert (np.diff(own["stride time [s]"]) > 0.0).all()
        np.testing.assert_allclose(own["stride length [m]"], even.figures[side]["stride length [m]"])
        np.testing.assert_allclose(own["speed [m/s]"] * own["stride time [s]"], own["stride length [m]"])
        np.testing.assert_allclose(own["cadence [steps/min]"] * own["stride time [s]"], 120.0)
        np.testing.assert_allclose(own["stance [% of the cycle]"] + own["swing [% of the cycle]"], 100.0)


def test_a_knee_that_bends_more_in_one_stride_spreads_its_curve_there_alone(heiman):
    walk = walked(heiman, 10)
    knee = heiman.joint_names.index("KneeRight_RY") + 7
    qpos = walk.qpos.copy()
    qpos[len(qpos) // 2 :, knee] += 0.1
    curves = measure_strides(heiman, replace(walk, qpos=qpos)).curves
    assert np.degrees(0.1) == pytest.approx(np.ptp(curves["right_knee_flexion_deg"], axis=0).max(), rel=1e-3)
    assert np.ptp(curves["left_knee_flexion_deg"], axis=0).max() == pytest.approx(0.0, abs=1e-9)


def test_a_single_step_has_no_deviation(heiman):
    assert not measure_strides(heiman, walked(heiman, 1)).repeats
