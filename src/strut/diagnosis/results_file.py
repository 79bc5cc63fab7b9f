"""Results file: a line of JSON for each clip, appended when it is done, so that a killed run goes on later."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Self, TextIO

from strut.diagnosis.clip_result import ClipResult
from strut.errors import FileError

FORMAT = "strut-clip-results"
FORMAT_VERSION = 1
_HEAD = json.dumps({"format": FORMAT, "format_version": FORMAT_VERSION})


class ResultsFile:
    """The results of earlier runs, and those of this one as they come.

    Args:
        path: The file; it is made if there is none.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.known: dict[str, ClipResult] = {}  # by key
        self._file: TextIO | None = None

    def __enter__(self) -> Self:
        if self._path.is_dir():
            raise FileError(self._path, "is a folder; give a file name.")
        if not self._path.resolve().parent.is_dir():
            raise FileError(self._path, f"cannot be written: there is no folder {self._path.parent}.")
        try:
            is_new = not self._path.exists() or not self._path.stat().st_size
            if not is_new:
                self._read()
            self._file = self._path.open("a", encoding="utf-8")
            if is_new:
                self._write(_HEAD)
        except OSError as error:
            raise FileError(self._path, f"cannot be written: {error.strerror}.") from error
        return self

    def _read(self) -> None:
        """Read the results; a last line that a kill cut off is removed."""
        content = self._path.read_bytes()
        whole = content[: content.rfind(b"\n") + 1]
        head, *lines = whole.decode("utf-8", errors="replace").splitlines() or [""]
        if head != _HEAD:
            raise FileError(self._path, "is there already and holds no results of `strut check`; choose another name.")
        for number, line in enumerate(lines, 2):
            try:
                result = ClipResult.from_dict(json.loads(line))
            except (ValueError, KeyError, TypeError) as error:
                raise FileError(self._path, f"is damaged in line {number}; remove the file to check again.") from error
            self.known[result.key] = result
        if len(whole) < len(content):
            os.truncate(self._path, len(whole))

    def add(self, result: ClipResult) -> None:
        """Write one result, which counts as done from now on."""
        self.known[result.key] = result
        self._write(json.dumps(result.as_dict(), allow_nan=False))

    def _write(self, line: str) -> None:
        assert self._file is not None, "the file is open within its `with` block"
        self._file.write(f"{line}\n")
        self._file.flush()

    def __exit__(self, *_error: object) -> None:
        if self._file is not None:
            self._file.close()
