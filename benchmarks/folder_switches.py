"""Which way does a walk take through the folders of strut?

    python benchmarks/folder_switches.py            # one walk of each of the four systems
    python benchmarks/folder_switches.py mrpete

Every function of strut is recorded when it is called for the first time. A switch is a first call in another folder
than the first call before it. A call goes backwards if the caller stands before the called stage in the house: no
import allows that, so it is a callback. The core calls features through the registry, which is not counted as
backwards. Nouns belong to no stage, because every room uses them. Functions inside other functions, such as lambdas,
are values that a stage passes on (terms of an optimal control problem, progress callbacks). They are left out; the
functions they call are not.

`switches` counts all folders. `stage_switches` leaves out robots/, models/ and engines/, which the house calls
foundations: libraries that any stage computes with, as it does with NumPy. Every stage that uses a batch function of
theirs before others do goes there and back, whatever the order of the stages.

One row per walk: `case, first_calls, switches, stage_switches, backwards, way`; appended to benchmarks/results/.
"""

from __future__ import annotations

import argparse
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from types import CodeType, FrameType

import strut
from record import record

HOME = Path(strut.__file__).parent
PLAN = tomllib.loads((HOME.parents[1] / "docs" / "house.toml").read_text("utf-8"))
NEAR_NOUNS = PLAN["below_nouns"]
STAGES = tuple(room.split(".")[0] for room in (*PLAN["core"], *PLAN["features"]) if room not in NEAR_NOUNS)
FEATURES = tuple(room.split(".")[0] for room in PLAN["features"])
FOUNDATIONS = ("robots", "models", "engines")
CASES = {
    "mrpete": lambda: strut.walk("mrpete", "sad", cycles=2),
    "alice": lambda: strut.walk("alice", "sad", goal=strut.Place(0.2, 0.0)),
    "pepper": lambda: strut.perform("pepper", "wave", "happy", duration_s=2.0),
    "heiman": lambda: strut.walk("heiman", "neutral"),
}


@dataclass(frozen=True, slots=True)
class FirstCall:
    """The first call of a function: its folder, its name, and the folder that called it (empty for the user)."""

    folder: str
    name: str
    caller: str


def folder_of(code: CodeType) -> str:
    """Return the stage that a piece of code belongs to; empty for nouns and for what is not strut's."""
    path = Path(code.co_filename)
    is_noun = path.name in ("request.py", "table.py")  # of a feature: what is asked of it, and what its file says
    part = path.relative_to(HOME).parts[0] if path.is_relative_to(HOME) and not is_noun else ""
    return part if part in STAGES else ""


def first_calls(run: Callable[[], object]) -> list[FirstCall]:
    """Return every function of a stage in the order of their first calls."""
    seen: set[CodeType] = set()
    found: list[FirstCall] = []

    def profile(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        handed_over = code.co_name.startswith("<") or "<locals>" in code.co_qualname
        if event != "call" or code in seen or handed_over:
            return
        seen.add(code)
        if folder := folder_of(code):
            outer = frame.f_back
            while outer and not folder_of(outer.f_code):
                outer = outer.f_back
            found.append(FirstCall(folder, code.co_name, folder_of(outer.f_code) if outer else ""))

    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)
    return found


def way_of(calls: list[FirstCall]) -> list[str]:
    """Return the stages in the order in which they are entered, repetitions in a row left out."""
    return [folder for folder, _ in groupby(call.folder for call in calls)]


def backward_calls(calls: list[FirstCall]) -> list[str]:
    """Return the calls to a stage after the caller's in the house, except those of the core to features."""
    order = {stage: place for place, stage in enumerate(STAGES)}
    wrong = []
    for call in calls:
        is_registered = call.folder in FEATURES and call.caller not in FEATURES
        if call.caller and order[call.folder] > order[call.caller] and not is_registered:
            wrong.append(f"{call.caller} calls {call.folder}.{call.name}")
    return wrong


def _chosen() -> list[str]:
    """Return the cases that are asked for; all if none are."""
    parser = argparse.ArgumentParser(description="Which way does a walk take through the folders of strut?")
    parser.add_argument("cases", nargs="*", metavar="CASE", help=f"of {', '.join(CASES)}")
    asked: list[str] = parser.parse_args().cases
    if unknown := set(asked) - set(CASES):
        parser.error(f"there is no case {', '.join(sorted(unknown))}")
    return asked or list(CASES)


def main() -> None:
    rows = []
    for name in _chosen():
        CASES[name]()  # tables and models are read once; the way of a walk is what comes after
        calls = first_calls(CASES[name])
        way = way_of(calls)
        row = {
            "case": name,
            "first_calls": len(calls),
            "switches": len(way) - 1,
            "stage_switches": len(way_of([call for call in calls if call.folder not in FOUNDATIONS])) - 1,
            "backwards": len(backward_calls(calls)),
            "way": " ".join(way),
        }
        rows.append(row)
        print(*backward_calls(calls), sep="\n")
        print(", ".join(f"{key} {value}" for key, value in row.items()))
    record("folder_switches", rows, packages=("strut",))


if __name__ == "__main__":
    main()
