"""How far from the keyframes, how slow and how quickly solved are Cassie's eight stories by each method; do they stand?

    python benchmarks/bench_feasible_story.py [raw | mass | body | pieces ...] [STORY ...] [--long]

One row per story and method, appended at once: `raw` is the keyframe animation itself, `mass` moves the centre of mass
alone, `body` optimises all joints, forces and times at once, `pieces` does so piece by piece. Seconds are of processor
time, everything included. `--long` measures dances of 5 s and of 373 frames instead, which are not played.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import process_time
from typing import get_args

from record import benchmark_parser, record
from strut.animation.animate import animate, preview_animation
from strut.animation.animation_drafts import animation_report, make_feasible
from strut.animation.animation_file import load_animation
from strut.animation.animation_frames import round_corners, sample_keyframes
from strut.animation.animation_ik import planted_stance, solve_frames
from strut.animation.request import AnimationMethod
from strut.animation.stories import story_names, story_path
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.pilot.animation_request import play_request
from strut.pilot.piloted_simulation import Clock, World, simulate_requests
from strut.robot import Robot
from strut.schemas.keyframes import Animation, AnimationKey
from strut.verify.check import check


def dance(beats: int) -> Animation:
    """Return a dance from side to side that is too fast for Cassie; 29 beats are 373 frames."""
    frames = [AnimationKey(0.0), AnimationKey(0.4, (0.0, 0.0, -0.08), (0.0, 6.0, 0.0))]
    for beat in range(beats):
        side = 1.0 if beat % 2 else -1.0
        place = (0.0, 0.08 * side, -0.02 if beat % 2 else -0.06)
        frames.append(AnimationKey(0.4 + 0.48 * (beat + 1), place, (4.0 * side, 2.0, 8.0 * side)))
    return Animation("dance", "happy", (*frames, AnimationKey(frames[-1].time_s + 0.6)))


def stands(robot: Robot, motion: Motion) -> bool:
    """Return whether the robot stays upright through a motion in MuJoCo: friction 0.6, noise, springs."""
    world = World(friction=0.6)
    clock = Clock(control_hz=1000.0)
    return not simulate_requests([play_request(motion, robot)], robot, world=world, clock=clock).outcome.fell


def keep(
    story: str,
    method: str,
    report: dict[str, object],
    seconds: float,
    judged: tuple[str, object],
    *,
    quick: bool = False,
) -> None:
    """Record one row."""
    stretch = [part["stretch"] for part in report.get("intervals", [])]
    row = {
        "story": story,
        "method": method,
        "frames": report.get("frames", ""),
        "drawn_s": round(float(report["drawn_s"]), 2),
        "duration_s": round(float(report["duration_s"]), 2),
        "most_stretch": round(max(stretch, default=1.0), 2),
        "away_rms_mm": round(report["away_mm"]["rms"], 2) if "away_mm" in report else 0.0,
        "away_most_mm": round(report["away_mm"]["largest"], 1) if "away_mm" in report else 0.0,
        "turned_rms_deg": round(report["turned_deg"]["rms"], 2) if "turned_deg" in report else 0.0,
        "verdict": judged[0],
        "stands": judged[1],
        "processor_s": round(seconds, 1),
    }
    record("feasible_story", [row], packages=["casadi", "mujoco", "numpy"], quick=quick)


def measure_story(robot: Robot, name: str, methods: list[str], *, quick: bool = False) -> None:
    """Measure one story by some methods."""
    animation = load_animation(story_path("cassie", name))
    if "raw" in methods:
        raw = preview_animation(robot, animation)
        report = {"drawn_s": animation.duration_s, "duration_s": raw.duration_s}
        found = check(raw, robot)
        broken = (
            " + ".join(reason.limit or str(reason) for reason in found.reasons) if found.verdict == "refused" else ""
        )
        keep(name, "raw", report, 0.0, (f"breaks {broken}" if broken else "ok", stands(robot, raw)), quick=quick)
    for method in [known for known in get_args(AnimationMethod) if known in methods]:
        started = process_time()
        motion = animate(robot, animation, method=method)
        seconds = process_time() - started
        report = motion.meta["animation"]
        assert report["method"] == method, report["not_by"]
        keep(name, method, report, seconds, (check(motion, robot).verdict, stands(robot, motion)), quick=quick)


def long_ones(robot: Robot, methods: list[str]) -> None:
    """Measure motions of 5 s and of 373 frames."""
    for beats in (8, 29):
        animation = dance(beats)
        stance = planted_stance(robot, animation)
        frames = sample_keyframes(animation, robot.foot_names, robot.joint_names)
        frames = round_corners(frames) if len(frames.corner) else frames
        raw = solve_frames(stance, frames)
        for method in [known for known in get_args(AnimationMethod) if known in methods]:
            started = process_time()
            story = make_feasible(stance, frames, raw, margin_m=0.01, rate_hz=100.0, method=method)
            seconds = process_time() - started
            judged = ("solved" if story.solved else "not solved", "")
            keep(
                f"dance of {len(raw)} frames",
                method,
                animation_report(frames.time_s, frames.key, raw, story),
                seconds,
                judged,
            )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure stories or long dances; quick: one story as drawn."""
    known = ("raw", *get_args(AnimationMethod))
    stories = story_names("cassie")
    parser = benchmark_parser(__doc__)
    parser.add_argument("words", nargs="*", metavar="METHOD or STORY", help=f"{', '.join(known)}; {', '.join(stories)}")
    parser.add_argument("--long", action="store_true", help="measure dances of 5 s and of 373 frames instead")
    options = parser.parse_args(arguments)
    for word in options.words:
        if word not in (*known, *stories):
            parser.error(f"'{word}' is neither a method nor a story.")
    cassie = load_robot("cassie")
    if options.quick:
        measure_story(cassie, stories[0], ["raw"], quick=True)
        return
    methods = [word for word in options.words if word in known] or list(known)
    if options.long:
        long_ones(cassie, methods)
        return
    for story in [word for word in options.words if word in stories] or stories:
        measure_story(cassie, story, methods)


if __name__ == "__main__":
    main()
