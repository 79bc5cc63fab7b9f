"""`strut retarget`: makes a person's or another robot's walk a motion of a robot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from strut.audit import DEFAULT_MARGIN_M
from strut.cli.options import Force, Json, Out, length_m
from strut.cli.screen import print_lines, print_planned
from strut.formats.motion_file import save_motion
from strut.models.catalogue import load_robot
from strut.motion import Motion
from strut.plumbing.atomic_files import check_not_input, check_writable, write_atomically
from strut.retargeting.body_parts import read_correspondence
from strut.retargeting.retarget import prepare
from strut.retargeting.retarget import retarget as retarget_walk

MAP_ENDING = ".parts.toml"


def retarget(
    file: Annotated[Path, typer.Argument(help="BVH file of a person, or a motion file.", show_default=False)],
    to: Annotated[str, typer.Option("--to", help="The robot that is to walk; see `strut robots`.")],
    source: Annotated[str | None, typer.Option("--from", help="The body that moves, if the file does not say.")] = None,
    unit: Annotated[float, typer.Option(help="Metres in one unit of a BVH file; 0.056444 for CMU.")] = 1.0,
    between: Annotated[str | None, typer.Option(help="Part of the file to take, for instance 2,9 in seconds.")] = None,
    parts: Annotated[
        Path | None, typer.Option("--map", help="Which parts correspond, as written beside --out.")
    ] = None,
    margin: Annotated[str, typer.Option(help="Smallest balance margin.")] = f"{DEFAULT_MARGIN_M * 1e3:g}mm",
    rate: Annotated[float, typer.Option(help="Samples per second.")] = 100.0,
    out: Out = Path("retargeted.npz"),
    force: Force = False,
    json: Json = False,
) -> None:
    """Make a walk a motion of another robot. Example: strut retarget walk.bvh --unit 0.01 --to talos --out walk.npz."""
    check_not_input(out, file)
    map_file = out.with_suffix(MAP_ENDING) if parts is None else None
    check_writable(out, force=force, ending=".npz")
    if map_file is not None:
        check_writable(map_file, force=force)
    robot = load_robot(to)
    given = None if parts is None else read_correspondence(parts)
    between_s = None if between is None else _seconds(between)
    found = prepare(file, robot, source_robot=source, parts=given, unit_m=unit, between_s=between_s).parts
    motion = retarget_walk(
        file,
        robot,
        source_robot=source,
        parts=found,
        unit_m=unit,
        between_s=between_s,
        margin_m=length_m(margin),
        rate_hz=rate,
        on_attempt=lambda clause: print_lines(f"tries {clause}"),
    )
    save_motion(motion, out, force=force)
    if map_file is not None:
        write_atomically(map_file, found.as_toml().encode(), force=force)
        print_lines(f"wrote {map_file}: which parts correspond; correct it and give it as --map")
    print_features(motion)
    print_planned(motion, out, json=json)


def _seconds(text: str) -> tuple[float, float]:
    """Return start and end of `2,9`."""
    try:
        start, stop = (float(part) for part in text.split(","))
    except ValueError:
        raise typer.BadParameter(f"'{text}' is no part of a motion; write START,END in seconds.") from None
    return start, stop


def print_features(motion: Motion) -> None:
    """Print the features of the walk before and after, and what is lost."""
    table = motion.meta["retarget"]
    names = [name for name, value in table["before"].items() if value is not None]
    lines = [f"{'':20}{'before':>10}{'after':>10}"]
    for name in names:
        after = table["after"][name]
        lines.append(f"{name:20}{table['before'][name]:10.2f}{'none' if after is None else f'{after:.2f}':>10}")
    lost = [f"lost: {text}" for text in table["lost"]]
    print_lines("\n".join([*lines, *lost]))
