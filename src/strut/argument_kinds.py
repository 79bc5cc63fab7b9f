"""Argument kinds: what users hand to a function of `import strut` is checked against its annotations, at the door.

Only what cannot be meant is refused: numbers of any package are numbers, whatever can be gone through is a sequence,
and what no annotation tells is left to the function.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from inspect import formatannotation, signature
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, Union, Unpack, get_args, get_origin, get_type_hints, is_typeddict

import numpy as np

from strut.errors import WrongKindError

_LONGEST = 60  # letters of a value that a sentence repeats
_MAKERS = {
    "Animation": "strut.load_animation(path)",
    "Answers": "strut.read_answers(path)",
    "Emotion": "strut.named_emotion(name)",
    "Motion": "strut.load_motion(path)",
    "Place": "strut.Place(x_m, y_m, heading_rad)",
    "Recording": "strut.read_recording(path)",
    "Robot": "strut.load_robot(name)",
    "World": "strut.World(friction=0.3, pushes=(strut.Push(1.0, (0.0, 50.0, 0.0)),))",
}


def checking_kinds(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function of `import strut` that raises WrongKindError before it does anything with a wrong argument."""

    @wraps(function)
    def checked(*arguments: Any, **named: Any) -> Any:
        _check(name, _kinds(function), {**dict(zip(signature(function).parameters, arguments, strict=False)), **named})
        return function(*arguments, **named)

    checked.__module__, checked.__qualname__ = "strut", name  # where other processes find it
    return checked


def check_fields(noun: Any) -> None:
    """Raise WrongKindError for the first field of a noun that is of no kind it may be: users make nouns themselves."""
    made: Any = type(noun)
    kinds = _kinds(made)
    _check(made.__name__, kinds, {name: getattr(noun, name) for name in kinds})


def _check(name: str, kinds: Mapping[str, Any], given: Mapping[str, Any]) -> None:
    for argument, value in given.items():
        if not fits(value, kinds.get(argument, Any)):
            raise WrongKindError(name, argument, _told(value), kind_words(kinds[argument]))


@cache
def _kinds(thing: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of a function by argument, with those of options that it unpacks; or of a class."""
    try:
        kinds = get_type_hints(thing)
    except NameError:  # of a name that only type checkers import
        return {}
    for unpacked in [kind for kind in kinds.values() if get_origin(kind) is Unpack]:
        kinds |= get_type_hints(get_args(unpacked)[0])
    return kinds


def fits(value: Any, kind: Any) -> bool:
    """Return whether a value may be of a kind: an annotation, as `typing.get_type_hints` has it."""
    return _FITS.get(get_origin(kind) or kind, _fits_class)(value, kind)


def _fits_one_of(value: Any, kind: Any) -> bool:
    return any(part is not Ellipsis and fits(value, part) for part in get_args(kind))


def _fits_word(value: Any, kind: Any) -> bool:
    """Return whether a value is of the type of words that are chosen from; the function knows which there are."""
    return any(isinstance(value, type(word)) for word in get_args(kind))


def _fits_number(value: Any, kind: Any) -> bool:  # noqa: ARG001
    return hasattr(value, "__float__")


def _fits_path(value: Any, kind: Any) -> bool:  # noqa: ARG001
    return isinstance(value, str | os.PathLike)


def _fits_array(value: Any, kind: Any) -> bool:  # noqa: ARG001
    return hasattr(value, "__iter__") and not isinstance(value, str)


def _fits_items(value: Any, kind: Any) -> bool:
    """Return whether a value can be gone through and, of lists and tuples, everything in it fits."""
    items = value if isinstance(value, list | tuple) else ()
    return _fits_array(value, kind) and all(_fits_one_of(item, kind) for item in items)


def _fits_values(value: Any, kind: Any) -> bool:
    return isinstance(value, Mapping) and all(fits(item, get_args(kind)[-1]) for item in value.values())


def _fits_class(value: Any, kind: Any) -> bool:
    """Return whether a value is one of our nouns, a string or None, as asked; what is no class is not judged."""
    return isinstance(value, kind) if kind in (str, NoneType) or _is_noun(kind) else True


def _is_noun(kind: Any) -> bool:
    ours = isinstance(kind, type) and kind.__module__.startswith("strut.")
    return ours and not getattr(kind, "_is_protocol", is_typeddict(kind))  # neither can be asked


_FITS: dict[Any, Callable[[Any, Any], bool]] = {
    **dict.fromkeys((Union, UnionType), _fits_one_of),
    **dict.fromkeys((float, int), _fits_number),
    **dict.fromkeys((Sequence, Iterable, list, tuple), _fits_items),
    **dict.fromkeys((Mapping, dict), _fits_values),
    Literal: _fits_word,
    Path: _fits_path,
    np.ndarray: _fits_array,
}


def kind_words(kind: Any) -> str:
    """Return what an argument must be: `Motion or Sequence[Motion] (strut.load_motion(path) makes a Motion)`."""
    parts = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    told = " or ".join(_type_words(part) for part in parts if part is not NoneType)
    hints = [f"{maker} makes a {noun}" for noun, maker in _MAKERS.items() if re.search(rf"\b{noun}\b", told)]
    return f"{told} ({' and '.join(hints)})" if hints else told


def _type_words(kind: Any) -> str:
    """Return a type as people write it, without the modules that it comes from."""
    return "array" if get_origin(kind) is np.ndarray else re.sub(r"(\w+\.)+(?=\w)", "", formatannotation(kind))


def _told(value: Any) -> str:
    """Return what was given instead: short values as they are typed, others by their type."""
    plain = isinstance(value, str | int | float | NoneType)
    return f"{value!r}"[:_LONGEST] if plain else f"of type {type(value).__name__}"
