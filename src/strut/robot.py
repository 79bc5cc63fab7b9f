"""Robot: who moves. Joints, feet, limits and one MJCF text that serves kinematics, dynamics and simulation."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar
from xml.etree import ElementTree as ET

import numpy as np
import numpy.typing as npt

from strut.errors import BadTableError
from strut.tables.collision import CollisionTable
from strut.tables.expression import ExpressionTable
from strut.tables.folder import Tables
from strut.tables.gait import CrawlTable, GaitTable, StepsTable, SynthesisTable
from strut.tables.hands import ChainsTable, StudyTable, TaskTable
from strut.tables.human import ContactTable, MarkerTable, SubjectTable, SymmetryTable

T = TypeVar("T")
Array = npt.NDArray[np.float64]
FLOATING = 7  # coordinates of a base that nothing holds: position and quaternion


def frozen_array(values: npt.ArrayLike) -> Array:
    """Return a read-only copy as float64; raises TypeError for what is no real number."""
    if np.asarray(values).dtype.kind not in "fiub":
        raise TypeError(f"an array of {np.asarray(values).dtype} holds no real numbers")
    array = np.array(values, dtype=np.float64)
    array.flags.writeable = False
    return array


@dataclass(frozen=True, slots=True)
class Foot:
    """What touches the ground: a ball, or a flat sole.

    Args:
        name: Its name.
        frame: MJCF site at the centre of the ball or in the middle of the sole.
        radius_m: Radius of the ball; 0 for a sole.
        outline_m: The x and y of the points in `frame` under which it touches: the corners of a sole, one for a ball.
    """

    name: str
    frame: str
    radius_m: float
    outline_m: tuple[tuple[float, float], ...] = ((0.0, 0.0),)


@dataclass(frozen=True, slots=True, eq=False)
class Robot:
    """A body with actuated hinges, free-floating where it has feet.

    Per-joint arrays have shape (n_joints,) in the order of `joint_names`, which is also the order of the model.
    `base_size` coordinates of qpos come before the joints: position and quaternion of a floating base (7), x, y and
    yaw of a platform (3), or none of a body that is bolted down.
    `tables` holds what single stages know about this body (gait, expression, published numbers), by stage.
    """

    name: str
    title: str
    mjcf: str
    joint_names: tuple[str, ...]
    joint_lower_rad: Array
    joint_upper_rad: Array
    joint_speed_limit_rad_s: Array
    torque_limit_nm: Array
    feet: tuple[Foot, ...]
    mass_kg: float
    friction: float
    base_size: int
    tables: Mapping[str, Mapping[str, Any]]
    typed: Tables = field(default_factory=Tables)

    def __post_init__(self) -> None:
        for name in ("joint_lower_rad", "joint_upper_rad", "joint_speed_limit_rad_s", "torque_limit_nm"):
            values = frozen_array(getattr(self, name))
            if values.shape != (len(self.joint_names),) or not np.isfinite(values).all():
                raise BadTableError(f"{self.name}: {name} needs one finite number for each of the joints.")
            object.__setattr__(self, name, values)
        if (self.joint_lower_rad >= self.joint_upper_rad).any():
            raise BadTableError(f"{self.name}: a joint's lower limit is not below its upper limit.")
        if not (self.mass_kg > 0.0 and self.friction > 0.0):
            raise BadTableError(f"{self.name}: mass and friction must be above 0.")
        if (self.joint_speed_limit_rad_s <= 0.0).any() or (self.torque_limit_nm <= 0.0).any():
            raise BadTableError(f"{self.name}: a joint's speed or torque limit is not above 0.")
        if len(set(self.joint_names)) != len(self.joint_names):
            raise BadTableError(f"{self.name}: two joints have the same name.")

    @property
    def foot_names(self) -> tuple[str, ...]:
        """The feet in the order of the contact columns of a motion."""
        return tuple(foot.name for foot in self.feet)

    @property
    def floats(self) -> bool:
        """Whether nothing holds its base, so that qpos starts with a position and a quaternion."""
        return self.base_size == FLOATING

    @property
    def point_feet(self) -> tuple[int, ...]:
        """Which foot each contact point belongs to: points are the feet's outlines, one foot after the other."""
        return tuple(index for index, foot in enumerate(self.feet) for _ in foot.outline_m)

    @property
    def fingerprint(self) -> str:
        """Sixteen hexadecimal digits that change with the body, not with its looks, so that a motion knows its own."""
        return hashlib.sha256(_matter(self.mjcf).encode()).hexdigest()[:16]

    @property
    def gait(self) -> GaitTable:
        """How it walks: gait.toml. Raises BadTableError if it has none; so do all that follow."""
        gait: GaitTable | None = self.typed.gait
        self._has("gait", gait)
        assert gait is not None
        return gait

    @property
    def crawl_gait(self) -> CrawlTable:
        """How it crawls."""
        return self._walks_by(CrawlTable, "crawl")

    @property
    def step_gait(self) -> StepsTable:
        """How it walks in steps to a goal."""
        return self._walks_by(StepsTable, "walk in steps to a goal")

    @property
    def human_gait(self) -> SynthesisTable:
        """The optimal-control problem whose solution is its step."""
        return self._walks_by(SynthesisTable, "walk by an optimal-control problem")

    @property
    def expression(self) -> ExpressionTable:
        """What feelings do to it: expression.toml; an empty table, which knows of none, if there is no such file."""
        return self.typed.expression or ExpressionTable()

    @property
    def chains(self) -> ChainsTable:
        """Its hands and head: chains.toml."""
        return self._has("chains", self.typed.chains)

    @property
    def tasks(self) -> Mapping[str, TaskTable]:
        """What its hands can be busy with: tasks.toml."""
        return self._has("tasks", self.typed.tasks)

    @property
    def study(self) -> StudyTable:
        """A published session: study.toml."""
        return self._has("study", self.typed.study)

    @property
    def collision(self) -> CollisionTable:
        """How near its bodies may come to each other: collision.toml, or the usual."""
        return self.typed.collision

    @property
    def contacts(self) -> ContactTable:
        """Contact points, contact sets and capsules: contact.toml of this subject."""
        return self._has("contact", self.typed.contact)

    @property
    def markers(self) -> MarkerTable:
        """Where markers sit: markers.toml of this subject."""
        return self._has("markers", self.typed.markers)

    @property
    def symmetry(self) -> SymmetryTable:
        """Its mirror image: symmetry.toml."""
        return self._has("symmetry", self.typed.symmetry)

    @property
    def subject(self) -> SubjectTable:
        """Whose body it is."""
        return self._has("subject", self.typed.subject)

    @property
    def published(self) -> Mapping[str, Any]:
        """What has been published about it: published.toml."""
        return self._has("published", self.typed.published)

    def _has(self, name: str, table: T | None) -> T:
        if table is None:
            raise BadTableError(f"{self.name} has no {name}.toml in its folder, so it cannot do this.")
        return table

    def _walks_by(self, kind: type[T], what: str) -> T:
        if not isinstance(self.gait, kind):
            raise BadTableError(f"{self.name} does not {what}: its gait.toml describes another gait.")
        return self.gait

    def table(self, stage: str) -> Mapping[str, Any]:
        """Return what the stage called `stage` needs to know about this body."""
        if stage not in self.tables:
            raise BadTableError(f"{self.name} has no {stage}.toml in its folder, so it cannot do this.")
        return self.tables[stage]


def _matter(mjcf: str) -> str:
    """Return a model without colours, and without shapes that neither touch nor weigh anything and are only seen."""
    root = ET.fromstring(mjcf)
    usual = next((shape.attrib for shape in root.findall("default/geom")), {})
    for body in root.iter("body"):
        for shape in body.findall("geom"):
            known = usual | shape.attrib
            touches = any(known.get(word, "1") != "0" for word in ("contype", "conaffinity"))
            if touches or float(known.get("mass", "1")) > 0.0:
                shape.attrib.pop("rgba", None)
            else:
                body.remove(shape)
    return ET.canonicalize(ET.tostring(root, encoding="unicode"), strip_text=True)
