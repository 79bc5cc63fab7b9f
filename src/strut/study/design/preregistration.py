"""Preregistration: a draft from the design file, with hypotheses, sample size, exclusions and analysis."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from strut.errors import StudyError
from strut.plumbing.atomic_files import check_writable, write_atomically
from strut.plumbing.number_text import format_count
from strut.study.design.audience import audience_for, caveat
from strut.study.design.design import Design, read_design
from strut.study.design.exclusion import FASTEST_MS
from strut.study.design.simulated_study import RUNS, people_needed, simulated_power
from strut.study.server.database import count_answers
from strut.study.server.database_connection import database_url, shown_url
from strut.study.templates import filled


def preregister_study(
    folder: Path | str,
    path: Path | str | None = None,
    *,
    people: int | None = None,
    power: float = 0.8,
    finding: str | None = None,
    runs: int = RUNS,
    seed: int = 0,
    database: str | None = None,
    force: bool = False,
) -> int:
    """Write a draft of a preregistration; return its sample size. Raises StudyError if there are answers already.

    Args:
        folder: Folder of the study.
        path: File to write; `preregistration.md` in the folder if left out.
        people: Number of participants; if left out, as many as a simulated audience needs for the power.
        power: Wanted probability of the finding.
        finding: The finding that the power is for; all emotions together if left out.
        runs: Number of simulated studies for each sample size.
        seed: Seed of the simulated audience.
        database: URL of the database, if it is not in the folder.
        force: Whether an existing file may be replaced.

    Example:
        >>> strut.study.preregister_study("mystudy", people=40)  # doctest: +SKIP
        40
    """
    folder = Path(folder)
    path = Path(path or folder / "preregistration.md")
    if path.exists():
        check_writable(path, force=force)  # before the simulation
    design = read_design(folder)
    _check_no_answers(design, database)
    rng = np.random.default_rng(seed)
    try:
        audience = audience_for(design, None)
        size = people or people_needed(design, audience, power=power, finding=finding, runs=runs, rng=rng)
        power_by_finding = simulated_power(design, audience, size, runs=runs, rng=rng)
        basis = {"source": audience.source, "caveat": caveat(design, audience), "runs": runs}
    except StudyError as error:
        if people is None:
            raise StudyError(f"No simulated audience can plan the sample size ({error}); give --people.") from error
        size = people
        power_by_finding = {}
        basis = {}
    write_atomically(path, preregistration_text(design, size, power_by_finding, basis).encode(), force=force)
    return size


def _check_no_answers(design: Design, database: str | None) -> None:
    """Raise StudyError if people have answered: a plan made afterwards is no preregistration."""
    url = database_url(design.folder, database)
    answers = count_answers(url)
    if answers:
        has = format_count(answers, "[answer|answers] of people")
        raise StudyError(
            f"{shown_url(url)} has {has} already, and a preregistration is made before the first one. If they are your "
            "own trials, move them away and try again."
        )


def preregistration_text(design: Design, people: int, power: dict[str, float], basis: dict[str, object]) -> str:
    """Return the draft; `power` is that of each finding with so many people, `basis` the simulated audience."""
    emotions = list(dict.fromkeys(entry.intended for entry in design.stimuli))
    return filled(
        "preregistration.md",
        design=design,
        people=people,
        power=power,
        basis=basis,
        hypotheses=design.ask.hypotheses(emotions),
        controls=sorted({entry.control for entry in design.stimuli} - {"none"}),
        fastest_ms=FASTEST_MS,
    )
