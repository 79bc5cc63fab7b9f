"""Text of an explained walk: its criteria, their weights and a prediction, as tables and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from strut.human.inverse.inverse_optimal_control import ExplainedCriterion, ExplainedWalk, Fit, PredictedWalk
from strut.plumbing.number_text import format_percent

HEADER = ("criterion", "share of the cost", "90 %", "weight", "90 %", "usual weight", "")
FIT_HEADER = ("", "hip [deg]", "knee [deg]", "ankle [deg]", "mean [deg]", "all angles [deg]", "step [m]")
ExplainedTable = tuple[str, Sequence[str], list[list[str]]]


def explained_tables(found: Mapping[str, ExplainedWalk]) -> Iterator[ExplainedTable]:
    """Yield title, header and rows: the criteria of every condition, and the fit of their walk."""
    for condition, one in found.items():
        walked = f"{one.steps} steps of {one.step_m:.2f} m at {one.speed_m_s:.2f} m/s"
        yield f"{condition}: {walked}", HEADER, [_criterion_row(criterion) for criterion in one.criteria]
        yield f"{condition}: difference from the recorded walk", FIT_HEADER, _fit_rows(one)


def predicted_table(condition: str, found: PredictedWalk) -> ExplainedTable:
    """Return title, header and rows of a predicted walk."""
    walked = f"{found.step_m:.2f} m a step at {found.speed_m_s:.2f} m/s"
    return f"{condition}: difference from the walk to predict, {walked}", FIT_HEADER, _fit_rows(found)


def explained_sentences(condition: str, found: ExplainedWalk) -> list[str]:
    """Return sentences about what the walk does not identify."""
    unidentified = [criterion.name for criterion in found.criteria if not criterion.identified]
    sentences = []
    if not found.converged:
        sentences.append(f"{condition}: the search stopped after {found.solutions} solutions; others may be better.")
    if unidentified:
        sentences.append(f"{condition}: the walk does not identify the weight of {', '.join(unidentified)}.")
    sentences += [f"{condition}: the weights of {one} and {other} are confounded." for one, other in found.confounded]
    return sentences


def _criterion_row(one: ExplainedCriterion) -> list[str]:
    low, high = (100.0 * value for value in one.share_range)
    return [
        one.name,
        format_percent(one.share, 1),
        f"{low:.1f} to {high:.1f} %",
        f"{one.weight:.3g}",
        f"{one.weight_range[0]:.2g} to {one.weight_range[1]:.2g}",
        f"{one.usual_weight:.3g}",
        "" if one.identified else "not identified",
    ]


def _fit_rows(found: ExplainedWalk | PredictedWalk) -> list[list[str]]:
    return [_fit_row("usual weights", found.usual), _fit_row("these weights", found.explained)]


def _fit_row(name: str, fit: Fit) -> list[str]:
    angles = [*fit.flexion_deg.values(), fit.mean_flexion_deg, fit.all_angles_deg]
    return [name, *(f"{value:.1f}" for value in angles), f"{fit.step_m:.2f}"]
