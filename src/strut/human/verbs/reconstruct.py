"""`strut reconstruct`: torques and ground forces of a human motion, from its joint angles."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from strut.cli.main import REFUSED
from strut.cli.options import Force, Json, Out
from strut.cli.paired_options import check_apart
from strut.cli.screen import print_json, print_lines, print_next, print_receipt
from strut.errors import StoppedError
from strut.formats.motion_file import load_motion, save_motion
from strut.human.reconstruction.reconstruct import reconstruct as find_forces
from strut.human.reconstruction.reconstruct import stopped_at
from strut.human.reconstruction.recorded_problem import Formulation
from strut.human.verbs.solving import solved_or_best
from strut.models.catalogue import robot_of
from strut.ocp.contact_schedule import read_phases
from strut.plumbing.atomic_files import check_writable


def reconstruct(
    context: typer.Context,
    motion: Annotated[Path, typer.Argument(help="Motion file of a human model; contact columns may be missing.")],
    phases: Annotated[
        Path | None,
        typer.Option(
            help='JSON list of contact sets and times, [{"set": "RightFlat", "start_s": 0.0, "stop_s": 0.3}, ...]; '
            "found in the motion if left out."
        ),
    ] = None,
    published: Annotated[bool, typer.Option("--published", help="One step, as the thesis formulates it.")] = False,
    smooth: Annotated[
        float | None, typer.Option(help="Factor on smooth torques; by the noise in the motion if left out.")
    ] = None,
    time_limit: Annotated[
        float, typer.Option(min=1.0, help="Seconds of processor time; the best movement until then is written.")
    ] = 300.0,
    out: Out = Path("reconstructed.npz"),
    force: Force = False,
    json: Json = False,
) -> None:
    """Find torques and ground forces of a motion. Example: strut reconstruct gait.npz --out forces.npz."""
    check_apart(context, {"smooth": ("published",)})
    recorded = load_motion(motion)
    times = None if phases is None else read_phases(phases)
    formulation: Formulation = "published" if published else "samples"
    find = partial(find_forces, recorded, phases=times, formulation=formulation, smooth=smooth, max_seconds=time_limit)
    robot = robot_of(recorded, needs_feet=False)
    check_writable(out, force=force, ending=".npz")
    reconstruction, stopped = solved_or_best(
        lambda report: find(on_iteration=report), lambda best: stopped_at(robot, recorded, best), keep_best=True
    )
    reconstructed = reconstruction.motion(steps=1)
    save_motion(reconstructed, out, force=force)
    assert reconstructed.receipt is not None
    if json:
        print_json(reconstructed.receipt.as_dict())
    print_receipt(reconstructed.receipt)
    if stopped:
        raise StoppedError(f"Interrupted; {out} holds the best iterate so far, not a finished reconstruction.")
    if not reconstructed.meta["asked"]:
        print_lines(f"wrote {out}: the best iterate, not a finished reconstruction")
        raise typer.Exit(REFUSED)
    first_s = reconstructed.meta["asked"]["phases"][0][1] - float(recorded.time_s[0])
    since = f"; its time 0 is {first_s:.2f} s after the recording's start" if first_s > 0.005 else ""
    print_lines(f"wrote {out} ({reconstructed.duration_s:.1f} s of motion{since})")
    print_next("strut analyze", out)
    if reconstructed.receipt.verdict == "refused":  # the result is written with its reasons
        raise typer.Exit(REFUSED)
