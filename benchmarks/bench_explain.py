"""Does `strut explain` find the weights of a walk, and do weights of one trial predict another one?

    python benchmarks/bench_explain.py                      # the same as `own 1 2 3`
    python benchmarks/bench_explain.py own [SEED ...]
    python benchmarks/bench_explain.py recorded TRAIN.npz OTHER.npz ...
    python benchmarks/bench_explain.py conditions NAME=WALK.npz ...

`own`: a walk of the default person with random weights between half and twice the usual ones; the search reads only its
angles; `worst_percent` is the largest error of a weight that the walk identifies. `recorded`: weights found in the
first motion, against the usual ones, on it and on other motions of the same person (`strut fit` makes motions of
recordings). `conditions`: which mixture explains each walk, a row per criterion with 90 % ranges.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

from collections.abc import Sequence  # noqa: E402
from pathlib import Path  # noqa: E402
from time import process_time  # noqa: E402

import numpy as np  # noqa: E402

from record import Row, benchmark_parser, record  # noqa: E402
from strut.formats.motion_file import load_motion  # noqa: E402
from strut.human.inverse.inverse_optimal_control import Fit, explain, explain_steps, predict  # noqa: E402
from strut.human.inverse.recorded_steps import RecordedSteps  # noqa: E402
from strut.human.inverse.weight_estimation import REFERENCE  # noqa: E402
from strut.human.inverse.weighted_gait import WeightedGait  # noqa: E402
from strut.models.catalogue import load_robot  # noqa: E402

SPEED_M_S = 1.3
PACKAGES = ("strut", "casadi", "numpy", "scipy")


def own(seed: int) -> Row:
    """Return the errors of the weights of a synthesized walk."""
    began = process_time()
    gait = WeightedGait(load_robot("heiman"), SPEED_M_S)
    truth = np.random.default_rng(seed).uniform(-np.log(2.0), np.log(2.0), len(gait.names))
    truth[[gait.names.index(REFERENCE), *np.flatnonzero(gait.is_linear)]] = 0.0
    q, length_m = gait.step(gait.solve(truth, gait.solve(gait.usual)).outcome.x)
    names = gait.program.problem.tree.velocity_names
    seen = np.ones(q.shape[1], dtype=bool)
    steps = RecordedSteps(names, q[None], np.array([length_m / SPEED_M_S]), np.array([length_m]), seen)
    found = explain_steps(gait, steps, seed=seed)
    wrong = {
        one.name: 100.0 * abs(one.weight / (one.usual_weight * np.exp(true)) - 1.0)
        for one, true in zip(found.criteria, truth, strict=True)
        if one.identified and one.usual_weight > 0.0
    }
    worst = max(wrong, key=lambda name: wrong[name])
    row = {"case": "own", "train": f"seed {seed}", "other": "", **_fits(found.usual, found.explained)}
    row |= {"identified": len(wrong), "of": len(truth), "worst": worst, "worst_percent": round(wrong[worst], 2)}
    return row | {"solutions": found.solutions, "cpu_s": round(process_time() - began, 1)}


def usual() -> Row:
    """Return how the walk with the usual weights is found, without a search for weights."""
    began = process_time()
    gait = WeightedGait(load_robot("heiman"), SPEED_M_S)
    solved = gait.solve(gait.usual)
    _, length_m = gait.step(solved.outcome.x)
    return {
        "case": "usual",
        "step_m": round(length_m, 3),
        "of": len(gait.names),
        "cpu_s": round(process_time() - began, 1),
    }


def recorded(train: Path, others: list[Path]) -> list[Row]:
    """Return the distances of walks with usual and with found weights from recorded ones."""
    began = process_time()
    found = explain(load_motion(train))
    identified = sum(one.identified for one in found.criteria)
    row = {"case": "train", "train": train.stem, "other": "", **_fits(found.usual, found.explained)}
    row |= {"identified": identified, "of": len(found.criteria), "worst": "", "worst_percent": ""}
    rows = [row | {"solutions": found.solutions, "cpu_s": round(process_time() - began, 1)}]
    for other in others:
        began = process_time()
        unseen = predict(found, load_motion(other))
        fits = _fits(unseen.usual, unseen.explained)
        taken = {"solutions": 2, "cpu_s": round(process_time() - began, 1)}
        rows.append(row | {"case": "held out", "other": other.stem, **fits} | taken)
    return rows


def condition(name: str, walk: Path) -> list[Row]:
    """Return the weights and shares of a walk, criterion by criterion."""
    began = process_time()
    found = explain(load_motion(walk), on_progress=lambda sentence: print(name, sentence, flush=True))
    whole = {"condition": name, "walk": walk.stem, "speed_m_s": round(found.speed_m_s, 3), "steps": found.steps}
    whole |= _fits(found.usual, found.explained) | {"step_m": round(found.step_m, 3)}
    whole |= {"step_m_found": round(found.explained.step_m, 3), "solutions": found.solutions}
    whole |= {"converged": found.converged, "cpu_s": round(process_time() - began, 1)}
    rows = []
    for one in found.criteria:
        figures = (one.weight, *one.weight_range, one.usual_weight, one.share, *one.share_range)
        names = ("weight", "weight_low", "weight_high", "usual_weight", "share", "share_low", "share_high")
        numbers = {key: float(f"{value:.3g}") for key, value in zip(names, figures, strict=True)}
        rows.append(whole | {"criterion": one.name, **numbers, "identified": one.identified})
    return rows


def _fits(usual: Fit, explained: Fit) -> Row:
    return {
        f"{word}_{name}": round(value, 2)
        for name, fit in (("usual", usual), ("found", explained))
        for word, value in (("flexion_deg", fit.mean_flexion_deg), ("angles_deg", fit.all_angles_deg))
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure one kind; quick: whether the usual weights, with one solution, give their own walk back."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("kind", nargs="?", choices=("own", "recorded", "conditions"), default="own")
    parser.add_argument("walks", nargs="*", help="seeds, files or NAME=FILE")
    options = parser.parse_args(arguments)
    if options.quick:
        record("explain", [usual()], packages=PACKAGES, quick=True)
        return
    if options.kind == "conditions":
        for name, walk in (word.split("=", 1) for word in options.walks):
            record("explained_conditions", condition(name, Path(walk)), packages=PACKAGES)
        return
    if options.kind == "own":
        rows = [own(int(word)) for word in options.walks or ("1", "2", "3")]
    else:
        train, *others = map(Path, options.walks)
        rows = recorded(train, others)
    record("explain", rows, packages=PACKAGES)


if __name__ == "__main__":
    main()
