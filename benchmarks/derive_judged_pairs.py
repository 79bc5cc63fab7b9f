"""From which distance on do people distinguish two emotions? Plans the stimuli of published studies and measures them.

    python benchmarks/derive_judged_pairs.py      # prints the pairs of src/strut/perception/perceived.toml

Quadruped: five gaits of Mr. Pete, named by five people (Table 14 of the thesis). Pepper: four emotions named by thirty
people (Table 2a), and eight corners of pleasure, arousal and dominance rated on three scales (Table 2b). Two named
stimuli count as distinguished if fewer than a quarter of the answers that chose between the two were wrong; two rated
stimuli, if their means differ on at least one scale by more than the 95 % interval of that difference. Takes about
twenty seconds of processor time.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

import strut
from strut.emotion import Emotion
from strut.perception.emotion_distance import emotion_distances
from strut.perception.features import expressive_features
from strut.study.design.published import published

MAX_WRONG = 0.25  # of the answers that chose between two stimuli: halfway between chance and certainty
NAMES = {"anger": "angry", "fear": "fearful"}


def measure_distances(motions: dict[str, strut.Motion]) -> dict[tuple[str, str], float]:
    """Return the distance of any two motions, by their names."""
    names = list(motions)
    distance = emotion_distances([expressive_features(motion, strut.robot_of(motion)) for motion in motions.values()])
    return {(names[i], names[j]): float(distance[i, j]) for i, j in combinations(range(len(names)), 2)}


def are_distinguished_by_name(counts: dict[str, list[int]], names: list[str], first: str, second: str) -> bool:
    """Return whether people distinguished two stimuli that they named."""
    i = names.index(first)
    j = names.index(second)
    wrong = counts[first][j] + counts[second][i]
    return wrong < MAX_WRONG * (wrong + counts[first][i] + counts[second][j])


def are_distinguished_by_rating(intervals: dict[str, list[float]], first: str, second: str) -> bool:
    """Return whether the mean ratings of two stimuli differ on at least one scale by more than their interval."""
    bounds = [np.array(intervals[name]).reshape(3, 2) for name in (first, second)]
    difference = bounds[0].mean(axis=1) - bounds[1].mean(axis=1)
    half_widths = np.stack([np.ptp(interval, axis=1) for interval in bounds]) / 2.0
    return bool((np.abs(difference) > np.linalg.norm(half_widths, axis=0)).any())


def quadruped() -> list[tuple[str, str, str, float, bool]]:
    """Return the pairs of the quadruped's study."""
    table = published("quadruped")
    names = table["emotions"]
    walks = {name: strut.walk("mrpete", NAMES.get(name, name), expression="published") for name in names}
    return [
        ("quadruped", *pair, distance, are_distinguished_by_name(table["counts"], names, *pair))
        for pair, distance in measure_distances(walks).items()
    ]


def pepper() -> list[tuple[str, str, str, float, bool]]:
    """Return the pairs of Pepper's study, named and rated."""
    table = published("pepper")
    session = strut.load_robot("pepper").study

    def plan(pad: tuple[float, ...]) -> strut.Motion:
        emotion = Emotion(*pad)
        return strut.perform("pepper", session.task, emotion, duration_s=session.duration_s, user_m=session.user_m)

    names = table["emotions"]
    level = table["level"]
    named = measure_distances({name: plan(session.emotion[name].pad) for name in names})
    rated = measure_distances(
        {corner: plan(tuple(level if letter == "H" else -level for letter in corner)) for corner in table["corners"]}
    )
    intervals = table["rating_interval"]
    return [
        *(
            ("pepper", *pair, distance, are_distinguished_by_name(table["counts"], names, *pair))
            for pair, distance in named.items()
        ),
        *(
            ("pepper rated", *pair, distance, are_distinguished_by_rating(intervals, *pair))
            for pair, distance in rated.items()
        ),
    ]


def main() -> None:
    """Print all pairs as TOML."""
    for study, first, second, distance, distinguished in [*quadruped(), *pepper()]:
        names = f'study = "{study}", first = "{first}", second = "{second}"'
        print(f"    {{ {names}, distance = {distance:.2f}, distinguished = {str(distinguished).lower()} }},")


if __name__ == "__main__":
    main()
