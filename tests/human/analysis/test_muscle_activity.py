"""Muscles of conditions: over the peak of neutral, trials averaged, silent channels named, legs not mixed."""

from dataclasses import replace

import numpy as np
import pytest

from strut.human.analysis.condition_comparison import ConditionComparison
from strut.human.analysis.gait_analysis import GaitAnalysis
from strut.human.analysis.muscle_activity import muscle_activity, muscle_remarks
from strut.human.report.condition_report import condition_curves
from strut.human.report.condition_text import condition_tables, peak_words
from strut.motion import Motion

STILL = Motion("heiman", np.arange(3) / 100.0, np.zeros((3, 35)), ("a",) * 28, np.ones((3, 1), dtype=bool), ("Heel",))
BURST = np.sin(np.linspace(0.0, np.pi, 101))


def trial(size_v, *, names=("SOLEUS", "VASTUS"), silent=(), leg="Right"):
    cycle = np.column_stack([size_v * BURST] * len(names))
    told = {"names": list(names), "silent": list(silent), "leg": leg, "cycle_v": cycle.tolist()}
    return replace(STILL, meta={"emg": told})


def comparison(trials, neutral):
    """Conditions of which nothing but the muscles is known."""
    muscles = muscle_activity(trials, neutral)
    remarks = muscle_remarks(trials)
    return ConditionComparison(neutral, {}, {}, {}, {}, muscles, remarks)


def muscle_words(trials, neutral):
    return next(one.words for one in condition_tables(comparison(trials, neutral)) if one.heading == "Muscles")


def test_activity_is_a_share_of_the_neutral_peak():
    found = muscle_activity({"neutral": [trial(1e-4), trial(3e-4)], "sad": [trial(1e-4)], "none": [STILL]}, "neutral")
    assert set(found) == {"neutral", "sad"}
    np.testing.assert_allclose(found["neutral"].mean.max(axis=0), 1.0)
    np.testing.assert_allclose(found["sad"].mean.max(axis=0), 0.5)
    np.testing.assert_allclose(found["neutral"].sd.max(axis=0), 0.5)
    assert found["sad"].as_dict()["muscles"]["SOLEUS"]["peak"] == pytest.approx(0.5)


def test_channels_that_one_trial_lacks_fall_out_and_silent_ones_are_named():
    one = trial(1e-4)
    other = trial(1e-4, names=("SOLEUS",), silent=("VASTUS",))
    found = muscle_activity({"neutral": [one], "sad": [other]}, "neutral")
    assert found["neutral"].names == ("SOLEUS",)
    assert found["sad"].silent == ("VASTUS",)


def test_cycles_of_the_left_leg_are_not_averaged_with_those_of_the_right():
    found = muscle_activity({"neutral": [trial(1e-4), trial(9e-4, leg="Left")]}, "neutral")
    assert (found["neutral"].trials, found["neutral"].leg) == (1, "Right")
    assert muscle_activity({"neutral": [trial(1e-4, leg="Left")]}, "neutral")["neutral"].leg == "Left"
    assert muscle_activity({"neutral": [STILL]}, "neutral") == {}


def test_trials_over_cycles_of_the_other_leg_are_reported():
    told = muscle_remarks({"neutral": [trial(1e-4), trial(9e-4, leg="Left")], "sad": [trial(1e-4)]})
    assert len(told) == 1
    assert told[0].startswith("EMG of 1 of 2 trials of neutral is left out: it is averaged over cycles of the left leg")
    assert muscle_remarks({"neutral": [trial(1e-4, leg="Left")], "sad": [STILL]}) == ()


def test_trials_that_share_no_channel_are_not_compared_and_the_report_says_why():
    trials = {"neutral": [trial(1e-4, names=("SOL",))], "sad": [trial(1e-4, names=("Soleus",))]}
    found = comparison(trials, "neutral")
    why = "Muscles are not compared: no EMG channel has the same name in every trial (SOL, Soleus)."
    assert (found.muscles, found.as_dict()["muscle_remarks"]) == ({}, [why])
    assert [one.heading for one in condition_tables(found)] == ["Expression"]
    headings = [heading for heading, _ in condition_curves(GaitAnalysis({}, {}, None, {}), found)]
    assert "Torques and muscles" not in headings


def test_words_say_whose_peak_and_whose_cycle_it_is():
    one = trial(1e-4)
    both = trial(1e-4, names=("RSOL", "LSOL"))
    assert "of the right leg, in percent of the peak of the mean of neutral." in muscle_words(
        {"neutral": [one]}, "neutral"
    )
    assert "over the cycle of each muscle's own leg" in muscle_words({"neutral": [both]}, "neutral")
    left = trial(1e-4, names=("L SOL", "L TA"), leg="Right")
    assert "of the left leg" in muscle_words({"neutral": [left]}, "neutral")
    bare = comparison({"neutral": [STILL], "sad": [one]}, "neutral")
    assert peak_words(bare) == "the largest peak of the means of all conditions"
