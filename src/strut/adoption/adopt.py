"""Adopt: imports a robot from an MJCF or URDF file, or from an installed package, into a folder of tables."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from strut.adoption.anatomy import Anatomy, find_anatomy, find_plausible_rest_pose, restore_balance
from strut.adoption.arm_posture import lower_raised_arms, move_arms_off_legs
from strut.adoption.description import read_description
from strut.adoption.drive_limits import find_drive_limits
from strut.adoption.imported_gait import ImportedGait, gait_maker
from strut.adoption.knee_direction import notes_on_knees
from strut.adoption.leg_check import find_held_joints
from strut.adoption.note import Note, Severity, list_names, sentences_of
from strut.adoption.package_robots import find_description
from strut.adoption.plain_model import PlainModel, write_plain_model
from strut.adoption.robot_folder import (
    FILE_NAMES,
    FRICTION,
    ROTOR_S2,
    Findings,
    encode_folder,
    format_collision_toml,
    has_rotors,
    write_folder,
)
from strut.adoption.robot_name import choose_robot_name
from strut.adoption.robot_source import find_robot_source, notes_on_rigid_parts
from strut.adoption.upper_body import UpperBody, find_upper_body, remeasure_expressive_joints
from strut.engines.resting_overlap import RestingOverlap
from strut.engines.self_distance import CollisionPairs, collision_pairs
from strut.errors import NotAdoptedError
from strut.models.catalogue import HOME, load_robot, names_in, robot_home
from strut.plumbing.atomic_files import check_may_be_folder, check_replaceable
from strut.plumbing.number_text import format_count, format_percent, plural_form
from strut.robot import Robot

OnStage = Callable[[str], None]
_SIGNS = {1: "positive", -1: "negative"}


@dataclass(frozen=True, slots=True, eq=False)
class AdoptedRobot:
    """A robot that was imported.

    Args:
        name: The name by which verbs know it.
        folder: Where its tables are.
        robot: The robot.
        kind: `quadruped` or `biped`.
        notes: What was found, assumed and repaired.
        took_s: Duration of the import.
        can_walk: False if its motors cannot hold it on one leg, which a biped needs for a step.
    """

    name: str
    folder: Path
    robot: Robot
    kind: str
    notes: tuple[Note, ...]
    took_s: float
    can_walk: bool = True

    def sentences(self, severity: Severity | str | None = None) -> list[str]:
        """Return the sentences of the notes, all or those of one severity: `fault`, `assumed` or `found`."""
        if severity is None:
            return [note.sentence for note in self.notes]
        return sentences_of(self.notes, severity)


def adopt(
    path: Path | str,
    name: str | None = None,
    out: Path | str | None = None,
    *,
    force: bool = False,
    on_stage: OnStage = lambda _: None,
) -> AdoptedRobot:
    """Import a legged robot and write its folder.

    Args:
        path: MJCF or URDF file, or the name of a robot of an installed package, such as `go2_mj_description`.
        name: Name of the robot; by default that of the file or of the package's robot. Of several robots in a file,
            the one whose base has this name is imported.
        out: Folder to write; by default `name` in the robot home (`STRUT_ROBOTS`, else ~/.strut/robots).
        force: Replace the files of an existing folder.
        on_stage: Called with a description of each stage before it starts.

    Returns:
        The robot, its folder and notes for the user. Raises NotAdoptedError with the reason if the file does not
        describe a legged robot that strut can move.

    Example:
        >>> strut.adopt("unitree_go2/go2.xml").robot.foot_names
        ('FL', 'FR', 'HL', 'HR')
    """
    started = time.perf_counter()
    file = find_description(path)
    is_from_package = file != Path(path).expanduser()
    robot_name = choose_robot_name(file, str(path) if name is None and is_from_package else name)
    folder = Path(out) if out is not None else robot_home() / robot_name
    check_may_be_folder(folder)
    if str(folder) in names_in(HOME):
        raise NotAdoptedError(
            f"{folder} is the name of one of strut's own robots; choose another folder, such as my_{folder}.", str(path)
        )
    if not force and (folder / "robot.toml").exists():
        raise NotAdoptedError(
            f"{folder} holds a robot already; choose another --name, or replace it with --force.",
            str(path),
        )
    check_replaceable(folder, FILE_NAMES, force=force)
    try:
        findings = inspect_robot(file, robot_name, on_stage)
    except NotAdoptedError as error:
        raise NotAdoptedError(error.reason, str(path)) from error
    files = encode_folder(findings)
    check_replaceable(folder, files, force=force)  # meshes too, before the gait fit, which takes longest
    robot = _load_unwritten(files)
    pairs = collision_pairs(robot)
    on_stage("fits its gait")
    fit = gait_maker().fit(
        robot, lambda share: on_stage(f"fits its gait at {format_percent(share)} of the usual speed")
    )
    on_stage("writes its folder")  # last, so that an interrupted import leaves no robot with an untried gait
    found = {"gait.toml": fit.toml.encode(), "collision.toml": format_collision_toml(pairs).encode()}
    write_folder(folder, files | found, force=force)
    return AdoptedRobot(
        name=robot_name,
        folder=folder,
        robot=load_robot(robot_name if out is None else str(folder)),
        kind=findings.anatomy.kind,
        notes=(*findings.notes, *_notes_on_overlaps(pairs), *_notes_on_gait(fit)),
        took_s=time.perf_counter() - started,
        can_walk=not fit.denied,
    )


def _load_unwritten(files: Mapping[str, bytes]) -> Robot:
    """Return the robot of a folder that is not written yet, given its files."""
    with tempfile.TemporaryDirectory(prefix="strut_") as folder:
        write_folder(Path(folder) / "robot", files)
        return load_robot(str(Path(folder) / "robot"))


def _notes_on_gait(fit: ImportedGait) -> list[Note]:
    if fit.denied:
        return [Note.fault(f"it cannot walk: {fit.denied}.")]
    return [*map(Note.finding, fit.findings), *map(Note.assumption, fit.assumptions)]


def inspect_robot(file: Path, name: str, on_stage: OnStage = lambda _: None) -> Findings:
    """Return everything that is found about the robot in a file.

    Raises NotAdoptedError with the reason if it is not a legged robot that strut can move.
    """
    on_stage("reads its file")
    description = read_description(file, name)
    on_stage("finds its legs")
    source = find_robot_source(description, name)
    plain = write_plain_model(description, source.root, source.locked, name)
    pose = find_plausible_rest_pose(plain.model, source)
    if held := find_held_joints(pose.tree, pose.support.legs, source):
        source = replace(
            source, locked=source.locked | held.keys(), notes=(*source.notes, *_notes_on_held_joints(held))
        )
        plain = write_plain_model(description, source.root, source.locked, name)
        pose = find_plausible_rest_pose(plain.model, source)
    anatomy = find_anatomy(pose, source)
    on_stage("finds its arms and head, and how it stands")
    immobile = source.passive | source.coupled.keys()
    upper = find_upper_body(anatomy, source.cameras, immobile)
    arms = [limb for limb in upper.limbs if limb.kind == "arm"]
    standing, lowered = lower_raised_arms(anatomy, arms)
    standing, moved_aside = move_arms_off_legs(replace(anatomy, standing=standing), arms)
    anatomy = restore_balance(replace(anatomy, standing=standing))
    upper = remeasure_expressive_joints(upper, anatomy)
    moving = [joint for joint in anatomy.tree.hinges if anatomy.tree.joint_name(joint) not in upper.rigid]
    limits, limit_notes = find_drive_limits(anatomy, description, moving)
    notes = (
        *_summary(anatomy, upper),
        *description.notes,
        *source.notes,
        *notes_on_rigid_parts(source),
        *anatomy.notes,
        *notes_on_knees(anatomy),
        Note.assumption(f"the friction of the floor is taken as {FRICTION}, because the model does not describe it."),
        *_notes_on_arms(lowered, moved_aside),
        *_notes_on_rigid_joints(upper),
        *_notes_on_rotors(plain),
        *limit_notes,
    )
    joint_count = sum(1 for kind in description.model.jnt_type if kind != 0)  # 0 is a free joint
    title = f"{name}, a {anatomy.kind} with {joint_count} joints"
    return Findings(title, file.name, plain, anatomy, upper, limits, notes)


def _notes_on_held_joints(held: Mapping[str, str]) -> list[Note]:
    """Return a note for every reason for which joints of legs are held in place."""
    joints_by_reason: dict[str, list[str]] = {}
    for joint, reason in held.items():
        joints_by_reason.setdefault(reason, []).append(joint)
    return [
        Note.assumption(f"held in place: {list_names(joints)}: {reason}.")
        for reason, joints in joints_by_reason.items()
    ]


def _summary(anatomy: Anatomy, upper: UpperBody) -> list[Note]:
    counts = {len(leg.joints) for leg in anatomy.legs}
    if len(counts) > 1:
        joints = f"{min(counts)} to {max(counts)} joints"
    else:
        joints = format_count(min(counts), "[joint|joints]")
    feet = " and ".join(sorted({foot.kind for foot in anatomy.feet}))
    limbs = [f"{limb.name} ({format_count(len(limb.joints), '[joint|joints]')})" for limb in upper.limbs]
    return [
        Note.finding(
            f"{len(anatomy.legs)} legs of {joints} on {feet} feet; {anatomy.mass_kg:.1f} kg, "
            f"{anatomy.height_m:.2f} m high."
        ),
        Note.finding(f"besides legs: {list_names(limbs, 8)}." if limbs else "only its legs have joints."),
        *(
            Note.finding(f"to {joint.does}, {joint.joint} turns to {_SIGNS[joint.sign]} angles.")
            for joint in upper.expressive
        ),
    ]


def _notes_on_arms(lowered: Sequence[str], moved_aside: Sequence[str]) -> list[Note]:
    notes = []
    if lowered:
        text = plural_form(len(lowered), "held out in the file [was|were] lowered, so that [it|they] can swing.")
        notes.append(Note.assumption(f"{list_names(lowered)} {text}"))
    if moved_aside:
        text = plural_form(len(moved_aside), "hung on the legs and [was|were] moved aside, so that neither is stopped.")
        notes.append(Note.assumption(f"{list_names(moved_aside)} {text}"))
    return notes


def _notes_on_rigid_joints(upper: UpperBody) -> list[Note]:
    if not upper.rigid:
        return []
    text = format_count(len(upper.rigid), "[joint does|joints do] not move")
    return [Note.assumption(f"{text} ({list_names(upper.rigid)}): fingers, toes and other small parts.")]


def _notes_on_overlaps(pairs: CollisionPairs) -> list[Note]:
    notes = []
    if pairs.joined:
        text = "[pair of links overlaps|pairs of links overlap] around joints in one place and [is|are] not judged"
        notes.append(Note.finding(f"{format_count(len(pairs.joined), text)} ({_list_pairs(pairs.joined)})."))
    if pairs.overlapping:
        text = "[pair of links overlaps|pairs of links overlap] as it stands; motions make that hardly deeper"
        notes.append(Note.finding(f"{format_count(len(pairs.overlapping), text)} ({_list_pairs(pairs.overlapping)})."))
    return notes


def _list_pairs(overlaps: Sequence[RestingOverlap]) -> str:
    return list_names([" and ".join(overlap.bodies) for overlap in overlaps], 2)


def _notes_on_rotors(plain: PlainModel) -> list[Note]:
    if has_rotors(plain.model):
        return []
    return [Note.assumption(f"no motor has a rotor: an inertia of {ROTOR_S2:g} s² times its torque limit is assumed.")]
