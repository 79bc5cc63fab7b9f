"""Condition wording: conditions beside each other as rows that people read."""

from __future__ import annotations

from collections.abc import Iterator

from strut.human.analysis.condition_comparison import ConditionComparison, Spread
from strut.human.analysis.gait_expression import GAIT_FEATURES
from strut.human.analysis.muscle_activity import OWN
from strut.viewer.receipt_text import NOT_KNOWN
from strut.viewer.report_table import ReportTable

UNITS = {"m_s": "m/s", "m_s3": "m/s³", "m": "m", "s": "s", "deg": "deg", "mm": "mm"}


def condition_tables(found: ConditionComparison) -> Iterator[ReportTable]:
    """Yield the features of each condition, and how far it is from the neutral one."""
    header = ["", *(f"{name} ({_trials(len(trials))})" for name, trials in found.trials.items())]
    rows = [
        [feature_words(feature), *(_spread(own[feature]) for own in found.summary.values())]
        for feature in GAIT_FEATURES
    ]
    words = f"Mean and standard deviation over trials; {NOT_KNOWN} where no marker tells. Angles above 0 lean ahead."
    yield ReportTable("features of expression", "Expression", words, "What carries feeling in a walk", header, rows)
    if any(parts is not None for parts in found.from_neutral.values()):
        yield _distance_table(found)
    if found.muscles:
        yield _muscle_table(found)


def _muscle_table(found: ConditionComparison) -> ReportTable:
    """Return the mean activity of muscles over the cycle, and which channels are silent."""
    header = ["", *(f"{name} ({_trials(own.trials)})" for name, own in found.muscles.items())]
    first = next(iter(found.muscles.values()))
    rows = [
        [name, *(f"{100.0 * own.mean[:, column].mean():.0f}" for own in found.muscles.values())]
        for column, name in enumerate(first.names)
    ]
    leg = "each muscle's own leg" if first.leg == OWN else f"the {first.leg.lower()} leg"
    title = f"muscles: mean over the cycle of {leg} [% of {peak_words(found)}]"
    words = f"Mean of the envelope over the cycle of {leg}, in percent of {peak_words(found)}.{_silent(found)}"
    return ReportTable(title, "Muscles", words, "mean activity [%]", header, rows)


def peak_words(found: ConditionComparison) -> str:
    """Return whose peak muscles are a share of."""
    if found.neutral in found.muscles:
        return f"the peak of the mean of {found.neutral}"
    return "the largest peak of the means of all conditions"


def _silent(found: ConditionComparison) -> str:
    names = dict.fromkeys(name for own in found.muscles.values() for name in own.silent)
    return f" Left out because they are silent: {', '.join(names)}." if names else ""


def _distance_table(found: ConditionComparison) -> ReportTable:
    rows = []
    for name, parts in found.from_neutral.items():
        values = [NOT_KNOWN] * 3 if parts is None else [_spread(parts[0]), _spread(parts[1]), _sum(*parts)]
        rows.append([name, *values])
    title = f"distance from the average step of {found.neutral}"
    words = "Posture and time parts of the published measure (equation 6.1, whole time term), mean and deviation."
    return ReportTable(title, "Distance from neutral", words, title, ["", "posture", "time", "both"], rows)


def _trials(count: int) -> str:
    return "1 trial" if count == 1 else f"{count} trials"


def feature_words(feature: str) -> str:
    """Return a feature in words with its unit: `arm_swing_deg` is `arm swing [deg]`."""
    for ending, unit in UNITS.items():
        if feature.endswith(f"_{ending}"):
            return f"{feature.removesuffix(f'_{ending}').replace('_', ' ')} [{unit}]"
    return feature.replace("_", " ")


def _spread(one: Spread) -> str:
    if one.mean is None:
        return NOT_KNOWN
    digits = 4 if abs(one.mean) < 0.1 else 3 if abs(one.mean) < 10.0 else 1
    return f"{one.mean:.{digits}f}" if one.sd is None else f"{one.mean:.{digits}f} ± {one.sd:.{digits}f}"


def _sum(posture: Spread, time: Spread) -> str:
    return NOT_KNOWN if posture.mean is None or time.mean is None else f"{posture.mean + time.mean:.4f}"
