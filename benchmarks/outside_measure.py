"""Outside measure: what a motion is, measured from its samples by code that shares nothing with strut's own.

Kinematics and dynamics are Pinocchio's, on a model that is built here from the arrays of the compiled robot. Contacts
are found from heights and speeds of foot points, whatever the motion's flags say; distances are those of all pairs of
geoms that are more than one joint apart; speeds and accelerations are differences of the samples. From strut come only
the robot's numbers: its compiled model, its contact points, limits, wheels and named exclusions.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, pairwise

import mujoco
import numpy as np
import numpy.typing as npt
import pinocchio as pin
from scipy.spatial import ConvexHull, QhullError
from scipy.spatial.transform import Rotation

from strut import Motion, Robot
from strut.kinematics.contact_set import contact_points
from strut.robot import ContactPoint

Array = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
GRAVITY_M_S2 = 9.81
ON_GROUND_M = 5e-4  # a point that is lower touches the ground
AT_REST_M_S = 0.01  # a point that is slower carries load
MEET_M = 0.001  # axes that pass nearer to each other meet: they are one joint with several degrees of freedom
LOADED = 0.05  # of the weight: below this a centre of pressure is uncertain
LANDING_SAMPLES = 3  # on both sides of a change of contacts, where accelerations jump


# The body


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """Pinocchio's model of a robot, and where each body of the compiled model is in it.

    Args:
        model: With a free-flyer for a floating base.
        joint: Pinocchio's joint that moves each body.
        placement: Of each body in that joint's frame.
        floats: Whether the base floats.
        dofs: Pinocchio's velocity index of each of MuJoCo's, after the base.
        coordinates: Pinocchio's coordinate of each of MuJoCo's, after the base.
        reference: Values of MuJoCo's coordinates after the base at which a joint does not turn.
    """

    model: pin.Model
    joint: list[int]
    placement: list[pin.SE3]
    floats: bool
    dofs: list[int]
    coordinates: list[int]
    reference: Array


def _placement(position: Array, quaternion: Array) -> pin.SE3:
    return pin.SE3(Rotation.from_quat(quaternion, scalar_first=True).as_matrix(), np.array(position, dtype=float))


def _shift(offset: Array) -> pin.SE3:
    return pin.SE3(np.eye(3), np.array(offset, dtype=float))


def build(robot: Robot) -> Body:
    """Return Pinocchio's model of a robot, built from bodies, joints and inertias of the compiled one."""
    own = robot.model
    model = pin.Model()
    joint = [0]
    placement = [pin.SE3.Identity()]
    dofs: list[int] = []
    coordinates: list[int] = []
    armature: dict[int, float] = {}
    for body in range(1, own.nbody):
        parent = int(own.body_parentid[body])
        at = placement[parent] * _placement(own.body_pos[body], own.body_quat[body])
        mover = joint[parent]
        first = int(own.body_jntadr[body])
        for index in range(first, first + int(own.body_jntnum[body])):
            kind = own.jnt_type[index]
            axis = np.array(own.jnt_axis[index], dtype=float)
            anchor = np.array(own.jnt_pos[index], dtype=float)
            if kind == mujoco.mjtJoint.mjJNT_FREE:
                mover = model.addJoint(mover, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "base")
                at = pin.SE3.Identity()
                continue
            turns = kind == mujoco.mjtJoint.mjJNT_HINGE
            joint_model = pin.JointModelRevoluteUnaligned(axis) if turns else pin.JointModelPrismaticUnaligned(axis)
            mover = model.addJoint(mover, joint_model, at * _shift(anchor), f"joint{index}")
            at = _shift(-anchor)
            dofs.append(model.joints[mover].idx_v)
            coordinates.append(model.joints[mover].idx_q)
            armature[dofs[-1]] = float(own.dof_armature[own.jnt_dofadr[index]])
        joint.append(mover)
        placement.append(at)
        turn = Rotation.from_quat(own.body_iquat[body], scalar_first=True).as_matrix()
        inertia = turn @ np.diag(own.body_inertia[body]) @ turn.T
        model.appendBodyToJoint(mover, pin.Inertia(float(own.body_mass[body]), own.body_ipos[body], inertia), at)
    rotors = np.zeros(model.nv)
    for dof, value in armature.items():
        rotors[dof] = value
    model.armature = rotors
    floats = bool(own.njnt) and own.jnt_type[0] == mujoco.mjtJoint.mjJNT_FREE
    reference = np.array(own.qpos0[7 if floats else 0 :])
    return Body(model, joint, placement, floats, dofs, coordinates, reference)


def _configurations(body: Body, qpos: Array) -> Array:
    """Return Pinocchio's configurations. Shape (T, nq) in and out."""
    base = 7 if body.floats else 0
    q = np.zeros((len(qpos), body.model.nq))
    if body.floats:
        quaternion = qpos[:, 3:7] / np.linalg.norm(qpos[:, 3:7], axis=1, keepdims=True)
        q[:, :3] = qpos[:, :3]
        q[:, 3:7] = quaternion[:, [1, 2, 3, 0]]
    q[:, body.coordinates] = qpos[:, base:] - body.reference
    return q


# The movement


@dataclass(frozen=True, slots=True, eq=False)
class Movement:
    """Kinematics and dynamics of every sample.

    Args:
        speed: Of the joints of the compiled model after the base. Shape (T, n).
        torque: Forces on these joints without contacts. Shape (T, n).
        force_n: Of the ground on the robot as a whole, in world. Shape (T, 3).
        moment_nm: Its moment about the world's origin. Shape (T, 3).
        point: Contact points of the feet in world; of a ball, its lowest point. Shape (T, n_points, 3).
        point_speed: Of the material points there. Shape (T, n_points, 3).
        jacobian: Of the material points by joints after the base. Shape (T, n_points, 3, n).
    """

    speed: Array
    torque: Array
    force_n: Array
    moment_nm: Array
    point: Array
    point_speed: Array
    jacobian: Array


def move(body: Body, robot: Robot, time_s: Array, qpos: Array) -> Movement:
    """Return the movement of a robot that rests before the first and after the last sample."""
    model = body.model
    data = model.createData()
    q = _configurations(body, qpos)
    step_s = float(time_s[-1] - time_s[0]) / (len(time_s) - 1)
    change = [np.zeros(model.nv)]
    change += [pin.difference(model, one, other) / step_s for one, other in pairwise(q)]
    change += [np.zeros(model.nv)]
    points = _points(robot)
    count = len(points)
    samples = len(q)
    width = len(body.dofs)
    result = Movement(
        speed=np.zeros((samples, width)),
        torque=np.zeros((samples, width)),
        force_n=np.zeros((samples, 3)),
        moment_nm=np.zeros((samples, 3)),
        point=np.zeros((samples, count, 3)),
        point_speed=np.zeros((samples, count, 3)),
        jacobian=np.zeros((samples, count, 3, width)),
    )
    weight = np.array([0.0, 0.0, robot.mass_kg * GRAVITY_M_S2])
    for k in range(samples):
        v = (change[k] + change[k + 1]) / 2.0
        a = (change[k + 1] - change[k]) / step_s
        result.torque[k] = pin.rnea(model, data, q[k], v, a)[body.dofs]
        result.speed[k] = v[body.dofs]
        pin.computeCentroidalMomentumTimeVariation(model, data, q[k], v, a)
        result.force_n[k] = np.array(data.dhg.linear) + weight
        result.moment_nm[k] = np.array(data.dhg.angular) + np.cross(data.com[0], result.force_n[k])
        if not count:
            continue
        pin.computeJointJacobians(model, data, q[k])
        for index, (point, body_id) in enumerate(points):
            mover = body.joint[body_id]
            centre = data.oMi[mover].act(body.placement[body_id].act(np.array(point.position_m, dtype=float)))
            lowest = centre - [0.0, 0.0, point.radius_m]
            aligned = pin.getJointJacobian(model, data, mover, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
            lever = lowest - data.oMi[mover].translation
            linear = aligned[:3] + np.cross(aligned[3:].T, lever).T
            result.point[k, index] = lowest
            result.point_speed[k, index] = linear @ v
            result.jacobian[k, index] = linear[:, body.dofs]
    return result


def _points(robot: Robot) -> list[tuple[ContactPoint, int]]:
    """Return contact points with the numbers of their bodies: those of a table of contacts, if the robot has one."""
    table = contact_points(robot) if robot.tables.contact is not None else {}
    points = [table.get(foot.name, point) for foot in robot.feet for point in foot.points]
    return [(point, int(robot.model.body(point.body).id)) for point in points]


def foot_of_points(robot: Robot) -> npt.NDArray[np.intp]:
    """Return the foot of each contact point. Shape (n_points,)."""
    return np.array([index for index, foot in enumerate(robot.feet) for _ in foot.points], dtype=np.intp)


# Contacts


def touching(movement: Movement) -> Mask:
    """Return which points are on the ground and rest there. Shape (T, n_points)."""
    slow = np.linalg.norm(movement.point_speed, axis=2) <= AT_REST_M_S
    return (movement.point[..., 2] <= ON_GROUND_M) & slow


def sliding_m(movement: Movement, step_s: float) -> Array:
    """Return how far each point slides over the ground while it is as low as that. Shape (n_points,).

    The speed of the material point at the ground counts, so that rolling does not; a point that stays low for the
    whole motion is one stretch, whatever its flag says meanwhile.
    """
    low = movement.point[..., 2] <= ON_GROUND_M
    farthest = np.zeros(low.shape[1])
    for index in range(low.shape[1]):
        way = np.zeros(2)
        for k in range(len(low)):
            way = way + movement.point_speed[k, index, :2] * step_s if low[k, index] else np.zeros(2)
            farthest[index] = max(farthest[index], float(np.linalg.norm(way)))
    return farthest


def flags_off_ground_mm(movement: Movement, contact: Mask, robot: Robot) -> float:
    """Return how high the lowest point of a foot is while its flag says that it stands; 0 without feet."""
    if not robot.feet:
        return 0.0
    return 1e3 * float(np.max(np.where(contact, _foot_heights(movement, robot), 0.0), initial=0.0))


def unflagged_rest_s(movement: Movement, contact: Mask, robot: Robot, step_s: float) -> float:
    """Return for how long at most a whole foot rests on the ground while its flag says that it swings."""
    if not robot.feet:
        return 0.0
    owner = foot_of_points(robot)
    rests = touching(movement)
    longest = 0
    for foot in range(len(robot.feet)):
        count = 0
        for rest, flag in zip(rests[:, owner == foot].all(axis=1), contact[:, foot], strict=True):
            count = count + 1 if rest and not flag else 0
            longest = max(longest, count)
    return longest * step_s


def _foot_heights(movement: Movement, robot: Robot) -> Array:
    owner = foot_of_points(robot)
    return np.stack([movement.point[:, owner == foot, 2].min(axis=1) for foot in range(len(robot.feet))], axis=1)


# Balance


def centre_of_pressure(movement: Movement) -> Array:
    """Return where the wrench of the ground has no horizontal moment. Shape (T, 2)."""
    up = movement.force_n[:, 2]
    return np.stack([-movement.moment_nm[:, 1] / up, movement.moment_nm[:, 0] / up], axis=1)


def inside_m(points: Array, place: Array) -> float | None:
    """Return how far a place is inside the convex hull of points; None if they span no area."""
    if len(points) < 3:
        return None
    try:
        hull = ConvexHull(points)
    except QhullError:
        return None
    if hull.volume < 1e-6:  # [m2] of a line
        return None
    return -float(np.max(hull.equations[:, :2] @ place + hull.equations[:, 2]))


def balance_margins_m(movement: Movement, robot: Robot, qpos: Array) -> Array:
    """Return the distance of the centre of pressure inside the points that rest on the ground; NaN on lines. (T,)."""
    cop = centre_of_pressure(movement)
    margins = np.full(len(cop), np.nan)
    if not robot.feet:
        if robot.platform is None:
            return margins
        wheels = np.array(robot.platform.wheels_m)
        for k, place in enumerate(cop):
            cosine, sine = np.cos(qpos[k, 2]), np.sin(qpos[k, 2])
            turned = np.array([[cosine, -sine], [sine, cosine]])
            margins[k] = inside_m(wheels @ turned.T + qpos[k, :2], place)
        return margins
    rests = touching(movement)
    for k, place in enumerate(cop):
        margin = inside_m(movement.point[k, rests[k], :2], place)
        margins[k] = np.nan if margin is None else margin
    return margins


# Torques


@dataclass(frozen=True, slots=True, eq=False)
class DeterminateTorques:
    """Torques where contact forces follow from the movement, or with the file's own forces.

    Args:
        torque_nm: Shape (T, n).
        known: Where they are known. Shape (T,).
    """

    torque_nm: Array
    known: Mask


def determinate_torques(movement: Movement, motion: Motion, robot: Robot) -> DeterminateTorques:
    """Return the torques of the samples in which they follow from the movement.

    That is every sample of a robot without feet, and of one whose file has the force on each contact point; else the
    samples in which one foot alone carries the robot: the whole wrench acts on that foot.
    """
    samples = len(movement.torque)
    if not robot.feet:
        return DeterminateTorques(movement.torque, np.ones(samples, dtype=bool))
    owner = foot_of_points(robot)
    forces = motion.ground_force_n
    if forces is not None and len(owner) == len(robot.feet):
        taken = np.einsum("tpcn,tpc->tn", movement.jacobian, forces)
        return DeterminateTorques(movement.torque - taken, np.ones(samples, dtype=bool))
    known = motion.contact.sum(axis=1) == 1
    torque = movement.torque.copy()
    for k in np.flatnonzero(known):
        columns = np.flatnonzero(owner == int(np.argmax(motion.contact[k])))
        torque[k] -= _under_wrench(movement, k, columns)
    return DeterminateTorques(torque, known)


def _under_wrench(movement: Movement, k: int, columns: npt.NDArray[np.intp]) -> Array:
    """Return what a foot passes to the joints if it takes the whole wrench, by any forces at its points that add up."""
    place = movement.point[k, columns]
    skew = np.zeros((6, 3 * len(columns)))
    for index, (x, y, z) in enumerate(place):
        skew[:3, 3 * index : 3 * index + 3] = np.eye(3)
        skew[3:, 3 * index : 3 * index + 3] = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]
    wrench = np.concatenate([movement.force_n[k], movement.moment_nm[k]])
    forces = np.linalg.lstsq(skew, wrench, rcond=None)[0].reshape(-1, 3)
    return np.einsum("pcn,pc->n", movement.jacobian[k, columns], forces)


# Distances


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest two bodies of a motion.

    Args:
        distance_m: Negative inside each other. Of a pair that overlaps in the standing posture: of `deepening_m`.
        bodies: Their names.
        sample: Where.
        deepening_m: How much deeper a pair that overlaps in the standing posture becomes, at most.
        deepened: The names of that pair.
    """

    distance_m: float
    bodies: tuple[str, str]
    sample: int
    deepening_m: float
    deepened: tuple[str, str]


def nearest_bodies(robot: Robot, qpos: Array, every: int = 1) -> Nearest | None:
    """Return the nearest two bodies over all pairs of surfaces more than one joint apart; None without any pair.

    Pairs that overlap in the standing posture, by design as the robot's folder says, are held to that depth.
    """
    model = robot.model
    data = mujoco.MjData(model)
    pairs = _pairs(robot)
    if not pairs:
        return None
    _pose(model, data, np.array(robot.standing_qpos))
    first = np.array([one for one, _ in pairs])
    second = np.array([other for _, other in pairs])
    standing = np.array([_distance(model, data, *pair) for pair in pairs])
    table = robot.collision
    by_design = {frozenset(pair) for pair in table.overlapping or ()}
    may_overlap = [not table.names_overlaps or frozenset(_bodies(model, pair)) in by_design for pair in pairs]
    apart = (standing >= 0.0) | ~np.array(may_overlap)
    reach = model.geom_rbound[first] + model.geom_rbound[second]
    smallest = np.inf
    nearest = (0, 0)
    deepest = 0.0
    deepened = (0, 0)
    for k in range(0, len(qpos), every):
        _pose(model, data, qpos[k])
        gap = np.linalg.norm(data.geom_xpos[first] - data.geom_xpos[second], axis=1) - reach
        for index in np.flatnonzero(apart & (gap < smallest)):
            if gap[index] >= smallest:
                continue
            distance = _distance(model, data, *pairs[index])
            if distance < smallest:
                smallest = distance
                nearest = (int(index), k)
        for index in np.flatnonzero(~apart & (gap < 0.0)):
            deeper = standing[index] - _distance(model, data, *pairs[index])
            if deeper > deepest:
                deepest = float(deeper)
                deepened = (int(index), k)
    return Nearest(
        float(smallest), _bodies(model, pairs[nearest[0]]), nearest[1], deepest, _bodies(model, pairs[deepened[0]])
    )


def _pose(model: mujoco.MjModel, data: mujoco.MjData, qpos: Array) -> None:
    data.qpos[:] = qpos
    mujoco.mj_kinematics(model, data)


def _distance(model: mujoco.MjModel, data: mujoco.MjData, one: int, other: int) -> float:
    return float(mujoco.mj_geomDistance(model, data, one, other, 10.0, None))


def _bodies(model: mujoco.MjModel, pair: tuple[int, int]) -> tuple[str, str]:
    one, other = (model.body(model.geom_bodyid[geom]).name for geom in pair)
    return one, other


def _pairs(robot: Robot) -> list[tuple[int, int]]:
    """Return the pairs of solid geoms that are more than one joint apart.

    Hinges whose axes meet in one place are one joint with several degrees of freedom for two geoms that overlap there.

    Left out are pictures (no contacts, and not in group 0) and contact models that are no surface.
    """
    model = robot.model
    data = mujoco.MjData(model)
    _pose(model, data, np.array(robot.standing_qpos))
    solid = []
    for geom in range(model.ngeom):
        picture = not (model.geom_contype[geom] or model.geom_conaffinity[geom]) and model.geom_group[geom] != 0
        flat = model.geom_type[geom] in (mujoco.mjtGeom.mjGEOM_PLANE, mujoco.mjtGeom.mjGEOM_HFIELD)
        if (
            model.geom_bodyid[geom]
            and not picture
            and not flat
            and model.geom(geom).name not in robot.collision.no_surface
        ):
            solid.append(geom)
    bodies = [int(body) for body in model.geom_bodyid]
    between = {
        pair: _joints_between(model, data, *pair)
        for pair in {(bodies[one], bodies[other]) for one, other in combinations(solid, 2)}
    }
    pairs = []
    for one, other in combinations(solid, 2):
        joints, meet = between[bodies[one], bodies[other]]
        if joints > 1 and not (meet and _distance(model, data, one, other) < 0.0):
            pairs.append((one, other))
    return pairs


def _joints_between(model: mujoco.MjModel, data: mujoco.MjData, one: int, other: int) -> tuple[int, bool]:
    """Return how many jointed bodies are between two bodies, and whether the axes of all their hinges meet."""

    def ancestors(body: int) -> list[int]:
        way = [body]
        while way[-1]:
            way.append(int(model.body_parentid[way[-1]]))
        return way

    jointed = [body for body in set(ancestors(one)) ^ set(ancestors(other)) if model.body_jntnum[body]]
    if len(jointed) <= 1:
        return len(jointed), True
    first = [int(model.body_jntadr[body]) for body in jointed]
    joints = [start + n for start, body in zip(first, jointed, strict=True) for n in range(model.body_jntnum[body])]
    if any(model.jnt_type[joint] != mujoco.mjtJoint.mjJNT_HINGE for joint in joints):
        return len(jointed), False
    across = [np.eye(3) - np.outer(data.xaxis[joint], data.xaxis[joint]) for joint in joints]
    anchors = [data.xanchor[joint] for joint in joints]
    right = np.concatenate([plane @ anchor for plane, anchor in zip(across, anchors, strict=True)])
    place = np.linalg.lstsq(np.concatenate(across), right, rcond=None)[0]
    off_m = [np.linalg.norm(plane @ (place - anchor)) for plane, anchor in zip(across, anchors, strict=True)]
    return len(jointed), max(off_m) < MEET_M
