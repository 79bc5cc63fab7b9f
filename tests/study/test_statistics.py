"""All statistics together, their words, and the command that prints them."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from strut.cli.main import main
from strut.errors import AnswersError
from strut.study.answers import Answers
from strut.study.statistics import study_statistics
from strut.study.statistics_text import methods_and_results, statistics_tables


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
    assert "Not above chance: sad 5/15 (33 %, p = 0.164)" in out


def test_a_missing_table_is_one_sentence_and_exit_two(tmp_path, capsys):
    assert main(["study", "stats", str(tmp_path / "none.csv")]) == 2
    assert capsys.readouterr().err.strip().endswith("there is no such file.")


def test_the_same_answers_give_the_same_numbers(quadruped_answers, quadruped_statistics):
    assert study_statistics(quadruped_answers).as_dict() == quadruped_statistics.as_dict()


def test_words_do_not_claim_what_the_tests_do_not_show(quadruped_answers):
    blind = ["sad" if k % 2 else "happy" for k in range(75)]
    _, results = methods_and_results(study_statistics(Answers(quadruped_answers.table.assign(perceived=blind))))
    assert "do not demonstrably depend" in results
    assert "Above chance" not in results


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
    assert choices.rare
    assert not replace(choices, chi2_independence=replace(choices.chi2_independence, smallest_expectation=5.0)).rare


def test_a_p_value_of_zero_is_significant_and_none_is_not(rated_answers):
    found = study_statistics(rated_answers)
    row = found.ratings[0]
    assert replace(row, p_holm=0.0).off_middle()
    assert not replace(row, p_holm=None).off_middle()
    many = tuple(replace(row, emotion=f"e{k}", p_holm=0.0 if k == 7 else 0.5) for k in range(30))
    _, results = methods_and_results(replace(found, ratings=many))
    assert "1 of 30 means lie off the middle" in results
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
    assert "nobody gave two, so there is nothing to permute within participants." in found.left_out
    methods, results = methods_and_results(found)
    assert "permutation" not in methods + results
    assert any(title.startswith("tests") for title, _, _ in statistics_tables(found))
