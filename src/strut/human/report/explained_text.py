"""Explained text: tables and sentences about the criteria of a recorded walk and a prediction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from strut.human.inverse.inverse_optimal_control import ExplainedCriterion, ExplainedWalk, Fit, PredictedWalk
from strut.plumbing.number_text import format_percent

HEADER = ("criterion", "share of the cost", "90 %", "weight", "90 %", "usual weight", "")
FIT_HEADER = ("", "hip [deg]", "knee [deg]", "ankle [deg]", "mean [deg]", "all angles [deg]", "step [m]")
ExplainedTable = tuple[str, Sequence[str], list[list[str]]]


def explained_tables(walks: Mapping[str, ExplainedWalk]) -> Iterator[ExplainedTable]:
    """Yield title, header and rows: the criteria of every condition, and the fit of their walk."""
    for condition, walk in walks.items():
        walked = f"{walk.steps} steps of {walk.step_m:.2f} m at {walk.speed_m_s:.2f} m/s"
        yield f"{condition}: {walked}", HEADER, [_criterion_row(criterion) for criterion in walk.criteria]
        yield f"{condition}: difference from the recorded walk", FIT_HEADER, _fit_rows(walk)


def predicted_table(condition: str, walk: PredictedWalk) -> ExplainedTable:
    """Return title, header and rows of a predicted walk."""
    walked = f"{walk.step_m:.2f} m a step at {walk.speed_m_s:.2f} m/s"
    return f"{condition}: difference from the walk to predict, {walked}", FIT_HEADER, _fit_rows(walk)


def explained_sentences(condition: str, walk: ExplainedWalk) -> list[str]:
    """Return sentences about weights that the walk does not identify."""
    unidentified = [criterion.name for criterion in walk.criteria if not criterion.identified]
    sentences = []
    if not walk.converged:
        sentences.append(f"{condition}: the search stopped after {walk.solutions} solutions; others may be better.")
    if unidentified:
        sentences.append(f"{condition}: the walk does not identify the weight of {', '.join(unidentified)}.")
    sentences += [
        f"{condition}: the weights of {first} and {second} are confounded." for first, second in walk.confounded
    ]
    return sentences


def _criterion_row(criterion: ExplainedCriterion) -> list[str]:
    low, high = (100.0 * value for value in criterion.share_range)
    return [
        criterion.name,
        format_percent(criterion.share, 1),
        f"{low:.1f} to {high:.1f} %",
        f"{criterion.weight:.3g}",
        f"{criterion.weight_range[0]:.2g} to {criterion.weight_range[1]:.2g}",
        f"{criterion.usual_weight:.3g}",
        "" if criterion.identified else "not identified",
    ]


def _fit_rows(walk: ExplainedWalk | PredictedWalk) -> list[list[str]]:
    return [_fit_row("usual weights", walk.usual), _fit_row("these weights", walk.explained)]


def _fit_row(name: str, fit: Fit) -> list[str]:
    angles = [*fit.flexion_deg.values(), fit.mean_flexion_deg, fit.all_angles_deg]
    return [name, *(f"{value:.1f}" for value in angles), f"{fit.step_m:.2f}"]
