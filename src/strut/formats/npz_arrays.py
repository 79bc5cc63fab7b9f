"""NPZ arrays: the arrays of a NumPy archive of another program, without running anything that is in it."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from strut.formats.reader import FormatError, require

MAX_ARRAY_BYTES = 1_000_000_000  # of one array, unpacked: an hour of a robot's bodies at 50 Hz is a tenth of it
_LOCAL_HEADER = struct.Struct("<4s5H3I2H")  # of the first file in a ZIP archive
_SUFFIX = ".npy"


def first_array_name(head: bytes) -> str:
    """Return the name of the first array of an archive, from its first bytes; empty if it is no archive."""
    if len(head) < _LOCAL_HEADER.size or not head.startswith(b"PK\x03\x04"):
        return ""
    *_, name_bytes, _ = _LOCAL_HEADER.unpack_from(head)
    name = head[_LOCAL_HEADER.size : _LOCAL_HEADER.size + name_bytes]
    return name.decode("ascii", errors="replace").removesuffix(_SUFFIX)


def read_arrays(content: bytes, needed: Collection[str]) -> dict[str, npt.NDArray[np.generic]]:
    """Return the arrays of an archive by name.

    Raises:
        FormatError: If the archive is damaged, lacks a needed array, holds Python objects, or is too large to unpack.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            for entry in archive.infolist():
                large = entry.file_size > MAX_ARRAY_BYTES
                require(not large, f"has an array '{entry.filename}' of more than {MAX_ARRAY_BYTES / 1e9:g} GB.")
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            arrays = {name: file[name] for name in file.files}
    except FormatError:
        raise
    except (
        OSError,
        ValueError,
        EOFError,
        KeyError,
        SyntaxError,
        NotImplementedError,
        zipfile.BadZipFile,
        zlib.error,
        struct.error,
        MemoryError,
        RuntimeError,
    ) as error:
        raise FormatError("is damaged, or holds Python objects, which are never loaded.") from error
    missing = [name for name in needed if name not in arrays]
    require(not missing, f"lacks the arrays {', '.join(missing)}.")
    return arrays


def read_numbers(values: npt.NDArray[np.generic], name: str, dimensions: int) -> npt.NDArray[np.float64]:
    """Return an array as finite numbers; raises FormatError with its name."""
    require(values.dtype.kind in "fiu", f"has no numbers in {name}.")
    require(values.ndim == dimensions, f"has {values.ndim} dimensions in {name}, not {dimensions}.")
    numbers = np.asarray(values, dtype=np.float64)
    finite = np.isfinite(numbers)
    if not finite.all():
        raise FormatError(f"has a number in {name} that is not finite, at frame {np.argwhere(~finite)[0, 0]}.")
    return numbers
