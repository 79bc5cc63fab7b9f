"""`strut walk`: plan a walk that shows a feeling."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.acting.walk import DEFAULT_MARGIN_M
from strut.acting.walk import walk as plan_walk
from strut.cli.length import length_m
from strut.cli.screen import print_json, print_lines, print_next, print_receipt, progress
from strut.emotion import Emotion, named_emotion
from strut.errors import RefusedError
from strut.library.atomic import check_writable
from strut.library.motion_file import save_motion


def walk(
    robot: Annotated[str, typer.Argument(help="Robot to move; see `strut robots`.")],
    emotion: Annotated[str | None, typer.Option(help="A name; see `strut emotions`.  [default: neutral]")] = None,
    pad: Annotated[
        tuple[float, float, float] | None, typer.Option(help="Pleasure, arousal, dominance instead of a name.")
    ] = None,
    intensity: Annotated[float, typer.Option(help="0 is neutral, 1 as published, at most 1.5.")] = 1.0,
    cycles: Annotated[int, typer.Option(help="Gait cycles.")] = 10,
    step_length: Annotated[str | None, typer.Option(help="Step length in neutral, for instance 80mm.")] = None,
    step_height: Annotated[str | None, typer.Option(help="Step height in neutral, for instance 40mm.")] = None,
    margin: Annotated[str, typer.Option(help="Smallest balance margin.")] = f"{DEFAULT_MARGIN_M * 1e3:g}mm",
    balance: Annotated[str, typer.Option(help="y sways sideways only, as published; xy both ways.")] = "xy",
    retreat: Annotated[
        str, typer.Option(help="Weaken for the whole walk (global) or only while a limit is near (local).")
    ] = "global",
    rate: Annotated[float, typer.Option(help="Samples per second.")] = 100.0,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse (exit 3) instead of weakening.")] = False,
    out: Annotated[Path, typer.Option(help="Motion file to write.")] = Path("walk.npz"),
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the receipt as JSON to stdout.")] = False,
) -> None:
    """Plan a walk that shows an emotion and save it. Example: strut walk mrpete --emotion happy --out happy.npz."""
    if emotion is not None and pad is not None:
        raise typer.BadParameter("give --emotion or --pad, not both.")
    check_writable(out, force=force)
    feeling = Emotion(*pad) if pad is not None else named_emotion("neutral" if emotion is None else emotion)
    with progress(f"{robot} tries to walk {feeling.label}") as bar:

        def tell(tried: float, passed: bool) -> None:
            words = "keeps its limits" if passed else "does not keep its limits"
            bar.update(bar.task_ids[0], description=f"intensity {tried:.2f} {words}")

        try:
            motion = plan_walk(
                robot,
                feeling,
                intensity=intensity,
                cycles=cycles,
                step_length_m=None if step_length is None else length_m(step_length),
                step_height_m=None if step_height is None else length_m(step_height),
                margin_m=length_m(margin),
                balance=balance,  # type: ignore[arg-type]
                retreat=retreat,  # type: ignore[arg-type]
                strict=strict,
                rate_hz=rate,
                on_attempt=tell,
            )
        except RefusedError as refusal:
            if json and refusal.receipt is not None:
                print_json(refusal.receipt.as_dict())
            raise
    save_motion(motion, out, force=force)
    assert motion.receipt is not None
    if json:
        print_json(motion.receipt.as_dict())
    print_receipt(motion.receipt)
    print_lines(f"wrote {out} ({motion.duration_s:.1f} s of motion)")
    print_next(f"strut show {out}")
