"""All statistics together, their words, and the command that prints them."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from strut.cli.main import main
from strut.errors import AnswersError
from strut.study.design.preregistration import preregister_study
from strut.study.design.published import published
from strut.study.report.apa import degrees, p_words, share, t_words
from strut.study.report.statistics_text import methods_and_results, statistics_tables
from strut.study.report.study_report import save_tables
from strut.study.statistics.answers import DO_NOT_KNOW, Answers
from strut.study.statistics.mixed import mixed_choice
from strut.study.statistics.recognition import recognitions
from strut.study.statistics.study_statistics import study_statistics
from tests.study.null_data import guessed_answers


@pytest.fixture(scope="module")
def answers_file(tmp_path_factory, quadruped_answers):
    path = tmp_path_factory.mktemp("answers") / "answers.csv"
    quadruped_answers.table.drop(columns=["stimulus", "control"]).to_csv(path, index=False)
    return path


def test_the_command_prints_the_published_statistics_as_json(answers_file, capsys):
    assert main(["study", "stats", str(answers_file), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["choices"]["chi2_independence"]["statistic"] == pytest.approx(130.815, abs=5e-4)
    assert found["choices"]["cohens_kappa"]["value"] == pytest.approx(0.533, abs=5e-4)
    assert found["choices"]["permutation"]["p_value"] < 0.001
    assert found["left_out"] == []


def test_the_command_prints_tables_and_a_paragraph_for_people(answers_file, capsys):
    assert main(["study", "stats", str(answers_file)]) == 0
    out = capsys.readouterr().out
    assert "The intended emotion was named in 47 of 75 answers" in out
    assert "Not significantly above chance were sad (5/15, 33 %, 95% CI [" in out
    assert "Recognised above chance were neutral (" in out


def test_a_missing_table_is_one_sentence_and_exit_two(tmp_path, capsys):
    assert main(["study", "stats", str(tmp_path / "none.csv")]) == 2
    assert capsys.readouterr().err.strip().endswith("there is no such file.")


def test_the_same_answers_give_the_same_numbers(quadruped_answers, quadruped_statistics):
    assert study_statistics(quadruped_answers).as_dict() == quadruped_statistics.as_dict()


def test_words_do_not_claim_what_the_tests_do_not_show(quadruped_answers):
    blind = ["sad" if k % 2 else "happy" for k in range(75)]
    _, results = methods_and_results(study_statistics(Answers(quadruped_answers.table.assign(perceived=blind))))
    assert "so single emotions were not tested" in results
    assert "above chance" not in results


def test_one_participant_gets_what_one_can_have_and_the_reasons_for_the_rest(quadruped_answers):
    found = study_statistics(Answers(quadruped_answers.table[:15]))
    assert found.choices.cohens_kappa.low is None
    assert found.choices.fleiss_kappa is None
    assert any("Fleiss" in reason for reason in found.left_out)


def test_power_is_printed_for_programs(capsys):
    assert main(["study", "power", "--w", "0.3", "--per-participant", "15", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["participants"] == 15
    assert main(["study", "power"]) == 2


def test_more_answers_than_options_are_refused(quadruped_answers):
    with pytest.raises(AnswersError, match="3 options were offered, but there are 5: anger, fear"):
        study_statistics(replace(quadruped_answers, options=3))
    with pytest.raises(AnswersError, match="2 options were offered, but there are 5"):
        study_statistics(quadruped_answers, options=("sad", "happy"))
    assert study_statistics(replace(quadruped_answers, options=7)).choices.chance == pytest.approx(1 / 7)


def test_rare_answers_are_known_by_number(quadruped_statistics):
    choices = quadruped_statistics.choices
    assert choices.chi2_independence.smallest_expectation == pytest.approx(
        choices.confusion.counts.sum(axis=0).min() / 5
    )
    assert choices.has_small_expectations
    assert not replace(
        choices, chi2_independence=replace(choices.chi2_independence, smallest_expectation=5.0)
    ).has_small_expectations


def test_a_p_value_of_zero_is_significant_and_none_is_not(rated_answers):
    found = study_statistics(rated_answers)
    row = found.ratings[0]
    assert replace(row, p_holm=0.0).off_middle()
    assert not replace(row, p_holm=None).off_middle()
    many = tuple(replace(row, emotion=f"e{k}", p_holm=0.0 if k == 7 else 0.5) for k in range(30))
    _, results = methods_and_results(replace(found, ratings=many))
    assert "1 of 30 means differ significantly from the middle" in results
    assert "e7" in results


def test_a_mean_of_one_person_is_named_as_left_out(rated_answers):
    table = rated_answers.table
    once = table["pleasure"].mask((table["intended"] == "sad") & (table["participant"] != "p0"))
    found = study_statistics(Answers(table.assign(pleasure=once)))
    assert {row.emotion for row in found.ratings} == {"neutral", "happy"}
    assert "the mean pleasure of sad: it was rated by fewer than two people." in found.left_out


def test_reasons_are_sentences_of_their_own(quadruped_answers):
    reasons = study_statistics(Answers(quadruped_answers.table.assign(participant="p"))).left_out
    assert "a mixed model of the choices needs three people, two emotions, hits and misses." in reasons


def test_answers_of_as_many_people_are_not_permuted_within_them(quadruped_answers):
    strangers = quadruped_answers.table.assign(participant=[f"p{k}" for k in range(75)])
    found = study_statistics(Answers(strangers))
    assert found.choices.permutation is None
    assert "no participant gave two, so there is nothing to permute within participants." in found.left_out
    methods, results = methods_and_results(found)
    assert "permutation" not in methods + results
    assert "above chance" not in results
    assert "χ²(16, N = 75) = 130.8" in results
    assert any(title.startswith("Tests") for title, _, _ in statistics_tables(found))


def test_prose_is_in_apa_form(rated_answers, quadruped_statistics):
    methods, results = methods_and_results(study_statistics(rated_answers))
    assert re.search(
        r"happy, M = 0\.\d\d, SD = 0\.\d\d, 95% CI \[0\.\d\d, 0\.\d\d\], t\(39\) = \d+\.\d\d, p < \.001, d = \d",
        results,
    )
    assert re.search(r"The emotion shown changed the pleasure, F\(2, \d+(\.\d\d)?\) = \d+\.\d\d, p < \.001\.", results)
    assert "permutation" not in methods  # only tests that were run
    assert "chi-squared" not in " ".join(methods_and_results(quadruped_statistics))
    assert (p_words(1.0), p_words(0.0), p_words(0.0456)) == ("p > .999", "p < .001", "p = .046")
    assert (share(-0.3), share(1.0), t_words(2.345, 19), degrees(11.2)) == ("-.30", "1.00", "t(19) = 2.35", "11.20")


def test_both_chances_are_shown_where_people_may_not_know(quadruped_answers):
    told = study_statistics(quadruped_answers, options=(*published("quadruped")["emotions"], DO_NOT_KNOW))
    assert (told.choices.chance, told.choices.chance_all) == (pytest.approx(1 / 5), pytest.approx(1 / 6))
    methods, _ = methods_and_results(told)
    assert "is 20 % among the emotions and 17 % among all options" in methods
    assert study_statistics(quadruped_answers).choices.chance_all is None


NULL_KINDS = {
    "uniform": {},
    "biased": {"shares": (0.35, 0.25, 0.2, 0.1, 0.1)},
    "habits": {"habit_sd": 1.0},
    "do not know": {"unknown": 0.3},
    "unequal": {"unequal": True},
}


@pytest.mark.parametrize("kind", NULL_KINDS)
def test_blind_guessers_are_rarely_called_above_chance(kind):
    """50 data sets each, at most 5 % expected; benchmarks/bench_study_null.py has 1000."""
    rng = np.random.default_rng(11)
    false = 0
    for _ in range(50):
        answers = guessed_answers(rng, **NULL_KINDS[kind])
        emotions, whole, _ = recognitions(answers, rng, permutations=99)
        assert whole.recognised or not any(row.recognised for row in emotions)
        false += any(row.recognised for row in emotions)
    assert false <= 7  # 2.5 are expected; P(more than 7) is 0.3 %


def test_tables_are_written_as_csv_and_latex(quadruped_statistics, tmp_path):
    tables = statistics_tables(quadruped_statistics)
    save_tables(tables, tmp_path / "tables", simulated=False)
    names = sorted(path.name for path in (tmp_path / "tables").iterdir())
    assert len(names) == 2 * len(tables)
    assert "table_1_confusion_matrix_rows_shown_columns_answ.csv" in names
    title, header, *rows = (tmp_path / "tables" / names[0]).read_text().splitlines()
    assert title.startswith("# Confusion")
    assert len(rows) == 5
    assert header.split(",")[0] == "shown"
    text = next(path.read_text() for path in (tmp_path / "tables").glob("*hit_rates*.tex"))
    assert r"\toprule" in text
    assert r"20 \%" in text
    assert not re.search(r"(?<!\\)[%&#_$](?! )", re.sub(r"^%.*|\\label.*|\$\\chi\^2\$", "", text, flags=re.M))


def test_a_preregistration_says_what_the_design_says(study_of, capsys):
    folder = study_of("forced-choice", "practice = 1 => practice = 2")
    assert preregister_study(folder, people=12, runs=5) == 12
    text = (folder / "preregistration.md").read_text()
    for words in (
        "12 participants who complete",
        "(2 of them practice)",
        "permuted within participants",
        "power (simulated)",
    ):
        assert words in text
    assert "Each of angry, fearful, happy, neutral, and sad" in text
    assert main(["study", "preregister", str(folder), "--people", "12"]) == 2
    assert "is there already" in capsys.readouterr().err  # kept as it is
    assert main(["study", "preregister", str(folder), "--people", "2", "--force"]) == 0
    assert "2 participants who complete" in (folder / "preregistration.md").read_text()


def test_where_most_people_name_another_emotion_the_sentence_says_so():
    rng = np.random.default_rng(0)
    rows = []
    for person in range(20):
        rows += [(person, "sad", "sad" if rng.random() < 0.35 else "angry") for _ in range(4)]
        rows += [(person, name, name) for name in ("angry", "happy") for _ in range(4)]
    table = pd.DataFrame(rows, columns=["participant", "intended", "perceived"]).assign(trial=range(len(rows)))
    found = study_statistics(Answers(table.assign(participant=table["participant"].astype(str))))
    row = next(row for row in found.choices.hit_rates if row.emotion == "sad")
    assert row.recognised
    assert (row.more_frequent, row.more_frequent_count) == ("angry", row.shown - row.hits)
    _, results = methods_and_results(found)
    assert f"although {row.more_frequent_count}/80, {row.more_frequent_count / 0.8:.0f} %, answered angry" in results
    hit_rates = next(rows for title, _, rows in statistics_tables(found) if title.startswith("Hit rates"))
    assert [cells[-1] for cells in hit_rates] == ["", "", f"angry {row.more_frequent_count}", ""]


def test_hits_of_guesses_that_prefer_a_word_are_no_effect_of_the_emotion():
    rng = np.random.default_rng(1)
    answers = guessed_answers(rng, people=20, repeats=3, shares=(0.4, 0.3, 0.1, 0.1, 0.1))
    assert mixed_choice(answers).p_value < 0.001  # hits do differ: words that are often said hit more often
    found = study_statistics(answers)
    assert not found.choices.overall.recognised
    assert found.models == ()
    assert any("not above chance" in reason for reason in found.left_out)
    assert "changed the odds" not in " ".join(methods_and_results(found))
