"""What does walking cost a human at which speed? Gaits from 0.6 to 2.0 m/s, and one that may choose its speed.

python examples/04_effort_against_speed.py FILE.svg [human|plain]

Prints effort over speed (docs/explanations/human_gait.md) and draws it. Each gait takes 15 to 50 s of processor time.
"""

import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import process_time

from matplotlib.figure import Figure

import strut

WORKERS = 2
SPEEDS_M_S = (None, 0.6, 1.0, 1.3, 1.6, 2.0)
COLUMNS = (
    *("speed [m/s]", "step [m]", "effort per metre", "cost of transport", "drift [mm]", "momentum error [N s]"),
    *("iterations", "processor [s]", "odd"),
)


@dataclass(frozen=True)
class Point:
    """One gait of the curve, and its line in the table."""

    speed_m_s: float
    effort_per_m: float
    cost_of_transport: float
    line: str


def main(path: Path, manner: str) -> None:
    """Synthesize the gaits, a few at a time, and draw the curve."""
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}", flush=True)
    points = []
    with ProcessPoolExecutor(WORKERS) as pool:
        for point in pool.map(partial(walked, manner=manner), SPEEDS_M_S):
            points.append(point)
            print(point.line, flush=True)
    draw(points, path)
    print(f"\nlook at   {path}")


def walked(speed_m_s: float | None, *, manner: str) -> Point:
    """Return the gait of a speed; None lets it choose."""
    robot = strut.load_robot("heiman")
    began = process_time()
    gait = strut.synthesize(robot, speed_m_s=speed_m_s, options=strut.human.named_gait_options(robot, [manner]))
    sound = gait.soundness
    odd = gait.naturalness.oddities(robot)
    cells = [
        f"{gait.speed_m_s:.2f}" if speed_m_s is not None else f"free: {gait.speed_m_s:.2f}",
        f"{gait.step_length_m:.3f}",
        f"{gait.solution.costs['effort']:.3f}",
        f"{gait.cost_of_transport():.3f}",
        f"{1e3 * sound.contact_drift_m:.2f}",
        f"{sound.momentum_error_n_s:.2f}",
        f"{gait.solution.iterations}",
        f"{process_time() - began:.0f}",
        "; ".join(odd) or "nothing",
    ]
    line = f"| {' | '.join(cells)} |"
    return Point(gait.speed_m_s, gait.solution.costs["effort"], gait.cost_of_transport(), line)


def draw(points: list[Point], path: Path) -> None:
    """Draw both costs over speed; the first point chose its speed."""
    figure = Figure(figsize=(7.0, 3.6), layout="constrained")
    axes = figure.add_subplot()
    free, *given = points
    curves = (("effort per metre (squared torque)", "effort_per_m", "#1a8f82"),)
    curves += (("mechanical work over weight and distance", "cost_of_transport", "#c46a12"),)
    for label, name, color in curves:
        axes.plot([p.speed_m_s for p in given], [getattr(p, name) for p in given], "o-", color=color, label=label)
        axes.plot(free.speed_m_s, getattr(free, name), "*", color=color, markersize=14)
    axes.plot([], [], "*", color="#555555", markersize=12, label="a gait that chose its speed")
    axes.set(xlabel="speed [m/s]", ylabel="cost", ylim=(0.0, None))
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    figure.savefig(path)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "effort.svg"), sys.argv[2] if len(sys.argv) > 2 else "human")
