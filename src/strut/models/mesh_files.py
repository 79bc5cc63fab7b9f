"""Mesh files: where a description's meshes are, and what MuJoCo does not read turned into what it does."""

from __future__ import annotations

import io
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
_MOST_FACES = 190_000  # MuJoCo takes 200 000 of an STL file
_Y_UP = re.compile(rb"<up_axis>\s*Y_UP\s*</up_axis>")
_HEAD = 100_000  # bytes: the asset is one of the first elements of a COLLADA file
_PACKAGE = "package://"
_FILE = "file://"
_IS_POINTER = "it is a pointer of Git LFS"
_NOT_THERE = "it is not there"
_NO_READER = "what reads it is not installed"
_NOT_OPENED = "it cannot be opened"
UNREADABLE = (OSError, ImportError, ValueError, KeyError, IndexError, AttributeError)  # of readers of bad files


class MeshError(ValueError):
    """A mesh cannot be read, for a reason in plain words."""


def why_unreadable(error: Exception) -> str:
    """Return why a mesh cannot be read, in plain words, from what its reader raised."""
    if isinstance(error, MeshError):
        return str(error)
    if isinstance(error, FileNotFoundError):
        return _NOT_THERE
    if isinstance(error, ImportError):
        words = "COLLADA needs `pip install pycollada`" if "collada" in str(error) else str(error)
        return f"{_NO_READER}: {words}"
    if isinstance(error, OSError):
        return f"{_NOT_OPENED}: {error.strerror or error}"
    return "it is damaged"


def mesh_path(name: str, description: Path, *, anywhere: bool = True) -> Path:
    """Return the file of a mesh: package:// and relative names are looked for from the description upwards.

    Then, if it may be `anywhere`, the name of the file alone is looked for beside and below it. Raises
    FileNotFoundError if there is none.
    """
    folders = description.resolve().parents
    tails = _tails(name)
    above = (folder / tail for folder in folders for tail in tails if tail)
    below = chain.from_iterable(_named(Path(tails[0]).name, folder, folders[0]) for folder in folders[: 2 * anywhere])
    file = next(filter(Path.is_file, chain(above, below)), None)
    if file is None:
        raise FileNotFoundError(f"there is no file {name}")
    return file


def _named(name: str, folder: Path, own: Path) -> Iterator[Path]:
    """Yield files of a name below a folder, but not from folders beside the own one that hold robots of their own."""
    for file in sorted(folder.rglob(name)):
        beside = folder / file.relative_to(folder).parts[0]
        if beside in (own, file) or next(beside.rglob("*.urdf"), None) is None:
            yield file


def _tails(name: str) -> list[str]:
    """Return the ends that the path of a mesh may have: with and without the name of its package."""
    plain = name.replace("model://", _PACKAGE).removeprefix(_FILE).removeprefix(_PACKAGE)
    plain = PureWindowsPath(plain).as_posix()
    package, _, rest = plain.partition("/")
    return [plain, rest, f"{package}/{Path(plain).name}"] if "://" in name else [plain]


def is_pointer(file: Path) -> bool:
    """Return whether a file is what Git LFS leaves in place of one that was not fetched."""
    with file.open("rb") as opened:
        return opened.read(len(_POINTER)) == _POINTER


def remedy(why: str) -> str:
    """Return what to do about a mesh that cannot be read, by why, as the end of a sentence."""
    remedies = {
        _IS_POINTER: "`git lfs pull` brings the file.",
        _NOT_THERE: "put the file where the description says.",
        _NO_READER: "install that and try again.",
        _NOT_OPENED: "put a file there that you may read.",
    }
    return remedies.get(why.partition(":")[0], "put a whole one in its place.")


def unreadable_words(name: str, link: str, error: Exception) -> str:
    """Return the sentence about a mesh that cannot be read and must be: its file, its link, why, and what to do."""
    why = why_unreadable(error)
    return f"the mesh {name} of the link {link} cannot be read ({why}); {remedy(why)}"


def is_native(file: Path) -> bool:
    """Return whether MuJoCo reads a mesh as it is: Wavefront, or STL that is binary and not too large.

    Raises MeshError for what is no mesh at all.
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
    return not text and int.from_bytes(start[80:84], "little") < _MOST_FACES


def readable_mesh(
    name: str, description: Path, assets: dict[str, bytes], turn: Array | None = None, *, anywhere: bool = True
) -> str:
    """Return what MuJoCo calls a mesh of a description: its path, or the name of converted bytes, added to `assets`.

    `turn` (3, 3) is for COLLADA files that call y upright; `anywhere` as in `mesh_path`. Raises one of UNREADABLE.
    """
    file = mesh_path(name, description, anywhere=anywhere)
    if is_native(file):
        return str(file)
    converted = f"{file.stem}_{len(assets)}.stl"
    assets[converted] = as_stl(file, turn if calls_y_upright(file) else None)
    return converted


def calls_y_upright(file: Path) -> bool:
    """Return whether a mesh is a COLLADA file that calls y upright."""
    if file.suffix.lower() != ".dae":
        return False
    with file.open("rb") as opened:
        return _Y_UP.search(opened.read(_HEAD)) is not None


def as_stl(file: Path, turn: Array | None = None) -> bytes:
    """Return a mesh of any format that trimesh reads as binary STL in metres, turned by a matrix (3, 3).

    Raises what `read_mesh` raises.
    """
    buffer = io.BytesIO()
    mesh = read_mesh(file)
    if turn is not None:
        mesh.vertices = mesh.vertices @ turn.T
    mesh.export(buffer, file_type="stl")
    return buffer.getvalue()


def read_mesh(file: Path) -> Any:
    """Return a mesh of any format that trimesh reads, in metres; a file that is asked for again is not read again.

    Raises MeshError, ImportError or OSError if it cannot be read.
    """
    return _read_once(file, file.stat().st_mtime_ns).copy()


def forget_meshes() -> None:
    """Give up the memory of meshes that were read."""
    _read_once.cache_clear()


@lru_cache(maxsize=256)
def _read_once(file: Path, _changed_ns: int) -> Any:
    content = file.read_bytes()
    ending = file.suffix.lower().lstrip(".")
    mesh, units = _surface(_bare(content) if ending == "dae" else content, ending)
    if ending == "dae":
        mesh.apply_scale(_metres_per_unit(units))
    return mesh.convex_hull if len(mesh.faces) > _MOST_FACES else mesh


def _surface(content: bytes, ending: str) -> tuple[Any, str]:
    """Return the mesh in a file, in its own unit, and which that is."""
    import trimesh  # noqa: PLC0415  (most models need no conversion)

    try:
        scene: Any = trimesh.load_scene(io.BytesIO(content), file_type=ending)
        mesh = scene.to_mesh()
    except ImportError:
        raise
    except Exception as error:  # readers of formats raise whatever they like, in words of their own
        raise MeshError("it is damaged, or of a format that nobody here reads") from error
    if not len(mesh.faces):
        raise MeshError("it holds no surface")
    return mesh, str(scene.units)


def _bare(collada: bytes) -> bytes:
    """Return a COLLADA file without what colours it: a picture that is missing takes its surface along."""
    try:
        root = ET.fromstring(collada)
    except ET.ParseError as error:
        raise MeshError("it is no XML") from error
    colours = ("library_images", "library_effects", "library_materials", "bind_material")
    for parent in list(root.iter()):
        for child in [child for child in parent if str(child.tag).rpartition("}")[2] in colours]:
            parent.remove(child)
    return ET.tostring(root)


def _metres_per_unit(words: str) -> float:
    """Return the length of what trimesh calls the unit of a COLLADA file: meters, or 0.001 * meters."""
    number = words.partition("*")[0].strip()
    try:
        return float(number)
    except ValueError:
        return 1.0
