"""Label order: markers that carry each other's names over a whole recording.

A fit hides such an exchange: it moves the joint to where the marker is. But the body shows it before any fit: averaged
over a recording, the vector from one marker to another points about where it points on a standing person, whether a
knee is bent or not. Between exchanged names it points the opposite way. In 50 recordings of walking, running and
turning no vector is more than 105 degrees off; between exchanged markers of one leg it is at least 150.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from strut.arrays import Array
from strut.mocap.marker_fit.body_geometry import body_points, place_points, pose_body
from strut.mocap.marker_fit.body_priors import human_geometry, pose_prior
from strut.mocap.markers.marker_checks import MarkerFault
from strut.mocap.markers.marker_set import Landmark
from strut.recording import Recording
from strut.robot import BASE

OPPOSITE = -0.5  # cosine: a vector farther than 120 degrees from its direction on a standing person is reversed
MIN_APART = 0.03  # of body height; closer markers have no certain direction
# Of its mean length: a vector whose mean is shorter has no direction, because the walker turned round. Vectors between
# both feet swing, and keep 0.4 of it.
STEADY = 0.2
FRAMES = 200  # at most, evenly spread; several strides need no more
MAX_EXCHANGES = 4  # that are reported; more mean that the markers are those of another set


def find_exchanged_labels(
    recording: Recording, landmarks: Mapping[str, Landmark], labels: Mapping[str, str]
) -> tuple[MarkerFault, ...]:
    """Return pairs of markers that carry each other's names from the first frame to the last.

    Args:
        recording: In our axes, markers named by landmark.
        landmarks: By name.
        labels: Name of each landmark in the file.
    """
    names = [name for name in recording.marker_names if np.isfinite(recording.marker(name)).any()]
    expected = _unit_vectors(_standing_places([landmarks[name] for name in names]))
    found = _mean_directions(recording.markers(names))
    # Exchanged markers of the pelvis may have turned the recording round.
    found = max((found, found * [-1.0, -1.0, 1.0]), key=lambda turned: float(np.nansum(expected * turned)))
    faults = list[MarkerFault]()
    order = list(range(len(names)))
    while len(faults) < MAX_EXCHANGES and _cosines(expected, found, order).min(initial=1.0) < OPPOSITE:
        agreement = _cosines(expected, found, order).sum()
        candidates = [_exchange(order, *pair) for pair in combinations(range(len(names)), 2)]
        agreements = [_cosines(expected, found, candidate).sum() for candidate in candidates]
        best = candidates[int(np.argmax(agreements))]
        if max(agreements) <= agreement:
            break
        first, second = (names[index] for index in range(len(names)) if best[index] != order[index])
        faults.append(_fault(labels[first], labels[second]))
        order = best
    return tuple(faults)


def _standing_places(landmarks: Sequence[Landmark]) -> Array:
    """Return where landmarks are on a standing person, as shares of body height. Shape (n, 3)."""
    body = human_geometry()
    standing = pose_prior(body).mean[None].copy()
    standing[:, :BASE] = 0.0
    pose = pose_body(body, standing, body.default_shares)
    return np.asarray(place_points(pose, body_points(body, [(one.segment, one.at) for one in landmarks]))[0])


def _unit_vectors(places: Array) -> Array:
    """Return the directions from each place to each other one; zero where they are too close. Shape (n, n, 3)."""
    vectors = places[None] - places[:, None]
    length = np.linalg.norm(vectors, axis=2, keepdims=True)
    return np.asarray(np.where(length > MIN_APART, vectors / np.maximum(length, MIN_APART), 0.0))


def _mean_directions(markers_m: Array) -> Array:
    """Return the mean direction from each marker to each other one; zero where it is uncertain. Shape (n, n, 3)."""
    rows = np.unique(np.linspace(0, len(markers_m) - 1, FRAMES).astype(int))
    vectors = markers_m[rows, None] - markers_m[rows, :, None]
    is_seen = np.asarray(np.isfinite(vectors).all(axis=3))
    count = np.maximum(is_seen.sum(axis=0), 1)[..., None]
    mean = np.where(is_seen[..., None], vectors, 0.0).sum(axis=0) / count
    length = np.where(is_seen, np.linalg.norm(vectors, axis=3), 0.0).sum(axis=0)[..., None] / count
    mean_length = np.linalg.norm(mean, axis=2, keepdims=True)
    return np.asarray(np.where(mean_length > STEADY * length, mean / np.maximum(mean_length, 1e-9), 0.0))


def _cosines(expected: Array, found: Array, order: Sequence[int]) -> Array:
    """Return the cosines between expected and found directions if marker `order[i]` is landmark i. Shape (n, n)."""
    return np.asarray((expected * found[np.ix_(order, order)]).sum(axis=2))


def _exchange(order: Sequence[int], first: int, second: int) -> list[int]:
    exchanged = list(order)
    exchanged[first] = order[second]
    exchanged[second] = order[first]
    return exchanged


def _fault(first: str, second: str) -> MarkerFault:
    sentence = (
        f"{first} and {second} are where the other one should be in the whole recording; exchange their names in the "
        "file, or map them (docs/how_to/map_markers.md)."
    )
    return MarkerFault("exchange", (first, second), None, sentence)
