"""Random motions of every robot: requests drawn with a seed, planned, and kept in a folder if one is given.

Third-party robots are adopted from example-robot-data, once per folder. A refused request is drawn again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import strut
from strut.errors import StrutError

COUNTS = {  # motions of each robot: sixty in all
    "mrpete": 9,
    "alice": 8,
    "pepper": 7,
    "cassie": 5,
    "heiman": 5,
    "solo12": 5,
    "a1": 5,
    "hyq": 4,
    "talos_reduced": 4,
    "icub_reduced": 4,
    "romeo": 4,
}
QUICK = {"mrpete": 1, "alice": 1, "pepper": 1}
OWN = ("mrpete", "alice", "pepper", "cassie", "heiman")
TRIES = 20  # draws until one is not refused


@dataclass(frozen=True, slots=True)
class RandomMotion:
    """A motion that was asked for at random.

    Args:
        name: Robot and number, such as `alice_3`.
        asked: The request in words.
        motion: What was planned.
        robot: Its robot.
    """

    name: str
    asked: str
    motion: strut.Motion
    robot: strut.Robot


def random_motions(folder: Path, counts: dict[str, int]) -> Iterator[RandomMotion]:
    """Yield random motions of each robot; those that the folder holds already are read from it."""
    for name, count in counts.items():
        robot = strut.load_robot(name) if name in OWN else adopt_robot(folder, name)
        for number in range(count):
            path = folder / f"{name}_{number}.npz"
            if not path.exists():
                motion = _plan(robot, name, number)
                strut.save_motion(motion, path)
            motion = strut.load_motion(path)
            yield RandomMotion(f"{name}_{number}", str(motion.meta["drawn"]), motion, robot)


def adopt_robot(folder: Path, name: str) -> strut.Robot:
    """Return a robot of example-robot-data, imported into a folder."""
    home = folder / "robots" / name
    if not (home / "robot.toml").exists():
        strut.adopt(name, out=home)
    return strut.load_robot(str(home))


def _plan(robot: strut.Robot, name: str, number: int) -> strut.Motion:
    """Return the first motion of a robot's draws that is not refused."""
    seed = [sum(map(ord, name)), number]
    rng = np.random.default_rng(seed)
    draw = DRAWS.get(name, _legged)
    for _ in range(TRIES):
        asked, make = draw(robot, rng)
        try:
            motion = make()
        except StrutError:
            continue
        return replace(motion, meta={**motion.meta, "drawn": asked})
    raise RuntimeError(f"{name} refused {TRIES} requests in a row")


Make = Callable[[], strut.Motion]


def _feeling(rng: np.random.Generator) -> tuple[strut.Emotion, float]:
    """Return a named emotion or any point of the space, and an intensity."""
    names = sorted(strut.emotions())
    if rng.random() < 0.5:
        emotion = strut.named_emotion(str(rng.choice(names)))
    else:
        emotion = strut.Emotion(*rng.uniform(-1.0, 1.0, 3))
    return emotion, float(rng.uniform(0.3, 1.5))


def _words(emotion: strut.Emotion, intensity: float, **choices: object) -> str:
    listed = ", ".join(f"{name} {value}" for name, value in choices.items())
    return f"{emotion.label} {intensity:.2f}, {listed}"


def _crawl(robot: strut.Robot, rng: np.random.Generator) -> tuple[str, Make]:
    emotion, intensity = _feeling(rng)
    choices = {
        "cycles": int(rng.integers(1, 4)),
        "tempo": round(float(rng.uniform(0.7, 1.3)), 2),
        "step_length_m": round(float(rng.uniform(0.03, 0.1)), 3),
        "step_height_m": round(float(rng.uniform(0.02, 0.06)), 3),
        "retreat": str(rng.choice(["global", "local"])),
        "expression": str(rng.choice(["published", "animated"])),
    }
    words = _words(emotion, intensity, **choices)
    return words, lambda: strut.walk(robot, emotion, intensity=intensity, **choices)


def _goal(robot: strut.Robot, rng: np.random.Generator) -> tuple[str, Make]:
    emotion, intensity = _feeling(rng)
    goal = strut.Place(*(round(float(value), 3) for value in rng.uniform([-0.1, -0.15, -1.0], [0.4, 0.15, 1.0])))
    choices = {"goal": goal, "retreat": str(rng.choice(["global", "local"]))}
    return _words(emotion, intensity, **choices), lambda: strut.walk(robot, emotion, intensity=intensity, **choices)


def _hand_task(robot: strut.Robot, rng: np.random.Generator) -> tuple[str, Make]:
    emotion, intensity = _feeling(rng)
    task = str(rng.choice(["wave", "carry", "point", "still"]))
    choices = {
        "user_m": [round(float(value), 2) for value in rng.uniform([0.8, -1.0, 0.8], [3.0, 1.0, 1.8])],
        "duration_s": round(float(rng.uniform(3.0, 8.0)), 1),
        "platform": str(rng.choice(["led", "free"])),
    }
    words = f"{task}, {_words(emotion, intensity, **choices)}"
    return words, lambda: strut.perform(robot, task, emotion, intensity=intensity, **choices)


def _piloted(robot: strut.Robot, rng: np.random.Generator) -> tuple[str, Make]:
    emotion, intensity = _feeling(rng)
    choices = {
        "speed_m_s": round(float(rng.uniform(-0.3, 0.9)), 2),
        "turn_rad_s": round(float(rng.uniform(-0.2, 0.2)), 2),
        "distance_m": round(float(rng.uniform(1.0, 3.0)), 1),
    }
    words = _words(emotion, intensity, **choices)
    return words, lambda: strut.walk(robot, emotion, intensity=intensity, **choices)


def _human(robot: strut.Robot, rng: np.random.Generator) -> tuple[str, Make]:
    if rng.random() < 0.5:
        speed_m_s = round(float(rng.uniform(0.8, 1.6)), 2)
        return f"natural, {speed_m_s} m/s", lambda: strut.synthesize(robot, speed_m_s=speed_m_s).motion(steps=4)
    emotion, intensity = _feeling(rng)
    return _words(emotion, intensity, cycles=2), lambda: strut.walk(robot, emotion, intensity=intensity, cycles=2)


def _legged(robot: strut.Robot, rng: np.random.Generator) -> tuple[str, Make]:
    emotion, intensity = _feeling(rng)
    quadruped = len(robot.feet) == 4
    choices: dict[str, object] = {"cycles": int(rng.integers(4, 9) if quadruped else rng.integers(2, 6))}
    if quadruped:
        choices["pattern"] = str(rng.choice(["crawl", "walk", "trot"]))
    if rng.random() < 0.5:
        choices["turn_rad_s"] = round(float(rng.uniform(-0.3, 0.3)), 2)
    if rng.random() < 0.3:
        choices["sideways_m_s"] = round(float(rng.uniform(-0.05, 0.05)), 3)
    words = _words(emotion, intensity, **choices)
    return words, lambda: strut.walk(robot, emotion, intensity=intensity, **choices)


DRAWS = {"mrpete": _crawl, "alice": _goal, "pepper": _hand_task, "cassie": _piloted, "heiman": _human}
