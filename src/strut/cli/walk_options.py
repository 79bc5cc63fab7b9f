"""Walk options: `strut walk` takes the options of every kind of gait, each written beside its gait.

An options function returns the robot and its task. Its parameters are options of the command line, beside `context` and
`robot`, which are passed in. Parameters of the same name in several gaits are one option:

    def hop_options(robot: Robot, cycles: Cycles = 10) -> tuple[Robot, Hop]:
        return robot, Hop(cycles=cycles)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from inspect import Parameter, signature
from pkgutil import resolve_name
from typing import Any

import typer

from strut.cli.paired_options import spelled, was_typed
from strut.pipeline.walk import task_of_gait
from strut.plumbing.number_text import join_words
from strut.registry import find, names
from strut.request import RobotTask, TaskKind
from strut.robot import Robot

OptionsFunction = Callable[..., tuple[Robot, RobotTask]]
_PASSED_IN = ("context", "robot")


def with_gait_options(verb: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of all kinds of gaits to a function of the command line, in the place of its `**typed`."""
    merged = dict[str, Parameter]()
    for name in names("strut.tasks"):
        kind: TaskKind = find("strut.tasks", name)
        if kind.options is not None:
            for option, parameter in _parameters(resolve_name(kind.options)).items():
                merged.setdefault(option, parameter)
    parameters = signature(verb, eval_str=True).parameters.values()
    general = [part for part in parameters if part.kind is not Parameter.VAR_KEYWORD]
    shown = [part.replace(kind=Parameter.KEYWORD_ONLY) for part in (*general, *merged.values())]
    verb.__signature__ = signature(verb).replace(parameters=shown, return_annotation=None)  # type: ignore[attr-defined]
    verb.__annotations__ = {part.name: part.annotation for part in shown}
    return verb


def task_from_options(context: typer.Context, robot: Robot, general: Mapping[str, bool]) -> tuple[Robot, RobotTask]:
    """Return the robot and the task that were asked for; raises for options that the robot's gait does not have.

    Args:
        context: Of the command.
        robot: The robot that walks.
        general: Options that do not depend on the gait, and whether each applies to this one.
    """
    kind = task_of_gait(robot.gait)
    if kind.options is None:
        raise typer.BadParameter(f"{robot.name} {kind.request.walks}, which `strut walk` has no options for.")
    function: OptionsFunction = resolve_name(kind.options)
    own = _parameters(function)
    fitting = [*own, *(name for name, applies in general.items() if applies)]
    for name in context.params:
        if was_typed(context, name) and name not in fitting:
            takes = join_words([spelled(context, option) for option in own])
            how = f"{robot.name} {kind.request.walks} and takes {takes}"
            raise typer.BadParameter(f"{spelled(context, name)} does not apply: {how}; leave it out.")
    passed_in = {"context": context, "robot": robot}
    given = {name: passed_in[name] for name in signature(function).parameters if name in passed_in}
    typed = {name: context.params[name] for name in own if was_typed(context, name)}
    return function(**given, **typed)


def _parameters(function: OptionsFunction) -> dict[str, Parameter]:
    """Return the parameters of an options function that are options of the command line."""
    parameters = signature(function, eval_str=True).parameters
    return {name: parameter for name, parameter in parameters.items() if name not in _PASSED_IN}
