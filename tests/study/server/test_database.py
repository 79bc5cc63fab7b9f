"""The database: every answer once, in order, for one study only; the same on SQLite and PostgreSQL."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

import pytest

from strut.errors import OutOfTurnError, StudyError, UnknownParticipantError
from strut.study.design.exclusion import exclusion_mark
from strut.study.design.trial_plan import Trial
from strut.study.server.database import deletion_code, open_database
from strut.study.server.database_connection import database_url
from strut.study.server.database_tables import TABLES

PLAN = (Trial(1, 0, "a"), Trial(2, 1, "a"), Trial(3, 1, "b"))
TOKEN = "t" * 32


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request, tmp_path):
    if request.param == "sqlite":
        return database_url(tmp_path, None)
    return database_url(tmp_path, request.getfixturevalue("empty_postgres"))


@pytest.fixture
def database(url):
    opened = open_database(url, name="mine", fingerprint="f1")
    yield opened
    opened.close()


def planner(index, shown, groups):
    return "", PLAN


def answer(database, trial, seen="sad", token=TOKEN):
    return database.answer(database.participant(token), trial, {"perceived": seen}, response_ms=900, plays=1)


def test_answers_come_back_as_they_were_given(database):
    who = database.start(TOKEN, planner, language="en", age=31, gender="woman")
    assert who.current == PLAN[0]
    assert [answer(database, trial.number) for trial in PLAN] == [True, True, True]
    assert database.participant(TOKEN).current is None
    rows = database.rows()
    assert [row["trial"] for row in rows] == [1, 2, 3]
    assert rows[0]["reply"] == {"perceived": "sad"}
    assert (rows[0]["age"], rows[0]["gender"], rows[0]["response_ms"], rows[0]["plays"]) == (31, "woman", 900, 1)
    assert database.counts() == {
        "started": 1, "finished": 1, "simulated": 0, "answers": 3, "stimuli": {"a": 1, "b": 1},
    }  # fmt: skip


def test_a_second_answer_to_a_trial_changes_nothing(database):
    database.start(TOKEN, planner, language="en")
    assert answer(database, 1, "sad")
    assert not answer(database, 1, "happy")
    assert [row["reply"]["perceived"] for row in database.rows()] == ["sad"]


def test_trials_cannot_be_skipped_or_invented(database):
    database.start(TOKEN, planner, language="en")
    for trial in (2, 99, 0, -1):
        with pytest.raises(OutOfTurnError):
            answer(database, trial)
    with pytest.raises(UnknownParticipantError):
        answer(database, 1, token="x" * 32)
    assert database.rows() == []


def test_starting_twice_with_one_form_is_one_participant(database):
    first = database.start(TOKEN, planner, language="en")
    assert database.start(TOKEN, planner, language="de").code == first.code
    assert database.counts()["started"] == 1


def test_a_participant_can_be_forgotten_and_no_other_is(database):
    other = "o" * 32
    for token in (TOKEN, other):
        database.start(token, planner, language="en")
        answer(database, 1, token=token)
    code = deletion_code(TOKEN)
    assert database.forget(code) == 1
    assert [row["code"] for row in database.rows()] == [database.participant(other).code]
    with pytest.raises(UnknownParticipantError):
        database.participant(TOKEN)
    with pytest.raises(UnknownParticipantError, match="no participant with the code"):
        database.forget(code)


def test_the_secret_of_the_link_is_not_in_the_database(database, url, tmp_path):
    database.start(TOKEN, planner, language="en")
    answer(database, 1)
    code = database.participant(TOKEN).code
    with database.engine.connect() as connection:
        stored = [str(connection.execute(table.select()).all()) for table in TABLES.sorted_tables]
    assert any(code in rows for rows in stored)
    assert all(TOKEN not in rows for rows in stored)
    for path in tmp_path.glob("answers.sqlite*"):
        assert TOKEN.encode() not in path.read_bytes()


def test_later_participants_hear_what_was_planned_for_earlier_ones(database):
    seen = []

    def remember(index, shown, groups):
        seen.append((index, dict(shown)))
        return "", PLAN

    for letter in "xyz":
        database.start(letter * 32, remember, language="en")
    assert seen == [(0, {}), (1, {"a": 1, "b": 1}), (2, {"a": 2, "b": 2})]  # practice does not count


def test_what_a_forgotten_participant_saw_counts_as_not_shown(database):
    seen = []

    def remember(index, shown, groups):
        seen.append(dict(shown))
        return "", PLAN

    for letter in "xy":
        database.start(letter * 32, remember, language="en")
    database.forget(deletion_code("x" * 32))
    database.start("z" * 32, remember, language="en")
    assert seen == [{}, {"a": 1, "b": 1}, {"a": 1, "b": 1}]


def test_many_double_clicks_at_once_store_one_answer_each(database):
    tokens = [f"{number:032d}" for number in range(8)]
    failures = []

    def take_part(token):
        try:
            database.start(token, planner, language="en")
            for trial in PLAN:
                answer(database, trial.number, token=token)
        except OutOfTurnError:
            pass  # the twin was a step behind, as a stale page would be
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=take_part, args=(token,)) for token in tokens for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    keys = [(row["code"], row["trial"]) for row in database.rows()]
    assert len(keys) == len(set(keys)) == 8 * 3


def test_two_studies_cannot_share_a_database(url):
    open_database(url, name="mine", fingerprint="f1").close()
    with pytest.raises(StudyError, match="holds answers of the study 'mine', not of 'other'"):
        open_database(url, name="other", fingerprint="f1")
    with pytest.raises(StudyError, match="its design or motions have changed"):
        open_database(url, name="mine", fingerprint="f2")
    open_database(url, name="mine", fingerprint="f1").close()


def test_an_unreachable_database_is_named_without_its_password():
    with pytest.raises(StudyError) as refusal:
        open_database(database_url(Path(), "postgresql://me:secret@127.0.0.1:1/none"), name="mine", fingerprint="f1")
    assert "127.0.0.1" in str(refusal.value)
    assert "secret" not in str(refusal.value)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("nonsense", "'nonsense' is no database URL"),
        ("mysql://host/name", "Answers cannot be kept in mysql"),
        ("sqlite:////no/such/folder/a.sqlite", "The database sqlite:////no/such/folder/a.sqlite cannot be used"),
    ],
)
def test_a_wrong_url_is_refused(wrong, reason):
    with pytest.raises(StudyError, match=reason):
        open_database(database_url(Path(), wrong), name="mine", fingerprint="f1")


def test_a_file_that_is_no_database_is_refused(tmp_path):
    (tmp_path / "answers.sqlite").write_text("this is a letter to my aunt, not a database " * 50)
    with pytest.raises(StudyError, match="cannot be used"):
        open_database(database_url(tmp_path, None), name="mine", fingerprint="f1")


@pytest.fixture
def older_url(tmp_path):
    """A database with one answer, without what later versions added."""
    url = database_url(tmp_path, None)
    opened = open_database(url, name="mine", fingerprint="f1")
    opened.start(TOKEN, planner, language="en")
    answer(opened, 1)
    with opened.engine.begin() as connection:
        for table in ("showing", "questionnaire"):
            connection.exec_driver_sql(f"drop table strut_{table}")
        for table, column in (("answer", "detail"), ("participant", "recruited"), ("participant", "recruited_hash")):
            connection.exec_driver_sql(f"alter table strut_{table} drop column {column}")
        connection.exec_driver_sql("update strut_participant set deletion_hash = null")
    opened.close()
    return url


def test_an_older_database_gets_what_it_lacks_and_keeps_its_answers(older_url):
    again = open_database(older_url, name="mine", fingerprint="f1")
    (row,) = again.rows()
    assert (row["reply"], row["detail"], row["showings"]) == ({"perceived": "sad"}, {}, 0)
    assert exclusion_mark(row) == ""  # what was not measured is not judged
    assert again.forget(row["code"]) == 1
    again.close()


def test_an_older_database_that_cannot_be_written_can_be_read(older_url, monkeypatch):
    path = Path(older_url.database)
    before = path.read_bytes()
    monkeypatch.setattr("os.access", lambda _path, _mode: False)  # to root nothing is read-only
    reading = open_database(older_url, name="mine", fingerprint="f1")
    (row,) = reading.rows()
    assert (row["reply"], row["showings"], row["own"]) == ({"perceived": "sad"}, 0, {})
    assert reading.counts()["answers"] == 1
    with pytest.raises(StudyError, match="readonly"):
        answer(reading, 2)
    reading.close()
    assert path.read_bytes() == before


def test_where_nothing_can_be_written_the_log_of_a_killed_server_is_read(tmp_path, monkeypatch):
    (tmp_path / "served").mkdir()
    opened = open_database(database_url(tmp_path / "served", None), name="mine", fingerprint="f1")
    opened.start(TOKEN, planner, language="en")
    answer(opened, 1)
    killed = shutil.copytree(tmp_path / "served", tmp_path / "killed")  # what a power cut leaves on the disk
    opened.close()
    assert (killed / "answers.sqlite-wal").stat().st_size > 0
    monkeypatch.setattr("os.access", lambda _path, _mode: False)  # to root nothing is read-only
    reading = open_database(database_url(killed, None), name="mine", fingerprint="f1")
    assert [row["reply"] for row in reading.rows()] == [{"perceived": "sad"}]
    reading.close()


def test_a_backup_holds_everything(database, tmp_path):
    database.start(TOKEN, planner, language="en", recruited={"id": "7"})
    assert database.show(database.participant(TOKEN), 1, "tab", ended=True, again=True)
    answer(database, 1)
    assert database.back_up(tmp_path / "copy.sqlite") == 1
    copy = open_database(database_url(tmp_path, f"sqlite:///{tmp_path / 'copy.sqlite'}"), name="mine", fingerprint="f1")
    assert copy.rows() == database.rows()
    assert copy.rows()[0]["showings"] == 1
    copy.close()


def test_a_file_that_cannot_be_written_can_be_read(tmp_path, monkeypatch):
    url = database_url(tmp_path, None)
    opened = open_database(url, name="mine", fingerprint="f1")
    opened.start(TOKEN, planner, language="en")
    answer(opened, 1)
    opened.close()
    before = (tmp_path / "answers.sqlite").read_bytes()
    monkeypatch.setattr("os.access", lambda _path, _mode: False)  # to root nothing is read-only
    reading = open_database(url, name="mine", fingerprint="f1")
    assert len(reading.rows()) == 1
    assert reading.read_only
    with pytest.raises(StudyError, match="readonly"):
        answer(reading, 2)
    reading.close()
    assert (tmp_path / "answers.sqlite").read_bytes() == before
    assert [path.name for path in tmp_path.iterdir()] == ["answers.sqlite"]
