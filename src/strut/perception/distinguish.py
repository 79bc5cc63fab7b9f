"""Distinguish: how far the feelings of a robot are apart as it really moves, and which two people would confuse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from strut.arrays import Array
from strut.draft import Detail
from strut.emotion import Emotion, named_emotion
from strut.errors import BadTableError, OutOfRangeError
from strut.gaits.hand_task.perform import perform
from strut.models.catalogue import as_robot
from strut.motion import Motion
from strut.perception.emotion_distance import (
    emotion_distances,
    held_out_pairs,
    in_levels,
    separation,
    threshold,
)
from strut.perception.expressive_features import expressive_features
from strut.pipeline.trials import Trials, generator_for
from strut.pipeline.walk import walk
from strut.place import Place
from strut.plumbing.number_text import format_percent
from strut.receipt import intensity_of_asked
from strut.request import PatternGait, Request
from strut.robot import Robot
from strut.schemas.expression import Layer
from strut.schemas.gait import StepsTable

FIVE = ("neutral", "happy", "sad", "angry", "fearful")
STEPS_TO_GOAL = 8  # of a robot that walks to a goal: enough to walk steadily in the middle
TASK_S = 6.0
DRAFT_CYCLES = 4
LOWERED = 2  # of a draft, and the way in which bodies are a little lower, so that most feet reach
SMACOF_ROUNDS = 300  # of a map: five feelings stand still long before
WHOLE = 0.995  # share kept that is told as all of it
BARELY = 1.15  # times the threshold: who is nearer than this is only just told apart
LEVEL = "One level is what movements differed by, in speed, posture, size or jerk, when people told them apart."


@dataclass(frozen=True, slots=True, eq=False)
class Distinguished:
    """How far feelings are apart.

    Args:
        robot: Whose.
        expression: Which layer it showed.
        names: Of the feelings.
        kept: Intensity that its limits left of each; None where nobody judged.
        features: Of each, as measured.
        distance: Between any two, in levels. Shape (n, n).
        threshold: Distance from which on people tell two apart.
    """

    robot: str
    expression: Layer
    names: tuple[str, ...]
    kept: tuple[float | None, ...]
    features: tuple[Mapping[str, float], ...]
    distance: Array
    threshold: float

    @property
    def pairs(self) -> list[tuple[str, str, float]]:
        """All pairs and how far they are apart, the nearest first."""
        found = [(self.names[i], self.names[j], float(self.distance[i, j])) for i, j in self._each()]
        return sorted(found, key=lambda pair: pair[2])

    @property
    def confused(self) -> list[tuple[str, str, float]]:
        """The pairs that people would confuse."""
        return [pair for pair in self.pairs if pair[2] < self.threshold]

    @property
    def places(self) -> Array:
        """Where the feelings lie on a map that keeps their distances as well as a plane can. Shape (n, 2).

        Multidimensional scaling: classical (Torgerson, 1952), which only brings nearer what lies apart in other
        dimensions, and from there `smacof`; neutral, or else the first, is to the left.
        """
        middle = np.eye(len(self.names)) - 1.0 / len(self.names)
        values, vectors = np.linalg.eigh(-0.5 * middle @ self.distance**2 @ middle)
        places = vectors[:, ::-1][:, :2] * np.sqrt(np.maximum(values[::-1][:2], 0.0))
        if len(self.names) < 2:
            places = np.zeros((len(self.names), 2))
        places = smacof(places, self.distance)
        left = self.names.index("neutral") if "neutral" in self.names else 0
        return np.asarray(places * np.where(places[left] > 0.0, -1.0, 1.0))

    @property
    def drawn(self) -> Array:
        """How far any two are apart on the map. Shape (n, n)."""
        places = self.places
        return np.asarray(np.linalg.norm(places[:, None] - places[None], axis=2))

    @property
    def map_error(self) -> float:
        """Root mean square error of the map's distances, of the mean distance."""
        return float(np.sqrt(((self.drawn - self.distance) ** 2).mean()) / max(self.distance.mean(), 1e-9))

    @property
    def map_kept(self) -> float:
        """Share of the distances that the map keeps: 1 less the mean error over the mean distance."""
        return 1.0 - float(np.abs(self.drawn - self.distance).mean() / max(self.distance.mean(), 1e-9))

    def map_sentence(self) -> str:
        """Return what a reader of the map must know: that it is flat, how much it keeps, and where it is wrong most."""
        drawn = self.drawn
        i, j = max(self._each(), key=lambda pair: abs(drawn[pair] - self.distance[pair]))
        kept = f"The map draws {len(self.features[0])} features on a plane and keeps {format_percent(self.map_kept)}"
        off = f"farthest off are {self.names[i]} and {self.names[j]}, drawn {drawn[i, j]:.1f} apart and"
        return f"{kept} of the distances; {off} measured {self.distance[i, j]:.1f}."

    def told(self, far: float) -> str:
        """Return whether people tell two feelings apart that are so far from each other: no, just or yes."""
        return "no" if far < self.threshold else "just" if far < BARELY * self.threshold else "yes"

    @property
    def told_apart(self) -> str:
        """In words, how well feelings that nobody would confuse are told apart."""
        return "only just told apart" if self.pairs[0][2] < BARELY * self.threshold else "told apart"

    def sentences(self) -> list[str]:
        """Return what there is to tell."""
        known = [(name, kept) for name, kept in zip(self.names, self.kept, strict=True) if kept is not None]
        weak = [f"{name} ({intensity_of_asked(kept, 1.0)})" for name, kept in known if kept < WHOLE]
        weakened = [f"Weakened by limits of the body: {', '.join(weak)}."] if weak else []
        if not self.confused:
            first, second, far = self.pairs[0]
            count = "Both" if len(self.names) == 2 else f"All {len(self.names)}"
            return [
                f"{count} feelings are {self.told_apart}: the nearest, {first} and {second}, are {far:.2f} "
                f"levels apart; people need {self.threshold:.2f}. {LEVEL}",
                *weakened,
            ]
        told = [
            f"People would confuse {first} and {second}: they are {far:.2f} levels apart, and {self.threshold:.2f} are "
            f"needed; most of it is {self.most_told_by(first, second)}."
            for first, second, far in self.confused
        ]
        return [*told, LEVEL, *weakened]

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as JSON would hold it."""
        found = separation(held_out_pairs(), self.threshold)
        return {
            "robot": self.robot,
            "expression": self.expression,
            "feelings": {
                name: {"kept": kept, "features": dict(features), "place": place.tolist()}
                for name, kept, features, place in zip(self.names, self.kept, self.features, self.places, strict=True)
            },
            "pairs": [{"feelings": [one, other], "distance": far} for one, other, far in self.pairs],
            "confused": [[one, other] for one, other, _ in self.confused],
            "threshold": self.threshold,
            "threshold_right": {"pairs": found.pairs, "right": found.right, "auc": found.auc},
            "map_error": self.map_error,
            "map_kept": self.map_kept,
        }

    def _each(self) -> list[tuple[int, int]]:
        return list(combinations(range(len(self.names)), 2))

    def most_told_by(self, first: str, second: str) -> str:
        """Return the feature in which two feelings differ most, in words."""
        one, other = (in_levels(self.features[self.names.index(name)]) for name in (first, second))
        names = list(self.features[0])
        return names[int(np.argmax(np.abs(one - other)))].replace("_", " ")


def smacof(places: Array, distance: Array) -> Array:
    """Return places of metric multidimensional scaling by SMACOF, from a start. Shapes (n, 2), (n, n).

    Least squares of the distances (raw stress) by majorization (de Leeuw, 1977): each round is a Guttman transform,
    which puts a point where the others, at the distances wanted, would have it on average; none makes it worse.
    """
    for _ in range(SMACOF_ROUNDS):
        apart = places[:, None] - places[None]
        far = np.linalg.norm(apart, axis=2)
        pull = np.where(far > 0.0, distance / np.maximum(far, 1e-12), 0.0)
        places = (pull[..., None] * apart).sum(axis=1) / max(len(places), 1)
    return places


def distinguish(
    robot: Robot | str,
    emotions: Sequence[str | Emotion] = FIVE,
    *,
    expression: Layer | None = None,
    task: str | None = None,
    on_motion: Callable[[str], None] = lambda _name: None,
) -> Distinguished:
    """Measure how far the feelings of a robot are apart: each is planned as it would really move, limits and all.

    Args:
        robot: Who, or its name. One that walks walks, one that does not performs `task`.
        emotions: Which feelings, by name or as points.
        expression: `published`, or with the `animated` layer over it; the robot's usual if None.
        task: What a robot that does not walk does; the first of its tasks if None.
        on_motion: Told the name of each feeling before it is planned.

    Example:
        >>> strut.distinguish("pepper", ["happy", "sad"]).confused
        []
    """
    body = as_robot(robot)
    felt = [named_emotion(one) if isinstance(one, str) else one for one in emotions]
    if len(felt) < 2 or len({one.label for one in felt}) < len(felt):
        raise OutOfRangeError("Name at least two feelings, each once: distances are between two of them.")
    motions = []
    for one in felt:
        on_motion(one.label)
        motions.append(_moved(body, one, expression, task))
    return distinguished(body, [one.label for one in felt], motions, body.chosen_layer(expression))


def distinguish_drafts(robot: Robot, *, on_motion: Callable[[str], None] = lambda _name: None) -> Distinguished:
    """Return how far the five feelings of a robot that walks by a gait pattern are apart in short drafts.

    Quick: nobody has judged them, so that limits may yet weaken some and bring them nearer. `distinguish` is the proof.
    `on_motion` is told the name of each feeling before it is drafted.
    """
    body = robot.expressing(None)
    motions = []
    for name in FIVE:
        on_motion(name)
        request = Request(robot=robot.name, task=PatternGait(cycles=DRAFT_CYCLES), emotion=named_emotion(name))
        trials = Trials(request, body, generator_for(request, body))
        draft = next(iter(trials.generator.drafts(trials.style(1.0), Detail("whole", variant=LOWERED))))
        motion = Motion(
            robot=robot.name,
            time_s=draft.time_s,
            qpos=draft.qpos,
            joint_names=body.joint_names,
            contact=draft.contact,
            foot_names=body.foot_names,
        )
        motions.append(motion)
    return distinguished(body, FIVE, motions, robot.chosen_layer(None))


def distinguished(robot: Robot, names: Sequence[str], motions: Sequence[Motion], expression: Layer) -> Distinguished:
    """Return how far motions of one robot, each of a feeling, are apart."""
    features = tuple(expressive_features(motion, robot) for motion in motions)
    distance = emotion_distances(features)
    kept = tuple(motion.receipt.intensity_kept if motion.receipt else None for motion in motions)
    return Distinguished(robot.name, expression, tuple(names), kept, features, distance, threshold())


def _moved(robot: Robot, emotion: Emotion, expression: Layer | None, task: str | None) -> Motion:
    """Return how the robot moves with a feeling: it walks, or does the task."""
    if robot.tables.gait is None:
        tasks = tuple(robot.tables.tasks or ())
        if not tasks:
            raise BadTableError(f"{robot.name} neither walks nor has a task, so that nobody sees its feelings.")
        return perform(robot, task or tasks[0], emotion, duration_s=TASK_S, expression=expression)
    if task is not None:
        raise BadTableError(f"{robot.name} walks to show a feeling, so that no task can be chosen; leave it out.")
    goal = None
    if isinstance(robot.gait, StepsTable):
        goal = Place(STEPS_TO_GOAL * robot.gait.step_length_m, 0.0)
    return walk(robot, emotion, goal=goal, expression=expression)
