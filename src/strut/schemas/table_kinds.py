"""Table kinds: which typed table each TOML file of a robot's folder has, for documentation and editors."""

from __future__ import annotations

from strut.schemas.body import ChainBody, LimbBody
from strut.schemas.collision import CollisionTable
from strut.schemas.control import ControlTable
from strut.schemas.expression import ExpressionTable
from strut.schemas.eyes import EyesTable
from strut.schemas.fields import Table
from strut.schemas.gait_library import GaitLibraryTable
from strut.schemas.hands import ChainsTable, StudyTable
from strut.schemas.human import MarkerTable, SymmetryTable
from strut.schemas.imported import ImportedBody
from strut.schemas.keyframes import Animation
from strut.schemas.segments import SegmentBody

FILES: dict[str, tuple[str, type]] = {  # what each file is for, and its table; gait.toml has one for each kind of gait
    "expression.toml": ("How emotions change the motion of a body.", ExpressionTable),
    "collision.toml": ("How near the parts of a body may come to each other.", CollisionTable),
    "chains.toml": ("Frames of hands and head.", ChainsTable),
    "control.toml": ("Gains of the controllers of a torque-driven biped.", ControlTable),
    "eyes.toml": ("Positions and colours of drawn eyes.", EyesTable),
    "gait_library.toml": ("The grid of a gait library.", GaitLibraryTable),
    "markers.toml": ("Places of markers on the segments of a human body.", MarkerTable),
    "symmetry.toml": ("Joints that are mirror images of each other.", SymmetryTable),
    "study.toml": ("A published session with a robot.", StudyTable),
    "story.toml": ("A keyframe animation.", Animation),
}


def robot_forms() -> dict[str, type[Table]]:
    """Return the forms that robot.toml can have, by the field that decides between them."""
    return {"mount": LimbBody, "chain": ChainBody, "urdf or mjcf": ImportedBody, "segment": SegmentBody}
