"""Design files: what is written is read, what is wrong is said with line and field; trial plans are balanced."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from msgspec import structs

from strut.cli.main import main
from strut.errors import DesignError, StudyError
from strut.formats.motion_file import load_motion, save_motion
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.study.design.controls import confounds
from strut.study.design.design import parse_design, read_design
from strut.study.design.translations import language_codes, language_table
from strut.study.design.trial_plan import trial_plan, williams_row
from strut.study.statistics.answers import DO_NOT_KNOW
from strut.study.study_folder import design_text, new_study

ENTRIES = [("a", "motions/a.npz", "happy"), ("b", "motions/b.npz", "sad"), ("c", "motions/c.npz", "neutral")]
TEXT = design_text("mine", "forced-choice", ENTRIES, 5.0, display="points")


def design(text: str = TEXT):
    return parse_design(text, "design.toml", Path())


@pytest.mark.parametrize("question", ["forced-choice", "slider", "sam", "improvement"])
def test_a_new_study_of_each_design_can_be_read(study_of, question):
    found = read_design(study_of(question))
    assert found.question == question
    assert sorted(entry.intended for entry in found.stimuli) == ["angry", "fearful", "happy", "neutral", "sad"]
    assert all((found.folder / entry.file).is_file() for entry in found.stimuli)


def test_do_not_know_is_the_last_option():
    assert design().ask.answer_options == ("happy", "sad", "neutral", DO_NOT_KNOW)


@pytest.mark.parametrize(
    ("old", "new", "field", "reason"),
    [
        ("blocks = 2", "blocks = two", "", ": is not TOML at column"),
        ("blocks = 2", "blocks = 0", "session.blocks", "must be a whole number from 1 to 100, not 0."),
        ("blocks = 2", "block = 2", "session.block", "there is no such field here; did you mean 'blocks'?"),
        ('"forced-choice"', '"forced-coice"', "study.question", "is 'forced-coice', which is none of"),
        ('order = "random"', 'order = "latin"', "session.order", "is 'latin', which is none of"),
        ('languages = ["en", "de"]', 'languages = ["xx"]', "study.languages", "holds 'xx'"),
        ('file = "motions/b.npz"', 'file = "../b.npz"', "stimulus.file", "is '../b.npz'; motions lie inside"),
        ('name = "b"', 'name = "b b"', "stimulus.name", "is 'b b'; use up to 60 letters"),
        ('"happy", "sad", "neutral"]', '"happy", "sad"]', "ask.options", "lacks 'neutral', which a stimulus"),
        ("replay = true", "replay = 1", "display.replay", "must be true or false, not 1."),
        ("seconds = 5", "seconds = nan", "display.seconds", "must be a number from 0 to 120, not nan."),
        ("per_participant = 0", "per_participant = 9", "session.per_participant", "must be a whole number"),
        ("[ask]", "[asks]", "asks", "there is no such field here; did you mean 'ask'?"),
    ],
)
def test_a_malformed_design_is_refused_with_line_and_field(old, new, field, reason):
    assert TEXT.count(old) == 1
    changed = TEXT.replace(old, new)
    line = 1 + changed[: changed.index(new)].count("\n")
    with pytest.raises(DesignError) as refusal:
        design(changed)
    assert str(refusal.value).startswith(f"design.toml, line {line}{f', {field}: ' if field else ''}{reason}")


def test_the_line_of_the_second_stimulus_is_found():
    changed = TEXT.replace('name = "b"', 'name = "a"')
    line = 1 + changed[: changed.rindex('name = "a"')].count("\n")
    with pytest.raises(DesignError, match=rf"^design.toml, line {line}, stimulus.name: is 'a' like that of another"):
        design(changed)


def test_a_missing_field_is_refused_at_its_table():
    with pytest.raises(DesignError, match=r"^design.toml, line 2, study.name: is missing\."):
        design(TEXT.replace('name = "mine"\n', ""))


def test_a_study_of_one_stimulus_is_refused():
    with pytest.raises(DesignError, match="at least two stimuli"):
        design(design_text("mine", "slider", ENTRIES[:1], 5.0))


def test_texts_of_a_study_replace_ours_and_unknown_ones_are_refused():
    found = design(TEXT + '[text.de]\ntitle = "Der Titel"\n[text.de.emotion]\nhappy = "heiter"\n')
    assert found.words("de").say("title") == "Der Titel"
    assert found.words("de").emotion("happy") == "heiter"
    assert found.words("en").say("title") == language_table("en")["title"]
    assert found.words("fr").code == "en"
    with pytest.raises(DesignError, match=r"text\.de\.titel: there is no such field here; did you mean 'title'"):
        design(TEXT + '[text.de]\ntitel = "Der Titel"\n')


def test_all_languages_say_the_same_things():
    def keys(table, prefix=""):
        for key, value in table.items():
            yield from keys(value, f"{prefix}{key}.") if isinstance(value, dict) else [f"{prefix}{key}"]

    expected = set(keys(language_table("en")))
    assert set(language_codes()) == {"en", "de", "fr", "es", "ja", "fa"}
    assert design(TEXT.replace('["en", "de"]', '["fa"]')).words("fa").direction == "rtl"
    for code in language_codes():
        assert set(keys(language_table(code))) == expected


def test_the_fingerprint_changes_with_what_answers_mean_and_not_with_words():
    assert design().fingerprint == design(TEXT + '[text.en]\ntitle = "Other"\n').fingerprint
    assert design().fingerprint != design(TEXT.replace("do_not_know = true", "do_not_know = false")).fingerprint


@pytest.mark.parametrize(("repeats", "seconds", "minutes"), [(1, 5.0, 1), (4, 5.0, 4), (4, 15.0, 8)])
def test_the_length_of_a_session_counts_showing_and_answering(repeats, seconds, minutes):
    """Three motions in two blocks and one for practice: 7 or 25 trials of 5 or 15 s and of 5 s for the answer."""
    text = TEXT.replace("repeats = 1", f"repeats = {repeats}").replace("\nseconds = 5 ", f"\nseconds = {seconds} ")
    found = design(text)
    assert found.trials == 1 + 3 * 2 * repeats
    assert found.minutes == minutes == max(1, round(found.trials * (seconds + 5.0) / 60.0))


def test_every_block_shows_every_stimulus_after_practice():
    plan = trial_plan(design(), index=3, shown={})
    assert [trial.number for trial in plan] == list(range(1, 8))
    assert [trial.block for trial in plan] == [0, 1, 1, 1, 2, 2, 2]
    assert plan[0].practice
    for block in (1, 2):
        assert sorted(trial.stimulus for trial in plan if trial.block == block) == ["a", "b", "c"]
    assert plan == trial_plan(design(), index=3, shown={})
    assert len({tuple(t.stimulus for t in trial_plan(design(), index=k, shown={})) for k in range(20)}) > 5


@pytest.mark.parametrize("count", [2, 3, 4, 5, 6, 7])
def test_in_the_latin_square_everything_follows_everything_else_equally_often(count):
    rows = [williams_row(count, row) for row in range(count * (1 + count % 2))]
    for position in range(count):
        assert len(set(Counter(row[position] for row in rows).values())) == 1
    follows = Counter(pair for row in rows for pair in pairwise(row))
    assert len(follows) == count * (count - 1)
    assert len(set(follows.values())) == 1


def test_sets_balance_how_often_each_stimulus_is_rated():
    small = design(TEXT.replace("per_participant = 0", "per_participant = 2").replace("blocks = 2", "blocks = 1"))
    shown: Counter[str] = Counter()
    for index in range(30):
        shown.update(t.stimulus for t in trial_plan(small, index=index, shown=shown) if not t.practice)
    assert max(shown.values()) - min(shown.values()) <= 1
    assert sum(shown.values()) == 60


def test_by_lot_no_stimulus_follows_itself():
    for index in range(40):
        plan = trial_plan(design(), index=index, shown={})
        assert all(first.stimulus != second.stimulus for first, second in pairwise(plan))


def test_one_stimulus_per_participant_is_refused_and_a_plan_of_one_repeats_it():
    with pytest.raises(DesignError, match="the tests compare within people, who must see two or more"):
        design(TEXT.replace("per_participant = 0", "per_participant = 1"))
    alone = replace(design(), session=structs.replace(design().session, per_participant=1))
    for index in range(10):
        plan = trial_plan(alone, index=index, shown={})
        assert [trial.block for trial in plan] == [0, 1, 2]
        assert len({trial.stimulus for trial in plan}) == 1


def test_shuffled_options_differ_between_people_and_stay_for_each():
    fixed = design(TEXT.replace("shuffle = true", "shuffle = false"))
    assert fixed.ask.option_order(0, 4) == fixed.ask.answer_options
    shuffled = design(TEXT)
    orders = [shuffled.ask.option_order(shuffled.seed, person) for person in range(1, 61)]
    assert orders == [shuffled.ask.option_order(shuffled.seed, person) for person in range(1, 61)]
    assert all(order[-1] == DO_NOT_KNOW and sorted(order) == sorted(shuffled.ask.answer_options) for order in orders)
    assert len(set(orders)) == 6  # every order of three
    bare = structs.replace(shuffled.ask, do_not_know=False)
    assert sorted(bare.option_order(shuffled.seed, 1)) == ["happy", "neutral", "sad"]


def test_a_fixed_order_is_that_of_the_file():
    fixed = replace(design(), session=structs.replace(design().session, order="fixed", practice=0))
    assert [trial.stimulus for trial in trial_plan(fixed, index=5, shown={})] == ["a", "b", "c"] * 2


def test_two_commands_lead_from_motions_to_a_study(tmp_path, five_motions, capsys):
    folder = tmp_path / "mine"
    assert main(["study", "new", str(folder), "--design", "sam", "--motions", *map(str, five_motions)]) == 0
    assert f"next: strut study serve {folder}" in capsys.readouterr().err
    assert len(read_design(folder).stimuli) == 5
    assert (folder / "researcher_token").stat().st_mode & 0o077 == 0
    assert main(["study", "new", str(folder), "--motions", *map(str, five_motions)]) == 2
    assert "is there already" in capsys.readouterr().err


@pytest.mark.parametrize(("words", "kind"), [([], "solid"), (["--display", "points"], "points")])
def test_a_new_study_shows_bodies_and_shuffles_the_answers(tmp_path, five_motions, words, kind):
    assert main(["study", "new", str(tmp_path / "mine"), *words, "--motions", *map(str, five_motions[:2])]) == 0
    made = read_design(tmp_path / "mine")
    assert made.display.kind == kind
    assert made.ask.shuffle


def test_the_quality_of_a_pairwise_question_is_asked_for(tmp_path, five_motions, capsys):
    new = ["study", "new", str(tmp_path / "mine"), "--motions", *map(str, five_motions[:2])]
    assert main([*new, "--design", "pairwise"]) == 2
    assert "--quality energetic" in capsys.readouterr().err
    assert main([*new, "--design", "sam", "--quality", "energetic"]) == 2
    assert "leave --quality out" in capsys.readouterr().err
    assert not (tmp_path / "mine").exists()
    assert main([*new, "--design", "pairwise", "--quality", 'full of "life"']) == 0
    assert read_design(tmp_path / "mine").ask.quality == 'full of "life"'


def test_a_foreign_motion_leaves_no_folder_behind(tmp_path, five_motions):
    (tmp_path / "bad.npz").write_text("no motion")
    with pytest.raises(Exception, match=r"not an \.npz|damaged"):
        new_study(tmp_path / "mine", "sam", [five_motions[0], tmp_path / "bad.npz"])
    assert not (tmp_path / "mine").exists()
    with pytest.raises(StudyError, match="at least two"):
        new_study(tmp_path / "mine", "sam", five_motions[:1])


def test_a_choice_needs_two_emotions(tmp_path, five_motions):
    with pytest.raises(StudyError, match="All motions are meant to show angry; a forced-choice question needs 2"):
        new_study(tmp_path / "mine", "forced-choice", [five_motions[0], five_motions[0]])
    assert not (tmp_path / "mine").exists()


def test_different_bodies_and_weakened_emotions_are_reported(tmp_path, five_motions, capsys):
    doubts = confounds([load_motion(path) for path in five_motions])
    assert any(
        doubt.startswith("emotions are expressed weaker than requested: ") and "happy" in doubt for doubt in doubts
    )
    robot = load_robot("pepper")
    still = np.zeros((101, robot.base_size + len(robot.joint_names)))
    motion = Motion("pepper", np.linspace(0.0, 2.0, 101), still, robot.joint_names, np.ones((101, 0), bool), ())
    save_motion(motion, tmp_path / "neutral.npz")
    words = "the motions are of mrpete and pepper: people may distinguish robots, not emotions"
    assert words in confounds([load_motion(five_motions[0]), motion])
    both = [str(five_motions[0]), str(tmp_path / "neutral.npz")]
    assert main(["study", "new", str(tmp_path / "two"), "--design", "sam", "--json", "--motions", *both]) == 0
    assert words in json.loads(capsys.readouterr().out)["confounds"]


def test_a_study_can_bring_its_own_language_and_learns_what_it_lacks(study_of, capsys):
    folder = study_of("sam", 'languages = ["en", "de"] => languages = ["it", "en"]')
    assert main(["study", "texts", "en"]) == 0
    ours = capsys.readouterr().out
    (folder / "languages").mkdir()
    own = folder / "languages" / "it.toml"
    own.write_text(ours.replace('start = "Start"\n', "").replace('low = "calm"\n', ""))
    with pytest.raises(DesignError, match=r"it.toml: lacks 2 of \d+ texts: start, scale.arousal.low\.$"):
        read_design(folder)
    language_table.cache_clear()
    own.write_text(ours.replace('"Start"', '"Inizia"').replace('"English"', '"Italiano"'))
    assert read_design(folder).words("it").say("start") == "Inizia"


def test_a_byte_order_mark_is_no_part_of_a_design(study_of):
    folder = study_of("sam")
    path = folder / "design.toml"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert read_design(folder).question == "sam"
