"""Counts of one read as one, in the sentences of a report, of its tables and of the command line."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from strut.cli.main import main
from strut.errors import AnswersError
from strut.study.design.exclusion import FAILED, INATTENTIVE, PASSED, attention_words, excluded_words
from strut.study.questions.improvement import Improvement
from strut.study.report.apa import counted
from strut.study.statistics.answers import Answers
from strut.study.statistics.preferences import preferences
from strut.study.templates import prose


def test_one_participant_is_needed_for_many_answers(capsys):
    assert main(["study", "power", "--rate", "0.9", "--options", "6", "--per-participant", "50"]) == 0
    assert capsys.readouterr().out.startswith("1 participant with 50 each: ")


def test_one_check_was_failed_and_one_participant_was_excluded():
    assert attention_words(["a"], [FAILED], [INATTENTIVE]) == (
        "1 of 1 attention check was failed; 1 participant was excluded for it.",
    )
    assert attention_words(["a", "b"], [PASSED, PASSED], ["", ""]) == (
        "0 of 2 attention checks were failed; no participant was excluded for it.",
    )
    assert excluded_words(["too fast"]) == ("1 answer was excluded from all tests: 1 too fast.",)


def test_one_answer_came_too_early():
    times_s = pd.Series([0.4])
    told = prose("people.txt", people=1, done=1, days=[], ages=[], genders=[], times_s=times_s, early=1, groups=[])
    assert told.endswith("1 of 1 answer came before the motion had ended.")


def test_one_control_was_among_the_motions():
    session = SimpleNamespace(
        order="fixed", blocks=1, repeats=1, feedback=False, attention_checks=1, attention_allowed=0, per_participant=0
    )
    display = SimpleNamespace(kind="sticks", seconds=2.0, azimuth_deg=0.0, azimuth_spread_deg=0.0, camera="fixed")
    design = SimpleNamespace(
        session=session,
        display=display,
        ask=Improvement(items=("speed",)),
        stimuli=["a", "b"],
        practice_trials=1,
        practice=(),
        groups=[],
        questions=[SimpleNamespace(when="after")],
    )
    told = prose("procedure.txt", design=design, controls=[("posture", 1)], robots=["mrpete"], version="1", weakened="")
    assert "in 1 block with 1 showing each after 1 practice trial; the question was 1 item on" in told
    assert "1 attention check asked each participant" in told
    assert "The study asked 1 question of its own" in told
    assert "Among them was 1 posture control." in told


def test_too_few_participants_are_reported_in_the_singular():
    row = {"participant": "a", "stimulus": "x", "other": "y", "chosen": "x", "intended": "sad"}
    with pytest.raises(AnswersError, match="preferences need 6 people; 1 answered"):
        preferences(Answers(pd.DataFrame([row])), np.random.default_rng(0))


def test_no_answers_are_several():
    assert (counted(0, "answer"), counted(1, "answer"), counted(2, "answer")) == ("0 answers", "1 answer", "2 answers")
