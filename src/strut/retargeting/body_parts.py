"""Body parts: which joints and bodies of a skeleton or a robot are its pelvis, hips, trunk and arms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import numpy as np

from strut.arrays import Array
from strut.engines.rigid_body import body_poses, joint_anchors, poses
from strut.errors import BadFieldError, BadMotionError, BadTableError
from strut.formats.bvh import BvhJoint
from strut.retargeting.body_movement import SIDES
from strut.robot import Limb, Robot
from strut.schemas.toml_file import TomlFile

MIN_SEGMENT = 0.02  # of the height: a shorter segment is no thigh, shank, upper arm or forearm
NEARLY_AS_LONG = 0.6  # of the longest pair of segments of a limb: the pair may be thigh and shank, or arm and forearm
MIN_FOREARM = 0.3  # of the way from shoulder to elbow: the last joint of an arm nearer to its elbow is no wrist
LEG_PARTS = ("hip", "knee", "ankle", "toe")
ARM_PARTS = ("shoulder", "elbow", "wrist")


class BodyParts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Names of joints (points) and of bodies (pelvis, trunk, head); the joints of a skeleton are its bodies, too.

    Args:
        pelvis: Body between the legs.
        trunk: Body that carries the arms; None if it is the pelvis.
        head: Body of the head; None without one.
        toe_left: Joint before which the foot is rigid; of a robot, the name of its foot.
        shoulder_left: Joint that the upper arm starts from; None without arms.
        wrist_left: Joint at the end of the forearm, or a frame there.
    """

    pelvis: str
    hip_left: str
    knee_left: str
    ankle_left: str
    toe_left: str
    hip_right: str
    knee_right: str
    ankle_right: str
    toe_right: str
    trunk: str | None = None
    head: str | None = None
    shoulder_left: str | None = None
    elbow_left: str | None = None
    wrist_left: str | None = None
    shoulder_right: str | None = None
    elbow_right: str | None = None
    wrist_right: str | None = None

    @property
    def has_arms(self) -> bool:
        """Whether every point of both arms is named."""
        return None not in [getattr(self, f"{part}_{side}") for part in ARM_PARTS for side in SIDES]


class Correspondence(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The parts of the body that moves and of the robot that it is retargeted to."""

    source: BodyParts
    target: BodyParts

    def as_toml(self) -> str:
        """Return the correspondence as a file that can be corrected and given as `--map`."""
        return "\n".join(_toml_lines(self))


def _toml_lines(parts: Correspondence) -> Iterator[str]:
    yield "# Which parts correspond: names in the file (source) and of the robot (target). Correct them; give as --map."
    for table in ("source", "target"):
        yield f"[{table}]"
        for name, value in msgspec.to_builtins(getattr(parts, table)).items():
            if value is not None:
                yield f'{name} = "{value}"'
        yield ""


def read_correspondence(path: Path | str) -> Correspondence:
    """Read what `strut retarget` wrote beside its motion; raises BadFieldError with line and field.

    Example:
        >>> strut.read_correspondence("walk.parts.toml").target.trunk  # doctest: +SKIP
    """
    path = Path(path)
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadTableError(f"{path}: cannot be read as a correspondence of parts.") from error
    return TomlFile(text, str(path), BadFieldError).decode(Correspondence)


def find_skeleton_parts(joints: Sequence[BvhJoint], rest_m: Array) -> BodyParts:
    """Return the parts of a person's skeleton, from its shape alone.

    Feet are the lowest ends on both sides, the head is the highest end, hands are the ends farthest from the middle.
    Thigh and shank, and upper arm and forearm, are the last two neighbouring segments that are long.

    Args:
        joints: The skeleton.
        rest_m: Its joints in a T-pose: x forward, y to the left, z up. Shape (n, 3).

    Raises:
        BadMotionError: If it has no two legs, or no head.
    """
    parents = {joint.parent for joint in joints}
    ends = [index for index in range(len(joints)) if index not in parents]
    place = rest_m - rest_m[0]
    height_m = float(np.ptp(rest_m[:, 2]))
    low = [end for end in ends if rest_m[end, 2] < rest_m[:, 2].min() + 0.15 * height_m]
    found: dict[str, str] = {"pelvis": joints[0].name}
    head = _path(joints, max(ends, key=lambda end: float(rest_m[end, 2])))
    for side, sign in zip(SIDES, (1.0, -1.0), strict=True):
        own = [end for end in low if sign * place[end, 1] > 0.0]
        if not own:
            raise BadMotionError(f"The skeleton has no {side} leg: no joint on that side is near the ground.")
        leg = _path(joints, max(own, key=lambda end: float(np.linalg.norm(place[end]))))
        hip, knee, ankle = _longest_pair(leg, rest_m, height_m)
        after = [index for index in leg[leg.index(ankle) + 1 :] if _distance(rest_m, index, ankle) > 0.0]
        named = (hip, knee, ankle, after[0] if after else ankle)
        found |= {f"{part}_{side}": joints[index].name for part, index in zip(LEG_PARTS, named, strict=True)}
        hand = ends[int(np.argmax(sign * place[ends, 1]))]
        arm = _path(joints, hand)
        branch = [index for index in arm if index in head]
        free = [branch[-1], *arm[len(branch) :]]
        if hand not in low and len(free) > 3:
            arm_joints = _longest_pair(free[1:], rest_m, height_m)
            found |= {f"{part}_{side}": joints[index].name for part, index in zip(ARM_PARTS, arm_joints, strict=True)}
            found["trunk"] = joints[branch[-1]].name
    inner = [index for index in head if index in parents]
    return BodyParts(**found, head=joints[inner[-1]].name)


def _path(joints: Sequence[BvhJoint], end: int) -> list[int]:
    """Return the joints from the root to one joint."""
    path = [end]
    while joints[path[-1]].parent >= 0:
        path.append(joints[path[-1]].parent)
    return path[::-1]


def _distance(rest_m: Array, one: int, other: int) -> float:
    return float(np.linalg.norm(rest_m[one] - rest_m[other]))


def _longest_pair(path: Sequence[int], rest_m: Array, height_m: float) -> tuple[int, int, int]:
    """Return the three joints of a path with two long neighbouring segments, the last ones: clavicles come before."""
    corners = [path[0]]
    for index in path[1:]:
        if _distance(rest_m, index, corners[-1]) > MIN_SEGMENT * height_m:
            corners.append(index)
    if len(corners) < 3:
        raise BadMotionError("The skeleton has a limb without two long segments; name its parts in a file (--map).")
    pairs = [*zip(corners, corners[1:], corners[2:], strict=False)]
    shorter_m = [min(_distance(rest_m, *three[:2]), _distance(rest_m, *three[1:])) for three in pairs]
    return [three for three, m in zip(pairs, shorter_m, strict=True) if m > NEARLY_AS_LONG * max(shorter_m)][-1]


def find_robot_parts(robot: Robot) -> BodyParts:
    """Return the parts of a robot with two legs, from its limbs; raises BadMotionError for any other robot."""
    legs = [leg for leg in robot.legs if len(leg.joints) >= 3]
    if len(legs) != 2 or not robot.floats:
        raise BadMotionError(f"{robot.name} does not walk on two legs; a person's movement needs a robot that does.")
    anchor = dict(zip(robot.joint_names, joint_anchors(robot, robot.standing_qpos), strict=True))
    legs.sort(key=lambda leg: -float(anchor[leg.joints[0]][1]))
    found: dict[str, str] = {"pelvis": robot.model.body(1).name}
    for side, leg in zip(SIDES, legs, strict=True):
        bend = _middle_joint(leg, anchor, anchor[leg.joints[-1]])
        named = (_pitch_joint(robot, leg.joints[:bend]), leg.joints[bend], leg.joints[-1], leg.feet[0])
        found |= {f"{part}_{side}": name for part, name in zip(LEG_PARTS, named, strict=True)}
    arms = sorted(
        (limb for limb in robot.limbs if limb.kind == "arm"), key=lambda arm: -float(anchor[arm.joints[0]][1])
    )
    if len(arms) == 2 and all(len(arm.joints) >= 3 for arm in arms):
        for side, arm in zip(SIDES, arms, strict=True):
            end_m = _end(robot, arm)
            bend = _middle_joint(arm, anchor, end_m)
            shoulder, elbow, last = (anchor[arm.joints[index]] for index in (min(1, bend - 1), bend, -1))
            is_wrist = np.linalg.norm(last - elbow) > MIN_FOREARM * np.linalg.norm(elbow - shoulder)
            wrist = arm.joints[-1] if is_wrist else arm.frame or arm.bodies[-1]
            arm_names = (arm.joints[min(1, bend - 1)], arm.joints[bend], wrist)
            found |= {f"{part}_{side}": name for part, name in zip(ARM_PARTS, arm_names, strict=True)}
    for kind in ("trunk", "head"):
        limbs = [limb for limb in robot.limbs if limb.kind == kind]
        if limbs:
            found[kind] = limbs[0].bodies[-1]
    return BodyParts(**found)


def _pitch_joint(robot: Robot, names: Sequence[str]) -> str:
    """Return the joint whose axis is most across the body as the robot stands."""
    bodies = [robot.model.body(robot.model.joint(name).bodyid[0]).name for name in names]
    rotation = body_poses(robot.model, bodies, robot.standing_qpos[None])[1][0]
    across = [abs(float((turn @ robot.model.joint(name).axis)[1])) for name, turn in zip(names, rotation, strict=True)]
    return names[int(np.argmax(across))]


def _end(robot: Robot, limb: Limb) -> Array:
    """Return the end of a limb as the robot stands. Shape (3,)."""
    standing = robot.standing_qpos[None]
    if limb.frame is not None:
        return np.asarray(poses(robot.model, "site", [robot.model.site(limb.frame).id], standing)[0][0, 0])
    return np.asarray(poses(robot.model, "inertia", [robot.model.body(limb.bodies[-1]).id], standing)[0][0, 0])


def _middle_joint(limb: Limb, anchor: dict[str, Array], end_m: Array) -> int:
    """Return which joint of a limb is its knee or elbow: the one farthest from both its ends."""
    first = anchor[limb.joints[0]]
    reach = [
        min(float(np.linalg.norm(anchor[name] - first)), float(np.linalg.norm(anchor[name] - end_m)))
        for name in limb.joints
    ]
    return max(1, int(np.argmax(reach)))
