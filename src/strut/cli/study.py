"""`strut study`: from motions to a survey, and from answers to a result."""

from __future__ import annotations

import math
from contextlib import closing
from pathlib import Path
from typing import Annotated, cast

import typer

from strut.cli.screen import people, print_json, print_next, print_table, programs, progress
from strut.errors import MissingExtraError, OutOfRangeError

study = typer.Typer(
    name="study",
    help="Show motions to people and measure what they see.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)


@study.callback()
def needs_packages() -> None:
    """Show motions to people and measure what they see. Example: strut study new mystudy --motions *.npz."""
    for package in ("statsmodels", "pingouin", "sqlalchemy", "fastapi", "uvicorn", "jinja2"):
        try:
            __import__(package)
        except ModuleNotFoundError as error:
            raise MissingExtraError("study", package) from error


@study.command()
def stats(
    answers: Annotated[Path, typer.Argument(help="CSV: participant, block, trial, intended, perceived or ratings.")],
    chance: Annotated[float | None, typer.Option(help="Hit rate of blind guessing; 1 / options if left out.")] = None,
    seed: Annotated[int, typer.Option(help="Of permutations and resampling.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print all findings as JSON to stdout.")] = False,
) -> None:
    """Compute the statistics of a table of answers. Example: strut study stats answers.csv."""
    from strut.cli.study_words import statistics_tables  # noqa: PLC0415  (statistics take seconds to load)
    from strut.study.answers import read_answers  # noqa: PLC0415
    from strut.study.paragraph import methods_and_results  # noqa: PLC0415
    from strut.study.statistics import study_statistics  # noqa: PLC0415

    table = read_answers(answers)
    with progress(f"tests {len(table.participant)} answers"):
        found = study_statistics(table, chance=chance, seed=seed)
    if json:
        print_json(found.as_dict())
        return
    for title, columns, rows in statistics_tables(found):
        print_table(title, columns, rows)
    for paragraph in methods_and_results(found):
        programs.print(f"\n{paragraph}")
    for reason in found.left_out:
        people.print(f"left out: {reason}", markup=False, soft_wrap=True)
    print_next(f"strut study stats {answers} --json")


@study.command()
def power(
    rate: Annotated[float | None, typer.Option(help="Hit rate you expect, for a choice of emotions.")] = None,
    options: Annotated[int, typer.Option(help="Answers to choose from, 'do not know' among them.")] = 6,
    effect: Annotated[float | None, typer.Option(help="Cohen's d you expect, for a mean rating.")] = None,
    w: Annotated[float | None, typer.Option(help="Cohen's w you expect, for a chi-squared test.")] = None,
    dof: Annotated[int, typer.Option(help="Degrees of freedom of the chi-squared test.")] = 16,
    per_participant: Annotated[int, typer.Option(help="Answers per participant that a test counts.")] = 1,
    level: Annotated[float, typer.Option("--power", help="Probability of finding the effect.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Probability of a false alarm.")] = 0.05,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON to stdout.")] = False,
) -> None:
    """Say how many participants a study needs. Example: strut study power --rate 0.5 --options 6."""
    from strut.study.power import binomial_trials, chi2_observations, mean_participants  # noqa: PLC0415

    if sum(asked is not None for asked in (rate, effect, w)) != 1:
        raise OutOfRangeError("Give exactly one of --rate (choices), --effect (ratings) or --w (chi-squared).")
    if per_participant < 1 or options < 2:
        raise OutOfRangeError("--per-participant must be at least 1 and --options at least 2.")
    if rate is not None:
        observations = float(binomial_trials(rate, 1.0 / options, power=level, alpha=alpha))
    elif effect is not None:
        observations = mean_participants(effect, power=level, alpha=alpha)
    else:
        assert w is not None
        observations = chi2_observations(w, dof, power=level, alpha=alpha)
    needed = math.ceil(math.ceil(observations) / per_participant)
    if json:
        print_json({"observations": observations, "participants": needed, "power": level, "alpha": alpha})
        return
    programs.print(f"{math.ceil(observations)} observations: {needed} participants with {per_participant} each.")
    print_next("strut study new mystudy --motions *.npz")


@study.command()
def new(
    folder: Annotated[Path, typer.Argument(help="Folder to make.")],
    files: Annotated[list[Path] | None, typer.Argument(help="More motion files.")] = None,
    design: Annotated[str, typer.Option(help="forced-choice, slider, sam or improvement.")] = "forced-choice",
    motions: Annotated[list[Path] | None, typer.Option(help="Motion files, such as *.npz.")] = None,
) -> None:
    """Make a study that runs at once. Example: strut study new mystudy --design sam --motions *.npz."""
    from typing import get_args  # noqa: PLC0415

    from strut.errors import UnknownNameError  # noqa: PLC0415
    from strut.study.design import Question  # noqa: PLC0415
    from strut.study.new_study import new_study  # noqa: PLC0415

    if design not in get_args(Question):
        raise UnknownNameError("design", design, get_args(Question), "`strut study new --help`")
    made = new_study(folder, cast(Question, design), [*(motions or []), *(files or [])])
    people.print(f"wrote {made}", markup=False, soft_wrap=True)
    print_next(f"strut study serve {folder}")


@study.command()
def serve(
    folder: Annotated[Path, typer.Argument(help="Folder of the study.")],
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for everybody.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for any free one.", min=0, max=65535)] = 8000,
    database: Annotated[str | None, typer.Option(help="postgresql://USER@HOST/NAME instead of a file.")] = None,
    requests_per_minute: Annotated[int, typer.Option(help="Most requests of one address.", min=60)] = 6000,
) -> None:
    """Serve a study until Ctrl-C; answers survive any stop. Example: strut study serve mystudy."""
    from strut.study.guard import Limits  # noqa: PLC0415
    from strut.study.opened_study import open_study  # noqa: PLC0415
    from strut.study.server import listening_socket, study_app  # noqa: PLC0415
    from strut.study.server import serve as serve_app  # noqa: PLC0415

    opened = open_study(folder, database)
    limits = Limits(requests_per_minute=requests_per_minute, starts_per_minute=max(120, requests_per_minute // 50))
    app = study_app(opened.design, opened.stimuli, opened.database, token=opened.token, limits=limits)
    with closing(opened.database), listening_socket(host, port) as listening:
        address = f"http://{host}:{listening.getsockname()[1]}"
        people.print(f"participants: {address}/", markup=False, soft_wrap=True)
        people.print(f"researchers:  {address}/researcher (token in {folder / 'researcher_token'})", markup=False)
        print_next(f"strut study report {folder}")
        serve_app(app, listening)
