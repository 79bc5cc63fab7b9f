"""`strut synthesize`: a human gait from criteria alone, without a recording."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from strut.cli.interruption import INTERRUPTED
from strut.cli.length import length_m
from strut.cli.screen import print_json, print_lines, print_next, print_receipt
from strut.cli.solving import solver_on_screen
from strut.errors import OutOfRangeError
from strut.library.atomic import check_writable
from strut.library.motion_file import save_motion
from strut.optimal.gait import Gait
from strut.optimal.manner import HUMAN, named_manner
from strut.optimal.objective import named_criteria, weighted_criteria
from strut.optimal.solve import NotSolvedError
from strut.optimal.synthesise import best_so_far, synthesise
from strut.robots.catalogue import load_robot
from strut.robots.subject import subject


def synthesize(
    objective: Annotated[str, typer.Option(help="effort, momentum, head, time or multi.")] = "multi",
    weights: Annotated[
        str | None, typer.Option(help="Four weights instead, on effort, momentum, head and time: 1,1,3,0.")
    ] = None,
    speed: Annotated[float | None, typer.Option(help="Average speed in m/s; free if left out.")] = None,
    step: Annotated[str | None, typer.Option(help="Step length, for instance 70cm; free if left out.")] = None,
    height: Annotated[float | None, typer.Option(help="Body height in m.")] = None,
    mass: Annotated[float | None, typer.Option(help="Body mass in kg.")] = None,
    manner: Annotated[
        str,
        typer.Option(
            help="What makes it human: names from posture, arms, clearance, capsules, smooth and springs, with commas; "
            "human for the usual ones, plain for the criteria alone."
        ),
    ] = HUMAN,
    sex: Annotated[str, typer.Option(help="Whose proportions: male or female; female needs height and mass.")] = "male",
    clearance: Annotated[float | None, typer.Option(help="Least height of the swinging toes in mm.")] = None,
    steps: Annotated[int, typer.Option(help="Steps to write.")] = 4,
    check_mesh: Annotated[bool, typer.Option("--check-mesh", help="Solve again on a finer mesh.")] = False,
    out: Annotated[Path, typer.Option(help="Motion file to write.")] = Path("gait.npz"),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the receipt as JSON to stdout.")] = False,
) -> None:
    """Find a human gait that minimises criteria. Example: strut synthesize --objective effort --speed 1.3."""
    check_writable(out, force=force, ending=".npz")
    if not 1 <= steps <= 1000:
        raise OutOfRangeError(f"steps is {steps}; choose 1 to 1000.")
    usual = height is None and mass is None and sex == "male"
    robot = load_robot("heiman") if usual else subject(height, mass, sex=sex)
    criteria = named_criteria(robot, objective) if weights is None else weighted_criteria(robot, _numbers(weights))
    wanted = named_manner(robot, [word.strip() for word in manner.split(",")])
    if clearance is not None:
        wanted = replace(wanted, clearance_m=clearance / 1e3)
    with solver_on_screen("writes the problem down") as (tell, stop):
        try:
            gait = synthesise(
                robot,
                criteria=criteria,
                speed_m_s=speed,
                step_m=None if step is None else length_m(step),
                manner=wanted,
                check_mesh=check_mesh,
                on_iteration=tell,
            )
        except NotSolvedError as failure:
            if not stop.is_set() or failure.best is None:
                raise
            gait = best_so_far(robot, failure.best)
    motion = gait.motion(steps=steps)
    save_motion(motion, out, force=force)
    assert motion.receipt is not None
    if json:
        print_json(motion.receipt.as_dict() | {"soundness": gait.soundness.as_dict(), "costs": gait.solution.costs})
    print_receipt(motion.receipt)
    print_lines(*_looks(gait), f"wrote {out} ({motion.duration_s:.1f} s of motion)")
    print_next(f"strut analyze {out}")
    if stop.is_set() and motion.receipt.verdict == "refused":
        raise typer.Exit(INTERRUPTED)


def _looks(gait: Gait) -> list[str]:
    """Return what a person who looks at the gait would notice, in words."""
    looks = gait.naturalness
    if looks is None:
        return []
    odd = looks.oddities(gait.robot)
    return [
        f"  It {looks.words()}.",
        "  It walks like people do." if not odd else f"  Unlike people: {'; '.join(odd)}.",
    ]


def _numbers(words: str) -> list[float]:
    try:
        return [float(word) for word in words.split(",")]
    except ValueError as error:
        raise OutOfRangeError(f"'{words}' is not a list of numbers such as 1,1,3,0.") from error
