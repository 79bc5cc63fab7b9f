"""Folder: all tables of one robot together; what a robot has no use for is None."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from strut.schemas.body import BodyTable
from strut.schemas.collision import USUAL_COLLISION, CollisionTable
from strut.schemas.control import ControlTable
from strut.schemas.expression import ExpressionTable
from strut.schemas.eyes import EyesTable
from strut.schemas.gait import GaitTable
from strut.schemas.gait_library import GaitLibraryTable
from strut.schemas.hands import ChainsTable, StudyTable, TaskTable
from strut.schemas.human import ContactTable, MarkerTable, SubjectTable, SymmetryTable


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of a robot's folder, by file name; of a human, contact and markers are those of one subject.

    Args:
        robot: What it is made of.
        gait: How it walks.
        expression: What feelings do to it.
        chains: Its hands and head.
        tasks: What its hands can be busy with, by name.
        study: A published session.
        collision: How near its bodies may come to each other.
        contact: Where it touches the ground, and how.
        markers: Where markers sit.
        symmetry: Its mirror image.
        subject: Whose body it is.
        control: How its motors are driven by torques.
        gait_library: The grid of its periodic gaits.
        eyes: Where its eyes are.
        published: What has been published about it, section by section.
    """

    robot: BodyTable | None = None
    gait: GaitTable | None = None
    expression: ExpressionTable | None = None
    chains: ChainsTable | None = None
    tasks: Mapping[str, TaskTable] | None = None
    study: StudyTable | None = None
    collision: CollisionTable = USUAL_COLLISION
    contact: ContactTable | None = None
    markers: MarkerTable | None = None
    symmetry: SymmetryTable | None = None
    subject: SubjectTable | None = None
    control: ControlTable | None = None
    gait_library: GaitLibraryTable | None = None
    eyes: EyesTable | None = None
    published: Mapping[str, Any] | None = None
