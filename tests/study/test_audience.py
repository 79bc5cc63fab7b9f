"""Simulated audiences answer as published and are always called simulated; reports say what they rest on."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs

from strut.cli.main import main
from strut.emotion import Emotion
from strut.errors import StudyError
from strut.study.answer_table import answers_of, export_rows
from strut.study.audience import (
    AUDIENCES,
    audience_for,
    caveat,
    mean_ratings,
    rating_sd,
    simulated_power,
    simulated_rows,
)
from strut.study.confusion import confusion
from strut.study.design import read_design
from strut.study.published import published
from strut.study.statistics import study_statistics
from strut.study.study_report import report_html


def test_the_quadrupeds_audience_confuses_as_published(study_of):
    design = read_design(study_of("forced-choice", "blocks = 2 => blocks = 20"))
    answers = answers_of(design, simulated_rows(design, AUDIENCES["quadruped"], 60, np.random.default_rng(0)))
    matrix = confusion(answers, ("neutral", "happy", "sad", "angry", "fearful"))
    expected = np.array([published("quadruped")["counts"][name] for name in published("quadruped")["emotions"]]) / 15.0
    np.testing.assert_allclose(matrix.counts / matrix.shown[:, None], expected, atol=0.05)
    assert answers.simulated


def test_peppers_audience_rates_the_eight_corners_as_published():
    study = published("pepper")
    for corner in study["corners"]:
        pad = [study["level"] if letter == "H" else -study["level"] for letter in corner]
        np.testing.assert_allclose(mean_ratings(Emotion(*pad)), study["rating_mean"][corner], atol=2e-3)
    np.testing.assert_allclose(rating_sd(), 0.43, atol=0.04)


def test_ratings_stay_on_the_points_of_the_scale(study_of):
    design = read_design(study_of("sam"))
    answers = answers_of(design, simulated_rows(design, AUDIENCES["pepper"], 30, np.random.default_rng(1)))
    assert list(answers.ratings) == ["pleasure", "arousal", "dominance"]
    for _, values in answers.ratings.items():
        np.testing.assert_allclose(values * 4.0, np.rint(values * 4.0), atol=1e-9)
        assert np.abs(values).max() <= 1.0
    assert answers.practice == 30


def test_the_superposition_audience_recognises_as_published(study_of):
    design = read_design(study_of("forced-choice", "blocks = 2 => blocks = 20"))
    answers = answers_of(design, simulated_rows(design, AUDIENCES["superposition"], 40, np.random.default_rng(2)))
    matrix = confusion(answers, design.answer_options)
    rates = dict(zip(matrix.intended, matrix.hits / matrix.shown, strict=True))
    wanted = published("superposition")["recognised_percent"]
    assert rates["sad"] == pytest.approx(wanted["sad"] / 100, abs=0.04)
    assert rates["fearful"] == pytest.approx(wanted["fear"] / 100, abs=0.05)
    assert rates["happy"] == pytest.approx(wanted["happy"] / 100, abs=0.05)


def test_the_feedback_audience_wishes_what_table_7_says(study_of):
    design = read_design(study_of("improvement"))
    answers = answers_of(design, simulated_rows(design, AUDIENCES["feedback"], 200, np.random.default_rng(3)))
    angry = answers.table[answers.table["intended"] == "angry"]
    assert angry["step_height"].mean() == pytest.approx(1.7, abs=0.2)  # much higher, cut off at 2
    assert angry["front_knee_position"].mean() == pytest.approx(-1.0, abs=0.2)


def test_power_grows_with_people_and_sad_needs_most(study_of):
    design = read_design(study_of("forced-choice"))
    few, many = (
        simulated_power(design, AUDIENCES["quadruped"], people, runs=10, rng=np.random.default_rng(4))
        for people in (5, 15)
    )
    assert few["sad"] < many["sad"]
    assert min(many, key=many.__getitem__) == "sad"
    assert few["neutral"] > few["sad"]


def test_an_audience_refuses_what_it_does_not_know(study_of):
    design = read_design(study_of("forced-choice"))
    proud = replace(design, stimuli=(structs.replace(design.stimuli[0], intended="proud"), *design.stimuli[1:]))
    with pytest.raises(StudyError, match="knows no answers to 'proud'"):
        simulated_rows(proud, AUDIENCES["quadruped"], 3, np.random.default_rng(0))
    with pytest.raises(StudyError, match="does not answer a forced-choice question"):
        audience_for(design, "pepper")


@pytest.mark.parametrize("question", ["forced-choice", "slider", "sam", "improvement"])
def test_simulate_and_report_lead_from_a_design_to_a_page(study_of, question, capsys):
    folder = study_of(question)
    assert main(["study", "simulate", str(folder), "--people", "6"]) == 0
    assert "these are not people" in capsys.readouterr().err
    assert main(["study", "report", str(folder), "--answers", str(folder / "simulated.csv")]) == 0
    page = (folder / "report.html").read_text()
    assert "SIMULATED: a published response model answered, not people" in page
    assert "<svg" in page
    assert not re.findall(r'(?:src|href)="(?!#|data:)', page)  # nothing is fetched from anywhere
    assert "6 simulated observers" in page
    assert main(["study", "report", str(folder), "--answers", str(folder / "simulated.csv")]) == 2  # kept as it is


def test_a_report_of_an_empty_study_says_so(study_of, capsys):
    assert main(["study", "report", str(study_of("sam"))]) == 2
    assert "holds no answers" in capsys.readouterr().err


def test_a_report_takes_only_answers_to_its_own_study(study_of, tmp_path, capsys):
    folder = study_of("sam")
    foreign = tmp_path / "foreign.csv"
    foreign.write_text("participant,trial,intended,perceived\na,1,sad,sad\na,2,happy,sad\n")
    assert main(["study", "report", str(folder), "--answers", str(foreign)]) == 2
    assert "holds perceived; the sam question of sam asks pleasure" in capsys.readouterr().err
    foreign.write_text("participant,trial,intended,pleasure,arousal,dominance\na,1,proud,0,0,0\n")
    assert main(["study", "report", str(folder), "--answers", str(foreign)]) == 2
    assert "has answers to proud, which sam does not show" in capsys.readouterr().err
    assert not (folder / "report.html").exists()


def test_an_audience_says_whose_motions_it_saw(study_of):
    assert "They saw pepper move, your motions are of mrpete" in caveat(
        read_design(study_of("sam")), AUDIENCES["pepper"]
    )
    choice = read_design(study_of("forced-choice"))
    assert "other motions of the same body" in caveat(choice, AUDIENCES["quadruped"])
    assert "They saw avatars move, your motions are of mrpete" in caveat(choice, AUDIENCES["superposition"])
    slider = caveat(read_design(study_of("slider")), AUDIENCES["pepper"])
    assert "They saw pepper move" in slider
    assert "stand in for the slider" in slider


def test_a_mean_that_cannot_be_tested_is_no_finding(study_of):
    def agree(_design):
        return lambda _intended, _habit, _rng: {"pleasure": 0.5, "arousal": 0.0, "dominance": 0.0}

    design, alike = read_design(study_of("sam")), replace(AUDIENCES["pepper"], make=agree)
    power = simulated_power(design, alike, 5, runs=2, rng=np.random.default_rng(0))
    assert set(power.values()) == {0.0}


def test_early_answers_are_counted_also_where_the_shortest_motion_sets_the_length(study_of):
    folder = study_of("sam", "seconds = => seconds = 0 #")
    design = read_design(folder)
    rows = simulated_rows(design, AUDIENCES["pepper"], 3, np.random.default_rng(0))
    table = export_rows(design, [row | {"response_ms": 100 if row["trial"] == 2 else 60_000} for row in rows])
    page = report_html(design, table, study_statistics(answers_of(design, rows)))
    assert "3 of 30 answers came before it had ended." in page
    assert "nobody was left out" not in page


def test_chance_is_the_same_for_the_export_and_for_the_report(study_of, capsys):
    folder = study_of("forced-choice")
    main(["study", "simulate", str(folder), "--people", "6"])
    capsys.readouterr()
    assert main(["study", "stats", str(folder / "simulated.csv"), "--json"]) == 0
    choices = json.loads(capsys.readouterr().out)["choices"]
    assert choices["chance"] == pytest.approx(1 / 6)
    assert choices["chance_from"] == "6 options were offered"
    assert main(["study", "report", str(folder), "--answers", str(folder / "simulated.csv")]) == 0
    page = (folder / "report.html").read_text()
    assert "Chance is 17 % (6 options were offered)" in page
    assert "The motions are of mrpete, made and shown by strut" in page
