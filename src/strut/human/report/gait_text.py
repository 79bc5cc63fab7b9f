"""Gait text: gait parameters, criteria and dissimilarity of walks as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from strut.engines.rigid_body import foot_positions
from strut.human.analysis.gait_analysis import GaitAnalysis
from strut.human.analysis.gait_comparison import GaitComparison
from strut.human.analysis.gait_cycle import Closing
from strut.human.analysis.gait_parameters import GaitParameters
from strut.human.analysis.leg_figures import STILL_RAD, LegFigures
from strut.human.analysis.naturalness import NEAR_SD
from strut.human.analysis.reference_bands import BandScore
from strut.models.laboratory_names import coordinate_label
from strut.motion import Motion
from strut.robot import Robot
from strut.viewer.receipt_text import NOT_KNOWN
from strut.viewer.report_table import ReportTable

STEP_WORDS = "Steps run from the left foot's toe-off to the right foot's."
MAX_WORK_ROWS = 6  # joints in the table of work
HUMPS = ("vertical force, first peak", "vertical force, valley", "vertical force, second peak")
STANCE = "stance [% of the cycle]"
KNEE = "knee flexion [deg]"
SUMMARY_OF_LEG = (STANCE, KNEE)
OFF_GROUND_M = 0.02  # the soles of a fitted body are nearer to the ground


def parameter_rows(parameters: Sequence[GaitParameters]) -> list[list[str]]:
    """Return a row for each quantity of the whole body and a column for each walk."""
    columns = [_body(one) for one in parameters]
    rows = [[word, *(column[word] for column in columns)] for word in columns[0]]
    if any(one.belt_speed_m_s for one in parameters):
        rows.insert(1, ["belt of the treadmill [m/s]", *(f"{one.belt_speed_m_s:.2f}" for one in parameters)])
    return rows


def leg_columns(parameters: Mapping[str, GaitParameters]) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of the legs: a left and a right column for each walk, one for both if they are alike."""
    apart = not all(one.symmetric for one in parameters.values())
    sides = ("Left", "Right") if apart else ("Right",)
    header = [f"{name}, {side.lower()}" if apart else name for name in parameters for side in sides]
    columns = [_leg(one.legs[side]) for one in parameters.values() for side in sides]
    return ["", *header], [[word, *(column[word] for column in columns)] for word in columns[0]]


def summary_table(found: GaitAnalysis) -> ReportTable:
    """Return the figures that are read first, a row each; the other tables have the rest."""
    parameters = list(found.parameters.values())
    rows = parameter_rows(parameters)
    for word in SUMMARY_OF_LEG:
        rows.append([word, *(_both_sides(one, word) for one in parameters)])
    if any(one.work for one in parameters):
        rows.append(["work of all joints, +/- [J/kg]", *(_work(one, list(one.work)) for one in parameters)])
    if any(found.scores.values()):
        rows.append([f"figures within {NEAR_SD:g} SD of people", *(_near(own) for own in found.scores.values())])
    if len(found.comparison.names) > 1:
        apart = dict(zip(found.comparison.names, found.comparison.dissimilarity[0], strict=True))
        cells = [f"{apart[name].total:.4f}" if name in apart else NOT_KNOWN for name in found.parameters]
        rows.append([f"dissimilarity from {found.comparison.names[0]}", *cells])
    return ReportTable("gait", "Summary", "", "Figures that are read first", ["", *found.parameters], rows)


def _both_sides(one: GaitParameters, word: str) -> str:
    """Return a figure of the legs in one cell: once if they are alike, else left and right."""
    left, right = (_leg(one.legs[side])[word] for side in ("Left", "Right"))
    return right if one.symmetric else f"L {left}, R {right}"


def work_rows(parameters: Sequence[GaitParameters]) -> list[list[str]]:
    """Return the generated and absorbed work of the busiest joints and of all joints, a column for each walk."""
    rows = [[coordinate_label(name), *(_work(one, [name]) for one in parameters)] for name in _busiest(parameters)]
    return [*rows, ["all joints", *(_work(one, list(one.work)) for one in parameters)]] if rows else []


def band_rows(scores: Mapping[str, Mapping[str, BandScore]]) -> list[list[str]]:
    """Return a row for each figure that has a band, and a last one with the count within two standard deviations."""
    words = dict.fromkeys(name for own in scores.values() for name in own)
    if not words:
        return []
    rows = [_band_row(name, scores) for name in words]
    near = [_near(own) for own in scores.values()]
    return [*rows, [f"within {NEAR_SD:g} standard deviations", *near]]


def _band_row(name: str, scores: Mapping[str, Mapping[str, BandScore]]) -> list[str]:
    known = [own.get(name) for own in scores.values()]
    words = next(score.words for score in known if score is not None)
    return [words, *(NOT_KNOWN if score is None else f"{score.value:.3g} ({score.z:+.1f})" for score in known)]


def _near(scores: Mapping[str, BandScore]) -> str:
    return f"{sum(abs(score.z) <= NEAR_SD for score in scores.values())} of {len(scores)}" if scores else NOT_KNOWN


def _busiest(parameters: Sequence[GaitParameters]) -> list[str]:
    """Return the joints with the most work in any walk; if all walks are symmetric, without the left side."""
    turnover: dict[str, float] = {}
    for one in parameters:
        for name, work in one.work.items():
            turnover[name] = max(turnover.get(name, 0.0), work.generated_j_kg - work.absorbed_j_kg)
    symmetric = all(one.symmetric for one in parameters)
    names = [name for name in turnover if not (symmetric and "Left_" in name)]
    return sorted(names, key=turnover.__getitem__, reverse=True)[:MAX_WORK_ROWS]


def criteria_rows(comparison: GaitComparison) -> tuple[list[str], list[list[str]]]:
    """Return header and rows of the cross-evaluation: a row for each criterion, a star at the best walk."""
    judged = {name: known for name in comparison.names if (known := comparison.values_by_criterion(name)) is not None}
    rows = []
    for word in next(iter(judged.values()), {}):
        values = [known[word] for known in judged.values()]
        star = min((value for value in values if value is not None), default=None) if len(values) > 1 else None
        rows.append([word, *(_criterion(value, best=value == star) for value in values)])
    return ["", *judged], rows


def dissimilarity_rows(comparison: GaitComparison) -> list[list[str]]:
    """Return the dissimilarity of each walk from each, in both forms of the measure."""
    return [
        [name, *(f"{d.total:.4f} ({d.total_half_time:.4f})" for d in row)]
        for name, row in zip(comparison.names, comparison.dissimilarity, strict=True)
    ]


def gait_tables(found: GaitAnalysis) -> Iterator[ReportTable]:
    """Yield the tables of an analysis; those without rows are left out."""
    parameters = list(found.parameters.values())
    header = ["", *found.parameters]
    comparison = found.comparison
    rows = parameter_rows(parameters)
    yield ReportTable("gait parameters", "Gait parameters", "", "What gait laboratories report", header, rows)
    yield ReportTable("legs", "Left and right", "", "One cycle of each leg", *leg_columns(found.parameters))
    if rows := work_rows(parameters):
        title = "work of the joints in one cycle, generated and absorbed [J/kg]"
        words = "Work that the joints generate (+) and absorb (-) in one cycle, per body mass."
        yield ReportTable(title, "Work", words, "Work of the joints [J/kg]", header, rows)
    if rows := band_rows(found.scores):
        title = "beside people at the same speed: value (standard deviations from their mean)"
        words = (
            "Figures of one cycle of the right leg beside published ones of healthy people of that size and speed: the "
            "value, and in brackets how many standard deviations it is from their mean. Sources: reference_bands.toml."
        )
        yield ReportTable(title, "Beside people", words, "Published figures", header, rows)
    if any(comparison.values_by_criterion(name) for name in comparison.names):
        words = (
            "Each walk by each basic criterion, and by the published mixtures of them (objectives). Smaller is better, "
            f"* is the best. {STEP_WORDS}"
        )
        title = "criteria of one step, * is the best"
        yield ReportTable(title, "Criteria", words, "Cross-evaluation", *criteria_rows(comparison))
    if len(comparison.names) > 1:
        words = (
            "Posture and whole time term, as in the published numbers; in brackets with half of the time term, as the "
            f"equation was printed (E27). 0 is the same walk. {STEP_WORDS}"
        )
        title = "dissimilarity: posture and whole time term (with half of it, E27)"
        header = ["", *comparison.names]
        rows = dissimilarity_rows(comparison)
        yield ReportTable(title, "Similarity", words, "Dissimilarity", header, rows)


def closing_sentence(name: str, closing: Closing) -> str:
    """Return a sentence about how the cycle of a walk was continued."""
    how = {
        "open": "lies inside the motion",
        "periodic": "joins the motion's end to its start",
        "mirrored": "joins the motion to its mirror image",
    }
    return f"The cycle of {name} {how[closing]}."


def left_out_sentences(found: GaitAnalysis) -> list[str]:
    """Return a sentence about walks that are not compared, with the reason; empty if all are."""
    names = [name for name in found.walks if name not in found.comparison.names]
    if not names:
        return []
    return [f"Not compared: {', '.join(names)}, without a step from the left foot's toe-off to the right foot's."]


def contactless_sentence(name: str) -> str:
    """Return a sentence about a walk without contacts, and what to do."""
    return (
        f"{name} has no contacts, so its steps and cycle are unknown; "
        "`strut reconstruct` finds contacts, torques and forces from angles."
    )


def doubt_sentences(name: str, robot: Robot, motion: Motion) -> list[str]:
    """Return reasons to doubt the figures of a walk: it is refused, in the air or motionless; empty if none apply."""
    doubts = []
    receipt = motion.receipt
    if receipt is not None and receipt.verdict == "refused":
        doubts.append(
            f"{name} is refused by its receipt: {'; '.join(map(str, receipt.reasons)) or 'no reason is given'}."
        )
    lowest_m = float((foot_positions(robot, motion.qpos)[..., 2] - [foot.radius_m for foot in robot.feet]).min())
    if lowest_m > OFF_GROUND_M:
        doubts.append(f"{name} never touches the ground: its feet stay {lowest_m:.2g} m above it.")
    if np.ptp(motion.joint_angles_rad, axis=0).max() < STILL_RAD:
        doubts.append(f"{name} does not move: no joint turns.")
    return doubts


def _body(parameters: GaitParameters) -> dict[str, str]:
    """Return the cells of the whole body."""
    torque = max(parameters.largest_torque_nm_kg.items(), key=lambda entry: entry[1], default=None)
    torque_words = NOT_KNOWN if torque is None else f"{torque[1]:.2f} N m/kg ({coordinate_label(torque[0])})"
    return {
        "speed [m/s]": f"{parameters.speed_m_s:.2f}",
        "cadence [steps/min]": NOT_KNOWN if parameters.cadence_per_min is None else f"{parameters.cadence_per_min:.0f}",
        "step length [m]": _mean(parameters.step_length_m),
        "step time [s]": _mean(parameters.step_duration_s),
        "double support [% of the time]": f"{100.0 * parameters.double_support:.0f}",
        "largest torque": torque_words,
    }


def _leg(leg: LegFigures) -> dict[str, str]:
    """Return the cells of one leg."""
    shares = leg.elevation_shares
    largest = NOT_KNOWN if leg.largest_vertical_force_bw is None else f"{leg.largest_vertical_force_bw:.2f}"
    humps = [NOT_KNOWN] * len(HUMPS) if leg.force_humps_bw is None else [f"{part:.2f}" for part in leg.force_humps_bw]
    return {
        STANCE: NOT_KNOWN if leg.stance_share is None else f"{100.0 * leg.stance_share:.0f}",
        KNEE: " to ".join(f"{np.degrees(angle):.0f}" for angle in leg.knee_range_rad),
        "vertical force, largest [body weights]": largest,
        **dict(zip(HUMPS, humps, strict=True)),
        "elevation angles off their plane [% of the variance]": NOT_KNOWN
        if shares is None
        else f"{100.0 * shares[2]:.1f}",
    }


def _criterion(value: float | None, *, best: bool) -> str:
    return NOT_KNOWN if value is None else f"{value:.4g}" + (" *" if best else "")


def _work(one: GaitParameters, names: Sequence[str]) -> str:
    """Return the generated and absorbed work of joints."""
    if not one.work:
        return NOT_KNOWN
    generated = sum(one.work[name].generated_j_kg for name in names)
    absorbed = sum(one.work[name].absorbed_j_kg for name in names)
    return f"+{generated:.2f} {absorbed:.2f}"


def _mean(values: tuple[float, ...]) -> str:
    return f"{np.mean(values):.3f}" if values else NOT_KNOWN
