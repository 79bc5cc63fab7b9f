"""Link tree: a robot's rigid links, the hinges between them and the points of their surfaces, posed by joint angles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain

import mujoco
import numpy as np

from strut.adoption.shape_points import ShapePoints, shape_points
from strut.arrays import Array
from strut.robot import FLOATING

_HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)


class LinkTree:
    """A plain model seen as rigid links. A link is all bodies between which nothing moves; link 0 is the base.

    `up` and `forward` are turned to z and x before anything is measured: the base is posed so.
    """

    def __init__(self, model: mujoco.MjModel, base_quaternion: Array | None = None) -> None:
        self.model = model
        self.data = mujoco.MjData(model)
        self.base_quaternion = np.array(model.qpos0[3:FLOATING] if base_quaternion is None else base_quaternion)
        self._links, self.link_of_body = _rigid_links(model)
        self.bodies = [np.flatnonzero(model.body_weldid == link).tolist() for link in self._links]
        self.parent = [-1, *(self.link_of_body[int(model.body_parentid[body])] for body in self._links[1:])]
        self.joints = list(map(self._joints_of, self._links))
        self.hinges = list(range(1, model.njnt))
        self.joint_names = self.names_of(self.hinges)
        self.touching = shape_points(model, touching=True)
        bare = self.bodies_of(filter(self._touches_nothing, range(len(self.bodies))))
        self.points: ShapePoints = self.touching.joined(shape_points(model, touching=False).of(bare))  # at least seen

    def _touches_nothing(self, link: int) -> bool:
        return not np.isin(self.touching.body, self.bodies[link]).any()

    def _joints_of(self, body: int) -> list[int]:
        joints = np.flatnonzero(self.model.jnt_bodyid == body)
        return [int(joint) for joint in joints if int(self.model.jnt_type[joint]) == _HINGE]

    def bodies_of(self, links: Iterable[int]) -> set[int]:
        """Return the bodies of some links."""
        return set(chain.from_iterable(map(self.bodies.__getitem__, links)))

    def joints_of(self, links: Iterable[int]) -> list[int]:
        """Return the joints that move some links."""
        return list(chain.from_iterable(map(self.joints.__getitem__, links)))

    def names_of(self, joints: Iterable[int]) -> list[str]:
        """Return the names of joints."""
        return list(map(self.joint_name, joints))

    def addresses(self, joints: Sequence[int]) -> list[int]:
        """Return where the angles of joints are in qpos."""
        return list(map(self.address, joints))

    def anchors(self, joints: Sequence[int]) -> Array:
        """Return where joints are in world; the model must be posed. Shape (n, 3)."""
        places: Array = self.data.xanchor[list(joints)]
        return places

    @property
    def leaves(self) -> list[int]:
        """The links on which no other hangs, without the base."""
        return [link for link in range(1, len(self.parent)) if link not in self.parent]

    def name(self, link: int) -> str:
        """Return the name of a link: that of its first body."""
        return str(self.model.body(self._links[link]).name)

    def all_names(self, link: int) -> list[str]:
        """Return the names of all bodies of a link."""
        return [str(self.model.body(body).name) for body in self.bodies[link]]

    def path(self, link: int) -> list[int]:
        """Return the links from the base (left out) to a link."""
        links = []
        while link > 0:
            links.append(link)
            link = self.parent[link]
        return links[::-1]

    def chain(self, link: int) -> list[int]:
        """Return the joints from the base to a link."""
        return self.joints_of(self.path(link))

    def below(self, link: int) -> set[int]:
        """Return a link and all that hang on it."""
        inside = {link}
        for other in range(link + 1, len(self._links)):
            if self.parent[other] in inside:
                inside.add(other)
        return inside

    def joint_name(self, joint: int) -> str:
        """Return the name of a joint."""
        return str(self.model.joint(joint).name)

    def address(self, joint: int) -> int:
        """Return where a joint's angle is in qpos."""
        return int(self.model.jnt_qposadr[joint])

    @cached_property
    def zero(self) -> Array:
        """Every joint at zero, or at the limit nearest to it. Shape (nq,)."""
        return self.clamped(self._upright(self.model.qpos0))

    @cached_property
    def middle(self) -> Array:
        """Every joint in the middle of its range; those without limits at zero. Shape (nq,)."""
        qpos = self._upright(self.model.qpos0)
        for joint in range(1, self.model.njnt):
            if self.model.jnt_limited[joint]:
                qpos[self.address(joint)] = self.model.jnt_range[joint].mean()
        return qpos

    def posture(self, angles: Mapping[str, float]) -> Array:
        """Return named angles as a configuration within limits, the others at zero. Shape (nq,)."""
        qpos = self._upright(self.model.qpos0)
        for name, angle in angles.items():
            if name in self.joint_names:
                qpos[self.address(int(self.model.joint(name).id))] = angle
        return self.clamped(qpos)

    def _upright(self, qpos: Array) -> Array:
        posed = np.array(qpos)
        posed[:3] = 0.0
        posed[3:FLOATING] = self.base_quaternion
        return posed

    def clamped(self, qpos: Array) -> Array:
        """Return a configuration with every joint inside its limits. Shape (nq,)."""
        inside = np.array(qpos)
        for joint in range(1, self.model.njnt):
            if self.model.jnt_limited[joint]:
                inside[self.address(joint)] = np.clip(inside[self.address(joint)], *self.model.jnt_range[joint])
        return inside

    def bounds(self, joints: list[int]) -> tuple[Array, Array]:
        """Return the least and largest angles of joints; a turn either way where a joint has no limits."""
        ranges = np.array(
            [self.model.jnt_range[j] if self.model.jnt_limited[j] else (-np.pi, np.pi) for j in joints]
        ).reshape(-1, 2)
        return ranges[:, 0], ranges[:, 1]

    def pose(self, qpos: Array) -> mujoco.MjData:
        """Return the model's data in a configuration: places and rotations of everything."""
        self.data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self.data)
        return self.data

    def com(self, qpos: Array) -> Array:
        """Return the centre of mass [m]. Shape (3,)."""
        data = self.pose(qpos)
        mujoco.mj_comPos(self.model, data)
        centre: Array = data.subtree_com[1].copy()
        return centre

    def lowest(self, qpos: Array) -> Array:
        """Return the lowest height of every link's surface [m]; infinite for one without. Shape (n_links,)."""
        heights = self.points.heights(self.pose(qpos))
        lowest = np.full(len(self._links), np.inf)
        links = np.array([self.link_of_body[int(body)] if body else 0 for body in self.points.body], dtype=int)
        np.minimum.at(lowest, links, heights)
        return lowest

    def height(self, qpos: Array) -> float:
        """Return how high the robot is [m]."""
        data = self.pose(qpos)
        top = [self.points.in_world(data)[:, 2] + self.points.radius, self.data.xpos[1:, 2]]
        bottom = self.points.heights(data)
        return float(np.concatenate(top).max() - min(bottom.min(initial=np.inf), self.data.xpos[1:, 2].min()))

    def points_of(self, links: set[int]) -> ShapePoints:
        """Return the surface points of some links."""
        return self.points.of(self.bodies_of(links))

    def inertia_diagonal(self) -> Array:
        """Return the diagonal of the mass matrix in the present pose. Shape (nv,)."""
        whole = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, whole)
        return np.diag(whole).copy()


def _rigid_links(model: mujoco.MjModel) -> tuple[list[int], dict[int, int]]:
    """Return the first body of every rigid link, and the link of every body."""
    links = np.unique(model.body_weldid[1:])
    places = np.searchsorted(links, model.body_weldid[1:])
    return links.tolist(), dict(zip(range(1, model.nbody), places.tolist(), strict=True))
