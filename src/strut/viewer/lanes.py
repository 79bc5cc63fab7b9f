"""Lanes: motions side by side in a scene of the browser, each in its lane, moved frame by frame."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.spatial.transform import Rotation

from strut.arrays import Array
from strut.models.solid_mesh import MAX_FACES, simplify_solids, solid_mesh
from strut.models.solids import Mesh
from strut.viewer.camera import view_axes
from strut.viewer.floor import POLYGON_COLOR, SPOT_COLORS, SPOT_SIZES, grid_step_m
from strut.viewer.footage import Footage, SideBySide, footage, nearest_samples
from strut.viewer.loop import repeated
from strut.viewer.scene import Scene

VIEW_RAD = np.deg2rad(24.0)
WIDE_VIEW_RAD = np.deg2rad([-14.0, 24.0])  # azimuth and elevation, across the lanes
NARROW_VIEW_RAD = np.deg2rad([-52.0, 38.0])  # the same along the lanes, for windows that are higher than wide
LABEL_SHARE = 0.11  # height of a name over the size of the robot, half of it for long names
LETTER_WIDTH = 0.6  # over the height of a name
_GRAIN = 2.0**-15  # metres; smaller movements are invisible, and are not sent to save space
_DOT_CORNERS = 24


@dataclass(frozen=True, slots=True, eq=False)
class _Lane:
    """One motion in the scene.

    Args:
        name: Of its frame in the scene.
        film: Its footage, F frames.
        groups: Parts that move together; the first is the leader.
        position_m: Rounded positions of the leaders in the lane. Shape (F, g, 3).
        wxyz: Their rounded rotations. Shape (F, g, 4).
        label_m: Positions of its label, above the body. Shape (F, 3).
        n_corners: Largest number of corners of its support polygon.
    """

    name: str
    film: Footage
    groups: list[list[int]]
    position_m: Array
    wxyz: Array
    label_m: Array
    n_corners: int


class Stage:
    """Motions side by side in a scene. `go_to` moves all of them to a frame and sends only the changes.

    Attributes:
        is_simplified: Whether a body's meshes were reduced for the browser.
    """

    def __init__(
        self, scene: Scene, shown: SideBySide, times_s: Array, *, aspect: float, narrow_aspect: float | None = None
    ) -> None:
        """Build the lanes.

        Args:
            scene: The scene.
            shown: The motions; shorter ones are continued from their end.
            times_s: Times of the frames since the start. Shape (F,).
            aspect: Width over height of the window, for the first view.
            narrow_aspect: The same for a phone, which is higher than wide; None if there is no second view.
        """
        self._scene = scene
        self.is_simplified = False
        labels = shown.labels
        films = []
        for motion, robot in shown.pairs:
            longer = repeated(motion, robot, float(times_s.max()))
            film = footage(longer, robot, nearest_samples(longer, times_s), look=shown.look)
            films.append(replace(film, solids=simplify_solids(film.solids, MAX_FACES)))
            self.is_simplified |= films[-1].solids != film.solids
        some = slice(None, None, max(1, len(times_s) // 50))
        corners = [film.corners_in_world(some).reshape(-1, 3) for film in films]
        width_m = max(float(np.ptp(points[:, 1])) for points in corners)
        self._size_m = max(float(np.linalg.norm(np.ptp(film.corners_in_world(slice(1))[0], axis=0))) for film in films)
        longest = max(len(label) for label in labels)
        self._label_m = min(LABEL_SHARE, max(LABEL_SHARE / 2.0, 1.4 * width_m / self._size_m / longest)) * self._size_m
        apart_m = max(1.12 * width_m, LETTER_WIDTH * longest * self._label_m)  # or names would run into each other
        self._lanes = []
        points = []
        for index, (film, label, robot) in enumerate(zip(films, labels, shown.robots, strict=True)):
            middle = film.base_in_world[:, :2].min(axis=0) / 2.0 + film.base_in_world[:, :2].max(axis=0) / 2.0
            aside_m = (index - (len(films) - 1) / 2.0) * apart_m
            offset = np.array([-middle[0], aside_m - middle[1], 0.0])
            lane = _lane(f"/{index}_{_plain(label)}", film, len(robot.point_feet))
            scene.add_frame(lane.name)
            scene.place(lane.name, offset)
            self._build(lane)
            scene.add_label(f"{lane.name}/label", label, height_m=self._label_m)
            points += [corners[index] + offset, lane.label_m + np.array([0.0, 0.0, self._label_m]) + offset]
            self._lanes.append(lane)
        self._frame_all(np.concatenate(points), aspect, narrow_aspect)
        self._at = -1
        self.go_to(0)

    def go_to(self, frame: int) -> None:
        """Show a frame."""
        if frame == self._at:
            return
        for lane in self._lanes:
            self._move_body(lane, frame)
            self._move_marks(lane, frame)
        self._at = frame

    def _build(self, lane: _Lane) -> None:
        scene = self._scene
        film = lane.film
        for group, members in enumerate(lane.groups):
            frame = f"{lane.name}/body_{group}"
            scene.add_frame(frame)
            to_leader = film.solid_to_world[0, members[0]].T
            for index in members:
                solid = film.solids[index]
                mesh = solid_mesh(film.solids[index])
                turn = to_leader @ film.solid_to_world[0, index]
                shift = to_leader @ (film.centre_in_world[0, index] - film.centre_in_world[0, members[0]])
                red, green, blue, opacity = solid.color
                scene.add_mesh(
                    f"{frame}/part_{index}",
                    mesh.vertices @ turn.T + shift,
                    mesh.faces,
                    color=(red, green, blue),
                    opacity=opacity,
                    smooth=solid.kind not in ("box", "cylinder"),
                )
        if lane.n_corners:
            fan = np.array([[0, k, k + 1] for k in range(1, lane.n_corners - 1)])
            polygon = Mesh(np.zeros((lane.n_corners, 3)), fan)
            self._add_mark(f"{lane.name}/support_polygon", polygon, POLYGON_COLOR, 0.35)
        for spot in film.spots:
            disc = _disc(0.017 * SPOT_SIZES[spot] * self._size_m)
            self._add_mark(f"{lane.name}/{_plain(spot)}", disc, SPOT_COLORS[spot], 1.0)

    def _add_mark(self, name: str, mesh: Mesh, color: tuple[float, float, float], opacity: float) -> None:
        self._scene.add_mesh(name, mesh.vertices, mesh.faces, color=color, opacity=opacity, smooth=False, shadow=False)

    def _move_body(self, lane: _Lane, frame: int) -> None:
        for group in range(len(lane.groups)):
            position = lane.position_m[frame, group]
            wxyz = lane.wxyz[frame, group]
            if self._at >= 0:
                same_place = np.array_equal(position, lane.position_m[self._at, group])
                if same_place and np.array_equal(wxyz, lane.wxyz[self._at, group]):
                    continue
            self._scene.place(f"{lane.name}/body_{group}", position, wxyz)

    def _move_marks(self, lane: _Lane, frame: int) -> None:
        label_m = lane.label_m[frame]
        if self._at < 0 or not np.array_equal(label_m, lane.label_m[self._at]):
            self._scene.place(f"{lane.name}/label", label_m)
        polygon = lane.film.polygons[frame]
        if lane.n_corners and (self._at < 0 or polygon is not lane.film.polygons[self._at]):
            name = f"{lane.name}/support_polygon"
            if polygon is not None:
                padded = np.concatenate([polygon.corners, np.repeat(polygon.corners[-1:], lane.n_corners, axis=0)])
                lifted = np.full((lane.n_corners, 1), 0.002 * self._size_m)  # above the floor, which would hide it
                self._scene.reshape(name, np.concatenate([padded[: lane.n_corners], lifted], axis=1))
            self._scene.show(name, polygon is not None)
        for spot, point_m in lane.film.spots_at(frame).items():
            lifted_m = (0.007 - 0.003 * SPOT_SIZES[spot]) * self._size_m  # the smaller spot lies on the larger
            self._scene.place(f"{lane.name}/{_plain(spot)}", np.array([*_round_to_grain(point_m), lifted_m]))

    def _frame_all(self, points_in_world: Array, aspect: float, narrow_aspect: float | None) -> None:
        """Place the camera so that it sees all points (n, 3), and the floor below them."""
        low = points_in_world.min(axis=0)
        high = points_in_world.max(axis=0)
        middle = (low + high) / 2.0

        def eye(axes: Array, aspect: float) -> Array:
            across, down, ahead = axes @ (points_in_world - middle).T
            slope = np.tan(VIEW_RAD / 2.0) / 1.12  # a margin around
            distance_m = float(np.max(np.maximum(np.abs(across) / aspect, np.abs(down)) / slope - ahead))
            return np.asarray(middle - distance_m * axes[2])

        narrow = None if narrow_aspect is None else eye(view_axes(*NARROW_VIEW_RAD), narrow_aspect)
        self._scene.look(
            eye_in_world=eye(view_axes(*WIDE_VIEW_RAD), aspect),
            target_in_world=middle,
            view_rad=VIEW_RAD,
            narrow_eye_in_world=narrow,
        )
        size_m = 1.3 * float(np.max((high - low)[:2])) + self._size_m
        self._scene.add_ground(middle_in_world=middle[:2], size_m=size_m, cell_m=grid_step_m(2.0 * self._size_m))


def moving_groups(film: Footage) -> list[list[int]]:
    """Return the parts in groups that move as one body and need one pose; balls may spin in their group."""
    order = sorted(range(len(film.solids)), key=lambda index: film.solids[index].kind == "sphere")
    groups: list[list[int]] = []
    for index in order:
        for members in groups:
            to_leader = np.swapaxes(film.solid_to_world[:, members[0]], -1, -2)
            away = film.centre_in_world[:, index] - film.centre_in_world[:, members[0]]
            fixed = np.ptp(np.einsum("fij,fj->fi", to_leader, away), axis=0).max() < _GRAIN
            turned = np.ptp(to_leader @ film.solid_to_world[:, index], axis=0).max() > _GRAIN
            if fixed and (film.solids[index].kind == "sphere" or not turned):
                members.append(index)
                break
        else:
            groups.append([index])
    return groups


def _lane(name: str, film: Footage, n_points: int) -> _Lane:
    groups = moving_groups(film)
    leaders = [members[0] for members in groups]
    rotation = film.solid_to_world[:, leaders]
    xyzw = Rotation.from_matrix(rotation.reshape(-1, 3, 3)).as_quat().reshape(*rotation.shape[:2], 4)
    position = _round_to_grain(film.centre_in_world[:, leaders])
    label = np.round(film.base_in_world, 2)  # steps that are hardly visible, so that it is seldom sent
    top_m = film.corners_in_world(slice(None, None, max(1, len(label) // 50)))[..., 2].max()
    label[:, 2] = top_m + 0.15 * np.linalg.norm(np.ptp(film.centre_in_world[0], axis=0))
    n_corners = n_points if n_points > 2 else 0
    return _Lane(name, film, groups, position, _round_to_grain(xyzw[..., [3, 0, 1, 2]]), label, n_corners)


def _round_to_grain(values: Array) -> Array:
    """Return values on a binary grid: their last bits are zero, which compresses well."""
    return np.asarray(np.round(values / _GRAIN) * _GRAIN)


def _disc(radius_m: float) -> Mesh:
    angle = np.arange(_DOT_CORNERS) * 2.0 * np.pi / _DOT_CORNERS
    rim = np.stack([radius_m * np.cos(angle), radius_m * np.sin(angle), np.zeros_like(angle)], axis=1)
    faces = [[0, 1 + k, 1 + (k + 1) % _DOT_CORNERS] for k in range(_DOT_CORNERS)]
    return Mesh(np.concatenate([np.zeros((1, 3)), rim]), np.array(faces))


def _plain(text: str) -> str:
    """Return a name that is valid in the tree of a scene."""
    return "".join(letter if letter.isalnum() else "_" for letter in text)
