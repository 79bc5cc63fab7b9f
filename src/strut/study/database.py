"""Database: participants and their answers in SQLite or PostgreSQL. Every answer is on disk before it is confirmed."""

from __future__ import annotations

import hashlib
import json
import os
import secrets
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, Connection, Engine, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from strut.errors import ClosedStudyError, OutOfTurnError, StudyError, UnknownParticipantError
from strut.study.database_tables import ANSWER, PARTICIPANT, SHOWING, SHOWN, STUDY, TABLES, add_columns
from strut.study.taking_part import Recruiting
from strut.study.trial_plan import Trial

_ANSWERED = (
    sa.select(sa.func.count()).where(ANSWER.c.participant_id == PARTICIPANT.c.id).scalar_subquery().label("answered")
)
_FIND = sa.select(PARTICIPANT, _ANSWERED).where(PARTICIPANT.c.token_hash == sa.bindparam("hashed"))


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody who takes part: no name, no address, only what the design asks."""

    identity: int
    code: str
    language: str
    plan: tuple[Trial, ...]
    answered: int

    @property
    def current(self) -> Trial | None:
        """The trial that waits for an answer; None when all are answered."""
        return self.plan[self.answered] if self.answered < len(self.plan) else None


Planner = Callable[[int, Mapping[str, int]], tuple[Trial, ...]]


class Database:
    """The answers of one study."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
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
        """Return the participant behind a token, made now unless the token is known: sending a form twice is once.

        Args:
            token: The secret part of the private link; only its hash is stored.
            planner: Makes the trials from the participant's number and how often each stimulus was planned before.
            language: In which they read.
            age: In years; like `gender`, None if they did not say it.
            gender: See `age`.
            recruited: Ids that came with the link.
            recruiting: How many may take part, and whether again; ClosedStudyError says that it is over.
        """
        with self._writing() as connection:
            known = _participant(connection, token)
            if known:
                return known
            identity = next(iter((recruited or {}).values()), None)
            _check_open(connection, recruiting or Recruiting(), identity)
            index = connection.scalar(sa.select(sa.func.max(PARTICIPANT.c.id))) or 0  # some may have been forgotten
            shown = {row.stimulus: row.times for row in connection.execute(sa.select(SHOWN))}
            plan = planner(index, shown)
            person = {"language": language, "age": age, "gender": gender, "simulated": False, "started_at": _now()}
            written = json.dumps([[trial.number, trial.block, trial.stimulus] for trial in plan])
            secret = {"token_hash": _hashed(token), "code": secrets.token_hex(6)}
            secret |= {"deletion_hash": _hashed(deletion_code(token)), "recruited": json.dumps(dict(recruited or {}))}
            secret |= {"recruited_hash": _hashed(identity)} if identity else {}
            connection.execute(sa.insert(PARTICIPANT).values(**secret, **person, plan=written))
            times = Counter(shown) + _showings(plan)
            connection.execute(sa.delete(SHOWN))
            connection.execute(sa.insert(SHOWN), [{"stimulus": name, "times": n} for name, n in times.items()])
            made = _participant(connection, token)
            assert made is not None
            return made

    def participant(self, token: str) -> Participant:
        """Return the participant behind a private link."""
        with self._reading() as connection:
            found = _participant(connection, token)
        if found is None:
            raise UnknownParticipantError("There is no session behind this link.")
        return found

    def show(self, who: Participant, trial: int, tab: str, *, ended: bool, again: bool) -> bool:
        """Note that a showing has begun, or ended, and return True; return False if it must not begin.

        `tab` is a random name of the browser's tab. Without `again` a motion is seen once: not after its end, and not
        in another tab than the one that began.
        """
        own = {"participant_id": who.identity, "trial": trial, "tab": tab, "begun": 0, "ended": 0}
        here = (SHOWING.c.participant_id == who.identity) & (SHOWING.c.trial == trial)
        with self._writing() as connection:
            connection.execute(_insert_once(SHOWING, self.engine.dialect.name, own))
            kept = connection.execute(sa.select(SHOWING).where(here)).one()
            if not again and not ended and (kept.ended or kept.tab != tab):
                return False
            name = "ended" if ended else "begun"
            connection.execute(sa.update(SHOWING).where(here).values({name: SHOWING.c[name] + 1}))
        return True

    def answer(
        self,
        who: Participant,
        trial: int,
        reply: Mapping[str, Any],
        *,
        response_ms: int | None,
        plays: int | None,
        detail: Mapping[str, Any] | None = None,
    ) -> bool:
        """Store an answer and return True; return False, and change nothing, if this trial was answered before.

        `who` is the participant as last read: a twin of this request may have been quicker, which changes nothing.
        `response_ms` is how long the answer took, `plays` how often the stimulus was played, `detail` what else is
        known of how it was shown, where that was measured.
        """
        if 1 <= trial <= who.answered:
            return False
        current = who.current
        if current is None or trial != current.number:
            raise OutOfTurnError(f"Trial {trial} is not the one that waits for an answer.")
        values = {
            "participant_id": who.identity,
            "trial": trial,
            "block": current.block,
            "stimulus": current.stimulus,
            "reply": json.dumps(reply, sort_keys=True),
            "response_ms": response_ms,
            "plays": plays,
            "received_at": _now(),
            "detail": json.dumps(dict(detail or {}), sort_keys=True),
        }
        once = _insert_once(ANSWER, self.engine.dialect.name, values).returning(ANSWER.c.id)
        with self._writing(lock=False) as connection:
            return connection.execute(once).first() is not None

    def forget(self, code: str) -> int:
        """Delete a participant with all answers, as they may ask, and return how many answers that were.

        The code is the one that they were shown, which is in no export; of databases made before, the pseudonym.
        """
        older = PARTICIPANT.c.deletion_hash.is_(None) & (PARTICIPANT.c.code == code)
        with self._writing() as connection:
            query = sa.select(PARTICIPANT.c.id, PARTICIPANT.c.plan)
            who = connection.execute(query.where((PARTICIPANT.c.deletion_hash == _hashed(code)) | older)).one_or_none()
            if who is None:
                raise UnknownParticipantError(f"There is no participant with the code '{code}'.")
            connection.execute(sa.delete(SHOWING).where(SHOWING.c.participant_id == who.id))
            gone = connection.execute(sa.delete(ANSWER).where(ANSWER.c.participant_id == who.id)).rowcount
            connection.execute(sa.delete(PARTICIPANT).where(PARTICIPANT.c.id == who.id))
            for stimulus, count in _showings(_trials(who.plan)).items():  # what they saw is to be seen by others
                fewer = sa.update(SHOWN).where(SHOWN.c.stimulus == stimulus)
                connection.execute(fewer.values(times=SHOWN.c.times - count))
        return int(gone)

    def rows(self) -> list[dict[str, Any]]:
        """Return all answers with what is known of their participants, in the order of their arrival."""
        person = [PARTICIPANT.c[name] for name in ("code", "language", "age", "gender", "simulated", "recruited")]
        answer = [column for column in ANSWER.c if column.name not in ("id", "participant_id")]
        showing = (SHOWING.c.participant_id == ANSWER.c.participant_id) & (SHOWING.c.trial == ANSWER.c.trial)
        source = sa.join(ANSWER, PARTICIPANT).outerjoin(SHOWING, showing)
        query = sa.select(*person, *answer, SHOWING.c.ended.label("showings")).select_from(source)
        query = query.order_by(ANSWER.c.participant_id, ANSWER.c.trial)
        with self._reading() as connection:
            found = connection.execute(query).mappings().all()
        return [{**row, **_parsed(row), "showings": row["showings"] or 0} for row in found]

    def counts(self) -> dict[str, Any]:
        """Return how many people started and finished, and how often each stimulus was answered."""
        with self._reading() as connection:
            people = connection.execute(sa.select(PARTICIPANT.c.plan, PARTICIPANT.c.simulated, _ANSWERED)).all()
            by_stimulus = sa.select(ANSWER.c.stimulus, sa.func.count()).where(ANSWER.c.block > 0)
            stimuli = connection.execute(by_stimulus.group_by(ANSWER.c.stimulus)).all()
        return {
            "started": len(people),
            "finished": sum(row.answered == len(json.loads(row.plan)) for row in people),
            "simulated": sum(row.simulated for row in people),
            "answers": sum(row.answered for row in people),
            "stimuli": {name: int(count) for name, count in stimuli},
        }

    def back_up(self, path: Path) -> int:
        """Copy everything into a new SQLite file, as it is at one instant; return how many answers that are."""
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
        """Let go of all connections; SQLite then writes what it holds beside its file into it."""
        self.engine.dispose()

    @contextmanager
    def _writing(self, *, lock: bool = True) -> Iterator[Connection]:
        """Open a transaction; with `lock`, one at a time over all servers of the study."""
        with _named(self.engine.url), self.engine.begin() as connection:
            if lock:
                connection.execute(sa.select(STUDY.c.id).with_for_update()).all()
            yield connection

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        with _named(self.engine.url), self.reader.connect() as connection:
            yield connection


def database_url(folder: Path, url: str | None) -> URL:
    """Return where a study's answers are: the file `answers.sqlite` in its folder unless a URL says otherwise."""
    if url is None:
        return URL.create("sqlite", database=str(folder / "answers.sqlite"))
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise StudyError(f"'{url}' is no database URL; write sqlite:///FILE or postgresql://USER@HOST/NAME.") from error
    if parsed.drivername in ("postgresql", "postgres"):
        parsed = parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername not in ("sqlite", "postgresql+psycopg"):
        raise StudyError(f"Answers cannot be kept in {parsed.drivername}; use sqlite or postgresql.")
    return parsed


def open_database(url: URL, *, name: str, fingerprint: str) -> Database:
    """Open the answers of a study, making the tables if need be; refuse answers of another study or design.

    What cannot be written, such as a study on a read-only disk, can still be read.
    """
    closed, database = _write_protected(url), _shown(url)
    engine = _reading_engine(url) if closed else _engine(url)
    try:
        with _named(url), engine.begin() as connection:
            if not closed:
                TABLES.create_all(connection)
                add_columns(connection)
                own = {"id": 1, "name": name, "fingerprint": fingerprint}
                connection.execute(_insert_once(STUDY, engine.dialect.name, own))
            kept = connection.execute(sa.select(STUDY)).one()
        if kept.name != name:
            raise StudyError(f"{database} holds answers of the study '{kept.name}', not of '{name}'; use another one.")
        if kept.fingerprint != fingerprint:
            raise StudyError(
                f"{database} holds answers to another version of '{name}': its design or motions have changed. "
                "Undo the change, or copy the folder without the database to a new study."
            )
    except StudyError:
        engine.dispose()
        raise
    return Database(engine)


def _write_protected(url: URL) -> bool:
    """Whether the answers are in a file that is there but cannot be written."""
    path = Path(url.database or "")
    if url.drivername != "sqlite" or not path.is_file():
        return False
    return not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def _reading_engine(url: URL) -> Engine:
    """Return what reads a file that nobody can write, so that nobody else does meanwhile."""
    as_it_is = {"mode": "ro", "immutable": "1", "uri": "true"}
    return sa.create_engine(URL.create("sqlite", database=f"file:{url.database}", query=as_it_is))


def _engine(url: URL) -> Engine:
    if url.drivername != "sqlite":
        timeout = {"connect_timeout": 5}
        return sa.create_engine(url, pool_size=16, max_overflow=48, pool_pre_ping=True, connect_args=timeout)
    engine = sa.create_engine(url, connect_args={"timeout": 30.0}, pool_size=16, max_overflow=48)
    sa.event.listen(engine, "connect", _prepare_sqlite)
    sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


def _insert_once(table: sa.Table, dialect: str, values: dict[str, Any]) -> Any:
    """Return a statement that adds a row unless its key is taken; both databases have it, each by its own name."""
    insert: Any = sqlite.insert if dialect == "sqlite" else postgresql.insert
    return insert(table).values(values).on_conflict_do_nothing()


def _check_open(connection: Connection, recruiting: Recruiting, identity: str | None) -> None:
    """Raise ClosedStudyError if the quota is full, or if somebody with this id took part."""
    if recruiting.quota:
        count = connection.scalar(sa.select(sa.func.count()).select_from(PARTICIPANT))
        if (count or 0) >= recruiting.quota:
            raise ClosedStudyError("full")
    if recruiting.once and identity:
        same = sa.select(PARTICIPANT.c.id).where(PARTICIPANT.c.recruited_hash == _hashed(identity))
        if connection.execute(same).first():
            raise ClosedStudyError("took_part")


def _parsed(row: Any) -> dict[str, Any]:
    return {name: json.loads(row[name] or "{}") for name in ("reply", "detail", "recruited")}


def deletion_code(token: str) -> str:
    """Return the code with which answers are deleted; it tells neither the private link nor the pseudonym."""
    return hashlib.sha256(f"delete {token}".encode()).hexdigest()[:12]


def _participant(connection: Connection, token: str) -> Participant | None:
    row = connection.execute(_FIND, {"hashed": _hashed(token)}).one_or_none()
    if row is None:
        return None
    return Participant(row.id, row.code, row.language, _trials(row.plan), int(row.answered))


def _trials(plan: str) -> tuple[Trial, ...]:
    return tuple(Trial(number, block, stimulus) for number, block, stimulus in json.loads(plan))


def _showings(plan: tuple[Trial, ...]) -> Counter[str]:
    """Return how often a plan shows each stimulus, practice left out."""
    return Counter(trial.stimulus for trial in plan if not trial.practice)


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions are begun by us, with the write lock taken first
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "busy_timeout = 30000"):
        connection.execute(f"PRAGMA {pragma}")


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _shown(url: URL) -> str:
    """Return a database's address as people write it, without password."""
    return url.set(drivername=url.drivername.partition("+")[0]).render_as_string(hide_password=True)


@contextmanager
def _named(url: URL) -> Iterator[None]:
    """Turn what goes wrong with a database into one sentence that names it."""
    try:
        yield
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise StudyError(f"The database {_shown(url)} cannot be used: {reason}.") from error
