"""The slider survey of human gaits: means of 75 clips, which clips are read as intended, how often each was rated."""

from __future__ import annotations

import numpy as np

from strut.reproduction.comparison import Comparison, compared, corrected, unpublished
from strut.robot import Array
from strut.study.published import published
from strut.study.ratings import band

GROUP = "slider survey"
_INTENDED = {"A": -1, "N": 0, "J": 1}  # by the first letter of the mood
SUBJECTS = tuple(f"Subject{number}" for number in range(1, 6))


def clip_means() -> Array:
    """Return the printed means by mood (angriest first), subject and clip. Shape (5, 5, 3)."""
    study = published("slider_survey")
    return np.array([[[mean for mean, _ in study[mood][subject]] for subject in SUBJECTS] for mood in study["moods"]])


def slider_rows() -> list[Comparison]:
    """Return what the printed means determine, with erratum E29."""
    study, means = published("slider_survey"), clip_means()
    derived = study["derived"]
    inside = [
        sum(
            band(float(mean), study["border"]) == _INTENDED[mood[0]]
            for mood, by_mood in zip(study["moods"], means[:, subject], strict=True)
            for mean in by_mood
        )
        for subject in range(len(SUBJECTS))
    ]
    by_mood = means.mean(axis=2)
    rising = [float((np.diff(by_mood[:, subject]) > 0).all()) for subject in range(len(SUBJECTS))]
    slots = study["sets"] * study["clips_per_set"] / study["clips"]
    ratings = study["ratings"]
    return [
        compared(GROUP, "clips read as intended, subjects 1 to 5", derived, "clips_in_band", inside),
        compared(GROUP, "mood means of subject 3, angriest first", derived, "subject3_means", by_mood[:, 2].tolist()),
        compared(GROUP, "moods in their intended order, subjects 1 to 5", derived, "in_order", rising),
        compared(GROUP, "times each clip is in a set", derived, "slots_per_clip", slots),
        corrected(
            "E29",
            "ratings per clip",
            ratings["per_clip"],
            ratings["total"] / study["clips"],
            "",
            "4023 ratings, 75 clips",
        ),
        unpublished(GROUP, "ratings per participant", ratings["total"] / study["people"], ""),
    ]
