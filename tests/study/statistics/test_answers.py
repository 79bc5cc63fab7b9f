"""Reading tables of answers: what is there is kept, what is wrong is said with its line."""

from __future__ import annotations

import numpy as np
import pytest

from strut.errors import AnswersError, OutOfRangeError
from strut.study.statistics.answers import parse_answers, read_answers

TRACED = "participant,trial,intended,rating,trace,trace_hz\na,1,sad,0,0 1,10\n"
GOOD = "participant,block,trial,intended,perceived\na,1,1,sad,fear\na,1,2,happy,happy\n"


def test_a_choice_table_is_read_as_it_stands():
    answers = parse_answers(GOOD, "t.csv")
    assert answers.participants == ("a",)
    assert answers.emotions == ("happy", "sad")
    assert answers.correct.tolist() == [False, True]


def test_an_open_rating_is_not_a_number_and_practice_is_left_out():
    text = "participant,block,trial,intended,rating,practice\na,0,1,sad,0.2,1\na,1,2,sad,,0\na,1,3,sad,-0.5,0\n"
    answers = parse_answers(text, "t.csv")
    assert answers.practice == 1
    np.testing.assert_array_equal(answers.ratings["rating"], [np.nan, -0.5])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "t.csv, line 1: lacks the column participant and trial and intended; its first line has nothing."),
        ("participant,trial,intended\na,1,sad\n", "t.csv, line 1: has neither `perceived`, `chosen` nor `label`"),
        (GOOD.replace("a,1,2", "a,1,1"), "t.csv, line 3: participant a, block 1, trial 1 is on line 2 already."),
        (GOOD.replace("a,1,2,happy", "a,x,2,happy"), "t.csv, line 3: block is 'x', not a whole number."),
        (GOOD.replace("fear", ""), "t.csv, line 2: perceived is empty."),
        (GOOD.replace("sad,fear", "sad,fear,more"), "t.csv, line 2: has more cells than the 5 columns."),
        (GOOD.splitlines()[0], "t.csv: holds no answers."),
        ("participant,trial,intended,pleasure\na,1,sad,7\n", "t.csv, line 2: pleasure is 7; ratings lie between -1"),
        ("participant,trial,intended,pleasure\na,1,sad,inf\n", "t.csv, line 2: pleasure is inf"),
        ("participant,trial,intended,pleasure\na,1,sad,NaN\n", "t.csv: holds no rating: every cell is empty."),
        ("participant;trial;intended;perceived\na;1;sad;sad\n", "t.csv, line 1: has semicolons between its cells"),
        (
            "participant,trial,intended,perceived,simulated\na,1,sad,sad,1\na,2,sad,sad,0\n",
            "t.csv: mixes simulated answers with those of people",
        ),
        (
            "participant,trial,intended,perceived,options\na,1,sad,sad,5\na,2,sad,sad,6\n",
            "t.csv: options goes from 5 to 6; all rows need one number",
        ),
        ("participant,trial,intended,pleasure\na,1,sad,much\n", "t.csv, line 2: pleasure is 'much', not a number."),
        ("participant,trial,intended,rating,trace\na,1,sad,0,0 1\n", "t.csv, line 1: has `trace` but not `trace_hz`"),
        (TRACED + "a,2,sad,0,0 1,\n", "t.csv, line 3: trace_hz must say how many samples"),
        (TRACED + "a,2,sad,0,0 1,0\n", "t.csv, line 3: trace_hz must say how many samples"),
        (TRACED + "a,2,sad,0,0 1,20\n", "t.csv, line 3: trace_hz is 20, on line 2 10; all rows need one rate."),
    ],
)
def test_a_bad_table_is_refused_with_its_line(text, sentence):
    with pytest.raises(AnswersError) as refusal:
        parse_answers(text, "t.csv")
    assert str(refusal.value).startswith(sentence)


def test_a_missing_or_binary_file_is_refused(tmp_path):
    with pytest.raises(AnswersError, match="there is no such file"):
        read_answers(tmp_path / "none.csv")
    (tmp_path / "b.csv").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(AnswersError, match="not text in UTF-8"):
        read_answers(tmp_path / "b.csv")


def test_words_that_differ_in_capitals_only_are_joined_and_that_is_said():
    answers = parse_answers(GOOD.replace("fear", "SAD").replace("happy,happy", "happy,Happy"), "t.csv")
    assert answers.correct.tolist() == [True, True]
    assert answers.remarks == (
        "Words that differ in capitals only were joined: 'SAD' with 'sad', 'Happy' with 'happy'.",
    )
    assert parse_answers(GOOD, "t.csv").remarks == ()


def test_a_byte_order_mark_is_no_part_of_the_table(tmp_path):
    (tmp_path / "a.csv").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert len(read_answers(tmp_path / "a.csv")) == 2


def test_raw_ratings_are_rescaled_when_asked():
    text = "participant,trial,intended,pleasure\na,1,sad,1\na,2,sad,5\na,3,sad,9\n"
    answers = parse_answers(text, "t.csv", scale=(1.0, 9.0))
    np.testing.assert_allclose(answers.ratings["pleasure"], [-1.0, 0.0, 1.0])
    assert answers.remarks == ("Raw ratings from 1 to 9 were rescaled to -1 to 1.",)
    with pytest.raises(AnswersError, match=r"line 3: pleasure is 5; .* rescaled with --scale, such as --scale 1 9"):
        parse_answers(text, "t.csv")
    with pytest.raises(AnswersError, match="line 4: pleasure is 9; ratings lie between 1 and 7"):
        parse_answers(text, "t.csv", scale=(1.0, 7.0))
    for wrong in ((9.0, 1.0), (5.0, 5.0), (1.0, float("inf")), (float("nan"), 9.0)):
        with pytest.raises(OutOfRangeError, match="give the lowest rating first"):
            parse_answers(text, "t.csv", scale=wrong)
