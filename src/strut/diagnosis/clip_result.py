"""Clip result: what a check of one clip found, as one line of a results file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from strut.errors import StrutError
from strut.formats.motion_file import load_motion
from strut.models.catalogue import robot_of
from strut.verify.check import examine
from strut.verify.limit_table import LimitRow

UNREADABLE = "unreadable"
REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class ClipResult:
    """What a check of one clip found.

    Args:
        file: Its path, as the caller names it.
        key: Hash of the file and of how it was checked: an equal key needs no new check.
        verdict: Of the receipt; `unreadable` if there is none.
        robot: Name of the robot.
        duration_s: From the first sample to the last.
        reasons: Why it is refused, or unreadable, as sentences.
        notes: What the reader had to find out, and what is wrong with the clip as a whole.
        rows: Worst values.
    """

    file: str
    key: str
    verdict: str
    robot: str
    duration_s: float
    reasons: tuple[str, ...]
    notes: tuple[str, ...]
    rows: tuple[LimitRow, ...]

    @property
    def breaks(self) -> tuple[LimitRow, ...]:
        """The rows whose bound is exceeded, the one that is exceeded for the longest time first."""
        return tuple(sorted((row for row in self.rows if row.broken_share), key=lambda row: -row.broken_share))

    def as_dict(self) -> dict[str, Any]:
        """Return the result as JSON holds it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, table: dict[str, Any]) -> ClipResult:
        """Read what `as_dict` wrote; raises KeyError or TypeError on anything else."""
        lists = {name: tuple(table[name]) for name in ("reasons", "notes")}
        return cls(**{**table, **lists, "rows": tuple(LimitRow(**row) for row in table["rows"])})


def clip_key(file: Path, options: Mapping[str, Any], margin_m: float | None, fingerprint: str) -> str:
    """Return the hash of a clip and of how it is checked; of an unreadable file, that of its name."""
    how = json.dumps([str(file), dict(options), margin_m, fingerprint, version("strut")], sort_keys=True, default=str)
    digest = hashlib.sha256(how.encode())
    try:
        digest.update(file.read_bytes())
    except OSError as error:
        digest.update(str(error.strerror).encode())
    return digest.hexdigest()[:32]


def check_clip(file: str, key: str, options: Mapping[str, Any], margin_m: float | None) -> dict[str, Any]:
    """Return the result of one clip as JSON holds it, so that any worker can compute it.

    A clip that cannot be measured has a result, too: one clip does not end the check of the others.
    """
    robot = str(options.get("robot", ""))
    try:
        motion = load_motion(file, **options)
        found = examine(motion, robot_of(motion, None), margin_m=margin_m)
    except StrutError as error:
        return ClipResult(file, key, UNREADABLE, robot, 0.0, (str(error),), (), ()).as_dict()
    except Exception as error:
        why = f"{file}: cannot be measured ({type(error).__name__}: {error})."
        return ClipResult(file, key, UNREADABLE, robot, 0.0, (why,), (), ()).as_dict()
    return ClipResult(
        file=file,
        key=key,
        verdict=found.receipt.verdict,
        robot=motion.robot,
        duration_s=motion.duration_s,
        reasons=tuple(map(str, found.timed_receipt.reasons)),
        notes=(*found.faults, *motion.meta.get("notes", ())),
        rows=found.table.rows,
    ).as_dict()
