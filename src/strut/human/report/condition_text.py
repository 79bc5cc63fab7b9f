"""Condition text: tables that compare conditions."""

from __future__ import annotations

from collections.abc import Iterator

from strut.human.analysis.condition_comparison import ConditionComparison, Spread
from strut.human.analysis.gait_expression import GAIT_FEATURES
from strut.human.analysis.muscle_activity import OWN
from strut.viewer.receipt_text import NOT_KNOWN
from strut.viewer.report_table import ReportTable

SUMMARY = (
    *("speed_m_s", "step_length_m", "step_duration_s", "double_support", "trunk_pitch_deg", "head_pitch_deg"),
    *("arm_swing_deg", "elbow_flexion_deg", "knee_range_deg", "head_bounce_mm"),
)
UNITS = {"m_s": "m/s", "m_s3": "m/s³", "m": "m", "s": "s", "deg": "deg", "mm": "mm"}


def condition_tables(comparison: ConditionComparison) -> Iterator[ReportTable]:
    """Yield tables of the features of each condition, its distance from the neutral one, and its muscles."""
    header = ["", *(f"{name} ({_count_trials(len(trials))})" for name, trials in comparison.trials.items())]
    rows = [
        [feature_label(feature), *(_format_spread(own[feature]) for own in comparison.summary.values())]
        for feature in GAIT_FEATURES
    ]
    words = (
        f"Mean and standard deviation over trials; {NOT_KNOWN} where markers are missing. Angles above 0 lean forwards."
    )
    yield ReportTable("features of expression", "Expression", words, "Features that express emotion", header, rows)
    if any(parts is not None for parts in comparison.from_neutral.values()):
        yield _distance_table(comparison)
    if comparison.muscles:
        yield _muscle_table(comparison)


def condition_summary(comparison: ConditionComparison) -> ReportTable:
    """Return the features that are read first of each condition, and how far it is from the neutral one."""
    features, *_ = condition_tables(comparison)
    labels = [feature_label(name) for name in SUMMARY]
    rows = [list(row) for row in features.rows if row[0] in labels]
    totals = [NOT_KNOWN if parts is None else _format_sum(*parts) for parts in comparison.from_neutral.values()]
    rows.append([f"dissimilarity from {comparison.neutral}", *totals])
    return ReportTable("conditions", "Summary", "", "Features that are read first", features.header, rows)


def _muscle_table(comparison: ConditionComparison) -> ReportTable:
    """Return the table of the mean activity of muscles over the cycle, with the silent channels."""
    header = ["", *(f"{name} ({_count_trials(own.trials)})" for name, own in comparison.muscles.items())]
    first = next(iter(comparison.muscles.values()))
    rows = [
        [name, *(f"{100.0 * own.mean[:, column].mean():.0f}" for own in comparison.muscles.values())]
        for column, name in enumerate(first.names)
    ]
    leg = "each muscle's own leg" if first.leg == OWN else f"the {first.leg.lower()} leg"
    title = f"muscles: mean over the cycle of {leg} [% of {peak_words(comparison)}]"
    words = (
        f"Mean of the envelope over the cycle of {leg}, in percent of {peak_words(comparison)}.{_silent(comparison)}"
    )
    return ReportTable(title, "Muscles", words, "mean activity [%]", header, rows)


def peak_words(comparison: ConditionComparison) -> str:
    """Return the reference of muscle activity, as a phrase."""
    if comparison.neutral in comparison.muscles:
        return f"the peak of the mean of {comparison.neutral}"
    return "the largest peak of the means of all conditions"


def _silent(comparison: ConditionComparison) -> str:
    names = dict.fromkeys(name for own in comparison.muscles.values() for name in own.silent)
    return f" Left out because they are silent: {', '.join(names)}." if names else ""


def _distance_table(comparison: ConditionComparison) -> ReportTable:
    rows = []
    for name, parts in comparison.from_neutral.items():
        values = (
            [NOT_KNOWN] * 3
            if parts is None
            else [_format_spread(parts[0]), _format_spread(parts[1]), _format_sum(*parts)]
        )
        rows.append([name, *values])
    title = f"distance from the average step of {comparison.neutral}"
    words = "Posture and time parts of the published measure (equation 6.1, whole time term), mean and deviation."
    return ReportTable(title, "Distance from neutral", words, title, ["", "posture", "time", "both"], rows)


def _count_trials(count: int) -> str:
    return "1 trial" if count == 1 else f"{count} trials"


def feature_label(feature: str) -> str:
    """Return the label of a feature with its unit: `arm swing [deg]` for `arm_swing_deg`."""
    for ending, unit in UNITS.items():
        if feature.endswith(f"_{ending}"):
            return f"{feature.removesuffix(f'_{ending}').replace('_', ' ')} [{unit}]"
    return feature.replace("_", " ")


def _format_spread(spread: Spread) -> str:
    if spread.mean is None:
        return NOT_KNOWN
    digits = 4 if abs(spread.mean) < 0.1 else 3 if abs(spread.mean) < 10.0 else 1
    mean = f"{spread.mean:.{digits}f}"
    return mean if spread.sd is None else f"{mean} ± {spread.sd:.{digits}f}"


def _format_sum(posture: Spread, time: Spread) -> str:
    return NOT_KNOWN if posture.mean is None or time.mean is None else f"{posture.mean + time.mean:.4f}"
