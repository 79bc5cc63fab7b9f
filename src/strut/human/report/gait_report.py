"""Gait report: an HTML page about human walks, with parameters, curves over the cycle and comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from matplotlib.figure import Figure

from strut.errors import BadMotionError
from strut.human.analysis.condition_comparison import ConditionComparison
from strut.human.analysis.gait_analysis import GaitAnalysis
from strut.human.analysis.gait_cycle import gait_cycle, mirror_image
from strut.human.report.condition_report import condition_curves
from strut.human.report.condition_text import condition_tables
from strut.human.report.gait_pdf import encode_gait_pdf
from strut.human.report.gait_plots import (
    Walk,
    angle_plot,
    cop_paths_plot,
    elevation_plot,
    force_plot,
    known_parts,
    plane_plot,
    power_plot,
    torque_plot,
)
from strut.human.report.gait_text import closing_sentence, doubt_sentences, gait_tables, left_out_sentences
from strut.human.report.stride_report import repeated_strides, stride_plots, stride_tables
from strut.models.laboratory_names import PANELS
from strut.motion import Motion
from strut.plumbing.atomic_files import write_atomically
from strut.plumbing.number_text import join_words
from strut.robot import Robot
from strut.viewer.page import page, plotted

SIDED = ("Leg", "Arm")  # parts of the body that have two sides
SIGNS = {
    "Leg": ", flexion and dorsiflexion upwards; the hip is counted from the pelvis of a standing person, 11 degrees "
    "less than from the plane of its spines"
}
BANDS = "; grey: people at the first walk's speed, mean and standard deviation, where published"


def save_gait_report(
    found: GaitAnalysis, path: Path | str, *, conditions: ConditionComparison | None = None, force: bool = False
) -> None:
    """Write a report about walks, with their curves over the gait cycle: a page, or sheets of A4 if it ends in .pdf.

    Args:
        found: Their analysis.
        path: File to write.
        conditions: Comparison of conditions, which the report then shows instead of single walks.
        force: Replace an existing file.

    Example:
        >>> strut.human.save_gait_report(strut.analyze(strut.load_motion("gait.npz")), "gait.html")  # doctest: +SKIP
    """
    path = Path(path)
    walks = found.walks
    strides = repeated_strides(found) if conditions is None else {}
    own, left = ([], []) if conditions is not None else _drawn(found)
    introduction = f"Trials: {join_words(list(walks))}." if conditions is not None else _introduction([*own, *left])
    doubts = [words for name, walk in walks.items() for words in doubt_sentences(name, *walk)]
    tables = [*(gait_tables(found) if conditions is None else condition_tables(conditions)), *stride_tables(strides)]
    left_out = [*left_out_sentences(found), *(() if conditions is None else conditions.muscle_remarks)]
    curves = list(_curves(own, left) if conditions is None else condition_curves(found, conditions))
    if sheets := list(stride_plots(strides)):
        curves.insert(0, ("Mean and standard deviation over strides", sheets))
    if path.suffix.lower() == ".pdf":
        content = encode_gait_pdf("Gait analysis", [introduction, *doubts, *left_out], tables, curves)
    else:
        content = page(
            "gait_report.html",
            title="gait analysis",
            introduction=introduction,
            doubts=doubts,
            tables=tables,
            left_out=left_out,
            curves=[(heading, [plotted(*drawn) for drawn in figures]) for heading, figures in curves],
        )
    write_atomically(path, content, force=force)


def _drawn(found: GaitAnalysis) -> tuple[list[Walk], list[Walk]]:
    """Return one cycle of each walk, and of those whose legs differ that of the left leg as the mirror image."""
    own = [_walk(name, robot, motion) for name, (robot, motion) in found.walks.items()]
    left = [
        _walk(f"{name}, left side", robot, mirror_image(robot, motion))
        for name, (robot, motion) in found.walks.items()
        if not found.parameters[name].symmetric
    ]
    return own, left


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
            f"{number}: {join_words([walk.name for walk in walks])}.",
            "Curves show the right side over one cycle, from one landing of the right heel to the next, and of a walk "
            "whose legs differ the left side over its own; the upright line is where the toes leave the ground.",
            *(closing_sentence(walk.name, walk.cycle.closing) for walk in walks),
        ]
    )


def _curves(own: Sequence[Walk], left: Sequence[Walk]) -> Iterator[tuple[str, list[tuple[Figure, str]]]]:
    """Yield headings and plots of the curves that at least one walk has data for.

    Args:
        own: The walks.
        left: Mirror images of those whose legs differ, for what has two sides.
    """
    walks = [*own, *left]
    torques = f"torques per body mass, with the signs of the angles{BANDS}."
    powers = "above 0 the joint gives to the movement"
    plane = "The three together draw a loop near a plane; above it, the shares of variance along the principal axes."
    elevation = "Thigh, shank and foot of the right leg against the vertical; a flat foot is 0."
    parts = known_parts(walks[0].robot.joint_names)
    drawn = {part: walks if part in SIDED else own for part in PANELS}
    known: dict[str, list[tuple[Figure | None, str]]] = {
        "Joint angles": [
            (angle_plot(drawn[part], part), f"{part}: angles over the cycle{SIGNS.get(part, '')}{BANDS}.")
            for part in PANELS
        ],
        "Joint torques per body mass": [(torque_plot(drawn[part], part), f"{part}: {torques}") for part in parts],
        "Joint powers per body mass": [
            (power_plot(walks, "Leg"), f"Leg: torque times speed; {powers}, below it takes{BANDS}."),
        ],
        "Ground forces per body weight": [
            (force_plot(walks), "Force of the ground on the foot. Impulses at landings are not in it."),
        ],
        "Centre of pressure": [
            (cop_paths_plot(own), "Centre of pressure from above over one cycle; pale: the pelvis."),
        ],
        "Elevation angles": [(elevation_plot(walks), elevation), (plane_plot(walks), plane)],
    }
    for heading, figures in known.items():
        if plots := [(figure, caption) for figure, caption in figures if figure is not None]:
            yield heading, plots
