"""Report: one page about motions that opens offline: they move in 3-D, and receipts and plots stand below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from strut.engines.scene import Scene
from strut.io.atomic import write_atomically
from strut.motion import Motion
from strut.receipt import Receipt
from strut.robot import Robot
from strut.show.footage import Look, frame_times_s, matched
from strut.show.page import frame, page, picture, table
from strut.show.picture import png_bytes
from strut.show.plots import balance_plot, contact_plot, figure_svg, footprint_plot, joint_use_plot, pressure_plot
from strut.show.pose_strip import are_people, pose_strip_bytes
from strut.show.stage import Stage
from strut.show.wording import listed, receipt_rows, receipt_sentences, title_of, verdict_of

MOST_SHOWN_S = 90.0
MOST_FRAMES = 900
SMOOTHEST_HZ, COARSEST_HZ = 20.0, 10.0  # frames per second, fewer where there is more to show
ASPECT = 2.0  # of the frame on the page


def save_html(
    motions: Sequence[Motion],
    robots: Sequence[Robot],
    path: Path | str,
    *,
    most_shown_s: float = MOST_SHOWN_S,
    frames_per_s: float | None = None,
    look: Look = "solid",
    force: bool = False,
) -> None:
    """Write one page about motions: a picture, the moving scene, and for each its receipt and plots.

    Args:
        motions: What to show.
        robots: The robot of each motion.
        path: File to write.
        most_shown_s: The scene shows the first so many seconds; the plots show everything.
        frames_per_s: Frames per second of the scene; fewer for longer motions if None.
        look: Bodies, or stick figures.
        force: Replace an existing file.
    """
    pairs = matched(motions, robots)
    titles = list(dict.fromkeys(robot.title for robot in robots))
    sections = [
        f"<header><h1>{escape(listed(titles))}</h1><p>{escape(_introduction(motions))}</p></header>",
        _still(motions, robots, look),
        _scene(motions, robots, most_shown_s, frames_per_s, look),
        _overview(motions),
        *(_card(motion, robot) for motion, robot in pairs),
    ]
    write_atomically(Path(path), page(f"strut: {listed(titles)}", sections), force=force)


def _still(motions: Sequence[Motion], robots: Sequence[Robot], look: Look) -> str:
    """Return a picture: a row of poses for each human walk, or each robot in mid-step."""
    listing = listed([_described(motion) for motion in motions])
    if are_people(robots):
        drawn, what = pose_strip_bytes(motions, robots, look=look), f"Poses over one stride: {listing}."
        caption = "From one landing of the right heel to the next, in per cent; the left side is darker."
        return f'<div class="wide">{picture(drawn, "png", what, caption)}</div>'
    drawn, what = png_bytes(motions, robots, look=look), f"The robots side by side in mid-step: {listing}."
    caption = (
        "Each motion in mid-step, to one scale. On the ground, green: the support polygon; red: the centre of "
        "pressure; blue: the centre of mass."
    )
    return f'<div class="{"wide" if len(motions) > 2 else ""}">{picture(drawn, "png", what, caption)}</div>'


def _introduction(motions: Sequence[Motion]) -> str:
    number = "One motion" if len(motions) == 1 else f"{len(motions)} motions"
    return f"{number}: {listed([_described(motion) for motion in motions])}."


def _described(motion: Motion) -> str:
    return f"{title_of(motion).lower()} ({verdict_of(motion)})"


def _scene(
    motions: Sequence[Motion], robots: Sequence[Robot], most_shown_s: float, wanted_hz: float | None, look: Look
) -> str:
    """Return the moving scene as HTML, with words about what part of the motions it shows."""
    longest_s = max(motion.duration_s for motion in motions)
    shown_s = min(most_shown_s, longest_s)
    long = shown_s * SMOOTHEST_HZ > MOST_FRAMES
    usual_hz = max(COARSEST_HZ, float(round(MOST_FRAMES / shown_s))) if long else SMOOTHEST_HZ
    frames_per_s = usual_hz if wanted_hz is None else wanted_hz
    times_s = frame_times_s(shown_s, frames_per_s)
    scene = Scene()
    try:
        stage = Stage(scene, motions, robots, times_s, aspect=ASPECT, look=look)

        def frames() -> Iterator[float]:
            for index in range(len(times_s)):
                stage.go_to(index)
                yield 1.0 / frames_per_s

        recorded = scene.record(frames)
    finally:
        scene.close()
    part = "all of it" if shown_s >= longest_s else f"the first {shown_s:.0f} of at most {longest_s:.0f} s"
    caption = (
        f"Shown: {part}, at {frames_per_s:g} frames per second and real speed, then again from the start. "
        "Drag to turn, pinch or scroll to zoom; the bar below the scene pauses it and goes to any time."
    )
    return "<h2>In motion</h2>" + frame(recorded, "The robots moving in 3-D", caption)


def _overview(motions: Sequence[Motion]) -> str:
    receipts = [motion.receipt for motion in motions]
    if len(motions) < 2 or not any(receipts):
        return ""
    known = [(motion, receipt) for motion, receipt in zip(motions, receipts, strict=True) if receipt is not None]
    columns = [receipt_rows(receipt) for _, receipt in known]
    rows = [[cells[0][0], *(value for _, value in cells)] for cells in zip(*columns, strict=True)]
    return "<h2>Side by side</h2>" + table("The receipts of all motions", ["", *(title_of(m) for m, _ in known)], rows)


def _card(motion: Motion, robot: Robot) -> str:
    receipt, title = motion.receipt, title_of(motion)
    verdict = receipt.verdict if receipt else "unchecked"
    badge = f'<span class="badge {verdict}">{escape(verdict_of(motion))}</span>'
    words = escape(" ".join(receipt_sentences(motion.receipt)))
    numbers = f"<div><h3>Receipt</h3>{_receipt_table(receipt, title)}</div>" if receipt else ""
    plots = f'<div><h3>Over time</h3><div class="plots">{"".join(_plots(motion, robot, title))}</div></div>'
    return f'<article><h2>{escape(title)}{badge}</h2><p>{words}</p><div class="card">{numbers}{plots}</div></article>'


def _receipt_table(receipt: Receipt, title: str) -> str:
    return table(f"Receipt of {title}", ["Quantity", "Value"], receipt_rows(receipt))


def _plots(motion: Motion, robot: Robot, title: str) -> Iterator[str]:
    """Yield the plots that this motion has data for."""
    known = (
        (
            balance_plot(motion, robot),
            "balance margin over time",
            "How far inside the feet the centre of pressure stays (green), and the centre of mass (blue, what would be "
            "left if the robot froze).",
        ),
        (joint_use_plot(motion, robot), "joint speed and torque use over time", "The busiest joint at each moment."),
        (contact_plot(motion), "foot contacts over time", "When each foot carries (dark) and swings (white)."),
        (
            footprint_plot(motion, robot),
            "footprints from above",
            "The whole way from above: left feet dark, right feet ochre, start (dot), centre of mass (blue), places to "
            "pass and to stop at (red crosses).",
        ),
        (
            pressure_plot(motion, robot),
            "path of the centre of pressure over the support polygons",
            "One cycle from above: centre of pressure (red), centre of mass (blue), support polygons (green).",
        ),
    )
    for figure, what, caption in known:
        if figure is not None:
            yield picture(figure_svg(figure), "svg+xml", f"{title}: {what}. {caption}", caption)
