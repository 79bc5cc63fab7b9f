"""SQLite store: a file of one kind and version; every insert is a transaction, so that a kill loses no finished one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from strut.errors import LibraryError


@dataclass(frozen=True, slots=True)
class StoreKind:
    """A kind of store.

    Args:
        what: Name in errors: a library.
        application_id: Number in the file, which other SQLite files do not have.
        version: Of its tables.
        create: Statements that make the tables.
        begin: Command that makes the first one, in errors.
    """

    what: str
    application_id: int
    version: int
    create: tuple[str, ...]
    begin: str


@contextmanager
def open_store(path: Path, kind: StoreKind, *, make: bool = False) -> Iterator[sqlite3.Connection]:
    """Open a store; raises LibraryError if it is damaged, of another kind or of another version.

    Args:
        path: Of the file.
        kind: Of the store.
        make: Whether a missing file is made.
    """
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
    (application_id,) = store.execute("PRAGMA application_id").fetchone()
    (version,) = store.execute("PRAGMA user_version").fetchone()
    (tables,) = store.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if make and application_id == 0 and tables == 0:
        store.execute("BEGIN IMMEDIATE")
        for statement in kind.create:
            store.execute(statement)
        store.execute(f"PRAGMA application_id = {kind.application_id}")
        store.execute(f"PRAGMA user_version = {kind.version}")
        store.commit()
    elif application_id != kind.application_id:
        raise LibraryError(path, "is a database of something else; choose another file.")
    elif version != kind.version:
        raise LibraryError(path, f"is a {kind.what} of version {version}; this strut reads {kind.version}.")
