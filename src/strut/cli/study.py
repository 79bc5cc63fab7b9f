"""`strut study`: from motions to a survey, and from answers to a result."""

from __future__ import annotations

from contextlib import closing
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, cast

import typer

from strut.cli.screen import people, print_json, print_next, print_table, programs, progress
from strut.errors import MissingExtraError, OutOfRangeError

study = typer.Typer(
    name="study",
    help="Show motions to people and measure what they see. Example: strut study new mystudy --motions *.npz.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@study.callback()
def needs_packages() -> None:
    """Refuse at once if a package that studies need is not installed."""
    for package in ("statsmodels", "pingouin", "sqlalchemy", "fastapi", "uvicorn", "jinja2"):
        if find_spec(package) is None:
            raise MissingExtraError("study", package)


@study.command()
def stats(
    answers: Annotated[Path, typer.Argument(help="CSV: participant, block, trial, intended, perceived or ratings.")],
    chance: Annotated[float | None, typer.Option(help="Hit rate of blind guessing; 1 / options if left out.")] = None,
    seed: Annotated[int, typer.Option(help="Of permutations and resampling.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print all findings as JSON to stdout.")] = False,
) -> None:
    """Compute the statistics of a table of answers. Example: strut study stats answers.csv."""
    from strut.study.answers import read_answers  # noqa: PLC0415
    from strut.study.paragraph import methods_and_results  # noqa: PLC0415
    from strut.study.statistics import study_statistics  # noqa: PLC0415
    from strut.study.statistics_tables import statistics_tables  # noqa: PLC0415  (they take seconds to load)

    table = read_answers(answers)
    with progress(f"tests {len(table.participant)} answers"):
        found = study_statistics(table, chance=chance, seed=seed)
    if json:
        print_json(found.as_dict())
        return
    for title, columns, rows in statistics_tables(found):
        print_table(title, columns, rows)
    for paragraph in methods_and_results(found):
        programs.print(f"\n{paragraph}", soft_wrap=True)
    for reason in found.left_out:
        people.print(f"left out: {reason}", markup=False, soft_wrap=True)
    print_next("strut study stats", answers, "--json")


@study.command()
def power(
    rate: Annotated[float | None, typer.Option(help="Hit rate you expect, for a choice of emotions.")] = None,
    options: Annotated[int, typer.Option(help="Answers to choose from, 'do not know' among them.")] = 6,
    effect: Annotated[float | None, typer.Option(help="Cohen's d you expect, for a mean rating.")] = None,
    w: Annotated[float | None, typer.Option(help="Cohen's w you expect, for a chi-squared test.")] = None,
    dof: Annotated[int, typer.Option(help="Degrees of freedom of the chi-squared test.")] = 16,
    per_participant: Annotated[int, typer.Option(help="Answers of one person that the test counts.")] = 1,
    likeness: Annotated[float, typer.Option(help="Correlation between answers of one person, 0 to 1.")] = 0.0,
    tests: Annotated[int, typer.Option(help="Tests of the study; alpha is shared among them.")] = 1,
    level: Annotated[float, typer.Option("--power", help="Probability of finding the effect.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Probability of a false alarm.")] = 0.05,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON to stdout.")] = False,
) -> None:
    """Say how many participants a study needs. Example: strut study power --rate 0.5 --options 6 --tests 5."""
    from strut.study.power import (  # noqa: PLC0415
        binomial_trials,
        chi2_observations,
        mean_participants,
        participants_needed,
    )

    if sum(asked is not None for asked in (rate, effect, w)) != 1:
        raise OutOfRangeError("Give exactly one of --rate (choices), --effect (ratings) or --w (chi-squared).")
    if options < 2 or tests < 1:
        raise OutOfRangeError("--options must be at least 2 and --tests at least 1.")
    if effect is not None and per_participant != 1:
        raise OutOfRangeError("The ratings of one person are averaged and count once: leave --per-participant out.")
    each = alpha / tests
    if rate is not None:
        observations = float(binomial_trials(rate, 1.0 / options, power=level, alpha=each))
        test = f"exact one-sided binomial test of one emotion's hit rate {rate:g} against {1.0 / options:.3g}"
    elif effect is not None:
        observations = mean_participants(effect, power=level, alpha=each)
        test = f"two-sided t test of a mean rating over participants, d = {effect:g}"
    else:
        assert w is not None
        observations = chi2_observations(w, dof, power=level, alpha=each)
        test = f"chi-squared test with {dof} degrees of freedom, w = {w:g}"
    needed = participants_needed(observations, per_participant, likeness)
    if json:
        sizes = {"observations": observations, "participants": needed, "power": level, "alpha": alpha, "tests": tests}
        print_json({**sizes, "test": test, "per_participant": per_participant, "likeness": likeness})
        return
    programs.print(f"{needed} participants with {per_participant} each: {test}, power {level:g}, alpha {each:.3g}.")
    if per_participant > 1 and likeness == 0.0:
        people.print("answers of one person are taken as independent, which they are not; set --likeness, such as 0.2")
    print_next("strut study new mystudy --motions *.npz")


@study.command()
def new(
    folder: Annotated[Path, typer.Argument(help="Folder to make.")],
    files: Annotated[list[Path] | None, typer.Argument(help="More motion files.")] = None,
    design: Annotated[str, typer.Option(help="forced-choice, slider, sam or improvement.")] = "forced-choice",
    motions: Annotated[list[Path] | None, typer.Option(help="Motion files, such as *.npz.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON to stdout.")] = False,
) -> None:
    """Make a study that runs at once. Example: strut study new mystudy --design sam --motions *.npz."""
    from typing import get_args  # noqa: PLC0415

    from strut.errors import UnknownNameError  # noqa: PLC0415
    from strut.io.motion_file import load_motion  # noqa: PLC0415
    from strut.study.confound import confounds  # noqa: PLC0415
    from strut.study.design import Question  # noqa: PLC0415
    from strut.study.new_study import new_study  # noqa: PLC0415

    if design not in get_args(Question):
        raise UnknownNameError("design", design, get_args(Question), "`strut study new --help`")
    paths = [*(motions or []), *(files or [])]
    made = new_study(folder, cast(Question, design), paths)
    doubts = confounds([load_motion(path) for path in paths])
    if json:
        print_json({"design": str(made), "confounds": doubts})
        return
    for line in (f"wrote {made}", *doubts):
        people.print(line, markup=False, soft_wrap=True)
    print_next("strut study serve", folder)


@study.command()
def serve(
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for everybody.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for any free one.", min=0, max=65535)] = 8000,
    database: Annotated[str | None, typer.Option(help="postgresql://USER@HOST/NAME instead of a file.")] = None,
    requests_per_minute: Annotated[int, typer.Option(help="Most requests of one address.", min=60)] = 6000,
) -> None:
    """Serve a study until Ctrl-C; answers survive any stop. Example: strut study serve mystudy."""
    from strut.address import listening_socket  # noqa: PLC0415
    from strut.study.guard import Limits  # noqa: PLC0415
    from strut.study.opened_study import open_study  # noqa: PLC0415
    from strut.study.server import serve as serve_app  # noqa: PLC0415
    from strut.study.server import study_app  # noqa: PLC0415

    with progress(f"reads the motions of {folder}"):
        opened = open_study(folder, database)
    limits = Limits(requests_per_minute=requests_per_minute, starts_per_minute=max(120, requests_per_minute // 50))
    app = study_app(opened.design, opened.stimuli, opened.database, token=opened.token, limits=limits)
    with closing(opened.database), listening_socket(host, port) as listening:
        address = f"http://{host}:{listening.getsockname()[1]}"
        people.print(f"participants: {address}/", markup=False, soft_wrap=True)
        door = f"researchers:  {address}/researcher (token in {folder / 'researcher_token'})"
        people.print(door, markup=False, soft_wrap=True)
        print_next("strut study report", folder)
        serve_app(app, listening)


@study.command()
def simulate(
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    people_count: Annotated[int, typer.Option("--people", help="How many simulated observers.", min=1)] = 20,
    audience: Annotated[str | None, typer.Option(help="quadruped, superposition, pepper or feedback.")] = None,
    runs: Annotated[int, typer.Option(help="Repeat the study so often and print the power instead.", min=0)] = 0,
    seed: Annotated[int, typer.Option(help="Of the simulated answers.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Table to write; simulated.csv in the folder if left out.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing table.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON to stdout.")] = False,
) -> None:
    """Let a published response model answer, clearly marked. Example: strut study simulate mystudy --runs 100."""
    import numpy as np  # noqa: PLC0415

    from strut.io.atomic import write_atomically  # noqa: PLC0415
    from strut.study.answer_table import export_csv  # noqa: PLC0415
    from strut.study.audience import audience_for, caveat, simulated_power, simulated_rows  # noqa: PLC0415
    from strut.study.design_file import read_design  # noqa: PLC0415

    design = read_design(folder)
    model, rng = audience_for(design, audience), np.random.default_rng(seed)
    doubt = caveat(design, model)
    people.print(f"simulated audience: {model.source}; these are not people. {doubt}", markup=False, soft_wrap=True)
    if runs:
        with progress(f"simulates {runs} studies of {people_count}"):
            share = simulated_power(design, model, people_count, runs=runs, rng=rng)
        if json:
            about = {"simulated": True, "audience": model.name, "people": people_count, "runs": runs}
            print_json({**about, "power": share, "caveat": doubt})
            return
        rows = [[name, f"{power:.0%}"] for name, power in share.items()]
        test = "seen above chance" if design.question == "forced-choice" else "off the middle, either way"
        title = f"power with {people_count} simulated observers, {runs} runs: {test}, 5 % after Holm's correction"
        print_table(title, ["finding", "power"], rows)
        return
    path = out or folder / "simulated.csv"
    found = simulated_rows(design, model, people_count, rng)
    write_atomically(path, export_csv(design, found).encode(), force=force)
    people.print(f"wrote {path} ({len(found)} simulated answers)", markup=False, soft_wrap=True)
    print_next("strut study report", folder, "--answers", path)


@study.command()
def report(
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    database: Annotated[str | None, typer.Option(help="Where the answers are, if not in the folder.")] = None,
    answers: Annotated[Path | None, typer.Option(help="A table of answers instead of the database.")] = None,
    out: Annotated[Path | None, typer.Option(help="Page to write; report.html in the folder if left out.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing page.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print all findings as JSON to stdout, too.")] = False,
) -> None:
    """Write methods, results, tables and figures of a study as one page. Example: strut study report mystudy."""
    from strut.io.atomic import write_atomically  # noqa: PLC0415
    from strut.study.report_sources import rows_of_file, rows_of_study  # noqa: PLC0415

    path = out or folder / "report.html"
    with progress(f"reports {folder}"):
        from strut.study.report import report_html  # noqa: PLC0415
        from strut.study.statistics import study_statistics  # noqa: PLC0415

        design, rows, table = rows_of_file(folder, answers) if answers else rows_of_study(folder, database)
        options = design.answer_options if design.question == "forced-choice" else ()
        found = study_statistics(table, options=options)
        write_atomically(path, report_html(design, rows, found).encode(), force=force)
    if json:
        print_json({"page": str(path), **found.as_dict()})
        return
    people.print(f"wrote {path} ({len(table.participant)} answers)", markup=False, soft_wrap=True)
    print_next(f"open {path}, or print it to PDF from the browser")


@study.command()
def forget(
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    code: Annotated[str, typer.Argument(help="Code that the participant was shown at the end.")],
    database: Annotated[str | None, typer.Option(help="Where the answers are, if not in the folder.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before deleting.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON to stdout.")] = False,
) -> None:
    """Delete a participant who asks for it, answers and all. Example: strut study forget mystudy 1f0c35a2b7d9."""
    from strut.study.opened_study import open_study  # noqa: PLC0415

    if not yes:
        typer.confirm(f"Delete all answers of {code} for good?", abort=True, err=True)
    opened = open_study(folder, database)
    with closing(opened.database):
        gone = opened.database.forget(code)
    if json:
        print_json({"code": code, "deleted": gone})
        return
    people.print(f"deleted {gone} answers of {code}; exports and backups made before still hold them", markup=False)
    print_next("strut study report", folder)


@study.command()
def film(
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    out: Annotated[Path, typer.Option(help="Folder to write the films to.")] = Path("films"),
    form: Annotated[str, typer.Option("--format", help="gif, mp4 or webm.")] = "gif",
    force: Annotated[bool, typer.Option("--force", help="Replace existing films.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON to stdout.")] = False,
) -> None:
    """Write the stimuli of a study as films for surveys elsewhere. Example: strut study film mystudy --format gif."""
    from strut.errors import UnknownNameError  # noqa: PLC0415
    from strut.study.design_file import read_design  # noqa: PLC0415
    from strut.study.film import FORMATS, save_film  # noqa: PLC0415
    from strut.study.stimulus import load_stimuli  # noqa: PLC0415

    if form not in FORMATS:
        raise UnknownNameError("format", form, FORMATS, "`strut study film --help`")
    design = read_design(folder)
    stimuli = load_stimuli(design)
    out.mkdir(parents=True, exist_ok=True)
    paths = [out / f"{stimulus.name}.{form}" for stimulus in stimuli]
    for stimulus, path in zip(stimuli, paths, strict=True):
        with progress(f"draws {path}"):
            save_film(stimulus, design.display, path, form, force=force)
        people.print(f"wrote {path} ({path.stat().st_size / 1e3:.0f} kB)", markup=False, soft_wrap=True)
    if json:
        print_json({"films": [str(path) for path in paths]})
        return
    print_next(f"put the films of {out} into your survey")
