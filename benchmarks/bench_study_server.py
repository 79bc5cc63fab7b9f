"""How long does a request take with fifty or two hundred participants at once, on SQLite and on PostgreSQL?

    python benchmarks/bench_study_server.py [--people 50 200]

Each participant reads a page, waits 1.5 s and sends the answer twice, as impatient people do; the server is a process
of its own on the same machine. Required: a median below 50 ms with fifty, and no answer lost or doubled with any.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from five_walks import five_walks
from record import Row, benchmark_parser, record

sys.path.insert(0, str(Path(__file__).parent.parent))  # the load and the throwaway cluster are those of the tests

from tests.study.load import many_participants
from tests.study.real_parts import StudyServer, postgres_cluster, postgres_programs

from strut.study.study_folder import new_study, open_study

TRIALS = 5
PAUSE_S = 1.5
ALLOWED_S = 0.050


def measured(case: str, folder: Path, url: str | None, people: int) -> Row:
    """Return one row: a server on one database with a number of participants, and what it stored."""
    server = StudyServer(folder, "--requests-per-minute", "60000", *(["--database", url] if url else []))
    before = _stored(folder, url)
    try:
        taken_s, statuses = asyncio.run(many_participants(server.url, people, TRIALS, pause_s=PAUSE_S))
    finally:
        server.stop()
    stored = _stored(folder, url) - before
    return {
        "case": f"{case}, {people} at once",
        "requests": len(taken_s),
        "median_ms": round(1e3 * median(taken_s), 1),
        "p95_ms": round(1e3 * sorted(taken_s)[int(0.95 * len(taken_s))], 1),
        "answers_lost": people * TRIALS - len(stored) + sum(status >= 400 for status in statuses),
        "fast_enough": median(taken_s) < ALLOWED_S,
    }


def _stored(folder: Path, url: str | None) -> set[tuple[str, int]]:
    opened = open_study(folder, url)
    stored = {(row["code"], row["trial"]) for row in opened.database.rows()}
    opened.database.close()
    return stored


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and record; quick: two people on SQLite."""
    parser = benchmark_parser(__doc__)
    parser.add_argument("--people", type=int, nargs="+", default=[50, 200])
    options = parser.parse_args(arguments)
    sizes = [2] if options.quick else options.people
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory(dir="/tmp") as cluster:
        motions = five_walks(Path(scratch))
        folder = Path(scratch) / "study"
        new_study(folder, "forced-choice", motions, display="points")
        text = (folder / "design.toml").read_text("utf-8").replace("blocks = 2", "blocks = 1")
        (folder / "design.toml").write_text(text.replace("practice = 1", "practice = 0"), "utf-8")
        rows = [measured("sqlite", folder, None, people) for people in sizes]
        if not options.quick and postgres_programs() is not None:
            with postgres_cluster(Path(cluster)) as url:
                rows += [measured("postgresql", folder, url, people) for people in sizes]
    record("study_server", rows, packages=("strut", "fastapi", "sqlalchemy", "uvicorn"), quick=options.quick)


if __name__ == "__main__":
    main()
