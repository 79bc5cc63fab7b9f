"""XML tree: a file as elements, without the namespace of its outermost tag and with the files that it includes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

from strut.errors import NotAdoptedError


def parse_xml(path: Path) -> ET.Element:
    """Return the outermost element of an XML file; tags in the default namespace have no namespace.

    Raises what ElementTree raises if the file is not XML.
    """
    elements = iter_xml(path)
    _, root = next(elements)
    for _ in elements:
        pass
    return root


def iter_xml(path: Path) -> Iterator[tuple[ET.Element, ET.Element]]:
    """Yield every element of an XML file as it begins, with the outermost one, as `parse_xml` returns it."""
    root: ET.Element | None = None
    namespace = ""
    for _, element in ET.iterparse(path, events=("start",)):
        if root is None:
            root = element
            namespace = element.tag[: element.tag.find("}") + 1]
        element.tag = element.tag.removeprefix(namespace)
        yield element, root


def insert_includes(root: ET.Element, path: Path) -> None:
    """Replace every <include> of an MJCF tree by the content of its file, as MuJoCo does.

    Raises NotAdoptedError if such a file is missing, no XML, or included twice.
    """
    _insert(root, path, {path.name})


def _insert(parent: ET.Element, path: Path, opened: set[str]) -> None:
    for index in reversed(range(len(parent))):
        child = parent[index]
        name = child.get("file", "")
        if child.tag != "include":
            _insert(child, path, opened)
            continue
        if name in opened:
            raise NotAdoptedError(f"it includes the file {name} twice; include it once.")
        opened.add(name)
        try:
            included = parse_xml(path.resolve().parent / name)
        except (OSError, ET.ParseError, ValueError) as error:
            raise NotAdoptedError(f"the file {name} that it includes cannot be read; correct the <include>.") from error
        _insert(included, path, opened)
        parent[index : index + 1] = list(included)
