"""`strut synthesize`: a human gait from criteria alone, without a recording."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from math import degrees, radians
from pathlib import Path
from typing import Annotated

import typer

from strut.cli.options import Force, Json, Out, length_m, speed_m_s
from strut.cli.screen import print_json, print_lines, print_next, print_receipt
from strut.errors import OutOfRangeError, StoppedError
from strut.formats.motion_file import load_motion, save_motion
from strut.human.analysis.naturalness import NEAR_SD, odd_scores
from strut.human.gait import Gait
from strut.human.problem.criteria import NATURAL, Criteria, named_criteria, weighted_criteria
from strut.human.problem.gait_options import HUMAN, GaitOptions, named_gait_options
from strut.human.synthesis.synthesize import best_so_far
from strut.human.synthesis.synthesize import synthesize as find_gait
from strut.human.transitions.composed_walk import check_walk, compose_walk
from strut.human.verbs.body_options import LENGTH_HELP, MASS_HELP, Mass, Sex, human_body
from strut.human.verbs.solving import solve_with_progress, solved_or_best
from strut.models.subject import EVEN_SIDES_NOTE
from strut.motion import Motion
from strut.plumbing.atomic_files import check_writable
from strut.plumbing.number_text import format_count
from strut.robot import Robot

Manner = Annotated[
    str,
    typer.Option(
        help="What makes it human: names from posture, arms, clearance, capsules, smooth and springs, with commas; "
        "human for the usual ones, plain for the criteria alone."
    ),
]
FromStand = Annotated[bool, typer.Option("--from-stand", help="Begin in a stand, which the first step leaves.")]
ToStand = Annotated[bool, typer.Option("--to-stand", help="End in a stand, into which the last two steps lead.")]
Turn = Annotated[float, typer.Option(help="Turn in a stride of two steps, in degrees; left is positive.")]


def synthesize(
    objective: Annotated[
        str | None,
        typer.Option(help=f"natural, or as published effort, momentum, head, time or multi.  [default: {NATURAL}]"),
    ] = None,
    weights: Annotated[
        str | None, typer.Option(help="Four weights instead, on effort, momentum, head and time: 1,1,3,0.")
    ] = None,
    speed: Annotated[str | None, typer.Option(help="Average speed: 1.3, m/s if bare; free if left out.")] = None,
    step: Annotated[str | None, typer.Option(help="Step length: 70cm, 0.7m, metres if bare; free if left out.")] = None,
    height: Annotated[float | None, typer.Option(help="Body height in m.")] = None,
    mass: Mass = None,
    sex: Sex = "male",
    length: Annotated[list[str] | None, typer.Option(help=LENGTH_HELP)] = None,
    segment_mass: Annotated[list[str] | None, typer.Option(help=MASS_HELP)] = None,
    manner: Manner = HUMAN,
    clearance: Annotated[
        str | None, typer.Option(help="Smallest height of the swinging toes, for instance 20mm.")
    ] = None,
    start: Annotated[
        Path | None, typer.Option("--from", help="Motion file of a human walk to start from: at another speed, say.")
    ] = None,
    starts: Annotated[int, typer.Option(help="Solve from this many starts and keep the cheapest gait.")] = 1,
    steps: Annotated[int, typer.Option(help="Steps to write, with those that start, turn and stop.")] = 4,
    from_stand: FromStand = False,
    to_stand: ToStand = False,
    turn: Turn = 0.0,
    check_mesh: Annotated[bool, typer.Option("--check-mesh", help="Solve again on a finer mesh.")] = False,
    out: Out = Path("gait.npz"),
    force: Force = False,
    json: Json = False,
) -> None:
    """Find a human gait that minimises criteria. Example: strut synthesize --objective effort --speed 1.3.

    Ctrl-C stops the solver and writes the best it has, marked as refused.
    """
    if not 1 <= steps <= 1000:
        raise OutOfRangeError(f"steps is {steps}; choose 1 to 1000.")
    check_walk(steps, from_stand=from_stand, to_stand=to_stand, turn_rad=radians(turn))
    robot = human_body(height, mass, sex, length, segment_mass)
    criteria = _criteria(robot, objective, weights)
    wanted = _options(robot, manner, clearance)
    step_m = None if step is None else length_m(step)
    initial_motion = None if start is None else load_motion(start)
    find = partial(
        find_gait,
        robot,
        criteria=criteria,
        speed_m_s=None if speed is None else speed_m_s(speed),
        step_m=step_m,
        options=wanted,
        initial_motion=initial_motion,
        starts=starts,
        check_mesh=check_mesh,
    )
    check_writable(
        out, force=force, ending=".npz"
    )  # after the other checks, so that a mistyped option is reported first
    gait, stopped = solved_or_best(lambda report: find(on_iteration=report), partial(best_so_far, robot))
    if stopped or not (from_stand or to_stand or turn):
        _write_and_report(gait, gait.motion(steps=steps), out, force=force, json=json)
        return
    compose = partial(compose_walk, gait, steps=steps, from_stand=from_stand, to_stand=to_stand, turn_rad=radians(turn))
    walk = solve_with_progress(lambda report: compose(on_iteration=report))
    _write_and_report(gait, walk.motion(), out, force=force, json=json)


def _write_and_report(gait: Gait, motion: Motion, out: Path, *, force: bool, json: bool) -> None:
    """Write the motion of a gait and report on it."""
    save_motion(motion, out, force=force)
    assert motion.receipt is not None
    if json:
        of_step = {name: motion.meta[name] for name in ("costs", "parameters", "straight_step") if name in motion.meta}
        print_json(motion.receipt.as_dict() | of_step)
    print_receipt(motion.receipt)
    refused = motion.receipt.verdict == "refused"
    print_lines(
        *(
            _transition_lines(motion.receipt.walk)
            if motion.receipt.walk
            else _naturalness_lines(gait, judged=not refused)
        )
    )
    if refused:  # only a stopped solve is written when refused
        raise StoppedError(f"Interrupted; {out} holds the best iterate so far, which is not proven: do not walk it.")
    print_lines(*(f"  Its {words}." for words in gait.attempts if words == EVEN_SIDES_NOTE))
    step = f"one step of {gait.step_length_m:.2f} m in {gait.trajectory.time_s[-1]:.2f} s"
    what = _steps(motion.receipt.walk) if motion.receipt.walk else step
    print_lines(f"wrote {out} ({what}; in all {motion.receipt.duration_s:.1f} s)")
    print_next("strut analyze", out)


def _criteria(robot: Robot, objective: str | None, weights: str | None) -> Criteria:
    if weights is None:
        return named_criteria(robot, objective or NATURAL)
    if objective is not None:
        raise typer.BadParameter("give --objective or --weights, not both.")
    try:
        numbers = [float(word) for word in weights.split(",")]
    except ValueError as error:
        raise OutOfRangeError(f"'{weights}' is not a list of numbers such as 1,1,3,0.") from error
    return weighted_criteria(robot, numbers)


def _options(robot: Robot, words: str, clearance: str | None) -> GaitOptions:
    wanted = named_gait_options(robot, [word.strip() for word in words.split(",")])
    return wanted if clearance is None else replace(wanted, clearance_m=length_m(clearance))


def _steps(walk: Mapping[str, float | None]) -> str:
    return format_count(round(walk["steps"] or 0.0), "[step|steps]")


def _transition_lines(walk: Mapping[str, float | None]) -> list[str]:
    """Return the line about how a walk starts, turns and stops."""
    clauses = {
        "start_s": "is under way {:.1f} s after it leaves its stand",
        "turn_deg": "turns by {:.3g}° in a stride",
        "radius_m": "on a circle of {:.2f} m",
        "stop_s": "stands {:.1f} s after the last steady step",
    }
    known = {**walk, "turn_deg": degrees(walk["turn_per_stride_rad"] or 0.0)}
    words = [clause.format(known[name]) for name, clause in clauses.items() if known[name]]
    return [f"  It takes {_steps(walk)}, {', '.join(words)}; pieces join to {walk['seam_velocity']:.0e} m/s."]


def _naturalness_lines(gait: Gait, *, judged: bool) -> list[str]:
    """Return lines about how natural the gait is, with a verdict if it is judged."""
    naturalness = gait.naturalness
    if naturalness is None:
        return []
    odd = [*naturalness.oddities(gait.robot), *(odd_scores(gait.band_scores()) if judged else [])]
    counts = f"{naturalness.bands_near} of {naturalness.bands_judged} published figures"
    near = f"{counts} are within {NEAR_SD:g} standard deviations"
    bands = f" ({near})" if naturalness.bands_judged else " (at this speed nothing is published to judge it by)"
    verdict = f"  It walks like people do{bands}." if not odd else f"  Unlike people{bands}: {'; '.join(odd)}."
    return [f"  It {naturalness.summary()}.", *([verdict] if judged else [])]
