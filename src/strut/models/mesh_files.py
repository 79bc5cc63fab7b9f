"""Mesh files: find the meshes of a URDF, and convert formats that MuJoCo does not read to STL."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from pathlib import Path, PureWindowsPath
from typing import Any
from xml.etree import ElementTree as ET

from strut.arrays import Array

_NATIVE = (".obj", ".msh")
_ASCII_STL = b"solid"
_POINTER = b"version https://git-lfs"
_MAX_FACES = 190_000  # MuJoCo reads at most 200 000 from an STL file
_Y_UP = re.compile(rb"<up_axis>\s*Y_UP\s*</up_axis>")
_HEAD_BYTES = 100_000  # the asset is one of the first elements of a COLLADA file
_PACKAGE = "package://"
_FILE = "file://"
_IS_POINTER = "it is a pointer of Git LFS"
_MISSING = "the file does not exist"
_NO_READER = "its reader is not installed"
_NOT_OPENED = "it cannot be opened"
UNREADABLE = (
    OSError,
    ImportError,
    ValueError,
    KeyError,
    IndexError,
    AttributeError,
)  # raised by readers of damaged files


class MeshError(ValueError):
    """A mesh cannot be read; the message is the reason."""


def why_unreadable(error: Exception) -> str:
    """Return why a mesh cannot be read, from the error of its reader."""
    if isinstance(error, MeshError):
        return str(error)
    if isinstance(error, FileNotFoundError):
        return _MISSING
    if isinstance(error, ImportError):
        package = "COLLADA needs `pip install pycollada`" if "collada" in str(error) else str(error)
        return f"{_NO_READER}: {package}"
    if isinstance(error, OSError):
        return f"{_NOT_OPENED}: {error.strerror or error}"
    return "it is damaged"


def mesh_path(name: str, description: Path, *, anywhere: bool = True) -> Path:
    """Return the file of a mesh; raises FileNotFoundError.

    package:// and relative names are searched from the folder of the description upwards; with `anywhere`, then the
    file name alone in and below that folder and its parent; last, upwards regardless of upper and lower case.
    """
    folders = description.resolve().parents
    tails = _tails(name)
    above = (folder / tail for folder in folders for tail in tails if tail)
    below = chain.from_iterable(
        _files_below(Path(tails[0]).name, folder, folders[0]) for folder in folders[: 2 * anywhere]
    )
    in_any_case = (find_in_any_case(folder / tail) for folder in folders for tail in tails if tail)
    file = next(filter(Path.is_file, chain(above, below)), None) or next(filter(None, in_any_case), None)
    if file is None:
        raise FileNotFoundError(f"there is no file {name}")
    return file


def find_in_any_case(file: Path) -> Path | None:
    """Return the file whose path differs from a path at most in upper and lower case; None if there is none."""
    places = [Path(file.anchor)]
    for part in file.relative_to(file.anchor).parts:
        same = [place / part for place in places if (place / part).exists()]
        places = same + [
            entry
            for place in places
            if place.is_dir() and os.access(place, os.R_OK)
            for entry in sorted(place.iterdir())
            if entry.name.lower() == part.lower() and entry.name != part
        ]
    return next(filter(Path.is_file, places), None)


def differs_in_case(name: str, file: Path) -> bool:
    """Return whether the file of a mesh has the name in a description but for upper and lower case."""
    path = file.as_posix()
    tails = [tail for tail in _tails(name) if tail]
    is_same = any(path.endswith(tail) for tail in tails)
    return not is_same and any(path.lower().endswith(tail.lower()) for tail in tails)


def _files_below(name: str, folder: Path, own: Path) -> Iterator[Path]:
    """Yield files of a name below a folder, except from sibling folders that hold another robot."""
    for file in sorted(folder.rglob(name)):
        beside = folder / file.relative_to(folder).parts[0]
        if beside in (own, file) or next(beside.rglob("*.urdf"), None) is None:
            yield file


def _tails(name: str) -> list[str]:
    """Return relative paths of a mesh: with and without the name of its package."""
    plain = name.replace("model://", _PACKAGE).removeprefix(_FILE).removeprefix(_PACKAGE)
    plain = PureWindowsPath(plain).as_posix()
    package, _, rest = plain.partition("/")
    return [plain, rest, f"{package}/{Path(plain).name}"] if "://" in name else [plain]


def is_pointer(file: Path) -> bool:
    """Return whether a file is a Git LFS pointer to content that was not fetched."""
    with file.open("rb") as opened:
        return opened.read(len(_POINTER)) == _POINTER


def remedy(why: str) -> str:
    """Return what to do about an unreadable mesh, as the end of a sentence."""
    remedies = {
        _IS_POINTER: "run `git lfs pull`.",
        _MISSING: "put the file where the description names it.",
        _NO_READER: "install it and try again.",
        _NOT_OPENED: "make the file readable.",
    }
    return remedies.get(why.partition(":")[0], "replace the file.")


def unreadable_sentence(name: str, link: str, error: Exception) -> str:
    """Return the sentence about an unreadable mesh: file, link, reason, and what to do."""
    why = why_unreadable(error)
    return f"the mesh {name} of the link {link} cannot be read ({why}); {remedy(why)}"


def is_native(file: Path) -> bool:
    """Return whether MuJoCo reads a mesh itself: Wavefront, or binary STL that is not too large.

    Raises MeshError for a Git LFS pointer.
    """
    if is_pointer(file):
        raise MeshError(_IS_POINTER)
    ending = file.suffix.lower()
    if ending in _NATIVE:
        return True
    if ending != ".stl":
        return False
    with file.open("rb") as opened:
        start = opened.read(512)
    text = start.lstrip().startswith(_ASCII_STL) and b"facet" in start
    return not text and int.from_bytes(start[80:84], "little") < _MAX_FACES


def readable_mesh(file: Path, assets: dict[str, bytes], rotation: Array | None = None) -> str:
    """Return the name of a mesh for MuJoCo: the path of its file, or the name of converted bytes, added to `assets`.

    `rotation` (3, 3) is applied to COLLADA files whose y axis is up. Raises one of UNREADABLE.
    """
    if is_native(file):
        return str(file)
    converted = f"{file.stem}_{len(assets)}.stl"
    assets[converted] = as_stl(file, rotation if has_y_up(file) else None)
    return converted


def has_y_up(file: Path) -> bool:
    """Return whether a mesh is a COLLADA file whose y axis is up."""
    if file.suffix.lower() != ".dae":
        return False
    with file.open("rb") as opened:
        return _Y_UP.search(opened.read(_HEAD_BYTES)) is not None


def as_stl(file: Path, rotation: Array | None = None) -> bytes:
    """Return a mesh of any format that trimesh reads as binary STL in metres, rotated by a matrix (3, 3).

    Raises what `read_mesh` raises.
    """
    buffer = io.BytesIO()
    mesh = read_mesh(file)
    if rotation is not None:
        mesh.vertices = mesh.vertices @ rotation.T
    mesh.export(buffer, file_type="stl")
    return buffer.getvalue()


def read_mesh(file: Path) -> Any:
    """Return a mesh of any format that trimesh reads, in metres; files are cached until they change.

    Raises MeshError, ImportError or OSError if it cannot be read.
    """
    return _read_cached(file, file.stat().st_mtime_ns).copy()


def forget_meshes() -> None:
    """Clear the cache of meshes."""
    _read_cached.cache_clear()


@lru_cache(maxsize=256)
def _read_cached(file: Path, _changed_ns: int) -> Any:
    content = file.read_bytes()
    ending = file.suffix.lower().lstrip(".")
    mesh, units = _surface(_without_materials(content) if ending == "dae" else content, ending)
    if ending == "dae":
        mesh.apply_scale(_metres_per_unit(units))
    return mesh.convex_hull if len(mesh.faces) > _MAX_FACES else mesh


def _surface(content: bytes, ending: str) -> tuple[Any, str]:
    """Return the mesh of a file, and its unit."""
    import trimesh  # noqa: PLC0415  (most models need no conversion)

    try:
        scene: Any = trimesh.load_scene(io.BytesIO(content), file_type=ending)
        mesh = scene.to_mesh()
    except ImportError:
        raise
    except Exception as error:  # the readers of trimesh raise errors of any type
        raise MeshError("it is damaged, or of an unknown format") from error
    if not len(mesh.faces):
        raise MeshError("it has no faces")
    return mesh, str(scene.units)


def _without_materials(collada: bytes) -> bytes:
    """Return a COLLADA file without materials: the reader drops surfaces whose image is missing."""
    try:
        root = ET.fromstring(collada)
    except ET.ParseError as error:
        raise MeshError("it is not XML") from error
    material_tags = ("library_images", "library_effects", "library_materials", "bind_material")
    for parent in list(root.iter()):
        for child in [child for child in parent if str(child.tag).rpartition("}")[2] in material_tags]:
            parent.remove(child)
    return ET.tostring(root)


def _metres_per_unit(unit: str) -> float:
    """Return the length of a unit as trimesh names it: meters, or 0.001 * meters."""
    number = unit.partition("*")[0].strip()
    try:
        return float(number)
    except ValueError:
        return 1.0
