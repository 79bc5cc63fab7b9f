"""Make the library of solved gaits from which `strut synthesize` and emotions of human models start.

    python benchmarks/make_warm_library.py [SECONDS]

Neutral walks over speed, for three sizes of body, and emotions at half and full intensity for the default one. The
first starts from a guessed step, every other from a blend of those before it, or from a guessed step if that fails.
Each is kept in `build/warm_gaits`, so that a run that ends after so many seconds goes on when it is started again;
remove that folder after a change of criteria. Only the solver's mesh is solved: what starts from it is refined and
proven anyway.
"""

from __future__ import annotations

import os

for _name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_name] = "1"  # before numpy starts its threads

import sys  # noqa: E402
from dataclasses import dataclass, fields, replace  # noqa: E402
from functools import cache  # noqa: E402
from pathlib import Path  # noqa: E402
from time import perf_counter  # noqa: E402

import numpy as np  # noqa: E402

import strut.human.synthesis  # noqa: E402
from strut.emotion import named_emotion  # noqa: E402
from strut.expression.blend import style_for  # noqa: E402
from strut.human.problem.criteria import NATURAL, named_criteria  # noqa: E402
from strut.human.problem.gait_options import HUMAN, named_gait_options  # noqa: E402
from strut.human.synthesis.initial_guess import GuessOptions, guessed_step  # noqa: E402
from strut.human.synthesis.synthesize import SynthesisRequest, usual_mesh  # noqa: E402
from strut.human.synthesis.warm_library import FILE, WarmLibrary, features  # noqa: E402
from strut.human.table import human_gait  # noqa: E402
from strut.models.catalogue import load_robot  # noqa: E402
from strut.models.subject import subject  # noqa: E402
from strut.ocp.collocation import DirectCollocation, NotSolvedError  # noqa: E402
from strut.ocp.interior_point import BOUND_PUSH, SOLVED_BARRIER, SolverOptions  # noqa: E402
from strut.robot import Robot  # noqa: E402

KEPT = Path(__file__).parent.parent / "build" / "warm_gaits"
SPEEDS_M_S = (1.3, 1.15, 1.0, 0.85, 0.7, 0.55, 0.42, 1.45, 1.6, 1.8, 2.0, 2.2, 2.45)
FEW_SPEEDS_M_S = (1.3, 1.0, 0.6, 1.6, 2.0)
FEELINGS = ("happy", "sad", "angry", "fearful")


@dataclass(frozen=True, slots=True)
class Entry:
    """A walk of the library: its body, and its neutral speed or its emotion and intensity."""

    body: str
    speed_m_s: float = 0.0
    feeling: str = ""
    intensity: float = 0.0

    @property
    def name(self) -> str:
        return f"{self.body}_{self.feeling or 'neutral'}_{self.intensity or self.speed_m_s:g}"

    def request(self) -> SynthesisRequest:
        """Return the request of a walk."""
        human = body(self.body)
        options = named_gait_options(human, [HUMAN])
        speed_m_s = self.speed_m_s
        if self.feeling:
            style = style_for(human, named_emotion(self.feeling), self.intensity)
            speeds = human_gait(human).speed_m_s
            options = replace(options, style=style)
            speed_m_s = float(np.clip(style.speed * speeds.usual, speeds.min, speeds.max))
        return SynthesisRequest(human, named_criteria(human, NATURAL), options, speed_m_s)


@cache
def body(name: str) -> Robot:
    return {"usual": load_robot, "small": lambda _: subject(1.55, 52.0), "tall": lambda _: subject(1.97, 95.0)}[name](
        "heiman"
    )


def entries() -> list[Entry]:
    usual = [Entry("usual", speed) for speed in SPEEDS_M_S]
    others = [Entry(who, speed) for speed in FEW_SPEEDS_M_S for who in ("small", "tall")]
    felt = [Entry("usual", 0.0, feeling, share) for share in (0.5, 1.0) for feeling in FEELINGS]
    return [*usual, *others, *felt]


def joined(parts: list[WarmLibrary]) -> WarmLibrary:
    """Return the steps of several libraries on the same mesh as one."""
    names = [one.name for one in fields(WarmLibrary) if one.name != "intervals"]
    stacked = {name: np.concatenate([getattr(part, name) for part in parts]) for name in names}
    return WarmLibrary(intervals=parts[0].intervals, **stacked)


def solved(entry: Entry, known: list[WarmLibrary]) -> WarmLibrary:
    """Return a library of one step."""
    began = perf_counter()
    request = entry.request()
    human = request.human
    style = request.options.style
    assert style is not None
    asked = features(human, request.pace_m_s, style)
    problem = request.problem(usual_mesh(human, request.pace_m_s))
    program = DirectCollocation(problem)
    drawn = guessed_step(human, problem, request.pace_m_s, GuessOptions(style=style))
    starts = [(joined(known).initial_guess(human, problem, asked), SOLVED_BARRIER)] if known else []
    for start, warm in [*starts, (drawn, 0.0)]:
        try:
            options = SolverOptions(
                initial_barrier=warm, bound_push=BOUND_PUSH, adaptive_barrier=not warm, max_iterations=150
            )
            found = program.solve(start, options=options)
            break
        except NotSolvedError as failure:
            print(f"{entry.name}: {failure}", file=sys.stderr)
    else:
        raise SystemExit(f"{entry.name} was not solved.")
    how = "blended" if warm else "guessed"
    print(
        f"{entry.name}: {how}, {found.iterations} iterations, cost {found.cost:.4f}, {perf_counter() - began:.1f} s",
        flush=True,
    )
    mesh = [phase.intervals for phase in human_gait(human).phase]
    return WarmLibrary.of([(human, found.trajectory, asked)], mesh)


def read(path: Path) -> WarmLibrary:
    with np.load(path) as stored:
        return WarmLibrary(**{name: stored[name].astype(float) for name in stored.files})


def main(most_seconds: float) -> None:
    KEPT.mkdir(parents=True, exist_ok=True)
    began = perf_counter()
    known = list[WarmLibrary]()
    for entry in entries():
        path = KEPT / f"{entry.name}.npz"
        if not path.exists():
            if perf_counter() - began > most_seconds:
                print("Time is up, so the file holds what there is; start it again to go on.")
                break
            solved(entry, known).save(path)
        known.append(read(path))
    target = Path(strut.human.synthesis.__path__[0]) / FILE
    joined(known).save(target)
    print(f"wrote {target}: {len(known)} gaits, {target.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 1e9)
