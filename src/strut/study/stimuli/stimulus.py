"""Stimulus: a motion as participants see it, with the same length, view and scale as all others of the study."""

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
from strut.maths.sampling import interpolate_columns
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

RATE_HZ = 30.0  # sampling rate of the data sent; the page interpolates to the rate of the screen
ASPECT = 4.0 / 3.0  # width over height of the picture
_MARGIN = 1.08  # room around the largest movement
_DRAWN = ("box", "capsule", "sphere")  # other solids are drawn as the convex hull of their points
_HULL_POINTS = 32  # of a solid that is no box, capsule or sphere
OnStimulus = Callable[[int, int], None]
_UNIT = 4000  # picture units from the middle to the upper edge; coordinates are sent as whole numbers


@dataclass(frozen=True, slots=True, eq=False)
class Stimulus:
    """A motion as a moving picture.

    Args:
        name: Its name in the design, which participants never see.
        intended: The emotion it is meant to express.
        points: Picture coordinates, right and down, 1 is half the picture's height. Shape (T, n, 2).
        depth: Distance of each point behind the picture's middle [m]. Shape (T, n).
        bones: Pairs of points that a stick joins.
        shapes: Solids: kind (`hull`: the convex hull of its points), first point, number of points, radius in picture
            units, colour.
        grid: Lines on the ground in picture coordinates: x, y, x, y. Shape (m, 4).
        view: Index of its azimuth in `trial_plan.view_azimuths`.
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
        """Return the data for the page; nothing in them reveals what is intended."""
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
        """Return 24 hexadecimal digits that reveal nothing and change with the picture."""
        identity = (display.kind, self.bones, self.shapes, self.name, self.view)  # equal pictures differ in name
        picture = b"".join(array.tobytes() for array in (self.points, self.depth, self.grid))
        return hashlib.sha256(repr(identity).encode() + picture).hexdigest()[:24]


def load_stimuli(design: Design, on_stimulus: OnStimulus = lambda _done, _total: None) -> tuple[Stimulus, ...]:
    """Return all stimuli of a study, practice last, from every azimuth of the display.

    A missing, damaged or too short motion raises StudyError with the stimulus's name; `on_stimulus` is called with the
    number of steps done and of all.
    """
    display = design.display
    entries = design.shown
    motions = {}
    for done, entry in enumerate(entries, start=1):
        motions[entry.name] = _motion(design, entry)
        on_stimulus(done, 2 * len(entries))
    robots = {name: robot_of(motion) for name, motion in motions.items()}
    controlled = {entry.name: _controlled(design, entry, motions, robots[entry.name]) for entry in entries}
    seconds = _seconds(controlled, display)
    clips = {}
    for done, (name, motion) in enumerate(controlled.items(), start=1):
        clips[name] = _clip(name, motion, robots[name], display, seconds)
        on_stimulus(len(entries) + done, 2 * len(entries))
    azimuths = view_azimuths(display.azimuth_deg, display.azimuth_spread_deg)
    axes = [display_axes(structs.replace(display, azimuth_deg=azimuth)) for azimuth in azimuths]
    picture = _picture_frame([(clips[name], _radius_m(robots[name], display)) for name in clips], axes)
    grids = [_grid(display, view, *picture) for view in axes]
    return tuple(
        _stimulus(design, entry, robots[entry.name], clips[entry.name] @ view.T, picture, grids[number], number)
        for entry in entries
        for number, view in enumerate(axes)
    )


def _stimulus(
    design: Design,
    entry: StimulusEntry,
    robot: Robot,
    points: Array,
    picture: tuple[Array, float],
    grid: Array,
    view: int,
) -> Stimulus:
    """Return a stimulus from its points in camera axes (T, n, 3) and the middle and scale of the picture."""
    middle, scale = picture
    rng = np.random.default_rng([design.seed, zlib.crc32(entry.name.encode())])
    return Stimulus(
        name=entry.name,
        intended=entry.intended,
        points=light_control((points[..., :2] - middle) * scale, entry.control, rng, aspect=ASPECT),
        depth=points[..., 2],
        bones=skeleton(robot).bones,
        shapes=_shapes(robot, scale) if design.display.kind == "solid" else (),
        grid=upside_down(grid.reshape(-1, 2)).reshape(-1, 4) if entry.control == "inverted" else grid,
        view=view,
    )


def stimuli_fingerprint(design: Design, stimuli: tuple[Stimulus, ...]) -> str:
    """Return sixteen hexadecimal digits that change when the design or anything shown changes.

    Only the first azimuth is read, because the others change with it or with the design.
    """
    first = [stimulus for stimulus in stimuli if not stimulus.view]
    shown = json.dumps([stimulus.payload(design.display) for stimulus in first], sort_keys=True)
    return hashlib.sha256((design.fingerprint + shown).encode()).hexdigest()[:16]


def display_axes(display: Display) -> Array:
    """Return the axes right, down and away of the camera in world. Shape (3, 3).

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
    """Return the motion, or the control made from it and the neutral motion."""
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
    is_speed = entry.control == "speed-matched"
    return speed_matched(motion, neutral[0]) if is_speed else posture_matched(motion, neutral[0], robot)


def _seconds(motions: dict[str, Motion], display: Display) -> float:
    """Return how long all motions are shown [s]; raise StudyError if one is too short."""
    seconds = display.seconds or min(motion.duration_s for motion in motions.values())
    for name, motion in motions.items():
        if motion.duration_s + 1e-9 < seconds and not display.loop:
            raise StudyError(
                f"Stimulus {name} lasts {motion.duration_s:.2f} s, less than the {seconds:g} s of the display; "
                "plan more cycles or lower display.seconds."
            )
    return seconds


def _clip(name: str, motion: Motion, robot: Robot, display: Display, seconds: float) -> Array:
    """Return the points of the middle of a motion, or of its repeated cycle, at `RATE_HZ`. Shape (T, n, 3)."""
    start = motion.time_s[0] + (motion.duration_s - seconds) / 2.0
    time_s = start + np.arange(round(seconds * RATE_HZ) + 1) / RATE_HZ
    first, last = np.searchsorted(motion.time_s, time_s[[0, -1]])
    part = slice(None) if display.loop else slice(max(0, first - 1), last + 2)  # only what is shown is computed
    known_s = motion.time_s[part]
    qpos = motion.qpos[part]
    base = np.zeros((len(qpos), 1, 3))
    travels = min(2, robot.base_size)  # a fixed base stays at the origin
    base[:, 0, :travels] = qpos[:, :travels]
    drawn = _drawn_points(robot, qpos, display)
    if display.loop:
        posture, path = find_cycle(name, known_s, drawn - base, base[:, 0]).at(time_s)
        base = path[:, None]
        points = posture + base
    else:
        columns = np.concatenate([base, drawn], axis=1).reshape(len(drawn), -1)
        sampled = interpolate_columns(time_s, known_s, columns)
        base, points = np.split(sampled.reshape(len(time_s), -1, 3), [1], axis=1)
    # walks are shown about their middle, whatever their position in world
    return np.asarray(points - (base if display.camera == "follow" else base.mean(axis=0)))


def _picture_frame(clips: list[tuple[Array, Array]], axes: list[Array]) -> tuple[Array, float]:
    """Return the middle (2,) and the scale [picture units per metre] at which all clips fit into the picture.

    A clip is its points in world (T, n, 3) and the radius drawn around each point (n, 1); `axes` are those of the
    cameras.
    """
    extents = [_extent(points @ view.T, radius) for points, radius in clips for view in axes]
    low = np.min([ends[0] for ends in extents], axis=0)
    high = np.max([ends[1] for ends in extents], axis=0)
    half = (high - low) / 2.0 * _MARGIN
    return (low + high) / 2.0, float(1.0 / max(half[1], half[0] / ASPECT, 1e-6))


def _extent(points: Array, radius: Array) -> tuple[Array, Array]:
    """Return the lowest and highest picture coordinates of points in camera axes (T, n, 3) with their radii (n, 1)."""
    flat = points[..., :2]
    return (flat - radius).min(axis=(0, 1)), (flat + radius).max(axis=(0, 1))


def _grid(display: Display, view: Array, middle: Array, scale: float) -> Array:
    """Return lines on the ground: squares of 1 m, or of 0.25 m if those are larger than half the picture.

    `view` are the axes of the camera. Shape (3, 3).
    """
    if display.camera != "fixed":
        return np.zeros((0, 4))
    square = 1.0 if 1.0 * scale < 1.0 else 0.25
    squares = int(np.ceil(0.8 * ASPECT / scale / square))  # a floor about as wide as the picture
    reach = square * squares
    ends = [((step * square, -reach, 0.0), (step * square, reach, 0.0)) for step in range(-squares, squares + 1)]
    ends += [((a[1], a[0], 0.0), (b[1], b[0], 0.0)) for a, b in ends]
    projected = (np.array(ends) @ view.T)[..., :2]
    return np.asarray(((projected - middle) * scale).reshape(-1, 4))


def _drawn_points(robot: Robot, qpos: Array, display: Display) -> Array:
    """Return the points that are drawn of a body, in world. Shape (T, nq) in, (T, n, 3) out."""
    if display.kind == "solid":
        position, rotation = solid_poses(robot, qpos)
        turned = [np.einsum("tij,cj->tci", rotation[:, k], _corners(part)) for k, part in enumerate(solids(robot))]
        return np.concatenate([position[:, k, None] + points for k, points in enumerate(turned)], axis=1)
    if display.lights == "joints":
        return skeleton_points(robot, qpos)
    if robot.tables.markers is None:
        raise StudyError(f'{robot.name} has no marker set (markers.toml in its folder); write lights = "joints".')
    return marker_points(robot, qpos)


def _radius_m(robot: Robot, display: Display) -> Array:
    """Return the radius of round solids around their points, 0 for corners and lights. Shape (n, 1) or (1, 1)."""
    if display.kind != "solid":
        return np.zeros((1, 1))
    radii = [[_rounding_m(solid)] * len(_corners(solid)) for solid in solids(robot)]
    return np.concatenate(radii)[:, None]


def _corners(solid: Solid) -> Array:
    """Return the ends of a capsule, the centre of a sphere, else points whose hull is the solid. Shape (n, 3)."""
    if solid.kind == "sphere":
        return np.zeros((1, 3))
    if solid.kind == "capsule":
        return np.array([[0.0, 0.0, -solid.size_m[1]], [0.0, 0.0, solid.size_m[1]]])
    if solid.kind == "box":
        return np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * solid.size_m
    if solid.kind == "cylinder":
        turn = np.arange(_HULL_POINTS) * 4.0 * np.pi / _HULL_POINTS
        ends = np.repeat([-1.0, 1.0], _HULL_POINTS // 2)
        return np.stack([np.cos(turn), np.sin(turn), ends], axis=1) * solid.size_m[[0, 0, 1]]
    turn = np.arange(_HULL_POINTS) * np.pi * (3.0 - np.sqrt(5.0))
    height = np.linspace(-1.0, 1.0, _HULL_POINTS)
    ring = np.sqrt(1.0 - height**2)
    directions = np.stack([ring * np.cos(turn), ring * np.sin(turn), height], axis=1)  # evenly spaced on a sphere
    if solid.mesh is None:
        return directions * solid.size_m
    return np.asarray(solid.mesh.vertices[np.unique(np.argmax(solid.mesh.vertices @ directions.T, axis=0))])


def _rounding_m(solid: Solid) -> float:
    """Return the radius of a sphere or a capsule [m], else 0."""
    return float(solid.size_m[0]) if solid.kind in ("sphere", "capsule") else 0.0


def _shapes(robot: Robot, scale: float) -> tuple[dict[str, Any], ...]:
    """Return the solids in the form of `Stimulus.shapes`."""
    shapes = []
    first = 0
    for solid in solids(robot):
        kind = solid.kind if solid.kind in _DRAWN else "hull"
        count = len(_corners(solid))
        radius = _rounding_m(solid) * scale * _UNIT
        shapes.append({"kind": kind, "first": first, "count": count, "radius": radius, "color": solid.color[:3]})
        first += count
    return tuple(shapes)
