"""Report: one page about motions that opens offline: a 3-D scene, receipts and plots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from strut.models.solid_mesh import MAX_FACES
from strut.motion import Motion
from strut.plumbing.number_text import join_words
from strut.robot import Robot
from strut.viewer.footage import SideBySide
from strut.viewer.lanes import Stage
from strut.viewer.loop import there_and_back_s
from strut.viewer.page import Picture, page, plotted
from strut.viewer.picture import as_png, marks_of, panels_of
from strut.viewer.plots import balance_plot, contact_plot, cop_plot, footprint_plot, joint_use_plot
from strut.viewer.pose_strip import pose_strip_bytes
from strut.viewer.receipt_text import receipt_rows, receipt_sentences, verdict_of
from strut.viewer.scene import Scene

MAX_SHOWN_S = 90.0  # of the scene, for the size of the page
MAX_FRAMES = 900  # beyond, the frame rate is reduced down to MIN_HZ
MAX_HZ = 20.0
MIN_HZ = 10.0
ASPECT = 1.9  # width over height of the scene on the page
NARROW_ASPECT = 0.75  # the same on a phone


def report_bytes(shown: SideBySide, *, max_shown_s: float = MAX_SHOWN_S, frames_per_s: float | None = None) -> bytes:
    """Return one page about motions: a picture, the moving scene, and for each its receipt and plots."""
    motions = shown.motions
    labels = shown.labels
    descriptions = [
        f"{label[:1].lower()}{label[1:]} ({verdict_of(motion)})" for label, motion in zip(labels, motions, strict=True)
    ]
    return page(
        "report.html",
        title=join_words(list(dict.fromkeys(robot.title for robot in shown.robots))),
        introduction=f"{'One motion' if len(motions) == 1 else f'{len(motions)} motions'}: {join_words(descriptions)}.",
        stills=_stills(shown, descriptions),
        still_caption=_still_caption(shown),
        people=shown.are_people,
        scene=_scene(shown, max_shown_s, frames_per_s),
        overview=_overview(motions, labels),
        cards=[_card(motion, robot, label) for (motion, robot), label in zip(shown.pairs, labels, strict=True)],
    )


def _stills(shown: SideBySide, descriptions: Sequence[str]) -> list[Picture]:
    """Return pictures: a row of poses for each human walk, or else each robot in mid-swing."""
    if shown.are_people:
        return [Picture(pose_strip_bytes(shown), f"Poses over one stride: {join_words(descriptions)}.", "")]
    return [Picture(as_png(panel), words, "") for panel, words in zip(panels_of(shown), descriptions, strict=True)]


def _still_caption(shown: SideBySide) -> str:
    if shown.are_people:
        return "From one landing of the right heel to the next, in per cent; the left side is darker."
    walks = [bool((~motion.contact).any()) for motion in shown.motions]
    moment = " or ".join(["in mid-step"] * any(walks) + ["half way through"] * (not all(walks)))
    colors = {"support polygon": "green", "centre of mass": "blue", "centre of pressure": "red"}
    known = [f"{colors[name]}: the {name}" for name in marks_of(shown)]
    marks = f" On the ground, {'; '.join(known)}." if known else ""
    return f"Each motion {moment}, to one scale.{marks}"


def _scene(shown: SideBySide, max_shown_s: float, wanted_hz: float | None) -> dict[str, str]:
    """Return the moving scene as a page of its own, with a caption that names the part that it shows."""
    shown_s = min(max_shown_s, shown.longest_s)
    is_long = shown_s * MAX_HZ > MAX_FRAMES
    default_hz = max(MIN_HZ, float(round(MAX_FRAMES / shown_s))) if is_long else MAX_HZ
    frames_per_s = default_hz if wanted_hz is None else wanted_hz
    times_s = there_and_back_s(shown_s, frames_per_s)
    scene = Scene()
    try:
        stage = Stage(scene, shown, times_s, aspect=ASPECT, narrow_aspect=NARROW_ASPECT)

        def frames() -> Iterator[float]:
            for index in range(len(times_s)):
                stage.go_to(index)
                yield 1.0 / frames_per_s

        recorded = scene.record(frames)
    finally:
        scene.close()
    part = "all of it" if shown_s >= shown.longest_s else f"the first {shown_s:.0f} of at most {shown.longest_s:.0f} s"
    shorter = len({round(motion.duration_s, 1) for motion in shown.motions}) > 1
    caption = (
        f"Shown: {part}, at {frames_per_s:g} frames per second and real speed, then rewound and again"
        f"{'; shorter motions are continued from their end' if shorter else ''}. "
        "Drag to turn, pinch or scroll to zoom; the bar below the scene pauses it and goes to any time."
    )
    if stage.is_simplified:
        caption += f" Meshes are reduced to about {MAX_FACES} triangles a robot."
    return {"page": recorded, "title": "The robots moving in 3-D", "caption": caption}


def _overview(motions: Sequence[Motion], labels: Sequence[str]) -> dict[str, Any] | None:
    known = {
        label: dict(receipt_rows(motion.receipt))
        for label, motion in zip(labels, motions, strict=True)
        if motion.receipt is not None
    }
    if len(motions) < 2 or not known:
        return None
    words = dict.fromkeys(word for rows in known.values() for word in rows)
    rows = [[word, *(receipt.get(word, "") for receipt in known.values())] for word in words]
    return {"header": ["", *known], "rows": rows}


def _card(motion: Motion, robot: Robot, label: str) -> dict[str, Any]:
    receipt = motion.receipt
    return {
        "label": label,
        "verdict": receipt.verdict if receipt else "unchecked",
        "kept": verdict_of(motion),
        "sentences": " ".join(receipt_sentences(receipt)),
        "receipt": receipt_rows(receipt) if receipt else [],
        "plots": list(_plots(motion, robot, label)),
    }


def _plots(motion: Motion, robot: Robot, label: str) -> Iterator[Picture]:
    """Yield the plots for which the motion has data."""
    known = (
        (
            balance_plot(motion, robot),
            "balance margin over time",
            f"How far inside the {robot.carriers} the centre of pressure stays (green), and the centre of mass "
            "(blue, as if the robot stood still).",
        ),
        (joint_use_plot(motion, robot), "joint speed and torque use over time", "The busiest joint at each moment."),
        (
            contact_plot(motion),
            "foot contacts over time",
            "When each foot is on the ground (dark) and in the air (white).",
        ),
        (
            footprint_plot(motion, robot),
            "footprints from above",
            "The whole path from above: left feet dark, right feet ochre, start (dot), centre of mass (blue), "
            "way-points and goal (red crosses).",
        ),
        (
            cop_plot(motion, robot),
            "path of the centre of pressure",
            "One cycle from above.",
        ),
    )
    for figure, what, caption in known:
        if figure is not None:
            yield plotted(figure, caption, f"{label}: {what}. {caption}")
