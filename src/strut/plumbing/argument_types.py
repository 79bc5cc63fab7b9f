"""Argument types: arguments of `import strut` are checked against annotations before a function does anything.

Values that mean the same are converted: numbers of any package to Python's, paths to names and names to paths,
iterators to lists. Values that cannot be meant raise WrongTypeError. Annotations that say nothing are not checked.

pydantic and msgspec were tried: pydantic takes "3" for a number, "no" for False and a table for a Place, and refuses an
array as a sequence; msgspec refuses the numbers of numpy.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from functools import cache, wraps
from inspect import formatannotation, signature
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, Unpack, get_args, get_origin, get_type_hints, is_typeddict

import msgspec
import numpy as np

from strut.errors import WrongTypeError

MAX_VALUE_LETTERS = 60  # of a value that an error repeats
_UNFIT = object()  # stands for a value that cannot be of a type
_HINTS = {  # how to make a noun
    "Animation": "strut.load_animation(path) makes an Animation",
    "Answers": "strut.read_answers(path) makes Answers",
    "Emotion": "strut.named_emotion(name) makes an Emotion",
    "Motion": "strut.load_motion(path) makes a Motion",
    "Place": "strut.Place(x_m, y_m, heading_rad) makes a Place",
    "Recording": "strut.read_recording(path) makes a Recording",
    "Robot": "strut.load_robot(name) makes a Robot",
    "Score": "strut.Score.read(path) makes a Score",
    "World": "strut.pilot.World(friction=0.3, pushes=(strut.pilot.Push(1.0, (0.0, 50.0, 0.0)),)) makes a World",
}


def check_arguments(function: Callable[..., Any], name: str, package: str = "strut") -> Callable[..., Any]:
    """Return a function of `import strut` that checks and converts its arguments first; raises WrongTypeError."""
    where = f"{package}.{name}"

    @wraps(function)
    def checked(*arguments: Any, **named: Any) -> Any:
        types = _types(function)
        parameters = tuple(signature(function).parameters)
        known = [_coerce_argument(where, types, *pair) for pair in zip(parameters, arguments, strict=False)]
        rest = arguments[len(known) :]  # of a function with *arguments
        return function(*known, *rest, **{key: _coerce_argument(where, types, key, named[key]) for key in named})

    checked.__module__ = package
    checked.__qualname__ = name  # where other processes find it
    return checked


def coerce_fields(noun: Any) -> None:
    """Check and convert the fields of a noun that users make themselves; raises WrongTypeError."""
    cls: Any = type(noun)
    is_struct = isinstance(noun, msgspec.Struct)
    room = cls.__module__.split(".")[1:-1][:1]  # nouns stand in strut itself
    where = ".".join(["strut", *room, cls.__name__])
    set_field = msgspec.structs.force_setattr if is_struct else object.__setattr__
    for name in cls.__struct_fields__ if is_struct else cls.__dataclass_fields__:
        value = getattr(noun, name)
        coerced = _coerce_argument(where, _types(cls), name, value)
        if coerced is not value:
            set_field(noun, name, coerced)


def _coerce_argument(where: str, types: Mapping[str, Any], name: str, value: Any) -> Any:
    if type(value) is types.get(name):  # a short cut: searches make nouns by the thousand
        return value
    coerced = _coerce(value, types.get(name, Any))
    if coerced is _UNFIT:
        is_short = isinstance(value, str | int | float | NoneType)
        given = f"{value!r}"[:MAX_VALUE_LETTERS] if is_short else f"of type {type(value).__name__}"
        raise WrongTypeError(where, name, given, _describe_type(types[name]))
    return coerced


@cache
def _types(thing: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of a function, with those of the options that it unpacks, or of a class."""
    types = get_type_hints(thing)
    for unpacked in [annotation for annotation in types.values() if get_origin(annotation) is Unpack]:
        types |= get_type_hints(get_args(unpacked)[0])
    return types


def _coerce(value: Any, annotation: Any) -> Any:  # noqa: PLR0911 -- one for each kind of annotation
    """Return a value as an annotation has it, or _UNFIT. A value that fits already is returned itself."""
    if isinstance(value, np.generic):
        value = value.item()
    kind = get_origin(annotation) or annotation
    if kind in (Union, UnionType):
        return _coerce_to_any(value, get_args(annotation))
    if kind is Literal:  # the function names the words to choose from
        return value if any(isinstance(value, type(word)) for word in get_args(annotation)) else _UNFIT
    if kind in (float, int):
        return _coerce_number(value, kind)
    if kind is bool:
        return value if isinstance(value, bool) else _UNFIT
    if kind is str:
        return os.fspath(value) if isinstance(value, os.PathLike) else value if isinstance(value, str) else _UNFIT
    if kind is Path:
        is_path = isinstance(value, Path)
        return value if is_path else Path(value) if isinstance(value, str | os.PathLike) else _UNFIT
    if kind is Callable:
        return value if callable(value) else _UNFIT
    if kind is np.ndarray:
        return value if isinstance(value, Iterable) and not isinstance(value, str) else _UNFIT
    if kind in (Sequence, Iterable, list, tuple):
        return _coerce_items(value, [part for part in get_args(annotation) if part is not Ellipsis])
    if kind in (Mapping, dict):
        return _coerce_values(value, (get_args(annotation) or (Any,))[-1])
    is_ours = isinstance(kind, type) and kind.__module__.startswith("strut.")
    is_class = is_ours and not getattr(kind, "_is_protocol", is_typeddict(kind))  # isinstance needs a class
    return value if not (is_class or kind is NoneType) or isinstance(value, kind) else _UNFIT


def _coerce_to_any(value: Any, annotations: Sequence[Any]) -> Any:
    """Return a value as the first annotation that it fits without conversion, or else with one."""
    candidates = [_coerce(value, annotation) for annotation in annotations]
    return min(candidates, key=lambda candidate: (candidate is not value) + (candidate is _UNFIT))


def _coerce_number(value: Any, kind: type) -> Any:
    if isinstance(value, int | float):
        number = value
    elif hasattr(value, "__float__") and not np.ndim(value):
        number = float(value)
    else:
        return _UNFIT
    is_whole = isinstance(number, float) and number.is_integer()
    return int(number) if kind is int and is_whole else number  # the function refuses fractions, with its range


def _coerce_items(value: Any, annotations: Sequence[Any]) -> Any:
    if not isinstance(value, Iterable) or isinstance(value, str | Mapping):  # a name is no sequence of names
        return _UNFIT
    listed = list(value) if isinstance(value, Iterator | Set) else value
    items = listed if isinstance(listed, list | tuple) else list(listed)
    coerced = [_coerce_to_any(item, annotations) for item in items] if annotations else list(items)
    if any(item is _UNFIT for item in coerced):
        return _UNFIT
    is_same = isinstance(listed, np.ndarray) or all(one is other for one, other in zip(coerced, items, strict=True))
    return listed if is_same else type(items)(coerced)


def _coerce_values(value: Any, annotation: Any) -> Any:
    if not isinstance(value, Mapping):
        return _UNFIT
    coerced = {key: _coerce(item, annotation) for key, item in value.items()}
    if any(item is _UNFIT for item in coerced.values()):
        return _UNFIT
    return value if all(coerced[key] is value[key] for key in value) else coerced


def _describe_type(annotation: Any) -> str:
    """Return what an argument must be: `Motion or Sequence[Motion] (strut.load_motion(path) makes a Motion)`."""
    parts = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    names = []
    for part in parts:
        if part is not NoneType:
            without_modules = re.sub(r"(\w+\.)+(?=\w)", "", formatannotation(part))
            names.append("array" if get_origin(part) is np.ndarray else without_modules)
    description = " or ".join(names)
    hints = [hint for noun, hint in _HINTS.items() if re.search(rf"\b{noun}\b", description)]
    return f"{description} ({' and '.join(hints)})" if hints else description
