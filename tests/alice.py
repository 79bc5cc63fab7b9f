"""Alice in tests: her legs, and posture targets written in the paper's centimetres and degrees."""

from __future__ import annotations

import tomllib
from pathlib import Path

import numpy as np

from strut.gaits.footsteps.biped_model import biped_model
from strut.gaits.footsteps.biped_posture import PostureTargets
from strut.models.catalogue import load_robot

REFERENCE = tomllib.loads((Path(__file__).parent / "data" / "alice.toml").read_text("utf-8"))
ALICE = load_robot("alice")
LEGS = biped_model(ALICE)
RIGHT_CM = (0.0, -4.49, 0.0)
LEFT_CM = (0.0, 4.49, 0.0)


def targets_cm(right=RIGHT_CM, left=LEFT_CM, com=(0.0, 0.0), headings=(0.0, 0.0, 0.0), height=22.0):
    """Return posture targets; arguments may carry a leading axis of N."""
    arrays = [np.atleast_2d(np.asarray(value, dtype=float)) for value in (right, left, com, headings)]
    heights = np.atleast_1d(np.asarray(height, dtype=float))
    count = max(len(heights), *(len(array) for array in arrays))
    right, left, com, headings = (np.broadcast_to(array, (count, array.shape[1])) for array in arrays)
    return PostureTargets(
        np.stack([right, left], axis=1) / 100.0,
        com / 100.0,
        np.radians(headings[:, :2]),
        np.radians(headings[:, 2]),
        np.broadcast_to(heights, (count,)) / 100.0,
    )


def golden_targets(name):
    """Return the target of a golden posture."""
    entry = REFERENCE["posture"][name]
    return targets_cm(entry.get("q1", RIGHT_CM), entry["q8"], entry["com"], entry.get("headings", (0.0, 0.0, 0.0)))


def random_targets(count, rng):
    """Return targets within 4 cm steps, 1.5 cm lift, 0.3 rad of heading and body heights of 19 to 22 cm."""
    left = np.array(LEFT_CM) + np.stack(
        [rng.uniform(-4, 4, count), rng.uniform(0, 1, count), rng.uniform(0, 1.5, count)], axis=1
    )
    com = np.stack([rng.uniform(-0.5, 0.5, count), rng.uniform(-4.49, -3.5, count)], axis=1)
    headings = np.degrees(rng.uniform(-0.3, 0.3, (count, 2)))
    headings = np.stack([headings[:, 0], headings[:, 1], headings.mean(axis=1)], axis=1)
    return targets_cm(RIGHT_CM, left, com, headings, rng.uniform(19, 22, count))
