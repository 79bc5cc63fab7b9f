"""Folder check: judges a robot's folder, also after corrections by hand: its tables, and whether the robot stands."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from strut.adoption.drive_limits import holding_torques_nm
from strut.adoption.note import Note, Severity, list_names
from strut.adoption.shape_points import collect_shape_points
from strut.arrays import Array
from strut.engines.rigid_body import foot_contact_points
from strut.engines.self_distance import self_distance
from strut.errors import NotAdoptedError
from strut.models.catalogue import load_robot
from strut.plumbing.number_text import format_gap, format_percent
from strut.robot import BASE, Foot, Robot

_LEVEL_M = 0.005  # by which a foot may miss the floor
_SOFT_SHARE = 0.05  # of the link's height: by which the plane of a sole may be beside its lowest corner
_MAX_COM_OUTSIDE = 0.02  # of the size of the contacts, plus 1 mm
_FALLEN = 0.6  # share of the height of the centre of mass: lower is a fall
_STANDING_S = 1.0
_MIN_UPRIGHT = 0.82  # cosine of 35 degrees


@dataclass(frozen=True, slots=True, eq=False)
class FolderCheck:
    """A robot from a folder, and what is right or wrong with it."""

    robot: Robot
    notes: tuple[Note, ...]

    @property
    def is_sound(self) -> bool:
        """Whether there are no faults."""
        return all(note.severity is not Severity.FAULT for note in self.notes)


def check_folder(folder: Path | str) -> FolderCheck:
    """Judge a robot's folder: its tables (a wrong key names file, line and field), and whether the robot stands.

    Example:
        >>> strut.adoption.check_folder("robots/go2").is_sound
        True
    """
    if not (Path(folder) / "robot.toml").is_file():
        raise NotAdoptedError("there is no robot.toml in it; `strut adopt FILE --out FOLDER` writes one.", str(folder))
    robot = load_robot(str(folder))
    if len(robot.feet) not in (2, 4):
        raise NotAdoptedError(
            f"it has {len(robot.feet)} feet in robot.toml; strut walks with two or four.", str(folder)
        )
    judges = (_judge_feet, _judge_distances, _judge_balance, _judge_torque, _judge_servos)
    return FolderCheck(robot, tuple(judge(robot) for judge in judges))


def _stand(robot: Robot) -> mujoco.MjData:
    """Return the data of a robot in its standing posture."""
    data = mujoco.MjData(robot.model)
    data.qpos[:] = robot.standing_qpos
    mujoco.mj_forward(robot.model, data)
    return data


def _contact_points(robot: Robot) -> Array:
    """Return the contact points of the standing posture in world. Shape (n, 3)."""
    points: Array = foot_contact_points(robot, robot.standing_qpos[None])[0]
    return points


def _judge_feet(robot: Robot) -> Note:
    """Return whether all feet are on the floor, by their contact points and by the surface of their links."""
    off_surface = [f"{foot.name} by {gap_m * 1e3:.0f} mm" for foot, gap_m in _surface_gaps(robot) if gap_m > _LEVEL_M]
    if off_surface:
        return Note.fault(
            f"in [posture], contact points are not on the surface of the foot's link: {list_names(off_surface)}; "
            "correct points_m."
        )
    points = _contact_points(robot)
    heights_m = [float(points[np.array(robot.point_feet) == k][:, 2].min()) for k in range(len(robot.feet))]
    off_floor = [
        f"{foot.name} by {height_m * 1e3:.0f} mm"
        for foot, height_m in zip(robot.feet, heights_m, strict=True)
        if abs(height_m) > _LEVEL_M
    ]
    if off_floor:
        return Note.fault(f"in [posture], feet are off the floor: {list_names(off_floor)}; correct it or points_m.")
    return Note.finding("all feet are on the floor in its posture.")


def _surface_gaps(robot: Robot) -> list[tuple[Foot, float]]:
    """Return by how much the lowest surface of each foot's link misses the floor in the posture [m]."""
    model = robot.model
    data = _stand(robot)
    points = collect_shape_points(model, colliding=False).concatenate(collect_shape_points(model, colliding=True))
    gaps = []
    for foot in robot.feet:
        link = model.body_weldid[int(model.body(foot.points[0].body).id)]
        contact_bodies = {int(model.body(point.body).id) for point in foot.points}
        bodies = {body for body in range(1, model.nbody) if model.body_weldid[body] == link} - contact_bodies
        surface = points.of_geoms({geom for body in bodies for geom in _surface_geoms(model, body)})
        gap_m = 0.0
        if len(surface.position):
            tolerance_m = _SOFT_SHARE * float(np.ptp(surface.in_world(data)[:, 2]))
            gap_m = abs(float(surface.heights(data).min())) - tolerance_m
        gaps.append((foot, gap_m))
    return gaps


def _surface_geoms(model: mujoco.MjModel, body: int) -> list[int]:
    """Return the collision geoms of a body, which are hidden beside visual ones; all geoms if none is hidden."""
    geoms = np.flatnonzero(model.geom_bodyid == body)
    hidden = geoms[model.geom_rgba[geoms, 3] == 0.0]
    chosen: list[int] = (hidden if len(hidden) else geoms).tolist()
    return chosen


def _judge_distances(robot: Robot) -> Note:
    """Return whether links that are not named as overlapping keep their distance in the standing posture."""
    distance = self_distance(robot, robot.standing_qpos[None])
    if distance is None or not distance.near.any():
        return Note.finding("its links keep their distance, but for the overlaps by design that collision.toml names.")
    first, second = distance.bodies
    return Note.fault(
        f"in [posture], {first} and {second} are {format_gap(distance.smallest_m)}; "
        "name them as overlapping in collision.toml if that is by design."
    )


def _judge_balance(robot: Robot) -> Note:
    """Return whether the centre of mass is over the bounding box of the contact points."""
    com = _stand(robot).subtree_com[1][:2]
    points = _contact_points(robot)[:, :2]
    lower = points.min(axis=0)
    upper = points.max(axis=0)
    size_m = float(np.ptp(points, axis=0).max())
    outside_m = float(np.maximum(np.maximum(lower - com, com - upper), 0.0).max())
    if outside_m > _MAX_COM_OUTSIDE * size_m + 1e-3:
        return Note.fault(f"its centre of mass is {outside_m * 1e3:.0f} mm outside its feet: it would fall over.")
    return Note.finding("its centre of mass is over its feet.")


def _judge_torque(robot: Robot) -> Note:
    """Return the largest torque use in the standing posture, with the weight shared by all contact points."""
    data = _stand(robot)
    model = robot.model
    contacts = []
    for point in (point for foot in robot.feet for point in foot.points):
        body = int(model.body(point.body).id)
        contacts.append((body, data.xpos[body] + data.xmat[body].reshape(3, 3) @ point.position_m))
    use = np.abs(holding_torques_nm(model, data, contacts))[BASE:] / robot.torque_limit_nm
    busiest = int(np.argmax(use))
    text = f"{robot.joint_names[busiest]} needs {format_percent(use[busiest])} of its torque limit to stand"
    if use[busiest] > 1.0:
        return Note.fault(f"{text}; correct torque_nm or [posture].")
    return Note.finding(f"{text}.")


def _judge_servos(robot: Robot) -> Note:
    """Return whether the servos hold the posture for a second, in simulation."""
    data = _stand(robot)
    model = robot.model
    height_m = float(data.subtree_com[1, 2])
    for motor in range(model.nu):
        data.ctrl[motor] = data.qpos[model.jnt_qposadr[int(model.actuator_trnid[motor, 0])]]
    for _ in range(int(_STANDING_S / model.opt.timestep)):
        mujoco.mj_step(model, data)
    upright = data.xmat[1].reshape(3, 3)[2, 2]
    drop_m = height_m - float(data.subtree_com[1, 2])
    if not np.isfinite(data.qpos).all() or drop_m > (1.0 - _FALLEN) * height_m or upright < _MIN_UPRIGHT:
        return Note.fault("it falls within a second: its servos do not hold the posture; correct gains or [posture].")
    direction = "lower" if drop_m >= 0.0 else "higher"
    return Note.finding(f"its servos hold the posture; after a second it is {abs(drop_m) * 1e3:.0f} mm {direction}.")
