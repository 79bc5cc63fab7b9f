"""Folder: all tables of one robot together; None for a file that its folder does not have."""

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
    """The tables in a robot's folder, by file name; contact and markers of a human are those of one subject.

    Args:
        robot: Its body.
        gait: Its gait.
        expression: How emotions change its motion.
        chains: Frames of its hands and head.
        tasks: Tasks of its hands, by name.
        study: A published session.
        collision: Limits of self-collision.
        contact: Contact points and contact sets.
        markers: Positions of markers on segments.
        symmetry: Joints that are mirror images of each other.
        subject: The person whose body it is.
        control: Gains of its torque controllers.
        gait_library: The grid of its periodic gaits.
        eyes: Positions and colours of its eyes.
        published: Published numbers, section by section.
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
