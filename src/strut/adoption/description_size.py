"""Description size: refuse files that hold more than a robot before MuJoCo reads them, which may take hours."""

from __future__ import annotations

import math
import re
from pathlib import Path
from xml.etree import ElementTree as ET

from strut.adoption.xml_tree import parse_xml
from strut.errors import NotAdoptedError

MAX_BODIES = 1000  # the largest of 67 files of example-robot-data, a robot with two arms and hands, has 130
MAX_COPIES = 10_000  # of elements: MuJoCo copies 5000 in 3 s, and twice as many take four times as long
MAX_CELLS = 4_000_000  # of a height field, which is ground and no part of a robot
_POSITIVE = re.compile(r"0*[1-9]\d{0,17}", re.ASCII)
MAX_USER_NUMBERS = 10_000  # of each body, joint or geom; usually none
_REPEATING = ("replicate", "flexcomp", "composite")


def check_size(root: ET.Element, path: Path) -> None:
    """Raise NotAdoptedError if a description, with the files that it includes, is too large.

    Args:
        root: Of MJCF or URDF.
        path: Its file.
    """
    bodies = 0
    copied = 0
    opened = {path.name}
    waiting = [(root, 1)]  # elements, and how often replicators around them repeat them; a file may be nested deeply
    while waiting:
        element, repeats = waiting.pop()
        bodies += repeats * (element.tag in ("body", "link"))
        copied += repeats * (repeats > 1)
        if element.tag in _REPEATING:
            copies = _whole_number_product(element.get("count", ""))
            copied += repeats * copies * (element.tag != "replicate")  # the others make elements that no file lists
            repeats *= copies if element.tag == "replicate" else 1
        check_body_count(bodies)
        if copied > MAX_COPIES:
            raise NotAdoptedError(
                f"its <{'>, <'.join(_REPEATING)}> make more than {MAX_COPIES} elements, and no robot has so many; give "
                "the file of one robot."
            )
        if element.tag == "hfield":
            _check_height_field(element)
        if element.tag == "size":
            _check_user_numbers(element)
        waiting += [(child, repeats) for child in element]
        name = element.get("file", "")
        if element.tag == "include" and name not in opened:
            opened.add(name)
            waiting += [(part, repeats) for part in _included(path.parent / name)]


def check_body_count(bodies: int) -> None:
    """Raise NotAdoptedError if there are more bodies than any robot has."""
    if bodies > MAX_BODIES:
        raise NotAdoptedError(
            f"it has more than {MAX_BODIES} bodies, and the largest robot of example-robot-data has 130: it is a scene "
            "or a crowd; give the file of one robot."
        )


def _check_height_field(element: ET.Element) -> None:
    cells = _whole_number_product(f"{element.get('nrow', '')} {element.get('ncol', '')}")
    if cells > MAX_CELLS:
        raise NotAdoptedError(
            f"its height field {element.get('name', '')} has {cells} points, and at most {MAX_CELLS} are read; leave "
            "it out, because the ground is no part of a robot."
        )


def _check_user_numbers(element: ET.Element) -> None:
    for name, text in element.items():
        if name.startswith(("nuser", "nkey")) and _whole_number_product(text) > MAX_USER_NUMBERS:
            raise NotAdoptedError(f"its {name} of {text} needs more memory than a robot does; leave it out.")


def _whole_number_product(text: str) -> int:
    """Return the product of the positive whole numbers in a text; MuJoCo refuses whatever else is in it."""
    return math.prod(int(part) for part in text.split() if _POSITIVE.fullmatch(part))


def _included(file: Path) -> list[ET.Element]:
    """Return the content of an included file; nothing if it cannot be read, which MuJoCo reports."""
    try:
        return list(parse_xml(file))
    except (OSError, ET.ParseError, ValueError):
        return []
