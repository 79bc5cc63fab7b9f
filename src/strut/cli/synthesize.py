"""`strut synthesize`: a human gait from criteria alone, without a recording."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.cli.screen import print_json, print_lines, print_next, print_receipt, progress
from strut.engines.nonlinear_program import Iteration
from strut.errors import OutOfRangeError
from strut.library.atomic import check_writable
from strut.library.motion_file import save_motion
from strut.optimal.synthesise import synthesise, weighted_criteria
from strut.robots.catalogue import load_robot
from strut.robots.subject import subject


def synthesize(
    objective: Annotated[str, typer.Option(help="effort, momentum, head, time or multi.")] = "multi",
    weights: Annotated[
        str | None, typer.Option(help="Four weights instead, on effort, momentum, head and time: 1,1,3,0.")
    ] = None,
    speed: Annotated[float | None, typer.Option(help="Average speed in m/s; free if left out.")] = None,
    height: Annotated[float | None, typer.Option(help="Body height in m.")] = None,
    mass: Annotated[float | None, typer.Option(help="Body mass in kg.")] = None,
    clearance: Annotated[float, typer.Option(help="Least height of the swinging toes in mm.")] = 0.0,
    springs: Annotated[bool, typer.Option("--springs", help="Let the solver choose springs in the legs.")] = False,
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
    robot = load_robot("heiman") if height is None and mass is None else subject(height, mass)
    criteria = None if weights is None else weighted_criteria(robot, _numbers(weights))
    with progress("writes the problem down") as bar:

        def tell(iteration: Iteration) -> None:
            words = f"iteration {iteration.number}: cost {iteration.cost:.4f}, violation {iteration.violation:.1e}"
            bar.update(bar.task_ids[0], description=words)

        gait = synthesise(
            robot,
            objective=objective,
            criteria=criteria,
            speed_m_s=speed,
            clearance_m=clearance / 1e3,
            springs=springs,
            check_mesh=check_mesh,
            on_iteration=tell,
        )
    motion = gait.motion(steps=steps)
    save_motion(motion, out, force=force)
    assert motion.receipt is not None
    if json:
        print_json(motion.receipt.as_dict() | {"soundness": gait.soundness.as_dict(), "costs": gait.solution.costs})
    print_receipt(motion.receipt)
    print_lines(f"wrote {out} ({motion.duration_s:.1f} s of motion)")
    print_next(f"strut analyze {out}")


def _numbers(words: str) -> list[float]:
    try:
        return [float(word) for word in words.split(",")]
    except ValueError as error:
        raise OutOfRangeError(f"'{words}' is not a list of numbers such as 1,1,3,0.") from error
