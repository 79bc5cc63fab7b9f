"""Link tree: the kinematic tree of a robot's rigid links, with the hinges between them and points on their surfaces."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain

import mujoco
import numpy as np

from strut.adoption.shape_points import ShapePoints, collect_shape_points
from strut.arrays import Array
from strut.robot import FLOATING

_HINGE = int(mujoco.mjtJoint.mjJNT_HINGE)


class LinkTree:
    """The rigid links of a plain model. A link is a set of bodies that do not move relative to each other.

    Link 0 is the base. `base_quaternion` orients the base so that z is up (and, once the front is known, x is forward);
    all postures below have it.
    """

    def __init__(self, model: mujoco.MjModel, base_quaternion: Array | None = None) -> None:
        self.model = model
        self.data = mujoco.MjData(model)
        self.base_quaternion = np.array(model.qpos0[3:FLOATING] if base_quaternion is None else base_quaternion)
        first_bodies = np.unique(model.body_weldid[1:])
        link_of_body = np.searchsorted(first_bodies, model.body_weldid[1:])
        self._first_bodies = first_bodies.tolist()
        self.link_of_body = dict(zip(range(1, model.nbody), link_of_body.tolist(), strict=True))
        self.bodies = [np.flatnonzero(model.body_weldid == body).tolist() for body in self._first_bodies]
        self.parent = [-1, *(self.link_of_body[int(model.body_parentid[body])] for body in self._first_bodies[1:])]
        self.joints = [self._hinges_on(body) for body in self._first_bodies]
        self.hinges = list(range(1, model.njnt))
        self.joint_names = self.joint_names_of(self.hinges)
        self.colliding_points = collect_shape_points(model, colliding=True)
        bare = [k for k, bodies in enumerate(self.bodies) if not np.isin(self.colliding_points.body, bodies).any()]
        visual = collect_shape_points(model, colliding=False).of_bodies(self.bodies_of(bare))
        self.points: ShapePoints = self.colliding_points.concatenate(visual)  # visual only where nothing collides

    def _hinges_on(self, body: int) -> list[int]:
        joints = np.flatnonzero(self.model.jnt_bodyid == body)
        return [int(joint) for joint in joints if int(self.model.jnt_type[joint]) == _HINGE]

    def bodies_of(self, links: Iterable[int]) -> set[int]:
        """Return the bodies of some links."""
        return set(chain.from_iterable(self.bodies[link] for link in links))

    def joints_of(self, links: Iterable[int]) -> list[int]:
        """Return the joints that move some links."""
        return list(chain.from_iterable(self.joints[link] for link in links))

    def joint_names_of(self, joints: Iterable[int]) -> list[str]:
        """Return the names of joints."""
        return [self.joint_name(joint) for joint in joints]

    def addresses(self, joints: Sequence[int]) -> list[int]:
        """Return the indices of joint angles in qpos."""
        return [self.address(joint) for joint in joints]

    def joint_positions(self, joints: Sequence[int]) -> Array:
        """Return the positions of joints in world; the model must be posed. Shape (n, 3)."""
        positions: Array = self.data.xanchor[list(joints)]
        return positions

    @property
    def leaves(self) -> list[int]:
        """The links without children, except the base."""
        return [link for link in range(1, len(self.parent)) if link not in self.parent]

    def link_name(self, link: int) -> str:
        """Return the name of a link: the name of its first body."""
        return str(self.model.body(self._first_bodies[link]).name)

    def body_names(self, link: int) -> list[str]:
        """Return the names of all bodies of a link."""
        return [str(self.model.body(body).name) for body in self.bodies[link]]

    def path(self, link: int) -> list[int]:
        """Return the links from the base, which is left out, to a link."""
        links = []
        while link > 0:
            links.append(link)
            link = self.parent[link]
        return links[::-1]

    def joint_chain(self, link: int) -> list[int]:
        """Return the joints from the base to a link."""
        return self.joints_of(self.path(link))

    def subtree(self, link: int) -> set[int]:
        """Return a link and all its descendants."""
        inside = {link}
        for other in range(link + 1, len(self._first_bodies)):
            if self.parent[other] in inside:
                inside.add(other)
        return inside

    def joint_name(self, joint: int) -> str:
        """Return the name of a joint."""
        return str(self.model.joint(joint).name)

    def address(self, joint: int) -> int:
        """Return the index of a joint's angle in qpos."""
        return int(self.model.jnt_qposadr[joint])

    @cached_property
    def zero_posture(self) -> Array:
        """Every joint at zero, or at the limit nearest to it. Shape (nq,)."""
        return self.clamp(self._upright(self.model.qpos0))

    @cached_property
    def mid_range_posture(self) -> Array:
        """Every joint in the middle of its range; joints without limits at zero. Shape (nq,)."""
        qpos = self._upright(self.model.qpos0)
        for joint in range(1, self.model.njnt):
            if self.model.jnt_limited[joint]:
                qpos[self.address(joint)] = self.model.jnt_range[joint].mean()
        return qpos

    def posture(self, angles: Mapping[str, float]) -> Array:
        """Return a configuration with named angles, within limits, and all other joints at zero. Shape (nq,)."""
        qpos = self._upright(self.model.qpos0)
        for name, angle in angles.items():
            if name in self.joint_names:
                qpos[self.address(int(self.model.joint(name).id))] = angle
        return self.clamp(qpos)

    def _upright(self, qpos: Array) -> Array:
        upright = np.array(qpos)
        upright[:3] = 0.0
        upright[3:FLOATING] = self.base_quaternion
        return upright

    def clamp(self, qpos: Array) -> Array:
        """Return a configuration with every joint inside its limits. Shape (nq,)."""
        inside = np.array(qpos)
        for joint in range(1, self.model.njnt):
            if self.model.jnt_limited[joint]:
                inside[self.address(joint)] = np.clip(inside[self.address(joint)], *self.model.jnt_range[joint])
        return inside

    def bounds(self, joints: list[int]) -> tuple[Array, Array]:
        """Return lower and upper limits of joints; -pi and pi for a joint without limits. Shapes (n,)."""
        ranges = np.array(
            [self.model.jnt_range[j] if self.model.jnt_limited[j] else (-np.pi, np.pi) for j in joints]
        ).reshape(-1, 2)
        return ranges[:, 0], ranges[:, 1]

    def pose(self, qpos: Array) -> mujoco.MjData:
        """Set a configuration and return the model's data with its forward kinematics."""
        self.data.qpos[:] = qpos
        mujoco.mj_kinematics(self.model, self.data)
        return self.data

    def com(self, qpos: Array) -> Array:
        """Return the centre of mass in world [m]. Shape (3,)."""
        data = self.pose(qpos)
        mujoco.mj_comPos(self.model, data)
        centre: Array = data.subtree_com[1].copy()
        return centre

    def lowest_heights(self, qpos: Array) -> Array:
        """Return the lowest height of every link's surface [m]; infinite for a link without. Shape (n_links,)."""
        heights = self.points.heights(self.pose(qpos))
        lowest = np.full(len(self._first_bodies), np.inf)
        links = np.array([self.link_of_body[int(body)] if body else 0 for body in self.points.body], dtype=int)
        np.minimum.at(lowest, links, heights)
        return lowest

    def height(self, qpos: Array) -> float:
        """Return the height of the robot from its lowest to its highest point [m]."""
        data = self.pose(qpos)
        tops = np.concatenate([self.points.in_world(data)[:, 2] + self.points.radius, data.xpos[1:, 2]])
        bottom = min(self.points.heights(data).min(initial=np.inf), data.xpos[1:, 2].min())
        return float(tops.max() - bottom)

    def points_of(self, links: set[int]) -> ShapePoints:
        """Return the surface points of some links."""
        return self.points.of_bodies(self.bodies_of(links))

    def inertia_diagonal(self) -> Array:
        """Return the diagonal of the mass matrix in the current configuration. Shape (nv,)."""
        matrix = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, matrix)
        return np.diag(matrix).copy()
