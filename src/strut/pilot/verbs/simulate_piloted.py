"""`strut simulate` of a run of a robot's own controllers: they get the same commands again, in another world."""

from __future__ import annotations

import numpy as np
import typer

from strut.cli.hooks import OnStep, Simulated, SimulationOptions, Simulator
from strut.cli.paired_options import spelled
from strut.motion import Motion
from strut.pilot.piloted_rerun import is_piloted, seed_of, simulate_again
from strut.pilot.piloted_simulation import PilotedOutcome, World
from strut.plumbing.number_text import format_percent

STEPS_PER_S = 100  # of the progress bar
NOT_APPLICABLE = {"mass_scale": 1.0, "controller": "planned", "noise": 0.0, "closed_loop": False}  # with their defaults


def check_options(context: typer.Context, motion: Motion) -> None:
    """Raise for options that the robot's own controllers and their world do not have."""
    for name, usual in NOT_APPLICABLE.items():
        if context.params[name] != usual:
            raise typer.BadParameter(
                f"{spelled(context, name)} does not apply: {motion.robot} runs again under its own controllers, which "
                "see its own noisy sensors; --friction and --delay do. Leave it out."
            )


def simulate(motion: Motion, options: SimulationOptions, on_step: OnStep) -> Simulated:
    """Give the controllers the same commands again; a robot that did not finish counts as fallen."""
    total = round(motion.duration_s * STEPS_PER_S)

    def on_sample(time_s: float) -> None:
        done = min(round(time_s * STEPS_PER_S), total)
        if done % 50 == 0 or done == total:
            on_step(done, total)

    world = World(friction=options.friction, delay_s=options.sensing.delay_s, seed=seed_of(motion))
    run = simulate_again(motion, world=world, on_sample=on_sample)
    outcome = run.outcome
    return Simulated(run.motion, not outcome.finished, outcome.as_dict(), _lines(outcome, motion))


def _lines(outcome: PilotedOutcome, motion: Motion) -> list[str]:
    before_m = float(np.linalg.norm(motion.qpos[-1, :2] - motion.qpos[0, :2]))
    cost = outcome.cost_of_transport
    ending = "stayed upright for" if outcome.finished else "stayed upright and was not done after"
    if outcome.fell:
        ending = "fell after"
    return [
        f"{ending} {outcome.upright_s:.1f} s under its own controllers",
        f"  ended {outcome.distance_m:.3f} m from its start, in the file {before_m:.3f} m",
        f"  feet slipped at most {outcome.foot_slip_mm:.1f} mm, torque use {format_percent(outcome.torque_use)}"
        f"{'' if cost is None else f', cost of transport {cost:.2f}'}",
    ]


SIMULATOR = Simulator(fits=lambda motion, _options: is_piloted(motion), check=check_options, simulate=simulate)
