"""Database: participants and answers in SQLite or PostgreSQL. Every answer is on disk before it is confirmed."""

from __future__ import annotations

import hashlib
import json
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import URL, Connection, Engine

from strut.errors import ClosedStudyError, OutOfTurnError, StudyError, UnknownParticipantError
from strut.study.design.recruitment import Recruiting
from strut.study.design.trial_plan import Trial, planned_showings
from strut.study.server.database_connection import (
    copy_in_memory,
    engine_of,
    insert_once,
    named_errors,
    reading_engine,
    shown_url,
    write_protected,
)
from strut.study.server.database_tables import (
    ANSWER,
    PARTICIPANT,
    QUESTIONNAIRE,
    SHOWING,
    SHOWN,
    STUDY,
    TABLES,
    add_missing_columns,
    is_older,
)

_ANSWERED = (
    sa.select(sa.func.count()).where(ANSWER.c.participant_id == PARTICIPANT.c.id).scalar_subquery().label("answered")
)
_FIND = sa.select(PARTICIPANT, _ANSWERED).where(PARTICIPANT.c.token_hash == sa.bindparam("hashed"))


@dataclass(frozen=True, slots=True)
class Participant:
    """A participant: no name, no address, only what the design asks.

    `moments` are those at which the study's own questions were answered: before, after.
    """

    identity: int
    code: str
    language: str
    plan: tuple[Trial, ...]
    answered: int
    group: str = ""
    moments: tuple[str, ...] = ()

    @property
    def current(self) -> Trial | None:
        """The trial that waits for an answer; None when all are answered."""
        return self.plan[self.answered] if self.answered < len(self.plan) else None


Planner = Callable[[int, Mapping[str, int], Mapping[str, int]], tuple[str, tuple[Trial, ...]]]


class Database:
    """The answers of one study."""

    def __init__(self, engine: Engine, *, read_only: bool = False) -> None:
        self.engine = engine
        self.read_only = read_only
        self.reader = engine.execution_options(isolation_level="AUTOCOMMIT")

    def start(
        self,
        token: str,
        planner: Planner,
        *,
        language: str,
        age: int | None = None,
        gender: str | None = None,
        recruited: Mapping[str, str] | None = None,
        recruiting: Recruiting | None = None,
    ) -> Participant:
        """Return the participant of a token, a new one unless the token is known: a form sent twice starts one session.

        Args:
            token: The secret part of the private link; only its hash is stored.
            planner: Returns group and trials from the participant's number, how often each stimulus was planned before
                and how many people each group has.
            language: The language of the pages.
            age: In years; None if not given, like `gender`.
            gender: See `age`.
            recruited: Ids that came with the link.
            recruiting: How many may take part, and whether twice; the study is closed (ClosedStudyError) for others.
        """
        with self._writing() as connection:
            known = _find_participant(connection, token)
            if known:
                return known
            identity = next(iter((recruited or {}).values()), None)
            _check_open(connection, recruiting or Recruiting(), identity)
            group, plan = _plan_next(connection, planner)
            person = {"language": language, "age": age, "gender": gender, "simulated": False, "started_at": _now()}
            trials = json.dumps(
                [[trial.number, trial.block, trial.stimulus, trial.other, trial.check] for trial in plan]
            )
            secret = {"token_hash": _hashed(token), "code": secrets.token_hex(6)}
            secret |= {"deletion_hash": _hashed(deletion_code(token)), "recruited": json.dumps(dict(recruited or {}))}
            secret |= {"recruited_hash": _hashed(identity)} if identity else {}
            connection.execute(sa.insert(PARTICIPANT).values(**secret, **person, plan=trials, group_name=group))
            made = _find_participant(connection, token)
            assert made is not None
            return made

    def participant(self, token: str) -> Participant:
        """Return the participant of a private link."""
        with self._reading() as connection:
            participant = _find_participant(connection, token)
        if participant is None:
            raise UnknownParticipantError("There is no session behind this link.")
        return participant

    def show(self, participant: Participant, trial: int, tab: str, *, ended: bool, again: bool) -> bool:
        """Store that a showing has begun or ended and return True; return False if it must not begin.

        `tab` is a random name of the browser's tab. Without `again` a motion is shown once: not after its end, and not
        in a second tab.
        """
        own = {"participant_id": participant.identity, "trial": trial, "tab": tab, "begun": 0, "ended": 0}
        here = (SHOWING.c.participant_id == participant.identity) & (SHOWING.c.trial == trial)
        with self._writing() as connection:
            connection.execute(insert_once(SHOWING, self.engine.dialect.name, own))
            stored = connection.execute(sa.select(SHOWING).where(here)).one()
            if not again and not ended and (stored.ended or stored.tab != tab):
                return False
            name = "ended" if ended else "begun"
            connection.execute(sa.update(SHOWING).where(here).values({name: SHOWING.c[name] + 1}))
        return True

    def answer(
        self,
        participant: Participant,
        trial: int,
        reply: Mapping[str, Any],
        *,
        response_ms: int | None,
        plays: int | None,
        detail: Mapping[str, Any] | None = None,
    ) -> bool:
        """Store an answer and return True; return False, and change nothing, if this trial was answered before.

        Args:
            participant: As last read; if the same request arrived twice, the first one is stored.
            trial: Number of the trial.
            reply: What `Question.read_reply` returned.
            response_ms: How long the answer took; None if it was not measured.
            plays: How often the stimulus was played; None if it was not measured.
            detail: How the stimulus was shown.
        """
        if 1 <= trial <= participant.answered:
            return False
        current = participant.current
        if current is None or trial != current.number:
            raise OutOfTurnError(f"Trial {trial} is not the one that waits for an answer.")
        values = {
            "participant_id": participant.identity,
            "trial": trial,
            "block": current.block,
            "stimulus": current.stimulus,
            "reply": json.dumps(reply, sort_keys=True),
            "response_ms": response_ms,
            "plays": plays,
            "received_at": _now(),
            "detail": json.dumps(dict(detail or {}), sort_keys=True),
            "other": current.other or None,
        }
        once = insert_once(ANSWER, self.engine.dialect.name, values).returning(ANSWER.c.id)
        with self._writing(lock=False) as connection:
            return connection.execute(once).first() is not None

    def last_reply(self, participant: Participant) -> dict[str, Any]:
        """Return the last reply of a participant; empty before the first one."""
        last = (
            sa.select(ANSWER.c.reply)
            .where(ANSWER.c.participant_id == participant.identity)
            .order_by(ANSWER.c.trial.desc())
        )
        with self._reading() as connection:
            reply = connection.scalars(last.limit(1)).first()
        return dict(json.loads(reply or "{}"))

    def answer_own(self, participant: Participant, moment: str, reply: Mapping[str, Any]) -> None:
        """Store the answers to the study's own questions of a moment, unless there are some already."""
        values = {"participant_id": participant.identity, "moment": moment, "reply": json.dumps(reply, sort_keys=True)}
        with self._writing(lock=False) as connection:
            connection.execute(insert_once(QUESTIONNAIRE, self.engine.dialect.name, values))

    def forget(self, code: str) -> int:
        """Delete a participant with all answers and return how many answers were deleted.

        The code is the one on the participant's last page, which is in no export; in databases of older versions it is
        the pseudonym.
        """
        older = PARTICIPANT.c.deletion_hash.is_(None) & (PARTICIPANT.c.code == code)
        with self._writing() as connection:
            query = sa.select(PARTICIPANT.c.id, PARTICIPANT.c.plan)
            participant = connection.execute(
                query.where((PARTICIPANT.c.deletion_hash == _hashed(code)) | older)
            ).one_or_none()
            if participant is None:
                raise UnknownParticipantError(f"There is no participant with the code '{code}'.")
            for table in (SHOWING, QUESTIONNAIRE):
                connection.execute(sa.delete(table).where(table.c.participant_id == participant.id))
            deleted = connection.execute(sa.delete(ANSWER).where(ANSWER.c.participant_id == participant.id)).rowcount
            connection.execute(sa.delete(PARTICIPANT).where(PARTICIPANT.c.id == participant.id))
            for stimulus, count in planned_showings(
                _trials(participant.plan)
            ).items():  # these showings are planned again for others
                fewer = sa.update(SHOWN).where(SHOWN.c.stimulus == stimulus)
                connection.execute(fewer.values(times=SHOWN.c.times - count))
        return int(deleted)

    def rows(self) -> list[dict[str, Any]]:
        """Return all answers with their participants' data, by participant and trial."""
        names = ("code", "language", "age", "gender", "simulated", "recruited", "group_name")
        person = [PARTICIPANT.c[name] for name in names]
        answer = [column for column in ANSWER.c if column.name not in ("id", "participant_id")]
        showing = (SHOWING.c.participant_id == ANSWER.c.participant_id) & (SHOWING.c.trial == ANSWER.c.trial)
        source = sa.join(ANSWER, PARTICIPANT).outerjoin(SHOWING, showing)
        identity = ANSWER.c.participant_id
        query = sa.select(*person, *answer, identity, SHOWING.c.ended.label("showings")).select_from(source)
        query = query.order_by(ANSWER.c.participant_id, ANSWER.c.trial)
        own: dict[int, dict[str, Any]] = {}
        with self._reading() as connection:
            answers = connection.execute(query).mappings().all()
            for row in connection.execute(sa.select(QUESTIONNAIRE)):
                own.setdefault(row.participant_id, {}).update(json.loads(row.reply))
        return [
            {**row, **_parse_json(row), "showings": row["showings"] or 0, "own": own.get(row["participant_id"], {})}
            for row in answers
        ]

    def counts(self) -> dict[str, Any]:
        """Return how many people started and finished, and how often each stimulus was answered."""
        with self._reading() as connection:
            people = connection.execute(sa.select(PARTICIPANT.c.plan, PARTICIPANT.c.simulated, _ANSWERED)).all()
            stimuli: Counter[str] = Counter()
            for column in (ANSWER.c.stimulus, ANSWER.c.other):
                times = sa.select(column, sa.func.count()).where((ANSWER.c.block > 0) & (column != "")).group_by(column)
                stimuli.update({name: int(count) for name, count in connection.execute(times)})
        return {
            "started": len(people),
            "finished": sum(row.answered == len(json.loads(row.plan)) for row in people),
            "simulated": sum(row.simulated for row in people),
            "answers": sum(row.answered for row in people),
            "stimuli": dict(stimuli),
        }

    def back_up(self, path: Path) -> int:
        """Copy everything into a new SQLite file in one transaction; return the number of answers."""
        copy = sa.create_engine(URL.create("sqlite", database=str(path)))
        with self._writing() as source, copy.begin() as target:
            TABLES.create_all(target)
            for table in TABLES.sorted_tables:
                rows = [dict(row) for row in source.execute(sa.select(table)).mappings()]
                if rows:
                    target.execute(sa.insert(table), rows)
            count = target.scalar(sa.select(sa.func.count()).select_from(ANSWER))
        copy.dispose()
        return int(count or 0)

    def close(self) -> None:
        """Close all connections; SQLite then writes its log into its file."""
        self.engine.dispose()

    @contextmanager
    def _writing(self, *, lock: bool = True) -> Iterator[Connection]:
        """Open a transaction; with `lock`, only one at a time over all servers of the study."""
        with named_errors(self.engine.url), self.engine.begin() as connection:
            if lock:
                connection.execute(sa.select(STUDY.c.id).with_for_update()).all()
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with named_errors(self.engine.url), self.reader.connect() as connection:
            yield connection


def open_database(url: URL, *, name: str, fingerprint: str) -> Database:
    """Open the answers of a study and create missing tables; refuse answers of another study or design.

    A database that cannot be written, such as one on a read-only disk, can still be read.
    """
    read_only = write_protected(url)
    database = shown_url(url)
    with named_errors(url):
        engine = _read_only_engine(url) if read_only else engine_of(url)
    try:
        with named_errors(url), engine.begin() as connection:
            if not read_only:
                add_missing_columns(connection)
                own = {"id": 1, "name": name, "fingerprint": fingerprint}
                connection.execute(insert_once(STUDY, engine.dialect.name, own))
            stored = connection.execute(sa.select(STUDY)).one()
        if stored.name != name:
            raise StudyError(
                f"{database} holds answers of the study '{stored.name}', not of '{name}'; use another one."
            )
        if stored.fingerprint != fingerprint:
            raise StudyError(
                f"{database} holds answers to another version of '{name}': its design or motions have changed. "
                "Undo the change, or copy the folder without the database to a new study."
            )
    except StudyError:
        engine.dispose()
        raise
    return Database(engine, read_only=read_only)


def count_answers(url: URL) -> int:
    """Return how many answers of people a database holds, of any version of a design; 0 if there is none yet."""
    if url.drivername == "sqlite" and not Path(url.database or "").is_file():
        return 0
    with named_errors(url):
        engine = reading_engine(url) if write_protected(url) else engine_of(url)
        try:
            with engine.begin() as connection:
                if not sa.inspect(connection).has_table(ANSWER.name):
                    return 0
                of_people = sa.select(sa.func.count()).select_from(sa.join(ANSWER, PARTICIPANT))
                return int(connection.scalar(of_people.where(PARTICIPANT.c.simulated.is_(False))) or 0)
        finally:
            engine.dispose()


def _read_only_engine(url: URL) -> Engine:
    """Return the engine of a file that cannot be written; tables of an older version are completed in memory."""
    engine = reading_engine(url)
    with engine.connect() as connection:
        older = is_older(connection)
    if not older:
        return engine
    copy = copy_in_memory(engine)
    with copy.begin() as connection:
        add_missing_columns(connection)
    with copy.connect() as connection:
        connection.exec_driver_sql("PRAGMA query_only = ON")
    return copy


def _plan_next(connection: Connection, planner: Planner) -> tuple[str, tuple[Trial, ...]]:
    """Return group and trials of the next participant, and store what they will see."""
    index = connection.scalar(sa.select(sa.func.max(PARTICIPANT.c.id))) or 0  # participants may have been deleted
    shown = {row.stimulus: row.times for row in connection.execute(sa.select(SHOWN))}
    by_group = sa.select(PARTICIPANT.c.group_name, sa.func.count()).group_by(PARTICIPANT.c.group_name)
    group, plan = planner(index, shown, {name or "": count for name, count in connection.execute(by_group)})
    times = Counter(shown) + planned_showings(plan)
    connection.execute(sa.delete(SHOWN))
    connection.execute(sa.insert(SHOWN), [{"stimulus": name, "times": n} for name, n in times.items()])
    return group, plan


def _check_open(connection: Connection, recruiting: Recruiting, identity: str | None) -> None:
    """Raise ClosedStudyError if the quota is full, or if a participant with this id took part."""
    if recruiting.quota:
        count = connection.scalar(sa.select(sa.func.count()).select_from(PARTICIPANT))
        if (count or 0) >= recruiting.quota:
            raise ClosedStudyError("full")
    if recruiting.once and identity:
        same = sa.select(PARTICIPANT.c.id).where(PARTICIPANT.c.recruited_hash == _hashed(identity))
        if connection.execute(same).first():
            raise ClosedStudyError("took_part")


def _parse_json(row: Any) -> dict[str, Any]:
    return {name: json.loads(row[name] or "{}") for name in ("reply", "detail", "recruited")}


def deletion_code(token: str) -> str:
    """Return the code that deletes a participant's answers; it reveals neither the private link nor the pseudonym."""
    return hashlib.sha256(f"delete {token}".encode()).hexdigest()[:12]


def _find_participant(connection: Connection, token: str) -> Participant | None:
    row = connection.execute(_FIND, {"hashed": _hashed(token)}).one_or_none()
    if row is None:
        return None
    own = sa.select(QUESTIONNAIRE.c.moment).where(QUESTIONNAIRE.c.participant_id == row.id)
    moments = tuple(connection.scalars(own))
    return Participant(
        row.id, row.code, row.language, _trials(row.plan), int(row.answered), row.group_name or "", moments
    )


def _trials(plan: str) -> tuple[Trial, ...]:
    return tuple(Trial(*trial) for trial in json.loads(plan))


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
