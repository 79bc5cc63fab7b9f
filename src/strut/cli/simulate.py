"""`strut simulate`: play a motion in physics and see what comes of it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from strut.audit import STANDS_STILL_M
from strut.cli.clips import ClipRobot, ReadOptions, clip_words, load_clip
from strut.cli.hooks import OnStep, Simulated, SimulationOptions, Simulator
from strut.cli.options import Force, Json, MotionPath
from strut.cli.paired_options import check_apart, spelled
from strut.cli.screen import print_json, print_lines, print_next, progress
from strut.formats.motion_file import save_motion
from strut.models.catalogue import robot_of
from strut.motion import Motion
from strut.plumbing.atomic_files import check_not_input, check_writable
from strut.plumbing.number_text import format_count, format_percent
from strut.registry import find, names
from strut.simulation.outcome import Outcome
from strut.simulation.playback import Playback
from strut.simulation.playback import simulate as play
from strut.simulation.sensing import MAX_SENSING, Sensing
from strut.verify.goal_ending import measure_goal_ending
from strut.verify.landing_audit import lands_with_impacts
from strut.viewer.receipt_text import goal_words

# Options that need not be repeated.
USUAL = {"friction": None, "mass_scale": 1.0, "controller": "planned", "noise": 0.0, "delay": 0.0}
FELL = 4  # exit code: nothing is wrong with the command, but a script should notice


def simulate(
    context: typer.Context,
    file: MotionPath,
    friction: Annotated[float | None, typer.Option(help="Of the floor; the robot's own if left out.")] = None,
    mass_scale: Annotated[float, typer.Option(help="Factor on the mass of the robot; the plan keeps its own.")] = 1.0,
    closed_loop: Annotated[
        bool,
        typer.Option(
            "--closed-loop",
            help="Walk the file's footsteps, planned anew after each, instead of playing its samples. Bipeds only.",
        ),
    ] = False,
    controller: Annotated[
        str,
        typer.Option(help="planned (the one in the receipt), servos, balance under the soles, or whole_body torques."),
    ] = "planned",
    noise: Annotated[
        float,
        typer.Option(min=0.0, max=MAX_SENSING, help="Of the velocities that a controller sees: spread in m/s."),
    ] = 0.0,
    delay: Annotated[
        float, typer.Option(min=0.0, max=MAX_SENSING, help="Age of the state that a controller sees, in seconds.")
    ] = 0.0,
    robot: ClipRobot = None,
    read: ReadOptions = None,
    out: Annotated[Path | None, typer.Option(help="Write the simulated motion here.")] = None,
    force: Force = False,
    json: Json = False,
) -> int:
    """Play a motion in a physics engine (exit 4 if the robot falls). Example: strut simulate walk.npz.

    Servos get feedforward of planned speed and torque, so that they neither sag nor lag. A robot with its own
    controllers (cassie) repeats its commands, in the world that you choose.
    """
    check_apart(context, {"controller": ("closed_loop",)})
    sensing = _chosen_sensing(noise, delay, closed_loop=closed_loop)
    motion = load_clip(file, robot, read)
    options = SimulationOptions(friction, mass_scale, closed_loop, controller, sensing)
    simulators: list[Simulator] = [find("strut.simulators", name) for name in names("strut.simulators")]
    simulator = next((one for one in simulators if one.fits(motion, options)), PLAYBACK)
    simulator.check(context, motion)
    if out is not None:
        check_not_input(out, file)
        check_writable(out, force=force, ending=".npz")
    words = f"plays {file}"
    with progress(words) as waiting:
        simulated = simulator.simulate(motion, options, lambda done, total: waiting(words, done, total))
    lines = [*simulated.lines, *(_remarks_on_fall(motion) if simulated.fell else [])]
    if out is not None:
        save_motion(simulated.motion, out, force=force)
        lines.append(f"wrote {out} ({simulated.motion.duration_s:.1f} s of motion)")
    if json:
        print_json(simulated.numbers)
    print_lines(*lines)
    again = _changed_options(context) if simulated.fell else None
    command, *words_after = _next(file, clip_words(robot, read), out, again)
    print_next(command, *words_after)
    return FELL if simulated.fell else 0


def _report_every_50(report: OnStep, done: int, total: int) -> None:
    if done % 50 == 0 or done == total:
        report(done, total)


def cost_words(cost: float | None) -> str:
    """Return the cost of transport, to end a sentence; empty for motions in place."""
    return "" if cost is None else f", cost of transport {cost:.2f}"


def _chosen_sensing(noise: float, delay: float, *, closed_loop: bool) -> Sensing:
    """Return the sensing of the controller that was typed."""
    if closed_loop and any((noise, delay)):
        what = "--noise and --delay do not apply with --closed-loop"
        raise typer.BadParameter(f"{what}, which plans from the state as it is; leave them out.")
    return Sensing(velocity_noise_m_s=noise, turn_noise_rad_s=noise, delay_s=delay)


def _remarks_on_fall(motion: Motion) -> list[str]:
    """Return a remark about the fall of a motion that needs impacts to land."""
    if not lands_with_impacts(robot_of(motion)):
        return []
    return ["  servos that follow angles do not balance a person; the playback in the receipt proves the walk"]


def _changed_options(context: typer.Context) -> list[str]:
    """Return the options that differ from their defaults, as they are typed."""
    changed = {name: value for name, usual in USUAL.items() if (value := context.params[name]) != usual}
    words = [word for name, value in changed.items() for word in (spelled(context, name), f"{value}")]
    return ["--closed-loop", *words] if context.params["closed_loop"] else words


def _next(file: Path, clip_options: tuple[str, ...], out: Path | None, again: Sequence[str] | None) -> tuple[str, ...]:
    """Return the command to propose: show what was written; write and show a fall, simulated `again`; or export."""
    if out is not None:
        return "strut show", str(out)
    if again is None:
        return "strut export", str(file), *clip_options
    fall = file.with_name(f"{file.stem}_fell.npz")
    words = ["strut", "simulate", str(file), *clip_options, *again, "--out", str(fall)]
    return f"{shlex.join(words)} && strut show", str(fall)


def _results(playback: Playback) -> tuple[dict[str, Any], list[str]]:
    """Return numbers for programs and lines for people; for a walk to a goal that did not fall also where it ended."""
    outcome = playback.outcome
    ending = None if outcome.fell else measure_goal_ending(playback.motion)
    if ending is None:
        return outcome.as_dict(), _lines(outcome)
    return outcome.as_dict() | {"goal": ending.as_dict()}, [*_lines(outcome), f"  ended {goal_words(ending)}"]


def _share_walked(outcome: Outcome) -> str:
    """Return the share of the planned distance that was walked, to end a sentence; empty for motions in place."""
    if outcome.commanded_distance_m < STANDS_STILL_M:
        return ""
    return f" ({format_percent(outcome.distance_m / outcome.commanded_distance_m)})"


def _lines(outcome: Outcome) -> list[str]:
    first = f"fell after {outcome.upright_s:.1f} s" if outcome.fell else f"stayed upright for {outcome.upright_s:.1f} s"
    first += f", stumbled {format_count(outcome.stumbles, '[time|times]')}," if outcome.stumbles else ""
    first += {"balance": " by balance", "whole_body": " by whole-body control"}.get(outcome.controller, "")
    torque_use = format_percent(outcome.torque_use)
    unfelt = [f"  {outcome.unfelt}"] if outcome.unfelt else []
    if outcome.hand_error_mm is not None:
        return [
            f"played {outcome.upright_s:.1f} s: the hand got at most {outcome.hand_error_mm:.2f} mm off its plan",
            f"  joints at most {outcome.tracking_error_rad:.4f} rad off, torque use {torque_use}",
            *unfelt,
        ]
    cost = cost_words(outcome.cost_of_transport)
    return [
        f"{first}: walked {outcome.distance_m:.3f} m of {outcome.commanded_distance_m:.3f} m{_share_walked(outcome)}",
        f"  heading drifted {outcome.heading_drift_rad:+.3f} rad, feet slipped at most {outcome.foot_slip_mm:.1f} mm",
        f"  joints at most {outcome.tracking_error_rad:.3f} rad off, torque use {torque_use}{cost}",
        *unfelt,
    ]


def play_motion(motion: Motion, options: SimulationOptions, on_step: OnStep) -> Simulated:
    """Play the samples of a motion."""
    playback = play(
        motion,
        friction=options.friction,
        mass_scale=options.mass_scale,
        controller=options.controller,  # type: ignore[arg-type]  # it checks the name
        sensing=options.sensing,
        on_sample=partial(_report_every_50, on_step),
    )
    return Simulated(playback.motion, playback.outcome.fell, *_results(playback))


PLAYBACK = Simulator(fits=lambda _motion, _options: True, check=lambda _context, _motion: None, simulate=play_motion)
