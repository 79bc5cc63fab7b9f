"""Registry: one table per kind of thing that is found by name; each entry is imported when it is first used.

A feature adds one line here. A third-party package adds names by an entry point in a group of the same name:

    [project.entry-points."strut.writers"]
    imitation = "strut_imitation:WRITER"
"""

from __future__ import annotations

import pkgutil
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from strut.errors import UnknownNameError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


class Verb(NamedTuple):
    """A verb of the command line: where its function or app is, and the sentence that `strut --help` prints."""

    target: str
    summary: str


VERBS = {
    "robots": Verb("strut.cli.robots:robots", "List the robots."),
    "adopt": Verb("strut.adoption.verbs.adopt:adopt", "Import a robot from MJCF or URDF."),
    "emotions": Verb("strut.cli.emotions:emotions", "List the named emotions and the robots with published poses."),
    "walk": Verb("strut.cli.walk:walk", "Plan a walk that expresses an emotion and save it."),
    "distinguish": Verb(
        "strut.perception.verbs.distinguish:distinguish", "Measure how different a robot's emotions look."
    ),
    "perform": Verb(
        "strut.gaits.hand_task.verbs.perform:perform", "Do a task and express an emotion with the rest of the body."
    ),
    "animate": Verb("strut.animation.verbs.animate:animate", "Turn a keyframe animation into a feasible motion."),
    "repair": Verb("strut.retargeting.verbs.repair:repair", "Turn a motion into the nearest feasible one."),
    "retarget": Verb("strut.retargeting.verbs.retarget:retarget", "Make a walk a motion of another robot."),
    "library": Verb("strut.library.verbs.library:library", "Store motions and find them by emotion, mode and length."),
    "synthesize": Verb("strut.human.verbs.synthesize:synthesize", "Find a human gait that minimises criteria."),
    "fit": Verb("strut.mocap.verbs.fit:fit", "Fit a person's model to recorded markers."),
    "capture": Verb("strut.mocap.verbs.capture:capture", "Find forces and torques of a recorded walk."),
    "reconstruct": Verb("strut.human.verbs.reconstruct:reconstruct", "Find torques and ground forces of a motion."),
    "analyze": Verb("strut.human.verbs.analyze:analyze", "Measure and compare human walks."),
    "explain": Verb("strut.human.verbs.explain:explain", "Find the criteria that a recorded walk minimises."),
    "check": Verb("strut.cli.check:check", "Measure motions against the robot's limits (exit 3 if one breaks any)."),
    "simulate": Verb("strut.cli.simulate:simulate", "Play a motion in a physics engine (exit 4 if the robot falls)."),
    "drive": Verb("strut.pilot.verbs.drive:drive", "Drive a simulated robot from the browser."),
    "show": Verb("strut.cli.show:show", "Show motions in the browser, or write a page, a picture or a film."),
    "export": Verb("strut.cli.export:export", "Write a motion or a rig for other programs."),
    "demo": Verb("strut.gallery.verbs.demo:demo", "Show five bodies in five emotions on one page."),
    "reproduce": Verb(
        "strut.reproduction.verbs.reproduce:reproduce", "Compute the published numbers of a system again."
    ),
    "stimuli": Verb("strut.study.verbs.stimuli:stimuli", "Make all motions of a published study."),
    "study": Verb("strut.study.verbs.study:study", "Show motions to people and measure what they see."),
    "plugins": Verb("strut.cli.plugins:plugins", "List what installed packages add."),
    "doctor": Verb("strut.cli.doctor:doctor", "List what strut finds on this machine, and how to get the rest."),
}


class Plugin(NamedTuple):
    """A name that an installed package adds to a group; strut's own names cannot be replaced."""

    group: str
    name: str
    target: str
    package: str
    is_hidden: bool


BUILT_IN: dict[str, dict[str, str]] = {
    "strut.verbs": {name: verb.target for name, verb in VERBS.items()},
    "strut.tasks": {
        "crawl": "strut.gaits.crawl.request:KIND",
        "steps": "strut.gaits.footsteps.request:KIND",
        "pattern": "strut.gaits.pattern.request:KIND",
        "piloted": "strut.pilot.request:KIND",
        "human_gait": "strut.human.request:KIND",
        "hand_task": "strut.gaits.hand_task.request:KIND",
        "animate": "strut.animation.request:KIND",
        "own": "strut.request:OWN",  # a user's own generator
    },
    "strut.audits": {  # (draft, audit) -> the audit with what a feature measures of its own drafts
        "hand_task": "strut.gaits.hand_task.task_audit:add_task_audit",
        "plant": "strut.pilot.plant.plant_audit:plant_audit",
    },
    "strut.limit_sets": {  # (robot, margin_m) -> limits; an audit names the one set that judges it
        "standing": "strut.verify.limits:standing_limits",
        "landing": "strut.verify.limits:landing_limits",
        "plant": "strut.pilot.plant.plant_limits:plant_limits",
    },
    "strut.limits": {  # (robot) -> limits that every motion of every robot is judged by
        "hand_task": "strut.gaits.hand_task.task_limits:task_limits",
        "file": "strut.verify.limits:file_limits",
    },
    "strut.cycles": {  # repeats a cyclic motion for films: (robot, motion, duration_s) -> repeated motion, one cycle
        "human_walk": "strut.human.analysis.gait_cycle:repeat_walk",
    },
    "strut.methods": {  # methods of nouns, which import no room: (noun, ...)
        "Motion.save": "strut.formats.motion_file:save_motion",
        "Motion.show": "strut.viewer.notebook:show_motion",
        "Motion._repr_html_": "strut.viewer.notebook:motion_html",
        "Receipt._repr_html_": "strut.viewer.receipt_text:receipt_html",
    },
    "strut.readers": {
        "npz": "strut.formats.motion_file:READER",
        "c3d": "strut.formats.c3d:READER",
        "trc": "strut.formats.trc:READER",
        "mot": "strut.formats.mot:READER",
        "bvh": "strut.formats.bvh:READER",
        "csv": "strut.formats.marker_csv:READER",
        "tracker": "strut.formats.tracker_npz:READER",
        "mot_motion": "strut.formats.mot_motion:READER",
        "motion_csv": "strut.formats.motion_csv:READER",
        "motion_json": "strut.formats.motion_json:READER",
        "pose_csv": "strut.formats.pose_csv:READER",
        "gmr": "strut.formats.gmr_pickle:READER",
        "mcap": "strut.formats.mcap_ros:READER",
        "smpl": "strut.human.smpl_npz:READER",
        "rig_bvh": "strut.animation.rig_bvh:READER",
        "rig_glb": "strut.animation.rig_glb:READER",
    },
    "strut.writers": {
        "csv": "strut.formats.motion_csv:WRITER",
        "json": "strut.formats.motion_json:WRITER",
        "bvh": "strut.animation.rig_bvh:WRITER",
        "glb": "strut.animation.rig_glb:WRITER",
        "c3d": "strut.formats.c3d:WRITER",
        "trc": "strut.formats.trc:WRITER",
        "mot": "strut.formats.mot:WRITER",
        "mjlab": "strut.formats.tracker_npz:MJLAB",
        "beyondmimic": "strut.formats.tracker_npz:BEYONDMIMIC",
        "unitree": "strut.formats.pose_csv:WRITER",
        "gmr": "strut.formats.gmr_pickle:WRITER",
        "mcap": "strut.formats.mcap_ros:WRITER",
        "usd": "strut.formats.usd_scene:WRITER",
        "lerobot": "strut.formats.lerobot_dataset:WRITER",
        "cha": "strut.formats.spot_choreography:WRITER",
        "reachy": "strut.formats.reachy_move:WRITER",
    },
    "strut.robot_writers": {  # formats of `strut export` that hold a robot: (source, name, out, force) -> JSON, line
        "rig": "strut.animation.verbs.export_rig:write_rig",
    },
    "strut.performances": {  # kinds of `strut perform` beside the tasks of a hand, tried in this order
        "story": "strut.animation.verbs.perform_story:STORY",
        "sequence": "strut.pilot.verbs.perform_sequence:SEQUENCE",
    },
    "strut.simulators": {  # ways of `strut simulate` other than playing a motion, tried in this order
        "piloted": "strut.pilot.verbs.simulate_piloted:SIMULATOR",
        "closed_loop": "strut.gaits.footsteps.verbs.simulate_closed_loop:SIMULATOR",
    },
    "strut.walking_animations": {  # (robot, animation, rate_hz, method, margin_m, strict) -> motion
        "piloted": "strut.pilot.piloted_sequence:perform_sequence",
    },
    "strut.library_verbs": {  # `strut library VERB`
        "build": "strut.pilot.verbs.gaits:build",
        "gaits": "strut.pilot.verbs.gaits:gaits",
        "map": "strut.pilot.verbs.gaits:gait_map",
        "try": "strut.pilot.verbs.gaits:try_out",
    },
    "strut.clip_checks": {  # what `strut check` does with a folder or several files, and the page of one file
        "many": "strut.diagnosis.verbs.check_clips:check_many",
        "page": "strut.diagnosis.verbs.check_clips:write_page",
    },
    "strut.next_commands": {  # what `strut check` proposes, asked in this order
        "piloted": "strut.pilot.verbs.after_check:next_command",
        "human": "strut.human.verbs.after_check:next_command",
        "repair": "strut.retargeting.verbs.after_check:next_command",
    },
    "strut.robots": {},  # folders: those in src/strut/robots are listed by models/catalogue.py
    "strut.imported_gaits": {"pattern": "strut.gaits.pattern.gait_fit:MAKER"},  # gait.toml of imported robots
    "strut.robot_reports": {  # for `strut adopt`: (robot, on_progress) -> JSON values, sentences
        "emotions": "strut.perception.distinguish:report_on_robot",
    },
    "strut.questions": {
        "forced-choice": "strut.study.questions.forced_choice:ForcedChoice",
        "sam": "strut.study.questions.sam:SelfAssessment",
        "slider": "strut.study.questions.slider:Slider",
        "improvement": "strut.study.questions.improvement:Improvement",
        "pairwise": "strut.study.questions.pairwise:Pairwise",
        "continuous": "strut.study.questions.continuous:Continuous",
        "free-label": "strut.study.questions.free_label:FreeLabel",
    },
}
_LISTED_BY = {
    "strut.verbs": "`strut --help`",
    "strut.writers": "`strut export --help`",
    "strut.questions": "`strut study new --help`",
}


def find(group: str, name: str) -> Any:
    """Import and return one entry. A package adds names and never replaces a built-in one.

    Raises UnknownNameError with the nearest names.
    """
    if name in BUILT_IN[group]:
        return pkgutil.resolve_name(BUILT_IN[group][name])
    for entry in installed(group):
        if entry.name == name:
            return entry.load()
    kind = "format" if group in ("strut.readers", "strut.writers") else group.removeprefix("strut.").removesuffix("s")
    raise UnknownNameError(kind, name, names(group), _LISTED_BY.get(group, "`strut plugins`"))


def names(group: str) -> tuple[str, ...]:
    """Return every name of a group, the built-in ones first."""
    added = (entry.name for entry in installed(group) if entry.name not in BUILT_IN[group])
    return (*BUILT_IN[group], *dict.fromkeys(added))


@cache
def installed(group: str) -> tuple[EntryPoint, ...]:
    """Return the entry points that installed packages add to a group."""
    from importlib.metadata import entry_points  # noqa: PLC0415 -- 40 ms, as long as `strut --help` takes

    return tuple(entry_points(group=group))


def plugins() -> list[Plugin]:
    """Return what installed packages add, group by group.

    Example:
        >>> [plugin.name for plugin in strut.plugins() if plugin.group == "strut.writers"]
    """
    return [
        Plugin(
            group=group,
            name=entry.name,
            target=entry.value,
            package="" if entry.dist is None else entry.dist.name,
            is_hidden=entry.name in BUILT_IN[group],
        )
        for group in BUILT_IN
        for entry in installed(group)
    ]
