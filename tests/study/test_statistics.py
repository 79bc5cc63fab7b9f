"""All statistics together, their words, and the command that prints them."""

from __future__ import annotations

import csv
import json

import pytest

from strut.cli.main import main
from strut.study.paragraph import methods_and_results
from strut.study.statistics import study_statistics


@pytest.fixture(scope="module")
def answers_file(tmp_path_factory, quadruped_answers):
    path = tmp_path_factory.mktemp("answers") / "answers.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["participant", "block", "trial", "intended", "perceived"])
        a = quadruped_answers
        writer.writerows(zip(a.participant, a.block, a.trial, a.intended, a.perceived, strict=True))
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


def test_the_same_answers_give_the_same_numbers(quadruped_answers):
    assert study_statistics(quadruped_answers).as_dict() == study_statistics(quadruped_answers).as_dict()


def test_words_do_not_claim_what_the_tests_do_not_show(quadruped_answers):
    from dataclasses import replace  # noqa: PLC0415

    blind = tuple("sad" if k % 2 else "happy" for k in range(75))
    _, results = methods_and_results(study_statistics(replace(quadruped_answers, perceived=blind)))
    assert "do not demonstrably depend" in results
    assert "Above chance" not in results


def test_one_participant_gets_what_one_can_have_and_the_reasons_for_the_rest(quadruped_answers):
    from strut.study.answers import Answers  # noqa: PLC0415

    a = quadruped_answers
    alone = Answers(a.participant[:15], a.block[:15], a.trial[:15], a.intended[:15], a.perceived[:15])
    found = study_statistics(alone)
    assert found.choices.cohen.low is None
    assert found.choices.fleiss is None
    assert any("Fleiss" in reason for reason in found.left_out)


def test_power_is_printed_for_programs(capsys):
    assert main(["study", "power", "--w", "0.3", "--per-participant", "15", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["participants"] == 15
    assert main(["study", "power"]) == 2
