"""Tables: how a study lies in its database. Four of them: the study, what was shown, participants, answers."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite


def _words(name: str, **rules: Any) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, **rules)


def _number(name: str, *rules: Any) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, *rules, nullable=False)


def _identity() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


TABLES = sa.MetaData()
STUDY = sa.Table("strut_study", TABLES, _identity(), _words("name"), _words("fingerprint"))
SHOWN = sa.Table("strut_shown", TABLES, _words("stimulus", primary_key=True), _number("times"))
PARTICIPANT = sa.Table(
    "strut_participant",
    TABLES,
    _identity(),
    _words("token_hash", unique=True),
    _words("code", unique=True),
    _words("language"),
    sa.Column("age", sa.Integer),
    sa.Column("gender", sa.Text),
    _words("plan"),
    sa.Column("simulated", sa.Boolean, nullable=False),
    _words("started_at"),
)
ANSWER = sa.Table(
    "strut_answer",
    TABLES,
    _identity(),
    _number("participant_id", sa.ForeignKey("strut_participant.id")),
    _number("trial"),
    _number("block"),
    _words("stimulus"),
    _words("reply"),
    sa.Column("response_ms", sa.Integer),
    sa.Column("plays", sa.Integer),
    _words("received_at"),
    sa.UniqueConstraint("participant_id", "trial"),
)


def insert_once(table: sa.Table, dialect: str, values: dict[str, Any]) -> Any:
    """Return a statement that adds a row unless its key is taken; both databases have it, each by its own name."""
    insert: Any = sqlite.insert if dialect == "sqlite" else postgresql.insert
    return insert(table).values(values).on_conflict_do_nothing()
