"""Robot folder: an imported robot as a small folder of tables, model and meshes that people can read and correct."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from strut.adoption.anatomy import Anatomy
from strut.adoption.drive_limits import DriveLimit
from strut.adoption.expression_tables import format_expression_toml
from strut.adoption.imported_gait import gait_maker
from strut.adoption.note import Note, Severity, sentences_of
from strut.adoption.plain_model import PlainModel
from strut.adoption.upper_body import UpperBody
from strut.arrays import Array
from strut.engines.resting_overlap import RestingOverlap
from strut.engines.self_distance import CollisionPairs
from strut.plumbing.atomic_files import write_files
from strut.robot import BASE
from strut.schemas.collision import USUAL_COLLISION

FRICTION = 0.6  # of feet on a usual floor
ROTOR_S2 = 0.0005  # inertia of a rotor over the torque limit of its motor
FILE_NAMES = ("robot.toml", "collision.toml", "adopted.toml", "gait.toml", "expression.toml", "model.xml")  # and meshes
_BARE_KEY_CHARACTERS = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")
_ANGLE_DECIMALS = 5


@dataclass(frozen=True, slots=True)
class Findings:
    """Everything that was found about a robot.

    Args:
        title: For people.
        source: The name of its file.
        plain: Its model.
        anatomy: Legs, feet, front and standing posture.
        upper_body: Trunk, head and arms.
        limits: Of the joints that move.
        notes: For the user.
    """

    title: str
    source: str
    plain: PlainModel
    anatomy: Anatomy
    upper_body: UpperBody
    limits: tuple[DriveLimit, ...]
    notes: tuple[Note, ...]


def encode_folder(findings: Findings) -> dict[str, bytes]:
    """Return the files of a robot's folder by their path in it, with the usual gait."""
    files = {
        "robot.toml": format_robot_toml(findings),
        "collision.toml": format_collision_toml(None),
        "adopted.toml": format_adopted_toml(findings),
        "gait.toml": gait_maker().usual_toml(len(findings.anatomy.legs)),
        "expression.toml": format_expression_toml(findings.anatomy, findings.upper_body),
        "model.xml": findings.plain.text,
    }
    meshes = {f"meshes/{name}": content for name, content in findings.plain.meshes.items()}
    return {name: text.encode() for name, text in files.items()} | meshes


def write_folder(folder: Path, files: Mapping[str, bytes], *, force: bool = False) -> None:
    """Write a robot's folder. A folder is a robot as soon as it has a robot.toml, which is written last."""
    write_files(folder, files, last="robot.toml", force=force)


def format_robot_toml(findings: Findings) -> str:
    """Return robot.toml: every key that people may want to correct, with its meaning."""
    anatomy = findings.anatomy
    body = findings.upper_body
    lines = [
        f"# Found by `strut adopt` in {findings.source}. Correct it here, then run `strut adopt --check`.",
        "# Metres and radians. Points are in the robot's axes (x forward, y left, z up) as it stands in [posture].",
        f"title = {quote_toml(findings.title)}",
        'mjcf = "model.xml"',
        f"contact = {{ friction = {FRICTION} }}  # assumed: the model does not describe the floor",
    ]
    if not has_rotors(findings.plain.model):  # a servo shakes a link without mass and rotor
        servo = f"{{ sag_rad = 0.05, settle_s = 0.02, armature_s2 = {ROTOR_S2} }}"
        lines.append(f"servo = {servo}  # assumed: inertia of a rotor over the torque limit of its motor")
    lines += [
        'base = "floating"',
        f"forward = {_format_vector(anatomy.forward)}  # in the axes of the model",
        f"up = {_format_vector(anatomy.up)}",
    ]
    if body.rigid:
        lines.append(f"fixed = {_format_names(body.rigid)}  # these joints do not move")
    lines += ["", "[joint]  # limits, and the gains of position servos"]
    lines += [f"{_format_key(limit.joint)} = {_format_limit(limit)}" for limit in findings.limits]
    lines += ["", "[posture]  # how it stands"]
    tree = anatomy.tree
    ranges = {limit.joint: limit.range_rad for limit in findings.limits}
    for joint in tree.hinges:
        name = tree.joint_name(joint)
        if name in ranges:
            angle_rad = float(anatomy.standing[tree.address(joint)])
            lines.append(f"{_format_key(name)} = {_format_angle_inside(angle_rad, ranges[name])}")
    for block in (*_foot_tables(anatomy), *_limb_tables(anatomy, body), *_frame_tables(anatomy, body)):
        lines += ["", *block]
    return "\n".join(lines) + "\n"


def has_rotors(model: mujoco.MjModel) -> bool:
    """Return whether a model has the inertia of its motors' rotors."""
    return bool((model.dof_armature[BASE:] > 0.0).any())


def _foot_tables(anatomy: Anatomy) -> Iterable[list[str]]:
    tree = anatomy.tree
    data = tree.pose(anatomy.standing)
    for name, foot in zip(anatomy.leg_names, anatomy.feet, strict=True):
        points = foot.points @ data.xmat[foot.link].reshape(3, 3).T
        if foot.kind != "ball":
            points[:, 2] = points[:, 2].min()
        yield [
            f"[foot.{name}]",
            f"link = {quote_toml(str(tree.model.body(foot.link).name))}",
            f"kind = {quote_toml(foot.kind)}",
            f"points_m = [{', '.join(_format_vector(point) for point in points)}]",
            *([f"radius_m = {_format_number(foot.radius_m)}"] if foot.radius_m else []),
        ]


def _limb_tables(anatomy: Anatomy, body: UpperBody) -> Iterable[list[str]]:
    tree = anatomy.tree
    for name, leg in zip(anatomy.leg_names, anatomy.legs, strict=True):
        joints = f"joints = {_format_names(tree.joint_names_of(leg.joints))}"
        yield [f"[limb.{name}]", 'kind = "leg"', joints, f"feet = {_format_names([name])}"]
    for limb in body.limbs:
        joints = f"joints = {_format_names(tree.joint_names_of(limb.joints))}"
        frame = [] if limb.kind == "trunk" else [f"frame = {quote_toml(f'{limb.name}_end')}"]
        yield [f"[limb.{limb.name}]", f"kind = {quote_toml(limb.kind)}", joints, *frame]


def _frame_tables(anatomy: Anatomy, body: UpperBody) -> Iterable[list[str]]:
    for limb in body.limbs:
        if limb.kind != "trunk":
            yield [f"[frame.{limb.name}_end]", f"link = {quote_toml(anatomy.tree.link_name(limb.end))}"]


def format_collision_toml(pairs: CollisionPairs | None) -> str:
    """Return collision.toml: which overlaps of links are by design, if they are known."""
    lines = ["# How close links may come to each other.", "min_distance_m = 0.0"]
    if pairs is not None:
        lines += [
            "# Several joints in one place connect these; their shapes overlap around it in every posture.",
            *_format_overlaps("joined", pairs.joined),
            "# These overlap by design as it stands; a motion may make that deeper by as much as the last line says.",
            *_format_overlaps("overlapping", pairs.overlapping),
            f"max_deepening_m = {USUAL_COLLISION.max_deepening_m}",
        ]
    return "\n".join(lines) + "\n"


def _format_overlaps(key: str, overlaps: Sequence[RestingOverlap]) -> list[str]:
    """Return a list of pairs of links, with how deep they are in each other in the standing posture."""
    depth_m: dict[tuple[str, str], float] = {}
    for overlap in overlaps:
        depth_m[overlap.bodies] = max(-overlap.distance_m, depth_m.get(overlap.bodies, 0.0))
    rows = [f"  {_format_names(bodies)},  # {1e3 * deep_m:.1f} mm" for bodies, deep_m in depth_m.items()]
    return [f"{key} = [", *rows, "]"]


def format_adopted_toml(findings: Findings) -> str:
    """Return adopted.toml: the source of the robot, notes for the user, and the joints that express emotions."""
    anatomy = findings.anatomy
    lines = [
        "# Notes of `strut adopt` on this robot; joints that express emotions were measured in the standing posture.",
        f"source = {quote_toml(findings.source)}",
        f"legs = {len(anatomy.legs)}",
        f"mass_kg = {_format_number(anatomy.mass_kg)}",
        f"height_m = {_format_number(anatomy.height_m)}",
    ]
    for severity in Severity:
        sentences = sentences_of(findings.notes, severity)
        lines += [f"{severity} = [", *(f"  {quote_toml(sentence)}," for sentence in sentences), "]"]
    for joint in findings.upper_body.expressive:
        lines += [
            "",
            "[[expressive]]",
            f"joint = {quote_toml(joint.joint)}",
            f"does = {quote_toml(joint.does)}",
            f"limb = {quote_toml(joint.limb)}",
            f"sign = {joint.sign}  # of the angle that does it",
        ]
    return "\n".join(lines) + "\n"


def _format_limit(limit: DriveLimit) -> str:
    lower, upper = limit.range_rad
    fields = {
        "range_rad": f"[{_format_number(lower, _ANGLE_DECIMALS)}, {_format_number(upper, _ANGLE_DECIMALS)}]",
        "speed_rad_s": _format_number(limit.speed_rad_s),
        "torque_nm": _format_number(limit.torque_nm),
        "stiffness_nm_rad": _format_number(limit.stiffness_nm_rad),
        "damping_nm_s_rad": _format_number(limit.damping_nm_s_rad),
    }
    if limit.assumed:
        fields["assumed"] = _format_names(limit.assumed)
    return "{ " + ", ".join(f"{name} = {value}" for name, value in fields.items()) + " }"


def _format_angle_inside(angle_rad: float, range_rad: tuple[float, float]) -> str:
    """Return an angle rounded so that it stays inside its rounded range."""
    lower, upper = (round(bound, _ANGLE_DECIMALS) for bound in range_rad)
    return _format_number(float(np.clip(round(angle_rad, _ANGLE_DECIMALS), lower, upper)), _ANGLE_DECIMALS)


def _format_names(names: Iterable[str]) -> str:
    return f"[{', '.join(quote_toml(name) for name in names)}]"


def _format_vector(values: Array) -> str:
    return f"[{', '.join(_format_number(float(value), 5) for value in values)}]"


def _format_number(value: float, decimals: int | None = None) -> str:
    """Return a number as TOML, with four significant digits or with so many decimals."""
    rounded = round(value, decimals) if decimals is not None else float(f"{value:.4g}")
    return repr(float(rounded) + 0.0)  # + 0 so that -0 is 0


def quote_toml(text: str) -> str:
    """Return a text as a TOML string; unprintable characters become spaces."""
    printable = "".join(character if character.isprintable() else " " for character in text)
    return '"' + printable.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _format_key(name: str) -> str:
    return name if name and set(name) <= _BARE_KEY_CHARACTERS else quote_toml(name)
