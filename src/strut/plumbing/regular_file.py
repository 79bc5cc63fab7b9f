"""Regular file: refuse devices and pipes before they are read, because some of them never end."""

from __future__ import annotations

import errno
from pathlib import Path


def check_regular(path: Path) -> None:
    """Raise OSError if something is at `path` that is neither a file nor a folder: reading /dev/zero never ends."""
    if path.exists() and not path.is_file() and not path.is_dir():
        raise OSError(errno.EINVAL, "it is a device or a pipe and no file", str(path))
