"""How much processor time does a study of a thousand stimuli take to open, from one side and from eight?

    python benchmarks/bench_study_stimuli.py [--stimuli 1000]

Five walks under a thousand names, read, drawn, written for the page and stamped, as `strut study serve` does before the
first participant comes. Required: less than 20 s of processor time, and progress that is reported.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from time import process_time

from five_walks import EMOTIONS, five_walks
from record import Row, benchmark_parser, record
from strut.study.server.middleware import Limits
from strut.study.server.survey import Survey
from strut.study.study_folder import design_text, open_study

ALLOWED_S = 20.0


def measured(case: str, folder: Path, spread_deg: float) -> Row:
    """Return one row: a study opened with a view from one side, or from several."""
    text = (folder / "design.toml").read_text("utf-8")
    own = text.replace("azimuth_spread_deg = 0 ", f"azimuth_spread_deg = {spread_deg:g} ")
    (folder / "design.toml").write_text(own, "utf-8")
    progress: list[tuple[int, int]] = []
    started = process_time()
    opened = open_study(folder, f"sqlite:///{folder / case}.sqlite", on_stimulus=lambda *now: progress.append(now))
    survey = Survey(opened, Limits())
    taken_s = process_time() - started
    opened.database.close()
    (folder / "design.toml").write_text(text, "utf-8")
    return {
        "case": case,
        "stimuli": len(opened.design.stimuli),
        "payloads": len(survey.stimuli),
        "cpu_s": round(taken_s, 1),
        "progress_reports": len(progress),
        "fast_enough": taken_s < ALLOWED_S,
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and record; quick: twenty stimuli."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--stimuli", type=int, default=1000)
    options = parser.parse_args(arguments)
    count = 20 if options.quick else options.stimuli
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch) / "study"
        (folder / "motions").mkdir(parents=True)
        (folder / "researcher_token").write_text("a token of the benchmark\n")
        five_walks(folder / "motions")
        shown = [(f"s{k}", f"motions/{EMOTIONS[k % 5]}.npz", EMOTIONS[k % 5]) for k in range(count)]
        text = design_text("many", "forced-choice", shown, 5.0, display="points")
        text = text.replace("per_participant = 0", "per_participant = 20")
        (folder / "design.toml").write_text(text, "utf-8")
        rows = [measured("one side", folder, 0.0), measured("eight sides", folder, 180.0)]
    record("study_stimuli", rows, packages=("strut", "numpy"), quick=options.quick)


if __name__ == "__main__":
    main()
