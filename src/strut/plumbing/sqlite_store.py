"""SQLite store: one file of one kind and version; every insert is a transaction, so a kill loses nothing finished."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from strut.errors import LibraryError


@dataclass(frozen=True, slots=True)
class StoreKind:
    """What tells a store of one kind from any other SQLite file.

    Args:
        what: For people: a library.
        application_id: Written into the file.
        version: Of its tables.
        create: The statements that make the tables.
        begin: How to begin one, for people.
    """

    what: str
    application_id: int
    version: int
    create: tuple[str, ...]
    begin: str


@contextmanager
def open_store(path: Path, kind: StoreKind, *, make: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a store, making it if asked to; raises LibraryError for what is damaged, foreign or of another version."""
    if not path.is_file() and not make:
        raise LibraryError(path, f"there is no {kind.what}; {kind.begin} begins one.")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(path, timeout=30.0)) as store:
            _check(path, kind, store, make=make)
            yield store
    except sqlite3.DatabaseError as error:
        raise LibraryError(path, f"is damaged or no {kind.what} ({error}); restore it from a copy.") from error
    except OSError as error:
        raise LibraryError(path, f"cannot be opened: {error.strerror}.") from error


def _check(path: Path, kind: StoreKind, store: sqlite3.Connection, *, make: bool) -> None:
    (mark,), (version,) = (store.execute(f"PRAGMA {name}").fetchone() for name in ("application_id", "user_version"))
    (tables,) = store.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if make and mark == 0 and tables == 0:
        store.execute("BEGIN IMMEDIATE")
        for statement in kind.create:
            store.execute(statement)
        store.execute(f"PRAGMA application_id = {kind.application_id}")
        store.execute(f"PRAGMA user_version = {kind.version}")
        store.commit()
    elif mark != kind.application_id:
        raise LibraryError(path, "is a database of something else; choose another file.")
    elif version != kind.version:
        raise LibraryError(path, f"is a {kind.what} of version {version}; this strut reads {kind.version}.")
