"""Distinguish: how different the emotions of a robot look in its own motions, and which pairs people would confuse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any, Literal

import numpy as np

from strut.arrays import Array
from strut.draft import Detail
from strut.emotion import Emotion, named_emotion
from strut.errors import BadTableError, OutOfRangeError
from strut.models.catalogue import as_robot
from strut.motion import Motion
from strut.perception.emotion_distance import (
    discrimination_threshold,
    emotion_distances,
    evaluate_threshold,
    held_out_pairs,
    to_levels,
)
from strut.perception.features import expressive_features
from strut.perception.multidimensional_scaling import scale_to_plane
from strut.pipeline.candidates import Candidates, generator_for
from strut.pipeline.run import run
from strut.pipeline.walk import task_of_gait, walk
from strut.place import Place
from strut.plumbing.number_text import format_percent
from strut.receipt import intensity_of_asked
from strut.registry import find
from strut.request import Request
from strut.robot import Robot
from strut.schemas.expression import Layer

DEFAULT_EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")
STEPS_TO_GOAL = 8  # of a robot that walks to a goal: enough for steady walking in the middle
TASK_S = 6.0  # long enough for every task of a robot that does not walk
DRAFT_CYCLES = 4
LOWERED_FALLBACK = 2  # the first fallback with a slightly lower body, in which most feet reach the ground
UNWEAKENED = 0.995  # share of the intensity that counts as all of it: receipts print two digits
BARELY = 1.15  # times the threshold: below it, a pair is only just distinguished
LEVEL_TEXT = (
    "One level is the difference in speed, posture, size or jerk between movements that people distinguished in "
    "published studies."
)


@dataclass(frozen=True, eq=False)
class Discriminability:
    """How well people can distinguish the emotions of a robot.

    Args:
        robot: Name of the robot.
        expression: The layer of expression that was used.
        emotions: Names of the emotions.
        intensity_kept: Intensity that the robot's limits allow of each emotion; None if the motion was not judged.
        features: Expressive features of each emotion.
        distances: Between any two emotions, in levels. Shape (n, n).
        threshold: Distance from which on people distinguish two emotions, in levels.
    """

    robot: str
    expression: Layer
    emotions: tuple[str, ...]
    intensity_kept: tuple[float | None, ...]
    features: tuple[Mapping[str, float], ...]
    distances: Array
    threshold: float

    @property
    def pairs(self) -> list[tuple[str, str, float]]:
        """All pairs of emotions with their distance, the closest first."""
        pairs = [(self.emotions[i], self.emotions[j], float(self.distances[i, j])) for i, j in self._index_pairs()]
        return sorted(pairs, key=lambda pair: pair[2])

    @property
    def confused(self) -> list[tuple[str, str, float]]:
        """The pairs that people would confuse, with their distance."""
        return [pair for pair in self.pairs if pair[2] < self.threshold]

    @cached_property
    def map_positions(self) -> Array:
        """The emotions as points in a plane that keeps their distances as well as possible. Shape (n, 2).

        Neutral is on the left, or the first emotion if neutral is missing.
        """
        points = scale_to_plane(self.distances)
        left = self.emotions.index("neutral") if "neutral" in self.emotions else 0
        return np.asarray(points * np.where(points[left] > 0.0, -1.0, 1.0))

    @property
    def map_distances(self) -> Array:
        """Distances between the emotions on the map. Shape (n, n)."""
        points = self.map_positions
        return np.asarray(np.linalg.norm(points[:, None] - points[None], axis=2))

    @property
    def map_error(self) -> float:
        """Root mean square error of the map's distances, relative to the mean distance."""
        error = self.map_distances - self.distances
        return float(np.sqrt((error**2).mean()) / max(self.distances.mean(), 1e-9))

    @property
    def map_accuracy(self) -> float:
        """1 minus the mean absolute error of the map's distances, relative to the mean distance."""
        error = self.map_distances - self.distances
        return 1.0 - float(np.abs(error).mean() / max(self.distances.mean(), 1e-9))

    def map_sentence(self) -> str:
        """Return how accurate the map is, and for which pair it is least accurate."""
        on_map = self.map_distances
        i, j = max(self._index_pairs(), key=lambda pair: abs(on_map[pair] - self.distances[pair]))
        return (
            f"The map projects {len(self.features[0])} features onto a plane and keeps "
            f"{format_percent(self.map_accuracy)} of the distances. The largest error is between {self.emotions[i]} "
            f"and {self.emotions[j]}: {on_map[i, j]:.1f} on the map, {self.distances[i, j]:.1f} measured."
        )

    def are_distinguished(self, distance: float) -> Literal["no", "barely", "yes"]:
        """Return whether people distinguish two emotions at a distance."""
        if distance < self.threshold:
            return "no"
        return "barely" if distance < BARELY * self.threshold else "yes"

    def rows(self) -> list[list[str]]:
        """Return a row of text for each pair: emotions, distance, whether people distinguish them, main difference."""
        return [
            [first, second, f"{distance:.1f}", self.are_distinguished(distance), self.largest_difference(first, second)]
            for first, second, distance in self.pairs
        ]

    def sentences(self) -> list[str]:
        """Return the result for people: which pairs are confused, or the closest pair, and what limits weakened."""
        weakened = [
            f"{emotion} ({intensity_of_asked(kept, 1.0)})"
            for emotion, kept in zip(self.emotions, self.intensity_kept, strict=True)
            if kept is not None and kept < UNWEAKENED
        ]
        limits = [f"Limits of the body weaken {', '.join(weakened)}."] if weakened else []
        if self.confused:
            confused = [
                f"People would confuse {first} and {second}: they are {distance:.2f} levels apart, and people need "
                f"{self.threshold:.2f}. They differ most in {self.largest_difference(first, second)}."
                for first, second, distance in self.confused
            ]
            return [*confused, LEVEL_TEXT, *limits]
        first, second, distance = self.pairs[0]
        count = "both" if len(self.emotions) == 2 else f"all {len(self.emotions)}"
        barely = "barely " if self.are_distinguished(distance) == "barely" else ""
        return [
            f"People {barely}distinguish {count} emotions. The closest pair, {first} and {second}, is {distance:.2f} "
            f"levels apart, and people need {self.threshold:.2f}. {LEVEL_TEXT}",
            *limits,
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return everything as JSON."""
        test = evaluate_threshold(held_out_pairs(), self.threshold)
        per_emotion = zip(self.emotions, self.intensity_kept, self.features, self.map_positions, strict=True)
        return {
            "robot": self.robot,
            "expression": self.expression,
            "emotions": {
                emotion: {"intensity_kept": kept, "features": dict(features), "map_position": position.tolist()}
                for emotion, kept, features, position in per_emotion
            },
            "pairs": [{"emotions": [first, second], "distance": distance} for first, second, distance in self.pairs],
            "confused": [[first, second] for first, second, _ in self.confused],
            "threshold": self.threshold,
            "threshold_test": {"pairs": test.pairs, "correct": test.correct, "auc": test.auc},
            "map_error": self.map_error,
            "map_accuracy": self.map_accuracy,
        }

    def largest_difference(self, first: str, second: str) -> str:
        """Return the name of the feature in which two emotions differ most."""
        levels = [to_levels(self.features[self.emotions.index(emotion)]) for emotion in (first, second)]
        names = list(self.features[0])
        return names[int(np.argmax(np.abs(levels[0] - levels[1])))].replace("_", " ")

    def _index_pairs(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.emotions)), 2))


def distinguish(
    robot: Robot | str,
    emotions: Sequence[str | Emotion] = DEFAULT_EMOTIONS,
    *,
    expression: Layer | None = None,
    task: str | None = None,
    on_motion: Callable[[str], None] = lambda _name: None,
) -> Discriminability:
    """Plan a motion of a robot for each emotion, within its limits, and measure how different the motions look.

    Args:
        robot: A robot or its name. A robot that can walk walks; any other performs `task`.
        emotions: Names of emotions, or points in pleasure-arousal-dominance.
        expression: `published`, or `animated` for the animated layer on top; None for the robot's default.
        task: Task of a robot that does not walk; None for the first of its tasks.
        on_motion: Called with the name of each emotion before its motion is planned.

    Example:
        >>> strut.distinguish("pepper", ["happy", "sad"]).confused
        []
    """
    body = as_robot(robot)
    points = [named_emotion(emotion) if isinstance(emotion, str) else emotion for emotion in emotions]
    labels = [point.label for point in points]
    if len(points) < 2 or len(set(labels)) < len(points):
        raise OutOfRangeError("Name at least two emotions, each once: a distance is between two of them.")
    motions = []
    for point in points:
        on_motion(point.label)
        motions.append(_plan_motion(body, point, expression, task))
    return compare_motions(body, labels, motions, body.chosen_layer(expression))


def distinguish_drafts(robot: Robot, *, on_motion: Callable[[str], None] = lambda _name: None) -> Discriminability:
    """Compare short drafts of the five default emotions of a robot that walks by a gait pattern.

    This is quick but not proved: limits have not been checked and may still weaken emotions, which makes them more
    alike. `distinguish` compares the motions themselves. `on_motion` is called with the name of each emotion.
    """
    body = robot.expressing(None)
    motions = []
    for name in DEFAULT_EMOTIONS:
        on_motion(name)
        short_walk = task_of_gait(robot.gait).request.chosen(cycles=DRAFT_CYCLES)
        request = Request(robot=robot.name, task=short_walk, emotion=named_emotion(name))
        candidates = Candidates(request, body, generator_for(request, body))
        detail = Detail("whole", fallback=LOWERED_FALLBACK)
        draft = next(iter(candidates.generator.drafts(candidates.style(1.0), detail)))
        motion = Motion(
            robot=robot.name,
            time_s=draft.time_s,
            qpos=draft.qpos,
            joint_names=body.joint_names,
            contact=draft.contact,
            foot_names=body.foot_names,
        )
        motions.append(motion)
    return compare_motions(body, DEFAULT_EMOTIONS, motions, robot.chosen_layer(None))


def report_on_robot(robot: Robot, on_progress: Callable[[str], None]) -> tuple[dict[str, Any], list[str]]:
    """Return which emotions of a new robot people would confuse, as JSON and as sentences; for `strut adopt`."""
    result = distinguish_drafts(robot, on_motion=lambda name: on_progress(f"drafts {name}"))
    confused = [[first, second] for first, second, _ in result.confused]
    sentences = [f"emotions, before limits: {sentence}" for sentence in result.sentences()]
    return {"confused_emotions": confused}, sentences


def compare_motions(
    robot: Robot, emotions: Sequence[str], motions: Sequence[Motion], expression: Layer
) -> Discriminability:
    """Return how well people can distinguish motions of one robot, one for each emotion."""
    features = tuple(expressive_features(motion, robot) for motion in motions)
    return Discriminability(
        robot=robot.name,
        expression=expression,
        emotions=tuple(emotions),
        intensity_kept=tuple(motion.receipt.intensity_kept if motion.receipt else None for motion in motions),
        features=features,
        distances=emotion_distances(features),
        threshold=discrimination_threshold(),
    )


def _plan_motion(robot: Robot, emotion: Emotion, expression: Layer | None, task: str | None) -> Motion:
    """Return a walk with an emotion, or the task if the robot does not walk."""
    if robot.tables.gait is None:
        tasks = tuple(robot.tables.tasks or ())
        if not tasks:
            raise BadTableError(
                f"{robot.name} has no gait and no task, so its emotions cannot be compared; add a gait.toml or a "
                "tasks.toml to its folder."
            )
        hand_task = find("strut.tasks", "hand_task").request(task=task or tasks[0], duration_s=TASK_S)
        request = Request(robot=robot.name, task=hand_task, emotion=emotion, expression=expression)
        return run(request, robot=robot)
    if task is not None:
        raise BadTableError(
            f"{robot.name} walks to express an emotion, so the task {task} does not apply; leave it out."
        )
    ahead_m = robot.gait.goal_ahead_m(STEPS_TO_GOAL)
    goal = None if ahead_m is None else Place(ahead_m, 0.0)
    return walk(robot, emotion, goal=goal, expression=expression)
