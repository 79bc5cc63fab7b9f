"""Designs beside one question about one motion: pairs, ratings over time, labels, confidence, groups, checks."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from starlette.testclient import TestClient

from strut.cli.main import main
from strut.errors import AnswersError, DesignError
from strut.study.design.preregistration import preregister_study
from strut.study.design.trial_plan import session_plan, trial_plan, view_azimuths, view_of
from strut.study.report.code_sheet import save_code_sheet
from strut.study.report.study_report import report_tables
from strut.study.server.database import open_database
from strut.study.server.database_connection import database_url
from strut.study.server.middleware import Limits
from strut.study.server.server import study_app
from strut.study.statistics.answer_table import answers_of, export_csv, export_rows
from strut.study.statistics.answers import Answers, parse_answers
from strut.study.statistics.group_effects import group_effects
from strut.study.statistics.labels import Codes, analyse_labels, code_sheet, coded_answers, read_codes
from strut.study.statistics.preferences import HALF_COUNTS, any_difference, person_scores, preferences
from strut.study.statistics.rating_curves import rating_curves
from strut.study.statistics.study_statistics import study_statistics
from tests.study.design_parts import GROUPS, QUESTION
from tests.study.null_data import compared_pairs, grouped_ratings, wandering_ratings

TICKET = "k" * 32


def client_of(opened):
    client = TestClient(study_app(opened, Limits()), raise_server_exceptions=False)
    client.post("/start", data={"ticket": TICKET, "language": "en", "agree": "1"})
    return client


def send(client, number, **form):
    shown = {"trial": str(number), "tab": "one"}
    for state in ("begun", "ended"):
        client.post(f"/p/{TICKET}/showing", data={**shown, "state": state})
    timing = {"response_ms": "900", "plays": "1"}
    return client.post(f"/p/{TICKET}", data={"trial": str(number), **timing, **form}, follow_redirects=False)


def test_every_pair_comes_once_in_each_round_and_sides_are_balanced(opened_of):
    design = opened_of("pairwise", "blocks = 1 => blocks = 2").design
    assert design.trials == 1 + 2 * 10
    plans = [trial_plan(design, index, {})[1:] for index in range(4)]
    for plan in plans:
        for block in (1, 2):
            pairs = [frozenset(trial.stimuli) for trial in plan if trial.block == block]
            assert len(pairs) == len(set(pairs)) == 10
    sides = Counter((trial.stimulus, trial.other) for plan in plans for trial in plan)
    assert set(sides.values()) == {4}  # each order as often as the other


def test_a_pair_is_answered_by_its_side_and_stored_by_its_name(opened_of):
    opened = opened_of("pairwise", "practice = 1 => practice = 0")
    client = client_of(opened)
    plan = opened.database.participant(TICKET).plan
    page = client.get(f"/p/{TICKET}").text
    assert "Which of the two looks more angry?" in page
    assert len(re.findall("<canvas", page)) == 2
    assert send(client, 1, answer="middle").status_code == 422
    send(client, 1, answer="right")
    send(client, 2, answer="left")
    rows = export_rows(opened.design, opened.database.rows())
    assert [row["chosen"] for row in rows] == [plan[0].other, plan[1].stimulus]
    assert rows[0]["intended_other"] == plan[0].other
    assert [row["excluded"] for row in rows] == ["", ""]
    assert sum(opened.database.counts()["stimuli"].values()) == 4
    assert answers_of(opened.design, opened.database.rows()).are_pairs


def test_a_rating_over_time_is_kept_sample_by_sample(opened_of):
    opened = opened_of("continuous", "practice = 1 => practice = 0")
    client = client_of(opened)
    trace = " ".join(["0"] * 10 + ["50"] * 41)
    for wrong in ({}, {"trace": trace}, {"trace": "1;2", "touched": "1"}, {"trace": "0 5", "touched": "1"}):
        assert send(client, 1, **wrong).status_code == 422
    assert send(client, 1, trace=trace.replace("50", "500"), touched="1").status_code == 422
    send(client, 1, trace=trace, touched="1")
    send(client, 2, undecided="1")
    first, second = export_rows(opened.design, opened.database.rows())
    assert (first["trace"], first["trace_hz"], first["rating"]) == (trace, "10", round(50 * 41 / 51 / 100, 4))
    assert (second["trace"], second["rating"]) == ("", None)
    table = answers_of(opened.design, opened.database.rows()).table
    assert table["rating"].isna().tolist() == [False, True]


def test_labels_are_counted_as_written_and_coded_by_the_laboratory(opened_of, tmp_path):
    opened = opened_of("free-label", "practice = 1 => practice = 0")
    client = client_of(opened)
    assert send(client, 1, label="  ").status_code == 422
    for number, label in enumerate(["Angry ", "angry", "very, very sad", "<b>odd</b>"], start=1):
        send(client, number, label=label)
    send(client, 5, undecided="1")
    answers = answers_of(opened.design, opened.database.rows())
    assert list(answers.table["label"]) == ["Angry", "angry", "very, very sad", "<b>odd</b>", ""]
    found = analyse_labels(answers, np.random.default_rng(1))
    assert {row.label: row.count for row in found.counts} == {"angry": 2, "very, very sad": 1, "<b>odd</b>": 1}
    assert (found.distinct, found.do_not_know, found.coded) == (3, 1, 0)
    sheet = code_sheet(answers)
    path = tmp_path / "labels.csv"
    path.write_text(sheet.replace("angry,2,,", "angry,2,angry,angry").replace('sad",1,,', 'sad",1,sad,fearful'))
    codes = read_codes(path)
    assert codes.by_label == {"angry": "angry", "very, very sad": "sad"}
    assert codes.kappa == pytest.approx(1 / 3)
    assert list(coded_answers(answers, codes).table["perceived"]) == ["angry", "angry", "sad", "do not know"]
    assert code_sheet(answers, path.read_text()) == path.read_text()  # codes stay when labels are listed again


def test_confidence_is_asked_with_every_question_and_needed(opened_of):
    for question, form in (("forced-choice", {"answer": "sad"}), ("slider", {"rating": "4", "touched": "1"})):
        opened = opened_of(question, "confidence = false => confidence = true")
        client = client_of(opened)
        page = client.get(f"/p/{TICKET}").text
        assert "How sure are you?" in page
        offered = re.findall(r'name="confidence" value="(\d)"', page)
        assert offered == ["1", "2", "3", "4", "5"]
        assert send(client, 1, **form).status_code == 422
        assert send(client, 1, **form, confidence="6").status_code == 422
        send(client, 1, **form, confidence="4")
        assert export_rows(opened.design, opened.database.rows())[0]["confidence"] == 4


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_own_questions_come_before_and_after_and_are_exported(opened_of, kind, request, tmp_path):
    opened = opened_of("forced-choice", "practice = 1 => practice = 0\nblocks = 2 => blocks = 1", QUESTION)
    if kind == "postgresql":
        url = database_url(tmp_path, request.getfixturevalue("empty_postgres"))
        opened = replace(opened, database=open_database(url, name=opened.design.name, fingerprint="the same"))
    client = client_of(opened)
    own = f"/p/{TICKET}/questions"
    assert "<bdi>How often do you dance?</bdi>" in client.get(f"/p/{TICKET}").text
    assert client.post(own, data={"moment": "after"}).status_code == 409
    for wrong in ({}, {"own_dance": "3"}, {"own_dance": "1", "own_sleep": "25"}, {"own_dance": "1", "own_sleep": "x"}):
        assert client.post(own, data={"moment": "before", **wrong}).status_code == 422
    client.post(own, data={"moment": "before", "own_dance": "2", "own_sleep": "7,5"})
    client.post(own, data={"moment": "before", "own_dance": "1"})  # sent again: the first stays
    for number in range(1, 6):
        assert f"Movement {number} of 5" in client.get(f"/p/{TICKET}").text
        send(client, number, answer="sad")
    assert "How clear was it?" in client.get(f"/p/{TICKET}").text
    client.post(own, data={"moment": "after", "own_clear": "6", "own_remark": "nice, \n<b>"})
    assert "Thank you!" in client.get(f"/p/{TICKET}").text
    rows = export_rows(opened.design, opened.database.rows())
    assert {(row["own_dance"], row["own_sleep"], row["own_clear"]) for row in rows} == {("often", 7.5, 6)}
    assert list(csv.DictReader(io.StringIO(export_csv(opened.design, opened.database.rows()))))[4]["own_remark"]
    opened.database.back_up(tmp_path / "copy.sqlite")
    assert client.post(f"/p/{TICKET}/withdraw").status_code == 200
    assert opened.database.rows() == []
    opened.database.close()


def test_a_report_sums_up_the_answers_to_own_questions(opened_of, quadruped_statistics):
    """One row per question; of a choice every option is counted, of numbers mean and spread are given."""
    opened = opened_of("forced-choice", more=QUESTION)
    replies = {
        "own_dance": ["often", "never", "often"],
        "own_sleep": [6.0, 8.0, 10.0],
        "own_clear": [5, None, None],
        "own_remark": ["", "nice", None],
    }
    rows = [
        {"participant": f"p{person}", "trial": trial, **{name: values[person] for name, values in replies.items()}}
        for person in range(3)
        for trial in (1, 2)
    ]
    title, columns, cells = report_tables(opened.design, rows, quadruped_statistics)[-1]
    assert title.startswith("The study's own questions")
    assert columns == ["question", "when", "text", "answers", "summary"]
    assert cells == [
        ["dance", "before", "How often do you dance?", "3", "1 never, 2 often"],
        ["sleep", "before", "Hours of sleep", "3", "M = 8.00, SD = 2.00, from 6 to 10"],
        ["clear", "after", "How clear was it?", "1", "M = 5.00, from 5 to 5"],
        ["remark", "after", "Anything else?", "1", "in the table of answers"],
    ]


def test_groups_grow_alike_and_see_their_own(opened_of):
    opened = opened_of("forced-choice", more=GROUPS)
    counts = Counter()
    seen = {}
    for index in range(20):
        group, plan = session_plan(opened.design, index, {}, counts)
        counts[group] += 1
        seen[group] = {name for trial in plan for name in trial.stimuli}
    assert counts == {"plain": 10, "told": 10}
    assert seen["told"] == {"happy", "sad"}
    assert len(seen["plain"]) == 5
    client = client_of(opened)
    client.post("/start", data={"ticket": "z" * 32, "language": "de", "agree": "1"})
    groups = {who: opened.database.participant(who * 32).group for who in "kz"}
    assert sorted(groups.values()) == ["plain", "told"]
    told = next(who for who, group in groups.items() if group == "told")
    words = {"k": "Watch as a dancer would.", "z": "Schauen Sie wie jemand, der tanzt."}
    assert words[told] in client.get(f"/p/{told * 32}").text
    assert words[told] not in client.get(f"/p/{told * 32}?on=1").text


def test_who_fails_attention_checks_is_marked_excluded_and_counted(opened_of):
    opened = opened_of("forced-choice", "attention_checks = 0 => attention_checks = 2\npractice = 1 => practice = 0")
    client = client_of(opened)
    client.post("/start", data={"ticket": "z" * 32, "language": "en", "agree": "1"})
    for ticket, attentive in ((TICKET, True), ("z" * 32, False)):
        plan = opened.database.participant(ticket).plan
        assert sum(trial.check > 0 for trial in plan) == 2
        assert not plan[0].check
        for trial in plan:
            page = client.get(f"/p/{ticket}?on=1").text
            assert (f"please choose the number {trial.check}." in page) == bool(trial.check)
            chosen = trial.check if attentive else trial.check % 5 + 1
            form = {"check": str(chosen)} if trial.check else {"answer": "sad"}
            assert client.post(f"/p/{ticket}", data={"trial": str(trial.number), **form}, follow_redirects=False)
    rows = export_rows(opened.design, opened.database.rows())
    assert Counter(row["attention"] for row in rows) == {"": 20, "passed": 2, "failed": 2}
    answers = parse_answers(export_csv(opened.design, opened.database.rows()).replace("not shown to its end", ""), "t")
    assert len(answers) == 10
    assert answers.remarks == (
        "2 of 4 attention checks were failed; 1 participant was excluded for it.",
        "10 answers were excluded from all tests: 10 of people who failed attention checks.",
    )


def test_practice_has_stimuli_of_its_own_and_says_what_was_intended(opened_of):
    own = '\n[[practice]]\nname = "try"\nfile = "motions/happy.npz"\nintended = "happy"\n'
    opened = opened_of("forced-choice", "feedback = false => feedback = true", own)
    extra = [replace(stimulus, name="try") for stimulus in opened.stimuli if stimulus.name == "happy"]
    opened = replace(opened, stimuli=(*opened.stimuli, *extra))
    assert opened.design.trials == 1 + 10
    client = client_of(opened)
    assert opened.database.participant(TICKET).plan[0].stimulus == "try"
    assert send(client, 1, answer="sad").headers["location"] == f"/p/{TICKET}?feedback"
    assert "You chose sad. This movement was meant to be happy." in client.get(f"/p/{TICKET}?feedback").text
    assert "Movement 2 of 11" in client.get(f"/p/{TICKET}").text
    send(client, 2, answer="sad")
    assert "meant to be" not in client.get(f"/p/{TICKET}?feedback").text  # what counts is not told
    assert opened.database.counts()["stimuli"].get("try", 0) == 0


@pytest.mark.parametrize(
    ("question", "change", "more", "reason"),
    [
        ("continuous", "rate_hz = 10 => rate_hz = 60", "", r"line \d+, ask.rate_hz: must be a number from 1 to 30"),
        ("continuous", 'ends = ["anger", "neutral", "joy"] => ends = ["a", "b", "b"]', "", "ask.ends: holds 'b' twice"),
        ("pairwise", 'quality = "angry" => quality = " "', "", r"line \d+, ask.quality"),
        ("pairwise", "", '\n[[practice]]\nname = "a"\nfile = "x.npz"\nintended = "b"\n', "practice: there is one"),
        ("slider", "practice = 1 => practice = 0\nfeedback = false => feedback = true", "", r"line \d+, session.feed"),
        ("slider", "", '\n[[group]]\nname = "a"\n', "group: there is one"),
        ("slider", "", GROUPS.replace('"happy", "sad"', '"happy", "mad"'), r"line \d+, group.stimuli: holds 'mad'"),
        ("slider", "", GROUPS.replace("instruction.de", "instruction.fr"), "instruction: lacks the language 'de'"),
        ("slider", "", QUESTION.replace("text.de", "text.fr"), r"line \d+, question.text: lacks the language 'de'"),
        ("slider", "", QUESTION.replace('["nie", "oft"]', '["nie"]'), r"line \d+, question.options"),
        ("slider", "", QUESTION.replace('["nie", "oft"]', '["nie", "oft", "x"]'), "question.options: has more entries"),
        ("slider", "", QUESTION.replace('"number"', '"scale"'), "question.ends: lacks the language 'en'"),
        ("slider", "", QUESTION.replace("high = 24", "high = 0"), r"line \d+, question.high: is 0, which is not above"),
        ("slider", "", QUESTION.replace('"sleep"', '"dance"'), "like that of another question"),
        ("slider", "", QUESTION.replace('"sleep"', '"My sleep"'), "use small letters"),
        ("slider", "", QUESTION.replace('when = "after"', 'when = "during"'), "none of after, before"),
    ],
)  # fmt: skip
def test_a_mistake_in_a_design_is_named_with_its_line_and_field(opened_of, question, change, more, reason):
    with pytest.raises(DesignError, match=reason):
        opened_of(question, change, more)


def test_views_by_lot_are_even_and_the_same_again(opened_of):
    design = opened_of("forced-choice", "azimuth_spread_deg = 0 => azimuth_spread_deg = 180").design
    views = Counter(view_of(design, who, trial) for who in range(200) for trial in range(1, 11))
    assert set(views) == set(range(8))
    assert max(views.values()) < 1.3 * min(views.values())
    assert view_azimuths(45.0, 180.0) == (-135.0, -90.0, -45.0, 0.0, 45.0, 90.0, 135.0, 180.0)
    assert view_azimuths(45.0, 10.0)[::7] == (35.0, 55.0)
    assert view_azimuths(45.0, 0.0) == (45.0,)


@pytest.mark.parametrize(("spread_deg", "is_stored"), [(0, False), (30, True)])
def test_the_azimuth_of_a_trial_is_stored_if_it_is_random(opened_of, spread_deg, is_stored):
    opened = opened_of("forced-choice", f"azimuth_spread_deg = 0 => azimuth_spread_deg = {spread_deg}")
    client = client_of(opened)
    client.get(f"/p/{TICKET}")
    send(client, 1, answer="sad")
    (row,) = opened.database.rows()
    assert ("azimuth_deg" in row["detail"]) == is_stored
    if is_stored:
        views = view_azimuths(opened.design.display.azimuth_deg, spread_deg)
        identity = opened.database.participant(TICKET).identity
        assert row["detail"]["azimuth_deg"] == round(views[view_of(opened.design, identity, 1)], 1)


@pytest.mark.parametrize("form", [{"trial": "2"}, {"trial": "0"}, {}])
def test_a_showing_of_another_trial_is_out_of_turn_and_one_of_no_known_state_is_a_mistake(opened_of, form):
    client = client_of(opened_of("forced-choice"))
    shown = {"tab": "one", "state": "begun"}
    assert client.post(f"/p/{TICKET}/showing", data={**shown, **form}).status_code == 409
    own = {**shown, "trial": "1"}
    assert client.post(f"/p/{TICKET}/showing", data={**own, "state": "paused"}).status_code in (400, 422)
    assert client.post(f"/p/{TICKET}/showing", data={**own, "tab": "x" * 61}).status_code in (400, 422)
    assert client.post(f"/p/{TICKET}/showing", data=own).status_code == 200


@pytest.mark.parametrize("question", ["pairwise", "continuous", "free-label"])
def test_a_design_leads_from_simulated_answers_to_a_report_and_a_preregistration(study_of, question, capsys):
    folder = study_of(question, "confidence = false => confidence = true\nattention_checks = 0 => attention_checks = 1")
    text = (folder / "design.toml").read_text() + QUESTION + GROUPS.replace('stimuli = ["happy", "sad"]\n', "")
    (folder / "design.toml").write_text(text)
    assert main(["study", "simulate", str(folder), "--people", "12"]) == 0
    assert ", 12 of them practice)" in capsys.readouterr().err
    assert main(["study", "report", str(folder), "--answers", str(folder / "simulated.csv"), "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["simulated"]
    assert found["group_effects"] if question != "free-label" else found["labels"]["test"]["p_value"] < 0.05
    page = (folder / "simulated_report.html").read_text()
    told = {"pairwise": "Strengths: ", "continuous": "Over time, the rating of", "free-label": "were the same label in"}
    assert told[question] in page
    assert "Figure 1. " in page
    assert "The study&#39;s own questions (simulated)" in page
    tables = {path.suffix for path in (folder / "simulated_report_tables").iterdir()}
    assert tables == {".csv", ".tex"}
    preregister_study(folder, people=12, runs=3)
    draft = (folder / "preregistration.md").read_text()
    assert "fail more than 0 of 1 attention check are kept" in draft
    assert "Groups (plain and told)" in draft


def test_coded_labels_are_judged_as_choices(study_of, capsys):
    folder = study_of("free-label")
    answers = str(folder / "simulated.csv")
    assert main(["study", "simulate", str(folder), "--people", "12"]) == 0
    assert main(["study", "labels", str(folder), "--answers", answers, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["coded"] == 0
    sheet = folder / "labels.csv"
    sheet.write_text(
        "".join(re.sub(r"^(\w+),(\d+),,", r"\1,\2,\1,", line) for line in sheet.read_text().splitlines(keepends=True))
    )
    assert main(["study", "report", str(folder), "--answers", answers, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["choices"]["overall"]["recognised"]
    assert found["labels"]["uncoded"] == 0
    assert main(["study", "labels", str(study_of("sam"))]) == 2
    assert "only free-label has labels" in capsys.readouterr().err


def test_whatever_coders_wrote_stays_in_the_sheet(study_of):
    folder = study_of("free-label")
    answers = folder / "given.csv"
    sheet = folder / "labels.csv"
    answers.write_text("participant,trial,intended,label\na,1,sad,Sad\na,2,sad,sad\na,3,sad,glum\n")
    sheet.write_text('label,count,code,code_2,remark\nGlum,1,,low,"two\nlines"\nold,1,,,kept\n')
    assert save_code_sheet(folder, answers=answers) == (sheet, 3, 0)
    rows = {row["label"]: row for row in csv.DictReader(io.StringIO(sheet.read_text()))}
    assert (rows["glum"]["code_2"], rows["glum"]["remark"], rows["old"]["remark"]) == ("low", "two\nlines", "kept")
    assert (rows["sad"]["count"], rows["old"]["count"], rows["sad"]["remark"]) == ("2", "0", "")
    before = sheet.read_text() + "new,1,,,a,b\n"
    sheet.write_text(before)
    with pytest.raises(AnswersError, match=r"labels\.csv: is no table"):
        save_code_sheet(folder, answers=answers)
    assert sheet.read_text() == before


def test_the_seed_moves_attention_checks(opened_of):
    design = opened_of("forced-choice", "attention_checks = 0 => attention_checks = 2").design
    checks = {
        tuple((one.number, one.check) for one in trial_plan(replace(design, seed=seed), 0, {}) if one.check)
        for seed in range(5)
    }
    assert len(checks) > 1


def test_strengths_come_back_and_a_constant_liking_of_a_side_does_not_hurt():
    truth = np.array([1.2, 0.4, 0.0, -0.4, -1.2])
    answers = compared_pairs(np.random.default_rng(3), people=60, repeats=3, strengths=truth, liking_sd=0.0, side=0.5)
    found = preferences(answers, np.random.default_rng(1))
    by_name = {row.stimulus: row for row in found.strengths}
    got = np.array([by_name[f"m{k}"].strength for k in range(5)])
    np.testing.assert_allclose(got, truth, atol=0.15)
    assert all(row.low < truth[int(row.stimulus[1])] < row.high for row in found.strengths)
    assert found.side[1] < 0.5 < found.side[2]
    assert found.differ


def test_a_motion_that_always_wins_has_a_strength_and_a_note():
    answers = compared_pairs(np.random.default_rng(3), people=8, strengths=np.array([30.0, 0, 0, 0, 0]))
    found = preferences(answers, np.random.default_rng(1))
    assert found.note == HALF_COUNTS
    assert found.strengths[0].stimulus == "m0"
    assert np.isfinite([row.high for row in found.strengths]).all()


def test_few_people_say_nothing_about_others_and_that_is_said():
    found = study_statistics(compared_pairs(np.random.default_rng(1), people=5))
    assert found.preferences is None
    assert found.left_out == ("preferences need 6 people; 5 answered.",)
    one = pd.DataFrame({"participant": ["a"], "trial": [1], "intended": ["sad"], "label": ["sad"]})
    assert analyse_labels(Answers(one), np.random.default_rng(1), Codes({})).test is None


def _pairs_differ(rng):
    answers = compared_pairs(rng, people=10)
    return any_difference(person_scores(answers, [f"m{k}" for k in range(5)]), rng).p_value < 0.05


def _some_instant_differs(rng):
    return any(curve.off_middle for curve in rating_curves(wandering_ratings(rng, people=10, samples=31), rng, []))


def _groups_differ(rng):
    return any(row.p_holm < 0.05 for row in group_effects(grouped_ratings(rng, unequal=True), rng, []))


@pytest.mark.parametrize("verdict", [_pairs_differ, _some_instant_differs, _groups_differ])
def test_where_nothing_is_there_little_is_found(verdict):  # 1000 sets each: benchmarks/bench_study_null.py
    rng = np.random.default_rng(5)
    assert sum(verdict(rng) for _ in range(25)) <= 5  # of 5 %, more once in a thousand times


def test_what_is_there_is_found():
    rng = np.random.default_rng(6)
    answers = wandering_ratings(rng, people=12, samples=31, habit_sd=0.1)
    moved = [" ".join(str(min(100, int(value) + 60)) for value in text.split()) for text in answers.table["trace"]]
    shifted = answers.table.assign(trace=np.where(answers.table["stimulus"] == "m2", moved, answers.table["trace"]))
    curves = {curve.stimulus: curve for curve in rating_curves(Answers(shifted), rng, [])}
    assert curves["m2"].off_middle == ((0.0, 3.0, 1),)
    grouped = grouped_ratings(rng)
    apart = grouped.table["pleasure"] + 0.8 * ((grouped.table["group"] == "g1") & (grouped.table["intended"] == "e3"))
    found = group_effects(Answers(grouped.table.assign(pleasure=apart)), rng, [])
    assert [row.emotion for row in found if row.p_holm < 0.05] == ["e3"]
    assert found[3].means[1] - found[3].means[0] == pytest.approx(0.8, abs=0.3)
