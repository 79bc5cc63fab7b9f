"""Table files: read the typed tables of a robot's folder; errors name file, line and field."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from strut.errors import BadFieldError
from strut.registry import find, names
from strut.schemas.body import BodyTable, ChainBody, LimbBody
from strut.schemas.collision import USUAL_COLLISION, CollisionTable
from strut.schemas.control import ControlTable
from strut.schemas.expression import ExpressionTable
from strut.schemas.eyes import EyesTable
from strut.schemas.folder import Tables
from strut.schemas.gait import GaitTable
from strut.schemas.gait_library import GaitLibraryTable
from strut.schemas.hands import ChainsTable, StudyTable, TaskTable
from strut.schemas.human import ContactShares, FemaleTable, MarkerTable, SymmetryTable
from strut.schemas.imported import ImportedBody
from strut.schemas.segments import SegmentBody
from strut.schemas.toml_file import FieldPath, TomlFile

T = TypeVar("T")
_FORMS: tuple[tuple[str, type[BodyTable]], ...] = (  # the first of these fields that robot.toml has decides its form
    ("segment", SegmentBody),
    ("urdf", ImportedBody),
    ("mjcf", ImportedBody),
    ("chain", ChainBody),
    ("mount", LimbBody),
)
_OLD_KEYS = {  # former names in the files of a robot that are still read: pattern and present name
    r"(?m)^(\s*\[(?:animated\.)?)word(?=[\].])": r"\1parameter",
    r"(?<![\w\"'])least(?=\s*=)": "min",
    r"(?<![\w\"'])most(?=\s*=)": "max",
    r"\bleast_distance_m(?=\s*=)": "min_distance_m",
    r"\bleast_speed(?=\s*=)": "min_speed",
}
_OLD_KINDS = {"synthesis": "human_gait"}  # former kinds of gait.toml that are still read


def read_tables(folder: Path) -> Tables:
    """Return the tables of a robot's folder, without contact.toml, which depends on the subject."""
    return Tables(
        robot=read_body(folder),
        gait=_read_gait(folder),
        expression=read_table(folder, "expression", ExpressionTable),
        chains=read_table(folder, "chains", ChainsTable),
        tasks=read_table(folder, "tasks", dict[str, TaskTable]),
        study=read_table(folder, "study", StudyTable),
        collision=read_table(folder, "collision", CollisionTable) or USUAL_COLLISION,
        markers=read_table(folder, "markers", MarkerTable),
        symmetry=read_table(folder, "symmetry", SymmetryTable),
        control=read_table(folder, "control", ControlTable),
        gait_library=read_table(folder, "gait_library", GaitLibraryTable),
        eyes=read_table(folder, "eyes", EyesTable),
        published=read_table(folder, "published", dict[str, Any]),
    )


def read_body(folder: Path) -> BodyTable:
    """Return `robot.toml` in the form that its fields have."""
    file = table_file(folder / "robot.toml")
    table = file.parse()
    for field, form in _FORMS:
        if field in table:
            return _decode(file, form)
    raise file.field_error((), "has neither limbs ([[mount]]), chains ([[chain]]) nor a model file (urdf or mjcf).")


def _read_gait(folder: Path) -> GaitTable | None:
    """Return `gait.toml` as the table of its `kind`, which is the name of a task in the registry."""
    path = folder / "gait.toml"
    if not path.is_file():
        return None
    file = table_file(path)
    written = file.parse().get("kind")
    kind = _OLD_KINDS.get(written, written) if isinstance(written, str) else ""
    table: type[GaitTable] | None = find("strut.tasks", kind).table if kind in names("strut.tasks") else None
    if table is None:
        known = [name for name in names("strut.tasks") if find("strut.tasks", name).table is not None]
        raise file.field_error(("kind",), f"must be one of {', '.join(known)}, not {written!r}.")
    if kind != written:
        file = replace(file, text=re.sub(rf'(?m)^(\s*kind\s*=\s*)"{written}"', rf'\1"{kind}"', file.text))
    return _decode(file, table)


def read_contact(folder: Path) -> ContactShares | None:
    """Return `contact.toml`, with lengths as shares of those of a subject."""
    return read_table(folder, "contact", ContactShares)


def read_female(folder: Path) -> FemaleTable | None:
    """Return `female.toml`."""
    return read_table(folder, "female", FemaleTable)


def read_table(folder: Path, name: str, kind: type[T]) -> T | None:
    """Return the table called `name` of a folder; None if there is no such file."""
    path = folder / f"{name}.toml"
    return _decode(table_file(path), kind) if path.is_file() else None


def table_file(path: Path) -> TomlFile:
    """Return a TOML file of a robot, in which former names of keys are replaced by the present ones."""
    try:
        text = path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise BadFieldError(str(path), "", f"is not UTF-8 text: {error.reason}.") from error
    for pattern, name in _OLD_KEYS.items():
        text = re.sub(pattern, name, text)
    return TomlFile(text, str(path), BadFieldError)


def _decode(file: TomlFile, kind: type[T]) -> T:
    for field, value in _numbers((), file.parse()):
        if not math.isfinite(value):
            raise file.field_error(field, f"must be a finite number, not {value}.")
    return file.decode(kind)


def _numbers(place: FieldPath, value: Any) -> Iterator[tuple[FieldPath, float]]:
    """Yield every number of a table with its path; TOML allows nan and inf, which no body has."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _numbers((*place, key), inner)
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _numbers((*place, index), inner)
    elif isinstance(value, float):
        yield place, value
