"""Gait report: one page about human walks that opens offline: parameters, curves over the cycle, comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

from matplotlib.figure import Figure

from strut.analysis.gait_analysis import GaitAnalysis
from strut.analysis.gait_comparison import GaitComparison
from strut.analysis.gait_cycle import gait_cycle, mirror_image
from strut.analysis.gait_parameters import GaitParameters
from strut.errors import BadMotionError
from strut.human.laboratory_names import PANELS
from strut.io.atomic import write_atomically
from strut.motion import Motion
from strut.robot import Robot
from strut.show.gait_plots import (
    Walk,
    angle_plot,
    elevation_plot,
    force_plot,
    known_parts,
    plane_plot,
    power_plot,
    pressure_paths_plot,
    torque_plot,
)
from strut.show.gait_wording import (
    closing_sentence,
    criteria_rows,
    dissimilarity_rows,
    doubt_sentences,
    left_out_sentence,
    parameter_rows,
    work_rows,
)
from strut.show.page import page, picture, table
from strut.show.plots import figure_svg
from strut.show.wording import listed

STEP_WORDS = "Steps run from the left foot's toe-off to the right foot's."


def save_gait_report(found: GaitAnalysis, path: Path | str, *, force: bool = False) -> None:
    """Write one page about walks, with their curves over the gait cycle.

    Args:
        found: What was measured of them.
        path: File to write.
        force: Replace an existing file.

    Example:
        >>> strut.save_gait_report(strut.analyze(strut.load_motion("gait.npz")), "gait.html")  # doctest: +SKIP
    """
    walks, parameters, comparison = found.walks, found.parameters, found.comparison
    drawn = [_walk(name, robot, motion) for name, (robot, motion) in walks.items()]
    drawn += [
        _walk(f"{name}, left side", robot, mirror_image(robot, motion))
        for name, (robot, motion) in walks.items()
        if not parameters[name].symmetric
    ]
    sections = [
        f"<header><h1>Gait analysis</h1><p>{escape(_introduction(drawn))}</p></header>",
        *(f"<p>{escape(words)}</p>" for name, walk in walks.items() for words in doubt_sentences(name, *walk)),
        "<h2>Gait parameters</h2>"
        + table("What gait laboratories report", ["", *parameters], parameter_rows(list(parameters.values()))),
        *_work(parameters),
        *_comparison(comparison, [name for name in walks if name not in comparison.names]),
        *_angles(drawn),
        *_torques(drawn),
        *_powers(drawn),
        *_rest(drawn),
    ]
    write_atomically(Path(path), page("strut: gait analysis", sections), force=force)


def _walk(name: str, robot: Robot, motion: Motion) -> Walk:
    cycle = gait_cycle(robot, motion)
    if cycle is None:
        raise BadMotionError(
            f"{name}: the right heel does not land twice, and the motion ends neither as it began nor as its mirror "
            "image; give a whole cycle of walking, or leave --html out."
        )
    return Walk(name, robot, cycle)


def _introduction(walks: Sequence[Walk]) -> str:
    number = "One walk" if len(walks) == 1 else f"{len(walks)} walks"
    return " ".join(
        [
            f"{number}: {listed([walk.name for walk in walks])}.",
            "Curves show the right side over one cycle, from one landing of the right heel to the next, and of a walk "
            "whose legs differ the left side over its own; the upright line is where the toes leave the ground.",
            *(closing_sentence(walk.name, walk.cycle.closing) for walk in walks),
        ]
    )


def _work(parameters: Mapping[str, GaitParameters]) -> Iterator[str]:
    if rows := work_rows(list(parameters.values())):
        words = "What joints give to the movement (+) and take from it (-) in one cycle, per body mass."
        heading = f"<h2>Work</h2><p>{escape(words)}</p>"
        yield heading + table("Work of the joints [J/kg]", ["", *parameters], rows)


def _comparison(comparison: GaitComparison, left_out: Sequence[str]) -> Iterator[str]:
    if left_out:
        yield f"<p>{escape(left_out_sentence(left_out))}</p>"
    if any(comparison.judged(name) for name in comparison.names):
        words = (
            "Each walk by each basic criterion, and by the published mixtures of them (objectives). Smaller is better, "
            f"* is the best. {STEP_WORDS}"
        )
        yield f"<h2>Criteria</h2><p>{escape(words)}</p>" + table("Cross-evaluation", *criteria_rows(comparison))
    if len(comparison.names) > 1:
        words = (
            "Posture and whole time term, as in the published numbers; in brackets with half of the time term, as the "
            f"equation was printed (E27). 0 is the same walk. {STEP_WORDS}"
        )
        rows = dissimilarity_rows(comparison)
        yield f"<h2>Similarity</h2><p>{escape(words)}</p>" + table("How far apart", ["", *comparison.names], rows)


def _angles(walks: Sequence[Walk]) -> Iterator[str]:
    yield "<h2>Joint angles</h2>"
    for part in PANELS:
        yield _figure(angle_plot(walks, part), f"{part}: angles over the cycle.")


def _torques(walks: Sequence[Walk]) -> Iterator[str]:
    figures = [(part, torque_plot(walks, part)) for part in known_parts(walks[0].robot.joint_names)]
    if any(figure for _, figure in figures):
        yield "<h2>Joint torques per body mass</h2>"
    for part, figure in figures:
        if figure is not None:
            yield _figure(figure, f"{part}: torques per body mass, with the signs of the angles.")


def _powers(walks: Sequence[Walk]) -> Iterator[str]:
    figure = power_plot(walks, "Leg")
    if figure is not None:
        yield "<h2>Joint powers per body mass</h2>"
        yield _figure(figure, "Leg: torque times speed; above 0 the joint gives to the movement, below it takes.")


def _rest(walks: Sequence[Walk]) -> Iterator[str]:
    force, pressure = force_plot(walks), pressure_paths_plot(walks)
    if force is not None:
        yield "<h2>Ground forces per body weight</h2>"
        yield _figure(force, "Force of the ground on the right foot. Impulses at landings are not in it.")
    if pressure is not None:
        yield "<h2>Centre of pressure</h2>"
        yield _figure(pressure, "Centre of pressure from above over one cycle; pale: the pelvis.")
    yield "<h2>Elevation angles</h2>"
    yield _figure(
        elevation_plot(walks), "Thigh, shank and foot of the right leg against the vertical; a flat foot is 0."
    )
    yield _figure(
        plane_plot(walks),
        "The three together draw a loop near a plane; above it, the shares of variance along the principal axes.",
    )


def _figure(figure: Figure, caption: str) -> str:
    return picture(figure_svg(figure), "svg+xml", caption, caption)
