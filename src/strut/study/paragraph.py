"""Paragraph: methods and results of a study in the words of a paper."""

from __future__ import annotations

from strut.study.confusion import HitRate
from strut.study.control_effect import ControlEffect
from strut.study.learning import Learning
from strut.study.mixed import MixedModel
from strut.study.ratings import RatingMean
from strut.study.significance import Significance, holm
from strut.study.statistics import Choices, StudyStatistics

_ALPHA = 0.05
_MOST_MEANS = 24  # in words; of more, only those that stand out are told


def p_words(p_value: float) -> str:
    """Return 'p = 0.012', or 'p < 0.001' where more digits would promise too much."""
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def percent(share: float) -> str:
    """Return a share in whole percent."""
    return f"{100.0 * share:.0f} %"


def methods_and_results(statistics: StudyStatistics) -> tuple[str, str]:
    """Return two paragraphs: what was done, and what came out. Simulated answers are called so in both."""
    return _methods(statistics), _results(statistics)


def _methods(statistics: StudyStatistics) -> str:
    many = "" if statistics.participants == 1 else "s"
    who = f"simulated observer{many} (a response model, not people)" if statistics.simulated else f"participant{many}"
    practice = f"; {statistics.practice} practice answers were left out" if statistics.practice else ""
    sentences = [f"{statistics.participants} {who} gave {statistics.answers} answers{practice}."]
    if statistics.choices:
        sentences.append(_choice_methods(statistics.choices))
    tested = (
        (statistics.ratings, _RATING_METHODS),
        (statistics.correlations, _CORRELATION_METHODS),
        (statistics.control_effects, _CONTROL_METHODS),
        (statistics.models, _MODEL_METHODS),
    )
    return " ".join([*sentences, *(sentence for found, sentence in tested if found)])


_RATING_METHODS = (
    "Ratings were averaged within participants and tested against the middle of the scale by two-sided t tests "
    "with Holm's correction; effect sizes are Cohen's d."
)
_CORRELATION_METHODS = (
    "Ratings are correlated with what the motions differed in by Spearman's coefficient with Holm's "
    "correction, and within participants by the repeated-measures correlation."
)
_CONTROL_METHODS = (
    "Controls enter none of these numbers; they are compared with the motions as they were by paired two-sided "
    "t tests over participants with Holm's correction."
)
_MODEL_METHODS = (
    "Mixed-effects models (logistic for choices, linear for ratings, maximum likelihood) take participants as "
    "random intercepts; the emotion is tested by likelihood ratios with Holm's correction."
)


def _choice_methods(choices: Choices) -> str:
    shuffled = (
        "because people answered several times, a permutation test that shuffles answers within participants "
        "judges the whole, and "
    )
    learnt = "; learning by the odds of a hit per block, from estimating equations with participants as clusters"
    return (
        f"Chance is {percent(choices.chance)} ({choices.chance_from}). Hit rates carry Wilson intervals and are tested "
        "against chance by exact one-sided binomial tests with Holm's correction; "
        f"{shuffled if choices.permutation else ''}intervals of kappa resample participants. The link between emotion "
        "and answer is tested by chi-squared (independence)"
        f"{learnt if choices.learning.odds_ratio is not None else ''}."
    )


def _results(statistics: StudyStatistics) -> str:
    sentences = ["These answers are simulated and say nothing about people."] if statistics.simulated else []
    if statistics.choices:
        sentences += _choice_sentences(statistics.choices)
    if statistics.ratings:
        sentences += _rating_sentences(statistics.ratings)
    sentences += [_control_sentence(row) for row in statistics.control_effects]
    corrected = holm([model.p_value for model in statistics.models])
    sentences += [_model_sentence(model, p) for model, p in zip(statistics.models, corrected, strict=True)]
    return " ".join(sentences) or "There are too few participants for any test; what was left out says why."


def _choice_sentences(choices: Choices) -> list[str]:
    whole, shuffled = choices.overall, choices.permutation
    judged = f"; permutation within participants {p_words(shuffled.p_value)}" if shuffled else ""
    sentences = [
        f"The intended emotion was named in {whole.hits} of {whole.shown} answers "
        f"({percent(whole.rate)}, 95 % interval {percent(whole.low)} to {percent(whole.high)}{judged})."
    ]
    for words, above in (("Above chance", True), ("Not above chance", False)):
        rows = [_rate_words(row) for row in choices.hit_rates if (row.p_holm < _ALPHA) == above]
        if rows:
            sentences.append(f"{words}: {', '.join(rows)}.")
    if choices.independence:
        sentences.append(_independence_sentence(choices, choices.independence))
    if choices.cohen and choices.cohen.low is not None:
        kappa = choices.cohen
        sentences.append(f"Cohen's kappa is {kappa.value:.2f} ({kappa.low:.2f} to {kappa.high:.2f}).")
    return sentences + _learning_sentences(choices.learning)


def _learning_sentences(change: Learning) -> list[str]:
    if change.odds_ratio is None or change.p_value is None:
        return []
    return [
        f"From block to block the odds of a hit change by a factor of {change.odds_ratio:.2f} "
        f"({change.low:.2f} to {change.high:.2f}, {p_words(change.p_value)})."
    ]


def _independence_sentence(choices: Choices, test: Significance) -> str:
    verb = "depend" if test.p_value < _ALPHA else "do not demonstrably depend"
    trust = ", so trust the permutation test" if choices.permutation else ""
    small = f"; some expected counts are below 5{trust}" if choices.rare else ""
    chi2 = f"chi-squared({test.dof:g}, n = {test.n}) = {test.statistic:.2f}, {p_words(test.p_value)}"
    return f"Answers {verb} on the emotion shown: {chi2}{small}."


def _rate_words(row: HitRate) -> str:
    return f"{row.emotion} {row.hits}/{row.shown} ({percent(row.rate)}, {p_words(row.p_holm)})"


def _rating_sentences(ratings: tuple[RatingMean, ...]) -> list[str]:
    few, off = len(ratings) <= _MOST_MEANS, [row for row in ratings if row.off_middle(_ALPHA)]
    first = [] if few else [f"{len(off)} of {len(ratings)} means lie off the middle; the others are in the table."]
    told: dict[str, list[str]] = {}
    for row in ratings if few else off:
        told.setdefault(row.scale, []).append(_mean_words(row))
    return [*first, *(f"Mean {scale.replace('_', ' ')}: {', '.join(words)}." for scale, words in told.items())]


def _mean_words(row: RatingMean) -> str:
    if row.p_holm is None or row.effect_size is None:
        return f"{row.emotion} {row.mean:+.2f} (everybody the same, n = {row.n})"
    return (
        f"{row.emotion} {row.mean:+.2f} [{row.low:+.2f}, {row.high:+.2f}] "
        f"(d = {row.effect_size:+.2f}, {p_words(row.p_holm)}, n = {row.n})"
    )


def _control_sentence(row: ControlEffect) -> str:
    judged = "everybody the same" if row.p_holm is None else p_words(row.p_holm)
    before, after = (
        percent(mean) if row.measure == "hit rate" else f"{mean:+.2f}" for mean in (row.shown, row.matched)
    )
    measure = row.measure.replace("_", " ")
    change = f"the {measure} of {row.emotion} goes from {before} to {after}"
    return f"{row.control.capitalize()}, {change} ({judged}, n = {row.n})."


def _model_sentence(model: MixedModel, p_holm: float) -> str:
    scale = model.name.split(", ")[1].split(" ~")[0].replace("_", " ").replace("hit", "the odds of a hit")
    verb = "changes" if p_holm < _ALPHA else "does not demonstrably change"
    return f"The emotion shown {verb} {scale} (likelihood ratio, {p_words(p_holm)})."
