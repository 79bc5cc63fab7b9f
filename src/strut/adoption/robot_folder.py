"""Robot folder: what was found of a robot as a small folder that people read and correct: tables, model, meshes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

import mujoco
import numpy as np

from strut.adoption.body_plan import BodyPlan
from strut.adoption.drive_limits import DriveLimit
from strut.adoption.expression_tables import expression_toml, gait_toml, usual_gait
from strut.adoption.note import Note
from strut.adoption.plain_model import PlainModel
from strut.adoption.upper_body import UpperBody
from strut.arrays import Array
from strut.plumbing.atomic_files import write_files
from strut.robot import BASE

FRICTION = 0.6
ROTOR_S2 = 0.0005
FILE_NAMES = ("robot.toml", "collision.toml", "adopted.toml", "gait.toml", "expression.toml", "model.xml")  # and meshes
_PLAIN_KEY = set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-")


@dataclass(frozen=True, slots=True)
class Findings:
    """All that was found of a robot.

    Args:
        title: For people.
        source: Where it came from: the name of the file.
        plain: Its model.
        anatomy: Legs, feet, front, stand.
        upper_body: Trunk, head, arms.
        limits: Of the joints that move.
        overlapping: Pairs of links that may touch.
        notes: All that has to be told.
    """

    title: str
    source: str
    plain: PlainModel
    anatomy: BodyPlan
    upper_body: UpperBody
    limits: tuple[DriveLimit, ...]
    overlapping: tuple[tuple[str, str], ...]
    notes: tuple[Note, ...]


def folder_files(findings: Findings) -> dict[str, bytes]:
    """Return the files of a robot's folder by their path in it."""
    files = {
        "robot.toml": robot_toml(findings),
        "collision.toml": collision_toml(findings),
        "adopted.toml": adopted_toml(findings),
        "gait.toml": gait_toml(usual_gait(len(findings.anatomy.legs))),
        "expression.toml": expression_toml(findings.anatomy, findings.upper_body),
        "model.xml": findings.plain.text,
    }
    return {name: text.encode() for name, text in files.items()} | {
        f"meshes/{name}": content for name, content in findings.plain.meshes.items()
    }


def write_folder(folder: Path, files: Mapping[str, bytes], *, force: bool = False) -> None:
    """Write a robot's folder, whole or not at all; a folder is a robot's as soon as it has a robot.toml."""
    write_files(folder, files, last="robot.toml", force=force)


def robot_toml(findings: Findings) -> str:
    """Return robot.toml: every key that people may want to correct, with what it means."""
    anatomy = findings.anatomy
    body = findings.upper_body
    lines = [
        f"# Found by `strut adopt` in {findings.source}. Correct it here; `strut adopt --check` judges again.",
        "# Metres and radians. Points are in the robot's axes (x forward, y left, z up) as it stands in [posture].",
        f"title = {quoted(findings.title)}",
        'mjcf = "model.xml"',
        f"contact = {{ friction = {FRICTION} }}  # assumed: no model knows the floor",
        *_rotors(findings),
        'base = "floating"',
        f"forward = {_vector(anatomy.forward)}  # in the axes of the model",
        f"up = {_vector(anatomy.up)}",
    ]
    if body.rigid:
        lines.append(f"fixed = [{', '.join(quoted(name) for name in body.rigid)}]  # these joints do not move")
    lines += ["", "[joint]  # limits, and the gains of position servos"]
    lines += [f"{_key(limit.joint)} = {_limit_words(limit)}" for limit in findings.limits]
    lines += ["", "[posture]  # how it stands"]
    tree = anatomy.tree
    standing = {
        tree.joint_name(joint): float(anatomy.standing[tree.address(joint)]) for joint in range(1, tree.model.njnt)
    }
    ranges = {limit.joint: limit.range_rad for limit in findings.limits}
    lines += [f"{_key(name)} = {_inside(standing[name], ranges[name])}" for name in standing if name in ranges]
    for block in (*_feet(anatomy), *_limbs(anatomy, body), *_frames(anatomy, body)):
        lines += ["", *block]
    return "\n".join(lines) + "\n"


def has_rotors(model: mujoco.MjModel) -> bool:
    """Return whether a model tells the inertia of its motors' rotors."""
    return bool((model.dof_armature[BASE:] > 0.0).any())


def _rotors(findings: Findings) -> list[str]:
    """Return the line that gives motors a rotor where the model has none: a servo shakes what weighs nothing."""
    if has_rotors(findings.plain.model):
        return []
    servo = f"{{ sag_rad = 0.05, settle_s = 0.02, armature_s2 = {ROTOR_S2} }}"
    return [f"servo = {servo}  # assumed: rotors have an inertia of this times their torque limit"]


def _feet(anatomy: BodyPlan) -> Iterable[list[str]]:
    tree = anatomy.tree
    data = tree.pose(anatomy.standing)
    for name, foot in zip(anatomy.leg_names, anatomy.feet, strict=True):
        points = foot.points @ data.xmat[foot.link].reshape(3, 3).T
        points[:, 2] = points[:, 2].min() if foot.kind != "ball" else points[:, 2]
        yield [
            f"[foot.{name}]",
            f"link = {quoted(str(tree.model.body(foot.link).name))}",
            f"kind = {quoted(foot.kind)}",
            f"points_m = [{', '.join(_vector(point) for point in points)}]",
            *([f"radius_m = {_number(foot.radius_m)}"] if foot.radius_m else []),
        ]


def _limbs(anatomy: BodyPlan, body: UpperBody) -> Iterable[list[str]]:
    tree = anatomy.tree
    for name, leg in zip(anatomy.leg_names, anatomy.legs, strict=True):
        joints = ", ".join(quoted(tree.joint_name(joint)) for joint in leg.joints)
        yield [f"[limb.{name}]", 'kind = "leg"', f"joints = [{joints}]", f"feet = [{quoted(name)}]"]
    for limb in body.limbs:
        joints = ", ".join(quoted(tree.joint_name(joint)) for joint in limb.joints)
        frame = [] if limb.kind == "trunk" else [f"frame = {quoted(f'{limb.name}_end')}"]
        yield [f"[limb.{limb.name}]", f"kind = {quoted(limb.kind)}", f"joints = [{joints}]", *frame]


def _frames(anatomy: BodyPlan, body: UpperBody) -> Iterable[list[str]]:
    for limb in body.limbs:
        if limb.kind != "trunk":
            yield [f"[frame.{limb.name}_end]", f"link = {quoted(anatomy.tree.name(limb.end))}"]


def collision_toml(findings: Findings) -> str:
    """Return collision.toml: which links may touch."""
    pairs = [f"  [{quoted(first)}, {quoted(second)}]," for first, second in findings.overlapping]
    return "\n".join(
        [
            "# Which links may come how near to each other.",
            "least_distance_m = 0.0",
            "excluded = [  # these touch when the robot merely stands, or always",
            *pairs,
            "]",
            "",
        ]
    )


def adopted_toml(findings: Findings) -> str:
    """Return adopted.toml: where the robot came from, what was told, and which joints show a feeling."""
    anatomy = findings.anatomy
    lines = [
        "# What `strut adopt` told when it read this robot; joints that show a feeling were measured as it stands.",
        f"source = {quoted(findings.source)}",
        f"legs = {len(anatomy.legs)}",
        f"mass_kg = {_number(anatomy.mass_kg)}",
        f"height_m = {_number(anatomy.height_m)}",
    ]
    for severity in ("fault", "assumed", "found"):
        said = [note.sentence for note in findings.notes if note.severity == severity]
        lines += [f"{severity} = [", *(f"  {quoted(sentence)}," for sentence in said), "]"]
    for shows in findings.upper_body.expressive:
        lines += [
            "",
            "[[expressive]]",
            f"joint = {quoted(shows.joint)}",
            f"does = {quoted(shows.does)}",
            f"limb = {quoted(shows.limb)}",
            f"sign = {shows.sign}  # of the angle that does it",
        ]
    return "\n".join(lines) + "\n"


def _limit_words(limit: DriveLimit) -> str:
    low, high = limit.range_rad
    fields = {
        "range_rad": f"[{_number(low, 5)}, {_number(high, 5)}]",
        "speed_rad_s": _number(limit.speed_rad_s),
        "torque_nm": _number(limit.torque_nm),
        "stiffness_nm_rad": _number(limit.stiffness_nm_rad),
        "damping_nm_s_rad": _number(limit.damping_nm_s_rad),
    }
    if limit.assumed:
        fields["assumed"] = f"[{', '.join(map(quoted, limit.assumed))}]"
    return "{ " + ", ".join(f"{name} = {value}" for name, value in fields.items()) + " }"


def _inside(angle_rad: float, range_rad: tuple[float, float]) -> str:
    low, high = (round(bound, 5) for bound in range_rad)
    return _number(float(np.clip(round(angle_rad, 5), low, high)), 5)


def _vector(values: Array) -> str:
    return f"[{', '.join(_number(float(value), 5) for value in values)}]"


def _number(value: float, places: int | None = None) -> str:
    """Return a number as TOML writes it, with few digits."""
    rounded = round(value, places) if places is not None else float(f"{value:.4g}")
    return repr(float(rounded) + 0.0)


def quoted(text: str) -> str:
    """Return a text as TOML writes it."""
    plain = "".join(letter if letter.isprintable() else " " for letter in text)
    return '"' + plain.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _key(name: str) -> str:
    return name if name and set(name) <= _PLAIN_KEY else quoted(name)
