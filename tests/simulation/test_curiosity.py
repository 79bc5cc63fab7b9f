"""The curiosity story: stand, look, walk lower and lower, stop, look around; from start to end, at friction 0.6."""

import numpy as np

from strut.animation.animation_file import load_animation
from strut.animation.stories import story_path
from strut.pilot.piloted_sequence import perform_sequence
from strut.verify.check import check


def test_the_curiosity_story_runs_from_start_to_end_without_a_fall():
    motion = perform_sequence("cassie", load_animation(story_path("cassie", "curiosity")), friction=0.6, rate_hz=50.0)
    assert motion.receipt.verdict == "ok"
    assert motion.receipt.distance_m > 2.5
    assert motion.meta["outcome"]["finished"]
    phases = [begun["phase"] for begun in motion.meta["sequence"]]
    assert [phase for phase in phases if phase in ("play", "walk")] == ["play", "walk", "walk", "walk", "play"]
    last_walk = [begun["at_s"] for begun in motion.meta["sequence"] if begun["phase"] == "walk"][-1]
    brakes = next(begun["at_s"] for begun in motion.meta["sequence"] if begun["phase"] == "brake")
    height = motion.qpos[:, 2]
    walked = np.searchsorted(motion.time_s, (last_walk, brakes))
    assert height[walked[1]] < height[walked[0]] - 0.04  # it squats while it walks
    eyes = [which for _, which in motion.meta["eyes"]]
    assert {"wide", "up", "left", "right"} <= set(eyes)
    assert check(motion).verdict == "ok"
