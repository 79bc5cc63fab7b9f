"""`strut study`: from motions to a survey, and from answers to a result."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, get_args

import typer

from strut.cli.options import Force, Json, OpenBrowser
from strut.cli.paired_options import check_apart, check_partners
from strut.cli.screen import open_in_browser, print_json, print_lines, print_next, print_table, programs, progress
from strut.errors import MissingExtraError, UnknownNameError
from strut.plumbing.number_text import format_count, format_percent, plural_form
from strut.registry import names

Folder = Annotated[Path, typer.Argument(help="Folder of the study.")]
DatabaseUrl = Annotated[str | None, typer.Option(help="postgresql://USER@HOST/NAME instead of a file in the folder.")]

Scale = Annotated[
    tuple[float, float] | None, typer.Option(help="Lowest and highest raw rating, such as 1 9; rescaled to -1 to 1.")
]

ANSWERS = "[answer|answers]"
OBSERVERS = "simulated [observer|observers]"

study = typer.Typer(
    name="study",
    help="Show motions to people and measure what they see. Example: strut study new mystudy --motions *.npz.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)  # what each verb needs takes seconds to load, so each imports its own


@contextmanager
def stimulus_progress() -> Iterator[Callable[[int, int], None]]:
    """Show the progress of reading stimuli while a study opens; yield the callback for it."""
    with ExitStack() as shown:
        waiting = shown.enter_context(progress("reads the stimuli"))

        def report_stimulus(done: int, total: int) -> None:
            waiting(f"{done} of {total} steps of reading the stimuli", done, total)
            if done == total:
                shown.close()  # the study opens now and serves as long as it likes

        yield report_stimulus


@study.callback()
def needs_packages() -> None:
    """Refuse at once if a package that studies need is not installed."""
    for package in ("statsmodels", "pingouin", "sqlalchemy", "fastapi", "uvicorn", "jinja2"):
        if find_spec(package) is None:
            raise MissingExtraError("study", package)


@study.command()
def stats(
    answers: Annotated[Path, typer.Argument(help="CSV: participant, block, trial, intended, perceived or ratings.")],
    chance: Annotated[
        float | None, typer.Option(help="Hit rate of blind guessing, to be shown beside the others.")
    ] = None,
    scale: Scale = None,
    seed: Annotated[int, typer.Option(help="Of permutations and resampling.")] = 0,
    json: Json = False,
) -> None:
    """Compute the statistics of a table of answers. Example: strut study stats answers.csv."""
    from strut.study.report.statistics_text import methods_and_results, statistics_tables  # noqa: PLC0415
    from strut.study.statistics.answers import read_answers  # noqa: PLC0415
    from strut.study.statistics.study_statistics import study_statistics  # noqa: PLC0415

    table = read_answers(answers, scale=scale)
    with progress(f"tests {format_count(len(table), ANSWERS)}"):
        found = study_statistics(table, chance=chance, seed=seed)
    if json:
        print_json(found.as_dict())
        return
    for title, columns, rows in statistics_tables(found):
        print_table(title, columns, rows)
    for paragraph in methods_and_results(found):
        programs.print(f"\n{paragraph}", soft_wrap=True)
    print_lines(*(f"left out: {reason}" for reason in found.left_out))
    print_next("strut study stats", answers, *(("--scale", *map("{:g}".format, scale)) if scale else ()), "--json")


@study.command()
def power(
    context: typer.Context,
    rate: Annotated[float | None, typer.Option(help="Hit rate you expect, for a choice of emotions.")] = None,
    options: Annotated[int, typer.Option(help="Answers to choose from, 'do not know' among them.")] = 6,
    effect: Annotated[float | None, typer.Option(help="Cohen's d you expect, for a mean rating.")] = None,
    w: Annotated[float | None, typer.Option(help="Cohen's w you expect, for a chi-squared test.")] = None,
    dof: Annotated[int, typer.Option(help="Degrees of freedom of the chi-squared test.")] = 16,
    per_participant: Annotated[int, typer.Option(help="Answers of one person that the test counts.")] = 1,
    icc: Annotated[float, typer.Option(help="Intraclass correlation of answers of one person, 0 to 1.")] = 0.0,
    tests: Annotated[int, typer.Option(help="Tests of the study; alpha is shared among them.")] = 1,
    level: Annotated[float, typer.Option("--power", help="Probability of finding the effect.")] = 0.8,
    alpha: Annotated[float, typer.Option(help="Probability of a false alarm.")] = 0.05,
    json: Json = False,
) -> None:
    """Compute how many participants a study needs. Example: strut study power --rate 0.5 --options 6 --tests 5."""
    from strut.study.design.power import sample_size  # noqa: PLC0415

    check_partners(context, {"options": ("rate",), "dof": ("w",), "icc": ("per_participant",)})
    size = sample_size(
        rate=rate,
        options=options,
        effect=effect,
        w=w,
        dof=dof,
        per_participant=per_participant,
        intraclass_correlation=icc,
        tests=tests,
        power=level,
        alpha=alpha,
    )
    if json:
        sizes = {"observations": size.observations, "participants": size.participants, "tests": tests}
        asked = {"power": level, "alpha": alpha, "per_participant": per_participant}
        print_json({**sizes, "test": size.test, **asked, "intraclass_correlation": icc, "likeness": icc})
        return
    needed = f"{format_count(size.participants, '[participant|participants]')} with {per_participant} each"
    programs.print(f"{needed}: {size.test}, power {level:g}, alpha {alpha / tests:.3g}.")
    if per_participant > 1 and icc == 0.0:
        print_lines("answers of one person are treated as independent, but they correlate; set --icc, such as 0.2")
    print_next("strut study new mystudy --motions *.npz")


@study.command()
def new(
    folder: Annotated[Path, typer.Argument(help="Folder to make.")],
    files: Annotated[list[Path] | None, typer.Argument(help="More motion files.")] = None,
    design: Annotated[str, typer.Option(help=f"{', '.join(names('strut.questions'))}.")] = "forced-choice",
    motions: Annotated[list[Path] | None, typer.Option(help="Motion files, such as *.npz.")] = None,
    display: Annotated[str, typer.Option(help="solid bodies, sticks, or points of light at the joints.")] = "solid",
    quality: Annotated[
        str | None, typer.Option(help="Pairwise: which of two motions is more ..., such as energetic.  [asked for]")
    ] = None,
    json: Json = False,
) -> None:
    """Make a study that runs at once. Example: strut study new mystudy --design sam --motions *.npz."""
    from strut.formats.motion_file import load_motion  # noqa: PLC0415
    from strut.study.design.controls import confounds  # noqa: PLC0415
    from strut.study.design.design import DisplayKind, read_design  # noqa: PLC0415
    from strut.study.questions.question import question_type  # noqa: PLC0415
    from strut.study.study_folder import new_study  # noqa: PLC0415

    known = names("strut.questions")
    if design not in known:
        raise UnknownNameError("design", design, known, "`strut study new --help`")
    if display not in get_args(DisplayKind):
        raise typer.BadParameter(f"--display is '{display}'; choose {', '.join(get_args(DisplayKind))}.")
    if quality is None and question_type(design).asks_for_quality and sys.stdin.isatty():
        quality = typer.prompt("Which of two motions is more ...", err=True)
    paths = [*(motions or []), *(files or [])]
    made = new_study(folder, design, paths, display=display, quality=quality or "")  # type: ignore[arg-type]
    doubts = confounds([load_motion(path) for path in paths], read_design(folder).display.seconds)
    if json:
        print_json({"design": str(made), "confounds": doubts})
        return
    print_lines(f"wrote {made}", *doubts)
    print_next("strut study serve", folder, "--preview")


@study.command()
def texts(
    language: Annotated[str, typer.Argument(help="Language to print, such as en.")] = "en",
    json: Json = False,
) -> None:
    """Print all texts that participants read, to translate or replace them. Example: strut study texts en."""
    from strut.study.design.translations import language_table, texts_as_toml  # noqa: PLC0415

    if json:
        print_json(dict(language_table(language)))
        return
    programs.print(texts_as_toml(language), soft_wrap=True)
    print_lines("next: translate it and save it as languages/CODE.toml in the study's folder")


@study.command()
def serve(
    context: typer.Context,
    folder: Folder,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 for all networks.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="Port to listen on; 0 for any free one.", min=0, max=65535)] = 8000,
    database: DatabaseUrl = None,
    requests_per_minute: Annotated[int, typer.Option(help="Limit of requests of one address.", min=60)] = 6000,
    public: Annotated[
        bool, typer.Option("--public", help="For people from outside; needs [ethics] in the design.")
    ] = False,
    trust_proxy: Annotated[
        list[str] | None,
        typer.Option(help="Address or network of a reverse proxy, whose word on a visitor's address counts."),
    ] = None,
    preview: Annotated[bool, typer.Option("--preview", help="Try it: no answer is kept, and pages say so.")] = False,
    open_browser: OpenBrowser = True,
) -> None:
    """Serve a study until Ctrl-C; answers survive any stop. Example: strut study serve mystudy."""
    from strut.study.server.server import serve_study  # noqa: PLC0415

    check_apart(context, {"preview": ("database", "public")})

    def report_address(address: str) -> None:
        token = folder / "researcher_token"
        print_lines(f"participants: {address}/", f"researchers:  {address}/researcher (token in {token})")
        print_next(*("strut study serve" if preview else "strut study report", folder))
        if open_browser:
            open_in_browser(f"{address}/")

    with stimulus_progress() as on_stimulus:
        serve_study(
            folder,
            host=host,
            port=port,
            database=database,
            requests_per_minute=requests_per_minute,
            public=public,
            preview=preview,
            trusted_proxies=trust_proxy or (),
            on_ready=report_address,
            on_stimulus=on_stimulus,
        )


@study.command()
def simulate(
    context: typer.Context,
    folder: Folder,
    people_count: Annotated[int, typer.Option("--people", help="How many simulated observers.", min=1)] = 20,
    audience: Annotated[str | None, typer.Option(help="quadruped, superposition, pepper or feedback.")] = None,
    runs: Annotated[int, typer.Option(help="Repeat the study so often and print the power instead.", min=0)] = 0,
    power: Annotated[float | None, typer.Option(help="Print how many people give this power, such as 0.8.")] = None,
    finding: Annotated[str | None, typer.Option("--for", help="Finding that --power is for, such as sad.")] = None,
    seed: Annotated[int, typer.Option(help="Of the simulated answers.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Table to write; simulated.csv in the folder if left out.")] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Let a published response model answer, clearly marked. Example: strut study simulate mystudy --power 0.8."""
    from strut.plumbing.atomic_files import write_atomically  # noqa: PLC0415
    from strut.study.design.simulated_study import rehearse_study  # noqa: PLC0415
    from strut.study.study_folder import SIMULATED_FILE  # noqa: PLC0415

    check_partners(context, {"finding": ("power",)})
    check_apart(context, {"people_count": ("power",), "out": ("runs", "power")})  # with a power no table is written

    def report_size(people: int, share: float) -> None:
        print_lines(f"{format_count(people, OBSERVERS)}: power {format_percent(share)}")

    asked = {
        "audience": audience,
        "runs": runs,
        "power": power,
        "finding": finding,
        "seed": seed,
        "on_size": report_size,
    }
    with progress("simulates studies"):
        found = rehearse_study(folder, people=people_count, **asked)  # type: ignore[arg-type]
    print_lines(f"simulated audience: {found.audience.source}; these are not people. {found.caveat}")
    about = {"simulated": True, "audience": found.audience.name, "people": found.people, "caveat": found.caveat}
    if found.power and json:
        print_json({**about, "power": found.power})
    elif found.power:
        if power is not None:
            reached = f"reach a power of {power:g} for {finding or next(iter(found.power))}"
            programs.print(f"{found.people} people are the smallest sample that can {reached} (within 2 %).")
        rows = [[name, f"{format_percent(share)}"] for name, share in found.power.items()]
        title = f"power with {format_count(found.people, OBSERVERS)}, 5 % after corrections"
        print_table(title, ["finding", "power"], rows)
    else:
        path = out or folder / SIMULATED_FILE
        write_atomically(path, found.table.encode(), force=force)
        if json:
            print_json({**about, "file": str(path), "answers": found.answers})
        practice = f", {found.practice_answers} of them practice" if found.practice_answers else ""
        print_lines(f"wrote {path} ({format_count(found.answers, 'simulated [answer|answers]')}{practice})")
        print_next("strut study report", folder, "--answers", path)


@study.command()
def preregister(
    context: typer.Context,
    folder: Folder,
    people_count: Annotated[int | None, typer.Option("--people", help="How many you will ask.", min=2)] = None,
    power: Annotated[float, typer.Option(help="If --people is left out, find how many give this power.")] = 0.8,
    finding: Annotated[str | None, typer.Option("--for", help="Finding that --power is for, such as sad.")] = None,
    out: Annotated[Path | None, typer.Option(help="File; preregistration.md in the folder if left out.")] = None,
    database: DatabaseUrl = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Draft a preregistration from the design file. Example: strut study preregister mystudy --people 40."""
    from strut.study.design.preregistration import preregister_study  # noqa: PLC0415

    check_apart(context, {"power": ("people_count",), "finding": ("people_count",)})
    path = out or folder / "preregistration.md"
    with progress("simulates the study for its power"):
        asked = {"people": people_count, "power": power, "finding": finding, "database": database}
        people = preregister_study(folder, path, **asked, force=force)  # type: ignore[arg-type]
    if json:
        print_json({"file": str(path), "people": people})
        return
    print_lines(
        f"wrote {path} ({people} people); read it, fill in what is in [brackets], and register it before you start"
    )
    print_next("strut study serve", folder)


@study.command()
def report(
    context: typer.Context,
    folder: Folder,
    database: DatabaseUrl = None,
    answers: Annotated[Path | None, typer.Option(help="A table of answers instead of the database.")] = None,
    scale: Scale = None,
    out: Annotated[
        Path | None, typer.Option(help="Page to write; (simulated_)report.html in the folder if left out.")
    ] = None,
    force: Force = False,
    json: Json = False,
) -> None:
    """Write methods, results, tables and figures of a study as one page. Example: strut study report mystudy."""
    from strut.study.report.study_report import report_page, report_study  # noqa: PLC0415
    from strut.study.study_folder import SIMULATED_FILE  # noqa: PLC0415

    check_partners(context, {"scale": ("answers",)})
    check_apart(context, {"database": ("answers",)})
    with progress(f"reports {folder}"):
        found = report_study(folder, out, answers=answers, database=database, scale=scale, force=force)
    path = out or report_page(folder, simulated=found.simulated)
    if json:
        print_json({"page": str(path), **found.as_dict()})
        return
    print_lines(
        f"wrote {path} ({format_count(found.answers, ANSWERS)}) and its tables as CSV and LaTeX beside it",
        *found.remarks,
    )
    if answers is None and (folder / SIMULATED_FILE).is_file():
        print_lines(f"{folder / SIMULATED_FILE} was left out: simulated answers are reported with --answers alone")
    print_lines("next: open it, or print it to PDF from the browser")


@study.command()
def labels(
    context: typer.Context,
    folder: Folder,
    database: DatabaseUrl = None,
    answers: Annotated[Path | None, typer.Option(help="A table of answers instead of the database.")] = None,
    json: Json = False,
) -> None:
    """List all labels for a laboratory to code; codes written before stay. Example: strut study labels mystudy."""
    from strut.study.report.code_sheet import save_code_sheet  # noqa: PLC0415

    check_apart(context, {"database": ("answers",)})
    with progress(f"reads the labels of {folder}"):
        path, count, coded = save_code_sheet(folder, answers=answers, database=database)
    if json:
        print_json({"file": str(path), "labels": count, "coded": coded})
        return
    counted = format_count(count, "[label|labels]")
    print_lines(f"wrote {path} ({counted}, {coded} of them coded); write a code beside each, then report")
    print_next("strut study report", folder, *(("--answers", answers) if answers else ()))


@study.command()
def forget(
    folder: Folder,
    code: Annotated[str, typer.Argument(help="Code that the participant was shown at the end.")],
    database: DatabaseUrl = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask before deleting.")] = False,
    json: Json = False,
) -> None:
    """Delete a participant with all answers, on request. Example: strut study forget mystudy 1f0c35a2b7d9."""
    from strut.study.study_folder import forget_participant  # noqa: PLC0415

    if not yes:
        typer.confirm(f"Delete all answers of {code} for good?", abort=True, err=True)
    with progress(f"opens {folder}"):
        gone = forget_participant(folder, code, database=database)
    if json:
        print_json({"code": code, "deleted": gone})
        return
    print_lines(
        f"deleted {format_count(gone, ANSWERS)} of {code}; exports and backups made before still hold "
        f"{plural_form(gone, '[it|them]')}"
    )
    print_next("strut study report", folder)


@study.command()
def backup(
    folder: Folder,
    file: Annotated[Path, typer.Argument(help="SQLite file to write.")],
    database: DatabaseUrl = None,
    json: Json = False,
) -> None:
    """Copy all answers into a new file while the study runs. Example: strut study backup mystudy monday.sqlite."""
    from strut.study.study_folder import back_up_study  # noqa: PLC0415

    with progress(f"copies the answers of {folder}"):
        count = back_up_study(folder, file, database=database)
    if json:
        print_json({"file": str(file), "answers": count})
        return
    print_lines(f"wrote {file} ({format_count(count, ANSWERS)})")
    print_next("strut study report", folder, "--database", f"sqlite:///{file}")


@study.command()
def film(
    folder: Folder,
    out: Annotated[Path, typer.Option(help="Folder to write the films to.")] = Path("films"),
    form: Annotated[str, typer.Option("--format", help="gif, mp4 or webm.")] = "gif",
    force: Force = False,
    json: Json = False,
) -> None:
    """Write the stimuli of a study as films for other surveys. Example: strut study film mystudy --format gif."""
    from strut.study.stimuli.film import film_study  # noqa: PLC0415

    with progress(f"draws the films of {folder}") as waiting:

        def report_film(path: Path) -> None:
            print_lines(f"wrote {path} ({path.stat().st_size / 1e3:.0f} kB)")
            waiting(f"draws the film after {path.name}")

        paths = film_study(folder, out, form=form, force=force, on_film=report_film)
    if json:
        print_json({"films": [str(path) for path in paths]})
        return
    print_lines(f"next: put the films of {out} into your survey; {out / 'key.csv'} says which is which")
