"""Controls: compared with the motions as they were by the same people, and part of no other number."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from strut.study.report.statistics_text import methods_and_results, statistics_tables
from strut.study.statistics.answers import Answers
from strut.study.statistics.ratings import control_effects
from strut.study.statistics.study_statistics import study_statistics


@pytest.fixture
def watched():
    """Thirty people: sad is read in three of four cases, hardly ever once its speed is that of neutral."""
    rng = np.random.default_rng(5)
    rows = []
    rates = {("sad", "none"): 0.75, ("sad", "speed-matched"): 0.1, ("neutral", "none"): 0.8}
    for person in range(30):
        for trial, ((emotion, control), rate) in enumerate(rates.items(), start=1):
            other = "neutral" if emotion == "sad" else "sad"
            rows.append((f"p{person}", trial, emotion, control, emotion if rng.random() < rate else other))
    return Answers(pd.DataFrame(rows, columns=["participant", "trial", "intended", "control", "perceived"]))


def test_hit_rates_count_the_motions_as_they_were_alone(watched):
    found = study_statistics(watched)
    sad = next(row for row in found.choices.hit_rates if row.emotion == "sad")
    seen = watched.table.query("intended == 'sad' and control == 'none'")["perceived"]
    assert (sad.hits, sad.shown) == (int((seen == "sad").sum()), 30)
    assert found.answers == 90


def test_the_effect_of_a_control_is_the_paired_t_test_over_people(watched):
    (effect,) = control_effects(watched)
    sad = watched.table[watched.table["intended"] == "sad"]
    seen = {control: (own["perceived"] == "sad").to_numpy(float) for control, own in sad.groupby("control")}
    expected = stats.ttest_rel(seen["speed-matched"], seen["none"])
    assert (effect.control, effect.emotion, effect.measure, effect.n) == ("speed-matched", "sad", "hit rate", 30)
    assert effect.p_value == pytest.approx(expected.pvalue)
    assert effect.shown - effect.matched > 0.4
    assert effect.high < 0.0


def test_methods_results_and_tables_name_the_controls(watched):
    found = study_statistics(watched)
    methods, results = methods_and_results(found)
    assert "Answers to controls are not part of these numbers" in methods
    assert "With the speed-matched control, the hit rate of sad changed from" in results
    assert any(title.startswith("Controls against") for title, _, _ in statistics_tables(found))


def test_a_study_without_controls_has_no_such_table(quadruped_answers, quadruped_statistics):
    assert quadruped_statistics.control_effects == ()
    assert not any(title.startswith("Controls") for title, _, _ in statistics_tables(quadruped_statistics))
    assert len(quadruped_answers.originals) == len(quadruped_answers)


def test_controls_that_too_few_people_saw_are_named(watched):
    found = study_statistics(replace(watched, table=watched.table[:6]))
    assert found.control_effects == ()
    reason = "speed-matched, the hit rate of sad: 2 answered both it and the original; a comparison needs 3 people."
    assert reason in found.left_out
    assert not any("speed-matched" in reason for reason in study_statistics(watched).left_out)


def test_what_has_no_spread_is_not_tested_and_corrects_nothing(watched):
    same = np.where(watched.table["control"] == "none", 0.5, 0.25)
    varied = same + np.random.default_rng(1).normal(0.0, 0.1, len(same))
    rated = watched.table.drop(columns="perceived").assign(arousal=same, pleasure=varied)
    effects = {row.measure: row for row in control_effects(replace(watched, table=rated))}
    assert effects["arousal"].p_holm is None
    assert effects["pleasure"].p_holm == effects["pleasure"].p_value
