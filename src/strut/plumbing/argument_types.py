"""Argument types: what users hand to `import strut` is checked against annotations at the door, and made what they say.

Only what cannot be meant is refused: numbers of any package become Python's, names of files paths, whatever can be gone
through is a sequence, and what no annotation tells is left to the function.
"""

from __future__ import annotations

import operator
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

UNFIT = object()  # what stands for a value that is not of a type
_LONGEST = 60  # letters of a value that a sentence repeats
_HINTS = {  # how to come by a noun
    "Animation": "strut.load_animation(path) makes an Animation",
    "Answers": "strut.read_answers(path) makes Answers",
    "Emotion": "strut.named_emotion(name) makes an Emotion",
    "Motion": "strut.load_motion(path) makes a Motion",
    "Place": "strut.Place(x_m, y_m, heading_rad) makes a Place",
    "Recording": "strut.read_recording(path) makes a Recording",
    "Robot": "strut.load_robot(name) makes a Robot",
    "World": "strut.World(friction=0.3, pushes=(strut.Push(1.0, (0.0, 50.0, 0.0)),)) makes a World",
}


def coercing(function: Callable[..., Any], name: str) -> Callable[..., Any]:
    """Return a function of `import strut` that raises WrongTypeError before it does anything with a wrong argument."""

    @wraps(function)
    def checked(*arguments: Any, **named: Any) -> Any:
        types = _types(function)
        names = tuple(signature(function).parameters)
        places = [_argument(name, types, *given) for given in zip(names, arguments, strict=False)]
        return function(
            *places, *arguments[len(places) :], **{key: _argument(name, types, key, named[key]) for key in named}
        )

    checked.__module__ = "strut"
    checked.__qualname__ = name  # where other processes find it
    return checked


def coerce_fields(noun: Any) -> None:
    """Make the fields of a noun what its annotations say, or raise WrongTypeError: users make nouns themselves."""
    made: Any = type(noun)
    for name in noun.__struct_fields__ if isinstance(noun, msgspec.Struct) else noun.__dataclass_fields__:
        given = getattr(noun, name)
        taken = _argument(made.__name__, _types(made), name, given)
        if taken is not given:
            setter = msgspec.structs.force_setattr if isinstance(noun, msgspec.Struct) else object.__setattr__
            setter(noun, name, taken)


def _argument(where: str, types: Mapping[str, Any], name: str, value: Any) -> Any:
    if type(value) is types.get(name):  # most are, and nouns are made by the thousand
        return value
    taken = coerced(value, types.get(name, Any))
    if taken is UNFIT:
        raise WrongTypeError(where, name, _told(value), type_words(types[name]))
    return taken


@cache
def _types(thing: Callable[..., Any]) -> dict[str, Any]:
    """Return the annotations of a function by argument, with those of options that it unpacks; or of a class."""
    types = get_type_hints(thing)
    for unpacked in [one for one in types.values() if get_origin(one) is Unpack]:
        types |= get_type_hints(get_args(unpacked)[0])
    return types


def coerced(value: Any, annotation: Any) -> Any:
    """Return a value as an annotation has it (see `typing.get_type_hints`), or UNFIT if it cannot be meant."""
    value = value.item() if isinstance(value, np.generic) else value
    return _COERCED.get(get_origin(annotation) or annotation, _of_class)(value, annotation)


def _one_of(value: Any, annotation: Any) -> Any:
    """Return a value as the first of several types has it; one that it is already comes first."""
    found = (coerced(value, part) for part in get_args(annotation))
    return min(found, key=lambda one: (one is not value) + (one is UNFIT))


def _rest(value: Any, annotation: Any) -> Any:  # noqa: ARG001
    """Return UNFIT: the dots of `tuple[float, ...]` are no type."""
    return UNFIT


def _word(value: Any, annotation: Any) -> Any:
    """Return what is of the type of words that are chosen from; the function knows which there are."""
    return value if any(isinstance(value, type(word)) for word in get_args(annotation)) else UNFIT


def _real(value: Any, annotation: Any = float) -> Any:  # noqa: ARG001
    if isinstance(value, int | float):
        return value
    return float(value) if hasattr(value, "__float__") and not np.ndim(value) else UNFIT


def _integer(value: Any, annotation: Any) -> Any:  # noqa: ARG001
    """Return a number; that it must be whole is told by the function, with what may be chosen."""
    real = _real(value)
    return int(real) if isinstance(real, float) and real.is_integer() else real


def _switch(value: Any, annotation: Any) -> Any:  # noqa: ARG001
    return value if isinstance(value, bool) else UNFIT


def _path(value: Any, annotation: Any) -> Any:  # noqa: ARG001
    return value if isinstance(value, Path) else Path(value) if isinstance(value, str | os.PathLike) else UNFIT


def _text(value: Any, annotation: Any) -> Any:  # noqa: ARG001
    """Return a text; where a name is asked for, the path of a folder is one, too."""
    return os.fspath(value) if isinstance(value, os.PathLike) else value if isinstance(value, str) else UNFIT


def _array(value: Any, annotation: Any) -> Any:  # noqa: ARG001
    return value if isinstance(value, Iterable) and not isinstance(value, str) else UNFIT


def _items(value: Any, annotation: Any) -> Any:
    """Return what can be gone through, with everything in it as it should be; what is gone through once as a list."""
    if _array(value, annotation) is UNFIT or isinstance(value, Mapping):
        return UNFIT
    listed = list(value) if isinstance(value, Iterator | Set) else value
    given = listed if isinstance(listed, list | tuple) else list(listed)
    taken = [_one_of(item, annotation) for item in given] if get_args(annotation) else given
    return _whole(listed, given, taken, type(given))


def _values(value: Any, annotation: Any) -> Any:
    if not isinstance(value, Mapping):
        return UNFIT
    of = (get_args(annotation) or (Any,))[-1]
    taken = [coerced(item, of) for item in value.values()]
    return _whole(value, value.values(), taken, lambda items: dict(zip(value, items, strict=True)))


def _whole(value: Any, given: Iterable[Any], taken: Sequence[Any], made: Callable[[Sequence[Any]], Any]) -> Any:
    """Return what holds others: itself where nothing in it had to change, or made anew of what was taken."""
    if any(item is UNFIT for item in taken):
        return UNFIT
    return value if isinstance(value, np.ndarray) or all(map(operator.is_, taken, given)) else made(taken)


def _function(value: Any, annotation: Any) -> Any:  # noqa: ARG001
    return value if callable(value) else UNFIT


def _of_class(value: Any, annotation: Any) -> Any:
    """Return one of our nouns, or None, as asked; what is no class is not judged."""
    judged = annotation is NoneType or _is_noun(annotation)
    return value if not judged or isinstance(value, annotation) else UNFIT


def _is_noun(annotation: Any) -> bool:
    ours = isinstance(annotation, type) and annotation.__module__.startswith("strut.")
    return ours and not getattr(annotation, "_is_protocol", is_typeddict(annotation))  # neither can be asked


_COERCED: dict[Any, Callable[[Any, Any], Any]] = {
    **dict.fromkeys((Union, UnionType), _one_of),
    **dict.fromkeys((Sequence, Iterable, list, tuple), _items),
    **dict.fromkeys((Mapping, dict), _values),
    Ellipsis: _rest,
    float: _real,
    int: _integer,
    bool: _switch,
    str: _text,
    Callable: _function,
    Literal: _word,
    Path: _path,
    np.ndarray: _array,
}


def type_words(annotation: Any) -> str:
    """Return what an argument must be: `Motion or Sequence[Motion] (strut.load_motion(path) makes a Motion)`."""
    parts = get_args(annotation) if get_origin(annotation) in (Union, UnionType) else (annotation,)
    told = " or ".join(_plain_type(part) for part in parts if part is not NoneType)
    hints = [hint for noun, hint in _HINTS.items() if re.search(rf"\b{noun}\b", told)]
    return f"{told} ({' and '.join(hints)})" if hints else told


def _plain_type(annotation: Any) -> str:
    """Return a type as people write it, without the modules that it comes from."""
    plain = re.sub(r"(\w+\.)+(?=\w)", "", formatannotation(annotation))
    return "array" if get_origin(annotation) is np.ndarray else plain


def _told(value: Any) -> str:
    """Return what was given instead: short values as they are typed, others by their type."""
    plain = isinstance(value, str | int | float | NoneType)
    return f"{value!r}"[:_LONGEST] if plain else f"of type {type(value).__name__}"
