"""Database connection: where the answers of a study are, and how SQLite and PostgreSQL are opened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import URL, Engine, make_url
from sqlalchemy.exc import ArgumentError, SQLAlchemyError

from strut.errors import StudyError


def database_url(folder: Path, url: str | None) -> URL:
    """Return the URL of a study's answers: the file `answers.sqlite` in its folder unless another URL is given."""
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


def write_protected(url: URL) -> bool:
    """Return whether the answers are in an existing file that cannot be written."""
    path = Path(url.database or "")
    if url.drivername != "sqlite" or not path.is_file():
        return False
    return not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))


def reading_engine(url: URL) -> Engine:
    """Return the engine of a file that cannot be written, with its log, in which a killed server leaves answers.

    Without a log the file is opened as immutable: SQLite would create a log otherwise.
    """
    log = Path(f"{url.database}-wal")
    options = {"mode": "ro", "immutable": str(int(not log.is_file())), "uri": "true"}
    return sa.create_engine(URL.create("sqlite", database=f"file:{url.database}", query=options))


def copy_in_memory(engine: Engine) -> Engine:
    """Return the engine of a copy of an SQLite file in memory; changes to it do not reach the file."""
    copy = sa.create_engine("sqlite://", poolclass=sa.StaticPool, connect_args={"check_same_thread": False})
    with engine.connect() as source, copy.connect() as target:
        source.connection.driver_connection.backup(target.connection.driver_connection)  # type: ignore[union-attr]
    engine.dispose()
    return copy


def engine_of(url: URL) -> Engine:
    """Return the engine that reads and writes; in SQLite every transaction begins with the write lock."""
    if url.drivername != "sqlite":
        timeout = {"connect_timeout": 5}
        return sa.create_engine(url, pool_size=16, max_overflow=48, pool_pre_ping=True, connect_args=timeout)
    engine = sa.create_engine(url, connect_args={"timeout": 30.0}, pool_size=16, max_overflow=48)
    sa.event.listen(engine, "connect", _prepare_sqlite)
    sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


def _prepare_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # our listener begins transactions, with the write lock
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "busy_timeout = 30000"):
        connection.execute(f"PRAGMA {pragma}")


def insert_once(table: sa.Table, dialect: str, values: dict[str, Any]) -> Any:
    """Return a statement that adds a row unless its key exists."""
    insert: Any = sqlite.insert if dialect == "sqlite" else postgresql.insert
    return insert(table).values(values).on_conflict_do_nothing()


def shown_url(url: URL) -> str:
    """Return a database's URL as users write it, without the password."""
    return url.set(drivername=url.drivername.partition("+")[0]).render_as_string(hide_password=True)


@contextmanager
def named_errors(url: URL) -> Iterator[None]:
    """Raise StudyError with one sentence that names the database for every error in it."""
    try:
        yield
    except SQLAlchemyError as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        raise StudyError(f"The database {shown_url(url)} cannot be used: {reason}.") from error
