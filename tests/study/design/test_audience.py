"""Simulated audiences answer as published and are always called simulated; reports say what they rest on."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from msgspec import structs
from scipy import stats

from strut.cli.main import main
from strut.emotion import Emotion, named_emotion
from strut.errors import StudyError, UnknownNameError
from strut.formats.motion_file import load_motion, save_motion
from strut.study.design.audience import AUDIENCES, audience_for, caveat, mean_ratings, motion_sds, rating_sd, shown_by
from strut.study.design.controls import share_seen
from strut.study.design.design import read_design
from strut.study.design.published import published
from strut.study.design.response_models import ScaleRatings, Shown, observer
from strut.study.design.simulated_study import fewest_people, people_needed, simulated_power, simulated_rows
from strut.study.report.study_report import report_html
from strut.study.statistics.answer_table import answers_of, export_rows
from strut.study.statistics.answers import PAD_SCALES
from strut.study.statistics.confusion import confusion
from strut.study.statistics.study_statistics import study_statistics
from tests.study.null_data import EMOTIONS


def test_the_quadrupeds_audience_confuses_as_published(study_of):
    design = read_design(study_of("forced-choice", "blocks = 2 => blocks = 20"))
    answers = answers_of(design, simulated_rows(design, AUDIENCES["quadruped"], 60, np.random.default_rng(0)))
    matrix = confusion(answers, ("neutral", "happy", "sad", "angry", "fearful"))
    expected = np.array([published("quadruped")["counts"][name] for name in published("quadruped")["emotions"]]) / 15.0
    named = matrix.counts[:, :5].sum(axis=1, keepdims=True)
    shown = np.array([shown_by(design)[name].intensity for name in matrix.intended])[:, None]
    expected = shown * expected + (1.0 - shown) * expected[0]
    np.testing.assert_allclose(matrix.counts[:, :5] / named, expected, atol=0.09)  # habits spread what was published
    assert (answers.table["perceived"] == "do not know").mean() == pytest.approx(0.1, abs=0.04)
    assert answers.simulated


def test_peppers_audience_rates_the_eight_corners_as_published():
    study = published("pepper")
    for corner in study["corners"]:
        pad = [study["level"] if letter == "H" else -study["level"] for letter in corner]
        np.testing.assert_allclose(mean_ratings(Emotion(*pad)), study["rating_mean"][corner], atol=2e-3)
    np.testing.assert_allclose(rating_sd(), 0.43, atol=0.04)


def test_the_spread_of_each_motion_is_that_of_its_printed_interval():
    """A 95 % interval of a mean of n ratings is t times their standard deviation over the root of n."""
    study = published("pepper")
    for row, corner in zip(motion_sds(), study["corners"], strict=True):
        low, high = np.array(study["rating_interval"][corner]).reshape(3, 2).T
        half = stats.t.ppf(0.975, study["people"] - 1) * row / np.sqrt(study["people"])
        np.testing.assert_allclose(half, (high - low) / 2.0)
    assert (motion_sds() > 0.0).all()


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
    matrix = confusion(answers, design.ask.answer_options)
    rates = dict(zip(matrix.intended, matrix.hits / matrix.counts[:, :5].sum(axis=1), strict=True))
    wanted = published("superposition")["recognised_percent"]
    for name, printed in (("sad", "sad"), ("fearful", "fear"), ("happy", "happy")):
        shown = shown_by(design)[name].intensity  # the rest is answered as neutral, by this word as seldom as by others
        expected = shown * wanted[printed] / 100 + (1.0 - shown) * (1.0 - wanted["neutral"] / 100) / 4
        assert rates[name] == pytest.approx(expected, abs=0.08)


def test_the_feedback_audience_wishes_what_table_7_says(study_of):
    design = read_design(study_of("improvement"))
    answers = answers_of(design, simulated_rows(design, AUDIENCES["feedback"], 200, np.random.default_rng(3)))
    angry = answers.table[answers.table["intended"] == "angry"]
    assert angry["step_height"].mean() == pytest.approx(1.7, abs=0.2)  # much higher, cut off at 2
    assert angry["front_knee_position"].mean() == pytest.approx(-1.0, abs=0.2)


def test_power_grows_with_people_and_the_weakest_emotion_needs_most(study_of):
    design = read_design(study_of("forced-choice"))
    few, many = (
        simulated_power(design, AUDIENCES["quadruped"], people, runs=10, rng=np.random.default_rng(4))
        for people in (4, 16)
    )
    shown = {entry.intended: entry.intensity for entry in shown_by(design).values()}
    assert few["sad"] < many["sad"]
    assert min(many, key=many.__getitem__) == min(shown, key=shown.__getitem__)
    assert many["all"] == 1.0


def test_an_audience_refuses_what_it_does_not_know(study_of):
    design = read_design(study_of("forced-choice"))
    proud = replace(design, stimuli=(structs.replace(design.stimuli[0], intended="proud"), *design.stimuli[1:]))
    with pytest.raises(StudyError, match="knows no answers to 'proud'"):
        simulated_rows(proud, AUDIENCES["quadruped"], 3, np.random.default_rng(0))
    with pytest.raises(StudyError, match="does not answer a forced-choice question"):
        audience_for(design, "pepper")


@pytest.mark.parametrize("question", ["forced-choice", "free-label"])
def test_two_words_for_one_emotion_share_its_answers(study_of, question):
    design = read_design(study_of(question))
    angry = next(entry for entry in design.stimuli if entry.intended == "angry")
    design = replace(design, stimuli=(structs.replace(angry, name="joyful", intended="joy"), *design.stimuli))
    if question == "forced-choice":
        design = replace(design, ask=structs.replace(design.ask, options=("joy", *design.ask.options)))
    rows = simulated_rows(design, AUDIENCES["quadruped"], 60, np.random.default_rng(0))
    table = answers_of(design, rows).table
    column = {"forced-choice": "perceived", "free-label": "label"}[question]
    other = table[column][table["intended"] == "neutral"]  # neither word is the intended one
    joy, happy = ((other == word).sum() for word in ("joy", "happy"))
    assert joy > 0
    assert joy == pytest.approx(happy, rel=0.6)
    hits = (table[column] == table["intended"]).groupby(table["intended"]).mean()
    assert min(hits["joy"], hits["happy"]) > joy / len(other)


def test_a_practice_motion_may_show_an_emotion_that_is_no_option(study_of):
    design = read_design(study_of("forced-choice"))
    angry = next(entry for entry in design.stimuli if entry.intended == "angry")
    others = tuple(entry for entry in design.stimuli if entry != angry)
    ask = structs.replace(design.ask, options=tuple(entry.intended for entry in others))
    design = replace(design, ask=ask, stimuli=others, practice=(angry,))
    rows = simulated_rows(design, AUDIENCES["quadruped"], 3, np.random.default_rng(0))
    assert {row["reply"]["perceived"] for row in rows if row["stimulus"] == angry.name} <= set(ask.answer_options)


@pytest.mark.parametrize("question", ["forced-choice", "slider", "sam", "improvement"])
def test_simulate_and_report_lead_from_a_design_to_a_page(study_of, question, capsys):
    folder = study_of(question)
    assert main(["study", "simulate", str(folder), "--people", "6"]) == 0
    assert "these are not people" in capsys.readouterr().err
    assert main(["study", "report", str(folder), "--answers", str(folder / "simulated.csv")]) == 0
    page = (folder / "simulated_report.html").read_text()
    assert "SIMULATED: a published response model answered, not people" in page
    assert "<svg" in page
    assert not re.findall(r'(?:src|href)="(?!#|data:)', page)  # nothing is fetched from anywhere
    assert "6 simulated observers" in page
    assert main(["study", "report", str(folder), "--answers", str(folder / "simulated.csv")]) == 2  # kept as it is


def test_a_report_of_an_empty_study_says_so(study_of, capsys):
    folder = study_of("sam")
    for verb in (["report"], ["backup", "x.sqlite"], ["forget", "1f0c35a2b7d9", "--yes"]):
        assert main(["study", verb[0], str(folder), *verb[1:]]) == 2
        assert "has no answers yet" in capsys.readouterr().err
    assert not (folder / "answers.sqlite").exists()  # who only reads makes none
    (folder / "simulated.csv").write_text("")
    assert main(["study", "report", str(folder)]) == 2
    assert (
        f"report {folder} --answers {folder / 'simulated.csv'}` reports on the simulated ones"
        in capsys.readouterr().err
    )


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


def test_an_audience_names_its_motions(study_of):
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
    design = read_design(study_of("sam"))
    same = ScaleRatings(mean=lambda _emotion: np.array([0.5, 0.0, 0.0]), sd=np.zeros(3))
    alike = replace(AUDIENCES["pepper"], model=lambda: same)
    power = simulated_power(design, alike, 5, runs=2, rng=np.random.default_rng(0))
    assert set(power.values()) == {0.0}


def test_early_answers_are_counted_also_where_the_shortest_motion_sets_the_length(study_of):
    folder = study_of("sam", "seconds = => seconds = 0 #")
    design = read_design(folder)
    rows = simulated_rows(design, AUDIENCES["pepper"], 3, np.random.default_rng(0))
    table = export_rows(design, [row | {"response_ms": 100 if row["trial"] == 2 else 60_000} for row in rows])
    page = report_html(design, table, study_statistics(answers_of(design, rows)))
    assert "3 of 30 answers came before the motion had ended." in page
    assert "nobody was left out" not in page


def test_chance_is_the_same_for_the_export_and_for_the_report(study_of, capsys):
    folder = study_of("forced-choice")
    main(["study", "simulate", str(folder), "--people", "6"])
    capsys.readouterr()
    assert main(["study", "stats", str(folder / "simulated.csv"), "--json"]) == 0
    choices = json.loads(capsys.readouterr().out)["choices"]
    assert (choices["chance"], choices["chance_all"]) == (pytest.approx(1 / 5), pytest.approx(1 / 6))
    assert choices["chance_from"] == '6 options were offered, "do not know" among them'
    assert main(["study", "report", str(folder), "--answers", str(folder / "simulated.csv")]) == 0
    page = (folder / "simulated_report.html").read_text()
    assert "17 % among all options" in page
    assert "The motions are of mrpete, made and shown by strut" in page


def test_people_differ_and_have_habits(study_of):
    design = read_design(study_of("forced-choice", "blocks = 2 => blocks = 20"))
    answers = answers_of(design, simulated_rows(design, AUDIENCES["quadruped"], 40, np.random.default_rng(0)))
    said = (answers.table["perceived"] == "sad").groupby(answers.table["participant"]).mean()
    alike = np.sqrt(said.mean() * (1 - said.mean()) / 100)
    assert said.std() > 1.5 * alike  # more than chance makes of people who are alike
    hits = answers.correct.astype(float)
    right = answers.table.assign(hits=hits).groupby("participant")["hits"].mean()
    assert right.std() > 1.5 * np.sqrt(right.mean() * (1 - right.mean()) / 100)


def test_an_audience_sees_what_is_shown_and_not_what_limits_left(study_of):
    folder = study_of("forced-choice", "seconds = 5 => seconds = 1")
    path = folder / "motions" / "angry.npz"
    motion = load_motion(path)
    for shown, when, seen in (
        (0.4, None, 0.2),  # 40 % of the half that was asked for
        (None, None, 0.45),  # nobody measured it: what was kept
        (0.4, [0.0, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0], 0.5 * 0.4 * 2),  # it comes and goes, and the middle is shown
    ):
        receipt = replace(motion.receipt, intensity_asked=0.5, intensity_kept=0.45, expressed_share=shown)
        meta = {**motion.meta, "shown_over_time": when}
        save_motion(replace(motion, receipt=receipt, meta=meta), path, force=True)
        assert shown_by(read_design(folder))["angry"].intensity == pytest.approx(seen, abs=0.005)


def test_what_the_middle_shows_is_measured_along_the_walk(five_motions):
    happy = next(load_motion(path) for path in five_motions if path.stem == "happy")
    whole = share_seen(happy)
    middle = share_seen(happy, 5.0)
    assert whole == pytest.approx(happy.receipt.expressed_share)
    assert 1.5 * whole < middle <= happy.receipt.share_kept


@pytest.mark.parametrize(
    ("ends", "scale", "sign"),
    [
        (("anger", "neutral", "joy"), "pleasure", 1),
        (("happy", "neutral", "sad"), "pleasure", -1),
        (("calm", "neutral", "excited"), "arousal", 1),
        (("relaxed", "neutral", "fearful"), "pleasure", -1),
        (("bored", "neutral", "angry"), "arousal", 1),
        (("weak", "even", "strong"), "pleasure", 1),
    ],
)
def test_a_simulated_study_moves_the_handle_along_the_scale_between_its_ends(study_of, ends, scale, sign):
    design = read_design(study_of("continuous", f'ends = ["anger", "neutral", "joy"] => ends = {list(ends)!r}'))
    assert f"follows their ratings of {scale}" in caveat(design, AUDIENCES["pepper"])
    rows = simulated_rows(design, AUDIENCES["pepper"], 25, np.random.default_rng(0))
    answers = answers_of(design, rows).table
    order = sorted(EMOTIONS, key=lambda name: mean_ratings(named_emotion(name))[PAD_SCALES.index(scale)])
    means = answers.groupby("intended")["rating"].mean()
    assert sign * (means[order[-1]] - means[order[0]]) > 0.05


def test_an_emotion_that_is_hardly_shown_is_hardly_seen(study_of):
    design = read_design(study_of("forced-choice"))
    rng = np.random.default_rng(0)
    respond = AUDIENCES["quadruped"].make(design)
    who = replace(observer(design, rng), ability=0.0, words=np.zeros(5), unknown=0.0)
    rates = [
        np.mean([respond([Shown("angry", share)], who, rng)["perceived"] == "angry" for _ in range(400)])
        for share in (1.0, 0.5, 0.0)
    ]
    assert rates[0] > rates[1] > rates[2]
    rate = AUDIENCES["pepper"].make(read_design(study_of("sam")))
    pleasure = [
        np.mean([rate([Shown("happy", share)], who, rng)["pleasure"] for _ in range(200)]) for share in (1.0, 0.0)
    ]
    assert pleasure[0] > pleasure[1]


def test_the_number_of_people_grows_with_the_power_wanted(study_of):
    design = read_design(study_of("forced-choice"))
    asked = {"finding": "sad", "rng": np.random.default_rng(1)}
    with pytest.raises(UnknownNameError, match="finding"):
        people_needed(design, AUDIENCES["quadruped"], finding="proud", runs=6, rng=np.random.default_rng(0))
    tried = []
    people = people_needed(
        design, AUDIENCES["quadruped"], power=0.5, runs=12, on_size=lambda *one: tried.append(one), **asked
    )
    assert 3 <= people <= 60
    assert len(tried) >= 6


def test_the_fewest_people_reach_the_power_within_what_simulation_can_tell():
    sizes = np.array([3.0, 4.0, 5.0, 7.0])
    for shares, people in (
        ([0.46, 0.70, 0.82, 0.95], 5),  # five of them reach 80 %
        ([0.46, 0.69, 0.79, 0.95], 5),  # nearly: 200 studies cannot tell 79 from 80 %, and a sixth would make 89 %
        ([0.40, 0.60, 0.74, 0.93], 6),
        ([0.00, 0.00, 1.00, 1.00], 5),
    ):
        assert fewest_people(sizes, 200 * np.array(shares), 200, 0.8) == people
    large = np.array([25.0, 30.0, 35.0, 42.0, 50.0])
    truth = stats.norm.cdf(-2.0 + 0.48 * np.sqrt(large))  # 80 % at 35.05
    assert fewest_people(large, 200 * truth, 200, 0.8) in (35, 36)


def test_everything_made_of_simulated_answers_says_so(study_of):
    folder = study_of("forced-choice")
    main(["study", "simulate", str(folder), "--people", "6"])
    main(["study", "report", str(folder), "--answers", str(folder / "simulated.csv")])
    page = (folder / "simulated_report.html").read_text()
    captions = re.findall(r"<(?:caption|figcaption|h1|title)>(.*?)</", page)
    assert len(captions) > 8
    assert all("simulated" in caption for caption in captions)
    assert page.count("<svg") == page.count(">SIMULATED<")  # inside the picture, too, which may travel alone
    tables = list((folder / "simulated_report_tables").iterdir())
    assert all("simulated" in path.name for path in tables)
    assert all("simulated" in path.read_text() for path in tables)
