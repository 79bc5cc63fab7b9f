"""Gait report: one page about human walks that opens offline: parameters, curves over the cycle, comparison."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
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
from strut.show.page import Picture, page, plotted
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
        *_tables(parameters),
        *_comparison(comparison, [name for name in walks if name not in comparison.names]),
        *_curves(drawn),
    ]
    content = page(
        "gait_report.html",
        title="gait analysis",
        introduction=_introduction(drawn),
        doubts=[words for name, walk in walks.items() for words in doubt_sentences(name, *walk)],
        sections=sections,
    )
    write_atomically(Path(path), content, force=force)


@dataclass(frozen=True, slots=True, eq=False)
class Section:
    """A part of the page: a heading and words, if any, then a table, if any, then plots."""

    heading: str = ""
    words: str = ""
    caption: str = ""
    header: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    plots: Sequence[Picture] = ()


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


def _tables(parameters: Mapping[str, GaitParameters]) -> Iterator[Section]:
    known, header = list(parameters.values()), ["", *parameters]
    yield Section("Gait parameters", "", "What gait laboratories report", header, parameter_rows(known))
    words = "What joints give to the movement (+) and take from it (-) in one cycle, per body mass."
    if rows := work_rows(known):
        yield Section("Work", words, "Work of the joints [J/kg]", header, rows)


def _comparison(comparison: GaitComparison, left_out: Sequence[str]) -> Iterator[Section]:
    if left_out:
        yield Section(words=left_out_sentence(left_out))
    if any(comparison.judged(name) for name in comparison.names):
        words = (
            "Each walk by each basic criterion, and by the published mixtures of them (objectives). Smaller is better, "
            f"* is the best. {STEP_WORDS}"
        )
        yield Section("Criteria", words, "Cross-evaluation", *criteria_rows(comparison))
    if len(comparison.names) > 1:
        words = (
            "Posture and whole time term, as in the published numbers; in brackets with half of the time term, as the "
            f"equation was printed (E27). 0 is the same walk. {STEP_WORDS}"
        )
        rows = dissimilarity_rows(comparison)
        yield Section("Similarity", words, "How far apart", ["", *comparison.names], rows)


def _curves(walks: Sequence[Walk]) -> Iterator[Section]:
    """Yield the sections of curves that at least one walk has data for."""
    plane = "The three together draw a loop near a plane; above it, the shares of variance along the principal axes."
    elevation = "Thigh, shank and foot of the right leg against the vertical; a flat foot is 0."
    known: tuple[tuple[str, list[tuple[Figure | None, str]]], ...] = (
        ("Joint angles", [(angle_plot(walks, part), f"{part}: angles over the cycle.") for part in PANELS]),
        (
            "Joint torques per body mass",
            [
                (torque_plot(walks, part), f"{part}: torques per body mass, with the signs of the angles.")
                for part in known_parts(walks[0].robot.joint_names)
            ],
        ),
        (
            "Joint powers per body mass",
            [
                (
                    power_plot(walks, "Leg"),
                    "Leg: torque times speed; above 0 the joint gives to the movement, below it takes.",
                )
            ],
        ),
        (
            "Ground forces per body weight",
            [(force_plot(walks), "Force of the ground on the right foot. Impulses at landings are not in it.")],
        ),
        (
            "Centre of pressure",
            [(pressure_paths_plot(walks), "Centre of pressure from above over one cycle; pale: the pelvis.")],
        ),
        ("Elevation angles", [(elevation_plot(walks), elevation), (plane_plot(walks), plane)]),
    )
    for heading, figures in known:
        plots = [plotted(figure, caption) for figure, caption in figures if figure is not None]
        if plots:
            yield Section(heading, plots=plots)
