"""Which distance do people need to tell two feelings apart? Stimuli of published studies, planned again and measured.

    python benchmarks/derive_told_apart.py      # prints the pairs of src/strut/perception/perceived.toml

Quadruped: five gaits of Mr. Pete, named by five people (Table 14 of the thesis). Pepper: four feelings named by thirty
people (Table 2a), and eight corners of pleasure, arousal and dominance rated on three scales (Table 2b). Two stimuli
that were named are told apart if fewer than a quarter of the answers that chose between the two were wrong; two that
were rated, if their means differ on at least one scale by more than the 95 % interval of that difference. Takes about
twenty seconds of processor time.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

import strut
from strut.emotion import Emotion
from strut.perception.emotion_distance import emotion_distances
from strut.perception.expressive_features import expressive_features
from strut.study.design.published import published

WRONG = 0.25  # of the answers that chose between two: halfway between chance and certainty
NAMES = {"anger": "angry", "fear": "fearful"}


def measured(motions: dict[str, strut.Motion]) -> dict[tuple[str, str], float]:
    """Return the distance of any two motions, by their names."""
    names = list(motions)
    distance = emotion_distances([expressive_features(motion, strut.robot_of(motion)) for motion in motions.values()])
    return {(names[i], names[j]): float(distance[i, j]) for i, j in combinations(range(len(names)), 2)}


def named_apart(counts: dict[str, list[int]], names: list[str], first: str, second: str) -> bool:
    """Return whether people told two stimuli apart by name."""
    i = names.index(first)
    j = names.index(second)
    wrong = counts[first][j] + counts[second][i]
    return wrong < WRONG * (wrong + counts[first][i] + counts[second][j])


def rated_apart(intervals: dict[str, list[float]], first: str, second: str) -> bool:
    """Return whether the means of two stimuli differ, by the half widths of their intervals, on at least one scale."""
    one, other = (np.array(intervals[name]).reshape(3, 2) for name in (first, second))
    apart = one.mean(axis=1) - other.mean(axis=1)
    half = np.stack([np.ptp(one, axis=1), np.ptp(other, axis=1)]) / 2.0
    return bool((np.abs(apart) > np.linalg.norm(half, axis=0)).any())


def quadruped() -> list[tuple[str, str, str, float, bool]]:
    """Return the pairs of the quadruped's study."""
    table = published("quadruped")
    names = table["emotions"]
    walks = {name: strut.walk("mrpete", NAMES.get(name, name), expression="published") for name in names}
    found = measured(walks)
    return [("quadruped", *pair, far, named_apart(table["counts"], names, *pair)) for pair, far in found.items()]


def pepper() -> list[tuple[str, str, str, float, bool]]:
    """Return the pairs of Pepper's study, named and rated."""
    table = published("pepper")
    session = strut.load_robot("pepper").study

    def played(pad: tuple[float, ...]) -> strut.Motion:
        felt = Emotion(*pad)
        user_m = session.user_m
        return strut.perform("pepper", session.task, felt, duration_s=session.duration_s, user_m=user_m)

    names = table["emotions"]
    level = table["level"]
    feelings = measured({name: played(session.emotion[name].pad) for name in names})
    corners = measured(
        {corner: played(tuple(level if letter == "H" else -level for letter in corner)) for corner in table["corners"]}
    )
    named = [("pepper", *pair, far, named_apart(table["counts"], names, *pair)) for pair, far in feelings.items()]
    apart = table["rating_interval"]
    return named + [("pepper rated", *pair, far, rated_apart(apart, *pair)) for pair, far in corners.items()]


def main() -> None:
    """Print all pairs as TOML."""
    for study, first, second, far, apart in [*quadruped(), *pepper()]:
        told = "true" if apart else "false"
        names = f'study = "{study}", first = "{first}", second = "{second}"'
        print(f"    {{ {names}, distance = {far:.2f}, told_apart = {told} }},")


if __name__ == "__main__":
    main()
