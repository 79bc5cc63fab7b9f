"""`strut reconstruct`: torques and ground forces of a human motion, from its joint angles."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.cli.screen import print_json, print_lines, print_next, print_receipt, progress
from strut.engines.nonlinear_program import Iteration
from strut.library.atomic import check_writable
from strut.library.motion_file import load_motion, save_motion
from strut.optimal.phase_times import read_phases
from strut.optimal.reconstruct import Formulation
from strut.optimal.reconstruct import reconstruct as find_forces


def reconstruct(
    motion: Annotated[Path, typer.Argument(help="Motion file of a human model.")],
    phases: Annotated[Path | None, typer.Option(help="JSON file of contact sets and times; else found.")] = None,
    published: Annotated[bool, typer.Option("--published", help="One step, as the thesis formulates it.")] = False,
    smooth: Annotated[float, typer.Option(help="Factor on smooth torques; 10 and more for noisy data.")] = 1.0,
    out: Annotated[Path, typer.Option(help="Motion file to write.")] = Path("reconstructed.npz"),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the receipt as JSON to stdout.")] = False,
) -> None:
    """Find torques and ground forces of a motion. Example: strut reconstruct gait.npz --out forces.npz."""
    check_writable(out, force=force, ending=".npz")
    recorded = load_motion(motion)
    times = None if phases is None else read_phases(phases)
    with progress("writes the problem down") as bar:

        def tell(iteration: Iteration) -> None:
            words = f"iteration {iteration.number}: cost {iteration.cost:.4f}, violation {iteration.violation:.1e}"
            bar.update(bar.task_ids[0], description=words)

        formulation: Formulation = "published" if published else "samples"
        found = find_forces(recorded, phases=times, formulation=formulation, smooth=smooth, on_iteration=tell)
    moved = found.motion(steps=1)
    save_motion(moved, out, force=force)
    assert moved.receipt is not None
    if json:
        print_json(moved.receipt.as_dict() | {"soundness": found.soundness.as_dict()})
    print_receipt(moved.receipt)
    print_lines(f"wrote {out} ({moved.duration_s:.1f} s of motion)")
    print_next(f"strut analyze {out}")
