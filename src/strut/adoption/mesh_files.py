"""Mesh files: where a description's meshes are, and what MuJoCo does not read turned into what it does."""

from __future__ import annotations

import io
from pathlib import Path, PureWindowsPath
from typing import Any

_NATIVE = (".obj", ".msh")
_ASCII_STL = b"solid"
_MOST_FACES = 190_000  # MuJoCo takes 200 000 of an STL file
_PACKAGE, _FILE = "package://", "file://"
UNREADABLE = (OSError, ImportError, ValueError, KeyError, IndexError, AttributeError)  # of readers of bad files


def mesh_path(name: str, description: Path) -> Path:
    """Return the file of a mesh: package:// and relative names are looked for from the description upwards.

    Then the name of the file alone is looked for beside and below it. Raises FileNotFoundError if there is none.
    """
    plain = name.replace("model://", _PACKAGE).removeprefix(_FILE).removeprefix(_PACKAGE)
    plain = PureWindowsPath(plain).as_posix()
    tails = [plain]
    if "://" in name:
        tails += [plain.partition("/")[2], f"{plain.partition('/')[0]}/{Path(plain).name}"]
    for folder in description.resolve().parents:
        for tail in tails:
            if tail and (folder / tail).is_file():
                return folder / tail
    for folder in description.resolve().parents[:2]:
        if same := sorted(folder.rglob(Path(plain).name)):
            return same[0]
    raise FileNotFoundError(f"there is no file {name}")


def is_native(file: Path) -> bool:
    """Return whether MuJoCo reads a mesh as it is: Wavefront, or STL that is binary and not too large."""
    ending = file.suffix.lower()
    if ending in _NATIVE:
        return True
    if ending != ".stl":
        return False
    with file.open("rb") as opened:
        start = opened.read(512)
    text = start.lstrip().startswith(_ASCII_STL) and b"facet" in start
    return not text and int.from_bytes(start[80:84], "little") < _MOST_FACES


def as_stl(file: Path) -> bytes:
    """Return a mesh of any format that trimesh reads as binary STL in metres; raises what `read_mesh` raises."""
    buffer = io.BytesIO()
    read_mesh(file).export(buffer, file_type="stl")
    return buffer.getvalue()


def read_mesh(file: Path) -> Any:
    """Return a mesh of any format that trimesh reads, in metres.

    Raises ValueError, ImportError or one of trimesh's own mistakes if it cannot read it.
    """
    import trimesh  # noqa: PLC0415  (most models need no conversion)

    with file.open("rb") as opened:
        scene: Any = trimesh.load_scene(opened, file_type=file.suffix.lower().lstrip("."))
    mesh = scene.to_mesh()
    if not len(mesh.faces):
        raise ValueError("it holds no surface")
    if file.suffix.lower() == ".dae":
        mesh.apply_scale(_metres_per_unit(str(scene.units)))
    return mesh.convex_hull if len(mesh.faces) > _MOST_FACES else mesh


def _metres_per_unit(words: str) -> float:
    """Return the length of what trimesh calls the unit of a COLLADA file: meters, or 0.001 * meters."""
    number = words.partition("*")[0].strip()
    try:
        return float(number)
    except ValueError:
        return 1.0
