"""Database tables: the study, planned showings of each stimulus, participants, showings and answers."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection


def _text(name: str, **rules: Any) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, **rules)


def _number(name: str, *rules: Any) -> sa.Column[int]:
    return sa.Column(name, sa.Integer, *rules, nullable=False)


def _identity() -> sa.Column[int]:
    return sa.Column("id", sa.Integer, primary_key=True)


TABLES = sa.MetaData()
STUDY = sa.Table("strut_study", TABLES, _identity(), _text("name"), _text("fingerprint"))
SHOWN = sa.Table("strut_shown", TABLES, _text("stimulus", primary_key=True), _number("times"))
PARTICIPANT = sa.Table(
    "strut_participant",
    TABLES,
    _identity(),
    _text("token_hash", unique=True),
    _text("code", unique=True),
    _text("language"),
    sa.Column("age", sa.Integer),
    sa.Column("gender", sa.Text),
    _text("plan"),
    sa.Column("simulated", sa.Boolean, nullable=False),
    _text("started_at"),
    sa.Column("deletion_hash", sa.Text),
    sa.Column("recruited", sa.Text),
    sa.Column("recruited_hash", sa.Text),
    sa.Column("group_name", sa.Text),
)
QUESTIONNAIRE = sa.Table(
    "strut_questionnaire",
    TABLES,
    _number("participant_id", sa.ForeignKey("strut_participant.id")),
    _text("moment"),
    _text("reply"),
    sa.PrimaryKeyConstraint("participant_id", "moment"),
)
SHOWING = sa.Table(
    "strut_showing",
    TABLES,
    _number("participant_id", sa.ForeignKey("strut_participant.id")),
    _number("trial"),
    _text("tab"),
    _number("begun"),
    _number("ended"),
    sa.PrimaryKeyConstraint("participant_id", "trial"),
)
ANSWER = sa.Table(
    "strut_answer",
    TABLES,
    _identity(),
    _number("participant_id", sa.ForeignKey("strut_participant.id")),
    _number("trial"),
    _number("block"),
    _text("stimulus"),
    _text("reply"),
    sa.Column("response_ms", sa.Integer),
    sa.Column("plays", sa.Integer),
    _text("received_at"),
    sa.Column("detail", sa.Text),
    sa.Column("other", sa.Text),
    sa.UniqueConstraint("participant_id", "trial"),
)


def is_older(connection: Connection) -> bool:
    """Return whether tables or columns are missing, because an older version made the database."""
    inspector = sa.inspect(connection)
    existing = set(inspector.get_table_names())
    return any(
        table.name not in existing
        or {column.name for column in table.c} - {column["name"] for column in inspector.get_columns(table.name)}
        for table in TABLES.sorted_tables
    )


def add_missing_columns(connection: Connection) -> None:
    """Add missing tables and columns to a database of an older version; its answers stay as they are."""
    TABLES.create_all(connection)
    for table in TABLES.sorted_tables:
        existing = {column["name"] for column in sa.inspect(connection).get_columns(table.name)}
        for column in table.c:
            if column.name not in existing:
                connection.exec_driver_sql(f"ALTER TABLE {table.name} ADD COLUMN {column.name} TEXT")
