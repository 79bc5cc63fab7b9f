"""Muscles of conditions: over the peak of neutral, trials averaged, silent channels named, legs not mixed."""

from dataclasses import replace

import numpy as np
import pytest

from strut.analysis.muscle_activity import muscle_activity
from strut.motion import Motion

STILL = Motion("heiman", np.arange(3) / 100.0, np.zeros((3, 35)), ("a",) * 28, np.ones((3, 1), dtype=bool), ("Heel",))
BURST = np.sin(np.linspace(0.0, np.pi, 101))


def trial(size_v, *, names=("SOLEUS", "VASTUS"), silent=(), leg="Right"):
    cycle = np.column_stack([size_v * BURST] * len(names))
    told = {"names": list(names), "silent": list(silent), "leg": leg, "cycle_v": cycle.tolist()}
    return replace(STILL, meta={"emg": told})


def test_activity_is_a_share_of_the_neutral_peak():
    found = muscle_activity({"neutral": [trial(1e-4), trial(3e-4)], "sad": [trial(1e-4)], "none": [STILL]}, "neutral")
    assert set(found) == {"neutral", "sad"}
    np.testing.assert_allclose(found["neutral"].mean.max(axis=0), 1.0)
    np.testing.assert_allclose(found["sad"].mean.max(axis=0), 0.5)
    np.testing.assert_allclose(found["neutral"].sd.max(axis=0), 0.5)
    assert found["sad"].as_dict()["muscles"]["SOLEUS"]["peak"] == pytest.approx(0.5)


def test_channels_that_one_trial_lacks_fall_out_and_silent_ones_are_named():
    one, other = trial(1e-4), trial(1e-4, names=("SOLEUS",), silent=("VASTUS",))
    found = muscle_activity({"neutral": [one], "sad": [other]}, "neutral")
    assert found["neutral"].names == ("SOLEUS",)
    assert found["sad"].silent == ("VASTUS",)


def test_cycles_of_the_left_leg_are_not_averaged_with_those_of_the_right():
    found = muscle_activity({"neutral": [trial(1e-4), trial(9e-4, leg="Left")]}, "neutral")
    assert (found["neutral"].trials, found["neutral"].leg) == (1, "Right")
    assert muscle_activity({"neutral": [trial(1e-4, leg="Left")]}, "neutral")["neutral"].leg == "Left"
    assert muscle_activity({"neutral": [STILL]}, "neutral") == {}
