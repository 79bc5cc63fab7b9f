"""Folder check: a robot's folder, written by us or corrected by hand, judged again."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from strut.adoption.drive_limits import holding_torques_nm
from strut.adoption.note import Note, list_names
from strut.adoption.shape_points import shape_points
from strut.arrays import Array
from strut.engines.rigid_body import foot_contact_points
from strut.errors import NotAdoptedError
from strut.models.catalogue import load_robot
from strut.plumbing.number_text import format_percent
from strut.robot import BASE, Foot, Robot

_LEVEL_M = 0.005
_SOFT_SHARE = 0.05  # of the link's height: a sole's middle plane may lie as much beside its lowest corner
_FALLEN = 0.6  # of its height: lower is a fall
_STANDS_S = 1.0
_MOST_TILT = 0.82  # cosine of 35 degrees


@dataclass(frozen=True, slots=True, eq=False)
class FolderCheck:
    """A folder that was judged: the robot, and what is wrong or right with it."""

    robot: Robot
    notes: tuple[Note, ...]

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong with it."""
        return not [note for note in self.notes if note.severity == "fault"]


def check_folder(folder: Path | str) -> FolderCheck:
    """Judge a robot's folder: its tables (a wrong key names file, line and field), and whether it stands.

    Example:
        >>> strut.check_folder("robots/go2").is_sound
        True
    """
    if not (Path(folder) / "robot.toml").is_file():
        raise NotAdoptedError("there is no robot.toml in it; `strut adopt FILE --out FOLDER` writes one.", str(folder))
    robot = load_robot(str(folder))
    if len(robot.feet) not in (2, 4):
        raise NotAdoptedError(
            f"it has {len(robot.feet)} feet in robot.toml; strut walks with two or four.", str(folder)
        )
    notes = [*_feet_notes(robot), *_balance_notes(robot), *_torque_notes(robot), *_standing_notes(robot)]
    return FolderCheck(robot, tuple(notes))


def _points(robot: Robot) -> Array:
    points: Array = foot_contact_points(robot, robot.standing_qpos[None])[0]
    return points


def _feet_notes(robot: Robot) -> list[Note]:
    lowest = [float(_points(robot)[np.array(robot.point_feet) == k][:, 2].min()) for k in range(len(robot.feet))]
    off = [
        f"{foot.name} by {height * 1e3:.0f} mm"
        for foot, height in zip(robot.feet, lowest, strict=True)
        if abs(height) > _LEVEL_M
    ]
    bare = [f"{foot.name} by {gap * 1e3:.0f} mm" for foot, gap in _gaps(robot) if gap > _LEVEL_M]
    if bare:
        return [
            Note.fault(
                f"feet are not where the surface of their link is in [posture]: {list_names(bare)}; correct the points."
            )
        ]
    if off:
        return [
            Note.fault(
                f"feet are off the floor in [posture]: {list_names(off)}; correct the posture or the foot's points."
            )
        ]
    return [Note.finding("all feet are on the floor in its posture.")]


def _gaps(robot: Robot) -> list[tuple[Foot, float]]:
    """Return by how much the lowest surface of each foot's link misses the floor, in the posture [m].

    Where a link has shapes that touch beside those that are seen, which are hidden then, they are its surface.
    """
    model = robot.model
    data = _posed(robot)
    shapes = shape_points(model, touching=False).joined(shape_points(model, touching=True))
    gaps = []
    for foot in robot.feet:
        link = model.body_weldid[int(model.body(foot.points[0].body).id)]
        own = {int(model.body(point.body).id) for point in foot.points}
        bodies = {body for body in range(1, model.nbody) if model.body_weldid[body] == link} - own
        points = shapes.of_geoms({geom for body in bodies for geom in _surface(model, body)})
        reach = _SOFT_SHARE * float(np.ptp(points.in_world(data)[:, 2])) if len(points.place) else 0.0
        gap = abs(float(points.heights(data).min())) - reach if len(points.place) else 0.0
        gaps.append((foot, gap))
    return gaps


def _surface(model: mujoco.MjModel, body: int) -> list[int]:
    """Return the geoms of a body that are hidden beside others that are seen; all if none is."""
    geoms = np.flatnonzero(model.geom_bodyid == body)
    hidden = geoms[model.geom_rgba[geoms, 3] == 0.0]
    chosen: list[int] = (hidden if len(hidden) else geoms).tolist()
    return chosen


def _balance_notes(robot: Robot) -> list[Note]:
    data = _posed(robot)
    centre = data.subtree_com[1][:2]
    points = _points(robot)[:, :2]
    low = points.min(axis=0)
    high = points.max(axis=0)
    size = float(np.ptp(points, axis=0).max())
    beyond = float(np.maximum(np.maximum(low - centre, centre - high), 0.0).max())
    if beyond > 0.02 * size + 1e-3:
        return [Note.fault(f"its centre of mass is {beyond * 1e3:.0f} mm outside its feet: it would fall over.")]
    return [Note.finding("its centre of mass is over its feet.")]


def _posed(robot: Robot) -> mujoco.MjData:
    data = mujoco.MjData(robot.model)
    data.qpos[:] = robot.standing_qpos
    mujoco.mj_forward(robot.model, data)
    return data


def _torque_notes(robot: Robot) -> list[Note]:
    """Return what standing asks of the weakest motor, the weight shared by all contact points."""
    data = _posed(robot)
    model = robot.model
    points = []
    for point in (point for foot in robot.feet for point in foot.points):
        body = int(model.body(point.body).id)
        points.append((body, data.xpos[body] + data.xmat[body].reshape(3, 3) @ point.position_m))
    use = np.abs(holding_torques_nm(model, data, points))[BASE:] / robot.torque_limit_nm
    worst = int(np.argmax(use))
    words = f"{robot.joint_names[worst]} needs {format_percent(use[worst])} of its torque limit to stand"
    return [
        Note.fault(f"{words}: the limit or the posture is wrong.") if use[worst] > 1.0 else Note.finding(f"{words}.")
    ]


def _standing_notes(robot: Robot) -> list[Note]:
    """Return what becomes of it when its servos hold the posture for a second."""
    data = _posed(robot)
    model = robot.model
    height = float(data.subtree_com[1, 2])
    hold = {int(model.actuator_trnid[k, 0]): k for k in range(model.nu)}
    for joint, motor in hold.items():
        data.ctrl[motor] = data.qpos[model.jnt_qposadr[joint]]
    for _ in range(int(_STANDS_S / model.opt.timestep)):
        mujoco.mj_step(model, data)
    upright = data.xmat[1].reshape(3, 3)[2, 2]
    lower = height - float(data.subtree_com[1, 2])
    if not np.isfinite(data.qpos).all() or lower > (1.0 - _FALLEN) * height or upright < _MOST_TILT:
        return [Note.fault("its servos do not hold the posture for a second: it falls.")]
    sank = f"{abs(lower) * 1e3:.0f} mm {'lower' if lower >= 0.0 else 'higher'}"
    return [Note.finding(f"its servos hold the posture; after a second it is {sank}.")]
