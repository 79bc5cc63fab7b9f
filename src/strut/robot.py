"""Robot: a compiled model with its joints, limits, feet and limbs, and the typed tables of its folder."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from strut.arrays import Array, frozen_array
from strut.errors import BadTableError
from strut.schemas.body import ChainBody, Platform
from strut.schemas.collision import CollisionTable
from strut.schemas.expression import ExpressionTable, Layer
from strut.schemas.folder import Tables
from strut.schemas.gait import GaitTable
from strut.schemas.hands import ChainsTable, StudyTable, TaskTable
from strut.schemas.human import ContactTable, MarkerTable, SubjectTable, SymmetryTable

if TYPE_CHECKING:
    from mujoco import MjModel

T = TypeVar("T")
G = TypeVar("G", bound=GaitTable)
STANDING = "standing"  # the keyframe of a model with the standing configuration
_FREE_LEG = 6  # joints of a leg that places its foot in any position and orientation
_ANKLE = 2  # last joints of a leg, which turn its foot
_ROLLS = 0.7  # component along the foot from which a joint axis rolls it
_FLAT_M = 0.005  # extent from which a foot is more than a point
FLOATING = 7  # coordinates of a floating base: position and quaternion
BASE = 6  # its degrees of freedom: velocities, or coordinates with three angles in place of the quaternion


@dataclass(frozen=True, slots=True)
class ContactPoint:
    """A point of a body that may touch the ground, in body frame; with a radius, the centre of a ball."""

    name: str
    body: str
    position_m: tuple[float, float, float]
    radius_m: float = 0.0


@dataclass(frozen=True, slots=True)
class Foot:
    """A ball foot, which is one point with a radius, or a sole, which is a polygon of points.

    Args:
        name: Name of the foot.
        frame: Site of the model at the centre of the ball or in the middle of the sole, with the axes of its body.
        points: Contact points; all on one body and with one radius.
        frame_m: Position of `frame` on that body.
    """

    name: str
    frame: str
    points: tuple[ContactPoint, ...]
    frame_m: tuple[float, float, float]

    @property
    def radius_m(self) -> float:
        """Radius of the ball; 0 for a sole."""
        return self.points[0].radius_m

    @property
    def outline_m(self) -> tuple[tuple[float, float], ...]:
        """The x and y of its points in `frame`: the corners of a sole, the centre of a ball."""
        x, y, _ = self.frame_m
        return tuple((point.position_m[0] - x, point.position_m[1] - y) for point in self.points)


def ball_foot(name: str, frame: str, body: str, centre_m: tuple[float, float, float], radius_m: float) -> Foot:
    """Return a ball foot."""
    return Foot(name, frame, (ContactPoint(name, body, centre_m, radius_m),), centre_m)


@dataclass(frozen=True, slots=True)
class Limb:
    """A chain of joints that ends in a foot, a hand or a head; the trunk is the part that several limbs share.

    Args:
        name: Name of its foot or hand; else of its last body.
        kind: Kind of limb.
        joints: Names of its joints, from the base outwards.
        bodies: Names of the bodies that they move, from the base outwards.
        frame: Site at its end, if any.
        feet: Names of its feet.
    """

    name: str
    kind: Literal["leg", "arm", "head", "trunk"]
    joints: tuple[str, ...]
    bodies: tuple[str, ...]
    frame: str | None = None
    feet: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Robot:
    """A body with actuated hinges on a floating base, a platform or a fixed base.

    Per-joint arrays have shape (n_joints,) in the order of `joint_names`, which is also the order of the model.

    Args:
        name: Name of the robot, or the path of its folder.
        title: Its name for people.
        model: The compiled model. It is shared: copy it before changing it.
        joint_names: Names of the actuated hinges.
        joint_lower_rad: Lower ends of their ranges.
        joint_upper_rad: Upper ends.
        joint_speed_limit_rad_s: Their speed limits.
        torque_limit_nm: Their torque limits.
        feet: Feet, in the order of the contact columns of a motion.
        mass_kg: Total mass.
        friction: Friction coefficient between feet and floor.
        base_size: Coordinates of qpos before the joints: position and quaternion of a floating base (7), x, y and yaw
            of a platform (3), or none of a body that is bolted down.
        fingerprint: Hash of the body without its appearance; motions store it.
        tables: Tables of its folder, one for each file.
        limbs: Legs, arms, head and trunk.
    """

    name: str
    title: str
    model: MjModel
    joint_names: tuple[str, ...]
    joint_lower_rad: Array
    joint_upper_rad: Array
    joint_speed_limit_rad_s: Array
    torque_limit_nm: Array
    feet: tuple[Foot, ...]
    mass_kg: float
    friction: float
    base_size: int
    fingerprint: str
    tables: Tables = field(default_factory=Tables)
    limbs: tuple[Limb, ...] = ()

    def __post_init__(self) -> None:
        for name in ("joint_lower_rad", "joint_upper_rad", "joint_speed_limit_rad_s", "torque_limit_nm"):
            values = frozen_array(getattr(self, name))
            if values.shape != (len(self.joint_names),) or not np.isfinite(values).all():
                raise BadTableError(f"{self.name}: {name} needs one finite number for each of the joints.")
            object.__setattr__(self, name, values)
        if (self.joint_lower_rad >= self.joint_upper_rad).any():
            raise BadTableError(f"{self.name}: the lower limit of a joint is not below its upper limit.")
        if not (self.mass_kg > 0.0 and self.friction > 0.0):
            raise BadTableError(f"{self.name}: mass and friction must be above 0.")
        if (self.joint_speed_limit_rad_s <= 0.0).any() or (self.torque_limit_nm <= 0.0).any():
            raise BadTableError(f"{self.name}: the speed or torque limit of a joint is not above 0.")
        if len(set(self.joint_names)) != len(self.joint_names):
            raise BadTableError(f"{self.name}: two joints have the same name.")

    def __repr__(self) -> str:
        return (
            f"<Robot {self.name}: {self.title}, {len(self.joint_names)} joints, {len(self.feet)} feet, "
            f"{self.mass_kg:.3g} kg>"
        )

    @property
    def foot_names(self) -> tuple[str, ...]:
        """Names of the feet, in the order of the contact columns of a motion."""
        return tuple(foot.name for foot in self.feet)

    @property
    def carriers(self) -> str:
        """Name of the parts that carry it, for people."""
        return "feet" if self.feet else "wheels"

    @property
    def floats(self) -> bool:
        """Whether its base floats, so that qpos starts with a position and a quaternion."""
        return self.base_size == FLOATING

    @property
    def standing_qpos(self) -> Array:
        """The standing configuration: the posture of its table, else every joint at zero. Shape (nq,)."""
        return frozen_array(self.model.key(STANDING).qpos if self.model.nkey else self.model.qpos0)

    @property
    def point_feet(self) -> tuple[int, ...]:
        """Index of the foot of each contact point; the points of one foot follow each other."""
        return tuple(index for index, foot in enumerate(self.feet) for _ in foot.outline_m)

    @property
    def legs(self) -> tuple[Limb, ...]:
        """The legs in the order of their feet."""
        legs = [limb for limb in self.limbs if limb.kind == "leg"]
        return tuple(sorted(legs, key=lambda leg: self.foot_names.index(leg.feet[0])))

    @property
    def foot_turns(self) -> Array:
        """Axes about which the orientation of each foot is controlled, 1 or 0 for x, y, z. Shape (n_feet, 3).

        None of a ball, two of a line. With fewer than six joints, a leg cannot control all three axes of a sole: roll
        is left out without an ankle that rolls, else yaw, because the hip does not yaw.
        """
        return _foot_turns(self)

    def _controlled_turns(self, foot: Foot, leg: Limb | None) -> tuple[float, float, float]:
        long, wide = np.ptp(np.array(foot.outline_m), axis=0) > _FLAT_M
        is_free = leg is None or len(leg.joints) >= _FREE_LEG
        rolls = is_free or (leg is not None and self._ankle_rolls(leg, foot))
        return (float(wide and rolls), float(long), float((long or wide) and (is_free or not rolls)))

    def _ankle_rolls(self, leg: Limb, foot: Foot) -> bool:
        """Return whether one of the last two joints of a leg turns the foot about its x axis."""
        return any(abs(self._axis_in(foot, joint)[0]) > _ROLLS for joint in leg.joints[-_ANKLE:])

    def _axis_in(self, foot: Foot, joint: str) -> Array:
        """Return the axis of a joint in foot frame at zero angles; 0 if it does not move the foot. Shape (3,)."""
        model = self.model
        moved = model.jnt_bodyid[model.joint(joint).id]
        axis = np.array(model.joint(joint).axis)
        body = model.body(foot.points[0].body).id
        path = list[int]()
        while body not in (moved, 0):
            path.append(body)
            body = model.body_parentid[body]
        if body != moved:
            return np.zeros(3)
        for body_on_path in reversed(path):
            w, *xyz = model.body_quat[body_on_path]
            axis += 2.0 * np.cross(xyz, np.cross(xyz, axis) - w * axis)
        return axis

    @property
    def platform(self) -> Platform | None:
        """Its platform on wheels, if it has one."""
        body = self.tables.robot
        return body.platform if isinstance(body, ChainBody) else None

    @property
    def gait(self) -> GaitTable:
        """Its gait.toml; raises BadTableError if it has none, as the following properties do for their files."""
        return self._has("gait", self.tables.gait)

    def gait_as(self, table: type[G]) -> G:
        """Return its gait.toml as the table of one kind of gait; raises BadTableError if it describes another."""
        if not isinstance(self.gait, table):
            asked = table.__struct_config__.tag
            own = self.gait.__struct_config__.tag
            raise BadTableError(f"{self.name} has no {asked} gait: its gait.toml is of the kind '{own}'.")
        return self.gait

    @property
    def expression(self) -> ExpressionTable:
        """Its expression.toml; an empty table if there is no such file."""
        return self.tables.expression or ExpressionTable()

    def chosen_layer(self, layer: Layer | None) -> Layer:
        """Return the requested layer of expression, or the usual one if None.

        Raises BadTableError if it has no animated layer.
        """
        table = self.expression
        if layer == "animated" and table.animated is None:
            raise BadTableError(f"{self.name} has no [animated] in its expression.toml; leave --expression out.")
        return layer or (table.usual if table.animated is not None else "published")

    def expressing(self, layer: Layer | None) -> Robot:
        """Return the robot with a layer of expression, or the usual one if None."""
        return _animated(self) if self.chosen_layer(layer) == "animated" else self

    @property
    def chains(self) -> ChainsTable:
        """Its chains.toml: hands and head."""
        return self._has("chains", self.tables.chains)

    @property
    def tasks(self) -> Mapping[str, TaskTable]:
        """Its tasks.toml: tasks of its hands."""
        return self._has("tasks", self.tables.tasks)

    @property
    def study(self) -> StudyTable:
        """Its study.toml: a published session."""
        return self._has("study", self.tables.study)

    @property
    def collision(self) -> CollisionTable:
        """Its collision.toml: smallest distances of its bodies; default values if there is no such file."""
        return self.tables.collision

    @property
    def contacts(self) -> ContactTable:
        """Its contact.toml for this subject: contact points, contact sets and capsules."""
        return self._has("contact", self.tables.contact)

    @property
    def markers(self) -> MarkerTable:
        """Its markers.toml for this subject: positions of markers."""
        return self._has("markers", self.tables.markers)

    @property
    def symmetry(self) -> SymmetryTable:
        """Its symmetry.toml: signs under a mirror image."""
        return self._has("symmetry", self.tables.symmetry)

    @property
    def subject(self) -> SubjectTable:
        """The person with this body."""
        return self._has("subject", self.tables.subject)

    @property
    def published(self) -> Mapping[str, Any]:
        """Its published.toml: published numbers."""
        return self._has("published", self.tables.published)

    def body_as(self, form: type[T]) -> T:
        """Return its robot.toml in a form; raises BadTableError if it has another form."""
        if not isinstance(self.tables.robot, form):
            raise BadTableError(f"{self.name}: this needs another kind of body than that of its robot.toml.")
        return self.tables.robot

    def _has(self, name: str, table: T | None) -> T:
        if table is None:
            raise BadTableError(f"{self.name} has no {name}.toml in its folder; this needs one.")
        return table


@lru_cache(maxsize=64)  # one object for each robot, so that caches that are keyed by robot stay valid
def _animated(robot: Robot) -> Robot:
    return replace(robot, tables=replace(robot.tables, expression=robot.expression.with_animated()))


@lru_cache(maxsize=64)  # iterations of inverse kinematics ask for it
def _foot_turns(robot: Robot) -> Array:
    legs = {foot: leg for leg in robot.legs for foot in leg.feet}
    turns = [robot._controlled_turns(foot, legs.get(foot.name)) for foot in robot.feet]
    return frozen_array(np.array(turns).reshape(-1, 3))
