"""Adopt: an MJCF or URDF of others, or a robot of an installed package, becomes a robot of yours."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from strut.adoption.arm_rest import hold_away, let_down
from strut.adoption.body_plan import BodyPlan, body_plan, inspect_at_rest, stand_again
from strut.adoption.described_model import DescribedModel, read_described
from strut.adoption.drive_limits import drive_limits
from strut.adoption.expression_tables import gait_toml
from strut.adoption.gait_fit import FittedGait, Utilisation, fitted_gait
from strut.adoption.leg_check import joints_to_hold
from strut.adoption.note import Note, list_names
from strut.adoption.overlaps import overlapping_pairs
from strut.adoption.package_robots import find_description
from strut.adoption.plain_model import PlainModel, plain_model
from strut.adoption.robot_folder import FILE_NAMES, FRICTION, ROTOR_S2, Findings, folder_files, has_rotors, write_folder
from strut.adoption.robot_name import robot_name_of
from strut.adoption.robot_source import dropped_note, find_robot
from strut.adoption.upper_body import UpperBody, find_upper_body, measured_again
from strut.errors import NotAdoptedError
from strut.gaits.pattern.table import PatternTable
from strut.models.catalogue import HOME, load_robot, names_in, robot_home
from strut.plumbing.atomic_files import check_may_be_folder, check_replaceable
from strut.plumbing.number_text import format_count, format_percent, plural_form
from strut.robot import Robot

_FACTORS = {"period": "step time", "stride": "step length", "lift": "lift", "width": "distance between the feet"}

OnStage = Callable[[str], None]


@dataclass(frozen=True, slots=True, eq=False)
class AdoptedRobot:
    """A robot that was adopted.

    Args:
        name: What verbs call it.
        folder: Where it lives now.
        robot: It.
        kind: Quadruped or biped.
        notes: What was found, assumed and repaired, as sentences.
        took_s: Seconds.
        can_walk: Whether its motors could hold it on one leg, without which a biped cannot take a step.
    """

    name: str
    folder: Path
    robot: Robot
    kind: str
    notes: tuple[Note, ...]
    took_s: float
    can_walk: bool = True

    def sentences(self, severity: str | None = None) -> list[str]:
        """Return what there is to tell, or only the faults, what was assumed, or what was found."""
        return [note.sentence for note in self.notes if severity in (None, note.severity)]


def adopt(
    path: Path | str,
    name: str | None = None,
    out: Path | str | None = None,
    *,
    force: bool = False,
    on_stage: OnStage = lambda _: None,
) -> AdoptedRobot:
    """Read a robot of others, find what is in it, and write its folder.

    Args:
        path: MJCF or URDF file, or the name of a robot of an installed package, such as `go2_mj_description`.
        name: What to call it; by default as the file, or as the package's robot that was asked for.
        out: Folder to write; by default one of its name in the robot home (`STRUT_ROBOTS`, else ~/.strut/robots).
        force: Replace the files of a folder that is there already.
        on_stage: Told what is done, before each part of it.

    Returns:
        The robot, its folder and all that has to be told. Raises NotAdoptedError with the reason if it is no legged
        robot that strut can move.

    Example:
        >>> strut.adopt("unitree_go2/go2.xml").robot.foot_names
        ('FL', 'FR', 'HL', 'HR')
    """
    started = time.perf_counter()
    file = find_description(path)
    called = robot_name_of(file, str(path) if name is None and file != Path(path).expanduser() else name)
    folder = Path(out) if out is not None else robot_home() / called
    check_may_be_folder(folder)
    if str(folder) in names_in(HOME):
        raise NotAdoptedError(f"{folder} is a robot of strut's; choose another folder, such as my_{folder}.", str(path))
    if not force and (folder / "robot.toml").exists():
        raise NotAdoptedError(
            f"{folder} holds a robot already; choose another --name, or replace it with --force.",
            str(path),
        )
    check_replaceable(folder, FILE_NAMES, force=force)
    try:
        findings = find_all(file, called, on_stage)
    except NotAdoptedError as error:
        raise NotAdoptedError(error.reason, str(path)) from error
    files = folder_files(findings)
    check_replaceable(folder, files, force=force)  # meshes too, before the gait is tried, which takes longest
    on_stage("tries its gait")
    usual, fit = _tried_gait(files, on_stage)
    on_stage("writes its folder")  # at the end: who is stopped before has no robot with a gait that nobody has tried
    write_folder(folder, files | {"gait.toml": gait_toml(fit.gait).encode()}, force=force)
    robot = load_robot(called if out is None else str(folder))
    kind = "quadruped" if len(findings.anatomy.legs) == 4 else "biped"
    notes = (*findings.notes, *_gait_notes(usual, fit))
    return AdoptedRobot(called, folder, robot, kind, notes, time.perf_counter() - started, not fit.denied)


def _tried_gait(files: Mapping[str, bytes], on_stage: OnStage) -> tuple[PatternTable, FittedGait]:
    """Return the usual gait of a robot in the files of its folder, and the one that fits it."""
    with tempfile.TemporaryDirectory(prefix="strut_") as folder:
        write_folder(Path(folder) / "robot", files)
        robot = load_robot(str(Path(folder) / "robot"))
    fit = fitted_gait(robot, lambda share: on_stage(f"tries its gait at {format_percent(share)} of the usual speed"))
    return robot.gait_as(PatternTable), fit


def _gait_notes(usual: PatternTable, fit: FittedGait) -> list[Note]:
    """Return what to tell of a gait that uses less of a robot's limits than the usual one."""
    gait = fit.gait
    if fit.denied:
        return [Note.fault(f"it will not walk: {fit.denied}.")]
    if gait == usual or fit.now is None:
        return []
    note = Note.finding(f"its gait was changed so that it {_spared(fit.before, fit.now)}: {_changes(usual, gait)}.")
    if fit.share == 1.0:
        return [note]
    slow = (
        f"it walks at {format_percent(fit.share)} of the usual speed, which would break a limit ({gait.slow_because})."
    )
    return [note, Note.assumption(slow)]


def _changes(usual: PatternTable, gait: PatternTable) -> str:
    """Return which factors of a gait are not the usual ones, in words."""
    changed = [name for name in _FACTORS if getattr(gait, name) != getattr(usual, name)]
    return list_names([f"{_FACTORS[name]} x {getattr(gait, name):.3g}" for name in changed])


def _spared(before: Utilisation | None, now: Utilisation) -> str:
    """Return what a changed gait spares a robot, in words."""
    uses = f"uses {format_percent(now.use)} of a motor, joint speed or the floor"
    if before is None:
        return f"reaches its feet, and {uses}"
    other = "" if now.use < before.use else "breaks fewer other limits or need not take shorter steps, and "
    return f"{other}{uses} instead of {format_percent(before.use)}"


def find_all(file: Path, title: str, on_stage: OnStage = lambda _: None) -> Findings:
    """Return all that is found of the robot in a file; raises NotAdoptedError with the reason if it is none to move."""
    on_stage("reads its file")
    described = read_described(file)
    on_stage("finds its legs")
    source = find_robot(described)
    plain = plain_model(described, source.root, source.locked, title)
    at_rest = inspect_at_rest(plain.model, source)
    if held := joints_to_hold(at_rest.tree, at_rest.rest.legs, source):
        source = replace(source, locked=source.locked | held.keys(), notes=(*source.notes, *_held_notes(held)))
        plain = plain_model(described, source.root, source.locked, title)
        at_rest = inspect_at_rest(plain.model, source)
    anatomy = body_plan(at_rest, source)
    on_stage("finds its arms and head, and how it stands")
    cannot_move = source.passive | source.coupled.keys()
    upper = find_upper_body(anatomy, source.cameras, cannot_move)
    arms = [limb for limb in upper.limbs if limb.kind == "arm"]
    standing, lowered = let_down(anatomy, arms)
    standing, aside = hold_away(replace(anatomy, standing=standing), arms)
    anatomy = stand_again(replace(anatomy, standing=standing))
    upper = measured_again(upper, anatomy)
    moving = [joint for joint in range(1, plain.model.njnt) if anatomy.tree.joint_name(joint) not in upper.rigid]
    limits, limit_notes = drive_limits(anatomy, described, moving)
    overlapping = overlapping_pairs(anatomy)
    notes = (
        *_summary(anatomy, upper),
        *described.notes,
        *source.notes,
        *dropped_note(source),
        *anatomy.notes,
        *_more_notes(lowered, aside, upper, overlapping),
        *_rotor_note(plain),
        *limit_notes,
    )
    return Findings(_title(title, described, anatomy), file.name, plain, anatomy, upper, limits, overlapping, notes)


def _held_notes(held: dict[str, str]) -> list[Note]:
    """Return a note for every reason why joints of legs are held in place."""
    names = {why: [joint for joint, because in held.items() if because == why] for why in held.values()}
    return [Note.assumption(f"held in place: {list_names(joints)}: {why}.") for why, joints in names.items()]


def _summary(anatomy: BodyPlan, upper: UpperBody) -> list[Note]:
    joints = {len(leg.joints) for leg in anatomy.legs}
    kinds = {foot.kind for foot in anatomy.feet}
    several = f"{min(joints)} to {max(joints)} joints"
    each = several if len(joints) > 1 else format_count(min(joints), "[joint|joints]")
    feet = " and ".join(sorted(kinds))
    limbs = [f"{limb.name} ({format_count(len(limb.joints), '[joint|joints]')})" for limb in upper.limbs]
    return [
        Note.finding(
            f"{len(anatomy.legs)} legs of {each} on {feet} feet; {anatomy.mass_kg:.1f} kg, "
            f"{anatomy.height_m:.2f} m high."
        ),
        Note.finding(f"besides legs: {list_names(limbs, 8) or 'nothing that moves'}."),
        *(
            Note.finding(f"{shows.joint}, turned {'+' if shows.sign > 0 else '-'}, would {shows.does}.")
            for shows in upper.expressive
        ),
    ]


def _more_notes(
    lowered: Sequence[str], aside: Sequence[str], upper: UpperBody, overlapping: Sequence[tuple[str, str]]
) -> list[Note]:
    notes = [Note.assumption(f"the friction of the floor is taken as {FRICTION}: no model knows it.")]
    if lowered:
        notes.append(_of_arms(lowered, "held out in the file [was|were] let down, so that [it|they] can swing."))
    if aside:
        notes.append(_of_arms(aside, "hung on the legs and [was|were] turned aside, or each would stop the other."))
    if upper.rigid:
        held = format_count(len(upper.rigid), "[joint does|joints do] not move")
        notes.append(Note.assumption(f"{held} ({list_names(upper.rigid)}): fingers, toes and the like."))
    if overlapping:
        pairs = [f"{first} and {second}" for first, second in overlapping]
        words = "[pair of links touches|pairs of links touch] when it merely stands and [is|are] not judged"
        notes.append(Note.finding(f"{format_count(len(overlapping), words)} ({list_names(pairs, 2)})."))
    return notes


def _of_arms(names: Sequence[str], words: str) -> Note:
    return Note.assumption(f"{list_names(list(names))} {plural_form(len(names), words)}")


def _rotor_note(plain: PlainModel) -> list[Note]:
    if has_rotors(plain.model):
        return []
    return [Note.assumption(f"no motor has a rotor: an inertia of {ROTOR_S2:g} s² times its torque limit is taken.")]


def _title(name: str, described: DescribedModel, anatomy: BodyPlan) -> str:
    kind = "quadruped" if len(anatomy.legs) == 4 else "biped"
    moving = sum(1 for joint in range(described.model.njnt) if described.model.jnt_type[joint] != 0)
    return f"{name}, a {kind} with {moving} joints"
