"""Stimulus: what a participant sees of a motion, matched in length, view and scale with all others of the study."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from msgspec import structs

from strut.arrays import Array
from strut.errors import StrutError, StudyError
from strut.formats.motion_file import load_motion
from strut.maths.sampling import columns_at
from strut.models.catalogue import robot_of
from strut.models.marker_set import marker_points
from strut.models.skeleton import skeleton, skeleton_points
from strut.models.solids import Solid, solid_poses, solids
from strut.motion import Motion
from strut.robot import Robot
from strut.study.design.controls import posture_matched, speed_matched
from strut.study.design.design import Design, Display, StimulusEntry
from strut.study.design.light_controls import LIGHT_CONTROLS, light_control, upside_down
from strut.study.design.trial_plan import view_azimuths
from strut.study.stimuli.seamless_loop import find_cycle

RATE_HZ = 30.0  # of what is sent; the page draws at the rate of the screen and interpolates
ASPECT = 4.0 / 3.0  # width over height of the picture
_MARGIN = 1.08  # room around the largest movement
_DRAWN = ("box", "capsule", "sphere")  # others are drawn as the outline of their points
_AROUND = 32  # points of a part that is no box, capsule or sphere
OnStimulus = Callable[[int, int], None]
_UNIT = 4000  # picture units from the middle to the upper edge; coordinates are sent as whole numbers


@dataclass(frozen=True, slots=True, eq=False)
class Stimulus:
    """A motion as a picture that moves.

    Args:
        name: Its name in the design, which participants never see.
        intended: The emotion it is meant to show.
        points: Picture coordinates, right and down, 1 is half the picture's height. Shape (T, n, 2).
        depth: How far behind the picture's middle each point is [m]. Shape (T, n).
        bones: Which points a stick joins.
        shapes: Solid parts: kind (`hull`: the outline of its points), first point, how many points, radius in picture
            units, colour.
        grid: Lines on the ground in picture coordinates: x, y, x, y. Shape (m, 4).
        view: From which of the sides of `trial_plan.view_azimuths` it is seen.
    """

    name: str
    intended: str
    points: Array
    depth: Array
    bones: tuple[tuple[int, int], ...]
    shapes: tuple[dict[str, Any], ...]
    grid: Array
    view: int = 0

    def payload(self, display: Display) -> dict[str, Any]:
        """Return what the page draws it from: nothing in it tells what is intended."""
        table: dict[str, Any] = {
            "kind": display.kind,
            "rate_hz": RATE_HZ,
            "unit": _UNIT,
            "aspect": ASPECT,
            "frames": len(self.points),
            "points": self.points.shape[1],
            "xy": np.rint(self.points * _UNIT).astype(int).ravel().tolist(),
            "grid": np.rint(self.grid * _UNIT).astype(int).tolist(),
        }
        if display.kind == "sticks":
            table["bones"] = [list(bone) for bone in self.bones]
        if display.kind == "solid":
            table["shapes"] = list(self.shapes)
            table["depth"] = np.rint(self.depth * 1000).astype(int).ravel().tolist()
        return table

    def digest(self, display: Display) -> str:
        """Return 24 hexadecimal digits that tell nothing and change with the picture."""
        told = (display.kind, self.bones, self.shapes, self.name, self.view)  # names keep equal pictures apart
        picture = b"".join(array.tobytes() for array in (self.points, self.depth, self.grid))
        return hashlib.sha256(repr(told).encode() + picture).hexdigest()[:24]


def load_stimuli(design: Design, on_stimulus: OnStimulus = lambda _done, _total: None) -> tuple[Stimulus, ...]:
    """Return all stimuli of a study, practice last, from every side that the display has.

    A missing, damaged or too short motion raises with the stimulus's name; `on_stimulus` is told how many are read.
    """
    display = design.display
    entries = design.shown
    motions = {}
    for done, entry in enumerate(entries, start=1):
        motions[entry.name] = _motion(design, entry)
        on_stimulus(done, 2 * len(entries))
    robots = {name: robot_of(motion) for name, motion in motions.items()}
    shown = {entry.name: _controlled(design, entry, motions, robots[entry.name]) for entry in entries}
    seconds = _seconds(shown, display)
    clips = {}
    for done, (name, motion) in enumerate(shown.items(), start=1):
        clips[name] = _clip(name, motion, robots[name], display, seconds)
        on_stimulus(len(entries) + done, 2 * len(entries))
    axes = _views(display)
    stage = _stage([(clips[name], _reach_m(robots[name], display)) for name in clips], axes)
    grids = [_grid(display, view, *stage) for view in axes]
    return tuple(
        _seen(design, entry, robots[entry.name], clips[entry.name] @ view.T, stage, grids[number], number)
        for entry in entries
        for number, view in enumerate(axes)
    )


def _views(display: Display) -> list[Array]:
    """Return the axes of the camera for every side from which stimuli are seen. Shapes (3, 3)."""
    azimuths = view_azimuths(display.azimuth_deg, display.azimuth_spread_deg)
    return [display_axes(structs.replace(display, azimuth_deg=azimuth)) for azimuth in azimuths]


def _seen(
    design: Design,
    entry: StimulusEntry,
    robot: Robot,
    points: Array,
    stage: tuple[Array, float],
    grid: Array,
    view: int,
) -> Stimulus:
    """Return a stimulus from one side: its points in camera axes (T, n, 3), on a stage of middle and scale."""
    middle, scale = stage
    return Stimulus(
        name=entry.name,
        intended=entry.intended,
        points=_lights(design, entry, (points[..., :2] - middle) * scale),
        depth=points[..., 2],
        bones=skeleton(robot).bones,
        shapes=_shapes(robot, scale) if design.display.kind == "solid" else (),
        grid=upside_down(grid.reshape(-1, 2)).reshape(-1, 4) if entry.control == "inverted" else grid,
        view=view,
    )


def _lights(design: Design, entry: StimulusEntry, points: Array) -> Array:
    """Return the lights of a stimulus, put elsewhere by lot where it is a control of point lights."""
    lot = [design.seed, zlib.crc32(entry.name.encode())]
    return light_control(points, entry.control, np.random.default_rng(lot), aspect=ASPECT)


def stimuli_fingerprint(design: Design, stimuli: tuple[Stimulus, ...]) -> str:
    """Return sixteen hexadecimal digits that change when the design or anything shown changes.

    Other sides of a motion change with the design or with the first side, so that only the first is read.
    """
    first = [stimulus for stimulus in stimuli if not stimulus.view]
    shown = json.dumps([stimulus.payload(design.display) for stimulus in first], sort_keys=True)
    return hashlib.sha256((design.fingerprint + shown).encode()).hexdigest()[:16]


def display_axes(display: Display) -> Array:
    """Return right, down and away of the camera in world. Shape (3, 3).

    Azimuth 0 looks at the body from ahead, 45 from ahead and its right, 90 from its right.
    """
    azimuth = -np.radians(display.azimuth_deg)
    elevation = np.radians(display.elevation_deg)
    level = np.cos(elevation)
    towards_eye = np.array([level * np.cos(azimuth), level * np.sin(azimuth), np.sin(elevation)])
    right = np.array([-np.sin(azimuth), np.cos(azimuth), 0.0])
    return np.stack([right, np.cross(-towards_eye, right), -towards_eye])


def _motion(design: Design, entry: StimulusEntry) -> Motion:
    try:
        return load_motion(design.folder / entry.file)
    except StrutError as error:
        raise StudyError(f"Stimulus {entry.name}: {error}") from error


def _controlled(design: Design, entry: StimulusEntry, motions: dict[str, Motion], robot: Robot) -> Motion:
    """Return the motion itself, or the control that is made of it and a neutral one."""
    motion = motions[entry.name]
    if entry.control == "none" or entry.control in LIGHT_CONTROLS:
        return motion
    neutral = [
        motions[other.name]
        for other in design.stimuli
        if other.intended == "neutral" and other.control == "none" and motions[other.name].robot == motion.robot
    ]
    if not neutral:
        raise StudyError(f"Stimulus {entry.name} is a control, so the study needs a neutral motion of {motion.robot}.")
    speed = entry.control == "speed-matched"
    return speed_matched(motion, neutral[0]) if speed else posture_matched(motion, neutral[0], robot)


def _seconds(shown: dict[str, Motion], display: Display) -> float:
    """Return how long all motions are shown; one that is too short raises."""
    seconds = display.seconds or min(motion.duration_s for motion in shown.values())
    for name, motion in shown.items():
        if motion.duration_s + 1e-9 < seconds and not display.loop:
            raise StudyError(
                f"Stimulus {name} lasts {motion.duration_s:.2f} s, less than the {seconds:g} s of the display; "
                "plan more cycles or lower display.seconds."
            )
    return seconds


def _clip(name: str, motion: Motion, robot: Robot, display: Display, seconds: float) -> Array:
    """Return what is drawn of a motion's middle part, or of its repeated cycle, at the rate sent. Shape (T, n, 3)."""
    start = motion.time_s[0] + (motion.duration_s - seconds) / 2.0
    time_s = start + np.arange(round(seconds * RATE_HZ) + 1) / RATE_HZ
    first, last = np.searchsorted(motion.time_s, time_s[[0, -1]])
    part = slice(None) if display.loop else slice(max(0, first - 1), last + 2)  # what is not shown is not drawn
    known_s = motion.time_s[part]
    qpos = motion.qpos[part]
    base = np.zeros((len(qpos), 1, 3))
    travels = min(2, robot.base_size)  # a body that is bolted down stays at the origin
    base[:, 0, :travels] = qpos[:, :travels]
    drawn = _drawn_points(robot, qpos, display)
    if display.loop:
        posture, way = find_cycle(name, known_s, drawn - base, base[:, 0]).at(time_s)
        base = way[:, None]
        points = posture + base
    else:
        columns = np.concatenate([base, drawn], axis=1).reshape(len(drawn), -1)
        sampled = columns_at(time_s, known_s, columns)
        base, points = np.split(sampled.reshape(len(time_s), -1, 3), [1], axis=1)
    # walks are shown about their middle, wherever they took place
    return np.asarray(points - (base if display.camera == "follow" else base.mean(axis=0)))


def _stage(clips: list[tuple[Array, Array]], axes: list[Array]) -> tuple[Array, float]:
    """Return the middle and the scale [picture units per metre] at which everything just fits. Shape (2,).

    Clips are points in world (T, n, 3) and how far what is drawn reaches around each (n, 1); axes those of the cameras.
    """
    extents = [_extent(points @ view.T, reach) for points, reach in clips for view in axes]
    low = np.min([ends[0] for ends in extents], axis=0)
    high = np.max([ends[1] for ends in extents], axis=0)
    half = (high - low) / 2.0 * _MARGIN
    return (low + high) / 2.0, float(1.0 / max(half[1], half[0] / ASPECT, 1e-6))


def _extent(points: Array, reach: Array) -> tuple[Array, Array]:
    """Return the lowest and highest picture coordinates of points in camera axes (T, n, 3) with what is around them."""
    flat = points[..., :2]
    return (flat - reach).min(axis=(0, 1)), (flat + reach).max(axis=(0, 1))


def _grid(display: Display, view: Array, middle: Array, scale: float) -> Array:
    """Return lines on the ground, squares of 1 m or, where those are too large to see, a quarter of it.

    `view` are the axes of the camera. Shape (3, 3).
    """
    if display.camera != "fixed":
        return np.zeros((0, 4))
    square = 1.0 if 1.0 * scale < 1.0 else 0.25
    squares = int(np.ceil(0.8 * ASPECT / scale / square))  # a floor about as wide as the picture, not a wall of lines
    reach = square * squares
    ends = [((step * square, -reach, 0.0), (step * square, reach, 0.0)) for step in range(-squares, squares + 1)]
    ends += [((a[1], a[0], 0.0), (b[1], b[0], 0.0)) for a, b in ends]
    projected = (np.array(ends) @ view.T)[..., :2]
    return np.asarray(((projected - middle) * scale).reshape(-1, 4))


def _drawn_points(robot: Robot, qpos: Array, display: Display) -> Array:
    """Return what is drawn of a body in world. Shape (T, nq) in, (T, n, 3) out."""
    if display.kind == "solid":
        position, rotation = solid_poses(robot, qpos)
        turned = [np.einsum("tij,cj->tci", rotation[:, k], _corners(part)) for k, part in enumerate(solids(robot))]
        return np.concatenate([position[:, k, None] + points for k, points in enumerate(turned)], axis=1)
    if display.lights == "joints":
        return skeleton_points(robot, qpos)
    if robot.tables.markers is None:
        raise StudyError(f'{robot.name} has no marker set (markers.toml in its folder); write lights = "joints".')
    return marker_points(robot, qpos)


def _reach_m(robot: Robot, display: Display) -> Array:
    """Return the radius of the round parts around their points, 0 for corners and lights. Shape (n, 1) or (1, 1)."""
    if display.kind != "solid":
        return np.zeros((1, 1))
    radii = [[_rounding_m(solid)] * len(_corners(solid)) for solid in solids(robot)]
    return np.concatenate(radii)[:, None]


def _corners(solid: Solid) -> Array:
    """Return the ends of a capsule, the centre of a sphere, else points whose convex hull is the part. Shape (n, 3)."""
    if solid.kind == "sphere":
        return np.zeros((1, 3))
    if solid.kind == "capsule":
        return np.array([[0.0, 0.0, -solid.size_m[1]], [0.0, 0.0, solid.size_m[1]]])
    if solid.kind == "box":
        return np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * solid.size_m
    if solid.kind == "cylinder":
        turn = np.arange(_AROUND) * 4.0 * np.pi / _AROUND
        ends = np.repeat([-1.0, 1.0], _AROUND // 2)
        return np.stack([np.cos(turn), np.sin(turn), ends], axis=1) * solid.size_m[[0, 0, 1]]
    turn = np.arange(_AROUND) * np.pi * (3.0 - np.sqrt(5.0))
    height = np.linspace(-1.0, 1.0, _AROUND)
    ring = np.sqrt(1.0 - height**2)
    directions = np.stack([ring * np.cos(turn), ring * np.sin(turn), height], axis=1)  # evenly over a sphere
    if solid.mesh is None:
        return directions * solid.size_m
    return np.asarray(solid.mesh.vertices[np.unique(np.argmax(solid.mesh.vertices @ directions.T, axis=0))])


def _rounding_m(solid: Solid) -> float:
    """Return how far a part goes beyond its corners: the radius of a sphere or a capsule, else 0."""
    return float(solid.size_m[0]) if solid.kind in ("sphere", "capsule") else 0.0


def _shapes(robot: Robot, scale: float) -> tuple[dict[str, Any], ...]:
    """Return the solid parts as `Stimulus.shapes` describes them."""
    shapes = []
    first = 0
    for solid in solids(robot):
        kind = solid.kind if solid.kind in _DRAWN else "hull"
        count = len(_corners(solid))
        radius = _rounding_m(solid) * scale * _UNIT
        shapes.append({"kind": kind, "first": first, "count": count, "radius": radius, "color": solid.color[:3]})
        first += count
    return tuple(shapes)
