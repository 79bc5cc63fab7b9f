"""Which drafts of a story come in which order, and what is told of them: stories that are written by hand."""

import numpy as np
import pytest

from strut.animation import animation_drafts
from strut.animation.animation_drafts import (
    REPORTED_STRETCH,
    STRENGTHS_AND_MARGINS,
    WEAKENED_STRETCH,
    AnimationDrafts,
    animation_report,
)
from strut.animation.animation_file import load_animation
from strut.animation.feasible_animation import FeasibleAnimation
from strut.animation.request import Animate
from strut.animation.stories import story_path
from strut.errors import OutOfRangeError
from strut.models.catalogue import load_robot
from strut.style import Style
from tests.stories import slow_nod

CASSIE = load_robot("cassie")
FRAMES = 5


def drafts_by(method, margin_m=0.01):
    return AnimationDrafts(CASSIE, Animate(animation=slow_nod(), method=method), margin_m, 50.0)


def story_of(stretch=(1.0, 1.5), solved=True, why=None):
    """Return a story of five frames with keyframes 0, 2 and 4: the base 3 cm away in frame 1, 4 cm in frame 2."""
    qpos = np.tile(CASSIE.standing_qpos, (FRAMES, 1))
    qpos[1, 0] += 0.03
    qpos[2, 1] -= 0.04
    qpos[3, 3:7] = np.cos(0.05), 0.0, np.sin(0.05), 0.0
    qpos[2, 9] += 0.2
    times = np.array([0.0, 0.1, 0.2, 0.4, 0.6])
    contact = np.ones((FRAMES, 2), dtype=bool)
    eyes = ("happy", "happy", "sad", "sad", "sad")
    return FeasibleAnimation(
        times, qpos, contact, eyes, frame_time_s=times, frame_qpos=qpos, stretch=np.array(stretch), why=why or {},
        solved=solved, rounds=3,
    )  # fmt: skip


def report_of(story, strength=1.0, key=(0, 2, 4)):
    raw = np.tile(CASSIE.standing_qpos, (FRAMES, 1))
    return animation_report(0.1 * np.arange(FRAMES), np.array(key), raw, story, strength)


def test_a_report_says_how_far_a_story_is_from_its_drawing():
    report = report_of(story_of())
    away = report["away_mm"]
    assert (report["frames"], report["keyframes"], report["rounds"], report["strength"]) == (5, [0, 2, 4], 3, 1.0)
    assert (report["drawn_s"], report["duration_s"]) == (pytest.approx(0.4), 0.6)
    assert away["rms"] == pytest.approx(1e3 * np.sqrt((0.03**2 + 0.04**2) / 5.0))
    assert (away["largest"], away["largest_at_s"]) == (pytest.approx(40.0), 0.2)
    assert away["keyframes_rms"] == pytest.approx(1e3 * np.sqrt(0.04**2 / 3.0))
    assert away["between_rms"] == pytest.approx(1e3 * np.sqrt(0.03**2 / 2.0))
    assert report["turned_deg"]["largest"] == pytest.approx(np.degrees(0.1))
    assert report["turned_deg"]["rms"] == pytest.approx(np.degrees(0.1) / np.sqrt(5.0))
    assert report["joints_deg"]["largest"] == pytest.approx(np.degrees(0.2))
    assert report_of(story_of((1.0,) * 4), key=range(FRAMES))["away_mm"]["between_rms"] == 0.0


def test_a_report_says_where_time_was_stretched_and_why():
    report = report_of(story_of((1.0 + 0.9 * (REPORTED_STRETCH - 1.0), 1.5)))
    first, second = report["intervals"]
    assert (first["drawn_s"], first["performed_s"]) == (pytest.approx([0.0, 0.2]), pytest.approx([0.0, 0.2]))
    assert (second["drawn_s"], second["performed_s"]) == (pytest.approx([0.2, 0.4]), pytest.approx([0.2, 0.6]))
    assert (first["why"], second["stretch"]) == ("", 1.5)
    (sentence,) = report["slower"]
    assert sentence.startswith("the part from 0.20 to 0.40 s takes 1.50 times as long, because at the drawn speed")
    seen = report_of(story_of((1.0 + 1.1 * (REPORTED_STRETCH - 1.0), 1.0), why={0: "a torque"}))
    assert seen["slower"] == ["the part from 0.00 to 0.20 s takes 1.02 times as long, because a torque"]


def test_what_was_asked_for_comes_first_and_the_centre_of_mass_alone_after_it():
    assert list(drafts_by("mass").fallbacks()) == [(*way, "mass") for way in STRENGTHS_AND_MARGINS["mass"]]
    for method in ("body", "pieces"):
        ways = list(drafts_by(method).fallbacks())
        assert ways == [(*way, method) for way in STRENGTHS_AND_MARGINS[method]] + [
            (*way, "mass") for way in STRENGTHS_AND_MARGINS["mass"]
        ]


def first_draft(monkeypatch, method, feasible, report):
    """Return the first draft of a nod for a given feasible motion and its report."""
    monkeypatch.setattr(animation_drafts, "make_feasible", lambda *_, **__: feasible)
    monkeypatch.setattr(animation_drafts, "animation_report", lambda *_: dict(report))
    return next(drafts_by(method).drafts(Style(), None))


@pytest.mark.parametrize(
    ("strength", "duration", "reasons"),
    [
        (1.0, 0.99 * WEAKENED_STRETCH, []),
        (1.0, 1.01 * WEAKENED_STRETCH, ["slower"]),
        (0.9, 1.0, ["weakened: 90 % of the movement, because all of it breaks a limit", "slower"]),
    ],
)
def test_a_weaker_or_slower_draft_gives_its_reasons(monkeypatch, strength, duration, reasons):
    report = {"strength": strength, "slower": ["slower"], "drawn_s": 2.0, "duration_s": 2.0 * duration}
    draft = first_draft(monkeypatch, "mass", story_of(), report)
    assert (draft.kept, draft.fallback, [str(reason) for reason in draft.reasons]) == (strength, 0, reasons)
    assert draft.meta["title"] == "nod"
    assert draft.meta["eyes"] == [[0.0, "happy"], [0.2, "sad"]]
    assert draft.meta["animation"]["not_by"] == ""
    replaced = first_draft(monkeypatch, "body", story_of(), report | {"method": "mass"})
    assert replaced.meta["animation"]["not_by"].startswith("method: all joints at once found no motion")


def test_an_animation_that_cannot_be_balanced_has_no_draft(monkeypatch):
    report = {"strength": 1.0, "slower": [], "drawn_s": 1.0, "duration_s": 1.0}
    draft = first_draft(monkeypatch, "mass", story_of(solved=False), report)
    assert len(draft.qpos) == 0
    assert draft.violations[0].text.startswith("no timing and no path")


def test_a_margin_wider_than_the_feet_is_refused_with_the_spare_margin_included():
    drafts = AnimationDrafts(CASSIE, Animate(animation=slow_nod()), 1.0, 50.0)
    with pytest.raises(OutOfRangeError, match="too small for a balance margin of 1008 mm"):
        next(drafts.drafts(Style(), None))


def test_a_story_that_walks_is_refused():
    walks = Animate(animation=load_animation(story_path("cassie", "curiosity")))
    with pytest.raises(OutOfRangeError, match="The story walks"):
        next(AnimationDrafts(CASSIE, walks, 0.01, 50.0).drafts(Style(), None))
