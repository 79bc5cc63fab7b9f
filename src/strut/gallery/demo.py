"""Demo: five bodies in five emotions, planned, measured and shown on one page that opens offline."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

from strut.emotion import named_emotion
from strut.errors import OutOfRangeError, UnknownNameError
from strut.formats.motion_file import encode_motion
from strut.gaits.hand_task.perform import perform
from strut.gallery.demo_page import Portrait, demo_page, film_body
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.pipeline.walk import walk
from strut.place import Place
from strut.plumbing.atomic_files import check_may_be_folder, check_replaceable, write_files

EMOTIONS = ("neutral", "happy", "sad", "angry", "fearful")
PAGE = "index.html"
WORKERS = 2  # processes that plan; more gain little, as the films use every processor

OnStep = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class DemoBody:
    """A body of the demo.

    Args:
        robot: Name of the robot.
        title: Heading of its row.
        sentence: What it does, in words of everyday language.
        plan: Returns its motion in an emotion.
        upright: Whether it is higher than wide.
    """

    robot: str
    title: str
    sentence: str
    plan: Callable[[str], Motion]
    upright: bool = True


def walk_as_human(emotion: str) -> Motion:
    """Return the gait that a human model finds by optimal control."""
    return walk("heiman", emotion, cycles=2)


def crawl(emotion: str) -> Motion:
    """Return three cycles of Mr. Pete's crawl, brought to life by the animated layer."""
    return walk("mrpete", emotion, cycles=3, expression="animated")


def walk_to_goal(emotion: str) -> Motion:
    """Return Alice's steps to a place a short way ahead."""
    return walk("alice", emotion, goal=Place(0.25, 0.0, 0.0), expression="animated")


def walk_on_springs(emotion: str) -> Motion:
    """Return a walk that Cassie's own controllers keep up in simulation."""
    return walk("cassie", emotion)


def wave(emotion: str) -> Motion:
    """Return Pepper's wave: the hand does its task, the rest of the body shows the emotion."""
    return perform("pepper", "wave", emotion)


BODIES = (
    DemoBody("heiman", "A human model", "Its gait is the optimum of an optimal-control problem.", walk_as_human),
    DemoBody("cassie", "Cassie", "A biped on springs, with eyes, under its own controllers.", walk_on_springs),
    DemoBody("pepper", "Pepper", "The hand waves; the emotion uses what the task leaves free.", wave),
    DemoBody("alice", "Alice", "A small humanoid on its way to a place.", walk_to_goal),
    DemoBody("mrpete", "Mr. Pete", "A crawling quadruped with 28 joints.", crawl, False),
)


@dataclass(frozen=True, slots=True)
class DemoMotion:
    """A motion of the demo and its file."""

    robot: str
    emotion: str
    motion: Motion
    file: Path


def demo(
    folder: Path | str = "demo",
    *,
    robots: Sequence[str] | None = None,
    emotions: Sequence[str] = EMOTIONS,
    force: bool = False,
    on_step: OnStep | None = None,
) -> tuple[Path, list[DemoMotion]]:
    """Plan five bodies in some emotions, and write their motions and one page about them.

    Args:
        folder: Where the page `index.html` and the motion files go.
        robots: Names of bodies of the demo; all five if None.
        emotions: Names of emotions.
        force: Whether existing files may be replaced.
        on_step: Called after each step with what was done, the number of finished steps and of all steps.

    Returns:
        The page, and the motions.

    Example:
        >>> page, motions = strut.demo("demo")
    """
    folder = Path(folder)
    bodies = _bodies(robots)
    if not bodies or not emotions:
        raise OutOfRangeError("The demo needs at least one body and one emotion.")
    for emotion in emotions:
        named_emotion(emotion)  # raises for a name that is not known
    files = {(body.robot, emotion): f"{body.robot}_{emotion}.npz" for body in bodies for emotion in emotions}
    check_may_be_folder(folder)
    check_replaceable(folder, (PAGE, *files.values()), force=force)
    total = len(files) + len(bodies)
    done = 0

    def finish(words: str) -> None:
        nonlocal done
        done += 1
        if on_step is not None:
            on_step(words, done, total)

    motions: dict[tuple[str, str], Motion] = {}
    for robot, emotion, motion in _plan_all(bodies, emotions):
        motions[robot, emotion] = motion
        finish(f"planned {robot} {emotion}")
    rows: list[tuple[DemoBody, list[Portrait]]] = []
    for body in bodies:
        own = [motions[body.robot, emotion] for emotion in emotions]
        rows.append((body, film_body(load_robot(body.robot), own, emotions, upright=body.upright)))
        finish(f"filmed {body.robot}")
    contents = {name: encode_motion(motions[key]) for key, name in files.items()}
    shown = [(body.title, body.sentence, portraits) for body, portraits in rows]
    contents[PAGE] = demo_page(shown, files=f"{shlex.quote(str(folder))}/{bodies[0].robot}_*.npz")
    write_files(folder, contents, last=PAGE, force=force)
    return folder / PAGE, [DemoMotion(*key, motions[key], folder / name) for key, name in files.items()]


def _bodies(robots: Sequence[str] | None) -> list[DemoBody]:
    """Return the bodies of robots by name, in the order of the page."""
    known = {body.robot: body for body in BODIES}
    for name in robots or ():
        if name not in known:
            raise UnknownNameError("body of the demo", name, list(known), "`strut demo --help`")
    return [body for body in BODIES if robots is None or body.robot in robots]


def _plan_all(bodies: Sequence[DemoBody], emotions: Sequence[str]) -> Iterator[tuple[str, str, Motion]]:
    """Yield robot, emotion and motion as they are planned, in several processes."""
    workers = min(WORKERS, os.cpu_count() or 1)
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        wanted: dict[Future[Motion], tuple[str, str]] = {
            pool.submit(body.plan, emotion): (body.robot, emotion) for body in bodies for emotion in emotions
        }
        try:
            for planned in as_completed(wanted):
                yield *wanted[planned], planned.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
