"""Do the mixed models of a study equal those of R's lme4 and lmerTest?

    python benchmarks/bench_study_mixed.py      # needs R with lme4 and lmerTest (Debian: r-cran-lme4 r-cran-lmertest)

Fixed effects, their standard errors and degrees of freedom, standard deviations of people, slopes and stimuli, and the
test of the emotion, on drawn ratings and choices. Columns are the largest differences, relative to 1 or to the value,
whichever is larger. lme4 integrates a logistic model with two random effects by Laplace's approximation, ours by
quadrature: those two differ.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from record import Row, benchmark_parser, record, skip

sys.path.insert(0, str(Path(__file__).parent.parent))  # the data are those of the tests

from tests.study.null_data import indifferent_ratings

from strut.study.statistics.answers import Answers
from strut.study.statistics.mixed import MixedModel, mixed_choice, mixed_rating

R_SCRIPT = r"""
suppressMessages({library(lme4); library(lmerTest)})
told <- commandArgs(trailingOnly = TRUE)
d <- read.csv(told[1], stringsAsFactors = TRUE)
d$cell <- interaction(d$participant, d$intended)
right <- if (told[3] == "stimuli") "(1|participant)+(1|cell)+(1|stimulus)" else told[3]
if (told[2] == "linear") {
  exact <- lmerControl(optCtrl = list(ftol_rel = 1e-14))
  m <- lmer(as.formula(paste("pleasure ~ intended +", right)), d, control = exact)
  a <- anova(m)
  test <- c(a[["F value"]], a[["DenDF"]], a[["Pr(>F)"]])
  dof <- coef(summary(m))[, "df"]
} else {
  m <- glmer(as.formula(paste("hit ~ intended +", right)), d, family = binomial, nAGQ = as.integer(told[4]))
  null <- glmer(as.formula(paste("hit ~ 1 +", right)), d, family = binomial, nAGQ = as.integer(told[4]))
  ratio <- 2 * as.numeric(logLik(m) - logLik(null))
  test <- c(ratio, length(fixef(m)) - 1, pchisq(ratio, length(fixef(m)) - 1, lower.tail = FALSE))
  dof <- NA
}
sds <- as.data.frame(VarCorr(m))
out <- list(estimate = unname(fixef(m)), error = unname(sqrt(diag(as.matrix(vcov(m))))), dof = unname(dof),
            groups = sds$grp, sds = sds$sdcor, test = test)
row <- function(x) paste0("[", paste(ifelse(is.na(x), "null", format(x, digits = 15)), collapse = ","), "]")
numbers <- setdiff(names(out), "groups")
cat("{", paste(sprintf('"%s": %s', numbers, sapply(out[numbers], row)), collapse = ","),
    ', "groups": [', paste(sprintf('"%s"', out$groups), collapse = ","), "]}")
"""
GROUPS = {"participant": "participant", "participant:emotion": "cell", "stimulus": "stimulus"}


def in_r(table: Any, kind: str, right: str, nodes: int = 1) -> dict[str, Any]:
    """Return what R finds."""
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data.csv"
        script = Path(folder) / "model.R"
        table.to_csv(data, index=False)
        script.write_text(R_SCRIPT, "utf-8")
        command = ["Rscript", str(script), str(data), kind, right, str(nodes)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result: dict[str, Any] = json.loads(output)
    return result


def compared(case: str, ours: MixedModel, theirs: dict[str, Any]) -> Row:
    """Return one row: the largest differences."""

    def off(own: list[float], other: list[float]) -> float:
        a = np.array(own, float)
        b = np.array(other, float)
        return float(np.max(np.abs(a - b) / np.maximum(1.0, np.abs(b))))

    sds = dict(zip(theirs["groups"], theirs["sds"], strict=True))
    spread = [[sd, sds[GROUPS[name]]] for name, sd in ours.sds.items()]
    dofs = [term.dof for term in ours.terms]
    row: Row = {
        "case": case,
        "estimates": off([term.estimate for term in ours.terms], theirs["estimate"]),
        "standard_errors": off([term.standard_error for term in ours.terms], theirs["error"]),
        "dof": off([d for d in dofs if d is not None], theirs["dof"]) if None not in dofs else "",
        "sds": off([one for one, _ in spread], [other for _, other in spread]),
        "p_value": abs(ours.p_value - theirs["test"][-1]),
    }
    return {name: float(f"{value:.2g}") if isinstance(value, float) else value for name, value in row.items()}


def has_lme4() -> bool:
    """Return whether R is installed with lme4 and lmerTest."""
    if shutil.which("Rscript") is None:
        return False
    return subprocess.run(["Rscript", "-e", "library(lmerTest)"], capture_output=True, check=False).returncode == 0


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit, compare, print and record; quick: the ratings alone."""
    quick = benchmark_parser(__doc__).parse_args(arguments).quick
    if not has_lme4():
        skip("R with lme4 and lmerTest is not installed (Debian: r-cran-lme4 r-cran-lmertest).")
    rng = np.random.default_rng(5)
    people = indifferent_ratings(rng, people=20, slope_sd=0.3)
    crossed = indifferent_ratings(rng, people=20, motions=3, slope_sd=0.3, stimulus_sd=0.3)
    rows = [
        compared("ratings, people's slopes", mixed_rating(people, "pleasure"),
                 in_r(people.table, "linear", "(1|participant)+(1|cell)")),
        compared("ratings, slopes and stimuli crossed", mixed_rating(crossed, "pleasure"),
                 in_r(crossed.table, "linear", "stimuli")),
    ]  # fmt: skip
    choices = () if quick else (("intercepts", 1, "", 25), ("slopes, Laplace in R", 4, "+(1|cell)", 1))
    for case, times, slopes, nodes in choices:
        drawn = indifferent_ratings(rng, people=40, times=times, slope_sd=0.3).table
        hit = drawn["pleasure"] > -0.1
        seen = drawn["intended"].where(hit, "other")
        ours = mixed_choice(Answers(drawn.drop(columns=["pleasure", "factor_level"]).assign(perceived=seen)))
        theirs = in_r(drawn.assign(hit=hit.astype(int)), "logistic", f"(1|participant){slopes}", nodes)
        rows.append(compared(f"choices, {case}", ours, theirs))
    record("study_mixed", rows, packages=("strut", "scipy", "statsmodels"), quick=quick)


if __name__ == "__main__":
    main()
